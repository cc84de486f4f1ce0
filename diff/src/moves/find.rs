//! The search for moved blocks in the traces of a review.
//!
//! The changed lines of all files lie one after the other, old ones in one column, new ones in another, with a *fence*
//! around each run of neighbours that is equal to nothing. A pair of equal lines is a *seed*; it is extended in both
//! directions while lines stay equal. First come seeds that are alone on both sides, which leave no doubt; then added
//! lines that a few removed ones could have become, of which the longest block wins, then the nearest. Lines that occur
//! all over start nothing, but are taken along.
//!
//! Work is counted in steps. A block found makes its lines unavailable, and seeds have a few candidates, so steps are a
//! small multiple of the lines; inputs made to break that end at a limit, and say so.

use std::ops::Range;

use editor::{Cancel, Cancelled};
use rustc_hash::FxHashMap;

use super::trace::{BLANK, SideTraces};
use super::{Move, Moves, Place, Traces};

/// Changed lines, of both sides together, that are looked at; files beyond are left out.
pub const MAX_LINES: usize = 1 << 20;

/// Lines with letters or digits that make a block worth telling.
const MIN_LINES: u32 = 3;
/// Letters and digits that do.
const MIN_LETTERS: u32 = 20;
/// Places a line may come from for all of them to be tried.
const CANDIDATES: u32 = 16;
/// Steps before the search is given up: a second or so.
const MAX_STEPS: u64 = 200_000_000;
/// Steps between two looks at the cancel flag.
const CHECK_EVERY: u64 = 1 << 18;
/// Blocks of one hunk that are ordered; with more, all have stayed.
const MAX_CHAIN: usize = 1_000;

/// What stands around runs, by side: equal to no line and not to each other.
const FENCES: [u64; 2] = [0, 1];

/// Finds moved blocks in the changed lines of files, which come with their places in the review.
///
/// Some 50 ns a line. The result depends on the order of the files only where several blocks fit equally well.
pub fn find<'t>(files: impl IntoIterator<Item = (usize, &'t Traces)>, cancel: &Cancel) -> Result<Moves, Cancelled> {
    let (mut old, mut new) = (Column::new(FENCES[0]), Column::new(FENCES[1]));
    let mut limited = false;
    for (file, traces) in files {
        if old.lines() + new.lines() + traces.lines() > MAX_LINES {
            limited = true;
            continue;
        }
        old.push(file, &traces.old);
        new.push(file, &traces.new);
    }
    old.close();
    new.close();
    let mut search = Search::new(old, new, cancel)?;
    search.pass(Doubt::None)?;
    search.pass(Doubt::Some)?;
    let limited = limited || search.is_exhausted();
    Ok(Moves::new(search.finish(), limited))
}

/// Changed lines of one side of all files.
struct Column {
    fence: u64,
    hashes: Vec<u64>,
    indents: Vec<u16>,
    letters: Vec<u8>,
    taken: Vec<bool>,
    runs: Vec<FlatRun>,
}

/// A run and where its first line stands in the column.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FlatRun {
    start: u32,
    file: usize,
    hunk: u32,
    first: u32,
}

impl Column {
    fn new(fence: u64) -> Self {
        let (hashes, indents, letters, taken) = Default::default();
        Self { fence, hashes, indents, letters, taken, runs: Vec::new() }
    }

    fn lines(&self) -> usize {
        self.hashes.len() - self.runs.len()
    }

    fn push(&mut self, file: usize, side: &SideTraces) {
        let mut at = 0;
        for run in &side.runs {
            self.close();
            let lines = at..at + run.len as usize;
            let start = self.hashes.len() as u32;
            self.runs.push(FlatRun { start, file, hunk: run.hunk, first: run.first });
            self.hashes.extend_from_slice(&side.hashes[lines.clone()]);
            self.indents.extend_from_slice(&side.indents[lines.clone()]);
            self.letters.extend_from_slice(&side.letters[lines.clone()]);
            at = lines.end;
        }
    }

    fn close(&mut self) {
        self.hashes.push(self.fence);
        self.indents.push(0);
        self.letters.push(0);
    }

    fn run(&self, at: u32) -> &FlatRun {
        // Every line stands behind the start of its run.
        &self.runs[self.runs.partition_point(|run| run.start <= at) - 1]
    }

