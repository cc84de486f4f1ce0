//! Where runs end, or are ended.

use std::sync::Arc;

use editor::Cancel;

use super::scripted::{Home, Said, cut, text};
use super::{EDIT, FILE};
use crate::event::{Answer, End, EventKind};
use crate::host::{ProjectPath, Scope};
use crate::provider::{self, Protocol, ProviderError};
use crate::run::{Agent, Ended, Task};

fn run(home: &Home, script: Vec<Said>) -> Ended {
    let mut setup = home.setup(&[]);
    setup.chat = home.chat(Protocol::Text, script);
    home.begin(setup).run(&home.task("Make f return 2"), &Cancel::new())
}

#[test]
fn all_steps_used_up_is_an_end_of_its_own_unless_somebody_wants_more() {
    let reads = || (0..9).map(|n| text(&format!("<search_code query=\"x{n}\"/>"))).collect::<Vec<_>>();
    let home = Home::new(&[]);
    let mut setup = home.setup(&[]);
    setup.chat = home.chat(Protocol::Text, reads());
    let task = Task { steps: Some(3), ..home.task("x") };
    let ended = home.begin(setup).run(&task, &Cancel::new());
    assert_eq!((ended.end, ended.steps, ended.end.exit_code()), (End::StepLimit, 3, 3));
    let home = Home::new(&[]);
    home.person.words.lock().unwrap().push_back("Look in the other folder".to_owned());
    let mut setup = home.setup(&[]);
    setup.chat = home.chat(Protocol::Text, reads()[..4].to_vec());
    let ended = home.begin(setup).run(&task, &Cancel::new());
    assert_eq!((ended.end, ended.steps), (End::Done, 5));
    assert!(format!("{:?}", home.requests()[3].messages.last()).contains("other folder"));
}

#[test]
fn the_same_action_again_and_again_brings_a_word_and_then_the_end() {
    let home = Home::new(&[]);
    let ended = run(&home, (0..9).map(|_| text("<search_code query=\"nothing\"/>")).collect());
    assert_eq!((ended.end, ended.steps), (End::Loop, 5));
    let told = |n: usize| format!("{:?}", home.requests()[n].messages.last());
    assert!(told(3).contains("third time") && !told(2).contains("third time"), "{}", told(3));
}

#[test]
fn an_edit_that_succeeded_and_comes_again_is_said_to_be_there() {
    let home = Home::new(&[("a.py", FILE)]);
    let ended = run(&home, (0..9).map(|_| text(EDIT)).collect());
    assert_eq!((ended.end, ended.steps), (End::Loop, 5));
    assert!(format!("{:?}", home.requests()[2].messages.last()).contains("already"));
    assert_eq!(home.read("a.py").unwrap(), "def f():\n    return 2\n");
}

#[test]
fn a_file_that_does_not_fit_comes_along_by_its_name_and_is_read_by_range() {
    let long: String = (0..190).map(|n| format!("value_{n} = \"{}\"\n", "x".repeat(60))).collect();
    let mut home = Home::new(&[("long.py", &long), ("a.py", FILE)]);
    home.window = Some(6000);
    let mut setup = home.setup(&[]);
    setup.chat = home.chat(Protocol::Text, vec![text("<read_file path=\"long.py\" lines=\"3-4\"/>"), text("<done/>")]);
    home.begin(setup).run(&home.task("Why is long.py not like a.py?"), &Cancel::new());
    let said = |n: usize| format!("{:?}", home.requests()[n].messages.last());
    assert!(said(0).contains("[file long.py]\\n(193 lines, ") && said(0).contains("return 1"), "{}", said(0));
    assert!(!said(0).contains("value_7") && said(1).contains("value_2") && !said(1).contains("value_7"), "{}", said(1));
    assert!(home.notices().contains("there is no room to show long.py whole"), "{}", home.notices());
}

#[test]
fn who_only_talks_is_reminded_once() {
    let home = Home::new(&[]);
    let ended = run(&home, vec![text("Let me first read the file."), text("I will now do it.")]);
    assert_eq!((ended.end, ended.steps), (End::NoAction, 2));
    assert!(format!("{:?}", home.requests()[1].messages.last()).contains("has no action in it"));
}

