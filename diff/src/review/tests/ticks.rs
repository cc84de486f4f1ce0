//! Ticks on the page, through rounds of a change.

use editor::change::ChangeSet;
use editor::text::Text;

use super::*;
use crate::engine::Whitespace;
use crate::git::Side;
use crate::review::{NewSide, PageRow, Prints, Tracer};
use crate::ticks::{Mark, MarkSum, Marks, Viewed};

const VIEWED: Option<Mark> = Some(Mark::Viewed);

/// Texts of 100 lines, of which these are changed.
fn round(changed: &[&[usize]]) -> Vec<(String, String)> {
    changed.iter().map(|changed| (lines(100, &[]), lines(100, changed))).collect()
}

/// A page of texts with marks that were set in another round.
fn page(texts: &[(String, String)], marks: &Marks) -> (Folders, Review) {
    let folders = Folders::new(texts.iter().map(|(old, new)| (old.as_str(), new.as_str())));
    let mut page = folders.page();
    page.set_marks(marks.clone());
    for file in 0..texts.len() {
        folders.load(&mut page, file);
    }
    (folders, page)
}

fn states(page: &Review) -> Vec<Viewed> {
    page.files().iter().map(|file| file.viewed).collect()
}

#[test]
fn a_viewed_file_is_folded_and_counted() {
    let (_folders, mut page) = page(&round(&[&[5], &[5], &[5]]), &Marks::default());
    assert_eq!(page.progress().to_string(), "0 of 3 viewed");
    page.tick(1, VIEWED);
    assert_eq!(states(&page), [Viewed::No, Viewed::Yes, Viewed::No]);
    assert!(page.files()[1].folded);
    assert_eq!(page.progress().to_string(), "1 of 3 viewed");
    page.tick(1, Some(Mark::ComeBack));
    assert_eq!((page.files()[1].viewed, page.files()[1].folded), (Viewed::ComeBack, false));
    assert_eq!((page.progress().viewed, page.progress().come_back), (0, 1));
    page.tick_all(VIEWED);
    assert_eq!(page.progress().to_string(), "3 of 3 viewed");
    page.tick(1, None);
    assert_eq!(page.progress().to_string(), "2 of 3 viewed");
}

#[test]
fn ticks_survive_a_round_and_a_file_opens_where_it_changed() {
    let (_folders, mut first) = page(&round(&[&[5, 50], &[5], &[5, 50]]), &Marks::default());
    first.tick_all(VIEWED);
    // The first file is as it was, the second has another hunk, of the third one hunk is another.
    let mut texts = round(&[&[5, 50], &[5, 80], &[5, 50]]);
    texts[2].1 = texts[2].1.replace("50!", "50?");
    let (_folders, second) = page(&texts, first.marks());
    let part = Viewed::Part { seen: 1, of: 2 };
    assert_eq!(states(&second), [Viewed::Yes, part, part]);
    assert_eq!(second.files().iter().map(|file| file.folded).collect::<Vec<_>>(), [true, false, false]);
    let hunks = |file| [0, 1].map(|hunk| second.hunk_mark(file, hunk));
    assert_eq!((hunks(1), hunks(2)), ([VIEWED, None], [VIEWED, None]));
    // Lines that come before a hunk do not open it.
    let mut texts = round(&[&[5, 50]]);
    texts[0].1.insert_str(0, "new\nlines\n");
    let (_folders, third) = page(&texts, first.marks());
    assert_eq!(states(&third), [Viewed::Part { seen: 2, of: 3 }]);
}

#[test]
fn a_hunk_is_ticked_by_itself() {
    let (_folders, mut page) = page(&round(&[&[5, 50, 90]]), &Marks::default());
    page.tick_hunks(0, 1..2, VIEWED);
    assert_eq!(states(&page), [Viewed::Part { seen: 1, of: 3 }]);
    page.tick_hunks(0, 0..1, VIEWED);
    page.tick_hunks(0, 2..3, VIEWED);
    assert_eq!(states(&page), [Viewed::Yes]);
    page.tick_hunks(0, 1..2, None);
    assert_eq!(states(&page), [Viewed::Part { seen: 2, of: 3 }]);
    page.tick(0, VIEWED);
    page.tick_hunks(0, 1..2, Some(Mark::ComeBack));
    assert_eq!(states(&page), [Viewed::ComeBack]);
}

