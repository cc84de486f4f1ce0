//! What is printed: counts as git's, patches that git applies, JSON that holds both sides.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use diff::{Cancel, export, git::Side, notes, source::Comparison};
use proptest::prelude::*;

use super::scratch::{Scratch, command};

fn print(comparison: &Comparison, how: &str) -> Vec<u8> {
    let cancel = Cancel::new();
    let changes = comparison.changes(&cancel).unwrap();
    let mut out = Vec::new();
    match how {
        "stat" => export::stat(comparison, &changes, 80, &mut out, &cancel),
        "numstat" => export::numstat(comparison, &changes, &mut out, &cancel),
        "patch" => export::patch(comparison, &changes, &mut out, &cancel),
        _ => export::json(comparison, &changes, &mut out, &cancel),
    }
    .unwrap();
    out
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// Applies our patch to the old commit's tree and compares the outcome with the new commit's.
fn check_applies(s: &Scratch, words: &[&str]) {
    let patch = print(&s.parse(words).unwrap(), "patch");
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), &patch).unwrap();
    s.git(&["read-tree", "HEAD~"]);
    if !patch.is_empty() {
        s.git(&["apply", "--cached", "--whitespace=nowarn", file.path().to_str().unwrap()]);
    }
    let (ours, theirs) = (s.git(&["write-tree"]), s.git(&["rev-parse", "HEAD^{tree}"]));
    s.git(&["read-tree", "HEAD"]);
    assert_eq!(ours, theirs, "{}", String::from_utf8_lossy(&patch));
}

fn varied(s: &Scratch) {
    let lines = |n: usize| (0..n).map(|line| format!("line {line}\n")).collect::<String>();
    s.write("edited", lines(50))
        .write("gone", lines(5))
        .write("moved/from here", lines(30))
        .write("no newline", "a\nb");
    s.write("mode", "m\n")
        .write("both", "m\n")
        .write("empty gone", "")
        .write("link", "not yet\n")
        .write("crlf", "a\r\nb\r\n");
    s.write("Aufträge/本.md", "a\n").write("quo\"te", "a\n").commit();
    s.write(
        "edited",
        lines(50).replace("line 7\n", "line seven\n").replace("line 30\n", "").replace("line 40\n", "line 40\nnew\n"),
    );
    s.write("no newline", "a\nb\nc\n")
        .write("both", "n\n")
        .write("crlf", "a\nb\n")
        .write("new file", lines(3))
        .write("empty new", "");
    s.write("Aufträge/本.md", "b\n").write("quo\"te", "b\n").remove("gone").remove("empty gone").remove("link");
    for path in ["mode", "both"] {
        fs::set_permissions(s.path().join(path), fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::create_dir_all(s.path().join("moved/to")).unwrap();
    fs::rename(s.path().join("moved/from here"), s.path().join("moved/to/there")).unwrap();
    std::os::unix::fs::symlink("edited", s.path().join("link")).unwrap();
    s.commit();
}

#[test]
fn git_applies_our_patch_of_every_kind_of_change() {
    let Some(s) = Scratch::new() else { return };
    varied(&s);
    check_applies(&s, &["HEAD~..HEAD"]);
}

#[test]
fn case_1_a_newline_at_the_end_is_one_changed_line() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "Hello").commit().write("a", "Hello\n").commit();
    let patch = text(print(&s.parse(&["HEAD~..HEAD"]).unwrap(), "patch"));
    assert!(patch.ends_with("@@ -1 +1 @@\n-Hello\n\\ No newline at end of file\n+Hello\n"), "{patch}");
    check_applies(&s, &["HEAD~..HEAD"]);
}

#[test]
fn case_10_a_mode_alone_is_a_patch_without_hunks() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "a\n").commit();
    fs::set_permissions(s.path().join("a"), fs::Permissions::from_mode(0o755)).unwrap();
    s.commit();
    let patch = text(print(&s.parse(&["HEAD~..HEAD"]).unwrap(), "patch"));
    assert_eq!(patch, "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n");
}

