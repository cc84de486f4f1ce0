//! Comments: written below their line, kept while they are written, moving with their text, taken out as Markdown.

use std::time::Duration;

use diff::comments::{Placement, Thread};
use recto::state::reviews::Request;

use crate::model::Model;
use crate::scratch::{Scratch, numbered};
use crate::window::{Home, Window};

const PATIENCE: Duration = Duration::from_mins(1);

/// A working tree with one file that is changed in two places.
fn changed() -> Scratch {
    let repo = Scratch::repository(&[("a.txt", &numbered(80, &[])), ("b.txt", "one\n")]);
    repo.write("a.txt", &numbered(80, &[10, 60]));
    repo.write("b.txt", "two\n");
    repo
}

fn threads(window: &Window) -> Vec<Thread> {
    let review = window.review();
    let comments = review.sheet.and_then(|sheet| window.app().state.desk.comments(sheet));
    comments.map(|comments| comments.threads.clone()).unwrap_or_default()
}

/// The lines the only thread is at, counted from 1, or that they are gone.
#[track_caller]
fn place(window: &Window) -> Result<(u32, u32), &'static str> {
    match window.review().discussion.placed.as_slice() {
        [placed] => match placed.placement.as_ref().expect("a place") {
            Placement::At { lines, .. } => Ok((lines.start + 1, lines.end)),
            Placement::Stale { .. } => Err("stale"),
            Placement::File => Err("file"),
        },
        placed => panic!("{placed:?}"),
    }
}

#[test]
fn a_comment_is_written_sent_and_there_again_after_a_restart() {
    let (home, repo) = (Home::new(), changed());
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("j c");
    window.check_says("Comment text");
    window.keys("'Why **this**?' Ctrl+Enter");
    window.check_says("Why **this**?");
    window.check_says("1 comment");
    assert!(!window.says("Comment text"), "the input is gone");
    assert_eq!(place(&window), Ok((10, 10)));
    window.keys("n");
    assert!(window.review_pane().anchor().file <= 1, "keys are the review's again");
    window.exit();

    let window = Window::on(&home, &[repo.path()]);
    window.check_says("Why **this**?");
    assert_eq!(place(&window), Ok((10, 10)));
    assert!(!threads(&window)[0].is_draft());
}

#[test]
fn a_pause_keeps_what_is_written_and_the_next_start_goes_on_with_it() {
    let (home, repo) = (Home::new(), changed());
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("j c 'half a thou'");
    drop(window); // not closed: as if it was killed

    let mut window = Window::on(&home, &[repo.path()]);
    window.check_says("half a thou");
    window.check_says("draft");
    window.click("Continue");
    window.keys("End 'ght' Ctrl+Enter");
    let thread = &threads(&window)[0];
    assert_eq!((thread.messages[0].text.as_str(), thread.is_draft()), ("half a thought", false));
}

#[test]
fn escape_keeps_a_draft_and_an_empty_one_is_no_comment() {
    let (home, repo) = (Home::new(), changed());
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("j c Escape");
    assert_eq!(threads(&window), []);
    window.keys("c 'later' Escape");
    assert!(threads(&window)[0].is_draft());
    window.check_says("draft");
    window.click("Delete comment");
    assert_eq!(threads(&window), []);
}

#[test]
fn a_thread_is_answered_edited_resolved_and_deleted() {
    let (home, repo) = (Home::new(), changed());
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("j c 'first' Ctrl+Enter");
    window.click("Reply");
    window.keys("'second' Ctrl+Enter");
    let said = |window: &Window| -> Vec<String> {
        threads(window).iter().flat_map(|thread| &thread.messages).map(|message| message.text.clone()).collect()
    };
    assert_eq!(said(&window), ["first", "second"]);

    window.click("Resolve");
    assert!(threads(&window)[0].resolved);
    window.check_says("Show resolved comment");
    window.click("Show resolved comment");
    window.click("Reopen");
    assert!(!threads(&window)[0].resolved);

    // The first message's button comes first.
    let at = window.places("Edit comment")[0].center();
    window.click_at(at);
    window.keys("End ' thing' Ctrl+Enter");
    assert_eq!(said(&window), ["first thing", "second"]);
    window.check_says("edited");

    let at = window.places("Delete comment")[1].center();
    window.click_at(at);
    assert_eq!(said(&window), ["first thing"]);
    window.click("Delete comment");
    assert_eq!(said(&window), Vec::<String>::new());
    window.click("Undo");
    assert_eq!(said(&window), ["first thing"]);
}

