//! Rows of a file that take more than one row on the page: lines that are soft-wrapped, and lines with something below
//! them, as comments are.
//!
//! A *plan row* is one of the file's [`Plan`]: a line beside its partner. It is drawn over as many rows as the longer of
//! the two lines has pieces, so that what follows stays aligned, and then as many as what stands below it takes. Few plan
//! rows are tall, and only those are remembered.
//!
//! Invariant: entries ascend by plan row, each with what all before it add.

use std::ops::Range;

use editor::text::{Columns, Text};

use crate::git::Side;
use crate::lines::Content;
use crate::plan::{Layout, Plan, Row, RunKind};

/// For how many columns lines are wrapped, side by side on each side, and how wide tabs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wrap {
    pub old: u32,
    pub new: u32,
    pub tab_width: u32,
}

/// How a page is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Arrangement {
    pub layout: Layout,
    /// None: lines are as long as they are.
    pub wrap: Option<Wrap>,
}

/// Rows of the page that something below a line takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Below {
    pub side: Side,
    pub line: u32,
    pub rows: u32,
}

/// Lines longer than this, in bytes, are not wrapped: cutting one would take longer than a frame has.
pub const LONGEST: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    plan_row: u32,
    /// Rows beyond the first that its text takes, and rows below.
    text: u32,
    below: u32,
    /// What the entries before add.
    before: u32,
}

/// The tall rows of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tall {
    entries: Vec<Entry>,
    total: u32,
}

/// What is at a row of a file's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    pub plan_row: u32,
    pub row: Row,
    /// Which piece of its lines, or which row of what stands below them.
    pub part: Part,
}

/// See [`Shown`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Text(u32),
    Below(u32),
}

impl Tall {
    /// Finds the tall rows of `plan`. `text_rows` tells how many rows a line's text takes, given with its side.
    pub fn of(plan: &Plan, below: &[Below], text_rows: Option<&dyn Fn(Side, u32) -> u32>) -> Self {
        let mut below: Vec<(u32, u32)> = below
            .iter()
            .map(|b| (plan.row_of_line(b.side, b.line), b.rows))
            .filter(|&(row, _)| plan.row(row).is_some_and(|row| row.kind != RunKind::Gap))
            .collect();
        below.sort_unstable();
        let mut tall = Self::default();
        let mut below = below.into_iter().peekable();
        if let Some(text_rows) = text_rows {
            for (at, row) in (0..).zip(plan.rows_from(0)) {
                let text = rows_of(row, text_rows);
                let mut under = 0;
                while let Some((_, rows)) = below.next_if(|&(row, _)| row <= at) {
                    under += rows;
                }
                tall.push(at, text - 1, under);
            }
        }
        for (row, rows) in below {
            match tall.entries.last_mut().filter(|last| last.plan_row == row) {
                Some(last) => {
                    last.below += rows;
                    tall.total += rows;
                }
                None => tall.push(row, 0, rows),
            }
        }
        tall
    }

    /// Follows a plan of which the rows `gone` gave way to `now` others; nothing stands below its lines.
    pub fn relay(&mut self, plan: &Plan, gone: Range<u32>, now: u32, text_rows: &dyn Fn(Side, u32) -> u32) {
        let first = self.entries.partition_point(|entry| entry.plan_row < gone.start);
        let behind = self.entries.partition_point(|entry| entry.plan_row < gone.end);
        let tail = self.entries.split_off(behind);
        self.entries.truncate(first);
        self.total = self.entries.last().map_or(0, |last| last.before + last.text + last.below);
        for (at, row) in (gone.start..gone.start + now).zip(plan.rows_from(gone.start)) {
            self.push(at, rows_of(row, text_rows) - 1, 0);
        }
        for entry in tail {
            self.push(entry.plan_row - gone.end + gone.start + now, entry.text, entry.below);
        }
    }

    fn push(&mut self, plan_row: u32, text: u32, below: u32) {
        if text + below > 0 {
            self.entries.push(Entry { plan_row, text, below, before: self.total });
            self.total += text + below;
        }
    }

    /// Rows that are added to the plan's.
    pub fn total(&self) -> u32 {
        self.total
    }

