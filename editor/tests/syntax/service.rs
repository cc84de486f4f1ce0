//! The service as a window uses it: requests in, answers out, never a wait.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, bounded};
use editor::syntax::{Highlighted, Limits, LineSpan, Notice, Request, Service, Token};
use editor::{ChangeSet, Text};

use super::language;

/// Longest wait for an answer; only a failing test waits that long.
const PATIENCE: Duration = Duration::from_mins(1);

struct Window {
    service: Service,
    woken: Receiver<()>,
}

impl Window {
    fn open(limits: Limits) -> Self {
        let (wake, woken) = bounded(1024);
        let notify = move || {
            // A full channel wakes the window as well.
            let _ = wake.try_send(());
        };
        Self { service: Service::start(2, limits, notify).unwrap(), woken }
    }

    /// Waits until an answer says what is looked for.
    #[track_caller]
    fn wait_for(&self, wanted: impl Fn(&Highlighted) -> bool) -> Highlighted {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(answer) = self.service.poll().into_iter().find(&wanted) {
                return answer;
            }
            let left = until.saturating_duration_since(Instant::now());
            assert!(self.woken.recv_timeout(left).is_ok(), "no such answer in {PATIENCE:?}");
        }
    }

    fn ask(&self, request: Request) -> Highlighted {
        let (key, version) = (request.key, request.version);
        self.service.request(request);
        self.wait_for(|answer| answer.key == key && answer.version == version)
    }
}

fn request(version: u64, source: &str) -> Request {
    let text = Text::from(source);
    let lines = 0..text.line_count();
    Request::new(1, version, language("rust"), text, lines)
}

fn span(start: u32, end: u32, token: Token) -> LineSpan {
    LineSpan { start, end, token }
}

#[test]
fn an_answer_has_the_spans_of_each_line_asked_for() {
    let window = Window::open(Limits::default());
    let source = "use a;\r\n/* x\r\n y */ fn f() {}\r\n";
    let answer = window.ask(Request { lines: 1..99, ..request(7, source) });
    assert_eq!((answer.version, answer.lines.clone(), answer.notice.clone()), (7, 1..4, None));
    assert_eq!(answer.spans.len(), 3);
    assert_eq!(*answer.spans[0], [span(0, 4, Token::Comment)], "without the line ending");
    assert_eq!(answer.spans[1][..2], [span(0, 5, Token::Comment), span(6, 8, Token::Keyword)]);
    assert!(answer.spans[2].is_empty());
}

#[test]
fn headers_come_with_the_spans_when_asked_for() {
    let window = Window::open(Limits::default());
    let source = "impl Engine {\n    fn run() {\n        a;\n    }\n}\n";
    let answer = window.ask(Request { enclosing: vec![0, 1, 2], ..request(1, source) });
    let expected = [(0, None), (1, Some("impl Engine".to_owned())), (2, Some("fn run()".to_owned()))];
    assert_eq!(answer.enclosing, expected);
}

#[test]
fn changes_are_followed_given_or_not() {
    let window = Window::open(Limits::default());
    let first = request(1, "fn a() { 1 }\n");
    window.ask(first.clone());
    let changes = ChangeSet::from_edits(first.text.len(), [(0..0, "// é\n")]);
    let text = changes.apply(&first.text);
    let known = Request { version: 2, changes: vec![Arc::new(changes)], text: text.clone(), lines: 0..3, ..first };
    let fresh = Window::open(Limits::default());
    assert_eq!(window.ask(known.clone()).spans, fresh.ask(known.clone()).spans);

    let unknown = request(3, "// é\nconst A: u8 = 2;\n");
    assert_eq!(window.ask(unknown.clone()).spans, fresh.ask(unknown).spans);

    // Changes that lead from another text than the last one asked about are not believed.
    let wrong = ChangeSet::from_edits(3, [(1..2, "xyz")]);
    let lied_to = Request { changes: vec![Arc::new(wrong)], ..request(4, "fn b() { \"s\" }\n") };
    let honest = Request { changes: Vec::new(), ..lied_to.clone() };
    assert_eq!(window.ask(lied_to).spans, Window::open(Limits::default()).ask(honest).spans);
}

#[test]
fn a_burst_of_typing_ends_in_the_colours_of_the_last_text() {
    let window = Window::open(Limits::default());
    let source = "fn f() { g(1); }\n".repeat(2_000);
    let mut last = request(0, &source);
    last.lines = 0..50;
    window.service.request(last.clone());
    for version in 1..=200 {
        let at = (version as usize * 7) % 400;
        let changes = ChangeSet::from_edits(last.text.len(), [(at..at, if version % 5 == 0 { "\n" } else { "x" })]);
        let text = changes.apply(&last.text);
        last = Request { version, text, changes: vec![Arc::new(changes)], ..last };
        window.service.request(last.clone());
    }
    let answer = window.wait_for(|answer| answer.version == 200);
    // The last burst was broken text, of which an old tree may say something else than a fresh one; mended, it may not.
    let mended = Request { version: 201, changes: Vec::new(), text: Text::from(source.as_str()), ..last };
    assert_eq!(answer.lines, 0..50);
    assert_eq!(window.ask(mended.clone()).spans, Window::open(Limits::default()).ask(mended).spans);
}

