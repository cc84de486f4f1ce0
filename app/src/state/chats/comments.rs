//! Comments of a review that a message asks about, and what the run that followed said to each.
//!
//! A run that was stopped, or broke off, did not finish what it said last. That is no answer: its comment waits on.

use std::sync::Arc;

use agent::event::End;
use diff::comments::{Answers, Id, Said, answers};
use diff::store::Identity;
use serde::{Deserialize, Serialize};

use super::transcript::{CardState, Entry, Item};

/// Comments that a message asks about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commented {
    /// The repository whose comments they are.
    pub of: Identity,
    /// Their threads in the order of their numbers, and where each is: `src/lib.rs:12`.
    pub asked: Vec<(Id, String)>,
    /// The message.
    pub text: String,
}

/// The comments that a conversation was asked about last, as its session keeps them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    pub comments: Arc<Commented>,
    /// The run that was asked.
    pub run: u32,
    /// What it said stands in their threads.
    pub answered: bool,
}

/// The comments that a conversation was asked about last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asking {
    pub comments: Arc<Commented>,
    /// What is owed to them; nothing once there was an answer, to which the model may come back.
    pub owed: Option<Owed>,
}

/// An answer that did not come to its comments yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owed {
    /// Of the run that is under way, or of the next.
    Now,
    /// Of this run and what followed: its window was closed in the middle of it.
    Since(u32),
}

/// What a run said to comments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    pub comments: Arc<Commented>,
    /// Who answered.
    pub model: String,
    pub answers: Answers,
    /// It was asked about them; otherwise it came back to them.
    pub is_first: bool,
    /// Some of it may stand in their threads already.
    pub is_late: bool,
    /// Why it was not said to its end.
    pub cut: Option<Cut>,
}

/// Why a run did not say what it had to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Somebody stopped it.
    Stopped,
    /// The server, or the room for its words, was no more there.
    BrokeOff,
}

impl Cut {
    /// How a run was cut that ended like this, if it was.
    pub fn of(end: End) -> Option<Self> {
        match end {
            End::Stopped => Some(Self::Stopped),
            End::Unreachable | End::Overflow | End::Failed => Some(Self::BrokeOff),
            End::Done | End::Answered | End::StepLimit | End::Loop | End::NoAction | End::Denied => None,
        }
    }
}

/// Under which a session keeps what it was asked about last.
pub const KEPT: &str = "comments";

/// A message that asks about comments, which are numbered from 1. What is to be done stands behind them: small models do
/// what they read last.
pub fn message(comments: &str, count: usize) -> String {
    let how = match count {
        1 => "Do what the comment asks for, or say why not. Begin your answer with its number in brackets: [1]"
            .to_owned(),
        _ => format!(
            "Do what the {count} comments ask for, or say why not. Answer every one: begin each answer on a line of its \
             own, with the number of its comment in brackets, from [1] to [{count}]."
        ),
    };
    format!("{}\n\n{how}", comments.trim_end())
}

impl Asking {
    /// As it was kept.
    pub fn of(kept: Kept) -> Self {
        Self { owed: (!kept.answered).then_some(Owed::Since(kept.run)), comments: kept.comments }
    }

    /// What was said to the comments since the last prompt, or is owed to them; nothing if that was about something else.
    pub fn answered(&self, entries: &[Entry], model: &str, cut: Option<Cut>) -> Option<Answered> {
        let is_prompt = |entry: &Entry| matches!(entry.item, Item::Prompt { .. });
        let last = entries.iter().rposition(is_prompt)?;
        let first = match self.owed {
            Some(Owed::Since(run)) => entries
                .iter()
                .position(|entry| matches!(entry.item, Item::Prompt { run: of, .. } if of == run))
                .filter(|first| *first < last),
            Some(Owed::Now) | None => None,
        };
        let is_first = self.owed.is_some();
        let places: Vec<String> = self.comments.asked.iter().map(|(_, place)| place.clone()).collect();
        // What was asked in between may have been something else, whose lists are no numbers of comments.
        let mut found = said(&entries[last..], &places, !is_first || first.is_some());
        // What was said before the window was closed, unless it was said anew since.
        if let Some(first) = first {
            let mut before = said(&entries[first..last], &places, false);
            // The window was closed before the last of it was said.
            before.to.retain(|(number, _)| !before.last.contains(number));
            let known: Vec<usize> = found.to.iter().map(|(number, _)| *number).collect();
            found.to.extend(before.to.into_iter().filter(|(number, _)| !known.contains(number)));
            found.to.sort_by_key(|(number, _)| *number);
        }
        let is_late = matches!(self.owed, Some(Owed::Since(_)));
        let (comments, model) = (self.comments.clone(), model.to_owned());
        let has_any = is_first || !found.to.is_empty();
        has_any.then_some(Answered { comments, model, answers: found, is_first, is_late, cut })
    }
}

/// What is said to comments at some places.
fn said(entries: &[Entry], places: &[String], strict: bool) -> Answers {
    let changes: Vec<Option<String>> = entries.iter().map(|entry| changed(&entry.item)).collect();
    let said: Vec<Said<'_>> = entries
        .iter()
        .zip(&changes)
        .filter_map(|(entry, change)| match &entry.item {
            Item::Answer { text } => Some(Said::Text(text)),
            _ => change.as_deref().map(Said::Change),
        })
        .collect();
    answers(&said, places, strict)
}

