//! What was open, for the next start: one file for each folder that was worked in, and the texts that were not saved.
//!
//! The file is written a moment after anything changed and at the end; a text that is not saved has a file of its own
//! beside it, written before the session that names it, so that no order of failures loses one. Restoring opens files
//! as ever and then puts the unsaved text over them, as one step that undo takes back.
//!
//! A file that cannot be understood is put aside, said so once, and everything starts afresh.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use diff::source::Source;
use editor::change::{ChangeSet, Transaction};
use editor::document::EditKind;
use editor::selection::Selections;
use editor::text::Text;
use eframe::egui;
use egui_tiles::{Container, Linear, LinearDir, Tile, TileId};
use serde::{Deserialize, Serialize};

use super::chats::{KeptDraft, Shown};
use super::documents::{DocumentId, OpenDocument};
use super::reviews::Request;
use super::terminals::Kind;
use super::{State, store};
use crate::commands::{Place, open};
use crate::panes::editor::EditorPane;
use crate::panes::help::HelpPane;
use crate::panes::models::ModelsPane;
use crate::panes::problems::ProblemsPane;
use crate::panes::review::keep::Kept;
use crate::panes::settings::SettingsPane;
use crate::panes::terminal::TerminalPane;
use crate::panes::{Layout, Pane, review};
use crate::shell::Side;
use crate::tasks::{Poll, Task};

/// How long after a change the session is written.
const DELAY: Duration = Duration::from_secs(2);

/// A session as it is in its file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Saved {
    folder: Option<PathBuf>,
    root: Option<Node>,
    /// Which of the panes, in the order of the tree.
    active: usize,
    files_shown: bool,
    side_hidden: bool,
    side_width: Option<f32>,
    chat_shown: bool,
    chat_width: Option<f32>,
    window: Option<(f32, f32)>,
    unsaved: Vec<Unsaved>,
    /// Messages to agents that are being written.
    drafts: Vec<KeptDraft>,
    /// The conversation that was shown, if it had begun.
    conversation: Option<Shown>,
}

/// A tile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Node {
    Tabs {
        active: usize,
        children: Vec<Node>,
    },
    Split {
        down: bool,
        shares: Vec<f32>,
        children: Vec<Node>,
    },
    File {
        path: PathBuf,
        at: Option<(u32, u32)>,
    },
    /// A text without a file, by its number in `unsaved`.
    Text(usize),
    Review {
        request: SavedRequest,
        #[serde(flatten)]
        at: Kept,
    },
    Terminal {
        directory: Option<PathBuf>,
        name: Option<String>,
    },
    Problems,
    Settings,
    Models,
    Help,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SavedRequest {
    WorkingTree(PathBuf),
    Revisions { folder: PathBuf, words: String },
    Staged(PathBuf),
    Unstaged(PathBuf),
}

/// A text that was not saved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Unsaved {
    /// Its file, if it has one.
    path: Option<PathBuf>,
    /// Where the text is, in the folder of sessions.
    text: String,
}

/// What was read for a folder.
struct Loaded {
    saved: Saved,
    texts: Vec<Option<String>>,
}

/// The window's own part of it.
pub struct Session {
    /// Tells files of this run from those of others.
    run: u128,
    loading: Option<Task<Result<Option<Loaded>, String>>>,
    /// Tabs do not come back, only what was not saved.
    texts_only: bool,
    /// Unsaved texts whose files are still being opened.
    over: Vec<(DocumentId, String)>,
    /// Files of reviews to show once they are listed.
    shows: Vec<(TileId, Kept)>,
    written: Option<(Saved, Vec<String>)>,
    due: Option<Instant>,
    writing: Vec<Task<Result<(), String>>>,
    /// Writes in their order; an older one never goes over a newer one.
    order: Arc<Mutex<u64>>,
    count: u64,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            run: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos()),
            loading: None,
            texts_only: false,
            over: Vec::new(),
            shows: Vec::new(),
            written: None,
            due: None,
            writing: Vec::new(),
            order: Arc::default(),
            count: 0,
        }
    }
}

