//! What surrounds the panes: top bar, rail, side panel, status bar, palette, toasts.

use eframe::egui;

use crate::commands::Sink;
use crate::panes::Layout;
use crate::state::State;

/// What of the shell is shown and how.
#[derive(Default)]
pub struct ShellState {}

/// Draws the whole window.
pub fn draw(ui: &mut egui::Ui, _state: &mut State, _layout: &mut Layout, _sink: &mut Sink) {
    ui.label("recto");
}
