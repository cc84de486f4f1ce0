//! The bar at the top: menu, project, branch; the command field; the bell.

use eframe::egui::{
    Align, Layout as Flow, Rect, RichText, Role, Sense, Stroke, StrokeKind, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};

use super::{key, menu};
use crate::commands::{Action, Command, Sink};
use crate::panes::Layout;
use crate::state::State;
use crate::state::notices::Level;
use crate::state::workspace::{name_of, shown_folder};
use crate::theme::{Icon, icons, look, radius, space};
use crate::widgets::{Button, Dropdown, IconButton, MenuItem, focus_ring, menu_separator, text, tip};

/// Width of the command field where there is room.
const FIELD: f32 = 420.0;
/// Recent folders in the project menu.
const RECENT: usize = 8;

/// Draws the bar.
pub fn draw(ui: &mut Ui, state: &mut State, layout: &Layout, sink: &mut Sink) {
    let bar = ui.max_rect().shrink2(vec2(space::S, 0.0));
    let mut left =
        ui.new_child(UiBuilder::new().id_salt("left").max_rect(bar).layout(Flow::left_to_right(Align::Center)));
    left.spacing_mut().item_spacing.x = space::S;
    menu::draw(&mut left, state, layout, sink);
    let (theme, metrics) = look(ui);
    left.label(RichText::new("recto").font(metrics.medium()).color(theme.text.normal));
    left.add_space(space::XS);
    project(&mut left, state, sink);
    branch(&mut left, state, sink);

    let mut right =
        ui.new_child(UiBuilder::new().id_salt("right").max_rect(bar).layout(Flow::right_to_left(Align::Center)));
    bell(&mut right, state, sink);

    // In the middle of the window, unless what stands left needs the room.
    let (from, to) = (left.min_rect().right() + space::L, right.min_rect().left() - space::L);
    let width = FIELD.min(to - from);
    if width >= 120.0 {
        let x = (bar.center().x - width / 2.0).clamp(from, to - width);
        field(ui, Rect::from_min_size(pos2(x, bar.center().y - 13.0), vec2(width, 26.0)), state, sink);
    }
}

fn project(ui: &mut Ui, state: &State, sink: &mut Sink) {
    let name = state.workspace.name();
    let label = name.clone().unwrap_or_else(|| "Open a folder".to_owned());
    let spoken = name.map_or_else(|| "Project: none".to_owned(), |name| format!("Project: {name}"));
    let button = Button::new(label).icon(icons::FOLDER).max_width(220.0).name(spoken);
    let button = match state.workspace.root() {
        Some(root) => button.tip(shown_folder(root)),
        None => button,
    };
    Dropdown::of(button).menu_width(280.0).show(ui, |ui| {
        for (command, icon) in [(Command::OpenFolder, icons::FOLDER_OPEN), (Command::OpenFile, icons::FILE)] {
            if ui.add(MenuItem::new(command.spec().title).icon(icon).key(key(state, command))).clicked() {
                sink.push(command);
            }
        }
        let current = state.workspace.root();
        let recent: Vec<_> =
            state.recent.folders().iter().filter(|&f| Some(f.as_path()) != current).take(RECENT).collect();
        if recent.is_empty() {
            return;
        }
        menu_separator(ui);
        for folder in recent {
            let item = MenuItem::new(name_of(folder)).icon(icons::HISTORY).key(shown_folder(folder));
            if ui.add(item).clicked() {
                sink.push(Action::OpenFolder(folder.clone()));
            }
        }
    });
}

/// The branch, which is also what there is to review.
fn branch(ui: &mut Ui, state: &State, sink: &mut Sink) {
    let Some(branch) = state.workspace.branch() else { return };
    let button = Button::new(branch).icon(icons::GIT_BRANCH).max_width(220.0).name(format!("Branch: {branch}"));
    Dropdown::of(button).menu_width(240.0).show(ui, |ui| {
        for (command, icon) in [(Command::ReviewWorkingTree, icons::REVIEW), (Command::ReviewRange, icons::GIT_COMMIT)]
        {
            if ui.add(MenuItem::new(command.spec().title).icon(icon).key(key(state, command))).clicked() {
                sink.push(command);
            }
        }
    });
}

/// What looks like an input and opens the palette.
fn field(ui: &mut Ui, rect: Rect, state: &State, sink: &mut Sink) {
    let (theme, metrics) = look(ui);
    let response = ui.interact(rect, ui.scope_id().with("command field"), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, "Go to file or command"));
    let fill = if response.hovered() { theme.surface.hover } else { theme.surface.base };
    let painter = ui.painter();
    painter.rect(rect, radius::CONTROL, fill, Stroke::new(1.0, theme.border.line), StrokeKind::Inside);
    icons::SEARCH.paint_sized(painter, pos2(rect.left() + 16.0, rect.center().y), 14.0, theme.text.muted);
    let key = key(state, Command::QuickOpen);
    let keys = text::line(ui, &key, metrics.small(), theme.text.muted, 120.0);
    let room = rect.width() - 30.0 - keys.size().x - space::L;
    let hint = text::line(ui, "Go to file or command…", metrics.body(), theme.text.muted, room);
    painter.galley(pos2(rect.left() + 30.0, rect.center().y - hint.size().y / 2.0), hint, theme.text.muted);
    let at = pos2(rect.right() - space::S - keys.size().x, rect.center().y - keys.size().y / 2.0);
    painter.galley(at, keys, theme.text.muted);
    focus_ring(painter, theme, &response, rect, radius::CONTROL);
    let clicked = response.clicked();
    tip(response, "Go to file; > lists commands, : goes to a line", Some(&key));
    if clicked {
        sink.push(Command::QuickOpen);
    }
}

fn bell(ui: &mut Ui, state: &State, sink: &mut Sink) {
    let (theme, _) = look(ui);
    let (unseen, gravest) = state.notices.unseen();
    let name = match unseen {
        0 => "Notifications".to_owned(),
        1 => "Notifications, 1 new".to_owned(),
        many => format!("Notifications, {many} new"),
    };
    let bell =
        IconButton::new(icons::BELL, name).key(key(state, Command::Notifications)).selected(state.shell.bell_open);
    let response = ui.add(bell);
    if unseen > 0 {
        let level = gravest.unwrap_or(Level::Info);
        let at = response.rect.center() + vec2(Icon::SIZE / 2.0 - 2.0, 2.0 - Icon::SIZE / 2.0);
        // A rim in the bar's colour keeps the dot apart from the bell.
        ui.painter().circle_filled(at, 5.0, theme.surface.panel);
        ui.painter().circle_filled(at, 3.5, level.tone().color(theme));
    }
    if response.clicked() {
        sink.push(Command::Notifications);
    }
}
