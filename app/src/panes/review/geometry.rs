//! Where things are on the page: columns for numbers, signs and text, side by side or in one.

use diff::git::Side;
use diff::plan::Layout;
use eframe::egui::{Rangef, Rect, pos2};

use super::PAD;
use crate::code_view::grid::Cells;
use crate::code_view::paint::TextArea;

/// Width of the column that says what is staged.
const STAGE: f32 = 16.0;

/// One column of text with what stands before it.
pub struct Part {
    /// Line numbers of the old side, if this part shows them; x only.
    pub old_number: Option<Rangef>,
    pub new_number: Option<Rangef>,
    /// Whether lines are staged, where they can be; x only.
    pub stage: Option<Rangef>,
    /// `+` and `−`; x only.
    pub sign: Rangef,
    /// Everything, gutter included; x only.
    pub whole: Rangef,
    pub text: TextArea,
}

/// The page's columns.
pub struct Geometry {
    pub layout: Layout,
    pub page: Rect,
    pub row: f32,
    /// One part unified; the old and the new one side by side.
    parts: Vec<Part>,
}

impl Geometry {
    /// The columns of a page whose largest line number has `digits` digits, scrolled sideways by `left` columns; with
    /// room for what is staged if anything can be.
    pub fn new(page: Rect, layout: Layout, cells: &Cells, digits: u32, left: f64, staging: bool) -> Self {
        let number = cells.columns(digits) + 2.0 * PAD;
        let part = |x: Rangef, old: bool, new: bool| {
            let mut at = x.min;
            let mut take = |width: f32| {
                let range = Rangef::new(at, at + width);
                at += width;
                range
            };
            let old_number = old.then(|| take(number));
            let new_number = new.then(|| take(number));
            let stage = staging.then(|| take(STAGE));
            let sign = take(cells.columns(2));
            let text = Rect::from_min_max(pos2(at + PAD - 2.0, page.top()), pos2(x.max, page.bottom()));
            Part { old_number, new_number, stage, sign, whole: x, text: TextArea::new(text, left, cells) }
        };
        let parts = match layout {
            Layout::Unified => vec![part(page.x_range(), true, true)],
            Layout::Split => {
                let middle = (page.left() + page.width() / 2.0).round();
                vec![
                    part(Rangef::new(page.left(), middle), true, false),
                    part(Rangef::new(middle, page.right()), false, true),
                ]
            }
        };
        Self { layout, page, row: cells.row, parts }
    }

    /// The part that shows a side.
    pub fn part(&self, side: Side) -> &Part {
        match (self.parts.as_slice(), side) {
            ([_, new], Side::New) => new,
            (parts, _) => &parts[0],
        }
    }

    /// The side at a point, for a row that has text on `old` and `new`.
    pub fn side_at(&self, x: f32, old: bool, new: bool) -> Side {
        match self.layout {
            Layout::Split if x < self.parts[0].whole.max => Side::Old,
            Layout::Split => Side::New,
            // One column: what is removed belongs to the old side, all else to the new.
            Layout::Unified if old && !new => Side::Old,
            Layout::Unified => Side::New,
        }
    }

    /// The rectangle of a row of a part.
    pub fn row_rect(&self, part: &Part, y: f32) -> Rect {
        Rect::from_x_y_ranges(part.whole, Rangef::new(y, y + self.row))
    }
}

/// Decimal digits of a number, at least three, so that small files do not jump when they grow.
pub fn digits(number: u32) -> u32 {
    number.max(1).ilog10().max(2) + 1
}
