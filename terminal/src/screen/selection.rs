//! What the user has selected: it stays with its text while lines scroll and re-wrap.

use super::engine::Engine;
use super::position::{LineId, Pin, Position};

/// How a selection grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectionKind {
    /// Cell by cell.
    Simple,
    /// Word by word: a double click.
    Words,
    /// Line by line, with what they wrap into: a triple click.
    Lines,
    /// A rectangle.
    Block,
}

/// Selected cells: from one up to, but not including, another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selected {
    pub start: Position,
    pub end: Position,
    /// The columns of both bound every line.
    pub block: bool,
}

impl Selected {
    fn lines(&self) -> u64 {
        self.end.line.0 - self.start.line.0 + 1
    }

    /// Selected columns of a line of `columns`.
    pub fn columns_in(&self, line: LineId, columns: u16) -> Option<(u16, u16)> {
        if line < self.start.line || line > self.end.line {
            return None;
        }
        let (from, to) = if self.block {
            (self.start.column, self.end.column)
        } else {
            let from = if line == self.start.line { self.start.column } else { 0 };
            let to = if line == self.end.line { self.end.column } else { columns };
            (from, to)
        };
        (from < to).then_some((from, to.min(columns)))
    }
}

/// Both ends are borders between cells: column 3 is between the third and the fourth cell.
#[derive(Debug)]
pub(super) struct Selection {
    kind: SelectionKind,
    anchor: Pin,
    head: Pin,
    /// The text when it was selected; once the screen shows another, nothing is selected any more.
    text: Option<String>,
}

/// Longer selections are not compared with what the screen shows.
const LONGEST_WATCHED: u64 = 500;

impl Selection {
    pub fn new(kind: SelectionKind, at: Position, engine: &mut dyn Engine) -> Self {
        Self { kind, anchor: engine.pin(at), head: engine.pin(at), text: None }
    }

    pub fn extend(&mut self, to: Position, engine: &mut dyn Engine) {
        engine.unpin(self.head);
        self.head = engine.pin(to);
        let short = self.selected(engine).is_some_and(|selected| selected.lines() <= LONGEST_WATCHED);
        self.text = if short { self.text(engine) } else { None };
    }

    pub fn drop_pins(self, engine: &mut dyn Engine) {
        engine.unpin(self.anchor);
        engine.unpin(self.head);
    }

    /// `None` when it is empty or gone.
    pub fn selected(&self, engine: &dyn Engine) -> Option<Selected> {
        let (anchor, head) = (engine.position(self.anchor)?, engine.position(self.head)?);
        let (start, end) = (anchor.min(head), anchor.max(head));
        let columns = engine.size().columns;
        let selected = match self.kind {
            SelectionKind::Simple => whole_characters(Selected { start, end, block: false }, engine),
            SelectionKind::Block => Selected {
                start: Position::new(start.line, anchor.column.min(head.column)),
                end: Position::new(end.line, anchor.column.max(head.column)),
                block: true,
            },
            SelectionKind::Words => {
                let cell = |at: Position| Position::new(at.line, at.column.min(columns - 1));
                let last = engine.word_at(cell(end)).1;
                Selected {
                    start: engine.word_at(cell(start)).0,
                    end: Position::new(last.line, last.column + 1),
                    block: false,
                }
            }
            SelectionKind::Lines => Selected {
                start: Position::new(first_of(start.line, engine), 0),
                end: Position::new(last_of(end.line, engine), columns),
                block: false,
            },
        };
        let empty =
            if selected.block { selected.start.column == selected.end.column } else { selected.start == selected.end };
        (!empty).then_some(selected)
    }

    pub fn text(&self, engine: &dyn Engine) -> Option<String> {
        let selected = self.selected(engine)?;
        if !selected.block {
            let mut text = engine.text_between(selected.start, selected.end);
            if self.kind == SelectionKind::Lines {
                text.push('\n');
            }
            return Some(text);
        }
        let lines = selected.start.line.0..=selected.end.line.0;
        let rows = lines.map(|line| {
            let at = |column| Position::new(LineId(line), column);
            let row = engine.text_between(at(selected.start.column), at(selected.end.column));
            row.trim_end().to_owned()
        });
        Some(rows.collect::<Vec<_>>().join("\n"))
    }

    /// Whether what was selected is still what the screen shows. Looks only when that can change: history cannot.
    pub fn still_holds(&self, engine: &dyn Engine) -> bool {
        let Some(selected) = self.selected(engine) else {
            return !engine.is_lost(self.anchor) && !engine.is_lost(self.head);
        };
        if selected.end.line < engine.top() {
            return true;
        }
        self.text.is_none() || self.text == self.text(engine)
    }
}

/// A character of two cells is selected whole.
fn whole_characters(mut selected: Selected, engine: &dyn Engine) -> Selected {
    let (mut cells, mut extras) = (Vec::new(), Vec::new());
    let is_second = |at: Position, cells: &mut Vec<super::cell::Cell>, extras: &mut Vec<super::cell::Extra>| {
        cells.clear();
        extras.clear();
        engine.cells(at.line, cells, extras);
        let before = at.column.checked_sub(1).and_then(|column| cells.get(usize::from(column)));
        before.is_some_and(|cell| cell.style.has(super::cell::Style::WIDE))
    };
    if is_second(selected.start, &mut cells, &mut extras) {
        selected.start.column -= 1;
    }
    if is_second(selected.end, &mut cells, &mut extras) {
        selected.end.column += 1;
    }
    selected
}

/// The first line of those that wrap into this one.
pub(super) fn first_of(mut line: LineId, engine: &dyn Engine) -> LineId {
    while line.0 > 0 && engine.wraps(line.above(1)) {
        line = line.above(1);
    }
    line
}

/// The last line that this one wraps into.
pub(super) fn last_of(mut line: LineId, engine: &dyn Engine) -> LineId {
    while engine.wraps(line) {
        line = line.below(1);
    }
    line
}
