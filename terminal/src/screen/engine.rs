//! What a terminal engine does for us: parses bytes, keeps the grid, and keeps pins true.
//!
//! The engine behind it is [`Alacritty`](super::alacritty::Alacritty); another one takes its place by implementing this.

use std::time::Instant;

use super::cell::{Cell, Extra, Palette, Rgb};
use super::position::{LineId, Pin, Position, Size};

/// Parses and holds the screen. All lines are [`LineId`]s: `top()` is the first line of the screen, and
/// `top() - history() .. top()` has scrolled off.
pub trait Engine: Send {
    /// Draws what `bytes` say. Bytes inside a synchronized update are held until it ends.
    fn advance(&mut self, bytes: &[u8]);

    /// Asks for a pin at the place that the cursor has once everything advanced so far is drawn. Within a synchronized
    /// update it comes later, as a [`Report::Pinned`], in the order asked for.
    fn pin_here(&mut self) -> Option<Pin>;

    /// When a synchronized update must be ended, if one is under way.
    fn sync_deadline(&self) -> Option<Instant>;

    /// Draws what a synchronized update held back.
    fn end_sync(&mut self);

    /// Everything reported since the last call.
    fn reports(&mut self) -> Vec<Report>;

    fn size(&self) -> Size;

    /// Re-wraps all lines when the width changes.
    fn resize(&mut self, size: Size);

    /// How many lines may scroll off before the oldest is forgotten.
    fn set_history_limit(&mut self, lines: usize);

    fn set_palette(&mut self, palette: Palette);

    /// Forgets what scrolled off.
    fn clear_history(&mut self);

    /// The first line of the screen.
    fn top(&self) -> LineId;

    /// Lines that scrolled off and are still there; none on the alternate screen.
    fn history(&self) -> usize;

    fn cursor(&self) -> EngineCursor;

    fn modes(&self) -> Modes;

    /// Colours that a program has set in place of the theme's.
    fn overrides(&self) -> Overrides;

    /// Adds the cells of a line, always as many as the screen has columns; blank when the line is not there.
    fn cells(&self, line: LineId, into: &mut Vec<Cell>, extras: &mut Vec<Extra>);

    /// Adds the characters of a line without trailing blanks, and for every character its column. Spacers are left out.
    fn text(&self, line: LineId, into: &mut String, columns: &mut Vec<(usize, u16)>);

    /// The text from one cell up to, but not including, another; wrapped lines are put together.
    fn text_between(&self, from: Position, to: Position) -> String;

    /// Whether the line's text goes on in the next one.
    fn wraps(&self, line: LineId) -> bool;

    /// The word at a place: start and last cell.
    fn word_at(&self, at: Position) -> (Position, Position);

    fn pin(&mut self, at: Position) -> Pin;

    /// Where a pin is now; `None` once its line is gone, and while the alternate screen hides it.
    fn position(&self, pin: Pin) -> Option<Position>;

    fn unpin(&mut self, pin: Pin);

    /// Whether the pin's line is gone for good.
    fn is_lost(&self, pin: Pin) -> bool;
}

/// What the engine has to say, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// Bytes for the program's input: an answer to what it asked.
    Reply(Vec<u8>),
    /// The title; `None` sets it back.
    Title(Option<String>),
    Bell,
    /// The program copies text (OSC 52).
    Copy(String),
    /// A pin that was asked for by `pin_here`.
    Pinned(Pin),
}

/// Where typing goes, and how that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineCursor {
    pub at: Position,
    pub shape: CursorShape,
    pub blinks: bool,
    /// Whether the program wants it shown.
    pub shown: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorShape {
    Block,
    Underline,
    Beam,
}

/// What the program has asked of keys, mouse and screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    pub alternate_screen: bool,
    /// Arrow keys send `ESC O` (DECCKM).
    pub application_cursor: bool,
    pub application_keypad: bool,
    pub bracketed_paste: bool,
    pub focus_reports: bool,
    /// The wheel moves the cursor on the alternate screen (1007).
    pub alternate_scroll: bool,
    /// Enter sends CR LF (LNM).
    pub newline: bool,
    pub mouse: MouseMode,
    pub mouse_format: MouseFormat,
    pub kitty: KittyFlags,
}

/// Which mouse events are reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MouseMode {
    #[default]
    None,
    /// Presses and releases (1000).
    Clicks,
    /// And movement with a button held (1002).
    Drags,
    /// And all movement (1003).
    Motion,
}

/// How mouse events are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MouseFormat {
    #[default]
    Legacy,
    /// 1005
    Utf8,
    /// 1006
    Sgr,
}

/// The kitty keyboard protocol's progressive enhancements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KittyFlags {
    pub disambiguate: bool,
    pub event_types: bool,
    pub alternate_keys: bool,
    pub all_as_escapes: bool,
    pub associated_text: bool,
}

impl KittyFlags {
    pub fn any(self) -> bool {
        self.disambiguate || self.event_types || self.alternate_keys || self.all_as_escapes || self.associated_text
    }
}

/// Colours set by the program (OSC 10, 11, 12); those of the palette are already in the cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    pub foreground: Option<Rgb>,
    pub background: Option<Rgb>,
    pub cursor: Option<Rgb>,
}
