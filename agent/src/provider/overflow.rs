//! Recognises, in whatever words, that a prompt did not fit.
//!
//! Some servers say it by a code and figures of their own, most by a sentence. The sentences are matched by what they
//! have in common, and figures are taken from where each form has them; a figure that is not certain is left out rather
//! than guessed, for the limit is learnt from it.

use serde_json::Value;

/// What a server said about a prompt that is too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Overflow {
    pub prompt: Option<u64>,
    pub limit: Option<u64>,
}

/// Codes and types that mean nothing else.
const CODES: [&str; 3] = ["context_length_exceeded", "exceed_context_size_error", "string_above_max_length"];

/// Phrases that mean nothing else, in lower case.
const PHRASES: [&str; 20] = [
    "maximum context length",
    "exceeds the available context size",
    "context size has been exceeded",
    "context size exceeded",
    "exceeds the context length",
    "exceeds the model's context length",
    "exceed context limit",
    "exceeds the context window",
    "exceeded max context length",
    "exceeds the maximum number of tokens allowed",
    "prompt is too long",
    "prompt too long",
    "input is too long for requested model",
    "maximum prompt length is",
    "greater than the context length",
    "context the overflows",
    "context length of only",
    "larger than the maximum context size",
    "too large for model with",
    "max_tokens must be at least 1, got -",
];

/// Looks at the body of an error, or at the error inside a stream.
pub(super) fn recognise(body: &Value, message: &str) -> Option<Overflow> {
    let inner = body.get("error").filter(|error| error.is_object()).unwrap_or(body);
    let coded =
        ["code", "type"].iter().filter_map(|field| inner.get(field)?.as_str()).any(|code| CODES.contains(&code));
    let lower = message.to_lowercase();
    if !coded && !PHRASES.iter().any(|phrase| lower.contains(phrase)) {
        return None;
    }
    let said = figures(&lower);
    let field = |name: &str| inner.get(name).and_then(Value::as_u64).filter(|tokens| *tokens > 0);
    Some(Overflow { prompt: field("n_prompt_tokens").or(said.prompt), limit: field("n_ctx").or(said.limit) })
}

/// What the sentence says in figures; see the tests for the sentences.
fn figures(message: &str) -> Overflow {
    // Anthropic: "203456 tokens > 200000 maximum", "188240 + 21333 > 200000".
    if let Some((left, right)) = message.split_once('>') {
        let mut asked = left.rsplit(['+', ':']);
        let last = asked.next().and_then(last_number);
        let first = left.contains('+').then(|| asked.next().and_then(last_number)).flatten();
        return Overflow { prompt: first.or(last), limit: first_number(right) };
    }
    let limit = [
        "maximum context length is",
        "maximum context length of",
        "maximum prompt length is",
        "context length of only",
        "context length is only",
        "available context size (",
        "maximum number of tokens allowed (",
        "maximum context size (",
        "too large for model with",
        "context window of",
    ]
    .iter()
    .find_map(|before| following(message, before));
    // "requested 5000 tokens (4500 in the messages, 500 in the completion)": the prompt alone is the inner figure.
    let prompt = [" in the messages", " in your prompt", " input tokens", " of text input"]
        .iter()
        .find_map(|after| preceding(message, after))
        .or_else(|| {
            [
                "messages resulted in",
                "prompt contains at least",
                "prompt contains",
                "request has",
                "requested about",
                "request contains",
                "input token count (",
                "input token count of",
                "the request (",
                "request (",
                "keep the first",
                "however, you requested",
            ]
            .iter()
            .find_map(|before| following(message, before))
        });
    // "max_tokens must be at least 1, got -186": what is over, not how long the prompt is.
    Overflow { prompt, limit }
}

/// The number right after a phrase.
fn following(message: &str, before: &str) -> Option<u64> {
    let at = message.find(before)? + before.len();
    let rest = message[at..].trim_start_matches([' ', '(', ':', '=']);
    rest.starts_with(|c: char| c.is_ascii_digit()).then(|| first_number(rest)).flatten()
}

/// The number right before a phrase.
fn preceding(message: &str, after: &str) -> Option<u64> {
    let before = &message[..message.find(after)?];
    let before = before.strip_suffix(" tokens").unwrap_or(before);
    before.ends_with(|c: char| c.is_ascii_digit()).then(|| last_number(before)).flatten()
}

fn first_number(text: &str) -> Option<u64> {
    let from = text.find(|c: char| c.is_ascii_digit())?;
    let digits: String =
        text[from..].chars().take_while(|c| c.is_ascii_digit() || *c == ',').filter(char::is_ascii_digit).collect();
    digits.parse().ok()
}

