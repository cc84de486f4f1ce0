//! Opening and closing: folders, files, reviews, pages; what was closed, and places to go back to.

use std::path::{Path, PathBuf};

use diff::git::RepoPath;
use eframe::egui;
use egui_tiles::TileId;

use super::when::Focus;
use super::{Command, Place};
use crate::app::Startup;
use crate::panes::combined::CombinedPane;
use crate::panes::conflicts::ConflictsPane;
use crate::panes::editor::EditorPane;
use crate::panes::help::HelpPane;
use crate::panes::models::ModelsPane;
use crate::panes::review::{self, ReviewPane};
use crate::panes::settings::SettingsPane;
use crate::panes::{Layout, Pane, focus_id};
use crate::shell::ask::{Answer, Ask};
use crate::shell::dialogs::Purpose;
use crate::shell::{Leaving, Side};
use crate::state::State;
use crate::state::combined;
use crate::state::conflicts::{ConflictsId, Whose};
use crate::state::documents::{DocumentId, OpenDocument};
use crate::state::notices::Level;
use crate::state::reviews::{Request, ReviewId};
use crate::state::session;
use crate::state::terminals::{OpenTerminal, Question};

/// A tab that was closed, to be opened again.
pub enum Closed {
    /// A file, and the view of it.
    File {
        path: PathBuf,
        pane: EditorPane,
    },
    /// Text that was not saved; it is still there.
    Unsaved(EditorPane),
    Review(Request),
    Conflicts(Whose),
    Combined(combined::Of),
    /// A terminal, and where its shell was.
    Terminal(Option<PathBuf>),
    Page(Pane),
}

impl Closed {
    /// The document that is kept although no tab shows it.
    pub fn unsaved(&self) -> Option<DocumentId> {
        match self {
            Self::Unsaved(pane) => Some(pane.document),
            _ => None,
        }
    }
}

/// Tabs that are remembered.
const CLOSED: usize = 30;
/// Places that are remembered.
const JUMPS: usize = 100;

/// A place to go back to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Spot {
    File { path: PathBuf, place: Place },
    Review { id: ReviewId, file: usize },
}

/// Where the reader came from, and where Back was pressed.
#[derive(Default)]
pub struct Jumps {
    back: Vec<Spot>,
    forward: Vec<Spot>,
}

/// Opens what the command line named; nothing named is what was open the last time.
pub fn start(startup: Startup, state: &mut State, layout: &mut Layout) {
    if startup.tool {
        return super::tool::start(startup, state, layout);
    }
    let named = startup.review.is_some() || startup.combined.is_some() || !startup.paths.is_empty();
    let (folders, files): (Vec<_>, Vec<_>) = startup.paths.into_iter().partition(|(path, _)| path.is_dir());
    if let Some((folder, _)) = folders.first() {
        open_folder(folder, state, layout);
    } else if let Some(of) = startup.combined {
        session::restore_texts(None, state);
        open_combined(of, state, layout);
    } else if let Some(review) = startup.review {
        let root = root_of(&review);
        session::restore_texts(root.as_deref(), state);
        if let Some(root) = root {
            state.recent.folder(&root);
            state.workspace.open(root, &state.tasks);
        }
        open_review(review, state, layout);
    } else if !named {
        match state.recent.folders().first().filter(|_| state.settings.restore).cloned() {
            Some(folder) if folder.is_dir() => open_folder(&folder, state, layout),
            _ => session::restore(None, state),
        }
    } else {
        session::restore_texts(None, state);
    }
    for (path, at) in files {
        state.recent.file(&path);
        let document = state.documents.open(&path);
        show_document(document, layout);
        if let (Some(at), Some(Pane::Editor(pane))) = (at, layout.active_mut()) {
            pane.go_to(at);
        }
    }
}

/// The folder that a review is about.
fn root_of(request: &Request) -> Option<PathBuf> {
    match request {
        Request::Found(found) => found.repo()?.root().map(Path::to_owned),
        Request::WorkingTree(folder) | Request::Revisions { folder, .. } | Request::Source { folder, .. } => {
            Some(folder.clone())
        }
        Request::Unsaved { .. } => None,
    }
}

