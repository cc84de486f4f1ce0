//! The engine: alacritty's parser and grid, as [`Engine`] wants them.

use std::ops::Range;
use std::time::{Duration, Instant};

use alacritty_terminal::event::{Event, VoidListener, WindowSize};
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line, Point, Side};
use alacritty_terminal::selection::{Selection, SelectionType};
use alacritty_terminal::term::cell::{Cell as EngineCell, Flags, LineLength};
use alacritty_terminal::term::{Config, Osc52, Term, TermMode};
use alacritty_terminal::vte::ansi::{
    self, Color as EngineColor, CursorShape as EngineShape, NamedColor, Processor, Rgb as EngineRgb,
};

use super::cell::{Cell, Color, Extra, Palette, Rgb, Style};
use super::edges::Edges;
use super::engine::{CursorShape, Engine, EngineCursor, KittyFlags, Modes, MouseFormat, MouseMode, Overrides, Report};
use super::handler::{Guarded, PIN_SEQUENCE, Watched, hold_cursors};
use super::outbox::{Outbox, Sent};
use super::pins;
use super::position::{LineId, Pin, Position, Size};

/// Alacritty's terminal.
pub(super) struct Alacritty {
    term: Term<Outbox>,
    parser: Processor,
    edges: Edges,
    watched: Watched,
    outbox: Outbox,
    palette: Palette,
    size: Size,
    history_limit: usize,
}

/// What the engine asks of a size.
struct Extent(Size);

impl Dimensions for Extent {
    fn total_lines(&self) -> usize {
        self.screen_lines()
    }

    fn screen_lines(&self) -> usize {
        usize::from(self.0.rows)
    }

    fn columns(&self) -> usize {
        usize::from(self.0.columns)
    }
}

impl Alacritty {
    pub fn new(size: Size, history_limit: usize) -> Self {
        let size = size.within_limits();
        let outbox = Outbox::default();
        let mut term = Term::new(config(history_limit), &Extent(size), outbox.clone());
        Watched::reset_sentinel(&mut term);
        let watched = Watched::new(outbox.clone());
        Self {
            term,
            parser: Processor::new(),
            edges: Edges::default(),
            watched,
            outbox,
            palette: Palette::default(),
            size,
            history_limit,
        }
    }

    /// The engine's row of a line, if it is there.
    fn row_of(&self, line: LineId) -> Option<Line> {
        let row = line.0 as i64 - self.top().0 as i64;
        let there = -(self.history() as i64)..i64::from(self.size.rows);
        there.contains(&row).then_some(Line(row as i32))
    }

    fn point(&self, at: Position) -> Option<Point> {
        let column = usize::from(at.column.min(self.size.columns - 1));
        Some(Point::new(self.row_of(at.line)?, Column(column)))
    }

    /// Adds a row's characters without blanks at its end. A tab is one character, whatever it skipped.
    ///
    /// The engine's own function for this reads above the first line, and panics, when a wide character wraps there.
    fn add_text(&self, row: Line, columns: Range<usize>, text: &mut String) {
        let row = &self.term.grid()[row];
        let mut tab_until = 0;
        let cells = row[..].iter().take(row.line_length().0.min(columns.end)).enumerate().skip(columns.start);
        for (column, cell) in cells {
            let skipped = cell.c == ' ' && column < tab_until;
            if skipped || cell.flags.intersects(Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER) {
                continue;
            }
            tab_until = if cell.c == '\t' { (column / 8 + 1) * 8 } else { 0 };
            text.push(cell.c);
            text.extend(cell.zerowidth().into_iter().flatten());
        }
    }

    fn color(&self, color: EngineColor) -> Color {
        let palette = |index: u8| self.changed(usize::from(index)).map_or(Color::Palette(index), Color::Rgb);
        match color {
            EngineColor::Spec(rgb) => Color::Rgb(of_engine(rgb)),
            EngineColor::Indexed(index) => palette(index),
            EngineColor::Named(name) => match name as usize {
                index @ 0..16 => palette(index as u8),
                // The dim eight: the cell's flags say so as well.
                index @ 259..267 => palette((index - 259) as u8),
                _ => Color::Default,
            },
        }
    }

    /// A colour that a program has set.
    fn changed(&self, index: usize) -> Option<Rgb> {
        self.term.colors()[index].map(of_engine)
    }

