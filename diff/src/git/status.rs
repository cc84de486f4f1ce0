//! The working tree and the index: what is staged, what is not, and what git does not know yet.
//!
//! A review compares a commit with the files on disk, wherever the index stands between them; or the index with either.
//! Three lists make it: *old sides* are where the commit differs from the index, *touched* is how the disk differs from
//! the index, *untracked* is what is on disk alone. A file is opened only where its `lstat` differs from what the index
//! remembers.
//!
//! Kept as git keeps it: entries marked assume-unchanged or skip-worktree count as unchanged; a file whose time stamp is
//! not older than the index is looked into; a folder that became a symbolic link hides what was in it.

use std::{
    num::NonZero,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use editor::Cancel;
use gix::{
    bstr::BStr,
    index::{
        entry::{Flags, Stat, stat},
        fs::Metadata,
    },
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Blob, BlobSource, FileChange, GitError, Mode, ObjectId, Repo, RepoPath, Status, delta,
    filters::Filters,
    index::{index_blob, index_mode, sparse_folder_of},
    own_id,
    pathspec::Pathspecs,
};

/// Below this many entries a second thread costs more than it saves.
const ENTRIES_PER_THREAD: usize = 1_000;

/// Lists what differs between `tree` (none: an empty one) and the working tree, in no particular order.
pub(super) fn working_tree(
    repo: &Repo,
    tree: Option<gix::ObjectId>,
    specs: &mut Pathspecs,
    cancel: &Cancel,
) -> Result<Vec<FileChange>, GitError> {
    on_disk(repo, specs, cancel, |local, index| old_sides(local, tree, index, cancel))
}

/// Lists what differs between the index and the working tree.
pub(super) fn unstaged(repo: &Repo, specs: &mut Pathspecs, cancel: &Cancel) -> Result<Vec<FileChange>, GitError> {
    // Of a path in conflict, what was ours is the old side: what is on disk was made from it.
    let ours = |index: &gix::index::File| {
        let ours = index.entries().iter().filter(|entry| entry.stage_raw() == 2);
        ours.map(|entry| (RepoPath::new(entry.path(index)), index_blob(entry))).collect()
    };
    on_disk(repo, specs, cancel, |_, index| Ok(ours(index)))
}

/// Lists what differs between `tree` and the index.
pub(super) fn staged(
    repo: &Repo,
    tree: Option<gix::ObjectId>,
    specs: &mut Pathspecs,
    cancel: &Cancel,
) -> Result<Vec<FileChange>, GitError> {
    let index = repo.index()?;
    let olds = old_sides(&repo.local(), tree, &index, cancel)?;
    let change = |(path, old): (RepoPath, Option<Blob>)| {
        let range = index.entry_range(BStr::new(path.as_bytes()));
        let entries = range.map_or(&[][..], |range| &index.entries()[range]);
        if entries.iter().any(|entry| entry.stage_raw() != 0) {
            let ours = entries.iter().find(|entry| entry.stage_raw() == 2).and_then(index_blob);
            return Some(FileChange { status: Status::Unmerged, ..FileChange::at(path, old, ours) });
        }
        let new = entries.first().filter(|entry| !entry.flags.contains(Flags::INTENT_TO_ADD)).and_then(index_blob);
        differing(path.as_bytes(), old, new)
    };
    Ok(olds.into_iter().filter(|(path, _)| specs.matches(path.as_bytes())).filter_map(change).collect())
}

/// Lists what differs between the working tree and a state of which `olds` says where it is not that of the index.
fn on_disk(
    repo: &Repo,
    specs: &mut Pathspecs,
    cancel: &Cancel,
    olds: impl FnOnce(&gix::Repository, &gix::index::File) -> Result<OldSides, GitError>,
) -> Result<Vec<FileChange>, GitError> {
    let local = repo.local();
    let root = local.workdir().ok_or_else(|| GitError::Bare { path: local.git_dir().to_owned() })?;
    let index = repo.index()?;
    let look = Look::new(repo, &local, root, &index)?;
    let interrupt = AtomicBool::new(false);
    let (olds, touched, untracked) = thread::scope(|scope| {
        let walk = spawn(scope, "untracked", || untracked(&repo.local(), &index, &interrupt, cancel))?;
        let olds = olds(&local, &index);
        let touched = olds.as_ref().ok().map(|olds| look.touched(olds, specs, cancel));
        if touched.as_ref().is_none_or(Result::is_err) || cancel.is_cancelled() {
            interrupt.store(true, Ordering::Relaxed);
        }
        let untracked = join(walk);
        Ok((olds, touched, untracked))
    })?;
    let olds = olds?;
    let mut changes = touched.unwrap_or_else(|| Ok(Vec::new()))?;
    let untracked = untracked?;
    add_unindexed(&look, &olds, untracked, specs, &mut changes);
    if cancel.is_cancelled() { Err(GitError::Cancelled) } else { Ok(changes) }
}

/// Whether tracked files of the repository differ from its HEAD: what git calls a dirty submodule.
fn is_dirty(repo: &Repo, cancel: &Cancel) -> Result<bool, GitError> {
    let local = repo.local();
    let Some(root) = local.workdir() else { return Ok(false) };
    let index = repo.index()?;
    let olds = old_sides(&local, super::head_tree(&local)?, &index, cancel)?;
    let mut everything = Pathspecs::parse(&local, &[])?;
    let look = Look::new(repo, &local, root, &index)?;
    Ok(!olds.is_empty() || !look.touched(&olds, &mut everything, cancel)?.is_empty())
}

fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<thread::ScopedJoinHandle<'scope, T>, GitError> {
    let spawned = thread::Builder::new().name(format!("git-{name}")).spawn_scoped(scope, work);
    spawned.map_err(|error| GitError::object("a thread for the status", &error))
}

