//! Printing a comparison: `--stat`, `--numstat`, `--patch` and `--json`.
//!
//! All of them read both sides in the stored form, as git does, on as many threads as there are cores, each with its own
//! reader. They read as objects lie in packs and print in order of paths; files are worked on in rounds, so that what
//! waits to be printed stays small.

mod hunks;
mod json;
mod patch;
mod stat;

use std::{
    io::{self, Write},
    num::NonZero,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use editor::Cancel;

pub use json::json;
pub use patch::patch;
pub use stat::{numstat, stat};

use crate::{
    affix::Common,
    content::SideContent,
    engine::{Engine, Options, Script},
    git::{FileChange, Form, GitError, ObjectId, Reader, Side, Status},
    lines::{Bytes, Content},
    runs::Runs,
    source::Comparison,
};

/// Files worked on before any of them is printed. More are read faster, and take more memory.
const ROUND: usize = 2_048;

/// Why nothing, or not everything, was printed.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A side could not be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The output could not be written.
    #[error("the output cannot be written: {0}")]
    Write(#[from] io::Error),
}

/// Lines added and removed in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    /// Of a binary file, its sizes in bytes before and now; it has no lines.
    pub binary: Option<(u64, u64)>,
}

/// Counts the changed lines of all `changes` and tells `each` as they come, in no order: the index and its counts.
///
/// A file that cannot be read ends it with the error, unless `cancel` did.
pub fn counts(
    comparison: &Comparison,
    changes: &[FileChange],
    cancel: &Cancel,
    each: impl FnMut(usize, Counts) + Send,
) -> Result<(), GitError> {
    let each = Mutex::new(each);
    on_threads(comparison, changes, cancel, |worker, at, change| {
        let counts = worker.counts(change)?;
        let mut each = each.lock().unwrap_or_else(PoisonError::into_inner);
        each(at, counts);
        Ok(())
    })
}

/// What one thread works with.
struct Worker<'a> {
    reader: Reader,
    engine: Engine,
    cancel: &'a Cancel,
}

/// A side as git would print it: lines, or none.
enum Printed {
    Lines(Bytes),
    Binary { size: u64, id: Option<ObjectId> },
}

impl Printed {
    fn of(content: SideContent) -> Self {
        match content {
            SideContent::Text(text) => Self::Lines(text.bytes),
            SideContent::Binary { size, id, .. } => Self::Binary { size, id },
            SideContent::Missing => Self::Lines(Bytes::default()),
            SideContent::Symlink { target } => Self::Lines(target.as_bytes().into()),
            SideContent::Submodule { commit, dirty } => {
                let commit = commit.map_or_else(|| "0".repeat(40), |id| id.to_string());
                let dirty = if dirty { "-dirty" } else { "" };
                Self::Lines(format!("Subproject commit {commit}{dirty}\n").into_bytes().into())
            }
        }
    }

    fn size(&self) -> u64 {
        match self {
            Self::Lines(bytes) => bytes.len() as u64,
            Self::Binary { size, .. } => *size,
        }
    }
}

/// Both sides of a file with lines, and how they differ.
struct Compared {
    old: Content,
    new: Content,
    script: Script,
}

impl<'a> Worker<'a> {
    fn new(comparison: &Comparison, cancel: &'a Cancel) -> Self {
        Self { reader: comparison.reader().with_form(Form::Stored), engine: Engine::new(), cancel }
    }

    fn sides(&mut self, change: &FileChange) -> Result<(SideContent, SideContent), GitError> {
        Ok((self.reader.read(change, Side::Old)?, self.reader.read(change, Side::New)?))
    }

    fn compare(&mut self, path: &FileChange, old: Bytes, new: Bytes) -> Result<Compared, GitError> {
        let too_large =
            |error: crate::lines::TooLarge| GitError::TooLarge { path: path.path.clone(), size: error.bytes };
        let common = Common::of(&old, &new);
        let (old, new) = Content::pair_with(old, new, common).map_err(too_large)?;
        let script = self.engine.compare_with(&old, &new, common, &Options::default(), self.cancel);
        let script = script.map_err(|_| GitError::Cancelled)?;
        Ok(Compared { old, new, script })
    }

