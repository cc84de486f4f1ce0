//! What servers refuse with, and what follows: waiting, asking again, one form of overflow, a reason for the user.

use agent::provider::{Chat as _, Event, FinishReason, Kind, Notice, ProviderError, Request, Waiting};
use serde_json::{Value, json};

use super::server::{Answer, Server, Step};

const KIND: Kind = Kind::OpenAiCompatible;

fn ok() -> Answer {
    Answer::events(&[r#"{"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}"#, "[DONE]"])
}

fn error(status: u16, message: &str) -> Answer {
    Answer::json(status, &json!({ "error": { "message": message } }))
}

async fn refused(kind: Kind, answer: Answer) -> (ProviderError, usize) {
    let server = Server::in_turn(vec![answer]).await;
    let mut model = server.model(kind);
    model.context = Some(4096);
    let provider = agent::provider::Provider::new(model).unwrap();
    let error = provider.send(Request::ask("hi")).collect().await.unwrap_err();
    (error, server.received().len())
}

#[tokio::test]
async fn every_form_of_overflow_is_one_and_is_not_sent_again() {
    let llama = |status: u16| {
        Answer::json(
            status,
            &json!({ "error": { "code": status, "type": "exceed_context_size_error",
            "message": "request (6030 tokens) exceeds the available context size (4096 tokens), try increasing it",
            "n_prompt_tokens": 6030, "n_ctx": 4096 } }),
        )
    };
    let midway = |body: Value| Answer::events(&[r#"{"choices":[{"delta":{"content":"a"}}]}"#, &body.to_string()]);
    let vllm = "This model's maximum context length is 4096 tokens. However, you requested 6130 tokens (6030 in the \
        messages, 100 in the completion). Please reduce the length of the messages or completion.";
    let openai = "This model's maximum context length is 4096 tokens. However, your messages resulted in 6030 tokens.";
    for (kind, answer, prompt) in [
        (Kind::LlamaCpp, llama(400), Some(6030)),
        (Kind::LlamaCpp, llama(500), Some(6030)),
        (
            Kind::LlamaCpp,
            midway(json!({ "error": { "code": 500, "message": "Context size has been exceeded." } })),
            None,
        ),
        (Kind::Ollama, Answer::json(400, &json!({ "error": "the input length exceeds the context length" })), None),
        (Kind::Ollama, Answer::lines(&[r#"{"error":"input length exceeds the context length"}"#]), None),
        (KIND, Answer::json(400, &json!({ "object": "error", "message": vllm, "code": 400 })), Some(6030)),
        (
            KIND,
            Answer::json(400, &json!({ "error": { "code": "context_length_exceeded", "message": openai } })),
            Some(6030),
        ),
        (KIND, error(400, "max_tokens must be at least 1, got -186."), None),
        (Kind::Anthropic, error(400, "prompt is too long: 6030 tokens > 4096 maximum"), Some(6030)),
    ] {
        let (error, requests) = refused(kind, answer.clone()).await;
        let expected = ProviderError::ContextOverflow { prompt, limit: Some(4096) };
        assert_eq!((error, requests), (expected, 1), "{answer:?}");
    }
}

#[tokio::test]
async fn the_window_is_learnt_from_an_overflow() {
    let server = Server::start(|request| match request.path.as_str() {
        "/v1/chat/completions" => error(
            400,
            "This model's maximum context length is 4096 tokens. However, your messages resulted in 6030 tokens.",
        ),
        _ => Answer::new(404, ""),
    })
    .await;
    let provider = server.provider(KIND);
    assert_eq!(provider.window().await, Ok(None));
    drop(provider.send(Request::ask("hi")).collect().await);
    assert_eq!(provider.window().await, Ok(Some(4096)));
}

#[tokio::test]
async fn a_busy_server_is_asked_again_and_the_wait_is_told() {
    for status in [429, 503, 529] {
        let busy = error(status, "slow down").header("retry-after", "0");
        let server = Server::in_turn(vec![busy.clone(), busy, ok()]).await;
        let mut reply = server.provider(KIND).send(Request::ask("hi"));
        let mut waits = 0;
        while let Some(event) = reply.next().await {
            if let Event::Waiting(Waiting::Retry { attempt, why, .. }) = event.unwrap() {
                waits += 1;
                assert_eq!(attempt, waits);
                assert!(why.contains("slow down"), "{why}");
            }
        }
        assert_eq!((waits, server.received().len()), (2, 3));
    }
}

#[tokio::test]
async fn a_server_that_wants_too_long_a_wait_is_given_up_at_once() {
    let (error, requests) = refused(KIND, error(429, "later").header("retry-after", "3600")).await;
    assert_eq!(requests, 1);
    assert!(
        matches!(error, ProviderError::Busy { status: 429, retry_after: Some(after), .. } if after.as_secs() == 3600)
    );
}

#[tokio::test]
async fn a_server_that_loads_its_model_is_waited_for() {
    let loading = Answer::json(
        503,
        &json!({ "error": { "code": 503, "message": "Loading model", "type": "unavailable_error" } }),
    );
    let server = Server::in_turn(vec![loading.clone(), loading.clone(), loading, ok()]).await;
    let mut reply = server.provider(Kind::LlamaCpp).send(Request::ask("hi"));
    let mut waits = 0;
    while let Some(event) = reply.next().await {
        waits += u32::from(event.unwrap() == Event::Waiting(Waiting::Loading));
    }
    assert_eq!(waits, 3);
}

#[tokio::test]
async fn an_overload_midway_voids_what_came_and_asks_again() {
    let text = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"half"}}"#;
    let overloaded = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let whole = text.replace("half", "whole");
    let end = r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}"#;
    let server = Server::in_turn(vec![
        Answer::events(&[r#"{"type":"ping"}"#, text, r#"{"type":"something_new","x":1}"#, overloaded]),
        Answer::events(&[&whole, end, r#"{"type":"message_stop"}"#]),
    ])
    .await;
    let mut reply = server.provider(Kind::Anthropic).send(Request::ask("hi"));
    let mut whole = agent::provider::Collected::default();
    let mut restarts = 0;
    while let Some(event) = reply.next().await {
        let event = event.unwrap();
        restarts += u32::from(matches!(event, Event::Restarted { .. }));
        whole.take(event);
    }
    assert_eq!((restarts, whole.text.as_str()), (1, "whole"));
}

#[tokio::test]
async fn each_refusal_has_its_class() {
    type Is = fn(&ProviderError) -> bool;
    let cases: [(Answer, Is, usize); 9] = [
        (error(401, "bad key"), |error| matches!(error, ProviderError::Unauthorised { status: 401, .. }), 1),
        (error(403, "not you"), |error| matches!(error, ProviderError::Unauthorised { status: 403, .. }), 1),
        (error(402, "pay"), |error| matches!(error, ProviderError::Exhausted { .. }), 1),
        (error(429, "You exceeded your current quota"), |error| matches!(error, ProviderError::Exhausted { .. }), 1),
        (error(404, "model m does not exist"), |error| matches!(error, ProviderError::UnknownModel { .. }), 1),
        (error(400, "m does not support tools"), |error| matches!(error, ProviderError::NoTools { .. }), 1),
        (error(400, "no"), |error| matches!(error, ProviderError::Refused { status: 400, .. }), 1),
        (
            Answer::new(502, "<html><h1>Bad Gateway</h1></html>"),
            |error| matches!(error, ProviderError::Failed { status: 502, message, .. } if message == "Bad Gateway"),
            4,
        ),
        (
            Answer::new(307, "").header("location", "http://elsewhere.test/"),
            |error| matches!(error, ProviderError::Redirected { target, .. } if target.contains("elsewhere")),
            1,
        ),
    ];
    for (answer, is, expected) in cases {
        let (error, requests) = refused(KIND, answer.clone()).await;
        assert!(is(&error), "{answer:?} became {error:?}");
        assert_eq!(requests, expected, "{error}");
    }
}

#[tokio::test]
async fn an_error_in_a_stream_is_no_success() {
    for (kind, answer) in [
        (
            KIND,
            Answer::events(&[
                r#"{"choices":[{"delta":{"content":"a"}}]}"#,
                r#"{"error":{"message":"cuda","code":500}}"#,
            ]),
        ),
        (Kind::Ollama, Answer::lines(&[r#"{"message":{"content":"a"},"done":false}"#, r#"{"error":"cuda"}"#])),
        (
            Kind::Anthropic,
            Answer::events(&[
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}"#,
                r#"{"type":"error","error":{"type":"api_error","message":"cuda"}}"#,
            ]),
        ),
    ] {
        let (error, requests) = refused(kind, answer).await;
        assert!(matches!(&error, ProviderError::BrokeOff { message, .. } if message == "cuda"), "{error:?}");
        assert_eq!(requests, 1);
    }
}

#[tokio::test]
async fn a_field_that_is_refused_is_left_out_and_remembered() {
    let server = Server::start(|request| {
        if request.body.get("stream_options").is_some() {
            return error(400, "Unknown field: stream_options");
        }
        if request.body.get("max_tokens").is_some() {
            let message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
                'max_completion_tokens' instead.";
            return Answer::json(400, &json!({ "error": { "message": message, "param": "max_tokens" } }));
        }
        ok()
    })
    .await;
    let provider = server.provider(KIND);
    let reply = provider.send(Request::ask("hi")).collect().await.unwrap();
    let dropped = |field: &str| Notice::FieldDropped { field: field.to_owned() };
    assert_eq!(reply.notices, [dropped("stream_options"), dropped("max_tokens")]);
    provider.send(Request::ask("hi")).collect().await.unwrap();
    assert_eq!(server.received().len(), 4, "two refusals, two replies");
    assert_eq!(server.received()[3].body["max_completion_tokens"], 4096);
}

#[tokio::test]
async fn nobody_there_is_asked_twice_and_told() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let mut spec = agent::provider::ProviderSpec::new("test", KIND, address.clone());
    spec.patience.first_wait = std::time::Duration::from_millis(1);
    let provider = agent::provider::Provider::new(agent::provider::ModelSpec::new(spec, "m")).unwrap();
    let error = provider.send(Request::ask("hi")).collect().await.unwrap_err();
    assert!(matches!(&error, ProviderError::Unreachable { address: asked, .. } if *asked == address), "{error:?}");
}

#[tokio::test]
async fn a_connection_that_breaks_before_the_answer_is_tried_again() {
    // Before the head, and after it.
    for broken in [Answer::silence(), Answer::new(200, "").then(Step::Reset), Answer::events(&[])] {
        let server = Server::in_turn(vec![broken.clone(), ok()]).await;
        let reply = server.provider(KIND).send(Request::ask("hi")).collect().await.unwrap();
        assert_eq!((reply.finish.reason, server.received().len()), (FinishReason::Stop, 2), "{broken:?}");
    }
    // Once more, and not for ever.
    let (error, requests) = refused(KIND, Answer::events(&[])).await;
    assert!(matches!(error, ProviderError::Truncated { bytes: 0, .. }), "{error:?}");
    assert_eq!(requests, 2);
}
