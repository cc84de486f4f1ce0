//! The rail at the left: which side panel is shown; settings at its foot.

use eframe::egui::{Align, Layout as Flow, Rect, Ui, UiBuilder, vec2};

use super::{Side, key};
use crate::commands::{Command, Sink};
use crate::state::State;
use crate::theme::{Icon, icons, look, space};
use crate::widgets::IconButton;

/// Draws the rail; `shown` says whether the side panel is.
pub fn draw(ui: &mut Ui, state: &State, shown: bool, sink: &mut Sink) {
    let entries = [(Side::Review, icons::REVIEW, Command::ShowReview), (Side::Files, icons::FILES, Command::ShowFiles)];
    let inner = ui.max_rect().shrink2(vec2(0.0, 6.0));
    let mut top = ui.new_child(UiBuilder::new().id_salt("top").max_rect(inner).layout(Flow::top_down(Align::Center)));
    top.spacing_mut().item_spacing.y = space::XS;
    for (side, icon, command) in entries {
        let on = shown && state.shell.side == side;
        if entry(&mut top, icon, command, on, state) {
            // The entry of what is shown hides it, as people expect of a rail.
            sink.push(if on { Command::ToggleSide } else { command });
        }
    }
    let chat = state.shell.chat_shown(state.shell.is_narrow());
    let response =
        entry(&mut top, icons::CHAT, if chat { Command::ToggleChat } else { Command::ShowChat }, chat, state);
    if response {
        sink.push(if chat { Command::ToggleChat } else { Command::ShowChat });
    }
    if entry(&mut top, icons::PROBLEMS, Command::ShowProblems, false, state) {
        sink.push(Command::ShowProblems);
    }
    let mut foot =
        ui.new_child(UiBuilder::new().id_salt("foot").max_rect(inner).layout(Flow::bottom_up(Align::Center)));
    if entry(&mut foot, icons::SETTINGS, Command::Settings, false, state) {
        sink.push(Command::Settings);
    }
}

fn entry(ui: &mut Ui, icon: Icon, command: Command, on: bool, state: &State) -> bool {
    let (theme, _) = look(ui);
    let button = IconButton::new(icon, command.spec().title).key(key(state, command)).selected(on).large();
    let response = ui.add(button);
    if on {
        let at = Rect::from_min_size(
            eframe::egui::pos2(ui.max_rect().left(), response.rect.top() + 4.0),
            vec2(2.0, response.rect.height() - 8.0),
        );
        ui.painter().rect_filled(at, 1.0, theme.signal.accent);
    }
    response.clicked()
}
