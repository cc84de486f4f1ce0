//! Language servers of the open folder: which are started, what they are told of the texts that are open, and what they
//! say is wrong.
//!
//! A text is *followed* while it is open as a document, or in sight as the new side of a review. [`follow`] compares what
//! is followed with what is open, once before a frame is drawn and once more after keys were typed; typing, undo, agents
//! and reloads are all the same to it: changes of a document. Each server has threads of its own, nothing here waits.
//!
//! Versions that servers are told grow from opening to opening of a text: so what a server says of an earlier one is
//! known to be old.
//!
//! - [`problems`]: what they say; [`told`]: the same for a model; [`trust`]: which may be started

pub mod problems;
pub mod told;
pub mod trust;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use diff::lines::Content;
use editor::change::ChangeSet;
use editor::file::{RealFs, Stamp, load};
use editor::limits::Limits;
use editor::lsp::{self, Diagnostic, Event, Launch, ServerId};
use editor::syntax::Language;
use editor::text::Text;

use super::State;
use super::documents::{DocumentId, Documents};
use super::notices::{Level, Notices};
use super::settings::{LanguageServers, OwnServer};
use crate::code_view::lines::TextKey;
use crate::commands::Command;
use crate::tasks::{Poll, Task, Tasks};
use problems::{Problem, Problems};
use trust::{Answer, Trust};

/// Texts in sight of reviews that are followed; those seen last.
const SIGHTS: usize = 128;
/// How long the end of the window waits for the end of servers.
const PATIENCE: Duration = Duration::from_millis(1500);
/// Characters that are shown of what a server has to say to people.
const MESSAGE: usize = 300;

/// Languages whose missing servers are not told in a bar: their files are read all day by people who check other things.
const QUIET: &[&str] = &["JSON", "TOML", "YAML", "Markdown", "HTML", "CSS", "SQL"];

/// Where a followed text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    Document(DocumentId),
    /// A side of a review that does not change.
    Sight(TextKey),
}

/// A text that servers are told of.
struct Followed {
    from: From,
    language: Language,
    /// As servers were last told.
    text: Text,
    version: u64,
    /// What the document's own version is less than that.
    offset: u64,
    stamp: Option<Stamp>,
    /// Whether they were told.
    is_open: bool,
    /// Those that have said anything of it.
    heard: BTreeSet<Arc<str>>,
    /// The round in which it was last there.
    round: u64,
}

/// A new side of a review that was drawn.
struct Sight {
    path: PathBuf,
    content: Content,
    /// None if it is too large for servers, or of no language that we know.
    language: Option<Language>,
}

/// What was said of a file that is not open, while the file is being read.
struct Reading {
    path: PathBuf,
    server: Arc<str>,
    task: Task<Result<Vec<Problem>, String>>,
}

/// What there is to say about the servers of a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offer {
    /// These could check the project, if they may.
    Start(Vec<String>),
    /// This could, if it were installed.
    Install { server: String, language: &'static str, command: String },
}

/// See the module.
pub struct Servers {
    pub problems: Problems,
    trust: Trust,
    root: Option<PathBuf>,
    mode: LanguageServers,
    own: Vec<OwnServer>,
    /// Servers of languages that were looked for, and whether they are installed.
    installed: BTreeMap<String, bool>,
    looking: Option<Task<Vec<(String, bool)>>>,
    /// Runs them, once any may be started.
    hub: Option<lsp::Servers>,
    /// Those that may be started.
    allowed: BTreeMap<String, Launch>,
    /// How each is, root by root.
    states: BTreeMap<ServerId, lsp::State>,
    /// Why none can be started.
    failed: Option<String>,
    /// Nothing is started until the user says so.
    halted: bool,
    followed: BTreeMap<PathBuf, Followed>,
    /// Counts how often what is open was looked through.
    round: u64,
    /// The largest version that servers were told.
    last: u64,
    /// Those drawn last, the last one at the end.
    sights: Vec<Sight>,
    /// One of them was not there before.
    has_new_sight: bool,
    /// Languages of what is open and in sight, and the servers of them. Made anew when there are others.
    languages: Vec<Language>,
    serving: Vec<Launch>,
    reading: Vec<Reading>,
}

