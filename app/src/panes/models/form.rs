//! What is typed about a server or a model, until it is saved.

use agent::models::Models;
use agent::provider::spec::{KeySource, Proxy};
use agent::provider::{EditForm, Kind, ModelSpec, Price, Protocol, ProviderSpec};
use eframe::egui::{Id, Key, Label, Memory, Popup, Rect, RichText, Ui, pos2, vec2};

use crate::state::models::{ByHand, Change, NewKey};
use crate::theme::{icons, look, space};
use crate::widgets::{Button, Dropdown, MenuItem, TextInput, Tick, text};

/// Width of the names of fields.
const NAMES: f32 = 128.0;

/// A form that is open.
#[derive(Clone)]
pub enum Form {
    Server(Box<ServerForm>),
    Model(Box<ModelForm>),
}

/// Whether a form has the keyboard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Keyboard {
    /// It was just opened, and is given it.
    #[default]
    Wanted,
    Here,
    Elsewhere,
}

impl From<bool> for Keyboard {
    fn from(here: bool) -> Self {
        if here { Self::Here } else { Self::Elsewhere }
    }
}

/// The first field of a form; there is one form at a time.
fn first() -> Id {
    Id::unique("first field of a form of models")
}

/// What came of drawing one.
pub enum Given {
    Nothing,
    Cancel,
    Change(Change),
}

/// A server: a new one, or one that is set up.
#[derive(Clone, Default)]
pub struct ServerForm {
    /// The one that is edited.
    of: Option<ProviderSpec>,
    address: String,
    /// In [`kinds`].
    kind: usize,
    name: String,
    /// In [`KEYS`].
    key_at: usize,
    key: String,
    /// In [`PROXIES`].
    proxy_at: usize,
    proxy: String,
    models: String,
    wrong: String,
    keyboard: Keyboard,
}

/// A model that is set up.
#[derive(Clone)]
pub struct ModelForm {
    before: ModelSpec,
    name: String,
    id: String,
    context: String,
    output: String,
    input_price: String,
    output_price: String,
    cached_price: String,
    temperature: String,
    protocol: usize,
    edits: usize,
    vision: bool,
    tools: bool,
    reasoning: bool,
    wrong: String,
    keyboard: Keyboard,
}

const KEYS: [&str; 4] = ["No key", "In the keyring", "In the environment", "Printed by a program"];
const PROXIES: [&str; 3] = ["Directly", "As the environment says", "Through a proxy"];
const PROTOCOLS: [(&str, Protocol); 3] =
    [("Automatic", Protocol::Auto), ("Tags in the text", Protocol::Text), ("Native tool calls", Protocol::Native)];
const EDITS: [(&str, Option<EditForm>); 4] = [
    ("Automatic", None),
    ("Search and replace", Some(EditForm::Blocks)),
    ("Whole functions", Some(EditForm::Symbol)),
    ("Whole files", Some(EditForm::WholeFile)),
];

/// What a server may speak, as the form lists it: first, that it shall be found out.
fn kinds() -> Vec<&'static str> {
    std::iter::once("Found out by asking").chain(Kind::ALL.map(Kind::name)).collect()
}

/// Where a key is, for a line about its server.
pub fn key_said(key: &KeySource) -> String {
    match key {
        KeySource::None => String::new(),
        KeySource::Environment(name) => format!(" · key in ${name}"),
        KeySource::Keyring(_) => " · key in the keyring".to_owned(),
        KeySource::Command(words) => format!(" · key from {}", words.first().map_or("a program", String::as_str)),
    }
}

impl Form {
    /// A new server.
    pub fn server() -> Self {
        Self::Server(Box::default())
    }

    /// A server that is set up.
    pub fn of_server(provider: &ProviderSpec) -> Self {
        let (key_at, key) = match &provider.key {
            KeySource::None => (0, String::new()),
            // The key itself is not shown, and stays unless another one is typed.
            KeySource::Keyring(_) => (1, String::new()),
            KeySource::Environment(name) => (2, name.clone()),
            KeySource::Command(words) => (3, words.join(" ")),
        };
        let (proxy_at, proxy) = match &provider.proxy {
            Proxy::Direct => (0, String::new()),
            Proxy::Environment => (1, String::new()),
            Proxy::Through(address) => (2, address.clone()),
        };
        let kind = Kind::ALL.iter().position(|kind| *kind == provider.kind).map_or(0, |at| at + 1);
        Self::Server(Box::new(ServerForm {
            of: Some(provider.clone()),
            address: provider.url.clone(),
            kind,
            name: provider.name.clone(),
            key_at,
            key,
            proxy_at,
            proxy,
            ..ServerForm::default()
        }))
    }

