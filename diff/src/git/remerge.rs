//! A merge done again: what it would have been without anybody's hand, against what was committed.
//!
//! Both parents' changes since their merge base are put together file by file, as `git merge` does: contents with
//! [`Merge`](crate::merge::Merge), markers where they conflict, renames followed. Several merge bases are merged first,
//! to one that is in no commit. Only what differs between the merge and the commit is listed: how conflicts were resolved,
//! and what was slipped in.
//!
//! Nothing is written: contents that exist nowhere are kept in memory. What git's merge knows and this does not: folders
//! that were renamed, programs as merge drivers, submodules that one side has moved ahead of the other, and paths that are
//! a file here and a folder there.

mod redo;

use editor::Cancel;
use rustc_hash::FxHashMap;

use super::pathspec::Pathspecs;
use super::reader::Form;
use super::{
    Blob, BlobSource, ConflictKind, FileChange, GitError, ObjectId, Repo, RepoPath, blob_id, delta, find_commit,
    readable, rename, tree_of,
};
use crate::engine::Engine;
use crate::merge::Labels;
use redo::Redo;

/// What a merge done again gives.
#[derive(Clone, Debug, Default)]
pub struct Remerge {
    /// From what would have been to what was committed, in order of paths.
    pub changes: Vec<FileChange>,
    /// The paths that conflicted, and how.
    pub conflicts: Vec<(RepoPath, ConflictKind)>,
}

impl Repo {
    /// Does a merge of two parents again, and compares with what was committed.
    ///
    /// Pathspecs are those of [`Repo::changes`]. Reads the contents that both sides changed.
    pub fn remerge(&self, commit: &str, pathspecs: &[String], cancel: &Cancel) -> Result<Remerge, GitError> {
        let repo = self.local();
        let merge = find_commit(&repo, commit)?;
        let parents: Vec<_> = merge.parent_ids().map(gix::Id::detach).collect();
        let &[ours, theirs] = &parents[..] else {
            return Err(GitError::NotAMerge { name: commit.to_owned(), parents: parents.len() });
        };
        let again = Again { owner: self, repo: &repo, cancel };
        let names = [describe(&repo, ours)?, describe(&repo, theirs)?];
        let (merged, conflicts) = again.merge(&again.commit(ours)?, &again.commit(theirs)?, names, 0)?;
        let mut found = Remerge { changes: again.changes(&merged, &again.commit(merge.id)?.tree, false)?, conflicts };
        let mut specs = Pathspecs::parse(&repo, pathspecs)?;
        found.changes.retain(|change| specs.matches(change.path.as_bytes()));
        found.conflicts.retain(|(path, _)| specs.matches(path.as_bytes()));
        rename::exact(&mut found.changes);
        found.changes.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        found.conflicts.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(found)
    }
}

/// A commit as git's markers name it: short id and first line of the message.
fn describe(repo: &gix::Repository, commit: gix::ObjectId) -> Result<String, GitError> {
    let read = || -> gix::Result<String> {
        Ok(readable(repo.find_commit(commit)?.message()?.summary().as_ref()).into_owned())
    };
    let subject = read().map_err(|error| GitError::object(format!("commit {commit}"), &error))?;
    Ok(format!("{} ({subject})", short_id(repo, commit)))
}

fn short_id(repo: &gix::Repository, id: gix::ObjectId) -> String {
    gix::prelude::ObjectIdExt::attach(id, repo).shorten_or_id().to_string()
}

/// What a path is in the tree that a merge starts from, and in the merge.
struct Merged {
    base: Option<Blob>,
    auto: Option<Blob>,
}

/// A tree, and what is other in it than in the one that is stored.
#[derive(Default)]
struct Tree {
    stored: Option<gix::ObjectId>,
    /// By path; the base is what is stored.
    over: FxHashMap<RepoPath, Merged>,
}

/// A commit, or a merge of merge bases that is in no commit.
struct Node {
    /// The commit, or those that were merged.
    commits: Vec<gix::ObjectId>,
    tree: Tree,
}

type Conflicts = Vec<(RepoPath, ConflictKind)>;

/// Merging in a repository.
struct Again<'a> {
    owner: &'a Repo,
    repo: &'a gix::Repository,
    cancel: &'a Cancel,
}

