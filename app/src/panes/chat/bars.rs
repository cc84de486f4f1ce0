//! What stands between a conversation and the message that is written: what the agent asks, what waits to be sent, what a
//! rewind did, what comes next, and what runs made of files.

use agent::checkpoint::Report;
use agent::run::Mode;
use eframe::egui::{
    Align, Label, Layout as Flow, Margin, Rect, RichText, Role, Sense, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};

use super::ChatView;
use super::item::Pressed;
use crate::state::State;
use crate::state::chats::rounds;
use crate::state::chats::thread::Order;
use crate::state::chats::transcript::Item;
use crate::state::chats::{Chat, ChatId};
use crate::theme::{icons, look, radius, space};
use crate::widgets::{Button, Counts, IconButton, text};

/// What stands between the conversation and the message, from the bottom of `rect` up; how high it is.
pub(super) fn draw(
    ui: &mut Ui,
    rect: Rect,
    view: &mut ChatView,
    id: ChatId,
    state: &mut State,
    pressed: &mut Option<Pressed>,
) -> f32 {
    let mut ui = ui.new_child(UiBuilder::new().id_salt("between").max_rect(rect).layout(Flow::top_down(Align::Min)));
    ui.set_clip_rect(rect.intersect(ui.clip_rect()));
    ui.spacing_mut().item_spacing.y = space::XS;
    let top = ui.min_rect().top();
    let mut taken_back = None;
    if let Some(chat) = state.chats.get_mut(id) {
        view.approval.draw(&mut ui, chat);
        for (n, waiting) in chat.queue.iter().enumerate() {
            if queued(&mut ui, n, &waiting.text) {
                taken_back = Some(n);
            }
        }
        if let Some(draft) = taken_back.and_then(|n| chat.queue.remove(n)) {
            chat.draft = draft;
        }
    }
    let (mut order, mut review) = (None, false);
    if let Some(chat) = state.chats.get_mut(id) {
        rewound(&mut ui, chat, &mut order);
        chips(&mut ui, chat, pressed);
        review = changes_bar(&mut ui, chat, &mut order);
    }
    if let Some(order) = order {
        state.chats.order(id, order, &state.tasks);
    }
    if review {
        state.chats.review(id);
    }
    let used = ui.min_rect().bottom() - top;
    if used > 0.0 { used + space::XS } else { 0.0 }
}

/// A message that waits for the run to be over; whether it is taken back.
fn queued(ui: &mut Ui, n: usize, said: &str) -> bool {
    let (theme, metrics) = look(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 26.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("Waits to be sent: {said}")));
    ui.painter().rect_filled(rect, radius::CONTROL, theme.surface.raised);
    icons::HOURGLASS.paint_sized(ui.painter(), pos2(rect.left() + 14.0, rect.center().y), 13.0, theme.text.muted);
    let line =
        text::line(ui, said.lines().next().unwrap_or_default(), metrics.small(), theme.text.muted, rect.width() - 64.0);
    ui.painter().galley(pos2(rect.left() + 28.0, rect.center().y - line.size().y / 2.0), line, theme.text.muted);
    let at = Rect::from_min_max(pos2(rect.right() - 28.0, rect.top() + 1.0), rect.max);
    let mut button = ui.new_child(UiBuilder::new().id_salt(("queued", n)).max_rect(at));
    button.add(IconButton::new(icons::EDIT, "Take back and edit").small()).clicked()
}

