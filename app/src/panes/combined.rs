//! A merge against all of its parents: a column of numbers and a column of signs for each, the result's lines beside them.
//!
//! Read only. What is shown is what `git show --cc` shows: hunks in which the merge has something that no parent alone
//! explains.

use std::ops::Range;

use editor::text::Columns;
use eframe::egui::{
    Align, Color32, Layout, Painter, Rangef, Rect, RichText, Role, Sense, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};
use egui_tiles::TileId;

use crate::code_view::grid::{self, Cells};
use crate::code_view::lines::{Lines, LongLines};
use crate::code_view::paint::TextArea;
use crate::code_view::row::{self, Ink};
use crate::code_view::scroll;
use crate::commands::{Command, Sink};
use crate::panes::focus_id;
use crate::state::State;
use crate::state::combined::{CombinedId, Of, OpenCombined, ShownFile, Stage};
use crate::state::highlights::{Highlights, Source};
use crate::theme::{Ground, Theme, icons, look, space};
use crate::widgets::{Badge, Button, EmptyState, ErrorState, skeleton_rows, text};

/// Height of the bar over the page.
const BAR: f32 = 40.0;
/// Rows of a file's header.
const HEADER: u32 = 2;

/// One view of a merge.
pub struct CombinedPane {
    pub combined: CombinedId,
    top: f64,
    left: f64,
    view: f64,
    /// The row the last step went to, to step on from.
    cursor: Option<u32>,
}

/// What is in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    /// A file's header; the number is which of its rows.
    File(usize, u32),
    Note(usize),
    Hunk(usize, usize),
    Line(usize, usize, u32),
}

impl CombinedPane {
    /// A view of a merge, at its top.
    pub fn new(combined: CombinedId) -> Self {
        Self { combined, top: 0.0, left: 0.0, view: 1.0, cursor: None }
    }

    /// A second view of the same.
    pub fn duplicate(&self) -> Self {
        Self { top: self.top, left: self.left, ..Self::new(self.combined) }
    }

    fn step(&mut self, rows: impl Iterator<Item = u32>, forward: bool) {
        let here = self.cursor.unwrap_or(self.top as u32);
        let found = match forward {
            true => rows.into_iter().find(|&row| row > here || (self.cursor.is_none() && row == here)),
            false => rows.into_iter().take_while(|&row| row < here).last(),
        };
        if let Some(row) = found {
            self.cursor = Some(row);
            if f64::from(row) < self.top + 1.0 || f64::from(row) > self.top + self.view - 4.0 {
                self.top = (f64::from(row) - (self.view / 4.0).floor()).max(0.0);
            }
        }
    }
}

/// How many rows a file takes.
fn rows_of(file: &ShownFile) -> u32 {
    HEADER + u32::from(file.note.is_some()) + file.hunks.iter().map(|hunk| 1 + hunk.lines.len() as u32).sum::<u32>()
}

fn total(files: &[ShownFile]) -> u32 {
    files.iter().map(rows_of).sum()
}

/// The rows of some range. Files are few: those that differ from every parent.
fn rows(files: &[ShownFile], range: Range<u32>) -> Vec<Row> {
    let mut found = Vec::with_capacity(range.len());
    let mut at = 0;
    let mut push = |row: Row, at: &mut u32| {
        if range.contains(at) {
            found.push(row);
        }
        *at += 1;
    };
    for (n, file) in files.iter().enumerate() {
        if at >= range.end {
            break;
        }
        let count = rows_of(file);
        if at + count <= range.start {
            at += count;
            continue;
        }
        for header in 0..HEADER {
            push(Row::File(n, header), &mut at);
        }
        if file.note.is_some() {
            push(Row::Note(n), &mut at);
        }
        for (h, hunk) in file.hunks.iter().enumerate() {
            push(Row::Hunk(n, h), &mut at);
            for line in 0..hunk.lines.len() as u32 {
                push(Row::Line(n, h, line), &mut at);
            }
        }
    }
    found
}

/// The first rows of files, or of hunks.
fn stops(files: &[ShownFile], hunks: bool) -> Vec<u32> {
    let mut at = 0;
    let mut stops = Vec::new();
    for file in files {
        if !hunks {
            stops.push(at);
        }
        at += HEADER + u32::from(file.note.is_some());
        for hunk in &file.hunks {
            if hunks {
                stops.push(at);
            }
            at += 1 + hunk.lines.len() as u32;
        }
    }
    stops
}

