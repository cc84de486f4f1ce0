//! Places of comments in a document that is being edited.
//!
//! A *pin* is a range of bytes that goes through each change set, as selections do. It is right while one types, and
//! cheap; when the document rests, [`place`](super::place()) finds out anew, from what the lines said.

use std::ops::Range;

use editor::change::{Bias, ChangeSet};
use editor::text::Text;

use super::{How, Id, Placement};

/// The place of one comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Its thread.
    pub thread: Id,
    at: At,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum At {
    File,
    /// Whole lines, when it was pinned: from the first byte to behind the last line's ending.
    Lines {
        bytes: Range<usize>,
        how: How,
    },
    Gone(usize),
}

impl Pin {
    fn new(thread: Id, placement: &Placement, text: &Text) -> Self {
        let start = |line: u32| if line > text.last_line() { text.len() } else { text.line_start(line) };
        let at = match placement {
            Placement::File => At::File,
            Placement::At { lines, how } => At::Lines { bytes: start(lines.start)..start(lines.end), how: *how },
            Placement::Stale { near } => At::Gone(start(*near)),
        };
        Self { thread, at }
    }

    fn edit(&mut self, changes: &ChangeSet) {
        self.at = match &self.at {
            At::File => At::File,
            At::Gone(at) => At::Gone(changes.map(*at, Bias::Before)),
            At::Lines { bytes, how } => {
                let mapped = changes.map_range(bytes.clone());
                if mapped.is_empty() {
                    At::Gone(mapped.start)
                } else {
                    let is_touched = |edit: editor::Edit<'_>| edit.old.start < bytes.end && edit.old.end > bytes.start;
                    let how = match how {
                        How::Edited => How::Edited,
                        _ if changes.edits().any(is_touched) => How::Edited,
                        _ if mapped != *bytes => How::Moved,
                        how => *how,
                    };
                    At::Lines { bytes: mapped, how }
                }
            }
        };
    }

    /// Where its lines are in the document as it is after the last edit.
    pub fn placement(&self, text: &Text) -> Placement {
        match &self.at {
            At::File => Placement::File,
            At::Gone(at) => Placement::Stale { near: text.line_of(*at) },
            At::Lines { bytes, how } => {
                Placement::At { lines: text.line_of(bytes.start)..text.line_of(bytes.end - 1) + 1, how: *how }
            }
        }
    }
}

/// The places of all comments on a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pins(Vec<Pin>);

impl Pins {
    /// Pins comments where they are in `text`.
    pub fn new<'p>(text: &Text, placements: impl IntoIterator<Item = (Id, &'p Placement)>) -> Self {
        Self(placements.into_iter().map(|(thread, placement)| Pin::new(thread, placement, text)).collect())
    }

    /// All of them.
    pub fn all(&self) -> &[Pin] {
        &self.0
    }

    /// Follows a change of the document. O(log edits) a comment.
    pub fn edit(&mut self, changes: &ChangeSet) {
        self.0.iter_mut().for_each(|pin| pin.edit(changes));
    }
}