#[test]
fn text_that_runs_away_is_cut_off() {
    let home = Home::new(&[]);
    let ended = run(&home, vec![text(&"and again ".repeat(2000)), text("<done/>")]);
    assert_eq!(ended.end, End::Done);
    assert!(home.notices().contains("repeated itself"));
    let kept = format!("{:?}", home.requests()[1].messages);
    assert!(kept.len() < 9000, "{} bytes", kept.len());
}

#[test]
fn a_reply_cut_by_its_length_writes_nothing_and_says_so() {
    let home = Home::new(&[("a.py", FILE)]);
    let half = &EDIT[..EDIT.find(">>>>>>>").unwrap()];
    let ended = run(&home, vec![cut(half), text("<done/>")]);
    assert_eq!(ended.end, End::Done);
    assert_eq!(home.read("a.py").unwrap(), FILE);
    let told = format!("{:?}", home.requests()[1].messages.last());
    assert!(told.contains("limit of its length"), "{told}");
}

#[test]
fn a_stop_ends_a_run_while_the_model_is_silent() {
    let home = Home::new(&[]);
    let mut setup = home.setup(&[]);
    // Says something and then nothing any more.
    let (sender, receiver) = tokio::sync::mpsc::channel(4);
    sender.try_send(Ok(provider::Event::Text("I think".into()))).unwrap();
    setup.chat =
        Arc::new(Silent { inner: home.chat(Protocol::Text, vec![]), reply: std::sync::Mutex::new(Some(receiver)) });
    let cancel = Cancel::new();
    let stop = cancel.clone();
    let sink = setup.sink.clone();
    setup.sink = Arc::new(move |event| {
        sink(event);
        if matches!(event.kind, EventKind::Text { .. }) {
            stop.cancel();
        }
    });
    let mut agent = home.begin(setup);
    let ended = agent.run(&home.task("x"), &cancel);
    assert_eq!(ended.end, End::Stopped);
    drop(sender);
    assert!(format!("{:?}", agent.conversation()).contains("I think"));
}

struct Silent {
    inner: Arc<dyn provider::Chat>,
    reply: std::sync::Mutex<Option<tokio::sync::mpsc::Receiver<Result<provider::Event, ProviderError>>>>,
}

impl provider::Chat for Silent {
    fn spec(&self) -> &provider::ModelSpec {
        self.inner.spec()
    }

    fn send(&self, _: provider::Request) -> provider::Reply {
        provider::Reply::of(self.reply.lock().unwrap().take().unwrap())
    }

    fn facts(&self) -> provider::Asked<'_, provider::Facts> {
        self.inner.facts()
    }
}

#[test]
fn a_model_that_cannot_be_reached_has_its_own_exit_code() {
    let home = Home::new(&[]);
    let error = ProviderError::Unreachable { address: "http://127.0.0.1:1".into(), reason: "refused".into() };
    let ended = run(&home, vec![vec![Err(error)]]);
    assert_eq!((ended.end, ended.end.exit_code()), (End::Unreachable, 5));
    assert!(home.notices().contains("Is the server running"));
}

#[test]
fn an_overflow_teaches_the_window_and_is_not_sent_again_as_it_was() {
    let home = Home::new(&[]);
    let overflow = || vec![Err(ProviderError::ContextOverflow { prompt: Some(5000), limit: Some(4096) })];
    let mut script: Vec<_> = (0..4).map(|n| text(&format!("<search_code query=\"x{n}\"/>"))).collect();
    script.extend([overflow(), text("Searched for x0 to x3, found nothing."), text("<done/>")]);
    let ended = run(&home, script);
    assert_eq!(ended.end, End::Done, "{}", home.notices());
    let requests = home.requests();
    let last = requests.last().unwrap();
    assert!(last.text_bytes() < requests[4].text_bytes());
    assert!(
        format!("{:?}", last.messages).contains("found nothing")
            && format!("{:?}", last.messages).contains("Make f return 2")
    );
    // When even that does not help, the run ends as what it is.
    let home = Home::new(&[]);
    let ended = run(&home, vec![overflow(), overflow(), overflow()]);
    assert_eq!(ended.end.exit_code(), 6);
}

