//! Discarding: what the working tree holds afterwards, byte for byte, and that it all comes back.

use std::{fs, io::ErrorKind, os::unix::fs::PermissionsExt, os::unix::fs::symlink, path::Path};

use diff::{
    Cancel,
    source::Source,
    staging::{Chosen, DiscardError, Discarded, Pick, StagingError, What, discard},
};
use editor::file::{
    RealFs,
    fault::{Fault, FaultFs},
    is_temporary,
};

use super::scratch::Scratch;
use super::seen::{Seen, lines};

const HEAD: Source = Source::WorkingTree { against: None };

/// A file, a link or nothing, as tests state it: `644 bytes`, `-> target`.
fn state(s: &Scratch, path: &str) -> String {
    let full = s.path().join(path);
    let Ok(metadata) = fs::symlink_metadata(&full) else { return String::new() };
    if metadata.is_symlink() {
        return format!("-> {}", fs::read_link(&full).unwrap().display());
    }
    let bytes = fs::read(&full).unwrap();
    format!("{:o} {}", metadata.permissions().mode() & 0o777, String::from_utf8_lossy(&bytes))
}

fn discarded(seen: &Seen, what: What<'_>) -> Result<Discarded, DiscardError> {
    discard(&seen.comparison, &RealFs, &[Pick::new(&seen.change, what)], &Cancel::new())
}

/// Discards and checks the file at `path`; then that undoing brings back what there was.
#[track_caller]
fn check(s: &Scratch, seen: &Seen, what: What<'_>, path: &str, expected: &str) {
    let before = state(s, path);
    let done = discarded(seen, what).unwrap();
    assert_eq!(state(s, path), expected, "discarded");
    done.undo(&RealFs).unwrap();
    assert_eq!(state(s, path), before, "undone");
}

#[track_caller]
fn check_lines(s: &Scratch, path: &str, removed: &[u32], added: &[u32], expected: &str) {
    let seen = Seen::of(s, Source::Unstaged, path);
    let chosen = lines(removed, added);
    check(s, &seen, What::Parts { lines: Some((seen.shown(), &chosen)), mode: false }, path, expected);
}

fn executable(s: &Scratch, path: &str) {
    fs::set_permissions(s.path().join(path), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn chosen_lines_leave_the_file_and_come_back() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\nb\nc\nd\ne\n").commit().write("f", "A\nb\nC\nd\nE\nmore");
    check_lines(&s, "f", &[1], &[1], "644 a\nb\nC\nd\nE\nmore");
    check_lines(&s, "f", &[3, 5], &[3, 5, 6], "644 A\nb\nc\nd\ne\n");
    check_lines(&s, "f", &[3], &[], "644 A\nb\nc\nC\nd\nE\nmore");
}

#[test]
fn lines_that_are_staged_are_not_discarded() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\nb\n").commit().write("f", "A\nb\n");
    s.git(&["add", "f"]);
    s.write("f", "A\nB\n");
    check_lines(&s, "f", &[2], &[2], "644 A\nb\n");
    // With HEAD as the old side they are; the index stays.
    let seen = Seen::of(&s, HEAD, "f");
    check(&s, &seen, What::File, "f", "644 a\nb\n");
    assert_eq!(s.git(&["diff", "--cached", "--numstat"]), "1\t1\tf\n");
}

