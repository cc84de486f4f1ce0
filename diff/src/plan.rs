//! Rows of one file: which line of which side is at a row, and back.
//!
//! A *run* is a stretch of rows of one kind. Side by side, a *changed* run has a line on both sides, a *removed* or
//! *added* run only on one; unified, a hunk is its removed lines and then its added ones. A *gap* is one row that
//! stands for context that is not shown. Runs lie end to end on both sides, so a plan covers both texts completely.
//!
//! Invariant: a hunk takes `max(old, new)` rows side by side and `old + new` unified, whatever its alignment; so rows
//! are known from the script alone, and a later alignment moves nothing. Nothing here reads text.

use std::ops::Range;

use crate::align::Alignment;
use crate::engine::Hunk;
use crate::git::Side;

/// Two columns or one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Layout {
    #[default]
    Split,
    Unified,
}

/// What the rows of a run are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunKind {
    /// Equal lines, on both sides.
    Context,
    /// Side by side only: an old line beside the new one that took its place.
    Changed,
    Removed,
    Added,
    /// Context that is not shown; one row, whatever its length.
    Gap,
}

impl RunKind {
    /// Whether its rows belong to a hunk.
    pub fn is_change(self) -> bool {
        matches!(self, Self::Changed | Self::Removed | Self::Added)
    }

    fn advances(self) -> (bool, bool) {
        match self {
            Self::Context | Self::Changed | Self::Gap => (true, true),
            Self::Removed => (true, false),
            Self::Added => (false, true),
        }
    }
}

/// Where a run stands in the two texts. Line numbers count from 0; on a side that has no line here, the number is
/// that of the line which would come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub kind: RunKind,
    pub old: u32,
    pub new: u32,
    /// Lines, of the sides that have them.
    pub len: u32,
}

impl Run {
    /// Rows that it takes.
    pub fn rows(&self) -> u32 {
        if self.kind == RunKind::Gap { u32::from(self.len > 0) } else { self.len }
    }

    /// The lines of a side that the run covers; none on a side it does not touch.
    pub fn lines(&self, side: Side) -> Range<u32> {
        let (start, has) = match side {
            Side::Old => (self.old, self.kind.advances().0),
            Side::New => (self.new, self.kind.advances().1),
        };
        start..start + if has { self.len } else { 0 }
    }
}

/// What one row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub kind: RunKind,
    pub old: Option<u32>,
    pub new: Option<u32>,
    /// Lines that a gap hides; 0 for other rows.
    pub hidden: u32,
}

/// Which context is shown around hunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// Lines before and after each hunk.
    pub lines: u32,
    /// All of it.
    pub whole: bool,
    /// What was expanded by hand or pinned, as lines of the new side; sorted and apart.
    shown: Vec<Range<u32>>,
    pinned: bool,
    /// Nothing else is known: a hidden line is never shown, not even one alone.
    only: bool,
}

impl Default for Context {
    fn default() -> Self {
        Self { lines: 3, whole: false, shown: Vec::new(), pinned: false, only: false }
    }
}

impl Context {
    /// That many lines around hunks, nothing expanded.
    pub fn around(lines: u32) -> Self {
        Self { lines, ..Self::default() }
    }

    /// These lines of the new side, and nothing else whatever is asked for: no other is known.
    pub fn only(told: &[Range<u32>]) -> Self {
        Self { lines: 0, shown: told.to_vec(), only: true, ..Self::default() }
    }

    /// Whether more can be shown than is.
    pub fn can_expand(&self) -> bool {
        !self.only
    }

    /// Shows these lines of the new side, too. O(what is shown).
    pub fn show(&mut self, lines: Range<u32>) {
        if lines.is_empty() || self.only {
            return;
        }
        let at = self.shown.partition_point(|range| range.start < lines.start);
        self.shown.insert(at, lines);
        self.merge();
    }

