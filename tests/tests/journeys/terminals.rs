//! Terminals in the window: shells with their marks, what is typed, selected, pasted, found and clicked, and that
//! nothing is left when they close.

use std::process::Command as Process;
use std::sync::Arc;
use std::time::Duration;

use eframe::egui::accesskit::Role;
use eframe::egui::{Event, ImeEvent, Modifiers, PointerButton, Pos2, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use recto::commands::{Action, Command};
use recto::panes::Pane;
use recto::panes::terminal::TerminalPane;
use recto::state::settings;
use recto::state::terminals::OpenTerminal;
use terminal::process::session_members;
use terminal::tasks::{Task, TaskCommand, TaskSource};
use terminal::{Options, Terminal};

use crate::scratch::Scratch;
use crate::window::{Home, Window};

/// Longer than anything takes; only a failure waits for it.
const LONG: Duration = Duration::from_secs(30);

/// A window on a folder with a shell that is everywhere.
fn window(folder: &Scratch) -> Window {
    Window::on(&home(), &[folder.path()])
}

fn home() -> Home {
    Home::new().settings("[terminal]\nshell = \"bash\"\n")
}

fn home_in(theme: &str) -> Home {
    Home::new().settings(&format!("[appearance]\ntheme = \"{theme}\"\n"))
}

/// Opens a shell and waits for its prompt.
fn open_shell(window: &mut Window) {
    let before = live(window).len();
    window.act(Command::NewTerminal);
    wait(window, "a prompt", |all| {
        let new = all.get(before);
        new.is_some_and(|terminal| terminal.with_screen(|screen| screen.at_prompt() == Some(true)))
    });
}

/// Runs a line of `sh` in a terminal of its own.
fn run_line(window: &mut Window, folder: &Scratch, line: &str) {
    let task = Task {
        name: "task".to_owned(),
        source: TaskSource::Make,
        command: TaskCommand::Line(line.to_owned()),
        directory: folder.path().to_owned(),
        environment: Vec::new(),
        detail: line.to_owned(),
    };
    window.act(Action::RunTask(Box::new(task)));
}

/// Shows what was recorded.
fn display(window: &mut Window, bytes: &str) -> Arc<Terminal> {
    let terminal = Arc::new(Terminal::display(Options::default()));
    terminal.show(bytes.as_bytes());
    window.act(Action::ShowTerminal { terminal: Arc::clone(&terminal), name: "Recorded".to_owned() });
    terminal
}

fn live(window: &Window) -> Vec<Arc<Terminal>> {
    window.app().state.terminals.iter().filter_map(OpenTerminal::live).cloned().collect()
}

/// Runs frames until `done` holds of the terminals that run.
#[track_caller]
fn wait(window: &mut Window, wanted: &str, done: impl Fn(&[Arc<Terminal>]) -> bool) {
    if !done(&live(window)) {
        let all = |app: &mut recto::app::App| {
            let all: Vec<_> = app.state.terminals.iter().filter_map(OpenTerminal::live).cloned().collect();
            done(&all)
        };
        if let Err(error) = window.headless().run_until(wanted, LONG, all) {
            let screens: Vec<_> =
                live(window).iter().map(|terminal| terminal.with_screen(|screen| screen.all_text())).collect();
            panic!("{error}; the terminals show {screens:#?}");
        }
    }
    window.rest();
    // The screen may have changed before the window was woken for it.
    window.look();
}

#[track_caller]
fn wait_for_text(window: &mut Window, text: &str) {
    wait(window, text, |all| all.iter().any(|terminal| terminal.with_screen(|screen| screen.text().contains(text))));
}

/// What a screen reader is told of each terminal in view.
fn screens(window: &Window) -> Vec<String> {
    let all = window.query_all_by_role(Role::Terminal);
    all.filter_map(|node| node.accesskit_node().value()).collect()
}

/// The pane of the one terminal in view.
#[track_caller]
fn pane(window: &Window) -> &TerminalPane {
    let panes = window.app().layout.panes().filter_map(|(_, pane)| match pane {
        Pane::Terminal(pane) => Some(pane),
        _ => None,
    });
    panes.last().expect("no terminal is open")
}

/// The middle of the cell in which a text begins on the screen.
#[track_caller]
fn place_of(window: &Window, text: &str) -> Pos2 {
    let shown = screens(window).remove(0);
    let found = shown.lines().enumerate().find_map(|(row, line)| Some((row, line.find(text)?)));
    let (row, column) = found.unwrap_or_else(|| panic!("{text:?} is not on the screen:\n{shown}"));
    pane(window).place_of(row as u16, column as u16).center()
}

fn press_at(window: &mut Window, at: Pos2, modifiers: Modifiers) {
    window.point_at(at);
    for pressed in [true, false] {
        window.headless().feed(Event::ModifiersChanged(modifiers));
        let button = PointerButton::Primary;
        window.headless().feed(Event::PointerButton { pos: at, button, pressed, modifiers });
        window.headless().frame();
    }
    window.headless().feed(Event::ModifiersChanged(Modifiers::NONE));
    window.rest();
}

#[test]
fn a_command_is_typed_and_marked_with_how_it_went() {
    let folder = Scratch::folder(&[]);
    let mut window = window(&folder);
    open_shell(&mut window);
    window.keys("'cat <<< one; sh -c \"exit 7\"' Enter");
    wait(&mut window, "the end", |all| all[0].with_screen(|screen| screen.commands().len() == 2));
    assert!(screens(&window)[0].contains("\none\n"), "{:?}", screens(&window));
    window.check_says("failed (7)");
    window.keys("Ctrl+Shift+O");
    assert_eq!(window.headless().clipboard(), "one");
    window.keys("Ctrl+Shift+R");
    wait(&mut window, "it to run again", |all| all[0].with_screen(|screen| screen.commands().len() == 3));
}

#[test]
fn keys_of_shells_go_to_the_shell_and_few_stay_ours() {
    let folder = Scratch::folder(&[]);
    let mut window = window(&folder);
    run_line(&mut window, &folder, "stty raw -echo; echo ready; exec cat -v");
    wait_for_text(&mut window, "ready");
    window.keys("Ctrl+P Ctrl+W Ctrl+C Alt+B F5 'x'");
    wait_for_text(&mut window, "^P^W^C^[b^[[15~x");
    window.keys("Ctrl+Shift+P");
    assert!(window.app().state.shell.palette.is_open());
}

#[test]
fn a_selection_is_copied_by_word_line_and_drag() {
    let mut window = window(&Scratch::folder(&[]));
    display(&mut window, "one two/three four\r\nnext line\r\n");
    window.rest();
    let at = place_of(&window, "three");
    for expected in ["", "two/three", "one two/three four\n"] {
        press_at(&mut window, at, Modifiers::NONE);
        assert_eq!(window.headless().clipboard(), expected);
    }
    let (from, to) = (place_of(&window, "ne two"), place_of(&window, "xt line"));
    window.pass(Duration::from_secs(2));
    let half = pane(&window).place_of(0, 0).width() / 2.0;
    window.drag(from - vec2(half, 0.0), to - vec2(half, 0.0));
    assert_eq!(window.headless().clipboard(), "ne two/three four\nne");
}

#[test]
fn every_match_is_counted_and_walked_through_from_the_newest() {
    let mut window = window(&Scratch::folder(&[]));
    let lines: String = (1..=300).map(|n| format!("line {n}\r\n")).collect();
    display(&mut window, &lines);
    window.keys("Ctrl+Shift+F 'line 30'");
    window.check_says("2 matches");
    window.keys("Enter");
    window.check_says("2 of 2");
    window.keys("Enter");
    window.check_says("1 of 2");
    assert!(screens(&window)[0].contains("line 30\n"), "{:?}", screens(&window));
    window.keys("Escape");
    assert!(!window.says("Close find"));
    window.keys("'x'");
    assert!(!window.says("nothing runs"), "where nothing runs keys do nothing");
}

#[test]
fn a_terminal_is_split_below_the_editor() {
    let folder = Scratch::folder(&[("a.txt", "text\n")]);
    let mut window = Window::on(&home(), &[folder.path(), &folder.file("a.txt")]);
    open_shell(&mut window);
    window.keys("Ctrl+Shift+5");
    wait(&mut window, "a second shell", |all| all.len() == 2);
    assert_eq!(screens(&window).len(), 2);
    let all: Vec<_> = window.query_all_by_role(Role::Terminal).map(|node| node.rect()).collect();
    let editor = window.query_all_by_role(Role::MultilineTextInput).next().unwrap().rect();
    assert!(all.iter().all(|terminal| terminal.top() >= editor.bottom()), "{all:?} below {editor:?}");
    assert!(all[0].right() <= all[1].left(), "{all:?}");
}

#[test]
fn several_lines_are_asked_about_before_a_shell_gets_them() {
    let folder = Scratch::folder(&[]);
    let mut window = window(&folder);
    run_line(&mut window, &folder, "echo ready; exec cat");
    wait_for_text(&mut window, "ready");
    window.headless().set_clipboard("one\ntwo\n");
    window.keys("Ctrl+Shift+V");
    window.check_says("Paste 2 lines?");
    window.click("Cancel");
    window.keys("Ctrl+Shift+V");
    window.click("Paste");
    wait_for_text(&mut window, "one\ntwo\none\ntwo\n");
}

#[test]
fn what_is_pasted_into_brackets_cannot_leave_them() {
    let folder = Scratch::folder(&[]);
    let mut window = window(&folder);
    run_line(&mut window, &folder, "stty raw -echo; printf '\\033[?2004hready'; exec cat -v");
    wait_for_text(&mut window, "ready");
    window.headless().set_clipboard("ls\x1b[201~id\n");
    window.keys("Ctrl+Shift+V");
    wait_for_text(&mut window, "^[[200~ls[201~id^M^[[201~");
}

#[test]
fn a_place_in_a_file_opens_from_where_the_process_is() {
    let folder = Scratch::folder(&[("deep/src/lib.rs", "one\ntwo\nthree\nfour\n")]);
    let mut window = window(&folder);
    run_line(&mut window, &folder, "cd deep; printf 'error at src/lib.rs:3:2: no\\n'; read line");
    wait_for_text(&mut window, "no");
    let at = place_of(&window, "lib.rs");
    press_at(&mut window, at, Modifiers::NONE);
    assert!(window.text().is_empty(), "a press alone selects");
    window.pass(Duration::from_secs(2));
    press_at(&mut window, at, Modifiers::COMMAND | Modifiers::CTRL);
    assert_eq!(window.caret_line(), 3);
}

#[test]
fn closing_a_busy_one_asks_and_leaves_no_process() {
    let folder = Scratch::folder(&[]);
    let mut window = window(&folder);
    open_shell(&mut window);
    window.keys("'nohup sleep 1000 >/dev/null 2>&1 & sleep 1001' Enter");
    wait(&mut window, "the command", |all| all[0].is_busy());
    let session = live(&window)[0].process_id().unwrap();
    assert!(session_members(session).len() >= 3);
    window.keys("Ctrl+Shift+W");
    window.check_says("sleep still runs in this terminal.");
    window.click("Cancel");
    assert_eq!(live(&window).len(), 1);
    window.keys("Ctrl+Shift+W");
    window.click("End it and close");
    assert!(live(&window).is_empty());
    window.exit();
    assert_eq!(session_members(session), Vec::<u32>::new());
}

#[test]
fn a_shell_that_is_left_closes_and_a_task_stays_to_be_read() {
    let folder = Scratch::folder(&[]);
    let mut window = window(&folder);
    open_shell(&mut window);
    window.keys("'false' Enter");
    wait(&mut window, "a prompt", |all| all[0].with_screen(|screen| screen.commands().len() == 2));
    window.keys("Ctrl+D");
    wait(&mut window, "no terminal", <[_]>::is_empty);

    run_line(&mut window, &folder, "echo again; exit 3");
    wait(&mut window, "its end", |all| all[0].exit().is_some());
    window.check_says("Ended: exit code 3");
    let first = live(&window)[0].process_id();
    window.click("Run again");
    wait(&mut window, "another run", |all| all.iter().any(|one| one.process_id() != first && one.exit().is_some()));
    assert!(screens(&window)[0].starts_with("again\n"));
}

#[test]
fn tabs_and_directories_come_back() {
    let folder = Scratch::folder(&[("inner/a.txt", "")]);
    let home = home();
    let mut window = Window::on(&home, &[folder.path()]);
    open_shell(&mut window);
    window.keys("'cd inner' Enter");
    wait(&mut window, "the directory", |all| all[0].directory() == Some(folder.file("inner")));
    window.act(Command::TerminalRename);
    window.keys("Ctrl+A 'Server' Enter");
    window.check_says("Server");
    window.exit();

    let mut window = Window::start(&home, recto::app::Startup::default());
    window.check_says("Server");
    window.keys("Ctrl+`");
    wait(&mut window, "the shell", |all| all.first().is_some_and(|one| one.directory() == Some(folder.file("inner"))));
}

#[test]
fn one_behind_another_tab_rings() {
    let folder = Scratch::folder(&[]);
    let mut window = window(&folder);
    run_line(&mut window, &folder, "echo ready; read line; printf '\\007'; read line");
    wait_for_text(&mut window, "ready");
    display(&mut window, "in front");
    window.rest();
    live(&window)[0].send(b"\r").unwrap();
    let rang = |app: &mut recto::app::App| app.state.terminals.iter().any(|open| open.rang);
    window.headless().run_until("the bell", LONG, rang).unwrap();
    window.rest();
    window.click("task, rang");
    window.check_says("task");
    assert!(!window.says("task, rang"));
}

#[test]
fn a_program_gets_the_mouse_unless_shift_is_held() {
    let folder = Scratch::folder(&[]);
    let mut window = window(&folder);
    run_line(&mut window, &folder, "stty raw -echo; printf '\\033[?1000h\\033[?1006hready'; exec cat -v");
    wait_for_text(&mut window, "ready");
    let at = place_of(&window, "eady");
    press_at(&mut window, at, Modifiers::NONE);
    wait_for_text(&mut window, "^[[<0;2;1M^[[<0;2;1m");
    window.pass(Duration::from_secs(2));
    press_at(&mut window, at, Modifiers::SHIFT);
    window.pass(Duration::from_millis(100));
    press_at(&mut window, at, Modifiers::SHIFT);
    assert_eq!(live(&window)[0].with_screen(|screen| screen.text()).matches("^[[<").count(), 2);
}

#[test]
fn one_goes_from_prompt_to_prompt() {
    let mut window = window(&Scratch::folder(&[]));
    let command = |n: u32| {
        let output: String = (1..=40).map(|line| format!("output {n} {line}\r\n")).collect();
        format!("\x1b]133;A\x07$ \x1b]133;B\x07run {n}\r\n\x1b]133;C\x07{output}\x1b]133;D;0\x07")
    };
    display(&mut window, &(1..=3).map(command).collect::<String>());
    window.rest();
    window.keys("Ctrl+Shift+ArrowUp");
    assert!(screens(&window)[0].starts_with("$ run 3\n"), "{:?}", screens(&window));
    window.keys("Ctrl+Shift+ArrowUp Ctrl+Shift+ArrowUp");
    assert!(screens(&window)[0].starts_with("$ run 1\n"), "{:?}", screens(&window));
    window.keys("Ctrl+Shift+ArrowDown");
    assert!(screens(&window)[0].starts_with("$ run 2\n"), "{:?}", screens(&window));
    window.keys("Shift+End");
    assert!(screens(&window)[0].contains("output 3 40\n"), "{:?}", screens(&window));
}

#[test]
fn what_an_input_method_makes_is_typed() {
    let folder = Scratch::folder(&[]);
    let mut window = window(&folder);
    run_line(&mut window, &folder, "stty raw -echo; echo ready; exec cat");
    wait_for_text(&mut window, "ready");
    window.headless().feed(Event::Ime(ImeEvent::Preedit { text: "ni".to_owned(), active_range_chars: None }));
    window.rest();
    assert!(!screens(&window)[0].contains("ni"), "nothing is sent yet");
    window.headless().feed(Event::Ime(ImeEvent::Commit("你好".to_owned())));
    wait_for_text(&mut window, "你好");
}

#[test]
fn a_task_of_the_project_is_picked_and_run() {
    let folder = Scratch::folder(&[("Makefile", "greet:\n\t@echo hello from make\n")]);
    let mut window = window(&folder);
    if Process::new("make").arg("--version").output().is_err() {
        println!("skipped: make is not installed");
        return;
    }
    window.keys("Ctrl+Shift+B");
    window.check_says("greet");
    window.keys("'greet' Enter");
    wait_for_text(&mut window, "hello from make");
}

#[test]
fn programs_that_ask_are_told_the_colours_of_the_theme_that_is_on() {
    let folder = Scratch::folder(&[]);
    let mut window = Window::on(&home_in("dark"), &[folder.path()]);
    let asks = "printf '\\033]11;?\\007'; dd bs=1 count=24 2>/dev/null | cat -v";
    run_line(
        &mut window,
        &folder,
        &format!("stty raw -echo; {asks}; echo; dd bs=1 count=1 2>/dev/null; {asks}; read x"),
    );
    wait_for_text(&mut window, "^[]11;rgb:1616/1818/1d1d");
    let theme = settings::Spec::by_key("appearance.theme").unwrap();
    window.act(Action::Set(theme, Some(settings::Value::Choice("light"))));
    window.keys("'x'");
    wait_for_text(&mut window, "^[]11;rgb:ffff/ffff/ffff");
}
