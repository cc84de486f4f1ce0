//! Terminals: processes in pseudo-terminals and the screen they draw.
//!
//! Knows no window and no other crate of ours, and has no global state.

pub mod keys;
pub mod mouse;
pub mod paste;
pub mod screen;

pub use screen::{Frame, LineId, Position, Screen, ScreenEvent, Size};
