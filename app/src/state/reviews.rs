//! Open reviews: what is compared, the page, the threads that load it, and the documents that are its new side.
//!
//! A review is *listing* until its changed files are known, then *open*. Every frame takes in what the loader found
//! and follows the edits of documents; drawing says which files are in view, which the loader then does first.
//! Refreshing lists again and keeps what did not change, so the reader's place stays.

mod discussing;
pub mod discussion;
mod listing;
mod naming;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use diff::checkpoint::Checkpoint;
use diff::comments::Pins;
use diff::engine::{Cancelled, Options, Script, Whitespace};
use diff::git::{Blob, BlobSource, FileChange, Repo, RepoPath, Side};
use diff::lines::Content;
use diff::moves::{self, Moves};
use diff::order::ReviewOrder;
use diff::plan::Layout;
use diff::review::{FileEntry, Loader, LoaderOptions, Prints, Review, Since};
use diff::source::{Comparison, Source, SourceError};
use diff::store::{Identity, SheetId};
use editor::text::Text;
use eframe::egui::Context;
use egui_tiles::TileId;
use rustc_hash::FxHashMap;

use super::chats::rounds::Span;
use super::documents::{DocumentId, Documents};
use super::pictures::{Pictures, Sight};
use super::stages::Stages;
use crate::tasks::{Poll, Task, Tasks};
use discussion::Discussion;
use listing::{Listing, Renames};

/// Names an open review for as long as the window lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReviewId(pub u64);

/// A file of a review, by its place on the page.
pub type FileIndex = usize;

/// What is asked to be compared. Looking it up in a repository is work for a task.
#[derive(Clone)]
pub enum Request {
    /// Understood already, by the command line.
    Found(Comparison),
    /// A file as it is on disk against the document that is open for it.
    Unsaved { path: PathBuf, document: DocumentId },
    /// The working tree that a folder is in, against HEAD.
    WorkingTree(PathBuf),
    /// A source that was picked, in the repository that a folder is in.
    Source { folder: PathBuf, source: Source },
    /// Revisions as people write them, `A..B`, in the repository that a folder is in.
    Revisions { folder: PathBuf, words: String },
}

impl Request {
    fn find(self) -> Result<Comparison, SourceError> {
        match self {
            Self::Found(comparison) => Ok(comparison),
            Self::Unsaved { path, .. } => Comparison::of_paths(&path, &path),
            Self::WorkingTree(folder) => Comparison::parse(&[], &[], &folder),
            Self::Source { folder, source } => Comparison::of_repo(Repo::discover(&folder)?, source, Vec::new()),
            Self::Revisions { folder, words } => {
                let words: Vec<OsString> = words.split_whitespace().map(OsString::from).collect();
                Comparison::parse(&words, &[], &folder)
            }
        }
    }

    /// Two requests with the same name are shown in one tab.
    fn name(&self) -> String {
        match self {
            Self::Found(found) => name_of(found),
            Self::Unsaved { path, .. } => format!("{} unsaved", path.display()),
            Self::WorkingTree(folder) => format!("{} working tree", folder.display()),
            Self::Source { folder, source } => format!("{} {source}", folder.display()),
            Self::Revisions { folder, words } => format!("{} {words}", folder.display()),
        }
    }
}

fn name_of(found: &Comparison) -> String {
    let whose = match found.source() {
        Source::Moments { of, .. } => of.to_string(),
        Source::Since { root, .. } => root.display().to_string(),
        _ => found.repo().map(|repo| repo.git_dir().display().to_string()).unwrap_or_default(),
    };
    format!("{whose} {}", found.source())
}

/// How far a review has come.
pub enum Stage {
    /// The changed files are being listed.
    Listing,
    Open,
    /// Why there is nothing to review.
    Failed(String),
}

/// A document that is the new side of a file, and what of it the page has seen.
struct LiveSide {
    document: DocumentId,
    version: u64,
    text: Text,
    /// A complete comparison under way, and the version it is of.
    full: Option<(u64, Task<Result<Script, Cancelled>>)>,
    /// When its text was last another.
    edited: Instant,
    /// What its ticks hang on: being found out, and the version that this was last done for.
    prints: Option<Task<Prints>>,
    named: Option<u64>,
    /// Where comments on it stand, once that was found out.
    pins: Option<Pins>,
}

impl LiveSide {
    fn new(document: DocumentId, version: u64, text: Text) -> Self {
        Self { document, version, text, full: None, edited: Instant::now(), prints: None, named: None, pins: None }
    }
}