/// Makes a folder the workspace; its session comes back.
pub fn open_folder(path: &Path, state: &mut State, layout: &mut Layout) {
    if state.workspace.root() == Some(path) {
        return;
    }
    session::store_in_background(state, layout);
    close_everything(state, layout);
    state.recent.folder(path);
    state.workspace.open(path.to_owned(), &state.tasks);
    session::restore(Some(path), state);
}

/// The panes of one folder make room for those of another; the session keeps them.
fn close_everything(state: &mut State, layout: &mut Layout) {
    *layout = Layout::default();
    state.shell.closed.clear();
    state.shell.jumps = Jumps::default();
    state.shell.greeting = None;
    state.unreviewed.clear();
    let reviews: Vec<ReviewId> = state.reviews.iter().map(|(id, _)| id).collect();
    for id in reviews {
        state.reviews.close(id);
    }
    let conflicts: Vec<ConflictsId> = state.conflicts.iter().map(|(id, _)| id).collect();
    for id in conflicts {
        state.conflicts.close(id);
    }
    let documents: Vec<DocumentId> = state.documents.iter().map(|(id, _)| id).collect();
    for id in documents {
        state.highlights.forget(id);
        state.documents.close(id);
    }
}

/// Opens a path that was typed or dropped: a folder or a file.
pub fn open_path(path: PathBuf, at: Option<Place>, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    // One look at one path that the user just named; a folder has to be told from a file before anything is shown.
    if path.is_dir() {
        open_folder(&path, state, layout);
    } else {
        open_file(&path, at, state, layout, ctx);
    }
}

/// Opens a file in a tab, or brings its tab to the front; the caret goes to `at`.
pub fn open_file(path: &Path, at: Option<Place>, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    remember_place(state, layout);
    state.recent.file(path);
    let document = state.documents.open(path);
    let tile = show_document(document, layout);
    if let (Some(at), Some(Pane::Editor(pane))) = (at, layout.active_mut()) {
        pane.go_to(at);
    }
    ctx.memory_mut(|memory| memory.request_focus(focus_id(tile)));
}

/// Shows a document in the active pane's tabs, or where it is shown already.
pub fn show_document(document: DocumentId, layout: &mut Layout) -> TileId {
    let active = layout.active().is_some_and(|pane| pane.shows_document(document));
    if let Some(tile) = layout.active_id().filter(|_| active) {
        return tile;
    }
    match layout.find(|pane| pane.shows_document(document)) {
        Some(tile) => {
            layout.activate(tile);
            tile
        }
        None => layout.open(Pane::Editor(EditorPane::new(document, None))),
    }
}

/// Opens a review, or brings its tab to the front.
pub fn open_review(request: Request, state: &mut State, layout: &mut Layout) -> ReviewId {
    let (rows, context) = (state.settings.layout(), state.settings.review_context);
    let id = state.reviews.open(request, rows, context, &state.tasks);
    show_review(id, state, layout);
    id
}

/// Brings a review that is open to the front, in a tab of its own.
pub fn show_review(id: ReviewId, state: &mut State, layout: &mut Layout) {
    match layout.find(|pane| pane.shows_review(id)) {
        Some(tile) => layout.activate(tile),
        None => {
            layout.open(Pane::Review(ReviewPane::new(id)));
        }
    }
    state.shell.side = Side::Review;
}

/// Opens conflicts, or brings their tab to the front.
pub fn open_conflicts(whose: Whose, path: Option<RepoPath>, state: &mut State, layout: &mut Layout) {
    let id = state.conflicts.open(whose, path, &state.tasks);
    match layout.find(|pane| pane.shows_conflicts(id)) {
        Some(tile) => layout.activate(tile),
        None => {
            layout.open(Pane::Conflicts(ConflictsPane::new(id)));
        }
    }
    state.shell.side = Side::Review;
}

/// Shows a merge against all of its parents, or brings its tab to the front.
pub fn open_combined(of: combined::Of, state: &mut State, layout: &mut Layout) {
    let id = state.combined.open(of, &state.tasks);
    match layout.find(|pane| pane.shows_combined(id)) {
        Some(tile) => layout.activate(tile),
        None => {
            layout.open(Pane::Combined(CombinedPane::new(id)));
        }
    }
}

