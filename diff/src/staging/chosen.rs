//! Changed lines that somebody chose: removed ones by their numbers on the old side, added ones by those on the new.
//!
//! Numbers are those of the comparison that was shown, from 0. Lines that are no change may be among the chosen, as a
//! selection with the mouse has them; they mean nothing.

use std::ops::Range;

use crate::engine::Hunk;
use crate::git::Side;

/// A choice of changed lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    old: Ranges,
    new: Ranges,
}

impl Chosen {
    /// These lines of the two sides, in any order.
    pub fn new(old: impl IntoIterator<Item = Range<u32>>, new: impl IntoIterator<Item = Range<u32>>) -> Self {
        Self { old: Ranges::of(old.into_iter().collect()), new: Ranges::of(new.into_iter().collect()) }
    }

    /// All lines of these hunks.
    pub fn hunks(hunks: &[Hunk]) -> Self {
        Self::new(hunks.iter().map(|hunk| hunk.old.clone()), hunks.iter().map(|hunk| hunk.new.clone()))
    }

    /// Whether a line is among them.
    pub fn contains(&self, side: Side, line: u32) -> bool {
        self.side(side).contains(line)
    }

    /// The chosen lines of a side: ascending ranges that do not touch.
    pub fn ranges(&self, side: Side) -> &[Range<u32>] {
        &self.side(side).0
    }

    /// How many of `lines` are chosen.
    pub fn count_in(&self, side: Side, lines: &Range<u32>) -> u32 {
        self.side(side).within(lines).map(|range| range.len() as u32).sum()
    }

    /// The chosen lines that are a change.
    #[must_use]
    pub fn within(&self, hunks: &[Hunk]) -> Self {
        Self::new(
            hunks.iter().flat_map(|hunk| self.old.within(&hunk.old)),
            hunks.iter().flat_map(|hunk| self.new.within(&hunk.new)),
        )
    }

    /// The lines of `hunks` that are not chosen.
    #[must_use]
    pub fn rest(&self, hunks: &[Hunk]) -> Self {
        Self::new(
            hunks.iter().flat_map(|hunk| self.old.without(&hunk.old)),
            hunks.iter().flat_map(|hunk| self.new.without(&hunk.new)),
        )
    }

    /// These and those.
    #[must_use]
    pub fn with(&self, more: &Self) -> Self {
        let both = |side| self.ranges(side).iter().chain(more.ranges(side)).cloned();
        Self::new(both(Side::Old), both(Side::New))
    }

    /// These without those.
    #[must_use]
    pub fn without(&self, less: &Self) -> Self {
        let left = |side| self.ranges(side).iter().flat_map(move |lines| less.side(side).without(lines));
        Self::new(left(Side::Old), left(Side::New))
    }

    /// How much of the change that `hunks` make is chosen.
    pub fn extent(&self, hunks: &[Hunk]) -> Extent {
        let mut extent = None;
        for hunk in hunks {
            let here = self.extent_in(hunk);
            if *extent.get_or_insert(here) != here {
                return Extent::Some;
            }
        }
        extent.unwrap_or(Extent::None)
    }

    /// How much of one hunk is chosen.
    pub fn extent_in(&self, hunk: &Hunk) -> Extent {
        let count = self.count_in(Side::Old, &hunk.old) + self.count_in(Side::New, &hunk.new);
        match count {
            0 => Extent::None,
            all if all as usize == hunk.old.len() + hunk.new.len() => Extent::All,
            _ => Extent::Some,
        }
    }

    fn side(&self, side: Side) -> &Ranges {
        match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        }
    }
}

/// How much of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    None,
    Some,
    All,
}

/// Ascending ranges, none of them empty, none touching the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Ranges(Vec<Range<u32>>);

impl Ranges {
    fn of(mut ranges: Vec<Range<u32>>) -> Self {
        ranges.retain(|range| !range.is_empty());
        ranges.sort_unstable_by_key(|range| range.start);
        ranges.dedup_by(|next, last| {
            let touch = next.start <= last.end;
            if touch {
                last.end = last.end.max(next.end);
            }
            touch
        });
        Self(ranges)
    }

    fn contains(&self, line: u32) -> bool {
        let at = self.0.partition_point(|range| range.end <= line);
        self.0.get(at).is_some_and(|range| range.start <= line)
    }

    /// What of `lines` is in here.
    fn within<'a>(&'a self, lines: &Range<u32>) -> impl Iterator<Item = Range<u32>> + 'a {
        let Range { start, end } = lines.clone();
        let from = self.0.partition_point(|range| range.end <= start);
        let here = self.0[from..].iter().take_while(move |range| range.start < end);
        here.map(move |range| range.start.max(start)..range.end.min(end))
    }

    /// What of `lines` is not in here.
    fn without(&self, lines: &Range<u32>) -> Vec<Range<u32>> {
        let mut left = Vec::new();
        let mut at = lines.start;
        for range in self.within(lines) {
            if at < range.start {
                left.push(at..range.start);
            }
            at = range.end;
        }
        if at < lines.end {
            left.push(at..lines.end);
        }
        left
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::single_range_in_vec_init, reason = "a set of one range is one as well")]

    use super::*;

    #[test]
    fn ranges_in_any_order_are_one_set() {
        let chosen = Chosen::new([7..9, 1..3, 2..4, 5..5], [0..1]);
        assert_eq!(chosen.ranges(Side::Old), [1..4, 7..9]);
        let found: Vec<u32> = (0..10).filter(|&line| chosen.contains(Side::Old, line)).collect();
        assert_eq!(found, [1, 2, 3, 7, 8]);
        assert_eq!(chosen.count_in(Side::Old, &(3..8)), 2);
        let other = Chosen::new([2..3, 8..12], []);
        assert_eq!(chosen.with(&other), Chosen::new([1..4, 7..12], [0..1]));
        assert_eq!(chosen.without(&other), Chosen::new([1..2, 3..4, 7..8], [0..1]));
    }

    #[test]
    fn the_rest_of_a_change_is_what_was_not_chosen_of_it() {
        let hunks = [Hunk { old: 1..5, new: 1..1 }, Hunk { old: 8..9, new: 4..7 }];
        let chosen = Chosen::new([0..2, 3..4], [5..20]);
        assert_eq!(chosen.rest(&hunks), Chosen::new([2..3, 4..5, 8..9], [4..5]));
        assert_eq!(chosen.within(&hunks), Chosen::new([1..2, 3..4], [5..7]));
        assert_eq!(Chosen::hunks(&hunks).rest(&hunks), Chosen::default());
    }

    #[test]
    fn the_extent_says_whether_all_of_it_is_chosen() {
        let hunks = [Hunk { old: 1..5, new: 1..1 }, Hunk { old: 8..9, new: 4..7 }];
        let extent = |chosen: &Chosen| (chosen.extent(&hunks), hunks.each_ref().map(|hunk| chosen.extent_in(hunk)));
        let (none, some, all) = (Extent::None, Extent::Some, Extent::All);
        assert_eq!(extent(&Chosen::new([5..8], [0..4])), (none, [none, none]));
        assert_eq!(extent(&Chosen::hunks(&hunks[..1])), (some, [all, none]));
        assert_eq!(extent(&Chosen::new([0..9], [5..6])), (some, [all, some]));
        assert_eq!(extent(&Chosen::hunks(&hunks)), (all, [all, all]));
    }
}
