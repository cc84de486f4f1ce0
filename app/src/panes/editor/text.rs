//! The text of a document in its tab: painting, scrolling, the pointer.

use std::ops::Range;

use editor::document::{Document, Indent};
use editor::edit::matching_bracket;
use editor::lsp::Severity;
use editor::movement;
use editor::selection::{Selection, Selections};
use editor::text::{Columns, Text};
use eframe::egui::{self, CursorIcon, Painter, Pos2, Rangef, Rect, Response, Sense, Stroke, Ui, pos2};
use egui_tiles::TileId;

use super::changes::{self, Marks};
use super::{Drag, EditorPane, Follow};
use crate::code_view::editing::context_of;
use crate::code_view::grid::Cells;
use crate::code_view::lines::{DocumentLines, Lines, LongLines};
use crate::code_view::paint::{self, TextArea};
use crate::code_view::pointer::{Press, Unit, extend};
use crate::code_view::problems::{self, Spot};
use crate::code_view::row::{self, Ink, Selected};
use crate::code_view::{origin, scroll};
use crate::commands::Sink;
use crate::state::State;
use crate::state::highlights::Source;
use crate::state::servers::problems::Problem;
use crate::theme::{Ground, Theme, space};

/// Rows kept between the caret and the edge of the view.
const MARGIN: f64 = 2.0;

/// Width of the marks of lines that a model wrote, left of the numbers.
const ORIGIN: f32 = 19.0;

/// Bytes of a line that are looked at for where its text begins.
const INDENT: usize = 256;

/// Draws the text into `rect`.
pub fn draw(ui: &mut Ui, tile: TileId, rect: Rect, pane: &mut EditorPane, state: &mut State, sink: &mut Sink) {
    let State { documents, highlights, long_lines, tasks, theme, reviews, unreviewed, provenance, settings, .. } =
        state;
    let servers = &state.servers;
    let theme = *theme;
    let Some(open) = documents.get_mut(pane.document) else { return };
    let cells = Cells::of_theme(ui);
    let tabs = open.document.columns().clone();
    let response = ui.interact(rect, crate::panes::focus_id(tile), Sense::click_and_drag());

    let digits = open.document.text().line_count().max(1).ilog10().max(2) + 1;
    let gutter = cells.columns(digits) + space::XL + space::S;
    let text_rect = Rect::from_min_max(pos2(rect.left() + gutter, rect.top()), rect.max);
    scroll_and_follow(ui, pane, &open.document, long_lines, &tabs, text_rect, &cells);
    let area = TextArea::new(text_rect, pane.left, &cells);
    pointer(ui, &response, pane, &mut open.document, long_lines, &area, &tabs);

    let document = &open.document;
    let id = pane.document.0;
    let lines = DocumentLines { text: document.text(), document: id, version: document.version() };
    let first = pane.top as u32;
    let last = (pane.top + pane.view.0).ceil().min(f64::from(lines.count())) as u32;
    highlights.want(&Source::Document(pane.document, document), first..last, tasks);
    let marks = Marks::of(pane.document, &(first..last), unreviewed, reviews);
    let (top, row) = (pane.top, f64::from(area.cells.row));
    let y_of = |line: u32| rect.top() + ((f64::from(line) - top) * row) as f32;
    if let Some(marks) = &marks {
        changes::paint(ui, tile, marks, &area, &y_of, theme);
    }
    let text = document.text();
    let seen = text.line_start(first)..text.line_end(last.saturating_sub(1).max(first));
    let problems = open.path.as_deref().map(|path| servers.problems.within(path, seen).collect()).unwrap_or_default();
    let painter = ui.painter_at(rect);
    let mut scene =
        Scene { painter, rect, area, tabs, theme, pane, document, lines, long_lines, problems, spots: Vec::new() };
    scene.current_lines(first..last);
    scene.guides(first..last);
    let brackets = scene.brackets();
    for line in first..last {
        let y = scene.y(line);
        scene.number(line, y);
        let spans = highlights.spans(scene.lines.key(), line);
        let ground = marks.as_ref().map_or(Ground::Page, |marks| marks.ground(line));
        scene.line(line, y, spans, &brackets, ground);
    }
    scene.carets(ui, response.has_focus(), first..last);
    if let Some(path) = open.path.as_deref() {
        let id = crate::panes::focus_id(tile);
        let spots = std::mem::take(&mut scene.spots);
        problems::tell(ui, id, path, &spots, sink);
        if scene.pane.tells_problem && scene.pane.place.is_none() {
            let at = scene.pane.selections.primary().head;
            scene.pane.tells_problem = problems::tell_at(ui, id, path, at, &spots, rect, sink);
        }
    }
    let path = open.path.as_deref().filter(|_| settings.provenance);
    if let Some(path) = path {
        let (written, wait) = provenance.of_document(scene.pane.document, path, open, tasks);
        let gutter = Rangef::new(rect.left(), rect.left() + ORIGIN);
        for one in written.iter().filter(|one| one.lines.start < last && one.lines.end > first) {
            let lines = Rangef::new(y_of(one.lines.start), y_of(one.lines.end));
            let id = crate::panes::focus_id(tile).with(("origin", one.lines.start));
            origin::mark(ui, id, Rect::from_x_y_ranges(gutter, lines).intersect(rect), one, sink);
        }
        if let Some(wait) = wait {
            ui.ctx().request_repaint_after(wait);
        }
    }
    if let Some(marks) = &marks {
        let head = scene.pane.selections.primary().head.min(document.text().len());
        let caret = response.has_focus().then(|| document.text().line_of(head));
        changes::buttons(ui, tile, marks, &scene.area, &y_of, caret, sink);
    }
    response.widget_info(|| {
        let mut info = egui::WidgetInfo::labeled(egui::Role::MultilineTextInput, true, open.title());
        info.current_text_value = Some(spoken(document.text(), first..last));
        info
    });
}

