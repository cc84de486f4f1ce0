//! The store between processes: what was acknowledged is there after a kill, and two windows do not lose each other's
//! changes.
//!
//! The test program runs itself as a child: [`child`] is a test that does nothing unless it is asked to be one. The
//! child prints a line when a write has returned; nothing waits for time.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, reason = "a test, and a child that talks")]

use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, bounded};
use diff::comments::{Anchor, Message, Thread};
use diff::git::Side;
use diff::lines::Content;
use diff::store::{Desk, Event, Identity, Kind, SheetId, Store, Write};
use diff::ticks::{ContentId, Mark};

/// Says which file a child writes to, its number, and how many pairs of tick and comment it writes.
const CHILD: &str = "DIFF_STORE_CHILD";

fn content(child: u32, n: u32) -> ContentId {
    let mut bytes = [0; 20];
    bytes[..4].copy_from_slice(&child.to_le_bytes());
    bytes[4..8].copy_from_slice(&n.to_le_bytes());
    ContentId::from_bytes(bytes)
}

fn text(child: u32, n: u32) -> String {
    format!("comment {n} of child {child}")
}

fn thread(text: String) -> Write {
    let (anchor, origin) = Anchor::at("f".into(), Side::New, &Content::new(&b"a\nb\n"[..]).unwrap(), 0..1);
    Write::Begin { thread: Box::new(Thread::new(anchor, "test", Message::sent("Ann", text))), origin }
}

/// The child: ticks and comments, and says so.
#[test]
fn child() {
    let Ok(words) = std::env::var(CHILD) else { return };
    let mut words = words.splitn(3, ' ');
    let child: u32 = words.next().unwrap().parse().unwrap();
    let count: u32 = words.next().unwrap().parse().unwrap();
    let path = words.next().unwrap();
    let mut store = Store::open(Path::new(path)).unwrap().store;
    let repository = store.repository(&Identity::named("test")).unwrap();
    for n in 0..count {
        store.write(repository, &Write::Marks(vec![(content(child, n), Some(Mark::Viewed))])).unwrap();
        store.write(repository, &thread(text(child, n))).unwrap();
        println!("\nwritten {n}");
        std::io::stdout().flush().unwrap();
    }
}

fn start(path: &Path, child: u32, count: u32) -> (Child, impl Iterator<Item = u32>) {
    let mut process = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(CHILD, format!("{child} {count} {}", path.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
    (process, lines.filter_map(|line| line.strip_prefix("written ")?.parse().ok()))
}

/// Checks that the first ticks and comments of a child are there.
fn check(path: &Path, child: u32, written: u32) {
    let opened = Store::open(path).unwrap();
    assert_eq!(opened.notice, None, "the file is whole");
    let mut store = opened.store;
    let repository = store.repository(&Identity::named("test")).unwrap();
    let marks = store.marks(repository).unwrap().0;
    let threads = store.comments(repository).unwrap().0.threads;
    for n in 0..written {
        assert_eq!(marks.get(content(child, n)), Some(Mark::Viewed), "tick {n} of child {child}");
        let text = text(child, n);
        assert_eq!(threads.iter().filter(|thread| thread.messages[0].text == text).count(), 1, "{text}");
    }
}

#[test]
fn a_kill_at_any_moment_loses_nothing_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reviews.sqlite");
    for child in 0..24 {
        // Killed after so many; the next write is under way then, at one point or another.
        let after = child * 5 % 23;
        let (mut process, acknowledged) = start(&path, child, u32::MAX);
        let last = acknowledged.take(after as usize + 1).last().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
        assert_eq!(last, after);
        check(&path, child, after + 1);
    }
    (0..24).for_each(|child| check(&path, child, child * 5 % 23 + 1));
}

#[test]
fn two_processes_that_write_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reviews.sqlite");
    // Both make the file, too.
    let mut children: Vec<_> = (0..2).map(|child| start(&path, child, 60)).collect();
    for (process, acknowledged) in &mut children {
        assert_eq!(acknowledged.count(), 60);
        assert!(process.wait().unwrap().success());
    }
    (0..2).for_each(|child| check(&path, child, 60));
}

