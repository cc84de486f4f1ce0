//! Ticks on the page: what was viewed is folded, and opens again where it changed.
//!
//! Marks come from the store and are looked up by what files are known by; setting one changes the page at once and is
//! remembered as a change that somebody is to write ([`Review::take_mark_changes`]). A file that is not compared yet is
//! known by its pair of contents, if at all; a tick on it is completed when its parts are known.

use std::ops::Range;

use super::entry::Wish;
use super::{FileEntry, HEADER_ROWS, PageRow, Prints, Review};
use crate::engine::Whitespace;
use crate::ticks::{self, ContentId, FileIds, Mark, MarkChange, MarkSum, Marks, Progress, Viewed};

impl Review {
    /// Takes the marks of the repository: as they were read, and again whenever another window changed some.
    pub fn set_marks(&mut self, marks: Marks) {
        self.marks = marks;
        self.look_up_all();
    }

    /// What is marked, changes that are not written yet included.
    pub fn marks(&self) -> &Marks {
        &self.marks
    }

    /// Says what people call this review, so that a file can be said to have changed since it was viewed in it.
    pub fn set_name(&mut self, name: &str) {
        if self.name.as_deref() != Some(name) {
            self.name = Some(name.to_owned());
            self.files.iter_mut().for_each(|entry| entry.once = None);
            self.look_up_all();
        }
    }

    /// Marks a file, or takes its mark back.
    pub fn tick(&mut self, file: usize, mark: Option<Mark>) {
        let Some(entry) = self.files.get_mut(file) else { return };
        let ids = entry.known_ids(self.whitespace);
        if entry.ids.is_none() {
            entry.wish = Some(Wish(mark));
        }
        let once = entry.viewed_once(self.name.as_deref());
        let mut changes = ticks::mark_file(&ids, mark);
        changes.extend(once.map(|id| (id, mark.filter(|&mark| mark == Mark::Viewed))));
        self.apply(changes);
        self.look_up(file);
    }

    /// Marks all files that are on the page, or takes their marks back.
    pub fn tick_all(&mut self, mark: Option<Mark>) {
        for file in 0..self.files.len() {
            if !self.files[file].hidden {
                self.tick(file, mark);
            }
        }
    }

    /// Marks hunks of a compared file, or takes their marks back.
    pub fn tick_hunks(&mut self, file: usize, hunks: Range<usize>, mark: Option<Mark>) {
        let Some(ids) = self.files.get(file).and_then(|entry| entry.ids.as_ref()) else { return };
        let changes = ticks::mark_hunks(ids, hunks, mark, &self.marks);
        self.apply(changes);
        self.look_up(file);
        // The last hunk makes the file viewed; taking one back is no change of the file.
        let Some(entry) = self.files.get_mut(file) else { return };
        let is_viewed = (entry.viewed == Viewed::Yes).then_some(Mark::Viewed);
        let once = entry.viewed_once(self.name.as_deref()).filter(|&id| self.marks.get(id) != is_viewed);
        if let Some(id) = once {
            self.apply(vec![(id, is_viewed)]);
            self.look_up(file);
        }
    }

    /// What was said about a hunk of a compared file, by itself or with the file.
    pub fn hunk_mark(&self, file: usize, hunk: usize) -> Option<Mark> {
        let entry = self.files.get(file)?;
        let ids = entry.ids.as_ref()?;
        self.marks.of_part(ids, *ids.hunks.get(hunk)?)
    }

    /// How many of some hunks of a compared file are marked, by themselves or with the file. O(1).
    pub fn marked_hunks(&self, file: usize, hunks: &Range<usize>) -> MarkSum {
        let Some(entry) = self.files.get(file) else { return MarkSum::default() };
        if entry.viewed == Viewed::Yes {
            return MarkSum { viewed: hunks.len() as u32, come_back: 0 };
        }
        // While it is typed in, nobody knows which hunk was which.
        let sum = |hunk: usize| entry.mark_sums.get(hunk).filter(|_| entry.ids.is_some());
        let (Some(before), Some(all)) = (sum(hunks.start), sum(hunks.end)) else { return MarkSum::default() };
        MarkSum { viewed: all.viewed - before.viewed, come_back: all.come_back - before.come_back }
    }

    /// The marks that were set or taken back since this was asked, to be written.
    pub fn take_mark_changes(&mut self) -> Vec<MarkChange> {
        std::mem::take(&mut self.mark_changes)
    }

    /// How far the review has come.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Whether viewed files are off the page.
    pub fn hides_viewed(&self) -> bool {
        self.hide_viewed
    }

    /// Takes viewed files off the page, or shows them.
    pub fn set_hide_viewed(&mut self, hide: bool) {
        self.hide_viewed = hide;
        self.reindex();
    }

    /// The next place behind a row that was not viewed: a hunk of a file that was viewed in part, else a file's header;
    /// from the top again behind the last.
    pub fn next_unviewed(&self, at: PageRow) -> Option<PageRow> {
        let here = self.unviewed_hunk(at.file, at.row + 1);
        let later = || (at.file + 1..self.files.len()).chain(0..=at.file).find_map(|file| self.unviewed_place(file));
        here.or_else(later)
    }

