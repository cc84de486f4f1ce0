//! The application: window, panes, command line. The only crate that knows egui.
//!
//! One frame, in this order (see [`app`]): results of background work are taken in, keys become commands and run,
//! everything is drawn, and what the drawn things asked for runs. So a key is on screen in the frame it came with.
//!
//! - [`cli`]: the command line, one file a subcommand
//! - [`app`]: the frame; [`shell`]: what surrounds the panes; [`panes`]: one file or folder a pane
//! - [`state`]: what is open; [`commands`]: the table of everything a user can do, and what runs it
//! - [`code_view`]: rows of text, gutter, caret, selection: shared by editor, review and previews
//! - [`headless`]: the application without a window, for pictures, benches and tests
//! - [`tasks`]: work off the UI thread; [`theme`], [`widgets`]: how things look

pub mod app;
pub mod cli;
pub mod code_view;
pub mod commands;
pub mod headless;
pub mod panes;
pub mod shell;
pub mod state;
pub mod tasks;
pub mod theme;
pub mod widgets;

pub use cli::main;
