//! Rewinds of files and conversation, with people's changes in between.

use std::fs;
use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::host::{DiskHost, Unattended};
use crate::secrets::Secrets;
use crate::session::{NewSession, Place};

struct World {
    folder: tempfile::TempDir,
    host: DiskHost,
    store: Store,
    session: SessionId,
    step: u32,
}

impl World {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        fs::create_dir(&root).unwrap();
        for (path, text) in files {
            fs::write(root.join(path), text).unwrap();
        }
        let host = DiskHost::open(&root, Unattended { edits: true }).unwrap();
        let secrets = Arc::new(Secrets::new().unwrap());
        let mut store = Store::open(&folder.path().join("s.sqlite"), secrets).unwrap().store;
        let new = NewSession { project: "/p".into(), title: String::new(), parent: None, model: String::new() };
        let session = store.begin(&new).unwrap();
        Self { folder, host, store, session, step: 0 }
    }

    /// What a step does: a message, a checkpoint, and writing.
    fn step(&mut self, writes: &[(&str, Option<&str>)]) -> u32 {
        self.step += 1;
        let place = self.store.say(&self.session, 1, "reply", &json!({"n": self.step}), "").unwrap();
        let at = |path: &str| ProjectPath::parse(path).unwrap();
        let before: Vec<_> =
            writes.iter().map(|(path, _)| ((*path).to_owned(), self.host.bytes(&at(path)).unwrap())).collect();
        let number = self.store.checkpoint(&self.session, (1, self.step, Place(place.0)), "title", &before).unwrap();
        for ((path, text), (_, before)) in writes.iter().zip(&before) {
            self.user(path, *text);
            let after = self.host.bytes(&at(path)).unwrap();
            self.store.made(&self.session, number, path, before, &after).unwrap();
        }
        number
    }

    fn user(&self, path: &str, text: Option<&str>) {
        let path = self.folder.path().join("root").join(path);
        match text {
            Some(text) => fs::write(path, text).unwrap(),
            None => fs::remove_file(path).unwrap(),
        }
    }

    fn rewind(&mut self, number: u32, what: What) -> Report {
        rewind(&mut self.store, &self.host, &self.session, number, what).unwrap()
    }

    fn undo(&mut self) -> Report {
        undo(&mut self.store, &self.host, &self.session).unwrap()
    }

    #[track_caller]
    fn check(&mut self, path: &str, text: Option<&str>) {
        let found = fs::read_to_string(self.folder.path().join("root").join(path)).ok();
        assert_eq!(found.as_deref(), text, "{path}");
    }

    fn messages(&mut self) -> Vec<i64> {
        let said = self.store.conversation(&self.session).unwrap();
        said.iter().map(|said| said.message["n"].as_i64().unwrap()).collect()
    }
}

#[test]
fn files_made_changed_and_removed_are_as_before() {
    let mut world = World::new(&[("kept", "1\n"), ("gone", "old\n")]);
    let first = world.step(&[("kept", Some("2\n")), ("new", Some("x\n"))]);
    world.step(&[("gone", None), ("kept", Some("3\n"))]);
    let report = world.rewind(first, What::Both);
    assert_eq!((report.restored.len(), report.kept.len()), (3, 0), "{report:?}");
    world.check("kept", Some("1\n"));
    world.check("gone", Some("old\n"));
    world.check("new", None);
    assert!(world.messages().is_empty());
    world.undo();
    world.check("kept", Some("3\n"));
    world.check("gone", None);
    world.check("new", Some("x\n"));
    assert_eq!(world.messages(), [1, 2]);
}

#[test]
fn people_keep_what_they_wrote_meanwhile() {
    let lines = |change: &[(usize, &str)]| -> String {
        (0..9)
            .map(|n| change.iter().find(|(at, _)| *at == n).map_or(format!("{n}\n"), |(_, text)| format!("{text}\n")))
            .collect()
    };
    let mut world = World::new(&[("a", &lines(&[]))]);
    let first = world.step(&[("a", Some(&lines(&[(1, "agent")])))]);
    world.user("a", Some(&lines(&[(1, "agent"), (5, "user")])));
    world.step(&[("a", Some(&lines(&[(1, "agent"), (5, "user"), (8, "again")])))]);
    world.user("a", Some(&lines(&[(1, "agent"), (5, "user"), (7, "more"), (8, "again")])));
    let report = world.rewind(first, What::Files);
    // The line beside the agent's second change is too close to be told apart: it is kept, and that is said.
    world.check("a", Some(&lines(&[(5, "user"), (7, "more"), (8, "again")])));
    assert_eq!(report.kept, [("a".to_owned(), "you changed the same lines since; your lines are kept".to_owned())]);
    assert_eq!(world.messages(), [1, 2]);
    world.undo();
    world.check("a", Some(&lines(&[(1, "agent"), (5, "user"), (7, "more"), (8, "again")])));
}

#[test]
fn what_people_wrote_after_a_rewind_survives_its_undoing() {
    let mut world = World::new(&[("a", "1\n2\n3\n4\n5\n6\n")]);
    let first = world.step(&[("a", Some("one\n2\n3\n4\n5\n6\n"))]);
    world.rewind(first, What::Both);
    world.user("a", Some("1\n2\n3\n4\n5\nsix\n"));
    let report = world.undo();
    assert!(report.kept.is_empty());
    world.check("a", Some("one\n2\n3\n4\n5\nsix\n"));
    let nothing = undo(&mut world.store, &world.host, &world.session);
    assert!(matches!(nothing, Err(RewindError::NothingToUndo)));
}

