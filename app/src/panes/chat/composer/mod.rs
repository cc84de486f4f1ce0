//! Where a message is written: what goes along with it, words that become files or commands, and how it is sent.
//!
//! Enter sends, Shift+Enter begins a line, the arrows bring earlier messages back. `@` lists what can go along, `/` what
//! can be done; both lists are kept while their word is typed.
//!
//! - [`offers`]: those lists; [`chips`]: what goes along

mod chips;
mod offers;

use std::path::{Path, PathBuf};

use agent::provider::Effort;
use agent::run::Mode;
use eframe::egui::text::{CCursor, CCursorRange};
use eframe::egui::{Align, Event, Id, Key, Layout, Rect, TextEdit, Ui, UiBuilder};

use super::{ChatEvent, attach, attachment_icon, thing_icon};
use crate::state::State;
use crate::state::agents::prompts;
use crate::state::chats::mention::{Around, Mentions, in_sight};
use crate::state::chats::{Attachment, Chat, ChatId, picture};
use crate::state::models::{ModelList, Models};
use crate::state::servers::problems::Counts;
use crate::state::slash::{self, UserCommand};
use crate::tasks::{Poll, Task};
use crate::theme::{icons, space};
use crate::widgets::{Button, Dropdown, IconButton, MenuItem, TextArea, menu_separator, tip};
use chips::{Chips, chip_id};
use offers::{Offer, Offered};

/// Lines it has room for at least.
const LINES: usize = 2;
/// Rows of the list that a page is.
const PAGE: usize = 8;
/// Height of the row of selectors.
const CONTROLS: f32 = 32.0;

/// What a `/` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slash {
    New,
    Compact,
    UndoRewind,
    Changes,
    Sessions,
    /// Asks this, in this mode; with what is not committed, if so.
    Ask(Mode, &'static str, bool),
}

const SLASHES: &[(&str, &str, Slash)] = &[
    ("changes", "reviews what the model changed", Slash::Changes),
    ("compact", "puts a summary in the place of what was said so far", Slash::Compact),
    ("new", "begins a new conversation", Slash::New),
    ("recap", "sums up the conversation", Slash::Ask(Mode::Ask, prompts::RECAP, false)),
    ("resume", "lists past conversations", Slash::Sessions),
    ("review", "reviews what is not committed", Slash::Ask(Mode::Ask, prompts::REVIEW, true)),
    ("security-review", "looks for security problems", Slash::Ask(Mode::Ask, prompts::SECURITY_REVIEW, true)),
    ("simplify", "makes what was changed simpler", Slash::Ask(Mode::Agent, prompts::SIMPLIFY, true)),
    ("undo", "undoes the last rewind", Slash::UndoRewind),
];

/// The view's part of it.
#[derive(Default)]
pub struct Composer {
    /// The word that is completed, and the row that is chosen.
    completing: Option<Completing>,
    /// How far back in earlier messages, and what was written before.
    recalled: Option<(usize, String)>,
    mentions: Mentions,
    chips: Chips,
    /// Another row of the list was chosen by key.
    moved: bool,
    /// Where the list is, while it is there.
    list_at: Option<Rect>,
    /// Commands of the person's own, read anew whenever a slash is typed.
    own: Vec<UserCommand>,
    reading: Option<Task<Vec<UserCommand>>>,
    /// They were read once.
    is_read: bool,
    /// The keyboard is to be given to it.
    pub focus: bool,
    /// The text was put there by something else than typing.
    pub caret_to_end: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct Completing {
    /// Where its sign stands, in characters.
    start: usize,
    sign: char,
    word: String,
    chosen: usize,
    /// It was put away; typing on brings it back.
    hidden: bool,
}

/// The id of the text, by which the keyboard is known to be there.
pub fn text_id() -> Id {
    Id::unique("chat message")
}

impl Composer {
    /// How high it is in this width.
    pub fn height(&self, ui: &Ui, chat: &Chat, width: f32, most: f32) -> f32 {
        let chips = self.chips.height(ui, &chat.draft, width);
        let text = TextArea::height_of(ui, &chat.draft.text, width, LINES).min(most);
        chips + text + CONTROLS
    }

