//! Every motion, by marked text.

use super::*;
use crate::marked::{format, parse};

#[track_caller]
fn check_with(before: &str, motion: impl Fn(&Text, &Columns, &Selections) -> Selections, after: &str) {
    let (text, selections) = parse(before);
    let moved = motion(&Text::from(text.as_str()), &Columns::new(4), &selections);
    assert_eq!(format(&text, &moved), after, "from {before:?}");
}

#[track_caller]
fn check(before: &str, motions: &[Motion], after: &str) {
    let go = |text: &Text, columns: &Columns, selections: &Selections| {
        motions.iter().fold(selections.clone(), |selections, motion| apply(text, columns, &selections, *motion, false))
    };
    check_with(before, go, after);
}

#[track_caller]
fn check_extend(before: &str, motion: Motion, after: &str) {
    check_with(before, |text, columns, selections| apply(text, columns, selections, motion, true), after);
}

use Motion::{
    DocEnd, DocStart, Down, Left, LineEnd, LineStart, PageDown, PageUp, ParagraphDown, ParagraphUp, Right, Up,
    WordLeft, WordRight,
};

/// Case 8: one press moves one grapheme, and Left then Right returns.
#[test]
fn moves_over_a_grapheme_as_one_character() {
    for grapheme in ["👨‍👩‍👧‍👦", "🇯🇵", "👶🏾", "e\u{301}", "\r\n", "각", "ก็", "नि"]
    {
        let (before, after) = (format!("aˇ{grapheme}b"), format!("a{grapheme}ˇb"));
        check(&before, &[Right], &after);
        check(&after, &[Left], &before);
        check(&before, &[Right, Left], &before);
        check(&after, &[Left, Right], &after);
    }
}

#[test]
fn flags_are_told_apart_by_pairs() {
    check("🇯🇵ˇ🇩🇪🇫🇷", &[Right], "🇯🇵🇩🇪ˇ🇫🇷");
    check("🇯🇵🇩🇪🇫🇷ˇ", &[Left, Left], "🇯🇵ˇ🇩🇪🇫🇷");
}

#[test]
fn the_ends_of_the_text_stay() {
    check("ˇa", &[Left], "ˇa");
    check("aˇ", &[Right], "aˇ");
    check("ˇ", &[Left, Right, Up, Down, WordLeft, WordRight, LineStart, LineEnd, PageUp(3), PageDown(3)], "ˇ");
    check("ˇ", &[ParagraphUp, ParagraphDown, DocStart, DocEnd], "ˇ");
}

#[test]
fn leaving_a_selection_goes_to_its_edge() {
    check("a«bcˇ»d", &[Left], "aˇbcd");
    check("a«ˇbc»d", &[Right], "abcˇd");
    check("ab\n«cd\nefˇ»", &[Up], "ˇab\ncd\nef");
    check("«ab\ncˇ»d\nef", &[Down], "ab\ncd\neˇf");
}

#[test]
fn extending_moves_the_head_alone() {
    check_extend("aˇb", Right, "a«bˇ»");
    check_extend("a«bˇ»", Left, "aˇb");
    check_extend("a«ˇb»c", Left, "«ˇab»c");
    check_extend("aˇb\ncd", Down, "a«b\ncˇ»d");
    check_extend("abˇ", LineStart, "«ˇab»");
}

#[test]
fn carets_that_meet_become_one() {
    check("aˇbˇ", &[Left, Left], "ˇab");
    check("ˇaˇ", &[DocEnd], "aˇ");
}

#[test]
fn the_goal_column_outlasts_shorter_lines() {
    check("abcdˇ\nx\nabcdef", &[Down, Down], "abcd\nx\nabcdˇef");
    check("abcdef\nx\nabcdˇ", &[Up, Up], "abcdˇef\nx\nabcd");
    // Any other motion forgets it.
    check("abcdˇ\nx\nabcdef", &[Down, LineEnd, Down], "abcd\nx\naˇbcdef");
}

#[test]
fn the_first_and_last_line_lead_to_the_ends_and_back() {
    check("abˇc\ndef", &[Up], "ˇabc\ndef");
    check("abc\ndˇef", &[Down], "abc\ndefˇ");
    check("abˇc\ndef", &[Up, Down], "abc\ndeˇf");
}

