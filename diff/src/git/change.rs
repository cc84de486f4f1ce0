//! One changed file: where it is, what happened to it, and where its two sides can be read.
//!
//! A [`FileChange`] holds no content. It is small and cheap to clone, so a list of 76,872 of them is a few megabytes;
//! contents come from [`Reader`](super::Reader) when they are wanted.

use std::ops::Range;
use std::{fmt, path::Path, sync::Arc};

use super::RepoPath;

/// One side of a comparison, as git names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// What was there before.
    Old,
    /// What is there now.
    New,
}

/// The name of an object: SHA-1 of its kind, size and content.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId([u8; 20]);

impl ObjectId {
    /// The name of the empty file.
    pub const EMPTY_BLOB: Self = Self([
        0xe6, 0x9d, 0xe2, 0x9b, 0xb2, 0xd1, 0xd6, 0x43, 0x4b, 0x8b, 0x29, 0xae, 0x77, 0x5a, 0xd8, 0xc2, 0xe4, 0x8c,
        0x53, 0x91,
    ]);

    pub(super) const fn from_bytes(bytes: [u8; 20]) -> Self {
        Self(bytes)
    }

    /// The twenty bytes.
    pub fn as_bytes(&self) -> &[u8; 20] {
        &self.0
    }

    /// The first `digits` hexadecimal digits (at most 40).
    pub fn short(&self, digits: usize) -> String {
        let mut hex = self.to_string();
        hex.truncate(digits);
        hex
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// What kind of entry a path is, as git distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// An ordinary file.
    File,
    /// A file that may be run.
    Executable,
    /// A symbolic link; its content is its target.
    Symlink,
    /// A commit of another repository.
    Submodule,
}

impl Mode {
    /// The six octal digits of git's notation.
    pub fn octal(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Symlink => "120000",
            Self::Submodule => "160000",
        }
    }

    /// The number git stores.
    pub fn bits(self) -> u32 {
        match self {
            Self::File => 0o100_644,
            Self::Executable => 0o100_755,
            Self::Symlink => 0o120_000,
            Self::Submodule => 0o160_000,
        }
    }

    /// Whether it has lines at all: an ordinary or an executable file.
    pub fn is_file(self) -> bool {
        matches!(self, Self::File | Self::Executable)
    }

    /// Whether git calls a change between the two a type change and not a modification.
    pub fn same_type(self, other: Self) -> bool {
        self == other || (self.is_file() && other.is_file())
    }
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// It is new.
    Added,
    /// It is gone.
    Deleted,
    /// Its content or its executable bit changed.
    Modified,
    /// It has another path, and perhaps another content.
    Renamed,
    /// It was made from another file that still exists.
    Copied,
    /// A file became a symbolic link, a submodule, or the other way round.
    TypeChanged,
    /// A merge left it in conflict.
    Unmerged,
    /// It is new and git does not know it yet.
    Untracked,
}

impl Status {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Deleted => "deleted",
            Self::Modified => "modified",
            Self::Renamed => "renamed",
            Self::Copied => "copied",
            Self::TypeChanged => "typechange",
            Self::Unmerged => "unmerged",
            Self::Untracked => "untracked",
        }
    }

    /// The letter git and file trees use.
    pub fn letter(self) -> char {
        match self {
            Self::Added => 'A',
            Self::Deleted => 'D',
            Self::Modified => 'M',
            Self::Renamed => 'R',
            Self::Copied => 'C',
            Self::TypeChanged => 'T',
            Self::Unmerged => 'U',
            Self::Untracked => '?',
        }
    }
}

