//! What outlives a run: sessions that are taken up again, rewinds, agents that agents start, the list of what is to do.

use std::sync::Arc;

use editor::Cancel;

use super::scripted::Home;
use super::{EDIT, FILE};
use crate::checkpoint::What;
use crate::event::{End, EventKind};
use crate::protocol::ShownCode;
use crate::run::{Agent, Mode, Task};
use crate::tool::State;

#[test]
fn a_session_goes_on_where_it_was() {
    let home = Home::new(&[("a.py", FILE)]);
    let mut agent = home.agent(&["<read_file path=\"a.py\"/>", "<done/>"]);
    agent.run(&home.task("Remember the number 41"), &Cancel::new());
    let (session, before) = (agent.session().clone(), agent.conversation().clone());
    drop(agent);
    let mut agent = Agent::resume(Arc::new(home.setup(&["<done/>"])), home.store(), &session).unwrap();
    assert_eq!(agent.conversation(), &before);
    agent.run(&home.task("Which number?"), &Cancel::new());
    let requests = home.requests();
    let (first, last) = (&requests[requests.len() - 2], &requests[requests.len() - 1]);
    assert_eq!(last.messages[..first.messages.len()], first.messages[..]);
    assert_eq!(home.events().last().unwrap().run, 2);
}

#[test]
fn a_reply_that_was_asked_for_anew_is_exported_as_it_came() {
    let mut home = Home::new(&[("a.py", FILE)]);
    home.window = Some(4096);
    let unchanged = format!("```python\n{FILE}```");
    let mut setup = home.setup(&[&unchanged, "```python\ndef f():\n    return 2\n```"]);
    setup.edit_form = Some(crate::provider::EditForm::WholeFile);
    let mut agent = home.begin(setup);
    assert_eq!(agent.run(&home.task("The function in a.py is wrong."), &Cancel::new()).end, End::Done);
    let is_reply = |message: &crate::provider::Message| matches!(message, crate::provider::Message::Assistant { .. });
    assert!(!home.requests()[1].messages.iter().any(is_reply), "the model does not see it again");
    let session = agent.session().clone();
    let exported = crate::session::json(agent.store(), &session).unwrap();
    let replies: Vec<_> =
        exported["replies"].as_array().unwrap().iter().map(|r| (&r["text"], &r["in_conversation"])).collect();
    assert_eq!((replies[0].0.as_str(), replies[0].1), (Some(unchanged.as_str()), &false.into()), "{replies:?}");
    assert_eq!((replies.len(), replies[1].1), (2, &true.into()));
    let reply = replies[0].0.as_str().unwrap().as_bytes();
    let options = crate::protocol::Options { fences: crate::protocol::Fences::Any, ..Default::default() };
    let parsed = crate::protocol::parse(reply, options, crate::protocol::Ending::Whole);
    assert_eq!(parsed.actions().count(), 1, "and can be replayed");
    let kept = Agent::resume(Arc::new(home.setup(&[])), home.store(), &session).unwrap();
    assert_eq!(kept.conversation(), agent.conversation());
}

#[test]
fn a_rewind_takes_back_files_and_words_and_can_be_undone() {
    let home = Home::new(&[("a.py", FILE)]);
    let mut agent = home.agent(&[EDIT, "<done/>", "<done/>"]);
    agent.run(&home.task("Make f return 2"), &Cancel::new());
    let whole = agent.conversation().clone();
    let checkpoints = {
        let session = agent.session().clone();
        agent.store().checkpoints(&session).unwrap()
    };
    assert_eq!((checkpoints.len(), checkpoints[0].title.as_str()), (1, "Make f return 2"));
    let report = agent.rewind(1, What::Both).unwrap();
    assert_eq!((report.restored, home.read("a.py").as_deref()), (vec!["a.py".to_owned()], Some(FILE)));
    // The reply that wrote is gone, the question stays.
    let said = format!("{:?}", agent.conversation());
    assert!(said.contains("Make f return 2") && !said.contains("SEARCH"), "{said}");
    agent.undo_rewind().unwrap();
    assert_eq!(agent.conversation(), &whole);
    assert_eq!(home.read("a.py").unwrap(), "def f():\n    return 2\n");
}

#[test]
fn who_wrote_a_line_is_known() {
    let home = Home::new(&[("a.py", FILE)]);
    let mut agent = home.agent(&[EDIT, "<done/>"]);
    agent.run(&home.task("x"), &Cancel::new());
    home.write("a.py", "# mine\ndef f():\n    return 2\n");
    let project = home.folder.path().join("root").to_string_lossy().into_owned();
    let blame = agent.store().blame(&project, "a.py", &home.read("a.py").unwrap()).unwrap();
    let lines: Vec<_> =
        blame.iter().map(|b| (b.count, b.author.as_ref().map(|author| (author.step, author.model.as_str())))).collect();
    assert_eq!(lines, [(2, None), (1, Some((1, "scripted")))]);
}

#[test]
fn a_conversation_is_cleared_and_summed_up_on_demand() {
    let home = Home::new(&[]);
    let searches: Vec<_> = (0..4).map(|n| format!("<search_code query=\"q{n}\"/>")).collect();
    let mut replies: Vec<&str> = searches.iter().map(String::as_str).collect();
    replies.extend(["<done/>", "The four searches found nothing at all."]);
    let mut agent = home.agent(&replies);
    agent.run(&home.task("Search"), &Cancel::new());
    let before = agent.conversation().entries().len();
    assert!(agent.compact(None, &Cancel::new()));
    assert!(agent.conversation().entries().len() < before);
    let said = format!("{:?}", agent.conversation());
    assert!(said.contains("found nothing at all") && said.contains("word for word: Search"), "{said}");
    assert!(agent.summary().unwrap().contains("found nothing at all"));
    assert!(agent.correct_summary("Four searches, no hits."));
    assert_eq!(agent.summary(), Some("Four searches, no hits."));
    let kept = Agent::resume(Arc::new(home.setup(&[])), home.store(), agent.session()).unwrap();
    assert_eq!(kept.conversation(), agent.conversation());
    agent.clear().unwrap();
    assert!(agent.conversation().entries().is_empty());
}

