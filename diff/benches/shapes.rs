//! Large changes, ours against `git diff --no-index --numstat` of the same files in the same run.
//!
//! `cargo bench -p diff --bench shapes [SHAPE…]`. Ours is from opening the files to the slid script; a review's goes
//! on to rows, and is what the ratio is of; git's is its process from start to end. Prints milliseconds and the ratio, never a verdict: machines differ, ratios hardly do. `files` compares
//! 5,000 small files one after the other on one thread, against git over two trees of them. `keys` types into the new side of
//! a million lines with 10,000 hunks, and with 500,000. `oneline` is a line of 10 MB, `minified` one of 7 MB, `bundle` 147 KB
//! in 34 lines; of these the changed words are looked for, too. `group` asks where half a million hunks without a gap end.

#![allow(clippy::print_stdout, reason = "what a bench is for")]

use std::error::Error;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use diff::Cancel;
use diff::engine::{Engine, Hunk, Options, Whitespace};
use diff::incremental::Live;
use diff::inline::{Inline, PAIR_STEPS, spans};
use diff::lines::{Bytes, Content};
use diff::plan::{Context, Given, Layout, Plan, RunKind};
use diff::review::{Loaded, LoaderOptions, Review, compare_file};
use diff::source::Comparison;
use editor::{ChangeSet, Text};

const WORDS: [&str; 27] = [
    "let", "mut", "self", "fn", "match", "value", "index", "result", "buffer", "length", "offset", "node", "parse",
    "token", "error", "state", "return", "if", "else", "for", "while", "struct", "impl", "type", "name", "path",
    "line",
];
const SHAPES: [&str; 7] = ["scattered", "big", "alternate", "repetitive", "disjoint", "shuffled", "random2"];
const LONG_LINES: [&str; 3] = ["oneline", "minified", "bundle"];
const ROUNDS: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let wants = |name: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
    let folder = tempfile::tempdir()?;
    println!(
        "{:<12} {:>9} {:>9} {:>9} {:>7}  removed and added by ours, by git",
        "shape", "ours ms", "review ms", "git ms", "ratio"
    );
    for shape in SHAPES.into_iter().chain(LONG_LINES).filter(|shape| wants(shape)) {
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        make(shape, &old, &new)?;
        let mut ours = (Duration::MAX, (0, 0));
        let mut reviewed = (Duration::MAX, ());
        let mut gits = (Duration::MAX, String::new());
        for _ in 0..ROUNDS {
            ours = ours.min(timed(|| compare_files(&old, &new))?);
            reviewed = reviewed.min(timed(|| review(&old, &new))?);
            gits = gits.min(timed(|| git(&old, &new))?);
        }
        report(shape, ours, Some(reviewed.0), &gits);
    }
    if wants("keys") {
        keys("scattered", folder.path())?;
        keys("alternate", folder.path())?;
    }
    for shape in LONG_LINES.into_iter().filter(|shape| wants(shape)) {
        words(shape)?;
    }
    if wants("group") {
        group()?;
    }
    if wants("files") {
        let (old, new) = (folder.path().join("olds"), folder.path().join("news"));
        make_folders(&old, &new)?;
        let mut ours = (Duration::MAX, (0, 0));
        let mut gits = (Duration::MAX, String::new());
        for _ in 0..ROUNDS {
            ours = ours.min(timed(|| compare_folders(&old, &new))?);
            gits = gits.min(timed(|| git(&old, &new))?);
        }
        report("files", ours, None, &gits);
    }
    Ok(())
}

fn report(
    shape: &str,
    (ours, (removed, added)): (Duration, (u64, u64)),
    reviewed: Option<Duration>,
    (gits, numstat): &(Duration, String),
) {
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    let ratio = reviewed.unwrap_or(ours).as_secs_f64() / gits.as_secs_f64();
    let reviewed = reviewed.map_or_else(String::new, |time| format!("{:.1}", millis(time)));
    let (ours, gits) = (millis(ours), millis(*gits));
    println!("{shape:<12} {ours:>9.1} {reviewed:>9} {gits:>9.1} {ratio:>7.2}  -{removed} +{added}, {numstat}");
}

type Outcome<T> = Result<T, Box<dyn Error>>;

fn timed<T>(run: impl FnOnce() -> Outcome<T>) -> Outcome<(Duration, T)> {
    let start = Instant::now();
    let result = run()?;
    Ok((start.elapsed(), result))
}

fn compare_files(old: &Path, new: &Path) -> Outcome<(u64, u64)> {
    let (old, new) = Content::pair(Bytes::map(&File::open(old)?)?, Bytes::map(&File::open(new)?)?)?;
    Ok(Engine::new().compare(&old, &new, &Options::default(), &Cancel::new())?.counts())
}

