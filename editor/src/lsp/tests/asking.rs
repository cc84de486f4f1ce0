//! A server that wants to be asked is asked, when it makes sense.

use serde_json::{Value, json};

use super::scripted::{Peer, Stage, asked, items};

const ASK: &str = "textDocument/diagnostic";

fn full(places: &[((u32, u32), (u32, u32))]) -> Value {
    json!({"kind": "full", "items": items(places)})
}

/// A server that was asked once and knows nothing.
fn asked_once(stage: &mut Stage, text: &str) -> (Peer, Value) {
    let mut peer = stage.ready(asked(), text);
    let question = peer.expect(ASK);
    (peer, question)
}

#[test]
fn it_is_asked_after_opening_and_after_a_change() {
    let mut stage = Stage::new();
    let (mut peer, question) = asked_once(&mut stage, "abc");
    assert_eq!(question["params"], json!({"textDocument": {"uri": stage.uri("a.rs")}}));
    peer.answer(&question, full(&[((0, 1), (0, 2))]));
    assert_eq!(stage.said("a.rs"), (1, vec!["1..2 d0".to_owned()]));
    stage.edit("a.rs", 0..0, "x");
    let question = peer.expect(ASK);
    peer.answer(&question, full(&[]));
    assert_eq!(stage.said("a.rs"), (2, vec![]));
}

#[test]
fn a_question_about_an_old_text_is_cancelled_by_its_id() {
    let mut stage = Stage::new();
    let (mut peer, first) = asked_once(&mut stage, "abc");
    stage.edit("a.rs", 0..0, "x");
    let cancelled = peer.expect("$/cancelRequest");
    assert_eq!(cancelled["params"]["id"], first["id"]);
    let second = peer.expect(ASK);
    assert_ne!(second["id"], first["id"]);
    // The old one is answered all the same, as one that was cancelled or not.
    peer.answer(&first, full(&[((0, 0), (0, 1))]));
    peer.answer(&second, full(&[((0, 1), (0, 2))]));
    assert_eq!(stage.said("a.rs"), (2, vec!["1..2 d0".to_owned()]));
}

#[test]
fn what_has_not_changed_stays_in_its_place() {
    let mut stage = Stage::new();
    let (mut peer, question) = asked_once(&mut stage, "abc");
    assert_eq!(question["params"].get("previousResultId"), None);
    let mut answer = full(&[((0, 1), (0, 2))]);
    answer["resultId"] = json!("r1");
    peer.answer(&question, answer);
    stage.said("a.rs");
    stage.edit("a.rs", 0..0, "xy");
    let question = peer.expect(ASK);
    assert_eq!(question["params"]["previousResultId"], "r1");
    peer.answer(&question, json!({"kind": "unchanged", "resultId": "r2"}));
    assert_eq!(stage.said("a.rs"), (2, vec!["3..4 d0".to_owned()]));
    stage.edit("a.rs", 0..0, "z");
    assert_eq!(peer.expect(ASK)["params"]["previousResultId"], "r2");
}

#[test]
fn all_files_are_asked_about_when_the_server_says_so() {
    let mut stage = Stage::new();
    let (mut peer, question) = asked_once(&mut stage, "abc");
    peer.answer(&question, full(&[]));
    stage.said("a.rs");
    assert_eq!(peer.ask("workspace/diagnostic/refresh", Value::Null)["result"], Value::Null);
    let question = peer.expect(ASK);
    peer.answer(&question, full(&[((0, 0), (0, 1))]));
    assert_eq!(stage.said("a.rs").1, ["0..1 d0"]);
}

#[test]
fn an_answer_that_is_put_off_is_asked_for_again() {
    let mut stage = Stage::new();
    let (mut peer, mut question) = asked_once(&mut stage, "abc");
    for error in [
        json!({"code": -32802, "message": "cancelled", "data": {"retriggerRequest": true}}),
        json!({"code": -32802, "message": "cancelled"}),
        json!({"code": -32801, "message": "content modified"}),
    ] {
        peer.refuse(&question, error);
        question = peer.expect(ASK);
    }
    peer.refuse(&question, json!({"code": -32802, "message": "cancelled", "data": {"retriggerRequest": false}}));
    stage.edit("a.rs", 0..0, "x");
    question = peer.expect(ASK);
    peer.answer(&question, full(&[((0, 0), (0, 1))]));
    assert_eq!(stage.said("a.rs"), (2, vec!["0..1 d0".to_owned()]));
}