#[test]
fn another_agent_has_a_session_of_its_own() {
    let home = Home::new(&[("a.py", FILE)]);
    let mut agent = home.agent(&[
        "<tool name=\"task\">{\"prompt\": \"Look at a.py\", \"mode\": \"ask\"}</tool>",
        "It returns 1.",
        "I know now.\n<done/>",
    ]);
    let ended = agent.run(&home.task("Find out"), &Cancel::new());
    assert_eq!((ended.end, ended.report.as_str()), (End::Done, "I know now."), "{:?}", home.events());
    let session = agent.session().clone();
    let children = agent.store().children(&session).unwrap();
    assert_eq!((children.len(), children[0].title.as_str()), (1, "Look at a.py"));
    assert!(agent.store().sessions(None, 10).unwrap().iter().all(|info| info.id == session));
    let told = format!("{:?}", home.requests().last().unwrap().messages.last());
    assert!(told.contains("It returns 1."), "{told}");
    // What the other one does is told, too, under its own name.
    assert!(home.events().iter().any(|event| event.session == children[0].id));
    // And it has no way to start more of them.
    assert!(!format!("{:?}", home.requests()[1].messages[0]).contains("name=\\\"task\\\""));
}

#[test]
fn an_agent_in_the_background_is_waited_for_at_the_end() {
    let home = Home::new(&[]);
    let start = "<tool name=\"task\">{\"prompt\": \"Count\", \"mode\": \"ask\", \"background\": true}</tool>";
    // Who of the two asks first is not known: both are content with the same answers.
    let mut agent = home.agent(&[start, "Nothing to be seen.\n<done/>", "Nothing to be seen.\n<done/>"]);
    let ended = agent.run(&home.task("x"), &Cancel::new());
    assert_eq!(ended.end, End::Done);
    assert!(format!("{:?}", agent.conversation()).contains("[task 1]"), "{:?}", home.events());
}

#[test]
fn the_list_of_what_is_to_do_is_kept() {
    let home = Home::new(&[]);
    let add = "<tool name=\"todo\">{\"do\": \"add\", \"items\": [{\"text\": \"one\"}, {\"text\": \"two\", \"blocked_by\": [1]}]}</tool>";
    let early = "<tool name=\"todo\">{\"do\": \"start\", \"id\": 2}</tool>";
    let first = "<tool name=\"todo\">{\"do\": \"done\", \"id\": 1}</tool>";
    let mut agent = home.agent(&[add, early, first, "The plan stands.\n<done/>"]);
    agent.run(&Task { mode: Mode::Plan, ..home.task("Plan it") }, &Cancel::new());
    let ok: Vec<_> = home
        .events()
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::ActionFinished { ok, .. } => Some(ok),
            _ => None,
        })
        .collect();
    assert_eq!(ok, [true, false, true]);
    let agent = Agent::resume(Arc::new(home.setup(&[])), home.store(), agent.session()).unwrap();
    let todo = agent.world().todo.lock().unwrap().clone();
    assert_eq!(todo.items().iter().map(|item| item.state).collect::<Vec<_>>(), [State::Done, State::Open]);
}

#[test]
fn code_of_an_answer_is_put_into_its_file_as_a_change_that_can_be_taken_back() {
    let home = Home::new(&[("a.py", "def f():\n    return 1\n\n\ndef g():\n    return f()\n")]);
    let answer = "Change `a.py`:\n\n```python\ndef f():\n    return 2\n```\n";
    let mut agent = home.agent(&[answer, "I see."]);
    let ask = |prompt: &str| Task { mode: Mode::Ask, ..home.task(prompt) };
    agent.run(&ask("What is wrong with a.py?"), &Cancel::new());
    let shown = |code: &str| ShownCode::read("python", "Change `a.py`:", code, None).unwrap();
    agent.apply(&shown("def f():\n    return 2\n"), 1).unwrap();
    let written = "def f():\n    return 2\n\n\ndef g():\n    return f()\n";
    assert_eq!(home.read("a.py").unwrap(), written, "only what the code defines is another");
    assert_eq!(home.changes().len(), 1);
    let session = agent.session().clone();
    let checkpoints = agent.store().checkpoints(&session).unwrap();
    assert_eq!(checkpoints.iter().map(|one| (one.run, one.files.len())).collect::<Vec<_>>(), [(2, 1)]);

    let again = agent.apply(&shown("def f():\n    return 2\n"), 1).unwrap_err();
    assert!(again.contains("already") || again.contains("same"), "{again}");
    let lazy = agent.apply(&shown("def f():\n    # ... rest of the code\n    return 3\n"), 1).unwrap_err();
    assert!(lazy.contains("stands for code that was not written"), "{lazy}");
    assert_eq!(home.read("a.py").unwrap(), written, "what cannot be applied writes nothing");

    agent.run(&ask("And now?"), &Cancel::new());
    let told = format!("{:?}", home.requests().last().unwrap().messages);
    assert!(told.contains("The user has put code of your answer into a.py"), "{told}");
    agent.rewind_run(2, What::Files).unwrap();
    assert!(home.read("a.py").unwrap().starts_with("def f():\n    return 1\n"));
}
