//! The caret in the new side, and the commands of a review.
//!
//! *Reading* is the rest state: letters are commands and a selection is only looked at. *Editing* puts a caret into the
//! new side of one file, whose document takes what is typed; the page follows it in the same frame. Escape returns.

use diff::engine::Whitespace;
use diff::git::Side;
use diff::order::ReviewOrder;
use diff::plan::{Layout, RunKind};
use diff::review::PageRow;
use editor::document::Document;
use editor::edit::Clip;
use editor::selection::{Selection, Selections};
use editor::text::{Columns, Wrapped};
use eframe::egui;

use super::ReviewPane;
use super::navigate;
use super::select::Spot;
use crate::code_view::editing::{self, Outcome};
use crate::code_view::lines::{DocumentLines, LongLines};
use crate::code_view::paint::TextArea;
use crate::commands::{Action, Command};
use crate::state::State;
use crate::state::documents::{DocumentId, Documents};
use crate::state::reviews::OpenReview;
use crate::state::settings::{Spec, Value};
use crate::tasks::Tasks;

/// The caret (and more of them) in a file's new side.
#[derive(Clone, Debug)]
pub struct EditCaret {
    pub file: usize,
    pub document: DocumentId,
    pub selections: Selections,
    /// The document's version that the selections are of.
    version: u64,
    /// When the caret last moved, for its blinking; in egui's time. Set when drawn.
    pub moved: Option<f64>,
    /// The caret is to be brought into view.
    follow: bool,
    /// Its column is to be brought into view when that is known to be possible: where the page is laid out.
    reveal: bool,
}

impl EditCaret {
    /// A caret that was just placed.
    pub fn new(file: usize, document: DocumentId, selections: Selections, version: u64) -> Self {
        Self { file, document, selections, version, moved: None, follow: false, reveal: false }
    }

    /// Takes in changes that came from elsewhere.
    fn sync(&mut self, document: &Document) {
        if let Some(changes) = document.changes_since(self.version) {
            for change in changes {
                self.selections = self.selections.map(&change);
            }
        }
        self.selections = self.selections.clamp(document.text());
        self.version = document.version();
    }
}

/// Editing that begins as soon as the file's document is open.
#[derive(Clone, Debug)]
pub struct Opening {
    file: usize,
    anchor: Spot,
    head: Spot,
    document: Option<DocumentId>,
}

impl Opening {
    /// Begins with this selected.
    pub fn at(file: usize, anchor: Spot, head: Spot) -> Self {
        Self { file, anchor, head, document: None }
    }
}

/// Goes on with an opening: asks for the document, then makes it the new side.
pub fn follow_opening(pane: &mut ReviewPane, review: &mut OpenReview, documents: &mut Documents) {
    let Some(opening) = &mut pane.opening else { return };
    let Some(path) = review.editable_path(opening.file) else {
        pane.opening = None;
        return;
    };
    let id = *opening.document.get_or_insert_with(|| documents.open(&path));
    let entry = review.page.file(opening.file);
    if entry.is_none_or(|entry| entry.is_ready() && entry.lines().is_none()) {
        pane.opening = None; // there are no lines to edit
        return;
    }
    if documents.is_loading(id) || entry.is_none_or(|entry| entry.whole_lines().is_none()) {
        return;
    }
    let opening = pane.opening.take();
    let (Some(opening), Some(open)) = (opening, documents.get(id)) else { return };
    review.attach(opening.file, id, documents);
    let text = open.document.text();
    let offset = |spot: Spot| {
        let line = spot.line.min(text.last_line());
        text.floor_char((text.line_start(line) + spot.byte).min(text.line_end(line)))
    };
    let selections = Selections::single(Selection::new(offset(opening.anchor), offset(opening.head)));
    pane.edit = Some(EditCaret::new(opening.file, id, selections, open.document.version()));
}

/// Types into the new side, if that is being edited.
pub fn type_text(pane: &mut ReviewPane, state: &mut State, text: &str) {
    with_document(pane, state, |document, selections| editing::type_text(document, selections, text));
}

/// Inserts what was copied into the new side, if that is being edited.
pub fn paste(pane: &mut ReviewPane, state: &mut State, clip: &Clip) {
    with_document(pane, state, |document, selections| editing::paste(document, selections, clip));
}

