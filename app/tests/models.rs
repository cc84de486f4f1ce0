//! Models on the command line: set up, listed, examined and served, against a server of a few lines.

#![allow(clippy::unwrap_used, reason = "a helper that cannot do its part fails the test")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

#[test]
fn a_server_is_added_as_what_it_is_and_its_models_are_listed() {
    let home = TempDir::new().unwrap();
    let (first, second) = (llama(), llama());
    let said = recto(home.path(), &["model", "add", &first]);
    assert_eq!(said.status.code(), Some(0), "{said:?}");
    assert!(text(&said.stdout).starts_with(&format!("tiny: /models/tiny.gguf at llama.cpp ({first})\n")), "{said:?}");
    recto(home.path(), &["model", "add", &second]);
    let nothing_new = recto(home.path(), &["model", "add", &second]);
    assert_eq!(nothing_new.status.code(), Some(1));
    assert_eq!(text(&nothing_new.stderr), "recto: no new model was found; name one with --model\n");

    let listed: Value = serde_json::from_slice(&recto(home.path(), &["model", "list", "--json"]).stdout).unwrap();
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
    let home = TempDir::new().unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let said = recto(home.path(), &["model", "add", &format!("http://{free}")]);
    assert_eq!(said.status.code(), Some(1));
    assert!(text(&said.stderr).contains(&free.to_string()), "{said:?}");
    recto(home.path(), &["model", "add", &llama()]);
    let said = recto(home.path(), &["model", "check", "huge"]);
    assert_eq!(text(&said.stderr), "recto: there is no model huge; there are tiny\n");
}

#[test]
fn a_model_is_examined_and_what_is_recommended_is_saved() {
    let home = TempDir::new().unwrap();
    recto(home.path(), &["model", "add", &llama()]);
    let said = recto(home.path(), &["model", "check", "tiny", "--json", "--save"]);
    let report: Value = serde_json::from_slice(&said.stdout).unwrap_or_else(|_| panic!("{said:?}"));
    assert_eq!((&report["model"], &report["grade"]), (&json!("tiny"), &json!("F")), "{report:#}");
    let checks = report["checks"].as_array().unwrap();
    assert!(checks.iter().all(|check| check["detail"].as_str().is_some_and(|detail| !detail.is_empty())), "{report:#}");
    let listed: Value = serde_json::from_slice(&recto(home.path(), &["model", "list", "--json"]).stdout).unwrap();
    assert_eq!(listed["models"][0]["context"], 4096, "{listed:#}");
}

#[test]
fn models_are_served_to_who_has_the_token() {
    let home = TempDir::new().unwrap();
    recto(home.path(), &["model", "add", &llama()]);
    let mut serving = program(home.path(), &["serve", "--port", "0", "--token-env", "TOKEN"]);
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
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let serve = move || {
        for stream in listener.incoming().flatten() {
            answer(stream);
        }
    };
    std::thread::Builder::new().name("llama".to_owned()).spawn(serve).unwrap();
    address
}

/// What the client closes early is no concern of the server.
fn answer(stream: TcpStream) {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).is_err() || line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head += &line;
    }
    let mut body = vec![0; length];
    drop(reader.read_exact(&mut body));
    let (status, kind, body) = match head.split(' ').nth(1).unwrap_or_default() {
        "/props" => {
            let settings = json!({ "default_generation_settings": { "n_ctx": 4096 }, "total_slots": 1 });
            (200, "application/json", settings.to_string())
        }
        "/v1/models" => (200, "application/json", json!({ "data": [{ "id": "/models/tiny.gguf" }] }).to_string()),
        "/v1/chat/completions" => {
            let chunk = json!({ "choices": [{ "delta": { "content": "I would." }, "finish_reason": "stop" }] });
            (200, "text/event-stream", format!("data: {chunk}\n\ndata: [DONE]\n\n"))
        }
        _ => (404, "application/json", "{}".to_owned()),
    };
    let head =
        format!("HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close", body.len());
    drop(write!(reader.into_inner(), "{head}\r\n\r\n{body}"));
}

fn recto(home: &Path, arguments: &[&str]) -> Output {
    program(home, arguments).output().unwrap()
}

fn program(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_recto"));
    command.args(arguments).current_dir(home).env("RECTO_HOME", home.join(".recto")).env_remove("RECTO_LOG");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
