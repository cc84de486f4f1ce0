//! What the model is shown: the conversation, and how it stays within the window.
//!
//! An [`Entry`] is one thing that was said: a snapshot of the editor, a prompt with its attachments, a reply, the results
//! of its actions, a reminder, a summary. The [`Conversation`] is the list of them; as [`messages`](Conversation::messages)
//! of a request it stands behind the system prompt of the mode.
//!
//! Invariant: entries are only added at the end, so each request begins with all of the one before, and the server finds
//! it in its cache. Only when the window gets full are earlier entries made smaller, all in one go ([`budget`]).

pub mod budget;
mod piece;
pub mod snapshot;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use budget::{Budget, Estimate};
pub use piece::{Load, Piece, Shown};

use crate::provider::{Call, Message, Reasoning};
use crate::session::Place;

/// One thing that was said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its place in the store, once it is kept.
    #[serde(skip)]
    pub place: Place,
    /// The run it is of.
    pub run: u32,
    /// The step of the run.
    pub step: u32,
    /// What was said.
    pub body: Body,
}

/// What was said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "part", rename_all = "snake_case")]
pub enum Body {
    /// What the editor shows, the project's structure and rules.
    Snapshot {
        /// What is said of it: all, or what is otherwise than the last one said.
        text: String,
        /// All that was so then.
        #[serde(default)]
        state: Vec<snapshot::Part>,
        /// Whether the text says all.
        #[serde(default)]
        whole: bool,
    },
    /// What the person asks, with the files that come along.
    Prompt {
        /// The text.
        text: String,
        /// The files.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<Piece>,
    },
    /// What the model answered, as it wrote it.
    Reply {
        /// The text, with its tags.
        text: String,
        /// What it thought, where its server wants that back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasoning: Option<Reasoning>,
        /// Its native calls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<Call>,
    },
    /// What became of its actions.
    Results {
        /// One an action, in order.
        pieces: Vec<Piece>,
    },
    /// What the loop has to say to the model.
    Reminder {
        /// The text.
        text: String,
    },
    /// What stands for all that was said before.
    Summary {
        /// The text.
        text: String,
    },
}

impl Body {
    /// Its name in the store.
    pub fn part(&self) -> &'static str {
        match self {
            Self::Snapshot { .. } => "snapshot",
            Self::Prompt { .. } => "prompt",
            Self::Reply { .. } => "reply",
            Self::Results { .. } => "results",
            Self::Reminder { .. } => "reminder",
            Self::Summary { .. } => "summary",
        }
    }

    /// What a search finds of it: what was said, and not what was only looked at.
    pub fn words(&self) -> &str {
        match self {
            Self::Prompt { text, .. } | Self::Reply { text, .. } | Self::Summary { text } => text,
            Self::Snapshot { .. } | Self::Results { .. } | Self::Reminder { .. } => "",
        }
    }

    /// The files and results in it.
    pub fn pieces(&self) -> &[Piece] {
        match self {
            Self::Prompt { files: pieces, .. } | Self::Results { pieces } => pieces,
            _ => &[],
        }
    }

    fn pieces_mut(&mut self) -> &mut [Piece] {
        match self {
            Self::Prompt { files: pieces, .. } | Self::Results { pieces } => pieces,
            _ => &mut [],
        }
    }

    fn messages(&self) -> Vec<Message> {
        match self {
            Self::Snapshot { text, .. } | Self::Reminder { text } => vec![Message::user(text)],
            Self::Summary { text } => vec![Message::user(format!("Summary of what was done so far:\n{text}"))],
            Self::Prompt { text, files } if files.is_empty() => vec![Message::user(text)],
            // What is asked comes first: a small model forgets it less than what follows, and does what it read last.
            Self::Prompt { text, files } => {
                let images = files.iter().filter(|piece| !piece.is_reduced()).filter_map(|piece| piece.image.clone());
                let images = images.collect();
                let files: Vec<_> = files.iter().map(Piece::render).collect();
                vec![Message::User { text: format!("{text}\n\n{}", files.join("\n\n")), images }]
            }
            Self::Reply { text, reasoning, calls } => {
                vec![Message::Assistant { text: text.clone(), reasoning: reasoning.clone(), calls: calls.clone() }]
            }
            Self::Results { pieces } => results(pieces),
        }
    }
}

/// Results of native calls answer their calls; all others are one message of the user.
fn results(pieces: &[Piece]) -> Vec<Message> {
    let (mut messages, mut texts) = (Vec::new(), Vec::new());
    for piece in pieces {
        match &piece.call {
            Some(call) => messages.push(Message::Tool {
                call: call.id.clone(),
                name: call.name.clone(),
                text: piece.body(),
                failed: piece.failed,
            }),
            None => texts.push(piece.render()),
        }
    }
    if !texts.is_empty() {
        messages.push(Message::user(texts.join("\n\n")));
    }
    messages
}

/// All that was said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    entries: Vec<Entry>,
}

impl Conversation {
    /// What was kept of one.
    pub fn new(entries: Vec<Entry>) -> Self {
        Self { entries }
    }

    /// All that was said.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Adds at the end.
    pub fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// The messages of a request: the system prompt, then all that was said. Neighbours of the user are one message, for
    /// many models know no two of them in a row; they are always said together, so this rewrites nothing.
    pub fn messages(&self, system: &str) -> Vec<Message> {
        let mut messages = vec![Message::system(system)];
        for message in self.entries.iter().flat_map(|entry| entry.body.messages()) {
            match (messages.last_mut(), message) {
                (Some(Message::User { text, images }), Message::User { text: more, images: others }) => {
                    text.push_str("\n\n");
                    text.push_str(&more);
                    images.extend(others);
                }
                (_, message) => messages.push(message),
            }
        }
        messages
    }

    /// What the last snapshot said is so, if all that it rests on can still be read.
    pub fn last_state(&self) -> Option<&[snapshot::Part]> {
        let snapshots = self.entries.iter().rev().filter_map(|entry| match &entry.body {
            Body::Snapshot { state, whole, .. } => Some((state, *whole)),
            _ => None,
        });
        let mut last = None;
        for (state, whole) in snapshots {
            last = last.or(Some(state.as_slice()));
            if whole {
                return last;
            }
        }
        None
    }

    /// Whether this content of a file, at least these lines of it, can be read further up.
    pub fn shows(&self, shown: &Shown) -> bool {
        self.entries.iter().flat_map(|entry| entry.body.pieces()).any(|piece| piece.covers(shown))
    }

    /// All of the files and results.
    pub fn pieces_mut(&mut self) -> impl Iterator<Item = (usize, &mut Piece)> {
        self.entries
            .iter_mut()
            .enumerate()
            .flat_map(|(at, entry)| entry.body.pieces_mut().iter_mut().map(move |piece| (at, piece)))
    }

    /// Puts a summary in the place of entries.
    pub fn replace(&mut self, range: std::ops::Range<usize>, summary: Entry) {
        self.entries.splice(range, [summary]);
    }

    /// Forgets what is behind the first so many.
    pub fn truncate(&mut self, length: usize) {
        self.entries.truncate(length);
    }
}
