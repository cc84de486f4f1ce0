//! What was sent where, what was run and what was changed: a log that only grows.
//!
//! One line of JSON a record, with sizes and hashes instead of contents. Each record has the hash of the line before, so a
//! line that was changed or taken out later shows ([`check`]). Several processes may write: each takes the lock of the
//! file for the moment of writing.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::event::{Moment, SessionId};

/// Something that is put on record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Deed {
    /// A request was sent to a model: there was a server that took the connection.
    Sent {
        /// The address.
        to: String,
        /// The model.
        model: String,
        /// Bytes of text in it.
        bytes: u64,
        /// The hash of them.
        hash: String,
        /// Messages in it.
        messages: usize,
        /// Secrets that were masked in what this request adds.
        masked: usize,
    },
    /// A page was fetched, or a search asked for.
    Fetched {
        /// The address.
        from: String,
        /// Bytes that came.
        bytes: u64,
        /// The hash of them.
        hash: String,
    },
    /// A file was written, made, moved or removed.
    Changed {
        /// What was done.
        what: String,
        /// The root of the project.
        project: String,
        /// The file.
        path: String,
        /// The hash of what it was; empty if there was none.
        before: String,
        /// The hash of what it is; empty if it is gone.
        after: String,
        /// Bytes of what it is.
        bytes: u64,
    },
    /// A tool ran that does more than read.
    Ran {
        /// The tool.
        tool: String,
        /// The hash of its arguments.
        hash: String,
        /// Whether it did what was asked.
        ok: bool,
    },
    /// Somebody was asked for permission.
    Asked {
        /// For what.
        title: String,
        /// The answer.
        answer: String,
    },
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// When.
    pub time: Moment,
    /// In which session.
    pub session: SessionId,
    /// In which run.
    pub run: u32,
    /// What.
    #[serde(flatten)]
    pub deed: Deed,
    /// The hash of the line before; empty for the first.
    pub previous: String,
}

/// Why nothing could be put on record, or read.
#[derive(Debug, thiserror::Error)]
#[error("the audit log {} cannot be {doing}: {reason}", path.display())]
pub struct AuditError {
    path: PathBuf,
    doing: &'static str,
    reason: io::Error,
}

/// The log.
#[derive(Debug)]
pub struct Audit {
    path: PathBuf,
}

impl Audit {
    /// The log at a path, made with the folders it is in.
    pub fn open(path: &Path) -> Result<Self, AuditError> {
        let audit = Self { path: path.to_owned() };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|reason| audit.failed("made", reason))?;
        }
        audit.file().map_err(|reason| audit.failed("made", reason))?;
        Ok(audit)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts something on record. When it returns, it is handed to the system.
    pub fn record(&self, session: &SessionId, run: u32, deed: Deed) -> Result<(), AuditError> {
        let write = || -> io::Result<()> {
            let mut file = self.file()?;
            file.lock()?;
            let (previous, ends) = last_line(&mut file)?;
            let record = Record { time: Moment::now(), session: session.clone(), run, deed, previous };
            // A line that a crash cut short stays as it is; the next one does not run on in it.
            let line = format!("{}{}\n", if ends { "" } else { "\n" }, serde_json::to_string(&record)?);
            file.write_all(line.as_bytes())
        };
        write().map_err(|reason| self.failed("written", reason))
    }

    fn file(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.create(true).append(true).read(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&self.path)
    }

    fn failed(&self, doing: &'static str, reason: io::Error) -> AuditError {
        AuditError { path: self.path.clone(), doing, reason }
    }
}

/// The hash of a content as it stands in the log.
pub fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..32].to_owned()
}

/// The hash of the last line, and whether the file ends with the end of a line.
fn last_line(file: &mut File) -> io::Result<(String, bool)> {
    let length = file.metadata()?.len();
    if length == 0 {
        return Ok((String::new(), true));
    }
    let mut window = 4096;
    loop {
        let start = length.saturating_sub(window);
        file.seek(SeekFrom::Start(start))?;
        let mut tail = Vec::new();
        file.take(length - start).read_to_end(&mut tail)?;
        let ends = tail.ends_with(b"\n");
        let body = if ends { &tail[..tail.len() - 1] } else { &tail[..] };
        if let Some(at) = body.iter().rposition(|byte| *byte == b'\n') {
            return Ok((hash(&body[at + 1..]), ends));
        }
        if start == 0 {
            return Ok((hash(body), ends));
        }
        window *= 8;
    }
}

