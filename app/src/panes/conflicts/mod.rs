//! Conflicts of a merge: ours, the result and theirs beside each other, the result editable.
//!
//! - [`rows`]: painting the three columns
//! - [`edit`]: the caret in the result, the pointer, and what keys do
//! - [`words`]: what each side changed within its lines
//! - [`toolbar`]: what is in conflict, how much is left, and what to do with all of it
//! - [`whole`]: files that have no lines, and what is said when nothing is left
//! - [`list`]: the files, in the side panel
//!
//! A conflict that nobody decided is a quiet block in the result, as high as its longer side; its markers are in the
//! document all the while, and are seen as text when it is edited by hand.

mod edit;
pub mod list;
mod rows;
mod toolbar;
mod whole;
mod words;

use diff::git::RepoPath;
use diff::merge::rows::BandKind;
use editor::selection::Selections;
use eframe::egui::{self, Rect, Ui, pos2};
use egui_tiles::TileId;

pub use edit::{paste, run, type_text};
pub use toolbar::title;

use crate::code_view::pointer::Clicks;
use crate::code_view::scroll;
use crate::commands::{Command, Place, Sink};
use crate::state::State;
use crate::state::conflicts::{ConflictsId, OpenConflicts, Resolution, Stage, View};
use crate::state::documents::{Disk, DocumentId, Documents};
use crate::theme::{icons, space};
use crate::widgets::{Button, EmptyState, ErrorState, Notice, NoticeResponse, Tone, skeleton_rows};

/// One view of conflicts.
pub struct ConflictsPane {
    pub conflicts: ConflictsId,
    /// The file that the places below are of.
    file: Option<RepoPath>,
    /// The first row in view, with its fraction.
    top: f64,
    /// Columns scrolled sideways; all three together.
    left: f64,
    /// Rows in view, of the last frame.
    view: f64,
    /// The conflict that keys are about.
    cursor: Option<Cursor>,
    /// The first conflict is to be brought into view.
    fresh: bool,
    selections: Selections,
    version: u64,
    editing: bool,
    follow: bool,
    moved: Option<f64>,
    clicks: Clicks,
    drag: Option<edit::Drag>,
    words: words::SideWords,
}

/// A conflict, by its chunk, or by where its markers were if it is of none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cursor {
    Chunk(usize),
    At(usize),
}

impl ConflictsPane {
    /// A view of conflicts, at the first one.
    pub fn new(conflicts: ConflictsId) -> Self {
        Self {
            conflicts,
            file: None,
            top: 0.0,
            left: 0.0,
            view: 1.0,
            cursor: None,
            fresh: true,
            selections: Selections::caret(0),
            version: 0,
            editing: false,
            follow: false,
            moved: None,
            clicks: Clicks::default(),
            drag: None,
            words: words::SideWords::default(),
        }
    }

    /// A second view of the same.
    pub fn duplicate(&self) -> Self {
        Self { top: self.top, left: self.left, fresh: false, file: self.file.clone(), ..Self::new(self.conflicts) }
    }

    /// Whether the caret is in the result: letters are typed and not commands.
    pub fn is_editing(&self) -> bool {
        self.editing
    }

    /// Whether more will be painted.
    pub fn is_busy(&self) -> bool {
        self.words.is_postponed()
    }

    /// The result, and the carets in it.
    pub fn result(&self, open: &OpenConflicts) -> Option<(DocumentId, &Selections)> {
        Some((open.resolution()?.document(), &self.selections))
    }

    /// Another file came: places of the one before are void.
    fn renew(&mut self, path: &RepoPath) {
        if self.file.as_ref() != Some(path) {
            *self = Self { file: Some(path.clone()), view: self.view, ..Self::new(self.conflicts) };
        }
    }

