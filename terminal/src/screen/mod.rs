//! The screen: bytes in, cells out. Engine, marks, selection, links and search stand together here, without a process.
//!
//! Terms: a *line* has a number that it keeps while it scrolls ([`LineId`]); the *view* is what the user looks at, the
//! *screen* what the program draws on; they differ when the user has scrolled up. A *pin* is a place that stays with its
//! text.
//!
//! The engine is alacritty's; its types are seen nowhere outside this folder. Known deviations: a heart with a variation
//! selector (VS16) is one cell wide, as the width of its first character says.

mod alacritty;
mod cell;
mod edges;
mod engine;
mod frame;
mod handler;
mod links;
mod marks;
mod osc;
mod outbox;
mod pins;
mod position;
mod scanner;
mod search;
mod selection;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use cell::{Cell, Color, Extra, Palette, Rgb, Style};
pub use engine::{CursorShape, KittyFlags, Modes, MouseFormat, MouseMode, Overrides};
pub use frame::{Frame, FrameCursor, GutterMark};
pub use links::{Link, LinkTarget};
pub use marks::{Command, CommandId, CommandPlaces, CommandState};
pub(crate) use osc::percent_decoded;
pub use osc::{Mark, Osc};
pub use position::{LineId, Pin, Position, Size};
pub use scanner::LONGEST_OSC;
pub(crate) use search::LINES_AT_ONCE as SEARCH_STEP;
pub use search::{Match, Matches, Pattern, PatternError};
pub use selection::{Selected, SelectionKind};

pub(crate) use alacritty::bare_engine;

use alacritty::Alacritty;
use engine::{Engine, Report};
use marks::{Changed, Marks};
use scanner::{Piece, Scanner};
use selection::Selection;

/// Lines of history unless the user wants another number.
pub const DEFAULT_HISTORY: usize = 10_000;
/// The most that can be asked for.
pub const MOST_HISTORY: usize = 100_000;
/// Events that nobody has taken are dropped beyond this; a flood of bells is one bell.
const MOST_EVENTS: usize = 1_000;

/// What happened, for the window or the program that drives the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScreenEvent {
    Title(Option<String>),
    Bell,
    /// The program copies text.
    Copy(String),
    Notify {
        title: String,
        body: String,
    },
    /// Per cent of what the program does; `None` when it is done.
    Progress(Option<u8>),
    Directory(PathBuf),
    CommandStarted(CommandId),
    CommandEnded {
        id: CommandId,
        code: Option<i32>,
        duration: Duration,
    },
}

/// What a command has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    pub text: String,
    /// Its beginning has scrolled out of history.
    pub truncated: bool,
}

/// The screen of one terminal.
pub struct Screen {
    engine: Box<dyn Engine>,
    scanner: Scanner,
    /// Said in the stream, in order; each waits for its pin.
    said: VecDeque<Osc>,
    marks: Marks,
    selection: Option<Selection>,
    /// The first line in view, when the user has scrolled up.
    view: Option<Pin>,
    title: Option<String>,
    directory: Option<PathBuf>,
    nonce: Option<String>,
    events: VecDeque<ScreenEvent>,
    generation: u64,
}

impl Screen {
    pub fn new(size: Size, history: usize) -> Self {
        Self {
            engine: Box::new(Alacritty::new(size, history.min(MOST_HISTORY))),
            scanner: Scanner::default(),
            said: VecDeque::new(),
            marks: Marks::default(),
            selection: None,
            view: None,
            title: None,
            directory: None,
            nonce: None,
            events: VecDeque::new(),
            generation: 0,
        }
    }

    /// Command lines are believed only with this word, which the shell is given at its start.
    pub fn set_nonce(&mut self, nonce: Option<String>) {
        self.nonce = nonce;
    }

