//! Where the files and lines of a review stand: staged, not staged, or some of each.
//!
//! A review of what is staged, or of what is not, says so itself. One of the working tree against HEAD has the index
//! between its sides: a task asks for all files, and another, for each file in view of which only some is staged or that
//! is being edited, for its lines. Until an answer is there nothing is said; an answer stays until the next is there.

use diff::engine::Hunk;
use diff::git::{FileChange, Side, Status};
use diff::lines::Content;
use diff::review::{FileEntry, NewSide};
use diff::source::{Comparison, Source};
use diff::staging::{FileStage, FileStages, HunkStage, LineStage, Stages as LineStages, index_side};
use editor::text::Text;
use rustc_hash::FxHashMap;

use super::reviews::FileIndex;
use crate::tasks::{Poll, Task, Tasks};

/// What a comparison shows of the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Nothing can be staged out of it.
    #[default]
    None,
    /// All it shows is staged.
    Staged,
    /// Nothing it shows is.
    Unstaged,
    /// The index is between its sides.
    Between,
}

impl Kind {
    /// What a source shows.
    pub fn of(source: &Source) -> Self {
        match source {
            Source::Staged => Self::Staged,
            Source::Unstaged => Self::Unstaged,
            Source::WorkingTree { against: None } => Self::Between,
            _ => Self::None,
        }
    }
}

/// What lines were compared for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Of {
    epoch: u64,
    renewals: u32,
    version: Option<u64>,
}

/// The lines of a file.
struct Lines {
    of: Of,
    /// None if they cannot be told: what is in conflict, or is no text in the index.
    stages: Option<LineStages>,
    task: Option<Task<Option<LineStages>>>,
}

/// The stages of one review.
#[derive(Default)]
pub struct Stages {
    kind: Kind,
    files: FileStages,
    asking: Option<Task<Result<FileStages, String>>>,
    lines: FxHashMap<FileIndex, Lines>,
    /// Grows with each answer about files: the index may be another one.
    epoch: u64,
    /// Why nothing is known.
    error: Option<String>,
}

impl Stages {
    /// Asks anew after a listing. What was known of lines stays until it is known anew; `moved` says where the files of
    /// the listing before are.
    pub fn ask(&mut self, comparison: &Comparison, moved: &FxHashMap<FileIndex, FileIndex>, tasks: &Tasks) {
        self.kind = Kind::of(comparison.source());
        let known = std::mem::take(&mut self.lines).into_iter();
        self.lines = known.filter_map(|(file, lines)| Some((*moved.get(&file)?, lines))).collect();
        let (Some(repo), Kind::Between | Kind::Staged | Kind::Unstaged) = (comparison.repo().cloned(), self.kind)
        else {
            return;
        };
        let ask = move |cancel: &editor::Cancel| FileStages::list(&repo, cancel).map_err(|error| error.to_string());
        self.asking = Some(tasks.spawn("ask what is staged", ask));
    }

    /// Takes in what was found. Never waits.
    pub fn take(&mut self, tasks: &Tasks) {
        let found = match self.asking.as_ref().map(Task::poll) {
            None | Some(Poll::Pending) => None,
            Some(Poll::Ready(found)) => Some(found),
            Some(Poll::Lost) => Some(Err("asking what is staged ended unexpectedly".to_owned())),
        };
        if let Some(found) = found {
            self.asking = None;
            self.epoch += 1;
            match found {
                Ok(files) => (self.files, self.error) = (files, None),
                Err(error) => self.error = Some(error),
            }
            tasks.waker().wake();
        }
        for lines in self.lines.values_mut() {
            match lines.task.as_ref().map(Task::poll) {
                None | Some(Poll::Pending) => continue,
                Some(Poll::Ready(stages)) => lines.stages = stages,
                Some(Poll::Lost) => lines.stages = None,
            }
            lines.task = None;
        }
    }

    /// What the review shows of the index.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// How many files have something staged; none while that is not known.
    pub fn staged(&self) -> Option<usize> {
        (self.epoch > 0).then(|| self.files.staged())
    }

