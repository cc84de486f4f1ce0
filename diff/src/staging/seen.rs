//! The texts of a change as they are now, against those that somebody saw and chose lines in.

use editor::Cancel;

use super::{Chosen, Shown, StagingError};
use crate::engine::{Hunk, Options, compare};
use crate::git::{BlobSource, FileChange, Indexed, Mode, ObjectId, Reader, Repo, RepoPath, Side, Status};
use crate::lines::{Bytes, Content};

/// What the index has of a file of a comparison.
#[derive(Clone, Debug)]
pub struct IndexSide {
    /// Its text as a side of the comparison would show it; empty where it has none.
    pub content: Content,
    /// Mode and name; none where it has none.
    pub entry: Option<(Mode, ObjectId)>,
}

/// Reads what the index has of a file of a comparison, for [`Stages::compare`](super::Stages::compare).
///
/// # Errors
/// Of a conflict, or what has no lines.
pub fn index_side(repo: &Repo, reader: &mut Reader, change: &FileChange) -> Result<IndexSide, StagingError> {
    let base = base_of(repo, change)?;
    let text = stored_text(reader, &base.path, base.entry, live_path(change))?;
    let content = content(&base.path, text.shown)?;
    Ok(IndexSide { content, entry: base.entry })
}

/// The entry of the index that a change is staged into, or unstaged from.
pub(super) struct Base {
    /// The path of the change, or of a moved file the one it had, while the index has it there.
    pub path: RepoPath,
    pub entry: Option<(Mode, ObjectId)>,
    /// What the index has at the path that a moved file left, while it has it at the new one, too.
    pub left: Option<(Mode, ObjectId)>,
}

/// Finds it.
pub(super) fn base_of(repo: &Repo, change: &FileChange) -> Result<Base, StagingError> {
    let entry = entry_of(repo, &change.path)?;
    let left = match left_path(change) {
        Some(left) => entry_of(repo, left)?,
        None => None,
    };
    Ok(match (entry, left, left_path(change)) {
        (None, Some(_), Some(path)) => Base { path: path.clone(), entry: left, left: None },
        _ => Base { path: change.path.clone(), entry, left },
    })
}

/// What the index has at a path; a conflict has no entry, and one that git does not look at is not touched.
pub(super) fn entry_of(repo: &Repo, path: &RepoPath) -> Result<Option<(Mode, ObjectId)>, StagingError> {
    match repo.indexed(path)? {
        Indexed::Nothing => Ok(None),
        Indexed::Entry(mode, id) => Ok(Some((mode, id))),
        Indexed::Conflict => Err(StagingError::Conflict { path: path.clone() }),
        Indexed::Unwatched { why } => Err(StagingError::Unwatched { path: path.clone(), why }),
    }
}

/// The path that a moved file left.
pub(super) fn left_path(change: &FileChange) -> Option<&RepoPath> {
    change.old_path.as_ref().filter(|_| change.status == Status::Renamed)
}

/// The file on disk that the old side is compared with.
pub(super) fn live_path(change: &FileChange) -> Option<&RepoPath> {
    change.new.as_ref().filter(|new| new.is_live()).map(|_| &change.path)
}

/// Refuses what has no lines to choose from.
pub(super) fn check_has_parts(change: &FileChange) -> Result<(), StagingError> {
    let modes = [Side::Old, Side::New].map(|side| change.blob(side).map(|blob| blob.mode));
    let is = |wanted: Mode| modes.contains(&Some(wanted));
    let reason = match change.status {
        Status::TypeChanged => "changed its type",
        Status::Copied => "is a copy of another file",
        Status::Unmerged => return Err(StagingError::Conflict { path: change.path.clone() }),
        _ if is(Mode::Symlink) => "is a symbolic link",
        _ if is(Mode::Submodule) => "is a submodule",
        _ => return Ok(()),
    };
    Err(StagingError::WholeOnly { path: change.path.clone(), is: reason })
}

/// One content: what is shown of it, and what git stores.
#[derive(Clone, Default)]
pub(super) struct Forms {
    pub shown: Bytes,
    pub stored: Bytes,
}

