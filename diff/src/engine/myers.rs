//! Myers' algorithm in linear space, with the shortcuts that GNU diff and git made known.
//!
//! A *box* is compared by searching for the middle of a shortest path through it, from both corners at once; `x` counts
//! old, `y` new tokens, a *diagonal* is `x - y`, and a *snake* is a run of equal tokens along one. Then both halves are
//! boxes of their own.
//!
//! Shortcuts, each of which may lengthen the script but keeps it valid: tokens without a counterpart are left out before
//! the search, and so are very frequent ones among many such; a search that has cost a lot takes a long snake far along
//! as its middle; one that has cost too much takes the farthest point. The result is near-linear on any input.

use super::matches::Matches;
use super::work::Work;
use super::{Cancelled, Region, Sides};

/// A run of equal tokens that is worth steering by.
const SNAKE: i32 = 20;
/// Cost from which on the search looks for a long snake to settle with.
const HEURISTIC_COST: i32 = 256;
/// How far along, in multiples of the cost, such a snake has to be.
const HEURISTIC_GAIN: i32 = 4;
/// Least cost at which the search takes what it has.
const MIN_MAX_COST: i32 = 256;
/// How often a token must occur to be called frequent, at most.
const MAX_FREQUENT: u32 = 1024;
/// How far around a frequent token to look for others that count.
const WINDOW: usize = 100;

/// Working memory. Counts are all zero between uses.
#[derive(Default)]
pub(super) struct Scratch {
    old_count: Vec<u32>,
    new_count: Vec<u32>,
    old: Kept,
    new: Kept,
    forward: Vec<i32>,
    backward: Vec<i32>,
    stack: Vec<Step>,
}

/// Tokens that take part in the search, and where they stand.
#[derive(Default)]
struct Kept {
    tokens: Vec<u32>,
    places: Vec<u32>,
}

#[derive(Clone, Copy)]
enum Step {
    Compare(Box),
    Match { x: i32, y: i32, len: i32 },
}

#[derive(Clone, Copy)]
struct Box {
    x0: i32,
    x1: i32,
    y0: i32,
    y1: i32,
    /// Search on without shortcuts: the split was found exactly on this side, so this half costs no more than that did.
    exact: bool,
}

struct Split {
    x: i32,
    y: i32,
    exact_before: bool,
    exact_behind: bool,
}

/// Reports the matches of `region`, which is trimmed.
pub(super) fn diff(
    sides: &Sides<'_>,
    region: Region,
    scratch: &mut Scratch,
    matches: &mut Matches,
    work: &mut Work<'_>,
) -> Result<(), Cancelled> {
    diff_within(sides, region, region, scratch, matches, work)
}

/// The same, with what counts as lonely and as frequent told by `whole`, which `region` is a part of.
pub(super) fn diff_within(
    sides: &Sides<'_>,
    whole: Region,
    region: Region,
    scratch: &mut Scratch,
    matches: &mut Matches,
    work: &mut Work<'_>,
) -> Result<(), Cancelled> {
    scratch.keep(sides, whole, region, work)?;
    let Scratch { old, new, forward, backward, stack, .. } = scratch;
    let (old_len, new_len) = (old.tokens.len() as i32, new.tokens.len() as i32);
    if old_len == 0 || new_len == 0 {
        return Ok(());
    }
    let diagonals = (old_len + new_len + 3) as usize;
    for furthest in [&mut *forward, &mut *backward] {
        // Never read before it is written; growing is all there is to do.
        if furthest.len() < diagonals + 2 {
            furthest.resize(diagonals + 2, 0);
        }
    }
    let mut search = Search {
        old: &old.tokens,
        new: &new.tokens,
        forward,
        backward,
        origin: new_len + 1,
        max_cost: rough_sqrt(diagonals).max(MIN_MAX_COST),
    };
    stack.clear();
    stack.push(Step::Compare(Box { x0: 0, x1: old_len, y0: 0, y1: new_len, exact: false }));
    while let Some(step) = stack.pop() {
        match step {
            Step::Match { x, y, len } => {
                for at in 0..len {
                    matches.push(old.places[(x + at) as usize], new.places[(y + at) as usize], 1);
                }
            }
            Step::Compare(part) => search.compare(part, stack, old, new, matches, work)?,
        }
    }
    Ok(())
}

