//! Cutting, copying and pasting.

use crate::edit::*;
use crate::marked::{check, document, edited};

fn copied(marked: &str) -> Clip {
    let (document, selections) = document(marked);
    copy(&EditContext::new(&document), &selections)
}

fn pasted(from: &str, before: &str, after: &str) {
    let clip = copied(from);
    check(before, |context, selections| paste(context, selections, &clip), after);
}

#[test]
fn every_caret_gets_its_piece() {
    pasted("«oneˇ» «twoˇ»", "ˇ-«xˇ»", "oneˇ-twoˇ");
    assert_eq!(copied("«oneˇ» «twoˇ»").text, "one\ntwo");
}

#[test]
fn pieces_that_do_not_fit_go_to_every_caret_as_a_whole() {
    pasted("«aˇ» «bˇ»", "ˇ-ˇ-ˇ", "a\nbˇ-a\nbˇ-a\nbˇ");
    pasted("«aˇ»", "ˇ-ˇ", "aˇ-aˇ");
}

#[test]
fn a_line_for_each_caret_is_spread() {
    let clip = Clip::foreign("a\r\nb\n");
    check("ˇ-ˇ", |context, selections| paste(context, selections, &clip), "aˇ-bˇ");
}

#[test]
fn a_copied_line_goes_above() {
    pasted("xˇy\nz", "abˇc", "xy\nabˇc");
    pasted("xˇ", "«aˇ»", "x\nˇ");
    pasted("xˇ\nyˇ", "aˇ\nbˇ", "x\naˇ\ny\nbˇ");
    pasted("xˇ\n", "aˇbˇ", "x\nx\naˇbˇ");
}

#[test]
fn pasted_line_breaks_become_the_documents() {
    let clip = Clip::foreign("a\nb\r\nc");
    check("x\r\nˇ", |context, selections| paste(context, selections, &clip), "x\r\na\r\nb\r\ncˇ");
    check("x\nˇ", |context, selections| paste(context, selections, &clip), "x\na\nb\ncˇ");
}

#[test]
fn cutting_copies_and_deletes() {
    let mut clip = Clip::default();
    let mut cut_into = |context: &EditContext<'_>, selections: &_| {
        let (cut, transaction) = cut(context, selections);
        clip = cut;
        transaction
    };
    assert_eq!(edited("a«bˇ»c«dˇ»", |_| {}, &mut cut_into), "aˇcˇ");
    assert_eq!(clip.pieces, ["b", "d"]);
    let mut clip = Clip::default();
    let cut_line = |context: &EditContext<'_>, selections: &_| {
        let (cut, transaction) = cut(context, selections);
        clip = cut;
        transaction
    };
    assert_eq!(edited("a\nbˇ\nc", |_| {}, cut_line), "a\ncˇ");
    assert_eq!((clip.text.as_str(), clip.lines), ("b\n", true));
}