#[test]
fn a_group_of_hunks_is_ticked_and_counted_at_once() {
    let (_folders, mut page) = page(&round(&[&[5, 20, 35, 50, 65]]), &Marks::default());
    let counted = |page: &Review, hunks| {
        let MarkSum { viewed, come_back } = page.marked_hunks(0, &hunks);
        (viewed, come_back)
    };
    assert_eq!(counted(&page, 0..5), (0, 0));
    page.tick_hunks(0, 1..4, VIEWED);
    assert_eq!(states(&page), [Viewed::Part { seen: 3, of: 5 }]);
    assert_eq!([0..2, 1..4, 2..5, 4..5].map(|hunks| counted(&page, hunks)), [(1, 0), (3, 0), (2, 0), (0, 0)]);
    page.tick_hunks(0, 2..3, Some(Mark::ComeBack));
    assert_eq!([1..4, 3..5].map(|hunks| counted(&page, hunks)), [(2, 1), (1, 0)]);
    page.tick_hunks(0, 0..5, VIEWED);
    assert_eq!((states(&page)[0], counted(&page, 1..4)), (Viewed::Yes, (3, 0)));
    // Of a file that is viewed as a whole, the others stay viewed.
    page.tick(0, VIEWED);
    page.tick_hunks(0, 1..3, None);
    assert_eq!((states(&page)[0], counted(&page, 0..5)), (Viewed::Part { seen: 3, of: 5 }, (3, 0)));
    page.tick(0, Some(Mark::ComeBack));
    assert_eq!(counted(&page, 1..3), (0, 2));
}

#[test]
fn what_is_ticked_is_handed_out_to_be_written() {
    let (_folders, mut page) = page(&round(&[&[5, 50]]), &Marks::default());
    page.tick(0, VIEWED);
    let mut written = Marks::default();
    written.extend(page.take_mark_changes());
    assert_eq!(&written, page.marks());
    assert_eq!(page.take_mark_changes(), []);
    page.tick_hunks(0, 0..1, None);
    written.extend(page.take_mark_changes());
    assert_eq!(&written, page.marks());
    assert_eq!(written.len(), 1);
}

#[test]
fn a_tick_on_a_file_that_is_not_read_yet_is_completed_when_it_is() {
    let texts = round(&[&[5, 50]]);
    let folders = Folders::new(texts.iter().map(|(old, new)| (old.as_str(), new.as_str())));
    let mut page = folders.page();
    page.tick(0, VIEWED);
    assert_eq!((states(&page)[0], page.files()[0].folded, page.take_mark_changes().len()), (Viewed::Yes, true, 0));
    folders.load(&mut page, 0);
    assert_eq!((states(&page)[0], page.files()[0].folded), (Viewed::Yes, true));
    assert_eq!(page.take_mark_changes().len(), 2, "two hunks are to be written");
}

#[test]
fn viewed_files_can_be_off_the_page() {
    let (_folders, mut page) = page(&round(&[&[5], &[5]]), &Marks::default());
    page.tick(0, VIEWED);
    page.set_hide_viewed(true);
    assert_eq!(page.index().height(0), 0);
    assert_eq!(page.neighbour_file(1, false), None);
    page.tick(1, VIEWED);
    assert_eq!(page.index().total(), 0);
    page.set_hide_viewed(false);
    assert!(page.index().height(0) > 0);
}

#[test]
fn the_next_place_that_was_not_viewed_is_a_hunk_or_a_file() {
    let (_folders, mut page) = page(&round(&[&[5], &[5, 50, 90], &[5]]), &Marks::default());
    page.tick(0, VIEWED);
    page.tick_hunks(1, 0..1, VIEWED);
    let hunk = |page: &Review, line| page.row_of_line(1, Side::New, line);
    let second = hunk(&page, 50);
    assert_eq!(page.next_unviewed(PageRow { file: 0, row: 0 }), Some(second));
    assert_eq!(page.next_unviewed(second), Some(hunk(&page, 90)));
    assert_eq!(page.next_unviewed(hunk(&page, 90)), Some(PageRow { file: 2, row: 0 }));
    assert_eq!(page.next_unviewed(PageRow { file: 2, row: 0 }), Some(second), "from the top again");
    page.tick_all(VIEWED);
    assert_eq!(page.next_unviewed(second), None);
}

