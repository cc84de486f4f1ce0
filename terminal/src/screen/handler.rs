//! Between the parser and alacritty's grid: gives everything on, and puts right or notices the few things it must.
//!
//! - A cursor position report in origin mode counts from the scroll region (alacritty counts from the screen).
//! - A scroll region below the screen, which the engine cannot bear, is none.
//! - A saved cursor below a screen that has shrunk is brought back into it.
//! - A stack of keyboard modes past its limit makes the engine panic; it is held below.
//! - Lines are counted as they scroll off: see [`Watched::settle`].
//! - Pins are let go before the alternate screen hides their lines, and fastened again when it leaves.
//! - A private mode that no program uses stands for "pin here", so that it is drawn in its place even inside a
//!   synchronized update.

use alacritty_terminal::event::EventListener;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line, Point, Side};
use alacritty_terminal::selection::{Selection, SelectionType};
use alacritty_terminal::term::{Term, TermMode};
use alacritty_terminal::vte::ansi::{
    Attr, CharsetIndex, ClearMode, CursorShape, CursorStyle, Handler, Hyperlink, KeyboardModes,
    KeyboardModesApplyBehavior, LineClearMode, Mode, ModifyOtherKeys, NamedPrivateMode, PrivateMode, Rgb, ScpCharPath,
    ScpUpdateMode, StandardCharset, TabulationClearMode, cursor_icon::CursorIcon,
};

use super::engine::Report;
use super::outbox::Outbox;
use super::pins::Pins;
use super::position::{LineId, Position};

/// The private mode that stands for "pin here", and how it is written.
pub(super) const PIN_MODE: u16 = 53_117;
pub(super) const PIN_SEQUENCE: &[u8] = b"\x1b[?53117h";

/// More than any program nests; the engine's own limit is where it panics.
const DEEPEST_KEYBOARD_MODES: usize = 64;

/// Where the sentinel of [`Watched::settle`] stands at first: above all lines that there can be.
const SENTINEL: i32 = -0x2000_0000;

/// What has to be known beside the engine's own state.
#[derive(Debug, Default)]
pub(super) struct Watched {
    /// Lines of the primary screen that ever scrolled off, when last settled.
    pub base: u64,
    /// The same for the alternate screen; it only has to be above what was there before.
    pub alternate_base: u64,
    /// First row of the scroll region.
    region_top: usize,
    keyboard_modes: usize,
    /// Pins asked for that have not been reached yet.
    pub asked: u32,
    pub pins: Pins,
    pub outbox: Outbox,
}

/// The engine with what is known beside it, as the parser's handler.
pub(super) struct Guarded<'a, T> {
    pub term: &'a mut Term<T>,
    pub watched: &'a mut Watched,
}

impl Watched {
    pub fn new(outbox: Outbox) -> Self {
        Self { outbox, ..Self::default() }
    }

