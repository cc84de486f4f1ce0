//! Open conflicts: the paths that a merge left, or the one file that git's mergetool asks about.
//!
//! A list is *listing* until it is known what is in conflict, then *open*. One file of it is *current*: its versions are
//! read and merged in the background as soon as it is, and its result is an open document like any other. What is marked
//! as resolved stays in the list for as long as the window does, so that it can be opened again.
//!
//! Nothing is written to the index before the document is on disk.

mod resolution;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use diff::content::SideContent;
use diff::git::{Mode, Operation, Replaced, Repo, RepoPath, SideNames, Unmerged};
use diff::lines::Content;
use diff::merge::Version;
use diff::merge::markers::MarkerRules;
use diff::merge::session::{ConflictFiles, ConflictSession};
use diff::source::conflict_files;
use editor::Cancel;
use editor::file::{Expect, RealFs, save_bytes};

pub use resolution::{Prepared, Resolution};

use super::documents::{Disk, DocumentId, Documents, OpenDocument};
use super::notices::Notices;
use crate::tasks::{Poll, Task, Tasks};

/// Names open conflicts for as long as the window lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConflictsId(pub u64);

/// The files that git's mergetool names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolFiles {
    /// What both sides started from; none if there is none.
    pub base: Option<PathBuf>,
    /// The side that is merged into.
    pub local: PathBuf,
    /// The side that is merged.
    pub remote: PathBuf,
    /// The file to be resolved.
    pub merged: PathBuf,
}

/// Whose conflicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Of the repository that a folder is in.
    Repository(PathBuf),
    /// One file, for `git mergetool`.
    Tool(ToolFiles),
}

/// How far the list has come.
pub enum Stage {
    Listing,
    Open,
    /// Why there is none.
    Failed(String),
}

/// A path of the list.
pub struct Conflicted {
    pub path: RepoPath,
    /// What the index says of it; none for the file of a mergetool.
    pub unmerged: Option<Unmerged>,
    /// It is not in conflict any more.
    pub resolved: bool,
    /// What lay on disk before a version was taken as a whole.
    replaced: Option<Replaced>,
    work: Work,
}

/// How far a file has come.
enum Work {
    /// Nobody looked at it yet.
    Untouched,
    /// Its versions are read.
    Reading(Task<Result<Read, String>>),
    /// Its versions are there, its document is not.
    Opening(Box<ConflictFiles>, MarkerRules, DocumentId),
    /// It is merged.
    Merging(Task<Result<Prepared, editor::Cancelled>>, DocumentId, u64),
    Lines(Box<Resolution>),
    Whole(Whole),
    Failed(String),
}

/// What was read of a file.
enum Read {
    Lines(Box<ConflictFiles>, MarkerRules),
    Whole(Whole),
}

/// A file that cannot be merged by lines: one version of it is taken.
#[derive(Clone, Debug)]
pub struct Whole {
    /// Why, in a sentence.
    pub why: String,
    /// What each version is, in words; none where the file is not.
    pub base: Option<String>,
    pub ours: Option<String>,
    pub theirs: Option<String>,
}