/// What a tab calls it.
pub fn title(open: &OpenCombined) -> String {
    match &open.of {
        Of::Merge { name, .. } => format!("Merge · {name}"),
        Of::Patch { name, .. } => format!("Review · {name}"),
    }
}

/// Runs a command; whether it was one of this pane's.
pub fn run(pane: &mut CombinedPane, command: Command, state: &State) -> bool {
    let Some(open) = state.combined.get(pane.combined) else { return false };
    let files = open.files();
    match command {
        Command::NextHunk | Command::NextHunkAnywhere => pane.step(stops(files, true).into_iter(), true),
        Command::PreviousHunk | Command::PreviousHunkAnywhere => pane.step(stops(files, true).into_iter(), false),
        Command::NextFile => pane.step(stops(files, false).into_iter(), true),
        Command::PreviousFile => pane.step(stops(files, false).into_iter(), false),
        Command::CaretDown => pane.top += 1.0,
        Command::CaretUp => pane.top -= 1.0,
        Command::CaretPageDown => pane.top += pane.view - 2.0,
        Command::CaretPageUp => pane.top -= pane.view - 2.0,
        Command::CaretDocumentStart | Command::CaretLineStart => pane.top = 0.0,
        Command::CaretDocumentEnd | Command::CaretLineEnd => pane.top = f64::from(total(files)),
        _ => return false,
    }
    true
}

/// Draws a merge into the whole of `ui`.
pub fn draw(ui: &mut Ui, tile: TileId, pane: &mut CombinedPane, state: &mut State, sink: &mut Sink) {
    let State { combined, highlights, long_lines, theme, tasks, settings, .. } = state;
    let theme = *theme;
    let whole = ui.max_rect();
    ui.painter().rect_filled(whole, 0.0, theme.surface.base);
    let Some(open) = combined.get_mut(pane.combined) else { return };
    let (bar, below) = whole.split_top_bottom_at_y(whole.top() + BAR);
    draw_bar(ui, bar, open, theme, sink);
    let mut inner = ui.new_child(UiBuilder::new().id_salt("merge").max_rect(below));
    match &open.stage {
        Stage::Reading(_) => {
            crate::shell::hold_focus(ui, tile);
            return skeleton_rows(&mut inner, open.asked, 24, 20.0);
        }
        Stage::Failed(error) => {
            crate::shell::hold_focus(ui, tile);
            let error = error.clone();
            if ErrorState::new("This merge cannot be shown", error).action(Button::new("Try again")).show(&mut inner) {
                open.retry(tasks);
            }
            return;
        }
        Stage::Ready(files) if files.is_empty() => {
            crate::shell::hold_focus(ui, tile);
            let detail = "Every line of it is that of a parent: nothing was decided by hand.";
            EmptyState::new(icons::CHECK, "This merge adds nothing of its own").detail(detail).show(&mut inner);
            return;
        }
        Stage::Ready(_) => {}
    }
    let (page, side) = below.split_left_right_at_x(below.right() - scroll::BAR);
    let cells = Cells::of_theme(ui);
    let response = ui.interact(page, focus_id(tile), Sense::click());
    if response.clicked() {
        response.request_focus();
    }
    let (moved, columns) = scroll::wheel(ui, page, cells.row, cells.cell);
    let files = open.files();
    let count = f64::from(total(files));
    pane.view = f64::from(page.height() / cells.row);
    pane.top = (pane.top + moved).clamp(0.0, (count - pane.view + 2.0).max(0.0));
    pane.left = (pane.left + columns).max(0.0);
    let range = pane.top as u32..((pane.top + pane.view).ceil() as u32).min(total(files));
    let visible = rows(files, range.clone());
    let y = |n: usize| page.top() + ((f64::from(range.start) + n as f64 - pane.top) * f64::from(cells.row)) as f32;
    want_colours(files, &visible, highlights, tasks);
    let tabs = Columns::new(settings.tab_width);
    let mut scene = Scene {
        painter: ui.painter_at(page),
        page,
        cells: cells.clone(),
        tabs,
        left: pane.left,
        theme,
        files,
        highlights,
        long_lines,
    };
    for (n, row) in visible.iter().enumerate() {
        scene.row(ui, y(n), *row);
    }
    if highlights.take_unasked() {
        ui.ctx().request_repaint();
    }
    response.widget_info(|| WidgetInfo::labeled(Role::Document, true, spoken(files, &visible)));
    ui.painter().rect_filled(side, 0.0, theme.surface.panel);
    let id = focus_id(tile).with("scroll");
    if let Some(top) = scroll::vertical(ui, id, side, count, pane.view, pane.top, theme) {
        pane.top = top;
    }
}

