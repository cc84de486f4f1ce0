//! Visual columns: where a byte offset of a line stands on a grid of cells, and back.
//!
//! A *column* counts cells from the start of the line, from 0. A tab reaches to the next multiple of the tab width; a
//! wide character (CJK, emoji) takes two cells, a combining or other zero-width one none, a control character one (it
//! is drawn as a sign). A grapheme is never wider than two cells.
//!
//! A short line is read from its start. A line longer than [`LONG`] is indexed once ([`super::long_line`]), and after an
//! edit only the part of it that changed is read again, so that a key in a 10 MB line costs microseconds.

use std::sync::{Arc, Mutex, PoisonError};

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::Text;
use super::long_line::LongLine;

/// Lines longer than this, in bytes, are indexed.
const LONG: usize = 16 * 1024;

/// How many long lines stay indexed. Views stand in one or two; several carets may stand in more.
const INDEXED: usize = 8;

/// How offsets and columns correspond at a given tab width. Clones share what they know of long lines.
#[derive(Clone, Debug)]
pub struct Columns {
    cells: Cells,
    /// The long lines last asked about, latest last.
    long: Arc<Mutex<Vec<Arc<LongLine>>>>,
}

impl Columns {
    /// Columns with tabs every `tab_width` cells (at least 1).
    pub fn new(tab_width: u32) -> Self {
        Self { cells: Cells { tab_width: tab_width.max(1) }, long: Arc::default() }
    }

    /// Cells between tab stops.
    pub fn tab_width(&self) -> u32 {
        self.cells.tab_width
    }

    /// The column of `offset` in its line.
    pub fn column(&self, text: &Text, offset: usize) -> u32 {
        let offset = offset.min(text.len());
        let line = text.line_of(offset);
        let start = text.line_start(line);
        if offset - start <= LONG {
            return self.cells.reach(&text.slice(start..offset), 0);
        }
        let (at, column) = self.long_line(text, line).before_offset(offset - start);
        self.cells.reach(&text.slice(start + at..offset), column)
    }

    /// The offset in `line` that stands at `column`; inside a wide character or tab, the nearer of its two edges,
    /// and past the end of the line, that end.
    pub fn offset(&self, text: &Text, line: u32, column: u32) -> usize {
        let range = text.line_range(line);
        let (mut start, mut at) = (range.start, 0);
        if range.len() > LONG {
            let (before, reached) = self.long_line(text, line).before_column(column);
            (start, at) = (range.start + before, reached);
        }
        // A cell takes at least one byte or none at all, so what is sought is mostly within as many bytes; go on from
        // there when it is not.
        loop {
            let end = if range.len() > LONG { text.ceil_grapheme(start + LONG).min(range.end) } else { range.end };
            match self.cells.find(&text.slice(start..end), at, column) {
                Ok(found) => return start + found,
                Err(reached) => at = reached,
            }
            if end >= range.end {
                return range.end;
            }
            start = end;
        }
    }

    /// The column reached by `grapheme` when it starts at `column`.
    #[inline]
    pub fn after(&self, grapheme: &str, column: u32) -> u32 {
        self.cells.after(grapheme, column)
    }

    /// How many cells `content` takes when it starts at `column`.
    pub fn width(&self, content: &str, column: u32) -> u32 {
        self.cells.reach(content, column) - column
    }

    /// The index of a long line of this text, made from what is known of the one before an edit.
    fn long_line(&self, text: &Text, line: u32) -> Arc<LongLine> {
        let known = {
            let mut long = self.long.lock().unwrap_or_else(PoisonError::into_inner);
            long.iter().position(|known| known.line() == line).map(|at| long.remove(at))
        };
        let index = match known {
            Some(known) if known.is_of(text) => known,
            known => Arc::new(LongLine::new(text, line, self.cells, known.as_deref())),
        };
        let mut long = self.long.lock().unwrap_or_else(PoisonError::into_inner);
        if long.len() >= INDEXED {
            long.remove(0);
        }
        long.push(Arc::clone(&index));
        index
    }
}

impl Default for Columns {
    fn default() -> Self {
        Self::new(4)
    }
}

/// The rules for how wide things are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cells {
    tab_width: u32,
}

impl Cells {
    /// The first tab stop after `column`.
    #[inline]
    pub(super) fn tab_stop(self, column: u32) -> u32 {
        (column / self.tab_width + 1) * self.tab_width
    }

    #[inline]
    fn after(self, grapheme: &str, column: u32) -> u32 {
        match grapheme.as_bytes() {
            [b'\t'] => self.tab_stop(column),
            [_] => column + 1,
            _ => column + grapheme.width().min(2) as u32,
        }
    }

    /// The column reached by `content` when it starts at `column`.
    pub(super) fn reach(self, content: &str, column: u32) -> u32 {
        let mut at = column;
        for (number, part) in content.split('\t').enumerate() {
            if number > 0 {
                at = self.tab_stop(at);
            }
            at += plain_width(part);
        }
        at
    }

    /// Where in `content`, which starts at column `at`, `column` is; or the column at its end.
    fn find(self, content: &str, mut at: u32, column: u32) -> Result<usize, u32> {
        for (start, grapheme) in content.grapheme_indices(true) {
            let next = self.after(grapheme, at);
            if next > column {
                return Ok(if column.saturating_sub(at) <= next - column { start } else { start + grapheme.len() });
            }
            at = next;
        }
        Err(at)
    }
}

/// The width of text without tabs.
pub(super) fn plain_width(content: &str) -> u32 {
    if content.is_ascii() {
        // CR LF never stands inside a line, so every byte is a cell.
        return content.len() as u32;
    }
    content
        .chars()
        .try_fold(0, |width, c| Some(width + lone_width(c)?))
        .unwrap_or_else(|| content.graphemes(true).map(grapheme_width).sum())
}

fn grapheme_width(grapheme: &str) -> u32 {
    if grapheme.len() == 1 { 1 } else { grapheme.width().min(2) as u32 }
}

/// The width of a character that is a grapheme of its own beside others of its kind: most of the world's text, and ten
/// times faster than finding graphemes. `None` for all others.
#[inline]
pub(super) fn lone_width(c: char) -> Option<u32> {
    match u32::from(c) {
        // ASCII, Latin, Greek, Cyrillic, Hebrew, Arabic letters, dashes and quotation marks.
        0x20..=0x7e
        | 0xc0..=0x2ff
        | 0x391..=0x3a1
        | 0x3a3..=0x3c9
        | 0x400..=0x482
        | 0x5d0..=0x5ea
        | 0x621..=0x63a
        | 0x641..=0x64a
        | 0x2010..=0x2027 => Some(1),
        // CJK punctuation, kana, ideographs, Hangul syllables, full-width forms.
        0x3001..=0x3029 | 0x3041..=0x3096 | 0x30a1..=0x30fa | 0x4e00..=0x9fff | 0xac00..=0xd7a3 | 0xff01..=0xff60 => {
            Some(2)
        }
        _ => None,
    }
}
