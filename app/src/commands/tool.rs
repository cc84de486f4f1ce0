//! Windows that another program waits for: `git difftool` and `git mergetool`.
//!
//! Nothing is brought back and nothing remembered. Since the files may be gone as soon as the window is, closing it asks
//! about every text that is not saved; a merge closes by itself when it is done.

use diff::source::Source;
use eframe::egui::{self, ViewportCommand};
use egui_tiles::TileId;

use super::open;
use crate::app::Startup;
use crate::panes::Layout;
use crate::shell::Leaving;
use crate::state::State;
use crate::state::conflicts::Whose;
use crate::state::reviews::Request;

/// Opens what the other program named.
pub fn start(startup: Startup, state: &mut State, layout: &mut Layout) {
    state.tool = true;
    let one_file = match &startup.review {
        Some(Request::Found(found)) => matches!(found.source(), Source::Files { .. }),
        _ => true,
    };
    state.shell.side_shown = !one_file;
    if let Some(files) = startup.merge {
        open::open_conflicts(Whose::Tool(files), None, state, layout);
    }
    if let Some(review) = startup.review {
        open::open_review(review, state, layout);
    }
}

/// Closes the window when it may be, and asks before. Called once a frame.
pub fn follow(state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    if !state.tool {
        return;
    }
    let asked = ctx.input(|input| input.viewport().close_requested());
    if asked && (state.documents.is_busy() || next_unsaved(state, layout).is_some()) {
        ctx.send_viewport_cmd(ViewportCommand::CancelClose);
        state.shell.leaving = Leaving::Asking;
    }
    let done =
        state.conflicts.iter().any(|(_, open)| open.is_done(&state.documents)) || layout.panes().next().is_none();
    match state.shell.leaving {
        Leaving::No if done && !asked => {}
        Leaving::No | Leaving::Told => return,
        Leaving::Asking => {}
    }
    if state.shell.ask.is_some() || state.shell.closing.is_some() || state.documents.is_busy() {
        return;
    }
    match next_unsaved(state, layout) {
        Some(tile) => {
            state.shell.leaving = Leaving::Asking;
            open::close(tile, state, layout, ctx);
        }
        None => {
            state.shell.leaving = Leaving::Told;
            ctx.send_viewport_cmd(ViewportCommand::Close);
        }
    }
}

/// A tab whose text is not saved.
fn next_unsaved(state: &State, layout: &Layout) -> Option<TileId> {
    let unsaved =
        |tile, pane| open::documents_only_in(tile, pane, state, layout).into_iter().any(|id| open::is_dirty(id, state));
    layout.panes().find(|(tile, pane)| unsaved(*tile, pane)).map(|(tile, _)| tile)
}
