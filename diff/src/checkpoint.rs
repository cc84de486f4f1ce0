//! Accepting changes: files as they were at some time, into which what is accepted is folded.
//!
//! A [`Checkpoint`] holds the old side of a change set, file by file. To *accept* lines, hunks or a file makes them part of
//! it, so that they are no change any more; nothing on disk is touched. To *reject* them writes the old text back to the
//! new side: [`Shown::splices`] of what is [left](crate::staging::Chosen::rest) says how, as an edit that an editor undoes.
//!
//! Two folders, or two files, begin with an empty checkpoint: what is not kept in it is the old side itself. One that is
//! filled before files are changed is an old side of its own ([`Source::Since`](crate::source::Source::Since)).
//!
//! A checkpoint is a value: accepting gives another one, and the one before undoes it.

use std::collections::BTreeMap;
use std::sync::Arc;

use editor::Cancel;

use crate::content::{SideContent, decode};
use crate::git::{Blob, BlobSource, FileChange, Form, Mode, Reader, RepoPath, Side};
use crate::lines::{Bytes, Content};
use crate::source::Comparison;
use crate::staging::{Chosen, Extent, Pick, Shown, StagingError, What};

/// What a file was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It was not there.
    Nothing,
    /// Its bytes.
    File { mode: Mode, bytes: Arc<[u8]> },
}

impl Kept {
    /// As a side of a change.
    pub fn blob(&self) -> Option<Blob> {
        match self {
            Self::Nothing => None,
            Self::File { mode, bytes } => {
                Some(Blob { mode: *mode, source: BlobSource::Memory(bytes.clone()), size: Some(bytes.len() as u64) })
            }
        }
    }
}

/// Files as they were, or as they were accepted since. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkpoint {
    files: Arc<BTreeMap<RepoPath, Kept>>,
}

impl Checkpoint {
    /// Keeps what a file was; what is kept of it already is older, and stays.
    pub fn keep(&mut self, path: RepoPath, kept: Kept) {
        Arc::make_mut(&mut self.files).entry(path).or_insert(kept);
    }

    /// What is kept of a file.
    pub fn get(&self, path: &RepoPath) -> Option<&Kept> {
        self.files.get(path)
    }

    /// All that is kept, in order of paths.
    pub fn iter(&self) -> impl Iterator<Item = (&RepoPath, &Kept)> {
        self.files.iter()
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// This with what was picked of a comparison accepted. For a worker: it reads files.
    ///
    /// # Errors
    /// If a text is another one than it was shown; nothing is accepted then.
    pub fn accept(&self, comparison: &Comparison, picks: &[Pick<'_>], cancel: &Cancel) -> Result<Self, StagingError> {
        // As they are, binary or not.
        let mut reader = comparison.reader().with_form(Form::Stored).forcing_text(true);
        let mut files = (*self.files).clone();
        for pick in picks {
            cancel.check()?;
            let kept = match pick.what {
                What::File => Some(whole(&mut reader, pick)?),
                What::Parts { lines, mode } => parts(&mut reader, pick, lines, mode)?,
            };
            if let Some(kept) = kept {
                files.insert(pick.change.path.clone(), kept);
            }
        }
        Ok(Self { files: Arc::new(files) })
    }
}

/// The new side, as it is now.
fn whole(reader: &mut Reader, pick: &Pick<'_>) -> Result<Kept, StagingError> {
    let Some(new) = &pick.change.new else { return Ok(Kept::Nothing) };
    let bytes = bytes(reader, pick, Side::New)?;
    Ok(Kept::File { mode: new.mode, bytes: Arc::from(&*bytes) })
}

/// The old side with some of the change made; none if nothing of it was chosen.
fn parts(
    reader: &mut Reader,
    pick: &Pick<'_>,
    lines: Option<(Shown<'_>, &Chosen)>,
    mode: bool,
) -> Result<Option<Kept>, StagingError> {
    let change = pick.change;
    let modes = (change.old.as_ref().map(|old| old.mode), change.new.as_ref().map(|new| new.mode));
    let (old, new) = (bytes(reader, pick, Side::Old)?, bytes(reader, pick, Side::New)?);
    let (composed, extent) = match lines {
        Some((shown, chosen)) => {
            let extent = chosen.extent(shown.hunks);
            (composed(change, &shown, chosen, &old, &new)?, extent)
        }
        None => (old.to_vec(), Extent::None),
    };
    if extent == Extent::None && !mode {
        return Ok(None);
    }
    let Some(mode) = (if mode { modes.1.or(modes.0) } else { modes.0.or(modes.1) }) else { return Ok(None) };
    let gone = (change.new.is_none() && extent == Extent::All) || (change.old.is_none() && extent == Extent::None);
    Ok(Some(if gone { Kept::Nothing } else { Kept::File { mode, bytes: Arc::from(composed) } }))
}

/// Both sides as they are kept have the lines of those that were shown, if only in another encoding.
fn composed(
    change: &FileChange,
    shown: &Shown<'_>,
    chosen: &Chosen,
    old: &Bytes,
    new: &Bytes,
) -> Result<Vec<u8>, StagingError> {
    let changed = || StagingError::Changed { path: change.path.clone() };
    let is_shown = |side: &Content, now: &Bytes| **side.bytes() == *decode(now.clone(), None).bytes;
    if !shown.is_whole() || !is_shown(shown.old, old) || !is_shown(shown.new, new) {
        return Err(changed());
    }
    let content = |bytes: &Bytes| Content::new(bytes.clone()).map_err(|_| changed());
    let (old, new) = (content(old)?, content(new)?);
    if old.line_count() != shown.old.line_count() || new.line_count() != shown.new.line_count() {
        let is = "has an encoding whose lines cannot be told apart in its bytes";
        return Err(StagingError::WholeOnly { path: change.path.clone(), is });
    }
    Ok(Shown { old: &old, new: &new, hunks: shown.hunks }.compose(chosen, Side::Old))
}

/// The bytes of a side; of one that is not there, none.
fn bytes(reader: &mut Reader, pick: &Pick<'_>, side: Side) -> Result<Bytes, StagingError> {
    if let (Side::New, Some(unsaved)) = (side, pick.unsaved) {
        return Ok(unsaved.clone());
    }
    match reader.read(pick.change, side)? {
        SideContent::Text(text) => Ok(text.bytes),
        SideContent::Missing => Ok(Bytes::default()),
        SideContent::Symlink { target } => Ok(target.as_bytes().into()),
        SideContent::Binary { .. } | SideContent::Submodule { .. } => {
            Err(StagingError::WholeOnly { path: pick.change.path.clone(), is: "has no lines" })
        }
    }
}
