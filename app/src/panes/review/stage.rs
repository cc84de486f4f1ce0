//! What is staged, beside the lines; and buttons that stage, unstage and discard: of lines, hunks and files.
//!
//! A mark in the gutter of every changed line says where it stands, and a press on it changes that. A strip at the upper
//! right of the hunk under the pointer, or of the one that was gone to, acts on the hunk, or on the lines of it that are
//! selected.

use std::ops::Range;

use diff::engine::Hunk;
use diff::git::Side;
use diff::review::FileEntry;
use diff::staging::{Chosen, FileStage, HunkStage, LineStage};
use eframe::egui::{self, Color32, CornerRadius, Rangef, Rect, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};
use egui_tiles::TileId;

use super::geometry::Geometry;
use super::rows::Painted;
use super::{ReviewPane, part};
use crate::code_view::editing::lines_selected;
use crate::commands::staging::{StagingAction, Target};
use crate::commands::{Action, Sink};
use crate::state::documents::Documents;
use crate::state::reviews::{FileIndex, OpenReview};
use crate::state::stages::Kind;
use crate::state::staging::Act;
use crate::theme::{Theme, icons, space};
use crate::widgets::{Badge, Button, IconButton, Tone, strip};

/// Side of a mark.
const MARK: f32 = 10.0;

/// The file that commands are about: that of the caret, of the last jump, or at the top.
pub fn file_here(pane: &ReviewPane) -> FileIndex {
    match (&pane.edit, pane.cursor) {
        (Some(edit), _) => edit.file,
        (None, Some(cursor)) => cursor.file,
        (None, None) => pane.anchor.file,
    }
}

/// What a command is about: the selected lines, else the hunk of the caret or of the last jump, else the first hunk in
/// view.
pub fn target_here(pane: &ReviewPane, review: &OpenReview, documents: &Documents) -> Option<Target> {
    let is_reading = |file| review.page.file(file).is_some_and(diff::review::FileEntry::is_reading);
    if is_reading(file_here(pane)) {
        return None; // its lines are not those of the file
    }
    if let Some((file, chosen)) = selected(pane, documents) {
        return Some(Target::Lines(file, chosen));
    }
    let file = file_here(pane);
    let entry = review.page.file(file)?;
    let hunks = entry.lines()?.hunks();
    let hunk = match &pane.edit {
        Some(edit) => {
            let text = documents.get(edit.document)?.document.text();
            hunk_at(hunks, Side::New, text.line_of(edit.selections.primary().head))
        }
        None => {
            let from = pane.cursor.filter(|cursor| cursor.file == file).map_or(pane.anchor.row, |cursor| cursor.row);
            let rows = entry.plan()?.rows_from(entry.plan_row(from));
            let row = rows.into_iter().find(|row| row.kind.is_change())?;
            match (row.old, row.new) {
                (Some(line), _) => hunk_at(hunks, Side::Old, line),
                (None, Some(line)) => hunk_at(hunks, Side::New, line),
                (None, None) => None,
            }
        }
    };
    hunk.map(|hunk| Target::Hunk(file, hunk.clone()))
}

/// The lines that are selected, as a choice; whole lines, as far as any of them is selected.
fn selected(pane: &ReviewPane, documents: &Documents) -> Option<(FileIndex, Chosen)> {
    if let Some(selection) = pane.selection.filter(|selection| selection.anchor != selection.head) {
        let range = selection.range();
        // A selection that ends before the first character of a line has nothing of it.
        let end = range.end.line + u32::from(range.end.byte > 0 || range.end.line == range.start.line);
        let lines = range.start.line..end;
        return Some((selection.file, on_side(selection.side, std::iter::once(lines))));
    }
    let edit = pane.edit.as_ref()?;
    let ranges = lines_selected(documents.get(edit.document)?.document.text(), &edit.selections);
    (!ranges.is_empty()).then(|| (edit.file, on_side(Side::New, ranges)))
}

