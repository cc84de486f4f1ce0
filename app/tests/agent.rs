//! `recto agent` without a terminal: what it prints, how it ends, and what is left behind.

#![allow(clippy::unwrap_used, reason = "a helper that cannot do its part fails the test")]

mod scripted;

use std::net::TcpListener;
use std::process::Output;

use serde_json::Value;

use scripted::{Answer, Home, Server, text};

const FILE: &str = "def f():\n    return 1\n";
const EDIT: &str = "I fix it.\n<edit_file path=\"a.py\">\n<<<<<<< SEARCH\n    return 1\n=======\n    return 2\n>>>>>>> REPLACE\n</edit_file>\n";

/// Runs the agent on a project with `a.py` in it.
fn agent(server: &Server, arguments: &[&str]) -> (Home, Output) {
    let home = Home::new();
    home.write("a.py", FILE);
    let output = ask(&home, server, arguments);
    (home, output)
}

fn ask(home: &Home, server: &Server, arguments: &[&str]) -> Output {
    home.recto(&[&["agent", "--model", &server.address], arguments].concat())
}

fn object(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

#[test]
fn an_edit_is_made_and_told_as_one_object() {
    let server = Server::of_replies(&[EDIT, "It gives 2 now.\n<done/>"]);
    let (home, output) = agent(&server, &["--yes-edits", "--output-format", "json", "Make f return 2"]);
    assert_eq!(home.read("a.py"), "def f():\n    return 2\n", "{output:?}");
    let object = object(&output);
    assert_eq!((output.status.code(), &object["end"]), (Some(0), &"done".into()));
    assert_eq!((&object["report"], &object["files"][0]), (&"It gives 2 now.".into(), &"a.py".into()));
    assert_eq!(object["usage"]["prompt"], 1800);
}

#[test]
fn the_stream_is_one_event_a_line_and_ends_with_done() {
    let server = Server::of_replies(&[EDIT, "<done/>"]);
    let (_home, output) = agent(&server, &["--yes-edits", "--output-format", "stream-json", "Make f return 2"]);
    let lines: Vec<Value> = text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &lines {
        assert!(["type", "session", "run", "time"].iter().all(|field| !line[field].is_null()), "{line}");
    }
    let mut kinds: Vec<_> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    kinds.dedup();
    let expected = ["step", "text", "writing", "text", "usage", "action_started", "checkpoint", "action_finished"];
    assert_eq!(kinds[..8], expected, "{kinds:?}");
    assert_eq!((kinds.last(), &lines.last().unwrap()["end"]), (Some(&"done"), &"done".into()));
    let usage = lines.iter().find(|line| line["type"] == "usage").unwrap();
    assert_eq!(usage["window"], 8192, "what the server says of itself is known before it is asked");
}

#[test]
fn each_end_has_its_exit_code() {
    let read = "<read_file path=\"a.py\"/>";
    let codes = [
        (&["x"][..], vec!["Nothing to do.\n<done/>"], 0),
        (&["x"], vec![EDIT, "<done/>"], 4),
        (&["--max-steps", "1", "x"], vec![read, read], 3),
        (&["--max-steps", "0", "x"], vec![], 2),
        (&["--file", "none.py", "x"], vec![], 2),
        (&["--resume", "nothing", "x"], vec![], 1),
        (&["--continue", "x"], vec![], 2),
        (&[" "], vec![], 2),
    ];
    for (arguments, replies, code) in codes {
        let (_home, output) = agent(&Server::of_replies(&replies), arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {output:?}");
    }
}

#[test]
fn who_is_not_there_is_exit_code_5_and_told_to_programs_too() {
    let home = Home::new();
    let free = format!("http://{}", TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    let run = |format: &str| home.recto(&["agent", "--model", &free, "--output-format", format, "x"]);
    let output = run("text");
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(5), String::new()));
    let told = text(&output.stderr);
    assert!(
        told.starts_with(&format!("recto: nothing answers at {free}: ")) && told.contains("Is the server running?")
    );
    let object = object(&run("json"));
    assert_eq!((&object["end"], &object["exit_code"]), (&"unreachable".into(), &5.into()), "{object}");
    assert!(object["error"].as_str().unwrap().contains(&free), "{object}");
    let line: Value = serde_json::from_slice(&run("stream-json").stdout).unwrap();
    assert_eq!(line["type"], "error");

    // One that is set up and away: the run begins, and ends the same way.
    let file = format!(
        "[providers.s]\nkind = \"openai-compatible\"\nurl = \"{free}\"\nattempts = 1\n[models.away]\nprovider = \"s\"\n"
    );
    std::fs::create_dir_all(home.models().parent().unwrap()).unwrap();
    std::fs::write(home.models(), file).unwrap();
    let output = home.recto(&["agent", "x"]);
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    assert_eq!(text(&output.stderr).matches("nothing answers at").count(), 1, "it is said once: {output:?}");
}

#[test]
fn a_file_of_models_that_is_wrong_is_named_with_its_line() {
    let home = Home::new();
    std::fs::create_dir_all(home.models().parent().unwrap()).unwrap();
    let path = home.models().display().to_string();
    std::fs::write(home.models(), "[providers.s\nkind = 1\n").unwrap();
    let output = home.recto(&["agent", "x"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).starts_with(&format!("recto: no model can be used: {path}:1: ")), "{output:?}");
    let output = home.recto(&["model", "add", &Server::of_replies(&[]).address]);
    assert!(
        text(&output.stderr).starts_with(&format!("recto: {path}: the file of models is not readable")),
        "{output:?}"
    );

    // One entry is wrong: the others count, and it is said once.
    let server = Server::of_replies(&["Yes.\n<done/>"]);
    let file = format!(
        "[providers.s]\nkind = \"llama.cpp\"\nurl = \"{}\"\n[models.good]\nprovider = \"s\"\n[models.bad]\nprovder = \"s\"\n",
        server.address
    );
    std::fs::write(home.models(), file).unwrap();
    let output = home.recto(&["agent", "x"]);
    assert_eq!((output.status.code(), text(&output.stdout).trim()), (Some(0), "Yes."), "{output:?}");
    assert_eq!(text(&output.stderr).matches(&format!("recto: {path}:6: bad: ")).count(), 1, "{output:?}");
    let output = home.recto(&["agent", "--model", "bad", "x"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).ends_with("recto: there is no model bad; there are good\n"), "{output:?}");
}

#[test]
fn a_server_that_dies_in_its_reply_leaves_what_came() {
    let server = Server::of_answers(vec![Answer::dies_after("half of an answer"), Answer::says("Whole.\n<done/>")]);
    let (_home, output) = agent(&server, &["x"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text(&output.stderr).contains("was cut off after 17 bytes"), "{output:?}");
    let again = server.asked()[1].body["messages"].to_string();
    assert!(again.contains("half of an answer"), "{again}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_in_the_middle_of_a_reply_stops_and_keeps_the_session() {
    use std::io::Read as _;
    let home = Home::new();
    let server = Server::of_answers(vec![Answer::hangs_after("I begin "), Answer::says("I know.\n<done/>")]);
    let mut child = home.program(&["agent", "--model", &server.address, "Think"]).spawn().unwrap();
    let mut first = [0; 7];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    assert_eq!(&first, b"I begin");
    scripted::interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(text(&output.stderr).contains("Stopped."), "{output:?}");
    let output = ask(&home, &server, &["--continue", "Go on"]);
    assert_eq!(text(&output.stdout).trim(), "I know.");
    let said = server.asked()[1].body["messages"].to_string();
    assert!(said.contains("Think") && said.contains("I begin"), "{said}");
}

#[test]
fn a_plan_shows_its_list() {
    let add = "<tool name=\"todo\">{\"do\": \"add\", \"items\": [{\"text\": \"one\"}, {\"text\": \"two\", \"blocked_by\": [1]}]}</tool>";
    let (home, output) = agent(&Server::of_replies(&[add, EDIT, "The plan stands."]), &["--mode", "plan", "Plan it"]);
    let told = text(&output.stderr);
    assert!(told.contains("> todo\n") && told.contains("one") && told.contains("two"), "{told}");
    assert!(!told.contains("{\"do\""), "{told}");
    assert_eq!((output.status.code(), home.read("a.py").as_str()), (Some(0), FILE), "a plan changes nothing");
}

#[test]
fn a_file_comes_along_whole_or_is_named_or_is_refused() {
    let server = Server::of_replies(&[]);
    let home = Home::new();
    home.write("sub/a.py", FILE);
    home.write("big.py", &"value = 1  # the same line again and again\n".repeat(190));
    std::fs::write(home.project().join("bin.dat"), b"a\0b").unwrap();
    let absolute = home.project().canonicalize().unwrap().join("sub/a.py").display().to_string();
    let output = ask(&home, &server, &["--file", &absolute, "--file", "big.py", "What is this?"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = server.asked()[0].last();
    assert!(said.contains("sub/a.py\n```python\ndef f()"), "{said}");
    let output = ask(&home, &server, &["--file", "bin.dat", "What is this?"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).starts_with("recto: bin.dat cannot come along: "), "{output:?}");
    let output = ask(&home, &server, &["--file", "../outside", "What is this?"]);
    assert!(text(&output.stderr).starts_with("recto: ../outside cannot come along: "), "{output:?}");
}
