//! The files of the open folder as a tree, in the side panel.
//!
//! - [`lines`]: rows of the tree as lines on screen; [`naming`]: the input for names
//! - [`drag`]: moving by dragging; [`menu`]: what can be done with a file
//!
//! [`FilesView`] is what belongs to the view: what is chosen, what is being named, where it is scrolled to. The files
//! themselves are in [`state::files`](crate::state::files); everything that is to be done is asked for through the sink.
//! Only lines in sight are drawn. The tree follows the active tab: its file is chosen and brought into sight.

pub mod drag;
pub mod lines;
mod menu;
pub mod naming;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use diff::git::Status;
use editor::project::{Row, Tree};
use eframe::egui::{
    Align, Color32, DragAndDrop, Frame, Id, Key, Label, Layout as Flow, Margin, Modifiers, Rect, Response, RichText,
    Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2,
};
use egui_tiles::TileId;

use crate::commands::files::FileAction;
use crate::commands::keymap::Keymap;
use crate::commands::{Action, Command, Sink};
use crate::panes::review::tree::color;
use crate::panes::{Layout, Pane};
use crate::state::State;
use crate::state::files::{Files, Operation};
use crate::theme::{Theme, icons, look, radius, space};
use crate::widgets::{
    Button, Dropdown, EmptyState, ErrorState, IconButton, MenuItem, TreeRow, list_keys, menu_separator, skeleton_rows,
};
use drag::{Dragged, Forbidden};
use lines::{Line, Naming};
use menu::About;
use naming::{Input, Typed};

/// How long a folder is hovered with something dragged until it opens.
const OPENS_AFTER: Duration = Duration::from_millis(600);
/// How far from its edge the list scrolls while something is dragged there, and how fast, in points a frame.
const EDGE: f32 = 24.0;
const NUDGE: f32 = 6.0;

/// What of the tree is shown, and how.
#[derive(Default)]
pub struct FilesView {
    /// The chosen file or folder, relative to the open folder.
    chosen: Option<PathBuf>,
    input: Option<Input>,
    lines: Vec<Line>,
    /// What `lines` was made from.
    made_of: Option<(u64, bool, Option<Naming>, bool)>,
    /// The line of `chosen`.
    at: Option<usize>,
    /// Brought into sight as soon as its line is there.
    reveal: Option<PathBuf>,
    /// The active tab's file that was followed last.
    followed: Option<PathBuf>,
    take_focus: bool,
    /// Something that is to be removed, and why the user is asked.
    question: Option<(Operation, String)>,
    /// The closed folder under what is dragged, and since when.
    hovered: Option<(PathBuf, Instant)>,
    /// How far the list scrolls by itself while something is dragged.
    nudge: f32,
}

impl FilesView {
    /// The chosen file or folder, relative to the open folder.
    pub fn chosen(&self) -> Option<&Path> {
        self.chosen.as_deref()
    }

    /// Chooses something and brings it into sight once its line is there.
    pub fn choose(&mut self, path: PathBuf) {
        self.reveal = Some(path.clone());
        self.chosen = Some(path);
        self.made_of = None;
    }

    /// Gives the tree the keyboard.
    pub fn take_focus(&mut self) {
        self.take_focus = true;
    }

    /// Begins to name something new in a folder, relative to the open folder.
    pub fn name_new(&mut self, folder: PathBuf, is_folder: bool) {
        self.input = Some(Input::new(folder, is_folder));
    }

    /// Begins to rename.
    pub fn rename(&mut self, path: PathBuf) {
        self.input = Some(Input::rename(path));
    }

    /// The name that is being typed.
    pub fn input_mut(&mut self) -> Option<&mut Input> {
        self.input.as_mut()
    }

    /// Ends naming; the tree has the keyboard again.
    pub fn end_naming(&mut self) {
        self.input = None;
        self.take_focus = true;
    }

    /// Ends naming; what was made gets the keyboard.
    pub fn leave_naming(&mut self) {
        self.input = None;
    }