fn on_side(side: Side, lines: impl IntoIterator<Item = Range<u32>>) -> Chosen {
    match side {
        Side::Old => Chosen::new(lines, []),
        Side::New => Chosen::new([], lines),
    }
}

fn hunk_at(hunks: &[Hunk], side: Side, line: u32) -> Option<&Hunk> {
    let range = |hunk: &Hunk| if side == Side::Old { hunk.old.clone() } else { hunk.new.clone() };
    let n = hunks.partition_point(|hunk| range(hunk).end <= line);
    hunks.get(n).filter(|hunk| range(hunk).contains(&line))
}

/// Asks for the stages of the files in view, so that they can be drawn.
pub fn want(review: &mut OpenReview, painted: &[Painted], tasks: &crate::tasks::Tasks) {
    let Some(comparison) = review.comparison.clone().filter(|_| review.stages.kind() == Kind::Between) else { return };
    let mut last = None;
    for file in painted.iter().map(|p| p.at.file) {
        if last.replace(file) == Some(file) {
            continue;
        }
        let document = review.live_version(file).zip(review.live_text(file).cloned());
        let Some(entry) = review.page.file(file).filter(|entry| !entry.is_reading()) else { continue };
        let document = document.as_ref().map(|(version, text)| (*version, text));
        review.stages.want(file, entry, document, &comparison, tasks);
    }
}

/// What is in sight, for marks and buttons.
pub struct Sight<'a> {
    pub tile: TileId,
    pub pane: &'a ReviewPane,
    pub review: &'a OpenReview,
    pub documents: &'a Documents,
    pub geometry: &'a Geometry,
    pub painted: &'a [Painted],
    pub theme: &'static Theme,
}

/// Draws the marks of all changed lines in view, and carries presses on them.
pub fn draw_marks(ui: &Ui, sight: &Sight<'_>, sink: &mut Sink) {
    let Sight { tile, pane, review, geometry, painted, theme, .. } = *sight;
    if review.stages.kind() == Kind::None {
        return;
    }
    let painter = ui.painter_at(geometry.page);
    for p in painted.iter().filter(|p| p.piece == 0) {
        let Some(row) = p.row.filter(|row| row.kind.is_change()) else { continue };
        let Some(entry) = review.page.file(p.at.file).filter(|entry| !entry.is_reading()) else { continue };
        for (side, line) in [(Side::Old, row.old), (Side::New, row.new)] {
            let (Some(line), Some(x)) = (line, geometry.part(side).stage) else { continue };
            let Some(stage) = review.stages.of_line(p.at.file, &entry.change, side, line) else { continue };
            let rect = Rect::from_x_y_ranges(x, Rangef::new(p.y, p.y + geometry.row));
            let id = part(tile, "stage").with((p.at.file, side, line));
            let response = ui.interact(rect.intersect(geometry.page), id, Sense::click());
            let (sign, staged) = (if side == Side::Old { "removed" } else { "added" }, stage == LineStage::Staged);
            let name = format!("{sign} line {} staged", line + 1);
            response.widget_info(|| WidgetInfo::selected(egui::Role::CheckBox, true, staged, &name));
            paint_mark(&painter, rect, stage, response.hovered(), theme);
            if response.clicked() {
                let act = if staged { Act::Unstage } else { Act::Stage };
                let target = Target::Lines(p.at.file, on_side(side, std::iter::once(line..line + 1)));
                sink.push(Action::Staging(StagingAction { review: pane.review, act, target, asked: false }));
            }
        }
    }
}