    /// Joins ranges that touch; they are in order.
    fn merge(&mut self) {
        self.shown.dedup_by(|next, last| {
            let touch = next.start <= last.end;
            if touch {
                last.end = last.end.max(next.end);
            }
            touch
        });
    }

    /// Whether something was expanded by hand.
    pub fn is_expanded(&self) -> bool {
        self.whole || !self.shown.is_empty()
    }

    /// Follows an edit that replaced lines `at` of the new side by `len` lines.
    pub fn edited(&mut self, at: Range<u32>, len: u32) {
        let shift = |line: u32| -> u32 {
            if line <= at.start {
                line
            } else if line >= at.end {
                line - at.end + at.start + len
            } else {
                at.start + len
            }
        };
        for range in &mut self.shown {
            // A range that touches the edit grows with it, so that what is being typed stays in view.
            let end = if range.end >= at.start && range.end <= at.end { at.start + len } else { shift(range.end) };
            let start = shift(range.start);
            *range = start..end.max(start);
        }
        self.shown.retain(|range| !range.is_empty());
        self.merge();
    }

    /// Keeps everything in view that `plan` shows now, so that edits in it hide nothing. Once is enough: what is shown
    /// follows edits.
    pub fn pin(&mut self, plan: &Plan) {
        if self.pinned {
            return;
        }
        self.pinned = true;
        let shown = plan.runs.iter().filter(|run| run.kind != RunKind::Gap).map(|run| run.lines(Side::New));
        self.shown = shown.filter(|lines| !lines.is_empty()).collect();
        self.merge();
    }
}

/// What a plan is made of: a script, the lines of both texts, and how it is to be shown.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    pub hunks: &'a [Hunk],
    pub old_lines: u32,
    pub new_lines: u32,
    pub layout: Layout,
    pub context: &'a Context,
}

/// Runs between two remembered row numbers.
const BLOCK: usize = 64;

/// What comes before a run, or in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    rows: u32,
    gaps: u32,
}

/// The rows of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    runs: Vec<Run>,
    /// What comes before every `BLOCK`th run.
    starts: Vec<Sums>,
    all: Sums,
}

/// Scripts of fewer hunks need no room made for their rows.
const MANY: usize = 10_000;

impl Plan {
    /// No rows yet, but memory for those of so many hunks, in either layout, that was touched already: for the thread that
    /// compares, as a system takes longer to hand out memory than filling it takes.
    pub fn with_room(hunks: usize) -> Self {
        if hunks < MANY {
            return Self::default();
        }
        let mut runs = vec![Run { kind: RunKind::Gap, old: 0, new: 0, len: 0 }; hunks * 3 + 1];
        runs.clear();
        Self { runs, ..Self::default() }
    }

    /// Lays out what is given. `alignment` gives, for hunks that have one, how the shorter side lies on the longer; others
    /// go by index. O(hunks).
    pub fn build(given: Given<'_>, alignment: impl Fn(&Hunk) -> Option<Alignment>) -> Self {
        Self::default().rebuild(given, alignment)
    }

    /// The same, in the memory of this one: for a script of a million hunks, getting it anew takes longer than the rest.
    pub fn rebuild(self, given: Given<'_>, alignment: impl Fn(&Hunk) -> Option<Alignment>) -> Self {
        let mut runs = self.runs;
        runs.clear();
        runs.reserve(given.hunks.len() * 2 + 1);
        let mut built = Builder { runs, context: given.context, shown: 0 };
        let (mut old, mut new) = (0, 0);
        for (n, hunk) in given.hunks.iter().enumerate() {
            built.context_between(old, new, hunk.new.start - new, n > 0, true);
            built.hunk(hunk, given.layout, &alignment);
            (old, new) = (hunk.old.end, hunk.new.end);
        }
        debug_assert_eq!(given.old_lines - old, given.new_lines - new, "what follows the last hunk is equal");
        if !given.hunks.is_empty() {
            built.context_between(old, new, given.new_lines - new, true, false);
        } else if given.context.whole {
            built.push(RunKind::Context, 0, 0, given.new_lines);
        }
        let mut plan = Self { runs: built.runs, starts: self.starts, all: Sums::default() };
        plan.sum_from(0);
        plan
    }

