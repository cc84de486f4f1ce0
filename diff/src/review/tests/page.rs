//! The page: rows, anchors, folds.

use editor::change::ChangeSet;
use editor::text::Text;
use proptest::prelude::*;

use super::*;
use crate::engine::Hunk;
use crate::git::Side;
use crate::plan::{Given, Plan, RunKind};
use crate::review::{Anchor, Below, Body, Expand, HEADER_ROWS, NewSide, PageRow, Part, Since, Wrap};

/// A page of three loaded files of 100 lines; line 20 and 60 differ.
fn loaded() -> (Folders, Review) {
    let (old, new) = (lines(100, &[]), lines(100, &[20, 60]));
    let folders = Folders::new([(&*old, &*new); 3]);
    let mut page = folders.page();
    for file in 0..3 {
        folders.load(&mut page, file);
    }
    (folders, page)
}

/// Expands the gap at a row of a file's body.
fn expand(page: &mut Review, file: usize, body: u32, expand: Expand) {
    page.expand(PageRow { file, row: HEADER_ROWS + body }, expand);
}

/// The anchor at a line of the new side, half a row scrolled past.
fn at_line(page: &Review, file: usize, line: u32) -> Anchor {
    Anchor { file, row: page.row_of_line(file, Side::New, line).row, offset: 0.5 }
}

fn line_at(page: &Review, anchor: Anchor) -> Option<u32> {
    page.line_row(PageRow { file: anchor.file, row: anchor.row })?.new
}

/// Changes a page and checks that the reader is still at the same line, and that the page adds up.
fn check_place(page: &mut Review, anchor: Anchor, change: impl FnOnce(&mut Review)) -> Anchor {
    let line = line_at(page, anchor);
    let held = page.hold(anchor);
    change(page);
    page.prepare(anchor.file);
    let now = page.resume(held);
    assert_eq!(line_at(page, now), line, "{anchor:?} became {now:?}");
    assert_eq!((now.file, now.offset), (anchor.file, anchor.offset));
    check_sums(page);
    now
}

/// Positions count the rows of all files before, which are those that can be walked.
fn check_sums(page: &Review) {
    let rows: Vec<_> = page.rows_from(Anchor::default()).collect();
    assert_eq!(rows.len() as u64, page.index().total());
    for (at, row) in rows.iter().enumerate() {
        let anchor = Anchor { file: row.file, row: row.row, offset: 0.25 };
        assert_eq!(page.position_of(anchor), at as f64 + 0.25);
        assert_eq!(page.anchor_at(at as f64 + 0.25), anchor);
    }
}

#[test]
fn files_that_load_above_do_not_move_the_reader() {
    let (folders, loaded) = loaded();
    let mut page = folders.page();
    folders.load(&mut page, 2);
    let anchor = at_line(&page, 2, 60);
    let before = page.position_of(anchor);
    check_place(&mut page, anchor, |page| {
        folders.load(page, 0);
        folders.load(page, 1);
    });
    assert_ne!(page.position_of(anchor), before, "the files above were estimated");
    assert_eq!(page.position_of(anchor), loaded.position_of(anchor));
}

#[test]
fn the_reader_stays_at_a_line_while_rows_come_and_go() {
    let (_folders, mut page) = loaded();
    let mut anchor = at_line(&page, 1, 60);
    anchor = check_place(&mut page, anchor, |page| expand(page, 1, 0, Expand::All));
    anchor = check_place(&mut page, anchor, |page| expand(page, 0, 0, Expand::Up(5)));
    anchor = check_place(&mut page, anchor, |page| page.set_layout(Layout::Unified));
    anchor = check_place(&mut page, anchor, |page| page.set_folded(0, true));
    anchor = check_place(&mut page, anchor, |page| page.set_whole(1, true));
    anchor = check_place(&mut page, anchor, |page| page.filter(|change| change.path.display() != "f0000"));
    anchor = check_place(&mut page, anchor, |page| page.set_layout(Layout::Split));
    anchor = check_place(&mut page, anchor, |page| page.set_whole(1, false));
    check_place(&mut page, anchor, |page| page.unload(2));
}

