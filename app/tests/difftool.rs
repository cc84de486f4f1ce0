//! `recto difftool` as git calls it, on a display of its own: a window for each file, the next one when the last is closed.
//!
//! Without Xvfb, or without an adapter to draw with, the test is skipped with a message; `RECTO_TESTS_STRICT=1` turns that
//! into a failure.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails where something is not as it should be")]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use std::{fmt, fs};

use crossbeam_channel::{Receiver, bounded};
use recto::headless::Renderer;
use tempfile::TempDir;
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    ChangeWindowAttributesAux, ClientMessageEvent, ConnectionExt as _, EventMask, Window as WindowId,
};
use x11rb::rust_connection::RustConnection;

/// Longest that anything is waited for; reached only when something hangs.
const PATIENCE: Duration = Duration::from_mins(5);

#[test]
fn case_45_git_waits_for_each_window_of_the_difftool() {
    let Some(display) = Display::open() else { return };
    let windows = display.windows();
    let folder = TempDir::new().unwrap();
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        git.arg("-C")
            .arg(folder.path())
            .args(["-c", "user.name=Test", "-c", "user.email=test@example.com"])
            .args(words);
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        git
    };
    let done = |words: &[&str]| assert!(git(words).status().unwrap().success(), "git {words:?}");
    done(&["init", "-q"]);
    fs::write(folder.path().join("changed.txt"), "old\n").unwrap();
    done(&["add", "."]);
    done(&["commit", "-qm", "start"]);
    fs::write(folder.path().join("changed.txt"), "new\n").unwrap();
    fs::write(folder.path().join("added.txt"), "fresh\n").unwrap(); // git names /dev/null for its old side
    done(&["add", "."]);

    let command = format!("difftool.recto.cmd='{}' difftool \"$LOCAL\" \"$REMOTE\"", env!("CARGO_BIN_EXE_recto"));
    let mut git = git(&["-c", &command, "difftool", "--no-prompt", "--tool=recto", "--trust-exit-code", "HEAD"]);
    let mut git = Ended(display.shows(&mut git, folder.path()).spawn().unwrap());
    for file in ["added.txt", "changed.txt"] {
        let window = windows.next(file);
        let Seen::Came(window) = window else { panic!("before {file}: {window:?}, which nobody closed") };
        assert_eq!(git.0.try_wait().unwrap(), None, "git waits for {file}");
        windows.close(window);
        assert_eq!(windows.next(file), Seen::Went(window), "the next comes when this is closed");
    }
    assert!(git.0.wait().unwrap().success());
}

/// A process that is ended with the test, however that ends.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        drop(self.0.kill()); // it may have ended by itself
        drop(self.0.wait());
    }
}

/// A display that nobody looks at.
struct Display {
    name: String,
    _server: Ended,
}

impl Display {
    /// Nothing, and a message, where there is none to be had.
    fn open() -> Option<Self> {
        if let Err(error) = Renderer::new() {
            return skipped(&error);
        }
        // It takes a number that is free and prints it when it is ready.
        let server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut server = match server {
            Ok(server) => Ended(server),
            Err(error) => return skipped(&format!("Xvfb cannot be started: {error}")),
        };
        let mut number = String::new();
        BufReader::new(server.0.stdout.take()?).read_line(&mut number).unwrap();
        Some(Self { name: format!(":{}", number.trim()), _server: server })
    }

    /// A command whose windows are shown here, with a home in a folder.
    fn shows<'a>(&self, command: &'a mut Command, home: &Path) -> &'a mut Command {
        command.env("DISPLAY", &self.name).env("RECTO_HOME", home.join(".git/recto")).env("RECTO_LOG", "error");
        command.env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit())
    }

    /// What comes and goes on it from now on.
    fn windows(&self) -> Windows {
        let (connection, screen) = x11rb::connect(Some(&self.name)).unwrap();
        let connection = Arc::new(connection);
        let root = connection.setup().roots[screen].root;
        let changes = ChangeWindowAttributesAux::new().event_mask(EventMask::SUBSTRUCTURE_NOTIFY);
        connection.change_window_attributes(root, &changes).unwrap().check().unwrap();
        let (send, seen) = bounded(64);
        let events = Arc::clone(&connection);
        let watch = move || {
            // Some windows are never shown: they hold the clipboard, and the like.
            let mut shown = Vec::new();
            // Until the display is gone.
            while let Ok(event) = events.wait_for_event() {
                let found = match event {
                    Event::MapNotify(event) if !event.override_redirect => Seen::Came(event.window),
                    Event::DestroyNotify(event) if shown.contains(&event.window) => Seen::Went(event.window),
                    _ => continue,
                };
                if let Seen::Came(window) = found {
                    shown.push(window);
                }
                if send.send(found).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("windows".to_owned()).spawn(watch).unwrap();
        Windows { connection, seen }
    }
}

/// What a display tells of its windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Came(WindowId),
    Went(WindowId),
}

/// The windows of a display.
struct Windows {
    connection: Arc<RustConnection>,
    seen: Receiver<Seen>,
}

impl Windows {
    /// What happens next to a window that was there to be seen.
    fn next(&self, file: &str) -> Seen {
        self.seen.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("nothing comes or goes for {file}"))
    }

    /// Asks a window to close, as the button of its frame does.
    fn close(&self, window: WindowId) {
        let atom = |name: &[u8]| self.connection.intern_atom(false, name).unwrap().reply().unwrap().atom;
        let (protocols, delete) = (atom(b"WM_PROTOCOLS"), atom(b"WM_DELETE_WINDOW"));
        let message = ClientMessageEvent::new(32, window, protocols, [delete, x11rb::CURRENT_TIME, 0, 0, 0]);
        self.connection.send_event(false, window, EventMask::NO_EVENT, message).unwrap();
        self.connection.flush().unwrap();
    }
}

fn skipped<T>(why: &impl fmt::Display) -> Option<T> {
    let strict = std::env::var_os("RECTO_TESTS_STRICT").is_some_and(|value| value == "1");
    assert!(!strict, "{why:#}, and RECTO_TESTS_STRICT=1 forbids skipping");
    eprintln!("skipped: {why:#}");
    None
}
