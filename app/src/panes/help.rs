//! All commands with their keys: made from the command table and the keymap as it is, searchable.

use eframe::egui::{Align, Label, Layout as Flow, RichText, Role, Ui, UiBuilder, WidgetInfo, vec2};
use egui_tiles::TileId;

use super::settings::column;
use crate::commands::{Action, Command, Group, Place, Sink};
use crate::shell::hold_focus;
use crate::shell::palette::group_title;
use crate::state::State;
use crate::theme::{icons, look, space};
use crate::widgets::{Button, EmptyState, KeyCaps, Notice, NoticeResponse, TextInput, Tone, separator};

/// Width of the page's column.
const WIDTH: f32 = 760.0;

/// A view of the help page.
#[derive(Clone, Debug, Default)]
pub struct HelpPane {
    filter: String,
}

/// Draws the page into the whole of `ui`.
pub fn draw(ui: &mut Ui, tile: TileId, pane: &mut HelpPane, state: &State, sink: &mut Sink) {
    hold_focus(ui, tile);
    ui.painter().rect_filled(ui.max_rect(), 0.0, state.theme.surface.base);
    column(ui, "help page", WIDTH, |ui| {
        head(ui, pane, state, sink);
        for problem in &state.config.keymap_problems {
            let text = format!("Line {}: {}", problem.line, problem.message);
            if Notice::new(Tone::Warning, text).action("Open file").show(ui) == NoticeResponse::Action(0) {
                let at = Some(Place { line: problem.line, column: 1 });
                sink.push(Action::OpenFile { path: state.config.keymap.path().to_owned(), at });
            }
        }
        let listed = listed(&pane.filter, |command| state.keymap.keys_of(command));
        if listed.is_empty() {
            let (_, rect) = ui.allocate_space(vec2(ui.available_width(), 160.0));
            let mut inner = ui.new_child(UiBuilder::new().max_rect(rect));
            EmptyState::new(icons::SEARCH, "No command matches")
                .detail("Clear the search to see them all.")
                .show(&mut inner);
        }
        for (group, commands) in listed {
            heading(ui, group);
            for command in commands {
                row(ui, command, state);
            }
        }
        ui.add_space(space::XL);
    });
}

/// The commands that match, by group, in the order of the table.
fn listed<'a>(filter: &str, keys: impl Fn(Command) -> &'a [String]) -> Vec<(Group, Vec<Command>)> {
    let wanted = filter.trim().to_lowercase();
    let matches = |command: Command| {
        let spec = command.spec();
        wanted.is_empty()
            || [spec.title, spec.doc, spec.id].iter().any(|text| text.to_lowercase().contains(&wanted))
            || keys(command).iter().any(|key| key.to_lowercase() == wanted)
    };
    let mut groups: Vec<(Group, Vec<Command>)> = Vec::new();
    for &command in Command::ALL.iter().filter(|command| matches(**command)) {
        let group = command.spec().group;
        match groups.iter_mut().find(|(known, _)| *known == group) {
            Some((_, commands)) => commands.push(command),
            None => groups.push((group, vec![command])),
        }
    }
    groups
}

fn head(ui: &mut Ui, pane: &mut HelpPane, state: &State, sink: &mut Sink) {
    let (theme, metrics) = look(ui);
    ui.horizontal(|ui| {
        ui.label(RichText::new("Keyboard shortcuts").font(metrics.heading()).color(theme.text.normal));
        ui.with_layout(Flow::right_to_left(Align::Center), |ui| {
            let path = state.config.keymap.path().display().to_string();
            if ui.add(Button::new("Open keymap file").icon(icons::KEYBOARD).tip(path)).clicked() {
                sink.push(Command::OpenKeymap);
            }
        });
    });
    ui.add_space(space::S);
    let hint = "Search by name, or by keys: Ctrl+P";
    TextInput::new(&mut pane.filter, "Search commands").hint(hint).icon(icons::SEARCH).clearable().show(ui);
    ui.add_space(space::S);
}

fn heading(ui: &mut Ui, group: Group) {
    let (theme, metrics) = look(ui);
    ui.add_space(space::L);
    ui.label(RichText::new(group_title(group)).font(metrics.title()).color(theme.text.normal));
    ui.add_space(space::XS);
    separator(ui);
}

fn row(ui: &mut Ui, command: Command, state: &State) {
    let (theme, metrics) = look(ui);
    let spec = command.spec();
    let keys = state.keymap.keys_of(command);
    let row = ui.horizontal(|ui| {
        ui.set_min_height(44.0);
        let words = ui.available_width() - 260.0;
        ui.allocate_ui_with_layout(vec2(words, 44.0), Flow::top_down(Align::Min), |ui| {
            ui.set_width(words);
            ui.spacing_mut().item_spacing.y = 1.0;
            ui.add_space(space::XS);
            ui.horizontal(|ui| {
                ui.label(RichText::new(spec.title).color(theme.text.normal));
                ui.label(RichText::new(spec.id).font(metrics.code_inline()).color(theme.text.muted));
            });
            ui.add(Label::new(RichText::new(spec.doc).font(metrics.small()).color(theme.text.muted)).truncate());
        });
        ui.with_layout(Flow::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = space::M;
            for key in keys.iter().rev() {
                ui.add(KeyCaps::new(key));
            }
        });
    });
    let spoken = format!("{}, {}", spec.title, if keys.is_empty() { "no keys".to_owned() } else { keys.join(" or ") });
    row.response.widget_info(|| WidgetInfo::labeled(Role::ListItem, true, &spoken));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::keymap::Keymap;

    fn found(filter: &str) -> Vec<&'static str> {
        let keymap = Keymap::default();
        let groups = listed(filter, |command| keymap.keys_of(command));
        groups.into_iter().flat_map(|(_, commands)| commands).map(|command| command.spec().id).collect()
    }

    #[test]
    fn every_command_of_the_table_is_listed() {
        assert_eq!(found("").len(), Command::ALL.len());
    }

    #[test]
    fn commands_are_found_by_name_id_and_keys() {
        assert_eq!(found("quick open"), [] as [&str; 0]);
        assert_eq!(found("go.file"), ["go.file"]);
        assert!(found("comment").contains(&"edit.toggle-comment"));
        assert_eq!(found("ctrl+p"), ["go.file"]);
    }

    #[test]
    fn keys_are_those_of_the_keymap_as_it_is() {
        let (keymap, _) = Keymap::with_file("[[bind]]\nkeys = \"F9\"\ncommand = \"go.file\"\n");
        let groups = listed("f9", |command| keymap.keys_of(command));
        assert_eq!(groups, [(Group::Go, vec![Command::QuickOpen])]);
    }
}
