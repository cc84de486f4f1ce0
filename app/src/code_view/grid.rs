//! The grid: measures of a cell, and one line's text drawn into a row.
//!
//! Plain characters (those of the bundled code font, all equally wide) are put down glyph by glyph ([`glyphs`]);
//! everything else (CJK, emoji, combining sequences, other scripts) is laid out by egui, cluster by cluster, each at its
//! own column, so a fallback font never moves what follows.
//!
//! [`glyphs`]: super::glyphs

use std::ops::Range;

use editor::text::Columns;
use eframe::egui::{Color32, FontId, Painter, Pos2, Ui, pos2};
use unicode_segmentation::UnicodeSegmentation;

use super::glyphs::{Glyphs, Strip, job};

/// Measures of the code font, in points, and its glyphs.
#[derive(Clone)]
pub struct Cells {
    font: FontId,
    /// Width of a cell.
    pub cell: f32,
    /// Height of a row.
    pub row: f32,
    glyphs: Glyphs,
}

impl Cells {
    /// Measures `font`, with rows of `row` points.
    pub fn new(ui: &Ui, font: FontId, row: f32) -> Self {
        // Measured over many characters: a galley's width is rounded, a cell's is not.
        const SAMPLE: usize = 256;
        let cell = ui.fonts_mut(|f| f.layout_job(job(&"0".repeat(SAMPLE), 0.0, &font, row))).size().x / SAMPLE as f32;
        let glyphs = Glyphs::of(ui, &font, row);
        Self { font, cell: cell.max(1.0), row, glyphs }
    }

    /// The code font of the theme.
    pub fn of_theme(ui: &Ui) -> Self {
        let (_, sizes) = crate::theme::look(ui);
        Self::new(ui, sizes.code(), sizes.code_line)
    }

    /// Begins a strip of single characters, each with its own colour.
    pub fn strip<'a>(&'a self, painter: &'a Painter, at: Pos2) -> Strip<'a> {
        self.glyphs.strip(painter, self.cell, at)
    }

    /// Width of this many columns.
    pub fn columns(&self, n: u32) -> f32 {
        n as f32 * self.cell
    }
}

/// A stretch of a line's text with a colour. Byte offsets within the text that is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Coloured {
    pub range: Range<u32>,
    pub color: Color32,
}

/// A window of a line, ready to be drawn.
pub struct LinePiece<'a> {
    /// The text, without its ending.
    pub text: &'a str,
    /// The column at which it starts.
    pub column: u32,
    /// Sorted and disjoint; what lies between has the default colour.
    pub colours: &'a [Coloured],
    pub default: Color32,
    /// For characters that would be invisible otherwise.
    pub special: Color32,
}

/// Draws `piece`; `at` is the upper left corner of its first cell.
pub fn draw(painter: &Painter, cells: &Cells, columns: &Columns, at: Pos2, piece: &LinePiece<'_>) {
    let mut strip = cells.glyphs.strip(painter, cells.cell, at);
    strip.reserve(piece.text.len());
    let mut pen = Pen { piece, strip, others: Vec::new(), column: piece.column, next: 0 };
    if piece.text.bytes().all(is_plain_byte) {
        pen.plain(piece.text, 0);
    } else {
        pen.mixed(columns);
    }
    let Pen { strip, others, .. } = pen;
    strip.draw();
    for Other { text, column, color } in others {
        let galley = painter.layout_job(job(&text, 0.0, &cells.font, cells.row));
        painter.galley(pos2(at.x + cells.columns(column - piece.column), at.y), galley, color);
    }
}

/// Writes plain characters in one colour, from the upper left corner of the first one's cell.
pub fn label(painter: &Painter, cells: &Cells, at: Pos2, text: &str, color: Color32) {
    let mut strip = cells.glyphs.strip(painter, cells.cell, at);
    for (cell, c) in (0..).zip(text.chars()) {
        strip.put(cell, c, color);
    }
    strip.draw();
}

/// Draws a character that is not of the code font, or slanted, with what combines with it, from the upper left corner
/// of its cell.
pub fn cluster(painter: &Painter, cells: &Cells, at: Pos2, text: String, italic: bool, color: Color32) {
    let mut job = job(&text, 0.0, &cells.font, cells.row);
    job.sections.iter_mut().for_each(|section| section.format.italics = italic);
    painter.galley(at, painter.layout_job(job), color);
}