    fn place(&self, lines: Range<u32>) -> Place {
        let run = self.run(lines.start);
        let line = |at| at - run.start + run.first;
        Place { file: run.file, lines: line(lines.start)..line(lines.end) }
    }

    fn take(&mut self, lines: Range<u32>) {
        self.taken[lines.start as usize..lines.end as usize].fill(true);
    }
}

/// Where lines of one hash stand.
#[derive(Clone, Copy, Default)]
struct Entry {
    /// The last of them in the old column; the others follow by [`Search::next`].
    old: u32,
    olds: u32,
    news: u32,
}

/// Which seeds a pass goes by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doubt {
    /// Lines that are alone on both sides.
    None,
    /// Lines that may come from several places.
    Some,
}

/// A stretch of equal lines in both columns.
#[derive(Clone, Copy)]
struct Block {
    old: u32,
    new: u32,
    len: u32,
    /// Its lines with letters or digits.
    worded: u32,
    letters: u32,
}

impl Block {
    fn is_worth_telling(&self, doubt: Doubt) -> bool {
        let (lines, letters) = (self.worded >= MIN_LINES, self.letters >= MIN_LETTERS);
        if doubt == Doubt::None { lines || letters } else { lines && letters }
    }

    fn old_lines(&self) -> Range<u32> {
        self.old..self.old + self.len
    }

    fn new_lines(&self) -> Range<u32> {
        self.new..self.new + self.len
    }
}

struct Search<'a> {
    old: Column,
    new: Column,
    entries: FxHashMap<u64, Entry>,
    /// By old line: the one of the same hash before it.
    next: Vec<u32>,
    moved: Vec<Block>,
    /// Blocks that are in the same hunk on both sides.
    within: Vec<Block>,
    steps: u64,
    next_check: u64,
    cancel: &'a Cancel,
}

impl<'a> Search<'a> {
    fn new(mut old: Column, mut new: Column, cancel: &'a Cancel) -> Result<Self, Cancelled> {
        let mut entries: FxHashMap<u64, Entry> = FxHashMap::default();
        entries.reserve(old.lines());
        let mut next = vec![0; old.hashes.len()];
        for (at, &hash) in old.hashes.iter().enumerate().filter(|(_, hash)| **hash > BLANK) {
            let entry = entries.entry(hash).or_default();
            next[at] = entry.old;
            entry.old = at as u32;
            entry.olds += 1;
        }
        cancel.check()?;
        for hash in &new.hashes {
            if let Some(entry) = entries.get_mut(hash) {
                entry.news += 1;
            }
        }
        old.taken = vec![false; old.hashes.len()];
        new.taken = vec![false; new.hashes.len()];
        let (moved, within) = Default::default();
        Ok(Self { old, new, entries, next, moved, within, steps: 0, next_check: CHECK_EVERY, cancel })
    }

    fn is_exhausted(&self) -> bool {
        self.steps >= MAX_STEPS
    }

    fn spend(&mut self, steps: u32) -> Result<(), Cancelled> {
        self.steps += u64::from(steps);
        if self.steps < self.next_check {
            return Ok(());
        }
        self.next_check = self.steps + CHECK_EVERY;
        self.cancel.check()
    }

    fn pass(&mut self, doubt: Doubt) -> Result<(), Cancelled> {
        for at in 0..self.new.hashes.len() as u32 {
            self.spend(1)?;
            if self.is_exhausted() {
                return Ok(());
            }
            if self.new.taken[at as usize] || self.new.letters[at as usize] == 0 {
                continue;
            }
            let Some(&entry) = self.entries.get(&self.new.hashes[at as usize]) else { continue };
            let is_alone = entry.olds == 1 && entry.news == 1;
            let best = match doubt {
                Doubt::None if is_alone => self.extended(entry.old, at)?,
                Doubt::Some if !is_alone && entry.olds <= CANDIDATES => self.best_of(entry, at)?,
                _ => continue,
            };
            if let Some(block) = best.filter(|block| block.is_worth_telling(doubt)) {
                self.accept(block);
            }
        }
        Ok(())
    }

