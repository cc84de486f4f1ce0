//! The corpus of noisy edits over real sources, measured: `cargo bench -p agent --bench edits -- FOLDER…`.
//!
//! Prints a line a kind of noise: right, missed, wrong. `--each N` edits of every kind (200), `--splits` reads every
//! reply cut in two at each of its bytes and says how many cuts changed what it asks, `--dump FILE` writes the corpus and
//! what we made of it as JSON lines, which `benches/edits_aider.py` judges aider by:
//!
//! ```sh
//! python3 -m venv /tmp/aider && /tmp/aider/bin/pip install --no-deps aider-chat==0.86.2
//! cargo bench -p agent --bench edits -- --dump /tmp/edits.jsonl FOLDER… && /tmp/aider/bin/python agent/benches/edits_aider.py /tmp/edits.jsonl
//! ```
//!
//! Without a folder the repository's own sources are taken.

#[path = "../tests/edits/corpus.rs"]
mod corpus;
#[path = "../tests/edits/judge.rs"]
mod judge;
#[path = "../fuzz/reply.rs"]
mod reply;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agent::protocol::{Ending, Options};
use corpus::{Case, Truth, corpus, sources};
use judge::{Table, judge, outcome};

const EXTENSIONS: [&str; 14] = ["rs", "py", "js", "ts", "tsx", "go", "c", "h", "cpp", "java", "rb", "php", "cs", "md"];

#[allow(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints figures, and fails where it stands")]
fn main() {
    let mut folders: Vec<PathBuf> = Vec::new();
    let (mut each, mut dump, mut splits) = (200, None, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bench" => {}
            "--each" => each = arguments.next().and_then(|number| number.parse().ok()).unwrap_or(each),
            "--splits" => splits = true,
            "--dump" => dump = arguments.next(),
            folder => folders.push(folder.into()),
        }
    }
    if folders.is_empty() {
        folders.extend(Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned));
    }
    let mut files = Vec::new();
    for extension in EXTENSIONS {
        let mut found: Vec<_> = folders.iter().flat_map(|folder| sources(folder, &[extension], 300)).collect();
        found.truncate(300);
        println!("{extension:>5}: {} files", found.len());
        files.extend(found);
    }
    let cases = corpus(&files, each, 20_261_130);
    let mut table = Table::default();
    let mut slowest = Duration::ZERO;
    let mut lines = dump.map(|path| std::io::BufWriter::new(std::fs::File::create(path).unwrap()));
    let begun = Instant::now();
    for case in &cases {
        let start = Instant::now();
        let out = outcome(case);
        slowest = slowest.max(start.elapsed());
        let verdict = judge(case, out.as_deref());
        table.add(case.noise, verdict);
        if let Some(lines) = &mut lines {
            let truth = match &case.truth {
                Truth::Text(text) => Some(text),
                Truth::Refused | Truth::Already => None,
            };
            let line = serde_json::json!({
                "noise": format!("{:?}", case.noise), "path": case.path, "before": case.before, "aider": case.aider,
                "reply": case.reply, "truth": truth, "verdict": format!("{verdict:?}"), "out": out,
            });
            writeln!(lines, "{line}").unwrap();
        }
    }
    let taken = begun.elapsed();
    println!("{:<22} {:>6} {:>7} {:>6}", "noise", "right", "missed", "wrong");
    for (noise, [right, missed, wrong]) in &table.0 {
        println!("{:<22} {right:>6} {missed:>7} {wrong:>6}", format!("{noise:?}"));
    }
    let [right, missed, wrong] = table.sums();
    let percent = |count: usize| 100.0 * count as f64 / cases.len() as f64;
    println!(
        "{} edits: {:.2} % right, {:.2} % missed, {:.2} % wrong; {taken:.1?}, slowest {slowest:.1?}",
        cases.len(),
        percent(right),
        percent(missed),
        percent(wrong)
    );
    if splits {
        let (cuts, changed) = cases.iter().map(changed_by_cuts).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        println!("{cuts} cuts, {changed} of which changed what the reply asks");
    }
}

/// How often a reply can be cut in two, and how many of the cuts change how it is read.
fn changed_by_cuts(case: &Case) -> (usize, usize) {
    let bytes = case.reply.as_bytes();
    let read = |cuts: &[usize]| reply::in_pieces(bytes, cuts, &Options::default(), Ending::Whole);
    let whole = read(&[]);
    (bytes.len() + 1, (0..=bytes.len()).filter(|cut| read(&[*cut]) != whole).count())
}
