//! The index: what would be committed, read as it is now.
//!
//! A read index is kept and handed out again for as long as its file is the same one. Git never writes an index in place,
//! so a file of the same device, inode, times and size holds the same entries, even where it was written twice within a
//! tick of the clock.

use std::sync::{Mutex, PoisonError};

use editor::file::fs::{Fs, Metadata, RealFs};
use gix::bstr::BStr;

use super::{GitError, Repo};

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
