//! What can go wrong with a repository, said to the person who can act on it.

use std::{io, path::PathBuf};

use super::RepoPath;

/// Why a repository, a revision or a content could not be had.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// No repository at the path or above it.
    #[error("{} is not in a git repository", path.display())]
    NotARepository {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The path to start from does not exist.
    #[error("{} does not exist", path.display())]
    NoSuchPath {
        /// The path given.
        path: PathBuf,
    },
    /// A repository is there, but it cannot be read.
    #[error("the repository at {} cannot be opened: {reason}", path.display())]
    Unreadable {
        /// Where it is.
        path: PathBuf,
        /// What the operating system or git said.
        reason: String,
    },
    /// A name that is no revision.
    #[error("`{name}` is not a revision in this repository{}", hint.as_deref().map(|h| format!(": {h}")).unwrap_or_default())]
    BadRevision {
        /// The name given.
        name: String,
        /// More, where there is more to say.
        hint: Option<String>,
    },
    /// Two revisions without a common ancestor.
    #[error("`{a}` and `{b}` have no commit in common, so there is no merge base; compare them with `{a}..{b}`")]
    NoMergeBase {
        /// One.
        a: String,
        /// The other.
        b: String,
    },
    /// A commit that is no merge of two is to be merged again.
    #[error("`{name}` has {parents} parents; only a merge of two can be done again")]
    NotAMerge {
        /// The name given.
        name: String,
        /// How many parents it has.
        parents: usize,
    },
    /// The working tree is asked for where there is none.
    #[error("{} is a bare repository: it has no working tree to compare; name a range A..B", path.display())]
    Bare {
        /// The repository.
        path: PathBuf,
    },
    /// A path filter that git would not take either.
    #[error("`{spec}` is not a valid path filter: {reason}")]
    BadPathspec {
        /// The filter.
        spec: String,
        /// Why not.
        reason: String,
    },
    /// The index is damaged or of an unknown version.
    #[error("the index cannot be read: {reason}")]
    BadIndex {
        /// What is wrong with it.
        reason: String,
    },
    /// An object that should be there is missing or damaged.
    #[error("{what} cannot be read from the repository: {reason}")]
    Object {
        /// Which object, and what for.
        what: String,
        /// What git said.
        reason: String,
    },
    /// A file on disk could not be read.
    #[error("{} cannot be read: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A content beyond what is shown.
    #[error("{path} has {size} bytes; files of {} bytes and more are not compared", super::MAX_SIZE)]
    TooLarge {
        /// The file.
        path: RepoPath,
        /// Its size in bytes.
        size: u64,
    },
    /// There is no git program.
    #[error(
        "the program `git` was not found: what changes a repository is done by it; \
         install git, or put the folder it is in on PATH"
    )]
    NoProgram,
    /// The git program could not be started or followed.
    #[error("`git {name}` could not be run: {source}")]
    NotRun {
        /// The git command.
        name: String,
        /// What the system says.
        source: io::Error,
    },
    /// The git program said no.
    #[error("`git {name}` failed:\n{said}")]
    Program {
        /// The git command.
        name: String,
        /// All it printed, its hooks and filters included.
        said: String,
    },
    /// Another program is at work on the index.
    #[error("the index is locked by another git command; try again when it is done:\n{said}")]
    Locked {
        /// What git said about it.
        said: String,
    },
    /// The work was cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl GitError {
    pub(super) fn object(what: impl Into<String>, error: &dyn std::fmt::Display) -> Self {
        Self::Object { what: what.into(), reason: error.to_string() }
    }
}
