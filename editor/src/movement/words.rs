//! Words: runs of characters of one class, within a line.
//!
//! A word motion stops at line ends, so that it never takes a line break by surprise, and after [`REACH`] bytes, so
//! that a 10 MB token does not hold up a key.

use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use crate::text::Text;

/// How far a word motion looks, in bytes.
const REACH: usize = 256 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Space,
    Word,
    Sign,
}

/// The class of a character; `None` for one that belongs to whatever is before it (combining marks, joiners).
fn class(c: char) -> Option<Class> {
    match c {
        '_' => Some(Class::Word),
        c if c.is_ascii() => Some(match c {
            c if c.is_ascii_alphanumeric() => Class::Word,
            c if c.is_ascii_whitespace() => Class::Space,
            _ => Class::Sign,
        }),
        c if c.is_whitespace() => Some(Class::Space),
        c if c.is_alphanumeric() => Some(Class::Word),
        c if c.width() == Some(0) => None,
        _ => Some(Class::Sign),
    }
}

/// Whether `c` can be part of an identifier.
pub fn is_word(c: char) -> bool {
    class(c) == Some(Class::Word)
}

/// The end of the word at or after `offset`; from a line end, the end of the first word of the next line.
pub fn right(text: &Text, offset: usize) -> usize {
    let line = text.line_of(offset);
    let mut at = offset;
    let mut end = text.line_end(line);
    if at >= end {
        if line == text.last_line() {
            return text.len();
        }
        at = text.line_start(line + 1);
        end = text.line_end(line + 1);
    }
    let end = end.min(at + REACH);
    at = run_end(text, at..end, Class::Space);
    match text.char_at(at).and_then(class) {
        _ if at >= end => end,
        Some(class) => text.ceil_grapheme(run_end(text, at..end, class)),
        None => text.next_grapheme(at),
    }
}

/// The start of the word at or before `offset`; from a line start, the end of the line before.
pub fn left(text: &Text, offset: usize) -> usize {
    let line = text.line_of(offset);
    let start = text.line_start(line);
    if offset <= start {
        return if line == 0 { 0 } else { text.line_end(line - 1) };
    }
    let start = start.max(offset.saturating_sub(REACH));
    let mut at = run_start(text, start..offset, Some(Class::Space));
    if at > start {
        at = run_start(text, start..at, None);
    }
    text.floor_grapheme(at)
}

/// The word around `offset`, or the run of signs or white space; empty only on an empty line. Between two runs, a word
/// wins over signs, and signs over white space.
pub fn around(text: &Text, offset: usize) -> Range<usize> {
    let line = text.line_range(text.line_of(offset));
    let offset = offset.min(line.end);
    let window = line.start.max(offset.saturating_sub(REACH))..line.end.min(offset + REACH);
    let before = last_class(text, window.start..offset);
    let after = (offset < window.end).then(|| text.char_at(offset).and_then(class)).flatten();
    let rank = |class: Option<Class>| match class {
        Some(Class::Word) => 3,
        Some(Class::Sign) => 2,
        Some(Class::Space) => 1,
        None => 0,
    };
    let Some(chosen) = (if rank(after) >= rank(before) { after } else { before }) else {
        return offset..text.next_grapheme(offset).min(line.end);
    };
    let start = if before == Some(chosen) { run_start(text, window.start..offset, Some(chosen)) } else { offset };
    let end = run_end(text, offset..window.end, chosen);
    text.floor_grapheme(start)..text.ceil_grapheme(end)
}

/// The end of the run of `wanted` (and what belongs to it) at the start of `range`.
fn run_end(text: &Text, range: Range<usize>, wanted: Class) -> usize {
    let mut at = range.start;
    for chunk in text.chunks(range) {
        for c in chunk.chars() {
            if class(c).is_some_and(|class| class != wanted) {
                return at;
            }
            at += c.len_utf8();
        }
    }
    at
}

/// The start of the run at the end of `range`, of `wanted` or of whatever class stands there.
fn run_start(text: &Text, range: Range<usize>, mut wanted: Option<Class>) -> usize {
    let mut at = range.end;
    // The start of what is known to belong: marks belong to what is before them.
    let mut start = range.end;
    for chunk in text.chunks_rev(range) {
        for c in chunk.chars().rev() {
            at -= c.len_utf8();
            let Some(class) = class(c) else { continue };
            if *wanted.get_or_insert(class) != class {
                return start;
            }
            start = at;
        }
    }
    start
}

fn last_class(text: &Text, range: Range<usize>) -> Option<Class> {
    text.chunks_rev(range).flat_map(|chunk| chunk.chars().rev()).find_map(class)
}
