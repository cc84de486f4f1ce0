//! What each kind adds: llama.cpp's slots, progress and timings, Ollama's options and lines, Anthropic's blocks; windows
//! that are learnt; keys, proxies, and that nothing else is dialled.

use std::time::Duration;

use agent::provider::discovery::{look, recognise};
use agent::provider::spec::{KeySource, Proxy};
use agent::provider::{
    Call, Chat as _, Event, FinishReason, Image, Kind, Message, ModelSpec, Progress, Provider, ProviderError,
    ProviderSpec, Request, SessionKey,
};
use serde_json::{Value, json};

use super::server::{Answer, Received, Server};

const DONE: &str = r#"{"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}"#;

fn props(slots: u64) -> Answer {
    Answer::json(
        200,
        &json!({ "default_generation_settings": { "n_ctx": 4096 }, "total_slots": slots,
        "chat_template_caps": { "supports_tools": true }, "modalities": { "vision": false } }),
    )
}

/// A llama.cpp server with two slots.
fn llama(request: &Received) -> Answer {
    match request.path.as_str() {
        "/props" => props(2),
        _ => Answer::events(&[
            r#"{"choices":[{"delta":{"role":"assistant","content":null}}],"prompt_progress":{"total":32,"cache":8,"processed":8,"time_ms":0}}"#,
            r#"{"choices":[{"delta":{"role":"assistant","content":null}}],"prompt_progress":{"total":32,"cache":8,"processed":32,"time_ms":250}}"#,
            DONE,
            r#"{"choices":[],"usage":{"completion_tokens":8,"prompt_tokens":32,"prompt_tokens_details":{"cached_tokens":8}},
                "timings":{"cache_n":8,"prompt_n":24,"prompt_ms":250.5,"predicted_n":8,"predicted_ms":500.0}}"#
                .replace('\n', "")
                .as_str(),
            "[DONE]",
        ]),
    }
}

#[tokio::test]
async fn llama_cpp_tells_what_else_could_stand_where_a_token_does() {
    let token = r#"{"choices":[{"index":0,"delta":{"content":" 1"},"logprobs":{"content":[{"token":" 1","bytes":[32,49],
        "logprob":-0.5,"top_logprobs":[{"token":" 1","logprob":-0.5},{"token":" 2","logprob":-1.0},{"token":"\ufffd","logprob":-2}]}]}}]}"#;
    let token = token.replace('\n', "");
    let server = Server::start(move |request| match request.path.as_str() {
        "/props" => props(1),
        _ => Answer::events(&[&token, DONE, "[DONE]"]),
    })
    .await;
    let events = |kind, tokens| {
        let provider = server.provider(kind);
        async move {
            let mut reply = provider.send(Request { tokens, ..Request::ask("hi") });
            let mut told = Vec::new();
            while let Some(event) = reply.next().await {
                if let Event::Token(token) = event.unwrap() {
                    told.push(token);
                }
            }
            told
        }
    };
    let told = events(Kind::LlamaCpp, true).await;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].length, 2);
    let choices: Vec<_> =
        told[0].choices.iter().map(|(text, likely)| (text.as_str(), (likely * 100.0) as u32)).collect();
    assert_eq!(choices, [(" 1", 60), (" 2", 36)]);
    events(Kind::LlamaCpp, false).await;
    events(Kind::OpenAiCompatible, true).await;
    let asked: Vec<_> = server.received().into_iter().filter(|request| request.path.contains("chat")).collect();
    let wanted: Vec<_> = asked.iter().map(|request| request.body["logprobs"].as_bool()).collect();
    assert_eq!(wanted, [Some(true), None, None]);
}

#[tokio::test]
async fn llama_cpp_is_asked_for_its_cache_and_pins_sessions_to_slots() {
    let server = Server::start(llama).await;
    let provider = server.provider(Kind::LlamaCpp);
    for session in [7, 8, 7] {
        let request = Request { session: Some(SessionKey(session)), ..Request::ask("hi") };
        provider.send(request).collect().await.unwrap();
    }
    let received = server.received();
    let paths: Vec<_> = received.iter().map(|request| request.path.as_str()).collect();
    let chat = "/v1/chat/completions";
    // `/props` and the list of models, which says what the properties leave out.
    assert_eq!(paths, ["/props", "/v1/models", chat, chat, chat], "what is there is asked for once");
    let received = &received[1..];
    let slots: Vec<_> = received[1..].iter().map(|request| request.body["id_slot"].as_u64()).collect();
    assert_eq!(slots, [Some(0), Some(1), Some(0)]);
    assert_eq!(received[1].body["cache_prompt"], true);
    assert_eq!(received[1].body["return_progress"], true);
    assert_eq!(provider.window().await, Ok(Some(4096)));
    assert_eq!(provider.facts().await.unwrap().tools, Some(true));
}

