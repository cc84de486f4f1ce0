//! Text and columns against a plain `String`.

use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::*;
use crate::change::ChangeSet;

/// Characters that make trouble: of every length, joining, wide, breaking lines.
const PIECES: [&str; 16] = [
    "a",
    "b ",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "é",
    "e\u{301}",
    "漢",
    "👨‍👩‍👧",
    "🇯🇵",
    "👶🏾",
    "\u{200d}",
    "각",
    "\u{0}",
    "some longer words ",
];

/// Text of such pieces; long enough to need several chunks now and then.
pub(crate) fn any_text() -> impl Strategy<Value = String> {
    let pieces = |most: usize| {
        prop::collection::vec(prop::sample::select(&PIECES[..]), 0..most).prop_map(|pieces| pieces.concat())
    };
    prop_oneof![4 => pieces(40), 1 => pieces(1500)]
}

fn model_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    // Only a line that an LF ends can end in CR LF.
    let ended = lines.len() - 1;
    for line in &mut lines[..ended] {
        *line = line.strip_suffix('\r').unwrap_or(line);
    }
    lines
}

#[test]
fn a_final_line_feed_is_followed_by_an_empty_line() {
    let text = Text::from("a\nb\n");
    assert_eq!(text.line_count(), 3);
    assert_eq!(text.line(1), "b");
    assert_eq!(text.line(2), "");
    assert_eq!(Text::new().line_count(), 1);
}

#[test]
fn a_line_ends_before_its_carriage_return() {
    let text = Text::from("a\r\nb\nc\rd\r");
    assert_eq!(text.line(0), "a");
    assert_eq!(text.line_full(0), "a\r\n");
    assert_eq!(text.line(1), "b");
    // A CR that no LF follows is text.
    assert_eq!(text.line(2), "c\rd\r");
    assert_eq!(text.line_count(), 3);
}

#[test]
fn offsets_past_the_end_are_clamped() {
    let text = Text::from("é\n");
    assert_eq!(text.line(9), "");
    assert_eq!(text.line_start(9), 3);
    assert_eq!(text.line_of(99), 1);
    assert_eq!(text.slice(1..99), "é\n");
    assert_eq!(text.slice(50..60), "");
    assert_eq!(text.floor_char(99), 3);
    assert_eq!((text.next_grapheme(99), text.prev_grapheme(99)), (3, 2));
    assert_eq!((text.utf16_of(99), text.offset_of_utf16(99)), (2, 3));
    assert_eq!(text.byte(3), None);
    assert_eq!(text.chars_at(99).next(), None);
}

#[test]
fn clones_are_the_same_and_edited_texts_are_not() {
    let text = Text::from("abc");
    assert!(text.same(&text.clone()));
    assert!(!text.same(&Text::from("abc")));
    let edited = ChangeSet::from_edits(3, [(0..0, "x")]).apply(&text);
    assert!(!text.same(&edited));
}

#[test]
fn a_surrogate_pair_is_one_character_of_two_units() {
    let text = Text::from("a😀b");
    assert_eq!(text.utf16_of(5), 3);
    assert_eq!(text.offset_of_utf16(3), 5);
    assert_eq!(text.offset_of_utf16(2), 1);
}

#[test]
fn ascii_is_told_without_reading() {
    let text = Text::from("ab".repeat(5_000) + "é" + &"cd".repeat(5_000));
    assert!(text.is_ascii(0..10_000));
    assert!(!text.is_ascii(0..10_002));
    assert!(text.is_ascii(10_002..20_002));
}

/// The extra case: tabs of eight.
#[test]
fn a_tab_reaches_to_the_next_stop() {
    let columns = Columns::new(8);
    let text = Text::from("\tab\na\tb\n1234567\tc\n12345678\td");
    assert_eq!((columns.column(&text, 1), columns.column(&text, 2)), (8, 9));
    let second = text.line_start(1);
    assert_eq!((columns.column(&text, second + 1), columns.column(&text, second + 2)), (1, 8));
    assert_eq!(columns.column(&text, text.line_start(2) + 8), 8);
    assert_eq!(columns.column(&text, text.line_start(3) + 9), 16);
    assert_eq!(columns.offset(&text, 0, 3), 0);
    assert_eq!(columns.offset(&text, 0, 5), 1);
    assert_eq!(columns.offset(&text, 0, 9), 2);
    assert_eq!(columns.offset(&text, 0, 99), 3);
}

#[test]
fn wide_characters_take_two_cells_and_marks_none() {
    let columns = Columns::default();
    for (content, width) in
        [("漢字", 4), ("e\u{301}x", 2), ("👨‍👩‍👧‍👦", 2), ("🇯🇵", 2), ("\u{200b}", 0), ("\u{7}", 1), ("ＡＢ", 4), ("각", 2)]
    {
        assert_eq!(columns.width(content, 0), width, "{content:?}");
    }
}

/// An Arabic line must not hang (Lapce #2926), nor a line of joiners, marks or flags alone.
#[test]
fn long_lines_of_joining_characters_are_walked_in_time() {
    for piece in ["العربية ", "\u{200d}", "e\u{301}\u{301}\u{301}", "🇯🇵", "👨‍👩‍👧‍👦"] {
        let text = Text::from(piece.repeat(200_000 / piece.len()));
        let columns = Columns::default();
        let mut at = text.len() / 2;
        let mut steps = 0;
        while at < text.len() && steps < 2_000 {
            let next = text.next_grapheme(at);
            assert!(next > at && text.prev_grapheme(next) < next);
            assert!(columns.column(&text, next) >= columns.column(&text, at));
            (at, steps) = (next, steps + 1);
        }
    }
}

