//! The world as files on the disk: what the command line and tests work on, and what the window falls back to.

use std::io;
use std::path::{Path, PathBuf};

use editor::Cancel;
use editor::file::fs::FileKind;
use editor::file::{Expect, Fs as _, OpenError, SaveError, SaveOptions, Stamp, is_temporary, load, save, save_bytes};
use editor::limits::Limits;
use editor::text::Text;
use ignore::WalkBuilder;

use super::beneath::{Beneath, is_escape};
use super::search::Running;
use super::{Ask, Diagnostic, EditorState, Entry, FileBytes, FileText, Hits, Host, HostError, ProjectPath, Search};
use crate::event::Answer;

/// Who is asked: for permission, or for a decision.
pub trait Desk: Send + Sync {
    /// Whether something may be done.
    fn permission(&self, ask: &Ask, cancel: &Cancel) -> Answer;
    /// What to do.
    fn question(&self, question: &str, choices: &[String], cancel: &Cancel) -> Option<String>;
}

/// Nobody is there: edits of files are allowed or not as was said before, everything else is not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unattended {
    /// Whether files may be edited and made.
    pub edits: bool,
}

impl Desk for Unattended {
    fn permission(&self, ask: &Ask, _: &Cancel) -> Answer {
        match self.edits && ask.scope.kind == "edit" {
            true => Answer::Allow,
            false => Answer::Deny { comment: "nobody is there to allow it".to_owned() },
        }
    }

    fn question(&self, _: &str, _: &[String], _: &Cancel) -> Option<String> {
        None
    }
}

/// The files below a root, and somebody to ask.
pub struct DiskHost {
    root: PathBuf,
    files: Beneath,
    limits: Limits,
    desk: Box<dyn Desk>,
}

impl DiskHost {
    /// Larger files are not read: no model takes a tenth of it.
    pub const LARGEST: u64 = 8 << 20;

    /// The files below `root`.
    ///
    /// # Errors
    /// When there is no such folder.
    pub fn open(root: &Path, desk: impl Desk + 'static) -> io::Result<Self> {
        let limits = Limits { open_bytes: Self::LARGEST, ..Limits::default() };
        Ok(Self { root: root.canonicalize()?, files: Beneath::open(root)?, limits, desk: Box::new(desk) })
    }

    /// The root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Searches with the texts that an editor holds in the place of the files.
    pub fn search_with(
        &self,
        search: &Search,
        held: &dyn Fn(&ProjectPath) -> Option<String>,
        cancel: &Cancel,
    ) -> Result<Hits, HostError> {
        let mut running = Running::new(search)?;
        let mut look = |path: &ProjectPath| {
            if let Some(text) = held(path) {
                running.text(path, &text);
            } else if let Ok(file) = self.files.file(path.as_path()) {
                running.file(path, file, Self::LARGEST, cancel);
            }
            !running.is_full() && !cancel.is_cancelled()
        };
        match self.kind(&search.path)? {
            FileKind::Folder => {
                for path in self.walk(&search.path, usize::MAX).filter(|(_, folder)| !folder).map(|(path, _)| path) {
                    if !look(&path) {
                        break;
                    }
                }
            }
            _ => drop(look(&search.path)),
        }
        Ok(running.found)
    }

    /// What is below a folder and not ignored, in the order of names. Links are neither told nor followed.
    fn walk(&self, folder: &ProjectPath, depth: usize) -> impl Iterator<Item = (ProjectPath, bool)> {
        let start = if folder.is_root() { self.root.clone() } else { self.root.join(folder.as_path()) };
        let mut walk = WalkBuilder::new(&start);
        walk.hidden(false).require_git(false).follow_links(false).max_depth((depth < usize::MAX).then_some(depth));
        walk.filter_entry(|entry| entry.file_name() != ".git" && !is_temporary(entry.file_name()));
        walk.sort_by_file_name(std::cmp::Ord::cmp);
        let root = self.root.clone();
        walk.build().flatten().skip(1).filter_map(move |entry| {
            let kind = entry.file_type()?;
            let path = entry.path().strip_prefix(&root).ok()?.to_str()?;
            let path = ProjectPath::parse(path).ok()?;
            (kind.is_dir() || kind.is_file()).then_some((path, kind.is_dir()))
        })
    }

    fn kind(&self, path: &ProjectPath) -> Result<FileKind, HostError> {
        self.files.metadata(path.as_path()).map(|metadata| metadata.kind).map_err(|error| failed(path, error))
    }
}

impl Host for DiskHost {
    fn read(&self, path: &ProjectPath) -> Result<FileText, HostError> {
        let loaded = load(&self.files, path.as_path(), &self.limits).map_err(|error| match error {
            OpenError::Missing { .. } => HostError::Missing(path.clone()),
            OpenError::Folder { .. } => HostError::Folder(path.clone()),
            OpenError::Binary { size, .. } => HostError::Binary(path.clone(), size),
            OpenError::TooLarge { size, .. } => HostError::TooLarge(path.clone(), size),
            OpenError::Unreadable { source, .. } => failed(path, source),
            other => HostError::Failed(path.clone(), other.to_string()),
        })?;
        let (encoding, bom, stamp) = (loaded.encoding, loaded.bom, loaded.stamp);
        Ok(FileText { text: loaded.text.to_string(), unsaved: false, encoding, bom, stamp })
    }

