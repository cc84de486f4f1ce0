//! Headers of files, the one that sticks to the top, and the quiet rows between hunks.

use diff::git::{RepoPath, Status};
use diff::plan::RunKind;
use diff::review::{Body, Expand, FileEntry, HEADER_ROWS, PageRow};
use eframe::egui::{self, Align, Layout, Rangef, Rect, Sense, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2};
use egui_tiles::TileId;

use super::geometry::Geometry;
use super::rows::{Painted, side_lines};
use super::{ReviewPane, body, part, stage, viewed};
use crate::commands::{Action, Sink};
use crate::state::documents::Documents;
use crate::state::highlights::Highlights;
use crate::state::reviews::OpenReview;
use crate::tasks::Tasks;
use crate::theme::{Theme, fonts, icons, space};
use crate::widgets::{Badge, Counts, Dropdown, IconButton, MenuItem, Tone, elide_middle, text};

/// Height of a header; what is left of its rows is space above it.
pub const HEIGHT: f32 = 36.0;

/// Width that a file's name keeps, whatever stands beside it.
const NAME: f32 = 120.0;

/// Characters of the path that a file was moved from.
const FROM: usize = 32;

/// What headers and gaps are drawn from.
pub struct Around<'a> {
    pub pane: &'a mut ReviewPane,
    pub review: &'a mut OpenReview,
    pub documents: &'a Documents,
    pub highlights: &'a mut Highlights,
    pub sink: &'a mut Sink,
    pub tasks: &'a Tasks,
    pub theme: &'static Theme,
}

/// Draws everything on the page that is not a line of code.
pub fn draw_all(ui: &mut Ui, tile: TileId, around: &mut Around<'_>, geometry: &Geometry, painted: &[Painted]) {
    let page = geometry.page;
    let sticky_file = around.pane.anchor.file;
    let mut next_header = None;
    let mut noted = None;
    for p in painted {
        if p.at.row == 0 && (p.at.file != sticky_file || p.y > page.top()) {
            next_header = next_header.or(Some(p.y));
            header(ui, tile, around, geometry, p.at.file, below_space(geometry, p.y));
        } else if let Some(row) = p.row {
            if row.kind == RunKind::Gap {
                gap(ui, tile, around, geometry, p, row.hidden);
            }
        } else if p.at.row >= HEADER_ROWS && around.review.page.file(p.at.file).is_some_and(|f| !f.is_ready()) {
            missing_row(ui, geometry, p, around.theme);
        } else if p.below.is_none()
            && p.at.row >= HEADER_ROWS
            && noted != Some(p.at.file)
            && around.review.page.shown(p.at).is_none()
        {
            noted = Some(p.at.file);
            body::draw(ui, tile, around, geometry, p);
        }
    }
    let push = next_header.map_or(0.0, |y| (y - page.top() - HEIGHT).min(0.0));
    if around.review.page.index().height(sticky_file) > 0 {
        // Before it sticks, the header stands below the space that parts it from the file above.
        let natural = painted.first().filter(|p| p.at.row == 0).map_or(page.top(), |p| below_space(geometry, p.y));
        header(ui, tile, around, geometry, sticky_file, natural.max(page.top() + push));
    }
}

/// Where a header begins whose first row is at `y`.
fn below_space(geometry: &Geometry, y: f32) -> f32 {
    y + geometry.row * HEADER_ROWS as f32 - HEIGHT
}

/// A line that is still to come.
fn missing_row(ui: &Ui, geometry: &Geometry, p: &Painted, theme: &Theme) {
    let part = geometry.part(diff::git::Side::New);
    // Lengths that look like code, the same for a row in every frame.
    let columns = 12 + (p.at.row.wrapping_mul(2_654_435_761) >> 26);
    let width = part.text.cells.columns(columns).min(part.text.rect.width());
    let bar = Rect::from_min_size(pos2(part.text.rect.left(), p.y + 6.0), vec2(width, geometry.row - 12.0));
    ui.painter_at(geometry.page).rect_filled(bar, 2.0, theme.surface.panel);
}