    fn counts(&mut self, change: &FileChange) -> Result<Counts, GitError> {
        let (old, new) = self.sides(change)?;
        let (old, new) = (Printed::of(old), Printed::of(new));
        let (Printed::Lines(old_bytes), Printed::Lines(new_bytes)) = (&old, &new) else {
            let sizes = if change.same_content() { (0, 0) } else { (old.size(), new.size()) };
            return Ok(Counts { binary: Some(sizes), ..Counts::default() });
        };
        // Of a submodule with changes of its own git counts nothing either.
        if change.same_content() {
            return Ok(Counts::default());
        }
        // What has one side only need not be compared.
        if old_bytes.is_empty() || new_bytes.is_empty() {
            return Ok(Counts { added: line_count(new_bytes), removed: line_count(old_bytes), binary: None });
        }
        let (removed, added) = self.compare(change, old_bytes.clone(), new_bytes.clone())?.script.counts();
        Ok(Counts { added, removed, binary: None })
    }
}

fn line_count(bytes: &[u8]) -> u64 {
    let unfinished = bytes.last().is_some_and(|&byte| byte != b'\n');
    memchr::memchr_iter(b'\n', bytes).count() as u64 + u64::from(unfinished)
}

/// Does `work` for every change, on all cores, as they are read best; the first error ends it.
fn on_threads(
    comparison: &Comparison,
    changes: &[FileChange],
    cancel: &Cancel,
    work: impl Fn(&mut Worker<'_>, usize, &FileChange) -> Result<(), GitError> + Sync,
) -> Result<(), GitError> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(8).min(changes.len());
    let order = comparison.reader().reading_order(changes);
    let runs = Mutex::new(Runs::new(order.len(), threads));
    let failed = AtomicBool::new(false);
    let run = || {
        let mut worker = Worker::new(comparison, cancel);
        loop {
            let run = runs.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(run) = run else { return Ok(()) };
            for &at in &order[run] {
                if failed.load(Ordering::Relaxed) {
                    return Ok(());
                }
                if cancel.is_cancelled() {
                    return Err(GitError::Cancelled);
                }
                if let Err(error) = work(&mut worker, at, &changes[at]) {
                    failed.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
    };
    thread::scope(|scope| {
        let spawn = |_| thread::Builder::new().name("export".to_owned()).spawn_scoped(scope, run);
        // A thread that cannot be had is done without.
        let others: Vec<_> = (1..threads).map_while(|at| spawn(at).ok()).collect();
        let mine = run();
        let others: Vec<_> = others
            .into_iter()
            .map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect();
        others.into_iter().fold(mine, Result::and)
    })
}

/// Makes the text of each change on all cores and prints them in order.
fn in_order(
    comparison: &Comparison,
    changes: &[FileChange],
    out: &mut impl Write,
    cancel: &Cancel,
    make: impl Fn(&mut Worker<'_>, &FileChange) -> Result<Vec<u8>, GitError> + Sync,
    mut between: impl FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<(), ExportError> {
    let mut first = true;
    for round in changes.chunks(ROUND) {
        let made: Vec<Mutex<Vec<u8>>> = round.iter().map(|_| Mutex::default()).collect();
        on_threads(comparison, round, cancel, |worker, at, change| {
            let text = make(worker, change)?;
            *made[at].lock().unwrap_or_else(PoisonError::into_inner) = text;
            Ok(())
        })?;
        for text in made {
            if !std::mem::take(&mut first) {
                between(out)?;
            }
            out.write_all(&text.into_inner().unwrap_or_else(PoisonError::into_inner))?;
        }
    }
    Ok(())
}

/// The counts of all changes, in their order.
fn all_counts(comparison: &Comparison, changes: &[FileChange], cancel: &Cancel) -> Result<Vec<Counts>, GitError> {
    let mut all = vec![Counts::default(); changes.len()];
    counts(comparison, changes, cancel, |at, counts| all[at] = counts)?;
    Ok(all)
}

/// Whether git counts a file among the changed ones; a path in conflict it does not.
fn is_counted(change: &FileChange) -> bool {
    change.status != Status::Unmerged
}
