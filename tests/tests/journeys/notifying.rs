//! What is told outside of the window while somebody does something else.

use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use crate::chatting::{chatting, project, wait};
use crate::model::Model;
use crate::scratch::Scratch;
use crate::window::{Home, Window};

/// What the desktop was told, once it was told so much: notifications go out on threads of their own.
#[track_caller]
fn told(window: &mut Window, count: usize) -> Vec<String> {
    let until = Instant::now() + Duration::from_mins(1);
    while window.headless().told().len() < count && Instant::now() < until {
        std::thread::yield_now();
    }
    window.headless().told().iter().map(|told| format!("{}: {}", told.title, told.text)).collect()
}

#[test]
fn the_desktop_says_that_a_run_waits_and_that_it_is_over_while_nobody_looks() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    model.says("<delete_file path=\"b.txt\"/>");
    model.says("As you like. <done/>");
    let mut window = chatting(&home, &repo);
    window.headless().focus(false);
    window.keys("'Remove it' Enter");
    wait(&mut window, "question", |chat| chat.asked.is_some());
    assert_eq!(told(&mut window, 1), ["The agent waits for an answer: delete b.txt"]);
    window.click("Deny");
    wait(&mut window, "end", |chat| chat.running.is_none());
    window.rest();
    let told = told(&mut window, 2);
    assert!(told[1].ends_with(": Remove it"), "{told:?}");
    window.check_says("The agent waits for an answer");
}

/// A window in which a conversation that has begun to answer is behind a new one; what it says next is sent.
fn behind_another(home: &Home, repo: &Scratch, model: &Model) -> (Window, SyncSender<String>) {
    let held = model.begins("I look at it.\n");
    let mut window = chatting(home, repo);
    window.type_only("'Remove it' Enter");
    wait(&mut window, "text", |chat| format!("{:?}", chat.transcript.entries()).contains("I look"));
    window.type_only("Ctrl+Alt+N");
    (window, held)
}

#[test]
fn a_window_that_nobody_sees_goes_on_and_comes_back_with_the_conversation_that_is_pressed() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let (mut window, held) = behind_another(&home, &repo, &model);
    window.headless().minimize(true);
    held.send("<delete_file path=\"b.txt\"/>".to_owned()).unwrap();
    window.wait_unseen("question", |app| app.state.chats.iter().any(|(_, chat)| chat.asked.is_some()));
    assert_eq!(told(&mut window, 1), ["The agent waits for an answer: delete b.txt"]);

    let told = window.headless().told().remove(0);
    told.press.pressed();
    window.wait_unseen("conversation", |app| {
        let chats = &app.state.chats;
        chats.current.and_then(|id| chats.get(id)).is_some_and(|chat| chat.asked.is_some())
    });
    assert!(!window.headless().is_minimized(), "the window is shown again");
    window.look();
    window.check_says("Allow once");
    window.type_only("Enter");
    wait(&mut window, "end", |chat| chat.running.is_none());
    assert!(!repo.file("b.txt").exists(), "what is asked has the keyboard");
}

#[test]
fn a_conversation_behind_another_says_that_it_waits() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let (mut window, held) = behind_another(&home, &repo, &model);
    held.send("<delete_file path=\"b.txt\"/>".to_owned()).unwrap();
    window.wait("question", |app| app.state.chats.iter().any(|(_, chat)| chat.asked.is_some()));
    window.check_says("The agent waits for an answer: delete b.txt");
    assert!(window.headless().told().is_empty(), "the window is looked at");
    window.click("Show");
    window.check_says("Allow once");
    window.type_only("Escape");
    wait(&mut window, "end", |chat| chat.running.is_none());
}

#[test]
fn the_desktop_is_left_alone_while_the_window_is_looked_at_or_when_it_is_not_wanted() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    model.says("Hello. <done/>");
    let mut window = chatting(&home, &repo);
    window.keys("'Hello' Enter");
    assert!(window.headless().told().is_empty());
    window.exit();

    let home = Home::new().settings("[chat]\nnotifications = false\n");
    let model = Model::of(&home);
    model.says("Hello. <done/>");
    let mut window = chatting(&home, &repo);
    window.headless().focus(false);
    window.keys("'Hello' Enter");
    window.check_says("Hello");
    assert!(window.headless().told().is_empty());
}