    /// Lays out anew what an edit of the new side changed, with the context around it: of the hunks given, those of
    /// `edited` took the place of others, all before them stayed, and all behind them moved by `grown` lines. The plan is
    /// then what [`Plan::build`] makes of them. Returns the rows that are gone and how many stand in their place; none, and
    /// nothing is done, where a plan is to be built from scratch.
    pub fn relay(
        &mut self,
        given: Given<'_>,
        edited: Range<usize>,
        grown: i64,
        alignment: impl Fn(&Hunk) -> Option<Alignment>,
    ) -> Option<(Range<u32>, u32)> {
        let Given { hunks, context, .. } = given;
        if hunks.is_empty() || self.runs.is_empty() {
            return None; // a file without hunks has rows only if all of it is shown
        }
        let before = edited.start.checked_sub(1).map(|n| &hunks[n]);
        let (mut old, mut new) = before.map_or((0, 0), |hunk| (hunk.old.end, hunk.new.end));
        let behind = hunks.get(edited.end);
        let end = (given.old_lines, given.new_lines);
        let (old_end, new_end) = behind.map_or(end, |hunk| (hunk.old.start, hunk.new.start));
        let runs = self.run_from(old, new)..self.run_from(old_end, (i64::from(new_end) - grown) as u32);

        let shown = context.shown.partition_point(|range| range.end <= new);
        let mut built = Builder { runs: Vec::new(), context, shown };
        for (n, hunk) in edited.clone().zip(&hunks[edited.clone()]) {
            built.context_between(old, new, hunk.new.start - new, n > 0, true);
            built.hunk(hunk, given.layout, &alignment);
            (old, new) = (hunk.old.end, hunk.new.end);
        }
        built.context_between(old, new, new_end - new, edited.end > 0, behind.is_some());

        let rows = self.row_of_run(runs.start)..self.row_of_run(runs.end);
        let rows_now: u32 = built.runs.iter().map(Run::rows).sum();
        let first = runs.start;
        let tail = first + built.runs.len();
        if built.runs.len() == runs.len() {
            self.runs[runs].copy_from_slice(&built.runs);
        } else {
            self.runs.splice(runs, built.runs);
        }
        if grown != 0 {
            for run in &mut self.runs[tail..] {
                run.new = (i64::from(run.new) + grown) as u32;
            }
        }
        self.sum_from(first);
        Some((rows, rows_now))
    }

    /// The first run that starts at or behind these lines, at which both sides stand together.
    fn run_from(&self, old: u32, new: u32) -> usize {
        let sum = |old: u32, new: u32| u64::from(old) + u64::from(new);
        self.runs.partition_point(|run| sum(run.old, run.new) < sum(old, new))
    }

    /// How many rows `hunks` take with `lines` of context and nothing expanded: what [`Plan::build`] would give.
    pub fn count_rows(hunks: &[Hunk], new_lines: u32, layout: Layout, lines: u32) -> u32 {
        let mut rows = 0;
        let mut new = 0;
        for (n, hunk) in hunks.iter().enumerate() {
            rows += context_rows(hunk.new.start - new, lines, n > 0, true);
            let (r, a) = (hunk.old.len() as u32, hunk.new.len() as u32);
            rows += if layout == Layout::Split { r.max(a) } else { r + a };
            new = hunk.new.end;
        }
        if hunks.is_empty() { 0 } else { rows + context_rows(new_lines - new, lines, true, false) }
    }

