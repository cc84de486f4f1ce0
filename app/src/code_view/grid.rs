//! The grid: measures of a cell, and one line's text drawn into a row.
//!
//! Runs of plain characters (those of the bundled code font, all equally wide) become one galley each, coloured by
//! sections; everything else (CJK, emoji, combining sequences, other scripts) is drawn cluster by cluster at its own
//! column, so a fallback font never moves what follows. egui caches galleys by content: a warm row costs a hash.

use std::ops::Range;

use editor::text::Columns;
use eframe::egui::text::{LayoutJob, LayoutSection, TextFormat, TextWrapping};
use eframe::egui::{Color32, FontId, Painter, Pos2, Ui, pos2};
use unicode_segmentation::UnicodeSegmentation;

/// Measures of the code font, in points.
#[derive(Clone, Debug, PartialEq)]
pub struct Cells {
    pub font: FontId,
    /// Width of a cell.
    pub cell: f32,
    /// Height of a row.
    pub row: f32,
}

impl Cells {
    /// Measures `font`, with rows of `row` points.
    pub fn new(ui: &Ui, font: FontId, row: f32) -> Self {
        // Measured over many characters: a galley's width is rounded, a cell's is not.
        const SAMPLE: usize = 256;
        let job = job_of("0".repeat(SAMPLE), Vec::new(), &font, row, Color32::PLACEHOLDER);
        let cell = ui.fonts_mut(|f| f.layout_job(job)).size().x / SAMPLE as f32;
        Self { font, cell: cell.max(1.0), row }
    }

    /// The code font of the theme.
    pub fn of_theme(ui: &Ui) -> Self {
        let (_, sizes) = crate::theme::look(ui);
        Self::new(ui, sizes.code(), sizes.code_line)
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

/// Draws `piece`; `origin` is the top left corner of column 0 of the row.
pub fn draw(painter: &Painter, cells: &Cells, columns: &Columns, origin: Pos2, piece: &LinePiece<'_>) {
    let mut pen = Pen {
        painter,
        cells,
        origin,
        piece,
        job: String::new(),
        sections: Vec::new(),
        start: piece.column,
        column: piece.column,
        next: 0,
    };
    if piece.text.bytes().all(is_plain_byte) {
        pen.plain(piece.text, 0);
    } else {
        pen.mixed(columns);
    }
    pen.flush();
}

fn is_plain_byte(b: u8) -> bool {
    matches!(b, b' '..=b'~')
}

/// Characters that the bundled font has, one cell each.
fn is_plain(c: char) -> bool {
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

struct Pen<'a> {
    painter: &'a Painter,
    cells: &'a Cells,
    origin: Pos2,
    piece: &'a LinePiece<'a>,
    job: String,
    sections: Vec<LayoutSection>,
    /// Column at which `job` starts.
    start: u32,
    /// Column at which it ends.
    column: u32,
    /// The first of the piece's colours that may still apply.
    next: usize,
}

impl Pen<'_> {
    fn at(&self, column: u32) -> Pos2 {
        pos2(self.origin.x + self.cells.columns(column), self.origin.y)
    }

    /// Appends characters of one cell each, which are at byte `at` of the piece.
    fn plain(&mut self, text: &str, at: usize) {
        let mut done = 0;
        while done < text.len() {
            let (color, len) = self.colour_at(at + done, text.len() - done);
            let mut end = (done + len).min(text.len());
            while !text.is_char_boundary(end) {
                end += 1;
            }
            self.append(&text[done..end], color);
            done = end;
        }
        self.column += if text.is_ascii() { text.len() } else { text.chars().count() } as u32;
    }

    fn append(&mut self, text: &str, color: Color32) {
        let from = self.job.len();
        self.job.push_str(text);
        let to = self.job.len();
        if let Some(last) = self.sections.last_mut()
            && last.format.color == color
        {
            last.byte_range.end = to.into();
            return;
        }
        self.sections.push(section(from..to, &self.cells.font, self.cells.row, color));
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
        let end = columns.after(cluster, self.column);
        if cluster == "\t" {
            let spaces = " ".repeat((end - self.column) as usize);
            self.append(&spaces, self.piece.default);
            self.column = end;
            return;
        }
        if cluster.chars().count() == 1 && cluster.chars().all(is_plain) {
            return self.plain(cluster, at);
        }
        let shown = visible(cluster);
        let color = if shown.is_some() { self.piece.special } else { self.colour_at(at, cluster.len()).0 };
        self.flush();
        let text = shown.map_or_else(|| cluster.to_owned(), String::from);
        let job = job_of(text, Vec::new(), &self.cells.font, self.cells.row, color);
        let galley = self.painter.layout_job(job);
        self.painter.galley(self.at(self.column), galley, color);
        self.column = end;
        self.start = end;
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.job);
        let sections = std::mem::take(&mut self.sections);
        if !text.trim_end().is_empty() {
            let job = job_of(text, sections, &self.cells.font, self.cells.row, self.piece.default);
            let galley = self.painter.layout_job(job);
            self.painter.galley(self.at(self.start), galley, self.piece.default);
        }
        self.start = self.column;
    }
}

fn prev_char(text: &str, at: usize) -> usize {
    text[..at].char_indices().next_back().map_or(0, |(n, _)| n)
}

fn section(range: Range<usize>, font: &FontId, row: f32, color: Color32) -> LayoutSection {
    LayoutSection {
        leading_space: 0.0,
        byte_range: range.start.into()..range.end.into(),
        format: TextFormat { font_id: font.clone(), color, line_height: Some(row), ..TextFormat::default() },
    }
}

fn job_of(text: String, mut sections: Vec<LayoutSection>, font: &FontId, row: f32, color: Color32) -> LayoutJob {
    if sections.is_empty() {
        sections.push(section(0..text.len(), font, row, color));
    }
    LayoutJob {
        text,
        sections,
        wrap: TextWrapping::no_max_width(),
        break_on_newline: false,
        keep_trailing_whitespace: true,
        round_output_to_gui: false,
        ..LayoutJob::default()
    }
}
