//! A message that is being written: its text, what goes along with it, and what can.

use std::borrow::Cow;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::comments::Commented;
use super::picture::Picture;
use super::thread;
use crate::state::documents::DocumentId;
use crate::state::terminals::{TerminalId, Terminals};

/// Bytes of a selection or an output that go along with a message.
pub const MOST: usize = 32 << 10;
/// What the output of a command is called.
const OUTPUT: &str = "Output of the last command";

/// What goes along with a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Attachment {
    /// A file of the project, by its path in it.
    File(String),
    /// A folder of the project: what is in it.
    Folder(String),
    /// A function, type or section of a file, as it was found at this line.
    Symbol { path: String, name: String, line: u32 },
    /// A text with a name: a selection, the output of a command, comments.
    Text { label: String, text: String },
    /// What is not committed, as it is when it is sent.
    Changes,
    /// What language servers say is wrong in a file, or in the whole project, as it is when it is sent; and how much that
    /// was when it was added.
    Problems { path: Option<String>, count: usize },
    /// What a commit says and did.
    Commit { id: String, subject: String },
    /// What was said in another conversation.
    Session { id: String, title: String },
    /// Something to look at.
    Picture(Picture),
}

impl Attachment {
    /// What its chip says.
    pub fn label(&self) -> Cow<'_, str> {
        match self {
            Self::File(path) => path.into(),
            Self::Folder(path) => format!("{path}/").into(),
            Self::Symbol { path, name, .. } => format!("{name} in {}", path.rsplit('/').next().unwrap_or(path)).into(),
            Self::Text { label, .. } => label.into(),
            Self::Changes => thread::CHANGES.into(),
            // Of a path the end alone: a chip that is too small for all of it would leave out how many there are.
            Self::Problems { path, count } => {
                problems(path.as_deref().map(|path| path.rsplit('/').next().unwrap_or(path)), *count).into()
            }
            Self::Commit { id, subject } => format!("{} {subject}", id.get(..7).unwrap_or(id)).into(),
            Self::Session { title, .. } => title.into(),
            Self::Picture(picture) => picture.label.as_str().into(),
        }
    }

    /// What it is called in the middle of a sentence.
    fn name(&self) -> Cow<'_, str> {
        match self {
            Self::Symbol { name, .. } => name.into(),
            Self::Text { label, .. } if label == OUTPUT => "the output of the last command".into(),
            Self::Changes => format!("the {}", thread::CHANGES).into(),
            Self::Problems { path, count } => format!("the {}", problems(path.as_deref(), *count)).into(),
            Self::Commit { id, .. } => format!("commit {}", id.get(..7).unwrap_or(id)).into(),
            Self::Session { title, .. } => format!("\"{title}\"").into(),
            Self::File(_) | Self::Folder(_) | Self::Text { .. } | Self::Picture(_) => self.label(),
        }
    }
}

/// `3 problems in a.py`
fn problems(file: Option<&str>, count: usize) -> String {
    let count = if count == 1 { "1 problem".to_owned() } else { format!("{count} problems") };
    match file {
        Some(file) => format!("{count} in {file}"),
        None => format!("{count} of the project"),
    }
}

/// Something that can go along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Thing {
    Here(Attachment),
    /// What the last command of a terminal wrote; it is read when it is taken.
    Output(TerminalId),
}

impl Thing {
    /// What it is called in lists.
    pub fn label(&self) -> Cow<'_, str> {
        match self {
            Self::Here(attachment) => attachment.label(),
            Self::Output(_) => OUTPUT.into(),
        }
    }

    /// What it is called in the middle of a sentence.
    pub fn name(&self) -> Cow<'_, str> {
        match self {
            Self::Here(attachment) => attachment.name(),
            Self::Output(_) => "the output of the last command".into(),
        }
    }

    /// Words for what it is, which list it as its name does.
    pub fn kinds(&self) -> &'static [&'static str] {
        match self {
            Self::Here(Attachment::Text { .. }) => &["selection"],
            Self::Here(Attachment::Changes) => &["changes", "diff"],
            Self::Here(Attachment::Problems { .. }) => &["problems", "diagnostics"],
            Self::Output(_) => &["output", "terminal"],
            Self::Here(_) => &[],
        }
    }

    /// The thing itself; none where there is no output yet.
    pub fn take(&self, terminals: &Terminals) -> Option<Attachment> {
        let id = match self {
            Self::Here(attachment) => return Some(attachment.clone()),
            Self::Output(id) => *id,
        };
        let output = terminals.live(id)?.with_screen(|screen| {
            let last = screen.last_command()?.id;
            Some(screen.output(last)?.text)
        })?;
        let start = output.len().saturating_sub(MOST);
        let start = (start..output.len()).find(|&at| output.is_char_boundary(at)).unwrap_or(0);
        Some(Attachment::Text { label: OUTPUT.to_owned(), text: output[start..].to_owned() })
    }
}

