//! `recto agent` on a terminal: lines are typed, and the screen shows what comes of them.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a helper that cannot do its part fails the test")]

mod scripted;

use std::time::Duration;

use terminal::{Launch, Options, Size, Terminal};

use scripted::{Answer, Home, Server};

/// Longer than anything takes; only a failure waits for it.
const LONG: Duration = Duration::from_mins(1);

const FILE: &str = "def f():\n    return 1\n";
const EDIT: &str = "I fix it.\n<edit_file path=\"a.py\">\n<<<<<<< SEARCH\n    return 1\n=======\n    return 2\n>>>>>>> REPLACE\n</edit_file>\n";

/// A conversation.
struct Talk {
    home: Home,
    server: Server,
    terminal: Terminal,
}

impl Talk {
    fn begin(answers: Vec<Answer>) -> Self {
        let home = Home::new();
        home.write("a.py", FILE);
        Self::begin_in(home, answers)
    }

    fn begin_in(home: Home, answers: Vec<Answer>) -> Self {
        let server = Server::of_answers(answers);
        let program = home.program(&[]);
        let command = [env!("CARGO_BIN_EXE_recto"), "agent", "--model", &server.address];
        let mut launch = Launch::command(command).in_directory(home.project());
        for (name, value) in program.get_envs() {
            launch = launch.with(name, value.unwrap_or_default());
        }
        let options = Options { size: Size::new(100, 90), ..Options::default() };
        let talk = Self { home, server, terminal: Terminal::start(&launch, options).unwrap() };
        talk.shows("/help shows what there is");
        talk
    }

    fn of_replies(replies: &[&str]) -> Self {
        Self::begin(replies.iter().map(|reply| Answer::says(reply)).collect())
    }

    fn screen(&self) -> String {
        self.terminal.with_screen(|screen| screen.text())
    }

    /// Waits until the screen shows it.
    #[track_caller]
    fn shows(&self, wanted: &str) {
        let found = self.terminal.wait_until(LONG, |screen| screen.text().contains(wanted).then_some(()));
        found.unwrap_or_else(|error| panic!("{wanted:?}: {error}\n{}", self.screen()));
    }

    /// Waits until the program waits for a line, behind this prompt.
    #[track_caller]
    fn waits(&self, prompt: &str) {
        let ends = |text: String| text.trim_end().ends_with(prompt).then_some(());
        let found = self.terminal.wait_until(LONG, |screen| ends(screen.text()));
        found.unwrap_or_else(|error| panic!("{prompt:?}: {error}\n{}", self.screen()));
    }

    /// Types a line, and waits until the screen shows something.
    #[track_caller]
    fn says(&self, line: &str, wanted: &str) {
        // The prompt may not stand there yet: what is typed before it is read all the same.
        self.terminal.send(format!("{line}\r").as_bytes()).unwrap();
        self.shows(wanted);
    }
}

#[test]
fn each_command_says_what_it_did_or_what_it_needs() {
    let talk = Talk::of_replies(&[]);
    for (line, says) in [
        ("/context", "about 0 tokens"),
        ("/mode plan", "\nplan>"),
        ("/mode nonsense", "there is no mode nonsense; there are ask, plan and agent"),
        ("/mode agent", "\nagent\nagent>"),
        ("/lang German", "Answers are in German."),
        ("/lang", "Answers are in the language of the question."),
        ("/memory", "There are no rules."),
        ("/compact", "There is nothing to sum up yet."),
        ("/diff", "This session changed nothing."),
        ("/rewind", "There is no checkpoint"),
        ("/rewind x", "x is no number of a checkpoint"),
        ("/undo", "nothing"),
        ("/pin a.py", "no file came along yet"),
        ("/model", "tiny"),
        ("/model nope", "no model is set up"),
        ("/export", "say where to: /export FILE"),
        ("/batch", "say which file has the prompts"),
        ("/batch none.txt", "there is no file"),
        ("/loop", "say how often and what: /loop N PROMPT"),
        ("/loop 0 x", "0 is no number from 1 to 100"),
        ("/btw", "ask something: /btw QUESTION"),
        ("/resume nobody", "there is no session nobody"),
        ("/nosuch", "there is no /nosuch; /help shows what there is"),
    ] {
        talk.says(line, says);
    }
    assert_eq!(talk.server.asked().len(), 0, "none of them needs the model");
}

#[test]
fn a_question_beside_is_answered_and_does_not_enter_the_conversation() {
    let talk = Talk::of_replies(&["One.\n<done/>", "Beside.", "Two.\n<done/>"]);
    talk.says("First question", "One.");
    talk.says("/btw Second question", "Beside.");
    talk.says("Third question", "Two.");
    let asked = talk.server.asked();
    let said = |n: usize| asked[n].body["messages"].to_string();
    assert!(said(1).contains("First question") && said(1).contains("Second question"), "it knows what was said");
    assert!(said(2).contains("First question") && !said(2).contains("Second question"), "{}", said(2));
    talk.says("/quit", "recto agent --resume");
    let listed = String::from_utf8(talk.home.recto(&["session", "list"]).stdout).unwrap();
    assert_eq!(listed.lines().count(), 1, "it is no session to go on with: {listed}");
}

