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

use std::path::Path;
use std::time::Instant;

use agent::checkpoint::{Report, What};
use agent::event::Moment;
use agent::run::Mode;
use eframe::egui::{
    Align, Layout as Flow, Margin, Rect, RichText, Role, Sense, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};

use crate::commands::{Action, Command, Sink};
use crate::state::State;
use crate::state::chats::thread::Order;
use crate::state::chats::transcript::{Item, Status};
use crate::state::chats::{Attachment, Chat, ChatId, Thing};
use crate::state::chats::{picture, rounds};
use crate::theme::{Icon, icons, look, radius, space};
use crate::widgets::{Button, Counts, IconButton, skeleton_rows, text, thin_progress};
pub(crate) use item::applicable;
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
    view.place = Some(rect);
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
    let front = chats.front();
    let mut brush = Brush { highlights, tasks, running, front: front.as_deref(), now: Moment::now().0 };
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
    let (mut order, mut review) = (None, false);
    if let Some(chat) = state.chats.get_mut(id) {
        rewound(&mut ui, chat, &mut order);
        chips(&mut ui, chat, pressed);
        review = changes_bar(&mut ui, chat, &mut order);
    }
    if let Some(order) = order {
        state.chats.order(id, order, &state.tasks);
    }
    if review {
        state.chats.review(id);
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
    let mut put_away = false;
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(told(report)).color(theme.text.muted));
        if !report.undone && ui.add(Button::new("Undo").icon(icons::REDO).quiet()).clicked() {
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

/// What a rewind did, as a sentence or two.
fn told(report: &Report) -> String {
    let files = match report.restored.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        many => Some(format!("{} files", many.len())),
    };
    let mut said = Vec::new();
    match (report.undone, report.changes, files) {
        (true, ..) => said.push("It is as it was before it was taken back.".to_owned()),
        (false, Some(0), _) => said.push("Nothing was left to be taken back.".to_owned()),
        (false, Some(1), Some(files)) => said.push(format!("1 change was taken back, in {files}.")),
        (false, Some(changes), Some(files)) => said.push(format!("{changes} changes were taken back, in {files}.")),
        (false, _, files) => {
            said.extend(report.conversation.then(|| "The conversation was taken back.".to_owned()));
            said.extend(files.map(|files| {
                let verb = if report.restored.len() == 1 { "is as it was" } else { "are as they were" };
                format!("{files} {verb}.")
            }));
        }
    }
    said.extend(report.accepted.then(|| "What you accepted stays.".to_owned()));
    said.join(" ")
}

/// What comes next, as a press: after a plan, and where an answer could be acted on.
fn chips(ui: &mut Ui, chat: &mut Chat, pressed: &mut Option<Pressed>) {
    let ended = chat.transcript.entries().last().is_some_and(|entry| match &entry.item {
        // What was put into files already need not be done.
        Item::Ended { end, files, .. } => {
            matches!(end, agent::event::End::Done | agent::event::End::Answered) && files.is_empty()
        }
        _ => false,
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

/// What runs made of files and nobody kept: `3 files +40 −12 · Review · Keep all · Undo all`. Whether it is to be reviewed.
fn changes_bar(ui: &mut Ui, chat: &Chat, order: &mut Option<Order>) -> bool {
    if chat.changes.is_empty() {
        return false;
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
    let shown = frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = space::XS;
            let label = ui.label(RichText::new(&files).font(metrics.medium()).color(theme.text.normal));
            let paths: Vec<&str> = chat.changes.iter().take(20).map(|file| file.path.as_str()).collect();
            label.on_hover_text(paths.join("\n"));
            ui.add(Counts::new(added, removed));
            ui.with_layout(Flow::right_to_left(Align::Center), |ui| changes_buttons(ui, chat, order)).inner
        })
        .inner
    });
    shown.inner
}

