//! What is to be drawn: the visible cells and everything that lies on them, copied so that drawing holds no lock.

use super::cell::{Cell, Extra};
use super::engine::{CursorShape, Modes, Overrides};
use super::marks::{CommandId, CommandState};
use super::position::{LineId, Position, Size};

/// One picture of a terminal. It is filled again and again, so that its memory is kept.
#[derive(Clone, Debug)]
pub struct Frame {
    pub size: Size,
    /// Row after row, `size.columns` each.
    pub cells: Vec<Cell>,
    pub extras: Vec<Extra>,
    /// The line of the first row.
    pub top: LineId,
    /// The first line that is still there.
    pub first: LineId,
    /// The first row of the screen; `top` is it unless the user has scrolled up.
    pub screen: LineId,
    pub cursor: Option<FrameCursor>,
    pub modes: Modes,
    pub overrides: Overrides,
    /// Rows at which a command begins.
    pub gutter: Vec<GutterMark>,
    /// Selected columns of each row.
    pub selected: Vec<Option<(u16, u16)>>,
    /// Changes whenever what is shown may have.
    pub generation: u64,
}

/// The cursor within the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameCursor {
    pub row: u16,
    pub column: u16,
    /// It stands on a character of two cells.
    pub wide: bool,
    pub shape: CursorShape,
    pub blinks: bool,
}

/// A prompt in view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GutterMark {
    pub row: u16,
    pub command: CommandId,
    pub state: CommandState,
}

impl Frame {
    pub fn row(&self, row: u16) -> &[Cell] {
        let columns = usize::from(self.size.columns);
        let from = usize::from(row) * columns;
        self.cells.get(from..from + columns).unwrap_or_default()
    }

    /// Where a row and column of the frame are in the terminal.
    pub fn position(&self, row: u16, column: u16) -> Position {
        Position::new(self.top.below(u64::from(row)), column)
    }

    /// What few cells have, if this one has it.
    pub fn extra(&self, cell: &Cell) -> Option<&Extra> {
        self.extras.get(usize::from(cell.extra).checked_sub(1)?)
    }

    /// The text of a row without trailing blanks.
    pub fn row_text(&self, row: u16) -> String {
        let mut text = String::new();
        for cell in self.row(row).iter().filter(|cell| !cell.style.has(super::cell::Style::SPACER)) {
            text.push(cell.ch);
            text.push_str(self.extra(cell).map_or("", |extra| &extra.combining));
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// All rows, a line each.
    pub fn text(&self) -> String {
        (0..self.size.rows).map(|row| self.row_text(row) + "\n").collect()
    }

    /// Lines above the view.
    pub fn lines_above(&self) -> u64 {
        self.top.0.saturating_sub(self.first.0)
    }

    /// Lines below the view.
    pub fn lines_below(&self) -> u64 {
        self.screen.0.saturating_sub(self.top.0)
    }
}

impl Default for Frame {
    fn default() -> Self {
        Self {
            size: Size::default(),
            cells: Vec::new(),
            extras: Vec::new(),
            top: LineId::default(),
            first: LineId::default(),
            screen: LineId::default(),
            cursor: None,
            modes: Modes::default(),
            overrides: Overrides::default(),
            gutter: Vec::new(),
            selected: Vec::new(),
            generation: u64::MAX,
        }
    }
}
