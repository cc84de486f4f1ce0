//! Moments of a conversation: before and after each of its runs. What its files were then can be compared with each other
//! and with what they are now.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use agent::host::FileBytes;
use agent::session::{Between, Checkpoint, FileState, Point};
use diff::checkpoint;
use diff::git::{Mode, RepoPath};
use diff::source::Comparison;

use super::ChatId;

/// A run that wrote files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    pub run: u32,
    /// What it was asked.
    pub title: String,
    pub files: usize,
}

/// Two moments of a conversation; the later one is now if there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub chat: ChatId,
    pub from: Point,
    pub to: Option<Point>,
}

/// The runs that wrote files and were not taken back, the first first.
pub fn rounds(checkpoints: &[Checkpoint]) -> Vec<Round> {
    let mut found: BTreeMap<u32, (String, Vec<&str>)> = BTreeMap::new();
    for checkpoint in checkpoints.iter().filter(|checkpoint| !checkpoint.rewound) {
        let (_, files) = found.entry(checkpoint.run).or_insert_with(|| (checkpoint.title.clone(), Vec::new()));
        files.extend(checkpoint.files.iter().map(String::as_str));
    }
    let round = |(run, (title, mut files)): (u32, (String, Vec<&str>))| {
        files.sort_unstable();
        files.dedup();
        Round { run, title, files: files.len() }
    };
    found.into_iter().map(round).collect()
}

/// What a moment is called.
pub fn name(point: Point) -> String {
    match point {
        Point::Before(run) => format!("before run {run}"),
        Point::After(run) => format!("run {run}"),
    }
}

/// Runs that are offered to be compared at most, the last ones.
const OFFERED: usize = 8;

/// What of some runs can be compared, and what that is called: all since each of them, and each with the one before.
pub fn choices(rounds: &[Round]) -> Vec<(String, Point, Option<Point>)> {
    let last = &rounds[rounds.len().saturating_sub(OFFERED)..];
    let since = last.iter().rev().map(|round| (format!("Since {}", round.label()), Point::Before(round.run), None));
    let pairs = last.windows(2).rev().map(|pair| {
        let (one, other) = (pair[0].run, pair[1].run);
        (format!("Run {one} against run {other}"), Point::After(one), Some(Point::After(other)))
    });
    since.chain(pairs).collect()
}

impl Round {
    /// `run 2: Capitals in a.txt`
    pub fn label(&self) -> String {
        const LONGEST: usize = 40;
        let title = crate::widgets::markdown::first_line(&self.title);
        let short: String = title.chars().take(LONGEST).collect();
        let dots = if short.len() < title.len() { "…" } else { "" };
        if short.is_empty() { format!("run {}", self.run) } else { format!("run {}: {short}{dots}", self.run) }
    }
}

/// Files at two moments, to be compared; `of` is the conversation.
pub fn comparison(root: &Path, of: &str, files: Vec<Between>, from: Point, to: Option<Point>) -> Comparison {
    let (mut kept, mut made) = (checkpoint::Checkpoint::default(), checkpoint::Checkpoint::default());
    for file in files {
        let path = RepoPath::from_path(Path::new(&file.path));
        kept.keep(path.clone(), kept_of(file.old));
        if let Some(new) = file.new {
            made.keep(path, kept_of(new));
        }
    }
    let new = to.map(|to| (name(to), made));
    Comparison::moments(canonical(root), of.to_owned(), (name(from), kept), new)
}

/// Files as they are to be compared with what is on disk, and accepted into.
pub fn since(root: &Path, name: String, files: BTreeMap<String, FileState>) -> Comparison {
    let mut kept = checkpoint::Checkpoint::default();
    for (path, state) in files {
        kept.keep(RepoPath::from_path(Path::new(&path)), kept_of(state));
    }
    Comparison::since(canonical(root), name, kept)
}

fn canonical(root: &Path) -> PathBuf {
    root.canonicalize().unwrap_or_else(|_| root.to_owned())
}

fn kept_of(state: FileState) -> checkpoint::Kept {
    match state {
        Some(FileBytes { bytes, mode }) => checkpoint::Kept::File {
            mode: if mode & 0o111 == 0 { Mode::File } else { Mode::Executable },
            bytes: bytes.into(),
        },
        None => checkpoint::Kept::Nothing,
    }
}

/// What is kept of files in `now` that was otherwise in `before`, as a store of sessions has it.
pub fn accepted(before: &checkpoint::Checkpoint, now: &checkpoint::Checkpoint) -> Vec<(String, FileState)> {
    let changed = now.iter().filter(|(path, kept)| before.get(path) != Some(*kept));
    let state = |kept: &checkpoint::Kept| match kept {
        checkpoint::Kept::Nothing => None,
        checkpoint::Kept::File { mode, bytes } => {
            let mode = if *mode == Mode::Executable { 0o755 } else { 0o644 };
            Some(FileBytes { bytes: bytes.to_vec(), mode })
        }
    };
    changed.map(|(path, kept)| (path.display().into_owned(), state(kept))).collect()
}
