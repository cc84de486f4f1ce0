//! The chat panel: a conversation with a model, what it does and what came of it.
//!
//! From top to bottom: the title; the conversation, or what stands in its place; what is asked, waits and was changed;
//! the message that is written; a line about the run.
//!
//! - [`list`]: scrolling; [`item`]: what is in it; [`card`]: its actions, [`patch`]: what they changed; [`approval`]: what
//!   the agent asks
//! - [`bars`]: what waits and was changed; [`status`]: the line about the run
//! - [`composer`]: the message; [`sessions`]: past conversations; [`first`]: before there is any model

mod approval;
mod bars;
mod card;
pub mod composer;
mod first;
mod item;
mod list;
mod patch;
mod sessions;
mod status;

use std::path::Path;
use std::time::Instant;

use agent::checkpoint::What;
use agent::event::Moment;
use eframe::egui::{Align, Layout as Flow, Rect, Role, Sense, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use crate::commands::{Action, Command, Sink};
use crate::state::State;
use crate::state::chats::picture;
use crate::state::chats::thread::Order;
use crate::state::chats::transcript::Item;
use crate::state::chats::{Attachment, Chat, ChatId, Thing};
use crate::theme::{Icon, icons, look, space};
use crate::widgets::{Button, IconButton, skeleton_rows, text};
pub(crate) use item::applicable;
use item::{Brush, Laid, Pressed};
use list::List;
pub(crate) use status::short;

/// Height of the title; that of the tabs beside it.
const HEAD: f32 = 32.0;
/// Height of the line about the run.
const STATUS: f32 = 22.0;
/// Width of the column of messages at most.
const COLUMN: f32 = 720.0;

/// What the panel shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Showing {
    #[default]
    Chat,
    /// Past conversations, since they were asked for.
    Sessions(Option<Instant>),
}

/// The view's part of the panel.
#[derive(Default)]
pub struct ChatView {
    list: List,
    laid: Laid,
    pub composer: composer::Composer,
    approval: approval::Approval,
    sessions: sessions::SessionsView,
    showing: Showing,
    /// The conversation that was drawn last.
    of: Option<ChatId>,
    /// Where it was drawn last.
    pub place: Option<Rect>,
    /// How high what stands between the conversation and the message was.
    between: f32,
    /// A run that is to be shown, once the conversation is there.
    wanted: Option<u32>,
}

/// What was asked for in the panel.
#[derive(Clone, Debug, PartialEq)]
pub enum ChatEvent {
    Send,
    Stop,
    /// Scrolls the conversation by a page, down or up.
    Page(bool),
    /// The keyboard goes back to the panes.
    Leave,
    Slash(composer::Slash),
    LookForModels,
    /// Something is to be named behind an `@`.
    Mention,
    /// The page of models and servers.
    Models,
}

/// The icon of something that can go along with a message.
fn thing_icon(thing: &Thing) -> Icon {
    match thing {
        Thing::Here(attached) => attachment_icon(attached),
        Thing::Output(_) => icons::TERMINAL,
    }
}

/// The icon of something that goes along with a message.
fn attachment_icon(attached: &Attachment) -> Icon {
    match attached {
        Attachment::File(path) => icons::for_path(path),
        Attachment::Folder(_) => icons::FOLDER,
        Attachment::Symbol { .. } => icons::BRACKETS,
        Attachment::Text { .. } => icons::FILE_TEXT,
        Attachment::Changes => icons::REVIEW,
        Attachment::Problems { .. } => icons::PROBLEMS,
        Attachment::Commit { .. } => icons::GIT_COMMIT,
        Attachment::Session { .. } => icons::COMMENTS,
        Attachment::Picture(_) => icons::IMAGE,
    }
}

/// Adds something to the message; says so where it is not there.
fn attach(thing: &Thing, id: ChatId, state: &mut State) {
    if let (Thing::Here(Attachment::File(path)), Some(root)) = (thing, state.workspace.root())
        && picture::is_picture(Path::new(path))
    {
        let from = picture::From::File(root.join(path));
        return state.chats.add_picture(id, from, &state.tasks);
    }
    let Some(attached) = thing.take(&state.terminals) else {
        state.notices.info("No command has ended in the terminal yet.");
        return;
    };
    if let Some(chat) = state.chats.get_mut(id) {
        chat.draft.attach(attached);
    }
}

impl ChatView {
    /// Shows past conversations.
    pub fn show_sessions(&mut self) {
        self.showing = Showing::Sessions(Some(Instant::now()));
    }