    fn current(&self, index: usize) -> Rgb {
        self.changed(index).unwrap_or_else(|| match index {
            0..256 => self.palette.indexed(index as u8),
            _ if index == NamedColor::Background as usize => self.palette.background,
            _ if index == NamedColor::Cursor as usize => self.palette.cursor,
            _ => self.palette.foreground,
        })
    }

    fn cell(&self, cell: &EngineCell, extras: &mut Vec<Extra>) -> Cell {
        let mut extra = 0;
        if cell.extra.is_some() && extras.len() < usize::from(u16::MAX) {
            // Nobody reads a character with hundreds of marks on it.
            let combining = cell.zerowidth().into_iter().flatten().take(16).collect();
            let underline = cell.underline_color().map(|color| self.color(color));
            let link = cell.hyperlink().map(|link| link.uri().to_owned());
            let more = Extra { combining, underline, link };
            if extras.last() != Some(&more) {
                extras.push(more);
            }
            extra = extras.len() as u16;
        }
        let ch = if cell.c == '\t' { ' ' } else { cell.c };
        Cell { ch, fg: self.color(cell.fg), bg: self.color(cell.bg), style: style(cell.flags), extra }
    }
}

impl Engine for Alacritty {
    fn advance(&mut self, bytes: &[u8]) {
        let mut handler = Guarded { term: &mut self.term, watched: &mut self.watched };
        self.edges.pass(bytes, |bytes| self.parser.advance(&mut handler, bytes));
        self.watched.settle(&mut self.term);
    }

    fn pin_here(&mut self) -> Option<Pin> {
        let mut handler = Guarded { term: &mut self.term, watched: &mut self.watched };
        self.edges.flush(|bytes| self.parser.advance(&mut handler, bytes));
        if self.watched.asked == 0 && self.sync_deadline().is_none() {
            let at = self.watched.cursor(&self.term);
            return Some(self.watched.pins.pin(at));
        }
        self.watched.asked += 1;
        self.advance(PIN_SEQUENCE);
        None
    }

    fn sync_deadline(&self) -> Option<Instant> {
        self.parser.sync_timeout().sync_timeout()
    }

    fn end_sync(&mut self) {
        let mut handler = Guarded { term: &mut self.term, watched: &mut self.watched };
        self.parser.stop_sync(&mut handler);
        self.watched.settle(&mut self.term);
    }

    fn reports(&mut self) -> Vec<Report> {
        let reply = |text: String| Some(Report::Reply(text.into_bytes()));
        let sent = self.outbox.take().into_iter();
        sent.filter_map(|sent| match sent {
            Sent::Report(report) => Some(report),
            Sent::Engine(Event::PtyWrite(text)) => reply(text),
            Sent::Engine(Event::Title(title)) => Some(Report::Title(Some(title))),
            Sent::Engine(Event::ResetTitle) => Some(Report::Title(None)),
            Sent::Engine(Event::Bell) => Some(Report::Bell),
            Sent::Engine(Event::ClipboardStore(_, text)) => Some(Report::Copy(text)),
            Sent::Engine(Event::ColorRequest(index, write)) => {
                let Rgb(r, g, b) = self.current(index);
                reply(write(EngineRgb { r, g, b }))
            }
            Sent::Engine(Event::TextAreaSizeRequest(write)) => reply(write(WindowSize {
                num_lines: self.size.rows,
                num_cols: self.size.columns,
                cell_width: self.size.cell_width.min(u16::MAX / self.size.columns),
                cell_height: self.size.cell_height.min(u16::MAX / self.size.rows),
            })),
            Sent::Engine(_) => None,
        })
        .collect()
    }

    fn size(&self) -> Size {
        self.size
    }

    fn resize(&mut self, size: Size) {
        let size = size.within_limits();
        if (size.columns, size.rows) == (self.size.columns, self.size.rows) {
            self.size = size;
            return;
        }
        let alternate = self.term.mode().contains(TermMode::ALT_SCREEN);
        let rewraps = size.columns != self.size.columns && !alternate;
        if rewraps {
            self.watched.pins.let_go(self.term.grid(), self.watched.base);
        }
        let cursor = self.watched.cursor(&self.term).line;
        self.size = size;
        self.term.resize(Extent(size));
        hold_cursors(&mut self.term);
        Watched::reset_sentinel(&mut self.term);
        self.watched.region_is_whole();
        if !alternate {
            // The cursor's line keeps its number, unless there would be lines before the first.
            let row = self.term.grid().cursor.point.line.0.max(0) as u64;
            self.watched.base = cursor.0.saturating_sub(row).max(self.term.history_size() as u64);
        }
        if rewraps {
            self.watched.pins.fasten(self.term.grid(), self.watched.base);
        }
    }

