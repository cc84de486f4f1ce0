//! Where the text of a line comes from: a live document or a fixed side of a comparison, a window of it at a time.
//!
//! Positions in a line are byte offsets of its text without the line ending. Short lines are taken whole. A line of
//! more than [`LONG`] bytes is never laid out whole: [`LongLines`] remembers, every few hundred bytes, which column
//! is there, as far as somebody looked, so a window of columns is found without walking the line again.

use std::borrow::Cow;
use std::ops::Range;

use diff::lines::Content;
use diff::notes::LineEndings;
use editor::text::{Columns, Text};
use rustc_hash::FxHashMap;
use unicode_segmentation::UnicodeSegmentation;

/// Lines longer than this many bytes are drawn in windows.
pub const LONG: usize = 4096;

/// Bytes between two remembered columns.
const STEP: usize = 512;

/// Names a text in caches, for as long as somebody holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextKey {
    Document {
        id: u64,
        version: u64,
    },
    /// Fixed bytes, by where they are.
    Content {
        address: usize,
        len: usize,
    },
}

impl TextKey {
    /// The key of fixed bytes.
    pub fn of_content(content: &Content) -> Self {
        Self::Content { address: content.bytes().as_ptr() as usize, len: content.len() }
    }
}

/// Text by lines.
pub trait Lines {
    /// Number of lines.
    fn count(&self) -> u32;
    /// Bytes of a line's text.
    fn len(&self, line: u32) -> usize;
    /// A part of a line's text; the range is moved to character boundaries.
    fn window(&self, line: u32, range: Range<usize>) -> Cow<'_, str>;
    /// Whether all of this part is printable ASCII: one byte, one cell.
    fn is_plain(&self, line: u32, range: Range<usize>) -> bool {
        self.window(line, range).bytes().all(|b| matches!(b, b' '..=b'~'))
    }
    /// Names this text in caches; another text, or another version of it, has another key.
    fn key(&self) -> TextKey;
    /// How a line ends.
    fn ending(&self, line: u32) -> LineEndings;
}

/// A snapshot of a document.
pub struct DocumentLines<'a> {
    pub text: &'a Text,
    pub document: u64,
    pub version: u64,
}

impl Lines for DocumentLines<'_> {
    fn count(&self) -> u32 {
        self.text.line_count()
    }

    fn len(&self, line: u32) -> usize {
        let range = self.text.line_range(line);
        range.end - range.start
    }

    fn window(&self, line: u32, range: Range<usize>) -> Cow<'_, str> {
        let whole = self.text.line_range(line);
        let start = self.text.floor_char((whole.start + range.start).min(whole.end));
        let end = self.text.floor_char((whole.start + range.end).min(whole.end));
        self.text.slice(start..end.max(start))
    }

    fn key(&self) -> TextKey {
        TextKey::Document { id: self.document, version: self.version }
    }

    fn ending(&self, line: u32) -> LineEndings {
        LineEndings::of(self.text.slice(self.text.line_end(line)..self.text.line_start(line + 1)).as_bytes())
    }
}

impl Lines for Content {
    fn count(&self) -> u32 {
        self.line_count()
    }

    fn len(&self, line: u32) -> usize {
        self.line_text(line).len()
    }

    fn window(&self, line: u32, range: Range<usize>) -> Cow<'_, str> {
        let bytes = self.line_text(line);
        let start = floor_char(bytes, range.start);
        let end = floor_char(bytes, range.end);
        String::from_utf8_lossy(&bytes[start..end.max(start)])
    }

    fn key(&self) -> TextKey {
        TextKey::of_content(self)
    }

    fn ending(&self, line: u32) -> LineEndings {
        let line = self.line(line);
        LineEndings::of(&line[line.len().saturating_sub(2)..]) // a line may be megabytes long
    }
}

fn floor_char(bytes: &[u8], at: usize) -> usize {
    let mut at = at.min(bytes.len());
    // A continuation byte has the form 10xxxxxx; at most three follow a lead byte.
    for _ in 0..3 {
        if at < bytes.len() && at > 0 && bytes[at] & 0xC0 == 0x80 {
            at -= 1;
        }
    }
    at
}

/// A part of a line that covers some columns.
pub struct Window<'a> {
    pub text: Cow<'a, str>,
    /// Its first byte in the line, and the column there.
    pub start: usize,
    pub column: u32,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct LineKey(TextKey, u32);

/// What is known of a long line.
#[derive(Default)]
struct LongLine {
    /// One byte is one cell everywhere.
    plain: bool,
    /// `marks[k]` is the column at or just after byte `k * STEP`, and the byte it is exact for.
    marks: Vec<(usize, u32)>,
}

/// The columns of long lines, remembered for the few that are in view.
#[derive(Default)]
pub struct LongLines(FxHashMap<LineKey, LongLine>);

/// Long lines remembered at once; more than a screen of them is started afresh.
const KEPT: usize = 256;

