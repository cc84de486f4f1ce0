//! Commands and typed text as transactions: what an editor tab and a review's new side have in common.
//!
//! A view has a document and its own selections; these functions change both. They know no pane and no file.

use std::ops::Range;

use editor::change::Transaction;
use editor::document::{Document, EditKind};
use editor::edit::{self, Case, Clip, EditContext};
use editor::movement::{self, Motion};
use editor::selection::Selections;
use editor::syntax::Language;
use editor::text::Text;

use crate::commands::Command;

/// What a command came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The command is not about text.
    NotOurs,
    /// Nothing to do, or only the selections changed.
    Moved,
    /// The text changed.
    Edited,
    /// This is to be put on the clipboard; after a cut the text changed, too.
    Copied(Clip),
}

/// Runs `command` on a document as one view sees it; `page` is how many rows a page is.
pub fn run(command: Command, document: &mut Document, selections: &mut Selections, page: u32) -> Outcome {
    if let Some((motion, extend)) = motion_of(command, page) {
        *selections = movement::apply(document.text(), document.columns(), selections, motion, extend);
        document.close_run();
        return Outcome::Moved;
    }
    if let Some(selected) = select(command, document, selections) {
        *selections = selected;
        document.close_run();
        return Outcome::Moved;
    }
    match command {
        Command::Undo => return step(document.undo(), selections),
        Command::Redo => return step(document.redo(), selections),
        Command::Copy => return Outcome::Copied(edit::copy(&context_of(document), selections)),
        Command::Cut => {
            let (copied, transaction) = edit::cut(&context_of(document), selections);
            apply(document, selections, transaction, EditKind::Command);
            return Outcome::Copied(copied);
        }
        _ => {}
    }
    let Some((change, kind)) = change_of(command) else { return Outcome::NotOurs };
    let transaction = change(&context_of(document), selections);
    apply(document, selections, transaction, kind)
}

/// Types `text` at every caret.
pub fn type_text(document: &mut Document, selections: &mut Selections, text: &str) -> Outcome {
    let transaction = edit::type_text(&context_of(document), selections, text);
    apply(document, selections, transaction, EditKind::Typing)
}

/// Inserts what was copied: piece by piece when there are as many as carets.
pub fn paste(document: &mut Document, selections: &mut Selections, clip: &Clip) -> Outcome {
    let transaction = edit::paste(&context_of(document), selections, clip);
    apply(document, selections, transaction, EditKind::Command)
}

/// Makes a change and moves the selections with it.
pub fn apply(
    document: &mut Document,
    selections: &mut Selections,
    transaction: Option<Transaction>,
    kind: EditKind,
) -> Outcome {
    let Some(transaction) = transaction else { return Outcome::Moved };
    let after = transaction.selections_after(selections).into_owned();
    let changes = document.apply(transaction, kind, selections);
    // Stepping over a closing bracket changes selections alone.
    *selections = after;
    if changes.is_empty() { Outcome::Moved } else { Outcome::Edited }
}

/// What commands need to know of a document, with what its language says.
pub fn context_of(document: &Document) -> EditContext<'_> {
    let mut context = EditContext::new(document);
    if let Some(language) = document.language().and_then(|name| Language::from_name(name)) {
        context.line_comment = language.line_comment();
        context.block_comment = language.block_comment();
        context.brackets = language.brackets();
        context.quotes = language.quotes();
    }
    context
}

fn step<C>(step: Option<(C, Selections)>, selections: &mut Selections) -> Outcome {
    match step {
        Some((_, restored)) => {
            *selections = restored;
            Outcome::Edited
        }
        None => Outcome::Moved,
    }
}

