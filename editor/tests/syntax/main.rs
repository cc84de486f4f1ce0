//! Highlighting as an editor sees it: colours of every language, edits, embedded languages, hostile texts, the service.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail the test")]

mod corpus;
mod hostile;
mod incremental;
mod injections;
mod samples;
mod service;

use std::ops::Range;

use editor::syntax::{Budget, Language, Span, Syntax, Token};
use editor::{Cancel, Text};

fn language(name: &str) -> Language {
    Language::from_name(name).unwrap_or_else(|| panic!("no language is called {name}"))
}

fn parse(name: &str, source: &str) -> (Text, Syntax) {
    let text = Text::from(source);
    let syntax = Syntax::parse(language(name), &text, &Cancel::new()).expect("a tree");
    (text, syntax)
}

fn unlimited() -> Budget {
    Budget::until(&Cancel::new())
}

fn all_spans(syntax: &mut Syntax, text: &Text) -> Vec<Span> {
    syntax.spans(text, 0..text.len(), &unlimited())
}

/// Panics unless the spans are sorted, apart, not empty, within `range` and on character boundaries.
#[track_caller]
fn assert_whole(text: &Text, range: &Range<usize>, spans: &[Span]) {
    let mut at = range.start;
    for span in spans {
        assert!(at <= span.range.start && span.range.start < span.range.end, "{span:?} after {at}");
        assert!(text.is_char_boundary(span.range.start) && text.is_char_boundary(span.range.end), "{span:?}");
        at = span.range.end;
    }
    assert!(at <= range.end, "{spans:?} beyond {range:?}");
}

/// Checks that each piece of text, searched from where the one before was found, is all of the given kind.
#[track_caller]
fn check(name: &str, source: &str, expected: &[(&str, Token)]) {
    let (text, mut syntax) = parse(name, source);
    let spans = all_spans(&mut syntax, &text);
    assert_whole(&text, &(0..text.len()), &spans);
    let mut from = 0;
    let mut wrong = Vec::new();
    for (piece, token) in expected {
        let start = from + source[from..].find(piece).unwrap_or_else(|| panic!("no {piece:?} after byte {from}"));
        let range = start..start + piece.len();
        let kinds = kinds_in(&spans, &range);
        if kinds != [Some(*token)] {
            wrong.push(format!("{name}: {piece:?} at {start} is {kinds:?}, not {token:?}"));
        }
        from = range.end;
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), marked(source, &spans));
}

/// The kinds of the bytes in a range, each change once.
fn kinds_in(spans: &[Span], range: &Range<usize>) -> Vec<Option<Token>> {
    let mut kinds: Vec<Option<Token>> =
        range.clone().map(|byte| spans.iter().find(|span| span.range.contains(&byte)).map(|span| span.token)).collect();
    kinds.dedup();
    kinds
}

/// The source with the kind after each span, for a failing test to show.
fn marked(source: &str, spans: &[Span]) -> String {
    let mut shown = String::new();
    let mut at = 0;
    for span in spans {
        shown.push_str(&source[at..span.range.start]);
        shown.push_str(&format!("«{}»{:?} ", &source[span.range.clone()], span.token));
        at = span.range.end;
    }
    shown + &source[at..]
}
