//! What files were before a step wrote them, and what it made of them; and the same of rewinds, so that they can be undone.
//!
//! Contents are kept once, by their hash. A checkpoint is *done* for a file when what the step made of it is known, and
//! *effective* until a rewind took it back.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, Row, Transaction, params};
use serde::Serialize;

use super::{Place, Store, StoreError};
use crate::event::{Moment, SessionId};
use crate::host::FileBytes;

/// Contents that nothing refers to any more.
pub(super) const SWEEP: &str = "DELETE FROM blob WHERE hash NOT IN (
    SELECT before FROM checkpoint_file WHERE before IS NOT NULL UNION SELECT after FROM checkpoint_file WHERE after IS NOT NULL
    UNION SELECT before FROM rewind_file WHERE before IS NOT NULL UNION SELECT after FROM rewind_file WHERE after IS NOT NULL
    UNION SELECT content FROM written UNION SELECT content FROM accepted WHERE content IS NOT NULL
    UNION SELECT content FROM rewind_accepted WHERE content IS NOT NULL);";

/// A checkpoint, without its contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Checkpoint {
    /// Its number within the session, from 1.
    pub number: u32,
    /// The run it is of.
    pub run: u32,
    /// The step that was about to write.
    pub step: u32,
    /// How long the conversation was: a rewind puts out all from here on.
    pub place: Place,
    /// When.
    pub at: Moment,
    /// What the run was asked.
    pub title: String,
    /// The files it has.
    pub files: Vec<String>,
    /// Whether it was taken back.
    pub rewound: bool,
}

/// A file at one moment: all of it, or that there was none.
pub type FileState = Option<FileBytes>;

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// From the project root.
    pub path: String,
    /// What it was.
    pub before: FileState,
    /// What it became; `None` while that is not known, because the process ended in between.
    pub after: Option<FileState>,
}

/// A rewind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rewound(pub(super) i64);

impl Store {
    /// Keeps files before something is written. Survives a power cut when it returns.
    pub fn checkpoint(
        &mut self,
        session: &SessionId,
        (run, step, place): (u32, u32, Place),
        title: &str,
        files: &[(String, FileState)],
    ) -> Result<u32, StoreError> {
        let title = self.secrets.clean(title.to_owned());
        let number = self.write("a checkpoint cannot be kept", |transaction| {
            let number = last_number(transaction, session)? + 1;
            transaction.execute(
                "INSERT INTO checkpoint (session, number, run, step, place, at, title) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![session.as_str(), number, run, step, place.0, Moment::now().0, title],
            )?;
            let id = transaction.last_insert_rowid();
            for (path, before) in files {
                keep_before(transaction, id, path, before)?;
            }
            Ok(number)
        })?;
        self.sync()?;
        Ok(number)
    }

    /// Says what a step made of a file. One that the checkpoint does not have yet is added, as it was `before`.
    pub fn made(
        &mut self,
        session: &SessionId,
        checkpoint: u32,
        path: &str,
        before: &FileState,
        after: &FileState,
    ) -> Result<(), StoreError> {
        self.write("a checkpoint cannot be kept", |transaction| {
            let id = id_of(transaction, session, checkpoint)?;
            keep_before(transaction, id, path, before)?;
            let hash = put(transaction, after)?;
            let update =
                "UPDATE checkpoint_file SET after = ?3, after_mode = ?4, done = 1 WHERE checkpoint = ?1 AND path = ?2";
            transaction.execute(update, params![id, path, hash, mode(after)]).map(drop_count)
        })
    }

