//! Real processes in real pseudo-terminals: shells that mark, programs that are driven, and nothing left at the end.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr, reason = "tests, which say what they skip")]

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use terminal::process::session_members;
use terminal::screen::{CommandState, Pattern};
use terminal::{Exit, Launch, Options, Program, ScreenEvent, Size, Terminal, WaitError};

/// Longer than anything takes; only a failure waits for it.
const LONG: Duration = Duration::from_secs(30);

fn options() -> Options {
    Options { size: Size::new(80, 24), ..Options::default() }
}

fn start(launch: &Launch) -> Terminal {
    Terminal::start(launch, options()).unwrap()
}

/// A shell of the system, or nothing and a message. Under `RECTO_TESTS_STRICT` what CI installs must be there.
fn program(name: &str) -> Option<PathBuf> {
    let found =
        std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file());
    if found.is_none() {
        let installed_by_ci = matches!(name, "bash");
        assert!(!installed_by_ci || std::env::var_os("RECTO_TESTS_STRICT").is_none(), "{name} is missing");
        eprintln!("skipped: {name} is not installed");
    }
    found
}

/// A shell with a configuration of its own, in a folder of its own.
fn shell(name: &str, home: &Path) -> Option<Terminal> {
    let path = program(name)?;
    let scripts = Some(home.join("scripts"));
    let launch = Launch { program: Program::Shell { path: Some(path), login: false, scripts }, ..Launch::default() }
        .in_directory(home)
        .with("HOME", home)
        .with("XDG_CONFIG_HOME", home.join("config"))
        .with("XDG_DATA_HOME", home.join("data"));
    let terminal = start(&launch);
    terminal.wait_for_prompt(LONG).unwrap_or_else(|error| panic!("{name}: {error}\n{}", text(&terminal)));
    Some(terminal)
}

fn text(terminal: &Terminal) -> String {
    terminal.with_screen(|screen| screen.text())
}

fn wait_for_text(terminal: &Terminal, wanted: &str) {
    let found = terminal.wait_until(LONG, |screen| screen.text().contains(wanted).then_some(()));
    found.unwrap_or_else(|error| panic!("{wanted:?}: {error}\n{}", text(terminal)));
}

/// Output, code and directory are told, and `$?` is the user's.
fn check_shell(name: &str) {
    let home = tempfile::tempdir().unwrap();
    let home_path = home.path().canonicalize().unwrap();
    let Some(terminal) = shell(name, &home_path) else { return };
    let run = |line: &str| {
        let finished = terminal.run(line, LONG);
        finished.unwrap_or_else(|error| panic!("{name}: {line}: {error}\n{}", text(&terminal)))
    };
    let finished = run("echo one; echo two");
    assert_eq!((finished.output.as_str(), finished.code), ("one\ntwo", Some(0)), "{name}");
    let finished = run("sh -c 'exit 7'");
    assert_eq!((finished.output.as_str(), finished.code), ("", Some(7)), "{name}");
    let status = if name == "fish" { "echo $status" } else { "echo $?" };
    assert_eq!(run(status).output, "7", "{name}: the code of the command before is left alone");
    run("mkdir -p 'a b;c' && cd 'a b;c'");
    assert_eq!(terminal.directory(), Some(home_path.join("a b;c")), "{name}");
    let finished = run("echo 'semi;colon \\\\ back'");
    let line = terminal.with_screen(|screen| screen.command(finished.id).unwrap().line.clone());
    assert_eq!(line.as_deref(), Some("echo 'semi;colon \\\\ back'"), "{name}: the nonce makes it believed");
    assert_eq!(run("printenv RECTO_NONCE").output, "", "{name}: programs do not see the nonce");
    // A program cannot tell a command line.
    let finished = run("printf '\\033]633;E;rm -rf;guess\\007'");
    let states = terminal.with_screen(|screen| {
        let lines: Vec<_> = screen.commands().iter().filter_map(|command| command.line.clone()).collect();
        (lines, screen.command(finished.id).unwrap().state)
    });
    assert!(!states.0.iter().any(|line| line == "rm -rf"), "{name}: {states:?}");
    assert_eq!(states.1, CommandState::Ended(Some(0)), "{name}");
    assert!(terminal.end(), "{name}");
}

#[test]
fn bash_marks() {
    check_shell("bash");
}

#[test]
fn zsh_marks() {
    check_shell("zsh");
}

#[test]
fn fish_marks() {
    check_shell("fish");
}

