//! Loading: progress with what, how much and cancel; skeletons in the place of what is coming.

use std::{
    borrow::Cow,
    time::{Duration, Instant},
};

use eframe::egui::{Rect, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::{IconButton, text};
use crate::theme::{icons, look, space};

/// Long work: what is being done, how much of it is, and a way to stop it.
#[must_use = "call `show`"]
pub struct Progress<'a> {
    what: Cow<'a, str>,
    amount: Cow<'a, str>,
    part: Option<f32>,
    cancelable: bool,
}

impl<'a> Progress<'a> {
    /// Work that is `what`; how long it takes is not known.
    pub fn new(what: impl Into<Cow<'a, str>>) -> Self {
        Self { what: what.into(), amount: Cow::Borrowed(""), part: None, cancelable: false }
    }

    /// How much is done, 0 to 1, and in words (`1,204 of 1,790`).
    pub fn done(mut self, part: f32, amount: impl Into<Cow<'a, str>>) -> Self {
        self.part = Some(part.clamp(0.0, 1.0));
        self.amount = amount.into();
        self
    }

    /// Can be stopped.
    pub fn cancelable(mut self) -> Self {
        self.cancelable = true;
        self
    }

    /// Shows it in two lines as wide as there is room; whether cancel was pressed.
    pub fn show(self, ui: &mut Ui) -> bool {
        let (theme, metrics) = look(ui);
        let mut canceled = false;
        let response = ui
            .vertical(|ui| {
                ui.spacing_mut().item_spacing.y = 2.0;
                ui.horizontal(|ui| {
                    let room = ui.available_width() - if self.cancelable { space::ROW + space::S } else { 0.0 };
                    let amount = text::line(ui, &self.amount, metrics.small(), theme.text.muted, room);
                    let what = text::line(
                        ui,
                        &self.what,
                        metrics.body(),
                        theme.text.normal,
                        room - amount.size().x - space::S,
                    );
                    let (_, rect) = ui.allocate_space(vec2(room, space::ROW));
                    let y = |height: f32| rect.center().y - height / 2.0;
                    let at = pos2(rect.right() - amount.size().x, y(amount.size().y));
                    ui.painter().galley(pos2(rect.left(), y(what.size().y)), what, theme.text.normal);
                    ui.painter().galley(at, amount, theme.text.muted);
                    if self.cancelable {
                        canceled = ui.add(IconButton::new(icons::X, format!("Cancel: {}", self.what))).clicked();
                    }
                });
                thin_progress(ui, self.part);
            })
            .response;
        response.widget_info(|| WidgetInfo {
            value: self.part.map(f64::from),
            ..WidgetInfo::labeled(Role::ProgressIndicator, true, &self.what)
        });
        canceled
    }
}

/// The bar alone, 2 points high; a short stretch travels along it where how much is done is not known.
pub fn thin_progress(ui: &mut Ui, part: Option<f32>) -> Response {
    let (theme, metrics) = look(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 2.0), Sense::hover());
    ui.painter().rect_filled(rect, 1.0, theme.border.line);
    let done = match part {
        Some(part) => Rect::from_min_size(rect.min, vec2(rect.width() * part, rect.height())),
        None if metrics.reduced_motion => Rect::from_min_size(rect.min, vec2(rect.width() / 3.0, rect.height())),
        None => {
            // A steady line, never a bouncing one. 20 frames a second are enough for it, and leave the rest idle.
            ui.ctx().request_repaint_after(Duration::from_millis(50));
            let phase = (ui.input(|input| input.time) / 1.6).fract() as f32;
            let length = rect.width() * 0.3;
            let left = rect.left() - length + phase * (rect.width() + length);
            Rect::from_min_size(pos2(left, rect.top()), vec2(length, rect.height())).intersect(rect)
        }
    };
    ui.painter().rect_filled(done, 1.0, theme.signal.accent);
    response
}

/// Rows in the place of those that are coming, once loading has taken 150 ms; nothing before, so that what is quick does
/// not flicker. `since` is when loading began.
pub fn skeleton_rows(ui: &mut Ui, since: Instant, rows: usize, row_height: f32) {
    const PATIENCE: Duration = Duration::from_millis(150);
    const WIDTHS: [f32; 6] = [0.62, 0.44, 0.71, 0.53, 0.36, 0.58];
    let (theme, _) = look(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), rows as f32 * row_height), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, "Loading"));
    if let Some(left) = PATIENCE.checked_sub(since.elapsed()) {
        ui.ctx().request_repaint_after(left);
        return;
    }
    for row in 0..rows {
        let top = rect.top() + row as f32 * row_height + (row_height - 10.0) / 2.0;
        let width = rect.width() * WIDTHS[row % WIDTHS.len()];
        let bar = Rect::from_min_size(pos2(rect.left() + space::M, top), vec2(width, 10.0));
        ui.painter().rect_filled(bar, 3.0, theme.surface.hover);
    }
}
