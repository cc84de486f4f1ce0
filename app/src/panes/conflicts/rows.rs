//! The three columns: which rows are in view, and painting them.

use std::ops::Range;

use diff::merge::rows::{Band, BandKind, Row};
use diff::merge::{ChunkKind, Take, Version};
use editor::text::Columns;
use eframe::egui::{self, Color32, Painter, Rangef, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};
use egui_tiles::TileId;

use super::{ConflictsPane, edit, part};
use crate::code_view::grid::{self, Cells};
use crate::code_view::lines::{DocumentLines, Lines, LongLines};
use crate::code_view::paint::{self, TextArea};
use crate::code_view::row::{self, Ink, Selected};
use crate::code_view::scroll;
use crate::commands::{Command, Sink};
use crate::panes::focus_id;
use crate::state::State;
use crate::state::conflicts::{OpenConflicts, Resolution};
use crate::state::documents::Documents;
use crate::state::highlights::{Highlights, Source};
use crate::theme::{Ground, Theme, icons, look, space};
use crate::widgets::{IconButton, text};

/// Height of the names over the columns.
const NAMES: f32 = 28.0;
/// Width of the buttons between a side and the result.
const ACTION: f32 = 24.0;
/// Width of the bar beside the conflict that keys are about.
const MARK: f32 = 3.0;

/// A column.
pub struct Part {
    pub whole: Rangef,
    number: Rangef,
    /// Where the button that takes the side is; none in the result.
    action: Option<Rangef>,
    pub text: TextArea,
}

/// Where the columns are.
pub struct Geometry {
    pub page: Rect,
    pub row: f32,
    pub ours: Part,
    pub result: Part,
    pub theirs: Part,
}

impl Geometry {
    fn new(page: Rect, cells: &Cells, digits: u32, left: f64) -> Self {
        let number = cells.columns(digits) + 2.0 * space::S;
        let third = (page.width() / 3.0).floor();
        let edges = [page.left(), page.left() + third, page.right() - third, page.right()];
        let part = |at: usize, before: f32, behind: f32, action: Option<Rangef>| {
            let whole = Rangef::new(edges[at], edges[at + 1]);
            let number = Rangef::new(whole.min + before, whole.min + before + number);
            let x = Rangef::new(number.max, whole.max - behind);
            let text = Rect::from_x_y_ranges(x, page.y_range());
            Part { whole, number, action, text: TextArea::new(text, left, cells) }
        };
        let (ours, theirs) = (Rangef::new(edges[1] - ACTION, edges[1]), Rangef::new(edges[2], edges[2] + ACTION));
        Self {
            page,
            row: cells.row,
            ours: part(0, 0.0, ACTION, Some(ours)),
            result: part(1, MARK, 0.0, None),
            theirs: part(2, ACTION, 0.0, Some(theirs)),
        }
    }

    /// The column of a version; the base has none.
    fn side(&self, version: Version) -> Option<&Part> {
        match version {
            Version::Ours => Some(&self.ours),
            Version::Theirs => Some(&self.theirs),
            Version::Base => None,
        }
    }
}

/// How many rows there are in a pane whose rows and names are `height` high.
pub fn view(ui: &Ui, height: f32) -> f64 {
    f64::from((height - NAMES) / Cells::of_theme(ui).row).max(1.0)
}

