//! Which rows are in view, and painting them.
//!
//! The rows are collected first, so that the pointer can be understood before anything is painted; then grounds,
//! marks, numbers and text follow row by row. Missing rows of a side are hatched in one piece.

use std::ops::Range;
use std::time::Instant;

use diff::git::Side;
use diff::notes::LineEndings;
use diff::plan::{Layout, Row, RunKind};
use diff::review::{HEADER_ROWS, LONGEST, NewSide, PageRow, Part, Reading, Shown, Wrap};
use editor::text::{Columns, Wrapped};
use eframe::egui::{self, Color32, Painter, Pos2, Rangef, Rect, Sense, Stroke, StrokeKind, Ui, pos2, vec2};
use egui_tiles::TileId;

use super::geometry::{Geometry, digits};
use super::problems::{self, OfFile};
use super::{ReviewPane, body, comments, header, moved, navigate, origin, select, stage, threads};
use crate::code_view::grid::{self, Cells};
use crate::code_view::lines::{DocumentLines, Lines, LongLines};
use crate::code_view::row::{self, Ink, Segment};
use crate::code_view::{paint, scroll};
use crate::commands::{Command, Sink};
use crate::state::State;
use crate::state::documents::Documents;
use crate::state::highlights::{Highlights, Source};
use crate::state::reviews::OpenReview;
use crate::state::settings::Settings;
use crate::state::stages::Kind;
use crate::tasks::Tasks;
use crate::theme::{Ground, Theme, fonts, icons, space};
use crate::widgets::{Button, EmptyState, ErrorState, skeleton_rows};

/// A row that is in view.
#[derive(Clone, Copy, Debug)]
pub struct Painted {
    pub y: f32,
    pub at: PageRow,
    /// The lines whose text it shows, if its file is loaded and the row is not the header's.
    pub row: Option<Row>,
    /// Which piece of them, where lines are wrapped.
    pub piece: u32,
    /// Of a row below lines: the row of the plan that they are, and how far below.
    pub below: Option<(u32, u32)>,
}

