//! Two working trees of one repository, file by file as they lie on disk.
//!
//! Both are compared with the commit that the other one is at; what neither changed is not looked at. What the two lists
//! say of a path makes its two sides.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use editor::Cancel;

use super::{Blob, BlobSource, FileChange, GitError, Repo, RepoPath, Side, head_tree, pathspec::Pathspecs, status};

/// What is known of a path: what the commit has, and the changes of the two trees where they differ from that.
#[derive(Default)]
struct Sides {
    commit: Option<Blob>,
    old: Option<FileChange>,
    new: Option<FileChange>,
}

/// Lists what differs between the files of `other`, which are the old side, and those of `repo`.
pub(super) fn changes(
    repo: &Repo,
    other: &Path,
    pathspecs: &[String],
    cancel: &Cancel,
) -> Result<Vec<FileChange>, GitError> {
    let theirs = Repo::discover(other)?;
    let tree = head_tree(&theirs.local())?;
    let list = |of: &Repo| {
        let mut specs = Pathspecs::parse(&of.local(), pathspecs)?;
        status::working_tree(of, tree, &mut specs, cancel)
    };
    let mut paths: BTreeMap<RepoPath, Sides> = BTreeMap::new();
    for change in list(&theirs)? {
        let sides = paths.entry(change.path.clone()).or_default();
        (sides.commit, sides.old) = (change.old.clone(), Some(change));
    }
    for change in list(repo)? {
        let sides = paths.entry(change.path.clone()).or_default();
        (sides.commit, sides.new) = (change.old.clone(), Some(change));
    }
    let (mut old_reader, mut new_reader) = (theirs.reader(), repo.reader());
    let mut found = Vec::new();
    for (path, Sides { commit, old, new }) in paths {
        if cancel.is_cancelled() {
            return Err(GitError::Cancelled);
        }
        let side = |change: Option<FileChange>| change.map_or_else(|| commit.clone(), |change| change.new);
        let (old, new) = (side(old), side(new));
        if let (Some(old), Some(new)) = (&old, &new)
            && old.mode == new.mode
        {
            let alone = |blob: &Blob| FileChange::at(path.clone(), None, Some(blob.clone()));
            let id = old_reader.hash(&alone(old), Side::New)?;
            if id.is_some() && id == new_reader.hash(&alone(new), Side::New)? {
                continue;
            }
        }
        if old.is_some() || new.is_some() {
            let old = old.map(|blob| elsewhere(&theirs, &path, blob));
            found.push(FileChange::at(path, old, new));
        }
    }
    Ok(found)
}

/// A file of another working tree, by its whole path: a reader looks for others in its own.
fn elsewhere(of: &Repo, path: &RepoPath, blob: Blob) -> Blob {
    let source = match (&blob.source, of.worktree_path(path)) {
        (BlobSource::WorkTree(_), Some(full)) => BlobSource::File(Arc::from(full)),
        (other, _) => other.clone(),
    };
    Blob { source, ..blob }
}