/// The buttons of the bar, from the right; whether the changes are to be reviewed.
fn changes_buttons(ui: &mut Ui, chat: &Chat, order: &mut Option<Order>) -> bool {
    // What is still being written is decided on file by file.
    ui.add_enabled_ui(chat.running.is_none(), |ui| {
        let undo = Button::new("Undo all").quiet().tip("Takes back what was not accepted; can be undone");
        if ui.add(undo).clicked() {
            *order = Some(Order::UndoAll);
        }
        if ui.add(Button::new("Keep all").quiet().tip("The changes are yours from now on")).clicked() {
            *order = Some(Order::KeepAll);
        }
        compare_menu(ui, chat, order);
    });
    let review = Button::new("Review").name("Review changes").tip("Shows the changes, to be accepted or rejected");
    ui.add(review).clicked()
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

/// `step 3/12 · 6.2k of 16k · 93 % cached · 11 tok/s`, and how much of the prompt was read. Where there is little room,
/// whole parts go, what matters least first; the tip has all of it.
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
    let said = parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(" · ");
    let response = ui.interact(rect, ui.scope_id().with("chat status"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Status, true, &said));
    let color = |what: Part| match (what, status.used()) {
        (Part::Window, Some(used)) if used >= 0.9 => theme.signal.danger,
        (Part::Window, Some(used)) if used >= 0.75 => theme.signal.warning,
        _ => theme.text.muted,
    };
    let galley = |text: &str, color| text::line(ui, text, metrics.small(), color, f32::INFINITY);
    let laid: Vec<_> = parts.iter().map(|part| galley(&part.text, color(part.what))).collect();
    let dot = galley(" · ", theme.text.muted);
    let widths: Vec<_> = parts.iter().zip(&laid).map(|(part, laid)| (part.what, laid.size().x)).collect();
    let mut x = rect.left();
    for n in fitting(&widths, dot.size().x, rect.width()) {
        if x > rect.left() {
            ui.painter().galley(pos2(x, rect.center().y - dot.size().y / 2.0), dot.clone(), theme.text.muted);
            x += dot.size().x;
        }
        let size = laid[n].size();
        ui.painter().galley(pos2(x, rect.center().y - size.y / 2.0), laid[n].clone(), theme.text.muted);
        x += size.x;
    }
    if !said.is_empty() {
        let spent = status.spent;
        let because = status.because.as_ref().map(|why| format!(", because {why}")).unwrap_or_default();
        response.on_hover_text(format!(
            "{said}\nModel {}{because}\nThis conversation: {} tokens read ({} of them cached), {} written{}",
            status.model,
            text::grouped(spent.prompt),
            text::grouped(spent.cached),
            text::grouped(spent.completion),
            spent.cost.map(|cost| format!(", {cost:.4} in all")).unwrap_or_default(),
        ));
    }
}

/// Which of some parts have room beside each other, in their order; `dot` is between two.
fn fitting(parts: &[(Part, f32)], dot: f32, room: f32) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..parts.len()).collect();
    let width = |kept: &[usize]| {
        let dots = dot * kept.len().saturating_sub(1) as f32;
        kept.iter().map(|&n| parts[n].1).sum::<f32>() + dots
    };
    while width(&kept) > room && kept.len() > 1 {
        let least = kept.iter().enumerate().max_by_key(|(_, n)| parts[**n].0).map(|(at, _)| at);
        kept.remove(least.unwrap_or(0));
    }
    kept
}

/// What a part of the line about the run tells, what matters most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// How much of the model's window is used.
    Window,
    Step,
    /// What is waited for.
    Waits,
    /// Who answers, where there was a choice.
    Model,
    Cost,
    Time,
    Speed,
    Cached,
}

/// A part of the line.
struct Told {
    what: Part,
    text: String,
}

