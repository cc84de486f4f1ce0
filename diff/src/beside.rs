//! Two things at once: for scans of texts so large that one core takes longer than a frame.

use std::thread;

/// Texts from here on are scanned on two threads; below, starting one costs more than it saves.
pub(crate) const PARALLEL_BYTES: usize = 8 << 20;

/// Runs `there` on a thread of its own while `here` runs on this one; after it, if the system gives no thread.
pub(crate) fn beside<A, B: Send>(name: &str, here: impl FnOnce() -> A, there: impl Fn() -> B + Sync) -> (A, B) {
    let there = &there;
    thread::scope(|scope| {
        let other = thread::Builder::new().name(name.to_owned()).spawn_scoped(scope, there);
        let found = here();
        let beside = other.ok().and_then(|thread| thread.join().ok());
        (found, beside.unwrap_or_else(there))
    })
}
