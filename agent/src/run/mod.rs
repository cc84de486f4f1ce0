//! The loop: from what a person asks to what was done about it.
//!
//! An [`Agent`] is a session that is being worked in. [`Agent::run`] takes a prompt and goes step by step: a request to the
//! model, its reply, the actions in it, their results; until the model is done, a limit is reached, or somebody stops it.
//! All that happens is told as [`Event`]s to one sink; there is no other way to see into a run.
//!
//! A run waits (for the model, for people, for the disk) and belongs on a thread of its own. Stopping is a flag that is
//! looked at twenty times a second while the model is waited for, and before each action.
//!
//! - `prompt`: what the system prompt says; `step`: a request and its reply; `act`, `write`: doing what it asks
//! - `apply`: putting into a file what an answer shows, as the person asks
//! - `second`: what a small model would have written otherwise, where it wrote nothing new
//! - `unkept`: pieces of a reply on their way to the store
//! - `detect`: noticing that it goes round in circles; `compact`: making room; `task`: agents that agents start

mod act;
mod apply;
mod compact;
mod detect;
mod prompt;
mod second;
mod start;
mod step;
mod task;
#[cfg(test)]
mod tests;
mod unkept;
mod write;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use editor::Cancel;
use serde::{Deserialize, Serialize};

pub use prompt::{Teaching, system};
pub use start::StartError;
pub use task::Tasks;

use crate::audit::{Audit, Deed};
use crate::context::{Body, Budget, Conversation, Entry, Estimate, Piece};
use crate::event::{End, Event, EventKind, Moment, SessionId};
use crate::host::{Host, ProjectPath, Scope};
use crate::memory::{self, Memory};
use crate::provider::spec::StepLimits;
use crate::provider::{Chat, EditForm, Effort};
use crate::session::{Place, Store};
use crate::tool::{Toolbox, World};
use detect::Repeats;
use unkept::Unkept;

/// What a run may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Look.
    Ask,
    /// Look, and make a plan.
    Plan,
    /// Look, and change files.
    #[default]
    Agent,
}

impl Mode {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Ask, Self::Plan, Self::Agent];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Plan => "plan",
            Self::Agent => "agent",
        }
    }

    /// By its name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Whether it changes files.
    pub fn edits(self) -> bool {
        self == Self::Agent
    }

    /// Steps that a run may have, where nobody says otherwise.
    pub fn steps(self, model: &StepLimits) -> u32 {
        match self {
            Self::Ask => model.ask.unwrap_or(6),
            Self::Plan => model.plan.unwrap_or(24),
            Self::Agent => model.agent.unwrap_or(12),
        }
    }
}

/// Who is told what happens.
pub type Sink = Arc<dyn Fn(&Event) + Send + Sync>;

/// What the runs of a session, and of those it starts, have in common.
pub struct Setup {
    /// The world.
    pub host: Arc<dyn Host>,
    /// The model.
    pub chat: Arc<dyn Chat>,
    /// Where requests run.
    pub runtime: tokio::runtime::Handle,
    /// The log, if there is one.
    pub audit: Option<Arc<Audit>>,
    /// Tools beside those of the protocol.
    pub tools: Toolbox,
    /// The root of the project, as it is named in the store.
    pub project: PathBuf,
    /// The person's own rules.
    pub rules: Option<Memory>,
    /// Who is told what happens.
    pub sink: Sink,
    /// Whether files may be edited and made without asking.
    pub allow_edits: bool,
    /// What was allowed in this project for good.
    pub always: Vec<Scope>,
    /// The form of edits that is taught, instead of the model's.
    pub edit_form: Option<EditForm>,
}

/// What a run is asked.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// What the person says.
    pub prompt: String,
    /// Files that come along, beside those that the prompt names.
    pub files: Vec<String>,
    /// Those of the files that stay whole as long as there is room at all.
    pub pinned: Vec<String>,
    /// What else comes along: a patch, a listing.
    pub pieces: Vec<Piece>,
    /// What it may do.
    pub mode: Mode,
    /// How many steps it may have, instead of the mode's number.
    pub steps: Option<u32>,
    /// How much the model may think before it answers, instead of what it does by itself.
    pub effort: Option<Effort>,
}