#[tokio::test]
async fn llama_cpp_tells_how_far_it_has_read_and_what_it_measured() {
    let server = Server::start(llama).await;
    let mut reply = server.provider(Kind::LlamaCpp).send(Request::ask("hi"));
    let (mut read, mut finish) = (Vec::new(), None);
    while let Some(event) = reply.next().await {
        match event.unwrap() {
            Event::Reading(progress) => read.push(progress),
            Event::Finished(end) => finish = Some(end),
            _ => {}
        }
    }
    let at = |done, elapsed| Progress { total: 32, cached: 8, done, elapsed: Duration::from_millis(elapsed) };
    assert_eq!(read, [at(8, 0), at(32, 250)]);
    let usage = finish.unwrap().usage;
    assert_eq!((usage.prompt, usage.cached, usage.completion), (Some(32), Some(8), Some(8)));
    assert_eq!(usage.cached_share(), Some(0.25));
    assert_eq!(usage.timings.prompt, Some(Duration::from_micros(250_500)));
    assert_eq!(usage.timings.completion, Some(Duration::from_millis(500)));
}

/// An Ollama that has a model with a window of 8,192.
fn ollama(request: &Received) -> Answer {
    match request.path.as_str() {
        "/api/show" => Answer::json(
            200,
            &json!({ "parameters": "num_ctx 8192", "capabilities": ["completion", "thinking"],
            "model_info": { "qwen.context_length": 32768 } }),
        ),
        "/api/ps" => Answer::json(200, &json!({ "models": [] })),
        _ => Answer::lines(&[
            r#"{"message":{"role":"assistant","content":"","thinking":"hm"},"done":false}"#,
            r#"{"message":{"role":"assistant","content":"你"},"done":false}"#,
            r#"{"message":{"content":"","tool_calls":[{"function":{"index":0,"name":"read","arguments":{"path":"a"}}}]},"done":false}"#,
            r#"{"message":{"content":"","tool_calls":[{"function":{"index":0,"name":"list","arguments":{}}}]},"done":false}"#,
            r#"{"message":{"content":""},"done":true,"done_reason":"stop","prompt_eval_count":12,"prompt_eval_duration":2000000,"eval_count":3,"eval_duration":3000000}"#,
        ]),
    }
}

#[tokio::test]
async fn ollama_is_given_its_window_and_told_to_cut_nothing() {
    let server = Server::start(ollama).await;
    let mut model = server.model(Kind::Ollama);
    model.output = 100;
    let provider = Provider::new(model).unwrap();
    for _ in 0..2 {
        let reply = provider.send(Request::ask("hi")).collect().await.unwrap();
        assert_eq!((reply.reasoning.as_str(), reply.text.as_str()), ("hm", "你"));
        assert_eq!(reply.finish.reason, FinishReason::Calls);
        let call = |id: &str, name: &str, arguments: &str| Call {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
        };
        assert_eq!(reply.finish.calls, [call("call_0", "read", "{\"path\":\"a\"}"), call("call_1", "list", "{}")]);
        assert_eq!(reply.finish.usage.prompt, Some(12));
        assert_eq!(reply.finish.usage.timings.completion, Some(Duration::from_millis(3)));
    }
    let chats: Vec<_> = server.received().into_iter().filter(|request| request.path == "/api/chat").collect();
    assert_eq!(chats.len(), 2);
    for chat in chats {
        assert_eq!(chat.body["options"]["num_ctx"], 8192);
        assert_eq!(chat.body["options"]["num_predict"], 100);
        assert_eq!((&chat.body["truncate"], &chat.body["shift"]), (&json!(false), &json!(false)));
        assert_eq!(chat.body["keep_alive"], "30m");
    }
    assert_eq!(provider.facts().await.unwrap().reasoning, Some(true));
}