fn join<T>(handle: thread::ScopedJoinHandle<'_, T>) -> T {
    handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Where the state that is compared is not that of the index: its side of each such path; none where it has no such path.
type OldSides = FxHashMap<RepoPath, Option<Blob>>;

/// How `tree` differs from the index.
fn old_sides(
    repo: &gix::Repository,
    tree: Option<gix::ObjectId>,
    index: &gix::index::File,
    cancel: &Cancel,
) -> Result<OldSides, GitError> {
    // The index remembers the tree it would be committed as. While it is whole, comparing trees costs what changed;
    // otherwise every entry is compared.
    let cached = index.tree().filter(|root| root.num_entries.is_some()).map(|root| root.id);
    if let Some(cached) = cached {
        if Some(cached) == tree {
            return Ok(OldSides::default());
        }
        if repo.has_object(cached) {
            let mut everything = Pathspecs::parse(repo, &[])?;
            let changes = delta::changes(repo, tree, Some(cached), &mut everything, cancel)?;
            if let Some(hidden) = changes.iter().find(|change| is_sparse(index, change.path.as_bytes())) {
                return Err(sparse_differs(&hidden.path));
            }
            return Ok(changes.into_iter().map(|change| (change.path, change.old)).collect());
        }
    }
    old_sides_by_entry(repo, tree, index)
}

fn old_sides_by_entry(
    repo: &gix::Repository,
    tree: Option<gix::ObjectId>,
    index: &gix::index::File,
) -> Result<OldSides, GitError> {
    let flat = match tree {
        Some(tree) => repo.index_from_tree(&tree).map_err(|error| GitError::object(format!("tree {tree}"), &error))?,
        None => gix::index::File::from_state(gix::index::State::new(repo.object_hash()), PathBuf::new()),
    };
    let (mut olds, mut news) = (flat.entries().iter().peekable(), index.entries().iter().peekable());
    let mut differ = OldSides::default();
    loop {
        let (old, new) = (olds.peek().copied(), news.peek().copied());
        let order = match (old, new) {
            (None, None) => return Ok(differ),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some(old), Some(new)) => old.path(&flat).cmp(new.path(index)),
        };
        match order {
            std::cmp::Ordering::Less => {
                let Some(old) = olds.next() else { continue };
                if is_sparse(index, old.path(&flat)) {
                    continue; // its folder is an entry of the index, and was compared as one
                }
                // An unmerged path has several index entries; the first of them has met the tree's already.
                differ.entry(RepoPath::new(old.path(&flat))).or_insert_with(|| index_blob(old));
            }
            std::cmp::Ordering::Greater => {
                let Some(new) = news.next() else { continue };
                if new.mode.is_sparse() {
                    check_sparse_folder(repo, tree, new, new.path(index))?;
                    continue;
                }
                differ.entry(RepoPath::new(new.path(index))).or_insert(None);
            }
            std::cmp::Ordering::Equal => {
                let (Some(old), Some(new)) = (olds.next(), news.next()) else { continue };
                let kept = new.flags.intersects(Flags::INTENT_TO_ADD) || new.stage_raw() != 0;
                if kept || old.id != new.id || old.mode != new.mode {
                    differ.insert(RepoPath::new(old.path(&flat)), index_blob(old));
                }
            }
        }
    }
}

