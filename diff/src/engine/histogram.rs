//! The histogram algorithm of JGit: match the rarest common stretch first, then what is before and behind it.
//!
//! Its hunks read better than those of Myers, because they hang on rare lines and not on braces. It is quadratic on
//! evenly spread edits, so it only sees small regions and spends from a budget; what it leaves goes to [`myers`].

use super::matches::Matches;
use super::work::Work;
use super::{Cancelled, Region, Scratch as AllScratch, Sides, myers};

/// Tokens that occur more often in the old region are no candidates.
const MAX_OCCURRENCES: u32 = 63;

/// Where tokens occur in the old region. All zero between uses.
#[derive(Default)]
pub(super) struct Scratch {
    /// By token: how often.
    count: Vec<u32>,
    /// By token: first place, plus one.
    first: Vec<u32>,
    /// By place in the region: next place of the same token, plus one.
    next: Vec<u32>,
    stack: Vec<Step>,
}

enum Step {
    Compare(Region),
    Match(Stretch),
}

#[derive(Clone, Copy, Default)]
struct Stretch {
    old: u32,
    new: u32,
    len: u32,
}

enum Found {
    /// A stretch to divide at.
    Stretch(Stretch),
    /// The sides have no token in common.
    Nothing,
    /// Common tokens are all too frequent, or the budget is spent.
    Undecided,
}

/// Reports the matches of `region`, which is trimmed.
pub(super) fn diff(
    sides: &Sides<'_>,
    region: Region,
    scratch: &mut AllScratch,
    matches: &mut Matches,
    work: &mut Work<'_>,
) -> Result<(), Cancelled> {
    let base = scratch.histogram.stack.len();
    scratch.histogram.stack.push(Step::Compare(region));
    while scratch.histogram.stack.len() > base {
        let mut region = match scratch.histogram.stack.pop() {
            Some(Step::Compare(region)) => region,
            Some(Step::Match(stretch)) => {
                matches.push(stretch.old, stretch.new, stretch.len);
                continue;
            }
            None => break,
        };
        let (prefix, suffix) = region.trim(sides);
        matches.push(region.old_from - prefix, region.new_from - prefix, prefix);
        let stack = &mut scratch.histogram.stack;
        stack.push(Step::Match(Stretch { old: region.old_to, new: region.new_to, len: suffix }));
        if region.is_empty() || region.old_len() == 1 && region.new_len() == 1 {
            continue;
        }
        match scratch.histogram.rarest(sides, region, work)? {
            Found::Nothing => {}
            Found::Undecided => myers::diff(sides, region, &mut scratch.myers, matches, work)?,
            Found::Stretch(stretch) => {
                let Stretch { old, new, len } = stretch;
                let before = Region { old_to: old, new_to: new, ..region };
                let behind = Region { old_from: old + len, new_from: new + len, ..region };
                let stack = &mut scratch.histogram.stack;
                stack.extend([Step::Compare(behind), Step::Match(stretch), Step::Compare(before)]);
            }
        }
    }
    Ok(())
}

impl Scratch {
    fn rarest(&mut self, sides: &Sides<'_>, region: Region, work: &mut Work<'_>) -> Result<Found, Cancelled> {
        if work.histogram_is_exhausted() {
            return Ok(Found::Undecided);
        }
        self.enter(sides, region);
        let found = self.search(sides, region, work);
        for &token in region.old(sides) {
            self.count[token as usize] = 0;
            self.first[token as usize] = 0;
        }
        found
    }

    fn enter(&mut self, sides: &Sides<'_>, region: Region) {
        let limit = sides.limit as usize;
        if self.count.len() < limit {
            self.count.resize(limit, 0);
            self.first.resize(limit, 0);
        }
        let old = region.old(sides);
        self.next.clear();
        self.next.resize(old.len(), 0);
        for (at, &token) in old.iter().enumerate().rev() {
            self.next[at] = self.first[token as usize];
            self.first[token as usize] = at as u32 + 1;
            self.count[token as usize] += 1;
        }
    }

    fn search(&self, sides: &Sides<'_>, region: Region, work: &mut Work<'_>) -> Result<Found, Cancelled> {
        let (old, new) = (region.old(sides), region.new_side(sides));
        let mut best = Stretch::default();
        let mut rarity = MAX_OCCURRENCES + 1;
        let mut any_common = false;
        let mut steps = (old.len() + new.len()) as u64;
        let mut new_at = 0;
        while let Some(&token) = new.get(new_at) {
            let count = self.count[token as usize];
            any_common |= count > 0;
            if count == 0 || count > rarity {
                new_at += 1;
                continue;
            }
            let mut resume = new_at + 1;
            let mut next = self.first[token as usize];
            let mut covered = 0; // old places before this are part of a stretch already looked at
            while next > 0 {
                let old_at = next as usize - 1;
                next = self.next[old_at];
                if old_at < covered {
                    continue;
                }
                let (stretch, rarest) = self.extend(old, new, old_at, new_at);
                steps += u64::from(stretch.len);
                covered = (stretch.old + stretch.len) as usize;
                resume = resume.max((stretch.new + stretch.len) as usize);
                if stretch.len > best.len || rarest < rarity {
                    best = stretch;
                    rarity = rarest;
                }
            }
            new_at = resume;
            work.spend_on_histogram(steps)?;
            steps = 1;
            if work.histogram_is_exhausted() {
                return Ok(Found::Undecided);
            }
        }
        work.spend_on_histogram(steps)?;
        Ok(match (best.len, any_common) {
            (0, false) => Found::Nothing,
            (0, true) => Found::Undecided,
            _ => Found::Stretch(Stretch { old: best.old + region.old_from, new: best.new + region.new_from, ..best }),
        })
    }

    /// The equal stretch around a pair of equal tokens, and how often its rarest token occurs.
    fn extend(&self, old: &[u32], new: &[u32], old_at: usize, new_at: usize) -> (Stretch, u32) {
        let count = |token: u32| self.count[token as usize];
        let mut rarest = count(old[old_at]);
        let backwards = old[..old_at].iter().rev().zip(new[..new_at].iter().rev());
        let before =
            backwards.take_while(|(old, new)| old == new).inspect(|(old, _)| rarest = rarest.min(count(**old))).count();
        let forwards = old[old_at + 1..].iter().zip(&new[new_at + 1..]);
        let mut behind = 0;
        for (old, _) in forwards.take_while(|(old, new)| old == new) {
            rarest = rarest.min(count(*old));
            behind += 1;
        }
        let len = (before + 1 + behind) as u32;
        (Stretch { old: (old_at - before) as u32, new: (new_at - before) as u32, len }, rarest)
    }
}
