//! Beginning a session or going on with one, and the beginning of each run.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use editor::Cancel;

use super::unkept::Unkept;
use super::{Agent, Mode, Running, Setup, Task, Tasks, act, keep_changed, prompt, step, task};
use crate::checkpoint::{self, Report, RewindError, What};
use crate::context::{Body, Conversation, Entry, Estimate, Load, Piece, budget, snapshot};
use crate::event::SessionId;
use crate::host::ProjectPath;
use crate::memory;
use crate::provider::Protocol;
use crate::session::{NewSession, Store, StoreError};
use crate::tool::{self, World};

/// Why a session was not begun or taken up.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Models with fewer weights copy badly what they were shown, and get lost in more than a few tools.
const SMALL: u64 = 4_000_000_000;
/// Who has a smaller window is a small model, too.
const NARROW: u32 = 4096;
/// Characters of a title.
const TITLE: usize = 80;

impl Agent {
    /// Begins a session. Without a title it is called by what is first asked.
    pub fn begin(setup: Arc<Setup>, mut store: Store, title: &str) -> Result<Self, StartError> {
        let session = store.begin(&new(&setup, title, None))?;
        Ok(Self::new(setup, store, session, Conversation::default()))
    }

    /// Begins a session of an agent that another has started.
    pub(super) fn child(
        setup: Arc<Setup>,
        mut store: Store,
        title: &str,
        parent: &SessionId,
    ) -> Result<Self, StartError> {
        let session = store.begin(&new(&setup, title, Some(parent.clone())))?;
        Ok(Self { is_child: true, ..Self::new(setup, store, session, Conversation::default()) })
    }

    /// An agent beside this one, in a session of its own, that knows what was said so far. What is said to it does not come
    /// back.
    pub fn beside(&self, title: &str) -> Result<Self, StartError> {
        let mut store = self.store.again()?;
        let session = store.begin(&new(&self.setup, title, Some(self.session.clone())))?;
        Ok(Self {
            is_child: true,
            estimate: self.estimate,
            window: self.window,
            asked: self.asked,
            is_small: self.is_small,
            sees: self.sees,
            native: self.native,
            ..Self::new(self.setup.clone(), store, session, self.conversation.clone())
        })
    }

    /// Goes on with a session.
    pub fn resume(setup: Arc<Setup>, mut store: Store, session: &SessionId) -> Result<Self, StartError> {
        let conversation = conversation(&mut store, session)?;
        let todo = store.kept(session, "todo")?;
        let allowed = store.kept(session, act::ALLOWED)?;
        let mut agent = Self::new(setup, store, session.clone(), conversation);
        agent.allowed = allowed.and_then(|allowed| serde_json::from_value(allowed).ok()).unwrap_or_default();
        if let Some(todo) = todo.and_then(|todo| serde_json::from_value(todo).ok()) {
            *super::lock(&agent.world.todo) = todo;
        }
        // What a file's secrets are called in the conversation is known again once the files were read.
        for path in agent.shown_paths() {
            if let Some(text) = ProjectPath::parse(&path).ok().and_then(|path| agent.setup.host.read(&path).ok()) {
                agent.world.secrets.file(&path, &text.text);
            }
        }
        agent.store_failed = false;
        Ok(agent)
    }

    fn new(setup: Arc<Setup>, store: Store, session: SessionId, conversation: Conversation) -> Self {
        let world = World { host: setup.host.clone(), secrets: store.secrets().clone(), todo: Mutex::default() };
        let spec = setup.chat.spec();
        let native = spec.protocol == Protocol::Native || spec.protocol == Protocol::Auto && spec.capabilities.tools;
        Self {
            setup,
            world: Arc::new(world),
            store,
            session,
            conversation,
            allowed: HashSet::new(),
            estimate: Estimate::default(),
            window: None,
            asked: false,
            is_small: false,
            sees: false,
            native,
            bent: 0,
            demoted: None,
            next_form: None,
            misses: 0,
            tasks: Tasks::default(),
            is_child: false,
            store_failed: false,
            unkept: Unkept::default(),
        }
    }

