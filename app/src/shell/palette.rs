//! One input for commands, files and lines: `>` lists commands, `:` goes to a line, anything else is letters of a path.
//!
//! Commands are ranked at once, there are few; paths are searched in a task, and the rows of the last search stay until
//! the next ones are there. What was used lately comes first among what matches equally well.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use diff::git::Repo;
use editor::project::{Hits, PathIndex, PathQuery, Searcher};
use eframe::egui::{Area, Id, Key, Modifiers, Order, RichText, Role, ScrollArea, Ui, WidgetInfo, pos2};
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::pick::{self, Choice, Picking};
use super::{TOP, dialogs, key};
use crate::commands::when::Focus;
use crate::commands::{Action, Command, Group, Place, Sink};
use crate::state::State;
use crate::state::reviews::Request;
use crate::state::workspace::{name_of, shown_folder};
use crate::tasks::{Poll, Task, Tasks};
use crate::theme::{Icon, icons, look, space};
use crate::widgets::{ListRow, TextInput, menu_frame};

/// Width of the card.
const WIDTH: f32 = 600.0;
/// Rows in sight, and rows found at most.
const IN_SIGHT: usize = 14;
const FOUND: usize = 100;
/// Up to this many paths are searched at once, so that the rows come with the key.
const AT_ONCE: usize = 4_000;

/// What the input is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// Files, commands and lines, by the first letter.
    Anything,
    /// Revisions to compare.
    Range,
    /// A task of the project.
    Task,
    /// A path, where there is no dialog for one.
    Path(dialogs::Purpose),
    /// Something of a list.
    Pick,
}

/// The palette; closed most of the time.
#[derive(Default)]
pub struct Palette {
    open: Option<Open>,
    /// Kept between uses: it remembers what it searched.
    searcher: Option<Searcher>,
}

struct Open {
    purpose: Purpose,
    query: String,
    /// The focus that the keyboard had: what commands apply depends on it.
    focus: Focus,
    rows: Vec<Row>,
    chosen: usize,
    /// What the rows are for.
    made_of: Option<(String, usize)>,
    search: Option<Task<Found>>,
    /// What is picked from, while that is the purpose.
    list: Option<List>,
    fresh: bool,
    scroll: bool,
}

/// A list to pick from.
struct List {
    picking: Picking,
    folder: PathBuf,
    loading: Option<Task<Result<Vec<Choice>, String>>>,
    choices: Vec<Choice>,
    error: Option<String>,
}

struct Found {
    searcher: Searcher,
    hits: Hits,
    index: Arc<PathIndex>,
    query: String,
}

/// A row of the list.
#[derive(Clone)]
struct Row {
    icon: Option<Icon>,
    label: String,
    matches: Vec<Range<usize>>,
    detail: String,
    note: String,
    /// What choosing it does; nothing for what is not possible now.
    action: Option<Action>,
    /// The command it is, to remember that it was used.
    command: Option<Command>,
}

impl Palette {
    /// Whether it is open.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Opens it with something typed already: `>`, `:` or nothing.
    pub fn open(&mut self, typed: &str, focus: Focus) {
        self.show(Purpose::Anything, typed, focus);
    }

    /// Opens it to ask for revisions.
    pub fn ask_range(&mut self, focus: Focus) {
        self.show(Purpose::Range, "", focus);
    }

    /// Opens it to choose a task.
    pub fn ask_task(&mut self, focus: Focus) {
        self.show(Purpose::Task, "", focus);
    }

    /// Opens it to ask for a path, with its beginning typed already.
    pub fn ask_path(&mut self, purpose: dialogs::Purpose, typed: &str, focus: Focus) {
        self.show(Purpose::Path(purpose), typed, focus);
    }

    /// Opens it with a list to pick from.
    pub fn ask_pick(&mut self, picking: Picking, repo: &Repo, focus: Focus, tasks: &Tasks) {
        self.show(Purpose::Pick, "", focus);
        let folder = repo.root().unwrap_or_else(|| repo.git_dir()).to_owned();
        let (repo, what) = (repo.clone(), picking.clone());
        let loading = Some(tasks.spawn("list what can be picked", move |cancel| pick::load(&what, &repo, cancel)));
        if let Some(open) = &mut self.open {
            open.list = Some(List { picking, folder, loading, choices: Vec::new(), error: None });
        }
    }

