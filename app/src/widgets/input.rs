//! The single-line text input.

use std::borrow::Cow;

use eframe::egui::{
    EventFilter, Frame, Id, Key, Margin, Rect, Response, Sense, Stroke, StrokeKind, TextEdit, Ui, UiBuilder, pos2, vec2,
};

use super::{IconButton, Tone};
use crate::theme::{Icon, icons, look, radius, space};

/// One line to type into. Its name is spoken; its hint is shown while it is empty.
#[must_use = "call `show`"]
pub struct TextInput<'a> {
    text: &'a mut String,
    name: Cow<'a, str>,
    id: Option<Id>,
    hint: Cow<'a, str>,
    icon: Option<Icon>,
    clearable: bool,
    width: f32,
    code: bool,
    password: bool,
    tone: Tone,
}

impl<'a> TextInput<'a> {
    /// An input over `text`, known as `name`.
    pub fn new(text: &'a mut String, name: impl Into<Cow<'a, str>>) -> Self {
        Self {
            text,
            name: name.into(),
            id: None,
            hint: Cow::Borrowed(""),
            icon: None,
            clearable: false,
            width: f32::INFINITY,
            code: false,
            password: false,
            tone: Tone::Neutral,
        }
    }

    /// The id of the edited text, to give it the focus from elsewhere.
    pub fn id(mut self, id: Id) -> Self {
        self.id = Some(id);
        self
    }

    /// What to type, shown while the input is empty.
    pub fn hint(mut self, hint: impl Into<Cow<'a, str>>) -> Self {
        self.hint = hint.into();
        self
    }

    /// An icon before the text.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icon = Some(icon);
        self
    }

    /// A cross empties it; so does Escape while it holds text.
    pub fn clearable(mut self) -> Self {
        self.clearable = true;
        self
    }

    /// As wide as this; else as there is room.
    pub fn width(mut self, width: f32) -> Self {
        self.width = width;
        self
    }

    /// In the code font.
    pub fn code(mut self) -> Self {
        self.code = true;
        self
    }

    /// Shows dots for what is typed.
    pub fn password(mut self) -> Self {
        self.password = true;
        self
    }

    /// Edge for what is typed: danger where it is not valid. Say why beside it.
    pub fn tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    /// Shows it; the response is that of the text, `changed` also after clearing.
    pub fn show(self, ui: &mut Ui) -> Response {
        const HEIGHT: f32 = 28.0;
        let (theme, metrics) = look(ui);
        let width = self.width.min(ui.available_width()).max(64.0);
        let (rect, outer) = ui.allocate_exact_size(vec2(width, HEIGHT), Sense::CLICK);
        // Painted last, when the focus is known, but behind everything.
        let frame = ui.painter().add(eframe::egui::Shape::Noop);
        let mut inner = rect.shrink2(vec2(space::S, 1.0));
        if let Some(icon) = self.icon {
            icon.paint(ui.painter(), pos2(inner.left() + Icon::SIZE / 2.0, rect.center().y), theme.text.muted);
            inner.min.x += Icon::SIZE + 6.0;
        }
        let has_clear = self.clearable && !self.text.is_empty();
        if has_clear {
            inner.max.x -= space::ROW - 4.0;
        }

        let id = self.id.unwrap_or_else(|| ui.next_auto_id().with(&*self.name));
        let font = if self.code { metrics.code_inline() } else { metrics.body() };
        let cleared_by_key = self.clearable
            && has_clear
            && ui.memory(|memory| memory.has_focus(id))
            && ui.input_mut(|input| input.consume_key(eframe::egui::Modifiers::NONE, Key::Escape));
        let mut child = ui.new_child(UiBuilder::new().max_rect(inner));
        child.set_clip_rect(inner.expand2(vec2(2.0, 0.0)).intersect(ui.clip_rect()));
        let edit = TextEdit::singleline(self.text)
            .id(id)
            .font(font)
            .frame(Frame::NONE.inner_margin(Margin::ZERO))
            .hint_text(self.hint.into_owned())
            .password(self.password)
            .text_color(theme.text.normal)
            // Escape leaves an input, unless it has something to clear first.
            .event_filter(EventFilter { escape: has_clear, horizontal_arrows: true, vertical_arrows: true, tab: false })
            .desired_width(inner.width())
            .min_size(vec2(inner.width(), inner.height()))
            .align(eframe::egui::Align2::LEFT_CENTER);
        let mut response = child.put(inner, edit).accessible_name(self.name.as_ref());
        if outer.clicked() {
            response.request_focus();
        }

        if has_clear {
            let at = Rect::from_center_size(
                pos2(rect.right() - space::ROW / 2.0 - 2.0, rect.center().y),
                vec2(space::ROW - 4.0, space::ROW - 4.0),
            );
            let clicked = ui.put(at, IconButton::new(icons::X, "Clear").key("Esc").small()).clicked();
            if clicked || cleared_by_key {
                self.text.clear();
                response.mark_changed();
                response.request_focus();
            }
        }

        let edge = match (response.has_focus(), self.tone) {
            (_, Tone::Danger | Tone::Warning) => Stroke::new(1.0, self.tone.color(theme)),
            (true, _) => Stroke::new(1.5, theme.border.focus),
            (false, _) if outer.hovered() || response.hovered() => Stroke::new(1.0, theme.border.control),
            _ => Stroke::new(1.0, theme.border.line),
        };
        let shape =
            eframe::egui::epaint::RectShape::new(rect, radius::CONTROL, theme.surface.input, edge, StrokeKind::Inside);
        ui.painter().set(frame, shape);
        response
    }
}
