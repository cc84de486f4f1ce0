//! The store as a window uses it: what is kept is at hand, changes show at once, and the disk is somebody else's.
//!
//! A *sheet* is what the store keeps of one repository. Writing changes the sheet at once and goes to a thread that owns
//! the [`Store`]; the thread writes in the order of asking and looks now and then whether another window wrote. Then it
//! reads anew what changed and hands it over with the number of the last write that is in it, and the sheet puts the
//! writes after that on top. So nothing flickers, and nothing is lost.
//!
//! Dropping the desk waits until all that was asked for is written.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded};

use super::{Comments, Drafts, Identity, Kind, Opened, RepositoryId, Revision, Revisions, Store, StoreError, Write};
use crate::comments::{Message, Moment, Thread};
use crate::ticks::Marks;

/// How often the thread looks whether another window wrote.
const LOOK: Duration = Duration::from_secs(1);
/// Requests and answers that may wait in each direction; more wait on the desk.
const WAITING: usize = 256;

/// Names a repository on the desk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SheetId(usize);

/// Something to be shown anew, or to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A kind of a sheet was read for the first time, or again because another window changed it.
    Changed(SheetId, Kind),
    /// Something to tell: a file was set aside, or something was not written.
    Notice(String),
}

enum Request {
    Sheet(Identity),
    Write { sheet: usize, number: u64, write: Write },
    Look,
}

enum Answer {
    Marks {
        sheet: usize,
        applied: u64,
        marks: Marks,
    },
    Comments {
        sheet: usize,
        applied: u64,
        comments: Comments,
    },
    Drafts {
        sheet: usize,
        applied: u64,
        drafts: Drafts,
    },
    /// Everything up to this number was written, or given up.
    Written(u64),
    /// A sheet was read, or cannot be.
    LaidOut,
    /// There is no file: nothing will ever be read or written.
    Closed,
    Notice(String),
}

/// What the store keeps of a repository, changes that are still to be written included.
#[derive(Default)]
pub(super) struct Sheet {
    pub(super) marks: Marks,
    pub(super) comments: Comments,
    pub(super) drafts: Drafts,
}

/// The window's side of the store.
pub struct Desk {
    requests: Option<Sender<Request>>,
    answers: Receiver<Answer>,
    thread: Option<JoinHandle<()>>,
    /// Requests that found no room.
    waiting: VecDeque<Request>,
    sheets: Vec<Sheet>,
    identities: Vec<Identity>,
    /// Writes that are not known to be written, by number and sheet.
    pending: VecDeque<(u64, usize, Write)>,
    number: u64,
    /// Sheets that were answered for.
    laid_out: usize,
    closed: bool,
}

impl Desk {
    /// Starts the thread, which opens the file. `wake` is called when something waits to be taken with [`Self::poll`].
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn open(path: &Path, wake: Arc<dyn Fn() + Send + Sync>) -> std::io::Result<Self> {
        let (requests, receive) = bounded(WAITING);
        let (send, answers) = bounded(WAITING);
        let path = path.to_owned();
        let thread =
            thread::Builder::new().name("store".to_owned()).spawn(move || work(path, &receive, &send, &*wake))?;
        Ok(Self {
            requests: Some(requests),
            answers,
            thread: Some(thread),
            waiting: VecDeque::new(),
            sheets: Vec::new(),
            identities: Vec::new(),
            pending: VecDeque::new(),
            number: 0,
            laid_out: 0,
            closed: false,
        })
    }

    /// The sheet of a repository. It is empty until the store was read, which an event tells.
    pub fn sheet(&mut self, identity: &Identity) -> SheetId {
        if let Some(known) = self.identities.iter().position(|known| known == identity) {
            return SheetId(known);
        }
        self.identities.push(identity.clone());
        self.sheets.push(Sheet::default());
        self.ask(Request::Sheet(identity.clone()));
        SheetId(self.sheets.len() - 1)
    }

    /// Whether what is kept of a repository was read.
    pub fn is_read(&self, SheetId(sheet): SheetId) -> bool {
        // Sheets are laid out in the order in which they were asked for.
        self.closed || sheet < self.laid_out
    }

    /// What was viewed.
    pub fn marks(&self, SheetId(sheet): SheetId) -> &Marks {
        &self.sheets[sheet].marks
    }

    /// What was said.
    pub fn comments(&self, SheetId(sheet): SheetId) -> &Comments {
        &self.sheets[sheet].comments
    }

    /// What is being written.
    pub fn drafts(&self, SheetId(sheet): SheetId) -> &Drafts {
        &self.sheets[sheet].drafts
    }

    /// Changes what is kept: here at once, in the file as soon as may be.
    pub fn write(&mut self, SheetId(sheet): SheetId, write: Write) {
        self.number += 1;
        let number = self.number;
        self.sheets[sheet].apply(&write);
        self.pending.push_back((number, sheet, write.clone()));
        self.ask(Request::Write { sheet, number, write });
    }

