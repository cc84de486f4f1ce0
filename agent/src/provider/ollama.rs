//! Ollama's own `/api/chat`: lines of JSON, options for the context window, an error instead of a silent cut.
//!
//! The window is the same in every request: another one would make the server load the model anew.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::draft::{CallPiece, Draft};
use super::message::{Image, Message, Request};
use super::reply::{FinishReason, Timings, Usage};
use super::spec::ModelSpec;

/// The body of a request, with the window that this model has.
pub(super) fn body(model: &ModelSpec, request: &Request, window: Option<u32>) -> Map<String, Value> {
    let mut options = Map::new();
    options.insert("temperature".into(), json!(request.temperature.unwrap_or(model.temperature)));
    options.insert("num_predict".into(), request.output_limit.unwrap_or(model.output).into());
    if let Some(window) = window {
        options.insert("num_ctx".into(), window.into());
    }
    if !request.stop.is_empty() {
        options.insert("stop".into(), json!(request.stop));
    }
    let mut body = Map::new();
    body.insert("model".into(), model.id.as_str().into());
    body.insert("messages".into(), request.messages.iter().map(message).collect());
    body.insert("stream".into(), true.into());
    body.insert("options".into(), options.into());
    body.insert("keep_alive".into(), keep_alive(&model.keep_alive));
    // Without these the oldest messages are dropped, and nobody is told.
    body.insert("truncate".into(), false.into());
    body.insert("shift".into(), false.into());
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({ "type": "function", "function":
                { "name": tool.name, "description": tool.description, "parameters": tool.schema } })
        });
        body.insert("tools".into(), tools.collect());
    }
    if let Some(schema) = &request.schema {
        body.insert("format".into(), schema.clone());
    }
    body
}

/// A number means seconds, `-1` for ever; as a text Ollama would refuse them for the missing unit.
fn keep_alive(text: &str) -> Value {
    text.parse::<i64>().map_or_else(|_| text.into(), Value::from)
}

fn message(message: &Message) -> Value {
    match message {
        Message::System { text } => json!({ "role": "system", "content": text }),
        Message::User { text, images } if images.is_empty() => json!({ "role": "user", "content": text }),
        Message::User { text, images } => {
            let images: Vec<_> = images.iter().map(|Image { base64, .. }| base64).collect();
            json!({ "role": "user", "content": text, "images": images })
        }
        Message::Assistant { text, calls, .. } if calls.is_empty() => json!({ "role": "assistant", "content": text }),
        Message::Assistant { text, reasoning, calls } => {
            let calls: Vec<_> = calls
                .iter()
                .map(|call| {
                    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
                    json!({ "function": { "name": call.name, "arguments": arguments } })
                })
                .collect();
            // Models that think between calls want to read what they thought.
            let thinking = reasoning.as_ref().map(|reasoning| reasoning.text.as_str()).unwrap_or_default();
            json!({ "role": "assistant", "content": text, "thinking": thinking, "tool_calls": calls })
        }
        Message::Tool { name, text, .. } => json!({ "role": "tool", "tool_name": name, "content": text }),
    }
}

/// Takes one line into the draft.
pub(super) fn read(line: &Value, draft: &mut Draft) {
    if let Some(said) = line.get("message") {
        let text = |field: &str| said.get(field).and_then(Value::as_str).unwrap_or_default();
        draft.reasoning(text("thinking"));
        draft.text(text("content"));
        for call in said.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            // Each comes whole. Their index is not to be relied on: old servers number every one of them 0.
            let arguments = match call.pointer("/function/arguments") {
                Some(Value::String(text)) => text.clone(),
                Some(arguments) => arguments.to_string(),
                None => String::new(),
            };
            let name = call.pointer("/function/name").and_then(Value::as_str).or(Some(""));
            let id = call.get("id").and_then(Value::as_str);
            draft.call(&CallPiece { index: None, id, name, arguments: &arguments });
        }
    }
    if line.get("done").and_then(Value::as_bool) == Some(true) {
        draft.is_over = true;
        draft.usage(&usage(line));
        draft.reason = Some(match line.get("done_reason").and_then(Value::as_str) {
            // Old servers give none.
            None | Some("stop" | "") => FinishReason::Stop,
            Some("length") => FinishReason::Length,
            Some(other) => FinishReason::Other(other.to_owned()),
        });
    }
}

fn usage(line: &Value) -> Usage {
    let count = |field: &str| line.get(field).and_then(Value::as_u64);
    let nanoseconds = |field: &str| count(field).map(Duration::from_nanos);
    Usage {
        prompt: count("prompt_eval_count"),
        completion: count("eval_count"),
        timings: Timings { prompt: nanoseconds("prompt_eval_duration"), completion: nanoseconds("eval_duration") },
        ..Usage::default()
    }
}
