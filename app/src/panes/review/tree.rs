//! The changed files as a tree, in the side panel: status letter, name, counts; folders compact, and foldable.

use std::collections::BTreeSet;
use std::ops::Range;

use diff::git::Status;
use diff::order::ReviewOrder;
use diff::review::FileEntry;
use diff::ticks::Viewed;
use eframe::egui::{Color32, Frame, Id, Margin, Role, Sense, Ui, WidgetInfo};

use super::viewed;
use crate::commands::{Action, Command, Sink};
use crate::state::desk::ReviewDesk;
use crate::state::reviews::{OpenReview, ReviewId, Stage};
use crate::theme::{Theme, icons, space};
use crate::widgets::{
    Button, Dropdown, EmptyState, ICON_ALONE, IconButton, MenuItem, Segmented, TextInput, TreeRow, list_keys,
    skeleton_rows,
};

/// What of the tree is shown.
#[derive(Clone, Debug, Default)]
pub struct ReviewTree {
    filter: String,
    flat: bool,
    /// Folders that somebody opened or closed.
    turned: BTreeSet<String>,
    rows: Vec<Row>,
    /// What `rows` was made from.
    made_of: Option<(ReviewId, u64, String, bool, usize)>,
    chosen: Option<usize>,
    focus_filter: bool,
    /// The comments are shown and not the files.
    comments: bool,
}

#[derive(Clone, Debug)]
enum Row {
    /// `files` are those in it, with what the filter hides between them.
    Folder {
        path: String,
        name: String,
        depth: u16,
        open: bool,
        files: Range<usize>,
    },
    File {
        file: usize,
        name: String,
        depth: u16,
    },
}

impl ReviewTree {
    /// Puts the caret into the filter.
    pub fn focus_filter(&mut self) {
        self.focus_filter = true;
    }

    /// Changes between folders and a flat list.
    pub fn toggle_flat(&mut self) {
        self.flat = !self.flat;
    }

    /// Shows the comments instead of the files.
    pub fn show_comments(&mut self) {
        self.comments = true;
    }

    /// Draws the tree of a review, or its comments; `current` is the file the reader is in.
    #[expect(clippy::too_many_arguments, reason = "the window's parts are borrowed separately")]
    pub fn draw(
        &mut self,
        ui: &mut Ui,
        id: ReviewId,
        review: &mut OpenReview,
        desk: &ReviewDesk,
        current: Option<usize>,
        sink: &mut Sink,
        theme: &Theme,
    ) {
        let comments = review.discussion.placed.len();
        if comments > 0 || self.comments {
            let labels = [format!("Files {}", review.page.files().len()), format!("Comments {comments}")];
            let mut chosen = usize::from(self.comments);
            inset(ui, |ui| Segmented::new(&[(None, &labels[0]), (None, &labels[1])]).show(ui, &mut chosen));
            self.comments = chosen == 1;
            ui.add_space(space::XS);
        }
        if self.comments {
            return super::comment_list::draw(ui, id, review, desk, sink);
        }
        inset(ui, |ui| self.head(ui, review, sink));
        match &review.stage {
            Stage::Listing if review.page.files().is_empty() => {
                skeleton_rows(ui, review.asked, 12, space::ROW);
                return;
            }
            Stage::Failed(error) => {
                EmptyState::new(icons::DANGER, "No changed files").detail(error.clone()).show(ui);
                return;
            }
            _ => {}
        }
        self.make_rows(id, review);
        if self.rows.is_empty() {
            let (sentence, detail) = match self.filter.is_empty() {
                true => ("Nothing differs", "Changes appear here when files are edited."),
                false => ("No changed file matches", "Clear the filter to see them all."),
            };
            EmptyState::new(icons::CHECK, sentence).detail(detail).show(ui);
            return;
        }
        self.list(ui, id, review, current, sink, theme);
    }

