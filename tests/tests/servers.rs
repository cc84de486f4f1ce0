//! Language servers as processes: one of ours that tests can have do what they like, and ruff, which others wrote.
//!
//! Without ruff on PATH its test is skipped with a message; `RECTO_TESTS_STRICT=1` turns that into a failure.

#![allow(clippy::unwrap_used, reason = "a helper that cannot do its part fails the test")]
#![allow(clippy::print_stderr, reason = "what is skipped is told")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use editor::lsp::{Diagnostic, Event, Launch, Servers, Severity, State, by_name};
use editor::syntax::Language;
use editor::{ChangeSet, Text};

/// What does not come within so long does not come.
const PATIENCE: Duration = Duration::from_mins(1);

#[test]
fn a_word_is_reported_where_it_is_and_follows_the_text() {
    for arguments in [&[][..], &["--utf8"], &["--full"], &["--pull"], &["--pull", "--utf8"]] {
        let mut desk = Desk::new(vec![scripted(arguments)]);
        desk.open("a.rs", "fn 𝒳() {}\r\n// é FIXME: this\r\n");
        let found = desk.said("a.rs", |found| !found.is_empty());
        assert_eq!(found.len(), 1, "{arguments:?}: {found:?}");
        let found = &found[0];
        assert_eq!(desk.slice("a.rs", found), "FIXME", "{arguments:?}");
        assert_eq!((found.severity, &*found.message), (Severity::Error, "FIXME: : this"));
        assert_eq!((found.code.as_deref(), found.source.as_deref()), (Some("fixme"), Some("scripted")));
        assert_eq!(found.related[0].path, desk.path("a.rs"));
        // Two edits at once, one of them before the word and within the reach of a surrogate pair.
        desk.edit("a.rs", &[(3..7, "𝒴𝒵"), (12..12, "😀\n")]);
        let moved = desk.said("a.rs", |found| found.iter().any(|found| found.range.start == 29));
        assert_eq!(desk.slice("a.rs", &moved[0]), "FIXME", "{arguments:?}");
        desk.edit("a.rs", &[(29..34, "done")]);
        desk.said("a.rs", <[Diagnostic]>::is_empty);
    }
}

#[test]
fn work_is_shown_while_it_lasts() {
    let mut desk = Desk::new(vec![scripted(&[])]);
    desk.open("a.rs", "// BUSY\n");
    let state = desk.state(|state| matches!(state, State::Working { .. }));
    assert_eq!(state, State::Working { title: "Thinking".to_owned(), percent: Some(42) });
    desk.edit("a.rs", &[(3..7, "done")]);
    desk.state(|state| *state == State::Ready);
}

#[test]
fn a_crash_is_told_and_the_server_comes_back() {
    let mut desk = Desk::new(vec![scripted(&[])]);
    desk.open("a.rs", "// FIXME\n");
    desk.said("a.rs", |found| found.len() == 1);
    desk.edit("a.rs", &[(0..0, "// CRASH\n")]);
    let said = desk.message();
    assert_eq!(said, "it ended with code 3: scripted: CRASH was read; it is started again");
    desk.edit("a.rs", &[(0..9, "")]);
    let found = desk.said("a.rs", |found| found.len() == 1);
    assert_eq!(found[0].range, 3..8);
}

#[test]
fn a_stand_in_is_missing_and_says_how_to_install() {
    let launch = Launch { install: Some("rustup component add rust-analyzer".to_owned()), ..scripted(&["--shim"]) };
    let mut desk = Desk::new(vec![launch]);
    desk.open("a.rs", "");
    let state = desk.state(|state| *state != State::Starting);
    let State::Missing { install: Some(install), .. } = state else { panic!("{state:?}") };
    assert_eq!(install, "rustup component add rust-analyzer");
}

#[test]
fn nothing_that_a_server_started_stays() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let script = format!("sleep 1000 & echo $! > {0}.new; mv {0}.new {0}; exec \"$0\" --deaf", pid.display());
    let command = ["sh", "-c", &script, env!("CARGO_BIN_EXE_scripted_server")].map(str::to_owned).to_vec();
    let mut desk = Desk::new(vec![Launch { command, ..scripted(&[]) }]);
    desk.open("a.rs", "FIXME");
    desk.said("a.rs", |found| found.len() == 1);
    let pid: u32 = std::fs::read_to_string(pid).unwrap().trim().parse().unwrap();
    assert!(lives(pid));
    let asked = Instant::now();
    desk.servers.take().unwrap().shut_down(PATIENCE);
    assert!(asked.elapsed() < PATIENCE / 2, "it took {:?}", asked.elapsed());
    // The signal was sent; when it is heard is the system's.
    while lives(pid) {
        assert!(asked.elapsed() < PATIENCE, "{pid} stays");
        std::thread::yield_now();
    }
}

#[test]
fn ruff_reports_an_unused_import_until_it_is_used() {
    let Some(mut desk) = with_ruff() else { return };
    desk.open("a.py", "s = \"𝒳\"; import os\n");
    let found = desk.said("a.py", |found| found.iter().any(is_unused));
    let unused = found.iter().find(|found| is_unused(found)).unwrap();
    assert_eq!(desk.slice("a.py", unused), "os");
    assert!(unused.unnecessary && unused.link.is_some(), "{unused:?}");
    assert_eq!(unused.source.as_deref(), Some("Ruff"));
    let end = desk.text("a.py").len();
    desk.edit("a.py", &[(end..end, "print(os)\n")]);
    desk.said("a.py", |found| !found.iter().any(is_unused));
    desk.servers.take().unwrap().shut_down(PATIENCE);
}

