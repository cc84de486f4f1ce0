//! Paths that a merge left in conflict: their three versions, and what kind of conflict it is.
//!
//! The index keeps the versions as *stages*: base, ours, theirs; which of them are there tells what happened. Of a file
//! that was renamed on both sides to different names there are three paths with one stage each, which are told as one.

use std::fmt;
use std::path::{Path, PathBuf};

use editor::Cancel;
use gix::bstr::BStr;
use gix::index::entry::Stage as GitStage;

use super::index::index_mode;
use super::pathspec::Pathspecs;
use super::rename::Likeness;
use super::{Blob, BlobSource, FileChange, GitError, IndexEntry, Mode, ObjectId, Reader, Repo, RepoPath, Side, own_id};
use crate::content::SideContent;
use crate::lines::Content;
use crate::merge::session::ConflictFiles;
use crate::merge::{MarkerStyle, Version};

/// A version of a path in conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// What kind of entry it is.
    pub mode: Mode,
    /// Its content.
    pub id: ObjectId,
}

/// What happened to a path on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConflictKind {
    /// Both sides changed it.
    BothModified,
    /// Both sides added it, each with another content.
    BothAdded,
    /// Ours deleted it, theirs changed it.
    DeletedByUs,
    /// Theirs deleted it, ours changed it.
    DeletedByThem,
    /// Only ours has it: it was renamed to here, or stands where theirs has a folder.
    AddedByUs,
    /// Only theirs has it, likewise.
    AddedByThem,
    /// Neither side has it any more: each renamed it to another name.
    BothDeleted,
}

/// What a path in conflict has to do with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenamedApart {
    /// What it was called.
    pub base: RepoPath,
    /// What ours calls it.
    pub ours: RepoPath,
    /// What theirs calls it.
    pub theirs: RepoPath,
}

/// A path in conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmerged {
    /// Where it is.
    pub path: RepoPath,
    /// What both sides started from.
    pub base: Option<Stage>,
    /// The side that is merged into.
    pub ours: Option<Stage>,
    /// The side that is merged.
    pub theirs: Option<Stage>,
    /// Whether it is one of three paths that were one file, which both sides renamed.
    pub renamed: Option<RenamedApart>,
}

impl Unmerged {
    /// What happened to it.
    pub fn kind(&self) -> ConflictKind {
        match (self.base.is_some(), self.ours.is_some(), self.theirs.is_some()) {
            (true, true, true) => ConflictKind::BothModified,
            (false, true, true) => ConflictKind::BothAdded,
            (true, false, true) => ConflictKind::DeletedByUs,
            (true, true, false) => ConflictKind::DeletedByThem,
            (false, true, false) => ConflictKind::AddedByUs,
            (false, false, true) => ConflictKind::AddedByThem,
            (_, false, false) => ConflictKind::BothDeleted,
        }
    }

    /// One of the versions.
    pub fn stage(&self, version: Version) -> Option<Stage> {
        match version {
            Version::Base => self.base,
            Version::Ours => self.ours,
            Version::Theirs => self.theirs,
        }
    }

    /// What the two sides made of the mode, if they disagree and neither kept what was.
    pub fn modes_apart(&self) -> Option<(Mode, Mode)> {
        let (ours, theirs) = (self.ours?.mode, self.theirs?.mode);
        let kept = |mode: Mode| self.base.is_some_and(|base| base.mode == mode);
        (ours != theirs && !kept(ours) && !kept(theirs)).then_some((ours, theirs))
    }

    /// Whether both sides are files with lines or bytes, so that their contents can be merged.
    pub fn can_merge(&self) -> bool {
        let is_file = |stage: Option<Stage>| stage.is_some_and(|stage| stage.mode.is_file());
        is_file(self.ours) && is_file(self.theirs)
    }
}

impl fmt::Display for Unmerged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(RenamedApart { base, ours, theirs }) = &self.renamed {
            return write!(f, "{base} was renamed by both: ours calls it {ours}, theirs {theirs}");
        }
        match self.kind() {
            ConflictKind::BothModified => f.write_str("both changed it")?,
            ConflictKind::BothAdded => f.write_str("both added it, differently")?,
            ConflictKind::DeletedByUs => f.write_str("ours deleted it, theirs changed it")?,
            ConflictKind::DeletedByThem => f.write_str("theirs deleted it, ours changed it")?,
            ConflictKind::AddedByUs => f.write_str("only ours has it")?,
            ConflictKind::AddedByThem => f.write_str("only theirs has it")?,
            ConflictKind::BothDeleted => f.write_str("neither side has it any more")?,
        }
        if let (Some(ours), Some(theirs)) = (self.ours, self.theirs) {
            let noun = |mode: Mode| match mode {
                Mode::File => "a file",
                Mode::Executable => "executable",
                Mode::Symlink => "a symbolic link",
                Mode::Submodule => "a submodule",
            };
            if !ours.mode.same_type(theirs.mode) || self.modes_apart().is_some() {
                write!(f, "; it is {} in ours and {} in theirs", noun(ours.mode), noun(theirs.mode))?;
            } else if ours.mode == Mode::Submodule {
                f.write_str("; it is a submodule, of which one commit is to be chosen")?;
            }
        }
        Ok(())
    }
}

