//! Watching files and folders for changes made by others.
//!
//! One named thread owns the system's watches. A file is watched through its folder, so that one replaced by renaming,
//! as most programs save, is still seen; a project folder is watched folder by folder, what git ignores left out, so
//! that a build directory does not use up the system's watches. Events are gathered until none comes for a moment and
//! handed over as one set of paths through a bounded channel.
//!
//! What cannot be watched is told once ([`Event::Limited`]) and nothing else changes: whoever needs to know looks again
//! on its own. Our own temporary files are left out.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded, never, select};
use notify::event::{CreateKind, EventKind, ModifyKind, RenameMode};
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};

use super::save::is_temporary;
use crate::limits::Limits;
use crate::project::walk;

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// These paths were written, created, removed or renamed, by anyone, us included. Sorted, each once.
    Changed(Vec<PathBuf>),
    /// So much happened that only looking again at everything helps.
    Rescan,
    /// Something is not watched from now on. Told once for each reason.
    Limited(WatchError),
}

/// Why something is not watched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WatchError {
    /// The system gives no more watches.
    #[error(
        "the system's limit of watched folders is reached: outside changes below {folder} are seen on refresh only \
         (raise fs.inotify.max_user_watches)"
    )]
    SystemLimit {
        /// The first folder that is not watched.
        folder: PathBuf,
    },
    /// The project has more folders than [`Limits::watched_folders`].
    #[error("more than {limit} folders: outside changes in the others are seen on refresh only")]
    OwnLimit {
        /// The limit.
        limit: usize,
    },
    /// The system cannot watch here.
    #[error("{folder} cannot be watched ({reason}): outside changes are seen on refresh only")]
    Unavailable {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        reason: String,
    },
}

enum Order {
    File(PathBuf),
    ForgetFile(PathBuf),
    Folder(PathBuf),
    ForgetFolder(PathBuf),
}

/// Watches until dropped. Cheap to call from the UI thread: each call is a message.
#[derive(Debug)]
pub struct Watcher {
    orders: Sender<Order>,
}

/// Orders under way; more files than that opened at once wait for their turn.
const ORDERS: usize = 1024;
/// Sets of changes not yet looked at; further ones join the one that waits.
const EVENTS: usize = 16;
/// Raw events of the system not yet gathered; beyond, everything is looked at again.
const RAW: usize = 16 << 10;

impl Watcher {
    /// Starts the thread. `wake` is called on it after each event that was put into the channel.
    pub fn start(limits: &Limits, wake: impl Fn() + Send + 'static) -> io::Result<(Self, Receiver<Event>)> {
        let (orders, incoming) = bounded(ORDERS);
        let (events, outgoing) = bounded(EVENTS);
        let limits = limits.clone();
        std::thread::Builder::new().name("file-watch".into()).spawn(move || {
            let (raw_sender, raw) = bounded(RAW);
            let overflow = Overflow::default();
            let watcher = notify::recommended_watcher({
                let overflow = overflow.clone();
                move |event| {
                    if let Err(TrySendError::Full(_)) = raw_sender.try_send(event) {
                        overflow.set();
                    }
                }
            });
            let mut thread = Thread::new(limits, events, overflow, wake);
            match watcher {
                Ok(watcher) => thread.watcher = Some(watcher),
                Err(error) => {
                    thread.limited(WatchError::Unavailable { folder: PathBuf::from("/"), reason: error.to_string() });
                }
            }
            thread.run(&incoming, &raw);
        })?;
        Ok((Self { orders }, outgoing))
    }

    /// Watches the file at `path`, absolute, whether it exists or not; through a link, also the file it leads to, whose
    /// events are told with `path`. Each call needs one [`Self::forget_file`].
    pub fn watch_file(&self, path: &Path) {
        self.order(Order::File(path.to_owned()));
    }

    /// Ends one [`Self::watch_file`].
    pub fn forget_file(&self, path: &Path) {
        self.order(Order::ForgetFile(path.to_owned()));
    }

    /// Watches all that is below the folder `root`, absolute, but what git ignores; of `.git` the state (HEAD, index,
    /// branches), not the objects. Told paths start with `root`.
    pub fn watch_folder(&self, root: &Path) {
        self.order(Order::Folder(root.to_owned()));
    }

    /// Ends [`Self::watch_folder`].
    pub fn forget_folder(&self, root: &Path) {
        self.order(Order::ForgetFolder(root.to_owned()));
    }

    fn order(&self, order: Order) {
        // The thread ends only with us, so this fails never; it waits when a thousand orders are under way.
        let _ = self.orders.send(order);
    }
}

/// Whether raw events were lost.
#[derive(Clone, Debug, Default)]
struct Overflow(crate::cancel::Cancel);

impl Overflow {
    fn set(&self) {
        self.0.cancel();
    }