    fn head(&mut self, ui: &mut Ui, review: &mut OpenReview, sink: &mut Sink) {
        let before = self.filter.clone();
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = space::XS;
            let width = ui.available_width() - ICON_ALONE - space::ROW - 2.0 * space::XS;
            let input = TextInput::new(&mut self.filter, "Filter changed files")
                .hint("Filter")
                .icon(icons::FILTER)
                .clearable()
                .width(width)
                .show(ui);
            if std::mem::take(&mut self.focus_filter) {
                input.request_focus();
            }
            order(ui, review.order(), sink);
            let (icon, name) = match self.flat {
                true => (icons::TREE_VIEW, "Show folders"),
                false => (icons::LIST, "Show paths"),
            };
            if ui.add(IconButton::new(icon, name)).clicked() {
                sink.push(Command::ToggleTree);
            }
        });
        ui.add_space(space::XS);
        if self.filter != before {
            let wanted = self.filter.to_lowercase();
            review.page.filter(|change| change.path.display().to_lowercase().contains(&wanted));
        }
    }

    fn make_rows(&mut self, id: ReviewId, review: &OpenReview) {
        let key = (id, review.generation, self.filter.clone(), self.flat, self.turned.len());
        if self.made_of.as_ref() == Some(&key) {
            return;
        }
        self.rows.clear();
        let shown = review.page.files().iter().enumerate().filter(|(_, f)| !f.hidden);
        // Folders are those of the order of paths.
        if self.flat || review.order() != ReviewOrder::Path {
            let rows = shown.map(|(file, f)| Row::File { file, name: f.change.path.display().into_owned(), depth: 0 });
            self.rows.extend(rows);
        } else {
            let listed = |(file, entry): (usize, &FileEntry)| Listed {
                file,
                path: entry.change.path.display().into_owned(),
                untracked: entry.change.status == Status::Untracked,
            };
            let files: Vec<_> = shown.map(listed).collect();
            nest_in("", 0, &files, &self.turned, &mut self.rows);
        }
        self.made_of = Some(key);
    }

    fn list(
        &mut self,
        ui: &mut Ui,
        id: ReviewId,
        review: &OpenReview,
        current: Option<usize>,
        sink: &mut Sink,
        theme: &Theme,
    ) {
        let page = &review.page;
        let list = ui.scope_id().with("changed files");
        // egui takes the focus from what is no widget; behind the rows, so that it gets none of their clicks.
        let whole = ui.interact(ui.available_rect_before_wrap(), list, Sense::focusable_noninteractive());
        whole.widget_info(|| WidgetInfo::labeled(Role::Tree, true, "Changed files"));
        let in_sight = (ui.available_height() / space::ROW) as usize;
        let current_row = self.rows.iter().position(|r| matches!(r, Row::File { file, .. } if Some(*file) == current));
        let chosen = self.chosen.or(current_row);
        let moved = list_keys(ui, list, chosen, self.rows.len(), in_sight);
        if let Some(to) = moved {
            self.chosen = Some(to);
            if let Row::File { file, .. } = self.rows[to] {
                sink.push(Action::ShowReviewFile { review: id, file });
            }
        }
        let focused = ui.memory(|m| m.has_focus(list));
        let mut scroll = eframe::egui::ScrollArea::vertical().auto_shrink(false).id_salt("review tree");
        if let Some(to) = moved {
            let (top, view) = (to as f32 * space::ROW, ui.available_height());
            let offset = ui.data(|d| d.get_temp::<f32>(list)).unwrap_or(0.0);
            if top < offset || top + space::ROW > offset + view {
                scroll = scroll.vertical_scroll_offset((top - view / 2.0).max(0.0));
            }
        }
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.spacing_mut().scroll.floating = false; // counts stand where a floating bar would be
        let mut toggled = None;
        let output = scroll.show_rows(ui, space::ROW, self.rows.len(), |ui, range| {
            for n in range {
                let response = match &self.rows[n] {
                    Row::Folder { path, name, depth, open, files } => {
                        let row = TreeRow::new(list.with(path), name.as_str()).depth(*depth).expanded(*open).show(ui);
                        if row.toggled || row.row.clicked() {
                            toggled = Some(path.clone());
                        }
                        viewed::folder_menu(ui, &row.row, id, page, files.clone(), sink);
                        row.row
                    }
                    Row::File { file, name, depth } => {
                        let row = file_row(list, review, *file, name, theme)
                            .comments(review.discussion.count(*file))
                            .depth(*depth)
                            .selected(Some(*file) == current || self.chosen == Some(n))
                            .active(focused && self.chosen == Some(n))
                            .show(ui);
                        if row.ticked {
                            let mark = viewed::toggled(page, *file);
                            sink.push(Action::MarkFiles { review: id, files: vec![*file], mark });
                        }
                        viewed::file_menu(ui, &row.row, id, page, *file, sink);
                        if row.row.clicked() {
                            self.chosen = Some(n);
                            sink.push(Action::ShowReviewFile { review: id, file: *file });
                        }
                        row.row
                    }
                };
                if response.clicked() {
                    ui.memory_mut(|m| m.request_focus(list));
                }
            }
        });
        ui.data_mut(|d| d.insert_temp(list, output.state.clamped_offset().y));
        if let Some(path) = toggled {
            if !self.turned.remove(&path) {
                self.turned.insert(path);
            }
            self.made_of = None;
        }
        if moved.is_none() && !focused {
            self.chosen = None;
        }
    }
}

