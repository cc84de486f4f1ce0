//! The pointer over a terminal: it selects, opens links, turns the wheel, and is a program's mouse when that asks for it
//! (Shift keeps it ours).

use std::path::Path;
use std::sync::Arc;

use eframe::egui::{Modifiers as Held_, PointerButton, Popup, PopupCloseBehavior, Pos2, Response, Ui};
use terminal::keys::Modifiers;
use terminal::mouse::{self, MouseAction, MouseButton};
use terminal::screen::{LinkTarget, MouseMode, SelectionKind};
use terminal::{Position, Terminal};

use super::{Area, TerminalPane, keys};
use crate::code_view::pointer::Unit;
use crate::code_view::{self, scroll};
use crate::commands::{Command, Sink};
use crate::state::State;
use crate::state::terminals::{Clicked, TerminalId};
use crate::widgets::{MenuItem, menu_frame, menu_separator};

/// The button that a program was told of, and the cell it was last told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    button: Option<MouseButton>,
    cell: Option<(u16, u16)>,
}

pub fn act(
    ui: &mut Ui,
    response: &Response,
    pane: &mut TerminalPane,
    terminal: &Arc<Terminal>,
    area: &Area,
    state: &mut State,
    sink: &mut Sink,
) {
    let (pointer, held) = (ui.input(|input| input.pointer.latest_pos()), code_view::pointer::modifiers(ui));
    let over = pointer.filter(|_| code_view::pointer::is_hit(response) || pane.selecting || pane.held.button.is_some());
    wheel(ui, pane, terminal, area, held);
    pane.link = None;
    let reports = pane.frame.modes.mouse != MouseMode::None && !held.shift && !pane.selecting;
    if reports {
        if let Some(at) = over {
            report(ui, response, pane, terminal, area, at, held);
        }
        return;
    }
    if let Some(at) = over.filter(|_| held.command && !pane.selecting) {
        let (row, column) = cell_at(area, at);
        let place = pane.frame.position(row, column);
        pane.link = terminal.with_screen(|screen| screen.link_at(place));
    }
    select(ui, response, pane, terminal, area, state, sink);
    if response.middle_clicked() {
        let text = state.terminals.primary.clone();
        if !text.is_empty() {
            keys::paste(pane, state, &text);
        }
    }
    menu(ui, response, terminal, state, sink);
}

fn select(
    ui: &Ui,
    response: &Response,
    pane: &mut TerminalPane,
    terminal: &Arc<Terminal>,
    area: &Area,
    state: &mut State,
    sink: &mut Sink,
) {
    if let Some(press) = pane.clicks.press(ui, response) {
        if let Some(link) = pane.link.take() {
            return open(link.target, link.start, pane.terminal, terminal, state, ui);
        }
        let at = border_at(area, pane, press.pos);
        let kind = match press.unit {
            Unit::Character if press.modifiers.alt => SelectionKind::Block,
            Unit::Character => SelectionKind::Simple,
            Unit::Word => SelectionKind::Words,
            Unit::Line => SelectionKind::Lines,
        };
        // Words and lines are those under the pointer, not after the nearest border.
        let (row, column) = cell_at(area, press.pos);
        let at = if kind == SelectionKind::Words { pane.frame.position(row, column) } else { at };
        terminal.with_screen(|screen| match press.modifiers.shift && screen.selected().is_some() {
            true => screen.extend_selection(at),
            false => screen.select(kind, at),
        });
        pane.selecting = true;
        return;
    }
    if !pane.selecting {
        return;
    }
    let (down, at) = ui.input(|input| (input.pointer.button_down(PointerButton::Primary), input.pointer.latest_pos()));
    // Beyond the edge the view goes along, for as long as the pointer stays there.
    let beyond = |at: Pos2| i64::from(at.y > area.rect.bottom()) - i64::from(at.y < area.rect.top());
    let lines = at.filter(|_| down).map_or(0, beyond);
    if lines != 0 {
        ui.ctx().request_repaint();
    }
    if let Some(at) = at.filter(|_| lines != 0 || ui.input(|input| input.pointer.is_moving())) {
        let to = border_at(area, pane, at);
        terminal.with_screen(|screen| {
            if lines != 0 {
                screen.scroll_by(lines);
            }
            screen.extend_selection(to);
        });
    }
    if !down {
        pane.selecting = false;
        let text = terminal.with_screen(|screen| screen.selected_text());
        if let Some(text) = text {
            if state.settings.terminal_copy_on_select {
                sink.push(crate::commands::Action::Copy(text.clone()));
            }
            state.terminals.primary = text;
        }
    }
}

/// Opens what a link leads to.
fn open(target: LinkTarget, at: Position, id: TerminalId, terminal: &Arc<Terminal>, state: &mut State, ui: &Ui) {
    match target {
        LinkTarget::Url(url) => {
            // What a program writes may name anything; only these are for a browser.
            let safe = ["http://", "https://", "mailto:", "ftp://"].iter().any(|scheme| url.starts_with(scheme));
            if safe {
                ui.ctx().open_url(eframe::egui::OpenUrl::new_tab(url));
            } else {
                state.notices.info(format!("{url} is not opened: it is no address of the web."));
            }
        }
        path @ LinkTarget::Path { .. } => {
            let said = terminal.with_screen(|screen| screen.directory_of(at.line).map(Path::to_owned));
            let started_in = state.terminals.get(id).and_then(|open| open.directory().map(Path::to_owned));
            let root = state.workspace.root().map(Path::to_owned);
            let folders = started_in.into_iter().chain(root).collect();
            let clicked = Clicked { terminal: Arc::clone(terminal), said, folders };
            state.terminals.find_file(&path, clicked, &state.tasks);
        }
    }
}