fn last_number(text: &str) -> Option<u64> {
    let end = text.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = text[..end].rfind(|c: char| !c.is_ascii_digit() && c != ',').map_or(0, |at| at + 1);
    text[start..end].replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(body: Value, message: &str, prompt: Option<u64>, limit: Option<u64>) {
        assert_eq!(recognise(&body, message), Some(Overflow { prompt, limit }), "{body} {message}");
    }

    #[test]
    fn llama_cpp_says_it_in_fields() {
        let message = "request (20480 tokens) exceeds the available context size (16384 tokens), try increasing it";
        let body = json!({"error": {"code": 400, "message": message, "type": "exceed_context_size_error",
            "n_prompt_tokens": 20480, "n_ctx": 16384}});
        check(body, message, Some(20480), Some(16384));
        let message = "the request exceeds the available context size. try increasing the context size";
        check(json!({"error": {"code": 500, "message": message, "type": "server_error"}}), message, None, None);
        let message = "Context size has been exceeded.";
        check(json!({"error": {"code": 500, "message": message, "type": "server_error"}}), message, None, None);
    }

    #[test]
    fn ollama_says_it_in_a_string() {
        for message in [
            "the input length exceeds the context length",
            "input length exceeds the context length",
            "prompt too long; exceeded max context length by 4 tokens",
        ] {
            check(json!({"error": message}), message, None, None);
        }
    }

    #[test]
    fn vllm_says_it_flat() {
        let message = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens \
            (4500 in the messages, 500 in the completion). Please reduce the length of the messages or completion.";
        let body =
            json!({"object": "error", "message": message, "type": "BadRequestError", "param": null, "code": 400});
        check(body, message, Some(4500), Some(4096));
        let message = "This model's maximum context length is 32768 tokens. However, your request has 40000 input \
            tokens. Please reduce the length of the input messages.";
        check(json!({"error": {"message": message}}), message, Some(40000), Some(32768));
        let message = "You passed 40001 input tokens and requested 100 output tokens. However, the model's context \
            length is only 32768 tokens, resulting in a maximum input length of 32668 tokens: maximum context length";
        check(json!({"error": {"message": message}}), message, Some(40001), Some(32768));
        let message = "max_tokens must be at least 1, got -186.";
        check(json!({"object": "error", "message": message, "code": 400}), message, None, None);
    }

    #[test]
    fn openai_says_it_by_a_code() {
        let message = "This model's maximum context length is 8192 tokens. However, your messages resulted in 10042 \
            tokens. Please reduce the length of the messages.";
        let body =
            json!({"error": {"message": message, "type": "invalid_request_error", "code": "context_length_exceeded"}});
        check(body, message, Some(10042), Some(8192));
        let message = "Your input exceeds the context window of this model. Please adjust your input and try again.";
        check(json!({"error": {"message": message, "code": "context_length_exceeded"}}), message, None, None);
    }

    #[test]
    fn anthropic_says_it_as_a_comparison() {
        let message = "prompt is too long: 203456 tokens > 200000 maximum";
        let body = json!({"type": "error", "error": {"type": "invalid_request_error", "message": message}});
        check(body, message, Some(203_456), Some(200_000));
        let message = "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input \
            length or `max_tokens` and try again";
        check(json!({"error": {"message": message}}), message, Some(188_240), Some(200_000));
    }

    #[test]
    fn others_say_it_in_their_own_words() {
        let message = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).";
        check(json!({"error": {"message": message}}), message, Some(1_200_000), Some(1_048_576));
        let message = "Trying to keep the first 6279 tokens when context the overflows. However, the model is loaded \
            with context length of only 4096 tokens, which is not enough.";
        check(json!({"error": message}), message, Some(6279), Some(4096));
        let message = "Prompt contains 40960 tokens and 0 draft tokens, too large for model with 32768 maximum context \
            length";
        check(json!({"message": message}), message, Some(40960), Some(32768));
        let message = "This endpoint's maximum context length is 131,072 tokens. However, you requested about 200,100 \
            tokens (200,000 of text input, 100 in the output).";
        check(json!({"error": {"message": message}}), message, Some(200_000), Some(131_072));
    }

    #[test]
    fn other_errors_are_none() {
        for message in [
            "max_tokens must be at least 1, got 0",
            "Rate limit reached for gpt-4 in organization x on tokens per min (TPM): Limit 10000, Used 9000",
            "temperature must be in [0, 2]",
            "the file has 3 > 2 lines",
        ] {
            assert_eq!(recognise(&json!({"error": {"message": message, "code": 400}}), message), None, "{message}");
        }
    }
}