    /// Shows the conversation; what it asks has the keyboard.
    pub fn reveal(&mut self) {
        self.showing = Showing::Chat;
    }

    /// Shows the conversation and gives the keyboard to its message.
    pub fn focus(&mut self) {
        self.showing = Showing::Chat;
        self.composer.focus = true;
        self.composer.caret_to_end = true;
    }

    /// Shows what a run was asked.
    pub fn show_run(&mut self, run: u32) {
        self.showing = Showing::Chat;
        self.wanted = Some(run);
    }

    /// Goes to the run that is to be shown, if it is there.
    fn find_wanted(&mut self, chat: &Chat) {
        let Some(wanted) = self.wanted.filter(|_| !chat.loading) else { return };
        self.wanted = None;
        let is_it = |item: &Item| matches!(item, Item::Prompt { run, .. } if *run == wanted);
        if let Some(index) = chat.transcript.entries().iter().position(|entry| is_it(&entry.item)) {
            self.list.go_to(index);
        }
    }

    /// The item at the top of the view.
    pub fn top(&self) -> usize {
        self.list.top()
    }

    /// Goes to the beginning of the conversation, or to its end.
    pub fn go_to_end(&mut self, end: bool) {
        match end {
            true => self.list.follow = true,
            false => self.list.go_to(0),
        }
    }

    /// Goes to the prompt before or after what is at the top.
    pub fn step(&mut self, chat: &Chat, forward: bool) {
        let prompts =
            chat.transcript.entries().iter().enumerate().filter(|(_, e)| matches!(e.item, Item::Prompt { .. }));
        let here = self.list.top();
        let found = match forward {
            true => prompts.map(|(n, _)| n).find(|&n| n > here),
            false => prompts.map(|(n, _)| n).take_while(|&n| n < here).last(),
        };
        match found {
            Some(index) => self.list.go_to(index),
            None => self.list.follow |= forward,
        }
    }
}

/// Draws the panel into the whole of `ui`.
pub fn draw(ui: &mut Ui, state: &mut State, sink: &mut Sink) {
    let rect = ui.max_rect();
    let (theme, _) = look(ui);
    ui.painter().rect_filled(rect, 0.0, theme.surface.panel);
    ui.painter().vline(rect.left() + 0.5, rect.y_range(), Stroke::new(1.0, theme.border.line));
    let mut view = std::mem::take(&mut state.shell.chat);
    view.place = Some(rect);
    let (head, body) = rect.with_min_x(rect.left() + 1.0).split_top_bottom_at_y(rect.top() + HEAD);
    if state.workspace.root().is_none() {
        title(ui, head, &mut view, None, state, sink);
        first::no_folder(ui, body, sink);
    } else {
        let id = state.chats.current_or_begin(&state.tasks);
        if view.of != Some(id) {
            (view.list, view.of) = (List::default(), Some(id));
            view.laid.clear();
        }
        title(ui, head, &mut view, Some(id), state, sink);
        match view.showing {
            Showing::Sessions(since) => {
                if sessions::draw(ui, body, &mut view.sessions, state, since.unwrap_or_else(Instant::now)) {
                    view.focus();
                }
            }
            Showing::Chat => conversation(ui, body, &mut view, id, state, sink),
        }
    }
    state.shell.chat = view;
}

fn title(ui: &mut Ui, rect: Rect, view: &mut ChatView, id: Option<ChatId>, state: &mut State, sink: &mut Sink) {
    let (theme, metrics) = look(ui);
    ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, theme.border.line));
    let inner = Rect::from_min_max(rect.min + vec2(space::M, 0.0), rect.max - vec2(space::XS, 0.0));
    let mut bar =
        ui.new_child(UiBuilder::new().id_salt("title").max_rect(inner).layout(Flow::right_to_left(Align::Center)));
    bar.spacing_mut().item_spacing.x = 2.0;
    if bar.add(IconButton::new(icons::X, "Hide chat").small()).clicked() {
        sink.push(Command::ToggleChat);
    }
    if id.is_some() {
        let listed = matches!(view.showing, Showing::Sessions(_));
        let others =
            state.chats.iter().filter(|(other, chat)| Some(*other) != id && (chat.unseen || chat.asked.is_some()));
        let name = match others.count() {
            0 => "Past conversations".to_owned(),
            1 => "Past conversations, one has news".to_owned(),
            many => format!("Past conversations, {many} have news"),
        };
        let has_news = name.contains("news");
        let response = bar.add(IconButton::new(icons::HISTORY, name).small().selected(listed));
        if has_news {
            let at = response.rect.center() + vec2(7.0, -6.0);
            bar.painter().circle_filled(at, 3.5, theme.signal.accent);
        }
        if response.clicked() {
            match listed {
                true => view.focus(),
                false => view.show_sessions(),
            }
        }
        if bar.add(IconButton::new(icons::PLUS, "New conversation").small()).clicked() {
            sink.push(Command::NewChat);
        }
    }
    let name = match (view.showing, id.and_then(|id| state.chats.get(id))) {
        (Showing::Sessions(_), _) => "Conversations",
        (_, Some(chat)) => chat.name(),
        (_, None) => "Chat",
    };
    let room = (bar.available_width() - space::S).max(0.0);
    let line = text::line(ui, name, metrics.medium(), theme.text.normal, room);
    let place = Rect::from_min_size(pos2(inner.left(), rect.center().y - line.size().y / 2.0), line.size());
    let label = ui.interact(place, ui.scope_id().with("chat title"), Sense::hover());
    label.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("Conversation: {name}")));
    ui.painter().galley(place.min, line, theme.text.normal);
}

