//! Merges against all their parents: the text is git's, and a patch of that form is read.

use diff::{
    Cancel,
    combined::{CombineOptions, combine},
    engine::Whitespace,
    git::{CombinedContent, CombinedFile, Form, Reader, Repo},
    patch::{
        combined::{CombinedBody, CombinedHeader, write as write_combined},
        parse,
    },
};

use super::random::{Three, cases, show, write};
use super::scratch::{Scratch, command};

/// What we print of the files of a merge.
fn printed(reader: &mut Reader, files: &[CombinedFile], options: &CombineOptions) -> Vec<u8> {
    let mut out = Vec::new();
    for file in files {
        let parents: Vec<_> = file.parents.iter().map(|parent| parent.blob.as_ref()).collect();
        let id = |blob: Option<&diff::git::Blob>| {
            blob.and_then(diff::git::Blob::id).map_or_else(|| "0".repeat(40), |id| id.to_string())
        };
        let ids: Vec<_> = parents.iter().map(|blob| id(*blob)).collect();
        let result_id = id(file.result.as_ref());
        let header = CombinedHeader {
            path: file.path.as_bytes(),
            dense: options.dense,
            ids: Some((ids.iter().map(String::as_str).collect(), &result_id)),
            parent_modes: parents.iter().map(|blob| blob.map(|blob| blob.mode.bits())).collect(),
            mode: file.result.as_ref().map(|blob| blob.mode.bits()),
        };
        match reader.read_combined(file).unwrap() {
            CombinedContent::Text { parents, result } => {
                let hunks = combine(&parents, &result, options, &Cancel::new()).unwrap();
                if !hunks.is_empty() || file.mode_differs() {
                    write_combined(&mut out, &header, CombinedBody::Hunks(&hunks));
                }
            }
            CombinedContent::Binary => write_combined(&mut out, &header, CombinedBody::Binary),
        }
    }
    out
}

fn of_commit(repo: &Repo, commit: &str, options: &CombineOptions, renames: bool) -> Vec<u8> {
    let files = repo.combined_files(commit, &[], renames, &Cancel::new()).unwrap();
    printed(&mut repo.reader().with_form(Form::Stored), &files, options)
}

#[track_caller]
fn same_text(ours: &[u8], git: &[u8]) {
    if ours == git {
        return;
    }
    let first = ours.iter().zip(git).take_while(|(a, b)| a == b).count();
    let around = |text: &[u8]| show(&text[first.saturating_sub(600)..text.len().min(first + 300)]);
    panic!("the text differs at {first}\n--- ours\n{}\n--- git's\n{}", around(ours), around(git));
}

/// Commits whose files are random cases, merged into a result that is partly one parent, partly another, partly neither.
fn merged(parents: usize) -> Option<(Scratch, String)> {
    let scratch = Scratch::new()?;
    let cases = cases(120);
    let mut commits = Vec::new();
    let sides: [fn(&Three) -> &[u8]; 3] = [|case| &case.ours, |case| &case.theirs, |case| &case.base];
    for side in &sides[..parents] {
        write(scratch.path(), &cases, side);
        scratch.git(&["add", "-A"]);
        let tree = scratch.git(&["write-tree"]);
        commits.push(scratch.git(&["commit-tree", "-m", "side", tree.trim()]).trim().to_owned());
    }
    let results: Vec<_> = cases
        .iter()
        .enumerate()
        .map(|(at, case)| {
            let half = |text: &[u8], back: bool| {
                let middle = text[..text.len() / 2].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
                if back { text[middle..].to_vec() } else { text[..middle].to_vec() }
            };
            match at % 4 {
                0 => case.base.clone(),
                1 => [half(&case.ours, false), half(&case.theirs, true)].concat(),
                2 => [half(&case.base, false), b"evil\n".to_vec(), half(&case.ours, true)].concat(),
                _ => [half(&case.theirs, false), half(&case.base, true), b"more\n".to_vec()].concat(),
            }
        })
        .map(|text| Three { base: text, ours: Vec::new(), theirs: Vec::new() })
        .collect();
    write(scratch.path(), &results, |case| &case.base);
    scratch.git(&["add", "-A"]);
    let tree = scratch.git(&["write-tree"]);
    let mut words = vec!["commit-tree", "-m", "merge", tree.trim()];
    for commit in &commits {
        words.extend(["-p", commit]);
    }
    let commit = scratch.git(&words).trim().to_owned();
    Some((scratch, commit))
}

#[test]
fn case_41_merges_are_shown_as_git_shows_them() {
    for parents in [2, 3] {
        let Some((scratch, commit)) = merged(parents) else { return };
        for (dense, word) in [(true, "--cc"), (false, "-c")] {
            for (context, whitespace, whitespace_word) in [
                (3, Whitespace::Exact, "-U3"),
                (1, Whitespace::Exact, "-U1"),
                (10, Whitespace::Exact, "-U10"),
                (3, Whitespace::IgnoreCr, "--ignore-cr-at-eol"),
                (3, Whitespace::IgnoreAmount, "-b"),
                (3, Whitespace::IgnoreAll, "-w"),
            ] {
                let words =
                    ["diff-tree", "-p", word, "--full-index", "--no-commit-id", "--text", whitespace_word, &commit];
                let expected = scratch.git_bytes(&words);
                let options = CombineOptions { dense, context, whitespace };
                let printed = of_commit(&scratch.repo(), &commit, &options, false);
                assert!(expected.len() > 10_000, "the cases are too tame");
                same_text(&printed, &expected);
                numbers_are_right(&expected);
            }
        }
    }
}

