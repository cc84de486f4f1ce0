//! Find and replace.

use proptest::prelude::*;

use super::*;
use crate::document::LineEnding;
use crate::text::tests::any_text;

fn find(text: &str, query: &Query) -> Vec<String> {
    let text = Text::from(text);
    let found = query.compile().unwrap().find_all(&text, 0..text.len(), usize::MAX, &Cancel::new()).unwrap();
    found.matches.into_iter().map(|place| format!("{}:{}", place.start, text.slice(place.clone()))).collect()
}

fn pattern(pattern: &str) -> Query {
    Query { pattern: pattern.into(), case: true, regex: true, word: false }
}

#[test]
fn a_text_query_takes_signs_as_they_are() {
    assert_eq!(find("a.b axb A.B", &Query::text("a.b")), ["0:a.b", "8:A.B"]);
}

#[test]
fn case_and_word_narrow_a_query() {
    let query = Query { case: true, word: true, ..Query::text("on") };
    assert_eq!(find("on upon On on_ on-", &query), ["0:on", "15:on"]);
    let query = Query { word: true, ..Query::text("->x") };
    assert_eq!(find("a->x ->xy", &query), ["1:->x"]);
}

#[test]
fn white_space_does_not_match_across_lines_unless_asked() {
    assert_eq!(find("a  \n  b", &pattern(r"\s+")), ["1:  ", "4:  "]);
    assert_eq!(find("a  \n  b", &pattern(r"\s*\n\s*")), ["1:  \n  "]);
}

#[test]
fn line_ends_are_found_before_a_carriage_return() {
    assert_eq!(find("foo\r\nfoo bar\nfoo", &pattern("foo$")), ["0:foo", "13:foo"]);
    assert_eq!(find("a\r\nb\n\nc", &pattern("^")), ["0:", "3:", "5:", "6:"]);
}

#[test]
fn the_line_after_a_final_line_feed_matches_once() {
    assert_eq!(find("a\n", &pattern("^$")), ["2:"]);
    assert_eq!(find("", &pattern("^$")), ["0:"]);
}

#[test]
fn pasted_lines_are_found_in_a_text_with_carriage_returns() {
    assert_eq!(find("a\r\nb\nc", &Query::text("a\nb")), ["0:a\r\nb"]);
}

#[test]
fn a_bad_pattern_says_what_is_wrong() {
    let error = pattern("a(b").compile().unwrap_err();
    assert_eq!(error.to_string(), "not a regular expression: unclosed group");
    assert!(pattern("a)(b").compile().is_err());
    assert_eq!(pattern("").compile().unwrap_err(), QueryError::Empty);
    assert_eq!(pattern("((a{1000}){1000}){1000}").compile().unwrap_err(), QueryError::TooLarge);
}

#[test]
fn blocks_change_nothing() {
    let line = "some words and a needle, then more words\n";
    let text = Text::from(line.repeat(40_000));
    let matcher = Query::text("needle").compile().unwrap();
    let found = matcher.find_all(&text, 0..text.len(), usize::MAX, &Cancel::new()).unwrap();
    let expected: Vec<_> = (0..40_000).map(|n| n * line.len() + 17..n * line.len() + 23).collect();
    assert_eq!(found.matches, expected);
    let last = matcher.prev(&text, 24, &Cancel::new()).unwrap();
    assert_eq!(last, Some(17..23));
    let around = matcher.prev(&text, 5, &Cancel::new()).unwrap();
    assert_eq!(around, expected.last().cloned());
}

#[test]
fn next_goes_around_the_end() {
    let text = Text::from("x a x");
    let matcher = Query::text("a").compile().unwrap();
    assert_eq!(matcher.next(&text, 3, &Cancel::new()).unwrap(), Some(2..3));
    assert_eq!(Query::text("z").compile().unwrap().next(&text, 3, &Cancel::new()).unwrap(), None);
}

#[test]
fn a_limit_is_told() {
    let text = Text::from("aaaa");
    let matcher = Query::text("a").compile().unwrap();
    let some = matcher.find_all(&text, 0..4, 3, &Cancel::new()).unwrap();
    assert_eq!((some.matches.len(), some.limited), (3, true));
    let all = matcher.find_all(&text, 0..4, 4, &Cancel::new()).unwrap();
    assert_eq!((all.matches.len(), all.limited), (4, false));
}

#[test]
fn only_what_lies_in_the_selection_is_found() {
    let text = Text::from("aa\naa\naa");
    let matcher = Query::text("aa").compile().unwrap();
    let found = matcher.find_all(&text, 1..6, usize::MAX, &Cancel::new()).unwrap();
    assert_eq!(found.matches, vec![3..5]);
}

