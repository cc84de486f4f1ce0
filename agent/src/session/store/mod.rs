//! The file of sessions.
//!
//! A [`Store`] is one connection; it waits for the disk and belongs to the thread of a run. Several processes may have the
//! file open.
//!
//! Promises:
//! - What a call has written survives the end of the process at any moment: a crash loses at most what was just being
//!   written. Checkpoints survive a power cut, too.
//! - Nothing secret is in events and conversations: all text goes through the filter. Files that a checkpoint keeps are
//!   kept as they are, for they must come back that way; the file is readable by its owner alone.
//! - A damaged file is set aside and told; one of a newer version is not touched.

mod checkpoints;
mod events;
mod open;
mod provenance;
mod rounds;
mod schema;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

pub use checkpoints::{Checkpoint, FileState, Kept, Rewound};
pub use events::{Found, Place, Said};
pub use open::Opened;
pub use provenance::{Author, Blame};
pub use rounds::{Between, Pending, Point};

use crate::event::{Moment, SessionId};
use crate::secrets::Secrets;

/// Why something could not be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Written by a version that knows more.
    #[error(
        "the sessions in {} were written by a newer version (format {version}); update, or move the file away to start anew",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// Not ours.
    #[error("{} is a database of another program; sessions are not kept", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// There is no such session, or more than one.
    #[error("there is {} session {name}; `recto session list` shows them", if *.several { "more than one" } else { "no" })]
    NoSession {
        /// What was asked for.
        name: String,
        /// Whether it was short for several.
        several: bool,
    },
    /// There is no such checkpoint.
    #[error("the session has no checkpoint {0}")]
    NoCheckpoint(u32),
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

/// A session to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSession {
    /// The root of the project.
    pub project: String,
    /// What it is about: its first prompt, cut.
    pub title: String,
    /// The one it was begun from.
    pub parent: Option<SessionId>,
    /// Its model.
    pub model: String,
}

/// What is known of a session without reading it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Info {
    /// Its name.
    pub id: SessionId,
    /// The root of the project.
    pub project: String,
    /// What it is about.
    pub title: String,
    /// The one it was begun from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionId>,
    /// Its model.
    pub model: String,
    /// When it was begun.
    pub begun: Moment,
    /// When something last happened in it.
    pub touched: Moment,
    /// Its runs.
    pub runs: u32,
    /// It was put away.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub archived: bool,
}

/// The file, opened.
pub struct Store {
    connection: Connection,
    path: PathBuf,
    secrets: Arc<Secrets>,
}

impl Store {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The filter that all text goes through.
    pub fn secrets(&self) -> &Arc<Secrets> {
        &self.secrets
    }

    /// A second connection, for a run on another thread.
    pub fn again(&self) -> Result<Self, StoreError> {
        Ok(Self::open(&self.path, self.secrets.clone())?.store)
    }

    /// Begins a session.
    pub fn begin(&mut self, new: &NewSession) -> Result<SessionId, StoreError> {
        let (id, now) = (SessionId::new(), Moment::now().0);
        let title = self.secrets.clean(new.title.clone());
        let parent = new.parent.as_ref().map(SessionId::as_str);
        self.write("a session cannot be begun", |transaction| {
            transaction.execute(
                "INSERT INTO session (id, project, title, parent, model, begun, touched) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
                params![id.as_str(), new.project, title, parent, new.model, now],
            )?;
            Ok(())
        })?;
        Ok(id)
    }

    /// The sessions of a project, or of all, the last touched first, and of those of one moment the last begun; sub-sessions and those without a run left out.
    pub fn sessions(&mut self, project: Option<&str>, limit: usize) -> Result<Vec<Info>, StoreError> {
        self.read("sessions cannot be listed", |transaction| {
            let select = format!(
                "{SELECT} WHERE parent IS NULL AND (?1 IS NULL OR project = ?1)
                 AND EXISTS (SELECT 1 FROM event WHERE event.session = session.id)
                 ORDER BY touched DESC, rowid DESC LIMIT ?2"
            );
            transaction.prepare(&select)?.query_map(params![project, limit as i64], info)?.collect()
        })
    }

    /// The sub-sessions of a session, in the order they were begun.
    pub fn children(&mut self, session: &SessionId) -> Result<Vec<Info>, StoreError> {
        self.read("sessions cannot be listed", |transaction| {
            let select = format!("{SELECT} WHERE parent = ?1 ORDER BY rowid");
            transaction.prepare(&select)?.query_map([session.as_str()], info)?.collect()
        })
    }

