//! `/v1/chat/completions` as OpenAI defined it and many servers bend it, llama.cpp's additions included.
//!
//! Read with tolerance: `choices` may be empty, null or absent; usage may stand on any chunk; reasoning is in
//! `reasoning_content`, `reasoning`, parts of type `thinking` or `<think>`; a server may answer a streaming request with
//! one whole object.

use serde_json::{Map, Value, json};
use std::time::Duration;

use super::draft::{CallPiece, Draft};
use super::message::{Image, Message, Request};
use super::reply::{Event, FinishReason, Progress, Timings, Token, Usage};
use super::spec::{Kind, ModelSpec};

/// Tokens that are asked for at each place of a text.
const CHOICES: u32 = 5;

/// The body of a request.
///
/// `slot` is the slot of a llama.cpp server that the session is pinned to.
pub(super) fn body(model: &ModelSpec, request: &Request, slot: Option<u64>) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".into(), model.id.as_str().into());
    body.insert("messages".into(), request.messages.iter().map(message).collect());
    body.insert("stream".into(), true.into());
    body.insert("stream_options".into(), json!({ "include_usage": true }));
    body.insert("max_tokens".into(), request.output_limit.unwrap_or(model.output).into());
    body.insert("temperature".into(), json!(request.temperature.unwrap_or(model.temperature)));
    if !request.stop.is_empty() {
        body.insert("stop".into(), json!(request.stop));
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({ "type": "function", "function":
                { "name": tool.name, "description": tool.description, "parameters": tool.schema } })
        });
        body.insert("tools".into(), tools.collect());
    }
    if let Some(schema) = &request.schema {
        let format =
            json!({ "type": "json_schema", "json_schema": { "name": "answer", "schema": schema, "strict": true } });
        body.insert("response_format".into(), format);
    }
    if model.provider.kind == Kind::LlamaCpp {
        body.insert("cache_prompt".into(), true.into());
        body.insert("return_progress".into(), true.into());
        if request.tokens {
            body.insert("logprobs".into(), true.into());
            body.insert("top_logprobs".into(), CHOICES.into());
        }
        if let Some(slot) = slot {
            body.insert("id_slot".into(), slot.into());
        }
    }
    body
}

fn message(message: &Message) -> Value {
    match message {
        Message::System { text } => json!({ "role": "system", "content": text }),
        Message::User { text, images } if images.is_empty() => json!({ "role": "user", "content": text }),
        Message::User { text, images } => {
            let image = |image: &Image| {
                let url = format!("data:{};base64,{}", image.media_type, image.base64);
                json!({ "type": "image_url", "image_url": { "url": url } })
            };
            let parts: Vec<_> =
                std::iter::once(json!({ "type": "text", "text": text })).chain(images.iter().map(image)).collect();
            json!({ "role": "user", "content": parts })
        }
        Message::Assistant { text, calls, .. } if calls.is_empty() => json!({ "role": "assistant", "content": text }),
        Message::Assistant { text, calls, .. } => {
            let calls = calls.iter().map(|call| {
                json!({ "id": call.id, "type": "function", "function":
                    { "name": call.name, "arguments": call.arguments } })
            });
            let content = if text.is_empty() { Value::Null } else { text.as_str().into() };
            json!({ "role": "assistant", "content": content, "tool_calls": calls.collect::<Vec<_>>() })
        }
        Message::Tool { call, text, .. } => json!({ "role": "tool", "tool_call_id": call, "content": text }),
    }
}

/// Takes one chunk, or a whole object, into the draft.
pub(super) fn read(chunk: &Value, draft: &mut Draft) {
    progress(chunk, draft);
    if let Some(choice) = chunk.get("choices").and_then(|choices| choices.get(0)) {
        let said = ["delta", "message"].iter().find_map(|field| choice.get(*field).filter(|said| said.is_object()));
        if let Some(said) = said {
            delta(said, draft);
            if said.get("content").and_then(Value::as_str).is_some_and(|text| !text.is_empty()) {
                tokens(choice, draft);
            }
        } else if let Some(text) = choice.get("text").and_then(Value::as_str) {
            draft.text(text);
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str).filter(|reason| !reason.is_empty()) {
            draft.reason = Some(finish_reason(reason));
        }
        // Moonshot and others put the usage there.
        draft.usage(&usage(choice));
    }
    draft.usage(&usage(chunk));
}

fn delta(said: &Value, draft: &mut Draft) {
    reasoning(said, draft);
    match said.get("content") {
        Some(Value::String(text)) => draft.text(text),
        Some(Value::Array(parts)) => parts.iter().for_each(|each| part(each, draft)),
        _ => {}
    }
    // What the model refuses to do is its answer.
    if let Some(text) = said.get("refusal").and_then(Value::as_str) {
        draft.text(text);
    }
    let calls = said.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
    for call in calls {
        let function = call.get("function").unwrap_or(&Value::Null);
        let index = call.get("index").and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok());
        call_piece(index, call.get("id").and_then(Value::as_str), function, draft);
    }
    // The form before there were several.
    if let Some(function) = said.get("function_call").filter(|function| function.is_object()) {
        call_piece(Some(0), None, function, draft);
    }
}

