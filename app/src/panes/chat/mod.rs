//! The chat panel: a conversation with a model, what it does and what came of it.
//!
//! From top to bottom: the title; the conversation, or what stands in its place; what is asked, waits and was changed;
//! the message that is written; a line about the run.
//!
//! - [`list`]: scrolling; [`item`]: what is in it; [`card`]: its actions; [`approval`]: what the agent asks
//! - [`composer`]: the message; [`sessions`]: past conversations; [`first`]: before there is any model

mod approval;
mod card;
pub mod composer;
mod first;
mod item;
mod list;
mod sessions;

use std::time::Instant;

use agent::checkpoint::What;
use agent::event::Moment;
use agent::run::Mode;
use eframe::egui::{
    Align, Layout as Flow, Margin, Rect, RichText, Role, Sense, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};

use crate::commands::{Action, Command, Sink};
use crate::state::State;
use crate::state::chats::rounds;
use crate::state::chats::thread::Order;
use crate::state::chats::transcript::{Item, Status};
use crate::state::chats::{Attachment, Chat, ChatId, Thing};
use crate::theme::{Icon, icons, look, radius, space};
use crate::widgets::{Button, Counts, IconButton, skeleton_rows, text, thin_progress};
use item::{Brush, Laid, Pressed};
use list::List;

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
    /// The keyboard goes back to the panes.
    Leave,
    Slash(composer::Slash),
    LookForModels,
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
        Attachment::File(_) => icons::FILE_CODE,
        Attachment::Text { .. } => icons::FILE_TEXT,
        Attachment::Changes => icons::REVIEW,
    }
}

/// Adds something to the message; says so where it is not there.
fn attach(thing: &Thing, id: ChatId, state: &mut State) {
    let Some(attached) = thing.take(&state.terminals) else {
        state.notices.info("No command has ended in the terminal yet.");
        return;
    };
    if let Some(chat) = state.chats.get_mut(id)
        && !chat.draft.attached.contains(&attached)
    {
        chat.draft.attached.push(attached);
    }
}

impl ChatView {
    /// Shows past conversations.
    pub fn show_sessions(&mut self) {
        self.showing = Showing::Sessions(Some(Instant::now()));
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
    let (head, body) = rect.with_min_x(rect.left() + 1.0).split_top_bottom_at_y(rect.top() + HEAD);
    if state.workspace.root().is_none() {
        title(ui, head, &mut view, None, state, sink);
        first::no_folder(ui, body, sink);
    } else {
        let id = state.chats.current.unwrap_or_else(|| state.chats.begin());
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
    let composer = composer::Composer::height(ui, chat, width, most) + space::XS;
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
    let used = between_them(ui, column(middle), view, id, state, &mut pressed);
    if (used - view.between).abs() > 0.5 {
        view.between = used;
        ui.ctx().request_repaint();
    }
    view.composer.draw(ui, column(message), id, state, &mut events);
    status_line(ui, column(status), id, state);
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
    let mut brush = Brush { highlights, tasks, running, now: Moment::now().0 };
    let mut pressed = None;
    for &(index, y) in &shown {
        let at = pos2(column.left(), view_rect.top() + y);
        if let Some(found) = laid.draw(ui, index, &entries[index], at, &mut brush) {
            pressed = Some(found);
        }
    }
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

/// What stands between the conversation and the message, from the bottom of `rect` up; how high it is.
fn between_them(
    ui: &mut Ui,
    rect: Rect,
    view: &mut ChatView,
    id: ChatId,
    state: &mut State,
    pressed: &mut Option<Pressed>,
) -> f32 {
    let mut ui = ui.new_child(UiBuilder::new().id_salt("between").max_rect(rect).layout(Flow::top_down(Align::Min)));
    ui.set_clip_rect(rect.intersect(ui.clip_rect()));
    ui.spacing_mut().item_spacing.y = space::XS;
    let top = ui.min_rect().top();
    let mut taken_back = None;
    if let Some(chat) = state.chats.get_mut(id) {
        view.approval.draw(&mut ui, chat);
        for (n, waiting) in chat.queue.iter().enumerate() {
            if queued(&mut ui, n, &waiting.text) {
                taken_back = Some(n);
            }
        }
        if let Some(draft) = taken_back.and_then(|n| chat.queue.remove(n)) {
            chat.draft = draft;
        }
    }
    let mut order = None;
    if let Some(chat) = state.chats.get_mut(id) {
        rewound(&mut ui, chat, &mut order);
        chips(&mut ui, chat, pressed);
        changes_bar(&mut ui, chat, &mut order);
    }
    if let Some(order) = order {
        state.chats.order(id, order, &state.tasks);
    }
    let used = ui.min_rect().bottom() - top;
    if used > 0.0 { used + space::XS } else { 0.0 }
}

/// A message that waits for the run to be over; whether it is taken back.
fn queued(ui: &mut Ui, n: usize, said: &str) -> bool {
    let (theme, metrics) = look(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 26.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("Waits to be sent: {said}")));
    ui.painter().rect_filled(rect, radius::CONTROL, theme.surface.raised);
    icons::HOURGLASS.paint_sized(ui.painter(), pos2(rect.left() + 14.0, rect.center().y), 13.0, theme.text.muted);
    let line =
        text::line(ui, said.lines().next().unwrap_or_default(), metrics.small(), theme.text.muted, rect.width() - 64.0);
    ui.painter().galley(pos2(rect.left() + 28.0, rect.center().y - line.size().y / 2.0), line, theme.text.muted);
    let at = Rect::from_min_max(pos2(rect.right() - 28.0, rect.top() + 1.0), rect.max);
    let mut button = ui.new_child(UiBuilder::new().id_salt(("queued", n)).max_rect(at));
    button.add(IconButton::new(icons::EDIT, "Take back and edit").small()).clicked()
}

/// What a rewind did, and its undoing.
fn rewound(ui: &mut Ui, chat: &mut Chat, order: &mut Option<Order>) {
    let Some(report) = &chat.rewound else { return };
    let (theme, _) = look(ui);
    let files = match report.restored.len() {
        0 => String::new(),
        1 => format!("{} is as it was.", report.restored[0]),
        many => format!("{many} files are as they were."),
    };
    let conversation = if report.conversation { "The conversation was taken back. " } else { "" };
    let mut put_away = false;
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(format!("{conversation}{files}")).color(theme.text.muted));
        if ui.add(Button::new("Undo").icon(icons::REDO).quiet()).clicked() {
            *order = Some(Order::UndoRewind);
        }
        put_away = ui.add(IconButton::new(icons::X, "Put away").small()).clicked();
    });
    for (path, why) in &report.kept {
        ui.label(RichText::new(format!("{path}: {why}")).color(theme.signal.warning));
    }
    if put_away || order.is_some() {
        chat.rewound = None;
    }
}

