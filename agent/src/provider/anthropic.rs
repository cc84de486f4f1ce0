//! Anthropic's `/v1/messages`.
//!
//! Its shape differs from the others': the system prompt stands apart, results of calls are parts of a user message, and
//! reasoning is signed and must come back unchanged. Its prefix cache is asked for by marks: on the tools, the system
//! prompt and the last two user messages, so that each request finds what the one before it left.

use serde_json::{Map, Value, json};

use super::draft::{CallPiece, Draft};
use super::message::{Image, Message, Request};
use super::reply::{FinishReason, Usage};
use super::spec::ModelSpec;

/// The version of the interface, sent with every request.
pub(super) const VERSION: &str = "2023-06-01";

/// The body of a request.
pub(super) fn body(model: &ModelSpec, request: &Request) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".into(), model.id.as_str().into());
    body.insert("max_tokens".into(), request.output_limit.unwrap_or(model.output).into());
    body.insert("stream".into(), true.into());
    // A model that is made to think takes no temperature.
    if !model.extra.contains_key("thinking") && !request.extra.contains_key("thinking") {
        body.insert("temperature".into(), json!(request.temperature.unwrap_or(model.temperature)));
    }
    if !request.stop.is_empty() {
        body.insert("stop_sequences".into(), json!(request.stop));
    }
    if let Some(schema) = &request.schema {
        body.insert("output_config".into(), json!({ "format": { "type": "json_schema", "schema": schema } }));
    }
    if !request.tools.is_empty() {
        let mut tools: Vec<_> = request
            .tools
            .iter()
            .map(|tool| json!({ "name": tool.name, "description": tool.description, "input_schema": tool.schema }))
            .collect();
        tools.last_mut().into_iter().for_each(mark);
        body.insert("tools".into(), tools.into());
    }
    let first = request.messages.iter().take_while(|message| matches!(message, Message::System { .. })).count();
    let (system, rest) = request.messages.split_at(first);
    let mut system: Vec<_> = system.iter().flat_map(|message| blocks(message, model)).collect();
    system.last_mut().into_iter().for_each(mark);
    if !system.is_empty() {
        body.insert("system".into(), system.into());
    }
    body.insert("messages".into(), messages(rest, model).into());
    body
}

/// Marks the end of what the cache is to keep.
fn mark(block: &mut Value) {
    if let Value::Object(block) = block {
        block.insert("cache_control".into(), json!({ "type": "ephemeral" }));
    }
}

/// One message a turn: what several of ours say in the same role becomes several blocks of one.
fn messages(messages: &[Message], model: &ModelSpec) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let role = if matches!(message, Message::Assistant { .. }) { "assistant" } else { "user" };
        let blocks = blocks(message, model);
        match turns.last_mut() {
            Some((last, existing)) if *last == role => existing.extend(blocks),
            _ if blocks.is_empty() => {}
            _ => turns.push((role, blocks)),
        }
    }
    let users = turns.iter_mut().rev().filter(|(role, _)| *role == "user").take(2);
    users.filter_map(|(_, blocks)| blocks.last_mut()).for_each(mark);
    turns.into_iter().map(|(role, blocks)| json!({ "role": role, "content": blocks })).collect()
}

fn blocks(message: &Message, model: &ModelSpec) -> Vec<Value> {
    // An empty text is refused.
    let text_block = |text: &str| (!text.is_empty()).then(|| json!({ "type": "text", "text": text }));
    match message {
        Message::System { text } => text_block(text).into_iter().collect(),
        Message::User { text, images } => {
            let image = |image: &Image| {
                json!({ "type": "image", "source":
                    { "type": "base64", "media_type": image.media_type, "data": image.base64 } })
            };
            images.iter().map(image).chain(text_block(text)).collect()
        }
        Message::Assistant { text, reasoning, calls } => {
            let seal = reasoning.as_ref().and_then(|reasoning| reasoning.seal.as_ref());
            let sealed = seal.filter(|seal| seal.model == model.name).map(|seal| seal.blocks.clone());
            let calls = calls.iter().map(|call| {
                let input: Value = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
                let input = if input.is_object() { input } else { json!({}) };
                json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": input })
            });
            sealed.into_iter().flatten().chain(text_block(text)).chain(calls).collect()
        }
        Message::Tool { call, text, failed, .. } => {
            vec![json!({ "type": "tool_result", "tool_use_id": call, "content": text, "is_error": failed })]
        }
    }
}

/// Takes one event into the draft. What it does not know is ignored, as the documentation asks.
pub(super) fn read(event: &Value, draft: &mut Draft) {
    let index = event.get("index").and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok()).unwrap_or(0);
    match event.get("type").and_then(Value::as_str).unwrap_or_default() {
        "message_start" => draft.usage(&usage(event.pointer("/message/usage"))),
        // A server that does not stream sends the whole message.
        "message" => {
            let blocks = event.get("content").and_then(Value::as_array).into_iter().flatten();
            blocks.enumerate().for_each(|(index, block)| start(index, block, draft));
            draft.usage(&usage(event.get("usage")));
            draft.reason = event.get("stop_reason").and_then(Value::as_str).map(reason);
        }
        "content_block_start" => {
            if let Some(block) = event.get("content_block") {
                start(index, block, draft);
            }
        }
        "content_block_delta" => delta(index, event.get("delta").unwrap_or(&Value::Null), draft),
        "message_delta" => {
            if let Some(said) = event.pointer("/delta/stop_reason").and_then(Value::as_str) {
                draft.reason = Some(reason(said));
            }
            draft.usage(&usage(event.get("usage")));
        }
        "message_stop" => draft.is_over = true,
        _ => {}
    }
}

