//! Making room: the model writes what must not be lost, and that takes the place of what was said.
//!
//! The last steps stay as they are. Should the model fail at it, a list of what was asked and done takes its place.

use std::fmt::Write as _;

use editor::Cancel;

use super::{Agent, Running, keep_changed, prompt};
use crate::context::{Body, Entry, budget};
use crate::event::EventKind;
use crate::provider::{Message, Request};
use crate::session::Place;
use crate::tool::Toolbox;

/// Entries at the end that stay: the last two steps.
const STAY: usize = 4;
/// Tokens that a summary may have.
const TOKENS: u32 = 700;

impl Agent {
    /// Puts a summary in the place of all but the last steps. False if there is nothing to put together.
    pub(super) fn summarise(&mut self, run: &mut Running, cancel: &Cancel) -> bool {
        self.sum_up(run, None, cancel)
    }

    /// The same, with the words of the person if there are some.
    pub(super) fn sum_up(&mut self, run: &mut Running, given: Option<String>, cancel: &Cancel) -> bool {
        let entries = self.conversation.entries();
        // What stays begins with a reply, so that results do not lose what they are results of.
        let is_reply = |at: &usize| matches!(entries[*at].body, Body::Reply { .. });
        let cut = (0..=entries.len().saturating_sub(STAY)).rev().find(|at| *at < entries.len() && is_reply(at));
        let cut = cut.unwrap_or(entries.len().saturating_sub(STAY));
        if cut < 2 {
            return false;
        }
        let asked: Vec<_> = entries[..cut].iter().filter_map(|entry| prompt_of(&entry.body)).collect();
        let task = asked.last().cloned().unwrap_or_default();
        let mechanical = list(&entries[..cut]);
        let written = given.or_else(|| self.ask_for_summary(run, cancel)).unwrap_or(mechanical);
        let text = format!("{written}\n\nWhat was asked last, word for word: {task}");
        let entries = self.conversation.entries();
        let places = (entries[0].place, entries.get(cut).map_or(Place(i64::MAX), |entry| entry.place));
        let body = Body::Summary { text: self.world.secrets.clean(text) };
        let summary = Entry { place: places.0, run: run.number, step: run.step, body };
        if let Ok(message) = serde_json::to_value(&summary) {
            let kept = self.store.summarise(&self.session, places, run.number, &message);
            self.note_store(kept, run.number);
        }
        self.conversation.replace(0..cut, summary);
        self.emit(
            run.number,
            EventKind::Notice { text: format!("{cut} earlier messages were summed up to make room"), recast: None },
        );
        true
    }

    /// The summary that stands for what was said before, if there is one.
    pub fn summary(&self) -> Option<&str> {
        self.conversation.entries().iter().rev().find_map(|entry| match &entry.body {
            Body::Summary { text } => Some(text.as_str()),
            _ => None,
        })
    }

    /// Puts other words in the place of the summary; false if there is none.
    pub fn correct_summary(&mut self, text: &str) -> bool {
        let text = self.world.secrets.clean(text.to_owned());
        let is_summary = |entry: &Entry| matches!(entry.body, Body::Summary { .. });
        let Some(at) = self.conversation.entries().iter().rposition(is_summary) else { return false };
        let before = self.conversation.entries()[at].clone();
        self.conversation.replace(at..at + 1, Entry { body: Body::Summary { text }, ..before });
        keep_changed(self, &[at], before.run);
        true
    }

    /// The model's own summary; none if it fails, or if there is no room even to ask.
    fn ask_for_summary(&mut self, run: &mut Running, cancel: &Cancel) -> Option<String> {
        let system = prompt::system(self.teaching(run.mode), &Toolbox::default());
        let limits = self.budget();
        let fixed = system.len() + prompt::SUMMARISE.len();
        if !limits.fits(fixed + budget::bytes(&self.conversation)) {
            return None;
        }
        let mut messages = self.conversation.messages(&system);
        match messages.last_mut() {
            Some(Message::User { text, .. }) => {
                text.push_str("\n\n");
                text.push_str(prompt::SUMMARISE);
            }
            _ => messages.push(Message::user(prompt::SUMMARISE)),
        }
        let output = TOKENS.min(u32::try_from(limits.reply).unwrap_or(TOKENS));
        let request = Request { messages, output_limit: Some(output), session: Some(self.key()), ..Request::default() };
        let quiet = self.quiet(run, request, cancel);
        quiet.filter(|text| text.len() > 20)
    }

    /// Asks the model beside the run: what it answers is nobody's event.
    fn quiet(&mut self, run: &mut Running, request: Request, cancel: &Cancel) -> Option<String> {
        let sink = std::mem::replace(&mut run.quiet, true);
        let begun = run.begun.take(); // is the beginning of another reply
        let received = self.receive(run, request, &Toolbox::default(), cancel);
        (run.quiet, run.begun) = (sink, begun);
        received.ok().and_then(|received| received.answer())
    }
}

fn prompt_of(body: &Body) -> Option<String> {
    match body {
        Body::Prompt { text, .. } => Some(text.clone()),
        // A summary of a summary must not lose the task.
        Body::Summary { text } => text.rsplit_once("word for word: ").map(|(_, task)| task.to_owned()),
        _ => None,
    }
}

/// What was asked and done, as far as titles say it.
fn list(entries: &[Entry]) -> String {
    let mut out = String::from("What was done, in order:\n");
    for entry in entries {
        // Writing into a string cannot fail.
        let _ = match &entry.body {
            Body::Prompt { text, .. } => writeln!(out, "asked: {}", text.chars().take(300).collect::<String>()),
            Body::Summary { text } => writeln!(out, "{}", text.chars().take(1500).collect::<String>()),
            Body::Results { pieces } => pieces.iter().try_for_each(|piece| {
                writeln!(out, "{}: {}", piece.title, if piece.failed { "failed" } else { "done" })
            }),
            _ => Ok(()),
        };
    }
    out
}
