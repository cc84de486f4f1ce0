//! How long work on a tree may take, and why it stopped.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::cancel::Cancel;

/// Permission to work: until a flag is set or a moment has passed. Looked at every hundred or so steps of the parser.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    cancel: Cancel,
    deadline: Option<Instant>,
}

/// Why there is no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Nobody waits for it any more.
    Cancelled,
    /// It took longer than allowed.
    TimedOut,
    /// The parser refused the text (4 GiB and more) or the grammar is broken.
    Refused,
}

impl Budget {
    /// Work until `cancel` is set, however long it takes.
    pub fn until(cancel: &Cancel) -> Self {
        Self { cancel: cancel.clone(), deadline: None }
    }

    /// Work for `time` from now, unless `cancel` is set before.
    pub fn within(time: Duration, cancel: &Cancel) -> Self {
        Self { cancel: cancel.clone(), deadline: Instant::now().checked_add(time) }
    }

    /// Whether work may go on.
    pub fn check(&self) -> Result<(), Stop> {
        if self.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stop::TimedOut),
            _ => Ok(()),
        }
    }

    /// The same as a progress callback of tree-sitter answers it.
    pub(super) fn flow(&self) -> ControlFlow<()> {
        match self.check() {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}
