//! The last lines a server said to people, kept for the day it is gone.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::sync::Notify;

/// Lines that are kept from the start, and from the end.
const FIRST: usize = 5;
const LAST: usize = 20;

/// Longer lines are cut.
const LINE: usize = 500;

/// The first and the last lines of a server. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Tail(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    lines: Mutex<Lines>,
    /// Told when nothing more is said.
    end: Notify,
}

#[derive(Debug, Default)]
struct Lines {
    first: Vec<String>,
    last: VecDeque<String>,
    /// A line without its end.
    open: Vec<u8>,
}

impl Tail {
    /// Adds a line.
    pub fn line(&self, line: &str) {
        self.lock().add(line);
    }

    /// Adds what `source` says until it says nothing more.
    pub async fn follow(self, mut source: impl AsyncRead + Unpin) {
        let mut piece = [0; 4096];
        while let Ok(count) = source.read(&mut piece).await
            && count > 0
        {
            self.bytes(&piece[..count]);
        }
        let mut lines = self.lock();
        let open = std::mem::take(&mut lines.open);
        lines.add(&String::from_utf8_lossy(&open));
        drop(lines);
        self.0.end.notify_one();
    }

    /// Waits until nothing more is said, but no longer than `time`: the end of a process is seen before its last words.
    pub async fn ended(&self, time: Duration) {
        // Who holds the other end may be another process, so its silence is waited for, not required.
        let _ = tokio::time::timeout(time, self.0.end.notified()).await;
    }

    fn bytes(&self, bytes: &[u8]) {
        let mut lines = self.lock();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if lines.open.len() < 4 * LINE {
                lines.open.extend_from_slice(piece);
            }
            if piece.ends_with(b"\n") {
                let open = std::mem::take(&mut lines.open);
                lines.add(&String::from_utf8_lossy(&open));
            }
        }
    }

    /// The line that says best why it ended: the first of the last ones that speaks of an error, else the very last. A
    /// stack trace follows what it is about.
    pub fn reason(&self) -> Option<String> {
        let lines = self.lock();
        let all = || lines.first.iter().chain(&lines.last);
        let speaks = |line: &&String| {
            let line = line.to_ascii_lowercase();
            ["error", "fatal", "panicked", "cannot", "not found"].iter().any(|word| line.contains(word))
        };
        all().find(speaks).or_else(|| all().next_back()).cloned()
    }

    /// Whether any line has `words` in it.
    pub fn says(&self, words: &str) -> bool {
        let lines = self.lock();
        lines.first.iter().chain(&lines.last).any(|line| line.contains(words))
    }

    fn lock(&self) -> MutexGuard<'_, Lines> {
        self.0.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lines {
    fn add(&mut self, line: &str) {
        let line: String = line.trim().chars().filter(|c| !c.is_control()).take(LINE).collect();
        if line.is_empty() {
            return;
        }
        if self.first.len() < FIRST {
            self.first.push(line);
            return;
        }
        if self.last.len() == LAST {
            self.last.pop_front();
        }
        self.last.push_back(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(said: &str, expected: Option<&str>) {
        let tail = Tail::default();
        tail.bytes(said.as_bytes());
        assert_eq!(tail.reason().as_deref(), expected, "{said:?}");
    }

    #[test]
    fn the_reason_is_the_error_and_not_what_follows_it() {
        let shim = "error: Unknown binary 'rust-analyzer' in official toolchain\n\nStack backtrace:\n   0: main\n";
        check(shim, Some("error: Unknown binary 'rust-analyzer' in official toolchain"));
        check("starting\nbye\n", Some("bye"));
        check("", None);
        let tail = Tail::default();
        for n in 0..1000 {
            tail.line(&n.to_string());
        }
        assert_eq!(tail.reason().as_deref(), Some("999"));
    }

    #[test]
    fn a_line_without_end_is_not_kept_whole() {
        let tail = Tail::default();
        for _ in 0..1000 {
            tail.bytes(&[b'x'; 1000]);
        }
        assert!(tail.lock().open.len() < 10_000);
    }
}