    /// Draws it into a rectangle; what was asked for.
    pub fn draw(&mut self, ui: &mut Ui, rect: Rect, id: ChatId, state: &mut State, events: &mut Vec<ChatEvent>) {
        let Some(chat) = state.chats.get(id) else { return };
        if chat.draft.attached.iter().any(|attached| matches!(attached, Attachment::Picture(_))) {
            let model = chat.model.clone();
            state.models.look_whether_sees(model.as_deref(), &state.paths, &state.tasks);
        }
        let Some(chat) = state.chats.get(id) else { return };
        let mut rect = rect;
        let chips = self.chips.height(ui, &chat.draft, rect.width());
        let model = model_of(chat, &state.models);
        self.chips.weigh(chat, model, state);
        if chips > 0.0 {
            let (chips, rest) = rect.split_top_bottom_at_y(rect.top() + chips);
            self.chips.draw(ui, chips, id, state);
            rect = rest;
        }
        let (area, controls) = rect.split_top_bottom_at_y(rect.bottom() - CONTROLS);
        self.take_commands();
        let offers = self.offers(state);
        let submit = self.keys(ui, id, &offers, state, events);
        // Before the text, which has lost the keyboard by the time a press on the list is over.
        let picked = self.list(ui, area, id, &offers, state, events);
        self.text(ui, area, id, submit, state, events);
        if picked {
            self.focus = true;
            ui.ctx().request_repaint();
        }
        controls_row(ui, controls, id, state, events);
    }

    /// Keys that are not the text's: those of the list, of earlier messages, of sending and stopping. Whether it is sent.
    fn keys(&mut self, ui: &Ui, id: ChatId, offers: &[Offer], state: &mut State, events: &mut Vec<ChatEvent>) -> bool {
        if !ui.memory(|memory| memory.has_focus(text_id())) {
            return false;
        }
        if let Some(completing) = self.completing.as_mut().filter(|completing| !completing.hidden && !offers.is_empty())
        {
            let last = offers.len() - 1;
            let before = completing.chosen;
            completing.chosen = before.min(last);
            if pressed(ui, Key::ArrowDown) {
                completing.chosen = if completing.chosen == last { 0 } else { completing.chosen + 1 };
            }
            if pressed(ui, Key::ArrowUp) {
                completing.chosen = completing.chosen.checked_sub(1).unwrap_or(last);
            }
            if pressed(ui, Key::PageDown) {
                completing.chosen = (completing.chosen + PAGE).min(last);
            }
            if pressed(ui, Key::PageUp) {
                completing.chosen = completing.chosen.saturating_sub(PAGE);
            }
            let chosen = completing.chosen;
            self.moved |= chosen != before;
            if pressed(ui, Key::Enter) || pressed(ui, Key::Tab) {
                self.accept(ui, id, &offers[chosen], state, events);
                return false;
            }
            if pressed(ui, Key::Escape) {
                completing.hidden = true;
                return false;
            }
        }
        self.take_pictures(ui, id, state);
        let Some(chat) = state.chats.get_mut(id) else { return false };
        if pressed(ui, Key::Escape) {
            match chat.running {
                Some(_) => events.push(ChatEvent::Stop),
                None => events.push(ChatEvent::Leave),
            }
        }
        for (key, down) in [(Key::PageDown, true), (Key::PageUp, false)] {
            if pressed(ui, key) {
                events.push(ChatEvent::Page(down));
            }
        }
        let count = chat.draft.attached.len();
        if count > 0 && chat.draft.text.is_empty() && pressed(ui, Key::Backspace) {
            ui.memory_mut(|memory| memory.request_focus(chip_id(count - 1)));
        }
        let is_recalled = self.recalled.is_some();
        if (chat.draft.text.is_empty() || is_recalled) && pressed(ui, Key::ArrowUp) {
            self.recall(chat, true);
        } else if is_recalled && pressed(ui, Key::ArrowDown) {
            self.recall(chat, false);
        }
        pressed(ui, Key::Enter)
    }

