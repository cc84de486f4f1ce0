//! What runs made of files that is left to be decided on: of conversations that are open, and of the others of the project.
//!
//! It is looked at in the background, one look after the other, so that what is told last is how things are. Of
//! conversations that are not open only the last few count, and of those only files that are not committed: what somebody
//! committed they have decided on.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use agent::checkpoint;
use agent::event::{ChangeKind, FileChange, SessionId};
use agent::host::{FileBytes, Host, ProjectPath};
use agent::session::Store;
use diff::git::Repo;
use diff::source::{Comparison, Source};
use editor::Cancel;

use super::host::WindowHost;
use super::rounds::{self, Round};
use super::thread::{Outbox, Room};
use crate::tasks::{Poll, Task, Tasks};

/// Conversations that are not open whose changes are looked at.
const CONVERSATIONS: usize = 8;
/// Files of one of them at most.
const FILES: usize = 200;

/// What runs of a conversation made of files.
pub struct Changes {
    /// The files that nobody kept or accepted.
    pub files: Vec<Changed>,
    /// The same as something to be reviewed, with files that are as they were; none if all was kept or accepted.
    pub comparison: Option<Comparison>,
    /// The runs that wrote files.
    pub rounds: Vec<Round>,
}

/// A file that runs changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    pub path: String,
    pub added: u32,
    pub removed: u32,
}

/// What a look found.
#[derive(Default)]
pub struct Found {
    pub sessions: Vec<(SessionId, Changes)>,
    /// The conversations that are not open of which something is left, where that was asked; of others nothing is.
    pub rest: Option<BTreeSet<SessionId>>,
}

/// Looks that are due and the one that is under way.
#[derive(Default)]
pub struct Looks {
    due: BTreeSet<SessionId>,
    /// The ones that are not open are to be looked for.
    rest: bool,
    task: Option<Task<Result<Found, String>>>,
}

impl Looks {
    /// Looks at a conversation, once nothing else is being looked at.
    pub fn ask(&mut self, session: SessionId) {
        self.due.insert(session);
    }

    /// Looks for conversations that are not open.
    pub fn ask_rest(&mut self) {
        self.rest = true;
    }

    /// Whether the next call of [`Looks::go_on`] begins a look.
    pub fn is_due(&self) -> bool {
        self.task.is_none() && (self.rest || !self.due.is_empty())
    }

    pub fn is_busy(&self) -> bool {
        self.task.is_some() || self.is_due()
    }

    /// What was found, once.
    pub fn take(&mut self) -> Option<Result<Found, String>> {
        let found = match self.task.as_ref()?.poll() {
            Poll::Pending => return None,
            Poll::Ready(found) => found,
            Poll::Lost => Err("looking at what is left ended unexpectedly".to_owned()),
        };
        self.task = None;
        Some(found)
    }

    /// Begins the look that is due, unless one is under way; `open` are the conversations that go on in this window.
    pub fn go_on(&mut self, room: &Room, open: BTreeSet<SessionId>, tasks: &Tasks) {
        if !self.is_due() {
            return;
        }
        let (due, rest) = (std::mem::take(&mut self.due), std::mem::take(&mut self.rest));
        let (room, waker) = (room.clone(), tasks.waker().clone());
        self.task = Some(tasks.spawn("look at what agents changed", move |cancel| {
            // Nothing is asked and nothing written while files are looked at.
            let host = WindowHost::open(&room.root, room.paths.clone(), room.shared.clone(), Outbox::to_nobody(waker));
            let found = || look_at(&room, &host?, due, &open, rest, cancel);
            found().map_err(|error| format!("{error:#}"))
        }));
    }
}

