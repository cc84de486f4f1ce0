//! Painting the cells: grounds, text, lines under it, what lies on it, the cursor.

use eframe::egui::{Color32, CursorIcon, Painter, Rect, Stroke, StrokeKind, Ui, pos2, vec2};
use terminal::screen::{Cell, CursorShape, Style};

use super::colors::Ink;
use super::{Area, TerminalPane, shapes};
use crate::code_view::{grid, row};
use crate::state::State;

/// Draws the frame that the pane holds; `body` is all of it, the strip of marks included.
pub fn draw(ui: &mut Ui, body: Rect, area: &Area, pane: &mut TerminalPane, state: &State, focused: bool) {
    let painter = ui.painter_at(body);
    painter.rect_filled(body, 0.0, pane.colors.page());
    let rows = pane.frame.size.rows.min(area.size.rows);
    let mut inks = Vec::new();
    for row in 0..rows {
        inks.clear();
        for cell in pane.frame.row(row) {
            inks.push(pane.colors.of(cell));
        }
        grounds(&painter, area, row, &inks);
        on_top(&painter, area, pane, state, row, focused);
        text(&painter, area, pane, row, &inks);
    }
    cursor(ui, &painter, area, pane, state, focused);
    if pane.link.is_some() {
        ui.ctx().set_cursor_icon(CursorIcon::PointingHand);
    }
}

/// Equal neighbours are one rectangle.
fn grounds(painter: &Painter, area: &Area, row: u16, inks: &[Ink]) {
    let mut from = 0;
    for column in 1..=inks.len() {
        if column < inks.len() && inks[column].ground == inks[from].ground {
            continue;
        }
        if let Some(color) = inks[from].ground {
            painter.rect_filled(area.columns(row, (from as u16, column as u16)), 0.0, color);
        }
        from = column;
    }
}

/// Selection and matches, below the text.
fn on_top(painter: &Painter, area: &Area, pane: &TerminalPane, state: &State, row: u16, focused: bool) {
    let colors = &state.theme.code;
    if let Some(find) = &pane.find {
        let line = pane.frame.position(row, 0).line;
        for (columns, current) in find.matches_in(line, pane.frame.size.columns) {
            let color = if current { colors.search_current } else { colors.search };
            painter.rect_filled(area.columns(row, columns), 2.0, color);
        }
    }
    if let Some(Some(columns)) = pane.frame.selected.get(usize::from(row)) {
        let color = if focused { colors.selection } else { colors.selection_idle };
        painter.rect_filled(area.columns(row, *columns), 0.0, color);
    }
}

fn text(painter: &Painter, area: &Area, pane: &TerminalPane, row: u16, inks: &[Ink]) {
    let cells = pane.frame.row(row);
    let at = area.cell(row, 0).min;
    // One strip at a time: both hold the table of their glyphs.
    for (grid, bold) in [(&area.cells, false), (&area.bold, true)] {
        if bold && !cells.iter().any(|cell| cell.style.has(Style::BOLD)) {
            continue;
        }
        let mut strip = grid.strip(painter, at);
        for (column, (cell, ink)) in cells.iter().zip(inks).enumerate() {
            if cell.style.has(Style::BOLD) == bold && is_plain(cell) {
                strip.put(column as u32, cell.ch, ink.text);
            }
        }
        strip.draw();
    }
    for (column, (cell, ink)) in cells.iter().zip(inks).enumerate() {
        let column = column as u16;
        if cell.style.has(Style::SPACER) {
            continue;
        }
        let combining = pane.frame.extra(cell).map_or("", |extra| extra.combining.as_str());
        let rect = area.cell(row, column);
        if cell.ch != ' ' && !is_plain(cell) && !shapes::draw(painter, rect, cell.ch, ink.text) {
            let grid = if cell.style.has(Style::BOLD) { &area.bold } else { &area.cells };
            let mut cluster = String::from(cell.ch);
            cluster.push_str(combining);
            grid::cluster(painter, grid, rect.min, cluster, cell.style.has(Style::ITALIC), ink.text);
        }
        lines(painter, area, pane, row, column, cell, *ink);
    }
}

/// Whether a cell is one upright character of the code font.
fn is_plain(cell: &Cell) -> bool {
    cell.extra == 0 && !cell.style.has(Style::ITALIC) && grid::is_plain(cell.ch) && !shapes::is_shape(cell.ch)
}