    /// Takes pictures out of what is pasted: pixels, and paths of files.
    fn take_pictures(&self, ui: &Ui, id: ChatId, state: &mut State) {
        let mut found = Vec::new();
        ui.input_mut(|input| {
            input.events.retain(|event| {
                let before = found.len();
                match event {
                    Event::PasteImage(pixels) => found.push(picture::From::Pixels(pixels.clone())),
                    Event::Paste(text) => {
                        found.extend(picture::pasted_paths(text).into_iter().map(picture::From::File));
                    }
                    _ => {}
                }
                found.len() == before
            });
        });
        for from in found {
            state.chats.add_picture(id, from, &state.tasks);
        }
    }

    /// Puts what a command of the person's own asks in its place.
    pub fn unfold(&self, chat: &mut Chat) {
        let Some(line) = chat.draft.text.trim_start().strip_prefix('/') else { return };
        let (name, more) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let Some(command) = self.own.iter().find(|command| command.name == name) else { return };
        chat.mode = command.mode.unwrap_or(chat.mode);
        chat.draft.text = command.prompt(more);
    }

    fn recall(&mut self, chat: &mut Chat, earlier: bool) {
        let (at, before) = self.recalled.clone().unwrap_or((0, chat.draft.text.clone()));
        let next = match (earlier, self.recalled.is_some()) {
            (true, false) => Some(0),
            (true, true) => Some(at + 1),
            (false, _) => at.checked_sub(1),
        };
        self.caret_to_end = true;
        match next {
            Some(next) => {
                let sent = chat.sent().nth(next).map(str::to_owned);
                if let Some(sent) = sent {
                    chat.draft.text = sent;
                    self.recalled = Some((next, before));
                }
            }
            None => {
                chat.draft.text = before;
                self.recalled = None;
            }
        }
    }

    fn text(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        id: ChatId,
        submit: bool,
        state: &mut State,
        events: &mut Vec<ChatEvent>,
    ) {
        let Some(chat) = state.chats.get_mut(id) else { return };
        let hint = match (chat.running.is_some(), chat.mode) {
            (true, _) => "Write on; it is sent when the run is over",
            (false, Mode::Ask) => "Ask about the project; @ adds files, / lists commands",
            (false, Mode::Plan) => "What shall be planned?",
            (false, Mode::Agent) => "What shall be done? @ adds files, / lists commands",
        };
        if std::mem::take(&mut self.focus) {
            ui.memory_mut(|memory| memory.request_focus(text_id()));
        }
        if std::mem::take(&mut self.caret_to_end) {
            let mut edit = TextEdit::load_state(ui.ctx(), text_id()).unwrap_or_default();
            edit.cursor.set_char_range(Some(CCursorRange::one(CCursor::new(chat.draft.text.chars().count()))));
            edit.store(ui.ctx(), text_id());
        }
        let before = chat.draft.text.clone();
        let shown = TextArea::new(&mut chat.draft.text, text_id(), "Message to the model")
            .hint(hint)
            .lines(LINES)
            .show(ui, rect);
        if shown.response.changed() && chat.draft.text != before {
            self.recalled = None;
        }
        let caret = TextEdit::load_state(ui.ctx(), text_id())
            .and_then(|edit| edit.cursor.char_range())
            .map_or(0, |range| range.primary.index.into());
        // Whoever presses in the list takes the keyboard from the message for that long.
        let in_list = !shown.response.has_focus() && self.list_at.is_some_and(|at| is_pressed_in(ui, at));
        if in_list && ui.input(|input| input.pointer.any_released()) {
            self.focus = true;
            ui.ctx().request_repaint();
        }
        let word = word_at(&chat.draft.text, caret).filter(|_| shown.response.has_focus() || in_list);
        let before = self.completing.as_ref().map(|old| old.sign);
        let sign = word.as_ref().map(|(_, sign, _)| *sign);
        if sign == Some('@') && (before != Some('@') || self.mentions.lacks_files()) {
            self.begin_mentions(id, state);
        } else if sign != Some('@') && before == Some('@') {
            self.mentions.end();
        }
        if !self.is_read || word.as_ref().is_some_and(|(_, sign, _)| *sign == '/') && before != Some('/') {
            let paths = state.paths.clone();
            self.reading = Some(state.tasks.spawn("read commands", move |_| slash::of_user(&paths)));
            self.is_read = true;
        }
        self.completing = word.map(|(start, sign, word)| match self.completing.take() {
            Some(old) if old.start == start && old.word == word => old,
            Some(old) if old.start == start && old.hidden && !word.is_empty() => Completing { word, ..old },
            _ => Completing { start, sign, word, chosen: 0, hidden: false },
        });
        if submit || shown.submitted {
            self.recalled = None;
            events.push(ChatEvent::Send);
        }
    }

