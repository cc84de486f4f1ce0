//! Events, the conversation, and finding words in both.
//!
//! The *place* of a message is its position in the conversation and never changes. A message that a summary or a rewind
//! put out of the conversation stays in the file, so that either can be undone; a summary has the place of the first
//! message that it stands for.

use rusqlite::{Transaction, params};
use serde::Serialize;
use serde_json::Value;

use super::{Store, StoreError};
use crate::event::{Event, EventKind, Moment, SessionId};

/// The position of a message in its conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Place(pub i64);

/// A message of a conversation, as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// Its position.
    pub place: Place,
    /// The run it is of.
    pub run: u32,
    /// What it is in the conversation: `prompt`, `reply`, `results` …
    pub part: String,
    /// The message.
    pub message: Value,
}

/// Words found in a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    /// The session.
    pub session: SessionId,
    /// What it is about.
    pub title: String,
    /// The run.
    pub run: u32,
    /// What was found: `prompt`, `reply`, `results`.
    pub part: String,
    /// When it was said.
    pub at: Moment,
    /// The words with some around them; what was found stands between `[` and `]`.
    pub text: String,
}

impl Store {
    /// Keeps an event.
    pub fn append(&mut self, event: &Event) -> Result<(), StoreError> {
        let mut json = serde_json::to_value(&event.kind).unwrap_or_default();
        self.secrets.json(&mut json);
        let kind = json.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        self.write("an event cannot be kept", |transaction| {
            let insert = "INSERT INTO event (session, run, at, type, json) VALUES (?1, ?2, ?3, ?4, ?5)";
            transaction
                .execute(insert, params![event.session.as_str(), event.run, event.time.0, kind, json.to_string()])?;
            touch(transaction, &event.session)
        })
    }