/// Draws the page.
pub fn draw(ui: &mut Ui, tile: TileId, page: Rect, pane: &mut ReviewPane, state: &mut State, sink: &mut Sink) {
    let State { reviews, documents, long_lines, highlights, theme, settings, tasks, desk, notices, provenance, .. } =
        state;
    let theme = *theme;
    let Some(review) = reviews.get_mut(pane.review) else { return };
    let cells = Cells::of_theme(ui);
    pane.view = f64::from(page.height() / cells.row);
    let response = ui.interact(page, crate::panes::focus_id(tile), Sense::click_and_drag());
    let (rows, columns) = scroll::wheel(ui, page, cells.row, cells.cell);
    if rows != 0.0 {
        navigate::scroll_by(pane, review, rows);
    }
    pane.left = (pane.left + columns).max(0.0);
    if review.may_wrap(tile, ui.ctx().cumulative_frame_nr()) {
        let staging = review.stages.kind() != Kind::None;
        let geometry = Geometry::new(page, review.page.layout(), &cells, pane.digits, 0.0, staging);
        threads::lay_out(ui, tile, pane, review, desk, &geometry);
    }
    navigate::settle(ui, pane, review);

    fit(ui, tile, pane, review, settings, page, &cells);
    let painted = visible(pane, review, page, cells.row);
    let most = painted.iter().filter_map(|p| p.row).filter_map(|r| r.new.max(r.old)).max().unwrap_or(0);
    pane.digits = digits(most + 1);
    let staging = review.stages.kind() != Kind::None;
    if review.page.wrap().is_some() && !painted.iter().any(|p| is_endless(p, review, documents)) {
        pane.left = 0.0;
    }
    let tabs = Columns::new(settings.tab_width);
    let mut geometry = Geometry::new(page, review.page.layout(), &cells, pane.digits, pane.left, staging);
    if super::edit::follow_column(pane, review, documents, long_lines, &tabs, &geometry.part(Side::New).text) {
        geometry = Geometry::new(page, review.page.layout(), &cells, pane.digits, pane.left, staging);
    }
    stage::want(review, &painted, tasks);
    select::pointer(ui, &response, pane, review, documents, long_lines, &geometry, &painted, &tabs);
    super::edit::follow_opening(pane, review, documents);

    problems::see(review, &mut state.servers, &painted);
    let problems = problems::of_view(review, &state.servers, &painted);
    let painter = ui.painter_at(page);
    let mut scene =
        Scene { painter, geometry, tabs, theme, pane, review, documents, long_lines, highlights, tasks, problems };
    scene.prepare_text(&painted);
    scene.grounds(&painted);
    scene.text(&painted);
    let focused = response.has_focus();
    scene.carets(ui, &painted, focused);
    let Scene { geometry, problems, .. } = scene;
    problems::tell(ui, tile, page, pane, &problems, sink);
    let sight = stage::Sight { tile, pane, review, documents, geometry: &geometry, painted: &painted, theme };
    stage::draw_marks(ui, &sight, sink);
    threads::draw(ui, tile, pane, review, desk, notices, &geometry, &painted);
    comments::plus(ui, tile, pane, review, documents, desk, &geometry, &painted, theme);
    if settings.provenance {
        let wait = origin::draw(ui, tile, review, documents, provenance, tasks, &geometry, &painted, sink);
        if let Some(wait) = wait {
            ui.ctx().request_repaint_after(wait);
        }
    }
    let mut around = header::Around { pane, review, documents, highlights, sink, tasks, theme };
    header::draw_all(ui, tile, &mut around, &geometry, &painted);
    moved::draw(ui, tile, around.pane, around.review, &geometry, &painted, theme);
    let sight = stage::Sight { tile, pane, review, documents, geometry: &geometry, painted: &painted, theme };
    stage::draw_strip(ui, &sight, sink);
    if highlights.take_unasked() || state.servers.take_new_sight() {
        ui.ctx().request_repaint();
    }
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::accesskit::Role::Document, true, spoken(review, documents, &painted))
    });
}

/// Wraps lines to the width of the page, or stops to. The reader's line stays at the top. Where two panes show one
/// review, the first decides.
fn fit(
    ui: &Ui,
    tile: TileId,
    pane: &mut ReviewPane,
    review: &mut OpenReview,
    settings: &Settings,
    page: Rect,
    cells: &Cells,
) {
    let frame = ui.ctx().cumulative_frame_nr();
    if !review.may_wrap(tile, frame) {
        return;
    }
    // As many digits as the longest file in view had in the last frame: numbers that grow wrap once more.
    let staging = review.stages.kind() != Kind::None;
    let geometry = Geometry::new(page, review.page.layout(), cells, pane.digits, 0.0, staging);
    let columns = |side| ((geometry.part(side).text.rect.width() - 2.0) / cells.cell).max(8.0) as u32;
    let wrap = settings.review_wrap.then(|| Wrap {
        old: columns(Side::Old),
        new: columns(Side::New),
        tab_width: settings.tab_width,
    });
    if wrap != review.page.wrap() {
        let held = review.page.hold(pane.anchor);
        review.page.set_wrap(wrap);
        review.page.prepare(pane.anchor.file);
        pane.anchor = review.page.resume(held);
        navigate::settle(ui, pane, review);
    }
}

/// Whether a row shows a line that is too long to be wrapped: such ones are scrolled sideways.
fn is_endless(p: &Painted, review: &OpenReview, documents: &Documents) -> bool {
    let Some(row) = p.row.filter(|row| row.kind != RunKind::Gap) else { return false };
    [(Side::Old, row.old), (Side::New, row.new)].into_iter().any(|(side, line)| {
        let lines = side_lines(review, documents, p.at.file, side);
        lines.zip(line).is_some_and(|(lines, line)| lines.as_lines().len(line) > LONGEST)
    })
}