    /// Asks whether `operation` shall be done; `why` says what is about to happen.
    pub fn ask(&mut self, operation: Operation, why: String) {
        self.question = Some((operation, why));
    }

    /// Another folder was opened.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    fn renew(&mut self, files: &Files, tree: &Tree) {
        let wrong = self.input.as_ref().is_some_and(|input| input.error.is_some());
        let naming = self.input.as_ref().map(|input| input.naming.clone());
        let made_of = Some((files.version(), files.compact, naming, wrong));
        if self.made_of == made_of {
            return;
        }
        let naming = self.input.as_ref().map(|input| &input.naming);
        self.lines = lines::lines(tree.rows(), files.compact, naming, wrong);
        self.made_of = made_of;
        self.find_chosen(tree.rows());
    }

    /// The line of what is chosen; of a joined folder, that of the whole.
    fn find_chosen(&mut self, rows: &[Row]) {
        let Some(chosen) = &self.chosen else {
            self.at = None;
            return;
        };
        self.at = self.lines.iter().position(|line| match line {
            Line::Entry { row, top, .. } => rows[*top..=*row].iter().any(|row| row.path == *chosen),
            Line::Input { row: Some(row), .. } => rows[*row].path == *chosen,
            _ => false,
        });
    }

    /// The active tab shows another file: it is chosen and brought into sight.
    fn follow(&mut self, root: &Path, active: Option<&Path>, sink: &mut Sink) {
        if self.followed.as_deref() == active {
            return;
        }
        self.followed = active.map(Path::to_owned);
        if let Some(path) = active.and_then(|active| active.strip_prefix(root).ok())
            && self.input.is_none()
        {
            self.choose(path.to_owned());
            sink.push(Action::Files(FileAction::Reveal(path.to_owned())));
        }
    }
}

/// The buttons of the panel's title, from the right.
pub fn buttons(ui: &mut Ui, state: &State, sink: &mut Sink) {
    let Some(tree) = state.files.tree() else { return };
    let key = |command| state.keymap.key_of(command).unwrap_or_default().to_owned();
    ui.spacing_mut().item_spacing.x = 0.0;
    let more = Dropdown::of(Button::new("").quiet().icon(icons::DOTS).name("Options of the tree"));
    more.menu_width(220.0).show(ui, |ui| {
        let ignored = MenuItem::new("Show ignored files").chosen(tree.shows_ignored()).key(key(Command::FilesIgnored));
        if ui.add(ignored).clicked() {
            sink.push(Command::FilesIgnored);
        }
        let compact = MenuItem::new("Join single folders").chosen(state.files.compact);
        if ui.add(compact.key(key(Command::FilesCompact))).clicked() {
            sink.push(Command::FilesCompact);
        }
        menu_separator(ui);
        for (command, label) in [(Command::FilesCollapse, "Collapse all"), (Command::FilesRefresh, "Read again")] {
            if ui.add(MenuItem::new(label).chosen(false).key(key(command))).clicked() {
                sink.push(command);
            }
        }
    });
    for (command, icon, name) in [
        (Command::FilesNewFolder, icons::FOLDER_PLUS, "New folder"),
        (Command::FilesNewFile, icons::FILE_PLUS, "New file"),
    ] {
        if ui.add(IconButton::new(icon, name).key(key(command))).clicked() {
            sink.push(command);
        }
    }
}

