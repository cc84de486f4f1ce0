//! What a repository is in the middle of: a merge, a rebase, a cherry-pick, and who the two sides of its conflicts are.
//!
//! Read from the files that git keeps in its folder while it waits for somebody (`MERGE_HEAD`, `rebase-merge/` and so
//! on). *Ours* and *theirs* are those of the index: in a rebase, ours is what is rebased onto, and theirs the commit
//! that is put on it, which is why labels say what they are.

use std::fmt;
use std::path::Path;

use super::{GitError, ObjectId, Repo, own_id, readable};

/// What a repository is in the middle of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `git merge` of one or several commits.
    Merge {
        /// The commits that are merged.
        heads: Vec<ObjectId>,
        /// What they were called: `topic`, `origin/main`, or a short id.
        names: Vec<String>,
    },
    /// `git rebase`.
    Rebase {
        /// The branch that is rebased; none if none was checked out.
        branch: Option<String>,
        /// What it is rebased onto.
        onto: Option<ObjectId>,
        /// The name of that, if a branch is there.
        onto_name: Option<String>,
        /// The commit that is being put on it.
        commit: Option<ObjectId>,
        /// The number of the current step, counted from 1, and of all.
        step: Option<(u32, u32)>,
    },
    /// `git am`: applying patches from mails.
    ApplyMails {
        /// The number of the current mail, counted from 1, and of all.
        step: Option<(u32, u32)>,
    },
    /// `git cherry-pick`.
    CherryPick {
        /// The commit that is copied; none between two of them.
        commit: Option<ObjectId>,
        /// How many more are to come.
        left: u32,
    },
    /// `git revert`.
    Revert {
        /// The commit that is undone; none between two of them.
        commit: Option<ObjectId>,
        /// How many more are to come.
        left: u32,
    },
    /// `git bisect`.
    Bisect,
}

/// What the two sides of a conflict are, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideNames {
    /// The side that is merged into.
    pub ours: String,
    /// The side that is merged.
    pub theirs: String,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let step = |f: &mut fmt::Formatter<'_>, step: Option<(u32, u32)>| match step {
            Some((number, of)) => write!(f, ", step {number} of {of}"),
            None => Ok(()),
        };
        let left = |f: &mut fmt::Formatter<'_>, left: u32| match left {
            0 => Ok(()),
            left => write!(f, ", {left} more to come"),
        };
        let commit = |f: &mut fmt::Formatter<'_>, commit: Option<ObjectId>| match commit {
            Some(commit) => write!(f, " {}", commit.short(9)),
            None => Ok(()),
        };
        match self {
            Self::Merge { names, .. } => write!(f, "merging {}", names.join(", ")),
            Self::Rebase { branch, onto, onto_name, step: at, .. } => {
                write!(f, "rebasing {}", branch.as_deref().unwrap_or("a detached HEAD"))?;
                match (onto_name, onto) {
                    (Some(name), _) => write!(f, " onto {name}")?,
                    (None, Some(onto)) => write!(f, " onto {}", onto.short(9))?,
                    (None, None) => {}
                }
                step(f, *at)
            }
            Self::ApplyMails { step: at } => {
                f.write_str("applying mails")?;
                step(f, *at)
            }
            Self::CherryPick { commit: picked, left: more } => {
                f.write_str("cherry-picking")?;
                commit(f, *picked)?;
                left(f, *more)
            }
            Self::Revert { commit: undone, left: more } => {
                f.write_str("reverting")?;
                commit(f, *undone)?;
                left(f, *more)
            }
            Self::Bisect => f.write_str("bisecting"),
        }
    }
}

impl Repo {
    /// What the repository is in the middle of; none if nothing waits for anybody.
    pub fn operation(&self) -> Result<Option<Operation>, GitError> {
        let state = State { repo: self, folder: self.git_dir() };
        let found = match state.rebase()? {
            Some(rebase) => Some(rebase),
            None => match state.merge()? {
                Some(merge) => Some(merge),
                None => state.sequence()?,
            },
        };
        Ok(match found {
            None if state.text("BISECT_LOG")?.is_some() => Some(Operation::Bisect),
            found => found,
        })
    }

