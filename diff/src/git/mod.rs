//! Git: what changed between two states of a repository, and the contents of both sides.
//!
//! [`Repo`] finds a repository and lists the changed files of a [`Source`](crate::source::Source); a [`Reader`], one a
//! thread, reads contents. Lists come from tree objects, the index and `lstat` alone; a content is looked at only where
//! the index cannot tell whether it changed.
//!
//! Invariants: no type of a git library appears in what is public here. Reading and comparing write nothing, and run no
//! program that a configuration names (filter, text conversion, hook). What acts on a repository ([`Repo::make_commit`],
//! [`Repo::mark_resolved`] and its like, [`crate::staging`]) is asked for by name, and done by the git program.

mod blobs;
mod change;
mod combined;
mod commit;
mod delta;
mod error;
mod filters;
mod forms;
mod hash;
mod index;
mod message;
mod names;
mod operation;
mod packs;
mod path;
mod pathspec;
mod program;
mod reader;
mod remerge;
mod rename;
mod status;
mod submodule;
mod unmerged;
mod worktrees;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use editor::Cancel;
use gix::bstr::BStr;

pub use change::{Blob, BlobSource, Excerpt, FileChange, Mode, ObjectId, Side, Status};
pub use combined::{CombinedContent, CombinedFile, CombinedParent};
pub use commit::{CommitError, CommitRequest, Committed};
pub use error::GitError;
pub use filters::MergeDriver;
pub(crate) use hash::Pieces;
pub use index::IndexEntry;
pub(crate) use index::Indexed;
pub use message::{Prepared, PreparedFrom};
pub use names::{NameKind, Named, Worktree};
pub use operation::{Operation, SideNames};
pub use path::RepoPath;
pub(crate) use path::{os_bytes, readable};
pub use reader::{Form, Reader};
pub use remerge::Remerge;
pub use submodule::SubmoduleLog;
pub use unmerged::{ConflictKind, RenamedApart, Replaced, Stage, Unmerged};

use crate::source::Source;
use index::IndexCache;
use packs::Packs;
use pathspec::Pathspecs;

/// Contents of this many bytes and more are not compared: 2 GB, within the reach of 32-bit line offsets.
pub const MAX_SIZE: u64 = 2_000_000_000;

/// A repository, opened for reading. Cheap to clone, and may be shared between threads.
#[derive(Clone)]
pub struct Repo {
    shared: Arc<gix::ThreadSafeRepository>,
    /// Looked for when contents are first read.
    packs: Arc<OnceLock<Arc<Packs>>>,
    index: Arc<IndexCache>,
}

/// What HEAD is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// On a branch that has commits.
    Branch(String),
    /// On a branch without a commit yet.
    Unborn(String),
    /// At a commit, on no branch.
    Detached(ObjectId),
}

impl std::fmt::Display for Head {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Branch(name) => f.write_str(name),
            Self::Unborn(name) => write!(f, "{name} (no commit yet)"),
            Self::Detached(id) => write!(f, "detached at {}", id.short(9)),
        }
    }
}