impl Repo {
    /// The paths in conflict that match `pathspecs` (see [`Repo::changes`]), in order.
    pub fn unmerged(&self, pathspecs: &[String], cancel: &Cancel) -> Result<Vec<Unmerged>, GitError> {
        let repo = self.local();
        let mut specs = Pathspecs::parse(&repo, pathspecs)?;
        let index = self.index()?;
        let mut found: Vec<Unmerged> = Vec::new();
        for entry in index.entries() {
            let path: &BStr = entry.path(&index);
            let (stage, Some(mode)) = (entry.stage(), index_mode(entry.mode)) else { continue };
            if stage == GitStage::Unconflicted || !specs.is_empty() && !specs.matches(path) {
                continue;
            }
            if cancel.is_cancelled() {
                return Err(GitError::Cancelled);
            }
            if found.last().is_none_or(|last| last.path.as_bytes() != &**path) {
                let path = RepoPath::new(path);
                found.push(Unmerged { path, base: None, ours: None, theirs: None, renamed: None });
            }
            let Some(last) = found.last_mut() else { continue };
            let version = Some(Stage { mode, id: own_id(&entry.id) });
            match stage {
                GitStage::Unconflicted => {}
                GitStage::Base => last.base = version,
                GitStage::Ours => last.ours = version,
                GitStage::Theirs => last.theirs = version,
            }
        }
        name_renames(&mut found, self)?;
        Ok(found)
    }

    /// Makes what lies on disk the resolution of these paths, as `git add` does; of a path that is not there, being deleted
    /// is the resolution.
    pub fn mark_resolved(&self, paths: &[&RepoPath]) -> Result<(), GitError> {
        self.add_from_disk(paths)
    }

    /// Puts conflicts that were resolved back into the index, as long as git remembers their versions. The disk stays as
    /// it is.
    pub fn reopen_conflicts(&self, paths: &[&RepoPath]) -> Result<(), GitError> {
        if paths.is_empty() {
            return Ok(());
        }
        let command = self.git(&["update-index", "--unresolve", "--"]);
        paths.iter().fold(command, |command, path| command.with(&*path.to_path())).run(&|_| Ok(()))?;
        Ok(())
    }

    /// Takes a version as a whole, which resolves the conflict: it is written to disk, or the path deleted if the version
    /// does not have it. Returns what lay on disk, for [`Repo::put_back`].
    pub fn take_version(&self, unmerged: &Unmerged, version: Version) -> Result<Replaced, GitError> {
        let path = &unmerged.path;
        let root = self.root().ok_or_else(|| GitError::Bare { path: self.git_dir().to_owned() })?;
        let full = root.join(path.to_path());
        let replaced = Replaced { path: path.clone(), was: Was::at(&full)? };
        let number = match version {
            Version::Base => "--stage=1",
            Version::Ours => "--stage=2",
            Version::Theirs => "--stage=3",
        };
        match unmerged.stage(version) {
            Some(Stage { mode: Mode::Submodule, id }) => {
                let content = Some((Mode::Submodule, id));
                self.write_index(&[IndexEntry { path: path.clone(), content }])?;
                return Ok(replaced);
            }
            Some(_) => {
                self.git(&["checkout-index", "-f", number, "--"]).with(&*path.to_path()).run(&|_| Ok(()))?;
            }
            None => match std::fs::remove_file(&full) {
                Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                    return Err(GitError::File { path: full, source });
                }
                _ => {}
            },
        }
        self.mark_resolved(&[path])?;
        Ok(replaced)
    }

    /// Undoes [`Repo::take_version`]: the conflict is open again, and on disk lies what lay there.
    pub fn put_back(&self, replaced: &Replaced) -> Result<(), GitError> {
        let root = self.root().ok_or_else(|| GitError::Bare { path: self.git_dir().to_owned() })?;
        replaced.was.restore(&root.join(replaced.path.to_path()))?;
        self.reopen_conflicts(&[&replaced.path])
    }

    /// How the repository wants conflicts written (`merge.conflictStyle`).
    pub fn conflict_style(&self) -> MarkerStyle {
        let repo = self.local();
        match repo.config_snapshot().string("merge.conflictStyle") {
            Some(style) if **style == *b"diff3" => MarkerStyle::Diff3,
            Some(style) if **style == *b"zdiff3" => MarkerStyle::ZealousDiff3,
            _ => MarkerStyle::Merge,
        }
    }
}

/// What lay on disk where a version was taken.
#[derive(Clone, Debug)]
pub struct Replaced {
    path: RepoPath,
    was: Was,
}

impl Replaced {
    /// Where it was.
    pub fn path(&self) -> &RepoPath {
        &self.path
    }
}

#[derive(Clone, Debug)]
enum Was {
    Nothing,
    File {
        bytes: Vec<u8>,
        permissions: std::fs::Permissions,
    },
    Link(PathBuf),
    /// A folder, as a submodule is: nothing of it is touched.
    Folder,
}

