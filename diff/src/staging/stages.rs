//! What of a change is staged, line by line, while the old side is compared with the working tree.
//!
//! Three texts are involved: the *old* side that is shown, the *index* that is not, and the *new* side on disk. Two
//! scripts join them: what is *staged* leads from old to index, what is *unstaged* from index to new. A removed line is
//! staged when it left the index; an added line when it entered it.
//!
//! A line of the index that is on neither side (it was staged and then changed again) is *between*: it cannot be seen.
//! Once any line of the change it belongs to is staged or unstaged, it goes: the index then says what is seen.

use std::ops::Range;

use editor::{Cancel, Cancelled};

use super::{Chosen, Extent};
use crate::engine::{Engine, Hunk, Options};
use crate::git::Side;
use crate::lines::Content;

/// Where a changed line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineStage {
    /// It would be committed.
    Staged,
    /// It would not.
    Unstaged,
    /// The index pairs up its lines otherwise than what is shown, as among equal lines it may: there is nothing to do for
    /// this line alone.
    Unclear,
}

/// Where a hunk stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HunkStage {
    Staged,
    Unstaged,
    Partly,
}

/// How the index stands between the two sides of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    /// From the old side to the index.
    staged: Vec<Hunk>,
    /// From the index to the new side.
    unstaged: Vec<Hunk>,
}

impl Stages {
    /// Compares three texts: two comparisons, unless the index is equal to a side.
    pub fn compare(old: &Content, index: &Content, new: &Content, cancel: &Cancel) -> Result<Self, Cancelled> {
        let mut engine = Engine::new();
        let mut script = |old, new| Ok(engine.compare(old, new, &Options::default(), cancel)?.hunks);
        Ok(Self { staged: script(old, index)?, unstaged: script(index, new)? })
    }

    /// Whether nothing is staged.
    pub fn none_staged(&self) -> bool {
        self.staged.is_empty()
    }

    /// Whether all is staged.
    pub fn all_staged(&self) -> bool {
        self.unstaged.is_empty()
    }

    /// Where a changed line stands.
    pub fn of_line(&self, side: Side, line: u32) -> LineStage {
        let (first, then, changed, clear) = match side {
            Side::Old => (&self.staged, &self.unstaged, LineStage::Staged, LineStage::Unstaged),
            Side::New => (&self.unstaged, &self.staged, LineStage::Unstaged, LineStage::Staged),
        };
        match counterpart(first, side, line).map(|line| counterpart(then, side, line)) {
            None => changed,
            Some(None) => clear,
            Some(Some(_)) => LineStage::Unclear,
        }
    }

    /// Where a hunk of what is shown stands.
    pub fn of_hunk(&self, hunk: &Hunk) -> HunkStage {
        let olds = hunk.old.clone().map(|line| self.of_line(Side::Old, line));
        let mut lines = olds.chain(hunk.new.clone().map(|line| self.of_line(Side::New, line)));
        let Some(first) = lines.next() else { return HunkStage::Staged };
        match first {
            _ if lines.any(|line| line != first) => HunkStage::Partly,
            LineStage::Staged => HunkStage::Staged,
            LineStage::Unstaged => HunkStage::Unstaged,
            LineStage::Unclear => HunkStage::Partly,
        }
    }

    /// The lines of the `shown` hunks that are staged.
    pub(super) fn staged_lines(&self, shown: &[Hunk]) -> Chosen {
        let staged = |side: Side| {
            let lines = shown.iter().flat_map(move |hunk| range(hunk, side).clone());
            lines.filter(move |&line| self.of_line(side, line) == LineStage::Staged).map(|line| line..line + 1)
        };
        Chosen::new(staged(Side::Old), staged(Side::New))
    }

    /// What staging chosen lines, all of them changed, means between index and new side: the hunks there, and the lines of
    /// them.
    pub(super) fn to_stage(&self, chosen: &Chosen) -> (&[Hunk], Chosen) {
        let olds = chosen.ranges(Side::Old).iter();
        let olds: Vec<_> = olds.flat_map(|lines| counterparts(&self.staged, Side::Old, lines)).collect();
        let direct = Chosen::new(olds, chosen.ranges(Side::New).iter().cloned());
        (&self.unstaged, self.with_between(&self.unstaged, Side::Old, &direct))
    }

    /// What unstaging chosen lines, all of them changed, means between old side and index.
    pub(super) fn to_unstage(&self, chosen: &Chosen) -> (&[Hunk], Chosen) {
        let news = chosen.ranges(Side::New).iter();
        let news: Vec<_> = news.flat_map(|lines| counterparts(&self.unstaged, Side::New, lines)).collect();
        let direct = Chosen::new(chosen.ranges(Side::Old).iter().cloned(), news);
        (&self.staged, self.with_between(&self.staged, Side::New, &direct))
    }

