//! A document: a text, how it is written, its undo tree, and its link to a file.
//!
//! The text changes only through [`Document::apply`], [`Document::undo`] and their like, each of which raises the
//! *version* by one. Whoever shows or compares a document keeps a version and pulls what happened since with
//! [`Document::changes_since`]; nobody is called back. Selections belong to views: the document only remembers them.

mod indent;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use crate::change::{ChangeSet, Transaction};
use crate::file::{Encoding, Expect, Loaded, SaveOptions, Stamp};
#[cfg(test)]
use crate::history;
pub use indent::Indent;

pub use crate::history::{EditKind, History, StateId};
use crate::history::{Made, Step};
use crate::limits::Limits;
use crate::selection::Selections;
use crate::text::{Columns, Text};

/// How many changes are kept for those who pull, and how many bytes of them. A view pulls every frame; who is further
/// behind starts anew.
const LOG: usize = 1_024;
const LOG_BYTES: usize = 64 << 20;

/// The dominant line ending of a document: what a new line is written with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnding {
    /// `\n`
    #[default]
    Lf,
    /// `\r\n`
    Crlf,
}

impl LineEnding {
    /// The ending most lines of `text` have, judged by its first megabyte; LF when there is none.
    pub fn dominant(text: &Text) -> Self {
        const SAMPLE: usize = 1 << 20;
        let (mut lf, mut crlf) = (0_usize, 0_usize);
        let mut last = 0;
        for chunk in text.chunks(0..SAMPLE) {
            let bytes = chunk.as_bytes();
            for at in memchr::memchr_iter(b'\n', bytes) {
                let before = if at == 0 { last } else { bytes[at - 1] };
                *(if before == b'\r' { &mut crlf } else { &mut lf }) += 1;
            }
            last = bytes.last().copied().unwrap_or(last);
        }
        if crlf > lf { Self::Crlf } else { Self::Lf }
    }

    /// The characters it is written with.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::Crlf => "\r\n",
        }
    }
}

/// The file a document is saved to, and how its bytes stand for the text.
#[derive(Clone, Debug)]
pub struct FileMeta {
    /// Its path, absolute.
    pub path: PathBuf,
    /// How characters become bytes.
    pub encoding: Encoding,
    /// Whether the mark of the encoding stands before the text.
    pub bom: bool,
    /// Whether it had more than one kind of line ending when it was opened; each line keeps its own.
    pub mixed: bool,
    /// What it was when it was read or written last; `None` before it is first written.
    pub stamp: Option<Stamp>,
}

impl FileMeta {
    /// A file that is not there yet: UTF-8 without a mark.
    pub fn new_file(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), encoding: Encoding::UTF_8, bom: false, mixed: false, stamp: None }
    }

    /// How to write it, so that nothing that came in between is overwritten.
    pub fn save_options(&self) -> SaveOptions {
        SaveOptions {
            encoding: self.encoding,
            bom: self.bom,
            expect: self.stamp.map_or(Expect::Missing, Expect::Stamp),
            ..SaveOptions::new_file()
        }
    }
}

/// An open text. See the module documentation.
#[derive(Clone, Debug)]
pub struct Document {
    text: Text,
    version: u64,
    history: History,
    log: VecDeque<Arc<ChangeSet>>,
    log_bytes: usize,
    language: Option<Arc<str>>,
    columns: Columns,
    /// What the Tab key and auto-indent insert.
    pub indent: Indent,
    /// What Enter inserts.
    pub line_ending: LineEnding,
    /// Whether the file may not be written; the text may still be changed.
    pub read_only: bool,
    /// Where it is saved; `None` for a text that has no file yet.
    pub file: Option<FileMeta>,
}

impl Document {
    /// An unchanged document with this text, four spaces to a step, and the line ending the text mostly uses.
    pub fn new(text: Text) -> Self {
        Self {
            line_ending: LineEnding::dominant(&text),
            text,
            version: 0,
            history: History::new(Limits::default().undo_bytes),
            log: VecDeque::new(),
            log_bytes: 0,
            language: None,
            columns: Columns::default(),
            indent: Indent::DEFAULT,
            read_only: false,
            file: None,
        }
    }

    /// An unchanged document with what was loaded from `path`, indented as the text is.
    pub fn opened(path: impl Into<PathBuf>, loaded: Loaded) -> Self {
        let indent = Indent::guess(&loaded.text);
        let file = FileMeta {
            path: path.into(),
            encoding: loaded.encoding,
            bom: loaded.bom,
            mixed: loaded.mixed,
            stamp: Some(loaded.stamp),
        };
        let line_ending = loaded.line_ending;
        Self { line_ending, indent, read_only: loaded.read_only, file: Some(file), ..Self::new(loaded.text) }
    }