/// In which order files are read.
fn order(ui: &mut Ui, current: ReviewOrder, sink: &mut Sink) {
    let button = Button::new("").icon(icons::SORT).quiet().name(format!("Order: {}", current.name()));
    Dropdown::of(button).menu_width(220.0).show(ui, |ui| {
        let commands = [Command::OrderByPath, Command::OrderBySize, Command::OrderByDependency];
        for (order, command) in ReviewOrder::ALL.into_iter().zip(commands) {
            if ui.add(MenuItem::new(command.spec().title).chosen(order == current)).clicked() {
                sink.push(command);
            }
        }
    });
}

/// What is no row of a list stands off the edges of the panel.
pub(super) fn inset<R>(ui: &mut Ui, add: impl FnOnce(&mut Ui) -> R) -> R {
    Frame::new().inner_margin(Margin::symmetric(space::S as i8, 0)).show(ui, add).inner
}

fn file_row<'a>(list: Id, review: &OpenReview, file: usize, name: &'a str, theme: &Theme) -> TreeRow<'a> {
    let Some(entry) = review.page.file(file) else { return TreeRow::new(list.with(file), name) };
    let mut row = TreeRow::new(list.with(file), name)
        .letter(entry.change.status.letter(), color(entry.change.status, theme))
        .tick(viewed::state(entry))
        .muted(entry.viewed == Viewed::Yes)
        .meaning(viewed::meaning(entry));
    if let Some(old) = &entry.change.old_path {
        let old = old.display();
        row = row.detail(format!("← {}", old.rsplit('/').next().unwrap_or(&old)));
    }
    if let Some(counts) = entry.counts.filter(|c| c.added + c.removed > 0) {
        row = row.counts(counts.added as u32, counts.removed as u32);
    }
    if let Some((icon, tint, meaning)) = super::stage::tree_mark(review, entry, theme) {
        row = row.state(icon, tint).meaning(meaning);
    }
    row
}

/// The colour of a status letter.
pub fn color(status: Status, theme: &Theme) -> Color32 {
    match status {
        Status::Added => theme.status.added,
        Status::Deleted => theme.status.removed,
        Status::Renamed | Status::Copied => theme.status.renamed,
        Status::Untracked => theme.status.untracked,
        Status::Unmerged => theme.status.conflicted,
        _ => theme.status.modified,
    }
}

/// A file that is to have a row.
struct Listed {
    file: usize,
    path: String,
    untracked: bool,
}