/// Time a frame may spend on taking results in.
const TAKE: Duration = Duration::from_micros(600);

/// Files at the top of the page that are compared before it is drawn for the first time and says what it wants.
const FIRST: usize = 4;

/// One open review.
pub struct OpenReview {
    pub request: Request,
    pub stage: Stage,
    pub page: Review,
    /// What is compared, once it was found.
    pub comparison: Option<Comparison>,
    /// Of a commit, how many parents it has.
    pub parents: usize,
    /// The moments of a conversation that it compares, if it does.
    pub span: Option<Span>,
    /// Grows when files were listed anew: places by file index are void.
    pub generation: u64,
    /// Where the files of the listing before are in this one.
    pub moved: FxHashMap<FileIndex, FileIndex>,
    /// What is said of it, and where that stands.
    pub discussion: Discussion,
    /// What ticks and comments are kept by; none where they are not.
    pub identity: Option<Identity>,
    /// Where they are on the desk, once they are.
    pub sheet: Option<SheetId>,
    /// The pane that decides how lines are wrapped, and the frame in which it last did.
    wraps: Option<(TileId, u64)>,
    /// Where its files and lines stand between HEAD and the working tree.
    pub stages: Stages,
    pictures: Pictures,
    listing: Option<Task<Result<Listing, String>>>,
    renames: Option<Renames>,
    renames_limited: bool,
    order: ReviewOrder,
    loader: Option<Loader>,
    /// Moved blocks are being looked for, as of so many edits.
    moves: Option<(u64, Task<Result<Moves, Cancelled>>)>,
    /// Documents that were followed, each time.
    edits: u64,
    live: FxHashMap<FileIndex, LiveSide>,
    /// Files whose contents are held, least recently seen first.
    held: Vec<FileIndex>,
    keep: usize,
    /// When the request was made, and how long it took to count everything: for the bench and the status bar.
    pub asked: Instant,
    pub complete: Option<Duration>,
}

impl OpenReview {
    fn new(request: Request, layout: Layout, context_lines: u32, tasks: &Tasks) -> Self {
        let mut review = Self {
            request,
            stage: Stage::Listing,
            page: Review::new([], layout, context_lines),
            comparison: None,
            parents: 0,
            span: None,
            generation: 0,
            moved: FxHashMap::default(),
            discussion: Discussion::default(),
            identity: None,
            sheet: None,
            wraps: None,
            stages: Stages::default(),
            pictures: Pictures::default(),
            listing: None,
            renames: None,
            renames_limited: false,
            order: ReviewOrder::default(),
            loader: None,
            moves: None,
            edits: 0,
            live: FxHashMap::default(),
            held: Vec::new(),
            keep: LoaderOptions::default().keep,
            asked: Instant::now(),
            complete: None,
        };
        review.refresh(tasks);
        review
    }

    /// Lists the changed files again.
    pub fn refresh(&mut self, tasks: &Tasks) {
        self.asked = Instant::now();
        self.complete = None;
        self.renames = None;
        self.listing = Some(self.list_again(tasks));
    }

    /// Whether its changes can be accepted and rejected: the old side is nothing that git keeps.
    pub fn can_decide(&self) -> bool {
        self.comparison.as_ref().is_some_and(Comparison::can_accept)
    }

    /// Compares something else from now on, in the same place; what is the same in both stays as it is.
    pub fn compare(&mut self, comparison: Comparison, tasks: &Tasks) {
        self.request = Request::Found(comparison.clone());
        self.comparison = Some(comparison);
        self.refresh(tasks);
    }

    /// Compares with other old sides from now on: some changes were accepted.
    pub fn keep(&mut self, kept: Checkpoint, tasks: &Tasks) {
        self.comparison = self.comparison.take().map(|comparison| comparison.with_kept(kept));
        self.refresh(tasks);
    }

    /// Whether a pane that draws this review in a frame decides how lines are wrapped: only one does.
    pub fn may_wrap(&mut self, tile: TileId, frame: u64) -> bool {
        let mine = self.wraps.is_none_or(|(by, last)| by == tile || last + 1 < frame);
        if mine {
            self.wraps = Some((tile, frame));
        }
        mine
    }

    /// Whether files are being listed.
    pub fn is_listing(&self) -> bool {
        self.listing.is_some()
    }

