//! Which repositories share what the store keeps.

use diff::source::Comparison;
use diff::store::{Identity, Store};

use super::scratch::{Scratch, beside};

fn identity(folder: &std::path::Path) -> Identity {
    Identity::of(&Comparison::parse(&[], &[], folder).unwrap())
}

#[test]
fn worktrees_share_ticks_and_clones_do_not() {
    let Some(s) = Scratch::new() else { return };
    s.write("folder/file", "a\n").commit();
    let (worktree, clone) = (beside(&s, "worktree"), beside(&s, "clone"));
    s.git(&["worktree", "add", "-q", "-b", "other", worktree.to_str().unwrap()]);
    s.git(&["clone", "-q", ".", clone.to_str().unwrap()]);
    let main = identity(s.path());
    assert_eq!(identity(&s.path().join("folder")), main);
    assert_eq!(identity(&worktree), main);
    assert_ne!(identity(&clone), main);

    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("reviews.sqlite")).unwrap().store;
    let known = store.repository(&main).unwrap();
    assert_ne!(store.repository(&identity(&clone)).unwrap(), known);
    assert_eq!(store.repository(&identity(&worktree)).unwrap(), known);
    for folder in [worktree, clone] {
        std::fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn two_folders_are_known_by_both() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b, c] = ["a", "b", "c"].map(|name| folder.path().join(name));
    for folder in [&a, &b, &c] {
        std::fs::create_dir(folder).unwrap();
    }
    let of = |old, new| Identity::of(&Comparison::of_paths(old, new).unwrap());
    let roundabout = a.join("../a");
    assert_eq!(of(&a, &b), of(&roundabout, &b));
    assert_ne!(of(&a, &b), of(&a, &c));
    assert_ne!(of(&a, &b), of(&b, &a));
}
