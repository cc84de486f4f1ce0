//! The applier over the corpus of noisy edits, made from this repository's own sources.

#![allow(clippy::unwrap_used, reason = "a helper that cannot do its part fails the test")]

#[allow(dead_code, reason = "the bench compares with aider, the test does not")]
mod corpus;
mod judge;

#[path = "../../fuzz/reply.rs"]
mod reply;

use std::path::Path;

use agent::protocol::{Ending, Options};
use corpus::{Noise, SourceFile, corpus, sources};
use judge::{Table, Verdict, judge, outcome};

fn own_sources() -> Vec<SourceFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    ["agent", "diff", "editor"].iter().flat_map(|krate| sources(&root.join(krate), &["rs", "md"], 60)).collect()
}

/// The bench does the same for the whole corpus.
#[test]
fn a_reply_split_at_any_byte_asks_for_the_same() {
    let cases = corpus(&own_sources(), 2, 2);
    assert!(cases.len() >= 2 * Noise::ALL.len() - 4, "only {} replies", cases.len());
    for case in cases {
        let bytes = case.reply.as_bytes();
        let read = |cuts: &[usize]| reply::in_pieces(bytes, cuts, &Options::default(), Ending::Whole);
        let whole = read(&[]);
        for cut in 0..=bytes.len() {
            assert_eq!(read(&[cut]), whole, "cut at {cut} of {}", case.reply);
        }
    }
}

#[test]
fn noisy_edits_are_applied_right_or_not_at_all() {
    let files = own_sources();
    assert!(files.len() > 100, "only {} files", files.len());
    let cases = corpus(&files, 40, 1);
    let mut table = Table::default();
    for case in &cases {
        let out = outcome(case);
        let verdict = judge(case, out.as_deref());
        table.add(case.noise, verdict);
        if verdict == Verdict::Wrong {
            println!("wrong: {:?} {}\n{}\n", case.noise, case.path, case.reply);
        }
    }
    let [right, missed, wrong] = table.sums();
    assert!(cases.len() >= 900, "only {} edits: {table:?}", cases.len());
    assert!(right * 100 >= cases.len() * 95, "{right} right, {missed} missed, {wrong} wrong: {table:#?}");
    assert!(wrong * 1000 <= cases.len(), "{wrong} of {} wrong: {table:#?}", cases.len());
    for noise in [Noise::Ambiguous, Noise::AmbiguousShifted, Noise::Lazy, Noise::Mistyped, Noise::SecondMistyped] {
        let row = table.0.get(&noise).unwrap_or_else(|| panic!("no {noise:?} in the corpus"));
        assert_eq!(row[2], 0, "{noise:?}");
    }
}