fn look_at(
    room: &Room,
    host: &WindowHost,
    due: BTreeSet<SessionId>,
    open: &BTreeSet<SessionId>,
    rest: bool,
    cancel: &Cancel,
) -> anyhow::Result<Found> {
    let mut found = Found { rest: rest.then(BTreeSet::new), ..Found::default() };
    let Some(mut store) = room.store_if_any()? else { return Ok(found) };
    let (mut at_rest, due): (Vec<_>, Vec<_>) = due.into_iter().partition(|session| !open.contains(session));
    for session in due {
        let paths = store.unkept_files(&session)?;
        let changes = look(&mut store, host, &room.root, &session, &paths)?;
        found.sessions.push((session, changes));
    }
    if rest {
        let last = store.unkept_sessions(&room.root.to_string_lossy(), CONVERSATIONS + open.len())?;
        let others = last.into_iter().filter(|session| !open.contains(session));
        at_rest = others.take(CONVERSATIONS).chain(at_rest).collect();
        at_rest.sort();
        at_rest.dedup();
    }
    let mut files = Vec::new();
    for session in at_rest {
        let mut paths = store.unkept_files(&session)?;
        paths.truncate(FILES);
        files.push((session, paths));
    }
    let wanted = files.iter().flat_map(|(_, paths)| paths.iter().map(String::as_str)).collect();
    let changed = uncommitted(&room.root, &wanted, cancel);
    for (session, mut paths) in files {
        cancel.check()?;
        paths.retain(|path| changed.as_ref().is_none_or(|changed| changed.contains(path)));
        let mut changes = look(&mut store, host, &room.root, &session, &paths)?;
        match (changes.files.is_empty(), &mut found.rest) {
            (true, _) => changes.comparison = None,
            (false, Some(rest)) => drop(rest.insert(session.clone())),
            (false, None) => {}
        }
        found.sessions.push((session, changes));
    }
    Ok(found)
}

/// The ones of some files that are otherwise than in the last commit; none where that cannot be told.
fn uncommitted(root: &Path, paths: &BTreeSet<&str>, cancel: &Cancel) -> Option<BTreeSet<String>> {
    if paths.is_empty() {
        return Some(BTreeSet::new());
    }
    let repo = Repo::discover(root).ok()?;
    let top = repo.root()?.to_owned();
    let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let below: PathBuf = canonical(root).strip_prefix(canonical(&top)).ok()?.to_owned();
    let below = below.to_str()?.replace('\\', "/");
    let below = if below.is_empty() { below } else { format!("{below}/") };
    let specs = paths.iter().map(|path| format!(":(top,literal){below}{path}")).collect();
    let comparison = Comparison::of_repo(repo, Source::WorkingTree { against: None }, specs).ok()?;
    let changes = comparison.changes(cancel).ok()?;
    let of = |path: &diff::git::RepoPath| path.display().strip_prefix(below.as_str()).map(str::to_owned);
    Some(
        changes
            .iter()
            .flat_map(|change| [Some(&change.path), change.old_path.as_ref()])
            .flatten()
            .filter_map(of)
            .collect(),
    )
}

/// What is left of some files of a session, as they are now. Waits for the disk.
fn look(
    store: &mut Store,
    host: &dyn Host,
    root: &Path,
    session: &SessionId,
    paths: &[String],
) -> anyhow::Result<Changes> {
    let mut files = Vec::new();
    let mut compared = BTreeMap::new();
    let mut first = u32::MAX;
    for path in paths {
        let Some(pending) = store.pending_of(session, path)? else { continue };
        let Some(now) = ProjectPath::parse(path).ok().and_then(|path| host.bytes(&path).ok()) else { continue };
        let before = checkpoint::compared(&pending, &now);
        if now.as_ref().map(|file| &file.bytes) != before.as_ref().map(|file| &file.bytes) {
            let (before, now) = (text(before.as_ref()), text(now.as_ref()));
            let change = FileChange::between(path, ChangeKind::Modified, &before, &now);
            files.push(Changed { path: path.clone(), added: change.added, removed: change.removed });
        }
        first = first.min(pending.run);
        compared.insert(path.clone(), before);
    }
    let comparison = (!compared.is_empty()).then(|| rounds::since(root, format!("run {first}"), compared));
    Ok(Changes { files, comparison, rounds: rounds::rounds(&store.checkpoints(session)?) })
}

/// What a file says.
pub fn text(file: Option<&FileBytes>) -> String {
    file.map(|file| String::from_utf8_lossy(&file.bytes).into_owned()).unwrap_or_default()
}
