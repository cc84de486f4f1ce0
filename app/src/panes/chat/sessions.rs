//! Past conversations of the project: found by words, shown again, renamed, put away, removed.

use agent::event::{Moment, SessionId};
use agent::session::Info;
use eframe::egui::{Align, Id, Key, Layout, Rect, ScrollArea, Ui, UiBuilder, vec2};

use crate::state::State;
use crate::theme::{icons, space};
use crate::widgets::{EmptyState, ErrorState, IconButton, ListRow, TextInput, skeleton_rows};

/// Room for the buttons of the row under the pointer.
const BUTTONS: f32 = 84.0;

/// The view's part of it.
#[derive(Default)]
pub struct SessionsView {
    /// The one that gets another name, and what is typed.
    renaming: Option<(SessionId, String)>,
    /// Those that were put away are listed, too.
    archived: bool,
}

/// What is asked of a session.
enum Wish {
    Show(Info),
    Rename(SessionId, String),
    Archive(SessionId, bool),
    Remove(SessionId),
}

/// Draws the list; whether one was chosen.
pub fn draw(ui: &mut Ui, rect: Rect, view: &mut SessionsView, state: &mut State, since: std::time::Instant) -> bool {
    let (head, body) = rect.shrink2(vec2(space::S, space::XS)).split_top_bottom_at_y(rect.top() + 36.0);
    search(ui, head, view, state);
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
    let searches = !state.chats.search.trim().is_empty();
    // Who looks for words looks for them wherever they were said.
    let shown: Vec<Info> = sessions.into_iter().filter(|info| !info.archived || view.archived || searches).collect();
    if shown.is_empty() {
        let (what, detail) = match searches {
            false => ("No conversation yet", "What is said in this project is kept here."),
            true => ("Nothing was found", "No conversation has these words."),
        };
        EmptyState::new(icons::CHAT, what).detail(detail).show(&mut ui);
        return false;
    }
    match rows(&mut ui, &shown, view, state) {
        None => false,
        Some(Wish::Show(info)) => {
            state.chats.resume(&info.id, &info.title, &state.tasks);
            true
        }
        Some(Wish::Rename(session, title)) => {
            state.chats.rename_session(&session, &title, &state.tasks);
            false
        }
        Some(Wish::Archive(session, archived)) => {
            state.chats.archive_session(&session, archived, &state.tasks);
            false
        }
        Some(Wish::Remove(session)) => {
            state.chats.remove_session(&session, &state.tasks);
            false
        }
    }
}

fn search(ui: &mut Ui, rect: Rect, view: &mut SessionsView, state: &mut State) {
    let layout = Layout::right_to_left(Align::Center);
    let mut ui = ui.new_child(UiBuilder::new().id_salt("search sessions").max_rect(rect).layout(layout));
    ui.spacing_mut().item_spacing.x = space::XS;
    let name = if view.archived { "Hide archived conversations" } else { "Show archived conversations" };
    if ui.add(IconButton::new(icons::FILE_ARCHIVE, name).selected(view.archived)).clicked() {
        view.archived = !view.archived;
    }
    let input = TextInput::new(&mut state.chats.search, "Search conversations")
        .hint("Words that were said")
        .icon(icons::SEARCH);
    if input.clearable().show(&mut ui).changed() {
        state.chats.list_sessions(&state.tasks);
    }
}

fn rows(ui: &mut Ui, sessions: &[Info], view: &mut SessionsView, state: &State) -> Option<Wish> {
    let mut wish = None;
    let now = Moment::now().0;
    ui.spacing_mut().item_spacing.y = 0.0;
    ScrollArea::vertical().id_salt("session rows").show_rows(ui, space::ROW, sessions.len(), |ui, range| {
        for info in &sessions[range] {
            let made = match &mut view.renaming {
                Some((session, title)) if *session == info.id => renaming(ui, info, title),
                _ => row(ui, info, now, view, state),
            };
            if let Some(made) = made {
                if matches!(made, Wish::Rename(..)) {
                    view.renaming = None;
                }
                wish = Some(made);
            }
        }
    });
    wish
}

fn row(ui: &mut Ui, info: &Info, now: i64, view: &mut SessionsView, state: &State) -> Option<Wish> {
    let open = state.chats.iter().find(|(_, chat)| chat.session.as_ref() == Some(&info.id));
    let note = match open {
        Some((_, chat)) if chat.asked.is_some() => "waits for you".to_owned(),
        Some((_, chat)) if chat.running.is_some() => "running".to_owned(),
        Some((_, chat)) if chat.unseen => "new".to_owned(),
        _ if info.archived => "archived".to_owned(),
        _ => ago(now - info.touched.0),
    };
    let title = if info.title.is_empty() { "Untitled" } else { info.title.as_str() };
    let id = Id::unique(("session", info.id.as_str()));
    let current = state.chats.current.is_some() && open.map(|(id, _)| id) == state.chats.current;
    // The buttons lie over the row: a press on one is none on the row.
    let place = Rect::from_min_size(ui.cursor().min, vec2(ui.available_width(), space::ROW));
    let is_under = ui.rect_contains_pointer(place);
    let room = if is_under { BUTTONS } else { 0.0 };
    let row = ListRow::new(id, title).icon(icons::CHAT).note(note).selected(current).room(room).show(ui);
    let mut wish = row.clicked().then(|| Wish::Show(info.clone()));
    if !is_under {
        return wish;
    }
    let at = Rect::from_min_max(row.rect.right_top() - vec2(BUTTONS, 0.0), row.rect.max - vec2(space::XS, 0.0));
    let layout = Layout::right_to_left(Align::Center);
    let mut buttons = ui.new_child(UiBuilder::new().id_salt(id.with("buttons")).max_rect(at).layout(layout));
    let (theme, _) = crate::theme::look(&buttons);
    buttons.painter().rect_filled(at, crate::theme::radius::CONTROL, theme.surface.hover);
    buttons.spacing_mut().item_spacing.x = 2.0;
    if buttons.add(IconButton::new(icons::TRASH, format!("Remove {title}")).small()).clicked() {
        wish = Some(Wish::Remove(info.id.clone()));
    }
    let name = if info.archived { format!("Bring {title} back") } else { format!("Archive {title}") };
    let icon = if info.archived { icons::UPLOAD } else { icons::FILE_ARCHIVE };
    if buttons.add(IconButton::new(icon, name).small()).clicked() {
        wish = Some(Wish::Archive(info.id.clone(), !info.archived));
    }
    if buttons.add(IconButton::new(icons::EDIT, format!("Rename {title}")).small()).clicked() {
        view.renaming = Some((info.id.clone(), info.title.clone()));
        ui.memory_mut(|memory| memory.request_focus(name_id()));
        wish = None;
    }
    wish
}

/// The field that a row is while its session gets another name: Enter takes it, Escape leaves the one it had.
fn renaming(ui: &mut Ui, info: &Info, title: &mut String) -> Option<Wish> {
    let response = TextInput::new(title, "Name of the conversation").id(name_id()).show(ui);
    if !response.lost_focus() {
        return None;
    }
    let entered = ui.input(|input| input.key_pressed(Key::Enter)) && !title.trim().is_empty();
    let title = if entered { title.trim() } else { info.title.as_str() };
    Some(Wish::Rename(info.id.clone(), title.to_owned()))
}

fn name_id() -> Id {
    Id::unique("name of a session")
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
