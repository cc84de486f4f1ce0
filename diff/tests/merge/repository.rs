//! Conflicts in repositories: which paths, what happened to them, what git is in the middle of.

use std::{fs, os::unix::fs::PermissionsExt};

use diff::{
    Cancel,
    content::SideContent,
    git::{ConflictKind, MergeDriver, Operation, RepoPath, Unmerged},
    merge::{
        Labels, MarkerFormat, MarkerStyle, Merge, MergeOptions, Version,
        markers::MarkerRules,
        session::{ConflictSession, Start},
    },
};

use super::scratch::{Scratch, command};

/// Runs git where it is to stop in a conflict.
fn stops(scratch: &Scratch, words: &[&str]) {
    let output = command(scratch.path()).env("GIT_EDITOR", "true").args(words).output().unwrap();
    assert!(!output.status.success(), "git {words:?} was to stop: {}", String::from_utf8_lossy(&output.stdout));
}

/// A repository in which `ours` and `theirs` change what `base` made, and are merged.
fn conflict(base: impl Fn(&Scratch), ours: impl Fn(&Scratch), theirs: impl Fn(&Scratch)) -> Option<Scratch> {
    let scratch = Scratch::new()?;
    base(&scratch);
    scratch.commit();
    scratch.git(&["checkout", "-q", "-b", "topic"]);
    theirs(&scratch);
    scratch.commit();
    scratch.git(&["checkout", "-q", "main"]);
    ours(&scratch);
    scratch.commit();
    stops(&scratch, &["merge", "-q", "topic"]);
    Some(scratch)
}

fn unmerged(scratch: &Scratch) -> Vec<Unmerged> {
    scratch.repo().unmerged(&[], &Cancel::new()).unwrap()
}

fn said(scratch: &Scratch) -> Vec<String> {
    unmerged(scratch).iter().map(|unmerged| format!("{}: {unmerged}", unmerged.path)).collect()
}

fn text(content: &SideContent) -> String {
    String::from_utf8(content.text().unwrap().bytes.to_vec()).unwrap()
}

#[test]
fn what_happened_to_a_path_is_said_in_words() {
    let found = conflict(
        |s| {
            s.write("both", "1\n").write("gone-here", "1\n").write("gone-there", "1\n").write("alone", "1\n");
        },
        |s| {
            s.write("both", "2\n").remove("gone-here").write("gone-there", "2\n").write("new", "2\n");
        },
        |s| {
            s.write("both", "3\n").write("gone-here", "3\n").remove("gone-there").write("new", "3\n");
        },
    );
    let Some(scratch) = found else { return };
    assert_eq!(
        said(&scratch),
        [
            "both: both changed it",
            "gone-here: ours deleted it, theirs changed it",
            "gone-there: theirs deleted it, ours changed it",
            "new: both added it, differently",
        ]
    );
    let kinds: Vec<_> = unmerged(&scratch).iter().map(Unmerged::kind).collect();
    assert_eq!(
        kinds,
        [ConflictKind::BothModified, ConflictKind::DeletedByUs, ConflictKind::DeletedByThem, ConflictKind::BothAdded]
    );
    let only = scratch.repo().unmerged(&["new".to_owned()], &Cancel::new()).unwrap();
    assert_eq!(only.iter().map(|unmerged| unmerged.path.to_string()).collect::<Vec<_>>(), ["new"]);
}

#[test]
fn a_file_that_both_renamed_is_told_as_one() {
    let content = "some\nlines\nthat\nmake\na\nfile\n";
    let found = conflict(
        |s| {
            s.write("old", content);
        },
        |s| {
            s.git(&["mv", "old", "here"]);
        },
        |s| {
            s.git(&["mv", "old", "there"]);
            s.write("there", format!("{content}more\n"));
        },
    );
    let Some(scratch) = found else { return };
    let sentence = "old was renamed by both: ours calls it here, theirs there";
    assert_eq!(said(&scratch), ["here", "old", "there"].map(|path| format!("{path}: {sentence}")));
}