/// What a review does with two files, from their names to rows.
fn review(old: &Path, new: &Path) -> Outcome<()> {
    let (comparison, cancel) = (Comparison::of_paths(old, new)?, Cancel::new());
    let changes = comparison.changes(&cancel)?;
    let change = changes.first().ok_or("no change")?;
    let (outcome, prints) =
        compare_file(&mut comparison.reader(), &mut Engine::new(), change, &LoaderOptions::default(), &cancel)?;
    let mut page = Review::new(changes.iter().cloned(), Layout::Split, 3);
    page.take(Loaded { file: 0, outcome, prints });
    page.prepare(0);
    if page.file(0).is_none_or(|file| file.plan().is_none()) {
        return Err("no rows".into());
    }
    Ok(())
}

fn compare_folders(old: &Path, new: &Path) -> Outcome<(u64, u64)> {
    let mut engine = Engine::new();
    let mut counts = (0, 0);
    for entry in fs::read_dir(old)? {
        let entry = entry?;
        let (old, new) = Content::pair(fs::read(entry.path())?, fs::read(new.join(entry.file_name()))?)?;
        let (removed, added) = engine.compare(&old, &new, &Options::default(), &Cancel::new())?.counts();
        counts = (counts.0 + removed, counts.1 + added);
    }
    Ok(counts)
}

/// Types, breaks lines and deletes all over a large text, and says what a key costs.
fn keys(shape: &str, folder: &Path) -> Outcome<()> {
    let (old, new) = (folder.join("old"), folder.join("new"));
    make(shape, &old, &new)?;
    let (old, new) = (fs::read(old)?, String::from_utf8(fs::read(new)?)?);
    let mut text = Text::from(new.as_str());
    let (old, new) = Content::pair(old, new.into_bytes())?;
    let script = Engine::new().compare(&old, &new, &Options::default(), &Cancel::new())?;
    let mut live = Live::new(old, &text, &script, Whitespace::Exact);
    let random = &mut Random(3);
    let mut times = Vec::new();
    for key in 0..4_000 {
        let at = random.below(text.len() - 200);
        let (range, insert) = match key % 5 {
            0 | 1 => (at..at, "x"),
            2 => (at..at, "\n"),
            3 => (at..at + 1, ""),
            _ => (at..at + 120, ""), // two or three lines
        };
        let changes = ChangeSet::from_edits(text.len(), [(range, insert)]);
        let after = changes.apply(&text);
        let (time, _) = timed(|| Ok(live.edit(&changes, &text, &after)))?;
        times.push(time);
        text = after;
    }
    times.sort();
    let at = |share: usize| times[(times.len() - 1) * share / 1000].as_secs_f64() * 1e6;
    println!(
        "keys over {} hunks: median {:.0} µs, p99 {:.0} µs, worst {:.0} µs",
        live.hunk_count(),
        at(500),
        at(990),
        at(1000)
    );
    Ok(())
}

/// Finds the end of a large group of hunks as a frame does that shows its beginning, beside walking it.
fn group() -> Outcome<()> {
    let group = (20..1_000_020).step_by(2).chain([1_000_200]);
    let hunks: Vec<_> = group.map(|line| Hunk { old: line..line + 1, new: line..line + 1 }).collect();
    let (lines, context) = (1_000_300, Context::default());
    let given = Given { hunks: &hunks, old_lines: lines, new_lines: lines, layout: Layout::Split, context: &context };
    let plan = Plan::build(given, |_| None);
    let mut found = (Duration::MAX, None);
    let mut walked = found;
    for _ in 0..100 {
        found = found.min(timed(|| Ok(black_box(&plan).gap_behind(0)))?);
        let walk = || black_box(&plan).runs().iter().skip(1).position(|run| run.kind == RunKind::Gap);
        walked = walked.min(timed(|| Ok(walk().map(|n| n + 1)))?);
    }
    assert_eq!(found.1, walked.1, "both find the same");
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    println!("end of a group of {} hunks: {:.2} µs, walking {:.0} µs", hunks.len(), micros(found.0), micros(walked.0));
    Ok(())
}

/// Looks for the changed words of long lines.
fn words(shape: &str) -> Outcome<()> {
    let (old, new) = long_lines(shape).ok_or("no such shape")?;
    let mut best = (Duration::MAX, 0);
    for _ in 0..ROUNDS {
        best = best.min(timed(|| {
            let mut count = 0;
            for (old, new) in old.iter().zip(&new) {
                if let Inline::Spans(spans) = spans(old, new, PAIR_STEPS, &Cancel::new())? {
                    count += spans.new.len();
                }
            }
            Ok(count)
        })?);
    }
    println!("words of {shape}: {:.1} ms, {} spans", best.0.as_secs_f64() * 1e3, best.1);
    Ok(())
}