    /// Takes back what happened from a checkpoint on.
    pub fn rewind(&mut self, checkpoint: u32, what: What) -> Result<Report, RewindError> {
        let report = checkpoint::rewind(&mut self.store, &*self.setup.host, &self.session, checkpoint, what)?;
        self.conversation = conversation(&mut self.store, &self.session)?;
        Ok(report)
    }

    /// Takes back a run and all that followed it.
    pub fn rewind_run(&mut self, run: u32, what: What) -> Result<Report, RewindError> {
        let report = checkpoint::rewind_run(&mut self.store, &*self.setup.host, &self.session, run, what)?;
        self.conversation = conversation(&mut self.store, &self.session)?;
        Ok(report)
    }

    /// Undoes the last rewind.
    pub fn undo_rewind(&mut self) -> Result<Report, RewindError> {
        let report = checkpoint::undo(&mut self.store, &*self.setup.host, &self.session)?;
        self.conversation = conversation(&mut self.store, &self.session)?;
        Ok(report)
    }

    /// Begins the conversation anew, in the same session.
    pub fn clear(&mut self) -> Result<(), StoreError> {
        self.store.clear(&self.session)?;
        self.conversation = Conversation::default();
        Ok(())
    }

    /// The beginning of a run: what is asked, with the files it is about.
    pub(super) fn start(&mut self, asked: &Task, cancel: &Cancel) -> Running {
        let counted = self.store.next_run(&self.session);
        let number = self.note_store(counted, 0).unwrap_or(1);
        let limit = asked.steps.unwrap_or_else(|| asked.mode.steps(&self.setup.chat.spec().steps));
        let title = title_of(&asked.prompt);
        if number == 1 && !self.is_child {
            let named = self.store.name(&self.session, &title);
            self.note_store(named, number);
        }
        let mut run = Running::new(number, asked.mode, limit.max(1), title);
        run.effort = asked.effort;
        self.learn_facts(number, cancel);
        self.demoted = self.next_form.take().or(self.demoted);
        let mut files = self.attachments(asked);
        self.refuse_pictures(number, &mut files);
        self.tell_unloaded(number, &files);
        run.named = self.named(&asked.prompt);
        self.snapshot(&mut run, &files);
        let text = asked.prompt.trim().to_owned();
        self.say(&mut run, Body::Prompt { text, files });
        let whole = prompt::Whole::of(words(&asked.prompt));
        if let Some(hint) = prompt::hint(run.mode, self.edit_form(), whole).filter(|_| self.is_small && !self.native) {
            self.say(&mut run, Body::Reminder { text: hint.to_owned() });
        }
        run
    }

    /// Asks the server once what it knows of the model, and waits while it loads it. Whether it was known by then decides what
    /// the prompt teaches, which must not change within a run.
    fn learn_facts(&mut self, run: u32, cancel: &Cancel) {
        if self.asked {
            return;
        }
        let chat = self.setup.chat.clone();
        let (auto, patience) = (chat.spec().protocol == Protocol::Auto, chat.spec().provider.patience);
        let (begun, mut told) = (Instant::now(), false);
        while let Some(asked) = self.unless_stopped(cancel, chat.facts()) {
            match asked {
                Ok(facts) => {
                    self.asked = true;
                    self.window = facts.window.map(u64::from);
                    self.is_small = facts.parameters.is_some_and(|weights| weights < SMALL)
                        || facts.window.is_some_and(|window| window <= NARROW);
                    self.native |= auto && facts.tools == Some(true) && !self.is_small;
                    let sees = self.unless_stopped(cancel, chat.sees());
                    self.sees = sees.is_some_and(|sees| sees == Ok(true));
                    return;
                }
                Err(error) if error.is_loading() && begun.elapsed() < patience.loading => {
                    if !std::mem::replace(&mut told, true) {
                        self.notice(run, step::LOADING);
                    }
                    self.unless_stopped(cancel, async { tokio::time::sleep(patience.loading_poll).await });
                }
                // The request that follows fails the same way, and says so; the next run asks again.
                Err(error) if error.is_about_the_server() => return,
                Err(error) => return self.notice(run, format!("the model's window is not known: {error}")),
            }
        }
    }

