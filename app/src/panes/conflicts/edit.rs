//! The caret in the result, the pointer on the columns, and what keys do.

use std::ops::Range;

use diff::merge::{Take, Version};
use editor::document::Document;
use editor::edit::Clip;
use editor::selection::{Selection, Selections};
use editor::text::Columns;
use eframe::egui::{self, CursorIcon, Pos2, Response, Ui};

use super::ConflictsPane;
use super::rows::Geometry;
use crate::code_view::editing::{self, Outcome};
use crate::code_view::grid::Cells;
use crate::code_view::lines::{DocumentLines, LongLines};
use crate::code_view::pointer::{Unit, extend};
use crate::commands::Command;
use crate::state::State;
use crate::state::conflicts::{OpenConflicts, Resolution};
use crate::state::documents::Documents;

/// A drag under way: what it started with, and in which units it goes on.
#[derive(Clone, Debug)]
pub struct Drag {
    unit: Unit,
    start: Range<usize>,
}

/// Scrolls so that the caret is in view, if it moved.
pub fn bring_into_view(
    pane: &mut ConflictsPane,
    resolution: &mut Resolution,
    long: &mut LongLines,
    tabs: &Columns,
    cells: &Cells,
    width: f32,
) {
    if !std::mem::take(&mut pane.follow) {
        return;
    }
    let head = pane.selections.primary().head.min(resolution.text().len());
    let line = resolution.text().line_of(head);
    // A caret among markers that are not shown shows them.
    let hidden = resolution.rows().band_of_line(line).map(|band| &resolution.rows().bands()[band]);
    if let Some(chunk) = hidden.filter(|band| band.folded).and_then(|band| band.chunk) {
        resolution.unfold(chunk);
    }
    let row = f64::from(resolution.rows().row_of_line(line));
    if row < pane.top + 1.0 {
        pane.top = (row - 2.0).max(0.0);
    } else if row > pane.top + pane.view - 3.0 {
        pane.top = row - pane.view + 3.0;
    }
    let text = resolution.text();
    let lines = DocumentLines { text, document: resolution.document().0, version: resolution.version() };
    let column = f64::from(long.column(&lines, line, tabs, head - text.line_start(line)));
    let columns = f64::from(width / cells.cell) - 8.0;
    if column < pane.left + 1.0 {
        pane.left = (column - 8.0).max(0.0);
    } else if column > pane.left + columns {
        pane.left = column - columns + 4.0;
    }
}

/// Understands presses and drags of this frame: in the result they move the caret, on a side they choose its conflict.
#[expect(clippy::too_many_arguments, reason = "the parts of the pane are borrowed separately")]
pub fn pointer(
    ui: &Ui,
    response: &Response,
    pane: &mut ConflictsPane,
    resolution: &mut Resolution,
    documents: &mut Documents,
    long: &mut LongLines,
    geometry: &Geometry,
    tabs: &Columns,
) {
    let area = &geometry.result.text;
    let in_result = |pos: Pos2| geometry.result.whole.contains(pos.x);
    if response.hover_pos().is_some_and(|pos| area.rect.contains(pos)) {
        ui.ctx().set_cursor_icon(CursorIcon::Text);
    }
    let row_at = |pane: &ConflictsPane, pos: Pos2| {
        (pane.top + f64::from((pos.y - geometry.page.top()) / geometry.row)).max(0.0) as u32
    };
    let offset_at = |pane: &ConflictsPane, resolution: &Resolution, long: &mut LongLines, pos: Pos2| {
        let text = resolution.text();
        let Some(line) = resolution.rows().line_near(row_at(pane, pos)) else { return text.len() };
        let line = line.min(text.last_line());
        let lines = DocumentLines { text, document: resolution.document().0, version: resolution.version() };
        text.line_start(line) + long.byte(&lines, line, tabs, area.column_at(pos.x))
    };
    if let Some(press) = pane.clicks.press(ui, response) {
        response.request_focus();
        let row = resolution.rows().row(row_at(pane, press.pos));
        let band = row.map(|row| row.band);
        let folded = band.is_some_and(|band| resolution.rows().bands()[band].folded);
        if let Some(band) = band {
            let is_conflict = {
                use diff::merge::rows::BandKind;
                matches!(resolution.rows().bands()[band].kind, BandKind::Open(_) | BandKind::Settled)
            };
            if is_conflict {
                pane.choose(resolution, band);
            }
        }
        if !in_result(press.pos) || folded {
            pane.editing = false;
            pane.drag = None;
            return;
        }
        let at = offset_at(pane, resolution, long, press.pos);
        let unit = if press.pos.x < area.rect.left() { Unit::Line } else { press.unit };
        let start = unit.around(resolution.text(), at);
        let fresh = Selection::new(start.start, start.end);
        pane.selections = match (press.modifiers.shift, press.modifiers.alt) {
            (true, false) if pane.editing => Selections::single(Selection::new(pane.selections.primary().anchor, at)),
            (false, true) if pane.editing => pane.selections.with(fresh),
            _ => Selections::single(fresh),
        };
        pane.drag = Some(Drag { unit, start });
        pane.editing = true;
        pane.moved = None;
        if let Some(open) = documents.get_mut(resolution.document()) {
            open.document.close_run();
        }
    } else if ui.input(|i| i.pointer.primary_down())
        && let (Some(drag), Some(pos)) = (pane.drag.clone(), ui.input(|i| i.pointer.latest_pos()))
    {
        let at = offset_at(pane, resolution, long, pos);
        let (anchor, head) = extend(&drag.start, &drag.unit.around(resolution.text(), at));
        pane.selections = Selections::single(Selection::new(anchor, head));
        pane.moved = None;
    } else {
        pane.drag = None;
    }
}

