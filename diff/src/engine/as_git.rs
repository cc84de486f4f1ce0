//! Scripts that are those of git to the line, for what has to come out as git has it: merges and combined diffs.
//!
//! Where several scripts are as short as each other, which one is taken shows in a merge: two changes touch, or do not.
//! So this does what git does step by step, with the same limits: *Myers* over whole texts (`git merge-file`), or
//! *histogram* (`git merge`), then *compaction*. That moves *groups*, stretches of changed lines of one side, down as far
//! as they go, or to where they stand beside a group of the other side. For reading, [`Engine::compare`] is the better
//! one: it is bounded, quicker and chooses places that read well.
//!
//! One thing is not git's: its histogram takes time that grows with the square of how many edits there are, minutes for a
//! million lines with 20,000 of them. Here it is given up at a limit, and Myers does the rest.
//!
//! Invariant: as of any script, lines outside hunks are equal. Checked against git's own output in tests.

use std::ops::Range;

use editor::Cancel;

use super::matches::Matches;
use super::slide::best_place;
use super::work::Work;
use super::{Budget, Cancelled, Engine, Hunk, Region, Scratch, Script, Sides, Whitespace, holds, myers};
use crate::lines::Content;

/// Lines that share a bucket of the histogram, at most; with more, and for lines more frequent, Myers takes over.
const MAX_CHAIN: u32 = 64;
/// What the histogram may cost, in steps of a nanosecond or two.
const HISTOGRAM_STEPS: u64 = 300_000_000;
const NONE: u32 = u32::MAX;

/// Which of git's algorithms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// What `git diff` and `git merge-file` use unless told otherwise.
    #[default]
    Myers,
    /// What `git merge` uses.
    Histogram,
}

/// How git compares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AsGit {
    /// Which algorithm.
    pub algorithm: Algorithm,
    /// Whether insertions and removals are placed by how lines are indented; `git diff` does, merging does not.
    pub indent_heuristic: bool,
    /// What white space to overlook.
    pub whitespace: Whitespace,
}

impl Engine {
    /// Compares two texts as git does.
    pub fn compare_as_git(
        &mut self,
        old: &Content,
        new: &Content,
        options: &AsGit,
        cancel: &Cancel,
    ) -> Result<Script, Cancelled> {
        let all = Hunk { old: 0..old.line_count(), new: 0..new.line_count() };
        self.compare_lines_as_git(old, new, &all, options, cancel)
    }

    /// Compares a range of lines of each side as git compares texts of only these lines. The indent heuristic sees what is
    /// around them.
    pub(crate) fn compare_lines_as_git(
        &mut self,
        old: &Content,
        new: &Content,
        range: &Hunk,
        options: &AsGit,
        cancel: &Cancel,
    ) -> Result<Script, Cancelled> {
        let sides = || ((old, range.old.clone()), (new, range.new.clone()));
        self.tokens.intern(sides().0, sides().1, options.whitespace, cancel)?;
        let script = self.numbered_as_git(old, new, range, options, cancel)?;
        if holds(&script, old, new, range, options.whitespace, cancel)? {
            return Ok(script);
        }
        self.tokens.intern_exactly(sides().0, sides().1, options.whitespace, cancel)?;
        self.numbered_as_git(old, new, range, options, cancel)
    }

    fn numbered_as_git(
        &mut self,
        old: &Content,
        new: &Content,
        range: &Hunk,
        options: &AsGit,
        cancel: &Cancel,
    ) -> Result<Script, Cancelled> {
        let mut work = Work::new(Budget { histogram: HISTOGRAM_STEPS, ..Budget::default() }, cancel);
        let tokens = &mut self.tokens;
        let mut matches = Matches::default();
        let all = Region::new(0..tokens.old.len() as u32, 0..tokens.new.len() as u32);
        if options.algorithm == Algorithm::Histogram {
            renumber(&mut tokens.old, &mut tokens.new, tokens.limit);
        }
        let sides = Sides { old: &tokens.old, new: &tokens.new, limit: tokens.limit };
        match options.algorithm {
            Algorithm::Myers => whole_myers(&sides, all, &mut self.scratch, &mut matches, &mut work)?,
            Algorithm::Histogram => histogram(&sides, all, &mut self.scratch, &mut matches, &mut work)?,
        }
        let hunks = matches.finish(all.old_len(), all.new_len());
        let mut old_side = Flags::new(&tokens.old, hunks.iter().map(|hunk| hunk.old.clone()));
        let mut new_side = Flags::new(&tokens.new, hunks.into_iter().map(|hunk| hunk.new));
        let indented = |content, from| options.indent_heuristic.then_some((content, from));
        compact(&mut old_side, &new_side, indented(old, range.old.start), &mut work)?;
        compact(&mut new_side, &old_side, indented(new, range.new.start), &mut work)?;
        let moved = |lines: Range<u32>, by: u32| lines.start + by..lines.end + by;
        let hunks = hunks_between(&old_side, &new_side)
            .into_iter()
            .map(|hunk| Hunk { old: moved(hunk.old, range.old.start), new: moved(hunk.new, range.new.start) });
        Ok(Script { hunks: hunks.collect(), limited: work.is_limited() })
    }
}

