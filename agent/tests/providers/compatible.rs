//! Streams of OpenAI-compatible servers, with what they do to them.

use std::sync::Arc;

use agent::provider::{Call, Chat as _, Event, FinishReason, Kind, Notice, ProviderError, Request, Tool};
use serde_json::json;
use tokio::sync::Notify;

use super::server::{Answer, Server, Step};

const KIND: Kind = Kind::OpenAiCompatible;
const STOP: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;

fn text(text: &str) -> String {
    json!({ "choices": [{ "index": 0, "delta": { "content": text }, "finish_reason": null }] }).to_string()
}

/// Plays an answer and gives reasoning, text and what went wrong.
async fn play(answer: Answer) -> (String, String, Option<ProviderError>) {
    let server = Server::in_turn(vec![answer]).await;
    let mut model = server.model(KIND);
    model.provider.patience.attempts = 1;
    let mut reply = agent::provider::Provider::new(model).unwrap().send(Request::ask("hi"));
    let (mut reasoning, mut text) = (String::new(), String::new());
    while let Some(event) = reply.next().await {
        match event {
            Ok(Event::Reasoning(piece)) => reasoning += &piece,
            Ok(Event::Text(piece)) => text += &piece,
            Ok(_) => {}
            Err(error) => return (reasoning, text, Some(error)),
        }
    }
    (reasoning, text, None)
}

async fn check(answer: Answer, reasoning: &str, text: &str) {
    let (thought, said, error) = play(answer).await;
    assert_eq!((thought.as_str(), said.as_str(), error), (reasoning, text, None));
}

#[tokio::test]
async fn every_split_of_a_stream_gives_the_same_text() {
    let whole = format!(
        "data: {}\r\n\r\ndata:{}\r\n\r\n: ping\r\n\r\ndata: {STOP}\r\n\r\ndata: [DONE]\r\n\r\n",
        r#"{"choices":[{"delta":{"content":"你"}}]}"#, r#"{"choices":[{"delta":{"content":"好👩‍🚀"}}]}"#
    );
    for at in 0..=whole.len() {
        check(Answer::stream(&whole).split_at(at), "", "你好👩‍🚀").await;
    }
}

#[tokio::test]
async fn empty_and_missing_choices_are_no_fault_and_usage_may_stand_anywhere() {
    let server = Server::in_turn(vec![Answer::events(&[
        r#"{"choices":null,"usage":{"prompt_tokens":7,"completion_tokens":1}}"#,
        &json!({ "choices": [{ "delta": { "content": "a" } }], "usage": { "prompt_tokens": 7, "completion_tokens": 2 } })
            .to_string(),
        &text("b"),
        r#"{"id":"x"}"#,
        STOP,
        r#"{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":5},
            "completion_tokens_details":{"reasoning_tokens":1}}}"#
            .replace('\n', "")
            .as_str(),
        "[DONE]",
    ])])
    .await;
    let reply = server.provider(KIND).send(Request::ask("hi")).collect().await.unwrap();
    assert_eq!(reply.text, "ab");
    let usage = reply.finish.usage;
    assert_eq!((usage.prompt, usage.cached, usage.completion, usage.reasoning), (Some(7), Some(5), Some(3), Some(1)));
    assert_eq!(reply.finish.reason, FinishReason::Stop);
    assert_eq!(reply.finish.answered_by, "m");
}

#[tokio::test]
async fn a_stream_without_done_is_whole_if_it_says_why_it_ends() {
    check(Answer::events(&[&text("a"), STOP]), "", "a").await;
    check(Answer::events(&[&text("a"), STOP]).then(Step::Reset), "", "a").await;
}

#[tokio::test]
async fn a_stream_that_just_stops_is_truncated() {
    for answer in [
        Answer::events(&[&text("abc")]),
        Answer::events(&[&text("abc")]).then(Step::Cut),
        Answer::events(&[&text("abc")]).then(Step::Reset),
        // In the middle of a frame.
        Answer::stream(format!("data: {}\n\ndata: {}", text("abc"), &text("de")[..20])),
    ] {
        let (_, said, error) = play(answer).await;
        assert_eq!(said, "abc");
        assert!(matches!(error, Some(ProviderError::Truncated { bytes: 3, .. })), "{error:?}");
    }
}

#[tokio::test]
async fn done_without_a_reason_is_told_from_a_stop() {
    let server = Server::in_turn(vec![Answer::events(&[&text("abc"), "[DONE]"])]).await;
    let reply = server.provider(KIND).send(Request::ask("hi")).collect().await.unwrap();
    assert_eq!(reply.finish.reason, FinishReason::Unstated);
}

#[tokio::test]
async fn reasoning_is_shown_once_whatever_field_it_is_in() {
    let delta = |delta: serde_json::Value| json!({ "choices": [{ "delta": delta }] }).to_string();
    for frames in [
        [delta(json!({ "reasoning": "hm " })), delta(json!({ "reasoning": "yes" }))],
        [delta(json!({ "reasoning_content": "hm " })), delta(json!({ "reasoning_content": "yes" }))],
        [
            delta(json!({ "reasoning": "hm ", "reasoning_content": "hm " })),
            delta(json!({ "reasoning": "yes", "reasoning_content": "yes" })),
        ],
        [delta(json!({ "content": "<think>hm " })), delta(json!({ "content": "yes</think>\n" }))],
        [
            delta(json!({ "content": [{ "type": "thinking", "thinking": [{ "type": "text", "text": "hm yes" }] }] })),
            delta(json!({ "content": "" })),
        ],
    ] {
        let answer = delta(json!({ "content": "42", "reasoning": null, "reasoning_content": "" }));
        check(Answer::events(&[&frames[0], &frames[1], &answer, STOP]), "hm yes", "42").await;
    }
}