/// What comes next, as a press: after a plan, and where an answer could be acted on.
fn chips(ui: &mut Ui, chat: &mut Chat, pressed: &mut Option<Pressed>) {
    let ended = chat.transcript.entries().last().is_some_and(|entry| {
        matches!(entry.item, Item::Ended { end: agent::event::End::Done | agent::event::End::Answered, .. })
    });
    if !ended || chat.running.is_some() || chat.mode == Mode::Agent || !chat.draft.is_empty() {
        return;
    }
    let (label, says) = match chat.mode {
        Mode::Plan => ("Carry out this plan", "Carry out this plan."),
        _ => ("Do it", "Make these changes."),
    };
    ui.horizontal(|ui| {
        if ui.add(Button::new(label).icon(icons::PLAY).tip("Changes to Agent mode and asks for it")).clicked() {
            chat.mode = Mode::Agent;
            says.clone_into(&mut chat.draft.text);
            *pressed = Some(Pressed::Continue);
        }
    });
}

/// What runs made of files and nobody kept: `3 files +40 −12 · Review · Keep all · Undo all`.
fn changes_bar(ui: &mut Ui, chat: &Chat, order: &mut Option<Order>) {
    if chat.changes.is_empty() {
        return;
    }
    let (theme, metrics) = look(ui);
    let (added, removed) = chat.changes.iter().fold((0, 0), |sum, file| (sum.0 + file.added, sum.1 + file.removed));
    let files = match chat.changes.len() {
        1 => "1 file".to_owned(),
        many => format!("{many} files"),
    };
    let frame = eframe::egui::Frame::new()
        .fill(theme.surface.raised)
        .stroke(Stroke::new(1.0, theme.border.line))
        .corner_radius(radius::CARD)
        .inner_margin(Margin::symmetric(8, 2));
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = space::XS;
            let label = ui.label(RichText::new(&files).font(metrics.medium()).color(theme.text.normal));
            let paths: Vec<&str> = chat.changes.iter().take(20).map(|file| file.path.as_str()).collect();
            label.on_hover_text(paths.join("\n"));
            ui.add(Counts::new(added, removed));
            ui.with_layout(Flow::right_to_left(Align::Center), |ui| {
                ui.add_enabled_ui(chat.running.is_none(), |ui| {
                    if ui
                        .add(Button::new("Undo all").quiet().tip("Takes back what the model changed; can be undone"))
                        .clicked()
                    {
                        *order = Some(Order::UndoAll);
                    }
                    if ui.add(Button::new("Keep all").quiet().tip("The changes are yours from now on")).clicked() {
                        *order = Some(Order::KeepAll);
                    }
                    compare_menu(ui, chat, order);
                    if ui
                        .add(
                            Button::new("Review")
                                .name("Review changes")
                                .tip("Shows the changes, to be accepted or rejected"),
                        )
                        .clicked()
                    {
                        *order = Some(Order::Review);
                    }
                });
            });
        });
    });
}

/// What of the runs can be compared, where there were several.
fn compare_menu(ui: &mut Ui, chat: &Chat, order: &mut Option<Order>) {
    if chat.rounds.len() < 2 {
        return;
    }
    let button = Button::new("").caret().quiet().name("Compare runs").tip("Compares runs with each other");
    crate::widgets::Dropdown::of(button).menu_width(280.0).show(ui, |ui| {
        for (label, from, to) in rounds::choices(&chat.rounds) {
            if ui.add(crate::widgets::MenuItem::new(label)).clicked() {
                *order = Some(Order::Compare { from, to });
            }
        }
    });
}

