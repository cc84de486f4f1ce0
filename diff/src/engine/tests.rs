//! What every comparison must hold, and the shapes that broke other engines.

use std::fmt::Write as _;

use gix_imara_diff::{Algorithm, Diff, Token};
use proptest::prelude::*;

use super::*;

fn content(text: impl AsRef<[u8]>) -> Content {
    Content::new(text.as_ref()).unwrap()
}

/// Checks that `script` is in order, that lines outside hunks are equal, and what it costs.
fn check_script(script: &Script, old: &Content, new: &Content, whitespace: Whitespace) {
    let (mut old_at, mut new_at, mut first) = (0, 0, true);
    let end = Hunk { old: old.line_count()..old.line_count(), new: new.line_count()..new.line_count() };
    for (at, hunk) in script.hunks.iter().chain([&end]).enumerate() {
        let is_end = at == script.hunks.len();
        assert!(is_end || !hunk.old.is_empty() || !hunk.new.is_empty(), "an empty hunk: {hunk:?}");
        assert!(first || is_end || hunk.old.start > old_at, "hunks touch: {script:?}");
        assert_eq!(hunk.old.start - old_at, hunk.new.start - new_at, "unequal gap before {hunk:?}");
        for line in 0..hunk.old.start - old_at {
            let (old, new) = (old.line(old_at + line), new.line(new_at + line));
            assert!(whitespace.equal(old, new), "{old:?} is not {new:?}");
        }
        (old_at, new_at, first) = (hunk.old.end, hunk.new.end, false);
    }
    if whitespace == Whitespace::Exact {
        assert!(script.apply(old, new) == **new.bytes(), "the script does not give the new side");
    }
}

fn diff(old: &Content, new: &Content) -> Script {
    let script = compare(old, new, &Options::default(), &Cancel::new()).unwrap();
    check_script(&script, old, new, Whitespace::Exact);
    script
}

/// Draws the comparison of two texts whose lines are words.
fn draw(old: &str, new: &str) -> String {
    let lines = |text: &str| content(text.split(' ').fold(String::new(), |text, line| text + line + "\n"));
    let (old, new) = (lines(old), lines(new));
    let script = diff(&old, &new);
    let mut drawing = String::new();
    let text = |side: &Content, line| String::from_utf8_lossy(side.line_text(line)).into_owned();
    let mut at = 0;
    for hunk in &script.hunks {
        (at..hunk.old.start).for_each(|line| write!(drawing, "{} ", text(&old, line)).unwrap());
        hunk.old.clone().for_each(|line| write!(drawing, "-{} ", text(&old, line)).unwrap());
        hunk.new.clone().for_each(|line| write!(drawing, "+{} ", text(&new, line)).unwrap());
        at = hunk.old.end;
    }
    (at..old.line_count()).for_each(|line| write!(drawing, "{} ", text(&old, line)).unwrap());
    drawing.trim_end().to_owned()
}

#[test]
fn shows_what_changed() {
    assert_eq!(draw("a b c d", "a x c d"), "a -b +x c d");
    assert_eq!(draw("a b c", "a b c"), "a b c");
    assert_eq!(draw("a b c d e", "b c x e f"), "-a b c -d +x e +f");
}

#[test]
fn hangs_on_rare_lines_and_not_on_braces() {
    assert_eq!(draw("f { x } g { y }", "f { x } new { z } g { y }"), "f { x } +new +{ +z +} g { y }");
}

#[test]
fn a_final_newline_is_one_modified_line() {
    let script = diff(&content("Hello"), &content("Hello\n"));
    assert_eq!(script.hunks, [Hunk { old: 0..1, new: 0..1 }]);
}

#[test]
fn a_new_file_is_one_insertion() {
    let script = diff(&content(""), &content("a\nb"));
    assert_eq!(script.hunks, [Hunk { old: 0..0, new: 0..2 }]);
    assert_eq!(diff(&content("a\nb"), &content("")).hunks, [Hunk { old: 0..2, new: 0..0 }]);
    assert!(diff(&content(""), &content("")).hunks.is_empty());
}