#[tokio::test]
async fn every_split_of_ollamas_lines_gives_the_same_text() {
    let lines = [r#"{"message":{"content":"你"},"done":false}"#, r#"{"message":{"content":"好"},"done":true}"#];
    let length = Answer::lines(&lines).len();
    for at in 0..=length {
        let server = Server::in_turn(vec![Answer::lines(&lines).split_at(at)]).await;
        let mut model = server.model(Kind::Ollama);
        model.context = Some(4096);
        let reply = Provider::new(model).unwrap().send(Request::ask("hi")).collect().await.unwrap();
        assert_eq!(reply.text, "你好", "cut at {at}");
    }
}

#[tokio::test]
async fn ollamas_stream_that_stops_is_truncated() {
    let server = Server::in_turn(vec![Answer::lines(&[r#"{"message":{"content":"abc"},"done":false}"#])]).await;
    let mut model = server.model(Kind::Ollama);
    model.context = Some(4096);
    let error = Provider::new(model).unwrap().send(Request::ask("hi")).collect().await.unwrap_err();
    assert!(matches!(error, ProviderError::Truncated { bytes: 3, .. }), "{error:?}");
}

#[tokio::test]
async fn a_model_that_ollama_has_not_is_told() {
    let missing = Answer::json(404, &json!({ "error": "model 'm' not found" }));
    let server = Server::in_turn(vec![missing]).await;
    let error = server.provider(Kind::Ollama).send(Request::ask("hi")).collect().await.unwrap_err();
    assert!(matches!(error, ProviderError::UnknownModel { .. }), "{error:?}");
}

#[tokio::test]
async fn anthropics_blocks_become_reasoning_text_and_calls_and_go_back_as_they_came() {
    let server = Server::in_turn(vec![Answer::stream(
        [
            ("message_start", json!({ "type": "message_start", "message": { "usage": { "input_tokens": 10,
                "cache_read_input_tokens": 90, "cache_creation_input_tokens": 5, "output_tokens": 1 } } })),
            ("ping", json!({ "type": "ping" })),
            ("content_block_start", json!({ "type": "content_block_start", "index": 0,
                "content_block": { "type": "thinking", "thinking": "", "signature": "" } })),
            ("content_block_delta", json!({ "type": "content_block_delta", "index": 0,
                "delta": { "type": "thinking_delta", "thinking": "hm" } })),
            ("content_block_delta", json!({ "type": "content_block_delta", "index": 0,
                "delta": { "type": "signature_delta", "signature": "sig" } })),
            ("content_block_start", json!({ "type": "content_block_start", "index": 1, "content_block": { "type": "text", "text": "" } })),
            ("content_block_delta", json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "text_delta", "text": "yes" } })),
            ("content_block_start", json!({ "type": "content_block_start", "index": 2,
                "content_block": { "type": "tool_use", "id": "toolu_1", "name": "read", "input": {} } })),
            ("content_block_delta", json!({ "type": "content_block_delta", "index": 2,
                "delta": { "type": "input_json_delta", "partial_json": "{\"path\":" } })),
            ("content_block_delta", json!({ "type": "content_block_delta", "index": 2,
                "delta": { "type": "input_json_delta", "partial_json": "\"a\"}" } })),
            ("message_delta", json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" }, "usage": { "output_tokens": 20 } })),
            ("message_stop", json!({ "type": "message_stop" })),
        ]
        .map(|(name, data)| format!("event: {name}\ndata: {data}\n\n"))
        .concat(),
    )])
    .await;
    let mut model = server.model(Kind::Anthropic);
    model.provider.key = KeySource::Command(vec!["printf".to_owned(), "sk-1".to_owned()]);
    let provider = Provider::new(model).unwrap();
    let reply = provider.send(Request::ask("hi")).collect().await.unwrap();
    assert_eq!((reply.reasoning.as_str(), reply.text.as_str()), ("hm", "yes"));
    assert_eq!(reply.finish.reason, FinishReason::Calls);
    let call = Call { id: "toolu_1".into(), name: "read".into(), arguments: "{\"path\":\"a\"}".into() };
    assert_eq!(reply.finish.calls, std::slice::from_ref(&call));
    let usage = reply.finish.usage;
    assert_eq!(
        (usage.prompt, usage.cached, usage.cache_written, usage.completion),
        (Some(105), Some(90), Some(5), Some(20))
    );

    let messages = vec![
        Message::user("hi"),
        Message::Assistant { text: reply.text, reasoning: reply.finish.reasoning, calls: vec![call] },
        Message::Tool { call: "toolu_1".into(), name: "read".into(), text: "x".into(), failed: false },
    ];
    provider.send(Request { messages, ..Request::default() }).collect().await.unwrap();
    let sent = server.received().remove(1);
    assert_eq!(sent.path, "/v1/messages");
    assert_eq!((sent.header("x-api-key"), sent.header("anthropic-version")), (Some("sk-1"), Some("2023-06-01")));
    let thinking = json!({ "type": "thinking", "thinking": "hm", "signature": "sig" });
    assert_eq!(sent.body["messages"][1]["content"][0], thinking);
}

#[tokio::test]
async fn anthropics_stream_that_stops_is_truncated() {
    let text = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"abc"}}"#;
    let server = Server::in_turn(vec![Answer::events(&[text])]).await;
    let error = server.provider(Kind::Anthropic).send(Request::ask("hi")).collect().await.unwrap_err();
    assert!(matches!(error, ProviderError::Truncated { bytes: 3, .. }), "{error:?}");
}

#[tokio::test]
async fn a_key_that_runs_out_is_looked_up_anew() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    std::fs::write(&file, "old").unwrap();
    let server = Server::start(|request| match request.header("authorization") {
        Some("Bearer new") => Answer::events(&[DONE]),
        _ if request.body["messages"][0]["content"] == "first" => Answer::events(&[DONE]),
        _ => Answer::json(401, &json!({ "error": { "message": "expired" } })),
    })
    .await;
    let mut model = server.model(Kind::OpenAiCompatible);
    model.provider.key = KeySource::Command(vec!["cat".to_owned(), file.display().to_string()]);
    let provider = Provider::new(model).unwrap();
    provider.send(Request::ask("first")).collect().await.unwrap();
    std::fs::write(&file, "new").unwrap();
    provider.send(Request::ask("second")).collect().await.unwrap();
    let keys: Vec<_> = server.received().iter().map(|r| r.header("authorization").unwrap().to_owned()).collect();
    assert_eq!(keys, ["Bearer old", "Bearer old", "Bearer new"]);
}