    /// Counts the rows and gaps of all runs from this one on.
    fn sum_from(&mut self, run: usize) {
        let block = run / BLOCK;
        let mut sums = if block == 0 { Sums::default() } else { self.starts.get(block).copied().unwrap_or(self.all) };
        self.starts.truncate(block);
        for runs in self.runs[block * BLOCK..].chunks(BLOCK) {
            self.starts.push(sums);
            sums.rows += runs.iter().map(Run::rows).sum::<u32>();
            sums.gaps += runs.iter().map(|run| u32::from(run.kind == RunKind::Gap)).sum::<u32>();
        }
        self.all = sums;
    }

    /// Number of rows.
    pub fn rows(&self) -> u32 {
        self.all.rows
    }

    /// All runs, in order.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The run at `row` and how many rows of it come before. O(log n).
    pub fn run_at(&self, row: u32) -> Option<(usize, u32)> {
        if row >= self.all.rows {
            return None;
        }
        let block = self.starts.partition_point(|start| start.rows <= row) - 1;
        let mut left = row - self.starts[block].rows;
        for (n, run) in self.runs.iter().enumerate().skip(block * BLOCK) {
            if left < run.rows() {
                return Some((n, left));
            }
            left -= run.rows();
        }
        None
    }

    /// What is at `row`.
    pub fn row(&self, row: u32) -> Option<Row> {
        let (n, k) = self.run_at(row)?;
        Some(row_of_run(&self.runs[n], k))
    }

    /// The rows from `row` on.
    pub fn rows_from(&self, row: u32) -> impl Iterator<Item = Row> + '_ {
        let (start, skip) = self.run_at(row).unwrap_or((self.runs.len(), 0));
        self.runs[start..].iter().enumerate().flat_map(move |(n, run)| {
            let from = if n == 0 { skip } else { 0 };
            (from..run.rows()).map(move |k| row_of_run(run, k))
        })
    }

    /// The row at which run `n` starts. O(log n).
    pub fn row_of_run(&self, n: usize) -> u32 {
        let block = n / BLOCK;
        let base = self.starts.get(block).copied().unwrap_or(self.all);
        base.rows + self.runs.iter().take(n).skip(block * BLOCK).map(Run::rows).sum::<u32>()
    }

    /// The first gap behind run `n`. O(log n).
    pub fn gap_behind(&self, n: usize) -> Option<usize> {
        let find = |from: usize, to: usize| {
            let gap = self.runs.get(from..to.min(self.runs.len()))?.iter().position(|run| run.kind == RunKind::Gap)?;
            Some(from + gap)
        };
        let block = (n + 1) / BLOCK;
        find(n + 1, (block + 1) * BLOCK).or_else(|| {
            let passed = self.starts.get(block + 1)?.gaps;
            let block = self.starts.partition_point(|start| start.gaps <= passed) - 1;
            find(block * BLOCK, (block + 1) * BLOCK)
        })
    }

    /// The row that shows a line of a side, or the gap that hides it; the last row for a line past the end.
    pub fn row_of_line(&self, side: Side, line: u32) -> u32 {
        let end = |r: &Run| r.lines(side).end;
        let n = self.runs.partition_point(|r| end(r) <= line);
        let Some(run) = self.runs.get(n) else { return self.all.rows.saturating_sub(1) };
        let inside = line.saturating_sub(run.lines(side).start);
        self.row_of_run(n) + if run.kind == RunKind::Gap { 0 } else { inside }
    }

    /// The first row of a hunk.
    pub fn row_of_hunk(&self, hunk: &Hunk) -> u32 {
        let (side, line) = if hunk.old.is_empty() { (Side::New, hunk.new.start) } else { (Side::Old, hunk.old.start) };
        let row = self.row_of_line(side, line);
        // Added lines may stand above the first removed one, beside which they belong.
        if hunk.new.is_empty() { row } else { row.min(self.row_of_line(Side::New, hunk.new.start)) }
    }

    /// The first row of the next hunk after `row`, if any.
    pub fn next_hunk(&self, row: u32) -> Option<u32> {
        let (mut n, _) = self.run_at(row)?;
        while self.runs.get(n)?.kind.is_change() {
            n += 1;
        }
        while !self.runs.get(n)?.kind.is_change() {
            n += 1;
        }
        Some(self.row_of_run(n))
    }

    /// The first row of the hunk that starts before `row`, if any.
    pub fn previous_hunk(&self, row: u32) -> Option<u32> {
        let mut n = self.run_at(row).map_or(self.runs.len(), |(n, _)| n);
        // Inside a hunk but not on its first row, its own start is the one before.
        let inside = self.runs.get(n).is_some_and(|r| r.kind.is_change());
        if inside {
            let start = self.hunk_start(n);
            if self.row_of_run(start) < row {
                return Some(self.row_of_run(start));
            }
            n = start;
        }
        while n > 0 {
            n -= 1;
            if self.runs[n].kind.is_change() {
                return Some(self.row_of_run(self.hunk_start(n)));
            }
        }
        None
    }

    /// The first row of the first hunk, if any.
    pub fn first_hunk(&self) -> Option<u32> {
        self.runs.iter().position(|r| r.kind.is_change()).map(|n| self.row_of_run(n))
    }

    fn hunk_start(&self, mut n: usize) -> usize {
        while n > 0 && self.runs[n - 1].kind.is_change() {
            n -= 1;
        }
        n
    }
}