/// Draws names and rows.
pub fn draw(ui: &mut Ui, tile: TileId, rect: Rect, pane: &mut ConflictsPane, state: &mut State, sink: &mut Sink) {
    let State { conflicts, documents, long_lines, highlights, theme, tasks, settings, .. } = state;
    let theme = *theme;
    let Some(open) = conflicts.get_mut(pane.conflicts) else { return };
    let names = open.names.clone();
    let Some(path) = open.current().map(|(_, file)| file.path.to_path().into_owned()) else { return };
    let Some(resolution) = open.resolution_mut() else { return };
    let (head, page) = rect.split_top_bottom_at_y(rect.top() + NAMES);
    let cells = Cells::of_theme(ui);
    let merge = resolution.session().merge();
    let most = [Version::Ours, Version::Theirs].map(|version| merge.content(version).line_count());
    let digits = most[0].max(most[1]).max(resolution.text().line_count()).max(1).ilog10().max(2) + 1;

    let response = ui.interact(page, focus_id(tile), Sense::click_and_drag());
    let (rows, columns) = scroll::wheel(ui, page, cells.row, cells.cell);
    pane.view = f64::from(page.height() / cells.row);
    pane.top += rows;
    pane.left = (pane.left + columns).max(0.0);
    let tabs = Columns::new(settings.tab_width);
    edit::bring_into_view(pane, resolution, long_lines, &tabs, &cells, page.width() / 3.0);
    pane.top = pane.top.clamp(0.0, (f64::from(resolution.rows().total()) - 1.0).max(0.0));
    let geometry = Geometry::new(page, &cells, digits, pane.left);
    draw_names(ui, head, &geometry, &names, theme);
    edit::pointer(ui, &response, pane, resolution, documents, long_lines, &geometry, &tabs);

    let resolution = &*resolution;
    let first = pane.top as u32;
    let last = (pane.top + pane.view).ceil().min(f64::from(resolution.rows().total())) as u32;
    let visible: Vec<(f32, Row)> = (first..last)
        .filter_map(|n| {
            let y = page.top() + ((f64::from(n) - pane.top) * f64::from(cells.row)) as f32;
            Some((y, resolution.rows().row(n)?))
        })
        .collect();
    let chunks = visible.iter().filter_map(|(_, row)| resolution.rows().bands()[row.band].chunk);
    pane.words.prepare(resolution.session().merge(), chunks);
    let chosen = pane.band(resolution);
    let painter = ui.painter_at(page);
    let mut scene = Scene {
        painter,
        geometry: &geometry,
        tabs,
        theme,
        pane,
        resolution,
        documents,
        long_lines,
        highlights,
        chosen,
    };
    scene.request_colours(&visible, &path, tasks);
    scene.grounds(&visible);
    for (y, row) in &visible {
        scene.row(*y, row);
    }
    scene.carets(ui, &visible, response.has_focus());
    if scene.pane.words.is_postponed() || highlights.take_unasked() {
        ui.ctx().request_repaint();
    }
    buttons(ui, tile, &geometry, resolution, &visible, chosen, pane, theme, sink);
    tell(ui, tile, &geometry, resolution, &visible, &response);
}

/// What the columns are.
fn draw_names(ui: &Ui, rect: Rect, geometry: &Geometry, names: &diff::git::SideNames, theme: &Theme) {
    let (_, metrics) = look(ui);
    let painter = ui.painter();
    painter.rect_filled(rect, 0.0, theme.surface.panel);
    painter.hline(rect.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, theme.border.line));
    let columns = [
        (&geometry.ours, "Ours", &*names.ours),
        (&geometry.result, "Result", ""),
        (&geometry.theirs, "Theirs", &*names.theirs),
    ];
    for (part, role, name) in columns {
        let x = part.number.min + space::S;
        let label = text::line(ui, role, metrics.medium(), theme.text.normal, part.whole.max - x);
        let y = rect.center().y;
        let after = x + label.size().x + space::S;
        painter.galley(pos2(x, y - label.size().y / 2.0), label, theme.text.normal);
        if !name.is_empty() {
            let name = text::line(ui, name, metrics.body(), theme.text.muted, part.whole.max - after - space::S);
            painter.galley(pos2(after, y - name.size().y / 2.0), name, theme.text.muted);
        }
    }
}

struct Scene<'a> {
    painter: Painter,
    geometry: &'a Geometry,
    tabs: Columns,
    theme: &'static Theme,
    pane: &'a mut ConflictsPane,
    resolution: &'a Resolution,
    documents: &'a Documents,
    long_lines: &'a mut LongLines,
    highlights: &'a mut Highlights,
    /// The band that keys are about.
    chosen: Option<usize>,
}

