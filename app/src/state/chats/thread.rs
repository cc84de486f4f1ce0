//! A conversation's own thread: it holds the agent and the file of sessions, waits for models and disks, and is driven
//! by orders. What happens comes back as messages; the window takes them in with its frames.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use agent::audit::Audit;
use agent::checkpoint::{self, Report, What};
use agent::event::{ChangeKind, Event, FileChange, SessionId};
use agent::host::Host as _;
use agent::host::{FileBytes, ProjectPath};
use agent::protocol::ShownCode;
use agent::run::{Agent, Ended, Setup, Task};
use agent::secrets::Secrets;
use agent::session::{Kept, Point, Store};
use agent::tool::{Toolbox, World};
use anyhow::Context as _;
use crossbeam_channel::{Receiver, Sender, bounded};
use diff::source::Comparison;
use editor::Cancel;

use super::comments::{self, Commented};
use super::draft::Attachment;
use super::gather;
use super::host::{Asked, Shared, WindowHost, Write};
use super::pending::text;
use super::rounds;
use super::transcript::Transcript;
use crate::state::Paths;
use crate::state::agents::{self, Network};
use crate::tasks::Waker;

/// What is not committed, as it is called.
pub const CHANGES: &str = "changes that are not committed";

/// What is to be done, one after another.
pub enum Order {
    /// Shows what a session has.
    Load,
    /// Does what the person asks, with what goes along and whether that is pinned.
    Run {
        task: Task,
        attached: Vec<(Attachment, bool)>,
        model: Option<String>,
        comments: Option<Arc<Commented>>,
        cancel: Cancel,
    },
    /// Takes back a run and what followed.
    Rewind { run: u32, what: What },
    /// Takes the last rewind back.
    UndoRewind,
    /// Puts code that the answer of a run shows into its file, and shows what became of it.
    Apply { code: Box<ShownCode>, said_in: u32 },
    /// What runs made of files is the person's own from now on.
    KeepAll,
    /// Takes back what runs made of files and nobody kept or accepted.
    UndoAll,
    /// Compares the files at two moments; the later one is now if there is none.
    Compare { from: Point, to: Option<Point> },
    /// Makes the conversation shorter.
    Compact { model: Option<String>, cancel: Cancel },
    /// Calls the session otherwise.
    Rename(String),
}

/// What happened.
pub enum Message {
    /// The session has a name.
    Begun(SessionId),
    Event(Box<Event>),
    Asked(Asked),
    /// Nobody waits for the answer to what was asked any more.
    Answered,
    /// Something to know that the agent's events do not tell.
    Told(String),
    Write(Write),
    /// The conversation is another one than was shown.
    Shown {
        transcript: Box<Transcript>,
        title: String,
        /// The comments that it was asked about last.
        commented: Option<comments::Kept>,
    },
    Ended(Ended),
    /// What is left to be decided on is to be looked at.
    Look,
    /// The same, and it is to be shown: code of an answer was put into its file.
    Applied,
    Rewound(Report),
    /// Two moments are to be shown.
    Compared {
        comparison: Box<Comparison>,
        from: Point,
        to: Option<Point>,
    },
    /// An order came to nothing.
    Failed(String),
    /// The last order is done.
    Idle,
}

/// Sends messages to the window and wakes it.
#[derive(Clone)]
pub struct Outbox {
    sender: Sender<Message>,
    waker: Waker,
}

impl Outbox {
    /// One whose messages nobody reads.
    pub fn to_nobody(waker: Waker) -> Self {
        Self { sender: bounded(0).0, waker }
    }

    /// Tells the window; it may be gone.
    pub fn send(&self, message: Message) {
        drop(self.sender.send(message));
        self.waker.wake();
    }
}

/// What all conversations of a window have in common. Cheap to clone.
#[derive(Clone)]
pub struct Room {
    pub paths: Paths,
    pub root: PathBuf,
    pub shared: Shared,
    pub network: Network,
    secrets: Arc<OnceLock<Option<Arc<Secrets>>>>,
}