impl Session {
    /// Whether what was open is still being read.
    pub fn is_loading(&self) -> bool {
        self.loading.is_some()
    }

    /// Whether everything that was open is there again.
    pub fn is_settled(&self) -> bool {
        self.loading.is_none() && self.over.is_empty() && self.shows.is_empty()
    }
}

/// The window's size at the end of a folder's last session; for the start, before there is a window.
pub fn window_size(sessions: &Path, folder: Option<&Path>) -> Option<(f32, f32)> {
    let text = store::read(&file_of(sessions, folder)).ok()??;
    serde_json::from_str::<Saved>(&text).ok()?.window
}

/// The name of a folder's session: stable between versions, and no path of anybody's in a file name.
fn name_of(folder: Option<&Path>) -> String {
    let Some(folder) = folder else { return "no-folder".to_owned() };
    // FNV-1a: the standard hasher may change with the compiler.
    let hash = folder
        .as_os_str()
        .as_encoded_bytes()
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}

fn file_of(sessions: &Path, folder: Option<&Path>) -> PathBuf {
    sessions.join(format!("{}.json", name_of(folder)))
}

/// Begins to bring back the texts of a folder that were not saved, and no tabs: the window shows what was asked for.
/// They have to come back even so, since this session goes over the one they are in.
pub fn restore_texts(folder: Option<&Path>, state: &mut State) {
    restore(folder, state);
    state.session.texts_only = true;
}

/// Begins to bring back what was open in a folder.
pub fn restore(folder: Option<&Path>, state: &mut State) {
    state.session.texts_only = false;
    let (sessions, folder) = (state.paths.sessions(), folder.map(Path::to_owned));
    state.session.loading = Some(state.tasks.spawn("read session", move |_| read(&sessions, folder.as_deref())));
}

fn read(sessions: &Path, folder: Option<&Path>) -> Result<Option<Loaded>, String> {
    let path = file_of(sessions, folder);
    let Some(text) = store::read(&path).map_err(|error| format!("{error:#}"))? else { return Ok(None) };
    let saved: Saved = serde_json::from_str(&text).map_err(|error| {
        let aside = path.with_extension("broken.json");
        let kept = match fs::rename(&path, &aside) {
            Ok(()) => format!("it is kept as {}", aside.display()),
            Err(error) => format!("it cannot be put aside: {error}"),
        };
        format!("What was open is not known: the session file is damaged ({error}); {kept}.")
    })?;
    let texts = saved.unsaved.iter().map(|one| store::read(&sessions.join(&one.text)).ok().flatten()).collect();
    Ok(Some(Loaded { saved, texts }))
}

/// Takes in what was read, and writes what changed. Once a frame; never waits.
pub fn poll(state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    take_loaded(state, layout);
    put_texts_over(state, layout);
    show_files(state, layout);
    let mut failed = Vec::new();
    state.session.writing.retain(|task| match task.poll() {
        Poll::Pending => true,
        Poll::Ready(Err(error)) => {
            failed.push(error);
            false
        }
        Poll::Ready(Ok(())) | Poll::Lost => false,
    });
    for error in failed {
        state.notices.warn(format!("What is open is not remembered: {error}"));
    }
    if state.session.is_settled() && !state.tool {
        write_when_changed(state, layout, ctx);
    }
}

fn take_loaded(state: &mut State, layout: &mut Layout) {
    let Some(task) = &state.session.loading else { return };
    let loaded = match task.poll() {
        Poll::Pending => return,
        Poll::Ready(Ok(loaded)) => loaded,
        Poll::Ready(Err(error)) => {
            state.notices.error(error);
            None
        }
        Poll::Lost => None,
    };
    state.session.loading = None;
    state.session.written = None;
    if let Some(loaded) = loaded {
        apply(loaded, state, layout);
    }
}