    /// Takes over how far the screen has scrolled.
    ///
    /// The engine does not say, and its history stops growing at the limit. But it moves a selection along when the
    /// whole screen scrolls; one that stands above all lines, where nothing but scrolling reaches it, counts for us.
    pub fn settle<T>(&mut self, term: &mut Term<T>) {
        if let Some(sentinel) = &term.selection {
            // Its line is not public, but whether it lies in a range is.
            let lies_within = |lines: i32| sentinel.intersects_range(Line(SENTINEL - lines)..);
            if lies_within(0) {
                return;
            }
            let mut high = 1;
            while high < -SENTINEL && !lies_within(high) {
                high *= 2;
            }
            let mut low = high / 2;
            while low + 1 < high {
                let middle = low + (high - low) / 2;
                if lies_within(middle) {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            let scrolled = high as u64;
            *self.base_of(term) += scrolled;
        }
        Self::reset_sentinel(term);
    }

    pub fn reset_sentinel<T>(term: &mut Term<T>) {
        let point = Point::new(Line(SENTINEL), Column(0));
        term.selection = Some(Selection::new(SelectionType::Simple, point, Side::Left));
    }

    fn base_of<T>(&mut self, term: &Term<T>) -> &mut u64 {
        if term.mode().contains(TermMode::ALT_SCREEN) { &mut self.alternate_base } else { &mut self.base }
    }

    /// The first line of the screen.
    pub fn top<T>(&self, term: &Term<T>) -> LineId {
        LineId(if term.mode().contains(TermMode::ALT_SCREEN) { self.alternate_base } else { self.base })
    }

    /// Everything below the top must have been settled.
    pub fn cursor<T>(&self, term: &Term<T>) -> Position {
        let point = term.grid().cursor.point;
        Position::new(self.top(term).below(point.line.0.max(0) as u64), point.column.0 as u16)
    }

    pub fn region_is_whole(&mut self) {
        self.region_top = 0;
    }
}

impl<T: EventListener> Guarded<'_, T> {
    /// Runs something that would move or lose the sentinel without scrolling the whole screen up.
    fn unmoved(&mut self, run: impl FnOnce(&mut Term<T>)) {
        self.watched.settle(self.term);
        run(self.term);
        Watched::reset_sentinel(self.term);
    }

    fn enter_alternate(&mut self, mode: PrivateMode) {
        if self.term.mode().contains(TermMode::ALT_SCREEN) {
            return;
        }
        self.watched.settle(self.term);
        self.watched.pins.let_go(self.term.grid(), self.watched.base);
        self.term.set_private_mode(mode);
        // Above everything that the other screen can have shown by then: its lines are no lines of this one.
        self.watched.alternate_base = self.watched.alternate_base.max(self.watched.base).saturating_add(1 << 32);
        Watched::reset_sentinel(self.term);
    }

    fn leave_alternate(&mut self, leave: impl FnOnce(&mut Term<T>)) {
        self.watched.settle(self.term);
        leave(self.term);
        hold_cursors(self.term);
        Watched::reset_sentinel(self.term);
        self.watched.base = self.watched.base.max(self.term.grid().history_size() as u64);
        self.watched.pins.fasten(self.term.grid(), self.watched.base);
    }

    /// How many lines `ESC[2J` moves into history: up to the last that shows something.
    fn lines_in_use(&self) -> u64 {
        let grid = self.term.grid();
        let rows = (0..grid.screen_lines()).rev();
        rows.map(|row| Line(row as i32)).find(|line| !grid[*line].is_clear()).map_or(0, |line| line.0 as u64 + 1)
    }
}

/// Brings both cursors of the active screen within it: the engine leaves a saved one where it was when rows go, and panics
/// at the next character there.
pub(super) fn hold_cursors<T>(term: &mut Term<T>) {
    let (last_row, last_column) = (term.bottommost_line(), term.last_column());
    let grid = term.grid_mut();
    for point in [&mut grid.cursor.point, &mut grid.saved_cursor.point] {
        point.line = point.line.clamp(Line(0), last_row);
        point.column = point.column.min(last_column);
    }
}

macro_rules! give_on {
    ($($name:ident($($argument:ident: $kind:ty),*);)*) => {
        $(
            #[inline]
            fn $name(&mut self, $($argument: $kind),*) {
                Handler::$name(self.term, $($argument),*);
            }
        )*
    };
}

impl<T: EventListener> Handler for Guarded<'_, T> {
    give_on! {
        set_title(title: Option<String>);
        set_cursor_style(style: Option<CursorStyle>);
        set_cursor_shape(shape: CursorShape);
        input(c: char);
        goto(line: i32, column: usize);
        goto_line(line: i32);
        goto_col(column: usize);
        insert_blank(count: usize);
        move_up(lines: usize);
        move_down(lines: usize);
        identify_terminal(intermediate: Option<char>);
        move_forward(columns: usize);
        move_backward(columns: usize);
        move_down_and_cr(lines: usize);
        move_up_and_cr(lines: usize);
        put_tab(count: u16);
        backspace();
        carriage_return();
        linefeed();
        bell();
        substitute();
        newline();
        set_horizontal_tabstop();
        scroll_up(lines: usize);
        delete_lines(lines: usize);
        erase_chars(count: usize);
        delete_chars(count: usize);
        move_backward_tabs(count: u16);
        move_forward_tabs(count: u16);
        save_cursor_position();
        clear_line(mode: LineClearMode);
        clear_tabs(mode: TabulationClearMode);
        set_tabs(interval: u16);
        terminal_attribute(attribute: Attr);
        set_mode(mode: Mode);
        unset_mode(mode: Mode);
        report_mode(mode: Mode);
        report_private_mode(mode: PrivateMode);
        set_keypad_application_mode();
        unset_keypad_application_mode();
        set_active_charset(index: CharsetIndex);
        configure_charset(index: CharsetIndex, charset: StandardCharset);
        set_color(index: usize, color: Rgb);
        dynamic_color_sequence(prefix: String, index: usize, terminator: &str);
        reset_color(index: usize);
        clipboard_store(clipboard: u8, base64: &[u8]);
        clipboard_load(clipboard: u8, terminator: &str);
        decaln();
        push_title();
        pop_title();
        text_area_size_pixels();
        text_area_size_chars();
        set_hyperlink(link: Option<Hyperlink>);
        set_mouse_cursor_icon(icon: CursorIcon);
        report_keyboard_mode();
        set_keyboard_mode(mode: KeyboardModes, behavior: KeyboardModesApplyBehavior);
        set_modify_other_keys(mode: ModifyOtherKeys);
        report_modify_other_keys();
        set_scp(path: ScpCharPath, update: ScpUpdateMode);
    }