/// Draws the tree, or what there is instead, into the whole of `ui`.
pub fn draw(ui: &mut Ui, state: &mut State, layout: &Layout, sink: &mut Sink) {
    let Some(tree) = state.files.tree() else {
        draw_no_folder(ui, state, sink);
        return;
    };
    let active = match layout.active() {
        Some(Pane::Editor(pane)) => state.documents.path(pane.document),
        _ => None,
    };
    let mut view = std::mem::take(&mut state.files_view);
    view.follow(tree.root(), active, sink);
    view.draw_question(ui, sink);
    let root = Path::new("");
    view.renew(&state.files, tree);
    if let Some(error) = tree.error_of(root) {
        let again = Button::new("Try again");
        if ErrorState::new("This folder cannot be read", error).action(again).show(ui) {
            sink.push(Command::FilesRefresh);
        }
    } else if !tree.is_read(root) && view.lines.is_empty() {
        skeleton_rows(ui, state.files.opened, 12, space::ROW);
    } else if view.lines.is_empty() {
        let detail = if tree.shows_ignored() {
            "Make the first file here."
        } else {
            "All there is in it is ignored by git, or it is empty."
        };
        let action = Button::new("New file");
        if EmptyState::new(icons::FOLDER, "Nothing to show").detail(detail).action(action).show(ui) {
            sink.push(Command::FilesNewFile);
        }
    } else {
        List { files: &state.files, tree, keymap: &state.keymap, theme: state.theme, active: layout.active_id() }
            .draw(ui, &mut view, sink);
    }
    state.files_view = view;
}

/// What is shown while no folder is open: one to open, and those that were open lately.
fn draw_no_folder(ui: &mut Ui, state: &State, sink: &mut Sink) {
    const RECENT: usize = 6;
    let recent: Vec<&PathBuf> = state.recent.folders().iter().take(RECENT).collect();
    let key = state.keymap.key_of(Command::OpenFolder).unwrap_or_default().to_owned();
    let action = Button::new(Command::OpenFolder.spec().title).primary().key(key);
    let whole = ui.available_rect_before_wrap();
    let below = if recent.is_empty() { 0.0 } else { (recent.len() as f32 + 1.0) * space::ROW + space::L };
    let (upper, lower) = whole.split_top_bottom_at_y((whole.bottom() - below).max(whole.top()));
    let mut top = ui.new_child(eframe::egui::UiBuilder::new().id_salt("no folder").max_rect(upper));
    let nothing = EmptyState::new(icons::FOLDER, "No folder is open").detail("Its files appear here.");
    if nothing.action(action).show(&mut top) {
        sink.push(Command::OpenFolder);
    }
    if recent.is_empty() {
        return;
    }
    let (theme, metrics) = look(ui);
    let mut list = ui.new_child(eframe::egui::UiBuilder::new().id_salt("recent folders").max_rect(lower));
    list.spacing_mut().item_spacing.y = 0.0;
    list.horizontal(|ui| {
        ui.add_space(space::M);
        ui.label(RichText::new("Recent").font(metrics.small()).color(theme.text.muted));
    });
    for folder in recent {
        let id = Id::unique(("recent folder", folder));
        let row = crate::widgets::ListRow::new(id, crate::state::workspace::name_of(folder)).icon(icons::FOLDER);
        let parent = folder.parent().map(crate::state::workspace::shown_folder).unwrap_or_default();
        if row.detail(parent).show(&mut list).clicked() {
            sink.push(Action::OpenFolder(folder.clone()));
        }
    }
}

/// What the list is drawn from.
struct List<'a> {
    files: &'a Files,
    tree: &'a Tree,
    keymap: &'a Keymap,
    theme: &'static Theme,
    /// Where Escape leads back to.
    active: Option<TileId>,
}

/// The focus of the list, and the start of its rows' ids.
pub fn focus_id() -> Id {
    Id::unique("files tree")
}

/// Gives the list the keyboard. One more frame tells egui that arrows are the list's, before the next key moves the focus.
fn focus_list(ui: &Ui) {
    ui.memory_mut(|memory| memory.request_focus(focus_id()));
    ui.ctx().request_repaint();
}

