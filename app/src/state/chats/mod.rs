//! Conversations with models: which are open, what each shows and waits for, and which there were.
//!
//! A [`Chat`] is the window's side of a conversation; its agent works on a [`thread`] of its own, sees the project through
//! the [`host`], and tells what happens as events that become a [`transcript`]. Sessions are listed in the background.
//! Nothing here waits.

pub mod comments;
pub mod draft;
pub mod gather;
pub mod host;
pub mod mention;
pub mod pending;
pub mod picture;
pub mod rounds;
mod sessions;
pub mod thread;
pub mod transcript;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use agent::checkpoint::{Report, What};
use agent::event::{Answer, End, EventKind, SessionId};
use agent::protocol::ShownCode;
use agent::provider::Effort;
use agent::run::{Mode, Task as Asked};
use agent::session::{FileState, Info};
use diff::source::Comparison;
use editor::Cancel;

use super::Paths;
use super::agents::Network;
use super::desktop::Reason;
use crate::tasks::{Poll, Task, Tasks};
use comments::{Answered, Asking, Commented, Cut, Owed};
pub use draft::{Attachment, Basis, Draft, KeptDraft, MOST, Shown, Thing};
use host::{Asked as Question, Editors, Shared, Write};
use pending::{Changed, Found, Looks};
use picture::Picture;
use rounds::{Round, Span};
use thread::{Line, Message, Order, Room};
use transcript::{Item, Transcript};

/// Names an open conversation for as long as the window lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChatId(pub u64);

/// A run under way.
pub struct Running {
    pub cancel: Cancel,
    pub since: Instant,
}

/// A conversation.
pub struct Chat {
    /// Its name in the file of sessions, once something was said.
    pub session: Option<SessionId>,
    pub title: String,
    pub transcript: Transcript,
    pub draft: Draft,
    pub mode: Mode,
    /// The model to use; none for the one that is used where none is named.
    pub model: Option<String>,
    /// How much it may think; none for what it does by itself.
    pub effort: Option<Effort>,
    pub running: Option<Running>,
    /// A run was begun in this window. Of any other conversation, what was committed since is decided on.
    ran: bool,
    /// What the agent waits for an answer to.
    pub asked: Option<Question>,
    /// Messages that are sent when the run is over.
    pub queue: VecDeque<Draft>,
    /// What runs made of files and nobody kept.
    pub changes: Vec<Changed>,
    /// The runs that wrote files.
    pub rounds: Vec<Round>,
    /// What the last rewind did, until it was read.
    pub rewound: Option<Report>,
    /// Something happened while nobody looked.
    pub unseen: bool,
    /// The session is being read.
    pub loading: bool,
    /// The comments that were asked about last.
    asking: Option<Asking>,
    since: Instant,
    /// Orders that are not done.
    pending: usize,
    line: Option<Line>,
}

/// What the window has to do.
pub enum News {
    /// What is left to be decided on of what runs made of files; none if nothing is.
    Unreviewed { session: SessionId, comparison: Option<Box<Comparison>> },
    /// Shows that.
    Review(SessionId),
    /// Nothing is left of any other conversation.
    Left(BTreeSet<SessionId>),
    /// Shows the files at two moments.
    Compare { comparison: Box<Comparison>, span: Span },
    /// Changes a text that is open and not saved.
    Write(Write),
    /// Files were written: whoever shows one looks at it.
    Written(Vec<PathBuf>),
    /// A run answered comments.
    Answered { chat: ChatId, answered: Answered },
    /// Something does not go along with the message, and why.
    Failed(String),
    /// A run is over, or waits for an answer, and this is what it has to say; `chat` is its conversation.
    Tell { reason: Reason, chat: Option<ChatId>, title: String, text: String },
}

impl Chat {
    fn new(mode: Mode, model: Option<String>) -> Self {
        Self {
            session: None,
            title: String::new(),
            transcript: Transcript::default(),
            draft: Draft::default(),
            mode,
            model,
            effort: None,
            running: None,
            ran: false,
            asked: None,
            queue: VecDeque::new(),
            changes: Vec::new(),
            rounds: Vec::new(),
            rewound: None,
            unseen: false,
            loading: false,
            asking: None,
            since: Instant::now(),
            pending: 0,
            line: None,
        }
    }

    /// Whether its thread has something to do.
    pub fn is_busy(&self) -> bool {
        self.pending > 0
    }