    fn device_status(&mut self, what: usize) {
        if what != 6 || !self.term.mode().contains(TermMode::ORIGIN) {
            return Handler::device_status(self.term, what);
        }
        let cursor = self.term.grid().cursor.point;
        let row = (cursor.line.0.max(0) as usize).saturating_sub(self.watched.region_top);
        let reply = format!("\x1b[{};{}R", row + 1, cursor.column.0 + 1);
        self.watched.outbox.report(Report::Reply(reply.into_bytes()));
    }

    fn set_scrolling_region(&mut self, top: usize, bottom: Option<usize>) {
        // Below the screen the engine would get an empty region, and panic at the next line feed.
        let lines = self.term.screen_lines();
        let end = bottom.unwrap_or(lines).min(lines);
        if top < end {
            self.watched.region_top = top.saturating_sub(1);
            Handler::set_scrolling_region(self.term, top, Some(end));
        }
    }

    fn restore_cursor_position(&mut self) {
        hold_cursors(self.term);
        Handler::restore_cursor_position(self.term);
    }

    fn reverse_index(&mut self) {
        self.unmoved(Handler::reverse_index);
    }

    fn scroll_down(&mut self, lines: usize) {
        self.unmoved(|term| Handler::scroll_down(term, lines));
    }

    fn insert_blank_lines(&mut self, lines: usize) {
        self.unmoved(|term| Handler::insert_blank_lines(term, lines));
    }

    fn clear_screen(&mut self, mode: ClearMode) {
        let moves_lines = matches!(mode, ClearMode::All) && !self.term.mode().contains(TermMode::ALT_SCREEN);
        let scrolled = if moves_lines { self.lines_in_use() } else { 0 };
        self.unmoved(|term| Handler::clear_screen(term, mode));
        self.watched.base += scrolled;
    }

    fn reset_state(&mut self) {
        self.watched.settle(self.term);
        Handler::reset_state(self.term);
        self.watched.pins.lose_all();
        self.watched.base += self.term.screen_lines() as u64;
        self.watched.region_is_whole();
        self.watched.keyboard_modes = 0;
        Watched::reset_sentinel(self.term);
    }

    fn set_private_mode(&mut self, mode: PrivateMode) {
        match mode {
            PrivateMode::Unknown(PIN_MODE) => {
                if self.watched.asked > 0 {
                    self.watched.asked -= 1;
                    self.watched.settle(self.term);
                    let at = self.watched.cursor(self.term);
                    let pin = self.watched.pins.pin(at);
                    self.watched.outbox.report(Report::Pinned(pin));
                }
            }
            PrivateMode::Named(NamedPrivateMode::SwapScreenAndSetRestoreCursor) => self.enter_alternate(mode),
            PrivateMode::Named(NamedPrivateMode::ColumnMode) => {
                self.watched.region_is_whole();
                self.unmoved(|term| Handler::set_private_mode(term, mode));
            }
            _ => Handler::set_private_mode(self.term, mode),
        }
    }

    fn unset_private_mode(&mut self, mode: PrivateMode) {
        match mode {
            PrivateMode::Named(NamedPrivateMode::SwapScreenAndSetRestoreCursor)
                if self.term.mode().contains(TermMode::ALT_SCREEN) =>
            {
                self.leave_alternate(|term| Handler::unset_private_mode(term, mode));
            }
            PrivateMode::Named(NamedPrivateMode::ColumnMode) => {
                self.watched.region_is_whole();
                self.unmoved(|term| Handler::unset_private_mode(term, mode));
            }
            _ => Handler::unset_private_mode(self.term, mode),
        }
    }

    fn push_keyboard_mode(&mut self, mode: KeyboardModes) {
        // Counted over both screens, which can only make it stricter.
        if self.watched.keyboard_modes < DEEPEST_KEYBOARD_MODES {
            self.watched.keyboard_modes += 1;
            Handler::push_keyboard_mode(self.term, mode);
        }
    }

    fn pop_keyboard_modes(&mut self, count: u16) {
        self.watched.keyboard_modes = self.watched.keyboard_modes.saturating_sub(usize::from(count));
        Handler::pop_keyboard_modes(self.term, count);
    }
}