#[test]
fn vertical_motion_goes_by_cells() {
    check("\tˇa\nabcdef", &[Down], "\ta\nabcdˇef");
    check("漢字ˇ\nabcdef", &[Down], "漢字\nabcdˇef");
    check("abcˇdef\n漢字", &[Down], "abcdef\n漢ˇ字");
    check("abˇc\n\t", &[Down], "abc\nˇ\t");
    check("abcˇ\n\tx", &[Down], "abc\n\tˇx");
    check("e\u{301}xˇy\nabc", &[Down], "e\u{301}xy\nabˇc");
}

#[test]
fn pages_are_so_many_lines_and_stop_at_the_ends() {
    check("aˇ\nb\nc\nd", &[PageDown(2)], "a\nb\ncˇ\nd");
    check("aˇ\nb\nc\nd", &[PageDown(9)], "a\nb\nc\ndˇ");
    check("a\nb\nc\nˇd", &[PageUp(9)], "ˇa\nb\nc\nd");
    check("a\nb\nc\ndˇ", &[PageUp(2)], "a\nbˇ\nc\nd");
}

#[test]
fn words_end_and_start_where_the_class_changes() {
    check("ˇfoo_1.bar  baz", &[WordRight], "foo_1ˇ.bar  baz");
    check("foo_1ˇ.bar  baz", &[WordRight], "foo_1.ˇbar  baz");
    check("foo_1.barˇ  baz", &[WordRight], "foo_1.bar  bazˇ");
    check("foo_1.bar  bazˇ", &[WordLeft], "foo_1.bar  ˇbaz");
    check("foo_1.bar  ˇbaz", &[WordLeft], "foo_1.ˇbar  baz");
    check("foo_1.bar  ˇbaz", &[WordLeft, WordLeft], "foo_1ˇ.bar  baz");
}

#[test]
fn words_stop_at_line_ends() {
    check("aˇ  \n  b", &[WordRight], "a  ˇ\n  b");
    check("a  ˇ\n  b", &[WordRight], "a  \n  bˇ");
    check("aˇ\n\nb", &[WordRight], "a\nˇ\nb");
    check("a\n  ˇb", &[WordLeft], "a\nˇ  b");
    check("a\r\nˇb", &[WordLeft], "aˇ\r\nb");
}

#[test]
fn words_are_whole_with_their_marks() {
    check("ˇcafe\u{301}s x", &[WordRight], "cafe\u{301}sˇ x");
    check("cafe\u{301}sˇ x", &[WordLeft], "ˇcafe\u{301}s x");
    check("ˇ👨‍👩‍👧‍👦 x", &[WordRight], "👨‍👩‍👧‍👦ˇ x");
    check("x 👨‍👩‍👧‍👦ˇ", &[WordLeft], "x ˇ👨‍👩‍👧‍👦");
    check("ˇпривет мир", &[WordRight], "приветˇ мир");
}

#[test]
fn line_start_goes_to_the_text_first() {
    check("  abˇ", &[LineStart], "  ˇab");
    check("  abˇ", &[LineStart, LineStart], "ˇ  ab");
    check("  abˇ", &[LineStart, LineStart, LineStart], "  ˇab");
    check(" ˇ ab", &[LineStart], "  ˇab");
    check("  ˇ", &[LineStart], "ˇ  ");
}

#[test]
fn line_end_is_before_the_ending() {
    check("ˇab\r\nc", &[LineEnd], "abˇ\r\nc");
    check("aˇb", &[LineEnd], "abˇ");
}

#[test]
fn paragraphs_are_parted_by_blank_lines() {
    check("aˇ\nb\n\n\nc", &[ParagraphDown], "a\nb\nˇ\n\nc");
    check("a\nb\nˇ\n\nc", &[ParagraphDown], "a\nb\n\n\ncˇ");
    check("a\n \nb\ncˇ", &[ParagraphUp], "a\nˇ \nb\nc");
    check("a\nˇ \nb\nc", &[ParagraphUp], "ˇa\n \nb\nc");
}

#[test]
fn a_caret_selects_the_word_it_touches() {
    let words = |text: &Text, _: &Columns, selections: &Selections| select_words(text, selections);
    check_with("foo.bˇar", words, "foo.«barˇ»");
    check_with("fooˇ.bar", words, "«fooˇ».bar");
    check_with("a +ˇ b", words, "a «+ˇ» b");
    check_with("a ˇ b", words, "a«  ˇ»b");
    check_with("ˇ", words, "ˇ");
    check_with("aˇ\nb", words, "«aˇ»\nb");
    check_with("«fˇ»oo bˇar", words, "«fˇ»oo «barˇ»");
}