/// What a rewind did, and its undoing.
fn rewound(ui: &mut Ui, chat: &mut Chat, order: &mut Option<Order>) {
    let Some(report) = &chat.rewound else { return };
    let (theme, metrics) = look(ui);
    let mut put_away = false;
    bar(ui, |ui| {
        let undo = (!report.undone).then(|| Button::new("Undo").quiet());
        let buttons = undo.as_ref().map_or(0.0, |undo| undo.width(ui) + space::XS) + 24.0;
        let said = RichText::new(told(report)).font(metrics.body()).color(theme.text.muted);
        ui.vertical(|ui| {
            ui.set_width(ui.available_width() - buttons - space::S);
            ui.spacing_mut().item_spacing.y = 0.0;
            ui.add_space(space::XS);
            ui.add(Label::new(said).wrap());
            ui.add_space(space::XS);
        });
        ui.with_layout(Flow::right_to_left(Align::Center), |ui| {
            put_away = ui.add(IconButton::new(icons::X, "Put away").small()).clicked();
            if undo.is_some_and(|undo| ui.add(undo).clicked()) {
                *order = Some(Order::UndoRewind);
            }
        });
    });
    for (path, why) in &report.kept {
        ui.label(RichText::new(format!("{path}: {why}")).color(theme.signal.warning));
    }
    if put_away || order.is_some() {
        chat.rewound = None;
    }
}

/// What a rewind did, as a sentence or two.
fn told(report: &Report) -> String {
    let files = match report.restored.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        many => Some(format!("{} files", many.len())),
    };
    let mut said = Vec::new();
    match (report.undone, report.changes, files) {
        (true, ..) => said.push("It is as it was before it was taken back.".to_owned()),
        (false, Some(0), _) => said.push("Nothing was left to be taken back.".to_owned()),
        (false, Some(1), Some(files)) => said.push(format!("1 change was taken back, in {files}.")),
        (false, Some(changes), Some(files)) => said.push(format!("{changes} changes were taken back, in {files}.")),
        (false, _, files) => {
            said.extend(report.conversation.then(|| "The conversation was taken back.".to_owned()));
            said.extend(files.map(|files| {
                let verb = if report.restored.len() == 1 { "is as it was" } else { "are as they were" };
                format!("{files} {verb}.")
            }));
        }
    }
    said.extend(report.accepted.then(|| "What you accepted stays.".to_owned()));
    said.join(" ")
}

/// What comes next, as a press: after a plan, and where an answer could be acted on.
fn chips(ui: &mut Ui, chat: &mut Chat, pressed: &mut Option<Pressed>) {
    let ended = chat.transcript.entries().last().is_some_and(|entry| match &entry.item {
        // What was put into files already need not be done.
        Item::Ended { end, files, .. } => {
            matches!(end, agent::event::End::Done | agent::event::End::Answered) && files.is_empty()
        }
        _ => false,
    });
    if !ended || chat.running.is_some() || chat.mode == Mode::Agent || !chat.draft.is_empty() {
        return;
    }
    let (label, says) = match chat.mode {
        Mode::Plan => ("Carry out this plan", "Carry out this plan."),
        _ => ("Do it", "Make these changes."),
    };
    ui.horizontal(|ui| {
        if ui.add(Button::new(label).icon(icons::PLAY).tip("Changes to Agent mode and asks for it")).clicked() {
            chat.mode = Mode::Agent;
            says.clone_into(&mut chat.draft.text);
            *pressed = Some(Pressed::Continue);
        }
    });
}

/// What runs made of files and nobody kept: `3 files +40 −12 · Review · Keep all · Undo all`. Whether it is to be reviewed.
fn changes_bar(ui: &mut Ui, chat: &Chat, order: &mut Option<Order>) -> bool {
    if chat.changes.is_empty() {
        return false;
    }
    let (theme, metrics) = look(ui);
    let (added, removed) = chat.changes.iter().fold((0, 0), |sum, file| (sum.0 + file.added, sum.1 + file.removed));
    let counts = Counts::new(added, removed);
    let files = match chat.changes.len() {
        1 => "1 file".to_owned(),
        many => format!("{many} files"),
    };
    bar(ui, |ui| {
        let label = text::line(ui, &files, metrics.medium(), theme.text.normal, f32::INFINITY).size().x;
        let buttons = |ui: &Ui, short: bool| {
            let caret = if chat.rounds.len() < 2 { 0.0 } else { compare_button().width(ui) + space::XS };
            bar_buttons(short).iter().map(|button| button.width(ui) + space::XS).sum::<f32>() + caret
        };
        // Where there is little room the words of the buttons go first, then the counts, which the tip has as well.
        let room = ui.available_width() - label - space::S;
        let with_counts = counts.width(ui) + space::XS;
        let short = buttons(ui, false) + with_counts > room;
        let has_counts = !short || buttons(ui, true) + with_counts <= room;
        let label = ui.label(RichText::new(&files).font(metrics.medium()).color(theme.text.normal));
        let paths: Vec<&str> = chat.changes.iter().take(20).map(|file| file.path.as_str()).collect();
        label.on_hover_text(format!("+{added} −{removed}\n{}", paths.join("\n")));
        if has_counts {
            ui.add(counts);
        }
        ui.with_layout(Flow::right_to_left(Align::Center), |ui| changes_buttons(ui, chat, short, order)).inner
    })
}

