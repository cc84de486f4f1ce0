//! Old sides that are kept in memory: what of them was accepted, or all of them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use editor::Cancel;

use super::file_blob;
use crate::checkpoint::{Checkpoint, Kept};
use crate::git::{Blob, BlobSource, FileChange, GitError, Mode, RepoPath};

/// Puts what is kept in the place of the old sides of `changes`. Where `root` is the folder of the new sides, what is kept
/// of files that are not listed is compared as well: they may be what they were before something was accepted.
pub(super) fn with_kept(
    changes: Vec<FileChange>,
    checkpoint: &Checkpoint,
    root: Option<&Path>,
) -> Result<Vec<FileChange>, GitError> {
    if checkpoint.is_empty() {
        return Ok(changes);
    }
    let listed: BTreeSet<RepoPath> = changes.iter().map(|change| change.path.clone()).collect();
    let mut found = Vec::with_capacity(changes.len());
    for change in changes {
        let Some(kept) = checkpoint.get(&change.path) else {
            found.push(change);
            continue;
        };
        let (old_path, path) = (change.old_path, change.path);
        if let Some(change) = compared(&path, kept, change.new)? {
            let old_path = old_path.filter(|_| change.old.is_some());
            found.push(FileChange { old_path, ..change });
        }
    }
    if let Some(root) = root {
        for (path, kept) in checkpoint.iter().filter(|(path, _)| !listed.contains(*path)) {
            found.extend(against_disk(root, path, kept)?);
        }
    }
    found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// What differs between a checkpoint and the files below `root` that it keeps.
pub(super) fn since(root: &Path, checkpoint: &Checkpoint, cancel: &Cancel) -> Result<Vec<FileChange>, GitError> {
    let mut found = Vec::new();
    for (path, kept) in checkpoint.iter() {
        if cancel.is_cancelled() {
            return Err(GitError::Cancelled);
        }
        found.extend(against_disk(root, path, kept)?);
    }
    Ok(found)
}

/// What differs between two checkpoints in the files that the earlier one keeps.
pub(super) fn between(kept: &Checkpoint, made: &Checkpoint) -> Vec<FileChange> {
    let differ = kept.iter().filter_map(|(path, old)| {
        let new = made.get(path).filter(|new| *new != old)?;
        Some(FileChange::at(path.clone(), old.blob(), new.blob()))
    });
    differ.collect()
}

fn against_disk(root: &Path, path: &RepoPath, kept: &Kept) -> Result<Option<FileChange>, GitError> {
    let full = root.join(path.to_path());
    let new = match std::fs::symlink_metadata(&full) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Ok(found) if found.is_symlink() => {
            Some(Blob { mode: Mode::Symlink, source: BlobSource::File(Arc::from(full)), size: None })
        }
        Ok(_) => file_blob(&full)?,
        Err(source) => return Err(GitError::File { path: full, source }),
    };
    compared(path, kept, new)
}

/// The change between what is kept and a file; none if they are the same.
fn compared(path: &RepoPath, kept: &Kept, new: Option<Blob>) -> Result<Option<FileChange>, GitError> {
    let old = kept.blob();
    if old.is_none() && new.is_none() {
        return Ok(None);
    }
    if let (Kept::File { mode, bytes }, Some(Blob { mode: now, source: BlobSource::File(full), size })) = (kept, &new)
        && mode == now
        && now.is_file()
        && size.is_none_or(|size| size == bytes.len() as u64)
    {
        let on_disk = std::fs::read(full).map_err(|source| GitError::File { path: full.to_path_buf(), source })?;
        if on_disk == **bytes {
            return Ok(None);
        }
    }
    Ok(Some(FileChange::at(path.clone(), old, new)))
}
