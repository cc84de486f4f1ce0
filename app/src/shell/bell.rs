//! The bell's list: everything that was reported since the start.

use std::time::Duration;

use eframe::egui::{
    Align, Area, Id, Key, Label, Layout as Flow, Modifiers, Order, RichText, Role, ScrollArea, Sense, Ui, WidgetInfo,
    pos2, vec2,
};

use super::TOP;
use crate::commands::{Command, Sink};
use crate::state::State;
use crate::state::notices::Notice;
use crate::theme::{Icon, icons, look, space};
use crate::widgets::{Button, EmptyState, IconButton, menu_frame, separator};

const WIDTH: f32 = 400.0;

/// Draws the list while it is open.
pub fn draw(ui: &mut Ui, state: &mut State, sink: &mut Sink) {
    if !state.shell.bell_open {
        return;
    }
    state.notices.mark_seen();
    let window = ui.max_rect();
    let width = WIDTH.min(window.width() - 2.0 * space::S);
    let at = pos2(window.right() - width - space::S - 10.0, window.top() + TOP + space::XS);
    let mut clear = false;
    let shown = Area::new(Id::unique("notifications")).order(Order::Foreground).fixed_pos(at).show(ui.ctx(), |ui| {
        let frame = menu_frame(ui).show(ui, |ui| {
            ui.set_width(width);
            head(ui, state.notices.history().next().is_some(), &mut clear, sink);
            separator(ui);
            list(ui, state, window.height() * 0.6, sink);
        });
        frame.response.widget_info(|| WidgetInfo::labeled(Role::Window, true, "Notifications"));
    });
    if clear {
        state.notices.clear();
    }
    let outside = ui.input(|input| {
        let pressed = input.pointer.any_pressed().then(|| input.pointer.interact_pos()).flatten();
        // The bell itself is in the top bar: its click closes the list by its command.
        pressed.is_some_and(|at| !shown.response.rect.contains(at) && at.y > window.top() + TOP)
    });
    if outside || ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
        state.shell.bell_open = false;
    }
}

fn head(ui: &mut Ui, any: bool, clear: &mut bool, sink: &mut Sink) {
    let (theme, metrics) = look(ui);
    ui.horizontal(|ui| {
        ui.set_min_height(32.0);
        ui.add_space(space::S);
        ui.label(RichText::new("Notifications").font(metrics.medium()).color(theme.text.normal));
        ui.with_layout(Flow::right_to_left(Align::Center), |ui| {
            if ui.add(IconButton::new(icons::X, "Close").key("Escape")).clicked() {
                sink.push(Command::Notifications);
            }
            *clear = any && ui.add(Button::new("Clear all").quiet()).clicked();
        });
    });
}

fn list(ui: &mut Ui, state: &State, height: f32, sink: &mut Sink) {
    if state.notices.history().next().is_none() {
        let (_, rect) = ui.allocate_space(vec2(ui.available_width(), 140.0));
        let mut inner = ui.new_child(eframe::egui::UiBuilder::new().max_rect(rect));
        EmptyState::new(icons::BELL, "Nothing to report").show(&mut inner);
        return;
    }
    ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for notice in state.notices.history() {
            entry(ui, notice, sink);
        }
    });
}

fn entry(ui: &mut Ui, notice: &Notice, sink: &mut Sink) {
    let (theme, metrics) = look(ui);
    let tone = notice.level.tone();
    ui.add_space(space::S);
    let row = ui.horizontal_top(|ui| {
        ui.add_space(space::S);
        let (rect, _) = ui.allocate_exact_size(vec2(Icon::SIZE, 18.0), Sense::hover());
        tone.icon().paint(ui.painter(), rect.center(), tone.color(theme));
        ui.vertical(|ui| {
            ui.set_width(ui.available_width() - space::S);
            ui.add(Label::new(RichText::new(&notice.text).color(theme.text.normal)).wrap());
            ui.label(RichText::new(when(notice)).font(metrics.small()).color(theme.text.muted));
            if let Some((command, label)) = &notice.action
                && ui.add(Button::new(label.as_str())).clicked()
            {
                sink.push(*command);
            }
        });
    });
    row.response.widget_info(|| WidgetInfo::labeled(Role::ListItem, true, &notice.text));
    ui.add_space(space::S);
}

fn when(notice: &Notice) -> String {
    let ago = ago(notice.at.elapsed());
    if notice.times > 1 { format!("{ago}, {} times", notice.times) } else { ago }
}

/// A time as people say it.
fn ago(passed: Duration) -> String {
    match passed.as_secs() {
        0..=59 => "just now".to_owned(),
        seconds @ 60..=3599 => format!("{} min ago", seconds / 60),
        seconds => format!("{} h ago", seconds / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_in_words() {
        let check = |seconds, expected: &str| assert_eq!(ago(Duration::from_secs(seconds)), expected);
        check(3, "just now");
        check(60, "1 min ago");
        check(3599, "59 min ago");
        check(7300, "2 h ago");
    }
}
