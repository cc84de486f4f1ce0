//! What surrounds the panes: top bar, rail, side panel, tabs, status bar, palette, notices.
//!
//! - [`top_bar`], [`menu`]: what is open, the command field, the bell, the application menu
//! - [`rail`], [`side`]: which side panel is shown, and its frame
//! - [`tabs`], [`start`]: the panes in their tabs and splits, and what is shown while there is none
//! - [`status`]: one line about what has the focus
//! - [`palette`]: commands, files and lines by a few letters; [`pick`]: what can be picked to be reviewed
//! - [`bell`], [`ask`]: what was reported, and the questions there are
//!
//! Nothing here changes what is open: everything asks through the [`Sink`]. What the shell remembers of itself is in
//! [`ShellState`].

pub mod arrange;
pub mod ask;
mod bell;
pub mod dialogs;
mod menu;
pub mod palette;
pub mod pick;
mod rail;
mod side;
mod start;
pub mod status;
pub mod tabs;
mod top_bar;

use eframe::egui::{Color32, Painter, Rect, Stroke, Ui, UiBuilder, Vec2};

use egui_tiles::TileId;

use crate::commands::keymap::Stroke as Press;
use crate::commands::open::{Closed, Jumps};
use crate::commands::{Command, Sink};
use crate::panes::Layout;
use crate::panes::review::tree::ReviewTree;
use crate::state::State;
use crate::state::reviews::ReviewId;

/// Height of the bar at the top.
const TOP: f32 = 36.0;
/// Width of the rail.
const RAIL: f32 = 44.0;
/// Height of the status bar.
pub(crate) const STATUS: f32 = 24.0;
/// Below this width the side panel lies over the panes.
const NARROW: f32 = 900.0;

/// What the side panel shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    #[default]
    Review,
    Files,
}

/// How far a window that another program waits for has come in closing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Leaving {
    #[default]
    No,
    /// It closes as soon as nothing is left to ask about.
    Asking,
    /// It was told to close.
    Told,
}

/// What of the shell is shown and how.
pub struct ShellState {
    pub side: Side,
    pub side_shown: bool,
    pub side_width: f32,
    /// The side panel lies over the panes of a narrow window.
    pub side_over: bool,
    pub review_tree: ReviewTree,
    pub palette: palette::Palette,
    pub bell_open: bool,
    pub about_open: bool,
    /// The question that is being asked, if any.
    pub ask: Option<ask::Ask>,
    /// Another question: whether something is to be done that cannot be undone.
    pub question: Option<ask::Question>,
    /// The first stroke of a chord, while its second is awaited.
    pub pending: Option<Press>,
    /// Tabs that were closed, the last one at the end.
    pub closed: Vec<Closed>,
    /// The tab that closes as soon as its text is written.
    pub closing: Option<TileId>,
    /// How far the window has come in closing.
    pub leaving: Leaving,
    /// Places to go back and forward to.
    pub jumps: Jumps,
    pub dialogs: dialogs::Dialogs,
    /// It was said that there are no dialogs.
    pub no_dialogs_said: bool,
    /// The review that was opened because a folder was; it goes if nothing differs.
    pub greeting: Option<ReviewId>,
    /// What a folder opens on is to be decided as soon as its session was read.
    pub greet: bool,
    /// The window's size, for the next start.
    pub window: Option<Vec2>,
    /// The graphics adapter, as the window says it.
    pub adapter: Option<String>,
    /// How high what stands below the list of changes was.
    pub commit_height: f32,
    /// Where the side panel was drawn.
    pub side_rect: Option<Rect>,
    pub chat_shown: bool,
    /// The chat lies over the panes of a narrow window.
    pub chat_over: bool,
    pub chat_width: f32,
    pub chat: crate::panes::chat::ChatView,
}

impl Default for ShellState {
    fn default() -> Self {
        Self {
            side: Side::default(),
            side_shown: true,
            side_width: side::WIDTH,
            side_over: false,
            review_tree: ReviewTree::default(),
            palette: palette::Palette::default(),
            bell_open: false,
            about_open: false,
            ask: None,
            question: None,
            pending: None,
            closed: Vec::new(),
            closing: None,
            leaving: Leaving::No,
            jumps: Jumps::default(),
            dialogs: dialogs::Dialogs::default(),
            no_dialogs_said: false,
            greeting: None,
            greet: false,
            window: None,
            adapter: None,
            commit_height: 0.0,
            side_rect: None,
            chat_shown: false,
            chat_over: false,
            chat_width: side::CHAT_WIDTH,
            chat: crate::panes::chat::ChatView::default(),
        }
    }
}