fn with_document(
    pane: &mut ReviewPane,
    state: &mut State,
    edit: impl FnOnce(&mut Document, &mut Selections) -> Outcome,
) -> Option<Outcome> {
    pane.tells_problem = None;
    let caret = pane.edit.as_mut()?;
    let open = state.documents.get_mut(caret.document)?;
    caret.sync(&open.document);
    let outcome = edit(&mut open.document, &mut caret.selections);
    if outcome == Outcome::NotOurs {
        return None;
    }
    caret.version = open.document.version();
    caret.moved = None;
    caret.follow = true;
    let file = caret.file;
    if outcome != Outcome::Moved {
        pane.marks.forget(file);
    }
    follow_caret(pane, state);
    Some(outcome)
}

/// Runs a command; whether it was one of a review's.
pub fn run(pane: &mut ReviewPane, command: Command, state: &mut State, ctx: &egui::Context) -> bool {
    if pane.tells_problem.take().is_some() && command == Command::SingleSelection {
        return true;
    }
    if pane.edit.is_some() && command != Command::CommentAnywhere && run_editing(pane, command, state, ctx) {
        return true;
    }
    if command == Command::ToggleWrap {
        if let Some(spec) = Spec::by_key("review.wrap") {
            state.change_setting(spec, Some(Value::Switch(!state.settings.review_wrap)));
        }
        return true;
    }
    if super::viewed::run(pane, command, state) || super::comments::run(pane, command, state, ctx) {
        return true;
    }
    let Some(review) = state.reviews.get_mut(pane.review) else { return false };
    match command {
        Command::NextHunk | Command::NextHunkAnywhere => navigate::step_hunk(pane, review, true),
        Command::PreviousHunk | Command::PreviousHunkAnywhere => navigate::step_hunk(pane, review, false),
        Command::NextFile => navigate::step_file(pane, review, true),
        Command::PreviousFile => navigate::step_file(pane, review, false),
        Command::CaretDown => navigate::scroll_by(pane, review, 1.0),
        Command::CaretUp => navigate::scroll_by(pane, review, -1.0),
        Command::CaretPageDown => navigate::scroll_by(pane, review, pane.view - 3.0),
        Command::CaretPageUp => navigate::scroll_by(pane, review, 3.0 - pane.view),
        Command::CaretDocumentStart | Command::CaretLineStart => navigate::scroll_to(pane, review, 0.0),
        Command::CaretDocumentEnd | Command::CaretLineEnd => {
            navigate::scroll_to(pane, review, review.page.index().total() as f64);
        }
        Command::ToggleSplit => toggle_layout(pane, review),
        Command::FoldFile => fold(pane, review),
        Command::FoldAll => {
            let any_open = review.page.files().iter().any(|f| !f.folded);
            let file = pane.anchor.file;
            review.page.fold_all(any_open);
            navigate::show_file(pane, file);
        }
        Command::GoToMoved => return super::moved::go_across(pane, review),
        Command::ExpandFile => expand_file(pane, review),
        Command::ExpandUp => expand_up(pane, review),
        Command::EditHere => edit_here(pane, review),
        Command::Find | Command::FindInReview => super::find::open(pane, state),
        Command::FindNext => super::find::step(pane, review, true),
        Command::FindPrevious => super::find::step(pane, review, false),
        Command::RefreshReview => review.refresh(&state.tasks),
        Command::OrderByPath => review.set_order(ReviewOrder::Path, &state.tasks),
        Command::OrderBySize => review.set_order(ReviewOrder::Size, &state.tasks),
        Command::OrderByDependency => review.set_order(ReviewOrder::Dependency, &state.tasks),
        Command::ToggleRaw => toggle_raw(pane, review),
        Command::SingleSelection => {
            if pane.selection.take().is_none() {
                pane.find = None;
            }
        }
        Command::SelectAll => select_file(pane, state),
        Command::Copy => {
            if let Some(text) = pane.selected_text(review, &state.documents) {
                ctx.copy_text(text);
            }
        }
        _ => return false,
    }
    true
}

fn run_editing(pane: &mut ReviewPane, command: Command, state: &mut State, ctx: &egui::Context) -> bool {
    if command == Command::SingleSelection {
        if let Some(caret) = &mut pane.edit {
            if caret.selections.is_single() {
                pane.edit = None;
            } else {
                caret.selections = caret.selections.only_primary();
            }
        }
        return true;
    }
    if step_row(pane, command, state) || crosses_file(pane, command, state) {
        return true;
    }
    let page = (pane.view as u32).saturating_sub(2).max(1);
    let before = pane.edit.as_ref().map(|caret| caret.selections.primary().head);
    let outcome = with_document(pane, state, |document, selections| editing::run(command, document, selections, page));
    match outcome {
        None => false,
        Some(Outcome::Copied(clip)) => {
            state.clipboard.copy(ctx, clip);
            true
        }
        Some(_) => {
            if let Some(before) = before {
                skip_gap(pane, command, state, before);
            }
            true
        }
    }
}

