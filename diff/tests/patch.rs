//! Patches we write, given to `git apply`; patches that tools write, given to us.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test that fails says so")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use diff::Cancel;
use diff::engine::{Options, compare};
use diff::lines::Content;
use diff::patch::parse::{LineKind, Problem};
use diff::patch::write::{Body, Header, Link, WriteOptions, write};
use diff::patch::{Patch, parse};
use proptest::prelude::*;

use round_trip::round_trip;

#[path = "../fuzz/round_trip.rs"]
mod round_trip;

fn content(text: impl AsRef<[u8]>) -> Content {
    Content::new(text.as_ref()).unwrap()
}

fn patch_of(header: &Header<'_>, old: &[u8], new: &[u8], context: u32) -> Vec<u8> {
    let (old, new) = (content(old), content(new));
    let script = compare(&old, &new, &Options::default(), &Cancel::new()).unwrap();
    let mut out = Vec::new();
    let body = Body::Text { old: &old, new: &new, script: &script };
    write(&mut out, header, body, &WriteOptions { context, functions: true });
    out
}

fn modified(path: &[u8]) -> Header<'_> {
    Header { old_path: Some(path), new_path: Some(path), ..Header::default() }
}

/// Whether git is there to ask; without it tests that need it are skipped, or fail where it must be there.
fn has_git() -> bool {
    let found = Command::new("git").arg("--version").stdout(Stdio::null()).status().is_ok();
    let strict = std::env::var("RECTO_TESTS_STRICT").is_ok_and(|value| value == "1");
    assert!(found || !strict, "git is not installed");
    if !found {
        eprintln!("skipped: git is not installed");
    }
    found
}

/// Runs git in `folder`, apart from the user's settings; what it said if it failed.
fn git(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git")
        .current_dir(folder)
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap())
        .output()
        .unwrap();
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Applies `patch` to a folder that holds `path` with `old`; what is at `new_path` then.
fn apply(path: &str, old: Option<&[u8]>, patch: &[u8], new_path: &str) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    if let Some(old) = old {
        let file = folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, old).unwrap();
    }
    fs::write(folder.path().join("the.patch"), patch).unwrap();
    if let Err(error) = git(folder.path(), &["apply", "--whitespace=nowarn", "the.patch"]) {
        panic!("{error}\n{}", String::from_utf8_lossy(patch));
    }
    fs::read(folder.path().join(new_path)).ok()
}

fn check_applies(old: &[u8], new: &[u8]) {
    let patch = patch_of(&modified(b"file.txt"), old, new, 3);
    if !patch.windows(2).any(|pair| pair == b"@@") {
        assert_eq!(old, new);
        return;
    }
    let applied = apply("file.txt", Some(old), &patch, "file.txt");
    assert!(applied.as_deref() == Some(new), "{}", String::from_utf8_lossy(&patch));
}

#[test]
fn git_applies_what_lines_there_may_be() {
    if !has_git() {
        return;
    }
    check_applies(b"Hello", b"Hello\n");
    check_applies(b"Hello\n", b"Hello");
    check_applies(b"a\nb", b"a\nc");
    check_applies(b"a\r\nb\r\n", b"a\r\nx\r\nb\r\n");
    check_applies(b"a\r\nb\r\n", b"a\nb\n");
    check_applies(b"a\rb\n", b"a\rc\n");
    check_applies(b"a\rb", b"a\rb\r");
    check_applies(b"\xff\xfe\nb\n", b"\xff\xfd\nb\n");
    check_applies(b"\n\n\n", b"\n\n");
    check_applies(b"a\n", b"\n");
    check_applies(b"x\n}", b"y\n}\n");
}

#[test]
fn the_mark_of_a_missing_newline_stands_by_its_line() {
    let patch = patch_of(&modified(b"f"), b"Hello", b"Hello\n", 3);
    let expected = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-Hello\n\\ No newline at end of file\n+Hello\n";
    assert_eq!(String::from_utf8(patch).unwrap(), expected);
}

#[test]
fn headers_count_as_git_counts() {
    let old: String = (1..=20).map(|line| format!("line {line}\n")).collect();
    let new = old.replace("line 7\n", "seven\n").replace("line 8\n", "");
    let patch = String::from_utf8(patch_of(&modified(b"f"), old.as_bytes(), new.as_bytes(), 3)).unwrap();
    assert!(patch.contains("\n@@ -4,8 +4,7 @@ line 3\n"), "{patch}");
    // Context that both ends of a short file cut: a line is not counted for what is not there.
    let old: String = (1..=10).map(|line| format!("line {line}\n")).collect();
    let new = old.replace("line 3\n", "three\n").replace("line 8\n", "eight\n");
    let patch = String::from_utf8(patch_of(&modified(b"f"), old.as_bytes(), new.as_bytes(), 3)).unwrap();
    assert!(patch.contains("\n@@ -1,10 +1,10 @@\n"), "{patch}");
    check_applies(old.as_bytes(), new.as_bytes());
    let patch = String::from_utf8(patch_of(&modified(b"f"), b"a\nb\n", b"a\nx\nb\n", 0)).unwrap();
    assert!(patch.contains("\n@@ -1,0 +2 @@"), "{patch}");
}

