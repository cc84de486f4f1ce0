//! The tables of the store, and how older ones become them.
//!
//! The version of a file is SQLite's `user_version`, and is how many steps it has taken. A step is never changed once it
//! was released; what must be otherwise is a further one. All steps that are missing are taken in one transaction.

use rusqlite::{Connection, Transaction, TransactionBehavior};

/// Marks the file as ours, in SQLite's `application_id`: `Rcto`.
pub(super) const APPLICATION: i32 = 0x5263_746f;

/// What is done to a file of version n to make one of version n + 1.
pub(super) const STEPS: [&str; 3] = [
    // Names of contents and of threads are blobs; moments are seconds since 1970; `removed` is when, or NULL.
    "CREATE TABLE repository (
         id INTEGER PRIMARY KEY,
         place BLOB NOT NULL UNIQUE,
         folder TEXT
     ) STRICT;
     CREATE TABLE revision (
         repository INTEGER NOT NULL REFERENCES repository ON DELETE CASCADE,
         kind INTEGER NOT NULL,
         number INTEGER NOT NULL,
         PRIMARY KEY (repository, kind)
     ) STRICT, WITHOUT ROWID;
     CREATE TABLE mark (
         repository INTEGER NOT NULL REFERENCES repository ON DELETE CASCADE,
         content BLOB NOT NULL,
         state INTEGER NOT NULL,
         at INTEGER NOT NULL,
         PRIMARY KEY (repository, content)
     ) STRICT, WITHOUT ROWID;
     CREATE TABLE origin (
         repository INTEGER NOT NULL REFERENCES repository ON DELETE CASCADE,
         content BLOB NOT NULL,
         text BLOB NOT NULL,
         PRIMARY KEY (repository, content)
     ) STRICT;
     CREATE TABLE thread (
         number INTEGER PRIMARY KEY,
         id BLOB NOT NULL UNIQUE,
         repository INTEGER NOT NULL REFERENCES repository ON DELETE CASCADE,
         source TEXT NOT NULL,
         path BLOB NOT NULL,
         side INTEGER NOT NULL,
         first INTEGER NOT NULL,
         end INTEGER NOT NULL,
         text BLOB NOT NULL,
         before BLOB NOT NULL,
         after BLOB NOT NULL,
         origin BLOB,
         resolved INTEGER NOT NULL,
         removed INTEGER
     ) STRICT;
     CREATE INDEX thread_of_repository ON thread (repository);
     CREATE TABLE message (
         number INTEGER PRIMARY KEY,
         id BLOB NOT NULL UNIQUE,
         thread BLOB NOT NULL REFERENCES thread (id) ON DELETE CASCADE,
         author TEXT NOT NULL,
         text TEXT NOT NULL,
         at INTEGER NOT NULL,
         edited INTEGER,
         draft INTEGER NOT NULL,
         removed INTEGER
     ) STRICT;
     CREATE INDEX message_of_thread ON message (thread);
     CREATE TABLE draft (
         repository INTEGER NOT NULL REFERENCES repository ON DELETE CASCADE,
         name TEXT NOT NULL,
         text TEXT NOT NULL,
         at INTEGER NOT NULL,
         PRIMARY KEY (repository, name)
     ) STRICT;",
    // Models answer comments: what they say is told from what people do.
    "ALTER TABLE message ADD COLUMN model INTEGER NOT NULL DEFAULT 0;",
    // They may be stopped in the middle of it.
    "ALTER TABLE message ADD COLUMN cut INTEGER NOT NULL DEFAULT 0;",
];

/// The tables, those that others refer to first.
pub(super) const TABLES: [&str; 7] = ["repository", "revision", "mark", "origin", "thread", "message", "draft"];

/// Takes the steps that a file has not taken yet. Another process may be about to do the same.
pub(super) fn migrate(connection: &mut Connection, steps: &[&str]) -> rusqlite::Result<()> {
    if version(connection)? as usize >= steps.len() {
        return Ok(());
    }
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    // Whoever was first has taken them.
    let taken = version(&transaction)? as usize;
    for step in steps.iter().skip(taken) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", steps.len() as u32)?;
    transaction.commit()
}

/// How many steps a file has taken.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
