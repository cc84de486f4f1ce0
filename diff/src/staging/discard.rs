//! Taking changes out of the working tree again, so that this can be undone.
//!
//! A file goes back to the old side of the comparison: to the index when that is compared, to a commit when that is. The
//! index itself stays as it is. Everything is read and composed before the first file is written, each file is replaced as
//! the editor saves, and none is written that is not what it was read as. What is returned has the content that every
//! file had.
//!
//! A document that is open in an editor is better changed there: [`Shown::splices`] says how, and its undo brings it back.

use std::io;
use std::path::{Path, PathBuf};

use editor::Cancel;
use editor::file::fs::{FileKind, Fs};
use editor::file::{Expect, SaveError, SinceStamp, Stamp, save_bytes, temporary_path};

use super::seen::{
    Written, check_has_parts, check_whole, left_path, live_path, old_entry, refuse_filter, same, stored_text,
};
use super::{Chosen, Extent, Pick, Shown, StagingError, What};
use crate::content::Text;
use crate::git::{BlobSource, FileChange, GitError, Mode, Reader, RepoPath, Side, Status};
use crate::lines::Bytes;
use crate::source::{Comparison, Source};

/// What was discarded, and how to get it back.
#[derive(Debug, Default)]
pub struct Discarded {
    root: PathBuf,
    /// In the order they were done.
    steps: Vec<Step>,
}

/// Why not everything was discarded.
#[derive(Debug, thiserror::Error)]
#[error("{source}")]
pub struct DiscardError {
    /// What was done before, and can be undone; empty unless a file could not be written.
    pub done: Discarded,
    /// What went wrong.
    pub source: Box<StagingError>,
}

impl Discarded {
    /// The files that were changed.
    pub fn paths(&self) -> impl Iterator<Item = &RepoPath> {
        self.steps.iter().map(|step| &step.path)
    }

    /// Bytes of memory that it takes to be able to undo it.
    pub fn memory(&self) -> usize {
        let bytes = |state: &State| if let State::File { bytes, .. } = state { bytes.len() } else { 0 };
        self.steps.iter().map(|step| bytes(&step.before)).sum()
    }

    /// Brings everything back. A file that is another one by now is left alone, and is the error; what is still to be
    /// undone is returned with it.
    pub fn undo(mut self, fs: &dyn Fs) -> Result<(), DiscardError> {
        while let Some(step) = self.steps.last() {
            let back = Write { root: &self.root, path: &step.path, expect: &step.after, to: &step.before };
            let result = back.carry_out(fs);
            if result.is_ok() || back.is_done(fs) {
                self.steps.pop();
            }
            if let Err(source) = result {
                return Err(DiscardError { done: self, source: source.into() });
            }
        }
        Ok(())
    }
}

