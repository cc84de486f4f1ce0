//! The tree of files, and what other programs do to them.

use recto::app::App;
use recto::commands::Command;
use recto::state::documents::Disk;

use crate::scratch::Scratch;
use crate::window::{Home, Window};

/// Runs until the application has seen what it is to see from outside.
#[track_caller]
fn until(window: &mut Window, wanted: &str, done: impl Fn(&App) -> bool) {
    window.wait(wanted, done);
    window.rest();
}

fn disk(app: &App) -> Option<Disk> {
    app.state.documents.iter().next().map(|(_, open)| open.disk)
}

fn text(app: &App) -> String {
    app.state.documents.iter().next().map(|(_, open)| open.document.text().to_string()).unwrap_or_default()
}

#[test]
fn a_clean_text_follows_its_file_in_one_step_and_keeps_the_caret() {
    let folder = Scratch::folder(&[("a.txt", "one\ntwo\nthree\n")]);
    let mut window = Window::on(&Home::new(), &[folder.path(), &folder.file("a.txt")]);
    window.keys("Down Down");
    folder.write("a.txt", "zero\none\nTWO\nthree\n");
    until(&mut window, "the text of the file", |app| text(app).starts_with("zero"));
    window.keys("'X'");
    assert_eq!(window.text(), "zero\none\nTWO\nXthree\n\n", "the caret stayed before `three`");
    window.keys("Ctrl+Z Ctrl+Z");
    assert_eq!(window.text(), "one\ntwo\nthree\n\n", "one step for the typing, one for the reload");
}

#[test]
fn a_changed_text_is_in_conflict_and_nothing_is_overwritten() {
    let folder = Scratch::folder(&[("a.txt", "one\n")]);
    let mut window = Window::on(&Home::new(), &[folder.path(), &folder.file("a.txt")]);
    window.keys("'mine '");
    folder.write("a.txt", "theirs\n");
    until(&mut window, "the conflict", |app| disk(app) == Some(Disk::Conflict));
    window.check_says("changed by another program");
    window.keys("Ctrl+S");
    assert_eq!(folder.read("a.txt"), "theirs\n", "saving did not overwrite");
    assert_eq!(window.text(), "mine one\n\n", "reading did not replace");
    window.click("Keep mine");
    window.keys("Ctrl+S");
    assert_eq!(folder.read("a.txt"), "mine one\n");
}

#[test]
fn reloading_ends_a_conflict_and_can_be_undone() {
    let folder = Scratch::folder(&[("a.txt", "one\n")]);
    let mut window = Window::on(&Home::new(), &[folder.path(), &folder.file("a.txt")]);
    window.keys("'mine '");
    folder.write("a.txt", "theirs\n");
    until(&mut window, "the conflict", |app| disk(app) == Some(Disk::Conflict));
    window.click("Reload");
    assert_eq!(window.text(), "theirs\n\n");
    window.keys("Ctrl+Z");
    assert_eq!(window.text(), "mine one\n\n");
}

#[test]
fn the_tree_shows_what_others_make_and_remove() {
    let folder = Scratch::folder(&[("a.txt", "a\n")]);
    let mut window = Window::on(&Home::new(), &[folder.path()]);
    window.check_says("a.txt");
    folder.write("new.txt", "new\n");
    let has = |app: &App, name: &str| {
        app.state.files.tree().is_some_and(|tree| tree.rows().iter().any(|row| row.path.ends_with(name)))
    };
    until(&mut window, "the new file", move |app| has(app, "new.txt"));
    window.check_says("new.txt");
    std::fs::remove_file(folder.file("a.txt")).unwrap();
    until(&mut window, "the removed file", move |app| !has(app, "a.txt"));
    assert!(!window.says("a.txt"));
}

#[test]
fn arrows_open_folders_and_enter_opens_files() {
    let folder = Scratch::folder(&[("src/deep/x.rs", "fn x() {}\n"), ("src/y.rs", "y\n"), ("z.txt", "z\n")]);
    let mut window = Window::on(&Home::new(), &[folder.path()]);
    window.click("src");
    window.check_says("y.rs");
    window.keys("Down Right");
    window.check_says("x.rs");
    window.keys("Down Enter");
    assert_eq!(window.text(), "fn x() {}\n\n");
}

#[test]
fn a_renamed_file_takes_its_tab_and_its_text_along() {
    let folder = Scratch::folder(&[("a.txt", "one\n"), ("taken.txt", "t\n")]);
    let mut window = Window::on(&Home::new(), &[folder.path(), &folder.file("a.txt")]);
    window.keys("'mine '");
    window.keys("Ctrl+Shift+E");
    window.headless().act(Command::FilesRename);
    window.rest();
    window.keys("'taken' Enter"); // the name is chosen, its extension stays
    window.check_says("taken.txt exists already");
    window.keys("Ctrl+A 'b.rs' Enter");
    assert!(!folder.file("a.txt").exists());
    assert_eq!(folder.read("b.rs"), "one\n");
    assert_eq!(window.text(), "mine one\n\n");
    window.headless().act(Command::Save);
    window.rest();
    assert_eq!(folder.read("b.rs"), "mine one\n");
}

#[test]
fn a_new_file_is_named_in_the_tree_and_opened() {
    let folder = Scratch::folder(&[("a.txt", "a\n")]);
    let mut window = Window::on(&Home::new(), &[folder.path()]);
    window.headless().act(Command::FilesNewFile);
    window.rest();
    window.keys("'made/new.txt' Enter");
    assert_eq!(folder.read("made/new.txt"), "");
    window.keys("'text'");
    assert_eq!(window.text(), "text\n");
}

#[test]
fn a_file_in_the_trash_is_brought_back() {
    let folder = Scratch::folder(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
    let mut window = Window::on(&Home::new(), &[folder.path()]);
    window.click("a.txt");
    window.headless().act(Command::FilesTrash);
    window.rest();
    if window.says("cannot be moved to the trash") {
        assert!(std::env::var_os("RECTO_TESTS_STRICT").is_none(), "there is no trash here");
        eprintln!("skipped: there is no trash here");
        return;
    }
    assert!(!folder.file("a.txt").exists());
    window.click("Undo");
    assert_eq!(folder.read("a.txt"), "a\n");
}

#[test]
fn what_is_dropped_on_the_window_opens() {
    let folder = Scratch::folder(&[("a.txt", "one\n"), ("b.txt", "two\n")]);
    let other = Scratch::folder(&[("inner/c.txt", "three\n")]);
    let mut window = Window::on(&Home::new(), &[folder.path()]);
    window.headless().drop_files(&[folder.file("a.txt"), folder.file("b.txt")]);
    window.rest();
    let open: Vec<_> = window.app().state.documents.iter().filter_map(|(_, open)| open.path.clone()).collect();
    assert_eq!(open.len(), 2, "both files: {open:?}");
    assert_eq!(window.text(), "two\n\n", "the last one is in front");
    window.headless().drop_files(&[other.path().to_owned()]);
    window.rest();
    window.check_says("inner");
}