/// Types into the result, if that is being edited.
pub fn type_text(pane: &mut ConflictsPane, state: &mut State, text: &str) {
    with_document(pane, state, |document, selections| editing::type_text(document, selections, text));
}

/// Inserts what was copied into the result, if that is being edited.
pub fn paste(pane: &mut ConflictsPane, state: &mut State, clip: &Clip) {
    with_document(pane, state, |document, selections| editing::paste(document, selections, clip));
}

fn with_document(
    pane: &mut ConflictsPane,
    state: &mut State,
    edit: impl FnOnce(&mut Document, &mut Selections) -> Outcome,
) -> Option<Outcome> {
    let resolution = state.conflicts.get_mut(pane.conflicts)?.resolution_mut()?;
    pane.sync(resolution, &state.documents);
    let open = state.documents.get_mut(resolution.document())?;
    let outcome = edit(&mut open.document, &mut pane.selections);
    if outcome == Outcome::NotOurs {
        return None;
    }
    pane.version = open.document.version();
    pane.follow = true;
    pane.moved = None;
    resolution.follow(&state.documents);
    Some(outcome)
}

/// Runs a command; whether it was one of this pane's.
pub fn run(pane: &mut ConflictsPane, command: Command, state: &mut State, ctx: &egui::Context) -> bool {
    if pane.editing && run_editing(pane, command, state, ctx) {
        return true;
    }
    match command {
        Command::NextConflictFile | Command::PreviousConflictFile => {
            let Some(open) = state.conflicts.get_mut(pane.conflicts) else { return false };
            if let Some(file) = open.neighbour(command == Command::NextConflictFile) {
                open.choose(file);
            }
            return true;
        }
        Command::MarkResolved => {
            mark_resolved(pane, state, false);
            return true;
        }
        Command::MarkResolvedAnyway => {
            mark_resolved(pane, state, true);
            return true;
        }
        _ => {}
    }
    let Some(resolution) = state.conflicts.get_mut(pane.conflicts).and_then(OpenConflicts::resolution_mut) else {
        return false;
    };
    let take = match command {
        Command::TakeOurs => Take::Ours,
        Command::TakeTheirs => Take::Theirs,
        Command::TakeBoth => Take::OursTheirs,
        Command::TakeBothReversed => Take::TheirsOurs,
        Command::TakeBase => Take::Base,
        Command::TakeNeither => Take::Nothing,
        Command::TakeWords => {
            let chunk = pane.band(resolution).and_then(|band| resolution.rows().bands()[band].chunk);
            let Some(words) = chunk.and_then(|chunk| resolution.words(chunk)).cloned() else {
                state.notices.info("The words of both sides touch here: take a side, or edit the conflict by hand.");
                return true;
            };
            words
        }
        _ => return run_reading(pane, command, state),
    };
    let documents = &mut state.documents;
    match pane.band(resolution) {
        None => state.notices.info("No conflict is chosen: go to one first."),
        Some(band) if resolution.take(band, &take, documents) => {
            pane.editing = false;
            pane.moved = None;
        }
        Some(_) => state.notices.info("This version of the conflict is not known: edit it by hand."),
    }
    true
}