fn apply(loaded: Loaded, state: &mut State, layout: &mut Layout) {
    let Loaded { saved, texts } = loaded;
    let texts_only = state.session.texts_only;
    let in_front = layout.active_id().filter(|_| texts_only);
    if let Some(folder) = &saved.folder {
        state.chats.take_up(folder, saved.drafts.clone(), saved.conversation.clone());
    }
    if !texts_only {
        apply_side(&saved, state);
    }
    // Texts first: a tab of a text finds its document by number.
    let mut documents = Vec::new();
    for (unsaved, text) in saved.unsaved.iter().zip(texts) {
        documents.push(text.map(|text| match &unsaved.path {
            Some(path) => {
                let id = state.documents.open(path);
                state.session.over.push((id, text));
                id
            }
            None => {
                let mut document = OpenDocument::untitled(&text);
                document.document.mark_unsaved();
                state.documents.insert(document)
            }
        }));
    }
    if state.settings.restore
        && !texts_only
        && let Some(root) = &saved.root
    {
        let mut builder = Builder { state, layout, documents: &documents, panes: Vec::new() };
        if let Some(root) = builder.tile(root) {
            let panes = std::mem::take(&mut builder.panes);
            join(layout, root);
            if let Some(&active) = panes.get(saved.active).or(panes.first()) {
                layout.activate(active);
            }
        }
    }
    // A text is never without a tab.
    for id in documents.into_iter().flatten() {
        if !layout.panes().any(|(_, pane)| pane.shows_document(id)) {
            layout.open(Pane::Editor(EditorPane::new(id, None)));
        }
    }
    if let Some(tile) = in_front {
        layout.activate(tile);
    }
}

fn apply_side(saved: &Saved, state: &mut State) {
    state.shell.side = if saved.files_shown { Side::Files } else { Side::Review };
    state.shell.side_shown = !saved.side_hidden;
    state.shell.side_width = saved.side_width.unwrap_or(state.shell.side_width);
    state.shell.chat_shown = saved.chat_shown;
    state.shell.chat_width = saved.chat_width.unwrap_or(state.shell.chat_width);
}

/// Panes that were opened before the session was read stay, beside what comes back.
fn join(layout: &mut Layout, root: TileId) {
    match layout.tiles.root {
        Some(before) if before != root => {
            let line = layout.tiles.tiles.insert_container(Linear::new(LinearDir::Horizontal, vec![root, before]));
            layout.tiles.root = Some(line);
        }
        _ => layout.tiles.root = Some(root),
    }
}

struct Builder<'a> {
    state: &'a mut State,
    layout: &'a mut Layout,
    documents: &'a [Option<DocumentId>],
    panes: Vec<TileId>,
}

