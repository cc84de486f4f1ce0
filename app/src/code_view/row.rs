//! One row of code: marks under the text, the text in its colours, line numbers, and the blinking of carets.

use std::ops::Range;

use editor::syntax::{LineSpan, Token};
use editor::text::{Columns, Wrapped};
use eframe::egui::{self, Color32, Painter, Rangef, Rect, Ui, pos2};

use super::grid::{self, Cells, Coloured, LinePiece};
use super::lines::{Lines, LongLines, Window};
use super::paint::{self, TextArea};
use super::problems::{self, Marked};
use crate::theme::{Ground, Theme};

/// A stretch of selected text in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    /// Bytes of the line.
    pub bytes: Range<usize>,
    /// The line ending is selected, too.
    pub to_end: bool,
}

/// The part of a wrapped line that stands in a row.
#[derive(Clone, Debug)]
pub struct Segment {
    pub bytes: Range<usize>,
    /// The column of its first byte in the unwrapped line, and the one at which it is drawn.
    pub column: u32,
    pub indent: u32,
}

impl Segment {
    /// The `n`th piece of a line of `len` bytes; none if it has fewer.
    pub fn of(wrapped: &Wrapped, n: usize, len: usize) -> Option<Self> {
        let piece = wrapped.pieces().get(n)?;
        let end = wrapped.pieces().get(n + 1).map_or(len, |next| next.start);
        let indent = if n == 0 { 0 } else { wrapped.indent };
        Some(Self { bytes: piece.start..end, column: piece.column, indent })
    }

    /// `area`, moved so that the segment stands where it is drawn.
    pub fn area(&self, area: &TextArea) -> TextArea {
        TextArea { left: f64::from(self.column) - f64::from(self.indent), ..area.clone() }
    }

    /// Whether any of `range` stands in it.
    fn shows(&self, range: &Range<usize>) -> bool {
        range.start < self.bytes.end && range.end > self.bytes.start
            || range.is_empty() && (self.bytes.start..=self.bytes.end).contains(&range.start)
    }

    /// What of `range` lies in it.
    fn clip(&self, range: Range<usize>) -> Range<usize> {
        let start = range.start.clamp(self.bytes.start, self.bytes.end);
        start..range.end.clamp(start, self.bytes.end)
    }
}

/// What is drawn in a row.
pub struct Ink<'a> {
    pub lines: &'a dyn Lines,
    pub line: u32,
    /// What of the line, if it is wrapped.
    pub segment: Option<Segment>,
    /// Colours, sorted; byte offsets in the line.
    pub spans: &'a [LineSpan],
    /// What the text stands on: its colours are readable there.
    pub ground: Ground,
    /// Changed words, and their colour.
    pub words: &'a [Range<u32>],
    pub word: Color32,
    /// Search hits; the flag is for the current one.
    pub hits: &'a [(Range<u32>, bool)],
    pub selected: &'a [Selected],
    /// What is wrong in the line.
    pub problems: &'a [Marked<'a>],
}

/// Draws a row whose top is `y`. Says which of its problems are on screen, and where.
pub fn draw(
    painter: &Painter,
    area: &TextArea,
    y: f32,
    ink: &Ink<'_>,
    long: &mut LongLines,
    tabs: &Columns,
    theme: &Theme,
) -> Vec<(usize, Rect)> {
    let painter = painter.with_clip_rect(area.rect.intersect(painter.clip_rect()));
    let moved = ink.segment.as_ref().map(|segment| segment.area(area));
    let area = moved.as_ref().unwrap_or(area);
    let mut columns = |bytes: Range<usize>| columns_of(ink, long, tabs, bytes);
    for word in ink.words {
        paint::mark(&painter, area, y, columns(word.start as usize..word.end as usize), ink.word);
    }
    for (hit, current) in ink.hits {
        let color = if *current { theme.code.search_current } else { theme.code.search };
        paint::mark(&painter, area, y, columns(hit.start as usize..hit.end as usize), color);
    }
    for selected in ink.selected {
        let mut range = columns(selected.bytes.clone());
        let is_last = ink.segment.as_ref().is_none_or(|segment| segment.bytes.end == ink.lines.len(ink.line));
        range.end += u32::from(selected.to_end && is_last);
        paint::fill(&painter, area, y, range, theme.code.selection);
    }
    text(&painter, area, y, ink, long, tabs, theme);
    let mut spots = Vec::new();
    // The gravest lies over the others.
    for (n, marked) in ink.problems.iter().enumerate().rev() {
        let (bytes, said) = (&marked.bytes, &marked.problem.said);
        if ink.segment.as_ref().is_some_and(|segment| !segment.shows(bytes)) {
            continue;
        }
        let mut columns = columns_of(ink, long, tabs, bytes.clone());
        columns.end = columns.end.max(columns.start + 1); // what is said of a place between two characters
        if said.deprecated {
            problems::strike(&painter, area, y, columns.clone(), theme.text.muted);
        }
        // A hint that something is not used is told by fading it.
        if !(marked.problem.is_hint() && (said.unnecessary || said.deprecated)) {
            problems::wave(&painter, area, y, columns.clone(), marked.problem.severity(), theme);
        }
        let rect = area.columns(columns, y).intersect(painter.clip_rect());
        if rect.is_positive() {
            spots.push((n, rect));
        }
    }
    spots.reverse();
    spots
}

