//! Accepting changes piece by piece: what of two folders, or since a checkpoint, is still a change afterwards.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use diff::{
    Cancel,
    checkpoint::{Checkpoint, Kept},
    content::SideContent,
    engine::{Hunk, Options, compare},
    git::{FileChange, Mode, RepoPath, Side},
    lines::Content,
    source::Comparison,
    staging::{Chosen, Pick, Shown, StagingError, What},
};
use tempfile::TempDir;

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

fn folders(old: &TempDir, new: &TempDir) -> Comparison {
    Comparison::of_paths(old.path(), new.path()).unwrap()
}

/// A changed file as it is shown.
struct Seen {
    change: FileChange,
    old: Content,
    new: Content,
    hunks: Vec<Hunk>,
}

fn changes(comparison: &Comparison) -> Vec<FileChange> {
    comparison.changes(&Cancel::new()).unwrap()
}

/// What is still a change, as `letter path`.
fn listed(comparison: &Comparison) -> Vec<String> {
    changes(comparison).iter().map(|change| format!("{} {}", change.status.letter(), change.path)).collect()
}

fn see(comparison: &Comparison, path: &str) -> Seen {
    let change = changes(comparison).into_iter().find(|change| change.path.display() == path).unwrap();
    let mut reader = comparison.reader();
    let mut side = |side| match reader.read(&change, side).unwrap() {
        SideContent::Text(text) => text.content().unwrap(),
        _ => Content::default(),
    };
    let (old, new) = (side(Side::Old), side(Side::New));
    let hunks = compare(&old, &new, &Options::default(), &Cancel::new()).unwrap().hunks;
    Seen { change, old, new, hunks }
}

/// Accepts lines of a file, counted from 1.
fn accept(comparison: Comparison, path: &str, removed: &[u32], added: &[u32]) -> Result<Comparison, StagingError> {
    let seen = see(&comparison, path);
    let one = |&line: &u32| line - 1..line;
    let chosen = Chosen::new(removed.iter().map(one), added.iter().map(one));
    let shown = Shown { old: &seen.old, new: &seen.new, hunks: &seen.hunks };
    let pick = Pick::new(&seen.change, What::Parts { lines: Some((shown, &chosen)), mode: false });
    let kept = comparison.kept().accept(&comparison, &[pick], &Cancel::new())?;
    Ok(comparison.with_kept(kept))
}

fn accept_file(comparison: Comparison, path: &str) -> Comparison {
    let seen = see(&comparison, path);
    let kept = comparison.kept().accept(&comparison, &[Pick::new(&seen.change, What::File)], &Cancel::new()).unwrap();
    comparison.with_kept(kept)
}

fn old_text(comparison: &Comparison, path: &str) -> String {
    String::from_utf8(see(comparison, path).old.bytes().to_vec()).unwrap()
}

#[test]
fn accepted_lines_are_no_change_any_more_and_nothing_on_disk_is_another() {
    let (old, new) = (folder(&[("f", b"a\nb\nc\n")]), folder(&[("f", b"A\nb\nC\n")]));
    let comparison = accept(folders(&old, &new), "f", &[1], &[1]).unwrap();
    assert_eq!(old_text(&comparison, "f"), "A\nb\nc\n");
    let comparison = accept(comparison, "f", &[3], &[3]).unwrap();
    assert!(listed(&comparison).is_empty());
    assert_eq!(fs::read(old.path().join("f")).unwrap(), b"a\nb\nc\n");
    assert_eq!(fs::read(new.path().join("f")).unwrap(), b"A\nb\nC\n");
    // What is accepted is what it is compared with from now on.
    fs::write(new.path().join("f"), "a\nb\nC\n").unwrap();
    assert_eq!(old_text(&comparison, "f"), "A\nb\nC\n");
    fs::write(new.path().join("f"), "a\nb\nc\n").unwrap();
    assert_eq!(listed(&comparison), ["M f"], "as it was before anything was accepted");
}

#[test]
fn files_that_are_new_or_gone_are_accepted_whole() {
    let (old, new) = (folder(&[("gone", b"g\n")]), folder(&[("binary", b"\0\x01"), ("new", b"n")]));
    let comparison = folders(&old, &new);
    assert_eq!(listed(&comparison), ["A binary", "D gone", "A new"]);
    let comparison = accept_file(accept_file(comparison, "gone"), "binary");
    assert_eq!(listed(&comparison), ["A new"]);
    let comparison = accept(comparison, "new", &[], &[1]).unwrap();
    assert!(listed(&comparison).is_empty());
}

#[test]
fn lines_keep_their_bytes_in_whatever_encoding() {
    let (old, new) = (folder(&[("f", b"caf\xe9\r\nb\r\nc\r\n")]), folder(&[("f", b"caf\xe8\r\nb\r\nC\r\n")]));
    let comparison = accept(folders(&old, &new), "f", &[1], &[1]).unwrap();
    let Some(Kept::File { bytes, .. }) = comparison.kept().get(&RepoPath::new(b"f")) else { panic!("nothing is kept") };
    assert_eq!(&**bytes, b"caf\xe8\r\nb\r\nc\r\n");
}

#[test]
fn a_file_that_is_another_one_by_now_is_refused() {
    let (old, new) = (folder(&[("f", b"a\n")]), folder(&[("f", b"b\n")]));
    let comparison = folders(&old, &new);
    let seen = see(&comparison, "f");
    fs::write(new.path().join("f"), "c\n").unwrap();
    let chosen = Chosen::hunks(&seen.hunks);
    let shown = Shown { old: &seen.old, new: &seen.new, hunks: &seen.hunks };
    let pick = Pick::new(&seen.change, What::Parts { lines: Some((shown, &chosen)), mode: false });
    let refused = comparison.kept().accept(&comparison, &[pick], &Cancel::new());
    assert!(matches!(refused, Err(StagingError::Changed { .. })), "{refused:?}");
}

#[test]
fn files_are_compared_with_what_a_checkpoint_keeps_of_them() {
    let folder = folder(&[("changed", b"b\n"), ("made", b"m\n"), ("same", b"s\n"), ("elsewhere", b"e\n")]);
    let mut checkpoint = Checkpoint::default();
    let kept = |bytes: &[u8]| Kept::File { mode: Mode::File, bytes: Arc::from(bytes) };
    for (path, kept) in [
        ("changed", kept(b"a\n")),
        ("made", Kept::Nothing),
        ("same", kept(b"s\n")),
        ("gone", kept(b"g\n")),
        ("never", Kept::Nothing),
    ] {
        checkpoint.keep(RepoPath::from_path(Path::new(path)), kept);
    }
    checkpoint.keep(RepoPath::new(b"changed"), kept(b"later\n"));
    let comparison = Comparison::since(folder.path().to_owned(), "step 1".to_owned(), checkpoint);
    assert!(comparison.can_accept());
    assert_eq!(listed(&comparison), ["M changed", "D gone", "A made"]);
    assert_eq!(old_text(&comparison, "changed"), "a\n", "what it was before it was changed first");
    let comparison = accept_file(accept_file(comparison, "made"), "gone");
    assert_eq!(listed(&comparison), ["M changed"]);
}