    /// What it is called in lists.
    pub fn name(&self) -> &str {
        if self.title.is_empty() { "New conversation" } else { &self.title }
    }

    /// When it was begun to be read, for what stands in its place meanwhile.
    pub fn asked_since(&self) -> Instant {
        self.since
    }

    /// Stops the run.
    pub fn stop(&mut self) {
        if let Some(running) = &self.running {
            running.cancel.cancel();
        }
    }

    /// Answers what was asked about an action.
    pub fn answer(&mut self, answer: Answer) {
        if let Some(Question::Permission { to, .. }) = self.asked.take() {
            drop(to.send(answer)); // nobody waits any more if the run was stopped
        }
    }

    /// Answers a question; nothing leaves it to the model.
    pub fn reply(&mut self, reply: Option<String>) {
        if let Some(Question::Question { to, .. }) = self.asked.take() {
            drop(to.send(reply));
        }
    }

    /// The prompts that were sent, the last first.
    pub fn sent(&self) -> impl Iterator<Item = &str> {
        self.transcript.entries().iter().rev().filter_map(|entry| match &entry.item {
            Item::Prompt { text, .. } => Some(text.as_str()),
            _ => None,
        })
    }

    fn order(&mut self, order: Order) {
        let Some(line) = &self.line else { return };
        // Full only if somebody presses dozens of buttons while a run goes on.
        match line.orders.try_send(order) {
            Ok(()) => self.pending += 1,
            Err(_) => self.transcript.note("Too much was asked for at once; ask again when the run is over.", true),
        }
    }

    fn send(&mut self, draft: Draft) {
        let cancel = Cancel::new();
        let run = self.transcript.next_run();
        let labels = draft.attached.iter().map(|attached| attached.label().into_owned()).collect();
        self.transcript.asked(run, draft.text.trim().to_owned(), labels);
        if self.title.is_empty() {
            self.title = crate::widgets::markdown::first_line(&draft.text);
        }
        self.ran = true;
        self.running = Some(Running { cancel: cancel.clone(), since: Instant::now() });
        self.rewound = None;
        let comments = self.ask_about(&draft);
        let (prompt, attached) = (draft.text.trim().to_owned(), draft.with_pins());
        let task = Asked { prompt, mode: self.mode, effort: self.effort, ..Asked::default() };
        self.order(Order::Run { task, attached, model: self.model.clone(), comments, cancel });
    }

    /// Remembers which comments a message asks about, which are those. One that is sent again asks about the same.
    fn ask_about(&mut self, draft: &Draft) -> Option<Arc<Commented>> {
        // What was changed since may stand behind it.
        let is_again = |asking: &&Asking| draft.text.trim().starts_with(asking.comments.text.trim());
        let again = || self.asking.as_ref().filter(is_again).map(|asking| asking.comments.clone());
        let comments = draft.comments.clone().or_else(again);
        if let Some(comments) = &comments {
            self.asking = Some(Asking { comments: comments.clone(), owed: Some(Owed::Now) });
        }
        comments
    }

    /// What the run that is over said to the comments that were asked about. Nothing is owed to them then.
    fn answered(&mut self, cut: Option<Cut>) -> Option<Answered> {
        let asking = self.asking.as_mut()?;
        let answered = asking.answered(self.transcript.entries(), &self.transcript.status.model, cut);
        asking.owed = None;
        answered
    }

