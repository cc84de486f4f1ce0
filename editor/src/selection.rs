//! Selections: one or many, each from an anchor to a head.
//!
//! The *head* is where the caret blinks and moves; the *anchor* stays when a motion extends. A selection without extent
//! is a *caret*. The *goal* is the column that vertical motion tries to return to. The *primary* selection is the one
//! the view follows.
//!
//! Invariants of [`Selections`]: at least one; sorted; none overlap, and a caret touches no other selection.

use std::ops::Range;

use crate::change::{Bias, ChangeSet};
use crate::text::Text;

/// From an anchor to a head, in byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The end that stays when a motion extends.
    pub anchor: usize,
    /// The end that moves; where the caret is.
    pub head: usize,
    /// The column that vertical motion keeps to, if the last motion was vertical.
    pub goal: Option<u32>,
}

impl Selection {
    /// From `anchor` to `head`.
    pub fn new(anchor: usize, head: usize) -> Self {
        Self { anchor, head, goal: None }
    }

    /// A caret at `offset`.
    pub fn caret(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// The lower end.
    pub fn start(&self) -> usize {
        self.anchor.min(self.head)
    }

    /// The upper end.
    pub fn end(&self) -> usize {
        self.anchor.max(self.head)
    }

    /// What is selected.
    pub fn range(&self) -> Range<usize> {
        self.start()..self.end()
    }

    /// Whether it is a caret.
    pub fn is_empty(&self) -> bool {
        self.anchor == self.head
    }

    /// Whether the head is before the anchor.
    pub fn is_reversed(&self) -> bool {
        self.head < self.anchor
    }

    /// The same range, or another one, looking the same way.
    #[must_use]
    pub fn with_range(&self, range: Range<usize>) -> Self {
        if self.is_reversed() { Self::new(range.end, range.start) } else { Self::new(range.start, range.end) }
    }

    /// The head moved to `head`; the anchor stays if `extend`, or comes along.
    #[must_use]
    pub fn moved(&self, head: usize, extend: bool) -> Self {
        Self::new(if extend { self.anchor } else { head }, head)
    }

    /// Where it is after `changes`. A caret goes after what is inserted at it; a selection does not grow.
    #[must_use]
    pub fn map(&self, changes: &ChangeSet) -> Self {
        if self.is_empty() {
            return Self::caret(changes.map(self.head, Bias::After));
        }
        self.with_range(changes.map_range(self.range()))
    }

    /// Whether it must become one with `next`, which starts no earlier.
    fn joins(&self, next: &Self) -> bool {
        if self.is_empty() || next.is_empty() { self.end() >= next.start() } else { self.end() > next.start() }
    }

    fn join(&self, next: &Self) -> Self {
        let range = self.start()..self.end().max(next.end());
        // The larger gives the direction: a caret has none of its own.
        if next.range().len() > self.range().len() { next.with_range(range) } else { self.with_range(range) }
    }
}

/// One or more selections of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selections {
    list: Vec<Selection>,
    primary: usize,
}

impl Selections {
    /// One selection.
    pub fn single(selection: Selection) -> Self {
        Self { list: vec![selection], primary: 0 }
    }

    /// One caret.
    pub fn caret(offset: usize) -> Self {
        Self::single(Selection::caret(offset))
    }

    /// Sorts and merges a list; `primary` counts in the list as given. An empty list becomes a caret at the start.
    pub fn new(list: impl IntoIterator<Item = Selection>, primary: usize) -> Self {
        let mut list: Vec<Selection> = list.into_iter().collect();
        if list.is_empty() {
            return Self::caret(0);
        }
        let mut primary = primary.min(list.len() - 1);
        if !list.is_sorted_by_key(|selection| (selection.start(), selection.end())) {
            let mut numbered: Vec<(usize, Selection)> = list.into_iter().enumerate().collect();
            numbered.sort_by_key(|(_, selection)| (selection.start(), selection.end()));
            primary = numbered.iter().position(|(number, _)| *number == primary).unwrap_or(0);
            list = numbered.into_iter().map(|(_, selection)| selection).collect();
        }
        Self::merged(list, primary)
    }

    fn merged(list: Vec<Selection>, primary: usize) -> Self {
        let mut merged: Vec<Selection> = Vec::with_capacity(list.len());
        let mut merged_primary = 0;
        for (number, next) in list.into_iter().enumerate() {
            match merged.last_mut() {
                Some(last) if last.joins(&next) => {
                    let goal = if number == primary { next.goal } else { last.goal };
                    *last = Selection { goal, ..last.join(&next) };
                }
                _ => merged.push(next),
            }
            if number == primary {
                merged_primary = merged.len() - 1;
            }
        }
        Self { list: merged, primary: merged_primary }
    }

    /// How many there are; never 0.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Whether there is only one.
    pub fn is_single(&self) -> bool {
        self.list.len() == 1
    }

    /// All of them, from the start of the text to its end.
    pub fn iter(&self) -> std::slice::Iter<'_, Selection> {
        self.list.iter()
    }

    /// All of them as a slice.
    pub fn as_slice(&self) -> &[Selection] {
        &self.list
    }

    /// The one the view follows.
    pub fn primary(&self) -> &Selection {
        &self.list[self.primary]
    }

    /// Which one is primary.
    pub fn primary_index(&self) -> usize {
        self.primary
    }

    /// The selected ranges.
    pub fn ranges(&self) -> impl DoubleEndedIterator<Item = Range<usize>> + '_ {
        self.list.iter().map(Selection::range)
    }

    /// Whether all are carets.
    pub fn are_carets(&self) -> bool {
        self.list.iter().all(Selection::is_empty)
    }

    /// About how much memory they hold.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.list.len() * size_of::<Selection>()
    }

    /// Only the primary one.
    #[must_use]
    pub fn only_primary(&self) -> Self {
        Self::single(*self.primary())
    }

    /// Each one replaced.
    #[must_use]
    pub fn transform(&self, mut each: impl FnMut(&Selection) -> Selection) -> Self {
        Self::new(self.list.iter().map(&mut each), self.primary)
    }

    /// One more, which becomes primary.
    #[must_use]
    pub fn with(&self, selection: Selection) -> Self {
        Self::new(self.list.iter().copied().chain([selection]), self.list.len())
    }

    /// Where they are after `changes`.
    #[must_use]
    pub fn map(&self, changes: &ChangeSet) -> Self {
        self.transform(|selection| selection.map(changes))
    }

    /// Moved into `text` and onto grapheme boundaries, for selections that come from outside.
    #[must_use]
    pub fn clamp(&self, text: &Text) -> Self {
        self.transform(|selection| Selection {
            anchor: text.floor_grapheme(selection.anchor),
            head: text.floor_grapheme(selection.head),
            goal: selection.goal,
        })
    }
}

impl Default for Selections {
    fn default() -> Self {
        Self::caret(0)
    }
}

impl<'a> IntoIterator for &'a Selections {
    type Item = &'a Selection;
    type IntoIter = std::slice::Iter<'a, Selection>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