/// What is shown, and the other ways to look at a merge.
fn draw_bar(ui: &mut Ui, rect: Rect, open: &OpenCombined, theme: &Theme, sink: &mut Sink) {
    ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, theme.border.line));
    let inner = rect.shrink2(vec2(space::M, 0.0));
    let layout = Layout::left_to_right(Align::Center);
    let mut bar = ui.new_child(UiBuilder::new().id_salt("merge bar").max_rect(inner).layout(layout));
    bar.spacing_mut().item_spacing.x = space::S;
    bar.add(Badge::new(open.of.name()).icon(icons::GIT_MERGE));
    let files = open.files().len();
    let said = match (&open.of, files) {
        (Of::Patch { .. }, _) => "a patch of a merge, read only".to_owned(),
        (Of::Merge { .. }, 1) => "against all parents · 1 file".to_owned(),
        (Of::Merge { .. }, files) => format!("against all parents · {files} files"),
    };
    bar.label(RichText::new(said).color(theme.text.muted));
    if let Of::Merge { repo, name } = &open.of {
        bar.with_layout(Layout::right_to_left(Align::Center), |ui| {
            super::review::merge_views(ui, repo, name, super::review::MergeView::Combined, sink);
        });
    }
}

/// Asks for the colours of what is in view.
fn want_colours(files: &[ShownFile], visible: &[Row], highlights: &mut Highlights, tasks: &crate::tasks::Tasks) {
    let mut from = 0;
    let file_of = |row: &Row| match row {
        Row::File(file, _) | Row::Note(file) | Row::Hunk(file, _) | Row::Line(file, ..) => *file,
    };
    while from < visible.len() {
        let file = file_of(&visible[from]);
        let to = visible[from..].iter().position(|row| file_of(row) != file).map_or(visible.len(), |n| from + n);
        let mut lines = visible[from..to].iter().filter_map(|row| match row {
            Row::Line(_, hunk, line) => Some(files[file].hunks[*hunk].first + line),
            _ => None,
        });
        if let Some(first) = lines.next() {
            let last = lines.next_back().unwrap_or(first);
            let shown = &files[file];
            highlights.want(&Source::Fixed(&shown.text, std::path::Path::new(&shown.path)), first..last + 1, tasks);
        }
        from = to;
    }
}

struct Scene<'a> {
    painter: Painter,
    page: Rect,
    cells: Cells,
    tabs: Columns,
    left: f64,
    theme: &'static Theme,
    files: &'a [ShownFile],
    highlights: &'a Highlights,
    long_lines: &'a mut LongLines,
}

