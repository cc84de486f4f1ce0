//! Code that an answer shows, put into files: as a change to review, never silently.

use crate::chatting::{chat, chatting, project};
use crate::model::Model;
use crate::scratch::Scratch;
use crate::window::{Home, Window};

const CODE: &str = "def one():\n    return 1\n\n\ndef two():\n    return 2\n";

fn asked(home: &Home, repo: &Scratch, answer: &str) -> (Model, Window) {
    let model = Model::of(home);
    model.says(answer);
    let mut window = chatting(home, repo);
    window.click("Mode: Agent");
    window.click("Ask");
    window.keys("Ctrl+Alt+I 'How?' Enter");
    (model, window)
}

/// Moves the pointer onto a block of code and presses what it offers there.
fn press_on_code(window: &mut Window, answer: &str, button: &str) {
    let place = window.place(answer.trim());
    window.point_at(place.center_bottom() - eframe::egui::vec2(0.0, 12.0));
    window.click(button);
}

#[test]
fn code_for_a_named_file_is_reviewed_and_rejected() {
    let (home, repo) = (Home::new(), Scratch::repository(&[("src/a.py", CODE)]));
    let answer = "Change `src/a.py`:\n\n```python\ndef two():\n    return 22\n```";
    let (model, mut window) = asked(&home, &repo, answer);
    press_on_code(&mut window, answer, "Apply to src/a.py");
    assert_eq!(repo.read("src/a.py"), CODE.replace("return 2\n", "return 22\n"), "the rest of the file stays");
    assert_eq!(window.counts(), (1, 1), "the change is shown");
    window.check_says("1 file");
    window.check_says("Edit src/a.py, done");
    window.keys("j Shift+D");
    assert_eq!(repo.read("src/a.py"), CODE, "it is rejected like any change");

    model.says("I see.");
    window.keys("Ctrl+Alt+I 'And now?' Enter");
    let asked = model.last_asked();
    assert!(asked.contains("has put code of your answer into src/a.py"), "{asked}");
    assert!(asked.contains("your change was rejected"), "{asked}");
}

#[test]
fn code_without_a_name_is_for_the_file_in_front_and_is_taken_back() {
    let (home, repo) = (Home::new(), Scratch::repository(&[("src/a.py", CODE), ("b.txt", "b\n")]));
    let model = Model::of(&home);
    let answer = "Like this:\n\n```python\ndef one():\n    return 11\n```";
    model.says(answer);
    let mut window = Window::on(&home, &[&repo.file("src/a.py"), repo.path()]);
    window.keys("Ctrl+Alt+I");
    window.click("Mode: Agent");
    window.click("Ask");
    window.keys("Ctrl+Alt+I 'How?' Enter");
    window.keys("Ctrl+Shift+P 'Apply Code of the Answer' Enter");
    assert!(repo.read("src/a.py").contains("return 11"), "{}", repo.read("src/a.py"));
    window.click("Undo all");
    assert_eq!(repo.read("src/a.py"), CODE);
    window.click("Undo");
    assert!(repo.read("src/a.py").contains("return 11"));
}

#[test]
fn what_cannot_be_applied_says_why_and_what_only_shows_something_offers_nothing() {
    let (home, repo) = (Home::new(), project());
    let answer = "In `a.txt`, change this:\n\n```\nsomething\n```";
    let (_, mut window) = asked(&home, &repo, answer);
    press_on_code(&mut window, answer, "Apply to a.txt");
    window.check_says("The code was not put into a.txt");
    assert!(repo.read("a.txt").starts_with("one\n"));
    assert!(chat(&window).changes.is_empty());

    let answer = "Run this:\n\n```sh\nls\n```";
    let (_, mut window) = asked(&home, &repo, answer);
    let place = window.place(answer);
    window.point_at(place.center_bottom() - eframe::egui::vec2(0.0, 12.0));
    window.check_says("Copy code");
    assert!(!window.says("Apply to"));
}
