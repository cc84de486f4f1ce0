//! Cutting, copying and pasting, with a piece per caret.

use super::{EditContext, Piece, delete_lines, each, insert_text};
use crate::change::{ChangeSet, Transaction};
use crate::document::LineEnding;
use crate::selection::Selections;

/// What was copied. The system's clipboard holds [`Clip::text`]; as long as it still does, the pieces are known too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clip {
    /// All of it, pieces joined by line breaks.
    pub text: String,
    /// What each selection held.
    pub pieces: Vec<String>,
    /// Whether it was copied at carets: whole lines, which are pasted above the line of a caret.
    pub lines: bool,
}

impl Clip {
    /// What comes from elsewhere.
    pub fn foreign(text: impl Into<String>) -> Self {
        Self { text: text.into(), pieces: Vec::new(), lines: false }
    }
}

/// Copies the selections, or, if there are only carets, their lines.
pub fn copy(context: &EditContext<'_>, selections: &Selections) -> Clip {
    let text = context.text;
    if selections.are_carets() {
        let lines = super::lines::blocks(text, selections).into_iter().flatten();
        let pieces: Vec<String> =
            lines.map(|line| format!("{}{}", text.line(line), context.line_ending.as_str())).collect();
        return Clip { text: pieces.concat(), pieces, lines: true };
    }
    // A caret among selections copies nothing, but has its place when pasting.
    let pieces: Vec<String> = selections.ranges().map(|range| text.slice(range).into_owned()).collect();
    Clip { text: pieces.join(context.line_ending.as_str()), pieces, lines: false }
}

/// Copies and deletes. The transaction is `None` when there is nothing to delete.
pub fn cut(context: &EditContext<'_>, selections: &Selections) -> (Clip, Option<Transaction>) {
    let clip = copy(context, selections);
    let removed = if clip.lines {
        delete_lines(context, selections)
    } else {
        each(context, selections, |selection| Piece::remove(selection.range()))
    };
    (clip, removed)
}

/// Pastes in the place of every selection: as many pieces as selections, or lines as selections, go one to each; whole
/// lines go above the lines of carets; anything else goes to each as a whole. Line breaks become the document's.
pub fn paste(context: &EditContext<'_>, selections: &Selections, clip: &Clip) -> Option<Transaction> {
    let ending = context.line_ending;
    let count = selections.count();
    if clip.pieces.len() == count && (count > 1 || clip.lines) {
        if clip.lines && selections.are_carets() {
            return paste_lines(context, selections, &clip.pieces);
        }
        let mut pieces = clip.pieces.iter();
        return each(context, selections, |selection| {
            Piece::replace(selection.range(), pieces.next().map_or_else(String::new, |piece| written(piece, ending)))
        });
    }
    if clip.lines && selections.are_carets() {
        return paste_lines(context, selections, &vec![clip.text.clone(); count]);
    }
    let mut lines = clip.text.lines();
    if count > 1 && lines.clone().count() == count {
        return each(context, selections, |selection| Piece::replace(selection.range(), lines.next().unwrap_or("")));
    }
    insert_text(context, selections, &written(&clip.text, ending))
}

/// Puts whole lines above the lines of carets, which stay where they are in their lines.
fn paste_lines(context: &EditContext<'_>, selections: &Selections, pieces: &[String]) -> Option<Transaction> {
    let text = context.text;
    let edits = selections.iter().zip(pieces).map(|(selection, piece)| {
        let start = text.line_start(text.line_of(selection.head));
        (start..start, written(piece, context.line_ending))
    });
    let changes = ChangeSet::from_edits(text.len(), edits);
    let after = selections.map(&changes);
    (!changes.is_empty()).then_some(Transaction { changes, selections: Some(after) })
}

fn written(text: &str, ending: LineEnding) -> String {
    let plain = text.replace("\r\n", "\n");
    match ending {
        LineEnding::Lf => plain,
        LineEnding::Crlf => plain.replace('\n', "\r\n"),
    }
}
