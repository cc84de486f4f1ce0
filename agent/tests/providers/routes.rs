//! Failover: who is asked next, that nobody is asked twice, and that it is told.

use agent::provider::{Chat as _, Event, Kind, ModelSpec, Notice, Price, ProviderError, Request};
use agent::router::Router;
use serde_json::json;

use super::server::{Answer, Server};

const KIND: Kind = Kind::OpenAiCompatible;

fn says(text: &str) -> Answer {
    let chunk = json!({ "choices": [{ "delta": { "content": text }, "finish_reason": "stop" }] }).to_string();
    Answer::events(&[&chunk, "[DONE]"])
}

fn refuses(status: u16) -> Answer {
    Answer::json(status, &json!({ "error": { "message": "not now" } }))
}

fn model(server: &Server, name: &str) -> ModelSpec {
    ModelSpec { name: name.to_owned(), ..server.model(KIND) }
}

#[tokio::test]
async fn each_failure_goes_on_to_the_next_and_nobody_is_asked_twice() {
    let halves = json!({ "choices": [{ "delta": { "content": "half" } }] }).to_string();
    for fault in [
        refuses(401),
        refuses(429),
        refuses(400),
        refuses(500),
        refuses(503),
        refuses(404),
        Answer::events(&[]),
        Answer::events(&[&halves]),
        Answer::events(&[&halves, r#"{"error":{"message":"cuda"}}"#]),
        Answer::events(&["nonsense"]),
    ] {
        let first = Server::in_turn(vec![fault.clone()]).await;
        let second = Server::in_turn(vec![says("whole")]).await;
        let router = Router::new("r", vec![model(&first, "first"), model(&second, "second")]).unwrap();
        let reply = router.send(Request::ask("hi")).collect().await.unwrap();
        assert_eq!(reply.text, "whole", "{fault:?}");
        assert_eq!((first.received().len(), second.received().len()), (1, 1), "{fault:?}");
        assert_eq!(reply.finish.answered_by, "second");
        assert!(reply.finish.because.unwrap().starts_with("first could not answer"));
        let [Notice::Failover { from, to, .. }] = reply.notices.as_slice() else { panic!("{:?}", reply.notices) };
        assert_eq!((from.as_str(), to.as_str()), ("first", "second"));
    }
}

#[tokio::test]
async fn who_failed_rests_and_is_asked_last() {
    let first = Server::in_turn(vec![refuses(500)]).await;
    let second = Server::in_turn(vec![says("b")]).await;
    let router = Router::new("r", vec![model(&first, "first"), model(&second, "second")]).unwrap();
    router.send(Request::ask("hi")).collect().await.unwrap();
    let reply = router.send(Request::ask("hi")).collect().await.unwrap();
    assert_eq!(reply.finish.because.as_deref(), Some("the only one that is well"));
    assert_eq!((first.received().len(), second.received().len()), (1, 2));
}

#[tokio::test]
async fn the_last_one_is_waited_for() {
    let first = Server::in_turn(vec![refuses(401)]).await;
    let second = Server::in_turn(vec![refuses(429).header("retry-after", "0"), says("b")]).await;
    let router = Router::new("r", vec![model(&first, "first"), model(&second, "second")]).unwrap();
    assert_eq!(router.send(Request::ask("hi")).collect().await.unwrap().text, "b");
}

#[tokio::test]
async fn when_all_fail_each_is_named_with_its_reason() {
    let first = Server::in_turn(vec![refuses(401)]).await;
    let second = Server::in_turn(vec![refuses(400)]).await;
    let router = Router::new("r", vec![model(&first, "first"), model(&second, "second")]).unwrap();
    let error = router.send(Request::ask("hi")).collect().await.unwrap_err();
    let ProviderError::NoneAnswered { attempts, .. } = &error else { panic!("{error:?}") };
    assert_eq!(attempts.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["first", "second"]);
    assert!(error.to_string().contains("(401)") && error.to_string().contains("(400)"), "{error}");
}

#[tokio::test]
async fn an_overflow_tries_the_larger_window_and_is_told_as_one() {
    let overflow = |limit: u32| {
        let message = format!(
            "This model's maximum context length is {limit} tokens. However, your messages resulted in 9000 tokens."
        );
        Answer::json(400, &json!({ "error": { "code": "context_length_exceeded", "message": message } }))
    };
    let small = Server::in_turn(vec![overflow(4096)]).await;
    let large = Server::in_turn(vec![overflow(8192)]).await;
    let router = Router::new("r", vec![model(&small, "small"), model(&large, "large")]).unwrap();
    let error = router.send(Request::ask("hi")).collect().await.unwrap_err();
    assert_eq!(error, ProviderError::ContextOverflow { prompt: Some(9000), limit: Some(8192) });
    // What was learnt keeps a prompt that cannot fit from being sent at all.
    let error = router.send(Request::ask("word ".repeat(40_000))).collect().await.unwrap_err();
    assert_eq!(error, ProviderError::ContextOverflow { prompt: Some(50_000), limit: Some(8192) });
    assert_eq!((small.received().len(), large.received().len()), (1, 1));
}

#[tokio::test]
async fn the_cheaper_one_is_asked_and_it_is_said_why() {
    let dear = Server::in_turn(vec![says("dear")]).await;
    let counted = json!({ "choices": [{ "delta": { "content": "cheap" }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 30 } });
    let cheap = Server::in_turn(vec![Answer::events(&[&counted.to_string()])]).await;
    let priced = |server: &Server, name: &str, input: f64| ModelSpec {
        price: Some(Price { input, output: input, cached: None }),
        ..model(server, name)
    };
    let router = Router::new("r", vec![priced(&dear, "dear", 10.0), priced(&cheap, "cheap", 1.0)]).unwrap();
    let reply = router.send(Request::ask("hi")).collect().await.unwrap();
    assert_eq!(reply.finish.answered_by, "cheap");
    assert!(reply.finish.because.unwrap().starts_with("the cheapest of 2"));
    assert_eq!(reply.finish.cost, Some(0.00013));
    assert!(dear.received().is_empty());
}

#[tokio::test]
async fn what_came_before_a_failure_is_voided_before_the_next_one_speaks() {
    let half = json!({ "choices": [{ "delta": { "content": "half" } }] }).to_string();
    let first = Server::in_turn(vec![Answer::events(&[&half])]).await;
    let second = Server::in_turn(vec![says("whole")]).await;
    let router = Router::new("r", vec![model(&first, "first"), model(&second, "second")]).unwrap();
    let mut reply = router.send(Request::ask("hi"));
    let mut order = Vec::new();
    while let Some(event) = reply.next().await {
        match event.unwrap() {
            Event::Text(text) => order.push(text),
            Event::Restarted { .. } => order.push("restarted".to_owned()),
            Event::Notice(_) => order.push("notice".to_owned()),
            _ => {}
        }
    }
    assert_eq!(order, ["half", "restarted", "notice", "whole"]);
}
