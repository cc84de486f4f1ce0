//! Documents are told to a server, and what it says of them comes back in its place.

use serde_json::{Value, json};

use super::scripted::{Stage, launch, pace, usual};
use crate::limits::Limits;
use crate::lsp::Severity;

#[test]
fn a_server_is_told_who_we_are_and_only_what_is_there() {
    let mut stage = Stage::new();
    stage.open("a.rs", "x");
    let mut peer = stage.peer();
    let request = peer.initialize(usual());
    let said = &request["params"];
    assert_eq!(said["processId"], std::process::id());
    assert_eq!(said["clientInfo"]["name"], "Recto");
    let folder = stage.path("").display().to_string();
    assert_eq!(said["rootUri"], format!("file://{}", folder.trim_end_matches('/')));
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&said["capabilities"]["textDocument"]), ["diagnostic", "publishDiagnostics", "synchronization"]);
    let workspace = ["configuration", "diagnostics", "didChangeConfiguration", "workspaceFolders"];
    assert_eq!(keys(&said["capabilities"]["workspace"]), workspace);
    assert_eq!(said["capabilities"]["general"]["positionEncodings"], json!(["utf-8", "utf-16"]));
    let settings = peer.expect("workspace/didChangeConfiguration");
    assert_eq!(settings["params"]["settings"], json!({"a": {"b": 1}}));
}

#[test]
fn a_document_is_opened_changed_saved_and_closed() {
    let mut stage = Stage::new();
    let mut peer = stage.ready(usual(), "a𝒳b\r\nc\r\n");
    let opened = peer.expect("textDocument/didOpen");
    let uri = stage.uri("a.rs");
    let expected = json!({"uri": uri, "languageId": "rust", "version": 1, "text": "a𝒳b\r\nc\r\n"});
    assert_eq!(opened["params"]["textDocument"], expected);
    stage.edit("a.rs", 5..6, "x");
    let changed = peer.expect("textDocument/didChange");
    assert_eq!(changed["params"]["textDocument"], json!({"uri": uri, "version": 2}));
    let place = |character: u32| json!({"line": 0, "character": character});
    let parts = json!([{"range": {"start": place(3), "end": place(4)}, "text": "x"}]);
    assert_eq!(changed["params"]["contentChanges"], parts);
    stage.servers().save(&stage.path("a.rs"), &"x".into());
    assert_eq!(peer.expect("textDocument/didSave")["params"], json!({"textDocument": {"uri": uri}}));
    stage.servers().close(&stage.path("a.rs"));
    assert_eq!(peer.expect("textDocument/didClose")["params"], json!({"textDocument": {"uri": uri}}));
}

#[test]
fn a_server_that_wants_whole_texts_has_them() {
    let mut stage = Stage::new();
    let mut peer = stage.ready(json!({"textDocumentSync": 1}), "ab");
    peer.expect("textDocument/didOpen");
    stage.edit("a.rs", 1..1, "é");
    let changed = peer.expect("textDocument/didChange");
    assert_eq!(changed["params"]["contentChanges"], json!([{"text": "aéb"}]));
}

#[test]
fn what_a_server_does_not_support_is_never_sent() {
    let mut stage = Stage::new();
    let mut peer = stage.ready(json!({"textDocumentSync": {"change": 0}}), "ab");
    stage.edit("a.rs", 1..1, "x");
    stage.servers().save(&stage.path("a.rs"), &"x".into());
    stage.servers().close(&stage.path("a.rs"));
    // What comes after them has come: so would they have.
    stage.open("b.rs", "");
    peer.publish(&stage.uri("b.rs"), None, &[((0, 0), (0, 0))]);
    stage.said("b.rs");
    let methods = peer.methods();
    assert!(!methods.iter().any(|method| method.starts_with("textDocument/")), "{methods:?}");
}

#[test]
fn character_11_of_const_x_is_foo() {
    let mut stage = Stage::new();
    let peer = stage.ready(usual(), "const 𝒳 = foo");
    peer.publish(&stage.uri("a.rs"), Some(1), &[((0, 11), (0, 14)), ((0, 12), (0, 99)), ((7, 0), (9, 1))]);
    let expected = ["13..16 d0", "14..16 d1", "16..16 d2"].map(str::to_owned).to_vec();
    assert_eq!(stage.said("a.rs"), (1, expected));
}

#[test]
fn a_server_that_counts_bytes_is_understood_in_bytes() {
    let mut stage = Stage::new();
    let mut capabilities = usual();
    capabilities["positionEncoding"] = json!("utf-8");
    let mut peer = stage.ready(capabilities, "const 𝒳 = foo");
    peer.expect("textDocument/didOpen");
    peer.publish(&stage.uri("a.rs"), None, &[((0, 13), (0, 16)), ((0, 8), (0, 9))]);
    // Within a character it is its start.
    assert_eq!(stage.said("a.rs").1, ["6..6 d1", "13..16 d0"]);
    stage.edit("a.rs", 13..16, "é");
    let changed = peer.expect("textDocument/didChange");
    assert_eq!(changed["params"]["contentChanges"][0]["range"]["start"]["character"], 13);
}

