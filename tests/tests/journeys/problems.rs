//! What language servers say is wrong: asked for, shown, followed, listed, told to a model. The server is scripted: it
//! reports `FIXME` as an error, `XXX` as a warning and `UNUSED` as a hint.

use std::path::Path;
use std::time::Duration;

use recto::commands::Command;
use recto::state::servers::Condition;

use crate::chatting::chat;
use crate::model::Model;
use crate::scratch::Scratch;
use crate::window::{Home, Window};

/// SQL, for which no server is started that may be installed here.
const CODE: &str = "one\ntwo FIXME later\nthree\nfour XXX perhaps\n";

fn project() -> Scratch {
    Scratch::folder(&[("a.sql", CODE), ("b.txt", "nothing to check\n")])
}

/// A home whose settings name the server, with more settings before.
fn home_with(more: &str, arguments: &[&str]) -> Home {
    let server = env!("CARGO_BIN_EXE_scripted_server");
    let command: Vec<String> = std::iter::once(&server).chain(arguments).map(|word| format!("{word:?}")).collect();
    let command = command.join(", ");
    Home::new().settings(&format!("{more}[servers.scripted]\ncommand = [{command}]\nlanguages = [\"SQL\"]\n"))
}

/// A home in which servers are started without a question.
fn home() -> Home {
    home_with("[code]\nlanguage-servers = \"always\"\n\n", &[])
}

/// Waits for so many errors and warnings.
#[track_caller]
fn found(window: &mut Window, errors: usize, warnings: usize) {
    window.wait(&format!("{errors} errors and {warnings} warnings"), |app| {
        let counts = app.state.servers.problems.counts();
        (counts.errors, counts.warnings) == (errors, warnings)
    });
    window.rest();
}

/// The lines of a file in which something is wrong, from 1.
fn lines(window: &Window, path: &Path) -> Vec<u32> {
    window.app().state.servers.problems.of(path).iter().map(|problem| problem.line + 1).collect()
}

#[test]
fn a_server_is_asked_for_and_then_started() {
    let (home, folder) = (home_with("", &[]), project());
    let mut window = Window::on(&home, &[folder.path(), &folder.file("a.sql")]);
    window.check_says("scripted can check this project. It may run the project's code.");
    assert!(!window.app().state.servers.is_any(), "nothing runs that was not asked for");
    window.click("Start");
    found(&mut window, 1, 1);
    assert!(!window.says("can check this project"));
    for said in ["Error: FIXME: later", "Warning: XXX: perhaps", "1 error", "1 warning"] {
        window.check_says(said);
    }
    window.exit();

    // It is not asked again.
    let mut window = Window::on(&home, &[folder.path(), &folder.file("a.sql")]);
    found(&mut window, 1, 1);
}

#[test]
fn what_was_refused_is_not_asked_for_again() {
    let (home, folder) = (home_with("", &[]), project());
    let mut window = Window::on(&home, &[folder.path(), &folder.file("a.sql")]);
    window.click("Never here");
    assert!(!window.says("can check this project"));
    window.exit();
    let window = Window::on(&home, &[folder.path(), &folder.file("a.sql")]);
    assert!(!window.says("can check this project") && !window.app().state.servers.is_any());
}

#[test]
fn a_problem_goes_with_the_text_and_is_gone_when_it_is_fixed() {
    let (home, folder) = (home(), project());
    let path = folder.file("a.sql");
    let mut window = Window::on(&home, &[folder.path(), &path]);
    found(&mut window, 1, 1);
    assert_eq!(lines(&window, &path), [2, 4]);
    window.type_only("'zero' Enter");
    assert_eq!(lines(&window, &path), [3, 5], "before the server has said anything");
    window.keys("Ctrl+Z");
    assert_eq!(lines(&window, &path), [2, 4]);
    window.keys("Ctrl+F 'FIXME' Escape 'done'");
    found(&mut window, 0, 1);
    window.check_says("0 errors");
    window.keys("Ctrl+Z");
    found(&mut window, 1, 1);
}

#[test]
fn f8_goes_from_problem_to_problem_and_tells_what_is_wrong() {
    let (home, folder) = (home(), project());
    folder.write("c.sql", "XXX there\n");
    let path = folder.file("a.sql");
    let mut window = Window::on(&home, &[folder.path(), &folder.file("c.sql"), &path]);
    found(&mut window, 1, 2);
    window.keys("F8");
    assert_eq!(window.caret_line_of("a.sql"), 2);
    window.check_says("Fix with agent");
    window.keys("Escape");
    assert!(!window.says("Fix with agent"), "it is put away");
    window.keys("F8");
    assert_eq!(window.caret_line_of("a.sql"), 4);
    window.keys("F8");
    window.check_says("XXX: there");
    window.keys("Shift+F8");
    assert_eq!(window.caret_line_of("a.sql"), 4);
}

#[test]
fn the_pointer_resting_on_a_problem_is_told_what_is_wrong() {
    let (home, folder) = (home(), project());
    let mut window = Window::on(&home, &[folder.path(), &folder.file("a.sql")]);
    found(&mut window, 1, 1);
    let at = window.place("Error: FIXME: later").center();
    window.point_at(at);
    window.pass(Duration::from_secs(1));
    window.pass(Duration::from_secs(1));
    for said in ["FIXME: later", "scripted fixme", "a.sql:1 it begins here"] {
        window.check_says(said);
    }
    window.click("Fix with agent");
    let draft = &chat(&window).draft;
    assert_eq!(draft.text, "Fix this problem.");
    assert_eq!(draft.attached[0].label(), "Problem at a.sql:2");
}

