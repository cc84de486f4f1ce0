//! Staging, unstaging and discarding out of reviews: jobs done one after the other, each as a task, and undone again.
//!
//! A *job* says what was chosen in the texts that were shown; what is another text by now is refused, and nothing is
//! changed. Unsaved text of an open document is staged as it would be saved. Discarding writes the file, which an open
//! document takes in as an undoable step; in a document with unsaved text it is an edit of that text instead, and the
//! disk stays as it is. New files go to the trash.
//!
//! What follows from an outcome outside (documents, reviews, notices) is for whoever takes the outcome.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::PathBuf;

use diff::checkpoint::Checkpoint;
use diff::engine::Hunk;
use diff::git::{FileChange, IndexEntry, Repo, Side};
use diff::lines::{Bytes, Content};
use diff::source::Comparison;
use diff::staging::{self, Chosen, Discarded, Extent, Pick, Shown, What};
use editor::Cancel;
use editor::change::{ChangeSet, Transaction};
use editor::document::EditKind;
use editor::file::{Encoding, Expect, RealFs, Stamp, encode, save_bytes};
use editor::selection::Selections;
use editor::text::Text;

use super::documents::{DocumentId, Documents};
use super::reviews::ReviewId;
use super::stages::NewText;
use super::trash::{self, Trashed};
use crate::tasks::{Poll, Task, Tasks};

/// Discards that can be undone; the oldest are forgotten.
const UNDO: usize = 50;

/// What is done with what was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Stage,
    Unstage,
    Discard,
    /// Makes it part of the old side, where that is no commit.
    Accept,
    /// What [`Act::Discard`] is where the old side is no commit: the old text is written back.
    Reject,
}

/// What of a file was chosen.
#[derive(Clone)]
pub enum Part {
    File,
    Lines { old: Content, new: NewText, hunks: Vec<Hunk>, chosen: Chosen, mode: bool },
}

/// An open document that is the new side of a file.
#[derive(Clone)]
pub struct Open {
    pub id: DocumentId,
    pub version: u64,
    pub text: Text,
    pub encoding: Encoding,
    pub bom: bool,
    /// It is not on disk as it is.
    pub dirty: bool,
}

/// A file and what of it was chosen.
#[derive(Clone)]
pub struct Picked {
    pub change: FileChange,
    pub part: Part,
    pub open: Option<Open>,
    /// Some of it may be staged: to be discarded it leaves the index, too.
    pub staged: bool,
    /// Where the file is on disk.
    pub path: Option<PathBuf>,
}

/// Something to be done.
#[derive(Clone)]
pub struct Job {
    pub review: ReviewId,
    pub act: Act,
    pub comparison: Comparison,
    pub picks: Vec<Picked>,
    /// What was chosen, for people: `2 lines of a.txt`.
    pub said: String,
}

/// An edit that a discard makes in a document.
#[derive(Debug)]
pub struct Edit {
    pub document: DocumentId,
    pub version: u64,
    edits: Vec<(Range<usize>, String)>,
    /// The text was saved before, and is so afterwards: what was rejected is gone from the file, too.
    saves: bool,
}

/// What was discarded, to get it back.
#[derive(Default)]
pub struct Undo {
    pub said: String,
    index: Option<(Repo, Vec<IndexEntry>)>,
    disk: Option<Discarded>,
    trashed: Vec<Trashed>,
    /// Documents that were edited, and the versions this made.
    edited: Vec<(DocumentId, u64)>,
    /// Files that were written, as they were and as they became.
    written: Vec<Written>,
}

/// A file before and after a rejection.
struct Written {
    path: PathBuf,
    before: Option<Vec<u8>>,
    after: Vec<u8>,
}

impl Written {
    /// Writes it, unless the file is another one by now.
    fn write(&self) -> Result<(), String> {
        let expect = self.before.as_ref().map_or(Expect::Missing, |bytes| Expect::Stamp(Stamp::of_bytes(bytes)));
        save_bytes(&RealFs, &self.path, &self.after, expect).map(drop).map_err(|error| error.to_string())
    }

    fn undo(self) -> Result<(), String> {
        match self.before {
            Some(before) => Self { path: self.path, after: before, before: Some(self.after) }.write(),
            None => trash::put(&self.path).map(drop),
        }
    }
}

impl Undo {
    fn is_empty(&self) -> bool {
        self.index.is_none()
            && self.disk.is_none()
            && self.trashed.is_empty()
            && self.edited.is_empty()
            && self.written.is_empty()
    }
}