/// Discards what was picked out of a comparison with the working tree.
///
/// New files are not discarded here but moved to the trash, by whoever has one.
pub fn discard(
    comparison: &Comparison,
    fs: &dyn Fs,
    picks: &[Pick<'_>],
    cancel: &Cancel,
) -> Result<Discarded, DiscardError> {
    let mut done = Discarded::default();
    let result = plan(comparison, fs, picks, cancel).and_then(|(root, planned)| {
        done.root = root;
        for Planned { path, before, to } in planned {
            let write = Write { root: &done.root, path: &path, expect: &before.expected(), to: &to };
            let result = write.carry_out(fs);
            // What failed only after the content was in place can be undone as well.
            if result.is_ok() || write.is_done(fs) {
                let after = to.expected();
                done.steps.push(Step { path, before, after });
            }
            result?;
        }
        Ok(())
    });
    match result {
        Ok(()) => Ok(done),
        Err(source) => Err(DiscardError { done, source: source.into() }),
    }
}

/// A file that was changed.
#[derive(Debug)]
struct Step {
    path: RepoPath,
    before: State,
    after: Expected,
}

/// A file to be changed.
struct Planned {
    path: RepoPath,
    before: State,
    to: State,
}

/// What is, or shall be, at a path.
#[derive(Clone, Debug)]
enum State {
    Nothing,
    File { bytes: Bytes, permissions: Permissions },
    Link(PathBuf),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Permissions {
    /// All bits.
    Exact(u32),
    /// Whether it may be run by those who may read it; everything else as it is.
    Executable(bool),
    AsTheyAre,
}

/// What a path must still be before it is written.
#[derive(Clone, Debug)]
enum Expected {
    Nothing,
    File(Stamp),
    Link(PathBuf),
}

impl State {
    fn expected(&self) -> Expected {
        match self {
            Self::Nothing => Expected::Nothing,
            Self::File { bytes, .. } => Expected::File(Stamp::of_bytes(bytes)),
            Self::Link(target) => Expected::Link(target.clone()),
        }
    }
}

/// Reads and composes everything.
fn plan(
    comparison: &Comparison,
    fs: &dyn Fs,
    picks: &[Pick<'_>],
    cancel: &Cancel,
) -> Result<(PathBuf, Vec<Planned>), StagingError> {
    let source = comparison.source();
    let here = matches!(source, Source::WorkingTree { .. } | Source::Unstaged);
    let (Some(repo), true) = (comparison.repo(), here) else {
        return Err(StagingError::NotHere { shown: source.clone(), act: "discarded" });
    };
    let root = repo.root().ok_or_else(|| GitError::Bare { path: repo.git_dir().to_owned() })?.to_owned();
    let mut planning = Planning { reader: repo.reader(), fs, root: &root, planned: Vec::new(), cancel };
    for pick in picks {
        cancel.check()?;
        planning.pick(pick)?;
    }
    let planned = planning.planned;
    Ok((root, planned))
}

struct Planning<'a> {
    reader: Reader,
    fs: &'a dyn Fs,
    root: &'a Path,
    planned: Vec<Planned>,
    cancel: &'a Cancel,
}

impl Planning<'_> {
    fn pick(&mut self, pick: &Pick<'_>) -> Result<(), StagingError> {
        let change = pick.change;
        let path = change.path.clone();
        if change.status == Status::Unmerged {
            return Err(StagingError::Conflict { path });
        }
        let all = match pick.what {
            What::File => true,
            What::Parts { lines, .. } => lines.is_none_or(|(shown, chosen)| chosen.extent(shown.hunks) == Extent::All),
        };
        if all && old_entry(change).is_none() {
            return Err(StagingError::New { path });
        }
        match pick.what {
            What::File => self.file(change),
            What::Parts { lines, mode } => self.parts(change, lines, mode),
        }
    }

    /// The whole file is what the old side is; one that moved moves back.
    fn file(&mut self, change: &FileChange) -> Result<(), StagingError> {
        let path = change.path_of(Side::Old);
        let Some((mode, id)) = old_entry(change) else { return Ok(()) };
        let is_submodule = |side| change.blob(side).is_some_and(|blob| blob.mode == Mode::Submodule);
        if is_submodule(Side::Old) || is_submodule(Side::New) {
            return Err(StagingError::Submodule { path: path.clone() });
        }
        let to = if mode == Mode::Symlink {
            State::Link(RepoPath::new(&self.reader.as_stored(path, id)?).to_path().into_owned())
        } else {
            let bytes = self.reader.stored_as_disk(path, id, None)?;
            State::File { bytes, permissions: permissions(change) }
        };
        let before = self.state(path)?;
        self.planned.push(Planned { path: path.clone(), before, to });
        if let Some(left) = left_path(change).map(|_| &change.path) {
            let before = self.state(left)?;
            self.planned.push(Planned { path: left.clone(), before, to: State::Nothing });
        }
        Ok(())
    }

    /// Some lines, or the mode, are what they are on the old side; a file that moved stays where it is.
    fn parts(
        &mut self,
        change: &FileChange,
        lines: Option<(Shown<'_>, &Chosen)>,
        mode: bool,
    ) -> Result<(), StagingError> {
        check_has_parts(change)?;
        let before = self.state(&change.path)?;
        let bytes = match (&before, change.new.as_ref().map(|new| &new.source)) {
            (State::File { bytes, .. }, Some(BlobSource::WorkTree(_))) => bytes.clone(),
            (State::Nothing, None) => Bytes::default(),
            _ => return Err(StagingError::Changed { path: change.path.clone() }),
        };
        let composed = match lines {
            Some((shown, chosen)) => self.text(change, &bytes, shown, chosen)?,
            None => None,
        };
        let permissions = match (mode, &change.new) {
            (true, _) | (_, None) => permissions(change),
            (false, Some(_)) => Permissions::AsTheyAre,
        };
        if composed.is_some() || (mode && change.new.is_some()) {
            let to = State::File { bytes: composed.unwrap_or(bytes), permissions };
            self.planned.push(Planned { path: change.path.clone(), before, to });
        }
        Ok(())
    }

    /// The file on disk without the chosen lines of its change; none if none of them is one.
    fn text(
        &mut self,
        change: &FileChange,
        on_disk: &Bytes,
        shown: Shown<'_>,
        chosen: &Chosen,
    ) -> Result<Option<Bytes>, StagingError> {
        let path = &change.path;
        check_whole(path, &shown)?;
        refuse_filter(&mut self.reader, path)?;
        let (old_path, entry) = (change.path_of(Side::Old), old_entry(change));
        let old = stored_text(&mut self.reader, old_path, entry, live_path(change))?;
        same(path, shown.old, &old.shown)?;
        let now = self.reader.disk_shown(path, on_disk)?;
        same(path, shown.new, &now.bytes)?;
        if chosen.extent(shown.hunks) == Extent::None {
            return Ok(None);
        }
        if let Some(wide) = Wide::of(&now) {
            let composed = shown.compose(&chosen.rest(shown.hunks), Side::New);
            return match (wide.bytes(&now.bytes), wide.bytes(&composed)) {
                (Some(same), Some(composed)) if same == **on_disk => Ok(Some(composed.into())),
                _ => Err(StagingError::WholeOnly { path: path.clone(), is: "has characters that its encoding lacks" }),
            };
        }
        let old = match entry {
            Some((_, id)) => self.reader.stored_as_disk(old_path, id, live_path(change))?,
            None => Bytes::default(),
        };
        let written = Written::new(path, &shown, (old, on_disk.clone()), self.cancel)?;
        let rest = chosen.within(shown.hunks).rest(written.hunks());
        Ok(Some(written.compose(&rest, Side::New).into()))
    }

    /// What is at a path now.
    fn state(&self, path: &RepoPath) -> Result<State, StagingError> {
        let full = self.root.join(path.to_path());
        let failed = |source| StagingError::Git(GitError::File { path: full.clone(), source });
        check_folders(self.fs, self.root, path)?;
        let metadata = match self.fs.link_metadata(&full) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::Nothing),
            found => found.map_err(failed)?,
        };
        match metadata.kind {
            FileKind::Link => Ok(State::Link(self.fs.read_link(&full).map_err(failed)?)),
            FileKind::File => {
                Ok(State::File { bytes: self.reader.on_disk(path)?, permissions: Permissions::Exact(metadata.mode) })
            }
            FileKind::Folder | FileKind::Special => {
                Err(StagingError::Blocked { path: path.clone(), by: path.clone(), is: "not a file" })
            }
        }
    }
}

