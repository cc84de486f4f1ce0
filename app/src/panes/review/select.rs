//! The pointer on the page: selecting text of a side, and putting the caret into the new one.
//!
//! A selection stays on the side and in the file it began in. On a side that is only read it is held here as places in
//! lines; on a live new side a press starts editing, and the selection is the document's.

use std::cmp::Ordering;
use std::ops::Range;

use diff::git::Side;
use diff::plan::RunKind;
use editor::movement;
use editor::selection::{Selection, Selections};
use editor::text::Columns;
use eframe::egui::{CursorIcon, Pos2, Response, Ui};

use super::edit::{self, Opening};
use super::geometry::Geometry;
use super::rows::{Painted, side_lines, wrapped};
use super::{ReviewPane, navigate};
use crate::code_view::lines::LongLines;
use crate::code_view::pointer::{Press, Unit, extend};
use crate::code_view::row::{Segment, Selected};
use crate::state::documents::Documents;
use crate::state::reviews::OpenReview;

/// A place in a side's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    pub line: u32,
    /// Bytes from the start of the line.
    pub byte: usize,
}

/// Selected text of a side that is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SideSelection {
    pub file: usize,
    pub side: Side,
    pub anchor: Spot,
    pub head: Spot,
}

impl SideSelection {
    /// From the earlier to the later end.
    pub fn range(&self) -> Range<Spot> {
        self.anchor.min(self.head)..self.anchor.max(self.head)
    }
}

/// A drag under way: what it started with, and in which units it goes on.
#[derive(Clone, Debug)]
pub struct Drag {
    file: usize,
    side: Side,
    unit: Unit,
    start: Range<Spot>,
}

/// Understands presses and drags of this frame.
#[expect(clippy::too_many_arguments, reason = "the page's parts are borrowed separately")]
pub fn pointer(
    ui: &Ui,
    response: &Response,
    pane: &mut ReviewPane,
    review: &mut OpenReview,
    documents: &mut Documents,
    long: &mut LongLines,
    geometry: &Geometry,
    painted: &[Painted],
    tabs: &Columns,
) {
    if let Some(pos) = response.hover_pos()
        && is_over_text(geometry, painted, pos)
    {
        ui.ctx().set_cursor_icon(CursorIcon::Text);
    }
    if let Some(press) = pane.clicks.press(ui, response) {
        pane.tells_problem = None;
        response.request_focus();
        let hit = spot_at(review, documents, long, geometry, painted, tabs, press.pos, None);
        match hit {
            Some((file, side, spot)) => pressed(pane, review, documents, press, file, side, spot),
            None => pane.drag = None,
        }
    } else if ui.input(|i| i.pointer.primary_down())
        && let (Some(drag), Some(pos)) = (pane.drag.clone(), ui.input(|i| i.pointer.latest_pos()))
    {
        let only = Some((drag.file, drag.side));
        if let Some((_, _, spot)) = spot_at(review, documents, long, geometry, painted, tabs, pos, only) {
            dragged(pane, review, documents, &drag, spot);
        }
        scroll_at_edge(ui, pane, review, geometry, pos);
    } else {
        pane.drag = None;
    }
}

fn is_over_text(geometry: &Geometry, painted: &[Painted], pos: Pos2) -> bool {
    let text = |side| geometry.part(side).text.rect.contains(pos);
    (text(Side::Old) || text(Side::New))
        && painted
            .iter()
            .any(|p| p.row.is_some_and(|r| r.kind != RunKind::Gap) && (p.y..p.y + geometry.row).contains(&pos.y))
}

