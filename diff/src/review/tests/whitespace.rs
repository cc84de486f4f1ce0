//! White-space modes: what they hide, and what is said about it.

use editor::change::ChangeSet;
use editor::text::Text;

use super::*;
use crate::engine::Whitespace;
use crate::git::Side;
use crate::plan::RunKind;
use crate::review::{Body, NewSide, Since};

/// A page of one file that is compared under a mode, and what it shows: its hunks as `old -> new`, or its note; then
/// its badges.
fn shown(old: &str, new: &str, mode: Whitespace) -> String {
    let folders = Folders { keep_equal: false, ..Folders::new([(old, new)]) };
    let mut page = folders.page();
    page.set_whitespace(mode, |_| None);
    folders.load(&mut page, 0);
    let file = &page.files()[0];
    let body = match &file.body {
        Body::Lines(lines) => {
            let side = |content: &[u8]| String::from_utf8_lossy(content).replace('\n', "⏎").replace('\r', "␍");
            let NewSide::Fixed(new) = &lines.new else { panic!("nobody edits") };
            let hunks = lines.hunks().iter();
            let hunks = hunks.map(|hunk| {
                format!("{} -> {}", side(lines.old.lines(hunk.old.clone())), side(new.lines(hunk.new.clone())))
            });
            hunks.collect::<Vec<_>>().join(", ")
        }
        Body::Note(note) => note.title.clone(),
        _ => "nothing".to_owned(),
    };
    let badges: Vec<_> = file.notes.iter().map(ToString::to_string).collect();
    format!("{body} [{}]", badges.join(", "))
}

#[track_caller]
fn check(old: &str, new: &str, mode: Whitespace, expected: &str) {
    assert_eq!(shown(old, new, mode), expected, "{old:?} {new:?} {mode:?}");
}

#[test]
fn case_32_a_change_of_indentation_alone_is_said_where_it_is_hidden() {
    let (old, new) = ("if a {\nb\n}\n", "if a {\n    b\n}\n");
    check(old, new, Whitespace::Exact, "b⏎ ->     b⏎ [white space only]");
    check(old, new, Whitespace::IgnoreAmount, "b⏎ ->     b⏎ [white space only]");
    check(old, new, Whitespace::IgnoreAll, "Only white space differs [white space only, white space of 1 line hidden]");
}

#[test]
fn case_32_in_a_mixed_file_white_space_alone_is_hidden() {
    let (old, new) = ("a\nb\nc\nd\ne\n", "  a\nb\nC\nd\n\te\n");
    check(old, new, Whitespace::Exact, "a⏎ ->   a⏎, c⏎ -> C⏎, e⏎ -> \te⏎ []");
    check(old, new, Whitespace::IgnoreAll, "c⏎ -> C⏎ [white space of 2 lines hidden]");
}

#[test]
fn case_5_line_endings_are_shown_as_two_lines_and_can_be_ignored() {
    let (old, new) = ("a\r\nb\r\n", "a\nb\n");
    let badge = "line endings CRLF → LF";
    check(old, new, Whitespace::Exact, &format!("a␍⏎b␍⏎ -> a⏎b⏎ [{badge}]"));
    let hidden = format!("Only white space differs [{badge}, white space of 2 lines hidden]");
    check(old, new, Whitespace::IgnoreCr, &hidden);
    check(old, new, Whitespace::IgnoreEnd, &hidden);
    check("a\r\nb\r\n", "a\nB\n", Whitespace::IgnoreCr, &format!("b␍⏎ -> B⏎ [{badge}, white space of 1 line hidden]"));
}

#[test]
fn rows_of_hidden_changes_are_context_on_both_sides() {
    let folders = Folders::new([("a\nb\nc\n", "  a\nB\nc\n")]);
    let mut page = folders.page();
    page.set_whitespace(Whitespace::IgnoreAll, |_| None);
    folders.load(&mut page, 0);
    let rows: Vec<_> = page.files()[0].plan().unwrap().rows_from(0).map(|row| (row.kind, row.old, row.new)).collect();
    let (context, changed) = (RunKind::Context, RunKind::Changed);
    assert_eq!(rows, [(context, Some(0), Some(0)), (changed, Some(1), Some(1)), (context, Some(2), Some(2))]);
}

#[test]
fn a_document_is_compared_under_the_mode_as_it_is_typed() {
    let folders = Folders::new([("a\nb\nc\n", "  a\nb\nC\n")]);
    let mut page = folders.page();
    folders.load(&mut page, 0);
    let mut text = Text::from("  a\nb\nC\n");
    page.attach(0, &text);
    let added = |page: &Review| page.files()[0].counts.unwrap().added;
    assert_eq!(added(&page), 2);
    page.set_whitespace(Whitespace::IgnoreAll, |_| Some(&text));
    assert_eq!(added(&page), 1, "the indent is hidden at once");
    for (insert, expected) in [(" ", 1), ("x", 2)] {
        let changes = ChangeSet::from_edits(text.len(), [(4..4, insert)]);
        let after = changes.apply(&text);
        page.edit(0, &changes, &text, &after);
        text = after;
        assert_eq!(added(&page), expected, "{insert:?} before `b`");
    }
    page.set_whitespace(Whitespace::Exact, |_| Some(&text));
    assert_eq!(page.files()[0].lines().unwrap().line_count(Side::New), 3);
    assert_eq!(added(&page), 3, "all three lines differ");
}

#[test]
fn a_mode_stays_through_a_new_listing() {
    let folders = Folders::new([("a\n", "  a\n")]);
    let mut page = folders.page();
    page.set_whitespace(Whitespace::IgnoreAll, |_| None);
    let mut fresh = folders.page();
    fresh.adopt(page, Since::MayHaveChanged);
    assert_eq!(fresh.whitespace(), Whitespace::IgnoreAll);
}
