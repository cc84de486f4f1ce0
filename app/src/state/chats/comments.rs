//! Comments of a review that a message asks about, and what the run that followed said to each.

use diff::comments::{Answers, Id, Said, answers};
use diff::store::SheetId;

use super::transcript::{CardState, Entry, Item};

/// Comments that a message asks about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commented {
    /// Where they are kept.
    pub sheet: SheetId,
    /// Their threads in the order of their numbers, and where each is: `src/lib.rs:12`.
    pub asked: Vec<(Id, String)>,
    /// The message.
    pub text: String,
}

/// What a run said to comments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    pub comments: std::sync::Arc<Commented>,
    /// Who answered.
    pub model: String,
    pub answers: Answers,
    /// It was asked about them; otherwise it came back to them.
    pub is_first: bool,
}

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

impl Commented {
    /// What was said to them since the last prompt; nothing if that was about something else.
    pub fn answered(self: &std::sync::Arc<Self>, entries: &[Entry], model: &str, is_first: bool) -> Option<Answered> {
        let from = entries.iter().rposition(|entry| matches!(entry.item, Item::Prompt { .. }))?;
        let changes: Vec<Option<String>> = entries[from..].iter().map(|entry| changed(&entry.item)).collect();
        let said: Vec<Said<'_>> = entries[from..]
            .iter()
            .zip(&changes)
            .filter_map(|(entry, change)| match &entry.item {
                Item::Answer { text } => Some(Said::Text(text)),
                _ => change.as_deref().map(Said::Change),
            })
            .collect();
        let places: Vec<String> = self.asked.iter().map(|(_, place)| place.clone()).collect();
        let answers = answers(&said, &places, !is_first);
        let has_any = is_first || !answers.to.is_empty();
        has_any.then(|| Answered { comments: self.clone(), model: model.to_owned(), answers, is_first })
    }
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
    /// What is told in the conversation once `kept` of its answers stand in their threads; nothing where all do.
    pub fn note(&self, kept: &[usize]) -> Option<String> {
        let asked = &self.comments.asked;
        let missing = (0..asked.len()).filter(|number| !kept.contains(number));
        let missing: Vec<String> = missing.map(|number| format!("[{}] {}", number + 1, asked[number].1)).collect();
        let done = asked.len() - missing.len();
        match (self.is_first, kept.len(), missing.len()) {
            (false, 0, _) => None,
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
    use diff::comments::Answers;

    use super::*;

    fn answered(asked: usize, is_first: bool) -> Answered {
        let asked = (0..asked).map(|n| (Id::from_bytes([n as u8; 16]), format!("a.rs:{}", n + 1))).collect();
        let comments = std::sync::Arc::new(Commented { sheet: SheetId::default(), asked, text: String::new() });
        Answered { comments, model: "m".into(), answers: Answers::default(), is_first }
    }

    #[test]
    fn what_was_not_answered_is_named() {
        let note = |asked, kept: &[usize]| answered(asked, true).note(kept).unwrap();
        assert_eq!(note(2, &[0, 1]), "All 2 comments are answered, in the review.");
        assert_eq!(note(1, &[0]), "The comment is answered, in the review.");
        assert_eq!(note(3, &[1]), "1 of 3 comments answered, in the review. Not answered: [1] a.rs:1, [3] a.rs:3.");
        assert!(note(2, &[]).contains("it stays here"), "{}", note(2, &[]));
        assert_eq!(answered(2, false).note(&[]), None, "it was about something else");
    }
}
