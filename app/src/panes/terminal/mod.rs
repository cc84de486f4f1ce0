//! A terminal in a tab: its cells, the marks of its commands, a find bar, and a line for how it ended.
//!
//! - [`draw`]: painting the cells; [`shapes`]: characters that are drawn as shapes; [`colors`]: the theme's palette
//! - [`keys`]: what is typed; [`pointer`]: selecting, links, the mouse of programs
//! - [`gutter`]: marks beside prompts; [`find`]: the find bar; [`question`]: what is asked first
//!
//! Everything of the terminal itself is in [`Terminals`](crate::state::terminals::Terminals); a pane is one view of it.

mod colors;
mod draw;
mod find;
mod gutter;
pub mod keys;
mod pointer;
pub mod question;
mod shapes;

use std::sync::{Arc, Weak};

use eframe::egui::{self, Rect, Ui, UiBuilder, pos2, vec2};
use egui_tiles::TileId;
use terminal::screen::{CommandId, Link};
use terminal::{Frame, LineId, Size, Terminal};

use crate::code_view::grid::Cells;
use crate::code_view::pointer::Clicks;
use crate::code_view::scroll;
use crate::commands::{Command, Sink};
use crate::state::State;
use crate::state::terminals::{OpenTerminal, Question, TerminalId};
use crate::theme::{look, space};
use crate::widgets::{Button, ErrorState, Notice, NoticeResponse, Tone};

pub use colors::palette;

/// Width of the strip of marks.
const GUTTER: f32 = space::L;

/// One view of a terminal.
pub struct TerminalPane {
    pub terminal: TerminalId,
    /// What `frame` is of: one that was started again counts its drawings anew.
    of: Weak<Terminal>,
    frame: Frame,
    colors: colors::Colors,
    clicks: Clicks,
    selecting: bool,
    /// The link under the pointer while Ctrl is held.
    link: Option<Link>,
    held: pointer::Held,
    find: Option<find::Find>,
    /// What an input method is composing.
    composing: String,
    /// Whether the program was last told that it has the keyboard.
    told_focus: bool,
    /// Rows that the wheel has turned and that are no whole row yet.
    wheel: f64,
    /// Where the first cell was drawn last, and how large one is.
    first_cell: Rect,
    /// When something was last typed, for the cursor's blinking; in egui's time.
    moved: Option<f64>,
}

impl TerminalPane {
    pub fn new(terminal: TerminalId) -> Self {
        Self {
            terminal,
            of: Weak::new(),
            frame: Frame::default(),
            colors: colors::Colors::default(),
            clicks: Clicks::default(),
            selecting: false,
            link: None,
            held: pointer::Held::default(),
            find: None,
            composing: String::new(),
            told_focus: false,
            wheel: 0.0,
            first_cell: Rect::ZERO,
            moved: None,
        }
    }

    /// Where a cell of the view was drawn last.
    pub fn place_of(&self, row: u16, column: u16) -> Rect {
        let cell = self.first_cell;
        cell.translate(vec2(f32::from(column) * cell.width(), f32::from(row) * cell.height()))
    }

    /// Whether searching goes on: more will be painted.
    pub fn is_busy(&self) -> bool {
        self.find.as_ref().is_some_and(find::Find::is_busy)
    }
}

/// Where the cells are.
struct Area {
    rect: Rect,
    cells: Cells,
    bold: Cells,
    size: Size,
}

impl Area {
    fn new(ui: &Ui, rect: Rect) -> Self {
        let (_, sizes) = look(ui);
        // Closer than code: lines of a box have to meet.
        let row = (sizes.code_size * 1.35).round();
        let cells = Cells::new(ui, sizes.code(), row);
        let bold = Cells::new(ui, sizes.code_bold(), row);
        let count = |length: f32, one: f32| (length / one).floor().clamp(1.0, 4000.0) as u16;
        let mut size = Size::new(count(rect.width(), cells.cell), count(rect.height(), row));
        let scale = ui.ctx().pixels_per_point();
        (size.cell_width, size.cell_height) = ((cells.cell * scale) as u16, (row * scale) as u16);
        Self { rect, cells, bold, size }
    }

    fn cell(&self, row: u16, column: u16) -> Rect {
        let corner = self.rect.min + vec2(f32::from(column) * self.cells.cell, f32::from(row) * self.cells.row);
        Rect::from_min_size(corner, vec2(self.cells.cell, self.cells.row))
    }

    fn columns(&self, row: u16, columns: (u16, u16)) -> Rect {
        Rect::from_min_max(self.cell(row, columns.0).min, self.cell(row, columns.1).left_bottom())
    }
}

