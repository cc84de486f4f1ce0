//! What lies under and over the text of a row: grounds, word marks, selections, carets, the hatch of missing rows.

use std::ops::Range;

use eframe::egui::{Color32, Painter, Rect, Stroke, pos2, vec2};

use super::grid::Cells;

/// Where text is drawn: a rectangle on screen, and what of the grid it shows.
#[derive(Clone)]
pub struct TextArea {
    /// What is seen; text is clipped to it.
    pub rect: Rect,
    /// Columns scrolled sideways. A line of ten million columns is wider than an f32 counts exactly.
    pub left: f64,
    pub cells: Cells,
}

impl TextArea {
    /// The area `rect`, scrolled sideways by `left` columns.
    pub fn new(rect: Rect, left: f64, cells: &Cells) -> Self {
        Self { rect, left, cells: cells.clone() }
    }

    /// The columns that can be seen.
    pub fn visible(&self) -> Range<u32> {
        let first = self.left.floor().max(0.0) as u32;
        let count = (self.rect.width() / self.cells.cell).ceil() as u32 + 1;
        first..first + count
    }

    /// The left edge of a column.
    pub fn x(&self, column: u32) -> f32 {
        self.rect.left() + ((f64::from(column) - self.left) * f64::from(self.cells.cell)) as f32
    }

    /// The column, with its fraction, at a point on screen.
    pub fn column_at(&self, x: f32) -> f64 {
        self.left + f64::from((x - self.rect.left()) / self.cells.cell)
    }

    /// The rectangle of some columns of the row whose top is `y`.
    pub fn columns(&self, columns: Range<u32>, y: f32) -> Rect {
        Rect::from_min_max(pos2(self.x(columns.start), y), pos2(self.x(columns.end), y + self.cells.row))
    }
}

/// Fills some columns of a row.
pub fn fill(painter: &Painter, area: &TextArea, y: f32, columns: Range<u32>, color: Color32) {
    let rect = area.columns(columns, y).intersect(area.rect);
    if rect.is_positive() {
        painter.rect_filled(rect, 0.0, color);
    }
}

/// Fills some columns of a row with rounded corners, as changed words and search hits are.
pub fn mark(painter: &Painter, area: &TextArea, y: f32, columns: Range<u32>, color: Color32) {
    let rect = area.columns(columns, y).shrink2(vec2(0.0, 1.0));
    if rect.intersects(area.rect) && rect.width() > 0.0 {
        painter.rect_filled(rect, 2.0, color);
    }
}

/// A caret before a column.
pub fn caret(painter: &Painter, area: &TextArea, y: f32, column: u32, color: Color32) {
    let x = painter.round_to_pixel_center(area.x(column));
    if x >= area.rect.left() - 1.0 && x <= area.rect.right() {
        painter.rect_filled(Rect::from_min_size(pos2(x - 0.5, y + 1.0), vec2(2.0, area.cells.row - 2.0)), 0.0, color);
    }
}

/// The hatch that says "no line here": faint diagonals. `phase` is how far the page is scrolled, in points, so that
/// the hatch moves with it.
pub fn hatch(painter: &Painter, rect: Rect, phase: f32, ground: Color32, line: Color32) {
    const STEP: f32 = 8.0;
    painter.rect_filled(rect, 0.0, ground);
    let rect = rect.intersect(painter.clip_rect());
    let painter = painter.with_clip_rect(rect);
    // On a diagonal x + y is constant: counting from a fixed origin lets neighbouring rectangles continue each other.
    let mut sum = ((rect.left() + rect.top() + phase) / STEP).floor() * STEP - phase;
    while sum < rect.right() + rect.bottom() {
        let from = pos2(sum - rect.top(), rect.top());
        let to = pos2(sum - rect.bottom(), rect.bottom());
        painter.line_segment([from, to], Stroke::new(1.0, line));
        sum += STEP;
    }
}
