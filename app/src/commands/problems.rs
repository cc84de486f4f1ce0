//! Commands about what language servers say is wrong: going from one problem to the next, listing them, restarting.

use std::path::{Path, PathBuf};

use eframe::egui;
use egui_tiles::TileId;

use super::{Command, Place, open};
use crate::panes::problems::ProblemsPane;
use crate::panes::{self, Layout, Pane, focus_id};
use crate::shell::arrange;
use crate::state::State;
use crate::state::notices::Level;
use crate::state::settings::LanguageServers;

/// What the list takes of the window's height, below everything.
const SHARE: f32 = 0.3;

/// Runs a command about problems; whether it was one.
pub fn run_command(command: Command, state: &mut State, layout: &mut Layout, ctx: &egui::Context) -> bool {
    match command {
        Command::NextProblem | Command::PreviousProblem => {
            if !step(command == Command::NextProblem, state, layout, ctx) {
                tell_none(state);
            }
        }
        Command::ShowProblems => show(layout, ctx),
        Command::RestartServers => state.servers.restart(),
        Command::StopServers => {
            state.servers.stop();
            let said = "Language servers are stopped in this folder until they are restarted.";
            state.notices.offer(Level::Info, said, Command::RestartServers, "Restart");
        }
        _ => return false,
    }
    true
}

/// Says why there is nowhere to go.
fn tell_none(state: &mut State) {
    if state.settings.language_servers == LanguageServers::Never {
        let said = "Language servers are off, so no problem is known.";
        state.notices.offer(Level::Info, said, Command::Settings, "Settings");
    } else if state.servers.is_any() {
        state.notices.info("No problem is known.");
    } else {
        state.notices.info("No language server runs in this folder, so no problem is known.");
    }
}

/// Goes to the next problem, or the one before: in a review those of its files, elsewhere those of all files.
fn step(forward: bool, state: &mut State, layout: &mut Layout, ctx: &egui::Context) -> bool {
    let from: Option<(PathBuf, usize)> = match layout.active_mut() {
        Some(Pane::Review(pane)) => return panes::review::problems::step(pane, state, forward),
        Some(Pane::Editor(pane)) => {
            let path = state.documents.path(pane.document).map(Path::to_owned);
            path.map(|path| (path, pane.selections().primary().head))
        }
        _ => None,
    };
    let from = from.as_ref().map(|(path, at)| (path.as_path(), *at));
    let Some((path, problem)) = state.servers.problems.step(from, forward) else { return false };
    let (path, at) = (path.to_owned(), problem.range.start);
    let place = Place { line: problem.line + 1, column: problem.column + 1 };
    go_to(&path, at, place, state, layout, ctx);
    true
}

/// Puts the caret where a problem begins, and tells what is wrong beside it.
pub fn go_to(path: &Path, at: usize, place: Place, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    leave_list(layout);
    let is_loaded = state.documents.find(path).is_some_and(|id| state.documents.get(id).is_some());
    open::open_file(path, (!is_loaded).then_some(place), state, layout, ctx);
    if let Some(Pane::Editor(pane)) = layout.active_mut() {
        match is_loaded {
            true => pane.show_problem(at),
            false => pane.tell_problem(),
        }
    }
}

/// What is opened from the list opens where files are read, not in the tabs of the list.
fn leave_list(layout: &mut Layout) {
    if !matches!(layout.active(), Some(Pane::Problems(_))) {
        return;
    }
    let is_code = |pane: &Pane| matches!(pane, Pane::Editor(_) | Pane::Review(_) | Pane::Conflicts(_));
    if let Some(tile) = in_front(layout, is_code).or_else(|| layout.find(is_code)) {
        layout.activate(tile);
    }
}

fn in_front(layout: &Layout, wanted: impl Fn(&Pane) -> bool) -> Option<TileId> {
    let seen = layout.tiles.active_tiles();
    layout.panes().find(|(tile, pane)| wanted(pane) && seen.contains(tile)).map(|(tile, _)| tile)
}

/// Goes to the list, or back from it to what is read.
fn show(layout: &mut Layout, ctx: &egui::Context) {
    let is_list = |pane: &Pane| matches!(pane, Pane::Problems(_));
    if layout.active().is_some_and(is_list) {
        leave_list(layout);
    } else if let Some(tile) = layout.find(is_list) {
        layout.activate(tile);
    } else {
        let pane = Pane::Problems(ProblemsPane::default());
        // Beside a terminal, which stands below as well.
        let beside = in_front(layout, |pane| matches!(pane, Pane::Terminal(_)));
        match beside {
            Some(tile) => {
                layout.activate(tile);
                layout.open(pane);
            }
            None => drop(arrange::open_below(layout, pane, SHARE)),
        }
    }
    if let Some(tile) = layout.active_id() {
        ctx.memory_mut(|memory| memory.request_focus(focus_id(tile)));
    }
}