impl Repo {
    /// Finds the repository that `path`, a file or folder, is in; `GIT_DIR` is honoured as git does.
    pub fn discover(path: &Path) -> Result<Self, GitError> {
        let metadata = std::fs::metadata(path).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => GitError::NoSuchPath { path: path.to_owned() },
            _ => GitError::File { path: path.to_owned(), source },
        })?;
        let folder = if metadata.is_dir() { path } else { path.parent().unwrap_or(path) };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let opened = gix::ThreadSafeRepository::discover_with_environment_overrides(folder);
        let shared = opened.map_err(|error| discover_error(path, folder, &error))?;
        Ok(Self::of(shared))
    }

    fn of(shared: gix::ThreadSafeRepository) -> Self {
        Self { shared: Arc::new(shared), packs: Arc::default(), index: Arc::default() }
    }

    /// The root of the working tree; none for a bare repository.
    pub fn root(&self) -> Option<&Path> {
        self.shared.work_dir()
    }

    /// The repository's own folder, usually `.git`.
    pub fn git_dir(&self) -> &Path {
        self.shared.git_dir()
    }

    /// The folder that a repository shares with its worktrees: its own `.git`, whichever of them is open.
    pub fn common_dir(&self) -> PathBuf {
        self.local().common_dir().to_owned()
    }

    /// What HEAD is: a branch, a branch without commits, or a commit.
    pub fn head(&self) -> Result<Head, GitError> {
        let repo = self.local();
        let head = repo.head().map_err(|e| GitError::object("HEAD", &e))?;
        Ok(match head.kind {
            gix::head::Kind::Symbolic(reference) => Head::Branch(short_name(reference.name.shorten())),
            gix::head::Kind::Unborn(name) => Head::Unborn(short_name(name.shorten())),
            gix::head::Kind::Detached { target, peeled } => Head::Detached(own_id(&peeled.unwrap_or(target))),
        })
    }

    /// The branch for the status bar; of a detached HEAD, where it is at.
    pub fn branch(&self) -> Result<String, GitError> {
        Ok(self.head()?.to_string())
    }

    /// The commit that `name` stands for, or an error that names it.
    pub fn commit(&self, name: &str) -> Result<ObjectId, GitError> {
        Ok(own_id(&find_commit(&self.local(), name)?.id))
    }

    /// Whether `name` names anything in this repository.
    pub fn is_revision(&self, name: &str) -> bool {
        self.local().rev_parse_single(BStr::new(name)).is_ok()
    }

    /// Lists the changed files of `source` that match `pathspecs`, in order of their paths.
    ///
    /// Pathspecs are git's, relative to the folder the process runs in if that is in the working tree, else to its root;
    /// none means everything. Untracked files are listed with the working tree, against the index, too. Exact renames are found; other renames
    /// are left to [`Repo::detect_renames`].
    pub fn changes(&self, source: &Source, pathspecs: &[String], cancel: &Cancel) -> Result<Vec<FileChange>, GitError> {
        let repo = self.local();
        let mut specs = Pathspecs::parse(&repo, pathspecs)?;
        let mut changes = match source {
            Source::WorkingTree { against } => {
                let tree = match against {
                    Some(name) => Some(find_tree(&repo, name)?),
                    None => head_tree(&repo)?,
                };
                let mut changes = status::working_tree(self, tree, &mut specs, cancel)?;
                rename::name_moved(&mut changes, self, cancel)?;
                changes
            }
            Source::Unstaged => {
                let mut changes = status::unstaged(self, &mut specs, cancel)?;
                rename::name_moved(&mut changes, self, cancel)?;
                changes
            }
            Source::Staged => status::staged(self, head_tree(&repo)?, &mut specs, cancel)?,
            Source::Range { a, b, merge_base } => {
                let old = if *merge_base { merge_base_of(&repo, a, b)? } else { find_tree(&repo, a)? };
                delta::changes(&repo, Some(old), Some(find_tree(&repo, b)?), &mut specs, cancel)?
            }
            Source::Commit(name) => {
                let commit = find_commit(&repo, name)?;
                let parent = commit.parent_ids().next().map(|parent| tree_of(&repo, parent.detach())).transpose()?;
                delta::changes(&repo, parent, Some(tree_of(&repo, commit.id)?), &mut specs, cancel)?
            }
            Source::Remerge(name) => self.remerge(name, pathspecs, cancel)?.changes,
            Source::Stash(name) => stashed(&repo, name, &mut specs, cancel)?,
            Source::Worktree(other) => worktrees::changes(self, other, pathspecs, cancel)?,
            Source::Files { .. }
            | Source::Folders { .. }
            | Source::Since { .. }
            | Source::Moments { .. }
            | Source::Patch { .. } => Vec::new(),
        };
        rename::exact(&mut changes);
        changes.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(changes)
    }

    /// Joins files that were moved and edited into renamed entries, reading contents: for a worker in the background.
    ///
    /// Returns whether limits kept it from comparing all candidates, which a badge should say.
    pub fn detect_renames(&self, changes: &mut Vec<FileChange>, cancel: &Cancel) -> Result<bool, GitError> {
        rename::similar(changes, &|| self.reader(), cancel)
    }

    /// Opens a reader of contents; each thread has its own.
    pub fn reader(&self) -> Reader {
        Reader::of_repository(self)
    }

    /// The order in which contents of `changes` are read with the least work, by index; every file is in it once.
    ///
    /// Neighbours in this order are made from each other: a thread takes a run of it, not every second file. Some
    /// 0.3 µs a file and side.
    pub fn reading_order(&self, changes: &[FileChange]) -> Vec<usize> {
        self.packs().reading_order(changes)
    }

    fn packs(&self) -> &Arc<Packs> {
        self.packs.get_or_init(|| Arc::new(Packs::open(&self.local())))
    }

    /// The platform path of a file of the working tree.
    pub fn worktree_path(&self, path: &RepoPath) -> Option<PathBuf> {
        Some(self.root()?.join(path.to_path()))
    }

    fn local(&self) -> gix::Repository {
        self.shared.to_thread_local()
    }
}

/// The name git would give to a blob of these bytes.
pub fn blob_id(bytes: &[u8]) -> Result<ObjectId, GitError> {
    hash::of_bytes(bytes)
}

fn short_name(name: &BStr) -> String {
    readable(name).into_owned()
}

fn own_id(id: &gix::oid) -> ObjectId {
    let mut bytes = [0; 20];
    // Repositories of other hashes are refused when they are opened, so the length is always 20.
    bytes.copy_from_slice(&id.as_bytes()[..20]);
    ObjectId::from_bytes(bytes)
}

