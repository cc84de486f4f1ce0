//! A change as one continuous page: every changed file in one scroll, two sides or one, the new side editable.
//!
//! - [`rows`]: which rows are in view, and painting them
//! - [`body`]: what is shown of files without lines: pictures, commits of submodules
//! - [`header`]: file headers, the sticky one, and the rows between hunks
//! - [`keep`]: the place of the reader, for the next start
//! - [`navigate`]: moving about; a jump waits for contents instead of showing blank rows
//! - [`select`]: selecting and copying text of a side that is read
//! - [`edit`]: the caret in the new side, and commands
//! - [`find`]: text in all rows
//! - [`marks`]: changed words inside changed lines
//! - [`moved`]: where moved blocks came from and went to
//! - [`merge_views`]: the ways to look at a merge commit
//! - [`viewed`]: ticks of files and hunks
//! - [`comments`], [`threads`], [`comment_list`]: what is said of lines, below them and in a list; [`outgoing`]: sent on
//! - [`commit`]: the message of a commit, below the list of changes
//! - [`origin`]: which lines a model wrote; [`problems`]: what language servers say is wrong
//! - [`stage`]: what is staged, and buttons that stage, unstage and discard
//! - [`toolbar`], [`tree`], [`ruler`]: what stands around the page

mod body;
mod comment_list;
mod comments;
pub mod commit;
mod edit;
mod find;
mod geometry;
mod header;
pub mod keep;
mod marks;
mod merge_views;
mod moved;
mod navigate;
mod origin;
mod outgoing;
pub mod problems;
mod rows;
mod ruler;
mod select;
mod stage;
mod threads;
mod toolbar;
pub mod tree;
mod viewed;

use diff::git::Side;
use diff::review::{Anchor, PageRow};
use editor::selection::Selections;
use eframe::egui::{self, Rect, Ui, pos2, vec2};
use egui_tiles::TileId;

pub use comments::show_thread;
pub use edit::{open_action, paste, run, set_layout, type_text};
pub use merge_views::{MergeView, merge_views};
pub use navigate::show_file;
pub use outgoing::{ask_all, export};
pub use stage::{file_here, target_here};
pub use toolbar::title;
pub use viewed::mark;

use crate::code_view::pointer::Clicks;
use crate::code_view::scroll;
use crate::commands::{Place, Sink};
use crate::state::State;
use crate::state::documents::DocumentId;
use crate::state::reviews::{OpenReview, ReviewId, Stage};
use crate::theme::space;

/// One view of a review.
pub struct ReviewPane {
    pub review: ReviewId,
    anchor: Anchor,
    /// Where the reader asked to be, until contents are there.
    wanted: Option<navigate::Wanted>,
    /// The last jump's target; the next one starts from it while it is in view.
    cursor: Option<PageRow>,
    /// Columns scrolled sideways; both sides together.
    left: f64,
    /// Rows in view, of the last frame.
    view: f64,
    /// Digits of the largest line number in view.
    digits: u32,
    /// Which way the reader went last: that side is loaded ahead.
    forward: bool,
    selection: Option<select::SideSelection>,
    edit: Option<edit::EditCaret>,
    opening: Option<edit::Opening>,
    clicks: Clicks,
    drag: Option<select::Drag>,
    generation: u64,
    /// The file at the top, its renewals, and the line of it there: of the frame before.
    held: Option<(usize, u32, diff::review::Held)>,
    /// Rows painted without their content since the start, for the bench.
    pub blank_rows: u64,
    marks: marks::WordMarks,
    marks_of_page: ruler::PageMarks,
    find: Option<find::FindBar>,
    threads: threads::ThreadView,
    pictures: body::PictureMode,
    /// Where a drag in the gutter began, that will be a comment.
    commenting: Option<comments::Commenting>,
    /// What is wrong at a byte of a file is told there, until something else is done.
    tells_problem: Option<(usize, usize)>,
}