    fn set_history_limit(&mut self, lines: usize) {
        if self.history_limit != lines {
            self.history_limit = lines;
            self.term.set_options(config(lines));
        }
    }

    fn set_palette(&mut self, palette: Palette) {
        self.palette = palette;
    }

    fn clear_history(&mut self) {
        if !self.term.mode().contains(TermMode::ALT_SCREEN) {
            self.term.grid_mut().clear_history();
        }
    }

    fn top(&self) -> LineId {
        self.watched.top(&self.term)
    }

    fn history(&self) -> usize {
        self.term.history_size()
    }

    fn cursor(&self) -> EngineCursor {
        let style = self.term.cursor_style();
        let shape = match style.shape {
            EngineShape::Underline => CursorShape::Underline,
            EngineShape::Beam => CursorShape::Beam,
            EngineShape::Block | EngineShape::HollowBlock | EngineShape::Hidden => CursorShape::Block,
        };
        let mut at = self.watched.cursor(&self.term);
        let point = self.term.grid().cursor.point;
        if self.term.grid()[point].flags.contains(Flags::WIDE_CHAR_SPACER) {
            at.column = at.column.saturating_sub(1);
        }
        let shown = self.term.mode().contains(TermMode::SHOW_CURSOR) && style.shape != EngineShape::Hidden;
        EngineCursor { at, shape, blinks: style.blinking, shown }
    }

    fn modes(&self) -> Modes {
        let has = |mode: TermMode| self.term.mode().contains(mode);
        Modes {
            alternate_screen: has(TermMode::ALT_SCREEN),
            application_cursor: has(TermMode::APP_CURSOR),
            application_keypad: has(TermMode::APP_KEYPAD),
            bracketed_paste: has(TermMode::BRACKETED_PASTE),
            focus_reports: has(TermMode::FOCUS_IN_OUT),
            alternate_scroll: has(TermMode::ALTERNATE_SCROLL),
            newline: has(TermMode::LINE_FEED_NEW_LINE),
            mouse: match () {
                () if has(TermMode::MOUSE_MOTION) => MouseMode::Motion,
                () if has(TermMode::MOUSE_DRAG) => MouseMode::Drags,
                () if has(TermMode::MOUSE_REPORT_CLICK) => MouseMode::Clicks,
                () => MouseMode::None,
            },
            mouse_format: match () {
                () if has(TermMode::SGR_MOUSE) => MouseFormat::Sgr,
                () if has(TermMode::UTF8_MOUSE) => MouseFormat::Utf8,
                () => MouseFormat::Legacy,
            },
            kitty: KittyFlags {
                disambiguate: has(TermMode::DISAMBIGUATE_ESC_CODES),
                event_types: has(TermMode::REPORT_EVENT_TYPES),
                alternate_keys: has(TermMode::REPORT_ALTERNATE_KEYS),
                all_as_escapes: has(TermMode::REPORT_ALL_KEYS_AS_ESC),
                associated_text: has(TermMode::REPORT_ASSOCIATED_TEXT),
            },
        }
    }

    fn overrides(&self) -> Overrides {
        Overrides {
            foreground: self.changed(NamedColor::Foreground as usize),
            background: self.changed(NamedColor::Background as usize),
            cursor: self.changed(NamedColor::Cursor as usize),
        }
    }

    fn cells(&self, line: LineId, into: &mut Vec<Cell>, extras: &mut Vec<Extra>) {
        match self.row_of(line) {
            Some(row) => into.extend(self.term.grid()[row][..].iter().map(|cell| self.cell(cell, extras))),
            None => into.extend(std::iter::repeat_n(Cell::default(), usize::from(self.size.columns))),
        }
    }

    fn text(&self, line: LineId, into: &mut String, columns: &mut Vec<(usize, u16)>) {
        let Some(row) = self.row_of(line) else { return };
        let row = &self.term.grid()[row];
        for (column, cell) in row[..Column(row.line_length().0)].iter().enumerate() {
            if cell.flags.intersects(Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER) {
                continue;
            }
            columns.push((into.len(), column as u16));
            into.push(if cell.c == '\t' { ' ' } else { cell.c });
            into.extend(cell.zerowidth().into_iter().flatten());
        }
    }

