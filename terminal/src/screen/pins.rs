//! Places that stay with their text.
//!
//! Scrolling needs no work: lines keep their number. Before lines are wrapped anew, and while the alternate screen hides
//! them, pins are let go: each remembers how many *logical lines* (lines with what they wrap into) it is above the
//! cursor and how many cells it is into its own. The cursor is what the engine carries through a re-wrap, so from it
//! they are found again.

use alacritty_terminal::grid::{Dimensions, Grid};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};
use rustc_hash::FxHashMap;

use super::position::{LineId, Pin, Position};

/// All pins of a terminal.
#[derive(Debug, Default)]
pub(super) struct Pins {
    places: FxHashMap<u64, Place>,
    next: u64,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    At(Position),
    /// Logical lines above the cursor's (negative: below), and cells from the beginning of its own.
    Loose {
        lines: i64,
        cells: u64,
    },
    Lost,
}

impl Pins {
    pub fn pin(&mut self, at: Position) -> Pin {
        self.next += 1;
        self.places.insert(self.next, Place::At(at));
        Pin(self.next)
    }

    pub fn unpin(&mut self, pin: Pin) {
        self.places.remove(&pin.0);
    }

    /// Where it is, or was before its line was forgotten.
    pub fn place(&self, pin: Pin) -> Option<Position> {
        match self.places.get(&pin.0) {
            Some(Place::At(at)) => Some(*at),
            _ => None,
        }
    }

    pub fn is_loose(&self, pin: Pin) -> bool {
        matches!(self.places.get(&pin.0), Some(Place::Loose { .. }))
    }

    pub fn lose_all(&mut self) {
        self.places.values_mut().for_each(|place| *place = Place::Lost);
    }

    /// To be called while the grid still has the lines that the pins are in.
    pub fn let_go(&mut self, grid: &Grid<Cell>, base: u64) {
        if self.places.is_empty() {
            return;
        }
        let lines = Logical::of(grid);
        let topmost = -(grid.history_size() as i64);
        for place in self.places.values_mut() {
            let Place::At(at) = *place else { continue };
            let row = at.line.0 as i64 - base as i64;
            *place = if row < topmost || row >= grid.screen_lines() as i64 {
                Place::Lost
            } else {
                let (line, start) = lines.of_row(row);
                let cells = (row - start) as u64 * grid.columns() as u64 + u64::from(at.column);
                Place::Loose { lines: lines.of_cursor - line, cells }
            };
        }
    }

    /// Finds all that were let go in the grid as it is now.
    pub fn fasten(&mut self, grid: &Grid<Cell>, base: u64) {
        if self.places.is_empty() {
            return;
        }
        let logical = Logical::of(grid);
        let columns = grid.columns() as u64;
        for place in self.places.values_mut() {
            let Place::Loose { lines, cells } = *place else {
                // Made on the alternate screen, which is gone.
                *place = Place::Lost;
                continue;
            };
            *place = match logical.rows_of(logical.of_cursor - lines) {
                None => Place::Lost,
                Some((start, end)) => {
                    let row = (start + (cells / columns) as i64).min(end);
                    let line = LineId((base as i64 + row).max(0) as u64);
                    Place::At(Position::new(line, (cells % columns) as u16))
                }
            };
        }
    }
}

/// Where logical lines begin.
struct Logical {
    /// First rows of all logical lines, in order.
    starts: Vec<i64>,
    /// The row below the last.
    end: i64,
    of_cursor: i64,
}

impl Logical {
    fn of(grid: &Grid<Cell>) -> Self {
        let topmost = -(grid.history_size() as i64);
        let end = grid.screen_lines() as i64;
        let mut starts = Vec::with_capacity((end - topmost) as usize);
        let mut goes_on = false;
        for row in topmost..end {
            if !goes_on {
                starts.push(row);
            }
            goes_on = wraps(grid, Line(row as i32));
        }
        let mut lines = Self { starts, end, of_cursor: 0 };
        lines.of_cursor = lines.of_row(i64::from(grid.cursor.point.line.0)).0;
        lines
    }

    /// The logical line of a row, and its first row.
    fn of_row(&self, row: i64) -> (i64, i64) {
        let line = self.starts.partition_point(|start| *start <= row).saturating_sub(1);
        (line as i64, self.starts.get(line).copied().unwrap_or(row))
    }

    /// First and last row of a logical line.
    fn rows_of(&self, line: i64) -> Option<(i64, i64)> {
        let line = usize::try_from(line).ok()?;
        let start = *self.starts.get(line)?;
        Some((start, self.starts.get(line + 1).copied().unwrap_or(self.end) - 1))
    }
}

/// Whether a row goes on in the next.
pub(super) fn wraps(grid: &Grid<Cell>, line: Line) -> bool {
    grid[line][Column(grid.columns() - 1)].flags.contains(Flags::WRAPLINE)
}
