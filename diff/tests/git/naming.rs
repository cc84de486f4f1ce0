//! What is there to pick from, and comparing what was picked: stashes and other worktrees.

use std::fs;

use diff::{
    Cancel,
    content::SideContent,
    git::{NameKind, Named, Side},
    source::Source,
};

use super::scratch::Scratch;

fn names(list: &[Named]) -> Vec<(NameKind, &str)> {
    list.iter().map(|named| (named.kind, named.name.as_str())).collect()
}

#[test]
fn branches_tags_and_commits_are_listed() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\n").commit();
    s.git(&["tag", "v1"]);
    s.git(&["tag", "-a", "v1-notes", "-m", "notes"]);
    s.git(&["checkout", "-qb", "topic/one"]);
    s.write("f", "b\n").commit();
    s.git(&["update-ref", "refs/remotes/origin/main", "main"]);
    s.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    let (repo, cancel) = (s.repo(), Cancel::new());
    let branches = repo.branches(&cancel).unwrap();
    let expected = [(NameKind::Head, "topic/one"), (NameKind::Branch, "main"), (NameKind::Remote, "origin/main")];
    assert_eq!(names(&branches), expected);
    let tags = repo.tags(&cancel).unwrap();
    let mut found = names(&tags);
    found.sort_by_key(|(_, name)| *name);
    assert_eq!(found, [(NameKind::Tag, "v1"), (NameKind::Tag, "v1-notes")]);
    assert_eq!(tags[0].commit, branches[1].commit);
    let commits = repo.commits(10, &cancel).unwrap();
    assert_eq!(commits.len(), 2);
    assert!(repo.is_revision(&commits[1].name));
    assert_eq!((&*commits[0].author, commits[0].commit), ("Test", branches[0].commit));
    assert_eq!(repo.likely_base("topic/one").as_deref(), Some("origin/main"));
    assert_eq!(repo.likely_base("origin/main").as_deref(), Some("main"));
}

#[test]
fn an_empty_repository_has_no_names() {
    let Some(s) = Scratch::new() else { return };
    let (repo, cancel) = (s.repo(), Cancel::new());
    assert!(repo.branches(&cancel).unwrap().is_empty());
    assert!(repo.tags(&cancel).unwrap().is_empty());
    assert!(repo.commits(10, &cancel).unwrap().is_empty());
    assert!(repo.stashes(&cancel).unwrap().is_empty());
    assert_eq!(repo.likely_base("main"), None);
}

#[test]
fn a_stash_shows_what_it_holds_untracked_files_included() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\n").commit().write("f", "first\n");
    s.git(&["stash", "push", "-qm", "first"]);
    s.write("f", "second\n").write("new", "n\n");
    s.git(&["stash", "push", "-qum", "second"]);
    let stashes = s.repo().stashes(&Cancel::new()).unwrap();
    let said: Vec<_> = stashes.iter().map(|stash| stash.subject.as_str()).collect();
    assert_eq!(said, ["On main: second", "On main: first"]);
    let paths = |stash: &Named| {
        let changes = s.compare(Source::Stash(stash.name.clone())).changes(&Cancel::new()).unwrap();
        changes.iter().map(|change| format!("{} {}", change.status.letter(), change.path)).collect::<Vec<_>>()
    };
    assert_eq!(paths(&stashes[0]), ["M f", "A new"]);
    assert_eq!(paths(&stashes[1]), ["M f"]);
    let refused = s.compare(Source::Stash("HEAD".to_owned())).changes(&Cancel::new()).unwrap_err();
    assert!(refused.to_string().contains("no stash"), "{refused}");
}

#[test]
fn worktrees_are_listed_and_compared_as_they_lie_on_disk() {
    let Some(s) = Scratch::new() else { return };
    s.write("same", "s\n")
        .write("here", "a\n")
        .write("there", "a\n")
        .write("both", "a\n")
        .write("gone", "a\n")
        .commit();
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().canonicalize().unwrap().join("other");
    s.git(&["worktree", "add", "-qb", "topic", other.to_str().unwrap()]);
    s.write("here", "b\n").write("both", "b\n").write("new", "n\n");
    fs::write(other.join("there"), "b\n").unwrap();
    fs::write(other.join("both"), "b\n").unwrap();
    fs::remove_file(other.join("gone")).unwrap();

    let trees = s.repo().worktrees().unwrap();
    let found: Vec<_> = trees.iter().map(|tree| (tree.head.as_str(), tree.is_this)).collect();
    assert_eq!(found, [("main", true), ("topic", false)]);
    assert_eq!(trees[1].root, other);

    let comparison = s.compare(Source::Worktree(other));
    let changes = comparison.changes(&Cancel::new()).unwrap();
    let mut reader = comparison.reader();
    let mut text = |change, side| match reader.read(change, side).unwrap() {
        SideContent::Text(text) => String::from_utf8(text.bytes.to_vec()).unwrap(),
        _ => String::new(),
    };
    let found: Vec<_> = changes
        .iter()
        .map(|change| (change.path.to_string(), text(change, Side::Old), text(change, Side::New)))
        .collect();
    let expected = [("gone", "", "a\n"), ("here", "a\n", "b\n"), ("new", "", "n\n"), ("there", "b\n", "a\n")];
    assert_eq!(found, expected.map(|(path, old, new)| (path.to_owned(), old.to_owned(), new.to_owned())));
}
