//! Which lines of the new sides a model wrote: marks at the left edge of their numbers.

use std::time::Duration;

use diff::git::Side;
use diff::review::NewSide;
use eframe::egui::{Rangef, Rect, Ui};
use egui_tiles::TileId;

use super::geometry::Geometry;
use super::part;
use super::rows::Painted;
use crate::code_view::origin::mark;
use crate::commands::Sink;
use crate::state::documents::Documents;
use crate::state::provenance::{Provenance, Written};
use crate::state::reviews::OpenReview;
use crate::tasks::Tasks;

/// Width of the mark.
const WIDTH: f32 = 7.0;

/// Draws the marks of the lines in view. Says when to look again.
#[expect(clippy::too_many_arguments, reason = "the page's parts are borrowed separately")]
pub fn draw(
    ui: &Ui,
    tile: TileId,
    review: &OpenReview,
    documents: &Documents,
    provenance: &mut Provenance,
    tasks: &Tasks,
    geometry: &Geometry,
    painted: &[Painted],
    sink: &mut Sink,
) -> Option<Duration> {
    let numbers = geometry.part(Side::New).new_number?;
    let x = Rangef::new(numbers.min, numbers.min + WIDTH);
    // Below the header that sticks to the top.
    let clip = geometry.page.with_min_y(geometry.page.top() + super::header::HEIGHT);
    let mut wait = None;
    let mut from = 0;
    while from < painted.len() {
        let file = painted[from].at.file;
        let to = painted[from..].iter().position(|p| p.at.file != file).map_or(painted.len(), |n| from + n);
        let rows = &painted[from..to];
        from = to;
        let Some(path) = review.path_on_disk(file) else { continue };
        let Some(lines) = review.page.file(file).filter(|entry| !entry.is_reading()).and_then(|entry| entry.lines())
        else {
            continue;
        };
        let written = match (&lines.new, review.document(file).and_then(|id| Some((id, documents.get(id)?)))) {
            (NewSide::Live(..), Some((id, open))) => {
                let (written, again) = provenance.of_document(id, &path, open, tasks);
                wait = wait.or(again);
                written
            }
            (NewSide::Fixed(content), _) => provenance.of_content(&path, content, tasks),
            (NewSide::Live(..), None) => continue,
        };
        for one in written {
            let Some(rect) = place(one, rows, x, geometry.row) else { continue };
            mark(ui, part(tile, "origin").with((file, one.lines.start)), rect.intersect(clip), one, sink);
        }
    }
    wait
}

/// Where lines are among the rows of their file.
fn place(written: &Written, rows: &[Painted], x: Rangef, height: f32) -> Option<Rect> {
    let is_in = |p: &&Painted| p.row.and_then(|row| row.new).is_some_and(|line| written.lines.contains(&line));
    let is_shown = |p: &&Painted| p.row.is_some_and(|row| row.kind != diff::plan::RunKind::Gap);
    let mut shown = rows.iter().filter(is_in).filter(is_shown);
    let first = shown.next()?.y;
    let last = shown.next_back().map_or(first, |p| p.y);
    Some(Rect::from_x_y_ranges(x, Rangef::new(first, last + height)))
}
