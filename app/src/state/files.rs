//! The open folder's files as a tree, what git says of them, and what is being done to them.
//!
//! Folders are listed by tasks as they are opened ([`Tree`] says which); operations run one after the other, each as a
//! task, and what they did can be undone. What follows from an outcome outside the tree (a tab that goes with its file)
//! is decided in [`commands::files`](crate::commands::files).

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use diff::git::{FileChange, Repo, Status};
use diff::source::Source;
use editor::file::{Fs, RealFs};
use editor::project::{Entry, ListError, Row, Tree, list, ops};
use rustc_hash::FxHashMap;

use super::reviews::ReviewId;
use super::trash::{self, Trashed};
use super::watch::{Due, Happened};
use crate::tasks::{Poll, Task, Tasks};

/// Something to do to files. Paths are absolute.
#[derive(Clone, Debug)]
pub enum Operation {
    CreateFile {
        folder: PathBuf,
        name: String,
    },
    CreateFolder {
        folder: PathBuf,
        name: String,
    },
    Rename {
        path: PathBuf,
        name: String,
    },
    Move {
        path: PathBuf,
        folder: PathBuf,
    },
    Duplicate {
        path: PathBuf,
    },
    Trash {
        path: PathBuf,
    },
    /// Removes for good, where there is no trash; the user was asked.
    Delete {
        path: PathBuf,
    },
    Undo(Undo),
}

/// What takes an operation back.
#[derive(Clone, Debug)]
pub enum Undo {
    Moved { from: PathBuf, to: PathBuf },
    Trashed(Trashed),
}

/// What an operation did.
#[derive(Clone, Debug)]
pub enum Done {
    CreatedFile(PathBuf),
    CreatedFolder(PathBuf),
    Moved { from: PathBuf, to: PathBuf },
    Copied(PathBuf),
    Trashed(Trashed),
    Deleted(PathBuf),
    Restored(PathBuf),
}

/// How an operation ended; an error says what, to which thing, and why.
#[derive(Debug)]
pub struct Outcome {
    pub operation: Operation,
    pub result: Result<Done, String>,
}

impl Operation {
    /// The file or folder it takes away from where it is.
    pub fn takes(&self) -> Option<&Path> {
        match self {
            Self::Rename { path, .. } | Self::Move { path, .. } | Self::Trash { path } | Self::Delete { path } => {
                Some(path)
            }
            Self::Undo(Undo::Moved { to, .. }) => Some(to),
            Self::CreateFile { .. } | Self::CreateFolder { .. } | Self::Duplicate { .. } | Self::Undo(_) => None,
        }
    }

    fn perform(self, fs: &dyn Fs) -> Result<Done, String> {
        let told = |error: ops::OpError| error.to_string();
        match self {
            Self::CreateFile { folder, name } => {
                ops::create_file(fs, &folder, &name).map(Done::CreatedFile).map_err(told)
            }
            Self::CreateFolder { folder, name } => {
                ops::create_folder(fs, &folder, &name).map(Done::CreatedFolder).map_err(told)
            }
            Self::Rename { path, name } => {
                let to = ops::rename(fs, &path, &name).map_err(told)?;
                Ok(Done::Moved { from: path, to })
            }
            Self::Move { path, folder } => {
                let to = ops::move_into(fs, &path, &folder).map_err(told)?;
                Ok(Done::Moved { from: path, to })
            }
            Self::Duplicate { path } => {
                let folder = path.parent().unwrap_or(Path::new("")).to_owned();
                ops::copy_into(fs, &path, &folder).map(Done::Copied).map_err(told)
            }
            Self::Trash { path } => trash::put(&path)
                .map(Done::Trashed)
                .map_err(|why| format!("{} cannot be moved to the trash: {why}", path.display())),
            Self::Delete { path } => ops::delete(fs, &path).map(|()| Done::Deleted(path)).map_err(told),
            Self::Undo(Undo::Trashed(trashed)) => {
                let path = trashed.path.clone();
                let told = |why| format!("{} cannot be put back: {why}", path.display());
                trash::restore(trashed).map_err(told)?;
                Ok(Done::Restored(path))
            }
            Self::Undo(Undo::Moved { from, to }) => {
                let back = match (from.file_name(), from.parent()) {
                    (Some(name), parent) if parent == to.parent() => ops::rename(fs, &to, &name.to_string_lossy()),
                    (_, Some(folder)) => ops::move_into(fs, &to, folder),
                    (_, None) => Err(ops::OpError::Missing { path: from }),
                };
                Ok(Done::Moved { from: to, to: back.map_err(told)? })
            }
        }
    }
}