    fn write(&self, path: &ProjectPath, text: &str, before: &FileText) -> Result<(), HostError> {
        let expect = Expect::Stamp(before.stamp);
        let options = SaveOptions { encoding: before.encoding, bom: before.bom, expect, spare_folder: None };
        saved(path, save(&self.files, path.as_path(), &Text::from(text), &options))
    }

    fn create(&self, path: &ProjectPath, text: &str) -> Result<(), HostError> {
        self.make_folder_of(path)?;
        match save(&self.files, path.as_path(), &Text::from(text), &SaveOptions::new_file()) {
            Err(SaveError::ChangedOnDisk { .. }) => Err(HostError::Exists(path.clone())),
            result => saved(path, result),
        }
    }

    fn rename(&self, from: &ProjectPath, to: &ProjectPath) -> Result<(), HostError> {
        if self.kind(from)? == FileKind::Folder {
            return Err(HostError::Folder(from.clone()));
        }
        self.make_folder_of(to)?;
        self.files.rename_new(from.as_path(), to.as_path()).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => HostError::Exists(to.clone()),
            _ => failed(from, error),
        })
    }

    fn remove(&self, path: &ProjectPath) -> Result<(), HostError> {
        let metadata = self.files.link_metadata(path.as_path()).map_err(|error| failed(path, error))?;
        if metadata.kind == FileKind::Folder {
            return Err(HostError::Folder(path.clone()));
        }
        self.files.remove_file(path.as_path()).map_err(|error| failed(path, error))
    }

    fn bytes(&self, path: &ProjectPath) -> Result<Option<FileBytes>, HostError> {
        use io::Read as _;
        let mut file = match self.files.open(path.as_path()) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(path, error)),
        };
        let metadata = file.metadata().map_err(|error| failed(path, error))?;
        if metadata.kind != FileKind::File {
            return Err(HostError::Folder(path.clone()));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| failed(path, error))?;
        Ok(Some(FileBytes { bytes, mode: metadata.mode }))
    }

    fn put(&self, path: &ProjectPath, bytes: Option<&FileBytes>, before: Option<&FileBytes>) -> Result<(), HostError> {
        if self.bytes(path)?.map(|now| now.bytes) != before.map(|before| before.bytes.clone()) {
            return Err(HostError::Changed(path.clone()));
        }
        let expect = before.map_or(Expect::Missing, |before| Expect::Stamp(Stamp::of_bytes(&before.bytes)));
        match bytes {
            None if before.is_none() => Ok(()),
            None => self.remove(path),
            Some(file) => {
                self.make_folder_of(path)?;
                saved(path, save_bytes(&self.files, path.as_path(), &file.bytes, expect))?;
                self.files.set_mode(path.as_path(), file.mode).map_err(|error| failed(path, error))
            }
        }
    }

    fn list(&self, folder: &ProjectPath, depth: usize, limit: usize) -> Result<(Vec<Entry>, bool), HostError> {
        if self.kind(folder)? != FileKind::Folder {
            return Err(HostError::NotAFolder(folder.clone()));
        }
        let mut entries = Vec::new();
        for (path, is_folder) in self.walk(folder, depth) {
            if entries.len() == limit {
                return Ok((entries, true));
            }
            // What went away meanwhile is not there.
            let Ok(metadata) = self.files.metadata(path.as_path()) else { continue };
            entries.push(Entry { path, folder: is_folder, size: metadata.size });
        }
        Ok((entries, false))
    }

    fn search(&self, search: &Search, cancel: &Cancel) -> Result<Hits, HostError> {
        self.search_with(search, &|_| None, cancel)
    }

    fn permission(&self, ask: &Ask, cancel: &Cancel) -> Answer {
        self.desk.permission(ask, cancel)
    }

    fn question(&self, question: &str, choices: &[String], cancel: &Cancel) -> Option<String> {
        self.desk.question(question, choices, cancel)
    }

    fn editor(&self) -> EditorState {
        EditorState { git: super::git::state(&self.root), ..EditorState::default() }
    }

    fn diagnostics(&self, _: &ProjectPath) -> Vec<Diagnostic> {
        Vec::new()
    }
}

impl DiskHost {
    fn make_folder_of(&self, path: &ProjectPath) -> Result<(), HostError> {
        let folder = path.folder();
        if path.is_root() {
            return Err(HostError::Folder(path.clone()));
        }
        match folder.is_root() {
            true => Ok(()),
            false => self.files.create_dirs(folder.as_path()).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => HostError::NotAFolder(folder.clone()),
                _ => failed(&folder, error),
            }),
        }
    }
}

fn failed(path: &ProjectPath, error: io::Error) -> HostError {
    match error.kind() {
        io::ErrorKind::NotFound => HostError::Missing(path.clone()),
        _ if is_escape(&error) => HostError::Outside(path.clone()),
        _ => HostError::Failed(path.clone(), error.to_string()),
    }
}

fn saved(path: &ProjectPath, result: Result<Stamp, SaveError>) -> Result<(), HostError> {
    match result {
        // It is written; that the disk does not confirm it is nothing a model could change.
        Ok(_) | Err(SaveError::NotDurable { .. }) => Ok(()),
        Err(SaveError::ChangedOnDisk { .. } | SaveError::RemovedFromDisk { .. }) => {
            Err(HostError::Changed(path.clone()))
        }
        Err(SaveError::Folder { .. }) => Err(HostError::Folder(path.clone())),
        Err(SaveError::Failed { source, .. }) => Err(failed(path, source)),
        Err(error) => Err(HostError::Failed(path.clone(), error.to_string())),
    }
}

#[cfg(test)]
mod tests;
