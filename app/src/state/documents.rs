//! Open documents: text, undo, file, and what is going on with it.
//!
//! Opening, saving and looking at the disk run as tasks: a document has its id at once and is *loading* until its text
//! is there. A save marks as saved the state that was written, whatever was typed meanwhile. A change from outside is
//! taken in as one undoable step while the document is clean; a document with changes of its own is in *conflict* and
//! never overwritten, on either side, without being told to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use diff::engine::Options;
use diff::lines::Content;
use editor::change::{ChangeSet, Transaction};
use editor::document::{Document, EditKind, Indent, StateId};
use editor::file::{
    Encoding, Expect, Fs, Loaded, OpenError, RealFs, SaveError, SaveOptions, SinceStamp, Stamp, load_with, save,
};
use editor::limits::Limits;
use editor::selection::Selections;
use editor::syntax::Language;
use editor::{Cancel, file};

use super::notices::Notices;
use crate::tasks::{Poll, Task, Tasks};

/// Names an open document for as long as the window lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentId(pub u64);

/// How a document's file is written.
#[derive(Clone, Debug)]
pub struct OnDisk {
    pub encoding: Encoding,
    pub bom: bool,
    /// More than one kind of line ending occurs.
    pub mixed: bool,
    /// What it was when it was last read or written, or seen and decided about; none for a file that never was.
    pub stamp: Option<Stamp>,
}

/// How the file stands to the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Disk {
    #[default]
    Same,
    /// Both changed: the user decides.
    Conflict,
    /// The file was removed.
    Gone,
}

struct Saving {
    task: Task<Result<Stamp, SaveError>>,
    state: StateId,
    path: PathBuf,
}

enum Look {
    Same,
    Gone,
    /// Another content, and what leads from the document's text of a version to it.
    Changed {
        loaded: Box<Loaded>,
        changes: ChangeSet,
        version: u64,
    },
    Failed(String),
}

/// A document with its file.
pub struct OpenDocument {
    pub document: Document,
    pub path: Option<PathBuf>,
    pub on_disk: OnDisk,
    pub disk: Disk,
    saving: Option<Saving>,
    /// The look at the disk under way, and whether its result replaces unsaved changes: the user said so.
    look: Option<(Task<Look>, bool)>,
    look_again: bool,
    /// In conflict: what the file was when that was seen.
    theirs: Option<Stamp>,
    /// The file went while the text of this version was saved: coming back, it replaces that text.
    clean_until: Option<u64>,
    /// The user decided against the file before it was read: the next save replaces it.
    overwrite: bool,
}

impl OpenDocument {
    /// A text that has no file.
    pub fn untitled(text: &str) -> Self {
        Self::new(
            Document::new(text.into()),
            None,
            OnDisk { encoding: Encoding::UTF_8, bom: false, mixed: false, stamp: None },
        )
    }

    fn new(document: Document, path: Option<PathBuf>, on_disk: OnDisk) -> Self {
        Self {
            document,
            path,
            on_disk,
            disk: Disk::Same,
            saving: None,
            look: None,
            look_again: false,
            theirs: None,
            clean_until: None,
            overwrite: false,
        }
    }

    fn loaded(path: &Path, loaded: Loaded) -> Self {
        let mut document = Document::new(loaded.text);
        document.line_ending = loaded.line_ending;
        document.read_only = loaded.read_only;
        let first = document.text().line(0);
        let language = Language::from_path(path, &first[..first.floor_char_boundary(256)]);
        document.set_language(language.map(Language::name));
        document.indent = Indent::guess(document.text());
        let on_disk =
            OnDisk { encoding: loaded.encoding, bom: loaded.bom, mixed: loaded.mixed, stamp: Some(loaded.stamp) };
        Self::new(document, Some(path.to_owned()), on_disk)
    }