impl Builder<'_> {
    fn tile(&mut self, node: &Node) -> Option<TileId> {
        let pane = match node {
            Node::Tabs { active, children } => return self.tabs(*active, children),
            Node::Split { down, shares, children } => return self.split(*down, shares, children),
            Node::File { path, at } => {
                let mut pane = EditorPane::new(self.state.documents.open(path), None);
                if let Some((line, column)) = *at {
                    pane.go_to(Place { line, column });
                }
                Pane::Editor(pane)
            }
            Node::Text(number) => Pane::Editor(EditorPane::new((*self.documents.get(*number)?)?, None)),
            Node::Review { request, at } => {
                let request = match request.clone() {
                    SavedRequest::WorkingTree(folder) => Request::WorkingTree(folder),
                    SavedRequest::Revisions { folder, words } => Request::Revisions { folder, words },
                    SavedRequest::Staged(folder) => Request::Source { folder, source: Source::Staged },
                    SavedRequest::Unstaged(folder) => Request::Source { folder, source: Source::Unstaged },
                };
                let (rows, context) = (self.state.settings.layout(), self.state.settings.review_context);
                let id = self.state.reviews.open(request, rows, context, &self.state.tasks);
                let tile = self.add(Pane::Review(review::ReviewPane::new(id)));
                self.state.session.shows.push((tile, at.clone()));
                return Some(tile);
            }
            // It is started when somebody looks at it.
            Node::Terminal { directory, name } => {
                let scripts = self.state.paths.shell_scripts();
                let shell = self.state.settings.terminal_shell.program();
                let id = self.state.terminals.shell(shell, directory.clone(), name.clone(), scripts);
                Pane::Terminal(TerminalPane::new(id))
            }
            Node::Problems => Pane::Problems(ProblemsPane::default()),
            Node::Settings => Pane::Settings(SettingsPane::default()),
            Node::Models => Pane::Models(ModelsPane::default()),
            Node::Help => Pane::Help(HelpPane::default()),
        };
        Some(self.add(pane))
    }

    fn add(&mut self, pane: Pane) -> TileId {
        let tile = self.layout.tiles.tiles.insert_pane(pane);
        self.panes.push(tile);
        tile
    }

    fn tabs(&mut self, active: usize, children: &[Node]) -> Option<TileId> {
        let tiles: Vec<Option<TileId>> = children.iter().map(|child| self.tile(child)).collect();
        let front = tiles.get(active).copied().flatten();
        let children: Vec<TileId> = tiles.into_iter().flatten().collect();
        if children.is_empty() {
            return None;
        }
        let tile = self.layout.tiles.tiles.insert_tab_tile(children);
        if let (Some(front), Some(Tile::Container(Container::Tabs(tabs)))) =
            (front, self.layout.tiles.tiles.get_mut(tile))
        {
            tabs.set_active(front);
        }
        Some(tile)
    }

    fn split(&mut self, down: bool, shares: &[f32], children: &[Node]) -> Option<TileId> {
        let made: Vec<(TileId, f32)> = children
            .iter()
            .enumerate()
            .filter_map(|(n, child)| Some((self.tile(child)?, shares.get(n).copied().unwrap_or(1.0))))
            .collect();
        if made.is_empty() {
            return None;
        }
        let dir = if down { LinearDir::Vertical } else { LinearDir::Horizontal };
        let mut line = Linear::new(dir, made.iter().map(|(tile, _)| *tile).collect());
        for (tile, share) in made {
            line.shares.set_share(tile, share.clamp(0.05, 100.0));
        }
        Some(self.layout.tiles.tiles.insert_container(line))
    }
}

/// Unsaved texts go over their files as soon as those are read.
fn put_texts_over(state: &mut State, layout: &mut Layout) {
    for (id, text) in std::mem::take(&mut state.session.over) {
        if state.documents.is_loading(id) {
            state.session.over.push((id, text));
        } else if let Some(open) = state.documents.get_mut(id) {
            let changes = ChangeSet::from_edits(open.document.text().len(), [(0..open.document.text().len(), text)]);
            open.document.apply(Transaction::new(changes), EditKind::Command, &Selections::caret(0));
        } else {
            // The file is gone: its text is not.
            let mut document = OpenDocument::untitled(&text);
            document.document.mark_unsaved();
            let new = state.documents.insert(document);
            for pane in layout.panes_mut() {
                if let Pane::Editor(pane) = pane
                    && pane.document == id
                {
                    *pane = EditorPane::new(new, None);
                }
            }
            if let Some(path) = state.documents.path(id).map(Path::to_owned) {
                state
                    .notices
                    .warn(format!("{} cannot be read; its unsaved text is in a tab without a file.", path.display()));
            }
            state.documents.close(id);
        }
    }
}

/// Reviews go to the file they showed once their files are known.
fn show_files(state: &mut State, layout: &mut Layout) {
    for (tile, at) in std::mem::take(&mut state.session.shows) {
        let Some(Tile::Pane(Pane::Review(pane))) = layout.tiles.tiles.get_mut(tile) else { continue };
        let Some(review) = state.reviews.get_mut(pane.review) else { continue };
        if review.is_listing() {
            state.session.shows.push((tile, at));
        } else {
            at.restore(pane, &mut review.page);
        }
    }
}