#[test]
fn counts_and_bars_are_those_of_git() {
    let Some(s) = Scratch::new() else { return };
    varied(&s);
    s.write("binary", b"\0\x01")
        .commit()
        .write("binary", b"\0\x01\x02")
        .write("a/very/long/path/that/has/to/be/cut/because/it/does/not/fit/file.rs", "x\n".repeat(900));
    s.commit();
    for range in ["HEAD~2..HEAD~", "HEAD~..HEAD", "HEAD~2..HEAD"] {
        let comparison = s.parse(&[range]).unwrap();
        let of_git = |how: &str| s.git(&["diff", "-M100%", how, range]);
        assert_eq!(text(print(&comparison, "numstat")), of_git("--numstat"), "{range}");
        assert_eq!(text(print(&comparison, "stat")), of_git("--stat=80"), "{range}");
    }
}

#[test]
fn the_working_tree_is_counted_as_git_counts_it() {
    let Some(s) = Scratch::new() else { return };
    s.write(".gitattributes", "*.txt text=auto\n").write("a.txt", "1\n2\n3\n").write("b", "1\n").commit();
    s.write("a.txt", "1\r\n2\r\nthree\r\n").write("b", "1\n2\n");
    s.git(&["add", "b"]);
    let comparison = s.parse(&[]).unwrap();
    assert_eq!(text(print(&comparison, "numstat")), s.git(&["diff", "HEAD", "--numstat"]));
    assert_eq!(text(print(&comparison, "stat")), s.git(&["diff", "HEAD", "--stat=80"]));
}

#[test]
fn a_large_change_is_counted_as_git_counts_it() {
    let Some(s) = Scratch::new() else { return };
    for file in 0..300 {
        let lines = |edit: usize| {
            (0..60)
                .map(|line| format!("{} {line}\n", if line % 9 == edit { "changed" } else { "same" }))
                .collect::<String>()
        };
        s.write(&format!("d{}/f{file}", file % 7), lines(100));
    }
    s.commit();
    for file in (0..300).step_by(2) {
        let lines = (0..60)
            .map(|line| format!("{} {line}\n", if line % 9 == file % 9 { "changed" } else { "same" }))
            .collect::<String>();
        s.write(&format!("d{}/f{file}", file % 7), lines);
    }
    s.commit();
    let comparison = s.parse(&["HEAD~..HEAD"]).unwrap();
    assert_eq!(text(print(&comparison, "numstat")), s.git(&["diff", "--numstat", "HEAD~..HEAD"]));
    assert_eq!(text(print(&comparison, "stat")), s.git(&["diff", "--stat=80", "HEAD~..HEAD"]));
    check_applies(&s, &["HEAD~..HEAD"]);
}

#[test]
fn json_holds_both_sides_with_notes_and_spans() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "one\nlet x = 1;\nthree\n").write("bom", "b\n").commit();
    s.write("a", "one\nlet y = 1;\nthree").write("bom", "\u{feff}b\n").write("new", b"caf\xe9\n");
    let json: serde_json::Value = serde_json::from_slice(&print(&s.parse(&[]).unwrap(), "json")).unwrap();
    let files = json["files"].as_array().unwrap();
    let names: Vec<_> =
        files.iter().map(|file| (file["path"].as_str().unwrap(), file["status"].as_str().unwrap())).collect();
    assert_eq!(names, [("a", "modified"), ("bom", "modified"), ("new", "untracked")]);
    assert_eq!(files[0]["notes"], serde_json::json!(["final-newline"]));
    assert_eq!(
        files[0]["hunks"],
        serde_json::json!([{ "old_start": 1, "old_lines": 3, "new_start": 1, "new_lines": 3, "lines": [
            { "kind": "context", "old": 1, "new": 1, "text": "one", "spans": [] },
            { "kind": "remove", "old": 2, "text": "let x = 1;", "spans": [[4, 5]] },
            { "kind": "remove", "old": 3, "text": "three", "spans": [] },
            { "kind": "add", "new": 2, "text": "let y = 1;", "spans": [[4, 5]] },
            { "kind": "add", "new": 3, "text": "three", "no_newline": true, "spans": [] },
        ]}])
    );
    assert_eq!(files[1]["notes"], serde_json::json!(["bom"]));
    assert_eq!(
        (&files[2]["encoding"], &files[2]["old_mode"]),
        (&serde_json::json!("windows-1252"), &serde_json::Value::Null)
    );
    assert_eq!(files[2]["hunks"][0]["lines"][0]["text"], "café");
}