/// Up and Down at lines that are wrapped go by rows of the page, not by lines; whether they did. Several carets and lines
/// that are not shown are left to moving by lines.
fn step_row(pane: &mut ReviewPane, command: Command, state: &mut State) -> bool {
    let down = match command {
        Command::CaretDown => true,
        Command::CaretUp => false,
        _ => return false,
    };
    let Some(to) = row_beside(pane, state, down) else { return false };
    let Some(caret) = &mut pane.edit else { return false };
    caret.selections = Selections::single(to);
    (caret.moved, caret.follow) = (None, true);
    follow_caret(pane, state);
    true
}

/// Where the caret is in the row below or above it, if that or its own is one of several of a line. Its goal is a column
/// of the page, which rows that are shorter do not change.
fn row_beside(pane: &ReviewPane, state: &State, down: bool) -> Option<Selection> {
    let caret = pane.edit.as_ref()?;
    let (review, open) = (state.reviews.get(pane.review)?, state.documents.get(caret.document)?);
    if !caret.selections.is_single() || !caret.selections.primary().is_empty() {
        return None;
    }
    let (text, tabs) = (open.document.text(), Columns::new(state.settings.tab_width));
    let lines = DocumentLines { text, document: caret.document.0, version: open.document.version() };
    let wrapped = |line| super::rows::wrapped(review, Side::New, &lines, line, &tabs);
    let Selection { head, goal, .. } = *caret.selections.primary();
    let line = text.line_of(head);
    let here = wrapped(line)?;
    let piece = here.piece_of(head - text.line_start(line));
    let (to_line, there, to) = match down {
        true if piece + 1 < here.pieces().len() => (line, here.clone(), piece + 1),
        false if piece > 0 => (line, here.clone(), piece - 1),
        true if line < text.last_line() => (line + 1, wrapped(line + 1)?, 0),
        false if line > 0 => {
            let above = wrapped(line - 1)?;
            let last = above.pieces().len() - 1;
            (line - 1, above, last)
        }
        _ => return None,
    };
    if here.pieces().len() == 1 && there.pieces().len() == 1 {
        return None;
    }
    let at = review.page.row_of_line(caret.file, Side::New, to_line);
    if review.page.line_row(at).is_some_and(|row| row.kind == RunKind::Gap) {
        return None;
    }
    let indent = |of: &Wrapped, piece: usize| if piece > 0 { of.indent } else { 0 };
    let column = || tabs.column(text, head) - here.pieces()[piece].column + indent(&here, piece);
    let column = goal.unwrap_or_else(column);
    let wanted = there.pieces()[to].column + column.saturating_sub(indent(&there, to));
    // The end of a row is the start of the next: one before it is still in this one.
    let wanted = there.pieces().get(to + 1).map_or(wanted, |next| wanted.min(next.column.saturating_sub(1)));
    Some(Selection { goal: Some(column), ..Selection::caret(tabs.offset(text, to_line, wanted)) })
}

/// Up on the first line of a file and Down on its last go on in the neighbouring file.
fn crosses_file(pane: &mut ReviewPane, command: Command, state: &mut State) -> bool {
    let forward = match command {
        Command::CaretDown | Command::CaretPageDown => true,
        Command::CaretUp | Command::CaretPageUp => false,
        _ => return false,
    };
    let Some(caret) = &pane.edit else { return false };
    let Some(open) = state.documents.get(caret.document) else { return false };
    let text = open.document.text();
    let line = text.line_of(caret.selections.primary().head);
    // A line after the final newline is not one that git counts: it has no row.
    let last = text.last_line().saturating_sub(u32::from(text.line_start(text.last_line()) == text.len()));
    if (forward && line < last) || (!forward && line > 0) {
        return false;
    }
    let Some(review) = state.reviews.get(pane.review) else { return false };
    let mut file = caret.file;
    loop {
        let Some(next) = review.page.neighbour_file(file, forward) else { return true };
        file = next;
        if review.editable_path(file).is_some() && review.page.file(file).is_some_and(|f| !f.folded) {
            break;
        }
    }
    let entry = review.page.file(file);
    let plan = entry.and_then(diff::review::FileEntry::plan);
    let line = plan.and_then(|plan| {
        let mut rows = plan.rows_from(0).filter(|r| r.kind != RunKind::Gap).filter_map(|r| r.new);
        if forward { rows.next() } else { rows.last() }
    });
    let spot = Spot { line: line.unwrap_or(0), byte: 0 };
    pane.opening = Some(Opening::at(file, spot, spot));
    navigate::show_row(pane, &review.page, PageRow { file, row: 0 });
    true
}