/// What git says of files and of the folders they are in; paths relative to the open folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    files: FxHashMap<PathBuf, Status>,
    folders: FxHashMap<PathBuf, Status>,
}

impl Marks {
    /// Marks of changed files, whose paths start at the root of the repository; `prefix` leads from there to the folder.
    pub fn new(prefix: &Path, changes: impl IntoIterator<Item = (PathBuf, Status)>) -> Self {
        let mut marks = Self::default();
        for (path, status) in changes {
            let Ok(path) = path.strip_prefix(prefix) else { continue };
            for folder in path.ancestors().skip(1) {
                let mark = marks.folders.entry(folder.to_owned()).or_insert(status);
                if weight(status) > weight(*mark) {
                    *mark = status;
                }
            }
            marks.files.insert(path.to_owned(), status);
        }
        marks
    }

    /// What git says of a file, or the gravest of what it says of files in a folder.
    pub fn of(&self, row: &Row) -> Option<Status> {
        if row.is_folder { self.folders.get(&row.path) } else { self.files.get(&row.path) }.copied()
    }
}

/// What of several statuses a folder shows: a conflict before a change before something new.
fn weight(status: Status) -> u8 {
    match status {
        Status::Unmerged => 2,
        Status::Added | Status::Untracked => 0,
        _ => 1,
    }
}

/// Changed files, their paths from the root of the repository on.
type Changed = Vec<(PathBuf, Status)>;

type Listing = Result<Vec<Entry>, ListError>;

/// Undo steps kept.
const UNDO: usize = 50;

/// The files of the open folder.
pub struct Files {
    tree: Option<Tree>,
    /// Since when the tree is being read, for the skeleton.
    pub opened: Instant,
    /// Folders that hold nothing but a folder are shown as one row.
    pub compact: bool,
    fs: Arc<dyn Fs>,
    listing: Vec<(PathBuf, Task<Listing>)>,
    marks: Marks,
    prefix: Option<PathBuf>,
    /// The review whose files the marks were made from, and its generation.
    marked_from: Option<(ReviewId, u64)>,
    finding: Option<Task<PathBuf>>,
    looking: Option<Task<Option<Changed>>>,
    /// Git is to be asked again.
    pub look: Due,
    queue: VecDeque<Operation>,
    working: Option<(Operation, Task<Result<Done, String>>)>,
    undo: Vec<Undo>,
    version: u64,
}

impl Default for Files {
    fn default() -> Self {
        Self {
            tree: None,
            opened: Instant::now(),
            compact: true,
            fs: Arc::new(RealFs),
            listing: Vec::new(),
            marks: Marks::default(),
            prefix: None,
            marked_from: None,
            finding: None,
            looking: None,
            look: Due::default(),
            queue: VecDeque::new(),
            working: None,
            undo: Vec::new(),
            version: 0,
        }
    }
}

impl Files {
    /// Shows another folder, absolute, or none.
    pub fn open(&mut self, root: Option<&Path>) {
        let version = self.version + 1;
        let show_ignored = self.tree.as_ref().is_some_and(Tree::shows_ignored);
        *self = Self { compact: self.compact, version, ..Self::default() };
        self.tree = root.map(|root| {
            let mut tree = Tree::new(root);
            tree.set_show_ignored(show_ignored);
            tree
        });
        self.look.ask_now(Instant::now());
    }

    /// The tree; none while no folder is open.
    pub fn tree(&self) -> Option<&Tree> {
        self.tree.as_ref()
    }

    /// The folder that is shown.
    pub fn root(&self) -> Option<&Path> {
        self.tree.as_ref().map(Tree::root)
    }

    /// What git says.
    pub fn marks(&self) -> &Marks {
        &self.marks
    }

    /// Grows when the rows may be others.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Changes the tree: what is open, what is shown.
    pub fn change(&mut self, change: impl FnOnce(&mut Tree)) {
        if let Some(tree) = &mut self.tree {
            change(tree);
            self.version += 1;
        }
    }

    /// Whether folders are being listed.
    pub fn is_listing(&self) -> bool {
        !self.listing.is_empty()
    }

    /// Whether something is being done to files: what the disk says meanwhile is half of the story.
    pub fn is_working(&self) -> bool {
        self.working.is_some() || !self.queue.is_empty()
    }

