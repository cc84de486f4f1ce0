//! What is wrong with the new sides, as language servers say: of the document where one is open, else of the file as it
//! is shown. Sides that are not the working tree's have no problems.

use std::path::PathBuf;

use diff::git::Side;
use diff::plan::RunKind;
use diff::review::NewSide;
use eframe::egui::{Rect, Ui, pos2};
use egui_tiles::TileId;

use super::edit::Opening;
use super::rows::Painted;
use super::select::Spot as Place;
use super::{ReviewPane, navigate, part};
use crate::code_view::lines::{DocumentLines, Lines};
use crate::code_view::problems::{self, Marked, Spot};
use crate::commands::Sink;
use crate::state::State;
use crate::state::documents::Documents;
use crate::state::reviews::OpenReview;
use crate::state::servers::Servers;
use crate::state::servers::problems::Problem;
use crate::theme::Theme;

/// Bytes of a line that are looked at for where its text begins.
const INDENT: usize = 256;

/// The problems of a file in view.
pub struct OfFile<'a> {
    file: usize,
    path: PathBuf,
    all: Vec<&'a Problem>,
    spots: Vec<Spot<'a>>,
}

/// Says which files are in sight, so that servers are told of them.
pub fn see(review: &OpenReview, servers: &mut Servers, painted: &[Painted]) {
    for file in files_of(painted) {
        let lines = review.page.file(file).filter(|entry| !entry.is_reading()).and_then(|entry| entry.lines());
        if let (Some(NewSide::Fixed(content)), Some(path)) = (lines.map(|lines| &lines.new), review.live_path(file)) {
            servers.sight(&path, content);
        }
    }
}

fn files_of(painted: &[Painted]) -> Vec<usize> {
    let mut files: Vec<usize> = painted.iter().map(|p| p.at.file).collect();
    files.dedup();
    files
}

/// The problems of the files in view that have any.
pub fn of_view<'a>(review: &OpenReview, servers: &'a Servers, painted: &[Painted]) -> Vec<OfFile<'a>> {
    let of_file = |file| {
        let path = review.live_path(file)?;
        let all: Vec<&Problem> = of_file(review, servers, file).iter().collect();
        (!all.is_empty()).then_some(OfFile { file, path, all, spots: Vec::new() })
    };
    files_of(painted).into_iter().filter_map(of_file).collect()
}

/// What is wrong with the new side of a file, if that is what servers were told.
fn of_file<'a>(review: &OpenReview, servers: &'a Servers, file: usize) -> &'a [Problem] {
    let (Some(path), Some(entry)) = (review.live_path(file), review.page.file(file)) else { return &[] };
    match entry.lines().filter(|_| !entry.is_reading()).map(|lines| &lines.new) {
        Some(NewSide::Live(..)) => servers.problems.of(&path),
        Some(NewSide::Fixed(content)) => servers.of_sight(&path, content),
        None => &[],
    }
}

/// What of them is in a line of a new side.
pub fn in_line<'a>(
    of_view: &[OfFile<'a>],
    review: &OpenReview,
    documents: &Documents,
    file: usize,
    line: u32,
) -> Vec<Marked<'a>> {
    let Some(of_file) = of_view.iter().find(|of_file| of_file.file == file) else { return Vec::new() };
    let Some(lines) = review.page.file(file).and_then(|entry| entry.lines()) else { return Vec::new() };
    match &lines.new {
        NewSide::Fixed(content) => {
            let start = content.line_start(line);
            let range = start..start + Lines::len(content, line);
            problems::in_line(&of_file.all, &range, &Lines::window(content, line, 0..INDENT))
        }
        NewSide::Live(..) => {
            let Some((id, open)) = review.document(file).and_then(|id| Some((id, documents.get(id)?))) else {
                return Vec::new();
            };
            let text = open.document.text();
            let lines = DocumentLines { text, document: id.0, version: open.document.version() };
            problems::in_line(&of_file.all, &text.line_range(line), &lines.window(line, 0..INDENT))
        }
    }
}

/// Remembers where problems of a line are on screen.
pub fn seen<'a>(of_view: &mut [OfFile<'a>], file: usize, marked: &[Marked<'a>], on_screen: Vec<(usize, Rect)>) {
    if let Some(of_file) = of_view.iter_mut().find(|of_file| of_file.file == file) {
        of_file.spots.extend(on_screen.into_iter().map(|(n, rect)| Spot { rect, problem: marked[n].problem }));
    }
}

