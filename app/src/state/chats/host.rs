//! The project as an agent of the window sees it: what editors hold comes before what lies on the disk, and people are
//! asked in the window.
//!
//! An agent has a thread of its own and may wait there. What belongs to the window (texts that are not saved, questions)
//! goes through messages that the window answers in its next frame.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use agent::event::Answer;
use agent::host::{
    Ask, Desk, Diagnostic, DiskHost, EditorState, Entry, FileBytes, FileText, Hits, Host, HostError, ProjectPath,
    Search,
};
use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use editor::Cancel;
use editor::file::Stamp;
use editor::lsp::Severity;
use editor::text::Text;

use super::thread::{Message, Outbox};
use crate::state::servers::problems::Problem;
use crate::state::servers::told::Told;
use crate::state::{Paths, agents};

/// How long a question may stand before it counts as a no.
pub const PATIENCE: Duration = Duration::from_mins(5);
/// How often a stop is looked for while somebody is asked.
const LOOK: Duration = Duration::from_millis(50);

/// A question of the agent, and where its answer goes.
#[derive(Clone, Debug)]
pub enum Asked {
    Permission { ask: Ask, since: Instant, to: crossbeam_channel::Sender<Answer> },
    Question { question: String, choices: Vec<String>, since: Instant, to: crossbeam_channel::Sender<Option<String>> },
}

/// A change of a text that is open and not saved.
#[derive(Clone, Debug)]
pub struct Write {
    /// From the root of the file system.
    pub path: PathBuf,
    /// What the agent read.
    pub before: String,
    pub after: String,
    /// Whether it was done; not if the text is another one by now.
    pub to: crossbeam_channel::Sender<bool>,
}

/// What the window tells its agents. Cheap to clone.
#[derive(Clone, Default)]
pub struct Shared(Arc<Mutex<View>>);

#[derive(Default)]
struct View {
    /// Texts that are not saved.
    held: BTreeMap<PathBuf, Text>,
    active: Option<PathBuf>,
    open: Vec<PathBuf>,
    selection: Option<(RangeInclusive<u32>, String)>,
    git: String,
    problems: Told,
    asks_edits: bool,
}

/// What is open in the window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Editors {
    pub active: Option<PathBuf>,
    pub open: Vec<PathBuf>,
    /// Lines from 1, and the text.
    pub selection: Option<(RangeInclusive<u32>, String)>,
    pub git: String,
}

impl Shared {
    /// Says which texts are not saved.
    pub fn hold(&self, held: BTreeMap<PathBuf, Text>) {
        self.lock().held = held;
    }

    /// Says what is open.
    pub fn show(&self, editors: Editors) {
        let mut view = self.lock();
        (view.active, view.open) = (editors.active, editors.open);
        (view.selection, view.git) = (editors.selection, editors.git);
    }

    /// Says what is known to be wrong.
    pub fn know(&self, problems: Told) {
        self.lock().problems = problems;
    }

    /// What is known to be wrong in the files of the project.
    pub fn problems(&self) -> Told {
        self.lock().problems.clone()
    }

    /// Says whether edits are asked about.
    pub fn ask_edits(&self, asks: bool) {
        self.lock().asks_edits = asks;
    }

    /// Whether they are.
    pub fn asks_edits(&self) -> bool {
        self.lock().asks_edits
    }

