//! Opening the file: making it, telling whether it is ours and whole, and setting it aside if it is not whole.
//!
//! While it is opened a lock file beside it is held, so that of two windows that start together one makes the tables, and
//! one sets a damaged file aside, and not the other's new one.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, types::Value};

use super::schema::{APPLICATION, STEPS, TABLES, migrate, version};
use super::{Store, StoreError};
use crate::comments::Moment;

/// How long to wait for another window that writes.
const WAIT: Duration = Duration::from_secs(5);

/// The file, and what is to be told about it.
pub struct Opened {
    /// The file.
    pub store: Store,
    /// Set if it had to be set aside.
    pub notice: Option<Notice>,
}

/// A damaged file was set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Where it is now.
    pub aside: PathBuf,
    /// What was wrong with it.
    pub reason: String,
    /// Rows that could be read from it and were taken over.
    pub rescued: usize,
}

impl std::fmt::Display for Notice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { aside, reason, rescued } = self;
        write!(f, "the file of ticks and comments was damaged ({reason}) and is kept as {}; ", aside.display())?;
        match rescued {
            0 => f.write_str("nothing could be read from it"),
            1 => f.write_str("1 entry was taken over from it"),
            rescued => write!(f, "{rescued} entries were taken over from it"),
        }
    }
}

impl Store {
    /// Opens the file, with the folders it is in, and makes it if there is none.
    pub fn open(path: &Path) -> Result<Opened, StoreError> {
        let failed = |source: &std::io::Error| StoreError::Failed {
            what: "the file of ticks and comments cannot be made",
            path: path.to_owned(),
            reason: source.to_string(),
        };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| failed(&error))?;
        }
        let _lock = lock(&beside(path, ".lock"));
        let reason = match connect(path) {
            Ok(connection) => {
                return Ok(Opened { store: Self { connection, path: path.to_owned() }, notice: None });
            }
            Err(StoreError::Damaged { reason, .. }) => reason,
            Err(error) => return Err(error),
        };
        let aside = set_aside(path).map_err(|error| failed(&error))?;
        let mut connection = connect(path)?;
        let rescued = rescue(&aside, &mut connection);
        let store = Self { connection, path: path.to_owned() };
        Ok(Opened { store, notice: Some(Notice { aside, reason, rescued }) })
    }
}

/// Waits for the lock, but not for ever: it keeps two windows from doing the same thing, and nobody from working.
fn lock(path: &Path) -> Option<File> {
    let file = File::options().create(true).truncate(false).write(true).open(path).ok()?;
    let end = Instant::now() + WAIT;
    loop {
        match file.try_lock() {
            Ok(()) => return Some(file),
            Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(Duration::from_millis(10)),
            Err(_) => return None,
        }
    }
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let failed = |error: rusqlite::Error| error_of_open(path, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_timeout(WAIT).map_err(failed)?;
    check_ours(&connection, path)?;
    prepare(&mut connection).map_err(failed)?;
    let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(failed)?;
    match found.as_str() {
        "ok" => Ok(connection),
        _ => Err(StoreError::Damaged { path: path.to_owned(), reason: found }),
    }
}

/// Whether the file is empty, or ours and not too new. Nothing is written before that is known.
fn check_ours(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| error_of_open(path, &error);
    let application: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(failed)?;
    let version = version(connection).map_err(failed)?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(failed)?;
    let is_new = application == 0 && version == 0 && tables == 0;
    if application != APPLICATION && !is_new {
        return Err(StoreError::Foreign { path: path.to_owned() });
    }
    let known = STEPS.len() as u32;
    if version > known {
        return Err(StoreError::Newer { path: path.to_owned(), version, known });
    }
    Ok(())
}

fn prepare(connection: &mut Connection) -> rusqlite::Result<()> {
    // Where there is no shared memory (some network drives) it stays with a journal that is deleted, which works, too.
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    // Synced at each commit: a comment is worth the millisecond.
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    migrate(connection, &STEPS)
}

/// Renames a file, and what SQLite keeps beside it, to a name that says what it is.
fn set_aside(path: &Path) -> std::io::Result<PathBuf> {
    let stamp = Moment::now().0;
    let names = (0..).map(|n: u32| beside(path, &format!(".damaged-{stamp}{}", "x".repeat(n as usize))));
    let aside = names.into_iter().find(|name| !name.exists()).unwrap_or_else(|| beside(path, ".damaged"));
    fs::rename(path, &aside)?;
    for suffix in ["-wal", "-shm"] {
        // Often there is none.
        let _ = fs::rename(beside(path, suffix), beside(&aside, suffix));
    }
    Ok(aside)
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Takes over all rows of a damaged file that can be read; how many.
fn rescue(aside: &Path, into: &mut Connection) -> usize {
    let Ok(damaged) = Connection::open_with_flags(aside, OpenFlags::SQLITE_OPEN_READ_ONLY) else { return 0 };
    let Ok(transaction) = into.transaction() else { return 0 };
    let mut rescued = 0;
    for table in TABLES {
        // Rows up to the damage; those behind it are out of reach.
        rescued += copy(table, &damaged, &transaction).unwrap_or(0);
    }
    transaction.commit().map_or(0, |()| rescued)
}

fn copy(table: &str, from: &Connection, into: &Connection) -> rusqlite::Result<usize> {
    let mut select = from.prepare(&format!("SELECT * FROM {table}"))?;
    let columns: Vec<_> = select.column_names().map(str::to_owned).collect();
    let holes = vec!["?"; columns.len()].join(", ");
    let insert = format!("INSERT OR IGNORE INTO {table} ({}) VALUES ({holes})", columns.join(", "));
    let mut insert = into.prepare(&insert)?;
    let mut rows = select.query([])?;
    let mut copied = 0;
    while let Ok(Some(row)) = rows.next() {
        let values: Vec<Value> = (0..columns.len()).map(|at| row.get(at)).collect::<rusqlite::Result<_>>()?;
        // A row whose thread or repository was lost is of no use.
        copied += insert.execute(rusqlite::params_from_iter(values)).unwrap_or(0);
    }
    Ok(copied)
}

fn error_of_open(path: &Path, source: &rusqlite::Error) -> StoreError {
    error(path, "the file of ticks and comments cannot be opened", source)
}

/// What an error of SQLite means to somebody.
pub(super) fn error(path: &Path, what: &'static str, error: &rusqlite::Error) -> StoreError {
    let (path, reason) = (path.to_owned(), error.to_string());
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy { path },
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Damaged { path, reason },
        _ => StoreError::Failed { what, path, reason },
    }
}