/// The scroll bar, with marks where search found something.
pub fn draw_bar(ui: &mut Ui, tile: TileId, bar: Rect, pane: &mut EditorPane, state: &State) {
    let Some(open) = state.documents.get(pane.document) else { return };
    let text = open.document.text();
    ui.painter().rect_filled(bar, 0.0, state.theme.surface.panel);
    let total = f64::from(text.line_count());
    let scrollable = total + pane.view.0 - 1.0; // the last line may go to the top
    if let Some(path) = open.path.as_deref() {
        // The gravest lies over the others.
        let mut marks: Vec<_> = state.servers.problems.of(path).iter().filter(|problem| !problem.is_hint()).collect();
        marks.sort_by_key(|problem| std::cmp::Reverse(problem.severity()));
        for problem in marks {
            let y = bar.top() + (f64::from(problem.line) / scrollable.max(1.0)) as f32 * bar.height();
            let mark =
                Rect::from_x_y_ranges(Rangef::new(bar.right() - 5.0, bar.right() - 1.0), Rangef::new(y, y + 3.0));
            ui.painter().rect_filled(mark, 0.0, problems::color(problem.severity(), state.theme));
        }
    }
    for line in changes::shares(pane, state) {
        let y = bar.top() + (f64::from(line) / scrollable.max(1.0)) as f32 * bar.height();
        let mark = Rect::from_x_y_ranges(Rangef::new(bar.left() + 1.0, bar.left() + 4.0), Rangef::new(y, y + 3.0));
        ui.painter().rect_filled(mark, 0.0, state.theme.signal.accent);
    }
    if let Some(find) = &pane.find {
        for range in find.some_matches(bar.height() as usize) {
            let share = f64::from(text.line_of(range.start)) / scrollable.max(1.0);
            let y = bar.top() + share as f32 * bar.height();
            let mark = Rect::from_x_y_ranges(bar.x_range().shrink(3.0), Rangef::new(y, y + 2.0));
            ui.painter().rect_filled(mark, 0.0, state.theme.ruler.search);
        }
    }
    let id = crate::panes::focus_id(tile).with("scroll");
    if let Some(top) = scroll::vertical(ui, id, bar, scrollable, pane.view.0, pane.top, state.theme) {
        pane.top = top;
    }
}