    fn lock(&self) -> MutexGuard<'_, View> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The person at the window.
struct WindowDesk {
    outbox: Outbox,
    paths: Paths,
    root: PathBuf,
}

impl WindowDesk {
    /// Waits until there is an answer, nobody waits any more, or it took too long.
    fn wait<T>(answer: &Receiver<T>, cancel: &Cancel) -> Result<T, &'static str> {
        let asked = Instant::now();
        loop {
            match answer.recv_timeout(LOOK) {
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Disconnected) => return Err("nobody is there to answer"),
                Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => return Err("stopped"),
                Err(RecvTimeoutError::Timeout) if asked.elapsed() > PATIENCE => {
                    return Err("nobody answered for five minutes");
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Desk for WindowDesk {
    fn permission(&self, ask: &Ask, cancel: &Cancel) -> Answer {
        let (to, answer) = bounded(1);
        self.outbox.send(Message::Asked(Asked::Permission { ask: ask.clone(), since: Instant::now(), to }));
        let answer = Self::wait(&answer, cancel).unwrap_or_else(|why| Answer::Deny { comment: why.to_owned() });
        self.outbox.send(Message::Answered);
        if answer == Answer::AllowAlways
            && let Err(error) = agents::allow_always(&self.paths, &self.root, &ask.scope)
        {
            let text = format!("It is allowed for this session only, because it cannot be kept for good: {error:#}");
            self.outbox.send(Message::Told(text));
        }
        answer
    }

    fn question(&self, question: &str, choices: &[String], cancel: &Cancel) -> Option<String> {
        let (to, answer) = bounded(1);
        let (question, choices) = (question.to_owned(), choices.to_vec());
        self.outbox.send(Message::Asked(Asked::Question { question, choices, since: Instant::now(), to }));
        let answer = Self::wait(&answer, cancel).ok().flatten();
        self.outbox.send(Message::Answered);
        answer
    }
}

/// The project, seen from the window.
pub struct WindowHost {
    disk: DiskHost,
    shared: Shared,
    outbox: Outbox,
}

impl WindowHost {
    /// The files below `root`.
    ///
    /// # Errors
    /// When there is no such folder.
    pub fn open(root: &Path, paths: Paths, shared: Shared, outbox: Outbox) -> std::io::Result<Self> {
        let desk = WindowDesk { outbox: outbox.clone(), paths, root: root.to_owned() };
        Ok(Self { disk: DiskHost::open(root, desk)?, shared, outbox })
    }

    fn absolute(&self, path: &ProjectPath) -> PathBuf {
        self.disk.root().join(path.as_path())
    }

    fn held(&self, path: &ProjectPath) -> Option<Text> {
        self.shared.lock().held.get(&self.absolute(path)).cloned()
    }

    /// Has the window change a text that is not saved.
    fn change(&self, path: &ProjectPath, before: &Text, after: &str) -> Result<(), HostError> {
        let (to, done) = bounded(1);
        let (path_of, before) = (self.absolute(path), before.to_string());
        self.outbox.send(Message::Write(Write { path: path_of, before, after: after.to_owned(), to }));
        match done.recv_timeout(PATIENCE) {
            Ok(true) => Ok(()),
            Ok(false) => Err(HostError::Changed(path.clone())),
            Err(_) => Err(HostError::Failed(path.clone(), "the window did not take the change".to_owned())),
        }
    }

    fn within(&self, path: &Path) -> Option<ProjectPath> {
        ProjectPath::parse(path.strip_prefix(self.disk.root()).ok()?.to_str()?).ok()
    }
}

impl Host for WindowHost {
    fn read(&self, path: &ProjectPath) -> Result<FileText, HostError> {
        let Some(text) = self.held(path) else { return self.disk.read(path) };
        let text = text.to_string();
        let stamp = Stamp::of_bytes(text.as_bytes());
        Ok(FileText { text, unsaved: true, encoding: editor::file::Encoding::UTF_8, bom: false, stamp })
    }

    fn write(&self, path: &ProjectPath, text: &str, before: &FileText) -> Result<(), HostError> {
        match self.held(path) {
            Some(held) if held.to_string() == before.text => self.change(path, &held, text),
            Some(_) => Err(HostError::Changed(path.clone())),
            // It was saved meanwhile: on the disk lies what was read, or it changed.
            None if before.unsaved => match self.disk.read(path)? {
                now if now.text == before.text => self.disk.write(path, text, &now),
                _ => Err(HostError::Changed(path.clone())),
            },
            None => self.disk.write(path, text, before),
        }
    }

    fn create(&self, path: &ProjectPath, text: &str) -> Result<(), HostError> {
        self.disk.create(path, text)
    }

    fn rename(&self, from: &ProjectPath, to: &ProjectPath) -> Result<(), HostError> {
        self.disk.rename(from, to)
    }

    fn remove(&self, path: &ProjectPath) -> Result<(), HostError> {
        self.disk.remove(path)
    }

    fn bytes(&self, path: &ProjectPath) -> Result<Option<FileBytes>, HostError> {
        let on_disk = self.disk.bytes(path)?;
        Ok(match self.held(path) {
            Some(text) => {
                let mode = on_disk.map_or(0o644, |file| file.mode);
                Some(FileBytes { bytes: text.to_string().into_bytes(), mode })
            }
            None => on_disk,
        })
    }

    fn put(&self, path: &ProjectPath, bytes: Option<&FileBytes>, before: Option<&FileBytes>) -> Result<(), HostError> {
        let (Some(held), Some(file)) = (self.held(path), bytes) else { return self.disk.put(path, bytes, before) };
        let is_seen = before.is_some_and(|before| before.bytes == held.to_string().as_bytes());
        match std::str::from_utf8(&file.bytes) {
            Ok(text) if is_seen => self.change(path, &held, text),
            _ => Err(HostError::Changed(path.clone())),
        }
    }

    fn list(&self, folder: &ProjectPath, depth: usize, limit: usize) -> Result<(Vec<Entry>, bool), HostError> {
        self.disk.list(folder, depth, limit)
    }

    fn search(&self, search: &Search, cancel: &Cancel) -> Result<Hits, HostError> {
        self.disk.search_with(search, &|path| self.held(path).map(|text| text.to_string()), cancel)
    }

    fn permission(&self, ask: &Ask, cancel: &Cancel) -> Answer {
        self.disk.permission(ask, cancel)
    }

    fn question(&self, question: &str, choices: &[String], cancel: &Cancel) -> Option<String> {
        self.disk.question(question, choices, cancel)
    }

    fn editor(&self) -> EditorState {
        let view = self.shared.lock();
        let active = view.active.as_deref().and_then(|path| self.within(path));
        EditorState {
            open: view
                .open
                .iter()
                .filter_map(|path| self.within(path))
                .filter(|path| Some(path) != active.as_ref())
                .collect(),
            selection: active.as_ref().and(view.selection.clone()),
            active,
            git: view.git.clone(),
        }
    }

    fn diagnostics(&self, path: &ProjectPath) -> Vec<Diagnostic> {
        let told = self.shared.problems();
        let of_file = told.iter().find(|(of, _)| of.as_str() == path.as_str()).map(|(_, problems)| problems);
        let problems = of_file.into_iter().flat_map(|problems| problems.iter()).filter(|problem| !problem.is_hint());
        let diagnostic = |problem: &Problem| Diagnostic {
            line: problem.line + 1,
            error: problem.severity() == Severity::Error,
            text: problem.said.message.clone(),
        };
        problems.map(diagnostic).collect()
    }
}