impl List<'_> {
    fn draw(&self, ui: &mut Ui, view: &mut FilesView, sink: &mut Sink) {
        let list = focus_id();
        // egui takes the focus from what is no widget; behind the rows, so that it gets none of their clicks.
        let whole = ui.interact(ui.available_rect_before_wrap(), list, Sense::focusable_noninteractive());
        whole.widget_info(|| WidgetInfo::labeled(Role::Tree, true, "Files of the folder"));
        let height = ui.available_height();
        let top = ui.cursor().top();
        let before = view.at;
        if view.input.is_none() {
            self.keys(ui, view, (height / space::ROW) as usize, sink);
        }
        let mut scroll = ScrollArea::vertical().auto_shrink(false).id_salt("files tree");
        let offset = ui.data(|data| data.get_temp::<f32>(list)).unwrap_or(0.0);
        if let Some(to) = Self::wanted_offset(view, before, offset, height) {
            scroll = scroll.vertical_scroll_offset(to);
        }
        ui.spacing_mut().item_spacing.y = 0.0;
        let focused = ui.memory(|memory| memory.has_focus(list));
        let mut typed = Typed::Nothing;
        let output = scroll.show_rows(ui, space::ROW, view.lines.len(), |ui, range| {
            for n in range {
                match view.lines[n].clone() {
                    Line::Entry { row, top, depth } => self.entry(ui, view, (n, row, top), depth, focused, sink),
                    Line::Error { row, depth } => {
                        let error = self.tree.rows()[row].error.as_deref().unwrap_or_default();
                        Self::message(ui, depth, error);
                    }
                    Line::Input { row, depth } => {
                        let row = row.map(|row| &self.tree.rows()[row]);
                        if let Some(input) = &mut view.input {
                            typed = input.show(ui, left_of(depth), row);
                        }
                    }
                    Line::InputError { depth } => {
                        let error = view.input.as_ref().and_then(|input| input.error.as_deref());
                        Self::message(ui, depth, error.unwrap_or_default());
                    }
                }
            }
        });
        let offset = output.state.clamped_offset().y;
        ui.data_mut(|data| data.insert_temp(list, offset));
        if std::mem::take(&mut view.take_focus) {
            focus_list(ui);
        }
        self.take_typed(view, &typed, sink);

        let shown = output.inner_rect;
        let end = (top + view.lines.len() as f32 * space::ROW - offset).clamp(shown.top(), shown.bottom());
        let ground = Rect::from_min_max(pos2(shown.left(), end), shown.max);
        if ground.height() > 0.0 {
            let ground = ui.interact(ground, list.with("ground"), Sense::click());
            if ground.clicked() || ground.secondary_clicked() {
                view.chosen = None;
                view.at = None;
                focus_list(ui);
            }
            menu::show(ui, &ground, About::Root, self.keymap, sink);
        }
        self.dragging(ui, view, shown, offset, sink);
    }

    /// Keys of the list: up and down choose, right and left open and close, Enter opens.
    fn keys(&self, ui: &mut Ui, view: &mut FilesView, page: usize, sink: &mut Sink) {
        let list = focus_id();
        if let Some(to) = list_keys(ui, list, view.at, view.lines.len(), page) {
            self.choose_line(view, to);
        }
        if !ui.memory(|memory| memory.has_focus(list)) {
            return;
        }
        let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
        let (left, right) = (pressed(Key::ArrowLeft), pressed(Key::ArrowRight));
        let (enter, space) = (pressed(Key::Enter), pressed(Key::Space));
        if let Some(tile) = self.active.filter(|_| pressed(Key::Escape)) {
            sink.push(Action::Activate(tile));
        }
        let Some(at) = view.at else { return };
        let Line::Entry { row, top, .. } = view.lines[at] else { return };
        let entry = &self.tree.rows()[row];
        if enter || space {
            self.open(view, row, top, sink);
        } else if right && entry.is_folder {
            if entry.is_open {
                self.choose_line(view, (at + 1).min(view.lines.len() - 1));
            } else {
                self.toggle(row, top, sink);
            }
        } else if left && entry.is_open {
            self.toggle(row, top, sink);
        } else if left {
            let depth = |line: &Line| match line {
                Line::Entry { depth, .. } => Some(*depth),
                _ => None,
            };
            let own = depth(&view.lines[at]);
            let parent = view.lines[..at].iter().rposition(|line| depth(line) < own && depth(line).is_some());
            if let Some(parent) = parent {
                self.choose_line(view, parent);
            }
        }
    }

    fn choose_line(&self, view: &mut FilesView, at: usize) {
        if let Line::Entry { row, .. } = view.lines[at] {
            view.chosen = Some(self.tree.rows()[row].path.clone());
        }
        view.at = Some(at);
    }

    /// Where the list has to be scrolled so that what was chosen now, or is to be revealed, is in sight.
    fn wanted_offset(view: &mut FilesView, before: Option<usize>, offset: f32, height: f32) -> Option<f32> {
        let nudge = std::mem::take(&mut view.nudge);
        if nudge != 0.0 {
            return Some((offset + nudge).max(0.0));
        }
        // Its folders may still be listed; it stays wanted until its line is there or another is chosen.
        let revealed = view.reveal.is_some() && view.reveal == view.chosen && view.at.is_some();
        if revealed || view.reveal != view.chosen {
            view.reveal = None;
        }
        let naming = view.lines.iter().position(|line| matches!(line, Line::Input { .. }));
        let to = naming.or(view.at.filter(|_| revealed || view.at != before))?;
        let top = to as f32 * space::ROW;
        if top < offset || top + space::ROW > offset + height {
            // A key goes on by a line; a jump shows what is around.
            let near = top + space::ROW > offset - space::ROW && top < offset + height + space::ROW;
            let to = match (near, top < offset) {
                (true, true) => top,
                (true, false) => top + space::ROW - height,
                (false, _) => top - height / 2.0,
            };
            return Some(to.max(0.0));
        }
        None
    }

    fn entry(
        &self,
        ui: &mut Ui,
        view: &mut FilesView,
        (n, row, top): (usize, usize, usize),
        depth: u16,
        focused: bool,
        sink: &mut Sink,
    ) {
        let entry = &self.tree.rows()[row];
        let label = lines::label(self.tree.rows(), row, top);
        let mut line = TreeRow::new(focus_id().with(&entry.path), label.as_str()).depth(depth);
        line = match (entry.is_folder, entry.is_open) {
            (true, open) => line.expanded(open).icon(if open { icons::FOLDER_OPEN } else { icons::FOLDER }),
            (false, _) => line.icon(icons::for_path(&label)),
        };
        if entry.is_link {
            line = line.detail("link");
        }
        if let Some(status) = self.files.marks().of(entry).filter(|_| !entry.ignored) {
            let color = color_of(status, self.theme);
            line = line.tint(color);
            // A folder is marked by its colour and a dot: its letter would claim what is true of one file.
            line = line.mark(if entry.is_folder { '•' } else { status.letter() }, color);
            line = line.meaning(if entry.is_folder { "has changes" } else { status.name() });
        }
        let chosen = view.at == Some(n);
        let shown = line.muted(entry.ignored).selected(chosen).active(focused && chosen).show(ui);
        let response = shown.row;
        if shown.toggled || (response.clicked() && entry.is_folder) {
            self.choose_line(view, n);
            self.toggle(row, top, sink);
            focus_list(ui);
        } else if response.clicked() {
            self.choose_line(view, n);
            let path = self.tree.root().join(&entry.path);
            view.followed = Some(path.clone());
            if ui.input(|input| input.modifiers.command) {
                sink.push(Action::Files(FileAction::OpenToSide(path)));
            } else {
                sink.push(Action::OpenFile { path, at: None });
            }
        }
        if response.secondary_clicked() {
            self.choose_line(view, n);
            focus_list(ui);
        }
        Self::start_drag(&response, entry);
        let about = if entry.is_folder { About::Folder } else { About::File };
        menu::show(ui, &response, about, self.keymap, sink);
    }

    fn open(&self, view: &mut FilesView, row: usize, top: usize, sink: &mut Sink) {
        let entry = &self.tree.rows()[row];
        if entry.is_folder {
            self.toggle(row, top, sink);
            return;
        }
        let path = self.tree.root().join(&entry.path);
        view.followed = Some(path.clone());
        sink.push(Action::OpenFile { path, at: None });
    }

    /// Opens a folder, or closes it with those it is joined with.
    fn toggle(&self, row: usize, top: usize, sink: &mut Sink) {
        let (row, top) = (&self.tree.rows()[row], &self.tree.rows()[top]);
        let folder = if row.is_open { top.path.clone() } else { row.path.clone() };
        sink.push(Action::Files(FileAction::SetOpen { folder, open: !row.is_open }));
    }

    /// A line of text in the tree that says what is wrong.
    fn message(ui: &mut Ui, depth: u16, message: &str) {
        let (theme, metrics) = look(ui);
        let (_, rect) = ui.allocate_space(vec2(ui.available_width(), space::ROW));
        let left = rect.left() + left_of(depth);
        let color = theme.signal.danger;
        icons::DANGER.paint_sized(ui.painter(), pos2(left + 8.0, rect.center().y), 14.0, color);
        let room = rect.right() - space::XS - left - 20.0;
        let line = crate::widgets::text::line(ui, message, metrics.small(), color, room);
        ui.painter().galley(pos2(left + 20.0, rect.center().y - line.size().y / 2.0), line, color);
        let said = ui.interact(rect, ui.scope_id().with(("message", depth, message)), Sense::hover());
        said.widget_info(|| WidgetInfo::labeled(Role::Alert, true, message));
        said.on_hover_text(message);
    }

    fn take_typed(&self, view: &mut FilesView, typed: &Typed, sink: &mut Sink) {
        let Some(input) = &mut view.input else { return };
        match typed {
            Typed::Nothing => {}
            Typed::Changed => input.validate(self.tree),
            Typed::Entered => {
                input.sent = true;
                sink.push(Action::Files(FileAction::Do(input.operation(self.tree.root()))));
            }
            Typed::Cancelled => view.end_naming(),
        }
    }

    fn start_drag(response: &Response, entry: &Row) {
        if response.drag_started_by(eframe::egui::PointerButton::Primary) {
            let dragged = Dragged { path: entry.path.clone(), is_folder: entry.is_folder };
            DragAndDrop::set_payload(&response.ctx, dragged);
        }
    }

    /// Shows where what is dragged would go, and puts it there.
    fn dragging(&self, ui: &Ui, view: &mut FilesView, shown: Rect, offset: f32, sink: &mut Sink) {
        let Some(dragged) = DragAndDrop::payload::<Dragged>(ui.ctx()) else {
            view.hovered = None;
            return;
        };
        let Some(pointer) = ui.input(|input| input.pointer.interact_pos()) else { return };
        if !shown.contains(pointer) {
            view.hovered = None;
            drag::draw_ghost(ui, &dragged, None);
            return;
        }
        let at = ((pointer.y - shown.top() + offset) / space::ROW) as usize;
        let (folder, closed) = self.folder_at(&view.lines, at);
        let taken = |path: &Path| self.tree.rows().iter().any(|row| row.path == path);
        let allowed = drag::may_move(&dragged.path, &folder, taken);
        if allowed.is_ok() {
            drag::mark_target(ui, self.rect_of(&view.lines, &folder, shown, offset));
        }
        let root = || self.tree.root().file_name().map(|name| name.to_string_lossy().into_owned());
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).or_else(root);
        let hint: Result<String, Forbidden> = allowed.map(|()| name.unwrap_or_default());
        drag::draw_ghost(ui, &dragged, Some(hint));
        if ui.input(|input| input.pointer.any_released()) {
            DragAndDrop::clear_payload(ui.ctx());
            if allowed.is_ok() {
                let root = self.tree.root();
                let (path, folder) = (root.join(&dragged.path), naming::join(root, &folder));
                sink.push(Action::Files(FileAction::Do(Operation::Move { path, folder })));
            }
            return;
        }
        Self::open_hovered(ui, view, closed.then_some(folder), sink);
        // Near an edge the list goes on by itself.
        view.nudge = match () {
            () if pointer.y < shown.top() + EDGE => -NUDGE,
            () if pointer.y > shown.bottom() - EDGE => NUDGE,
            () => 0.0,
        };
        if view.nudge != 0.0 {
            ui.ctx().request_repaint();
        }
    }

    /// The folder that a line stands for or is in, and whether it is a closed one.
    fn folder_at(&self, lines: &[Line], at: usize) -> (PathBuf, bool) {
        let rows = self.tree.rows();
        match lines.get(at) {
            Some(Line::Entry { row, .. }) if rows[*row].is_folder => (rows[*row].path.clone(), !rows[*row].is_open),
            Some(Line::Entry { row, .. } | Line::Error { row, .. } | Line::Input { row: Some(row), .. }) => {
                (rows[*row].path.parent().unwrap_or(Path::new("")).to_owned(), false)
            }
            _ => (PathBuf::new(), false),
        }
    }

    /// Where a folder and what it shows are in sight; the root is all of the list.
    fn rect_of(&self, lines: &[Line], folder: &Path, shown: Rect, offset: f32) -> Rect {
        let rows = self.tree.rows();
        if folder.as_os_str().is_empty() {
            return shown;
        }
        let of = |line: &Line| match line {
            Line::Entry { row, .. } | Line::Error { row, .. } => rows[*row].path.starts_with(folder),
            _ => false,
        };
        let first = lines.iter().position(of).unwrap_or(0);
        let count = lines[first..].iter().take_while(|line| of(line)).count();
        let top = shown.top() + first as f32 * space::ROW - offset;
        let rect = Rect::from_min_size(pos2(shown.left(), top), vec2(shown.width(), count as f32 * space::ROW));
        rect.intersect(shown)
    }

    fn open_hovered(ui: &Ui, view: &mut FilesView, closed: Option<PathBuf>, sink: &mut Sink) {
        let Some(folder) = closed else {
            view.hovered = None;
            return;
        };
        match &view.hovered {
            Some((hovered, since)) if *hovered == folder => {
                let left = OPENS_AFTER.saturating_sub(since.elapsed());
                if left.is_zero() {
                    view.hovered = None;
                    sink.push(Action::Files(FileAction::SetOpen { folder, open: true }));
                } else {
                    ui.ctx().request_repaint_after(left);
                }
            }
            _ => {
                view.hovered = Some((folder, Instant::now()));
                ui.ctx().request_repaint_after(OPENS_AFTER);
            }
        }
    }
}

