//! Models on the command line: set up, listed, examined and served, against a server of a few lines.

#![allow(clippy::unwrap_used, reason = "a helper that cannot do its part fails the test")]

mod scripted;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

use scripted::{Answer, Home, Server, facts, text};

#[test]
fn a_server_is_added_as_what_it_is_and_its_models_are_listed() {
    let home = Home::new();
    let (first, second) = (llama(), llama());
    let said = home.recto(&["model", "add", &first]);
    assert_eq!(said.status.code(), Some(0), "{said:?}");
    assert!(text(&said.stdout).starts_with(&format!("tiny: /models/tiny.gguf at llama.cpp ({first})\n")), "{said:?}");
    home.recto(&["model", "add", &second]);
    let nothing_new = home.recto(&["model", "add", &second]);
    assert_eq!(nothing_new.status.code(), Some(1));
    assert_eq!(text(&nothing_new.stderr), "recto: no new model was found; name one with --model\n");

    let listed: Value = serde_json::from_slice(&home.recto(&["model", "list", "--json"]).stdout).unwrap();
    assert_eq!(listed["default"], "tiny");
    let models: Vec<_> = listed["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|model| (&model["name"], &model["url"], &model["kind"]))
        .collect();
    let expected = [(json!("tiny"), json!(first)), (json!("tiny-2"), json!(second))];
    let kind = json!("llama.cpp");
    assert_eq!(models, expected.iter().map(|(name, url)| (name, url, &kind)).collect::<Vec<_>>());
}

#[test]
fn who_is_not_there_or_unknown_is_named() {
    let home = Home::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let said = home.recto(&["model", "add", &format!("http://{free}")]);
    assert_eq!(said.status.code(), Some(1));
    assert!(text(&said.stderr).contains(&free.to_string()), "{said:?}");
    home.recto(&["model", "add", &llama()]);
    let said = home.recto(&["model", "check", "huge"]);
    assert_eq!(text(&said.stderr), "recto: there is no model huge; there are tiny\n");
}

/// The names of the checks of a report.
fn checks(report: &Value) -> Vec<&str> {
    report["checks"].as_array().unwrap().iter().map(|check| check["name"].as_str().unwrap()).collect()
}

#[test]
fn a_model_is_examined_and_what_was_learnt_is_used_from_then_on() {
    let home = Home::new();
    home.recto(&["model", "add", &llama()]);
    let said = home.recto(&["model", "check", "tiny", "--json", "--dry-run"]);
    let report: Value = serde_json::from_slice(&said.stdout).unwrap_or_else(|_| panic!("{said:?}"));
    assert_eq!((&report["model"], &report["grade"]), (&json!("tiny"), &json!("F")), "{report:#}");
    assert_eq!(checks(&report), ["streams", "edits", "calls", "context", "cache reuse", "reasoning", "speed"]);
    let each = report["checks"].as_array().unwrap();
    assert!(each.iter().all(|check| check["detail"].as_str().is_some_and(|detail| !detail.is_empty())), "{report:#}");
    let learnt =
        json!({ "context": 8192, "output": 2048, "protocol": "text", "edit_form": "symbol", "capabilities": ["chat"] });
    assert_eq!((&report["settings"], &report["saved"]), (&learnt, &Value::Null), "{report:#}");
    let listed = || -> Value { serde_json::from_slice(&home.recto(&["model", "list", "--json"]).stdout).unwrap() };
    assert_eq!(listed()["models"][0]["context"], Value::Null);

    let said = home.recto(&["model", "check"]);
    let lines = text(&said.stdout);
    assert!(lines.starts_with("partly   streams "), "{said:?}");
    assert!(lines.contains("\ngrade F\n\n[models.tiny]\n"), "{lines}");
    assert!(lines.ends_with(&format!("in {}\n", home.models().display())), "{lines}");
    assert_eq!(text(&said.stderr), "", "nobody watches");
    assert_eq!(listed()["models"][0]["context"], 8192);
    let file = std::fs::read_to_string(home.models()).unwrap();
    assert!(file.contains("edit-form = \"symbol\"") && file.contains("protocol = \"text\""), "{file}");
}

#[cfg(unix)]
#[test]
fn an_examination_that_is_stopped_writes_nothing() {
    let home = Home::new();
    let server = Server::start(|asked| match facts(asked) {
        Some(facts) => facts,
        None if asked.last().starts_with("Count") => Answer::says("1 2 3"),
        None => Answer::hangs_after("Well"),
    });
    home.recto(&["model", "add", &server.address]);
    let before = std::fs::read_to_string(home.models()).unwrap();
    let mut child = home.program(&["model", "check", "tiny"]).spawn().unwrap();
    // A check is printed as soon as it ends, whatever goes on after it.
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().starts_with("partly   streams "));
    scripted::interrupt(&child);
    let said = child.wait_with_output().unwrap();
    assert_eq!(
        (said.status.code(), text(&said.stderr)),
        (Some(130), "recto: stopped; nothing was written\n".to_owned())
    );
    assert_eq!(std::fs::read_to_string(home.models()).unwrap(), before);
}

#[test]
fn a_server_that_loads_its_model_is_waited_for_or_added_as_it_is() {
    let home = Home::new();
    let mut questions = 0;
    let server = Server::start(move |asked| {
        questions += 1;
        if questions < 6 { Answer::loading() } else { facts(asked).unwrap() }
    });
    let said = home.recto(&["model", "add", &server.address]);
    assert_eq!(
        text(&said.stdout).lines().next(),
        Some(&*format!("tiny: /models/tiny.gguf at llama.cpp ({})", server.address))
    );
    let waiting =
        format!("recto: {} is loading its model; waiting for it up to 60 s (Ctrl+C adds nothing)\n", server.address);
    assert_eq!(text(&said.stderr), waiting);

    let never = Server::start(|_| Answer::loading());
    let said = home.recto(&["model", "add", &never.address, "--wait", "0"]);
    let added = format!("default: default at llama.cpp ({})", never.address);
    assert_eq!((said.status.code(), text(&said.stdout).lines().next()), (Some(0), Some(&*added)), "{said:?}");
    let told = text(&said.stderr);
    assert!(
        told.contains("is still loading its model; it is added as it is") && told.contains("recto model check default"),
        "{told}"
    );
}

#[test]
fn models_are_served_to_who_has_the_token() {
    let home = Home::new();
    home.recto(&["model", "add", &llama()]);
    let mut serving = home.program(&["serve", "--port", "0", "--token-env", "TOKEN"]);
    let mut serving = serving.env("TOKEN", "a-token-of-sixteen-characters").spawn().unwrap();
    let mut lines = BufReader::new(serving.stdout.take().unwrap()).lines();
    let address = lines.next().unwrap().unwrap().replace("http://", "").replace("/v1", "");
    let ask = |token: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        let head =
            format!("GET /v1/models HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\nconnection: close");
        write!(stream, "{head}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let (right, wrong) = (ask("a-token-of-sixteen-characters"), ask("guessed"));
    serving.kill().unwrap();
    serving.wait().unwrap();
    assert!(right.starts_with("HTTP/1.1 200") && right.contains("tiny"), "{right}");
    assert!(wrong.starts_with("HTTP/1.1 401"), "{wrong}");
}

/// A llama.cpp server that has one model, which says the same to everything; its address.
fn llama() -> String {
    Server::start(|asked| facts(asked).unwrap_or_else(|| Answer::says("I would."))).address
}
