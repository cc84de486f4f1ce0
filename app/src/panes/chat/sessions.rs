//! Past conversations of the project: found by words, shown again, renamed, removed.

use agent::event::{Moment, SessionId};
use agent::session::Info;
use eframe::egui::{Id, Rect, ScrollArea, Ui, UiBuilder};

use crate::commands::Sink;
use crate::state::State;
use crate::theme::{icons, space};
use crate::widgets::{EmptyState, ErrorState, IconButton, ListRow, TextInput, skeleton_rows};

/// Draws the list; whether one was chosen.
pub fn draw(ui: &mut Ui, rect: Rect, state: &mut State, since: std::time::Instant, _: &mut Sink) -> bool {
    let (head, body) = rect.shrink2(eframe::egui::vec2(space::S, space::XS)).split_top_bottom_at_y(rect.top() + 36.0);
    let mut top = ui.new_child(UiBuilder::new().id_salt("search sessions").max_rect(head));
    let input = TextInput::new(&mut state.chats.search, "Search conversations")
        .hint("Words that were said")
        .icon(icons::SEARCH);
    if input.clearable().show(&mut top).changed() {
        state.chats.list_sessions(&state.tasks);
    }
    let listed = state.chats.sessions(&state.tasks).cloned();
    let mut ui = ui.new_child(UiBuilder::new().id_salt("sessions").max_rect(body));
    ui.set_clip_rect(body.intersect(ui.clip_rect()));
    let sessions = match listed {
        None => {
            skeleton_rows(&mut ui, since, 6, 40.0);
            return false;
        }
        Some(Err(why)) => {
            ErrorState::new("Conversations cannot be listed", why).show(&mut ui);
            return false;
        }
        Some(Ok(sessions)) => sessions,
    };
    if sessions.is_empty() {
        let (what, detail) = match state.chats.search.trim() {
            "" => ("No conversation yet", "What is said in this project is kept here."),
            _ => ("Nothing was found", "No conversation has these words."),
        };
        EmptyState::new(icons::CHAT, what).detail(detail).show(&mut ui);
        return false;
    }
    rows(&mut ui, &sessions, state)
}

fn rows(ui: &mut Ui, sessions: &[Info], state: &mut State) -> bool {
    let mut chosen = None;
    let mut removed: Option<SessionId> = None;
    let now = Moment::now().0;
    ui.spacing_mut().item_spacing.y = 0.0;
    ScrollArea::vertical().id_salt("session rows").show_rows(ui, 28.0, sessions.len(), |ui, range| {
        for info in &sessions[range] {
            let open = state.chats.iter().find(|(_, chat)| chat.session.as_ref() == Some(&info.id));
            let note = match open {
                Some((_, chat)) if chat.asked.is_some() => "waits for you".to_owned(),
                Some((_, chat)) if chat.running.is_some() => "running".to_owned(),
                Some((_, chat)) if chat.unseen => "new".to_owned(),
                _ => ago(now - info.touched.0),
            };
            let title = if info.title.is_empty() { "Untitled" } else { info.title.as_str() };
            let id = Id::unique(("session", info.id.as_str()));
            let current = state.chats.current.is_some() && open.map(|(id, _)| id) == state.chats.current;
            let row = ListRow::new(id, title).icon(icons::CHAT).note(note).selected(current).show(ui);
            if row.clicked() {
                chosen = Some(info.clone());
            }
            let hovered = ui.rect_contains_pointer(row.rect);
            if hovered {
                let at = Rect::from_min_max(row.rect.right_top() - eframe::egui::vec2(30.0, -2.0), row.rect.max);
                let mut button = ui.new_child(UiBuilder::new().id_salt(id.with("remove")).max_rect(at));
                if button.add(IconButton::new(icons::TRASH, format!("Remove {title}")).small()).clicked() {
                    removed = Some(info.id.clone());
                }
            }
        }
    });
    if let Some(session) = removed {
        state.chats.remove_session(&session, &state.tasks);
        return false;
    }
    if let Some(info) = chosen {
        state.chats.resume(&info, &state.tasks);
        return true;
    }
    false
}

/// `now`, `5 min`, `3 h`, `2 d`
fn ago(milliseconds: i64) -> String {
    match milliseconds / 60_000 {
        ..1 => "now".to_owned(),
        minutes @ 1..60 => format!("{minutes} min"),
        minutes @ 60..1440 => format!("{} h", minutes / 60),
        minutes => format!("{} d", minutes / 1440),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn times_are_told_in_the_largest_unit() {
        let ago = |minutes: i64| super::ago(minutes * 60_000);
        assert_eq!([ago(0), ago(59), ago(60), ago(1500)], ["now", "59 min", "1 h", "1 d"]);
    }
}