impl<'a> Scene<'a> {
    fn band(&self, row: &Row) -> &'a Band {
        &self.resolution.rows().bands()[row.band]
    }

    fn lines(&self) -> DocumentLines<'a> {
        let resolution = self.resolution;
        DocumentLines { text: resolution.text(), document: resolution.document().0, version: resolution.version() }
    }

    fn request_colours(&mut self, visible: &[(f32, Row)], path: &std::path::Path, tasks: &crate::tasks::Tasks) {
        let span = |line: fn(&Row) -> Option<u32>| {
            let mut lines = visible.iter().filter_map(|(_, row)| line(row));
            let first = lines.next()?;
            Some(first..lines.next_back().unwrap_or(first) + 1)
        };
        let merge = self.resolution.session().merge();
        let sides: [(Version, fn(&Row) -> Option<u32>); 3] =
            [(Version::Ours, |row| row.ours), (Version::Theirs, |row| row.theirs), (Version::Base, |row| row.base)];
        for (version, line) in sides {
            if let Some(lines) = span(line) {
                self.highlights.want(&Source::Fixed(merge.content(version), path), lines, tasks);
            }
        }
        let document = self.resolution.document();
        if let (Some(lines), Some(open)) = (span(|row| row.result), self.documents.get(document)) {
            self.highlights.want(&Source::Document(document, &open.document), lines, tasks);
        }
    }

    /// What lies under the text: tints, hatches where a side has no line, and the lines between the columns.
    fn grounds(&self, visible: &[(f32, Row)]) {
        let mut from = 0;
        while from < visible.len() {
            let band = visible[from].1.band;
            let to = visible[from..].iter().position(|(_, row)| row.band != band).map_or(visible.len(), |n| from + n);
            self.band_ground(&visible[from..to]);
            from = to;
        }
        let edge = Stroke::new(1.0, self.theme.border.line);
        for x in [self.geometry.result.whole.min, self.geometry.result.whole.max] {
            self.painter.vline(x - 0.5, self.geometry.page.y_range(), edge);
        }
    }

    fn band_ground(&self, rows: &[(f32, Row)]) {
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return };
        let band = self.band(&first.1);
        let height = self.geometry.row;
        let y = Rangef::new(first.0, last.0 + height);
        let parts: [(&Part, fn(&Row) -> bool, Option<Ground>); 3] = [
            (&self.geometry.ours, |row| row.ours.is_some(), self.ground(band, Some(Version::Ours))),
            (&self.geometry.result, |row| row.result.or(row.base).is_some(), self.ground(band, None)),
            (&self.geometry.theirs, |row| row.theirs.is_some(), self.ground(band, Some(Version::Theirs))),
        ];
        for (part, there, ground) in parts {
            let has = rows.iter().take_while(|(_, row)| there(row)).count();
            let split = first.0 + has as f32 * height;
            if let Some(ground) = ground.filter(|_| has > 0) {
                let rect = Rect::from_x_y_ranges(part.whole, Rangef::new(y.min, split));
                self.painter.rect_filled(rect, 0.0, ground.color(&self.theme.tokens));
            }
            if split < y.max {
                let rect = Rect::from_x_y_ranges(part.whole, Rangef::new(split, y.max));
                let phase = (self.pane.top.fract() * f64::from(height)) as f32;
                let colors = &self.theme.moved;
                paint::hatch(&self.painter, rect, phase, colors.filler, colors.hatch);
            }
        }
        if band.folded {
            self.folded(band, first, y);
        }
        self.edges(band, first.1.band, y);
    }

    /// The block that stands for a conflict nobody decided.
    fn folded(&self, band: &Band, first: &(f32, Row), y: Rangef) {
        let result = &self.geometry.result;
        let rect = Rect::from_x_y_ranges(result.whole, y);
        let colors = &self.theme.moved;
        paint::hatch(
            &self.painter,
            rect,
            (self.pane.top.fract() * f64::from(self.geometry.row)) as f32,
            colors.filler,
            colors.hatch,
        );
        if !band.base.is_empty() {
            let shown = self.resolution.rows().rows_of(first.1.band);
            let at = |row: u32| {
                y.min + (f64::from(row) - f64::from(shown.start + first.1.offset)) as f32 * self.geometry.row
            };
            let base = Rangef::new(at(shown.start + 1), at(shown.start + 1 + (band.base.end - band.base.start)));
            let ground = Rect::from_x_y_ranges(result.whole, base).intersect(rect);
            self.painter.rect_filled(ground, 0.0, self.theme.surface.panel);
        }
    }

    /// Lines that hold a conflict together across the columns, and the mark of the one that keys are about.
    fn edges(&self, band: &Band, at: usize, y: Rangef) {
        let color = match band.kind {
            BandKind::Open(_) => self.theme.signal.danger,
            BandKind::Settled => self.theme.signal.success,
            BandKind::Chunk(_) | BandKind::Typed => return,
        };
        let page = self.geometry.page.x_range();
        let edge = Stroke::new(1.0, color.gamma_multiply(0.45));
        self.painter.hline(page, y.min + 0.5, edge);
        self.painter.hline(page, y.max - 0.5, edge);
        let x = self.geometry.result.whole.min;
        let color = if self.chosen == Some(at) { self.theme.signal.accent } else { color };
        let mark = Rect::from_x_y_ranges(Rangef::new(x, x + MARK), y);
        self.painter.rect_filled(mark, 0.0, color);
        if self.chosen == Some(at) {
            let mark = Rect::from_x_y_ranges(Rangef::new(page.min, page.min + MARK), y);
            self.painter.rect_filled(mark, 0.0, color);
        }
    }

    /// What the text of a column stands on in a band; `None` is the result.
    fn ground(&self, band: &Band, version: Option<Version>) -> Option<Ground> {
        match (band.kind, version) {
            (BandKind::Chunk(ChunkKind::Unchanged), _) => None,
            (BandKind::Chunk(ChunkKind::Ours), Some(Version::Theirs))
            | (BandKind::Chunk(ChunkKind::Theirs), Some(Version::Ours)) => None,
            (BandKind::Chunk(_) | BandKind::Typed, _) => Some(Ground::AddedLine),
            (BandKind::Open(_), Some(_)) => Some(Ground::RemovedLine),
            // Markers as text say themselves which side is which.
            (BandKind::Open(_), None) => None,
            (BandKind::Settled, None) => Some(Ground::AddedLine),
            (BandKind::Settled, Some(version)) => {
                let taken = band.chunk.and_then(|chunk| self.resolution.taken(chunk));
                let is_in = matches!(
                    (taken, version),
                    (Some(Take::Ours), Version::Ours)
                        | (Some(Take::Theirs), Version::Theirs)
                        | (Some(Take::OursTheirs | Take::TheirsOurs | Take::Text(_)), _)
                );
                is_in.then_some(Ground::AddedLine)
            }
        }
    }

    fn row(&mut self, y: f32, row: &Row) {
        let band = self.band(row);
        let merge = self.resolution.session().merge();
        for (version, line) in [(Version::Ours, row.ours), (Version::Theirs, row.theirs)] {
            let (Some(line), Some(part)) = (line, self.geometry.side(version)) else { continue };
            let ground = self.ground(band, Some(version));
            let content = merge.content(version);
            let word = if ground == Some(Ground::RemovedLine) { self.theme.remove.word } else { self.theme.add.word };
            let words: Vec<_> = match ground {
                Some(_) => self.pane.words.of(version, line).to_vec(),
                None => Vec::new(),
            };
            self.line(part, y, content, line, ground, (&words, word), &[]);
        }
        let result = &self.geometry.result;
        if let Some(line) = row.result {
            let lines = self.lines();
            let ground = match band.kind {
                BandKind::Open(conflict) => self.marker_ground(conflict, line, y),
                _ => self.ground(band, None),
            };
            let selected = self.selected(line);
            self.line(result, y, &lines, line, ground, (&[], Color32::TRANSPARENT), &selected);
        }
        if let Some(line) = row.base {
            let at = pos2(result.number.min + space::S, y);
            if row.offset == 1 {
                grid::label(&self.painter, &result.text.cells, at, "base", self.theme.text.muted);
            }
            self.line_text(result, y, merge.content(Version::Base), line, None, (&[], Color32::TRANSPARENT), &[]);
        }
    }

    /// A line among markers: the sides on tints of their own, the markers on that of a conflict.
    fn marker_ground(&self, conflict: usize, line: u32, y: f32) -> Option<Ground> {
        let start = self.resolution.text().line_start(line);
        let mark = self.resolution.mark(conflict)?;
        let (ground, color) = match () {
            () if !mark.all.contains(&start) => return None,
            () if mark.ours.contains(&start) => (Ground::AddedLine, self.theme.add.line),
            () if mark.theirs.contains(&start) => (Ground::MovedLine, self.theme.moved.line),
            () if mark.base.as_ref().is_some_and(|base| base.contains(&start)) => {
                (Ground::Page, self.theme.surface.panel)
            }
            () => (Ground::RemovedLine, self.theme.remove.gutter),
        };
        let rect = Rect::from_x_y_ranges(self.geometry.result.whole, Rangef::new(y, y + self.geometry.row));
        self.painter.rect_filled(rect.with_min_x(rect.left() + MARK), 0.0, color);
        Some(ground)
    }

    #[expect(clippy::too_many_arguments, reason = "what a line is drawn with is looked up differently in each column")]
    fn line(
        &mut self,
        part: &Part,
        y: f32,
        lines: &dyn Lines,
        line: u32,
        ground: Option<Ground>,
        words: (&[Range<u32>], Color32),
        selected: &[Selected],
    ) {
        let color = if ground.is_some() { self.theme.code.number_active } else { self.theme.code.number };
        row::number(&self.painter, &part.text.cells, part.number, y, line + 1, color);
        self.line_text(part, y, lines, line, ground, words, selected);
    }

    #[expect(clippy::too_many_arguments, reason = "what a line is drawn with is looked up differently in each column")]
    fn line_text(
        &mut self,
        part: &Part,
        y: f32,
        lines: &dyn Lines,
        line: u32,
        ground: Option<Ground>,
        (words, word): (&[Range<u32>], Color32),
        selected: &[Selected],
    ) {
        let ink = Ink {
            lines,
            line,
            segment: None,
            spans: self.highlights.spans(lines.key(), line),
            ground: ground.unwrap_or(Ground::Page),
            words,
            word,
            hits: &[],
            selected,
            problems: &[],
        };
        row::draw(&self.painter, &part.text, y, &ink, self.long_lines, &self.tabs, self.theme);
    }

    /// What of a line of the result is selected.
    fn selected(&self, line: u32) -> Vec<Selected> {
        if !self.pane.editing {
            return Vec::new();
        }
        let range = self.resolution.text().line_range(line);
        let touched =
            self.pane.selections.iter().filter(|s| !s.is_empty() && s.start() <= range.end && s.end() > range.start);
        let selected = touched.map(|s| Selected {
            bytes: s.start().max(range.start) - range.start..s.end().min(range.end) - range.start,
            to_end: s.end() > range.end,
        });
        selected.collect()
    }

    fn carets(&mut self, ui: &Ui, visible: &[(f32, Row)], focused: bool) {
        let moved = *self.pane.moved.get_or_insert_with(|| ui.input(|i| i.time));
        if !focused || !self.pane.editing {
            return;
        }
        let on = row::caret_is_on(ui, moved);
        let (text, lines, area) = (self.resolution.text(), self.lines(), &self.geometry.result.text);
        for selection in &self.pane.selections {
            let line = text.line_of(selection.head.min(text.len()));
            let y = visible.iter().find(|(_, row)| row.result == Some(line)).map(|(y, _)| *y);
            // The empty line behind a final newline is no row.
            let y = y.or_else(|| {
                let last = visible.last().filter(|(_, row)| line > 0 && row.result == Some(line - 1))?;
                (line == text.last_line() && text.line_start(line) == text.len()).then_some(last.0 + self.geometry.row)
            });
            let Some(y) = y else { continue };
            let column = self.long_lines.column(&lines, line, &self.tabs, selection.head - text.line_start(line));
            if on {
                paint::caret(&self.painter.with_clip_rect(area.rect), area, y, column, self.theme.code.caret);
            }
            row::set_ime(ui, area, y, column);
        }
    }
}