#[test]
fn types_and_modes_that_disagree_are_said() {
    let found = conflict(
        |s| {
            s.write("plain", "1\n").write("type", "1\n");
        },
        |s| {
            s.write("plain", "2\n").write("type", "2\n");
            fs::set_permissions(s.path().join("plain"), fs::Permissions::from_mode(0o755)).unwrap();
        },
        |s| {
            s.write("plain", "3\n").remove("type");
            std::os::unix::fs::symlink("plain", s.path().join("type")).unwrap();
        },
    );
    let Some(scratch) = found else { return };
    let said = said(&scratch);
    assert_eq!(said[0], "plain: both changed it", "one side alone changed the mode, which is no conflict");
    // Git puts the two types under names of their own.
    assert!(said.len() > 1, "{said:?}");
    let all = unmerged(&scratch);
    assert!(all[0].can_merge());
    assert!(all[1..].iter().all(|unmerged| !unmerged.can_merge()), "{said:?}");
}

#[test]
fn versions_are_read_as_they_would_lie_in_the_working_tree() {
    let found = conflict(
        |s| {
            s.write(".gitattributes", "*.txt eol=crlf conflict-marker-size=11\n*.bin -merge\n").write("a.txt", "1\r\n");
        },
        |s| {
            s.write("a.txt", "2\r\n");
        },
        |s| {
            s.write("a.txt", "3\r\n");
        },
    );
    let Some(scratch) = found else { return };
    let all = unmerged(&scratch);
    let mut reader = scratch.reader();
    let versions = [Version::Base, Version::Ours, Version::Theirs];
    let contents = versions.map(|version| reader.read_version(&all[0], version).unwrap());
    assert_eq!(contents.each_ref().map(text), ["1\r\n", "2\r\n", "3\r\n"]);
    let rules = reader.marker_rules(&all[0].path).unwrap();
    assert_eq!(rules, MarkerRules { size: 11, ..MarkerRules::default() });
    assert_eq!(reader.merge_driver(&RepoPath::from("x.bin")).unwrap(), MergeDriver::Binary);
    assert_eq!(reader.merge_driver(&all[0].path).unwrap(), MergeDriver::Text);
    // What git wrote is what composing the three versions gives.
    let [base, ours, theirs] = contents.map(|content| content.text().unwrap().content().unwrap());
    let merge = Merge::new(&base, &ours, &theirs, &MergeOptions::git_merge(), &Cancel::new()).unwrap();
    let labels = Labels { ours: "HEAD".into(), base: String::new(), theirs: "topic".into() };
    let format = MarkerFormat { style: MarkerStyle::Merge, size: rules.size, labels, ..MarkerFormat::default() };
    let composed = merge.compose(&merge.accepted(), &format);
    assert_eq!(String::from_utf8(composed.bytes).unwrap(), fs::read_to_string(scratch.path().join("a.txt")).unwrap());
}

#[test]
fn a_conflict_is_read_whole_and_starts_as_git_left_it() {
    let found = conflict(
        |s| {
            s.write(".gitattributes", "*.txt eol=crlf\n").write("a.txt", "1\r\n").write("bin", "1\0");
        },
        |s| {
            s.write("a.txt", "2\r\n").write("bin", "2\0").write("b.txt", "2\r\n");
        },
        |s| {
            s.write("a.txt", "3\r\n").write("bin", "3\0").write("b.txt", "3\r\n");
        },
    );
    let Some(scratch) = found else { return };
    let mut reader = scratch.reader();
    let [a, b, bin] = &unmerged(&scratch)[..] else { panic!("three conflicts") };
    for unmerged in [a, b] {
        let files = reader.read_conflict(unmerged).unwrap().unwrap();
        let session = ConflictSession::new(files, MarkerRules::default(), &Cancel::new()).unwrap();
        let Start::Fresh(format) = session.start() else { panic!("{} is as git left it", unmerged.path) };
        assert_eq!((format.labels.ours.as_str(), format.labels.theirs.as_str()), ("HEAD", "topic"));
        assert_eq!(session.exit_code(Some(b"4\r\n"), 0), 0);
    }
    assert!(reader.read_conflict(bin).unwrap().is_none());
    scratch.remove("a.txt");
    assert!(reader.read_conflict(a).unwrap().unwrap().merged.is_empty());
}