fn is_plain_byte(b: u8) -> bool {
    matches!(b, b' '..=b'~')
}

/// Characters that the bundled font has, one cell each.
pub fn is_plain(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{24f}' | '\u{391}'..='\u{3c9}' | '\u{410}'..='\u{44f}' | '–' | '—' | '‘'..='„' | '…' | '→' | '←' | '↑' | '↓' | '─'..='╬')
}

/// What is drawn in place of a character that has no shape: control characters get their pictures (U+2400),
/// invisible and direction-changing ones a mark, so that nothing in a change can hide.
fn visible(cluster: &str) -> Option<char> {
    let c = cluster.chars().next()?;
    match c {
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)),
        '\u{7f}' => Some('\u{2421}'),
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' => {
            Some('\u{2423}')
        }
        _ => None,
    }
}

/// A cluster that is not of the code font.
struct Other {
    text: String,
    column: u32,
    color: Color32,
}

struct Pen<'a> {
    piece: &'a LinePiece<'a>,
    strip: Strip<'a>,
    others: Vec<Other>,
    column: u32,
    /// The first of the piece's colours that may still apply.
    next: usize,
}

impl Pen<'_> {
    /// Puts characters of one cell each, which are at byte `at` of the piece.
    fn plain(&mut self, text: &str, at: usize) {
        let (mut color, mut same) = (self.piece.default, 0);
        for (n, c) in text.char_indices() {
            if n >= same {
                let (next, len) = self.colour_at(at + n, text.len() - n);
                (color, same) = (next, n + len);
            }
            self.strip.put(self.column - self.piece.column, c, color);
            self.column += 1;
        }
    }

    /// The colour at a byte, and for how many bytes (at most `max`) it stays the same.
    fn colour_at(&mut self, at: usize, max: usize) -> (Color32, usize) {
        let colours = self.piece.colours;
        while colours.get(self.next).is_some_and(|c| c.range.end as usize <= at) {
            self.next += 1;
        }
        match colours.get(self.next) {
            Some(c) if c.range.start as usize <= at => (c.color, (c.range.end as usize - at).min(max)),
            Some(c) => (self.piece.default, (c.range.start as usize - at).min(max)),
            None => (self.piece.default, max),
        }
    }

    fn mixed(&mut self, columns: &Columns) {
        let text = self.piece.text;
        let mut at = 0;
        while at < text.len() {
            let plain = text[at..].find(|c| !is_plain(c)).map_or(text.len(), |n| at + n);
            // The last plain character may be the base of a combining sequence.
            let plain_end = if plain < text.len() && plain > at { prev_char(text, plain) } else { plain };
            if plain_end > at {
                self.plain(&text[at..plain_end], at);
                at = plain_end;
                continue;
            }
            let Some(cluster) = text[at..].graphemes(true).next() else { break };
            self.cluster(cluster, at, columns);
            at += cluster.len();
        }
    }

    fn cluster(&mut self, cluster: &str, at: usize, columns: &Columns) {
        if cluster.chars().count() == 1 && cluster.chars().all(is_plain) {
            return self.plain(cluster, at);
        }
        let end = columns.after(cluster, self.column);
        if cluster != "\t" {
            let shown = visible(cluster);
            let color = if shown.is_some() { self.piece.special } else { self.colour_at(at, cluster.len()).0 };
            let text = shown.map_or_else(|| cluster.to_owned(), String::from);
            self.others.push(Other { text, column: self.column, color });
        }
        self.column = end;
    }
}

fn prev_char(text: &str, at: usize) -> usize {
    text[..at].char_indices().next_back().map_or(0, |(n, _)| n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_shape_is_drawn_as_a_mark() {
        let drawn = ["\r", "\u{0}", "\u{7f}", "\u{202e}", "\u{200b}", "a", "漢"].map(visible);
        assert_eq!(drawn, [Some('␍'), Some('␀'), Some('␡'), Some('␣'), Some('␣'), None, None]);
    }
}