/// What a screen reader hears, and a test reads: the lines in view.
fn spoken(text: &Text, lines: Range<u32>) -> String {
    let mut spoken = String::new();
    for line in lines {
        let range = text.line_range(line);
        let end = text.floor_char(range.end.min(range.start + 400));
        spoken.push_str(&text.slice(range.start..end));
        spoken.push('\n');
    }
    spoken
}

fn scroll_and_follow(
    ui: &Ui,
    pane: &mut EditorPane,
    document: &Document,
    long: &mut LongLines,
    tabs: &Columns,
    rect: Rect,
    cells: &Cells,
) {
    pane.view = (f64::from(rect.height() / cells.row), f64::from(rect.width() / cells.cell));
    let (rows, columns) = scroll::wheel(ui, rect.expand2(egui::vec2(80.0, 0.0)), cells.row, cells.cell);
    pane.top += rows;
    pane.left += columns;
    let text = document.text();
    if let Some(follow) = pane.follow.take() {
        let head = pane.selections.primary().head.min(text.len());
        let line = text.line_of(head);
        let row = f64::from(line);
        let (above, below) = (pane.top + MARGIN, pane.top + pane.view.0 - 1.0 - MARGIN);
        if row < above || row > below {
            pane.top = match follow {
                Follow::Middle => row - pane.view.0 / 2.0,
                Follow::Nearest if row < above => row - MARGIN,
                Follow::Nearest => row - pane.view.0 + 1.0 + MARGIN,
            };
        }
        let lines = DocumentLines { text, document: pane.document.0, version: document.version() };
        let column = f64::from(long.column(&lines, line, tabs, head - text.line_start(line)));
        if column < pane.left + 1.0 {
            pane.left = column - 8.0;
        } else if column > pane.left + pane.view.1 - 4.0 {
            pane.left = column - pane.view.1 + 8.0;
        }
    }
    pane.top = pane.top.clamp(0.0, f64::from(text.line_count() - 1));
    pane.left = pane.left.max(0.0);
}

fn pointer(
    ui: &Ui,
    response: &Response,
    pane: &mut EditorPane,
    document: &mut Document,
    long: &mut LongLines,
    area: &TextArea,
    tabs: &Columns,
) {
    if response.hover_pos().is_some_and(|pos| area.rect.contains(pos)) {
        ui.ctx().set_cursor_icon(CursorIcon::Text);
    }
    let offset_at = |pane: &EditorPane, long: &mut LongLines, pos: Pos2| {
        let text = document.text();
        let row = pane.top + f64::from((pos.y - area.rect.top()) / area.cells.row);
        let line = (row.max(0.0) as u32).min(text.last_line());
        let lines = DocumentLines { text, document: pane.document.0, version: document.version() };
        let byte = long.byte(&lines, line, tabs, area.column_at(pos.x));
        text.line_start(line) + byte
    };
    if let Some(press) = pane.clicks.press(ui, response) {
        response.request_focus();
        let unit = if press.pos.x < area.rect.left() { Unit::Line } else { press.unit };
        let at = offset_at(pane, long, press.pos);
        pressed(pane, document, Press { unit, ..press }, at, area);
        document.close_run();
    } else if ui.input(|i| i.pointer.primary_down())
        && let (Some(drag), Some(pos)) = (pane.drag.clone(), ui.input(|i| i.pointer.latest_pos()))
    {
        let at = offset_at(pane, long, pos);
        let text = document.text();
        if let Some(anchor) = drag.column {
            let head = (text.line_of(at), area.column_at(pos.x).round().max(0.0) as u32);
            pane.selections = movement::column_selection(text, tabs, anchor, head);
        } else {
            let (anchor, head) = extend(&drag.start, &drag.unit.around(text, at));
            let moved = Selection::new(anchor, head);
            pane.selections = if pane.selections.is_single() {
                Selections::single(moved)
            } else {
                let others = pane.selections.iter().filter(|s| *s != pane.selections.primary()).copied();
                let list: Vec<_> = others.chain([moved]).collect();
                let primary = list.len() - 1;
                Selections::new(list, primary)
            };
        }
        pane.moved = None;
        scroll_at_edge(ui, pane, area.rect, pos, area.cells.row);
    } else {
        pane.drag = None;
    }
}

