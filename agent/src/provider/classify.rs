//! What a server's failure means: from its status, its headers and its words to one [`ProviderError`].

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;
use serde_json::Value;

use super::error::{ProviderError, quote};
use super::overflow::{self, Overflow};

/// A failure that a server told, before its reply or in the middle of it.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub status: u16,
    pub body: Value,
    pub message: String,
    pub retry_after: Option<Duration>,
}

/// What to do about a failure.
#[derive(Debug)]
pub(super) enum Meaning {
    /// The model is being loaded: ask again soon.
    Loading,
    /// A field of the request that the server does not take.
    UnknownField(String),
    Error(ProviderError),
}

impl Told {
    /// From an answer that is not 200.
    pub(super) fn from_answer(status: u16, headers: &HeaderMap, text: &str) -> Self {
        let body: Value = serde_json::from_str(text).unwrap_or(Value::Null);
        let message = message_of(&body).unwrap_or_else(|| plain(text));
        Self { status, body, message, retry_after: retry_after(headers, SystemTime::now()) }
    }

    /// From an object inside a stream that began as a success, if it tells of a failure.
    pub(super) fn from_frame(body: &Value) -> Option<Self> {
        let error = body.get("error").filter(|error| !error.is_null());
        let is_flat = body.get("object").and_then(Value::as_str) == Some("error")
            || body.get("type").and_then(Value::as_str) == Some("error");
        if error.is_none() && !is_flat {
            return None;
        }
        let inner = error.unwrap_or(body);
        let code = ["code", "status", "status_code"].iter().find_map(|field| inner.get(field)?.as_u64());
        let message = message_of(body).unwrap_or_else(|| inner.to_string());
        let status = code.and_then(|code| u16::try_from(code).ok()).filter(|code| (400..600).contains(code));
        Some(Self { status: status.unwrap_or(200), body: body.clone(), message, retry_after: None })
    }

    pub(super) fn overflow(&self) -> Option<ProviderError> {
        overflow::recognise(&self.body, &self.message)
            .map(|Overflow { prompt, limit }| ProviderError::ContextOverflow { prompt, limit })
    }

    /// The word that servers put into `type` or `code`.
    fn word(&self) -> &str {
        let inner = self.body.get("error").filter(|error| error.is_object()).unwrap_or(&self.body);
        let field = |name| inner.get(name).and_then(Value::as_str).filter(|word| *word != "error");
        field("code").or_else(|| field("type")).unwrap_or_default()
    }

    fn is_overloaded(&self) -> bool {
        let message = self.message.to_lowercase();
        matches!(self.word(), "overloaded_error" | "rate_limit_error" | "rate_limit_exceeded" | "server_overloaded")
            || message.contains("overloaded")
            || matches!(self.status, 429 | 503 | 529)
    }

    /// What a failure before the reply means.
    pub(super) fn meaning(self, address: &str, model: &str) -> Meaning {
        if let Some(error) = self.overflow() {
            return Meaning::Error(error);
        }
        let lower = self.message.to_lowercase();
        if self.status == 503 && lower.contains("loading model") {
            return Meaning::Loading;
        }
        if NO_TOOLS.iter().any(|phrase| lower.contains(phrase)) {
            return Meaning::Error(ProviderError::NoTools { model: model.to_owned(), message: quote(&self.message) });
        }
        if matches!(self.status, 400 | 422)
            && let Some(field) = unknown_field(&self.body, &self.message)
        {
            return Meaning::UnknownField(field);
        }
        let is_exhausted = self.status == 402
            || self.word() == "insufficient_quota"
            || lower.contains("credit balance is too low")
            || lower.contains("exceeded your current quota");
        let is_unknown = self.status == 404 && (lower.contains("model") || self.word().contains("model_not_found"));
        let overloaded = self.is_overloaded();
        let (address, status, message) = (address.to_owned(), self.status, quote(&self.message));
        Meaning::Error(match status {
            _ if is_exhausted => ProviderError::Exhausted { address, status, message },
            401 | 403 => ProviderError::Unauthorised { address, status, message },
            _ if is_unknown => ProviderError::UnknownModel { address, model: model.to_owned(), message },
            408 | 425 | 429 | 503 | 529 => {
                ProviderError::Busy { address, status, message, retry_after: self.retry_after }
            }
            _ if overloaded => ProviderError::Busy { address, status, message, retry_after: self.retry_after },
            500..=599 => ProviderError::Failed { address, status, message },
            _ => ProviderError::Refused { address, status, message },
        })
    }

