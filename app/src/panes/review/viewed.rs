//! Ticks: a file, a hunk or all of a review is marked as viewed, or as something to come back to.
//!
//! What is ticked folds, and the reader's place stays; what changed opens again and says so. Marks belong to the page
//! ([`diff::review`]); a *group* is what stands between two gaps, one hunk or a few close ones, and is ticked as one.

use std::ops::Range;

use diff::review::{Anchor, FileEntry, PageRow, Review};
use diff::ticks::{Mark, MarkSum, Viewed};
use eframe::egui::{
    Align, Id, Label, Layout, Popup, PopupCloseBehavior, Rect, Response, RichText, Sense, Ui, UiBuilder, pos2,
};

use super::geometry::Geometry;
use super::header::Around;
use super::rows::Painted;
use super::{ReviewPane, navigate};
use crate::commands::{Action, Command, Sink};
use crate::state::State;
use crate::state::reviews::{OpenReview, ReviewId};
use crate::theme::{icons, look, space};
use crate::widgets::{Button, Dropdown, MenuItem, Tick, TickState, menu_frame, menu_separator};

/// Pages narrower than this leave the word beside a file's box out.
const NARROW: f32 = 640.0;

/// Marks files; every view of the review keeps its place.
pub fn mark<'p>(
    review: &mut OpenReview,
    panes: impl Iterator<Item = &'p mut ReviewPane>,
    files: &[usize],
    mark: Option<Mark>,
) {
    change(review, panes, |page| files.iter().for_each(|&file| page.tick(file, mark)));
}

/// Changes which files are open; what is read stays where it is.
fn change<'p>(
    review: &mut OpenReview,
    panes: impl Iterator<Item = &'p mut ReviewPane>,
    change: impl FnOnce(&mut Review),
) {
    let held: Vec<_> = panes.map(|pane| (review.page.hold(pane.anchor), pane)).collect();
    change(&mut review.page);
    for (held, pane) in held {
        let page = &review.page;
        let file = pane.anchor.file;
        pane.anchor = match page.file(file) {
            _ if page.index().height(file) == 0 => page.anchor_at(page.index().start(file) as f64),
            Some(entry) if entry.folded => Anchor { file, row: 0, offset: 0.0 },
            _ => page.resume(held),
        };
    }
}

/// Runs a command about ticks; whether it was one.
pub fn run(pane: &mut ReviewPane, command: Command, state: &mut State) -> bool {
    let Some(review) = state.reviews.get_mut(pane.review) else { return false };
    let here = navigate::here(pane, &review.page);
    let all = |page: &Review| (0..page.files().len()).filter(|&n| !page.files()[n].hidden).collect::<Vec<_>>();
    match command {
        Command::ToggleViewed => {
            let wanted = toggled(&review.page, here.file);
            mark(review, std::iter::once(&mut *pane), &[here.file], wanted);
            pane.cursor = Some(PageRow { file: here.file, row: 0 });
        }
        Command::ViewedNext => {
            mark(review, std::iter::once(&mut *pane), &[here.file], Some(Mark::Viewed));
            next(pane, review, PageRow { file: here.file, row: 0 });
        }
        Command::ViewedHunk => tick_hunk(pane, review, here),
        Command::ComeBack => {
            let is_marked = review.page.file(here.file).is_some_and(|entry| entry.viewed == Viewed::ComeBack);
            mark(review, std::iter::once(pane), &[here.file], (!is_marked).then_some(Mark::ComeBack));
        }
        Command::NextUnviewed => {
            if !next(pane, review, here) {
                state.notices.info("Everything here was viewed.");
            }
        }
        Command::HideViewed => {
            let hide = !review.page.hides_viewed();
            change(review, std::iter::once(pane), |page| page.set_hide_viewed(hide));
        }
        Command::ViewedAll => {
            let files = all(&review.page);
            mark(review, std::iter::once(pane), &files, Some(Mark::Viewed));
        }
        Command::ViewedNone => {
            let files = all(&review.page);
            mark(review, std::iter::once(pane), &files, None);
        }
        _ => return false,
    }
    true
}

/// Goes to the next place behind `from` that was not viewed; whether there is one.
fn next(pane: &mut ReviewPane, review: &mut OpenReview, from: PageRow) -> bool {
    let Some(at) = review.page.next_unviewed(from) else { return false };
    review.page.set_folded(at.file, false);
    if at.row == 0 {
        navigate::show_file(pane, at.file);
    } else {
        navigate::show_row(pane, &review.page, at);
    }
    true
}

