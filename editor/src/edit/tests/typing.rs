//! Typing and deleting.

use crate::document::{Document, EditKind, Indent, LineEnding};
use crate::edit::*;
use crate::marked::{check, document, edited};
use crate::movement;
use crate::selection::Selections;
use crate::text::Text;

fn type_(before: &str, typed: &str, after: &str) {
    check(before, |context, selections| type_text(context, selections, typed), after);
}

#[test]
fn text_goes_to_every_caret_and_replaces_selections() {
    type_("ˇa\nˇb\n«cˇ»«ˇd»", "x", "xˇa\nxˇb\nxˇxˇ");
    check("a«bˇ»c", |context, selections| insert_text(context, selections, "(\n"), "a(\nˇc");
}

#[test]
fn an_opening_bracket_brings_its_partner_where_there_is_room() {
    type_("ˇ", "(", "(ˇ)");
    type_("fˇ;", "[", "f[ˇ];");
    type_("ˇname", "(", "(ˇname");
    type_("(ˇ)", "{", "({ˇ})");
}

#[test]
fn a_closing_bracket_steps_over_the_one_that_is_there() {
    type_("f(xˇ)", ")", "f(x)ˇ");
    // One more is needed here.
    type_("f(g(xˇ)", ")", "f(g(x)ˇ)");
    type_("xˇ)", ")", "x)ˇ");
}

#[test]
fn quotes_pair_apart_from_words() {
    type_("ˇ", "\"", "\"ˇ\"");
    type_("donˇ", "'", "don'ˇ");
    type_("\"aˇ\"", "\"", "\"a\"ˇ");
    type_("\\ˇ", "\"", "\\\"ˇ");
    type_("ˇname", "\"", "\"ˇname");
}

#[test]
fn brackets_and_quotes_surround_a_selection() {
    type_("a «bˇ» «ˇc»", "(", "a («bˇ») («ˇc»)");
    type_("«aˇ»", "`", "`«aˇ»`");
}

#[test]
fn without_auto_close_characters_are_only_themselves() {
    for (before, typed, after) in [("ˇ", "(", "(ˇ"), ("«aˇ»", "(", "(ˇ"), ("ˇ", "\"", "\"ˇ"), ("(ˇ)", ")", "()ˇ)")]
    {
        let typed = |context: &EditContext<'_>, selections: &_| type_text(context, selections, typed);
        assert_eq!(edited(before, |context| context.auto_close = false, typed), after);
    }
}

#[test]
fn a_closing_bracket_goes_to_the_indentation_of_its_partner() {
    type_("  if x {\n    y\n    ˇ", "}", "  if x {\n    y\n  }ˇ");
    type_("f({\n    }\n    ˇ", ")", "f({\n    }\n)ˇ");
    type_("{\n    aˇ", "}", "{\n    a}ˇ");
}

#[test]
fn a_new_line_is_indented_like_the_one_before() {
    check("  aˇ", newline, "  a\n  ˇ");
    check("\t aˇb", newline, "\t a\n\t ˇb");
    check("  ˇa", newline, "\n  ˇa");
    check("a ˇ  b", newline, "a \nˇb");
}

#[test]
fn a_line_of_indentation_alone_is_left_empty() {
    check("  a\n  ˇ", newline, "  a\n\n  ˇ");
}

#[test]
fn a_new_line_after_an_opening_bracket_goes_deeper() {
    check("  f(ˇ", newline, "  f(\n      ˇ");
    check("  f( ˇx", newline, "  f( \n      ˇx");
    check("ˇ{", newline, "\nˇ{");
}

#[test]
fn between_brackets_the_closing_one_gets_a_line_of_its_own() {
    check("  f {ˇ}", newline, "  f {\n      ˇ\n  }");
    check("[ˇ)", newline, "[\n    ˇ)");
    check("f {ˇ}\ng {ˇ}", newline, "f {\n    ˇ\n}\ng {\n    ˇ\n}");
}

#[test]
fn a_language_may_indent_after_another_sign() {
    assert_eq!(edited("if x:ˇ", |context| context.indent_after = Some(':'), newline), "if x:\n    ˇ");
}

#[test]
fn tabs_indent_where_the_document_has_tabs() {
    assert_eq!(edited("\tf(ˇ)", |context| context.indent = Indent::Tabs, newline), "\tf(\n\t\tˇ\n\t)");
}

#[test]
fn without_auto_indent_a_new_line_is_bare() {
    assert_eq!(edited("  {ˇ}", |context| context.auto_indent = false, newline), "  {\nˇ}");
}

/// Case 5: a mixed file keeps its bytes, and a new line is written with the dominant ending.
#[test]
fn a_new_line_uses_the_dominant_line_ending() {
    check("a\r\nb\r\ncˇ\nd", newline, "a\r\nb\r\nc\r\nˇ\nd");
    check("a\r\nbˇ\nc\nd", newline, "a\r\nb\nˇ\nc\nd");
    assert_eq!(edited("{ˇ}", |context| context.line_ending = LineEnding::Crlf, newline), "{\r\n    ˇ\r\n}");
}

#[test]
fn new_lines_above_and_below_leave_the_line_whole() {
    check("  aˇb\nc", newline_below, "  ab\n  ˇ\nc");
    check("x\n  aˇb", newline_above, "x\n  ˇ\n  ab");
    check("f {ˇ x", newline_below, "f { x\nˇ");
}

#[test]
fn tab_goes_to_the_next_step() {
    check("ˇ", tab, "    ˇ");
    check("abˇ", tab, "ab  ˇ");
    check("漢aˇ", tab, "漢a ˇ");
    check("a«bˇ»c", tab, "a   ˇc");
    check("«a\nbˇ»", tab, "«    a\n    bˇ»");
    assert_eq!(edited("abˇ", |context| context.indent = Indent::Tabs, tab), "ab\tˇ");
}

