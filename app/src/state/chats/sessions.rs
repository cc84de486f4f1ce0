//! Sessions of the project: listing, searching, renaming, putting away, removing. All of it happens in the background.

use agent::event::SessionId;
use agent::session::{Info, Store, StoreError};

use super::Chats;
use super::thread::Room;
use crate::tasks::Tasks;

/// Sessions that are listed at most.
const LISTED: usize = 500;

fn list_sessions(room: &Room, words: &str) -> anyhow::Result<Vec<Info>> {
    let mut store = room.store()?;
    let project = room.root.to_string_lossy();
    let all = store.sessions(Some(&project), LISTED)?;
    if words.is_empty() {
        return Ok(all);
    }
    let said = store.search(words, Some(&project), LISTED)?;
    let lower = words.to_lowercase();
    let is_found =
        |info: &Info| info.title.to_lowercase().contains(&lower) || said.iter().any(|hit| hit.session == info.id);
    Ok(all.into_iter().filter(is_found).collect())
}

impl Chats {
    /// Sessions of the project; asked for when they are not known.
    pub fn sessions(&mut self, tasks: &Tasks) -> Option<&Result<Vec<Info>, String>> {
        if self.sessions.is_none() && self.listing_sessions.is_none() {
            self.list_sessions(tasks);
        }
        self.sessions.as_ref()
    }

    /// Lists the sessions again.
    pub fn list_sessions(&mut self, tasks: &Tasks) {
        let Some(room) = self.room.clone() else { return };
        let words = self.search.trim().to_owned();
        self.listing_sessions = Some(
            tasks.spawn("list sessions", move |_| list_sessions(&room, &words).map_err(|error| format!("{error:#}"))),
        );
    }

    /// Removes a session with all that belongs to it.
    pub fn remove_session(&mut self, session: &SessionId, tasks: &Tasks) {
        if let Some(id) = self.of_session(session) {
            self.close(id);
        }
        let session = session.clone();
        self.change_session(tasks, "remove a session", move |store| store.remove(&session));
    }

    /// Calls a session otherwise.
    pub fn rename_session(&mut self, session: &SessionId, title: &str, tasks: &Tasks) {
        if let Some(chat) = self.of_session(session).and_then(|id| self.open.get_mut(&id)) {
            title.clone_into(&mut chat.title);
        }
        let (session, title) = (session.clone(), title.to_owned());
        self.change_session(tasks, "rename a session", move |store| store.rename(&session, &title));
    }

    /// Puts a session away, or brings it back.
    pub fn archive_session(&mut self, session: &SessionId, archived: bool, tasks: &Tasks) {
        let session = session.clone();
        self.change_session(tasks, "archive a session", move |store| store.archive(&session, archived));
    }

    pub(super) fn change_session(
        &mut self,
        tasks: &Tasks,
        what: &'static str,
        change: impl FnOnce(&mut Store) -> Result<(), StoreError> + Send + 'static,
    ) {
        let Some(room) = self.room.clone() else { return };
        self.changing.push(tasks.spawn(what, move |_| {
            let changed = room.store().and_then(|mut store| Ok(change(&mut store)?));
            changed.map_err(|error| format!("{error:#}"))
        }));
    }
}