#[tokio::test]
async fn windows_are_learnt_from_lists_of_models() {
    let studio = |request: &Received| match request.path.as_str() {
        "/v1/models" => Answer::json(200, &json!({ "data": [{ "id": "m" }, { "id": "n" }] })),
        "/api/v1/models" => Answer::json(
            200,
            &json!({ "models": [{ "key": "m", "max_context_length": 9,
            "loaded_instances": [{ "config": { "context_length": 2048 } }] }] }),
        ),
        _ => Answer::new(404, ""),
    };
    let server = Server::start(studio).await;
    assert_eq!(server.provider(Kind::OpenAiCompatible).window().await, Ok(Some(2048)));
    let vllm = Answer::json(200, &json!({ "data": [{ "id": "m", "max_model_len": 1024 }] }));
    let server = Server::in_turn(vec![vllm]).await;
    assert_eq!(server.provider(Kind::OpenAiCompatible).window().await, Ok(Some(1024)));
    let mut set = server.model(Kind::OpenAiCompatible);
    set.context = Some(512);
    assert_eq!(Provider::new(set).unwrap().window().await, Ok(Some(512)), "what is configured goes first");
}

/// Everything that could lead elsewhere does: a redirect, an address in the body, the list of models, a proxy of the
/// environment. A trap listens there, and nobody comes.
#[tokio::test]
async fn nothing_but_the_configured_address_is_dialled() {
    let trap = Server::in_turn(vec![Answer::new(200, "")]).await;
    let elsewhere = trap.address.clone();
    let server = Server::start(move |request| match request.path.as_str() {
        "/props" | "/v1/models" => Answer::new(302, "").header("location", &elsewhere),
        _ if request.body["messages"].to_string().contains("redirect") => {
            Answer::new(307, "").header("location", &elsewhere)
        }
        _ => Answer::events(&[&json!({ "choices": [{ "delta": { "content": "ok" }, "finish_reason": "stop" }],
            "next": elsewhere, "url": elsewhere })
        .to_string()])
        .header("link", &format!("<{elsewhere}>; rel=preconnect"))
        .header("alt-svc", "h2=\"localhost:1\""),
    })
    .await;
    for kind in Kind::ALL {
        let mut model = server.model(kind);
        model.context = Some(4096);
        let provider = Provider::new(model).unwrap();
        drop(provider.send(Request::ask("hi")).collect().await);
        drop(provider.facts().await);
        let error = provider.send(Request::ask("redirect")).collect().await.unwrap_err();
        assert!(matches!(error, ProviderError::Redirected { .. }), "{kind:?}: {error:?}");
    }
    assert!(server.received().len() >= 8);
    assert!(trap.received().is_empty(), "{:?}", trap.received());
}