#[tokio::test]
async fn native_calls_are_joined_by_index() {
    let calls = |calls: serde_json::Value| json!({ "choices": [{ "delta": { "tool_calls": calls } }] }).to_string();
    let server = Server::in_turn(vec![Answer::events(&[
        &calls(json!([{ "index": 0, "id": "a", "type": "function", "function": { "name": "read", "arguments": "" } }])),
        &calls(json!([{ "index": 1, "id": "b", "function": { "name": "list", "arguments": "{\"p\"" } }])),
        &calls(json!([{ "index": 0, "function": { "arguments": "{\"path\":" } }, { "index": 1, "function": { "arguments": ":1}" } }])),
        &calls(json!([{ "index": 0, "function": { "arguments": "\"x\"}" } }])),
        r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
        "[DONE]",
    ])])
    .await;
    let tool = Tool { name: "read".into(), description: "reads".into(), schema: json!({ "type": "object" }) };
    let request = Request { tools: vec![tool], ..Request::ask("hi") };
    let reply = server.provider(KIND).send(request).collect().await.unwrap();
    let call =
        |id: &str, name: &str, arguments: &str| Call { id: id.into(), name: name.into(), arguments: arguments.into() };
    assert_eq!(reply.finish.calls, [call("a", "read", "{\"path\":\"x\"}"), call("b", "list", "{\"p\":1}")]);
    assert_eq!(
        reply.finish.reason,
        FinishReason::Calls,
        "a server that says stop wants its calls answered all the same"
    );
    let sent = &server.received()[0].body;
    assert_eq!(sent["tools"][0]["function"]["name"], "read");
    assert_eq!(sent["max_tokens"], 4096, "every request has an output limit");
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let whole = json!({ "choices": [{ "message": { "content": "a\nb" }, "finish_reason": "length" }],
        "usage": { "prompt_tokens": 1, "completion_tokens": 2 } });
    let pretty = serde_json::to_string_pretty(&whole).unwrap();
    let server = Server::in_turn(vec![Answer::new(200, pretty).header("content-type", "application/json")]).await;
    let reply = server.provider(KIND).send(Request::ask("hi")).collect().await.unwrap();
    assert_eq!((reply.text.as_str(), &reply.finish.reason), ("a\nb", &FinishReason::Length));
}

#[tokio::test]
async fn what_is_no_reply_is_malformed() {
    let (_, _, error) = play(Answer::events(&["{not json}"])).await;
    assert!(matches!(error, Some(ProviderError::Malformed { .. })), "{error:?}");
    // A web page with status 200: somebody's login.
    let (_, _, error) = play(Answer::new(200, "<html>login</html>").header("content-type", "text/html")).await;
    assert!(matches!(error, Some(ProviderError::Truncated { bytes: 0, .. })), "{error:?}");
}

#[tokio::test]
async fn silence_ends_a_reply() {
    let never = Arc::new(Notify::new());
    let server = Server::in_turn(vec![Answer::stream(": ping\n\n").then(Step::Pause(never))]).await;
    let mut model = server.model(KIND);
    model.provider.patience.silence = std::time::Duration::from_millis(20);
    let provider = agent::provider::Provider::new(model).unwrap();
    let error = provider.send(Request::ask("hi")).collect().await.unwrap_err();
    assert!(matches!(error, ProviderError::Silent { .. }), "{error:?}");
}

#[tokio::test]
async fn comments_are_no_part_of_a_reply() {
    let late = format!(": ping\n\n: ping\n\ndata: {}\n\n: ping\n\ndata: {STOP}\n\n", text("late"));
    let server = Server::in_turn(vec![Answer::stream(late)]).await;
    assert_eq!(server.provider(KIND).send(Request::ask("hi")).collect().await.unwrap().text, "late");
}

#[tokio::test]
async fn dropping_a_reply_closes_its_connection() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let provider = agent::provider::ProviderSpec::new("test", KIND, address);
    let provider = agent::provider::Provider::new(agent::provider::ModelSpec::new(provider, "m")).unwrap();
    let reply = provider.send(Request::ask("hi"));
    let (mut stream, _) = listener.accept().await.unwrap();
    drop(reply);
    let mut rest = Vec::new();
    // Comes to an end only because the client closed.
    drop(tokio::io::AsyncReadExt::read_to_end(&mut stream, &mut rest).await);
}

#[tokio::test]
async fn a_prompt_of_which_little_was_read_is_told() {
    let usage = |tokens: u64| {
        let usage = json!({ "choices": [], "usage": { "prompt_tokens": tokens, "completion_tokens": 1 } }).to_string();
        Answer::events(&[&text("ok"), STOP, &usage, "[DONE]"])
    };
    let server = Server::in_turn(vec![usage(2048), usage(20_000)]).await;
    let provider = server.provider(KIND);
    let request = Request::ask("word ".repeat(20_000));
    let cut = provider.send(request.clone()).collect().await.unwrap();
    assert_eq!(cut.notices, [Notice::PromptCut { read: 2048, at_least: 12_500 }]);
    assert_eq!(provider.send(request).collect().await.unwrap().notices, []);
}
