//! Typing: characters, brackets that close and surround, and new lines.

use super::{EditContext, Piece, each};
use crate::change::Transaction;
use crate::movement::indent_end;
use crate::selection::Selections;

/// Puts `text` in the place of every selection, as it is.
pub fn insert_text(context: &EditContext<'_>, selections: &Selections, text: &str) -> Option<Transaction> {
    each(context, selections, |selection| Piece::replace(selection.range(), text))
}

/// Starts a new line at every caret, indented like the one it leaves.
pub fn newline(context: &EditContext<'_>, selections: &Selections) -> Option<Transaction> {
    each(context, selections, |selection| {
        let line = context.text.line_of(selection.start());
        let start = context.text.line_start(line);
        let end = indent_end(context.text, line).min(selection.start());
        let mut insert = context.line_ending.as_str().to_owned();
        if context.auto_indent {
            insert.push_str(&context.text.slice(start..end));
        }
        Piece::replace(selection.range(), insert)
    })
}