    /// Whether every file was looked at and nothing waits.
    pub fn is_complete(&self) -> bool {
        !self.is_listing()
            && self.renames.is_none()
            && self.loader.as_ref().is_none_or(Loader::is_complete)
            && self.moves.is_none()
            && !self.pictures.is_busy()
            && !self.is_naming()
    }

    /// The documents that are new sides of its files.
    pub fn documents(&self) -> impl Iterator<Item = DocumentId> {
        self.live.values().map(|live| live.document)
    }

    /// The document that is the new side of a file, if one is.
    pub fn document(&self, file: FileIndex) -> Option<DocumentId> {
        self.live.get(&file).map(|live| live.document)
    }

    /// The version of the text of the document that is the new side of a file.
    pub fn live_version(&self, file: FileIndex) -> Option<u64> {
        self.live.get(&file).map(|live| live.version)
    }

    /// The text of the document that is the new side of a file.
    pub fn live_text(&self, file: FileIndex) -> Option<&Text> {
        self.live.get(&file).map(|live| &live.text)
    }

    /// The file whose new side is this document.
    pub fn file_of(&self, document: DocumentId) -> Option<FileIndex> {
        self.live.iter().find(|(_, live)| live.document == document).map(|(file, _)| *file)
    }

    /// The path on disk of a file's new side, if the new side is the working tree.
    pub fn live_path(&self, file: FileIndex) -> Option<PathBuf> {
        if let Request::Unsaved { path, .. } = &self.request {
            return Some(path.clone());
        }
        let change = &self.page.file(file)?.change;
        let blob = change.new.as_ref().filter(|blob| blob.mode.is_file())?;
        match &blob.source {
            BlobSource::File(path) => Some(path.to_path_buf()),
            BlobSource::WorkTree(_) => self.repo()?.worktree_path(&change.path),
            BlobSource::Object(_) | BlobSource::CheckedOut { .. } | BlobSource::Memory(_) | BlobSource::Excerpt(_) => {
                None
            }
        }
    }

    /// Where a changed file is on disk, whatever is compared.
    pub fn path_on_disk(&self, file: FileIndex) -> Option<PathBuf> {
        let path = &self.page.file(file)?.change.path;
        let in_folder = || Some(self.comparison.as_ref()?.new_root()?.join(path.to_path()));
        self.live_path(file).or_else(in_folder).or_else(|| self.repo()?.worktree_path(path))
    }

    /// The repository that is reviewed, if it is one.
    pub fn repo(&self) -> Option<&Repo> {
        self.comparison.as_ref()?.repo()
    }

    /// Makes a document the new side of a loaded file.
    pub fn attach(&mut self, file: FileIndex, id: DocumentId, documents: &Documents) {
        let Some(open) = documents.get(id) else { return };
        let text = open.document.text().clone();
        self.page.attach(file, &text);
        self.live.insert(file, LiveSide::new(id, open.document.version(), text));
    }

    /// Says which files are needed, most urgent first; what is far away is dropped when memory is short.
    pub fn want(&mut self, files: &[FileIndex]) {
        for &file in files {
            self.page.prepare(file);
        }
        let Some(loader) = &self.loader else { return };
        loader.want(files.iter().copied().filter(|&f| self.page.file(f).is_some_and(FileEntry::needs_loading)));
        self.held.retain(|f| !files.contains(f));
        let mut over = loader.kept().saturating_sub(self.keep);
        while over > 0 && !self.held.is_empty() {
            let file = self.held.remove(0);
            let bytes = self.page.file(file).and_then(|f| f.lines()).map_or(0, diff::review::FileLines::memory);
            self.page.unload(file);
            loader.give_back(bytes);
            over = over.saturating_sub(bytes);
        }
        self.held.extend(files.iter().copied().filter(|&f| self.page.file(f).is_some_and(|e| e.lines().is_some())));
    }

    /// Takes in what the background found and what documents changed. Never waits; says when to look again.
    pub fn take_results(&mut self, documents: &mut Documents, tasks: &Tasks) -> Option<Duration> {
        // In this order, so that a frame shows the first listing before what was moved joins, however soon that is found.
        self.take_renames(tasks);
        self.take_listing(tasks);
        self.take_loaded(tasks);
        if let Request::Unsaved { document, .. } = self.request
            && self.document(0).is_none()
            && self.page.file(0).is_some_and(|file| file.whole_lines().is_some())
        {
            self.attach(0, document, documents);
        }
        self.attach_open(documents);
        self.follow_documents(documents);
        self.take_moves(tasks);
        self.refine(tasks);
        self.stages.take(tasks);
        self.name_hunks(tasks)
    }

