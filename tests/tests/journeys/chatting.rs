//! Conversations with a model: asked, answered, edited, refused, stopped, broken off, taken back, taken up again.

use recto::state::chats::Chat;

use crate::model::Model;
use crate::scratch::Scratch;
use crate::window::{Home, Window};

pub fn project() -> Scratch {
    Scratch::repository(&[
        ("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"),
        ("b.txt", "left alone\n"),
    ])
}

/// A window on a project, with a model and the chat shown.
pub fn chatting(home: &Home, repo: &Scratch) -> Window {
    let mut window = Window::on(home, &[repo.path()]);
    window.keys("Ctrl+Alt+I");
    window
}

pub fn chat(window: &Window) -> &Chat {
    let chats = &window.app().state.chats;
    chats.current.and_then(|id| chats.get(id)).expect("no conversation is shown")
}

/// Runs frames until something holds of the conversation.
#[track_caller]
pub fn wait(window: &mut Window, wanted: &str, done: impl Fn(&Chat) -> bool) {
    window.wait(wanted, |app| {
        let chats = &app.state.chats;
        chats.current.and_then(|id| chats.get(id)).is_some_and(&done)
    });
}

/// An edit of two places that are far from each other.
fn two_edits() -> &'static str {
    "<edit_file path=\"a.txt\">\n<<<<<<< SEARCH\none\n=======\nONE\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nten\n=======\nTEN\n>>>>>>> REPLACE\n</edit_file>\n<done/>"
}

#[test]
fn a_selection_is_asked_about_and_goes_along() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    model.says("It is **the second** line.");
    let mut window = Window::on(&home, &[&repo.file("a.txt"), repo.path()]);
    window.keys("Down Shift+Down Ctrl+Alt+L");
    window.check_says("Remove a.txt 2");
    window.keys("'What is this?' Enter");
    window.check_says("It is **the second** line.");
    let asked = model.last_asked();
    assert!(asked.contains("What is this?") && asked.contains("[a.txt 2]") && asked.contains("two\\n"), "{asked}");
    window.check_says("1.0k of 16k · 90 % cached");
    assert!(chat(&window).running.is_none());
}

#[test]
fn a_file_that_is_named_by_its_letters_goes_along() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    model.says("Nothing. <done/>");
    let mut window = chatting(&home, &repo);
    window.keys("'What is in @b.t' Enter");
    window.check_says("Remove b.txt");
    window.keys("Enter");
    assert!(model.last_asked().contains("left alone"));
    window.check_says("What is in");
}

#[test]
fn an_edit_is_accepted_in_part_and_the_next_request_tells_what_was_rejected() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    model.says(two_edits());
    let mut window = chatting(&home, &repo);
    window.keys("'Capitals in a.txt' Enter");
    assert!(repo.read("a.txt").starts_with("ONE\n") && repo.read("a.txt").ends_with("TEN\n"));
    window.check_says("Edit a.txt, done");
    window.check_says("1 file");

    window.click("Review changes");
    assert_eq!(window.counts(), (2, 2));
    window.keys("j s");
    assert_eq!(window.counts(), (1, 1), "what is accepted is no change any more");
    window.keys("j Shift+D");
    assert_eq!(window.counts(), (0, 0));
    assert!(repo.read("a.txt").starts_with("ONE\n") && repo.read("a.txt").ends_with("ten\n"), "{}", repo.read("a.txt"));
    assert!(!window.says("Keep all"), "nothing is left to be decided on");

    model.says("I see. <done/>");
    window.keys("Ctrl+Alt+I 'And now?' Enter");
    window.check_says("I see.");
    let asked = model.last_asked();
    assert!(asked.contains("a.txt was changed by the user after your edit") && asked.contains("-TEN"), "{asked}");
}

#[test]
fn all_changes_are_taken_back_and_brought_back() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    model.says(two_edits());
    let mut window = chatting(&home, &repo);
    window.keys("'Capitals in a.txt' Enter");
    window.click("Undo all");
    assert!(repo.read("a.txt").starts_with("one\n"));
    assert!(!window.says("Undo all"), "nothing is left to be taken back");
    window.click("Undo");
    assert!(repo.read("a.txt").starts_with("ONE\n"));
    window.click("Keep all");
    assert!(!window.says("Keep all"));
    assert!(repo.read("a.txt").starts_with("ONE\n"), "what is kept stays");
}

