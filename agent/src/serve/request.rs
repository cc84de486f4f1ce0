//! Reads what OpenAI's clients send.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::{Map, Value};

use crate::provider::{Call, Image, Message, Request, SessionKey, Tool};

/// A request as it came.
pub(super) struct Asked {
    pub model: Option<String>,
    pub stream: bool,
    pub request: Request,
}

/// Fields that are read here, or that say nothing to a model.
const KNOWN: [&str; 20] = [
    "model",
    "messages",
    "stream",
    "stream_options",
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "stop",
    "tools",
    "tool_choice",
    "response_format",
    "n",
    "user",
    "metadata",
    "store",
    "parallel_tool_calls",
    "logprobs",
    "top_logprobs",
    "service_tier",
    "functions",
];

/// The error says which field is wrong.
pub(super) fn read(body: &Value) -> Result<Asked, String> {
    let body = body.as_object().ok_or("the body is no object")?;
    let text = |field: &str| body.get(field).and_then(Value::as_str).map(str::to_owned);
    let number = |field: &str| body.get(field).and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok());
    if body.get("n").and_then(Value::as_u64).is_some_and(|n| n > 1) {
        return Err("n must be 1: one reply is given".to_owned());
    }
    let messages = body.get("messages").and_then(Value::as_array).ok_or("messages is missing")?;
    let messages = messages.iter().map(message).collect::<Result<Vec<_>, _>>()?;
    let request = Request {
        session: Some(session(&messages)),
        messages,
        tools: body.get("tools").and_then(Value::as_array).into_iter().flatten().map(tool).collect::<Result<_, _>>()?,
        output_limit: number("max_completion_tokens").or(number("max_tokens")),
        temperature: body.get("temperature").and_then(Value::as_f64).map(|temperature| temperature as f32),
        // What was asked for of it is among the further fields.
        effort: None,
        tokens: false,
        stop: stop(body.get("stop")),
        schema: body.get("response_format").and_then(|format| format.pointer("/json_schema/schema")).cloned(),
        extra: further(body),
    };
    let stream = body.get("stream").and_then(Value::as_bool).unwrap_or(false);
    Ok(Asked { model: text("model").filter(|model| !model.is_empty()), stream, request })
}

/// The rest goes to the model's server as it is, but for what says nothing.
fn further(body: &Map<String, Value>) -> Map<String, Value> {
    let rest = body.iter().filter(|(name, value)| !KNOWN.contains(&name.as_str()) && !value.is_null());
    let mut rest: Map<_, _> = rest.map(|(name, value)| (name.clone(), value.clone())).collect();
    // Only a choice that is none by default is one.
    if let Some(choice) = body.get("tool_choice").filter(|choice| choice.as_str() != Some("auto") && !choice.is_null())
    {
        rest.insert("tool_choice".to_owned(), choice.clone());
    }
    rest
}

/// A conversation is known by how it begins, so that it finds its slot and its cache again.
fn session(messages: &[Message]) -> SessionKey {
    let mut hasher = DefaultHasher::new();
    for message in messages.iter().take(2) {
        if let Message::System { text } | Message::User { text, .. } = message {
            text.hash(&mut hasher);
        }
    }
    SessionKey(hasher.finish())
}

fn stop(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(texts)) => texts.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

fn message(value: &Value) -> Result<Message, String> {
    let field = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (text, images) = content(value.get("content").unwrap_or(&Value::Null))?;
    match field("role").as_str() {
        "system" | "developer" => Ok(Message::System { text }),
        "user" => Ok(Message::User { text, images }),
        "assistant" => {
            let calls = value.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
            let calls = calls.map(|call| Call {
                id: call.get("id").and_then(Value::as_str).unwrap_or_default().to_owned(),
                name: call.pointer("/function/name").and_then(Value::as_str).unwrap_or_default().to_owned(),
                arguments: call.pointer("/function/arguments").and_then(Value::as_str).unwrap_or_default().to_owned(),
            });
            Ok(Message::Assistant { text, reasoning: None, calls: calls.collect() })
        }
        "tool" => Ok(Message::Tool { call: field("tool_call_id"), name: field("name"), text, failed: false }),
        role => Err(format!("there is no role {role}")),
    }
}

/// A text, or parts of it and pictures.
fn content(value: &Value) -> Result<(String, Vec<Image>), String> {
    let parts = match value {
        Value::Null => return Ok((String::new(), Vec::new())),
        Value::String(text) => return Ok((text.clone(), Vec::new())),
        Value::Array(parts) => parts,
        _ => return Err("content is neither a text nor a list of parts".to_owned()),
    };
    let (mut text, mut images) = (String::new(), Vec::new());
    for part in parts {
        let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
        match (kind, part.get("text").and_then(Value::as_str), part.pointer("/image_url/url").and_then(Value::as_str)) {
            ("text" | "refusal", Some(piece), _) => text += piece,
            ("image_url", _, Some(url)) => images.push(image(url)?),
            _ => return Err(format!("a part of type {kind} cannot be passed on")),
        }
    }
    Ok((text, images))
}

/// Pictures come along; nothing is fetched for anybody.
fn image(url: &str) -> Result<Image, String> {
    let parts = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    let (media_type, base64) = parts.ok_or("a picture must be a data URL in base64; addresses are not fetched")?;
    Ok(Image { media_type: media_type.to_owned(), base64: base64.to_owned() })
}

fn tool(value: &Value) -> Result<Tool, String> {
    let function = value.get("function").ok_or("a tool without a function")?;
    let text = |name: &str| function.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let schema = function.get("parameters").cloned().unwrap_or_else(|| serde_json::json!({ "type": "object" }));
    Ok(Tool { name: text("name"), description: text("description"), schema })
}
