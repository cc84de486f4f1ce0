//! Where the lines of a comment are in another content.
//!
//! With the origin at hand both texts are compared as a whole, once for all comments of one origin, and lines go where the
//! script takes them. A line that was replaced is looked for among those that took its place, by likeness. Lines that are
//! gone are looked for everywhere: they may have moved. Without the origin that is all there is to do, and lines that
//! could be anywhere (`}`) need some of their neighbours beside them.

use std::ops::Range;

use editor::{Cancel, Cancelled};
use rustc_hash::FxHashMap;

use super::anchor::lines_of;
use super::{Anchor, Origin};
use crate::align::likeness;
use crate::engine::{Engine, Hunk, Options, Whitespace};
use crate::lines::{Content, without_ending};
use crate::ticks::ContentId;

/// Letters and digits that make lines easy to tell from others.
const DISTINCT: usize = 10;
/// How alike lines are, of 1000, that are one line before and after it was edited.
const ALIKE: u32 = 600;
/// Pairs of lines that are weighed for one comment: some five milliseconds.
const MAX_WEIGHED: usize = 2_000;
/// Lines that are weighed for each edited one.
const NEAR: u32 = 200;
/// At least one in so many letters of the lines must be left of them.
const MIN_SHARE: usize = 3;

/// How lines came to be where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// They are where they were.
    Unmoved,
    /// They have other numbers, or went elsewhere.
    Moved,
    /// They were edited.
    Edited,
}

/// Where a comment's lines are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// It is about the file as a whole.
    File,
    /// Here.
    At {
        /// The lines.
        lines: Range<u32>,
        /// How they came here.
        how: How,
    },
    /// Gone: the comment is stale.
    Stale {
        /// The line that is where they were, or the number of lines at the end.
        near: u32,
    },
}

impl Placement {
    /// Whether the lines are gone.
    pub fn is_stale(&self) -> bool {
        matches!(self, Self::Stale { .. })
    }

    /// The line that the comment stands at.
    pub fn line(&self) -> u32 {
        match self {
            Self::File => 0,
            // Under the last of its lines.
            Self::At { lines, .. } => lines.end.saturating_sub(1),
            Self::Stale { near } => *near,
        }
    }
}

/// Finds the lines of comments on one side of a file in a content of that side.
///
/// `origin` gives the texts that anchors refer to. Comparing is done once an origin: some milliseconds for a usual file.
pub fn place<'a>(
    anchors: impl IntoIterator<Item = &'a Anchor>,
    origin: impl Fn(ContentId) -> Option<Origin>,
    content: &Content,
    cancel: &Cancel,
) -> Result<Vec<Placement>, Cancelled> {
    let mut compared: FxHashMap<ContentId, Option<Compared>> = FxHashMap::default();
    let mut engine = Engine::new();
    let mut placements = Vec::new();
    for anchor in anchors {
        if let Some(id) = anchor.origin
            && !compared.contains_key(&id)
        {
            compared.insert(id, Compared::of(origin(id), content, &mut engine, cancel)?);
        }
        let compared = anchor.origin.and_then(|id| compared.get(&id)?.as_ref());
        cancel.check()?;
        placements.push(place_one(anchor, compared, content));
    }
    Ok(placements)
}

/// An origin and how it became the content.
struct Compared {
    origin: Content,
    hunks: Vec<Hunk>,
}

impl Compared {
    fn of(
        origin: Option<Origin>,
        content: &Content,
        engine: &mut Engine,
        cancel: &Cancel,
    ) -> Result<Option<Self>, Cancelled> {
        let Some(Ok(origin)) = origin.map(|origin| Content::new(origin.text)) else { return Ok(None) };
        // What a checkout does to line endings is no edit.
        let options = Options { whitespace: Whitespace::IgnoreCr, ..Options::default() };
        let hunks = engine.compare(&origin, content, &options, cancel)?.hunks;
        Ok(Some(Self { origin, hunks }))
    }

    /// The line of the content that a line of the origin is, or the hunk that replaced it.
    fn map(&self, line: u32) -> Result<u32, &Hunk> {
        let behind = self.hunks.partition_point(|hunk| hunk.old.end <= line);
        match self.hunks.get(behind) {
            Some(hunk) if hunk.old.contains(&line) => Err(hunk),
            _ => {
                let (old, new) =
                    behind.checked_sub(1).map_or((0, 0), |at| (self.hunks[at].old.end, self.hunks[at].new.end));
                Ok(line - old + new)
            }
        }
    }