    /// Does something as soon as what was asked for before is done.
    pub fn ask(&mut self, operation: Operation) {
        self.queue.push_back(operation);
    }

    /// Takes back the last operation that can be; false if there is none.
    pub fn ask_undo(&mut self) -> bool {
        let last = self.undo.pop();
        let found = last.is_some();
        self.queue.extend(last.map(Operation::Undo));
        found
    }

    /// Takes in what happened on disk.
    pub fn happened(&mut self, happened: &Happened, now: Instant) {
        let Some(tree) = &mut self.tree else { return };
        if happened.everything {
            tree.refresh();
        } else {
            tree.changed(happened.changed.iter().map(PathBuf::as_path));
        }
        if happened.everything || happened.concerns_below(tree.root()) {
            self.look.ask(now);
        }
    }

    /// Reads everything again that is shown.
    pub fn refresh(&mut self) {
        if let Some(tree) = &mut self.tree {
            tree.refresh();
            self.look.ask_now(Instant::now());
        }
    }

    /// The way from the root of the repository to the open folder, once it is known.
    pub fn prefix(&mut self, repo: &Path, tasks: &Tasks) -> Option<&Path> {
        if let Some(task) = &self.finding {
            match task.poll() {
                Poll::Pending => {}
                Poll::Ready(found) => (self.prefix, self.finding) = (Some(found), None),
                Poll::Lost => self.finding = None,
            }
        } else if self.prefix.is_none()
            && let Some(root) = self.root()
        {
            let (root, repo) = (root.to_owned(), repo.to_owned());
            self.finding = Some(tasks.spawn("find a folder in its repository", move |_| {
                // Links on the way to either would hide that one is in the other.
                let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
                real(&root).strip_prefix(real(&repo)).map(Path::to_owned).unwrap_or_default()
            }));
        }
        self.prefix.as_deref()
    }

    /// Asks git in the background, if it is time to.
    pub fn ask_git(&mut self, repo: &Repo, tasks: &Tasks) {
        let now = Instant::now();
        if self.marked_from.take().is_some() {
            self.look.ask_now(now); // the review that told is gone
        }
        if self.look.is_now(now, self.looking.is_some()) {
            let repo = repo.clone();
            self.looking = Some(tasks.spawn("ask git about files", move |cancel| {
                let changes = repo.changes(&Source::WorkingTree { against: None }, &[], cancel).ok()?;
                let told = |change: FileChange| (change.path.to_path().into_owned(), change.status);
                Some(changes.into_iter().map(told).collect())
            }));
        }
    }

    /// Takes what a review of the same working tree knows instead of asking git.
    pub fn mark_from<'a>(&mut self, review: (ReviewId, u64), changes: impl Iterator<Item = &'a FileChange>) {
        self.look = Due::default();
        self.looking = None;
        if let Some(prefix) = self.prefix.as_deref().filter(|_| self.marked_from != Some(review)) {
            let told = |change: &FileChange| (change.path.to_path().into_owned(), change.status);
            self.marks = Marks::new(prefix, changes.map(told));
            self.marked_from = Some(review);
        }
    }

    /// Starts what is to be started and takes in what is done. `may_take` says whether a path may be taken away now.
    /// Never waits.
    pub fn take_results(&mut self, tasks: &Tasks, may_take: impl Fn(&Path) -> bool) -> Option<Outcome> {
        self.take_listings();
        self.start_listing(tasks);
        self.take_status();
        let outcome = self.take_outcome();
        if self.working.is_none()
            && let Some(next) = self.queue.pop_front_if(|next| next.takes().is_none_or(may_take))
        {
            let (fs, operation) = (self.fs.clone(), next.clone());
            self.working = Some((next, tasks.spawn("change files", move |_| operation.perform(&*fs))));
        }
        outcome
    }

    fn take_listings(&mut self) {
        let Some(tree) = &mut self.tree else { return };
        let (compact, version) = (self.compact, &mut self.version);
        self.listing.retain(|(folder, task)| {
            let listed = match task.poll() {
                Poll::Pending => return true,
                Poll::Ready(listed) => listed,
                Poll::Lost => Err(ListError { folder: folder.clone(), source: std::io::ErrorKind::Interrupted.into() }),
            };
            let only = listed.as_ref().ok().and_then(|entries| only_folder(entries, tree.shows_ignored()));
            tree.fill(folder, listed);
            // What is shown as one row opens as one.
            if let Some(only) = only
                && compact
                && !folder.as_os_str().is_empty()
            {
                tree.set_open(&folder.join(only), true);
            }
            *version += 1;
            false
        });
    }

    fn start_listing(&mut self, tasks: &Tasks) {
        let Some(tree) = &mut self.tree else { return };
        for request in tree.take_requests() {
            let fs = self.fs.clone();
            let folder = request.folder.clone();
            let task = tasks.spawn("list a folder", move |_| list(&*fs, &request.path, request.inside_ignored));
            self.listing.push((folder, task));
        }
    }

    fn take_status(&mut self) {
        let (Some(task), Some(prefix)) = (&self.looking, &self.prefix) else { return };
        self.marks = match task.poll() {
            Poll::Pending => return,
            Poll::Ready(Some(changes)) => Marks::new(prefix, changes),
            // A repository that cannot be read: its review says why.
            Poll::Ready(None) | Poll::Lost => Marks::default(),
        };
        self.looking = None;
    }

    fn take_outcome(&mut self) -> Option<Outcome> {
        let (_, task) = self.working.as_ref()?;
        let result = match task.poll() {
            Poll::Pending => return None,
            Poll::Ready(result) => result,
            Poll::Lost => Err("The change ended unexpectedly; look at the files before trying again".to_owned()),
        };
        let (operation, _) = self.working.take()?;
        self.refresh();
        if let (Ok(done), false) = (&result, matches!(operation, Operation::Undo(_))) {
            let undo = match done {
                // A name is changed back as easily; what a toast offers to undo shall be what it tells of.
                Done::Moved { from, to } if matches!(operation, Operation::Move { .. }) => {
                    Some(Undo::Moved { from: from.clone(), to: to.clone() })
                }
                Done::Trashed(trashed) => Some(Undo::Trashed(trashed.clone())),
                _ => None,
            };
            self.undo.extend(undo);
            let over = self.undo.len().saturating_sub(UNDO);
            self.undo.drain(..over);
        }
        Some(Outcome { operation, result })
    }
}