impl Scene<'_> {
    fn row(&mut self, ui: &Ui, y: f32, row: Row) {
        let height = self.cells.row;
        let rect = Rect::from_x_y_ranges(self.page.x_range(), Rangef::new(y, y + height));
        match row {
            // Whichever of its rows is in view draws all of it.
            Row::File(file, header) => self.header(ui, file, y - header as f32 * height),
            Row::Note(file) => {
                let note = self.files[file].note.as_deref().unwrap_or_default();
                grid::label(&self.painter, &self.cells, pos2(rect.left() + space::L, y), note, self.theme.text.muted);
            }
            Row::Hunk(file, hunk) => {
                self.painter.rect_filled(rect, 0.0, self.theme.surface.panel);
                let header = &self.files[file].hunks[hunk].header;
                grid::label(&self.painter, &self.cells, pos2(rect.left() + space::M, y), header, self.theme.text.muted);
            }
            Row::Line(file, hunk, line) => self.line(rect, file, hunk, line),
        }
    }

    fn header(&self, ui: &Ui, file: usize, y: f32) {
        let (_, metrics) = look(ui);
        let rect = Rect::from_x_y_ranges(self.page.x_range(), Rangef::new(y, y + self.cells.row * HEADER as f32));
        let edge = Stroke::new(1.0, self.theme.border.line);
        self.painter.rect_filled(rect, 0.0, self.theme.surface.panel);
        self.painter.hline(rect.x_range(), rect.top() + 0.5, edge);
        self.painter.hline(rect.x_range(), rect.bottom() - 0.5, edge);
        let (path, room) = (&self.files[file].path, rect.width() - 2.0 * space::M);
        let galley = text::path_line(ui, path, metrics.medium(), self.theme.text.normal, room);
        let at = pos2(rect.left() + space::M, rect.center().y - galley.size().y / 2.0);
        self.painter.galley(at, galley, self.theme.text.normal);
    }

    fn line(&mut self, rect: Rect, file: usize, hunk: usize, line: u32) {
        let shown = &self.files[file];
        let at = &shown.hunks[hunk];
        let Some((numbers, what)) = at.lines.get(line as usize) else { return };
        let (ground, gutter) = match (what.is_context(), what.in_result) {
            (true, _) => (Ground::Page, None),
            (false, true) => (Ground::AddedLine, Some(self.theme.add.gutter)),
            (false, false) => (Ground::RemovedLine, Some(self.theme.remove.gutter)),
        };
        let number = self.cells.columns(5) + space::S;
        let signs = self.cells.columns(at.parents as u32 + 1);
        let text_x = rect.left() + number * (at.parents as f32 + 1.0) + signs + space::S;
        if let Some(gutter) = gutter {
            self.painter.rect_filled(rect, 0.0, ground.color(&self.theme.tokens));
            self.painter.rect_filled(rect.with_max_x(text_x - space::XS), 0.0, gutter);
        }
        let color = if gutter.is_some() { self.theme.code.number_active } else { self.theme.code.number };
        let mut x = rect.left();
        for found in numbers.parents.iter().chain([&numbers.result]) {
            if let Some(found) = found {
                row::number(&self.painter, &self.cells, Rangef::new(x, x + number), rect.top(), found + 1, color);
            }
            x += number;
        }
        for parent in 0..at.parents {
            let (sign, color) = match what.sign(parent) {
                '+' => ("+", self.theme.add.text),
                '-' => ("−", self.theme.remove.text),
                _ => (" ", color),
            };
            let at = pos2(x + self.cells.columns(parent as u32), rect.top());
            grid::label(&self.painter, &self.cells, at, sign, color);
        }
        let area = TextArea::new(Rect::from_min_max(pos2(text_x, rect.top()), rect.max), self.left, &self.cells);
        let n = at.first + line;
        let ink = Ink {
            lines: &shown.text,
            line: n,
            segment: None,
            spans: self.highlights.spans(shown.text.key(), n),
            ground,
            words: &[],
            word: Color32::TRANSPARENT,
            hits: &[],
            selected: &[],
            problems: &[],
        };
        row::draw(&self.painter, &area, rect.top(), &ink, self.long_lines, &self.tabs, self.theme);
    }
}

/// What a screen reader hears, and a test reads: the rows in view, with the signs of all parents.
fn spoken(files: &[ShownFile], visible: &[Row]) -> String {
    let mut said = String::new();
    for row in visible {
        match *row {
            Row::File(file, 0) => said += &format!("{}\n", files[file].path),
            Row::File(..) => {}
            Row::Note(file) => said += &format!("{}\n", files[file].note.as_deref().unwrap_or_default()),
            Row::Hunk(file, hunk) => said += &format!("{}\n", files[file].hunks[hunk].header),
            Row::Line(file, hunk, line) => {
                let at = &files[file].hunks[hunk];
                if let Some((_, what)) = at.lines.get(line as usize) {
                    said.extend((0..at.parents).map(|parent| what.sign(parent)));
                    said += &files[file].text.window(at.first + line, 0..400);
                    said.push('\n');
                }
            }
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> Vec<ShownFile> {
        let patch = "diff --cc a\nindex 1,2..3\n--- a/a\n+++ b/a\n@@@ -1,2 -1,2 +1,3 @@@\n  one\n +two\n+ three\n\
                     diff --cc b\nindex 1,2..3\n--- a/b\n+++ b/b\n@@@ -7,1 -7,1 +7,1 @@@\n- x\n -y\n++z\n";
        crate::state::combined::of_patch(patch.as_bytes()).unwrap()
    }

    #[test]
    fn every_row_is_found_wherever_the_view_begins() {
        let files = files();
        let all = rows(&files, 0..total(&files));
        assert_eq!(all.len() as u32, total(&files));
        for start in 0..total(&files) {
            assert_eq!(rows(&files, start..total(&files)), all[start as usize..]);
        }
        let firsts: Vec<_> = stops(&files, true).into_iter().map(|row| all[row as usize]).collect();
        assert_eq!(firsts, [Row::Hunk(0, 0), Row::Hunk(1, 0)]);
    }

    #[test]
    fn lines_have_a_sign_for_each_parent() {
        let files = files();
        let said = spoken(&files, &rows(&files, 0..total(&files)));
        let expected = "a\n@@@ -1,2 -1,2 +1,3 @@@\n  one\n +two\n+ three\nb\n@@@ -7,1 -7,1 +7,1 @@@\n- x\n -y\n++z\n";
        assert_eq!(said, expected);
    }
}