fn header(ui: &mut Ui, tile: TileId, around: &mut Around<'_>, geometry: &Geometry, file: usize, y: f32) {
    let theme = around.theme;
    let rect = Rect::from_x_y_ranges(geometry.page.x_range(), Rangef::new(y, y + HEIGHT));
    let Some(entry) = around.review.page.file(file) else { return };
    let painter = ui.painter_at(geometry.page);
    let space = Rect::from_x_y_ranges(rect.x_range(), Rangef::new(y + HEIGHT - geometry.row * HEADER_ROWS as f32, y));
    painter.rect_filled(space, 0.0, theme.surface.base);
    painter.rect_filled(rect, 0.0, theme.surface.panel);
    let edge = Stroke::new(1.0, theme.border.line);
    painter.hline(rect.x_range(), rect.top() + 0.5, edge);
    painter.hline(rect.x_range(), rect.bottom() - 0.5, edge);

    let id = part(tile, "header").with(file);
    let path = entry.change.path.display().into_owned();
    let folded = entry.folded;
    let whole = ui.interact(rect.intersect(geometry.page), id, Sense::click());
    whole.widget_info(|| {
        WidgetInfo::selected(egui::Role::Button, true, !folded, format!("{path}, {}", entry.change.status.name()))
    });
    let mut row = ui.new_child(
        UiBuilder::new()
            .id_salt(id)
            .max_rect(rect.shrink2(vec2(space::S, 0.0)))
            .layout(Layout::left_to_right(Align::Center)),
    );
    row.set_clip_rect(rect.intersect(geometry.page));
    let caret = if folded { icons::CARET_RIGHT } else { icons::CARET_DOWN };
    let name = if folded { "Unfold file" } else { "Fold file" };
    let toggled = row.add(IconButton::new(caret, name).key("x").small()).clicked() || whole.clicked();
    // What can be done comes first; the name has the room that is left, and says least where there is none.
    let rest = row.available_rect_before_wrap();
    let align = Layout::right_to_left(Align::Center);
    let mut actions = row.new_child(UiBuilder::new().id_salt("actions").max_rect(rest).layout(align));
    let live = around.review.live_path(file).is_some();
    menu(&mut actions, around, file, &path, live);
    viewed::tick(&mut actions, around, file, &path, rect.width());
    stage::file_buttons(&mut actions, around.pane, around.review, file, around.sink);
    resolve_button(&mut actions, around, file);
    raw_button(&mut actions, around, file);
    let rest = rest.with_max_x(actions.min_rect().left() - space::S);
    let mut name = row.new_child(UiBuilder::new().id_salt("name").max_rect(rest));
    name.shrink_clip_rect(rest);
    if let Some(entry) = around.review.page.file(file) {
        title(&mut name, entry, around.review.discussion.count(file), theme);
    }
    if toggled && around.review.page.file(file).is_some_and(|entry| entry.folded == folded) {
        let held = around.review.page.hold(around.pane.anchor);
        around.review.page.set_folded(file, !folded);
        around.pane.anchor = match file == around.pane.anchor.file {
            true => diff::review::Anchor { file, row: 0, offset: 0.0 },
            false => around.review.page.resume(held),
        };
    }
}

fn title(ui: &mut Ui, entry: &FileEntry, comments: usize, theme: &Theme) {
    let (_, sizes) = crate::theme::look(ui);
    let path = entry.change.path.display();
    let marks = marks(entry, comments);
    let counts = entry.counts.filter(|counts| counts.added + counts.removed > 0);
    let counts = counts.map(|counts| Counts::new(counts.added as u32, counts.removed as u32));
    let spacing = ui.spacing().item_spacing.x;
    let beside: f32 = marks.iter().map(|(badge, _)| badge.width(ui) + spacing).sum::<f32>()
        + counts.map_or(0.0, |counts| counts.width(ui) + spacing);
    let room = (ui.available_width() - beside).max(NAME);
    let galley = text::path_line(ui, &path, sizes.medium(), theme.text.normal, room);
    let (rect, _) = ui.allocate_exact_size(galley.size(), Sense::hover());
    ui.painter().galley(rect.min, galley, theme.text.normal);
    let (kind, others) = marks.split_at(1);
    let add = |ui: &mut Ui, (badge, why): &(Badge<'_>, Option<String>)| match (ui.add(badge.clone()), why) {
        (response, Some(why)) => response.on_hover_text(why),
        (response, None) => response,
    };
    for mark in kind {
        add(ui, mark);
    }
    if let Some(counts) = counts {
        ui.add(counts);
    }
    for mark in others {
        add(ui, mark);
    }
}

/// What kind of change it is, first; then all that is said of the file as a whole, each with what explains it.
fn marks(entry: &FileEntry, comments: usize) -> Vec<(Badge<'static>, Option<String>)> {
    let mut marks = vec![kind(entry)];
    marks.extend(entry.notes.iter().map(|note| (Badge::new(note.to_string()).tone(Tone::Warning), None)));
    if let Some(generated) = entry.generated {
        marks.push((Badge::new(generated.to_string()), Some(generated.reason().to_owned())));
    }
    if comments > 0 {
        let said = if comments == 1 { "1 comment".to_owned() } else { format!("{comments} comments") };
        marks.push((Badge::new(said).icon(icons::COMMENT), None));
    }
    if entry.changed_since {
        let why = "You viewed this file as it was before. Hunks that are the same are still ticked.";
        marks.push((Badge::new("changed since viewed").tone(Tone::Accent), Some(why.to_owned())));
    }
    if matches!(&entry.body, Body::Lines(lines) if lines.limited) {
        let why = "The time for comparing ran out: the difference is right, but may be larger than needed.";
        marks.push((Badge::new("coarse diff").tone(Tone::Warning), Some(why.to_owned())));
    }
    marks
}

