//! Terminals: processes in pseudo-terminals and the screen they draw.
//!
//! Knows no window and no other crate of ours, and has no global state.
//!
//! A [`Terminal`] is a process and its [`Screen`]; the window fills a [`Frame`] from it and draws that. A program drives one
//! by [`Terminal::send`], [`Terminal::run`] and the `wait_…` functions, reads the screen with [`Terminal::with_screen`], and
//! ends it with [`Terminal::end`]; [`Terminal::display`] shows what was recorded.

mod fair;
pub mod keys;
pub mod measure;
pub mod mouse;
pub mod paste;
pub mod process;
pub mod screen;
pub mod shell;
pub mod tasks;
mod terminal;

pub use process::{Exit, Launch, Program, StartError};
pub use screen::{Frame, LineId, Palette, Position, Screen, ScreenEvent, Size};
pub use terminal::{Finished, Options, SendError, Terminal, WaitError};