/// The rows from the anchor down to the lower edge.
pub fn visible(pane: &ReviewPane, review: &OpenReview, page: Rect, height: f32) -> Vec<Painted> {
    let mut y = page.top() - pane.anchor.offset as f32 * height;
    let mut rows = Vec::with_capacity((page.height() / height) as usize + 2);
    for at in review.page.rows_from(pane.anchor) {
        if y >= page.bottom() {
            break;
        }
        let (row, piece, below) = match review.page.shown(at) {
            Some(Shown { row, part: Part::Text(piece), .. }) => (Some(row), piece, None),
            Some(Shown { plan_row, part: Part::Below(k), .. }) => (None, 0, Some((plan_row, k))),
            None => (None, 0, None),
        };
        rows.push(Painted { y, at, row, piece, below });
        y += height;
    }
    rows
}

/// The text of a side of a loaded file, by lines.
pub enum SideLines<'a> {
    Fixed(&'a diff::lines::Content),
    Live(DocumentLines<'a>),
}

impl SideLines<'_> {
    /// As the code view reads it.
    pub fn as_lines(&self) -> &dyn Lines {
        match self {
            Self::Fixed(content) => *content,
            Self::Live(lines) => lines,
        }
    }
}

/// The text of a side of a file, if it is loaded.
pub fn side_lines<'a>(
    review: &'a OpenReview,
    documents: &'a Documents,
    file: usize,
    side: Side,
) -> Option<SideLines<'a>> {
    let lines = review.page.file(file)?.lines()?;
    match (side, &lines.new) {
        (Side::Old, _) => Some(SideLines::Fixed(&lines.old)),
        (Side::New, NewSide::Fixed(content)) => Some(SideLines::Fixed(content)),
        (Side::New, NewSide::Live(..)) => {
            let id = review.document(file)?;
            let document = &documents.get(id)?.document;
            let lines = DocumentLines { text: document.text(), document: id.0, version: document.version() };
            Some(SideLines::Live(lines))
        }
    }
}

/// How a line of a side is wrapped, if lines are and it is not too long for that.
pub fn wrapped(review: &OpenReview, side: Side, lines: &dyn Lines, line: u32, tabs: &Columns) -> Option<Wrapped> {
    let wrap = review.page.wrap()?;
    let len = lines.len(line);
    if len > LONGEST {
        return None;
    }
    let width = if side == Side::Old { wrap.old } else { wrap.new };
    Some(tabs.wrap(&lines.window(line, 0..len), width))
}

struct Scene<'a, 'p> {
    painter: Painter,
    geometry: Geometry,
    tabs: Columns,
    theme: &'static Theme,
    pane: &'a mut ReviewPane,
    review: &'a OpenReview,
    documents: &'a Documents,
    long_lines: &'a mut LongLines,
    highlights: &'a mut Highlights,
    tasks: &'a Tasks,
    problems: Vec<OfFile<'p>>,
}

impl Scene<'_, '_> {
    /// Asks for colours and changed words of what is in view.
    fn prepare_text(&mut self, painted: &[Painted]) {
        self.pane.marks.begin();
        let mut from = 0;
        while from < painted.len() {
            let file = painted[from].at.file;
            let to = painted[from..].iter().position(|p| p.at.file != file).map_or(painted.len(), |n| from + n);
            for side in [Side::Old, Side::New] {
                self.request_colours(file, side, &painted[from..to]);
            }
            let rows = &painted[from..to];
            self.pane.marks.prepare(self.review, self.documents, self.tasks, file, rows);
            from = to;
        }
        if self.pane.marks.is_postponed() {
            self.painter.ctx().request_repaint();
        }
    }

