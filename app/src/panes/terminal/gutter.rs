//! Marks beside prompts: green where the command went well, red where it did not; a press shows what can be done.

use eframe::egui::{self, Id, Popup, PopupCloseBehavior, Rect, Ui, pos2, vec2};
use egui_tiles::TileId;
use terminal::Terminal;
use terminal::screen::{CommandState, GutterMark};

use super::draw::state_color;
use super::{Area, GUTTER, TerminalPane, run_again};
use crate::commands::{Action, Sink};
use crate::state::State;
use crate::theme::icons;
use crate::widgets::{MenuItem, menu_frame};

pub fn draw(
    ui: &mut Ui,
    tile: TileId,
    area: &Area,
    pane: &mut TerminalPane,
    terminal: &Terminal,
    state: &mut State,
    sink: &mut Sink,
) {
    for mark in pane.frame.gutter.clone() {
        if mark.state == CommandState::Waiting || mark.row >= area.size.rows {
            continue;
        }
        let top = area.cell(mark.row, 0).top();
        let rect = Rect::from_min_size(pos2(area.rect.left() - GUTTER, top), vec2(GUTTER, area.cells.row));
        let id = Id::unique(("terminal mark", tile, mark.command.0));
        one(ui, id, rect, mark, terminal, state, sink);
    }
}

fn one(ui: &mut Ui, id: Id, rect: Rect, mark: GutterMark, terminal: &Terminal, state: &mut State, sink: &mut Sink) {
    let response = ui.interact(rect, id, egui::Sense::click());
    let color = state_color(mark.state, state.theme);
    let radius = if response.hovered() { 4.5 } else { 3.5 };
    ui.painter().circle_filled(rect.center(), radius, color);
    // Asked only when it is wanted: under a flood every look at the screen waits for the reader.
    let name = || named(mark, terminal);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name()));
    let response = response.on_hover_ui(|ui| drop(ui.label(name())));
    let behavior = PopupCloseBehavior::CloseOnClick;
    Popup::menu(&response).close_behavior(behavior).frame(menu_frame(ui)).show(|ui| {
        ui.set_min_width(200.0);
        ui.spacing_mut().item_spacing.y = 0.0;
        if ui.add(MenuItem::new("Copy output").icon(icons::COPY)).clicked()
            && let Some(output) = terminal.with_screen(|screen| screen.output(mark.command))
        {
            sink.push(Action::Copy(output.text));
        }
        if ui.add(MenuItem::new("Copy command")).clicked()
            && let Some(line) = terminal.with_screen(|screen| screen.command_text(mark.command))
        {
            sink.push(Action::Copy(line));
        }
        if ui.add(MenuItem::new("Select output")).clicked() {
            terminal.with_screen(|screen| screen.select_output(mark.command));
        }
        let known = terminal.with_screen(|screen| screen.command(mark.command).is_some_and(|one| one.line.is_some()));
        if ui.add_enabled(known && mark.state != CommandState::Running, MenuItem::new("Run again")).clicked() {
            run_again(mark.command, terminal, state);
        }
    });
}

/// "cargo test: failed (101) after 3.2 s"
fn named(mark: GutterMark, terminal: &Terminal) -> String {
    let (line, duration) = terminal.with_screen(|screen| {
        let line = screen.command_text(mark.command).unwrap_or_default();
        (line, screen.command(mark.command).and_then(|command| command.duration))
    });
    let line: String = line.chars().take(80).collect();
    let after = duration.map_or(String::new(), |time| match time.as_secs() {
        0..60 => format!(" after {:.1} s", time.as_secs_f32()),
        seconds => format!(" after {} min {} s", seconds / 60, seconds % 60),
    });
    match mark.state {
        CommandState::Ended(Some(0)) => format!("{line}: done{after}"),
        CommandState::Ended(Some(code)) => format!("{line}: failed ({code}){after}"),
        CommandState::Ended(None) => format!("{line}: ended{after}"),
        CommandState::Running | CommandState::Waiting => format!("{line}: running"),
    }
}