/// What can be done with a conflict: beside it where it is decided by a side, in it where it takes both.
#[expect(clippy::too_many_arguments, reason = "the parts of the pane are borrowed separately")]
fn buttons(
    ui: &mut Ui,
    tile: TileId,
    geometry: &Geometry,
    resolution: &Resolution,
    visible: &[(f32, Row)],
    chosen: Option<usize>,
    pane: &mut ConflictsPane,
    theme: &Theme,
    sink: &mut Sink,
) {
    let mut done = None;
    let mut ui = ui.new_child(egui::UiBuilder::new().id_salt(part(tile, "buttons")).max_rect(geometry.page));
    ui.set_clip_rect(geometry.page.intersect(ui.clip_rect()));
    for (y, row) in visible {
        let at = row.band;
        let is_first = row.offset == 0 || *y <= geometry.page.top();
        let band = &resolution.rows().bands()[at];
        let number = match band.kind {
            BandKind::Open(conflict) => resolution.number(conflict),
            _ => None,
        };
        if !is_first || (number.is_none() && band.kind != BandKind::Settled) {
            continue;
        }
        // The first row may be cut by the upper edge: its buttons stay whole.
        let y = y.max(geometry.page.top());
        let taken = band.chunk.and_then(|chunk| resolution.taken(chunk));
        let what = match number {
            Some(number) => format!("conflict {number}"),
            None => format!("line {}", band.result.start + 1),
        };
        let active = chosen == Some(at);
        for (version, icon, side, take) in [
            (Version::Ours, icons::CARET_DOUBLE_RIGHT, "ours", Command::TakeOurs),
            (Version::Theirs, icons::CARET_DOUBLE_LEFT, "theirs", Command::TakeTheirs),
        ] {
            let Some(x) = geometry.side(version).and_then(|part| part.action) else { continue };
            let is_it =
                matches!((taken, version), (Some(Take::Ours), Version::Ours) | (Some(Take::Theirs), Version::Theirs));
            let rect = Rect::from_min_size(pos2(x.min + 2.0, y), vec2(20.0, 20.0));
            let icon = if is_it { icons::CHECK } else { icon };
            let button = IconButton::new(icon, format!("Take {side}, {what}")).small().selected(is_it);
            let button = if active && number.is_some() { button.color(theme.signal.accent) } else { button };
            if ui.put(rect, button.key(take.spec().keys[0])).clicked() {
                done = Some((at, take));
            }
        }
        if let Some(number) = number
            && let Some(command) = block(&mut ui, geometry, resolution, (at, band, number), y, theme)
        {
            done = Some((at, command));
        }
    }
    if let Some((at, command)) = done {
        pane.choose(resolution, at);
        sink.push(command);
    }
}

