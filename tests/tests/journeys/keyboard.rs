//! What is done without a pointer: the page of models, what an agent asks.

use egui_kittest::kittest::{NodeT as _, Queryable as _};

use crate::chatting::{chatting, project, wait};
use crate::model::Model;
use crate::window::{Home, Window};

/// The name of what has the keyboard.
fn focused(window: &Window) -> String {
    let mut found = window.query_all_by(|node| node.is_focused() && node.label().is_some());
    found.next().and_then(|node| node.accesskit_node().label()).unwrap_or_default()
}

/// Presses Tab until something has the keyboard.
#[track_caller]
fn tab_to(window: &mut Window, name: &str) {
    let mut passed = Vec::new();
    for _ in 0..80 {
        let here = focused(window);
        if here == name {
            return;
        }
        passed.push(here);
        window.keys("Tab");
    }
    panic!("{name} is not among {passed:?}");
}

fn file(home: &Home) -> String {
    std::fs::read_to_string(home.paths().models()).unwrap_or_default()
}

#[test]
fn a_model_is_changed_on_its_page_by_keys_alone() {
    let (home, repo) = (Home::new(), project());
    let _model = Model::of(&home);
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("Ctrl+Shift+P 'Models and Servers' Enter");
    tab_to(&mut window, "Edit scripted");
    window.keys("Enter");
    assert_eq!(focused(&window), "Name", "what is opened can be typed into");
    window.keys("Ctrl+A 'mine'");
    tab_to(&mut window, "Actions: Automatic");
    window.keys("Enter");
    assert_eq!(focused(&window), "Automatic", "the keyboard is in the menu");
    window.keys("Down Enter");
    assert_eq!(focused(&window), "Actions: Tags in the text", "and back at its button");
    tab_to(&mut window, "Save model");
    window.keys("Enter");
    let written = file(&home);
    assert!(written.contains("[models.mine]") && written.contains("protocol = \"text\""), "{written}");
    assert_eq!(focused(&window), "Edit mine", "one goes on where the form was opened");

    window.keys("Enter 'x' Escape");
    assert!(!window.says("Save model"), "Escape puts the form away");
    assert_eq!(focused(&window), "Edit mine");
    assert_eq!(file(&home), written);
    tab_to(&mut window, "Add a server");
    window.keys("Enter");
    assert_eq!(focused(&window), "Address");
}

#[test]
fn what_the_agent_asks_is_answered_by_keys_alone() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    model.says("<delete_file path=\"b.txt\"/>");
    model.says("As you like. <done/>");
    let mut window = chatting(&home, &repo);
    window.keys("'Remove it' Enter");
    wait(&mut window, "question", |chat| chat.asked.is_some());
    window.rest();
    assert_eq!(focused(&window), "Allow once");
    window.keys("Shift+Tab");
    assert_eq!(focused(&window), "Comment");
    window.keys("'It is needed' Enter");
    wait(&mut window, "end", |chat| chat.running.is_none());
    window.rest();
    assert!(model.last_asked().contains("not permitted: It is needed"), "{}", model.last_asked());
    assert!(repo.file("b.txt").exists());
}
