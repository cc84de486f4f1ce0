//! Merges against all of their parents: what a merge commit decided, or what a patch tells of one.
//!
//! Made in the background, once; nothing in it changes afterwards.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use diff::combined::{CombineOptions, combine};
use diff::git::{CombinedContent, Form, Repo};
use diff::lines::Content;
use diff::patch::combined::{CombinedHunk, CombinedLine, CombinedNumbers};
use diff::patch::parse::{LineKind, PatchHunk};
use editor::Cancel;

use crate::tasks::{Poll, Task, Tasks};

/// Names a merge that is shown for as long as the window lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CombinedId(pub u64);

/// What is shown.
#[derive(Clone)]
pub enum Of {
    /// A merge commit.
    Merge { repo: Repo, name: String },
    /// A patch that tells of merges.
    Patch { name: String, text: Arc<[u8]> },
}

impl Of {
    /// What it is called.
    pub fn name(&self) -> &str {
        match self {
            Self::Merge { name, .. } | Self::Patch { name, .. } => name,
        }
    }
}

/// A hunk: its place, and which lines of the file's text are its own.
#[derive(Clone, Debug)]
pub struct ShownHunk {
    /// `@@@ -1,2 -1,3 +1,4 @@@ fn name()`
    pub header: String,
    /// How many parents it tells of.
    pub parents: usize,
    /// By line: its numbers, and its signs.
    pub lines: Vec<(CombinedNumbers, CombinedLine<'static>)>,
    /// The first of its lines in the text.
    pub first: u32,
}

/// A file that differs from all parents.
#[derive(Clone, Debug)]
pub struct ShownFile {
    pub path: String,
    pub hunks: Vec<ShownHunk>,
    /// The lines of all hunks, below each other, for colours.
    pub text: Content,
    /// What is said in place of hunks.
    pub note: Option<String>,
}

/// How far it has come.
pub enum Stage {
    Reading(Task<Result<Vec<ShownFile>, String>>),
    Ready(Vec<ShownFile>),
    Failed(String),
}

/// A merge that is shown.
pub struct OpenCombined {
    pub of: Of,
    pub stage: Stage,
    pub asked: Instant,
}

impl OpenCombined {
    fn new(of: Of, tasks: &Tasks) -> Self {
        let stage = read(&of, tasks);
        Self { of, stage, asked: Instant::now() }
    }

    /// Reads it once more.
    pub fn retry(&mut self, tasks: &Tasks) {
        self.stage = read(&self.of, tasks);
    }

    /// The files, once they are there.
    pub fn files(&self) -> &[ShownFile] {
        match &self.stage {
            Stage::Ready(files) => files,
            Stage::Reading(_) | Stage::Failed(_) => &[],
        }
    }

    fn take_results(&mut self) {
        let Stage::Reading(task) = &self.stage else { return };
        self.stage = match task.poll() {
            Poll::Pending => return,
            Poll::Ready(Ok(files)) => Stage::Ready(files),
            Poll::Ready(Err(error)) => Stage::Failed(error),
            Poll::Lost => Stage::Failed("reading it ended unexpectedly; try again".to_owned()),
        };
    }
}

fn read(of: &Of, tasks: &Tasks) -> Stage {
    let of = of.clone();
    Stage::Reading(tasks.spawn("combine a merge", move |cancel| match &of {
        Of::Merge { repo, name } => merge(repo, name, cancel),
        Of::Patch { text, .. } => of_patch(text),
    }))
}

/// What a merge commit has from none, or not from all, of its parents.
fn merge(repo: &Repo, name: &str, cancel: &Cancel) -> Result<Vec<ShownFile>, String> {
    let files = repo.combined_files(name, &[], true, cancel).map_err(|error| error.to_string())?;
    let mut reader = repo.reader().with_form(Form::Stored);
    let mut shown = Vec::new();
    for file in files {
        let path = file.path.to_string();
        let note = file.mode_differs().then(|| "its mode differs from that of a parent".to_owned());
        match reader.read_combined(&file).map_err(|error| error.to_string())? {
            CombinedContent::Binary => shown.push(ShownFile::noted(path, "binary, and other than in every parent")),
            CombinedContent::Text { parents, result } => {
                let hunks = combine(&parents, &result, &CombineOptions::default(), cancel);
                let hunks = hunks.map_err(|error| format!("{path}: {error}"))?;
                // Nothing was decided where every hunk is that of one parent.
                if !hunks.is_empty() || note.is_some() {
                    shown.push(ShownFile::new(path, hunks, note)?);
                }
            }
        }
    }
    Ok(shown)
}

/// What a patch tells; files of ordinary ones have one parent.
pub fn of_patch(text: &[u8]) -> Result<Vec<ShownFile>, String> {
    let patch = diff::patch::parse(text).map_err(|error| error.to_string())?;
    let files = patch.files.into_iter().map(|file| {
        let path = file
            .new_path
            .as_deref()
            .or(file.old_path.as_deref())
            .map_or_else(String::new, |path| String::from_utf8_lossy(path).into_owned());
        let hunks = match file.combined {
            true => file.combined_hunks,
            false => file.hunks.iter().map(of_one_parent).collect(),
        };
        let note = (hunks.is_empty() || file.binary).then(|| "no lines are told of it".to_owned());
        ShownFile::new(path, hunks, note)
    });
    files.collect()
}

fn of_one_parent<'a>(hunk: &PatchHunk<'a>) -> CombinedHunk<'a> {
    let line = |line: &diff::patch::parse::PatchLine<'a>| CombinedLine {
        in_result: line.kind != LineKind::Removed,
        signs: u64::from(line.kind != LineKind::Context),
        hidden: false,
        text: line.text.strip_suffix(b"\n").unwrap_or(line.text).into(),
    };
    CombinedHunk {
        parents: vec![hunk.old.clone()],
        result: hunk.new.clone(),
        section: hunk.section.into(),
        lines: hunk.lines.iter().map(line).collect(),
    }
}