#[test]
fn the_patch_is_gits_own() {
    if !has_git() {
        return;
    }
    let old: String = (0..200).map(|line| format!("{}line {line}\n", "  ".repeat(line % 5))).collect();
    let mut lines: Vec<String> = old.split_inclusive('\n').map(str::to_owned).collect();
    for (at, text) in [(9, "nine\n"), (15, "fifteen\n"), (23, ""), (80, "a\nb\nc\n"), (199, "the end")] {
        lines[at] = text.to_owned();
    }
    let new = lines.concat();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("old"), &old).unwrap();
    fs::write(folder.path().join("new"), &new).unwrap();
    let output = Command::new("git")
        .current_dir(folder.path())
        .args(["diff", "--no-index", "old", "new"])
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    let hunks = |text: &[u8]| {
        let text = String::from_utf8_lossy(text).into_owned();
        text[text.find("@@").unwrap()..].to_owned()
    };
    let ours = patch_of(&modified(b"f"), old.as_bytes(), new.as_bytes(), 3);
    assert_eq!(hunks(&ours), hunks(&output.stdout));
}

#[test]
fn git_applies_paths_modes_renames_and_empty_files() {
    if !has_git() {
        return;
    }
    let path = "Aufträge/B — \"x\" y.md";
    let patch = patch_of(&modified(path.as_bytes()), b"a\n", b"b\n", 3);
    assert!(String::from_utf8_lossy(&patch).contains(r#""a/Auftr\303\244ge/B \342\200\224 \"x\" y.md""#));
    assert_eq!(apply(path, Some(b"a\n"), &patch, path).as_deref(), Some(&b"b\n"[..]));
    let patch = patch_of(&modified(b"with space"), b"a\n", b"b\n", 3);
    assert_eq!(apply("with space", Some(b"a\n"), &patch, "with space").as_deref(), Some(&b"b\n"[..]));

    let added = Header { new_path: Some(b"new"), new_mode: Some(0o100_644), ..Header::default() };
    assert_eq!(apply("x", None, &patch_of(&added, b"", b"a\nb", 3), "new").as_deref(), Some(&b"a\nb"[..]));
    assert_eq!(apply("x", None, &patch_of(&added, b"", b"", 3), "new").as_deref(), Some(&b""[..]));
    let deleted = Header { old_path: Some(b"old"), old_mode: Some(0o100_644), ..Header::default() };
    assert_eq!(apply("old", Some(b"a\n"), &patch_of(&deleted, b"a\n", b"", 3), "old"), None);
    assert_eq!(apply("old", Some(b""), &patch_of(&deleted, b"", b"", 3), "old"), None);

    let link = Some(Link::Rename { similarity: 50 });
    let renamed = Header { old_path: Some(b"a b"), new_path: Some(b"c"), link, ..Header::default() };
    assert_eq!(
        apply("a b", Some(b"1\n2\n"), &patch_of(&renamed, b"1\n2\n", b"1\n3\n", 3), "c").as_deref(),
        Some(&b"1\n3\n"[..])
    );
    assert_eq!(apply("a b", Some(b"1\n"), &patch_of(&renamed, b"1\n", b"1\n", 3), "c").as_deref(), Some(&b"1\n"[..]));

    let mode = Header { old_mode: Some(0o100_644), new_mode: Some(0o100_755), ..modified(b"run") };
    assert_eq!(apply("run", Some(b"x\n"), &patch_of(&mode, b"x\n", b"x\n", 3), "run").as_deref(), Some(&b"x\n"[..]));
}

#[test]
fn binary_is_said_and_not_shown() {
    let mut out = Vec::new();
    write(&mut out, &modified(b"p.png"), Body::Binary, &WriteOptions::default());
    assert_eq!(out, b"diff --git a/p.png b/p.png\nBinary files a/p.png and b/p.png differ\n");
    assert!(parse(&out).unwrap().files[0].binary);
}

/// The old and the new text of each hunk of the first file.
fn texts(patch: &Patch<'_>) -> Vec<(String, String)> {
    let side = |lines: &[diff::patch::parse::PatchLine<'_>], not: LineKind| {
        let text: Vec<u8> = lines.iter().filter(|line| line.kind != not).flat_map(|line| line.text).copied().collect();
        String::from_utf8_lossy(&text).into_owned()
    };
    let hunks = &patch.files[0].hunks;
    hunks.iter().map(|hunk| (side(&hunk.lines, LineKind::Added), side(&hunk.lines, LineKind::Removed))).collect()
}

#[test]
fn reads_bare_hunks_and_plain_diffs() {
    let bare = parse(b"@@ -1,2 +1,2 @@ fn main() {\n a\n-b\n+c\n").unwrap();
    assert_eq!(texts(&bare), [("a\nb\n".into(), "a\nc\n".into())]);
    assert_eq!((&bare.files[0].old_path, bare.files[0].hunks[0].section), (&None, &b"fn main() {"[..]));
    let plain = parse(b"--- old/x.c\t2024-01-01 00:00:00\n+++ new/x.c\t2024-01-02\n@@ -1 +1 @@\n-a\n+b\n").unwrap();
    assert_eq!(plain.files[0].old_path.as_deref(), Some(&b"old/x.c"[..]));
    assert_eq!(texts(&plain), [("a\n".into(), "b\n".into())]);
}

#[test]
fn a_patch_of_a_patch_is_one_patch() {
    let inner = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    let added: String = inner.lines().map(|line| format!("+{line}\n")).collect();
    let outer = format!("diff --git a/p b/p\nnew file mode 100644\n--- /dev/null\n+++ b/p\n@@ -0,0 +1,5 @@\n{added}");
    let patch = parse(outer.as_bytes()).unwrap();
    assert_eq!((patch.files.len(), patch.files[0].added), (1, true));
    assert_eq!(texts(&patch), [(String::new(), inner.to_owned())]);
    // Removing a line that begins with "-- " looks like a header, and is none.
    let sql = parse(b"--- a/q\n+++ b/q\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n x\n").unwrap();
    assert_eq!((sql.files.len(), texts(&sql)), (1, vec![("-- old\nx\n".into(), "++ new\nx\n".into())]));
}

#[test]
fn errors_name_their_line() {
    let check = |text: &[u8], line: usize, what: Problem| {
        let error = parse(text).unwrap_err();
        assert_eq!((error.line, error.what), (line, what));
    };
    check(b"hello\nworld\n", 1, Problem::Nothing);
    check(b"--- a\n+++ b\n@@ -x +1 @@\n", 3, Problem::HunkHeader);
    check(b"--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\n", 5, Problem::Truncated);
    check(b"--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\n?\n", 5, Problem::Sign);
    check(b"--- \"a\n+++ b\n", 1, Problem::Path);
    check(b"@@ -4294967295,9 +1 @@\n", 1, Problem::HunkHeader);
    assert!(parse(b"").unwrap().files.is_empty());
}

#[test]
fn the_fuzz_corpus_holds() {
    let corpus: [&[u8]; 8] = [
        b"",
        b"\n",
        b"a\nb\n\\ No newline at end of file\na\nb",
        b"--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n--- c\n+++ d\n",
        b"@@ -1 +1 @@@@ -1 +1 @@",
        b"\\\n\\\n\\\n\\",
        b"diff --git a/ b/\ndiff --git \"a\\",
        b"\xff\xfe\r\n\r\r\n\xff\r",
    ];
    corpus.into_iter().for_each(round_trip);
}

proptest! {
    #[test]
    fn patches_read_as_they_were_written(bytes in proptest::collection::vec(prop::sample::select(&b"ab\n\r \\+-@\xc3\xa4"[..]), 0..200)) {
        round_trip(&bytes);
    }

    #[test]
    fn nothing_makes_the_parser_panic(bytes in "(diff --git |diff --cc |@@@ -1,1 -1 \\+| @@@|--- |\\+\\+\\+ |@@ -1|,1 \\+| @@|a/|\"|\\\\|rename to |\n| |-|\\+|/dev/null|9|new file mode ){0,40}") {
        let _ = parse(bytes.as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn git_applies_any_patch(
        lines in proptest::collection::vec("[ab ]{0,3}(\r\n|\n|\r)", 0..60), edits in proptest::collection::vec((0usize..60, 0usize..3, "[abc\r]{0,3}\n?"), 0..6),
    ) {
        if has_git() {
            let mut edited = lines.clone();
            for (at, removed, inserted) in edits {
                let at = at.min(edited.len());
                let end = (at + removed).min(edited.len());
                edited.splice(at..end, [inserted]);
            }
            check_applies(lines.concat().as_bytes(), edited.concat().as_bytes());
        }
    }
}
