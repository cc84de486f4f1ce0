//! Files as they were at the moments of a session: before and after each of its runs, and what people accepted of them.
//!
//! What was accepted is right from then on: only the rest is a change still to be looked at.

use std::collections::BTreeMap;

use rusqlite::{Transaction, params};

use super::checkpoints::{mode, put, state};
use super::{FileState, Store, StoreError};
use crate::event::SessionId;

/// A moment of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Point {
    /// Just before a run wrote its first file.
    Before(u32),
    /// Just after a run wrote its last.
    After(u32),
}

/// A file at two moments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Between {
    /// From the project root.
    pub path: String,
    /// What it was at the earlier one.
    pub old: FileState,
    /// What it was at the later one; none if that is now, which nobody has kept.
    pub new: Option<FileState>,
}

/// What a step made of a file.
struct Made {
    checkpoint: u32,
    run: u32,
    before: FileState,
    /// None while it is not known.
    after: Option<FileState>,
}

/// A file that was accepted, in whole or in part.
struct Accepted {
    path: String,
    /// The last checkpoint there was.
    checkpoint: u32,
    state: FileState,
}

impl Store {
    /// Remembers what files were accepted as.
    pub fn accept(&mut self, session: &SessionId, files: &[(String, FileState)]) -> Result<(), StoreError> {
        self.write("what was accepted cannot be kept", |transaction| {
            let last = "SELECT coalesce(max(number), 0) FROM checkpoint WHERE session = ?1";
            let number: u32 = transaction.query_row(last, [session.as_str()], |row| row.get(0))?;
            for (path, state) in files {
                let content = put(transaction, state)?;
                let insert = "INSERT OR REPLACE INTO accepted VALUES (?1, ?2, ?3, ?4, ?5)";
                transaction.execute(insert, params![session.as_str(), path, number, content, mode(state)])?;
            }
            Ok(())
        })
    }

    /// What the files that runs made since a checkpoint are to be compared with: what each was before the first of them, or
    /// what it was accepted as since. Files of which nothing is left to be looked at are not among them.
    pub fn unreviewed(&mut self, session: &SessionId, first: u32) -> Result<BTreeMap<String, FileState>, StoreError> {
        self.read("a checkpoint cannot be read", |transaction| {
            let mut made = made(transaction, session, first)?;
            let mut files = BTreeMap::new();
            for accepted in accepted(transaction, session, first)? {
                let Some(steps) = made.remove(&accepted.path) else { continue };
                let until = steps.partition_point(|step| step.checkpoint <= accepted.checkpoint);
                let is_all = steps[..until].last().is_some_and(|step| step.after.as_ref() == Some(&accepted.state));
                let compared = match steps.into_iter().nth(until) {
                    // What people did between then and the next run is theirs.
                    Some(next) if is_all => next.before,
                    None if is_all => continue,
                    _ => accepted.state,
                };
                files.insert(accepted.path, compared);
            }
            for (path, steps) in made {
                files.extend(steps.into_iter().next().map(|step| (path, step.before)));
            }
            Ok(files)
        })
    }

    /// The files that runs between two moments wrote, at both; now is the later one if none is given.
    pub fn between(&mut self, session: &SessionId, from: Point, to: Option<Point>) -> Result<Vec<Between>, StoreError> {
        let made = self.read("a checkpoint cannot be read", |transaction| made(transaction, session, 0))?;
        let is_written = |steps: &[Made]| {
            steps.iter().any(|step| from.is_before(step.run) && to.is_none_or(|to| !to.is_before(step.run)))
        };
        let written = made.into_iter().filter(|(_, steps)| is_written(steps));
        Ok(written
            .map(|(path, steps)| Between { old: at(&steps, from), new: to.map(|to| at(&steps, to)), path })
            .collect())
    }
}

impl Point {
    /// Whether it comes before what a run wrote.
    fn is_before(self, run: u32) -> bool {
        match self {
            Self::Before(of) => of <= run,
            Self::After(of) => of < run,
        }
    }
}

/// What a file was at a moment.
fn at(steps: &[Made], point: Point) -> FileState {
    let behind = steps.partition_point(|step| !point.is_before(step.run));
    // Of a run that was cut off only what was there before is known.
    let after = |step: &Made| step.after.clone().unwrap_or_else(|| step.before.clone());
    let next = steps.get(behind).map(|step| step.before.clone());
    let last = behind.checked_sub(1).and_then(|last| steps.get(last)).map(after);
    // Before a run people may have changed it as well; after one it is what that made of it.
    let found = if matches!(point, Point::Before(_)) { next.or(last) } else { last.or(next) };
    found.flatten()
}

/// What the effective checkpoints from `first` on made of each file, the first first.
fn made(
    transaction: &Transaction<'_>,
    session: &SessionId,
    first: u32,
) -> rusqlite::Result<BTreeMap<String, Vec<Made>>> {
    let select = "SELECT path, number, run, before, before_mode, after, after_mode, done FROM checkpoint_file
        JOIN checkpoint ON id = checkpoint WHERE session = ?1 AND number >= ?2 AND rewound IS NULL ORDER BY number";
    let mut select = transaction.prepare(select)?;
    let mut rows = select.query(params![session.as_str(), first])?;
    let mut files: BTreeMap<String, Vec<Made>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let done: bool = row.get(7)?;
        let after = if done { Some(state(transaction, row, 5, 6)?) } else { None };
        let (checkpoint, run, before) = (row.get(1)?, row.get(2)?, state(transaction, row, 3, 4)?);
        files.entry(row.get(0)?).or_default().push(Made { checkpoint, run, before, after });
    }
    Ok(files)
}

fn accepted(transaction: &Transaction<'_>, session: &SessionId, first: u32) -> rusqlite::Result<Vec<Accepted>> {
    let select = "SELECT path, number, content, mode FROM accepted WHERE session = ?1 AND number >= ?2";
    let mut select = transaction.prepare(select)?;
    let mut rows = select.query(params![session.as_str(), first])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(Accepted { path: row.get(0)?, checkpoint: row.get(1)?, state: state(transaction, row, 2, 3)? });
    }
    Ok(found)
}