/// Shows what is in conflict in the folder's repository.
pub fn resolve_conflicts(state: &mut State, layout: &mut Layout) {
    match state.workspace.root().map(Path::to_owned) {
        Some(root) => open_conflicts(Whose::Repository(root), None, state, layout),
        None => {
            let said = "No folder is open: open one whose conflicts are to be resolved.";
            state.notices.offer(Level::Info, said, Command::OpenFolder, "Open Folder…");
        }
    }
}

/// Compares the working tree of the folder with its last commit.
pub fn review_working_tree(state: &mut State, layout: &mut Layout) {
    match state.workspace.root().map(Path::to_owned) {
        Some(root) => {
            open_review(Request::WorkingTree(root), state, layout);
        }
        None => {
            let said = "No folder is open: open one whose changes are to be reviewed.";
            state.notices.offer(Level::Info, said, Command::OpenFolder, "Open Folder…");
        }
    }
}

/// Brings a page to the front, or opens it.
pub fn open_page(command: Command, layout: &mut Layout) -> TileId {
    let (is_it, page): (fn(&Pane) -> bool, Pane) = match command {
        Command::Settings => (|pane| matches!(pane, Pane::Settings(_)), Pane::Settings(SettingsPane::default())),
        Command::Models => (|pane| matches!(pane, Pane::Models(_)), Pane::Models(ModelsPane::default())),
        _ => (|pane| matches!(pane, Pane::Help(_)), Pane::Help(HelpPane::default())),
    };
    match layout.find(is_it) {
        Some(tile) => {
            layout.activate(tile);
            tile
        }
        None => layout.open(page),
    }
}

/// Opens one of Recto's own files, which is made with a first comment if it is not there.
pub fn open_own_file(path: &Path, first: &str, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let first = first.to_owned();
    let file = if path == state.config.settings.path() { &mut state.config.settings } else { &mut state.config.keymap };
    if file.text().is_empty() {
        // The text is on screen at once, and on disk with the first save.
        file.edit(move |text| Ok(if text.is_empty() { first } else { text.to_owned() }));
        file.poll(&state.tasks);
    }
    open_file(path, None, state, layout, ctx);
}

/// Closes a tab, after asking if its text is not saved and in no other tab.
pub fn close(tile: TileId, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let Some(pane) = layout.panes().find(|(id, _)| *id == tile).map(|(_, pane)| pane) else { return };
    if let Pane::Terminal(pane) = pane
        && let Some(running) = state.terminals.get(pane.terminal).and_then(OpenTerminal::running)
    {
        state.terminals.question = Some(Question::Close { tile, running });
        return;
    }
    let mut lost = documents_only_in(tile, pane, state, layout);
    lost.retain(|&id| is_dirty(id, state));
    let title = match lost.as_slice() {
        [] => return close_now(tile, state, layout, ctx),
        [one] => state.documents.get(*one).map_or_else(String::new, OpenDocument::title),
        more => format!("{} files", more.len()),
    };
    state.shell.ask = Some(Ask::new(tile, title));
}

/// Closes a tab as the user answered.
pub fn close_answered(tile: TileId, answer: Answer, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    if answer == Answer::Keep {
        state.shell.leaving = Leaving::No;
        return;
    }
    let Some(pane) = layout.panes().find(|(id, _)| *id == tile).map(|(_, pane)| pane) else { return };
    if answer == Answer::Save {
        let dirty: Vec<DocumentId> =
            documents_only_in(tile, pane, state, layout).into_iter().filter(|&id| is_dirty(id, state)).collect();
        let named = dirty.iter().all(|&id| state.documents.path(id).is_some());
        for id in dirty {
            save(id, state);
        }
        state.shell.closing = named.then_some(tile);
        return;
    }
    close_now(tile, state, layout, ctx);
}

/// Goes on with closing a tab once its text is written; a save that failed keeps the tab.
pub fn follow_closing(state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let Some(tile) = state.shell.closing else { return };
    if state.documents.is_busy() {
        return;
    }
    state.shell.closing = None;
    let Some(pane) = layout.panes().find(|(id, _)| *id == tile).map(|(_, pane)| pane) else { return };
    if !documents_only_in(tile, pane, state, layout).iter().any(|&id| is_dirty(id, state)) {
        close_now(tile, state, layout, ctx);
    }
}