/// Moving by lines passes over context that is not shown; any other way into it shows it.
fn skip_gap(pane: &mut ReviewPane, command: Command, state: &mut State, before: usize) {
    let Some(caret) = &mut pane.edit else { return };
    let (Some(review), Some(open)) = (state.reviews.get_mut(pane.review), state.documents.get(caret.document)) else {
        return;
    };
    let text = open.document.text();
    let head = caret.selections.primary().head;
    let line = text.line_of(head);
    let at = review.page.row_of_line(caret.file, Side::New, line);
    let Some(row) = review.page.line_row(at).filter(|row| row.kind == RunKind::Gap) else { return };
    let start = row.new.unwrap_or(line);
    let by_line = matches!(command, Command::CaretUp | Command::CaretDown) && caret.selections.is_single();
    let past = if head >= before { start + row.hidden } else { start.saturating_sub(1) };
    if by_line && past <= text.last_line() && !(head < before && start == 0) {
        let column = head - text.line_start(line);
        let offset = text.floor_char((text.line_start(past) + column).min(text.line_end(past)));
        caret.selections = Selections::caret(offset);
    } else {
        review.page.reveal(caret.file, line..line + 1);
    }
    follow_caret(pane, state);
}

/// Scrolls so that the primary caret is in view.
fn follow_caret(pane: &mut ReviewPane, state: &mut State) {
    let Some(caret) = &mut pane.edit else { return };
    if !std::mem::take(&mut caret.follow) {
        return;
    }
    caret.reveal = true;
    let (Some(review), Some(open)) = (state.reviews.get_mut(pane.review), state.documents.get(caret.document)) else {
        return;
    };
    // The page learns of the edit now, so that the row is the one that will be painted.
    review.follow_documents(&state.documents);
    let text = open.document.text();
    let head = caret.selections.primary().head;
    let line = text.line_of(head);
    let at = review.page.row_of_line(caret.file, Side::New, line);
    let lines = DocumentLines { text, document: caret.document.0, version: open.document.version() };
    let wrapped = super::rows::wrapped(review, Side::New, &lines, line, open.document.columns());
    let piece = wrapped.map_or(0, |wrapped| wrapped.piece_of(head - text.line_start(line)));
    let row = review.page.index().start(at.file) as f64 + f64::from(at.row) + piece as f64;
    let top = review.page.position_of(pane.anchor);
    // The sticky header covers the first rows.
    let (first, last) = (top + f64::from(diff::review::HEADER_ROWS), top + pane.view - 1.0);
    if row < first {
        navigate::scroll_by(pane, review, row - first);
    } else if row + 1.0 > last {
        navigate::scroll_by(pane, review, row + 1.0 - last);
    }
}

/// Columns that are kept in view beyond the caret.
const BESIDE: f64 = 8.0;

/// Scrolls sideways so that the primary caret is in view, if it moved and its line is not wrapped. `area` is where the new
/// side is drawn; true if that is elsewhere now.
pub fn follow_column(
    pane: &mut ReviewPane,
    review: &OpenReview,
    documents: &Documents,
    long: &mut LongLines,
    tabs: &Columns,
    area: &TextArea,
) -> bool {
    let Some(caret) = &mut pane.edit else { return false };
    if !std::mem::take(&mut caret.reveal) {
        return false;
    }
    let Some(open) = documents.get(caret.document) else { return false };
    let text = open.document.text();
    let head = caret.selections.primary().head.min(text.len());
    let line = text.line_of(head);
    let lines = DocumentLines { text, document: caret.document.0, version: open.document.version() };
    if super::rows::wrapped(review, Side::New, &lines, line, tabs).is_some() {
        return false;
    }
    let column = f64::from(long.column(&lines, line, tabs, head - text.line_start(line)));
    let (before, columns) = (pane.left, f64::from(area.rect.width() / area.cells.cell));
    if column < before + 1.0 {
        pane.left = (column - BESIDE).max(0.0);
    } else if column > before + columns - BESIDE / 2.0 {
        pane.left = column - columns + BESIDE;
    }
    pane.left != before
}

fn toggle_layout(pane: &mut ReviewPane, review: &mut OpenReview) {
    let layout = match review.page.layout() {
        Layout::Split => Layout::Unified,
        Layout::Unified => Layout::Split,
    };
    set_layout(pane, review, layout);
}

