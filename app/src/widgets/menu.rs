//! Menus: the pill that opens one, and its entries.

use std::borrow::Cow;

use eframe::egui::{
    FocusDirection, Frame, InnerResponse, Key, Margin, Memory, Popup, PopupCloseBehavior, Response, Role, Sense,
    Shadow, Stroke, Ui, Widget, WidgetInfo, pos2, vec2,
};

use super::{Button, Tone, focus_ring, text};
use crate::theme::{Icon, icons, look, radius, space};

/// A button that opens a menu under itself: `Split ▾`, a branch, a model.
#[must_use = "call `show`"]
pub struct Dropdown<'a> {
    button: Button<'a>,
    stays: bool,
    width: f32,
}

impl<'a> Dropdown<'a> {
    /// A pill that reads `label`.
    pub fn new(label: impl Into<Cow<'a, str>>) -> Self {
        Self { button: Button::new(label).caret(), stays: false, width: 200.0 }
    }

    /// A button of your own making; it gets no caret of itself.
    pub fn of(button: Button<'a>) -> Self {
        Self { button, stays: false, width: 200.0 }
    }

    /// An icon before the label.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.button = self.button.icon(icon);
        self
    }

    /// What a screen reader says: what is chosen here, not only the choice.
    pub fn name(mut self, name: impl Into<Cow<'a, str>>) -> Self {
        self.button = self.button.name(name);
        self
    }

    /// The menu stays open while things in it are ticked.
    pub fn stays_open(mut self) -> Self {
        self.stays = true;
        self
    }

    /// The least width of the menu.
    pub fn menu_width(mut self, width: f32) -> Self {
        self.width = width;
        self
    }

    /// Shows the button and, while open, `entries` in a menu.
    pub fn show<R>(self, ui: &mut Ui, entries: impl FnOnce(&mut Ui) -> R) -> InnerResponse<Option<R>> {
        // The id the button is about to get names its popup.
        let popup = ui.next_auto_id().with("popup");
        let open = Popup::is_id_open(ui.ctx(), popup);
        let entered = popup.with("entered");
        if ui.data_mut(|data| data.remove_temp::<bool>(entered)).is_some() {
            // From the button, which has the keyboard, to what comes next: the first entry.
            ui.memory_mut(|memory| memory.move_focus(FocusDirection::Next));
        }
        let response = ui.add(self.button.open(open));
        let behavior =
            if self.stays { PopupCloseBehavior::CloseOnClickOutside } else { PopupCloseBehavior::CloseOnClick };
        let shown = Popup::menu(&response).close_behavior(behavior).frame(menu_frame(ui)).gap(4.0).show(|ui| {
            ui.set_min_width(self.width);
            ui.spacing_mut().item_spacing.y = 0.0;
            entries(ui)
        });
        // Opened by key, the first entry has the keyboard; closed by key, the button has it again.
        let is_open = Popup::is_id_open(ui.ctx(), popup);
        let pressed = |keys: &[Key]| ui.input(|input| keys.iter().any(|key| input.key_pressed(*key)));
        let by_key = pressed(&[Key::Enter, Key::Space, Key::Escape]);
        let inside = shown.as_ref().is_some_and(|shown| {
            let focused = ui.memory(Memory::focused).and_then(|id| ui.ctx().read_response(id));
            focused.is_some_and(|focused| shown.response.rect.contains(focused.rect.center()))
        });
        match (open, is_open) {
            // A press of the pointer closes it by itself; one of a key does not.
            (true, true) if inside && !self.stays && pressed(&[Key::Enter, Key::Space]) => {
                Popup::close_id(ui.ctx(), popup);
                response.request_focus();
            }
            (false, true) if by_key => {
                ui.data_mut(|data| data.insert_temp(entered, true));
                ui.ctx().request_repaint();
            }
            (true, false) if by_key => response.request_focus(),
            _ => {}
        }
        InnerResponse::new(shown.map(|shown| shown.inner), response)
    }
}