/// Names what is on screen, and says what is wrong where the pointer rests or the last step went.
pub fn tell(ui: &Ui, tile: TileId, page: Rect, pane: &mut ReviewPane, of_view: &[OfFile<'_>], sink: &mut Sink) {
    // Below the header that sticks to the top.
    let clip = page.with_min_y(page.top() + super::header::HEIGHT);
    for of_file in of_view {
        let id = part(tile, "problems").with(of_file.file);
        let visible = of_file.spots.iter().filter(|spot| spot.rect.intersect(clip).is_positive());
        let spots: Vec<Spot<'_>> =
            visible.map(|spot| Spot { rect: spot.rect.intersect(clip), problem: spot.problem }).collect();
        problems::tell(ui, id, &of_file.path, &spots, sink);
        if let Some((_, at)) = pane.tells_problem.filter(|(file, _)| *file == of_file.file) {
            problems::tell_at(ui, id, &of_file.path, at, &spots, clip, sink);
        }
    }
}

/// Goes to the next problem of the review, or the one before, round the end; whether there is any. While a new side is
/// edited the caret goes there.
pub fn step(pane: &mut ReviewPane, state: &mut State, forward: bool) -> bool {
    let Some(review) = state.reviews.get_mut(pane.review) else { return false };
    let of_file = |(file, problems): (usize, &'_ [Problem])| {
        let all = problems.iter().filter(|problem| !problem.is_hint());
        all.map(|problem| (file, problem.range.start, problem.line)).collect::<Vec<_>>()
    };
    let places: Vec<_> = with_problems(review, &state.servers).into_iter().flat_map(of_file).collect();
    let from = here(pane, review, &state.documents);
    let found = match forward {
        true => places.iter().find(|place| (place.0, place.1) > from).or(places.first()),
        false => places.iter().rev().find(|place| (place.0, place.1) < from).or(places.last()),
    };
    let Some(&(file, at, line)) = found else { return false };
    reveal(review, file, line);
    if pane.is_editing() {
        let spot = Place { line, byte: at.saturating_sub(line_start(review, &state.documents, file, line)) };
        pane.opening = Some(Opening::at(file, spot, spot));
    }
    navigate::show_line(pane, review, file, Side::New, line);
    pane.tells_problem = Some((file, at));
    true
}

/// Where the reader is: at the last step, the caret, or the last jump.
fn here(pane: &ReviewPane, review: &OpenReview, documents: &Documents) -> (usize, usize) {
    if let Some(told) = pane.tells_problem {
        return told;
    }
    if let Some(edit) = &pane.edit {
        return (edit.file, edit.selections.primary().head);
    }
    let at = pane.cursor.unwrap_or(diff::review::PageRow { file: pane.anchor.file, row: pane.anchor.row });
    let line = review.page.line_row(at).and_then(|row| row.new);
    // Before the line itself: what is wrong there is the first to come.
    let start = line.map_or(0, |line| line_start(review, documents, at.file, line));
    (at.file, start.saturating_sub(1))
}

fn line_start(review: &OpenReview, documents: &Documents, file: usize, line: u32) -> usize {
    let lines = review.page.file(file).and_then(|entry| entry.lines());
    match lines.map(|lines| &lines.new) {
        Some(NewSide::Fixed(content)) => content.line_start(line),
        Some(NewSide::Live(..)) => {
            let document = review.document(file).and_then(|id| documents.get(id));
            document.map_or(0, |open| open.document.text().line_start(line))
        }
        None => 0,
    }
}

/// Shows a line that context hides.
fn reveal(review: &mut OpenReview, file: usize, line: u32) {
    if review.page.file(file).is_some_and(|entry| entry.folded) {
        review.page.set_folded(file, false);
    }
    let plan = review.page.file(file).and_then(|entry| entry.plan());
    let row = plan.and_then(|plan| plan.row(plan.row_of_line(Side::New, line)));
    if let Some(new) = row.filter(|row| row.kind == RunKind::Gap).and_then(|row| row.new) {
        review.page.reveal(file, line.saturating_sub(1).max(new)..line + 1);
    }
}

/// The files of a review that have any, in its order. What is wrong elsewhere may be much more.
fn with_problems<'a>(review: &OpenReview, servers: &'a Servers) -> Vec<(usize, &'a [Problem])> {
    let files = servers.problems.files().filter_map(|(path, _)| review.file_on_disk(path));
    let mut files: Vec<_> = files.map(|file| (file, of_file(review, servers, file))).collect();
    files.sort_by_key(|(file, _)| *file);
    files
}

/// Marks of the problems beside the overview.
pub fn ruler(ui: &Ui, rect: Rect, review: &OpenReview, servers: &Servers, theme: &Theme) {
    if servers.problems.counts().all() == 0 {
        return;
    }
    let total = review.page.index().total() as f64;
    for (file, problems) in with_problems(review, servers) {
        for problem in problems.iter().filter(|problem| !problem.is_hint()) {
            let at = review.page.row_of_line(file, Side::New, problem.line);
            let row = (review.page.index().start(at.file) + u64::from(at.row)) as f64;
            let y = rect.top() + (row / total.max(1.0)) as f32 * rect.height();
            let mark = Rect::from_min_max(pos2(rect.right() - 4.0, y), pos2(rect.right() - 1.0, y + 3.0));
            ui.painter().rect_filled(mark.intersect(rect), 0.0, problems::color(problem.severity(), theme));
        }
    }
}