    fn is_set(&self) -> bool {
        self.0.is_cancelled()
    }
}

type Raw = notify::Result<notify::Event>;

struct Thread<W> {
    watcher: Option<RecommendedWatcher>,
    limits: Limits,
    events: Sender<Event>,
    wake: W,
    overflow: Overflow,
    /// Watched files: as they were named, and how often.
    files: HashMap<PathBuf, usize>,
    /// Real path of a watched file that is reached through links → names it is watched by.
    real: HashMap<PathBuf, HashSet<PathBuf>>,
    /// Roots of watched trees.
    roots: HashSet<PathBuf>,
    /// Folders the system watches for us, and whether that is for a tree.
    folders: HashMap<PathBuf, bool>,
    /// Reasons already told.
    told: HashSet<std::mem::Discriminant<WatchError>>,
    /// Gathered and not yet handed over.
    changed: BTreeSet<PathBuf>,
    rescan: bool,
    notices: Vec<WatchError>,
    first: Option<Instant>,
    last: Instant,
}

impl<W: Fn()> Thread<W> {
    fn new(limits: Limits, events: Sender<Event>, overflow: Overflow, wake: W) -> Self {
        Self {
            watcher: None,
            limits,
            events,
            wake,
            overflow,
            files: HashMap::new(),
            real: HashMap::new(),
            roots: HashSet::new(),
            folders: HashMap::new(),
            told: HashSet::new(),
            changed: BTreeSet::new(),
            rescan: false,
            notices: Vec::new(),
            first: None,
            last: Instant::now(),
        }
    }

    fn run(mut self, orders: &Receiver<Order>, raw: &Receiver<Raw>) {
        let nothing = never();
        // Without a watcher the raw channel is closed at once, and would keep the loop spinning.
        let raw = if self.watcher.is_some() { raw } else { &nothing };
        loop {
            let wait = self.until_due();
            select! {
                recv(orders) -> order => match order {
                    Ok(order) => self.obey(order),
                    Err(_) => return,
                },
                recv(raw) -> event => match event {
                    Ok(event) => self.gather(event),
                    Err(_) => return,
                },
                default(wait) => {}
            }
            if self.until_due().is_zero() {
                self.hand_over();
            }
        }
    }

    /// How long to wait before handing over; long when there is nothing to.
    fn until_due(&self) -> Duration {
        let Some(first) = self.first else { return Duration::from_hours(1) };
        let due = (self.last + self.limits.watch_quiet).min(first + self.limits.watch_longest);
        due.saturating_duration_since(Instant::now())
    }

    fn touched(&mut self) {
        self.last = Instant::now();
        self.first.get_or_insert(self.last);
    }

    fn hand_over(&mut self) {
        if self.overflow.is_set() {
            self.overflow.0 = crate::cancel::Cancel::new();
            self.rescan = true;
        }
        while let Some(notice) = self.notices.pop() {
            if !self.send(Event::Limited(notice.clone())) {
                self.notices.push(notice);
                return;
            }
        }
        if self.rescan || self.changed.len() > self.limits.watched_burst {
            if self.send(Event::Rescan) {
                self.rescan = false;
                self.changed.clear();
                self.first = None;
            }
        } else if self.changed.is_empty() || self.send(Event::Changed(self.changed.iter().cloned().collect())) {
            self.changed.clear();
            self.first = None;
        }
    }

    /// False when the channel is full: then all is kept, and tried again a moment later.
    fn send(&mut self, event: Event) -> bool {
        if let Err(TrySendError::Full(_)) = self.events.try_send(event) {
            self.last = Instant::now();
            self.first = Some(self.last);
            return false;
        }
        (self.wake)();
        true
    }

    fn limited(&mut self, error: WatchError) {
        if self.told.insert(std::mem::discriminant(&error)) {
            self.notices.push(error);
            self.touched();
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::File(path) => {
                self.watch_parent(&path);
                if let Ok(real) = std::fs::canonicalize(&path)
                    && real != path
                {
                    self.watch_parent(&real);
                    self.real.entry(real).or_default().insert(path.clone());
                }
                *self.files.entry(path).or_default() += 1;
            }
            Order::ForgetFile(path) => {
                if let Some(count) = self.files.get_mut(&path) {
                    *count -= 1;
                    if *count == 0 {
                        self.files.remove(&path);
                        self.real.retain(|_, names| {
                            names.remove(&path);
                            !names.is_empty()
                        });
                        self.drop_unused();
                    }
                }
            }
            Order::Folder(root) => {
                self.roots.insert(root.clone());
                self.watch_tree(&root, &root);
            }
            Order::ForgetFolder(root) => {
                self.roots.remove(&root);
                for (folder, in_tree) in &mut self.folders {
                    *in_tree &= self.roots.iter().any(|root| folder.starts_with(root));
                }
                self.drop_unused();
            }
        }
    }

