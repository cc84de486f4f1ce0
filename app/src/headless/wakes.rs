//! When the next frame is due, as egui asked from any thread.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The earliest moment for which a frame was asked; none means that nothing was.
#[derive(Default)]
pub struct Wakes {
    due: Mutex<Option<Instant>>,
    changed: Condvar,
}

impl Wakes {
    /// Asks for a frame after `delay`; a longer delay than one already asked for changes nothing.
    pub fn ask(&self, delay: Duration) {
        let Some(at) = Instant::now().checked_add(delay) else { return };
        let mut due = self.lock();
        if due.is_none_or(|earlier| at < earlier) {
            *due = Some(at);
            self.changed.notify_all();
        }
    }

    /// Forgets what was asked.
    pub fn clear(&self) {
        *self.lock() = None;
    }

    /// Whether a frame is due now.
    pub fn is_due(&self) -> bool {
        self.lock().is_some_and(|at| at <= Instant::now())
    }

    /// Sleeps until a frame is due, and says so; false when `deadline` comes first.
    pub fn wait(&self, deadline: Instant) -> bool {
        let mut due = self.lock();
        loop {
            let now = Instant::now();
            let until = match *due {
                Some(at) if at <= now => return true,
                Some(at) => at.min(deadline),
                None => deadline,
            };
            if now >= deadline {
                return false;
            }
            due = self.changed.wait_timeout(due, until - now).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Instant>> {
        // The moment is replaced in one statement, so it is whole whatever panicked.
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    #[test]
    fn another_thread_ends_the_wait() {
        let wakes = Arc::new(Wakes::default());
        let waker = Arc::clone(&wakes);
        let thread = thread::Builder::new().name("waker".to_owned());
        let thread = thread.spawn(move || waker.ask(Duration::ZERO)).unwrap();
        assert!(wakes.wait(Instant::now() + Duration::from_mins(1)));
        thread.join().unwrap();
    }

    #[test]
    fn a_later_request_does_not_put_off_an_earlier_one() {
        let wakes = Wakes::default();
        wakes.ask(Duration::ZERO);
        wakes.ask(Duration::from_mins(1));
        assert!(wakes.is_due());
    }

    #[test]
    fn nothing_asked_waits_until_the_deadline() {
        assert!(!Wakes::default().wait(Instant::now()));
    }

    #[test]
    fn never_is_not_a_moment() {
        let wakes = Wakes::default();
        wakes.ask(Duration::MAX);
        assert!(!wakes.is_due());
    }
}
