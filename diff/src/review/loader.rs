//! Reads and compares files on worker threads, those the reader is about to see first.
//!
//! Three classes, in order: what is wanted now (in view, then next in the direction of scrolling), and behind it every
//! file not yet counted, in the order that is least work to read: a worker takes a run of neighbours and goes on with it
//! whenever nothing is wanted. A wanted file always comes back with contents; a background file only while there is room
//! in the memory budget, else with its counts and height alone.
//!
//! Results wait in a bounded channel until the page takes them in: workers pause when nobody does. Dropping the loader
//! cancels everything and never waits for a thread.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use editor::Cancel;
use rustc_hash::FxHashSet;

use super::entry::{Counts, Heights, NoteBody, Pictures, RowSign};
use super::file_lines::{FileLines, Reading};
use super::head::{self, Head};
use super::prints::{MAX_HASHED, Prints, Tracer};
use crate::affix::Common;
use crate::content::{self, SideContent};
use crate::engine::{Cancelled, Engine, Options, Whitespace};
use crate::generated;
use crate::git::{FileChange, ObjectId, Reader, Side, Status};
use crate::lines::{Bytes, Content};
use crate::notes::{self, Note};
use crate::runs::Runs;
use crate::{notebook, picture};

/// What a loader may use.
#[derive(Clone, Debug)]
pub struct LoaderOptions {
    /// Worker threads.
    pub threads: usize,
    /// Bytes of contents that background work may keep.
    pub keep: usize,
    /// Bytes of contents that are kept already.
    pub kept: usize,
    /// Files that were compared already: nobody reads them again unless somebody waits for them.
    pub known: FxHashSet<usize>,
    /// Lines of context around hunks, for heights.
    pub context_lines: u32,
    /// How lines are compared.
    pub compare: Options,
    /// Equal sides are lines, too: a document will take the place of one.
    pub keep_equal: bool,
    /// How changed lines are remembered.
    pub tracer: Tracer,
    /// Files of which what is stored is compared, and not what can be read instead.
    pub raw: FxHashSet<usize>,
}

impl Default for LoaderOptions {
    fn default() -> Self {
        Self {
            threads: 2,
            keep: 128 << 20,
            kept: 0,
            known: FxHashSet::default(),
            context_lines: 3,
            compare: Options::default(),
            keep_equal: false,
            tracer: Tracer::default(),
            raw: FxHashSet::default(),
        }
    }
}

/// A file that is done.
pub struct Loaded {
    pub file: usize,
    pub outcome: Outcome,
    pub prints: Prints,
}

/// What came of it.
pub enum Outcome {
    /// The beginning of a large file that somebody waits for; another outcome follows.
    Head(Box<FileLines>, Heights),
    Lines {
        lines: Box<FileLines>,
        counts: Counts,
        heights: Heights,
    },
    Counted {
        counts: Counts,
        heights: Heights,
    },
    Note {
        note: NoteBody,
        notes: Vec<Note>,
    },
    Failed(String),
}

struct Queue {
    wanted: VecDeque<usize>,
    background: Background,
    /// Files that a worker has, or that were counted: the background passes them over.
    taken: Vec<bool>,
    /// Files that are not taken.
    left: usize,
    /// Files that a worker has right now.
    running: Vec<usize>,
    raw: FxHashSet<usize>,
}

/// In which order files are read that nobody waits for.
enum Background {
    /// Whoever has nothing else to do is to find out: for 76,872 files it takes longer than a frame.
    Unordered,
    /// A worker is finding out.
    Ordering,
    Ordered {
        order: Arc<[usize]>,
        runs: Runs,
    },
}

/// What a worker does next.
enum Job {
    /// Finds out the order of the background.
    Order,
    /// Compares a file; `wanted` if somebody waits for its contents, `raw` if for what is stored.
    Compare { file: usize, wanted: bool, raw: bool },
}

