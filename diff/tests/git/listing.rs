//! Which files are listed, and as what.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, time::Instant};

use diff::{
    Cancel,
    git::{GitError, Head, Repo, RepoPath, Status},
    source::{Comparison, Source, SourceError},
};

use super::scratch::{Scratch, beside, command, listing};

fn executable(scratch: &Scratch, path: &str) {
    fs::set_permissions(scratch.path().join(path), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_working_tree_lists_what_is_staged_unstaged_and_untracked() {
    let Some(s) = Scratch::new() else { return };
    s.write("same", "a\n")
        .write("staged", "a\n")
        .write("unstaged", "a\n")
        .write("gone", "a\n")
        .write("both", "a\n")
        .commit();
    s.write("staged", "b\n").write("both", "b\n").write("new", "n\n");
    s.git(&["add", "staged", "both", "new"]);
    s.write("both", "c\n").write("unstaged", "b\n").write("dir/untracked", "u\n").remove("gone");
    assert_eq!(
        s.worktree(),
        "M 100644 100644 both\n? 000000 100644 dir/untracked\nD 100644 000000 gone\nA 000000 100644 new\n\
         M 100644 100644 staged\nM 100644 100644 unstaged"
    );
}

#[test]
fn what_is_staged_and_what_is_not_are_two_lists() {
    let Some(s) = Scratch::new() else { return };
    s.write("staged", "a\n").write("unstaged", "a\n").write("both", "a\n").write("gone", "g\n").write("left", "l\n");
    s.write("mode", "a\n").commit();
    s.write("staged", "b\n").write("both", "b\n").write("new", "n\n").write("gone again", "n\n");
    s.git(&["add", "."]);
    s.git(&["rm", "-q", "--cached", "left"]);
    s.write("both", "c\n").write("unstaged", "b\n").write("dir/untracked", "u\n").remove("gone").remove("gone again");
    executable(&s, "mode");
    let staged = "M 100644 100644 both\nA 000000 100644 gone again\nD 100644 000000 left\nA 000000 100644 new\n\
                  M 100644 100644 staged";
    let unstaged = "M 100644 100644 both\n? 000000 100644 dir/untracked\nD 100644 000000 gone\n\
                    D 100644 000000 gone again\n? 000000 100644 left\nM 100644 100755 mode\nM 100644 100644 unstaged";
    assert_eq!(s.stages(), (staged.to_owned(), unstaged.to_owned()));
}

#[test]
fn before_the_first_commit_all_that_is_staged_is_new() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "a\n").write("b", "b\n");
    s.git(&["add", "a"]);
    assert_eq!(s.stages(), ("A 000000 100644 a".to_owned(), "? 000000 100644 b".to_owned()));
}

#[test]
fn renames_are_found_against_the_index_as_well() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "content\n").write("b", "other content\n").commit();
    s.git(&["mv", "a", "c"]);
    fs::rename(s.path().join("b"), s.path().join("d")).unwrap();
    let expected = ("R100 100644 100644 a -> c".to_owned(), "R100 100644 100644 b -> d".to_owned());
    assert_eq!(s.stages(), expected);
}

#[test]
fn a_file_that_is_only_meant_to_be_added_is_not_staged() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "a\n").commit().write("new", "n\n");
    s.git(&["add", "-N", "new"]);
    assert_eq!(s.stages(), (String::new(), "A 000000 100644 new".to_owned()));
}

#[test]
fn a_conflict_is_in_both_lists() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "base\n").commit();
    s.git(&["checkout", "-q", "-b", "theirs"]);
    s.write("a", "theirs\n").commit();
    s.git(&["checkout", "-q", "main"]);
    s.write("a", "ours\n").commit();
    assert!(!command(s.path()).args(["merge", "-q", "theirs"]).output().unwrap().status.success());
    let expected = "U 100644 100644 a".to_owned();
    assert_eq!(s.stages(), (expected.clone(), expected));
}