impl Room {
    pub fn new(paths: Paths, root: PathBuf, shared: Shared, network: Network) -> Self {
        Self { paths, root, shared, network, secrets: Arc::default() }
    }

    fn secrets(&self) -> anyhow::Result<Arc<Secrets>> {
        let made = self.secrets.get_or_init(|| Secrets::new().ok().map(Arc::new));
        made.clone().context("the filter of secrets cannot be made")
    }

    /// The project as a conversation sees it, for looking at its files.
    ///
    /// # Errors
    /// When the folder is not there.
    pub fn world(&self) -> anyhow::Result<World> {
        let host =
            WindowHost::open(&self.root, self.paths.clone(), self.shared.clone(), Outbox::to_nobody(Waker::new(|| {})))
                .with_context(|| format!("{} cannot be opened", self.root.display()))?;
        Ok(World { host: Arc::new(host), secrets: self.secrets()?, todo: Mutex::default() })
    }

    /// The file of sessions, if there is one already. Waits for the disk.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn store_if_any(&self) -> anyhow::Result<Option<Store>> {
        agents::sessions_file(&self.paths).is_file().then(|| self.store()).transpose()
    }

    /// The file of sessions. Waits for the disk.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn store(&self) -> anyhow::Result<Store> {
        Ok(Store::open(&agents::sessions_file(&self.paths), self.secrets()?)?.store)
    }
}

/// The two ends of a conversation's thread.
pub struct Line {
    pub orders: Sender<Order>,
    pub messages: Receiver<Message>,
}

/// Orders that may wait; people give few.
const ORDERS: usize = 64;
/// Messages that the window has not taken yet; then the agent waits for it.
const MESSAGES: usize = 8192;

/// Starts the thread of a conversation; it ends when its orders do.
///
/// # Errors
/// When the system gives no thread.
pub fn start(room: Room, session: Option<SessionId>, waker: Waker) -> std::io::Result<Line> {
    let (orders, todo) = bounded(ORDERS);
    let (sender, messages) = bounded(MESSAGES);
    let outbox = Outbox { sender, waker };
    let mut worker = Worker { room, outbox, session, agent: None, model: None, asks_edits: false, seen: None };
    std::thread::Builder::new().name("chat".to_owned()).spawn(move || {
        for order in todo {
            if let Err(error) = worker.carry_out(order) {
                worker.outbox.send(Message::Failed(format!("{error:#}")));
            }
            worker.outbox.send(Message::Idle);
        }
    })?;
    Ok(Line { orders, messages })
}

struct Worker {
    room: Room,
    outbox: Outbox,
    session: Option<SessionId>,
    agent: Option<Agent>,
    /// The model that the agent was set up with.
    model: Option<String>,
    /// Whether the agent was set up to ask about edits.
    asks_edits: bool,
    /// The last run of which it was told what the person changed afterwards.
    seen: Option<u32>,
}

impl Worker {
    fn carry_out(&mut self, order: Order) -> anyhow::Result<()> {
        match order {
            Order::Load => {
                self.show()?;
                self.look();
                Ok(())
            }
            Order::Run { task, attached, model, comments, cancel } => {
                self.run(task, &attached, model, comments, &cancel)
            }
            Order::Rewind { run, what } => {
                let report = self.idle_agent()?.rewind_run(run, what)?;
                self.rewound(report)
            }
            Order::UndoRewind => {
                let report = self.idle_agent()?.undo_rewind()?;
                self.rewound(report)
            }
            Order::Apply { code, said_in } => {
                let applied = self.idle_agent()?.apply(&code, said_in);
                applied.map_err(|why| anyhow::anyhow!("The code was not put into {}: {why}.", code.path))?;
                self.outbox.send(Message::Applied);
                Ok(())
            }
            Order::KeepAll => {
                let (mut store, session) = self.kept_in()?;
                store.keep_all(&session)?;
                self.look();
                Ok(())
            }
            Order::UndoAll => {
                let (mut store, session) = self.kept_in()?;
                let report = checkpoint::settle(&mut store, &self.host()?, &session)?;
                self.rewound(report)
            }
            Order::Compare { from, to } => {
                let (mut store, session) = self.kept_in()?;
                let files = store.between(&session, from, to)?;
                let comparison = rounds::comparison(&self.room.root, session.as_str(), files, from, to);
                self.outbox.send(Message::Compared { comparison: Box::new(comparison), from, to });
                Ok(())
            }
            Order::Compact { model, cancel } => {
                let agent = self.agent(model.as_deref(), "Conversation")?;
                match agent.compact(None, &cancel) {
                    true => Ok(()),
                    false => anyhow::bail!("the conversation was not made shorter"),
                }
            }
            Order::Rename(title) => {
                let (mut store, session) = self.kept_in()?;
                Ok(store.rename(&session, &title)?)
            }
        }
    }