impl FilesView {
    /// A question about removing something, in the tree and not in a dialog.
    fn draw_question(&mut self, ui: &mut Ui, sink: &mut Sink) {
        let Some((operation, why)) = &self.question else { return };
        let (theme, _) = look(ui);
        let mut answer = None;
        let frame = Frame::new()
            .fill(theme.signal.warning_soft)
            .corner_radius(radius::CONTROL)
            .inner_margin(Margin::same(8))
            .outer_margin(Margin::symmetric(8, 4));
        let shown = frame.show(ui, |ui| {
            ui.set_min_width(ui.available_width());
            ui.add(Label::new(RichText::new(why).color(theme.text.normal)).wrap());
            ui.add_space(space::XS);
            ui.with_layout(Flow::left_to_right(Align::Center), |ui| {
                ui.spacing_mut().item_spacing.x = space::S;
                let label =
                    if matches!(operation, Operation::Trash { .. }) { "Move to trash" } else { "Delete for good" };
                if ui.add(Button::new(label).danger()).clicked() {
                    answer = Some(true);
                }
                if ui.add(Button::new("Cancel").key("Escape")).clicked() {
                    answer = Some(false);
                }
            });
        });
        shown.response.widget_info(|| WidgetInfo::labeled(Role::AlertDialog, true, why));
        if ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
            answer = Some(false);
        }
        if let Some(yes) = answer
            && let Some((operation, _)) = self.question.take()
        {
            self.take_focus = true;
            if yes {
                sink.push(Action::Files(FileAction::Do(operation)));
            }
        }
    }
}

/// Where a line's icon starts, behind indent and caret.
fn left_of(depth: u16) -> f32 {
    TreeRow::content_left(depth)
}

/// The colour of what git says. Untracked files are new ones: muted, as a review has them, they would look ignored here.
fn color_of(status: Status, theme: &Theme) -> Color32 {
    if status == Status::Untracked { theme.status.added } else { color(status, theme) }
}
