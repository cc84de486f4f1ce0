//! The one place that carries out what was asked for.
//!
//! A command goes to the window first (files, tabs, views) and to the active pane if it is not the window's. Results of
//! background work are taken in here, too, at the start of every frame.

use std::time::{Duration, Instant};

use diff::git::Repo;
use diff::source::Source;
use eframe::egui;
use egui_tiles::{LinearDir, TileId};

pub use super::keyboard::keyboard;
pub use super::open::open_review;
use super::open::{self, ask_for_path};
use super::{Action, Command, chat, commit, disk, files, problems, staging, terminals, tool};
use crate::panes::{self, Layout, Pane, focus_id};
use crate::shell::dialogs::{Answer, Purpose};
use crate::shell::pick::Picking;
use crate::shell::status::document_in_use;
use crate::shell::{Side, arrange};
use crate::state::conflicts::Whose;
use crate::state::documents::OpenDocument;
use crate::state::notices::Level;
use crate::state::reviews::{Request, Stage};
use crate::state::settings::{AutoSave, Spec, Value};
use crate::state::workspace::News;
use crate::state::{State, servers, session};
use crate::theme::ThemeChoice;

/// Takes in what finished in the background. Called first in every frame; never waits.
pub fn take_results(state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    state.apply_theme(ctx);
    follow_window(state, ctx);
    state.take_config();
    state.documents.take_results(&mut state.notices);
    state.documents.set_tab_width(state.settings.tab_width);
    for (_, review) in state.reviews.iter_mut() {
        if let Some(wait) = review.take_results(&mut state.documents, &state.tasks) {
            ctx.request_repaint_after(wait);
        }
    }
    state.desk.follow(&mut state.reviews, &mut state.notices, &state.tasks);
    for (_, review) in state.reviews.iter_mut() {
        if let Some(wait) = review.discuss(&mut state.desk, &state.tasks) {
            ctx.request_repaint_after(wait);
        }
    }
    for (_, open) in state.conflicts.iter_mut() {
        open.take_results(&mut state.documents, &mut state.notices, &state.tasks);
    }
    servers::follow(state);
    state.combined.take_results();
    state.highlights.take_results();
    session::poll(state, layout, ctx);
    for news in state.workspace.take_results() {
        match news {
            News::Repository => state.shell.greet = true,
            News::Failed(error) => state.notices.error(error),
        }
    }
    if state.shell.greet && !state.session.is_loading() {
        state.shell.greet = false;
        greet(state, layout);
    }
    end_greeting(state, layout, ctx);
    files::take_results(state, layout, ctx);
    staging::take_results(state, layout, ctx);
    commit::take_results(state);
    disk::follow(state, ctx);
    match state.shell.dialogs.poll(ctx.input(|input| input.focused)) {
        Some((purpose, Answer::Chosen(path))) => open::take_path(purpose, path, state, layout, ctx),
        Some((purpose, Answer::NoDialog { folder, name })) => {
            let focus = super::keyboard::focus(state, layout, ctx);
            open::type_path(purpose, folder.as_deref(), &name, focus, state);
        }
        None => {}
    }
    terminals::take_results(state, layout, ctx);
    chat::take_results(state, layout, ctx);
    open::follow_closing(state, layout, ctx);
    tool::follow(state, layout, ctx);
    let recent = state.paths.recent();
    if let Some(error) = state.recent.poll(&recent, &state.tasks) {
        state.notices.warn(error);
    }
    auto_save(state, ctx);
    dropped_files(state, layout, ctx);
}

/// The window got the focus back: others may have changed what is on disk meanwhile.
fn follow_window(state: &mut State, ctx: &egui::Context) {
    // What the last frame was told is older while nothing is drawn.
    let focused = ctx.input(|input| input.raw.focused);
    if std::mem::replace(&mut state.window_focused, focused) == focused {
        return;
    }
    if focused {
        state.config.refresh();
        state.workspace.look(&state.tasks);
        state.workspace.files_changed();
        disk::look_again(state);
        state.desk.look();
        state.servers.look_again();
    } else if state.settings.auto_save == AutoSave::OnFocusLoss {
        save_all(state);
    }
}

/// A folder in a repository opens on what was changed; any other on its files.
fn greet(state: &mut State, layout: &mut Layout) {
    if layout.panes().next().is_some() {
        return;
    }
    match (state.workspace.repo(), state.workspace.root()) {
        (Some(_), Some(root)) => {
            let request = Request::WorkingTree(root.to_owned());
            state.shell.greeting = Some(open_review(request, state, layout));
        }
        _ => state.shell.side = Side::Files,
    }
}