fn pressed(pane: &mut EditorPane, document: &Document, press: Press, at: usize, area: &TextArea) {
    let text = document.text();
    let start = press.unit.around(text, at);
    let fresh = Selection::new(start.start, start.end);
    let mods = press.modifiers;
    let column = (mods.alt && mods.shift).then(|| {
        let column = area.column_at(press.pos.x).round().max(0.0) as u32;
        (text.line_of(at), column)
    });
    pane.selections = match (mods.shift, mods.alt) {
        (true, false) => Selections::single(Selection::new(pane.selections.primary().anchor, at)),
        (false, true) => pane.selections.with(fresh),
        _ => Selections::single(fresh),
    };
    let start = if mods.shift && !mods.alt {
        let anchor = pane.selections.primary().anchor;
        anchor..anchor
    } else {
        start
    };
    pane.drag = Some(Drag { unit: press.unit, start, column });
    pane.moved = None;
    pane.tells_problem = false;
}

fn scroll_at_edge(ui: &Ui, pane: &mut EditorPane, rect: Rect, pos: Pos2, row: f32) {
    let beyond = if pos.y < rect.top() { pos.y - rect.top() } else { (pos.y - rect.bottom()).max(0.0) };
    if beyond != 0.0 {
        pane.top += f64::from(beyond / row).clamp(-8.0, 8.0) * 0.5;
        ui.ctx().request_repaint();
    }
}

struct Scene<'a> {
    painter: Painter,
    rect: Rect,
    area: TextArea,
    tabs: Columns,
    theme: &'static Theme,
    pane: &'a mut EditorPane,
    document: &'a Document,
    lines: DocumentLines<'a>,
    long_lines: &'a mut LongLines,
    /// What is wrong in the lines in view, and where on screen that is.
    problems: Vec<&'a Problem>,
    spots: Vec<Spot<'a>>,
}

