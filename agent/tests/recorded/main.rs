//! What a real model of 1.5 billion weights said, played again by a server on loopback: the loop must make of it what it
//! made of it then.
//!
//! A recording is a file beside this one: what was asked, the files, the replies of Qwen2.5-Coder 1.5B (Q4, llama.cpp,
//! temperature 0 at the first step of a run) byte for byte as they came over the wire, and what became of the files.

#![allow(clippy::unwrap_used, reason = "a home that cannot be made fails the test")]

mod home;
mod offline;
#[path = "../providers/server.rs"]
#[allow(dead_code, reason = "the tests of providers use more of it")]
mod server;

use agent::event::End;

use home::{Home, Recording};

#[test]
fn every_recording_ends_as_it_did() {
    let all = Recording::all();
    assert!(all.len() >= 6, "{} recordings", all.len());
    for recording in all {
        let home = Home::new(&recording);
        let ended = home.run(&recording);
        assert_eq!(ended.end, recording.end, "{}: {:?}", recording.name, ended);
        for (path, text) in &recording.after {
            assert_eq!(home.read(path).as_deref(), Some(text.as_str()), "{}: {path}", recording.name);
        }
        assert_eq!(home.asked().len(), recording.replies.len(), "{}: not all replies were asked for", recording.name);
    }
}

#[test]
fn a_reply_becomes_an_edit_or_an_honest_end() {
    for recording in Recording::all() {
        let home = Home::new(&recording);
        let ended = home.run(&recording);
        let changed = recording.files.iter().any(|(path, text)| home.read(path).as_ref() != Some(text));
        let honest = ended.end == End::Done && changed || ended.end == End::Answered || !ended.report.is_empty();
        assert!(honest, "{}: {ended:?}", recording.name);
    }
}

#[test]
fn each_request_begins_with_the_one_before_to_the_byte() {
    let mut systems = std::collections::HashMap::new();
    for recording in Recording::all() {
        let home = Home::new(&recording);
        home.run(&recording);
        let bodies: Vec<Vec<String>> = home
            .asked()
            .iter()
            .map(|body| body["messages"].as_array().unwrap().iter().map(ToString::to_string).collect())
            .collect();
        for pair in bodies.windows(2) {
            assert_eq!(pair[1][..pair[0].len()], pair[0][..], "{}", recording.name);
        }
        for body in &bodies {
            let system = systems.entry(recording.mode.clone()).or_insert_with(|| body[0].clone());
            assert_eq!(system, &body[0], "{}: the system prompt is not the same for all projects", recording.name);
        }
    }
}