pub(super) fn close_now(tile: TileId, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let Some(pane) = layout.close(tile) else { return };
    if let Some(active) = layout.active_id() {
        ctx.memory_mut(|memory| memory.request_focus(focus_id(active)));
    }
    let closed = match pane {
        Pane::Editor(pane) => {
            let id = pane.document;
            let shown = layout.panes().any(|(_, other)| other.shows_document(id)) || is_in_review(id, state, layout);
            let closed = match state.documents.path(id).map(Path::to_owned) {
                _ if is_dirty(id, state) && !shown => Some(Closed::Unsaved(pane)),
                Some(path) => Some(Closed::File { path, pane }),
                None => None,
            };
            if !shown && !matches!(closed, Some(Closed::Unsaved(_))) {
                forget(id, state);
            }
            closed
        }
        Pane::Review(pane) => close_review(pane.review, state, layout),
        Pane::Combined(pane) => {
            let id = pane.combined;
            let closed = state.combined.get(id).map(|open| Closed::Combined(open.of.clone()));
            if !layout.panes().any(|(_, other)| other.shows_combined(id)) {
                state.combined.close(id);
            }
            closed
        }
        Pane::Conflicts(pane) => close_conflicts(pane.conflicts, state, layout),
        Pane::Terminal(pane) => {
            let directory = state.terminals.get(pane.terminal).and_then(|open| open.directory().map(Path::to_owned));
            state.terminals.close(pane.terminal);
            Some(Closed::Terminal(directory))
        }
        page @ (Pane::Problems(_) | Pane::Settings(_) | Pane::Models(_) | Pane::Help(_)) => Some(Closed::Page(page)),
    };
    state.shell.closed.extend(closed);
    while state.shell.closed.len() > CLOSED {
        if let Closed::Unsaved(pane) = state.shell.closed.remove(0) {
            forget(pane.document, state);
        }
    }
}

fn close_conflicts(id: ConflictsId, state: &mut State, layout: &Layout) -> Option<Closed> {
    let open = state.conflicts.get(id)?;
    let whose = open.whose.clone();
    if layout.panes().any(|(_, other)| other.shows_conflicts(id)) {
        return Some(Closed::Conflicts(whose));
    }
    // What a mergetool made of its file is asked for once the window is closed.
    if matches!(whose, Whose::Tool(_)) {
        return Some(Closed::Conflicts(whose));
    }
    let documents: Vec<DocumentId> = open.documents().collect();
    state.conflicts.close(id);
    let_go(documents, state, layout);
    Some(Closed::Conflicts(whose))
}

fn close_review(id: ReviewId, state: &mut State, layout: &Layout) -> Option<Closed> {
    let review = state.reviews.get(id)?;
    let request = review.request.clone();
    if layout.panes().any(|(_, other)| other.shows_review(id)) {
        return Some(Closed::Review(request));
    }
    let documents: Vec<DocumentId> = review.documents().collect();
    // What is left to be decided on is marked in editors, too: it goes when none shows it.
    match state.unreviewed.session(id) {
        Some(_) => state.unreviewed.recheck(),
        None => state.reviews.close(id),
    }
    let_go(documents, state, layout);
    Some(Closed::Review(request))
}

/// Closes documents that nothing shows any more; unsaved text is kept with the closed tabs, each text as one.
fn let_go(documents: Vec<DocumentId>, state: &mut State, layout: &Layout) {
    for id in documents {
        let shown = layout.panes().any(|(_, other)| other.shows_document(id)) || is_in_review(id, state, layout);
        if shown {
            continue;
        }
        if is_dirty(id, state) {
            state.shell.closed.push(Closed::Unsaved(EditorPane::new(id, None)));
        } else {
            forget(id, state);
        }
    }
}

fn forget(id: DocumentId, state: &mut State) {
    state.highlights.forget(id);
    state.documents.close(id);
}