#[test]
fn an_index_that_is_written_twice_at_once_is_read_twice() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "a\n").commit();
    let (staged, unstaged) = (s.compare(Source::Staged), s.compare(Source::Unstaged));
    let list = |of: &Comparison| listing(&of.changes(&Cancel::new()).unwrap());
    for round in 0..20 {
        s.write("a", format!("{round}\n"));
        assert_eq!((list(&unstaged), list(&staged)), ("M 100644 100644 a".to_owned(), String::new()));
        s.git(&["add", "a"]);
        assert_eq!((list(&unstaged), list(&staged)), (String::new(), "M 100644 100644 a".to_owned()));
        s.git(&["reset", "-q"]);
    }
}

#[test]
fn folders_that_a_sparse_index_leaves_out_are_no_change() {
    let Some(s) = Scratch::new() else { return };
    s.write("in/a", "a\n").write("out/deep/b", "b\n").write("top", "t\n").commit();
    s.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "in"]);
    assert!(s.git(&["ls-files", "--sparse"]).contains("out/\n"), "git keeps the index sparse");
    assert_eq!(s.stages(), (String::new(), String::new()));
    // Without the remembered tree, every entry is compared.
    s.write("in/a", "b\n").write("top", "u\n");
    s.git(&["add", "in/a"]);
    assert_eq!(s.stages(), ("M 100644 100644 in/a".to_owned(), "M 100644 100644 top".to_owned()));
    s.write("in/a", "c\n");
    assert_eq!(s.worktree(), "M 100644 100644 in/a\nM 100644 100644 top");
}

#[test]
fn a_change_that_was_staged_and_undone_on_disk_is_none() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "a\n").commit().write("a", "b\n");
    s.git(&["add", "a"]);
    s.write("a", "a\n");
    assert_eq!(s.worktree(), "");
}

#[test]
fn a_file_that_left_the_index_and_stays_on_disk_is_compared() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "a\n").commit();
    s.git(&["rm", "-q", "--cached", "a"]);
    s.write("a", "b\n");
    assert_eq!(s.worktree(), "M 100644 100644 a");
}

#[test]
fn a_touched_file_with_the_same_content_is_no_change() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "a\n").commit();
    let file = fs::File::options().write(true).open(s.path().join("a")).unwrap();
    file.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(9)).unwrap();
    assert_eq!(s.worktree(), "");
}

#[test]
fn a_change_within_the_second_and_of_the_same_size_is_seen() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "a\n").commit().write("a", "b\n");
    assert_eq!(s.worktree(), "M 100644 100644 a");
}

#[test]
fn case_10_and_11_a_mode_is_a_modification_with_or_without_content() {
    let Some(s) = Scratch::new() else { return };
    s.write("alone", "a\n").write("both", "a\n").commit();
    executable(&s, "alone");
    executable(&s, "both");
    s.write("both", "b\n");
    assert_eq!(s.worktree(), "M 100644 100755 alone\nM 100644 100755 both");
}

#[test]
fn a_file_that_becomes_a_link_changes_its_type() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "a\n").write("b", "b\n").commit().remove("a");
    std::os::unix::fs::symlink("b", s.path().join("a")).unwrap();
    assert_eq!(s.worktree(), "T 100644 120000 a");
}

#[test]
fn a_folder_that_becomes_a_link_hides_what_was_in_it() {
    let Some(s) = Scratch::new() else { return };
    s.write("dir/a", "a\n").write("other/a", "a\n").commit();
    fs::remove_dir_all(s.path().join("dir")).unwrap();
    std::os::unix::fs::symlink("other", s.path().join("dir")).unwrap();
    assert_eq!(s.worktree(), "? 000000 120000 dir\nD 100644 000000 dir/a");
}

