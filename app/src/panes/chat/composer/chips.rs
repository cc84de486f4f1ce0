//! The chips of what goes along with a message: how much of each the model is shown, in how many tokens, whether it is
//! pinned.
//!
//! A chip is a stop of the Tab key and is reached by Backspace from an empty message: the arrows go from one to the next,
//! Enter pins, Delete takes away, Escape returns to the message. What things weigh is found out by a worker.

use agent::context::Load;
use eframe::egui::{
    EventFilter, Id, Image, Key, Modifiers, Rect, Response, Role, ScrollArea, Sense, Stroke, StrokeKind, TextureHandle,
    TextureOptions, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};
use rustc_hash::FxHashMap;

use super::{attachment_icon, text_id};
use crate::panes::chat::short;
use crate::state::State;
use crate::state::chats::gather::{self, Weight};
use crate::state::chats::picture::Picture;
use crate::state::chats::{Attachment, Basis, Chat, ChatId, Draft};
use crate::tasks::{Poll, Task};
use crate::theme::{Theme, icons, look, radius, space};
use crate::widgets::{focus_ring, text};

/// Height of a chip, and from one row of them to the next.
const CHIP: f32 = 22.0;
const ROW: f32 = CHIP + space::XS;
/// Rows in sight; more are scrolled to.
const ROWS: usize = 3;
/// Width of a name at most.
const NAME: f32 = 170.0;

/// What things were weighed for.
type Of = (Vec<(Attachment, bool)>, Model, Basis);

/// What is known of the model that the message is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Model {
    pub window: Option<u64>,
    /// Its name, if it does not see pictures.
    pub blind: Option<String>,
}

/// The view's part of them.
#[derive(Default)]
pub(super) struct Chips {
    weighing: Option<Task<Result<Vec<Weight>, String>>>,
    asked: Option<Of>,
    /// Of the first ones of the message; those that were just added have none yet.
    weights: Vec<(Attachment, Weight)>,
    /// What is seen of pictures.
    textures: FxHashMap<u64, TextureHandle>,
}

/// What was done with a chip.
enum Done {
    Removed(usize),
    Pinned(usize),
    To(usize),
    Left,
}

/// The id of a chip, by which the keyboard is known to be there.
pub(super) fn chip_id(n: usize) -> Id {
    Id::unique(("attachment", n))
}

impl Chips {
    /// How high they are in this width, with the space below them.
    pub(super) fn height(&self, ui: &Ui, draft: &Draft, width: f32) -> f32 {
        if draft.attached.is_empty() {
            return 0.0;
        }
        let rows = self.places(ui, draft, width).last().map_or(1, |place| (place.top() / ROW).round() as usize + 1);
        rows.min(ROWS) as f32 * ROW + 2.0
    }

    /// Where each is, from the top left corner.
    fn places(&self, ui: &Ui, draft: &Draft, width: f32) -> Vec<Rect> {
        let (mut x, mut y) = (0.0, 0.0);
        let place = |attached: &Attachment| {
            let wide = self.width(ui, draft, attached).min(width);
            if x > 0.0 && x + wide > width {
                (x, y) = (0.0, y + ROW);
            }
            let at = Rect::from_min_size(pos2(x, y), vec2(wide, CHIP));
            x += wide + space::XS;
            at
        };
        draft.attached.iter().map(place).collect()
    }

    fn width(&self, ui: &Ui, draft: &Draft, attached: &Attachment) -> f32 {
        let (theme, metrics) = look(ui);
        let wide = |said: &str, most| text::line(ui, said, metrics.small(), theme.text.normal, most).size().x;
        let tokens = self.weight(attached).map_or(String::new(), tokens);
        let pin = if draft.is_pinned(attached) { 14.0 } else { 0.0 };
        let behind = if tokens.is_empty() { 0.0 } else { wide(&tokens, NAME) + 6.0 };
        (22.0 + face_width(attached) + wide(&attached.label(), NAME) + behind + pin + 24.0).ceil()
    }

    fn weight(&self, attached: &Attachment) -> Option<&Weight> {
        self.weights.iter().find(|(of, _)| of == attached).map(|(_, weight)| weight)
    }

    /// Has what goes along weighed anew when it, the model or a text that is not saved is another.
    pub(super) fn weigh(&mut self, chat: &Chat, model: Model, state: &State) {
        if let Some(task) = &self.weighing {
            match task.poll() {
                Poll::Pending => return,
                Poll::Ready(Ok(weights)) => {
                    let of =
                        self.asked.iter().flat_map(|(attached, ..)| attached).map(|(attached, _)| attached.clone());
                    self.weights = of.zip(weights).collect();
                }
                // Sending says what is wrong with it, too.
                Poll::Ready(Err(_)) | Poll::Lost => self.weights.clear(),
            }
            self.weighing = None;
        }
        let of = (chat.draft.with_pins(), model, state.chats.basis.clone());
        if of.0.is_empty() || self.asked.as_ref() == Some(&of) {
            return;
        }
        let Some(room) = state.chats.room().cloned() else { return };
        let (attached, model, _) = of.clone();
        self.asked = Some(of);
        let weigh = move |_: &editor::Cancel| {
            let weights = gather::weigh(&attached, &room, model.window, model.blind.as_deref());
            weights.map_err(|error| error.to_string())
        };
        self.weighing = Some(state.tasks.spawn("weigh attachments", weigh));
    }