    /// `direct`, a choice among `hunks` of which `index` is the index's side, with the lines between that go with it.
    fn with_between(&self, hunks: &[Hunk], index: Side, direct: &Chosen) -> Chosen {
        let (mut olds, mut news) = (direct.ranges(Side::Old).to_vec(), direct.ranges(Side::New).to_vec());
        // Lines of the index are between where both scripts change them.
        let (others, between) = match index {
            Side::Old => (&self.staged, &mut olds),
            Side::New => (&self.unstaged, &mut news),
        };
        for hunk in hunks.iter().filter(|hunk| direct.extent_in(hunk) != Extent::None) {
            let lines = range(hunk, index);
            let from = others.partition_point(|before| range(before, other(index)).end <= lines.start);
            let touching = others[from..].iter().map(|it| range(it, other(index)));
            let touching = touching.take_while(|it| it.start < lines.end);
            between.extend(touching.map(|it| it.start.max(lines.start)..it.end.min(lines.end)));
        }
        Chosen::new(olds, news)
    }
}

fn range(hunk: &Hunk, side: Side) -> &Range<u32> {
    match side {
        Side::Old => &hunk.old,
        Side::New => &hunk.new,
    }
}

fn other(side: Side) -> Side {
    match side {
        Side::Old => Side::New,
        Side::New => Side::Old,
    }
}

/// The line that an unchanged line of a side is on the other one; none for a changed one.
fn counterpart(hunks: &[Hunk], side: Side, line: u32) -> Option<u32> {
    let n = hunks.partition_point(|hunk| range(hunk, side).end <= line);
    if hunks.get(n).is_some_and(|hunk| range(hunk, side).start <= line) {
        return None;
    }
    let before = n.checked_sub(1).map(|before| &hunks[before]);
    Some(before.map_or(line, |before| line - range(before, side).end + range(before, other(side)).end))
}

