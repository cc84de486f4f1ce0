//! Commenting on lines: by key on the caret's line or the selection, by the plus that stands beside the hovered number;
//! going from comment to comment.

use std::ops::Range;

use diff::comments::{Anchor, Id, MAX_ORIGIN, Origin, Placement};
use diff::git::Side;
use diff::lines::Content;
use diff::plan::RunKind;
use diff::review::{NewSide, PageRow};
use editor::text::Text;
use eframe::egui::{self, CursorIcon, Pos2, Rangef, Rect, Sense, Ui, WidgetInfo, vec2};
use egui_tiles::TileId;

use super::comment_list::threads;
use super::geometry::Geometry;
use super::rows::Painted;
use super::threads::{Block, row_of};
use super::{ReviewPane, navigate, part};
use crate::commands::Command;
use crate::state::State;
use crate::state::desk::ReviewDesk;
use crate::state::documents::Documents;
use crate::state::reviews::OpenReview;
use crate::state::reviews::discussion::Target;
use crate::theme::{Theme, icons};

/// Lines that are chosen in the gutter, to be commented on.
#[derive(Clone, Debug, PartialEq)]
pub struct Commenting {
    file: usize,
    side: Side,
    from: u32,
    to: u32,
}

impl Commenting {
    fn lines(&self) -> Range<u32> {
        self.from.min(self.to)..self.from.max(self.to) + 1
    }
}

/// Runs a command about comments; whether it was one.
pub fn run(pane: &mut ReviewPane, command: Command, state: &mut State, ctx: &egui::Context) -> bool {
    match command {
        Command::Comment | Command::CommentAnywhere => comment_here(pane, state),
        Command::NextComment | Command::PreviousComment => step(pane, state, command == Command::NextComment),
        Command::CopyComments => {
            if let Some(text) = super::outgoing::export(pane, state) {
                ctx.copy_text(text);
                state.notices.info("The comments were copied as Markdown.");
            }
        }
        _ => return false,
    }
    true
}

fn comment_here(pane: &mut ReviewPane, state: &mut State) {
    let State { reviews, documents, desk, notices, .. } = state;
    let Some(review) = reviews.get_mut(pane.review) else { return };
    match lines_here(pane, review, documents) {
        Some((file, side, lines)) if review.sheet.is_some() => {
            compose(pane, review, documents, desk, file, side, lines);
        }
        Some(_) => notices.info("Comments are kept for reviews of files; this compares a text with its own file."),
        None => notices.info("There is no line to comment on here: go to a change, or select lines."),
    }
}

/// The lines that a comment by key is about: what is selected, the caret's line, or the line last gone to.
fn lines_here(pane: &ReviewPane, review: &OpenReview, documents: &Documents) -> Option<(usize, Side, Range<u32>)> {
    // A selection that ends before a line's first character has nothing of it.
    let lines = |from: u32, to: u32, to_start: bool| from..(to + u32::from(!to_start || to == from)).max(from + 1);
    if let Some(edit) = &pane.edit {
        let text = documents.get(edit.document)?.document.text();
        let selection = edit.selections.primary();
        let (from, to) = (text.line_of(selection.start()), text.line_of(selection.end()));
        return Some((edit.file, Side::New, lines(from, to, selection.end() == text.line_start(to))));
    }
    if let Some(selection) = pane.selection.filter(|selection| selection.anchor != selection.head) {
        let range = selection.range();
        return Some((selection.file, selection.side, lines(range.start.line, range.end.line, range.end.byte == 0)));
    }
    let at = match pane.selection {
        // A press puts no caret into a side that is only read, but it says where.
        Some(selection) => return Some((selection.file, selection.side, selection.head.line..selection.head.line + 1)),
        None => navigate::here(pane, &review.page),
    };
    let entry = review.page.file(at.file)?;
    let plan = entry.plan()?;
    let from = if at.row == 0 { plan.first_hunk()? } else { entry.plan_row(at.row) };
    let row = plan.rows_from(from).find(|row| row.kind != RunKind::Gap)?;
    let (side, line) = row.new.map(|line| (Side::New, line)).or(row.old.map(|line| (Side::Old, line)))?;
    Some((at.file, side, line..line + 1))
}