/// Numbers tokens in the order in which they first occur, as git does: it decides which bucket a line falls into.
fn renumber(old: &mut [u32], new: &mut [u32], limit: u32) {
    let mut numbers = vec![NONE; limit as usize];
    let mut next = 0;
    for token in old.iter_mut().chain(new) {
        let number = &mut numbers[*token as usize];
        if *number == NONE {
            *number = next;
            next += 1;
        }
        *token = *number;
    }
}

/// Myers over `whole` as if there was nothing else: equal ends are cut off, but count where frequent lines are told.
fn whole_myers(
    sides: &Sides<'_>,
    whole: Region,
    scratch: &mut Scratch,
    matches: &mut Matches,
    work: &mut Work<'_>,
) -> Result<(), Cancelled> {
    let mut region = whole;
    let (prefix, suffix) = region.trim(sides);
    work.spend(u64::from(prefix + suffix) / 4 + 1)?;
    matches.push(whole.old_from, whole.new_from, prefix);
    myers::diff_within(sides, whole, region, &mut scratch.myers, matches, work)?;
    matches.push(region.old_to, region.new_to, suffix);
    Ok(())
}

/// What is left to do of a histogram comparison, the next on top.
enum Step {
    Compare(Region),
    Match { old: u32, new: u32, len: u32 },
}

fn histogram(
    sides: &Sides<'_>,
    all: Region,
    scratch: &mut Scratch,
    matches: &mut Matches,
    work: &mut Work<'_>,
) -> Result<(), Cancelled> {
    let mut occurrences = Occurrences::default();
    let mut steps = vec![Step::Compare(all)];
    while let Some(step) = steps.pop() {
        match step {
            Step::Match { old, new, len } => matches.push(old, new, len),
            Step::Compare(region) if region.is_empty() => {}
            Step::Compare(region) if work.histogram_is_exhausted() => {
                whole_myers(sides, region, scratch, matches, work)?;
            }
            Step::Compare(region) => match occurrences.best(sides, region, work)? {
                Best::Nothing => {}
                Best::TooFrequent => whole_myers(sides, region, scratch, matches, work)?,
                Best::Stretch(Stretch { old, new, len }) => {
                    let before = Region { old_to: old, new_to: new, ..region };
                    let behind = Region { old_from: old + len, new_from: new + len, ..region };
                    steps.extend([Step::Compare(behind), Step::Match { old, new, len }, Step::Compare(before)]);
                }
            },
        }
    }
    Ok(())
}

/// A run of equal tokens.
#[derive(Clone, Copy)]
struct Stretch {
    old: u32,
    new: u32,
    len: u32,
}

enum Best {
    /// No line is in both.
    Nothing,
    /// What is in both is too frequent to go by.
    TooFrequent,
    Stretch(Stretch),
}

/// Where the lines of the old side of a region occur.
#[derive(Default)]
struct Occurrences {
    /// By bucket: its first record.
    buckets: Vec<u32>,
    records: Vec<Record>,
    /// By old line of the region: its record.
    record_of: Vec<u32>,
    /// By old line: the next one that is equal.
    next_equal: Vec<u32>,
}

/// A token of the old side.
struct Record {
    first: u32,
    count: u32,
    next: u32,
}

/// The best stretch so far, and how rare it is.
struct Found {
    stretch: Option<Stretch>,
    rarity: u32,
    any_common: bool,
}

impl Occurrences {
    /// The stretch with the rarest line in it, of equally rare ones the longest; as git looks for it.
    fn best(&mut self, sides: &Sides<'_>, region: Region, work: &mut Work<'_>) -> Result<Best, Cancelled> {
        if !self.enter(sides, region, work)? {
            return Ok(Best::TooFrequent);
        }
        let mut found = Found { stretch: None, rarity: MAX_CHAIN + 1, any_common: false };
        let mut at = region.new_from;
        while at < region.new_to {
            at = self.look_at(sides, region, at, &mut found, work)?;
        }
        Ok(match found.stretch {
            _ if found.any_common && found.rarity > MAX_CHAIN => Best::TooFrequent,
            Some(stretch) => Best::Stretch(stretch),
            None => Best::Nothing,
        })
    }

