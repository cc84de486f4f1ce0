//! Comments on lines of a review that follow their text.
//!
//! A *thread* hangs on an [`Anchor`]: lines of one side of a file, with what they said and a few lines around them. Its
//! *origin* is the whole text of that side as it was when the comment was made. An anchor never changes; where its lines
//! are now is found anew for each content by comparing with the origin, as Gerrit ports comments from one patch set to the
//! next ([`place`]). While a document is typed in, places are mapped through its change sets ([`Pins`]).
//!
//! A thread whose lines are gone is *stale*: it stands near where they were and shows what they said. Drafts are messages
//! that were not sent yet. Nothing here stores anything; see [`crate::store`].

mod anchor;
mod answers;
mod markdown;
mod pins;
mod place;
#[cfg(test)]
mod tests;

use std::fmt;
use std::hash::{BuildHasher, RandomState};

pub use anchor::{Anchor, MAX_ORIGIN, Origin};
pub use answers::{Answers, Said, answers};
pub use markdown::{Exported, MarkdownOptions, Numbers, markdown};
pub use pins::{Pin, Pins};
pub use place::{How, Placement, place};

use serde::{Deserialize, Serialize};

use crate::git::FileChange;

/// Names something for good, in every window and on every machine: 128 bits made by chance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Id([u8; 16]);

impl Id {
    /// A name that nothing else has.
    pub fn new() -> Self {
        // Each state is keyed by what the system gives as chance, so that its hashes cannot be told from chance.
        let half = || RandomState::new().hash_one(std::process::id()).to_le_bytes();
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&half());
        bytes[8..].copy_from_slice(&half());
        Self(bytes)
    }

    /// Takes sixteen bytes, as they were stored.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The sixteen bytes.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl Default for Id {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..4].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A moment, in seconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Moment(pub i64);

impl Moment {
    /// What the clock of the system says.
    pub fn now() -> Self {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Self(since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX)))
    }
}

/// What somebody said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its name.
    pub id: Id,
    /// Who said it.
    pub author: String,
    /// What, as Markdown.
    pub text: String,
    /// When it was begun.
    pub at: Moment,
    /// When its text was last changed, if it was.
    pub edited: Option<Moment>,
    /// Not sent yet: it is kept, but nobody else is told.
    pub draft: bool,
    /// A model said it.
    pub model: bool,
    /// It was stopped in the middle of it: this is no answer yet.
    pub cut: bool,
}

impl Message {
    /// A message of now that was not sent yet.
    pub fn draft(author: impl Into<String>, text: impl Into<String>) -> Self {
        let (author, text) = (author.into(), text.into());
        Self { id: Id::new(), author, text, at: Moment::now(), edited: None, draft: true, model: false, cut: false }
    }

    /// A message of now.
    pub fn sent(author: impl Into<String>, text: impl Into<String>) -> Self {
        Self { draft: false, ..Self::draft(author, text) }
    }

    /// What a model says now.
    pub fn of_model(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { model: true, ..Self::sent(name, text) }
    }
}

/// What was said about some lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its name.
    pub id: Id,
    /// Which lines.
    pub anchor: Anchor,
    /// What was reviewed when it was begun, for people: `main...topic`.
    pub source: String,
    /// Whether it is done with.
    pub resolved: bool,
    /// What was said, in the order it was begun.
    pub messages: Vec<Message>,
}

impl Thread {
    /// A thread that begins with a message.
    pub fn new(anchor: Anchor, source: impl Into<String>, message: Message) -> Self {
        Self { id: Id::new(), anchor, source: source.into(), resolved: false, messages: vec![message] }
    }

    /// Whether it is about lines of this file: its path on that side, or where the file was before it was renamed.
    pub fn is_of(&self, change: &FileChange) -> bool {
        let path = &self.anchor.path;
        *path == change.path || change.old_path.as_ref() == Some(path)
    }

    /// Whether there is nothing in it that was sent.
    pub fn is_draft(&self) -> bool {
        self.messages.iter().all(|message| message.draft)
    }

    /// Whether a model answered it, to the end, and nobody has said anything since.
    pub fn is_answered(&self) -> bool {
        self.messages.iter().rfind(|message| !message.draft).is_some_and(|message| message.model && !message.cut)
    }

    /// Whether somebody waits for an answer: something was sent, and it is neither resolved nor answered.
    pub fn is_waiting(&self) -> bool {
        !self.resolved && !self.is_draft() && !self.is_answered()
    }
}
