//! Which lines of a hunk stand beside each other.
//!
//! An alignment is an *injection*: each line of the shorter side gets a row of the longer one, in order. So a hunk has as
//! many rows as its longer side, whatever the alignment; how tall a page is, is known from the script alone, and an
//! alignment that comes late moves nothing.
//!
//! Rows are chosen so that similar lines meet, by dynamic programming; large hunks, and those of equal sides, go by index.

use crate::engine::Hunk;

/// Pairs of lines that are weighed, at most; a hunk with more is aligned by index.
pub const MAX_CELLS: usize = 40_000;
/// Bytes of a line that count for its likeness.
const MAX_BYTES: usize = 160;
/// Lines less alike than this, of 1000, are strangers.
const MIN_LIKENESS: u32 = 350;

/// The rows of a hunk's lines. Both sides' first lines count as 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alignment {
    old_len: u32,
    new_len: u32,
    /// Rows of the shorter side's lines, ascending; empty if they are their indices.
    rows: Box<[u32]>,
}

impl Alignment {
    /// Line beside line from the top.
    pub fn by_index(hunk: &Hunk) -> Self {
        Self { old_len: hunk.old.len() as u32, new_len: hunk.new.len() as u32, rows: Box::default() }
    }

    /// How many rows there are: as many as the longer side has lines.
    pub fn rows(&self) -> u32 {
        self.old_len.max(self.new_len)
    }

    /// The row of an old line, counted from the hunk's first.
    pub fn row_of_old(&self, line: u32) -> u32 {
        if self.old_len < self.new_len { self.row(line) } else { line }
    }

    /// The row of a new line, counted from the hunk's first.
    pub fn row_of_new(&self, line: u32) -> u32 {
        if self.new_len < self.old_len { self.row(line) } else { line }
    }

    /// The old and the new line in a row, each counted from the hunk's first.
    pub fn at(&self, row: u32) -> (Option<u32>, Option<u32>) {
        let long = (row < self.rows()).then_some(row);
        let len = self.old_len.min(self.new_len);
        let short = if self.rows.is_empty() {
            (row < len).then_some(row)
        } else {
            self.rows.binary_search(&row).ok().map(|line| line as u32)
        };
        if self.old_len < self.new_len { (short, long) } else { (long, short) }
    }

    fn row(&self, line: u32) -> u32 {
        self.rows.get(line as usize).copied().unwrap_or(line)
    }
}

/// Aligns a hunk, given its lines with or without endings.
pub fn pairs<L: AsRef<[u8]>>(old: &[L], new: &[L]) -> Alignment {
    let mut alignment = Alignment { old_len: old.len() as u32, new_len: new.len() as u32, rows: Box::default() };
    let (short, long) = if old.len() < new.len() { (old, new) } else { (new, old) };
    if short.is_empty() || short.len() == long.len() || short.len().saturating_mul(long.len()) > MAX_CELLS {
        return alignment;
    }
    let traits = |lines: &[L]| lines.iter().map(|line| Traits::of(line.as_ref())).collect::<Vec<_>>();
    alignment.rows = place(&traits(short), &traits(long));
    alignment
}

/// How alike two lines are, white space aside, of 1000; 0 for strangers.
pub(crate) fn likeness(old: &[u8], new: &[u8]) -> u32 {
    Traits::of(old).likeness(&Traits::of(new))
}

/// The rows of `short` among `long` of greatest likeness in sum; the upper ones among equals.
fn place(short: &[Traits], long: &[Traits]) -> Box<[u32]> {
    // `best[i][j]`: likeness of the first i short lines when placed among the first j rows; i <= j.
    let width = long.len() + 1;
    let mut best = vec![0u32; (short.len() + 1) * width];
    let spare = long.len() - short.len();
    for i in 1..=short.len() {
        for j in i..=i + spare {
            let here = best[(i - 1) * width + j - 1] + short[i - 1].likeness(&long[j - 1]);
            let above = if j > i { best[i * width + j - 1] } else { 0 };
            best[i * width + j] = here.max(above);
        }
    }
    let mut rows = vec![0u32; short.len()];
    let mut j = long.len();
    for i in (1..=short.len()).rev() {
        while j > i && best[i * width + j] == best[i * width + j - 1] {
            j -= 1;
        }
        j -= 1;
        rows[i - 1] = j as u32;
    }
    rows.into_boxed_slice()
}

