//! What stands around a conversation: questions and their answers, what is being written, drafts, the list of past ones.

use std::time::Duration;

use crate::chatting::{chat, chatting, project, wait};
use crate::model::Model;
use crate::scratch::Scratch;
use crate::window::{Home, Window};

/// Asks for something that is asked about, and waits for the question.
fn asked(window: &mut Window, message: &str) {
    window.type_only(&format!("'{message}' Enter"));
    wait(window, "question", |chat| chat.asked.is_some());
    window.look();
}

/// Presses a letter of the card, once it was seen.
fn press(window: &mut Window, letter: &str) {
    window.type_only(letter); // it was on its way
    assert!(chat(window).asked.is_some());
    window.headless().pass(Duration::from_secs(1));
    window.type_only(letter);
}

/// Waits for the end of a run.
fn ended(window: &mut Window) {
    wait(window, "end", |chat| chat.running.is_none());
    window.rest();
}

#[test]
fn what_is_allowed_for_good_is_not_asked_in_another_conversation() {
    let home = Home::new();
    let repo = Scratch::repository(&[("old/a.txt", "a\n"), ("old/b.txt", "b\n"), ("c.txt", "c\n")]);
    let model = Model::of(&home);
    model.says("<delete_file path=\"old/a.txt\"/>");
    model.says("<done/>");
    let mut window = chatting(&home, &repo);
    asked(&mut window, "Clear up");
    window.check_says("-a");
    window.check_says("Session and always cover deleting files in old/ and below.");
    press(&mut window, "a");
    ended(&mut window);
    window.check_says("Delete old/a.txt, done");
    let kept = std::fs::read_to_string(home.paths().config.join("permissions.toml")).unwrap();
    assert!(kept.contains("kind = \"delete\"\nfolder = \"old\"\n"), "{kept}");
    window.exit();

    model.says("<delete_file path=\"old/b.txt\"/>");
    model.says("<delete_file path=\"c.txt\"/>");
    model.says("<done/>");
    let mut window = chatting(&home, &repo);
    asked(&mut window, "And more");
    assert!(!repo.file("old/b.txt").exists(), "it was not asked");
    window.check_says("deleting files anywhere in the project");
    window.type_only("Escape");
    ended(&mut window);
    assert_eq!(repo.read("c.txt"), "c\n", "another folder is");
}

#[test]
fn what_is_allowed_for_the_session_is_asked_once_in_it() {
    let home = Home::new();
    let repo = Scratch::repository(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
    let model = Model::of(&home);
    model.says("<delete_file path=\"a.txt\"/>");
    model.says("<delete_file path=\"b.txt\"/>");
    model.says("<done/>");
    let mut window = chatting(&home, &repo);
    asked(&mut window, "Clear up");
    press(&mut window, "s");
    ended(&mut window);
    assert!(!repo.file("a.txt").exists() && !repo.file("b.txt").exists());
    assert!(!home.paths().config.join("permissions.toml").exists());
}

#[test]
fn a_refusal_with_a_comment_tells_it_to_the_model_and_to_the_reader() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    model.says("<delete_file path=\"b.txt\"/>");
    model.says("As you like. <done/>");
    let mut window = chatting(&home, &repo);
    asked(&mut window, "Remove b.txt");
    let at = window.place("Comment").center();
    window.headless().click(at);
    window.type_only("'empty it instead' Enter");
    ended(&mut window);
    assert!(model.last_asked().contains("not permitted: empty it instead"), "{}", model.last_asked());
    assert_eq!(repo.read("b.txt"), "left alone\n");
    window.check_says("Delete b.txt, failed");
}

#[test]
fn letters_of_a_message_that_is_being_written_are_no_answer() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let held = model.begins("I see, so ");
    model.says("As you like. <done/>");
    let mut window = chatting(&home, &repo);
    window.type_only("'Clear up' Enter");
    wait(&mut window, "text", |chat| format!("{:?}", chat.transcript.entries()).contains("I see"));
    window.type_only("'And then'");
    held.send("it goes.\n<delete_file path=\"b.txt\"/>".to_owned()).unwrap();
    wait(&mut window, "question", |chat| chat.asked.is_some());
    window.look();
    window.type_only("' a last thing'");
    assert_eq!(chat(&window).draft.text, "And then a last thing");
    assert!(chat(&window).asked.is_some() && repo.file("b.txt").exists());
    window.type_only("Enter");
    window.look();
    window.type_only("Escape");
    ended(&mut window);
    assert!(repo.file("b.txt").exists(), "with the message sent, the card has the keyboard");
}

#[test]
fn an_edit_is_asked_about_where_that_is_wanted() {
    let (home, repo) = (Home::new().settings("[chat]\nask-edits = true\n"), project());
    let model = Model::of(&home);
    model.says("<edit_file path=\"a.txt\">\n<<<<<<< SEARCH\none\n=======\nONE\n>>>>>>> REPLACE\n</edit_file>\n<done/>");
    let mut window = chatting(&home, &repo);
    asked(&mut window, "Capitals");
    window.check_says("Edit a.txt");
    window.check_says("+ONE");
    assert!(repo.read("a.txt").starts_with("one\n"));
    window.type_only("Enter");
    ended(&mut window);
    assert!(repo.read("a.txt").starts_with("ONE\n"));
}