#[test]
fn the_list_has_all_problems_and_leads_to_them() {
    let (home, folder) = (home(), project());
    let mut window = Window::on(&home, &[folder.path(), &folder.file("a.sql")]);
    found(&mut window, 1, 1);
    window.keys("Ctrl+Shift+M");
    window.check_says("a.sql, 1 error, 1 warning");
    window.click("1 warning");
    window.check_says("a.sql, 1 error");
    assert!(!window.says("XXX: perhaps, "), "warnings are hidden");
    window.click("1 warning");
    let row = window.names().into_iter().find(|name| name.starts_with("XXX: perhaps, ")).expect("it is listed");
    assert_eq!(row, "XXX: perhaps, scripted xxx, 4:6, Warning");
    window.click(&row);
    assert_eq!(window.caret_line(), 4);
    window.keys("Ctrl+A 'fine'");
    found(&mut window, 0, 0);
    window.check_says("No problems");
    window.check_says("scripted found nothing wrong.");
}

#[test]
fn problems_go_along_with_a_message() {
    let (home, folder) = (home(), project());
    let model = Model::of(&home);
    let mut window = Window::on(&home, &[folder.path(), &folder.file("a.sql")]);
    found(&mut window, 1, 1);
    window.keys("Ctrl+Alt+I '@diagn'");
    window.click("2 problems of the project");
    window.check_says("2 problems of the project, whole,");
    model.says("I see.");
    window.keys("'What is wrong?' Enter");
    let asked = model.last_asked();
    for said in ["1 error, 1 warning:", "a.sql:2: error: FIXME: later [fixme]", "> two FIXME later", "a.sql:4: warning"]
    {
        assert!(asked.contains(said), "{said} is not in {asked}");
    }
}

#[test]
fn a_server_that_is_no_server_is_said_to_have_stopped() {
    let home = home_with("[code]\nlanguage-servers = \"always\"\n\n", &["--shim"]);
    let folder = project();
    let mut window = Window::on(&home, &[folder.path(), &folder.file("a.sql")]);
    window.wait("the end of the server", |app| {
        app.state.servers.condition().is_some_and(|condition| matches!(condition, Condition::Stopped { .. }))
    });
    window.rest();
    window.check_says("scripted stopped");
    window.keys("Ctrl+Shift+M");
    window.check_says("Nothing is checked now");
    window.check_says("Restart");
}

#[test]
fn what_a_server_works_on_is_told() {
    let (home, folder) = (home(), project());
    let mut window = Window::on(&home, &[folder.path(), &folder.file("a.sql")]);
    found(&mut window, 1, 1);
    window.keys("'BUSY'");
    window.wait("work", |app| app.state.servers.condition().is_some());
    window.check_says("scripted: Thinking 42 %");
    window.keys("Ctrl+Z");
    window.wait("the end of it", |app| app.state.servers.condition().is_none());
}

#[test]
fn a_review_shows_what_is_wrong_with_its_new_side() {
    let home = home_with("", &[]);
    let repo = Scratch::repository(&[("a.sql", "one\ntwo\nthree\n")]);
    repo.write("a.sql", "one\ntwo FIXME\nthree\n");
    let mut window = Window::on(&home, &[repo.path()]);
    window.check_says("scripted can check this project.");
    window.click("Start");
    found(&mut window, 1, 0);
    window.check_says("Error: FIXME:");
    window.keys("F8");
    window.check_says("Fix with agent");
    window.keys("Escape e");
    assert!(window.review_pane().is_editing());
    window.keys("Ctrl+A 'fine' Enter");
    found(&mut window, 0, 0);
}

#[test]
fn an_idle_window_with_a_server_draws_nothing() {
    let (home, folder) = (home(), project());
    let mut window = Window::on(&home, &[folder.path(), &folder.file("b.txt"), &folder.file("a.sql")]);
    found(&mut window, 1, 1);
    window.pass(Duration::from_secs(20)); // the caret is still by then
    let frames = window.headless().frames();
    window.headless().rest(Duration::from_millis(600));
    assert!(window.headless().frames() <= frames + 1, "{} frames", window.headless().frames() - frames);
}

#[test]
fn a_server_that_crashes_is_started_again_and_given_up_after_some_times() {
    let (home, folder) = (home(), project());
    let path = folder.file("a.sql");
    let mut window = Window::on(&home, &[folder.path(), &path]);
    found(&mut window, 1, 1);
    window.keys("'CRASH'");
    window.wait("the end of the server", |app| {
        app.state.servers.condition().is_some_and(|condition| matches!(condition, Condition::Stopped { .. }))
    });
    window.rest();
    window.check_says("scripted stopped");
    window.check_says("CRASH was read");
    assert!(lines(&window, &path).is_empty(), "nothing is left of what it said");
    window.keys("Ctrl+Z");
    window.act(Command::RestartServers);
    found(&mut window, 1, 1);
}