    /// Waits for something, but not after a stop.
    pub(super) fn unless_stopped<T>(&self, cancel: &Cancel, work: impl Future<Output = T>) -> Option<T> {
        self.setup.runtime.block_on(async {
            let mut work = std::pin::pin!(work);
            while !cancel.is_cancelled() {
                if let Ok(done) = tokio::time::timeout(step::LOOK, &mut work).await {
                    return Some(done);
                }
            }
            None
        })
    }

    /// What is so now, as far as the conversation does not say it.
    pub(super) fn snapshot(&mut self, run: &mut Running, files: &[Piece]) {
        let mut paths = self.shown_paths();
        paths.extend(files.iter().filter_map(|piece| piece.shown.as_ref()).map(|shown| shown.path.clone()));
        paths.extend(run.changed.iter().cloned());
        let paths: Vec<_> = paths.iter().filter_map(|path| ProjectPath::parse(path).ok()).collect();
        let memory = memory::load(&*self.setup.host, self.setup.rules.clone(), &paths);
        let mut state = snapshot::state(&*self.setup.host, &memory, snapshot::Detail::of_window(self.window));
        for part in &mut state {
            part.text = self.world.secrets.clean(std::mem::take(&mut part.text));
        }
        let before = self.conversation.last_state();
        let (text, whole) = (snapshot::text(before, &state), before.is_none());
        if !text.is_empty() {
            self.say(run, Body::Snapshot { text, state, whole });
        }
    }

    /// The file that a prompt wants made: the only one that it names, and that is not there.
    fn named(&self, prompt: &str) -> Option<String> {
        let is_path = |word: &&str| crate::protocol::looks_like_path(word);
        let mut named: Vec<_> = words(prompt).filter(is_path).collect();
        named.dedup();
        match named[..] {
            [only] => ProjectPath::parse(only).ok().filter(|path| self.setup.host.read(path).is_err()),
            _ => None,
        }
        .map(|path| path.as_str().to_owned())
    }

    /// The files that a prompt names, and those that came along.
    fn attachments(&self, asked: &Task) -> Vec<Piece> {
        let mut paths: Vec<String> = asked.files.clone();
        for word in words(&asked.prompt) {
            let is_file = word.contains('.')
                && ProjectPath::parse(word).is_ok_and(|path| !path.is_root() && self.setup.host.read(&path).is_ok());
            if is_file && !paths.iter().any(|path| path == word) {
                paths.push(word.to_owned());
            }
        }
        let file = |path: &String| {
            let piece = tool::attachment(&self.world, path)?;
            Some(Piece { pinned: asked.pinned.contains(path), ..piece })
        };
        let files = paths.iter().filter_map(file);
        let mut pieces: Vec<Piece> = asked.pieces.iter().cloned().chain(files).collect();
        pieces.retain(|piece| !piece.shown.as_ref().is_some_and(|shown| self.conversation.shows(shown)));
        budget::admit(&mut pieces, &self.budget());
        pieces
    }

    /// Leaves pictures out that the model cannot see, and says so.
    fn refuse_pictures(&mut self, run: u32, files: &mut Vec<Piece>) {
        if self.sees {
            return;
        }
        let (pictures, others): (Vec<_>, Vec<_>) = files.drain(..).partition(|piece| piece.image.is_some());
        *files = others;
        if !pictures.is_empty() {
            let names: Vec<_> = pictures.iter().map(|piece| piece.title.trim_start_matches("picture ")).collect();
            let (names, model) = (names.join(", "), self.setup.chat.spec().name.clone());
            self.notice(run, format!("not sent: {names}; {model} does not see pictures"));
        }
    }