impl LongLines {
    /// The part of `line` that covers `columns`, and a little more.
    pub fn window<'a>(&mut self, lines: &'a dyn Lines, line: u32, tabs: &Columns, columns: Range<u32>) -> Window<'a> {
        let len = lines.len(line);
        if len <= LONG {
            return Window { text: lines.window(line, 0..len), start: 0, column: 0 };
        }
        let known = self.line(lines, line, len);
        if known.plain {
            let start = (columns.start as usize).min(len);
            let end = (columns.end as usize + 1).min(len);
            return Window { text: lines.window(line, start..end), start, column: start as u32 };
        }
        known.reach(lines, line, len, tabs, |_, column| column >= columns.start);
        let n = known.marks.partition_point(|&(_, column)| column <= columns.start).saturating_sub(1);
        let (start, column) = known.marks[n];
        // A cell takes at most a few bytes; combining marks beyond that are cut off at the edge of the view.
        let bytes = (columns.end.saturating_sub(column) as usize + 2) * 8;
        Window { text: lines.window(line, start..(start + bytes).min(len)), start, column }
    }

    /// The column of a byte of a line.
    pub fn column(&mut self, lines: &dyn Lines, line: u32, tabs: &Columns, byte: usize) -> u32 {
        let len = lines.len(line);
        let (start, column) = if len <= LONG {
            (0, 0)
        } else {
            let known = self.line(lines, line, len);
            if known.plain {
                return byte.min(len) as u32;
            }
            known.reach(lines, line, len, tabs, |at, _| at >= byte);
            let n = known.marks.partition_point(|&(at, _)| at <= byte).saturating_sub(1);
            known.marks[n]
        };
        tabs.width(&lines.window(line, start..byte.min(len)), column) + column
    }

    /// The byte of a line that is nearest to a column, on a grapheme boundary.
    pub fn byte(&mut self, lines: &dyn Lines, line: u32, tabs: &Columns, column: f64) -> usize {
        let wanted = column.max(0.0);
        let window = self.window(lines, line, tabs, wanted as u32..wanted as u32 + 2);
        let (mut at, mut from) = (window.start, window.column);
        for cluster in window.text.graphemes(true) {
            let to = tabs.after(cluster, from);
            if to > from && wanted < f64::from(from + to) / 2.0 {
                return at;
            }
            at += cluster.len();
            from = to;
        }
        at
    }

    /// Columns that a line takes; for a long line that is not plain, as far as is known.
    pub fn width(&mut self, lines: &dyn Lines, line: u32, tabs: &Columns) -> u32 {
        let len = lines.len(line);
        if len <= LONG {
            return tabs.width(&lines.window(line, 0..len), 0);
        }
        let known = self.line(lines, line, len);
        if known.plain {
            return len as u32;
        }
        known.marks.last().map_or(0, |&(at, column)| column + (len - at) as u32)
    }

    fn line(&mut self, lines: &dyn Lines, line: u32, len: usize) -> &mut LongLine {
        if self.0.len() > KEPT {
            self.0.clear();
        }
        self.0
            .entry(LineKey(lines.key(), line))
            .or_insert_with(|| LongLine { plain: lines.is_plain(line, 0..len), marks: vec![(0, 0)] })
    }
}

impl LongLine {
    /// Walks on until `enough(byte, column)` holds or the line ends.
    fn reach(&mut self, lines: &dyn Lines, line: u32, len: usize, tabs: &Columns, enough: impl Fn(usize, u32) -> bool) {
        while let Some(&(at, column)) = self.marks.last() {
            if enough(at, column) || at >= len {
                return;
            }
            let text = lines.window(line, at..(at + STEP).min(len));
            if text.is_empty() {
                return;
            }
            // Replacement characters of bytes that are no text are longer than what they stand for.
            self.marks.push((at + text.len().min(STEP), column + tabs.width(&text, column)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> Content {
        Content::new(text.as_bytes()).unwrap()
    }

    /// The column of every character boundary, and the byte that a click on that column finds.
    fn round_trip(text: &str) {
        let content = content(text);
        let (mut long, tabs) = (LongLines::default(), Columns::new(4));
        for (byte, _) in text.grapheme_indices(true).step_by(text.len() / 64 + 1) {
            let column = long.column(&content, 0, &tabs, byte);
            assert_eq!(column, tabs.width(&text[..byte], 0), "column of byte {byte}");
            let found = long.byte(&content, 0, &tabs, f64::from(column));
            assert_eq!(tabs.width(&text[..found], 0), column, "byte at column {column}");
        }
    }

    #[test]
    fn columns_of_short_lines_count_tabs_and_wide_characters() {
        round_trip("\tlet s = \"漢字 👨‍👩‍👧 e\u{301}\"; // ok\tend");
    }

    #[test]
    fn columns_of_long_lines_agree_with_walking_the_line() {
        round_trip(&"plain ascii only; ".repeat(1000));
        round_trip(&"\ta\t漢字👶🏾é ".repeat(800));
    }

    #[test]
    fn a_window_of_a_long_line_is_short_and_starts_at_the_column_it_says() {
        let text = "漢字 and tabs\t".repeat(2000);
        let content = content(&text);
        let tabs = Columns::new(8);
        let window = LongLines::default().window(&content, 0, &tabs, 9000..9100);
        assert!(window.text.len() < 4 * LONG, "{} bytes", window.text.len());
        assert!(window.column <= 9000);
        assert_eq!(tabs.width(&text[..window.start], 0), window.column);
        assert!(window.column + tabs.width(&window.text, window.column) >= 9100);
    }

    #[test]
    fn a_click_goes_to_the_nearer_edge_of_a_character() {
        let content = content("a漢b");
        let (mut long, tabs) = (LongLines::default(), Columns::default());
        let mut at = |column| long.byte(&content, 0, &tabs, column);
        assert_eq!([at(0.4), at(0.6), at(1.9), at(2.1), at(9.0)], [0, 1, 1, 4, 5]);
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_and_do_not_panic() {
        let content = Content::new(&[b'a', 0xff, 0xfe, b'\t', b'b'][..].repeat(3000)[..]).unwrap();
        let tabs = Columns::default();
        let mut long = LongLines::default();
        let window = long.window(&content, 0, &tabs, 100..120);
        assert!(window.text.contains('\u{fffd}'));
        long.column(&content, 0, &tabs, 10_000);
    }
}