    /// Has what `@` can name gathered; again once the files are known.
    fn begin_mentions(&mut self, id: ChatId, state: &mut State) {
        let files = state.workspace.files(&state.tasks);
        if files.is_none() && self.mentions.has_begun() {
            return;
        }
        let root = state.workspace.root().map(PathBuf::from).unwrap_or_default();
        let open: Vec<PathBuf> =
            state.documents.paths().filter_map(|(_, path)| Some(path.strip_prefix(&root).ok()?.to_owned())).collect();
        let current = state.chats.get(id).and_then(|chat| Some(chat.session.as_ref()?.as_str().to_owned()));
        let (room, repo, front) = (state.chats.room(), state.workspace.repo(), state.chats.front());
        let within = |path: &Path| Some(path.strip_prefix(&root).ok()?.to_str()?.replace('\\', "/"));
        let problems = state.servers.problems.files();
        let problems = problems.filter_map(|(path, problems)| Some((within(path)?, Counts::of(problems))));
        let problems = problems.filter(|(_, counts)| counts.all() > 0).collect();
        self.mentions.begin(Around { room, repo, files, open, front, problems, current }, &state.tasks);
    }

    /// The rows for the word that is being typed.
    fn offers(&mut self, state: &State) -> Vec<Offer> {
        let Some(completing) = self.completing.as_ref().filter(|completing| !completing.hidden) else {
            return Vec::new();
        };
        if completing.sign == '/' {
            let word = completing.word.to_lowercase();
            let fits = |name: &str| name.to_lowercase().starts_with(&word);
            let ours = SLASHES.iter().filter(|(name, ..)| fits(name));
            let ours = ours.map(|(name, does, slash)| Offer::command(name, does, *slash));
            return ours.chain(self.own.iter().filter(|command| fits(&command.name)).map(Offer::own)).collect();
        }
        let mut rows = in_sight(&state.chats.things, &completing.word);
        let seen = rows.len();
        for row in self.mentions.rows(&completing.word, &state.tasks) {
            if !rows[..seen].iter().any(|other| other.thing == row.thing) {
                rows.push(row.clone());
            }
        }
        rows.into_iter().map(Offer::mention).collect()
    }