    fn take(&mut self, message: Message, id: ChatId, root: &Path, looks: &mut Looks, news: &mut Vec<News>) {
        match message {
            Message::Begun(session) => self.session = Some(session),
            Message::Event(event) => {
                let Some(session) = self.session.clone() else { return };
                if let EventKind::ActionFinished { changes, .. } = &event.kind
                    && !changes.is_empty()
                {
                    news.push(News::Written(changes.iter().map(|change| root.join(&change.path)).collect()));
                    // What is done can be decided on, whatever the run does next.
                    looks.ask(session.clone());
                }
                self.transcript.take(&session, &event);
            }
            Message::Asked(asked) => {
                let text = match &asked {
                    Question::Permission { ask, .. } => ask.title.clone(),
                    Question::Question { question, .. } => question.clone(),
                };
                self.asked = Some(asked);
                news.push(News::Tell {
                    reason: Reason::Waits,
                    chat: Some(id),
                    title: "The agent waits for an answer".to_owned(),
                    text,
                });
            }
            Message::Answered => self.asked = None,
            Message::Told(text) => self.transcript.note(text, true),
            Message::Write(write) => news.push(News::Write(write)),
            Message::Shown { transcript, title, commented } => {
                self.transcript = transcript.in_place_of(&self.transcript);
                self.title = title;
                self.loading = false;
                self.asking = self.asking.take().or(commented.map(Asking::of));
                // Its run came to its end when there was no window to keep what it said. One that was cut goes on first.
                let is_whole = self.transcript.entries().last().is_some_and(|entry| entry.item.ends_whole());
                if self.asking.as_ref().is_some_and(|asking| asking.owed.is_some()) && is_whole {
                    news.extend(self.answered(None).map(|answered| News::Answered { chat: id, answered }));
                }
            }
            Message::Ended(ended) => {
                self.running = None;
                self.asked = None;
                let answered = self.answered(Cut::of(ended.end));
                news.extend(answered.map(|answered| News::Answered { chat: id, answered }));
                if ended.end != End::Stopped {
                    let (title, text) = (ended.end.sentence().to_owned(), self.name().to_owned());
                    news.push(News::Tell { reason: Reason::Ended, chat: Some(id), title, text });
                }
            }
            Message::Look | Message::Applied => {
                if let Some(session) = &self.session {
                    looks.ask(session.clone());
                }
            }
            Message::Rewound(report) => {
                news.push(News::Written(report.restored.iter().map(|path| root.join(path)).collect()));
                self.rewound = Some(report);
            }
            Message::Compared { comparison, from, to } => {
                news.push(News::Compare { comparison, span: Span { chat: id, from, to } });
            }
            Message::Failed(why) => {
                self.running = None;
                self.asked = None;
                self.loading = false;
                self.transcript.note(why, true);
            }
            Message::Idle => self.pending = self.pending.saturating_sub(1),
        }
    }
}

/// All conversations.
#[derive(Default)]
pub struct Chats {
    open: BTreeMap<ChatId, Chat>,
    last: u64,
    /// The one that is shown.
    pub current: Option<ChatId>,
    room: Option<Room>,
    shared: Shared,
    editors: Editors,
    /// What can go along with a message: the selection first, then what is open, the output of a terminal, changes.
    pub things: Vec<Thing>,
    /// What they were gathered from.
    pub basis: Basis,
    /// Sessions of the project, the last touched first.
    sessions: Option<Result<Vec<Info>, String>>,
    listing_sessions: Option<Task<Result<Vec<Info>, String>>>,
    /// Sessions that are being renamed, put away or removed.
    changing: Vec<Task<Result<(), String>>>,
    /// Messages that were being written in a project when its window was closed, until their conversations are opened.
    kept: Option<(PathBuf, Vec<KeptDraft>)>,
    /// The project's conversation that was shown then, until one is.
    last_shown: Option<(PathBuf, Shown)>,
    /// Pictures that are being read for a message.
    reading: Vec<(ChatId, Task<Result<Picture, String>>)>,
    /// What was accepted is being kept.
    accepting: Vec<(SessionId, Task<Result<(), String>>)>,
    looks: Looks,
    /// What was said to comments that were not read yet.
    answered: Vec<(ChatId, Answered)>,
    /// What is left of a conversation's changes is to be shown once it was looked at.
    reviewing: Option<SessionId>,
    /// Words that sessions are filtered by.
    pub search: String,
}

impl Chats {
    /// The project in which conversations are held; the ones of another are put away.
    pub fn enter(&mut self, root: &Path, paths: &Paths, network: &Network) {
        if self.room.as_ref().is_some_and(|room| room.root == root) {
            return;
        }
        for chat in self.open.values_mut() {
            chat.stop();
        }
        self.open.clear();
        self.current = None;
        self.sessions = None;
        self.looks = Looks::default();
        self.looks.ask_rest();
        self.room = Some(Room::new(paths.clone(), root.to_owned(), self.shared.clone(), network.clone()));
    }

    pub fn get(&self, id: ChatId) -> Option<&Chat> {
        self.open.get(&id)
    }

    pub fn get_mut(&mut self, id: ChatId) -> Option<&mut Chat> {
        self.open.get_mut(&id)
    }

    pub fn iter(&self) -> impl Iterator<Item = (ChatId, &Chat)> {
        self.open.iter().map(|(id, chat)| (*id, chat))
    }