impl Scratch {
    /// Chooses the tokens of `region` that take part, counting them in `whole`.
    fn keep(&mut self, sides: &Sides<'_>, whole: Region, region: Region, work: &mut Work<'_>) -> Result<(), Cancelled> {
        let limit = sides.limit as usize;
        if self.old_count.len() < limit {
            self.old_count.resize(limit, 0);
            self.new_count.resize(limit, 0);
        }
        let (old, new) = (whole.old(sides), whole.new_side(sides));
        for &token in old {
            self.old_count[token as usize] += 1;
        }
        for &token in new {
            self.new_count[token as usize] += 1;
        }
        self.old.choose(region.old(sides), region.old_from, frequent_from(old), &self.new_count);
        self.new.choose(region.new_side(sides), region.new_from, frequent_from(new), &self.old_count);
        for &token in old {
            self.old_count[token as usize] = 0;
        }
        for &token in new {
            self.new_count[token as usize] = 0;
        }
        work.spend(4 * (old.len() + new.len()) as u64)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Counterparts {
    None,
    Some,
    Frequent,
}

impl Kept {
    fn choose(&mut self, tokens: &[u32], base: u32, frequent: u32, other_count: &[u32]) {
        self.tokens.clear();
        self.places.clear();
        let counterparts = |token: u32| match other_count[token as usize] {
            0 => Counterparts::None,
            count if count < frequent => Counterparts::Some,
            _ => Counterparts::Frequent,
        };
        // Without lonely tokens there is nothing that frequent ones could be lost among.
        let any_lonely = tokens.iter().any(|&token| other_count[token as usize] == 0);
        for (at, &token) in tokens.iter().enumerate() {
            let keep = match counterparts(token) {
                Counterparts::None => false,
                Counterparts::Some => true,
                Counterparts::Frequent => !any_lonely || !is_lost(tokens, at, counterparts),
            };
            if keep {
                self.tokens.push(token);
                self.places.push(base + at as u32);
            }
        }
    }
}

/// Whether a frequent token stands among so many without counterpart that a match would only be by chance.
fn is_lost(tokens: &[u32], at: usize, counterparts: impl Fn(u32) -> Counterparts) -> bool {
    let around = |tokens: &mut dyn Iterator<Item = &u32>| {
        let (mut lonely, mut frequent) = (0, 1);
        for &token in tokens {
            match counterparts(token) {
                Counterparts::None => lonely += 1,
                Counterparts::Frequent => frequent += 1,
                Counterparts::Some => break,
            }
        }
        (lonely, frequent)
    };
    let before = around(&mut tokens[at.saturating_sub(WINDOW)..at].iter().rev());
    if before.0 == 0 {
        return false;
    }
    let behind = around(&mut tokens[at + 1..tokens.len().min(at + 1 + WINDOW)].iter());
    behind.0 > 0 && before.0 + behind.0 > 3 * (before.1 + behind.1)
}

/// How often a token must occur on the other side to be called frequent on this one.
fn frequent_from(tokens: &[u32]) -> u32 {
    (rough_sqrt(tokens.len()) as u32).min(MAX_FREQUENT)
}

/// A power of two near the square root, from above.
fn rough_sqrt(n: usize) -> i32 {
    let half_bits = (usize::BITS - n.leading_zeros()).div_ceil(2);
    1 << half_bits.min(30)
}

struct Search<'a> {
    old: &'a [u32],
    new: &'a [u32],
    /// By diagonal: the farthest x reached from the upper corner; [`Search::origin`] is the place of diagonal 0.
    forward: &'a mut [i32],
    /// By diagonal: the least x reached from the lower corner.
    backward: &'a mut [i32],
    origin: i32,
    max_cost: i32,
}

/// The diagonals a search has reached.
#[derive(Clone, Copy)]
struct Reach {
    min: i32,
    max: i32,
}

impl Reach {
    fn contains(self, diagonal: i32) -> bool {
        (self.min..=self.max).contains(&diagonal)
    }

    /// Widens by one on both sides, or narrows where the box ends; borders get a value that is never chosen.
    fn step(&mut self, part: &Box, furthest: &mut [i32], origin: i32, border: i32) {
        if self.min > part.x0 - part.y1 {
            self.min -= 1;
            furthest[(self.min - 1 + origin) as usize] = border;
        } else {
            self.min += 1;
        }
        if self.max < part.x1 - part.y0 {
            self.max += 1;
            furthest[(self.max + 1 + origin) as usize] = border;
        } else {
            self.max -= 1;
        }
    }

