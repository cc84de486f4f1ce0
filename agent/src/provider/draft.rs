//! A reply while it comes in: what every kind of server has in common once its frames are understood.
//!
//! Invariants: an answer that begins with `<think>` is reasoning up to its `</think>`, wherever the stream is cut; the
//! same tag later in a text is text. Native calls are joined by index, and a server without indexes by id, or each piece
//! with a name is a call of its own.

use std::collections::BTreeMap;

use serde_json::Value;

use super::message::{Call, Reasoning, Seal};
use super::reply::{Event, Finish, FinishReason, Progress, Usage};

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Draft {
    /// What is to be sent on.
    pub events: Vec<Event>,
    pub usage: Usage,
    /// Set when the server says why it stops.
    pub reason: Option<FinishReason>,
    /// The server declared the end of its stream.
    pub is_over: bool,
    /// Bytes of the answer so far.
    pub text_bytes: usize,
    reasoning: String,
    /// Which field of reasoning the server fills, where it fills two with the same.
    pub reasoning_field: Option<&'static str>,
    /// Blocks to be sent back as they came, by their index.
    pub sealed: BTreeMap<usize, Value>,
    calls: BTreeMap<usize, Call>,
    /// Our index of the call that was last begun under an index of the server.
    wire: BTreeMap<usize, usize>,
    think: Think,
}

/// A piece of a native call, as a frame has it.
#[derive(Debug, Default)]
pub(super) struct CallPiece<'a> {
    pub index: Option<usize>,
    pub id: Option<&'a str>,
    pub name: Option<&'a str>,
    pub arguments: &'a str,
}

impl Draft {
    /// Whether something of the answer was sent on, so that it cannot be asked for again in silence.
    pub fn has_begun(&self) -> bool {
        self.text_bytes > 0 || !self.reasoning.is_empty() || !self.calls.is_empty()
    }

    pub fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.text_bytes += text.len();
        for (is_reasoning, piece) in self.think.push(text) {
            self.piece(is_reasoning, piece);
        }
    }

    pub fn reasoning(&mut self, text: &str) {
        if !text.is_empty() {
            self.piece(true, text.to_owned());
        }
    }

    fn piece(&mut self, is_reasoning: bool, text: String) {
        if text.is_empty() {
        } else if is_reasoning {
            self.reasoning.push_str(&text);
            self.events.push(Event::Reasoning(text));
        } else {
            self.events.push(Event::Text(text));
        }
    }

    pub fn usage(&mut self, usage: &Usage) {
        if *usage != Usage::default() {
            self.usage.merge(usage);
            self.events.push(Event::Usage(self.usage));
        }
    }

    pub fn reading(&mut self, progress: Progress) {
        self.events.push(Event::Reading(progress));
    }

    pub fn call(&mut self, piece: &CallPiece) {
        let index = self.index_of(piece);
        let is_new = !self.calls.contains_key(&index);
        let call = self.calls.entry(index).or_default();
        if let Some(id) = piece.id.filter(|id| !id.is_empty()) {
            id.clone_into(&mut call.id);
        }
        // Some servers repeat the name with every piece; none sends it in parts.
        if let Some(name) = piece.name.filter(|name| !name.is_empty())
            && call.name.is_empty()
        {
            name.clone_into(&mut call.name);
        }
        call.arguments.push_str(piece.arguments);
        if is_new {
            self.events.push(Event::CallStarted { index, name: call.name.clone() });
        }
        if !piece.arguments.is_empty() {
            self.events.push(Event::CallArguments { index, text: piece.arguments.to_owned() });
        }
    }

    /// The call that a piece belongs to.
    fn index_of(&mut self, piece: &CallPiece) -> usize {
        let next = self.calls.keys().next_back().map_or(0, |last| last + 1);
        let id = piece.id.filter(|id| !id.is_empty());
        if let Some(wire) = piece.index {
            // Some servers number every call 0 and tell them apart by their ids alone.
            let known = self.wire.get(&wire).copied().filter(|index| {
                let before = self.calls.get(index).map(|call| call.id.as_str()).unwrap_or_default();
                id.is_none_or(|id| before.is_empty() || before == id)
            });
            let index = known.unwrap_or_else(|| if self.calls.contains_key(&wire) { next } else { wire });
            self.wire.insert(wire, index);
            return index;
        }
        let last = self.calls.keys().next_back().copied();
        if let Some(id) = id {
            let known = self.calls.iter().find(|(_, call)| call.id == id).map(|(index, _)| *index);
            return known.unwrap_or(next);
        }
        match (last, piece.name) {
            (Some(last), None) => last,
            _ => next,
        }
    }

    /// Sends on what was held back; called at the end of the stream.
    pub fn flush(&mut self) {
        for (is_reasoning, piece) in self.think.finish() {
            self.piece(is_reasoning, piece);
        }
    }

    /// The end of a reply that is whole.
    pub fn finish(self, reason: FinishReason, model: &str) -> Finish {
        let calls: Vec<_> = self
            .calls
            .into_iter()
            .map(|(index, mut call)| {
                if call.id.is_empty() {
                    call.id = format!("call_{index}");
                }
                call
            })
            .collect();
        // Servers that speak of `stop` though the model called a tool are many.
        let reason = if reason == FinishReason::Stop && !calls.is_empty() { FinishReason::Calls } else { reason };
        let seal = (!self.sealed.is_empty())
            .then(|| Seal { model: model.to_owned(), blocks: self.sealed.into_values().collect() });
        let reasoning =
            (!self.reasoning.is_empty() || seal.is_some()).then_some(Reasoning { text: self.reasoning, seal });
        Finish { reason, usage: self.usage, calls, reasoning, answered_by: model.to_owned(), because: None, cost: None }
    }
}