    /// Why it is not known what is staged.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Where a file stands; none while that is not known, and where nothing can be staged.
    pub fn of_file(&self, change: &FileChange) -> Option<FileStage> {
        match self.kind {
            _ if change.status == Status::Unmerged => Some(FileStage::Conflict),
            Kind::None => None,
            Kind::Staged => Some(FileStage::Staged),
            Kind::Unstaged => Some(FileStage::Unstaged),
            Kind::Between => self.files.of_file(change),
        }
    }

    /// Compares the lines of a file that is in view, if they may stand differently.
    pub fn want(
        &mut self,
        file: FileIndex,
        entry: &FileEntry,
        document: Option<(u64, &Text)>,
        comparison: &Comparison,
        tasks: &Tasks,
    ) {
        if self.kind != Kind::Between || self.epoch == 0 || entry.needs_loading() {
            return;
        }
        let stage = self.files.of_file(&entry.change);
        if stage != Some(FileStage::Partly) && document.is_none() {
            self.lines.remove(&file);
            return;
        }
        let of = Of { epoch: self.epoch, renewals: entry.renewals(), version: document.map(|(version, _)| version) };
        if self.lines.get(&file).is_some_and(|lines| lines.of == of) {
            return;
        }
        let (Some(repo), Some(shown)) = (comparison.repo().cloned(), entry.whole_lines()) else { return };
        let old = shown.old.clone();
        let new = match (&shown.new, document) {
            (NewSide::Fixed(content), _) => NewText::Fixed(content.clone()),
            (NewSide::Live(..), Some((_, text))) => NewText::Live(text.clone()),
            (NewSide::Live(_, text), None) => NewText::Live(text.clone()),
        };
        let (mut reader, change) = (comparison.reader(), entry.change.clone());
        let task = tasks.spawn("compare with the index", move |cancel| {
            let index = index_side(&repo, &mut reader, &change).ok()?;
            LineStages::compare(&old, &index.content, &new.content()?, cancel).ok()
        });
        let stages = self.lines.remove(&file).and_then(|lines| lines.stages);
        self.lines.insert(file, Lines { of, stages, task: Some(task) });
    }

    /// Where a changed line stands; none while that is not known.
    pub fn of_line(&self, file: FileIndex, change: &FileChange, side: Side, line: u32) -> Option<LineStage> {
        match self.whole(file, change)? {
            Whole::Alike(HunkStage::Staged) => Some(LineStage::Staged),
            Whole::Alike(_) => Some(LineStage::Unstaged),
            Whole::ByLine(stages) => Some(stages.of_line(side, line)),
        }
    }

    /// Where a hunk stands; none while that is not known.
    pub fn of_hunk(&self, file: FileIndex, change: &FileChange, hunk: &Hunk) -> Option<HunkStage> {
        match self.whole(file, change)? {
            Whole::Alike(stage) => Some(stage),
            Whole::ByLine(stages) => Some(stages.of_hunk(hunk)),
        }
    }

    fn whole(&self, file: FileIndex, change: &FileChange) -> Option<Whole<'_>> {
        let lines = self.lines.get(&file).filter(|_| self.kind == Kind::Between);
        match (self.of_file(change)?.of_all_lines(), lines) {
            // An editor may hold more than what the listing saw on disk.
            (Some(stage), lines) if lines.is_none_or(|lines| lines.of.version.is_none()) => Some(Whole::Alike(stage)),
            (_, Some(lines)) => lines.stages.as_ref().map(Whole::ByLine),
            (_, None) => None,
        }
    }
}

/// How the lines of a file are told.
enum Whole<'a> {
    Alike(HunkStage),
    ByLine(&'a LineStages),
}

/// The text of a new side that another thread can read.
#[derive(Clone)]
pub enum NewText {
    Fixed(Content),
    Live(Text),
}

impl NewText {
    /// By lines; none if it is larger than any text may be.
    pub fn content(&self) -> Option<Content> {
        match self {
            Self::Fixed(content) => Some(content.clone()),
            Self::Live(text) => Content::new(text.to_string().into_bytes()).ok(),
        }
    }
}
