//! What is to be done in a session: items that may wait for others.

use std::fmt::Write as _;
use std::sync::{Arc, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Outcome, Tool, Use};

/// How far an item is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Not begun.
    #[default]
    Open,
    /// Begun.
    Started,
    /// Done.
    Done,
}

/// Something to do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Its number, from 1.
    #[serde(default)]
    pub id: u32,
    /// What is to be done.
    pub text: String,
    /// How far it is.
    #[serde(default)]
    pub state: State,
    /// Items that must be done before.
    #[serde(default)]
    pub blocked_by: Vec<u32>,
}

/// Why the list was not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TodoError {
    /// There is no such item.
    #[error("there is no item {0}")]
    Unknown(u32),
    /// It waits for others.
    #[error("item {id} waits for {}; do {} first", list(.by), if .by.len() == 1 { "that" } else { "those" })]
    Blocked {
        /// The item.
        id: u32,
        /// What it waits for.
        by: Vec<u32>,
    },
    /// Items would wait for each other for ever.
    #[error("item {0} would wait for itself")]
    Circle(u32),
}

fn list(ids: &[u32]) -> String {
    ids.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

/// The list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Todo {
    items: Vec<Item>,
}

impl Todo {
    /// The items, in the order they were added.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Adds items, all or none. Those without a number get the next; they may wait for each other.
    pub fn add(&mut self, items: Vec<Item>) -> Result<(), TodoError> {
        let mut with = self.clone();
        for mut item in items {
            let taken = with.items.iter().any(|known| known.id == item.id);
            if item.id == 0 || taken {
                item.id = with.items.iter().map(|known| known.id).max().unwrap_or(0) + 1;
            }
            with.items.push(item);
        }
        for item in &with.items {
            if let Some(unknown) = item.blocked_by.iter().find(|id| with.find(**id).is_none()) {
                return Err(TodoError::Unknown(*unknown));
            }
            if with.reaches(item.id, item.id, &mut Vec::new()) {
                return Err(TodoError::Circle(item.id));
            }
        }
        *self = with;
        Ok(())
    }

    /// Says how far an item is. One that waits for others can be neither begun nor done.
    pub fn set(&mut self, id: u32, state: State) -> Result<(), TodoError> {
        let item = self.find(id).ok_or(TodoError::Unknown(id))?;
        let is_open = |id: &&u32| self.find(**id).is_some_and(|item| item.state != State::Done);
        let by: Vec<_> = item.blocked_by.iter().filter(is_open).copied().collect();
        if state != State::Open && !by.is_empty() {
            return Err(TodoError::Blocked { id, by });
        }
        if let Some(item) = self.items.iter_mut().find(|item| item.id == id) {
            item.state = state;
        }
        Ok(())
    }

    /// As people and models read it.
    pub fn render(&self) -> String {
        if self.items.is_empty() {
            return "the list is empty".to_owned();
        }
        let mut out = String::new();
        for item in &self.items {
            let mark = match item.state {
                State::Open => ' ',
                State::Started => '~',
                State::Done => 'x',
            };
            // Writing into a string cannot fail.
            let _ = write!(out, "[{mark}] {}: {}", item.id, item.text);
            if !item.blocked_by.is_empty() {
                let _ = write!(out, " (after {})", list(&item.blocked_by));
            }
            out.push('\n');
        }
        out
    }

    fn find(&self, id: u32) -> Option<&Item> {
        self.items.iter().find(|item| item.id == id)
    }

    fn reaches(&self, from: u32, to: u32, seen: &mut Vec<u32>) -> bool {
        let Some(item) = self.find(from) else { return false };
        item.blocked_by.iter().any(|next| {
            *next == to
                || !seen.contains(next) && {
                    seen.push(*next);
                    self.reaches(*next, to, seen)
                }
        })
    }
}

/// The tool that keeps the list.
pub(super) fn tool() -> Tool {
    Tool {
        name: "todo".to_owned(),
        description: "keeps the list of what is to be done; add takes \"items\": [{\"text\": \"…\", \"blocked_by\": [1]}], start and done take \"id\"".to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "do": {"type": "string", "enum": ["add", "start", "done", "list"]},
                "items": {"type": "array", "items": {
                    "type": "object",
                    "properties": {
                        "text": {"type": "string"},
                        "blocked_by": {"type": "array", "items": {"type": "integer"}}
                    },
                    "required": ["text"]
                }},
                "id": {"type": "integer"}
            },
            "required": ["do"]
        }),
        // It changes nothing but its own list; but two uses at once would not be in order.
        reads: false,
        run: Arc::new(run),
    }
}

fn run(call: &Use<'_>) -> Outcome {
    let mut todo = call.world.todo.lock().unwrap_or_else(PoisonError::into_inner);
    let id = || {
        call.arguments
            .get("id")
            .and_then(Value::as_u64)
            .map(|id| id as u32)
            .ok_or("\"id\" must be the number of an item")
    };
    let asked = call.arguments.get("do").or_else(|| call.arguments.get("op")).and_then(Value::as_str).unwrap_or("list");
    let done = match asked {
        "add" => match serde_json::from_value::<Vec<Item>>(call.arguments.get("items").cloned().unwrap_or_default()) {
            Ok(items) => todo.add(items).map_err(|error| error.to_string()),
            Err(error) => Err(format!("\"items\" must be a list of {{\"text\": \"…\", \"blocked_by\": [1]}}: {error}")),
        },
        "start" => {
            id().map_err(str::to_owned).and_then(|id| todo.set(id, State::Started).map_err(|error| error.to_string()))
        }
        "done" => {
            id().map_err(str::to_owned).and_then(|id| todo.set(id, State::Done).map_err(|error| error.to_string()))
        }
        "list" => Ok(()),
        other => Err(format!("\"do\" must be add, start, done or list, not {other:?}")),
    };
    match done {
        Ok(()) => Outcome::done(todo.render()),
        Err(error) => Outcome::failed(error),
    }
}
