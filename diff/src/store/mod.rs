//! What a reader leaves in a review (ticks, comments, drafts) in one SQLite file outside of any working tree.
//!
//! Everything is kept by repository ([`Identity`]) and content: a tick by what was viewed, a comment with the text it was
//! made on. A [`Store`] is one connection; it waits for the disk and belongs on a thread of its own, which [`Desk`] is.
//!
//! Promises:
//! - What a call has written survives the end of the process at any moment, and a power cut: write-ahead log, synced at
//!   each commit.
//! - Several windows may have the file open. Each write is one transaction that reads before it writes, so none undoes
//!   another's: where two windows changed the same text, both texts are kept ([`Write`]).
//! - What another window wrote is noticed for the price of reading a counter ([`Store::changed_since`]).
//! - A file that is damaged is set aside under another name, what can be read of it is taken over, and a notice says so.
//!   A file of a newer version is not touched.

mod comments;
mod desk;
mod drafts;
mod identity;
mod marks;
mod open;
mod schema;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};

pub use comments::Comments;
pub use desk::{Desk, Event, SheetId};
pub use drafts::Drafts;
pub use identity::Identity;
pub use open::{Notice, Opened};

use crate::comments::{Id, Message, Moment, Origin, Thread};
use crate::ticks::MarkChange;

/// Why something could not be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Written by a version that knows more.
    #[error(
        "the ticks and comments in {} were written by a newer version (format {version}, this one knows {known}); \
         update, or move the file away to start anew",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
        /// The newest that is known here.
        known: u32,
    },
    /// Not ours.
    #[error("{} is a database of another program; ticks and comments are not kept", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Somebody else wrote for too long.
    #[error("{} is busy: another window has been writing to it for too long; try again", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// Not a database, or one that lost parts.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// Anything else, most of it about the disk.
    #[error("{what} in {}: {reason}", path.display())]
    Failed {
        /// What was to be done.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
}

/// A repository in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepositoryId(i64);

/// What is kept apart, so that a change of one does not mean reading the others again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// What was viewed.
    Marks,
    /// Threads and their messages.
    Comments,
    /// Texts that are being written.
    Drafts,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Marks, Self::Comments, Self::Drafts];
}

/// Up to which change something was read; grows with each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revision(i64);

impl Revision {
    /// Whether this is the next one: nobody else changed anything in between.
    pub fn follows(self, before: Self) -> bool {
        self.0 == before.0 + 1
    }
}

/// A change of what is kept, as one transaction.
#[derive(Clone, Debug)]
pub enum Write {
    /// Sets marks and takes some back.
    Marks(Vec<MarkChange>),
    /// Begins a thread.
    Begin {
        /// With its first message.
        thread: Box<Thread>,
        /// The text it is made on.
        origin: Option<Origin>,
    },
    /// Adds a message to a thread; brings a thread back that was removed meanwhile.
    Say {
        /// The thread.
        thread: Id,
        /// What is said.
        message: Message,
    },
    /// Changes the text of a message. If it is no longer what the writer saw, it stays, and the new text becomes a draft
    /// in the same thread.
    Edit {
        /// The message.
        message: Id,
        /// The text that was changed.
        before: String,
        /// The text it became.
        text: String,
        /// When.
        at: Moment,
        /// The name of the draft, should it become one.
        beside: Id,
    },
    /// Makes a draft a message.
    Send {
        /// The draft.
        message: Id,
    },
    /// Removes a message, and its thread with the last one.
    Withdraw {
        /// The message.
        message: Id,
    },
    /// Says whether a thread is done with.
    Resolve {
        /// The thread.
        thread: Id,
        /// Whether it is.
        resolved: bool,
    },
    /// Removes a thread. What is removed is kept for a month, in case somebody was just writing to it.
    Remove {
        /// The thread.
        thread: Id,
    },
    /// Keeps a text that is being written: a commit message, say. If another window has changed it meanwhile, that one
    /// stays, and this one is kept under a name beside it.
    Draft {
        /// What it is for.
        name: String,
        /// The text that was changed; empty for none.
        before: String,
        /// The text it became; empty to be done with it.
        text: String,
    },
}

impl Write {
    /// What it changes.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Marks(_) => Kind::Marks,
            Self::Draft { .. } => Kind::Drafts,
            _ => Kind::Comments,
        }
    }
}

/// What changed since something was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Revisions([Revision; 3]);

impl Revisions {
    /// Up to where a kind was read.
    pub fn of(&self, kind: Kind) -> Revision {
        self.0[kind as usize]
    }

    /// Remembers that a kind was read up to there.
    pub fn set(&mut self, kind: Kind, revision: Revision) {
        self.0[kind as usize] = revision;
    }
}

/// How long removed comments are kept.
const KEEP_REMOVED: i64 = 30 * DAY;
/// How long marks are kept.
const KEEP_MARKS: i64 = 400 * DAY;
const DAY: i64 = 24 * 60 * 60;

/// The file, opened.
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

