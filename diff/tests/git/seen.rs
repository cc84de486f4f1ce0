//! A file of a comparison as a review shows it, to choose lines from.

use diff::{
    Cancel,
    content::SideContent,
    engine::{Hunk, Options, compare},
    git::{FileChange, IndexEntry, Reader, Side},
    lines::Content,
    source::{Comparison, Source},
    staging::{Chosen, Pick, Shown, StagingError, What, stage, unstage},
};

use super::scratch::Scratch;

/// A changed file with both sides as they are shown.
pub struct Seen {
    pub comparison: Comparison,
    pub change: FileChange,
    pub old: Content,
    pub new: Content,
    pub hunks: Vec<Hunk>,
}

/// Lines of both sides, counted from 1.
pub fn lines(removed: &[u32], added: &[u32]) -> Chosen {
    let one = |&line: &u32| line - 1..line;
    Chosen::new(removed.iter().map(one), added.iter().map(one))
}

impl Seen {
    pub fn of(s: &Scratch, source: Source, path: &str) -> Self {
        let comparison = s.compare(source);
        let changes = comparison.changes(&Cancel::new()).unwrap();
        Self::find(comparison, changes, path)
    }

    /// The same with moved and edited files found.
    pub fn renamed(s: &Scratch, source: Source, path: &str) -> Self {
        let comparison = s.compare(source);
        let mut changes = comparison.changes(&Cancel::new()).unwrap();
        s.repo().detect_renames(&mut changes, &Cancel::new()).unwrap();
        let seen = Self::find(comparison, changes, path);
        assert!(seen.change.old_path.is_some(), "{:?}", seen.change);
        seen
    }

    fn find(comparison: Comparison, changes: Vec<FileChange>, path: &str) -> Self {
        let change = changes.into_iter().find(|change| change.path.display() == path);
        let change = change.unwrap_or_else(|| panic!("{path} is not among the {}", comparison.source()));
        let mut reader = comparison.reader();
        Self::read(comparison, change, &mut reader)
    }

    pub fn read(comparison: Comparison, change: FileChange, reader: &mut Reader) -> Self {
        let mut side = |side| match reader.read(&change, side).unwrap() {
            SideContent::Text(text) => text.content().unwrap(),
            _ => Content::default(),
        };
        let (old, new) = (side(Side::Old), side(Side::New));
        let hunks = compare(&old, &new, &Options::default(), &Cancel::new()).unwrap().hunks;
        Self { comparison, change, old, new, hunks }
    }

    /// The new side is shown with another text, as an editor has it.
    pub fn show_new(&mut self, text: &str) {
        self.new = Content::new(text.as_bytes()).unwrap();
        self.hunks = compare(&self.old, &self.new, &Options::default(), &Cancel::new()).unwrap().hunks;
    }

    pub fn shown(&self) -> Shown<'_> {
        Shown { old: &self.old, new: &self.new, hunks: &self.hunks }
    }

    pub fn pick<'a>(&'a self, what: What<'a>) -> Pick<'a> {
        Pick::new(&self.change, what)
    }

    pub fn stage(&self, what: What<'_>) -> Result<Vec<IndexEntry>, StagingError> {
        stage(&self.comparison, &[Pick::new(&self.change, what)], &Cancel::new())
    }

    pub fn unstage(&self, what: What<'_>) -> Result<Vec<IndexEntry>, StagingError> {
        unstage(&self.comparison, &[Pick::new(&self.change, what)], &Cancel::new())
    }

    pub fn stage_lines(&self, removed: &[u32], added: &[u32]) -> Result<Vec<IndexEntry>, StagingError> {
        self.stage(What::Parts { lines: Some((self.shown(), &lines(removed, added))), mode: false })
    }

    pub fn unstage_lines(&self, removed: &[u32], added: &[u32]) -> Result<Vec<IndexEntry>, StagingError> {
        self.unstage(What::Parts { lines: Some((self.shown(), &lines(removed, added))), mode: false })
    }
}
