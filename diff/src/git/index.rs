//! The index: what would be committed, read as it is now and written by git.
//!
//! A read index is kept and handed out again for as long as its file is the same one. Git never writes an index in place,
//! so a file of the same device, inode, times and size holds the same entries, even where it was written twice within a
//! tick of the clock.
//!
//! Entries are written by `git update-index`, which holds the lock while it reads, changes and replaces the index: entries
//! that others change meanwhile are kept, and whatever form the index has (split, sparse, watched, of any version) it
//! keeps. An entry written by its name remembers nothing of the file on disk, as `git add -p` leaves it: the next command
//! that looks compares contents. An entry taken from disk remembers the file.

use std::{
    io::{self, Write},
    sync::{Mutex, PoisonError},
};

use editor::file::fs::{Fs, Metadata, RealFs};
use gix::{bstr::BStr, index::entry::Flags};

use super::{Blob, BlobSource, GitError, Mode, ObjectId, Repo, RepoPath, head_tree, own_id, own_mode};

/// The index that was read last, and what its file was then.
#[derive(Default)]
pub(super) struct IndexCache(Mutex<Option<(Metadata, gix::worktree::Index)>>);

impl Repo {
    /// The index as it is on disk now; an empty one before anything was added.
    pub(super) fn index(&self) -> Result<gix::worktree::Index, GitError> {
        let local = self.local();
        // Looked at before it is read: one that is replaced meanwhile is read once more the next time, never kept too long.
        let Ok(metadata) = RealFs.metadata(&local.index_path()) else {
            let empty = gix::index::State::new(local.object_hash());
            return Ok(shared(gix::index::File::from_state(empty, local.index_path())));
        };
        let mut cached = self.index.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, index)) = &*cached
            && *of == metadata
        {
            return Ok(index.clone());
        }
        let index = shared(local.open_index().map_err(|error| GitError::BadIndex { reason: error.to_string() })?);
        *cached = Some((metadata, index.clone()));
        Ok(index)
    }
}

/// What the index has at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Indexed {
    /// Nothing, or no more than the intention to add it.
    Nothing,
    /// A content.
    Entry(Mode, ObjectId),
    /// The sides of a conflict.
    Conflict,
    /// A content that git was told not to compare with the disk: `why` is what marks it.
    Unwatched { why: &'static str },
}

/// A path of the index and what is, or was, or is to be there; none for nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// The path.
    pub path: RepoPath,
    /// Mode and content.
    pub content: Option<(Mode, ObjectId)>,
}

impl Repo {
    /// What the index has at a path.
    pub(crate) fn indexed(&self, path: &RepoPath) -> Result<Indexed, GitError> {
        Ok(indexed(&*self.index()?, path.as_bytes()))
    }

    /// What HEAD has at a path; nothing before the first commit.
    pub(crate) fn in_head(&self, path: &RepoPath) -> Result<Option<(Mode, ObjectId)>, GitError> {
        let local = self.local();
        let Some(tree) = head_tree(&local)? else { return Ok(None) };
        let found = local.find_tree(tree).and_then(|tree| tree.lookup_entry_by_path(path.to_path()));
        let found = found.map_err(|error| GitError::object("the tree of HEAD", &error))?;
        Ok(found.and_then(|found| Some((own_mode(found.mode())?, own_id(&found.object_id())))))
    }

    /// Makes these entries those of the index. A folder that is in the way of a file leaves the index, and the other way
    /// round.
    pub(crate) fn write_index(&self, entries: &[IndexEntry]) -> Result<(), GitError> {
        if entries.is_empty() {
            return Ok(());
        }
        // What goes makes way for what comes: a file for a folder of its name.
        let (gone, there): (Vec<_>, Vec<_>) = entries.iter().partition(|entry| entry.content.is_none());
        self.git(&["update-index", "-z", "--index-info"]).run(&|out| {
            for entry in gone.iter().chain(&there) {
                match entry.content {
                    None => write!(out, "0 {:040}\t", 0)?,
                    Some((mode, id)) => write!(out, "{} {id}\t", mode.octal())?,
                }
                end_path(out, &entry.path)?;
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Makes the index at these paths what the disk has, as `git add` does: with filters and checks, resolving conflicts;
    /// what is gone leaves the index.
    pub(crate) fn add_from_disk(&self, paths: &[&RepoPath]) -> Result<(), GitError> {
        if paths.is_empty() {
            return Ok(());
        }
        let words = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
        self.git(&words).run(&|out| paths.iter().try_for_each(|path| end_path(out, path)))?;
        Ok(())
    }
}

fn end_path(out: &mut dyn Write, path: &RepoPath) -> io::Result<()> {
    out.write_all(path.as_bytes())?;
    out.write_all(b"\0")
}

fn indexed(index: &gix::index::File, path: &[u8]) -> Indexed {
    if sparse_folder_of(index, path).is_some() {
        return Indexed::Unwatched { why: OUTSIDE };
    }
    let Some(entries) = index.entry_range(BStr::new(path)) else { return Indexed::Nothing };
    match &index.entries()[entries] {
        [entry] if entry.stage_raw() == 0 => match index_mode(entry.mode) {
            _ if entry.flags.contains(Flags::INTENT_TO_ADD) => Indexed::Nothing,
            _ if entry.flags.contains(Flags::SKIP_WORKTREE) => Indexed::Unwatched { why: OUTSIDE },
            _ if entry.flags.contains(Flags::ASSUME_VALID) => Indexed::Unwatched { why: "marked as assume-unchanged" },
            Some(mode) => Indexed::Entry(mode, own_id(&entry.id)),
            None => Indexed::Nothing,
        },
        [] => Indexed::Nothing,
        _ => Indexed::Conflict,
    }
}

const OUTSIDE: &str = "outside of the sparse checkout";

/// An entry of the index as a side of a change; none for what is neither file nor submodule.
pub(super) fn index_blob(entry: &gix::index::Entry) -> Option<Blob> {
    let mode = index_mode(entry.mode)?;
    Some(Blob { mode, source: BlobSource::Object(own_id(&entry.id)), size: None })
}

pub(super) fn index_mode(mode: gix::index::entry::Mode) -> Option<Mode> {
    use gix::index::entry::Mode as IndexMode;
    Some(match mode {
        IndexMode::FILE => Mode::File,
        IndexMode::FILE_EXECUTABLE => Mode::Executable,
        IndexMode::SYMLINK => Mode::Symlink,
        IndexMode::COMMIT => Mode::Submodule,
        _ => return None,
    })
}

fn shared(file: gix::index::File) -> gix::worktree::Index {
    gix::worktree::Index::new(gix::fs::FileSnapshot::new(file))
}

/// The folder a sparse index does not look into that `path` is in, as its entry.
pub(super) fn sparse_folder_of<'a>(index: &'a gix::index::File, path: &[u8]) -> Option<&'a gix::index::Entry> {
    if !index.is_sparse() {
        return None;
    }
    let ends = memchr::memchr_iter(b'/', path);
    ends.filter_map(|slash| index.entry_by_path(BStr::new(&path[..=slash]))).find(|entry| entry.mode.is_sparse())
}
