//! What the highlighter must bear, for the fuzzer and for the ordinary test that runs its corpus.
//!
//! The first byte chooses the language; the rest is the text up to a byte 0xFF, and edits after it: two bytes say where,
//! one how much is removed, one how much of what follows is inserted.

use std::ops::Range;
use std::time::Duration;

use editor::syntax::{Budget, Language, Span, Syntax};
use editor::{Cancel, ChangeSet, Text};

/// Parses, colours and edits as `data` says. Panics if the highlighter promises something it does not keep.
pub fn run(data: &[u8]) {
    let Some((choice, rest)) = data.split_first() else { return };
    let languages: Vec<Language> = Language::all().collect();
    let language = languages[usize::from(*choice) % languages.len()];
    let (source, mut edits) = match rest.iter().position(|byte| *byte == 0xff) {
        Some(end) => (&rest[..end], &rest[end + 1..]),
        None => (rest, &[][..]),
    };
    let mut text = Text::from(&*String::from_utf8_lossy(source));
    let Ok(mut syntax) = Syntax::parse_within(language, &text, &budget()) else { return };
    look(&mut syntax, &text);
    while let [high, low, removed, inserted, rest @ ..] = edits {
        let (insert, rest) = rest.split_at(rest.len().min(usize::from(*inserted)));
        edits = rest;
        let at = text.floor_char(usize::from(u16::from_be_bytes([*high, *low])) % (text.len() + 1));
        let end = text.floor_char((at + usize::from(*removed)).min(text.len()));
        let changes = ChangeSet::from_edits(text.len(), [(at..end, String::from_utf8_lossy(insert))]);
        let after = changes.apply(&text);
        syntax.edit(&changes, &text, &after);
        text = after;
        // Before it is parsed again the colours are old, but in place.
        look(&mut syntax, &text);
        if syntax.reparse(&text, &budget()).is_ok() {
            look(&mut syntax, &text);
        }
    }
}

fn budget() -> Budget {
    Budget::within(Duration::from_millis(500), &Cancel::new())
}

fn look(syntax: &mut Syntax, text: &Text) {
    let whole = 0..text.len();
    assert_whole(text, &whole, &syntax.spans(text, whole.clone(), &budget()));
    let third = text.floor_char(text.len() / 3)..text.floor_char(text.len() * 2 / 3);
    assert_whole(text, &third, &syntax.spans(text, third.clone(), &budget()));
    for line in [0, text.line_count() / 2, text.line_count()] {
        syntax.enclosing(text, line);
    }
}

fn assert_whole(text: &Text, range: &Range<usize>, spans: &[Span]) {
    let mut at = range.start;
    for span in spans {
        assert!(at <= span.range.start && span.range.start < span.range.end, "{span:?} after {at}");
        assert!(text.is_char_boundary(span.range.start) && text.is_char_boundary(span.range.end), "{span:?}");
        at = span.range.end;
    }
    assert!(at <= range.end, "{at} is beyond {range:?}");
}