#[test]
fn a_gap_is_expanded_from_either_end() {
    let (_folders, mut page) = loaded();
    // Lines 0 to 16 are hidden before the first hunk, 24 to 56 between both.
    let shown = |page: &Review| {
        let plan = page.files()[0].plan().unwrap();
        let gaps = plan.runs().iter().filter(|run| run.kind == RunKind::Gap);
        gaps.map(|run| run.lines(Side::New)).collect::<Vec<_>>()
    };
    assert_eq!(shown(&page), [0..17, 24..57, 64..100]);
    expand(&mut page, 0, 0, Expand::Up(5));
    assert_eq!(shown(&page), [0..12, 24..57, 64..100]);
    let middle = page.row_of_line(0, Side::New, 30).row - HEADER_ROWS;
    expand(&mut page, 0, middle, Expand::Down(6));
    assert_eq!(shown(&page), [0..12, 30..57, 64..100]);
    let last = page.row_of_line(0, Side::New, 99).row - HEADER_ROWS;
    expand(&mut page, 0, last, Expand::All);
    assert_eq!(shown(&page), [0..12, 30..57]);
    expand(&mut page, 0, last, Expand::All);
    assert_eq!(shown(&page), [0..12, 30..57], "a row that hides nothing is left alone");
    check_sums(&page);
}

#[test]
fn lines_that_are_wrapped_and_what_stands_below_them_take_rows() {
    let long = "word ".repeat(30);
    let (old, new) = (format!("a\n{long}\nb\nc\n"), "a\nshort\nb\nC\n");
    let folders = Folders::new([(&*old, new)]);
    let mut page = folders.page();
    folders.load(&mut page, 0);
    let height = page.index().height(0);
    page.set_wrap(Some(Wrap { old: 50, new: 50, tab_width: 4 }));
    page.prepare(0);
    assert_eq!(page.index().height(0), height + 2, "150 columns are three rows of 50");
    page.set_below(0, vec![Below { side: Side::New, line: 2, rows: 4 }]);
    assert_eq!(page.index().height(0), height + 2 + 4);

    let parts: Vec<_> = (HEADER_ROWS..page.index().height(0))
        .map(|row| page.shown(PageRow { file: 0, row }).unwrap())
        .map(|shown| (shown.row.new, shown.part))
        .collect();
    let text = |line, part| (Some(line), Part::Text(part));
    let below = |part| (Some(2), Part::Below(part));
    let expected = [
        text(0, 0),
        text(1, 0),
        text(1, 1),
        text(1, 2),
        text(2, 0),
        below(0),
        below(1),
        below(2),
        below(3),
        text(3, 0),
    ];
    assert_eq!(parts, expected);
    assert_eq!(page.row_of_line(0, Side::New, 3).row, HEADER_ROWS + 9, "what follows is further down");
    assert_eq!(page.next_hunk(PageRow { file: 0, row: 4 }), Some(PageRow { file: 0, row: HEADER_ROWS + 9 }));

    let anchor = Anchor { file: 0, row: HEADER_ROWS + 3, offset: 0.5 };
    let held = page.hold(anchor);
    assert_eq!(page.resume(held), anchor, "within a wrapped line, too");
    page.set_wrap(None);
    page.prepare(0);
    assert_eq!(page.resume(held), Anchor { row: HEADER_ROWS + 1, ..anchor });
    check_sums(&page);
}

#[test]
fn a_counted_file_is_as_high_as_a_loaded_one() {
    for layout in [Layout::Split, Layout::Unified] {
        let (folders, mut page) = loaded();
        page.set_layout(layout);
        expand(&mut page, 0, 0, Expand::Up(5));
        let heights: Vec<_> = (0..3).map(|file| page.index().height(file)).collect();
        let mut unloaded = page;
        for file in 0..3 {
            unloaded.unload(file);
            assert!(matches!(unloaded.files()[file].body, Body::Counted));
        }
        assert_eq!((0..3).map(|file| unloaded.index().height(file)).collect::<Vec<_>>(), heights, "{layout:?}");
        folders.load(&mut unloaded, 0);
        assert_eq!(unloaded.index().height(0), heights[0], "what was expanded comes back expanded");
    }
}

#[test]
fn a_new_listing_takes_over_what_is_known() {
    let (folders, mut page) = loaded();
    page.set_folded(0, true);
    expand(&mut page, 1, 0, Expand::All);
    let text = Text::from(&*lines(100, &[20]));
    page.attach(2, &text);
    let (expanded, live) = (page.index().height(1), page.index().height(2));

    // `f0000` is gone from the list, and another file came before.
    let mut listed: Vec<_> = folders.changes[1..].to_vec();
    listed.insert(0, FileChange { path: crate::git::RepoPath::new(b"a"), ..folders.changes[0].clone() });
    let mut fresh = Review::new(listed, page.layout(), page.context_lines());
    let moved = fresh.adopt(page, Since::MayHaveChanged);
    assert_eq!((moved.get(&0), moved.get(&1), moved.get(&2)), (None, Some(&1), Some(&2)));
    assert!(!fresh.files()[0].folded && !fresh.files()[0].is_counted(), "a file of another name is another file");
    assert!(fresh.files()[1].needs_loading(), "its file may have changed on disk");
    assert!(fresh.files()[1].is_ready(), "and is shown as it was until it is read");
    let renewals = fresh.files()[1].renewals();
    folders.load(&mut fresh, 1);
    assert_eq!((fresh.files()[1].needs_loading(), fresh.files()[1].renewals()), (false, renewals + 1));
    assert_eq!(fresh.index().height(1), expanded);
    let lines = fresh.files()[2].lines().unwrap();
    assert!(matches!(lines.new, NewSide::Live(..)), "what is edited stays open");
    assert_eq!((lines.hunks(), fresh.index().height(2)), (&[Hunk { old: 20..21, new: 20..21 }][..], live));
    check_sums(&fresh);
}

