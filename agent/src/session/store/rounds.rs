//! Files as they were at the moments of a session: before and after each of its runs, and what people accepted of them.
//!
//! What was accepted is right from then on: only the rest is a change still to be looked at.

use std::collections::BTreeMap;

use rusqlite::{Row, Transaction, params};

use super::checkpoints::{last_number, mode, put, state};
use super::{FileState, Kept, Store, StoreError};
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

/// A file of which something is left to be decided on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// From the project root.
    pub path: String,
    /// The run that wrote it first.
    pub run: u32,
    /// What steps made of it, the first first; there is one.
    pub made: Vec<Kept>,
    /// What it was accepted as in part, while `made` was going on.
    pub accepted: Option<FileState>,
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
    /// The rest was taken back.
    is_settled: bool,
}

/// Under which it is kept which checkpoint is the first whose changes were not kept as a whole.
const KEPT: &str = "kept";

impl Store {
    /// Remembers what files were accepted as.
    pub fn accept(&mut self, session: &SessionId, files: &[(String, FileState)]) -> Result<(), StoreError> {
        self.write("what was accepted cannot be kept", |transaction| {
            let number = last_number(transaction, session)?;
            let insert = "INSERT OR REPLACE INTO accepted (session, path, number, content, mode, settled)
                VALUES (?1, ?2, ?3, ?4, ?5, NULL)";
            for (path, state) in files {
                let content = put(transaction, state)?;
                transaction.execute(insert, params![session.as_str(), path, number, content, mode(state)])?;
            }
            Ok(())
        })
    }

    /// All that runs made so far is the person's own from now on.
    pub fn keep_all(&mut self, session: &SessionId) -> Result<(), StoreError> {
        let last = self.read("checkpoints cannot be read", |transaction| last_number(transaction, session))?;
        self.keep(session, KEPT, &(last + 1).into())
    }

    /// The files of which something may be left to be decided on, by their paths: what is not kept or accepted as a whole.
    /// Some may be as they were.
    pub fn pending(&mut self, session: &SessionId) -> Result<Vec<Pending>, StoreError> {
        let mut files = Vec::new();
        for path in self.unkept_files(session)? {
            files.extend(self.pending_of(session, &path)?);
        }
        Ok(files)
    }

    /// What is left of one file; none if nothing is.
    pub fn pending_of(&mut self, session: &SessionId, path: &str) -> Result<Option<Pending>, StoreError> {
        let first = self.first_unkept(session)?;
        self.read("a checkpoint cannot be read", |transaction| {
            let Some(steps) = made(transaction, session, first, Some(path))?.remove(path) else { return Ok(None) };
            let of = accepted(transaction, session, first)?.into_iter().find(|accepted| accepted.path == path);
            let (from, accepted) = of.map_or((0, None), |accepted| accepted.leaves(&steps));
            let Some(run) = steps.get(from).map(|step| step.run) else { return Ok(None) };
            let made = steps.into_iter().skip(from).map(|step| step.kept(path)).collect();
            Ok(Some(Pending { path: path.to_owned(), run, made, accepted }))
        })
    }

    /// The files that runs wrote since all was kept, by their paths; of some all may be accepted.
    pub fn unkept_files(&mut self, session: &SessionId) -> Result<Vec<String>, StoreError> {
        let first = self.first_unkept(session)?;
        self.read("checkpoints cannot be read", |transaction| {
            let select = "SELECT DISTINCT path FROM checkpoint_file JOIN checkpoint ON id = checkpoint
                WHERE session = ?1 AND number >= ?2 AND rewound IS NULL ORDER BY path";
            transaction.prepare(select)?.query_map(params![session.as_str(), first], |row| row.get(0))?.collect()
        })
    }