/// The review that a folder opened on goes again if there is nothing in it.
fn end_greeting(state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let Some(id) = state.shell.greeting else { return };
    let Some(review) = state.reviews.get(id) else {
        state.shell.greeting = None;
        return;
    };
    if review.is_listing() {
        return;
    }
    state.shell.greeting = None;
    let nothing = matches!(review.stage, Stage::Open) && review.page.files().is_empty();
    if nothing && let Some(tile) = layout.find(|pane| pane.shows_review(id)) {
        state.shell.side = Side::Files;
        open::close(tile, state, layout, ctx);
        state.shell.closed.pop();
    }
}

/// Writes what was changed a second ago, if the user wants that.
fn auto_save(state: &mut State, ctx: &egui::Context) {
    const DELAY: Duration = Duration::from_secs(1);
    if state.settings.auto_save != AutoSave::AfterDelay {
        return;
    }
    let versions: u64 =
        state.documents.iter().filter(|(_, open)| is_unsaved_file(open)).map(|(_, o)| o.document.version()).sum();
    match &mut state.unsaved_since {
        _ if versions == 0 => state.unsaved_since = None,
        Some((of, since)) if *of == versions => {
            let passed = since.elapsed();
            if passed >= DELAY {
                state.unsaved_since = None;
                save_all(state);
            } else {
                ctx.request_repaint_after(DELAY.saturating_sub(passed));
            }
        }
        since => {
            *since = Some((versions, Instant::now()));
            ctx.request_repaint_after(DELAY);
        }
    }
}

fn is_unsaved_file(open: &OpenDocument) -> bool {
    open.is_dirty() && open.path.is_some() && open.disk == crate::state::documents::Disk::Same
}

fn save_all(state: &mut State) {
    let ids: Vec<_> = state.documents.iter().filter(|(_, open)| is_unsaved_file(open)).map(|(id, _)| id).collect();
    for id in ids {
        state.documents.save(id, None, false);
    }
}

fn dropped_files(state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let dropped = ctx.input_mut(|input| std::mem::take(&mut input.raw.dropped_files));
    for path in dropped.into_iter().map(|file| file.path().to_owned()) {
        if chat::take_dropped(&path, state, ctx) {
            continue;
        }
        open::open_path(path, None, state, layout, ctx);
    }
}

/// Carries out one action.
pub fn run(action: Action, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    match action {
        Action::Command(command) => run_command(command, state, layout, ctx),
        Action::OpenFile { path, at } => open::open_file(&path, at, state, layout, ctx),
        Action::OpenFolder(path) => open::open_folder(&path, state, layout),
        Action::OpenPath { path, at } => open::open_path(path, at, state, layout, ctx),
        Action::OpenReview(request) => {
            open::remember_place(state, layout);
            open_review(request, state, layout);
        }
        Action::ShowReviewFile { review, file } => {
            open::remember_place(state, layout);
            open::show_review_file(review, file, layout);
        }
        Action::OpenConflicts { folder, path } => {
            open::remember_place(state, layout);
            open::open_conflicts(Whose::Repository(folder), path, state, layout);
        }
        Action::OpenCombined(of) => {
            open::remember_place(state, layout);
            open::open_combined(of, state, layout);
        }
        Action::ShowConflict { conflicts, file } => {
            if let Some(open) = state.conflicts.get_mut(conflicts) {
                open.choose(file);
            }
        }
        Action::ShowThread { review, thread } => {
            open::remember_place(state, layout);
            let tile = layout.find(|pane| pane.shows_review(review));
            if let Some(tile) = tile {
                layout.activate(tile);
            }
            if let (Some(open), Some(Pane::Review(pane))) = (state.reviews.get_mut(review), layout.active_mut()) {
                panes::review::show_thread(pane, open, thread);
            }
        }
        Action::MarkFiles { review, files, mark } => {
            if let Some(open) = state.reviews.get_mut(review) {
                let panes = layout.panes_mut().filter_map(|pane| match pane {
                    Pane::Review(pane) if pane.review == review => Some(pane),
                    _ => None,
                });
                panes::review::mark(open, panes, &files, mark);
            }
        }
        Action::CompareWithDisk { document, path } => {
            open_review(Request::Unsaved { path, document }, state, layout);
        }
        Action::GoTo(place) => {
            open::remember_place(state, layout);
            match layout.active_mut() {
                Some(Pane::Editor(pane)) => pane.go_to(place),
                Some(Pane::Review(pane)) => panes::review::go_to(pane, state, place),
                Some(Pane::Conflicts(pane)) => panes::conflicts::go_to(pane, state, place),
                _ => {}
            }
        }
        Action::Activate(tile) => activate(tile, layout, ctx),
        Action::Insert(text) => chat::insert(&text, state, layout, ctx),
        Action::OpenText { text, language } => chat::open_text(&text, &language, state, layout, ctx),
        Action::RunTask(task) => terminals::run_task(&task, state, layout, ctx),
        Action::ShowTerminal { terminal, name } => terminals::show_driven(terminal, name, state, layout, ctx),
        Action::CloseTerminal(tile) => open::close_now(tile, state, layout, ctx),
        Action::CloseTile(tile) => open::close(tile, state, layout, ctx),
        Action::CloseOthers(tile) => {
            let others: Vec<TileId> = beside(tile, layout);
            for other in others {
                open::close(other, state, layout, ctx);
            }
        }
        Action::CloseAnswered { tile, answer } => open::close_answered(tile, answer, state, layout, ctx),
        Action::CloseDocument(id) => {
            state.highlights.forget(id);
            state.documents.close(id);
            while let Some(tile) = layout.find(|pane| pane.shows_document(id)) {
                layout.close(tile);
            }
        }
        Action::TakePath { purpose, path } => open::take_path(purpose, path, state, layout, ctx),
        Action::Files(action) => files::run(action, state, layout, ctx),
        Action::Set(spec, value) => state.change_setting(spec, value),
        Action::Pick(picking) => pick(picking, state, layout, ctx),
        Action::Staging(action) => staging::run_action(action, state),
        Action::ShowProblem { path, at, place } => problems::go_to(&path, at, place, state, layout, ctx),
        Action::FixProblems { path, problems } => chat::fix(&path, &problems, state),
        Action::Copy(text) => ctx.copy_text(text),
        Action::ShowRun { session, run, title } => chat::show_run(&session, run, &title, state),
        Action::CompareRuns(span) => chat::compare(span, state),
    }
}

