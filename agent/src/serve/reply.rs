//! Writes replies as OpenAI's clients read them.

use serde_json::{Map, Value, json};

use crate::provider::{Call, Collected, Event, Finish, FinishReason, Usage};

/// A reply that is given at once.
pub(super) fn whole(name: &str, reply: &Collected) -> Value {
    let finish = &reply.finish;
    let mut message = Map::new();
    message.insert("role".into(), "assistant".into());
    message.insert("content".into(), reply.text.as_str().into());
    if !reply.reasoning.is_empty() {
        message.insert("reasoning_content".into(), reply.reasoning.as_str().into());
    }
    if !finish.calls.is_empty() {
        message.insert("tool_calls".into(), finish.calls.iter().map(call).collect());
    }
    json!({
        "id": "chatcmpl-recto", "object": "chat.completion", "model": name,
        "choices": [{ "index": 0, "message": message, "finish_reason": reason(&finish.reason) }],
        "usage": usage(&finish.usage), "recto": who(finish),
    })
}

/// Writes a reply as it comes.
pub(super) struct Writer {
    name: String,
    has_begun: bool,
    is_over: bool,
}

impl Writer {
    pub fn new(name: String) -> Self {
        Self { name, has_begun: false, is_over: false }
    }

    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// The server-sent events for one event of ours; empty if there is nothing to say.
    pub fn event(&mut self, event: &Event) -> String {
        match event {
            Event::Text(text) => self.delta(&json!({ "content": text })),
            Event::Reasoning(text) => self.delta(&json!({ "reasoning_content": text })),
            // The index tells pieces of calls apart; ids come with the first piece.
            Event::CallStarted { index, name } => self.delta(&json!({ "tool_calls": [{ "index": index,
                "id": format!("call_{index}"), "type": "function", "function": { "name": name, "arguments": "" } }] })),
            Event::CallArguments { index, text } => {
                self.delta(&json!({ "tool_calls": [{ "index": index, "function": { "arguments": text } }] }))
            }
            Event::Reading(progress) => format!(": reads the prompt, {} of {}\n\n", progress.done, progress.total),
            Event::Waiting(_) => ": waits\n\n".to_owned(),
            Event::Notice(notice) => format!(": {}\n\n", notice.to_string().replace(['\r', '\n'], " ")),
            // What was sent cannot be taken back.
            Event::Restarted { why } if self.has_begun => {
                let message = format!("the reply broke off and cannot be resumed in a stream: {why}");
                self.error(
                    &json!({ "error": { "message": message, "type": "upstream_error", "code": "upstream_error" } }),
                )
            }
            Event::Sending { .. } | Event::Restarted { .. } | Event::Usage(_) | Event::Token(_) => String::new(),
            Event::Finished(finish) => self.finish(finish),
        }
    }

    /// An error in the middle; nothing follows, and no `[DONE]`.
    pub fn error(&mut self, body: &Value) -> String {
        self.is_over = true;
        format!("data: {body}\n\n")
    }

    fn delta(&mut self, delta: &Value) -> String {
        self.has_begun = true;
        self.chunk(&json!([{ "index": 0, "delta": delta, "finish_reason": null }]), &Map::new())
    }

    fn finish(&mut self, finish: &Finish) -> String {
        self.is_over = true;
        let end = json!([{ "index": 0, "delta": {}, "finish_reason": reason(&finish.reason) }]);
        let mut more = Map::new();
        more.insert("usage".into(), usage(&finish.usage));
        more.insert("recto".into(), who(finish));
        format!("{}{}data: [DONE]\n\n", self.chunk(&end, &Map::new()), self.chunk(&json!([]), &more))
    }

    fn chunk(&self, choices: &Value, more: &Map<String, Value>) -> String {
        let mut chunk = Map::new();
        chunk.insert("id".into(), "chatcmpl-recto".into());
        chunk.insert("object".into(), "chat.completion.chunk".into());
        chunk.insert("model".into(), self.name.as_str().into());
        chunk.insert("choices".into(), choices.clone());
        chunk.extend(more.clone());
        format!("data: {}\n\n", Value::Object(chunk))
    }
}

fn call(call: &Call) -> Value {
    json!({ "id": call.id, "type": "function", "function": { "name": call.name, "arguments": call.arguments } })
}

fn reason(reason: &FinishReason) -> &str {
    match reason {
        FinishReason::Stop | FinishReason::Unstated => "stop",
        FinishReason::Length => "length",
        FinishReason::Calls => "tool_calls",
        FinishReason::Filtered => "content_filter",
        FinishReason::Broken => "error",
        FinishReason::Other(reason) => reason,
    }
}

fn usage(usage: &Usage) -> Value {
    let (prompt, completion) = (usage.prompt.unwrap_or(0), usage.completion.unwrap_or(0));
    json!({
        "prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion,
        "prompt_tokens_details": { "cached_tokens": usage.cached.unwrap_or(0) },
    })
}

fn who(finish: &Finish) -> Value {
    json!({ "answered_by": finish.answered_by, "because": finish.because })
}