#[test]
fn the_users_own_configuration_of_bash_is_read() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join(".bashrc"), "PS1='mine> '\nPROMPT_COMMAND='seen=$?'\nOWN=yes\n").unwrap();
    let Some(terminal) = shell("bash", home.path()) else { return };
    assert_eq!(terminal.run("echo $OWN; false", LONG).unwrap().output, "yes");
    assert_eq!(terminal.run("echo $seen", LONG).unwrap().output, "1", "its prompt command sees the code");
    assert!(text(&terminal).contains("mine> "));
    // A line that history does not keep is run, and told by nobody.
    let finished = terminal.run("HISTCONTROL=ignorespace; true", LONG).unwrap();
    assert_eq!(finished.code, Some(0));
    let finished = terminal.run(" echo hidden", LONG).unwrap();
    assert_eq!(finished.output, "hidden");
    assert_eq!(terminal.with_screen(|screen| screen.command(finished.id).unwrap().line.clone()), None);
}

#[test]
fn a_program_is_driven() {
    let home = tempfile::tempdir().unwrap();
    let launch = Launch::line("echo $GREETING; pwd; stty size; read line; echo got $line; exit 3")
        .in_directory(home.path())
        .with("GREETING", "hello");
    let terminal = start(&launch);
    wait_for_text(&terminal, "24 80");
    assert!(text(&terminal).starts_with("hello\n"));
    assert!(text(&terminal).contains(&*home.path().file_name().unwrap().to_string_lossy()));
    assert!(terminal.is_busy());
    terminal.send(b"input\r").unwrap();
    assert_eq!(terminal.wait_for_exit(LONG), Ok(Exit::Code(3)));
    assert!(text(&terminal).contains("got input"), "{}", text(&terminal));
    assert!(terminal.send(b"more").is_err());
    assert!(!terminal.is_busy());
}

#[test]
fn everything_written_before_the_end_is_drawn_before_it_is_told() {
    let terminal = start(&Launch::line("seq 1 200000; printf last"));
    assert_eq!(terminal.wait_for_exit(LONG), Ok(Exit::Code(0)));
    assert!(text(&terminal).trim_end().ends_with("200000\nlast"), "{}", text(&terminal));
}

#[test]
fn what_cannot_be_started_says_why() {
    let error = Terminal::start(&Launch::command(["/no/such/program"]), options()).unwrap_err();
    assert!(error.to_string().contains("/no/such/program"), "{error}");
    assert!(Terminal::start(&Launch::command(Vec::<String>::new()), options()).is_err());
    let gone = start(&Launch::line("pwd").in_directory("/no/such/folder"));
    assert_eq!(gone.wait_for_exit(LONG), Ok(Exit::Code(0)), "it starts at home");
}

#[test]
fn a_program_is_told_of_another_size() {
    let terminal = start(&Launch::line("trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done"));
    wait_for_text(&terminal, "ready");
    terminal.resize(Size::new(100, 30));
    wait_for_text(&terminal, "30 100");
    terminal.end();
}

#[test]
fn ctrl_c_gets_through_a_flood() {
    let terminal = start(&Launch::line("trap 'echo; echo stopped; exit 0' INT; yes; :"));
    wait_for_text(&terminal, "y\ny\ny");
    terminal.send(b"\x03").unwrap();
    assert!(terminal.wait_for_exit(LONG).is_ok());
}

