//! A diff that follows typing: the new side is a live text, each change compares its neighbourhood again and nothing else.
//!
//! A *window* is a stretch of lines around an edit, bounded by equal lines, that holds whole hunks. An edit replaces the
//! hunks of its window by those of comparing the window alone. If that would cost more than a key may, the hunks become
//! one coarse hunk: still valid, and [`Live::needs_full`] asks for a comparison of the whole in the background.
//!
//! Hunks are stored relative to each other, as the equal lines before them and the lines of both sides, in blocks that
//! know their sums. So an edit shifts nothing, and finding a line costs a walk over the blocks: microseconds for 500,000
//! hunks.
//!
//! Invariant: the script is valid for the text last given. The old side are bytes, whatever their encoding.

use std::ops::Range;

use editor::{Cancel, ChangeSet, Text};

use crate::engine::{Budget, Engine, Hunk, Options, Script, Whitespace};
use crate::lines::Content;

/// Equal lines around an edit that are compared with it, if there is room.
const CONTEXT: u32 = 48;
/// Lines of a window, both sides together, that may be compared at a key.
const MAX_LINES: u32 = 4_000;
/// Bytes of a window, both sides together, that may be compared at a key.
const MAX_BYTES: usize = 256 << 10;
/// Lines that are cut off each end of a coarse hunk, at most, being equal.
const MAX_TRIM: u32 = 2_000;
/// Bytes that may be read to cut off equal lines.
const MAX_TRIM_BYTES: usize = 16 << 20;
/// Hunks on each side of an edit that may cancel each other out.
const NEIGHBOURS: usize = 32;
/// Bytes of a stretch that is looked at for that.
const MAX_SETTLE_BYTES: usize = 256 << 10;
/// What comparing a window may cost: some two milliseconds at worst.
const BUDGET: Budget = Budget { histogram: 300_000, total: 1_000_000 };

/// What an edit did to the script: for whoever keeps something by hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// The hunks that are gone, by index before this splice and after those before it.
    pub removed: Range<usize>,
    /// How many hunks stand in their place.
    pub inserted: usize,
    /// The old lines that were looked at.
    pub old: Range<u32>,
    /// The new lines that were looked at, after the edit.
    pub new: Range<u32>,
    /// How many new lines stood there before.
    pub new_before: u32,
}

impl Splice {
    /// New lines that the edit added.
    pub fn grown(&self) -> i64 {
        self.new.len() as i64 - i64::from(self.new_before)
    }

    /// Where a new line behind it is now.
    pub fn moved(&self, line: u32) -> u32 {
        (i64::from(line) + self.grown()) as u32
    }
}

/// The difference between an old content and a text that changes.
pub struct Live {
    old: Content,
    whitespace: Whitespace,
    hunks: Hunks,
    new_lines: u32,
    needs_full: bool,
    engine: Engine,
}

impl Live {
    /// Starts from a script of comparing `old` with `new`.
    pub fn new(old: Content, new: &Text, script: &Script, whitespace: Whitespace) -> Self {
        let hunks = Hunks::new(&script.hunks);
        let new_lines = line_count(new);
        Self { old, whitespace, hunks, new_lines, needs_full: script.limited, engine: Engine::new() }
    }

    /// Takes a script of comparing the whole with the text as it is now.
    pub fn replace(&mut self, new: &Text, script: &Script) {
        self.hunks = Hunks::new(&script.hunks);
        self.new_lines = line_count(new);
        self.needs_full = false;
    }

    /// The old side.
    pub fn old(&self) -> &Content {
        &self.old
    }

    /// Lines of the new side, as git counts them.
    pub fn new_line_count(&self) -> u32 {
        self.new_lines
    }

    /// Whether an edit was too large to be compared at once, so that a coarse hunk stands in for it.
    pub fn needs_full(&self) -> bool {
        self.needs_full
    }

    /// Number of hunks.
    pub fn hunk_count(&self) -> usize {
        self.hunks.len()
    }

    /// Lines removed and added.
    pub fn counts(&self) -> (u64, u64) {
        self.hunks.counts()
    }