    /// Draws them into a rectangle.
    pub(super) fn draw(&mut self, ui: &mut Ui, rect: Rect, id: ChatId, state: &mut State) {
        let Some(chat) = state.chats.get_mut(id) else { return };
        self.look_at(ui, &chat.draft);
        let places = self.places(ui, &chat.draft, rect.width());
        let mut done = None;
        let mut ui = ui.new_child(UiBuilder::new().id_salt("chips").max_rect(rect));
        ScrollArea::vertical().id_salt("chips").auto_shrink([false, false]).show(&mut ui, |ui| {
            let bottom = places.last().map_or(0.0, Rect::bottom);
            let (whole, _) = ui.allocate_exact_size(vec2(ui.available_width(), bottom), Sense::hover());
            for (n, (attached, place)) in chat.draft.attached.iter().zip(&places).enumerate() {
                let at = place.translate(whole.min.to_vec2());
                if let Some(one) = self.chip(ui, at, n, attached, &chat.draft) {
                    done = Some(one);
                }
            }
        });
        let Some(done) = done else { return };
        let focus = match done {
            Done::Pinned(n) => {
                chat.draft.toggle_pin(n);
                chip_id(n)
            }
            Done::Removed(n) => {
                chat.draft.remove(n);
                let left = chat.draft.attached.len();
                if left == 0 { text_id() } else { chip_id(n.min(left - 1)) }
            }
            Done::To(n) if n < chat.draft.attached.len() => chip_id(n),
            Done::To(_) | Done::Left => text_id(),
        };
        ui.memory_mut(|memory| memory.request_focus(focus));
    }

    /// Makes textures of the pictures, and forgets those of others.
    fn look_at(&mut self, ui: &Ui, draft: &Draft) {
        let pictures = || draft.attached.iter().filter_map(picture_of);
        self.textures.retain(|hash, _| pictures().any(|picture| picture.hash == *hash));
        for picture in pictures() {
            self.textures.entry(picture.hash).or_insert_with(|| {
                let name = format!("attached {}", picture.hash);
                ui.ctx().load_texture(name, picture.shown.clone(), TextureOptions::LINEAR)
            });
        }
    }

    /// The icon of what it is, or the picture itself.
    fn face(&self, ui: &Ui, attached: &Attachment, rect: Rect, theme: &Theme) {
        let texture = picture_of(attached).and_then(|picture| self.textures.get(&picture.hash));
        let Some(texture) = texture else {
            let at = pos2(rect.left() + 22.0, rect.center().y);
            attachment_icon(attached).paint_sized(ui.painter(), at, 13.0, theme.text.muted);
            return;
        };
        let at =
            Rect::from_min_size(pos2(rect.left() + 16.0, rect.top() + 2.0), vec2(face_width(attached), CHIP - 4.0));
        Image::from_texture(texture).paint_at(ui, at);
    }

    fn chip(&self, ui: &mut Ui, rect: Rect, n: usize, attached: &Attachment, draft: &Draft) -> Option<Done> {
        let (theme, metrics) = look(ui);
        let (label, weight, pinned) = (attached.label(), self.weight(attached), draft.is_pinned(attached));
        let response = ui.interact(rect, chip_id(n), Sense::click());
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, pinned, spoken(&label, weight, pinned)));
        let close = Rect::from_min_max(pos2(rect.right() - 22.0, rect.top()), rect.max);
        let remove = ui.interact(close, chip_id(n).with("remove"), Sense::CLICK);
        remove.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Remove {label}")));

        let painter = ui.painter();
        let edge = if pinned { theme.border.control } else { theme.border.line };
        painter.rect(rect, radius::CONTROL, theme.surface.raised, Stroke::new(1.0, edge), StrokeKind::Inside);
        let middle = rect.center().y;
        state_dot(ui, pos2(rect.left() + 9.0, middle), weight, theme);
        self.face(ui, attached, rect, theme);
        let mut x = rect.left() + 20.0 + face_width(attached);
        let mut put = |said: &str, most, color| {
            let line = match said.contains('/') {
                true => text::path_line(ui, said, metrics.small(), color, most),
                false => text::line(ui, said, metrics.small(), color, most),
            };
            let wide = line.size().x;
            painter.galley(pos2(x, middle - line.size().y / 2.0), line, color);
            x += wide + 6.0;
        };
        let room = rect.width() - 46.0 - face_width(attached) - if pinned { 14.0 } else { 0.0 };
        let tokens = weight.map_or(String::new(), tokens);
        let behind = text::line(ui, &tokens, metrics.small(), theme.text.muted, room).size().x;
        put(&label, (room - behind - 6.0).min(NAME), theme.text.normal);
        if !tokens.is_empty() {
            put(&tokens, room, theme.text.muted);
        }
        if pinned {
            icons::PIN.paint_sized(painter, pos2(rect.right() - 28.0, middle), 12.0, theme.signal.accent);
        }
        if remove.hovered() {
            painter.rect_filled(close.shrink(2.0), radius::CONTROL, theme.surface.hover);
        }
        let cross = if remove.hovered() { theme.text.normal } else { theme.text.muted };
        icons::X.paint_sized(painter, close.center(), 12.0, cross);
        focus_ring(painter, theme, &response, rect, radius::CONTROL);

        let pressed = keys(ui, &response, n);
        if response.has_focus() {
            ui.scroll_to_rect(rect, None);
        }
        if remove.clicked() {
            return Some(Done::Removed(n));
        }
        if response.clicked() {
            return Some(Done::Pinned(n));
        }
        let texture = picture_of(attached).and_then(|picture| self.textures.get(&picture.hash));
        response.on_hover_ui(|ui| {
            ui.set_max_width(320.0);
            if let Some(texture) = texture {
                ui.image(texture);
            }
            ui.label(tip(&label, weight, pinned));
        });
        pressed
    }
}