    fn diagonals(self) -> impl Iterator<Item = i32> {
        (self.min..=self.max).rev().step_by(2)
    }
}

impl Search<'_> {
    fn compare(
        &mut self,
        mut part: Box,
        stack: &mut Vec<Step>,
        old: &Kept,
        new: &Kept,
        matches: &mut Matches,
        work: &mut Work<'_>,
    ) -> Result<(), Cancelled> {
        let first = part.x0;
        while part.x0 < part.x1 && part.y0 < part.y1 && self.equal(part.x0, part.y0) {
            matches.push(old.places[part.x0 as usize], new.places[part.y0 as usize], 1);
            part.x0 += 1;
            part.y0 += 1;
        }
        let last = part.x1;
        while part.x0 < part.x1 && part.y0 < part.y1 && self.equal(part.x1 - 1, part.y1 - 1) {
            part.x1 -= 1;
            part.y1 -= 1;
        }
        work.spend((part.x0 - first + last - part.x1) as u64 + 1)?;
        stack.push(Step::Match { x: part.x1, y: part.y1, len: last - part.x1 });
        if part.x0 == part.x1 || part.y0 == part.y1 || work.is_exhausted() {
            return Ok(());
        }
        let split = self.split(&part, work)?;
        let inside = (part.x0..=part.x1).contains(&split.x) && (part.y0..=part.y1).contains(&split.y);
        let corner = (split.x, split.y) == (part.x0, part.y0) || (split.x, split.y) == (part.x1, part.y1);
        debug_assert!(inside && !corner, "a split divides");
        if inside && !corner {
            let before = Box { x1: split.x, y1: split.y, exact: split.exact_before, ..part };
            let behind = Box { x0: split.x, y0: split.y, exact: split.exact_behind, ..part };
            stack.extend([Step::Compare(behind), Step::Compare(before)]);
        }
        Ok(())
    }

    #[inline]
    fn equal(&self, x: i32, y: i32) -> bool {
        self.old[x as usize] == self.new[y as usize]
    }

    #[inline]
    fn place(&self, diagonal: i32) -> usize {
        (diagonal + self.origin) as usize
    }

    /// Finds a point that a shortest path goes through, or nearly so.
    fn split(&mut self, part: &Box, work: &mut Work<'_>) -> Result<Split, Cancelled> {
        let (upper, lower) = (part.x0 - part.y0, part.x1 - part.y1);
        let odd = (upper - lower) & 1 != 0;
        let mut ahead = Reach { min: upper, max: upper };
        let mut back = Reach { min: lower, max: lower };
        let (upper_place, lower_place) = (self.place(upper), self.place(lower));
        self.forward[upper_place] = part.x0;
        self.backward[lower_place] = part.x1;
        let mut cost = 0;
        loop {
            cost += 1;
            let mut long_snake = false;
            let mut steps = 0;

            ahead.step(part, self.forward, self.origin, -1);
            for diagonal in ahead.diagonals() {
                let (x, run) = self.run_forward(part, diagonal);
                steps += run;
                long_snake |= run > SNAKE;
                if odd && back.contains(diagonal) && self.backward[self.place(diagonal)] <= x {
                    work.spend(steps as u64)?;
                    return Ok(Split { x, y: x - diagonal, exact_before: true, exact_behind: true });
                }
            }
            back.step(part, self.backward, self.origin, i32::MAX);
            for diagonal in back.diagonals() {
                let (x, run) = self.run_backward(part, diagonal);
                steps += run;
                long_snake |= run > SNAKE;
                if !odd && ahead.contains(diagonal) && x <= self.forward[self.place(diagonal)] {
                    work.spend(steps as u64)?;
                    return Ok(Split { x, y: x - diagonal, exact_before: true, exact_behind: true });
                }
            }

            work.spend((steps + (ahead.max - ahead.min) + (back.max - back.min) + 2) as u64)?;
            if part.exact && !work.is_exhausted() {
                continue;
            }
            if long_snake && cost > HEURISTIC_COST {
                if let Some((x, y)) = self.far_snake(part, ahead, cost) {
                    return Ok(Split { x, y, exact_before: true, exact_behind: false });
                }
                if let Some((x, y)) = self.far_snake_back(part, back, cost) {
                    return Ok(Split { x, y, exact_before: false, exact_behind: true });
                }
            }
            if cost >= self.max_cost || work.is_exhausted() {
                return Ok(self.farthest(part, ahead, back));
            }
        }
    }