fn parts(status: &Status, since: Option<Instant>) -> Vec<Told> {
    let mut parts = Vec::new();
    let mut tell = |what, text| parts.push(Told { what, text });
    if let (Some(since), Some((step, limit))) = (since, status.step) {
        tell(Part::Step, format!("step {step}/{limit}"));
        tell(Part::Time, card::seconds(since.elapsed().as_secs()));
    }
    if since.is_some() && status.waits {
        tell(Part::Waits, "waits for the model".to_owned());
    }
    if let Some(reading) = status.reading.filter(|_| since.is_some()) {
        tell(Part::Waits, format!("reads {} of {}", short(reading.done), short(reading.total)));
    }
    if status.prompt > 0 {
        let used = match (status.window, status.used()) {
            // Colour alone would not tell that it is nearly full.
            (Some(window), Some(used)) if used >= 0.75 => {
                format!("{} of {} ({:.0} %)", short(status.prompt), short(window), used * 100.0)
            }
            (Some(window), _) => format!("{} of {}", short(status.prompt), short(window)),
            (None, _) => format!("{} tokens", short(status.prompt)),
        };
        tell(Part::Window, used);
        tell(Part::Cached, format!("{} % cached", status.cached * 100 / status.prompt));
    }
    if let Some(speed) = status.speed() {
        tell(Part::Speed, format!("{speed:.0} tok/s"));
    }
    if let Some(cost) = status.spent.cost {
        tell(Part::Cost, format!("cost {cost:.3}"));
    }
    // Where there was a choice, it is to be seen who was chosen.
    if status.because.is_some() && !status.model.is_empty() {
        tell(Part::Model, format!("by {}", status.model));
    }
    parts
}

/// `950`, `6.2k`, `131k`
pub(crate) fn short(tokens: u64) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_told_in_three_figures() {
        assert_eq!([short(950), short(6210), short(131_072)], ["950", "6.2k", "131k"]);
    }

    #[test]
    fn a_rewind_says_what_it_took_back_and_what_it_left() {
        let of = |restored: &[&str]| restored.iter().map(|path| (*path).to_owned()).collect();
        let settled = Report { restored: of(&["a", "b"]), changes: Some(3), accepted: true, ..Report::default() };
        assert_eq!(told(&settled), "3 changes were taken back, in 2 files. What you accepted stays.");
        let one = Report { restored: of(&["a"]), changes: Some(1), ..Report::default() };
        assert_eq!(told(&one), "1 change was taken back, in a.");
        let message = Report { restored: of(&["a"]), conversation: true, ..Report::default() };
        assert_eq!(told(&message), "The conversation was taken back. a is as it was.");
        let undone = Report { undone: true, ..message };
        assert_eq!(told(&undone), "It is as it was before it was taken back.");
    }

    #[test]
    fn where_there_is_little_room_whole_parts_go_what_matters_least_first() {
        let of = |what| (what, 10.0);
        let parts = [of(Part::Step), of(Part::Time), of(Part::Window), of(Part::Cached), of(Part::Speed)];
        assert_eq!(fitting(&parts, 2.0, 58.0), [0, 1, 2, 3, 4]);
        assert_eq!(fitting(&parts, 2.0, 57.0), [0, 1, 2, 4], "what was cached goes first");
        assert_eq!(fitting(&parts, 2.0, 40.0), [0, 1, 2]);
        assert_eq!(fitting(&parts, 2.0, 30.0), [0, 2]);
        assert_eq!(fitting(&parts, 2.0, 3.0), [2], "the window is told to the last");
        assert!(fitting(&[], 2.0, 3.0).is_empty());
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
        let joined = |parts: Vec<Told>| parts.into_iter().map(|part| part.text).collect::<Vec<_>>().join(" · ");
        let said = joined(parts(&status, Some(Instant::now())));
        assert_eq!(said, "step 3/12 · 0 s · 6.2k of 16k · 93 % cached · 11 tok/s");
        let spent = crate::state::chats::transcript::Spent { cost: Some(0.0123), ..status.spent };
        let chosen = Status { because: Some("it is free".into()), model: "big".into(), spent, ..status };
        assert!(joined(parts(&chosen, None)).ends_with("cost 0.012 · by big"));
        let full = Status { prompt: 14_000, ..chosen };
        assert!(joined(parts(&full, None)).starts_with("14k of 16k (85 %) · "), "{}", joined(parts(&full, None)));
    }
}