#[test]
fn what_is_known_is_not_compared_again_when_files_are_only_joined() {
    let (folders, page) = loaded();
    let known = |since| {
        let mut page = folders.page();
        (0..3).for_each(|file| folders.load(&mut page, file));
        let mut fresh = folders.page();
        fresh.adopt(page, since);
        let options = fresh.loader_options();
        (options.known.len(), options.kept)
    };
    let held: usize = page.files().iter().map(|file| file.lines().unwrap().memory()).sum();
    assert_eq!(known(Since::Unchanged), (3, held));
    assert_eq!(known(Since::MayHaveChanged), (0, held), "files on disk are read again, and shown meanwhile");
    assert_eq!(folders.page().loader_options().known.len(), 0);
}

#[test]
fn folds_survive_a_new_listing() {
    let (folders, mut page) = loaded();
    page.set_folded(1, true);
    let mut fresh = folders.page();
    fresh.adopt(page, Since::MayHaveChanged);
    assert_eq!(fresh.files().iter().map(|file| file.folded).collect::<Vec<_>>(), [false, true, false]);
    assert_eq!(fresh.index().height(1), HEADER_ROWS);
}

#[test]
fn hunks_are_stepped_through_across_files() {
    let (old, new) = (lines(100, &[]), lines(100, &[20, 60]));
    let folders = Folders::new([(&*old, &*new); 5]);
    let mut page = folders.page();
    for file in [0, 1, 4] {
        folders.load(&mut page, file);
    }
    page.set_folded(1, true);
    // File 2 and 3 are not loaded; file 3 is filtered out.
    page.filter(|change| change.path.display() != "f0003");
    let hunk = |file, line| page.row_of_line(file, Side::New, line);
    let places = [hunk(0, 20), hunk(0, 60), PageRow { file: 2, row: 0 }, hunk(4, 20), hunk(4, 60)];
    let forward = |from| std::iter::successors(Some(from), |&at| page.next_hunk(at)).skip(1).collect::<Vec<_>>();
    let back = |from| std::iter::successors(Some(from), |&at| page.previous_hunk(at)).skip(1).collect::<Vec<_>>();
    assert_eq!(forward(PageRow { file: 0, row: 0 }), places);
    let end = PageRow { file: 4, row: page.index().height(4) - 1 };
    assert_eq!(back(end), places.iter().rev().copied().collect::<Vec<_>>());
    assert_eq!(page.next_hunk(PageRow { file: 1, row: 0 }), Some(places[2]), "out of a folded file");
    assert_eq!(page.previous_hunk(PageRow { file: 1, row: 0 }), Some(places[1]));
    assert_eq!((page.neighbour_file(2, true), page.neighbour_file(4, false)), (Some(4), Some(2)));
    assert_eq!((page.neighbour_file(4, true), page.neighbour_file(0, false)), (None, None));
}

#[test]
fn typing_in_the_new_side_keeps_what_was_in_view() {
    let (folders, mut page) = loaded();
    let before = Text::from(&*lines(100, &[20, 60]));
    page.attach(0, &before);
    // The first hunk becomes equal: its context would fold away.
    let at = before.line_end(20) - 1;
    let changes = ChangeSet::from_edits(before.len(), [(at..at + 1, "")]);
    let after = changes.apply(&before);
    let anchor = at_line(&page, 0, 22);
    check_place(&mut page, anchor, |page| page.edit(0, &changes, &before, &after));
    assert_eq!(page.files()[0].lines().unwrap().hunks(), [Hunk { old: 60..61, new: 60..61 }]);
    // What the disk says does not undo what is typed.
    folders.load(&mut page, 0);
    assert_eq!(page.files()[0].lines().unwrap().hunks().len(), 1);
}