#[test]
fn a_comment_goes_with_its_text_and_is_stale_when_that_is_gone() {
    let (home, repo) = (Home::new(), changed());
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("j j c 'here' Ctrl+Enter");
    assert_eq!(place(&window), Ok((60, 60)));

    let text = numbered(80, &[10, 60]);
    repo.write("a.txt", &format!("new 1\nnew 2\n{text}"));
    window.keys("F5");
    assert_eq!(place(&window), Ok((62, 62)));

    repo.write("a.txt", &text.replace("line 60 changed\n", ""));
    window.keys("F5");
    assert_eq!(place(&window), Err("stale"));
    window.check_says("The lines are gone");
}

#[test]
fn a_comment_goes_with_what_is_typed_above_it() {
    let (home, repo) = (Home::new(), changed());
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("j j c 'here' Ctrl+Enter");
    window.keys("k e Home Enter Enter");
    assert_eq!(place(&window), Ok((62, 62)));
    window.keys("Ctrl+Z Ctrl+Z Escape");
    assert_eq!(place(&window), Ok((60, 60)));
}

#[test]
fn the_plus_beside_a_number_comments_on_that_side() {
    let (home, repo) = (Home::new(), changed());
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("j");
    let page = window.place_of_page();
    // The rows in view begin below the header; the number column is the first of the old side.
    let row = (0..40).map(|n| page.top() + 46.0 + n as f32 * 20.0).find(|&y| {
        window.point_at(eframe::egui::pos2(page.left() + 12.0, y));
        window.says("Comment on line 10")
    });
    let y = row.expect("line 10 is in view");
    window.click_at(eframe::egui::pos2(page.left() + 12.0, y));
    window.keys("'was better' Ctrl+Enter");
    assert_eq!(place(&window), Ok((10, 10)));
    assert_eq!(threads(&window)[0].anchor.side, diff::git::Side::Old);
}

#[test]
fn comments_are_listed_stepped_through_and_taken_out() {
    let (home, repo) = (Home::new(), changed());
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("j c 'one of a' Ctrl+Enter j c 'two of a' Ctrl+Enter j c 'one of b' Ctrl+Enter");
    let places = || [(0, 10), (0, 60), (1, 1)];
    let found: Vec<_> = window
        .review()
        .discussion
        .placed
        .iter()
        .map(|placed| (placed.file, placed.placement.as_ref().unwrap().line() + 1))
        .collect();
    assert_eq!(found, places());

    window.click("Comments 3");
    window.check_says("a.txt:60");
    window.click("Files 2");
    window.check_says("3 of 3 comments open");

    window.click("3 of 3 comments open");
    window.click("Copy as Markdown");
    let copied = window.headless().clipboard().to_owned();
    for part in
        ["# Review of ", "## a.txt", "a.txt:10", "line 10 changed", "one of a", "two of a", "## b.txt", "one of b"]
    {
        assert!(copied.contains(part), "no {part:?} in\n{copied}");
    }
    window.click("3 of 3 comments open");
    window.click("Save as Markdown…");
    assert_eq!(window.text().trim_end(), copied.trim_end(), "what is saved is what is copied");
}

#[test]
fn another_window_sees_a_comment_soon() {
    let (home, repo) = (Home::new(), changed());
    let mut one = Window::on(&home, &[repo.path()]);
    let mut other = Window::on(&home, &[repo.path()]);
    one.keys("j c 'look at this' Ctrl+Enter");
    other.headless().app_mut().state.desk.look();
    if threads(&other).is_empty() {
        let is_there = |app: &mut recto::app::App| {
            app.state.reviews.iter().any(|(_, review)| !review.discussion.placed.is_empty())
        };
        other.headless().run_until("comment of the other window", PATIENCE, is_there).unwrap();
    }
    other.rest();
    other.check_says("look at this");
}

