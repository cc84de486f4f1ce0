//! Merges done again: what would have been is what git's merge makes, and what was done by hand is all that is left.

use std::{collections::BTreeMap, os::unix::fs::PermissionsExt};

use diff::{
    Cancel,
    content::SideContent,
    git::{BlobSource, ConflictKind, Form, GitError, Remerge, Side, Status},
    merge::MarkerStyle,
    source::{Comparison, Source},
};

use super::random::{Three, cases, show, write};
use super::scratch::{Scratch, command, listing};

fn remerge(scratch: &Scratch, commit: &str) -> Remerge {
    scratch.repo().remerge(commit, &[], &Cancel::new()).unwrap()
}

/// Commits what lies in the working tree as a merge of two, whatever git would make of it.
fn commit_merge(scratch: &Scratch, ours: &str, theirs: &str) -> String {
    scratch.git(&["add", "-A"]);
    let tree = scratch.git(&["write-tree"]);
    scratch.git(&["commit-tree", "-m", "merge", "-p", ours, "-p", theirs, tree.trim()]).trim().to_owned()
}

/// What git's own merge of the parents gives, by path: mode and content.
fn merged_by_git(scratch: &Scratch, commit: &str, style: &str) -> BTreeMap<String, (String, Vec<u8>)> {
    let label = |parent: u32| {
        let name = format!("{commit}^{parent}");
        scratch.git(&["show", "-s", "--format=%h (%s)", &name]).trim().to_owned()
    };
    // Branches of these names, as labels are what the branches are called.
    for parent in [1, 2] {
        let name = format!("{commit}^{parent}");
        scratch.git(&["update-ref", &format!("refs/heads/p{parent}"), &name]);
    }
    let configured = format!("merge.conflictStyle={style}");
    let words = ["-c", &configured, "-c", "merge.directoryRenames=false", "merge-tree", "--write-tree", "p1", "p2"];
    let output = command(scratch.path()).args(words).output().unwrap();
    let tree = show(&output.stdout).lines().next().unwrap().to_owned();
    let mut found = BTreeMap::new();
    for entry in scratch.git(&["ls-tree", "-r", &tree]).lines() {
        let (meta, path) = entry.split_once('\t').unwrap();
        let mut meta = meta.split(' ');
        let (mode, id) = (meta.next().unwrap(), meta.nth(1).unwrap());
        let text = scratch.git_bytes(&["cat-file", "blob", id]);
        let text = show(&text)
            .replace("<<<<<<< p1", &format!("<<<<<<< {}", label(1)))
            .replace(">>>>>>> p2", &format!(">>>>>>> {}", label(2)));
        found.insert(path.to_owned(), (mode.to_owned(), text.into_bytes()));
    }
    found
}

/// Checks that the old sides of a merge done again, with what it does not list, are git's merge.
fn check(scratch: &Scratch, commit: &str) -> Remerge {
    let style = match scratch.repo().conflict_style() {
        MarkerStyle::Merge => "merge",
        MarkerStyle::Diff3 => "diff3",
        MarkerStyle::ZealousDiff3 => "zdiff3",
    };
    let expected = merged_by_git(scratch, commit, style);
    let found = remerge(scratch, commit);
    let mut auto = BTreeMap::new();
    for entry in scratch.git(&["ls-tree", "-r", commit]).lines() {
        let (meta, path) = entry.split_once('\t').unwrap();
        let mut meta = meta.split(' ');
        let (mode, id) = (meta.next().unwrap(), meta.nth(1).unwrap());
        auto.insert(path.to_owned(), (mode.to_owned(), scratch.git_bytes(&["cat-file", "blob", id])));
    }
    let mut reader = scratch.reader().with_form(Form::Stored).forcing_text(true);
    for change in &found.changes {
        let old = change.path_of(Side::Old).to_string();
        auto.remove(&change.path.to_string());
        let Some(blob) = &change.old else { continue };
        let bytes = match reader.read(change, Side::Old).unwrap() {
            SideContent::Text(text) => text.bytes.to_vec(),
            SideContent::Symlink { target } => target.as_bytes().to_vec(),
            other => panic!("{other:?}"),
        };
        auto.insert(old, (blob.mode.octal().to_owned(), bytes));
    }
    let readable = |files: &BTreeMap<String, (String, Vec<u8>)>| {
        files.iter().map(|(path, (mode, text))| format!("{mode} {path}\n{}", show(text))).collect::<Vec<_>>()
    };
    assert_eq!(readable(&auto), readable(&expected));
    assert_eq!(auto, expected);
    found
}

/// Two branches from a common commit, and a merge of them that is committed as `result` leaves it.
fn merged(
    base: impl Fn(&Scratch),
    ours: impl Fn(&Scratch),
    theirs: impl Fn(&Scratch),
    result: impl Fn(&Scratch),
) -> Option<(Scratch, String)> {
    let scratch = Scratch::new()?;
    base(&scratch);
    scratch.commit();
    scratch.git(&["checkout", "-q", "-b", "topic"]);
    theirs(&scratch);
    scratch.commit();
    scratch.git(&["checkout", "-q", "main"]);
    ours(&scratch);
    scratch.commit();
    let _ = command(scratch.path()).args(["merge", "-q", "--no-commit", "topic"]).output().unwrap();
    result(&scratch);
    let commit = commit_merge(&scratch, "main", "topic");
    Some((scratch, commit))
}