/// The file, side and place under a point. With `only`, the nearest place on that side of that file.
#[expect(clippy::too_many_arguments, reason = "the page's parts are borrowed separately")]
fn spot_at(
    review: &OpenReview,
    documents: &Documents,
    long: &mut LongLines,
    geometry: &Geometry,
    painted: &[Painted],
    tabs: &Columns,
    pos: Pos2,
    only: Option<(usize, Side)>,
) -> Option<(usize, Side, Spot)> {
    let line_of = |p: &Painted, side: Side| {
        let row = p.row.filter(|r| r.kind != RunKind::Gap)?;
        if side == Side::Old { row.old } else { row.new }
    };
    let (file, side, line, piece) = match only {
        Some((file, side)) => {
            let mine = painted.iter().filter(|p| p.at.file == file);
            let mine = mine.filter_map(|p| Some((p.y, line_of(p, side)?, p.piece)));
            let distance = |y: f32| {
                let middle = y + geometry.row / 2.0;
                (middle - pos.y).abs()
            };
            let nearest = mine.min_by(|a, b| distance(a.0).partial_cmp(&distance(b.0)).unwrap_or(Ordering::Equal))?;
            (file, side, nearest.1, nearest.2)
        }
        None => {
            let p = painted.iter().find(|p| (p.y..p.y + geometry.row).contains(&pos.y))?;
            let row = p.row.filter(|r| r.kind != RunKind::Gap)?;
            let side = geometry.side_at(pos.x, row.old.is_some(), row.new.is_some());
            (p.at.file, side, line_of(p, side)?, p.piece)
        }
    };
    let lines = side_lines(review, documents, file, side)?;
    let lines = lines.as_lines();
    let area = &geometry.part(side).text;
    let byte = match wrapped(review, side, lines, line, tabs) {
        Some(wrapped) => {
            // On the shorter side of a wrapped row there may be no such piece: its last is the nearest.
            let piece = (piece as usize).min(wrapped.pieces().len() - 1);
            let segment = Segment::of(&wrapped, piece, lines.len(line))?;
            let byte = long.byte(lines, line, tabs, segment.area(area).column_at(pos.x));
            byte.clamp(segment.bytes.start, segment.bytes.end)
        }
        None => long.byte(lines, line, tabs, area.column_at(pos.x)),
    };
    Some((file, side, Spot { line, byte }))
}

fn pressed(
    pane: &mut ReviewPane,
    review: &mut OpenReview,
    documents: &mut Documents,
    press: Press,
    file: usize,
    side: Side,
    spot: Spot,
) {
    let start = unit_at(review, documents, file, side, spot, press.unit);
    pane.drag = Some(Drag { file, side, unit: press.unit, start: start.clone() });
    if side == Side::New && review.live_path(file).is_some() {
        pane.selection = None;
        return press_live(pane, review, documents, press, file, spot, &start);
    }
    pane.edit = None;
    let extends = press.modifiers.shift.then_some(pane.selection).flatten();
    pane.selection = Some(match extends.filter(|s| s.file == file && s.side == side) {
        Some(selection) => SideSelection { head: spot, ..selection },
        None => SideSelection { file, side, anchor: start.start, head: start.end },
    });
}

fn press_live(
    pane: &mut ReviewPane,
    review: &mut OpenReview,
    documents: &mut Documents,
    press: Press,
    file: usize,
    spot: Spot,
    start: &Range<Spot>,
) {
    let Some(id) = review.document(file) else {
        // The document is opened first; what was pressed is kept for then.
        pane.edit = None;
        pane.opening = Some(Opening::at(file, start.start, start.end));
        return;
    };
    let Some(open) = documents.get_mut(id) else { return };
    open.document.close_run();
    let text = open.document.text();
    let offset = |s: Spot| text.line_start(s.line) + s.byte;
    let fresh = Selection::new(offset(start.start), offset(start.end));
    let here = pane.edit.as_ref().filter(|edit| edit.file == file);
    let selections = match here {
        Some(edit) if press.modifiers.shift => {
            let primary = edit.selections.primary();
            Selections::single(Selection::new(primary.anchor, offset(spot)))
        }
        Some(edit) if press.modifiers.alt => edit.selections.with(fresh),
        _ => Selections::single(fresh),
    };
    pane.edit = Some(edit::EditCaret::new(file, id, selections, open.document.version()));
}

fn dragged(pane: &mut ReviewPane, review: &OpenReview, documents: &Documents, drag: &Drag, spot: Spot) {
    let now = unit_at(review, documents, drag.file, drag.side, spot, drag.unit);
    let (anchor, head) = extend(&drag.start, &now);
    if let Some(edit) = &mut pane.edit {
        let Some(open) = documents.get(edit.document) else { return };
        let text = open.document.text();
        let offset = |s: Spot| text.line_start(s.line) + s.byte;
        let moved = Selection::new(offset(anchor), offset(head));
        edit.selections = Selections::single(moved);
    } else if let Some(selection) = &mut pane.selection {
        (selection.anchor, selection.head) = (anchor, head);
    }
}