/// How servers are, for a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It begins, or works on something.
    Busy(String),
    /// It does not run: which one, and why.
    Stopped { server: String, why: String },
}

/// Follows what is open, starts what may be started, and takes in what servers say. Never waits.
pub fn follow(state: &mut State) {
    let State { servers, documents, workspace, settings, tasks, notices, limits, reviews, tool, .. } = state;
    let root = workspace.root().filter(|_| !*tool);
    servers.enter(root, settings.language_servers, &settings.servers);
    if servers.root.is_none() {
        return;
    }
    if let Some(failed) = servers.trust.poll(tasks) {
        notices.warn(failed);
    }
    if reviews.iter().next().is_none() {
        servers.sights.clear();
    }
    servers.follow_texts(documents, limits);
    servers.serve_languages();
    servers.look_for_programs(tasks);
    servers.start_what_may(tasks);
    servers.tell_openings();
    servers.take_events(documents, notices, limits, tasks);
}

impl Servers {
    /// No server; what was answered about them is read from `kept`.
    pub fn new(kept: PathBuf) -> Self {
        Self {
            problems: Problems::default(),
            trust: Trust::load(kept),
            root: None,
            mode: LanguageServers::default(),
            own: Vec::new(),
            installed: BTreeMap::new(),
            looking: None,
            hub: None,
            allowed: BTreeMap::new(),
            states: BTreeMap::new(),
            failed: None,
            halted: false,
            followed: BTreeMap::new(),
            round: 0,
            last: 0,
            sights: Vec::new(),
            has_new_sight: false,
            languages: Vec::new(),
            serving: Vec::new(),
            reading: Vec::new(),
        }
    }

    /// The folder that is checked, and what the settings say; servers of another one are ended.
    fn enter(&mut self, root: Option<&Path>, mode: LanguageServers, own: &[OwnServer]) {
        let wanted = root.filter(|_| mode != LanguageServers::Never);
        if self.root.as_deref() != wanted {
            self.end_all();
            self.root = wanted.map(Path::to_owned);
            self.halted = false;
        }
        self.mode = mode;
        if self.own != own {
            // What is meant by a name may be another program now.
            self.end_all();
            self.own = own.to_vec();
        }
    }

    fn end_all(&mut self) {
        self.hub = None; // which ends them
        self.allowed.clear();
        self.states.clear();
        self.followed.clear();
        self.sights.clear();
        self.reading.clear();
        self.failed = None;
        self.installed.clear();
        self.looking = None;
        self.problems.clear();
        self.languages.clear();
        self.serving.clear();
    }

    /// The servers of a language: those we know, and those the user names, which may take the place of a known one.
    fn launches(&self, language: Language) -> Vec<Launch> {
        let known =
            lsp::launches(language).into_iter().filter(|known| !self.own.iter().any(|own| own.name == known.name));
        let own = self.own.iter().map(OwnServer::launch).filter(|own| own.serves(language));
        own.chain(known).collect()
    }

    /// Sees to it that the servers of all languages that are open or in sight are known.
    fn serve_languages(&mut self) {
        let followed = self.followed.values().map(|followed| followed.language);
        let mut languages: Vec<Language> =
            followed.chain(self.sights.iter().filter_map(|sight| sight.language)).collect();
        languages.sort_by_key(|language| language.name());
        languages.dedup();
        if languages != self.languages {
            self.serving = languages.iter().flat_map(|language| self.launches(*language)).collect();
            self.languages = languages;
        }
    }

    /// Says that a side of a review that does not change is in sight.
    pub fn sight(&mut self, path: &Path, content: &Content) {
        if !self.is_in(path) {
            return;
        }
        let key = TextKey::of_content(content);
        let is_it = |sight: &Sight| TextKey::of_content(&sight.content) == key && sight.path == path;
        if let Some(at) = self.sights.iter().rposition(is_it) {
            self.sights[at..].rotate_left(1);
            return;
        }
        let language = language_of(path, content);
        self.has_new_sight = true;
        self.sights.push(Sight { path: path.to_owned(), content: content.clone(), language });
        let over = self.sights.len().saturating_sub(SIGHTS);
        self.sights.drain(..over);
    }

