//! The page of models and servers: what is set up, what is found on this machine, and how good a model is.
//!
//! It writes the file that the user may edit, by way of [`crate::state::models`]; a key is stored in the system's keyring
//! or stays where it is, and never stands in that file.
//!
//! - [`form`]: what is typed about a server or a model; [`trial`]: how a model does in the doctor's suite

mod form;
mod trial;

use agent::models::Models as SetUp;
use agent::provider::discovery::Found;
use agent::provider::{ModelSpec, ProviderSpec};
use eframe::egui::{Align, Label, Layout as Flow, RichText, Ui, vec2};
use egui_tiles::TileId;

use super::settings::{column, heading};
use crate::commands::{Action, Command, Place, Sink};
use crate::shell::hold_focus;
use crate::state::State;
use crate::state::models::{Change, ModelList};
use crate::theme::{icons, look, space};
use crate::widgets::{Badge, Button, IconButton, Notice, NoticeResponse, Progress, Tone, card};
use form::{Form, Given};

/// Width of the page's column.
const WIDTH: f32 = 720.0;

/// A view of the page.
#[derive(Clone, Default)]
pub struct ModelsPane {
    /// What is being added or edited.
    form: Option<Form>,
    /// It was saved and is being written.
    saving: bool,
    /// The button that has the keyboard next: the one that a form was opened with.
    back_to: Option<String>,
}

/// What was pressed.
enum Pressed {
    Look,
    Change(Change),
    /// A change that a form says.
    Save(Change),
    Try(String),
    EndTrial,
    Form(Option<Form>),
    GiveUp,
}

/// Draws the page into the whole of `ui`.
pub fn draw(ui: &mut Ui, tile: TileId, pane: &mut ModelsPane, state: &mut State, sink: &mut Sink) {
    hold_focus(ui, tile);
    ui.painter().rect_filled(ui.max_rect(), 0.0, state.theme.surface.base);
    let paths = state.paths.clone();
    state.models.list(&paths, &state.tasks);
    pane.follow(state);
    let mut pressed = None;
    column(ui, "models page", WIDTH, |ui| {
        head(ui, state, sink);
        notices(ui, state, sink, &mut pressed);
        if let Some(list) = state.models.known() {
            set_up(ui, pane, list, state, &mut pressed);
            found(ui, list, state, &mut pressed);
        }
        add(ui, pane, state, &mut pressed);
        ui.add_space(space::XL);
    });
    match pressed {
        None => {}
        Some(Pressed::Look) => state.models.look(&paths, &state.tasks),
        Some(Pressed::Change(change)) => state.models.change(change, &paths, &state.tasks),
        Some(Pressed::Save(change)) => {
            pane.saving = true;
            state.models.change(change, &paths, &state.tasks);
        }
        Some(Pressed::Try(name)) => state.models.try_out(&name, state.tasks.waker()),
        Some(Pressed::EndTrial) => state.models.end_trial(),
        Some(Pressed::Form(form)) => {
            pane.back_to = pane.form.take().filter(|_| form.is_none()).map(|gone| gone.opened_by());
            pane.form = form;
        }
        Some(Pressed::GiveUp) => {
            pane.saving = false;
            state.models.give_up();
        }
    }
}

impl ModelsPane {
    /// A form goes when what it said is written, and stays when it could not be.
    fn follow(&mut self, state: &State) {
        if self.saving && !state.models.is_changing() {
            self.saving = false;
            if state.models.failed.is_none() {
                self.back_to = self.form.take().map(|gone| gone.written_as());
            }
        }
    }
}

fn head(ui: &mut Ui, state: &State, sink: &mut Sink) {
    let (theme, metrics) = look(ui);
    ui.horizontal(|ui| {
        ui.label(RichText::new("Models and servers").font(metrics.heading()).color(theme.text.normal));
        ui.with_layout(Flow::right_to_left(Align::Center), |ui| {
            let path = state.paths.models().display().to_string();
            if ui.add(Button::new("Open file").icon(icons::FILE_SETTINGS).tip(path)).clicked() {
                sink.push(Command::OpenModels);
            }
        });
    });
    let said = "Nothing but the servers named here is dialled. Keys are kept in the system's keyring, or stay where they \
                are: in the environment, or with a program that prints them.";
    ui.add(Label::new(RichText::new(said).color(theme.text.muted)).wrap());
    ui.add_space(space::S);
}