#[test]
fn a_file_that_people_changed_is_not_removed() {
    let mut world = World::new(&[]);
    let first = world.step(&[("new", Some("agent\n"))]);
    world.user("new", Some("agent\nand me\n"));
    let report = world.rewind(first, What::Files);
    assert_eq!(report.kept.len(), 1);
    world.check("new", Some("agent\nand me\n"));
}

#[test]
fn what_was_taken_back_is_not_taken_back_twice() {
    let mut world = World::new(&[("a", "1\n")]);
    let first = world.step(&[("a", Some("2\n"))]);
    let second = world.step(&[("a", Some("3\n"))]);
    world.rewind(second, What::Both);
    world.check("a", Some("2\n"));
    world.step(&[("a", Some("4\n"))]);
    world.rewind(first, What::Both);
    world.check("a", Some("1\n"));
    world.undo();
    world.check("a", Some("4\n"));
    assert_eq!(world.messages(), [1, 3]);
}

#[test]
fn the_conversation_alone_leaves_files() {
    let mut world = World::new(&[("a", "1\n")]);
    world.step(&[("a", Some("2\n"))]);
    let second = world.step(&[("a", Some("3\n"))]);
    world.rewind(second, What::Conversation);
    world.check("a", Some("3\n"));
    assert_eq!(world.messages(), [1]);
    world.step(&[("a", Some("4\n"))]);
    world.undo();
    assert_eq!(world.messages(), [1, 2]);
    world.check("a", Some("4\n"));
}

#[test]
fn bytes_that_are_no_text_come_back_with_their_mode() {
    let mut world = World::new(&[]);
    let path = world.folder.path().join("root/bin");
    fs::write(&path, b"\0\xff\0").unwrap();
    let first = world.step(&[("bin", None)]);
    world.rewind(first, What::Files);
    assert_eq!(fs::read(&path).unwrap(), b"\0\xff\0");
}

/// Lines from 0 to 8, some of them others.
fn nine(change: &[(usize, &str)]) -> String {
    let line = |n: usize| change.iter().find(|(at, _)| *at == n).map_or(n.to_string(), |(_, text)| (*text).to_owned());
    (0..9).map(|n| format!("{}\n", line(n))).collect()
}

#[test]
fn what_was_accepted_stays_when_the_rest_is_taken_back() {
    let mut world = World::new(&[("a", &nine(&[])), ("b", "1\n")]);
    let all = [(0, "zero"), (4, "four"), (8, "eight")];
    let first = world.step(&[("a", Some(&nine(&all))), ("b", Some("2\n")), ("new", Some("x\n"))]);
    let accepted = Some(FileBytes { bytes: nine(&[(4, "four")]).into_bytes(), mode: 0o644 });
    let whole = world.host.bytes(&ProjectPath::parse("b").unwrap()).unwrap();
    world.store.accept(&world.session, &[("a".to_owned(), accepted), ("b".to_owned(), whole)]).unwrap();
    world.user("a", Some(&nine(&[(0, "zero"), (2, "mine"), (4, "four"), (8, "eight")])));

    let report = settle(&mut world.store, &world.host, &world.session).unwrap();
    world.check("a", Some(&nine(&[(2, "mine"), (4, "four")])));
    world.check("b", Some("2\n"));
    world.check("new", None);
    assert_eq!((report.changes, report.accepted, report.conversation), (Some(3), true, false), "{report:?}");
    assert_eq!(report.restored, ["a", "new"]);
    assert_eq!(report.kept, []);
    assert!(world.store.pending(&world.session).unwrap().is_empty(), "all is decided on");
    assert_eq!(world.messages(), [1]);

    world.undo();
    world.check("a", Some(&nine(&[(0, "zero"), (2, "mine"), (4, "four"), (8, "eight")])));
    world.check("new", Some("x\n"));
    let left: Vec<_> = world.store.pending(&world.session).unwrap().into_iter().map(|pending| pending.path).collect();
    assert_eq!(left, ["a", "new"], "it is to be decided on again, but for what was accepted");

    // The run as a whole takes what was accepted with it.
    settle(&mut world.store, &world.host, &world.session).unwrap();
    world.rewind(first, What::Files);
    world.check("a", Some(&nine(&[(2, "mine")])));
    world.check("b", Some("1\n"));
}

#[test]
fn a_file_is_compared_with_itself_without_what_a_run_made_of_it() {
    let mut world = World::new(&[("a", &nine(&[]))]);
    world.step(&[("a", Some(&nine(&[(1, "one"), (7, "seven")])))]);
    let compared = |world: &mut World, now: &[(usize, &str)]| {
        let pending = world.store.pending(&world.session).unwrap().remove(0);
        let now = Some(FileBytes { bytes: nine(now).into_bytes(), mode: 0o644 });
        String::from_utf8(super::compared(&pending, &now).unwrap().bytes).unwrap()
    };
    assert_eq!(
        compared(&mut world, &[(1, "one"), (4, "mine"), (7, "seven")]),
        nine(&[(4, "mine")]),
        "theirs is theirs"
    );
    assert_eq!(compared(&mut world, &[(1, "one, mended"), (7, "seven")]), nine(&[]), "what they went on with is shown");
    assert_eq!(compared(&mut world, &[(7, "seven")]), nine(&[]), "a part was rejected");
}
