//! Motions: where carets go, by keys and by commands, never what they change.
//!
//! All stand on grapheme boundaries. A vertical motion keeps the *goal* column it started from, also through shorter
//! lines; any other motion forgets it. Without `extend`, a horizontal motion out of a selection goes to its edge.

mod many;
mod words;

pub use many::{
    add_above, add_below, add_next_occurrence, column_selection, select_all, select_all_occurrences, select_lines,
    select_words, split_into_lines,
};
pub use words::{around as word_around, is_word};

use crate::selection::{Selection, Selections};
use crate::text::{Columns, Text};

/// Where to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// One grapheme towards the start of the text.
    Left,
    /// One grapheme towards the end of the text.
    Right,
    /// One line up.
    Up,
    /// One line down.
    Down,
    /// To the start of a word.
    WordLeft,
    /// To the end of a word.
    WordRight,
    /// To the first character that is not white space, or, from there, to the start of the line.
    LineStart,
    /// To the end of the line.
    LineEnd,
    /// So many lines up.
    PageUp(u32),
    /// So many lines down.
    PageDown(u32),
    /// To the empty line before the paragraph.
    ParagraphUp,
    /// To the empty line after the paragraph.
    ParagraphDown,
    /// To the start of the text.
    DocStart,
    /// To the end of the text.
    DocEnd,
}

/// Moves every selection; with `extend`, only its head.
#[must_use]
pub fn apply(text: &Text, columns: &Columns, selections: &Selections, motion: Motion, extend: bool) -> Selections {
    selections.transform(|selection| moved(text, columns, selection, motion, extend))
}

fn moved(text: &Text, columns: &Columns, selection: &Selection, motion: Motion, extend: bool) -> Selection {
    let head = selection.head;
    let collapse = !extend && !selection.is_empty();
    let to = match motion {
        Motion::Left if collapse => selection.start(),
        Motion::Left => text.prev_grapheme(head),
        Motion::Right if collapse => selection.end(),
        Motion::Right => text.next_grapheme(head),
        Motion::WordLeft => words::left(text, head),
        Motion::WordRight => words::right(text, head),
        Motion::LineStart => smart_line_start(text, head),
        Motion::LineEnd => text.line_end(text.line_of(head)),
        Motion::ParagraphUp => paragraph_up(text, head),
        Motion::ParagraphDown => paragraph_down(text, head),
        Motion::DocStart => 0,
        Motion::DocEnd => text.len(),
        Motion::Up => return vertically(text, columns, selection, -1, extend),
        Motion::Down => return vertically(text, columns, selection, 1, extend),
        Motion::PageUp(lines) => return vertically(text, columns, selection, -i64::from(lines), extend),
        Motion::PageDown(lines) => return vertically(text, columns, selection, i64::from(lines), extend),
    };
    selection.moved(to, extend)
}

/// Moves by lines; past the first or last line, to the start or end of the text, still with the goal.
fn vertically(text: &Text, columns: &Columns, selection: &Selection, lines: i64, extend: bool) -> Selection {
    let from = match lines {
        _ if extend => selection.head,
        up if up < 0 => selection.start(),
        _ => selection.end(),
    };
    let goal = selection.goal.unwrap_or_else(|| columns.column(text, from));
    let line = text.line_of(from);
    let target = i64::from(line) + lines;
    let last = text.last_line();
    let head = if target < 0 && line == 0 {
        0
    } else if target > i64::from(last) && line == last {
        text.len()
    } else {
        columns.offset(text, target.clamp(0, i64::from(last)) as u32, goal)
    };
    Selection { goal: Some(goal), ..selection.moved(head, extend) }
}

/// Where the indentation of `line` ends: at its first character that is not a space or tab, or at its end.
pub fn indent_end(text: &Text, line: u32) -> usize {
    let range = text.line_range(line);
    let mut at = range.start;
    for chunk in text.chunks(range) {
        match chunk.bytes().position(|byte| byte != b' ' && byte != b'\t') {
            Some(found) => return at + found,
            None => at += chunk.len(),
        }
    }
    at
}

/// Whether `line` has nothing but spaces and tabs.
pub fn is_blank(text: &Text, line: u32) -> bool {
    indent_end(text, line) == text.line_end(line)
}

fn smart_line_start(text: &Text, offset: usize) -> usize {
    let line = text.line_of(offset);
    let indent = indent_end(text, line);
    if offset == indent { text.line_start(line) } else { indent }
}

fn paragraph_up(text: &Text, offset: usize) -> usize {
    let lines = (0..text.line_of(offset)).rev();
    lines
        .skip_while(|line| is_blank(text, *line))
        .find(|line| is_blank(text, *line))
        .map_or(0, |line| text.line_start(line))
}

fn paragraph_down(text: &Text, offset: usize) -> usize {
    let lines = text.line_of(offset) + 1..text.line_count();
    lines
        .skip_while(|line| is_blank(text, *line))
        .find(|line| is_blank(text, *line))
        .map_or(text.len(), |line| text.line_start(line))
}

#[cfg(test)]
mod tests;
