//! How the agent sees the world: one trait, which the window, the command line and the tests implement.
//!
//! All calls may wait: a run has a thread of its own. A host is asked for what is there *now*; what is open in an editor
//! counts before what lies on the disk. [`DiskHost`] is the host of files alone.
//!
//! Promise of every host: nothing outside of the project's root is read or written, whatever links say, and a file that
//! somebody else changed since it was read is not overwritten.

mod beneath;
mod disk;
mod git;
mod path;
mod search;

use editor::Cancel;
use editor::file::{Encoding, Stamp};

pub use disk::{Desk, DiskHost, Unattended};
pub use path::{PathError, ProjectPath};
pub use search::{Hit, Hits, SEARCH_HITS, Search};

use crate::event::Answer;

/// Why something of the world could not be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// The path is none of the project.
    #[error(transparent)]
    Path(#[from] PathError),
    /// There is nothing.
    #[error("there is no `{0}`")]
    Missing(ProjectPath),
    /// There is something already.
    #[error("`{0}` exists already")]
    Exists(ProjectPath),
    /// It is a folder.
    #[error("`{0}` is a folder; list it, or name a file in it")]
    Folder(ProjectPath),
    /// It is a file.
    #[error("`{0}` is a file, not a folder")]
    NotAFolder(ProjectPath),
    /// A link leads out of the project.
    #[error("`{0}` leads out of the project by a link, which is not followed")]
    Outside(ProjectPath),
    /// It is not text.
    #[error("`{0}` is not text ({1} bytes)")]
    Binary(ProjectPath, u64),
    /// It is more than a model can take.
    #[error("`{0}` has {1} bytes; files of more than {limit} are not read", limit = DiskHost::LARGEST)]
    TooLarge(ProjectPath, u64),
    /// Somebody wrote it meanwhile.
    #[error("`{0}` was changed by somebody else since it was read; read it again")]
    Changed(ProjectPath),
    /// The expression cannot be read.
    #[error("`{0}` is no regular expression: {1}")]
    Pattern(String, String),
    /// The system says no.
    #[error("`{0}`: {1}")]
    Failed(ProjectPath, String),
}

/// The text of a file, with what is needed to write it back as it was.
#[derive(Clone, Debug, PartialEq)]
pub struct FileText {
    /// Without the mark of the encoding; carriage returns stay.
    pub text: String,
    /// Whether an editor has it otherwise than the disk.
    pub unsaved: bool,
    /// How its bytes stand for the text.
    pub encoding: Encoding,
    /// Whether the mark of the encoding stands before the text.
    pub bom: bool,
    /// What the file was when it was read.
    pub stamp: Stamp,
}

/// A file as bytes, for keeping and putting back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileBytes {
    /// All of it.
    pub bytes: Vec<u8>,
    /// Permission bits.
    pub mode: u32,
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Where it is.
    pub path: ProjectPath,
    /// Whether it is a folder.
    pub folder: bool,
    /// Bytes of a file.
    pub size: u64,
}

/// What an editor has open; all empty without one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditorState {
    /// The file in front.
    pub active: Option<ProjectPath>,
    /// Other open files.
    pub open: Vec<ProjectPath>,
    /// What is selected in the file in front: lines from 1, and the text.
    pub selection: Option<(std::ops::RangeInclusive<u32>, String)>,
    /// State of the version control: branch and changed files, in a few lines.
    pub git: String,
}

/// A finding of a language server or compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its line, from 1.
    pub line: u32,
    /// Whether it is an error; a warning otherwise.
    pub error: bool,
    /// What it says.
    pub text: String,
}

/// A request for permission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// What is to be done, in one line.
    pub title: String,
    /// Why it is asked.
    pub reason: String,
    /// What would become of the file, as a patch; empty where there is none.
    pub patch: String,
    /// What a "for this session" covers: the kind of action, and a folder.
    pub scope: Scope,
}

/// What a permission covers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Scope {
    /// `edit`, `rename`, `delete`, or the name of a tool.
    pub kind: String,
    /// Files in this folder and below.
    pub folder: ProjectPath,
}

/// The world.
pub trait Host: Send + Sync {
    /// The text of a file; what an editor has of it first.
    fn read(&self, path: &ProjectPath) -> Result<FileText, HostError>;
    /// Writes a file that was read; refused if it is no longer what `before` says. Encoding, mark and mode stay.
    fn write(&self, path: &ProjectPath, text: &str, before: &FileText) -> Result<(), HostError>;
    /// Makes a file, with the folders it is in; refused if there is one.
    fn create(&self, path: &ProjectPath, text: &str) -> Result<(), HostError>;
    /// Moves a file; refused if there is something.
    fn rename(&self, from: &ProjectPath, to: &ProjectPath) -> Result<(), HostError>;
    /// Removes a file.
    fn remove(&self, path: &ProjectPath) -> Result<(), HostError>;
    /// The file as bytes; none if there is none. Unsaved text counts as written.
    fn bytes(&self, path: &ProjectPath) -> Result<Option<FileBytes>, HostError>;
    /// Puts a file back as bytes, or takes it away, if it is still what `before` says.
    fn put(&self, path: &ProjectPath, bytes: Option<&FileBytes>, before: Option<&FileBytes>) -> Result<(), HostError>;
    /// What is in a folder and is not ignored, `depth` levels deep, sorted; at most `limit` entries, and whether there are
    /// more.
    fn list(&self, folder: &ProjectPath, depth: usize, limit: usize) -> Result<(Vec<Entry>, bool), HostError>;
    /// Searches files that are not ignored.
    fn search(&self, search: &Search, cancel: &Cancel) -> Result<Hits, HostError>;
    /// Asks whether something may be done, and waits for the answer; a stop is a no.
    fn permission(&self, ask: &Ask, cancel: &Cancel) -> Answer;
    /// Asks the person something, and waits; none if nobody answers.
    fn question(&self, question: &str, choices: &[String], cancel: &Cancel) -> Option<String>;
    /// What the editor shows.
    fn editor(&self) -> EditorState;
    /// What is known to be wrong with a file.
    fn diagnostics(&self, path: &ProjectPath) -> Vec<Diagnostic>;
}
