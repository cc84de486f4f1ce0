//! Moves hunks that could stand in several places to where they read best.
//!
//! If a block was inserted before a line that equals its own first line, saying that it was inserted one line later is
//! just as true. Of all such places git's indent heuristic chooses; we ask gix-imara-diff's version of it. A hunk that
//! comes to touch another becomes one with it, which also turns an insertion and a removal into a modification.
//!
//! Works on whole texts, not on the core: what was cut off as equal is where hunks slide to.

use std::ops::Range;

use editor::Cancel;
use gix_imara_diff::{IndentHeuristic, IndentLevel, SliderHeuristic, Token};

use super::{Cancelled, Hunk, Whitespace};
use crate::lines::Content;

/// Lines of context the heuristic looks at around a place: runs of blank lines, at most this long.
const CONTEXT: u32 = 24;
/// Positions it weighs, at most.
const MAX_SLIDING: u32 = 100;
const TAB_WIDTH: u8 = 8;
const CHECK_EVERY: u32 = 1 << 12;

/// Lines of a side, wherever they come from.
pub(crate) trait Lines {
    /// How many there are.
    fn count(&self) -> u32;
    /// Whether two lines are equal.
    fn equal(&self, a: u32, b: u32, whitespace: Whitespace) -> bool;
    /// How far the line is indented.
    fn indent(&self, line: u32) -> IndentLevel;
}

impl Lines for Content {
    fn count(&self) -> u32 {
        self.line_count()
    }

    fn equal(&self, a: u32, b: u32, whitespace: Whitespace) -> bool {
        whitespace.equal(self.line(a), self.line(b))
    }

    fn indent(&self, line: u32) -> IndentLevel {
        IndentLevel::for_ascii_line(self.line(line).iter().copied(), TAB_WIDTH)
    }
}

/// Slides all hunks of a script.
pub(crate) fn slide(
    hunks: &mut Vec<Hunk>,
    old: &impl Lines,
    new: &impl Lines,
    whitespace: Whitespace,
    cancel: &Cancel,
) -> Result<(), Cancelled> {
    let mut slid: Vec<Hunk> = Vec::with_capacity(hunks.len());
    let mut waiting = std::mem::take(hunks).into_iter().peekable();
    let mut steps = 0;
    while let Some(mut hunk) = waiting.next() {
        loop {
            let mut steps_here = 0;
            let outcome = if hunk.old.is_empty() {
                let limits = (slid.last().map(|hunk| hunk.new.end), waiting.peek().map(|hunk| hunk.new.start));
                slide_one(&mut hunk, Kind::Insertion, new, limits, whitespace, &mut steps_here)
            } else if hunk.new.is_empty() {
                let limits = (slid.last().map(|hunk| hunk.old.end), waiting.peek().map(|hunk| hunk.old.start));
                slide_one(&mut hunk, Kind::Removal, old, limits, whitespace, &mut steps_here)
            } else {
                Outcome::Placed
            };
            steps += steps_here + 1;
            if steps >= CHECK_EVERY {
                steps = 0;
                if cancel.is_cancelled() {
                    return Err(Cancelled);
                }
            }
            match outcome {
                Outcome::Placed => break,
                Outcome::TouchesPrevious => {
                    if let Some(previous) = slid.pop() {
                        hunk = Hunk { old: previous.old.start..hunk.old.end, new: previous.new.start..hunk.new.end };
                    }
                }
                Outcome::TouchesNext => {
                    if let Some(next) = waiting.next() {
                        hunk = Hunk { old: hunk.old.start..next.old.end, new: hunk.new.start..next.new.end };
                    }
                }
            }
        }
        slid.push(hunk);
    }
    *hunks = slid;
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Insertion,
    Removal,
}

enum Outcome {
    Placed,
    TouchesPrevious,
    TouchesNext,
}

/// Slides a pure insertion or removal. `limits` are where the hunk before ends and the next one starts, on its side.
fn slide_one(
    hunk: &mut Hunk,
    kind: Kind,
    lines: &impl Lines,
    limits: (Option<u32>, Option<u32>),
    whitespace: Whitespace,
    steps: &mut u32,
) -> Outcome {
    let group = match kind {
        Kind::Insertion => hunk.new.clone(),
        Kind::Removal => hunk.old.clone(),
    };
    let top = limits.0.unwrap_or(0);
    let bottom = limits.1.unwrap_or(lines.count());
    let mut up = group.clone();
    while up.start > top && lines.equal(up.start - 1, up.end - 1, whitespace) {
        up = up.start - 1..up.end - 1;
        *steps += 1;
    }
    if limits.0.is_some() && up.start == top && up.start < group.start {
        place(hunk, kind, &up);
        return Outcome::TouchesPrevious;
    }
    let mut down = group.clone();
    while down.end < bottom && lines.equal(down.start, down.end, whitespace) {
        down = down.start + 1..down.end + 1;
        *steps += 1;
    }
    if limits.1.is_some() && down.end == bottom && down.end > group.end {
        place(hunk, kind, &down);
        return Outcome::TouchesNext;
    }
    if up != down {
        let best = best_place(lines, down, up.end);
        place(hunk, kind, &best);
    }
    Outcome::Placed
}

/// Puts the hunk where its group is; the other side's empty range moves along.
fn place(hunk: &mut Hunk, kind: Kind, group: &Range<u32>) {
    let (own, other) = match kind {
        Kind::Insertion => (&mut hunk.new, &mut hunk.old),
        Kind::Removal => (&mut hunk.old, &mut hunk.new),
    };
    let at = if group.start >= own.start {
        other.start + (group.start - own.start)
    } else {
        other.start - (own.start - group.start)
    };
    *other = at..at;
    *own = group.clone();
}

/// Asks the heuristic, showing it the lines around the places in question only.
pub(super) fn best_place(lines: &impl Lines, lowest: Range<u32>, highest_end: u32) -> Range<u32> {
    let len = lowest.end - lowest.start;
    let top_end = highest_end.max(lowest.start.saturating_sub(1)).max(lowest.end.saturating_sub(MAX_SLIDING));
    let from = (top_end - len).saturating_sub(CONTEXT);
    let to = lowest.end.saturating_add(CONTEXT).min(lines.count());
    let tokens: Vec<Token> = (from..to).map(Token).collect();
    let mut heuristic = IndentHeuristic::new(|token: Token| lines.indent(token.0));
    let end = heuristic.best_slider_end(&tokens, lowest.start - from..lowest.end - from, top_end - from) + from;
    end - len..end
}
