//! Staging, unstaging and discarding: by file, by hunk, by any choice of changed lines.
//!
//! A [`Pick`] is a file of a comparison and [`What`] of it is meant. Lines are told as they were shown, with the texts they
//! were shown in; a file that is another one by now is refused and not guessed at. What becomes of the index is
//! [composed](Shown::compose) directly out of both sides: there is no patch that could fail to apply, and nothing about
//! line endings, encodings or a missing last newline that a patch could not say.
//!
//! Lines may be chosen while the working tree is compared with the index, the index with HEAD, or the working tree with any
//! commit: then [`Stages`] knows what of them is staged and what choosing them means for the index.
//!
//! Everything that is done can be undone: of the index by writing back the [entries](crate::git::IndexEntry) it had, of the
//! working tree by what a [discard](discard) returns.
//!
//! All of it is for a worker: it reads files and runs git. What another program writes to the index meanwhile is kept, but
//! for the entries of the very files that are staged.

mod chosen;
mod compose;
mod discard;
mod files;
mod seen;
mod stage;
mod stages;

pub use chosen::{Chosen, Extent};
pub use compose::{Shown, Splice, apply};
pub use discard::{DiscardError, Discarded, discard};
pub use files::{FileStage, FileStages};
pub use seen::{IndexSide, index_side};
pub use stage::{stage, unstage, write_back};
pub use stages::{HunkStage, LineStage, Stages};

use editor::Cancelled;
use editor::file::SaveError;

use crate::git::{FileChange, GitError, RepoPath};
use crate::lines::Bytes;
use crate::source::Source;

/// A file of a comparison, and what of it is meant.
#[derive(Clone, Copy, Debug)]
pub struct Pick<'a> {
    /// The file, as it was listed.
    pub change: &'a FileChange,
    /// What of it.
    pub what: What<'a>,
    /// What an editor would write to the file, while it holds text that is not saved: what is staged out of that takes
    /// these bytes for those on disk. Only parts can be; [`What::File`] and discarding are about the disk.
    pub unsaved: Option<&'a Bytes>,
}

impl<'a> Pick<'a> {
    /// What is meant of a file that is on disk as it is shown.
    pub fn new(change: &'a FileChange, what: What<'a>) -> Self {
        Self { change, what, unsaved: None }
    }
}

/// What of a changed file is meant.
#[derive(Clone, Copy, Debug)]
pub enum What<'a> {
    /// All that changed about it: lines, mode, type, name; as it is on disk now.
    File,
    /// Some of what changed; that it has another name belongs to any part.
    Parts {
        /// Lines that were chosen, and what they were chosen in.
        lines: Option<(Shown<'a>, &'a Chosen)>,
        /// The executable bit.
        mode: bool,
    },
}

/// Why something was not staged, unstaged or discarded. Nothing was changed then.
#[derive(Debug, thiserror::Error)]
pub enum StagingError {
    /// Something about the repository or the git program.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A file could not be written.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// The texts are others than those that lines were chosen in.
    #[error("{path} is not what it was when it was shown; look at it again and choose once more")]
    Changed {
        /// The file.
        path: RepoPath,
    },
    /// A merge left it in conflict.
    #[error("{path} is in conflict: resolve it and stage the whole file")]
    Conflict {
        /// The file.
        path: RepoPath,
    },
    /// Git was told not to look at it.
    #[error("{path} is {why}: git does not compare it with the disk, and staging it would undo that")]
    Unwatched {
        /// The file.
        path: RepoPath,
        /// By what.
        why: &'static str,
    },
    /// What git stores of it is not made of the lines on disk.
    #[error(
        "{path} goes through the filter `{filter}`, so its lines are not those that git stores; take the whole file"
    )]
    Filtered {
        /// The file.
        path: RepoPath,
        /// The filter.
        filter: String,
    },
    /// It has no parts.
    #[error("{path} {is}, and can only be taken whole")]
    WholeOnly {
        /// The file.
        path: RepoPath,
        /// What it is.
        is: &'static str,
    },
    /// The comparison has another old side than the one that would be gone back to.
    #[error("{path} is not compared with HEAD here; compare it with HEAD to choose what is unstaged")]
    NotHead {
        /// The file.
        path: RepoPath,
    },
    /// The comparison does not show what would be acted on.
    #[error("nothing can be {act} out of a comparison of {shown}")]
    NotHere {
        /// What is compared.
        shown: Source,
        /// What was to be done.
        act: &'static str,
    },
    /// The new side is no file on disk.
    #[error("{path} is not a file of the working tree here")]
    NotOnDisk {
        /// The file.
        path: RepoPath,
    },
    /// There is nothing to go back to.
    #[error("{path} is new, and discarding it would leave nothing; move it to the trash")]
    New {
        /// The file.
        path: RepoPath,
    },
    /// What changed in it is another repository's.
    #[error("{path} is a submodule; discard its changes in its own repository")]
    Submodule {
        /// The submodule.
        path: RepoPath,
    },
    /// Something is in the way.
    #[error("{path} cannot be written: {by} is {is}")]
    Blocked {
        /// The file.
        path: RepoPath,
        /// What is in the way.
        by: RepoPath,
        /// What it is.
        is: &'static str,
    },
}

impl From<Cancelled> for StagingError {
    fn from(_: Cancelled) -> Self {
        Self::Git(GitError::Cancelled)
    }
}
