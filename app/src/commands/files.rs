//! What is done to files from the tree, and what follows from it: a tab goes with its file, a new file is opened, what
//! was removed can be brought back.

use std::path::{Path, PathBuf};
use std::process::Command as Program;

use eframe::egui;
use egui_tiles::LinearDir;

use super::{Command, open};
use crate::panes::files::lines::Naming;
use crate::panes::files::naming::join;
use crate::panes::{Layout, Pane};
use crate::shell::{Side, arrange};
use crate::state::State;
use crate::state::files::{Done, Operation, Outcome};
use crate::state::notices::Level;
use crate::state::trash;
use crate::state::workspace::name_of;
use crate::tasks::Poll;

/// What the tree asks for. Paths of the tree are relative to the open folder, others absolute.
#[derive(Clone)]
pub enum FileAction {
    /// Opens or closes a folder of the tree.
    SetOpen { folder: PathBuf, open: bool },
    /// Opens the folders that lead to something.
    Reveal(PathBuf),
    /// Changes files.
    Do(Operation),
    /// Opens a file beside the active tab.
    OpenToSide(PathBuf),
}

/// Carries out what the tree asked for.
pub fn run(action: FileAction, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    match action {
        FileAction::SetOpen { folder, open } => state.files.change(|tree| tree.set_open(&folder, open)),
        FileAction::Reveal(path) => state.files.change(|tree| tree.reveal(&path)),
        FileAction::Do(operation) => state.files.ask(operation),
        FileAction::OpenToSide(path) => open_to_side(&path, state, layout, ctx),
    }
}

/// Runs a command about files; false if it is none.
pub fn run_command(command: Command, state: &mut State, layout: &mut Layout, ctx: &egui::Context) -> bool {
    match command {
        Command::FilesIgnored => {
            let show = !state.files.tree().is_some_and(editor::project::Tree::shows_ignored);
            state.files.change(|tree| tree.set_show_ignored(show));
        }
        Command::FilesCompact => {
            state.files.compact = !state.files.compact;
        }
        Command::FilesCollapse => state.files.change(editor::project::Tree::close_all),
        Command::FilesRefresh => state.files.refresh(),
        Command::FilesUndo => {
            if !state.files.ask_undo() {
                state.notices.info("Nothing was moved that could be brought back.");
            }
        }
        Command::FilesNewFile | Command::FilesNewFolder => name_new(command == Command::FilesNewFolder, state),
        Command::FilesRename
        | Command::FilesDuplicate
        | Command::FilesTrash
        | Command::FilesCopyPath
        | Command::FilesCopyRelativePath
        | Command::FilesShowInManager
        | Command::FilesOpenToSide => about_chosen(command, state, layout, ctx),
        _ => return false,
    }
    true
}

fn about_chosen(command: Command, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let Some(root) = state.files.root().map(Path::to_owned) else { return };
    // Without a choice it is about the open folder, which is neither renamed nor removed from here.
    let chosen = state.files_view.chosen().map(Path::to_owned).unwrap_or_default();
    let path = join(&root, &chosen);
    let is_root = chosen.as_os_str().is_empty();
    match command {
        Command::FilesCopyPath => ctx.copy_text(path.display().to_string()),
        Command::FilesCopyRelativePath => ctx.copy_text(chosen.display().to_string()),
        Command::FilesShowInManager => show_in_manager(path, state),
        _ if is_root => {}
        Command::FilesRename => state.files_view.rename(chosen),
        Command::FilesDuplicate => state.files.ask(Operation::Duplicate { path }),
        Command::FilesTrash => remove(path, state),
        _ => {
            let is_folder = state
                .files
                .tree()
                .is_some_and(|tree| tree.rows().iter().any(|row| row.path == chosen && row.is_folder));
            if !is_folder {
                open_to_side(&path, state, layout, ctx);
            }
        }
    }
}

/// Moves something to the trash; asks first where it could not be brought back.
fn remove(path: PathBuf, state: &mut State) {
    let operation = Operation::Trash { path };
    if trash::CAN_RESTORE {
        state.files.ask(operation);
    } else if let Some(path) = operation.takes() {
        let why = format!("Move {} to the trash?", name_of(path));
        state.files_view.ask(operation.clone(), why);
    }
}

