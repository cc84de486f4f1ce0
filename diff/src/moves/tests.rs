//! What counts as moved, and what does not.

use proptest::prelude::*;

use super::*;
use crate::Cancel;
use crate::engine::{Hunk, Options, compare};
use crate::lines::Content;

/// A review of files, given as old and new texts.
struct Review {
    files: Vec<(Content, Content, Vec<Hunk>)>,
    moves: Moves,
}

impl Review {
    fn new<T: AsRef<str>>(texts: &[(T, T)]) -> Self {
        let files: Vec<_> = texts
            .iter()
            .map(|(old, new)| {
                let side = |text: &T| Content::new(text.as_ref().as_bytes()).unwrap();
                let (old, new) = (side(old), side(new));
                let script = compare(&old, &new, &Options::default(), &Cancel::new()).unwrap();
                (old, new, script.hunks)
            })
            .collect();
        let key = TraceKey::new();
        let traces: Vec<_> = files
            .iter()
            .map(|(old, new, hunks)| {
                Traces::of(&key, hunks, |side, line| if side == Side::Old { old.line(line) } else { new.line(line) })
            })
            .collect();
        let moves = find(traces.iter().enumerate(), &Cancel::new()).unwrap();
        Self { files, moves }
    }

    /// Each move as `file:first-last -> file:first-last`, lines counted from 1, with its shift if it has one.
    fn told(&self) -> Vec<String> {
        let place = |place: &Place| format!("{}:{}-{}", place.file, place.lines.start + 1, place.lines.end);
        let shift = |shift| if shift == 0 { String::new() } else { format!(" {shift:+}") };
        let tell = |found: &Move| format!("{} -> {}{}", place(&found.old), place(&found.new), shift(found.shift));
        self.moves.all().iter().map(tell).collect()
    }
}

#[track_caller]
fn check(texts: &[(&str, &str)], expected: &[&str]) {
    assert_eq!(Review::new(texts).told(), expected, "{texts:#?}");
}

const AREA: &str = "fn area(w: u32, h: u32) -> u32 {\n    let area = w * h;\n    area\n}\n";
const NAME: &str = "fn name(of: &Shape) -> String {\n    let name = of.kind();\n    name.to_owned()\n}\n";
const MAIN: &str = "fn main() {\n    let shapes = read();\n    for shape in shapes {\n        show(shape);\n    }\n}\n";

/// A function went from the end of one file to the end of the next.
fn moved_away() -> Review {
    Review::new(&[(format!("{MAIN}{AREA}"), MAIN.to_owned()), (NAME.to_owned(), format!("{NAME}{AREA}"))])
}

#[test]
fn case_48_two_swapped_functions_are_one_move() {
    let (old, new) = (format!("{AREA}\n{NAME}"), format!("{NAME}\n{AREA}"));
    let review = Review::new(&[(old, new)]);
    assert_eq!(review.told().len(), 1, "{:?}", review.told());
    let found = &review.moves.all()[0];
    assert!(found.old.lines.len() >= 4, "the whole function: {found:?}");
}

#[test]
fn case_48_where_nothing_moved_nothing_is_told() {
    check(&[(MAIN, MAIN)], &[]);
    check(&[(&format!("{AREA}\n{MAIN}"), MAIN)], &[]);
    check(&[(MAIN, &format!("{MAIN}\n{AREA}"))], &[]);
    // Something like it came elsewhere.
    check(&[(&format!("{AREA}{MAIN}"), &format!("{MAIN}{}", AREA.replace("area", "size").replace("u32", "u64")))], &[]);
}

#[test]
fn a_block_moves_across_files() {
    assert_eq!(moved_away().told(), ["0:7-10 -> 1:5-8"]);
}

#[test]
fn a_block_that_is_indented_elsewhere_has_moved() {
    let method: String = AREA.lines().map(|line| format!("    {line}\n")).collect();
    let new = format!("impl Shape {{\n{method}}}\n{MAIN}");
    check(&[(&format!("{MAIN}{AREA}"), &new)], &["0:7-10 -> 0:2-5 +4"]);
    let tabbed: String = AREA.lines().map(|line| format!("\t{}\n", line.replace("    ", "\t"))).collect();
    check(&[(AREA, ""), ("", &tabbed)], &["0:1-4 -> 1:1-4 +4"]);
}

#[test]
fn lines_that_stay_in_their_hunk_have_not_moved() {
    let wrapped: String = AREA.lines().map(|line| format!("    {line}\n")).collect();
    check(&[(AREA, &format!("mod shapes {{\n{wrapped}}}\n"))], &[]);
    // Of two blocks in a hunk that change places, the smaller one has moved; its last line is that of the module now.
    let both = format!("{AREA}{NAME}");
    let swapped: String = format!("{NAME}{AREA}").lines().map(|line| format!("    {line}\n")).collect();
    check(&[(&both, &format!("mod shapes {{\n{swapped}}}\n"))], &["0:5-7 -> 0:2-4 +4"]);
}

#[test]
fn a_block_is_three_lines_or_twenty_letters() {
    let around = |block: &str| (format!("{block}{MAIN}"), format!("{MAIN}{block}"));
    let told = |block: &str| Review::new(&[around(block)]).told().len();
    assert_eq!(told("a = 1\nb = 2\nc = 3\n"), 1, "three lines");
    assert_eq!(told("a = 1\n}\n\nb = 2\n"), 0, "two lines with letters in them");
    assert_eq!(told("abcdefghij 0123456789\n"), 1, "twenty letters and digits");
    assert_eq!(told("abcdefghij 012345678\n"), 0, "one less");
    assert_eq!(told("}\n}\n}\n}\n"), 0, "no letters at all");
}

