//! The lines of a file whose contents are there: both sides, how they were compared, and how lines lie beside each other.

use std::borrow::Cow;

use editor::text::{Columns, Text};
use rustc_hash::FxHashMap;

use super::tall::{Wrap, rows_of_content, rows_of_text};
use crate::align::{self, Alignment};
use crate::engine::{Hunk, Script, Whitespace};
use crate::git::Side;
use crate::incremental::Live;
use crate::lines::Content;
use crate::notes::Note;
use crate::plan::{Context, Given, Layout, Plan};

/// The new side of a loaded file.
pub enum NewSide {
    Fixed(Content),
    /// A document: typing in it changes the comparison at once. The text is the one compared last.
    Live(Box<Live>, Text),
}

/// How hunks whose sides differ in length are aligned, by old start and both lengths. An alignment stays valid while
/// those stay, whatever is typed, so lines do not jump beside each other under the reader's eyes.
pub type Alignments = FxHashMap<(u32, u32, u32), Alignment>;

/// A file whose contents are lines.
pub struct FileLines {
    pub old: Content,
    pub new: NewSide,
    /// The script; of a live side, as it is after the last edit.
    pub(super) hunks: Vec<Hunk>,
    pub(super) alignments: Alignments,
    /// Memory for the rows, until they are laid out.
    pub(super) room: Plan,
    pub notes: Vec<Note>,
    /// The comparison was cut short by its budget: valid, but perhaps not the smallest.
    pub limited: bool,
    /// What white space the comparison overlooks.
    pub whitespace: Whitespace,
    /// Only the beginning of a large file, whose rest is still being compared.
    pub is_head: bool,
    /// The lines are not those of the file but what is read instead of them.
    pub reading: Option<Reading>,
}

/// What is read instead of the lines of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The cells of a notebook; how files of their language end.
    Notebook(&'static str),
    /// Bytes that are no text, as far as they can be shown as one.
    Forced,
}

impl FileLines {
    /// Lines of two fixed sides.
    pub(super) fn new(old: Content, new: Content, hunks: Vec<Hunk>, notes: Vec<Note>, whitespace: Whitespace) -> Self {
        let mut alignments = Alignments::default();
        let mut cells = FILE_CELLS;
        for hunk in &hunks {
            if !spend(hunk, &mut cells) {
                break;
            }
            align_hunk(&mut alignments, hunk, &old, |line| Cow::Borrowed(new.line(line)));
        }
        Self {
            old,
            new: NewSide::Fixed(new),
            room: Plan::with_room(hunks.len()),
            hunks,
            alignments,
            notes,
            limited: false,
            whitespace,
            is_head: false,
            reading: None,
        }
    }

    /// The script.
    pub fn hunks(&self) -> &[Hunk] {
        &self.hunks
    }

    /// Lines of a side, as git counts them.
    pub fn line_count(&self, side: Side) -> u32 {
        match (side, &self.new) {
            (Side::Old, _) => self.old.line_count(),
            (Side::New, NewSide::Fixed(content)) => content.line_count(),
            (Side::New, NewSide::Live(live, _)) => live.new_line_count(),
        }
    }

    /// The line of the other side that a changed line is aligned with, as side by side shows them.
    pub fn partner(&self, side: Side, line: u32) -> Option<u32> {
        let range = |hunk: &Hunk| if side == Side::Old { hunk.old.clone() } else { hunk.new.clone() };
        let n = self.hunks.partition_point(|hunk| range(hunk).end <= line);
        let hunk = self.hunks.get(n).filter(|hunk| range(hunk).contains(&line))?;
        let alignment = self.alignments.get(&alignment_key(hunk));
        let inside = line - range(hunk).start;
        match (side, alignment) {
            (Side::Old, Some(a)) => a.at(a.row_of_old(inside)).1.map(|new| hunk.new.start + new),
            (Side::New, Some(a)) => a.at(a.row_of_new(inside)).0.map(|old| hunk.old.start + old),
            (Side::Old, None) => hunk.new.clone().nth(inside as usize),
            (Side::New, None) => hunk.old.clone().nth(inside as usize),
        }
    }

    /// What rows are made of.
    pub(super) fn given<'a>(&'a self, layout: Layout, context: &'a Context) -> Given<'a> {
        let (old_lines, new_lines) = (self.line_count(Side::Old), self.line_count(Side::New));
        Given { hunks: &self.hunks, old_lines, new_lines, layout, context }
    }

    /// How the shorter side of a hunk lies on the longer, if not by index.
    pub(super) fn alignment(&self, hunk: &Hunk) -> Option<Alignment> {
        self.alignments.get(&alignment_key(hunk)).cloned()
    }

    /// How many rows a line's text takes.
    pub(super) fn text_rows(&self, wrap: Wrap) -> impl Fn(Side, u32) -> u32 + '_ {
        let columns = Columns::new(wrap.tab_width);
        move |side, line| match (side, &self.new) {
            (Side::Old, _) => rows_of_content(&self.old, line, &columns, wrap.old),
            (Side::New, NewSide::Fixed(content)) => rows_of_content(content, line, &columns, wrap.new),
            (Side::New, NewSide::Live(_, text)) => rows_of_text(text, line, &columns, wrap.new),
        }
    }

    /// Makes a document the new side, given how it was compared.
    pub(super) fn go_live(&mut self, text: &Text, script: Script) {
        self.limited = script.limited;
        let live = Live::new(self.old.clone(), text, &script, self.whitespace);
        self.new = NewSide::Live(Box::new(live), text.clone());
        self.hunks = script.hunks;
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        let new = match &self.new {
            NewSide::Fixed(content) => content.memory(),
            NewSide::Live(..) => 0, // the document is somebody else's
        };
        self.old.memory() + new + size_of_val(self.hunks())
    }
}

/// Pairs of lines weighed for one file; the hunks beyond go by index.
const FILE_CELLS: usize = 400_000;

/// Whether a hunk's pairs are still within what a file may cost.
fn spend(hunk: &Hunk, cells: &mut usize) -> bool {
    let cost = hunk.old.len().saturating_mul(hunk.new.len());
    // Larger ones go by index, which costs nothing.
    if cost <= crate::align::MAX_CELLS {
        *cells = cells.saturating_sub(cost);
    }
    *cells > 0
}

/// Aligns a hunk whose sides differ in length, unless it is remembered.
pub(super) fn align_hunk<'a>(
    alignments: &mut Alignments,
    hunk: &Hunk,
    old: &Content,
    new: impl Fn(u32) -> Cow<'a, [u8]>,
) {
    if hunk.old.is_empty() || hunk.new.is_empty() || hunk.old.len() == hunk.new.len() {
        return;
    }
    if hunk.old.len().saturating_mul(hunk.new.len()) > align::MAX_CELLS {
        return; // by index
    }
    alignments.entry(alignment_key(hunk)).or_insert_with(|| {
        let old: Vec<_> = hunk.old.clone().map(|line| Cow::Borrowed(old.line(line))).collect();
        let new: Vec<_> = hunk.new.clone().map(new).collect();
        align::pairs(&old, &new)
    });
}

/// What an alignment is remembered by.
fn alignment_key(hunk: &Hunk) -> (u32, u32, u32) {
    (hunk.old.start, hunk.old.len() as u32, hunk.new.len() as u32)
}