#[test]
fn line_endings_marks_and_encodings_stay_those_of_the_disk() {
    let Some(s) = Scratch::new() else { return };
    let utf16 = |text: &str| {
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect::<Vec<_>>()
    };
    s.write(".gitattributes", "crlf eol=crlf\nwide working-tree-encoding=UTF-16\n");
    s.write("crlf", "a\r\nb\r\n")
        .write("bom", "\u{feff}a\nb\n")
        .write("latin", b"\xe9\nb\n")
        .write("wide", utf16("é\nb\n"));
    s.commit();
    s.write("crlf", "A\r\nB\r\n")
        .write("bom", "\u{feff}a\nB\nc\n")
        .write("latin", b"\xe8\nB\n")
        .write("wide", utf16("è\nB\n"));
    check_lines(&s, "crlf", &[1], &[1], "644 a\r\nB\r\n");
    check_lines(&s, "bom", &[2], &[2], "644 \u{feff}a\nb\nc\n");
    let bytes = |path: &str| fs::read(s.path().join(path)).unwrap();
    for (path, expected) in [("latin", b"\xe9\nB\n".to_vec()), ("wide", utf16("é\nB\n"))] {
        let (seen, chosen, before) = (Seen::of(&s, Source::Unstaged, path), lines(&[1], &[1]), bytes(path));
        let done = discarded(&seen, What::Parts { lines: Some((seen.shown(), &chosen)), mode: false }).unwrap();
        assert_eq!(bytes(path), expected, "{path}");
        done.undo(&RealFs).unwrap();
        assert_eq!(bytes(path), before, "{path}");
    }
    for path in ["crlf", "wide"] {
        let done = discarded(&Seen::of(&s, Source::Unstaged, path), What::File).unwrap();
        assert_eq!(s.git(&["diff", "--numstat", path]), "", "{path}");
        done.undo(&RealFs).unwrap();
    }
}

#[test]
fn a_filter_checks_the_whole_file_out_and_forbids_parts() {
    let Some(s) = Scratch::new() else { return };
    s.write(".gitattributes", "*.up filter=upper\n");
    s.git(&["config", "filter.upper.clean", "tr a-z A-Z"]);
    s.git(&["config", "filter.upper.smudge", "tr A-Z a-z"]);
    s.write("f.up", "one\n").commit().write("f.up", "two\n");
    let seen = Seen::of(&s, Source::Unstaged, "f.up");
    check(&s, &seen, What::File, "f.up", "644 one\n");
    let chosen = lines(&[1], &[1]);
    let error = discarded(&seen, What::Parts { lines: Some((seen.shown(), &chosen)), mode: false }).unwrap_err();
    assert!(matches!(*error.source, StagingError::Filtered { .. }), "{error}");
}

#[test]
fn modes_are_discarded_with_the_file_or_alone() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\n").commit().write("f", "b\n");
    executable(&s, "f");
    let seen = Seen::of(&s, Source::Unstaged, "f");
    check(&s, &seen, What::File, "f", "644 a\n");
    check(&s, &seen, What::Parts { lines: None, mode: true }, "f", "644 b\n");
    check_lines(&s, "f", &[1], &[1], "755 a\n");
}

#[test]
fn deleted_files_come_back_whole_or_in_part() {
    let Some(s) = Scratch::new() else { return };
    s.write("deep/in/f", "a\nb\n");
    executable(&s, "deep/in/f");
    s.commit();
    fs::remove_dir_all(s.path().join("deep")).unwrap();
    let seen = Seen::of(&s, Source::Unstaged, "deep/in/f");
    check(&s, &seen, What::File, "deep/in/f", "755 a\nb\n");
    assert!(!s.path().join("deep").exists(), "folders that were made for it are gone with it");
    check_lines(&s, "deep/in/f", &[2], &[], "755 b\n");
}

#[test]
fn links_and_files_take_each_others_place() {
    let Some(s) = Scratch::new() else { return };
    s.write("target", "t\n").write("file", "f\n");
    symlink("target", s.path().join("link")).unwrap();
    s.commit().remove("file").remove("link");
    symlink("target", s.path().join("file")).unwrap();
    s.write("link", "l\n");
    check(&s, &Seen::of(&s, Source::Unstaged, "file"), What::File, "file", "644 f\n");
    check(&s, &Seen::of(&s, Source::Unstaged, "link"), What::File, "link", "-> target");
    assert_eq!(state(&s, "target"), "644 t\n");
    s.remove("link");
    symlink("elsewhere", s.path().join("link")).unwrap();
    check(&s, &Seen::of(&s, Source::Unstaged, "link"), What::File, "link", "-> target");
}

