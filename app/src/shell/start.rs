//! What is shown while no pane is open: what can be done here, and what was worked on lately.

use eframe::egui::{Align, Layout as Flow, Rect, RichText, Ui, UiBuilder, vec2};

use super::key;
use crate::commands::{Action, Command, Sink};
use crate::state::State;
use crate::state::workspace::{name_of, shown_folder};
use crate::theme::{Icon, icons, look, space};
use crate::widgets::ListRow;

/// Width of the lists.
const WIDTH: f32 = 380.0;
/// Recent folders and files that are listed.
const RECENT: usize = 6;

/// Draws the page.
pub fn draw(ui: &mut Ui, state: &State, sink: &mut Sink) {
    let (theme, metrics) = look(ui);
    let space_ = ui.max_rect();
    ui.painter().rect_filled(space_, 0.0, theme.surface.base);
    let recent = recent(state);
    let rows = actions(state).len() + if recent.is_empty() { 0 } else { recent.len() + 2 };
    let height = 64.0 + rows as f32 * space::ROW;
    let width = WIDTH.min(space_.width() - 2.0 * space::L);
    // A little above the middle: that is where the eye expects the middle.
    let center = space_.center() - vec2(0.0, space_.height() * 0.06);
    let rect = Rect::from_center_size(center, vec2(width, height.min(space_.height() - space::L)));
    let mut page = ui.new_child(UiBuilder::new().id_salt("start").max_rect(rect).layout(Flow::top_down(Align::Min)));
    page.set_clip_rect(space_);
    page.spacing_mut().item_spacing.y = 0.0;
    let title = state.workspace.name().unwrap_or_else(|| "recto".to_owned());
    page.label(RichText::new(title).font(metrics.heading()).color(theme.text.normal));
    page.add_space(2.0);
    let line = match state.workspace.root() {
        Some(root) => shown_folder(root),
        None => "Read a change, and edit inside it.".to_owned(),
    };
    page.label(RichText::new(line).color(theme.text.muted));
    page.add_space(space::M);
    for (command, icon) in actions(state) {
        let row =
            ListRow::new(page.scope_id().with(command), command.spec().title).icon(icon).note(key(state, command));
        if row.show(&mut page).clicked() {
            sink.push(command);
        }
    }
    if recent.is_empty() {
        return;
    }
    page.add_space(space::M);
    page.label(RichText::new("Recent").font(metrics.small()).color(theme.text.muted));
    page.add_space(space::XS);
    for (icon, name, detail, action) in recent {
        let row = ListRow::new(page.scope_id().with((&name, &detail)), name).icon(icon).detail(detail);
        if row.show(&mut page).clicked() {
            sink.push(action);
        }
    }
}

fn actions(state: &State) -> Vec<(Command, Icon)> {
    let mut actions = Vec::new();
    if state.workspace.repo().is_some() {
        actions.push((Command::ReviewWorkingTree, icons::REVIEW));
        actions.push((Command::ReviewRange, icons::GIT_COMMIT));
    }
    if state.workspace.root().is_some() {
        actions.push((Command::QuickOpen, icons::SEARCH));
    }
    actions.push((Command::OpenFolder, icons::FOLDER_OPEN));
    actions.push((Command::OpenFile, icons::FILE));
    actions.push((Command::Palette, icons::PROMPT));
    actions
}

/// Folders before one is open; files of the folder afterwards.
fn recent(state: &State) -> Vec<(Icon, String, String, Action)> {
    match state.workspace.root() {
        None => {
            let folders = state.recent.folders().iter().take(RECENT);
            let row = |path: &std::path::PathBuf| {
                (icons::FOLDER, name_of(path), shown_folder(path), Action::OpenFolder(path.clone()))
            };
            folders.map(row).collect()
        }
        Some(root) => {
            let files = state.recent.files().iter().filter(|path| path.starts_with(root)).take(RECENT);
            let row = |path: &std::path::PathBuf| {
                let action = Action::OpenFile { path: path.clone(), at: None };
                (icons::FILE, name_of(path), state.workspace.display(path), action)
            };
            files.map(row).collect()
        }
    }
}