    /// What a failure in the middle of a reply means.
    pub(super) fn meaning_midway(self, address: &str) -> ProviderError {
        let overloaded = self.is_overloaded();
        self.overflow().unwrap_or_else(|| ProviderError::BrokeOff {
            address: address.to_owned(),
            message: quote(&self.message),
            overloaded,
        })
    }
}

/// The sentence in an error, in any of the places where servers put it.
fn message_of(body: &Value) -> Option<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned).filter(|text| !text.is_empty());
    let error = body.get("error");
    let inner = error.and_then(|error| text(error).or_else(|| error.get("message").and_then(text)));
    inner.or_else(|| body.get("message").and_then(text)).or_else(|| {
        let detail = body.get("detail")?;
        // FastAPI: a sentence, or a list of what was wrong with which field.
        text(detail).or_else(|| {
            let each = detail.as_array()?.iter().filter_map(|each| text(each.get("msg")?));
            Some(each.collect::<Vec<_>>().join("; "))
        })
    })
}

/// An error page of a proxy, without its markup.
fn plain(text: &str) -> String {
    let (mut out, mut is_tag) = (String::new(), false);
    for c in text.chars().take(5_000) {
        match c {
            '<' => is_tag = true,
            '>' => {
                is_tag = false;
                out.push(' ');
            }
            _ if is_tag => {}
            _ => out.push(c),
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Fields that may be left out or said differently; everything else that a server refuses is for the user to see.
const OPTIONAL: [&str; 11] = [
    "stream_options",
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "cache_prompt",
    "id_slot",
    "return_progress",
    "top_logprobs",
    "logprobs",
    "response_format",
    "stop",
];

/// How Ollama, vLLM, llama.cpp and OpenRouter say that a model or its template knows no tools, in lower case.
const NO_TOOLS: [&str; 5] = [
    "does not support tools",
    "does not support function calling",
    "requires --enable-auto-tool-choice",
    "requires --jinja",
    "no endpoints found that support tool use",
];

/// Whether a request was refused for one of the optional fields, and which.
fn unknown_field(body: &Value, message: &str) -> Option<String> {
    let lower = message.to_lowercase();
    let refused =
        ["unsupported", "not supported", "unrecognized", "unknown", "not permitted", "unexpected", "deprecated"];
    if !refused.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let named = body.get("error").and_then(|error| error.get("param")).and_then(Value::as_str);
    let located = body.get("detail").and_then(|detail| detail.get(0)?.get("loc")?.as_array()?.last()?.as_str());
    let named = named.or(located).filter(|name| OPTIONAL.contains(name));
    // Of two that a sentence names ("use b instead of a") the first one is the refused one.
    named.map(str::to_owned).or_else(|| {
        let found = OPTIONAL.iter().filter_map(|field| Some((lower.find(field)?, field)));
        found.min_by_key(|(at, field)| (*at, std::cmp::Reverse(field.len()))).map(|(_, field)| (*field).to_owned())
    })
}

/// How long a server asks to wait: seconds or a date, or milliseconds where it says so.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(millis) = text("retry-after-ms").and_then(|text| text.parse::<u64>().ok()) {
        return Some(Duration::from_millis(millis));
    }
    let value = text("retry-after")?;
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}
