//! What ticks cost in a review of 5,000 files: knowing files by what they say, looking marks up, and the store.
//!
//! `cargo bench -p diff --bench ticks [FILES]`. Prints milliseconds; what is made while comparing also as a share of
//! comparing the same files in the same run.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench prints, and what it cannot do ends it")]

use std::time::{Duration, Instant};

use diff::Cancel;
use diff::engine::{Engine, Hunk, Options, Whitespace};
use diff::git::{Blob, BlobSource, FileChange, Mode, RepoPath, Status, blob_id};
use diff::lines::Content;
use diff::plan::Layout;
use diff::review::{Counts, Heights, Loaded, Outcome, Prints, Review};
use diff::store::{Identity, Store, Write};
use diff::ticks::{self, Mark};

const ROUNDS: usize = 3;

fn main() {
    let wanted = std::env::args().skip(1).find_map(|word| word.parse().ok());
    let files: usize = wanted.unwrap_or(5_000);
    let changes: Vec<_> = (0..files).map(change).collect();
    let texts: Vec<_> = (0..files).map(sides).collect();
    let (comparing, compared) = best(|| {
        let mut engine = Engine::new();
        texts.iter().map(|(old, new)| compared(&mut engine, old, new)).collect::<Vec<_>>()
    });
    let (printing, prints) = best(|| {
        let tracer = Review::new([], Layout::Split, 3).loader_options().tracer;
        let print = |((old, new, hunks), change): (&(Content, Content, Vec<Hunk>), &FileChange)| {
            Prints::of_lines(change, (old, new), hunks, &[], Whitespace::Exact, &tracer)
        };
        compared.iter().zip(&changes).map(print).collect::<Vec<_>>()
    });
    let lines: u64 = compared.iter().map(|(.., hunks)| Counts::of(hunks)).map(|sum| sum.added + sum.removed).sum();
    let hunks: usize = compared.iter().map(|(.., hunks)| hunks.len()).sum();
    println!("{files} files, {hunks} hunks, {lines} changed lines");
    let (naming, _) = best(|| {
        let named =
            compared.iter().zip(&changes).map(|((old, new, hunks), change)| ticks::hunks(change, old, new, hunks));
        named.collect::<Vec<_>>()
    });
    row("comparing", comparing);
    row("ids of hunks", naming);
    row("ids and traces", printing);
    println!("{:26} {:9.2} × comparing", "", printing.as_secs_f64() / comparing.as_secs_f64());

    let mut page = Review::new(changes, Layout::Split, 3);
    for (file, (prints, (_, new, hunks))) in prints.into_iter().zip(&compared).enumerate() {
        let heights = Heights::of(hunks, new.line_count(), 3);
        page.take(Loaded { file, outcome: Outcome::Counted { counts: Counts::of(hunks), heights }, prints });
    }
    let (one, ()) = best(|| page.tick(files / 2, Some(Mark::Viewed)));
    row("tick one file", one);
    let (all, ()) = once(|| page.tick_all(Some(Mark::Viewed)));
    row("tick all files", all);
    let marks = page.marks().clone();
    let (taking, ()) = best(|| page.set_marks(marks.clone()));
    row("take marks from the store", taking);

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reviews.sqlite");
    let mut store = Store::open(&path).unwrap().store;
    let repository = store.repository(&Identity::named("bench")).unwrap();
    let changes = page.take_mark_changes();
    let first = vec![changes[0]];
    let written = changes.len();
    let (writing, _) = once(|| store.write(repository, &Write::Marks(changes)).unwrap());
    row(&format!("write {written} marks"), writing);
    let (writing, _) = best(|| store.write(repository, &Write::Marks(first.clone())).unwrap());
    row("write one mark", writing);
    let (looking, _) = best(|| store.pulse().unwrap());
    row("look for changes", looking);
    drop(store);
    let (opening, mut store) = once(|| Store::open(&path).unwrap().store);
    row("open the file", opening);
    let (reading, read) = best(|| store.marks(repository).unwrap());
    row(&format!("read {} marks", read.0.len()), reading);
}

fn row(what: &str, time: Duration) {
    println!("{what:26} {:9.3} ms", time.as_secs_f64() * 1e3);
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

fn once<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

fn change(file: usize) -> FileChange {
    let blob = |side: &str| {
        let id = blob_id(format!("{side} {file}").as_bytes()).unwrap();
        Some(Blob { mode: Mode::File, source: BlobSource::Object(id), size: None })
    };
    FileChange {
        path: RepoPath::from(format!("folder{}/file{file:05}.rs", file % 40).as_str()),
        old_path: None,
        status: Status::Modified,
        old: blob("old"),
        new: blob("new"),
        similarity: None,
    }
}

/// 400 lines, some 60 of which are replaced, followed by another, or removed.
fn sides(file: usize) -> (String, String) {
    let line = |n: usize| format!("    let value_{n} = compute(node_{}, buffer_{});\n", n * file % 977, n * 31 % 89);
    let old: Vec<_> = (0..400).map(line).collect();
    let mut new = old.clone();
    for at in 0..60 {
        let at = (at * 7919 + file) % 400;
        match at % 3 {
            0 => new[at] = line(at + 1_000),
            1 => new[at] += &line(at + 2_000),
            _ => new[at].clear(),
        }
    }
    (old.concat(), new.concat())
}

fn compared(engine: &mut Engine, old: &str, new: &str) -> (Content, Content, Vec<Hunk>) {
    let (old, new) = Content::pair(old.as_bytes(), new.as_bytes()).unwrap();
    let script = engine.compare(&old, &new, &Options::default(), &Cancel::new()).unwrap();
    (old, new, script.hunks)
}