    /// What is wrong with a side of a review that does not change, if that is what servers were told.
    pub fn of_sight(&self, path: &Path, content: &Content) -> &[Problem] {
        let is_it = |followed: &&Followed| followed.from == From::Sight(TextKey::of_content(content));
        self.followed.get(path).filter(is_it).map_or(&[], |_| self.problems.of(path))
    }

    /// Whether something came into sight, so that another frame is needed to follow it.
    pub fn take_new_sight(&mut self) -> bool {
        std::mem::take(&mut self.has_new_sight)
    }

    /// Compares what is followed with what is open: opens, changes, saves and closes.
    fn follow_texts(&mut self, documents: &Documents, limits: &Limits) {
        let Some(root) = self.root.clone() else { return };
        self.round += 1;
        for (id, open) in documents.iter() {
            let Some(path) = open.path.as_deref().filter(|path| path.starts_with(&root)) else { continue };
            let document = &open.document;
            let language = document.language().and_then(|name| Language::from_name(name));
            let Some(language) = language else { continue };
            let from = From::Document(id);
            let is_same = |followed: &Followed| followed.from == from && followed.language == language;
            if !self.followed.get(path).is_some_and(is_same) {
                self.begin(path, from, language, document.text().clone(), document.version(), open.on_disk.stamp);
                continue;
            }
            let since = |version| document.changes_since(version);
            self.change(path, document.text(), document.version(), since);
            let Some(followed) = self.followed.get_mut(path) else { continue };
            followed.round = self.round;
            // Its file is another, and the text is what is in it: it was saved, or read anew.
            if followed.stamp != open.on_disk.stamp && !open.is_dirty() {
                followed.stamp = open.on_disk.stamp;
                if let Some(hub) = self.hub.as_ref().filter(|_| followed.is_open) {
                    hub.save(path, &followed.text);
                }
            }
        }
        self.follow_sights(limits);
        let is_gone = |followed: &Followed| followed.round != self.round;
        let gone: Vec<PathBuf> =
            self.followed.iter().filter(|(_, followed)| is_gone(followed)).map(|(path, _)| path.clone()).collect();
        for path in gone {
            self.close(&path);
            self.followed.remove(&path);
        }
    }

    /// Follows what is in sight of reviews and may be checked; nothing is made of it while no server is there for it.
    fn follow_sights(&mut self, limits: &Limits) {
        let mut sights = std::mem::take(&mut self.sights);
        // Of several texts of one path, as a merge has them, the one that was seen last.
        for Sight { path, content, language } in sights.iter_mut().rev() {
            language.take_if(|_| content.len() > limits.server_document_bytes);
            let is_served = |language: &Language| self.allowed.values().any(|may| may.serves(*language));
            let Some(of) = language.filter(is_served) else { continue };
            let from = From::Sight(TextKey::of_content(content));
            match self.followed.get_mut(path) {
                // It is open as a document, or came into sight later.
                Some(followed) if followed.round == self.round => {}
                Some(followed) if followed.from == from => followed.round = self.round,
                _ => match std::str::from_utf8(content.bytes()) {
                    Ok(text) => self.begin(path, from, of, Text::from(text), 0, None),
                    Err(_) => *language = None,
                },
            }
        }
        self.sights = sights;
    }

    /// Follows a text from now on, of which servers are told with the next openings.
    fn begin(&mut self, path: &Path, from: From, language: Language, text: Text, own: u64, stamp: Option<Stamp>) {
        self.leave(path, &text);
        let offset = self.last + 1;
        let version = offset + own;
        self.last = version;
        let (is_open, heard, round) = (false, BTreeSet::new(), self.round);
        let followed = Followed { from, language, text, version, offset, stamp, is_open, heard, round };
        self.followed.insert(path.to_owned(), followed);
    }