    /// The checkpoints of a session, in order.
    pub fn checkpoints(&mut self, session: &SessionId) -> Result<Vec<Checkpoint>, StoreError> {
        self.read("checkpoints cannot be read", |transaction| {
            let mut files: BTreeMap<i64, Vec<String>> = BTreeMap::new();
            let select = "SELECT checkpoint, path FROM checkpoint_file JOIN checkpoint ON id = checkpoint
                WHERE session = ?1 ORDER BY path";
            let mut rows = transaction.prepare(select)?;
            let mut rows = rows.query([session.as_str()])?;
            while let Some(row) = rows.next()? {
                files.entry(row.get(0)?).or_default().push(row.get(1)?);
            }
            let select = "SELECT id, number, run, step, place, at, title, rewound FROM checkpoint
                WHERE session = ?1 ORDER BY number";
            let checkpoint = |row: &Row<'_>| {
                Ok(Checkpoint {
                    number: row.get(1)?,
                    run: row.get(2)?,
                    step: row.get(3)?,
                    place: Place(row.get(4)?),
                    at: Moment(row.get(5)?),
                    title: row.get(6)?,
                    files: files.remove(&row.get(0)?).unwrap_or_default(),
                    rewound: row.get::<_, Option<i64>>(7)?.is_some(),
                })
            };
            transaction.prepare(select)?.query_map([session.as_str()], checkpoint)?.collect()
        })
    }

    /// What the effective checkpoints from `first` on made of files, the last first.
    pub fn made_since(&mut self, session: &SessionId, first: u32) -> Result<Vec<Kept>, StoreError> {
        self.read("a checkpoint cannot be read", |transaction| {
            let select = "SELECT path, before, before_mode, after, after_mode, done FROM checkpoint_file
                JOIN checkpoint ON id = checkpoint WHERE session = ?1 AND number >= ?2 AND rewound IS NULL
                ORDER BY number DESC, path";
            kept(transaction, select, params![session.as_str(), first])
        })
    }

    /// Keeps a rewind before it is done: what files are, and what they will be. Puts checkpoints and messages out.
    pub fn rewind(
        &mut self,
        session: &SessionId,
        checkpoint: &Checkpoint,
        files: Option<&[Kept]>,
        conversation: bool,
    ) -> Result<Rewound, StoreError> {
        let id = self.write("a rewind cannot be kept", |transaction| {
            let id = begin_rewind(transaction, session)?;
            if let Some(files) = files {
                keep_files(transaction, id, files)?;
                let mark = "UPDATE checkpoint SET rewound = ?3 WHERE session = ?1 AND number >= ?2 AND rewound IS NULL";
                transaction.execute(mark, params![session.as_str(), checkpoint.number, id])?;
                // What was accepted of them is not there any more.
                set_accepted_aside(transaction, id, session, checkpoint.number)?;
                let forget = "DELETE FROM accepted WHERE session = ?1 AND number >= ?2";
                transaction.execute(forget, params![session.as_str(), checkpoint.number])?;
            }
            if conversation {
                let drop = "UPDATE message SET dropped = ?3 WHERE session = ?1 AND place >= ?2 AND dropped IS NULL";
                transaction.execute(drop, params![session.as_str(), checkpoint.place.0, id])?;
            }
            Ok(id)
        })?;
        self.sync()?;
        Ok(Rewound(id))
    }

    /// Keeps that what nobody had accepted of files was taken back, before it is: what they are, and what they will be.
    /// With that they count as decided on; their checkpoints stay.
    pub fn settle(&mut self, session: &SessionId, files: &[Kept]) -> Result<(), StoreError> {
        self.write("a rewind cannot be kept", |transaction| {
            let id = begin_rewind(transaction, session)?;
            keep_files(transaction, id, files)?;
            set_accepted_aside(transaction, id, session, 0)?;
            let number = last_number(transaction, session)?;
            let insert = "INSERT OR REPLACE INTO accepted (session, path, number, content, mode, settled)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            for file in files {
                let after = file.after.clone().flatten();
                let content = put(transaction, &after)?;
                transaction.execute(insert, params![session.as_str(), file.path, number, content, mode(&after), id])?;
            }
            Ok(())
        })?;
        self.sync()
    }

    /// The last rewind of a session that was not undone, and what it made of files.
    pub fn last_rewind(&mut self, session: &SessionId) -> Result<Option<(Rewound, Vec<Kept>)>, StoreError> {
        self.read("a rewind cannot be read", |transaction| {
            let select = "SELECT id FROM rewind WHERE session = ?1 AND undone = 0 ORDER BY id DESC LIMIT 1";
            let id: Option<i64> = transaction.query_row(select, [session.as_str()], |row| row.get(0)).optional()?;
            let Some(id) = id else { return Ok(None) };
            let select = "SELECT path, before, before_mode, after, after_mode, 1 FROM rewind_file WHERE rewind = ?1 ORDER BY path";
            Ok(Some((Rewound(id), kept(transaction, select, params![id])?)))
        })
    }

    /// Undoes a rewind: its checkpoints and messages come back. What was said after it leaves the conversation.
    pub fn undo_rewind(&mut self, session: &SessionId, rewind: Rewound) -> Result<(), StoreError> {
        self.write("the undoing of a rewind cannot be kept", |transaction| {
            let first: Option<i64> = transaction.query_row(
                "SELECT min(place) FROM message WHERE session = ?1 AND dropped = ?2",
                params![session.as_str(), rewind.0],
                |row| row.get(0),
            )?;
            if let Some(first) = first {
                let drop = "UPDATE message SET dropped = 0 WHERE session = ?1 AND place >= ?2 AND dropped IS NULL";
                transaction.execute(drop, params![session.as_str(), first])?;
            }
            let revive = "UPDATE message SET dropped = NULL WHERE session = ?1 AND dropped = ?2";
            transaction.execute(revive, params![session.as_str(), rewind.0])?;
            let revive = "UPDATE checkpoint SET rewound = NULL WHERE session = ?1 AND rewound = ?2";
            transaction.execute(revive, params![session.as_str(), rewind.0])?;
            let unsettle = "DELETE FROM accepted WHERE session = ?1 AND settled = ?2";
            transaction.execute(unsettle, params![session.as_str(), rewind.0])?;
            // What was accepted since then is newer.
            let accept = "INSERT OR IGNORE INTO accepted (session, path, number, content, mode, settled)
                SELECT ?1, path, number, content, mode, settled FROM rewind_accepted WHERE rewind = ?2";
            transaction.execute(accept, params![session.as_str(), rewind.0])?;
            transaction.execute("UPDATE rewind SET undone = 1 WHERE id = ?1", [rewind.0]).map(drop_count)
        })
    }

    /// Has what was written on the disk, not only on its way: it survives a power cut from here on.
    pub fn sync(&mut self) -> Result<(), StoreError> {
        let checkpoint = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        checkpoint.map_err(|error| super::open::failed(&self.path, "a checkpoint cannot be synced", &error))
    }
}