#[test]
fn a_deletion_is_asked_about_and_refused() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    model.says("<delete_file path=\"b.txt\"/>");
    model.says("As you like. <done/>");
    let mut window = chatting(&home, &repo);
    window.keys("'Remove b.txt' Enter");
    wait(&mut window, "question", |chat| chat.asked.is_some());
    window.rest();
    window.check_says("Delete b.txt, waits for your answer");
    window.check_says("-left alone");
    window.check_says("Allow once");
    window.click("Deny");
    wait(&mut window, "end", |chat| chat.running.is_none());
    window.rest();
    assert_eq!(repo.read("b.txt"), "left alone\n");
    assert_eq!(model.asked().len(), 2, "the refusal is an ordinary result");
    assert!(model.last_asked().contains("not permitted"), "{}", model.last_asked());
    window.check_says("Delete b.txt, failed");
    window.check_says("As you like.");
    assert!(!window.says("Allow once") && !window.says("Keep all"));
}

#[test]
fn a_run_is_stopped_in_the_middle_of_a_reply_and_goes_on() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let _held = model.begins("I begin to thi");
    let mut window = chatting(&home, &repo);
    window.type_only("'Think' Enter");
    wait(&mut window, "text", |chat| format!("{:?}", chat.transcript.entries()).contains("I begin to"));
    window.type_only("Escape");
    wait(&mut window, "end", |chat| chat.running.is_none());
    window.rest();
    window.check_says("Stopped.");
    window.check_says("I begin to");
    model.says("Here I am again.");
    window.click("Continue");
    window.check_says("Here I am again.");
}

#[test]
fn a_server_that_dies_in_the_middle_is_told_and_the_same_is_asked_again() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let held = model.begins("I look at the fi");
    (0..4).for_each(|_| drop(model.begins(""))); // and it does not come back
    let mut window = chatting(&home, &repo);
    window.type_only("'Are you there?' Enter");
    wait(&mut window, "text", |chat| format!("{:?}", chat.transcript.entries()).contains("I look at"));
    drop(held);
    wait(&mut window, "end", |chat| chat.running.is_none());
    window.rest();
    window.check_says("I look at");
    window.check_says("Try again");
    model.forgets();
    model.says("Now I am. <done/>");
    window.click("Try again");
    window.check_says("Now I am.");
    assert!(model.last_asked().contains("Are you there?"));
    let prompts = chat(&window).sent().count();
    assert_eq!(prompts, 1, "what failed was taken back");
}

#[test]
fn files_alone_are_taken_back_by_the_menu_of_a_message() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    model.says(two_edits());
    let mut window = chatting(&home, &repo);
    window.keys("'Capitals in a.txt' Enter");
    let at = window.place("Capitals in a.txt").center();
    window.point_at(at);
    window.click("Rewind to here");
    window.click("Take back files only");
    assert!(repo.read("a.txt").starts_with("one\n"), "{}", repo.read("a.txt"));
    window.check_says("Edit a.txt, done");
    window.click("Undo");
    assert!(repo.read("a.txt").starts_with("ONE\n"), "{}", repo.read("a.txt"));
}

#[test]
fn an_answer_that_broke_off_is_no_answer() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let mut window = chatting(&home, &repo);
    window.click("Mode: Agent");
    window.click("Ask");
    let held = model.begins("The first half, ");
    model.says("and the second.");
    window.type_only("'What is it?' Enter");
    wait(&mut window, "text", |chat| format!("{:?}", chat.transcript.entries()).contains("The first half"));
    drop(held);
    wait(&mut window, "end", |chat| chat.running.is_none());
    window.rest();
    window.check_says("and the second.");
    assert!(model.last_asked().contains("broke off in the middle"), "a server that is there goes on");

    let held = model.begins("Another half, ");
    (0..4).for_each(|_| drop(model.begins("")));
    window.type_only("'And then?' Enter");
    wait(&mut window, "text", |chat| format!("{:?}", chat.transcript.entries()).contains("Another half"));
    drop(held);
    wait(&mut window, "end", |chat| chat.running.is_none());
    window.rest();
    window.check_says("Another half,");
    window.check_says("Try again");
}

#[test]
fn a_conversation_that_is_too_long_says_so() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    (0..4).for_each(|_| model.overflows());
    let mut window = chatting(&home, &repo);
    window.keys("'Much' Enter");
    window.check_says("The conversation no longer fits the model");
    window.check_says("Try again");
    assert!(chat(&window).running.is_none());
    window.keys("'Something shorter' Enter");
    assert!(model.last_asked().contains("Something shorter"), "it goes on");
}

#[test]
fn a_message_is_taken_back_with_what_it_did_and_that_is_undone() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    model.says("Hello. <done/>");
    model.says(two_edits());
    let mut window = chatting(&home, &repo);
    window.keys("'Good morning' Enter");
    window.keys("'Capitals in a.txt' Enter");
    assert!(repo.read("a.txt").starts_with("ONE\n"));

    let at = window.place("Capitals in a.txt").center();
    window.point_at(at);
    window.click("Edit and send again");
    assert!(repo.read("a.txt").starts_with("one\n"), "the file is as it was");
    assert_eq!(chat(&window).draft.text, "Capitals in a.txt", "the message can be written anew");
    assert_eq!(chat(&window).sent().collect::<Vec<_>>(), ["Good morning"]);

    window.check_says("The conversation was taken back. a.txt is as it was.");
    assert!(!window.says("Edit a.txt, done") && !window.says("Keep all"), "it did not happen");

    window.click("Undo");
    assert!(repo.read("a.txt").starts_with("ONE\n"));
    assert_eq!(chat(&window).sent().count(), 2);
    window.check_says("It is as it was before it was taken back.");
    window.check_says("Edit a.txt, done");
    window.check_says("Keep all");
}