#[test]
fn a_prompt_that_would_not_fit_is_never_sent() {
    let mut home = Home::new(&[]);
    home.window = Some(2000);
    let mut setup = home.setup(&[]);
    setup.chat = home.chat(Protocol::Text, vec![]);
    let ended = home.begin(setup).run(&home.task(&"many words ".repeat(2000)), &Cancel::new());
    assert_eq!((ended.end, home.requests().len()), (End::Overflow, 0));
}

#[test]
fn a_long_conversation_stays_within_its_window() {
    let files: Vec<_> = (0..9).map(|n| (format!("f{n}.txt"), format!("line of file {n}\n").repeat(90))).collect();
    let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let mut home = Home::new(&files);
    home.window = Some(4000);
    let reads: Vec<_> = (0..9).map(|n| text(&format!("<read_file path=\"f{n}.txt\"/>"))).collect();
    let mut setup = home.setup(&[]);
    setup.chat = home.chat(Protocol::Text, reads);
    let ended = home.begin(setup).run(&Task { steps: Some(10), ..home.task("Read them") }, &Cancel::new());
    assert!(matches!(ended.end, End::Done | End::StepLimit), "{ended:?} {}", home.notices());
    for request in home.requests() {
        assert!(request.text_bytes() / 3 < 4000, "{}", request.text_bytes());
    }
    assert!(home.notices().contains("make room"), "{}", home.notices());
}

#[test]
fn what_is_not_permitted_is_not_done_and_the_run_says_so() {
    let home = Home::new(&[("a.py", FILE)]);
    home.person.answers.lock().unwrap().push_back(Answer::Deny { comment: "not this file".into() });
    let mut setup = home.setup(&[EDIT, "I was not allowed to.\n<done/>"]);
    setup.allow_edits = false;
    let ended = home.begin(setup).run(&home.task("x"), &Cancel::new());
    assert_eq!((ended.end, ended.end.exit_code()), (End::Denied, 4));
    assert_eq!(home.read("a.py").unwrap(), FILE);
    assert!(format!("{:?}", home.requests()[1].messages.last()).contains("not this file"));
}

#[test]
fn what_was_allowed_is_not_asked_when_the_session_goes_on_or_if_it_was_for_good() {
    let home = Home::new(&[("a.py", FILE), ("b.py", FILE)]);
    std::fs::create_dir(home.root().join("c")).unwrap();
    home.write("c/d.py", FILE);
    home.person.answers.lock().unwrap().push_back(Answer::AllowForSession);
    let mut agent = home.agent(&["<delete_file path=\"a.py\"/>", "<done/>"]);
    let session = agent.session().clone();
    agent.run(&home.task("x"), &Cancel::new());
    drop(agent);
    let setup = home.setup(&["<delete_file path=\"b.py\"/>", "<done/>"]);
    Agent::resume(Arc::new(setup), home.store(), &session).unwrap().run(&home.task("y"), &Cancel::new());
    assert_eq!(*home.person.asked.lock().unwrap(), ["delete a.py"]);

    let mut setup = home.setup(&["<delete_file path=\"c/d.py\"/>", "<done/>"]);
    setup.always.push(Scope { kind: "delete".to_owned(), folder: ProjectPath::parse("c").unwrap() });
    home.begin(setup).run(&home.task("z"), &Cancel::new());
    assert_eq!(home.person.asked.lock().unwrap().len(), 1);
    assert_eq!((home.read("b.py"), home.read("c/d.py")), (None, None));
}

#[test]
fn what_was_allowed_for_the_session_is_not_asked_again() {
    let home = Home::new(&[("a.py", FILE)]);
    home.person.answers.lock().unwrap().push_back(Answer::AllowForSession);
    let back = EDIT.replace("return 1", "return x").replace("return 2", "return 1").replace("return x", "return 2");
    let mut setup = home.setup(&[EDIT, &back, "<delete_file path=\"a.py\"/>", "<done/>"]);
    setup.allow_edits = false;
    home.begin(setup).run(&home.task("x"), &Cancel::new());
    assert_eq!(*home.person.asked.lock().unwrap(), ["edit a.py", "delete a.py"]);
    assert_eq!(home.read("a.py"), None);
}

fn small() -> Home {
    let mut home = Home::new(&[("a.py", FILE)]);
    home.small = true;
    home
}