#[test]
fn a_lone_carriage_return_is_within_its_line() {
    assert_eq!(diff(&content("a\rb\nc\n"), &content("a\rx\nc\n")).hunks, [Hunk { old: 0..1, new: 0..1 }]);
}

#[test]
fn bytes_that_are_no_text_compare_as_any() {
    assert_eq!(diff(&content(b"\xff\n\xfe\n"), &content(b"\xff\n\xfd\n")).hunks, [Hunk { old: 1..2, new: 1..2 }]);
}

#[test]
fn white_space_modes_overlook_what_they_say() {
    let modes = [Whitespace::Exact, Whitespace::IgnoreEnd, Whitespace::IgnoreAmount, Whitespace::IgnoreAll];
    let equal = |old: &str, new: &str| modes.map(|mode| mode.equal(old.as_bytes(), new.as_bytes()));
    assert_eq!(equal("a b\n", "a b\n"), [true; 4]);
    assert_eq!(equal("a b\r\n", "a b\n"), [false, true, true, true]);
    assert_eq!(equal("a b \t\n", "a b"), [false, true, true, true]);
    assert_eq!(equal("a  b\n", "a\tb\n"), [false, false, true, true]);
    assert_eq!(equal(" a\n", "\t\ta\n"), [false, false, true, true]);
    assert_eq!(equal("a\n", " a\n"), [false, false, false, true]);
    assert_eq!(equal("ab\n", "a b\n"), [false, false, false, true]);
    assert_eq!(equal("ab\n", "ac\n"), [false; 4]);
}

#[test]
fn a_hidden_indent_leaves_the_other_change() {
    let (old, new) = (content("if\nx\ny\nz\nend\n"), content("if\n  x\n  y\n  w\nend\n"));
    let options = Options { whitespace: Whitespace::IgnoreAll, ..Options::default() };
    let script = compare(&old, &new, &options, &Cancel::new()).unwrap();
    assert_eq!(script.hunks, [Hunk { old: 3..4, new: 3..4 }]);
}

#[test]
fn an_insertion_before_its_likeness_stands_where_it_reads_well() {
    let old = "fn a() {\n    x\n}\n\nfn c() {\n    x\n}\n";
    let new = "fn a() {\n    x\n}\n\nfn b() {\n    x\n}\n\nfn c() {\n    x\n}\n";
    assert_eq!(diff(&content(old), &content(new)).hunks, [Hunk { old: 4..4, new: 4..8 }]);
}

#[test]
fn a_set_flag_cancels() {
    let cancel = Cancel::new();
    cancel.cancel();
    let (old, new) = (content("a\n"), content("b\n"));
    assert_eq!(compare(&old, &new, &Options::default(), &cancel), Err(Cancelled));
}

#[test]
fn every_algorithm_looks_at_the_flag() {
    let cancel = Cancel::new();
    cancel.cancel();
    let (old, new) = (numbers(1, 300_000, 2), numbers(2, 300_000, 2));
    let run =
        |diff: &dyn Fn(&Sides<'_>, Region, &mut Scratch, &mut Matches, &mut Work<'_>) -> Result<(), Cancelled>| {
            let sides = Sides { old: &old, new: &new, limit: 2 };
            let region = Region::new(0..old.len() as u32, 0..new.len() as u32);
            let mut work = Work::new(Budget::default(), &cancel);
            diff(&sides, region, &mut Scratch::default(), &mut Matches::default(), &mut work)
        };
    assert_eq!(run(&anchors::diff), Err(Cancelled));
    assert_eq!(run(&histogram::diff), Err(Cancelled));
    assert_eq!(
        run(&|sides, region, scratch, matches, work| myers::diff(sides, region, &mut scratch.myers, matches, work)),
        Err(Cancelled)
    );
}

/// Pseudo-random tokens below `limit`.
fn numbers(seed: u64, len: usize, limit: u32) -> Vec<u32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..len)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            ((state >> 33) % u64::from(limit)) as u32
        })
        .collect()
}

