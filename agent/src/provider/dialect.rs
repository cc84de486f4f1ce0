//! What differs from kind to kind: where requests go, how they are keyed and written, and how frames are read.

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName};
use serde_json::{Map, Value};

use super::draft::Draft;
use super::http::header_value;
use super::keys::Key;
use super::message::Request;
use super::spec::{Kind, ModelSpec};
use super::{anthropic, effort, ollama, openai};

/// What is known beside the model when a request is written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    pub slot: Option<u64>,
    pub window: Option<u32>,
}

/// Where a conversation is sent to.
pub(super) fn path(kind: Kind) -> &'static str {
    match kind {
        Kind::OpenAiCompatible | Kind::LlamaCpp => "v1/chat/completions",
        Kind::Ollama => "api/chat",
        Kind::Anthropic => "v1/messages",
    }
}

/// Puts a path behind the configured address, which people give with and without the part that all paths share.
///
/// A compatible server below a path of its own (`/api/v1`, `/v1beta/openai`) has its endpoints right there.
pub(super) fn join(kind: Kind, base: &Url, path: &str) -> Url {
    let root = base.path().trim_end_matches('/');
    let joined = match (kind, path.strip_prefix("v1/")) {
        (Kind::OpenAiCompatible, Some(rest)) if !root.is_empty() => format!("{root}/{rest}"),
        _ => format!("{}/{path}", above(kind, root)),
    };
    let mut url = base.clone();
    url.set_path(&joined);
    url
}

/// The root of the server: the address without the part that all paths share.
fn above(kind: Kind, root: &str) -> &str {
    let shared: &[&str] = match kind {
        Kind::Ollama => &["/v1", "/api"],
        Kind::OpenAiCompatible => &["/api/v1", "/v1"],
        Kind::LlamaCpp | Kind::Anthropic => &["/v1"],
    };
    shared.iter().find_map(|shared| root.strip_suffix(shared)).unwrap_or(root)
}

/// Headers that say who asks.
pub(super) fn headers(kind: Kind, key: Option<&Key>) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    if kind == Kind::Anthropic {
        headers.insert(HeaderName::from_static("anthropic-version"), header_value(anthropic::VERSION)?);
    }
    if let Some(key) = key {
        match kind {
            Kind::Anthropic => headers.insert(HeaderName::from_static("x-api-key"), header_value(&key.0)?),
            _ => headers.insert(HeaderName::from_static("authorization"), header_value(&format!("Bearer {}", key.0))?),
        };
    }
    Ok(headers)
}

/// The body of a request, the model's and the request's further fields in it.
pub(super) fn body(model: &ModelSpec, request: &Request, known: Known) -> Map<String, Value> {
    let mut body = match model.provider.kind {
        Kind::OpenAiCompatible | Kind::LlamaCpp => openai::body(model, request, known.slot),
        Kind::Ollama => ollama::body(model, request, known.window),
        Kind::Anthropic => anthropic::body(model, request),
    };
    if let Some(effort) = request.effort {
        effort::write(&mut body, model.provider.kind, effort);
    }
    extend(&mut body, &model.extra);
    extend(&mut body, &request.extra);
    body
}

/// Further fields win over ours; objects are merged, so that one of Ollama's options does not cost the others.
fn extend(body: &mut Map<String, Value>, extra: &Map<String, Value>) {
    for (name, value) in extra {
        match (body.get_mut(name), value) {
            (Some(Value::Object(ours)), Value::Object(theirs)) => {
                ours.extend(theirs.iter().map(|(name, value)| (name.clone(), value.clone())));
            }
            _ => {
                body.insert(name.clone(), value.clone());
            }
        }
    }
}

/// Takes one frame into the draft.
pub(super) fn read(kind: Kind, value: &Value, draft: &mut Draft) {
    match kind {
        Kind::OpenAiCompatible | Kind::LlamaCpp => openai::read(value, draft),
        Kind::Ollama => ollama::read(value, draft),
        Kind::Anthropic => anthropic::read(value, draft),
    }
}

#[cfg(test)]
mod tests {
    use super::super::spec::ProviderSpec;
    use super::*;

    #[test]
    fn addresses_are_taken_with_and_without_what_they_share() {
        let joined = |kind, base: &str, path: &str| join(kind, &base.parse().unwrap(), path).path().to_owned();
        let chat = |kind, base| joined(kind, base, path(kind));
        for base in ["http://x", "http://x/", "http://x/v1", "http://x/v1/"] {
            assert_eq!(chat(Kind::OpenAiCompatible, base), "/v1/chat/completions");
            assert_eq!(chat(Kind::LlamaCpp, base), "/v1/chat/completions");
            assert_eq!(chat(Kind::Anthropic, base), "/v1/messages");
            assert_eq!(chat(Kind::Ollama, base), "/api/chat");
            assert_eq!(joined(Kind::LlamaCpp, base, "props"), "/props");
        }
        assert_eq!(chat(Kind::OpenAiCompatible, "https://x/api/v1"), "/api/v1/chat/completions");
        assert_eq!(chat(Kind::OpenAiCompatible, "https://x/v1beta/openai/"), "/v1beta/openai/chat/completions");
        assert_eq!(joined(Kind::OpenAiCompatible, "http://x/v1", "api/v0/models"), "/api/v0/models");
        assert_eq!(chat(Kind::LlamaCpp, "http://x/models/a/v1"), "/models/a/v1/chat/completions");
    }

    #[test]
    fn further_fields_win_and_options_are_merged() {
        let mut model = ModelSpec::new(ProviderSpec::new("o", Kind::Ollama, "localhost"), "m");
        model.extra.insert("options".into(), serde_json::json!({ "top_k": 3, "temperature": 1.0 }));
        let mut request = Request::ask("x");
        request.extra.insert("think".into(), false.into());
        let body = body(&model, &request, Known { slot: None, window: Some(64) });
        assert_eq!(body["options"]["num_ctx"], 64);
        assert_eq!(body["options"]["top_k"], 3);
        assert_eq!(body["options"]["temperature"], 1.0);
        assert_eq!(body["think"], false);
    }
}