    fn request_colours(&mut self, file: usize, side: Side, rows: &[Painted]) {
        let line = |p: &Painted| {
            let row = p.row.filter(|r| r.kind != RunKind::Gap)?;
            if side == Side::Old { row.old } else { row.new }
        };
        let Some(first) = rows.iter().find_map(line) else { return };
        let last = rows.iter().rev().find_map(line).unwrap_or(first);
        let Some(entry) = self.review.page.file(file) else { return };
        let Some(lines) = entry.lines() else { return };
        let mut path = entry.change.path_of(side).to_path();
        if let Some(Reading::Notebook(extension)) = lines.reading {
            path = path.with_extension(extension).into();
        }
        match (side, &lines.new, self.review.document(file)) {
            (Side::New, NewSide::Live(..), Some(id)) => {
                if let Some(open) = self.documents.get(id) {
                    self.highlights.want(&Source::Document(id, &open.document), first..last + 1, self.tasks);
                }
            }
            (Side::Old, ..) => self.highlights.want(&Source::Fixed(&lines.old, &path), first..last + 1, self.tasks),
            (Side::New, NewSide::Fixed(content), _) => {
                self.highlights.want(&Source::Fixed(content, &path), first..last + 1, self.tasks);
            }
            (Side::New, NewSide::Live(..), None) => {}
        }
    }

    fn grounds(&mut self, painted: &[Painted]) {
        let mut fillers: [Option<(f32, f32)>; 2] = [None, None];
        for p in painted {
            let Some(row) = p.row else {
                self.flush_fillers(&mut fillers);
                continue;
            };
            for (n, side) in [Side::Old, Side::New].into_iter().enumerate() {
                let missing = if side == Side::Old { row.old.is_none() } else { row.new.is_none() };
                let hatched = missing && self.geometry.layout == Layout::Split;
                match (&mut fillers[n], hatched) {
                    (Some(span), true) => span.1 = p.y + self.geometry.row,
                    (slot, true) => *slot = Some((p.y, p.y + self.geometry.row)),
                    (slot, false) => {
                        if let Some(span) = slot.take() {
                            self.filler(side, span);
                        }
                    }
                }
                if !missing {
                    self.ground(p.at.file, side, &row, p.y);
                }
            }
        }
        self.flush_fillers(&mut fillers);
        self.current_hunk(painted);
        if self.geometry.layout == Layout::Split {
            let x = self.geometry.part(Side::New).whole.min;
            self.painter.vline(x - 0.5, self.geometry.page.y_range(), Stroke::new(1.0, self.theme.border.line));
        }
    }

    /// A bar at the edge of the hunk that the last step went to.
    fn current_hunk(&self, painted: &[Painted]) {
        let Some(cursor) = self.pane.cursor else { return };
        let is_change = |p: &&Painted| p.at.file == cursor.file && p.row.is_some_and(|row| row.kind.is_change());
        let from = painted.iter().position(|p| p.at.file == cursor.file && p.at.row >= cursor.row);
        let Some(from) = from else { return };
        let rows: Vec<_> = painted[from..].iter().take_while(is_change).collect();
        if let (Some(first), Some(last)) = (rows.first(), rows.last()) {
            let y = Rangef::new(first.y, last.y + self.geometry.row);
            let x = Rangef::new(self.geometry.page.left(), self.geometry.page.left() + 3.0);
            self.painter.rect_filled(Rect::from_x_y_ranges(x, y), 0.0, self.theme.signal.accent);
        }
    }

    fn flush_fillers(&self, fillers: &mut [Option<(f32, f32)>; 2]) {
        for (slot, side) in fillers.iter_mut().zip([Side::Old, Side::New]) {
            if let Some(span) = slot.take() {
                self.filler(side, span);
            }
        }
    }

    fn filler(&self, side: Side, (top, bottom): (f32, f32)) {
        let rect = Rect::from_x_y_ranges(self.geometry.part(side).whole, Rangef::new(top, bottom));
        let colors = &self.theme.moved;
        paint::hatch(&self.painter, rect, self.hatch_phase(), colors.filler, colors.hatch);
    }

    /// Moves the hatch with the page.
    fn hatch_phase(&self) -> f32 {
        (self.pane.anchor.offset * f64::from(self.geometry.row)) as f32
            + (self.pane.anchor.row % 2) as f32 * self.geometry.row
    }