    /// What ours and theirs are while `operation` is going on.
    pub fn side_names(&self, operation: Option<&Operation>) -> Result<SideNames, GitError> {
        let branch = self.branch()?;
        let commit = |commit: &Option<ObjectId>, otherwise: &str| -> Result<String, GitError> {
            commit.map_or(Ok(otherwise.to_owned()), |commit| self.described(commit))
        };
        let (ours, theirs) = match operation {
            Some(Operation::Merge { names, .. }) => (branch, names.join(", ")),
            Some(Operation::Rebase { onto, onto_name, commit: picked, .. }) => {
                let onto = match (onto_name, onto) {
                    (Some(name), _) => name.clone(),
                    (None, onto) => commit(onto, "the new base")?,
                };
                (format!("{onto}, with what was rebased so far"), commit(picked, "the commit that is rebased")?)
            }
            Some(Operation::CherryPick { commit: picked, .. }) => {
                (branch, commit(picked, "the commit that is copied")?)
            }
            Some(Operation::Revert { commit: undone, .. }) => {
                (branch, format!("what was before {}", commit(undone, "the commit that is undone")?))
            }
            Some(Operation::ApplyMails { .. }) => (branch, "the mail".to_owned()),
            Some(Operation::Bisect) | None => (branch, "theirs".to_owned()),
        };
        Ok(SideNames { ours, theirs })
    }

    /// A commit by its short name and the first line of its message.
    fn described(&self, commit: ObjectId) -> Result<String, GitError> {
        let repo = self.local();
        let read = || -> gix::Result<String> {
            let commit = repo.find_commit(super::git_id(commit))?;
            Ok(readable(commit.message()?.summary().as_ref()).into_owned())
        };
        let subject = read().map_err(|error| GitError::object(format!("commit {commit}"), &error))?;
        Ok(format!("{} ({subject})", commit.short(9)))
    }

    /// The branch, local or remote, that a commit is the tip of; the first by name, local ones first.
    fn branch_at(&self, commit: ObjectId) -> Option<String> {
        let repo = self.local();
        let platform = repo.references().ok()?;
        let first = |branches: gix::reference::iter::Iter<'_, '_>| {
            let mut branches = branches.filter_map(Result::ok);
            let found = branches.find(|branch| branch.try_id().is_some_and(|id| own_id(&id) == commit))?;
            Some(readable(found.name().shorten()).into_owned())
        };
        platform.local_branches().ok().and_then(first).or_else(|| platform.remote_branches().ok().and_then(first))
    }
}

/// The files git keeps about what it is doing.
struct State<'a> {
    repo: &'a Repo,
    folder: &'a Path,
}

