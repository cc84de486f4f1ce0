//! What is remembered of the changed lines of a file, to look for moved blocks later.

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use crate::engine::Hunk;
use crate::git::Side;

/// Columns that a tab counts.
const TAB: u32 = 4;
/// The hash of lines without a letter, digit or sign: they are equal to each other, and start nothing.
pub(super) const BLANK: u64 = 2;
/// Hashes below this stand for no line at all; see [`super::find`].
const FIRST_HASH: u64 = 3;

/// The key of the hashes of one review: traces that are compared are made with the same.
#[derive(Clone, Debug, Default)]
pub struct TraceKey(RandomState);

impl TraceKey {
    /// A key that nobody knows.
    pub fn new() -> Self {
        Self::default()
    }
}

/// The changed lines of one file.
#[derive(Clone, Debug, Default)]
pub struct Traces {
    pub(super) old: SideTraces,
    pub(super) new: SideTraces,
}

impl Traces {
    /// Remembers the lines of `hunks`, given how to get a line of a side.
    pub fn of<L: AsRef<[u8]>>(key: &TraceKey, hunks: &[Hunk], line: impl Fn(Side, u32) -> L) -> Self {
        let side = |side, lines: fn(&Hunk) -> &Range<u32>| {
            let count = hunks.iter().map(|hunk| lines(hunk).len()).sum();
            let mut traces = SideTraces::with_capacity(count);
            for (hunk, lines) in hunks.iter().map(lines).enumerate().filter(|(_, lines)| !lines.is_empty()) {
                traces.runs.push(Run { hunk: hunk as u32, first: lines.start, len: lines.len() as u32 });
                lines.clone().for_each(|at| traces.push(key, line(side, at).as_ref()));
            }
            traces
        };
        Self { old: side(Side::Old, |hunk| &hunk.old), new: side(Side::New, |hunk| &hunk.new) }
    }

    /// Changed lines of both sides together.
    pub fn lines(&self) -> usize {
        self.old.hashes.len() + self.new.hashes.len()
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        let runs = self.old.runs.len() + self.new.runs.len();
        self.lines() * (size_of::<u64>() + size_of::<u16>() + size_of::<u8>()) + runs * size_of::<Run>()
    }
}

/// Neighbouring changed lines: those of one hunk on one side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub hunk: u32,
    /// Its first line in the file.
    pub first: u32,
    pub len: u32,
}

/// Changed lines of a side, one after the other, as columns.
#[derive(Clone, Debug, Default)]
pub(super) struct SideTraces {
    pub runs: Vec<Run>,
    pub hashes: Vec<u64>,
    pub indents: Vec<u16>,
    /// Letters and digits, up to what a byte holds.
    pub letters: Vec<u8>,
}

impl SideTraces {
    fn with_capacity(lines: usize) -> Self {
        Self {
            runs: Vec::new(),
            hashes: Vec::with_capacity(lines),
            indents: Vec::with_capacity(lines),
            letters: Vec::with_capacity(lines),
        }
    }

    fn push(&mut self, key: &TraceKey, line: &[u8]) {
        let text = line.trim_ascii();
        let start = line.len() - line.trim_ascii_start().len();
        let hash = if text.is_empty() { BLANK } else { key.0.hash_one(text).max(FIRST_HASH) };
        let letters = text.iter().filter(|byte| byte.is_ascii_alphanumeric() || **byte >= 0xc0).take(255).count();
        self.hashes.push(hash);
        self.indents.push(columns(&line[..start]));
        self.letters.push(letters as u8);
    }
}

/// How wide an indentation is.
fn columns(indent: &[u8]) -> u16 {
    let mut columns = 0u32;
    for byte in indent {
        columns += if *byte == b'\t' { TAB - columns % TAB } else { 1 };
        if columns > u32::from(u16::MAX) {
            return u16::MAX;
        }
    }
    columns as u16
}
