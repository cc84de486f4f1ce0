//! The endpoint for other programs: whom it answers, and that it answers as OpenAI's clients expect, our own among them.

use agent::models::{self, Models};
use agent::provider::spec::KeySource;
use agent::provider::{Chat as _, Kind, ModelSpec, Provider, ProviderError, ProviderSpec, Request, Tool};
use agent::serve::Endpoint;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::server::{Answer, Server};

const TOKEN: &str = "a-token-of-sixteen-characters";

fn models(server: &Server) -> Models {
    let text = format!(
        "[providers.p]\nkind = \"openai-compatible\"\nurl = \"{}\"\n[models.m]\nprovider = \"p\"\n[models.n]\nprovider = \"p\"\n\
         [routes.r]\nmodels = [\"m\", \"n\"]\n",
        server.address
    );
    models::parse(&text)
}

/// An endpoint over a server, and our own client talking to it.
async fn start(server: &Server, model: &str) -> (String, Provider) {
    let endpoint = Endpoint::bind(models(server), 0, Some(TOKEN.to_owned())).await.unwrap();
    let address = format!("http://{}", endpoint.address());
    tokio::spawn(endpoint.run());
    let mut provider = ProviderSpec::new("recto", Kind::OpenAiCompatible, address.clone());
    provider.key = KeySource::Command(vec!["printf".to_owned(), TOKEN.to_owned()]);
    provider.patience.attempts = 1;
    (address, Provider::new(ModelSpec::new(provider, model)).unwrap())
}

/// One request as it stands, and the answer as it comes.
async fn raw(address: &str, head: &str, body: &str) -> String {
    let mut stream = tokio::net::TcpStream::connect(address.trim_start_matches("http://")).await.unwrap();
    let text = format!("{head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn a_reply_passes_through_with_reasoning_calls_and_counts() {
    let chunks = [
        json!({ "choices": [{ "delta": { "reasoning": "hm" } }] }),
        json!({ "choices": [{ "delta": { "content": "yes" } }] }),
        json!({ "choices": [{ "delta": { "tool_calls": [{ "index": 0, "id": "x", "function": { "name": "read", "arguments": "{}" } }] } }] }),
        json!({ "choices": [{ "delta": {}, "finish_reason": "tool_calls" }], "usage": { "prompt_tokens": 9, "completion_tokens": 4 } }),
    ]
    .map(|chunk| chunk.to_string());
    let server = Server::in_turn(vec![Answer::events(&chunks.each_ref().map(String::as_str))]).await;
    let (_, client) = start(&server, "r").await;
    let tool = Tool { name: "read".into(), description: "reads".into(), schema: json!({ "type": "object" }) };
    let request = Request { tools: vec![tool], stop: vec!["END".into()], ..Request::ask("hi") };
    let error = client.send(request.clone()).collect().await.unwrap_err();
    // The models of the file say nothing of tools, so the route has nobody for them.
    assert!(error.to_string().contains("it has no tools"), "{error}");
    let (_, client) = start(&server, "m").await;
    let reply = client.send(request).collect().await.unwrap();
    assert_eq!((reply.reasoning.as_str(), reply.text.as_str()), ("hm", "yes"));
    assert_eq!(reply.finish.calls[0].name, "read");
    assert_eq!((reply.finish.usage.prompt, reply.finish.usage.completion), (Some(9), Some(4)));
    let sent = server.received().remove(0).body;
    assert_eq!(sent["model"], "m");
    assert_eq!(sent["stop"], json!(["END"]));
    assert_eq!(sent["tools"][0]["function"]["name"], "read");
}

#[tokio::test]
async fn a_reply_can_be_had_whole_and_says_who_answered() {
    let ok = json!({ "choices": [{ "delta": { "content": "ok" }, "finish_reason": "stop" }] }).to_string();
    let server = Server::in_turn(vec![Answer::new(401, "{}"), Answer::events(&[&ok])]).await;
    let (address, _) = start(&server, "r").await;
    let head = format!("POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}");
    let answer = raw(&address, &head, r#"{"model":"r","messages":[{"role":"user","content":"hi"}]}"#).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    for part in [r#""content":"ok""#, r#""answered_by":"n""#, "m could not answer"] {
        assert!(answer.contains(part), "{part} is not in {answer}");
    }
}

#[tokio::test]
async fn who_has_no_token_or_is_a_web_page_gets_nothing() {
    let server = Server::in_turn(vec![Answer::new(500, "")]).await;
    let (address, _) = start(&server, "m").await;
    let right = format!("authorization: Bearer {TOKEN}");
    for (head, status) in [
        ("GET /v1/models HTTP/1.1\r\nhost: localhost".to_owned(), 401),
        ("GET /v1/models HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer wrong".to_owned(), 401),
        (format!("GET /v1/models HTTP/1.1\r\nhost: evil.test\r\n{right}"), 403),
        (format!("GET /v1/models HTTP/1.1\r\nhost: localhost\r\norigin: https://evil.test\r\n{right}"), 403),
        (format!("GET /v1/models HTTP/1.1\r\nhost: 127.0.0.1:1\r\n{right}"), 200),
        ("GET /health HTTP/1.1\r\nhost: localhost".to_owned(), 200),
        (format!("GET /elsewhere HTTP/1.1\r\nhost: localhost\r\n{right}"), 404),
        (format!("GET /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n{right}"), 405),
        (format!("POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n{right}"), 400),
    ] {
        let answer = raw(&address, &head, "").await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{head}: {answer}");
    }
    assert!(server.received().is_empty());
}

#[tokio::test]
async fn failures_keep_their_class_for_the_client() {
    let overflow = json!({ "error": { "type": "exceed_context_size_error", "message": "request (6030 tokens) exceeds the \
        available context size (4096 tokens)", "n_prompt_tokens": 6030, "n_ctx": 4096 } });
    let server = Server::in_turn(vec![Answer::json(400, &overflow)]).await;
    let (_, client) = start(&server, "m").await;
    let error = client.send(Request::ask("hi")).collect().await.unwrap_err();
    assert!(matches!(error, ProviderError::ContextOverflow { prompt: Some(6030), limit: Some(4096) }), "{error:?}");
    let (_, client) = start(&server, "nobody").await;
    let error = client.send(Request::ask("hi")).collect().await.unwrap_err();
    assert!(matches!(error, ProviderError::UnknownModel { .. }), "{error:?}");
    let half = json!({ "choices": [{ "delta": { "content": "half" } }] }).to_string();
    let server = Server::in_turn(vec![Answer::events(&[&half])]).await;
    let (_, client) = start(&server, "m").await;
    let error = client.send(Request::ask("hi")).collect().await.unwrap_err();
    assert!(matches!(&error, ProviderError::BrokeOff { message, .. } if message.contains("cut off")), "{error:?}");
}
