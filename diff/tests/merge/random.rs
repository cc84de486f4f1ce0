//! Random texts, compared and merged by git and by us: the results are equal to the byte.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Stdio},
};

use diff::{
    Cancel,
    engine::{Algorithm, AsGit, Engine, Hunk, Whitespace},
    lines::Content,
    merge::{Labels, Level, MarkerFormat, MarkerStyle, Merge, MergeOptions, Take},
    patch::{parse, parse::PatchFile},
};
use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

use super::changed::changed;
use super::scratch::{Scratch, command};

/// Three texts, two of them made from the first; of the kinds that break merges.
#[derive(Clone, Debug)]
pub struct Three {
    pub base: Vec<u8>,
    pub ours: Vec<u8>,
    pub theirs: Vec<u8>,
}

/// Lines from few kinds, so that much is equal: words, braces, blank lines, indented ones, with CR and without.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-f]\n",
        2 => "[{}]\n",
        1 => Just("\n".to_owned()),
        1 => "( |\t){0,4}[a-c]\n",
        1 => "[a-c] ?\r\n",
        1 => "[a-c] {1,2}[a-c] {0,2}\n",
    ]
}

#[derive(Clone, Debug)]
enum Edit {
    Insert(Vec<String>),
    Remove(usize),
    Replace(usize, Vec<String>),
    Repeat(usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let lines = || proptest::collection::vec(line(), 1..5);
    prop_oneof![
        lines().prop_map(Edit::Insert),
        (1..4usize).prop_map(Edit::Remove),
        ((1..4usize), lines()).prop_map(|(len, lines)| Edit::Replace(len, lines)),
        (1..6usize).prop_map(Edit::Repeat),
    ]
}

fn apply(lines: &[String], edits: Vec<(prop::sample::Index, Edit)>, cut_newline: bool) -> Vec<u8> {
    let mut lines = lines.to_vec();
    for (at, edit) in edits {
        let at = at.index(lines.len() + 1);
        let until = |len: usize| (at + len).min(lines.len());
        match edit {
            Edit::Insert(new) => drop(lines.splice(at..at, new)),
            Edit::Remove(len) => drop(lines.splice(at..until(len), [])),
            Edit::Replace(len, new) => drop(lines.splice(at..until(len), new)),
            Edit::Repeat(len) => {
                let again: Vec<_> = lines[at..until(len)].to_vec();
                drop(lines.splice(at..at, again));
            }
        }
    }
    let mut text = lines.concat().into_bytes();
    if cut_newline {
        text.pop();
    }
    text
}

fn three() -> impl Strategy<Value = Three> {
    let edits = || proptest::collection::vec((any::<prop::sample::Index>(), edit()), 0..6);
    // Some have a final newline cut off, and some so many lines that frequent ones are left out.
    let size = prop_oneof![4 => 0..25usize, 2 => 25..120usize, 1 => 300..700usize];
    let lines = size.prop_flat_map(|size| proptest::collection::vec(line(), size));
    let cuts = (prop::bool::weighted(0.2), prop::bool::weighted(0.2), prop::bool::weighted(0.2));
    (lines, edits(), edits(), cuts).prop_map(|(lines, ours, theirs, cuts)| Three {
        base: apply(&lines, Vec::new(), cuts.0),
        ours: apply(&lines, ours, cuts.1),
        theirs: apply(&lines, theirs, cuts.2),
    })
}

/// Texts so large and so much changed that the search for a shortest script is cut short.
fn large() -> impl Strategy<Value = Three> {
    let lines = (2_000..6_000usize, any::<bool>()).prop_flat_map(|(size, is_varied)| {
        proptest::collection::vec(if is_varied { "[a-z][a-z]\n" } else { "[a-z]\n" }, size)
    });
    let noise = || proptest::collection::vec((any::<prop::sample::Index>(), edit()), 300..2_500);
    (lines, noise(), noise()).prop_map(|(lines, ours, theirs)| Three {
        base: lines.concat().into_bytes(),
        ours: apply(&lines, ours, false),
        theirs: apply(&lines, theirs, false),
    })
}

/// The same cases in every run.
pub fn cases(count: usize) -> Vec<Three> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let (small, large) = (three(), large());
    let mut sample = |strategy: &dyn Fn(&mut TestRunner) -> Three| strategy(&mut runner);
    let mut cases: Vec<_> = (0..count).map(|_| sample(&|runner| small.new_tree(runner).unwrap().current())).collect();
    cases.extend((0..count / 60).map(|_| sample(&|runner| large.new_tree(runner).unwrap().current())));
    cases
}

pub fn content(text: &[u8]) -> Content {
    Content::new(text).unwrap()
}

