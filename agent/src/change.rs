//! What became of a file, as a patch and in numbers.

use diff::engine::{self, Options};
use diff::lines::Content;
use diff::patch::write::{WriteOptions, write_hunks};
use editor::Cancel;

use crate::event::{ChangeKind, FileChange};

impl FileChange {
    /// The change of a file from one text to another.
    pub fn between(path: &str, kind: ChangeKind, before: &str, after: &str) -> Self {
        let (patch, added, removed) = patch(before, after);
        Self { path: path.to_owned(), kind, added, removed, patch }
    }
}

/// A change as hunks of a patch, with the lines added and removed.
pub(crate) fn patch(before: &str, after: &str) -> (String, u32, u32) {
    let Ok((old, new)) = Content::pair(before.as_bytes(), after.as_bytes()) else { return (String::new(), 0, 0) };
    let Ok(script) = engine::compare(&old, &new, &Options::default(), &Cancel::new()) else {
        return (String::new(), 0, 0);
    };
    let mut out = Vec::new();
    write_hunks(&mut out, &old, &new, &script, &WriteOptions::default());
    let (removed, added) = script.counts();
    (String::from_utf8_lossy(&out).into_owned(), added as u32, removed as u32)
}
