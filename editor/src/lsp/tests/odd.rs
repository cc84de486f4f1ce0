//! What servers do that they should not, and what is answered to what we do not know.

use serde_json::{Value, json};

use super::scripted::{Stage, launch, pace, usual};
use crate::limits::Limits;
use crate::lsp::State;

#[test]
fn what_comes_before_the_answer_to_initialize_is_borne() {
    let mut stage = Stage::new();
    stage.open("a.rs", "abc");
    let mut peer = stage.peer();
    let request = peer.expect("initialize");
    peer.publish(&stage.uri("a.rs"), None, &[((0, 0), (0, 1))]);
    peer.notify("window/logMessage", json!({"type": 3, "message": "starting"}));
    peer.notify("$/progress", json!({"token": 1, "value": {"kind": "begin", "title": "early"}}));
    peer.notify("tailwind/projectInitialized", json!(null));
    assert_eq!(peer.ask("workspace/configuration", json!({"items": [{"section": "a"}]}))["result"], json!([{"b": 1}]));
    peer.answer(&request, json!({"capabilities": usual()}));
    peer.expect("textDocument/didOpen");
    peer.publish(&stage.uri("a.rs"), None, &[((0, 1), (0, 2))]);
    assert_eq!(stage.said("a.rs").1, ["1..2 d0"]);
}

#[test]
fn questions_of_a_server_are_answered_or_refused() {
    let mut stage = Stage::new();
    let mut peer = stage.ready(usual(), "abc");
    let register = json!({"registrations": [{"id": "1", "method": "workspace/didChangeWatchedFiles"}]});
    assert_eq!(peer.ask("client/registerCapability", register)["result"], Value::Null);
    assert_eq!(peer.ask("client/unregisterCapability", json!({"unregisterations": []}))["result"], Value::Null);
    assert_eq!(peer.ask("window/workDoneProgress/create", json!({"token": 7}))["result"], Value::Null);
    assert_eq!(peer.ask("window/showMessageRequest", json!({"type": 3, "message": "?"}))["result"], Value::Null);
    let items = json!({"items": [{"section": "a.b"}, {"scopeUri": "file:///x", "section": "none"}, {}]});
    assert_eq!(peer.ask("workspace/configuration", items)["result"], json!([1, null, {"a": {"b": 1}}]));
    assert_eq!(peer.ask("workspace/configuration", json!("odd"))["result"], json!([]));
    let folders = peer.ask("workspace/workspaceFolders", Value::Null);
    assert_eq!(folders["result"][0]["uri"], stage.uri("").trim_end_matches('/'));
    for unknown in ["workspace/applyEdit", "workspace/semanticTokens/refresh", "window/showDocument", "x/y"] {
        assert_eq!(peer.ask(unknown, json!({}))["error"]["code"], -32601, "{unknown}");
    }
}

#[test]
fn progress_is_shown_announced_or_not_and_ended_tokens_are_gone() {
    let mut stage = Stage::new();
    let peer = stage.ready(usual(), "abc");
    stage.state(|state| *state == State::Ready);
    let progress = |token: Value, value: Value| peer.notify("$/progress", json!({"token": token, "value": value}));
    progress(json!(7), json!({"kind": "begin", "title": "Indexing", "percentage": 3}));
    let working = |title: &str, percent| State::Working { title: title.to_owned(), percent };
    assert_eq!(stage.state(|state| *state != State::Ready), working("Indexing", Some(3)));
    progress(json!("never"), json!({"kind": "report", "message": "x"}));
    progress(json!("never"), json!({"kind": "end"}));
    progress(json!(7), json!({"kind": "report", "message": "b.rs", "percentage": 50}));
    assert_eq!(stage.state(|_| true), working("Indexing: b.rs", Some(50)));
    progress(json!(7), json!({"kind": "end"}));
    assert_eq!(stage.state(|_| true), State::Ready);
}

#[test]
fn what_stands_between_messages_is_skipped() {
    let mut stage = Stage::new();
    let peer = stage.ready(usual(), "abc");
    peer.raw("Debug: starting up\n\n");
    peer.raw("Content-Length: 9\r\n\r\nnot JSON!");
    let body = json!({"method": "textDocument/publishDiagnostics", "params": {"uri": stage.uri("a.rs"), "diagnostics":
        [{"range": {"start": {"line": -1, "character": 0}, "end": {"line": 0, "character": 1}}, "message": "d0"}, {"x": 1}]}})
    .to_string();
    peer.raw(format!("done. content-length:{}\nX-Other: 1\n\n{body}", body.len()));
    assert_eq!(stage.said("a.rs").1, ["0..1 d0"]);
}

#[test]
fn a_message_that_is_too_large_is_skipped_and_told() {
    let limits = Limits { server_message_bytes: 1 << 20, ..Limits::default() };
    let mut stage = Stage::with(vec![launch("scripted")], pace(), limits);
    let mut peer = stage.ready(usual(), "abc");
    peer.notify("window/logMessage", json!({"type": 3, "message": "x".repeat(3 << 20)}));
    assert_eq!(stage.message(), "a message of 4 MiB was skipped; the limit is 1 MiB");
    assert_eq!(peer.ask("client/registerCapability", Value::Null)["result"], Value::Null);
}

#[test]
fn a_server_that_writes_much_before_it_reads_is_not_waited_for() {
    let mut stage = Stage::new();
    let mut peer = stage.ready(usual(), "");
    // More than all pipes hold, both ways at once.
    stage.open("big.rs", &"x".repeat(8 << 20));
    for _ in 0..40 {
        peer.notify("window/logMessage", json!({"type": 3, "message": "y".repeat(1 << 18)}));
    }
    peer.publish(&stage.uri("a.rs"), None, &[((0, 0), (0, 0))]);
    assert_eq!(stage.said("a.rs").1, ["0..0 d0"]);
    peer.expect("textDocument/didOpen");
    assert_eq!(peer.expect("textDocument/didOpen")["params"]["textDocument"]["text"].as_str().unwrap().len(), 8 << 20);
}

#[test]
fn answers_nobody_asked_for_and_errors_without_a_question_are_ignored() {
    let mut stage = Stage::new();
    let mut peer = stage.ready(usual(), "abc");
    peer.send(&json!({"id": 4711, "result": 1}));
    peer.send(&json!({"id": "x", "result": 1}));
    peer.send(&json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "parse error"}}));
    peer.send(&json!([{"jsonrpc": "2.0", "method": "a"}]));
    peer.send(&json!({"jsonrpc": "2.0"}));
    peer.send(&json!({"jsonrpc": "2.0", "id": 1u64 << 40, "method": "x"}));
    peer.notify("textDocument/publishDiagnostics", json!({"uri": "nonsense", "diagnostics": 5}));
    peer.notify("textDocument/publishDiagnostics", json!([]));
    assert_eq!(peer.ask("client/registerCapability", Value::Null)["result"], Value::Null);
}