    /// A conversation that is not shown and waits for an answer, or else one in which something happened.
    pub fn news(&self) -> Option<ChatId> {
        let others = || self.iter().filter(|(id, _)| Some(*id) != self.current);
        let waits = others().find(|(_, chat)| chat.asked.is_some());
        waits.or_else(|| others().find(|(_, chat)| chat.unseen)).map(|(id, _)| id)
    }

    /// Whether a run is under way anywhere.
    pub fn is_running(&self) -> bool {
        self.open.values().any(|chat| chat.running.is_some())
    }

    /// Whether something is listed, read or done in the background.
    pub fn is_busy(&self) -> bool {
        let in_background = !self.accepting.is_empty() || self.looks.is_busy() || !self.answered.is_empty();
        in_background || self.open.values().any(|chat| chat.is_busy() && chat.asked.is_none())
    }

    /// Begins a conversation, or finds one in which nothing was said yet.
    pub fn begin(&mut self) -> ChatId {
        let empty = |(_, chat): &(ChatId, &Chat)| chat.session.is_none() && chat.transcript.is_empty();
        let found = self.iter().find(empty).map(|(id, _)| id);
        if let Some(id) = found {
            self.current = Some(id);
            return id;
        }
        let before = self.current.and_then(|id| self.open.get(&id));
        let (mode, model) = before.map_or((Mode::default(), None), |chat| (chat.mode, chat.model.clone()));
        let effort = before.and_then(|chat| chat.effort);
        let draft = self.kept_draft(None).unwrap_or_default();
        self.insert(Chat { draft, effort, ..Chat::new(mode, model) })
    }

    /// The conversation that is shown: the one of the last start where none was since, or a new one.
    pub fn current_or_begin(&mut self, tasks: &Tasks) -> ChatId {
        let here = self.room.as_ref().map(|room| &room.root);
        let last = self.last_shown.take_if(|(root, _)| Some(&*root) == here);
        match (self.current, last) {
            (Some(id), _) => id,
            (None, Some((_, Shown { session, title }))) => self.resume(&session, &title, tasks),
            (None, None) => self.begin(),
        }
    }

    /// Which conversation is shown, for the next start; none where it has not begun.
    pub fn shown(&self) -> Option<Shown> {
        let Some(chat) = self.current.and_then(|id| self.get(id)) else {
            let here = self.room.as_ref().map(|room| &room.root);
            return self.last_shown.as_ref().filter(|(root, _)| Some(root) == here).map(|(_, shown)| shown.clone());
        };
        Some(Shown { session: chat.session.clone()?, title: chat.title.clone() })
    }

    /// Shows a session, or the conversation that is it.
    pub fn resume(&mut self, session: &SessionId, title: &str, tasks: &Tasks) -> ChatId {
        if let Some(id) = self.of_session(session) {
            self.current = Some(id);
            return id;
        }
        let title = title.to_owned();
        let mut chat = Chat { session: Some(session.clone()), title, ..Chat::new(Mode::default(), None) };
        chat.loading = true;
        chat.draft = self.kept_draft(Some(session)).unwrap_or_default();
        self.connect(&mut chat, tasks);
        chat.order(Order::Load);
        self.insert(chat)
    }

    /// The conversation that is this session, if it is open.
    pub fn of_session(&self, session: &SessionId) -> Option<ChatId> {
        self.iter().find(|(_, chat)| chat.session.as_ref() == Some(session)).map(|(id, _)| id)
    }

    fn insert(&mut self, chat: Chat) -> ChatId {
        self.last += 1;
        let id = ChatId(self.last);
        self.open.insert(id, chat);
        self.current = Some(id);
        id
    }

    /// Closes a conversation; its session stays.
    pub fn close(&mut self, id: ChatId) {
        if let Some(mut chat) = self.open.remove(&id) {
            chat.stop();
            self.looks.ask_rest();
        }
        if self.current == Some(id) {
            self.current = self.open.keys().next_back().copied();
        }
    }

    /// Stops every run: the window closes.
    pub fn close_all(&mut self) {
        self.open.values_mut().for_each(Chat::stop);
    }

    fn connect(&self, chat: &mut Chat, tasks: &Tasks) {
        if chat.line.is_some() {
            return;
        }
        let Some(room) = self.room.clone() else { return };
        match thread::start(room, chat.session.clone(), tasks.waker().clone()) {
            Ok(line) => chat.line = Some(line),
            Err(error) => chat.transcript.note(format!("The system gives no thread for the agent: {error}"), true),
        }
    }