impl Scene<'_> {
    fn y(&self, line: u32) -> f32 {
        self.rect.top() + ((f64::from(line) - self.pane.top) * f64::from(self.area.cells.row)) as f32
    }

    /// The ground of lines with a caret.
    fn current_lines(&self, lines: Range<u32>) {
        let mut last = None;
        for selection in self.pane.selections.iter().filter(|s| s.is_empty()) {
            let line = self.document.text().line_of(selection.head);
            if last == Some(line) || !lines.contains(&line) {
                continue;
            }
            last = Some(line);
            let y = self.y(line);
            let ground = Rect::from_x_y_ranges(self.rect.x_range(), Rangef::new(y, y + self.area.cells.row));
            self.painter.rect_filled(ground, 0.0, self.theme.code.current_line);
        }
    }

    /// Thin lines at each step of indentation.
    fn guides(&self, lines: Range<u32>) {
        let step = match self.document.indent {
            Indent::Tabs => self.tabs.tab_width(),
            Indent::Spaces(spaces) => u32::from(spaces).max(1),
        };
        let mut depths: Vec<Option<u32>> = lines.clone().map(|line| self.indentation(line)).collect();
        // A blank line stands in what encloses it: the shallower of its neighbours.
        for n in 0..depths.len() {
            if depths[n].is_none() {
                let before = n.checked_sub(1).and_then(|n| depths[n]).unwrap_or(0);
                let after = depths[n + 1..].iter().flatten().next().copied().unwrap_or(0);
                depths[n] = Some(before.min(after));
            }
        }
        let painter = self.painter.with_clip_rect(self.area.rect);
        for (line, depth) in lines.zip(depths) {
            let y = self.y(line);
            let mut column = step;
            while column < depth.unwrap_or(0) {
                let x = painter.round_to_pixel_center(self.area.x(column));
                painter.vline(x, y..=y + self.area.cells.row, Stroke::new(1.0, self.theme.code.guide));
                column += step;
            }
        }
    }

    /// Columns of white space before a line's text; none for a blank line.
    fn indentation(&self, line: u32) -> Option<u32> {
        let start = self.lines.window(line, 0..256);
        let blank = start.len() - start.trim_start_matches([' ', '\t']).len();
        (blank < start.len()).then(|| self.tabs.width(&start[..blank], 0))
    }

    /// The brackets at the caret and their partners.
    fn brackets(&self) -> Vec<Range<usize>> {
        let selection = self.pane.selections.primary();
        if !selection.is_empty() {
            return Vec::new();
        }
        let pairs = context_of(self.document).brackets;
        match matching_bracket(self.document.text(), selection.head, pairs) {
            Some((one, other)) => vec![one, other],
            None => Vec::new(),
        }
    }

    fn number(&self, line: u32, y: f32) {
        let text = self.document.text();
        let current = text.line_of(self.pane.selections.primary().head.min(text.len())) == line;
        let here = self.problems.iter().filter(|problem| problem.line == line).map(|problem| problem.severity());
        let color = match here.min() {
            Some(severity @ (Severity::Error | Severity::Warning)) => problems::color(severity, self.theme),
            _ if current => self.theme.code.number_active,
            _ => self.theme.code.number,
        };
        let x = Rangef::new(self.rect.left(), self.area.rect.left() - space::M);
        row::number(&self.painter, &self.area.cells, x, y, line + 1, color);
    }

    fn line(
        &mut self,
        line: u32,
        y: f32,
        spans: &[editor::syntax::LineSpan],
        brackets: &[Range<usize>],
        ground: Ground,
    ) {
        let text = self.document.text();
        let range = text.line_range(line);
        let within = |r: &Range<usize>| {
            let (start, end) = (r.start.max(range.start), r.end.min(range.end));
            (start < end).then(|| (start - range.start) as u32..(end - range.start) as u32)
        };
        let words: Vec<_> = brackets.iter().filter_map(within).collect();
        let hits: Vec<_> = match &self.pane.find {
            Some(find) => find.matches_in(&range).filter_map(|(r, current)| Some((within(r)?, current))).collect(),
            None => Vec::new(),
        };
        let selected: Vec<_> = self
            .pane
            .selections
            .iter()
            .filter(|s| !s.is_empty() && s.start() <= range.end && s.end() > range.start)
            .map(|s| Selected {
                bytes: s.start().max(range.start) - range.start..s.end().min(range.end) - range.start,
                to_end: s.end() > range.end,
            })
            .collect();
        let marked = match self.problems.is_empty() {
            true => Vec::new(),
            false => problems::in_line(&self.problems, &range, &self.lines.window(line, 0..INDENT)),
        };
        let ink = Ink {
            lines: &self.lines,
            line,
            segment: None,
            spans,
            ground,
            words: &words,
            word: self.theme.code.bracket,
            hits: &hits,
            selected: &selected,
            problems: &marked,
        };
        let on_screen = row::draw(&self.painter, &self.area, y, &ink, self.long_lines, &self.tabs, self.theme);
        let spot = |(n, rect): (usize, Rect)| Spot { rect, problem: marked[n].problem };
        self.spots.extend(on_screen.into_iter().map(spot));
    }

    fn carets(&mut self, ui: &Ui, focused: bool, lines: Range<u32>) {
        let now = ui.input(|i| i.time);
        let moved = *self.pane.moved.get_or_insert(now);
        if !focused {
            return;
        }
        let on = row::caret_is_on(ui, moved);
        let text = self.document.text();
        for (n, selection) in self.pane.selections.iter().enumerate() {
            let line = text.line_of(selection.head);
            if !lines.contains(&line) {
                continue;
            }
            let y = self.y(line);
            let column = self.long_lines.column(&self.lines, line, &self.tabs, selection.head - text.line_start(line));
            if on {
                paint::caret(&self.painter, &self.area, y, column, self.theme.code.caret);
            }
            if n == self.pane.selections.primary_index() {
                row::set_ime(ui, &self.area, y, column);
            }
        }
    }
}
