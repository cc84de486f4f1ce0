//! Looking for moved blocks, beside `git diff --color-moved` of the same files in the same run.
//!
//! `cargo bench -p diff --bench moves [FILES]`. A change of 5,000 files with some 400,000 changed lines: functions are moved
//! within files and to others, some indented, and lines are edited all over. Ours is making the traces (a part of comparing)
//! and finding moves in them; git's is what `--color-moved` adds to its plain diff, without and with changed indentation,
//! which ours always finds. Prints milliseconds and ratios, what was found, and the memory of the traces.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench prints, and what it cannot do ends it")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use diff::Cancel;
use diff::engine::{Engine, Hunk, Options};
use diff::git::Side;
use diff::lines::Content;
use diff::moves::{TraceKey, Traces, find};

/// Functions of a file.
const FUNCTIONS: usize = 16;
const ROUNDS: usize = 3;

fn main() {
    let wanted = std::env::args().skip(1).find_map(|word| word.parse().ok());
    let files: usize = wanted.unwrap_or(5_000);
    let texts = made(files);
    let compared: Vec<_> = texts.iter().map(|(old, new)| compared(old, new)).collect();
    let lines: u64 = compared
        .iter()
        .flat_map(|(.., hunks)| hunks)
        .map(|hunk| {
            let (removed, added) = hunk.counts();
            u64::from(removed + added)
        })
        .sum();
    println!("{files} files, {lines} changed lines");

    let key = TraceKey::new();
    let (tracing, traces) = best(|| {
        let trace = |(old, new, hunks): &(Content, Content, Vec<Hunk>)| {
            Traces::of(&key, hunks, |side, line| if side == Side::Old { old.line(line) } else { new.line(line) })
        };
        compared.iter().map(trace).collect::<Vec<_>>()
    });
    let (finding, moves) = best(|| find(traces.iter().enumerate(), &Cancel::new()).unwrap());
    let blocks = moves.all().len();
    let across = moves.all().iter().filter(|found| found.is_across_files()).count();
    let moved: usize = moves.all().iter().map(|found| found.new.lines.len()).sum();
    let memory: usize = traces.iter().map(Traces::memory).sum();

    let folder = tempfile::tempdir().unwrap();
    for (side, text) in [("old", 0), ("new", 1)] {
        fs::create_dir(folder.path().join(side)).unwrap();
        for (file, texts) in texts.iter().enumerate() {
            let text = if text == 0 { &texts.0 } else { &texts.1 };
            fs::write(folder.path().join(side).join(format!("file{file:05}.rs")), text).unwrap();
        }
    }
    let (plain, ()) = best(|| git(folder.path(), &[]));
    let (zebra, ()) = best(|| git(folder.path(), &["--color-moved=zebra"]));
    let indented = || git(folder.path(), &["--color-moved=zebra", "--color-moved-ws=allow-indentation-change"]);
    let (indented, ()) = once(indented);

    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!("making traces    {:9.1} ms   {:.1} MB", ms(tracing), memory as f64 / 1e6);
    println!(
        "finding moves    {:9.1} ms   {blocks} blocks, {across} across files, {moved} lines of each side",
        ms(finding)
    );
    println!("git diff         {:9.1} ms", ms(plain));
    let ours = ms(tracing + finding);
    for (what, time) in [("git, moves", zebra), ("git, re-indented", indented)] {
        let added = ms(time.saturating_sub(plain));
        println!("{what:16} {:9.1} ms   ours is {:.3} × what it adds", ms(time), ours / added);
    }
}

fn once<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

fn compared(old: &str, new: &str) -> (Content, Content, Vec<Hunk>) {
    let (old, new) = Content::pair(old.as_bytes(), new.as_bytes()).unwrap();
    let script = Engine::new().compare(&old, &new, &Options::default(), &Cancel::new()).unwrap();
    (old, new, script.hunks)
}

fn best<T>(mut work: impl FnMut() -> T) -> (Duration, T) {
    let mut best = once(&mut work);
    for _ in 1..ROUNDS {
        let next = once(&mut work);
        if next.0 < best.0 {
            best = next;
        }
    }
    best
}

fn git(folder: &Path, words: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["diff", "--no-index", "--color=always"]).args(words).args(["old", "new"]);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.status().unwrap();
    assert!(status.code().is_some_and(|code| code <= 1), "git {words:?}");
}

/// Old and new texts of files of 16 functions: two are moved down, one goes to the next file, a method is indented
/// elsewhere, and lines are edited.
fn made(files: usize) -> Vec<(String, String)> {
    let random = &mut Random(5);
    let mut olds: Vec<Vec<String>> = Vec::new();
    for _ in 0..files {
        olds.push((0..FUNCTIONS).map(|_| function(random)).collect());
    }
    let mut news = olds.clone();
    for file in 0..files {
        let moved = news[file].remove(random.below(4));
        news[file].insert(8, moved);
        let moved = news[file].remove(random.below(4));
        news[(file + 1) % files].push(moved);
        let indented = news[file].remove(2).lines().map(|line| format!("    {line}\n")).collect::<String>();
        news[file].push(format!("impl Kind{file} {{\n{indented}}}\n"));
        for _ in 0..3 {
            let at = random.below(news[file].len());
            news[file][at] = news[file][at].replace("let ", "let mut ");
        }
    }
    olds.into_iter().zip(news).map(|(old, new)| (old.concat(), new.concat())).collect()
}

fn function(random: &mut Random) -> String {
    let words = ["value", "index", "result", "buffer", "node", "parse", "token", "state", "name", "path", "line"];
    let mut text = format!("fn {}_{}() {{\n", words[random.below(words.len())], random.below(100_000));
    for _ in 0..4 + random.below(10) {
        let (a, b) = (words[random.below(words.len())], words[random.below(words.len())]);
        let _ = match random.below(5) {
            0 => writeln!(text, "    if {a}.is_empty() {{\n        return;\n    }}"),
            1 => writeln!(text, "    {a}.push({b});"),
            _ => writeln!(text, "    let {a} = {b}.{}({});", words[random.below(words.len())], random.below(1_000)),
        };
    }
    text += "}\n\n";
    text
}

/// A small generator of pseudo-random numbers (xorshift), so that the change is the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as usize % limit
    }
}