/// The line in the result that says which conflict it is, with what takes both sides.
fn block(
    ui: &mut Ui,
    geometry: &Geometry,
    resolution: &Resolution,
    (at, band, number): (usize, &Band, usize),
    y: f32,
    theme: &Theme,
) -> Option<Command> {
    let whole = geometry.result.whole;
    let (_, metrics) = look(ui);
    let words = band.chunk.is_some_and(|chunk| resolution.words(chunk).is_some());
    let mut choices = vec![
        (icons::ARROWS_LEFT_RIGHT, "Take both, ours first", Command::TakeBoth),
        (icons::SPARKLE, "Merge the words of both", Command::TakeWords),
        (icons::EDIT, "Edit by hand", Command::EditConflict),
    ];
    choices.retain(|(_, _, command)| match command {
        Command::TakeWords => words,
        Command::EditConflict => band.folded,
        _ => true,
    });
    let width = choices.len() as f32 * 22.0 + space::XS;
    if band.folded {
        let ground = Rect::from_min_size(pos2(whole.min + MARK, y), vec2(whole.span() - MARK - 1.0, geometry.row));
        ui.painter().rect_filled(ground, 0.0, theme.remove.line);
        let (_, all) = resolution.left();
        let left = resolution.left().0;
        let label = if left == all {
            format!("Conflict {number} of {all}")
        } else {
            format!("Conflict {number} of {left} left")
        };
        let galley = text::line(ui, &label, metrics.small(), theme.remove.text, whole.span() - width - 2.0 * space::M);
        let at = pos2(whole.min + space::M, ground.center().y - galley.size().y / 2.0);
        ui.painter().galley(at, galley, theme.remove.text);
    }
    let mut chosen = None;
    for (n, (icon, name, command)) in choices.into_iter().enumerate() {
        let rect = Rect::from_min_size(pos2(whole.max - width + n as f32 * 22.0, y), vec2(20.0, 20.0));
        let button = IconButton::new(icon, format!("{name}, conflict {number}")).small();
        if ui.push_id((at, n), |ui| ui.put(rect, button.key(command.spec().keys[0]))).inner.clicked() {
            chosen = Some(command);
        }
    }
    chosen
}