/// What a job did.
#[derive(Default)]
pub struct Outcome {
    /// What was done; none if something was undone.
    pub act: Option<Act>,
    /// The review it was done in.
    pub review: Option<ReviewId>,
    /// Files that left for the trash.
    pub trashed: Vec<PathBuf>,
    pub said: String,
    /// Why not all of it was done.
    pub error: Option<String>,
    /// A discard that can be undone was made.
    pub can_undo: bool,
    /// What a review is against from now on.
    pub kept: Option<(ReviewId, Checkpoint)>,
}

enum Work {
    Job(Box<Job>),
    /// Undoes a discard.
    Undo(Undo),
    /// Undoes a stage or unstage.
    WriteBack(Repo, Vec<IndexEntry>, String),
}

/// What a task did.
#[derive(Default)]
struct Done {
    act: Option<Act>,
    review: Option<ReviewId>,
    said: String,
    undo: Undo,
    edits: Vec<Edit>,
    error: Option<String>,
    kept: Option<(ReviewId, Checkpoint)>,
}

/// Jobs, and what can be undone of them.
#[derive(Default)]
pub struct Staging {
    waiting: VecDeque<Work>,
    working: Option<Task<Done>>,
    discarded: Vec<Undo>,
    indexed: Vec<(Repo, Vec<IndexEntry>, String)>,
}

impl Staging {
    /// Does a job as soon as those before are done.
    pub fn ask(&mut self, job: Job) {
        self.waiting.push_back(Work::Job(Box::new(job)));
    }

    /// Brings back what was discarded last, or says why not.
    pub fn undo_discard(&mut self, documents: &mut Documents) -> Result<(), String> {
        let Some(undo) = self.discarded.pop() else { return Err("Nothing was discarded.".to_owned()) };
        for (id, version) in &undo.edited {
            let Some(open) = documents.get_mut(*id) else { continue };
            if open.document.version() != *version {
                let why = format!("{} was edited since: undo there brings the text back, step by step.", open.title());
                self.discarded.push(undo);
                return Err(why);
            }
        }
        for (id, _) in &undo.edited {
            let Some(open) = documents.get_mut(*id) else { continue };
            let saves = !open.is_dirty();
            open.document.undo();
            if saves {
                documents.save(*id, None, false);
            }
        }
        self.waiting.push_back(Work::Undo(Undo { edited: Vec::new(), ..undo }));
        Ok(())
    }

    /// Gives the index back what it had before the last stage or unstage; whether there was one.
    pub fn undo_staging(&mut self) -> bool {
        let last = self.indexed.pop();
        let any = last.is_some();
        self.waiting.extend(last.map(|(repo, entries, said)| Work::WriteBack(repo, entries, said)));
        any
    }

    /// Whether something is being done.
    pub fn is_working(&self) -> bool {
        self.working.is_some() || !self.waiting.is_empty()
    }

    /// Starts what waits and takes in what was done. Never waits itself.
    pub fn take_results(&mut self, documents: &mut Documents, tasks: &Tasks) -> Option<Outcome> {
        let done = match self.working.as_ref().map(Task::poll) {
            Some(Poll::Pending) => return None,
            Some(Poll::Ready(done)) => Some(done),
            Some(Poll::Lost) => {
                let error = "What was asked for ended unexpectedly; look at the changes again.".to_owned();
                Some(Done { error: Some(error), ..Done::default() })
            }
            None => None,
        };
        self.working = None;
        if let Some(work) = self.waiting.pop_front() {
            self.working = Some(tasks.spawn("stage or discard", move |cancel| perform(work, cancel)));
        }
        Some(self.finish(done?, documents))
    }

    fn finish(&mut self, done: Done, documents: &mut Documents) -> Outcome {
        let Done { act, review, said, mut undo, edits, mut error, kept } = done;
        for edit in edits {
            match edit.make(documents) {
                Some(version) => {
                    undo.edited.push((edit.document, version));
                    if edit.saves {
                        documents.save(edit.document, None, false);
                    }
                }
                None => error = Some("The text was edited meanwhile; choose once more.".to_owned()),
            }
        }
        let trashed = undo.trashed.iter().map(|trashed| trashed.path.clone()).collect();
        let mut can_undo = false;
        match (act, undo.index.take()) {
            (Some(Act::Discard | Act::Reject), index) => {
                undo.index = index;
                if !undo.is_empty() {
                    undo.said.clone_from(&said);
                    self.discarded.push(undo);
                    can_undo = true;
                }
            }
            (Some(Act::Stage | Act::Unstage | Act::Accept), Some((repo, entries))) => {
                self.indexed.push((repo, entries, said.clone()));
            }
            // An undo that failed half way can be tried again.
            (None, index) => {
                undo.index = index;
                if !undo.is_empty() {
                    self.discarded.push(undo);
                }
            }
            (Some(Act::Stage | Act::Unstage | Act::Accept), None) => {}
        }
        self.discarded.drain(..self.discarded.len().saturating_sub(UNDO));
        self.indexed.drain(..self.indexed.len().saturating_sub(UNDO));
        Outcome { act, review, trashed, said, error, can_undo, kept }
    }
}