    fn show(&mut self, purpose: Purpose, typed: &str, focus: Focus) {
        self.open = Some(Open {
            purpose,
            query: typed.to_owned(),
            focus,
            rows: Vec::new(),
            chosen: 0,
            made_of: None,
            search: None,
            list: None,
            fresh: true,
            scroll: false,
        });
    }

    /// Closes it.
    pub fn close(&mut self) {
        self.open = None;
    }

    /// Takes what was typed before the input had the keyboard.
    pub fn type_text(&mut self, text: &str) {
        if let Some(open) = &mut self.open {
            open.query.push_str(text);
        }
    }
}

/// Draws the palette while it is open.
pub fn draw(ui: &mut Ui, state: &mut State, sink: &mut Sink) {
    let Some(mut open) = state.shell.palette.open.take() else { return };
    let list = keys(ui, &mut open);
    if list == Pressed::Close {
        return;
    }
    open.make_rows(state);
    let window = ui.max_rect();
    let width = WIDTH.min(window.width() - 2.0 * space::L);
    let at = pos2(window.center().x - width / 2.0, window.top() + TOP + space::S);
    let mut chosen = (list == Pressed::Choose).then_some(open.chosen);
    let area = Area::new(Id::unique("palette")).order(Order::Foreground).fixed_pos(at);
    let shown = area.show(ui.ctx(), |ui| {
        let frame = menu_frame(ui).inner_margin(eframe::egui::Margin::same(6)).show(ui, |ui| {
            ui.set_width(width);
            open.input(ui);
            // Typed just now: the rows are of the frame that the key came with.
            open.make_rows(state);
            if let Some(clicked) = open.list(ui, state) {
                chosen = Some(clicked);
            }
        });
        frame.response.widget_info(|| WidgetInfo::labeled(Role::Window, true, "Command palette"));
    });
    ui.ctx().move_to_top(shown.response.layer_id);
    let outside = ui.input(|input| {
        let pressed = input.pointer.any_pressed().then(|| input.pointer.interact_pos()).flatten();
        pressed.is_some_and(|at| !shown.response.rect.contains(at))
    });
    if let Some(row) = chosen.and_then(|row| open.rows.get(row))
        && let Some(action) = &row.action
    {
        if let Some(command) = row.command {
            state.recent.command(command);
        }
        sink.push(action.clone());
        return;
    }
    if !outside || open.fresh {
        open.fresh = false;
        state.shell.palette.open = Some(open);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pressed {
    Nothing,
    Choose,
    Close,
}

/// Moves the choice by keys; the input has all others.
fn keys(ui: &Ui, open: &mut Open) -> Pressed {
    let last = open.rows.len().saturating_sub(1);
    ui.input_mut(|input| {
        let mut pressed = |key| input.consume_key(Modifiers::NONE, key);
        let before = open.chosen;
        if pressed(Key::Escape) {
            return Pressed::Close;
        }
        if pressed(Key::Enter) {
            return Pressed::Choose;
        }
        if pressed(Key::ArrowDown) {
            open.chosen = if open.chosen >= last { 0 } else { open.chosen + 1 };
        }
        if pressed(Key::ArrowUp) {
            open.chosen = if open.chosen == 0 { last } else { open.chosen - 1 };
        }
        if pressed(Key::PageDown) {
            open.chosen = (open.chosen + IN_SIGHT - 1).min(last);
        }
        if pressed(Key::PageUp) {
            open.chosen = open.chosen.saturating_sub(IN_SIGHT - 1);
        }
        open.scroll |= before != open.chosen;
        Pressed::Nothing
    })
}

impl Open {
    fn input(&mut self, ui: &mut Ui) {
        let asks = self.list.as_ref().map(|list| list.picking.title());
        let (name, hint, icon) = match (self.purpose, self.query.chars().next()) {
            (Purpose::Pick, _) => {
                (asks.as_deref().unwrap_or_default(), asks.as_deref().unwrap_or_default(), icons::SEARCH)
            }
            (Purpose::Range, _) => ("Revisions", "main..HEAD, main...topic, or a commit", icons::GIT_COMMIT),
            (Purpose::Task, _) => ("Task", "Letters of a task", icons::PLAY),
            (Purpose::Path(purpose), _) => (dialogs::title(purpose), "A whole path", icons::FOLDER_OPEN),
            (_, Some('>')) => ("Command", "", icons::PROMPT),
            (_, Some(':')) => ("Line", "", icons::HASH),
            _ => ("Go to file or command", "Letters of a path; > for commands, : for a line", icons::SEARCH),
        };
        let id = Id::unique("palette input");
        let input = TextInput::new(&mut self.query, name).id(id).hint(hint).icon(icon).show(ui);
        if self.fresh || !input.has_focus() {
            input.request_focus();
            put_caret_at_end(ui, id, &self.query);
        }
        // The arrows are the list's, Tab has nowhere to go.
        let filter =
            eframe::egui::EventFilter { tab: true, vertical_arrows: true, horizontal_arrows: true, escape: true };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(id, filter));
    }

    fn list(&mut self, ui: &mut Ui, state: &State) -> Option<usize> {
        let (theme, _) = look(ui);
        ui.add_space(space::XS);
        if self.rows.is_empty() {
            let said = self.nothing(state);
            ui.horizontal(|ui| {
                ui.set_min_height(space::XL + 4.0);
                ui.add_space(space::S);
                ui.label(RichText::new(said).color(theme.text.muted));
            });
            return None;
        }
        let mut clicked = None;
        let height = self.rows.len().min(IN_SIGHT) as f32 * space::ROW;
        ui.spacing_mut().item_spacing.y = 0.0;
        let mut area = ScrollArea::vertical()
            .max_height(height)
            .min_scrolled_height(height)
            .auto_shrink([false, false])
            .id_salt("rows");
        if std::mem::take(&mut self.scroll) {
            let top = self.chosen.saturating_sub(IN_SIGHT / 2).min(self.rows.len().saturating_sub(IN_SIGHT));
            area = area.vertical_scroll_offset(top as f32 * space::ROW);
        }
        area.show_rows(ui, space::ROW, self.rows.len(), |ui, range| {
            for n in range {
                let row = &self.rows[n];
                let id = Id::unique(("palette row", n));
                let mut shown = ListRow::new(id, row.label.as_str())
                    .detail(row.detail.as_str())
                    .note(row.note.as_str())
                    .matches(&row.matches)
                    .muted(row.action.is_none())
                    .selected(n == self.chosen)
                    .active(n == self.chosen);
                if let Some(icon) = row.icon {
                    shown = shown.icon(icon);
                }
                if shown.show(ui).clicked() {
                    clicked = Some(n);
                }
            }
        });
        clicked
    }

    /// What is said instead of rows.
    fn nothing(&self, state: &State) -> String {
        match (self.purpose, self.query.chars().next()) {
            (Purpose::Range, _) => "Type what to compare, then press Enter".to_owned(),
            (Purpose::Task, _) if state.terminals.tasks().is_none() => "Looking…".to_owned(),
            (Purpose::Task, _) if self.query.is_empty() => {
                "Nothing here names tasks: package.json, Cargo.toml, Makefile, justfile, pyproject.toml, .vscode/tasks.json"
                    .to_owned()
            }
            (Purpose::Task, _) => "No task matches".to_owned(),
            (Purpose::Path(_), _) => "Type a whole path, then press Enter".to_owned(),
            (Purpose::Pick, _) => self.list.as_ref().map_or_else(String::new, List::nothing),
            (_, Some('>')) => "No command matches".to_owned(),
            (_, Some(':')) => "Type a line, and a column behind another colon".to_owned(),
            _ if state.workspace.root().is_none() => {
                format!("No folder is open; {} opens one", key(state, Command::OpenFolder))
            }
            _ if state.workspace.is_listing() || self.search.is_some() => "Looking…".to_owned(),
            _ => "No file matches".to_owned(),
        }
    }

    fn make_rows(&mut self, state: &mut State) {
        if self.purpose == Purpose::Range {
            self.rows = range_rows(&self.query, state);
            self.chosen = 0;
            return;
        }
        let query = self.query.clone();
        if self.purpose == Purpose::Task {
            let Some(tasks) = state.terminals.tasks() else { return };
            return self.remake(tasks.tasks.len() + 1, |_| task_rows(&query, tasks));
        }
        if self.purpose == Purpose::Pick {
            self.pick_rows();
        } else if let Purpose::Path(purpose) = self.purpose {
            self.remake(0, |_| typed_path_row(&query, purpose).into_iter().collect());
        } else if let Some(typed) = query.strip_prefix('>') {
            self.remake(0, |focus| command_rows(typed, focus, state));
        } else if let Some(typed) = query.strip_prefix(':') {
            self.remake(0, |focus| line_rows(typed, focus));
        } else if let Some(row) = path_row(&query) {
            self.remake(0, |_| vec![row]);
        } else {
            self.find_files(state);
        }
    }

    /// Makes the rows anew if the query is another one, or what is searched is.
    fn remake(&mut self, generation: usize, make: impl FnOnce(&Focus) -> Vec<Row>) {
        let key = (self.query.clone(), generation);
        if self.made_of.as_ref() == Some(&key) {
            return;
        }
        self.rows = make(&self.focus);
        self.made_of = Some(key);
        self.chosen = 0;
        self.scroll = true;
    }

    fn pick_rows(&mut self) {
        let Some(list) = &mut self.list else { return };
        list.take();
        let rows = list.rows(&self.query);
        // Loaded or not, and how much: the rows change with that and with what is typed.
        let generation = list.choices.len() + usize::from(list.loading.is_none());
        self.remake(generation, |_| rows);
    }

    fn find_files(&mut self, state: &mut State) {
        if let Some(task) = &self.search {
            match task.poll() {
                Poll::Pending => return,
                Poll::Ready(found) => {
                    let rows = file_rows(&found, state.workspace.root());
                    let generation = found.index.len();
                    if found.query == self.query {
                        self.remake(generation, |_| rows);
                    } else {
                        // Typed on meanwhile: these rows stand until the next search is done.
                        self.rows = rows;
                    }
                    state.shell.palette.searcher = Some(found.searcher);
                }
                Poll::Lost => {}
            }
            self.search = None;
        }
        let Some(index) = state.workspace.files(&state.tasks) else {
            self.remake(0, |_| recent_files(state));
            return;
        };
        if self.made_of.as_ref().is_some_and(|(query, generation)| *query == self.query && *generation == index.len()) {
            return;
        }
        let searcher = state.shell.palette.searcher.take().unwrap_or_default();
        let (query, used) = (self.query.clone(), used_files(state));
        let search = move |cancel: &editor::Cancel| search(index, searcher, query, &used, cancel);
        if state.workspace.listed().is_some_and(|(files, _)| files <= AT_ONCE) {
            let found = search(&editor::Cancel::new());
            let (rows, generation) = (file_rows(&found, state.workspace.root()), found.index.len());
            state.shell.palette.searcher = Some(found.searcher);
            self.remake(generation, |_| rows);
        } else {
            self.search = Some(state.tasks.spawn("find files", search));
        }
    }
}

impl List {
    fn take(&mut self) {
        let Some(task) = &self.loading else { return };
        match task.poll() {
            Poll::Pending => return,
            Poll::Ready(Ok(choices)) => self.choices = choices,
            Poll::Ready(Err(error)) => self.error = Some(error),
            Poll::Lost => self.error = Some("Listing ended unexpectedly; try again".to_owned()),
        }
        self.loading = None;
    }

    /// What is said instead of rows.
    fn nothing(&self) -> String {
        match (&self.error, &self.loading) {
            (Some(error), _) => error.clone(),
            (None, Some(_)) => "Looking…".to_owned(),
            (None, None) if self.choices.is_empty() => self.picking.nothing().to_owned(),
            (None, None) => "Nothing matches".to_owned(),
        }
    }

    fn rows(&self, typed: &str) -> Vec<Row> {
        let row = |choice: &Choice, matches| Row {
            icon: Some(choice.icon),
            label: choice.label.clone(),
            matches,
            detail: choice.detail.clone(),
            note: choice.note.clone(),
            action: Some(choice.action.clone()),
            command: None,
        };
        let ranked = pick::rank(typed, &self.choices).into_iter().take(FOUND);
        let mut rows: Vec<Row> = ranked.map(|(n, matches)| row(&self.choices[n], matches)).collect();
        let typed = typed.trim();
        if rows.is_empty() && self.loading.is_none() && !typed.is_empty() {
            rows.extend(self.picking.typed(&self.folder, typed).map(|choice| row(&choice, Vec::new())));
        }
        rows
    }
}

/// Files in use and used lately, relative to the folder.
fn used_files(state: &State) -> Vec<PathBuf> {
    let Some(root) = state.workspace.root() else { return Vec::new() };
    state.recent.files().iter().filter_map(|path| path.strip_prefix(root).ok().map(Path::to_owned)).collect()
}

fn search(
    index: Arc<PathIndex>,
    mut searcher: Searcher,
    query: String,
    used: &[PathBuf],
    cancel: &editor::Cancel,
) -> Found {
    // The list is shared; what is used lately is of this moment.
    let mut marked = index.clone();
    Arc::make_mut(&mut marked).set_used([], used.iter().map(PathBuf::as_path));
    let hits = marked.search(&mut searcher, PathQuery::parse(&query).pattern, FOUND, cancel);
    Found { searcher, hits, index, query }
}

fn file_rows(found: &Found, root: Option<&Path>) -> Vec<Row> {
    let at = place_of(&PathQuery::parse(&found.query));
    let row = |hit: &editor::project::Hit| {
        let text = found.index.text(hit.id);
        let (folder, name) = text.rsplit_once(std::path::is_separator).unwrap_or(("", text));
        let start = text.len() - name.len();
        let positions = hit.positions.iter().filter_map(|at| at.checked_sub(start));
        let path = root.map_or_else(|| found.index.path(hit.id).to_owned(), |root| root.join(found.index.path(hit.id)));
        Row {
            icon: Some(icons::FILE),
            label: name.to_owned(),
            matches: ranges(name, positions),
            detail: folder.to_owned(),
            note: String::new(),
            action: Some(Action::OpenFile { path, at }),
            command: None,
        }
    };
    found.hits.best.iter().map(row).collect()
}

/// Tasks that match, in the order of their manifests.
fn task_rows(query: &str, tasks: &terminal::tasks::Tasks) -> Vec<Row> {
    let wanted = query.trim().to_lowercase();
    let matching = tasks.tasks.iter().filter(|task| {
        let text = format!("{} {}", task.source.name(), task.name).to_lowercase();
        wanted.split_whitespace().all(|word| text.contains(word))
    });
    let row = |task: &terminal::tasks::Task| Row {
        icon: Some(icons::PLAY),
        label: task.name.clone(),
        matches: Vec::new(),
        detail: task.detail.clone(),
        note: task.source.name().to_owned(),
        action: Some(Action::RunTask(Box::new(task.clone()))),
        command: None,
    };
    matching.take(FOUND).map(row).collect()
}

/// Files that were open lately, while no folder is.
fn recent_files(state: &State) -> Vec<Row> {
    if state.workspace.root().is_some() {
        return Vec::new();
    }
    let row = |path: &PathBuf| Row {
        icon: Some(icons::HISTORY),
        label: name_of(path),
        matches: Vec::new(),
        detail: path.parent().map(shown_folder).unwrap_or_default(),
        note: String::new(),
        action: Some(Action::OpenFile { path: path.clone(), at: None }),
        command: None,
    };
    state.recent.files().iter().take(FOUND).map(row).collect()
}

/// What is done with a path that was typed instead of chosen in a dialog.
fn typed_path_row(query: &str, purpose: dialogs::Purpose) -> Option<Row> {
    let path = whole_path(query.trim())?;
    // One look at one path: nothing is overwritten, and nothing is opened as what it is not.
    let (is_folder, exists) = (path.is_dir(), path.exists());
    let (verb, wrong) = match purpose {
        dialogs::Purpose::OpenFile if is_folder => ("Open", "a folder; go on to a file"),
        dialogs::Purpose::OpenFolder if !is_folder => ("Open folder", "not a folder"),
        dialogs::Purpose::OpenFile if !exists => ("Open", "not there"),
        dialogs::Purpose::Save(_) if is_folder => ("Save as", "a folder; go on to a name"),
        dialogs::Purpose::Save(_) if exists => ("Save as", "exists already; choose another name"),
        dialogs::Purpose::OpenFile => ("Open", ""),
        dialogs::Purpose::OpenFolder => ("Open folder", ""),
        dialogs::Purpose::Save(_) => ("Save as", ""),
    };
    Some(Row {
        icon: Some(icons::ARROW_RIGHT),
        label: format!("{verb} {}", path.display()),
        matches: Vec::new(),
        detail: wrong.to_owned(),
        note: String::new(),
        action: wrong.is_empty().then_some(Action::TakePath { purpose, path }),
        command: None,
    })
}

/// A path from the root or the home folder on.
fn whole_path(typed: &str) -> Option<PathBuf> {
    let path = match typed.strip_prefix("~/") {
        Some(below) => etcetera::home_dir().ok()?.join(below),
        None => PathBuf::from(typed),
    };
    path.is_absolute().then_some(path)
}

/// A whole path that was typed: it is opened as it is, inside the folder or not.
fn path_row(query: &str) -> Option<Row> {
    let parsed = PathQuery::parse(query);
    let path = whole_path(parsed.pattern)?;
    Some(Row {
        icon: Some(icons::ARROW_RIGHT),
        label: format!("Open {}", path.display()),
        matches: Vec::new(),
        detail: String::new(),
        note: String::new(),
        action: Some(Action::OpenPath { path, at: place_of(&parsed) }),
        command: None,
    })
}

fn place_of(query: &PathQuery<'_>) -> Option<Place> {
    query.line.map(|line| Place { line: line.max(1), column: query.column.unwrap_or(1).max(1) })
}

fn line_rows(typed: &str, focus: &Focus) -> Vec<Row> {
    let numbers: Vec<Option<u32>> = typed.split(':').map(|part| part.trim().parse().ok()).collect();
    let (Some(line), column) = (numbers.first().copied().flatten(), numbers.get(1).copied().flatten()) else {
        return Vec::new();
    };
    let place = Place { line: line.max(1), column: column.unwrap_or(1).max(1) };
    let possible = Command::GoToLine.spec().when.holds_in(focus.pane, focus.editing);
    let behind = column.map_or_else(String::new, |column| format!(", column {column}"));
    vec![Row {
        icon: Some(icons::HASH),
        label: format!("Go to line {line}{behind}"),
        matches: Vec::new(),
        detail: if possible { String::new() } else { Command::GoToLine.spec().when.requirement().to_owned() },
        note: String::new(),
        action: possible.then_some(Action::GoTo(place)),
        command: None,
    }]
}

fn range_rows(query: &str, state: &State) -> Vec<Row> {
    let words = query.trim();
    let Some(folder) = state.workspace.root().filter(|_| !words.is_empty()) else { return Vec::new() };
    vec![Row {
        icon: Some(icons::REVIEW),
        label: format!("Review {words}"),
        matches: Vec::new(),
        detail: String::new(),
        note: String::new(),
        action: Some(Action::OpenReview(Request::Revisions { folder: folder.to_owned(), words: words.to_owned() })),
        command: None,
    }]
}

fn command_rows(typed: &str, focus: &Focus, state: &State) -> Vec<Row> {
    let recent: Vec<Command> = state.recent.commands().collect();
    rank_commands(typed, &recent)
        .into_iter()
        .map(|(command, matches)| {
            let spec = command.spec();
            let possible = spec.when.holds_in(focus.pane, focus.editing);
            Row {
                icon: None,
                label: spec.title.to_owned(),
                matches,
                detail: if possible { group_title(spec.group).to_owned() } else { spec.when.requirement().to_owned() },
                note: state.keymap.keys_of(command).join("   "),
                action: possible.then_some(Action::Command(command)),
                command: Some(command),
            }
        })
        .collect()
}

/// The commands whose titles match, the best first, with the parts that matched.
fn rank_commands(typed: &str, recent: &[Command]) -> Vec<(Command, Vec<Range<usize>>)> {
    let typed = typed.trim();
    let place = |command: Command| recent.iter().position(|&used| used == command);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let pattern = Pattern::new(typed, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
    let (mut buffer, mut scored) = (Vec::new(), Vec::new());
    for (n, &command) in Command::ALL.iter().enumerate() {
        let mut indices = Vec::new();
        let title = command.spec().title;
        let Some(score) = pattern.indices(Utf32Str::new(title, &mut buffer), &mut matcher, &mut indices) else {
            continue;
        };
        // What was used lately is worth up to two letters, and all there is when nothing is typed.
        let used = place(command).map_or(0, |place| 40_u32.saturating_sub(place as u32 * 2));
        // Moving the caret by palette is rare: those are last where nothing else decides.
        let rare = u32::from(command.spec().group == Group::Caret);
        indices.sort_unstable();
        let offsets = indices.iter().filter_map(|&at| title.char_indices().nth(at as usize).map(|(offset, _)| offset));
        scored.push((score + used, rare, n, command, ranges(title, offsets)));
    }
    scored.sort_by_key(|(score, rare, n, ..)| (std::cmp::Reverse(*score), *rare, *n));
    scored.into_iter().map(|(_, _, _, command, matches)| (command, matches)).collect()
}

/// Byte offsets of characters, joined where they follow each other.
pub(super) fn ranges(text: &str, offsets: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for start in offsets {
        let end = start + text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        match ranges.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => ranges.push(start..end),
        }
    }
    ranges
}

/// What a group is called.
pub fn group_title(group: Group) -> &'static str {
    match group {
        Group::File => "File",
        Group::Edit => "Edit",
        Group::Selection => "Selection",
        Group::Caret => "Caret",
        Group::View => "View",
        Group::Go => "Go",
        Group::Review => "Review",
        Group::Terminal => "Terminal",
        Group::Chat => "Chat",
        Group::Files => "Files",
        Group::Help => "Help",
    }
}

