//! Moving about a review. A jump or a scroll into files that are not loaded waits for them, a moment at most, and the
//! page stays as it is until then: the reader sees one finished page after another, not blanks that fill in. Where the
//! goal moves on meanwhile, as under a swipe through thousands of files, the page goes to where it was first, and then on.

use std::time::{Duration, Instant};

use diff::git::Side;
use diff::plan::Plan;
use diff::review::{Anchor, HEADER_ROWS, PageRow, Review};
use eframe::egui::Ui;

use super::ReviewPane;
use crate::state::reviews::OpenReview;

/// Where the reader asked to be.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    goal: Goal,
    /// The place whose contents are awaited: the goal, or one that the goal has left since.
    aim: Goal,
    since: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Goal {
    /// This place at the top of the view.
    Anchor(Anchor),
    /// The first hunk of a file, below its header.
    FirstHunk(usize),
    /// The last hunk of a file.
    LastHunk(usize),
    /// A line of a file.
    Line(usize, Side, u32),
}

/// How long contents are waited for before the page moves without them.
const PATIENCE: Duration = Duration::from_millis(150);

/// Files that are loaded ahead, beyond those in view.
const AHEAD: usize = 12;

/// Rows left above the target of a jump: the sticky header, and a little context.
pub(super) const ABOVE: u32 = HEADER_ROWS + 3;

/// Scrolls by rows, down or up.
pub fn scroll_by(pane: &mut ReviewPane, review: &OpenReview, rows: f64) {
    let from = match pane.wanted {
        Some(Wanted { goal: Goal::Anchor(anchor), .. }) => anchor,
        _ => pane.anchor,
    };
    pane.forward = rows > 0.0;
    ask(pane, Goal::Anchor(review.page.scrolled(from, rows, pane.view)));
}

/// Goes to a place counted in rows from the top.
pub fn scroll_to(pane: &mut ReviewPane, review: &OpenReview, position: f64) {
    let here = review.page.position_of(pane.anchor);
    pane.forward = position >= here;
    ask(pane, Goal::Anchor(review.page.scrolled(pane.anchor, position - here, pane.view)));
}

/// Brings the header of a file to the top.
pub fn show_file(pane: &mut ReviewPane, file: usize) {
    pane.forward = true;
    pane.cursor = Some(PageRow { file, row: 0 });
    ask(pane, Goal::Anchor(Anchor { file, row: 0, offset: 0.0 }));
}

/// Brings a row into view with some rows above it, unless it is well inside the view already.
pub fn show_row(pane: &mut ReviewPane, page: &Review, at: PageRow) {
    let row = (page.index().start(at.file) + u64::from(at.row)) as f64;
    let top = page.position_of(pane.anchor);
    let inside = row >= top + f64::from(HEADER_ROWS) && row < top + pane.view - 2.0;
    if inside && pane.wanted.is_none() {
        pane.cursor = Some(at);
    } else {
        jump(pane, page, at);
    }
}

/// Brings a line into view, whether its file is loaded or not.
pub fn show_line(pane: &mut ReviewPane, review: &OpenReview, file: usize, side: Side, line: u32) {
    if review.page.file(file).is_some_and(|entry| entry.plan().is_some()) {
        return show_row(pane, &review.page, review.page.row_of_line(file, side, line));
    }
    pane.forward = file >= pane.anchor.file;
    ask(pane, Goal::Line(file, side, line));
}

/// Goes to the next hunk, or the one before.
pub fn step_hunk(pane: &mut ReviewPane, review: &OpenReview, forward: bool) {
    let page = &review.page;
    let from = here(pane, page);
    let found = if forward { page.next_hunk(from) } else { page.previous_hunk(from) };
    let Some(at) = found else { return };
    let entry = page.file(at.file);
    if at.row == 0 && entry.is_some_and(|entry| !entry.is_ready() && !entry.folded) {
        pane.cursor = Some(at);
        pane.forward = forward;
        return ask(pane, if forward { Goal::FirstHunk(at.file) } else { Goal::LastHunk(at.file) });
    }
    jump(pane, page, at);
}

/// Goes to the next file, or the one before.
pub fn step_file(pane: &mut ReviewPane, review: &OpenReview, forward: bool) {
    let from = here(pane, &review.page);
    if let Some(file) = review.page.neighbour_file(from.file, forward) {
        show_file(pane, file);
        pane.forward = forward;
    }
}

