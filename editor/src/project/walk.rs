//! Listing a whole project in the background: all files that git would not ignore, in parallel, cancelable.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, SendTimeoutError, Sender, bounded};
use ignore::{WalkBuilder, WalkState};

use crate::cancel::Cancel;
use crate::file::is_temporary;
use crate::limits::Limits;

/// What a listing tells as it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Some more files, relative to the root, in no order.
    Files(Vec<PathBuf>),
    /// All was told.
    Finished(Listing),
}

/// How a listing ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Files told.
    pub files: usize,
    /// Folders or files that could not be read.
    pub unreadable: usize,
    /// Whether [`Limits::listed_files`] ended it early.
    pub limited: bool,
}

/// Files told at a time.
const BATCH: usize = 512;
/// Batches not yet taken; beyond, the walk waits for whoever takes them.
const BATCHES: usize = 64;

/// Whether an entry of that name never belongs to a project's files.
pub(crate) fn is_hidden(name: &OsStr) -> bool {
    name == ".git" || is_temporary(name)
}

/// A walk of what git does not ignore below `folder`, names that start with a dot included. Whoever walks leaves out
/// what [`is_hidden`] names.
pub(crate) fn builder(folder: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(folder);
    // Ignore files count without a repository, too: other systems, and exported trees, have the same ones.
    builder.hidden(false).require_git(false).follow_links(false);
    builder
}

/// Whether git ignores the file or folder at `path` by the rules from its folder on upwards. Reads that folder.
pub(crate) fn is_ignored(path: &Path) -> bool {
    let Some(folder) = path.parent() else { return false };
    !builder(folder).max_depth(Some(1)).build().flatten().any(|entry| entry.path() == path)
}

/// Lists the files below `root` on threads of its own, until done or cancelled; dropping the receiver ends it, too.
pub fn walk(root: &Path, limits: &Limits, cancel: &Cancel) -> io::Result<Receiver<Found>> {
    let (sender, receiver) = bounded(BATCHES);
    let (root, limit, cancel) = (root.to_owned(), limits.listed_files, cancel.clone());
    std::thread::Builder::new().name("project-walk".into()).spawn(move || {
        let counts = Counts::default();
        let mut walk = builder(&root);
        walk.filter_entry(|entry| !is_hidden(entry.file_name()));
        walk.threads(std::thread::available_parallelism().map_or(2, usize::from).min(8));
        walk.build_parallel().run(|| {
            let mut batch = Batch { files: Vec::new(), sender: &sender, cancel: &cancel };
            let (root, counts) = (&root, &counts);
            Box::new(move |entry| batch.visit(root, entry, counts, limit))
        });
        let files = counts.files.into_inner();
        let listing =
            Listing { files: files.min(limit), unreadable: counts.unreadable.into_inner(), limited: files > limit };
        send(&sender, Found::Finished(listing), &cancel);
    })?;
    Ok(receiver)
}

#[derive(Default)]
struct Counts {
    files: AtomicUsize,
    unreadable: AtomicUsize,
}

/// Files found by one thread, told when there are enough, and when the thread ends.
struct Batch<'a> {
    files: Vec<PathBuf>,
    sender: &'a Sender<Found>,
    cancel: &'a Cancel,
}

impl Batch<'_> {
    fn visit(
        &mut self,
        root: &Path,
        entry: Result<ignore::DirEntry, ignore::Error>,
        counts: &Counts,
        limit: usize,
    ) -> WalkState {
        if self.cancel.is_cancelled() {
            return WalkState::Quit;
        }
        let Ok(entry) = entry else {
            counts.unreadable.fetch_add(1, Ordering::Relaxed);
            return WalkState::Continue;
        };
        if entry.file_type().is_none_or(|kind| kind.is_dir()) {
            return WalkState::Continue;
        }
        if counts.files.fetch_add(1, Ordering::Relaxed) >= limit {
            return WalkState::Quit;
        }
        let path = entry.path();
        self.files.push(path.strip_prefix(root).unwrap_or(path).to_owned());
        if self.files.len() == BATCH && !self.flush() {
            return WalkState::Quit;
        }
        WalkState::Continue
    }

    fn flush(&mut self) -> bool {
        self.files.is_empty() || send(self.sender, Found::Files(std::mem::take(&mut self.files)), self.cancel)
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        self.flush();
    }
}

/// Waits for room, but not for one who no longer wants it.
fn send(sender: &Sender<Found>, mut found: Found, cancel: &Cancel) -> bool {
    while !cancel.is_cancelled() {
        match sender.send_timeout(found, Duration::from_millis(50)) {
            Ok(()) => return true,
            Err(SendTimeoutError::Timeout(back)) => found = back,
            Err(SendTimeoutError::Disconnected(_)) => return false,
        }
    }
    false
}