fn text(first: &str, middle: &str, last: &str) -> String {
    format!("{first}\n1\n2\n3\n4\n5\n{middle}\n6\n7\n8\n9\n{last}\n")
}

#[test]
fn case_42_what_was_slipped_into_a_merge_is_all_that_is_listed() {
    let found = merged(
        |s| {
            s.write("a", text("a", "b", "c")).write("b", "1\n");
        },
        |s| {
            s.write("a", text("ours", "b", "c"));
        },
        |s| {
            s.write("a", text("a", "b", "theirs")).write("b", "2\n");
        },
        |s| {
            s.write("a", text("ours", "slipped in", "theirs"));
        },
    );
    let Some((scratch, commit)) = found else { return };
    let found = check(&scratch, &commit);
    assert_eq!(listing(&found.changes), "M 100644 100644 a");
    assert!(found.conflicts.is_empty());
    let source = Source::Remerge(commit);
    assert!(source.to_string().ends_with(", by hand"));
    let comparison = Comparison::of_repo(scratch.repo(), source, Vec::new()).unwrap();
    let changes = comparison.changes(&Cancel::new()).unwrap();
    assert!(matches!(changes[0].old.as_ref().unwrap().source, BlobSource::Memory(_)));
    let mut reader = comparison.reader();
    let old = reader.read(&changes[0], Side::Old).unwrap();
    assert_eq!(show(&old.text().unwrap().bytes), text("ours", "b", "theirs"));
    assert_ne!(reader.hash(&changes[0], Side::Old).unwrap(), reader.hash(&changes[0], Side::New).unwrap());
}

#[test]
fn a_merge_that_nobody_touched_lists_nothing() {
    let found = merged(
        |s| {
            s.write("a", text("a", "b", "c")).write("b", "1\n");
        },
        |s| {
            s.write("a", text("ours", "b", "c")).write("mine", "1\n");
        },
        |s| {
            s.write("a", text("a", "b", "theirs")).remove("b").write("other", "1\n");
        },
        |_| {},
    );
    let Some((scratch, commit)) = found else { return };
    assert_eq!(check(&scratch, &commit).changes, []);
}

#[test]
fn how_conflicts_were_resolved_is_shown_against_their_markers() {
    let long: String = (0..20).map(|line| format!("line {line}\n")).collect();
    let found = merged(
        |s| {
            s.write("both", "1\n").write("gone", "1\n").write("moved", &long).write("apart", long.to_uppercase());
            s.write("bin", "1\0")
                .write("link", "1\n")
                .write("mode", "1\n")
                .write(".gitattributes", "sum merge=union\n");
            s.write("sum", "1\n");
        },
        |s| {
            s.write("both", "2\n").remove("gone").write("new", "ours\n").write("bin", "2\0").write("sum", "1\n2\n");
            s.git(&["mv", "moved", "dir"]);
            s.git(&["mv", "apart", "here"]);
            s.write("dir", long.replace("line 4", "ours"));
            std::fs::set_permissions(s.path().join("mode"), PermissionsExt::from_mode(0o755)).unwrap();
        },
        |s| {
            s.write("both", "3\n")
                .write("gone", "3\n")
                .write("new", "theirs\n")
                .write("bin", "3\0")
                .write("sum", "1\n3\n");
            s.write("moved", long.replace("line 4", "theirs")).write("mode", "3\n");
            s.git(&["mv", "apart", "there"]);
        },
        |s| {
            s.git(&["reset", "-q"]);
            s.write("both", "4\n").write("new", "4\n").write("dir", long.replace("line 4", "4")).write("bin", "4\0");
        },
    );
    let Some((scratch, commit)) = found else { return };
    let found = check(&scratch, &commit);
    let conflicts: Vec<_> = found.conflicts.iter().map(|(path, kind)| (path.to_string(), *kind)).collect();
    let expected = [
        ("apart", ConflictKind::BothDeleted),
        ("bin", ConflictKind::BothModified),
        ("both", ConflictKind::BothModified),
        ("dir", ConflictKind::BothModified),
        ("gone", ConflictKind::DeletedByUs),
        ("new", ConflictKind::BothAdded),
    ];
    assert_eq!(conflicts, expected.map(|(path, kind)| (path.to_owned(), kind)));
    assert_eq!(
        listing(&found.changes),
        "M 100644 100644 bin\nM 100644 100644 both\nM 100644 100644 dir\nM 100644 100644 new"
    );
    assert!(found.changes.iter().all(|change| change.status == Status::Modified));
    let only = scratch.repo().remerge(&commit, &["both".to_owned()], &Cancel::new()).unwrap();
    assert_eq!((listing(&only.changes).as_str(), only.conflicts.len()), ("M 100644 100644 both", 1));
}