#[test]
fn case_13_a_moved_file_is_one_renamed_entry() {
    let Some(s) = Scratch::new() else { return };
    s.write("old/name", "content\n").write("empty", "").commit();
    s.git(&["mv", "old/name", "new-name"]);
    s.git(&["mv", "empty", "still-empty"]);
    let expected = "D 100644 000000 empty\nR100 100644 100644 old/name -> new-name\nA 000000 100644 still-empty";
    assert_eq!(s.worktree(), expected);
    s.commit();
    assert_eq!(s.listing(&["HEAD~..HEAD"]), expected);
}

#[test]
fn case_13_a_file_moved_without_git_is_a_rename_as_well() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "content\n").commit();
    fs::rename(s.path().join("a"), s.path().join("b")).unwrap();
    assert_eq!(s.worktree(), "R100 100644 100644 a -> b");
}

#[test]
fn case_13_a_moved_and_edited_file_is_one_entry_with_its_similarity() {
    let Some(s) = Scratch::new() else { return };
    let lines = |changed: &str| {
        (0..20).map(|n| if n == 7 { changed.to_owned() } else { format!("line number {n}\n") }).collect::<String>()
    };
    s.write("a", lines("line number 7\n")).commit().remove("a").write("b", lines("line numbr 7\n")).commit();
    let git = s.git(&["diff", "-M", "--raw", "HEAD~", "HEAD"]);
    let percent: u8 = git.split(" R").nth(1).unwrap()[..3].parse().unwrap();
    let mut changes = s.changes(&["HEAD~..HEAD"]);
    let limited = s.repo().detect_renames(&mut changes, &Cancel::new()).unwrap();
    assert!(!limited);
    assert_eq!(listing(&changes), format!("R{percent} 100644 100644 a -> b"));
}

#[test]
fn case_14_more_moved_and_edited_files_than_can_be_compared_with_each_other_are_found() {
    let Some(s) = Scratch::in_memory() else { return };
    let count = 1_300;
    // What all files have in common says nothing about which is which.
    let text = |file: usize, edited: usize| {
        let head = "// the same in each\n//\n".to_owned();
        (0..30).fold(head, |text, n| match n == edited {
            true => text + "edited\n",
            false => text + &format!("line {n} of number {file}\n"),
        })
    };
    for file in 0..count {
        s.write(&format!("old/from{file}"), text(file, 99));
    }
    s.commit();
    for file in 0..count {
        s.remove(&format!("old/from{file}")).write(&format!("new/to{}", (file * 7) % count), text(file, file % 30));
    }
    s.commit();
    let mut changes = s.changes(&["HEAD~..HEAD"]);
    assert_eq!(changes.len(), 2 * count, "none of them is exact");
    let limited = s.repo().detect_renames(&mut changes, &Cancel::new()).unwrap();
    assert!(!limited);
    assert_eq!(changes.len(), count);
    for change in &changes {
        let number = |path: &str, before: &str| path.strip_prefix(before).unwrap().parse::<usize>().unwrap();
        let from = number(&change.old_path.as_ref().unwrap().display(), "old/from");
        assert_eq!(number(&change.path.display(), "new/to"), (from * 7) % count);
    }
}