    fn bucket(&self, token: u32) -> usize {
        let bits = self.buckets.len().trailing_zeros();
        (token as usize + (token as usize >> bits)) & (self.buckets.len() - 1)
    }

    /// Records the old side; whether no bucket is overfull.
    fn enter(&mut self, sides: &Sides<'_>, region: Region, work: &mut Work<'_>) -> Result<bool, Cancelled> {
        let old = region.old(sides);
        self.buckets.clear();
        self.buckets.resize(old.len().next_power_of_two().max(2), NONE);
        self.records.clear();
        self.record_of.clear();
        self.record_of.resize(old.len(), NONE);
        self.next_equal.clear();
        self.next_equal.resize(old.len(), NONE);
        for (at, &token) in old.iter().enumerate().rev() {
            let bucket = self.bucket(token);
            let (mut next, mut chain) = (self.buckets[bucket], 0);
            while next != NONE && old[self.records[next as usize].first as usize] != token {
                next = self.records[next as usize].next;
                chain += 1;
            }
            work.spend_on_histogram(u64::from(chain) + 4)?;
            if next == NONE {
                if chain == MAX_CHAIN {
                    return Ok(false);
                }
                next = self.records.len() as u32;
                self.records.push(Record { first: at as u32, count: 1, next: self.buckets[bucket] });
                self.buckets[bucket] = next;
            } else {
                let record = &mut self.records[next as usize];
                self.next_equal[at] = record.first;
                record.first = at as u32;
                record.count += 1;
            }
            self.record_of[at] = next;
        }
        Ok(true)
    }

    /// Looks at all stretches through the new line `at`; returns the line to go on with.
    fn look_at(
        &self,
        sides: &Sides<'_>,
        region: Region,
        at: u32,
        found: &mut Found,
        work: &mut Work<'_>,
    ) -> Result<u32, Cancelled> {
        let (old, token) = (region.old(sides), sides.new[at as usize]);
        let mut go_on = at + 1;
        let mut next = self.buckets[self.bucket(token)];
        while next != NONE {
            let record = &self.records[next as usize];
            next = record.next;
            work.spend_on_histogram(4)?;
            let equal = old[record.first as usize] == token;
            if record.count > found.rarity {
                found.any_common |= equal;
                continue;
            }
            if !equal {
                continue;
            }
            found.any_common = true;
            let mut place = record.first;
            while place != NONE {
                let (stretch, rarity) = self.widen(sides, region, place, at, record.count);
                work.spend_on_histogram(u64::from(stretch.len) * 2 + 4)?;
                let end = stretch.old - region.old_from + stretch.len;
                go_on = go_on.max(stretch.new + stretch.len);
                // The first one counts as being one line long.
                let longest = found.stretch.map_or(1, |stretch| stretch.len);
                if stretch.len > longest || rarity < found.rarity {
                    found.stretch = Some(stretch);
                    found.rarity = rarity;
                }
                place = self.next_equal[place as usize];
                while place != NONE && place < end {
                    place = self.next_equal[place as usize];
                }
            }
        }
        Ok(go_on)
    }

    /// The stretch of equal lines around an old line, counted in the region, and a new one; and the count of its rarest.
    fn widen(&self, sides: &Sides<'_>, region: Region, place: u32, at: u32, count: u32) -> (Stretch, u32) {
        let equal = |old: u32, new: u32| sides.old[old as usize] == sides.new[new as usize];
        let (mut old, mut new) = (place + region.old_from, at);
        let (mut old_end, mut new_end) = (old + 1, new + 1);
        let mut rarity = count;
        let mut take = |old: u32| {
            if rarity > 1 {
                let record = self.record_of[(old - region.old_from) as usize];
                rarity = rarity.min(self.records[record as usize].count);
            }
        };
        while old > region.old_from && new > region.new_from && equal(old - 1, new - 1) {
            (old, new) = (old - 1, new - 1);
            take(old);
        }
        while old_end < region.old_to && new_end < region.new_to && equal(old_end, new_end) {
            take(old_end);
            (old_end, new_end) = (old_end + 1, new_end + 1);
        }
        (Stretch { old, new, len: old_end - old }, rarity)
    }
}

/// The lines of a side and which of them changed.
struct Flags<'a> {
    tokens: &'a [u32],
    /// One more than there are lines; the last is false.
    changed: Vec<bool>,
}

/// A stretch of changed lines, perhaps an empty one, between two that did not change.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Group {
    start: usize,
    end: usize,
}

