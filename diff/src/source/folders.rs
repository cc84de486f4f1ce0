//! Two folders, compared file by file: what is in one, in the other, or in both with another content.
//!
//! Links to files are followed, as the temporary folders of `git difftool --dir-diff` need; links to folders are compared
//! as links, so that no walk runs in circles. A folder named `.git` is not looked into.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};

use editor::Cancel;

use crate::git::{Blob, BlobSource, FileChange, GitError, Mode, RepoPath};

/// Lists the files that differ between two folders, in order of paths.
pub(super) fn changes(old: &Path, new: &Path, cancel: &Cancel) -> Result<Vec<FileChange>, GitError> {
    let (mut olds, news) = (files_below(old, cancel)?, files_below(new, cancel)?);
    let mut changes = Vec::new();
    for (path, new) in news {
        if cancel.is_cancelled() {
            return Err(GitError::Cancelled);
        }
        let old = olds.remove(&path);
        match &old {
            Some(old) if old.mode == new.mode && same_content(old, &new)? => {}
            _ => changes.push(FileChange::at(path, old, Some(new))),
        }
    }
    changes.extend(olds.into_iter().map(|(path, old)| FileChange::at(path, Some(old), None)));
    changes.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(changes)
}

fn files_below(root: &Path, cancel: &Cancel) -> Result<BTreeMap<RepoPath, Blob>, GitError> {
    let mut files = BTreeMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        if cancel.is_cancelled() {
            return Err(GitError::Cancelled);
        }
        let full = root.join(&folder);
        let failed = |source| GitError::File { path: full.clone(), source };
        for entry in fs::read_dir(&full).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let relative = folder.join(entry.file_name());
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() {
                if entry.file_name() != ".git" {
                    folders.push(relative);
                }
            } else if let Some(blob) = blob(&entry.path(), kind.is_symlink()) {
                files.insert(RepoPath::from_path(&relative), blob);
            }
        }
    }
    Ok(files)
}

/// What a path holds; none for sockets, devices and the like.
fn blob(path: &Path, is_link: bool) -> Option<Blob> {
    let source = BlobSource::File(Arc::from(path));
    match fs::metadata(path) {
        Ok(found) if found.is_file() => {
            let mode = if super::is_executable(&found) { Mode::Executable } else { Mode::File };
            Some(Blob { mode, source, size: Some(found.len()) })
        }
        _ if is_link => Some(Blob { mode: Mode::Symlink, source, size: None }),
        _ => None,
    }
}

fn same_content(old: &Blob, new: &Blob) -> Result<bool, GitError> {
    let (BlobSource::File(old_path), BlobSource::File(new_path)) = (&old.source, &new.source) else { return Ok(false) };
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| GitError::File { path, source }
    };
    if new.mode == Mode::Symlink {
        let (a, b) =
            (fs::read_link(old_path).map_err(failed(old_path))?, fs::read_link(new_path).map_err(failed(new_path))?);
        return Ok(a == b);
    }
    if old.size != new.size {
        return Ok(false);
    }
    let (mut a, mut b) =
        (File::open(old_path).map_err(failed(old_path))?, File::open(new_path).map_err(failed(new_path))?);
    let (mut piece_a, mut piece_b) = (vec![0; 64 << 10], vec![0; 64 << 10]);
    loop {
        let read_a = read_full(&mut a, &mut piece_a).map_err(failed(old_path))?;
        let read_b = read_full(&mut b, &mut piece_b).map_err(failed(new_path))?;
        if piece_a[..read_a] != piece_b[..read_b] {
            return Ok(false);
        }
        if read_a == 0 {
            return Ok(true);
        }
    }
}

/// Fills `piece` unless the file ends before.
fn read_full(file: &mut File, piece: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < piece.len() {
        match file.read(&mut piece[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
