//! Searching all lines, history included: regular expressions, every match, over wrapped lines.
//!
//! The lines are copied in pieces, so that the reader waits for a search no longer than for a frame; looking through them
//! holds no lock. Lines keep their numbers, so matches stay right while output goes on.

use regex::{Regex, RegexBuilder};

use super::engine::Engine;
use super::position::{LineId, Position};
use super::selection;

/// Lines copied at a time.
pub(crate) const LINES_AT_ONCE: u64 = 512;
/// More matches than anybody walks through; whoever shows them says so.
pub const MOST_MATCHES: usize = 100_000;

/// What to look for.
#[derive(Clone, Debug)]
pub struct Pattern(Regex);

/// What is wrong with a pattern, in the words of the library.
#[derive(Debug, thiserror::Error)]
#[error("not a regular expression: {0}")]
pub struct PatternError(String);

/// A match: from one cell up to, but not including, another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    pub start: Position,
    pub end: Position,
}

/// All matches, in order.
#[derive(Clone, Debug, Default)]
pub struct Matches {
    pub found: Vec<Match>,
    /// There are more than are kept.
    pub more: bool,
}

impl Pattern {
    /// `text` as it is, or as a regular expression.
    pub fn new(text: &str, regex: bool, case_sensitive: bool, whole_words: bool) -> Result<Self, PatternError> {
        let mut source = if regex { text.to_owned() } else { regex::escape(text) };
        if whole_words {
            source = format!(r"\b(?:{source})\b");
        }
        let built = RegexBuilder::new(&source).case_insensitive(!case_sensitive).size_limit(1 << 22).build();
        built.map(Self).map_err(|error| PatternError(last_line(&error.to_string())))
    }

    /// Adds the matches in `lines`. False once there are too many.
    pub(crate) fn find_in(&self, lines: &Lines, into: &mut Matches) -> bool {
        for line in &lines.lines {
            for found in self.0.find_iter(&line.text).filter(|found| !found.is_empty()) {
                if into.found.len() >= MOST_MATCHES {
                    into.more = true;
                    return false;
                }
                into.found.push(Match { start: line.position(found.start()), end: line.end_position(found.end()) });
            }
        }
        true
    }
}

fn last_line(text: &str) -> String {
    text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

/// Copied lines, each with what it wraps into.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    lines: Vec<LogicalLine>,
    /// Where to go on; `None` at the end.
    pub next: Option<LineId>,
}

/// A line with what it wraps into, and where its characters are.
#[derive(Debug, Default)]
pub(super) struct LogicalLine {
    pub text: String,
    /// Byte offset of every character that has cells of its own, with its place.
    places: Vec<(usize, Position)>,
}

impl Lines {
    pub fn copy(engine: &dyn Engine, from: LineId, count: u64) -> Self {
        let end = engine.top().below(u64::from(engine.size().rows));
        let mut at = from;
        let mut lines = Vec::new();
        while at < end && at < from.below(count) {
            let (line, next) = LogicalLine::copy(engine, at);
            lines.push(line);
            at = next;
        }
        Self { lines, next: (at < end).then_some(at) }
    }
}

impl LogicalLine {
    /// The one that begins at `first`, and the line after it.
    pub fn copy(engine: &dyn Engine, first: LineId) -> (Self, LineId) {
        let mut copied = Self::default();
        let mut columns = Vec::new();
        let mut line = first;
        // A line of endless text is searched in pieces.
        while line < first.below(LINES_AT_ONCE) {
            columns.clear();
            engine.text(line, &mut copied.text, &mut columns);
            copied.places.extend(columns.iter().map(|(byte, column)| (*byte, Position::new(line, *column))));
            if !engine.wraps(line) {
                break;
            }
            line = line.below(1);
        }
        (copied, line.below(1))
    }

    /// The whole one that `line` belongs to.
    pub fn around(engine: &dyn Engine, line: LineId) -> Self {
        let first = selection::first_of(line, engine).max(line.above(LINES_AT_ONCE / 2));
        Self::copy(engine, first).0
    }

    /// The cell of the character at a byte.
    pub fn position(&self, byte: usize) -> Position {
        let at = self.places.partition_point(|(start, _)| *start <= byte).saturating_sub(1);
        self.places.get(at).map_or_else(Position::default, |(_, position)| *position)
    }

    /// The cell after the character before a byte.
    pub fn end_position(&self, byte: usize) -> Position {
        let at = self.places.partition_point(|(start, _)| *start < byte).saturating_sub(1);
        let Some((start, last)) = self.places.get(at) else { return Position::default() };
        let ch = self.text[*start..].chars().next().unwrap_or(' ');
        let width = unicode_width::UnicodeWidthChar::width(ch).unwrap_or(1).max(1);
        Position::new(last.line, last.column + width as u16)
    }

    /// The byte of the character at a cell.
    pub fn byte_at(&self, at: Position) -> Option<usize> {
        let place = self.places.partition_point(|(_, position)| *position <= at).checked_sub(1)?;
        let (byte, position) = self.places[place];
        (position.line == at.line && at.column - position.column < 2).then_some(byte)
    }
}