proptest! {
    #[test]
    fn lines_are_those_of_the_string(model in any_text()) {
        let text = Text::from(model.as_str());
        let lines = model_lines(&model);
        prop_assert_eq!(text.line_count() as usize, lines.len());
        let mut start = 0;
        for (number, line) in lines.into_iter().enumerate() {
            let number = number as u32;
            prop_assert_eq!(text.line(number), line);
            prop_assert_eq!(text.line_start(number), start);
            let full = text.line_full(number);
            let indent = text.indents(number..number + 1).next().unwrap();
            let end = crate::movement::indent_end(&text, number);
            let blank = crate::movement::is_blank(&text, number);
            prop_assert_eq!(indent, LineIndent { line: number, start, end, blank });
            prop_assert!(text.line_of(start + full.len().saturating_sub(1)) == number);
            start += full.len();
        }
        prop_assert_eq!(start, model.len());
        let all: Vec<LineIndent> = text.indents(0..u32::MAX).collect();
        prop_assert_eq!(all.len(), text.line_count() as usize);
        prop_assert!(all.iter().all(|indent| text.line_start(indent.line) == indent.start));
        prop_assert_eq!(text.to_string(), model);
    }

    #[test]
    fn slices_are_those_of_the_string(model in any_text(), from: prop::sample::Index, to: prop::sample::Index) {
        let text = Text::from(model.as_str());
        let floor = |at: usize| (0..=at).rev().find(|at| model.is_char_boundary(*at)).unwrap();
        let (from, to) = (from.index(model.len() + 1), to.index(model.len() + 1));
        let (start, end) = (floor(from.min(to)), floor(from.max(to)));
        prop_assert_eq!(text.slice(from.min(to)..from.max(to)), &model[start..end]);
        let backward: Vec<&str> = text.chunks_rev(start..end).collect();
        prop_assert_eq!(backward.into_iter().rev().collect::<String>(), &model[start..end]);
        prop_assert_eq!(text.chars_before(end).collect::<String>(), model[..end].chars().rev().collect::<String>());
        prop_assert_eq!(text.utf16_of(end), model[..end].encode_utf16().count());
        prop_assert_eq!(text.offset_of_utf16(text.utf16_of(end)), end);
        prop_assert_eq!(text.is_ascii(start..end), model[start..end].is_ascii());
    }

    #[test]
    fn graphemes_are_those_of_the_string(model in any_text()) {
        let text = Text::from(model.as_str());
        let mut bounds: Vec<usize> = model.grapheme_indices(true).map(|(at, _)| at).collect();
        bounds.push(model.len());
        bounds.dedup();
        for pair in bounds.windows(2) {
            prop_assert_eq!(text.next_grapheme(pair[0]), pair[1]);
            prop_assert_eq!(text.prev_grapheme(pair[1]), pair[0]);
            for inside in pair[0] + 1..pair[1] {
                prop_assert!(!text.is_grapheme_boundary(inside));
                prop_assert_eq!(text.floor_grapheme(inside), pair[0]);
                prop_assert_eq!(text.ceil_grapheme(inside), pair[1]);
            }
            prop_assert!(text.is_grapheme_boundary(pair[1]));
        }
    }
}

proptest! {
    // Each case reads a long line many times.
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn columns_of_a_long_line_are_those_of_reading_it(
        pieces in prop::collection::vec(prop::sample::select(vec!["a", "word ", "\t", "é", "e\u{301}", "漢字", "👨‍👩‍👧", "🇯🇵 ", "\r"]), 1..12),
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(vec!["", "x", "\t", "\u{301}", "漢", "\u{200d}"]), 0..3_usize), 1..6),
    ) {
        let columns = Columns::new(8);
        let unit = pieces.concat();
        let mut text = Text::from("first\n".to_owned() + &unit.repeat(40_000 / unit.len()) + "\nlast");
        for (at, insert, delete) in edits {
            // The index must be right when it is made anew and when it is taken over from the text before an edit.
            let range = text.line_range(1);
            let line = text.line(1);
            let mut expected = Vec::new();
            let mut column = 0;
            for (offset, grapheme) in line.grapheme_indices(true) {
                expected.push((range.start + offset, column));
                column = match grapheme {
                    "\t" => column / 8 * 8 + 8,
                    grapheme if grapheme.len() == 1 => column + 1,
                    grapheme => column + grapheme.width().min(2) as u32,
                };
            }
            for (offset, column) in expected.iter().step_by(97) {
                prop_assert_eq!(columns.column(&text, *offset), *column);
            }
            prop_assert_eq!(columns.column(&text, range.end), column);
            for pair in expected.windows(2).step_by(89).filter(|pair| pair[0].1 < pair[1].1) {
                prop_assert_eq!(columns.offset(&text, 1, pair[0].1), expected.iter().rfind(|(_, at)| *at == pair[0].1).unwrap().0);
            }
            prop_assert_eq!(columns.offset(&text, 1, column + 1), range.end);

            let start = text.floor_char(range.start + at.index(range.len()));
            let mut end = start;
            for _ in 0..delete {
                end = text.next_grapheme(end).min(range.end);
            }
            text = ChangeSet::from_edits(text.len(), [(start..end, insert)]).apply(&text);
        }
    }
}