    /// A path is followed from elsewhere from now on; what is known of it stays if the text is the same.
    fn leave(&mut self, path: &Path, text: &Text) {
        self.close(path);
        if self.followed.get(path).is_some_and(|followed| followed.text != *text) {
            self.problems.forget(path);
        }
    }

    /// Tells servers, and what they said, how a text changed.
    fn change(
        &mut self,
        path: &Path,
        text: &Text,
        version: u64,
        since: impl FnOnce(u64) -> Option<Vec<Arc<ChangeSet>>>,
    ) {
        let Some(followed) = self.followed.get_mut(path) else { return };
        if followed.version == followed.offset + version {
            return;
        }
        let changes = since(followed.version - followed.offset).unwrap_or_default();
        let changes = changes.iter().map(|change| (**change).clone()).reduce(|first, next| first.compose(&next));
        // Too much happened at once for the document to know.
        let changes = changes.filter(|changes| changes.len_before() == followed.text.len());
        let changes = changes.unwrap_or_else(|| ChangeSet::between(&followed.text, text));
        followed.version = followed.offset + version;
        self.last = self.last.max(followed.version);
        if let Some(hub) = self.hub.as_ref().filter(|_| followed.is_open) {
            hub.change(path, followed.version, text, &changes, &followed.text);
        }
        followed.text = text.clone();
        self.problems.follow(path, &changes, text);
    }

    /// Tells servers that a text is not open any more.
    fn close(&mut self, path: &Path) {
        let Some(followed) = self.followed.get_mut(path) else { return };
        if let Some(hub) = self.hub.as_ref().filter(|_| std::mem::take(&mut followed.is_open)) {
            hub.close(path);
        }
    }

    /// Finds out which servers of the languages in use are installed.
    fn look_for_programs(&mut self, tasks: &Tasks) {
        if let Some(task) = &self.looking {
            match task.poll() {
                Poll::Pending => return,
                Poll::Ready(found) => self.installed.extend(found),
                Poll::Lost => {}
            }
            self.looking = None;
        }
        let is_unknown = |launch: &&Launch| !self.installed.contains_key(&launch.name);
        let unknown: Vec<Launch> = self.serving.iter().filter(is_unknown).cloned().collect();
        if !unknown.is_empty() {
            self.looking = Some(tasks.spawn("look for language servers", move |_| {
                unknown.into_iter().map(|launch| (launch.name.clone(), launch.find().is_some())).collect()
            }));
        }
    }

    /// Allows the servers that may be started; each is when something for it is open.
    fn start_what_may(&mut self, tasks: &Tasks) {
        let Some(root) = self.root.clone().filter(|_| !self.halted && self.failed.is_none()) else { return };
        for launch in &self.serving {
            let may = self.mode == LanguageServers::Always || self.trust.of(&root, &launch.name) == Some(Answer::Start);
            let is_here = self.installed.get(&launch.name) == Some(&true);
            if !may || !is_here || self.allowed.contains_key(&launch.name) {
                continue;
            }
            self.allowed.insert(launch.name.clone(), launch.clone());
            // What is in sight is followed for it from the next frame on.
            tasks.waker().wake();
            if self.hub.is_none() {
                match lsp::Servers::start(root.clone(), Vec::new(), tasks.waker().as_fn()) {
                    Ok(hub) => self.hub = Some(hub),
                    Err(error) => return self.failed = Some(format!("they cannot be started: {error}")),
                }
            }
            if let Some(hub) = &self.hub {
                hub.allow(launch.clone());
            }
        }
    }

    /// Opens what is followed, once there is anybody to open it.
    fn tell_openings(&mut self) {
        let Some(hub) = &self.hub else { return };
        for (path, followed) in &mut self.followed {
            if !std::mem::replace(&mut followed.is_open, true) {
                hub.open(path, followed.language, &followed.text, followed.version);
            }
        }
    }