    /// Says which files the model is only told of.
    fn tell_unloaded(&mut self, run: u32, files: &[Piece]) {
        let unloaded = files.iter().filter(|piece| piece.load() == Load::Unloaded);
        let names: Vec<_> = unloaded.map(|piece| piece.title.trim_start_matches("file ")).collect();
        if !names.is_empty() {
            let text = format!("there is no room to show {} whole: the model reads by range", names.join(", "));
            self.notice(run, text);
        }
    }

    /// Keeps a file that came along from being left out when room is needed, or no more; false if it is none.
    pub fn pin(&mut self, path: &str, pinned: bool) -> bool {
        let title = format!("file {path}");
        let is_it = |(_, piece): &(usize, &mut Piece)| piece.title == title;
        let mut changed: Vec<_> = self.conversation.pieces_mut().filter(is_it).collect();
        for (_, piece) in &mut changed {
            piece.pinned = pinned;
        }
        let entries: Vec<_> = changed.into_iter().map(|(at, _)| at).collect();
        let run = entries.first().map_or(0, |at| self.conversation.entries()[*at].run);
        keep_changed(self, &entries, run);
        !entries.is_empty()
    }

    /// The files that the conversation shows.
    pub(super) fn shown_paths(&self) -> BTreeSet<String> {
        let pieces = self.conversation.entries().iter().flat_map(|entry| entry.body.pieces());
        pieces.filter_map(|piece| piece.shown.as_ref()).map(|shown| shown.path.clone()).collect()
    }

    /// Makes the conversation shorter now, as somebody asked for it: with the words given, or the model's.
    pub fn compact(&mut self, given: Option<String>, cancel: &Cancel) -> bool {
        let mut run = self.start_quietly(cancel);
        let done = self.sum_up(&mut run, given, cancel);
        let all: Vec<_> = (0..self.conversation.entries().len()).collect();
        if done {
            keep_changed(self, &all, run.number);
        }
        done
    }

    fn start_quietly(&mut self, cancel: &Cancel) -> Running {
        let counted = self.store.next_run(&self.session);
        let number = self.note_store(counted, 0).unwrap_or(1);
        self.learn_facts(number, cancel);
        Running::new(number, Mode::Ask, 1, String::new())
    }
}

fn new(setup: &Setup, title: &str, parent: Option<SessionId>) -> NewSession {
    NewSession {
        project: setup.project.to_string_lossy().into_owned(),
        title: title_of(title),
        parent,
        model: setup.chat.spec().name.clone(),
    }
}

/// A prompt on one line.
fn title_of(prompt: &str) -> String {
    prompt.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(TITLE).collect()
}

fn conversation(store: &mut Store, session: &SessionId) -> Result<Conversation, StoreError> {
    let entries = store.conversation(session)?.into_iter().filter_map(|said| {
        // A message of a version that knew other parts is left out.
        let mut entry: Entry = serde_json::from_value(said.message).ok()?;
        entry.place = said.place;
        Some(entry)
    });
    Ok(Conversation::new(entries.collect()))
}

/// Words of a prompt that may be paths: without quotes, brackets and punctuation around them.
fn words(prompt: &str) -> impl Iterator<Item = &str> + Clone {
    let around = |c: char| "`'\"()[]{}<>,;:!?*«»“”".contains(c);
    prompt
        .split(|c: char| c.is_whitespace() || "`'\"()<>,;".contains(c))
        .map(move |word| {
            word.trim_start_matches('@').trim_matches(around).trim_end_matches(['.', ':']).trim_start_matches("./")
        })
        .filter(|word| !word.is_empty())
}

/// The tools of a run: those of the setup, and those that need the session.
pub(super) fn tools(agent: &Agent, mode: Mode) -> crate::tool::Toolbox {
    let mut tools = agent.setup.tools.clone();
    // Small models do worse with every tool that they are shown, and the prompt is most of what they cost.
    if agent.is_small && !agent.native {
        tools.retain(|tool| mode == Mode::Plan && tool.name == "todo");
        return tools;
    }
    if let Some(task) = task::tool(agent, mode) {
        tools.add(task);
    }
    tools
}