/// Moves as asked if the contents are there, and says which files are needed. Called once a frame, before painting.
pub fn settle(ui: &Ui, pane: &mut ReviewPane, review: &mut OpenReview) {
    // Once for the place that is awaited, and once for where the goal is by then.
    for _ in 0..2 {
        let Some(Wanted { goal, aim, since }) = pane.wanted else { break };
        // Contents that were there may change their height when laid out, so look again until nothing is missing.
        let anchor = resolve(pane, review, aim);
        let needed = in_view(&review.page, anchor, pane.view);
        review.want(&with_ahead(&review.page, &needed, pane.forward));
        let missing = needed.iter().any(|&f| is_missing(&review.page, f));
        if missing && since.elapsed() < PATIENCE {
            ui.ctx().request_repaint_after(PATIENCE.saturating_sub(since.elapsed()));
            break;
        }
        let anchor = resolve(pane, review, if missing { goal } else { aim });
        pane.anchor = review.page.scrolled(anchor, 0.0, pane.view);
        pane.wanted = (aim != goal && !missing).then(|| Wanted { goal, aim: goal, since: Instant::now() });
    }
    if pane.wanted.is_none() {
        let needed = in_view(&review.page, pane.anchor, pane.view);
        review.want(&with_ahead(&review.page, &needed, pane.forward));
        for file in in_view(&review.page, pane.anchor, pane.view) {
            if is_missing(&review.page, file) {
                pane.blank_rows += 1;
            }
        }
    }
}

pub(super) fn ask(pane: &mut ReviewPane, goal: Goal) {
    // A goal that moves on while contents are awaited keeps the clock: patience is for the reader, not the wheel.
    let (aim, since) = match pane.wanted {
        Some(Wanted { aim: aim @ Goal::Anchor(_), since, .. }) if matches!(goal, Goal::Anchor(_)) => (aim, since),
        Some(Wanted { since, .. }) => (goal, since),
        None => (goal, Instant::now()),
    };
    pane.wanted = Some(Wanted { goal, aim, since });
}

fn jump(pane: &mut ReviewPane, page: &Review, at: PageRow) {
    pane.cursor = Some(at);
    let row = page.index().start(at.file) as f64 + f64::from(at.row);
    let top = page.position_of(pane.anchor);
    pane.forward = row >= top;
    let to = (row - f64::from(ABOVE)).max(0.0);
    ask(pane, Goal::Anchor(page.scrolled(pane.anchor, to - top, pane.view)));
}

fn resolve(pane: &mut ReviewPane, review: &OpenReview, goal: Goal) -> Anchor {
    let plan = |file| review.page.file(file).and_then(diff::review::FileEntry::plan);
    let (file, row) = match goal {
        Goal::Anchor(anchor) => return anchor,
        Goal::FirstHunk(file) => (file, plan(file).and_then(Plan::first_hunk)),
        Goal::LastHunk(file) => (file, plan(file).and_then(|plan| plan.previous_hunk(plan.rows()))),
        Goal::Line(file, side, line) => (file, plan(file).map(|plan| plan.row_of_line(side, line))),
    };
    let row = row.zip(review.page.file(file)).map_or(0, |(row, entry)| entry.row_of(row));
    pane.cursor = Some(PageRow { file, row });
    let position = review.page.index().start(file) as f64 + f64::from(row.saturating_sub(ABOVE));
    review.page.anchor_at(position)
}

/// Where a step starts: at the last jump's target while that is in view, else at the top of the view.
pub fn here(pane: &ReviewPane, page: &Review) -> PageRow {
    let top = page.position_of(pane.anchor);
    if let Some(cursor) = pane.cursor {
        let row = page.index().start(cursor.file) as f64 + f64::from(cursor.row);
        if (pane.wanted.is_some() || (row >= top && row < top + pane.view))
            && cursor.row < page.index().height(cursor.file)
        {
            return cursor;
        }
    }
    PageRow { file: pane.anchor.file, row: pane.anchor.row }
}

fn is_missing(page: &Review, file: usize) -> bool {
    page.file(file).is_some_and(|f| !f.is_ready() && !f.folded && !f.hidden)
}

/// The files that a view of `rows` rows from `anchor` on touches.
fn in_view(page: &Review, anchor: Anchor, rows: f64) -> Vec<usize> {
    let top = page.position_of(anchor);
    let mut files = Vec::new();
    for file in anchor.file..page.files().len() {
        if page.index().start(file) as f64 >= top + rows + 1.0 {
            break;
        }
        if page.index().height(file) > 0 {
            files.push(file);
        }
    }
    files
}

/// `needed`, then what comes next in the reader's direction, then a little of the other.
fn with_ahead(page: &Review, needed: &[usize], forward: bool) -> Vec<usize> {
    let mut files = needed.to_vec();
    let (Some(&first), Some(&last)) = (needed.first(), needed.last()) else { return files };
    let after = (last + 1..page.files().len()).filter(|&f| page.index().height(f) > 0);
    let before = (0..first).rev().filter(|&f| page.index().height(f) > 0);
    if forward {
        files.extend(after.take(AHEAD));
        files.extend(before.take(AHEAD / 4));
    } else {
        files.extend(before.take(AHEAD));
        files.extend(after.take(AHEAD / 4));
    }
    files
}