    /// All hunks in order.
    pub fn hunks(&self) -> impl Iterator<Item = Hunk> + '_ {
        self.hunks.iter_from(0)
    }

    /// The hunks from number `first` on. O(blocks) to get there.
    pub fn hunks_from(&self, first: usize) -> impl Iterator<Item = Hunk> + '_ {
        self.hunks.iter_from(first)
    }

    /// The script as of comparing the whole.
    pub fn script(&self) -> Script {
        Script { hunks: self.hunks().collect(), limited: self.needs_full }
    }

    /// The number of the first hunk that ends behind, or is an empty range at, the new line `line`.
    pub fn first_hunk_at(&self, line: u32) -> usize {
        self.hunks.first_touching(line).0
    }

    /// Follows a change of the new side from `before` to `after`; returns what became of the hunks, from top to bottom.
    pub fn edit(&mut self, changes: &ChangeSet, before: &Text, after: &Text) -> Vec<Splice> {
        let mut splices = Vec::new();
        let (count_before, count_after) = (line_count(before), line_count(after));
        let mut regions: Vec<Region> = Vec::new();
        for edit in changes.edits() {
            let region = Region {
                before: touched_lines(before, &edit.old, count_before),
                after: touched_lines(after, &edit.new, count_after),
            };
            match regions.last_mut() {
                Some(last) if region.before.start <= last.before.end || region.after.start <= last.after.end => {
                    last.before.end = last.before.end.max(region.before.end);
                    last.after.end = last.after.end.max(region.after.end);
                }
                _ => regions.push(region),
            }
        }
        // From top to bottom: what is above a region is as of after, what is below as of before, moved as a whole.
        let mut waiting = regions.into_iter().peekable();
        while let Some(mut region) = waiting.next() {
            let mut window = self.window(&region, 0);
            // A hunk that holds several edits is compared once.
            while let Some(next) = waiting.next_if(|next| window.new.end >= region.moved(next.before.start)) {
                region.before.end = next.before.end;
                region.after.end = next.after.end;
                window = self.window(&region, 0);
            }
            let below = waiting.peek().map(|next| region.moved(next.before.start));
            splices.push(self.compare_region(&region, window, below, after));
        }
        self.new_lines = count_after;
        splices
    }

    /// Compares around a region again, at least `tight`. Lines from `below` on belong to edits that are still to come.
    fn compare_region(&mut self, region: &Region, tight: Window, below: Option<u32>, after: &Text) -> Splice {
        let growth = region.growth();
        let mut window = tight;
        let is_small = self.fits(&window, growth, after);
        if is_small {
            let wide = self.window(region, CONTEXT);
            if below.is_none_or(|below| wide.new.end < below) && self.fits(&wide, growth, after) {
                window = wide;
            }
        }
        let new = window.grown(growth);
        let hunks = if is_small {
            self.compare_window(&window.old, &new, after)
        } else {
            self.coarse(&window.old, &new, after)
        };
        let splice = Splice {
            removed: window.hunks.clone(),
            inserted: hunks.len(),
            old: window.old.clone(),
            new,
            new_before: window.new.len() as u32,
        };
        self.hunks.splice(&window, &hunks, growth);
        let below = below.map_or(u32::MAX, |below| (i64::from(below) + growth) as u32);
        self.settle(splice, below, after)
    }

    /// Drops hunks around a splice that cancel each other out.
    ///
    /// What was inserted in one window may be taken back in another, by undo say, when lines are alike: two hunks remain
    /// with moved lines between them although both sides are the same again. Lines from `below` on are not `after`'s yet.
    fn settle(&mut self, splice: Splice, below: u32, after: &Text) -> Splice {
        let (first, end) = (splice.removed.start, splice.removed.start + splice.inserted);
        let from = first.saturating_sub(NEIGHBOURS);
        let near = self.hunks.iter_from(from).take(end - from + NEIGHBOURS);
        let hunks: Vec<Hunk> = near.take_while(|hunk| hunk.new.end < below).collect();
        let before = |hunk: &Hunk| i64::from(hunk.new.start) - i64::from(hunk.old.start);
        let behind = |hunk: &Hunk| i64::from(hunk.new.end) - i64::from(hunk.old.end);
        for (at, start) in hunks.iter().enumerate().take(end - from + 1).rev() {
            // Lines of the group meet from its first on; one that differs there rules out all groups that start here.
            if start.old.start >= self.old.line_count() || !self.line_equals(start.old.start, start.new.start, after) {
                continue;
            }
            for (to, stop) in hunks.iter().enumerate().skip((at + 1).max(first.saturating_sub(from + 1))) {
                let group = Hunk { old: start.old.start..stop.old.end, new: start.new.start..stop.new.end };
                if before(start) == behind(stop) && self.lines_equal(&group, after) {
                    return self.drop_group(from + at..from + to + 1, &group, &splice);
                }
            }
        }
        splice
    }

    fn drop_group(&mut self, hunks: Range<usize>, group: &Hunk, splice: &Splice) -> Splice {
        let window = Window { hunks: hunks.clone(), old: group.old.clone(), new: group.new.clone() };
        self.hunks.splice(&window, &[], 0);
        let start = splice.removed.start.min(hunks.start);
        let end = (splice.removed.start + splice.inserted).max(hunks.end);
        let new = splice.new.start.min(group.new.start)..splice.new.end.max(group.new.end);
        Splice {
            removed: start..end + splice.removed.len() - splice.inserted,
            inserted: end - start - hunks.len(),
            old: splice.old.start.min(group.old.start)..splice.old.end.max(group.old.end),
            new_before: (new.len() + splice.new_before as usize - splice.new.len()) as u32,
            new,
        }
    }

    /// Whether all lines of both ranges, as many on each side, are equal; no if there are too many to tell.
    fn lines_equal(&self, lines: &Hunk, after: &Text) -> bool {
        let bytes = line_start(after, lines.new.start)..line_start(after, lines.new.end);
        let old = self.old.lines(lines.old.clone());
        if self.whitespace == Whitespace::Exact {
            return old.len() == bytes.len() && old.len() <= MAX_SETTLE_BYTES && bytes_equal(old, bytes, after);
        }
        old.len().max(bytes.len()) <= MAX_SETTLE_BYTES
            && lines.old.clone().zip(lines.new.clone()).all(|(old, new)| self.line_equals(old, new, after))
    }

    /// Whether a window can be compared within a key.
    fn fits(&self, window: &Window, growth: i64, after: &Text) -> bool {
        let new = window.grown(growth);
        if window.old.len() + new.len() > MAX_LINES as usize {
            return false;
        }
        let old_bytes = self.old.line_start(window.old.end) - self.old.line_start(window.old.start);
        old_bytes + line_start(after, new.end) - line_start(after, new.start) <= MAX_BYTES
    }

    /// The window around a region, with `context` equal lines on each side. Lines are as of before the region's edit.
    fn window(&self, region: &Region, context: u32) -> Window {
        let lines = region.after.start..region.after.start + region.before.len() as u32;
        let mut from = lines.start.saturating_sub(context);
        let mut to = lines.end.saturating_add(context);
        let (first, position) = self.hunks.first_touching(from);
        let (mut last_old, mut last_new, mut count) = (position.old, position.new, 0);
        let mut old_from = position.old + (from - position.new);
        for hunk in self.hunks.iter_at(first, position) {
            if count == 0 && hunk.new.start < from {
                (from, old_from) = (hunk.new.start, hunk.old.start);
            }
            if hunk.new.start > to {
                break;
            }
            to = to.max(hunk.new.end);
            (last_old, last_new) = (hunk.old.end, hunk.new.end);
            count += 1;
        }
        // Old and new lines run in step behind the last hunk, to the end of both.
        let old_to = (last_old + (to - last_new)).min(self.old.line_count());
        let to = last_new + (old_to - last_old);
        Window { hunks: first..first + count, old: old_from..old_to, new: from..to }
    }

    fn compare_window(&mut self, old: &Range<u32>, new: &Range<u32>, after: &Text) -> Vec<Hunk> {
        let bytes = line_start(after, new.start)..line_start(after, new.end);
        let text = after.slice(bytes);
        let sides = (Content::new(self.old.lines(old.clone())), Content::new(text.as_bytes()));
        let (Ok(old_side), Ok(new_side)) = sides else {
            return whole(old, new); // not of this size; see MAX_BYTES
        };
        let options = Options { whitespace: self.whitespace, budget: BUDGET };
        let Ok(script) = self.engine.compare(&old_side, &new_side, &options, &Cancel::new()) else {
            return whole(old, new); // nobody can cancel it
        };
        self.needs_full |= script.limited;
        let shift = |hunk: Hunk| Hunk {
            old: hunk.old.start + old.start..hunk.old.end + old.start,
            new: hunk.new.start + new.start..hunk.new.end + new.start,
        };
        script.hunks.into_iter().map(shift).collect()
    }

    /// One hunk for all, without the equal lines at its ends.
    fn coarse(&mut self, old: &Range<u32>, new: &Range<u32>, after: &Text) -> Vec<Hunk> {
        let (mut old, mut new) = (old.clone(), new.clone());
        let mut read = 0;
        let mut equal = |old: u32, new: u32| {
            read += self.old.line(old).len();
            read <= MAX_TRIM_BYTES && self.line_equals(old, new, after)
        };
        for _ in 0..MAX_TRIM {
            if old.is_empty() || new.is_empty() || !equal(old.start, new.start) {
                break;
            }
            old.start += 1;
            new.start += 1;
        }
        for _ in 0..MAX_TRIM {
            if old.is_empty() || new.is_empty() || !equal(old.end - 1, new.end - 1) {
                break;
            }
            old.end -= 1;
            new.end -= 1;
        }
        // A hunk with one line on each side, or none on one, cannot be told any finer.
        self.needs_full |= !old.is_empty() && !new.is_empty() && old.len() + new.len() > 2;
        whole(&old, &new)
    }

    fn line_equals(&self, old: u32, new: u32, after: &Text) -> bool {
        let old = self.old.line(old);
        let bytes = line_start(after, new)..line_start(after, new + 1);
        if self.whitespace != Whitespace::Exact {
            return self.whitespace.equal(old, after.slice(bytes).as_bytes());
        }
        bytes_equal(old, bytes, after)
    }
}

