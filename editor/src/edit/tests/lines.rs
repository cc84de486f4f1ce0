//! Commands on whole lines, comments and case.

use crate::document::Indent;
use crate::edit::*;
use crate::marked::{check, edited};

#[test]
fn lines_go_a_step_deeper_and_back() {
    check("«a\n\n  bˇ»", indent, "«    a\n\n    bˇ»");
    check("aˇ", indent, "    aˇ");
    check("«a\nˇ»b", indent, "«    a\nˇ»b");
    check("«      a\n  bˇ»\nc", outdent, "«    a\nbˇ»\nc");
    check("    aˇ", outdent, "aˇ");
    check("aˇ", outdent, "aˇ");
}

#[test]
fn a_tab_that_is_more_than_a_step_is_split() {
    let eight = |context: &mut EditContext<'_>| context.indent = Indent::Spaces(2);
    assert_eq!(edited("\taˇ", eight, outdent), "  aˇ");
    assert_eq!(edited("«a\nbˇ»", |context| context.indent = Indent::Tabs, indent), "«\ta\n\tbˇ»");
    assert_eq!(edited("\t\taˇ", |context| context.indent = Indent::Tabs, outdent), "\taˇ");
}

#[test]
fn lines_move_with_their_selections() {
    check("a\nbˇ\nc", move_lines_up, "bˇ\na\nc");
    check("a\nbˇ\nc", move_lines_down, "a\nc\nbˇ");
    check("a\n«b\ncˇ»\nd", move_lines_up, "«b\ncˇ»\na\nd");
    check("a\n«b\ncˇ»\nd\n", move_lines_down, "a\nd\n«b\ncˇ»\n");
    check("aˇ\nb", move_lines_up, "aˇ\nb");
    check("a\nbˇ", move_lines_down, "a\nbˇ");
}

#[test]
fn a_selection_of_whole_lines_stays_one_when_it_moves() {
    check("a\n«b\nˇ»c\n", move_lines_up, "«b\nˇ»a\nc\n");
    check("a\n«b\nˇ»c\n", move_lines_down, "a\nc\n«b\nˇ»");
}

#[test]
fn empty_lines_move_too() {
    check("a\nˇ\nb", move_lines_up, "ˇ\na\nb");
    check("a\nˇ\nb", move_lines_down, "a\nb\nˇ");
    check("\naˇ", move_lines_up, "aˇ\n");
}

#[test]
fn a_last_line_without_ending_moves_and_gets_one() {
    check("a\nbˇ", move_lines_up, "bˇ\na");
    check("a\r\nbˇ", move_lines_up, "bˇ\r\na");
    check("aˇ\nb", move_lines_down, "b\naˇ");
}

#[test]
fn several_blocks_move_at_once() {
    check("a\nbˇ\nc\ndˇ\n", move_lines_up, "bˇ\na\ndˇ\nc\n");
    check("aˇ\nb\ncˇ\nd\n", move_lines_down, "b\naˇ\nd\ncˇ\n");
    check("a\nbˇ\ncˇ\n", move_lines_up, "bˇ\ncˇ\na\n");
}

#[test]
fn lines_are_copied_up_and_down() {
    check("aˇb\nc", copy_lines_down, "ab\naˇb\nc");
    check("aˇb\nc", copy_lines_up, "aˇb\nab\nc");
    check("a\n«bˇ»", copy_lines_down, "a\nb\n«bˇ»");
    check("a\n«ˇb»", copy_lines_up, "a\n«ˇb»\nb");
    check("x\r\nˇ", copy_lines_down, "x\r\n\r\nˇ");
}

#[test]
fn what_is_selected_is_repeated_after_itself() {
    check("a«bˇ»c", duplicate, "ab«bˇ»c");
    check("«ˇab»", duplicate, "ab«ˇab»");
    check("aˇ", duplicate, "a\naˇ");
}

#[test]
fn lines_are_deleted_and_the_column_kept() {
    check("ab\ncdˇ\nef", delete_lines, "ab\nefˇ");
    check("ab\ncdˇ", delete_lines, "abˇ");
    check("«a\nbˇ»\nc", delete_lines, "cˇ");
    check("aˇ", delete_lines, "ˇ");
    check("aˇ\nb\ncˇ\nd", delete_lines, "bˇ\ndˇ");
    check("aˇ\r\n", delete_lines, "ˇ");
    check("ˇ", delete_lines, "ˇ");
}

