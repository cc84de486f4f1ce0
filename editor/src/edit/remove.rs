//! Deleting: graphemes, steps of indentation, words and parts of lines.

use std::ops::Range;

use super::{EditContext, Piece, each};
use crate::change::Transaction;
use crate::document::Indent;
use crate::movement::{Motion, apply, indent_end};
use crate::selection::{Selection, Selections};

/// Deletes every selection. At a caret, the grapheme before it; in indentation by spaces, back to the step before; in
/// an empty pair of brackets or quotes, both.
pub fn backspace(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    remove(context, selections, |head| {
        if let Some(start) = indent_step_before(context, head) {
            return start..head;
        }
        let start = context.text.prev_grapheme(head);
        start..if in_empty_pair(context, head) { context.text.next_grapheme(head) } else { head }
    })
}

/// Where the step of indentation before `head` starts, if there are only spaces between.
fn indent_step_before(context: &EditContext<'_>, head: usize) -> Option<usize> {
    let Indent::Spaces(_) = context.indent else { return None };
    let text = context.text;
    let line = text.line_of(head);
    if head == text.line_start(line) || indent_end(text, line) < head {
        return None;
    }
    let cells = context.indent_cells();
    let beyond = (context.columns.column(text, head) - 1) % cells + 1;
    let spaces = text.chars_before(head).take(beyond as usize).take_while(|c| *c == ' ').count();
    (spaces > 0).then(|| head - spaces)
}

fn in_empty_pair(context: &EditContext<'_>, head: usize) -> bool {
    if !context.auto_close {
        return false;
    }
    let (Some(before), Some(after)) = (context.text.char_before(head), context.text.char_at(head)) else {
        return false;
    };
    context.closing(before) == Some(after) || (before == after && context.quotes.contains(&before))
}

/// Deletes every selection; at a caret, the grapheme after it.
pub fn delete(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    remove(context, selections, |head| head..context.text.next_grapheme(head))
}

/// Deletes every selection; at a caret, up to the start of the word.
pub fn delete_word_left(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    remove_motion(context, selections, Motion::WordLeft)
}

/// Deletes every selection; at a caret, up to the end of the word.
pub fn delete_word_right(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    remove_motion(context, selections, Motion::WordRight)
}

/// Deletes every selection; at a caret, up to the start of the line, or the line break when it is there.
pub fn delete_line_start(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    remove(context, selections, |head| {
        let start = context.text.line_start(context.text.line_of(head));
        if start == head { context.text.prev_grapheme(head)..head } else { start..head }
    })
}

/// Deletes every selection; at a caret, up to the end of the line, or the line break when it is there.
pub fn delete_line_end(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    remove(context, selections, |head| {
        let end = context.text.line_end(context.text.line_of(head));
        if end == head { head..context.text.next_grapheme(head) } else { head..end }
    })
}

fn remove_motion(context: &EditContext<'_>, selections: &Selections, motion: Motion) -> Option<Transaction> {
    remove(context, selections, |head| {
        let moved = apply(context.text, context.columns, &Selections::caret(head), motion, true);
        moved.primary().range()
    })
}

fn remove(
    context: &EditContext<'_>,
    selections: &Selections,
    at_caret: impl Fn(usize) -> Range<usize>,
) -> Option<Transaction> {
    let range = |selection: &Selection| if selection.is_empty() { at_caret(selection.head) } else { selection.range() };
    let transaction = each(context, selections, |selection| Piece::remove(range(selection)))?;
    (!transaction.changes.is_empty()).then_some(transaction)
}
