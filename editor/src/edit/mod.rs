//! Editing commands: functions from a context and selections to a [`Transaction`], or `None` when nothing would change.
//!
//! Commands know no view and no file. What depends on a language (comment signs, brackets) comes in as plain data with
//! the [`EditContext`]. All work on every selection at once, and cost by selections and lines touched, not by the text.

mod brackets;
mod case;
mod clipboard;
mod comment;
mod insert;
mod lines;
mod remove;

pub use brackets::matching_bracket;
pub use case::{Case, transform_case};
pub use clipboard::{Clip, copy, cut, paste};
pub use comment::{toggle_block_comment, toggle_comment};
pub use insert::{insert_text, newline, newline_above, newline_below, tab, type_text};
pub use lines::{
    copy_lines_down, copy_lines_up, delete_lines, duplicate, ensure_final_newline, indent, join_lines, move_lines_down,
    move_lines_up, outdent, trim_trailing_whitespace,
};
pub use remove::{backspace, delete, delete_line_end, delete_line_start, delete_word_left, delete_word_right};

use std::ops::Range;

use crate::change::{ChangeSet, Transaction};
use crate::document::{Document, Indent, LineEnding};
use crate::selection::{Selection, Selections};
use crate::text::{Columns, Text};

/// What a command needs to know about the document it edits.
#[derive(Clone, Debug)]
pub struct EditContext<'a> {
    /// The text.
    pub text: &'a Text,
    /// Its columns.
    pub columns: &'a Columns,
    /// One step of indentation.
    pub indent: Indent,
    /// What a new line is written with.
    pub line_ending: LineEnding,
    /// What starts a comment to the end of the line.
    pub line_comment: Option<&'a str>,
    /// What starts and ends a comment anywhere.
    pub block_comment: Option<(&'a str, &'a str)>,
    /// Pairs that enclose indented text.
    pub brackets: &'a [(char, char)],
    /// Characters that quote.
    pub quotes: &'a [char],
    /// What else a line ends with for the next one to go a step deeper, such as `:` in Python.
    pub indent_after: Option<char>,
    /// Whether an opening bracket or quote brings its partner.
    pub auto_close: bool,
    /// Whether a new line is indented like its context.
    pub auto_indent: bool,
}

/// The brackets of most languages.
pub const BRACKETS: &[(char, char)] = &[('(', ')'), ('[', ']'), ('{', '}')];

/// The quotes of most languages.
pub const QUOTES: &[char] = &['"', '\'', '`'];

impl<'a> EditContext<'a> {
    /// The context of a document whose language has nothing special.
    pub fn new(document: &'a Document) -> Self {
        Self {
            text: document.text(),
            columns: document.columns(),
            indent: document.indent,
            line_ending: document.line_ending,
            line_comment: None,
            block_comment: None,
            brackets: BRACKETS,
            quotes: QUOTES,
            indent_after: None,
            auto_close: true,
            auto_indent: true,
        }
    }

    /// The closing partner of `c`, if it opens a pair.
    fn closing(&self, c: char) -> Option<char> {
        self.brackets.iter().find(|(opening, _)| *opening == c).map(|(_, closing)| *closing)
    }

    /// The opening partner of `c`, if it closes a pair.
    fn opening(&self, c: char) -> Option<char> {
        self.brackets.iter().find(|(_, closing)| *closing == c).map(|(opening, _)| *opening)
    }

    /// Cells of one step of indentation.
    fn indent_cells(&self) -> u32 {
        match self.indent {
            Indent::Tabs => self.columns.tab_width(),
            Indent::Spaces(spaces) => u32::from(spaces).max(1),
        }
    }

    /// White space that reaches from the start of a line to `column`.
    fn indentation(&self, column: u32) -> String {
        match self.indent {
            Indent::Spaces(_) => " ".repeat(column as usize),
            Indent::Tabs => {
                let width = self.columns.tab_width();
                "\t".repeat((column / width) as usize) + &" ".repeat((column % width) as usize)
            }
        }
    }
}

/// What becomes of one selection: `range` is replaced by `insert`, and the selection stands at `anchor` and `head`,
/// counted from the start of `insert`.
struct Piece {
    range: Range<usize>,
    insert: String,
    anchor: usize,
    head: usize,
}

impl Piece {
    /// A replacement with the caret after it.
    fn replace(range: Range<usize>, insert: impl Into<String>) -> Self {
        let insert = insert.into();
        let end = insert.len();
        Self { range, insert, anchor: end, head: end }
    }

    /// Only the caret moves.
    fn caret(at: usize) -> Self {
        Self::replace(at..at, "")
    }

    /// `range` is removed.
    fn remove(range: Range<usize>) -> Self {
        Self::replace(range, "")
    }
}

/// Makes one piece of each selection. Where pieces overlap (two carets in one word), each keeps what the ones before it
/// left. `None` when neither the text nor a selection would change.
fn each(
    context: &EditContext<'_>,
    selections: &Selections,
    piece: impl FnMut(&Selection) -> Piece,
) -> Option<Transaction> {
    let mut taken = 0;
    let mut shift = 0_isize;
    let mut edits = Vec::with_capacity(selections.count());
    let mut after = Vec::with_capacity(selections.count());
    for mut piece in selections.iter().map(piece) {
        piece.range = piece.range.start.max(taken)..piece.range.end.max(taken);
        taken = piece.range.end;
        let start = piece.range.start.saturating_add_signed(shift);
        shift += piece.insert.len() as isize - piece.range.len() as isize;
        after.push(Selection::new(start + piece.anchor, start + piece.head));
        edits.push((piece.range, piece.insert));
    }
    let changes = ChangeSet::from_edits(context.text.len(), edits);
    let after = Selections::new(after, selections.primary_index());
    (!changes.is_empty() || after != *selections).then_some(Transaction { changes, selections: Some(after) })
}

#[cfg(test)]
mod tests;