fn text_of(tokens: &[u32]) -> Content {
    content(tokens.iter().fold(String::new(), |text, token| text + &format!("line {token}\n")))
}

#[test]
fn two_random_values_over_and_over_end_with_a_valid_script() {
    diff(&text_of(&numbers(1, 20_000, 2)), &text_of(&numbers(2, 20_000, 2)));
}

#[test]
fn a_spent_budget_still_gives_a_valid_script() {
    let (old, new) = (text_of(&numbers(1, 30_000, 3)), text_of(&numbers(2, 30_000, 3)));
    let budget = Budget { histogram: 1000, total: 100_000 };
    let script = compare(&old, &new, &Options { budget, ..Options::default() }, &Cancel::new()).unwrap();
    check_script(&script, &old, &new, Whitespace::Exact);
    assert!(script.limited);
}

#[test]
fn disjoint_texts_are_one_replacement() {
    let (old, new) = (text_of(&(0..20_000).collect::<Vec<_>>()), text_of(&(50_000..80_000).collect::<Vec<_>>()));
    assert_eq!(diff(&old, &new).hunks, [Hunk { old: 0..20_000, new: 0..30_000 }]);
}

#[test]
fn every_second_line_is_a_hunk_of_its_own() {
    let old: Vec<u32> = (0..40_000).collect();
    let new: Vec<u32> = old.iter().map(|&line| if line % 2 == 0 { line + 100_000 } else { line }).collect();
    let script = diff(&text_of(&old), &text_of(&new));
    assert_eq!((script.hunks.len(), script.counts()), (20_000, (20_000, 20_000)));
}

#[test]
fn shuffled_blocks_keep_the_longest_order() {
    let old: Vec<u32> = (0..30_000).collect();
    let new: Vec<u32> = [1, 2, 0].iter().flat_map(|block| block * 10_000..(block + 1) * 10_000).collect();
    assert_eq!(diff(&text_of(&old), &text_of(&new)).counts(), (10_000, 10_000));
}

#[test]
fn two_thousand_removed_lines_and_a_comment_stay_apart() {
    let old: Vec<u32> = (0..5_000).collect();
    let new: Vec<u32> = old.iter().copied().filter(|line| !(1_000..3_000).contains(line)).collect();
    let mut new = new;
    new.insert(1_000, 9_999);
    let script = diff(&text_of(&old), &text_of(&new));
    assert_eq!(
        (script.hunks.as_slice(), script.limited),
        (&[Hunk { old: 1_000..3_000, new: 1_000..1_001 }][..], false)
    );
}

#[test]
fn parallel_and_single_interning_agree() {
    let old = numbers(3, 80_000, 5_000);
    let mut new = old.clone();
    for at in (0..new.len()).step_by(97) {
        new[at] = 6_000 + at as u32;
    }
    let (old, new) = (text_of(&old), text_of(&new));
    let mut tokens = Tokens::default();
    let sides = || ((&old, 0..old.line_count()), (&new, 0..new.line_count()));
    tokens.intern(sides().0, sides().1, Whitespace::Exact, &Cancel::new()).unwrap();
    let fast: Vec<u32> = tokens.old.iter().chain(&tokens.new).copied().collect();
    assert!(fast.iter().all(|&token| token < tokens.limit));
    tokens.intern_exactly(sides().0, sides().1, Whitespace::Exact, &Cancel::new()).unwrap();
    let exact: Vec<u32> = tokens.old.iter().chain(&tokens.new).copied().collect();
    let (mut to_exact, mut to_fast) = (std::collections::HashMap::new(), std::collections::HashMap::new());
    for (fast, exact) in fast.iter().zip(&exact) {
        assert_eq!(to_exact.entry(fast).or_insert(exact), &exact);
        assert_eq!(to_fast.entry(exact).or_insert(fast), &fast);
    }
}

#[test]
fn a_collision_is_noticed() {
    let (old, new) = (
        content(
            "a
b
",
        ),
        content(
            "x
b
",
        ),
    );
    let core = Hunk { old: 0..2, new: 0..2 };
    let check = |hunks| {
        let script = Script { hunks, limited: false };
        holds(&script, &old, &new, &core, Whitespace::Exact, &Cancel::new()).unwrap()
    };
    assert!(check(vec![Hunk { old: 0..1, new: 0..1 }]));
    assert!(!check(Vec::new()));
}