fn motion_of(command: Command, page: u32) -> Option<(Motion, bool)> {
    use Command as C;
    Some(match command {
        C::CaretLeft => (Motion::Left, false),
        C::CaretRight => (Motion::Right, false),
        C::CaretUp => (Motion::Up, false),
        C::CaretDown => (Motion::Down, false),
        C::CaretWordLeft => (Motion::WordLeft, false),
        C::CaretWordRight => (Motion::WordRight, false),
        C::CaretLineStart => (Motion::LineStart, false),
        C::CaretLineEnd => (Motion::LineEnd, false),
        C::CaretPageUp => (Motion::PageUp(page), false),
        C::CaretPageDown => (Motion::PageDown(page), false),
        C::CaretDocumentStart => (Motion::DocStart, false),
        C::CaretDocumentEnd => (Motion::DocEnd, false),
        C::CaretParagraphUp => (Motion::ParagraphUp, false),
        C::CaretParagraphDown => (Motion::ParagraphDown, false),
        C::SelectLeft => (Motion::Left, true),
        C::SelectRight => (Motion::Right, true),
        C::SelectUp => (Motion::Up, true),
        C::SelectDown => (Motion::Down, true),
        C::SelectWordLeft => (Motion::WordLeft, true),
        C::SelectWordRight => (Motion::WordRight, true),
        C::SelectLineStart => (Motion::LineStart, true),
        C::SelectLineEnd => (Motion::LineEnd, true),
        C::SelectPageUp => (Motion::PageUp(page), true),
        C::SelectPageDown => (Motion::PageDown(page), true),
        C::SelectDocumentStart => (Motion::DocStart, true),
        C::SelectDocumentEnd => (Motion::DocEnd, true),
        C::SelectParagraphUp => (Motion::ParagraphUp, true),
        C::SelectParagraphDown => (Motion::ParagraphDown, true),
        _ => return None,
    })
}

fn select(command: Command, document: &Document, selections: &Selections) -> Option<Selections> {
    let (text, columns) = (document.text(), document.columns());
    Some(match command {
        Command::SelectAll => movement::select_all(text),
        Command::SelectLine => movement::select_lines(text, selections),
        Command::SelectNextOccurrence => movement::add_next_occurrence(text, selections),
        Command::SelectAllOccurrences => movement::select_all_occurrences(text, selections),
        Command::CaretAbove => movement::add_above(text, columns, selections),
        Command::CaretBelow => movement::add_below(text, columns, selections),
        _ => return None,
    })
}

type Change = fn(&EditContext<'_>, &Selections) -> Option<Transaction>;

fn change_of(command: Command) -> Option<(Change, EditKind)> {
    use Command as C;
    let change: Change = match command {
        C::Backspace => return Some((edit::backspace, EditKind::Backspace)),
        C::Delete => return Some((edit::delete, EditKind::Delete)),
        C::NewLine => edit::newline,
        C::Tab => edit::tab,
        C::DeleteWordLeft => edit::delete_word_left,
        C::DeleteWordRight => edit::delete_word_right,
        C::DeleteToLineStart => edit::delete_line_start,
        C::DeleteToLineEnd => edit::delete_line_end,
        C::ToggleComment => edit::toggle_comment,
        C::Indent => edit::indent,
        C::Outdent => edit::outdent,
        C::MoveLineUp => edit::move_lines_up,
        C::MoveLineDown => edit::move_lines_down,
        C::DuplicateLine => edit::duplicate,
        C::DeleteLine => edit::delete_lines,
        C::JoinLines => edit::join_lines,
        C::Uppercase => |context, selections| edit::transform_case(context, selections, Case::Upper),
        C::Lowercase => |context, selections| edit::transform_case(context, selections, Case::Lower),
        C::NewLineBelow => edit::newline_below,
        C::NewLineAbove => edit::newline_above,
        _ => return None,
    };
    Some((change, EditKind::Command))
}

/// The lines of a text of which any part is selected.
pub fn lines_selected(text: &Text, selections: &Selections) -> Vec<Range<u32>> {
    let selected = selections.iter().filter(|selection| !selection.is_empty());
    selected.map(|selection| text.line_of(selection.start())..text.line_of(selection.end() - 1) + 1).collect()
}