    /// Sends what was written, or puts it in the queue of a run under way.
    pub fn send(&mut self, id: ChatId, tasks: &Tasks) {
        let Some(mut chat) = self.open.remove(&id) else { return };
        if !chat.draft.is_empty() {
            let draft = std::mem::take(&mut chat.draft);
            self.connect(&mut chat, tasks);
            match chat.running {
                Some(_) => chat.queue.push_back(draft),
                None => chat.send(draft),
            }
        }
        self.open.insert(id, chat);
    }

    /// Gives an order to a conversation that has begun.
    pub fn order(&mut self, id: ChatId, order: Order, tasks: &Tasks) {
        let Some(mut chat) = self.open.remove(&id) else { return };
        if chat.session.is_some() && chat.running.is_none() {
            self.connect(&mut chat, tasks);
            chat.order(order);
        }
        self.open.insert(id, chat);
    }

    /// Has a picture read, to go along with the message.
    pub fn add_picture(&mut self, id: ChatId, from: picture::From, tasks: &Tasks) {
        let read = move |_: &Cancel| Picture::read(&from);
        self.reading.push((id, tasks.spawn("read a picture", read)));
    }

    /// Puts code into its file; the answer that shows it is that entry of the conversation.
    pub fn apply(&mut self, id: ChatId, code: ShownCode, answer: usize, tasks: &Tasks) {
        let said_in = self.open.get(&id).and_then(|chat| chat.transcript.run_of(answer));
        if let Some(said_in) = said_in {
            self.order(id, Order::Apply { code: Box::new(code), said_in }, tasks);
        }
    }

    /// The file in front, from the root of the project.
    pub fn front(&self) -> Option<String> {
        let (path, ..) = self.basis.in_use.as_ref()?;
        let path = path.as_ref()?.strip_prefix(&self.basis.root).ok()?;
        Some(path.to_str()?.replace('\\', "/"))
    }

    /// Asks again what a run was asked; what it did is taken back.
    pub fn retry(&mut self, id: ChatId, run: u32, tasks: &Tasks) {
        let Some(text) = self.prompt_of(id, run) else { return };
        self.order(id, Order::Rewind { run, what: What::Both }, tasks);
        if let Some(chat) = self.open.get_mut(&id) {
            // What is being written stays, with what goes along with it.
            chat.queue.push_front(Draft { text, ..Draft::default() });
        }
    }

    /// Writes a prompt anew: what followed it is taken back, and it can be changed.
    pub fn edit_prompt(&mut self, id: ChatId, run: u32, what: What, tasks: &Tasks) {
        if let (Some(prompt), Some(chat)) = (self.prompt_of(id, run), self.open.get_mut(&id)) {
            chat.draft.text = prompt;
        }
        self.order(id, Order::Rewind { run, what }, tasks);
    }

    /// What a run was asked.
    fn prompt_of(&self, id: ChatId, run: u32) -> Option<String> {
        self.get(id)?.transcript.entries().iter().find_map(|entry| match &entry.item {
            Item::Prompt { run: of, text, .. } if *of == run => Some(text.clone()),
            _ => None,
        })
    }

    /// Keeps what was accepted of a conversation's changes.
    pub fn accept(&mut self, session: SessionId, files: Vec<(String, FileState)>, tasks: &Tasks) {
        let Some(room) = self.room.clone() else { return };
        let of = session.clone();
        let task = tasks.spawn("keep what was accepted", move |_| {
            let kept = room.store().and_then(|mut store| Ok(store.accept(&of, &files)?));
            kept.map_err(|error| format!("{error:#}"))
        });
        self.accepting.push((session, task));
    }

    /// Tells what a run said to comments with the next news once more: they were not read yet.
    pub fn tell_later(&mut self, id: ChatId, answered: Answered) {
        self.answered.push((id, answered));
    }

    /// Keeps that what a run said to comments stands in their threads.
    pub fn keep_answered(&mut self, id: ChatId, comments: &Arc<Commented>, tasks: &Tasks) {
        let Some(session) = self.open.get(&id).and_then(|chat| chat.session.clone()) else { return };
        let comments = comments.clone();
        self.change_session(tasks, "keep that comments were answered", move |store| {
            let kept = comments::Kept { comments, run: 0, answered: true };
            store.keep(&session, comments::KEPT, &serde_json::to_value(kept).unwrap_or_default())
        });
    }