/// What else could stand where the tokens of a chunk do.
fn tokens(choice: &Value, draft: &mut Draft) {
    let all = choice.pointer("/logprobs/content").and_then(Value::as_array).into_iter().flatten();
    for token in all {
        let choice = |choice: &Value| {
            let text = choice.get("token")?.as_str().filter(|text| !text.contains('\u{fffd}'))?;
            Some((text.to_owned(), choice.get("logprob")?.as_f64()?.exp()))
        };
        let choices = token.get("top_logprobs").and_then(Value::as_array).into_iter().flatten();
        let text = token.get("token").and_then(Value::as_str).map_or(0, str::len);
        draft.events.push(Event::Token(Token {
            length: token.get("bytes").and_then(Value::as_array).map_or(text, Vec::len),
            choices: choices.filter_map(choice).collect(),
        }));
    }
}

fn call_piece(index: Option<usize>, id: Option<&str>, function: &Value, draft: &mut Draft) {
    let arguments = match function.get("arguments") {
        Some(Value::String(text)) => text.clone(),
        Some(object @ Value::Object(_)) => object.to_string(),
        _ => String::new(),
    };
    let name = function.get("name").and_then(Value::as_str);
    draft.call(&CallPiece { index, id, name, arguments: &arguments });
}

/// Text, or reasoning, as a part of a content that is a list.
fn part(part: &Value, draft: &mut Draft) {
    let text = part.get("text").and_then(Value::as_str);
    match (part.get("type").and_then(Value::as_str), part.get("thinking")) {
        (Some("thinking" | "reasoning"), Some(Value::String(thought))) => draft.reasoning(thought),
        (Some("thinking" | "reasoning"), Some(Value::Array(thoughts))) => {
            thoughts.iter().filter_map(|thought| thought.get("text")?.as_str()).for_each(|text| draft.reasoning(text));
        }
        (Some("thinking" | "reasoning"), _) => draft.reasoning(text.unwrap_or_default()),
        _ => draft.text(text.unwrap_or_default()),
    }
}

/// Some servers fill two fields with the same: the first one that they fill is the one that counts.
fn reasoning(said: &Value, draft: &mut Draft) {
    const FIELDS: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];
    let text = |field: &str| said.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
    let field = draft.reasoning_field.filter(|field| text(field).is_some() || said_elsewhere(said, field));
    let field = field.or_else(|| FIELDS.into_iter().find(|field| text(field).is_some()));
    if let Some(field) = field {
        draft.reasoning_field = Some(field);
        draft.reasoning(text(field).unwrap_or_default());
    }
}

/// Whether the field is there but empty, so that the other one is not to be taken for it.
fn said_elsewhere(said: &Value, field: &str) -> bool {
    said.get(field).is_some_and(|value| value.as_str() == Some(""))
}

fn finish_reason(reason: &str) -> FinishReason {
    match reason {
        "stop" | "eos" | "end_turn" | "stop_sequence" | "eos_token" => FinishReason::Stop,
        "length" | "max_tokens" | "model_length" => FinishReason::Length,
        "tool_calls" | "function_call" | "tool_use" => FinishReason::Calls,
        "content_filter" | "refusal" => FinishReason::Filtered,
        other => FinishReason::Other(other.to_owned()),
    }
}

/// llama.cpp's account of reading the prompt.
fn progress(chunk: &Value, draft: &mut Draft) {
    let Some(progress) = chunk.get("prompt_progress").filter(|progress| progress.is_object()) else { return };
    let count = |field: &str| progress.get(field).and_then(Value::as_u64).unwrap_or_default();
    draft.reading(Progress {
        total: count("total"),
        cached: count("cache"),
        done: count("processed"),
        elapsed: Duration::from_millis(count("time_ms")),
    });
}

/// Counts of a chunk, with what llama.cpp adds in `timings`.
fn usage(chunk: &Value) -> Usage {
    let usage = chunk.get("usage").unwrap_or(&Value::Null);
    let timings = chunk.get("timings").unwrap_or(&Value::Null);
    let count = |value: &Value, path: &str| value.pointer(path).and_then(Value::as_u64);
    let (cached, read) = (count(timings, "/cache_n"), count(timings, "/prompt_n"));
    Usage {
        prompt: count(usage, "/prompt_tokens").or_else(|| Some(cached? + read?)),
        cached: count(usage, "/prompt_tokens_details/cached_tokens")
            .or_else(|| count(usage, "/prompt_cache_hit_tokens"))
            .or_else(|| count(usage, "/cached_tokens"))
            .or(cached),
        cache_written: count(usage, "/prompt_tokens_details/cache_write_tokens"),
        completion: count(usage, "/completion_tokens").or_else(|| count(timings, "/predicted_n")),
        reasoning: count(usage, "/completion_tokens_details/reasoning_tokens"),
        timings: Timings { prompt: millis(timings, "prompt_ms"), completion: millis(timings, "predicted_ms") },
    }
}

/// Absurd values of old servers are no value.
fn millis(timings: &Value, field: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(timings.get(field)?.as_f64()? / 1000.0).ok()
}
