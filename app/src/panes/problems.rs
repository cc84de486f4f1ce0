//! What language servers say is wrong, file by file; a press goes there.
//!
//! The list draws only rows in sight. Errors, warnings and infos are shown or not; hints stay in the code.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use editor::lsp::Severity;
use eframe::egui::{
    Align, Key, Layout as Flow, Modifiers, Rect, Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};
use egui_tiles::TileId;

use super::focus_id;
use crate::code_view::problems::{card, color, icon};
use crate::commands::{Action, Command, Place, Sink};
use crate::state::State;
use crate::state::servers::Condition;
use crate::state::servers::problems::{Counts, Problem};
use crate::state::servers::told::counted;
use crate::state::settings::LanguageServers;
use crate::theme::{icons, look, radius, space};
use crate::widgets::{Button, EmptyState, IconButton, Notice, NoticeResponse, Tick, Tone, TreeRow, list_keys, text};

/// Height of the bar above the list.
const BAR: f32 = 36.0;
/// Room for the button of a row.
const FIX: f32 = 36.0;

/// Bytes of a message that a row shows in any case.
const SHORT: usize = 80;

/// A view of the problems.
#[derive(Clone, Debug, Default)]
pub struct ProblemsPane {
    /// Kinds that are not shown.
    hidden: BTreeSet<Severity>,
    folded: BTreeSet<PathBuf>,
    chosen: Option<usize>,
    /// Rows scrolled by a key.
    follow: bool,
}

enum Row<'a> {
    File(&'a Path, Counts),
    Problem(&'a Path, &'a Problem),
}

/// Draws the list into the whole of `ui`.
pub fn draw(ui: &mut Ui, tile: TileId, pane: &mut ProblemsPane, state: &mut State, sink: &mut Sink) {
    crate::shell::hold_focus(ui, tile);
    let rect = ui.max_rect();
    ui.painter().rect_filled(rect, 0.0, state.theme.surface.base);
    let (bar, mut body) = rect.split_top_bottom_at_y(rect.top() + BAR);
    draw_bar(ui, bar, pane, state, sink);
    if let Some(Condition::Stopped { server, why }) = state.servers.condition() {
        let (line, rest) = body.split_top_bottom_at_y(body.top() + BAR);
        let mut line = ui.new_child(UiBuilder::new().id_salt("stopped").max_rect(line.shrink(space::XS)));
        let notice = Notice::new(Tone::Warning, format!("{server} stopped: {why}")).action("Restart");
        if let NoticeResponse::Action(_) = notice.show(&mut line) {
            sink.push(Command::RestartServers);
        }
        body = rest;
    }
    let rows = rows(pane, state);
    let mut inner = ui.new_child(UiBuilder::new().id_salt("list").max_rect(body));
    if rows.is_empty() {
        return draw_empty(&mut inner, state, sink);
    }
    draw_list(&mut inner, tile, pane, state, &rows, sink);
}

/// The rows of what is shown.
fn rows<'a>(pane: &ProblemsPane, state: &'a State) -> Vec<Row<'a>> {
    let mut rows = Vec::new();
    for (path, problems) in state.servers.problems.files() {
        let shown =
            || problems.iter().filter(|problem| !problem.is_hint() && !pane.hidden.contains(&problem.severity()));
        let counts = Counts::of(shown());
        if counts.all() == 0 {
            continue;
        }
        rows.push(Row::File(path, counts));
        if !pane.folded.contains(path) {
            rows.extend(shown().map(|problem| Row::Problem(path, problem)));
        }
    }
    rows
}