fn row_of_run(run: &Run, k: u32) -> Row {
    if run.kind == RunKind::Gap {
        return Row { kind: run.kind, old: Some(run.old), new: Some(run.new), hidden: run.len };
    }
    let (old, new) = run.kind.advances();
    Row { kind: run.kind, old: old.then_some(run.old + k), new: new.then_some(run.new + k), hidden: 0 }
}

/// Rows that `len` lines of context take between two hunks, or at an end of the file.
fn context_rows(len: u32, lines: u32, after_hunk: bool, before_hunk: bool) -> u32 {
    let head = if after_hunk { lines } else { 0 };
    let tail = if before_hunk { lines } else { 0 };
    let hidden = len.saturating_sub(head + tail);
    if hidden > 1 { len - hidden + 1 } else { len }
}

struct Builder<'a> {
    runs: Vec<Run>,
    context: &'a Context,
    /// The first of the context's shown ranges that can still matter: they are visited in order.
    shown: usize,
}

impl Builder<'_> {
    fn push(&mut self, kind: RunKind, old: u32, new: u32, len: u32) {
        if len == 0 {
            return;
        }
        if let Some(last) = self.runs.last_mut()
            && last.kind == kind
            && kind != RunKind::Gap
        {
            last.len += len;
            return;
        }
        self.runs.push(Run { kind, old, new, len });
    }

    /// `len` equal lines from `old`/`new` on: shown near hunks and where expanded, else a gap.
    fn context_between(&mut self, old: u32, new: u32, len: u32, after_hunk: bool, before_hunk: bool) {
        if self.context.whole {
            return self.push(RunKind::Context, old, new, len);
        }
        let end = new + len;
        let head = if after_hunk { self.context.lines.min(len) } else { 0 };
        let tail = if before_hunk { self.context.lines.min(len - head) } else { 0 };
        let least = u32::from(!self.context.only);
        let mut at = new;
        let mut show = |from: u32, to: u32, builder: &mut Self| {
            let from = from.max(at);
            if to <= from {
                return;
            }
            let hidden = from - at;
            // A gap takes a row itself: one hidden line is shown instead.
            let kind = if hidden > least { RunKind::Gap } else { RunKind::Context };
            builder.push(kind, old + (at - new), at, hidden);
            builder.push(RunKind::Context, old + (from - new), from, to - from);
            at = to;
        };
        show(new, new + head, self);
        while let Some(range) = self.context.shown.get(self.shown).cloned() {
            if range.start >= end {
                break;
            }
            show(range.start.max(new), range.end.min(end), self);
            if range.end > end {
                break; // it reaches into what comes next
            }
            self.shown += 1;
        }
        show(end - tail, end, self);
        if at < end {
            let kind = if end - at > least { RunKind::Gap } else { RunKind::Context };
            self.push(kind, old + (at - new), at, end - at);
        }
    }

    fn hunk(&mut self, hunk: &Hunk, layout: Layout, alignment: &impl Fn(&Hunk) -> Option<Alignment>) {
        let (removed, added) = (hunk.old.len() as u32, hunk.new.len() as u32);
        match layout {
            Layout::Unified => {
                self.push(RunKind::Removed, hunk.old.start, hunk.new.start, removed);
                self.push(RunKind::Added, hunk.old.end, hunk.new.start, added);
            }
            Layout::Split if removed == added => {
                self.push(RunKind::Changed, hunk.old.start, hunk.new.start, removed);
            }
            Layout::Split => self.split_hunk(hunk, alignment(hunk)),
        }
    }

    /// The rows of a hunk side by side: each line of the shorter side beside the line it is aligned with.
    fn split_hunk(&mut self, hunk: &Hunk, alignment: Option<Alignment>) {
        let (r, a) = (hunk.old.len() as u32, hunk.new.len() as u32);
        let (short, long) = (r.min(a), r.max(a));
        let alone = if r > a { RunKind::Removed } else { RunKind::Added };
        let put = |builder: &mut Self, kind, row: u32, paired: u32, len| {
            let (old, new) = if r > a { (row, paired) } else { (paired, row) };
            builder.push(kind, hunk.old.start + old, hunk.new.start + new, len);
        };
        let Some(alignment) = alignment else {
            put(self, RunKind::Changed, 0, 0, short);
            return put(self, alone, short, short, long - short);
        };
        let mut row = 0;
        for k in 0..short {
            let at = if r > a { alignment.row_of_new(k) } else { alignment.row_of_old(k) };
            put(self, alone, row, k, at - row);
            put(self, RunKind::Changed, at, k, 1);
            row = at + 1;
        }
        put(self, alone, row, short, long - row);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plan(hunks: &[Hunk], new_lines: u32, layout: Layout, context: &Context) -> Plan {
        let grown: i64 = hunks.iter().map(|h| h.old.len() as i64 - h.new.len() as i64).sum();
        let old_lines = (i64::from(new_lines) + grown) as u32;
        Plan::build(Given { hunks, old_lines, new_lines, layout, context }, |_| None)
    }

    /// Rows in letters: what is on the old and the new side, or how much is hidden.
    fn shown(plan: &Plan) -> String {
        let rows = plan.rows_from(0).map(|row| match (row.kind, row.old, row.new) {
            (RunKind::Gap, ..) => format!("..{}", row.hidden),
            (RunKind::Context, Some(old), Some(new)) => format!("{old}={new}"),
            (_, old, new) => {
                let side = |line: Option<u32>| line.map_or(String::new(), |l| l.to_string());
                format!("{}|{}", side(old), side(new))
            }
        });
        rows.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_hunk_stands_in_its_context_and_the_rest_is_hidden() {
        let hunks = [Hunk { old: 10..11, new: 10..12 }];
        let plan = plan(&hunks, 21, Layout::Split, &Context { lines: 2, ..Context::default() });
        assert_eq!(shown(&plan), "..8 8=8 9=9 10|10 |11 11=12 12=13 ..7");
    }

    #[test]
    fn one_column_shows_what_went_before_what_came() {
        let hunks = [Hunk { old: 1..3, new: 1..2 }];
        let plan = plan(&hunks, 3, Layout::Unified, &Context::default());
        assert_eq!(shown(&plan), "0=0 1| 2| |1 3=2");
    }

    #[test]
    fn the_next_gap_is_found_over_any_number_of_runs() {
        let lines = (10..4_000).step_by(2).filter(|n| !matches!(n, 300..330 | 360..380 | 3_000..3_100));
        let hunks: Vec<_> = lines.map(|n| Hunk { old: n..n + 1, new: n..n + 1 }).collect();
        let plan = plan(&hunks, 4_500, Layout::Split, &Context::default());
        let gaps: Vec<_> = (0..plan.runs().len()).filter(|&n| plan.runs()[n].kind == RunKind::Gap).collect();
        assert_eq!(gaps.len(), 5);
        for n in 0..plan.runs().len() {
            assert_eq!(plan.gap_behind(n), gaps.iter().copied().find(|&gap| gap > n), "behind run {n}");
        }
    }

    #[test]
    fn a_single_hidden_line_is_shown_instead_of_a_gap() {
        let hunks = [Hunk { old: 4..5, new: 4..5 }];
        let plan = plan(&hunks, 9, Layout::Split, &Context::default());
        assert_eq!(shown(&plan), "0=0 1=1 2=2 3=3 4|4 5=5 6=6 7=7 8=8");
    }

    #[test]
    fn expanding_shows_lines_of_a_gap() {
        let hunks = [Hunk { old: 10..11, new: 10..11 }];
        let mut context = Context { lines: 1, ..Context::default() };
        context.show(5..7);
        assert_eq!(shown(&plan(&hunks, 12, Layout::Split, &context)), "..5 5=5 6=6 ..2 9=9 10|10 11=11");
    }

    #[test]
    fn expanded_lines_follow_an_edit_above_them() {
        let mut context = Context::default();
        context.show(10..20);
        context.edited(3..4, 3);
        assert_eq!(context.shown.as_slice(), std::slice::from_ref(&(12..22)));
        context.edited(0..15, 1);
        assert_eq!(context.shown.as_slice(), std::slice::from_ref(&(1..8)));
    }

    #[test]
    fn hunks_are_stepped_through_in_both_directions() {
        let hunks = [Hunk { old: 5..6, new: 5..6 }, Hunk { old: 30..30, new: 30..32 }];
        let plan = plan(&hunks, 60, Layout::Split, &Context::default());
        let first = plan.first_hunk().unwrap();
        let second = plan.next_hunk(first).unwrap();
        assert_eq!(plan.row(second).unwrap().new, Some(30));
        assert_eq!(plan.next_hunk(second), None);
        assert_eq!(plan.previous_hunk(second), Some(first));
        assert_eq!(plan.previous_hunk(second + 1), Some(second));
        assert_eq!(plan.previous_hunk(plan.rows()), Some(second));
        assert_eq!(plan.previous_hunk(first), None);
    }

    /// Hunks that are apart, and the lines of the new side.
    fn any_hunks() -> impl Strategy<Value = (Vec<Hunk>, u32)> {
        let pieces = prop::collection::vec((1..30u32, 0..6u32, 0..6u32), 0..12);
        (pieces, 0..30u32).prop_map(|(pieces, tail)| {
            let (mut old, mut new) = (0, 0);
            let mut hunks = Vec::new();
            for (equal, removed, added) in pieces {
                (old, new) = (old + equal, new + equal);
                if removed + added > 0 {
                    hunks.push(Hunk { old: old..old + removed, new: new..new + added });
                    (old, new) = (old + removed, new + added);
                }
            }
            (hunks, new + tail)
        })
    }

    /// Some context around hunks, and stretches that were expanded.
    fn any_context() -> impl Strategy<Value = Context> {
        let shown = prop::collection::vec((0..200u32, 1..20u32), 0..4);
        (0..5u32, shown).prop_map(|(lines, shown)| {
            let mut context = Context::around(lines);
            for (start, len) in shown {
                context.show(start..start + len);
            }
            context
        })
    }

    /// What takes the place of some hunks: how many lines of each are equal before it, old, and new.
    fn any_edit() -> impl Strategy<Value = (usize, usize, Vec<(u32, u32, u32)>)> {
        (0..12usize, 0..4usize, prop::collection::vec((1..6u32, 0..3u32, 0..3u32), 0..4))
    }

    proptest! {
        #[test]
        fn what_is_laid_out_anew_is_as_if_all_was(
            (hunks, new_lines) in any_hunks(),
            (first, count, put) in any_edit(),
            split: bool,
            mut context in any_context(),
        ) {
            let layout = if split { Layout::Split } else { Layout::Unified };
            let mut relaid = plan(&hunks, new_lines, layout, &context);
            let (first, last) = (first.min(hunks.len()), (first + count).min(hunks.len()));
            // Old lines between the hunks that stay: the others stand among them, as far as they fit.
            let start = first.checked_sub(1).map_or((0, 0), |n| (hunks[n].old.end, hunks[n].new.end));
            let grown_so_far: i64 = hunks.iter().map(|h| h.old.len() as i64 - h.new.len() as i64).sum();
            let old_lines = (i64::from(new_lines) + grown_so_far) as u32;
            let end_old = hunks.get(last).map_or(old_lines, |hunk| hunk.old.start);
            let (mut old, mut new) = start;
            let mut inserted = Vec::new();
            for (equal, removed, added) in put {
                if removed + added > 0 && old + equal + removed < end_old {
                    (old, new) = (old + equal, new + equal);
                    inserted.push(Hunk { old: old..old + removed, new: new..new + added });
                    (old, new) = (old + removed, new + added);
                }
            }
            let end_new_before = hunks.get(last).map_or(new_lines, |hunk| hunk.new.start);
            let end_new = new + (end_old - old);
            let grown = i64::from(end_new) - i64::from(end_new_before);
            let moved = |line: u32| (i64::from(line) + grown) as u32;
            let edited = first..first + inserted.len();
            let mut now = hunks[..first].to_vec();
            now.extend(inserted);
            let behind = hunks[last..].iter();
            now.extend(behind.map(|h| Hunk { old: h.old.clone(), new: moved(h.new.start)..moved(h.new.end) }));
            let before = relaid.rows();
            context.edited(start.1..end_new_before, end_new - start.1);
            let given = Given { hunks: &now, old_lines, new_lines: moved(new_lines), layout, context: &context };
            let built = Plan::build(given, |_| None);
            match relaid.relay(given, edited, grown, |_| None) {
                Some((rows, count)) => {
                    prop_assert_eq!(&relaid, &built);
                    prop_assert_eq!(before - rows.len() as u32 + count, built.rows());
                }
                None => prop_assert!(hunks.is_empty() || now.is_empty()),
            }
        }

        #[test]
        fn a_plan_covers_both_sides_once_and_in_order(
            (hunks, new_lines) in any_hunks(),
            split: bool,
            context in any_context(),
        ) {
            let layout = if split { Layout::Split } else { Layout::Unified };
            let plan = plan(&hunks, new_lines, layout, &context);
            let (mut old, mut new) = (0, 0);
            for run in plan.runs() {
                prop_assert_eq!((run.old, run.new), (old, new));
                prop_assert!(run.len > 0);
                old += run.lines(Side::Old).len() as u32;
                new += run.lines(Side::New).len() as u32;
            }
            if !hunks.is_empty() {
                prop_assert_eq!(new, new_lines);
            }
            if !context.is_expanded() {
                prop_assert_eq!(plan.rows(), Plan::count_rows(&hunks, new_lines, layout, context.lines));
            }
            for row in 0..plan.rows() {
                let at = plan.row(row).unwrap();
                if at.kind != RunKind::Gap {
                    for (side, line) in [(Side::Old, at.old), (Side::New, at.new)] {
                        if let Some(line) = line {
                            prop_assert_eq!(plan.row_of_line(side, line), row);
                        }
                    }
                }
            }
            prop_assert_eq!(plan.row(plan.rows()), None);
            let walked: Vec<_> = plan.rows_from(plan.rows() / 2).collect();
            let looked: Vec<_> = (plan.rows() / 2..plan.rows()).filter_map(|row| plan.row(row)).collect();
            prop_assert_eq!(walked, looked);
        }
    }
}