/// Puts the caret of an input behind its text.
fn put_caret_at_end(ui: &Ui, id: Id, text: &str) {
    use eframe::egui::text::{CCursor, CCursorRange};
    let mut state = eframe::egui::TextEdit::load_state(ui.ctx(), id).unwrap_or_default();
    state.cursor.set_char_range(Some(CCursorRange::one(CCursor::new(text.chars().count()))));
    state.store(ui.ctx(), id);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(typed: &str, recent: &[Command]) -> Vec<&'static str> {
        rank_commands(typed, recent).into_iter().map(|(command, _)| command.spec().title).collect()
    }

    #[test]
    fn letters_find_commands_by_their_words() {
        assert_eq!(found("tsp", &[])[0], "Toggle Side Panel");
        assert_eq!(found("split r", &[])[0], "Split Right");
        assert!(found("qqqqq", &[]).is_empty());
    }

    #[test]
    fn nothing_typed_lists_all_with_what_was_used_lately_first() {
        let all = found("", &[Command::ZoomIn, Command::FoldAll]);
        assert_eq!(all[..2], ["Zoom In", "Fold All Files"]);
        assert_eq!(all.len(), Command::ALL.len());
        let last = Command::ALL.iter().find(|command| command.spec().title == all[all.len() - 1]).unwrap();
        assert_eq!(last.spec().group, Group::Caret);
    }

    #[test]
    fn what_was_used_lately_wins_among_what_matches_alike() {
        assert_eq!(found("select all", &[])[0], "Select All");
        assert_eq!(found("next", &[Command::NextFile])[0], "Next File");
    }

    #[test]
    fn the_matched_letters_are_marked() {
        let (_, matches) = rank_commands("split right", &[]).remove(0);
        assert_eq!(matches, [0..5, 6..11]);
    }

    #[test]
    fn a_line_needs_a_number() {
        let focus = Focus { pane: crate::commands::when::PaneKind::Editor, editing: true, ..Focus::default() };
        assert!(line_rows("x", &focus).is_empty());
        assert_eq!(line_rows("12:3", &focus)[0].label, "Go to line 12, column 3");
        assert!(line_rows("12", &Focus::default())[0].action.is_none(), "nothing is open");
    }

    #[test]
    fn a_whole_path_is_opened_as_it_is() {
        assert!(path_row("src/lib.rs").is_none());
        assert_eq!(path_row("/etc/hosts:3").unwrap().label, "Open /etc/hosts");
    }
}