/// What an action changed, in a few words.
fn changed(item: &Item) -> Option<String> {
    let Item::Action(card) = item else { return None };
    if card.state != CardState::Done || card.changes.is_empty() {
        return None;
    }
    let changes = card.changes.iter().map(|change| {
        let (path, added, removed) = (&change.path, change.added, change.removed);
        format!("Changed `{path}`, +{added} −{removed}.")
    });
    Some(changes.collect::<Vec<_>>().join("\n"))
}

impl Answered {
    /// Whether what is said to a comment was cut in the middle.
    pub fn is_cut(&self, number: usize) -> bool {
        self.cut.is_some() && self.answers.last.contains(&number)
    }

    /// What is told in the conversation once `kept` of its answers stand in their threads, whole; nothing where all do.
    pub fn note(&self, kept: &[usize]) -> Option<String> {
        let asked = &self.comments.asked;
        let missing = (0..asked.len()).filter(|number| !kept.contains(number));
        let missing: Vec<String> = missing.map(|number| format!("[{}] {}", number + 1, asked[number].1)).collect();
        let done = asked.len() - missing.len();
        match (self.is_first, kept.len(), missing.len()) {
            (false, 0, _) => None,
            (true, _, 1..) if let Some(cut) = self.cut => Some(format!(
                "{} before every comment had its answer. Not answered: {}. They can be sent again from the review.",
                if cut == Cut::Stopped { "It was stopped" } else { "It broke off" },
                missing.join(", ")
            )),
            (false, ..) => Some(format!("Answers to {} went to their threads in the review.", count(kept.len()))),
            (true, 0, _) => Some(format!(
                "No part of this answer names the comment that it is about: it stays here, and {} without an answer.",
                if asked.len() == 1 {
                    "the comment is".to_owned()
                } else {
                    format!("the {} comments are", asked.len())
                }
            )),
            (true, _, 0) => Some(format!("{} answered, in the review.", is_or_are(done))),
            (true, ..) => Some(format!(
                "{} of {} answered, in the review. Not answered: {}.",
                done,
                count(asked.len()),
                missing.join(", ")
            )),
        }
    }
}

fn count(comments: usize) -> String {
    if comments == 1 { "1 comment".to_owned() } else { format!("{comments} comments") }
}

fn is_or_are(comments: usize) -> String {
    if comments == 1 { "The comment is".to_owned() } else { format!("All {comments} comments are") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commented(asked: usize) -> Arc<Commented> {
        let asked = (0..asked).map(|n| (Id::from_bytes([n as u8; 16]), format!("a.rs:{}", n + 1))).collect();
        Arc::new(Commented { of: Identity::named("here"), asked, text: String::new() })
    }

    fn answered(asked: usize, is_first: bool) -> Answered {
        let (model, answers) = ("m".to_owned(), Answers::default());
        Answered { comments: commented(asked), model, answers, is_first, is_late: false, cut: None }
    }

    #[test]
    fn what_was_not_answered_is_named() {
        let note = |asked, kept: &[usize]| answered(asked, true).note(kept).unwrap();
        assert_eq!(note(2, &[0, 1]), "All 2 comments are answered, in the review.");
        assert_eq!(note(1, &[0]), "The comment is answered, in the review.");
        assert_eq!(note(3, &[1]), "1 of 3 comments answered, in the review. Not answered: [1] a.rs:1, [3] a.rs:3.");
        assert!(note(2, &[]).contains("it stays here"), "{}", note(2, &[]));
        assert_eq!(answered(2, false).note(&[]), None, "it was about something else");
        let stopped = Answered { cut: Some(Cut::Stopped), ..answered(2, true) };
        let said = "It was stopped before every comment had its answer. Not answered: [2] a.rs:2. They can be sent again \
                    from the review.";
        assert_eq!(stopped.note(&[0]).as_deref(), Some(said));
    }

    #[test]
    fn what_was_said_before_the_window_closed_counts_unless_it_is_said_anew() {
        let prompt = |run| Item::Prompt { run, text: "?".into(), attached: Vec::new() };
        let answer = |text: &str| Item::Answer { text: text.into() };
        let items = [
            prompt(3),
            answer("[1] Yes.\n[2] Beca"),
            Item::Interrupted { run: 3 },
            prompt(4),
            answer("[2] Because of it.\n[3] No."),
        ];
        let entries: Vec<Entry> = items.into_iter().map(|item| Entry { item, version: 0, open: false }).collect();
        let kept = Kept { comments: commented(3), run: 3, answered: false };
        let kept: Kept = serde_json::from_str(&serde_json::to_string(&kept).unwrap()).unwrap();
        let found = Asking::of(kept.clone()).answered(&entries, "m", None).unwrap();
        let said = |number, text: &str| (number, text.to_owned());
        assert_eq!(found.answers.to, [said(0, "Yes."), said(1, "Because of it."), said(2, "No.")]);
        assert!(found.is_first && found.is_late);
        let found = Asking::of(Kept { answered: true, ..kept }).answered(&entries, "m", None).unwrap();
        assert_eq!(found.answers.to.len(), 2, "it came back to two of them");
    }
}