    /// The row at which a plan row starts. O(log n).
    pub fn row_of(&self, plan_row: u32) -> u32 {
        let n = self.entries.partition_point(|entry| entry.plan_row < plan_row);
        plan_row + self.entries.get(n).map_or(self.total, |entry| entry.before)
    }

    /// What is at a row: the plan row, and which part of it. O(log n).
    pub fn at(&self, row: u32) -> (u32, Part) {
        let n = self.entries.partition_point(|entry| entry.plan_row + entry.before <= row);
        let Some(entry) = n.checked_sub(1).map(|n| self.entries[n]) else { return (row, Part::Text(0)) };
        let inside = row - entry.plan_row - entry.before;
        if inside <= entry.text {
            (entry.plan_row, Part::Text(inside))
        } else if inside <= entry.text + entry.below {
            (entry.plan_row, Part::Below(inside - entry.text - 1))
        } else {
            (row - entry.before - entry.text - entry.below, Part::Text(0))
        }
    }
}

/// Rows that the text of a row of the plan takes.
fn rows_of(row: Row, text_rows: &dyn Fn(Side, u32) -> u32) -> u32 {
    let of = |side, line: Option<u32>| line.map_or(1, |line| text_rows(side, line));
    if row.kind == RunKind::Gap { 1 } else { of(Side::Old, row.old).max(of(Side::New, row.new)) }
}

/// Rows that a line of a fixed side takes.
pub(super) fn rows_of_content(content: &Content, line: u32, columns: &Columns, width: u32) -> u32 {
    let bytes = content.line_text(line);
    if bytes.len() > LONGEST {
        return 1;
    }
    columns.rows(&String::from_utf8_lossy(bytes), width)
}

/// Rows that a line of a document takes.
pub(super) fn rows_of_text(text: &Text, line: u32, columns: &Columns, width: u32) -> u32 {
    if text.line_range(line).len() > LONGEST {
        return 1;
    }
    columns.rows(&text.line(line), width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Hunk;
    use crate::plan::{Context, Given};

    /// Ten equal lines and then one that changed; line 2 takes three rows, the changed one two on its old side.
    fn tall(below: &[Below]) -> (Plan, Tall) {
        let hunk = Hunk { old: 10..11, new: 10..11 };
        let mut context = Context::default();
        context.whole = true;
        let given = Given { hunks: &[hunk], old_lines: 11, new_lines: 11, layout: Layout::Split, context: &context };
        let plan = Plan::build(given, |_| None);
        let rows = |side, line| match (side, line) {
            (_, 2) => 3,
            (Side::Old, 10) => 2,
            _ => 1,
        };
        let tall = Tall::of(&plan, below, Some(&rows));
        (plan, tall)
    }

    #[test]
    fn every_row_is_found_and_found_again() {
        let below = [Below { side: Side::New, line: 4, rows: 5 }, Below { side: Side::Old, line: 10, rows: 2 }];
        let (plan, tall) = tall(&below);
        assert_eq!(tall.total(), 2 + 5 + 1 + 2);
        let mut seen = Vec::new();
        for row in 0..plan.rows() + tall.total() {
            let (plan_row, part) = tall.at(row);
            if part == Part::Text(0) {
                assert_eq!(tall.row_of(plan_row), row);
            }
            seen.push((plan_row, part));
        }
        let text = |row, count| (0..count).map(move |n| (row, Part::Text(n)));
        let under = |row, count| (0..count).map(move |n| (row, Part::Below(n)));
        let expected = text(0, 1)
            .chain(text(1, 1))
            .chain(text(2, 3))
            .chain(text(3, 1))
            .chain(text(4, 1))
            .chain(under(4, 5))
            .chain((5..10).flat_map(|row| text(row, 1)))
            .chain(text(10, 2))
            .chain(under(10, 2));
        assert_eq!(seen, expected.collect::<Vec<_>>());
    }

    #[test]
    fn what_stands_below_needs_no_wrapping() {
        let (plan, _) = tall(&[]);
        let twice = [Below { side: Side::New, line: 10, rows: 2 }, Below { side: Side::Old, line: 10, rows: 1 }];
        let tall = Tall::of(&plan, &twice, None);
        assert_eq!((tall.total(), tall.at(10), tall.at(12)), (3, (10, Part::Text(0)), (10, Part::Below(1))));
    }
}