    /// A model that is set up.
    pub fn of_model(model: &ModelSpec) -> Self {
        let number = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
        let ModelSpec { name, id, context, output, price, temperature, protocol, edit_form, capabilities, .. } = model;
        Self::Model(Box::new(ModelForm {
            name: name.clone(),
            id: id.clone(),
            context: context.map(|context| context.to_string()).unwrap_or_default(),
            output: output.to_string(),
            input_price: number(price.map(|price| price.input)),
            output_price: number(price.map(|price| price.output)),
            cached_price: number(price.and_then(|price| price.cached)),
            temperature: temperature.to_string(),
            protocol: PROTOCOLS.iter().position(|(_, one)| one == protocol).unwrap_or(0),
            edits: EDITS.iter().position(|(_, one)| one == edit_form).unwrap_or(0),
            vision: capabilities.vision,
            tools: capabilities.tools,
            reasoning: capabilities.reasoning,
            wrong: String::new(),
            keyboard: Keyboard::Wanted,
            before: model.clone(),
        }))
    }

    /// Whether it is about a server that is not there yet.
    pub fn is_new(&self) -> bool {
        matches!(self, Self::Server(form) if form.of.is_none())
    }

    /// Whether it is about this server.
    pub fn is_of_server(&self, name: &str) -> bool {
        matches!(self, Self::Server(form) if form.of.as_ref().is_some_and(|of| of.name == name))
    }

    /// Whether it is about this model.
    pub fn is_of_model(&self, name: &str) -> bool {
        matches!(self, Self::Model(form) if form.before.name == name)
    }

    /// The name of the button that opens it.
    pub fn opened_by(&self) -> String {
        match self {
            Self::Server(form) => match &form.of {
                Some(of) => format!("Edit server {}", of.name),
                None => "Add a server".to_owned(),
            },
            Self::Model(form) => format!("Edit {}", form.before.name),
        }
    }

    /// The name of that button once what the form says is written.
    pub fn written_as(&self) -> String {
        match self {
            Self::Server(_) => self.opened_by(),
            Self::Model(form) => format!("Edit {}", form.name.trim()),
        }
    }

    /// Whether the keyboard is within `rect`, and was in the last frame: Escape has taken it away by the time it is seen.
    fn is_typed_into(&mut self, ui: &Ui, rect: Rect) -> bool {
        let focused = ui.memory(Memory::focused);
        let now = focused.and_then(|id| ui.ctx().read_response(id)).is_some_and(|at| rect.contains(at.rect.center()));
        let state = match self {
            Self::Server(form) => &mut form.keyboard,
            Self::Model(form) => &mut form.keyboard,
        };
        let before = std::mem::replace(state, Keyboard::from(now)) == Keyboard::Here;
        now || before
    }

    /// Draws it; what it says when it is done with.
    pub fn draw(&mut self, ui: &mut Ui, there: &Models) -> Given {
        let top = ui.cursor().min;
        let is_new = match self {
            Self::Server(form) => form.keyboard == Keyboard::Wanted,
            Self::Model(form) => form.keyboard == Keyboard::Wanted,
        };
        ui.add_space(space::S);
        ui.spacing_mut().item_spacing.y = space::XS;
        let (save, wrong) = match self {
            Self::Server(form) => {
                form.fields(ui);
                (if form.of.is_some() { "Save server" } else { "Add this server" }, &form.wrong)
            }
            Self::Model(form) => {
                form.fields(ui);
                ("Save model", &form.wrong)
            }
        };
        let (theme, _) = look(ui);
        if !wrong.is_empty() {
            ui.add(Label::new(RichText::new(wrong).color(theme.signal.danger)).wrap());
        }
        let mut given = Given::Nothing;
        ui.horizontal(|ui| {
            ui.add_space(NAMES + space::S);
            let saved = ui.add(Button::new(save).icon(icons::CHECK).primary()).clicked();
            if ui.add(Button::new("Cancel")).clicked() {
                given = Given::Cancel;
            }
            if saved {
                given = self.change(there);
            }
        });
        ui.add_space(space::S);
        if is_new {
            ui.memory_mut(|memory| memory.request_focus(first()));
        }
        let rect = Rect::from_min_max(top, ui.min_rect().max);
        let leaves = ui.input(|input| input.key_pressed(Key::Escape)) && !Popup::is_any_open(ui.ctx());
        if self.is_typed_into(ui, rect) && leaves {
            given = Given::Cancel;
        }
        given
    }

