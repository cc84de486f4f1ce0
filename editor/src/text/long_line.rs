//! The index of one long line: the column at each chunk of it.
//!
//! A chunk's effect on the column is summed once, as a function of the column it starts at: without a tab it adds its
//! width; with one, what is before the first tab adds, the tab rounds up, and the rest adds a constant, since it starts
//! at a tab stop.
//!
//! After an edit the index is made anew from the one before it. Texts share the chunks an edit did not touch, and the
//! index keeps its text alive, so equal addresses mean equal chunks: only the others are read. Adding up the sums of
//! 10 MB then takes some ten microseconds.

use std::ops::Range;

use super::Text;
use super::columns::{Cells, plain_width};

/// Chunks on either side of a changed one that are summed anew: a grapheme may reach across.
const NEIGHBOURS: usize = 2;

/// The columns of a long line of a text.
#[derive(Debug)]
pub(super) struct LongLine {
    text: Text,
    line: u32,
    chunks: Vec<Chunk>,
    /// Where each chunk's first grapheme starts, from the start of the line, and the column there.
    starts: Vec<(usize, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Chunk {
    /// Where its bytes are and how many; compared, never read through.
    address: usize,
    len: usize,
    sum: Sum,
}

/// What the graphemes that start in a chunk do to the column.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    /// Bytes at the start of the chunk that belong to a grapheme before it.
    skipped: usize,
    /// Width up to the first tab, or of all.
    plain: u32,
    /// Width after the first tab, if there is one.
    after_tab: Option<u32>,
}

impl LongLine {
    pub(super) fn new(text: &Text, line: u32, cells: Cells, known: Option<&Self>) -> Self {
        let range = text.line_range(line);
        let mut chunks: Vec<Chunk> = text
            .chunks(range.clone())
            .map(|chunk| Chunk { address: chunk.as_ptr() as usize, len: chunk.len(), sum: Sum::default() })
            .collect();
        let changed = known.map_or(0..chunks.len(), |known| take_over(&mut chunks, &known.chunks));
        sum_up(text, range, &mut chunks, changed, cells);

        let mut starts = Vec::with_capacity(chunks.len());
        let (mut offset, mut column) = (0, 0);
        for chunk in &chunks {
            starts.push((offset + chunk.sum.skipped, column));
            offset += chunk.len;
            column += chunk.sum.plain;
            if let Some(width) = chunk.sum.after_tab {
                column = cells.tab_stop(column) + width;
            }
        }
        Self { text: text.clone(), line, chunks, starts }
    }

    pub(super) fn line(&self) -> u32 {
        self.line
    }

    pub(super) fn is_of(&self, text: &Text) -> bool {
        self.text.same(text)
    }

    /// A place at or shortly before `offset`, and the column there; both from the start of the line.
    pub(super) fn before_offset(&self, offset: usize) -> (usize, u32) {
        self.last(|(start, _)| *start <= offset)
    }

    /// A place at or shortly before `column`, and the column there; both from the start of the line.
    pub(super) fn before_column(&self, column: u32) -> (usize, u32) {
        // Of several places at one column the first: what is found is then the same as when reading from the start.
        self.last(|(_, at)| *at < column)
    }

    fn last(&self, holds: impl Fn(&(usize, u32)) -> bool) -> (usize, u32) {
        self.starts.partition_point(holds).checked_sub(1).map_or((0, 0), |at| self.starts[at])
    }
}

/// Takes the sums of equal chunks from `known`; returns which chunks must be read.
fn take_over(chunks: &mut [Chunk], known: &[Chunk]) -> Range<usize> {
    let equal = |(ours, theirs): &(&mut Chunk, &Chunk)| (ours.address, ours.len) == (theirs.address, theirs.len);
    let count = chunks.len();
    let mut head = 0;
    for (ours, theirs) in chunks.iter_mut().zip(known).take_while(equal) {
        ours.sum = theirs.sum;
        head += 1;
    }
    let mut tail = 0;
    for (ours, theirs) in chunks[head..].iter_mut().rev().zip(known[head..].iter().rev()).take_while(equal) {
        ours.sum = theirs.sum;
        tail += 1;
    }
    if head == count && head == known.len() {
        return 0..0;
    }
    head.saturating_sub(NEIGHBOURS)..(count - tail + NEIGHBOURS).min(count)
}

fn sum_up(text: &Text, line: Range<usize>, chunks: &mut [Chunk], which: Range<usize>, cells: Cells) {
    let mut start = line.start + chunks[..which.start].iter().map(|chunk| chunk.len).sum::<usize>();
    let mut first = text.ceil_grapheme(start).min(line.end);
    for chunk in &mut chunks[which] {
        let end = start + chunk.len;
        let next = text.ceil_grapheme(end).min(line.end);
        chunk.sum = sum(&text.slice(first..next), first.saturating_sub(start), cells);
        (start, first) = (end, next);
    }
}

fn sum(content: &str, skipped: usize, cells: Cells) -> Sum {
    match memchr::memchr(b'\t', content.as_bytes()) {
        None => Sum { skipped, plain: plain_width(content), after_tab: None },
        Some(tab) => {
            Sum { skipped, plain: plain_width(&content[..tab]), after_tab: Some(cells.reach(&content[tab + 1..], 0)) }
        }
    }
}
