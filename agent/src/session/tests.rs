//! What the file of sessions keeps, finds and gives back.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json as value;

use super::*;
use crate::action::Action;
use crate::event::{End, Event, EventKind, Moment, SessionId};
use crate::secrets::Secrets;

struct Home {
    folder: tempfile::TempDir,
    secrets: Arc<Secrets>,
}

impl Home {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), secrets: Arc::new(Secrets::new().unwrap()) }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("agent/sessions.sqlite")
    }

    fn open(&self) -> Store {
        Store::open(&self.path(), self.secrets.clone()).unwrap().store
    }
}

fn begin(store: &mut Store, title: &str) -> SessionId {
    let new = NewSession { project: "/p".into(), title: title.into(), parent: None, model: "m".into() };
    store.begin(&new).unwrap()
}

fn happen(store: &mut Store, session: &SessionId, run: u32, kind: EventKind) {
    let event = Event { session: session.clone(), run, time: Moment::now(), kind };
    store.append(&event).unwrap();
}

fn text(text: &str) -> EventKind {
    EventKind::Text { text: text.into() }
}

#[test]
fn what_was_written_is_there_when_the_file_is_opened_again() {
    let home = Home::new();
    let mut store = home.open();
    let session = begin(&mut store, "Fix it");
    store.say(&session, 1, "prompt", &value!({"text": "Fix it"}), "Fix it").unwrap();
    happen(&mut store, &session, 1, text("I am "));
    happen(&mut store, &session, 1, text("on it"));
    happen(&mut store, &session, 1, EventKind::Notice { text: "slow".into(), recast: None });
    // As after a crash: nothing is closed in order.
    std::mem::forget(store);
    let mut store = home.open();
    let kinds: Vec<_> = store.events(&session).unwrap().into_iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [text("I am on it"), EventKind::Notice { text: "slow".into(), recast: None }]);
    let said = store.conversation(&session).unwrap();
    assert_eq!((said.len(), said[0].message["text"].as_str()), (1, Some("Fix it")));
    assert_eq!(store.next_run(&session).unwrap(), 2);
    let info = &store.sessions(Some("/p"), 10).unwrap()[0];
    assert_eq!((info.title.as_str(), info.runs), ("Fix it", 1));
    assert!(store.sessions(Some("/other"), 10).unwrap().is_empty());
}

#[test]
fn a_session_is_found_by_how_its_name_ends() {
    let home = Home::new();
    let mut store = home.open();
    let (one, two) = (begin(&mut store, "one"), begin(&mut store, "two"));
    assert_eq!(store.session(&one.as_str()[10..]).unwrap().id, one);
    assert!(matches!(store.session(&two.as_str()[..3]), Err(StoreError::NoSession { several: true, .. })));
    assert!(matches!(store.session("nobody"), Err(StoreError::NoSession { several: false, .. })));
}

#[test]
fn sessions_of_one_moment_are_in_the_order_they_were_begun() {
    let home = Home::new();
    let mut store = home.open();
    let names: Vec<_> = (0..9).map(|n| begin(&mut store, &format!("{n}"))).collect();
    for name in &names {
        happen(&mut store, name, 1, text("x"));
    }
    let other = rusqlite::Connection::open(home.path()).unwrap();
    other.execute_batch("UPDATE session SET touched = 7, begun = 7").unwrap();
    let listed: Vec<_> = store.sessions(None, 10).unwrap().into_iter().rev().map(|info| info.id).collect();
    assert_eq!(listed, names);
}

#[test]
fn words_are_found_and_secrets_are_not_kept() {
    let home = Home::new();
    let mut store = home.open();
    let session = begin(&mut store, "Parser");
    let secret = format!("gh{}{}", "p_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");
    store.say(&session, 1, "prompt", &value!({"text": secret}), &format!("the tokenizer fails with {secret}")).unwrap();
    happen(&mut store, &session, 1, text(&secret));
    store.keep(&session, "note", &value!({"a": [secret]})).unwrap();
    let found = store.search("tokeniz", None, 10).unwrap();
    assert_eq!(found.len(), 1);
    assert!(found[0].text.contains("[tokenizer]"), "{}", found[0].text);
    assert!(store.search("\"quoted' AND (", None, 10).unwrap().is_empty());
    assert_eq!(store.kept(&session, "note").unwrap(), Some(value!({"a": ["«secret:GITHUB_TOKEN»"]})));
    let exported = markdown(&mut store, &session).unwrap() + &json(&mut store, &session).unwrap().to_string();
    assert!(exported.contains("«secret:GITHUB_TOKEN»"));
    drop(store);
    for file in fs::read_dir(home.path().parent().unwrap()).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()));
    }
}