    /// Looks again at what is left to be decided on of a conversation's changes.
    pub fn look(&mut self, session: SessionId) {
        self.looks.ask(session);
    }

    /// Whether a look begins with the next [`Chats::take_results`]: texts that are not saved have to be told before.
    pub fn is_look_due(&self) -> bool {
        self.looks.is_due()
    }

    /// Shows what is left to be decided on of a conversation's changes, as it is now.
    pub fn review(&mut self, id: ChatId) {
        let session = self.open.get(&id).and_then(|chat| chat.session.clone());
        if let Some(session) = &session {
            self.looks.ask(session.clone());
        }
        self.reviewing = session;
    }

    /// The project in which conversations are held.
    pub fn room(&self) -> Option<&Room> {
        self.room.as_ref()
    }

    /// Messages that are being written here, for the next start; what waits to be sent is one, too.
    pub fn drafts(&self) -> Vec<KeptDraft> {
        let here = self.room.as_ref().map(|room| room.root.as_path());
        let of_chat = |chat: &Chat| {
            let mut drafts = chat.queue.iter().chain([&chat.draft]);
            let mut whole = drafts.next().cloned().unwrap_or_default();
            for draft in drafts.filter(|draft| !draft.is_empty()) {
                whole.join(draft.clone());
            }
            let session = chat.session.as_ref().map(|session| session.as_str().to_owned());
            whole.forget_pictures();
            (!whole.is_empty()).then_some(KeptDraft { session, draft: whole })
        };
        let closed = self.kept.iter().filter(|(root, _)| here.is_none_or(|here| here == root));
        self.open.values().filter_map(of_chat).chain(closed.flat_map(|(_, drafts)| drafts.clone())).collect()
    }

    /// Takes up what was being written in a project, and what was shown; a conversation gets its draft when it is opened.
    pub fn take_up(&mut self, root: &Path, drafts: Vec<KeptDraft>, shown: Option<Shown>) {
        self.last_shown = shown.map(|shown| (root.to_owned(), shown));
        self.kept = Some((root.to_owned(), drafts));
        let is_empty = |chat: &Chat| chat.session.is_none() && chat.transcript.is_empty() && chat.draft.is_empty();
        let Some(id) = self.iter().find(|(_, chat)| is_empty(chat)).map(|(id, _)| id) else { return };
        if let Some(draft) = self.kept_draft(None)
            && let Some(chat) = self.open.get_mut(&id)
        {
            chat.draft = draft;
        }
    }

    /// What was being written in a session, or in a conversation that had not begun; once.
    fn kept_draft(&mut self, session: Option<&SessionId>) -> Option<Draft> {
        let here = &self.room.as_ref()?.root;
        let (_, drafts) = self.kept.as_mut().filter(|(root, _)| root == here)?;
        let at = drafts.iter().position(|kept| kept.session.as_deref() == session.map(SessionId::as_str))?;
        Some(drafts.remove(at).draft)
    }

    /// Says what is open in the window, for the agents to know.
    pub fn show(&mut self, editors: Editors) {
        if editors != self.editors {
            self.editors = editors.clone();
            self.shared.show(editors);
        }
    }

    /// What texts are not saved, for the agents to read.
    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Takes in what happened. Never waits. `seen` is the conversation that is looked at.
    pub fn take_results(&mut self, seen: Option<ChatId>, tasks: &Tasks) -> Vec<News> {
        let mut news = Vec::new();
        news.extend(
            std::mem::take(&mut self.answered).into_iter().map(|(chat, answered)| News::Answered { chat, answered }),
        );
        self.take_looks(&mut news);
        self.take_lists(tasks, &mut news);
        let root = self.room.as_ref().map(|room| room.root.clone()).unwrap_or_default();
        let mut ended = false;
        for (id, chat) in &mut self.open {
            let Some(line) = &chat.line else { continue };
            let messages: Vec<Message> = line.messages.try_iter().collect();
            for message in messages {
                ended |= matches!(message, Message::Ended(_) | Message::Begun(_));
                // Another run may have written what is left of others.
                if matches!(message, Message::Ended(_) | Message::Rewound(_)) {
                    self.looks.ask_rest();
                }
                if matches!(message, Message::Applied) {
                    self.reviewing.clone_from(&chat.session);
                    self.looks.ask_rest();
                }
                chat.unseen |= seen != Some(*id) && matches!(message, Message::Ended(_) | Message::Asked(_));
                chat.take(message, *id, &root, &mut self.looks, &mut news);
            }
            if seen == Some(*id) {
                chat.unseen = false;
            }
            if chat.running.is_none()
                && chat.pending == 0
                && let Some(next) = chat.queue.pop_front()
            {
                chat.send(next);
            }
        }
        if ended && self.sessions.is_some() {
            self.list_sessions(tasks);
        }
        if let Some(room) = &self.room {
            let live = self.open.values().filter(|chat| chat.ran);
            let open = live.filter_map(|chat| chat.session.clone()).collect();
            self.looks.go_on(room, open, tasks);
        }
        news
    }