fn bytes_equal(old: &[u8], bytes: Range<usize>, text: &Text) -> bool {
    let mut rest = old;
    bytes.len() == old.len()
        && text.chunks(bytes).all(|chunk| rest.strip_prefix(chunk.as_bytes()).map(|behind| rest = behind).is_some())
}

fn whole(old: &Range<u32>, new: &Range<u32>) -> Vec<Hunk> {
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    vec![Hunk { old: old.clone(), new: new.clone() }]
}

/// Lines of a text as git counts them: without the empty one behind a final LF.
pub fn line_count(text: &Text) -> u32 {
    text.line_count() - u32::from(text.line_start(text.last_line()) == text.len())
}

/// Where a line starts, counted as git does.
fn line_start(text: &Text, line: u32) -> usize {
    text.line_start(line).min(text.len())
}

/// The lines that a range of bytes touches.
fn touched_lines(text: &Text, bytes: &Range<usize>, count: u32) -> Range<u32> {
    let start = text.line_of(bytes.start).min(count);
    start..(text.line_of(bytes.end) + 1).min(count).max(start)
}

/// Lines that an edit touches, in the text before and after it.
struct Region {
    before: Range<u32>,
    after: Range<u32>,
}

impl Region {
    /// Lines that the edit adds.
    fn growth(&self) -> i64 {
        self.after.len() as i64 - self.before.len() as i64
    }