#[test]
fn a_block_ends_where_the_indentation_changes() {
    // The last line is in another block now, which must not look as if nothing changed but the place.
    let old = "if ready {\n    send(first);\n    send(second);\n    close(connection);\n}\n";
    let new = "if ready {\n    send(first);\n    send(second);\n}\nclose(connection);\n";
    check(&[(old, ""), ("", new)], &["0:1-3 -> 1:1-3"]);
}

#[test]
fn a_line_is_of_one_move_only() {
    // It came twice: once it moved, once it is a copy.
    let review = Review::new(&[(AREA, ""), ("", AREA), ("", AREA)]);
    assert_eq!(review.told(), ["0:1-4 -> 1:1-4"]);
    // Of two that are gone, the nearer one is taken.
    let (old, new) = (format!("{MAIN}{AREA}"), format!("{AREA}{MAIN}"));
    let review = Review::new(&[(AREA, ""), (&old, &new)]);
    assert_eq!(review.told(), ["1:7-10 -> 1:1-4"]);
}

#[test]
fn a_line_finds_the_move_it_is_of() {
    let moves = moved_away().moves;
    let found = moves.at(Side::New, 1, 7).unwrap();
    assert!(found.is_across_files());
    assert_eq!(moves.at(Side::Old, 0, 6), Some(found));
    for (side, file, line) in
        [(Side::New, 1, 3), (Side::New, 1, 8), (Side::New, 0, 7), (Side::Old, 0, 5), (Side::Old, 1, 7)]
    {
        assert_eq!(moves.at(side, file, line), None, "{side:?} {file}:{line}");
    }
    assert_eq!(moves.of_file(Side::Old, 0).count() + moves.of_file(Side::New, 1).count(), 2);
    assert_eq!(moves.of_file(Side::New, 0).count() + moves.of_file(Side::Old, 1).count(), 0);
}

#[test]
fn moves_follow_edits_until_they_are_looked_for_again() {
    let moves = moved_away().moves;
    let edited = |at: Range<u32>, len| {
        let mut moves = moves.clone();
        moves.edited(1, at, len);
        moves.all().first().map(|found| found.new.lines.clone())
    };
    assert_eq!(edited(0..1, 3), Some(6..10), "above");
    assert_eq!(edited(8..9, 0), Some(4..8), "below");
    assert_eq!(edited(5..6, 1), None, "within");
    assert_eq!(edited(2..5, 1), None, "across its start");
}

#[test]
fn a_cancelled_search_ends() {
    let cancel = Cancel::new();
    cancel.cancel();
    assert_eq!(find([], &cancel), Err(crate::engine::Cancelled));
}

#[test]
fn repetitive_lines_take_no_time_worth_telling() {
    let lines: Vec<String> = (0..100).map(|line| format!("let value_{line} = compute({line});\n")).collect();
    let (old, new) = (lines.concat().repeat(40), lines.iter().rev().cloned().collect::<String>().repeat(40));
    let moves = Review::new(&[(old, String::new()), (String::new(), new)]).moves;
    assert!(!moves.limited);
}

fn any_files() -> impl Strategy<Value = Vec<(String, String)>> {
    let line = prop_oneof![
        (0..60u32).prop_map(|n| format!("some words of line number {n}\n")),
        (0..6u32).prop_map(|n| format!("  common {n}\n")),
        Just("}\n".to_owned()),
        Just("\n".to_owned()),
    ];
    let text = prop::collection::vec(line, 0..40).prop_map(|lines| lines.concat());
    prop::collection::vec((text.clone(), text), 1..4)
}

proptest! {
    #[test]
    fn moves_are_equal_changed_lines_and_share_none(files in any_files()) {
        let review = Review::new(&files);
        let mut seen = std::collections::BTreeSet::new();
        for found in review.moves.all() {
            prop_assert_eq!(found.old.lines.len(), found.new.lines.len());
            for (old, new) in found.old.lines.clone().zip(found.new.lines.clone()) {
                let (old_file, new_file) = (&review.files[found.old.file], &review.files[found.new.file]);
                prop_assert!(old_file.2.iter().any(|hunk| hunk.old.contains(&old)), "{} is not removed", old);
                prop_assert!(new_file.2.iter().any(|hunk| hunk.new.contains(&new)), "{} is not added", new);
                prop_assert_eq!(old_file.0.line(old).trim_ascii(), new_file.1.line(new).trim_ascii());
                prop_assert!(seen.insert((false, found.old.file, old)), "an old line of two moves");
                prop_assert!(seen.insert((true, found.new.file, new)), "a new line of two moves");
                prop_assert_eq!(review.moves.at(Side::Old, found.old.file, old), Some(found));
                prop_assert_eq!(review.moves.at(Side::New, found.new.file, new), Some(found));
            }
        }
    }

    #[test]
    fn a_block_that_moved_alone_is_found_wherever_it_went(from in 0usize..20, to in 0usize..20, len in 3usize..8) {
        let mut lines: Vec<String> = (0..30).map(|n| format!("line {n} of many\n")).collect();
        let old = lines.concat();
        let block: Vec<String> = lines.drain(from..from + len).collect();
        lines.splice(to..to, block);
        let review = Review::new(&[(old, lines.concat())]);
        // Moving a block over fewer lines than it has is moving those lines the other way.
        let distance = from.abs_diff(to);
        let expected = if distance == 0 { 0 } else { distance.min(len) };
        let worth = expected >= 2; // each has at least eleven letters and digits
        let told: usize = review.moves.all().iter().map(|found| found.new.lines.len()).sum();
        prop_assert_eq!(told, if worth { expected } else { 0 }, "{:?}", review.told());
    }
}
