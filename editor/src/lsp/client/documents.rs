//! The documents that a server knows, as it knows them.
//!
//! A document has two counts: the owner's *version* and the protocol's *number*, which goes up by one with every change that
//! is sent. Of the last few numbers the text is kept, for a server may still speak of an earlier one.
//!
//! Invariant: what was said of an earlier number is carried to the newest text by the same changes as the text.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::{Path, PathBuf};

use async_lsp::lsp_types::Url;
use serde_json::{Value, json};

use super::capabilities::SyncKind;
use crate::change::ChangeSet;
use crate::lsp::position::{Encoding, position};
use crate::text::Text;

/// Numbers of which the text is kept. Ropes share what they have in common.
const KEPT: usize = 32;

/// With more edits than this a change is sent as the whole text.
const EDITS: usize = 256;

/// A document that a server was told of.
#[derive(Debug)]
pub struct Document {
    /// Its address.
    pub uri: Url,
    /// Where it really is, links followed: what some servers call it.
    pub real: PathBuf,
    /// The owner's version of the newest text.
    pub version: u64,
    /// The newest last; never empty.
    texts: VecDeque<Numbered>,
}

#[derive(Debug)]
struct Numbered {
    number: i32,
    text: Text,
    /// What made it of the one before.
    change: ChangeSet,
}

impl Document {
    /// The file at `path` as it is opened; `None` if it has no address.
    pub fn new(path: &Path, text: &Text, version: u64) -> Option<Self> {
        let uri = Url::from_file_path(path).ok()?;
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        // From 1: to some servers 0 is no number.
        let first = Numbered { number: 1, text: text.clone(), change: ChangeSet::identity(text.len()) };
        Some(Self { uri, real, version, texts: VecDeque::from([first]) })
    }

    /// The newest text.
    pub fn text(&self) -> &Text {
        &self.newest().text
    }

    /// The protocol's number of the newest text.
    pub fn number(&self) -> i32 {
        self.newest().number
    }

    fn newest(&self) -> &Numbered {
        // There is always one; the first is put in when the document is made and the last is never taken out.
        &self.texts[self.texts.len() - 1]
    }

    /// Takes a change of the newest text; without one the text is another altogether. What the server is to be told.
    pub fn change(
        &mut self,
        version: u64,
        text: &Text,
        change: Option<ChangeSet>,
        sync: SyncKind,
        encoding: Encoding,
    ) -> Value {
        let change = change.filter(|change| change.fits(self.text()) && change.len_after() == text.len());
        let parts = match (&change, sync) {
            (Some(change), SyncKind::Incremental) => parts(self.text(), change, encoding),
            _ => None,
        };
        let change = change.unwrap_or_else(|| ChangeSet::between(self.text(), text));
        let number = self.number().wrapping_add(1);
        self.texts.push_back(Numbered { number, text: text.clone(), change });
        if self.texts.len() > KEPT {
            self.texts.pop_front();
        }
        self.version = version;
        parts.unwrap_or_else(|| json!([{"text": text.to_string()}]))
    }

    /// The text of `number`; the newest if it is not known any more or never was.
    pub fn text_of(&self, number: Option<i32>) -> &Text {
        self.texts.iter().find(|text| Some(text.number) == number).map_or(self.text(), |found| &found.text)
    }

    /// A range of the text of `number`, in the newest text.
    pub fn to_newest(&self, range: Range<usize>, number: Option<i32>) -> Range<usize> {
        let known = self.texts.iter().position(|text| Some(text.number) == number);
        let later = self.texts.iter().skip(known.map_or(self.texts.len(), |at| at + 1));
        later.fold(range, |range, text| text.change.map_range(range))
    }
}