    fn run(
        &mut self,
        mut task: Task,
        attached: &[(Attachment, bool)],
        model: Option<String>,
        comments: Option<Arc<Commented>>,
        cancel: &Cancel,
    ) -> anyhow::Result<()> {
        if let Some(told) = self.changed_since()? {
            task.prompt = format!("{}\n\n{told}", task.prompt);
        }
        let title = task.prompt.clone();
        if let Err(error) = self.agent(model.as_deref(), &title) {
            self.outbox.send(Message::Failed(format!("{error:#}")));
            return Ok(());
        }
        let room = self.room.clone();
        let agent = self.agent(model.as_deref(), &title)?;
        let gathered = gather::all(attached, agent.world(), &room, gather::most(agent.window()));
        (task.files, task.pinned, task.pieces) = (gathered.files, gathered.pinned, gathered.pieces);
        for fault in gathered.faults {
            self.outbox.send(Message::Told(fault));
        }
        if let Some(comments) = comments {
            // Before anything is said: whenever the window closes, it is known what is answered.
            let (mut store, session) = self.kept_in()?;
            let kept = comments::Kept { comments, run: store.next_run(&session)?, answered: false };
            store.keep(&session, comments::KEPT, &serde_json::to_value(kept)?)?;
        }
        let agent = self.agent(model.as_deref(), &title)?;
        let ended = agent.run(&task, cancel);
        self.outbox.send(Message::Ended(ended));
        self.look();
        Ok(())
    }

    /// The agent with this model; the same as before if it is the same.
    fn agent(&mut self, model: Option<&str>, title: &str) -> anyhow::Result<&mut Agent> {
        let asks_edits = self.room.shared.asks_edits();
        if self.agent.is_none() || self.model.as_deref() != model || self.asks_edits != asks_edits {
            self.agent = None; // its connection is closed first
            let runtime = self.room.network.handle()?;
            let chat = agents::open_model(&self.room.paths, model, &runtime)?;
            let setup = self.setup(chat, runtime)?;
            let store = self.room.store()?;
            let agent = match &self.session {
                Some(session) => Agent::resume(setup, store, session)?,
                None => Agent::begin(setup, store, title)?,
            };
            if self.session.is_none() {
                self.session = Some(agent.session().clone());
                self.outbox.send(Message::Begun(agent.session().clone()));
            }
            self.model = model.map(str::to_owned);
            self.asks_edits = asks_edits;
            self.agent = Some(agent);
        }
        self.agent.as_mut().context("there is no agent")
    }

    /// The agent, whatever its model: nothing is asked of it.
    fn idle_agent(&mut self) -> anyhow::Result<&mut Agent> {
        let model = self.model.clone();
        self.agent(model.as_deref(), "Conversation")
    }

    fn setup(
        &self,
        chat: Arc<dyn agent::provider::Chat>,
        runtime: tokio::runtime::Handle,
    ) -> anyhow::Result<Arc<Setup>> {
        let outbox = self.outbox.clone();
        Ok(Arc::new(Setup {
            host: Arc::new(self.host()?),
            chat,
            runtime,
            audit: Some(Arc::new(Audit::open(&agents::audit_file(&self.room.paths))?)),
            tools: Toolbox::standard(),
            project: self.room.root.clone(),
            rules: agents::rules(&self.room.paths),
            sink: Arc::new(move |event| outbox.send(Message::Event(Box::new(event.clone())))),
            // Every edit comes back as a change to be reviewed, and can be taken back: it need not be asked about.
            allow_edits: !self.room.shared.asks_edits(),
            always: agents::always_allowed(&self.room.paths, &self.room.root)?,
            edit_form: None,
        }))
    }