    /// A line below, of the text before all edits, after those above this region.
    fn moved(&self, line: u32) -> u32 {
        (i64::from(line) + i64::from(self.after.start) - i64::from(self.before.start)) as u32
    }
}

/// Whole hunks with equal lines around them.
struct Window {
    hunks: Range<usize>,
    old: Range<u32>,
    new: Range<u32>,
}

impl Window {
    /// The new lines after the edit within.
    fn grown(&self, growth: i64) -> Range<u32> {
        self.new.start..(i64::from(self.new.end) + growth) as u32
    }
}

/// A place where old and new lines are in step: behind a hunk, or the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Position {
    old: u32,
    new: u32,
}

/// A hunk relative to the end of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Relative {
    equal: u32,
    old: u32,
    new: u32,
}

impl Relative {
    fn behind(position: Position, hunk: &Hunk) -> Self {
        Self { equal: hunk.old.start - position.old, old: hunk.old.len() as u32, new: hunk.new.len() as u32 }
    }
}

/// Hunks in blocks with sums.
#[derive(Debug, Default)]
struct Hunks {
    blocks: Vec<Block>,
}

#[derive(Debug, Default)]
struct Block {
    hunks: Vec<Relative>,
    /// Lines from the block's beginning to its last hunk's end.
    span: Position,
    removed: u64,
    added: u64,
}

