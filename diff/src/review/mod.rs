//! A whole change as one continuous page: files, their rows, what is folded and expanded, and where the reader is.
//!
//! Contents come and go: a file starts *unloaded* with an estimated height, is *loaded* when it comes near the view,
//! and may be *counted* only (counts and height known, contents not kept) when memory is short. The [`Loader`] does
//! the reading and comparing on its own threads; this module takes its results in and keeps the rows right.
//!
//! The reader's place is an [`Anchor`]: a file, a row of it and a fraction. Heights may change above it without moving
//! what is read. Nothing here draws, and nothing here touches a file or a repository.

mod entry;
mod file_lines;
mod head;
mod index;
mod loader;
mod prints;
mod tall;
#[cfg(test)]
mod tests;
mod ticks;

use std::ops::Range;
use std::sync::Arc;

pub use entry::{Body, Counts, FileEntry, Heights, NoteBody, Pictures, RowSign};
pub use file_lines::{FileLines, NewSide, Reading};
pub use index::RowIndex;
pub use loader::{Loaded, Loader, LoaderOptions, Outcome, compare_file};
pub use prints::{Prints, Tracer};
pub use tall::{Arrangement, Below, LONGEST, Part, Shown, Wrap};

use editor::change::ChangeSet;
use editor::text::Text;

use crate::engine::{Options, Script, Whitespace};
use crate::git::{FileChange, Side};
use crate::moves::{Moves, TraceKey, Traces};
use crate::plan::{Layout, Row};
use crate::ticks::{MarkChange, Marks, Progress, Viewed};

/// Rows that a file's header takes.
pub const HEADER_ROWS: u32 = 2;

/// Rows of the panel that stands for content which is not lines (binary, submodule, nothing but a mode).
pub const NOTE_ROWS: u32 = 2;

/// Rows that pictures take, whatever their size: the page does not move when they come.
pub const PICTURE_ROWS: u32 = 20;

/// An overview has about so many places; a file that takes less than one is not seen in more detail.
const OVERVIEW: u64 = 500;

/// Where the reader is: `row` counts in the file, its header included; `offset` is the part of that row that is
/// scrolled past, from 0 to below 1.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Anchor {
    pub file: usize,
    pub row: u32,
    pub offset: f64,
}

/// What may have happened since an earlier listing of the same comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// Files were only brought together or into another order.
    Unchanged,
    /// Files on disk may be others, without their entries telling.
    MayHaveChanged,
}

/// One row of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRow {
    pub file: usize,
    /// Counted in the file, its header included.
    pub row: u32,
}

/// Which way and how far hidden context is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expand {
    /// That many lines at the gap's lower end: above the hunk that follows.
    Up(u32),
    /// That many lines at the gap's upper end: below the hunk before it.
    Down(u32),
    /// The whole gap.
    All,
}

/// A change that is being read.
#[derive(Default)]
pub struct Review {
    files: Vec<FileEntry>,
    index: RowIndex,
    arrangement: Arrangement,
    context_lines: u32,
    whitespace: Whitespace,
    /// Grows whenever rows change, for what is derived from them.
    version: u64,
    /// Grows when an overview of the page changes: not when contents of small files come and go.
    shape: u64,
    /// What `counts` says.
    totals: (Counts, usize),
    /// What people call this review.
    name: Option<String>,
    marks: Marks,
    /// Marks that are still to be written.
    mark_changes: Vec<MarkChange>,
    hide_viewed: bool,
    progress: Progress,
    trace_key: TraceKey,
    moves: Moves,
}

impl Review {
    /// A page of these files, none of them loaded.
    pub fn new(changes: impl IntoIterator<Item = FileChange>, layout: Layout, context_lines: u32) -> Self {
        let files: Vec<_> = changes.into_iter().map(|change| FileEntry::new(change, context_lines)).collect();
        let arrangement = Arrangement { layout, wrap: None };
        let mut review = Self { files, arrangement, context_lines, ..Self::default() };
        review.reindex();
        review
    }

    /// All files, in page order.
    pub fn files(&self) -> &[FileEntry] {
        &self.files
    }

    /// A file of the page.
    pub fn file(&self, file: usize) -> Option<&FileEntry> {
        self.files.get(file)
    }

    /// Where the files stand.
    pub fn index(&self) -> &RowIndex {
        &self.index
    }

    /// Two columns or one.
    pub fn layout(&self) -> Layout {
        self.arrangement.layout
    }

