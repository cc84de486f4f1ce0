//! Taking back what runs did to files and to the conversation, and taking that back again.
//!
//! Before each step that writes, the [`Store`] keeps the files that the step will write. A rewind to a checkpoint takes
//! back, from the last to the first, what that step and all after it made of each file. What people changed meanwhile
//! stays: each taking back is a three-way merge of what the step left, what is there now, and what was there before it;
//! where both changed the same lines, people's lines stay and the rewind says so.
//!
//! What a reviewer accepted is theirs, too: taking back what is left of all runs ([`settle`]) leaves it.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use diff::engine::{Options, compare};
use diff::lines::Content;
use diff::merge::{MarkerFormat, Merge, MergeOptions, Take};
use editor::Cancel;

use crate::event::{Moment, SessionId};
use crate::host::{FileBytes, Host, HostError, ProjectPath};
use crate::session::{Checkpoint, FileState, Kept, Pending, Store, StoreError};

/// What to take back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Files and conversation.
    Both,
    /// Files alone.
    Files,
    /// The conversation alone.
    Conversation,
}

/// What a rewind did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Files that are as they were.
    pub restored: Vec<String>,
    /// Files in which people's changes were kept, and why they are not as they were.
    pub kept: Vec<(String, String)>,
    /// Whether messages left the conversation, or came back.
    pub conversation: bool,
    /// How many changes the restored files lost, where not all of a run was taken back.
    pub changes: Option<usize>,
    /// Something stays because it was accepted.
    pub accepted: bool,
    /// It was the undoing of a rewind.
    pub undone: bool,
}

/// Why nothing was taken back.
#[derive(Debug, thiserror::Error)]
pub enum RewindError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is nothing to undo.
    #[error("there is no rewind to undo")]
    NothingToUndo,
}

/// Takes back what happened from a checkpoint on.
///
/// # Errors
/// When the store cannot be read or written; a file that cannot be written is in the report.
pub fn rewind(
    store: &mut Store,
    host: &dyn Host,
    session: &SessionId,
    number: u32,
    what: What,
) -> Result<Report, RewindError> {
    let all = store.checkpoints(session)?;
    let checkpoint = all.iter().find(|checkpoint| checkpoint.number == number);
    rewind_to(store, host, session, checkpoint.ok_or(StoreError::NoCheckpoint(number))?, what)
}

/// Takes back a run and all that followed it, whether anything was written in it or not.
///
/// # Errors
/// As [`rewind`].
pub fn rewind_run(
    store: &mut Store,
    host: &dyn Host,
    session: &SessionId,
    run: u32,
    what: What,
) -> Result<Report, RewindError> {
    let first = store.checkpoints(session)?.into_iter().find(|checkpoint| checkpoint.run >= run && !checkpoint.rewound);
    let said = store.conversation(session)?.into_iter().find(|said| said.run >= run);
    let (number, at) = first.as_ref().map_or((u32::MAX, Moment::now()), |first| (first.number, first.at));
    let Some(place) = said.map(|said| said.place).or(first.map(|first| first.place)) else {
        return Ok(Report::default());
    };
    let start = Checkpoint { number, run, step: 0, place, at, title: String::new(), files: Vec::new(), rewound: false };
    rewind_to(store, host, session, &start, what)
}

fn rewind_to(
    store: &mut Store,
    host: &dyn Host,
    session: &SessionId,
    checkpoint: &Checkpoint,
    what: What,
) -> Result<Report, RewindError> {
    let conversation = what != What::Files;
    if what == What::Conversation {
        store.rewind(session, checkpoint, None, true)?;
        return Ok(Report { conversation, ..Report::default() });
    }
    let mut report = Report { conversation, ..Report::default() };
    let plan = plan(host, &store.made_since(session, checkpoint.number)?, &mut report);
    // Kept before anything is written: a crash in between can be undone, too.
    store.rewind(session, checkpoint, Some(&plan), conversation)?;
    carry_out(host, &plan, &mut report);
    Ok(report)
}

/// Undoes the last rewind that was not undone.
///
/// # Errors
/// When there is none, or the store cannot be read or written.
pub fn undo(store: &mut Store, host: &dyn Host, session: &SessionId) -> Result<Report, RewindError> {
    let (rewind, made) = store.last_rewind(session)?.ok_or(RewindError::NothingToUndo)?;
    let mut report = Report { conversation: true, undone: true, ..Report::default() };
    let plan = plan(host, &made, &mut report);
    store.undo_rewind(session, rewind)?;
    carry_out(host, &plan, &mut report);
    Ok(report)
}

/// Takes back what runs made of files and nobody accepted; what was accepted stays, and so does the conversation.
///
/// # Errors
/// When the store cannot be read or written; a file that cannot be written is in the report.
pub fn settle(store: &mut Store, host: &dyn Host, session: &SessionId) -> Result<Report, RewindError> {
    let mut report = Report { accepted: store.has_accepted(session)?, ..Report::default() };
    let mut plan = Vec::new();
    let mut changes = 0;
    for pending in store.pending(session)? {
        let now = match ProjectPath::parse(&pending.path).map_err(HostError::from).and_then(|path| host.bytes(&path)) {
            Ok(now) => now,
            Err(error) => {
                report.kept.push((pending.path, error.to_string()));
                continue;
            }
        };
        let (after, why) = without(&pending, &now, &Take::Ours);
        changes += hunks(&after, &now);
        report.kept.extend(why.map(|why| (pending.path.clone(), why.to_owned())));
        plan.push(Kept { path: pending.path, before: now, after: Some(after) });
    }
    report.changes = Some(changes);
    // Kept before anything is written, as of any rewind.
    store.settle(session, &plan)?;
    plan.retain(|file| file.after.as_ref() != Some(&file.before));
    carry_out(host, &plan, &mut report);
    Ok(report)
}