impl Again<'_> {
    fn commit(&self, id: gix::ObjectId) -> Result<Node, GitError> {
        let tree = Tree { stored: Some(tree_of(self.repo, id)?), ..Tree::default() };
        Ok(Node { commits: vec![id], tree })
    }

    /// Merges two commits.
    fn merge(
        &self,
        ours: &Node,
        theirs: &Node,
        [our_name, their_name]: [String; 2],
        depth: usize,
    ) -> Result<(Tree, Conflicts), GitError> {
        let (base, base_name) = self.base(ours, theirs, depth)?;
        let redo = Redo {
            reader: self.owner.reader().with_form(Form::Stored).forcing_text(true),
            engine: Engine::new(),
            style: self.owner.conflict_style(),
            labels: Labels { ours: our_name, base: base_name, theirs: their_name },
            depth,
            files: FxHashMap::default(),
            conflicts: Vec::new(),
        };
        let (our_changes, their_changes) =
            (self.changes(&base, &ours.tree, true)?, self.changes(&base, &theirs.tree, true)?);
        let done = redo.run(our_changes, their_changes, self.cancel)?;
        let mut tree = base;
        for (path, Merged { base, auto }) in done.files {
            let stored = tree.over.remove(&path).map_or(base, |known| known.base);
            tree.over.insert(path, Merged { base: stored, auto });
        }
        Ok((tree, done.conflicts))
    }

    /// What two commits started from, and what markers call it. Several are merged one after the other.
    fn base(&self, ours: &Node, theirs: &Node, depth: usize) -> Result<(Tree, String), GitError> {
        let (one, others) = if ours.commits.len() == 1 { (ours, theirs) } else { (theirs, ours) };
        let bases = self.repo.merge_bases_many(one.commits[0], &others.commits);
        let bases = bases.map_err(|error| GitError::object("the history", &error))?;
        let mut bases: Vec<_> = bases.into_iter().map(gix::Id::detach).collect();
        let time = |id: &gix::ObjectId| self.repo.find_commit(*id).ok().and_then(|commit| commit.time().ok());
        // As git takes them: the newest first, but the oldest first where it merges bases of bases.
        bases.sort_by_key(|id| std::cmp::Reverse(time(id).map(|time| time.seconds)));
        if depth > 0 {
            bases.reverse();
        }
        let name = match &bases[..] {
            [] => "empty tree".to_owned(),
            [base] => short_id(self.repo, *base),
            _ => "merged common ancestors".to_owned(),
        };
        let mut bases = bases.into_iter();
        let Some(first) = bases.next() else { return Ok((Tree::default(), name)) };
        let mut node = self.commit(first)?;
        for next in bases {
            let names = ["Temporary merge branch 1", "Temporary merge branch 2"].map(str::to_owned);
            let (tree, _) = self.merge(&node, &self.commit(next)?, names, depth + 1)?;
            node.tree = tree;
            node.commits.push(next);
        }
        Ok((node.tree, name))
    }

    /// What differs between two trees, in no particular order.
    fn changes(&self, from: &Tree, to: &Tree, renames: bool) -> Result<Vec<FileChange>, GitError> {
        let mut everything = Pathspecs::parse(self.repo, &[])?;
        let mut stored = delta::changes(self.repo, from.stored, to.stored, &mut everything, self.cancel)?;
        let mut changes = Vec::with_capacity(stored.len());
        stored.retain(|change| {
            !from.over.contains_key(&change.path) && !to.over.contains_key(&change.path) || {
                changes.push(change.clone());
                false
            }
        });
        let touched: FxHashMap<RepoPath, FileChange> =
            changes.drain(..).map(|change| (change.path.clone(), change)).collect();
        for path in from.over.keys().chain(to.over.keys().filter(|path| !from.over.contains_key(*path))) {
            let (before, after) = (from.over.get(path), to.over.get(path));
            let between = touched.get(path);
            // Where the stored trees do not differ, what is known of one holds for the other.
            let old = match (before, between, after) {
                (Some(over), ..) => &over.auto,
                (None, Some(change), _) => &change.old,
                (None, None, over) => over.map_or(&None, |over| &over.base),
            };
            let new = match (after, between, before) {
                (Some(over), ..) => &over.auto,
                (None, Some(change), _) => &change.new,
                (None, None, over) => over.map_or(&None, |over| &over.base),
            };
            if !is_same(old.as_ref(), new.as_ref())? {
                changes.push(FileChange::at(path.clone(), old.clone(), new.clone()));
            }
        }
        changes.append(&mut stored);
        if renames {
            changes.sort_unstable_by(|a, b| a.path.cmp(&b.path));
            rename::exact(&mut changes);
            rename::similar(&mut changes, &|| self.owner.reader(), self.cancel)?;
        }
        Ok(changes)
    }
}

fn is_same(a: Option<&Blob>, b: Option<&Blob>) -> Result<bool, GitError> {
    Ok(match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => a.mode == b.mode && id_of(a)? == id_of(b)?,
        _ => false,
    })
}

fn id_of(blob: &Blob) -> Result<Option<ObjectId>, GitError> {
    match &blob.source {
        BlobSource::Memory(bytes) => blob_id(bytes).map(Some),
        _ => Ok(blob.id()),
    }
}