/// What a program squeezed into few lines, and the same with some words changed.
fn long_lines(shape: &str) -> Option<(Vec<String>, Vec<String>)> {
    let (lines, words, edits) = match shape {
        "oneline" => (1, 1_800_000, 50),
        "minified" => (1, 1_260_000, 50),
        "bundle" => (34, 775, 2),
        _ => return None,
    };
    let random = &mut Random(4);
    let pairs = (0..lines).map(|_| {
        let old: Vec<String> = (0..words)
            .map(|_| format!("{}{}", random.choice(&WORDS), random.choice(&[';', ',', '(', ')', '{', '}', '='])))
            .collect();
        let mut new = old.clone();
        for _ in 0..edits {
            let at = random.below(new.len());
            "changed;".clone_into(&mut new[at]);
        }
        (old.concat(), new.concat())
    });
    Some(pairs.unzip())
}

/// Sums of `git diff --numstat`.
fn git(old: &Path, new: &Path) -> Outcome<String> {
    let mut command = Command::new("git");
    command.args(["diff", "--no-index", "--numstat"]).args([old, new]).stderr(Stdio::null());
    let output = String::from_utf8(command.output()?.stdout)?;
    let (mut removed, mut added) = (0, 0);
    for line in output.lines() {
        let mut fields = line.split('\t').map(|field| field.parse::<u64>().unwrap_or(0));
        added += fields.next().unwrap_or(0);
        removed += fields.next().unwrap_or(0);
    }
    Ok(format!("-{removed} +{added}"))
}

fn make(shape: &str, old: &Path, new: &Path) -> Outcome<()> {
    if let Some((before, after)) = long_lines(shape) {
        fs::write(old, before.join("\n") + "\n")?;
        fs::write(new, after.join("\n") + "\n")?;
        return Ok(());
    }
    let random = &mut Random(2);
    let count = match shape {
        "big" => 2_300_000,
        "shuffled" => 500_000,
        "random2" => 200_000,
        _ => 1_000_000,
    };
    let mut a: Vec<String>;
    let mut b: Vec<String>;
    match shape {
        "repetitive" | "random2" => {
            let values: Vec<String> = (0..if shape == "random2" { 2 } else { 8 }).map(|_| line(random)).collect();
            a = (0..count).map(|_| random.choice(&values).clone()).collect();
            b = a.clone();
            for line in &mut b {
                if shape == "random2" || random.below(50) == 0 {
                    line.clone_from(random.choice(&values));
                }
            }
        }
        _ => {
            a = (0..count).map(|_| line(random)).collect();
            b = a.clone();
        }
    }
    match shape {
        "scattered" => (0..10_000).for_each(|_| b[random.below(count)] = line(random)),
        "big" => b[count / 2] = line(random),
        "alternate" => b.iter_mut().step_by(2).for_each(|changed| *changed = line(random)),
        "disjoint" => b.iter_mut().for_each(|changed| *changed = line(random).replace('\n', " other\n")),
        "shuffled" => {
            let mut blocks: Vec<&[String]> = a.chunks(1000).collect();
            for at in (1..blocks.len()).rev() {
                blocks.swap(at, random.below(at + 1));
            }
            b = blocks.concat();
        }
        _ => {}
    }
    fs::write(old, a.concat())?;
    a.clear();
    fs::write(new, b.concat())?;
    Ok(())
}

/// 5,000 files of 400 lines, 15 % of which are replaced, followed by another, or removed.
fn make_folders(old: &Path, new: &Path) -> Outcome<()> {
    fs::create_dir(old)?;
    fs::create_dir(new)?;
    let random = &mut Random(1);
    let pool: Vec<String> = (0..200_000).map(|_| line(random)).collect();
    for file in 0..5_000 {
        let from = random.below(pool.len() - 400);
        let mut lines = pool[from..from + 400].to_vec();
        fs::write(old.join(format!("file{file:05}.rs")), lines.concat())?;
        for _ in 0..60 {
            let at = random.below(lines.len());
            match random.below(3) {
                0 => lines[at] = line(random),
                1 => lines[at] += &line(random),
                _ => lines[at].clear(),
            }
        }
        fs::write(new.join(format!("file{file:05}.rs")), lines.concat())?;
    }
    Ok(())
}

fn line(random: &mut Random) -> String {
    let mut line = "    ".repeat(random.below(4));
    for word in 0..3 + random.below(8) {
        line += if word == 0 { "" } else { " " };
        line += WORDS[random.below(WORDS.len())];
    }
    let _ = writeln!(line, " {};", random.below(1_000_000)); // a String takes it all
    line
}

/// A small generator of pseudo-random numbers (xorshift), so that shapes are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as usize % limit
    }

    fn choice<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