/// A window: a desk and what wakes it.
struct Window {
    desk: Desk,
    sheet: SheetId,
    woken: Receiver<()>,
}

impl Window {
    fn open(path: &Path) -> Self {
        let (send, woken) = bounded(1);
        let wake = move || {
            let _ = send.try_send(()); // one that waits is enough
        };
        let mut desk = Desk::open(path, Arc::new(wake)).unwrap();
        let sheet = desk.sheet(&Identity::named("test"));
        let mut window = Self { desk, sheet, woken };
        let mut read = Vec::new();
        window.wait_until(|_, events| {
            read.extend(events);
            Kind::ALL.iter().all(|&kind| read.contains(&Event::Changed(sheet, kind)))
        });
        window
    }

    /// Takes events until it is so.
    fn wait_until(&mut self, mut is_so: impl FnMut(&Desk, Vec<Event>) -> bool) {
        loop {
            let events = self.desk.poll();
            if is_so(&self.desk, events) {
                return;
            }
            self.woken.recv_timeout(Duration::from_mins(1)).expect("an answer");
        }
    }
}

#[test]
fn a_window_sees_what_another_one_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reviews.sqlite");
    let (mut one, mut other) = (Window::open(&path), Window::open(&path));
    let sheet = one.sheet;
    one.desk.write(sheet, Write::Marks(vec![(content(0, 0), Some(Mark::Viewed))]));
    assert_eq!(one.desk.marks(sheet).len(), 1, "at once");
    one.wait_until(|desk, _| desk.unwritten() == 0);
    other.desk.look();
    other.wait_until(|desk, _| desk.marks(sheet).len() == 1);
    // Both write without having seen the other's.
    one.desk.write(sheet, Write::Marks(vec![(content(0, 1), Some(Mark::Viewed))]));
    other.desk.write(sheet, Write::Marks(vec![(content(0, 2), Some(Mark::Viewed))]));
    other.desk.write(sheet, thread("hello".to_owned()));
    one.wait_until(|desk, _| desk.unwritten() == 0);
    other.wait_until(|desk, _| desk.unwritten() == 0);
    for window in [&mut one, &mut other] {
        window.desk.look();
        window.wait_until(|desk, _| desk.marks(sheet).len() == 3 && desk.comments(sheet).threads.len() == 1);
    }
}

#[test]
fn closing_a_window_writes_what_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reviews.sqlite");
    let mut window = Window::open(&path);
    for n in 0..1_000 {
        window.desk.write(window.sheet, Write::Marks(vec![(content(0, n), Some(Mark::Viewed))]));
    }
    window.desk.write(window.sheet, thread(text(0, 0)));
    drop(window);
    let mut store = Store::open(&path).unwrap().store;
    let repository = store.repository(&Identity::named("test")).unwrap();
    assert_eq!(store.marks(repository).unwrap().0.len(), 1_000);
    check(&path, 0, 1);
}

#[test]
fn a_window_without_a_file_says_so_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a file/reviews.sqlite");
    std::fs::write(folder.path().join("a file"), "in the way").unwrap();
    let (send, woken) = bounded(1);
    let wake = move || {
        let _ = send.try_send(()); // one that waits is enough
    };
    let mut desk = Desk::open(&path, Arc::new(wake)).unwrap();
    let sheet = desk.sheet(&Identity::named("test"));
    woken.recv_timeout(Duration::from_mins(1)).unwrap();
    let events = desk.poll();
    assert!(matches!(&events[..], [Event::Notice(text)] if text.contains("cannot be made")), "{events:?}");
    desk.write(sheet, Write::Marks(vec![(content(0, 0), Some(Mark::Viewed))]));
    assert_eq!(desk.marks(sheet).len(), 1);
}
