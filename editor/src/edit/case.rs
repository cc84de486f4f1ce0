//! The case of letters and the spelling of names.

use super::{EditContext, Piece, each};
use crate::change::Transaction;
use crate::movement::word_around;
use crate::selection::{Selection, Selections};

/// How a name or text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// `SOME TEXT`
    Upper,
    /// `some text`
    Lower,
    /// `Some Text`
    Title,
    /// `some_text`
    Snake,
    /// `SOME_TEXT`
    Constant,
    /// `some-text`
    Kebab,
    /// `someText`
    Camel,
    /// `SomeText`
    Pascal,
}

/// Writes every selection, or at a caret the word there, in `case`; it stays selected.
pub fn transform_case(context: &EditContext<'_>, selections: &Selections, case: Case) -> Option<Transaction> {
    let transaction = each(context, selections, |selection| {
        let caret = selection.is_empty();
        let range = if caret { word_around(context.text, selection.head) } else { selection.range() };
        let insert = written(&context.text.slice(range.clone()), case);
        let after = if caret {
            Selection::caret((selection.head.saturating_sub(range.start)).min(insert.len()))
        } else {
            selection.with_range(0..insert.len())
        };
        Piece { range, anchor: after.anchor, head: after.head, insert }
    })?;
    (transaction.changes.apply(context.text) != *context.text).then_some(transaction)
}

fn written(text: &str, case: Case) -> String {
    match case {
        Case::Upper => text.to_uppercase(),
        Case::Lower => text.to_lowercase(),
        Case::Title => title(text),
        Case::Snake => names(text, "_", |_, word| word.to_lowercase()),
        Case::Constant => names(text, "_", |_, word| word.to_uppercase()),
        Case::Kebab => names(text, "-", |_, word| word.to_lowercase()),
        Case::Camel => names(text, "", |first, word| if first { word.to_lowercase() } else { capital(word) }),
        Case::Pascal => names(text, "", |_, word| capital(word)),
    }
}

fn title(text: &str) -> String {
    let mut inside = false;
    let mut titled = String::with_capacity(text.len());
    for c in text.chars() {
        if inside {
            titled.extend(c.to_lowercase());
        } else {
            titled.extend(c.to_uppercase());
        }
        inside = c.is_alphanumeric() || (inside && c == '\'');
    }
    titled
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(chars.flat_map(char::to_lowercase)).collect())
}

/// Writes each line's words anew, joined by `joint`; white space around them stays.
fn names(text: &str, joint: &str, write: impl Fn(bool, &str) -> String) -> String {
    let line = |line: &str| {
        let content = line.trim();
        let start = line.len() - line.trim_start().len();
        let written: Vec<String> =
            words(content).into_iter().enumerate().map(|(number, word)| write(number == 0, word)).collect();
        format!("{}{}{}", &line[..start], written.join(joint), &line[start + content.len()..])
    };
    text.split_inclusive('\n').map(line).collect()
}

/// The words of a name: parted by signs, before a capital after a small letter or digit, and before the last capital of a
/// run when a small letter follows (`HTTPServer`).
fn words(name: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for part in name.split(|c: char| !c.is_alphanumeric()) {
        let chars: Vec<(usize, char)> = part.char_indices().collect();
        let mut start = 0;
        for at in 1..chars.len() {
            let (before, (offset, c)) = (chars[at - 1].1, chars[at]);
            let next_is_small = chars.get(at + 1).is_some_and(|(_, next)| next.is_lowercase());
            if c.is_uppercase() && (!before.is_uppercase() || next_is_small) {
                words.push(&part[start..offset]);
                start = offset;
            }
        }
        words.push(&part[start..]);
    }
    words.retain(|word| !word.is_empty());
    words
}