/// The frame of menus and of what else floats.
pub fn menu_frame(ui: &Ui) -> Frame {
    let (theme, _) = look(ui);
    Frame::new()
        .fill(theme.surface.raised)
        .stroke(Stroke::new(1.0, theme.border.line))
        .corner_radius(radius::CARD)
        .inner_margin(Margin::same(4))
        .shadow(Shadow { offset: [0, 4], blur: 16, spread: 0, color: theme.surface.shadow })
}

/// An entry of a menu: icon or tick, text, key.
#[must_use = "show it with `ui.add`"]
pub struct MenuItem<'a> {
    label: Cow<'a, str>,
    icon: Option<Icon>,
    chosen: Option<bool>,
    key: Option<Cow<'a, str>>,
    tone: Tone,
}

impl<'a> MenuItem<'a> {
    /// An entry that reads `label`.
    pub fn new(label: impl Into<Cow<'a, str>>) -> Self {
        Self { label: label.into(), icon: None, chosen: None, key: None, tone: Tone::Neutral }
    }

    /// An icon before the text.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icon = Some(icon);
        self
    }

    /// One of several choices; the chosen one has a tick.
    pub fn chosen(mut self, chosen: bool) -> Self {
        self.chosen = Some(chosen);
        self
    }

    /// The key that does the same, at the right.
    pub fn key(mut self, key: impl Into<Cow<'a, str>>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Takes something away.
    pub fn danger(mut self) -> Self {
        self.tone = Tone::Danger;
        self
    }
}

impl Widget for MenuItem<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let (theme, metrics) = look(ui);
        let color = if self.tone == Tone::Danger { theme.signal.danger } else { theme.text.normal };
        let lead = if self.icon.is_some() || self.chosen.is_some() { Icon::SIZE + space::S } else { 0.0 };
        let label = text::line(ui, &self.label, metrics.body(), color, 420.0);
        let key = self.key.as_ref().map(|key| text::line(ui, key, metrics.small(), theme.text.muted, 160.0));
        let wanted = space::S * 2.0 + lead + label.size().x + key.as_ref().map_or(0.0, |key| key.size().x + space::XL);
        let width = wanted.max(ui.available_width().min(ui.min_rect().width())).ceil();
        let (rect, response) = ui.allocate_exact_size(vec2(width, space::ROW + 2.0), Sense::click());
        response.widget_info(|| match self.chosen {
            Some(chosen) => WidgetInfo::selected(Role::MenuItemRadio, ui.is_enabled(), chosen, &self.label),
            None => WidgetInfo::labeled(Role::MenuItem, ui.is_enabled(), &self.label),
        });
        if ui.is_rect_visible(rect) {
            let painter = ui.painter();
            if response.hovered() || response.has_focus() {
                painter.rect_filled(rect, radius::CONTROL, theme.surface.hover);
            }
            let middle = rect.center().y;
            let mark = self.icon.or((self.chosen == Some(true)).then_some(icons::CHECK));
            if let Some(icon) = mark {
                let muted = self.icon.is_some() && self.tone == Tone::Neutral;
                let tint = if muted { theme.text.muted } else { color };
                icon.paint(painter, pos2(rect.left() + space::S + Icon::SIZE / 2.0, middle), tint);
            }
            painter.galley(pos2(rect.left() + space::S + lead, middle - label.size().y / 2.0), label, color);
            if let Some(key) = key {
                let at = pos2(rect.right() - space::S - key.size().x, middle - key.size().y / 2.0);
                painter.galley(at, key, theme.text.muted);
            }
            focus_ring(painter, theme, &response, rect, radius::CONTROL);
        }
        response
    }
}

/// A line between groups of entries.
pub fn menu_separator(ui: &mut Ui) {
    let (theme, _) = look(ui);
    let (_, rect) = ui.allocate_space(vec2(ui.available_width().min(ui.min_rect().width()), 9.0));
    ui.painter().hline(rect.x_range(), rect.center().y, Stroke::new(1.0, theme.border.line));
}
