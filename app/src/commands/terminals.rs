//! Opening terminals, and carrying out what they report.
//!
//! A terminal opens beside another one; the first one opens below everything, a third of the window high.

use std::path::PathBuf;
use std::sync::Arc;

use eframe::egui;
use egui_tiles::{Container, LinearDir, Tile, TileId};
use terminal::Terminal;
use terminal::tasks::Task;

use super::{Command, open};
use crate::panes::terminal::TerminalPane;
use crate::panes::{Layout, Pane, focus_id};
use crate::shell::arrange;
use crate::state::State;
use crate::state::terminals::{News, TerminalId};

/// What the first terminal takes of the window's height.
const SHARE: f32 = 0.35;

/// Takes in what happened in terminals. Never waits.
pub fn take_results(state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let seen = match layout.active() {
        Some(Pane::Terminal(pane)) => Some(pane.terminal),
        _ => None,
    };
    for news in state.terminals.take_results(seen, state.window_focused, &mut state.notices) {
        match news {
            News::Copy(text) => ctx.copy_text(text),
            News::Close(id) => {
                while let Some(tile) = layout.find(|pane| pane.shows_terminal(id)) {
                    open::close_now(tile, state, layout, ctx);
                }
            }
            News::Open { path, at } => open::open_file(&path, at, state, layout, ctx),
        }
    }
}

/// Runs a command that opens terminals; whether it was one.
pub fn run_command(command: Command, state: &mut State, layout: &mut Layout, ctx: &egui::Context) -> bool {
    match command {
        Command::NewTerminal => open_shell(None, state, layout, ctx),
        Command::ShowTerminal => show(state, layout, ctx),
        Command::RunTask => {
            let Some(root) = state.workspace.root().map(std::path::Path::to_owned) else {
                let said = "No folder is open: open one whose tasks are to be run.";
                let level = crate::state::notices::Level::Info;
                state.notices.offer(level, said, Command::OpenFolder, "Open Folder…");
                return true;
            };
            state.terminals.list_tasks(&root, &state.tasks);
            let focus = super::keyboard::focus(state, layout, ctx);
            state.shell.palette.ask_task(focus);
        }
        _ => return false,
    }
    true
}

/// Opens a shell: in `directory`, in that of the terminal in use, or in the open folder.
pub fn open_shell(directory: Option<PathBuf>, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let id = new_shell(directory, state, layout);
    place(id, layout, ctx);
}

fn new_shell(directory: Option<PathBuf>, state: &mut State, layout: &Layout) -> TerminalId {
    let in_use = match layout.active() {
        Some(Pane::Terminal(pane)) => state.terminals.get(pane.terminal).and_then(|open| open.directory()),
        _ => None,
    };
    let directory = directory.or(in_use.map(PathBuf::from)).or(state.workspace.root().map(PathBuf::from));
    let shell = state.settings.terminal_shell.program();
    state.terminals.shell(shell, directory, None, state.paths.shell_scripts())
}

/// Runs a task in a terminal of its own; one that ran it before and has ended is used again.
pub fn run_task(task: &Task, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let again = layout.panes().find_map(|(tile, pane)| {
        let Pane::Terminal(pane) = pane else { return None };
        let open = state.terminals.get(pane.terminal)?;
        (open.name.as_ref() == Some(&task.name) && open.exit().is_some()).then_some((tile, pane.terminal))
    });
    match again {
        Some((tile, id)) => {
            state.terminals.restart(id);
            activate(tile, layout, ctx);
        }
        None => {
            let id = state.terminals.command(task.launch(), task.name.clone());
            place(id, layout, ctx);
        }
    }
}

/// Shows a terminal that a program drives or fills, in a tab like any other.
pub fn show_driven(terminal: Arc<Terminal>, name: String, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let id = state.terminals.driven(terminal, name);
    place(id, layout, ctx);
}

/// Splits a terminal: the other half is a shell of its own. False when the active pane is none.
pub fn split(command: Command, state: &mut State, layout: &mut Layout, ctx: &egui::Context) -> bool {
    if !matches!(layout.active(), Some(Pane::Terminal(_))) {
        return false;
    }
    let id = new_shell(None, state, layout);
    let dir = if command == Command::SplitRight { LinearDir::Horizontal } else { LinearDir::Vertical };
    let Some(tile) = arrange::split(layout, dir) else { return true };
    if let Some(Tile::Pane(Pane::Terminal(pane))) = layout.tiles.tiles.get_mut(tile) {
        *pane = TerminalPane::new(id);
    }
    activate(tile, layout, ctx);
    true
}

fn show(state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let is_terminal = |pane: &Pane| matches!(pane, Pane::Terminal(_));
    let target = match layout.active().is_some_and(is_terminal) {
        // Back to what is read or edited.
        true => in_front(layout, |pane| !is_terminal(pane)).or_else(|| layout.find(|pane| !is_terminal(pane))),
        false => in_front(layout, is_terminal).or_else(|| layout.find(is_terminal)),
    };
    match target {
        Some(tile) => activate(tile, layout, ctx),
        None if layout.active().is_some_and(is_terminal) => {}
        None => open_shell(None, state, layout, ctx),
    }
}

/// A pane that can be seen.
fn in_front(layout: &Layout, wanted: impl Fn(&Pane) -> bool) -> Option<TileId> {
    let seen = |tile: TileId| match layout.tiles.tiles.parent_of(tile).and_then(|parent| layout.tiles.tiles.get(parent))
    {
        Some(Tile::Container(Container::Tabs(tabs))) => tabs.active == Some(tile),
        _ => true,
    };
    layout.panes().find(|(tile, pane)| wanted(pane) && seen(*tile)).map(|(tile, _)| tile)
}

fn place(id: TerminalId, layout: &mut Layout, ctx: &egui::Context) {
    let is_terminal = |pane: &Pane| matches!(pane, Pane::Terminal(_));
    let in_use = layout.active_id().filter(|_| layout.active().is_some_and(is_terminal));
    let beside = in_use.or_else(|| in_front(layout, is_terminal)).or_else(|| layout.find(is_terminal));
    let pane = Pane::Terminal(TerminalPane::new(id));
    let tile = match beside {
        Some(tile) => {
            layout.activate(tile);
            layout.open(pane)
        }
        None => arrange::open_below(layout, pane, SHARE),
    };
    activate(tile, layout, ctx);
}

fn activate(tile: TileId, layout: &mut Layout, ctx: &egui::Context) {
    layout.activate(tile);
    ctx.memory_mut(|memory| memory.request_focus(focus_id(tile)));
}
