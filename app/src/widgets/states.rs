//! What a view shows when it has nothing, when it failed, and when there is a line to be said.

use std::borrow::Cow;

use eframe::egui::{Align, Label, Layout, RichText, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use super::{Button, IconButton, Tone, text, tip};
use crate::theme::{Icon, icons, look, radius, space};

/// A view with nothing in it: what it is for, and one thing to do.
#[must_use = "call `show`"]
pub struct EmptyState<'a> {
    icon: Icon,
    sentence: Cow<'a, str>,
    detail: Cow<'a, str>,
    action: Option<Button<'a>>,
}

impl<'a> EmptyState<'a> {
    /// `sentence` says what belongs here or that all is done.
    pub fn new(icon: Icon, sentence: impl Into<Cow<'a, str>>) -> Self {
        Self { icon, sentence: sentence.into(), detail: Cow::Borrowed(""), action: None }
    }

    /// A second, muted line.
    pub fn detail(mut self, detail: impl Into<Cow<'a, str>>) -> Self {
        self.detail = detail.into();
        self
    }

    /// The one action.
    pub fn action(mut self, action: Button<'a>) -> Self {
        self.action = Some(action);
        self
    }

    /// Shows it in the middle of the available space; whether the action was pressed.
    pub fn show(self, ui: &mut Ui) -> bool {
        let (theme, _) = look(ui);
        centred(ui, if self.action.is_some() { 132.0 } else { 92.0 }, |ui| {
            let (rect, _) = ui.allocate_exact_size(vec2(32.0, 32.0), Sense::hover());
            self.icon.paint_sized(ui.painter(), rect.center(), 28.0, theme.text.faint);
            ui.add_space(space::XS);
            ui.add(Label::new(RichText::new(self.sentence).color(theme.text.normal)).wrap());
            if !self.detail.is_empty() {
                ui.add(Label::new(RichText::new(self.detail).small().color(theme.text.muted)).wrap());
            }
            self.action.is_some_and(|action| {
                ui.add_space(space::S);
                ui.add(action).clicked()
            })
        })
    }
}

/// A view that failed: what, why, what to do.
#[must_use = "call `show`"]
pub struct ErrorState<'a> {
    what: Cow<'a, str>,
    why: Cow<'a, str>,
    action: Option<Button<'a>>,
}

impl<'a> ErrorState<'a> {
    /// `what` failed (`lib.rs could not be read`) and `why`.
    pub fn new(what: impl Into<Cow<'a, str>>, why: impl Into<Cow<'a, str>>) -> Self {
        Self { what: what.into(), why: why.into(), action: None }
    }

    /// What to do about it.
    pub fn action(mut self, action: Button<'a>) -> Self {
        self.action = Some(action);
        self
    }

    /// Shows it in the middle of the available space; whether the action was pressed.
    pub fn show(self, ui: &mut Ui) -> bool {
        let (theme, metrics) = look(ui);
        centred(ui, if self.action.is_some() { 140.0 } else { 100.0 }, |ui| {
            let (rect, _) = ui.allocate_exact_size(vec2(32.0, 32.0), Sense::hover());
            icons::DANGER.paint_sized(ui.painter(), rect.center(), 28.0, theme.signal.danger);
            ui.add_space(space::XS);
            ui.add(Label::new(RichText::new(self.what).font(metrics.medium()).color(theme.text.normal)).wrap());
            ui.add(Label::new(RichText::new(self.why).color(theme.text.muted)).wrap());
            self.action.is_some_and(|action| {
                ui.add_space(space::S);
                ui.add(action).clicked()
            })
        })
    }
}

fn centred<R>(ui: &mut Ui, height: f32, add_contents: impl FnOnce(&mut Ui) -> R) -> R {
    let space = ui.available_rect_before_wrap();
    let width = (space.width() - 2.0 * space::L).clamp(80.0, 360.0);
    // A little above the middle: that is where the eye expects the middle.
    let center = space.center() - vec2(0.0, space.height() * 0.06);
    let rect = eframe::egui::Rect::from_center_size(center, vec2(width, height)).intersect(space);
    let layout = Layout::top_down(Align::Center);
    let inner = ui.scope_builder(UiBuilder::new().max_rect(rect).layout(layout), add_contents);
    inner.inner
}

/// A line a view has to say about itself: `Changed on disk. [Reload]`. Never a dialog for what it can say.
#[must_use = "call `show`"]
pub struct Notice<'a> {
    tone: Tone,
    text: Cow<'a, str>,
    actions: Vec<Cow<'a, str>>,
    closable: bool,
}

/// What was pressed in a [`Notice`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeResponse {
    /// Nothing.
    None,
    /// The action of this index.
    Action(usize),
    /// It was put away.
    Closed,
}

impl<'a> Notice<'a> {
    /// A line of `tone`.
    pub fn new(tone: Tone, text: impl Into<Cow<'a, str>>) -> Self {
        Self { tone, text: text.into(), actions: Vec::new(), closable: false }
    }

    /// Something to do about it; several in their order.
    pub fn action(mut self, label: impl Into<Cow<'a, str>>) -> Self {
        self.actions.push(label.into());
        self
    }

    /// Can be put away.
    pub fn closable(mut self) -> Self {
        self.closable = true;
        self
    }

    /// Shows it across the available width, 32 high.
    pub fn show(self, ui: &mut Ui) -> NoticeResponse {
        const HEIGHT: f32 = 32.0;
        let (theme, metrics) = look(ui);
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Status, true, &self.text));
        ui.painter().rect_filled(rect, radius::CONTROL, self.tone.ground(theme));

        let mut answer = NoticeResponse::None;
        let at_right = UiBuilder::new().max_rect(rect.shrink(4.0)).layout(Layout::right_to_left(Align::Center));
        let right = ui.scope_builder(at_right, |ui| {
            if self.closable && ui.add(IconButton::new(icons::X, "Dismiss")).clicked() {
                answer = NoticeResponse::Closed;
            }
            for (index, label) in self.actions.iter().enumerate().rev() {
                if ui.add(Button::new(label.as_ref())).clicked() {
                    answer = NoticeResponse::Action(index);
                }
            }
            ui.min_rect().left()
        });

        let middle = rect.center().y;
        let icon = pos2(rect.left() + space::S + Icon::SIZE / 2.0, middle);
        self.tone.icon().paint(ui.painter(), icon, self.tone.color(theme));
        let left = rect.left() + space::S + Icon::SIZE + space::S;
        let line = text::line(ui, &self.text, metrics.body(), theme.text.normal, right.inner - left - space::S);
        let cut = line.elided;
        ui.painter().galley(pos2(left, middle - line.size().y / 2.0), line, theme.text.normal);
        if cut {
            tip(response, &self.text, None);
        }
        answer
    }
}