    /// For how many columns lines are wrapped, if they are.
    pub fn wrap(&self) -> Option<Wrap> {
        self.arrangement.wrap
    }

    /// Lines of context around hunks.
    pub fn context_lines(&self) -> u32 {
        self.context_lines
    }

    /// What white space comparing overlooks: what the loader and full comparisons are to be asked for, too.
    pub fn whitespace(&self) -> Whitespace {
        self.whitespace
    }

    /// Grows whenever rows change.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Grows when what an overview of the page shows changes: heights, counts, and the hunks of large files.
    pub fn shape(&self) -> u64 {
        self.shape
    }

    /// Added and removed lines of all files that are counted, and how many are not yet.
    pub fn counts(&self) -> (Counts, usize) {
        self.totals
    }

    /// Takes in what the loader found. A file that nobody reads line by line is folded, once, unless it is all there is.
    pub fn take(&mut self, loaded: Loaded) {
        let (file, arrangement) = (loaded.file, self.arrangement);
        let folds = self.files.len() > 1;
        self.change(file, |entry| {
            if entry.generated.is_none() && loaded.prints.generated.is_some() {
                entry.generated = loaded.prints.generated;
                entry.folded |= folds;
            }
            entry.take(loaded.outcome, loaded.prints, arrangement);
        });
        self.complete_tick(file);
        self.look_up(file);
    }

    /// Drops a file's contents; counts and height stay.
    pub fn unload(&mut self, file: usize) {
        self.change(file, FileEntry::unload);
    }

    /// Lets go of a document that was the new side of a file: it is read again.
    pub fn detach(&mut self, file: usize) {
        self.change(file, FileEntry::detach);
    }

    /// Makes sure a loaded file's rows are laid out as the page is; call before drawing it.
    pub fn prepare(&mut self, file: usize) {
        let arrangement = self.arrangement;
        if self.files.get(file).is_some_and(|f| f.needs_rows(arrangement)) {
            self.change(file, |entry| entry.lay_out(arrangement));
        }
    }

    /// Changes between two columns and one. O(files), whatever their size.
    pub fn set_layout(&mut self, layout: Layout) {
        self.arrange(Arrangement { layout, ..self.arrangement });
    }

    /// Wraps lines, or does not. Rows change of files whose contents are there, as they are prepared.
    pub fn set_wrap(&mut self, wrap: Option<Wrap>) {
        self.arrange(Arrangement { wrap, ..self.arrangement });
    }

    fn arrange(&mut self, arrangement: Arrangement) {
        if self.arrangement == arrangement {
            return;
        }
        self.arrangement = arrangement;
        for entry in &mut self.files {
            // What is expanded, edited, or has something below has a height that only its rows know.
            if entry.context.is_expanded() || entry.is_live() || !entry.below.is_empty() {
                entry.lay_out(arrangement);
            }
        }
        self.reindex();
    }