fn picture_of(attached: &Attachment) -> Option<&Picture> {
    if let Attachment::Picture(picture) = attached { Some(picture) } else { None }
}

/// How wide the icon is, or the picture in its place.
fn face_width(attached: &Attachment) -> f32 {
    let Some(picture) = picture_of(attached) else { return 12.0 };
    let [width, height] = picture.size.map(|side| side.max(1) as f32);
    ((CHIP - 4.0) * width / height).clamp(12.0, 36.0)
}

/// The keys of a chip that has the keyboard.
fn keys(ui: &Ui, response: &Response, n: usize) -> Option<Done> {
    if !response.has_focus() {
        return None;
    }
    let filter = EventFilter { escape: true, horizontal_arrows: true, vertical_arrows: true, tab: false };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    if pressed(Key::Delete) || pressed(Key::Backspace) {
        return Some(Done::Removed(n));
    }
    if pressed(Key::ArrowLeft) {
        return Some(Done::To(n.saturating_sub(1)));
    }
    if pressed(Key::ArrowRight) {
        return Some(Done::To(n + 1));
    }
    (pressed(Key::Escape) || pressed(Key::ArrowDown)).then_some(Done::Left)
}

/// `1.2k`; nothing where it is not known or cannot go along.
fn tokens(weight: &Weight) -> String {
    if weight.fault.is_some() { String::new() } else { short(weight.tokens) }
}

/// How much is shown: a full, a half or an empty circle. What cannot go along has another sign.
fn state_dot(ui: &Ui, at: eframe::egui::Pos2, weight: Option<&Weight>, theme: &Theme) {
    let painter = ui.painter();
    match weight {
        None => drop(painter.circle_filled(at, 2.0, theme.text.faint)),
        Some(Weight { fault: Some(_), .. }) => {
            icons::PROBLEMS.paint_sized(painter, at, 13.0, theme.signal.warning);
        }
        Some(Weight { load: Load::Full, .. }) => drop(painter.circle_filled(at, 3.5, theme.signal.success)),
        Some(Weight { load: Load::Summary, .. }) => {
            icons::CIRCLE_HALF.paint_sized(painter, at, 11.0, theme.signal.accent);
        }
        Some(Weight { load: Load::Unloaded, .. }) => {
            painter.circle_stroke(at, 3.5, Stroke::new(1.0, theme.text.muted));
        }
    }
}

/// `a.txt, whole, 120 tokens, pinned`
fn spoken(label: &str, weight: Option<&Weight>, pinned: bool) -> String {
    let state = match weight {
        None => String::new(),
        Some(Weight { fault: Some(_), .. }) => ", cannot go along".to_owned(),
        Some(Weight { load, tokens, .. }) => {
            let load = if *load == Load::Full { "whole" } else { load.name() };
            format!(", {load}, {} tokens", short(*tokens))
        }
    };
    format!("{label}{state}{}", if pinned { ", pinned" } else { "" })
}

fn tip(label: &str, weight: Option<&Weight>, pinned: bool) -> String {
    let shown = match weight {
        None => "is being read".to_owned(),
        Some(Weight { fault: Some(fault), .. }) => return format!("{label} cannot go along: {fault}"),
        Some(Weight { load, tokens, .. }) => {
            let how = match load {
                Load::Full => "is shown whole",
                Load::Summary => "is too long: its outline or its beginning is shown",
                Load::Unloaded => "is only named, for there is no room for it",
            };
            format!("{how}, about {} tokens", text::grouped(*tokens))
        }
    };
    let pin = if pinned { "It is pinned: it stays as it is when room is needed." } else { "Press to pin it." };
    format!("{label} {shown}.\n{pin}")
}
