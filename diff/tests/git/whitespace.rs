//! White-space modes against git's options of the same meaning.

use std::{collections::BTreeSet, fmt::Write as _, fs, path::Path};

use diff::{
    Cancel,
    engine::{Algorithm, AsGit, Engine, Hunk, Options, Whitespace, compare},
    lines::Content,
};

use super::scratch::{Scratch, command};

const MODES: [(Whitespace, &str); 4] = [
    (Whitespace::IgnoreCr, "--ignore-cr-at-eol"),
    (Whitespace::IgnoreEnd, "--ignore-space-at-eol"),
    (Whitespace::IgnoreAmount, "-b"),
    (Whitespace::IgnoreAll, "-w"),
];

fn hunks(old: &[u8], new: &[u8], whitespace: Whitespace) -> Vec<Hunk> {
    let (old, new) = Content::pair(old, new).unwrap();
    compare(&old, &new, &Options { whitespace, ..Options::default() }, &Cancel::new()).unwrap().hunks
}

/// What git prints of two files or folders; that they differ is no failure.
fn git_diff(folder: &Path, words: &[&str]) -> String {
    let output = command(folder).args(["diff", "--no-index"]).args(words).args(["old", "new"]).output().unwrap();
    assert!(output.status.code().is_some_and(|code| code <= 1), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A small generator of pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as usize % limit
    }

    /// A text of pieces that white-space modes could take for each other.
    fn text(&mut self) -> String {
        let pieces = ["a", "b", " ", "  ", "\t", "\r\n", "\n", "\r", "\u{c}", "\u{b}", "\u{a0}"];
        (0..self.below(7)).map(|_| pieces[self.below(pieces.len())]).collect()
    }
}

#[test]
fn two_texts_are_equal_in_a_mode_if_they_are_to_git() {
    let Some(s) = Scratch::new() else { return };
    let random = &mut Random(7);
    let mut pairs = Vec::new();
    for n in 0..3_000 {
        let old = random.text();
        // Mostly the same but for white space, so that modes matter.
        let new = match random.below(3) {
            0 => random.text(),
            1 => old.replace("  ", "\t").replace('\r', ""),
            _ => old.replace(' ', "").replace('\n', " \n"),
        };
        s.write(&format!("old/{n:04}"), &old).write(&format!("new/{n:04}"), &new);
        pairs.push((old, new));
    }
    for (mode, option) in MODES {
        let stat = git_diff(s.path(), &[option, "--numstat"]);
        let changed = stat.lines().filter(|line| !line.starts_with("0\t0\t"));
        let number = |line: &str| line.rsplit(|c: char| !c.is_ascii_digit()).find(|n| n.len() == 4).map(str::to_owned);
        let changed: BTreeSet<usize> = changed.map(|line| number(line).unwrap().parse().unwrap()).collect();
        assert!(changed.len() > 500 && changed.len() < 2_900, "{option}: {}", changed.len());
        for (n, (old, new)) in pairs.iter().enumerate() {
            let differ = !hunks(old.as_bytes(), new.as_bytes(), mode).is_empty();
            assert_eq!(differ, changed.contains(&n), "{option}: {old:?} {new:?}");
        }
    }
}

/// Sources of this crate, with white space and some words of them changed all over.
fn rewritten(text: &str, random: &mut Random) -> String {
    let mut out = String::new();
    let mut indent = 0;
    for line in text.lines() {
        if random.below(12) == 0 {
            indent = random.below(3) * 4;
        }
        let line = match random.below(20) {
            0 => line.replace(' ', "  "),
            1 => format!("{line}  "),
            2 => format!("{line}\r"),
            3 if line.len() > 20 => line.replace(' ', ""),
            4 if line.len() > 30 => format!("{line} // {}", random.below(1_000_000)),
            _ => line.to_owned(),
        };
        let _ = writeln!(out, "{}{line}", " ".repeat(indent));
    }
    out
}

#[test]
fn hunks_of_real_files_are_those_of_git() {
    let Some(s) = Scratch::new() else { return };
    let random = &mut Random(11);
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut engine = Engine::new();
    let (mut ours, mut gits) = (0, 0);
    for name in ["affix.rs", "lines.rs", "plan.rs", "inline.rs", "engine/myers.rs", "git/status.rs"] {
        let old = fs::read_to_string(sources.join(name)).unwrap();
        let new = rewritten(&old, random);
        s.write("old", &old).write("new", &new);
        let (old, new) = Content::pair(old.into_bytes(), new.into_bytes()).unwrap();
        for (whitespace, option) in MODES {
            for (algorithm, git_name) in [(Algorithm::Myers, "myers"), (Algorithm::Histogram, "histogram")] {
                let patch = git_diff(s.path(), &[option, "-U0", &format!("--diff-algorithm={git_name}")]);
                let headers = patch.lines().filter_map(|line| line.strip_prefix("@@ ")?.split(" @@").next());
                let as_git = AsGit { algorithm, indent_heuristic: true, whitespace };
                let script = engine.compare_as_git(&old, &new, &as_git, &Cancel::new()).unwrap();
                let hunks: Vec<_> = script.hunks.iter().map(header).collect();
                assert_eq!(hunks, headers.collect::<Vec<_>>(), "{name} {option} {git_name}");
                gits += count(&patch, '-') + count(&patch, '+');
                // What is read need not be the same, but must not be more.
                let options = Options { whitespace, ..Options::default() };
                let (removed, added) = engine.compare(&old, &new, &options, &Cancel::new()).unwrap().counts();
                ours += removed + added;
            }
        }
    }
    assert!(gits > 5_000 && ours * 100 <= gits * 102, "{ours} changed lines, {gits} of git");
}

/// Lines of a patch of one file that begin with a sign, its header aside.
fn count(patch: &str, sign: char) -> u64 {
    patch.lines().skip(4).filter(|line| line.starts_with(sign)).count() as u64
}

/// A hunk as git names it without context.
fn header(hunk: &Hunk) -> String {
    let side = |lines: &std::ops::Range<u32>| match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        len => format!("{},{len}", lines.start + 1),
    };
    format!("-{} +{}", side(&hunk.old), side(&hunk.new))
}
