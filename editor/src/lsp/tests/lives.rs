//! Servers are started, crash, are started again, and end.

use std::time::Duration;

use serde_json::{Value, json};

use super::scripted::{Stage, asked, launch, pace, usual};
use crate::limits::Limits;
use crate::lsp::pace::Pace;
use crate::lsp::{Event, State};

fn why(state: State) -> String {
    match state {
        State::Stopped { why } => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_program_that_is_not_there_is_told_once_with_how_to_get_it() {
    let mut stage = Stage::with(vec![launch("missing")], pace(), Limits::default());
    stage.open("a.rs", "");
    let state = stage.state(|state| *state != State::Starting);
    assert_eq!(state, State::Missing { command: "missing".to_owned(), install: Some("get missing".to_owned()) });
    stage.open("b.rs", "");
    stage.edit("b.rs", 0..0, "x");
    // It is looked for again when it is wished.
    stage.servers().restart("missing");
    stage.state(|state| matches!(state, State::Missing { .. }));
    assert!(stage.is_silent());
}

#[test]
fn one_that_the_system_does_not_start_says_why() {
    let mut stage = Stage::with(vec![launch("refused")], pace(), Limits::default());
    stage.open("a.rs", "");
    let state = stage.state(|state| *state != State::Starting);
    assert_eq!(why(state), "refused could not be started: Permission denied");
}

#[test]
fn a_stand_in_that_says_it_is_not_installed_is_missing() {
    let mut stage = Stage::new();
    stage.open("a.rs", "");
    let peer = stage.peer();
    peer.mutter("error: Unknown binary 'rust-analyzer' in official toolchain '1.95.0'.");
    peer.mutter("Stack backtrace:\n  15: <unknown>");
    peer.exit(1);
    let state = stage.state(|state| *state != State::Starting);
    assert_eq!(state, State::Missing { command: "scripted".to_owned(), install: Some("get scripted".to_owned()) });
}

#[test]
fn one_that_ends_before_it_is_ready_is_not_started_again() {
    let mut stage = Stage::new();
    stage.open("a.rs", "");
    let peer = stage.peer();
    peer.mutter("Traceback:\n  x\nImportError: no module named pygls");
    peer.exit(3);
    let state = stage.state(|state| *state != State::Starting);
    let expected = "scripted ended with code 3 before it was ready: ImportError: no module named pygls";
    assert_eq!(why(state), expected);
    stage.open("b.rs", "");
    stage.servers().restart("scripted");
    // Only now.
    let mut peer = stage.peer();
    peer.initialize(usual());
    for name in ["a.rs", "b.rs"] {
        assert_eq!(peer.expect("textDocument/didOpen")["params"]["textDocument"]["uri"], stage.uri(name));
    }
}

#[test]
fn one_that_refuses_to_start_says_why() {
    let mut stage = Stage::new();
    stage.open("a.rs", "");
    let mut peer = stage.peer();
    let request = peer.expect("initialize");
    peer.refuse(&request, json!({"code": -32603, "message": "needs Java 21"}));
    let state = stage.state(|state| *state != State::Starting);
    assert_eq!(why(state), "scripted does not start: needs Java 21");
    assert!(peer.was_killed());
}

#[test]
fn one_that_does_not_answer_is_given_up() {
    let pace = Pace { initialize: Duration::from_millis(30), ..pace() };
    let mut stage = Stage::with(vec![launch("scripted")], pace, Limits::default());
    stage.open("a.rs", "");
    let peer = stage.peer();
    let state = stage.state(|state| *state != State::Starting);
    assert_eq!(why(state), "scripted is not ready: it did not answer within 0 seconds");
    assert!(peer.was_killed());
}

#[test]
fn one_that_answers_late_knows_what_happened_meanwhile() {
    let mut stage = Stage::new();
    stage.open("a.rs", "a");
    let mut peer = stage.peer();
    let request = peer.expect("initialize");
    stage.edit("a.rs", 1..1, "b");
    stage.open("b.rs", "");
    stage.servers().close(&stage.path("b.rs"));
    peer.answer(&request, json!({"capabilities": usual()}));
    let opened = peer.expect("textDocument/didOpen");
    assert_eq!(opened["params"]["textDocument"]["text"], "ab");
    peer.publish(&stage.uri("a.rs"), Some(1), &[((0, 1), (0, 2))]);
    assert_eq!(stage.said("a.rs"), (2, vec!["1..2 d0".to_owned()]));
    assert!(!peer.methods().contains(&"textDocument/didOpen".to_owned()));
}

#[test]
fn after_a_crash_it_is_started_again_with_all_documents() {
    let mut stage = Stage::new();
    let mut peer = stage.ready(usual(), "abc");
    peer.expect("textDocument/didOpen");
    peer.publish(&stage.uri("a.rs"), None, &[((0, 0), (0, 1))]);
    assert_eq!(stage.said("a.rs").1.len(), 1);
    stage.edit("a.rs", 0..0, "x");
    peer.expect("textDocument/didChange");
    peer.mutter("thread 'main' panicked at src/main.rs:1:1");
    peer.exit(101);
    // What it said is not held up by anybody any more.
    assert_eq!(stage.said("a.rs").1, [""; 0]);
    let said = stage.message();
    assert_eq!(said, "it ended with code 101: thread 'main' panicked at src/main.rs:1:1; it is started again");
    let mut peer = stage.peer();
    peer.initialize(usual());
    let opened = peer.expect("textDocument/didOpen");
    assert_eq!(
        (&opened["params"]["textDocument"]["text"], &opened["params"]["textDocument"]["version"]),
        (&json!("xabc"), &json!(1))
    );
    stage.edit("a.rs", 0..0, "y");
    assert_eq!(peer.expect("textDocument/didChange")["params"]["textDocument"]["version"], 2);
}

#[test]
fn after_five_crashes_it_is_given_up_and_that_is_said() {
    let mut stage = Stage::new();
    stage.open("a.rs", "abc");
    for _ in 0..5 {
        let mut peer = stage.peer();
        peer.initialize(usual());
        peer.expect("textDocument/didOpen");
        peer.mutter("panicked: out of ideas");
        peer.exit(1);
    }
    let state = stage.state(|state| matches!(state, State::Stopped { .. }));
    let expected = "scripted crashed 5 times in 3 minutes; the last time it ended with code 1: panicked: out of ideas";
    assert_eq!(why(state), expected);
    stage.servers().restart("scripted");
    let mut peer = stage.peer();
    peer.initialize(usual());
    stage.state(|state| *state == State::Ready);
}

#[test]
fn one_that_closes_its_output_is_ended_and_started_again() {
    let mut stage = Stage::new();
    let mut peer = stage.ready(usual(), "abc");
    peer.expect("textDocument/didOpen");
    let (killed, _kept) = peer.close_output();
    let mut peer = stage.peer();
    assert!(killed());
    peer.initialize(usual());
}

#[test]
fn at_the_end_it_is_asked_to_shut_down() {
    let pace = Pace { shutdown: Duration::from_mins(1), ..pace() };
    let mut stage = Stage::with(vec![launch("scripted")], pace, Limits::default());
    let mut peer = stage.ready(usual(), "abc");
    stage.state(|state| *state == State::Ready);
    stage.servers = None;
    let request = peer.expect("shutdown");
    peer.answer(&request, Value::Null);
    peer.expect("exit");
    assert!(!peer.was_killed());
    peer.exit(0);
}

#[test]
fn one_that_exits_over_the_question_to_shut_down_holds_nobody_up() {
    let mut stage = Stage::new();
    let mut peer = stage.ready(asked(), "abc");
    peer.expect("textDocument/didOpen");
    let servers = stage.servers.take().unwrap();
    let waiting = std::thread::Builder::new().name("waits".to_owned());
    let waiting = waiting.spawn(move || servers.shut_down(Duration::from_mins(1))).unwrap();
    peer.expect("shutdown");
    peer.exit(0);
    waiting.join().unwrap();
}

#[test]
fn one_that_does_not_end_is_ended_by_force() {
    let mut stage = Stage::new();
    let mut peer = stage.ready(usual(), "abc");
    peer.expect("textDocument/didOpen");
    stage.servers.take().unwrap().shut_down(Duration::from_mins(1));
    assert!(peer.was_killed());
    assert!(["shutdown", "exit"].map(|method| peer.expect(method)).iter().all(Value::is_object));
}

#[test]
fn one_that_was_never_ready_is_ended_at_once() {
    let mut stage = Stage::new();
    stage.open("a.rs", "");
    let mut peer = stage.peer();
    peer.expect("initialize");
    stage.servers.take().unwrap().shut_down(Duration::from_mins(1));
    assert!(peer.was_killed());
}

#[test]
fn a_server_that_is_allowed_later_knows_what_is_open() {
    let mut stage = Stage::with(Vec::new(), pace(), Limits::default());
    stage.open("a.rs", "abc");
    stage.servers().allow(launch("scripted"));
    let mut peer = stage.peer();
    peer.initialize(usual());
    assert_eq!(peer.expect("textDocument/didOpen")["params"]["textDocument"]["text"], "abc");
}

#[test]
fn what_a_forbidden_server_said_is_taken_back() {
    let mut stage = Stage::new();
    let mut peer = stage.ready(usual(), "abc");
    peer.publish(&stage.uri("a.rs"), None, &[((0, 0), (0, 1))]);
    stage.said("a.rs");
    stage.servers().forbid("scripted");
    assert_eq!(stage.said("a.rs"), (1, vec![]));
    stage.state(|state| matches!(state, State::Stopped { .. }));
    peer.expect("shutdown");
    // Allowed again before the old one has ended.
    stage.servers().allow(launch("scripted"));
    let mut next = stage.peer();
    peer.exit(0);
    next.initialize(usual());
    next.expect("textDocument/didOpen");
    stage.edit("a.rs", 0..0, "x");
    next.expect("textDocument/didChange");
}

#[test]
fn each_root_has_a_server_of_its_own_and_several_serve_one_language() {
    let mut linter = launch("linter");
    linter.markers = vec![vec!["linter.toml".to_owned()]];
    let mut stage = Stage::with(vec![launch("scripted"), linter], pace(), Limits::default());
    for folder in ["one", "two"] {
        std::fs::create_dir(stage.path(folder)).unwrap();
        std::fs::write(stage.path(folder).join("linter.toml"), "").unwrap();
    }
    stage.open("one/a.rs", "");
    stage.open("two/b.rs", "");
    let mut started: Vec<_> =
        (0..3).map(|_| stage.peer().expect("initialize")["params"]["rootUri"].as_str().unwrap().to_owned()).collect();
    started.sort();
    let root = stage.uri("");
    let root = root.trim_end_matches('/');
    assert_eq!(started, [root.to_owned(), format!("{root}/one"), format!("{root}/two")]);
    let mut roots = Vec::new();
    for event in stage.servers().drain() {
        if let Event::State { server, .. } = event {
            roots.push(format!("{server} {}", server.root.strip_prefix(stage.path("")).unwrap().display()));
        }
    }
    roots.sort();
    assert_eq!(roots, ["linter one", "linter two", "scripted "]);
}