fn paint_mark(painter: &egui::Painter, rect: Rect, stage: LineStage, hovered: bool, theme: &Theme) {
    let square = Rect::from_center_size(rect.center(), vec2(MARK, MARK));
    let corner = CornerRadius::same(2);
    let edge = if hovered { theme.signal.accent } else { theme.border.control };
    match stage {
        LineStage::Staged => {
            painter.rect_filled(square, corner, theme.signal.accent);
            icons::CHECK.paint_sized(painter, square.center(), MARK, theme.text.on_accent);
        }
        LineStage::Unstaged => {
            painter.rect_stroke(square, corner, Stroke::new(1.0, edge), StrokeKind::Inside);
        }
        LineStage::Unclear => {
            painter.rect_stroke(square, corner, Stroke::new(1.0, edge), StrokeKind::Inside);
            painter.hline(square.shrink(3.0).x_range(), square.center().y, Stroke::new(1.5, edge));
        }
    }
}

/// The hunk that the strip is about: that under the pointer, else that of the last jump; with the rows of it in view.
fn strip_hunk(ui: &Ui, sight: &Sight<'_>) -> Option<(FileIndex, Hunk, Rangef)> {
    let Sight { pane, review, geometry, painted, .. } = *sight;
    let over = ui.input(|input| input.pointer.hover_pos()).filter(|at| geometry.page.contains(*at));
    let under = over.and_then(|at| painted.iter().find(|p| (p.y..p.y + geometry.row).contains(&at.y)));
    let under = under.filter(|p| p.row.is_some_and(|row| row.kind.is_change()));
    let at = under.or_else(|| {
        let cursor = pane.cursor?;
        painted.iter().find(|p| p.at == cursor && p.row.is_some_and(|row| row.kind.is_change()))
    })?;
    let hunks = review.page.file(at.at.file)?.lines()?.hunks();
    let row = at.row?;
    let of = |row: &diff::plan::Row| match (row.old, row.new) {
        (Some(line), _) => hunk_at(hunks, Side::Old, line),
        (None, Some(line)) => hunk_at(hunks, Side::New, line),
        (None, None) => None,
    };
    let hunk = of(&row)?;
    let mine = |p: &&Painted| p.at.file == at.at.file && p.row.is_some_and(|row| row.kind.is_change());
    let rows = painted.iter().filter(mine).filter(|p| p.row.as_ref().and_then(of) == Some(hunk));
    let (top, bottom) = rows.fold((f32::MAX, f32::MIN), |(top, bottom), p| (top.min(p.y), bottom.max(p.y)));
    Some((at.at.file, hunk.clone(), Rangef::new(top, bottom + geometry.row)))
}

/// Draws the strip of buttons.
pub fn draw_strip(ui: &mut Ui, sight: &Sight<'_>, sink: &mut Sink) {
    let Sight { tile, pane, review, documents, geometry, .. } = *sight;
    let (kind, decide) = (review.stages.kind(), review.can_decide());
    if (kind == Kind::None && !decide) || pane.drag.is_some() {
        return;
    }
    let Some((file, hunk, rows)) = strip_hunk(ui, sight) else { return };
    let Some(entry) = review.page.file(file).filter(|entry| !entry.is_reading()) else { return };
    let stage = review.stages.of_hunk(file, &entry.change, &hunk);
    if stage.is_none() && !decide {
        return;
    }
    // Lines that are selected elsewhere are not what the pointer is on.
    let lines = selected(pane, documents)
        .filter(|(of, chosen)| *of == file && chosen.extent_in(&hunk) != diff::staging::Extent::None);
    let (target, what) = match lines {
        Some((file, chosen)) => (Target::Lines(file, chosen), "lines"),
        None => (Target::Hunk(file, hunk), "hunk"),
    };
    // Below the header that sticks to the top.
    let top = rows.min.max(geometry.page.top() + super::header::HEIGHT);
    let size = vec2(STRIP, geometry.row.max(24.0));
    let right = geometry.page.right() - space::S;
    let rect = Rect::from_min_size(pos2(right - size.x, top - 2.0), size);
    if rect.bottom() > geometry.page.bottom() || rows.max <= geometry.page.top() + super::header::HEIGHT {
        return;
    }
    let mut ask = |act| {
        let target = target.clone();
        sink.push(Action::Staging(StagingAction { review: pane.review, act, target, asked: false }));
    };
    strip(ui, part(tile, "hunk strip"), rect, geometry.page, |bar| {
        if decide {
            if bar.add(Button::new("Reject").quiet().name(format!("Reject {what}")).key("Shift+D")).clicked() {
                ask(Act::Reject);
            }
            if bar.add(Button::new("Accept").quiet().name(format!("Accept {what}")).key("s")).clicked() {
                ask(Act::Accept);
            }
        } else if kind != Kind::Staged
            && bar.add(IconButton::new(icons::UNDO, format!("Discard {what}")).key("Shift+D").small()).clicked()
        {
            ask(Act::Discard);
        }
        if kind != Kind::Unstaged
            && stage.is_some_and(|stage| stage != HunkStage::Unstaged)
            && bar.add(Button::new("Unstage").quiet().name(format!("Unstage {what}")).key("Shift+S")).clicked()
        {
            ask(Act::Unstage);
        }
        if kind != Kind::Staged
            && stage.is_some_and(|stage| stage != HunkStage::Staged)
            && bar.add(Button::new("Stage").quiet().name(format!("Stage {what}")).key("s")).clicked()
        {
            ask(Act::Stage);
        }
    });
}