    /// The file name, or what an unnamed text is called.
    pub fn title(&self) -> String {
        let name = self.path.as_deref().and_then(Path::file_name);
        name.map_or_else(|| "Untitled".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// Whether the text is not on disk as it is.
    pub fn is_dirty(&self) -> bool {
        self.document.is_dirty()
    }
}

enum Slot {
    Loading { path: PathBuf, task: Task<Result<Loaded, OpenError>> },
    Failed { path: PathBuf, error: String },
    Open(Box<OpenDocument>),
}

/// All open documents.
pub struct Documents {
    slots: BTreeMap<DocumentId, Slot>,
    last: u64,
    tasks: Tasks,
    fs: Arc<dyn Fs>,
    limits: Limits,
}

impl Documents {
    /// No document; files are read and written by `tasks`.
    pub fn new(tasks: Tasks, limits: Limits) -> Self {
        Self { slots: BTreeMap::new(), last: 0, tasks, fs: Arc::new(RealFs), limits }
    }

    fn next(&mut self) -> DocumentId {
        self.last += 1;
        DocumentId(self.last)
    }

    /// How wide tabs are in all documents, those that are opened later included. Called every frame.
    pub fn set_tab_width(&mut self, width: u32) {
        for slot in self.slots.values_mut() {
            if let Slot::Open(open) = slot
                && open.document.tab_width() != width
            {
                open.document.set_tab_width(width);
            }
        }
    }

    /// Adds a document that is not read from a file.
    pub fn insert(&mut self, document: OpenDocument) -> DocumentId {
        let id = self.next();
        self.slots.insert(id, Slot::Open(Box::new(document)));
        id
    }

    /// Opens a file, or finds its document.
    pub fn open(&mut self, path: &Path) -> DocumentId {
        if let Some(id) = self.find(path) {
            return id;
        }
        let id = self.next();
        self.load(id, path.to_owned(), file::LoadOptions::default());
        id
    }

    /// Reads a file that failed to open once more, perhaps as text although it looks binary.
    pub fn retry(&mut self, id: DocumentId, force_text: bool) {
        if let Some(Slot::Failed { path, .. }) = self.slots.get(&id) {
            let path = path.clone();
            self.load(id, path, file::LoadOptions { force_text, ..file::LoadOptions::default() });
        }
    }

    fn load(&mut self, id: DocumentId, path: PathBuf, options: file::LoadOptions) {
        let (fs, limits, from) = (self.fs.clone(), self.limits.clone(), path.clone());
        let task = self.tasks.spawn("open file", move |cancel| load_with(&*fs, &from, &limits, options, cancel));
        self.slots.insert(id, Slot::Loading { path, task });
    }

    /// A document whose text is there.
    pub fn get(&self, id: DocumentId) -> Option<&OpenDocument> {
        match self.slots.get(&id)? {
            Slot::Open(open) => Some(open),
            _ => None,
        }
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, id: DocumentId) -> Option<&mut OpenDocument> {
        match self.slots.get_mut(&id)? {
            Slot::Open(open) => Some(open),
            _ => None,
        }
    }

    /// Whether the text is still being read.
    pub fn is_loading(&self, id: DocumentId) -> bool {
        matches!(self.slots.get(&id), Some(Slot::Loading { .. }))
    }

    /// Why a file could not be opened.
    pub fn error(&self, id: DocumentId) -> Option<&str> {
        match self.slots.get(&id)? {
            Slot::Failed { error, .. } => Some(error),
            _ => None,
        }
    }

    /// The file of a document, also while it loads or when it failed to.
    pub fn path(&self, id: DocumentId) -> Option<&Path> {
        match self.slots.get(&id)? {
            Slot::Loading { path, .. } | Slot::Failed { path, .. } => Some(path),
            Slot::Open(open) => open.path.as_deref(),
        }
    }

    /// The document of a file, if it is open.
    pub fn find(&self, path: &Path) -> Option<DocumentId> {
        self.slots.keys().copied().find(|&id| self.path(id) == Some(path))
    }

    /// The files of all documents, also while they load or when they failed to.
    pub fn paths(&self) -> impl Iterator<Item = (DocumentId, &Path)> {
        self.slots.keys().filter_map(|&id| Some((id, self.path(id)?)))
    }

    /// Whether a document is being written.
    pub fn is_saving(&self, id: DocumentId) -> bool {
        self.get(id).is_some_and(|open| open.saving.is_some())
    }

    /// Whether a file at or below `path` is being written.
    pub fn is_saving_below(&self, path: &Path) -> bool {
        let saves = |open: &OpenDocument| open.saving.as_ref().is_some_and(|saving| saving.path.starts_with(path));
        self.iter().any(|(_, open)| saves(open))
    }

    /// A file or folder was renamed or moved: documents at or below `from` have their files at or below `to` now.
    pub fn moved(&mut self, from: &Path, to: &Path) {
        let place = |path: &Path| {
            let below = path.strip_prefix(from).ok()?;
            Some(if below.as_os_str().is_empty() { to.to_owned() } else { to.join(below) })
        };
        let moved: Vec<_> = self.paths().filter_map(|(id, path)| Some((id, place(path)?))).collect();
        for (id, path) in moved {
            match self.slots.get_mut(&id) {
                Some(Slot::Open(open)) => {
                    open.set_path(path);
                    // A look under way would find the old place empty.
                    open.look = None;
                    open.disk = if open.disk == Disk::Conflict { Disk::Conflict } else { Disk::Same };
                    self.look_at(id);
                }
                Some(Slot::Loading { .. }) => self.load(id, path, file::LoadOptions::default()),
                Some(Slot::Failed { path: failed, .. }) => *failed = path,
                None => {}
            }
        }
    }

    /// All whose text is there.
    pub fn iter(&self) -> impl Iterator<Item = (DocumentId, &OpenDocument)> {
        self.slots.iter().filter_map(|(id, slot)| match slot {
            Slot::Open(open) => Some((*id, &**open)),
            _ => None,
        })
    }

    /// Closes a document; unsaved text is gone.
    pub fn close(&mut self, id: DocumentId) {
        self.slots.remove(&id);
    }

    /// Whether something is being read or written.
    pub fn is_busy(&self) -> bool {
        self.slots.values().any(|slot| match slot {
            Slot::Loading { .. } => true,
            Slot::Failed { .. } => false,
            Slot::Open(open) => open.saving.is_some() || open.look.is_some(),
        })
    }

    /// Writes a document to its file, or to another. With `overwrite`, also over a file that changed meanwhile.
    pub fn save(&mut self, id: DocumentId, to: Option<PathBuf>, overwrite: bool) {
        let (fs, tasks) = (self.fs.clone(), self.tasks.clone());
        let Some(open) = self.get_mut(id) else { return };
        let Some(path) = to.clone().or_else(|| open.path.clone()) else { return };
        let elsewhere = open.path.as_deref() != Some(&*path);
        let expect = match open.on_disk.stamp {
            _ if overwrite || (open.overwrite && !elsewhere) => Expect::Anything,
            // The user was told that it is gone: saving creates it anew, but replaces nothing that came since.
            _ if !elsewhere && open.disk == Disk::Gone => Expect::Missing,
            Some(stamp) if !elsewhere => Expect::Stamp(stamp),
            // The file dialog asked before an existing file was chosen.
            _ if elsewhere && to.is_some() => Expect::Anything,
            _ => Expect::Missing,
        };
        let options =
            SaveOptions { encoding: open.on_disk.encoding, bom: open.on_disk.bom, expect, spare_folder: None };
        let (text, target) = (open.document.text().clone(), path.clone());
        let task = tasks.spawn("save file", move |_| save(&*fs, &target, &text, &options));
        open.document.close_run();
        open.saving = Some(Saving { task, state: open.document.history().current(), path });
    }

    /// Looks whether the file of a document changed. Called when the watcher or the focus says so.
    pub fn look_at(&mut self, id: DocumentId) {
        let (fs, limits, tasks) = (self.fs.clone(), self.limits.clone(), self.tasks.clone());
        let Some(open) = self.get_mut(id) else { return };
        let (Some(path), Some(stamp)) = (open.path.clone(), open.on_disk.stamp) else { return };
        if open.look.is_some() || open.saving.is_some() {
            open.look_again = true;
            return;
        }
        let (text, version, gone) = (open.document.text().clone(), open.document.version(), open.disk == Disk::Gone);
        let task = tasks.spawn("look at file", move |cancel| match stamp.check(&*fs, &path) {
            // One that came back is compared with the text, which may have gone on without it.
            Ok(SinceStamp::Same) if gone => read_again(&*fs, &path, &limits, &text, version, cancel),
            Ok(SinceStamp::Same) => Look::Same,
            Ok(SinceStamp::Gone) => Look::Gone,
            Ok(SinceStamp::Changed) => read_again(&*fs, &path, &limits, &text, version, cancel),
            Err(error) => Look::Failed(format!("{} cannot be looked at: {error}", path.display())),
        });
        open.look = Some((task, false));
    }

    /// Takes the file as it is on disk, in one step that undo takes back.
    pub fn reload(&mut self, id: DocumentId) {
        let (fs, limits, tasks) = (self.fs.clone(), self.limits.clone(), self.tasks.clone());
        let Some(open) = self.get_mut(id) else { return };
        let Some(path) = open.path.clone() else { return };
        let (text, version) = (open.document.text().clone(), open.document.version());
        let task =
            tasks.spawn("read file again", move |cancel| read_again(&*fs, &path, &limits, &text, version, cancel));
        open.look = Some((task, true));
    }

    /// Keeps the document as it is; the next save overwrites the file as it was seen. If that changes once more, there
    /// is another conflict.
    pub fn keep_mine(&mut self, id: DocumentId) {
        if let Some(open) = self.get_mut(id) {
            match open.theirs.take() {
                Some(theirs) => open.on_disk.stamp = Some(theirs),
                None => open.overwrite = true,
            }
            open.disk = Disk::Same;
            open.document.mark_unsaved();
        }
    }

    /// Takes in what was read and written. Never waits.
    pub fn take_results(&mut self, notices: &mut Notices) {
        let ids: Vec<_> = self.slots.keys().copied().collect();
        for id in ids {
            self.take_loaded(id);
            let Some(open) = self.get_mut(id) else { continue };
            open.take_saved(notices);
            open.take_look(notices);
            if open.look.is_none() && open.saving.is_none() && std::mem::take(&mut open.look_again) {
                self.look_at(id);
            }
        }
    }

    fn take_loaded(&mut self, id: DocumentId) {
        let Some(Slot::Loading { path, task }) = self.slots.get(&id) else { return };
        let slot = match task.poll() {
            Poll::Pending => return,
            Poll::Ready(Ok(loaded)) => Slot::Open(Box::new(OpenDocument::loaded(path, loaded))),
            Poll::Ready(Err(error)) => Slot::Failed { path: path.clone(), error: error.to_string() },
            Poll::Lost => Slot::Failed {
                path: path.clone(),
                error: format!("reading {} ended unexpectedly; try again", path.display()),
            },
        };
        self.slots.insert(id, slot);
    }
}

impl OpenDocument {
    fn set_path(&mut self, path: PathBuf) {
        let first = self.document.text().line(0);
        let language = Language::from_path(&path, &first[..first.floor_char_boundary(256)]).map(Language::name);
        drop(first);
        self.document.set_language(language);
        self.path = Some(path);
    }

    fn take_saved(&mut self, notices: &mut Notices) {
        let Some(saving) = &self.saving else { return };
        let result = match saving.task.poll() {
            Poll::Pending => return,
            Poll::Ready(result) => result,
            Poll::Lost => {
                notices.error(format!("saving {} ended unexpectedly; save again", saving.path.display()));
                self.saving = None;
                return;
            }
        };
        let Some(Saving { state, path, .. }) = self.saving.take() else { return };
        let stamp = match result {
            Ok(stamp) => stamp,
            Err(SaveError::NotDurable { ref path, stamp, ref source }) => {
                notices.warn(format!("{} is saved, but the disk does not confirm it ({source})", path.display()));
                stamp
            }
            Err(error) => {
                if let SaveError::ChangedOnDisk { .. } = error {
                    self.disk = Disk::Conflict;
                    // What is there now is looked at, so that keeping this text can be told from what comes later.
                    self.look_again = true;
                }
                if let SaveError::RemovedFromDisk { .. } = error {
                    // Saving again creates it anew, as the message says.
                    self.disk = Disk::Gone;
                }
                notices.error(error.to_string());
                return;
            }
        };
        self.on_disk.stamp = Some(stamp);
        self.settle();
        if self.path.as_ref() != Some(&path) {
            self.document.read_only = false;
            self.set_path(path);
        }
        self.document.mark_saved_at(state);
    }

    fn take_look(&mut self, notices: &mut Notices) {
        let Some((task, force)) = &self.look else { return };
        let force = *force;
        let look = match task.poll() {
            Poll::Pending => return,
            Poll::Ready(look) => look,
            Poll::Lost => Look::Same,
        };
        self.look = None;
        match look {
            // Also after a conflict: the other program took its change back.
            Look::Same => self.settle(),
            Look::Failed(error) => notices.warn(error),
            Look::Gone => {
                if self.disk != Disk::Gone {
                    self.clean_until = (!self.is_dirty()).then(|| self.document.version());
                }
                self.disk = Disk::Gone;
                self.document.mark_unsaved();
            }
            Look::Changed { loaded, changes, version } => self.take_changed(*loaded, changes, version, force),
        }
    }

    fn take_changed(&mut self, loaded: Loaded, changes: ChangeSet, version: u64, force: bool) {
        let as_read = self.document.version() == version;
        let clean = !self.is_dirty() || self.clean_until == Some(self.document.version());
        if as_read && changes.is_empty() {
            self.accept(&loaded);
            return;
        }
        if !clean && !force {
            self.disk = Disk::Conflict;
            self.theirs = Some(loaded.stamp);
            return;
        }
        if !as_read {
            self.look_again = true; // it was changed and saved or undone meanwhile
            return;
        }
        // Undone, it is the text from before, which is not what is on disk; the caret is then where they differ.
        let first = changes.edits().next().map_or(0, |edit| edit.old.start);
        self.document.apply(Transaction::new(changes), EditKind::Command, &Selections::caret(first));
        self.accept(&loaded);
    }

    /// The text is that of the file as it was read.
    fn accept(&mut self, loaded: &Loaded) {
        self.document.mark_saved();
        self.document.line_ending = loaded.line_ending;
        self.document.read_only = loaded.read_only;
        self.on_disk =
            OnDisk { encoding: loaded.encoding, bom: loaded.bom, mixed: loaded.mixed, stamp: Some(loaded.stamp) };
        self.settle();
    }

    /// Nothing is open between the text and its file.
    fn settle(&mut self) {
        self.disk = Disk::Same;
        self.theirs = None;
        self.clean_until = None;
        self.overwrite = false;
    }
}

fn read_again(
    fs: &dyn Fs,
    path: &Path,
    limits: &Limits,
    text: &editor::text::Text,
    version: u64,
    cancel: &Cancel,
) -> Look {
    match load_with(fs, path, limits, file::LoadOptions::default(), cancel) {
        Ok(loaded) => {
            let changes = changes_between(text, &loaded.text, cancel);
            Look::Changed { loaded: Box::new(loaded), changes, version }
        }
        Err(error) => Look::Failed(error.to_string()),
    }
}

/// What leads from one text to another, line by line: carets and marks in equal lines stay where they are.
pub fn changes_between(old: &editor::text::Text, new: &editor::text::Text, cancel: &Cancel) -> ChangeSet {
    let (before, after) = (old.to_string(), new.to_string());
    let whole = || ChangeSet::replace_all(old.len(), &after);
    let Ok((a, b)) = Content::pair(before.as_bytes(), after.as_bytes()) else { return whole() };
    let Ok(script) = diff::engine::compare(&a, &b, &Options::default(), cancel) else { return whole() };
    let edits = script.hunks.iter().map(|hunk| {
        let old = a.line_start(hunk.old.start)..a.line_start(hunk.old.end);
        (old, &after[b.line_start(hunk.new.start)..b.line_start(hunk.new.end)])
    });
    ChangeSet::from_edits(old.len(), edits)
}

#[cfg(test)]
mod tests;