impl ReviewPane {
    /// A view of a review, at its top.
    pub fn new(review: ReviewId) -> Self {
        Self {
            review,
            anchor: Anchor::default(),
            wanted: None,
            cursor: None,
            left: 0.0,
            view: 1.0,
            digits: 3,
            forward: true,
            selection: None,
            edit: None,
            opening: None,
            clicks: Clicks::default(),
            drag: None,
            generation: 0,
            held: None,
            blank_rows: 0,
            marks: marks::WordMarks::default(),
            marks_of_page: ruler::PageMarks::default(),
            find: None,
            threads: threads::ThreadView::default(),
            pictures: body::PictureMode::default(),
            commenting: None,
            tells_problem: None,
        }
    }

    /// Whether the caret is in the new side: letters are typed and not commands.
    pub fn is_editing(&self) -> bool {
        self.edit.is_some()
    }

    /// The file at the top of the view.
    pub fn file(&self) -> usize {
        self.edit.as_ref().map_or(self.anchor.file, |edit| edit.file)
    }

    /// A second view of the same review, at the same place; reading.
    pub fn duplicate(&self) -> Self {
        Self { anchor: self.anchor, left: self.left, view: self.view, ..Self::new(self.review) }
    }

    /// The document that is edited, and the carets in it.
    pub fn caret(&self) -> Option<(DocumentId, &Selections)> {
        self.edit.as_ref().map(|edit| (edit.document, &edit.selections))
    }

    /// Nothing is left to be seen: what was awaited will not come.
    fn forget_view(&mut self) {
        self.wanted = None;
        self.marks = marks::WordMarks::default();
        self.marks_of_page = ruler::PageMarks::default();
    }

    /// Whether more will be painted: contents, changed words, marks on the ruler.
    pub fn is_busy(&self) -> bool {
        self.wanted.is_some()
            || self.opening.is_some()
            || self.threads.is_busy()
            || self.marks.is_busy()
            || self.marks_of_page.is_stale()
            || self.find.as_ref().is_some_and(find::FindBar::is_busy)
    }

    /// Whether the changed words of all lines in view are known.
    pub fn has_all_words(&self) -> bool {
        !self.marks.is_busy()
    }

    /// Where the last jump went.
    pub fn cursor(&self) -> Option<PageRow> {
        self.cursor
    }

    /// Columns scrolled sideways.
    pub fn left(&self) -> f64 {
        self.left
    }

    /// Where the reader is.
    pub fn anchor(&self) -> Anchor {
        self.anchor
    }
}

/// Brings a line of the new side of the file in view into view.
pub fn go_to(pane: &mut ReviewPane, state: &State, place: Place) {
    let Some(review) = state.reviews.get(pane.review) else { return };
    let at = review.page.row_of_line(pane.file(), Side::New, place.line.saturating_sub(1));
    navigate::show_row(pane, &review.page, at);
}

/// Draws a review into the whole of `ui`.
pub fn draw(ui: &mut Ui, tile: TileId, pane: &mut ReviewPane, state: &mut State, sink: &mut Sink) {
    let Some(review) = state.reviews.get_mut(pane.review) else { return };
    if pane.generation != review.generation {
        pane.renew(review);
    }
    review.forget_pictures(ui.ctx().cumulative_frame_nr());
    let theme = state.theme;
    ui.painter().rect_filled(ui.max_rect(), 0.0, theme.tokens.surface.base);
    let (bar, below) = cut_top(ui.max_rect(), toolbar::HEIGHT);
    let of = || state.unreviewed.session(pane.review).and_then(|session| state.chats.of_session(session));
    let chat = review.span.map(|span| span.chat).or_else(of).or(state.chats.current);
    let agent = chat.and_then(|id| Some(toolbar::Agent { chat: id, rounds: &state.chats.get(id)?.rounds }));
    if let Some(whitespace) = toolbar::draw(ui, bar, review, &state.desk, agent.as_ref(), sink, theme) {
        edit::set_whitespace(pane, review, whitespace, &state.tasks);
    }
    let below = offer(ui, below, pane, state, sink);
    let below = match pane.find.is_some() {
        true => cut_top(below, find::draw(ui, tile, below, pane, state)).1,
        false => below,
    };
    let Some(review) = state.reviews.get_mut(pane.review) else { return };
    let page = Rect::from_min_max(below.min, pos2(below.right() - scroll::BAR, below.bottom()));
    let side = Rect::from_min_max(pos2(page.right(), below.top()), below.max);
    match &review.stage {
        Stage::Failed(error) => return rows::draw_error(ui, below, error, sink),
        Stage::Listing if review.page.files().is_empty() => return rows::draw_loading(ui, below, review.asked),
        Stage::Open if review.page.files().is_empty() && !review.is_listing() => {
            pane.forget_view();
            return rows::draw_empty(ui, below, sink);
        }
        Stage::Listing | Stage::Open => {}
    }
    pane.hold(review);
    rows::draw(ui, tile, page, pane, state, sink);
    if let Some(review) = state.reviews.get(pane.review) {
        pane.remember(review);
    }
    ruler::draw(ui, tile, side, pane, state);
}