/// Marks the hunk at a row, and goes to the next that was not viewed.
fn tick_hunk(pane: &mut ReviewPane, review: &mut OpenReview, here: PageRow) {
    let Some(hunk) = review.page.file(here.file).and_then(|entry| hunk_at(entry, here.row)) else { return };
    let is_viewed = review.page.hunk_mark(here.file, hunk) == Some(Mark::Viewed);
    let mark = (!is_viewed).then_some(Mark::Viewed);
    change(review, std::iter::once(&mut *pane), |page| page.tick_hunks(here.file, hunk..hunk + 1, mark));
    if mark.is_some() {
        next(pane, review, here);
    }
}

/// The hunk at a row of a file, or the last one above it, or the first.
fn hunk_at(entry: &FileEntry, row: u32) -> Option<usize> {
    let (plan, lines) = (entry.plan()?, entry.lines()?);
    let row = entry.plan_row(row);
    let behind = lines.hunks().partition_point(|hunk| plan.row_of_hunk(hunk) <= row);
    (!lines.hunks().is_empty()).then(|| behind.saturating_sub(1))
}

/// What a click on a file's box asks for.
pub fn toggled(page: &Review, file: usize) -> Option<Mark> {
    let is_viewed = page.file(file).is_some_and(|entry| entry.viewed == Viewed::Yes);
    (!is_viewed).then_some(Mark::Viewed)
}

/// What the box of a file shows.
pub fn state(entry: &FileEntry) -> TickState {
    match entry.viewed {
        Viewed::No => TickState::Off,
        Viewed::Part { .. } => TickState::Partly,
        Viewed::Yes => TickState::On,
        Viewed::ComeBack => TickState::Again,
    }
}

/// What is said of a file in the tree.
pub fn meaning(entry: &FileEntry) -> &'static str {
    match entry.viewed {
        _ if entry.changed_since => "changed since viewed",
        Viewed::No => "",
        Viewed::Part { .. } => "partly viewed",
        Viewed::Yes => "viewed",
        Viewed::ComeBack => "come back",
    }
}

/// The box in a file's header, and what it stands for.
pub fn tick(ui: &mut Ui, around: &mut Around<'_>, file: usize, path: &str, page_width: f32) {
    let Some(entry) = around.review.page.file(file) else { return };
    let state = state(entry);
    let mut on = state == TickState::On;
    let name = format!("Viewed: {path}");
    let tick =
        Tick::new(&mut on, name).without_label().partly(state == TickState::Partly).again(state == TickState::Again);
    let mut clicked = ui.add(tick.key("v")).clicked();
    if page_width >= NARROW {
        let (theme, _) = look(ui);
        let (text, color) = match entry.viewed {
            Viewed::Part { seen, of } => (format!("{seen} of {of} viewed"), theme.text.muted),
            Viewed::ComeBack => ("Come back".to_owned(), theme.signal.warning),
            Viewed::No | Viewed::Yes => ("Viewed".to_owned(), theme.text.muted),
        };
        let label = Label::new(RichText::new(text).color(color)).selectable(false).sense(Sense::click());
        clicked |= ui.add(label).clicked();
    }
    if clicked {
        let mark = toggled(&around.review.page, file);
        around.sink.push(Action::MarkFiles { review: around.pane.review, files: vec![file], mark });
    }
}

/// What a file's menu offers about its marks.
pub fn menu_items(ui: &mut Ui, around: &mut Around<'_>, file: usize) {
    let review = around.pane.review;
    items(ui, review, &around.review.page, file, around.sink);
    menu_separator(ui);
}

fn items(ui: &mut Ui, review: ReviewId, page: &Review, file: usize, sink: &mut Sink) {
    let Some(entry) = page.file(file) else { return };
    let mut ask = |mark| sink.push(Action::MarkFiles { review, files: vec![file], mark });
    let is_viewed = entry.viewed == Viewed::Yes;
    let label = if is_viewed { "Not viewed" } else { "Mark as viewed" };
    if ui.add(MenuItem::new(label).icon(icons::VIEWED).key("v")).clicked() {
        ask(toggled(page, file));
    }
    let comes_back = entry.viewed == Viewed::ComeBack;
    let label = if comes_back { "No need to come back" } else { "Come back to it" };
    if ui.add(MenuItem::new(label).icon(icons::UNDO).key("b")).clicked() {
        ask((!comes_back).then_some(Mark::ComeBack));
    }
}

/// The menu of a file in the tree.
pub fn file_menu(ui: &Ui, row: &Response, review: ReviewId, page: &Review, file: usize, sink: &mut Sink) {
    context_menu(ui, row, |ui| items(ui, review, page, file, sink));
}

