//! Listing and counting the changes of a repository, beside git doing the same.
//!
//! `cargo bench -p diff --bench repository -- DIR A..B` measures a real range; without words a repository of 1,000 files
//! is made, and one in which 4,000 files were moved and every second of them edited, which `renames` alone asks for. Prints
//! milliseconds, the best of several runs, and the ratio to git where there is one. A third word, `review`, leaves all but
//! that out and tells the memory it took, the files that are kept and those that are mapped included.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench prints, and what it cannot do ends it")]

use std::{
    path::Path,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use diff::{
    Cancel, export,
    git::FileChange,
    plan::Layout,
    review::{Loader, LoaderOptions, Review},
    source::Comparison,
};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let cancel = Cancel::new();
    let scratch = || tempfile::tempdir().unwrap();
    match &words[..] {
        [folder, range, only] if only == "review" => {
            review(|| compared(Path::new(folder), range), &cancel);
            println!("{:20} {:>9} MB", "most memory", peak_memory().unwrap_or(0) / 1024);
        }
        [folder, range, ..] => all(Path::new(folder), range, &cancel),
        [only] if only == "renames" => {
            let folder = scratch();
            moved(folder.path());
            listed(folder.path(), "HEAD~..HEAD", &cancel);
        }
        _ => {
            let (folder, other) = (scratch(), scratch());
            made(folder.path());
            moved(other.path());
            all(folder.path(), "HEAD~..HEAD", &cancel);
            println!();
            listed(other.path(), "HEAD~..HEAD", &cancel);
        }
    }
}

fn compared(folder: &Path, range: &str) -> Comparison {
    Comparison::parse(&[range.into()], &[], folder).unwrap()
}

/// Lists what changed, exact renames joined, and then finds what was moved and edited.
fn listed(folder: &Path, range: &str, cancel: &Cancel) {
    let changes = compared(folder, range).changes(cancel).unwrap();
    println!("{} files in {range}", changes.len());
    let listing = best(5, || drop(compared(folder, range).changes(cancel).unwrap()));
    let by_git = best(3, || git(folder, &["diff", "--raw", "--no-renames", range]));
    row("changes", listing, Some(by_git));

    let (mut found, mut limited) = (0, false);
    let renames = best(3, || {
        let comparison = compared(folder, range);
        let mut joined = comparison.changes(cancel).unwrap();
        limited = comparison.find_renames(&mut joined, cancel).unwrap();
        found = changes.len() - joined.len();
    });
    if found > 0 {
        let by_git = best(3, || git(folder, &["diff", "--raw", "-M", "-l0", range]));
        row("renames", renames, Some(by_git));
        println!("{found} files were moved and edited{}", if limited { "; not all were compared" } else { "" });
    }
}

/// The whole way: listing, counting, reviewing, printing.
fn all(folder: &Path, range: &str, cancel: &Cancel) {
    listed(folder, range, cancel);
    let comparison = || compared(folder, range);
    let changes = comparison().changes(cancel).unwrap();

    let lines = AtomicU64::new(0);
    let counting = best(3, || {
        lines.store(0, Ordering::Relaxed);
        let comparison = comparison();
        let changes = comparison.changes(cancel).unwrap();
        let add = |_: usize, counts: export::Counts| {
            lines.fetch_add(counts.added + counts.removed, Ordering::Relaxed);
        };
        export::counts(&comparison, &changes, cancel, add).unwrap();
    });
    row("counts", counting, Some(best(3, || git(folder, &["diff", "--numstat", "--no-renames", range]))));
    println!("{} changed lines", lines.load(Ordering::Relaxed));
    review(comparison, cancel);
    let patching = best(3, || export::patch(&comparison(), &changes, &mut std::io::sink(), cancel).unwrap());
    row("patch", patching, Some(best(3, || git(folder, &["diff", "--no-renames", range]))));

    let worktree = || Comparison::parse(&[], &[], folder).ok()?.changes(cancel).ok();
    if worktree().is_some() {
        row("status", best(5, || drop(worktree())), Some(best(5, || git(folder, &["status", "--porcelain", "-uall"]))));
    }
}