/// A conversation: what was said, and where more is said.
fn conversation(ui: &mut Ui, rect: Rect, view: &mut ChatView, id: ChatId, state: &mut State, sink: &mut Sink) {
    let column = |rect: Rect| {
        let width = (rect.width() - 2.0 * space::M).min(COLUMN);
        Rect::from_center_size(rect.center(), vec2(width, rect.height()))
    };
    let Some(chat) = state.chats.get(id) else { return };
    view.find_wanted(chat);
    let most = (rect.height() * 0.4).max(60.0);
    let width = column(rect).width();
    let composer = view.composer.height(ui, chat, width, most) + space::XS;
    let (above, status) = rect.split_top_bottom_at_y(rect.bottom() - STATUS);
    let (above, message) = above.split_top_bottom_at_y(above.bottom() - composer);
    let between = view.between.min(above.height() * 0.7);
    let (said, middle) = above.split_top_bottom_at_y(above.bottom() - between);
    let mut pressed = None;
    let mut events = Vec::new();
    if chat.transcript.is_empty() && chat.loading {
        let mut ui = ui.new_child(UiBuilder::new().id_salt("loading").max_rect(column(said).shrink(space::M)));
        skeleton_rows(&mut ui, state.chats.get(id).map_or_else(Instant::now, Chat::asked_since), 4, 48.0);
    } else if chat.transcript.is_empty() {
        first::draw(ui, column(said), state, &mut events, sink);
    } else {
        pressed = messages(ui, said, column(said), view, id, state);
    }
    let used = bars::draw(ui, column(middle), view, id, state, &mut pressed);
    if (used - view.between).abs() > 0.5 {
        view.between = used;
        ui.ctx().request_repaint();
    }
    view.composer.draw(ui, column(message), id, state, &mut events);
    status::draw(ui, column(status), id, state);
    for event in events {
        carry_out(ui, event, view, id, state, sink);
    }
    if let Some(pressed) = pressed {
        answer(pressed, view, id, state, sink);
    }
}

fn messages(
    ui: &mut Ui,
    rect: Rect,
    column: Rect,
    view: &mut ChatView,
    id: ChatId,
    state: &mut State,
) -> Option<Pressed> {
    let State { chats, highlights, tasks, .. } = state;
    let chat = chats.get(id)?;
    let mut ui = ui.new_child(UiBuilder::new().id_salt("messages").max_rect(rect));
    ui.set_clip_rect(rect.intersect(ui.clip_rect()));
    let ui = &mut ui;
    let (view_rect, column) = (rect.shrink2(vec2(0.0, space::XS)), column.shrink2(vec2(0.0, space::XS)));
    view.laid.fit(ui, column.width());
    if ui.rect_contains_pointer(rect) {
        view.list.scroll(-ui.input(|input| input.smooth_scroll_delta().y));
    }
    let entries = chat.transcript.entries();
    let ChatView { list, laid, .. } = view;
    let shown = list.visible(entries.len(), view_rect.height(), &mut |index| laid.height(ui, index, &entries[index]));
    let running = chat.running.is_some();
    let front = chats.front();
    let mut brush = Brush { highlights, tasks, running, front: front.as_deref(), now: Moment::now().0 };
    let mut pressed = None;
    for &(index, y) in &shown {
        let at = pos2(column.left(), view_rect.top() + y);
        if let Some(found) = laid.draw(ui, index, &entries[index], at, &mut brush) {
            pressed = Some(found);
        }
    }
    laid.keep_near(shown.first().map_or(0, |(first, _)| *first)..shown.last().map_or(0, |(last, _)| last + 1));
    list.bar(ui, rect, entries.len(), shown.len(), ui.scope_id().with("bar"));
    if !list.follow {
        let at = Rect::from_center_size(pos2(column.center().x, rect.bottom() - 20.0), vec2(120.0, 28.0));
        let mut button = ui.new_child(UiBuilder::new().id_salt("to the end").max_rect(at));
        if button.add(Button::new("To the end").icon(icons::ARROW_DOWN)).clicked() {
            list.follow = true;
        }
    }
    if running {
        // Seconds pass.
        ui.ctx().request_repaint_after(std::time::Duration::from_millis(500));
    }
    pressed
}