/// Opens the tab again that was closed last.
pub fn reopen(state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let Some(closed) = state.shell.closed.pop() else {
        state.notices.info("No tab was closed.");
        return;
    };
    match closed {
        Closed::File { path, mut pane } => {
            pane.document = state.documents.open(&path);
            layout.open(Pane::Editor(pane));
        }
        Closed::Unsaved(pane) => {
            layout.open(Pane::Editor(pane));
        }
        Closed::Review(request) => {
            open_review(request, state, layout);
        }
        Closed::Combined(of) => open_combined(of, state, layout),
        Closed::Conflicts(whose) => open_conflicts(whose, None, state, layout),
        Closed::Terminal(directory) => super::terminals::open_shell(directory, state, layout, ctx),
        Closed::Page(page) => {
            layout.open(page);
        }
    }
    if let Some(active) = layout.active_id() {
        ctx.memory_mut(|memory| memory.request_focus(focus_id(active)));
    }
}

pub(super) fn is_dirty(id: DocumentId, state: &State) -> bool {
    state.documents.get(id).is_some_and(OpenDocument::is_dirty)
}

fn is_in_review(id: DocumentId, state: &State, layout: &Layout) -> bool {
    let is_shown = |review: ReviewId| layout.panes().any(|(_, pane)| pane.shows_review(review));
    state.reviews.iter().any(|(of, review)| review.documents().any(|live| live == id) && is_shown(of))
        || state.conflicts.iter().any(|(_, open)| open.documents().any(|result| result == id))
}

/// Documents that are in no other pane than this.
pub(super) fn documents_only_in(tile: TileId, pane: &Pane, state: &State, layout: &Layout) -> Vec<DocumentId> {
    let documents: Vec<DocumentId> = match pane {
        Pane::Editor(pane) => vec![pane.document],
        Pane::Review(pane) => {
            state.reviews.get(pane.review).map(|review| review.documents().collect()).unwrap_or_default()
        }
        Pane::Conflicts(pane) => {
            state.conflicts.get(pane.conflicts).map(|open| open.documents().collect()).unwrap_or_default()
        }
        Pane::Combined(_)
        | Pane::Terminal(_)
        | Pane::Problems(_)
        | Pane::Settings(_)
        | Pane::Models(_)
        | Pane::Help(_) => Vec::new(),
    };
    let elsewhere = |id: DocumentId| {
        layout.panes().filter(|(other, _)| *other != tile).any(|(_, other)| match other {
            Pane::Review(other) => {
                state.reviews.get(other.review).is_some_and(|review| review.documents().any(|live| live == id))
            }
            Pane::Conflicts(other) => {
                let open = state.conflicts.get(other.conflicts);
                open.is_some_and(|open| open.documents().any(|result| result == id))
            }
            other => other.shows_document(id),
        })
    };
    documents.into_iter().filter(|&id| !elsewhere(id)).collect()
}

/// Writes a document; where it has no file yet, asks for one.
pub fn save(id: DocumentId, state: &mut State) {
    if state.documents.path(id).is_some() {
        state.documents.save(id, None, false);
    } else {
        save_as(id, state);
    }
}

/// Asks where to write a document.
pub fn save_as(id: DocumentId, state: &mut State) {
    let path = state.documents.path(id).map(Path::to_owned);
    let folder = path.as_deref().and_then(Path::parent).or(state.workspace.root()).map(Path::to_owned);
    let name = path.as_deref().map_or_else(|| "untitled.txt".to_owned(), crate::state::workspace::name_of);
    ask_for_path(Purpose::Save(id), folder.as_deref(), &name, state);
}

/// Opens a text in a tab and asks where to save it, as a file that is called `name` at first.
pub fn save_text(name: &str, text: &str, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let mut document = OpenDocument::untitled(text);
    document.document.mark_unsaved();
    let id = state.documents.insert(document);
    let tile = show_document(id, layout);
    layout.activate(tile);
    ctx.memory_mut(|memory| memory.request_focus(crate::panes::focus_id(tile)));
    let folder = state.workspace.root().map(Path::to_owned);
    ask_for_path(Purpose::Save(id), folder.as_deref(), name, state);
}