    /// The change that it stands for, or nothing while something in it is wrong, which it says.
    fn change(&mut self, there: &Models) -> Given {
        let (made, wrong) = match self {
            Self::Server(form) => (form.change(there), &mut form.wrong),
            Self::Model(form) => (form.change(), &mut form.wrong),
        };
        match made {
            Ok(change) => Given::Change(change),
            Err(why) => {
                *wrong = why;
                Given::Nothing
            }
        }
    }
}

impl ServerForm {
    fn fields(&mut self, ui: &mut Ui) {
        field(ui, "Address", |ui| {
            TextInput::new(&mut self.address, "Address").id(first()).hint("http://127.0.0.1:8080").code().show(ui);
        });
        let kinds = kinds();
        let choices = if self.of.is_some() { &kinds[1..] } else { &kinds[..] };
        let mut kind = if self.of.is_some() { self.kind.saturating_sub(1) } else { self.kind };
        field(ui, "Speaks", |ui| choose(ui, "Speaks", choices, &mut kind));
        self.kind = if self.of.is_some() { kind + 1 } else { kind };
        if self.of.is_none() {
            field(ui, "Name", |ui| {
                TextInput::new(&mut self.name, "Name").hint("After its host, if empty").show(ui);
            });
        }
        field(ui, "Key", |ui| {
            choose(ui, "Key", &KEYS, &mut self.key_at);
            match self.key_at {
                1 => {
                    let is_there = self.of.as_ref().is_some_and(|of| matches!(of.key, KeySource::Keyring(_)));
                    let hint =
                        if is_there { "The one that is stored stays" } else { "Kept in the keyring, nowhere else" };
                    TextInput::new(&mut self.key, "The key").hint(hint).password().show(ui);
                }
                2 => drop(TextInput::new(&mut self.key, "Variable").hint("ANTHROPIC_API_KEY").code().show(ui)),
                3 => drop(TextInput::new(&mut self.key, "Program").hint("pass show anthropic").code().show(ui)),
                _ => {}
            }
        });
        field(ui, "Reached", |ui| {
            choose(ui, "Reached", &PROXIES, &mut self.proxy_at);
            if self.proxy_at == 2 {
                TextInput::new(&mut self.proxy, "Proxy").hint("socks5h://127.0.0.1:1080").code().show(ui);
            }
        });
        if self.of.is_none() {
            field(ui, "Models", |ui| {
                let hint = "All that it lists, if empty; else their names, with commas";
                TextInput::new(&mut self.models, "Models of the server").hint(hint).code().show(ui);
            });
        }
    }