/// What kind of change it is, in words.
fn kind(entry: &FileEntry) -> (Badge<'static>, Option<String>) {
    let change = &entry.change;
    let name = change.status.name();
    let tone = match change.status {
        Status::Added | Status::Untracked => Tone::Success,
        Status::Deleted | Status::Unmerged => Tone::Danger,
        _ => Tone::Neutral,
    };
    let Some(from) = change.old_path.as_ref().map(RepoPath::display) else {
        return (Badge::new(name).tone(tone), None);
    };
    // Where it came from has less room than where it is.
    let short = elide_middle(&from, |text| text.chars().count() <= FROM);
    let percent = change.similarity.map_or_else(String::new, |percent| format!(" {percent} %"));
    (Badge::new(format!("{name} from {short}{percent}")).tone(tone), Some(format!("{name} from {from}")))
}

fn menu(ui: &mut Ui, around: &mut Around<'_>, file: usize, path: &str, live: bool) {
    let more = crate::widgets::Button::new("").icon(icons::DOTS).quiet().name(format!("More for {path}"));
    let whole = around.review.page.file(file).is_some_and(|f| f.context.whole);
    let mut show_whole = None;
    Dropdown::of(more).show(ui, |ui| {
        let on_disk = around.review.path_on_disk(file);
        if let Some(disk) = on_disk.filter(|_| live)
            && ui.add(MenuItem::new("Open in editor").icon(icons::EDIT).key("Alt+Enter")).clicked()
        {
            around.sink.push(Action::OpenFile { path: disk, at: None });
        }
        viewed::menu_items(ui, around, file);
        if ui.add(MenuItem::new("Copy path").icon(icons::COPY)).clicked() {
            around.sink.push(Action::Copy(path.to_owned()));
        }
        if let Some((_, spoken)) = other_reading(around, file)
            && ui.add(MenuItem::new(spoken).icon(icons::FILE_CODE).key("Shift+R")).clicked()
        {
            toggle_raw(around, file);
        }
        let label = if whole { "Show changes only" } else { "Show whole file" };
        if ui.add(MenuItem::new(label).icon(icons::EXPAND_LINES).key("o")).clicked() {
            show_whole = Some(!whole);
        }
    });
    if let Some(whole) = show_whole {
        let held = around.review.page.hold(around.pane.anchor);
        around.review.page.set_whole(file, whole);
        around.pane.anchor = around.review.page.resume(held);
    }
}

/// How else a file that is not shown as it is stored could be, or the other way round: in a word and in a sentence.
fn other_reading(around: &Around<'_>, file: usize) -> Option<(&'static str, &'static str)> {
    let entry = around.review.page.file(file)?;
    let is_notebook = diff::notebook::is_notebook(entry.change.path.as_bytes());
    match (entry.is_raw(), is_notebook) {
        (true, true) => Some(("Cells", "Show the cells of the notebook")),
        (true, false) => Some(("Not as text", "Show as binary again")),
        (false, true) if entry.can_be_raw() => Some(("JSON", "Show the JSON of the notebook")),
        (false, false) if entry.can_be_raw() => Some(("As text", "Show as text all the same")),
        _ => None,
    }
}

/// Shows a notebook as it is stored, or as its cells; what is binary only where somebody is at it already.
fn raw_button(ui: &mut Ui, around: &mut Around<'_>, file: usize) {
    let is_notebook = |entry: &FileEntry| diff::notebook::is_notebook(entry.change.path.as_bytes());
    let in_sight = around.review.page.file(file).is_some_and(|entry| entry.is_raw() || is_notebook(entry));
    let Some((word, spoken)) = other_reading(around, file).filter(|_| in_sight) else { return };
    if ui.add(crate::widgets::Button::new(word).quiet().name(spoken).key("Shift+R")).clicked() {
        toggle_raw(around, file);
    }
}

fn toggle_raw(around: &mut Around<'_>, file: usize) {
    let Some(raw) = around.review.page.file(file).map(FileEntry::is_raw) else { return };
    around.review.set_raw(file, !raw);
}