    fn ground(&self, file: usize, side: Side, row: &Row, y: f32) {
        let Some((mut line, gutter)) = self.colors(side, row.kind) else { return };
        if self.is_moved(file, side, row) {
            line = self.theme.moved.line;
        }
        let part = self.geometry.part(side);
        let rect = self.geometry.row_rect(part, y);
        let split = Rangef::new(rect.left(), part.sign.max);
        self.painter.rect_filled(Rect::from_x_y_ranges(split, rect.y_range()), 0.0, gutter);
        let rest = Rangef::new(part.sign.max, rect.right());
        self.painter.rect_filled(Rect::from_x_y_ranges(rest, rect.y_range()), 0.0, line);
    }

    /// Whether a changed row's line on a side is of a moved block.
    fn is_moved(&self, file: usize, side: Side, row: &Row) -> bool {
        let line = if side == Side::Old { row.old } else { row.new };
        row.kind.is_change() && moved::at(&self.review.page, file, side, line).is_some()
    }

    /// Colours of a changed row's line and gutter on a side.
    fn colors(&self, side: Side, kind: RunKind) -> Option<(Color32, Color32)> {
        let (add, remove) = (&self.theme.add, &self.theme.remove);
        match (kind, side) {
            (RunKind::Added, _) | (RunKind::Changed, Side::New) => Some((add.line, add.gutter)),
            (RunKind::Removed, _) | (RunKind::Changed, Side::Old) => Some((remove.line, remove.gutter)),
            (RunKind::Context | RunKind::Gap, _) => None,
        }
    }

    fn text(&mut self, painted: &[Painted]) {
        for p in painted {
            let Some(row) = p.row.filter(|r| r.kind != RunKind::Gap) else { continue };
            let (old, new) = match (self.geometry.layout, row.kind) {
                // One column shows a context line once, as the new side has it.
                (Layout::Unified, RunKind::Context) => (None, row.new),
                _ => (row.old, row.new),
            };
            if p.piece == 0 {
                self.numbers(&row, p.y);
            }
            if let Some(line) = old {
                self.line(p, Side::Old, line, &row);
            }
            if let Some(line) = new {
                self.line(p, Side::New, line, &row);
            }
        }
    }

    fn numbers(&self, row: &Row, y: f32) {
        let cells = &self.geometry.part(Side::New).text.cells;
        for side in [Side::Old, Side::New] {
            let part = self.geometry.part(side);
            let (number, x) = match side {
                Side::Old => (row.old, part.old_number),
                Side::New => (row.new, part.new_number),
            };
            let (Some(number), Some(x)) = (number, x) else { continue };
            let changed = self.colors(side, row.kind).is_some();
            let color = if changed { self.theme.code.number_active } else { self.theme.code.number };
            row::number(&self.painter, cells, x, y, number + 1, color);
            if changed {
                let (sign, color) = match side {
                    Side::Old => ("−", self.theme.remove.text),
                    Side::New => ("+", self.theme.add.text),
                };
                let at = pos2(part.sign.center() - 2.0 - cells.cell / 2.0, y);
                grid::label(&self.painter, cells, at, sign, color);
            }
        }
    }