    /// Makes documents that are open the new sides of their files: whoever edits one in a tab edits it here.
    fn attach_open(&mut self, documents: &Documents) {
        if matches!(self.request, Request::Unsaved { .. }) {
            return;
        }
        let root = self.repo().map_or_else(|| self.comparison.as_ref()?.new_root(), Repo::root);
        let Some(root) = root.map(Path::to_owned) else { return };
        let is_on_disk =
            |blob: &Blob| blob.is_live() || matches!(blob.source, BlobSource::File(_)) && blob.mode.is_file();
        for (id, path) in documents.paths() {
            let Ok(path) = path.strip_prefix(&root) else { continue };
            let path = RepoPath::from_path(path);
            let Some(file) = self.file_at(&path) else { continue };
            let Some(entry) = self.page.file(file) else { continue };
            let is_live = entry.change.new.as_ref().is_some_and(is_on_disk);
            if is_live
                && is_whole(entry)
                && !entry.is_reading()
                && !entry.needs_loading()
                && !self.live.contains_key(&file)
            {
                self.attach(file, id, documents);
            }
        }
    }

    /// The file at a path on disk.
    pub fn file_on_disk(&self, path: &Path) -> Option<FileIndex> {
        let root = self.repo().map_or_else(|| self.comparison.as_ref()?.new_root(), Repo::root)?;
        self.file_at(&RepoPath::from_path(path.strip_prefix(root).ok()?))
    }

    /// The file at a path.
    fn file_at(&self, path: &RepoPath) -> Option<FileIndex> {
        let files = self.page.files();
        match self.order {
            ReviewOrder::Path => files.binary_search_by(|entry| entry.change.path.cmp(path)).ok(),
            ReviewOrder::Size | ReviewOrder::Dependency => files.iter().position(|entry| entry.change.path == *path),
        }
    }

    /// Where a file was in the listing before.
    pub fn moved_from(&self, now: FileIndex) -> Option<FileIndex> {
        self.moved.iter().find(|(_, to)| **to == now).map(|(from, _)| *from)
    }

    /// Where a file of the listing before is now; of one that is gone, the next that is still there.
    pub fn moved_to(&self, before: FileIndex) -> Option<FileIndex> {
        let now = self.moved.get(&before).copied();
        now.or_else(|| self.moved.iter().filter(|(from, _)| **from > before).min().map(|(_, to)| *to))
    }

    fn take_listing(&mut self, tasks: &Tasks) {
        let Some(task) = &self.listing else { return };
        let listing = match task.poll() {
            Poll::Pending => return,
            Poll::Ready(listing) => listing,
            Poll::Lost => Err("listing the changed files ended unexpectedly; refresh to try again".to_owned()),
        };
        self.listing = None;
        match listing {
            Ok(listing) => self.open(listing, tasks),
            Err(error) => self.stage = Stage::Failed(error),
        }
    }

    fn open(&mut self, listing: Listing, tasks: &Tasks) {
        self.stage = Stage::Open;
        self.comparison = Some(listing.comparison);
        self.identity = listing.identity;
        self.discussion.author = listing.author;
        self.parents = listing.parents;
        let files = self.show(listing.changes, Since::MayHaveChanged, tasks);
        match listing.renames {
            Some(limited) => self.renames_limited = limited,
            None => self.look_for_renames(files, tasks),
        }
    }

    /// Shows these files; what is known of them stays.
    fn show(&mut self, changes: Vec<FileChange>, since: Since, tasks: &Tasks) -> Arc<Vec<FileChange>> {
        let files = Arc::new(changes);
        let fresh = Review::new(files.iter().cloned(), self.page.layout(), self.page.context_lines());
        let previous = std::mem::replace(&mut self.page, fresh);
        let moved = self.page.adopt(previous, since);
        self.live = std::mem::take(&mut self.live)
            .into_iter()
            .filter_map(|(file, live)| Some((*moved.get(&file)?, live)))
            .collect();
        self.pictures.follow(&moved);
        self.moved = moved;
        self.held =
            (0..files.len()).filter(|&file| self.page.file(file).is_some_and(|f| f.lines().is_some())).collect();
        self.generation += 1;
        if let Some(comparison) = &self.comparison {
            self.stages.ask(comparison, &self.moved, tasks);
        }
        self.load(files.clone(), tasks);
        files
    }

