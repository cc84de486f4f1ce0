//! What `@` names goes along with a message: found by its letters, chosen by keys, shown as chips.

use crate::chatting::{chat, chatting};
use crate::model::Model;
use crate::scratch::Scratch;
use crate::window::{Home, Window};

const CODE: &str = "def one():\n    return 1\n\n\nclass Engine:\n    def start(self):\n        return one()\n";

fn project() -> Scratch {
    let long = "line\n".repeat(400);
    Scratch::repository(&[("src/a.py", CODE), ("src/deep/b.py", "x = 1\n"), ("long.txt", &long)])
}

/// Types the letters of something, takes it, asks, and returns what the model was asked.
#[track_caller]
fn ask_with(window: &mut Window, model: &Model, letters: &str, row: &str) -> String {
    model.says("I see.");
    window.keys(&format!("'See @{letters}'"));
    window.check_says(row);
    window.click(row);
    window.keys("'please' Enter");
    model.last_asked()
}

#[test]
fn a_symbol_goes_along_with_its_body_and_nothing_else_of_its_file() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let mut window = chatting(&home, &repo);
    let asked = ask_with(&mut window, &model, "start", "Engine.start, src/a.py, function");
    assert!(asked.contains("[Engine.start in src/a.py, lines 6-7]"), "{asked}");
    assert!(asked.contains("return one()") && !asked.contains("return 1"), "{asked}");
    window.check_says("See Engine.start please");
}

#[test]
fn a_selection_is_found_by_what_it_is_and_keeps_its_name_in_a_sentence() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let mut window = Window::on(&home, &[&repo.file("src/a.py"), repo.path()]);
    window.keys("Ctrl+Home Shift+Down Shift+Down Ctrl+Alt+I 'Why does @selec' Enter 'give one?'");
    assert_eq!(chat(&window).draft.text, "Why does src/a.py 1-2 give one?", "of the third line nothing is selected");
    model.says("I see.");
    window.keys("Enter");
    assert!(model.last_asked().contains("return 1"), "{}", model.last_asked());
}

#[test]
fn a_commit_goes_along_with_its_message_and_what_it_did() {
    let (home, repo) = (Home::new(), project());
    repo.write("src/a.py", &CODE.replace("return 1", "return 11"));
    repo.git(&["commit", "-qam", "Count from eleven\n\nBecause one was too few."]);
    let model = Model::of(&home);
    let mut window = chatting(&home, &repo);
    window.keys("'@eleven'");
    let row = window.names().into_iter().find(|name| name.starts_with("Count from eleven,")).expect("it is listed");
    window.click(&row);
    model.says("I see.");
    window.keys("'Why?' Enter");
    let asked = model.last_asked();
    for part in ["Because one was too few.", "-    return 1", "+    return 11", "1 file changed"] {
        assert!(asked.contains(part), "{part} is not in {asked}");
    }
}

#[test]
fn an_earlier_conversation_goes_along_with_what_was_said_in_it() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    model.says("Forty-one, of course.");
    let mut window = chatting(&home, &repo);
    window.keys("'Which number is it' Enter Ctrl+Alt+N '@which'");
    let row = window.names().into_iter().find(|name| name.starts_with("Which number is it,")).expect("it is listed");
    window.click(&row);
    model.says("I see.");
    window.keys("'Go on from there' Enter");
    let asked = model.last_asked();
    assert!(asked.contains("an earlier conversation") && asked.contains("Forty-one, of course."), "{asked}");
}

#[test]
fn a_folder_goes_along_as_what_is_in_it() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let mut window = chatting(&home, &repo);
    let asked = ask_with(&mut window, &model, "deep", "deep, src");
    assert!(asked.contains("[folder src/deep]") && asked.contains("src/deep/b.py"), "{asked}");
}

#[test]
fn the_list_and_the_chips_are_driven_by_keys_alone() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let mut window = chatting(&home, &repo);
    window.keys("'@'");
    for heading in ["Files", "Commits"] {
        window.check_says(heading);
    }
    window.keys("Escape");
    assert!(!window.says("Commits"), "it is put away");
    window.keys("Backspace '@long' Enter '@a.py' Enter");
    let labels = |window: &Window| {
        let draft = &chat(window).draft;
        draft.with_pins().into_iter().map(|(what, pin)| (what.label().into_owned(), pin)).collect::<Vec<_>>()
    };
    assert_eq!(labels(&window), [("long.txt".to_owned(), false), ("src/a.py".to_owned(), false)]);
    window.check_says("long.txt, summary,");
    window.check_says("src/a.py, whole,");

    // To the last chip, from there to the first, which is pinned; then the last is taken away.
    window.keys("Backspace Left Enter");
    window.check_says("long.txt, summary, 10");
    assert_eq!(labels(&window)[0], ("long.txt".to_owned(), true));
    window.keys("Right Delete");
    assert_eq!(labels(&window), [("long.txt".to_owned(), true)]);
    window.keys("Escape 'Still here'");
    assert_eq!(chat(&window).draft.text, "Still here", "the keyboard is back at the message");
    model.says("Yes.");
    window.keys("Enter");
    assert!(model.last_asked().contains("long.txt has 400 lines"));
}

#[test]
fn what_is_gone_says_so_at_its_chip_and_does_not_go_along() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let mut window = chatting(&home, &repo);
    window.keys("'@start'");
    window.click("Engine.start, src/a.py, function");
    repo.write("src/a.py", "pass\n");
    model.says("Which one?");
    window.keys("'What does it do?' Enter");
    window.check_says("Engine.start in a.py does not go along: there is no `Engine.start` in src/a.py any more");
    assert!(!model.last_asked().contains("return one()"));
}
