//! Tables: as wide as what is in them where there is room for that, otherwise with wider columns made narrower first.

use eframe::egui::text::{LayoutJob, TextWrapping};
use eframe::egui::vec2;
use pulldown_cmark::Alignment;

use super::{Block, GAP, Page, What};
use crate::theme::space;

/// Space above and below what is in a cell.
const PAD: f32 = 3.0;
/// A column that is made narrower has as much.
const LEAST: f32 = 32.0;

/// A table while its cells are read; the first row is its head.
#[derive(Default)]
pub(super) struct Table {
    pub(super) alignments: Vec<Alignment>,
    pub(super) rows: Vec<Vec<Cell>>,
}

/// What is in a cell, and where its links are.
pub(super) struct Cell {
    pub(super) job: LayoutJob,
    pub(super) links: super::Links,
}

impl Page<'_> {
    /// Lays a table out below what is there.
    pub(super) fn place_table(&mut self, table: Table) {
        let columns = table.rows.iter().map(Vec::len).max().unwrap_or(0);
        if columns == 0 {
            return;
        }
        let left = self.left();
        let room = self.width - left - 2.0 * space::S * (columns - 1) as f32;
        let mut natural = vec![0.0_f32; columns];
        for row in &table.rows {
            for (width, cell) in natural.iter_mut().zip(row) {
                *width = width.max(self.layout(cell.job.clone()).size().x.ceil() + 1.0);
            }
        }
        let widths = fitted(&natural, room);
        let whole: f32 = widths.iter().sum::<f32>() + 2.0 * space::S * (columns - 1) as f32;
        for row in table.rows {
            let top = self.y + PAD;
            let (mut x, mut height) = (left, 0.0_f32);
            for (n, Cell { mut job, links }) in row.into_iter().enumerate() {
                let width = widths[n];
                job.wrap = TextWrapping { max_width: width, ..TextWrapping::default() };
                let galley = self.layout(job);
                let spare = (width - galley.size().x).max(0.0);
                let shift = match table.alignments.get(n) {
                    Some(Alignment::Right) => spare,
                    Some(Alignment::Center) => spare / 2.0,
                    Some(Alignment::Left | Alignment::None) | None => 0.0,
                };
                height = height.max(galley.size().y);
                self.blocks.push(Block { at: vec2(x + shift, top), what: What::Text { galley, links } });
                x += width + 2.0 * space::S;
            }
            self.y = top + height + PAD;
            self.blocks.push(Block { at: vec2(left, self.y), what: What::Rule(whole) });
            self.y += 1.0;
        }
        self.y += GAP;
    }
}

/// Widths of columns in a room: the widest give way first.
fn fitted(natural: &[f32], room: f32) -> Vec<f32> {
    if natural.iter().sum::<f32>() <= room {
        return natural.to_vec();
    }
    // No column is wider than `most`, which is looked for.
    let (mut least, mut most) = (LEAST, natural.iter().copied().fold(LEAST, f32::max));
    for _ in 0..20 {
        let middle = least.midpoint(most);
        match natural.iter().map(|width| width.min(middle)).sum::<f32>() > room {
            true => most = middle,
            false => least = middle,
        }
    }
    natural.iter().map(|width| width.min(least)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_columns_give_way_to_narrow_ones() {
        assert_eq!(fitted(&[40.0, 60.0], 200.0), [40.0, 60.0]);
        let narrow = fitted(&[40.0, 300.0, 200.0], 240.0);
        assert!((narrow[0] - 40.0).abs() < 0.1 && (narrow[1] - 100.0).abs() < 0.5 && (narrow[2] - 100.0).abs() < 0.5);
        assert_eq!(fitted(&[90.0, 90.0], 10.0), [LEAST, LEAST], "something of each is seen");
    }
}
