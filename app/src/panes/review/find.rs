//! Finding text in all rows of a review, painted or not.
//!
//! A task goes over the files in page order, comparing those that are not loaded, and sends what it finds in the rows
//! that are shown: changed lines and their context, not what gaps hide. Hits arrive as they are found.

use std::ops::Range;

use crossbeam_channel::{Receiver, Sender, bounded};
use diff::engine::Engine;
use diff::git::{FileChange, Side};
use diff::lines::Content;
use diff::plan::{Given, Layout, Plan, RunKind};
use diff::review::{FileLines, NewSide, Outcome, compare_file};
use diff::source::Comparison;
use editor::Cancel;
use editor::find::{Matcher, Query};
use editor::text::Text;
use eframe::egui::{Rect, Stroke, Ui, pos2, vec2};
use egui_tiles::TileId;

use super::{ReviewPane, navigate, part};
use crate::code_view::find_bar::{self, Asked, FindInput};
use crate::state::State;
use crate::state::reviews::OpenReview;
use crate::tasks::{Poll, Task, Tasks};
use crate::theme::space;

/// Where something was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub file: usize,
    pub side: Side,
    pub line: u32,
    /// Bytes of the line.
    pub bytes: Range<u32>,
    /// The body row it is in, with nothing expanded that is not now: hits of a file are ordered by it.
    row: u32,
}

struct Search {
    task: Task<()>,
    hits: Receiver<Vec<Hit>>,
}

/// What is found.
#[derive(Default)]
pub struct FindBar {
    input: FindInput,
    hits: Vec<Hit>,
    limited: bool,
    current: Option<usize>,
    search: Option<Search>,
    /// What was searched: a query, a listing and how rows stood then.
    of: Option<(Query, u64)>,
    /// Go to the first hit when it comes.
    go: bool,
}

/// Messages of hits that may wait; the task pauses when nobody takes them.
const MESSAGES: usize = 64;

impl FindBar {
    /// The hits in a line, with whether each is the current one.
    pub fn hits_in(&self, file: usize, side: Side, line: u32) -> Vec<(Range<u32>, bool)> {
        let from = self.hits.partition_point(|hit| hit.file < file);
        let current = self.current.and_then(|n| self.hits.get(n));
        let in_file = self.hits[from..].iter().take_while(|hit| hit.file == file);
        let here = in_file.filter(|hit| hit.side == side && hit.line == line);
        here.map(|hit| (hit.bytes.clone(), current == Some(hit))).collect()
    }

    /// Whether a search is under way.
    pub fn is_busy(&self) -> bool {
        self.search.is_some()
    }

    fn follow(&mut self, review: &OpenReview, tasks: &Tasks, limit: usize) {
        self.take(limit);
        let wanted = (self.input.query.clone(), review.generation);
        if self.of.as_ref() == Some(&wanted) {
            return;
        }
        self.hits.clear();
        self.limited = false;
        self.current = None;
        self.search = None; // cancels the search for something else
        match (self.input.query.compile(), &review.comparison) {
            (Ok(matcher), Some(comparison)) => {
                self.input.error = None;
                self.search = Some(start(matcher, comparison.clone(), review, tasks));
            }
            (Err(error), _) => {
                self.input.error = (!self.input.query.pattern.is_empty()).then(|| error.to_string());
            }
            (Ok(_), None) => return,
        }
        self.of = Some(wanted);
    }

    fn take(&mut self, limit: usize) {
        let Some(search) = &self.search else { return };
        let ended = !matches!(search.task.poll(), Poll::Pending);
        for mut hits in search.hits.try_iter() {
            self.hits.append(&mut hits);
        }
        if self.hits.len() >= limit {
            self.limited = true;
        }
        if ended || self.limited {
            self.search = None;
        }
    }
}

/// A file as the task searches it.
enum Target {
    /// As it is on the page: live text, expanded context.
    Shown { old: Content, new: Text, plan: Plan },
    /// To be read and compared.
    Unread,
}

fn start(matcher: Matcher, comparison: Comparison, review: &OpenReview, tasks: &Tasks) -> Search {
    let (send, hits) = bounded(MESSAGES);
    let files: Vec<(FileChange, Target)> =
        review.page.files().iter().enumerate().map(|(n, entry)| (entry.change.clone(), target(review, n))).collect();
    let options = review.page.loader_options();
    let waker = tasks.waker().clone();
    let task = tasks.spawn("find in review", move |cancel| {
        let mut reader = comparison.reader();
        let mut engine = Engine::new();
        for (file, (change, target)) in files.into_iter().enumerate() {
            let found = match target {
                Target::Shown { old, new, plan } => in_file(&matcher, file, &text_of(&old), &new, &plan, cancel),
                Target::Unread => match compare_file(&mut reader, &mut engine, &change, &options, cancel) {
                    Ok((Outcome::Lines { lines, .. }, _)) => {
                        in_lines(&matcher, file, &lines, options.context_lines, cancel)
                    }
                    Ok(_) => Vec::new(),
                    Err(_) => return,
                },
            };
            if !found.is_empty() {
                if !send_until(&send, found, cancel) {
                    return;
                }
                waker.wake();
            }
        }
    });
    Search { task, hits }
}

/// Sends unless cancelled; the receiver may be slow, but not for ever.
fn send_until(send: &Sender<Vec<Hit>>, mut hits: Vec<Hit>, cancel: &Cancel) -> bool {
    loop {
        match send.send_timeout(hits, std::time::Duration::from_millis(50)) {
            Ok(()) => return true,
            Err(crossbeam_channel::SendTimeoutError::Timeout(back)) if !cancel.is_cancelled() => hits = back,
            Err(_) => return false,
        }
    }
}