pub fn show(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// Writes one side of all cases into a folder.
pub fn write(folder: &Path, cases: &[Three], side: impl Fn(&Three) -> &[u8]) {
    fs::create_dir_all(folder).unwrap();
    for (at, case) in cases.iter().enumerate() {
        fs::write(folder.join(format!("{at:05}")), side(case)).unwrap();
    }
}

#[test]
fn scripts_as_git_makes_them_are_those_of_git() {
    let Some(scratch) = Scratch::new() else { return };
    let cases = cases(600);
    write(&scratch.path().join("old"), &cases, |case| &case.base);
    write(&scratch.path().join("new"), &cases, |case| &case.ours);
    let mut engine = Engine::new();
    for (algorithm, algorithm_word) in [(Algorithm::Myers, "myers"), (Algorithm::Histogram, "histogram")] {
        for (indent_heuristic, indent_word) in [(true, "--indent-heuristic"), (false, "--no-indent-heuristic")] {
            for (whitespace, whitespace_words) in [
                (Whitespace::Exact, &[][..]),
                (Whitespace::IgnoreCr, &["--ignore-cr-at-eol"]),
                (Whitespace::IgnoreEnd, &["--ignore-space-at-eol"]),
                (Whitespace::IgnoreAmount, &["-b"]),
                (Whitespace::IgnoreAll, &["-w"]),
            ] {
                let diff_algorithm = format!("--diff-algorithm={algorithm_word}");
                let words = ["diff", "--no-index", "--text", "-U3", &diff_algorithm, indent_word];
                let words: Vec<_> = words.iter().chain(whitespace_words).chain(&["old", "new"]).collect();
                let output = command(scratch.path()).args(&words).output().unwrap();
                let expected = hunks_of_patch(&output.stdout);
                let options = AsGit { algorithm, indent_heuristic, whitespace };
                for (at, case) in cases.iter().enumerate() {
                    let (old, new) = (content(&case.base), content(&case.ours));
                    let script = engine.compare_as_git(&old, &new, &options, &Cancel::new()).unwrap();
                    let git = expected.get(&format!("{at:05}")).cloned().unwrap_or_default();
                    assert_eq!(
                        script.hunks,
                        git,
                        "case {at} with {words:?}\n--- old\n{}--- new\n{}",
                        show(&case.base),
                        show(&case.ours)
                    );
                }
            }
        }
    }
}

/// The hunks without context, by file name.
fn hunks_of_patch(patch: &[u8]) -> BTreeMap<String, Vec<Hunk>> {
    let name = |file: &PatchFile<'_>| {
        let path = file.new_path.as_ref().or(file.old_path.as_ref()).unwrap();
        show(path.rsplit(|&byte| byte == b'/').next().unwrap())
    };
    parse(patch).unwrap().files.iter().map(|file| (name(file), changed(file))).collect()
}

/// What `git merge-file` is told, and the same for us.
struct MergeFileCase {
    words: &'static str,
    options: MergeOptions,
    conflicts: Option<Take>,
    size: usize,
}

#[test]
fn merge_file_gives_what_git_gives() {
    let Some(scratch) = Scratch::new() else { return };
    let cases = cases(120);
    write(&scratch.path().join("base"), &cases, |case| &case.base);
    write(&scratch.path().join("ours"), &cases, |case| &case.ours);
    write(&scratch.path().join("theirs"), &cases, |case| &case.theirs);
    let plain = MergeOptions::git_merge_file();
    let histogram = MergeOptions { algorithm: Algorithm::Histogram, ..plain };
    let case = |words, options| MergeFileCase { words, options, conflicts: None, size: 7 };
    let kinds = [
        case("", plain),
        case("--diff3", plain.with_style(MarkerStyle::Diff3)),
        case("--zdiff3", plain.with_style(MarkerStyle::ZealousDiff3)),
        case("--diff-algorithm=histogram", histogram),
        MergeFileCase { conflicts: Some(Take::Ours), ..case("--ours", plain) },
        MergeFileCase { conflicts: Some(Take::Theirs), ..case("--theirs", plain) },
        MergeFileCase { conflicts: Some(Take::OursTheirs), ..case("--union", plain) },
        MergeFileCase { size: 13, ..case("--marker-size=13", plain) },
    ];
    let mut conflicts = 0;
    for (number, kind) in kinds.iter().enumerate() {
        let folder = format!("result{number}");
        let script = format!(
            "mkdir {folder}; for file in base/*; do name=${{file#base/}}; \
             git merge-file -p -q -L ours -L base -L theirs {} ours/$name base/$name theirs/$name >{folder}/$name; \
             echo $? >>{folder}.codes; done",
            kind.words
        );
        let shell = shell(scratch.path(), &script);
        assert!(shell, "git merge-file {}", kind.words);
        let codes = fs::read_to_string(scratch.path().join(format!("{folder}.codes"))).unwrap();
        let codes: Vec<usize> = codes.lines().map(|code| code.parse().unwrap()).collect();
        for (at, case) in cases.iter().enumerate() {
            let expected = fs::read(scratch.path().join(&folder).join(format!("{at:05}"))).unwrap();
            let (merge, text) = merge_file(case, kind);
            assert_eq!(
                show(&text),
                show(&expected),
                "case {at} with {:?}\n--- base\n{}--- ours\n{}--- theirs\n{}",
                kind.words,
                show(&case.base),
                show(&case.ours),
                show(&case.theirs)
            );
            assert_eq!(text, expected);
            let code = merge.conflicts().min(127);
            assert_eq!(codes[at], if kind.conflicts.is_some() { codes[at] } else { code }, "exit code of case {at}");
            conflicts += merge.conflicts();
        }
    }
    assert!(conflicts > cases.len(), "the cases are too tame: {conflicts} conflicts");
}