    fn change(&self, there: &Models) -> Result<Change, String> {
        let address = self.address.trim().to_owned();
        if !address.starts_with("http://") && !address.starts_with("https://") {
            return Err("The address begins with http:// or https://.".to_owned());
        }
        let (key, proxy) = (self.key()?, self.proxy()?);
        let kind = self.kind.checked_sub(1).map(|at| Kind::ALL[at]);
        if let Some(before) = &self.of {
            let kind = kind.unwrap_or(before.kind);
            let provider = ProviderSpec { url: address, kind, proxy, ..before.clone() };
            return Ok(Change::Provider { provider, key });
        }
        let name = Some(self.name.trim().to_owned()).filter(|name| !name.is_empty());
        if let Some(name) = name.as_ref().filter(|name| there.providers.iter().any(|one| one.name == **name)) {
            return Err(format!("There is a server {name} already; edit that one, or choose another name."));
        }
        let models = self.models.split(',').map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned).collect();
        Ok(Change::Server(ByHand { address, kind, name, models, key, proxy }))
    }

    fn key(&self) -> Result<NewKey, String> {
        let typed = self.key.trim();
        let before = self.of.as_ref().map(|of| &of.key);
        match (self.key_at, typed) {
            (0, _) => Ok(NewKey::At(KeySource::None)),
            (1, "") => match before {
                Some(kept @ KeySource::Keyring(_)) => Ok(NewKey::At(kept.clone())),
                _ => Err("Type the key that is to be kept in the keyring.".to_owned()),
            },
            (1, key) => Ok(NewKey::Store(key.to_owned())),
            (2, "") => Err("Name the variable that has the key.".to_owned()),
            (2, name) => Ok(NewKey::At(KeySource::Environment(name.trim_start_matches('$').to_owned()))),
            (_, "") => Err("Name the program that prints the key, with its arguments.".to_owned()),
            (_, command) => Ok(NewKey::At(KeySource::Command(command.split_whitespace().map(str::to_owned).collect()))),
        }
    }

    fn proxy(&self) -> Result<Proxy, String> {
        match (self.proxy_at, self.proxy.trim()) {
            (0, _) => Ok(Proxy::Direct),
            (1, _) => Ok(Proxy::Environment),
            (_, "") => Err("Name the proxy, as in socks5h://127.0.0.1:1080.".to_owned()),
            (_, address) => Ok(Proxy::Through(address.to_owned())),
        }
    }
}

impl ModelForm {
    fn fields(&mut self, ui: &mut Ui) {
        let line = |ui: &mut Ui, label: &str, text: &mut String, hint: &str| {
            field(ui, label, |ui| drop(TextInput::new(text, label.to_owned()).hint(hint.to_owned()).show(ui)));
        };
        field(ui, "Name", |ui| {
            drop(TextInput::new(&mut self.name, "Name").id(first()).hint("As you call it").show(ui));
        });
        line(ui, "Server's name", &mut self.id, "As the server calls it");
        line(ui, "Window", &mut self.context, "In tokens; learnt from the server, if empty");
        line(ui, "Longest answer", &mut self.output, "In tokens");
        line(ui, "Temperature", &mut self.temperature, "0 gives the same answer each time");
        field(ui, "Price per million", |ui| {
            for (name, text) in [
                ("Price of input", &mut self.input_price),
                ("Price of output", &mut self.output_price),
                ("Price of cached input", &mut self.cached_price),
            ] {
                let hint = name.trim_start_matches("Price of ");
                TextInput::new(text, name).hint(hint).width(112.0).show(ui);
            }
        });
        let protocols = PROTOCOLS.map(|(name, _)| name);
        field(ui, "Actions", |ui| choose(ui, "Actions", &protocols, &mut self.protocol));
        let edits = EDITS.map(|(name, _)| name);
        field(ui, "Edits are taught as", |ui| choose(ui, "Edits are taught as", &edits, &mut self.edits));
        field(ui, "It can", |ui| {
            ui.add(Tick::new(&mut self.vision, "see pictures"));
            ui.add(Tick::new(&mut self.tools, "call tools"));
            ui.add(Tick::new(&mut self.reasoning, "reason"));
        });
    }

