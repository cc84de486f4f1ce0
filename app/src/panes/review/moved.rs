//! Moved blocks: where a block of lines came from or went to, and going there.
//!
//! The lines of a moved block stand on a ground of their own instead of red and green; its first row in view says where
//! the other end is. Blocks come from the page, which knows them once all files are compared.

use std::ops::Range;

use diff::git::Side;
use diff::moves::{Move, Place};
use diff::review::Review;
use eframe::egui::{self, Rangef, Rect, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_tiles::TileId;

use super::geometry::Geometry;
use super::rows::Painted;
use super::{ReviewPane, navigate, part};
use crate::state::reviews::OpenReview;
use crate::theme::{Theme, fonts, space};
use crate::widgets::{text, tip};

/// Width of the bar at the edge of a moved line.
const EDGE: f32 = 2.0;

/// The other side.
fn across(side: Side) -> Side {
    match side {
        Side::Old => Side::New,
        Side::New => Side::Old,
    }
}

/// The moved block that a line is of, if it is of one.
pub fn at(page: &Review, file: usize, side: Side, line: Option<u32>) -> Option<&Move> {
    page.moves().at(side, file, line?)
}

/// Where the other end is, in words: `moved from src/a.rs, line 12`; and the same for little room: `← a.rs:12`.
fn labels(page: &Review, found: &Move, side: Side) -> (String, String) {
    let Place { file, lines } = found.place(across(side));
    let (word, arrow) = if side == Side::Old { ("moved to", "→") } else { ("moved from", "←") };
    let path = page.file(*file).filter(|_| found.is_across_files());
    let path = path.map(|entry| entry.change.path_of(across(side)));
    let spoken = path.map_or_else(String::new, |path| format!("{}, ", path.display()));
    let name = path.map_or_else(|| "line ".to_owned(), |path| format!("{}:", file_name(&path.display())));
    (format!("{word} {spoken}{}", spoken_lines(lines)), format!("{arrow} {name}{}", lines.start + 1))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Lines as people count them.
fn spoken_lines(lines: &Range<u32>) -> String {
    match lines.len() {
        0 | 1 => format!("line {}", lines.start + 1),
        _ => format!("lines {}–{}", lines.start + 1, lines.end),
    }
}

/// Paints the edges of moved lines, and at the first row in view of each block where its other end is; a click goes
/// there.
pub fn draw(
    ui: &mut Ui,
    tile: TileId,
    pane: &mut ReviewPane,
    review: &OpenReview,
    geometry: &Geometry,
    painted: &[Painted],
    theme: &Theme,
) {
    let painter = ui.painter_at(geometry.page);
    let mut last: [Option<&Move>; 2] = [None, None];
    let mut chosen = None;
    for p in painted {
        let Some(row) = p.row.filter(|row| row.kind.is_change()) else { continue };
        for (n, (side, line)) in [(Side::Old, row.old), (Side::New, row.new)].into_iter().enumerate() {
            let Some(found) = at(&review.page, p.at.file, side, line) else { continue };
            let geometry_part = geometry.part(side);
            let y = Rangef::new(p.y, p.y + geometry.row);
            let x = Rangef::new(geometry_part.sign.max - EDGE, geometry_part.sign.max);
            painter.rect_filled(Rect::from_x_y_ranges(x, y), 0.0, theme.moved.edge);
            let is_first = last[n].replace(found) != Some(found);
            let row = Rect::from_x_y_ranges(geometry_part.text.rect.x_range(), y).intersect(geometry.page);
            if is_first && link(ui, tile, row, &labels(&review.page, found, side), theme) {
                chosen = Some((across(side), found.place(across(side))));
            }
        }
    }
    if let Some((side, place)) = chosen {
        navigate::show_line(pane, review, place.file, side, place.lines.start);
    }
}

/// Goes to the other end of the block at the cursor, or of the first one in view; whether there was one.
pub fn go_across(pane: &mut ReviewPane, review: &OpenReview) -> bool {
    let page = &review.page;
    let from = navigate::here(pane, page);
    let in_view = page.rows_from(diff::review::Anchor { file: from.file, row: from.row, offset: 0.0 });
    let found = in_view.take(pane.view as usize).find_map(|row| {
        let shown = page.line_row(row).filter(|shown| shown.kind.is_change())?;
        let end = |side, line| Some((across(side), at(page, row.file, side, line)?.place(across(side)).clone()));
        end(Side::New, shown.new).or_else(|| end(Side::Old, shown.old))
    });
    let Some((side, place)) = found else { return false };
    navigate::show_line(pane, review, place.file, side, place.lines.start);
    true
}

/// The words at the end of a row, with the path as long as there is room; whether they were clicked.
fn link(ui: &mut Ui, tile: TileId, row: Rect, (spoken, short): &(String, String), theme: &Theme) -> bool {
    let font = || fonts::code(11.5);
    let whole = ui.painter().layout_no_wrap(spoken.clone(), font(), theme.text.muted);
    // Code matters more than where it came from: what is said keeps to a part of the row.
    let galley = match whole.size().x <= row.width() * 0.4 {
        true => whole,
        false => text::line(ui, short, font(), theme.text.muted, row.width() * 0.35),
    };
    let rect = Rect::from_min_size(
        pos2(row.right() - galley.size().x - 2.0 * space::S, row.top()),
        vec2(galley.size().x + 2.0 * space::S, row.height()),
    );
    let id = part(tile, "moved").with((rect.left() as i32, rect.top() as i32, spoken));
    let response = ui.interact(rect, id, Sense::click()).on_hover_cursor(egui::CursorIcon::PointingHand);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Link, true, spoken));
    let color = if response.hovered() { theme.text.link } else { theme.text.muted };
    let painter = ui.painter_at(row);
    // Code that reaches this far goes on behind it.
    painter.rect_filled(rect, 0.0, theme.moved.line);
    painter.galley_with_override_text_color(
        pos2(rect.left() + space::S, rect.center().y - galley.size().y / 2.0),
        galley,
        color,
    );
    tip(response, spoken, Some("m")).clicked()
}