fn begin_rewind(transaction: &Transaction<'_>, session: &SessionId) -> rusqlite::Result<i64> {
    let insert = "INSERT INTO rewind (session, at, undone) VALUES (?1, ?2, 0)";
    transaction.execute(insert, params![session.as_str(), Moment::now().0])?;
    Ok(transaction.last_insert_rowid())
}

/// The number of the last checkpoint of a session; 0 if there is none.
pub(super) fn last_number(transaction: &Transaction<'_>, session: &SessionId) -> rusqlite::Result<u32> {
    let last = "SELECT coalesce(max(number), 0) FROM checkpoint WHERE session = ?1";
    transaction.query_row(last, [session.as_str()], |row| row.get(0))
}

/// Keeps with a rewind what was accepted from a checkpoint on, for its undoing.
fn set_accepted_aside(
    transaction: &Transaction<'_>,
    rewind: i64,
    session: &SessionId,
    first: u32,
) -> rusqlite::Result<()> {
    let keep = "INSERT INTO rewind_accepted (rewind, path, number, content, mode, settled)
        SELECT ?1, path, number, content, mode, settled FROM accepted WHERE session = ?2 AND number >= ?3";
    transaction.execute(keep, params![rewind, session.as_str(), first]).map(drop_count)
}

fn keep_files(transaction: &Transaction<'_>, rewind: i64, files: &[Kept]) -> rusqlite::Result<()> {
    for file in files {
        let after = file.after.clone().flatten();
        let (before_hash, after_hash) = (put(transaction, &file.before)?, put(transaction, &after)?);
        transaction.execute(
            "INSERT OR REPLACE INTO rewind_file VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![rewind, file.path, before_hash, mode(&file.before), after_hash, mode(&after)],
        )?;
    }
    Ok(())
}

fn id_of(transaction: &Transaction<'_>, session: &SessionId, number: u32) -> rusqlite::Result<i64> {
    let select = "SELECT id FROM checkpoint WHERE session = ?1 AND number = ?2";
    transaction.query_row(select, params![session.as_str(), number], |row| row.get(0))
}

fn keep_before(transaction: &Transaction<'_>, id: i64, path: &str, before: &FileState) -> rusqlite::Result<()> {
    let hash = put(transaction, before)?;
    let insert =
        "INSERT OR IGNORE INTO checkpoint_file (checkpoint, path, before, before_mode, after, after_mode, done)
        VALUES (?1, ?2, ?3, ?4, NULL, 0, 0)";
    transaction.execute(insert, params![id, path, hash, mode(before)]).map(drop_count)
}

fn kept(transaction: &Transaction<'_>, select: &str, of: impl rusqlite::Params) -> rusqlite::Result<Vec<Kept>> {
    let mut select = transaction.prepare(select)?;
    let mut rows = select.query(of)?;
    let mut files = Vec::new();
    while let Some(row) = rows.next()? {
        let done: bool = row.get(5)?;
        let after = if done { Some(state(transaction, row, 3, 4)?) } else { None };
        files.push(Kept { path: row.get(0)?, before: state(transaction, row, 1, 2)?, after });
    }
    Ok(files)
}

/// A file, out of the columns that have its hash and its mode.
pub(super) fn state(
    transaction: &Transaction<'_>,
    row: &Row<'_>,
    hash: usize,
    mode: usize,
) -> rusqlite::Result<FileState> {
    let Some(hash) = row.get::<_, Option<[u8; 32]>>(hash)? else { return Ok(None) };
    Ok(Some(FileBytes { bytes: get(transaction, &hash)?, mode: row.get(mode)? }))
}

/// Keeps a content and returns its name.
pub(super) fn put_bytes(transaction: &Transaction<'_>, bytes: &[u8]) -> rusqlite::Result<[u8; 32]> {
    let hash = *blake3::hash(bytes).as_bytes();
    transaction.execute("INSERT OR IGNORE INTO blob VALUES (?1, ?2)", params![hash, bytes])?;
    Ok(hash)
}

/// A content by its name.
pub(super) fn get(transaction: &Transaction<'_>, hash: &[u8; 32]) -> rusqlite::Result<Vec<u8>> {
    transaction.query_row("SELECT bytes FROM blob WHERE hash = ?1", params![hash], |row| row.get(0))
}

pub(super) fn put(transaction: &Transaction<'_>, state: &FileState) -> rusqlite::Result<Option<[u8; 32]>> {
    state.as_ref().map(|file| put_bytes(transaction, &file.bytes)).transpose()
}

pub(super) fn mode(state: &FileState) -> u32 {
    state.as_ref().map_or(0, |file| file.mode)
}

fn drop_count(_: usize) {}
