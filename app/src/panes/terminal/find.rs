//! The find bar of a terminal: every match in all of its history, found in the background while one types.

use editor::find::Query;
use eframe::egui::{Color32, Rangef, Rect, Stroke, Ui, pos2, vec2};
use egui_tiles::TileId;
use terminal::screen::{Matches, Pattern};
use terminal::{LineId, Terminal};

use super::TerminalPane;
use crate::code_view::find_bar::{self, Asked, FindInput};
use crate::state::State;
use crate::tasks::{Poll, Task};
use crate::theme::space;

/// What is found, and for what.
pub struct Find {
    input: FindInput,
    /// What `found` is of: a query and a state of the screen.
    of: Option<(Query, u64)>,
    found: Matches,
    search: Option<(Query, u64, Task<Matches>)>,
    current: Option<usize>,
}

impl Find {
    pub fn is_busy(&self) -> bool {
        self.search.is_some()
    }

    /// Matched columns of a line, with whether it is the current match.
    pub fn matches_in(&self, line: LineId, columns: u16) -> impl Iterator<Item = ((u16, u16), bool)> {
        let from = self.found.found.partition_point(|found| found.end.line < line);
        let near = self.found.found[from..].iter().take_while(move |found| found.start.line <= line);
        near.enumerate().filter_map(move |(n, found)| {
            let start = if found.start.line == line { found.start.column } else { 0 };
            let end = if found.end.line == line { found.end.column } else { columns };
            (start < end).then_some(((start, end), self.current == Some(from + n)))
        })
    }

    /// Marks on the scroll bar, at most one a pixel.
    pub fn mark(&self, ui: &Ui, bar: Rect, first: LineId, total: u64, color: Color32) {
        let step = (self.found.found.len() / bar.height().max(1.0) as usize).max(1);
        for found in self.found.found.iter().step_by(step) {
            let share = found.start.line.0.saturating_sub(first.0) as f32 / total.max(1) as f32;
            let y = bar.top() + share * bar.height();
            let mark = Rect::from_x_y_ranges(bar.x_range().shrink(3.0), Rangef::new(y, y + 2.0));
            ui.painter().rect_filled(mark, 0.0, color);
        }
    }

    fn search(&mut self, generation: u64, state: &State, id: crate::state::terminals::TerminalId) {
        if let Some((query, of, task)) = &self.search {
            match task.poll() {
                // Output goes on all the time: the search under way is finished first.
                Poll::Pending if *query == self.input.query => return,
                Poll::Pending => {}
                Poll::Ready(found) => {
                    self.of = Some((query.clone(), *of));
                    self.current = self.current.filter(|at| *at < found.found.len());
                    self.found = found;
                }
                Poll::Lost => {}
            }
            self.search = None;
        }
        let wanted = (self.input.query.clone(), generation);
        if self.of.as_ref() == Some(&wanted) {
            return;
        }
        let query = &wanted.0;
        self.input.error = None;
        if query.pattern.is_empty() {
            (self.found, self.of) = (Matches::default(), Some(wanted));
            return;
        }
        match Pattern::new(&query.pattern, query.regex, query.case, query.word) {
            Ok(pattern) => {
                let Some(terminal) = state.terminals.live(id).cloned() else { return };
                let task = state
                    .tasks
                    .spawn("find in terminal", move |cancel| terminal.find_all(&pattern, &|| cancel.is_cancelled()));
                self.search = Some((wanted.0, generation, task));
            }
            Err(error) => {
                self.input.error = Some(error.to_string());
                (self.found, self.of) = (Matches::default(), Some(wanted));
            }
        }
    }
}

/// Opens the bar, with the selected text in it.
pub fn open(pane: &mut TerminalPane, state: &State) {
    let selected = state.terminals.live(pane.terminal).and_then(|terminal| {
        let text = terminal.with_screen(|screen| screen.selected_text())?;
        (!text.contains('\n')).then_some(text)
    });
    let mut query = pane.find.take().map(|find| find.input.query).unwrap_or_default();
    if let Some(text) = selected {
        query.pattern = text;
    }
    let input = FindInput { query, error: None, focus: true };
    pane.find = Some(Find { input, of: None, found: Matches::default(), search: None, current: None });
}

/// Goes to the next match, or the one before, around the end.
pub fn step(pane: &mut TerminalPane, terminal: &Terminal, forward: bool) {
    let Some(find) = &mut pane.find else { return };
    let count = find.found.found.len();
    if count == 0 {
        return;
    }
    let next = match find.current {
        Some(at) if forward => (at + 1) % count,
        Some(at) => (at + count - 1) % count,
        // The newest first: that is what one looks for in a terminal.
        None => {
            let bottom = pane.frame.top.below(u64::from(pane.frame.size.rows));
            find.found.found.partition_point(|found| found.start.line < bottom).saturating_sub(1)
        }
    };
    find.current = Some(next);
    let line = find.found.found[next].start.line;
    terminal.with_screen(|screen| screen.reveal(line));
}

/// Draws the bar at the top of `within`; how high it is.
pub fn draw(ui: &mut Ui, tile: TileId, pane: &mut TerminalPane, state: &State, within: Rect) -> f32 {
    let generation = pane.frame.generation;
    let id = pane.terminal;
    let Some(find) = &mut pane.find else { return 0.0 };
    find.search(generation, state, id);
    let rect = Rect::from_min_size(within.min, vec2(within.width(), find_bar::HEIGHT));
    ui.painter().rect_filled(rect, 0.0, state.theme.surface.panel);
    ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, state.theme.border.line));
    let status =
        find_bar::status(&find.input, find.found.found.len(), find.found.more, find.current, find.search.is_some());
    let inner = Rect::from_min_max(pos2(rect.left() + space::S, rect.top()), rect.max);
    let input = crate::panes::focus_id(tile).with("find");
    let asked = find.input.draw(ui, inner, input, &status);
    match asked {
        Asked::Nothing => {}
        Asked::Next | Asked::Previous => {
            if let Some(terminal) = state.terminals.live(id).cloned() {
                // Enter goes on to older matches, as the newest is the first.
                step(pane, &terminal, asked == Asked::Previous);
                ui.ctx().request_repaint();
            }
        }
        Asked::Changed => {
            find.current = None;
            ui.ctx().request_repaint();
        }
        Asked::Close => {
            pane.find = None;
            ui.memory_mut(|memory| memory.request_focus(crate::panes::focus_id(tile)));
            ui.ctx().request_repaint();
            return 0.0;
        }
    }
    find_bar::HEIGHT
}
