//! The application menu: every group of the command table, behind one button.

use eframe::egui::containers::menu::{MenuConfig, SubMenuButton};
use eframe::egui::{Popup, PopupCloseBehavior, Ui};

use crate::commands::{Command, Group, Sink};
use crate::panes::Layout;
use crate::state::State;
use crate::theme::{icons, space};
use crate::widgets::{IconButton, MenuItem, menu_frame};

/// The groups that are in the menu; moving the caret is for keys.
const GROUPS: [(Group, &str); 8] = [
    (Group::File, "File"),
    (Group::Edit, "Edit"),
    (Group::Selection, "Selection"),
    (Group::View, "View"),
    (Group::Go, "Go"),
    (Group::Review, "Review"),
    (Group::Terminal, "Terminal"),
    (Group::Help, "Help"),
];

/// Draws the button and, while open, the menu.
pub fn draw(ui: &mut Ui, state: &State, layout: &Layout, sink: &mut Sink) {
    let open = Popup::is_id_open(ui.ctx(), ui.next_auto_id().with("popup"));
    let button = ui.add(IconButton::new(icons::LIST, "Menu").selected(open));
    let behavior = PopupCloseBehavior::CloseOnClick;
    Popup::menu(&button).close_behavior(behavior).frame(menu_frame(ui)).gap(space::XS).show(|ui| {
        ui.set_min_width(160.0);
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.spacing_mut().button_padding.x = space::S;
        for (group, title) in GROUPS {
            let config = MenuConfig::new().close_behavior(behavior);
            SubMenuButton::new(title).config(config).ui(ui, |ui| entries(ui, group, state, layout, sink));
        }
    });
}

fn entries(ui: &mut Ui, group: Group, state: &State, layout: &Layout, sink: &mut Sink) {
    ui.set_min_width(280.0);
    ui.spacing_mut().item_spacing.y = 0.0;
    let focus = crate::commands::keyboard::focus(state, layout, ui.ctx());
    for &command in Command::ALL.iter().filter(|command| is_listed(**command, group)) {
        let spec = command.spec();
        let mut item = MenuItem::new(spec.title);
        if let Some(key) = state.keymap.key_of(command) {
            item = item.key(key);
        }
        let enabled = spec.when.holds_in(focus.pane, focus.editing);
        if ui.add_enabled(enabled, item).clicked() {
            sink.push(command);
        }
    }
}

/// Typing is not for menus, and one of two commands that do the same is enough.
fn is_listed(command: Command, group: Group) -> bool {
    let typing = matches!(
        command,
        Command::NewLine | Command::Tab | Command::Backspace | Command::Delete | Command::HelpReading
    );
    command.spec().group == group && !typing
}
