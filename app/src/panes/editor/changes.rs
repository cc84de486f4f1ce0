//! What an agent changed in a document and nobody decided on: marks beside and under its lines, and buttons at the hunk
//! under the pointer or at the caret that accept and reject it, as in the review of the same.

use std::ops::Range;

use diff::engine::Hunk;
use diff::git::Side;
use diff::lines::Content;
use diff::staging::Chosen;
use eframe::egui::{self, Rangef, Rect, RichText, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_tiles::TileId;

use super::{EditorPane, Follow};
use crate::code_view::editing::lines_selected;
use crate::code_view::lines::Lines;
use crate::code_view::paint::TextArea;
use crate::commands::staging::{StagingAction, Target};
use crate::commands::{Action, Sink};
use crate::state::State;
use crate::state::documents::DocumentId;
use crate::state::reviews::{ReviewId, Reviews};
use crate::state::staging::Act;
use crate::state::unreviewed::{Undecided, Unreviewed, hunks};
use crate::theme::{Ground, Theme, look, space};
use crate::widgets::{Button, strip};

/// Width of the mark beside changed lines.
const MARK: f32 = 3.0;
/// Room for the buttons.
const STRIP: f32 = 300.0;
/// Lines that are told of what stood there before.
const TOLD: usize = 20;

/// The hunks in view.
pub struct Marks {
    /// With what stood there before.
    hunks: Vec<(Undecided, String)>,
}

impl Marks {
    /// The hunks of a document that touch some lines.
    pub fn of(document: DocumentId, lines: &Range<u32>, unreviewed: &Unreviewed, reviews: &Reviews) -> Option<Self> {
        let told = |undecided: Undecided| {
            let old =
                reviews.get(undecided.review).and_then(|review| hunks(review, undecided.file)).map(|(_, old)| old);
            let removed = old.map(|old| removed(&undecided.hunk, old)).unwrap_or_default();
            (undecided, removed)
        };
        let hunks: Vec<_> = unreviewed.near(document, lines, reviews).into_iter().map(told).collect();
        (!hunks.is_empty()).then_some(Self { hunks })
    }

    /// What the text of a line stands on.
    pub fn ground(&self, line: u32) -> Ground {
        let is_new = self.hunks.iter().any(|(undecided, _)| undecided.hunk.new.contains(&line));
        if is_new { Ground::AddedLine } else { Ground::Page }
    }
}

fn removed(hunk: &Hunk, old: &Content) -> String {
    let lines: Vec<String> = hunk
        .old
        .clone()
        .take(TOLD)
        .map(|line| format!("− {}", Lines::window(old, line, 0..Lines::len(old, line).min(200))))
        .collect();
    let more = hunk.old.len().saturating_sub(TOLD);
    let mut told = lines.join("\n");
    if more > 0 {
        told.push_str(&format!("\n… {more} more"));
    }
    told
}

/// The hunk at a line; where lines were taken out, at the line behind them, and at the last where those are the end.
fn hunk_at(hunks: Vec<Undecided>, line: u32, last: u32) -> Option<Undecided> {
    let is_at = |Undecided { hunk, .. }: &Undecided| {
        hunk.new.contains(&line)
            || hunk.new.is_empty() && (hunk.new.start == line || line == last && hunk.new.start > last)
    };
    hunks.into_iter().find(is_at)
}

/// All lines of a document.
const ALL: Range<u32> = 0..u32::MAX;

/// What a command about a change is about: the selected lines of it, or the hunk at the caret.
pub fn target_here(pane: &EditorPane, state: &State) -> Option<(ReviewId, Target)> {
    let text = state.documents.get(pane.document)?.document.text();
    let selected = lines_selected(text, &pane.selections);
    let (first, last) = (selected.iter().map(|lines| lines.start).min(), selected.iter().map(|lines| lines.end).max());
    if let (Some(first), Some(last)) = (first, last) {
        let chosen = Chosen::new([], selected);
        let near = state.unreviewed.near(pane.document, &(first..last), &state.reviews);
        let touched = near.into_iter().find(|near| chosen.count_in(Side::New, &near.hunk.new) > 0);
        if let Some(Undecided { review, file, .. }) = touched {
            return Some((review, Target::Lines(file, chosen)));
        }
    }
    let line = text.line_of(pane.selections.primary().head.min(text.len()));
    let near = state.unreviewed.near(pane.document, &(line..line + 1), &state.reviews);
    let Undecided { review, file, hunk } = hunk_at(near, line, text.last_line())?;
    Some((review, Target::Hunk(file, hunk)))
}

/// Goes to the next hunk, or the one before; round the end. Whether there is any.
pub fn step(pane: &mut EditorPane, state: &State, forward: bool) -> bool {
    let Some(open) = state.documents.get(pane.document) else { return false };
    let all = state.unreviewed.near(pane.document, &ALL, &state.reviews);
    let text = open.document.text();
    let here = text.line_of(pane.selections.primary().head.min(text.len()));
    let mut lines = all.iter().map(|undecided| undecided.hunk.new.start.min(text.last_line()));
    let found = match forward {
        true => lines.clone().find(|line| *line > here).or(lines.next()),
        false => lines.clone().rev().find(|line| *line < here).or(lines.next_back()),
    };
    let Some(line) = found else { return false };
    pane.selections = editor::selection::Selections::caret(text.line_start(line));
    pane.follow = Some(Follow::Middle);
    pane.moved = None;
    true
}

/// The grounds of changed lines, and the marks beside them; below the text.
pub fn paint(ui: &Ui, tile: TileId, marks: &Marks, area: &TextArea, y_of: &dyn Fn(u32) -> f32, theme: &Theme) {
    let row = area.cells.row;
    let painter = ui.painter_at(area.rect.with_min_x(area.rect.left() - space::M));
    let (left, right) = (area.rect.left() - 9.0, area.rect.left() - 9.0 + MARK);
    for (n, (Undecided { hunk, .. }, removed)) in marks.hunks.iter().enumerate() {
        let (top, bottom) = (y_of(hunk.new.start), y_of(hunk.new.end));
        if top < bottom {
            let lines = Rect::from_x_y_ranges(area.rect.x_range(), Rangef::new(top, bottom));
            painter.rect_filled(lines.with_min_x(left), 0.0, Ground::AddedLine.color(&theme.tokens));
        }
        let (color, what) = match (hunk.old.is_empty(), hunk.new.is_empty()) {
            (true, _) => (theme.signal.success, "added"),
            (_, true) => (theme.signal.danger, "removed"),
            _ => (theme.signal.accent, "changed"),
        };
        let place = match hunk.new.is_empty() {
            // A notch between two lines.
            true => {
                let tip = pos2(right + 3.0, top);
                let corners = vec![pos2(left, top - 4.0), tip, pos2(left, top + 4.0)];
                painter.add(egui::Shape::convex_polygon(corners, color, egui::Stroke::NONE));
                Rect::from_min_max(pos2(left - 2.0, top - row / 2.0), pos2(area.rect.left(), top + row / 2.0))
            }
            false => {
                let mark = Rect::from_min_max(pos2(left, top + 1.0), pos2(right, bottom - 1.0));
                painter.rect_filled(mark, 1.0, color);
                Rect::from_min_max(pos2(left - 2.0, top), pos2(area.rect.left(), bottom))
            }
        };
        let id = crate::panes::focus_id(tile).with(("change", n));
        let response = ui.interact(place.intersect(painter.clip_rect()), id, Sense::hover());
        let name = format!("Lines {what} by the agent at {}", hunk.new.start + 1);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Mark, true, &name));
        if !removed.is_empty() {
            response.on_hover_ui(|ui| {
                let (theme, metrics) = look(ui);
                ui.label(RichText::new("Before the agent changed it").font(metrics.small()).color(theme.text.muted));
                ui.label(RichText::new(removed.as_str()).font(metrics.code_inline()).color(theme.text.normal));
            });
        }
    }
}