/// The least number of changed tokens, by the reference implementation.
fn least_cost(old: &[u32], new: &[u32], limit: u32) -> u32 {
    let tokens = |side: &[u32]| side.iter().map(|&token| Token(token)).collect::<Vec<_>>();
    let mut diff = Diff::default();
    diff.compute_with(Algorithm::MyersMinimal, &tokens(old), &tokens(new), limit);
    diff.count_additions() + diff.count_removals()
}

fn cost(hunks: &[Hunk]) -> u32 {
    hunks.iter().map(|hunk| hunk.counts().0 + hunk.counts().1).sum()
}

fn any_lines() -> impl Strategy<Value = (Vec<u32>, Vec<u32>, u32)> {
    (1u32..40).prop_flat_map(|limit| {
        (proptest::collection::vec(0..limit, 0..120), proptest::collection::vec(0..limit, 0..120), Just(limit))
    })
}

/// A text and an edited copy of it, with all the line endings there are.
fn any_texts() -> impl Strategy<Value = (String, String)> {
    let line = "( |\t){0,3}[ab{}]{0,2} ?(\r|\r\n|\n)?";
    (proptest::collection::vec(line, 0..60), proptest::collection::vec((0usize..60, 0usize..4, line), 0..8)).prop_map(
        |(lines, edits)| {
            let mut edited = lines.clone();
            for (at, removed, inserted) in edits {
                let at = at.min(edited.len());
                let end = (at + removed).min(edited.len());
                edited.splice(at..end, [inserted]);
            }
            (lines.concat(), edited.concat())
        },
    )
}

proptest! {
    #[test]
    fn all_scripts_are_valid((old, new) in any_texts(), mode in 0usize..5) {
        let mode = Whitespace::ALL[mode];
        let (old, new) = (content(old), content(new));
        let options = Options { whitespace: mode, ..Options::default() };
        let script = compare(&old, &new, &options, &Cancel::new()).unwrap();
        check_script(&script, &old, &new, mode);
    }

    #[test]
    fn myers_is_minimal_where_no_shortcut_applies((old, new, limit) in any_lines()) {
        let cancel = Cancel::new();
        let mut work = Work::new(Budget::default(), &cancel);
        let sides = Sides { old: &old, new: &new, limit };
        let mut matches = Matches::default();
        let region = Region::new(0..old.len() as u32, 0..new.len() as u32);
        // Each value is frequent in so short a text, and none is lonely if all are on both sides.
        let all: Vec<u32> = (0..limit).collect();
        let (old, new) = ([&all[..], &old, &all].concat(), [&all[..], &new, &all].concat());
        let sides = Sides { old: &old, new: &new, ..sides };
        let region = Region { old_to: old.len() as u32, new_to: new.len() as u32, ..region };
        myers::diff(&sides, region, &mut myers::Scratch::default(), &mut matches, &mut work).unwrap();
        let hunks = matches.finish(old.len() as u32, new.len() as u32);
        prop_assert_eq!(cost(&hunks), least_cost(&old, &new, limit));
    }

    #[test]
    fn histogram_is_valid_and_not_wasteful((old, new, limit) in any_lines()) {
        let cancel = Cancel::new();
        let mut work = Work::new(Budget::default(), &cancel);
        let sides = Sides { old: &old, new: &new, limit };
        let hunks = diff_tokens(sides.old, sides.new, limit, &mut Scratch::default(), &mut work).unwrap();
        let mut at = (0, 0);
        for hunk in &hunks {
            prop_assert_eq!(&old[at.0..hunk.old.start as usize], &new[at.1..hunk.new.start as usize]);
            at = (hunk.old.end as usize, hunk.new.end as usize);
        }
        prop_assert_eq!(&old[at.0..], &new[at.1..]);
        prop_assert!(cost(&hunks) >= least_cost(&old, &new, limit));
    }
}