/// Room for the strip.
const STRIP: f32 = 200.0;

/// The buttons in the header of a file, from the right on.
pub fn file_buttons(ui: &mut Ui, pane: &ReviewPane, review: &OpenReview, file: FileIndex, sink: &mut Sink) {
    let kind = review.stages.kind();
    let Some(entry) = review.page.file(file) else { return };
    let path = entry.change.path.display();
    let mut ask = |act| {
        let target = Target::File(file);
        sink.push(Action::Staging(StagingAction { review: pane.review, act, target, asked: false }));
    };
    if review.can_decide() {
        if ui.add(Button::new("Reject").quiet().name(format!("Reject {path}")).key("Alt+Shift+D")).clicked() {
            ask(Act::Reject);
        }
        if ui.add(Button::new("Accept").quiet().name(format!("Accept {path}")).key("Alt+S")).clicked() {
            ask(Act::Accept);
        }
        return;
    }
    let Some(stage) = review.stages.of_file(&entry.change).filter(|_| kind != Kind::None) else { return };
    if stage == FileStage::Conflict {
        return; // it is resolved first
    }
    if kind != Kind::Staged
        && ui.add(IconButton::new(icons::UNDO, format!("Discard {path}")).key("Alt+Shift+D")).clicked()
    {
        ask(Act::Discard);
    }
    if stage != FileStage::Unstaged
        && ui.add(Button::new("Unstage").quiet().name(format!("Unstage {path}")).key("Alt+Shift+S")).clicked()
    {
        ask(Act::Unstage);
    }
    if stage != FileStage::Staged
        && ui.add(Button::new("Stage").quiet().name(format!("Stage {path}")).key("Alt+S")).clicked()
    {
        ask(Act::Stage);
    }
    if let Some((word, tone)) = badge(review, entry) {
        ui.add(Badge::new(word).tone(tone));
    }
}

/// What a file's header and row say of where it stands; nothing where all files stand alike.
pub fn badge(review: &OpenReview, entry: &FileEntry) -> Option<(&'static str, Tone)> {
    if review.stages.kind() != Kind::Between {
        return None;
    }
    match review.stages.of_file(&entry.change)? {
        FileStage::Staged => Some(("staged", Tone::Accent)),
        FileStage::Partly => Some(("partly staged", Tone::Accent)),
        FileStage::Unstaged | FileStage::Conflict => None,
    }
}

/// The mark of a file in the tree, its colour, and what it means.
pub fn tree_mark(
    review: &OpenReview,
    entry: &FileEntry,
    theme: &Theme,
) -> Option<(crate::theme::Icon, Color32, &'static str)> {
    let (word, _) = badge(review, entry)?;
    let icon = if word == "staged" { icons::SUCCESS } else { icons::CIRCLE_DASHED };
    Some((icon, theme.signal.accent, word))
}