    /// Changes that are not in the file yet.
    pub fn unwritten(&self) -> usize {
        self.pending.len()
    }

    /// Whether every sheet was read and every change written, or there is no file for either.
    pub fn is_settled(&self) -> bool {
        self.closed || (self.pending.is_empty() && self.laid_out == self.sheets.len())
    }

    /// Has the thread look now whether another window wrote: when the window comes to the front, say.
    pub fn look(&mut self) {
        self.ask(Request::Look);
    }

    /// Takes what the thread has to say. Never waits.
    pub fn poll(&mut self) -> Vec<Event> {
        self.hand_over();
        let mut events = Vec::new();
        while let Ok(answer) = self.answers.try_recv() {
            let (sheet, kind, applied) = match answer {
                Answer::Marks { sheet, applied, marks } => {
                    self.sheets[sheet].marks = marks;
                    (sheet, Kind::Marks, applied)
                }
                Answer::Comments { sheet, applied, comments } => {
                    self.sheets[sheet].comments = comments;
                    (sheet, Kind::Comments, applied)
                }
                Answer::Drafts { sheet, applied, drafts } => {
                    self.sheets[sheet].drafts = drafts;
                    (sheet, Kind::Drafts, applied)
                }
                Answer::Written(number) => {
                    self.settle(number);
                    continue;
                }
                Answer::LaidOut => {
                    self.laid_out += 1;
                    continue;
                }
                Answer::Closed => {
                    self.closed = true;
                    continue;
                }
                Answer::Notice(notice) => {
                    events.push(Event::Notice(notice));
                    continue;
                }
            };
            self.settle(applied);
            for (_, _, write) in self.pending.iter().filter(|(_, of, write)| *of == sheet && write.kind() == kind) {
                self.sheets[sheet].apply(write);
            }
            events.push(Event::Changed(SheetId(sheet), kind));
        }
        self.hand_over();
        events
    }

    fn settle(&mut self, number: u64) {
        while self.pending.front().is_some_and(|(pending, ..)| *pending <= number) {
            self.pending.pop_front();
        }
    }

    fn ask(&mut self, request: Request) {
        self.waiting.push_back(request);
        self.hand_over();
    }

    fn hand_over(&mut self) {
        let Some(requests) = &self.requests else { return };
        while let Some(request) = self.waiting.pop_front() {
            match requests.try_send(request) {
                Ok(()) => {}
                Err(TrySendError::Full(request) | TrySendError::Disconnected(request)) => {
                    self.waiting.push_front(request);
                    return;
                }
            }
        }
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        if let Some(requests) = self.requests.take() {
            for request in self.waiting.drain(..) {
                // Answers must not fill up while requests are handed over.
                while self.answers.try_recv().is_ok() {}
                if requests.send(request).is_err() {
                    break;
                }
            }
        }
        // The thread ends when nobody can ask any more, and says the rest to nobody.
        while self.answers.recv().is_ok() {}
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // that it panicked was told where it did
        }
    }
}

impl Sheet {
    /// What a write does as long as no other window disagrees; then the thread reads anew.
    pub(super) fn apply(&mut self, write: &Write) {
        let threads = &mut self.comments.threads;
        let message = |threads: &mut Vec<Thread>, id, change: &dyn Fn(&mut Message)| {
            threads
                .iter_mut()
                .flat_map(|thread| &mut thread.messages)
                .filter(|message| message.id == id)
                .for_each(change);
        };
        match write {
            Write::Marks(changes) => self.marks.extend(changes.iter().copied()),
            Write::Begin { thread, origin } => {
                if threads.iter().all(|known| known.id != thread.id) {
                    threads.push((**thread).clone());
                }
                self.comments.origins.extend(origin.iter().map(|origin| (origin.id, origin.clone())));
            }
            Write::Say { thread, message } => {
                let thread = threads.iter_mut().find(|known| known.id == *thread);
                if let Some(thread) = thread.filter(|thread| thread.messages.iter().all(|known| known.id != message.id))
                {
                    thread.messages.push(message.clone());
                }
            }
            Write::Edit { message: id, text, at, .. } => message(threads, *id, &|message| {
                message.text.clone_from(text);
                message.edited = Some(*at);
            }),
            Write::Send { message: id } => message(threads, *id, &|message| {
                message.draft = false;
                message.at = Moment::now();
            }),
            Write::Withdraw { message: id } => {
                for thread in threads.iter_mut() {
                    thread.messages.retain(|message| message.id != *id);
                }
                threads.retain(|thread| !thread.messages.is_empty());
            }
            Write::Resolve { thread, resolved } => {
                threads.iter_mut().filter(|known| known.id == *thread).for_each(|known| known.resolved = *resolved);
            }
            Write::Remove { thread } => threads.retain(|known| known.id != *thread),
            Write::Draft { name, text, .. } if text.is_empty() => drop(self.drafts.remove(name)),
            Write::Draft { name, text, .. } => drop(self.drafts.insert(name.clone(), text.clone())),
        }
    }
}