/// What a log holds, and what is wrong with it.
#[derive(Debug, Default)]
pub struct Checked {
    /// Lines that can be read, in order.
    pub records: Vec<Record>,
    /// Numbers of lines, from 1, that are no records or do not follow from the line before.
    pub broken: Vec<usize>,
}

/// Reads a log whole. One that does not exist is empty.
pub fn check(path: &Path) -> Result<Checked, AuditError> {
    let failed = |reason| AuditError { path: path.to_owned(), doing: "read", reason };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Checked::default()),
        Err(error) => return Err(failed(error)),
    };
    let (mut checked, mut previous) = (Checked::default(), String::new());
    for (n, line) in BufReader::new(file).split(b'\n').enumerate() {
        let line = line.map_err(failed)?;
        let record = serde_json::from_slice::<Record>(&line).ok();
        if record.as_ref().is_none_or(|record| record.previous != previous) {
            checked.broken.push(n + 1);
        }
        checked.records.extend(record);
        previous = hash(&line);
    }
    Ok(checked)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn deed(n: usize) -> Deed {
        Deed::Ran { tool: format!("tool{n}"), hash: hash(b"x"), ok: true }
    }

    fn log(count: usize) -> (tempfile::TempDir, Audit) {
        let folder = tempfile::tempdir().unwrap();
        let audit = Audit::open(&folder.path().join("deep/audit.jsonl")).unwrap();
        for n in 0..count {
            audit.record(&SessionId::from("s".to_owned()), 1, deed(n)).unwrap();
        }
        (folder, audit)
    }

    #[test]
    fn records_are_read_as_they_were_written() {
        let (_folder, audit) = log(3);
        let checked = check(audit.path()).unwrap();
        assert_eq!(checked.broken, [0usize; 0]);
        assert_eq!(
            checked.records.into_iter().map(|record| record.deed).collect::<Vec<_>>(),
            [deed(0), deed(1), deed(2)]
        );
        assert!(check(&audit.path().with_extension("other")).unwrap().records.is_empty());
    }

    #[test]
    fn a_line_that_was_changed_or_taken_out_shows() {
        let (_folder, audit) = log(4);
        let whole = fs::read_to_string(audit.path()).unwrap();
        fs::write(audit.path(), whole.replace("tool1", "toolX")).unwrap();
        assert_eq!(check(audit.path()).unwrap().broken, [3]);
        let without: String =
            whole.lines().enumerate().filter(|(n, _)| *n != 1).map(|(_, line)| format!("{line}\n")).collect();
        fs::write(audit.path(), without).unwrap();
        assert_eq!(check(audit.path()).unwrap().broken, [2]);
    }

    #[test]
    fn a_line_cut_by_a_crash_is_told_and_no_end() {
        let (_folder, audit) = log(2);
        let whole = fs::read(audit.path()).unwrap();
        fs::write(audit.path(), &whole[..whole.len() - 9]).unwrap();
        audit.record(&SessionId::from("s".to_owned()), 1, deed(2)).unwrap();
        let checked = check(audit.path()).unwrap();
        assert_eq!((checked.records.len(), checked.broken), (2, vec![2]));
    }

    #[test]
    fn several_writers_make_one_chain() {
        let (_folder, audit) = log(0);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let path = audit.path().to_owned();
                std::thread::Builder::new()
                    .spawn_scoped(scope, move || {
                        let audit = Audit::open(&path).unwrap();
                        (0..25).for_each(|n| audit.record(&SessionId::from("s".to_owned()), thread, deed(n)).unwrap());
                    })
                    .unwrap();
            }
        });
        let checked = check(audit.path()).unwrap();
        assert_eq!((checked.records.len(), checked.broken.len()), (100, 0));
    }
}