    /// Overlooks other white space. What is compared is forgotten and to be loaded anew; a file whose new side is a
    /// document, which `text` gives, is compared at once.
    pub fn set_whitespace<'t>(&mut self, whitespace: Whitespace, text: impl Fn(usize) -> Option<&'t Text>) {
        if self.whitespace == whitespace {
            return;
        }
        self.whitespace = whitespace;
        let arrangement = self.arrangement;
        for (file, entry) in self.files.iter_mut().enumerate() {
            entry.set_whitespace(whitespace, text(file), arrangement);
        }
        self.moves = Moves::default();
        self.look_up_all();
    }

    /// Says what stands below lines of a file, and how many rows it takes.
    pub fn set_below(&mut self, file: usize, below: Vec<Below>) {
        if self.files.get(file).is_none_or(|entry| entry.below == below) {
            return;
        }
        let arrangement = self.arrangement;
        self.change(file, |entry| {
            entry.below = below;
            entry.lay_out(arrangement);
        });
    }

    /// Shows what is stored of a file, or what can be read instead; it is to be loaded anew, by a loader that is told the
    /// same with [`Loader::set_raw`].
    pub fn set_raw(&mut self, file: usize, raw: bool) {
        self.change(file, |entry| entry.set_raw(raw));
        self.look_up(file);
    }

    /// Hides or shows a file's rows.
    pub fn set_folded(&mut self, file: usize, folded: bool) {
        self.change(file, |entry| entry.folded = folded);
    }

    /// Hides or shows the rows of all files.
    pub fn fold_all(&mut self, folded: bool) {
        for entry in &mut self.files {
            entry.folded = folded;
        }
        self.reindex();
    }

    /// Keeps only files for which `shown` holds on the page.
    pub fn filter(&mut self, shown: impl Fn(&FileChange) -> bool) {
        for entry in &mut self.files {
            entry.hidden = !shown(&entry.change);
        }
        self.reindex();
    }

    /// Shows context that the gap at a row hides.
    pub fn expand(&mut self, at: PageRow, expand: Expand) {
        let arrangement = self.arrangement;
        self.change(at.file, |entry| {
            let Some(gap) = entry.gap_at(at.row) else { return };
            let lines = match expand {
                Expand::Up(n) => gap.end.saturating_sub(n).max(gap.start)..gap.end,
                Expand::Down(n) => gap.start..(gap.start + n).min(gap.end),
                Expand::All => gap,
            };
            entry.context.show(lines);
            entry.lay_out(arrangement);
        });
    }

    /// Shows a line of a file's new side, if context hides it.
    pub fn reveal(&mut self, file: usize, lines: Range<u32>) {
        let arrangement = self.arrangement;
        self.change(file, |entry| {
            entry.context.show(lines);
            entry.lay_out(arrangement);
        });
    }

    /// Shows every line of a file, or only what changed.
    pub fn set_whole(&mut self, file: usize, whole: bool) {
        let arrangement = self.arrangement;
        self.change(file, |entry| {
            entry.context.whole = whole && entry.context.can_expand();
            entry.lay_out(arrangement);
        });
    }

    /// Makes a document the new side of a loaded file; takes its text anew if it is that already and changed in ways
    /// that are not known.
    pub fn attach(&mut self, file: usize, text: &Text) {
        let arrangement = self.arrangement;
        self.change(file, |entry| entry.attach(text, arrangement));
        self.look_up(file);
    }

    /// Takes a complete comparison with the document that is a file's new side; see [`FileEntry::needs_full`].
    pub fn refine(&mut self, file: usize, text: &Text, script: Script) {
        let arrangement = self.arrangement;
        self.change(file, |entry| entry.refine(text, script, arrangement));
    }

    /// Follows an edit of the document that is a file's new side.
    pub fn edit(&mut self, file: usize, changes: &ChangeSet, before: &Text, after: &Text) {
        let arrangement = self.arrangement;
        self.change(file, |entry| entry.edit(changes, before, after, arrangement));
        // From the last edit up, so that earlier line numbers still hold.
        for edit in changes.edits().rev() {
            let lines = before.line_of(edit.old.start)..before.line_of(edit.old.end) + 1;
            let len = after.line_of(edit.new.end) + 1 - after.line_of(edit.new.start);
            self.moves.edited(file, lines, len);
        }
        self.look_up(file);
    }

    /// How the files of this page are to be compared.
    pub fn loader_options(&self) -> LoaderOptions {
        let traced = self.files.iter().filter_map(|entry| entry.traces.as_ref()).map(|traces| traces.lines()).sum();
        let those = |holds: fn(&FileEntry) -> bool| {
            let files = self.files.iter().enumerate().filter(move |(_, entry)| holds(entry));
            files.map(|(file, _)| file).collect()
        };
        LoaderOptions {
            known: those(FileEntry::is_known),
            kept: self.files.iter().filter_map(FileEntry::lines).map(FileLines::memory).sum(),
            context_lines: self.context_lines,
            compare: Options { whitespace: self.whitespace, ..Options::default() },
            tracer: Tracer::with(self.trace_key.clone(), traced),
            raw: those(|entry| entry.raw),
            ..LoaderOptions::default()
        }
    }

    /// The traces of all files that are compared, to look for moved blocks in: [`crate::moves::find`], in the background.
    /// Those of edited files are made here; `text` gives the document that is a file's new side.
    pub fn traces<'t>(&self, text: impl Fn(usize) -> Option<&'t Text>) -> Vec<(usize, Arc<Traces>)> {
        let traces = |(file, entry): (usize, &FileEntry)| {
            let made = || entry.trace(&self.trace_key, text(file)?).map(Arc::new);
            Some((file, entry.traces.clone().or_else(made)?))
        };
        self.files.iter().enumerate().filter_map(traces).collect()
    }

    /// Takes the moved blocks that were found.
    pub fn set_moves(&mut self, moves: Moves) {
        self.moves = moves;
        self.version += 1;
    }

    /// The moved blocks, as they were last looked for; edits since then are followed.
    pub fn moves(&self) -> &Moves {
        &self.moves
    }

    fn change(&mut self, file: usize, change: impl FnOnce(&mut FileEntry)) {
        let Some(entry) = self.files.get_mut(file) else { return };
        let (before, viewed) = (entry.counts, entry.viewed);
        change(entry);
        let (after, height) = (entry.counts, entry.height(self.arrangement, self.hide_viewed));
        self.progress.add(viewed, entry.viewed);
        let (sum, missing) = &mut self.totals;
        let (old, new) = (before.unwrap_or_default(), after.unwrap_or_default());
        sum.added = sum.added - old.added + new.added;
        sum.removed = sum.removed - old.removed + new.removed;
        *missing = *missing - usize::from(before.is_none()) + usize::from(after.is_none());
        // A file that is most of the page is seen in an overview as what it holds, others as how high they are.
        let is_large = u64::from(height) * OVERVIEW > self.index.total();
        if is_large || before != after || height != self.index.height(file) {
            self.shape += 1;
        }
        self.index.set(file, height);
        self.version += 1;
    }

    fn reindex(&mut self) {
        let (arrangement, hide_viewed) = (self.arrangement, self.hide_viewed);
        self.index = RowIndex::new(self.files.iter().map(|f| f.height(arrangement, hide_viewed)).collect());
        self.progress = Progress { files: self.files.len(), ..Progress::default() };
        self.totals = (Counts::default(), 0);
        for file in &self.files {
            let counts = file.counts.unwrap_or_default();
            self.totals.0.added += counts.added;
            self.totals.0.removed += counts.removed;
            self.totals.1 += usize::from(file.counts.is_none());
            self.progress.add(Viewed::No, file.viewed);
        }
        self.shape += 1;
        self.version += 1;
    }
}

