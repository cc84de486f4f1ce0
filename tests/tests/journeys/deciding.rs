//! What an agent changed, decided on: in open editors, by line, in the review of the same; whose lines they are; and runs
//! compared with each other.

use std::time::Duration;

use recto::panes::Pane;
use recto::state::chats::Chat;

use crate::model::Model;
use crate::scratch::Scratch;
use crate::window::{Home, Window};

const TEN: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

fn project() -> Scratch {
    Scratch::repository(&[("a.txt", TEN), ("b.txt", "left\nalone\n")])
}

fn chat(window: &Window) -> &Chat {
    let chats = &window.app().state.chats;
    chats.current.and_then(|id| chats.get(id)).expect("no conversation is shown")
}

fn edit(path: &str, parts: &[(&str, &str)]) -> String {
    let part = |(old, new): &(&str, &str)| format!("<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n");
    let parts: String = parts.iter().map(part).collect();
    format!("<edit_file path=\"{path}\">\n{parts}</edit_file>\n<done/>")
}

/// A window with a.txt in an editor, in which a model changed three places.
fn edited(home: &Home, repo: &Scratch, model: &Model) -> Window {
    model.says(&edit("a.txt", &[("two", "TWO\nand more"), ("five\n", ""), ("nine", "NINE")]));
    let mut window = Window::on(home, &[&repo.file("a.txt"), repo.path()]);
    window.keys("Ctrl+Alt+I 'Change it' Enter");
    assert!(repo.read("a.txt").contains("NINE"), "{}", repo.read("a.txt"));
    window.look_at_files();
    to_editor(&mut window);
    window
}

/// The text of a.txt as its editor has it.
fn text(window: &Window, repo: &Scratch) -> String {
    let documents = &window.app().state.documents;
    let id = documents.find(&repo.file("a.txt")).expect("a.txt is not open");
    documents.get(id).unwrap().document.text().to_string()
}

/// Added and removed lines of the review in front.
fn counts(window: &Window) -> (u64, u64) {
    let Some(Pane::Review(pane)) = window.app().layout.active() else { panic!("no review is in front") };
    let (counts, missing) = window.app().state.reviews.get(pane.review).unwrap().page.counts();
    assert_eq!(missing, 0, "files are not counted");
    (counts.added, counts.removed)
}

/// Gives the keyboard to the editor.
fn to_editor(window: &mut Window) {
    let editor = window.app().layout.find(|pane| matches!(pane, Pane::Editor(_))).expect("no editor is open");
    window.act(recto::commands::Action::Activate(editor));
}

#[test]
fn changes_are_gone_through_and_decided_on_in_the_editor() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let mut window = edited(&home, &repo, &model);
    for mark in
        ["Lines changed by the agent at 2", "Lines removed by the agent at 6", "Lines changed by the agent at 9"]
    {
        window.check_says(mark);
    }
    window.keys("Ctrl+Home Alt+F5");
    assert_eq!(window.caret_line(), 2);
    window.check_says("Accept change");
    window.keys("Ctrl+Alt+Y");
    assert!(!window.says("agent at 2"), "what is accepted is no change any more");
    assert!(text(&window, &repo).contains("TWO\nand more"));

    window.keys("Alt+F5");
    assert_eq!(window.caret_line(), 6);
    window.click("Reject change");
    assert!(text(&window, &repo).contains("four\nfive\nsix"), "{}", text(&window, &repo));
    assert!(repo.read("a.txt").contains("four\nfive\nsix"), "what was saved is saved: {}", repo.read("a.txt"));
    window.keys("Alt+F5 Ctrl+Alt+R");
    assert!(text(&window, &repo).contains("\nnine\n"), "{}", text(&window, &repo));
    assert!(!window.says("by the agent at"), "everything was decided on");
    assert_eq!(chat(&window).changes, []);
    assert!(!window.says("Keep all"), "nothing is left to be kept");
    window.keys("Ctrl+Z");
    assert!(text(&window, &repo).contains("NINE"), "a rejection is an edit like any other");
    window.check_says("Keep all");
    window.keys("Ctrl+S");
    window.click("Review changes");
    assert_eq!(counts(&window), (1, 1), "it is a change to be decided on again");
}

#[test]
fn the_editor_and_the_review_decide_on_the_same() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let mut window = edited(&home, &repo, &model);
    window.click("Review changes");
    assert_eq!(counts(&window), (3, 3));
    window.keys("j s");
    to_editor(&mut window);
    assert!(!window.says("agent at 2"), "it was accepted in the review");
    window.keys("Ctrl+Home Alt+F5 Ctrl+Alt+Y");
    assert_eq!(window.counts(), (1, 1), "and the review has what was accepted in the editor");
    // The window is closed and the conversation taken up again: what was accepted is so still.
    window.exit();
    let mut window = Window::on(&home, &[&repo.file("a.txt"), repo.path()]);
    window.click("Past conversations");
    let past = window.names().into_iter().find(|name| name.starts_with("Change it")).expect("it is listed");
    window.click(&past);
    let left: Vec<_> =
        chat(&window).changes.iter().map(|file| (file.path.as_str(), file.added, file.removed)).collect();
    assert_eq!(left, [("a.txt", 1, 1)]);
}

