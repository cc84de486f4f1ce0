//! A document in a tab: its text with carets, line numbers, a find bar, and a line for what is wrong with its file.
//!
//! - [`text`]: painting, scrolling, the pointer
//! - [`changes`]: what an agent changed and nobody decided on
//! - [`find`]: the bar that finds and replaces
//! - [`notice`]: conflicts with the disk, read-only files, files that did not open

mod changes;
mod find;
pub mod notice;
mod text;

use std::ops::Range;

use editor::document::Document;
use editor::edit::Clip;
use editor::selection::{Selection, Selections};
use eframe::egui::{self, Rect, Ui, pos2};
use egui_tiles::TileId;

pub use changes::target_here;

use crate::code_view::editing::{self, Outcome};
use crate::code_view::pointer::{Clicks, Unit};
use crate::code_view::scroll;
use crate::commands::{Command, Place, Sink};
use crate::state::State;
use crate::state::documents::{DocumentId, Documents};
use crate::widgets::skeleton_rows;

/// One view of a document.
pub struct EditorPane {
    pub document: DocumentId,
    selections: Selections,
    /// The document's version that the selections are of.
    version: u64,
    /// The first row in view, with its fraction.
    top: f64,
    /// Columns scrolled sideways.
    left: f64,
    /// Rows and columns in view, of the last frame.
    view: (f64, f64),
    /// The caret is to be brought into view; in the middle when it jumped.
    follow: Option<Follow>,
    /// When the caret last moved, for its blinking; in egui's time.
    moved: Option<f64>,
    clicks: Clicks,
    drag: Option<Drag>,
    /// Where the caret goes once the text is there.
    place: Option<Place>,
    find: Option<find::FindBar>,
    /// What is wrong at the caret is told beside it, until something else is done.
    tells_problem: bool,
    opened: std::time::Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follow {
    Nearest,
    Middle,
}

#[derive(Clone, Debug)]
struct Drag {
    unit: Unit,
    start: Range<usize>,
    /// A rectangle is dragged, from this line and column.
    column: Option<(u32, u32)>,
}

impl EditorPane {
    /// A view of a document; the caret goes to `place`.
    pub fn new(document: DocumentId, place: Option<Place>) -> Self {
        Self {
            document,
            selections: Selections::caret(0),
            version: 0,
            top: 0.0,
            left: 0.0,
            view: (1.0, 1.0),
            follow: None,
            moved: None,
            clicks: Clicks::default(),
            drag: None,
            place,
            find: None,
            tells_problem: false,
            opened: std::time::Instant::now(),
        }
    }

    /// A second view of the same document, at the same place.
    pub fn duplicate(&self) -> Self {
        let (top, left, view) = (self.top, self.left, self.view);
        Self {
            selections: self.selections.clone(),
            version: self.version,
            top,
            left,
            view,
            ..Self::new(self.document, self.place)
        }
    }

    /// Puts the caret at a place, in the middle of the view.
    pub fn go_to(&mut self, place: Place) {
        self.place = Some(place);
    }

    /// Tells what is wrong at the caret, or where it goes once the text is there.
    pub fn tell_problem(&mut self) {
        self.tells_problem = true;
    }

    /// Puts the caret where a problem begins, and tells what is wrong.
    pub fn show_problem(&mut self, at: usize) {
        self.selections = Selections::caret(at);
        (self.follow, self.moved) = (Some(Follow::Middle), None);
        self.tells_problem = true;
    }

    /// The carets and selections.
    pub fn selections(&self) -> &Selections {
        &self.selections
    }

    /// Line and column of the primary caret, counted from 1, for the status bar; a column is a character.
    pub fn place(&self, documents: &Documents) -> Option<Place> {
        let text = documents.get(self.document)?.document.text();
        let head = self.selections.primary().head.min(text.len());
        let line = text.line_of(head);
        let start = text.line_start(line);
        // Characters of a long line are not counted one by one each frame.
        let column = match head - start {
            bytes if bytes > crate::code_view::lines::LONG => bytes as u32,
            _ => text.slice(start..head).chars().count() as u32,
        };
        Some(Place { line: line + 1, column: column + 1 })
    }

    /// Whether searching goes on: more will be painted.
    pub fn is_busy(&self) -> bool {
        self.find.as_ref().is_some_and(find::FindBar::is_busy)
    }

