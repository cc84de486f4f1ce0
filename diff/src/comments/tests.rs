//! Comments through rounds of a change, and what is exported.

use editor::change::ChangeSet;
use editor::text::Text;
use proptest::prelude::*;

use super::*;
use crate::Cancel;
use crate::git::Side;
use crate::lines::Content;

fn content(text: &str) -> Content {
    Content::new(text.as_bytes()).unwrap()
}

/// An anchor at the lines between `«` and `»`, and the content without the marks.
fn anchored(marked: &str) -> (Anchor, Option<Origin>, Content) {
    let (start, end) = (marked.find('«').unwrap(), marked.find('»').unwrap());
    let line = |at: usize| marked[..at].matches('\n').count() as u32;
    let content = content(&marked.replace(['«', '»'], ""));
    let (anchor, origin) = Anchor::at("f.rs".into(), Side::New, &content, line(start)..line(end) + 1);
    (anchor, origin, content)
}

/// The new text with its place marked, and how it came there.
fn placed(marked: &str, new: &str, with_origin: bool) -> String {
    let (anchor, origin, _) = anchored(marked);
    let new = content(new);
    let origin = |_| origin.clone().filter(|_| with_origin);
    let placement = place([&anchor], origin, &new, &Cancel::new()).unwrap().remove(0);
    let line = |line: u32| String::from_utf8_lossy(new.line_text(line)).into_owned();
    match placement {
        Placement::File => "file".to_owned(),
        Placement::At { lines, how } => {
            format!("{how:?}: {}", lines.map(line).collect::<Vec<_>>().join(" | "))
        }
        Placement::Stale { near } => format!("stale before {:?}", line(near)),
    }
}

/// Checks where a comment is found with its origin and, if that is another place, without.
#[track_caller]
fn check(marked: &str, new: &str, with: &str, without: &str) {
    assert_eq!(placed(marked, new, true), with, "with its origin");
    assert_eq!(placed(marked, new, false), without, "without its origin");
}

const CODE: &str = "fn one() {\n    start();\n}\n\nfn two() {\n    «let total = first + second;»\n    total\n}\n";

#[test]
fn a_comment_stays_with_its_line() {
    let plain = CODE.replace(['«', '»'], "");
    let both = |new: &str, expected: &str| check(CODE, new, expected, expected);
    both(&plain, "Unmoved:     let total = first + second;");
    both(&format!("// a line above\n{plain}"), "Moved:     let total = first + second;");
    both(&plain.replace("    start();\n", ""), "Moved:     let total = first + second;");
    both(&plain.replace('\n', "\r\n"), "Unmoved:     let total = first + second;");
}

#[test]
fn a_comment_goes_with_a_block_that_moves() {
    let two = "fn two() {\n    let total = first + second;\n    total\n}\n\n";
    let moved = format!("{two}fn one() {{\n    start();\n    and_more();\n}}\n");
    check(CODE, &moved, "Moved:     let total = first + second;", "Moved:     let total = first + second;");
}

#[test]
fn a_comment_stays_with_a_line_that_is_edited() {
    let edited = CODE.replace(['«', '»'], "").replace("first + second", "first + second + third");
    check(
        CODE,
        &edited,
        "Edited:     let total = first + second + third;",
        "stale before \"    let total = first + second + third;\"",
    );
    let indented = CODE.replace(['«', '»'], "").replace("    let", "        let");
    assert_eq!(placed(CODE, &indented, true), "Edited:         let total = first + second;");
}

#[test]
fn a_comment_on_lines_that_are_gone_is_stale() {
    let gone = CODE.replace("    «let total = first + second;»\n", "");
    check(CODE, &gone, "stale before \"    total\"", "stale before \"    total\"");
    let other = CODE.replace("«let total = first + second;»", "return 0;");
    assert_eq!(placed(CODE, &other, true), "stale before \"    return 0;\"");
    check(CODE, "", "stale before \"\"", "stale before \"\"");
}

#[test]
fn a_line_that_could_be_anywhere_needs_its_neighbours() {
    let code = "a {\n    first();\n}\n\nb {\n    second();\n«}»\n";
    let moved = "new\nlines\na {\n    first();\n}\n\nb {\n    second();\n}\n";
    check(code, moved, "Moved: }", "Moved: }");
    // All its neighbours are gone: another bracket is not it.
    let other = "x {\n}\ny {\n}\nz {\n}\nlast\n";
    assert!(placed(code, other, false).starts_with("stale"), "{}", placed(code, other, false));
}

