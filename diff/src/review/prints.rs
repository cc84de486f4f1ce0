//! What a compared file is known by when its contents are gone: what its ticks hang on, and the traces of its changed
//! lines. Made where a file is compared, while both sides are at hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::content::SideContent;
use crate::engine::{Hunk, Whitespace};
use crate::generated::Generated;
use crate::git::{FileChange, Reader, Side};
use crate::lines::Content;
use crate::moves::{MAX_LINES, TraceKey, Traces};
use crate::notes::Note;
use crate::ticks::{self, FileIds};

/// Larger binary files on disk are not hashed to be ticked: reading them takes longer than their panel is worth.
pub(super) const MAX_HASHED: u64 = 64 << 20;

/// What a compared file is known by.
#[derive(Clone, Debug, Default)]
pub struct Prints {
    /// What its ticks hang on; none if it cannot be ticked.
    pub ids: Option<FileIds>,
    /// Its changed lines, for finding moved blocks; none if there are too many in the review.
    pub traces: Option<Arc<Traces>>,
    /// Why nobody reads it line by line, if so.
    pub generated: Option<Generated>,
}

/// How traces of a review are made: with one key, and up to a sum of lines. Clones share both.
#[derive(Clone, Debug)]
pub struct Tracer {
    key: TraceKey,
    left: Arc<AtomicUsize>,
}

impl Default for Tracer {
    fn default() -> Self {
        Self::with(TraceKey::new(), 0)
    }
}

impl Tracer {
    /// Goes on with a key, when so many lines are traced.
    pub(super) fn with(key: TraceKey, lines: usize) -> Self {
        Self { key, left: Arc::new(AtomicUsize::new(MAX_LINES.saturating_sub(lines))) }
    }

    fn trace(&self, hunks: &[Hunk], old: &Content, new: &Content) -> Option<Arc<Traces>> {
        let lines: usize = hunks.iter().map(|hunk| hunk.old.len() + hunk.new.len()).sum();
        let take = |left: usize| left.checked_sub(lines);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()?;
        let line = |side, line| if side == Side::Old { old.line(line) } else { new.line(line) };
        Some(Arc::new(Traces::of(&self.key, hunks, line)))
    }
}

impl Prints {
    /// Of a file whose sides are lines, compared under a white-space mode.
    pub fn of_lines(
        change: &FileChange,
        (old, new): (&Content, &Content),
        hunks: &[Hunk],
        notes: &[Note],
        whitespace: Whitespace,
        tracer: &Tracer,
    ) -> Self {
        // Where a mode hides everything, what it hides is what was viewed.
        let contents: [&[u8]; 2] = if hunks.is_empty() { [old.bytes(), new.bytes()] } else { [b"", b""] };
        let head = ticks::head(change, notes, &contents, !hunks.is_empty());
        let ids = ticks::hunks(change, old, new, hunks);
        let ids = ids.map(|hunks| FileIds { head, hunks, ..FileIds::unread(change, whitespace) });
        Self { ids, traces: tracer.trace(hunks, old, new), generated: None }
    }

    /// Of a file that is not shown as lines.
    pub(super) fn of_note(
        change: &FileChange,
        (old, new): (&SideContent, &SideContent),
        notes: &[Note],
        reader: &mut Reader,
        whitespace: Whitespace,
    ) -> Self {
        let mut contents = Vec::new();
        for (side, content) in [(Side::Old, old), (Side::New, new)] {
            match content {
                SideContent::Missing => contents.push(Vec::new()),
                SideContent::Text(text) => contents.push(text.bytes.to_vec()),
                // The note of a submodule, and that of a link, names what it is.
                SideContent::Submodule { .. } | SideContent::Symlink { .. } => {}
                SideContent::Binary { size, id: None, .. } if *size > MAX_HASHED => return Self::default(),
                SideContent::Binary { id, .. } => {
                    let id = id.or_else(|| reader.hash(change, side).ok().flatten());
                    let Some(id) = id else { return Self::default() };
                    contents.push(id.as_bytes().to_vec());
                }
            }
        }
        let contents: Vec<&[u8]> = contents.iter().map(Vec::as_slice).collect();
        let head = ticks::head(change, notes, &contents, false);
        Self { ids: Some(FileIds { head, ..FileIds::unread(change, whitespace) }), ..Self::default() }
    }
}
