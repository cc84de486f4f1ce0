//! Conversations: what requests share, and what is left out when the window is full.

use super::*;
use crate::context::budget::{Reduced, bytes, reduce};

fn entry(body: Body) -> Entry {
    Entry { place: Place::default(), run: 1, step: 1, body }
}

fn prompt(text: &str, files: &[(&str, usize)]) -> Entry {
    let piece = |(path, lines): &(&str, usize)| Piece {
        title: format!("file {path}"),
        text: "some line of a file\n".repeat(*lines),
        ..Piece::default()
    };
    entry(Body::Prompt { text: text.to_owned(), files: files.iter().map(piece).collect() })
}

fn snapshot(text: &str) -> Body {
    let state = vec![snapshot::Part { name: "git".into(), text: text.into() }];
    Body::Snapshot { text: text.to_owned(), state, whole: true }
}

fn reply(text: &str) -> Entry {
    entry(Body::Reply { text: text.to_owned(), reasoning: None, calls: Vec::new() })
}

fn result(path: &str, content: &str, lines: usize) -> Entry {
    let shown = Some(Shown::new(path, content, 1, lines as u32));
    let text = format!("{content}\n").repeat(lines);
    entry(Body::Results { pieces: vec![Piece { title: format!("read_file {path}"), text, shown, ..Piece::default() }] })
}

fn budget(window: u64) -> Budget {
    Budget { window: Some(window), reply: window / 4, estimate: Estimate::default() }
}

#[test]
fn each_request_begins_with_all_of_the_one_before() {
    let mut conversation = Conversation::default();
    let mut before: Vec<Message> = Vec::new();
    let steps = [
        vec![entry(snapshot("[project]")), prompt("Fix it", &[("a.rs", 3)])],
        vec![reply("<read_file path=\"b\"/>"), result("b", "x", 5), entry(snapshot("other"))],
        vec![reply("thinking"), entry(Body::Reminder { text: "act".into() })],
        vec![reply("<done/>")],
    ];
    for entries in steps {
        for entry in entries {
            conversation.push(entry);
        }
        let messages = conversation.messages("system");
        assert_eq!(messages[..before.len()], before[..], "rewritten");
        before = messages;
    }
    let roles: Vec<_> = before
        .iter()
        .map(|message| match message {
            Message::System { .. } => 's',
            Message::User { .. } => 'u',
            Message::Assistant { .. } => 'a',
            Message::Tool { .. } => 't',
        })
        .collect();
    assert_eq!(roles.iter().collect::<String>(), "suauaua");
}

#[test]
fn native_results_answer_their_calls() {
    let mut conversation = Conversation::default();
    let call = |id: &str| Call { id: id.into(), name: "read_file".into(), arguments: "{}".into() };
    let piece =
        |id: Option<&str>| Piece { title: "t".into(), text: "r".into(), call: id.map(call), ..Piece::default() };
    conversation.push(entry(Body::Results { pieces: vec![piece(Some("1")), piece(Some("2")), piece(None)] }));
    let messages = conversation.messages("s");
    let Message::Tool { call, .. } = &messages[2] else { panic!("{messages:?}") };
    assert_eq!((messages.len(), call.as_str()), (4, "2"));
}

#[test]
fn entries_survive_being_kept() {
    for entry in [
        prompt("x", &[("a", 1)]),
        reply("y"),
        result("b", "c", 2),
        entry(Body::Summary { text: "s".into() }),
        entry(snapshot("s")),
        entry(Body::Reminder { text: "r".into() }),
    ] {
        let kept = serde_json::to_value(&entry).unwrap();
        assert_eq!(serde_json::from_value::<Entry>(kept).unwrap(), entry);
    }
}

#[test]
fn nothing_is_left_out_while_there_is_room() {
    let mut conversation = Conversation::new(vec![prompt("x", &[("a", 50)]), reply("r"), result("b", "c", 50)]);
    let before = conversation.clone();
    assert_eq!(reduce(&mut conversation, &budget(8000), 500), budget::Reduced::default());
    assert_eq!(conversation, before);
}

#[test]
fn the_longest_idle_attachment_goes_first_and_a_pinned_one_stays() {
    let mut first = prompt("x", &[("pinned", 40), ("old", 40)]);
    let Body::Prompt { files, .. } = &mut first.body else { panic!() };
    files[0].pinned = true;
    let mut conversation =
        Conversation::new(vec![first, reply("r"), prompt("y", &[("new", 40), ("newer", 40)]), reply("r")]);
    let reduced = reduce(&mut conversation, &budget(1600), 0);
    assert_eq!(reduced.told[0], "file old", "{reduced:?}");
    assert!(!reduced.told.contains(&"file pinned".to_owned()));
    let text = conversation.messages("")[1..].iter().map(|message| format!("{message:?}")).collect::<String>();
    assert!(text.contains("read it by range"));
}

/// A file as it comes along, with functions in it.
fn code(path: &str, functions: usize) -> Piece {
    let text: String =
        (0..functions).map(|n| format!("def f{n}():\n    return {n} + some_value_of_the_module\n\n")).collect();
    let lines = text.lines().count() as u32;
    let shown = Some(Shown::new(path, &text, 1, lines));
    Piece { title: format!("file {path}"), text: format!("{path}\n```python\n{text}```"), shown, ..Piece::default() }
}