    fn take_events(&mut self, documents: &Documents, notices: &mut Notices, limits: &Limits, tasks: &Tasks) {
        let events = self.hub.as_ref().map(lsp::Servers::drain).unwrap_or_default();
        for event in events {
            match event {
                Event::Diagnostics { server, path, version, diagnostics } => {
                    self.take_diagnostics(&server.name, path, version, diagnostics, documents, limits, tasks);
                }
                Event::State { server, state } => self.take_state(server, state, notices),
                Event::Message { server, severity: lsp::Severity::Error, text } => {
                    let text: String = text.chars().take(MESSAGE).collect();
                    notices.warn(format!("{server}: {text}"));
                }
                Event::Message { server, text, .. } => tracing::info!("{server}: {text}"),
            }
        }
        let reading = std::mem::take(&mut self.reading);
        for reading in reading {
            match reading.task.poll() {
                Poll::Pending => self.reading.push(reading),
                // Opened meanwhile, it will be said anew.
                Poll::Ready(_) if self.followed.contains_key(&reading.path) => {}
                Poll::Ready(Ok(found)) => self.problems.set(&reading.path, &reading.server, found),
                Poll::Ready(Err(why)) => tracing::info!("{}: {why}", reading.path.display()),
                Poll::Lost => {}
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "an event's parts, and what is needed to place them")]
    fn take_diagnostics(
        &mut self,
        server: &Arc<str>,
        path: PathBuf,
        version: u64,
        mut said: Vec<Diagnostic>,
        documents: &Documents,
        limits: &Limits,
        tasks: &Tasks,
    ) {
        self.reading.retain(|reading| reading.path != path || reading.server != *server);
        let Some(followed) = self.followed.get_mut(&path) else {
            if said.is_empty() {
                return self.problems.set(&path, server, Vec::new());
            }
            let (from, of, limits) = (path.clone(), server.clone(), limits.clone());
            let task = tasks.spawn("read file with problems", move |_| {
                let loaded = load(&RealFs, &from, &limits).map_err(|error| error.to_string())?;
                Ok(said.into_iter().map(|said| Problem::of(&of, clipped(said, &loaded.text), &loaded.text)).collect())
            });
            self.reading.push(Reading { path, server: server.clone(), task });
            return;
        };
        if version < followed.offset || version > followed.version {
            return; // of an earlier opening
        }
        followed.heard.insert(server.clone());
        if version < followed.version {
            let changes = match followed.from {
                From::Document(id) => {
                    documents.get(id).and_then(|open| open.document.changes_since(version - followed.offset))
                }
                From::Sight(_) => None,
            };
            // The document may have gone on since it was followed, but never between here and there.
            let count = usize::try_from(followed.version - version).unwrap_or(usize::MAX);
            let Some(changes) = changes.filter(|changes| changes.len() >= count) else { return };
            said.retain_mut(|said| {
                let was_empty = said.range.is_empty();
                for change in &changes[..count] {
                    said.range = change.map_range(said.range.clone());
                }
                was_empty || !said.range.is_empty()
            });
        }
        let text = &followed.text;
        let found = said.into_iter().map(|said| Problem::of(server, clipped(said, text), text)).collect();
        self.problems.set(&path, server, found);
    }

    fn take_state(&mut self, server: ServerId, state: lsp::State, notices: &mut Notices) {
        let is_end = |state: &lsp::State| matches!(state, lsp::State::Stopped { .. } | lsp::State::Missing { .. });
        if let Some(why) = end_of(&state).filter(|_| !self.states.get(&server).is_some_and(is_end)) {
            notices.offer(Level::Warning, format!("{server} stopped: {why}"), Command::RestartServers, "Restart");
            self.problems.forget_server(&server.name);
        }
        self.states.insert(server, state);
    }

    /// Whether servers are told of a file.
    pub fn follows(&self, path: &Path) -> bool {
        self.followed.contains_key(path)
    }

    /// What there is to ask or to say about the servers of a language.
    pub fn offer(&self, language: &str) -> Option<Offer> {
        let root = self.root.as_deref()?;
        let language = Language::from_name(language)?;
        let launches = self.launches(language);
        let unasked = self.unasked(&launches);
        if !unasked.is_empty() {
            return Some(Offer::Start(unasked));
        }
        let is_missing = |launch: &Launch| self.installed.get(&launch.name) == Some(&false);
        let first = launches.first().filter(|_| launches.iter().all(is_missing))?;
        let is_quiet = QUIET.contains(&language.name()) || self.trust.was_told(&first.name);
        let is_refused = self.trust.of(root, &first.name) == Some(Answer::Never);
        let command = first.install.clone().filter(|_| !is_quiet && !is_refused)?;
        Some(Offer::Install { server: first.name.clone(), language: language.name(), command })
    }

    /// What there is to ask about the servers of anything that is open or in sight.
    pub fn offer_to_start(&self) -> Option<Offer> {
        let mut names = self.unasked(&self.serving);
        names.sort();
        names.dedup();
        (!names.is_empty()).then_some(Offer::Start(names))
    }

    /// Those of some servers that are installed and were neither allowed nor refused.
    fn unasked(&self, launches: &[Launch]) -> Vec<String> {
        let Some(root) = self.root.as_deref().filter(|_| self.mode == LanguageServers::Ask && !self.halted) else {
            return Vec::new();
        };
        let is_unasked = |launch: &&Launch| {
            self.installed.get(&launch.name) == Some(&true) && self.trust.of(root, &launch.name).is_none()
        };
        launches.iter().filter(is_unasked).map(|launch| launch.name.clone()).collect()
    }

    /// Whether a path is in the folder that is checked.
    pub fn is_in(&self, path: &Path) -> bool {
        self.root.as_deref().is_some_and(|root| path.starts_with(root))
    }

    /// What was missing may be installed by now.
    pub fn look_again(&mut self) {
        self.installed.retain(|_, found| *found);
    }

    /// The user said whether servers may check the folder.
    pub fn answer(&mut self, servers: &[String], answer: Answer) {
        let Some(root) = self.root.clone() else { return };
        for server in servers {
            self.trust.answer(&root, server, answer);
        }
    }

    /// The user read that a server is missing.
    pub fn dismiss(&mut self, server: &str) {
        self.trust.tell(server);
    }

    /// Ends every server and starts them again, also those that gave up; what was installed meanwhile is found.
    pub fn restart(&mut self) {
        self.end_all();
        self.halted = false;
    }

    /// Ends every server; none is started until they are to be started again.
    pub fn stop(&mut self) {
        self.end_all();
        self.halted = true;
    }

    /// The window closes: no server is to stay. Waits a moment.
    pub fn shut_down(&mut self) {
        if let Some(hub) = self.hub.take() {
            hub.shut_down(PATIENCE);
        }
    }

    /// Whether any was started.
    pub fn is_any(&self) -> bool {
        !self.allowed.is_empty()
    }

    /// Whether they were ended by the user.
    pub fn is_halted(&self) -> bool {
        self.halted
    }

    /// Whether there will be more to hear soon: a server begins or works, or has said nothing of what is open.
    pub fn is_awaited(&self) -> bool {
        let has_ended = |name: &str| self.states.iter().any(|(of, state)| &*of.name == name && end_of(state).is_some());
        let waits = |launch: &Launch| {
            let is_unheard = |followed: &Followed| {
                launch.serves(followed.language) && !followed.heard.contains(launch.name.as_str())
            };
            !has_ended(&launch.name) && self.followed.values().any(is_unheard)
        };
        self.allowed.values().any(waits) || matches!(self.condition(), Some(Condition::Busy(_)))
    }

    /// The names of those that were started.
    pub fn names(&self) -> Vec<&str> {
        self.allowed.keys().map(String::as_str).collect()
    }

    /// What is to be said of how they are; the gravest. Nothing where all is well.
    pub fn condition(&self) -> Option<Condition> {
        if let Some(why) = &self.failed {
            return Some(Condition::Stopped { server: "language servers".to_owned(), why: why.clone() });
        }
        let stopped = self
            .states
            .iter()
            .find_map(|(server, state)| Some(Condition::Stopped { server: server.to_string(), why: end_of(state)? }));
        let busy = self.states.iter().find_map(|(server, state)| match state {
            lsp::State::Starting => Some(Condition::Busy(format!("{server} is starting"))),
            lsp::State::Working { title, percent: Some(percent) } => {
                Some(Condition::Busy(format!("{server}: {title} {percent} %")))
            }
            lsp::State::Working { title, percent: None } => Some(Condition::Busy(format!("{server}: {title}"))),
            _ => None,
        });
        stopped.or(busy)
    }
}

/// The language of a side of a review, as that of any file.
fn language_of(path: &Path, content: &Content) -> Option<Language> {
    let beginning = &content.bytes()[..content.len().min(256)];
    let first = String::from_utf8_lossy(beginning.split(|byte| *byte == b'\n').next().unwrap_or_default());
    Language::from_path(path, &first)
}

/// Why a server does not run, if so.
fn end_of(state: &lsp::State) -> Option<String> {
    match state {
        lsp::State::Stopped { why } => Some(why.clone()),
        lsp::State::Missing { command, install: Some(install) } => {
            Some(format!("{command} is not installed; {install} installs it"))
        }
        lsp::State::Missing { command, install: None } => Some(format!("{command} is not installed")),
        lsp::State::Starting | lsp::State::Ready | lsp::State::Working { .. } => None,
    }
}

/// What a server said, with a range that is one of the text, whatever it said.
fn clipped(mut said: Diagnostic, text: &Text) -> Diagnostic {
    let start = text.floor_char(said.range.start.min(text.len()));
    said.range = start..text.floor_char(said.range.end.clamp(start, text.len()));
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Servers of a folder in which this is installed, and nothing else of Python's and Go's.
    fn with_installed(home: &Path, installed: &[&str]) -> Servers {
        let mut servers = Servers::new(home.join("servers.json"));
        servers.enter(Some(Path::new("/project")), LanguageServers::Ask, &[]);
        let languages = ["Python", "Go", "YAML"].map(|name| Language::from_name(name).unwrap());
        let launches: Vec<Launch> = languages.into_iter().flat_map(|language| servers.launches(language)).collect();
        let known = launches.into_iter().map(|launch| (installed.contains(&launch.name.as_str()), launch.name));
        servers.installed = known.map(|(is_installed, name)| (name, is_installed)).collect();
        servers
    }

    fn start(names: &[&str]) -> Offer {
        Offer::Start(names.iter().map(|&name| name.to_owned()).collect())
    }

    #[test]
    fn what_is_installed_is_asked_about_until_it_is_answered() {
        let home = tempfile::tempdir().unwrap();
        let mut servers = with_installed(home.path(), &["pyright", "ruff"]);
        assert_eq!(servers.offer("Python"), Some(start(&["pyright", "ruff"])));
        servers.answer(&["pyright".to_owned()], Answer::Never);
        assert_eq!(servers.offer("Python"), Some(start(&["ruff"])));
        servers.answer(&["ruff".to_owned()], Answer::Start);
        assert_eq!(servers.offer("Python"), None);
        servers.enter(Some(Path::new("/other")), LanguageServers::Ask, &[]);
        assert_eq!(servers.offer("Python"), None, "what is installed is not known yet");
        servers.installed.insert("pyright".to_owned(), true);
        assert_eq!(servers.offer("Python"), Some(start(&["pyright"])), "another folder is another question");
    }

    #[test]
    fn what_is_missing_is_said_once_and_only_where_there_is_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let mut servers = with_installed(home.path(), &["ruff"]);
        servers.answer(&["ruff".to_owned()], Answer::Start);
        assert_eq!(servers.offer("Python"), None, "ruff checks it");
        let said = servers.offer("Go");
        assert!(matches!(&said, Some(Offer::Install { server, .. }) if server == "gopls"), "{said:?}");
        assert_eq!(servers.offer("YAML"), None, "files of this kind are everywhere");
        servers.dismiss("gopls");
        assert_eq!(servers.offer("Go"), None);
        servers.enter(Some(Path::new("/project")), LanguageServers::Never, &[]);
        assert_eq!(servers.offer("Python"), None);
    }
}