#[test]
fn only_the_latest_of_several_requests_of_a_key_is_answered() {
    let window = Window::open(Limits::default());
    let source = "fn f() { g(1); }\n".repeat(20_000);
    // Both workers are busy with other keys for a while, so that these requests wait for each other.
    for key in 2..6 {
        window.service.request(Request { key, ..request(0, &source) });
    }
    for version in 1..=50 {
        window.service.request(request(version, "fn a() {}\n"));
    }
    let answered = RefCell::new(Vec::new());
    window.wait_for(|answer| {
        answered.borrow_mut().extend((answer.key == 1).then_some(answer.version));
        (answer.key, answer.version) == (1, 50)
    });
    let answered = answered.into_inner();
    assert!(answered.len() <= 2, "one may have been begun before the rest came: {answered:?}");
}

#[test]
fn what_is_over_a_limit_is_plain_and_says_why() {
    let limits = Limits { bytes: 10_000, line_bytes: 1_000, ..Limits::default() };
    let window = Window::open(limits);
    let long_line = format!("fn a() {{}}\n// {}\nfn b() {{}}\n", "x".repeat(1_000));
    let answer = window.ask(request(1, &long_line));
    assert_eq!(answer.notice, Some(Notice::LongLine { line: 1, limit: 1_000 }));
    assert!(answer.spans.is_empty());
    let answer = window.ask(request(2, &"fn a() {}\n".repeat(1_001)));
    assert_eq!(answer.notice, Some(Notice::TooLarge { limit: 10_000 }));
    assert_eq!(answer.notice.unwrap().to_string(), "No highlighting: the file is larger than 1 MB");
    let answer = window.ask(request(3, "fn a() {}\n"));
    assert_eq!(answer.notice, None, "a text that shrinks is highlighted again");
}

#[test]
fn what_is_too_slow_is_given_up_and_not_tried_at_every_key() {
    let limits = Limits { parse: Duration::from_millis(1), ..Limits::default() };
    let window = Window::open(limits);
    let source = "fn f() { g(1); }\n".repeat(50_000);
    let slow = Some(Notice::TooSlow { limit: Duration::from_millis(1) });
    assert_eq!(window.ask(request(1, &source)).notice, slow);
    let answer = window.ask(request(2, &format!("{source}x")));
    assert_eq!(answer.notice, slow);
}

#[test]
fn a_forgotten_key_is_not_answered_and_frees_its_worker() {
    let window = Window::open(Limits { parse: Duration::from_hours(1), ..Limits::default() });
    let endless = "fn f() { g(1); }\n".repeat(400_000);
    for key in [10, 11] {
        window.service.request(Request { key, ..request(1, &endless) });
    }
    window.service.forget(10);
    window.service.forget(11);
    let answer = window.ask(request(2, "fn a() {}\n"));
    assert_eq!(answer.key, 1);
    assert!(window.service.poll().is_empty());
}

/// Case 15 of the editor's cases: no request holds up the one who asks, and each ends in colours or a notice.
#[test]
fn documents_that_hang_other_editors_end_in_an_answer() {
    let list: String =
        (0..5_000).map(|n| format!("- item {n} with `code`, *stress* and [link](http://x/{n})\n")).collect();
    let brackets = "(".repeat(100_000);
    let brackets_in_lines = "(\n".repeat(100_000);
    let macros = "fn f() { assert_eq!(g(vec![1, 2]), format!(\"{}\", x)); }\n".repeat(20_000);
    let one_line = "{\"a\": 1}, ".repeat(1 << 20);
    let nul = "\0".repeat(10 << 20);
    let documents = [
        ("markdown", list, true),
        ("c", brackets, false),
        ("rust", brackets_in_lines, false),
        ("rust", macros, true),
        ("json", one_line, false),
        ("rust", nul, false),
    ];
    let window = Window::open(Limits { parse: Duration::from_secs(10), ..Limits::default() });
    for (key, (name, source, coloured)) in documents.into_iter().enumerate() {
        let text = Text::from(source.as_str());
        let request = Request::new(key as u64, 0, language(name), text.clone(), 0..60);
        let started = Instant::now();
        window.service.request(request.clone());
        let held_up = started.elapsed();
        assert!(held_up < Duration::from_millis(50), "{name} held its window up for {held_up:?}");
        let answer = window.wait_for(|answer| answer.key == key as u64);
        assert!(answer.notice.is_some() || answer.spans.len() == answer.lines.len());
        if coloured {
            assert_eq!(answer.notice, None);
            assert!(answer.spans.iter().all(|line| !line.is_empty()), "{name}: every line has colours");
        }
        // A key typed in the middle of it.
        let changes = ChangeSet::from_edits(text.len(), [(text.len() / 2..text.len() / 2, "x")]);
        let typed = changes.apply(&text);
        window.ask(Request { version: 1, text: typed, changes: vec![Arc::new(changes)], ..request });
    }
}
