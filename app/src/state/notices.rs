//! What the user is told: few lines, each once, kept in the bell.

use std::time::Instant;

/// How much a notice matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Info,
    Warning,
    Error,
}

/// One thing to say.
#[derive(Clone, Debug)]
pub struct Notice {
    pub level: Level,
    /// What happened, to which thing, and what to do.
    pub text: String,
    pub at: Instant,
}

/// Everything said since the start, newest last.
#[derive(Default)]
pub struct Notices {
    pub all: Vec<Notice>,
}

impl Notices {
    /// Tells that something happened.
    pub fn info(&mut self, text: impl Into<String>) {
        self.push(Level::Info, text.into());
    }

    /// Tells that something is not as it should be.
    pub fn warn(&mut self, text: impl Into<String>) {
        self.push(Level::Warning, text.into());
    }

    /// Tells that something failed: what, to which thing, and what to do.
    pub fn error(&mut self, text: impl Into<String>) {
        self.push(Level::Error, text.into());
    }

    fn push(&mut self, level: Level, text: String) {
        self.all.push(Notice { level, text, at: Instant::now() });
    }
}
