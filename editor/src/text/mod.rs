//! Text as an immutable snapshot that is cheap to clone, over a rope.
//!
//! An *offset* is a byte offset and stands on a `char` boundary wherever one is taken as input, unless the function
//! says that it rounds. A *line* ends at LF only, as git counts; a CR before the LF is part of the text but not of
//! [`Text::line`]. A final LF is followed by a last, empty line, so there is always at least one line.
//!
//! Invariants: no type of the rope library leaves this module; every function but the whole-text ones costs
//! O(log n) plus what it returns, however long a line is. Offsets past the end are clamped, never a panic.

mod columns;
mod grapheme;
mod long_line;
mod wrap;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use ropey::{LineType, Rope};

pub use columns::Columns;
pub use wrap::{Piece, Wrapped};

const LF: LineType = LineType::LF;

/// An immutable text; clones share their contents.
#[derive(Clone, Default)]
pub struct Text {
    rope: Rope,
}

/// The spaces and tabs that a line starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineIndent {
    /// The line, counted from 0.
    pub line: u32,
    /// Where the line starts.
    pub start: usize,
    /// Where its first other character is, or its end.
    pub end: usize,
    /// Whether it has no other character.
    pub blank: bool,
}

impl Text {
    /// The empty text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Length in bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.rope.len()
    }

    /// Whether there is no text at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many lines there are; at least one, and one more after a final LF.
    pub fn line_count(&self) -> u32 {
        self.rope.len_lines(LF) as u32
    }

    /// The last line, counted from 0.
    pub fn last_line(&self) -> u32 {
        self.line_count() - 1
    }

    /// Where `line` starts; past the last line, the end of the text.
    pub fn line_start(&self, line: u32) -> usize {
        if line >= self.line_count() { self.len() } else { self.rope.line_to_byte_idx(line as usize, LF) }
    }

    /// Where `line` ends, before its LF or CR LF.
    pub fn line_end(&self, line: u32) -> usize {
        let start = self.line_start(line);
        let end = self.line_end_full(line);
        match self.byte_before(end) {
            Some(b'\n') if end > start => match self.byte_before(end - 1) {
                Some(b'\r') if end - 1 > start => end - 2,
                _ => end - 1,
            },
            _ => end,
        }
    }

    /// Where `line` ends, after its line ending: the start of the next line, or the end of the text.
    pub fn line_end_full(&self, line: u32) -> usize {
        self.line_start(line.saturating_add(1))
    }

    /// The range of `line` without its line ending.
    pub fn line_range(&self, line: u32) -> Range<usize> {
        self.line_start(line)..self.line_end(line)
    }

    /// The line that `offset` is on.
    pub fn line_of(&self, offset: usize) -> u32 {
        self.rope.byte_to_line_idx(offset.min(self.len()), LF) as u32
    }

    /// The text of `line` without its ending; empty past the last line. Borrows when the line lies in one chunk.
    pub fn line(&self, line: u32) -> Cow<'_, str> {
        self.slice(self.line_range(line))
    }

    /// How the lines of a range are indented, read from one to the next: for what goes over very many lines, where finding
    /// each one anew costs ten times as much.
    pub fn indents(&self, lines: Range<u32>) -> impl Iterator<Item = LineIndent> + '_ {
        let first = lines.start.min(self.last_line());
        let count = lines.end.min(self.line_count()).saturating_sub(first);
        let mut start = self.line_start(first);
        self.rope.lines_at(first as usize, LF).zip(first..).take(count as usize).map(move |(content, line)| {
            let blanks = content.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let rest = content.get_byte(blanks);
            let blank = match rest {
                None | Some(b'\n') => true,
                Some(b'\r') => content.get_byte(blanks + 1) == Some(b'\n'),
                Some(_) => false,
            };
            let indent = LineIndent { line, start, end: start + blanks, blank };
            start += content.len();
            indent
        })
    }

    /// The text of `line` with its LF or CR LF, if it has one.
    pub fn line_full(&self, line: u32) -> Cow<'_, str> {
        self.slice(self.line_start(line)..self.line_end_full(line))
    }

    /// A part of the text; borrowed when it lies in one chunk. The range is clamped and rounded down to `char`s.
    pub fn slice(&self, range: Range<usize>) -> Cow<'_, str> {
        let mut chunks = self.chunks(range);
        let Some(first) = chunks.next() else { return Cow::Borrowed("") };
        let Some(second) = chunks.next() else { return Cow::Borrowed(first) };
        let mut joined = String::with_capacity((first.len() + second.len()) * 2);
        joined.push_str(first);
        joined.push_str(second);
        joined.extend(chunks);
        Cow::Owned(joined)
    }

    /// The pieces of a part of the text, in order, none empty. The range is clamped and rounded down to `char`s.
    pub fn chunks(&self, range: Range<usize>) -> impl Iterator<Item = &str> {
        let end = self.floor_char(range.end);
        let start = self.floor_char(range.start).min(end);
        let (chunks, chunk_start) = self.rope.chunks_at(start);
        let mut at = chunk_start;
        chunks
            .map_while(move |chunk| {
                let from = at;
                at += chunk.len();
                (from < end).then(|| &chunk[start.saturating_sub(from)..chunk.len().min(end - from)])
            })
            .filter(|chunk| !chunk.is_empty())
    }

    /// The pieces of a part of the text from its end to its start, none empty.
    pub fn chunks_rev(&self, range: Range<usize>) -> impl Iterator<Item = &str> {
        let end = self.floor_char(range.end);
        let start = self.floor_char(range.start).min(end);
        let mut upto = end;
        std::iter::from_fn(move || {
            if upto <= start {
                return None;
            }
            let (chunk, chunk_start) = self.rope.chunk(upto - 1);
            let piece = &chunk[start.saturating_sub(chunk_start)..upto - chunk_start];
            upto = chunk_start;
            Some(piece)
        })
    }

    /// The characters from `offset` on.
    pub fn chars_at(&self, offset: usize) -> impl Iterator<Item = char> + '_ {
        self.rope.chars_at(self.floor_char(offset))
    }

    /// The characters before `offset`, nearest first.
    pub fn chars_before(&self, offset: usize) -> impl Iterator<Item = char> + '_ {
        self.rope.chars_at(self.floor_char(offset)).reversed()
    }

    /// The byte at `offset`, if there is one.
    #[inline]
    pub fn byte(&self, offset: usize) -> Option<u8> {
        self.rope.get_byte(offset)
    }

    fn byte_before(&self, offset: usize) -> Option<u8> {
        self.byte(offset.checked_sub(1)?)
    }

    /// The character that starts at `offset` (rounded down to one), if it is not the end.
    pub fn char_at(&self, offset: usize) -> Option<char> {
        self.chars_at(offset).next()
    }

    /// The character that ends at `offset`.
    pub fn char_before(&self, offset: usize) -> Option<char> {
        self.chars_before(offset).next()
    }

    /// Whether `offset` is at the start of a `char` or the end of the text.
    pub fn is_char_boundary(&self, offset: usize) -> bool {
        offset <= self.len() && self.rope.is_char_boundary(offset)
    }

    /// The nearest `char` boundary at or before `offset`.
    pub fn floor_char(&self, offset: usize) -> usize {
        if offset >= self.len() { self.len() } else { self.rope.floor_char_boundary(offset) }
    }

    /// Whether a part of the text is ASCII throughout. O(log n) whatever its length: only ASCII has as many bytes as
    /// UTF-16 units, and the rope sums both.
    pub fn is_ascii(&self, range: Range<usize>) -> bool {
        let end = self.floor_char(range.end);
        let start = self.floor_char(range.start).min(end);
        self.utf16_of(end) - self.utf16_of(start) == end - start
    }

    /// How many UTF-16 units stand before `offset`; what language servers count in.
    pub fn utf16_of(&self, offset: usize) -> usize {
        self.rope.byte_to_utf16_idx(offset.min(self.len()))
    }

    /// The offset that `units` UTF-16 units stand before; inside a surrogate pair, the start of its character.
    pub fn offset_of_utf16(&self, units: usize) -> usize {
        if units >= self.rope.len_utf16() { self.len() } else { self.rope.utf16_to_byte_idx(units) }
    }

    /// Whether both are clones of one snapshot. O(1); `false` does not mean that the texts differ.
    pub fn same(&self, other: &Self) -> bool {
        (self.is_empty() && other.is_empty()) || ropey::extra::esoterica::ropes_are_instances(&self.rope, &other.rope)
    }

    /// A copy with `edits` made, given sorted and apart as `(range, replacement)`.
    pub(crate) fn edited<'a>(&self, edits: impl DoubleEndedIterator<Item = (Range<usize>, &'a str)>) -> Self {
        let mut rope = self.rope.clone();
        // From the back, so that what is still to do keeps its offsets.
        for (range, insert) in edits.rev() {
            let at = range.start;
            if !range.is_empty() {
                rope.remove(range);
            }
            if !insert.is_empty() {
                rope.insert(at, insert);
            }
        }
        Self { rope }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self { rope: Rope::from_str(text) }
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl<'a> FromIterator<&'a str> for Text {
    /// Joins pieces without a copy of the whole in between.
    fn from_iter<I: IntoIterator<Item = &'a str>>(pieces: I) -> Self {
        let mut builder = ropey::RopeBuilder::new();
        for piece in pieces {
            builder.append(piece);
        }
        Self { rope: builder.finish() }
    }
}

/// A text in the making, from pieces of any size: how a large file is read without holding it twice.
#[derive(Clone, Debug)]
pub struct TextBuilder(ropey::RopeBuilder);

impl TextBuilder {
    /// Nothing yet.
    pub fn new() -> Self {
        Self(ropey::RopeBuilder::new())
    }

    /// Appends `piece`.
    pub fn push(&mut self, piece: &str) {
        self.0.append(piece);
    }

    /// The text of all pieces.
    pub fn finish(self) -> Text {
        Text { rope: self.0.finish() }
    }
}

impl Default for TextBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rope.chunks().try_for_each(|chunk| f.write_str(chunk))
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.rope, f)
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.same(other) || self.rope == other.rope
    }
}

impl Eq for Text {}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.rope == *other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.rope == **other
    }
}

#[cfg(test)]
pub(crate) mod tests;