/// What of the permissions belongs to the change.
fn permissions(change: &FileChange) -> Permissions {
    match (old_entry(change), &change.new) {
        // Where a file system has no such bit, both sides have it as the index does.
        (Some((old, _)), Some(new)) if old == new.mode => Permissions::AsTheyAre,
        (Some((old, _)), _) => Permissions::Executable(old == Mode::Executable),
        (None, _) => Permissions::AsTheyAre,
    }
}

/// An encoding whose lines do not end with one byte.
struct Wide {
    low_first: bool,
    bom: bool,
}

impl Wide {
    fn of(text: &Text) -> Option<Self> {
        let low_first = match text.encoding {
            "UTF-16LE" => true,
            "UTF-16BE" => false,
            _ => return None,
        };
        Some(Self { low_first, bom: text.bom })
    }

    fn bytes(&self, text: &[u8]) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(text).ok()?;
        let units = self.bom.then_some(0xfeff).into_iter().chain(text.encode_utf16());
        Some(units.flat_map(|unit| if self.low_first { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect())
    }
}

/// One file to be written.
struct Write<'a> {
    root: &'a Path,
    path: &'a RepoPath,
    expect: &'a Expected,
    to: &'a State,
}

impl Write<'_> {
    fn carry_out(&self, fs: &dyn Fs) -> Result<(), StagingError> {
        check_folders(fs, self.root, self.path)?;
        let full = self.root.join(self.path.to_path());
        match self.to {
            State::File { bytes, permissions } => self.file(fs, &full, bytes, *permissions),
            State::Link(target) => {
                self.check(fs, &full)?;
                self.make_folders(fs, &full)?;
                self.link(fs, &full, target).map_err(|source| self.failed(&full, "making the link", source))
            }
            State::Nothing => {
                self.check(fs, &full)?;
                self.remove(fs, &full)
            }
        }
    }

    fn file(&self, fs: &dyn Fs, full: &Path, bytes: &Bytes, permissions: Permissions) -> Result<(), StagingError> {
        let expect = match self.expect {
            Expected::File(stamp) => Expect::Stamp(*stamp),
            Expected::Nothing => Expect::Missing,
            Expected::Link(_) => return self.file_for_link(fs, full, bytes, permissions),
        };
        self.make_folders(fs, full)?;
        let same = matches!(self.expect, Expected::File(stamp) if *stamp == Stamp::of_bytes(bytes));
        match same {
            // Nothing to write, but it must be what it was.
            true => self.check(fs, full)?,
            false => save_bytes(fs, full, bytes, expect).map(|_| ())?,
        }
        set_permissions(fs, full, permissions).map_err(|source| self.failed(full, "setting its permissions", source))
    }

    /// A file takes the place of a link in one step; saving would follow the link and write to what it leads to.
    fn file_for_link(
        &self,
        fs: &dyn Fs,
        full: &Path,
        bytes: &Bytes,
        permissions: Permissions,
    ) -> Result<(), StagingError> {
        self.check(fs, full)?;
        let temporary = temporary_path(full);
        let failed = |step| move |source| self.failed(full, step, source);
        let placed = save_bytes(fs, &temporary, bytes, Expect::Missing).map_err(StagingError::from).and_then(|_| {
            set_permissions(fs, &temporary, permissions).map_err(failed("setting its permissions"))?;
            fs.rename(&temporary, full).map_err(failed("replacing the link"))
        });
        placed.inspect_err(|_| {
            let _ = fs.remove_file(&temporary);
        })?;
        fs.sync_folder(full.parent().unwrap_or(self.root)).map_err(failed("writing to the disk"))
    }

    /// A link takes the place of whatever is there in one step.
    fn link(&self, fs: &dyn Fs, full: &Path, target: &Path) -> io::Result<()> {
        let temporary = temporary_path(full);
        fs.create_link(target, &temporary)?;
        fs.rename(&temporary, full).inspect_err(|_| {
            let _ = fs.remove_file(&temporary);
        })?;
        fs.sync_folder(full.parent().unwrap_or(self.root))
    }

    /// Removes what is there, and folders that are empty without it, as git does.
    fn remove(&self, fs: &dyn Fs, full: &Path) -> Result<(), StagingError> {
        if matches!(self.expect, Expected::Nothing) {
            return Ok(());
        }
        let removed = fs.remove_file(full).and_then(|()| fs.sync_folder(full.parent().unwrap_or(self.root)));
        removed.map_err(|source| self.failed(full, "removing it", source))?;
        for folder in full.ancestors().skip(1).take_while(|folder| *folder != self.root) {
            // The first that has something else in it stays, and so do those above.
            if fs.remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Whether the path is what it was to become, but perhaps for its permissions.
    fn is_done(&self, fs: &dyn Fs) -> bool {
        let full = self.root.join(self.path.to_path());
        Write { expect: &self.to.expected(), ..*self }.check(fs, &full).is_ok()
    }

    fn make_folders(&self, fs: &dyn Fs, full: &Path) -> Result<(), StagingError> {
        let above = full.ancestors().skip(1).take_while(|folder| *folder != self.root);
        let missing: Vec<&Path> = above.take_while(|folder| fs.link_metadata(folder).is_err()).collect();
        for folder in missing.into_iter().rev() {
            fs.create_dir(folder).map_err(|source| self.failed(full, "making its folder", source))?;
        }
        Ok(())
    }

    /// Makes sure that the path is still what it was.
    fn check(&self, fs: &dyn Fs, full: &Path) -> Result<(), StagingError> {
        let changed = || StagingError::Changed { path: self.path.clone() };
        let kind = fs.link_metadata(full).ok().map(|metadata| metadata.kind);
        let same = match (self.expect, kind) {
            (Expected::Nothing, None) => true,
            (Expected::Link(target), Some(FileKind::Link)) => fs.read_link(full).is_ok_and(|now| now == *target),
            (Expected::File(stamp), Some(FileKind::File)) => {
                stamp.check(fs, full).is_ok_and(|since| since == SinceStamp::Same)
            }
            _ => false,
        };
        if same { Ok(()) } else { Err(changed()) }
    }

    fn failed(&self, full: &Path, step: &'static str, source: io::Error) -> StagingError {
        SaveError::Failed { path: full.to_owned(), step, source }.into()
    }
}

fn set_permissions(fs: &dyn Fs, full: &Path, permissions: Permissions) -> io::Result<()> {
    let mode = fs.metadata(full)?.mode;
    let wanted = match permissions {
        Permissions::Exact(mode) => mode,
        Permissions::Executable(true) => mode | (mode & 0o444) >> 2,
        Permissions::Executable(false) => mode & !0o111,
        Permissions::AsTheyAre => mode,
    };
    if wanted == mode { Ok(()) } else { fs.set_mode(full, wanted) }
}

/// Makes sure that a path leads through folders alone: not through a link to somewhere else.
fn check_folders(fs: &dyn Fs, root: &Path, path: &RepoPath) -> Result<(), StagingError> {
    let bytes = path.as_bytes();
    for slash in memchr::memchr_iter(b'/', bytes) {
        let folder = RepoPath::new(&bytes[..slash]);
        match fs.link_metadata(&root.join(folder.to_path())) {
            Ok(metadata) if metadata.kind == FileKind::Folder => {}
            Ok(_) => return Err(StagingError::Blocked { path: path.clone(), by: folder, is: "not a folder" }),
            Err(_) => return Ok(()),
        }
    }
    Ok(())
}