/// A folder of more files than these, all of them new to git, is closed at first: what a build or a download left.
const BULK: usize = 100;

/// Files as rows under their folders; a folder that holds nothing but one folder is joined with it.
fn nest_in(prefix: &str, depth: u16, files: &[Listed], turned: &BTreeSet<String>, rows: &mut Vec<Row>) {
    let mut at = 0;
    while at < files.len() {
        let rest = &files[at].path[prefix.len()..];
        let Some(slash) = rest.find('/') else {
            rows.push(Row::File { file: files[at].file, name: rest.to_owned(), depth });
            at += 1;
            continue;
        };
        let folder = &files[at].path[..=(prefix.len() + slash)];
        let count = files[at..].iter().take_while(|listed| listed.path.starts_with(folder)).count();
        let inside = &files[at..at + count];
        let path = joined(folder, inside);
        let name = path[prefix.len()..path.len() - 1].to_owned();
        let is_bulk = inside.len() > BULK && inside.iter().all(|listed| listed.untracked);
        let open = is_bulk == turned.contains(&path);
        let files = inside.first().map_or(0, |first| first.file)..inside.last().map_or(0, |last| last.file + 1);
        rows.push(Row::Folder { path: path.clone(), name, depth, open, files });
        if open {
            nest_in(&path, depth + 1, inside, turned, rows);
        }
        at += count;
    }
}

/// The deepest folder that all of `files` are in.
fn joined(folder: &str, files: &[Listed]) -> String {
    let (Some(Listed { path: first, .. }), Some(Listed { path: last, .. })) = (files.first(), files.last()) else {
        return folder.to_owned();
    };
    // Paths are sorted: what the first and the last share, all share.
    let shared = first.bytes().zip(last.bytes()).take_while(|(a, b)| a == b).count();
    let end = first.as_bytes()[..shared].iter().rposition(|&b| b == b'/').map_or(folder.len(), |n| n + 1);
    let end = if files.len() == 1 { first.rfind('/').map_or(folder.len(), |n| n + 1) } else { end };
    first[..end.max(folder.len())].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(paths: &[&str], turned: &[&str], untracked: bool) -> Vec<String> {
        let listed = |(file, path): (usize, &&str)| Listed { file, path: (*path).to_owned(), untracked };
        let files: Vec<_> = paths.iter().enumerate().map(listed).collect();
        let turned = turned.iter().map(|p| (*p).to_owned()).collect();
        let mut rows = Vec::new();
        nest_in("", 0, &files, &turned, &mut rows);
        rows.iter()
            .map(|row| match row {
                Row::Folder { name, depth, .. } => format!("{}{name}/", "  ".repeat(usize::from(*depth))),
                Row::File { name, depth, .. } => format!("{}{name}", "  ".repeat(usize::from(*depth))),
            })
            .collect()
    }

    #[test]
    fn folders_with_one_folder_in_them_are_joined() {
        let rows = shown(&["a/b/c/x.rs", "a/b/c/y.rs", "a/z.rs", "top.rs"], &[], false);
        assert_eq!(rows, ["a/", "  b/c/", "    x.rs", "    y.rs", "  z.rs", "top.rs"]);
    }

    #[test]
    fn a_closed_folder_hides_its_files() {
        assert_eq!(shown(&["a/x.rs", "b/y.rs"], &["a/"], true), ["a/", "b/", "  y.rs"]);
    }

    #[test]
    fn a_folder_of_very_many_new_files_is_closed_until_it_is_opened() {
        let paths: Vec<String> = (0..=BULK).map(|n| format!("made/{n:03}.o")).chain(["src/a.rs".to_owned()]).collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        assert_eq!(shown(&paths, &[], true), ["made/", "src/", "  a.rs"]);
        assert_eq!(shown(&paths, &["made/"], true).len(), BULK + 4, "opened");
        assert_eq!(shown(&paths, &[], false).len(), BULK + 4, "what git knows is shown");
    }
}