/// Opens an input below lines.
fn compose(
    pane: &mut ReviewPane,
    review: &mut OpenReview,
    documents: &Documents,
    desk: &ReviewDesk,
    file: usize,
    side: Side,
    lines: Range<u32>,
) {
    let Some(sheet) = review.sheet else { return };
    let Some((anchor, origin)) = anchor(review, documents, file, side, &lines) else { return };
    let target = Target::New { file, side, lines: anchor.lines.clone(), anchor: Box::new(anchor), origin };
    review.discussion.compose(target, desk, sheet);
    let open = review.discussion.composers.iter().find(|composer| composer.take_focus);
    if let Some(open) = open {
        pane.threads.show(open.thread().map_or(Block::New(open.number), Block::Thread));
    }
}

fn anchor(
    review: &OpenReview,
    documents: &Documents,
    file: usize,
    side: Side,
    lines: &Range<u32>,
) -> Option<(Anchor, Option<Origin>)> {
    let entry = review.page.file(file)?;
    let path = entry.change.path_of(side).clone();
    let loaded = entry.lines()?;
    match (side, &loaded.new) {
        (Side::Old, _) => Some(Anchor::at(path, side, &loaded.old, lines.clone())),
        (Side::New, NewSide::Fixed(content)) => Some(Anchor::at(path, side, content, lines.clone())),
        (Side::New, NewSide::Live(..)) => {
            let text = documents.get(review.document(file)?)?.document.text();
            if text.len() <= MAX_ORIGIN {
                let content = Content::new(text.to_string().into_bytes()).ok()?;
                return Some(Anchor::at(path, side, &content, lines.clone()));
            }
            // Of a very large text only what stands around the lines is looked at.
            let from = lines.start.saturating_sub(4);
            let content = Content::new(window(text, from..lines.end.saturating_add(4)).into_bytes()).ok()?;
            let (anchor, _) = Anchor::at(path, side, &content, lines.start - from..lines.end - from);
            Some((Anchor { lines: lines.clone(), origin: None, ..anchor }, None))
        }
    }
}

fn window(text: &Text, lines: Range<u32>) -> String {
    let last = lines.end.min(text.last_line() + 1);
    (lines.start..last).map(|line| text.line_full(line).into_owned()).collect()
}

/// The plus beside the number under the pointer; dragged, it takes in more lines.
#[expect(clippy::too_many_arguments, reason = "the page's parts are borrowed separately")]
pub fn plus(
    ui: &mut Ui,
    tile: TileId,
    pane: &mut ReviewPane,
    review: &mut OpenReview,
    documents: &Documents,
    desk: &ReviewDesk,
    geometry: &Geometry,
    painted: &[Painted],
    theme: &Theme,
) {
    if review.sheet.is_none() {
        return;
    }
    let pointer = ui.input(|input| input.pointer.latest_pos());
    let dragged = pane.commenting.clone();
    let only = dragged.as_ref().map(|dragged| (dragged.file, dragged.side));
    let hovered =
        pointer.filter(|at| geometry.page.contains(*at)).and_then(|at| gutter_line(geometry, painted, at, only));
    if let Some(dragged) = &dragged {
        paint_chosen(ui, geometry, painted, dragged, theme);
    }
    let Some((p, side, line)) = hovered else {
        if dragged.is_some() && !ui.input(|input| input.pointer.primary_down()) {
            pane.commenting = None;
        }
        return;
    };
    let gutter = geometry.part(side);
    // A press on what is staged is no comment.
    let columns = match (gutter.stage, pointer) {
        (Some(stage), Some(at)) if at.x >= stage.max => gutter.sign,
        (Some(stage), _) => Rangef::new(gutter.whole.min, stage.min),
        (None, _) => Rangef::new(gutter.whole.min, gutter.sign.max),
    };
    let row = Rect::from_x_y_ranges(columns, Rangef::new(p.y.max(geometry.page.top()), p.y + geometry.row));
    let response = ui.interact(row, part(tile, "comment"), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, format!("Comment on line {}", line + 1)));
    if response.hovered() || response.dragged() {
        ui.set_cursor_icon(CursorIcon::PointingHand);
    }
    let sign =
        Rect::from_center_size(Pos2::new(gutter.sign.center() - 1.0, p.y + geometry.row / 2.0), vec2(16.0, 16.0));
    ui.painter().rect_filled(sign, 4.0, theme.signal.accent);
    icons::PLUS.paint_sized(ui.painter(), sign.center(), 12.0, theme.text.on_accent);
    if response.drag_started() {
        pane.commenting = Some(Commenting { file: p.at.file, side, from: line, to: line });
    } else if response.clicked() {
        pane.commenting = None;
        compose(pane, review, documents, desk, p.at.file, side, line..line + 1);
    } else if let Some(dragged) = &mut pane.commenting {
        dragged.to = line;
        if !ui.input(|input| input.pointer.primary_down()) {
            let (file, side, lines) = (dragged.file, dragged.side, dragged.lines());
            pane.commenting = None;
            compose(pane, review, documents, desk, file, side, lines);
        }
    }
}