/// Where one side of a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlobSource {
    /// In the object database. Of a submodule: its commit, in the submodule's own repository.
    Object(ObjectId),
    /// At its path in the working tree: the live file. The id is there when the content had to be hashed already.
    WorkTree(Option<ObjectId>),
    /// A submodule as it is checked out: its commit, and whether it has changes of its own.
    CheckedOut {
        /// What its HEAD is at; none if it is not cloned or has no commit.
        commit: Option<ObjectId>,
        /// Whether tracked files in it differ from that commit.
        dirty: bool,
    },
    /// A file anywhere, for comparing two files or two folders.
    File(Arc<Path>),
    /// Nowhere but here, as git would store it: what a merge done again gives.
    Memory(Arc<[u8]>),
    /// In a patch, which tells some of its lines.
    Excerpt(Arc<Excerpt>),
}

/// What a patch tells of a side of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// All lines up to the last that is told; those that are not are stood in for by lines that no file has.
    pub bytes: Arc<[u8]>,
    /// The lines that are told, ascending.
    pub told: Vec<Range<u32>>,
    /// It is binary, and nothing is told of it.
    pub binary: bool,
}

/// One side of a changed file, without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// What kind of entry it is.
    pub mode: Mode,
    /// Where its content is.
    pub source: BlobSource,
    /// Its size in bytes where that costs nothing to know: files on disk.
    pub size: Option<u64>,
}

impl Blob {
    /// The object's name, where it is known without reading.
    pub fn id(&self) -> Option<ObjectId> {
        match self.source {
            BlobSource::Object(id) => Some(id),
            BlobSource::WorkTree(id) => id,
            BlobSource::CheckedOut { commit, .. } => commit,
            BlobSource::File(_) | BlobSource::Memory(_) | BlobSource::Excerpt(_) => None,
        }
    }

    /// Whether it is the file in the working tree: what an editor would open.
    pub fn is_live(&self) -> bool {
        matches!(self.source, BlobSource::WorkTree(_)) && self.mode.is_file()
    }
}

/// One changed file of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Where it is now; of a deleted file, where it was.
    pub path: RepoPath,
    /// Where it was, if that is another path.
    pub old_path: Option<RepoPath>,
    /// What happened to it.
    pub status: Status,
    /// The old side; none for a new file.
    pub old: Option<Blob>,
    /// The new side; none for a deleted file.
    pub new: Option<Blob>,
    /// Of a rename or copy: how much of it stayed, in percent.
    pub similarity: Option<u8>,
}

impl FileChange {
    /// A change of one path, with the status that follows from its sides.
    pub(crate) fn at(path: RepoPath, old: Option<Blob>, new: Option<Blob>) -> Self {
        let status = match (&old, &new) {
            (None, _) => Status::Added,
            (_, None) => Status::Deleted,
            (Some(a), Some(b)) if a.mode.same_type(b.mode) => Status::Modified,
            _ => Status::TypeChanged,
        };
        Self { path, old_path: None, status, old, new, similarity: None }
    }

    /// The path on one side.
    pub fn path_of(&self, side: Side) -> &RepoPath {
        match side {
            Side::Old => self.old_path.as_ref().unwrap_or(&self.path),
            Side::New => &self.path,
        }
    }

    /// What is known of one side without reading it.
    pub fn blob(&self, side: Side) -> Option<&Blob> {
        match side {
            Side::Old => self.old.as_ref(),
            Side::New => self.new.as_ref(),
        }
    }

    /// The lines of a side that are known, if the change is from a patch: no other may be shown.
    pub fn told(&self, side: Side) -> Option<&[Range<u32>]> {
        match &self.blob(side)?.source {
            BlobSource::Excerpt(excerpt) => Some(&excerpt.told),
            _ => None,
        }
    }

    /// Whether it is from a patch.
    pub fn is_excerpt(&self) -> bool {
        let is = |blob: &Option<Blob>| blob.as_ref().is_some_and(|blob| matches!(blob.source, BlobSource::Excerpt(_)));
        is(&self.old) || is(&self.new)
    }

    /// Whether both sides are known to be the same content: a mode change alone, or an exact rename.
    pub fn same_content(&self) -> bool {
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => old.mode.same_type(new.mode) && old.id().is_some() && old.id() == new.id(),
            _ => false,
        }
    }
}