#[test]
fn a_range_keeps_what_is_left_of_it() {
    let code = "a\n«let one = compute_one();\nlet two = compute_two();\nlet three = compute_three();»\nz\n";
    let plain = code.replace(['«', '»'], "");
    let without_two = plain.replace("let two = compute_two();\n", "");
    assert_eq!(placed(code, &without_two, true), "Edited: let one = compute_one(); | let three = compute_three();");
    let with_more = plain.replace("let two", "let more = compute_more();\nlet two");
    let expected = "Edited: let one = compute_one(); | let more = compute_more(); | let two = compute_two(); | let three = compute_three();";
    assert_eq!(placed(code, &with_more, true), expected);
    // Of a function a bracket stays, which is not what the comment is about.
    let function = "a\n«fn gone() {\n    do_something();\n    and_more();\n}»\nfn stays() {\n    x();\n}\n";
    assert!(placed(function, "a\nfn stays() {\n    x();\n}\n", true).starts_with("stale"));
}

#[test]
fn a_comment_on_a_file_stays_with_the_file() {
    let anchor = Anchor::of_file("f".into(), Side::New);
    let placements = place([&anchor], |_| None, &content("anything\n"), &Cancel::new()).unwrap();
    assert_eq!(placements, [Placement::File]);
}

#[test]
fn a_thread_is_of_a_file_by_its_old_name_too() {
    let thread = Thread::new(Anchor::of_file("old".into(), Side::New), "", Message::sent("me", "text"));
    let mut change = FileChange::at("new".into(), None, None);
    assert!(!thread.is_of(&change));
    change.old_path = Some("old".into());
    assert!(thread.is_of(&change));
    change = FileChange::at("old".into(), None, None);
    assert!(thread.is_of(&change));
}

/// Pins the line between marks and makes edits, given as what is replaced by what; the place afterwards.
fn pinned(marked: &str, edits: &[(&str, &str)]) -> String {
    let (anchor, _, content) = anchored(marked);
    let mut text = Text::from(std::str::from_utf8(content.bytes()).unwrap());
    let placement = Placement::At { lines: anchor.lines, how: How::Unmoved };
    let mut pins = Pins::new(&text, [(Id::new(), &placement)]);
    for (old, new) in edits {
        let at = text.to_string().find(old).unwrap();
        let changes = ChangeSet::from_edits(text.len(), [(at..at + old.len(), new)]);
        pins.edit(&changes);
        text = changes.apply(&text);
    }
    match pins.all()[0].placement(&text) {
        Placement::At { lines, how } => {
            format!("{how:?}: {}", lines.map(|line| text.line(line).into_owned()).collect::<Vec<_>>().join(" | "))
        }
        Placement::Stale { near } => format!("stale before {:?}", text.line(near)),
        Placement::File => "file".to_owned(),
    }
}

#[test]
fn pins_follow_typing() {
    let check = |edits: &[(&str, &str)], expected: &str| {
        assert_eq!(pinned("one\n«two»\nthree\n", edits), expected, "{edits:?}");
    };
    check(&[("one", "one\nmore")], "Moved: two");
    check(&[("three", "3")], "Unmoved: two");
    check(&[("two", "two and more")], "Edited: two and more");
    check(&[("two", "2\n2")], "Edited: 2 | 2");
    check(&[("two", "\ntwo")], "Edited:  | two");
    check(&[("two\n", "")], "stale before \"three\"");
    check(&[("one\ntwo\nthree\n", "")], "stale before \"\"");
    assert_eq!(pinned("one\n«»\nthree\n", &[("one", "one\n1")]), "Moved: ", "a blank line");
}

fn export(threads: &[(Thread, Placement)], options: &MarkdownOptions<'_>) -> String {
    let exported: Vec<_> = threads
        .iter()
        .map(|(thread, placement)| Exported { thread, path: &thread.anchor.path, placement, code: None })
        .collect();
    markdown(&exported, options)
}