struct Shared {
    files: Arc<Vec<FileChange>>,
    queue: Mutex<Queue>,
    work: Condvar,
    cancel: Cancel,
    /// Bytes of contents handed out and not given back.
    kept: AtomicUsize,
    options: LoaderOptions,
}

/// The worker threads of one review.
pub struct Loader {
    shared: Arc<Shared>,
    results: Receiver<Loaded>,
}

/// Commits of a submodule that are listed, each way.
const MAX_COMMITS: usize = 50;

/// Results that may wait to be taken in.
const RESULTS: usize = 512;

/// Wake-ups for background results come at most this often; each costs a frame.
const BACKGROUND_WAKE: Duration = Duration::from_millis(40);

impl Loader {
    /// Starts comparing `files`, those at `first` before all others, as if they were wanted already. `open` gives each
    /// thread its reader; `wake` is called when results wait.
    ///
    /// # Errors
    /// When the system gives no thread.
    #[expect(clippy::needless_pass_by_value, reason = "the threads keep what is handed in")]
    pub fn start(
        files: Arc<Vec<FileChange>>,
        first: Range<usize>,
        options: LoaderOptions,
        open: impl Fn() -> Reader + Send + Sync + 'static,
        wake: Arc<dyn Fn() + Send + Sync>,
    ) -> std::io::Result<Self> {
        let (send, results) = bounded(RESULTS);
        let threads = options.threads.max(1);
        let taken: Vec<_> = (0..files.len()).map(|file| options.known.contains(&file)).collect();
        let queue = Queue {
            wanted: first.filter(|&file| taken.get(file) == Some(&false)).collect(),
            background: Background::Unordered,
            left: taken.iter().filter(|taken| !**taken).count(),
            taken,
            running: Vec::new(),
            raw: options.raw.clone(),
        };
        let shared = Arc::new(Shared {
            files,
            queue: Mutex::new(queue),
            work: Condvar::new(),
            cancel: Cancel::new(),
            kept: AtomicUsize::new(options.kept),
            options,
        });
        let open = Arc::new(open);
        for n in 0..threads {
            let (shared, send, open, wake) = (shared.clone(), send.clone(), open.clone(), wake.clone());
            thread::Builder::new().name(format!("review-{n}")).spawn(move || work(&shared, &send, &*open, &*wake))?;
        }
        Ok(Self { shared, results })
    }

    /// Says what is wanted now, most urgent first; replaces what was wanted before.
    pub fn want(&self, files: impl IntoIterator<Item = usize>) {
        let mut queue = lock(&self.shared.queue);
        queue.wanted.clear();
        let Queue { wanted, running, .. } = &mut *queue;
        wanted.extend(files.into_iter().filter(|file| !running.contains(file)));
        drop(queue);
        self.shared.work.notify_all();
    }

    /// From now on compares what is stored of a file, or what can be read instead.
    pub fn set_raw(&self, file: usize, raw: bool) {
        let mut queue = lock(&self.shared.queue);
        if raw {
            queue.raw.insert(file);
        } else {
            queue.raw.remove(&file);
        }
    }

    /// Takes a finished file, if there is one; never waits.
    pub fn poll(&self) -> Option<Loaded> {
        self.results.try_recv().ok()
    }

    /// Whether every file was looked at.
    pub fn is_complete(&self) -> bool {
        let queue = lock(&self.shared.queue);
        queue.is_done() && queue.running.is_empty() && self.results.is_empty()
    }

    /// Bytes of contents that are out.
    pub fn kept(&self) -> usize {
        self.shared.kept.load(Ordering::Relaxed)
    }

