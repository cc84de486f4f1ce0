//! The one place that carries out what was asked for.

use eframe::egui;

use super::Action;
use crate::panes::review::ReviewPane;
use crate::panes::{Layout, Pane};
use crate::state::State;
use crate::state::reviews::Request;

/// Takes in what finished in the background. Called first in every frame; never waits.
pub fn take_results(state: &mut State, _layout: &mut Layout, ctx: &egui::Context) {
    state.apply_theme(ctx);
}

/// Opens a review in a tab, or brings its tab to the front.
pub fn open_review(request: Request, state: &mut State, layout: &mut Layout) {
    let lines = state.settings.review_context;
    let id = state.reviews.open(request, diff::plan::Layout::Split, lines, &state.tasks);
    match layout.find(|pane| pane.shows_review(id)) {
        Some(tile) => layout.activate(tile),
        None => {
            layout.open(Pane::Review(ReviewPane::new(id)));
        }
    }
}

/// Turns keys into commands and typed text, and runs them.
pub fn keyboard(_state: &mut State, _layout: &mut Layout, _ctx: &egui::Context) {}

/// Carries out one action.
pub fn run(action: Action, _state: &mut State, _layout: &mut Layout, ctx: &egui::Context) {
    if let Action::Copy(text) = action {
        ctx.copy_text(text);
    }
}