    /// Draws what a program wrote. Returns what has to be sent back to it.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut replies = Vec::new();
        let mut scanner = std::mem::take(&mut self.scanner);
        scanner.scan(bytes, |piece| match piece {
            Piece::Bytes(bytes) => self.engine.advance(bytes),
            // At once, where it can be: what follows may hide the place behind the alternate screen.
            Piece::Osc(osc) => match self.engine.pin_here() {
                Some(pin) => self.on_said(osc, pin),
                None => {
                    self.said.push_back(osc);
                    self.take_reports(&mut replies);
                }
            },
        });
        self.scanner = scanner;
        self.take_reports(&mut replies);
        self.after_drawing();
        replies
    }

    /// An empty screen of the same size, for when the engine has failed.
    pub(crate) fn start_again(&mut self) {
        let mut new = Self::new(self.size(), DEFAULT_HISTORY);
        new.nonce = self.nonce.take();
        new.directory = self.directory.take();
        // Nobody must take it for what they have seen already.
        new.generation = self.generation + 1;
        new.feed("[recto: this output could not be drawn; the screen was cleared]\r\n".as_bytes());
        *self = new;
    }

    /// When [`Screen::end_synchronized`] must be called, if a synchronized update is under way.
    pub fn synchronized_until(&self) -> Option<Instant> {
        self.engine.sync_deadline()
    }

    /// Draws what a synchronized update held back, once its time is over.
    pub fn end_synchronized(&mut self) -> Vec<u8> {
        let mut replies = Vec::new();
        self.engine.end_sync();
        self.take_reports(&mut replies);
        self.after_drawing();
        replies
    }

    fn take_reports(&mut self, replies: &mut Vec<u8>) {
        for report in self.engine.reports() {
            match report {
                Report::Reply(bytes) => replies.extend_from_slice(&bytes),
                Report::Title(title) => {
                    let title = title.map(|title| title.chars().filter(|ch| !ch.is_control()).take(512).collect());
                    self.title.clone_from(&title);
                    self.event(ScreenEvent::Title(title));
                }
                Report::Bell => self.event(ScreenEvent::Bell),
                Report::Copy(text) => self.event(ScreenEvent::Copy(text)),
                Report::Pinned(pin) => match self.said.pop_front() {
                    Some(osc) => self.on_said(osc, pin),
                    None => self.engine.unpin(pin),
                },
            }
        }
    }

    fn after_drawing(&mut self) {
        self.generation += 1;
        self.marks.forget_lost(self.engine.as_mut());
        if self.selection.as_ref().is_some_and(|selection| !selection.still_holds(self.engine.as_ref())) {
            self.clear_selection();
        }
    }

    fn on_said(&mut self, osc: Osc, pin: Pin) {
        if let Osc::Mark(mark) = osc {
            match self.marks.on(mark, pin, self.directory.as_deref(), self.engine.as_mut()) {
                Changed::Nothing => {}
                Changed::Started(id) => self.event(ScreenEvent::CommandStarted(id)),
                Changed::Ended(id) => {
                    let command = self.marks.get(id);
                    let code = command.and_then(|command| match command.state {
                        CommandState::Ended(code) => code,
                        _ => None,
                    });
                    let duration = command.and_then(|command| command.duration).unwrap_or_default();
                    self.event(ScreenEvent::CommandEnded { id, code, duration });
                }
            }
            return;
        }
        self.engine.unpin(pin);
        match osc {
            Osc::Mark(_) => {}
            Osc::CommandLine { text, nonce } => {
                if self.nonce.is_some() && nonce == self.nonce {
                    self.marks.set_line(text);
                }
            }
            Osc::Directory(directory) => {
                if self.directory.as_ref() != Some(&directory) {
                    self.directory = Some(directory.clone());
                    self.event(ScreenEvent::Directory(directory));
                }
            }
            Osc::Notify { title, body } => self.event(ScreenEvent::Notify { title, body }),
            Osc::Progress(percent) => self.event(ScreenEvent::Progress(percent)),
        }
    }

    fn event(&mut self, event: ScreenEvent) {
        if self.events.back() == Some(&event) && event == ScreenEvent::Bell {
            return;
        }
        if self.events.len() >= MOST_EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(event);
    }

    /// Everything that happened since the last call.
    pub fn take_events(&mut self) -> Vec<ScreenEvent> {
        self.events.drain(..).collect()
    }

    /// Whether anything happened since they were taken.
    pub fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    pub fn size(&self) -> Size {
        self.engine.size()
    }

    pub fn resize(&mut self, size: Size) {
        self.engine.resize(size);
        self.generation += 1;
    }

    pub fn set_history_limit(&mut self, lines: usize) {
        self.engine.set_history_limit(lines.min(MOST_HISTORY));
        self.generation += 1;
    }

    /// The theme's colours, which programs may ask for.
    pub fn set_palette(&mut self, palette: Palette) {
        self.engine.set_palette(palette);
    }

    /// Forgets what scrolled off; the screen stays.
    pub fn clear_history(&mut self) {
        self.engine.clear_history();
        self.scroll_to_bottom();
        self.marks.forget_lost(self.engine.as_mut());
        self.generation += 1;
    }

    pub fn modes(&self) -> Modes {
        self.engine.modes()
    }

    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// The directory that the shell last said.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Changes whenever what is shown may have.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The first line that is still there.
    pub fn first_line(&self) -> LineId {
        self.engine.top().above(self.engine.history() as u64)
    }

    /// Lines that have scrolled off and are still there.
    pub fn history(&self) -> u64 {
        self.engine.history() as u64
    }

    /// The line after the last of the screen.
    pub fn end_line(&self) -> LineId {
        self.engine.top().below(u64::from(self.size().rows))
    }

    /// The first line in view.
    pub fn view_top(&self) -> LineId {
        let bottom = self.engine.top();
        match self.view {
            None => bottom,
            Some(pin) => match self.engine.position(pin) {
                Some(at) => at.line.min(bottom),
                None if self.engine.is_lost(pin) => self.first_line(),
                None => bottom,
            },
        }
    }

    /// Shows `line` at the top of the view, as far as there are lines.
    pub fn scroll_to(&mut self, line: LineId) {
        let line = line.max(self.first_line());
        if let Some(pin) = self.view.take() {
            self.engine.unpin(pin);
        }
        if line < self.engine.top() {
            self.view = Some(self.engine.pin(Position::new(line, 0)));
        }
        self.generation += 1;
    }

    /// Moves the view; positive is down.
    pub fn scroll_by(&mut self, lines: i64) {
        let top = self.view_top();
        self.scroll_to(if lines < 0 { top.above(lines.unsigned_abs()) } else { top.below(lines.unsigned_abs()) });
    }

    pub fn scroll_to_bottom(&mut self) {
        self.scroll_to(self.engine.top());
    }

    /// Scrolls as little as shows `line`, with a few lines around it.
    pub fn reveal(&mut self, line: LineId) {
        let rows = u64::from(self.size().rows);
        let top = self.view_top();
        if line < top || line >= top.below(rows) {
            self.scroll_to(line.above(rows / 3));
        }
    }

    /// Fills `frame` with what is to be shown now.
    pub fn frame(&self, frame: &mut Frame) {
        let size = self.size();
        frame.size = size;
        frame.top = self.view_top();
        frame.first = self.first_line();
        frame.screen = self.engine.top();
        frame.modes = self.engine.modes();
        frame.overrides = self.engine.overrides();
        frame.generation = self.generation;
        frame.cells.clear();
        frame.extras.clear();
        frame.gutter.clear();
        frame.selected.clear();
        let selected = self.selection.as_ref().and_then(|selection| selection.selected(self.engine.as_ref()));
        for row in 0..u64::from(size.rows) {
            let line = frame.top.below(row);
            self.engine.cells(line, &mut frame.cells, &mut frame.extras);
            frame.selected.push(selected.and_then(|selected| selected.columns_in(line, size.columns)));
        }
        frame.cursor = self.frame_cursor(frame);
        self.gutter(frame);
    }

    fn frame_cursor(&self, frame: &Frame) -> Option<FrameCursor> {
        let cursor = self.engine.cursor();
        let row = cursor.at.line.0.checked_sub(frame.top.0).filter(|row| *row < u64::from(frame.size.rows))?;
        let row = row as u16;
        let under = frame.row(row).get(usize::from(cursor.at.column));
        cursor.shown.then_some(FrameCursor {
            row,
            column: cursor.at.column,
            wide: under.is_some_and(|cell| cell.style.has(Style::WIDE)),
            shape: cursor.shape,
            blinks: cursor.blinks,
        })
    }

    fn gutter(&self, frame: &mut Frame) {
        if frame.modes.alternate_screen {
            return;
        }
        let rows = u64::from(frame.size.rows);
        for command in self.marks.all().iter().rev() {
            let Some(line) = command.prompt_line(self.engine.as_ref()) else { continue };
            if line < frame.top {
                break;
            }
            if line < frame.top.below(rows) {
                let row = (line.0 - frame.top.0) as u16;
                frame.gutter.push(GutterMark { row, command: command.id, state: command.state });
            }
        }
        frame.gutter.reverse();
    }

    /// The cells of the screen as text, a line a row; what the user has scrolled to does not matter.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut columns = Vec::new();
        for row in 0..u64::from(self.size().rows) {
            self.engine.text(self.engine.top().below(row), &mut text, &mut columns);
            text.truncate(text.trim_end_matches(' ').len());
            text.push('\n');
        }
        text
    }

    /// Everything that is there: history and screen, wrapped lines put together, blank lines at the end left out.
    pub fn all_text(&self) -> String {
        let text = self.engine.text_between(Position::new(self.first_line(), 0), Position::new(self.end_line(), 0));
        text.trim_end().to_owned() + "\n"
    }

    /// The cells of any line that is there, and what few of them have.
    pub fn cells_of(&self, line: LineId) -> (Vec<Cell>, Vec<Extra>) {
        let (mut cells, mut extras) = (Vec::new(), Vec::new());
        self.engine.cells(line, &mut cells, &mut extras);
        (cells, extras)
    }

    /// Where typing goes.
    pub fn cursor(&self) -> Position {
        self.engine.cursor().at
    }

    // Selection. All positions are borders between cells.

    pub fn select(&mut self, kind: SelectionKind, at: Position) {
        self.clear_selection();
        self.selection = Some(Selection::new(kind, at, self.engine.as_mut()));
        self.generation += 1;
    }

    pub fn extend_selection(&mut self, to: Position) {
        if let Some(selection) = &mut self.selection {
            selection.extend(to, self.engine.as_mut());
            self.generation += 1;
        }
    }

    pub fn select_all(&mut self) {
        self.select(SelectionKind::Simple, Position::new(self.first_line(), 0));
        self.extend_selection(Position::new(self.end_line().above(1), self.size().columns));
    }

    /// The whole output of a command.
    pub fn select_output(&mut self, id: CommandId) {
        let range = self.marks.get(id).and_then(|command| command.output_range(self.engine.as_ref()));
        if let Some((from, to, _)) = range {
            self.select(SelectionKind::Simple, from);
            self.extend_selection(to.min(Position::new(self.end_line().above(1), self.size().columns)));
        }
    }

    pub fn clear_selection(&mut self) {
        if let Some(selection) = self.selection.take() {
            selection.drop_pins(self.engine.as_mut());
            self.generation += 1;
        }
    }

    pub fn selected(&self) -> Option<Selected> {
        self.selection.as_ref()?.selected(self.engine.as_ref())
    }

    pub fn selected_text(&self) -> Option<String> {
        self.selection.as_ref()?.text(self.engine.as_ref()).filter(|text| !text.is_empty())
    }

    // Commands

    /// All that are remembered, oldest first.
    pub fn commands(&self) -> &[Command] {
        self.marks.all()
    }

    pub fn command(&self, id: CommandId) -> Option<&Command> {
        self.marks.get(id)
    }

    /// The last that ran, or runs.
    pub fn last_command(&self) -> Option<&Command> {
        self.marks.last_run()
    }

    /// Whether the shell is at its prompt; `None` when it marks none.
    pub fn at_prompt(&self) -> Option<bool> {
        self.marks.all().last().map(|last| last.state != CommandState::Running)
    }

    /// What a command has written so far.
    pub fn output(&self, id: CommandId) -> Option<Output> {
        let (from, to, truncated) = self.marks.get(id)?.output_range(self.engine.as_ref())?;
        let text = self.engine.text_between(from, to);
        Some(Output { text: text.trim_end().to_owned(), truncated })
    }

    /// The command line: as the shell told it, or as it stands on the screen.
    pub fn command_text(&self, id: CommandId) -> Option<String> {
        let command = self.marks.get(id)?;
        if command.line.is_some() {
            return command.line.clone();
        }
        let (from, to) = command.input_range(self.engine.as_ref())?;
        Some(self.engine.text_between(from, to).trim().to_owned())
    }

    /// Where a prompt or a mark of the user's is, before or after a line.
    pub fn stop_before(&self, line: LineId) -> Option<LineId> {
        self.marks.stops(self.engine.as_ref()).into_iter().rev().find(|stop| *stop < line)
    }

    pub fn stop_after(&self, line: LineId) -> Option<LineId> {
        self.marks.stops(self.engine.as_ref()).into_iter().find(|stop| *stop > line)
    }

    /// Where a command's prompt is, while it is there.
    pub fn prompt_line(&self, id: CommandId) -> Option<LineId> {
        self.marks.get(id)?.prompt_line(self.engine.as_ref())
    }

    /// Where the parts of a command are.
    pub fn places(&self, id: CommandId) -> Option<CommandPlaces> {
        Some(self.marks.get(id)?.places(self.engine.as_ref()))
    }

    // Links and search

    /// The link at a cell.
    pub fn link_at(&self, at: Position) -> Option<Link> {
        links::at(self.engine.as_ref(), at)
    }

    /// The directory that paths in a line are relative to: that of the command which wrote it.
    pub fn directory_of(&self, line: LineId) -> Option<&Path> {
        let commands = self.marks.all().iter().rev();
        let command = commands
            .filter(|command| command.directory.is_some())
            .find(|command| command.prompt_line(self.engine.as_ref()).is_some_and(|prompt| prompt <= line));
        command.and_then(|command| command.directory.as_deref()).or(self.directory())
    }

    /// Text of some lines from `from` on, for a search that holds no lock.
    pub(crate) fn lines_for_search(&self, from: LineId, count: u64) -> search::Lines {
        search::Lines::copy(self.engine.as_ref(), from.max(self.first_line()), count)
    }
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Screen")
            .field("size", &self.size())
            .field("generation", &self.generation)
            .finish_non_exhaustive()
    }
}