/// The edits of a change, in the positions of the text before: from the last to the first, so that none moves another.
/// `None` where the whole text is to be sent.
fn parts(before: &Text, change: &ChangeSet, encoding: Encoding) -> Option<Value> {
    let edits = change.edits();
    if edits.len() > EDITS {
        return None;
    }
    // Between CR and LF the protocol has no place; some servers would put the text before both.
    let between = |at: usize| at > 0 && before.byte(at - 1) == Some(b'\r') && before.byte(at) == Some(b'\n');
    let place = |at: usize| {
        let found = position(before, at, encoding);
        json!({"line": found.line, "character": found.character})
    };
    edits
        .rev()
        .map(|edit| {
            if between(edit.old.start) || between(edit.old.end) {
                return None;
            }
            let range = json!({"start": place(edit.old.start), "end": place(edit.old.end)});
            Some(json!({"range": range, "text": edit.insert}))
        })
        .collect::<Option<Vec<_>>>()
        .map(Value::from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::lsp::position::{Position, offset};

    fn document(text: &str) -> Document {
        Document::new(Path::new("/tmp/a"), &Text::from(text), 1).unwrap()
    }

    fn change(document: &mut Document, edits: &[(Range<usize>, &str)], encoding: Encoding) -> Value {
        let change = ChangeSet::from_edits(document.text().len(), edits.iter().cloned());
        let after = change.apply(document.text());
        document.change(document.version + 1, &after, Some(change), SyncKind::Incremental, encoding)
    }

    /// What a server makes of what it is told.
    fn follow(text: &Text, told: &Value, encoding: Encoding) -> Text {
        let place = |text: &Text, value: &Value| {
            let number = |name: &str| value[name].as_u64().unwrap() as u32;
            offset(text, Position { line: number("line"), character: number("character") }, encoding)
        };
        told.as_array().unwrap().iter().fold(text.clone(), |text, part| {
            let insert = part["text"].as_str().unwrap();
            let Some(range) = part.get("range") else { return Text::from(insert) };
            let range = place(&text, &range["start"])..place(&text, &range["end"]);
            ChangeSet::from_edits(text.len(), [(range, insert)]).apply(&text)
        })
    }

    #[test]
    fn edits_are_told_from_the_last_to_the_first() {
        let mut document = document("a𝒳b\r\nc\r\n");
        let told = change(&mut document, &[(5..6, "x"), (8..9, "")], Encoding::Utf16);
        let place = |line: u32, character: u32| json!({"line": line, "character": character});
        let expected = json!([
            {"range": {"start": place(1, 0), "end": place(1, 1)}, "text": ""},
            {"range": {"start": place(0, 3), "end": place(0, 4)}, "text": "x"},
        ]);
        assert_eq!(told, expected);
        assert_eq!((document.number(), document.version), (2, 2));
    }

    #[test]
    fn between_cr_and_lf_the_whole_text_is_told() {
        let mut document = document("a\r\nb");
        assert_eq!(change(&mut document, &[(2..3, "")], Encoding::Utf8), json!([{"text": "a\rb"}]));
    }

    #[test]
    fn a_change_of_another_text_is_told_as_the_whole() {
        let mut document = document("abc");
        let strange = ChangeSet::from_edits(10, [(0..10, "x")]);
        let told = document.change(7, &Text::from("abXc"), Some(strange), SyncKind::Incremental, Encoding::Utf8);
        assert_eq!(told, json!([{"text": "abXc"}]));
        // What was said before is in its place even so.
        assert_eq!(document.to_newest(2..3, Some(1)), 3..4);
    }

    #[test]
    fn a_range_of_an_earlier_text_is_carried_to_the_newest() {
        let mut document = document("foo bar");
        change(&mut document, &[(0..0, "x ")], Encoding::Utf16);
        change(&mut document, &[(0..0, "y ")], Encoding::Utf16);
        assert_eq!(document.to_newest(4..7, Some(1)), 8..11);
        assert_eq!(document.to_newest(6..9, Some(2)), 8..11);
        assert_eq!(document.to_newest(8..11, None), 8..11);
        assert_eq!(document.text_of(Some(1)).to_string(), "foo bar");
        assert_eq!(document.text_of(Some(99)).to_string(), "y x foo bar");
    }

    #[test]
    fn only_the_last_texts_are_kept() {
        let mut document = document("");
        for _ in 0..100 {
            change(&mut document, &[(0..0, "x")], Encoding::Utf16);
        }
        assert_eq!(document.texts.len(), KEPT);
        assert_eq!(document.text_of(Some(3)).len(), 100);
        assert_eq!(document.text_of(Some(100)).len(), 99);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_server_that_follows_has_the_same_text(
            source in "[a𝒳é\r\n]{0,30}",
            edits in prop::collection::vec((0usize..60, 0usize..6, "[b😀\r\n]{0,4}"), 1..5),
            utf8 in any::<bool>(),
        ) {
            let encoding = if utf8 { Encoding::Utf8 } else { Encoding::Utf16 };
            let mut document = document(&source);
            let mut followed = document.text().clone();
            for (at, length, insert) in edits {
                let start = document.text().floor_char(at);
                let end = document.text().floor_char(start + length).max(start);
                let told = change(&mut document, &[(start..end, &insert)], encoding);
                followed = follow(&followed, &told, encoding);
                prop_assert_eq!(&followed, document.text(), "{}", told);
            }
        }
    }
}
