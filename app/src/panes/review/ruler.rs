//! The overview at the right edge: where the changes and comments of the whole review are, and the scroll bar over it.

use std::time::{Duration, Instant};

use diff::plan::RunKind;
use diff::review::Review;
use eframe::egui::{Color32, Rect, Ui, pos2};
use egui_tiles::TileId;

use super::{ReviewPane, navigate, part};
use crate::code_view::scroll;
use crate::state::State;
use crate::theme::Theme;

/// Runs looked at for one overview; larger reviews show their files' counts instead of single hunks.
const RUNS: usize = 200_000;

/// While files come in, the overview is made anew at most this often.
const AGAIN: Duration = Duration::from_millis(100);

/// Draws the overview and the scroll bar.
pub fn draw(ui: &mut Ui, tile: TileId, rect: Rect, pane: &mut ReviewPane, state: &mut State) {
    let theme = state.theme;
    let Some(review) = state.reviews.get_mut(pane.review) else { return };
    ui.painter().rect_filled(rect, 0.0, theme.surface.panel);
    pane.marks_of_page.draw(ui, rect, &review.page, theme);
    let total = review.page.index().total() as f64;
    for placed in &review.discussion.placed {
        let Some(at) = super::threads::row_of(review, placed) else { continue };
        let row = (review.page.index().start(at.file) + u64::from(at.row)) as f64;
        let y = rect.top() + (row / total.max(1.0)) as f32 * rect.height();
        let mark = Rect::from_min_max(pos2(rect.left() + 2.0, y), pos2(rect.right() - 2.0, y + 3.0));
        ui.painter().rect_filled(mark.intersect(rect), 1.0, theme.ruler.mark);
    }
    let position = review.page.position_of(pane.anchor);
    let id = part(tile, "scroll");
    if let Some(asked) = scroll::vertical(ui, id, rect, total, pane.view, position, theme) {
        navigate::scroll_to(pane, review, asked);
    }
}

/// The marks of a page, per pixel, kept while neither rows nor height change.
#[derive(Clone, Debug, Default)]
pub struct PageMarks {
    of: Option<(u64, u32)>,
    made: Option<Instant>,
    /// Rows changed since, too soon after for making them anew.
    stale: bool,
    /// For every pixel row: something added, something removed.
    pixels: Vec<(bool, bool)>,
}

impl PageMarks {
    /// Whether the next frames will show other marks.
    pub fn is_stale(&self) -> bool {
        self.stale
    }

    fn draw(&mut self, ui: &Ui, rect: Rect, page: &Review, theme: &Theme) {
        let height = rect.height().max(1.0) as u32;
        let since = self.made.map(|made| made.elapsed());
        let resized = self.of.is_none_or(|(_, of)| of != height);
        self.stale = self.of != Some((page.shape(), height));
        match since.filter(|since| *since < AGAIN && !resized) {
            Some(since) if self.stale => ui.ctx().request_repaint_after(AGAIN.saturating_sub(since)),
            None if self.stale => {
                self.of = Some((page.shape(), height));
                self.made = Some(Instant::now());
                self.stale = false;
                self.compute(page, height as usize);
            }
            Some(_) | None => {}
        }
        let mut from = 0;
        while from < self.pixels.len() {
            let mark = self.pixels[from];
            let to = self.pixels[from..].iter().position(|&m| m != mark).map_or(self.pixels.len(), |n| from + n);
            let (left, right) = match mark {
                (false, false) => (None, None),
                (true, false) => (Some(theme.ruler.add), Some(theme.ruler.add)),
                (false, true) => (Some(theme.ruler.remove), Some(theme.ruler.remove)),
                (true, true) => (Some(theme.ruler.remove), Some(theme.ruler.add)),
            };
            let y = (rect.top() + from as f32)..=(rect.top() + (to as f32).max(from as f32 + 2.0));
            let middle = rect.center().x;
            let fill = |x: (f32, f32), color: Option<Color32>| {
                if let Some(color) = color {
                    let mark = Rect::from_min_max(pos2(x.0, *y.start()), pos2(x.1, *y.end()));
                    ui.painter().rect_filled(mark.intersect(rect), 0.0, color);
                }
            };
            fill((rect.left() + 3.0, middle), left);
            fill((middle, rect.right() - 3.0), right);
            from = to;
        }
    }

    fn compute(&mut self, page: &Review, height: usize) {
        self.pixels = vec![(false, false); height];
        let total = page.index().total().max(1) as f64;
        let at = |row: f64| ((row / total * height as f64) as usize).min(height - 1);
        let mut runs = 0;
        let mut next = 0;
        for (n, file) in page.files().iter().enumerate() {
            let rows = page.index().height(n);
            if rows == 0 {
                continue;
            }
            let start = next as f64;
            next += u64::from(rows);
            // Where a file is a pixel or less, its counts say as much as its hunks.
            let is_tall = at(next as f64) > at(start) + 1;
            match file.plan().filter(|_| is_tall && !file.folded && runs < RUNS) {
                Some(plan) => {
                    let mut plan_row = 0;
                    for run in plan.runs() {
                        let rows = if run.kind == RunKind::Gap { 1 } else { run.len };
                        let row = start + f64::from(file.row_of(plan_row));
                        plan_row += rows;
                        let len = start + f64::from(file.row_of(plan_row)) - row;
                        if run.kind.is_change() {
                            let (add, remove) = match run.kind {
                                RunKind::Added => (true, false),
                                RunKind::Removed => (false, true),
                                _ => (true, true),
                            };
                            for pixel in &mut self.pixels[at(row)..=at(row + len - 0.5)] {
                                *pixel = (pixel.0 | add, pixel.1 | remove);
                            }
                        }
                    }
                    runs += plan.runs().len();
                }
                None => {
                    let counts = file.counts.unwrap_or_default();
                    for pixel in &mut self.pixels[at(start)..=at(start + f64::from(rows) - 0.5)] {
                        *pixel = (pixel.0 || (counts.added > 0), pixel.1 || (counts.removed > 0));
                    }
                }
            }
        }
    }
}
