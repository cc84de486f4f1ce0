//! A lock that is given in turn.
//!
//! The reader locks the screen thousands of times a second under a flood; with an ordinary mutex the window would wait
//! until chance lets it in.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Whoever holds `next` gets `data` as soon as it is free, and nobody passes them.
#[derive(Debug)]
pub(crate) struct Fair<T> {
    next: Mutex<()>,
    data: Mutex<T>,
}

impl<T> Fair<T> {
    pub fn new(data: T) -> Self {
        Self { next: Mutex::new(()), data: Mutex::new(data) }
    }

    pub fn lock(&self) -> MutexGuard<'_, T> {
        let _next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        self.data.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