    /// Takes in changes that came from elsewhere, and a place that waited for the text.
    fn sync(&mut self, document: &Document) {
        if document.version() != self.version {
            if let Some(changes) = document.changes_since(self.version) {
                for change in changes {
                    self.selections = self.selections.map(&change);
                }
            }
            self.version = document.version();
        }
        self.selections = self.selections.clamp(document.text());
        if let Some(place) = self.place.take() {
            let text = document.text();
            let line = place.line.saturating_sub(1).min(text.last_line());
            let range = text.line_range(line);
            let mut offset = range.start;
            for _ in 1..place.column {
                if offset >= range.end {
                    break;
                }
                offset = text.next_grapheme(offset);
            }
            self.selections = Selections::caret(offset.min(range.end));
            self.follow = Some(Follow::Middle);
            self.moved = None;
        }
    }

    fn changed(&mut self, document: &Document) {
        self.version = document.version();
        self.follow = Some(Follow::Nearest);
        self.moved = None;
    }
}

/// Draws a document into the whole of `ui`.
pub fn draw(ui: &mut Ui, tile: TileId, pane: &mut EditorPane, state: &mut State, sink: &mut Sink) {
    let rect = ui.max_rect();
    ui.painter().rect_filled(rect, 0.0, state.theme.surface.base);
    if state.documents.is_loading(pane.document) {
        let mut ui = ui.new_child(egui::UiBuilder::new().id_salt("loading").max_rect(rect.shrink(16.0)));
        return skeleton_rows(&mut ui, pane.opened, 24, 20.0);
    }
    if state.documents.error(pane.document).is_some() {
        return notice::draw_failed(ui, pane, state);
    }
    let Some(open) = state.documents.get(pane.document) else { return };
    pane.sync(&open.document);
    let mut top = rect.top();
    top += notice::draw(ui, pane, state, sink, top);
    if pane.find.is_some() {
        top += find::draw(ui, tile, pane, state, top);
    }
    let below = Rect::from_min_max(pos2(rect.left(), top), rect.max);
    let body = Rect::from_min_max(below.min, pos2(below.right() - scroll::BAR, below.bottom()));
    let bar = Rect::from_min_max(pos2(body.right(), below.top()), below.max);
    text::draw(ui, tile, body, pane, state, sink);
    text::draw_bar(ui, tile, bar, pane, state);
}

/// Types at the carets.
pub fn type_text(pane: &mut EditorPane, state: &mut State, text: &str) {
    edit(pane, state, |document, selections| editing::type_text(document, selections, text));
}

/// Inserts what was copied at the carets.
pub fn paste(pane: &mut EditorPane, state: &mut State, clip: &Clip) {
    edit(pane, state, |document, selections| editing::paste(document, selections, clip));
}

fn edit(
    pane: &mut EditorPane,
    state: &mut State,
    edit: impl FnOnce(&mut Document, &mut Selections) -> Outcome,
) -> Option<Outcome> {
    let open = state.documents.get_mut(pane.document)?;
    pane.sync(&open.document);
    pane.tells_problem = false;
    let outcome = edit(&mut open.document, &mut pane.selections);
    if outcome == Outcome::NotOurs {
        return None;
    }
    pane.changed(&open.document);
    Some(outcome)
}

/// Runs a command; whether it was one of an editor's.
pub fn run(pane: &mut EditorPane, command: Command, state: &mut State, ctx: &egui::Context) -> bool {
    match command {
        Command::Find | Command::Replace => {
            find::open(pane, state, command == Command::Replace);
            return true;
        }
        Command::NextChange | Command::PreviousChange => {
            if !changes::step(pane, state, command == Command::NextChange) {
                state.notices.info("No agent changed this file, or every change of it was decided on.");
            }
            return true;
        }
        Command::FindNext => return find::step(pane, state, true),
        Command::FindPrevious => return find::step(pane, state, false),
        Command::SingleSelection => {
            if std::mem::take(&mut pane.tells_problem) {
                return true;
            }
            if pane.selections.is_single() && pane.selections.are_carets() {
                pane.find = None;
            } else if pane.selections.is_single() {
                pane.selections = Selections::caret(pane.selections.primary().head);
            } else {
                pane.selections = pane.selections.only_primary();
            }
            return true;
        }
        _ => {}
    }
    let page = (pane.view.0 as u32).saturating_sub(1).max(1);
    match edit(pane, state, |document, selections| editing::run(command, document, selections, page)) {
        None => false,
        Some(Outcome::Copied(clip)) => {
            state.clipboard.copy(ctx, clip);
            true
        }
        Some(_) => true,
    }
}

/// Selects a range and brings it into view, as finding does.
fn show(pane: &mut EditorPane, range: Range<usize>) {
    pane.selections = Selections::single(Selection::new(range.start, range.end));
    pane.follow = Some(Follow::Middle);
    pane.moved = None;
}
