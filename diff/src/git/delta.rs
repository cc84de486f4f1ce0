//! What differs between two trees.
//!
//! Equal subtrees have equal names and are never opened, so the cost follows the change and not the repository.

use std::collections::VecDeque;

use editor::Cancel;
use gix::{
    bstr::{BStr, BString, ByteVec},
    diff::tree::{Visit, visit},
    objs::TreeRefIter,
};

use super::{Blob, BlobSource, FileChange, GitError, Mode, RepoPath, own_id, own_mode, pathspec::Pathspecs};

/// Lists the files that differ between two trees, in no particular order; a missing tree is an empty one.
pub(super) fn changes(
    repo: &gix::Repository,
    old: Option<gix::ObjectId>,
    new: Option<gix::ObjectId>,
    specs: &mut Pathspecs,
    cancel: &Cancel,
) -> Result<Vec<FileChange>, GitError> {
    let (old, new) = (tree_data(repo, old)?, tree_data(repo, new)?);
    let hash = repo.object_hash();
    let mut collect =
        Collect { path: BString::default(), folders: VecDeque::new(), changes: Vec::new(), specs, cancel };
    let walked = gix::diff::tree(
        TreeRefIter::from_bytes(&old, hash),
        TreeRefIter::from_bytes(&new, hash),
        gix::diff::tree::State::default(),
        &repo.objects,
        &mut collect,
    );
    if cancel.is_cancelled() {
        return Err(GitError::Cancelled);
    }
    let changes = collect.changes;
    walked.map_err(|error| GitError::object("a tree", &error))?;
    Ok(changes)
}

fn tree_data(repo: &gix::Repository, id: Option<gix::ObjectId>) -> Result<Vec<u8>, GitError> {
    let Some(id) = id else { return Ok(Vec::new()) };
    let tree = repo.find_tree(id).map_err(|error| GitError::object(format!("tree {id}"), &error))?;
    Ok(tree.detach().data)
}

/// Builds [`FileChange`]s while the trees are walked; the path is kept as the walk tells it, breadth first.
struct Collect<'a> {
    path: BString,
    folders: VecDeque<BString>,
    changes: Vec<FileChange>,
    specs: &'a mut Pathspecs,
    cancel: &'a Cancel,
}

impl Collect<'_> {
    fn push(&mut self, name: &BStr) {
        if name.is_empty() {
            return;
        }
        if !self.path.is_empty() {
            self.path.push(b'/');
        }
        self.path.push_str(name);
    }

    fn add(&mut self, old: Option<Blob>, new: Option<Blob>) {
        if (old.is_some() || new.is_some()) && self.specs.matches(&self.path) {
            self.changes.push(FileChange::at(RepoPath::new(&self.path), old, new));
        }
    }
}

impl Visit for Collect<'_> {
    fn pop_front_tracked_path_and_set_current(&mut self) {
        self.path = self.folders.pop_front().unwrap_or_default();
    }

    fn push_back_tracked_path_component(&mut self, component: &BStr) {
        self.push(component);
        self.folders.push_back(self.path.clone());
    }

    fn push_path_component(&mut self, component: &BStr) {
        self.push(component);
    }

    fn pop_path_component(&mut self) {
        let end = memchr::memrchr(b'/', &self.path).unwrap_or(0);
        self.path.truncate(end);
    }

    fn visit(&mut self, change: visit::Change) -> visit::Action {
        match change {
            visit::Change::Addition { entry_mode, oid, .. } => self.add(None, blob(entry_mode, &oid)),
            visit::Change::Deletion { entry_mode, oid, .. } => self.add(blob(entry_mode, &oid), None),
            visit::Change::Modification { previous_entry_mode, previous_oid, entry_mode, oid } => {
                let (old, new) = (blob(previous_entry_mode, &previous_oid), blob(entry_mode, &oid));
                // Modes of old trees that mean the same, 100664 and 100644, are no change.
                if old != new {
                    self.add(old, new);
                }
            }
        }
        if self.cancel.is_cancelled() { visit::Action::Break(()) } else { visit::Action::Continue(()) }
    }
}

/// A blob or submodule as a tree names it; none for a folder.
pub(super) fn blob(mode: gix::objs::tree::EntryMode, id: &gix::oid) -> Option<Blob> {
    let mode: Mode = own_mode(mode)?;
    Some(Blob { mode, source: BlobSource::Object(own_id(id)), size: None })
}