/// Hunks of a block when it is made; it may grow to four times as many.
const BLOCK: usize = 64;

impl Block {
    fn new(hunks: Vec<Relative>) -> Self {
        let mut block = Block { hunks, ..Block::default() };
        for hunk in &block.hunks {
            block.span.old += hunk.equal + hunk.old;
            block.span.new += hunk.equal + hunk.new;
            block.removed += u64::from(hunk.old);
            block.added += u64::from(hunk.new);
        }
        block
    }
}

impl Hunks {
    fn new(hunks: &[Hunk]) -> Self {
        let mut position = Position::default();
        let blocks = hunks.chunks(BLOCK).map(|chunk| {
            Block::new(
                chunk
                    .iter()
                    .map(|hunk| {
                        let relative = Relative::behind(position, hunk);
                        position = Position { old: hunk.old.end, new: hunk.new.end };
                        relative
                    })
                    .collect(),
            )
        });
        Self { blocks: blocks.collect() }
    }

    fn len(&self) -> usize {
        self.blocks.iter().map(|block| block.hunks.len()).sum()
    }

    fn counts(&self) -> (u64, u64) {
        self.blocks.iter().fold((0, 0), |sum, block| (sum.0 + block.removed, sum.1 + block.added))
    }

    /// The first hunk that ends at or behind the new line `line`, and the position before it.
    fn first_touching(&self, line: u32) -> (usize, Position) {
        let (mut index, mut position) = (0, Position::default());
        for block in &self.blocks {
            if position.new + block.span.new < line {
                index += block.hunks.len();
                position.old += block.span.old;
                position.new += block.span.new;
                continue;
            }
            for hunk in &block.hunks {
                if position.new + hunk.equal + hunk.new >= line {
                    break;
                }
                index += 1;
                position.old += hunk.equal + hunk.old;
                position.new += hunk.equal + hunk.new;
            }
            break;
        }
        (index, position)
    }