#[test]
fn ruff_has_the_same_text_after_many_edits() {
    let Some(mut desk) = with_ruff() else { return };
    desk.open("a.py", "x = 1\r\n");
    // Pieces of lines, of surrogate pairs, of line ends; from a seed, so that a failure comes again.
    let pieces = ["import os\r\n", "𝒳 = 1\n", "# é\n", "", "😀", "\r\n", "import re", "\n", "'"];
    let mut seed: usize = 7;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    for _ in 0..300 {
        let text = desk.text("a.py");
        let start = text.floor_char(random(text.len() + 1));
        let end = text.floor_char((start + random(5)).min(text.len()));
        desk.edit("a.py", &[(start..end, pieces[random(pieces.len())])]);
    }
    let end = desk.text("a.py").len();
    desk.edit("a.py", &[(end..end, "\r\nimport sys\r\n")]);
    let followed = desk.said("a.py", |_| true);
    let text = desk.text("a.py").to_string();
    desk.open("b.py", &text);
    assert_eq!(followed, desk.said("b.py", |_| true), "{text:?}");
    assert!(!followed.is_empty());
    desk.servers.take().unwrap().shut_down(PATIENCE);
}

/// Documents that ruff checks; nothing and a message where it is not installed.
fn with_ruff() -> Option<Desk> {
    let launch = by_name("ruff").unwrap().launch();
    if launch.find().is_none() {
        let strict = std::env::var_os("RECTO_TESTS_STRICT").is_some_and(|value| value == "1");
        assert!(!strict, "ruff is missing, and RECTO_TESTS_STRICT=1 forbids skipping");
        eprintln!("skipped: ruff is not installed");
        return None;
    }
    Some(Desk::new(vec![launch]))
}

fn is_unused(found: &Diagnostic) -> bool {
    found.code.as_deref() == Some("F401")
}

fn scripted(arguments: &[&str]) -> Launch {
    let program = [env!("CARGO_BIN_EXE_scripted_server")];
    let command = program.iter().chain(arguments).map(|word| (*word).to_owned()).collect();
    Launch { name: "scripted".to_owned(), command, languages: vec!["Rust".to_owned()], ..Launch::default() }
}

/// Whether there is such a process, and it is no zombie.
fn lives(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

/// Documents and their servers.
struct Desk {
    servers: Option<Servers>,
    root: tempfile::TempDir,
    wakes: Receiver<()>,
    documents: Vec<(PathBuf, Text, u64)>,
}

impl Desk {
    fn new(launches: Vec<Launch>) -> Self {
        let root = tempfile::tempdir().unwrap();
        let (wake, wakes) = sync_channel(1);
        let wake = Arc::new(move || {
            let _ = wake.try_send(());
        });
        let servers = Servers::start(root.path().canonicalize().unwrap(), launches, wake).unwrap();
        Self { servers: Some(servers), root, wakes, documents: Vec::new() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    fn open(&mut self, name: &str, text: &str) {
        let (path, text) = (self.path(name), Text::from(text));
        std::fs::write(&path, text.to_string()).unwrap();
        let language = Language::from_path(Path::new(name), "").unwrap();
        self.servers.as_ref().unwrap().open(&path, language, &text, 1);
        self.documents.push((path, text, 1));
    }

    fn edit(&mut self, name: &str, edits: &[(std::ops::Range<usize>, &str)]) {
        let path = self.path(name);
        let (_, text, version) = self.documents.iter_mut().find(|(known, ..)| *known == path).unwrap();
        let change = ChangeSet::from_edits(text.len(), edits.iter().cloned());
        let after = change.apply(text);
        *version += 1;
        self.servers.as_ref().unwrap().change(&path, *version, &after, &change, text);
        *text = after;
    }

    fn text(&self, name: &str) -> Text {
        let path = self.path(name);
        self.documents.iter().find(|(known, ..)| *known == path).unwrap().1.clone()
    }

    fn slice(&self, name: &str, found: &Diagnostic) -> String {
        self.text(name).slice(found.range.clone()).into_owned()
    }

    /// What is said of the newest text of a file, once it is as wanted.
    #[track_caller]
    fn said(&mut self, name: &str, wanted: impl Fn(&[Diagnostic]) -> bool) -> Vec<Diagnostic> {
        let of = self.path(name);
        let newest = self.documents.iter().find(|(path, ..)| *path == of).unwrap().2;
        self.event(|event| match event {
            Event::Diagnostics { path, version, diagnostics, .. } if path == of && version == newest => {
                Some(diagnostics).filter(|found| wanted(found))
            }
            _ => None,
        })
    }

    #[track_caller]
    fn state(&mut self, wanted: impl Fn(&State) -> bool) -> State {
        self.event(|event| match event {
            Event::State { state, .. } => Some(state).filter(|state| wanted(state)),
            _ => None,
        })
    }

    #[track_caller]
    fn message(&mut self) -> String {
        self.event(|event| match event {
            Event::Message { text, .. } => Some(text),
            _ => None,
        })
    }

    #[track_caller]
    fn event<T>(&mut self, mut wanted: impl FnMut(Event) -> Option<T>) -> T {
        let mut passed = Vec::new();
        loop {
            let mut found = None;
            for event in self.servers.as_ref().unwrap().drain() {
                passed.push(event.clone());
                found = found.or_else(|| wanted(event));
            }
            if let Some(found) = found {
                return found;
            }
            let woken = self.wakes.recv_timeout(PATIENCE);
            assert!(woken != Err(RecvTimeoutError::Timeout), "it does not come; what came: {passed:#?}");
        }
    }
}