/// What there is to show of a file.
pub enum View<'a> {
    /// Nothing yet.
    Loading,
    Lines(&'a mut Resolution),
    Whole(&'a Whole),
    Failed(&'a str),
    /// It is resolved.
    Resolved,
}

struct Listing {
    repo: Repo,
    operation: Option<Operation>,
    names: SideNames,
    unmerged: Vec<Unmerged>,
}

/// What is being done to the index and the disk.
enum Acting {
    /// The document is written first.
    Saving(RepoPath, DocumentId),
    Marking(RepoPath, Task<Result<(), String>>),
    Taking(RepoPath, Task<Result<Option<Replaced>, String>>),
    Reopening(RepoPath, Task<Result<(), String>>),
}

/// Conflicts that are being resolved.
pub struct OpenConflicts {
    pub whose: Whose,
    pub stage: Stage,
    pub list: Vec<Conflicted>,
    /// What the repository is in the middle of.
    pub operation: Option<Operation>,
    /// What the two sides are.
    pub names: SideNames,
    pub asked: std::time::Instant,
    current: usize,
    repo: Option<Repo>,
    listing: Option<Task<Result<Listing, String>>>,
    /// Something happened while it was being listed.
    again: bool,
    acting: Option<Acting>,
    /// The file of a mergetool was written.
    written: bool,
}

impl OpenConflicts {
    fn new(whose: Whose, current: Option<RepoPath>, tasks: &Tasks) -> Self {
        let names = SideNames { ours: "ours".to_owned(), theirs: "theirs".to_owned() };
        let mut new = Self {
            whose,
            stage: Stage::Listing,
            list: Vec::new(),
            operation: None,
            names,
            asked: std::time::Instant::now(),
            current: 0,
            repo: None,
            listing: None,
            again: false,
            acting: None,
            written: false,
        };
        if let Whose::Tool(files) = &new.whose {
            new.names = SideNames { ours: "local".to_owned(), theirs: "remote".to_owned() };
            new.list.push(Conflicted::new(RepoPath::from_path(&files.merged), None));
            new.stage = Stage::Open;
        }
        // The wanted file is not known to be one yet: it stands first until the list is there.
        new.list.extend(current.map(|path| Conflicted::new(path, None)));
        new.refresh(tasks);
        new
    }

    /// Looks again what is in conflict.
    pub fn refresh(&mut self, tasks: &Tasks) {
        let Whose::Repository(folder) = &self.whose else { return };
        if self.listing.is_some() {
            self.again = true;
            return;
        }
        let folder = folder.clone();
        self.listing = Some(tasks.spawn("list conflicts", move |cancel| list(&folder, cancel)));
    }

    /// The repository, once found.
    pub fn repo(&self) -> Option<&Repo> {
        self.repo.as_ref()
    }

    /// Whether something is under way.
    pub fn is_busy(&self) -> bool {
        self.listing.is_some() || self.acting.is_some() || self.list.iter().any(Conflicted::is_busy)
    }

    /// The file that is worked on.
    pub fn current(&self) -> Option<(usize, &Conflicted)> {
        Some((self.current, self.list.get(self.current)?))
    }

    /// Works on another file.
    pub fn choose(&mut self, file: usize) {
        self.current = file.min(self.list.len().saturating_sub(1));
    }

    /// The next file that is not resolved, in the order of the list and around its end.
    pub fn neighbour(&self, forward: bool) -> Option<usize> {
        let count = self.list.len();
        let step = |n: usize| if forward { self.current + n } else { self.current + count - n };
        (1..count).map(|n| step(n) % count).find(|&file| !self.list[file].resolved)
    }

    /// How many files are not resolved.
    pub fn files_left(&self) -> usize {
        self.list.iter().filter(|file| !file.resolved).count()
    }

    /// Where a file is on disk.
    pub fn path_on_disk(&self, file: usize) -> Option<PathBuf> {
        match &self.whose {
            Whose::Tool(files) => Some(files.merged.clone()),
            Whose::Repository(_) => self.repo.as_ref()?.worktree_path(&self.list.get(file)?.path),
        }
    }

    /// What there is to show of the current file.
    pub fn view(&mut self) -> View<'_> {
        let Some(file) = self.list.get_mut(self.current) else { return View::Loading };
        if file.resolved {
            return View::Resolved;
        }
        match &mut file.work {
            Work::Lines(resolution) => View::Lines(resolution),
            Work::Whole(whole) => View::Whole(whole),
            Work::Failed(error) => View::Failed(error),
            Work::Untouched | Work::Reading(_) | Work::Opening(..) | Work::Merging(..) => View::Loading,
        }
    }

    /// The current file's merge, if it is shown.
    pub fn resolution(&self) -> Option<&Resolution> {
        self.list.get(self.current)?.resolution()
    }

    /// The same, to change it.
    pub fn resolution_mut(&mut self) -> Option<&mut Resolution> {
        match self.view() {
            View::Lines(resolution) => Some(resolution),
            _ => None,
        }
    }

    /// The documents that are results.
    pub fn documents(&self) -> impl Iterator<Item = DocumentId> {
        self.list.iter().filter_map(|file| match &file.work {
            Work::Opening(_, _, document) | Work::Merging(_, document, _) => Some(*document),
            Work::Lines(resolution) => Some(resolution.document()),
            _ => None,
        })
    }

    /// Takes in what the background found and what documents changed. Never waits.
    pub fn take_results(&mut self, documents: &mut Documents, notices: &mut Notices, tasks: &Tasks) {
        self.take_listing(tasks);
        self.take_acted(documents, notices, tasks);
        self.work_on_current(documents, tasks);
        for file in &mut self.list {
            if let Work::Lines(resolution) = &mut file.work {
                resolution.follow(documents);
            }
        }
    }

    fn take_listing(&mut self, tasks: &Tasks) {
        let Some(task) = &self.listing else { return };
        let listing = match task.poll() {
            Poll::Pending => return,
            Poll::Ready(listing) => listing,
            Poll::Lost => Err("listing the conflicts ended unexpectedly; refresh to try again".to_owned()),
        };
        self.listing = None;
        match listing {
            Ok(listing) => self.take_list(listing),
            Err(error) => self.stage = Stage::Failed(error),
        }
        if std::mem::take(&mut self.again) {
            self.refresh(tasks);
        }
        tasks.waker().wake();
    }

    fn take_list(&mut self, listing: Listing) {
        self.stage = Stage::Open;
        self.repo = Some(listing.repo);
        self.operation = listing.operation;
        self.names = listing.names;
        let wanted = self.list.get(self.current).map(|file| file.path.clone());
        let mut known: BTreeMap<RepoPath, Conflicted> =
            std::mem::take(&mut self.list).into_iter().map(|file| (file.path.clone(), file)).collect();
        for unmerged in listing.unmerged {
            let path = unmerged.path.clone();
            let file = known.remove(&path);
            let same = file.filter(|file| file.unmerged.as_ref() == Some(&unmerged));
            let mut file = same.unwrap_or_else(|| Conflicted::new(path, Some(unmerged)));
            // It was opened again: what is on disk may be another text.
            if std::mem::take(&mut file.resolved) {
                file.work = Work::Untouched;
            }
            self.list.push(file);
        }
        for (_, mut file) in known {
            // What was only asked for, and is in no conflict, was never one.
            if file.unmerged.is_some() {
                file.resolved = true;
                self.list.push(file);
            }
        }
        self.list.sort_by(|a, b| a.path.cmp(&b.path));
        self.current = wanted.and_then(|path| self.list.iter().position(|file| file.path == path)).unwrap_or(0);
    }

    /// Reads, opens and merges the current file, step by step.
    fn work_on_current(&mut self, documents: &mut Documents, tasks: &Tasks) {
        let on_disk = self.path_on_disk(self.current);
        let (whose, repo) = (self.whose.clone(), self.repo.clone());
        let Some(file) = self.list.get_mut(self.current).filter(|file| !file.resolved) else { return };
        let next = match &mut file.work {
            Work::Untouched => {
                let unmerged = file.unmerged.clone();
                let read: Option<Box<dyn FnOnce(&Cancel) -> Result<Read, String> + Send>> =
                    match (whose, repo, unmerged) {
                        (Whose::Tool(files), ..) => Some(Box::new(move |_| read_tool(&files))),
                        (_, Some(repo), Some(unmerged)) => Some(Box::new(move |cancel| read(&repo, &unmerged, cancel))),
                        _ => None,
                    };
                read.map(|read| Work::Reading(tasks.spawn("read a conflict", read)))
            }
            Work::Reading(task) => match (task.poll(), on_disk) {
                (Poll::Pending, _) => None,
                (Poll::Ready(Ok(Read::Lines(files, rules))), Some(path)) => {
                    Some(Work::Opening(files, rules, documents.open(&path)))
                }
                (Poll::Ready(Ok(Read::Whole(whole))), _) => Some(Work::Whole(whole)),
                (Poll::Ready(Err(error)), _) => Some(Work::Failed(error)),
                (Poll::Lost | Poll::Ready(_), _) => {
                    Some(Work::Failed("reading the conflict ended unexpectedly".to_owned()))
                }
            },
            Work::Opening(files, rules, id) => match (documents.error(*id), documents.get(*id)) {
                (Some(error), _) => Some(Work::Failed(error.to_owned())),
                (None, Some(open)) => {
                    let (text, version, rules, id) =
                        (open.document.text().clone(), open.document.version(), *rules, *id);
                    let mut files = std::mem::take(&mut **files);
                    let task = tasks.spawn("merge a file", move |cancel| {
                        files.merged = Content::new(text.to_string().into_bytes()).map_err(|_| editor::Cancelled)?;
                        let session = ConflictSession::new(files, rules, cancel)?;
                        Prepared::new(session, text, cancel)
                    });
                    Some(Work::Merging(task, id, version))
                }
                (None, None) if documents.is_loading(*id) => None,
                // It was closed before it was read.
                (None, None) => Some(Work::Untouched),
            },
            Work::Merging(task, id, version) => match task.poll() {
                Poll::Pending => None,
                Poll::Ready(Ok(prepared)) => {
                    let stamp = documents.get(*id).and_then(|open| open.on_disk.stamp);
                    Some(Work::Lines(Box::new(Resolution::new(prepared, *id, *version, stamp))))
                }
                Poll::Ready(Err(_)) | Poll::Lost => {
                    Some(Work::Failed("this file is too large to be merged".to_owned()))
                }
            },
            Work::Lines(resolution) if documents.get(resolution.document()).is_none() => Some(Work::Untouched),
            Work::Lines(_) | Work::Whole(_) | Work::Failed(_) => None,
        };
        if let Some(next) = next {
            file.work = next;
            tasks.waker().wake();
        }
    }

    /// Reads a file again that could not be shown.
    pub fn retry(&mut self) {
        if let Some(file) = self.list.get_mut(self.current) {
            file.work = Work::Untouched;
        }
    }

    /// Makes what is in the document the resolution of the current file: it is written, then staged. Of a mergetool's file,
    /// it is written.
    pub fn mark_resolved(&mut self, documents: &mut Documents, tasks: &Tasks) {
        let Some(file) = self.list.get(self.current).filter(|_| self.acting.is_none()) else { return };
        let path = file.path.clone();
        match file.resolution() {
            Some(resolution) => {
                let id = resolution.document();
                if documents.get(id).is_some_and(OpenDocument::is_dirty) || matches!(self.whose, Whose::Tool(_)) {
                    documents.save(id, None, false);
                }
                self.acting = Some(Acting::Saving(path, id));
            }
            None => self.stage_path(path, tasks),
        }
    }

    /// Makes what lies on disk the resolution of the current file.
    pub fn mark_disk_resolved(&mut self, tasks: &Tasks) {
        if let Some(file) = self.list.get(self.current).filter(|_| self.acting.is_none()) {
            let path = file.path.clone();
            self.stage_path(path, tasks);
        }
    }

    fn stage_path(&mut self, path: RepoPath, tasks: &Tasks) {
        let Some(repo) = self.repo.clone() else { return };
        let marked = path.clone();
        let task =
            tasks.spawn("stage a resolution", move |_| repo.mark_resolved(&[&path]).map_err(|error| error.to_string()));
        self.acting = Some(Acting::Marking(marked, task));
    }

    /// Takes a version of the current file as a whole, which resolves it.
    pub fn take_version(&mut self, version: Version, tasks: &Tasks) {
        let Some(file) = self.list.get(self.current).filter(|_| self.acting.is_none()) else { return };
        let path = file.path.clone();
        let task = match (&self.whose, self.repo.clone(), file.unmerged.clone()) {
            (Whose::Repository(_), Some(repo), Some(unmerged)) => tasks.spawn("take a version", move |_| {
                repo.take_version(&unmerged, version).map(Some).map_err(|error| error.to_string())
            }),
            (Whose::Tool(files), ..) => {
                let files = files.clone();
                tasks.spawn("take a version", move |_| take_tool(&files, version).map(|()| None))
            }
            _ => return,
        };
        self.acting = Some(Acting::Taking(path, task));
    }

    /// Puts a conflict that was resolved back; a version that was taken as a whole gives way to what lay there before.
    pub fn reopen(&mut self, file: usize, tasks: &Tasks) {
        let Some(file) = self.list.get(file).filter(|file| file.resolved && self.acting.is_none()) else { return };
        let Some(repo) = self.repo.clone() else { return };
        let (path, replaced) = (file.path.clone(), file.replaced.clone());
        let reopened = path.clone();
        let task = tasks.spawn("reopen a conflict", move |_| {
            let done = match &replaced {
                Some(replaced) => repo.put_back(replaced),
                None => repo.reopen_conflicts(&[&path]),
            };
            done.map_err(|error| error.to_string())
        });
        self.acting = Some(Acting::Reopening(reopened, task));
    }

    fn take_acted(&mut self, documents: &mut Documents, notices: &mut Notices, tasks: &Tasks) {
        let lost = || Err("it ended unexpectedly; try again".to_owned());
        let (path, done) = match &self.acting {
            None => return,
            Some(Acting::Saving(path, id)) => {
                let (path, id) = (path.clone(), *id);
                let Some(open) = documents.get(id) else {
                    self.acting = None;
                    return;
                };
                if documents.is_saving(id) {
                    return;
                }
                // A save that failed has said so.
                let written = !open.is_dirty() && open.disk == Disk::Same;
                self.acting = None;
                if written && matches!(self.whose, Whose::Tool(_)) {
                    self.written = true;
                } else if written {
                    self.stage_path(path, tasks);
                }
                return;
            }
            Some(Acting::Marking(path, task)) => match task.poll() {
                Poll::Pending => return,
                Poll::Ready(done) => (path.clone(), done.map(|()| None)),
                Poll::Lost => (path.clone(), lost()),
            },
            Some(Acting::Taking(path, task)) => match task.poll() {
                Poll::Pending => return,
                Poll::Ready(done) => (path.clone(), done),
                Poll::Lost => (path.clone(), lost()),
            },
            Some(Acting::Reopening(path, task)) => match task.poll() {
                Poll::Pending => return,
                Poll::Ready(done) => {
                    let path = path.clone();
                    self.acting = None;
                    if let Err(error) = done {
                        notices.error(format!("{path} cannot be opened again: {error}"));
                    } else if let Some(at) = self.list.iter().position(|file| file.path == path) {
                        self.list[at].replaced = None;
                        self.current = at;
                    }
                    self.refresh(tasks);
                    return;
                }
                Poll::Lost => (path.clone(), lost()),
            },
        };
        self.acting = None;
        match done {
            Ok(replaced) => {
                if let Some(file) = self.list.iter_mut().find(|file| file.path == path) {
                    file.replaced = replaced;
                }
                self.settle(&path);
            }
            Err(error) => notices.error(format!("{path} is not resolved: {error}")),
        }
        self.refresh(tasks);
    }

    /// A file is resolved; the next one that is not comes.
    fn settle(&mut self, path: &RepoPath) {
        let Some(at) = self.list.iter().position(|file| file.path == *path) else { return };
        self.list[at].resolved = true;
        if at == self.current {
            self.current = self.neighbour(true).unwrap_or(at);
        }
    }

    /// Whether a mergetool's work is done: its window may close.
    pub fn is_done(&self, documents: &Documents) -> bool {
        matches!(self.whose, Whose::Tool(_)) && self.written && self.acting.is_none() && self.verdict(documents).is_ok()
            || matches!(self.whose, Whose::Tool(_)) && self.files_left() == 0
    }

    /// Whether git may take the file of a mergetool for resolved; if not, why.
    pub fn verdict(&self, documents: &Documents) -> Result<(), String> {
        let (Whose::Tool(files), Some(file)) = (&self.whose, self.list.first()) else { return Ok(()) };
        if file.resolved {
            return Ok(());
        }
        let name = files.merged.display();
        let unsaved = Err(format!("{name} was not saved: the conflict is as it was"));
        let Some(resolution) = file.resolution() else { return unsaved };
        let Some(open) = documents.get(resolution.document()) else { return unsaved };
        let written = self.written || resolution.is_written(open.on_disk.stamp);
        let text = open.document.text().to_string();
        let saved = (written && !open.is_dirty()).then_some(text.as_bytes());
        match (resolution.session().exit_code(saved, 0), saved.is_some()) {
            (0, _) => Ok(()),
            (_, false) => unsaved,
            (_, true) => Err(match resolution.left().0 {
                1 => format!("one conflict is left in {name}"),
                left => format!("{left} conflicts are left in {name}"),
            }),
        }
    }
}

impl Conflicted {
    fn new(path: RepoPath, unmerged: Option<Unmerged>) -> Self {
        Self { path, unmerged, resolved: false, replaced: None, work: Work::Untouched }
    }

    fn is_busy(&self) -> bool {
        matches!(self.work, Work::Reading(_) | Work::Opening(..) | Work::Merging(..))
    }

    /// Its merge, if somebody looked at it.
    pub fn resolution(&self) -> Option<&Resolution> {
        match &self.work {
            Work::Lines(resolution) => Some(resolution),
            _ => None,
        }
    }
}

fn list(folder: &Path, cancel: &Cancel) -> Result<Listing, String> {
    let find = || {
        let repo = Repo::discover(folder)?;
        let operation = repo.operation()?;
        let names = repo.side_names(operation.as_ref())?;
        let unmerged = repo.unmerged(&[], cancel)?;
        Ok(Listing { repo, operation, names, unmerged })
    };
    find().map_err(|error: diff::git::GitError| error.to_string())
}

/// Reads all versions of a path.
fn read(repo: &Repo, unmerged: &Unmerged, cancel: &Cancel) -> Result<Read, String> {
    let mut reader = repo.reader();
    if unmerged.can_merge() {
        let files = reader.read_conflict(unmerged).map_err(|error| error.to_string())?;
        if let Some(files) = files {
            let rules = reader.marker_rules(&unmerged.path).map_err(|error| error.to_string())?;
            return Ok(Read::Lines(Box::new(files), rules));
        }
    }
    let mut said = |version| {
        let content = reader.read_version(unmerged, version).map_err(|error| error.to_string())?;
        Ok::<_, String>(unmerged.stage(version).map(|stage| describe(&content, stage.mode)))
    };
    let (base, ours, theirs) = (said(Version::Base)?, said(Version::Ours)?, said(Version::Theirs)?);
    cancel.check().map_err(|cancelled| cancelled.to_string())?;
    let why = match unmerged.can_merge() {
        true => "It is binary: a version of it is taken as a whole.".to_owned(),
        false => {
            let mut why = unmerged.to_string();
            if let Some(first) = why.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            why + "."
        }
    };
    Ok(Read::Whole(Whole { why, base, ours, theirs }))
}

/// What a version is, in words.
fn describe(content: &SideContent, mode: Mode) -> String {
    let kind = match mode {
        Mode::File => "file",
        Mode::Executable => "executable file",
        Mode::Symlink => "symbolic link",
        Mode::Submodule => "submodule",
    };
    match content {
        SideContent::Text(text) => {
            let lines = text.content().map_or(0, |content| content.line_count());
            format!("{kind} of {lines} {}", if lines == 1 { "line" } else { "lines" })
        }
        SideContent::Binary { size, .. } => format!("binary {kind}, {size} bytes"),
        SideContent::Symlink { target } => format!("{kind} to {target}"),
        SideContent::Submodule { commit: Some(commit), .. } => format!("{kind} at {}", commit.short(9)),
        SideContent::Submodule { commit: None, .. } | SideContent::Missing => kind.to_owned(),
    }
}

fn read_tool(files: &ToolFiles) -> Result<Read, String> {
    match conflict_files(files.base.as_deref(), &files.local, &files.remote, &files.merged) {
        Ok(found) => Ok(Read::Lines(Box::new(found), MarkerRules::default())),
        Err(diff::source::SourceError::Binary { .. }) => {
            let said = |path: &Path| Some(path.file_name()?.to_string_lossy().into_owned());
            Ok(Read::Whole(Whole {
                why: "It is binary: a version of it is taken as a whole.".to_owned(),
                base: files.base.as_deref().and_then(said),
                ours: said(&files.local),
                theirs: said(&files.remote),
            }))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Writes a version over the file of a mergetool.
fn take_tool(files: &ToolFiles, version: Version) -> Result<(), String> {
    let from = match version {
        Version::Base => files.base.as_deref().ok_or("there is no base")?,
        Version::Ours => &files.local,
        Version::Theirs => &files.remote,
    };
    let bytes = diff::source::read_bytes(from).map_err(|error| error.to_string())?;
    save_bytes(&RealFs, &files.merged, &bytes, Expect::Anything).map(|_| ()).map_err(|error| error.to_string())
}

/// All conflicts that are open.
#[derive(Default)]
pub struct Conflicts {
    open: BTreeMap<ConflictsId, OpenConflicts>,
    last: u64,
}

impl Conflicts {
    /// Opens a list of conflicts, or finds it; a path that is named becomes the current one.
    pub fn open(&mut self, whose: Whose, path: Option<RepoPath>, tasks: &Tasks) -> ConflictsId {
        if let Some((id, open)) = self.open.iter_mut().find(|(_, open)| open.whose == whose) {
            if let Some(file) = path.and_then(|path| open.list.iter().position(|file| file.path == path)) {
                open.choose(file);
            }
            open.refresh(tasks);
            return *id;
        }
        self.last += 1;
        let id = ConflictsId(self.last);
        self.open.insert(id, OpenConflicts::new(whose, path, tasks));
        id
    }

    /// Conflicts by their name.
    pub fn get(&self, id: ConflictsId) -> Option<&OpenConflicts> {
        self.open.get(&id)
    }

    /// The same, to change them.
    pub fn get_mut(&mut self, id: ConflictsId) -> Option<&mut OpenConflicts> {
        self.open.get_mut(&id)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (ConflictsId, &OpenConflicts)> {
        self.open.iter().map(|(id, open)| (*id, open))
    }

    /// All of them, to change them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (ConflictsId, &mut OpenConflicts)> {
        self.open.iter_mut().map(|(id, open)| (*id, open))
    }

    /// Ends them.
    pub fn close(&mut self, id: ConflictsId) {
        self.open.remove(&id);
    }
}