fn beside(tile: TileId, layout: &Layout) -> Vec<TileId> {
    let parent = layout.tiles.tiles.parent_of(tile);
    let same_tabs = |id: TileId| id != tile && layout.tiles.tiles.parent_of(id) == parent;
    layout.panes().map(|(id, _)| id).filter(|&id| same_tabs(id)).collect()
}

fn activate(tile: TileId, layout: &mut Layout, ctx: &egui::Context) {
    layout.activate(tile);
    ctx.memory_mut(|memory| memory.request_focus(focus_id(tile)));
}

fn run_command(command: Command, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    if run_file_command(command, state, layout, ctx)
        || run_view_command(command, state, layout, ctx)
        || files::run_command(command, state, layout, ctx)
        || staging::run_command(command, state, layout)
        || commit::run_command(command, state, layout, ctx)
        || terminals::run_command(command, state, layout, ctx)
        || chat::run_command(command, state, layout, ctx)
        || problems::run_command(command, state, layout, ctx)
    {
        return;
    }
    let done = match layout.active_mut() {
        Some(Pane::Review(pane)) => panes::review::run(pane, command, state, ctx),
        Some(Pane::Conflicts(pane)) => panes::conflicts::run(pane, command, state, ctx),
        Some(Pane::Combined(pane)) => panes::combined::run(pane, command, state),
        Some(Pane::Editor(pane)) => panes::editor::run(pane, command, state, ctx),
        Some(Pane::Terminal(pane)) => panes::terminal::run(pane, command, state, ctx),
        _ => false,
    };
    if matches!(command, Command::Undo | Command::Redo) {
        state.unreviewed.look_again();
    }
    if !done {
        let spec = command.spec();
        state.notices.info(format!("{} is not possible here: it {}.", spec.title, spec.when.requirement()));
    }
}