    fn iter_from(&self, first: usize) -> impl Iterator<Item = Hunk> + '_ {
        let (block, within, mut position) = self.locate(first);
        for hunk in self.blocks.get(block).into_iter().flat_map(|block| &block.hunks[..within]) {
            position.old += hunk.equal + hunk.old;
            position.new += hunk.equal + hunk.new;
        }
        self.iter_at(first, position)
    }

    /// Hunks from number `first` on, given the position before it.
    fn iter_at(&self, first: usize, mut position: Position) -> impl Iterator<Item = Hunk> + '_ {
        let (block, within, _) = self.locate(first);
        let blocks = self.blocks.get(block..).unwrap_or_default();
        blocks.iter().flat_map(|block| &block.hunks).skip(within).map(move |hunk| {
            let start = Position { old: position.old + hunk.equal, new: position.new + hunk.equal };
            position = Position { old: start.old + hunk.old, new: start.new + hunk.new };
            Hunk { old: start.old..position.old, new: start.new..position.new }
        })
    }

    /// The block of a hunk, its place in there, and the position where the block begins.
    fn locate(&self, index: usize) -> (usize, usize, Position) {
        let (mut before, mut position) = (0, Position::default());
        for (at, block) in self.blocks.iter().enumerate() {
            if index < before + block.hunks.len() {
                return (at, index - before, position);
            }
            before += block.hunks.len();
            position.old += block.span.old;
            position.new += block.span.new;
        }
        (self.blocks.len(), 0, position)
    }

    /// Replaces the hunks of a window by `hunks`, given in lines after the edit, which lets the window's new side grow.
    fn splice(&mut self, window: &Window, hunks: &[Hunk], growth: i64) {
        let (first_block, within, _) = self.locate(window.hunks.start);
        let mut position = self.position_before(window.hunks.start);
        let end = self.position_before(window.hunks.end);
        let mut relatives: Vec<Relative> = Vec::with_capacity(hunks.len() + 2 * BLOCK);
        let head = self.blocks.get(first_block).map(|block| &block.hunks[..within]);
        relatives.extend_from_slice(head.unwrap_or_default());
        for hunk in hunks {
            relatives.push(Relative::behind(position, hunk));
            position = Position { old: hunk.old.end, new: hunk.new.end };
        }
        // The hunk behind keeps its place on the old side; on the new side it has moved with the window's end.
        debug_assert_eq!(
            i64::from(end.new) + growth - i64::from(end.old),
            i64::from(position.new) - i64::from(position.old),
            "behind the window, lines are in step as before"
        );
        let (mut last_block, last_within, _) = self.locate(window.hunks.end);
        if let Some(block) = self.blocks.get(last_block) {
            let mut tail = block.hunks[last_within..].to_vec();
            if let Some(first) = tail.first_mut() {
                first.equal = end.old + first.equal - position.old;
            }
            relatives.extend_from_slice(&tail);
            last_block += 1;
        }
        let first_block = first_block.min(last_block);
        let size = if relatives.len() <= 4 * BLOCK { relatives.len().max(1) } else { BLOCK };
        let blocks: Vec<Block> = relatives.chunks(size).map(|chunk| Block::new(chunk.to_vec())).collect();
        self.blocks.splice(first_block..last_block, blocks);
    }

    fn position_before(&self, index: usize) -> Position {
        let (block, within, mut position) = self.locate(index);
        for hunk in self.blocks.get(block).into_iter().flat_map(|block| &block.hunks[..within]) {
            position.old += hunk.equal + hunk.old;
            position.new += hunk.equal + hunk.new;
        }
        position
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::compare;
    use proptest::prelude::*;

    fn full(old: &Content, new: &Text) -> Script {
        let new = Content::new(new.to_string().into_bytes()).unwrap();
        compare(old, &new, &Options::default(), &Cancel::new()).unwrap()
    }

    fn live(old: &[u8], new: &str) -> (Live, Text) {
        let (old, new) = (Content::new(old).unwrap(), Text::from(new));
        let script = full(&old, &new);
        (Live::new(old, &new, &script, Whitespace::Exact), new)
    }

    fn edit(live: &mut Live, text: &Text, edits: &[(Range<usize>, &str)]) -> Text {
        let changes = ChangeSet::from_edits(text.len(), edits.iter().cloned());
        let after = changes.apply(text);
        let hunks_before = live.hunk_count();
        let splices = live.edit(&changes, text, &after);
        let grown: i64 = splices.iter().map(|splice| splice.inserted as i64 - splice.removed.len() as i64).sum();
        assert_eq!(hunks_before as i64 + grown, live.hunk_count() as i64, "{splices:?}");
        check(live, &after);
        after
    }

    /// The script must be in order, leave equal lines outside, and give the text.
    fn check(live: &Live, text: &Text) {
        let new = Content::new(text.to_string().into_bytes()).unwrap();
        assert_eq!(live.new_line_count(), new.line_count());
        let script = live.script();
        let (mut old_at, mut new_at) = (0, 0);
        for (at, hunk) in script.hunks.iter().enumerate() {
            assert!(at == 0 || hunk.old.start > old_at, "hunks touch: {script:?}");
            assert_eq!(hunk.old.start - old_at, hunk.new.start - new_at, "{script:?}");
            (old_at, new_at) = (hunk.old.end, hunk.new.end);
        }
        assert_eq!(live.old.line_count() - old_at, new.line_count() - new_at, "{script:?}");
        assert!(script.apply(&live.old, &new) == **new.bytes(), "{script:?} does not give the text");
        assert_eq!(script.counts(), live.counts());
    }

    #[test]
    fn typing_and_taking_it_back_leaves_no_hunk() {
        let text = "fn a() {\n    one\n}\n".repeat(200);
        let (mut live, before) = live(text.as_bytes(), &text);
        let after = edit(&mut live, &before, &[(2_000..2_000, "x")]);
        assert_eq!(live.counts(), (1, 1));
        let again = edit(&mut live, &after, &[(2_000..2_001, "")]);
        assert!(again.to_string() == text);
        assert_eq!(live.hunk_count(), 0);
    }

    #[test]
    fn a_line_like_its_neighbours_comes_and_goes() {
        let text = "a\n".repeat(50) + &"b\n".repeat(50);
        let (mut live, before) = live(text.as_bytes(), &text);
        let after = edit(&mut live, &before, &[(2..2, "a\n")]);
        assert_eq!(live.counts(), (0, 1));
        edit(&mut live, &after, &[(20..22, "")]);
        assert_eq!(live.hunk_count(), 0);
    }

    #[test]
    fn the_end_of_the_text_follows_line_by_line() {
        let (mut live, text) = live(b"a\r\nb\r\n\xff", "a\r\nb\r\n");
        assert_eq!(live.counts(), (1, 0));
        let text = edit(&mut live, &text, &[(6..6, "c")]);
        let text = edit(&mut live, &text, &[(7..7, "\r\n")]);
        assert_eq!(live.counts(), (1, 1));
        let text = edit(&mut live, &text, &[(4..5, "")]);
        let text = edit(&mut live, &text, &[(0..text.len(), "")]);
        assert_eq!(live.counts(), (3, 0));
        edit(&mut live, &text, &[(0..0, "a\r\nb\r\n")]);
        assert_eq!(live.counts(), (1, 0));
    }

    #[test]
    fn a_large_paste_is_coarse_until_compared_as_a_whole() {
        let lines = |range: Range<u32>| range.map(|line| format!("line {line}\n")).collect::<String>();
        let old = lines(0..20_000);
        let (mut live, text) = live(old.as_bytes(), &old);
        let pasted = lines(5..9_000).replace("line 4000", "other");
        let text = edit(&mut live, &text, &[(0..text.len(), &pasted)]);
        assert!(live.needs_full());
        let script = full(live.old(), &text);
        live.replace(&text, &script);
        check(&live, &text);
        assert!(!live.needs_full());
        assert!(live.hunk_count() >= 2);
    }

    #[test]
    fn a_large_insertion_needs_no_second_look() {
        let (mut live, text) = live(b"a\nb\n", "a\nb\n");
        edit(&mut live, &text, &[(2..2, &"x\n".repeat(9_000))]);
        assert!(!live.needs_full());
        assert_eq!(live.counts(), (0, 9_000));
    }

    #[test]
    fn many_cursors_are_many_windows() {
        let text = (0..3_000).map(|line| format!("line {line}\n")).collect::<String>();
        let (mut live, before) = live(text.as_bytes(), &text);
        let starts: Vec<usize> = (0..3_000).step_by(10).map(|line| before.line_start(line)).collect();
        let edits: Vec<_> = starts.iter().map(|&at| (at..at, "new\n")).collect();
        let after = edit(&mut live, &before, &edits);
        assert_eq!((live.hunk_count(), live.counts()), (300, (0, 300)));
        let third = live.hunks_from(2).next().unwrap();
        assert_eq!((third.old, third.new), (20..20, 22..23));
        assert_eq!(live.first_hunk_at(22), 2);
        let starts: Vec<usize> = (0..3_300).step_by(11).map(|line| after.line_start(line)).collect();
        edit(&mut live, &after, &starts.iter().map(|&at| (at..at + 4, "")).collect::<Vec<_>>());
        assert_eq!(live.hunk_count(), 0);
    }

    fn any_edit() -> impl Strategy<Value = Vec<(f64, usize, String)>> {
        proptest::collection::vec((0.0..1.0f64, 0usize..12, "[ab\n]{0,8}"), 1..4)
    }

    proptest! {
        #[test]
        fn any_edits_keep_the_script_valid_and_undoing_them_empties_it(
            lines in proptest::collection::vec("[ab]{0,2}\r?\n", 0..400), edits in proptest::collection::vec(any_edit(), 1..12),
        ) {
            let text = lines.concat();
            let (mut live, mut now) = live(text.as_bytes(), &text);
            let mut undo = Vec::new();
            for edits in edits {
                let mut edits: Vec<_> = edits
                    .into_iter()
                    .map(|(at, len, insert)| ((at * now.len() as f64) as usize, len, insert))
                    .collect();
                edits.sort();
                let mut end = 0;
                let edits = edits.into_iter().map(|(at, len, insert)| {
                    let start = at.max(end);
                    end = (start + len).min(now.len());
                    (start..end, insert)
                });
                let edits: Vec<_> = edits.collect();
                let changes = ChangeSet::from_edits(now.len(), edits);
                let after = changes.apply(&now);
                live.edit(&changes, &now, &after);
                check(&live, &after);
                undo.push((changes.invert(&now), after.clone(), now));
                now = after;
            }
            for (changes, before, after) in undo.into_iter().rev() {
                live.edit(&changes, &before, &after);
                check(&live, &after);
            }
            prop_assert_eq!(live.script().hunks, Vec::new());
        }
    }
}