/// A stored content in both forms; nothing is an empty one.
pub(super) fn stored_text(
    reader: &mut Reader,
    path: &RepoPath,
    entry: Option<(Mode, ObjectId)>,
    live: Option<&RepoPath>,
) -> Result<Forms, StagingError> {
    let Some((mode, id)) = entry else { return Ok(Forms::default()) };
    if !mode.is_file() {
        let is = if mode == Mode::Symlink { "is a symbolic link in the index" } else { "is a submodule in the index" };
        return Err(StagingError::WholeOnly { path: path.clone(), is });
    }
    let stored = reader.as_stored(path, id)?;
    let shown = reader.stored_shown(path, &stored, live)?.bytes;
    Ok(Forms { shown, stored })
}

/// What the old side names; it is never on disk.
pub(super) fn old_entry(change: &FileChange) -> Option<(Mode, ObjectId)> {
    let old = change.old.as_ref()?;
    match old.source {
        BlobSource::Object(id) => Some((old.mode, id)),
        BlobSource::WorkTree(_)
        | BlobSource::CheckedOut { .. }
        | BlobSource::File(_)
        | BlobSource::Memory(_)
        | BlobSource::Excerpt(_) => None,
    }
}

/// Refuses a file whose lines on disk are not those that git stores.
pub(super) fn refuse_filter(reader: &mut Reader, path: &RepoPath) -> Result<(), StagingError> {
    match reader.filter_of(path)? {
        Some(filter) => Err(StagingError::Filtered { path: path.clone(), filter }),
        None => Ok(()),
    }
}

/// Makes sure that a text is still what it was when it was shown.
pub(super) fn same(path: &RepoPath, shown: &Content, now: &Bytes) -> Result<(), StagingError> {
    if **shown.bytes() == **now { Ok(()) } else { Err(StagingError::Changed { path: path.clone() }) }
}

/// Makes sure that hunks belong to the texts they come with.
pub(super) fn check_whole(path: &RepoPath, shown: &Shown<'_>) -> Result<(), StagingError> {
    if shown.is_whole() { Ok(()) } else { Err(StagingError::Changed { path: path.clone() }) }
}

pub(super) fn content(path: &RepoPath, bytes: Bytes) -> Result<Content, StagingError> {
    let too_large =
        |error: crate::lines::TooLarge| crate::git::GitError::TooLarge { path: path.clone(), size: error.bytes };
    Ok(Content::new(bytes).map_err(too_large)?)
}

/// A change in the form that is written, with the same lines as the one that is shown.
pub(super) struct Written {
    pub old: Content,
    pub new: Content,
    hunks: Vec<Hunk>,
}

impl Written {
    /// The written form of two texts of which `shown` is what somebody saw, one for one in lines.
    pub fn new(
        path: &RepoPath,
        shown: &Shown<'_>,
        (old, new): (Bytes, Bytes),
        cancel: &Cancel,
    ) -> Result<Self, StagingError> {
        let (old, new) = (content(path, old)?, content(path, new)?);
        check_lines(path, shown.old, &old)?;
        check_lines(path, shown.new, &new)?;
        let is_shown = |side: Side, bytes: &Content| **shown.side(side).bytes() == **bytes.bytes();
        let hunks = match is_shown(Side::Old, &old) && is_shown(Side::New, &new) {
            true => shown.hunks.to_vec(),
            // What differs in one form may be equal in the other: line endings that are stored as one.
            false => compare(&old, &new, &Options::default(), cancel)?.hunks,
        };
        Ok(Self { old, new, hunks })
    }

    /// The same of what is staged, or is not, between the texts and an index: of two of the three.
    pub fn of_stages(old: &Content, new: &Content, hunks: &[Hunk]) -> Self {
        Self { old: old.clone(), new: new.clone(), hunks: hunks.to_vec() }
    }

    pub fn hunks(&self) -> &[Hunk] {
        &self.hunks
    }

    /// The base with the taken lines of the change made and no others.
    pub fn compose(&self, taken: &Chosen, base: Side) -> Vec<u8> {
        Shown { old: &self.old, new: &self.new, hunks: &self.hunks }.compose(taken, base)
    }
}

/// Makes sure that a text has as many lines as what was shown of it.
fn check_lines(path: &RepoPath, shown: &Content, written: &Content) -> Result<(), StagingError> {
    if shown.line_count() == written.line_count() {
        return Ok(());
    }
    Err(StagingError::WholeOnly { path: path.clone(), is: "has other lines on disk than git stores" })
}