fn git_id(id: ObjectId) -> gix::ObjectId {
    gix::ObjectId::Sha1(*id.as_bytes())
}

fn own_mode(mode: gix::objs::tree::EntryMode) -> Option<Mode> {
    Some(match mode.kind() {
        gix::objs::tree::EntryKind::Blob => Mode::File,
        gix::objs::tree::EntryKind::BlobExecutable => Mode::Executable,
        gix::objs::tree::EntryKind::Link => Mode::Symlink,
        gix::objs::tree::EntryKind::Commit => Mode::Submodule,
        gix::objs::tree::EntryKind::Tree => return None,
    })
}

fn find_commit<'repo>(repo: &'repo gix::Repository, name: &str) -> Result<gix::Commit<'repo>, GitError> {
    let object = find_object(repo, name)?;
    object.peel_to_commit().map_err(|_| GitError::BadRevision {
        name: name.to_owned(),
        hint: Some("it names an object that is no commit".to_owned()),
    })
}

/// The tree of a commit, tag or tree: git compares trees by name as well.
fn find_tree(repo: &gix::Repository, name: &str) -> Result<gix::ObjectId, GitError> {
    let object = find_object(repo, name)?;
    let tree = object.peel_to_tree().map_err(|_| GitError::BadRevision {
        name: name.to_owned(),
        hint: Some("it names an object that has no tree".to_owned()),
    })?;
    Ok(tree.id)
}

fn find_object<'repo>(repo: &'repo gix::Repository, name: &str) -> Result<gix::Object<'repo>, GitError> {
    let bad = |hint: Option<String>| GitError::BadRevision { name: name.to_owned(), hint };
    if name == "HEAD" && matches!(repo.head().map(|head| head.is_unborn()), Ok(true)) {
        return Err(bad(Some("the branch has no commit yet".to_owned())));
    }
    let id = repo.rev_parse_single(BStr::new(name)).map_err(|_| bad(None))?;
    id.object().map_err(|error| GitError::object(format!("`{name}`"), &error))
}

fn tree_of(repo: &gix::Repository, commit: gix::ObjectId) -> Result<gix::ObjectId, GitError> {
    let read = || -> gix::Result<gix::ObjectId> { Ok(repo.find_object(commit)?.peel_to_tree()?.id) };
    read().map_err(|error| GitError::object(format!("the tree of commit {commit}"), &error))
}

/// The tree of HEAD; none while the branch has no commit, which compares as an empty tree.
fn head_tree(repo: &gix::Repository) -> Result<Option<gix::ObjectId>, GitError> {
    let head = repo.head().map_err(|e| GitError::object("HEAD", &e))?;
    if head.is_unborn() {
        return Ok(None);
    }
    Ok(Some(find_tree(repo, "HEAD")?))
}

/// What a stash holds: of tracked files against the commit it was made at, and untracked files if it took them.
fn stashed(
    repo: &gix::Repository,
    name: &str,
    specs: &mut Pathspecs,
    cancel: &Cancel,
) -> Result<Vec<FileChange>, GitError> {
    let stash = find_commit(repo, name)?;
    let parents: Vec<_> = stash.parent_ids().map(gix::Id::detach).collect();
    let [at, _, untracked @ ..] = parents.as_slice() else {
        let hint = Some("it is no stash, which is a commit with two parents or three".to_owned());
        return Err(GitError::BadRevision { name: name.to_owned(), hint });
    };
    let mut changes = delta::changes(repo, Some(tree_of(repo, *at)?), Some(tree_of(repo, stash.id)?), specs, cancel)?;
    if let [untracked, ..] = untracked {
        changes.extend(delta::changes(repo, None, Some(tree_of(repo, *untracked)?), specs, cancel)?);
    }
    Ok(changes)
}

fn merge_base_of(repo: &gix::Repository, a: &str, b: &str) -> Result<gix::ObjectId, GitError> {
    let (one, two) = (find_commit(repo, a)?.id, find_commit(repo, b)?.id);
    let base = repo.merge_base(one, two).map_err(|error| GitError::object("the history", &error))?;
    let base = base.ok_or_else(|| GitError::NoMergeBase { a: a.to_owned(), b: b.to_owned() })?;
    tree_of(repo, base.detach())
}

/// Tells "there is none" from "there is one, but": what to do about it differs.
fn discover_error(path: &Path, folder: &Path, error: &gix::Error) -> GitError {
    if error.is_permission_denied() {
        return GitError::Unreadable { path: folder.to_owned(), reason: error.probable_cause().to_string() };
    }
    let marker = folder
        .canonicalize()
        .ok()
        .and_then(|start| start.ancestors().map(|dir| dir.join(".git")).find(|git| git.exists()));
    match marker {
        Some(git) => GitError::Unreadable { path: git, reason: error.probable_cause().to_string() },
        None => GitError::NotARepository { path: path.to_owned() },
    }
}
