//! Tests of watching, against the real system. They wait for events, never for time to pass.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

use super::watch::{Event, WatchError, Watcher};
use crate::limits::Limits;

const PATIENCE: Duration = Duration::from_secs(20);

fn start(limits: &Limits) -> (Watcher, Receiver<Event>) {
    Watcher::start(limits, || {}).unwrap()
}

/// Does `change` until an event names `path`: the watch is set up by another thread, some time after it was asked for.
fn change_is_seen(events: &Receiver<Event>, path: &Path, mut change: impl FnMut()) {
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        change();
        while let Ok(event) = events.recv_timeout(Duration::from_millis(300)) {
            match event {
                Event::Changed(paths) if paths.iter().any(|it| it == path) => return,
                Event::Limited(error) => panic!("{error}"),
                Event::Changed(_) | Event::Rescan => {}
            }
        }
    }
    panic!("{} changed, but no event came", path.display());
}

#[test]
fn a_write_to_a_watched_file_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.txt");
    fs::write(&file, "").unwrap();
    let (watcher, events) = start(&Limits::default());
    watcher.watch_file(&file);
    change_is_seen(&events, &file, || fs::write(&file, "x").unwrap());
}

#[test]
fn a_file_replaced_by_renaming_is_seen_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    let (file, other) = (folder.path().join("a.txt"), folder.path().join("other"));
    fs::write(&file, "").unwrap();
    let (watcher, events) = start(&Limits::default());
    watcher.watch_file(&file);
    for _ in 0..2 {
        change_is_seen(&events, &file, || {
            fs::write(&other, "new").unwrap();
            fs::rename(&other, &file).unwrap();
        });
    }
}

#[test]
fn a_file_behind_a_link_is_seen_by_the_links_name() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (link, file) = (here.path().join("link"), there.path().canonicalize().unwrap().join("a.txt"));
    fs::write(&file, "").unwrap();
    symlink(&file, &link).unwrap();
    let (watcher, events) = start(&Limits::default());
    watcher.watch_file(&link);
    change_is_seen(&events, &link, || fs::write(&file, "x").unwrap());
}

#[test]
fn a_project_is_seen_as_deep_as_it_is_and_becomes() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join("src/deep")).unwrap();
    let (watcher, events) = start(&Limits::default());
    watcher.watch_folder(root);
    let file = root.join("src/deep/a.rs");
    change_is_seen(&events, &file, || fs::write(&file, "x").unwrap());
    let new = root.join("new/er/b.rs");
    fs::create_dir_all(new.parent().unwrap()).unwrap();
    change_is_seen(&events, &new, || fs::write(&new, "x").unwrap());
}

#[test]
fn a_commit_is_seen_but_ignored_files_and_our_own_temporary_ones_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for path in [".git/refs/heads", ".git/objects/aa", "target/debug"] {
        fs::create_dir_all(root.join(path)).unwrap();
    }
    fs::write(root.join(".gitignore"), "target\n").unwrap();
    let (watcher, events) = start(&Limits::default());
    watcher.watch_folder(root);
    let head = root.join(".git/HEAD");
    change_is_seen(&events, &head, || fs::write(&head, "x").unwrap());
    let branch = root.join(".git/refs/heads/main");
    change_is_seen(&events, &branch, || fs::write(&branch, "x").unwrap());
    while events.try_recv().is_ok() {}
    fs::write(root.join("target/debug/x.o"), "").unwrap();
    fs::write(root.join(".git/objects/aa/bb"), "").unwrap();
    fs::write(root.join(".a.rs.00000000.recto-tmp"), "").unwrap();
    let last = root.join("last");
    fs::write(&last, "").unwrap();
    // Events come in order, so once the last one is there, the others are not to come.
    let mut seen = Vec::new();
    while !seen.contains(&last) {
        if let Event::Changed(paths) = events.recv_timeout(PATIENCE).unwrap() {
            seen.extend(paths);
        }
    }
    seen.retain(|path| *path != head && *path != branch && *path != last);
    assert_eq!(seen, Vec::<std::path::PathBuf>::new());
}

#[test]
fn more_folders_than_the_limit_are_told_once() {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..10 {
        fs::create_dir(folder.path().join(n.to_string())).unwrap();
    }
    let (watcher, events) = start(&Limits { watched_folders: 3, ..Limits::default() });
    watcher.watch_folder(folder.path());
    let told = events.recv_timeout(PATIENCE).unwrap();
    assert_eq!(told, Event::Limited(WatchError::OwnLimit { limit: 3 }));
    // An open file is watched all the same.
    let file = folder.path().join("9/a.txt");
    watcher.watch_file(&file);
    change_is_seen(&events, &file, || fs::write(&file, "x").unwrap());
}

#[test]
fn a_burst_is_told_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let (watcher, events) = start(&Limits { watched_burst: 10, ..Limits::default() });
    watcher.watch_folder(folder.path());
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        for n in 0..100 {
            fs::write(folder.path().join(n.to_string()), "x").unwrap();
        }
        if let Ok(Event::Rescan) = events.recv_timeout(Duration::from_millis(500)) {
            return;
        }
    }
    panic!("never told to look again at everything");
}