/// The whole of it: a range is read to its end, commented on, taken out; and a restart finds everything.
#[test]
fn a_range_is_reviewed_from_start_to_end() {
    let home = Home::new();
    let repo = Scratch::repository(&[("readme.txt", "twelve\n")]);
    let write = |changed: &[usize]| {
        for n in 1..=12 {
            repo.write(&format!("part{n:02}.txt"), &numbered(40, changed));
        }
    };
    write(&[]);
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "before"]);
    write(&[7, 30]);
    repo.git(&["commit", "-qam", "after"]);
    let range = || Request::Revisions { folder: repo.path().to_owned(), words: "HEAD~1..HEAD".to_owned() };

    let mut window = Window::reviewing(&home, range());
    window.keys("j c 'Why seven?' Ctrl+Enter Shift+V");
    (1..12).for_each(|_| window.keys("Shift+V"));
    window.check_says("12 of 12 viewed");
    window.exit();

    let mut window = Window::reviewing(&home, range());
    window.check_says("12 of 12 viewed");
    window.keys("]");
    window.check_says("Why seven?");
    window.click("1 of 1 comments open");
    window.click("Copy as Markdown");
    let copied = window.headless().clipboard().to_owned();
    assert!(copied.contains("part01.txt:7") && copied.contains("Why seven?"), "{copied}");
}

/// What was said in the threads, in their order.
fn said(window: &Window) -> Vec<Vec<String>> {
    let texts = |thread: &Thread| thread.messages.iter().map(|message| message.text.clone()).collect();
    threads(window).iter().map(texts).collect()
}

#[test]
fn all_comments_go_to_the_agent_as_one_message_and_are_answered_one_by_one() {
    let (home, repo) = (Home::new(), changed());
    let model = Model::of(&home);
    model.says(
        "I looked at all three.\n\n[1] It was a slip.\n<edit_file path=\"a.txt\">\n<<<<<<< SEARCH\nline 10 changed\n=======\nline 10\n>>>>>>> REPLACE\n</edit_file>\n[3] b.txt:1: It is *meant* so.\n<done/>",
    );
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("j c 'Why ten?' Ctrl+Enter j c 'And sixty?' Ctrl+Enter j c 'What is two?' Ctrl+Enter");
    window.click("Comments 3");
    window.click("Send all to the agent");
    let asked = model.asked().remove(0);
    for part in
        ["### [1] a.txt:10", "Why ten?", "### [2] a.txt:60", "### [3] b.txt:1", "from [1] to [3]", "line 80\\n```"]
    {
        assert!(asked.contains(part), "no {part:?} in\n{asked}");
    }
    let one = |text: &str| vec![text.to_owned()];
    let two = |text: &str, answer: &str| vec![text.to_owned(), answer.to_owned()];
    assert_eq!(
        said(&window),
        [two("Why ten?", "It was a slip."), one("And sixty?"), two("What is two?", "It is *meant* so.")]
    );
    assert!(threads(&window)[0].is_answered() && threads(&window)[0].messages[1].author == "scripted");
    window.check_says("2 of 3 comments answered, in the review. Not answered: [2] a.txt:60.");
    window.check_says("I looked at all three.");
    window.check_says("2 answered");
    assert!(repo.read("a.txt").contains("line 10\n"), "what was asked for is done");

    // What is left is sent again, alone; what was answered is resolved by who asked.
    model.says("Sixty is right.");
    window.keys("Ctrl+Alt+Enter");
    assert_eq!(said(&window)[1], two("And sixty?", "Sixty is right."));
    window.check_says("The comment is answered");
    window.keys("Ctrl+Alt+Enter");
    window.check_says("Every comment was answered");
    window.click("Files 2");
    window.keys("Escape ]");
    let at = window.places("Resolve")[0].center();
    window.click_at(at);
    assert!(threads(&window)[0].resolved);
}