#[test]
fn lines_are_joined_by_one_space() {
    check("aˇ\n    b\nc", join_lines, "aˇ b\nc");
    check("«a\n  b\ncˇ»\nd", join_lines, "«a b cˇ»\nd");
    check("a ˇ\nb", join_lines, "a ˇb");
    check("«a\n\n  bˇ»", join_lines, "«a bˇ»");
    check("aˇ\r\n\r\nb", join_lines, "aˇ\r\nb");
    check("ˇ\n  b", join_lines, "ˇb");
    check("aˇ", join_lines, "aˇ");
    check("aˇ\nbˇ\nc", join_lines, "aˇ bˇ c");
}

#[test]
fn comment_signs_stand_in_one_column() {
    check("«    a\n\n  bˇ»", toggle_comment, "«  //   a\n\n  // bˇ»");
    check("«  //   a\n\n  // bˇ»", toggle_comment, "«    a\n\n  bˇ»");
    check("aˇ\nb", toggle_comment, "// aˇ\nb");
    check("//aˇ", toggle_comment, "aˇ");
    check("ˇ", toggle_comment, "// ˇ");
}

#[test]
fn what_is_commented_in_part_is_commented_again() {
    check("«// a\nbˇ»", toggle_comment, "«// // a\n// bˇ»");
}

#[test]
fn a_language_with_block_comments_alone_uses_them_for_lines() {
    let html = |context: &mut EditContext<'_>| {
        context.line_comment = None;
        context.block_comment = Some(("<!--", "-->"));
    };
    assert_eq!(edited("  <p>ˇ", html, toggle_comment), "  <!-- <p> -->ˇ");
    assert_eq!(edited("  <!-- <p> -->ˇ", html, toggle_comment), "  <p>ˇ");
    let none = |context: &mut EditContext<'_>| (context.line_comment, context.block_comment) = (None, None);
    assert_eq!(edited("aˇ", none, toggle_comment), "aˇ");
}

#[test]
fn block_comments_go_around_selections() {
    check("a «bˇ» c", toggle_block_comment, "a «/* b */ˇ» c");
    check("a «/* b */ˇ» c", toggle_block_comment, "a «bˇ» c");
    check("  aˇb", toggle_block_comment, "  /* aˇb */");
    check("  /* aˇb */", toggle_block_comment, "  aˇb");
    // Too short to be a comment: both signs cannot share a star.
    check("«/*/ˇ»", toggle_block_comment, "«/* /*/ */ˇ»");
}

#[test]
fn case_changes_in_selections_and_words() {
    for (case, after) in [
        (Case::Upper, "«HTTP_SERVER NAME2ˇ»"),
        (Case::Lower, "«http_server name2ˇ»"),
        (Case::Title, "«Http_Server Name2ˇ»"),
        (Case::Snake, "«http_server_name2ˇ»"),
        (Case::Constant, "«HTTP_SERVER_NAME2ˇ»"),
        (Case::Kebab, "«http-server-name2ˇ»"),
        (Case::Camel, "«httpServerName2ˇ»"),
        (Case::Pascal, "«HttpServerName2ˇ»"),
    ] {
        check("«HTTP_Server name2ˇ»", |context, selections| transform_case(context, selections, case), after);
    }
    check("HTTPServerˇ", |context, selections| transform_case(context, selections, Case::Snake), "http_serveˇr");
    check("ABˇ", |context, selections| transform_case(context, selections, Case::Upper), "ABˇ");
    check("«straßeˇ»", |context, selections| transform_case(context, selections, Case::Upper), "«STRASSEˇ»");
}

#[test]
fn white_space_at_line_ends_goes_but_under_a_caret() {
    let all = |context: &EditContext<'_>, selections: &_| {
        trim_trailing_whitespace(context, selections, 0..context.text.line_count())
    };
    check("a  \nb \t\r\n  ˇ\n  ", all, "a\nb\r\n  ˇ\n");
    check("aˇ  \n", all, "aˇ\n");
}

#[test]
fn a_text_gets_a_final_line_ending_once() {
    check("aˇ", ensure_final_newline, "aˇ\n");
    check("a\r\nbˇ\r\nc", ensure_final_newline, "a\r\nbˇ\r\nc\r\n");
    check("a\nˇ", ensure_final_newline, "a\nˇ");
    check("ˇ", ensure_final_newline, "ˇ");
}

#[test]
fn brackets_match_on_either_side_of_the_caret() {
    let text = crate::Text::from("f(a[0], (b))");
    assert_eq!(matching_bracket(&text, 1, BRACKETS), Some((1..2, 11..12)));
    assert_eq!(matching_bracket(&text, 12, BRACKETS), Some((11..12, 1..2)));
    assert_eq!(matching_bracket(&text, 6, BRACKETS), Some((5..6, 3..4)));
    assert_eq!(matching_bracket(&text, 0, BRACKETS), None);
    assert_eq!(matching_bracket(&crate::Text::from("(("), 0, BRACKETS), None);
}