#[test]
fn a_missing_version_reads_as_missing() {
    let found = conflict(
        |s| {
            s.write("a", "1\n");
        },
        |s| {
            s.remove("a");
        },
        |s| {
            s.write("a", "3\n");
        },
    );
    let Some(scratch) = found else { return };
    let ours = scratch.reader().read_version(&unmerged(&scratch)[0], Version::Ours).unwrap();
    assert!(matches!(ours, SideContent::Missing));
}

#[test]
fn the_style_of_markers_is_configured() {
    let Some(scratch) = Scratch::new() else { return };
    assert_eq!(scratch.repo().conflict_style(), MarkerStyle::Merge);
    for (word, style) in [("diff3", MarkerStyle::Diff3), ("zdiff3", MarkerStyle::ZealousDiff3)] {
        scratch.git(&["config", "merge.conflictStyle", word]);
        assert_eq!(scratch.repo().conflict_style(), style);
    }
}

/// What the repository is in the middle of, and what its sides are.
fn operation(scratch: &Scratch) -> (String, String, String) {
    let repo = scratch.repo();
    let operation = repo.operation().unwrap();
    let names = repo.side_names(operation.as_ref()).unwrap();
    (operation.map_or(String::new(), |operation| operation.to_string()), names.ours, names.theirs)
}

/// A line of commits that all change `a`, on `topic`, and one on main that does, too.
fn diverged() -> Option<Scratch> {
    let scratch = Scratch::new()?;
    scratch.write("a", "0\n").write("b", "0\n").commit();
    scratch.git(&["checkout", "-q", "-b", "topic"]);
    scratch.write("b", "1\n").commit();
    for line in ["1", "2"] {
        scratch.write("a", format!("{line}\n"));
        scratch.git(&["commit", "-q", "-am", &format!("change {line}")]);
    }
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write("a", "main\n").commit();
    Some(scratch)
}

#[test]
fn a_merge_says_what_is_merged() {
    let Some(scratch) = diverged() else { return };
    assert_eq!(scratch.repo().operation().unwrap(), None);
    stops(&scratch, &["merge", "-q", "topic"]);
    assert_eq!(operation(&scratch), ("merging topic".into(), "main".into(), "topic".into()));
    scratch.git(&["merge", "--abort"]);
    // A merge by id, whose message was changed, is known by the branch that is there.
    let id = scratch.git(&["rev-parse", "topic"]);
    stops(&scratch, &["merge", "-q", "-m", "mine", id.trim()]);
    assert_eq!(operation(&scratch).0, "merging topic");
}

#[test]
fn a_rebase_says_where_it_is() {
    let Some(scratch) = diverged() else { return };
    scratch.git(&["checkout", "-q", "topic"]);
    stops(&scratch, &["rebase", "-q", "main"]);
    let (said, ours, theirs) = operation(&scratch);
    assert_eq!(
        (said.as_str(), ours.as_str()),
        ("rebasing topic onto main, step 2 of 3", "main, with what was rebased so far")
    );
    assert!(theirs.ends_with(" (change 1)"), "{theirs}");
    let commit = scratch.git(&["rev-parse", "REBASE_HEAD"]);
    assert!(theirs.starts_with(&commit[..9]));
    let Some(Operation::Rebase { branch, step, .. }) = scratch.repo().operation().unwrap() else { panic!("a rebase") };
    assert_eq!((branch.as_deref(), step), (Some("topic"), Some((2, 3))));
}

#[test]
fn the_other_backend_of_rebase_and_mails_are_told_apart() {
    let Some(scratch) = diverged() else { return };
    scratch.git(&["checkout", "-q", "topic"]);
    stops(&scratch, &["rebase", "-q", "--apply", "main"]);
    assert_eq!(operation(&scratch).0, "rebasing topic onto main, step 2 of 3");
    scratch.git(&["rebase", "--abort"]);
    scratch.git(&["format-patch", "-q", "-o", ".git/mails", "topic~2..topic"]);
    scratch.git(&["checkout", "-q", "main"]);
    let mails = scratch.git(&["rev-parse", "--git-path", "mails"]);
    let mails = fs::read_dir(scratch.path().join(mails.trim())).unwrap();
    let mut mails: Vec<_> = mails.map(|mail| mail.unwrap().path().to_string_lossy().into_owned()).collect();
    mails.sort();
    let words: Vec<&str> = ["am", "-q", "-3"].into_iter().chain(mails.iter().map(String::as_str)).collect();
    stops(&scratch, &words);
    assert_eq!(operation(&scratch).0, "applying mails, step 1 of 2");
}