/// Begins to name something new in the chosen folder, or beside the chosen file.
fn name_new(is_folder: bool, state: &mut State) {
    let Some(tree) = state.files.tree() else {
        state.notices.offer(Level::Info, "No folder is open for something new.", Command::OpenFolder, "Open Folder…");
        return;
    };
    let chosen = state.files_view.chosen().unwrap_or(Path::new(""));
    let is_open_folder = |path: &Path| tree.rows().iter().any(|row| row.path == path && row.is_folder);
    let folder = if is_open_folder(chosen) { chosen } else { chosen.parent().unwrap_or(Path::new("")) }.to_owned();
    state.shell.side = Side::Files;
    state.shell.side_shown = true;
    state.files.change(|tree| {
        tree.reveal(&folder);
        tree.set_open(&folder, true);
    });
    state.files_view.name_new(folder, is_folder);
}

/// Opens a file beside the active tab: in the next group of tabs, or in a new one.
fn open_to_side(path: &Path, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let parent = |id| layout.tiles.tiles.parent_of(id);
    let own = layout.active_id().and_then(parent);
    let beside = layout.panes().map(|(id, _)| id).find(|&id| own.is_some() && parent(id) != own);
    if let Some(beside) = beside {
        layout.activate(beside);
        open_here(path, state, layout, ctx);
        return;
    }
    let alone = layout.active_id().is_none();
    let document = state.documents.open(path);
    state.recent.file(path);
    let tile = layout.open(Pane::Editor(crate::panes::editor::EditorPane::new(document, None)));
    if !alone && let Some(copy) = arrange::split(layout, LinearDir::Horizontal) {
        layout.close(tile);
        layout.activate(copy);
    }
    if let Some(active) = layout.active_id() {
        ctx.memory_mut(|memory| memory.request_focus(crate::panes::focus_id(active)));
    }
}

/// Opens a file in the active group, also if it is open in another.
fn open_here(path: &Path, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let document = state.documents.open(path);
    state.recent.file(path);
    let own = layout.active_id().and_then(|id| layout.tiles.tiles.parent_of(id));
    let here = layout
        .panes()
        .find(|(id, pane)| pane.shows_document(document) && layout.tiles.tiles.parent_of(*id) == own)
        .map(|(id, _)| id);
    let tile = match here {
        Some(tile) => {
            layout.activate(tile);
            tile
        }
        None => layout.open(Pane::Editor(crate::panes::editor::EditorPane::new(document, None))),
    };
    ctx.memory_mut(|memory| memory.request_focus(crate::panes::focus_id(tile)));
}

/// Takes in what was listed and done. Called in every frame; never waits.
pub fn take_results(state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    if state.files.root() != state.workspace.root() {
        state.files.open(state.workspace.root());
        state.files_view.reset();
    }
    let documents = &state.documents;
    // A file that is being written would come back under its old name.
    let outcome = state.files.take_results(&state.tasks, |path| !documents.is_saving_below(path));
    if let Some(outcome) = outcome {
        take_outcome(outcome, state, layout, ctx);
    }
    if let Some(task) = &state.showing_file {
        match task.poll() {
            Poll::Pending => {}
            Poll::Ready(Ok(())) | Poll::Lost => state.showing_file = None,
            Poll::Ready(Err(error)) => {
                state.showing_file = None;
                state.notices.warn(error);
            }
        }
    }
}

fn take_outcome(outcome: Outcome, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let from_input = answers_input(&outcome.operation, state);
    state.workspace.files_changed();
    let done = match outcome.result {
        Ok(done) => done,
        Err(error) => {
            refuse(outcome.operation, error, from_input, state);
            return;
        }
    };
    match &done {
        Done::CreatedFile(_) if from_input => state.files_view.leave_naming(),
        _ if from_input => state.files_view.end_naming(),
        _ => {}
    }
    let root = state.files.root().map(Path::to_owned).unwrap_or_default();
    let inside = |path: &Path| path.strip_prefix(&root).map(Path::to_owned).ok();
    match done {
        Done::CreatedFile(path) => {
            state.files_view.choose(inside(&path).unwrap_or_default());
            open::open_file(&path, None, state, layout, ctx);
        }
        Done::CreatedFolder(path) | Done::Copied(path) | Done::Restored(path) => {
            if let Some(path) = inside(&path) {
                state.files.change(|tree| tree.reveal(&path));
                state.files_view.choose(path);
            }
        }
        Done::Moved { from, to } => {
            state.documents.moved(&from, &to);
            if let Some(path) = inside(&to) {
                if let Some(old) = inside(&from) {
                    state.files.change(|tree| tree.moved(&old, &path));
                }
                state.files_view.choose(path);
            }
            if matches!(outcome.operation, Operation::Move { .. }) {
                let folder = to.parent().map(name_of).unwrap_or_default();
                let said = format!("Moved {} to {folder}.", name_of(&to));
                state.notices.offer(Level::Info, said, Command::FilesUndo, "Undo");
            }
        }
        Done::Trashed(trashed) => {
            let said = format!("Moved {} to the trash.", name_of(&trashed.path));
            if trashed.is_restorable() {
                state.notices.offer(Level::Info, said, Command::FilesUndo, "Undo");
            } else {
                state.notices.info(said);
            }
            close_clean_tabs(&trashed.path, state, layout, ctx);
        }
        Done::Deleted(path) => {
            state.notices.info(format!("Deleted {}.", name_of(&path)));
            close_clean_tabs(&path, state, layout, ctx);
        }
    }
}