/// Draws a terminal into the whole of `ui`.
pub fn draw(ui: &mut Ui, tile: TileId, pane: &mut TerminalPane, state: &mut State, sink: &mut Sink) {
    let whole = ui.max_rect();
    let theme = state.theme;
    let Some(open) = state.terminals.get(pane.terminal) else { return };
    if let Some(reason) = open.failure() {
        let reason = reason.to_owned();
        ui.painter().rect_filled(whole, 0.0, theme.surface.base);
        let mut ui = ui.new_child(UiBuilder::new().id_salt("failed").max_rect(whole));
        let again = Button::new("Try again");
        if ErrorState::new("The terminal could not be started", reason).action(again).show(&mut ui) {
            state.terminals.restart(pane.terminal);
        }
        return;
    }
    let mut body = whole;
    if pane.find.is_some() {
        body.min.y += find::draw(ui, tile, pane, state, whole);
    }
    body.max.y -= ended(ui, pane, state, body);
    let bar = Rect::from_min_max(pos2(body.right() - scroll::BAR, body.top()), body.max);
    let inner = Rect::from_min_max(pos2(body.left() + GUTTER, body.top() + space::XS), pos2(bar.left(), body.bottom()));
    let area = Area::new(ui, inner);
    pane.first_cell = area.cell(0, 0);
    let history = state.settings.terminal_history as usize;
    state.terminals.start(pane.terminal, area.size, history, palette(theme), &state.tasks);
    let Some(terminal) = state.terminals.live(pane.terminal).cloned() else {
        ui.painter().rect_filled(body, 0.0, theme.surface.base);
        return;
    };
    if !std::ptr::eq(pane.of.as_ptr(), Arc::as_ptr(&terminal)) {
        (pane.of, pane.frame) = (Arc::downgrade(&terminal), Frame::default());
    }
    terminal.resize(area.size);
    terminal.frame(&mut pane.frame);
    if pane.colors.sync(theme, pane.frame.overrides) {
        terminal.with_screen(|screen| screen.set_palette(palette(theme)));
    }

    let id = crate::panes::focus_id(tile);
    let response = ui.interact(body.with_max_x(bar.left()), id, egui::Sense::click_and_drag());
    pointer::act(ui, &response, pane, &terminal, &area, state, sink);
    // What the pointer did is seen at once.
    terminal.frame(&mut pane.frame);
    let focused = response.has_focus() && state.window_focused;
    keys::tell_focus(pane, &terminal, focused);
    if !terminal.is_running() {
        // Nobody takes what would be typed there.
        pane.frame.cursor = None;
    }
    draw::draw(ui, body, &area, pane, state, focused);
    gutter::draw(ui, tile, &area, pane, &terminal, state, sink);
    scroll_bar(ui, tile, bar, pane, &terminal, state);
    let name = state.terminals.get(pane.terminal).map_or_else(String::new, OpenTerminal::shown_name);
    response.widget_info(|| {
        let mut info = egui::WidgetInfo::labeled(egui::Role::Terminal, true, format!("Terminal {name}"));
        info.current_text_value = Some(pane.frame.text());
        info
    });
}

/// The line that says how it ended, at the bottom of `within`; how high it is.
fn ended(ui: &mut Ui, pane: &TerminalPane, state: &mut State, within: Rect) -> f32 {
    const HEIGHT: f32 = 36.0;
    let Some(exit) = state.terminals.get(pane.terminal).and_then(OpenTerminal::exit) else { return 0.0 };
    let rect = Rect::from_min_max(pos2(within.left(), within.bottom() - HEIGHT), within.max);
    let tone = if exit.succeeded() { Tone::Neutral } else { Tone::Danger };
    let mut ui = ui.new_child(UiBuilder::new().id_salt("ended").max_rect(rect.shrink2(vec2(space::S, 2.0))));
    let said = if exit.succeeded() { "Ended".to_owned() } else { format!("Ended: {exit}") };
    if Notice::new(tone, said).action("Run again").show(&mut ui) == NoticeResponse::Action(0) {
        state.terminals.restart(pane.terminal);
    }
    HEIGHT
}

fn scroll_bar(ui: &mut Ui, tile: TileId, bar: Rect, pane: &mut TerminalPane, terminal: &Terminal, state: &State) {
    ui.painter().rect_filled(bar, 0.0, state.theme.surface.panel);
    let rows = u64::from(pane.frame.size.rows);
    let total = pane.frame.lines_above() + rows + pane.frame.lines_below();
    if let Some(find) = &pane.find {
        find.mark(ui, bar, pane.frame.first, total, state.theme.ruler.search);
    }
    let id = crate::panes::focus_id(tile).with("scroll");
    let position = pane.frame.lines_above() as f64;
    if let Some(top) = scroll::vertical(ui, id, bar, total as f64, rows as f64, position, state.theme) {
        let line = LineId(pane.frame.first.0 + top.round() as u64);
        terminal.with_screen(|screen| screen.scroll_to(line));
        ui.ctx().request_repaint();
    }
}