#[test]
fn case_15_a_submodule_shows_its_commits_and_that_it_is_dirty() {
    let Some(inner) = Scratch::new() else { return };
    inner.write("f", "1\n").commit();
    let Some(s) = Scratch::new() else { return };
    s.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.path().to_str().unwrap(), "sub"]);
    s.commit();
    assert_eq!(s.worktree(), "");
    s.write("sub/f", "2\n");
    assert_eq!(s.worktree(), "M 160000 160000 sub");
    let sub = s.path().join("sub");
    let in_sub = |words: &[&str]| assert!(super::scratch::command(&sub).args(words).status().unwrap().success());
    in_sub(&["-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "-qam", "second"]);
    assert_eq!(s.worktree(), "M 160000 160000 sub");
    let change = &s.changes(&[])[0];
    let ids = (change.old.as_ref().unwrap().id().unwrap(), change.new.as_ref().unwrap().id().unwrap());
    let log = s.repo().submodule_log(&change.path, ids.0, ids.1, 10).unwrap().unwrap();
    assert_eq!(log.added, [(ids.1, "second".to_owned())]);
    assert!(log.removed.is_empty() && !log.more);
    let back = s.repo().submodule_log(&change.path, ids.1, ids.0, 10).unwrap().unwrap();
    assert_eq!((back.added.len(), back.removed.len()), (0, 1));
    in_sub(&["checkout", "-q", "HEAD~"]);
    s.write("sub/untracked", "u\n");
    assert_eq!(s.worktree(), "", "untracked files do not make a submodule dirty");
}

#[test]
fn unmerged_paths_are_listed_once() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "base\n").write("b", "b\n").commit();
    s.git(&["checkout", "-q", "-b", "other"]);
    s.write("a", "theirs\n").commit();
    s.git(&["checkout", "-q", "main"]);
    s.write("a", "ours\n").commit();
    assert!(!super::scratch::command(s.path()).args(["merge", "-q", "other"]).output().unwrap().status.success());
    assert_eq!(s.worktree(), "U 100644 100644 a");
}

#[test]
fn entries_with_special_marks_are_sane() {
    let Some(s) = Scratch::new() else { return };
    s.write("assumed", "a\n").write("sparse", "a\n").commit();
    s.git(&["update-index", "--assume-unchanged", "assumed"]);
    s.git(&["update-index", "--skip-worktree", "sparse"]);
    s.write("assumed", "b\n").remove("sparse").write("intended", "i\n");
    s.git(&["add", "-N", "intended"]);
    assert_eq!(s.worktree(), "A 000000 100644 intended");
}

#[test]
fn ignored_files_are_not_listed() {
    let Some(s) = Scratch::new() else { return };
    s.write(".gitignore", "*.log\ntarget/\n")
        .commit()
        .write("a.log", "")
        .write("target/x", "")
        .write("kept/.gitignore", "y\n");
    s.write("kept/x", "").write("kept/y", "");
    assert_eq!(s.worktree(), "? 000000 100644 kept/.gitignore\n? 000000 100644 kept/x");
}

#[test]
fn case_37_odd_names_are_kept_and_shown() {
    let Some(s) = Scratch::new() else { return };
    s.write("Aufträge/B — x.md", "a\n").write("本/🦀", "a\n").write("with \"quotes\" and\ttab", "a\n").commit();
    let changes = s.changes(&["HEAD^!"]);
    let names: Vec<String> = changes.iter().map(|change| change.path.to_string()).collect();
    assert_eq!(names, ["Aufträge/B — x.md", "with \"quotes\" and\\ttab", "本/🦀"]);
    assert_eq!(changes[1].path, RepoPath::from("with \"quotes\" and\ttab"));
}

#[cfg(target_os = "linux")]
#[test]
fn case_37_names_that_are_no_utf8_keep_their_bytes() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let Some(s) = Scratch::new() else { return };
    fs::write(s.path().join(OsStr::from_bytes(b"caf\xe9")), "a\n").unwrap();
    let changes = s.changes(&[]);
    assert_eq!((changes[0].path.as_bytes(), &*changes[0].path.display()), (&b"caf\xe9"[..], "caf\\xe9"));
    assert!(s.reader().read(&changes[0], diff::git::Side::New).unwrap().text().is_some());
}

#[test]
fn case_46_many_untracked_files_are_listed_without_reading_them() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "a\n").commit();
    for folder in 0..100 {
        let folder = s.path().join(format!("folder{folder:03}"));
        fs::create_dir(&folder).unwrap();
        for file in 0..1_000 {
            fs::File::create(folder.join(format!("file{file:04}"))).unwrap();
        }
    }
    let start = Instant::now();
    let changes = s.changes(&[]);
    eprintln!("100,000 untracked files: {:?}", start.elapsed());
    assert_eq!(changes.len(), 100_000);
    assert!(
        changes.iter().all(|change| change.status == Status::Untracked && change.new.as_ref().unwrap().id().is_none())
    );
}