    fn watch_parent(&mut self, file: &Path) {
        if let Some(folder) = file.parent() {
            self.watch(folder, false);
        }
    }

    /// Watches the folders below `folder`, a folder of the tree `root`, that are not ignored.
    fn watch_tree(&mut self, root: &Path, folder: &Path) {
        let folders =
            walk::builder(folder).filter_entry(|entry| is_folder(entry) && !walk::is_hidden(entry.file_name())).build();
        for entry in folders.flatten() {
            if !self.watch(entry.path(), true) {
                return;
            }
        }
        let git = root.join(".git");
        if folder == root && git.is_dir() {
            self.watch(&git, true);
            let heads =
                ignore::WalkBuilder::new(git.join("refs")).standard_filters(false).filter_entry(is_folder).build();
            for entry in heads.flatten() {
                self.watch(entry.path(), true);
            }
        }
    }

    /// False when no further folder can be watched.
    fn watch(&mut self, folder: &Path, in_tree: bool) -> bool {
        if let Some(for_tree) = self.folders.get_mut(folder) {
            *for_tree |= in_tree;
            return true;
        }
        if self.folders.len() >= self.limits.watched_folders && in_tree {
            self.limited(WatchError::OwnLimit { limit: self.limits.watched_folders });
            return false;
        }
        let Some(watcher) = &mut self.watcher else { return false };
        match watcher.watch(folder, RecursiveMode::NonRecursive) {
            Ok(()) => {
                self.folders.insert(folder.to_owned(), in_tree);
                true
            }
            Err(error) => match error.kind {
                notify::ErrorKind::MaxFilesWatch => {
                    self.limited(WatchError::SystemLimit { folder: folder.to_owned() });
                    false
                }
                // Gone again already, or not yet there: nothing to watch is no news.
                notify::ErrorKind::PathNotFound => true,
                notify::ErrorKind::Io(error) if error.kind() == io::ErrorKind::NotFound => true,
                _ => {
                    self.limited(WatchError::Unavailable { folder: folder.to_owned(), reason: error.to_string() });
                    true
                }
            },
        }
    }

    fn drop_unused(&mut self) {
        let needed: HashSet<&Path> =
            self.files.keys().chain(self.real.keys()).filter_map(|path| path.parent()).collect();
        let watcher = &mut self.watcher;
        self.folders.retain(|folder, in_tree| {
            let keep = *in_tree || needed.contains(folder.as_path());
            if !keep && let Some(watcher) = watcher {
                let _ = watcher.unwatch(folder); // Fails when the folder is gone, and the watch with it.
            }
            keep
        });
    }

    fn gather(&mut self, event: Raw) {
        let event = match event {
            Ok(event) => event,
            Err(error) => {
                if matches!(error.kind, notify::ErrorKind::MaxFilesWatch) {
                    let folder = error.paths.into_iter().next().unwrap_or_default();
                    self.limited(WatchError::SystemLimit { folder });
                }
                return;
            }
        };
        if event.need_rescan() {
            self.rescan = true;
            self.touched();
        }
        if event.kind.is_access() {
            return;
        }
        for path in &event.paths {
            if path.file_name().is_some_and(is_temporary) {
                continue;
            }
            self.gather_path(path, event.kind);
        }
    }

    fn gather_path(&mut self, path: &Path, kind: EventKind) {
        let root = self.roots.iter().find(|root| path.starts_with(root)).cloned();
        if let Some(names) = self.real.get(path) {
            self.changed.extend(names.iter().cloned());
            self.touched();
        }
        if self.files.contains_key(path) || root.is_some() {
            self.changed.insert(path.to_owned());
            self.touched();
        }
        let Some(root) = root else { return };
        match kind {
            // A new folder may have been filled before we watch it, so what is in it is news, too.
            EventKind::Create(CreateKind::Folder | CreateKind::Any | CreateKind::Other)
            | EventKind::Modify(ModifyKind::Name(RenameMode::To | RenameMode::Any))
                if path.is_dir() && !path.starts_with(root.join(".git")) && !walk::is_ignored(path) =>
            {
                self.watch_tree(&root, path);
                let found = walk::builder(path).build().flatten().take(self.limits.watched_burst + 1);
                self.changed.extend(found.map(|entry| entry.path().to_owned()));
            }
            EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From)) => {
                self.forget_tree(path);
            }
            _ => {}
        }
    }

    /// The folder is gone from here, and the system's watches on it are, or would tell a wrong path.
    fn forget_tree(&mut self, gone: &Path) {
        let Some(watcher) = &mut self.watcher else { return };
        if !self.folders.contains_key(gone) {
            return;
        }
        self.folders.retain(|folder, _| {
            let keep = !folder.starts_with(gone);
            if !keep {
                let _ = watcher.unwatch(folder);
            }
            keep
        });
    }
}

fn is_folder(entry: &ignore::DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}