    fn unviewed_place(&self, file: usize) -> Option<PageRow> {
        let entry = self.files.get(file).filter(|entry| !entry.hidden)?;
        match entry.viewed {
            Viewed::Yes => None,
            Viewed::Part { .. } => self.unviewed_hunk(file, 0).or(Some(PageRow { file, row: 0 })),
            Viewed::No | Viewed::ComeBack => Some(PageRow { file, row: 0 }),
        }
    }

    /// The first hunk at or behind a row of a file that was not viewed, while others of it were.
    fn unviewed_hunk(&self, file: usize, row: u32) -> Option<PageRow> {
        let entry = self.files.get(file).filter(|entry| !entry.folded && !entry.hidden)?;
        let (Viewed::Part { .. }, Some(plan), Some(lines)) = (entry.viewed, entry.plan(), entry.lines()) else {
            return None;
        };
        let rows = lines.hunks().iter().enumerate().filter(|&(hunk, _)| self.hunk_mark(file, hunk).is_none());
        let rows = rows.map(|(_, hunk)| HEADER_ROWS + plan.row_of_hunk(hunk));
        rows.filter(|&found| found >= row).min().map(|row| PageRow { file, row })
    }

    /// Takes what a file is known by after an edit, when somebody found out in the background.
    pub fn set_prints(&mut self, file: usize, prints: Prints) {
        if let Some(entry) = self.files.get_mut(file) {
            entry.ids = prints.ids;
            entry.traces = prints.traces;
            let is_live = entry.is_live();
            if let Some(ids) = entry.ids.as_mut().filter(|_| is_live) {
                (ids.pair, ids.exact) = (None, None);
            }
            self.complete_tick(file);
            self.look_up(file);
        }
    }

    /// Says of the parts of a file what was said of the whole before they were known, so that the next round knows them.
    pub(super) fn complete_tick(&mut self, file: usize) {
        let Some(entry) = self.files.get_mut(file) else { return };
        let Some(ids) = &entry.ids else { return };
        let wish = entry.wish.take();
        let mark = match wish {
            Some(Wish(mark)) => mark,
            None => match self.marks.whole(ids) {
                Some(mark) => Some(mark),
                None => return,
            },
        };
        let missing = |change: &MarkChange| self.marks.get(change.0) != change.1;
        let changes = ticks::mark_file(ids, mark).into_iter().filter(missing).collect();
        self.apply(changes);
    }

    fn apply(&mut self, changes: Vec<MarkChange>) {
        self.marks.extend(changes.iter().copied());
        self.mark_changes.extend(changes);
    }

    pub(super) fn look_up(&mut self, file: usize) {
        let (marks, name) = (std::mem::take(&mut self.marks), self.name.take());
        let whitespace = self.whitespace;
        self.change(file, |entry| entry.look_up(&marks, whitespace, name.as_deref()));
        (self.marks, self.name) = (marks, name);
    }

    pub(super) fn look_up_all(&mut self) {
        for entry in &mut self.files {
            entry.look_up(&self.marks, self.whitespace, self.name.as_deref());
        }
        self.reindex();
    }
}

impl FileEntry {
    /// What it is known by, as far as that is known.
    fn known_ids(&self, whitespace: Whitespace) -> FileIds {
        self.ids.clone().unwrap_or_else(|| self.unread_ids(whitespace))
    }

    fn unread_ids(&self, whitespace: Whitespace) -> FileIds {
        // A name that git has for a content is not that of a document.
        if self.is_live() { FileIds::default() } else { FileIds::unread(&self.change, whitespace) }
    }

    /// Looks up how much of it was viewed. What became viewed is folded, and what is not any more opens.
    fn look_up(&mut self, marks: &Marks, whitespace: Whitespace, review: Option<&str>) {
        let viewed = match (&self.ids, self.wish) {
            (Some(ids), _) => marks.viewed(ids),
            (None, Some(Wish(Some(Mark::Viewed)))) => Viewed::Yes,
            (None, Some(Wish(Some(Mark::ComeBack)))) => Viewed::ComeBack,
            (None, Some(Wish(None))) => Viewed::No,
            // While it is typed in, what was viewed of it is not known; soon somebody finds out.
            (None, None) if self.is_live() && self.viewed != Viewed::Yes => self.viewed,
            (None, None) if marks.is_empty() => Viewed::No,
            (None, None) => marks.viewed(&self.unread_ids(whitespace)),
        };
        let (before, now) = (self.viewed == Viewed::Yes, viewed == Viewed::Yes);
        if before != now {
            self.folded = now;
        }
        self.viewed = viewed;
        self.mark_sums = match (&self.ids, viewed) {
            (Some(ids), Viewed::Part { .. } | Viewed::ComeBack) => marks.sums(ids),
            _ => Box::default(),
        };
        let is_open = matches!(viewed, Viewed::No | Viewed::Part { .. }) && self.ids.is_some() && !marks.is_empty();
        let once = is_open.then(|| self.viewed_once(review)).flatten();
        self.changed_since = once.is_some_and(|id| marks.get(id).is_some());
    }

    /// What says that it was viewed once; made when it is first asked for.
    fn viewed_once(&mut self, review: Option<&str>) -> Option<ContentId> {
        if self.once.is_none() {
            self.once = ticks::viewed_once(review?, &self.change);
        }
        self.once
    }
}