/// What is open now, and the texts that are not saved with the names of their files.
fn capture(state: &State, layout: &Layout) -> (Saved, Vec<(String, Text)>) {
    let name = name_of(state.workspace.root());
    let (mut unsaved, mut texts, mut ids) = (Vec::new(), Vec::new(), Vec::new());
    let closed: Vec<DocumentId> = state.shell.closed.iter().filter_map(open::Closed::unsaved).collect();
    for (id, open) in state.documents.iter().filter(|(id, open)| open.is_dirty() && !closed.contains(id)) {
        if open.path.is_none() && open.document.text().is_empty() {
            continue; // an empty text without a file is nothing to keep
        }
        let file = format!("{name}-{:x}-{}-{}.txt", state.session.run, id.0, open.document.version());
        unsaved.push(Unsaved { path: open.path.clone(), text: file.clone() });
        texts.push((file, open.document.text().clone()));
        ids.push(id);
    }
    let mut panes = Vec::new();
    let root = layout.tiles.root.and_then(|root| node(root, state, layout, &ids, &mut panes));
    let active = layout.active_id().and_then(|active| panes.iter().position(|&pane| pane == active)).unwrap_or(0);
    let saved = Saved {
        folder: state.workspace.root().map(Path::to_owned),
        root,
        active,
        files_shown: state.shell.side == Side::Files,
        side_hidden: !state.shell.side_shown,
        side_width: Some(state.shell.side_width),
        chat_shown: state.shell.chat_shown,
        chat_width: Some(state.shell.chat_width),
        window: state.shell.window.map(|size| (size.x, size.y)),
        unsaved,
        drafts: state.chats.drafts(),
        conversation: state.chats.shown(),
    };
    (saved, texts)
}

fn node(tile: TileId, state: &State, layout: &Layout, unsaved: &[DocumentId], panes: &mut Vec<TileId>) -> Option<Node> {
    match layout.tiles.tiles.get(tile)? {
        Tile::Container(Container::Tabs(tabs)) => {
            let (mut children, mut active) = (Vec::new(), 0);
            for &child in &tabs.children {
                let Some(made) = node(child, state, layout, unsaved, panes) else { continue };
                if tabs.active == Some(child) {
                    active = children.len();
                }
                children.push(made);
            }
            (!children.is_empty()).then_some(Node::Tabs { active, children })
        }
        Tile::Container(Container::Linear(line)) => {
            let (mut children, mut shares) = (Vec::new(), Vec::new());
            for &child in &line.children {
                let Some(made) = node(child, state, layout, unsaved, panes) else { continue };
                shares.push(line.shares[child]);
                children.push(made);
            }
            let down = line.dir == LinearDir::Vertical;
            (!children.is_empty()).then_some(Node::Split { down, shares, children })
        }
        Tile::Container(Container::Grid(_)) => None,
        Tile::Pane(pane) => {
            let made = pane_node(pane, state, unsaved)?;
            panes.push(tile);
            Some(made)
        }
    }
}

fn pane_node(pane: &Pane, state: &State, unsaved: &[DocumentId]) -> Option<Node> {
    Some(match pane {
        Pane::Editor(pane) => match state.documents.path(pane.document) {
            Some(path) => {
                let place = pane.place(&state.documents);
                Node::File { path: path.to_owned(), at: place.map(|place| (place.line, place.column)) }
            }
            None => Node::Text(unsaved.iter().position(|&id| id == pane.document)?),
        },
        Pane::Review(pane) => {
            let review = state.reviews.get(pane.review)?;
            Node::Review { request: saved_request(&review.request)?, at: Kept::of(pane, &review.page) }
        }
        Pane::Conflicts(_) | Pane::Combined(_) => return None,
        Pane::Terminal(pane) => {
            // Tasks ran once; a shell is one wherever it stood.
            let open = state.terminals.get(pane.terminal).filter(|open| open.kind == Kind::Shell)?;
            Node::Terminal { directory: open.directory().map(Path::to_owned), name: open.name.clone() }
        }
        Pane::Problems(_) => Node::Problems,
        Pane::Settings(_) => Node::Settings,
        Pane::Models(_) => Node::Models,
        Pane::Help(_) => Node::Help,
    })
}

