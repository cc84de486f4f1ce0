//! The card of what the agent waits for an answer to: permission for an action, or a question.
//!
//! It holds the keyboard, unless a message is being written: Enter allows once, `s` for the session, `a` for good in this
//! project, Escape says no, and what is typed as a comment goes along with the no. No answer for five minutes counts as a
//! no.

use agent::event::Answer;
use agent::host::{Ask, Scope};
use eframe::egui::{EventFilter, Id, Key, Label, Response, RichText, Role, ScrollArea, Sense, Ui, WidgetInfo, vec2};

use super::patch::Lines;
use crate::state::chats::Chat;
use crate::state::chats::host::{Asked, PATIENCE};
use crate::theme::{look, space};
use crate::widgets::{Button, TextInput, Tone, marked_card, text};

/// Lines of what would become of a file that are shown; more than anybody reads in a card.
const PATCH_LINES: usize = 2000;

/// Seconds after which a card was seen by whoever presses a key.
const SEEN: f64 = 0.8;

/// The view's part of it.
#[derive(Default)]
pub struct Approval {
    /// What the model is told with a no, or the answer to a question.
    words: String,
    /// What is asked, by when it was.
    asked: Option<std::time::Instant>,
    /// It had the keyboard already.
    held: bool,
    /// When it was first drawn, in egui's time.
    since: Option<f64>,
}

enum Given {
    Permission(Answer),
    Reply(Option<String>),
}

impl Approval {
    /// Draws the card, if something is asked.
    pub fn draw(&mut self, ui: &mut Ui, chat: &mut Chat) {
        let Some(asked) = chat.asked.clone() else {
            *self = Self::default();
            return;
        };
        let since = match &asked {
            Asked::Permission { since, .. } | Asked::Question { since, .. } => *since,
        };
        if self.asked != Some(since) {
            *self = Self { asked: Some(since), ..Self::default() };
        }
        // Letters of a message that is being written are no answer: it gets the keyboard once that is sent or left.
        let is_begun = !chat.draft.text.is_empty() || !chat.draft.attached.is_empty();
        let is_typing = is_begun && ui.memory(|memory| memory.has_focus(super::composer::text_id()));
        let is_new = !self.held && !is_typing;
        self.held |= is_new;
        let left = PATIENCE.saturating_sub(since.elapsed()).as_secs();
        ui.ctx().request_repaint_after(std::time::Duration::from_secs(1));
        let given = marked_card(ui, Tone::Warning, |ui| match &asked {
            Asked::Permission { ask, .. } => self.permission(ui, ask, left, is_new),
            Asked::Question { question, choices, .. } => self.question(ui, question, choices, left, is_new),
        });
        match given {
            Some(Given::Permission(answer)) => chat.answer(answer),
            Some(Given::Reply(reply)) => chat.reply(reply),
            None => {}
        }
    }