/// Tells `<think>…</think>` at the beginning of an answer from the answer.
#[derive(Debug, Default)]
struct Think {
    state: ThinkState,
    held: String,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum ThinkState {
    /// Nothing but white space and perhaps a beginning of the tag.
    #[default]
    Start,
    Inside,
    /// Behind the end: white space up to the answer is dropped.
    Gap,
    Answer,
}

const OPEN: [&str; 2] = ["<think>", "<thinking>"];
const CLOSE: [&str; 2] = ["</think>", "</thinking>"];

impl Think {
    /// The pieces that are certain now: whether each is reasoning, and its text.
    fn push(&mut self, text: &str) -> Vec<(bool, String)> {
        if self.state == ThinkState::Answer {
            return vec![(false, text.to_owned())];
        }
        self.held.push_str(text);
        let mut out = Vec::new();
        if self.state == ThinkState::Start {
            let seen = self.held.trim_start();
            if let Some(tag) = OPEN.iter().find(|tag| seen.starts_with(**tag)) {
                self.held = seen[tag.len()..].to_owned();
                self.state = ThinkState::Inside;
            } else if !OPEN.iter().any(|tag| tag.starts_with(seen)) {
                self.state = ThinkState::Answer;
                out.push((false, std::mem::take(&mut self.held)));
            }
        }
        if self.state == ThinkState::Inside {
            let end = CLOSE.iter().filter_map(|tag| Some((self.held.find(tag)?, tag.len()))).min();
            if let Some((at, length)) = end {
                out.push((true, self.held[..at].to_owned()));
                self.held.drain(..at + length);
                self.state = ThinkState::Gap;
            } else {
                let certain = self.held.len() - partial(&self.held);
                out.push((true, self.held.drain(..certain).collect()));
            }
        }
        if self.state == ThinkState::Gap {
            self.held.drain(..self.held.len() - self.held.trim_start().len());
            if !self.held.is_empty() {
                self.state = ThinkState::Answer;
                out.push((false, std::mem::take(&mut self.held)));
            }
        }
        out
    }

