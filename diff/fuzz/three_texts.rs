//! What the fuzz target `merge` checks, and an ordinary test over random texts: merging any three texts gives chunks that
//! are the whole of each, what is written with markers reads as the conflicts it has, and a merge against several parents
//! is printed as it is read.

use diff::Cancel;
use diff::combined::{CombineOptions, combine};
use diff::lines::Content;
use diff::merge::markers::{MarkedConflicts, MarkerRules};
use diff::merge::{Labels, MarkerFormat, MarkerStyle, Merge, MergeOptions, Take, Version};
use diff::patch::combined::write_hunk;
use diff::patch::parse;

/// Cuts `bytes` into base, ours and theirs; panics if anything is not as it has to be.
pub fn three_texts(bytes: &[u8]) {
    let (base, rest) = bytes.split_at(bytes.len() / 3);
    let (ours, theirs) = rest.split_at(rest.len() / 2);
    let [base, ours, theirs] = [base, ours, theirs].map(|text| Content::new(text).unwrap());
    let _ = MarkedConflicts::of_bytes(bytes, MarkerRules { unlabelled: true, ..MarkerRules::default() });
    for style in [MarkerStyle::Merge, MarkerStyle::Diff3, MarkerStyle::ZealousDiff3] {
        for options in [MergeOptions::git_merge(), MergeOptions::git_merge_file()] {
            let merge = Merge::new(&base, &ours, &theirs, &options.with_style(style), &Cancel::new()).unwrap();
            check_merge(&merge, style);
        }
    }
    let parents = [ours, theirs];
    let options = CombineOptions { dense: false, ..CombineOptions::default() };
    let hunks = combine(&parents, &base, &options, &Cancel::new()).unwrap();
    let mut printed = b"diff --combined f\n".to_vec();
    for hunk in &hunks {
        write_hunk(&mut printed, hunk);
    }
    let read = parse(&printed).unwrap();
    let shown: Vec<_> = hunks
        .into_iter()
        .map(|mut hunk| {
            hunk.lines.retain(|line| !line.hidden);
            hunk
        })
        .collect();
    let lines = |hunks: &[diff::patch::CombinedHunk<'_>]| {
        hunks.iter().flat_map(|hunk| hunk.lines.iter().map(|line| (line.signs, line.text.to_vec()))).collect::<Vec<_>>()
    };
    assert_eq!(lines(&read.files[0].combined_hunks), lines(&shown));
}

fn check_merge(merge: &Merge, style: MarkerStyle) {
    for (take, version) in [(Take::Base, Version::Base), (Take::Ours, Version::Ours), (Take::Theirs, Version::Theirs)] {
        let whole = vec![Some(take); merge.chunks().len()];
        let text = merge.compose(&whole, &MarkerFormat::default()).bytes;
        assert!(text == **merge.content(version).bytes(), "{version:?} is not put together from its chunks");
    }
    let labels = Labels { ours: "ours".into(), base: "base".into(), theirs: "theirs".into() };
    // As long as no line of the texts can be taken for a marker, which is so at this length.
    let format = MarkerFormat { style, size: 4_000, labels, ..MarkerFormat::default() };
    let composed = merge.compose(&merge.accepted(), &format);
    let rules = MarkerRules { size: format.size, ..MarkerRules::default() };
    let found = MarkedConflicts::of_bytes(&composed.bytes, rules);
    if merge.content(Version::Ours).len() < format.size && merge.content(Version::Theirs).len() < format.size {
        assert_eq!(found.list().len(), merge.conflicts());
        assert_eq!(composed.open, merge.conflicts());
        assert!(found.list().iter().all(|conflict| conflict.base.is_some() == (style != MarkerStyle::Merge)));
    }
}
