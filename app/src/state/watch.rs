//! Seeing what others change on disk: the files of open documents, the open folder, repositories under review.
//!
//! [`Watching`] keeps the watcher's orders equal to what is open and hands over what happened, gathered. What follows
//! from a change is decided in [`commands::disk`](crate::commands::disk); nothing here reads a file.
//!
//! A system that cannot watch is told about once; the window then looks again whenever it gets the focus back.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;
use editor::file::watch::{Event, Watcher};
use editor::limits::Limits;

use crate::tasks::Waker;

/// What happened since the last look.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Happened {
    /// Paths that were written, created, removed or renamed.
    pub changed: BTreeSet<PathBuf>,
    /// So much that only looking at everything again helps.
    pub everything: bool,
    /// What is not watched from now on, for the user.
    pub limited: Vec<String>,
}

impl Happened {
    /// Whether nothing did.
    pub fn is_nothing(&self) -> bool {
        self.changed.is_empty() && !self.everything && self.limited.is_empty()
    }

    /// Whether the file at `path` may be another now.
    pub fn concerns(&self, path: &Path) -> bool {
        self.everything || self.changed.contains(path)
    }

    /// Whether anything at or below `folder` may be another now.
    pub fn concerns_below(&self, folder: &Path) -> bool {
        self.everything || self.changed.iter().any(|path| path.starts_with(folder))
    }

    fn add(&mut self, event: Event) {
        match event {
            Event::Changed(paths) => self.changed.extend(paths),
            Event::Rescan => self.everything = true,
            Event::Limited(error) => self.limited.push(error.to_string()),
        }
    }
}

/// What is watched.
pub struct Watching {
    watcher: Watcher,
    events: Receiver<Event>,
    files: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
}

impl Watching {
    /// Starts the watcher's thread; nothing is watched yet.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(limits: &Limits, waker: &Waker) -> std::io::Result<Self> {
        let waker = waker.clone();
        let (watcher, events) = Watcher::start(limits, move || waker.wake())?;
        Ok(Self { watcher, events, files: BTreeSet::new(), folders: BTreeSet::new() })
    }

    /// Watches exactly these files and folders. Cheap when they are the same as before.
    pub fn follow(&mut self, files: BTreeSet<PathBuf>, folders: BTreeSet<PathBuf>) {
        if files != self.files {
            files.difference(&self.files).for_each(|path| self.watcher.watch_file(path));
            self.files.difference(&files).for_each(|path| self.watcher.forget_file(path));
            self.files = files;
        }
        if folders != self.folders {
            folders.difference(&self.folders).for_each(|path| self.watcher.watch_folder(path));
            self.folders.difference(&folders).for_each(|path| self.watcher.forget_folder(path));
            self.folders = folders;
        }
    }

    /// Takes what happened. Never waits.
    pub fn take(&mut self) -> Happened {
        let mut happened = Happened::default();
        for event in self.events.try_iter() {
            happened.add(event);
        }
        happened
    }
}

/// Something that is to be done once after a burst of changes, and not again and again in it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Due {
    at: Option<Instant>,
}

/// How long a refresh waits for further changes.
const CALM: Duration = Duration::from_millis(150);

impl Due {
    /// Asks for it. While it waits already, asking again does not put it off: changes that never end are followed, too.
    pub fn ask(&mut self, now: Instant) {
        self.at.get_or_insert(now + CALM);
    }

    /// Asks for it at once.
    pub fn ask_now(&mut self, now: Instant) {
        self.at = Some(now);
    }

    /// Whether it is to be done now; says so once. While `busy`, it waits.
    pub fn is_now(&mut self, now: Instant, busy: bool) -> bool {
        let due = !busy && self.at.is_some_and(|at| at <= now);
        if due {
            self.at = None;
        }
        due
    }

    /// How long until it is due, to be woken then. What is due already waits for something else, whose end wakes.
    pub fn wait(&self, now: Instant) -> Option<Duration> {
        self.at?.checked_duration_since(now).filter(|wait| !wait.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_followed_once_and_an_endless_one_still() {
        let start = Instant::now();
        let mut due = Due::default();
        due.ask(start);
        due.ask(start + CALM / 2);
        assert!(!due.is_now(start + CALM / 2, false), "it waits for the burst to end");
        assert_eq!(due.wait(start), Some(CALM));
        assert!(!due.is_now(start + CALM, true), "the one before is still under way");
        assert_eq!(due.wait(start + CALM), None, "no frame is asked for while it cannot be done");
        assert!(due.is_now(start + CALM, false), "asking again did not put it off");
        assert!(!due.is_now(start + CALM * 2, false), "once is enough");
    }

    #[test]
    fn what_happened_is_gathered_over_events() {
        let mut happened = Happened::default();
        happened.add(Event::Changed(vec!["/p/a/x".into()]));
        happened.add(Event::Changed(vec!["/p/b".into()]));
        assert!(happened.concerns(Path::new("/p/b")) && !happened.concerns(Path::new("/p/a")));
        assert!(happened.concerns_below(Path::new("/p/a")) && !happened.concerns_below(Path::new("/p/c")));
        happened.add(Event::Rescan);
        assert!(happened.concerns(Path::new("/p/c")));
    }

    #[test]
    fn a_change_from_outside_is_told_until_the_file_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("a.txt");
        std::fs::write(&path, "one").unwrap();
        let (woken, wakes) = crossbeam_channel::bounded(64);
        let waker = Waker::new(move || {
            let _ = woken.try_send(());
        });
        let mut watching = Watching::start(&Limits::default(), &waker).unwrap();
        watching.follow(BTreeSet::from([path.clone()]), BTreeSet::new());
        // The order is on its way: write until it is told.
        let told = (0..100).any(|n| {
            std::fs::write(&path, format!("{n}")).unwrap();
            wakes.recv_timeout(Duration::from_millis(100)).is_ok() && watching.take().concerns(&path)
        });
        assert!(told);
        watching.follow(BTreeSet::new(), BTreeSet::new());
        assert!(watching.files.is_empty());
    }
}
