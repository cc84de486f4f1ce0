//! Where the reader is in a review, in words that hold until the next start: paths and lines, not indices and rows.

use diff::git::Side;
use diff::review::{Anchor, FileEntry, PageRow, Review};
use diff::ticks::Viewed;
use serde::{Deserialize, Serialize};

use super::navigate::{ABOVE, Goal, ask};
use super::{ReviewPane, navigate};

/// Files of a review at most whose folds are remembered: they are looked at whenever something may have to be kept.
const MAX_FILES: usize = 2_000;

/// A place in a review, and what is folded there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Kept {
    /// The path of the file at the top.
    pub file: Option<String>,
    /// The line a little below the top, counted from 0; none where the file begins, or has no lines.
    pub line: Option<u32>,
    /// It is a line of the old side.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub old: bool,
    /// Files that were folded by hand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folded: Vec<String>,
}

impl Kept {
    /// Where a pane is.
    pub fn of(pane: &ReviewPane, page: &Review) -> Self {
        let Anchor { file, row, .. } = pane.anchor;
        let shown = (row > 0).then(|| page.line_row(PageRow { file, row: row + ABOVE })).flatten();
        let line = shown.and_then(|row| row.new.map(|line| (line, false)).or_else(|| Some((row.old?, true))));
        let path = |entry: &FileEntry| entry.change.path.display().into_owned();
        // What folds by itself does so again.
        let by_hand = |entry: &&FileEntry| entry.folded && entry.generated.is_none() && entry.viewed != Viewed::Yes;
        Self {
            file: page.file(file).map(path),
            line: line.map(|(line, _)| line),
            old: line.is_some_and(|(_, old)| old),
            folded: match page.files() {
                files if files.len() > MAX_FILES => Vec::new(),
                files => files.iter().filter(by_hand).map(path).collect(),
            },
        }
    }

    /// Brings a pane there, as far as it is still there.
    pub fn restore(&self, pane: &mut ReviewPane, page: &mut Review) {
        let at = |page: &Review, path: &str| page.files().iter().position(|entry| entry.change.path.display() == path);
        for path in &self.folded {
            if let Some(file) = at(page, path) {
                page.set_folded(file, true);
            }
        }
        let Some(file) = self.file.as_ref().and_then(|path| at(page, path)) else { return };
        match self.line.filter(|_| page.file(file).is_some_and(|entry| !entry.folded)) {
            Some(line) => ask(pane, Goal::Line(file, if self.old { Side::Old } else { Side::New }, line)),
            None => navigate::show_file(pane, file),
        }
    }
}
