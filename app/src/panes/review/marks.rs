//! Changed words inside changed lines.
//!
//! Pairs in view are compared as they come: short lines at once within a small budget a frame, so that words never
//! flash in late; what is over the budget comes in the next frame, the whole line tinted until then.

use std::borrow::Cow;
use std::ops::Range;
use std::time::{Duration, Instant};

use diff::engine::Whitespace;
use diff::git::Side;
use diff::inline::{self, Inline};
use diff::lines::Content;
use editor::Cancel;
use editor::text::Text;
use rustc_hash::FxHashMap;

use super::rows::{Painted, SideLines, side_lines};
use crate::state::documents::Documents;
use crate::state::reviews::OpenReview;
use crate::tasks::{Poll, Task, Tasks};

/// Time a frame may spend on words.
const FRAME: Duration = Duration::from_micros(800);

/// Lines up to this many bytes are compared at once; longer ones on a worker.
const SHORT: usize = 4096;

/// Pairs remembered; more than many screens of them are started afresh.
const KEPT: usize = 8192;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Pair {
    file: usize,
    old: u32,
    new: u32,
}

#[derive(Clone, Debug, Default)]
struct Words {
    old: Vec<Range<u32>>,
    new: Vec<Range<u32>>,
}

/// The changed words of pairs of lines.
#[derive(Default)]
pub struct WordMarks {
    pairs: FxHashMap<Pair, Words>,
    /// Long pairs under way.
    long: Vec<(Pair, Task<Words>)>,
    /// Pairs in view wait for the next frame.
    postponed: bool,
    /// Which pair a line in view belongs to.
    old: FxHashMap<(usize, u32), Pair>,
    new: FxHashMap<(usize, u32), Pair>,
}

impl WordMarks {
    /// Begins a frame: takes in what workers found.
    pub fn begin(&mut self) {
        if self.pairs.len() > KEPT {
            *self = Self::default();
        }
        self.postponed = false;
        self.take_long();
    }

    /// Compares the pairs among `rows`, all of one file, that are not known, as far as a frame's time goes.
    pub fn prepare(
        &mut self,
        review: &OpenReview,
        documents: &Documents,
        tasks: &Tasks,
        file: usize,
        rows: &[Painted],
    ) {
        let start = Instant::now();
        let Some(lines) = review.page.file(file).and_then(|entry| entry.lines()) else { return };
        for row in rows.iter().filter_map(|p| p.row).filter(|row| row.kind.is_change()) {
            // In one column a line and its partner are in different rows.
            let old = row.old.or_else(|| lines.partner(Side::New, row.new?));
            let new = row.new.or_else(|| lines.partner(Side::Old, row.old?));
            let (Some(old), Some(new)) = (old, new) else { continue };
            let pair = Pair { file, old, new };
            self.old.insert((file, old), pair);
            self.new.insert((file, new), pair);
            if self.pairs.contains_key(&pair) || self.long.iter().any(|(p, _)| *p == pair) {
                continue;
            }
            if start.elapsed() > FRAME {
                self.postponed = true;
                return;
            }
            self.compare(review, documents, tasks, pair);
        }
    }

    /// The changed words of a line of a side; none while they are not known.
    pub fn of(&self, file: usize, side: Side, line: u32) -> &[Range<u32>] {
        let lines = if side == Side::Old { &self.old } else { &self.new };
        let words = lines.get(&(file, line)).and_then(|pair| self.pairs.get(pair));
        words.map_or(&[], |words| if side == Side::Old { &words.old } else { &words.new })
    }

    /// Forgets the pairs of a file, whose text changed.
    pub fn forget(&mut self, file: usize) {
        self.pairs.retain(|pair, _| pair.file != file);
        self.long.retain(|(pair, _)| pair.file != file);
        self.old.retain(|&(f, _), _| f != file);
        self.new.retain(|&(f, _), _| f != file);
    }

    /// Whether more words will be known: pairs wait, or long lines are being compared.
    pub fn is_busy(&self) -> bool {
        self.postponed || !self.long.is_empty()
    }

    /// Whether pairs wait for the next frame.
    pub fn is_postponed(&self) -> bool {
        self.postponed
    }

    fn take_long(&mut self) {
        let pairs = &mut self.pairs;
        self.long.retain(|(pair, task)| match task.poll() {
            Poll::Pending => true,
            Poll::Ready(words) => {
                pairs.insert(*pair, words);
                false
            }
            Poll::Lost => false,
        });
    }

    fn compare(&mut self, review: &OpenReview, documents: &Documents, tasks: &Tasks, pair: Pair) {
        let sides = [(Side::Old, pair.old), (Side::New, pair.new)];
        let [Some(old), Some(new)] = sides.map(|(side, line)| {
            let lines = side_lines(review, documents, pair.file, side)?;
            Some(Line::of(&lines, line))
        }) else {
            return;
        };
        let whitespace = review.page.whitespace();
        if old.len().max(new.len()) <= SHORT {
            self.pairs.insert(pair, words(whitespace, &old.text(), &new.text(), &Cancel::new()));
        } else {
            let compare = move |cancel: &Cancel| words(whitespace, &old.text(), &new.text(), cancel);
            let task = tasks.spawn("compare long lines", compare);
            self.long.push((pair, task));
        }
    }
}

/// A line that another thread can read.
enum Line {
    Fixed(Content, u32),
    Live(Text, u32),
}

impl Line {
    fn of(lines: &SideLines<'_>, line: u32) -> Self {
        match lines {
            SideLines::Fixed(content) => Self::Fixed((*content).clone(), line),
            SideLines::Live(live) => Self::Live(live.text.clone(), line),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Fixed(content, line) => content.line_text(*line).len(),
            Self::Live(text, line) => text.line_range(*line).len(),
        }
    }

    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Fixed(content, line) => String::from_utf8_lossy(content.line_text(*line)),
            Self::Live(text, line) => text.line(*line),
        }
    }
}

fn words(whitespace: Whitespace, old: &str, new: &str, cancel: &Cancel) -> Words {
    // Beside a blank line everything is new, which the line's own tint says.
    if old.trim().is_empty() || new.trim().is_empty() {
        return Words::default();
    }
    match inline::spans_under(whitespace, old, new, inline::PAIR_STEPS, cancel) {
        Ok(Inline::Spans(spans)) => Words { old: spans.old, new: spans.new },
        // The whole line is tinted already: that is what unrelated lines are.
        Ok(Inline::Unrelated | Inline::Skipped) | Err(_) => Words::default(),
    }
}