    fn finish(&mut self) -> Vec<(bool, String)> {
        let held = std::mem::take(&mut self.held);
        vec![(self.state == ThinkState::Inside, held)]
    }
}

/// How many bytes at the end may be the beginning of a closing tag.
fn partial(text: &str) -> usize {
    let longest = CLOSE.iter().map(|tag| tag.len()).max().unwrap_or_default();
    (1..longest.min(text.len() + 1))
        .rev()
        .find(|length| {
            text.is_char_boundary(text.len() - length)
                && CLOSE.iter().any(|tag| tag.starts_with(&text[text.len() - length..]))
        })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, reasoning: &str, answer: &str) {
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            let mut draft = Draft::default();
            draft.text(&text[..at]);
            draft.text(&text[at..]);
            draft.flush();
            let (mut thought, mut said) = (String::new(), String::new());
            for event in &draft.events {
                match event {
                    Event::Reasoning(text) => thought.push_str(text),
                    Event::Text(text) => said.push_str(text),
                    other => panic!("{other:?}"),
                }
            }
            assert_eq!((thought.as_str(), said.as_str()), (reasoning, answer), "cut at {at}");
        }
    }

    #[test]
    fn thinking_at_the_beginning_is_reasoning() {
        check("<think>a < b</think>\n\nyes", "a < b", "yes");
        check("\n<thinking>é</thinking>yes", "é", "yes");
        check("<think>never closed </thi", "never closed </thi", "");
    }

    #[test]
    fn thinking_later_on_is_text() {
        check("the tag <think>x</think> is text", "", "the tag <think>x</think> is text");
        check("<thi", "", "<thi");
        check("  plain", "", "  plain");
    }

    fn calls(pieces: &[CallPiece]) -> Vec<(String, String, String)> {
        let mut draft = Draft::default();
        for piece in pieces {
            draft.call(piece);
        }
        let calls = draft.finish(FinishReason::Stop, "m").calls;
        calls.into_iter().map(|call| (call.id, call.name, call.arguments)).collect()
    }

    fn call(id: &str, name: &str, arguments: &str) -> (String, String, String) {
        (id.to_owned(), name.to_owned(), arguments.to_owned())
    }

    #[test]
    fn calls_are_joined_by_their_index_even_interleaved() {
        let pieces = [
            CallPiece { index: Some(0), id: Some("a"), name: Some("read"), arguments: "{\"p\":" },
            CallPiece { index: Some(1), id: Some("b"), name: Some("list"), arguments: "" },
            CallPiece { index: Some(0), arguments: "1}", ..CallPiece::default() },
            CallPiece { index: Some(1), name: Some("list"), arguments: "{}", ..CallPiece::default() },
        ];
        assert_eq!(calls(&pieces), [call("a", "read", "{\"p\":1}"), call("b", "list", "{}")]);
    }

    #[test]
    fn calls_that_are_all_numbered_alike_are_told_apart_by_id() {
        let pieces = [
            CallPiece { index: Some(0), id: Some("a"), name: Some("read"), arguments: "{}" },
            CallPiece { index: Some(0), id: Some("b"), name: Some("read"), arguments: "{" },
            CallPiece { index: Some(0), arguments: "}", ..CallPiece::default() },
        ];
        assert_eq!(calls(&pieces), [call("a", "read", "{}"), call("b", "read", "{}")]);
    }

    #[test]
    fn calls_without_an_index_are_joined_by_id_or_name() {
        let pieces = [
            CallPiece { id: Some("a"), name: Some("read"), arguments: "{", ..CallPiece::default() },
            CallPiece { arguments: "}", ..CallPiece::default() },
            CallPiece { id: Some("b"), name: Some("read"), arguments: "{}", ..CallPiece::default() },
            CallPiece { name: Some("list"), arguments: "{}", ..CallPiece::default() },
        ];
        let expected = [call("a", "read", "{}"), call("b", "read", "{}"), call("call_2", "list", "{}")];
        assert_eq!(calls(&pieces), expected);
    }
}
