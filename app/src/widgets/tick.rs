//! The tick: a box that is on, off, or partly on, with or without a label.

use std::borrow::Cow;

use eframe::egui::{
    Color32, Painter, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, Vec2, Widget, WidgetInfo, pos2, vec2,
};

use super::{focus_ring, tip};
use crate::theme::{Theme, icons, look, radius, space};

const BOX: f32 = 14.0;

/// A box to tick.
#[must_use = "show it with `ui.add`"]
pub struct Tick<'a> {
    on: &'a mut bool,
    partly: bool,
    name: Cow<'a, str>,
    label: bool,
    key: Option<Cow<'a, str>>,
}

impl<'a> Tick<'a> {
    /// A box with its name beside it.
    pub fn new(on: &'a mut bool, name: impl Into<Cow<'a, str>>) -> Self {
        Self { on, partly: false, name: name.into(), label: true, key: None }
    }

    /// The name is only spoken, and shown under the pointer.
    pub fn without_label(mut self) -> Self {
        self.label = false;
        self
    }

    /// Some of what it stands for is on: a dash. A click turns all on.
    pub fn partly(mut self, partly: bool) -> Self {
        self.partly = partly;
        self
    }

    /// The key that does the same; named in the tooltip.
    pub fn key(mut self, key: impl Into<Cow<'a, str>>) -> Self {
        self.key = Some(key.into());
        self
    }
}

impl Widget for Tick<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let (theme, metrics) = look(ui);
        let galley = self
            .label
            .then(|| ui.painter().layout_no_wrap(self.name.clone().into_owned(), metrics.body(), theme.text.normal));
        let width = galley.as_ref().map_or(space::ROW, |galley| BOX + space::S + galley.size().x);
        let (rect, mut response) = ui.allocate_exact_size(vec2(width, space::ROW), Sense::click());
        if response.clicked() {
            *self.on = self.partly || !*self.on;
            response.mark_changed();
        }
        response.widget_info(|| {
            if self.partly {
                WidgetInfo::labeled(Role::CheckBox, ui.is_enabled(), &self.name)
            } else {
                WidgetInfo::selected(Role::CheckBox, ui.is_enabled(), *self.on, &self.name)
            }
        });
        if ui.is_rect_visible(rect) {
            let x = if self.label { rect.left() + BOX / 2.0 } else { rect.center().x };
            let center = pos2(x, rect.center().y);
            paint_box(ui.painter(), theme, center, *self.on, self.partly, response.hovered());
            if let Some(galley) = galley {
                let at = pos2(rect.left() + BOX + space::S, rect.center().y - galley.size().y / 2.0);
                ui.painter().galley(at, galley, theme.text.normal);
            }
            let ring = Rect::from_center_size(center, Vec2::splat(BOX + 6.0));
            focus_ring(ui.painter(), theme, &response, ring, radius::CONTROL);
        }
        if self.label && self.key.is_none() { response } else { tip(response, &self.name, self.key.as_deref()) }
    }
}

/// Paints the box alone, for rows that carry one.
pub(super) fn paint_box(
    painter: &Painter,
    theme: &Theme,
    center: eframe::egui::Pos2,
    on: bool,
    partly: bool,
    hovered: bool,
) {
    let rect = Rect::from_center_size(center, Vec2::splat(BOX));
    let corner = 3.0;
    if on || partly {
        let fill = if hovered { theme.button.primary_hover } else { theme.signal.accent };
        painter.rect_filled(rect, corner, fill);
        let icon = if partly { icons::MINUS } else { icons::CHECK };
        icon.paint_sized(painter, center, 11.0, theme.text.on_accent);
    } else {
        let fill = if hovered { theme.surface.hover } else { Color32::TRANSPARENT };
        painter.rect(rect, corner, fill, Stroke::new(1.0, theme.border.control), StrokeKind::Inside);
    }
}
