//! Runs against a model that says what a script says, with real files, a real store and a real log.

mod limits;
mod outgoing;
mod scripted;
mod sessions;

use std::fs;

use scripted::{Home, text};

use super::*;
use crate::event::ChangeKind;

const EDIT: &str = "I fix it.\n<edit_file path=\"a.py\">\n<<<<<<< SEARCH\n    return 1\n=======\n    return 2\n>>>>>>> REPLACE\n</edit_file>\n";
const FILE: &str = "def f():\n    return 1\n";

#[test]
fn a_file_is_read_edited_and_reported() {
    let home = Home::new(&[("a.py", FILE)]);
    let mut agent = home.agent(&["<read_file path=\"a.py\"/>", EDIT, "The function gives 2 now.\n<done/>"]);
    let ended = agent.run(&home.task("Make f return 2"), &Cancel::new());
    assert_eq!((ended.end, ended.steps), (End::Done, 3));
    assert_eq!(ended.report, "The function gives 2 now.");
    assert_eq!(ended.files, ["a.py"]);
    assert_eq!(home.read("a.py").unwrap(), "def f():\n    return 2\n");
    let kinds = home.kinds();
    assert_eq!(
        kinds.iter().map(String::as_str).collect::<Vec<_>>(),
        [
            "step",
            "writing",
            "usage",
            "action_started",
            "action_finished",
            "step",
            "text",
            "writing",
            "text",
            "usage",
            "action_started",
            "checkpoint",
            "action_finished",
            "step",
            "text",
            "writing",
            "usage",
            "done"
        ]
    );
    let requests = home.requests();
    let shown = format!("{:?}", requests[1].messages.last());
    assert!(shown.contains("return 1"), "{shown}");
}

#[test]
fn each_request_begins_with_all_of_the_one_before() {
    let home = Home::new(&[("a.py", FILE)]);
    let mut agent = home.agent(&["<read_file path=\"a.py\"/>", EDIT, "no action", "<done/>"]);
    agent.run(&home.task("Make f return 2"), &Cancel::new());
    let requests = home.requests();
    assert!(requests.len() >= 3);
    for pair in requests.windows(2) {
        assert_eq!(pair[1].messages[..pair[0].messages.len()], pair[0].messages[..]);
    }
}

#[test]
fn a_file_that_the_prompt_names_comes_along() {
    let home = Home::new(&[("a.py", FILE)]);
    let mut agent = home.agent(&[EDIT, "<done/>"]);
    agent.run(&home.task("The function in a.py is wrong."), &Cancel::new());
    let first = format!("{:?}", home.requests()[0].messages);
    assert!(first.contains("return 1"), "{first}");
    // Read again, it is known to be above.
    let mut agent = home.agent(&["<read_file path=\"a.py\"/>", "<done/>"]);
    agent.run(&home.task("Look at `a.py`, please"), &Cancel::new());
    let second = format!("{:?}", home.requests().last().unwrap().messages.last());
    assert!(second.contains("unchanged"), "{second}");
}

#[test]
fn an_edit_that_fails_is_explained_and_may_be_done_again() {
    let home = Home::new(&[("a.py", FILE)]);
    let wrong = EDIT.replace("    return 1", "    return one");
    let mut agent = home.agent(&[&wrong, EDIT, "<done/>"]);
    let ended = agent.run(&home.task("Make f return 2"), &Cancel::new());
    assert_eq!(ended.end, End::Done);
    let told = format!("{:?}", home.requests()[1].messages.last());
    assert!(told.contains("not in the file") && told.contains("return 1"), "{told}");
    assert_eq!(home.read("a.py").unwrap(), "def f():\n    return 2\n");
}

#[test]
fn who_says_done_while_an_edit_failed_is_told() {
    let home = Home::new(&[("a.py", FILE)]);
    let wrong = EDIT.replace("    return 1", "    return one") + "<done/>";
    let mut agent = home.agent(&[&wrong, EDIT, "<done/>"]);
    assert_eq!(agent.run(&home.task("x"), &Cancel::new()).end, End::Done);
    assert_eq!(home.requests().len(), 3);
}