/// Underlines of all kinds, strikes, and the line under a link.
fn lines(painter: &Painter, area: &Area, pane: &TerminalPane, row: u16, column: u16, cell: &Cell, ink: Ink) {
    let extra = pane.frame.extra(cell);
    let at = pane.frame.position(row, column);
    let hovered = pane.link.as_ref().is_some_and(|link| link.start <= at && at < link.end);
    let is_link = extra.is_some_and(|extra| extra.link.is_some());
    if !cell.style.has(Style::UNDERLINES.with(Style::STRIKE)) && !hovered && !is_link {
        return;
    }
    let width = if cell.style.has(Style::WIDE) { 2 } else { 1 };
    let rect = area.columns(row, (column, column + width));
    let color = extra.and_then(|extra| extra.underline).map_or(ink.text, |color| pane.colors.line(color));
    let y = painter.round_to_pixel_center(rect.bottom() - 2.0);
    let stroke = Stroke::new(1.0, color);
    if cell.style.has(Style::UNDERLINE) || hovered {
        painter.hline(rect.x_range(), y, stroke);
    } else if is_link {
        dots(painter, rect, y, 2.0, 4.0, Stroke::new(1.0, color.gamma_multiply(0.6)));
    }
    if cell.style.has(Style::DOUBLE_UNDERLINE) {
        painter.hline(rect.x_range(), y, stroke);
        painter.hline(rect.x_range(), y - 2.0, stroke);
    }
    if cell.style.has(Style::CURLY_UNDERLINE) {
        let waves = (rect.width() / 4.0).round().max(1.0);
        let point = |n: f32| {
            let down = if (n as u32).is_multiple_of(2) { 0.0 } else { -2.0 };
            pos2(rect.left() + n * rect.width() / (2.0 * waves), y + down)
        };
        let points = (0..=(2.0 * waves) as u32).map(|n| point(n as f32)).collect();
        painter.line(points, stroke);
    }
    if cell.style.has(Style::DOTTED_UNDERLINE) {
        dots(painter, rect, y, 1.0, 2.0, stroke);
    }
    if cell.style.has(Style::DASHED_UNDERLINE) {
        dots(painter, rect, y, 3.0, 5.0, stroke);
    }
    if cell.style.has(Style::STRIKE) {
        painter.hline(rect.x_range(), painter.round_to_pixel_center(rect.center().y), stroke);
    }
}

/// Dots of a line, on whole pixels and in step over all cells.
fn dots(painter: &Painter, rect: Rect, y: f32, dot: f32, step: f32, stroke: Stroke) {
    let scale = painter.pixels_per_point();
    let step = (step * scale).round().max(2.0);
    let mut x = (rect.left() * scale / step).ceil() * step;
    while x < rect.right() * scale {
        let from = x / scale;
        let mark = Rect::from_min_max(
            pos2(from, y - stroke.width / 2.0),
            pos2((from + dot).min(rect.right()), y + stroke.width / 2.0),
        );
        painter.rect_filled(mark, 0.0, stroke.color);
        x += step;
    }
}

fn cursor(ui: &Ui, painter: &Painter, area: &Area, pane: &mut TerminalPane, state: &State, focused: bool) {
    let Some(cursor) = pane.frame.cursor.filter(|cursor| cursor.row < area.size.rows) else { return };
    let width = if cursor.wide { 2 } else { 1 };
    let rect = area.columns(cursor.row, (cursor.column, cursor.column + width));
    let color = pane.colors.cursor();
    if focused {
        set_ime(ui, area, rect);
    }
    if !pane.composing.is_empty() {
        return composing(painter, area, pane, state, rect);
    }
    if !focused {
        // A box says where typing would go.
        painter.rect_stroke(rect.shrink(0.5), 0.0, Stroke::new(1.0, color), StrokeKind::Inside);
        return;
    }
    let now = ui.input(|input| input.time);
    let moved = *pane.moved.get_or_insert(now);
    if cursor.blinks && !row::caret_is_on(ui, moved) {
        return;
    }
    match cursor.shape {
        CursorShape::Beam => {
            painter.rect_filled(Rect::from_min_size(rect.min, vec2(2.0, rect.height())), 0.0, color);
        }
        CursorShape::Underline => {
            let under = Rect::from_min_max(pos2(rect.left(), rect.bottom() - 2.0), rect.max);
            painter.rect_filled(under, 0.0, color);
        }
        CursorShape::Block => {
            painter.rect_filled(rect, 0.0, color);
            let Some(cell) = pane.frame.row(cursor.row).get(usize::from(cursor.column)) else { return };
            let (ch, page) = (cell.ch, pane.colors.page());
            let text = pane.colors.readable(page, color, false);
            if ch != ' ' && !shapes::draw(painter, area.cell(cursor.row, cursor.column), ch, text) {
                grid::cluster(painter, &area.cells, rect.min, ch.to_string(), false, text);
            }
        }
    }
}

/// What an input method is composing stands at the cursor, underlined.
fn composing(painter: &Painter, area: &Area, pane: &TerminalPane, state: &State, rect: Rect) {
    let width: usize = pane.composing.chars().map(|ch| if ch.is_ascii() { 1 } else { 2 }).sum();
    let box_ = Rect::from_min_size(rect.min, vec2(width as f32 * area.cells.cell, rect.height()));
    painter.rect_filled(box_, 0.0, state.theme.surface.raised);
    let text = state.theme.text.normal;
    grid::cluster(painter, &area.cells, rect.min, pane.composing.clone(), false, text);
    painter.hline(box_.x_range(), box_.bottom() - 1.5, Stroke::new(1.0, text));
}

fn set_ime(ui: &Ui, area: &Area, cursor: Rect) {
    ui.output_mut(|output| {
        output.ime = Some(eframe::egui::output::IMEOutput {
            purpose: eframe::egui::IMEPurpose::Terminal,
            rect: area.rect,
            cursor_rect: cursor,
            should_interrupt_composition: false,
        });
    });
}

/// A colour for what is drawn beside the cells.
pub fn state_color(state: terminal::screen::CommandState, theme: &crate::theme::Theme) -> Color32 {
    use terminal::screen::CommandState;
    match state {
        CommandState::Waiting => theme.text.faint,
        CommandState::Running => theme.signal.accent,
        CommandState::Ended(Some(0) | None) => theme.signal.success,
        CommandState::Ended(Some(_)) => theme.signal.danger,
    }
}
