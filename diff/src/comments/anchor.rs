//! Which lines a comment is about, and the text it was made on.

use std::ops::Range;

use crate::git::{Pieces, RepoPath, Side};
use crate::lines::{Bytes, Content};
use crate::ticks::ContentId;

/// Lines that are remembered on either side of those commented on.
const CONTEXT: u32 = 3;
/// Bytes of the commented lines that are remembered; of longer ones the first.
const MAX_TEXT: usize = 64 << 10;
/// Larger texts are not kept as an origin; comments on them are found again by their lines and the lines around.
pub const MAX_ORIGIN: usize = 2 << 20;

/// Lines of one side of a file, and what they said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The path on that side.
    pub path: RepoPath,
    /// Which side.
    pub side: Side,
    /// Which lines of the origin, counted from 0. None at all is the file as a whole.
    pub lines: Range<u32>,
    /// What they said, each line with LF; of very long ones the first.
    pub text: Vec<u8>,
    /// The lines before.
    pub before: Vec<u8>,
    /// The lines behind.
    pub after: Vec<u8>,
    /// The text they are of; none of a very large one.
    pub origin: Option<ContentId>,
}

/// The text of a side as it was when a comment was made on it.
#[derive(Clone, Debug)]
pub struct Origin {
    /// What anchors call it.
    pub id: ContentId,
    /// The text.
    pub text: Bytes,
}

impl Anchor {
    /// An anchor at lines of a content, and its origin, which is to be stored with it.
    pub fn at(path: RepoPath, side: Side, content: &Content, lines: Range<u32>) -> (Self, Option<Origin>) {
        let end = lines.end.min(content.line_count());
        let lines = lines.start.min(end)..end;
        let origin = (content.len() <= MAX_ORIGIN).then(|| Origin::of(content.bytes())).flatten();
        let before = lines.start.saturating_sub(CONTEXT)..lines.start;
        let after = lines.end..lines.end.saturating_add(CONTEXT).min(content.line_count());
        let anchor = Self {
            path,
            side,
            text: remembered(content, lines.clone()),
            before: remembered(content, before),
            after: remembered(content, after),
            lines,
            origin: origin.as_ref().map(|origin| origin.id),
        };
        (anchor, origin)
    }

    /// An anchor at a file as a whole.
    pub fn of_file(path: RepoPath, side: Side) -> Self {
        let (lines, text, before, after) = Default::default();
        Self { path, side, lines, text, before, after, origin: None }
    }

    /// Whether it is about the file as a whole.
    pub fn is_file(&self) -> bool {
        self.lines.is_empty()
    }
}

impl Origin {
    fn of(text: &Bytes) -> Option<Self> {
        let mut pieces = Pieces::new("origin");
        pieces.add(text);
        Some(Self { id: ContentId::from_bytes(pieces.finish()?), text: text.clone() })
    }
}

/// The text of lines, each ending with LF alone: what a checkout does to line endings does not make it another.
fn remembered(content: &Content, lines: Range<u32>) -> Vec<u8> {
    let mut text = Vec::new();
    for line in lines {
        let line = content.line_text(line);
        if text.len() + line.len() >= MAX_TEXT {
            break;
        }
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    text
}

/// The lines of a remembered text.
pub(super) fn lines_of(text: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<_> = text.split(|&byte| byte == b'\n').collect();
    lines.pop(); // what stands behind the last LF
    lines
}
