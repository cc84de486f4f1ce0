//! What each side changed within its lines, against the base.
//!
//! The lines of a chunk are paired by likeness and compared once, a few chunks a frame; what is over the budget comes in
//! the next.

use std::ops::Range;
use std::time::{Duration, Instant};

use diff::align;
use diff::engine::Whitespace;
use diff::inline::{self, Inline};
use diff::merge::{Merge, Version};
use editor::Cancel;
use rustc_hash::{FxHashMap, FxHashSet};

/// Time a frame may spend on words.
const FRAME: Duration = Duration::from_micros(800);
/// Longer lines, and chunks of more lines, are tinted as a whole.
const LONGEST: usize = 4096;
const MOST: u32 = 400;

/// Changed words of both sides.
#[derive(Default)]
pub struct SideWords {
    lines: FxHashMap<(Version, u32), Vec<Range<u32>>>,
    known: FxHashSet<usize>,
    postponed: bool,
}

impl SideWords {
    /// Compares the chunks that are in view and not known, as far as a frame's time goes.
    pub fn prepare(&mut self, merge: &Merge, chunks: impl Iterator<Item = usize>) {
        let start = Instant::now();
        self.postponed = false;
        for chunk in chunks {
            if self.known.contains(&chunk) {
                continue;
            }
            if start.elapsed() > FRAME {
                self.postponed = true;
                return;
            }
            self.known.insert(chunk);
            for version in [Version::Ours, Version::Theirs] {
                self.compare(merge, chunk, version);
            }
        }
    }

    /// Whether chunks in view wait for the next frame.
    pub fn is_postponed(&self) -> bool {
        self.postponed
    }

    /// The changed words of a line.
    pub fn of(&self, version: Version, line: u32) -> &[Range<u32>] {
        self.lines.get(&(version, line)).map_or(&[], Vec::as_slice)
    }

    fn compare(&mut self, merge: &Merge, chunk: usize, version: Version) {
        let Some(chunk) = merge.chunks().get(chunk).filter(|chunk| chunk.is_change()) else { return };
        let (base, side) = (chunk.base.clone(), chunk.lines(version));
        if base.is_empty() || side.is_empty() || base.len().max(side.len()) as u32 > MOST {
            return;
        }
        let line = |version: Version, line: u32| merge.content(version).line_text(line);
        let old: Vec<_> = base.clone().map(|n| line(Version::Base, n)).collect();
        let new: Vec<_> = side.clone().map(|n| line(version, n)).collect();
        let aligned = align::pairs(&old, &new);
        for row in 0..aligned.rows() {
            let (Some(a), Some(b)) = aligned.at(row) else { continue };
            let (a, b) = (old[a as usize], (new[b as usize], b));
            if a == b.0 || a.len().max(b.0.len()) > LONGEST || a.trim_ascii().is_empty() || b.0.trim_ascii().is_empty()
            {
                continue;
            }
            let (before, after) = (String::from_utf8_lossy(a), String::from_utf8_lossy(b.0));
            let spans = inline::spans_under(Whitespace::Exact, &before, &after, inline::PAIR_STEPS, &Cancel::new());
            if let Ok(Inline::Spans(spans)) = spans {
                // Another indentation is seen without a mark, and would be the largest of all.
                let is_said = |span: &Range<u32>| !after[span.start as usize..span.end as usize].trim().is_empty();
                self.lines.insert((version, side.start + b.1), spans.new.into_iter().filter(is_said).collect());
            }
        }
    }
}