fn draw_bar(ui: &mut Ui, rect: Rect, pane: &mut ProblemsPane, state: &State, sink: &mut Sink) {
    let theme = state.theme;
    ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, eframe::egui::Stroke::new(1.0, theme.border.line));
    let inner = rect.shrink2(vec2(space::S, 0.0));
    let layout = Flow::left_to_right(Align::Center);
    let mut bar = ui.new_child(UiBuilder::new().id_salt("bar").max_rect(inner).layout(layout));
    bar.spacing_mut().item_spacing.x = space::XS;
    let counts = state.servers.problems.counts();
    let kinds = [
        (Severity::Error, counts.errors, "error"),
        (Severity::Warning, counts.warnings, "warning"),
        (Severity::Information, counts.infos, "info"),
    ];
    for (severity, count, name) in kinds {
        let mut is_shown = !pane.hidden.contains(&severity);
        let label = if count == 1 { format!("1 {name}") } else { format!("{count} {name}s") };
        if bar.add(Tick::new(&mut is_shown, label)).changed() {
            if is_shown {
                pane.hidden.remove(&severity);
            } else {
                pane.hidden.insert(severity);
            }
        }
        bar.add_space(space::S);
    }
    bar.with_layout(Flow::right_to_left(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = space::XS;
        if ui.add(IconButton::new(icons::REFRESH, Command::RestartServers.spec().title)).clicked() {
            sink.push(Command::RestartServers);
        }
        let running = state.servers.is_any();
        if running && ui.add(IconButton::new(icons::STOP, Command::StopServers.spec().title)).clicked() {
            sink.push(Command::StopServers);
        }
        let (theme, metrics) = look(ui);
        let said = match state.servers.condition() {
            Some(Condition::Busy(said)) => said,
            _ if running => state.servers.names().join(", "),
            _ => String::new(),
        };
        if !said.is_empty() {
            let line = text::line(ui, &said, metrics.small(), theme.text.muted, ui.available_width() - space::S);
            let (at, response) = ui.allocate_exact_size(line.size() + vec2(space::S, 0.0), Sense::hover());
            response.widget_info(|| WidgetInfo::labeled(Role::Status, true, &said));
            ui.painter().galley(at.min, line, theme.text.muted);
        }
    });
}

/// Why the list is empty, and what can be done about it.
fn draw_empty(ui: &mut Ui, state: &State, sink: &mut Sink) {
    let servers = &state.servers;
    let condition = servers.condition();
    let (icon, sentence, detail, command) = if state.workspace.root().is_none() {
        let detail = "Language servers check the files of an open folder.".to_owned();
        (icons::PROBLEMS, "No folder is open", detail, Some(Command::OpenFolder))
    } else if state.settings.language_servers == LanguageServers::Never {
        let detail = "The settings say so; nothing is checked.".to_owned();
        (icons::PROBLEMS, "Language servers are off", detail, Some(Command::Settings))
    } else if servers.is_halted() {
        (icons::STOP, "Language servers are stopped", String::new(), Some(Command::RestartServers))
    } else if servers.problems.counts().all() > 0 {
        (icons::FILTER, "Nothing of this kind", "Other kinds are hidden above.".to_owned(), None)
    } else if !servers.is_any() {
        let detail = "Open a file: where a server can check it, its editor asks whether it may.".to_owned();
        (icons::PROBLEMS, "Nothing is checked yet", detail, None)
    } else {
        match condition {
            Some(Condition::Busy(said)) => (icons::HOURGLASS, "No problems so far", said, None),
            // Why stands above.
            Some(Condition::Stopped { .. }) => (icons::PROBLEMS, "Nothing is checked now", String::new(), None),
            None => {
                let detail = format!("{} found nothing wrong.", servers.names().join(" and "));
                (icons::SUCCESS, "No problems", detail, None)
            }
        }
    };
    let mut show = EmptyState::new(icon, sentence).detail(detail);
    if let Some(command) = command {
        show = show.action(Button::new(command.spec().title));
    }
    let pressed = show.show(ui);
    if let Some(command) = command.filter(|_| pressed) {
        sink.push(command);
    }
}