/// Whether `path` is in a folder that a sparse index has as one entry.
fn is_sparse(index: &gix::index::File, path: &[u8]) -> bool {
    sparse_folder_of(index, path).is_some()
}

/// Makes sure that a folder the index does not look into is the one of the tree.
fn check_sparse_folder(
    repo: &gix::Repository,
    tree: Option<gix::ObjectId>,
    entry: &gix::index::Entry,
    path: &BStr,
) -> Result<(), GitError> {
    let folder = RepoPath::new(path.strip_suffix(b"/").unwrap_or(path));
    let found = tree.map(|tree| -> gix::Result<_> { repo.find_tree(tree)?.lookup_entry_by_path(folder.to_path()) });
    let found = found.transpose().map_err(|error| GitError::object(format!("the tree of {folder}"), &error))?.flatten();
    if found.is_some_and(|found| found.object_id() == entry.id) { Ok(()) } else { Err(sparse_differs(&folder)) }
}

fn sparse_differs(path: &RepoPath) -> GitError {
    GitError::BadIndex {
        reason: format!(
            "it is a sparse one, and {path}, which it does not look into, differs; \
             `git sparse-checkout reapply --no-sparse-index` writes it in full"
        ),
    }
}

fn live(mode: Mode, id: Option<ObjectId>, size: u64) -> Blob {
    Blob { mode, source: BlobSource::WorkTree(id), size: Some(size) }
}

/// What looking at the disk needs, shared by the threads that look.
struct Look<'a> {
    repo: &'a Repo,
    root: &'a Path,
    index: &'a gix::index::File,
    stat: stat::Options,
    executable_bit: bool,
    symlinks: bool,
}

impl<'a> Look<'a> {
    fn new(
        repo: &'a Repo,
        local: &gix::Repository,
        root: &'a Path,
        index: &'a gix::index::File,
    ) -> Result<Self, GitError> {
        let config =
            |error: gix::Error| GitError::Unreadable { path: local.git_dir().to_owned(), reason: error.to_string() };
        let capabilities = local.filesystem_options().map_err(config)?;
        Ok(Self {
            repo,
            root,
            index,
            stat: local.stat_options().map_err(config)?,
            executable_bit: capabilities.executable_bit,
            symlinks: capabilities.symlink,
        })
    }

    /// The changes of all paths the index knows and that match.
    fn touched(&self, olds: &OldSides, specs: &mut Pathspecs, cancel: &Cancel) -> Result<Vec<FileChange>, GitError> {
        let mut groups: Vec<&[gix::index::Entry]> = Vec::with_capacity(self.index.entries().len());
        for group in self.index.entries().chunk_by(|a, b| a.path(self.index) == b.path(self.index)) {
            if specs.is_empty() || specs.matches(group[0].path(self.index)) {
                groups.push(group);
            }
        }
        let threads =
            thread::available_parallelism().map_or(1, NonZero::get).min(8).min(groups.len() / ENTRIES_PER_THREAD + 1);
        let share = groups.len().div_ceil(threads).max(1);
        thread::scope(|scope| {
            let mut shares = groups.chunks(share);
            let mine = shares.next().unwrap_or_default();
            let others = shares.map(|share| spawn(scope, "status", move || self.share(share, olds, cancel)));
            let others: Vec<_> = others.collect::<Result<_, _>>()?;
            let mut changes = self.share(mine, olds, cancel)?;
            for other in others {
                changes.append(&mut join(other)?);
            }
            Ok(changes)
        })
    }