    /// Looks for moved blocks among the files as they are now.
    fn find_moves(&mut self, tasks: &Tasks) {
        let traces = self.page.traces(|file| self.live.get(&file).map(|live| &live.text));
        let task = tasks.spawn("find moved blocks", move |cancel| {
            moves::find(traces.iter().map(|(file, traces)| (*file, &**traces)), cancel)
        });
        self.moves = Some((self.edits, task));
    }

    /// Takes in the moved blocks, unless lines moved on meanwhile.
    fn take_moves(&mut self, tasks: &Tasks) {
        let Some((edits, task)) = &self.moves else { return };
        match task.poll() {
            Poll::Pending => return,
            Poll::Ready(_) if *edits != self.edits => return self.find_moves(tasks),
            Poll::Ready(Ok(found)) => self.page.set_moves(found),
            // Without them the review is as right as with them.
            Poll::Ready(Err(Cancelled)) | Poll::Lost => {}
        }
        self.moves = None;
    }

    /// Starts to compare the files of the page.
    fn load(&mut self, files: Arc<Vec<FileChange>>, tasks: &Tasks) {
        let Some(comparison) = self.comparison.clone() else { return };
        self.moves = None; // of files as they were listed before
        let options =
            LoaderOptions { keep_equal: matches!(self.request, Request::Unsaved { .. }), ..self.page.loader_options() };
        let open = move || comparison.reader();
        match Loader::start(files, 0..FIRST, options, open, tasks.waker().as_fn()) {
            Ok(loader) => self.loader = Some(loader),
            Err(error) => self.stage = Stage::Failed(format!("no thread to compare files with: {error}")),
        }
    }

    /// Compares anew, overlooking other white space.
    pub fn set_whitespace(&mut self, whitespace: Whitespace, tasks: &Tasks) {
        if self.page.whitespace() == whitespace {
            return;
        }
        let live = &self.live;
        self.page.set_whitespace(whitespace, |file| live.get(&file).map(|live| &live.text));
        for live in self.live.values_mut() {
            live.full = None; // under way for what was overlooked before
        }
        self.held.clear();
        self.asked = Instant::now();
        self.complete = None;
        let files = self.page.files().iter().map(|entry| entry.change.clone()).collect();
        self.load(Arc::new(files), tasks);
    }

    fn take_loaded(&mut self, tasks: &Tasks) {
        let start = Instant::now();
        while self.take_one() {
            if start.elapsed() > TAKE {
                tasks.waker().wake(); // the rest comes in the next frame
                break;
            }
        }
        let is_counted = self.loader.as_ref().is_some_and(Loader::is_complete) && self.renames.is_none();
        if self.complete.is_none() && is_counted {
            self.complete = Some(self.asked.elapsed());
            self.find_moves(tasks);
        }
    }

    /// Takes in all that waits: the loader will not be asked again.
    fn take_all_loaded(&mut self) {
        while self.take_one() {}
    }

    /// Takes in what was found of a file; false if nothing waits.
    fn take_one(&mut self) -> bool {
        let Some(loaded) = self.loader.as_ref().and_then(Loader::poll) else { return false };
        let file = loaded.file;
        let has_lines = |page: &Review| page.file(file).is_some_and(|f| f.lines().is_some());
        let had_lines = has_lines(&self.page);
        self.page.take(loaded);
        if !had_lines && has_lines(&self.page) {
            self.held.push(file);
        }
        // Compared anew with the disk: what is edited is the new side still.
        let takes_text = self.page.file(file).is_some_and(|entry| is_whole(entry) && !entry.is_reading());
        if let Some(live) = self.live.get(&file).filter(|_| takes_text) {
            self.page.attach(file, &live.text);
        }
        true
    }

    /// The picture that a side of a file is; asked for if it is not there.
    pub fn picture(&mut self, file: FileIndex, side: Side, tasks: &Tasks, ctx: &Context) -> Sight {
        let (Some(entry), Some(comparison)) = (self.page.file(file), &self.comparison) else { return Sight::Loading };
        self.pictures.want((file, side), (&entry.change, entry.renewals()), comparison, tasks, ctx)
    }

    /// Forgets pictures that were not in view for a while.
    pub fn forget_pictures(&mut self, frame: u64) {
        self.pictures.forget_unseen(frame);
    }

    /// Shows what is stored of a file, or what can be read instead: a notebook's cells, a word about what is binary.
    pub fn set_raw(&mut self, file: FileIndex, raw: bool) {
        self.live.remove(&file);
        self.page.set_raw(file, raw);
        if let Some(loader) = &self.loader {
            loader.set_raw(file, raw);
        }
    }