/// What the things that can go along were gathered from; while it is the same, they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Basis {
    pub root: PathBuf,
    /// The document with the caret: its file, its version and what is selected.
    pub in_use: Option<(Option<PathBuf>, DocumentId, u64, Range<usize>)>,
    /// Files of the project that are open.
    pub open: Vec<PathBuf>,
    /// Texts that are not saved, and their versions.
    pub unsaved: Vec<(DocumentId, u64)>,
    pub terminal: Option<TerminalId>,
    pub branch: Option<String>,
    pub has_repository: bool,
    /// What is known to be wrong, by how often that changed.
    pub problems: u64,
}

/// A message that is being written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    pub text: String,
    #[serde(default)]
    pub attached: Vec<Attachment>,
    /// What of it stays as it is when room is needed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pinned: Vec<Attachment>,
    /// The comments that it asks about, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comments: Option<Arc<Commented>>,
}

/// A message that is being written, as it is kept for the next start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptDraft {
    /// The session it is for; none for one that has not begun.
    pub(super) session: Option<String>,
    #[serde(flatten)]
    pub(super) draft: Draft,
}

/// The conversation that was shown when a window was closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    pub(super) session: agent::event::SessionId,
    pub(super) title: String,
}

impl Draft {
    /// Adds another one below it.
    pub(super) fn join(&mut self, more: Self) {
        let whole = format!("{}\n\n{}", self.text.trim_end(), more.text);
        whole.trim().clone_into(&mut self.text);
        self.comments = self.comments.take().or(more.comments);
        more.attached.into_iter().for_each(|attached| self.attach(attached));
        self.pinned.extend(more.pinned);
    }

    /// Adds something that goes along, once.
    pub fn attach(&mut self, attached: Attachment) {
        // The same problems, of which there were more or fewer before.
        let is_same = |other: &Attachment| match (other, &attached) {
            (Attachment::Problems { path: old, .. }, Attachment::Problems { path: new, .. }) => old == new,
            _ => false,
        };
        if let Some(other) = self.attached.iter_mut().find(|other| is_same(other)) {
            *other = attached;
            return;
        }
        if !self.attached.contains(&attached) {
            self.attached.push(attached);
        }
    }

    /// Without what is too large to be kept.
    pub(super) fn forget_pictures(&mut self) {
        self.attached.retain(|attached| !matches!(attached, Attachment::Picture(_)));
        self.pinned.retain(|attached| !matches!(attached, Attachment::Picture(_)));
    }

    pub fn remove(&mut self, n: usize) {
        if n < self.attached.len() {
            let gone = self.attached.remove(n);
            self.pinned.retain(|pinned| *pinned != gone);
        }
    }

    pub fn is_pinned(&self, attached: &Attachment) -> bool {
        self.pinned.contains(attached)
    }

    /// Has something stay as it is, or no more.
    pub fn toggle_pin(&mut self, n: usize) {
        let Some(attached) = self.attached.get(n) else { return };
        match self.pinned.iter().position(|pinned| pinned == attached) {
            Some(at) => drop(self.pinned.remove(at)),
            None => self.pinned.push(attached.clone()),
        }
    }

    /// What goes along, and whether it is pinned.
    pub fn with_pins(&self) -> Vec<(Attachment, bool)> {
        self.attached.iter().map(|attached| (attached.clone(), self.is_pinned(attached))).collect()
    }

    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.attached.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pinned_is_so_until_it_is_taken_away() {
        let mut draft = Draft::default();
        for path in ["a", "b", "a"] {
            draft.attach(Attachment::File(path.to_owned()));
        }
        draft.toggle_pin(1);
        let pins: Vec<_> =
            draft.with_pins().into_iter().map(|(attached, pinned)| (attached.label().into_owned(), pinned)).collect();
        assert_eq!(pins, [("a".to_owned(), false), ("b".to_owned(), true)]);
        draft.remove(1);
        draft.attach(Attachment::File("b".to_owned()));
        assert!(!draft.is_pinned(&draft.attached[1]));
    }
}