/// How a run went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// How it ended.
    pub end: End,
    /// What the model says about it.
    pub report: String,
    /// Steps it took.
    pub steps: u32,
    /// Files that are otherwise now.
    pub files: Vec<String>,
}

/// A session that is being worked in.
pub struct Agent {
    setup: Arc<Setup>,
    world: Arc<World>,
    store: Store,
    session: SessionId,
    conversation: Conversation,
    /// What was allowed until the session is over.
    allowed: HashSet<Scope>,
    estimate: Estimate,
    window: Option<u64>,
    /// Whether the server was asked what it knows of the model.
    asked: bool,
    /// Whether the model is too small to copy what it was shown.
    is_small: bool,
    /// Whether the model sees pictures.
    sees: bool,
    /// Whether the server's tool calls are used.
    native: bool,
    /// Malformed native calls so far.
    bent: u32,
    /// The form of edits that is taught, once the one that was is given up.
    demoted: Option<EditForm>,
    /// The form that the next run is taught.
    next_form: Option<EditForm>,
    /// Edits in blocks that could not be applied, in a row.
    misses: u32,
    tasks: Tasks,
    /// Whether another agent started it.
    is_child: bool,
    /// Set once it was told that the store fails.
    store_failed: bool,
    /// What was told and is not kept yet.
    unkept: Unkept,
}

/// A run under way.
struct Running {
    number: u32,
    mode: Mode,
    limit: u32,
    effort: Option<Effort>,
    step: u32,
    title: String,
    action: u32,
    repeats: Repeats,
    /// Failed edits by file.
    failures: HashMap<String, u32>,
    changed: BTreeSet<String>,
    /// How often a file was written.
    writes: u32,
    denied: u32,
    reminded: bool,
    /// The only file that the prompt names, if it is not there yet.
    named: Option<String>,
    /// Edits that would change nothing.
    same: u32,
    /// How often the same was asked once more.
    anew: u32,
    /// Beginnings of other replies than the first one, the likeliest last.
    beginnings: Vec<String>,
    /// How the reply to the next request begins; the model goes on from there.
    begun: Option<String>,
    /// What the last failures said; the same again raises the temperature.
    trouble: String,
    /// Whether the next request is sent at a higher temperature: it would bring the same reply otherwise.
    stuck: bool,
    report: String,
    checkpoint: Option<(u32, u32)>,
    masked: usize,
    /// Of a run in which the person applies what was said, the run that said it.
    said_in: Option<u32>,
    /// Whether what the model says now is told to nobody.
    quiet: bool,
}

impl Running {
    fn new(number: u32, mode: Mode, limit: u32, title: String) -> Self {
        Self {
            number,
            mode,
            limit,
            effort: None,
            step: 0,
            title,
            action: 0,
            repeats: Repeats::default(),
            failures: HashMap::new(),
            changed: BTreeSet::new(),
            writes: 0,
            denied: 0,
            reminded: false,
            named: None,
            same: 0,
            anew: 0,
            beginnings: Vec::new(),
            begun: None,
            trouble: String::new(),
            stuck: false,
            report: String::new(),
            checkpoint: None,
            masked: 0,
            said_in: None,
            quiet: false,
        }
    }
}

/// What follows a step.
enum Flow {
    /// The next one.
    Next,
    /// Nothing.
    End(End),
}

impl Agent {
    /// The session's name.
    pub fn session(&self) -> &SessionId {
        &self.session
    }

    /// What was said.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// What the session keeps.
    pub fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    /// The name of the model.
    pub fn model(&self) -> &str {
        &self.setup.chat.spec().name
    }

    /// Tokens that the model can take in all, as far as that is known.
    pub fn window(&self) -> Option<u64> {
        self.window.or_else(|| self.setup.chat.spec().context.map(u64::from))
    }