#[test]
fn a_window_that_was_closed_in_the_middle_of_a_run_shows_it_and_goes_on() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let held = model.begins("Half a repl");
    let mut window = chatting(&home, &repo);
    window.type_only("'Tell me' Enter");
    wait(&mut window, "text", |chat| format!("{:?}", chat.transcript.entries()).contains("Half a"));
    window.exit();
    drop(held);

    model.says("And the other half. <done/>");
    let mut window = chatting(&home, &repo);
    window.click("Past conversations");
    let past = window.names().into_iter().find(|name| name.starts_with("Tell me")).expect("it is listed");
    window.click(&past);
    window.check_says("Half a repl");
    window.click("Continue");
    window.check_says("And the other half.");
}

#[test]
fn what_a_run_had_done_when_its_process_ended_is_there_after_a_restart() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    model.says(two_edits().trim_end_matches("<done/>"));
    let _held = model.begins("And now I ");
    let mut window = chatting(&home, &repo);
    window.type_only("'Capitals in a.txt' Enter");
    wait(&mut window, "text", |chat| format!("{:?}", chat.transcript.entries()).contains("And now"));

    // The run of the first never ends: for the second it is as if it had been killed.
    let mut again = chatting(&home, &repo);
    again.click("Past conversations");
    let past = again.names().into_iter().find(|name| name.starts_with("Capitals")).expect("it is listed");
    again.click(&past);
    again.check_says("The window was closed in the middle of this run. What it had done is kept.");
    again.check_says("Edit a.txt, done");
    again.check_says("And now");
    again.check_says("1 file");
    again.click("Undo all");
    again.check_says("2 changes were taken back, in a.txt.");
    assert!(repo.read("a.txt").starts_with("one\n"));
}

#[test]
fn a_message_that_is_sent_meanwhile_waits_for_its_turn() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let held = model.begins("One");
    model.says("Two. <done/>");
    let mut window = chatting(&home, &repo);
    window.type_only("'First' Enter");
    wait(&mut window, "text", |chat| format!("{:?}", chat.transcript.entries()).contains("One"));
    window.type_only("'Second' Enter");
    window.look();
    window.check_says("Waits to be sent: Second");
    held.send(" is done. <done/>".to_owned()).unwrap();
    window.rest();
    window.check_says("Two.");
    assert_eq!(chat(&window).sent().collect::<Vec<_>>(), ["Second", "First"]);
}

#[test]
fn a_plan_is_made_and_then_carried_out() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    model.says("1. Put capitals into a.txt.");
    model.says(two_edits());
    let mut window = chatting(&home, &repo);
    window.click("Mode: Agent");
    window.click("Plan");
    window.keys("Ctrl+Alt+I 'Plan it' Enter");
    window.check_says("1. Put capitals into a.txt.");
    assert!(repo.read("a.txt").starts_with("one\n"));
    assert!(!window.says("Keep all"), "a plan changes nothing");
    window.click("Carry out this plan");
    assert!(repo.read("a.txt").starts_with("ONE\n"));
    assert!(model.last_asked().contains("1. Put capitals into a.txt."), "it has the plan before it");
    window.check_says("Mode: Agent");
    window.check_says("Edit a.txt, done");
    window.check_says("1 file");
}

#[test]
fn without_a_model_there_are_three_ways_to_one() {
    let (home, repo) = (Home::new(), project());
    // Nothing is set up, and whatever may answer on this machine is not asked in a test.
    std::fs::create_dir_all(&home.paths().config).unwrap();
    std::fs::write(home.paths().models(), "[models.x]\nprovider = \"none\"\n").unwrap();
    let window = chatting(&home, &repo);
    window.check_says("models.toml, line 1");
}

#[test]
fn the_conversation_that_was_shown_is_there_after_a_restart() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    model.says("Hello. <done/>");
    let mut window = chatting(&home, &repo);
    window.keys("'Good morning' Enter");
    window.exit();
    let mut window = Window::on(&home, &[repo.path()]);
    window.check_says("Good morning");
    window.check_says("Hello.");
    model.says("Hello again. <done/>");
    window.keys("Ctrl+Alt+I 'And now?' Enter");
    window.check_says("Hello again.");
    assert!(model.last_asked().contains("Good morning"), "it is the same conversation");
}