    /// Finds a session by its name, or by how only its name begins or ends.
    pub fn session(&mut self, name: &str) -> Result<Info, StoreError> {
        let mut found: Vec<Info> = self.read("a session cannot be found", |transaction| {
            let select = format!("{SELECT} WHERE id = ?1 OR id LIKE ?1 || '%' OR id LIKE '%' || ?1 LIMIT 3");
            transaction.prepare(&select)?.query_map([name], info)?.collect()
        })?;
        if let Some(at) = found.iter().position(|info| info.id.as_str() == name) {
            return Ok(found.swap_remove(at));
        }
        match found.len() {
            1 => Ok(found.swap_remove(0)),
            several => Err(StoreError::NoSession { name: name.to_owned(), several: several > 1 }),
        }
    }

    /// Calls a session otherwise.
    pub fn rename(&mut self, session: &SessionId, title: &str) -> Result<(), StoreError> {
        let title = self.secrets.clean(title.to_owned());
        self.write("a session cannot be renamed", |transaction| {
            transaction
                .execute("UPDATE session SET title = ?2 WHERE id = ?1", params![session.as_str(), title])
                .map(drop)
        })
    }

    /// Puts a session away, or brings it back; it stays as it is.
    pub fn archive(&mut self, session: &SessionId, archived: bool) -> Result<(), StoreError> {
        self.keep(session, ARCHIVED, &archived.into())
    }

    /// Gives a session a name that has none.
    pub fn name(&mut self, session: &SessionId, title: &str) -> Result<(), StoreError> {
        let title = self.secrets.clean(title.to_owned());
        self.write("a session cannot be named", |transaction| {
            let update = "UPDATE session SET title = ?2 WHERE id = ?1 AND title = ''";
            transaction.execute(update, params![session.as_str(), title]).map(drop)
        })
    }

    /// Removes a session with all that belongs to it.
    pub fn remove(&mut self, session: &SessionId) -> Result<(), StoreError> {
        self.write("a session cannot be removed", |transaction| {
            transaction.execute("DELETE FROM search WHERE session = ?1", [session.as_str()])?;
            transaction.execute("DELETE FROM session WHERE id = ?1", [session.as_str()])?;
            transaction.execute_batch(checkpoints::SWEEP)
        })
    }

    /// Keeps something small of a session: its todo items, what was allowed.
    pub fn keep(&mut self, session: &SessionId, key: &str, value: &serde_json::Value) -> Result<(), StoreError> {
        let mut value = value.clone();
        self.secrets.json(&mut value);
        self.write("the state of a session cannot be kept", |transaction| {
            let insert = "INSERT OR REPLACE INTO state (session, key, value) VALUES (?1, ?2, ?3)";
            transaction.execute(insert, params![session.as_str(), key, value.to_string()]).map(drop)
        })
    }

    /// What was kept.
    pub fn kept(&mut self, session: &SessionId, key: &str) -> Result<Option<serde_json::Value>, StoreError> {
        let value: Option<String> = self.read("the state of a session cannot be read", |transaction| {
            let select = "SELECT value FROM state WHERE session = ?1 AND key = ?2";
            transaction.query_row(select, params![session.as_str(), key], |row| row.get(0)).optional()
        })?;
        Ok(value.and_then(|value| serde_json::from_str(&value).ok()))
    }

    /// Reads in one transaction, so that what is read belongs together.
    fn read<T>(
        &mut self,
        what: &'static str,
        read: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let result = (|| {
            let transaction = Transaction::new(&mut self.connection, TransactionBehavior::Deferred)?;
            read(&transaction)
        })();
        result.map_err(|error| open::failed(&self.path, what, &error))
    }

    /// Writes in one transaction that has the right to write from its beginning.
    fn write<T>(
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
        result.map_err(|error| open::failed(&self.path, what, &error))
    }
}

/// Under which it is kept that a session was put away.
const ARCHIVED: &str = "archived";

const SELECT: &str = "SELECT id, project, title, parent, model, begun, touched,
    (SELECT coalesce(max(run), 0) FROM event WHERE event.session = session.id),
    EXISTS (SELECT 1 FROM state WHERE state.session = session.id AND key = 'archived' AND value = 'true') FROM session";

fn info(row: &Row<'_>) -> rusqlite::Result<Info> {
    Ok(Info {
        id: SessionId::from(row.get::<_, String>(0)?),
        project: row.get(1)?,
        title: row.get(2)?,
        parent: row.get::<_, Option<String>>(3)?.map(SessionId::from),
        model: row.get(4)?,
        begun: Moment(row.get(5)?),
        touched: Moment(row.get(6)?),
        runs: row.get(7)?,
        archived: row.get(8)?,
    })
}