/// A request in words; what the command line put together from paths is not kept.
fn saved_request(request: &Request) -> Option<SavedRequest> {
    match request {
        Request::WorkingTree(folder) => Some(SavedRequest::WorkingTree(folder.clone())),
        Request::Revisions { folder, words } => {
            Some(SavedRequest::Revisions { folder: folder.clone(), words: words.clone() })
        }
        // What is not saved comes back by itself.
        Request::Unsaved { .. } => None,
        Request::Found(found) => {
            let folder = found.repo()?.root()?.to_owned();
            saved_source(folder, found.source())
        }
        Request::Source { folder, source } => saved_source(folder.clone(), source),
    }
}

fn saved_source(folder: PathBuf, source: &Source) -> Option<SavedRequest> {
    Some(match source {
        Source::WorkingTree { against: None } => SavedRequest::WorkingTree(folder),
        Source::WorkingTree { against: Some(words) } => SavedRequest::Revisions { folder, words: words.clone() },
        Source::Range { .. } => SavedRequest::Revisions { folder, words: source.to_string() },
        Source::Commit(name) => SavedRequest::Revisions { folder, words: format!("{name}^!") },
        Source::Staged => SavedRequest::Staged(folder),
        Source::Unstaged => SavedRequest::Unstaged(folder),
        _ => return None,
    })
}

fn write_when_changed(state: &mut State, layout: &Layout, ctx: &egui::Context) {
    let now = Instant::now();
    match state.session.due {
        // Looking for changes costs little, but not nothing: once in a while is enough.
        Some(due) if now < due => ctx.request_repaint_after(due - now),
        Some(_) => {
            state.session.due = None;
            store_in_background(state, layout);
        }
        None => {
            let (saved, texts) = capture(state, layout);
            if is_written(state, &saved, &texts) {
                return;
            }
            state.session.due = Some(now + DELAY);
            ctx.request_repaint_after(DELAY);
        }
    }
}

fn is_written(state: &State, saved: &Saved, texts: &[(String, Text)]) -> bool {
    state
        .session
        .written
        .as_ref()
        .is_some_and(|(before, names)| before == saved && names.iter().eq(texts.iter().map(|(name, _)| name)))
}

/// Writes what is open in the background.
pub fn store_in_background(state: &mut State, layout: &Layout) {
    if state.session.is_loading() || state.tool {
        return; // what is not read yet must not be overwritten
    }
    let (saved, texts) = capture(state, layout);
    if is_written(state, &saved, &texts) {
        return;
    }
    state.session.written = Some((saved.clone(), texts.iter().map(|(name, _)| name.clone()).collect()));
    let write = writer(state, saved, texts);
    let task = state.tasks.spawn("keep session", move |_| write());
    state.session.writing.push(task);
}

/// Writes what is open, and waits for it: for the end.
pub fn store(state: &mut State, layout: &Layout) {
    if state.tool || state.session.is_loading() || !state.session.over.is_empty() {
        return;
    }
    let (saved, texts) = capture(state, layout);
    if let Err(error) = writer(state, saved, texts)() {
        tracing::error!("the session is not remembered: {error}");
    }
}

fn writer(
    state: &mut State,
    saved: Saved,
    texts: Vec<(String, Text)>,
) -> impl FnOnce() -> Result<(), String> + Send + 'static {
    let (sessions, order) = (state.paths.sessions(), state.session.order.clone());
    state.session.count += 1;
    let number = state.session.count;
    move || {
        let mut last = order.lock().unwrap_or_else(PoisonError::into_inner);
        if *last > number {
            return Ok(());
        }
        *last = number;
        write(&sessions, &saved, &texts).map_err(|error| format!("{error:#}"))
    }
}

fn write(sessions: &Path, saved: &Saved, texts: &[(String, Text)]) -> anyhow::Result<()> {
    for (name, text) in texts {
        let path = sessions.join(name);
        if !path.exists() {
            store::write(&path, &text.to_string())?;
        }
    }
    let json = serde_json::to_string_pretty(saved)?;
    store::write(&file_of(sessions, saved.folder.as_deref()), &json)?;
    remove_old_texts(sessions, saved)
}

