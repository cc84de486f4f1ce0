//! Everything a user can do, in one table: menu, palette, keymap file, help and the agent's verbs derive from it.
//!
//! A [`Command`] is an entry of the table; it has no parameters, so a key can be bound to it. An [`Action`] is what
//! panes and widgets ask for: a command, or something with a target (open this file at that line). Panes push actions
//! into a [`Sink`]; [`run`] carries them out, once a frame. Panes never call each other.

pub mod run;
mod table;

use std::path::PathBuf;

pub use table::{Command, Group, Spec, When};

use crate::state::documents::DocumentId;
use crate::state::reviews::{FileIndex, Request, ReviewId};

/// A request to the application, made while drawing and carried out after it.
#[derive(Clone)]
pub enum Action {
    /// Runs a command of the table in the active pane.
    Command(Command),
    /// Opens a file in a tab, the caret at a place of it.
    OpenFile { path: PathBuf, at: Option<Place> },
    /// Makes a folder the workspace of the window.
    OpenFolder(PathBuf),
    /// Opens a review, or brings its tab to the front.
    OpenReview(Request),
    /// Brings a file of a review into view.
    ShowReviewFile { review: ReviewId, file: FileIndex },
    /// Compares a document's text with its file as it is on disk.
    CompareWithDisk { document: DocumentId, path: PathBuf },
    /// Closes a document without asking; unsaved text was dealt with.
    CloseDocument(DocumentId),
    /// Puts text on the system clipboard.
    Copy(String),
}

impl From<Command> for Action {
    fn from(command: Command) -> Self {
        Self::Command(command)
    }
}

/// A place in a file as people write it: lines and columns count from 1, columns are characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub line: u32,
    pub column: u32,
}

/// Where drawing code puts what it wants done.
#[derive(Default)]
pub struct Sink(Vec<Action>);

impl Sink {
    /// Asks for `action` after this frame's drawing.
    pub fn push(&mut self, action: impl Into<Action>) {
        self.0.push(action.into());
    }

    /// Takes what was asked for, in order.
    pub fn take(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.0)
    }

    /// Whether nothing was asked for.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
