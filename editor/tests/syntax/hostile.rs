//! Texts nobody writes, and everybody opens once: work ends when its budget does, and nothing panics.

use std::time::{Duration, Instant};

use editor::syntax::{Budget, Language, Stop, Syntax};
use editor::{Cancel, ChangeSet, Text};

use super::{assert_whole, language};

/// What a deadline may be overrun by. The parser looks at it every hundred steps, but one step may read a whole token,
/// and this machine may be busy; minutes, which is what these texts take without a deadline, it is not.
const SLACK: Duration = Duration::from_secs(3);

const DEADLINE: Duration = Duration::from_millis(50);

/// What the text is, the languages it is worst for, and the text.
fn hostile_texts() -> Vec<(&'static str, &'static [&'static str], String)> {
    let nested_items = (0..5_000).map(|n| format!("{}- a\n", "  ".repeat(n % 200))).collect();
    vec![
        ("100,000 brackets that nobody closes", &["rust", "c", "javascript", "ruby", "bash"], "(".repeat(100_000)),
        ("100,000 brackets of two kinds", &["json", "yaml", "rust", "javascript"], "[{".repeat(50_000)),
        ("5,000 list items", &["markdown", "yaml"], "- item *a* `b` [c](d)\n".repeat(5_000)),
        ("5,000 nested list items", &["markdown", "yaml"], nested_items),
        ("5,000 nested quotes", &["markdown"], format!("{} a\n", "> ".repeat(5_000))),
        ("10 MB in one line", &["json", "javascript", "python"], "{\"a\":1},".repeat(10 << 17)),
        ("1 MB of NUL", &["bash", "c", "markdown", "html", "ruby", "yaml", "python", "php"], "\0".repeat(1 << 20)),
        ("NULs between words", &["rust", "bash", "javascript"], "fn a\0() {\0}\n".repeat(1_000)),
        ("100,000 quotes", &["python", "ruby", "bash", "php", "cpp"], "\"'`".repeat(33_334)),
        ("100,000 tags", &["html", "jsx", "php", "markdown"], "<a><b c='".repeat(11_112)),
        ("emphasis without end", &["markdown"], "*_**__".repeat(10_000)),
        ("100,000 less-thans", &["cpp", "typescript", "java", "csharp"], "a<".repeat(50_000)),
        ("macros in macros", &["rust"], "a!(".repeat(10_000)),
        ("heredocs without end", &["bash", "ruby", "php"], "cat <<A <<B\n".repeat(5_000)),
    ]
}

#[test]
fn no_language_outlives_its_deadline_on_a_hostile_text() {
    let mut mixed = String::new();
    for (what, worst, source) in hostile_texts() {
        let text = Text::from(source.as_str());
        for name in worst {
            check_deadline(what, language(name), &text);
        }
        mixed.extend(source.chars().take(2_000));
    }
    let text = Text::from(mixed.as_str());
    for language in Language::all() {
        check_deadline("a little of everything", language, &text);
    }
}

fn check_deadline(what: &str, language: Language, text: &Text) {
    let started = Instant::now();
    let budget = Budget::within(DEADLINE, &Cancel::new());
    match Syntax::parse_within(language, text, &budget) {
        Ok(mut syntax) => {
            assert!(started.elapsed() < DEADLINE + SLACK, "{language:?} parsed {what} for {:?}", started.elapsed());
            let started = Instant::now();
            let end = text.line_start(100).min(100_000);
            let range = 0..text.floor_char(end);
            let spans = syntax.spans(text, range.clone(), &Budget::within(DEADLINE, &Cancel::new()));
            assert!(started.elapsed() < DEADLINE + SLACK, "{language:?} coloured {what} for {:?}", started.elapsed());
            assert_whole(text, &range, &spans);
            syntax.enclosing(text, text.last_line());
        }
        Err(stop) => {
            assert_eq!(stop, Stop::TimedOut, "{language:?} on {what}");
            assert!(started.elapsed() < DEADLINE + SLACK, "{language:?} gave {what} up after {:?}", started.elapsed());
        }
    }
}

#[test]
fn a_cancelled_parse_ends_without_a_tree() {
    let cancel = Cancel::new();
    cancel.cancel();
    let text = Text::from("fn f() {}");
    assert!(Syntax::parse(language("rust"), &text, &cancel).is_none());
    let stopped = Syntax::parse_within(language("rust"), &text, &Budget::until(&cancel));
    assert_eq!(stopped.err(), Some(Stop::Cancelled));
}

#[test]
fn a_parse_is_cancelled_from_another_thread() {
    let text = Text::from("fn f() { g(1); }\n".repeat(200_000).as_str());
    let cancel = Cancel::new();
    let asked = cancel.clone();
    let (begun, wait) = crossbeam_channel::bounded(1);
    let parsing = std::thread::Builder::new()
        .name("parse".to_owned())
        .spawn(move || {
            begun.send(()).unwrap();
            let started = Instant::now();
            (Syntax::parse(language("rust"), &text, &cancel).is_none(), started.elapsed())
        })
        .unwrap();
    wait.recv().unwrap();
    asked.cancel();
    let (cancelled, took) = parsing.join().unwrap();
    assert!(cancelled, "3.4 MB take longer to parse than a flag takes to be seen");
    assert!(took < SLACK, "{took:?}");
}

#[test]
fn a_reparse_that_runs_out_of_time_leaves_the_old_colours() {
    let text = Text::from("fn f() {}\n".repeat(1_000).as_str());
    let mut syntax = Syntax::parse(language("rust"), &text, &Cancel::new()).unwrap();
    let before = syntax.spans(&text, 0..100, &Budget::until(&Cancel::new()));
    let changes = ChangeSet::from_edits(text.len(), [(text.len()..text.len(), "(")]);
    let after = changes.apply(&text);
    syntax.edit(&changes, &text, &after);
    assert_eq!(syntax.reparse(&after, &Budget::within(Duration::ZERO, &Cancel::new())), Err(Stop::TimedOut));
    assert!(syntax.is_stale());
    assert_eq!(syntax.spans(&after, 0..100, &Budget::until(&Cancel::new())), before);
    syntax.reparse(&after, &Budget::until(&Cancel::new())).unwrap();
}

#[test]
fn spans_of_nothing_and_beyond_the_end_are_none() {
    for source in ["", "\n", "a"] {
        let text = Text::from(source);
        let mut syntax = Syntax::parse(language("rust"), &text, &Cancel::new()).unwrap();
        let budget = Budget::until(&Cancel::new());
        assert!(syntax.spans(&text, 0..0, &budget).is_empty());
        assert!(syntax.spans(&text, 5..99, &budget).is_empty());
        assert_eq!(syntax.enclosing(&text, 99), None);
    }
}