    /// The path of a file's new side, if it can be edited here: what is shown is what is stored there.
    pub fn editable_path(&self, file: FileIndex) -> Option<PathBuf> {
        self.live_path(file).filter(|_| self.page.file(file).is_some_and(|entry| !entry.is_reading()))
    }

    /// Takes edits of documents into the page.
    pub fn follow_documents(&mut self, documents: &Documents) {
        let (page, edits) = (&mut self.page, &mut self.edits);
        self.live.retain(|&file, live| {
            let Some(open) = documents.get(live.document) else {
                // It was closed elsewhere: what is on disk is read again.
                page.detach(file);
                return false;
            };
            let document = &open.document;
            if document.version() == live.version {
                return true;
            }
            *edits += 1;
            match document.changes_since(live.version) {
                Some(changes) => {
                    for change in changes {
                        let after = change.apply(&live.text);
                        page.edit(file, &change, &live.text, &after);
                        if let Some(pins) = &mut live.pins {
                            pins.edit(&change);
                        }
                        live.text = after;
                    }
                }
                None => {
                    live.text = document.text().clone();
                    page.attach(file, &live.text);
                    live.pins = None;
                }
            }
            live.version = document.version();
            live.edited = Instant::now();
            true
        });
    }
}

impl OpenReview {
    /// Compares files anew, in the background, whose edits were too large to follow exactly.
    fn refine(&mut self, tasks: &Tasks) {
        for (&file, live) in &mut self.live {
            if let Some((version, task)) = &live.full {
                let script = match task.poll() {
                    Poll::Pending => continue,
                    Poll::Ready(Ok(script)) if *version == live.version => Some(script),
                    Poll::Ready(_) | Poll::Lost => None,
                };
                live.full = None;
                if let Some(script) = script {
                    self.page.refine(file, &live.text, script);
                }
            }
            let Some(entry) = self.page.file(file).filter(|entry| entry.needs_full()) else { continue };
            let Some(lines) = entry.lines() else { continue };
            let (old, text) = (lines.old.clone(), live.text.clone());
            let options = Options { whitespace: lines.whitespace, ..Options::default() };
            let task = tasks.spawn("compare edited file", move |cancel| {
                let new = Content::new(text.to_string().into_bytes()).map_err(|_| Cancelled)?;
                diff::engine::compare(&old, &new, &options, cancel)
            });
            live.full = Some((live.version, task));
        }
    }
}

/// Whether all lines of a file are there.
fn is_whole(entry: &FileEntry) -> bool {
    entry.whole_lines().is_some()
}

/// All open reviews.
#[derive(Default)]
pub struct Reviews {
    open: BTreeMap<ReviewId, OpenReview>,
    last: u64,
}

impl Reviews {
    /// Starts a review that is no other's, whatever that compares.
    pub fn begin(&mut self, request: Request, layout: Layout, context_lines: u32, tasks: &Tasks) -> ReviewId {
        self.last += 1;
        let id = ReviewId(self.last);
        self.open.insert(id, OpenReview::new(request, layout, context_lines, tasks));
        id
    }

    /// Starts a review, or finds the one that compares the same.
    pub fn open(&mut self, request: Request, layout: Layout, context_lines: u32, tasks: &Tasks) -> ReviewId {
        let name = request.name();
        let is_it = |review: &OpenReview| {
            review.request.name() == name || review.comparison.as_ref().is_some_and(|found| name_of(found) == name)
        };
        if let Some((id, _)) = self.open.iter().find(|(_, review)| is_it(review)) {
            return *id;
        }
        self.begin(request, layout, context_lines, tasks)
    }

    /// A review.
    pub fn get(&self, id: ReviewId) -> Option<&OpenReview> {
        self.open.get(&id)
    }

    /// A review, to change it.
    pub fn get_mut(&mut self, id: ReviewId) -> Option<&mut OpenReview> {
        self.open.get_mut(&id)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (ReviewId, &OpenReview)> {
        self.open.iter().map(|(id, review)| (*id, review))
    }

    /// All of them, to change them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (ReviewId, &mut OpenReview)> {
        self.open.iter_mut().map(|(id, review)| (*id, review))
    }

    /// Ends a review; its threads stop.
    pub fn close(&mut self, id: ReviewId) {
        self.open.remove(&id);
    }
}
