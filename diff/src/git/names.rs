//! What a repository has names for: branches, tags, commits, stashes, worktrees. Lists to pick from, for workers.
//!
//! What cannot be read of a list is left out of it: one broken reference hides no other.

use std::path::PathBuf;

use editor::Cancel;
use gix::bstr::ByteSlice;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;

use super::{GitError, Head, ObjectId, Repo, own_id, readable, short_name};

/// Names that a branch is usually made from, the likeliest first.
const BASES: [&str; 6] = ["origin/main", "origin/master", "main", "master", "develop", "trunk"];

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// A branch of this repository.
    Branch,
    /// The branch that HEAD is on.
    Head,
    /// A branch as it was in another repository when that was last asked.
    Remote,
    Tag,
    Commit,
    Stash,
}

/// A commit with a name to compare it by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub kind: NameKind,
    /// A revision; what people call it.
    pub name: String,
    pub commit: ObjectId,
    /// First line of the message; of a stash what it was called.
    pub subject: String,
    pub author: String,
    /// When it was committed, in seconds since 1970.
    pub when: i64,
}

/// A working tree of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worktree {
    pub root: PathBuf,
    /// Its branch, or where it is at.
    pub head: String,
    /// Whether it is the one that is open.
    pub is_this: bool,
}

impl Repo {
    /// The branches: that of HEAD first, then local ones, then those of other repositories, each the newest first.
    pub fn branches(&self, cancel: &Cancel) -> Result<Vec<Named>, GitError> {
        let head = match self.head()? {
            Head::Branch(name) => Some(name),
            Head::Unborn(_) | Head::Detached(_) => None,
        };
        let mut branches = self.references("refs/heads/", NameKind::Branch, cancel)?;
        branches.extend(self.references("refs/remotes/", NameKind::Remote, cancel)?);
        // What a remote calls its HEAD is another name for one of its branches.
        branches.retain(|branch| branch.kind != NameKind::Remote || !branch.name.ends_with("/HEAD"));
        for branch in branches.iter_mut().filter(|branch| branch.kind == NameKind::Branch) {
            if Some(&branch.name) == head.as_ref() {
                branch.kind = NameKind::Head;
            }
        }
        let rank = |branch: &Named| match branch.kind {
            NameKind::Head => 0,
            NameKind::Branch => 1,
            _ => 2,
        };
        branches.sort_by_key(|branch| (rank(branch), std::cmp::Reverse(branch.when)));
        Ok(branches)
    }

    /// The tags, the newest commit first.
    pub fn tags(&self, cancel: &Cancel) -> Result<Vec<Named>, GitError> {
        let mut tags = self.references("refs/tags/", NameKind::Tag, cancel)?;
        tags.sort_by_key(|tag| std::cmp::Reverse(tag.when));
        Ok(tags)
    }

    /// The latest commits of HEAD, newest first.
    pub fn commits(&self, limit: usize, cancel: &Cancel) -> Result<Vec<Named>, GitError> {
        let mut local = self.local();
        local.object_cache_size_if_unset(4 << 20);
        let Ok(head) = local.head_id() else { return Ok(Vec::new()) };
        let failed = |error: gix::Error| GitError::object("the history", &error);
        let walk = local.rev_walk([head.detach()]).sorting(Sorting::ByCommitTime(CommitTimeOrder::NewestFirst));
        let mut commits = Vec::new();
        for commit in walk.all().map_err(failed)?.take(limit) {
            if cancel.is_cancelled() {
                return Err(GitError::Cancelled);
            }
            let commit = commit.and_then(|commit| commit.object()).map_err(failed)?;
            let name = own_id(&commit.id).short(10);
            commits.extend(named(&commit, NameKind::Commit, name));
        }
        Ok(commits)
    }

    /// The stashes, newest first. Each is named by its commit: the numbers change with every stash that comes or goes.
    pub fn stashes(&self, cancel: &Cancel) -> Result<Vec<Named>, GitError> {
        let local = self.local();
        let failed = |error: &dyn std::fmt::Display| GitError::object("the stashes", error);
        let Some(stash) = local.try_find_reference("refs/stash").map_err(|error| failed(&error))? else {
            return Ok(Vec::new());
        };
        let mut log = stash.log_iter();
        let Some(lines) = log.rev().map_err(|error| failed(&error))? else { return Ok(Vec::new()) };
        let mut stashes = Vec::new();
        for line in lines.filter_map(Result::ok) {
            if cancel.is_cancelled() {
                return Err(GitError::Cancelled);
            }
            let Ok(commit) = local.find_commit(line.new_oid) else { continue };
            let name = own_id(&commit.id).short(10);
            let subject = line.message.to_str_lossy().into_owned();
            stashes.extend(named(&commit, NameKind::Stash, name).map(|stash| Named { subject, ..stash }));
        }
        Ok(stashes)
    }

    /// All working trees of the repository that are there, the main one first.
    pub fn worktrees(&self) -> Result<Vec<Worktree>, GitError> {
        let local = self.local();
        let failed = |error: gix::Error| GitError::object("the worktrees", &error);
        let here = self.root().and_then(|root| root.canonicalize().ok());
        let mut trees = Vec::new();
        for repo in local.worktrees_including_main().map_err(failed)?.filter_map(Result::ok) {
            let repo = Self::of(repo.into_sync());
            let Some(root) = repo.root().and_then(|root| root.canonicalize().ok()) else { continue };
            let head = repo.head()?.to_string();
            let is_this = Some(&root) == here.as_ref();
            if !trees.iter().any(|tree: &Worktree| tree.root == root) {
                trees.push(Worktree { root, head, is_this });
            }
        }
        Ok(trees)
    }

    /// What a branch was most likely made from: the default branch of its remote, or what is usually called so.
    pub fn likely_base(&self, branch: &str) -> Option<String> {
        let local = self.local();
        let head = local.try_find_reference("refs/remotes/origin/HEAD").ok().flatten();
        let default = head.and_then(|head| Some(short_name(head.target().try_name()?.shorten())));
        let names = default.into_iter().chain(BASES.map(str::to_owned));
        names.into_iter().find(|name| name != branch && self.is_revision(name))
    }

    fn references(&self, prefix: &str, kind: NameKind, cancel: &Cancel) -> Result<Vec<Named>, GitError> {
        let local = self.local();
        let failed = |error: gix::Error| GitError::object("the references", &error);
        let references = local.references().map_err(failed)?;
        let prefixed = match kind {
            NameKind::Tag => references.tags(),
            NameKind::Remote => references.remote_branches(),
            _ => references.local_branches(),
        };
        let mut found = Vec::new();
        for mut reference in prefixed.map_err(failed)?.filter_map(Result::ok) {
            if cancel.is_cancelled() {
                return Err(GitError::Cancelled);
            }
            let name = readable(reference.name().as_bstr()).into_owned();
            let Ok(commit) = reference.peel_to_commit() else { continue }; // a tag may name anything
            found.extend(named(&commit, kind, name.strip_prefix(prefix).unwrap_or(&name).to_owned()));
        }
        Ok(found)
    }
}

fn named(commit: &gix::Commit<'_>, kind: NameKind, name: String) -> Option<Named> {
    let decoded = commit.decode().ok()?;
    let subject = decoded.message.lines().next().unwrap_or_default().to_str_lossy().into_owned();
    let author = commit.author().ok()?.name.to_str_lossy().into_owned();
    let when = commit.time().ok()?.seconds;
    Some(Named { kind, name, commit: own_id(&commit.id), subject, author, when })
}