/// Texts of this folder that its session no longer names.
fn remove_old_texts(sessions: &Path, saved: &Saved) -> anyhow::Result<()> {
    let prefix = format!("{}-", name_of(saved.folder.as_deref()));
    for entry in fs::read_dir(sessions)? {
        let name = entry?.file_name();
        let Some(name) = name.to_str() else { continue };
        let ours = name.starts_with(&prefix) && Path::new(name).extension().is_some_and(|extension| extension == "txt");
        if ours && !saved.unsaved.iter().any(|unsaved| unsaved.text == name) {
            fs::remove_file(sessions.join(name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a_session() -> Saved {
        let file = |path: &str| Node::File { path: path.into(), at: Some((3, 7)) };
        Saved {
            folder: Some("/projects/x".into()),
            root: Some(Node::Split {
                down: false,
                shares: vec![2.0, 1.0],
                children: vec![
                    Node::Tabs { active: 1, children: vec![file("/projects/x/a.rs"), Node::Text(0)] },
                    Node::Tabs {
                        active: 0,
                        children: vec![Node::Review {
                            request: SavedRequest::Revisions { folder: "/projects/x".into(), words: "a..b".into() },
                            at: Kept { file: Some("src/lib.rs".into()), line: Some(7), ..Kept::default() },
                        }],
                    },
                ],
            }),
            active: 1,
            files_shown: true,
            side_hidden: false,
            side_width: Some(300.0),
            chat_shown: true,
            chat_width: Some(420.0),
            window: Some((1280.0, 800.0)),
            unsaved: vec![Unsaved {
                path: None,
                text: format!("{}-1-2-3.txt", name_of(Some(Path::new("/projects/x")))),
            }],
            drafts: serde_json::from_str(
                r#"[{"session": "s", "text": "Why?", "attached": [{"file": "a.rs"}, "changes"]}, {"session": null, "text": "x"}]"#,
            )
            .unwrap(),
            conversation: serde_json::from_str(r#"{"session": "s", "title": "What for?"}"#).unwrap(),
        }
    }

    fn texts_of(saved: &Saved, text: &str) -> Vec<(String, Text)> {
        saved.unsaved.iter().map(|unsaved| (unsaved.text.clone(), Text::from(text))).collect()
    }

    #[test]
    fn a_session_comes_back_with_its_texts() {
        let home = tempfile::tempdir().unwrap();
        let saved = a_session();
        write(home.path(), &saved, &texts_of(&saved, "not saved\n")).unwrap();
        let loaded = read(home.path(), Some(Path::new("/projects/x"))).unwrap().unwrap();
        assert_eq!(loaded.saved, saved);
        assert_eq!(loaded.texts, [Some("not saved\n".to_owned())]);
        assert_eq!(window_size(home.path(), Some(Path::new("/projects/x"))), Some((1280.0, 800.0)));
        assert!(read(home.path(), Some(Path::new("/projects/y"))).unwrap().is_none(), "each folder has its own");
    }

    #[test]
    fn texts_go_when_they_are_saved_and_those_of_other_folders_stay() {
        let home = tempfile::tempdir().unwrap();
        let other = home.path().join("no-folder-1-1-1.txt");
        store::write(&other, "other").unwrap();
        let mut saved = a_session();
        let texts = texts_of(&saved, "x");
        write(home.path(), &saved, &texts).unwrap();
        saved.unsaved.clear();
        write(home.path(), &saved, &[]).unwrap();
        assert!(!home.path().join(&texts[0].0).exists());
        assert!(other.exists());
    }

    #[test]
    fn a_damaged_file_is_put_aside_and_said() {
        let home = tempfile::tempdir().unwrap();
        let path = file_of(home.path(), None);
        store::write(&path, "{\"root\": [1,").unwrap();
        let error = read(home.path(), None).err().unwrap();
        assert!(error.contains("damaged") && error.contains("broken.json"), "{error}");
        assert!(!path.exists());
        assert!(read(home.path(), None).unwrap().is_none(), "the next start is a fresh one");
    }

    #[test]
    fn names_do_not_change_between_versions() {
        assert_eq!(name_of(Some(Path::new("/a"))), "07d66707b49cd92d");
        assert_ne!(name_of(Some(Path::new("/a"))), name_of(Some(Path::new("/b"))));
    }
}
