//! The overview at the right edge: where the changes and comments of the whole review are, and the scroll bar over it.

use std::ops::Range;
use std::time::{Duration, Instant};

use diff::plan::{Plan, RunKind};
use diff::review::Review;
use eframe::egui::{Color32, Rect, Ui, pos2};
use egui_tiles::TileId;

use super::{ReviewPane, navigate, part};
use crate::code_view::scroll;
use crate::state::State;
use crate::theme::Theme;

/// Runs looked at for one overview; what is beyond shows its file's counts instead of single hunks.
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
    super::problems::ruler(ui, rect, review, &state.servers, theme);
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
        let rows_above = |pixel: usize| pixel as f64 / height as f64 * total;
        let mut runs = RUNS;
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
            let plan = file.plan().filter(|_| is_tall && !file.folded);
            let counts = file.counts.unwrap_or_default();
            for pixel in at(start)..=at(start + f64::from(rows) - 0.5) {
                let (add, remove) = match plan.filter(|_| runs > 0) {
                    Some(plan) => {
                        let from = (rows_above(pixel) - start).max(0.0) as u32;
                        let to = ((rows_above(pixel + 1) - start).ceil() as u32).clamp(from + 1, rows.max(from + 1));
                        changes_between(plan, file.plan_row(from)..file.plan_row(to - 1) + 1, &mut runs)
                    }
                    None => (counts.added > 0, counts.removed > 0),
                };
                let mark = &mut self.pixels[pixel];
                *mark = (mark.0 | add, mark.1 | remove);
            }
        }
    }
}

/// Whether lines are added, and removed, in these rows; `runs` counts down with each run that was looked at.
fn changes_between(plan: &Plan, rows: Range<u32>, runs: &mut usize) -> (bool, bool) {
    let Some((first, _)) = plan.run_at(rows.start) else { return (false, false) };
    let (mut add, mut remove) = (false, false);
    let mut row = plan.row_of_run(first);
    for run in &plan.runs()[first..] {
        if row >= rows.end || add && remove || *runs == 0 {
            break;
        }
        add |= matches!(run.kind, RunKind::Added | RunKind::Changed);
        remove |= matches!(run.kind, RunKind::Removed | RunKind::Changed);
        row += run.rows();
        *runs -= 1;
    }
    (add, remove)
}