    /// Takes in changes of the document that came from elsewhere.
    fn sync(&mut self, resolution: &Resolution, documents: &Documents) {
        let Some(open) = documents.get(resolution.document()) else { return };
        if open.document.version() != self.version {
            for change in open.document.changes_since(self.version).unwrap_or_default() {
                self.selections = self.selections.map(&change);
            }
            self.version = open.document.version();
        }
        self.selections = self.selections.clamp(open.document.text());
    }

    /// The band of the conflict that keys are about: the chosen one, else the first that is left from the top of the view.
    fn band(&self, resolution: &Resolution) -> Option<usize> {
        let rows = resolution.rows();
        let conflict = |band: &usize| matches!(rows.bands()[*band].kind, BandKind::Open(_) | BandKind::Settled);
        let chosen = match self.cursor? {
            Cursor::Chunk(chunk) => rows.bands().iter().position(|band| band.chunk == Some(chunk)),
            Cursor::At(offset) => rows.band_of_line(resolution.text().line_of(offset)),
        };
        chosen.filter(conflict)
    }

    /// Makes a band the one that keys are about.
    fn choose(&mut self, resolution: &Resolution, band: usize) {
        let Some(found) = resolution.rows().bands().get(band) else { return };
        self.cursor = Some(match found.chunk {
            Some(chunk) => Cursor::Chunk(chunk),
            None => Cursor::At(resolution.text().line_start(found.result.start)),
        });
    }

    /// Scrolls so that a band is in view, a third from the top unless it is there already.
    fn show(&mut self, resolution: &Resolution, band: usize) {
        let rows = resolution.rows().rows_of(band);
        let (first, last) = (f64::from(rows.start), f64::from(rows.end));
        if first < self.top + 1.0 || last > self.top + self.view - 1.0 {
            self.top = (first - (self.view / 3.0).floor()).max(0.0);
        }
    }

    /// Goes to the next conflict that is left, or the one before; where none is left, to those that were decided.
    fn step(&mut self, resolution: &Resolution, forward: bool) {
        let bands = resolution.rows().bands();
        let any_left = resolution.left().0 > 0;
        let wanted = |band: &usize| match bands[*band].kind {
            BandKind::Open(_) => true,
            BandKind::Settled => !any_left,
            BandKind::Chunk(_) | BandKind::Typed => false,
        };
        let here = self.band(resolution);
        let count = bands.len();
        let found = if forward {
            let from = here.map_or(0, |band| band + 1);
            (from..count).chain(0..from.min(count)).find(wanted)
        } else {
            let to = here.unwrap_or(count);
            (0..to).rev().chain((to..count).rev()).find(wanted)
        };
        if let Some(band) = found {
            self.choose(resolution, band);
            self.show(resolution, band);
        }
    }
}

/// Brings a line of the result into view.
pub fn go_to(pane: &mut ConflictsPane, state: &State, place: Place) {
    let Some(resolution) = state.conflicts.get(pane.conflicts).and_then(OpenConflicts::resolution) else { return };
    let text = resolution.text();
    let line = place.line.saturating_sub(1).min(text.last_line());
    pane.selections = Selections::caret(text.line_start(line));
    pane.editing = true;
    pane.follow = true;
}