    /// Draws the list; whether a row of it was pressed.
    fn list(
        &mut self,
        ui: &mut Ui,
        area: Rect,
        id: ChatId,
        offers: &[Offer],
        state: &mut State,
        events: &mut Vec<ChatEvent>,
    ) -> bool {
        let Some(completing) = self.completing.as_ref().filter(|completing| !completing.hidden && !offers.is_empty())
        else {
            self.list_at = None;
            return false;
        };
        let more = (completing.sign == '@').then(|| self.mentions.still_reads()).flatten();
        let moved = std::mem::take(&mut self.moved);
        let (picked, at) = offers::list(ui.ctx(), area, offers, completing.chosen, moved, more);
        self.list_at = Some(at);
        if let Some(n) = picked {
            self.accept(ui, id, &offers[n], state, events);
        }
        picked.is_some()
    }

    /// Takes in the person's own commands.
    fn take_commands(&mut self) {
        match self.reading.as_ref().map(Task::poll) {
            None | Some(Poll::Pending) => {}
            Some(Poll::Ready(mut own)) => {
                // What is there already stays what it is.
                own.retain(|command| !SLASHES.iter().any(|(name, ..)| *name == command.name));
                (self.own, self.reading) = (own, None);
            }
            Some(Poll::Lost) => self.reading = None,
        }
    }

    /// Does what a row of the list says, and takes its word out of the text.
    fn accept(&mut self, ui: &Ui, id: ChatId, offer: &Offer, state: &mut State, events: &mut Vec<ChatEvent>) {
        let (Some(completing), Some(chat)) = (self.completing.take(), state.chats.get_mut(id)) else { return };
        let end = completing.start + 1 + completing.word.chars().count();
        let text = &chat.draft.text;
        let rest: String = text.chars().skip(end).collect();
        let mut kept: String = text.chars().take(completing.start).collect();
        match &offer.what {
            Offered::Own(name) => kept.push_str(&format!("/{name} ")),
            // In the middle of a sentence its name stays: "The test in a.rs fails".
            Offered::Attach(thing) if !kept.trim().is_empty() => kept.push_str(&format!("{} ", thing.name())),
            Offered::Attach(_) | Offered::Slash(_) => {}
        }
        let caret = kept.chars().count();
        kept.push_str(rest.strip_prefix(' ').unwrap_or(&rest));
        chat.draft.text = kept;
        match &offer.what {
            Offered::Attach(thing) => attach(thing, id, state),
            Offered::Slash(slash) => events.push(ChatEvent::Slash(*slash)),
            Offered::Own(_) => {}
        }
        let mut edit = TextEdit::load_state(ui.ctx(), text_id()).unwrap_or_default();
        edit.cursor.set_char_range(Some(CCursorRange::one(CCursor::new(caret))));
        edit.store(ui.ctx(), text_id());
    }
}

/// Mode and model at the left, send or stop at the right.
fn controls_row(ui: &mut Ui, rect: Rect, id: ChatId, state: &mut State, events: &mut Vec<ChatEvent>) {
    let builder = UiBuilder::new().id_salt("controls").max_rect(rect).layout(Layout::left_to_right(Align::Center));
    let mut ui = ui.new_child(builder);
    ui.spacing_mut().item_spacing.x = space::XS;
    state.models.list(&state.paths, &state.tasks);
    let none = ModelList::default();
    let models = state.models.known().unwrap_or(&none);
    let Some(chat) = state.chats.get_mut(id) else { return };
    let thinks = thinks(chat, models);
    let mut chosen = mode(&mut ui, chat);
    chosen |= model(&mut ui, chat, models, if thinks { EFFORT } else { 0.0 }, events);
    if thinks {
        chosen |= effort(&mut ui, chat);
    }
    if chosen {
        ui.memory_mut(|memory| memory.request_focus(text_id()));
    }
    let (is_running, can_send) = (chat.running.is_some(), !chat.draft.is_empty());
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        if is_running && !can_send {
            if tip(ui.add(IconButton::new(icons::STOP, "Stop")), "Stop", Some("Escape")).clicked() {
                events.push(ChatEvent::Stop);
            }
        } else {
            let name = if is_running { "Send after this run" } else { "Send" };
            let response = ui.add_enabled(can_send, IconButton::new(icons::SEND, name));
            if tip(response, name, Some("Enter")).clicked() {
                events.push(ChatEvent::Send);
            }
        }
        let more = Button::new("").icon(icons::PLUS).quiet().name("Add to the message");
        let (mut picked, mut mention) = (None, false);
        Dropdown::of(more).menu_width(240.0).show(ui, |ui| {
            for thing in &state.chats.things {
                if ui.add(MenuItem::new(thing.label()).icon(thing_icon(thing))).clicked() {
                    picked = Some(thing.clone());
                }
            }
            if !state.chats.things.is_empty() {
                menu_separator(ui);
            }
            mention = ui.add(MenuItem::new("File, symbol, commit…").icon(icons::SEARCH).key("@")).clicked();
        });
        if mention {
            events.push(ChatEvent::Mention);
        }
        if let Some(thing) = picked {
            attach(&thing, id, state);
        }
    });
}