/// The columns of some bytes of the line, as far as they are in the segment.
fn columns_of(ink: &Ink<'_>, long: &mut LongLines, tabs: &Columns, bytes: Range<usize>) -> Range<u32> {
    let bytes = ink.segment.as_ref().map_or(bytes.clone(), |segment| segment.clip(bytes));
    let start = long.column(ink.lines, ink.line, tabs, bytes.start);
    start..long.column(ink.lines, ink.line, tabs, bytes.end)
}

fn text(
    painter: &Painter,
    area: &TextArea,
    y: f32,
    ink: &Ink<'_>,
    long: &mut LongLines,
    tabs: &Columns,
    theme: &Theme,
) {
    let window = match &ink.segment {
        Some(Segment { bytes, column, .. }) => {
            Window { text: ink.lines.window(ink.line, bytes.clone()), start: bytes.start, column: *column }
        }
        None => long.window(ink.lines, ink.line, tabs, area.visible()),
    };
    if window.text.is_empty() {
        return;
    }
    let (start, end) = (window.start as u32, (window.start + window.text.len()) as u32);
    let colours = colours(ink, start..end, theme);
    let piece = LinePiece {
        text: &window.text,
        column: window.column,
        colours: &colours,
        default: theme.syntax_on(ink.ground).variable,
        special: theme.signal.warning,
    };
    grid::draw(painter, &area.cells, tabs, pos2(area.x(window.column), y), &piece);
}

/// The colours of a part of the line, each readable on what lies under it: changed words have a ground of their own.
fn colours(ink: &Ink<'_>, part: Range<u32>, theme: &Theme) -> Vec<Coloured> {
    let in_word = match ink.ground {
        Ground::AddedLine => Ground::AddedWord,
        Ground::RemovedLine => Ground::RemovedWord,
        other => other,
    };
    let mut colours = Vec::new();
    let mut put = |range: Range<u32>, token: Token, ground: Ground| {
        let range = range.start.max(part.start)..range.end.min(part.end);
        if range.start < range.end {
            let range = range.start - part.start..range.end - part.start;
            colours.push(Coloured { range, color: theme.syntax_on(ground).color(token) });
        }
    };
    let spans = ink.spans.iter().skip_while(|s| s.end <= part.start).take_while(|s| s.start < part.end);
    for span in spans {
        let mut at = span.start;
        for word in ink.words.iter().filter(|w| w.start < span.end && w.end > span.start) {
            put(at..word.start, span.token, ink.ground);
            put(word.start.max(span.start)..word.end.min(span.end), span.token, in_word);
            at = word.end;
        }
        put(at..span.end, span.token, ink.ground);
    }
    // What is not used reads as a comment does.
    let faded = theme.syntax_on(ink.ground).color(Token::Comment);
    for marked in ink.problems.iter().filter(|marked| marked.problem.said.unnecessary) {
        let range = (marked.bytes.start as u32).max(part.start)..(marked.bytes.end as u32).min(part.end);
        if range.start < range.end {
            over(&mut colours, range.start - part.start..range.end - part.start, faded);
        }
    }
    colours
}

/// Gives a stretch one colour, whatever it had.
fn over(colours: &mut Vec<Coloured>, range: Range<u32>, color: Color32) {
    let parts = std::mem::take(colours).into_iter().flat_map(|Coloured { range: of, color }| {
        let before = of.start..of.end.min(range.start);
        let behind = of.start.max(range.end)..of.end;
        [before, behind].into_iter().filter(|part| part.start < part.end).map(move |range| Coloured { range, color })
    });
    *colours = parts.collect();
    let at = colours.partition_point(|coloured| coloured.range.start < range.start);
    colours.insert(at, Coloured { range, color });
}

/// A line number, flush right in its column.
pub fn number(painter: &Painter, cells: &Cells, x: Rangef, y: f32, number: u32, color: Color32) {
    let text = number.to_string();
    let at = pos2(x.max - crate::theme::space::S - cells.columns(text.len() as u32), y);
    grid::label(painter, cells, at, &text, color);
}

/// Seconds after which a caret stops blinking, so that an idle window draws nothing.
const STILL: f64 = 10.0;

/// Seconds of half a blink.
const BLINK: f64 = 0.5;

/// Whether a blinking caret that last moved at `moved` is shown now; asks for the frame in which that changes.
pub fn caret_is_on(ui: &Ui, moved: f64) -> bool {
    let now = ui.input(|i| i.time);
    let since = now - moved;
    if !(0.0..STILL).contains(&since) || ui.style().animation_time == 0.0 {
        return true;
    }
    let phase = (since / BLINK).floor();
    let left = (phase + 1.0) * BLINK - since;
    ui.ctx().request_repaint_after_secs(left as f32 + 0.001);
    phase as i64 % 2 == 0
}

/// Tells the system where text is typed, for input methods.
pub fn set_ime(ui: &Ui, area: &TextArea, y: f32, column: u32) {
    let cursor = area.columns(column..column + 1, y);
    ui.output_mut(|o| {
        o.ime = Some(egui::output::IMEOutput {
            purpose: egui::IMEPurpose::Normal,
            rect: area.rect,
            cursor_rect: cursor,
            should_interrupt_composition: false,
        });
    });
}