/// The buttons of the hunk under the pointer, or else of that at the caret; above the text.
pub fn buttons(
    ui: &mut Ui,
    tile: TileId,
    marks: &Marks,
    area: &TextArea,
    y_of: &dyn Fn(u32) -> f32,
    caret: Option<u32>,
    sink: &mut Sink,
) {
    let row = area.cells.row;
    let pointer = ui.input(|input| input.pointer.hover_pos()).filter(|at| area.rect.contains(*at));
    let rows = |hunk: &Hunk| {
        let (top, bottom) = (y_of(hunk.new.start), y_of(hunk.new.end));
        if top < bottom { Rangef::new(top, bottom) } else { Rangef::new(top, top + row) }
    };
    let under = pointer.and_then(|at| marks.hunks.iter().find(|(found, _)| rows(&found.hunk).contains(at.y)));
    let at_caret = || {
        let y = y_of(caret?) + row / 2.0;
        marks.hunks.iter().find(|(found, _)| rows(&found.hunk).contains(y))
    };
    let Some((Undecided { review, file, hunk }, _)) = under.or_else(at_caret) else { return };
    let rows = rows(hunk);
    let top = rows.min.max(area.rect.top());
    let rect = Rect::from_min_size(pos2(area.rect.right() - space::S - STRIP, top), vec2(STRIP, row.max(24.0)));
    if rows.max <= area.rect.top() || rect.bottom() > area.rect.bottom() {
        return;
    }
    let id = crate::panes::focus_id(tile).with("change buttons");
    strip(ui, id, rect, area.rect, |ui| {
        let target = Target::Hunk(*file, hunk.clone());
        let mut ask = |act| {
            let action = StagingAction { review: *review, act, target: target.clone(), asked: false };
            sink.push(Action::Staging(action));
        };
        if ui.add(Button::new("Reject").quiet().name("Reject change").key("Ctrl+Alt+R")).clicked() {
            ask(Act::Reject);
        }
        if ui.add(Button::new("Accept").quiet().name("Accept change").key("Ctrl+Alt+Y")).clicked() {
            ask(Act::Accept);
        }
    });
}

/// The lines at which changes are: for the scroll bar.
pub fn shares(pane: &EditorPane, state: &State) -> Vec<u32> {
    let all = state.unreviewed.near(pane.document, &ALL, &state.reviews);
    all.iter().map(|undecided| undecided.hunk.new.start).collect()
}