    fn change(&self) -> Result<Change, String> {
        let name = self.name.trim().to_owned();
        if name.is_empty() {
            return Err("The model has no name.".to_owned());
        }
        let whole = |what: &str, text: &str| match text.trim().replace([' ', '_', '\u{202f}'], "") {
            text if text.is_empty() => Ok(None),
            text => text.parse::<u32>().map(Some).map_err(|_| format!("{what}: {text} is no whole number.")),
        };
        let number = |what: &str, text: &str| match text.trim() {
            "" => Ok(None),
            text => match text.parse::<f64>() {
                Ok(number) if number.is_finite() && number >= 0.0 => Ok(Some(number)),
                _ => Err(format!("{what}: {text} is no number from 0 on.")),
            },
        };
        let prices = (
            number("Price of input", &self.input_price)?,
            number("Price of output", &self.output_price)?,
            number("Price of cached input", &self.cached_price)?,
        );
        let price = match prices {
            (None, None, None) => None,
            (Some(input), Some(output), cached) => Some(Price { input, output, cached }),
            _ => return Err("A price has both what is read and what is written.".to_owned()),
        };
        let mut model = self.before.clone();
        Some(self.id.trim()).filter(|id| !id.is_empty()).unwrap_or(&name).clone_into(&mut model.id);
        model.name = name;
        model.context = whole("Window", &self.context)?;
        model.output = whole("Longest answer", &self.output)?.unwrap_or(model.output);
        model.temperature = number("Temperature", &self.temperature)?.unwrap_or(0.0) as f32;
        model.price = price;
        model.protocol = PROTOCOLS[self.protocol].1;
        model.edit_form = EDITS[self.edits].1;
        let can = &mut model.capabilities;
        (can.vision, can.tools, can.reasoning) = (self.vision, self.tools, self.reasoning);
        Ok(Change::Model { was: self.before.name.clone(), model })
    }
}

/// A name, and beside it what is chosen or typed, which says the name itself to a screen reader.
fn field(ui: &mut Ui, name: &str, add: impl FnOnce(&mut Ui)) {
    let (theme, metrics) = look(ui);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = space::S;
        let (_, rect) = ui.allocate_space(vec2(NAMES, space::ROW));
        let line = text::line(ui, name, metrics.body(), theme.text.muted, NAMES);
        let at = pos2(rect.left(), rect.center().y - line.size().y / 2.0);
        ui.painter().galley(at, line, theme.text.muted);
        add(ui);
    });
}

/// One of several, in a menu.
fn choose(ui: &mut Ui, name: &str, choices: &[&str], at: &mut usize) {
    let shown = choices.get(*at).copied().unwrap_or_default();
    let button = Button::new(shown).caret().name(format!("{name}: {shown}"));
    Dropdown::of(button).menu_width(200.0).show(ui, |ui| {
        for (n, choice) in choices.iter().enumerate() {
            if ui.add(MenuItem::new(*choice).chosen(n == *at)).clicked() {
                *at = n;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> ModelSpec {
        ModelSpec::new(ProviderSpec::new("p", Kind::Ollama, "http://127.0.0.1:11434"), "qwen")
    }

    fn model_form() -> ModelForm {
        let Form::Model(form) = Form::of_model(&model()) else { panic!() };
        *form
    }

    #[track_caller]
    fn refused(change: Result<Change, String>, says: &str) {
        match change {
            Err(why) => assert!(why.contains(says), "{why}"),
            Ok(_) => panic!("it was taken"),
        }
    }

    #[test]
    fn a_form_that_is_saved_as_it_is_changes_nothing() {
        let Ok(Change::Model { was, model: after }) = model_form().change() else { panic!() };
        assert_eq!((was.as_str(), after), ("qwen", model()));
    }

    #[test]
    fn what_is_no_number_is_told_with_its_field() {
        refused(ModelForm { context: "16k".into(), ..model_form() }.change(), "Window: 16k");
        refused(ModelForm { temperature: "-1".into(), ..model_form() }.change(), "Temperature: -1");
        refused(ModelForm { input_price: "3".into(), ..model_form() }.change(), "both");
        refused(ModelForm { name: " ".into(), ..model_form() }.change(), "no name");
        let Ok(Change::Model { model, .. }) = ModelForm { context: "16 384".into(), ..model_form() }.change() else {
            panic!()
        };
        assert_eq!(model.context, Some(16_384));
    }

    #[test]
    fn a_server_needs_an_address_and_a_key_that_is_somewhere() {
        let form = ServerForm { address: "https://api.example.com".into(), ..ServerForm::default() };
        let there = Models::default();
        assert!(matches!(form.change(&there), Ok(Change::Server(_))));
        refused(ServerForm { address: "api.example.com".into(), ..form.clone() }.change(&there), "http://");
        refused(ServerForm { key_at: 1, ..form.clone() }.change(&there), "keyring");
        refused(ServerForm { key_at: 2, ..form.clone() }.change(&there), "variable");
        refused(ServerForm { proxy_at: 2, ..form }.change(&there), "proxy");
    }
}