#[test]
fn a_program_that_reads_nothing_stops_nobody() {
    let terminal = start(&Launch::line("stty raw -echo; echo ready; sleep 1000"));
    wait_for_text(&terminal, "ready");
    let much = vec![b'x'; 1 << 20];
    terminal.send(&much).unwrap();
    let refused = (0..20).find_map(|_| terminal.send(&much).err());
    assert_eq!(refused, Some(terminal::SendError::Full));
    let begun = Instant::now();
    assert!(terminal.end());
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn no_process_is_left() {
    let home = tempfile::tempdir().unwrap();
    let Some(terminal) = shell("bash", home.path()) else { return };
    let session = terminal.process_id().unwrap();
    assert!(!terminal.is_busy());
    let jobs = "nohup sleep 1000 >/dev/null 2>&1 & (trap '' HUP TERM; exec sleep 1001) & sleep 1003 & disown";
    terminal.run(jobs, LONG).unwrap();
    terminal.send(b"trap '' HUP; (trap '' HUP INT; echo in fr\"\"ont; sleep 1002; :)\r").unwrap();
    wait_for_text(&terminal, "in front");
    assert!(session_members(session).len() >= 5, "{:?}", session_members(session));
    assert!(terminal.is_busy());
    let begun = Instant::now();
    assert!(terminal.end());
    let took = begun.elapsed();
    assert_eq!(session_members(session), Vec::<u32>::new());
    assert!(took < Duration::from_millis(500) || cfg!(debug_assertions), "{took:?}");
}

#[test]
fn dropping_one_ends_it() {
    let terminal = start(&Launch::line("sleep 1000"));
    let session = terminal.process_id().unwrap();
    drop(terminal);
    let watch = Terminal::start(&Launch::line("while :; do echo .; sleep 0.01; done"), options()).unwrap();
    let gone = watch.wait_until(LONG, |_| session_members(session).is_empty().then_some(()));
    assert_eq!(gone, Ok(()));
}

#[test]
fn one_who_left_the_session_keeps_nothing_open() {
    let Some(_) = program("setsid") else { return };
    let terminal = start(&Launch::line("setsid sleep 5 & echo ready"));
    wait_for_text(&terminal, "ready");
    assert_eq!(terminal.wait_for_exit(LONG), Ok(Exit::Code(0)));
    assert!(terminal.end());
}

/// A terminal, and what it wakes the window by.
fn woken_by(line: &str) -> (Terminal, Receiver<()>) {
    let (send, wakes) = sync_channel(100);
    let wake = Box::new(move || {
        // Full: woken more often than anybody counts.
        let _ = send.try_send(());
    });
    (Terminal::start(&Launch::line(line), Options { wake, ..options() }).unwrap(), wakes)
}

#[test]
fn the_window_is_woken_once_until_it_looks_and_at_the_end() {
    let (terminal, wakes) = woken_by("seq 1 100000");
    for _ in 0..2 {
        wakes.recv_timeout(LONG).unwrap();
    }
    terminal.wait_for_exit(LONG).unwrap();
    assert!(wakes.try_recv().is_err(), "nobody looked");
    let mut frame = terminal::Frame::default();
    assert!(terminal.frame(&mut frame));
    assert!(!terminal.frame(&mut frame), "nothing changed since");
}

#[test]
fn a_bell_is_told_though_nobody_looks() {
    let (terminal, wakes) = woken_by("echo ready; read line; printf '\\007'; read line");
    wakes.recv_timeout(LONG).unwrap();
    assert_eq!(terminal.take_events(), []);
    terminal.send(b"\r").unwrap();
    wakes.recv_timeout(LONG).unwrap();
    assert_eq!(terminal.take_events(), [ScreenEvent::Bell]);
}

#[test]
fn an_unfinished_update_is_shown_in_time() {
    let terminal = start(&Launch::line("printf '\\033[?2026hhidden'; sleep 1000"));
    wait_for_text(&terminal, "hidden");
    terminal.end();
}

#[test]
fn questions_are_answered() {
    let line = "stty raw -echo; printf '\\033[6n'; head -c 6 | od -An -c; sleep 1000";
    let terminal = start(&Launch::line(line));
    wait_for_text(&terminal, "1   ;   1   R");
    terminal.end();
}

#[test]
fn a_search_goes_through_all_of_history() {
    let terminal = start(&Launch::line("seq 1 5000"));
    terminal.wait_for_exit(LONG).unwrap();
    let pattern = Pattern::new("99$", true, true, false).unwrap();
    assert_eq!(terminal.find_all(&pattern, &|| false).found.len(), 50);
    assert!(terminal.find_all(&pattern, &|| true).found.is_empty(), "cancelled");
}

#[test]
fn one_that_only_shows_takes_no_input() {
    let terminal = Terminal::display(options());
    terminal.show(b"\x1b[31mrecorded\r\n");
    assert_eq!(text(&terminal).trim_end(), "recorded");
    assert!(terminal.send(b"x").is_err());
    assert!(!terminal.is_running() && !terminal.is_busy());
}

#[test]
fn a_wait_ends_with_the_process() {
    let terminal = start(&Launch::line("exit 4"));
    assert_eq!(terminal.wait_for_prompt(LONG), Err(WaitError::Ended(Exit::Code(4))));
    let killed = start(&Launch::line("kill -9 $$"));
    assert_eq!(killed.wait_for_exit(LONG), Ok(Exit::Signal(9)));
}
