//! A message that is being written: its text, what goes along with it, and what can.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use agent::context::Piece;
use agent::run::{Mode, Task};
use serde::{Deserialize, Serialize};

use super::comments::Commented;
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
    /// A text with a name: a selection, the output of a command, comments.
    Text { label: String, text: String },
    /// What is not committed, as it is when it is sent.
    Changes,
}

impl Attachment {
    /// What its chip says.
    pub fn label(&self) -> &str {
        match self {
            Self::File(path) => path,
            Self::Text { label, .. } => label,
            Self::Changes => thread::CHANGES,
        }
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
    pub fn label(&self) -> &str {
        match self {
            Self::Here(attachment) => attachment.label(),
            Self::Output(_) => OUTPUT,
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
}

/// A message that is being written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    pub text: String,
    #[serde(default)]
    pub attached: Vec<Attachment>,
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

impl Draft {
    /// Adds another one below it.
    pub(super) fn join(&mut self, more: Self) {
        let whole = format!("{}\n\n{}", self.text.trim_end(), more.text);
        whole.trim().clone_into(&mut self.text);
        self.comments = self.comments.take().or(more.comments);
        for attached in more.attached {
            if !self.attached.contains(&attached) {
                self.attached.push(attached);
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.attached.is_empty()
    }
}

/// A message as the agent is asked it.
pub(super) fn task(draft: Draft, mode: Mode) -> Task {
    let mut task = Task { prompt: draft.text.trim().to_owned(), mode, ..Task::default() };
    for attached in draft.attached {
        match attached {
            Attachment::File(path) => task.files.push(path),
            Attachment::Text { label, text } => {
                let text = agent::tool::fenced(&label, &text);
                task.pieces.push(Piece { title: label, text, ..Piece::default() });
            }
            Attachment::Changes => {} // looked up when its turn comes
        }
    }
    task
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_go_along_by_name_and_texts_as_they_are() {
        let text = Attachment::Text { label: "Output".to_owned(), text: "a\n".to_owned() };
        let attached = vec![Attachment::File("src/a.rs".to_owned()), text, Attachment::Changes];
        let task = task(Draft { text: " Why?\n".to_owned(), attached, comments: None }, Mode::Ask);
        assert_eq!((task.prompt.as_str(), task.files.as_slice()), ("Why?", &["src/a.rs".to_owned()][..]));
        assert_eq!(task.pieces.len(), 1);
        assert!(task.pieces[0].render().starts_with("[Output]\n"), "{}", task.pieces[0].render());
    }
}