impl State<'_> {
    /// A small file as text, without white space around it; none if there is no such file.
    fn text(&self, name: &str) -> Result<Option<String>, GitError> {
        let path = self.folder.join(name);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).trim().to_owned())),
            Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
                Ok(None)
            }
            Err(source) => Err(GitError::File { path, source }),
        }
    }

    fn id(&self, name: &str) -> Result<Option<ObjectId>, GitError> {
        Ok(self.text(name)?.as_deref().and_then(parse_id))
    }

    fn number(&self, name: &str) -> Result<Option<u32>, GitError> {
        Ok(self.text(name)?.and_then(|text| text.parse().ok()))
    }

    fn step(&self, number: &str, of: &str) -> Result<Option<(u32, u32)>, GitError> {
        Ok(self.number(number)?.zip(self.number(of)?))
    }

    fn rebase(&self) -> Result<Option<Operation>, GitError> {
        let (folder, number, of) = if self.folder.join("rebase-merge").is_dir() {
            ("rebase-merge", "msgnum", "end")
        } else if self.folder.join("rebase-apply").is_dir() {
            ("rebase-apply", "next", "last")
        } else {
            return Ok(None);
        };
        let file = |name: &str| format!("{folder}/{name}");
        let step = self.step(&file(number), &file(of))?;
        if self.text(&file("applying"))?.is_some() {
            return Ok(Some(Operation::ApplyMails { step }));
        }
        let branch = self.text(&file("head-name"))?.filter(|name| name != "detached HEAD");
        let branch = branch.map(|name| name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned());
        let onto = self.id(&file("onto"))?;
        let commit = match self.id("REBASE_HEAD")? {
            Some(commit) => Some(commit),
            None => self.id(&file("stopped-sha"))?,
        };
        let onto_name = onto.and_then(|onto| self.repo.branch_at(onto));
        Ok(Some(Operation::Rebase { branch, onto, onto_name, commit, step }))
    }

    fn merge(&self) -> Result<Option<Operation>, GitError> {
        let Some(text) = self.text("MERGE_HEAD")? else { return Ok(None) };
        let heads: Vec<ObjectId> = text.lines().filter_map(parse_id).collect();
        let message = self.text("MERGE_MSG")?.unwrap_or_default();
        let mut names = merged_names(message.lines().next().unwrap_or_default());
        if names.len() != heads.len() {
            let name = |head: &ObjectId| self.repo.branch_at(*head).unwrap_or_else(|| head.short(9));
            names = heads.iter().map(name).collect();
        }
        Ok(Some(Operation::Merge { heads, names }))
    }

    /// A cherry-pick or revert, of one commit or several.
    fn sequence(&self) -> Result<Option<Operation>, GitError> {
        let todo = self.text("sequencer/todo")?;
        let steps = |word: &str| {
            let lines = todo.as_deref().unwrap_or_default().lines();
            lines.filter(|line| line.split(' ').next() == Some(word)).count() as u32
        };
        if let Some(commit) = self.id("CHERRY_PICK_HEAD")? {
            // The one that stopped is the first of those to do.
            let left = steps("pick").saturating_sub(1);
            return Ok(Some(Operation::CherryPick { commit: Some(commit), left }));
        }
        if let Some(commit) = self.id("REVERT_HEAD")? {
            return Ok(Some(Operation::Revert { commit: Some(commit), left: steps("revert").saturating_sub(1) }));
        }
        Ok(match (steps("pick"), steps("revert")) {
            (0, 0) => None,
            (picks, 0) => Some(Operation::CherryPick { commit: None, left: picks }),
            (_, reverts) => Some(Operation::Revert { commit: None, left: reverts }),
        })
    }
}

fn parse_id(text: &str) -> Option<ObjectId> {
    let id = gix::ObjectId::from_hex(text.trim().as_bytes()).ok()?;
    (id.as_bytes().len() == 20).then(|| own_id(&id))
}

/// The names in git's own first line of a merge message: `Merge branch 'a' into b`, `Merge branches 'a' and 'b'`,
/// `Merge remote-tracking branch 'origin/a'`, `Merge commit 'abc'`.
fn merged_names(line: &str) -> Vec<String> {
    if !line.starts_with("Merge ") {
        return Vec::new();
    }
    // Behind `of` is where from, behind `into` where to.
    let line = line.split(" into ").next().unwrap_or(line).split(" of ").next().unwrap_or(line);
    line.split('\'').skip(1).step_by(2).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merge_messages_tell_the_names() {
        let names = |line: &str| merged_names(line).join("+");
        assert_eq!(names("Merge branch 'topic'"), "topic");
        assert_eq!(names("Merge branch 'topic' into main"), "topic");
        assert_eq!(names("Merge branches 'a' and 'b/c' into main"), "a+b/c");
        assert_eq!(names("Merge remote-tracking branch 'origin/topic'"), "origin/topic");
        assert_eq!(names("Merge branch 'a' of host:it's/path"), "a");
        assert_eq!(names("What I did 'today'"), "");
    }
}