/// The name of the one thing in a folder, if that is a folder.
fn only_folder(entries: &[Entry], show_ignored: bool) -> Option<std::ffi::OsString> {
    let mut shown = entries.iter().filter(|entry| show_ignored || !entry.ignored);
    let only = shown.next().filter(|entry| entry.is_folder)?;
    shown.next().is_none().then(|| only.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(prefix: &str, changes: &[(&str, Status)]) -> Marks {
        Marks::new(Path::new(prefix), changes.iter().map(|(path, status)| (PathBuf::from(path), *status)))
    }

    #[test]
    fn a_folder_shows_the_gravest_of_what_is_in_it() {
        let marks =
            marks("", &[("a/new.rs", Status::Untracked), ("a/b/old.rs", Status::Deleted), ("c/x", Status::Added)]);
        assert_eq!(marks.folders[Path::new("a")], Status::Deleted);
        assert_eq!(marks.folders[Path::new("c")], Status::Added);
        assert_eq!(marks.files[Path::new("a/new.rs")], Status::Untracked);
    }

    #[test]
    fn only_what_is_in_the_open_folder_is_marked() {
        let marks = marks("app", &[("app/src/x.rs", Status::Modified), ("diff/y.rs", Status::Modified)]);
        assert_eq!(marks.files.len(), 1);
        assert_eq!(marks.folders[Path::new("src")], Status::Modified);
    }

    fn done(operation: Operation) -> Done {
        operation.perform(&RealFs).unwrap()
    }

    #[test]
    fn renames_and_moves_can_be_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a.txt"), "a").unwrap();
        std::fs::create_dir(at("sub")).unwrap();
        for operation in [
            Operation::Rename { path: at("a.txt"), name: "b.txt".into() },
            Operation::Move { path: at("a.txt"), folder: at("sub") },
        ] {
            let Done::Moved { from, to } = done(operation) else { panic!("it moves") };
            assert!(!at("a.txt").exists() && to.exists());
            done(Operation::Undo(Undo::Moved { from, to }));
            assert_eq!(std::fs::read_to_string(at("a.txt")).unwrap(), "a");
        }
    }

    #[test]
    fn an_error_names_what_is_in_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a.txt"), "a").unwrap();
        std::fs::write(at("b.txt"), "b").unwrap();
        let refused = Operation::Rename { path: at("a.txt"), name: "b.txt".into() }.perform(&RealFs).unwrap_err();
        assert!(refused.contains("b.txt exists already"), "{refused}");
        assert_eq!(std::fs::read_to_string(at("b.txt")).unwrap(), "b");
    }
}