#[test]
fn a_hunk_of_the_review_is_decided_on_with_the_pointer() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let mut window = edited(&home, &repo, &model);
    window.click("Review changes");
    window.keys("j");
    window.click("Reject hunk");
    assert!(text(&window, &repo).contains("one\ntwo\nthree"), "{}", text(&window, &repo));
    assert_eq!(counts(&window), (1, 2));
    window.keys("j");
    window.click("Accept hunk");
    assert_eq!(counts(&window), (1, 1), "the buttons lie over the text, which sees nothing of a press on them");
}

#[test]
fn what_was_accepted_stays_when_all_else_is_taken_back() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let mut window = edited(&home, &repo, &model);
    window.keys("Ctrl+Home Alt+F5 Ctrl+Alt+Y");
    window.click("Undo all");
    window.look_at_files();
    assert_eq!(repo.read("a.txt"), TEN.replace("two", "TWO\nand more"));
    window.check_says("2 changes were taken back, in a.txt. What you accepted stays.");
    assert!(!window.says("by the agent at") && !window.says("Undo all"), "all is decided on");
    assert_eq!(text(&window, &repo), repo.read("a.txt"));

    window.click("Undo");
    window.look_at_files();
    assert!(repo.read("a.txt").contains("NINE") && !repo.read("a.txt").contains("five"), "{}", repo.read("a.txt"));
    window.check_says("It is as it was before it was taken back.");
    window.check_says("Lines changed by the agent at 9");
    assert!(!window.says("agent at 2"), "it was accepted");

    // The model is told what came of it.
    window.click("Undo all");
    model.says("I see. <done/>");
    window.keys("Ctrl+Alt+I 'And now?' Enter");
    let asked = model.last_asked();
    assert!(asked.contains("a.txt was changed by the user after your edit") && asked.contains("-NINE"), "{asked}");
}

#[test]
fn changes_of_a_conversation_that_is_not_open_are_decided_on_in_the_editor() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    edited(&home, &repo, &model).exit();
    let mut window = Window::on(&home, &[&repo.file("a.txt"), repo.path()]);
    for mark in ["changed by the agent at 2", "removed by the agent at 6", "changed by the agent at 9"] {
        window.check_says(mark);
    }
    window.keys("Ctrl+Home Alt+F5 Ctrl+Alt+Y Alt+F5 Ctrl+Alt+R");
    assert!(text(&window, &repo).contains("TWO\nand more\nthree\nfour\nfive\n"), "{}", text(&window, &repo));
    assert!(!window.says("agent at 2") && !window.says("agent at 6"), "{:?}", window.names());
    window.check_says("changed by the agent at 10");
    // What somebody types is theirs.
    window.keys("Ctrl+End 'mine' Ctrl+S");
    window.exit();

    let mut window = Window::on(&home, &[&repo.file("a.txt"), repo.path()]);
    let marks: Vec<String> = window.names().into_iter().filter(|name| name.contains("by the agent at")).collect();
    assert!(marks.iter().all(|mark| mark == "Lines changed by the agent at 10"), "{marks:?}");
    assert!(!marks.is_empty(), "what was not decided on is marked still");
    window.click("Past conversations");
    let past = window.names().into_iter().find(|name| name.starts_with("Change it")).expect("it is listed");
    window.click(&past);
    window.check_says("1 file");
    window.click("Undo all");
    window.look_at_files();
    let left = TEN.replace("two", "TWO\nand more") + "mine";
    assert_eq!(repo.read("a.txt").trim_end(), left, "what was accepted or typed stays");
}

#[test]
fn what_is_committed_is_decided_on() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    edited(&home, &repo, &model).exit();
    repo.git(&["commit", "-qam", "kept"]);
    let window = Window::on(&home, &[&repo.file("a.txt"), repo.path()]);
    assert!(!window.says("by the agent at"), "{:?}", window.names());
}