/// What is wrong with the file, what could not be done, and what can be undone.
fn notices(ui: &mut Ui, state: &State, sink: &mut Sink, pressed: &mut Option<Pressed>) {
    let models = &state.models;
    if let Some(list) = models.known() {
        if let Some(why) = &list.unreadable {
            Notice::new(Tone::Danger, why.as_str()).show(ui);
        }
        for problem in &list.set_up.problems {
            let text = format!("Line {}: {}", problem.line, problem.text);
            if Notice::new(Tone::Warning, text).action("Go to line").show(ui) == NoticeResponse::Action(0) {
                let at = Some(Place { line: u32::try_from(problem.line).unwrap_or(1), column: 1 });
                sink.push(Action::OpenFile { path: state.paths.models(), at });
            }
        }
    }
    if let Some(removed) = &models.removed {
        let text = format!("{} was removed.", removed.name);
        if Notice::new(Tone::Neutral, text).action("Undo").show(ui) == NoticeResponse::Action(0) {
            *pressed = Some(Pressed::Change(Change::Restore(removed.clone())));
        }
    }
    if let Some(why) = &models.failed {
        let (theme, _) = look(ui);
        let told = format!("Nothing was changed: {why}");
        ui.add(Label::new(RichText::new(told).color(theme.signal.danger)).wrap());
    }
}

/// What is set up, server by server.
fn set_up(ui: &mut Ui, pane: &mut ModelsPane, list: &ModelList, state: &State, pressed: &mut Option<Pressed>) {
    let SetUp { providers, models, routes, .. } = &list.set_up;
    if providers.is_empty() {
        return;
    }
    heading(ui, "Set up");
    for provider in providers {
        ui.add_space(space::S);
        card(ui).show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.spacing_mut().item_spacing.y = space::XS;
            server_row(ui, provider, &mut pane.back_to, pressed);
            if let Some(form) = pane.form.as_mut().filter(|form| form.is_of_server(&provider.name)) {
                shown(ui, form, list, pane.saving, pressed);
            }
            for model in models.iter().filter(|model| model.provider.name == provider.name) {
                let is_default = list.default.as_deref() == Some(&model.name);
                model_row(ui, model, is_default, &mut pane.back_to, state, pressed);
                if let Some(form) = pane.form.as_mut().filter(|form| form.is_of_model(&model.name)) {
                    shown(ui, form, list, pane.saving, pressed);
                }
                if let Some(trial) = state.models.trial().filter(|trial| trial.model == model.name) {
                    match trial::draw(ui, trial) {
                        trial::Pressed::Nothing => {}
                        trial::Pressed::End => *pressed = Some(Pressed::EndTrial),
                        trial::Pressed::Use(recommended) => {
                            *pressed = Some(Pressed::Change(Change::Recommended(*recommended)));
                        }
                    }
                }
            }
        });
    }
    for route in routes {
        let said = format!("one of {}; the next one is asked where one fails", route.models.join(", "));
        ui.add_space(space::S);
        let is_default = list.default.as_deref() == Some(&route.name);
        row(ui, &route.name, &said, is_default, |ui| prefer(ui, &route.name, is_default, pressed));
    }
}

/// A form in its place, and what it says when it is done with.
fn shown(ui: &mut Ui, form: &mut Form, list: &ModelList, saving: bool, pressed: &mut Option<Pressed>) {
    ui.add_enabled_ui(!saving, |ui| match form.draw(ui, &list.set_up) {
        Given::Nothing => {}
        Given::Cancel => *pressed = Some(Pressed::Form(None)),
        Given::Change(change) => *pressed = Some(Pressed::Save(change)),
    });
}

/// A button that opens a form, and has the keyboard again when the form is gone.
fn opener(ui: &mut Ui, name: String, button: impl eframe::egui::Widget, back_to: &mut Option<String>) -> bool {
    let response = ui.add(button);
    if back_to.take_if(|wanted| *wanted == name).is_some() {
        response.request_focus();
    }
    response.clicked()
}

fn server_row(ui: &mut Ui, provider: &ProviderSpec, back_to: &mut Option<String>, pressed: &mut Option<Pressed>) {
    let (theme, metrics) = look(ui);
    ui.horizontal(|ui| {
        ui.label(RichText::new(&provider.name).font(metrics.medium()).color(theme.text.normal));
        let said = format!("{} · {}{}", provider.kind.name(), provider.url, form::key_said(&provider.key));
        ui.with_layout(Flow::right_to_left(Align::Center), |ui| {
            let form = Form::of_server(provider);
            let button = IconButton::new(icons::EDIT, form.opened_by());
            if opener(ui, form.opened_by(), button, back_to) {
                *pressed = Some(Pressed::Form(Some(form)));
            }
            ui.with_layout(Flow::left_to_right(Align::Center), |ui| {
                ui.add(Label::new(RichText::new(said).font(metrics.small()).color(theme.text.muted)).truncate());
            });
        });
    });
}

