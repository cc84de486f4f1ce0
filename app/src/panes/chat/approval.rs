//! The card of what the agent waits for an answer to: permission for an action, or a question.
//!
//! It holds the keyboard: Enter allows once, Escape says no. No answer for five minutes counts as a no.

use agent::event::Answer;
use agent::host::Ask;
use eframe::egui::text::LayoutJob;
use eframe::egui::{Id, Label, RichText, Role, ScrollArea, Sense, Ui, WidgetInfo, vec2};

use super::item::{paint_signs, push_patch};
use crate::state::chats::Chat;
use crate::state::chats::host::{Asked, PATIENCE};
use crate::theme::{look, space};
use crate::widgets::{Button, TextInput, Tone, marked_card};

/// The view's part of it.
#[derive(Default)]
pub struct Approval {
    /// What the model is told with a no, or the answer to a question.
    words: String,
    /// What was asked had the keyboard already.
    held: Option<std::time::Instant>,
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
        let is_new = self.held != Some(since);
        if is_new {
            self.words.clear();
            self.held = Some(since);
        }
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
            let mut job = LayoutJob::default();
            job.wrap.max_width = ui.available_width();
            job.wrap.break_anywhere = true;
            let mut signs = Vec::new();
            push_patch(&mut job, &mut signs, &ask.patch, theme, &metrics.code_inline());
            ScrollArea::vertical().id_salt("asked patch").max_height(200.0).show(ui, |ui| {
                let galley = ui.fonts_mut(|fonts| fonts.layout_job(job));
                let width = ui.available_width();
                let (rect, response) = ui.allocate_exact_size(vec2(width, galley.size().y), Sense::hover());
                response.widget_info(|| WidgetInfo::labeled(Role::Label, true, ask.patch.as_str()));
                paint_signs(ui.painter(), &galley, &signs, rect.min, width, theme);
                ui.painter().galley(rect.min, galley, theme.text.normal);
            });
        }
        ui.add_space(space::XS);
        let id = Id::unique("deny with a comment");
        let words =
            TextInput::new(&mut self.words, "Comment").id(id).hint("Say what to do instead, then Deny").show(ui);
        let mut given = None;
        ui.horizontal_wrapped(|ui| {
            let allow = ui.add(Button::new("Allow once").primary());
            if is_new {
                allow.request_focus();
            }
            if allow.clicked() {
                given = Some(Answer::Allow);
            }
            let folder = match ask.scope.folder.as_str() {
                "" | "." => "this session".to_owned(),
                folder => format!("this session in {folder}/"),
            };
            if ui.add(Button::new("Allow for session").tip(format!("Allows {} for {folder}", ask.scope.kind))).clicked()
            {
                given = Some(Answer::AllowForSession);
            }
            let escape = !words.has_focus() && ui.input(|input| input.key_pressed(eframe::egui::Key::Escape));
            if ui.add(Button::new("Deny").key("Escape")).clicked() || escape || submitted(ui, &words) {
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
        if !words.has_focus() && ui.input(|input| input.key_pressed(eframe::egui::Key::Escape)) {
            given = Some(Given::Reply(None));
        }
        given
    }
}

fn submitted(ui: &Ui, input: &eframe::egui::Response) -> bool {
    input.lost_focus() && ui.input(|input| input.key_pressed(eframe::egui::Key::Enter))
}

fn head(ui: &mut Ui, title: &str, reason: &str, left: u64) {
    let (theme, metrics) = look(ui);
    ui.add(Label::new(RichText::new(title).font(metrics.medium()).color(theme.text.normal)).wrap());
    let waits = match left {
        0..60 => format!("{left} s left to answer"),
        _ => format!("{} min left to answer", left.div_ceil(60)),
    };
    let reason = if reason.is_empty() { waits } else { format!("Asked because {reason} · {waits}") };
    ui.add(Label::new(RichText::new(reason).font(metrics.small()).color(theme.text.muted)).wrap());
}