#[test]
fn backspace_deletes_a_grapheme_or_the_selection() {
    check("abˇc", backspace, "aˇc");
    check("a«bˇ»cdˇ", backspace, "aˇcˇ");
    check("a\r\nˇb", backspace, "aˇb");
    check("ˇa", backspace, "ˇa");
}

#[test]
fn backspace_in_indentation_goes_back_a_step() {
    check("        ˇa", backspace, "    ˇa");
    check("      ˇa", backspace, "    ˇa");
    check("    a    ˇ", backspace, "    a   ˇ");
    check("\t  ˇa", backspace, "\tˇa");
    check("\tˇa", backspace, "ˇa");
    assert_eq!(edited("    ˇ", |context| context.indent = Indent::Tabs, backspace), "   ˇ");
}

#[test]
fn backspace_in_an_empty_pair_deletes_both() {
    check("f(ˇ)", backspace, "fˇ");
    check("\"ˇ\"", backspace, "ˇ");
    check("(ˇ]", backspace, "ˇ]");
    assert_eq!(edited("(ˇ)", |context| context.auto_close = false, backspace), "ˇ)");
}

#[test]
fn delete_takes_the_grapheme_after() {
    check("aˇbc", delete, "aˇc");
    check("aˇ\r\nb", delete, "aˇb");
    check("«abˇ»cˇd", delete, "ˇcˇ");
    check("aˇ", delete, "aˇ");
}

/// Case 8: one press deletes one grapheme.
#[test]
fn one_press_deletes_one_grapheme() {
    for grapheme in ["👨‍👩‍👧‍👦", "🇯🇵", "👶🏾", "e\u{301}", "\r\n"] {
        check(&format!("a{grapheme}ˇb"), backspace, "aˇb");
        check(&format!("aˇ{grapheme}b"), delete, "aˇb");
    }
}

#[test]
fn words_are_deleted_to_either_side() {
    check("one two.ˇ", delete_word_left, "one twoˇ");
    check("one two  ˇ", delete_word_left, "one ˇ");
    check("ˇ one two", delete_word_right, "ˇ two");
    check("aˇ\nb", delete_word_right, "aˇ");
    check("a\nˇb", delete_word_left, "aˇb");
    check("foˇobˇar", delete_word_left, "ˇar");
}

#[test]
fn lines_are_deleted_to_either_side() {
    check("a\nbcˇd", delete_line_start, "a\nˇd");
    check("a\nˇd", delete_line_start, "aˇd");
    check("abˇcd\r\ne", delete_line_end, "abˇ\r\ne");
    check("abˇ\r\ne", delete_line_end, "abˇe");
}

/// Case 15: a hundred thousand brackets that nothing closes. What is looked at around a caret is bounded, and what is out
/// of reach counts as not there.
#[test]
fn typing_among_open_brackets_without_end_stays_plain() {
    let many = "(".repeat(100_000);
    type_(&format!("{many}ˇ"), "(", &format!("{many}(ˇ)"));
    type_(&format!("{many}ˇ)"), ")", &format!("{many})ˇ)"));
    check(&format!("{many}(ˇ)"), backspace, &format!("{many}ˇ"));
    check(&format!("{many}ˇ"), newline, &format!("{many}\n    ˇ"));
    let lines = "(\n".repeat(100_000);
    type_(&format!("{lines}    ˇ"), ")", &format!("{lines})ˇ"));
}

/// Case 15: a long list of items; each key touches its line alone.
#[test]
fn typing_in_a_long_list_changes_one_line() {
    let (mut document, mut selections) =
        document(&format!("{}- xˇ\n{}", "- item\n".repeat(2_500), "- item\n".repeat(2_500)));
    for typed in ["y", "(", "`", " "] {
        let transaction = type_text(&EditContext::new(&document), &selections, typed).unwrap();
        let (old, new) = transaction.changes.extent().unwrap();
        assert!(old.is_empty() && new.len() <= 2, "{old:?} {new:?}");
        let after = transaction.selections_after(&selections).into_owned();
        document.apply(transaction, EditKind::Typing, &selections);
        selections = after;
    }
    assert_eq!(document.text().line(2_500), "- xy(` `)");
}

/// Case 11: one line of 10 MB. (How fast, is for the benches.)
#[test]
fn a_line_of_ten_megabytes_is_edited_like_any_other() {
    let unit = "{\"key\":\"漢字\"},";
    let count = 10_000_000 / unit.len();
    let text = Text::from(unit.repeat(count));
    let mut document = Document::new(text);
    let middle = unit.len() * (count / 2);
    let mut selections = Selections::caret(middle);
    // Each unit is 15 cells.
    let column = 15 * (count / 2) as u32;
    assert_eq!(document.columns().column(document.text(), middle), column);
    let stop = (column + 4).next_multiple_of(4);
    for (typed, reached) in [("a", column + 1), ("漢", column + 3), ("\t", stop), ("é", stop + 1)] {
        let transaction = type_text(&EditContext::new(&document), &selections, typed).unwrap();
        let after = transaction.selections_after(&selections).into_owned();
        document.apply(transaction, EditKind::Typing, &selections);
        selections = after;
        assert_eq!(document.columns().column(document.text(), selections.primary().head), reached);
    }
    let end = movement::apply(document.text(), document.columns(), &selections, movement::Motion::LineEnd, false);
    assert_eq!(end.primary().head, document.text().len());
    let back = document.columns().offset(document.text(), 0, column);
    assert_eq!(back, middle);
}
