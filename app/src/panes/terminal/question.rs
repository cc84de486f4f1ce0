//! What is asked before something is done to a terminal: closing a busy one, pasting several lines; and its name.

use eframe::egui::{Id, Label, RichText, ScrollArea, Ui};

use crate::commands::{Action, Sink};
use crate::shell::ask::card;
use crate::state::State;
use crate::state::terminals::Question;
use crate::theme::{look, space};
use crate::widgets::{Button, TextInput};

enum Answer {
    Yes,
    No,
}

/// Draws the question, if there is one.
pub fn draw(ui: &mut Ui, state: &mut State, sink: &mut Sink) {
    let Some(mut question) = state.terminals.question.take() else { return };
    let mut answer = None;
    let (title, width) = match question {
        Question::Close { .. } => ("Close the terminal?", 400.0),
        Question::Paste { .. } => ("Paste several lines?", 480.0),
        Question::Rename { .. } => ("Rename terminal", 400.0),
    };
    let closed = card(ui, title, width, |ui| {
        let (theme, metrics) = look(ui);
        let heading = |ui: &mut Ui, text: String| {
            ui.add(Label::new(RichText::new(text).font(metrics.title()).color(theme.text.normal)).wrap());
            ui.add_space(space::XS);
        };
        let (yes, detail) = match &mut question {
            Question::Close { running, .. } => {
                heading(ui, format!("{running} still runs in this terminal."));
                (
                    Button::new("End it and close").danger(),
                    "Everything that was started in it ends, background jobs too.",
                )
            }
            Question::Paste { lines, bytes, .. } => {
                heading(ui, format!("Paste {lines} lines?"));
                preview(ui, bytes);
                (Button::new("Paste").primary(), "The program runs each line as soon as it gets it.")
            }
            Question::Rename { name, .. } => {
                let id = Id::unique("terminal name");
                let input = TextInput::new(name, "Name").id(id).hint("As the program says").width(width).show(ui);
                if !input.has_focus() && !input.lost_focus() {
                    input.request_focus();
                }
                if input.lost_focus() && ui.input(|input| input.key_pressed(eframe::egui::Key::Enter)) {
                    answer = Some(Answer::Yes);
                }
                (Button::new("Rename").primary(), "An empty name gives back the program's own.")
            }
        };
        ui.add(Label::new(RichText::new(detail).color(theme.text.muted)).wrap());
        ui.add_space(space::M);
        ui.horizontal(|ui| {
            let renames = matches!(question, Question::Rename { .. });
            let yes = ui.add(yes);
            let no = ui.add(Button::new("Cancel").quiet().key("Escape"));
            // The safe answer has the keyboard.
            if !renames && !yes.has_focus() && !no.has_focus() {
                no.request_focus();
            }
            if yes.clicked() {
                answer = Some(Answer::Yes);
            } else if no.clicked() {
                answer = Some(Answer::No);
            }
        });
    });
    match answer.or(closed.then_some(Answer::No)) {
        None => state.terminals.question = Some(question),
        Some(Answer::No) => {}
        Some(Answer::Yes) => match question {
            Question::Close { tile, .. } => sink.push(Action::CloseTerminal(tile)),
            Question::Paste { terminal, bytes, .. } => {
                if let Some(terminal) = state.terminals.live(terminal).cloned() {
                    super::said(terminal.type_bytes(&bytes), state);
                }
            }
            Question::Rename { terminal, name } => {
                if let Some(open) = state.terminals.get_mut(terminal) {
                    open.name = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
                }
            }
        },
    }
}

/// The first lines of what would be pasted.
fn preview(ui: &mut Ui, bytes: &[u8]) {
    let (theme, metrics) = look(ui);
    let text = String::from_utf8_lossy(bytes).replace('\r', "\n");
    ScrollArea::vertical().max_height(160.0).show(ui, |ui| {
        for line in text.lines().take(200) {
            let line: String = line.chars().take(200).collect();
            ui.label(RichText::new(line).font(metrics.code_inline()).color(theme.text.normal));
        }
    });
    ui.add_space(space::XS);
}