impl ShownFile {
    fn noted(path: String, note: &str) -> Self {
        Self { path, hunks: Vec::new(), text: Content::default(), note: Some(note.to_owned()) }
    }

    fn new(path: String, hunks: Vec<CombinedHunk<'_>>, note: Option<String>) -> Result<Self, String> {
        let (mut text, mut first) = (Vec::new(), 0);
        let mut shown = Vec::with_capacity(hunks.len());
        for hunk in hunks {
            let hunk = hunk.into_owned();
            let lines: Vec<_> = hunk.numbered().map(|(numbers, line)| (numbers, line.clone())).collect();
            for (_, line) in &lines {
                text.extend_from_slice(&line.text);
                text.push(b'\n');
            }
            let count = lines.len() as u32;
            shown.push(ShownHunk { header: header(&hunk), parents: hunk.parents.len(), lines, first });
            first += count;
        }
        let text = Content::new(text).map_err(|error| format!("{path}: {error}"))?;
        Ok(Self { path, hunks: shown, text, note })
    }
}

/// The place of a hunk as git writes it.
fn header(hunk: &CombinedHunk<'_>) -> String {
    let at = "@".repeat(hunk.parents.len() + 1);
    let range = |sign: char, lines: &std::ops::Range<u32>| {
        let start = if lines.is_empty() { lines.start } else { lines.start + 1 };
        format!("{sign}{start},{} ", lines.len())
    };
    let parents: String = hunk.parents.iter().map(|lines| range('-', lines)).collect();
    let section = String::from_utf8_lossy(&hunk.section).trim().to_owned();
    format!("{at} {parents}{}{at} {section}", range('+', &hunk.result)).trim_end().to_owned()
}

/// All merges that are shown.
#[derive(Default)]
pub struct Combineds {
    open: BTreeMap<CombinedId, OpenCombined>,
    last: u64,
}

impl Combineds {
    /// Shows a merge, or finds it.
    pub fn open(&mut self, of: Of, tasks: &Tasks) -> CombinedId {
        let same = |other: &Of| match (&of, other) {
            (Of::Merge { repo, name }, Of::Merge { repo: other, name: other_name }) => {
                repo.git_dir() == other.git_dir() && name == other_name
            }
            (Of::Patch { text, .. }, Of::Patch { text: other, .. }) => text == other,
            _ => false,
        };
        if let Some((id, _)) = self.open.iter().find(|(_, open)| same(&open.of)) {
            return *id;
        }
        self.last += 1;
        let id = CombinedId(self.last);
        self.open.insert(id, OpenCombined::new(of, tasks));
        id
    }

    /// A merge by its name.
    pub fn get(&self, id: CombinedId) -> Option<&OpenCombined> {
        self.open.get(&id)
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, id: CombinedId) -> Option<&mut OpenCombined> {
        self.open.get_mut(&id)
    }

    /// Takes in what the background found. Never waits.
    pub fn take_results(&mut self) {
        self.open.values_mut().for_each(OpenCombined::take_results);
    }

    /// Shows it no more.
    pub fn close(&mut self, id: CombinedId) {
        self.open.remove(&id);
    }
}