fn start(index: usize, block: &Value, draft: &mut Draft) {
    let text = |field: &str| block.get(field).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "text" => draft.text(text("text")),
        "thinking" => {
            draft.sealed.insert(index, block.clone());
            draft.reasoning(text("thinking"));
        }
        "redacted_thinking" => {
            draft.sealed.insert(index, block.clone());
        }
        "tool_use" => {
            // The input is empty here and comes in pieces, unless the message came whole.
            let whole = block.get("input").filter(|input| input.as_object().is_some_and(|input| !input.is_empty()));
            let arguments = whole.map(Value::to_string).unwrap_or_default();
            let (id, name) = (Some(text("id")), Some(text("name")));
            draft.call(&CallPiece { index: Some(index), id, name, arguments: &arguments });
        }
        _ => {}
    }
}

fn delta(index: usize, delta: &Value, draft: &mut Draft) {
    let text = |field: &str| delta.get(field).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "text_delta" => draft.text(text("text")),
        "thinking_delta" => {
            append(draft.sealed.get_mut(&index), "thinking", text("thinking"));
            draft.reasoning(text("thinking"));
        }
        "signature_delta" => append(draft.sealed.get_mut(&index), "signature", text("signature")),
        "input_json_delta" => {
            let arguments = text("partial_json");
            draft.call(&CallPiece { index: Some(index), arguments, ..CallPiece::default() });
        }
        _ => {}
    }
}

fn append(block: Option<&mut Value>, field: &str, text: &str) {
    if let Some(Value::Object(block)) = block {
        let before = block.get(field).and_then(Value::as_str).unwrap_or_default();
        block.insert(field.to_owned(), format!("{before}{text}").into());
    }
}

fn reason(said: &str) -> FinishReason {
    match said {
        "end_turn" | "stop_sequence" => FinishReason::Stop,
        // The window was full: the reply is cut either way.
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
        "tool_use" => FinishReason::Calls,
        "refusal" => FinishReason::Filtered,
        other => FinishReason::Other(other.to_owned()),
    }
}

/// `input_tokens` is what was neither read from the cache nor written to it.
fn usage(said: Option<&Value>) -> Usage {
    let count = |field: &str| said.and_then(|said| said.get(field)).and_then(Value::as_u64);
    let (cached, cache_written) = (count("cache_read_input_tokens"), count("cache_creation_input_tokens"));
    let prompt = count("input_tokens").map(|new| new + cached.unwrap_or(0) + cache_written.unwrap_or(0));
    // The last event counts again what the first one counted, often without the prompt.
    let (cached, cache_written) = if prompt.is_some() { (cached, cache_written) } else { (None, None) };
    Usage { prompt, cached, cache_written, completion: count("output_tokens"), ..Usage::default() }
}

#[cfg(test)]
mod tests {
    use super::super::message::{Call, Reasoning, Seal};
    use super::super::spec::{Kind, ProviderSpec};
    use super::*;

    fn model() -> ModelSpec {
        ModelSpec::new(ProviderSpec::new("a", Kind::Anthropic, "https://x.test"), "claude")
    }

    #[test]
    fn a_conversation_has_turns_and_marks_for_the_cache() {
        let seal = |model: &str| {
            let blocks = vec![json!({ "type": "thinking", "thinking": "hm", "signature": "s" })];
            Some(Reasoning { text: "hm".to_owned(), seal: Some(Seal { model: model.to_owned(), blocks }) })
        };
        let call = Call { id: "c1".to_owned(), name: "read".to_owned(), arguments: "{\"path\":\"a\"}".to_owned() };
        let result =
            Message::Tool { call: "c1".to_owned(), name: "read".to_owned(), text: "x".to_owned(), failed: false };
        let request = Request {
            messages: vec![
                Message::system("rules"),
                Message::user("one"),
                Message::Assistant { text: String::new(), reasoning: seal("claude"), calls: vec![call] },
                result,
                Message::user("two"),
                Message::Assistant { text: "done".to_owned(), reasoning: seal("another"), calls: Vec::new() },
                Message::user("three"),
            ],
            ..Request::default()
        };
        let body = body(&model(), &request);
        let mark = json!({ "type": "ephemeral" });
        assert_eq!(body["system"], json!([{ "type": "text", "text": "rules", "cache_control": mark }]));
        assert_eq!(
            body["messages"],
            json!([
                { "role": "user", "content": [{ "type": "text", "text": "one" }] },
                { "role": "assistant", "content": [
                    { "type": "thinking", "thinking": "hm", "signature": "s" },
                    { "type": "tool_use", "id": "c1", "name": "read", "input": { "path": "a" } },
                ] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "c1", "content": "x", "is_error": false },
                    { "type": "text", "text": "two", "cache_control": mark },
                ] },
                { "role": "assistant", "content": [{ "type": "text", "text": "done" }] },
                { "role": "user", "content": [{ "type": "text", "text": "three", "cache_control": mark }] },
            ])
        );
    }
}