/// Changes between two columns and one; the line at the top stays there.
pub fn set_layout(pane: &mut ReviewPane, review: &mut OpenReview, layout: Layout) {
    let held = review.page.hold(pane.anchor);
    review.page.set_layout(layout);
    review.page.prepare(pane.anchor.file);
    pane.anchor = review.page.resume(held);
    pane.cursor = None;
}

/// Compares anew, overlooking other white space; the line at the top is gone back to.
pub fn set_whitespace(pane: &mut ReviewPane, review: &mut OpenReview, whitespace: Whitespace, tasks: &Tasks) {
    let at = PageRow { file: pane.anchor.file, row: pane.anchor.row };
    let line = review.page.line_row(at).and_then(|row| row.new.or(row.old));
    review.set_whitespace(whitespace, tasks);
    pane.marks = super::marks::WordMarks::default();
    pane.cursor = None;
    if let Some(line) = line {
        navigate::show_line(pane, review, at.file, Side::New, line);
    }
}

fn fold(pane: &mut ReviewPane, review: &mut OpenReview) {
    let file = pane.cursor.map_or(pane.file(), |cursor| cursor.file);
    let Some(folded) = review.page.file(file).map(|f| f.folded) else { return };
    review.page.set_folded(file, !folded);
    navigate::show_row(pane, &review.page, PageRow { file, row: 0 });
}

/// Shows what is stored of the file here, or what can be read instead.
fn toggle_raw(pane: &ReviewPane, review: &mut OpenReview) {
    let file = pane.cursor.map_or(pane.file(), |cursor| cursor.file);
    let Some(entry) = review.page.file(file).filter(|entry| entry.is_raw() || entry.can_be_raw()) else { return };
    let raw = entry.is_raw();
    review.set_raw(file, !raw);
}

fn expand_file(pane: &mut ReviewPane, review: &mut OpenReview) {
    let file = pane.cursor.map_or(pane.file(), |cursor| cursor.file);
    let Some(whole) = review.page.file(file).map(|f| f.context.whole) else { return };
    let held = review.page.hold(pane.anchor);
    review.page.set_whole(file, !whole);
    pane.anchor = review.page.resume(held);
}

/// Shows more above the hunk that the last jump went to.
fn expand_up(pane: &mut ReviewPane, review: &mut OpenReview) {
    let at = pane.cursor.unwrap_or(PageRow { file: pane.anchor.file, row: pane.anchor.row });
    let Some(entry) = review.page.file(at.file) else { return };
    let Some(plan) = entry.plan() else { return };
    let here = entry.plan_row(at.row);
    let gap = (0..=here).rev().find(|&row| plan.row(row).is_some_and(|r| r.kind == RunKind::Gap));
    if let Some(row) = gap {
        let gap = PageRow { file: at.file, row: entry.row_of(row) };
        let held = review.page.hold(pane.anchor);
        review.page.expand(gap, diff::review::Expand::Up(20));
        pane.anchor = review.page.resume(held);
    }
}

/// Puts the caret into the new side, at the last jump's target or the top of the view.
fn edit_here(pane: &mut ReviewPane, review: &OpenReview) {
    let at = pane.cursor.unwrap_or(PageRow { file: pane.anchor.file, row: pane.anchor.row });
    if review.editable_path(at.file).is_none() {
        return;
    }
    let entry = review.page.file(at.file);
    let rows = entry.and_then(|entry| Some(entry.plan()?.rows_from(entry.plan_row(at.row))));
    let line = rows.and_then(|mut rows| rows.by_ref().filter(|r| r.kind != RunKind::Gap).find_map(|r| r.new));
    let spot = Spot { line: line.unwrap_or(0), byte: 0 };
    pane.selection = None;
    pane.opening = Some(Opening::at(at.file, spot, spot));
}

/// Selects the whole side that the selection is on.
fn select_file(pane: &mut ReviewPane, state: &State) {
    let Some(review) = state.reviews.get(pane.review) else { return };
    let (file, side) = pane.selection.map_or((pane.anchor.file, Side::New), |s| (s.file, s.side));
    let Some(lines) = super::rows::side_lines(review, &state.documents, file, side) else { return };
    let lines = lines.as_lines();
    let last = lines.count().saturating_sub(1);
    pane.selection = Some(super::select::SideSelection {
        file,
        side,
        anchor: Spot { line: 0, byte: 0 },
        head: Spot { line: last, byte: lines.len(last) },
    });
}

/// The file under the caret, for opening it in a tab.
pub fn open_action(pane: &ReviewPane, state: &State) -> Option<Action> {
    let review = state.reviews.get(pane.review)?;
    let path = review.path_on_disk(pane.file())?;
    Some(Action::OpenFile { path, at: None })
}
