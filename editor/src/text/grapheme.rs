//! Graphemes: what a reader takes for one character, found without reading the line they are in.
//!
//! A boundary is sought in a *window* around the offset, so a 10 MB line costs no more than a short one. A cluster, or
//! a run of regional indicators, longer than half the window is cut at its edge; real text has none.

use unicode_segmentation::{GraphemeCursor, GraphemeIncomplete};

use super::Text;
use super::columns::lone_width;

/// Bytes looked at before and after an offset. A multiple of 8, so that cutting a long run of regional indicators
/// leaves whole flags.
const REACH: usize = 1024;

/// Whether `c` is a grapheme of its own beside others that are.
fn lone(c: char) -> bool {
    lone_width(c).is_some()
}

impl Text {
    /// The end of the grapheme that starts at `offset`: where Right goes. The end of the text stays.
    pub fn next_grapheme(&self, offset: usize) -> usize {
        let Some(byte) = self.byte(offset) else { return self.len() };
        // Two ASCII bytes always stand apart, but for CR LF.
        if byte.is_ascii() {
            match self.byte(offset + 1) {
                None => return self.len(),
                Some(next) if next.is_ascii() => return offset + 1 + usize::from(byte == b'\r' && next == b'\n'),
                Some(_) => {}
            }
        }
        let mut chars = self.chars_at(offset);
        if let (Some(c), next) = (chars.next(), chars.next())
            && lone(c)
            && next.is_none_or(lone)
            && self.is_char_boundary(offset)
        {
            return offset + c.len_utf8();
        }
        self.in_window(offset, |cursor, window| cursor.next_boundary(window, 0)).unwrap_or(self.len())
    }

    /// The start of the grapheme that ends at `offset`: where Left goes. The start of the text stays.
    pub fn prev_grapheme(&self, offset: usize) -> usize {
        let offset = offset.min(self.len());
        if offset == 0 {
            return 0;
        }
        if let (Some(last), before) = (self.byte(offset - 1), offset.checked_sub(2).and_then(|at| self.byte(at)))
            && last.is_ascii()
        {
            match before {
                // ASCII joins to nothing before it but CR to LF, and a prepended mark, which is not ASCII.
                None => return 0,
                Some(before) if before.is_ascii() => {
                    return offset - 1 - usize::from(last == b'\n' && before == b'\r');
                }
                Some(_) => {}
            }
        }
        let mut chars = self.chars_before(offset);
        if let (Some(c), before) = (chars.next(), chars.next())
            && lone(c)
            && before.is_none_or(lone)
            && self.is_char_boundary(offset)
        {
            return offset - c.len_utf8();
        }
        self.in_window(offset, |cursor, window| cursor.prev_boundary(window, 0)).unwrap_or(0)
    }

    /// Whether a caret may stand at `offset`.
    pub fn is_grapheme_boundary(&self, offset: usize) -> bool {
        if offset == 0 || offset >= self.len() {
            return offset <= self.len();
        }
        if let (Some(before), Some(after)) = (self.byte(offset - 1), self.byte(offset))
            && before.is_ascii()
            && after.is_ascii()
        {
            return !(before == b'\r' && after == b'\n');
        }
        if !self.is_char_boundary(offset) {
            return false;
        }
        self.char_before(offset).is_some_and(lone) && self.char_at(offset).is_some_and(lone)
            || self
                .in_window(offset, |cursor, window| cursor.is_boundary(window, 0).map(|is| is.then_some(0)))
                .is_some()
    }

    /// The nearest place at or before `offset` where a caret may stand.
    pub fn floor_grapheme(&self, offset: usize) -> usize {
        let offset = self.floor_char(offset);
        if self.is_grapheme_boundary(offset) { offset } else { self.prev_grapheme(offset) }
    }

    /// The nearest place at or after `offset` where a caret may stand.
    pub fn ceil_grapheme(&self, offset: usize) -> usize {
        let floor = self.floor_grapheme(offset);
        if floor >= offset.min(self.len()) { floor } else { self.next_grapheme(floor) }
    }

    /// Asks a cursor standing at `offset` in the window around it; the answer is an offset of the whole text.
    fn in_window(
        &self,
        offset: usize,
        ask: impl FnOnce(&mut GraphemeCursor, &str) -> Result<Option<usize>, GraphemeIncomplete>,
    ) -> Option<usize> {
        let offset = self.floor_char(offset);
        let start = self.floor_char(offset.saturating_sub(REACH));
        let window = self.slice(start..offset + REACH);
        let mut cursor = GraphemeCursor::new(offset - start, window.len(), true);
        // The window is handed over as the whole text, so the cursor never asks for more.
        ask(&mut cursor, &window).ok().flatten().map(|at| start + at)
    }
}