    fn text_between(&self, from: Position, to: Position) -> String {
        let first = self.top().above(self.history() as u64);
        let end = self.top().below(u64::from(self.size.rows));
        let from = from.max(Position::new(first, 0));
        let to = to.min(Position::new(end, 0));
        let mut text = String::new();
        let mut line = from.line;
        while let Some(row) = self.row_of(line).filter(|_| Position::new(line, 0) < to) {
            let start = if line == from.line { usize::from(from.column) } else { 0 };
            let whole = line < to.line;
            let stop = if whole { usize::from(self.size.columns) } else { usize::from(to.column) };
            self.add_text(row, start..stop, &mut text);
            if whole && !pins::wraps(self.term.grid(), row) {
                text.push('\n');
            }
            line = line.below(1);
        }
        // What ends at the beginning of a line ends with the one before.
        if to.column == 0 && text.ends_with('\n') {
            text.pop();
        }
        text
    }

    fn wraps(&self, line: LineId) -> bool {
        self.row_of(line).is_some_and(|row| pins::wraps(self.term.grid(), row))
    }

    fn word_at(&self, at: Position) -> (Position, Position) {
        let range = self
            .point(at)
            .and_then(|point| Selection::new(SelectionType::Semantic, point, Side::Left).to_range(&self.term));
        let position = |point: Point| {
            Position::new(LineId((self.top().0 as i64 + i64::from(point.line.0)).max(0) as u64), point.column.0 as u16)
        };
        range.map_or((at, at), |range| (position(range.start), position(range.end)))
    }

    fn pin(&mut self, at: Position) -> Pin {
        self.watched.pins.pin(at)
    }

    fn position(&self, pin: Pin) -> Option<Position> {
        let at = self.watched.pins.place(pin)?;
        self.row_of(at.line).map(|_| at)
    }

    fn unpin(&mut self, pin: Pin) {
        self.watched.pins.unpin(pin);
    }

    fn is_lost(&self, pin: Pin) -> bool {
        if self.watched.pins.is_loose(pin) {
            return false;
        }
        let hidden = self.term.mode().contains(TermMode::ALT_SCREEN);
        let first = self.watched.base.saturating_sub(if hidden { u64::MAX } else { self.history() as u64 });
        self.watched.pins.place(pin).is_none_or(|at| at.line.0 < first)
    }
}

/// How long the engine alone takes for `bytes`, in pieces: what ours is measured against.
pub(crate) fn bare_engine(bytes: &[u8], piece: usize, size: Size) -> Duration {
    let mut term = Term::new(config(10_000), &Extent(size), VoidListener);
    let mut parser: Processor = Processor::new();
    let begun = Instant::now();
    for piece in bytes.chunks(piece) {
        parser.advance(&mut term, piece);
    }
    begun.elapsed()
}

fn config(history_limit: usize) -> Config {
    Config { scrolling_history: history_limit, kitty_keyboard: true, osc52: Osc52::OnlyCopy, ..Config::default() }
}

fn of_engine(color: ansi::Rgb) -> Rgb {
    Rgb(color.r, color.g, color.b)
}

fn style(flags: Flags) -> Style {
    // Most cells have none.
    if flags.is_empty() {
        return Style::default();
    }
    let pairs = [
        (Flags::BOLD, Style::BOLD),
        (Flags::DIM, Style::DIM),
        (Flags::ITALIC, Style::ITALIC),
        (Flags::INVERSE, Style::INVERSE),
        (Flags::HIDDEN, Style::HIDDEN),
        (Flags::STRIKEOUT, Style::STRIKE),
        (Flags::UNDERLINE, Style::UNDERLINE),
        (Flags::DOUBLE_UNDERLINE, Style::DOUBLE_UNDERLINE),
        (Flags::UNDERCURL, Style::CURLY_UNDERLINE),
        (Flags::DOTTED_UNDERLINE, Style::DOTTED_UNDERLINE),
        (Flags::DASHED_UNDERLINE, Style::DASHED_UNDERLINE),
        (Flags::WIDE_CHAR, Style::WIDE),
        (Flags::WIDE_CHAR_SPACER, Style::SPACER),
        (Flags::LEADING_WIDE_CHAR_SPACER, Style::SPACER),
        (Flags::WRAPLINE, Style::WRAPPED),
    ];
    let set = pairs.into_iter().filter(|(flag, _)| flags.contains(*flag));
    set.fold(Style::default(), |style, (_, bit)| style.with(bit))
}