    /// About how many tokens so many bytes are, with this model.
    pub fn tokens(&self, bytes: usize) -> u64 {
        self.estimate.tokens(bytes)
    }

    /// The rules that count for what is under discussion.
    pub fn rules(&self) -> Vec<Memory> {
        let paths: Vec<_> = self.shown_paths().iter().filter_map(|path| ProjectPath::parse(path).ok()).collect();
        memory::load(&*self.setup.host, self.setup.rules.clone(), &paths)
    }

    /// What tools work on.
    pub fn world(&self) -> &Arc<World> {
        &self.world
    }

    /// Does what is asked. Comes back when it is done, or cannot be.
    pub fn run(&mut self, task: &Task, cancel: &Cancel) -> Ended {
        let mut run = self.start(task, cancel);
        let end = loop {
            if cancel.is_cancelled() {
                break End::Stopped;
            }
            if run.step == run.limit && !self.go_on(&mut run, cancel) {
                break End::StepLimit;
            }
            match self.step(&mut run, cancel) {
                Flow::Next => {}
                Flow::End(end) => match self.wait_for_tasks(&mut run, end, cancel) {
                    true => {}
                    false => break end,
                },
            }
        };
        self.tasks.stop();
        self.finish(run, end)
    }

    /// At the limit of steps: whether the person wants more, perhaps with a word about how.
    fn go_on(&mut self, run: &mut Running, cancel: &Cancel) -> bool {
        let choices = ["continue".to_owned(), "stop".to_owned()];
        let question = format!("All {} steps are used up. Continue, stop, or say what to do otherwise?", run.limit);
        match self.setup.host.question(&question, &choices, cancel) {
            None => false,
            Some(answer) if answer.trim().eq_ignore_ascii_case("stop") || answer.trim().is_empty() => false,
            Some(answer) => {
                if !answer.trim().eq_ignore_ascii_case("continue") {
                    self.say(run, Body::Prompt { text: answer, files: Vec::new() });
                }
                run.limit += run.mode.steps(&self.setup.chat.spec().steps);
                true
            }
        }
    }

    fn finish(&mut self, run: Running, end: End) -> Ended {
        // What was not permitted is why nothing came of it, whatever the model says.
        let fruitless = run.denied > 0 && run.changed.is_empty();
        let end = match end {
            End::Done | End::Answered | End::NoAction | End::Loop | End::StepLimit if fruitless => End::Denied,
            end => end,
        };
        let files: Vec<_> = run.changed.iter().cloned().collect();
        let todo = self.world.todo.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Ok(todo) = serde_json::to_value(&todo) {
            let kept = self.store.keep(&self.session, "todo", &todo);
            self.note_store(kept, run.number);
        }
        let mut report = run.report.trim().to_owned();
        if report.is_empty() && end == End::Done && !files.is_empty() {
            report = format!("Changed {}.", files.join(", "));
        }
        if report.is_empty() && end == End::Done && run.mode.edits() {
            "Nothing was changed.".clone_into(&mut report);
        }
        self.emit(run.number, EventKind::Done { end, report: report.clone(), steps: run.step, files: files.clone() });
        // Nobody waits for the disk now; in the middle of a reply somebody would.
        let synced = self.store.sync();
        self.note_store(synced, run.number);
        Ended { end, report, steps: run.step, files }
    }

    /// Tells everybody, and keeps it.
    fn emit(&mut self, run: u32, kind: EventKind) {
        let event = Event { session: self.session.clone(), run, time: Moment::now(), kind };
        (self.setup.sink)(&event);
        if matches!(event.kind, EventKind::Writing { .. }) {
            return; // the action itself is kept
        }
        for event in self.unkept.take(event) {
            let kept = self.store.append(&event);
            self.note_store(kept, run);
        }
    }

    /// Keeps what was said so far: nothing comes for a while.
    fn keep_rest(&mut self) {
        if let Some(event) = self.unkept.rest() {
            let kept = self.store.append(&event);
            self.note_store(kept, event.run);
        }
    }

