//! What servers say, in the editor's terms: diagnostics in bytes, states in words.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A server at work: one is started for every root that has files of its languages.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ServerId {
    /// The name of its [`Launch`](super::Launch).
    pub name: Arc<str>,
    /// The folder it works on.
    pub root: Arc<Path>,
}

/// Its name; the root matters only where there are two.
impl fmt::Display for ServerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// How bad it is, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// It does not work.
    Error,
    /// It works, but should be looked at.
    Warning,
    /// Worth knowing.
    Information,
    /// A suggestion; marked as little as possible.
    Hint,
}

impl Severity {
    /// The word for it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Information => "information",
            Self::Hint => "hint",
        }
    }
}

/// Something a server says of a range of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The bytes it is about, on `char` boundaries of the text of [`Event::Diagnostics::version`]; may be empty.
    pub range: Range<usize>,
    /// How bad it is; an error where the server does not say.
    pub severity: Severity,
    /// What is wrong; may have several lines.
    pub message: String,
    /// Who found it, where that is not the server itself: `rustc`, `clippy`, `Pyright`.
    pub source: Option<String>,
    /// The name of the rule: `E0308`, `unused-import`.
    pub code: Option<String>,
    /// A page about the rule.
    pub link: Option<String>,
    /// Whether the code is not used: drawn faint rather than underlined.
    pub unnecessary: bool,
    /// Whether what is used should not be any more: struck out.
    pub deprecated: bool,
    /// Other places that belong to it.
    pub related: Vec<Related>,
}

/// Another place that belongs to a diagnostic, with what it has to do with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The file.
    pub path: PathBuf,
    /// The line, counted from 0; as the server says it, unchecked.
    pub line: u32,
    /// What is there.
    pub message: String,
}

/// How a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Started, or about to be started again after a crash; it has not answered yet.
    Starting,
    /// It answers, and says of no work.
    Ready,
    /// It answers, and says that it works on something.
    Working {
        /// What it works on, in its words.
        title: String,
        /// How far it is, where it says so: 0 to 100.
        percent: Option<u8>,
    },
    /// It does not run, and is not started again unless asked for.
    Stopped {
        /// Why, as a sentence for the person who uses it.
        why: String,
    },
    /// There is no such program.
    Missing {
        /// The program that was looked for.
        command: String,
        /// A command that installs it, where one is known.
        install: Option<String>,
    },
}

/// News of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// What a server says of a file; takes the place of all that it said of it before. Nothing at all is said this way, too.
    Diagnostics {
        /// Who says so.
        server: ServerId,
        /// The file: as it was opened, or as the server names it if it is not open.
        path: PathBuf,
        /// The version of the text that the ranges belong to. For a file that is not open it is 0, and the ranges are
        /// those of its text on disk.
        version: u64,
        /// In the order of the text.
        diagnostics: Vec<Diagnostic>,
    },
    /// How a server is now.
    State {
        /// Which one.
        server: ServerId,
        /// How it is.
        state: State,
    },
    /// Something a server wants people to read, or that is to be said about it.
    Message {
        /// Who says so.
        server: ServerId,
        /// How bad it is.
        severity: Severity,
        /// What it says.
        text: String,
    },
}