#[test]
fn a_summary_stands_where_its_messages_stood() {
    let home = Home::new();
    let mut store = home.open();
    let session = begin(&mut store, "long");
    let places: Vec<_> = (0..5).map(|n| store.say(&session, 1, "reply", &value!({"n": n}), "").unwrap()).collect();
    store.summarise(&session, (places[1], places[4]), 2, &value!({"n": "1-3"})).unwrap();
    let said = |store: &mut Store| -> Vec<_> {
        store.conversation(&session).unwrap().into_iter().map(|said| said.message["n"].to_string()).collect()
    };
    assert_eq!(said(&mut store), ["0", "\"1-3\"", "4"]);
    store.correct(&session, places[1], &value!({"n": "mine"})).unwrap();
    store.say(&session, 2, "prompt", &value!({"n": 5}), "").unwrap();
    assert_eq!(said(&mut store), ["0", "\"mine\"", "4", "5"]);
    store.clear(&session).unwrap();
    store.say(&session, 3, "prompt", &value!({"n": 6}), "").unwrap();
    assert_eq!(said(&mut store), ["6"]);
}

#[test]
fn a_damaged_file_is_set_aside_and_a_foreign_one_left_alone() {
    let home = Home::new();
    drop(home.open());
    fs::write(home.path(), vec![b'x'; 5000]).unwrap();
    let opened = Store::open(&home.path(), home.secrets.clone()).unwrap();
    assert!(opened.notice.unwrap().contains("damaged"));
    let other = home.folder.path().join("other.sqlite");
    rusqlite::Connection::open(&other).unwrap().execute_batch("CREATE TABLE a (b)").unwrap();
    let before = fs::read(&other).unwrap();
    assert!(matches!(Store::open(&other, home.secrets.clone()), Err(StoreError::Foreign { .. })));
    assert_eq!(fs::read(&other).unwrap(), before);
}

#[cfg(unix)]
#[test]
fn the_file_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    let mut store = home.open();
    begin(&mut store, "x");
    for file in fs::read_dir(home.path().parent().unwrap()).unwrap() {
        let file = file.unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o077, 0, "{:?}", file.file_name());
    }
}

#[test]
fn markdown_tells_a_session_in_order() {
    let home = Home::new();
    let mut store = home.open();
    let session = begin(&mut store, "Greet");
    store.say(&session, 1, "prompt", &value!({}), "Say hello").unwrap();
    happen(&mut store, &session, 1, EventKind::Reasoning { text: "hm".into() });
    happen(&mut store, &session, 1, text("Hello."));
    let call = Action::ReadFile { path: "a".into(), lines: None };
    let started = EventKind::ActionStarted { action: 1, name: "read_file".into(), title: "read_file a".into(), call };
    happen(&mut store, &session, 1, started);
    let finished = EventKind::ActionFinished {
        action: 1,
        name: "read_file".into(),
        ok: true,
        result: "```\nfenced\n```".into(),
        changes: vec![],
        milliseconds: 1,
    };
    happen(&mut store, &session, 1, finished);
    let done = EventKind::Done { end: End::Done, report: "Hello.".into(), steps: 1, files: vec![] };
    happen(&mut store, &session, 1, done);
    let told = markdown(&mut store, &session).unwrap();
    let (_, told) = told.split_once("model m.\n").unwrap();
    assert_eq!(
        told,
        "\n## Run 1\n\n> Say hello\n\n\n<details><summary>Reasoning</summary>\n\nhm\n\n</details>\n\nHello.\n\n\
         **read_file a**\n\n````\n```\nfenced\n```\n````\n\n*Done. 1 steps; changed: nothing*\n"
    );
}

#[test]
fn lines_keep_their_authors_through_changes_by_others() {
    let home = Home::new();
    let mut store = home.open();
    let author =
        |step| Author { session: SessionId::from("s".to_owned()), run: 1, step, model: "m".into(), at: Moment(0) };
    store.wrote("/p", "a.rs", ("a\nb\nc\n", "a\nB\nc\nd\n"), &author(1)).unwrap();
    // A person adds a line and changes the agent's; then the agent writes again.
    let theirs = "top\na\nB\nc\nD\n";
    store.wrote("/p", "a.rs", (theirs, "top\na\nB\nnew\nc\nD\n"), &author(2)).unwrap();
    store.moved("/p", "a.rs", "b.rs").unwrap();
    let blame = |store: &mut Store, now: &str| -> Vec<_> {
        let blame = store.blame("/p", "b.rs", now).unwrap();
        blame.iter().map(|b| (b.first, b.count, b.author.as_ref().map(|author| author.step))).collect()
    };
    assert_eq!(
        blame(&mut store, "top\na\nB\nnew\nc\nD\n"),
        [(0, 2, None), (2, 1, Some(1)), (3, 1, Some(2)), (4, 2, None)]
    );
    assert_eq!(blame(&mut store, "B\nx\nnew\n"), [(0, 1, Some(1)), (1, 1, None), (2, 1, Some(2))]);
    assert!(store.blame("/p", "a.rs", "a\n").unwrap().is_empty());
}

#[expect(clippy::unnecessary_wraps, reason = "what the store calls a file")]
fn file(text: &str) -> FileState {
    Some(crate::host::FileBytes { bytes: text.as_bytes().to_vec(), mode: 0o644 })
}