fn carry_out(ui: &Ui, event: ChatEvent, view: &mut ChatView, id: ChatId, state: &mut State, sink: &mut Sink) {
    match event {
        ChatEvent::Send => {
            if let Some(chat) = state.chats.get_mut(id) {
                view.composer.unfold(chat);
            }
            state.chats.send(id, &state.tasks);
            view.list.follow = true;
        }
        ChatEvent::Stop => sink.push(Command::StopChat),
        ChatEvent::Page(down) => {
            view.list.page(down);
            ui.ctx().request_repaint(); // it was drawn already
        }
        ChatEvent::Leave => ui.memory_mut(|memory| memory.surrender_focus(composer::text_id())),
        ChatEvent::LookForModels => {
            let paths = state.paths.clone();
            state.models.look(&paths, &state.tasks);
        }
        ChatEvent::Mention => {
            if let Some(chat) = state.chats.get_mut(id) {
                let apart = chat.draft.text.is_empty() || chat.draft.text.ends_with(char::is_whitespace);
                chat.draft.text.push_str(if apart { "@" } else { " @" });
            }
            view.focus();
        }
        ChatEvent::Models => sink.push(Command::Models),
        ChatEvent::Slash(slash) => {
            use composer::Slash;
            match slash {
                Slash::New => sink.push(Command::NewChat),
                Slash::Sessions => view.show_sessions(),
                Slash::Changes => state.chats.review(id),
                Slash::UndoRewind => state.chats.order(id, Order::UndoRewind, &state.tasks),
                Slash::Compact => {
                    let model = state.chats.get(id).and_then(|chat| chat.model.clone());
                    let cancel = editor::Cancel::new();
                    state.chats.order(id, Order::Compact { model, cancel }, &state.tasks);
                }
                Slash::Ask(mode, prompt, changes) => {
                    if let Some(chat) = state.chats.get_mut(id) {
                        chat.mode = mode;
                        prompt.trim().clone_into(&mut chat.draft.text);
                        changes
                            .then_some(Attachment::Changes)
                            .into_iter()
                            .for_each(|changes| chat.draft.attach(changes));
                    }
                    state.chats.send(id, &state.tasks);
                    view.list.follow = true;
                }
            }
        }
    }
}

fn answer(pressed: Pressed, view: &mut ChatView, id: ChatId, state: &mut State, sink: &mut Sink) {
    match pressed {
        Pressed::Toggle(index) => {
            if let Some(chat) = state.chats.get_mut(id) {
                chat.transcript.toggle(index);
                view.list.follow = false; // what was opened stays where it is
            }
        }
        Pressed::Copy(text) => sink.push(Action::Copy(text)),
        Pressed::Insert(text) => sink.push(Action::Insert(text)),
        Pressed::Apply(code, index) => state.chats.apply(id, *code, index, &state.tasks),
        Pressed::OpenText { text, language } => sink.push(Action::OpenText { text, language }),
        Pressed::OpenFile(path) => {
            if let Some(root) = state.workspace.root() {
                sink.push(Action::OpenFile { path: root.join(path), at: None });
            }
        }
        Pressed::EditPrompt(run) => {
            state.chats.edit_prompt(id, run, What::Both, &state.tasks);
            view.focus();
        }
        Pressed::Rewind(run, what) => state.chats.order(id, Order::Rewind { run, what }, &state.tasks),
        Pressed::Retry(run) => state.chats.retry(id, run, &state.tasks),
        Pressed::Continue => {
            if let Some(chat) = state.chats.get_mut(id)
                && chat.draft.is_empty()
            {
                "Continue.".clone_into(&mut chat.draft.text);
            }
            state.chats.send(id, &state.tasks);
            view.list.follow = true;
        }
    }
}
