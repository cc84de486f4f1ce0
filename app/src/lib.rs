//! The application: window, panes, command line. The only crate that knows egui.

pub mod theme;
pub mod widgets;