    fn line(&mut self, p: &Painted, side: Side, line: u32, row: &Row) {
        let file = p.at.file;
        let Some(lines) = side_lines(self.review, self.documents, file, side) else { return };
        let lines = lines.as_lines();
        let segment = match wrapped(self.review, side, lines, line, &self.tabs) {
            Some(wrapped) => match Segment::of(&wrapped, p.piece as usize, lines.len(line)) {
                Some(segment) => Some(segment),
                None => return, // its partner is longer
            },
            // Too long to be wrapped; its partner goes on.
            None if p.piece > 0 => return,
            None => None,
        };
        let is_moved = self.is_moved(file, side, row);
        let (ground, word) = match self.colors(side, row.kind) {
            None => (Ground::Page, Color32::TRANSPARENT),
            // A line that is elsewhere as it is has no changed words, whatever it stands beside.
            Some(_) if is_moved => (Ground::MovedLine, Color32::TRANSPARENT),
            Some(_) if side == Side::Old => (Ground::RemovedLine, self.theme.remove.word),
            Some(_) => (Ground::AddedLine, self.theme.add.word),
        };
        let words: &[Range<u32>] =
            if row.kind.is_change() && !is_moved { self.pane.marks.of(file, side, line) } else { &[] };
        let hits = self.pane.find.as_ref().map(|find| find.hits_in(file, side, line)).unwrap_or_default();
        let selected = self.pane.selected(self.documents, file, side, line, lines.len(line));
        let marked = match side {
            Side::New if !self.problems.is_empty() => {
                problems::in_line(&self.problems, self.review, self.documents, file, line)
            }
            _ => Vec::new(),
        };
        let ink = Ink {
            lines,
            line,
            segment,
            spans: self.highlights.spans(lines.key(), line),
            ground,
            words,
            word,
            hits: &hits,
            selected: selected.as_slice(),
            problems: &marked,
        };
        let area = &self.geometry.part(side).text;
        let on_screen = row::draw(&self.painter, area, p.y, &ink, self.long_lines, &self.tabs, self.theme);
        problems::seen(&mut self.problems, file, &marked, on_screen);
        let end = lines.len(line);
        if ink.segment.as_ref().is_some_and(|segment| segment.bytes.end != end) {
            return; // the line goes on in the next row
        }
        let Some(ending) = told_ending(self.review, self.documents, file, side, line, row) else { return };
        let moved = ink.segment.as_ref().map(|segment| segment.area(area));
        let area = moved.as_ref().unwrap_or(area);
        let left = area.x(self.long_lines.column(lines, line, &self.tabs, end) + 1);
        let color = if side == Side::Old { self.theme.remove.text } else { self.theme.add.text };
        let painter = self.painter.with_clip_rect(area.rect.intersect(self.painter.clip_rect()));
        tag(&painter, pos2(left, p.y + area.cells.row / 2.0), &ending, color);
    }

    fn carets(&mut self, ui: &Ui, painted: &[Painted], focused: bool) {
        let Some(edit) = &mut self.pane.edit else { return };
        let Some(open) = self.documents.get(edit.document) else { return };
        let moved = *edit.moved.get_or_insert_with(|| ui.input(|i| i.time));
        let document = &open.document;
        let text = document.text();
        let lines = DocumentLines { text, document: edit.document.0, version: document.version() };
        let area = &self.geometry.part(Side::New).text;
        let shown = focused && row::caret_is_on(ui, moved);
        for selection in &edit.selections {
            let line = text.line_of(selection.head);
            let byte = selection.head - text.line_start(line);
            let wrapped = wrapped(self.review, Side::New, &lines, line, &self.tabs);
            let piece = wrapped.as_ref().map_or(0, |wrapped| wrapped.piece_of(byte));
            let at = painted.iter().find(|p| {
                p.at.file == edit.file
                    && p.piece as usize == piece
                    && p.row.is_some_and(|r| r.kind != RunKind::Gap && r.new == Some(line))
            });
            let Some(p) = at else { continue };
            let segment = wrapped.and_then(|wrapped| Segment::of(&wrapped, piece, lines.len(line)));
            let moved = segment.map(|segment| segment.area(area));
            let area = moved.as_ref().unwrap_or(area);
            let column = self.long_lines.column(&lines, line, &self.tabs, byte);
            if shown {
                paint::caret(&self.painter.with_clip_rect(area.rect), area, p.y, column, self.theme.code.caret);
            }
            if focused {
                row::set_ime(ui, area, p.y, column);
            }
        }
    }
}