/// Runs a command; whether it was one of a terminal's.
pub fn run(pane: &mut TerminalPane, command: Command, state: &mut State, ctx: &egui::Context) -> bool {
    match command {
        Command::TerminalRename => {
            let name = state.terminals.get(pane.terminal).map_or_else(String::new, OpenTerminal::shown_name);
            state.terminals.question = Some(Question::Rename { terminal: pane.terminal, name });
            return true;
        }
        Command::TerminalFind => {
            find::open(pane, state);
            return true;
        }
        _ => {}
    }
    let Some(terminal) = state.terminals.live(pane.terminal).cloned() else { return is_ours(command) };
    let rows = i64::from(pane.frame.size.rows);
    match command {
        Command::TerminalCopy => {
            if let Some(text) = terminal.with_screen(|screen| screen.selected_text()) {
                ctx.copy_text(text);
            }
        }
        Command::TerminalPaste => {
            state.terminals.paste_asked = true;
            ctx.send_viewport_cmd(egui::ViewportCommand::RequestPaste);
        }
        Command::TerminalSelectAll => terminal.with_screen(terminal::Screen::select_all),
        Command::TerminalFindNext | Command::TerminalFindPrevious => {
            find::step(pane, &terminal, command == Command::TerminalFindNext);
        }
        Command::TerminalPreviousPrompt => terminal.with_screen(|screen| {
            if let Some(line) = screen.stop_before(screen.view_top()) {
                screen.scroll_to(line);
            }
        }),
        Command::TerminalNextPrompt => terminal.with_screen(|screen| match screen.stop_after(screen.view_top()) {
            Some(line) => screen.scroll_to(line),
            None => screen.scroll_to_bottom(),
        }),
        Command::TerminalPageUp => terminal.with_screen(|screen| screen.scroll_by(1 - rows)),
        Command::TerminalPageDown => terminal.with_screen(|screen| screen.scroll_by(rows - 1)),
        Command::TerminalTop => terminal.with_screen(|screen| screen.scroll_to(screen.first_line())),
        Command::TerminalBottom => terminal.with_screen(terminal::Screen::scroll_to_bottom),
        Command::TerminalClear => {
            terminal.with_screen(terminal::Screen::clear_history);
            // The shell draws its prompt anew on top.
            said(terminal.type_bytes(b"\x0c"), state);
        }
        Command::TerminalCopyOutput => match terminal.with_screen(|screen| last_output(screen)) {
            Some(text) => ctx.copy_text(text),
            None => state.notices.info("No command has run in this terminal, or its shell does not say."),
        },
        Command::TerminalRunAgain => {
            let last = terminal.with_screen(|screen| screen.last_command().map(|last| last.id));
            match last {
                Some(id) => run_again(id, &terminal, state),
                None => state.notices.info("No command has run in this terminal, or its shell does not say."),
            }
        }
        _ => return false,
    }
    ctx.request_repaint();
    true
}

fn is_ours(command: Command) -> bool {
    command.spec().when == crate::commands::When::Terminal
}

fn last_output(screen: &terminal::Screen) -> Option<String> {
    let last = screen.last_command()?.id;
    Some(screen.output(last)?.text)
}

/// Types a command again, if the shell told what it was.
fn run_again(id: CommandId, terminal: &Terminal, state: &mut State) {
    let (line, ready) = terminal.with_screen(|screen| {
        let line = screen.command(id).and_then(|command| command.line.clone());
        (line, screen.at_prompt() == Some(true))
    });
    match line {
        Some(line) if ready => said(terminal.type_bytes(format!("{line}\r").as_bytes()), state),
        Some(_) => state.notices.info("A command still runs in this terminal."),
        None => state.notices.info("The shell did not tell this command; it is not run from what the screen shows."),
    }
}

/// Tells why keys were not sent. Where nothing runs any more, the line below says so.
fn typed(sent: Result<(), terminal::SendError>, state: &mut State) {
    if sent != Err(terminal::SendError::Ended) {
        said(sent, state);
    }
}

/// Tells why something was not sent.
fn said(sent: Result<(), terminal::SendError>, state: &mut State) {
    if let Err(error) = sent {
        state.notices.info(format!("Nothing was typed: {error}."));
    }
}