#[tokio::test]
async fn a_proxy_is_used_by_the_model_that_has_it_and_by_no_other() {
    // A proxy gets the whole address in the first line.
    let proxy = Server::in_turn(vec![Answer::events(&[DONE])]).await;
    let server = Server::in_turn(vec![Answer::events(&[DONE])]).await;
    let mut model = server.model(Kind::OpenAiCompatible);
    model.provider.proxy = Proxy::Through(proxy.address.clone());
    Provider::new(model).unwrap().send(Request::ask("hi")).collect().await.unwrap();
    assert_eq!((proxy.received().len(), server.received().len()), (1, 0));
    assert!(proxy.received()[0].path.starts_with(&server.address), "{:?}", proxy.received()[0].path);
    server.provider(Kind::OpenAiCompatible).send(Request::ask("hi")).collect().await.unwrap();
    assert_eq!((proxy.received().len(), server.received().len()), (1, 1));
}

#[tokio::test]
async fn servers_on_this_machine_are_found_and_told_apart() {
    let not_found = || Answer::new(404, "");
    let list = |ids: &[&str], owner: &str| {
        let data: Vec<Value> = ids.iter().map(|id| json!({ "id": id, "owned_by": owner })).collect();
        Answer::json(200, &json!({ "data": data }))
    };
    let llama = Server::start(move |request| match request.path.as_str() {
        "/props" => props(1),
        "/v1/models" => list(&["qwen.gguf"], "llamacpp"),
        "/api/tags" => Answer::json(200, &json!({ "models": [] })),
        _ => not_found(),
    })
    .await;
    let ollama = Server::start(move |request| match request.path.as_str() {
        "/api/tags" => Answer::json(200, &json!({ "models": [{ "name": "qwen3:4b" }] })),
        _ => not_found(),
    })
    .await;
    let vllm = Server::start(move |request| match request.path.as_str() {
        "/v1/models" => list(&["a/b"], "vllm"),
        _ => not_found(),
    })
    .await;
    let page = Server::in_turn(vec![Answer::new(200, "<html>").header("content-type", "text/html")]).await;
    let ports =
        [&llama, &ollama, &vllm, &page].map(|server| server.address.rsplit(':').next().unwrap().parse().unwrap());
    let found = look(&ports).await;
    let told: Vec<_> = found.iter().map(|found| (found.what, found.provider.kind, found.models.join(","))).collect();
    assert_eq!(
        told,
        [
            ("llama.cpp", Kind::LlamaCpp, "qwen.gguf".to_owned()),
            ("Ollama", Kind::Ollama, "qwen3:4b".to_owned()),
            ("vLLM", Kind::OpenAiCompatible, "a/b".to_owned()),
        ]
    );
    // Servers of one name do not take each other's place.
    let mut other = found[0].clone();
    other.provider.url = "http://127.0.0.1:1".to_owned();
    let both = agent::models::from_found(&[found[0].clone(), other]);
    let names: Vec<_> = both.models.iter().map(|model| (&*model.name, &*model.provider.name)).collect();
    assert_eq!(names, [("qwen", "llama"), ("qwen-2", "llama-2")]);
}