#[test]
fn an_edit_is_asked_about_shown_and_taken_back() {
    let talk = Talk::of_replies(&[EDIT, "<done/>", EDIT, "<done/>"]);
    talk.says("Make f in a.py return 2", "[y] yes");
    talk.says("n", "what the model needed was not permitted");
    assert_eq!(talk.home.read("a.py"), FILE);
    talk.says("/clear", "A new conversation begins.");
    talk.says("Do it in a.py", "it changes a file");
    talk.waits("\n?");
    talk.says("y", "Done. 2 steps");
    assert_eq!(talk.home.read("a.py"), "def f():\n    return 2\n");
    talk.says("/context", "file a.py: full");
    talk.says("/pin a.py", "a.py stays whole.");
    talk.says("/context", "file a.py: full, pinned");
    talk.says("/diff", "a.py (Modified, +1 -1)");
    talk.says("/rewind", "Do it in a.py  (a.py)");
    talk.says("/rewind 1", "1 file is put back; /undo undoes it.");
    assert_eq!(talk.home.read("a.py"), FILE);
    talk.says("/undo", "1 file is as before the rewind.");
    assert_eq!(talk.home.read("a.py"), "def f():\n    return 2\n");
    talk.says("/export out.json", "out.json is written.");
    assert!(talk.home.read("out.json").contains("\"in_conversation\""));
}

#[test]
fn an_interrupt_stops_a_reply_and_two_at_the_line_leave() {
    let talk = Talk::begin(vec![Answer::hangs_after("I begin "), Answer::says("Well.\n<done/>")]);
    talk.says("Think", "I begin");
    talk.terminal.send(b"\x03").unwrap();
    talk.shows("Stopped.");
    talk.says("Again", "Well.");
    talk.shows("Done.");
    talk.waits("agent>");
    talk.terminal.send(b"\x03").unwrap();
    talk.shows("Ctrl+C again leaves.");
    talk.waits("agent>");
    talk.terminal.send(b"\x03").unwrap();
    assert!(talk.terminal.wait_for_exit(LONG).unwrap().succeeded());
}

#[test]
fn an_interrupt_at_a_question_stops_the_run() {
    let talk = Talk::of_replies(&[EDIT, "<done/>"]);
    talk.says("Make f return 2", "[y] yes");
    talk.waits("\n?");
    talk.terminal.send(b"\x03").unwrap();
    talk.shows("Stopped. 1 step");
    assert_eq!((talk.home.read("a.py").as_str(), talk.server.asked().len()), (FILE, 1));
}

#[test]
fn commands_of_ones_own_are_prompts_and_take_no_name_that_is_taken() {
    let home = Home::new();
    let commands = home.models().parent().unwrap().join("commands");
    std::fs::create_dir_all(&commands).unwrap();
    std::fs::write(
        commands.join("greet.md"),
        "---\ndescription: Greets somebody\nmode: ask\n---\nGreet $ARGUMENTS nicely.",
    )
    .unwrap();
    std::fs::write(commands.join("help.md"), "never read").unwrap();
    home.write("batch.txt", "# a remark\nfirst thing\nsecond thing\n");
    let replies = ["Hello Ann.", "Once.\n<done/>", "Twice.\n<done/>", "First.\n<done/>", "Second.\n<done/>"];
    let talk = Talk::begin_in(home, replies.iter().map(|reply| Answer::says(reply)).collect());
    talk.shows("commands/help.md is not used: /help is there already");
    talk.says("/help", "Greets somebody");
    talk.says("/greet Ann", "Hello Ann.");
    assert!(talk.server.asked()[0].last().contains("Greet Ann nicely."));
    talk.says("/loop 2 Say it", "Twice.");
    talk.says("/batch batch.txt", "Second.");
    assert_eq!(talk.server.asked().len(), 5);
}

#[test]
fn lines_that_come_in_one_piece_are_all_read() {
    let talk = Talk::of_replies(&[]);
    talk.terminal.send(b"/mode plan\r/mode ask\r/lang German\r").unwrap();
    talk.shows("Answers are in German.");
    talk.waits("ask>");
}

#[test]
fn a_conversation_is_summed_up_and_the_words_can_be_ones_own() {
    let talk = Talk::of_replies(&[
        "One.\n<done/>",
        "Two.\n<done/>",
        "Three.\n<done/>",
        "We counted from one to three.",
        "You counted.",
    ]);
    for (line, says) in [("first", "One."), ("second", "Two."), ("third", "Three.")] {
        talk.says(line, says);
    }
    talk.says("/compact", "We counted from one to three.");
    talk.says("/compact We counted.", "The summary is yours now.");
    talk.says("/context", "summary");
    talk.says("/recap", "You counted.");
    let last = talk.server.asked().last().unwrap().body["messages"].to_string();
    assert!(last.contains("We counted.") && !last.contains("from one to three"), "{last}");
}