/// Only files that differ from how they would be read are searched as they are shown.
fn target(review: &OpenReview, file: usize) -> Target {
    let entry = review.page.file(file);
    let Some((entry, lines)) = entry.and_then(|entry| Some((entry, entry.whole_lines()?))) else {
        return Target::Unread;
    };
    let Some(plan) = entry.plan() else { return Target::Unread };
    match (&lines.new, review.live_text(file)) {
        (NewSide::Live(..), Some(text)) => {
            Target::Shown { old: lines.old.clone(), new: text.clone(), plan: plan.clone() }
        }
        (NewSide::Fixed(content), _) if entry.context.is_expanded() => {
            Target::Shown { old: lines.old.clone(), new: text_of(content), plan: plan.clone() }
        }
        _ => Target::Unread,
    }
}

fn text_of(content: &Content) -> Text {
    Text::from(&*String::from_utf8_lossy(content.bytes()))
}

fn in_lines(matcher: &Matcher, file: usize, lines: &FileLines, context: u32, cancel: &Cancel) -> Vec<Hit> {
    let NewSide::Fixed(new) = &lines.new else { return Vec::new() };
    let shown = diff::plan::Context::around(context);
    let given = Given {
        hunks: lines.hunks(),
        old_lines: lines.old.line_count(),
        new_lines: new.line_count(),
        layout: Layout::Unified,
        context: &shown,
    };
    let plan = Plan::build(given, |_| None);
    in_file(matcher, file, &text_of(&lines.old), &text_of(new), &plan, cancel)
}

fn in_file(matcher: &Matcher, file: usize, old: &Text, new: &Text, plan: &Plan, cancel: &Cancel) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (side, text) in [(Side::Old, old), (Side::New, new)] {
        let Ok(found) = matcher.find_all(text, 0..text.len(), usize::MAX, cancel) else { return Vec::new() };
        for range in found.matches {
            let line = text.line_of(range.start);
            let row = plan.row_of_line(side, line);
            let Some(at) = plan.row(row) else { continue };
            // Equal lines are on both sides: they are found on the new one.
            let twice = side == Side::Old && at.kind == RunKind::Context;
            if at.kind == RunKind::Gap || twice {
                continue;
            }
            let start = text.line_start(line);
            let end = range.end.min(text.line_end(line));
            let bytes = (range.start - start) as u32..(end.max(range.start) - start) as u32;
            hits.push(Hit { file, side, line, bytes, row });
        }
    }
    hits.sort_by_key(|hit| (hit.row, hit.side == Side::New, hit.bytes.start));
    hits
}

/// Opens the bar, with the selected text in it.
pub fn open(pane: &mut ReviewPane, state: &State) {
    let selected = state.reviews.get(pane.review).and_then(|r| pane.selected_text(r, &state.documents));
    let find = pane.find.get_or_insert_with(FindBar::default);
    if let Some(text) = selected.filter(|text| !text.contains('\n')) {
        find.input.query.pattern = text;
    }
    find.input.focus = true;
    find.go = true;
}

/// Goes to the next hit, or the one before.
pub fn step(pane: &mut ReviewPane, review: &OpenReview, forward: bool) {
    let top = pane.anchor;
    let Some(find) = &mut pane.find else { return };
    if find.hits.is_empty() {
        return;
    }
    let count = find.hits.len();
    let next = match find.current {
        Some(n) if forward => (n + 1) % count,
        Some(n) => (n + count - 1) % count,
        None => {
            let row = review.page.file(top.file).map_or(0, |entry| entry.plan_row(top.row));
            find.hits.partition_point(|hit| (hit.file, hit.row) < (top.file, row)) % count
        }
    };
    find.current = Some(next);
    let hit = find.hits[next].clone();
    navigate::show_line(pane, review, hit.file, hit.side, hit.line);
}

/// Draws the bar at the top of `rect`; how high it is.
pub fn draw(ui: &mut Ui, tile: TileId, rect: Rect, pane: &mut ReviewPane, state: &mut State) -> f32 {
    let Some(review) = state.reviews.get(pane.review) else { return 0.0 };
    let Some(find) = &mut pane.find else { return 0.0 };
    find.follow(review, &state.tasks, state.limits.search_matches);
    let bar = Rect::from_min_size(rect.min, vec2(rect.width(), find_bar::HEIGHT));
    ui.painter().rect_filled(bar, 0.0, state.theme.surface.panel);
    ui.painter().hline(bar.x_range(), bar.bottom() - 0.5, Stroke::new(1.0, state.theme.border.line));
    let inner = Rect::from_min_max(pos2(bar.left() + space::M, bar.top()), pos2(bar.right() - space::M, bar.bottom()));
    let status = find_bar::status(&find.input, find.hits.len(), find.limited, find.current, find.is_busy());
    let asked = find.input.draw(ui, inner, part(tile, "find"), &status);
    match asked {
        Asked::Nothing => {}
        Asked::Changed => find.go = true,
        Asked::Close => pane.find = None,
        Asked::Next => step(pane, review, true),
        Asked::Previous => step(pane, review, false),
    }
    if let Some(find) = &mut pane.find
        && find.go
        && !find.hits.is_empty()
        && find.current.is_none()
    {
        find.go = false;
        step(pane, review, true);
    }
    find_bar::HEIGHT
}