/// `step 3/12 · 6.2k of 16k · 93 % cached · 11 tok/s`, and how much of the prompt was read.
fn status_line(ui: &mut Ui, rect: Rect, id: ChatId, state: &State) {
    let Some(chat) = state.chats.get(id) else { return };
    let (theme, metrics) = look(ui);
    let status = &chat.transcript.status;
    if chat.running.is_some()
        && let Some(reading) = status.reading
    {
        let bar = Rect::from_min_size(rect.min, vec2(rect.width(), 2.0));
        let mut ui = ui.new_child(UiBuilder::new().id_salt("reading").max_rect(bar));
        thin_progress(&mut ui, Some(reading.done as f32 / reading.total.max(1) as f32));
    }
    let parts = parts(status, chat.running.as_ref().map(|running| running.since));
    let color = match status.used() {
        Some(used) if used >= 0.9 => theme.signal.danger,
        Some(used) if used >= 0.75 => theme.signal.warning,
        _ => theme.text.muted,
    };
    let said = parts.join(" · ");
    let line = text::line(ui, &said, metrics.small(), color, rect.width());
    let response = ui.interact(rect, ui.scope_id().with("chat status"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Status, true, &said));
    ui.painter().galley(pos2(rect.left(), rect.center().y - line.size().y / 2.0), line, color);
    if !said.is_empty() {
        let spent = status.spent;
        let because = status.because.as_ref().map(|why| format!(", because {why}")).unwrap_or_default();
        response.on_hover_text(format!(
            "Model {}{because}\nThis conversation: {} tokens read ({} of them cached), {} written{}",
            status.model,
            text::grouped(spent.prompt),
            text::grouped(spent.cached),
            text::grouped(spent.completion),
            spent.cost.map(|cost| format!(", {cost:.4} in all")).unwrap_or_default(),
        ));
    }
}

fn parts(status: &Status, since: Option<Instant>) -> Vec<String> {
    let mut parts = Vec::new();
    if let (Some(since), Some((step, limit))) = (since, status.step) {
        parts.push(format!("step {step}/{limit}"));
        parts.push(card::duration(since.elapsed().as_secs() * 1000));
    }
    if since.is_some() && status.waits {
        parts.push("waits for the model".to_owned());
    }
    if let Some(reading) = status.reading.filter(|_| since.is_some()) {
        parts.push(format!("reads {} of {}", short(reading.done), short(reading.total)));
    }
    if status.prompt > 0 {
        parts.push(match status.window {
            Some(window) => format!("{} of {}", short(status.prompt), short(window)),
            None => format!("{} tokens", short(status.prompt)),
        });
        parts.push(format!("{} % cached", status.cached * 100 / status.prompt));
    }
    if let Some(speed) = status.speed() {
        parts.push(format!("{speed:.0} tok/s"));
    }
    if let Some(cost) = status.spent.cost {
        parts.push(format!("cost {cost:.3}"));
    }
    // Where there was a choice, it is to be seen who was chosen.
    if status.because.is_some() && !status.model.is_empty() {
        parts.push(format!("by {}", status.model));
    }
    parts
}

/// `950`, `6.2k`, `131k`
fn short(tokens: u64) -> String {
    match tokens {
        0..1000 => tokens.to_string(),
        1000..10_000 => format!("{:.1}k", tokens as f64 / 1000.0),
        _ => format!("{}k", tokens / 1000),
    }
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
        ChatEvent::Leave => ui.memory_mut(|memory| memory.surrender_focus(composer::text_id())),
        ChatEvent::LookForModels => {
            let paths = state.paths.clone();
            state.models.look(&paths, &state.tasks);
        }
        ChatEvent::Models => sink.push(Command::Models),
        ChatEvent::Slash(slash) => {
            use composer::Slash;
            match slash {
                Slash::New => sink.push(Command::NewChat),
                Slash::Sessions => view.show_sessions(),
                Slash::Changes => state.chats.order(id, Order::Review, &state.tasks),
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
                        chat.draft.attached.extend(changes.then_some(Attachment::Changes));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_told_in_three_figures() {
        assert_eq!([short(950), short(6210), short(131_072)], ["950", "6.2k", "131k"]);
    }

    #[test]
    fn the_status_is_one_line() {
        let status = Status {
            step: Some((3, 12)),
            prompt: 6200,
            cached: 5766,
            window: Some(16_384),
            reply: Some((110, 10_000)),
            ..Status::default()
        };
        let said = parts(&status, Some(Instant::now())).join(" · ");
        assert_eq!(said, "step 3/12 · 0.0 s · 6.2k of 16k · 93 % cached · 11 tok/s");
        let spent = crate::state::chats::transcript::Spent { cost: Some(0.0123), ..status.spent };
        let chosen = Status { because: Some("it is free".into()), model: "big".into(), spent, ..status };
        assert!(parts(&chosen, None).join(" · ").ends_with("cost 0.012 · by big"));
    }
}
