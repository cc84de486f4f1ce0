//! Several selections at once: making more of them, and selecting by word, line and column.

use super::words;
use crate::selection::{Selection, Selections};
use crate::text::{Columns, Text};

/// All of the text.
pub fn select_all(text: &Text) -> Selections {
    Selections::single(Selection::new(0, text.len()))
}

/// Every caret becomes the word it stands in or at; selections stay.
#[must_use]
pub fn select_words(text: &Text, selections: &Selections) -> Selections {
    selections.transform(|selection| {
        if !selection.is_empty() {
            return *selection;
        }
        let word = words::around(text, selection.head);
        Selection::new(word.start, word.end)
    })
}

/// Every selection grows to whole lines with their endings; done again, by one line more.
#[must_use]
pub fn select_lines(text: &Text, selections: &Selections) -> Selections {
    selections.transform(|selection| {
        let start = text.line_start(text.line_of(selection.start()));
        Selection::new(start, text.line_end_full(text.line_of(selection.end())))
    })
}

/// Every selection becomes one in each of its lines, without the line endings.
#[must_use]
pub fn split_into_lines(text: &Text, selections: &Selections) -> Selections {
    let pieces = selections.iter().flat_map(|selection| {
        let (first, last) = (text.line_of(selection.start()), text.line_of(selection.end()));
        // What ends at the start of a line does not reach into it.
        let excluded = last > first && selection.end() == text.line_start(last);
        let lines = first..last + u32::from(!excluded);
        lines.map(|line| {
            let range = text.line_range(line);
            Selection::new(range.start.max(selection.start()), range.end.min(selection.end()))
        })
    });
    Selections::new(pieces, usize::MAX)
}

/// One more selection in the line above the topmost, at its columns.
#[must_use]
pub fn add_above(text: &Text, columns: &Columns, selections: &Selections) -> Selections {
    match selections.as_slice().first() {
        Some(first) => add_beside(text, columns, selections, first, false),
        None => selections.clone(),
    }
}

/// One more selection in the line below the lowest, at its columns.
#[must_use]
pub fn add_below(text: &Text, columns: &Columns, selections: &Selections) -> Selections {
    match selections.as_slice().last() {
        Some(last) => add_beside(text, columns, selections, last, true),
        None => selections.clone(),
    }
}

fn add_beside(text: &Text, columns: &Columns, selections: &Selections, from: &Selection, below: bool) -> Selections {
    let line = text.line_of(from.head);
    let Some(target) =
        (if below { line.checked_add(1) } else { line.checked_sub(1) }).filter(|to| *to <= text.last_line())
    else {
        return selections.clone();
    };
    let goal = from.goal.unwrap_or_else(|| columns.column(text, from.head));
    let head = columns.offset(text, target, goal);
    // A selection over several lines has no counterpart above or below; its head has.
    let anchor = if !from.is_empty() && text.line_of(from.anchor) == line {
        columns.offset(text, target, columns.column(text, from.anchor))
    } else {
        head
    };
    selections.with(Selection { anchor, head, goal: Some(goal) })
}

/// The rectangle between two places given as line and column; each line gets the part of it that it reaches.
/// The head of each selection is on the side of `head`, and the line of `head` is primary.
pub fn column_selection(text: &Text, columns: &Columns, anchor: (u32, u32), head: (u32, u32)) -> Selections {
    let last = text.last_line();
    let (from, to) = (anchor.0.min(last), head.0.min(last));
    let in_line = |line| {
        let ends = (columns.offset(text, line, anchor.1), columns.offset(text, line, head.1));
        Selection { goal: Some(head.1), ..Selection::new(ends.0, ends.1) }
    };
    let lines = from.min(to)..=from.max(to);
    let primary = to.saturating_sub(from);
    Selections::new(lines.map(in_line), primary as usize)
}

/// Selects the word under the carets or, if the primary selection holds text, adds the next place where that text
/// stands, from the primary on and around the end. Unchanged when there is no other place.
#[must_use]
pub fn add_next_occurrence(text: &Text, selections: &Selections) -> Selections {
    if selections.iter().any(Selection::is_empty) {
        return select_words(text, selections);
    }
    let wanted = text.slice(selections.primary().range());
    let taken = |start: usize| selections.iter().any(|selection| selection.range().contains(&start));
    let from = selections.primary().end();
    let next = occurrences(text, &wanted, from..text.len())
        .find(|start| !taken(*start))
        .or_else(|| occurrences(text, &wanted, 0..from).find(|start| !taken(*start)));
    match next {
        Some(start) => selections.with(selections.primary().with_range(start..start + wanted.len())),
        None => selections.clone(),
    }
}

/// Selects every place where the text of the primary selection (or the word at it) stands.
#[must_use]
pub fn select_all_occurrences(text: &Text, selections: &Selections) -> Selections {
    let primary = *select_words(text, &selections.only_primary()).primary();
    if primary.is_empty() {
        return selections.clone();
    }
    let wanted = text.slice(primary.range());
    let places: Vec<Selection> = occurrences(text, &wanted, 0..text.len())
        .map(|start| primary.with_range(start..start + wanted.len()))
        .collect();
    let index = places.iter().position(|place| place.start() == primary.start()).unwrap_or(0);
    Selections::new(places, index)
}

/// The places in `range` where `wanted` stands, none overlapping, found block by block.
fn occurrences<'a>(text: &'a Text, wanted: &'a str, range: std::ops::Range<usize>) -> impl Iterator<Item = usize> + 'a {
    const BLOCK: usize = 64 * 1024;
    let finder = memchr::memmem::Finder::new(wanted.as_bytes());
    let mut at = range.start;
    let mut block_end = range.start;
    let mut block = std::borrow::Cow::Borrowed("");
    let mut block_start = at;
    std::iter::from_fn(move || {
        if wanted.is_empty() {
            return None;
        }
        loop {
            if let Some(found) = block.as_bytes().get(at - block_start..).and_then(|rest| finder.find(rest)) {
                let start = at + found;
                at = start + wanted.len();
                return Some(start);
            }
            if block_end >= range.end {
                return None;
            }
            // What may have begun before the block's end is looked at again.
            at = at.max(block_end.saturating_sub(wanted.len() - 1)).max(range.start);
            at = text.floor_char(at);
            block_end = (at + BLOCK.max(wanted.len() * 2)).min(range.end);
            block_start = at;
            block = text.slice(at..block_end);
        }
    })
}
