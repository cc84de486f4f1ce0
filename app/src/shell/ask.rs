//! The questions there are: what becomes of unsaved text when its last tab is closed, and whether something is to be done
//! that cannot be taken back. And what Recto is.
//!
//! The answer runs as an action. Escape and a press beside the card keep everything as it is.

use eframe::egui::{Area, Context, Id, Key, Label, Modifiers, Order, RichText, Role, Sense, Ui, WidgetInfo, vec2};
use egui_tiles::TileId;

use crate::commands::{Action, Sink};
use crate::state::State;
use crate::theme::{look, space};
use crate::widgets::{Button, menu_frame};

/// A tab that is to be closed although its text is not saved.
#[derive(Clone, Debug)]
pub struct Ask {
    pub tile: TileId,
    /// What the text is called.
    pub title: String,
    /// The buttons were shown once: the first one has the keyboard.
    focused: bool,
}

/// What is to become of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Save,
    Discard,
    Keep,
}

impl Ask {
    /// Asks about the text `title` in a tab.
    pub fn new(tile: TileId, title: String) -> Self {
        Self { tile, title, focused: false }
    }
}

/// Draws the question, if there is one.
pub fn draw(ui: &mut Ui, state: &mut State, sink: &mut Sink) {
    let Some(ask) = &mut state.shell.ask else { return };
    let mut answer = None;
    let focus = !std::mem::replace(&mut ask.focused, true);
    let (title, tile) = (ask.title.clone(), ask.tile);
    let detail = match state.tool {
        true => "Closed without saving, what was changed here is lost.",
        false => "Closed without saving, they can be brought back with Reopen Closed Tab while the window is open.",
    };
    let closed = card(ui, "Save changes?", 400.0, |ui| {
        let (theme, metrics) = look(ui);
        let question = format!("Save the changes to {title}?");
        ui.add(Label::new(RichText::new(question).font(metrics.title()).color(theme.text.normal)).wrap());
        ui.add_space(space::XS);
        ui.add(Label::new(RichText::new(detail).color(theme.text.muted)).wrap());
        ui.add_space(space::M);
        ui.horizontal(|ui| {
            let save = ui.add(Button::new("Save").primary());
            if focus {
                save.request_focus();
            }
            let choices = [
                (save, Answer::Save),
                (ui.add(Button::new("Close without saving")), Answer::Discard),
                (ui.add(Button::new("Cancel").quiet().key("Escape")), Answer::Keep),
            ];
            answer = choices.iter().find(|(response, _)| response.clicked()).map(|(_, answer)| *answer);
        });
    });
    if let Some(answer) = answer.or(closed.then_some(Answer::Keep)) {
        state.shell.ask = None;
        sink.push(Action::CloseAnswered { tile, answer });
    }
}

/// Whether something is to be done that cannot be taken back.
#[derive(Clone)]
pub struct Question {
    title: String,
    why: String,
    /// What the button says that does it.
    yes: &'static str,
    action: Box<Action>,
    focused: bool,
}

impl Question {
    /// Asks `title`, with the reason for asking; `action` runs if the answer is `yes`.
    pub fn new(title: String, why: String, yes: &'static str, action: Action) -> Self {
        Self { title, why, yes, action: Box::new(action), focused: false }
    }
}

/// Draws the question, if there is one.
pub fn draw_question(ui: &mut Ui, state: &mut State, sink: &mut Sink) {
    let Some(question) = &mut state.shell.question else { return };
    let focus = !std::mem::replace(&mut question.focused, true);
    let question = question.clone();
    let mut answer = None;
    let closed = card(ui, &question.title, 400.0, |ui| {
        let (theme, metrics) = look(ui);
        let title = RichText::new(&question.title).font(metrics.title()).color(theme.text.normal);
        ui.add(Label::new(title).wrap());
        ui.add_space(space::XS);
        ui.add(Label::new(RichText::new(&question.why).color(theme.text.muted)).wrap());
        ui.add_space(space::M);
        ui.horizontal(|ui| {
            let yes = ui.add(Button::new(question.yes).danger());
            let no = ui.add(Button::new("Cancel").key("Escape"));
            // Return does not do by chance what cannot be taken back.
            if focus {
                no.request_focus();
            }
            answer = [(yes, true), (no, false)].iter().find(|(it, _)| it.clicked()).map(|(_, answer)| *answer);
        });
    });
    if let Some(yes) = answer.or(closed.then_some(false)) {
        state.shell.question = None;
        if yes {
            sink.push(*question.action);
        }
    }
}

/// Shows version, licence and graphics adapter.
pub fn draw_about(ui: &mut Ui, state: &mut State) {
    if !state.shell.about_open {
        return;
    }
    let adapter = state.shell.adapter.clone();
    let closed = card(ui, "About Recto", 320.0, |ui| {
        let (theme, metrics) = look(ui);
        ui.label(RichText::new("recto").font(metrics.heading()).color(theme.text.normal));
        ui.label(RichText::new(format!("Version {}", env!("CARGO_PKG_VERSION"))).color(theme.text.normal));
        ui.add_space(space::S);
        ui.label(RichText::new(format!("Licence {}", env!("CARGO_PKG_LICENSE"))).color(theme.text.muted));
        let system = format!("{} on {}", std::env::consts::ARCH, std::env::consts::OS);
        ui.label(
            RichText::new(adapter.map_or(system.clone(), |adapter| format!("{adapter}, {system}")))
                .color(theme.text.muted),
        );
        ui.add_space(space::M);
        ui.add(Button::new("Close").key("Escape")).clicked()
    });
    if closed {
        state.shell.about_open = false;
    }
}

/// A card over the window, which is darkened; whether it is to be put away.
pub(crate) fn card<R: Into<Pressed>>(ui: &mut Ui, name: &str, width: f32, contents: impl FnOnce(&mut Ui) -> R) -> bool {
    let ctx = ui.ctx().clone();
    let behind = scrim(&ctx, name, ui);
    let at = ui.max_rect().center() - vec2(0.0, ui.max_rect().height() * 0.12);
    let shown = Area::new(Id::unique(name))
        .order(Order::Foreground)
        .pivot(eframe::egui::Align2::CENTER_CENTER)
        .fixed_pos(at)
        .show(&ctx, |ui| {
            let frame = menu_frame(ui).inner_margin(eframe::egui::Margin::same(16)).show(ui, |ui| {
                ui.set_width(width);
                contents(ui)
            });
            frame.response.widget_info(|| WidgetInfo::labeled(Role::Window, true, name));
            frame.inner
        });
    ctx.move_to_top(shown.response.layer_id);
    let escape = ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape));
    behind || escape || shown.inner.into().0
}

/// Whether a button inside put the card away.
pub(crate) struct Pressed(bool);

impl From<()> for Pressed {
    fn from((): ()) -> Self {
        Self(false)
    }
}

impl From<bool> for Pressed {
    fn from(pressed: bool) -> Self {
        Self(pressed)
    }
}

/// Darkens the window and takes its clicks; whether there was one.
fn scrim(ctx: &Context, name: &str, ui: &Ui) -> bool {
    let (theme, _) = look(ui);
    let window = ui.max_rect();
    let area = Area::new(Id::unique(name).with("scrim")).order(Order::Foreground).fixed_pos(window.min);
    let shown = area.show(ctx, |ui| {
        let (rect, response) = ui.allocate_exact_size(window.size(), Sense::click_and_drag());
        ui.painter().rect_filled(rect, 0.0, theme.surface.scrim);
        response.clicked()
    });
    shown.inner
}