/// Leads from a file in conflict to where it is resolved.
fn resolve_button(ui: &mut Ui, around: &mut Around<'_>, file: usize) {
    let Some(entry) = around.review.page.file(file).filter(|entry| entry.change.status == Status::Unmerged) else {
        return;
    };
    let path = entry.change.path.clone();
    let Some(root) = around.review.repo().and_then(|repo| repo.root()).map(std::path::Path::to_owned) else { return };
    let button = crate::widgets::Button::new("Resolve").icon(icons::GIT_MERGE).name(format!("Resolve {path}"));
    if ui.add(button).clicked() {
        around.sink.push(Action::OpenConflicts { folder: root, path: Some(path) });
    }
}

/// The row between two hunks: what to expand, and what the lines below are inside of.
fn gap(ui: &mut Ui, tile: TileId, around: &mut Around<'_>, geometry: &Geometry, p: &Painted, hidden: u32) {
    let theme = around.theme;
    let page = geometry.page;
    let rect = Rect::from_x_y_ranges(page.x_range(), Rangef::new(p.y, p.y + geometry.row));
    let painter = ui.painter_at(page);
    painter.rect_filled(rect, 0.0, theme.surface.panel);
    painter.hline(rect.x_range(), rect.top() + 0.5, Stroke::new(1.0, theme.border.line));
    painter.hline(rect.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, theme.border.line));

    let entry = around.review.page.file(p.at.file);
    let body = entry.map_or(0, |entry| entry.plan_row(p.at.row));
    let plan = entry.and_then(FileEntry::plan);
    let (first, last) = plan.map_or((false, false), |plan| (body == 0, body + 1 == plan.rows()));
    let mut x = rect.left() + space::M;
    let mut chosen = None;
    let id = part(tile, "gap").with((p.at.file, body));
    let mut choice = |ui: &Ui, label: &str, spoken: &str, what: Expand| {
        let font = fonts::code(11.5);
        let galley = painter.layout_no_wrap(label.to_owned(), font, theme.text.muted);
        let hit = Rect::from_min_size(pos2(x - 4.0, rect.top()), vec2(galley.size().x + 8.0, rect.height()));
        let response = ui.interact(hit.intersect(page), id.with(spoken), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, spoken));
        let color = if response.hovered() { theme.text.link } else { theme.text.muted };
        let at = pos2(x, rect.center().y - galley.size().y / 2.0);
        x += galley.size().x + space::M;
        painter.galley_with_override_text_color(at, galley, color);
        if response.on_hover_cursor(egui::CursorIcon::PointingHand).clicked() {
            chosen = Some(what);
        }
    };
    let step = hidden.min(20);
    if entry.is_some_and(|entry| !entry.context.can_expand()) {
        let said = if hidden == 1 { "1 line".to_owned() } else { format!("{hidden} lines") };
        let said = format!("{said} that the patch does not tell");
        let galley = text::line(ui, &said, fonts::code(11.5), theme.text.muted, rect.right() - x);
        painter.galley(pos2(x, rect.center().y - galley.size().y / 2.0), galley, theme.text.muted);
        return;
    }
    if hidden > 20 && !last {
        choice(ui, "↑ 20", "Show 20 lines above the hunk", Expand::Up(step));
    }
    choice(ui, &format!("all {hidden} lines"), "Show all hidden lines", Expand::All);
    if hidden > 20 && !first {
        choice(ui, "↓ 20", "Show 20 lines below the hunk", Expand::Down(step));
    }
    let right = viewed::tick_of_group(ui, around, geometry, p, id);
    if let Some(name) = enclosing(around, p, body).filter(|_| !last) {
        let galley = text::line(ui, &name, fonts::code(11.5), theme.text.faint, (right - x - space::L).max(0.0));
        painter.galley(pos2(x + 4.0, rect.center().y - galley.size().y / 2.0), galley, theme.text.faint);
    }
    if let Some(expand) = chosen {
        expand_gap(around, p.at, expand);
    }
}

/// The header of the function or type that the line after a gap is in.
fn enclosing(around: &mut Around<'_>, p: &Painted, body: u32) -> Option<String> {
    let plan = around.review.page.file(p.at.file)?.plan()?;
    let after = plan.row(body + 1)?;
    let (side, line) = match after.new {
        Some(line) => (diff::git::Side::New, line),
        None => (diff::git::Side::Old, after.old?),
    };
    let lines = side_lines(around.review, around.documents, p.at.file, side)?;
    around.highlights.enclosing(lines.as_lines().key(), line).map(|header| header.trim().to_owned())
}

/// Expands so that what is below the pointer stays: lines above a hunk push upwards only if there is room to.
fn expand_gap(around: &mut Around<'_>, at: PageRow, expand: Expand) {
    let held = around.review.page.hold(around.pane.anchor);
    around.review.page.expand(at, expand);
    around.pane.anchor = around.review.page.resume(held);
}
