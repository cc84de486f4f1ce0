//! Opening the file of sessions: making it, telling whether it is ours and whole, setting it aside if it is not.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::schema::{APPLICATION, STEPS, migrate, version};
use super::{Store, StoreError};
use crate::event::Moment;
use crate::secrets::Secrets;

/// How long to wait for another process that writes.
const WAIT: Duration = Duration::from_secs(10);
/// Pages that may wait beside the file until they are brought into it: 32 MiB.
const PAGES: u32 = 8192;

/// The file, and what is to be told about it.
pub struct Opened {
    /// The file.
    pub store: Store,
    /// Set if it was damaged and had to be set aside: what was wrong and where it is.
    pub notice: Option<String>,
}

enum Trouble {
    Damaged(String),
    Other(StoreError),
}

impl Store {
    /// Opens the file, with the folders it is in, and makes it if there is none.
    pub fn open(path: &Path, secrets: Arc<Secrets>) -> Result<Opened, StoreError> {
        let io = |error: &std::io::Error| StoreError::Failed {
            what: "the file of sessions cannot be made",
            path: path.to_owned(),
            reason: error.to_string(),
        };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| io(&error))?;
        }
        make_private(path).map_err(|error| io(&error))?;
        let store = |connection| Self { connection, path: path.to_owned(), secrets };
        match connect(path) {
            Ok(connection) => Ok(Opened { store: store(connection), notice: None }),
            Err(Trouble::Other(error)) => Err(error),
            Err(Trouble::Damaged(reason)) => {
                let aside = set_aside(path).map_err(|error| io(&error))?;
                make_private(path).map_err(|error| io(&error))?;
                let connection = connect(path).map_err(|trouble| match trouble {
                    Trouble::Other(error) => error,
                    Trouble::Damaged(reason) => StoreError::Failed {
                        what: "a new file of sessions cannot be made",
                        path: path.to_owned(),
                        reason,
                    },
                })?;
                let notice = format!("the file of sessions was damaged ({reason}) and is kept as {}", aside.display());
                Ok(Opened { store: store(connection), notice: Some(notice) })
            }
        }
    }
}

/// The file is its owner's alone: checkpoints keep files as they are.
fn make_private(path: &Path) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

fn connect(path: &Path) -> Result<Connection, Trouble> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let failed = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Trouble::Damaged(error.to_string()),
        _ => Trouble::Other(self::failed(path, "the file of sessions cannot be opened", &error)),
    };
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_timeout(WAIT).map_err(failed)?;
    let application: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(failed)?;
    let version = version(&connection).map_err(failed)?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(failed)?;
    if application != APPLICATION && (application != 0 || version != 0 || tables != 0) {
        return Err(Trouble::Other(StoreError::Foreign { path: path.to_owned() }));
    }
    if version as usize > STEPS.len() {
        return Err(Trouble::Other(StoreError::Newer { path: path.to_owned(), version }));
    }
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(())).map_err(failed)?;
    // Events come many a second; what must survive a power cut is synced by whoever writes it. Otherwise the disk is waited
    // for once in a long while only, and not in the middle of every reply.
    connection.pragma_update(None, "synchronous", "normal").map_err(failed)?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", PAGES, |_| Ok(())).map_err(failed)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(failed)?;
    migrate(&mut connection).map_err(failed)?;
    Ok(connection)
}

/// Renames a file, and what SQLite keeps beside it, to a name that says what it is.
fn set_aside(path: &Path) -> std::io::Result<PathBuf> {
    let beside = |path: &Path, suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let aside = beside(path, &format!(".damaged-{}", Moment::now().0));
    fs::rename(path, &aside)?;
    for suffix in ["-wal", "-shm"] {
        // Often there is none.
        let _ = fs::rename(beside(path, suffix), beside(&aside, suffix));
    }
    Ok(aside)
}

/// What an error of SQLite means to somebody.
pub(super) fn failed(path: &Path, what: &'static str, error: &rusqlite::Error) -> StoreError {
    let reason = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "another process has been writing to it for too long; try again".to_owned()
        }
        _ => error.to_string(),
    };
    StoreError::Failed { what, path: path.to_owned(), reason }
}