#[test]
fn a_moved_file_moves_back() {
    let Some(s) = Scratch::new() else { return };
    let content: String = (0..9).map(|line| format!("line {line}\n")).collect();
    s.write("old", &content).commit().remove("old").write("to/new", content.replace("line 1\n", "one\n"));
    let seen = Seen::renamed(&s, Source::Unstaged, "to/new");
    let done = discarded(&seen, What::File).unwrap();
    assert_eq!((state(&s, "old"), state(&s, "to/new")), (format!("644 {content}"), String::new()));
    assert!(!s.path().join("to").exists());
    assert_eq!(done.paths().map(ToString::to_string).collect::<Vec<_>>(), ["old", "to/new"]);
    done.undo(&RealFs).unwrap();
    assert_eq!(s.git(&["status", "--porcelain", "-uall"]), " D old\n?? to/new\n");
    let chosen = lines(&[2], &[2]);
    let parts = What::Parts { lines: Some((seen.shown(), &chosen)), mode: false };
    check(&s, &seen, parts, "to/new", &format!("644 {content}"));
}

#[test]
fn what_has_nothing_to_go_back_to_is_refused() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "f\n").commit().write("new", "n\n");
    let error = discarded(&Seen::of(&s, Source::Unstaged, "new"), What::File).unwrap_err();
    assert_eq!(error.to_string(), "new is new, and discarding it would leave nothing; move it to the trash");
    s.write("f", "g\n");
    s.git(&["add", "f"]);
    let error = discarded(&Seen::of(&s, Source::Staged, "f"), What::File).unwrap_err();
    assert!(matches!(*error.source, StagingError::NotHere { .. }), "{error}");
}

#[test]
fn a_path_through_a_link_is_not_written() {
    let Some(s) = Scratch::new() else { return };
    s.write("dir/f", "f\n").write("other/f", "theirs\n").commit();
    fs::remove_dir_all(s.path().join("dir")).unwrap();
    symlink("other", s.path().join("dir")).unwrap();
    let error = discarded(&Seen::of(&s, Source::Unstaged, "dir/f"), What::File).unwrap_err();
    assert_eq!(error.to_string(), "dir/f cannot be written: dir is not a folder");
    assert_eq!(state(&s, "other/f"), "644 theirs\n");
}

#[test]
fn what_changed_meanwhile_is_neither_discarded_nor_undone() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\n").write("g", "a\n").commit().write("f", "b\n").write("g", "b\n");
    let (f, g) = (Seen::of(&s, Source::Unstaged, "f"), Seen::of(&s, Source::Unstaged, "g"));
    s.write("f", "c\n");
    let chosen = lines(&[1], &[1]);
    let error = discarded(&f, What::Parts { lines: Some((f.shown(), &chosen)), mode: false }).unwrap_err();
    assert!(matches!(*error.source, StagingError::Changed { .. }), "{error}");
    let f = Seen::of(&s, Source::Unstaged, "f");
    let picks = [f.pick(What::File), g.pick(What::File)];
    let done = discard(&f.comparison, &RealFs, &picks, &Cancel::new()).unwrap();
    assert_eq!((state(&s, "f"), state(&s, "g"), done.memory()), ("644 a\n".to_owned(), "644 a\n".to_owned(), 4));
    // The last one that can be is undone; the other keeps what it became.
    s.write("f", "d\n");
    let left = done.undo(&RealFs).unwrap_err();
    assert_eq!((state(&s, "f"), state(&s, "g")), ("644 d\n".to_owned(), "644 b\n".to_owned()));
    assert_eq!(left.done.paths().map(ToString::to_string).collect::<Vec<_>>(), ["f"]);
    s.write("f", "a\n");
    left.done.undo(&RealFs).unwrap();
    assert_eq!(state(&s, "f"), "644 c\n");
}

/// Files of every kind, changed in every way.
fn changed_in_every_way() -> Option<Scratch> {
    let s = Scratch::new()?;
    s.write("edited", "a\n").write("gone/f", "g\n").write("moved", "m\nm\n").write("mode", "x\n").write("file", "f\n");
    symlink("one", s.path().join("link")).unwrap();
    symlink("one", s.path().join("other")).unwrap();
    s.commit().write("edited", "b\n").remove("gone/f").remove("moved").remove("file").remove("link").remove("other");
    fs::remove_dir(s.path().join("gone")).unwrap();
    s.write("to/there", "m\nm\n").write("link", "l\n");
    executable(&s, "mode");
    symlink("two", s.path().join("file")).unwrap();
    symlink("two", s.path().join("other")).unwrap();
    Some(s)
}