/// A word that is no text of the line, with its left edge at a point half-way down the row.
fn tag(painter: &Painter, left: Pos2, word: &str, color: Color32) {
    let galley = painter.layout_no_wrap(word.to_owned(), fonts::ui(11.0), color);
    let size = galley.size() + vec2(space::S, 0.0);
    let rect = Rect::from_min_size(left - vec2(0.0, size.y / 2.0), size);
    painter.rect_stroke(rect, 3.0, Stroke::new(1.0, color.gamma_multiply(0.5)), StrokeKind::Inside);
    painter.galley(rect.center() - galley.size() / 2.0, galley, color);
}

/// How a changed line ends, in words, where that has to be told: its partner ends otherwise, or nothing ends it.
fn told_ending(
    review: &OpenReview,
    documents: &Documents,
    file: usize,
    side: Side,
    line: u32,
    row: &Row,
) -> Option<String> {
    if !row.kind.is_change() {
        return None;
    }
    let ending = |side, line| Some(side_lines(review, documents, file, side)?.as_lines().ending(line));
    let own = ending(side, line)?;
    if own == LineEndings::None {
        return Some("no newline at end".to_owned());
    }
    let other = if side == Side::Old { Side::New } else { Side::Old };
    let partner = review.page.file(file)?.lines()?.partner(side, line)?;
    (ending(other, partner)? != own).then(|| own.to_string())
}

/// What a screen reader hears, and a test reads: the rows in view, with their signs.
fn spoken(review: &OpenReview, documents: &Documents, painted: &[Painted]) -> String {
    let mut text = String::new();
    let mut last = None;
    for p in painted {
        let Some(row) = p.row.filter(|r| r.kind != RunKind::Gap && p.piece == 0) else {
            let is_body = p.row.is_none() && p.below.is_none() && p.at.row >= HEADER_ROWS;
            if is_body && last.replace(p.at.file) != Some(p.at.file) {
                text.push_str(&review.page.file(p.at.file).map(body::spoken).unwrap_or_default());
            }
            continue;
        };
        let mut say = |sign: &str, side: Side, line: Option<u32>| {
            let (Some(line), Some(lines)) = (line, side_lines(review, documents, p.at.file, side)) else { return };
            let lines = lines.as_lines();
            text.push_str(sign);
            text.push_str(&lines.window(line, 0..200));
            if let Some(ending) = told_ending(review, documents, p.at.file, side, line, &row) {
                text.push_str(&format!(" ({ending})"));
            }
            text.push('\n');
        };
        match row.kind {
            RunKind::Context | RunKind::Gap => say(" ", Side::New, row.new),
            RunKind::Changed | RunKind::Removed | RunKind::Added => {
                say("-", Side::Old, row.old);
                say("+", Side::New, row.new);
            }
        }
    }
    text
}

/// Nothing differs.
pub fn draw_empty(ui: &mut Ui, rect: Rect, sink: &mut Sink) {
    let mut ui = ui.new_child(egui::UiBuilder::new().id_salt("review empty").max_rect(rect));
    let state = EmptyState::new(icons::CHECK, "Nothing differs here")
        .detail("Changes appear when files are edited.")
        .action(Button::new("Compare again"));
    if state.show(&mut ui) {
        sink.push(Command::RefreshReview);
    }
}

/// The change cannot be shown.
pub fn draw_error(ui: &mut Ui, rect: Rect, error: &str, sink: &mut Sink) {
    let mut ui = ui.new_child(egui::UiBuilder::new().id_salt("review error").max_rect(rect));
    if ErrorState::new("This change cannot be shown", error).action(Button::new("Try again")).show(&mut ui) {
        sink.push(Command::RefreshReview);
    }
}

/// The files are being listed: nothing for a moment, then a skeleton.
pub fn draw_loading(ui: &mut Ui, rect: Rect, since: Instant) {
    let mut ui = ui.new_child(egui::UiBuilder::new().id_salt("review loading").max_rect(rect.shrink(space::L)));
    skeleton_rows(&mut ui, since, 24, 20.0);
}
