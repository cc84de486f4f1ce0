//! Where something is in a terminal: lines that keep their number, sizes, and places that text moves with it.

/// A line, counted from the first one the terminal ever showed.
///
/// A line keeps its number while it scrolls into history. Only re-wrapping at another width numbers lines anew; what has
/// to survive that is held by a [`Pin`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineId(pub u64);

impl LineId {
    /// The line `count` further down.
    #[must_use]
    pub fn below(self, count: u64) -> Self {
        Self(self.0.saturating_add(count))
    }

    /// The line `count` further up; the first line at most.
    #[must_use]
    pub fn above(self, count: u64) -> Self {
        Self(self.0.saturating_sub(count))
    }
}

/// A cell: its line and its column, both from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    pub line: LineId,
    pub column: u16,
}

impl Position {
    pub fn new(line: LineId, column: u16) -> Self {
        Self { line, column }
    }
}

/// A place in the text that the engine keeps true while lines scroll, re-wrap and hide behind the alternate screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pin(pub u64);

/// How large a terminal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub columns: u16,
    pub rows: u16,
    /// Of a cell, in pixels; programs that draw pictures ask. Zero when unknown.
    pub cell_width: u16,
    pub cell_height: u16,
}

impl Size {
    /// Neither the engine nor a program can work with less; more than this is a mistake of the caller.
    const LEAST: (u16, u16) = (2, 1);
    const MOST: (u16, u16) = (4096, 2048);

    pub fn new(columns: u16, rows: u16) -> Self {
        Self { columns, rows, cell_width: 0, cell_height: 0 }.within_limits()
    }

    /// The nearest size that a terminal can have.
    #[must_use]
    pub fn within_limits(self) -> Self {
        Self {
            columns: self.columns.clamp(Self::LEAST.0, Self::MOST.0),
            rows: self.rows.clamp(Self::LEAST.1, Self::MOST.1),
            ..self
        }
    }
}

impl Default for Size {
    fn default() -> Self {
        Self::new(80, 24)
    }
}