pub use side::review_in_sight;
pub use tabs::hold_focus;

impl ShellState {
    /// Whether the window is so narrow that the side panel lies over the panes.
    pub fn is_narrow(&self) -> bool {
        self.window.is_some_and(|size| size.x < NARROW)
    }

    /// Whether the chat is shown, in a window that is narrow or not.
    pub fn chat_shown(&self, narrow: bool) -> bool {
        if narrow { self.chat_over } else { self.chat_shown }
    }

    /// Shows the chat, or hides it.
    pub fn show_chat(&mut self, shown: bool, narrow: bool) {
        match narrow {
            true => self.chat_over = shown,
            false => self.chat_shown = shown,
        }
    }
}

/// Draws the whole window.
pub fn draw(ui: &mut Ui, state: &mut State, layout: &mut Layout, sink: &mut Sink) {
    let whole = ui.max_rect();
    let theme = state.theme;
    state.shell.window = Some(whole.size());
    ui.painter().rect_filled(whole, 0.0, theme.surface.panel);
    let (top, rest) = cut(whole, TOP);
    let (middle, bottom) = rest.split_top_bottom_at_y(rest.bottom() - STATUS);
    let (rail, beside) = middle.split_left_right_at_x(middle.left() + RAIL);
    let narrow = whole.width() < NARROW;
    let shown = if narrow { state.shell.side_over } else { state.shell.side_shown };

    within(ui, "top bar", top, |ui| top_bar::draw(ui, state, layout, sink));
    within(ui, "rail", rail, |ui| rail::draw(ui, state, shown, sink));
    let panes = if shown && !narrow {
        let width = state.shell.side_width.min(beside.width() - side::LEAST_BESIDE);
        let (panel, panes) = beside.split_left_right_at_x(beside.left() + width.max(side::LEAST));
        within(ui, "side panel", panel, |ui| side::draw(ui, state, layout, sink));
        side::resize(ui, panel, state);
        panes
    } else {
        beside
    };
    let chat_shown = state.shell.chat_shown(narrow);
    let panes = if chat_shown && !narrow {
        let width = state.shell.chat_width.min(panes.width() - side::LEAST_BESIDE).max(side::CHAT_LEAST);
        let (panes, chat) = panes.split_left_right_at_x(panes.right() - width);
        within(ui, "chat", chat, |ui| crate::panes::chat::draw(ui, state, sink));
        side::resize_chat(ui, chat, state);
        panes
    } else {
        panes
    };
    within(ui, "panes", panes, |ui| tabs::draw(ui, state, layout, sink));
    if chat_shown && narrow {
        side::draw_chat_over(ui, beside, state, sink);
    }
    if shown && narrow {
        side::draw_over(ui, beside, state, layout, sink);
    } else if !shown {
        state.shell.side_rect = None;
    }
    within(ui, "status bar", bottom, |ui| status::draw(ui, state, layout, sink));
    let painter = ui.painter();
    line_below(painter, top, theme.border.line);
    painter.vline(rail.right() - 0.5, rail.y_range(), Stroke::new(1.0, theme.border.line));
    painter.hline(bottom.x_range(), bottom.top() + 0.5, Stroke::new(1.0, theme.border.line));

    bell::draw(ui, state, sink);
    palette::draw(ui, state, sink);
    ask::draw(ui, state, sink);
    ask::draw_question(ui, state, sink);
    ask::draw_about(ui, state);
    crate::panes::terminal::question::draw(ui, state, sink);
    crate::panes::files::drag::draw_from_outside(ui);
    // Over what is read, where it is seen, and not over what is being written to a model.
    if let Some(command) = state.notices.show(ui.ctx(), panes) {
        sink.push(command);
    }
}

/// The upper `height` of `rect`, and the rest.
fn cut(rect: Rect, height: f32) -> (Rect, Rect) {
    rect.split_top_bottom_at_y(rect.top() + height)
}

/// Draws a part of the window into its own rectangle.
fn within(ui: &mut Ui, name: &'static str, rect: Rect, draw: impl FnOnce(&mut Ui)) {
    if rect.width() <= 0.0 || rect.height() <= 0.0 {
        return;
    }
    let mut part = ui.new_child(UiBuilder::new().id_salt(name).max_rect(rect));
    part.set_clip_rect(rect.intersect(ui.clip_rect()));
    draw(&mut part);
}

fn line_below(painter: &Painter, rect: Rect, color: Color32) {
    painter.hline(rect.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, color));
}

/// The key of a command as it is now, for a tooltip.
fn key(state: &State, command: Command) -> String {
    state.keymap.key_of(command).unwrap_or_default().to_owned()
}