    /// Takes in what is left to be decided on.
    fn take_looks(&mut self, news: &mut Vec<News>) {
        let Found { sessions, rest } = match self.looks.take() {
            None => return,
            Some(Ok(found)) => found,
            Some(Err(why)) => {
                tracing::warn!("what is left of agents' changes is not known: {why}");
                Found::default()
            }
        };
        for (session, changes) in sessions {
            if let Some(chat) = self.of_session(&session).and_then(|id| self.open.get_mut(&id)) {
                (chat.changes, chat.rounds) = (changes.files, changes.rounds);
            }
            news.push(News::Unreviewed { session, comparison: changes.comparison.map(Box::new) });
        }
        if let Some(rest) = rest {
            let open: BTreeSet<SessionId> = self.open.values().filter_map(|chat| chat.session.clone()).collect();
            news.push(News::Left(rest.into_iter().chain(open).collect()));
        }
        // It may have been asked for while another look was under way.
        if !self.looks.is_due() {
            news.extend(self.reviewing.take().map(News::Review));
        }
    }

    fn take_lists(&mut self, tasks: &Tasks, news: &mut Vec<News>) {
        if let Some(answer) = finished(&mut self.listing_sessions) {
            self.sessions = Some(answer);
        }
        let before = self.changing.len();
        self.changing.retain(|task| match task.poll() {
            Poll::Pending => true,
            Poll::Ready(Ok(())) => false,
            Poll::Ready(Err(text)) => {
                let title = "The conversation was not changed".to_owned();
                news.push(News::Tell { reason: Reason::Failed, chat: None, title, text });
                false
            }
            Poll::Lost => false,
        });
        if self.changing.len() < before {
            self.list_sessions(tasks);
            self.looks.ask_rest(); // one may have been put away
        }
        for (id, task) in std::mem::take(&mut self.reading) {
            let mut task = Some(task);
            match (finished(&mut task), self.open.get_mut(&id)) {
                (Some(Ok(picture)), Some(chat)) => chat.draft.attach(Attachment::Picture(picture)),
                (Some(Err(text)), _) => news.push(News::Failed(text)),
                (Some(Ok(_)), None) => {} // the conversation was closed meanwhile
                (None, _) => self.reading.extend(task.map(|task| (id, task))),
            }
        }
        for (session, task) in std::mem::take(&mut self.accepting) {
            let mut task = Some(task);
            match finished(&mut task) {
                Some(Ok(())) => self.looks.ask(session),
                Some(Err(text)) => {
                    let title = "What was accepted is not kept".to_owned();
                    news.push(News::Tell { reason: Reason::Failed, chat: None, title, text });
                }
                None => self.accepting.extend(task.map(|task| (session, task))),
            }
        }
    }
}

/// The answer of a task, once; one that was lost says so.
fn finished<T>(task: &mut Option<Task<Result<T, String>>>) -> Option<Result<T, String>> {
    let answer = match task.as_ref()?.poll() {
        Poll::Pending => return None,
        Poll::Ready(answer) => answer,
        Poll::Lost => Err("it ended unexpectedly; try again".to_owned()),
    };
    *task = None;
    Some(answer)
}

/// A text as it is shown where every character counts: what would not be seen stands as its number.
pub fn shown(text: &str) -> String {
    let hides = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    let one = |c: char| if hides(c) { format!("␣U+{:04X}", u32::from(c)) } else { c.to_string() };
    text.chars().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_not_be_seen_is_shown_by_its_number() {
        assert_eq!(shown("rm \u{202e}a\u{1b}"), "rm ␣U+202Ea␣U+001B");
    }
}