/// Every line of every hunk has the numbers that its header says, and what is read is what is written.
fn numbers_are_right(patch: &[u8]) {
    let parsed = parse(patch).unwrap();
    let mut hunks = 0;
    for file in &parsed.files {
        assert!(file.combined && file.hunks.is_empty());
        for hunk in &file.combined_hunks {
            let results: Vec<_> = hunk.numbered().filter_map(|(numbers, _)| numbers.result).collect();
            assert!(results.iter().copied().eq(hunk.result.clone()), "{hunk:?}");
            for (parent, lines) in hunk.parents.iter().enumerate() {
                let numbers: Vec<_> = hunk.numbered().filter_map(|(numbers, _)| numbers.parents[parent]).collect();
                assert!(numbers.iter().copied().eq(lines.clone().take(numbers.len())), "{hunk:?}");
            }
            let mut again = Vec::new();
            diff::patch::combined::write_hunk(&mut again, hunk);
            assert!(memchr::memmem::find(patch, &again).is_some(), "{}", show(&again));
            hunks += 1;
        }
    }
    assert!(hunks > 10);
}

#[test]
fn case_42_a_merge_shows_just_what_was_done_by_hand() {
    let Some(scratch) = Scratch::new() else { return };
    let text =
        |first: &str, middle: &str, last: &str| format!("{first}\n1\n2\n3\n4\n5\n{middle}\n6\n7\n8\n9\n{last}\n");
    scratch.write("a", text("a", "b", "c")).write("quiet", "1\n").commit();
    scratch.git(&["checkout", "-q", "-b", "topic"]);
    scratch.write("a", text("a", "b", "theirs")).commit();
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write("a", text("ours", "b", "c")).write("quiet", "2\n").commit();
    scratch.git(&["merge", "-q", "--no-commit", "topic"]);
    scratch.write("a", text("ours", "by hand", "theirs")).commit();
    let printed = show(&of_commit(&scratch.repo(), "HEAD", &CombineOptions::default(), false));
    let hunk = &printed[printed.find("@@@").unwrap()..];
    assert_eq!(hunk, "@@@ -4,7 -4,7 +4,7 @@@ our\n  3\n  4\n  5\n--b\n++by hand\n  6\n  7\n  8\n");
    assert_eq!(printed.matches("diff --cc").count(), 1, "{printed}");
}

#[test]
fn added_deleted_renamed_and_other_files_of_a_merge_are_shown_as_git_shows_them() {
    let Some(scratch) = Scratch::new() else { return };
    let long: String = (0..30).map(|line| format!("line {line}\n")).collect();
    scratch
        .write("moved", &long)
        .write("gone", "1\n")
        .write("mode", "1\n")
        .write("bin", "1\0")
        .write("link", "x")
        .commit();
    scratch.git(&["checkout", "-q", "-b", "topic"]);
    scratch.write("moved", long.replace("line 3\n", "theirs\n")).write("bin", "2\0").commit();
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write("moved", long.replace("line 20\n", "ours\n")).write("bin", "3\0").commit();
    scratch.git(&["merge", "-q", "-s", "ours", "--no-commit", "topic"]);
    scratch.git(&["mv", "moved", "Aufträge"]);
    scratch.write("Aufträge", long.replace("line 20\n", "both\n").replace("line 3\n", "theirs\n"));
    scratch.write("new", "new\nfile\n").write("bin", "4\0").remove("gone").remove("link");
    std::os::unix::fs::symlink("target", scratch.path().join("link")).unwrap();
    std::fs::set_permissions(scratch.path().join("mode"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    scratch.commit();
    for (renames, word) in [(false, "--no-renames"), (true, "-M")] {
        let words = ["-c", "core.quotePath=true", "show", "--cc", "--format=", "--full-index", word, "HEAD"];
        let expected = command(scratch.path()).args(words).output().unwrap().stdout;
        let expected = expected.strip_prefix(b"\n").unwrap_or(&expected);
        let printed = of_commit(&scratch.repo(), "HEAD", &CombineOptions::default(), renames);
        same_text(&printed, expected);
    }
}

#[test]
fn a_conflict_on_disk_is_shown_against_both_sides() {
    let Some(scratch) = Scratch::new() else { return };
    scratch.write("a", "1\n2\n3\n").commit();
    scratch.git(&["checkout", "-q", "-b", "topic"]);
    scratch.write("a", "1\ntheirs\n3\n").commit();
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write("a", "1\nours\n3\n").commit();
    assert!(!command(scratch.path()).args(["merge", "-q", "topic"]).status().unwrap().success());
    let files = scratch.repo().combined_unmerged(&[], &Cancel::new()).unwrap();
    let printed = printed(&mut scratch.reader().with_form(Form::Stored), &files, &CombineOptions::default());
    same_text(&printed, &scratch.git_bytes(&["diff", "--full-index"]));
    assert!(show(&printed).contains("++<<<<<<< HEAD\n +ours\n++=======\n+ theirs\n++>>>>>>> topic\n"));
}