    fn share(
        &self,
        groups: &[&[gix::index::Entry]],
        olds: &OldSides,
        cancel: &Cancel,
    ) -> Result<Vec<FileChange>, GitError> {
        let mut folders = Folders::new(self.root);
        let mut filters = None;
        let mut changes = Vec::new();
        for group in groups {
            if cancel.is_cancelled() {
                return Err(GitError::Cancelled);
            }
            let entry = &group[0];
            let path = entry.path(self.index);
            let found = if entry.stage_raw() == 0 {
                self.entry(entry, path, olds, &mut folders, &mut filters, cancel)?
            } else {
                Some(self.unmerged(path, olds, &mut folders))
            };
            changes.extend(found);
        }
        Ok(changes)
    }

    /// The change of one entry, if there is one.
    fn entry(
        &self,
        entry: &gix::index::Entry,
        path: &BStr,
        olds: &OldSides,
        folders: &mut Folders<'_>,
        filters: &mut Option<Filters>,
        cancel: &Cancel,
    ) -> Result<Option<FileChange>, GitError> {
        let Some(index_mode) = index_mode(entry.mode) else { return Ok(None) };
        let other = if olds.is_empty() { None } else { olds.get(&RepoPath::new(path)) };
        let old = match other {
            Some(old) => old.clone(),
            None if entry.flags.contains(Flags::INTENT_TO_ADD) => None,
            None => index_blob(entry),
        };
        let skipped = entry.flags.intersects(Flags::ASSUME_VALID | Flags::SKIP_WORKTREE);
        let disk = if skipped { Disk::Same } else { self.disk(entry, path, index_mode, folders)? };
        let new = match disk {
            Disk::Same if other.is_none() => return Ok(None),
            Disk::Same if skipped || index_mode == Mode::Submodule => index_blob(entry),
            Disk::Same => Some(live(index_mode, Some(own_id(&entry.id)), u64::from(entry.stat.size))),
            Disk::Gone => None,
            Disk::Submodule(path) => Some(self.checked_out(entry, &path, cancel)?),
            Disk::Touched { mode, size } => {
                let resized = entry.stat.size != 0 && u64::from(entry.stat.size) != size;
                let filters = match filters {
                    Some(filters) => filters,
                    none => none.insert(Filters::new(self.repo)?),
                };
                // Another size than the index remembers is another content, and need not be read to know it; unless it
                // is compared with another commit than the index holds, or line endings are converted.
                let known = resized && other.is_none() && !filters.attributes(path)?.converts;
                let id = if known { None } else { self.hash(path, mode, filters)? };
                Some(live(mode, id, size))
            }
        };
        Ok(differing(path, old, new))
    }

    /// A path left in conflict: the tree's side against what lies on disk, markers and all.
    fn unmerged(&self, path: &BStr, olds: &OldSides, folders: &mut Folders<'_>) -> FileChange {
        let path = RepoPath::new(path);
        let new = folders
            .metadata(path.as_bytes())
            .and_then(|found| self.mode(&found, None).map(|mode| live(mode, None, found.len())));
        let old = olds.get(&path).cloned().flatten();
        FileChange { status: Status::Unmerged, ..FileChange::at(path, old, new) }
    }

    /// What the disk says about an entry, from `lstat` alone.
    fn disk(
        &self,
        entry: &gix::index::Entry,
        path: &BStr,
        expected: Mode,
        folders: &mut Folders<'_>,
    ) -> Result<Disk, GitError> {
        let Some(found) = folders.metadata(path) else {
            return Ok(if expected == Mode::Submodule { Disk::Same } else { Disk::Gone });
        };
        if expected == Mode::Submodule && found.is_dir() {
            return Ok(Disk::Submodule(self.root.join(RepoPath::new(path).to_path())));
        }
        let Some(mode) = self.mode(&found, Some(expected)) else { return Ok(Disk::Gone) };
        let stat = Stat::from_fs(&found).map_err(|error| GitError::object("a time stamp", &error))?;
        let fresh = entry.stat.matches(&stat, self.stat) && !entry.stat.is_racy(self.index.timestamp(), self.stat);
        if fresh && mode == expected && !entry.flags.contains(Flags::INTENT_TO_ADD) {
            return Ok(Disk::Same);
        }
        Ok(Disk::Touched { mode, size: found.len() })
    }

