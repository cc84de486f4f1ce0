//! Tests of the tree, the listing, the path index and file operations.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::ops::{self, OpError};
use super::walk::{Found, Listing, walk};
use super::*;
use crate::cancel::Cancel;
use crate::file::fault::{Fault, FaultFs};
use crate::file::{RealFs, is_temporary};
use crate::limits::Limits;

/// A folder with those files in it, each with its path as content; a path that ends with a slash is a folder.
fn project(paths: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for path in paths {
        let full = folder.path().join(path);
        if path.ends_with('/') {
            fs::create_dir_all(full).unwrap();
        } else {
            fs::create_dir_all(full.parent().unwrap()).unwrap();
            fs::write(full, path).unwrap();
        }
    }
    folder
}

/// All files below a folder with their content, links with `->` and their target.
fn snapshot(root: &Path) -> BTreeSet<String> {
    fn collect(root: &Path, folder: &Path, into: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if path.is_symlink() {
                into.insert(format!("{name} -> {}", fs::read_link(&path).unwrap().display()));
            } else if path.is_dir() {
                into.insert(format!("{name}/"));
                collect(root, &path, into);
            } else {
                into.insert(format!("{name}: {}", fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let mut all = BTreeSet::new();
    collect(root, root, &mut all);
    all
}

fn listed(root: &Path, limits: &Limits) -> (Vec<String>, Listing) {
    let mut files = Vec::new();
    for found in walk(root, limits, &Cancel::new()).unwrap() {
        match found {
            Found::Files(some) => files.extend(some.iter().map(|path| path.display().to_string())),
            Found::Finished(listing) => {
                files.sort();
                return (files, listing);
            }
        }
    }
    panic!("the walk ended without saying so");
}

// Listing

#[test]
fn a_listing_has_what_git_does_not_ignore() {
    let root = project(&["src/a.rs", "src/gen/b.rs", "target/x.o", ".git/HEAD", ".github/ci.yml", "a.log", "keep.log"]);
    fs::write(root.path().join(".gitignore"), "/target/\n*.log\n!keep.log\n").unwrap();
    fs::write(root.path().join("src/.gitignore"), "gen\n").unwrap();
    fs::write(root.path().join(".a.txt.0000.recto-tmp"), "").unwrap();
    let (files, listing) = listed(root.path(), &Limits::default());
    assert_eq!(files, [".github/ci.yml", ".gitignore", "keep.log", "src/.gitignore", "src/a.rs"]);
    assert_eq!(listing, Listing { files: 5, unreadable: 0, limited: false });
}

#[test]
fn a_listing_ends_at_its_limit_and_says_so() {
    let names: Vec<String> = (0..100).map(|n| format!("f{n}")).collect();
    let root = project(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let (files, listing) = listed(root.path(), &Limits { listed_files: 10, ..Limits::default() });
    assert_eq!((files.len(), listing.files, listing.limited), (10, 10, true));
}

#[test]
fn a_cancelled_listing_tells_nothing_more() {
    let root = project(&["a", "b"]);
    let cancel = Cancel::new();
    cancel.cancel();
    assert_eq!(walk(root.path(), &Limits::default(), &cancel).unwrap().iter().count(), 0);
}

// The tree

fn read(tree: &mut Tree) {
    loop {
        let requests = tree.take_requests();
        if requests.is_empty() {
            return;
        }
        for request in requests {
            tree.fill(&request.folder, list(&RealFs, &request.path, request.inside_ignored));
        }
    }
}

/// The rows, each indented by its depth; `/` after folders, `!` before ignored ones.
fn drawn(tree: &Tree) -> Vec<String> {
    let draw = |row: &Row| {
        let name = row.path.file_name().unwrap().to_string_lossy();
        let (ignored, folder) = (if row.ignored { "!" } else { "" }, if row.is_folder { "/" } else { "" });
        format!("{}{ignored}{name}{folder}", "  ".repeat(row.depth))
    };
    tree.rows().iter().map(draw).collect()
}

#[test]
fn folders_come_first_and_names_in_natural_order() {
    let root = project(&["b2", "B10", "a", "z/x", "Y/x", ".git/HEAD", ".env"]);
    let mut tree = Tree::new(root.path());
    read(&mut tree);
    assert_eq!(drawn(&tree), ["Y/", "z/", ".env", "a", "b2", "B10"]);
}

#[test]
fn natural_order_counts_and_is_total() {
    let sorted = ["a", "A1", "a01", "a1", "a2", "a02b", "a10", "b", "ä"];
    for (at, left) in sorted.iter().enumerate() {
        for right in &sorted[at + 1..] {
            let order = natural_order(OsStr::new(left), OsStr::new(right));
            assert_eq!(order.reverse(), natural_order(OsStr::new(right), OsStr::new(left)), "{left} {right}");
            assert!(order.is_lt() || ["A1", "a01", "a1", "a2", "a02b"].contains(left), "{left} < {right}");
        }
    }
    assert!(natural_order(OsStr::new("v9.txt"), OsStr::new("v10.txt")).is_lt());
}

#[test]
fn ignored_files_are_shown_when_asked_for_with_all_that_is_in_them() {
    let root = project(&["src/a.rs", "target/debug/x"]);
    fs::write(root.path().join(".gitignore"), "target\n").unwrap();
    let mut tree = Tree::new(root.path());
    read(&mut tree);
    assert_eq!(drawn(&tree), ["src/", ".gitignore"]);
    tree.set_show_ignored(true);
    tree.reveal(Path::new("target/debug/x"));
    read(&mut tree);
    assert_eq!(drawn(&tree), ["src/", "!target/", "  !debug/", "    !x", ".gitignore"]);
}

#[test]
fn a_changed_ignore_file_changes_all_below() {
    let root = project(&["gen/sub/x"]);
    let ignore = root.path().join(".gitignore");
    let mut tree = Tree::new(root.path());
    tree.set_show_ignored(true);
    tree.reveal(Path::new("gen/sub/x"));
    read(&mut tree);
    assert_eq!(drawn(&tree), ["gen/", "  sub/", "    x"]);
    fs::write(&ignore, "gen\n").unwrap();
    tree.changed([ignore.as_path()]);
    read(&mut tree);
    assert_eq!(drawn(&tree), ["!gen/", "  !sub/", "    !x", ".gitignore"]);
}

#[test]
fn only_open_folders_are_read_and_closing_hides() {
    let root = project(&["a/b/c"]);
    let mut tree = Tree::new(root.path());
    assert_eq!(tree.take_requests().len(), 1);
    assert!(tree.take_requests().is_empty(), "asked for once");
    tree.fill(Path::new(""), list(&RealFs, root.path(), false));
    assert!(tree.take_requests().is_empty(), "closed folders are not read");
    tree.set_open(Path::new("a"), true);
    read(&mut tree);
    tree.set_open(Path::new("a/b"), true);
    read(&mut tree);
    assert_eq!(drawn(&tree), ["a/", "  b/", "    c"]);
    tree.set_open(Path::new("a"), false);
    assert_eq!(drawn(&tree), ["a/"]);
}

#[test]
fn an_outside_change_reads_its_folder_again() {
    let root = project(&["a/old"]);
    let mut tree = Tree::new(root.path());
    tree.reveal(Path::new("a/old"));
    read(&mut tree);
    let new = root.path().join("a/new");
    fs::write(&new, "").unwrap();
    tree.changed([new.as_path()]);
    assert_eq!(drawn(&tree), ["a/", "  old"], "shown as it was until read");
    read(&mut tree);
    assert_eq!(drawn(&tree), ["a/", "  new", "  old"]);
}

#[test]
fn a_change_while_a_folder_is_being_read_is_not_lost() {
    let root = project(&["old"]);
    let mut tree = Tree::new(root.path());
    let request = tree.take_requests().remove(0);
    let before = list(&RealFs, &request.path, false);
    let new = root.path().join("new");
    fs::write(&new, "").unwrap();
    tree.changed([new.as_path()]);
    tree.fill(&request.folder, before);
    read(&mut tree);
    assert_eq!(drawn(&tree), ["new", "old"]);
}

#[test]
fn a_folder_that_cannot_be_read_says_why() {
    let root = project(&["a/"]);
    let mut tree = Tree::new(root.path());
    tree.set_open(Path::new("a"), true);
    read(&mut tree);
    let faulty = FaultFs::new(Fault::Always { step: "read_dir", kind: ErrorKind::PermissionDenied });
    tree.fill(Path::new("a"), list(&faulty, &root.path().join("a"), false));
    let error = tree.rows()[0].error.clone().unwrap();
    assert!(error.contains("a cannot be listed: permission denied"), "{error}");
}

#[test]
fn the_root_says_why_it_cannot_be_read_and_when_it_was() {
    let root = project(&[]);
    let mut tree = Tree::new(root.path());
    assert!(!tree.is_read(Path::new("")));
    read(&mut tree);
    assert!(tree.is_read(Path::new("")), "an empty folder was read, too");
    let faulty = FaultFs::new(Fault::Always { step: "read_dir", kind: ErrorKind::PermissionDenied });
    tree.fill(Path::new(""), list(&faulty, root.path(), false));
    assert!(tree.error_of(Path::new("")).is_some_and(|error| error.contains("permission denied")));
}

#[test]
fn a_renamed_folder_stays_open_with_all_that_is_open_in_it() {
    let root = project(&["a/b/c", "z"]);
    let mut tree = Tree::new(root.path());
    tree.reveal(Path::new("a/b/c"));
    read(&mut tree);
    fs::rename(root.path().join("a"), root.path().join("n")).unwrap();
    tree.moved(Path::new("a"), Path::new("n"));
    read(&mut tree);
    assert_eq!(drawn(&tree), ["n/", "  b/", "    c", "z"]);
}

#[test]
fn a_folder_renamed_while_it_is_being_read_is_read_under_its_new_name() {
    let root = project(&["a/x"]);
    let mut tree = Tree::new(root.path());
    tree.set_open(Path::new("a"), true);
    tree.fill(Path::new(""), list(&RealFs, root.path(), false));
    tree.take_requests();
    let request = tree.take_requests();
    assert!(request.is_empty(), "it is being read");
    fs::rename(root.path().join("a"), root.path().join("n")).unwrap();
    tree.moved(Path::new("a"), Path::new("n"));
    read(&mut tree);
    assert_eq!(drawn(&tree), ["n/", "  x"]);
}

#[test]
fn closing_all_leaves_the_root_open() {
    let root = project(&["a/b/c", "z"]);
    let mut tree = Tree::new(root.path());
    tree.reveal(Path::new("a/b/c"));
    read(&mut tree);
    tree.close_all();
    assert_eq!(drawn(&tree), ["a/", "z"]);
}

// The path index

fn index(paths: &[&str]) -> PathIndex {
    let mut index = PathIndex::new();
    index.extend(paths.iter().map(Path::new));
    index
}

fn found(index: &PathIndex, pattern: &str) -> Vec<String> {
    let hits = index.search(&mut Searcher::default(), pattern, 10, &Cancel::new());
    hits.best.iter().map(|hit| index.text(hit.id).to_owned()).collect()
}

#[test]
fn letters_match_in_order_with_gaps_and_nothing_else() {
    let index = index(&["src/main.rs", "src/domain.rs", "docs/manual.md", "nothing"]);
    assert_eq!(found(&index, "mnrs"), ["src/main.rs", "src/domain.rs"]);
    assert_eq!(found(&index, "zzz"), [""; 0]);
}

#[test]
fn a_name_counts_more_than_its_folders() {
    let index = index(&["editor/src/lib.rs", "src/other/editor.rs", "e/d/i/t/o/r"]);
    assert_eq!(found(&index, "editor")[0], "src/other/editor.rs");
}

#[test]
fn the_whole_name_comes_before_longer_ones() {
    let index = index(&["a/main_window.rs", "b/main.rs", "c/domain.rs", "d/main_test.rs"]);
    assert_eq!(found(&index, "main")[0], "b/main.rs");
    assert_eq!(found(&index, "main.rs")[0], "b/main.rs");
}

#[test]
fn starts_of_words_count() {
    let index = index(&["src/fabricated_index.rs", "src/file_index.rs"]);
    assert_eq!(found(&index, "fi")[0], "src/file_index.rs");
    assert_eq!(found(&index, "src/fi")[0], "src/file_index.rs");
}

#[test]
fn case_counts_once_there_is_a_capital() {
    let index = index(&["readme.txt", "README.txt"]);
    assert_eq!(found(&index, "readme").len(), 2);
    assert_eq!(found(&index, "README"), ["README.txt"]);
}

#[test]
fn words_match_in_any_order() {
    let index = index(&["app/src/panes/review.rs", "diff/src/review.rs"]);
    assert_eq!(found(&index, "review app"), ["app/src/panes/review.rs"]);
}

#[test]
fn what_is_open_or_was_used_comes_first() {
    let mut index = index(&["a/mod.rs", "b/mod.rs", "c/mod.rs"]);
    assert_eq!(found(&index, "mod"), ["a/mod.rs", "b/mod.rs", "c/mod.rs"]);
    index.set_used([Path::new("b/mod.rs")], [Path::new("c/mod.rs")]);
    assert_eq!(found(&index, "mod"), ["c/mod.rs", "b/mod.rs", "a/mod.rs"]);
    assert_eq!(found(&index, "")[0], "c/mod.rs", "with nothing typed, too");
}

#[test]
fn matched_letters_are_told_by_their_offsets() {
    let index = index(&["src/main.rs", "grüße/straße.txt"]);
    let positions = |pattern: &str| {
        let hits = index.search(&mut Searcher::default(), pattern, 1, &Cancel::new());
        let text = index.text(hits.best[0].id);
        hits.best[0].positions.iter().map(|&at| text[at..].chars().next().unwrap()).collect::<String>()
    };
    assert_eq!(positions("main"), "main");
    assert_eq!(positions("sma"), "sma");
    assert_eq!(positions("ße.t"), "ße.t");
}

#[test]
fn a_search_that_goes_on_finds_the_same_as_one_from_scratch() {
    // More than are scored in the second round.
    let paths: Vec<String> = (0..12_000).map(|n| format!("src/mod{}/file_{n}.rs", n % 37)).collect();
    let index = index(&paths.iter().map(String::as_str).collect::<Vec<_>>());
    let mut searcher = Searcher::default();
    for typed in ["f", "fi", "fi4", "fi42", "fi42 m", "fi42 mo", "f", "F", "fi4"] {
        let going_on = index.search(&mut searcher, typed, 20, &Cancel::new());
        let fresh = index.search(&mut Searcher::default(), typed, 20, &Cancel::new());
        assert_eq!(going_on, fresh, "{typed}");
    }
}

#[test]
fn removed_paths_are_not_found_and_new_ones_are() {
    let mut index = index(&["a/x.rs", "a/y.rs", "b.rs"]);
    let mut searcher = Searcher::default();
    index.search(&mut searcher, "rs", 10, &Cancel::new());
    index.remove(Path::new("a"));
    index.insert(Path::new("c.rs"));
    index.insert(Path::new("b.rs"));
    let hits = index.search(&mut searcher, "rs", 10, &Cancel::new());
    assert_eq!((hits.matched, index.len()), (2, 2));
}

#[test]
fn a_path_that_is_not_unicode_is_found_and_opens() {
    use std::os::unix::ffi::OsStrExt;
    let path = PathBuf::from(OsStr::from_bytes(b"caf\xe9.txt"));
    let mut index = PathIndex::new();
    index.insert(&path);
    let hits = index.search(&mut Searcher::default(), "caf", 1, &Cancel::new());
    assert_eq!(index.path(hits.best[0].id), path);
}

#[test]
fn a_line_and_column_are_taken_off_the_query() {
    let query = |pattern, line, column| PathQuery { pattern, line, column };
    assert_eq!(PathQuery::parse("main.rs"), query("main.rs", None, None));
    assert_eq!(PathQuery::parse("main.rs:"), query("main.rs", None, None));
    assert_eq!(PathQuery::parse(" main.rs:12 "), query("main.rs", Some(12), None));
    assert_eq!(PathQuery::parse("main.rs:12:3"), query("main.rs", Some(12), Some(3)));
    assert_eq!(PathQuery::parse("a::b"), query("a::b", None, None));
    assert_eq!(PathQuery::parse(":7"), query("", Some(7), None));
}

// Operations

#[test]
fn names_are_checked() {
    for (name, reason) in [("", "empty"), ("..", "folder"), ("a/b", "slash"), ("a\nb", "control"), (" a", "space")] {
        let error = ops::check_name(name).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    for name in ["a", ".gitignore", "a b.txt", "ü", "con"] {
        ops::check_name(name).unwrap();
    }
}

#[test]
fn files_and_folders_are_created_with_the_folders_they_need() {
    let root = project(&["a.rs"]);
    assert_eq!(ops::create_file(&RealFs, root.path(), "x/y/z.rs").unwrap(), root.path().join("x/y/z.rs"));
    ops::create_folder(&RealFs, root.path(), "d").unwrap();
    assert!(matches!(ops::create_file(&RealFs, root.path(), "a.rs"), Err(OpError::Exists { .. })));
    assert!(matches!(ops::create_folder(&RealFs, root.path(), "d"), Err(OpError::Exists { .. })));
    assert!(matches!(ops::create_file(&RealFs, root.path(), "../out"), Err(OpError::BadName { .. })));
    let expected = ["a.rs: a.rs", "d/", "x/", "x/y/", "x/y/z.rs: "];
    assert_eq!(snapshot(root.path()), expected.map(String::from).into());
}

#[test]
fn nothing_is_overwritten_by_renaming_moving_or_copying() {
    let root = project(&["a", "b", "d/a", "e/"]);
    let before = snapshot(root.path());
    let at = |name: &str| root.path().join(name);
    for (what, result) in [
        ("rename", ops::rename(&RealFs, &at("a"), "b")),
        ("rename onto an empty folder", ops::rename(&RealFs, &at("d"), "e")),
        ("move", ops::move_into(&RealFs, &at("a"), &at("d"))),
        ("copy", ops::copy_into(&RealFs, &at("a"), &at("d"))),
    ] {
        assert!(matches!(result, Err(OpError::Exists { .. })), "{what}: {result:?}");
        assert_eq!(snapshot(root.path()), before, "{what}");
    }
}

#[test]
fn a_folder_is_not_put_into_itself() {
    let root = project(&["a/b/c"]);
    let (a, b) = (root.path().join("a"), root.path().join("a/b"));
    assert!(matches!(ops::move_into(&RealFs, &a, &b), Err(OpError::IntoItself { .. })));
    assert!(matches!(ops::copy_into(&RealFs, &a, &b), Err(OpError::IntoItself { .. })));
}

#[test]
fn what_is_gone_is_named() {
    let root = project(&["d/"]);
    let gone = root.path().join("gone");
    for result in [
        ops::rename(&RealFs, &gone, "x"),
        ops::move_into(&RealFs, &gone, &root.path().join("d")),
        ops::copy_into(&RealFs, &gone, &root.path().join("d")),
    ] {
        assert!(matches!(&result, Err(OpError::Missing { path }) if *path == gone), "{result:?}");
    }
}

#[test]
fn a_copy_has_all_and_a_name_of_its_own() {
    let root = project(&["d/a.sh", "d/sub/b"]);
    fs::set_permissions(root.path().join("d/a.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("a.sh", root.path().join("d/link")).unwrap();
    let copy = ops::copy_into(&RealFs, &root.path().join("d"), root.path()).unwrap();
    assert_eq!(copy, root.path().join("d copy"));
    assert_eq!(snapshot(&copy), snapshot(&root.path().join("d")));
    assert_eq!(fs::metadata(copy.join("a.sh")).unwrap().permissions().mode() & 0o777, 0o755);
    let file = root.path().join("d/a.sh");
    let folder = root.path().join("d");
    assert_eq!(ops::copy_into(&RealFs, &file, &folder).unwrap(), folder.join("a copy.sh"));
    assert_eq!(ops::copy_into(&RealFs, &file, &folder).unwrap(), folder.join("a copy 2.sh"));
}

#[test]
fn deleting_takes_links_and_not_what_they_lead_to() {
    let root = project(&["d/sub/a", "kept/b"]);
    symlink(root.path().join("kept"), root.path().join("d/link")).unwrap();
    ops::delete(&RealFs, &root.path().join("d")).unwrap();
    assert!(!root.path().join("d").exists() && root.path().join("kept/b").exists());
    let gone = ops::delete(&RealFs, &root.path().join("d"));
    assert!(matches!(gone, Err(OpError::Missing { .. })), "{gone:?}");
}

#[test]
fn a_move_to_another_disk_copies_and_removes() {
    let root = project(&["d/a", "d/sub/b", "to/"]);
    let content = snapshot(&root.path().join("d"));
    // Only the first rename crosses disks; the one that names the copy does not.
    let faulty = FaultFs::new(Fault::Once { at: 0, kind: ErrorKind::CrossesDevices });
    let to = ops::move_into(&faulty, &root.path().join("d"), &root.path().join("to")).unwrap();
    assert_eq!(snapshot(&to), content);
    assert!(!root.path().join("d").exists());
}

#[test]
fn a_copy_that_fails_at_any_step_leaves_nothing_half_copied() {
    let run = |fault: Fault| {
        let root = project(&["d/a", "d/sub/b", "to/"]);
        let faulty = FaultFs::new(fault);
        let result = ops::copy_into(&faulty, &root.path().join("d"), &root.path().join("to"));
        (root, faulty, result)
    };
    let (_, counted, result) = run(Fault::None);
    result.unwrap();
    for (at, step) in counted.steps().iter().enumerate() {
        let (root, _, result) = run(Fault::Once { at, kind: ErrorKind::StorageFull });
        let left = snapshot(&root.path().join("to"));
        if let Err(error) = result {
            assert!(left.is_empty(), "{left:?} after {step}: {error}");
        } else {
            assert_eq!(snapshot(&root.path().join("to/d")), snapshot(&root.path().join("d")), "{step}");
        }
        // Killed there, a leftover can be told by its name, and the copy's own name is whole or not there.
        let (root, _, _) = run(Fault::Kill { at });
        for entry in fs::read_dir(root.path().join("to")).unwrap().map(Result::unwrap) {
            let whole = || snapshot(&entry.path()) == snapshot(&root.path().join("d"));
            assert!(is_temporary(&entry.file_name()) || whole(), "{step}");
        }
    }
}