const WAYS: [&str; 8] = ["edited", "gone/f", "moved", "to/there", "mode", "file", "link", "other"];

#[test]
fn an_error_at_any_step_can_be_undone() {
    let Some(s) = changed_in_every_way() else { return };
    let states = || WAYS.map(|path| state(&s, path));
    let comparison = s.compare(Source::Unstaged);
    let changes = comparison.changes(&Cancel::new()).unwrap();
    let picks: Vec<_> = changes.iter().map(|change| Pick::new(change, What::File)).collect();
    let before = states();
    let fine = FaultFs::new(Fault::None);
    let done = discard(&comparison, &fine, &picks, &Cancel::new()).unwrap();
    assert_eq!(s.git(&["status", "--porcelain"]), "");
    let (steps, after) = (fine.steps().len(), states());
    done.undo(&RealFs).unwrap();
    assert_eq!(states(), before);
    let mut failed = 0;
    for at in 0..steps {
        let fault = FaultFs::new(Fault::Once { at, kind: ErrorKind::Other });
        match discard(&comparison, &fault, &picks, &Cancel::new()) {
            Ok(done) => {
                assert_eq!(states(), after, "step {at}");
                done.undo(&RealFs).unwrap();
            }
            Err(error) => {
                failed += 1;
                error.done.undo(&RealFs).unwrap();
            }
        }
        assert_eq!(states(), before, "step {at}: {}", fine.steps()[at]);
        let left = fs::read_dir(s.path()).unwrap().flatten();
        let left: Vec<_> = left.map(|entry| entry.file_name()).filter(|name| is_temporary(name)).collect();
        assert!(left.is_empty(), "step {at}: {left:?}");
    }
    assert!(failed > steps / 2, "{failed} of {steps} steps that failed were told");
}

#[test]
fn a_document_is_edited_where_the_file_would_be_written() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\nb\nc\n").commit().write("f", "A\nb\nC\n");
    let seen = Seen::of(&s, Source::Unstaged, "f");
    let rest = lines(&[3], &[3]).rest(&seen.hunks);
    let splices = seen.shown().splices(&rest, diff::git::Side::New);
    assert_eq!((splices.len(), splices[0].at.clone(), &splices[0].text[..]), (1, 4..6, &b"c\n"[..]));
    let nothing = Chosen::default().rest(&seen.hunks);
    assert_eq!(seen.shown().splices(&nothing, diff::git::Side::New), []);
}

#[test]
fn a_repository_below_a_link_is_discarded_in() {
    let Some(s) = Scratch::new() else { return };
    s.write("f", "a\n").commit().write("f", "b\n");
    let folder = tempfile::tempdir().unwrap();
    let link: &Path = &folder.path().join("link");
    symlink(s.path(), link).unwrap();
    let repo = diff::git::Repo::discover(link).unwrap();
    let comparison = diff::source::Comparison::of_repo(repo, Source::Unstaged, Vec::new()).unwrap();
    let changes = comparison.changes(&Cancel::new()).unwrap();
    let pick = Pick::new(&changes[0], What::File);
    discard(&comparison, &RealFs, &[pick], &Cancel::new()).unwrap();
    assert_eq!(state(&s, "f"), "644 a\n");
}

#[test]
fn lines_of_a_new_file_are_discarded_but_not_all_of_them() {
    let Some(s) = Scratch::new() else { return };
    s.write("other", "").commit().write("f", "a\nb\nc\n");
    let seen = Seen::of(&s, Source::WorkingTree { against: None }, "f");
    let middle = lines(&[], &[2]);
    discarded(&seen, What::Parts { lines: Some((seen.shown(), &middle)), mode: false }).unwrap();
    assert_eq!(state(&s, "f"), "644 a\nc\n");
    let seen = Seen::of(&s, Source::WorkingTree { against: None }, "f");
    let all = lines(&[], &[1, 2]);
    let refused = discarded(&seen, What::Parts { lines: Some((seen.shown(), &all)), mode: false }).unwrap_err();
    assert!(matches!(*refused.source, StagingError::New { .. }));
}
