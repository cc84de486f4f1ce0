//! Telling work on another thread that nobody waits for it any more.
//!
//! A [`Cancel`] is a flag that many hold: the one who asked sets it, the one who works looks at it every few
//! thousand steps. It is set once and never cleared; new work takes a new flag.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that says whether work should stop. Clones share it; looking costs one relaxed load.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks all holders of this flag to stop.
    pub fn cancel(&self) {
        // Nothing is published through the flag, so no ordering is needed: a stale look only costs a little more work.
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether someone asked to stop.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// `Err` once someone asked to stop; for work that returns early with `?`.
    #[inline]
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// A handle that cancels this flag when it is dropped: the asker keeps it for as long as it wants the answer.
    pub fn on_drop(&self) -> CancelOnDrop {
        CancelOnDrop(self.clone())
    }
}

/// Work that stopped because nobody waits for it. Not shown to anyone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

/// Cancels its flag when dropped. See [`Cancel::on_drop`].
#[derive(Debug)]
#[must_use = "dropping it cancels at once"]
pub struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_flag() {
        let asked = Cancel::new();
        let working = asked.clone();
        assert!(!working.is_cancelled());
        asked.cancel();
        assert!(working.is_cancelled());
    }

    #[test]
    fn dropping_the_handle_cancels() {
        let cancel = Cancel::new();
        drop(cancel.on_drop());
        assert!(cancel.is_cancelled());
    }
}