#[test]
fn cherry_picks_and_reverts_say_what_is_to_come() {
    let Some(scratch) = diverged() else { return };
    stops(&scratch, &["cherry-pick", "topic~2..topic"]);
    let commit = scratch.git(&["rev-parse", "topic~1"]);
    let (said, ours, theirs) = operation(&scratch);
    assert_eq!(said, format!("cherry-picking {}, 1 more to come", &commit[..9]));
    assert_eq!((ours.as_str(), theirs), ("main", format!("{} (change 1)", &commit[..9])));
    scratch.git(&["cherry-pick", "--abort"]);
    stops(&scratch, &["revert", "topic~1"]);
    assert_eq!(operation(&scratch).0, format!("reverting {}", &commit[..9]));
    assert_eq!(operation(&scratch).2, format!("what was before {} (change 1)", &commit[..9]));
    scratch.git(&["revert", "--abort"]);
    scratch.git(&["bisect", "start"]);
    assert_eq!(operation(&scratch).0, "bisecting");
}

#[test]
fn a_conflict_is_resolved_by_what_lies_on_disk_and_opened_again() {
    let found = conflict(
        |s| {
            s.write("a b", "1\n").write("gone", "1\n");
        },
        |s| {
            s.write("a b", "2\n").remove("gone");
        },
        |s| {
            s.write("a b", "3\n").write("gone", "3\n");
        },
    );
    let Some(scratch) = found else { return };
    let repo = scratch.repo();
    let paths = [RepoPath::from("a b"), RepoPath::from("gone")];
    let before = unmerged(&scratch);
    scratch.write("a b", "both\n").remove("gone");
    repo.mark_resolved(&[&paths[0], &paths[1]]).unwrap();
    assert_eq!(unmerged(&scratch), []);
    assert_eq!(scratch.git(&["status", "--porcelain"]), "M  \"a b\"\n");
    assert_eq!(scratch.git(&["show", ":a b"]), "both\n");
    repo.reopen_conflicts(&[&paths[0], &paths[1]]).unwrap();
    assert_eq!(unmerged(&scratch), before);
    assert_eq!(fs::read_to_string(scratch.path().join("a b")).unwrap(), "both\n", "the disk stays as it is");
}

#[test]
fn a_version_is_taken_as_a_whole() {
    let found = conflict(
        |s| {
            s.write("bin", "1\0").write("kept", "1\n").write("gone", "1\n");
        },
        |s| {
            s.write("bin", "2\0").remove("gone").write("kept", "2\n");
        },
        |s| {
            s.write("bin", "3\0").write("gone", "3\n").remove("kept");
        },
    );
    let Some(scratch) = found else { return };
    let (repo, all) = (scratch.repo(), unmerged(&scratch));
    let [bin, gone, kept] = &all[..] else { panic!("three conflicts") };
    let on_disk = |path: &str| fs::read(scratch.path().join(path)).ok();
    let before = ["bin", "gone", "kept"].map(on_disk);
    let replaced = [
        repo.take_version(bin, Version::Theirs).unwrap(),
        repo.take_version(gone, Version::Ours).unwrap(),
        repo.take_version(kept, Version::Ours).unwrap(),
    ];
    assert_eq!(unmerged(&scratch), []);
    assert_eq!(
        [on_disk("bin"), on_disk("gone"), on_disk("kept")],
        [Some(b"3\0".to_vec()), None, Some(b"2\n".to_vec())]
    );
    assert_eq!(scratch.git(&["status", "--porcelain"]), "M  bin\n");
    for replaced in &replaced {
        repo.put_back(replaced).unwrap();
    }
    assert_eq!((unmerged(&scratch), ["bin", "gone", "kept"].map(on_disk)), (all.clone(), before));
}