#[test]
fn a_tiny_models_code_block_is_an_edit_and_the_end() {
    let home = Home::new(&[("a.py", FILE), ("b.py", "x = 1\n")]);
    let mut setup = home.setup(&["Here it is:\n\n```python\ndef f():\n    return 2\n```\n"]);
    setup.edit_form = Some(EditForm::WholeFile);
    let mut agent = home.begin(setup);
    let ended = agent.run(&home.task("The function in a.py is wrong."), &Cancel::new());
    assert_eq!((ended.end, ended.steps), (End::Done, 1), "{:?}", home.kinds());
    assert_eq!(home.read("a.py").unwrap(), "def f():\n    return 2\n");
}

#[test]
fn files_are_made_moved_and_removed() {
    let home = Home::new(&[("old.txt", "text\n"), ("gone.txt", "x\n")]);
    let reply = "<create_file path=\"sub/new.txt\">\nnew\n</create_file>\n<rename_file from=\"old.txt\" to=\"sub/old.txt\"/>\n\
                 <delete_file path=\"gone.txt\"/>\n<done/>";
    let mut agent = home.agent(&[reply]);
    let ended = agent.run(&home.task("Tidy"), &Cancel::new());
    assert_eq!(ended.end, End::Done, "{:?}", home.events());
    assert_eq!(home.read("sub/new.txt").as_deref(), Some("new\n"));
    assert_eq!(home.read("sub/old.txt").as_deref(), Some("text\n"));
    assert_eq!((home.read("gone.txt"), home.read("old.txt")), (None, None));
    let changes: Vec<_> = home.changes().into_iter().map(|change| (change.path, change.kind)).collect();
    assert_eq!(
        changes,
        [
            ("sub/new.txt".to_owned(), ChangeKind::Created),
            ("sub/old.txt".to_owned(), ChangeKind::Renamed { from: "old.txt".into() }),
            ("gone.txt".to_owned(), ChangeKind::Deleted)
        ]
    );
}

#[test]
fn nothing_is_changed_where_only_looking_is_allowed() {
    let home = Home::new(&[("a.py", FILE)]);
    let mut agent = home.agent(&[EDIT, "It should return 2."]);
    let ended = agent.run(&Task { mode: Mode::Ask, ..home.task("What is wrong?") }, &Cancel::new());
    assert_eq!(ended.end, End::Answered);
    assert_eq!(home.read("a.py").unwrap(), FILE);
}

#[test]
fn paths_that_leave_the_project_are_refused() {
    let home = Home::new(&[]);
    fs::write(home.folder.path().join("outside.txt"), "theirs").unwrap();
    let reply = "<read_file path=\"../outside.txt\"/>\n<read_file path=\"/etc/passwd\"/>\n<create_file path=\"../x\">y</create_file>\n\
                 <delete_file path=\"../outside.txt\"/>\n<create_file path=\".git/hooks/pre-commit\">z</create_file>\n";
    let mut agent = home.agent(&[reply, "<done/>"]);
    agent.run(&home.task("x"), &Cancel::new());
    let finished = home.events().into_iter().filter_map(|event| match event.kind {
        EventKind::ActionFinished { ok, .. } => Some(ok),
        _ => None,
    });
    assert_eq!(finished.collect::<Vec<_>>(), [false; 5]);
    assert!(!home.folder.path().join("x").exists());
    assert_eq!(fs::read_to_string(home.folder.path().join("outside.txt")).unwrap(), "theirs");
}

