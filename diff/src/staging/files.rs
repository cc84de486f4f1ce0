//! Which changed files are staged: wholly, in part, not at all.
//!
//! Two listings tell, as git's own two columns of a status do: what differs between HEAD and the index is staged, what
//! differs between the index and the disk is not. No content is looked at that a listing does not look at.

use editor::Cancel;
use rustc_hash::FxHashMap;

use super::HunkStage;
use crate::git::{FileChange, GitError, Repo, RepoPath, Status};
use crate::source::Source;

/// Where a changed file stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileStage {
    /// All that changed would be committed.
    Staged,
    /// Nothing of it would.
    Unstaged,
    /// Some of it would.
    Partly,
    /// A merge left it in conflict: it is resolved first.
    Conflict,
}

impl FileStage {
    /// Where all lines of the file stand, if they stand alike.
    pub fn of_all_lines(self) -> Option<HunkStage> {
        match self {
            Self::Staged => Some(HunkStage::Staged),
            Self::Unstaged => Some(HunkStage::Unstaged),
            Self::Partly | Self::Conflict => None,
        }
    }
}

/// Where the files of a working tree stand that differ from HEAD, or from the index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileStages {
    files: FxHashMap<RepoPath, FileStage>,
    staged: usize,
}

impl FileStages {
    /// Lists what is staged and what is not. For a worker.
    pub fn list(repo: &Repo, cancel: &Cancel) -> Result<Self, GitError> {
        let staged = repo.changes(&Source::Staged, &[], cancel)?;
        let unstaged = repo.changes(&Source::Unstaged, &[], cancel)?;
        Ok(Self::of(&staged, &unstaged))
    }

    fn of(staged: &[FileChange], unstaged: &[FileChange]) -> Self {
        let mut files = FxHashMap::default();
        let mut add = |change: &FileChange, stage| {
            let stage = if change.status == Status::Unmerged { FileStage::Conflict } else { stage };
            // A file that moved is two paths to git, and one change to who stages it.
            for path in paths(change) {
                let there = files.entry(path.clone()).or_insert(stage);
                if *there != stage && *there != FileStage::Conflict {
                    *there = if stage == FileStage::Conflict { stage } else { FileStage::Partly };
                }
            }
        };
        for change in staged {
            add(change, FileStage::Staged);
        }
        for change in unstaged {
            add(change, FileStage::Unstaged);
        }
        let count = staged.iter().filter(|change| change.status != Status::Unmerged).count();
        Self { files, staged: count }
    }

    /// Where a changed file stands; none if it is the same in HEAD, index and on disk.
    pub fn of_file(&self, change: &FileChange) -> Option<FileStage> {
        let mut stages = paths(change).filter_map(|path| self.files.get(path).copied());
        let first = stages.next()?;
        Some(stages.fold(first, |all, stage| match (all, stage) {
            (FileStage::Conflict, _) | (_, FileStage::Conflict) => FileStage::Conflict,
            (all, stage) if all == stage => all,
            _ => FileStage::Partly,
        }))
    }

    /// How many files have something staged: what a commit would hold.
    pub fn staged(&self) -> usize {
        self.staged
    }

    /// Whether a merge left files in conflict.
    pub fn has_conflicts(&self) -> bool {
        self.files.values().any(|stage| *stage == FileStage::Conflict)
    }
}

/// The paths that a change is about.
fn paths(change: &FileChange) -> impl Iterator<Item = &RepoPath> {
    let left = change.old_path.as_ref().filter(|_| change.status == Status::Renamed);
    [&change.path].into_iter().chain(left)
}