#[test]
fn what_a_run_has_done_is_decided_on_while_it_goes_on() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    model.says(edit("a.txt", &[("two", "TWO"), ("nine", "NINE")]).trim_end_matches("<done/>"));
    let held = model.begins("Now the ");
    let mut window = Window::on(&home, &[&repo.file("a.txt"), repo.path()]);
    window.type_only("Ctrl+Alt+I 'Change it' Enter");
    window.wait("what it has done", |app| {
        app.state.unreviewed.sessions().next().is_some()
            && app.state.chats.iter().any(|(_, chat)| format!("{:?}", chat.transcript.entries()).contains("Now the"))
    });
    window.look_at_files_only();
    window.wait("mark", |app| {
        let id = app.state.documents.iter().next().expect("a.txt is open").0;
        app.state.unreviewed.near(id, &(0..99), &app.state.reviews).len() == 2
    });
    window.check_says("changed by the agent at 2");
    assert!(chat(&window).running.is_some());
    let editor = window.app().layout.find(|pane| matches!(pane, Pane::Editor(_))).expect("an editor");
    window.headless().act(recto::commands::Action::Activate(editor));
    window.look();
    window.type_only("Ctrl+Home Alt+F5 Ctrl+Alt+Y");
    window.wait("decision", |app| {
        let id = app.state.documents.iter().next().expect("a.txt is open").0;
        app.state.unreviewed.near(id, &(0..99), &app.state.reviews).len() == 1
    });
    held.send("other.\n".to_owned() + &edit("b.txt", &[("alone", "in peace")])).unwrap();
    window.rest();
    assert!(!window.says("agent at 2"), "it was accepted");
    window.check_says("changed by the agent at 9");
    window.check_says("2 files");
}

#[test]
fn changes_of_two_conversations_are_marked_in_one_file() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    model.says(&edit("a.txt", &[("two", "TWO")]));
    model.says(&edit("a.txt", &[("nine", "NINE")]));
    let mut window = Window::on(&home, &[&repo.file("a.txt"), repo.path()]);
    window.keys("Ctrl+Alt+I 'Two' Enter");
    window.click("New conversation");
    window.keys("'Nine' Enter");
    window.look_at_files();
    window.check_says("changed by the agent at 2");
    window.check_says("changed by the agent at 9");
    to_editor(&mut window);
    window.keys("Ctrl+Home Alt+F5 Ctrl+Alt+R");
    assert_eq!(text(&window, &repo), TEN.replace("nine", "NINE"));
    window.keys("Alt+F5 Ctrl+Alt+Y");
    assert!(!window.says("by the agent at"), "{:?}", window.names());
}

#[test]
fn a_selected_line_is_accepted_alone() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let mut window = edited(&home, &repo, &model);
    // `and more` of `TWO and more`.
    window.keys("Ctrl+Home Down Down Shift+Down Ctrl+Alt+Y");
    window.click("Review changes");
    assert_eq!(counts(&window), (2, 3));
}

#[test]
fn lines_say_which_model_wrote_them_and_lead_to_the_message() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let mut window = edited(&home, &repo, &model);
    window.check_says("Lines 2 to 3 written by scripted");
    window.check_says("Line 9 written by scripted");
    window.keys("Ctrl+Home End 'x' Enter");
    window.check_says("Lines 3 to 4 written by scripted");

    let at = window.place("Line 10 written by scripted").center();
    window.point_at(at);
    window.pass(Duration::from_secs(1));
    window.check_says("Change it · run 1, step 1");
    window.click("New conversation");
    window.click_at(at);
    assert_eq!(chat(&window).sent().collect::<Vec<_>>(), ["Change it"]);

    window.click("Review changes");
    window.check_says("Line 10 written by scripted");
    let off = recto::state::settings::Spec::by_key("agent.provenance").unwrap();
    window.act(recto::commands::Action::Set(off, Some(recto::state::settings::Value::Switch(false))));
    assert!(!window.says("written by scripted"), "it was switched off");
}

#[test]
fn runs_are_compared_with_each_other() {
    let (home, repo) = (Home::new(), project());
    let model = Model::of(&home);
    let mut window = edited(&home, &repo, &model);
    model.says(&edit("b.txt", &[("alone", "in peace")]));
    model.says(&edit("a.txt", &[("NINE", "9")]));
    window.keys("Ctrl+Alt+I 'Now the other' Enter");
    window.keys("'Digits' Enter");
    window.click("Compare runs");
    window.click("Since run 2: Now the other");
    assert_eq!(counts(&window), (2, 2), "nine and alone");
    window.check_says("From: before run 2");

    window.click("To: now");
    window.click("After run 2: Now the other");
    assert_eq!(counts(&window), (1, 1), "what the second did alone");
    window.click("Compare runs");
    window.click("Run 1 against run 2");
    window.click("From: run 1");
    window.click("Before run 1: Change it");
    assert_eq!(counts(&window), (4, 4), "both");
    window.act(recto::commands::Command::ReviewWorkingTree);
    window.click("Reviewed: working tree");
    window.check_says("Agent: Since run 3: Digits");
}