fn model_row(
    ui: &mut Ui,
    model: &ModelSpec,
    is_default: bool,
    back_to: &mut Option<String>,
    state: &State,
    pressed: &mut Option<Pressed>,
) {
    let window = model.context.map(|window| format!("{} tokens", crate::widgets::text::grouped(u64::from(window))));
    let price = model.price.map(|price| format!("{} / {} per million", price.input, price.output));
    let id = (model.id != model.name).then(|| model.id.clone());
    let said: Vec<String> = [id, window, price].into_iter().flatten().collect();
    let trying = state.models.is_trying() && state.models.trial().is_some_and(|trial| trial.model == model.name);
    row(ui, &model.name, &said.join(" · "), is_default, |ui| {
        if ui.add(IconButton::new(icons::TRASH, format!("Remove {}", model.name))).clicked() {
            *pressed = Some(Pressed::Change(Change::Remove(model.name.clone())));
        }
        let form = Form::of_model(model);
        let button = IconButton::new(icons::EDIT, form.opened_by());
        if opener(ui, form.opened_by(), button, back_to) {
            *pressed = Some(Pressed::Form(Some(form)));
        }
        prefer(ui, &model.name, is_default, pressed);
        let test = Button::new("Test").icon(icons::TEST).name(format!("Test {}", model.name));
        let test = test.tip("Asks it some fifteen small questions whose answers are known, and grades it");
        if ui.add_enabled(!trying, test).clicked() {
            *pressed = Some(Pressed::Try(model.name.clone()));
        }
    });
}

fn prefer(ui: &mut Ui, name: &str, is_default: bool, pressed: &mut Option<Pressed>) {
    if !is_default && ui.add(IconButton::new(icons::STAR, format!("Use {name} by default"))).clicked() {
        *pressed = Some(Pressed::Change(Change::Default(name.to_owned())));
    }
}

/// A line with a name, what is said of it, and what can be done with it at the right.
fn row(ui: &mut Ui, name: &str, said: &str, is_default: bool, actions: impl FnOnce(&mut Ui)) {
    let (theme, metrics) = look(ui);
    ui.allocate_ui_with_layout(vec2(ui.available_width(), 32.0), Flow::right_to_left(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = space::XS;
        actions(ui);
        ui.with_layout(Flow::left_to_right(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = space::S;
            ui.label(RichText::new(name).color(theme.text.normal));
            if is_default {
                ui.add(Badge::new("default").tone(Tone::Accent));
            }
            ui.add(Label::new(RichText::new(said).font(metrics.small()).color(theme.text.muted)).truncate());
        });
    });
}

/// Servers on this machine.
fn found(ui: &mut Ui, list: &ModelList, state: &State, pressed: &mut Option<Pressed>) {
    let (theme, _) = look(ui);
    heading(ui, "On this machine");
    ui.add_space(space::S);
    match list.servers.as_deref() {
        None => {}
        Some([]) => {
            let said = "No server answers. Start one, as with llama-server -m model.gguf -c 16384 --port 8080, and look \
                        again.";
            ui.add(Label::new(RichText::new(said).color(theme.text.muted)).wrap());
        }
        Some(servers) => {
            for server in servers {
                server_found(ui, server, list, pressed);
            }
        }
    }
    let looking = state.models.is_looking();
    let label = match (looking, &list.servers) {
        (true, _) => "Looking…",
        (false, None) => "Look for servers",
        (false, Some(_)) => "Look again",
    };
    let tip = "Asks the ports of llama.cpp, Ollama, LM Studio and vLLM on this machine, and no other";
    if ui.add_enabled(!looking, Button::new(label).icon(icons::REFRESH).tip(tip)).clicked() {
        *pressed = Some(Pressed::Look);
    }
}

fn server_found(ui: &mut Ui, server: &Found, list: &ModelList, pressed: &mut Option<Pressed>) {
    let missing = agent::models::Addition::of(server, &list.set_up, false).models;
    let name = format!("{} at {}", server.what, server.provider.url);
    row(ui, &name, &server.models.join(", "), false, |ui| match missing.is_empty() {
        true => drop(ui.add(Badge::new("set up").tone(Tone::Success).icon(icons::CHECK))),
        false => {
            let button = Button::new("Set up").icon(icons::PLUS).name(format!("Set up {name}"));
            if ui.add(button).clicked() {
                *pressed = Some(Pressed::Change(Change::Found(server.clone())));
            }
        }
    });
}

/// A server that is named by hand.
fn add(ui: &mut Ui, pane: &mut ModelsPane, state: &State, pressed: &mut Option<Pressed>) {
    heading(ui, "Another server");
    ui.add_space(space::S);
    let none = ModelList::default();
    let list = state.models.known().unwrap_or(&none);
    match pane.form.as_mut().filter(|form| form.is_new()) {
        Some(form) => shown(ui, form, list, pane.saving, pressed),
        None => {
            let form = Form::server();
            let button = Button::new("Add a server").icon(icons::PLUS);
            if opener(ui, form.opened_by(), button, &mut pane.back_to) {
                *pressed = Some(Pressed::Form(Some(form)));
            }
        }
    }
    if pane.saving && state.models.is_changing() {
        ui.add_space(space::S);
        if Progress::new("Asking the server for its models").cancelable().show(ui) {
            *pressed = Some(Pressed::GiveUp);
        }
    }
}
