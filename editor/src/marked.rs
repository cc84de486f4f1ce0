//! Marked text for tests: `a«bˇ»c` is `abc` with `b` selected and the caret after it; a lone `ˇ` is a caret.

use crate::change::Transaction;
use crate::document::Document;
use crate::edit::EditContext;
use crate::selection::{Selection, Selections};
use crate::text::Text;

/// Splits marked text into text and selections; the last selection is primary.
pub fn parse(marked: &str) -> (String, Selections) {
    let mut text = String::new();
    let mut list = Vec::new();
    let (mut open, mut head) = (None, None);
    for c in marked.chars() {
        match c {
            '«' => open = Some(text.len()),
            'ˇ' if open.is_some() => head = Some(text.len()),
            'ˇ' => list.push(Selection::caret(text.len())),
            '»' => {
                let start = open.take().expect("« before »");
                let head = head.take().expect("ˇ inside «»");
                list.push(Selection::new(if head == start { text.len() } else { start }, head));
            }
            c => text.push(c),
        }
    }
    let primary = list.len().saturating_sub(1);
    (text, Selections::new(list, primary))
}

/// The opposite of [`parse`].
pub fn format(text: &str, selections: &Selections) -> String {
    let mut marked = text.to_owned();
    for selection in selections.iter().rev() {
        if selection.is_empty() {
            marked.insert(selection.head, 'ˇ');
        } else if selection.is_reversed() {
            marked.insert(selection.end(), '»');
            marked.insert_str(selection.start(), "«ˇ");
        } else {
            marked.insert_str(selection.end(), "ˇ»");
            marked.insert(selection.start(), '«');
        }
    }
    marked
}

/// A document with marked text.
pub fn document(marked: &str) -> (Document, Selections) {
    let (text, selections) = parse(marked);
    (Document::new(Text::from(text)), selections)
}

/// What a command makes of marked text in a context that `set_up` may change.
pub fn edited(
    before: &str,
    set_up: impl FnOnce(&mut EditContext<'_>),
    command: impl FnOnce(&EditContext<'_>, &Selections) -> Option<Transaction>,
) -> String {
    let (document, selections) = document(before);
    let mut context = EditContext::new(&document);
    context.line_comment = Some("//");
    context.block_comment = Some(("/*", "*/"));
    set_up(&mut context);
    match command(&context, &selections) {
        Some(transaction) => {
            let text = transaction.changes.apply(document.text()).to_string();
            format(&text, &transaction.selections_after(&selections))
        }
        None => before.to_owned(),
    }
}

/// Checks a command against marked text before and after it.
#[track_caller]
pub fn check(before: &str, command: impl FnOnce(&EditContext<'_>, &Selections) -> Option<Transaction>, after: &str) {
    assert_eq!(edited(before, |_| {}, command), after, "from {before:?}");
}

#[test]
fn marks_are_read_and_written() {
    for marked in ["ˇ", "a«bˇ»c", "a«ˇb»c", "ˇa\nˇb«cˇ»"] {
        let (text, selections) = parse(marked);
        assert_eq!(format(&text, &selections), marked);
    }
}