/// What a screen reader hears, and a test reads: each column, row by row.
fn tell(
    ui: &Ui,
    tile: TileId,
    geometry: &Geometry,
    resolution: &Resolution,
    visible: &[(f32, Row)],
    result: &egui::Response,
) {
    let merge = resolution.session().merge();
    let text = resolution.text();
    let cut = |line: String| line.chars().take(400).collect::<String>();
    result.widget_info(|| {
        let lines: Vec<String> = visible
            .iter()
            .filter_map(|(_, row)| {
                let band = &resolution.rows().bands()[row.band];
                match (row.result, band.kind) {
                    (Some(line), _) => Some(cut(text.line(line).into_owned())),
                    (None, BandKind::Open(conflict)) if row.offset == 0 => {
                        Some(format!("(conflict {})", resolution.number(conflict).unwrap_or(0)))
                    }
                    _ => row.base.map(|line| format!("(base) {}", line_of(merge.content(Version::Base), line))),
                }
            })
            .collect();
        let mut info = WidgetInfo::labeled(Role::MultilineTextInput, true, "Result");
        info.current_text_value = Some(lines.join("\n") + "\n");
        info
    });
    for (name, version, part_of) in
        [("Ours", Version::Ours, &geometry.ours), ("Theirs", Version::Theirs, &geometry.theirs)]
    {
        let rect = Rect::from_x_y_ranges(part_of.text.rect.x_range(), geometry.page.y_range());
        let side = ui.interact(rect, part(tile, name), Sense::hover());
        side.widget_info(|| {
            let line = |row: &Row| if version == Version::Ours { row.ours } else { row.theirs };
            let lines: Vec<String> = visible
                .iter()
                .filter_map(|(_, row)| line(row))
                .map(|line| line_of(merge.content(version), line))
                .collect();
            WidgetInfo::labeled(Role::Document, true, format!("{name}:\n{}", lines.join("\n")))
        });
    }
}