/// The line whose number is at a point; while lines are chosen, the line of their side at that height.
fn gutter_line(
    geometry: &Geometry,
    painted: &[Painted],
    at: Pos2,
    only: Option<(usize, Side)>,
) -> Option<(Painted, Side, u32)> {
    let p = painted.iter().find(|p| (p.y..p.y + geometry.row).contains(&at.y))?;
    let row = p.row.filter(|row| row.kind != RunKind::Gap && p.piece == 0)?;
    let side = match only {
        Some((file, side)) if file == p.at.file => side,
        Some(_) => return None,
        None => {
            let side = geometry.side_at(at.x, row.old.is_some(), row.new.is_some());
            let part = geometry.part(side);
            // The sticky header hides the rows below it.
            let is_in_gutter = Rangef::new(part.whole.min, part.sign.max).contains(at.x);
            let is_stage = part.stage.is_some_and(|stage| stage.contains(at.x));
            (is_in_gutter && !is_stage && at.y > geometry.page.top() + 36.0).then_some(side)?
        }
    };
    let line = if side == Side::Old { row.old? } else { row.new? };
    Some((*p, side, line))
}

fn paint_chosen(ui: &Ui, geometry: &Geometry, painted: &[Painted], chosen: &Commenting, theme: &Theme) {
    let part = geometry.part(chosen.side);
    for p in painted.iter().filter(|p| p.at.file == chosen.file) {
        let line = p.row.and_then(|row| if chosen.side == Side::Old { row.old } else { row.new });
        if line.is_some_and(|line| chosen.lines().contains(&line)) {
            let rect = geometry.row_rect(part, p.y).intersect(geometry.page);
            ui.painter().rect_filled(rect, 0.0, theme.code.selection);
        }
    }
}

/// Goes to the next comment that is not resolved, or the one before; to any if all are.
fn step(pane: &mut ReviewPane, state: &mut State, forward: bool) {
    let Some(review) = state.reviews.get_mut(pane.review) else { return };
    let here = navigate::here(pane, &review.page);
    let any_open = threads(review, &state.desk).any(|(_, thread)| !thread.resolved);
    let wanted = threads(review, &state.desk).filter(|(_, thread)| !(any_open && thread.resolved));
    let places: Vec<(PageRow, Id)> =
        wanted.filter_map(|(placed, _)| Some((row_of(review, placed)?, placed.thread))).collect();
    let is_behind = |at: &PageRow| (at.file, at.row) > (here.file, here.row);
    let is_before = |at: &PageRow| (at.file, at.row) < (here.file, here.row);
    let found = match forward {
        true => places.iter().find(|(at, _)| is_behind(at)).or(places.first()),
        false => places.iter().rev().find(|(at, _)| is_before(at)).or(places.last()),
    };
    match found {
        Some(&(_, thread)) => show_thread(pane, review, thread),
        None => state.notices.info("There are no comments here: press c on a line to make one."),
    }
}

/// Brings a thread into view; its file opens if it is folded.
pub fn show_thread(pane: &mut ReviewPane, review: &mut OpenReview, thread: Id) {
    let Some(placed) = review.discussion.place(thread) else { return };
    let (file, side) = (placed.file, placed.side);
    let line = placed.placement.as_ref().map(Placement::line);
    review.page.set_folded(file, false);
    match line {
        Some(line) => {
            navigate::show_line(pane, review, file, side, line);
            pane.cursor = Some(review.page.row_of_line(file, side, line));
        }
        None => navigate::show_file(pane, file),
    }
    pane.threads.show(Block::Thread(thread));
}