    fn host(&self) -> anyhow::Result<WindowHost> {
        let root = &self.room.root;
        WindowHost::open(root, self.room.paths.clone(), self.room.shared.clone(), self.outbox.clone())
            .with_context(|| format!("{} cannot be opened", root.display()))
    }

    fn kept_in(&self) -> anyhow::Result<(Store, SessionId)> {
        let session = self.session.clone().context("nothing was said in this conversation yet")?;
        Ok((self.room.store()?, session))
    }

    /// Shows the session as it is kept.
    fn show(&self) -> anyhow::Result<()> {
        let (mut store, session) = self.kept_in()?;
        let gone = store.gone_runs(&session)?;
        let prompts: BTreeMap<u32, String> = store.prompts(&session)?.into_iter().collect();
        let mut events = store.events(&session)?;
        events.retain(|event| !gone.contains(&event.run));
        let transcript = Box::new(Transcript::of(&session, &events, &prompts));
        let title = store.session(session.as_str())?.title;
        let commented = store.kept(&session, comments::KEPT)?.and_then(|kept| serde_json::from_value(kept).ok());
        self.outbox.send(Message::Shown { transcript, title, commented });
        Ok(())
    }

    fn rewound(&mut self, report: Report) -> anyhow::Result<()> {
        if report.conversation {
            self.show()?;
        }
        self.outbox.send(Message::Rewound(report));
        self.look();
        Ok(())
    }

    /// What is left to be decided on is another thing now.
    fn look(&self) {
        self.outbox.send(Message::Look);
    }

    /// What the person made of the last run's changes, as the model is told: it should not do again what was rejected.
    fn changed_since(&mut self) -> anyhow::Result<Option<String>> {
        if self.session.is_none() {
            return Ok(None);
        }
        let (mut store, session) = self.kept_in()?;
        let checkpoints = store.checkpoints(&session)?;
        let Some(last) = checkpoints.iter().rfind(|checkpoint| !checkpoint.rewound) else { return Ok(None) };
        if self.seen == Some(last.run) {
            return Ok(None);
        }
        self.seen = Some(last.run);
        let first = checkpoints.iter().find(|checkpoint| checkpoint.run == last.run).map_or(last.number, |c| c.number);
        let made = store.made_since(&session, first)?;
        Ok(told(&self.host()?, &made))
    }
}

/// Characters of a change that are told.
const TOLD: usize = 1500;

/// What files are now that a run left otherwise; `made` has the last first.
fn told(host: &WindowHost, made: &[Kept]) -> Option<String> {
    let mut files: BTreeMap<&str, (&Option<FileBytes>, Option<&Option<FileBytes>>)> = BTreeMap::new();
    for kept in made {
        let entry = files.entry(&kept.path).or_insert((&kept.before, kept.after.as_ref()));
        entry.0 = &kept.before;
    }
    let mut out = String::new();
    for (path, (before, after)) in files {
        let Some(after) = after else { continue };
        let Some(now) = ProjectPath::parse(path).ok().and_then(|path| host.bytes(&path).ok()) else { continue };
        let bytes = |file: &Option<FileBytes>| file.as_ref().map(|file| file.bytes.clone());
        if bytes(&now) == bytes(after) {
            continue;
        }
        if bytes(&now) == bytes(before) {
            out.push_str(&format!("- {path}: your change was rejected; the file is as it was before\n"));
            continue;
        }
        let (after, now) = (text(after.as_ref()), text(now.as_ref()));
        let change = FileChange::between(path, ChangeKind::Modified, &after, &now);
        let patch: String = change.patch.chars().take(TOLD).collect();
        out.push_str(&format!("- {path} was changed by the user after your edit:\n{patch}\n"));
    }
    (!out.is_empty()).then(|| format!("(Since your last edits:\n{out})"))
}
