//! What the fuzz target `patch` checks, and an ordinary test over the corpus of past failures: reading any bytes as a patch
//! does not panic, and a patch we write reads as what was meant.

use diff::Cancel;
use diff::engine::{Options, compare};
use diff::lines::Content;
use diff::patch::parse;
use diff::patch::parse::LineKind;
use diff::patch::write::{Body, Header, WriteOptions, write};

/// Cuts `bytes` into an old and a new side; panics if their patch does not read as what was meant.
pub fn round_trip(bytes: &[u8]) {
    let _ = parse(bytes);
    let middle = bytes.len() / 2;
    let (old, new) = (&bytes[..middle], &bytes[middle..]);
    let path = &bytes[..bytes.len().min(9)];
    let path = if path.is_empty() || path.contains(&0) { b"f" } else { path };
    let (old, new) = (Content::new(old).unwrap(), Content::new(new).unwrap());
    let script = compare(&old, &new, &Options::default(), &Cancel::new()).unwrap();
    let header = Header { old_path: Some(path), new_path: Some(path), ..Header::default() };
    let mut out = Vec::new();
    write(&mut out, &header, Body::Text { old: &old, new: &new, script: &script }, &WriteOptions::default());
    let patch = parse(&out).unwrap();
    assert_eq!(patch.files.len(), 1);
    if script.hunks.is_empty() {
        assert!(**old.bytes() == **new.bytes());
        return;
    }
    assert_eq!(patch.files[0].new_path.as_deref(), Some(path));
    let (mut at, mut text) = (0, Vec::new());
    for hunk in &patch.files[0].hunks {
        text.extend_from_slice(old.lines(at..hunk.old.start));
        for line in &hunk.lines {
            if line.kind != LineKind::Added {
                assert_eq!(old.line(at.max(hunk.old.start)), line.text);
                at = at.max(hunk.old.start) + 1;
            }
            if line.kind != LineKind::Removed {
                text.extend_from_slice(line.text);
            }
        }
        at = hunk.old.end;
    }
    text.extend_from_slice(old.lines(at..old.line_count()));
    assert!(text == **new.bytes(), "{}", String::from_utf8_lossy(&out));
}