fn mend(home: &Home, script: Vec<Said>) -> Ended {
    let mut setup = home.setup(&[]);
    setup.chat = home.chat(Protocol::Text, script);
    home.begin(setup).run(&home.task("f in a.py must return another number"), &Cancel::new())
}

/// A copy of `FILE` as a small model writes it, with its doubt about the number.
fn copy() -> Said {
    let pieces = ["```python\n", "def", " f", "():\n", "    return", " ", "1", "\n", "```"];
    let token = |piece: &str| {
        let mut choices = vec![(piece.to_owned(), 0.6)];
        choices.extend(match piece {
            "1" => vec![("2".to_owned(), 0.3), ("3".to_owned(), 0.1)],
            _ => Vec::new(),
        });
        provider::Event::Token(provider::Token { length: piece.len(), choices })
    };
    let mut said: Said =
        pieces.iter().flat_map(|piece| [provider::Event::Text((*piece).to_owned()), token(piece)]).map(Ok).collect();
    said.extend(text("").pop());
    said
}

#[test]
fn a_small_model_that_copies_goes_on_from_its_own_doubt() {
    let home = small();
    let ended = mend(&home, vec![copy(), text("\n```\nIt gives 2 now.")]);
    assert_eq!(home.read("a.py").unwrap(), "def f():\n    return 2\n");
    assert_eq!((ended.end, ended.steps), (End::Done, 2));
    let requests = home.requests();
    assert_eq!(requests.iter().map(|request| request.tokens).collect::<Vec<_>>(), [true, true]);
    assert_eq!(requests[1].temperature, None, "it goes on coldly");
    let (last, before) = requests[1].messages.split_last().unwrap();
    assert_eq!(*last, provider::Message::assistant("```python\ndef f():\n    return 2"));
    assert_eq!(before, requests[0].messages);
}

#[test]
fn a_small_model_is_told_how_a_file_is_deleted_when_that_is_asked_for() {
    let last_said = |request: &str| {
        let home = small();
        let setup = home.setup(&["<done/>"]);
        home.begin(setup).run(&home.task(request), &Cancel::new());
        format!("{:?}", home.requests()[0].messages.last())
    };
    assert!(last_said("Delete the file a.py.").contains("<delete_file path="));
    assert!(last_said("Rename a.py to b.py").contains("<rename_file from="));
    let edit = last_said("Remove the number in a.py");
    assert!(!edit.contains("<delete_file") && edit.contains("code block"), "{edit}");
}

#[test]
fn one_doubt_after_the_other_is_followed_and_then_it_is_asked_warmly() {
    let home = small();
    // What it goes on with from its first doubt is no code, from its second none that can be taken.
    let replies = vec![copy(), text(" +\n```"), text("(\n```"), text("```python\ndef f():\n    return 4\n```")];
    let ended = mend(&home, replies);
    assert_eq!(home.read("a.py").unwrap(), "def f():\n    return 4\n", "{ended:?}");
    let requests = home.requests();
    let begun = |at: usize| match requests[at].messages.last() {
        Some(provider::Message::Assistant { text, .. }) => text.clone(),
        _ => String::new(),
    };
    assert!(begun(1).ends_with("return 2") && begun(2).ends_with("return 3"), "{} {}", begun(1), begun(2));
    assert_eq!((begun(3).as_str(), requests[3].temperature.is_some()), ("", true));
}

#[test]
fn a_server_that_lets_nobody_begin_a_reply_is_asked_warmly() {
    let address = || "http://x".to_owned();
    let message = || "Assistant response prefill is incompatible with enable_thinking.".to_owned();
    // Older servers call the same a failure of their own.
    let refusals = [
        ProviderError::Refused { address: address(), status: 400, message: message() },
        ProviderError::Failed { address: address(), status: 500, message: message() },
    ];
    for refused in refusals {
        let home = small();
        let ended = mend(&home, vec![copy(), vec![Err(refused)], text("```python\ndef f():\n    return 4\n```")]);
        assert_eq!(home.read("a.py").unwrap(), "def f():\n    return 4\n", "{ended:?}");
        let requests = home.requests();
        assert_eq!(requests[2].messages, requests[0].messages);
        assert!(requests[2].temperature.is_some());
    }
}