/// Moving about.
impl Review {
    /// The anchor that is `position` rows from the top, moved into the page.
    pub fn anchor_at(&self, position: f64) -> Anchor {
        let total = self.index.total();
        let position = position.clamp(0.0, total as f64);
        let row = (position.floor() as u64).min(total.saturating_sub(1));
        match self.index.find(row) {
            Some((file, row_in_file)) => Anchor { file, row: row_in_file, offset: (position - row as f64).min(0.999) },
            None => Anchor::default(),
        }
    }

    /// Rows above the anchor.
    pub fn position_of(&self, anchor: Anchor) -> f64 {
        let row = anchor.row.min(self.index.height(anchor.file).saturating_sub(1));
        self.index.start(anchor.file) as f64 + f64::from(row) + anchor.offset
    }

    /// The anchor `rows` further down (or up), kept so that the last row stays within a view of `view` rows.
    pub fn scrolled(&self, anchor: Anchor, rows: f64, view: f64) -> Anchor {
        let last = (self.index.total() as f64 - view).max(0.0);
        self.anchor_at((self.position_of(anchor) + rows).clamp(0.0, last))
    }

    /// The rows of the page from the anchor on.
    pub fn rows_from(&self, anchor: Anchor) -> impl Iterator<Item = PageRow> + '_ {
        let first = anchor.file;
        (first..self.files.len()).flat_map(move |file| {
            let from = if file == first { anchor.row } else { 0 };
            (from..self.index.height(file)).map(move |row| PageRow { file, row })
        })
    }

    /// What the body of a loaded file shows at a row that counts from the file's header.
    pub fn shown(&self, at: PageRow) -> Option<Shown> {
        self.files.get(at.file)?.shown(at.row)
    }

    /// The lines at a row, or above it if something stands below them.
    pub fn line_row(&self, at: PageRow) -> Option<Row> {
        self.shown(at).map(|shown| shown.row)
    }

    /// The page row of a line; that of the header while the file is folded or not loaded.
    pub fn row_of_line(&self, file: usize, side: Side, line: u32) -> PageRow {
        let row = self
            .files
            .get(file)
            .filter(|f| !f.folded)
            .and_then(|entry| Some(entry.row_of(entry.plan()?.row_of_line(side, line))))
            .unwrap_or(0);
        PageRow { file, row }
    }

    /// The next hunk after a row, in this file or a later one. A file whose hunks are not known counts by its header.
    pub fn next_hunk(&self, at: PageRow) -> Option<PageRow> {
        let here = self.open_file(at.file).and_then(|entry| {
            let plan = entry.plan()?;
            let found = if at.row < HEADER_ROWS { plan.first_hunk() } else { plan.next_hunk(entry.plan_row(at.row)) };
            Some(PageRow { file: at.file, row: entry.row_of(found?) })
        });
        here.or_else(|| (at.file + 1..self.files.len()).find_map(|file| self.first_place(file)))
    }

    /// The last hunk that starts before a row, in this file or an earlier one.
    pub fn previous_hunk(&self, at: PageRow) -> Option<PageRow> {
        let here = self.open_file(at.file).filter(|_| at.row >= HEADER_ROWS).and_then(|entry| {
            let row = entry.plan()?.previous_hunk(entry.plan_row(at.row))?;
            Some(PageRow { file: at.file, row: entry.row_of(row) })
        });
        here.or_else(|| {
            (0..at.file).rev().find_map(|file| {
                let entry = self.open_file(file)?;
                let last = entry.plan().and_then(|plan| plan.previous_hunk(plan.rows()));
                Some(PageRow { file, row: last.map_or(0, |row| entry.row_of(row)) })
            })
        })
    }

    /// The header of the next file on the page, or of the one before.
    pub fn neighbour_file(&self, file: usize, forward: bool) -> Option<usize> {
        let shown = |&n: &usize| self.index.height(n) > 0;
        if forward { (file + 1..self.files.len()).find(shown) } else { (0..file).rev().find(shown) }
    }

    fn open_file(&self, file: usize) -> Option<&FileEntry> {
        self.files.get(file).filter(|f| !f.folded && self.index.height(file) > 0)
    }

    fn first_place(&self, file: usize) -> Option<PageRow> {
        let entry = self.open_file(file)?;
        let row = entry.plan().and_then(crate::plan::Plan::first_hunk).map_or(0, |row| entry.row_of(row));
        Some(PageRow { file, row })
    }

    /// A place that stays put while a file's rows change: the line at the anchor.
    pub fn hold(&self, anchor: Anchor) -> Held {
        let line = self
            .line_row(PageRow { file: anchor.file, row: anchor.row })
            .and_then(|row| row.new.map(|line| (Side::New, line)).or_else(|| row.old.map(|line| (Side::Old, line))));
        let start = line.map_or(anchor.row, |(side, line)| self.row_of_line(anchor.file, side, line).row);
        Held { anchor, line, within: anchor.row.saturating_sub(start) }
    }

    /// Where a held place is now.
    pub fn resume(&self, held: Held) -> Anchor {
        match held.line {
            Some((side, line)) => {
                let start = self.row_of_line(held.anchor.file, side, line).row;
                let last = self.files.get(held.anchor.file).map_or(0, |entry| {
                    let plan_row = entry.plan_row(start);
                    entry.row_of(plan_row + 1).saturating_sub(entry.row_of(plan_row) + 1)
                });
                Anchor { row: start + held.within.min(last), ..held.anchor }
            }
            None => held.anchor,
        }
    }
}