    /// The present text.
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// Counts changes; grows with each one, also with undo.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The undo tree.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The name of the language it is written in, as the syntax module knows it.
    pub fn language(&self) -> Option<&Arc<str>> {
        self.language.as_ref()
    }

    /// Sets the language by name.
    pub fn set_language(&mut self, name: Option<&str>) {
        self.language = name.map(Arc::from);
    }

    /// How offsets and columns correspond here.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Cells between tab stops.
    pub fn tab_width(&self) -> u32 {
        self.columns.tab_width()
    }

    /// Sets the cells between tab stops.
    pub fn set_tab_width(&mut self, width: u32) {
        self.columns = Columns::new(width);
    }

    /// Makes a change, with `before` the selections of the view that asked for it. A change that does nothing, or is not
    /// one of the present text, is ignored and comes back as one that does nothing.
    pub fn apply(&mut self, transaction: Transaction, kind: EditKind, before: &Selections) -> Arc<ChangeSet> {
        self.apply_at(transaction, kind, before, Instant::now())
    }

    /// [`apply`](Self::apply) with the time given, for what replays input.
    pub fn apply_at(
        &mut self,
        transaction: Transaction,
        kind: EditKind,
        before: &Selections,
        at: Instant,
    ) -> Arc<ChangeSet> {
        let changes = &transaction.changes;
        if changes.is_empty() || !changes.fits(&self.text) {
            return Arc::new(ChangeSet::identity(self.text.len()));
        }
        let after = transaction.selections_after(before).into_owned();
        let backward = changes.invert(&self.text);
        let forward = Arc::new(transaction.changes);
        self.history.record(Made { forward: &forward, backward, before, after: &after, kind, at });
        self.change(&forward);
        forward
    }

    /// Goes back one state. Returns the change and the selections as they stood before what is undone.
    pub fn undo(&mut self) -> Option<(Arc<ChangeSet>, Selections)> {
        let step = self.history.undo()?;
        Some(self.follow(step))
    }

    /// Goes forward one state, along the branch last left.
    pub fn redo(&mut self) -> Option<(Arc<ChangeSet>, Selections)> {
        let step = self.history.redo()?;
        Some(self.follow(step))
    }

    /// Goes to any state of the undo tree, also in another branch. Returns the selections of the last step; `None` if
    /// there is no such state or the document is in it.
    pub fn go_to(&mut self, state: StateId) -> Option<Selections> {
        let (undos, redos) = self.history.path_to(state)?;
        let mut selections = None;
        for _ in 0..undos {
            selections = self.undo().map(|(_, selections)| selections);
        }
        for state in redos {
            self.history.prefer(state);
            selections = self.redo().map(|(_, selections)| selections);
        }
        selections
    }

    /// Whether the text differs from what is on disk. Undoing to the saved state makes it clean again.
    pub fn is_dirty(&self) -> bool {
        !self.history.is_saved()
    }

    /// The present text is on disk now.
    pub fn mark_saved(&mut self) {
        self.history.mark_saved();
    }

    /// The text of an earlier state is on disk now: it was written while the document went on. Call
    /// [`close_run`](Self::close_run) when the writing starts, or typing in between becomes part of that state.
    pub fn mark_saved_at(&mut self, state: StateId) {
        self.history.mark_saved_at(state);
    }

    /// What is on disk is none of the document's states: it was changed from outside or is gone.
    pub fn mark_unsaved(&mut self) {
        self.history.mark_unsaved();
    }

    /// The next edit is undone by itself.
    pub fn close_run(&mut self) {
        self.history.close_run();
    }

    /// The changes that lead from `version` to the present one, oldest first; `None` when they are not kept any more.
    pub fn changes_since(&self, version: u64) -> Option<Vec<Arc<ChangeSet>>> {
        let missing = usize::try_from(self.version.checked_sub(version)?).ok()?;
        let from = self.log.len().checked_sub(missing)?;
        Some(self.log.range(from..).cloned().collect())
    }

    fn follow(&mut self, step: Step) -> (Arc<ChangeSet>, Selections) {
        self.change(&step.changes);
        (step.changes, step.selections)
    }

    fn change(&mut self, changes: &Arc<ChangeSet>) {
        self.text = changes.apply(&self.text);
        self.version += 1;
        self.log.push_back(Arc::clone(changes));
        self.log_bytes += changes.heap_bytes();
        while self.log.len() > LOG || self.log_bytes > LOG_BYTES {
            self.log_bytes -= self.log.pop_front().map_or(0, |oldest| oldest.heap_bytes());
        }
    }
}

#[cfg(test)]
mod tests;
