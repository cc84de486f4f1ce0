//! What stands in the place of a conversation before anything was said: what to ask, or how to get a model.

use eframe::egui::{Align, Label, Layout, Rect, RichText, Ui, UiBuilder};

use super::ChatEvent;
use crate::commands::{Action, Command, Sink};
use crate::state::State;
use crate::state::models::Change;
use crate::theme::{icons, look, space};
use crate::widgets::{Button, EmptyState, IconButton, card};

/// No folder is open.
pub fn no_folder(ui: &mut Ui, rect: Rect, sink: &mut Sink) {
    let mut ui = ui.new_child(UiBuilder::new().id_salt("no folder").max_rect(rect));
    let action = Button::new(Command::OpenFolder.spec().title);
    let state =
        EmptyState::new(icons::CHAT, "No folder is open").detail("The agent reads and changes the files of one.");
    if state.action(action).show(&mut ui) {
        sink.push(Command::OpenFolder);
    }
}

/// An empty conversation.
pub fn draw(ui: &mut Ui, rect: Rect, state: &mut State, events: &mut Vec<ChatEvent>, sink: &mut Sink) {
    let paths = state.paths.clone();
    let Some(list) = state.models.list(&paths, &state.tasks).cloned() else { return };
    let mut ui = ui.new_child(UiBuilder::new().id_salt("first").max_rect(rect).layout(Layout::top_down(Align::Min)));
    ui.set_clip_rect(rect.intersect(ui.clip_rect()));
    if !list.set_up.names().is_empty() {
        let detail =
            "Ask reads and answers, Plan makes a plan, Agent changes files. Every change comes back to be reviewed.";
        EmptyState::new(icons::CHAT, "What shall be done?").detail(detail).show(&mut ui);
        return;
    }
    let (theme, metrics) = look(&ui);
    ui.add_space(space::L);
    let head = |ui: &mut Ui, text: &str| {
        ui.add(Label::new(RichText::new(text).font(metrics.title()).color(theme.text.normal)).wrap());
    };
    let line = |ui: &mut Ui, text: &str| {
        ui.add(Label::new(RichText::new(text).color(theme.text.muted)).wrap());
    };
    for problem in list.problems() {
        let text = format!("models.toml, {problem}");
        ui.add(Label::new(RichText::new(text).color(theme.signal.warning)).wrap());
    }
    if let Some(servers) = list.servers.as_deref().filter(|servers| !servers.is_empty()) {
        head(&mut ui, "Models on this machine");
        line(&mut ui, "They can be used at once; setting one up keeps it.");
        ui.add_space(space::S);
        for server in servers {
            card(&ui).show(&mut ui, |ui| {
                ui.set_width(ui.available_width());
                let address =
                    RichText::new(format!("{} at {}", server.what, server.provider.url)).font(metrics.medium());
                ui.add(Label::new(address.color(theme.text.normal)).truncate());
                line(ui, &server.models.join(", "));
                if ui.add(Button::new("Set up").icon(icons::CHECK)).clicked() {
                    state.models.change(Change::Found(server.clone()), &paths, &state.tasks);
                }
            });
            ui.add_space(space::XS);
        }
        return;
    }
    head(&mut ui, "No model yet");
    line(&mut ui, "Nothing answers on this machine, and none is set up. There are three ways:");
    ui.add_space(space::S);
    choice(&mut ui, "A local server", "Start llama.cpp or Ollama, then look again:", |ui| {
        code(ui, "llama-server -m model.gguf -c 16384 --port 8080", sink);
        let looking = state.models.is_looking();
        let label = if looking { "Looking…" } else { "Look again" };
        if ui.add_enabled(!looking, Button::new(label).icon(icons::REFRESH)).clicked() {
            events.push(ChatEvent::LookForModels);
        }
    });
    choice(
        &mut ui,
        "A service with a key",
        "Its address, and a key: kept in the system's keyring, or where you have it already.",
        |ui| {
            if ui.add(Button::new("Models and servers").icon(icons::SETTINGS)).clicked() {
                events.push(ChatEvent::Models);
            }
        },
    );
    choice(&mut ui, "Later", "Everything else works without a model.", |ui| {
        if ui.add(Button::new("Hide chat").icon(icons::X)).clicked() {
            sink.push(Command::ToggleChat);
        }
    });
}

fn choice(ui: &mut Ui, title: &str, detail: &str, add: impl FnOnce(&mut Ui)) {
    let (theme, metrics) = look(ui);
    card(ui).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.add(Label::new(RichText::new(title).font(metrics.medium()).color(theme.text.normal)).wrap());
        ui.add(Label::new(RichText::new(detail).font(metrics.small()).color(theme.text.muted)).wrap());
        ui.add_space(space::S);
        add(ui);
    });
    ui.add_space(space::XS);
}

/// A line for a terminal, which can be taken along.
fn code(ui: &mut Ui, line: &str, sink: &mut Sink) {
    let (theme, metrics) = look(ui);
    ui.horizontal(|ui| {
        let room = ui.available_width() - 28.0;
        let text = RichText::new(line).font(metrics.code_inline()).color(theme.text.normal);
        ui.scope(|ui| {
            ui.set_max_width(room);
            ui.add(Label::new(text).wrap());
        });
        if ui.add(IconButton::new(icons::COPY, "Copy command").small()).clicked() {
            sink.push(Action::Copy(line.to_owned()));
        }
    });
    ui.add_space(space::S);
}