#[test]
fn one_that_cannot_be_asked_after_all_is_not_asked_again() {
    let mut stage = Stage::new();
    let (mut peer, question) = asked_once(&mut stage, "abc");
    peer.refuse(&question, json!({"code": -32601, "message": "no such method"}));
    // The refusal goes through the loop twice: read, and taken. A question each time sees that it did.
    for _ in 0..2 {
        peer.ask("window/workDoneProgress/create", Value::Null);
    }
    stage.edit("a.rs", 0..0, "x");
    peer.expect("textDocument/didChange");
    peer.publish(&stage.uri("a.rs"), Some(2), &[((0, 0), (0, 1))]);
    assert_eq!(stage.said("a.rs").1, ["0..1 d0"]);
    assert!(!peer.methods().contains(&ASK.to_owned()));
}

#[test]
fn what_it_says_when_asked_and_by_itself_stand_beside_each_other() {
    let mut stage = Stage::new();
    let (peer, question) = asked_once(&mut stage, "abcdef");
    peer.publish(&stage.uri("a.rs"), None, &[((0, 4), (0, 5))]);
    assert_eq!(stage.said("a.rs").1, ["4..5 d0"]);
    peer.answer(&question, full(&[((0, 1), (0, 2))]));
    assert_eq!(stage.said("a.rs").1, ["1..2 d0", "4..5 d0"]);
    peer.publish(&stage.uri("a.rs"), None, &[]);
    assert_eq!(stage.said("a.rs").1, ["1..2 d0"]);
    // The same twice is once.
    peer.publish(&stage.uri("a.rs"), None, &[((0, 1), (0, 2))]);
    assert_eq!(stage.said("a.rs").1, ["1..2 d0"]);
}

#[test]
fn an_answer_may_speak_of_other_files() {
    let mut stage = Stage::new();
    let (peer, question) = asked_once(&mut stage, "abc");
    std::fs::write(stage.path("b.rs"), "\nxyz").unwrap();
    let mut answer = full(&[]);
    answer["relatedDocuments"] = json!({stage.uri("b.rs"): full(&[((1, 1), (1, 2))]), "untitled:x": full(&[])});
    peer.answer(&question, answer);
    assert_eq!(stage.said("b.rs"), (0, vec!["2..3 d0".to_owned()]));
}

#[test]
fn other_files_are_asked_about_where_they_depend_on_each_other() {
    let mut stage = Stage::new();
    let mut capabilities = asked();
    capabilities["diagnosticProvider"]["interFileDependencies"] = json!(true);
    capabilities["diagnosticProvider"]["identifier"] = json!("name");
    let mut peer = stage.ready(capabilities, "abc");
    let first = peer.expect(ASK);
    assert_eq!(first["params"]["identifier"], "name");
    peer.answer(&first, full(&[]));
    stage.open("b.rs", "");
    let second = peer.expect(ASK);
    peer.answer(&second, full(&[]));
    stage.edit("b.rs", 0..0, "x");
    let mut asked: Vec<_> = (0..2).map(|_| peer.expect(ASK)["params"]["textDocument"]["uri"].clone()).collect();
    asked.sort_by_key(Value::to_string);
    assert_eq!(asked, [stage.uri("a.rs"), stage.uri("b.rs")]);
}

#[test]
fn a_file_that_is_closed_is_asked_about_no_more() {
    let mut stage = Stage::new();
    let (mut peer, question) = asked_once(&mut stage, "abc");
    stage.servers().close(&stage.path("a.rs"));
    assert_eq!(peer.expect("$/cancelRequest")["params"]["id"], question["id"]);
    peer.expect("textDocument/didClose");
    peer.answer(&question, full(&[((0, 0), (0, 1))]));
    peer.publish(&stage.uri("b.rs"), None, &[]);
    stage.said("b.rs");
    assert!(stage.is_silent());
}
