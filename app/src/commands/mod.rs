//! Everything a user can do, in one table: menu, palette, keymap file, help and the agent's verbs derive from it.
//!
//! A [`Command`] is an entry of the table; it has no parameters, so a key can be bound to it. An [`Action`] is what
//! panes and widgets ask for: a command, or something with a target (open this file at that line). Panes push actions
//! into a [`Sink`]; [`run`] carries them out, once a frame. Panes never call each other.
//!
//! - [`keymap`]: keys and the file that changes them; [`when`]: where they apply; [`keyboard`]: from events to commands
//! - [`tool`]: windows that other programs wait for
//! - [`terminals`]: opening terminals and what they report
//! - [`open`]: what opens and closes; [`files`]: what is done to files; [`disk`]: what follows from changes outside
//! - [`chat`]: conversations with models; [`context`]: what they are told of the window
//! - [`problems`]: what language servers say is wrong
//! - [`staging`]: what is staged, unstaged and discarded; [`commit`]: what is committed

pub mod chat;
pub mod commit;
pub mod context;
pub mod disk;
pub mod files;
pub mod keyboard;
pub mod keymap;
pub mod open;
pub mod problems;
pub mod run;
pub mod staging;
mod table;
pub mod terminals;
mod tool;
pub mod when;

use std::path::PathBuf;
use std::sync::Arc;

use agent::event::SessionId;
use diff::comments::Id;
use diff::git::RepoPath;
use diff::ticks::Mark;
use egui_tiles::TileId;
pub use table::{Command, Group, Spec, When};
use terminal::Terminal;

use crate::shell::ask::Answer;
use crate::shell::dialogs::Purpose;
use crate::shell::pick::Picking;
use crate::state::chats::rounds::Span;
use crate::state::combined;
use crate::state::conflicts::ConflictsId;
use crate::state::documents::DocumentId;
use crate::state::reviews::{FileIndex, Request, ReviewId};
use crate::state::servers::problems::Problem;
use crate::state::settings;

/// A request to the application, made while drawing and carried out after it.
#[derive(Clone)]
pub enum Action {
    /// Runs a command of the table in the active pane.
    Command(Command),
    /// Opens a file in a tab, the caret at a place of it.
    OpenFile { path: PathBuf, at: Option<Place> },
    /// Makes a folder the workspace of the window.
    OpenFolder(PathBuf),
    /// Opens a path that was typed, whatever it is.
    OpenPath { path: PathBuf, at: Option<Place> },
    /// Opens a review, or brings its tab to the front.
    OpenReview(Request),
    /// Lists what can be picked to be reviewed.
    Pick(Picking),
    /// Brings a file of a review into view.
    ShowReviewFile { review: ReviewId, file: FileIndex },
    /// Opens what is in conflict in the repository that a folder is in, at a path of it.
    OpenConflicts { folder: PathBuf, path: Option<RepoPath> },
    /// Shows a merge against all of its parents.
    OpenCombined(combined::Of),
    /// Shows a file in conflict.
    ShowConflict { conflicts: ConflictsId, file: usize },
    /// Brings a comment of a review into view.
    ShowThread { review: ReviewId, thread: Id },
    /// Marks files of a review, or takes their marks back.
    MarkFiles { review: ReviewId, files: Vec<FileIndex>, mark: Option<Mark> },
    /// Compares a document's text with its file as it is on disk.
    CompareWithDisk { document: DocumentId, path: PathBuf },
    /// Puts the caret of the active pane to a place.
    GoTo(Place),
    /// Makes a pane the active one.
    Activate(TileId),
    /// Closes a tab, after asking if its text is not saved.
    CloseTile(TileId),
    /// Runs a task of the project in a terminal.
    RunTask(Box<terminal::tasks::Task>),
    /// Shows a terminal that a program drives or fills, in a tab like any other.
    ShowTerminal { terminal: Arc<Terminal>, name: String },
    /// Closes a terminal that was asked about.
    CloseTerminal(TileId),
    /// Closes the other tabs beside this one.
    CloseOthers(TileId),
    /// Closes a tab as the question about it was answered.
    CloseAnswered { tile: TileId, answer: Answer },
    /// Closes a document without asking; unsaved text was dealt with.
    CloseDocument(DocumentId),
    /// Does with a path what a file dialog would have been asked for.
    TakePath { purpose: Purpose, path: PathBuf },
    /// Something about the files of the open folder.
    Files(files::FileAction),
    /// Changes a setting, or gives it its default back.
    Set(&'static settings::Spec, Option<settings::Value>),
    /// Stages, unstages or discards something of a review.
    Staging(staging::StagingAction),
    /// Shows what a run of a conversation was asked.
    ShowRun { session: SessionId, run: u32, title: String },
    /// Compares the files of a conversation at two moments.
    CompareRuns(Span),
    /// Goes to a problem of a file: where it begins, in bytes and in lines.
    ShowProblem { path: PathBuf, at: usize, place: Place },
    /// Begins a message that asks to fix what is wrong in a file.
    FixProblems { path: PathBuf, problems: Vec<Problem> },
    /// Puts text on the system clipboard.
    Copy(String),
    /// Types text at the carets of the editor that was used last.
    Insert(String),
    /// Opens text in a tab; the language is a name or a path.
    OpenText { text: String, language: String },
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