/// The thread's side.
struct Keeper<'a> {
    store: Store,
    /// Repositories by sheet, and up to where each kind was handed over.
    sheets: Vec<Option<(RepositoryId, Revisions)>>,
    pulse: u64,
    /// The last write that was done.
    written: u64,
    answers: &'a Sender<Answer>,
    wake: &'a (dyn Fn() + Send + Sync),
}

fn work(path: PathBuf, requests: &Receiver<Request>, answers: &Sender<Answer>, wake: &(dyn Fn() + Send + Sync)) {
    let say = |notice: String| {
        // A desk that is gone needs no notice.
        let _ = answers.send(Answer::Notice(notice));
        wake();
    };
    let store = match Store::open(&path) {
        Ok(Opened { store, notice }) => {
            if let Some(notice) = notice {
                say(notice.to_string());
            }
            store
        }
        Err(error) => {
            say(error.to_string());
            let _ = answers.send(Answer::Closed); // a desk that is gone needs no answer
            wake();
            // Without a file everything is kept until the window closes.
            while requests.recv().is_ok() {}
            return;
        }
    };
    let mut keeper = Keeper { store, sheets: Vec::new(), pulse: 0, written: 0, answers, wake };
    if let Err(error) = keeper.store.tidy(Moment::now()) {
        say(error.to_string());
    }
    loop {
        let done = match requests.recv_timeout(LOOK) {
            Ok(Request::Sheet(identity)) => {
                let done = keeper.lay_out(&identity);
                keeper.answer(Answer::LaidOut);
                done
            }
            Ok(Request::Write { sheet, number, write }) => keeper.write(sheet, number, &write),
            Ok(Request::Look) | Err(RecvTimeoutError::Timeout) => keeper.look(),
            Err(RecvTimeoutError::Disconnected) => return,
        };
        if let Err(error) = done {
            say(error.to_string());
        }
    }
}

impl Keeper<'_> {
    fn lay_out(&mut self, identity: &Identity) -> Result<(), StoreError> {
        let sheet = self.sheets.len();
        self.sheets.push(None);
        let repository = self.store.repository(identity)?;
        self.sheets[sheet] = Some((repository, Revisions::default()));
        Kind::ALL.into_iter().try_for_each(|kind| self.read(sheet, kind))
    }

    fn write(&mut self, sheet: usize, number: u64, write: &Write) -> Result<(), StoreError> {
        let kind = write.kind();
        let Some((repository, mut known)) = self.sheets.get(sheet).copied().flatten() else { return Ok(()) };
        let done = self.store.write(repository, write);
        self.written = number;
        let made = match done {
            Ok(made) => made,
            Err(error) => {
                self.answer(Answer::Written(number));
                // What was not written must not look as if it were.
                self.read(sheet, kind)?;
                return Err(error);
            }
        };
        // Marks are as they were set unless another window set some, too; texts may have been kept beside others.
        if kind == Kind::Marks && made.follows(known.of(kind)) {
            known.set(kind, made);
            self.sheets[sheet] = Some((repository, known));
            self.answer(Answer::Written(number));
            return Ok(());
        }
        self.read(sheet, kind)
    }

    fn look(&mut self) -> Result<(), StoreError> {
        let pulse = self.store.pulse()?;
        if pulse == self.pulse {
            return Ok(());
        }
        self.pulse = pulse;
        for sheet in 0..self.sheets.len() {
            let Some((repository, known)) = self.sheets[sheet] else { continue };
            for kind in self.store.changed_since(repository, &known)? {
                self.read(sheet, kind)?;
            }
        }
        Ok(())
    }

    fn read(&mut self, sheet: usize, kind: Kind) -> Result<(), StoreError> {
        let Some((repository, mut known)) = self.sheets[sheet] else { return Ok(()) };
        let applied = self.written;
        let revision: Revision;
        let answer = match kind {
            Kind::Marks => {
                let marks;
                (marks, revision) = self.store.marks(repository)?;
                Answer::Marks { sheet, applied, marks }
            }
            Kind::Comments => {
                let comments;
                (comments, revision) = self.store.comments(repository)?;
                Answer::Comments { sheet, applied, comments }
            }
            Kind::Drafts => {
                let drafts;
                (drafts, revision) = self.store.drafts(repository)?;
                Answer::Drafts { sheet, applied, drafts }
            }
        };
        known.set(kind, revision);
        self.sheets[sheet] = Some((repository, known));
        self.answer(answer);
        Ok(())
    }

    fn answer(&self, answer: Answer) {
        // A desk that is gone needs no answer; what it asked for is done all the same.
        let _ = self.answers.send(answer);
        (self.wake)();
    }
}