    /// Says that contents of this many bytes were dropped.
    pub fn give_back(&self, bytes: usize) {
        self.shared.kept.fetch_sub(bytes.min(self.kept()), Ordering::Relaxed);
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        self.shared.cancel.cancel();
        self.shared.work.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A worker that panicked left the queue whole: every change to it is one statement.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// What to do next; `run` is what is left of the worker's run. Blocks until there is something; `None` at the end.
    fn next(&self, run: &mut Range<usize>) -> Option<Job> {
        let mut queue = lock(&self.queue);
        while !self.cancel.is_cancelled() {
            if let Some(job) = queue.next(run) {
                return Some(job);
            }
            queue = self.work.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    fn set_order(&self, order: Arc<[usize]>) {
        let runs = Runs::new(order.len(), self.options.threads);
        lock(&self.queue).background = Background::Ordered { order, runs };
        self.work.notify_all();
    }

    fn finish(&self, file: usize) {
        lock(&self.queue).running.retain(|&f| f != file);
    }

    fn is_done(&self) -> bool {
        lock(&self.queue).is_done()
    }
}

impl Queue {
    fn next(&mut self, run: &mut Range<usize>) -> Option<Job> {
        if let Some(file) = self.wanted.pop_front() {
            self.start(file);
            return Some(Job::Compare { file, wanted: true, raw: self.raw.contains(&file) });
        }
        match &mut self.background {
            Background::Unordered => {
                self.background = Background::Ordering;
                Some(Job::Order)
            }
            Background::Ordering => None,
            Background::Ordered { order, runs } => {
                let file = loop {
                    if let Some(&file) = run.find_map(|at| order.get(at).filter(|&&file| !self.taken[file])) {
                        break file;
                    }
                    *run = runs.next()?;
                };
                self.start(file);
                Some(Job::Compare { file, wanted: false, raw: self.raw.contains(&file) })
            }
        }
    }

    fn start(&mut self, file: usize) {
        if let Some(taken) = self.taken.get_mut(file).filter(|taken| !**taken) {
            *taken = true;
            self.left -= 1;
        }
        self.running.push(file);
    }

    /// Whether there is nothing to begin any more.
    fn is_done(&self) -> bool {
        self.left == 0 && self.wanted.is_empty()
    }
}

fn work(
    shared: &Shared,
    results: &Sender<Loaded>,
    open: &(dyn Fn() -> Reader + Send + Sync),
    wake: &(dyn Fn() + Send + Sync),
) {
    let mut reader = open();
    let mut engine = Engine::default();
    let mut run = 0..0;
    let mut woken = Instant::now();
    while let Some(job) = shared.next(&mut run) {
        let Job::Compare { file, wanted, raw } = job else {
            shared.set_order(reader.reading_order(&shared.files).into());
            continue;
        };
        let change = &shared.files[file];
        reader.force_text(raw);
        let head = |lines, heights| {
            // If there is no room for it, the whole will do.
            let outcome = Outcome::Head(lines, heights);
            if results.try_send(Loaded { file, outcome, prints: Prints::default() }).is_ok() {
                wake();
            }
        };
        let head: Option<&dyn Fn(_, _)> = if wanted { Some(&head) } else { None };
        let compared = compare_with_head(&mut reader, &mut engine, change, &shared.options, &shared.cancel, head);
        let Ok((outcome, prints)) = compared else { return };
        let outcome = keep_or_count(shared, outcome, wanted);
        let sent = hand_over(results, Loaded { file, outcome, prints }, wake);
        shared.finish(file);
        if !sent {
            return;
        }
        if wanted || woken.elapsed() >= BACKGROUND_WAKE || shared.is_done() {
            woken = Instant::now();
            wake();
        }
    }
}

/// Hands a result over, waiting for room if there is none; false once nobody is there to take it.
fn hand_over(results: &Sender<Loaded>, loaded: Loaded, wake: &(dyn Fn() + Send + Sync)) -> bool {
    match results.try_send(loaded) {
        Ok(()) => true,
        Err(TrySendError::Full(loaded)) => {
            // Nobody makes room who was not told that something waits.
            wake();
            results.send(loaded).is_ok()
        }
        Err(TrySendError::Disconnected(_)) => false,
    }
}

/// Keeps contents that are wanted or that there is room for.
fn keep_or_count(shared: &Shared, outcome: Outcome, wanted: bool) -> Outcome {
    let Outcome::Lines { lines, counts, heights } = outcome else { return outcome };
    let bytes = lines.memory();
    if wanted || shared.kept.load(Ordering::Relaxed) + bytes <= shared.options.keep {
        shared.kept.fetch_add(bytes, Ordering::Relaxed);
        return Outcome::Lines { lines, counts, heights };
    }
    Outcome::Counted { counts, heights }
}

/// Reads both sides of a change and compares them.
///
/// # Errors
/// Only when cancelled: whatever else goes wrong is an outcome, which says so where the file would stand.
pub fn compare_file(
    reader: &mut Reader,
    engine: &mut Engine,
    change: &FileChange,
    options: &LoaderOptions,
    cancel: &Cancel,
) -> Result<(Outcome, Prints), Cancelled> {
    compare_with_head(reader, engine, change, options, cancel, None)
}

/// The same; of a large file the beginning is handed to `head` before the rest is compared.
fn compare_with_head(
    reader: &mut Reader,
    engine: &mut Engine,
    change: &FileChange,
    options: &LoaderOptions,
    cancel: &Cancel,
    head: Option<&dyn Fn(Box<FileLines>, Heights)>,
) -> Result<(Outcome, Prints), Cancelled> {
    let failed = |error: String| (Outcome::Failed(error), Prints::default());
    let (old, new) = match (reader.read(change, Side::Old), reader.read(change, Side::New)) {
        (Ok(old), Ok(new)) => (old, new),
        (Err(error), _) | (_, Err(error)) => return Ok(failed(error.to_string())),
    };
    let whitespace = options.compare.whitespace;
    let (mut old_bytes, mut new_bytes) = (bytes_of(&old), bytes_of(&new));
    let reading = reading(reader, change, &mut old_bytes, &mut new_bytes);
    let common = Common::of(&old_bytes, &new_bytes);
    // Before what is said of the file is known, which takes a look at all of it.
    if let Some(show) = head
        && note_body(change, &old, &new).is_none()
        && let Some(head) = head::compare(&old_bytes, &new_bytes, common, engine, &options.compare, cancel)?
    {
        let Head { old, new, hunks } = head;
        let heights = Heights::of(&hunks, new.line_count(), options.context_lines);
        show(
            Box::new(FileLines {
                is_head: true,
                reading,
                ..FileLines::new(old, new, hunks, Vec::new(), options.compare.whitespace)
            }),
            heights,
        );
    }
    let mut notes = notes::of_known(change, &old, &new, common);
    if let Some(note) = note_body(change, &old, &new) {
        let note = with_commits(with_names(note, reader, change, &old, &new), reader, change, &old, &new);
        let prints = Prints::of_note(change, (&old, &new), &notes, reader, whitespace);
        return Ok((Outcome::Note { note, notes }, prints));
    }
    let (old, new) = match Content::pair_with(old_bytes, new_bytes, common) {
        Ok(pair) => pair,
        Err(error) => return Ok(failed(error.to_string())),
    };
    let script = engine.compare_with(&old, &new, common, &options.compare, cancel)?;
    if whitespace != Whitespace::Exact {
        let hidden = script.hidden(&old, &new);
        notes.extend((hidden > 0).then_some(Note::Overlooked(hidden)));
    }
    let mut prints = Prints::of_lines(change, (&old, &new), &script.hunks, &notes, whitespace, &options.tracer);
    let side = if change.new.is_some() { &new } else { &old };
    // Attributes that cannot be read say nothing; whatever is wrong with them was told when the file was read.
    let attribute = reader.generated(&change.path).unwrap_or_default();
    prints.generated = generated::of(attribute, &change.path, side.bytes());
    if script.hunks.is_empty() && !options.keep_equal {
        let note = match reading {
            Some(Reading::Notebook(_)) if change.old.is_some() && change.new.is_some() => {
                NoteBody { title: "Only what is not shown of a notebook differs".to_owned(), ..NoteBody::default() }
            }
            _ => nothing_differs(change, &notes),
        };
        let note = NoteBody { can_be_text: reading.is_some(), ..note };
        return Ok((Outcome::Note { note, notes }, prints));
    }
    let counts = Counts::of(&script.hunks);
    let heights = Heights::of(&script.hunks, new.line_count(), options.context_lines);
    let lines =
        FileLines { limited: script.limited, reading, ..FileLines::new(old, new, script.hunks, notes, whitespace) };
    Ok((Outcome::Lines { lines: Box::new(lines), counts, heights }, prints))
}

/// The bytes that are compared as lines: of a link, where it points to.
fn bytes_of(side: &SideContent) -> Bytes {
    match side {
        SideContent::Text(text) => text.bytes.clone(),
        SideContent::Symlink { target } => Bytes::from(target.as_bytes()),
        SideContent::Missing | SideContent::Binary { .. } | SideContent::Submodule { .. } => Bytes::default(),
    }
}

/// What is read instead of the lines that are stored, if something is; the sides are made that.
fn reading(reader: &Reader, change: &FileChange, old: &mut Bytes, new: &mut Bytes) -> Option<Reading> {
    if reader.forces_text() {
        let is_binary = content::is_binary(old) || content::is_binary(new);
        return is_binary.then_some(Reading::Forced);
    }
    if !notebook::is_notebook(change.path.as_bytes()) || change.is_excerpt() {
        return None;
    }
    let (before, after) = (notebook::read(old)?, notebook::read(new)?);
    let extension = if new.is_empty() { before.extension } else { after.extension };
    (*old, *new) = (before.text.into_bytes().into(), after.text.into_bytes().into());
    Some(Reading::Notebook(extension))
}

/// What is said in place of lines: for what is not text, on either side.
fn note_body(change: &FileChange, old: &SideContent, new: &SideContent) -> Option<NoteBody> {
    let describe = |side: &SideContent| match side {
        SideContent::Binary { size, picture: Some(kind), .. } => Some(format!("{} of {size} bytes", kind.name())),
        SideContent::Binary { size, .. } => Some(format!("{size} bytes")),
        SideContent::Submodule { commit: Some(commit), dirty } => {
            Some(format!("{}{}", commit.short(12), if *dirty { "-dirty" } else { "" }))
        }
        SideContent::Submodule { commit: None, .. } => Some("not checked out".to_owned()),
        SideContent::Text(text) => Some(format!("{} bytes of text", text.bytes.len())),
        SideContent::Missing | SideContent::Symlink { .. } => None,
    };
    let is = |wanted: fn(&SideContent) -> bool| wanted(old) || wanted(new);
    let is_binary = is(|side| matches!(side, SideContent::Binary { .. }));
    let title = if is(|side| matches!(side, SideContent::Submodule { .. })) {
        "Submodule"
    } else if is_binary {
        "Binary file, not shown"
    } else {
        return None;
    };
    let title = title.to_owned();
    if change.is_excerpt() {
        let details = vec!["the patch does not tell its content".to_owned()];
        return Some(NoteBody { title, details, ..NoteBody::default() });
    }
    let details = match (describe(old), describe(new)) {
        (Some(old), Some(new)) => vec![format!("{old} → {new}")],
        (Some(old), None) => vec![format!("{old}, {}", change.status.name())],
        (None, Some(new)) => vec![format!("{new}, {}", change.status.name())],
        (None, None) => Vec::new(),
    };
    let pictures = pictures(old, new);
    Some(NoteBody { title, details, pictures, can_be_text: is_binary, ..NoteBody::default() })
}

/// The pictures that the sides are; none if a side is there and no picture that is small enough to be shown.
fn pictures(old: &SideContent, new: &SideContent) -> Option<Pictures> {
    let of = |side: &SideContent| match side {
        SideContent::Missing => Some(None),
        SideContent::Binary { size, picture: Some(kind), .. } if *size <= picture::MAX_BYTES => Some(Some(*kind)),
        _ => None,
    };
    let (old, new) = (of(old)?, of(new)?);
    (old.is_some() || new.is_some()).then_some(Pictures { old, new })
}

/// Adds git's names for the contents of sides that are binary, so that two of one size can be told apart.
fn with_names(
    mut note: NoteBody,
    reader: &mut Reader,
    change: &FileChange,
    old: &SideContent,
    new: &SideContent,
) -> NoteBody {
    let is_binary = |side: &SideContent| matches!(side, SideContent::Binary { size, .. } if *size <= MAX_HASHED);
    if change.is_excerpt() || !(is_binary(old) || is_binary(new)) {
        return note;
    }
    // Content that cannot be read now has no name; it was read a moment ago.
    let mut name = |side, content: &SideContent| {
        let id = is_binary(content).then(|| reader.hash(change, side).ok().flatten()).flatten();
        id.map(|id| id.short(9))
    };
    match (name(Side::Old, old), name(Side::New, new)) {
        (Some(old), Some(new)) => note.details.push(format!("{old} → {new}")),
        (Some(one), None) | (None, Some(one)) => note.details.push(one),
        (None, None) => {}
    }
    note
}

/// Adds the commits between the two states of a submodule, where they are there to be asked for.
fn with_commits(
    note: NoteBody,
    reader: &Reader,
    change: &FileChange,
    old: &SideContent,
    new: &SideContent,
) -> NoteBody {
    let (SideContent::Submodule { commit: Some(old), .. }, SideContent::Submodule { commit: Some(new), .. }) =
        (old, new)
    else {
        return note;
    };
    if old == new {
        return note;
    }
    let mut note = note;
    match reader.submodule_log(&change.path, *old, *new, MAX_COMMITS) {
        Ok(Some(log)) => {
            let row = |sign| move |(id, subject): (ObjectId, String)| (sign, format!("{} {subject}", id.short(9)));
            let all = log.added.len() + log.removed.len();
            let more = if log.more { " or more" } else { "" };
            note.details.push(format!("{all}{more} commit{}", if all == 1 { "" } else { "s" }));
            note.rows.extend(log.added.into_iter().map(row(RowSign::Added)));
            note.rows.extend(log.removed.into_iter().map(row(RowSign::Removed)));
            if log.more {
                note.rows.push((RowSign::Plain, "there are more".to_owned()));
            }
        }
        Ok(None) => {
            note.details.push("its commits are not here; `git submodule update` fetches them".to_owned());
        }
        Err(error) => note.details.push(error.to_string()),
    }
    note
}

/// What is said of a file whose lines are equal: something else of it changed.
fn nothing_differs(change: &FileChange, notes: &[Note]) -> NoteBody {
    let is_hidden = notes.iter().any(|note| matches!(note, Note::Overlooked(_)));
    let title = match (change.status, &change.old, &change.new) {
        _ if is_hidden => "Only white space differs".to_owned(),
        (Status::Added | Status::Untracked, ..) => "Empty file added".to_owned(),
        (Status::Deleted, ..) => "Empty file deleted".to_owned(),
        (Status::Renamed, ..) => "Renamed without changes".to_owned(),
        (Status::Copied, ..) => "Copied without changes".to_owned(),
        (_, Some(old), Some(new)) if old.mode != new.mode => {
            format!("Mode changed {} → {}", old.mode.octal(), new.mode.octal())
        }
        _ => "No lines differ".to_owned(),
    };
    // A mode that the title names needs no second mention.
    let told = |note: &&Note| !(title.starts_with("Mode changed") && matches!(note, Note::Mode { .. }));
    let details = notes.iter().filter(told).map(ToString::to_string).collect();
    NoteBody { title, details, ..NoteBody::default() }
}