/// Pairs of neighbouring bytes of a line, white space aside, sorted: cheap to make, cheaper to compare.
struct Traits(Vec<u16>);

impl Traits {
    fn of(line: &[u8]) -> Self {
        let mut pairs = Vec::with_capacity(line.len().min(MAX_BYTES));
        let mut last = 0;
        for &byte in line.iter().filter(|byte| !byte.is_ascii_whitespace()).take(MAX_BYTES) {
            pairs.push(u16::from_be_bytes([last, byte]));
            last = byte;
        }
        pairs.sort_unstable();
        Self(pairs)
    }

    /// Twice the pairs in common by all pairs, in thousandths; 0 for strangers.
    fn likeness(&self, other: &Self) -> u32 {
        let (a, b) = (&self.0, &other.0);
        let total = a.len() + b.len();
        if total == 0 {
            return 1000; // both blank
        }
        // Lengths alone often rule likeness out.
        if 2000 * a.len().min(b.len()) < MIN_LIKENESS as usize * total {
            return 0;
        }
        let (mut i, mut j, mut common) = (0, 0, 0);
        while i < a.len() && j < b.len() {
            common += usize::from(a[i] == b[j]);
            let (next_i, next_j) = (a[i] <= b[j], b[j] <= a[i]);
            i += usize::from(next_i);
            j += usize::from(next_j);
        }
        let likeness = (2000 * common / total) as u32;
        if likeness < MIN_LIKENESS { 0 } else { likeness }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(old: &[&str], new: &[&str]) -> Vec<u32> {
        let alignment = pairs(old, new);
        if old.len() < new.len() {
            (0..old.len() as u32).map(|line| alignment.row_of_old(line)).collect()
        } else {
            (0..new.len() as u32).map(|line| alignment.row_of_new(line)).collect()
        }
    }

    #[test]
    fn similar_lines_meet() {
        assert_eq!(rows(&["let total = 1;"], &["// sum", "// more", "let total = 2;"]), [2]);
        assert_eq!(rows(&["fn a() {", "x", "return value;"], &["fn a(b: u8) {", "return values;"]), [0, 2]);
    }

    #[test]
    fn strangers_stand_at_the_top() {
        assert_eq!(rows(&["alpha"], &["xyz", "12345", "qqq"]), [0]);
    }

    #[test]
    fn equal_counts_go_by_index() {
        assert_eq!(rows(&["a1", "b2"], &["b2", "a1"]), [0, 1]);
    }

    #[test]
    fn large_hunks_go_by_index() {
        let (old, new) = (vec!["x"; 300], vec!["y"; 400]);
        assert_eq!(pairs(&old, &new), Alignment::by_index(&Hunk { old: 0..300, new: 0..400 }));
    }

    #[test]
    fn a_side_without_lines_has_none_in_any_row() {
        let alignment = pairs(&[], &["a", "b"]);
        assert_eq!((alignment.rows(), alignment.at(1), alignment.at(2)), (2, (None, Some(1)), (None, None)));
    }

    proptest! {
        #[test]
        fn each_line_has_one_row_in_order(
            old in proptest::collection::vec("[ab (){};]{0,12}", 0..20), new in proptest::collection::vec("[ab (){};]{0,12}", 0..20),
        ) {
            let alignment = pairs(&old, &new);
            prop_assert_eq!(alignment.rows() as usize, old.len().max(new.len()));
            let seen: Vec<_> = (0..alignment.rows()).map(|row| alignment.at(row)).collect();
            let olds: Vec<u32> = seen.iter().filter_map(|pair| pair.0).collect();
            let news: Vec<u32> = seen.iter().filter_map(|pair| pair.1).collect();
            prop_assert_eq!(olds, (0..old.len() as u32).collect::<Vec<_>>());
            prop_assert_eq!(news, (0..new.len() as u32).collect::<Vec<_>>());
            for line in 0..old.len() as u32 {
                prop_assert_eq!(alignment.at(alignment.row_of_old(line)).0, Some(line));
            }
        }
    }
}