#[test]
fn an_empty_comparison_prints_an_empty_list() {
    let Some(s) = Scratch::new() else { return };
    s.write("a", "a\n").commit();
    let comparison = s.parse(&[]).unwrap();
    assert_eq!(text(print(&comparison, "json")), "{\"files\":[]}\n");
    assert_eq!(text(print(&comparison, "patch")), "");
}

#[test]
fn cases_5_10_15_17_32_notes_name_what_is_not_lines() {
    let Some(inner) = Scratch::new() else { return };
    inner.write("f", "1\n").commit();
    let Some(s) = Scratch::new() else { return };
    s.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.path().to_str().unwrap(), "sub"]);
    s.write("endings", "a\r\nb\r\n").write("indent", "a\nb\n").write("empty", "").write("mode", "run\n").commit();
    fs::set_permissions(s.path().join("mode"), fs::Permissions::from_mode(0o755)).unwrap();
    s.write("endings", "a\nb\n").write("indent", "  a\nb\n").write("sub/f", "2\n").remove("empty");
    let mut reader = s.reader();
    let found: Vec<String> = s
        .changes(&[])
        .iter()
        .map(|change| {
            let (old, new) = (reader.read(change, Side::Old).unwrap(), reader.read(change, Side::New).unwrap());
            let notes = notes::of(change, &old, &new);
            format!("{}: {}", change.path, notes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
        })
        .collect();
    let id = inner.git(&["rev-parse", "HEAD"])[..9].to_owned();
    assert_eq!(
        found,
        [
            "empty: empty file deleted".to_owned(),
            "endings: line endings CRLF → LF".to_owned(),
            "indent: white space only".to_owned(),
            "mode: 100644 → 100755".to_owned(),
            format!("sub: submodule {id} → {id}-dirty"),
        ]
    );
    assert_eq!(text(print(&s.parse(&[]).unwrap(), "numstat")), s.git(&["diff", "HEAD", "--numstat"]));
}

#[test]
fn case_45_a_patch_of_two_files_names_the_null_device() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("added");
    fs::write(&file, "a\n").unwrap();
    let patch = text(print(&Comparison::of_paths(Path::new("/dev/null"), &file).unwrap(), "patch"));
    assert!(patch.contains("\n--- /dev/null\n+++ b/") && patch.ends_with("@@ -0,0 +1 @@\n+a\n"), "{patch}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn git_applies_our_patch_of_any_change(
        old in proptest::collection::vec("(a|b|c|\r|é){0,2}\n", 0..12),
        new in proptest::collection::vec("(a|b|c|\r|é){0,2}\n", 0..12),
        cut_old: bool,
        cut_new: bool,
    ) {
        let Some(s) = Scratch::new() else { return Ok(()) };
        let file = |lines: &[String], cut: bool| {
            let text = lines.concat();
            if cut { text.trim_end_matches('\n').to_owned() } else { text }
        };
        s.write("same", "s\n").write("a", file(&old, cut_old)).commit();
        s.write("a", file(&new, cut_new)).commit();
        check_applies(&s, &["HEAD~..HEAD"]);
        let comparison = s.parse(&["HEAD~..HEAD"]).unwrap();
        prop_assert_eq!(print(&comparison, "patch").is_empty(), s.git(&["diff", "HEAD~..HEAD"]).is_empty());
    }
}

#[test]
fn git_is_asked_in_a_clean_environment() {
    let Some(s) = Scratch::new() else { return };
    let output = command(s.path()).args(["config", "--show-origin", "--list"]).output().unwrap();
    let origins = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(origins.lines().all(|line| line.starts_with("file:.git/config")), "{origins}");
}
