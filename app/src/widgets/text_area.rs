//! The input of several lines: for comments, messages, whatever is a few sentences. It grows with what is typed.

use std::borrow::Cow;

use eframe::egui::{
    Event, EventFilter, Frame, Id, InputState, Key, Margin, Modifiers, Rect, Response, Stroke, StrokeKind, TextEdit,
    Ui, UiBuilder, epaint::RectShape, vec2,
};

use crate::theme::{look, radius, space};

/// Lines it has room for at least.
const LINES: usize = 3;

/// Several lines to type into. Its name is spoken; its hint is shown while it is empty.
#[must_use = "call `show`"]
pub struct TextArea<'a> {
    text: &'a mut String,
    id: Id,
    name: Cow<'a, str>,
    hint: Cow<'a, str>,
    enter: bool,
    lines: usize,
}

/// What was done to it.
pub struct AreaResponse {
    /// That of the text.
    pub response: Response,
    /// Ctrl+Enter was pressed: it is done.
    pub submitted: bool,
    /// Escape was pressed.
    pub left: bool,
}

/// Takes the press of Enter without any other key; egui's own would take it with Shift, too.
fn take_enter(input: &mut InputState) -> bool {
    let is_enter = |event: &Event| matches!(event, Event::Key { key: Key::Enter, pressed: true, modifiers, .. } if modifiers.is_none());
    let at = input.events.iter().position(is_enter);
    at.map(|at| input.events.remove(at)).is_some()
}

impl<'a> TextArea<'a> {
    /// An input over `text`, known as `name`.
    pub fn new(text: &'a mut String, id: Id, name: impl Into<Cow<'a, str>>) -> Self {
        Self { text, id, name: name.into(), hint: Cow::Borrowed(""), enter: false, lines: LINES }
    }

    /// What to type, shown while the input is empty.
    pub fn hint(mut self, hint: impl Into<Cow<'a, str>>) -> Self {
        self.hint = hint.into();
        self
    }

    /// Enter alone says that it is done, as in a conversation; Shift+Enter begins a line.
    pub fn submits_on_enter(mut self) -> Self {
        self.enter = true;
        self
    }

    /// How many lines it has room for at least.
    pub fn lines(mut self, lines: usize) -> Self {
        self.lines = lines;
        self
    }

    /// How high one is that holds `text`.
    pub fn height(ui: &Ui, text: &str, width: f32) -> f32 {
        Self::height_of(ui, text, width, LINES)
    }

    /// How high one is that holds `text` and has room for some lines at least.
    pub fn height_of(ui: &Ui, text: &str, width: f32, lines: usize) -> f32 {
        let (theme, metrics) = look(ui);
        let least = ui.fonts_mut(|fonts| fonts.row_height(&metrics.body())) * lines as f32;
        let room = (width - 2.0 * space::S).max(32.0);
        let galley = ui.fonts_mut(|fonts| {
            // A line that was just begun counts.
            fonts.layout(format!("{text}\u{200b}"), metrics.body(), theme.text.normal, room)
        });
        (galley.size().y.max(least) + 2.0 * space::S).ceil()
    }

    /// Shows it in a rectangle.
    pub fn show(self, ui: &mut Ui, rect: Rect) -> AreaResponse {
        let (theme, metrics) = look(ui);
        let has_focus = ui.memory(|memory| memory.has_focus(self.id));
        let pressed = |ui: &Ui, modifiers, key| has_focus && ui.input_mut(|input| input.consume_key(modifiers, key));
        let submitted =
            pressed(ui, Modifiers::COMMAND, Key::Enter) || (self.enter && has_focus && ui.input_mut(take_enter));
        let left = pressed(ui, Modifiers::NONE, Key::Escape);
        let frame = ui.painter().add(eframe::egui::Shape::Noop);
        let inner = rect.shrink(space::S);
        let mut child = ui.new_child(UiBuilder::new().id_salt(self.id).max_rect(inner));
        child.set_clip_rect(rect.intersect(ui.clip_rect()));
        let edit = TextEdit::multiline(self.text)
            .id(self.id)
            .font(metrics.body())
            .frame(Frame::NONE.inner_margin(Margin::ZERO))
            .hint_text(self.hint.into_owned())
            .text_color(theme.text.normal)
            .event_filter(EventFilter { escape: true, horizontal_arrows: true, vertical_arrows: true, tab: false })
            .desired_width(inner.width())
            .desired_rows(self.lines)
            .min_size(vec2(inner.width(), inner.height()));
        let response = child.put(inner, edit).accessible_name(self.name.as_ref());
        let edge = match response.has_focus() {
            true => Stroke::new(1.5, theme.border.focus),
            false => Stroke::new(1.0, theme.border.line),
        };
        let shape = RectShape::new(rect, radius::CONTROL, theme.surface.input, edge, StrokeKind::Inside);
        ui.painter().set(frame, shape);
        AreaResponse { response, submitted, left }
    }
}