/// Height of the line in which is asked whether servers may check the project.
const OFFER: f32 = 36.0;

/// Asks whether servers may check what is reviewed; what is left below.
fn offer(ui: &mut Ui, rect: Rect, pane: &ReviewPane, state: &mut State, sink: &mut Sink) -> Rect {
    let is_live = |review: &OpenReview| review.live_path(0).is_some_and(|path| state.servers.is_in(&path));
    if !state.reviews.get(pane.review).is_some_and(is_live) {
        return rect;
    }
    let Some(offer) = state.servers.offer_to_start() else { return rect };
    let (line, below) = cut_top(rect, OFFER);
    let mut line = ui.new_child(egui::UiBuilder::new().id_salt("offer").max_rect(line.shrink(space::XS)));
    crate::panes::editor::notice::draw_offer(&mut line, &offer, &mut state.servers, sink);
    below
}

fn cut_top(rect: Rect, height: f32) -> (Rect, Rect) {
    let y = rect.top() + height;
    (Rect::from_min_size(rect.min, vec2(rect.width(), height)), Rect::from_min_max(pos2(rect.left(), y), rect.max))
}

impl ReviewPane {
    /// Files were listed anew: places by index are looked up again by what they show.
    fn renew(&mut self, review: &OpenReview) {
        self.generation = review.generation;
        self.selection = None;
        self.drag = None;
        // What the last jump went to may have gone from the file: what came after it is in its place.
        self.cursor = self.cursor.and_then(|cursor| {
            let file = review.moved_to(cursor.file)?;
            let stayed = review.moved_from(file) == Some(cursor.file);
            Some(PageRow { file, row: if stayed { cursor.row } else { 0 } })
        });
        self.commenting = None;
        self.tells_problem = None;
        self.marks = marks::WordMarks::default();
        if let Some(edit) = &mut self.edit {
            match review.file_of(edit.document) {
                Some(file) => edit.file = file,
                None => self.edit = None,
            }
        }
        self.anchor = match review.moved_to(self.anchor.file) {
            Some(file) if file == self.anchor.file => review.page.anchor_at(review.page.position_of(self.anchor)),
            // The reader stays with the file, wherever it stands now; of one that is gone, with what came after.
            Some(file) if review.moved_from(file) == Some(self.anchor.file) => Anchor { file, ..self.anchor },
            Some(file) => Anchor { file, row: 0, offset: 0.0 },
            None => review.page.anchor_at(review.page.position_of(self.anchor)),
        };
        self.held = None;
    }

    /// Contents came that are others than those that were shown: the line at the top stays there.
    fn hold(&mut self, review: &OpenReview) {
        let renewals = review.page.file(self.anchor.file).map(diff::review::FileEntry::renewals);
        if let Some((file, of, held)) = self.held.take()
            && file == self.anchor.file
            && Some(of) != renewals
        {
            self.anchor = review.page.resume(held);
        }
    }

    /// Remembers the line at the top, for the next frame.
    fn remember(&mut self, review: &OpenReview) {
        let file = self.anchor.file;
        let renewals = review.page.file(file).map(diff::review::FileEntry::renewals);
        self.held = renewals.map(|renewals| (file, renewals, review.page.hold(self.anchor)));
    }
}

/// Space around what stands beside the text.
const PAD: f32 = space::S;

/// An id for a part of this pane.
fn part(tile: TileId, what: &'static str) -> egui::Id {
    crate::panes::focus_id(tile).with(what)
}