    fn notice(&mut self, run: u32, text: impl Into<String>) {
        self.emit(run, EventKind::Notice { text: text.into(), recast: None });
    }

    /// A store that fails is told once; the run goes on without it.
    fn note_store<T>(&mut self, result: Result<T, crate::session::StoreError>, run: u32) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                if !std::mem::replace(&mut self.store_failed, true) {
                    let kind = EventKind::Notice { text: format!("the session is not kept: {error}"), recast: None };
                    (self.setup.sink)(&Event { session: self.session.clone(), run, time: Moment::now(), kind });
                }
                None
            }
        }
    }

    /// Puts something on record. A log that fails is an event: nothing is done unseen.
    fn record(&mut self, run: u32, deed: Deed) {
        let recorded = self.setup.audit.as_ref().map(|audit| audit.record(&self.session, run, deed));
        if let Some(Err(error)) = recorded {
            self.emit(run, EventKind::Error { text: error.to_string() });
        }
    }

    /// Adds to the conversation. What is said leaves the machine with the next request, so secrets are masked first.
    fn say(&mut self, run: &mut Running, mut body: Body) {
        run.masked += self.mask(&mut body);
        let mut entry = Entry { place: Place::default(), run: run.number, step: run.step, body };
        let words = entry.body.words().to_owned();
        if let Ok(message) = serde_json::to_value(&entry) {
            let said = self.store.say(&self.session, run.number, entry.body.part(), &message, &words);
            entry.place = self.note_store(said, run.number).unwrap_or_default();
        }
        self.conversation.push(entry);
    }

    fn mask(&self, body: &mut Body) -> usize {
        let secrets = &self.world.secrets;
        let mut count = 0;
        let mut mask = |text: &mut String| {
            let masked = secrets.text(text);
            if masked.count > 0 {
                count += masked.count;
                *text = masked.text.into_owned();
            }
        };
        match body {
            Body::Snapshot { text, .. } | Body::Reminder { text } | Body::Summary { text } => mask(text),
            Body::Prompt { text, files } => {
                mask(text);
                for piece in files {
                    mask(&mut piece.text);
                }
            }
            Body::Results { pieces } => pieces.iter_mut().for_each(|piece| {
                mask(&mut piece.title);
                mask(&mut piece.text);
            }),
            Body::Reply { text, calls, .. } => {
                mask(text);
                for call in calls {
                    mask(&mut call.arguments);
                }
            }
        }
        count
    }

    /// The form of edits that the prompt of a run teaches. It is the same for the whole run: the prompt must not change.
    fn edit_form(&self) -> EditForm {
        let by_size = if self.is_small { EditForm::Symbol } else { EditForm::Blocks };
        self.setup.edit_form.or(self.demoted).or(self.setup.chat.spec().edit_form).unwrap_or(by_size)
    }

    fn teaching(&self, mode: Mode) -> Teaching {
        Teaching { mode, form: self.edit_form(), native: self.native, small: self.is_small && !self.native }
    }

    /// What was learnt of the model in this session: the form of edits it keeps to, if that is another than was taught,
    /// and whether its server's tool calls cannot be read.
    pub fn learnt(&self) -> (Option<EditForm>, bool) {
        (self.next_form.or(self.demoted), self.bent >= step::BENT)
    }

    fn budget(&self) -> Budget {
        let spec = self.setup.chat.spec();
        let window = self.window;
        let reply = window.map_or(u64::from(spec.output), |window| u64::from(spec.output).min(window / 4));
        Budget { window, reply, estimate: self.estimate }
    }
}

/// The store's place of each entry, for changing what is kept.
fn keep_changed(agent: &mut Agent, entries: &[usize], run: u32) {
    for &at in entries {
        let entry = agent.conversation.entries()[at].clone();
        if let Ok(message) = serde_json::to_value(&entry) {
            let kept = agent.store.correct(&agent.session, entry.place, &message);
            agent.note_store(kept, run);
        }
    }
}

/// A lock that somebody panicked with still holds what it held.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