/// What is known of the model that is asked: its window, as a run has learnt it or as it is set up, and whether it sees.
fn model_of(chat: &Chat, models: &Models) -> chips::Model {
    let list = models.known();
    let named = chat.model.as_deref().or_else(|| list?.default.as_deref());
    let model = named.and_then(|named| list?.set_up.models.iter().find(|model| model.name == named));
    let window = chat.transcript.status.window.or_else(|| model?.context.map(u64::from));
    let blind = models.sees(chat.model.as_deref()) == Some(false);
    chips::Model { window, blind: blind.then(|| named.unwrap_or("the model").to_owned()) }
}

/// Room for the button that says how much the model thinks.
const EFFORT: f32 = 88.0;
/// Room for what stands at the right of the model's name.
const SENDING: f32 = 72.0;

/// Whether the model thinks, or one that may be asked in its place.
fn thinks(chat: &Chat, models: &ModelList) -> bool {
    let named = chat.model.as_deref().or(models.default.as_deref());
    let thinks =
        |model: &agent::provider::ModelSpec| model.capabilities.reasoning && Some(model.name.as_str()) == named;
    let route = models.set_up.routes.iter().find(|route| Some(route.name.as_str()) == named);
    let thinks_in = |route: &agent::models::Route| {
        models.set_up.models.iter().any(|model| model.capabilities.reasoning && route.models.contains(&model.name))
    };
    models.set_up.models.iter().any(thinks) || route.is_some_and(thinks_in)
}

/// How much the model may think; whether that was chosen.
fn effort(ui: &mut Ui, chat: &mut Chat) -> bool {
    let mut chosen = false;
    let shown = chat.effort.map_or("", Effort::name);
    let said = chat.effort.map_or("as the model does by itself", Effort::name);
    let button = Button::new(shown).icon(icons::BRAIN).quiet().name(format!("Thinking: {said}"));
    Dropdown::of(button.tip("How much the model thinks before it answers")).menu_width(220.0).show(ui, |ui| {
        let choices = std::iter::once(None).chain(Effort::ALL.map(Some));
        for choice in choices {
            let label = match choice {
                None => "As the model does by itself",
                Some(Effort::Off) => "Does not think",
                Some(Effort::Low) => "Thinks a little",
                Some(Effort::Medium) => "Thinks",
                Some(Effort::High) => "Thinks long",
            };
            if ui.add(MenuItem::new(label).chosen(choice == chat.effort)).clicked() {
                chat.effort = choice;
                chosen = true;
            }
        }
    });
    chosen
}

