//! Deleting: graphemes, words and parts of lines.

use std::ops::Range;

use super::{EditContext, Piece, each};
use crate::change::Transaction;
use crate::movement::{Motion, apply};
use crate::selection::{Selection, Selections};

/// Deletes every selection; at a caret, the grapheme before it.
pub fn backspace(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    remove(context, selections, |head| context.text.prev_grapheme(head)..head)
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