/// What a file that is pending is to be compared with: it without what runs made of it, but for what was accepted. Where
/// people changed the same lines, it has those that stood there before.
pub fn compared(pending: &Pending, now: &FileState) -> FileState {
    without(pending, now, &Take::Theirs).0
}

/// A file without what runs made of it and nobody accepted; where people changed the same lines as a run, `disputed` says
/// whose stand: theirs ([`Take::Ours`]), which is told, or those before the run.
fn without(pending: &Pending, now: &FileState, disputed: &Take) -> (FileState, Option<&'static str>) {
    let (mut state, mut told) = (now.clone(), None);
    let mut take = |found: Result<FileState, (FileState, &'static str)>| {
        found.unwrap_or_else(|(state, why)| {
            told = Some(why);
            state
        })
    };
    for made in pending.made.iter().rev() {
        let left = made.after.clone().unwrap_or_else(|| state.clone());
        state = take(back(&left, &state, &made.before, disputed));
    }
    // What led from there to what was accepted comes back.
    if let (Some(accepted), Some(first)) = (&pending.accepted, pending.made.first()) {
        state = take(back(&first.before, &state, accepted, disputed));
    }
    (state, told)
}

/// How many changes lie between two states of a file.
fn hunks(one: &FileState, other: &FileState) -> usize {
    let differ = usize::from(one != other);
    let (Some(one), Some(other)) = (one, other) else { return differ };
    let (Some(one), Some(other)) = (text(one), text(other)) else { return differ };
    compare(&one, &other, &Options::default(), &Cancel::new()).map_or(differ, |found| found.hunks.len())
}

/// What files are now and what they will be, after what was `made` of them is taken back, in its order.
fn plan(host: &dyn Host, made: &[Kept], report: &mut Report) -> Vec<Kept> {
    let mut files: BTreeMap<String, (FileState, FileState)> = BTreeMap::new();
    for one in made {
        if !files.contains_key(&one.path) {
            let now = ProjectPath::parse(&one.path).map_err(HostError::from).and_then(|path| host.bytes(&path));
            match now {
                Ok(now) => drop(files.insert(one.path.clone(), (now.clone(), now))),
                Err(error) => {
                    report.kept.push((one.path.clone(), error.to_string()));
                    continue;
                }
            }
        }
        let Some((_, state)) = files.get_mut(&one.path) else { continue };
        // What a step left is not known if the process ended before it was told: then what is there now is what it left.
        let left = one.after.as_ref().unwrap_or(state).clone();
        match back(&left, state, &one.before, &Take::Ours) {
            Ok(restored) => *state = restored,
            Err((merged, why)) => {
                *state = merged;
                report.kept.push((one.path.clone(), why.to_owned()));
            }
        }
    }
    let changed = files.into_iter().filter(|(_, (now, then))| now != then);
    changed.map(|(path, (before, after))| Kept { path, before, after: Some(after) }).collect()
}

fn carry_out(host: &dyn Host, plan: &[Kept], report: &mut Report) {
    for file in plan {
        let Ok(path) = ProjectPath::parse(&file.path) else { continue };
        let after = file.after.clone().flatten();
        match host.put(&path, after.as_ref(), file.before.as_ref()) {
            Ok(()) => report.restored.push(file.path.clone()),
            Err(error) => report.kept.push((file.path.clone(), error.to_string())),
        }
    }
}

/// What a file is after a change from `before` to `left` was taken out of what it is `now`. An error is what it is where
/// people changed the same, and why that is so; `disputed` says whose lines are in it.
fn back(
    left: &FileState,
    now: &FileState,
    before: &FileState,
    disputed: &Take,
) -> Result<FileState, (FileState, &'static str)> {
    if now == left {
        return Ok(before.clone());
    }
    if now == before {
        return Ok(now.clone());
    }
    let whole = if *disputed == Take::Theirs { before } else { now };
    let (Some(left), Some(there), Some(before)) = (left, now, before) else {
        return Err(match now {
            Some(_) => (whole.clone(), "it was changed since, and is left as it is"),
            None => (None, "it was removed since, and stays so"),
        });
    };
    let (Some(base), Some(ours), Some(theirs)) = (text(left), text(there), text(before)) else {
        return Err((whole.clone(), "it is not text and was changed since; it is left as it is"));
    };
    let Ok(merge) = Merge::new(&base, &ours, &theirs, &MergeOptions::git_merge(), &Cancel::new()) else {
        return Err((whole.clone(), "it cannot be merged, and is left as it is"));
    };
    let takes: Vec<_> = merge.accepted().into_iter().map(|take| take.or(Some(disputed.clone()))).collect();
    let bytes = merge.compose(&takes, &MarkerFormat::default()).bytes;
    let merged = Some(FileBytes { bytes, mode: there.mode });
    match merge.conflicts() {
        0 => Ok(merged),
        _ => Err((merged, "you changed the same lines since; your lines are kept")),
    }
}

/// A file's text, if it is one.
fn text(file: &FileBytes) -> Option<Content> {
    Content::new(file.bytes.as_slice()).ok().filter(|_| !diff::content::is_binary(&file.bytes))
}