#[test]
fn lines_are_selected_whole_and_then_one_more() {
    let lines = |text: &Text, _: &Columns, selections: &Selections| select_lines(text, selections);
    check_with("a\nbˇc\r\nd", lines, "a\n«bc\r\nˇ»d");
    check_with("«a\nˇ»b\nc", lines, "«a\nb\nˇ»c");
    check_with("aˇ", lines, "«aˇ»");
}

#[test]
fn all_is_one_selection() {
    check_with("aˇbˇ\n", |text, _, _| select_all(text), "«ab\nˇ»");
}

#[test]
fn a_selection_splits_into_its_lines() {
    let split = |text: &Text, _: &Columns, selections: &Selections| split_into_lines(text, selections);
    check_with("a«b\n\ncdˇ»e", split, "a«bˇ»\nˇ\n«cdˇ»e");
    check_with("«a\nˇ»b", split, "«aˇ»\nb");
}

#[test]
fn carets_are_added_above_and_below() {
    check_with("abcˇ\nx\nabcd", add_below, "abcˇ\nxˇ\nabcd");
    let twice = |text: &Text, columns: &Columns, selections: &Selections| {
        add_below(text, columns, &add_below(text, columns, selections))
    };
    check_with("abcˇ\nx\nabcd", twice, "abcˇ\nxˇ\nabcˇd");
    check_with("abcd\nabˇc", add_above, "abˇcd\nabˇc");
    check_with("ˇa", add_above, "ˇa");
    check_with("aˇ", add_below, "aˇ");
    check_with("a«bcˇ»\nabcd", add_below, "a«bcˇ»\na«bcˇ»d");
}

#[test]
fn a_column_selection_is_a_rectangle_of_cells() {
    let rectangle =
        |from, to| move |text: &Text, columns: &Columns, _: &Selections| column_selection(text, columns, from, to);
    check_with(
        "abcd\nx\n漢字\nabcd",
        rectangle((0, 1), (3, 3)),
        "a«bcˇ»d\nxˇ\n漢«字ˇ»\na«bcˇ»d".replace("漢«字ˇ»", "«漢ˇ»字").as_str(),
    );
    check_with("abc\nabc", rectangle((1, 2), (0, 1)), "a«ˇb»c\na«ˇb»c");
    check_with("abc\nabc", rectangle((0, 1), (9, 1)), "aˇbc\naˇbc");
}

#[test]
fn the_primary_of_a_column_selection_is_at_its_head() {
    let text = Text::from("abc\nabc\nabc");
    let down = column_selection(&text, &Columns::default(), (0, 0), (2, 1));
    assert_eq!(down.primary().head, 9);
    let up = column_selection(&text, &Columns::default(), (2, 0), (0, 1));
    assert_eq!(up.primary().head, 1);
}

#[test]
fn the_next_occurrence_is_added_around_the_end() {
    let next = |text: &Text, _: &Columns, selections: &Selections| add_next_occurrence(text, selections);
    check_with("fˇoo foo", next, "«fooˇ» foo");
    check_with("«fooˇ» x foo", next, "«fooˇ» x «fooˇ»");
    check_with("foo x «fooˇ»", next, "«fooˇ» x «fooˇ»");
    check_with("«ˇa»b", next, "«ˇa»b");
}

#[test]
fn occurrences_are_found_across_blocks() {
    let filler = "x".repeat(64 * 1024 - 2);
    let (text, selections) = parse(&format!("«needleˇ»{filler}needle{filler}needle"));
    let text = Text::from(text);
    let starts = |selections: &Selections| selections.iter().map(Selection::start).collect::<Vec<_>>();
    let all = select_all_occurrences(&text, &selections);
    assert_eq!(starts(&all), [0, 6 + filler.len(), 12 + 2 * filler.len()]);
    let two = add_next_occurrence(&text, &selections);
    let three = add_next_occurrence(&text, &two);
    assert_eq!(three.as_slice(), all.as_slice());
    assert_eq!(add_next_occurrence(&text, &three), three);
}

#[test]
fn every_occurrence_of_the_word_is_selected() {
    let all = |text: &Text, _: &Columns, selections: &Selections| select_all_occurrences(text, selections);
    check_with("aˇ b a", all, "«aˇ» b «aˇ»");
}
