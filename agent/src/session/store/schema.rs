//! The tables of the file of sessions.
//!
//! The version of a file is how many steps it has taken. A step is never changed once it was released.

use rusqlite::{Connection, Transaction, TransactionBehavior};

/// Marks the file as ours, in SQLite's `application_id`: `Rcta`.
pub(super) const APPLICATION: i32 = 0x5263_7461;

/// What is done to a file of version n to make one of version n + 1.
pub(super) const STEPS: [&str; 3] = [
    // Moments are milliseconds since 1970. `dropped` is the number of the rewind or summary that put a message out of
    // the conversation, or NULL while it is in it.
    "CREATE TABLE session (
         id TEXT PRIMARY KEY,
         project TEXT NOT NULL,
         title TEXT NOT NULL,
         parent TEXT REFERENCES session ON DELETE CASCADE,
         model TEXT NOT NULL,
         begun INTEGER NOT NULL,
         touched INTEGER NOT NULL
     ) STRICT;
     CREATE INDEX session_of_project ON session (project, touched);
     CREATE TABLE state (
         session TEXT NOT NULL REFERENCES session ON DELETE CASCADE,
         key TEXT NOT NULL,
         value TEXT NOT NULL,
         PRIMARY KEY (session, key)
     ) STRICT, WITHOUT ROWID;
     CREATE TABLE event (
         number INTEGER PRIMARY KEY,
         session TEXT NOT NULL REFERENCES session ON DELETE CASCADE,
         run INTEGER NOT NULL,
         at INTEGER NOT NULL,
         type TEXT NOT NULL,
         json TEXT NOT NULL
     ) STRICT;
     CREATE INDEX event_of_session ON event (session, number);
     CREATE TABLE message (
         number INTEGER PRIMARY KEY,
         session TEXT NOT NULL REFERENCES session ON DELETE CASCADE,
         place INTEGER NOT NULL,
         run INTEGER NOT NULL,
         part TEXT NOT NULL,
         json TEXT NOT NULL,
         dropped INTEGER
     ) STRICT;
     CREATE INDEX message_of_session ON message (session, place, number);
     CREATE VIRTUAL TABLE search USING fts5 (text, session UNINDEXED, run UNINDEXED, part UNINDEXED, at UNINDEXED);
     CREATE TABLE blob (
         hash BLOB PRIMARY KEY,
         bytes BLOB NOT NULL
     ) STRICT;
     CREATE TABLE checkpoint (
         id INTEGER PRIMARY KEY,
         session TEXT NOT NULL REFERENCES session ON DELETE CASCADE,
         number INTEGER NOT NULL,
         run INTEGER NOT NULL,
         step INTEGER NOT NULL,
         place INTEGER NOT NULL,
         at INTEGER NOT NULL,
         title TEXT NOT NULL,
         rewound INTEGER,
         UNIQUE (session, number)
     ) STRICT;
     CREATE TABLE checkpoint_file (
         checkpoint INTEGER NOT NULL REFERENCES checkpoint ON DELETE CASCADE,
         path TEXT NOT NULL,
         before BLOB,
         before_mode INTEGER NOT NULL,
         after BLOB,
         after_mode INTEGER NOT NULL,
         done INTEGER NOT NULL,
         PRIMARY KEY (checkpoint, path)
     ) STRICT, WITHOUT ROWID;
     CREATE TABLE rewind (
         id INTEGER PRIMARY KEY,
         session TEXT NOT NULL REFERENCES session ON DELETE CASCADE,
         at INTEGER NOT NULL,
         undone INTEGER NOT NULL
     ) STRICT;
     CREATE TABLE rewind_file (
         rewind INTEGER NOT NULL REFERENCES rewind ON DELETE CASCADE,
         path TEXT NOT NULL,
         before BLOB,
         before_mode INTEGER NOT NULL,
         after BLOB,
         after_mode INTEGER NOT NULL,
         PRIMARY KEY (rewind, path)
     ) STRICT, WITHOUT ROWID;
     CREATE TABLE written (
         project TEXT NOT NULL,
         path TEXT NOT NULL,
         content BLOB NOT NULL,
         authors TEXT NOT NULL,
         lines TEXT NOT NULL,
         PRIMARY KEY (project, path)
     ) STRICT, WITHOUT ROWID;",
    // What files were accepted as, and the last checkpoint there was then.
    "CREATE TABLE accepted (
         session TEXT NOT NULL REFERENCES session ON DELETE CASCADE,
         path TEXT NOT NULL,
         number INTEGER NOT NULL,
         content BLOB,
         mode INTEGER NOT NULL,
         PRIMARY KEY (session, path)
     ) STRICT, WITHOUT ROWID;",
    // The rewind that took back what was not accepted of a file; and what was accepted before a rewind.
    "ALTER TABLE accepted ADD COLUMN settled INTEGER;
     CREATE TABLE rewind_accepted (
         rewind INTEGER NOT NULL REFERENCES rewind ON DELETE CASCADE,
         path TEXT NOT NULL,
         number INTEGER NOT NULL,
         content BLOB,
         mode INTEGER NOT NULL,
         settled INTEGER,
         PRIMARY KEY (rewind, path)
     ) STRICT, WITHOUT ROWID;",
];

/// Takes the steps that a file has not taken yet. Another process may be about to do the same.
pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    if version(connection)? as usize >= STEPS.len() {
        return Ok(());
    }
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    // Whoever was first has taken them.
    for step in STEPS.iter().skip(version(&transaction)? as usize) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", STEPS.len() as u32)?;
    transaction.commit()
}

/// How many steps a file has taken.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