#[test]
fn secrets_stay_here_and_survive_an_edit() {
    let token = format!("gh{}{}", "p_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");
    let file = format!("TOKEN = \"{token}\"\nPORT = 1\n");
    let home = Home::new(&[("conf.py", &file), (".env", "PASS=hunter2hunter2\n")]);
    let edit = "<edit_file path=\"conf.py\">\n<<<<<<< SEARCH\nTOKEN = \"«secret:GITHUB_TOKEN»\"\nPORT = 1\n=======\n\
                TOKEN = \"«secret:GITHUB_TOKEN»\"\nPORT = 2\n>>>>>>> REPLACE\n</edit_file>";
    let steal = "<create_file path=\"public.txt\">\n«secret:GITHUB_TOKEN»\n</create_file>";
    let look = "<read_file path=\".env\"/>\n<search_code query=\"hunter|TOKEN\"/>";
    let mut agent = home.agent(&[look, edit, steal, "<done/>"]);
    agent.run(&home.task(&format!("conf.py has {token} in it")), &Cancel::new());
    assert_eq!(home.read("conf.py").unwrap(), file.replace("PORT = 1", "PORT = 2"), "{:?}", home.events());
    assert_eq!(home.read("public.txt").unwrap(), "«secret:GITHUB_TOKEN»\n");
    let sent = format!("{:?}", home.requests());
    assert!(!sent.contains(&token) && !sent.contains("hunter2hunter2"), "{sent}");
    assert!(sent.contains("«secret:PASS»"));
    let log = fs::read_to_string(home.audit()).unwrap();
    assert!(!log.contains(&token) && !log.contains("hunter2hunter2"));
}

#[test]
fn what_is_done_is_on_record() {
    let home = Home::new(&[("a.py", FILE)]);
    let mut agent = home.agent(&[EDIT, "<delete_file path=\"a.py\"/>", "<done/>"]);
    agent.run(&home.task("x"), &Cancel::new());
    let checked = crate::audit::check(&home.audit()).unwrap();
    assert!(checked.broken.is_empty());
    let deeds: Vec<_> = checked
        .records
        .iter()
        .map(|record| match &record.deed {
            Deed::Sent { messages, .. } => format!("sent {messages}"),
            Deed::Changed { what, path, .. } => format!("{what} {path}"),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(deeds.iter().filter(|deed| deed.starts_with("sent")).count(), 3, "{deeds:?}");
    assert!(deeds.contains(&"edited a.py".to_owned()) && deeds.contains(&"removed a.py".to_owned()), "{deeds:?}");
}

#[test]
fn native_calls_are_answered_by_their_names() {
    let home = Home::new(&[("a.py", FILE)]);
    let mut setup = home.setup(&[]);
    setup.chat = home.native(vec![
        scripted::call("read_file", r#"{"path":"a.py"}"#),
        scripted::call("edit_file", r#"{"path":"a.py","blocks":[{"search":"    return 1","replace":"    return 2"}]}"#),
        text("It is done."),
    ]);
    let mut agent = home.begin(setup);
    let ended = agent.run(&home.task("x"), &Cancel::new());
    assert_eq!((ended.end, ended.report.as_str()), (End::Done, "It is done."), "{:?}", home.events());
    assert_eq!(home.read("a.py").unwrap(), "def f():\n    return 2\n");
    let requests = home.requests();
    assert!(requests[0].tools.iter().any(|tool| tool.name == "edit_file"));
    let answers = format!("{:?}", requests[2].messages);
    assert!(answers.contains("Tool { call: \"call-1\""), "{answers}");
}

#[test]
fn two_calls_that_cannot_be_read_end_native_mode() {
    let home = Home::new(&[("a.py", FILE)]);
    let mut setup = home.setup(&[]);
    setup.chat = home.native(vec![
        scripted::call("read_file", "{\"path\": "),
        scripted::call("read_file", "nonsense"),
        text("<read_file path=\"a.py\"/>"),
        text("<done/>"),
    ]);
    let mut agent = home.begin(setup);
    assert_eq!(agent.run(&home.task("x"), &Cancel::new()).end, End::Done);
    let requests = home.requests();
    assert!(!requests[1].tools.is_empty() && requests[2].tools.is_empty());
}