#[test]
fn typing_opens_a_file_until_it_is_known_what_is_left() {
    let (_folders, mut page) = page(&round(&[&[5, 50]]), &Marks::default());
    page.tick(0, VIEWED);
    let before = Text::from(&*lines(100, &[5, 50]));
    page.attach(0, &before);
    assert_eq!(states(&page), [Viewed::Yes], "the document is what was read");
    let at = before.line_start(50);
    let changes = ChangeSet::from_edits(before.len(), [(at..at, "x")]);
    let after = changes.apply(&before);
    page.edit(0, &changes, &before, &after);
    assert_eq!(states(&page), [Viewed::No]);

    let file = page.file(0).unwrap();
    let file_lines = file.lines().unwrap();
    let new = crate::lines::Content::new(after.to_string().into_bytes()).unwrap();
    let sides = (&file_lines.old, &new);
    let (hunks, tracer) = (file_lines.hunks(), Tracer::default());
    let prints = Prints::of_lines(&file.change, sides, hunks, &file.notes, page.whitespace(), &tracer);
    page.set_prints(0, prints);
    assert_eq!(states(&page), [Viewed::Part { seen: 1, of: 2 }]);
}

#[test]
fn a_document_that_changed_unseen_is_compared_anew() {
    let (_folders, mut page) = page(&round(&[&[5, 50]]), &Marks::default());
    page.tick(0, VIEWED);
    page.attach(0, &Text::from(&*lines(100, &[5, 50])));
    page.attach(0, &Text::from(&*lines(100, &[5])));
    assert_eq!(page.files()[0].counts.unwrap().added, 1);
    assert_eq!(states(&page), [Viewed::No], "until it is known what is left");
}

#[test]
fn white_space_that_a_mode_hides_was_not_viewed() {
    let texts = [(lines(100, &[]), lines(100, &[5]).replace("\n50\n", "\n  50\n"))];
    let (folders, mut page) = page(&texts, &Marks::default());
    page.set_whitespace(Whitespace::IgnoreAll, |_| None);
    folders.load(&mut page, 0);
    page.tick(0, VIEWED);
    assert_eq!(states(&page), [Viewed::Yes]);
    page.set_whitespace(Whitespace::Exact, |_| None);
    folders.load(&mut page, 0);
    assert_eq!(states(&page), [Viewed::Part { seen: 1, of: 2 }]);
    page.tick(0, VIEWED);
    page.set_whitespace(Whitespace::IgnoreAll, |_| None);
    folders.load(&mut page, 0);
    assert_eq!(states(&page), [Viewed::Yes]);
}

#[test]
fn moves_are_found_in_the_traces_of_a_page() {
    let block = "fn moved() {\n    let value = compute();\n    value + 1\n}\n";
    let texts = [(lines(9, &[]) + block, lines(9, &[])), (lines(9, &[]), lines(9, &[]) + block)];
    let (_folders, mut page) = page(&texts, &Marks::default());
    let traces = page.traces(|_| None);
    let moves = crate::moves::find(traces.iter().map(|(file, traces)| (*file, &**traces)), &Cancel::new()).unwrap();
    page.set_moves(moves);
    assert_eq!(page.moves().at(Side::New, 1, 10).map(|found| found.old.lines.clone()), Some(9..13));
    let text = Text::from(&*texts[1].1);
    page.attach(1, &text);
    assert!(matches!(page.file(1).unwrap().lines().unwrap().new, NewSide::Live(..)));
    let changes = ChangeSet::from_edits(text.len(), [(0..0, "above\n")]);
    page.edit(1, &changes, &text, &changes.apply(&text));
    assert_eq!(page.moves().all()[0].new.lines, 10..14, "an edit above moves it along");
}