/// Whether an operation is what the input in the tree asked for.
fn answers_input(operation: &Operation, state: &mut State) -> bool {
    let Some(input) = state.files_view.input_mut().filter(|input| input.sent) else { return false };
    matches!(
        (&input.naming, operation),
        (Naming::New { is_folder: false, .. }, Operation::CreateFile { .. })
            | (Naming::New { is_folder: true, .. }, Operation::CreateFolder { .. })
            | (Naming::Rename { .. }, Operation::Rename { .. })
    )
}

/// Says why something was not done: at the name that was typed, or as a notice.
fn refuse(operation: Operation, error: String, from_input: bool, state: &mut State) {
    if let Some(input) = state.files_view.input_mut().filter(|_| from_input) {
        input.refuse(error);
        return;
    }
    match operation {
        // Where there is no trash, it is for the user to say whether it goes for good.
        Operation::Trash { path } => {
            let why = format!("{error}. Delete {} for good? This cannot be undone.", name_of(&path));
            state.files_view.ask(Operation::Delete { path }, why);
        }
        _ => state.notices.error(error),
    }
}

/// Tabs of files that were just removed go too, unless they hold text that is nowhere else.
fn close_clean_tabs(path: &Path, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let gone: Vec<_> = state.documents.paths().filter(|(_, of)| of.starts_with(path)).map(|(id, _)| id).collect();
    for id in gone {
        if state.documents.get(id).is_some_and(crate::state::documents::OpenDocument::is_dirty) {
            continue;
        }
        while let Some(tile) = layout.find(|pane| pane.shows_document(id)) {
            open::close(tile, state, layout, ctx);
            if layout.panes().any(|(other, _)| other == tile) {
                break;
            }
        }
    }
}

/// Shows something in the system's file manager.
fn show_in_manager(path: PathBuf, state: &mut State) {
    state.showing_file = Some(state.tasks.spawn("show in file manager", move |_| {
        let shown = managers(&path).into_iter().any(|mut program| {
            let status = program.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null()).status();
            status.is_ok_and(|status| status.success())
        });
        if shown { Ok(()) } else { Err(format!("No file manager could be started to show {}.", path.display())) }
    }));
}

/// Programs that show a path in a file manager, the best first.
fn managers(path: &Path) -> Vec<Program> {
    let program = |name: &str, arguments: &[&std::ffi::OsStr]| {
        let mut program = Program::new(name);
        program.args(arguments);
        program
    };
    if cfg!(target_os = "macos") {
        return vec![program("open", &["-R".as_ref(), path.as_os_str()])];
    }
    if cfg!(windows) {
        let mut select = std::ffi::OsString::from("/select,");
        select.push(path);
        return vec![program("explorer", &[&select])];
    }
    let hex = |digit: u8| char::from(b"0123456789ABCDEF"[usize::from(digit)]);
    let mut uri = String::from("array:string:file://");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'~' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => uri.push(char::from(*byte)),
            byte => uri.extend(['%', hex(byte >> 4), hex(byte & 15)]),
        }
    }
    let call = [
        "--session",
        "--print-reply",
        "--dest=org.freedesktop.FileManager1",
        "/org/freedesktop/FileManager1",
        "org.freedesktop.FileManager1.ShowItems",
        &uri,
        "string:",
    ];
    let call: Vec<_> = call.iter().map(std::ffi::OsStr::new).collect();
    let folder = path.parent().unwrap_or(path);
    vec![program("dbus-send", &call), program("xdg-open", &[folder.as_os_str()])]
}