    fn permission(&mut self, ui: &mut Ui, ask: &Ask, left: u64, is_new: bool) -> Option<Given> {
        let (theme, metrics) = look(ui);
        head(ui, &crate::state::chats::shown(&ask.title), &ask.reason, left);
        if !ask.patch.is_empty() {
            ui.add_space(space::XS);
            let mut lines = Lines::default();
            lines.job.wrap.max_width = ui.available_width();
            lines.job.wrap.break_anywhere = true;
            let patch = crate::state::chats::shown(&ask.patch);
            lines.change(None, &patch, (PATCH_LINES, "in the file"), theme, &metrics.code_inline());
            ScrollArea::vertical().id_salt("asked patch").max_height(200.0).show(ui, |ui| {
                let body = lines.body(ui);
                let width = ui.available_width();
                let (rect, response) = ui.allocate_exact_size(vec2(width, body.height()), Sense::hover());
                response.widget_info(|| WidgetInfo::labeled(Role::Label, true, ask.patch.as_str()));
                body.draw(ui.painter(), rect.min, width, theme);
            });
        }
        ui.add_space(space::XS);
        let covers = covered(&ask.scope);
        let line = format!("Session and always cover {covers}.");
        ui.add(Label::new(RichText::new(line).font(metrics.small()).color(theme.text.muted)).wrap());
        ui.add_space(space::XS);
        let id = Id::unique("deny with a comment");
        let words =
            TextInput::new(&mut self.words, "Comment").id(id).hint("Say what to do instead, then Deny").show(ui);
        let mut given = None;
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(space::XS, space::XS);
            let allow = ui.add(Button::new("Allow once").primary().tip("Only this").key("Enter"));
            if is_new {
                allow.request_focus();
            }
            let tip = format!("Allows {covers} until the conversation is over");
            let session = ui.add(Button::new("For session").tip(tip).key("s"));
            let tip = format!("Allows {covers} in this project for good; it is kept in permissions.toml");
            let always = ui.add(Button::new("Always").tip(tip).key("a"));
            let deny = ui.add(Button::new("Deny").tip("With the comment, if there is one").key("Escape"));
            // Letters are keys while they are not typed.
            let holds = hold_escape(ui, &[&allow, &session, &always, &deny]);
            // What lasts is not allowed by a letter that was on its way to a message when the card came.
            let now = ui.input(|input| input.time);
            let is_seen = now - *self.since.get_or_insert(now) >= SEEN;
            let key = |ui: &Ui, key| {
                holds && is_seen && ui.input(|input| input.key_pressed(key) && input.modifiers.is_none())
            };
            if allow.clicked() {
                given = Some(Answer::Allow);
            }
            if session.clicked() || key(ui, Key::S) {
                given = Some(Answer::AllowForSession);
            }
            if always.clicked() || key(ui, Key::A) {
                given = Some(Answer::AllowAlways);
            }
            let escape = !words.has_focus() && ui.input(|input| input.key_pressed(Key::Escape));
            if deny.clicked() || escape || submitted(ui, &words) {
                given = Some(Answer::Deny { comment: self.words.trim().to_owned() });
            }
        });
        given.map(Given::Permission)
    }

    fn question(&mut self, ui: &mut Ui, question: &str, choices: &[String], left: u64, is_new: bool) -> Option<Given> {
        head(ui, question, "", left);
        let mut given = None;
        ui.horizontal_wrapped(|ui| {
            for (n, choice) in choices.iter().enumerate() {
                let button =
                    ui.add(if n == 0 { Button::new(choice.as_str()).primary() } else { Button::new(choice.as_str()) });
                if n == 0 && is_new {
                    button.request_focus();
                }
                hold_escape(ui, &[&button]);
                if button.clicked() {
                    given = Some(Given::Reply(Some(choice.clone())));
                }
            }
        });
        let id = Id::unique("answer to the agent");
        let words = TextInput::new(&mut self.words, "Answer").id(id).hint("Or say it in your own words").show(ui);
        if choices.is_empty() && is_new {
            words.request_focus();
        }
        if submitted(ui, &words) && !self.words.trim().is_empty() {
            given = Some(Given::Reply(Some(self.words.trim().to_owned())));
        }
        if !words.has_focus() && ui.input(|input| input.key_pressed(Key::Escape)) {
            given = Some(Given::Reply(None));
        }
        given
    }
}

/// Whether one of the buttons has the keyboard. It keeps it over Escape, which is an answer here and not for what is behind.
fn hold_escape(ui: &Ui, buttons: &[&Response]) -> bool {
    let Some(button) = buttons.iter().find(|button| button.has_focus()) else { return false };
    let filter = EventFilter { escape: true, ..EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(button.id, filter));
    true
}

fn submitted(ui: &Ui, input: &eframe::egui::Response) -> bool {
    input.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter))
}

/// What a permission covers, in words: `deleting files in src/ and below`.
pub fn covered(scope: &Scope) -> String {
    let what = match scope.kind.as_str() {
        "edit" => "editing files".to_owned(),
        "rename" => "moving files".to_owned(),
        "delete" => "deleting files".to_owned(),
        tool => return format!("using {tool}"),
    };
    match scope.folder.is_root() {
        true => format!("{what} anywhere in the project"),
        false => format!("{what} in {}/ and below", scope.folder),
    }
}

fn head(ui: &mut Ui, title: &str, reason: &str, left: u64) {
    let (theme, metrics) = look(ui);
    ui.add(Label::new(RichText::new(text::sentence(title)).font(metrics.medium()).color(theme.text.normal)).wrap());
    let waits = match left {
        0..60 => format!("{left} s left to answer"),
        _ => format!("{} min left to answer", left.div_ceil(60)),
    };
    let reason = if reason.is_empty() { waits } else { format!("Asked because {reason} · {waits}") };
    ui.add(Label::new(RichText::new(reason).font(metrics.small()).color(theme.text.muted)).wrap());
}