fn wheel(ui: &Ui, pane: &mut TerminalPane, terminal: &Terminal, area: &Area, held: Held_) {
    let (rows, _) = scroll::wheel(ui, area.rect.expand(16.0), area.cells.row, area.cells.cell);
    if rows == 0.0 {
        return;
    }
    pane.wheel += rows;
    let whole = pane.wheel.trunc();
    pane.wheel -= whole;
    let lines = whole as i32;
    if lines == 0 {
        return;
    }
    let modes = pane.frame.modes;
    if modes.mouse != MouseMode::None && !held.shift {
        let Some(at) = ui.input(|input| input.pointer.latest_pos()) else { return };
        let (row, column) = cell_at(area, at);
        let action = if lines < 0 { MouseAction::WheelUp } else { MouseAction::WheelDown };
        let bytes = mouse::encode(action, row, column, modifiers(held), &modes).unwrap_or_default();
        // A wheel turns in steps of three lines; programs count steps.
        let _ = terminal.send(&bytes.repeat((lines.unsigned_abs() as usize).div_ceil(3)));
    } else if let Some(bytes) = mouse::wheel_as_keys(-lines, &modes) {
        let _ = terminal.send(&bytes);
    } else {
        terminal.with_screen(|screen| screen.scroll_by(i64::from(lines)));
        ui.ctx().request_repaint();
    }
}

/// Tells the program what its mouse does.
fn report(
    ui: &Ui,
    response: &Response,
    pane: &mut TerminalPane,
    terminal: &Terminal,
    area: &Area,
    at: Pos2,
    held: Held_,
) {
    let modes = pane.frame.modes;
    let (row, column) = cell_at(area, at);
    let send = |action| {
        if let Some(bytes) = mouse::encode(action, row, column, modifiers(held), &modes) {
            let _ = terminal.send(&bytes);
        }
    };
    let buttons = [
        (PointerButton::Primary, MouseButton::Left),
        (PointerButton::Middle, MouseButton::Middle),
        (PointerButton::Secondary, MouseButton::Right),
    ];
    for (button, meant) in buttons {
        let (pressed, released) =
            ui.input(|input| (input.pointer.button_pressed(button), input.pointer.button_released(button)));
        if pressed && code_view::pointer::is_hit(response) {
            send(MouseAction::Press(meant));
            pane.held.button = Some(meant);
        }
        if released && pane.held.button == Some(meant) {
            send(MouseAction::Release(meant));
            pane.held.button = None;
        }
    }
    if pane.held.cell != Some((row, column)) {
        pane.held.cell = Some((row, column));
        send(MouseAction::Move(pane.held.button));
    }
}

fn menu(ui: &Ui, response: &Response, terminal: &Terminal, state: &State, sink: &mut Sink) {
    let behavior = PopupCloseBehavior::CloseOnClick;
    Popup::context_menu(response).close_behavior(behavior).frame(menu_frame(ui)).show(|ui| {
        ui.set_min_width(220.0);
        ui.spacing_mut().item_spacing.y = 0.0;
        let selected = terminal.with_screen(|screen| screen.selected().is_some());
        let groups: [&[Command]; 3] = [
            &[Command::TerminalCopy, Command::TerminalPaste, Command::TerminalSelectAll],
            &[Command::TerminalFind, Command::TerminalCopyOutput, Command::TerminalRunAgain],
            &[Command::TerminalClear, Command::TerminalRename, Command::NewTerminal],
        ];
        for (n, commands) in groups.into_iter().enumerate() {
            if n > 0 {
                menu_separator(ui);
            }
            for &command in commands {
                let mut item = MenuItem::new(command.spec().title);
                if let Some(key) = state.keymap.key_of(command) {
                    item = item.key(key);
                }
                let enabled = command != Command::TerminalCopy || selected;
                if ui.add_enabled(enabled, item).clicked() {
                    sink.push(command);
                }
            }
        }
    });
}

fn modifiers(held: Held_) -> Modifiers {
    Modifiers { shift: held.shift, alt: held.alt, ctrl: held.ctrl, logo: held.mac_cmd }
}

/// The cell under a point, the nearest one outside.
fn cell_at(area: &Area, at: Pos2) -> (u16, u16) {
    let inside = |distance: f32, one: f32, count: u16| ((distance / one).floor().max(0.0) as u16).min(count - 1);
    let row = inside(at.y - area.rect.top(), area.cells.row, area.size.rows);
    (row, inside(at.x - area.rect.left(), area.cells.cell, area.size.columns))
}

/// The border between cells that is nearest to a point.
fn border_at(area: &Area, pane: &TerminalPane, at: Pos2) -> Position {
    let (row, _) = cell_at(area, at);
    let column = ((at.x - area.rect.left()) / area.cells.cell).round().max(0.0) as u16;
    pane.frame.position(row, column.min(area.size.columns))
}