#[test]
fn a_cancelled_search_finds_nothing() {
    let cancel = Cancel::new();
    cancel.cancel();
    let matcher = Query::text("a").compile().unwrap();
    assert_eq!(matcher.find_all(&Text::from("a"), 0..1, 1, &cancel), Err(Cancelled));
}

fn replaced(text: &str, query: &Query, replacement: &Replacement) -> String {
    let text = Text::from(text);
    let matcher = query.compile().unwrap();
    let found = matcher.find_all(&text, 0..text.len(), usize::MAX, &Cancel::new()).unwrap();
    matcher.replace(&text, &found.matches, replacement).changes.apply(&text).to_string()
}

fn by(template: &str) -> Replacement {
    Replacement { template: template.into(), ..Replacement::default() }
}

#[test]
fn a_text_query_replaces_by_text() {
    assert_eq!(replaced("a$1b", &Query::text("$1"), &by("$1\\n")), "a$1\\nb");
}

#[test]
fn groups_stand_in_the_replacement() {
    assert_eq!(replaced("k: v", &pattern(r"(\w): (?P<value>\w)"), &by("${value}=$1$$$0x")), "v=k$k: vx");
    // `$12` is group 1 and a 2 where there are fewer groups.
    assert_eq!(replaced("ab", &pattern("(a)b"), &by("$12$3")), "a2$3");
    assert_eq!(replaced("a b", &pattern(" "), &by(r"\n\\")), "a\n\\b");
}

#[test]
fn look_around_the_match_still_holds_when_replacing() {
    assert_eq!(replaced("foo foo\r\nfoo", &pattern(r"(foo)$"), &by("$1!")), "foo foo!\r\nfoo!");
    assert_eq!(replaced("a\nb\n", &pattern("^"), &by("> ")), "> a\n> b\n> ");
}

#[test]
fn case_is_kept_on_wish() {
    let replacement = Replacement { preserve_case: true, ..by("new") };
    assert_eq!(replaced("old Old OLD oLD", &Query::text("old"), &replacement), "new New NEW new");
    let replacement = Replacement { preserve_case: true, ..by("new-name") };
    assert_eq!(replaced("Old-OTHER", &Query::text("old-other"), &replacement), "New-NAME");
}

#[test]
fn a_line_break_is_written_as_the_document_does() {
    let replacement = Replacement { line_ending: LineEnding::Crlf, ..by(r"\n") };
    assert_eq!(replaced("a b\r\n", &pattern(" "), &replacement), "a\r\nb\r\n");
}

#[test]
fn going_on_from_an_empty_match_leads_to_another() {
    let text = Text::from("a\n\nb\n\n");
    let matcher = pattern("^$").compile().unwrap();
    let next = |from| matcher.next(&text, from, &Cancel::new()).unwrap().unwrap().start;
    let prev = |from| matcher.prev(&text, from, &Cancel::new()).unwrap().unwrap().start;
    assert_eq!((next(0), next(2), next(5), next(6)), (2, 5, 6, 2));
    assert_eq!((prev(6), prev(5), prev(2)), (5, 2, 6));
}

proptest! {
    /// Blocks and hints change nothing: what is found is what the expression finds in each line.
    #[test]
    fn matches_are_those_of_each_line(text in any_text(), pattern in prop::sample::select(vec!["a", "^", "$", r"\s+", r"[^a]+", r"\bwords?\b", "a*", r"^\s*$", "漢|é"])) {
        let matcher = Query { pattern: pattern.into(), case: true, regex: true, word: false }.compile().unwrap();
        let rope = Text::from(text.as_str());
        let found = matcher.find_all(&rope, 0..text.len(), usize::MAX, &Cancel::new()).unwrap().matches;
        let regex = builder(pattern, true).build().unwrap();
        let mut expected = Vec::new();
        for line in 0..rope.line_count() {
            let range = rope.line_range(line);
            let content = rope.slice(range.clone());
            // A CR at the end of the text is taken for half a line ending.
            let content = match content.strip_suffix('\r') {
                Some(content) if line == rope.last_line() => content,
                _ => &content,
            };
            expected.extend(regex.find_iter(content).map(|found| range.start + found.start()..range.start + found.end()));
        }
        prop_assert_eq!(&found, &expected);
        // Going through them one by one finds the same.
        if let Some(first) = expected.first() {
            prop_assert_eq!(matcher.prev(&rope, first.start, &Cancel::new()).unwrap(), expected.last().cloned());
        }
        for pair in expected.windows(2).take(50) {
            prop_assert_eq!(matcher.next(&rope, pair[0].end, &Cancel::new()).unwrap(), Some(pair[1].clone()));
            prop_assert_eq!(matcher.prev(&rope, pair[1].start, &Cancel::new()).unwrap(), Some(pair[0].clone()));
        }
    }
}