/// Draws conflicts into the whole of `ui`.
pub fn draw(ui: &mut Ui, tile: TileId, pane: &mut ConflictsPane, state: &mut State, sink: &mut Sink) {
    let theme = state.theme;
    let whole = ui.max_rect();
    ui.painter().rect_filled(whole, 0.0, theme.surface.base);
    let Some(open) = state.conflicts.get_mut(pane.conflicts) else { return };
    match &open.stage {
        Stage::Failed(error) => {
            crate::shell::hold_focus(ui, tile);
            let error = error.clone();
            if ErrorState::new("The conflicts cannot be listed", error).action(Button::new("Try again")).show(ui) {
                open.refresh(&state.tasks);
            }
            return;
        }
        Stage::Listing => {
            crate::shell::hold_focus(ui, tile);
            let mut ui = ui.new_child(egui::UiBuilder::new().max_rect(whole.shrink(space::L)));
            return skeleton_rows(&mut ui, open.asked, 24, 20.0);
        }
        Stage::Open => {}
    }
    let Some((_, file)) = open.current() else {
        crate::shell::hold_focus(ui, tile);
        let state = EmptyState::new(icons::CHECK, "Nothing is in conflict");
        if state.detail("Conflicts of a merge or rebase appear here.").action(Button::new("Review changes")).show(ui) {
            sink.push(Command::ReviewWorkingTree);
        }
        return;
    };
    let path = file.path.clone();
    pane.renew(&path);
    if let Some(resolution) = open.resolution() {
        pane.sync(resolution, &state.documents);
        if std::mem::take(&mut pane.fresh) {
            pane.view = rows::view(ui, whole.height() - toolbar::HEIGHT);
            pane.step(resolution, true);
        }
    }
    let (bar, below) = whole.split_top_bottom_at_y(whole.top() + toolbar::HEIGHT);
    toolbar::draw(ui, bar, pane, state, sink);
    let Some(open) = state.conflicts.get_mut(pane.conflicts) else { return };
    match open.view() {
        View::Loading => {
            crate::shell::hold_focus(ui, tile);
            let asked = open.asked;
            let mut ui = ui.new_child(egui::UiBuilder::new().max_rect(below.shrink(space::L)));
            skeleton_rows(&mut ui, asked, 24, 20.0);
        }
        View::Failed(error) => {
            crate::shell::hold_focus(ui, tile);
            let error = error.to_owned();
            let mut ui = ui.new_child(egui::UiBuilder::new().max_rect(below));
            if ErrorState::new("This conflict cannot be shown", error).action(Button::new("Try again")).show(&mut ui) {
                open.retry();
            }
        }
        View::Whole(what) => {
            crate::shell::hold_focus(ui, tile);
            let what = what.clone();
            whole::draw(ui, below, open, &what, &state.tasks);
        }
        View::Resolved => {
            crate::shell::hold_focus(ui, tile);
            whole::draw_resolved(ui, below, open, &state.tasks, sink);
        }
        View::Lines(_) => {
            let below = disk_notice(ui, below, pane, state);
            let (page, bar) = below.split_left_right_at_x(below.right() - scroll::BAR);
            rows::draw(ui, tile, page, pane, state, sink);
            rows::draw_bar(ui, tile, bar, pane, state);
        }
    }
}

/// The file was changed by another program while the result was not saved.
fn disk_notice(ui: &mut Ui, rect: Rect, pane: &ConflictsPane, state: &mut State) -> Rect {
    const HEIGHT: f32 = 40.0;
    let resolution = state.conflicts.get(pane.conflicts).and_then(OpenConflicts::resolution);
    let Some(id) = resolution.map(Resolution::document) else { return rect };
    let Some(open) = state.documents.get(id).filter(|open| open.disk != Disk::Same) else { return rect };
    let (line, below) = rect.split_top_bottom_at_y(rect.top() + HEIGHT);
    let mut line = ui.new_child(egui::UiBuilder::new().id_salt("on disk").max_rect(line.shrink(space::XS)));
    let notice = match open.disk {
        Disk::Conflict => {
            let text = "This file was changed by another program, and so was the result.";
            Notice::new(Tone::Warning, text).action("Keep mine").action("Reload")
        }
        Disk::Gone | Disk::Same => {
            Notice::new(Tone::Warning, "This file was removed by another program. Saving creates it anew.")
        }
    };
    match notice.show(&mut line) {
        NoticeResponse::Action(0) => state.documents.keep_mine(id),
        NoticeResponse::Action(_) => state.documents.reload(id),
        NoticeResponse::None | NoticeResponse::Closed => {}
    }
    Rect::from_min_max(pos2(below.left(), below.top()), below.max)
}

/// An id for a part of this pane.
fn part(tile: TileId, what: &'static str) -> egui::Id {
    crate::panes::focus_id(tile).with(what)
}
