//! The context menu of a file, a folder, or the ground below them. Its entries are commands about what is chosen.

use eframe::egui::{Popup, PopupCloseBehavior, Response, Ui};

use crate::commands::keymap::Keymap;
use crate::commands::{Command, Sink};
use crate::theme::{Icon, icons};
use crate::widgets::{MenuItem, menu_frame, menu_separator};

/// What the menu is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    File,
    Folder,
    /// The open folder itself.
    Root,
}

const SEPARATOR: Option<(Command, &str, Option<Icon>)> = None;

/// Entries in their order; nothing is a line between groups.
fn entries(about: About) -> Vec<Option<(Command, &'static str, Option<Icon>)>> {
    let entry = |command, label, icon| Some((command, label, icon));
    let mut entries = Vec::new();
    if about == About::File {
        entries.push(entry(Command::FilesOpenToSide, "Open to the side", Some(icons::SPLIT)));
        entries.push(SEPARATOR);
    }
    entries.push(entry(Command::FilesNewFile, "New file…", Some(icons::FILE_PLUS)));
    entries.push(entry(Command::FilesNewFolder, "New folder…", Some(icons::FOLDER_PLUS)));
    entries.push(SEPARATOR);
    if about != About::Root {
        entries.push(entry(Command::FilesRename, "Rename…", Some(icons::EDIT)));
        entries.push(entry(Command::FilesDuplicate, "Duplicate", Some(icons::COPY)));
        entries.push(entry(Command::FilesTrash, "Move to trash", Some(icons::TRASH)));
        entries.push(SEPARATOR);
    }
    entries.push(entry(Command::FilesCopyPath, "Copy path", None));
    if about != About::Root {
        entries.push(entry(Command::FilesCopyRelativePath, "Copy relative path", None));
    }
    entries.push(entry(Command::FilesShowInManager, "Reveal in file manager", Some(icons::ARROW_SQUARE_OUT)));
    entries
}

/// Shows the menu of what `response` stands for, once it is asked for.
pub fn show(ui: &Ui, response: &Response, about: About, keymap: &Keymap, sink: &mut Sink) {
    let menu = Popup::context_menu(response).close_behavior(PopupCloseBehavior::CloseOnClick).frame(menu_frame(ui));
    menu.show(|ui| {
        ui.set_min_width(220.0);
        ui.spacing_mut().item_spacing.y = 0.0;
        for entry in entries(about) {
            let Some((command, label, icon)) = entry else {
                menu_separator(ui);
                continue;
            };
            let item = MenuItem::new(label).key(keymap.key_of(command).unwrap_or_default());
            // Without an icon of their own, entries still stand in the column of the others.
            let item = match icon {
                Some(icon) => item.icon(icon),
                None => item.chosen(false),
            };
            let item = if command == Command::FilesTrash { item.danger() } else { item };
            if ui.add(item).clicked() {
                sink.push(command);
            }
        }
    });
}