#[test]
fn answers_come_to_their_comments_though_the_window_was_closed_meanwhile() {
    let (home, repo) = (Home::new(), changed());
    let model = Model::of(&home);
    let held = model.begins("[1] It was a slip.\n[2] Sixty is");
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("j c 'Why ten?' Ctrl+Enter j c 'And sixty?' Ctrl+Enter j c 'What is two?' Ctrl+Enter");
    window.type_only("Ctrl+Alt+Enter");
    window.wait("text", |app| {
        app.state.chats.iter().any(|(_, chat)| format!("{:?}", chat.transcript.entries()).contains("Sixty is"))
    });
    window.exit();
    drop(held);

    model.says("[2] Sixty is right.\n[3] It is meant so. <done/>");
    let mut window = Window::on(&home, &[repo.path()]);
    assert!(threads(&window).iter().all(Thread::is_waiting));
    window.keys("Ctrl+Alt+I");
    window.click("Past conversations");
    let past = window.names().into_iter().find(|name| name.contains("Review of")).expect("it is listed");
    window.click(&past);
    window.click("Continue");
    let answers: Vec<String> = said(&window).into_iter().map(|thread| thread[1..].join("|")).collect();
    assert_eq!(answers, ["It was a slip.", "Sixty is right.", "It is meant so."]);
    window.check_says("All 3 comments are answered, in the review.");
    window.exit();

    // Nothing comes twice.
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("Ctrl+Alt+I");
    window.click("Past conversations");
    let past = window.names().into_iter().find(|name| name.contains("Review of")).expect("it is listed");
    window.click(&past);
    assert!(said(&window).iter().all(|thread| thread.len() == 2), "{:?}", said(&window));
}

#[test]
fn an_answer_that_was_stopped_says_so_and_its_comment_is_sent_again() {
    let (home, repo) = (Home::new(), changed());
    let model = Model::of(&home);
    let held = model.begins("[1] It was a slip.\n[2] Sixty is");
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("j c 'Why ten?' Ctrl+Enter j c 'And sixty?' Ctrl+Enter");
    window.type_only("Ctrl+Alt+Enter");
    window.wait("text", |app| {
        app.state.chats.iter().any(|(_, chat)| format!("{:?}", chat.transcript.entries()).contains("Sixty is"))
    });
    window.type_only("Escape");
    window.wait("end", |app| app.state.chats.iter().all(|(_, chat)| chat.running.is_none()));
    window.rest();
    assert_eq!(said(&window), [["Why ten?", "It was a slip."], ["And sixty?", "Sixty is"]]);
    let waiting: Vec<bool> = threads(&window).iter().map(Thread::is_waiting).collect();
    assert_eq!(waiting, [false, true], "what was not said to its end is no answer");
    window.check_says("It was stopped before every comment had its answer. Not answered: [2]");
    assert!(window.says("stopped") && window.says("answered"));
    drop(held);

    // What it says about something else is no answer either.
    model.says("Good morning. <done/>");
    window.keys("Ctrl+Alt+I 'Hello' Enter");
    assert_eq!(said(&window)[1], ["And sixty?", "Sixty is"]);

    model.says("Sixty is right. <done/>");
    window.keys("Ctrl+Alt+Enter");
    assert!(model.last_asked().contains("stopped before the end"), "{}", model.last_asked());
    assert_eq!(said(&window)[1], ["And sixty?", "Sixty is", "Sixty is right."]);
    window.check_says("The comment is answered");
    assert!(!threads(&window).iter().any(Thread::is_waiting));
}

#[test]
fn what_names_no_comment_stays_in_the_chat() {
    let (home, repo) = (Home::new(), changed());
    let model = Model::of(&home);
    model.says("All of it is fine. <done/>");
    let mut window = Window::on(&home, &[repo.path()]);
    window.keys("j c 'Why ten?' Ctrl+Enter j c 'And sixty?' Ctrl+Enter Ctrl+Alt+Enter");
    window.check_says("it stays here, and the 2 comments are without an answer");
    assert!(threads(&window).iter().all(Thread::is_waiting));

    // Asked once more, the model comes back to one of them by its number.
    model.says("[2] Sixty is needed. <done/>");
    window.keys("Ctrl+Alt+I 'By number, please' Enter");
    assert_eq!(said(&window)[1], ["And sixty?", "Sixty is needed."]);
    window.check_says("Answers to 1 comment went to their threads");
}