fn run_file_command(command: Command, state: &mut State, layout: &mut Layout, ctx: &egui::Context) -> bool {
    let folder = state.workspace.root().map(std::path::Path::to_owned);
    match command {
        Command::OpenFile => ask_for_path(Purpose::OpenFile, folder.as_deref(), "", state),
        Command::OpenFolder => ask_for_path(Purpose::OpenFolder, folder.as_deref(), "", state),
        Command::NewFile => {
            let id = state.documents.insert(OpenDocument::untitled(""));
            let tile = open::show_document(id, layout);
            activate(tile, layout, ctx);
        }
        Command::Save | Command::SaveAs | Command::Revert => {
            let Some(id) = document_in_use(state, layout).map(|(id, ..)| id) else { return false };
            match command {
                Command::Save => open::save(id, state),
                Command::SaveAs => open::save_as(id, state),
                _ => state.documents.reload(id),
            }
        }
        Command::SaveAll => save_all(state),
        Command::CloseTab => {
            if let Some(tile) = layout.active_id() {
                open::close(tile, state, layout, ctx);
            }
        }
        Command::ReopenClosed => open::reopen(state, layout, ctx),
        Command::Quit => {
            ctx.send_viewport_cmd(egui::ViewportCommand::Close);
        }
        Command::OpenKeymap => {
            let path = state.paths.keymap();
            open::open_own_file(&path, KEYMAP_START, state, layout, ctx);
        }
        Command::OpenSettingsFile => {
            let path = state.paths.settings();
            open::open_own_file(&path, SETTINGS_START, state, layout, ctx);
        }
        Command::OpenInEditor => {
            let Some(Pane::Review(pane)) = layout.active() else { return false };
            match panes::review::open_action(pane, state) {
                Some(action) => run(action, state, layout, ctx),
                None => state.notices.info("This side of the file is not on disk."),
            }
        }
        _ => return false,
    }
    true
}

/// What a keymap file says at first.
const KEYMAP_START: &str = "\
# Keys of your own. Keyboard Shortcuts lists all commands with their names. A minus takes keys away.
#
# [[bind]]
# keys = \"Ctrl+Alt+J\"
# command = \"review.next-hunk-anywhere\"
# when = \"review\"
#
# [[bind]]
# command = \"-edit.join-lines\"
";

/// What a settings file says at first.
const SETTINGS_START: &str = "\
# Settings; the Settings page writes this same file and keeps your comments.
#
# Language servers can only be named here: another command for one that is known, or another server.
#
# [servers.pyright]
# command = [\"/opt/pyright/bin/pyright-langserver\", \"--stdio\"]
#
# [servers.house-rules]
# command = [\"house-rules\", \"--lsp\"]
# languages = [\"Python\", \"Rust\"]
";

fn run_view_command(command: Command, state: &mut State, layout: &mut Layout, ctx: &egui::Context) -> bool {
    match command {
        Command::Palette => open_palette(">", state, layout, ctx),
        Command::QuickOpen => open_palette("", state, layout, ctx),
        Command::GoToLine => open_palette(":", state, layout, ctx),
        Command::GoBack => open::jump(false, state, layout, ctx),
        Command::GoForward => open::jump(true, state, layout, ctx),
        Command::ShowReview => {
            show_side(Side::Review, state, ctx);
            let open_one = layout.find(|pane| matches!(pane, Pane::Review(_)));
            match open_one {
                Some(tile) if !matches!(layout.active(), Some(Pane::Review(_))) => activate(tile, layout, ctx),
                None if state.workspace.repo().is_some() => open::review_working_tree(state, layout),
                _ => {}
            }
        }
        Command::ShowFiles => {
            show_side(Side::Files, state, ctx);
            state.files_view.take_focus();
        }
        Command::ToggleSide => {
            let shown = side_shown(state);
            set_side_shown(!shown, state);
        }
        Command::SplitRight | Command::SplitDown => {
            if terminals::split(command, state, layout, ctx) {
                return true;
            }
            let dir = if command == Command::SplitRight { LinearDir::Horizontal } else { LinearDir::Vertical };
            if let Some(tile) = arrange::split(layout, dir) {
                activate(tile, layout, ctx);
            }
        }
        Command::NextTab | Command::PreviousTab => {
            if let Some(tile) = arrange::neighbour_tab(layout, command == Command::NextTab) {
                activate(tile, layout, ctx);
            }
        }
        Command::ZoomIn | Command::ZoomOut | Command::ZoomReset => zoom(command, state),
        Command::ToggleTheme => toggle_theme(state),
        Command::Settings | Command::Models | Command::Help | Command::HelpReading => {
            let tile = open::open_page(command, layout);
            activate(tile, layout, ctx);
        }
        Command::Notifications => state.shell.bell_open = !state.shell.bell_open,
        Command::About => state.shell.about_open = true,
        Command::ReviewWorkingTree => open::review_working_tree(state, layout),
        Command::ResolveConflicts => open::resolve_conflicts(state, layout),
        Command::ReviewRange => {
            if state.workspace.root().is_none() {
                let said = "No folder is open: open one whose revisions are to be compared.";
                state.notices.offer(Level::Info, said, Command::OpenFolder, "Open Folder…");
                return true;
            }
            let focus = super::keyboard::focus(state, layout, ctx);
            state.shell.palette.ask_range(focus);
        }
        Command::ReviewStaged => open_source(Source::Staged, state, layout),
        Command::ReviewUnstaged => open_source(Source::Unstaged, state, layout),
        Command::ReviewAgainst => pick(Picking::Against, state, layout, ctx),
        Command::ReviewCommit => pick(Picking::Commit, state, layout, ctx),
        Command::ReviewBranch => pick(Picking::Branch, state, layout, ctx),
        Command::ReviewTag => pick(Picking::Tag, state, layout, ctx),
        Command::ReviewStash => pick(Picking::Stash, state, layout, ctx),
        Command::ReviewWorktree => pick(Picking::Worktree, state, layout, ctx),
        Command::RefreshReview if !matches!(layout.active(), Some(Pane::Review(_))) => {
            let Some((id, _)) = crate::shell::review_in_sight(layout) else { return false };
            if let Some(review) = state.reviews.get_mut(id) {
                review.refresh(&state.tasks);
            }
        }
        Command::ShowComments => {
            show_side(Side::Review, state, ctx);
            state.shell.review_tree.show_comments();
        }
        Command::ExportComments => {
            let Some(Pane::Review(pane)) = layout.active() else { return false };
            if let Some(text) = panes::review::export(pane, state) {
                open::save_text("review.md", &text, state, layout, ctx);
            }
        }
        Command::RestoreComment => {
            if !state.desk.restore() {
                state.notices.info("No comment was deleted lately.");
            }
        }
        Command::FilterFiles => {
            show_side(Side::Review, state, ctx);
            state.shell.review_tree.focus_filter();
        }
        Command::ToggleTree => state.shell.review_tree.toggle_flat(),
        _ => return false,
    }
    true
}