impl Was {
    fn at(path: &Path) -> Result<Self, GitError> {
        let failed = |source| GitError::File { path: path.to_owned(), source };
        let found = match std::fs::symlink_metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::Nothing),
            found => found.map_err(failed)?,
        };
        if found.is_symlink() {
            return Ok(Self::Link(std::fs::read_link(path).map_err(failed)?));
        }
        if found.is_dir() {
            return Ok(Self::Folder);
        }
        Ok(Self::File { bytes: std::fs::read(path).map_err(failed)?, permissions: found.permissions() })
    }

    fn restore(&self, path: &Path) -> Result<(), GitError> {
        let failed = |source| GitError::File { path: path.to_owned(), source };
        if matches!(self, Self::Folder) {
            return Ok(());
        }
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        match self {
            Self::Nothing | Self::Folder => Ok(()),
            Self::File { bytes, permissions } => std::fs::write(path, bytes)
                .and_then(|()| std::fs::set_permissions(path, permissions.clone()))
                .map_err(failed),
            #[cfg(unix)]
            Self::Link(target) => std::os::unix::fs::symlink(target, path).map_err(failed),
            #[cfg(not(unix))]
            Self::Link(target) => std::fs::write(path, target.as_os_str().as_encoded_bytes()).map_err(failed),
        }
    }
}

/// Finds paths that were one file: one that neither side has any more, one only of ours, one only of theirs.
fn name_renames(found: &mut [Unmerged], repo: &Repo) -> Result<(), GitError> {
    let of = |kind: ConflictKind| {
        let matching = found.iter().enumerate().filter(move |(_, unmerged)| unmerged.kind() == kind);
        matching.map(|(at, _)| at).collect::<Vec<_>>()
    };
    let (gone, ours, theirs) =
        (of(ConflictKind::BothDeleted), of(ConflictKind::AddedByUs), of(ConflictKind::AddedByThem));
    if gone.is_empty() || ours.is_empty() || theirs.is_empty() {
        return Ok(());
    }
    let mut likeness = Likeness::new(repo.reader());
    for base_at in gone {
        let Some(base) = found[base_at].base else { continue };
        let mut best = |candidates: &[usize], version: Version| -> Result<Option<usize>, GitError> {
            let mut best: Option<(u8, usize)> = None;
            for &at in candidates {
                let Some(stage) = found[at].stage(version).filter(|_| found[at].renamed.is_none()) else { continue };
                let percent = likeness.percent(&found[at].path, base.id, stage.id)?;
                if best.is_none_or(|(most, _)| percent > most) && percent >= Likeness::ENOUGH {
                    best = Some((percent, at));
                }
            }
            Ok(best.map(|(_, at)| at))
        };
        let (Some(our_at), Some(their_at)) = (best(&ours, Version::Ours)?, best(&theirs, Version::Theirs)?) else {
            continue;
        };
        let path = |at: usize| found[at].path.clone();
        let renamed = RenamedApart { base: path(base_at), ours: path(our_at), theirs: path(their_at) };
        for at in [base_at, our_at, their_at] {
            found[at].renamed = Some(renamed.clone());
        }
    }
    Ok(())
}

impl Reader {
    /// Reads a version of a path in conflict. In the document form it is as it would lie in the working tree.
    pub fn read_version(&mut self, unmerged: &Unmerged, version: Version) -> Result<SideContent, GitError> {
        let Some(stage) = unmerged.stage(version) else { return Ok(SideContent::Missing) };
        let blob = Blob { mode: stage.mode, source: BlobSource::Object(stage.id), size: None };
        let live = Blob { mode: stage.mode, source: BlobSource::WorkTree(None), size: None };
        self.read(&FileChange::at(unmerged.path.clone(), Some(blob), Some(live)), Side::Old)
    }

    /// Reads all that a conflict is made of, in the document form; none if a version or the file has no lines.
    pub fn read_conflict(&mut self, unmerged: &Unmerged) -> Result<Option<ConflictFiles>, GitError> {
        let live = Blob { mode: Mode::File, source: BlobSource::WorkTree(None), size: None };
        let merged = match self.read(&FileChange::at(unmerged.path.clone(), None, Some(live)), Side::New) {
            Err(GitError::File { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => SideContent::Missing,
            read => read?,
        };
        let mut contents = Vec::with_capacity(4);
        for version in [Version::Base, Version::Ours, Version::Theirs] {
            contents.push(self.read_version(unmerged, version)?);
        }
        contents.push(merged);
        let mut lines = Vec::with_capacity(4);
        for content in contents {
            lines.push(match content {
                SideContent::Missing => Content::default(),
                SideContent::Text(text) => {
                    let size = text.bytes.len() as u64;
                    text.content().map_err(|_| GitError::TooLarge { path: unmerged.path.clone(), size })?
                }
                SideContent::Binary { .. } | SideContent::Submodule { .. } | SideContent::Symlink { .. } => {
                    return Ok(None);
                }
            });
        }
        let [base, ours, theirs, merged] = <[Content; 4]>::try_from(lines).unwrap_or_default();
        Ok(Some(ConflictFiles { base, ours, theirs, merged }))
    }
}
