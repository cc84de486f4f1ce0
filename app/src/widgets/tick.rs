//! The tick: a box that is on, off, partly on, or on with something to come back to; with or without a label.

use std::borrow::Cow;

use eframe::egui::{
    Color32, Painter, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, Vec2, Widget, WidgetInfo, pos2, vec2,
};

use super::{focus_ring, tip};
use crate::theme::{Theme, icons, look, radius, space};

const BOX: f32 = 14.0;

/// What a box shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TickState {
    /// Not ticked.
    #[default]
    Off,
    /// Some of what it stands for is ticked.
    Partly,
    /// Ticked.
    On,
    /// Marked to be come back to.
    Again,
}

impl TickState {
    /// The state as a switch has it.
    pub fn of(on: bool, partly: bool) -> Self {
        match (on, partly) {
            (_, true) => Self::Partly,
            (true, false) => Self::On,
            (false, false) => Self::Off,
        }
    }

    /// What a screen reader is told of a box with this name.
    pub(super) fn spoken(self, enabled: bool, name: &str) -> WidgetInfo {
        match self {
            Self::Off | Self::On => WidgetInfo::selected(Role::CheckBox, enabled, self == Self::On, name),
            Self::Partly => WidgetInfo::labeled(Role::CheckBox, enabled, name),
            Self::Again => WidgetInfo::labeled(Role::CheckBox, enabled, format!("{name}, come back")),
        }
    }
}

/// A box to tick.
#[must_use = "show it with `ui.add`"]
pub struct Tick<'a> {
    on: &'a mut bool,
    partly: bool,
    again: bool,
    name: Cow<'a, str>,
    label: bool,
    key: Option<Cow<'a, str>>,
}

impl<'a> Tick<'a> {
    /// A box with its name beside it.
    pub fn new(on: &'a mut bool, name: impl Into<Cow<'a, str>>) -> Self {
        Self { on, partly: false, again: false, name: name.into(), label: true, key: None }
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

    /// Marked to be come back to. A click ticks it.
    pub fn again(mut self, again: bool) -> Self {
        self.again = again;
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
            *self.on = self.partly || self.again || !*self.on;
            response.mark_changed();
        }
        let state = if self.again { TickState::Again } else { TickState::of(*self.on, self.partly) };
        response.widget_info(|| state.spoken(ui.is_enabled(), &self.name));
        if ui.is_rect_visible(rect) {
            let x = if self.label { rect.left() + BOX / 2.0 } else { rect.center().x };
            let center = pos2(x, rect.center().y);
            paint_box(ui.painter(), theme, center, state, response.hovered());
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
pub(super) fn paint_box(painter: &Painter, theme: &Theme, center: eframe::egui::Pos2, state: TickState, hovered: bool) {
    let rect = Rect::from_center_size(center, Vec2::splat(BOX));
    let corner = 3.0;
    let accent = if hovered { theme.button.primary_hover } else { theme.signal.accent };
    let (fill, icon) = match state {
        TickState::Off => {
            let fill = if hovered { theme.surface.hover } else { Color32::TRANSPARENT };
            painter.rect(rect, corner, fill, Stroke::new(1.0, theme.border.control), StrokeKind::Inside);
            return;
        }
        TickState::Partly => (accent, icons::MINUS),
        TickState::On => (accent, icons::CHECK),
        TickState::Again => (theme.signal.warning, icons::UNDO),
    };
    painter.rect_filled(rect, corner, fill);
    icon.paint_sized(painter, center, 11.0, theme.text.on_accent);
}