fn draw_list(ui: &mut Ui, tile: TileId, pane: &mut ProblemsPane, state: &State, rows: &[Row<'_>], sink: &mut Sink) {
    let list = focus_id(tile);
    let whole = ui.interact(ui.max_rect(), list, Sense::focusable_noninteractive());
    whole.widget_info(|| WidgetInfo::labeled(Role::Tree, true, "Problems"));
    pane.chosen = pane.chosen.map(|chosen| chosen.min(rows.len() - 1));
    let in_sight = (ui.available_height() / space::ROW) as usize;
    if let Some(to) = list_keys(ui, list, pane.chosen, rows.len(), in_sight) {
        (pane.chosen, pane.follow) = (Some(to), true);
    }
    let focused = ui.memory(|memory| memory.has_focus(list));
    if focused && let Some(row) = pane.chosen.map(|chosen| &rows[chosen]) {
        keys(ui, &mut pane.folded, row, sink);
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut scroll = ScrollArea::vertical().auto_shrink(false).id_salt("problem list");
    if let Some(chosen) = pane.chosen.filter(|_| std::mem::take(&mut pane.follow)) {
        scroll = scroll.vertical_scroll_offset((chosen as f32 * space::ROW - ui.available_height() / 2.0).max(0.0));
    }
    let mut pressed = None;
    scroll.show_rows(ui, space::ROW, rows.len(), |ui, range| {
        for n in range {
            let chosen = pane.chosen == Some(n);
            let done = match &rows[n] {
                Row::File(path, counts) => file_row(ui, list, state, path, *counts, pane, chosen, focused),
                Row::Problem(path, problem) => problem_row(ui, list, n, path, problem, chosen, focused, sink),
            };
            if done {
                pressed = Some(n);
            }
        }
    });
    let Some(n) = pressed else { return };
    pane.chosen = Some(n);
    ui.memory_mut(|memory| memory.request_focus(list));
    match &rows[n] {
        Row::File(path, _) => fold(&mut pane.folded, path),
        Row::Problem(path, problem) => sink.push(show_action(path, problem)),
    }
}

fn fold(folded: &mut BTreeSet<PathBuf>, path: &Path) {
    if !folded.remove(path) {
        folded.insert(path.to_owned());
    }
}

/// Enter opens, Left and Right fold.
fn keys(ui: &Ui, folded: &mut BTreeSet<PathBuf>, row: &Row<'_>, sink: &mut Sink) {
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    match row {
        Row::File(path, _) => {
            if pressed(Key::Enter) {
                fold(folded, path);
            } else if pressed(Key::ArrowLeft) {
                folded.insert((*path).to_owned());
            } else if pressed(Key::ArrowRight) {
                folded.remove(*path);
            }
        }
        Row::Problem(path, problem) => {
            if pressed(Key::Enter) {
                sink.push(show_action(path, problem));
            }
        }
    }
}

fn show_action(path: &Path, problem: &Problem) -> Action {
    let place = Place { line: problem.line + 1, column: problem.column + 1 };
    Action::ShowProblem { path: path.to_owned(), at: problem.range.start, place }
}

#[expect(clippy::too_many_arguments, reason = "a row's parts are borrowed separately")]
fn file_row(
    ui: &mut Ui,
    list: eframe::egui::Id,
    state: &State,
    path: &Path,
    counts: Counts,
    pane: &mut ProblemsPane,
    chosen: bool,
    focused: bool,
) -> bool {
    let shown = state.workspace.display(path);
    let row = TreeRow::new(list.with(path), shown.as_str())
        .icon(icons::for_path(&shown))
        .expanded(!pane.folded.contains(path))
        .note(counted(counts))
        .selected(chosen)
        .active(focused && chosen)
        .show(ui);
    row.toggled || row.row.clicked()
}

#[expect(clippy::too_many_arguments, reason = "a row's parts are borrowed separately")]
fn problem_row(
    ui: &mut Ui,
    list: eframe::egui::Id,
    n: usize,
    path: &Path,
    problem: &Problem,
    chosen: bool,
    focused: bool,
    sink: &mut Sink,
) -> bool {
    let (theme, _) = look(ui);
    let severity = problem.severity();
    // The button lies over the row: a press on it is none on the row.
    let place = Rect::from_min_size(ui.cursor().min, vec2(ui.available_width(), space::ROW));
    let is_under = ui.rect_contains_pointer(place);
    let note = format!("{}:{}", problem.line + 1, problem.column + 1);
    let row = TreeRow::new(list.with(("problem", n)), problem.first_line())
        .prose()
        .depth(1)
        .icon(icon(severity))
        .icon_color(color(severity, theme))
        .detail(problem.source())
        .note(note)
        .meaning(crate::state::servers::problems::name(severity))
        .room(if is_under || chosen { FIX } else { 0.0 })
        .selected(chosen)
        .active(focused && chosen)
        .show(ui)
        .row;
    let clicked = row.clicked();
    if is_under || chosen {
        let at = Rect::from_min_max(pos2(row.rect.right() - FIX, row.rect.top()), row.rect.max - vec2(space::S, 0.0));
        let layout = Flow::right_to_left(Align::Center);
        let mut buttons = ui.new_child(UiBuilder::new().id_salt(row.id.with("fix")).max_rect(at).layout(layout));
        if is_under {
            buttons.painter().rect_filled(at, radius::CONTROL, theme.surface.hover);
        }
        if buttons.add(IconButton::new(icons::ROBOT, "Fix with agent").small()).clicked() {
            sink.push(Action::FixProblems { path: path.to_owned(), problems: vec![problem.clone()] });
        }
    }
    // What does not fit into a row is told whole.
    if problem.said.message.len() > SHORT {
        row.on_hover_ui(|ui| card(ui, path, &[problem], sink));
    }
    clicked
}