impl Edit {
    /// Makes it, in one step of undo; the version that the text is then. None if the text is another one by now.
    fn make(&self, documents: &mut Documents) -> Option<u64> {
        let open = documents.get_mut(self.document).filter(|open| open.document.version() == self.version)?;
        let changes = ChangeSet::from_edits(open.document.text().len(), self.edits.iter().cloned());
        let at = self.edits.first().map_or(0, |(range, _)| range.start);
        open.document.close_run();
        open.document.apply(Transaction::new(changes), EditKind::Command, &Selections::caret(at));
        Some(open.document.version())
    }
}

fn perform(work: Work, cancel: &Cancel) -> Done {
    match work {
        Work::Job(job) => job.perform(cancel),
        Work::Undo(undo) => bring_back(undo),
        Work::WriteBack(repo, entries, said) => {
            let error = staging::write_back(&repo, &entries).err().map(|error| error.to_string());
            Done { said: format!("Undone: {said}"), error, ..Done::default() }
        }
    }
}

fn bring_back(undo: Undo) -> Done {
    let Undo { said, index, disk, trashed, written, .. } = undo;
    let mut left = Undo { said: said.clone(), ..Undo::default() };
    let mut error = None;
    if let Some(Err(failed)) = disk.map(|disk| disk.undo(&RealFs)) {
        error = Some(failed.to_string());
        left.disk = Some(failed.done);
    }
    for file in written {
        if let Err(why) = file.undo() {
            error = Some(why);
        }
    }
    for item in trashed {
        let path = item.path.clone();
        if let Err(why) = trash::restore(item) {
            error = Some(format!("{} does not come back from the trash: {why}", path.display()));
        }
    }
    if let Some((repo, entries)) = index
        && let Err(failed) = staging::write_back(&repo, &entries)
    {
        error = Some(failed.to_string());
        left.index = Some((repo, entries));
    }
    Done { said: format!("Brought back {said}."), undo: left, error, ..Done::default() }
}

/// A pick with the texts that it refers to.
struct Ready {
    picked: Picked,
    new: Content,
    unsaved: Option<Bytes>,
}

impl Ready {
    fn of(picked: Picked) -> Result<Self, String> {
        let path = picked.change.path.display().into_owned();
        let too_large = || format!("{path} is larger than any text may be");
        let new = match &picked.part {
            Part::File => Content::default(),
            Part::Lines { new, .. } => new.content().ok_or_else(too_large)?,
        };
        let unsaved = match &picked.open {
            Some(open) if open.dirty => {
                let lacks = |character| {
                    let encoding = open.encoding;
                    format!("{encoding} has no '{character}', which {path} has: save it as UTF-8, or replace that")
                };
                Some(encode(&open.text, open.encoding, open.bom).map_err(lacks)?.into())
            }
            _ => None,
        };
        Ok(Self { picked, new, unsaved })
    }

    fn pick(&self) -> Pick<'_> {
        let what = match &self.picked.part {
            Part::File => What::File,
            Part::Lines { old, hunks, chosen, mode, .. } => {
                What::Parts { lines: Some((Shown { old, new: &self.new, hunks }, chosen)), mode: *mode }
            }
        };
        Pick { change: &self.picked.change, what, unsaved: self.unsaved.as_ref() }
    }

    /// The edit that writes the old text of the chosen lines into the document.
    fn edit(&self) -> Option<Edit> {
        let (Part::Lines { old, hunks, chosen, .. }, Some(open)) = (&self.picked.part, &self.picked.open) else {
            return None;
        };
        let shown = Shown { old, new: &self.new, hunks };
        let splices = shown.splices(&chosen.rest(hunks), Side::New).into_iter();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let edits = splices.map(|splice| (splice.at, text(splice.text))).collect();
        Some(Edit { document: open.id, version: open.version, edits, saves: !open.dirty })
    }

    /// The file on disk without the chosen lines of its change.
    fn rejected(&self) -> Result<Written, String> {
        let name = self.picked.change.path.display();
        let (Part::Lines { old, hunks, chosen, .. }, Some(path)) = (&self.picked.part, &self.picked.path) else {
            return Err(format!("{name} has no lines that could be rejected"));
        };
        let before = super::store::read(path).map_err(|error| format!("{error:#}"))?.map(String::into_bytes);
        let shown = Shown { old, new: &self.new, hunks };
        if before.as_deref().unwrap_or_default() != &**self.new.bytes() {
            return Err(format!("{name} is not as it was shown: look at the change again"));
        }
        Ok(Written { path: path.clone(), before, after: shown.compose(&chosen.rest(hunks), Side::New) })
    }

    /// Whether nothing of the file is left once this is discarded.
    fn takes_all_of_new(&self) -> bool {
        self.picked.change.old.is_none()
            && match &self.picked.part {
                Part::File => true,
                Part::Lines { hunks, chosen, .. } => chosen.extent(hunks) == Extent::All,
            }
    }

    /// Whether it is discarded in a document and not on disk.
    fn is_edit(&self, act: Act) -> bool {
        let is_lines = matches!(self.picked.part, Part::Lines { .. });
        let edited = self.picked.open.as_ref().is_some_and(|open| open.dirty || act == Act::Reject);
        is_lines && edited
    }
}