    /// The mode of what is on disk; none for what git does not track. Where the file system cannot say, what the index
    /// says holds.
    fn mode(&self, found: &Metadata, expected: Option<Mode>) -> Option<Mode> {
        if found.is_symlink() {
            return Some(Mode::Symlink);
        }
        if !found.is_file() {
            return None;
        }
        Some(match expected {
            Some(Mode::Symlink) if !self.symlinks => Mode::Symlink,
            Some(expected) if !self.executable_bit && expected.is_file() => expected,
            _ if self.executable_bit && found.is_executable() => Mode::Executable,
            _ => Mode::File,
        })
    }

    /// The name of the content on disk, as git would store it.
    fn hash(&self, path: &BStr, mode: Mode, filters: &mut Filters) -> Result<Option<ObjectId>, GitError> {
        let full = self.root.join(RepoPath::new(path).to_path());
        if mode == Mode::Symlink {
            let target = std::fs::read_link(&full).map_err(|source| GitError::File { path: full, source })?;
            return super::hash::of_bytes(&super::os_bytes(target.as_os_str())).map(Some);
        }
        match filters.hash_file(path, &full) {
            Ok(id) => Ok(id),
            // Unreadable files are listed as changed; reading them says why.
            Err(GitError::File { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn checked_out(&self, entry: &gix::index::Entry, path: &Path, cancel: &Cancel) -> Result<Blob, GitError> {
        let blob = |commit, dirty| Blob {
            mode: Mode::Submodule,
            source: BlobSource::CheckedOut { commit, dirty },
            size: None,
        };
        // A folder without a repository is a submodule that was not fetched: as the index has it.
        let Ok(repo) = gix::open_opts(path, self.repo.local().open_options().clone().open_path_as_is(false)) else {
            return Ok(blob(Some(own_id(&entry.id)), false));
        };
        let commit = repo.head_id().ok().map(|id| own_id(&id));
        Ok(blob(commit, is_dirty(&Repo::of(repo.into_sync()), cancel)?))
    }
}

/// What `lstat` says about a path the index knows.
enum Disk {
    Same,
    Gone,
    /// It may differ, or surely does: its mode and size now.
    Touched {
        mode: Mode,
        size: u64,
    },
    Submodule(PathBuf),
}

/// The change of one path, unless its sides are known to be the same.
fn differing(path: &[u8], old: Option<Blob>, new: Option<Blob>) -> Option<FileChange> {
    match (&old, &new) {
        (None, None) => return None,
        (Some(a), Some(b)) => {
            let dirty = matches!(b.source, BlobSource::CheckedOut { dirty: true, .. });
            let same = a.id().is_some() && a.id() == b.id();
            if a.mode == b.mode && same && !dirty {
                return None;
            }
        }
        _ => {}
    }
    Some(FileChange::at(RepoPath::new(path), old, new))
}

/// Adds what the index does not know: files of the tree that left the index, and untracked files.
fn add_unindexed(
    look: &Look<'_>,
    olds: &OldSides,
    untracked: Vec<RepoPath>,
    specs: &mut Pathspecs,
    changes: &mut Vec<FileChange>,
) {
    let mut folders = Folders::new(look.root);
    let untracked: Vec<RepoPath> = untracked.into_iter().filter(|path| specs.matches(path.as_bytes())).collect();
    let known: FxHashSet<&RepoPath> = untracked.iter().collect();
    for (path, old) in olds {
        let left_index = look.index.entry_range(BStr::new(path.as_bytes())).is_none();
        if left_index && old.is_some() && !known.contains(path) && specs.matches(path.as_bytes()) {
            changes.push(FileChange::at(path.clone(), old.clone(), None));
        }
    }
    for path in untracked {
        let Some(found) = folders.metadata(path.as_bytes()) else { continue };
        let Some(mode) = look.mode(&found, None) else { continue };
        let new = Some(live(mode, None, found.len()));
        // Removed from the index but not from the disk: the review compares the two contents.
        let old = olds.get(&path).cloned().flatten();
        let status = if old.is_some() { Status::Modified } else { Status::Untracked };
        changes.push(FileChange { status, ..FileChange::at(path, old, new) });
    }
}

/// `lstat` below a root that never looks through a symbolic link. Paths come in order, so the last folder is remembered.
struct Folders<'a> {
    root: &'a Path,
    checked: Vec<u8>,
    real: bool,
}

impl<'a> Folders<'a> {
    fn new(root: &'a Path) -> Self {
        Self { root, checked: Vec::new(), real: true }
    }

    /// What is at `path`; none if nothing is, or something that is not what `path` means.
    fn metadata(&mut self, path: &[u8]) -> Option<Metadata> {
        let path = RepoPath::new(path);
        self.enter(path.folder());
        if !self.real {
            return None;
        }
        Metadata::from_path_no_follow(&self.root.join(path.to_path())).ok()
    }

    fn enter(&mut self, folder: &[u8]) {
        if folder == self.checked {
            return;
        }
        let shared = common_folder(&self.checked, folder);
        let mut real = self.real || shared < self.checked.len();
        let mut end = shared;
        while real && end < folder.len() {
            let from = if end == 0 { 0 } else { end + 1 };
            end = memchr::memchr(b'/', &folder[from..]).map_or(folder.len(), |slash| from + slash);
            let full = self.root.join(RepoPath::new(&folder[..end]).to_path());
            real = Metadata::from_path_no_follow(&full).is_ok_and(|found| found.is_dir());
        }
        // A folder that is none is remembered up to there, so that what stands beside it is looked at afresh.
        self.checked = folder[..end].to_vec();
        self.real = real;
        if !real {
            self.checked = folder.to_vec();
        }
    }
}

/// The length of the longest folder that both are in or are.
fn common_folder(a: &[u8], b: &[u8]) -> usize {
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let whole = |path: &[u8]| same == path.len() || path[same] == b'/';
    if whole(a) && whole(b) { same } else { memchr::memrchr(b'/', &a[..same]).unwrap_or(0) }
}

/// The files on disk that neither the index nor an ignore file names.
fn untracked(
    repo: &gix::Repository,
    index: &gix::index::File,
    interrupt: &AtomicBool,
    cancel: &Cancel,
) -> Result<Vec<RepoPath>, GitError> {
    struct Collect<'a> {
        paths: Vec<RepoPath>,
        cancel: &'a Cancel,
    }
    impl gix::dir::walk::Delegate for Collect<'_> {
        fn emit(
            &mut self,
            entry: gix::dir::EntryRef<'_>,
            _: Option<gix::dir::entry::Status>,
        ) -> gix::dir::walk::Action {
            let file = matches!(entry.disk_kind, Some(gix::dir::entry::Kind::File | gix::dir::entry::Kind::Symlink));
            if file && entry.status == gix::dir::entry::Status::Untracked {
                self.paths.push(RepoPath::new(&entry.rela_path));
            }
            if self.cancel.is_cancelled() {
                std::ops::ControlFlow::Break(())
            } else {
                std::ops::ControlFlow::Continue(())
            }
        }
    }
    let failed = |error: gix::Error| GitError::object("the list of untracked files", &error);
    let options = repo.dirwalk_options().map_err(failed)?;
    let options = options.emit_untracked(gix::dir::walk::EmissionMode::Matching).emit_ignored(None);
    let mut collect = Collect { paths: Vec::new(), cancel };
    match repo.dirwalk(index, std::iter::empty::<&BStr>(), interrupt, options, &mut collect) {
        Ok(_) => Ok(collect.paths),
        Err(_) if cancel.is_cancelled() || interrupt.load(Ordering::Relaxed) => Err(GitError::Cancelled),
        Err(error) => Err(failed(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::common_folder;

    #[test]
    fn folders_in_common_end_at_a_slash() {
        for (a, b, common) in
            [("a/b", "a/b/c", "a/b"), ("a/b", "a/bc", "a"), ("ab", "ac", ""), ("", "a", ""), ("a/b/c", "a/b/d", "a/b")]
        {
            assert_eq!(common_folder(a.as_bytes(), b.as_bytes()), common.len(), "{a} {b}");
        }
    }
}