/// What applies while the result is not edited.
fn run_reading(pane: &mut ConflictsPane, command: Command, state: &mut State) -> bool {
    let documents = &mut state.documents;
    let Some(resolution) = state.conflicts.get_mut(pane.conflicts).and_then(OpenConflicts::resolution_mut) else {
        return false;
    };
    match command {
        Command::NextConflict | Command::NextConflictAnywhere => pane.step(resolution, true),
        Command::PreviousConflict | Command::PreviousConflictAnywhere => pane.step(resolution, false),
        Command::TakeAllOurs | Command::TakeAllTheirs => {
            let version = if command == Command::TakeAllOurs { Version::Ours } else { Version::Theirs };
            resolution.take_all(version, documents);
        }
        Command::ShowBase => resolution.set_shows_base(!resolution.shows_base()),
        Command::UndoDecision | Command::RedoDecision => {
            if let Some(open) = documents.get_mut(resolution.document()) {
                let _selections =
                    if command == Command::UndoDecision { open.document.undo() } else { open.document.redo() };
                resolution.follow(documents);
                pane.sync(resolution, documents);
            }
        }
        Command::EditConflict => edit_here(pane, resolution),
        Command::CaretDown => pane.top += 1.0,
        Command::CaretUp => pane.top -= 1.0,
        Command::CaretPageDown => pane.top += pane.view - 2.0,
        Command::CaretPageUp => pane.top -= pane.view - 2.0,
        Command::CaretDocumentStart | Command::CaretLineStart => pane.top = 0.0,
        Command::CaretDocumentEnd | Command::CaretLineEnd => pane.top = f64::from(resolution.rows().total()),
        Command::SingleSelection => pane.cursor = None,
        _ => return false,
    }
    true
}

/// Puts the caret into the result: at the conflict that is chosen, its markers shown, or at the top of the view.
fn edit_here(pane: &mut ConflictsPane, resolution: &mut Resolution) {
    let line = match pane.band(resolution).map(|band| resolution.rows().bands()[band].clone()) {
        Some(band) => {
            if let Some(chunk) = band.chunk.filter(|_| band.folded) {
                resolution.unfold(chunk);
            }
            band.result.start
        }
        None => resolution.rows().line_near(pane.top.ceil() as u32).unwrap_or(0),
    };
    let text = resolution.text();
    pane.selections = Selections::caret(text.line_start(line.min(text.last_line())));
    pane.editing = true;
    pane.follow = true;
    pane.moved = None;
}

fn run_editing(pane: &mut ConflictsPane, command: Command, state: &mut State, ctx: &egui::Context) -> bool {
    if command == Command::SingleSelection {
        if pane.selections.is_single() {
            pane.editing = false;
        } else {
            pane.selections = pane.selections.only_primary();
        }
        return true;
    }
    let page = (pane.view as u32).saturating_sub(2).max(1);
    match with_document(pane, state, |document, selections| editing::run(command, document, selections, page)) {
        None => false,
        Some(Outcome::Copied(clip)) => {
            state.clipboard.copy(ctx, clip);
            true
        }
        Some(_) => true,
    }
}

/// Makes the result the resolution, unless conflicts are left in it.
fn mark_resolved(pane: &ConflictsPane, state: &mut State, anyway: bool) {
    let State { conflicts, documents, notices, tasks, .. } = state;
    let Some(open) = conflicts.get_mut(pane.conflicts) else { return };
    let left = open.resolution().map_or(0, |resolution| resolution.left().0);
    if left > 0 && !anyway {
        let (count, verb) =
            if left == 1 { ("One conflict".to_owned(), "is") } else { (format!("{left} conflicts"), "are") };
        notices.warn(format!("{count} {verb} left in this file: take a side of each, or edit it by hand."));
        return;
    }
    open.mark_resolved(documents, tasks);
}