#[test]
fn commits_ranges_and_merge_bases() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "1\n").commit().write("base", "b\n").commit();
    s.git(&["checkout", "-q", "-b", "side"]);
    s.write("side", "s\n").commit();
    s.git(&["checkout", "-q", "main"]);
    s.write("a", "2\n").commit();
    assert_eq!(s.listing(&["main..side"]), "M 100644 100644 a\nA 000000 100644 side");
    assert_eq!(s.listing(&["main", "side"]), s.listing(&["main..side"]));
    assert_eq!(s.listing(&["main...side"]), "A 000000 100644 side");
    assert_eq!(s.listing(&["main^!"]), "M 100644 100644 a");
    assert_eq!(s.listing(&["main~2^!"]), "A 000000 100644 a", "a first commit is against nothing");
    assert_eq!(s.listing(&["main~.."]), "M 100644 100644 a");
    assert_eq!(s.listing(&["side"]), "M 100644 100644 a\nD 100644 000000 side");
    assert_eq!(s.listing(&["main~2"]), "M 100644 100644 a\nA 000000 100644 base");
}

#[test]
fn path_filters_are_those_of_git() {
    let Some(s) = Scratch::new() else { return };
    s.write("src/a.rs", "1\n").write("src/b.txt", "1\n").write("docs/c.rs", "1\n").commit();
    s.write("src/a.rs", "2\n").write("src/b.txt", "2\n").write("docs/c.rs", "2\n").write("src/new.rs", "n\n");
    let filtered = |specs: &[&str]| {
        let source = Source::WorkingTree { against: None };
        let specs = specs.iter().map(ToString::to_string).collect();
        let comparison = Comparison::of_repo(s.repo(), source, specs).unwrap();
        comparison.changes(&Cancel::new()).unwrap().iter().map(|change| change.path.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(filtered(&["src"]), ["src/a.rs", "src/b.txt", "src/new.rs"]);
    assert_eq!(filtered(&["*.rs"]), ["docs/c.rs", "src/a.rs", "src/new.rs"]);
    assert_eq!(filtered(&["src", ":!*.txt"]), ["src/a.rs", "src/new.rs"]);
    assert_eq!(filtered(&[":(icase)SRC/A.rs"]), ["src/a.rs"]);
    assert!(filtered(&["nothing"]).is_empty());
}

#[test]
fn before_the_first_commit_everything_is_new() {
    let Some(s) = Scratch::new() else { return };
    s.write("staged", "a\n").write("not", "b\n");
    s.git(&["add", "staged"]);
    assert_eq!(s.repo().head().unwrap(), Head::Unborn("main".into()));
    assert_eq!(s.worktree(), "? 000000 100644 not\nA 000000 100644 staged");
}

#[test]
fn head_is_described() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "a\n").commit();
    assert_eq!(s.repo().branch().unwrap(), "main");
    s.git(&["checkout", "-q", "--detach"]);
    let id = s.git(&["rev-parse", "HEAD"]);
    assert_eq!(s.repo().branch().unwrap(), format!("detached at {}", &id[..9]));
}

#[test]
fn a_linked_worktree_is_a_repository_of_its_own() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "a\n").commit();
    let other = beside(&s, "linked");
    s.git(&["worktree", "add", "-q", "-b", "other", other.to_str().unwrap()]);
    fs::write(other.join("a"), "b\n").unwrap();
    let comparison = Comparison::parse(&[], &[], &other).unwrap();
    assert_eq!(listing(&comparison.changes(&Cancel::new()).unwrap()), "M 100644 100644 a");
    assert_eq!(comparison.repo().unwrap().branch().unwrap(), "other");
    fs::remove_dir_all(other).unwrap();
}