/// The repository that is reviewed in sight, else that of the open folder; says so if there is none.
fn repo_in_sight(state: &mut State, layout: &Layout) -> Option<Repo> {
    let reviewed = crate::shell::review_in_sight(layout).and_then(|(id, _)| state.reviews.get(id)?.repo().cloned());
    let found = reviewed.or_else(|| state.workspace.repo().cloned());
    if found.is_none() {
        let said = "No repository is open: open a folder that is in one.";
        state.notices.offer(Level::Info, said, Command::OpenFolder, "Open Folder…");
    }
    found
}

fn open_source(source: Source, state: &mut State, layout: &mut Layout) {
    let Some(repo) = repo_in_sight(state, layout) else { return };
    let folder = repo.root().unwrap_or_else(|| repo.git_dir()).to_owned();
    open::remember_place(state, layout);
    open_review(Request::Source { folder, source }, state, layout);
}

/// Opens the palette with a list to pick from.
fn pick(picking: Picking, state: &mut State, layout: &Layout, ctx: &egui::Context) {
    let Some(repo) = repo_in_sight(state, layout) else { return };
    let focus = super::keyboard::focus(state, layout, ctx);
    state.shell.palette.ask_pick(picking, &repo, focus, &state.tasks);
}

fn open_palette(typed: &str, state: &mut State, layout: &Layout, ctx: &egui::Context) {
    let focus = super::keyboard::focus(state, layout, ctx);
    state.shell.palette.open(typed, focus);
}

fn side_shown(state: &State) -> bool {
    if state.shell.is_narrow() { state.shell.side_over } else { state.shell.side_shown }
}

fn set_side_shown(shown: bool, state: &mut State) {
    if state.shell.is_narrow() {
        state.shell.side_over = shown;
    } else {
        state.shell.side_shown = shown;
    }
}

/// Shows a side panel.
pub fn show_side(side: Side, state: &mut State, ctx: &egui::Context) {
    state.shell.side = side;
    set_side_shown(true, state);
    ctx.request_repaint();
}

fn zoom(command: Command, state: &mut State) {
    let now = state.settings.zoom;
    let wanted = match command {
        Command::ZoomIn => now + 0.1,
        Command::ZoomOut => now - 0.1,
        _ => 1.0,
    };
    let rounded = (f64::from(wanted) * 10.0).round() / 10.0;
    if let Some(spec) = Spec::by_key("appearance.zoom") {
        state.change_setting(spec, Some(Value::Number(rounded.clamp(0.5, 3.0))));
    }
}

fn toggle_theme(state: &mut State) {
    let dark = state.theme.is_dark();
    let blind = matches!(
        state.settings.theme,
        ThemeChoice::SystemColorBlind | ThemeChoice::DarkColorBlind | ThemeChoice::LightColorBlind
    );
    let choice = match (dark, blind) {
        (true, false) => "light",
        (false, false) => "dark",
        (true, true) => "light-color-blind",
        (false, true) => "dark-color-blind",
    };
    if let Some(spec) = Spec::by_key("appearance.theme") {
        state.change_setting(spec, Some(Value::Choice(choice)));
    }
}
