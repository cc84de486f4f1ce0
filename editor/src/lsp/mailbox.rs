//! What the owner of documents has to say, until the thread of the servers takes it.
//!
//! Putting something in never waits, and nothing is lost when it is not taken for a while: what follows each other in one
//! document becomes one. Of a document there are never more than a closing, an opening, a change, a saving and a
//! change, so the box is bounded by how many documents there are.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::launch::Launch;
use crate::change::ChangeSet;
use crate::syntax::Language;
use crate::text::Text;

/// What happened to a document.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Deed {
    Open {
        language: Language,
        text: Text,
        version: u64,
    },
    /// Without a change the text is another altogether.
    Change {
        version: u64,
        before: Text,
        text: Text,
        change: Option<ChangeSet>,
    },
    Save {
        text: Text,
    },
    Close,
}

/// What is wanted of servers.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wish {
    Allow(Launch),
    Forbid(String),
    Restart(String),
}

/// What was in the box.
#[derive(Debug, Default)]
pub(super) struct Mail {
    /// In the order in which they came.
    pub wishes: Vec<Wish>,
    /// In the order in which their documents came.
    pub deeds: Vec<(PathBuf, Vec<Deed>)>,
    /// Whether this is the last.
    pub closed: bool,
}

/// The box.
#[derive(Debug, Default)]
pub(super) struct Mailbox {
    waiting: Mutex<Waiting>,
    filled: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    mail: Mail,
    /// Where the deeds of a document are.
    at: HashMap<PathBuf, usize>,
}

impl Mailbox {
    pub fn wish(&self, wish: Wish) {
        self.lock().mail.wishes.push(wish);
        self.filled.notify_one();
    }

    pub fn deed(&self, path: &Path, deed: Deed) {
        let mut waiting = self.lock();
        let at = match waiting.at.get(path) {
            Some(at) => *at,
            None => {
                let at = waiting.mail.deeds.len();
                waiting.mail.deeds.push((path.to_owned(), Vec::new()));
                waiting.at.insert(path.to_owned(), at);
                at
            }
        };
        if let Some((_, deeds)) = waiting.mail.deeds.get_mut(at) {
            add(deeds, deed);
        }
        drop(waiting);
        self.filled.notify_one();
    }

    pub fn close(&self) {
        self.lock().mail.closed = true;
        self.filled.notify_one();
    }

    /// Waits until there is something, and takes it all.
    pub async fn take(&self) -> Mail {
        loop {
            {
                let mut waiting = self.lock();
                let closed = waiting.mail.closed;
                if closed || !waiting.mail.wishes.is_empty() || !waiting.mail.deeds.is_empty() {
                    waiting.at.clear();
                    let mail = std::mem::take(&mut waiting.mail);
                    waiting.mail.closed = closed;
                    return mail;
                }
            }
            self.filled.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds a deed to those of a document, as one with the last where it can be.
fn add(deeds: &mut Vec<Deed>, deed: Deed) {
    match deed {
        Deed::Open { .. } => deeds.push(deed),
        Deed::Close => {
            // What was opened here was seen by nobody; all else before it is of no use any more.
            let opened = deeds.iter().position(|deed| matches!(deed, Deed::Open { .. }));
            let was_closed = matches!(deeds.first(), Some(Deed::Close));
            deeds.clear();
            if was_closed || opened != Some(0) {
                deeds.push(Deed::Close);
            }
        }
        Deed::Save { .. } => {
            // One saving is as good as two: an earlier one goes, and what changed around it is one change.
            let earlier = deeds.iter().rposition(|deed| matches!(deed, Deed::Save { .. }));
            if let Some(at) = earlier {
                deeds.remove(at);
                if at < deeds.len() {
                    let later = deeds.remove(at);
                    let rest = deeds.split_off(at);
                    add(deeds, later);
                    deeds.extend(rest);
                }
            }
            deeds.push(deed);
        }
        Deed::Change { version, before, text, change } => match deeds.last_mut() {
            Some(Deed::Open { text: opened, version: at, .. }) => (*opened, *at) = (text, version),
            Some(Deed::Change { version: at, text: middle, change: first, .. }) => {
                let follows = middle.same(&before);
                *first = match (first.take(), change) {
                    (Some(first), Some(second)) if follows && first.len_after() == second.len_before() => {
                        Some(first.compose(&second))
                    }
                    _ => None,
                };
                (*middle, *at) = (text, version);
            }
            _ => deeds.push(Deed::Change { version, before, text, change }),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language() -> Language {
        Language::from_name("rust").unwrap()
    }

    /// The deeds that are left of some, in short: `o` opens, a letter more appends it, `s` saves, `c` closes.
    #[track_caller]
    fn check(done: &str, expected: &str) {
        let (mut deeds, mut text, mut version) = (Vec::new(), Text::from("-"), 0);
        for c in done.chars() {
            let deed = match c {
                'o' => Deed::Open { language: language(), text: text.clone(), version },
                's' => Deed::Save { text: text.clone() },
                'c' => Deed::Close,
                c => {
                    let change = ChangeSet::from_edits(text.len(), [(text.len()..text.len(), c.to_string())]);
                    let after = change.apply(&text);
                    let before = std::mem::replace(&mut text, after);
                    version += 1;
                    Deed::Change { version, before, text: text.clone(), change: Some(change) }
                }
            };
            add(&mut deeds, deed);
        }
        let left: Vec<String> = deeds
            .iter()
            .map(|deed| match deed {
                Deed::Open { text, version, .. } => format!("open {text} {version}"),
                Deed::Change { before, text, change: Some(change), version } => {
                    assert_eq!(&change.apply(before), text);
                    format!("{before}>{text} {version}")
                }
                Deed::Change { .. } => "whole".to_owned(),
                Deed::Save { text } => format!("save {text}"),
                Deed::Close => "close".to_owned(),
            })
            .collect();
        assert_eq!(left.join(", "), expected, "{done}");
    }

    #[test]
    fn deeds_of_a_document_become_few() {
        check("xyz", "->-xyz 3");
        check("oxy", "open -xy 2");
        check("oxsy", "open -x 1, save -x, -x>-xy 2");
        check("xsysz", "->-xy 2, save -xy, -xy>-xyz 3");
        check("ss", "save -");
        check("xysc", "close");
        check("oxysc", "");
        check("xco", "close, open -x 1");
        check("xcoyc", "close");
        check("coxsysz", "close, open -xy 2, save -xy, -xy>-xyz 3");
    }

    #[test]
    fn a_change_that_does_not_follow_is_the_whole_text() {
        let change = |before: &str, after: &str| {
            let (before, text) = (Text::from(before), Text::from(after));
            let change = ChangeSet::replace_all(before.len(), after);
            Deed::Change { version: 1, before, text, change: Some(change) }
        };
        let mut deeds = Vec::new();
        add(&mut deeds, change("a", "b"));
        add(&mut deeds, change("x", "y"));
        let [Deed::Change { change: None, text, .. }] = &*deeds else { panic!("{deeds:?}") };
        assert_eq!(text.to_string(), "y");
    }
}