/// Has a run make one text of another; the checkpoint.
fn make(store: &mut Store, session: &SessionId, run: u32, path: &str, before: &str, after: &str) -> u32 {
    let kept = [(path.to_owned(), file(before))];
    let number = store.checkpoint(session, (run, 1, Place(0)), "t", &kept).unwrap();
    store.made(session, number, path, &file(before), &file(after)).unwrap();
    number
}

#[test]
fn what_was_accepted_is_no_change_any_more() {
    let home = Home::new();
    let mut store = home.open();
    let session = begin(&mut store, "s");
    make(&mut store, &session, 1, "a", "1", "2");
    make(&mut store, &session, 1, "b", "1", "2");
    let left = |store: &mut Store| -> Vec<(String, FileState)> {
        let before = |pending: Pending| {
            let first = pending.made.into_iter().next().map(|made| made.before);
            (pending.path, pending.accepted.or(first).unwrap())
        };
        store.pending(&session).unwrap().into_iter().map(before).collect()
    };
    let of = |path: &str, text: &str| (path.to_owned(), file(text));
    assert_eq!(left(&mut store), [of("a", "1"), of("b", "1")]);
    store.accept(&session, &[of("a", "2"), of("b", "half")]).unwrap();
    assert_eq!(left(&mut store), [of("b", "half")], "all of one, a part of the other");
    // The person goes on with it; then it is written again.
    let second = make(&mut store, &session, 2, "a", "2 and mine", "3");
    assert_eq!(left(&mut store), [of("a", "2 and mine"), of("b", "half")]);
    store.accept(&session, &[of("a", "3")]).unwrap();
    assert_eq!(left(&mut store), [of("b", "half")]);
    let checkpoint = store.checkpoints(&session).unwrap().into_iter().find(|c| c.number == second).unwrap();
    let rewound = store.rewind(&session, &checkpoint, Some(&[]), false).unwrap();
    assert_eq!(left(&mut store), [of("a", "1"), of("b", "half")], "what was accepted of it went with the run");
    store.undo_rewind(&session, rewound).unwrap();
    assert_eq!(left(&mut store), [of("b", "half")], "and came back with it");
}

#[test]
fn sessions_with_something_left_to_decide_on_are_found() {
    let home = Home::new();
    let mut store = home.open();
    let (kept, away, open) = (begin(&mut store, "kept"), begin(&mut store, "put away"), begin(&mut store, "open"));
    begin(&mut store, "nothing written");
    for session in [&kept, &away, &open] {
        make(&mut store, session, 1, "a", "1", "2");
    }
    store.keep_all(&kept).unwrap();
    store.archive(&away, true).unwrap();
    assert_eq!(store.unkept_sessions("/p", 9).unwrap(), std::slice::from_ref(&open));
    assert_eq!(store.unkept_sessions("/elsewhere", 9).unwrap(), []);
    assert_eq!(store.pending(&kept).unwrap(), []);
    make(&mut store, &kept, 2, "a", "2", "3");
    assert_eq!(store.unkept_sessions("/p", 9).unwrap().len(), 2);
    assert_eq!(store.pending(&kept).unwrap().len(), 1, "what came since");
}

#[test]
fn runs_are_compared_with_each_other_and_with_now() {
    let home = Home::new();
    let mut store = home.open();
    let session = begin(&mut store, "s");
    make(&mut store, &session, 1, "a", "0", "1");
    make(&mut store, &session, 2, "b", "0", "2");
    make(&mut store, &session, 3, "a", "1 and mine", "3");
    let mut between = |from, to| -> Vec<(String, FileState, Option<FileState>)> {
        let found = store.between(&session, from, to).unwrap();
        found.into_iter().map(|file| (file.path, file.old, file.new)).collect()
    };
    let at = |path: &str, old: &str, new: Option<&str>| (path.to_owned(), file(old), new.map(file));
    assert_eq!(between(Point::Before(2), None), [at("a", "1 and mine", None), at("b", "0", None)]);
    assert_eq!(between(Point::Before(3), None), [at("a", "1 and mine", None)]);
    assert_eq!(between(Point::After(1), Some(Point::After(3))), [at("a", "1", Some("3")), at("b", "0", Some("2"))]);
    assert_eq!(between(Point::Before(1), Some(Point::After(1))), [at("a", "0", Some("1"))]);
    assert_eq!(between(Point::After(3), None), []);
}

#[test]
fn what_is_put_away_says_so_until_it_is_brought_back() {
    let home = Home::new();
    let mut store = home.open();
    let session = begin(&mut store, "Old");
    happen(&mut store, &session, 1, text("x"));
    let archived = |store: &mut Store| store.sessions(Some("/p"), 10).unwrap()[0].archived;
    assert!(!archived(&mut store));
    store.archive(&session, true).unwrap();
    assert!(archived(&mut store));
    store.archive(&session, false).unwrap();
    assert!(!archived(&mut store));
}