fn line_of(content: &diff::lines::Content, line: u32) -> String {
    content.window(line, 0..400).into_owned()
}

/// The scroll bar, with marks where conflicts are and where something changed.
pub fn draw_bar(ui: &mut Ui, tile: TileId, bar: Rect, pane: &mut ConflictsPane, state: &State) {
    let theme = state.theme;
    ui.painter().rect_filled(bar, 0.0, theme.surface.panel);
    let open = state.conflicts.get(pane.conflicts);
    let Some(resolution) = open.and_then(OpenConflicts::resolution) else { return };
    let rows = resolution.rows();
    let total = f64::from(rows.total()).max(1.0);
    let y = |row: u32| bar.top() + (f64::from(row) / total) as f32 * bar.height();
    for (at, band) in rows.bands().iter().enumerate() {
        let color = match band.kind {
            BandKind::Open(_) => theme.ruler.remove,
            BandKind::Settled => theme.ruler.add,
            BandKind::Chunk(ChunkKind::Unchanged) => continue,
            BandKind::Chunk(_) | BandKind::Typed => theme.ruler.mark,
        };
        let range = rows.rows_of(at);
        let (top, bottom) = (y(range.start), y(range.end));
        let mark = Rect::from_x_y_ranges(bar.x_range().shrink(3.0), Rangef::new(top, bottom.max(top + 2.0)));
        ui.painter().rect_filled(mark, 0.0, color);
    }
    let scrollable = total + pane.view - 1.0;
    if let Some(top) = scroll::vertical(ui, part(tile, "scroll"), bar, scrollable, pane.view, pane.top, theme) {
        pane.top = top;
    }
}
