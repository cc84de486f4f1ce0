//! Visual columns: where a byte offset of a line stands on a grid of cells, and back.
//!
//! A *column* counts cells from the start of the line, from 0. A tab reaches to the next multiple of the tab width; a
//! wide character (CJK, emoji) takes two cells, a combining or other zero-width one none, a control character one (it
//! is drawn as a sign). A grapheme is never wider than two cells.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::Text;

/// How offsets and columns correspond at a given tab width.
#[derive(Clone, Debug)]
pub struct Columns {
    tab_width: u32,
}

impl Columns {
    /// Columns with tabs every `tab_width` cells (at least 1).
    pub fn new(tab_width: u32) -> Self {
        Self { tab_width: tab_width.max(1) }
    }

    /// Cells between tab stops.
    pub fn tab_width(&self) -> u32 {
        self.tab_width
    }

    /// The column of `offset` in its line.
    pub fn column(&self, text: &Text, offset: usize) -> u32 {
        let start = text.line_start(text.line_of(offset));
        self.advance(text, start..offset, 0)
    }

    /// The offset in `line` that stands at `column`; inside a wide character or tab, the nearer of its two edges,
    /// and past the end of the line, that end.
    pub fn offset(&self, text: &Text, line: u32, column: u32) -> usize {
        let range = text.line_range(line);
        let content = text.slice(range.clone());
        let mut at = 0;
        for (start, grapheme) in content.grapheme_indices(true) {
            let next = self.after(grapheme, at);
            if next > column {
                return range.start + if column - at <= next - column { start } else { start + grapheme.len() };
            }
            at = next;
        }
        range.end
    }

    /// The column reached by `grapheme` when it starts at `column`.
    #[inline]
    pub fn after(&self, grapheme: &str, column: u32) -> u32 {
        match grapheme.as_bytes() {
            [b'\t'] => (column / self.tab_width + 1) * self.tab_width,
            [_] => column + 1,
            _ => column + grapheme.width().min(2) as u32,
        }
    }

    /// How many cells `content` takes when it starts at `column`.
    pub fn width(&self, content: &str, column: u32) -> u32 {
        content.graphemes(true).fold(column, |at, grapheme| self.after(grapheme, at)) - column
    }

    fn advance(&self, text: &Text, range: Range<usize>, column: u32) -> u32 {
        column + self.width(&text.slice(range), column)
    }
}

impl Default for Columns {
    fn default() -> Self {
        Self::new(4)
    }
}