impl Job {
    fn perform(self, cancel: &Cancel) -> Done {
        let Self { review, act, comparison, picks, said } = self;
        let mut done = Done { act: Some(act), review: Some(review), said, ..Done::default() };
        let result = picks.into_iter().map(Ready::of).collect::<Result<Vec<_>, _>>();
        let result = result.and_then(|ready| match act {
            Act::Stage | Act::Unstage => index(act, &comparison, &ready, cancel, &mut done),
            Act::Discard | Act::Reject => discard(act, &comparison, &ready, cancel, &mut done),
            Act::Accept => accept(&comparison, &ready, cancel).map(|kept| done.kept = Some((review, kept))),
        });
        done.error = result.err();
        done
    }
}

fn index(act: Act, comparison: &Comparison, ready: &[Ready], cancel: &Cancel, done: &mut Done) -> Result<(), String> {
    let picks: Vec<_> = ready.iter().map(Ready::pick).collect();
    let entries = match act {
        Act::Unstage => staging::unstage(comparison, &picks, cancel),
        _ => staging::stage(comparison, &picks, cancel),
    };
    let entries = entries.map_err(|error| error.to_string())?;
    done.undo.index = comparison.repo().cloned().map(|repo| (repo, entries));
    Ok(())
}

fn accept(comparison: &Comparison, ready: &[Ready], cancel: &Cancel) -> Result<Checkpoint, String> {
    let picks: Vec<_> = ready.iter().map(Ready::pick).collect();
    comparison.kept().accept(comparison, &picks, cancel).map_err(|error| error.to_string())
}

fn discard(act: Act, comparison: &Comparison, ready: &[Ready], cancel: &Cancel, done: &mut Done) -> Result<(), String> {
    // What leaves the disk and stays in the index would still be committed.
    let staged: Vec<_> = ready.iter().filter(|ready| ready.picked.staged).map(Ready::pick).collect();
    if !staged.is_empty() {
        let entries = staging::unstage(comparison, &staged, cancel).map_err(|error| error.to_string())?;
        done.undo.index = comparison.repo().cloned().map(|repo| (repo, entries));
    }
    let (edits, disk): (Vec<_>, Vec<_>) = ready.iter().partition(|ready| ready.is_edit(act));
    let (gone, changed): (Vec<_>, Vec<_>) = disk.into_iter().partition(|ready| ready.takes_all_of_new());
    done.edits = edits.into_iter().filter_map(Ready::edit).collect();
    if act == Act::Reject {
        for ready in &changed {
            let written = ready.rejected()?;
            written.write()?;
            done.undo.written.push(written);
        }
        return put_away(&gone, done);
    }
    let picks: Vec<_> = changed.into_iter().map(Ready::pick).collect();
    if !picks.is_empty() {
        let (discarded, failed) = match staging::discard(comparison, &RealFs, &picks, cancel) {
            Ok(discarded) => (discarded, None),
            Err(failed) => {
                let why = failed.to_string();
                (failed.done, Some(why))
            }
        };
        done.undo.disk = Some(discarded).filter(|discarded| discarded.paths().next().is_some());
        if let Some(why) = failed {
            return Err(why);
        }
    }
    put_away(&gone, done)
}

/// Files of which nothing is left go to the trash.
fn put_away(gone: &[&Ready], done: &mut Done) -> Result<(), String> {
    for path in gone.iter().filter_map(|ready| ready.picked.path.as_deref()) {
        let put = trash::put(path).map_err(|why| format!("{} cannot be moved to the trash: {why}", path.display()))?;
        done.undo.trashed.push(put);
    }
    Ok(())
}
