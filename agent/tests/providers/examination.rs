//! The doctor against servers whose strengths and faults are known.

use std::sync::Arc;

use agent::doctor::{Check, Outcome, Over, Report, Seen, Unexamined, examine};
use agent::provider::{EditForm, Kind, Protocol};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::server::{Answer, Received, Server, Step};

/// What a model that does everything right would say, by the question; edits only as whole functions.
fn says(body: &Value) -> String {
    let last = body["messages"].as_array().and_then(|all| all.last()).and_then(|last| last["content"].as_str());
    let system = body["messages"][0]["content"].as_str().unwrap_or_default();
    let question = last.unwrap_or_default();
    if question.starts_with("Count") {
        return (1..=30).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
    }
    if question.contains("Which files") {
        let folder = if question.contains("tests/data") { "tests/data" } else { "src" };
        return json!({ "name": "list_directory", "arguments": { "path": folder } }).to_string();
    }
    if system.contains("complete new version of the one function") {
        return match question.lines().next() {
            Some("prices.py") => "prices.py\n```python\ndef total(prices):\n    result = 0\n    for price in prices:\n        result += price\n    return result\n```",
            Some("greeting.js") => "greeting.js\n```js\nfunction greet(name) {\n  return \"Hello, \" + name;\n}\n```",
            _ => "clamp.rs\n```rust\nfn clamp(value: i32, low: i32, high: i32) -> i32 {\n    if value < low {\n        return low;\n    }\n    if value > high {\n        return high;\n    }\n    value\n}\n```",
        }
        .to_owned();
    }
    "I would change it.".to_owned()
}

fn stream(text: &str, calls: Value, prompt: u64, cached: u64) -> Answer {
    let mut chunks: Vec<String> = text
        .split_inclusive(' ')
        .map(|piece| json!({ "choices": [{ "delta": { "content": piece } }] }).to_string())
        .collect();
    let (delta, reason) =
        if calls.is_null() { (json!({}), "stop") } else { (json!({ "tool_calls": calls }), "tool_calls") };
    chunks.push(json!({ "choices": [{ "delta": delta, "finish_reason": reason }] }).to_string());
    chunks.push(
        json!({ "choices": [], "usage": { "prompt_tokens": prompt, "completion_tokens": 60 },
            "timings": { "cache_n": cached, "prompt_n": prompt - cached, "prompt_ms": 1000.0, "predicted_n": 60, "predicted_ms": 2000.0 } })
        .to_string(),
    );
    chunks.push("[DONE]".to_owned());
    Answer::events(&chunks.iter().map(String::as_str).collect::<Vec<_>>())
}

fn good(request: &Received) -> Answer {
    if request.path == "/props" {
        return Answer::json(
            200,
            &json!({ "default_generation_settings": { "n_ctx": 4096 }, "total_slots": 1,
            "chat_template_caps": { "supports_tools": true } }),
        );
    }
    let body = &request.body;
    let length = body["messages"].to_string().len();
    if length > 16_000 {
        return Answer::json(
            400,
            &json!({ "error": { "type": "exceed_context_size_error", "message": "request exceeds the \
            available context size", "n_prompt_tokens": 5120, "n_ctx": 4096 } }),
        );
    }
    let said = says(body);
    let turns = body["messages"].as_array().map_or(0, Vec::len);
    let cached = if turns == 4 { 950 } else { 0 };
    if body.get("tools").is_some() {
        let call: Value = serde_json::from_str(&said).unwrap();
        let function = json!({ "name": call["name"], "arguments": call["arguments"].to_string() });
        return stream("", json!([{ "index": 0, "id": "c", "function": function }]), 1000, 0);
    }
    stream(&said, Value::Null, 1000, cached)
}

/// As long as it takes.
fn never() -> Over<'static> {
    Box::pin(std::future::pending())
}

async fn examined(kind: Kind, answer: impl FnMut(&Received) -> Answer + Send + 'static) -> Report {
    let server = Server::start(answer).await;
    examine(&server.provider(kind), never(), &mut |_| {}).await.unwrap()
}

fn outcome(report: &Report, name: &str) -> Outcome {
    report.checks.iter().find(|check| check.name == name).unwrap_or_else(|| panic!("no {name} in {report:#?}")).outcome
}

#[tokio::test]
async fn a_good_model_gets_its_grade_and_the_settings_that_suit_it() {
    let report = examined(Kind::LlamaCpp, good).await;
    for name in ["streams", "context", "cache reuse", "calls", "edits", "speed"] {
        assert_eq!(outcome(&report, name), Outcome::Good, "{name}: {report:#?}");
    }
    assert_eq!(report.grade, 'A');
    let settings = &report.recommended;
    assert_eq!((settings.context, settings.output), (Some(4096), 1024));
    assert_eq!((settings.protocol, settings.edit_form), (Protocol::Native, Some(EditForm::Symbol)));
    assert!(settings.capabilities.tools && !settings.capabilities.reasoning);
    assert_eq!((report.figures.window, report.figures.cached), (Some(4096), Some(0.95)));
    assert_eq!((report.figures.reading, report.figures.writing), (Some(1000.0), Some(30.0)));
}

