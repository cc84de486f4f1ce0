//! Moved blocks: lines that are gone in one place of a change and new in another, within a file or across files.
//!
//! A *trace* is what is remembered of the changed lines of one compared file: a keyed hash of each line without the white
//! space at its ends, how far it is indented, and how many letters and digits it has. Traces are made where a file is
//! compared, while its contents are at hand, and cost eleven bytes a line; [`find`] looks for moves in the traces of all
//! files that there are, without any content. So it runs in the background, again when more files have come in, and takes
//! a fraction of a second for 400,000 lines.
//!
//! A *move* is a block of neighbouring removed lines and a block of added ones that are equal line by line but for one
//! indentation that the whole block gained or lost. It is worth telling if it has three lines with letters or digits in
//! them, or twenty letters and digits. Each changed line is of one move at most. Lines that merely stay within their hunk,
//! because something was put around them, say, have not moved.
//!
//! Hashes are keyed by chance, anew for each review: nobody can prepare lines that only look moved.

mod find;
#[cfg(test)]
mod tests;
mod trace;

use std::ops::Range;

pub use find::{MAX_LINES, find};
pub use trace::{TraceKey, Traces};

use crate::git::Side;

/// A block of lines of one side of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, by its place in the review.
    pub file: usize,
    /// Its lines, counted from 0.
    pub lines: Range<u32>,
}

/// A block that moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Where it was, on the old side.
    pub old: Place,
    /// Where it is, on the new side.
    pub new: Place,
    /// Columns of indentation that it gained; negative where it lost some. A tab counts four.
    pub shift: i32,
}

impl Move {
    /// The place on one side.
    pub fn place(&self, side: Side) -> &Place {
        match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        }
    }

    fn place_mut(&mut self, side: Side) -> &mut Place {
        match side {
            Side::Old => &mut self.old,
            Side::New => &mut self.new,
        }
    }

    /// Whether it went to another file.
    pub fn is_across_files(&self) -> bool {
        self.old.file != self.new.file
    }
}

/// The moves of a review, found by either side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    /// In order of their new places.
    all: Vec<Move>,
    /// The same by their old places.
    by_old: Vec<u32>,
    /// Whether some files were left out, or some lines not looked at, because there were too many.
    pub limited: bool,
}

impl Moves {
    /// Puts moves in order. No two of them share a line of a side.
    pub(crate) fn new(mut all: Vec<Move>, limited: bool) -> Self {
        let place = |side| move |found: &Move| (found.place(side).file, found.place(side).lines.start);
        all.sort_unstable_by_key(place(Side::New));
        let mut by_old: Vec<u32> = (0..all.len() as u32).collect();
        by_old.sort_unstable_by_key(|&at| place(Side::Old)(&all[at as usize]));
        Self { all, by_old, limited }
    }

    /// All moves, in order of their new places.
    pub fn all(&self) -> &[Move] {
        &self.all
    }

    /// The move that a line is of, by side, if it is of one. O(log moves).
    pub fn at(&self, side: Side, file: usize, line: u32) -> Option<&Move> {
        let behind = self.position(side, file, line.saturating_add(1));
        let found = self.nth(side, behind.checked_sub(1)?)?;
        let place = found.place(side);
        (place.file == file && place.lines.contains(&line)).then_some(found)
    }

    /// The moves out of a file (its old side) or into it (its new side), from top to bottom.
    pub fn of_file(&self, side: Side, file: usize) -> impl Iterator<Item = &Move> {
        let range = self.position(side, file, 0)..self.position(side, file + 1, 0);
        range.filter_map(move |at| self.nth(side, at))
    }

    /// Follows an edit of a file's new side that replaced lines `at` by `len` lines, until moves are looked for again:
    /// moves whose lines were edited are no more.
    pub fn edited(&mut self, file: usize, at: Range<u32>, len: u32) {
        let is_touched = |lines: &Range<u32>| lines.start < at.end && at.start < lines.end;
        let kept = std::mem::take(&mut self.all).into_iter().filter_map(|mut found| {
            let place = found.place_mut(Side::New);
            if place.file != file || place.lines.end <= at.start {
                return Some(found);
            }
            if is_touched(&place.lines) || place.lines.start < at.end {
                return None;
            }
            let shifted = |line: u32| line - at.end + at.start + len;
            place.lines = shifted(place.lines.start)..shifted(place.lines.end);
            Some(found)
        });
        *self = Self::new(kept.collect(), self.limited);
    }

    /// How many moves stand before a line, in the order of that side.
    fn position(&self, side: Side, file: usize, line: u32) -> usize {
        let is_before = |found: &Move| {
            let place = found.place(side);
            (place.file, place.lines.start) < (file, line)
        };
        match side {
            Side::New => self.all.partition_point(is_before),
            Side::Old => self.by_old.partition_point(|&at| is_before(&self.all[at as usize])),
        }
    }

    fn nth(&self, side: Side, at: usize) -> Option<&Move> {
        match side {
            Side::New => self.all.get(at),
            Side::Old => self.all.get(*self.by_old.get(at)? as usize),
        }
    }
}