#[test]
fn random_merges_are_those_of_git() {
    let Some(scratch) = Scratch::new() else { return };
    let cases = cases(240);
    let sides: [(&str, fn(&Three) -> &[u8]); 3] =
        [("base", |case| &case.base), ("ours", |case| &case.ours), ("theirs", |case| &case.theirs)];
    for (name, side) in sides {
        if name == "theirs" {
            scratch.git(&["checkout", "-q", "base"]);
        }
        write(scratch.path(), &cases, side);
        scratch.commit();
        scratch.git(&["branch", name]);
    }
    let merge = commit_merge(&scratch, "ours", "theirs");
    for style in ["merge", "diff3", "zdiff3"] {
        scratch.git(&["config", "merge.conflictStyle", style]);
        let found = check(&scratch, &merge);
        assert!(found.conflicts.len() > 30, "the cases are too tame: {}", found.conflicts.len());
    }
}

/// Two branches that merged each other, then went on.
fn crossed(inner: [&str; 2]) -> Option<Scratch> {
    let scratch = Scratch::new()?;
    scratch.write("a", text("a", "b", "c")).write("b", "1\n").commit();
    scratch.git(&["branch", "topic"]);
    scratch.write("a", text(inner[0], "b", "c")).write("new", "1\n").commit();
    scratch.git(&["checkout", "-q", "topic"]);
    scratch.write("a", text("a", "b", inner[1])).commit();
    scratch.git(&["branch", "there"]);
    let merge = |branch: &str, result: &str| {
        let _ = command(scratch.path()).args(["merge", "-q", "--no-commit", branch]).output().unwrap();
        scratch.write("a", result).commit();
    };
    merge("main", &text(inner[0], "theirs", inner[1]));
    scratch.write("b", "3\n").commit();
    scratch.git(&["checkout", "-q", "main"]);
    merge("there", &text(inner[0], "ours", inner[1]));
    scratch.write("b", "2\n").commit();
    Some(scratch)
}

#[test]
fn several_merge_bases_are_merged_first() {
    let Some(scratch) = crossed(["main", "topic"]) else { return };
    for style in ["merge", "diff3", "zdiff3"] {
        scratch.git(&["config", "merge.conflictStyle", style]);
        scratch.write("a", "by hand\n");
        let commit = commit_merge(&scratch, "main", "topic");
        let found = check(&scratch, &commit);
        let conflicts: Vec<_> = found.conflicts.iter().map(|(path, _)| path.to_string()).collect();
        assert_eq!(conflicts, ["a", "b"]);
    }
}

#[test]
fn a_conflict_of_merge_bases_is_within_the_base() {
    let Some(scratch) = Scratch::new() else { return };
    let commit = |text: &str, date: u32, parents: &[&str]| {
        scratch.write("a", text);
        scratch.git(&["add", "a"]);
        let tree = scratch.git(&["write-tree"]);
        let mut git = command(scratch.path());
        git.args(["commit-tree", "-m", "commit", tree.trim()]);
        for parent in parents {
            git.args(["-p", parent]);
        }
        let date = format!("{} +0000", 1_700_000_000 + date);
        let output = git.env("GIT_COMMITTER_DATE", &date).env("GIT_AUTHOR_DATE", &date).output().unwrap();
        show(&output.stdout).trim().to_owned()
    };
    let root = commit("1\n", 0, &[]);
    let (one, two) = (commit("one\n", 1, &[&root]), commit("two\n", 2, &[&root]));
    let ours = commit("ours\n", 3, &[&one, &two]);
    let theirs = commit("theirs\n", 4, &[&two, &one]);
    let merge = commit("both\n", 5, &[&ours, &theirs]);
    scratch.git(&["config", "merge.conflictStyle", "diff3"]);
    let found = remerge(&scratch, &merge);
    let old = scratch.reader().with_form(Form::Stored).read(&found.changes[0], Side::Old).unwrap();
    let old = show(&old.text().unwrap().bytes);
    let printed = scratch.git(&["show", "--remerge-diff", "--format=", "-U99", &merge]);
    let expected: String = printed
        .lines()
        .filter_map(|line| line.strip_prefix('-').filter(|rest| !rest.starts_with("--")))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(old, expected);
    assert!(old.contains("||||||| merged common ancestors\n<<<<<<<<< Temporary merge branch 1\n"), "{old}");
}

#[test]
fn only_a_merge_of_two_can_be_done_again() {
    let Some(scratch) = Scratch::new() else { return };
    scratch.write("a", "1\n").commit();
    let error = scratch.repo().remerge("HEAD", &[], &Cancel::new()).unwrap_err();
    assert!(matches!(error, GitError::NotAMerge { parents: 0, .. }), "{error}");
    assert_eq!(error.to_string(), "`HEAD` has 0 parents; only a merge of two can be done again");
}