#[test]
fn what_is_said_of_an_earlier_version_is_carried_to_the_newest() {
    let mut stage = Stage::new();
    let mut peer = stage.ready(usual(), "foo bar");
    peer.expect("textDocument/didOpen");
    stage.edit("a.rs", 0..0, "x ");
    peer.expect("textDocument/didChange");
    stage.edit("a.rs", 0..0, "y\n");
    peer.expect("textDocument/didChange");
    peer.publish(&stage.uri("a.rs"), Some(1), &[((0, 4), (0, 7))]);
    assert_eq!(stage.said("a.rs"), (3, vec!["8..11 d0".to_owned()]));
    peer.publish(&stage.uri("a.rs"), Some(2), &[((0, 6), (0, 9))]);
    assert_eq!(stage.said("a.rs"), (3, vec!["8..11 d0".to_owned()]));
    // Without a version, and with one that never was, it is the newest.
    for version in [None, Some(77)] {
        peer.publish(&stage.uri("a.rs"), version, &[((1, 6), (1, 9))]);
        assert_eq!(stage.said("a.rs"), (3, vec!["8..11 d0".to_owned()]), "{version:?}");
    }
}

#[test]
fn what_is_said_of_a_file_on_disk_is_said_again_when_it_is_opened() {
    let mut stage = Stage::new();
    let peer = stage.ready(usual(), "");
    let path = stage.path("ö b.rs");
    std::fs::write(&path, "\n😀z").unwrap();
    let uri = format!("file://{}", path.display()).replace('ö', "%C3%B6").replace(' ', "%20");
    peer.publish(&uri, None, &[((1, 2), (1, 3))]);
    assert_eq!(stage.said("ö b.rs"), (0, vec!["5..6 d0".to_owned()]));
    stage.open("ö b.rs", "\n\u{1d4b3}zz");
    assert_eq!(stage.said("ö b.rs"), (1, vec!["5..6 d0".to_owned()]));
    peer.publish(&uri, None, &[]);
    assert_eq!(stage.said("ö b.rs"), (1, vec![]));
}

#[test]
#[cfg(unix)]
fn a_file_behind_a_link_is_the_one_that_was_opened() {
    let mut stage = Stage::new();
    let peer = stage.ready(usual(), "");
    std::fs::write(stage.path("real.rs"), "ab").unwrap();
    std::os::unix::fs::symlink(stage.path("real.rs"), stage.path("link.rs")).unwrap();
    stage.open("link.rs", "ab");
    let mut peer = peer;
    peer.expect("textDocument/didOpen");
    peer.expect("textDocument/didOpen");
    peer.publish(&stage.uri("real.rs"), None, &[((0, 1), (0, 2))]);
    assert_eq!(stage.said("link.rs"), (1, vec!["1..2 d0".to_owned()]));
}

#[test]
fn of_very_many_the_first_are_told_and_that_there_are_more() {
    let limits = Limits { server_diagnostics: 3, ..Limits::default() };
    let mut stage = Stage::with(vec![launch("scripted")], pace(), limits);
    let peer = stage.ready(usual(), "abc");
    peer.publish(&stage.uri("a.rs"), None, &[((0, 0), (0, 1)); 8]);
    assert_eq!(stage.message(), "it says 8 things of a.rs; the first 3 are shown");
    let mut stage =
        Stage::with(vec![launch("scripted")], pace(), Limits { server_diagnostics: 3, ..Limits::default() });
    let peer = stage.ready(usual(), "abc");
    peer.publish(&stage.uri("a.rs"), None, &[((0, 0), (0, 1)); 8]);
    assert_eq!(stage.said("a.rs").1.len(), 3);
}

#[test]
fn a_text_that_is_too_large_is_not_sent_and_that_is_said() {
    let limits = Limits { server_document_bytes: 1 << 20, ..Limits::default() };
    let mut stage = Stage::with(vec![launch("scripted")], pace(), limits);
    stage.open("a.rs", &"x".repeat((1 << 20) + 1));
    assert_eq!(stage.message(), "a.rs is not checked: it is larger than 1 MiB");
}

#[test]
fn messages_for_people_are_passed_on_and_logs_are_not() {
    let mut stage = Stage::new();
    let peer = stage.ready(usual(), "");
    peer.notify("window/logMessage", json!({"type": 1, "message": "log"}));
    peer.notify("window/showMessage", json!({"type": 4, "message": "log"}));
    peer.notify("window/showMessage", json!({"type": 2, "message": " no Cargo.toml \n"}));
    let found = stage.event(|event| match event {
        crate::lsp::Event::Message { severity, text, server } => Some((*severity, text.clone(), server.to_string())),
        _ => None,
    });
    assert_eq!(found, (Severity::Warning, "no Cargo.toml".to_owned(), "scripted".to_owned()));
}