    /// All events of a session, neighbouring pieces of text and reasoning put together.
    pub fn events(&mut self, session: &SessionId) -> Result<Vec<Event>, StoreError> {
        let rows: Vec<(u32, i64, String)> = self.read("events cannot be read", |transaction| {
            let select = "SELECT run, at, json FROM event WHERE session = ?1 ORDER BY number";
            transaction
                .prepare(select)?
                .query_map([session.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
                .collect()
        })?;
        let mut events: Vec<Event> = Vec::new();
        for (run, at, json) in rows {
            // An event of a version that had another kind is of no use to this one.
            let Ok(kind) = serde_json::from_str::<EventKind>(&json) else { continue };
            match (events.last_mut().map(|last| &mut last.kind), &kind) {
                (Some(EventKind::Text { text }), EventKind::Text { text: more })
                | (Some(EventKind::Reasoning { text }), EventKind::Reasoning { text: more }) => text.push_str(more),
                _ => events.push(Event { session: session.clone(), run, time: Moment(at), kind }),
            }
        }
        Ok(events)
    }

    /// The number that the next run of a session has.
    pub fn next_run(&mut self, session: &SessionId) -> Result<u32, StoreError> {
        self.read("runs cannot be counted", |transaction| {
            let select = "SELECT max(coalesce((SELECT max(run) FROM event WHERE session = ?1), 0),
                coalesce((SELECT max(run) FROM message WHERE session = ?1), 0)) + 1";
            transaction.query_row(select, [session.as_str()], |row| row.get(0))
        })
    }

    /// Adds a message to the conversation. `words` is what searches find of it.
    pub fn say(
        &mut self,
        session: &SessionId,
        run: u32,
        part: &str,
        message: &Value,
        words: &str,
    ) -> Result<Place, StoreError> {
        let words = self.secrets.clean(words.to_owned());
        let message = self.masked(message);
        self.write("a message cannot be kept", |transaction| {
            let place = insert(transaction, session, run, part, (&message, None))?;
            if !words.is_empty() {
                let index = "INSERT INTO search (text, session, run, part, at) VALUES (?1, ?2, ?3, ?4, ?5)";
                transaction.execute(index, params![words, session.as_str(), run, part, Moment::now().0])?;
            }
            touch(transaction, session)?;
            Ok(place)
        })
    }

    /// Keeps a reply that never was in the conversation: the model was asked anew.
    pub fn keep_void(&mut self, session: &SessionId, run: u32, message: &Value) -> Result<(), StoreError> {
        let message = self.masked(message);
        self.write("a reply cannot be kept", |transaction| {
            insert(transaction, session, run, "reply", (&message, Some(NEVER_THERE))).map(drop)
        })
    }

    /// All replies in the order they came, and of each whether it is in the conversation: some are no more or never were.
    pub fn replies(&mut self, session: &SessionId) -> Result<Vec<(Said, bool)>, StoreError> {
        self.read("replies cannot be read", |transaction| {
            let select = "SELECT place, run, part, json, dropped IS NULL FROM message
                WHERE session = ?1 AND part = 'reply' ORDER BY number";
            let row = |row: &rusqlite::Row<'_>| Ok((said(row)?, row.get(4)?));
            transaction.prepare(select)?.query_map([session.as_str()], row)?.collect()
        })
    }

    fn masked(&self, message: &Value) -> Value {
        let mut message = message.clone();
        self.secrets.json(&mut message);
        message
    }

    /// The conversation as it is now.
    pub fn conversation(&mut self, session: &SessionId) -> Result<Vec<Said>, StoreError> {
        self.read("a conversation cannot be read", |transaction| {
            let select = "SELECT place, run, part, json FROM message WHERE session = ?1 AND dropped IS NULL
                ORDER BY place, number DESC";
            transaction.prepare(select)?.query_map([session.as_str()], said)?.collect()
        })
    }

    /// What each run was asked, whether it still is in the conversation or not.
    pub fn prompts(&mut self, session: &SessionId) -> Result<Vec<(u32, String)>, StoreError> {
        self.read("prompts cannot be read", |transaction| {
            let select = "SELECT run, text FROM search WHERE session = ?1 AND part = 'prompt' ORDER BY rowid";
            let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
            transaction.prepare(select)?.query_map([session.as_str()], row)?.collect()
        })
    }

    /// Runs whose prompts a rewind took out of the conversation, or a new beginning; those of a summary are in it still.
    pub fn gone_runs(&mut self, session: &SessionId) -> Result<Vec<u32>, StoreError> {
        self.read("prompts cannot be read", |transaction| {
            let select = "SELECT DISTINCT run FROM message
                WHERE session = ?1 AND part = 'prompt' AND dropped >= 0 ORDER BY run";
            transaction.prepare(select)?.query_map([session.as_str()], |row| row.get(0))?.collect()
        })
    }

    /// Puts a message in the place of those from `first` up to `end`, which leave the conversation.
    pub fn summarise(
        &mut self,
        session: &SessionId,
        (first, end): (Place, Place),
        run: u32,
        message: &Value,
    ) -> Result<(), StoreError> {
        let mut message = message.clone();
        self.secrets.json(&mut message);
        self.write("a summary cannot be kept", |transaction| {
            let insert = "INSERT INTO message (session, place, run, part, json) VALUES (?1, ?2, ?3, 'summary', ?4)";
            transaction.execute(insert, params![session.as_str(), first.0, run, message.to_string()])?;
            let number = transaction.last_insert_rowid();
            // Negative, so that it is no rewind's number.
            let drop = "UPDATE message SET dropped = ?4 WHERE session = ?1 AND place >= ?2 AND place < ?3
                AND dropped IS NULL AND number <> ?5";
            transaction.execute(drop, params![session.as_str(), first.0, end.0, -number, number]).map(drop_count)
        })
    }

    /// Changes the text of a message: a summary that somebody corrected.
    pub fn correct(&mut self, session: &SessionId, place: Place, message: &Value) -> Result<(), StoreError> {
        let mut message = message.clone();
        self.secrets.json(&mut message);
        self.write("a message cannot be changed", |transaction| {
            let update = "UPDATE message SET json = ?3 WHERE session = ?1 AND place = ?2 AND dropped IS NULL";
            transaction.execute(update, params![session.as_str(), place.0, message.to_string()]).map(drop_count)
        })
    }

    /// Puts the whole conversation out, as a new one begins in the same session.
    pub fn clear(&mut self, session: &SessionId) -> Result<(), StoreError> {
        self.write("a conversation cannot be cleared", |transaction| {
            let drop = "UPDATE message SET dropped = 0 WHERE session = ?1 AND dropped IS NULL";
            transaction.execute(drop, [session.as_str()]).map(drop_count)
        })
    }

    /// Sessions with these words, the best match first.
    pub fn search(&mut self, words: &str, project: Option<&str>, limit: usize) -> Result<Vec<Found>, StoreError> {
        // Each word in quotes: what people type is no query language. The last may be the beginning of a word.
        let words: Vec<_> = words.split_whitespace().map(|word| format!("\"{}\"", word.replace('"', "\"\""))).collect();
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let query = format!("{}*", words.join(" "));
        self.read("sessions cannot be searched", |transaction| {
            let select = "SELECT search.session, session.title, search.run, search.part, search.at,
                    snippet(search, 0, '[', ']', '…', 16)
                FROM search JOIN session ON session.id = search.session
                WHERE search MATCH ?1 AND (?2 IS NULL OR session.project = ?2) ORDER BY rank LIMIT ?3";
            let found = |row: &rusqlite::Row<'_>| {
                Ok(Found {
                    session: SessionId::from(row.get::<_, String>(0)?),
                    title: row.get(1)?,
                    run: row.get(2)?,
                    part: row.get(3)?,
                    at: Moment(row.get(4)?),
                    text: row.get(5)?,
                })
            };
            transaction.prepare(select)?.query_map(params![query, project, limit as i64], found)?.collect()
        })
    }
}

/// A message that never was in the conversation; no rewind and no summary has this number.
const NEVER_THERE: i64 = 0;

/// Adds a message, out of the conversation if `dropped` says so. Its place.
fn insert(
    transaction: &Transaction<'_>,
    session: &SessionId,
    run: u32,
    part: &str,
    (message, dropped): (&Value, Option<i64>),
) -> rusqlite::Result<Place> {
    let next = "SELECT coalesce(max(place) + 1, 0) FROM message WHERE session = ?1";
    let place: i64 = transaction.query_row(next, [session.as_str()], |row| row.get(0))?;
    let insert = "INSERT INTO message (session, place, run, part, json, dropped) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    transaction.execute(insert, params![session.as_str(), place, run, part, message.to_string(), dropped])?;
    Ok(Place(place))
}

/// Columns: place, run, part, json.
fn said(row: &rusqlite::Row<'_>) -> rusqlite::Result<Said> {
    let json: String = row.get(3)?;
    Ok(Said {
        place: Place(row.get(0)?),
        run: row.get(1)?,
        part: row.get(2)?,
        message: serde_json::from_str(&json).unwrap_or_default(),
    })
}

fn touch(transaction: &Transaction<'_>, session: &SessionId) -> rusqlite::Result<()> {
    let touch = "UPDATE session SET touched = ?2 WHERE id = ?1";
    transaction.execute(touch, params![session.as_str(), Moment::now().0]).map(drop_count)
}

fn drop_count(_: usize) {}