/// Opens a review and waits for its first file, and for all of them.
fn review(comparison: impl Fn() -> Comparison, cancel: &Cancel) {
    let mut first = Duration::MAX;
    let all = best(3, || {
        let start = Instant::now();
        let comparison = comparison();
        let changes = Arc::new(comparison.changes(cancel).unwrap());
        load(comparison, &changes, || first = first.min(start.elapsed()));
    });
    row("first file", first, None);
    row("review", all, None);
}

/// The most memory this process had, in kilobytes, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// Loads a review as the application does, the first file being in view.
fn load(comparison: Comparison, changes: &Arc<Vec<FileChange>>, first: impl FnOnce()) {
    let (send, woken) = crossbeam_channel::bounded(1);
    let wake = move || {
        let _ = send.try_send(()); // who was told and did not come yet need not be told again
    };
    let open = move || comparison.reader();
    let loader = Loader::start(changes.clone(), 0..1, LoaderOptions::default(), open, Arc::new(wake)).unwrap();
    loader.want([0]);
    let mut first = Some(first);
    let mut page = Review::new(changes.iter().cloned(), Layout::Split, 3);
    while !loader.is_complete() {
        woken.recv().unwrap();
        while let Some(loaded) = loader.poll() {
            let file = loaded.file;
            page.take(loaded);
            if file == 0
                && let Some(first) = first.take()
            {
                page.prepare(0);
                first();
            }
        }
    }
}

fn row(what: &str, ours: Duration, gits: Option<Duration>) {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let ratio = gits.map(|gits| format!(" {:9.1} ms git {:6.2} ×", ms(gits), ours.as_secs_f64() / gits.as_secs_f64()));
    println!("{what:20} {:9.1} ms{}", ms(ours), ratio.unwrap_or_default());
}

fn best(runs: usize, mut work: impl FnMut()) -> Duration {
    let run = |_| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..runs).map(run).min().unwrap()
}

fn git(folder: &Path, words: &[&str]) {
    let status = Command::new("git")
        .current_dir(folder)
        .args(words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "git {words:?}");
}

/// 1,000 files, each with a line in seven changed.
fn made(folder: &Path) {
    git(folder, &["init", "-q"]);
    for round in 0..2 {
        for file in 0..1_000 {
            let text: String = (0..400)
                .map(|line| format!("line {line} {}\n", if (line + file) % 7 == 0 { round } else { 9 }))
                .collect();
            write(folder, &format!("d{}/f{file}", file % 31), &text);
        }
        commit(folder);
    }
}

/// 4,000 files with other names, half of them with a line in ten changed. A third of each file is in all of them.
fn moved(folder: &Path) {
    git(folder, &["init", "-q"]);
    for round in 0..2 {
        for file in 0..4_000 {
            let text: String = (0..60)
                .map(|line| match line {
                    0..20 => format!("// line {line} of what all have\n"),
                    _ if line % 10 == 3 && file % 2 == 0 => format!("line {line} of file {file} in round {round}\n"),
                    _ => format!("line {line} of file {file}\n"),
                })
                .collect();
            // Not in the same order, either.
            let name = if round == 0 { file } else { (file * 7) % 4_000 };
            write(folder, &format!("{}/d{}/f{name}-{round}", ["before", "after"][round], name % 31), &text);
        }
        if round == 1 {
            std::fs::remove_dir_all(folder.join("before")).unwrap();
        }
        commit(folder);
    }
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn commit(folder: &Path) {
    git(folder, &["add", "-A"]);
    git(folder, &["-c", "user.name=Test", "-c", "user.email=test@example.com", "commit", "-qm", "round"]);
}
