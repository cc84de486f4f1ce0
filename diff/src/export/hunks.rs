//! Hunks with the lines around them, as patches show them: neighbours whose context touches are one.

use std::ops::Range;

use crate::engine::{Hunk, Script};

/// Lines of context on either side.
pub(super) const CONTEXT: u32 = 3;

/// Changes that are printed together: the ranges they and their context cover, and the changes themselves.
pub(super) struct Group<'a> {
    pub old: Range<u32>,
    pub new: Range<u32>,
    pub hunks: &'a [Hunk],
}

/// A line of a group.
pub(super) enum Line {
    /// Equal on both sides, at these lines.
    Context(u32, u32),
    /// Gone.
    Removed(u32),
    /// New.
    Added(u32),
}

/// Groups the hunks of a script; `old_lines` is how many lines the old side has. Where only some lines of the new side are
/// `told`, the others are no context.
pub(super) fn groups<'a>(
    script: &'a Script,
    old_lines: u32,
    told: Option<&'a [Range<u32>]>,
) -> impl Iterator<Item = Group<'a>> {
    let around = move |hunk: &Hunk| match told {
        None => 0..u32::MAX,
        Some(told) => told.iter().find(|lines| hunk.new.start <= lines.end).cloned().unwrap_or(0..u32::MAX),
    };
    let touching = move |a: &Hunk, b: &Hunk| b.old.start - a.old.end <= 2 * CONTEXT && around(a) == around(b);
    script.hunks.chunk_by(touching).filter_map(move |hunks| {
        let (first, last) = (hunks.first()?, hunks.last()?);
        let known = around(first);
        let before = first.old.start.min(CONTEXT).min(first.new.start.saturating_sub(known.start));
        let after = (old_lines - last.old.end).min(CONTEXT).min(known.end.saturating_sub(last.new.end));
        Some(Group {
            old: first.old.start - before..last.old.end + after,
            new: first.new.start - before..last.new.end + after,
            hunks,
        })
    })
}

impl Group<'_> {
    /// The lines from top to bottom, removed ones before added ones.
    pub(super) fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        let (mut old, mut new) = (self.old.start, self.new.start);
        let context = |until: u32, old: &mut u32, new: &mut u32, lines: &mut Vec<Line>| {
            while *old < until {
                lines.push(Line::Context(*old, *new));
                (*old, *new) = (*old + 1, *new + 1);
            }
        };
        for hunk in self.hunks {
            context(hunk.old.start, &mut old, &mut new, &mut lines);
            lines.extend(hunk.old.clone().map(Line::Removed));
            lines.extend(hunk.new.clone().map(Line::Added));
            (old, new) = (hunk.old.end, hunk.new.end);
        }
        context(self.old.end, &mut old, &mut new, &mut lines);
        lines
    }
}