    /// The line that an old one became, if one of the new lines of its hunk is like it.
    fn partner(&self, line: u32, hunk: &Hunk, content: &Content, left: &mut usize) -> Option<u32> {
        let old = self.origin.line(line);
        if letters(old) == 0 {
            return None; // blank lines and signs are alike all over
        }
        // With many lines on both sides, those at the same height are likeliest.
        let expected = hunk.new.start + (line - hunk.old.start).min(hunk.new.len() as u32);
        let near = expected.saturating_sub(NEAR / 2).max(hunk.new.start)..hunk.new.end.min(expected + NEAR / 2);
        *left = left.checked_sub(near.len())?;
        let weighed = near.map(|new| (likeness(old, content.line(new)), new));
        let best = weighed.max_by_key(|&(alike, new)| (alike, u32::MAX - new.abs_diff(expected)));
        best.filter(|&(alike, _)| alike >= ALIKE).map(|(_, new)| new)
    }
}

fn place_one(anchor: &Anchor, compared: Option<&Compared>, content: &Content) -> Placement {
    if anchor.is_file() {
        return Placement::File;
    }
    let found = match compared {
        Some(compared) => place_compared(anchor, compared, content),
        None => Err(anchor.lines.start.min(content.line_count())),
    };
    let near = match found {
        Ok(placement) => return placement,
        // Where the lines were may be past the end of what is left.
        Err(near) => near.min(content.line_count()),
    };
    // With an origin, the place where the lines were is known to hold others.
    match find_text(anchor, content, compared.is_some()) {
        Some(lines) => {
            let how = if lines == anchor.lines { How::Unmoved } else { How::Moved };
            Placement::At { lines, how }
        }
        None => Placement::Stale { near },
    }
}

/// Follows the script; the line where they were if they are gone.
fn place_compared(anchor: &Anchor, compared: &Compared, content: &Content) -> Result<Placement, u32> {
    let mut found: Option<Range<u32>> = None;
    let (mut kept, mut near, mut left) = (0, None, MAX_WEIGHED);
    let (mut letters_found, mut letters_all) = (0, 0);
    for line in anchor.lines.clone() {
        let place = match compared.map(line) {
            Ok(place) => {
                kept += 1;
                Some(place)
            }
            Err(hunk) => {
                near = near.or(Some(hunk.new.start));
                compared.partner(line, hunk, content, &mut left)
            }
        };
        let letters = letters(compared.origin.line(line));
        letters_all += letters;
        if let Some(place) = place {
            letters_found += letters;
            found = Some(found.map_or(place..place + 1, |found| found.start.min(place)..found.end.max(place + 1)));
        }
    }
    let is_whole = kept == anchor.lines.len();
    match found {
        Some(lines) if is_whole && lines == anchor.lines => Ok(Placement::At { lines, how: How::Unmoved }),
        Some(lines) if is_whole && lines.len() == kept => Ok(Placement::At { lines, how: How::Moved }),
        // Enough of it must be left: of a function that went, a bracket often stays.
        Some(lines) if letters_found > 0 && letters_found * MIN_SHARE >= letters_all => {
            Ok(Placement::At { lines, how: How::Edited })
        }
        _ => Err(near.unwrap_or(anchor.lines.start)),
    }
}

/// Finds the lines by what they say, those with most of their neighbours first, then the nearest.
fn find_text(anchor: &Anchor, content: &Content, must_move: bool) -> Option<Range<u32>> {
    let (text, before, after) = (lines_of(&anchor.text), lines_of(&anchor.before), lines_of(&anchor.after));
    let first = text.first()?;
    let line = |at: u32| without_ending(content.line(at));
    let len = text.len() as u32;
    let last = content.line_count().checked_sub(len)?;
    let starts = (0..=last).filter(|&at| line(at) == *first && (1..len).all(|n| line(at + n) == text[n as usize]));
    let neighbours = |at: u32| {
        let above = before.iter().rev().zip((0..at).rev()).take_while(|&(text, at)| **text == *line(at)).count();
        let below =
            after.iter().zip(at + len..content.line_count()).take_while(|&(text, at)| **text == *line(at)).count();
        above + below
    };
    let found: Vec<_> = starts.map(|at| (neighbours(at), at)).collect();
    let near = |at: u32| u32::MAX - at.abs_diff(anchor.lines.start);
    let &(beside, at) = found.iter().max_by_key(|&&(beside, at)| (beside, near(at)))?;
    let is_distinct = text.iter().map(|line| letters(line)).sum::<usize>() >= DISTINCT;
    let is_sure = if must_move { is_distinct } else { is_distinct || beside >= 2 || beside == 1 && found.len() == 1 };
    // Of very long ranges only the first lines are remembered.
    let end = at.saturating_add(anchor.lines.len() as u32).min(content.line_count());
    is_sure.then(|| at..end.max(at + len))
}

/// Letters and digits of a line.
fn letters(line: &[u8]) -> usize {
    line.iter().filter(|byte| byte.is_ascii_alphanumeric() || **byte >= 0xc0).count()
}