#[test]
fn errors_say_what_is_wrong() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "a\n").commit();
    let error = |words: &[&str]| s.parse(words).err().unwrap().to_string();
    assert_eq!(error(&["nosuch"]), "`nosuch` is neither a revision nor a path here");
    assert_eq!(error(&["HEAD..nosuch"]), "`nosuch` is not a revision in this repository");
    assert_eq!(error(&["nosuch..HEAD"]), "`nosuch` is not a revision in this repository");
    assert!(matches!(s.parse(&["HEAD", "HEAD", "HEAD"]), Err(SourceError::Usage(_))));

    let outside = tempfile::tempdir().unwrap();
    let error = Comparison::parse(&[], &[], outside.path()).err().unwrap();
    assert!(matches!(error, SourceError::Git(GitError::NotARepository { .. })), "{error}");
    assert!(matches!(Repo::discover(Path::new("/no/such/place")), Err(GitError::NoSuchPath { .. })));

    s.git(&["checkout", "-q", "--orphan", "alone"]);
    s.write("a", "another root\n").commit();
    let unrelated = s.parse(&["main...alone"]).unwrap().changes(&Cancel::new());
    assert!(matches!(unrelated, Err(GitError::NoMergeBase { .. })));
}

#[test]
fn a_bare_repository_has_ranges_but_no_working_tree() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "1\n").commit().write("a", "2\n").commit();
    let bare = beside(&s, "bare.git");
    s.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let words = ["HEAD~..HEAD".into()];
    let comparison = Comparison::parse(&words, &[], &bare).unwrap();
    let changes = comparison.changes(&Cancel::new()).unwrap();
    assert_eq!(listing(&changes), "M 100644 100644 a");
    assert!(comparison.reader().read(&changes[0], diff::git::Side::New).unwrap().text().is_some());
    let error = Comparison::parse(&[], &[], &bare).err().unwrap();
    assert!(matches!(error, SourceError::Git(GitError::Bare { .. })), "{error}");
    fs::remove_dir_all(bare).unwrap();
}

#[test]
fn a_cancelled_listing_says_so() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "1\n").commit().write("a", "2\n").commit().write("b", "b\n");
    let cancel = Cancel::new();
    cancel.cancel();
    for words in [&["HEAD~..HEAD"][..], &[]] {
        assert!(matches!(s.parse(words).unwrap().changes(&cancel), Err(GitError::Cancelled)), "{words:?}");
    }
}

#[test]
fn case_45_two_files_and_the_null_device() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    fs::write(&old, "a\n").unwrap();
    fs::write(&new, "b\n").unwrap();
    let listed = |old: &Path, new: &Path| {
        let changes = Comparison::of_paths(old, new).unwrap().changes(&Cancel::new()).unwrap();
        (changes[0].status, changes[0].path.to_string().ends_with("new"))
    };
    let null = Path::new("/dev/null");
    assert_eq!(listed(&old, &new), (Status::Modified, true));
    assert_eq!(listed(null, &new), (Status::Added, true));
    assert_eq!(listed(&old, null), (Status::Deleted, false));
    assert!(Comparison::of_paths(&old, &folder.path().join("missing")).is_err());
}

#[test]
fn case_45_two_folders_follow_links_to_files() {
    let folder = tempfile::tempdir().unwrap();
    let new = folder.path().join("right");
    for (path, content) in
        [("left/same", "s\n"), ("right/same", "s\n"), ("left/dir/a", "1\n"), ("real", "2\n"), ("left/gone", "g\n")]
    {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    fs::create_dir_all(new.join("dir")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("real"), new.join("dir/a")).unwrap();
    fs::write(new.join("added"), "n\n").unwrap();
    let comparison = Comparison::parse(&["left".into(), "right".into()], &[], folder.path()).unwrap();
    assert!(matches!(comparison.source(), Source::Folders { .. }));
    let changes = comparison.changes(&Cancel::new()).unwrap();
    assert_eq!(listing(&changes), "A 000000 100644 added\nM 100644 100644 dir/a\nD 100644 000000 gone");
}