/// What the script makes of the old side.
fn applied(old: &str, new: &Text, hunks: &[Hunk]) -> String {
    let old: Vec<_> = old.split_inclusive('\n').collect();
    let mut made = String::new();
    let mut at = 0;
    for hunk in hunks {
        made.extend(old[at..hunk.old.start as usize].iter().copied());
        made.extend(hunk.new.clone().map(|line| new.line_full(line).into_owned()));
        at = hunk.old.end as usize;
    }
    made.extend(old[at..].iter().copied());
    made
}

/// A live file's script makes the new side of the old one, and its rows are those of a plan that is built afresh.
fn check_live(page: &Review, old: &str, text: &Text) {
    let entry = &page.files()[0];
    let lines = entry.lines().unwrap();
    assert_eq!(applied(old, text, lines.hunks()), text.to_string());
    let new_lines = lines.line_count(Side::New);
    assert_eq!(new_lines as usize, text.to_string().split_inclusive('\n').count());
    let plan = entry.plan().unwrap();
    let given = Given {
        hunks: lines.hunks(),
        old_lines: lines.line_count(Side::Old),
        new_lines,
        layout: page.layout(),
        context: &entry.context,
    };
    let fresh = Plan::build(given, |_| None);
    assert_eq!(plan.rows(), fresh.rows());
    // Wrapped, as in these tests, at eight columns, which nothing but the length of a line decides.
    let old_text: Vec<_> = old.lines().collect();
    let new_text = text.to_string();
    let new_text: Vec<_> = new_text.lines().collect();
    let letters =
        |lines: &[&str], line: Option<u32>| line.map_or(1, |line| lines[line as usize].len().div_ceil(8).max(1));
    let rows = plan.rows_from(0).map(|row| match page.wrap() {
        Some(_) if row.kind != RunKind::Gap => letters(&old_text, row.old).max(letters(&new_text, row.new)) as u32,
        _ => 1,
    });
    let starts: Vec<u32> = rows.scan(HEADER_ROWS, |next, rows| Some(std::mem::replace(next, *next + rows))).collect();
    let placed: Vec<_> = (0..plan.rows()).map(|row| entry.row_of(row)).collect();
    assert_eq!(placed, starts);
    assert_eq!(page.index().height(0), entry.row_of(plan.rows()));
    let of = |plan: &Plan| {
        let shown = plan.runs().iter().filter(|run| run.kind != RunKind::Gap);
        [Side::Old, Side::New].map(|side| shown.clone().flat_map(|run| run.lines(side)).collect::<Vec<_>>())
    };
    assert_eq!(of(plan), of(&fresh));
    let counts = entry.counts.unwrap();
    assert_eq!(
        counts.added as i64 - counts.removed as i64,
        i64::from(new_lines) - i64::from(lines.line_count(Side::Old))
    );
}

proptest! {
    #[test]
    fn edits_of_a_live_side_agree_with_comparing_anew(
        old in prop::collection::vec("[ab]{0,2}\n", 1..60),
        new in prop::collection::vec("[ab]{0,2}\n", 1..60),
        edits in prop::collection::vec((0.0..1.0, 0..12usize, "[ab\n]{0,8}"), 1..12),
        unified: bool,
        whole: bool,
        wrapped: bool,
    ) {
        let longer = |text: &str| if wrapped { text.replace('a', "aaaaaa").replace('b', "bbbbbb") } else { text.to_owned() };
        let (old, new) = (longer(&old.concat()), longer(&new.concat()));
        let folders = Folders::new([(&*old, &*new)]);
        prop_assume!(!folders.changes.is_empty());
        let mut page = folders.page();
        folders.load(&mut page, 0);
        if unified {
            page.set_layout(Layout::Unified);
        }
        if wrapped {
            page.set_wrap(Some(Wrap { old: 8, new: 8, tab_width: 4 }));
        }
        page.set_whole(0, whole);
        let mut text = Text::from(&*new);
        page.attach(0, &text);
        check_live(&page, &old, &text);
        for (at, len, insert) in edits {
            let start = (at * text.len() as f64) as usize;
            let changes = ChangeSet::from_edits(text.len(), [(start..(start + len).min(text.len()), longer(&insert))]);
            let after = changes.apply(&text);
            page.edit(0, &changes, &text, &after);
            text = after;
            check_live(&page, &old, &text);
        }
        // A document opened with this text has the same sides, whatever way led here.
        let mut anew = folders.page();
        folders.load(&mut anew, 0);
        anew.attach(0, &text);
        check_live(&anew, &old, &text);
        let lines = anew.files()[0].lines().unwrap();
        let script = crate::engine::Script { hunks: lines.hunks().to_vec(), limited: false };
        let fresh = script.hunks.clone();
        page.refine(0, &text, script);
        check_live(&page, &old, &text);
        prop_assert_eq!(page.files()[0].lines().unwrap().hunks(), &fresh[..]);
    }
}