/// See [`Review::hold`].
#[derive(Clone, Copy, Debug)]
pub struct Held {
    anchor: Anchor,
    line: Option<(Side, u32)>,
    /// Rows between the start of that line and the anchor.
    within: u32,
}

/// Listing again.
impl Review {
    /// Takes over what is known of the files that are also in `previous`: folds, expansions, and contents that cannot
    /// have changed. Returns where each of its files is now.
    pub fn adopt(&mut self, previous: Self, since: Since) -> rustc_hash::FxHashMap<usize, usize> {
        self.whitespace = previous.whitespace;
        self.name = previous.name;
        self.marks = previous.marks;
        self.mark_changes = previous.mark_changes;
        self.hide_viewed = previous.hide_viewed;
        self.trace_key = previous.trace_key;
        let mut moved = rustc_hash::FxHashMap::default();
        let mut known: rustc_hash::FxHashMap<_, _> =
            previous.files.into_iter().enumerate().map(|(n, entry)| (entry.change.path.clone(), (n, entry))).collect();
        for (now, entry) in self.files.iter_mut().enumerate() {
            if let Some((before, old)) = known.remove(&entry.change.path) {
                moved.insert(before, now);
                entry.adopt(old, since);
            }
        }
        self.look_up_all();
        moved
    }
}