impl<'a> Flags<'a> {
    fn new(tokens: &'a [u32], changed: impl Iterator<Item = Range<u32>>) -> Self {
        let mut flags = vec![false; tokens.len() + 1];
        changed.for_each(|lines| flags[lines.start as usize..lines.end as usize].fill(true));
        Self { tokens, changed: flags }
    }

    fn end_from(&self, start: usize) -> usize {
        self.changed[start..].iter().position(|&changed| !changed).map_or(self.tokens.len(), |len| start + len)
    }

    fn start_to(&self, end: usize) -> usize {
        self.changed[..end].iter().rposition(|&changed| !changed).map_or(0, |at| at + 1)
    }

    fn first(&self) -> Group {
        Group { start: 0, end: self.end_from(0) }
    }

    fn next(&self, group: &mut Group) -> bool {
        if group.end >= self.tokens.len() {
            return false;
        }
        *group = Group { start: group.end + 1, end: self.end_from(group.end + 1) };
        true
    }

    fn previous(&self, group: &mut Group) -> bool {
        if group.start == 0 {
            return false;
        }
        *group = Group { start: self.start_to(group.start - 1), end: group.start - 1 };
        true
    }

    /// Moves a group up by a line if what it is about stays the same; it takes in the group it bumps into.
    fn slide_up(&mut self, group: &mut Group) -> bool {
        if group.start == 0 || self.tokens[group.start - 1] != self.tokens[group.end - 1] {
            return false;
        }
        self.changed[group.start - 1] = true;
        self.changed[group.end - 1] = false;
        *group = Group { start: self.start_to(group.start - 1), end: group.end - 1 };
        true
    }

    /// Moves a group down likewise.
    fn slide_down(&mut self, group: &mut Group) -> bool {
        if group.end >= self.tokens.len() || self.tokens[group.start] != self.tokens[group.end] {
            return false;
        }
        self.changed[group.start] = false;
        self.changed[group.end] = true;
        *group = Group { start: group.start + 1, end: self.end_from(group.end + 1) };
        true
    }
}

/// Moves the groups of one side to where git puts them. The other side's group at the same place goes along: between
/// groups, both sides have the same number of lines.
fn compact(
    own: &mut Flags<'_>,
    other: &Flags<'_>,
    indented: Option<(&Content, u32)>,
    work: &mut Work<'_>,
) -> Result<(), Cancelled> {
    let (mut group, mut beside) = (own.first(), other.first());
    loop {
        if group.start < group.end {
            settle(own, other, &mut group, &mut beside, indented, work)?;
        }
        work.spend((group.end - group.start) as u64 + 1)?;
        let goes_on = own.next(&mut group);
        let other_goes_on = other.next(&mut beside);
        debug_assert_eq!(goes_on, other_goes_on, "both sides have as many groups");
        if !goes_on || !other_goes_on {
            return Ok(());
        }
    }
}

fn settle(
    own: &mut Flags<'_>,
    other: &Flags<'_>,
    group: &mut Group,
    beside: &mut Group,
    indented: Option<(&Content, u32)>,
    work: &mut Work<'_>,
) -> Result<(), Cancelled> {
    let mut highest_end;
    // Whether it can stand beside a group of the other side.
    let mut matching;
    loop {
        let len = group.end - group.start;
        while own.slide_up(group) {
            other.previous(beside);
            work.spend(2)?;
        }
        highest_end = group.end;
        matching = beside.start < beside.end;
        while own.slide_down(group) {
            other.next(beside);
            matching |= beside.start < beside.end;
            work.spend(2)?;
        }
        if group.end - group.start == len {
            break;
        }
    }
    if group.end == highest_end {
        return Ok(());
    }
    if matching {
        // The last place beside one; moving back there passes groups of this side no more.
        while beside.start == beside.end && own.slide_up(group) {
            other.previous(beside);
        }
    } else if let Some((content, from)) = indented {
        let lines = |at: usize| at as u32 + from;
        let best = best_place(content, lines(group.start)..lines(group.end), lines(highest_end));
        while lines(group.end) > best.end && own.slide_up(group) {
            other.previous(beside);
        }
    }
    Ok(())
}

fn hunks_between(old: &Flags<'_>, new: &Flags<'_>) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let (mut old_group, mut new_group) = (old.first(), new.first());
    loop {
        if old_group.start < old_group.end || new_group.start < new_group.end {
            hunks.push(Hunk {
                old: old_group.start as u32..old_group.end as u32,
                new: new_group.start as u32..new_group.end as u32,
            });
        }
        if !old.next(&mut old_group) || !new.next(&mut new_group) {
            return hunks;
        }
    }
}
