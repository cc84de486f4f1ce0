//! Opening, editing, finding, saving.

use crate::scratch::{Scratch, numbered};
use crate::window::{Home, Window};

#[test]
fn a_file_is_opened_from_the_tree_edited_and_saved() {
    let folder = Scratch::folder(&[("notes.txt", "first\nsecond\n"), ("other.txt", "other\n")]);
    let mut window = Window::on(&Home::new(), &[folder.path()]);
    window.click("notes.txt");
    assert_eq!(window.text(), "first\nsecond\n\n");
    window.keys("Ctrl+End 'third' Ctrl+S");
    assert_eq!(folder.read("notes.txt"), "first\nsecond\nthird");
    assert_eq!(folder.read("other.txt"), "other\n");
}

#[test]
fn typing_undoing_and_redoing_is_seen_at_once() {
    let folder = Scratch::folder(&[("a.txt", "b\n")]);
    let mut window = Window::on(&Home::new(), &[&folder.file("a.txt")]);
    window.keys("'a'");
    assert_eq!(window.text(), "ab\n\n");
    window.keys("Ctrl+Z");
    assert_eq!(window.text(), "b\n\n");
    window.keys("Ctrl+Shift+Z");
    assert_eq!(window.text(), "ab\n\n");
    assert_eq!(folder.read("a.txt"), "b\n", "nothing is written unasked");
}

#[test]
fn the_clipboard_takes_a_line_along() {
    let folder = Scratch::folder(&[("a.txt", "one\ntwo\n")]);
    let mut window = Window::on(&Home::new(), &[&folder.file("a.txt")]);
    window.keys("Ctrl+C");
    assert_eq!(window.headless().clipboard(), "one\n");
    window.keys("Down Down Ctrl+V");
    assert_eq!(window.text(), "one\ntwo\none\n\n");
}

#[test]
fn find_goes_from_match_to_match() {
    let folder = Scratch::folder(&[("a.txt", "needle\nhay\nneedle\n")]);
    let mut window = Window::on(&Home::new(), &[&folder.file("a.txt")]);
    window.keys("Ctrl+F 'needle' Enter");
    assert_eq!(window.caret_line(), 3);
    window.keys("Shift+Enter Escape");
    assert_eq!(window.caret_line(), 1);
}

#[test]
fn a_place_on_the_command_line_is_where_the_caret_is() {
    use recto::app::Startup;
    use recto::commands::Place;
    let folder = Scratch::folder(&[("a.txt", &numbered(500, &[]))]);
    let paths = vec![(folder.file("a.txt"), Some(Place { line: 300, column: 6 }))];
    let mut window = Window::start(&Home::new(), Startup { paths, ..Startup::default() });
    window.keys("'X'");
    assert!(window.text().contains("line X300\n"), "{}", window.text());
}

#[test]
fn a_missing_file_says_so() {
    let folder = Scratch::folder(&[]);
    let window = Window::on(&Home::new(), &[&folder.file("gone.txt")]);
    window.check_says("gone.txt");
    assert!(window.text().is_empty());
}
