//! The comments of a review in a list in the side panel, and what can be done with all of them.

use diff::comments::{Placement, Thread};
use eframe::egui::{Id, Label, RichText, Role, ScrollArea, Sense, Ui, WidgetInfo};

use crate::commands::{Action, Command, Sink};
use crate::state::desk::ReviewDesk;
use crate::state::reviews::discussion::Placed;
use crate::state::reviews::{OpenReview, ReviewId};
use crate::theme::{icons, look, space};
use crate::widgets::markdown::first_line;
use crate::widgets::{Button, Dropdown, EmptyState, ListRow, MenuItem, list_keys, menu_separator};

/// The threads of a review with where they are, in the order of its page.
pub fn threads<'a>(review: &'a OpenReview, desk: &'a ReviewDesk) -> impl Iterator<Item = (&'a Placed, &'a Thread)> {
    let comments = review.sheet.and_then(|sheet| desk.comments(sheet));
    review.discussion.placed.iter().filter_map(move |placed| Some((placed, comments?.thread(placed.thread)?)))
}

/// What sending them is called.
const SEND: &str = "Send all to the agent";

/// How many comments wait for something, and what can be done with them; nothing where there are none.
pub fn menu(ui: &mut Ui, review: &OpenReview, desk: &ReviewDesk, sink: &mut Sink) {
    let all = review.discussion.placed.len();
    if all == 0 {
        return;
    }
    let open = threads(review, desk).filter(|(_, thread)| !thread.resolved).count();
    let name = format!("{open} of {all} comments open");
    let button = Button::new(open.to_string()).icon(icons::COMMENT).caret().name(name);
    Dropdown::of(button).menu_width(260.0).show(ui, |ui| {
        let mut ask = |ui: &mut Ui, item: MenuItem<'_>, command: Command| {
            if ui.add(item).clicked() {
                sink.push(command);
            }
        };
        ask(ui, MenuItem::new("Next comment").icon(icons::ARROW_DOWN).key("]"), Command::NextComment);
        ask(ui, MenuItem::new("Previous comment").icon(icons::ARROW_UP).key("["), Command::PreviousComment);
        ask(ui, MenuItem::new("List comments").icon(icons::LIST), Command::ShowComments);
        menu_separator(ui);
        ask(ui, MenuItem::new(SEND).icon(icons::ROBOT).key("Ctrl+Alt+Enter"), Command::SendComments);
        ask(ui, MenuItem::new("Copy as Markdown").icon(icons::COPY), Command::CopyComments);
        ask(ui, MenuItem::new("Save as Markdown…").icon(icons::EXPORT), Command::ExportComments);
    });
}

/// Draws the list into the rest of the panel.
pub fn draw(ui: &mut Ui, id: ReviewId, review: &OpenReview, desk: &ReviewDesk, sink: &mut Sink) {
    let threads: Vec<_> = threads(review, desk).collect();
    if threads.is_empty() {
        let detail = "Press c on a line, or the plus beside its number.";
        EmptyState::new(icons::COMMENTS, "No comments yet").detail(detail).show(ui);
        return;
    }
    send(ui, &threads, sink);
    let list = ui.scope_id().with("comments");
    let whole = ui.interact(ui.available_rect_before_wrap(), list, Sense::focusable_noninteractive());
    whole.widget_info(|| WidgetInfo::labeled(Role::List, true, "Comments of the review"));
    let chosen_id = list.with("chosen");
    let chosen = ui.data(|data| data.get_temp::<usize>(chosen_id)).filter(|&n| n < threads.len());
    let in_sight = (ui.available_height() / space::ROW) as usize;
    let moved = list_keys(ui, list, chosen, threads.len(), in_sight);
    let focused = ui.memory(|memory| memory.has_focus(list));
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut shown = moved;
    let mut scroll = ScrollArea::vertical().auto_shrink(false).id_salt("comment list");
    if let Some(to) = moved {
        scroll = scroll.vertical_scroll_offset((to as f32 * space::ROW - ui.available_height() / 2.0).max(0.0));
    }
    scroll.show_rows(ui, space::ROW, threads.len(), |ui, range| {
        for n in range {
            let (placed, thread) = threads[n];
            let row = row(list.with(thread.id), review, placed, thread);
            let row = row.selected(chosen == Some(n)).active(focused && chosen == Some(n)).show(ui);
            if row.clicked() {
                shown = Some(n);
                ui.memory_mut(|memory| memory.request_focus(list));
            }
        }
    });
    if let Some(n) = shown {
        ui.data_mut(|data| data.insert_temp(chosen_id, n));
        sink.push(Action::ShowThread { review: id, thread: threads[n].1.id });
    }
}

/// The button that has an agent answer all that wait.
fn send(ui: &mut Ui, threads: &[(&Placed, &Thread)], sink: &mut Sink) {
    let waiting = threads.iter().filter(|(_, thread)| thread.is_waiting()).count();
    let answered = threads.iter().filter(|(_, thread)| thread.is_answered() && !thread.resolved).count();
    super::tree::inset(ui, |ui| {
        ui.horizontal(|ui| {
            ui.add_enabled_ui(waiting > 0, |ui| {
                let tip = "Sends what nobody answered as one message; the answers come as replies";
                let button = Button::new(SEND).icon(icons::ROBOT).key("Ctrl+Alt+Enter").tip(tip);
                if ui.add(button).clicked() {
                    sink.push(Command::SendComments);
                }
            });
            if answered > 0 {
                let (theme, metrics) = look(ui);
                let said = RichText::new(format!("{answered} answered")).font(metrics.small()).color(theme.text.muted);
                ui.add(Label::new(said).truncate());
            }
        });
    });
    ui.add_space(space::XS);
}

fn row<'a>(id: Id, review: &OpenReview, placed: &Placed, thread: &Thread) -> ListRow<'a> {
    let is_stale = placed.placement.as_ref().is_some_and(Placement::is_stale);
    let (icon, state) = match (thread.resolved, is_stale, thread.is_draft()) {
        (true, ..) => (icons::SUCCESS, "resolved · "),
        _ if thread.is_answered() => (icons::COMMENTS, "answered · "),
        (_, true, _) => (icons::WARNING_CIRCLE, "stale · "),
        (.., true) => (icons::EDIT, "draft · "),
        _ => (icons::COMMENT, ""),
    };
    let name = review.page.file(placed.file).map(|entry| entry.change.path.display().into_owned()).unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or(&name).to_owned();
    let line = match &placed.placement {
        Some(Placement::At { lines, .. }) => lines.start + 1,
        _ => thread.anchor.lines.start + 1,
    };
    let label = thread.messages.first().map(|message| first_line(&message.text)).unwrap_or_default();
    ListRow::new(id, label).icon(icon).note(format!("{state}{name}:{line}")).muted(thread.resolved)
}