/// A row between the conversation and the message.
fn bar<T>(ui: &mut Ui, add: impl FnOnce(&mut Ui) -> T) -> T {
    let (theme, _) = look(ui);
    let frame = eframe::egui::Frame::new()
        .fill(theme.surface.raised)
        .stroke(Stroke::new(1.0, theme.border.line))
        .corner_radius(radius::CARD)
        .inner_margin(Margin::symmetric(8, 2));
    let shown = frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = space::XS;
            add(ui)
        })
        .inner
    });
    shown.inner
}

/// Review, keep, undo.
fn bar_buttons(short: bool) -> [Button<'static>; 3] {
    let (keep, undo) = if short { ("Keep", "Undo") } else { ("Keep all", "Undo all") };
    [
        Button::new("Review").name("Review changes").tip("Shows the changes, to be accepted or rejected"),
        Button::new(keep).name("Keep all").quiet().tip("Keeps all: the changes are yours from now on"),
        Button::new(undo).name("Undo all").quiet().tip("Takes back all that was not accepted; can be undone"),
    ]
}

/// The buttons of the bar, from the right; whether the changes are to be reviewed.
fn changes_buttons(ui: &mut Ui, chat: &Chat, short: bool, order: &mut Option<Order>) -> bool {
    let [review, keep, undo] = bar_buttons(short);
    // What is still being written is decided on file by file.
    ui.add_enabled_ui(chat.running.is_none(), |ui| {
        if ui.add(undo).clicked() {
            *order = Some(Order::UndoAll);
        }
        if ui.add(keep).clicked() {
            *order = Some(Order::KeepAll);
        }
        compare_menu(ui, chat, order);
    });
    ui.add(review).clicked()
}

/// What of the runs can be compared, where there were several.
fn compare_menu(ui: &mut Ui, chat: &Chat, order: &mut Option<Order>) {
    if chat.rounds.len() < 2 {
        return;
    }
    crate::widgets::Dropdown::of(compare_button()).menu_width(280.0).show(ui, |ui| {
        for (label, from, to) in rounds::choices(&chat.rounds) {
            if ui.add(crate::widgets::MenuItem::new(label)).clicked() {
                *order = Some(Order::Compare { from, to });
            }
        }
    });
}

fn compare_button() -> Button<'static> {
    Button::new("").caret().quiet().name("Compare runs").tip("Compares runs with each other")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rewind_says_what_it_took_back_and_what_it_left() {
        let of = |restored: &[&str]| restored.iter().map(|path| (*path).to_owned()).collect();
        let settled = Report { restored: of(&["a", "b"]), changes: Some(3), accepted: true, ..Report::default() };
        assert_eq!(told(&settled), "3 changes were taken back, in 2 files. What you accepted stays.");
        let one = Report { restored: of(&["a"]), changes: Some(1), ..Report::default() };
        assert_eq!(told(&one), "1 change was taken back, in a.");
        let message = Report { restored: of(&["a"]), conversation: true, ..Report::default() };
        assert_eq!(told(&message), "The conversation was taken back. a is as it was.");
        let undone = Report { undone: true, ..message };
        assert_eq!(told(&undone), "It is as it was before it was taken back.");
    }
}
