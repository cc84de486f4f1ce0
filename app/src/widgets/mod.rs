//! The controls everything is made of, drawn from the theme; egui's own widgets are used for text editing and popups only.
//!
//! Conventions: a control is built like `Button::new("Commit").primary()` and shown with `ui.add` (or its own `show`, where
//! it answers more than a response). Its name is what a screen reader says and what a test looks for. What needs a key
//! names it in its tooltip. Nothing here starts work or keeps state of its own.
//!
//! A *tone* is what something means (success, danger …); which colours that gives is the theme's business.

mod badge;
mod button;
mod input;
pub mod markdown;
mod menu;
mod progress;
mod rows;
mod states;
mod tabs;
pub mod text;
mod text_area;
mod tick;
mod toast;

pub use badge::{Badge, Counts, KeyCaps};
pub use button::{Button, ICON_ALONE, IconButton};
pub use input::TextInput;
pub use menu::{Dropdown, MenuItem, menu_frame, menu_separator};
pub use progress::{Progress, skeleton_rows, thin_progress};
pub use rows::{ListRow, RowResponse, TreeRow, list_keys};
pub use states::{EmptyState, ErrorState, Notice, NoticeResponse};
pub use tabs::{Segmented, Tab, TabResponse};
pub use text::elide_middle;
pub use text_area::TextArea;
pub use tick::{Tick, TickState};
pub use toast::{Toast, Toasts};

use eframe::egui::epaint::RectShape;
use eframe::egui::{
    Align, Color32, CornerRadius, Frame, Id, Layout, Margin, Painter, Rect, Response, Shape, Stroke, StrokeKind, Ui,
    UiBuilder,
};

use crate::theme::{Icon, Theme, icons, look, radius, space};

/// What something means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Nothing in particular.
    #[default]
    Neutral,
    /// Active, informative.
    Accent,
    /// Went well, added.
    Success,
    /// Needs a look.
    Warning,
    /// Failed, removed.
    Danger,
}

impl Tone {
    /// Its colour for text and icons.
    pub fn color(self, theme: &Theme) -> Color32 {
        match self {
            Self::Neutral => theme.text.muted,
            Self::Accent => theme.signal.accent,
            Self::Success => theme.signal.success,
            Self::Warning => theme.signal.warning,
            Self::Danger => theme.signal.danger,
        }
    }

    /// Its faint ground.
    pub fn ground(self, theme: &Theme) -> Color32 {
        match self {
            Self::Neutral => theme.surface.raised,
            Self::Accent => theme.signal.accent_soft,
            Self::Success => theme.signal.success_soft,
            Self::Warning => theme.signal.warning_soft,
            Self::Danger => theme.signal.danger_soft,
        }
    }

    /// The icon that says the same without colour.
    pub fn icon(self) -> Icon {
        match self {
            Self::Neutral | Self::Accent => icons::INFO,
            Self::Success => icons::SUCCESS,
            Self::Warning => icons::PROBLEMS,
            Self::Danger => icons::DANGER,
        }
    }
}

/// Paints the focus ring inside `rect` if `response` has the keyboard.
pub fn focus_ring(painter: &Painter, theme: &Theme, response: &Response, rect: Rect, corner: CornerRadius) {
    if response.has_focus() {
        painter.rect_stroke(rect, corner, Stroke::new(1.5, theme.border.focus), StrokeKind::Inside);
    }
}

/// Shows `text` and its `key` while the pointer rests on `response`.
pub fn tip(response: Response, text: &str, key: Option<&str>) -> Response {
    response.on_hover_ui(|ui| tip_ui(ui, text, key))
}

/// The same while `response` is disabled: says why.
pub fn tip_disabled(response: Response, why: &str) -> Response {
    response.on_disabled_hover_ui(|ui| tip_ui(ui, why, None))
}

fn tip_ui(ui: &mut Ui, text: &str, key: Option<&str>) {
    ui.horizontal(|ui| {
        ui.add_space(space::XS);
        ui.label(text);
        if let Some(key) = key {
            ui.add(KeyCaps::new(key));
        }
        ui.add_space(space::XS);
    });
}

/// A card: raised, with a one-pixel edge. Not for use inside another card.
pub fn card(ui: &Ui) -> Frame {
    let (theme, _) = look(ui);
    Frame::new()
        .fill(theme.surface.raised)
        .stroke(Stroke::new(1.0, theme.border.line))
        .corner_radius(radius::CARD)
        .inner_margin(Margin::same(12))
}

/// A card that stands out by an edge of `tone` on its left: approvals, running steps.
pub fn marked_card<R>(ui: &mut Ui, tone: Tone, add_contents: impl FnOnce(&mut Ui) -> R) -> R {
    let (theme, _) = look(ui);
    let shown = card(ui).show(ui, add_contents);
    let rect = shown.response.rect;
    let edge = Rect::from_min_max(rect.min, rect.left_bottom() + eframe::egui::vec2(3.0, 0.0));
    let corner = CornerRadius { ne: 0, se: 0, ..radius::CARD };
    ui.painter().rect_filled(edge, corner, tone.color(theme));
    shown.inner
}

/// Buttons that lie over text, from the right edge of `rect` on; seen within `clip` only.
pub fn strip(ui: &mut Ui, id: Id, rect: Rect, clip: Rect, add_contents: impl FnOnce(&mut Ui)) {
    let layout = Layout::right_to_left(Align::Center);
    let mut bar = ui.new_child(UiBuilder::new().id_salt(id).max_rect(rect).layout(layout));
    bar.set_clip_rect(clip);
    bar.spacing_mut().item_spacing.x = 2.0;
    let ground = bar.painter().add(Shape::Noop);
    add_contents(&mut bar);
    let used = bar.min_rect().expand(1.0);
    if used.width() <= 2.0 {
        return;
    }
    let (theme, _) = look(ui);
    let edge = Stroke::new(1.0, theme.border.line);
    let shape = RectShape::new(used, radius::CONTROL, theme.surface.raised, edge, StrokeKind::Outside);
    ui.painter_at(clip).set(ground, shape);
}

/// A one-pixel line across the available width.
pub fn separator(ui: &mut Ui) {
    let (theme, _) = look(ui);
    let (_, rect) = ui.allocate_space(eframe::egui::vec2(ui.available_width(), 1.0));
    ui.painter().hline(rect.x_range(), rect.center().y, Stroke::new(1.0, theme.border.line));
}

#[cfg(test)]
mod tests;