impl Store {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Finds a repository, or begins one; finds it, too, where it was moved from.
    pub fn repository(&mut self, identity: &Identity) -> Result<RepositoryId, StoreError> {
        let find = |transaction: &Transaction<'_>| {
            let by = |column: &str| format!("SELECT id, place FROM repository WHERE {column} = ?1");
            let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?));
            let here = transaction.query_row(&by("place"), [&identity.place], row).optional()?;
            let found = match (here, &identity.folder) {
                (None, Some(folder)) => transaction.query_row(&by("folder"), [folder], row).optional()?,
                (here, _) => here,
            };
            let update = "UPDATE repository SET place = ?2, folder = ?3 WHERE id = ?1";
            let insert = "INSERT INTO repository (place, folder) VALUES (?1, ?2)";
            if let Some((id, _)) = found {
                transaction.execute(update, (id, &identity.place, &identity.folder))?;
                return Ok(id);
            }
            transaction.execute(insert, (&identity.place, &identity.folder))?;
            Ok(transaction.last_insert_rowid())
        };
        self.in_transaction("a repository cannot be looked up", find).map(RepositoryId)
    }

    /// Writes a change and returns the revision that it made of its kind.
    pub fn write(&mut self, repository: RepositoryId, write: &Write) -> Result<Revision, StoreError> {
        self.in_transaction("a change cannot be written", |transaction| {
            match write {
                Write::Marks(changes) => marks::write(transaction, repository, changes)?,
                Write::Draft { name, before, text } => drafts::write(transaction, repository, name, before, text)?,
                write => comments::write(transaction, repository, write)?,
            }
            next_revision(transaction, repository, write.kind())
        })
    }

    /// What changed since `known`, by this connection or any other; cheap if nothing did.
    pub fn changed_since(&self, repository: RepositoryId, known: &Revisions) -> Result<Vec<Kind>, StoreError> {
        let mut now = *known;
        for kind in Kind::ALL {
            now.set(kind, self.revision(repository, kind)?);
        }
        Ok(Kind::ALL.into_iter().filter(|&kind| now.of(kind) != known.of(kind)).collect())
    }

    /// A number that is another one after any other connection has written; asking costs microseconds and no disk.
    pub fn pulse(&self) -> Result<u64, StoreError> {
        let read = self.connection.pragma_query_value(None, "data_version", |row| row.get::<_, i64>(0));
        read.map(|version| version as u64).map_err(|error| self.error("changes cannot be looked for", &error))
    }

    /// Forgets what nobody misses: marks older than a year, comments that were removed a month ago, texts no comment is
    /// on.
    pub fn tidy(&mut self, now: Moment) -> Result<(), StoreError> {
        self.in_transaction("old marks cannot be removed", |transaction| {
            transaction.execute("DELETE FROM mark WHERE at < ?1", [now.0 - KEEP_MARKS])?;
            let removed = [now.0 - KEEP_REMOVED];
            transaction.execute("DELETE FROM message WHERE removed < ?1", removed)?;
            transaction.execute("DELETE FROM thread WHERE removed < ?1", removed)?;
            let used = "SELECT 1 FROM thread WHERE thread.repository = origin.repository AND origin = origin.content";
            transaction.execute(&format!("DELETE FROM origin WHERE NOT EXISTS ({used})"), [])?;
            Ok(())
        })
    }

    fn revision(&self, repository: RepositoryId, kind: Kind) -> Result<Revision, StoreError> {
        revision(&self.connection, repository, kind).map_err(|error| self.error("changes cannot be looked for", &error))
    }

    /// Reads in one transaction, so that what is read and its revision belong together.
    fn read<T>(
        &mut self,
        what: &'static str,
        read: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let result = (|| {
            let transaction = Transaction::new(&mut self.connection, TransactionBehavior::Deferred)?;
            read(&transaction)
        })();
        result.map_err(|error| self.error(what, &error))
    }

    /// Writes in one transaction that has the right to write from its beginning: one that reads first and writes later
    /// would fail if another window wrote in between.
    fn in_transaction<T>(
        &mut self,
        what: &'static str,
        write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let result = (|| {
            let transaction = Transaction::new(&mut self.connection, TransactionBehavior::Immediate)?;
            let result = write(&transaction)?;
            transaction.commit()?;
            Ok(result)
        })();
        result.map_err(|error| self.error(what, &error))
    }

    fn error(&self, what: &'static str, error: &rusqlite::Error) -> StoreError {
        open::error(&self.path, what, error)
    }
}

fn revision(connection: &Connection, repository: RepositoryId, kind: Kind) -> rusqlite::Result<Revision> {
    let select = "SELECT number FROM revision WHERE repository = ?1 AND kind = ?2";
    let number = connection.query_row(select, (repository.0, kind as i64), |row| row.get(0)).optional()?;
    Ok(Revision(number.unwrap_or(0)))
}

fn next_revision(transaction: &Transaction<'_>, repository: RepositoryId, kind: Kind) -> rusqlite::Result<Revision> {
    let next = "INSERT INTO revision VALUES (?1, ?2, 1) ON CONFLICT DO UPDATE SET number = number + 1 RETURNING number";
    transaction.query_row(next, (repository.0, kind as i64), |row| row.get(0)).map(Revision)
}