/// The menu of a folder in the tree.
pub fn folder_menu(ui: &Ui, row: &Response, review: ReviewId, page: &Review, files: Range<usize>, sink: &mut Sink) {
    let shown = || files.clone().filter(|&n| page.file(n).is_some_and(|entry| !entry.hidden)).collect::<Vec<_>>();
    context_menu(ui, row, |ui| {
        if ui.add(MenuItem::new("Mark all in it as viewed").icon(icons::VIEWED)).clicked() {
            sink.push(Action::MarkFiles { review, files: shown(), mark: Some(Mark::Viewed) });
        }
        if ui.add(MenuItem::new("Mark none in it as viewed").icon(icons::HIDDEN)).clicked() {
            sink.push(Action::MarkFiles { review, files: shown(), mark: None });
        }
    });
}

fn context_menu(ui: &Ui, row: &Response, entries: impl FnOnce(&mut Ui)) {
    Popup::context_menu(row).close_behavior(PopupCloseBehavior::CloseOnClick).frame(menu_frame(ui)).show(|ui| {
        ui.set_min_width(200.0);
        ui.spacing_mut().item_spacing.y = 0.0;
        entries(ui);
    });
}

/// How far the review has come, and what can be done about it.
pub fn progress(ui: &mut Ui, review: &OpenReview, sink: &mut Sink) {
    let progress = review.page.progress();
    if progress.files == 0 {
        return;
    }
    let done = progress.viewed == progress.files;
    let button = Button::new(progress.to_string()).icon(if done { icons::CHECKS } else { icons::VIEWED }).caret();
    let mut ask = |ui: &mut Ui, item: MenuItem<'_>, command: Command| {
        if ui.add(item).clicked() {
            sink.push(command);
        }
    };
    Dropdown::of(button).menu_width(240.0).show(ui, |ui| {
        let hides = review.page.hides_viewed();
        let item = MenuItem::new("Next unviewed").icon(icons::ARROW_DOWN).key("Shift+N");
        ask(ui, item, Command::NextUnviewed);
        let (label, icon) =
            if hides { ("Show viewed files", icons::VIEWED) } else { ("Hide viewed files", icons::HIDDEN) };
        ask(ui, MenuItem::new(label).icon(icon).key("Shift+H"), Command::HideViewed);
        menu_separator(ui);
        ask(ui, MenuItem::new("Mark all as viewed").icon(icons::CHECKS), Command::ViewedAll);
        ask(ui, MenuItem::new("Mark none as viewed").icon(icons::UNREAD), Command::ViewedNone);
    });
}

/// The box at the end of the row above a group of hunks; the left edge of what it takes. A file with one group has none:
/// its header says as much.
pub fn tick_of_group(ui: &mut Ui, around: &mut Around<'_>, geometry: &Geometry, p: &Painted, id: Id) -> f32 {
    let right = geometry.page.right();
    let Some(entry) = around.review.page.file(p.at.file) else { return right };
    let Some(hunks) = group_below(entry, entry.plan_row(p.at.row)) else { return right };
    let all = entry.lines().map_or(0, |lines| lines.hunks().len());
    if hunks.is_empty() || hunks.len() == all {
        return right;
    }
    let count = hunks.len() as u32;
    let MarkSum { viewed, come_back } = around.review.page.marked_hunks(p.at.file, &hunks);
    let mut on = viewed == count;
    let area = Rect::from_min_max(pos2(right - space::ROW - space::S, p.y), pos2(right - space::S, p.y + geometry.row));
    let layout = Layout::left_to_right(Align::Center);
    let mut child = ui.new_child(UiBuilder::new().id_salt(id.with("viewed")).max_rect(area).layout(layout));
    child.set_clip_rect(geometry.page);
    let tick = Tick::new(&mut on, "Hunk viewed").without_label().key("h");
    let tick = tick.partly(viewed > 0 && viewed < count).again(come_back > 0);
    if child.add(tick).clicked() {
        let mark = on.then_some(Mark::Viewed);
        change(around.review, std::iter::once(&mut *around.pane), |page| page.tick_hunks(p.at.file, hunks, mark));
    }
    area.left()
}

/// The hunks between the gap at a row of the plan and the next gap. A group may be half a million of them, and this is
/// asked in each frame.
fn group_below(entry: &FileEntry, gap: u32) -> Option<Range<usize>> {
    let (plan, lines) = (entry.plan()?, entry.lines()?);
    let (run, _) = plan.run_at(gap)?;
    let end = plan.gap_behind(run).map_or(plan.rows(), |next| plan.row_of_run(next));
    let before = |row: u32| lines.hunks().partition_point(|hunk| plan.row_of_hunk(hunk) < row);
    Some(before(gap)..before(end))
}