fn merge_file(case: &Three, kind: &MergeFileCase) -> (Merge, Vec<u8>) {
    let (base, ours, theirs) = (content(&case.base), content(&case.ours), content(&case.theirs));
    let merge = Merge::new(&base, &ours, &theirs, &kind.options, &Cancel::new()).unwrap();
    let takes: Vec<_> = merge.accepted().into_iter().map(|take| take.or(kind.conflicts.clone())).collect();
    let format = MarkerFormat {
        style: kind.options.style,
        size: kind.size,
        labels: labels("ours", "base", "theirs"),
        ..MarkerFormat::default()
    };
    let text = merge.compose(&takes, &format).bytes;
    (merge, text)
}

fn labels(ours: &str, base: &str, theirs: &str) -> Labels {
    Labels { ours: ours.into(), base: base.into(), theirs: theirs.into() }
}

fn shell(folder: &Path, script: &str) -> bool {
    let mut shell = Command::new("sh");
    shell.current_dir(folder).args(["-c", script]).env("GIT_CONFIG_GLOBAL", "/dev/null");
    shell.env("GIT_CONFIG_NOSYSTEM", "1").stdin(Stdio::null()).status().is_ok_and(|status| status.success())
}

#[test]
fn merging_gives_what_git_merge_gives() {
    let Some(scratch) = Scratch::new() else { return };
    let cases = cases(900);
    let commit = |name: &str, side: fn(&Three) -> &[u8]| {
        write(scratch.path(), &cases, side);
        scratch.commit();
        scratch.git(&["tag", name]);
    };
    commit("base", |case| &case.base);
    commit("ours", |case| &case.ours);
    commit("theirs", |case| &case.theirs);
    for (words, whitespace) in [
        (&[][..], Whitespace::Exact),
        (&["-Xignore-cr-at-eol"], Whitespace::IgnoreCr),
        (&["-Xignore-space-at-eol"], Whitespace::IgnoreEnd),
        (&["-Xignore-space-change"], Whitespace::IgnoreAmount),
        (&["-Xignore-all-space"], Whitespace::IgnoreAll),
    ] {
        for (word, style) in
            [("merge", MarkerStyle::Merge), ("diff3", MarkerStyle::Diff3), ("zdiff3", MarkerStyle::ZealousDiff3)]
        {
            let configured = format!("merge.conflictStyle={word}");
            let start = ["-c", &configured, "merge-tree", "--write-tree", "--no-messages", "--merge-base=base"];
            let words: Vec<_> = start.iter().chain(words).chain(&["ours", "theirs"]).collect();
            let output = command(scratch.path()).args(&words).output().unwrap();
            let tree = show(&output.stdout).lines().next().unwrap().to_owned();
            let options = MergeOptions { whitespace, ..MergeOptions::git_merge() }.with_style(style);
            assert_eq!(options.level, Level::Zealous);
            let archive = scratch.path().join(".git/result");
            fs::create_dir_all(&archive).unwrap();
            assert!(shell(scratch.path(), &format!("git archive {tree} | tar x -C .git/result")));
            // Where white space does not count, neither does a missing newline, and git then joins two lines to one. We do
            // not, so there is nothing to compare.
            let comparable = |case: &Three| {
                let complete = |text: &[u8]| text.is_empty() || text.ends_with(b"\n");
                whitespace == Whitespace::Exact || [&case.base, &case.ours, &case.theirs].iter().all(|t| complete(t))
            };
            for (at, case) in cases.iter().enumerate().filter(|(_, case)| comparable(case)) {
                let expected = fs::read(archive.join(format!("{at:05}"))).unwrap();
                let (base, ours, theirs) = (content(&case.base), content(&case.ours), content(&case.theirs));
                let merge = Merge::new(&base, &ours, &theirs, &options, &Cancel::new()).unwrap();
                let format =
                    MarkerFormat { style, labels: labels("ours", "base", "theirs"), ..MarkerFormat::default() };
                let text = merge.compose(&merge.accepted(), &format).bytes;
                assert_eq!(
                    show(&text),
                    show(&expected),
                    "case {at} with {words:?}\n--- base\n{}--- ours\n{}--- theirs\n{}",
                    show(&case.base),
                    show(&case.ours),
                    show(&case.theirs)
                );
                assert_eq!(text, expected);
            }
        }
    }
}

proptest! {
    #![proptest_config(Config::with_cases(400))]

    #[test]
    fn three_texts_of_any_bytes_merge(
        bytes in proptest::collection::vec(prop::sample::select(&b"aab\n\n\n\r<>=|\xff"[..]), 0..400),
    ) {
        super::three_texts::three_texts(&bytes);
    }
}