#[tokio::test]
async fn llama_cpp_is_known_while_it_loads_its_model() {
    let loading = || {
        Answer::json(503, &json!({ "error": { "code": 503, "message": "Loading model", "type": "unavailable_error" } }))
    };
    let list = || Answer::json(200, &json!({ "data": [{ "id": "qwen.gguf" }], "models": [{ "name": "qwen.gguf" }] }));
    // Newer versions list their model meanwhile, under Ollama's address, too; older ones refuse everything.
    for (lists, models) in [(true, "qwen.gguf"), (false, "default")] {
        let server = Server::start(move |request| match request.path.as_str() {
            "/v1/models" | "/api/tags" if lists => list(),
            _ => loading(),
        })
        .await;
        let found = recognise(&ProviderSpec::new("x", Kind::OpenAiCompatible, server.address.clone())).await.unwrap();
        let told = (found.what, found.provider.kind, found.is_loading, found.models.join(","));
        assert_eq!(told, ("llama.cpp", Kind::LlamaCpp, true, models.to_owned()));
    }
}

#[tokio::test]
async fn a_window_that_was_written_down_counts_as_far_as_the_server_has_it() {
    let server =
        Server::start(|request| if request.path == "/props" { props(1) } else { Answer::json(404, &json!({})) }).await;
    for (set, counts) in [(None, 4096), (Some(2048), 2048), (Some(32_768), 4096)] {
        let model = ModelSpec { context: set, ..server.model(Kind::LlamaCpp) };
        let provider = Provider::new(model).unwrap();
        assert_eq!(provider.window().await.unwrap(), Some(counts), "{set:?}");
        assert_eq!(provider.known_window(), Some(counts), "{set:?}");
    }
}

#[tokio::test]
async fn a_server_at_any_address_says_what_it_is() {
    let anthropic = Server::start(|request| match (request.path.as_str(), request.header("x-api-key")) {
        ("/v1/models", Some(_)) => {
            Answer::json(200, &json!({ "data": [{ "type": "model", "id": "claude", "display_name": "Claude" }] }))
        }
        ("/v1/models", _) => Answer::json(401, &json!({ "error": { "message": "no key" } })),
        _ => Answer::new(404, ""),
    })
    .await;
    let mut server = ProviderSpec::new("x", Kind::OpenAiCompatible, anthropic.address.clone());
    assert_eq!(recognise(&server).await, None);
    server.key = KeySource::Command(vec!["printf".to_owned(), "k".to_owned()]);
    let found = recognise(&server).await.unwrap();
    assert_eq!(
        (found.what, found.provider.kind, found.models),
        ("Anthropic", Kind::Anthropic, vec!["claude".to_owned()])
    );
    assert_eq!((found.provider.name.as_str(), &found.provider.key), ("x", &server.key));
}

#[tokio::test]
async fn a_picture_is_sent_in_each_kinds_own_form() {
    let image = Image { media_type: "image/png".to_owned(), base64: "iVBORw0KGgo=".to_owned() };
    let message = Message::User { text: "What is this?".to_owned(), images: vec![image] };
    let request = Request { messages: vec![message], ..Request::default() };
    let user = async |kind| {
        let server = Server::in_turn(vec![Answer::json(500, &json!({}))]).await;
        let mut model = server.model(kind);
        (model.context, model.provider.patience.attempts) = (Some(4096), 1);
        // What it answers is not the point.
        drop(Provider::new(model).unwrap().send(request.clone()).collect().await);
        let received = server.received().into_iter().find(|request| request.body.get("messages").is_some());
        received.expect("nothing was asked").body["messages"][0].clone()
    };
    let text = json!({ "type": "text", "text": "What is this?" });
    for kind in [Kind::OpenAiCompatible, Kind::LlamaCpp] {
        let url = json!({ "url": "data:image/png;base64,iVBORw0KGgo=" });
        let expected = json!([text, { "type": "image_url", "image_url": url }]);
        assert_eq!(user(kind).await["content"], expected, "{kind:?}");
    }
    let said = user(Kind::Ollama).await;
    assert_eq!((&said["content"], &said["images"]), (&json!("What is this?"), &json!(["iVBORw0KGgo="])));
    let content = user(Kind::Anthropic).await["content"].clone();
    let source = json!({ "type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo=" });
    assert_eq!(content[0], json!({ "type": "image", "source": source }));
    assert_eq!(content[1]["text"], "What is this?");
}