    /// Takes one more edit on a diagonal and follows equal tokens; returns x and the length of that run.
    #[inline]
    fn run_forward(&mut self, part: &Box, diagonal: i32) -> (i32, i32) {
        let place = self.place(diagonal);
        let (left, right) = (self.forward[place - 1], self.forward[place + 1]);
        let start = if left >= right { left + 1 } else { right };
        let (mut x, mut y) = (start, start - diagonal);
        while x < part.x1 && y < part.y1 && self.equal(x, y) {
            x += 1;
            y += 1;
        }
        self.forward[place] = x;
        (x, x - start)
    }

    #[inline]
    fn run_backward(&mut self, part: &Box, diagonal: i32) -> (i32, i32) {
        let place = self.place(diagonal);
        let (left, right) = (self.backward[place - 1], self.backward[place + 1]);
        let start = if left < right { left } else { right - 1 };
        let (mut x, mut y) = (start, start - diagonal);
        while x > part.x0 && y > part.y0 && self.equal(x - 1, y - 1) {
            x -= 1;
            y -= 1;
        }
        self.backward[place] = x;
        (x, start - x)
    }

    /// The farthest end of a long snake, if it is much farther than its cost.
    fn far_snake(&self, part: &Box, reach: Reach, cost: i32) -> Option<(i32, i32)> {
        let middle = part.x0 - part.y0;
        let candidates = reach.diagonals().filter_map(|diagonal| {
            let x = self.forward[self.place(diagonal)];
            let y = x - diagonal;
            let gain = (x - part.x0) + (y - part.y0) - (diagonal - middle).abs();
            let fits = part.x0 + SNAKE <= x && x < part.x1 && part.y0 + SNAKE <= y && y < part.y1;
            (fits && gain > HEURISTIC_GAIN * cost).then_some((gain, x, y))
        });
        let snake = |&(_, x, y): &(i32, i32, i32)| (1..=SNAKE).all(|at| self.equal(x - at, y - at));
        first_max(candidates.filter(snake), |&(gain, ..)| gain).map(|(_, x, y)| (x, y))
    }

    fn far_snake_back(&self, part: &Box, reach: Reach, cost: i32) -> Option<(i32, i32)> {
        let middle = part.x1 - part.y1;
        let candidates = reach.diagonals().filter_map(|diagonal| {
            let x = self.backward[self.place(diagonal)];
            let y = x - diagonal;
            let gain = (part.x1 - x) + (part.y1 - y) - (diagonal - middle).abs();
            let fits = part.x0 < x && x <= part.x1 - SNAKE && part.y0 < y && y <= part.y1 - SNAKE;
            (fits && gain > HEURISTIC_GAIN * cost).then_some((gain, x, y))
        });
        let snake = |&(_, x, y): &(i32, i32, i32)| (0..SNAKE).all(|at| self.equal(x + at, y + at));
        first_max(candidates.filter(snake), |&(gain, ..)| gain).map(|(_, x, y)| (x, y))
    }

    /// The point farthest from the corner it was reached from.
    fn farthest(&self, part: &Box, ahead: Reach, back: Reach) -> Split {
        let forward = ahead.diagonals().map(|diagonal| {
            let x = self.forward[self.place(diagonal)].min(part.x1);
            let y = x - diagonal;
            if y > part.y1 { (part.y1 + diagonal, part.y1) } else { (x, y) }
        });
        let backward = back.diagonals().map(|diagonal| {
            let x = self.backward[self.place(diagonal)].max(part.x0);
            let y = x - diagonal;
            if y < part.y0 { (part.y0 + diagonal, part.y0) } else { (x, y) }
        });
        let forward = first_max(forward, |(x, y)| x + y).unwrap_or((part.x0, part.y0));
        let backward = backward.min_by_key(|(x, y)| x + y).unwrap_or((part.x1, part.y1));
        let gained = forward.0 + forward.1 - part.x0 - part.y0;
        let gained_back = part.x1 + part.y1 - backward.0 - backward.1;
        if gained > gained_back {
            Split { x: forward.0, y: forward.1, exact_before: true, exact_behind: false }
        } else {
            Split { x: backward.0, y: backward.1, exact_before: false, exact_behind: true }
        }
    }
}

/// The first of those with the largest key; git takes that one, too, where the standard library's maximum is the last.
fn first_max<T>(items: impl Iterator<Item = T>, key: impl Fn(&T) -> i32) -> Option<T> {
    items.reduce(|best, item| if key(&item) > key(&best) { item } else { best })
}