#[tokio::test]
async fn a_server_that_cuts_and_a_model_that_babbles_are_found_out() {
    let report = examined(Kind::LlamaCpp, |request: &Received| match request.path.as_str() {
        "/props" => Answer::json(
            200,
            &json!({ "default_generation_settings": { "n_ctx": 4096 }, "total_slots": 1,
            "chat_template_caps": { "supports_tools": false } }),
        ),
        _ => stream("Sure, I can help with that.", Value::Null, 1000, 0),
    })
    .await;
    for (name, expected) in [
        ("streams", Outcome::Partly),
        ("context", Outcome::Partly),
        ("cache reuse", Outcome::Bad),
        ("calls", Outcome::Bad),
        ("edits", Outcome::Bad),
    ] {
        assert_eq!(outcome(&report, name), expected, "{name}: {report:#?}");
    }
    assert_eq!(report.grade, 'F');
    assert_eq!((report.recommended.protocol, report.recommended.capabilities.tools), (Protocol::Text, false));
}

#[tokio::test]
async fn who_is_not_there_is_told_and_not_graded() {
    let server = Server::start(|_| Answer::new(401, "")).await;
    assert!(examine(&server.provider(Kind::LlamaCpp), never(), &mut |_| {}).await.is_err());
}

/// The model as [`good`], which says no word more once it is asked the question with this in it; then the time is over.
async fn stopped_at(question: &'static str) -> Result<Report, Unexamined> {
    let (over, stuck) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let ring = Arc::clone(&over);
    let server = Server::start(move |request| {
        if !request.body["messages"].to_string().contains(question) {
            return good(request);
        }
        ring.notify_one();
        Answer::stream("").then(Step::Pause(Arc::clone(&stuck)))
    })
    .await;
    examine(&server.provider(Kind::LlamaCpp), Box::pin(async move { over.notified().await }), &mut |_| {}).await
}

#[tokio::test]
async fn what_there_is_no_time_for_is_skipped_and_its_settings_stay() {
    let report = stopped_at("complete new content").await.unwrap();
    let names = |outcome| {
        let of = move |check: &&Check| check.outcome == outcome;
        report.checks.iter().filter(of).map(|check| check.name).collect::<Vec<_>>()
    };
    assert_eq!(names(Outcome::Skipped), ["calls", "context", "cache reuse"], "{report:#?}");
    assert_eq!((names(Outcome::Good), names(Outcome::Bad).len()), (vec!["streams", "edits", "speed"], 0));
    assert_eq!((report.grade, report.recommended.edit_form), ('A', Some(EditForm::Symbol)), "two forms were compared");
    assert_eq!(report.recommended.protocol, Protocol::Auto, "as it was");

    let early = stopped_at("<<<<<<< SEARCH").await.unwrap();
    assert_eq!((outcome(&early, "edits"), early.recommended.edit_form), (Outcome::Skipped, None));
    let error = stopped_at("Count from 1").await.unwrap_err();
    assert_eq!(error, Unexamined::TooSlow { model: "m".to_owned() });
}

#[tokio::test]
async fn who_waits_is_told_what_is_done_until_each_check_ends() {
    let server = Server::start(good).await;
    let mut told = Vec::new();
    let mut seen = |seen: Seen<'_>| {
        told.push(match seen {
            Seen::Doing(what) => what.split(" (").next().unwrap_or_default().to_owned(),
            Seen::Ended(check) => format!("= {}", check.name),
        });
        told.dedup();
    };
    examine(&server.provider(Kind::LlamaCpp), never(), &mut seen).await.unwrap();
    let first = [
        "asking the server about the model",
        "letting it count to 30",
        "= streams",
        "letting it edit with blocks, 1 of 3",
    ];
    assert_eq!(told[..4], first);
    let ended: Vec<_> = told.iter().filter(|line| line.starts_with('=')).collect();
    assert_eq!(ended, ["= streams", "= edits", "= calls", "= context", "= cache reuse", "= reasoning", "= speed"]);
}

#[tokio::test]
async fn a_server_that_loads_its_model_is_waited_for() {
    let mut refusals = 3;
    let server = Server::start(move |request| {
        if refusals > 0 {
            refusals -= 1;
            return Answer::json(
                503,
                &json!({ "error": { "code": 503, "message": "Loading model", "type": "unavailable_error" } }),
            );
        }
        good(request)
    })
    .await;
    let report = examine(&server.provider(Kind::LlamaCpp), never(), &mut |_| {}).await.unwrap();
    assert_eq!((report.grade, report.figures.window), ('A', Some(4096)));
}