    /// The sessions of a project in which runs wrote files that were not all kept, the last touched first; the ones that
    /// were put away are left out.
    pub fn unkept_sessions(&mut self, project: &str, limit: usize) -> Result<Vec<SessionId>, StoreError> {
        self.read("sessions cannot be listed", |transaction| {
            let select = "SELECT id FROM session WHERE project = ?1 AND parent IS NULL
                AND NOT EXISTS (SELECT 1 FROM state WHERE session = id AND key = 'archived' AND value = 'true')
                AND EXISTS (SELECT 1 FROM checkpoint WHERE checkpoint.session = session.id AND rewound IS NULL AND number >=
                    coalesce((SELECT CAST(value AS INTEGER) FROM state WHERE session = session.id AND key = ?2), 1))
                ORDER BY touched DESC, rowid DESC LIMIT ?3";
            let id = |row: &Row<'_>| row.get(0).map(|id: String| SessionId::from(id));
            transaction.prepare(select)?.query_map(params![project, KEPT, limit as i64], id)?.collect()
        })
    }

    /// Whether something of what runs made was accepted and is there still.
    pub fn has_accepted(&mut self, session: &SessionId) -> Result<bool, StoreError> {
        let first = self.first_unkept(session)?;
        self.read("a checkpoint cannot be read", |transaction| {
            let accepted = accepted(transaction, session, first)?;
            Ok(accepted.iter().any(|accepted| !accepted.is_settled))
        })
    }

    fn first_unkept(&mut self, session: &SessionId) -> Result<u32, StoreError> {
        let kept = self.kept(session, KEPT)?;
        Ok(kept.and_then(|number| u32::try_from(number.as_u64()?).ok()).unwrap_or(1))
    }

    /// The files that runs between two moments wrote, at both; now is the later one if none is given.
    pub fn between(&mut self, session: &SessionId, from: Point, to: Option<Point>) -> Result<Vec<Between>, StoreError> {
        let made = self.read("a checkpoint cannot be read", |transaction| made(transaction, session, 0, None))?;
        let is_written = |steps: &[Made]| {
            steps.iter().any(|step| from.is_before(step.run) && to.is_none_or(|to| !to.is_before(step.run)))
        };
        let written = made.into_iter().filter(|(_, steps)| is_written(steps));
        Ok(written
            .map(|(path, steps)| Between { old: at(&steps, from), new: to.map(|to| at(&steps, to)), path })
            .collect())
    }
}

impl Accepted {
    /// The first of a file's steps that is left to be decided on, and what it was accepted as where it was in part.
    fn leaves(self, steps: &[Made]) -> (usize, Option<FileState>) {
        let until = steps.partition_point(|step| step.checkpoint <= self.checkpoint);
        let is_all = steps[..until].last().is_some_and(|step| step.after.as_ref() == Some(&self.state));
        // What people did between then and the next run is theirs.
        if is_all || self.is_settled { (until, None) } else { (0, Some(self.state)) }
    }
}

impl Made {
    fn kept(self, path: &str) -> Kept {
        Kept { path: path.to_owned(), before: self.before, after: self.after }
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

/// What the effective checkpoints from `first` on made of each file, or of one, the first first.
fn made(
    transaction: &Transaction<'_>,
    session: &SessionId,
    first: u32,
    path: Option<&str>,
) -> rusqlite::Result<BTreeMap<String, Vec<Made>>> {
    let select = "SELECT path, number, run, before, before_mode, after, after_mode, done FROM checkpoint_file
        JOIN checkpoint ON id = checkpoint WHERE session = ?1 AND number >= ?2 AND rewound IS NULL
        AND (?3 IS NULL OR path = ?3) ORDER BY number";
    let mut select = transaction.prepare(select)?;
    let mut rows = select.query(params![session.as_str(), first, path])?;
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
    let select =
        "SELECT path, number, content, mode, settled IS NOT NULL FROM accepted WHERE session = ?1 AND number >= ?2";
    let mut select = transaction.prepare(select)?;
    let mut rows = select.query(params![session.as_str(), first])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let (path, checkpoint, is_settled) = (row.get(0)?, row.get(1)?, row.get(4)?);
        found.push(Accepted { path, checkpoint, state: state(transaction, row, 2, 3)?, is_settled });
    }
    Ok(found)
}