#[test]
fn an_edit_is_shown_while_it_is_written() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let rest = model.begins("<edit_file path=\"a.txt\">\n<<<<<<< SEARCH\none\n=======\nONE\nand more\n");
    let mut window = chatting(&home, &repo);
    window.type_only("'Capitals' Enter");
    wait(&mut window, "edit", |chat| format!("{:?}", chat.transcript.entries()).contains("and more"));
    window.check_says("Writes a.txt");
    rest.send(">>>>>>> REPLACE\n</edit_file>\n<done/>".to_owned()).unwrap();
    window.rest();
    assert!(!window.says("Writes a.txt"));
    window.check_says("Edit a.txt, done");
}

#[test]
fn a_message_that_was_not_sent_is_there_after_a_restart() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    model.says("Hello. <done/>");
    let mut window = chatting(&home, &repo);
    window.keys("'Good morning' Enter");
    window.keys("'Half a thought about @b.t' Enter");
    window.click("New conversation");
    window.keys("'Another one'");
    window.exit();

    let mut window = chatting(&home, &repo);
    assert_eq!(chat(&window).draft.text, "Another one");
    window.click("Past conversations");
    let past = window.names().into_iter().find(|name| name.starts_with("Good morning")).expect("it is listed");
    window.click(&past);
    assert_eq!(chat(&window).draft.text.trim(), "Half a thought about b.txt");
    window.check_says("Remove b.txt");
}

#[test]
fn a_past_conversation_gets_another_name_and_is_put_away() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    model.says("Hello. <done/>");
    let mut window = chatting(&home, &repo);
    window.keys("'Good morning' Enter");
    window.click("Past conversations");
    let row = |window: &Window, name: &str| window.names().into_iter().find(|one| one.starts_with(name));
    let past = row(&window, "Good morning").expect("it is listed");
    let at = window.place(&past).center();
    window.point_at(at);
    window.click("Rename Good morning");
    window.keys("Ctrl+A 'Greetings' Enter");
    assert_eq!(row(&window, "Good morning"), None);
    let past = row(&window, "Greetings").expect("it is listed by its new name");

    let at = window.place(&past).center();
    window.point_at(at);
    window.click("Archive Greetings");
    assert_eq!(row(&window, "Greetings"), None);
    window.click("Show archived conversations");
    assert!(row(&window, "Greetings").is_some_and(|name| name.contains("archived")));
}

#[test]
fn a_command_of_ones_own_asks_what_its_file_says() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let folder = home.paths().config.join("commands");
    std::fs::create_dir_all(&folder).unwrap();
    let text = "---\ndescription: explains a file\nmode: ask\n---\nExplain $ARGUMENTS to a beginner.\n";
    std::fs::write(folder.join("explain.md"), text).unwrap();
    let mut window = chatting(&home, &repo);
    window.keys("'/exp'");
    window.check_says("/explain");
    window.keys("Enter 'a.txt' Enter");
    assert!(model.last_asked().contains("Explain a.txt to a beginner."), "{}", model.last_asked());
    window.check_says("Mode: Ask");
}

#[test]
fn a_model_that_reasons_is_told_how_much() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let file = std::fs::read_to_string(home.paths().models()).unwrap();
    std::fs::write(home.paths().models(), file + "capabilities = [\"chat\", \"reasoning\"]\n").unwrap();
    let mut window = chatting(&home, &repo);
    window.keys("'One' Enter");
    assert!(!model.last_asked().contains("reasoning_effort"));
    window.click("Thinking: as the model does by itself");
    window.click("Thinks a little");
    window.keys("Ctrl+Alt+I 'Two' Enter");
    assert!(model.last_asked().contains("\"reasoning_effort\":\"low\""), "{}", model.last_asked());
}

#[test]
fn what_can_go_along_is_gathered_when_it_is_another_one_only() {
    let (home, repo) = (Home::new(), project());
    let _model = Model::of(&home);
    let mut window = Window::on(&home, &[&repo.file("a.txt"), repo.path()]);
    window.keys("Ctrl+Alt+I");
    let gathered = |window: &Window| {
        let things = &window.app().state.chats.things;
        (things.as_ptr(), things.iter().map(|thing| thing.label().into_owned()).collect::<Vec<_>>())
    };
    let (before, labels) = gathered(&window);
    assert_eq!(labels, ["a.txt", "changes that are not committed"]);
    window.look();
    window.keys("'x'");
    assert_eq!(gathered(&window).0, before, "nothing was gathered for frames and letters");
    window.keys("Escape Down Shift+Down");
    assert_eq!(gathered(&window).1[0], "a.txt 2");
}

#[test]
fn a_review_beside_the_chat_has_room_for_what_is_compared() {
    let (home, repo) = (Home::new(), project());
    let _model = Model::of(&home);
    repo.write("b.txt", "changed\n");
    let mut window = chatting(&home, &repo);
    let (compared, shown) = (window.place("Reviewed: working tree"), window.place("How it is shown"));
    assert!(compared.right() < shown.left(), "{compared:?} {shown:?}");
    window.click("How it is shown");
    window.click("Unified");
    assert_eq!(window.review().page.layout(), diff::plan::Layout::Unified);
}