/// The lines that the unchanged ones among `lines` of a side are on the other one.
fn counterparts(hunks: &[Hunk], side: Side, lines: &Range<u32>) -> Vec<Range<u32>> {
    let mut found = Vec::new();
    let mut at = lines.start;
    let from = hunks.partition_point(|hunk| range(hunk, side).end <= at);
    for hunk in hunks[from..].iter().take_while(|hunk| range(hunk, side).start < lines.end) {
        let changed = range(hunk, side);
        if at < changed.start {
            let end = range(hunk, other(side)).start;
            found.push(end - (changed.start - at)..end);
        }
        at = at.max(changed.end);
    }
    if at < lines.end {
        let start = counterpart(hunks, side, at).unwrap_or(at);
        found.push(start..start + (lines.end - at));
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::single_range_in_vec_init, reason = "a set of one range is one as well")]

    use super::*;
    use crate::engine::compare;
    use crate::staging::Shown;

    fn content(text: &str) -> Content {
        Content::new(text.as_bytes()).unwrap()
    }

    fn hunks(old: &Content, new: &Content) -> Vec<Hunk> {
        compare(old, new, &Options::default(), &Cancel::new()).unwrap().hunks
    }

    fn stages(old: &str, index: &str, new: &str) -> Stages {
        Stages::compare(&content(old), &content(index), &content(new), &Cancel::new()).unwrap()
    }

    /// Each changed line of old and new with what it is: `s`taged, `u`nstaged, `?`.
    #[track_caller]
    fn check_lines(old: &str, index: &str, new: &str, expected: &str) {
        let stages = stages(old, index, new);
        let (old, new) = (content(old), content(new));
        let mut found = String::new();
        let mut say = |sign: char, side: &Content, of: Side, line: u32| {
            let stage = match stages.of_line(of, line) {
                LineStage::Staged => 's',
                LineStage::Unstaged => 'u',
                LineStage::Unclear => '?',
            };
            found.push_str(&format!("{stage}{sign}{} ", String::from_utf8_lossy(side.line_text(line))));
        };
        for hunk in hunks(&old, &new) {
            hunk.old.for_each(|line| say('-', &old, Side::Old, line));
            hunk.new.for_each(|line| say('+', &new, Side::New, line));
        }
        assert_eq!(found.trim_end(), expected);
    }

    /// What the index is after lines, named by their text, are staged or unstaged.
    #[track_caller]
    fn check_acting(old: &str, index: &str, new: &str, removed: &str, added: &str, staged: &str, unstaged: &str) {
        let stages = stages(old, index, new);
        let (old, index, new) = (content(old), content(index), content(new));
        let of = |side: &Content, names: &str| {
            let is = |&line: &u32| names.split(' ').any(|name| name.as_bytes() == side.line_text(line));
            (0..side.line_count()).filter(is).map(|line| line..line + 1).collect::<Vec<_>>()
        };
        let chosen = Chosen::new(of(&old, removed), of(&new, added)).within(&hunks(&old, &new));
        let (hunks, taken) = stages.to_stage(&chosen);
        let text = Shown { old: &index, new: &new, hunks }.compose(&taken, Side::Old);
        assert_eq!(String::from_utf8(text).unwrap().replace('\n', " ").trim_end(), staged, "staged");
        let (hunks, undone) = stages.to_unstage(&chosen);
        let text = Shown { old: &old, new: &index, hunks }.compose(&undone.rest(hunks), Side::New);
        assert_eq!(String::from_utf8(text).unwrap().replace('\n', " ").trim_end(), unstaged, "unstaged");
    }

    #[test]
    fn lines_are_staged_where_the_index_has_them() {
        let (old, new) = ("a\nb\nc\nd\ne\n", "A\nb\nC\nd\nE\n");
        check_lines(old, old, new, "u-a u+A u-c u+C u-e u+E");
        check_lines(old, new, new, "s-a s+A s-c s+C s-e s+E");
        check_lines(old, "A\nb\nc\nd\nE\n", new, "s-a s+A u-c u+C s-e s+E");
        check_lines(old, "b\nc\nC\nd\ne\n", new, "s-a u+A u-c s+C u-e u+E");
    }

    #[test]
    fn hunks_are_staged_in_whole_or_in_part() {
        let of = |index: &str| {
            let (old, new) = ("a\nb\nc\n", "A\nB\nc\nD\n");
            let stages = stages(old, index, new);
            let shown = hunks(&content(old), &content(new));
            shown.iter().map(|hunk| stages.of_hunk(hunk)).collect::<Vec<_>>()
        };
        let (partly, staged, unstaged) = (HunkStage::Partly, HunkStage::Staged, HunkStage::Unstaged);
        assert_eq!(of("a\nb\nc\n"), [unstaged, unstaged]);
        assert_eq!(of("A\nb\nc\n"), [partly, unstaged]);
        assert_eq!(of("A\nB\nc\n"), [staged, unstaged]);
        assert_eq!(of("a\nb\nc\nD\n"), [unstaged, staged]);
    }

    #[test]
    fn what_is_chosen_is_staged_and_unstaged_through_the_index() {
        let (old, new) = ("a\nb\nc\nd\ne\n", "A\nb\nC\nd\nE\n");
        check_acting(old, old, new, "a", "A", "A b c d e", "a b c d e");
        check_acting(old, new, new, "c", "C", "A b C d E", "A b c d E");
        check_acting(old, "A\nb\nc\nd\ne\n", new, "a e", "A E", "A b c d E", "a b c d e");
        check_acting(old, "A\nb\nc\nd\ne\n", new, "a", "E", "A b c d e E", "a A b c d e");
    }

    #[test]
    fn a_version_between_goes_when_its_lines_are_staged_or_unstaged() {
        let (old, index, new) = ("a\nx\nb\n", "a1\nx\nb1\n", "a2\nx\nb2\n");
        check_lines(old, index, new, "s-a u+a2 s-b u+b2");
        check_acting(old, index, new, "a", "a2", "a2 x b1", "a x b1");
        check_acting(old, index, new, "", "b2", "a1 x b2", "a1 x b1");
        check_acting(old, index, new, "", "", "a1 x b1", "a1 x b1");
    }

    #[test]
    fn context_among_the_chosen_means_nothing() {
        // Staged and then undone on disk: not to be seen, and not touched by what is chosen around it.
        let (old, index, new) = ("a\nb\nc\n", "a\nc\n", "A\nb\nc\n");
        check_lines(old, index, new, "u-a u+A");
        check_acting(old, index, new, "a b c", "A b c", "A c", "a c");
    }

    #[test]
    fn files_that_are_new_or_gone_have_stages_as_well() {
        check_lines("", "a\n", "a\nb\n", "s+a u+b");
        check_lines("a\nb\n", "b\n", "", "s-a u-b");
        check_acting("", "", "a\nb\nc\n", "", "a c", "a c", "");
        check_acting("a\nb\n", "", "", "b", "", "", "b");
    }

    #[test]
    fn ranges_are_followed_across_hunks() {
        let hunks = [Hunk { old: 2..4, new: 2..2 }, Hunk { old: 6..6, new: 4..9 }];
        assert_eq!(counterparts(&hunks, Side::Old, &(0..8)), [0..2, 2..4, 9..11]);
        assert_eq!(counterparts(&hunks, Side::Old, &(3..5)), [2..3]);
        assert_eq!(counterparts(&hunks, Side::New, &(1..10)), [1..2, 4..6, 6..7]);
        assert_eq!(counterpart(&hunks, Side::Old, 3), None);
        assert_eq!(counterpart(&hunks, Side::Old, 6), Some(9));
    }
}