/// Opens a dialog of the system's.
pub fn ask_for_path(purpose: Purpose, folder: Option<&Path>, name: &str, state: &mut State) {
    let waker = state.tasks.waker().clone();
    if let Err(error) = state.shell.dialogs.open(purpose, folder, name, &waker) {
        state
            .notices
            .error(format!("The file dialog cannot be opened: {error}. Go to File opens a path that is typed."));
    }
}

/// Does with a path what it was chosen for.
pub fn take_path(purpose: Purpose, path: PathBuf, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    match purpose {
        Purpose::OpenFile => open_file(&path, None, state, layout, ctx),
        Purpose::OpenFolder => open_folder(&path, state, layout),
        Purpose::Save(id) => {
            state.recent.file(&path);
            state.documents.save(id, Some(path), false);
            state.workspace.files_changed();
        }
    }
}

/// Asks for a path in the palette: this desktop has no file dialogs.
pub fn type_path(purpose: Purpose, folder: Option<&Path>, name: &str, focus: Focus, state: &mut State) {
    if !std::mem::replace(&mut state.shell.no_dialogs_said, true) {
        state
            .notices
            .info("This desktop shows no file dialogs (it needs xdg-desktop-portal or zenity): type the path.");
    }
    let folder = folder.map(Path::to_owned).or_else(|| etcetera::home_dir().ok()).unwrap_or_default();
    let start = match purpose {
        Purpose::Save(_) => folder.join(name),
        // Ends with a slash: what is typed goes on from there.
        Purpose::OpenFile | Purpose::OpenFolder => folder.join(""),
    };
    state.shell.palette.ask_path(purpose, &start.display().to_string(), focus);
}

/// Where the reader is, to come back to.
fn spot(state: &State, layout: &Layout) -> Option<Spot> {
    match layout.active()? {
        Pane::Editor(pane) => {
            let path = state.documents.path(pane.document)?.to_owned();
            Some(Spot::File { path, place: pane.place(&state.documents)? })
        }
        Pane::Review(pane) => Some(Spot::Review { id: pane.review, file: pane.file() }),
        Pane::Conflicts(_)
        | Pane::Combined(_)
        | Pane::Terminal(_)
        | Pane::Problems(_)
        | Pane::Settings(_)
        | Pane::Models(_)
        | Pane::Help(_) => None,
    }
}

/// Remembers where the reader is before a jump.
pub fn remember_place(state: &mut State, layout: &Layout) {
    let Some(spot) = spot(state, layout) else { return };
    let jumps = &mut state.shell.jumps;
    jumps.forward.clear();
    if jumps.back.last() != Some(&spot) {
        jumps.back.push(spot);
        let over = jumps.back.len().saturating_sub(JUMPS);
        jumps.back.drain(..over);
    }
}

/// Goes to where the reader was before, or forward again.
pub fn jump(forward: bool, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let here = spot(state, layout);
    loop {
        let jumps = &mut state.shell.jumps;
        let Some(to) = (if forward { jumps.forward.pop() } else { jumps.back.pop() }) else { return };
        if Some(&to) == here.as_ref() {
            continue;
        }
        let gone = matches!(&to, Spot::Review { id, .. } if !layout.panes().any(|(_, pane)| pane.shows_review(*id)));
        if gone {
            continue;
        }
        let other = if forward { &mut jumps.back } else { &mut jumps.forward };
        other.extend(here);
        go(to, state, layout, ctx);
        return;
    }
}

fn go(spot: Spot, state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    match spot {
        Spot::File { path, place } => {
            let document = state.documents.open(&path);
            let tile = show_document(document, layout);
            if let Some(Pane::Editor(pane)) = layout.active_mut() {
                pane.go_to(place);
            }
            ctx.memory_mut(|memory| memory.request_focus(focus_id(tile)));
        }
        Spot::Review { id, file } => show_review_file(id, file, layout),
    }
}

/// Brings a file of a review into view, and its tab to the front.
pub fn show_review_file(id: ReviewId, file: usize, layout: &mut Layout) {
    let active = layout.active().is_some_and(|pane| pane.shows_review(id));
    if !active && let Some(tile) = layout.find(|pane| pane.shows_review(id)) {
        layout.activate(tile);
    }
    if let Some(Pane::Review(pane)) = layout.active_mut() {
        review::show_file(pane, file);
    }
}