#[test]
fn comments_are_exported_in_order_with_their_code() {
    let (anchor, ..) = anchored("a\n«let x = 1;»\nb\n");
    let at = |lines, how| Placement::At { lines, how };
    let mut first = Thread::new(anchor.clone(), "", Message::sent("Ann", "Why 1?\n"));
    first.messages.push(Message::sent("Ben", "It was 0 before."));
    first.messages.push(Message::draft("Ann", "I see."));
    let old =
        Thread::new(Anchor { side: Side::Old, lines: 4..6, ..anchor.clone() }, "", Message::sent("Ann", "Keep it."));
    let mut done = Thread::new(anchor.clone(), "", Message::sent("Ann", "Done."));
    done.resolved = true;
    let ticks = Anchor { text: b"``` not the end\n".to_vec(), path: "g.md".into(), ..anchor };
    let stale = Thread::new(ticks, "", Message::sent("Ann", "Gone?"));
    let whole = Thread::new(Anchor::of_file("h".into(), Side::New), "", Message::sent("Ann", "Needs a test."));
    let threads = [
        (first, at(6..7, How::Moved)),
        (old, at(4..6, How::Edited)),
        (done, at(1..2, How::Unmoved)),
        (stale, Placement::Stale { near: 0 }),
        (whole, Placement::File),
    ];
    let options = MarkdownOptions { title: "main...topic", ..MarkdownOptions::default() };
    let expected = "# Review of main...topic\n\n## f.rs\n\n### 1. f.rs:7\n\n```rs\nlet x = 1;\n```\n\n**Ann**:\n\nWhy 1?\n\n\
                    **Ben**:\n\nIt was 0 before.\n\n### 2. f.rs:5-6 (old side), edited since\n\n```rs\nlet x = 1;\n```\n\nKeep it.\n\n\
                    ## g.md\n\n### 3. g.md:2, stale: the lines are gone\n\n````md\n``` not the end\n````\n\nGone?\n\n\
                    ## h\n\n### 4. h\n\nNeeds a test.\n";
    assert_eq!(export(&threads, &options), expected);
    let all = export(&threads, &MarkdownOptions { resolved: true, drafts: true, ..options });
    assert!(all.contains("**Ann** (draft):\n\nI see.\n") && all.contains("f.rs:2, resolved\n"), "{all}");
    assert_eq!(export(&threads[2..3], &options), "# Review of main...topic\n\nNo comments.\n");
}

#[test]
fn a_stale_comment_stays_within_the_content() {
    let old = ["let value_0 = 0;\n".repeat(20), "let value_1 = 1;\n".to_owned(), "let value_0 = 0;\n".repeat(2)];
    let old = content(&format!("{}}}\n}}\n\n", old.concat()));
    let new = content("}\n}\nlet value_0 = 0;\n\n");
    for line in 0..old.line_count() {
        let (anchor, origin) = Anchor::at("f".into(), Side::New, &old, line..line + 2);
        let placement = place([&anchor], |_| origin.clone(), &new, &Cancel::new()).unwrap().remove(0);
        if let Placement::Stale { near } = placement {
            assert!(near <= new.line_count(), "line {line} is said to be near {near} of {}", new.line_count());
        }
    }
}

fn any_lines() -> impl Strategy<Value = Vec<String>> {
    let line = prop_oneof![
        (0..40u32).prop_map(|n| format!("let value_{n} = {n};")),
        Just("}".to_owned()),
        Just(String::new())
    ];
    prop::collection::vec(line, 1..30)
}

proptest! {
    #[test]
    fn a_comment_is_found_where_lines_were_put_around_it(
        lines in any_lines(), above in any_lines(), below in any_lines(), at in any::<prop::sample::Index>(),
    ) {
        let at = at.index(lines.len()) as u32;
        let join = |parts: &[&Vec<String>]| {
            parts.iter().flat_map(|lines| lines.iter()).map(|line| format!("{line}\n")).collect::<String>()
        };
        let old = content(&join(&[&lines]));
        let (anchor, origin) = Anchor::at("f".into(), Side::New, &old, at..at + 1);
        let new = content(&join(&[&above, &lines, &below]));
        let placement = place([&anchor], |_| origin.clone(), &new, &Cancel::new()).unwrap().remove(0);
        let Placement::At { lines: found, how } = placement else { return Err(TestCaseError::fail("stale")) };
        prop_assert_eq!(new.line(found.start), old.line(at), "{:?}", how);
        prop_assert_eq!(found.len(), 1);
    }

    #[test]
    fn placing_never_leaves_the_content(old in any_lines(), new in any_lines(), from in 0u32..30, len in 0u32..9, kept in any::<bool>()) {
        let text = |lines: &[String]| content(&lines.iter().map(|line| format!("{line}\n")).collect::<String>());
        let (old, new) = (text(&old), text(&new));
        let (anchor, origin) = Anchor::at("f".into(), Side::New, &old, from..from + len);
        let origin = |_| origin.clone().filter(|_| kept);
        match place([&anchor], origin, &new, &Cancel::new()).unwrap().remove(0) {
            Placement::File => prop_assert!(anchor.is_file()),
            Placement::At { lines, .. } => prop_assert!(!lines.is_empty() && lines.end <= new.line_count(), "{:?}", lines),
            Placement::Stale { near } => prop_assert!(near <= new.line_count(), "{}", near),
        }
    }
}