/// How much each attachment shows.
fn loads(conversation: &Conversation) -> Vec<(&str, Load)> {
    budget::attachments(conversation).map(|(_, piece)| (piece.title.as_str(), piece.load())).collect()
}

#[test]
fn who_was_used_last_is_not_idle() {
    let first = entry(Body::Prompt { text: "x".into(), files: ["a", "b", "c"].map(|path| code(path, 40)).to_vec() });
    let more = entry(Body::Prompt { text: "and d, as in a".into(), files: vec![code("d", 40)] });
    let read = result("b", "x", 2);
    let mut conversation = Conversation::new(vec![first, reply("r"), read, reply("r"), more, reply("r")]);
    let all = bytes(&conversation) as u64;
    // As much as makes it tight, and one summary makes it roomy: four are whole, so the longest idle goes.
    let budget = Budget { window: Some(all / 3 * 100 / 82), reply: 0, estimate: Estimate::default() };
    let reduced = reduce(&mut conversation, &budget, 0);
    assert_eq!(reduced.told[0], "file c", "a was spoken of, b read, d is new: {reduced:?}");
}

#[test]
fn a_file_becomes_its_outline_and_then_its_name() {
    let prompt = entry(Body::Prompt { text: "x".into(), files: vec![code("a.py", 60)] });
    let mut conversation = Conversation::new(vec![prompt, reply("r")]);
    assert_eq!(loads(&conversation), [("file a.py", Load::Full)]);
    let asked = Shown::new("a.py", "whatever", 1, 2);
    assert!(!conversation.shows(&asked));
    // Room for the outline, but not for the file.
    let Reduced { told, .. } = reduce(&mut conversation, &budget(1300), 0);
    assert_eq!((told.len(), loads(&conversation)), (1, vec![("file a.py", Load::Summary)]));
    let shown = conversation.entries()[0].body.pieces()[0].body();
    assert!(
        shown.starts_with("a.py has 180 lines; only its outline is shown") && shown.contains("\n178: def f59()"),
        "{shown}"
    );
    reduce(&mut conversation, &budget(100), 0);
    assert_eq!(loads(&conversation), [("file a.py", Load::Unloaded)]);
    let shown = conversation.entries()[0].body.pieces()[0].render();
    assert!(shown.starts_with("[file a.py]\n(183 lines, ") && shown.len() < 120, "{shown}");
}

#[test]
fn a_file_without_an_outline_becomes_its_beginning_in_a_whole_fence() {
    let text = format!("a.txt\n```\n{}```", "some line of a file\n".repeat(100));
    let piece =
        Piece { title: "file a.txt".into(), shown: Some(Shown::new("a.txt", &text, 1, 100)), text, ..Piece::default() };
    let mut conversation = Conversation::new(vec![entry(Body::Prompt { text: "x".into(), files: vec![piece] })]);
    reduce(&mut conversation, &budget(700), 0);
    let shown = conversation.entries()[0].body.pieces()[0].body();
    assert_eq!(shown.matches("```").count(), 2, "{shown}");
    assert!(shown.contains("… (103 lines; the rest is not shown any more: read it by range)"), "{shown}");
}

#[test]
fn stale_results_go_before_others_and_recent_ones_stay() {
    let mut conversation = Conversation::new(vec![
        prompt("x", &[]),
        result("other", "0123456789", 60),
        result("a", "0123456789", 60),
        result("a", "abcdefghij", 60),
        result("last", "0123456789", 60),
    ]);
    let all = bytes(&conversation) as u64;
    // Room for some four fifths of it.
    let budget = Budget { window: Some(all / 3), reply: 0, estimate: Estimate::default() };
    let reduced = reduce(&mut conversation, &budget, 0);
    assert_eq!(reduced.told, ["read_file a", "read_file other"]);
    let kept = conversation.entries().iter().flat_map(|entry| entry.body.pieces()).filter(|piece| !piece.is_reduced());
    assert_eq!(kept.count(), 2);
}

#[test]
fn an_unchanged_file_is_known_to_be_above() {
    let conversation = Conversation::new(vec![result("a", "text", 20)]);
    let asked = |path: &str, text: &str, first, last| conversation.shows(&Shown::new(path, text, first, last));
    assert!(asked("a", "text", 1, 20) && asked("a", "text", 5, 9));
    assert!(!asked("a", "text", 5, 30) && !asked("a", "changed", 1, 20) && !asked("b", "text", 1, 20));
}

#[test]
fn tokens_are_learnt_from_the_server() {
    let mut estimate = Estimate::default();
    estimate.learn(4000, 1000);
    assert_eq!(estimate.tokens(400), 100);
    // A few tokens teach nothing, and nothing absurd is believed.
    estimate.learn(4000, 10);
    assert_eq!(estimate.tokens(400), 100);
    let budget = Budget { window: Some(1000), reply: 200, estimate };
    assert!(budget.fits(780 * 4) && !budget.fits(790 * 4));
    assert!(Budget { window: None, ..budget }.fits(usize::MAX / 8));
}