/// What a press at a place selects: nothing, the word or the line.
fn unit_at(review: &OpenReview, documents: &Documents, file: usize, side: Side, spot: Spot, unit: Unit) -> Range<Spot> {
    let Some(lines) = side_lines(review, documents, file, side) else { return spot..spot };
    let lines = lines.as_lines();
    match unit {
        Unit::Character => spot..spot,
        Unit::Line => {
            let next = Spot { line: spot.line + 1, byte: 0 };
            let end = Spot { line: spot.line, byte: lines.len(spot.line) };
            Spot { line: spot.line, byte: 0 }..if next.line < lines.count() { next } else { end }
        }
        Unit::Word => {
            // Words are looked for around the place only: a line may be megabytes long.
            const AROUND: usize = 512;
            let from = spot.byte.saturating_sub(AROUND);
            let window = lines.window(spot.line, from..spot.byte + AROUND);
            let text = editor::text::Text::from(&*window);
            let word = movement::word_around(&text, spot.byte - from);
            Spot { line: spot.line, byte: from + word.start }..Spot { line: spot.line, byte: from + word.end }
        }
    }
}

/// A drag beyond the upper or lower edge scrolls, the faster the further.
fn scroll_at_edge(ui: &Ui, pane: &mut ReviewPane, review: &OpenReview, geometry: &Geometry, pos: Pos2) {
    let (top, bottom) = (geometry.page.top(), geometry.page.bottom());
    let beyond = if pos.y < top { pos.y - top } else { (pos.y - bottom).max(0.0) };
    if beyond != 0.0 {
        let rows = f64::from(beyond / geometry.row).clamp(-8.0, 8.0) * 0.5;
        navigate::scroll_by(pane, review, rows);
        ui.ctx().request_repaint();
    }
}

impl ReviewPane {
    /// What of a line is selected.
    pub(super) fn selected(
        &self,
        documents: &Documents,
        file: usize,
        side: Side,
        line: u32,
        len: usize,
    ) -> Vec<Selected> {
        if let Some(selection) = self.selection.filter(|s| s.file == file && s.side == side) {
            return of_line(&selection.range(), line, len).into_iter().collect();
        }
        let Some(edit) = self.edit.as_ref().filter(|edit| edit.file == file && side == Side::New) else {
            return Vec::new();
        };
        let Some(open) = documents.get(edit.document) else { return Vec::new() };
        let text = open.document.text();
        let spot = |offset: usize| {
            let line = text.line_of(offset);
            Spot { line, byte: offset - text.line_start(line) }
        };
        let ranges = edit.selections.iter().filter(|s| !s.is_empty());
        ranges.filter_map(|s| of_line(&(spot(s.start())..spot(s.end())), line, len)).collect()
    }

    /// The text that is selected on a side that is read.
    pub fn selected_text(&self, review: &OpenReview, documents: &Documents) -> Option<String> {
        let selection = self.selection.filter(|s| s.anchor != s.head)?;
        let lines = side_lines(review, documents, selection.file, selection.side)?;
        let lines = lines.as_lines();
        let range = selection.range();
        let mut text = String::new();
        for line in range.start.line..=range.end.line.min(lines.count().saturating_sub(1)) {
            let part = of_line(&range, line, lines.len(line))?;
            text.push_str(&lines.window(line, part.bytes));
            if part.to_end {
                text.push('\n');
            }
        }
        Some(text)
    }
}

fn of_line(range: &Range<Spot>, line: u32, len: usize) -> Option<Selected> {
    if line < range.start.line || line > range.end.line {
        return None;
    }
    let start = if line == range.start.line { range.start.byte } else { 0 };
    let to_end = line < range.end.line;
    let end = if to_end { len } else { range.end.byte.min(len) };
    (start < end || to_end).then_some(Selected { bytes: start.min(end)..end, to_end })
}