/// Which model is asked, in all the room but `right` points; whether it was chosen.
fn model(ui: &mut Ui, chat: &mut Chat, models: &ModelList, right: f32, events: &mut Vec<ChatEvent>) -> bool {
    let mut is_chosen = false;
    let shown = chat.model.clone().or_else(|| models.default.clone()).unwrap_or_else(|| "No model".to_owned());
    let button = Button::new(shown.as_str()).quiet().caret().max_width(ui.available_width() - SENDING - right);
    Dropdown::of(button.name(format!("Model: {shown}"))).menu_width(240.0).show(ui, |ui| {
        for model in &models.models {
            let note = match (model.found, model.price) {
                (true, _) => "found here".to_owned(),
                (false, Some(price)) => format!("{} / {} per M", price.input, price.output),
                (false, None) => String::new(),
            };
            let chosen = chat.model.as_deref().or(models.default.as_deref()) == Some(model.name.as_str());
            if ui.add(MenuItem::new(model.name.as_str()).chosen(chosen).key(note)).clicked() {
                chat.model = Some(model.name.clone());
                is_chosen = true;
            }
        }
        if !models.models.is_empty() {
            menu_separator(ui);
        }
        if ui.add(MenuItem::new("Look for models again").icon(icons::REFRESH)).clicked() {
            events.push(ChatEvent::LookForModels);
        }
        if ui.add(MenuItem::new("Models and servers").icon(icons::SETTINGS)).clicked() {
            events.push(ChatEvent::Models);
        }
    });
    is_chosen
}

/// What the model may do; whether that was chosen.
fn mode(ui: &mut Ui, chat: &mut Chat) -> bool {
    let mut chosen = false;
    let of = |mode| match mode {
        Mode::Ask => ("Ask", "reads and answers"),
        Mode::Plan => ("Plan", "reads and makes a plan"),
        Mode::Agent => ("Agent", "changes files, too"),
    };
    let (name, _) = of(chat.mode);
    Dropdown::of(Button::new(name).caret().name(format!("Mode: {name}"))).menu_width(220.0).show(ui, |ui| {
        for mode in Mode::ALL {
            let (name, does) = of(mode);
            if ui.add(MenuItem::new(name).chosen(chat.mode == mode).key(does)).clicked() {
                chat.mode = mode;
                chosen = true;
            }
        }
    });
    chosen
}

/// Whether the pointer is down in a rectangle, or just was.
fn is_pressed_in(ui: &Ui, rect: Rect) -> bool {
    ui.input(|input| {
        let pointer = &input.pointer;
        (pointer.any_down() || pointer.any_released()) && pointer.latest_pos().is_some_and(|at| rect.contains(at))
    })
}

/// Takes the press of a key without others.
fn pressed(ui: &Ui, wanted: Key) -> bool {
    ui.input_mut(|input| {
        let is_it = |event: &Event| {
            matches!(event, Event::Key { key, pressed: true, modifiers, .. } if *key == wanted && modifiers.is_none())
        };
        let at = input.events.iter().position(is_it);
        at.map(|at| input.events.remove(at)).is_some()
    })
}

/// The word that is being typed behind `@` or, at the beginning, `/`: where its sign stands, in characters.
fn word_at(text: &str, caret: usize) -> Option<(usize, char, String)> {
    let before: Vec<char> = text.chars().take(caret).collect();
    let start = before.iter().rposition(|c| c.is_whitespace()).map_or(0, |at| at + 1);
    let sign = *before.get(start)?;
    let is_sign = sign == '@' || (sign == '/' && start == 0);
    is_sign.then(|| (start, sign, before[start + 1..].iter().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_completed_behind_its_sign_only() {
        let word =
            |text: &str| word_at(text, text.chars().count()).map(|(start, sign, word)| format!("{start}{sign}{word}"));
        assert_eq!(word("see @src/m"), Some("4@src/m".to_owned()));
        assert_eq!(word("@"), Some("0@".to_owned()));
        assert_eq!(word("a@b"), None, "an address is no file");
        assert_eq!(word("/rev"), Some("0/rev".to_owned()));
        assert_eq!(word("and /rev"), None, "commands stand at the beginning");
        assert_eq!(word("@a b"), None);
        assert_eq!(word_at("@abc", 2), Some((0, '@', "a".to_owned())), "up to the caret");
    }
}
