//! Dividing a large region at lines that are unique on both sides.
//!
//! Such lines pair up without doubt. The longest chain of pairs that ascend on both sides (a longest increasing
//! subsequence, as in patience sorting) is kept; between its links are small regions of their own. This finds the best
//! order of shuffled blocks and costs next to nothing for edits spread over a large file, both of which Myers and
//! histogram are bad at.

use super::matches::Matches;
use super::work::Work;
use super::{Cancelled, Region, Scratch as AllScratch, Sides, histogram, myers};

/// Regions with more lines on a side than this are divided, and never given to the histogram.
const SMALL: u32 = 10_000;
/// At least one line in so many must be unique on both sides; a few chance pairs would tear a region apart.
const MIN_DENSITY: u32 = 32;
/// How often a region is divided: inside, other lines are unique.
const MAX_DEPTH: u32 = 6;

const NONE: u32 = u32::MAX;

/// Working memory. The tables by token are all zero between uses.
#[derive(Default)]
pub(super) struct Scratch {
    /// By token: its place in the old region plus one, or `NONE` if it has several.
    old_place: Vec<u32>,
    /// By token: likewise in the new region.
    new_place: Vec<u32>,
}

/// A token unique on both sides.
#[derive(Clone, Copy)]
struct Pair {
    old: u32,
    new: u32,
}

/// Reports the matches of `region`.
pub(super) fn diff(
    sides: &Sides<'_>,
    region: Region,
    scratch: &mut AllScratch,
    matches: &mut Matches,
    work: &mut Work<'_>,
) -> Result<(), Cancelled> {
    divide(sides, region, 0, scratch, matches, work)
}

fn divide(
    sides: &Sides<'_>,
    mut region: Region,
    depth: u32,
    scratch: &mut AllScratch,
    matches: &mut Matches,
    work: &mut Work<'_>,
) -> Result<(), Cancelled> {
    let (prefix, suffix) = region.trim(sides);
    work.spend(u64::from(prefix + suffix) / 4 + 1)?;
    matches.push(region.old_from - prefix, region.new_from - prefix, prefix);
    if region.is_empty() {
        // one side was inserted or removed as a whole
    } else if region.old_len().max(region.new_len()) <= SMALL {
        histogram::diff(sides, region, scratch, matches, work)?;
    } else {
        let chain = if depth < MAX_DEPTH { scratch.anchors.chain(sides, region, work)? } else { Vec::new() };
        if chain.is_empty() {
            myers::diff(sides, region, &mut scratch.myers, matches, work)?;
        } else {
            let mut rest = region;
            for pair in chain {
                if pair.old < rest.old_from {
                    continue; // part of the stretch of the link before
                }
                let gap = Region { old_to: pair.old, new_to: pair.new, ..rest };
                divide(sides, gap, depth + 1, scratch, matches, work)?;
                let behind = Region { old_from: pair.old, new_from: pair.new, ..rest };
                let equal = equal_prefix(sides, &behind);
                work.spend(u64::from(equal) / 4)?;
                matches.push(pair.old, pair.new, equal);
                rest = Region { old_from: pair.old + equal, new_from: pair.new + equal, ..rest };
            }
            divide(sides, rest, depth + 1, scratch, matches, work)?;
        }
    }
    matches.push(region.old_to, region.new_to, suffix);
    Ok(())
}

fn equal_prefix(sides: &Sides<'_>, region: &Region) -> u32 {
    region.old(sides).iter().zip(region.new_side(sides)).take_while(|(old, new)| old == new).count() as u32
}

impl Scratch {
    /// The longest ascending chain of unique pairs; none if they are too few.
    fn chain(&mut self, sides: &Sides<'_>, region: Region, work: &mut Work<'_>) -> Result<Vec<Pair>, Cancelled> {
        let limit = sides.limit as usize;
        if self.old_place.len() < limit {
            self.old_place.resize(limit, 0);
            self.new_place.resize(limit, 0);
        }
        let (old, new) = (region.old(sides), region.new_side(sides));
        enter(&mut self.old_place, old, work)?;
        enter(&mut self.new_place, new, work)?;
        let place = |place: u32| (place != 0 && place != NONE).then(|| place - 1);
        let pairs: Vec<Pair> = old
            .iter()
            .filter_map(|&token| {
                let old = place(self.old_place[token as usize])?;
                let new = place(self.new_place[token as usize])?;
                Some(Pair { old: old + region.old_from, new: new + region.new_from })
            })
            .collect();
        for &token in old {
            self.old_place[token as usize] = 0;
        }
        for &token in new {
            self.new_place[token as usize] = 0;
        }
        work.spend((old.len() + new.len()) as u64)?;
        if (pairs.len() as u32) < region.old_len().min(region.new_len()) / MIN_DENSITY + 1 {
            return Ok(Vec::new());
        }
        longest_ascending(&pairs, work)
    }
}

fn enter(places: &mut [u32], tokens: &[u32], work: &mut Work<'_>) -> Result<(), Cancelled> {
    for (at, &token) in tokens.iter().enumerate() {
        let place = &mut places[token as usize];
        *place = if *place == 0 { at as u32 + 1 } else { NONE };
    }
    work.spend(tokens.len() as u64 * 2)
}

/// The longest subsequence of `pairs`, which ascend on the old side, that ascends on the new side, too.
fn longest_ascending(pairs: &[Pair], work: &mut Work<'_>) -> Result<Vec<Pair>, Cancelled> {
    // `ends[n]` is the pair with the least new line that ends a chain of n + 1 pairs.
    let mut ends: Vec<u32> = Vec::new();
    let mut before: Vec<u32> = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let new_of = |&end: &u32| pairs[end as usize].new;
        let rank = match ends.last() {
            Some(last) if new_of(last) < pair.new => ends.len(),
            None => 0,
            Some(_) => ends.partition_point(|end| new_of(end) < pair.new),
        };
        before.push(if rank == 0 { NONE } else { ends[rank - 1] });
        if rank == ends.len() {
            ends.push(at as u32);
        } else {
            ends[rank] = at as u32;
            work.spend(16)?;
        }
    }
    let mut chain = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied().unwrap_or(NONE);
    while at != NONE {
        chain.push(pairs[at as usize]);
        at = before[at as usize];
    }
    chain.reverse();
    work.spend(pairs.len() as u64 * 2)?;
    Ok(chain)
}