    /// The longest of the blocks that a new line could be of; the nearest among equals.
    fn best_of(&mut self, entry: Entry, new: u32) -> Result<Option<Block>, Cancelled> {
        let mut best: Option<(Block, (u32, bool, u32))> = None;
        let here = self.new.place(new..new + 1);
        let mut old = entry.old;
        for _ in 0..entry.olds {
            if let Some(block) = self.extended(old, new)? {
                let there = self.old.place(old..old + 1);
                let distance = there.lines.start.abs_diff(here.lines.start);
                let rank = (block.letters, there.file == here.file, u32::MAX - distance);
                if best.as_ref().is_none_or(|(_, known)| *known < rank) {
                    best = Some((block, rank));
                }
            }
            old = self.next[old as usize];
        }
        Ok(best.map(|(block, _)| block))
    }

    /// The block around a pair of equal lines; none if the old one went elsewhere already.
    fn extended(&mut self, old: u32, new: u32) -> Result<Option<Block>, Cancelled> {
        let shift = self.shift(old, new);
        if self.old.taken[old as usize] {
            return Ok(None);
        }
        // Fences end it on both sides: there is one at either end of each column.
        let mut before = 0;
        while self.fits(old - before - 1, new - before - 1, shift) {
            before += 1;
        }
        let mut behind = 1;
        while self.fits(old + behind, new + behind, shift) {
            behind += 1;
        }
        self.spend(before + behind)?;
        let (old, new, len) = (old - before, new - before, before + behind);
        let letters = self.old.letters[old as usize..(old + len) as usize].iter().map(|&n| u32::from(n));
        let (worded, letters) = letters.fold((0, 0), |(lines, sum), n| (lines + u32::from(n > 0), sum + n));
        Ok(Some(Block { old, new, len, worded, letters }))
    }

    fn fits(&self, old: u32, new: u32, shift: i32) -> bool {
        let (at, to) = (old as usize, new as usize);
        self.old.hashes[at] == self.new.hashes[to]
            && !self.old.taken[at]
            && !self.new.taken[to]
            && (self.old.hashes[at] == BLANK || self.shift(old, new) == shift)
    }

    fn shift(&self, old: u32, new: u32) -> i32 {
        i32::from(self.new.indents[new as usize]) - i32::from(self.old.indents[old as usize])
    }

    fn accept(&mut self, block: Block) {
        self.old.take(block.old_lines());
        self.new.take(block.new_lines());
        let (old, new) = (self.old.run(block.old), self.new.run(block.new));
        if (old.file, old.hunk) == (new.file, new.hunk) {
            self.within.push(block);
        } else {
            self.moved.push(block);
        }
    }

    fn finish(mut self) -> Vec<Move> {
        let run = |block: &Block| *self.new.run(block.new);
        self.within.sort_unstable_by_key(|block| block.new);
        for blocks in self.within.chunk_by(|a, b| run(a) == run(b)) {
            self.moved.extend(out_of_order(blocks));
        }
        let made = |block: &Block| Move {
            old: self.old.place(block.old_lines()),
            new: self.new.place(block.new_lines()),
            shift: self.shift_of(block),
        };
        self.moved.iter().map(made).collect()
    }

    /// The indentation a block gained, told by its first line that is not blank.
    fn shift_of(&self, block: &Block) -> i32 {
        let worded = (0..block.len).find(|at| self.old.hashes[(block.old + at) as usize] != BLANK).unwrap_or(0);
        self.shift(block.old + worded, block.new + worded)
    }
}

/// The blocks of one hunk that changed their order: all but those of the heaviest chain that ascends on both sides.
fn out_of_order(blocks: &[Block]) -> Vec<Block> {
    if blocks.len() > MAX_CHAIN {
        return Vec::new();
    }
    // The weight of the heaviest chain that ends with a block, and the block before it in that chain.
    let mut chains: Vec<(u32, Option<usize>)> = Vec::with_capacity(blocks.len());
    for (at, block) in blocks.iter().enumerate() {
        let before = (0..at).filter(|&before| blocks[before].old < block.old).max_by_key(|&before| chains[before].0);
        chains.push((block.len + before.map_or(0, |before| chains[before].0), before));
    }
    let mut stayed = vec![false; blocks.len()];
    let mut last = (0..blocks.len()).max_by_key(|&at| chains[at].0);
    while let Some(at) = last {
        stayed[at] = true;
        last = chains[at].1;
    }
    blocks.iter().zip(stayed).filter(|(_, stayed)| !stayed).map(|(block, _)| *block).collect()
}
