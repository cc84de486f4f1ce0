//! The application: window, panes, command line. The only crate that knows egui.
