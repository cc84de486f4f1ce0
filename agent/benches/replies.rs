//! Reading replies of a megabyte: `cargo bench -p agent --bench replies`.
//!
//! Each shape of reply is read whole, in pieces of 40 bytes as servers stream them, and byte by byte; beside it stands
//! what only joining and decoding the same pieces costs. Prints milliseconds of processor time for the megabyte, and the
//! ratio of streamed reading to that joining. The last shapes are what no model should write: lines and blanks without an
//! end, and what makes a reader look far ahead again and again.

#![allow(clippy::print_stdout, reason = "a bench prints")]

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use agent::protocol::{Ending, Fences, Options, Parser};

const SIZE: usize = 1 << 20;
const ENOUGH: Duration = Duration::from_millis(300);

fn main() {
    println!("{:<28} {:>9} {:>9} {:>9} {:>9} {:>7}", "1 MiB of", "whole", "by 40", "by 1", "joined", "ratio");
    for (name, reply) in shapes() {
        let [whole, streamed, bytewise] = [SIZE * 2, 40, 1].map(|piece| mean(|| read(&reply, piece)));
        let joined = mean(|| join(&reply, 40));
        let ratio = streamed.as_secs_f64() / joined.as_secs_f64();
        let [whole, streamed, bytewise, joined] =
            [whole, streamed, bytewise, joined].map(|time| format!("{:.2} ms", time.as_secs_f64() * 1e3));
        println!("{name:<28} {whole:>9} {streamed:>9} {bytewise:>9} {joined:>9} {ratio:>7.1}");
    }
}

fn shapes() -> Vec<(&'static str, String)> {
    let prose = "I look at `src/a.rs` first: 1 < 2, and <b>bold</b> is no tag of ours.\n";
    let code = "    let total = items.iter().map(|item| item.price * item.count).sum::<u64>();\n";
    let block = format!("<<<<<<< SEARCH\n{code}=======\n{code}{code}>>>>>>> REPLACE\n");
    let filled = |head: &str, part: &str, tail: &str| {
        let times = (SIZE - head.len() - tail.len()) / part.len();
        format!("{head}{}{tail}", part.repeat(times))
    };
    let edit = format!("<edit_file path=\"src/a.rs\">\n{block}</edit_file>\n");
    vec![
        ("prose", filled("", prose, "<done/>")),
        ("one new file", filled("<create_file path=\"a.rs\">\n", code, "</create_file>\n<done/>")),
        ("one edit of many blocks", filled("<edit_file path=\"a.rs\">\n", &block, "</edit_file>\n<done/>")),
        ("many edits", filled("", &edit, "<done/>")),
        ("many reads", filled("", "<read_file path=\"src/a.rs\" lines=\"1-80\"/>\n", "<done/>")),
        ("fenced code", filled("src/a.rs\n```rust\n", code, "```\n<done/>")),
        ("fenced Markdown", filled("README.md\n```md\n", "text\n```sh\nrun\n```\n", "```\n<done/>")),
        ("a thought", filled("<think>", prose, "</think><done/>")),
        (
            "a JSON call",
            filled("{\"name\":\"create_file\",\"arguments\":{\"path\":\"a\",\"content\":\"", "x = 1\\n", "\"}}\n"),
        ),
        ("one line of prose", filled("", "word < ", "")),
        ("blanks", filled("", " ", "")),
        ("a fence over blank lines", filled("```\n", "\n", "")),
        ("a fence over one line", filled("a.py\n```\n", "x", "")),
        ("one line in a tag", filled("<create_file path=\"a\">\n", "x", "")),
        ("a tag that never ends", filled("<read_file path=\"", "a ", "")),
        ("backticks", filled("", "`", "")),
        ("brackets", filled("", "<", "")),
        ("braces", filled("", "{\"name\":", "")),
        ("blank lines", filled("", "\n", "")),
        ("blank lines in a tag", filled("<create_file path=\"a\">\n", "\n", "</create_file>\n<done/>")),
        ("blank lines in a block", filled("<edit_file path=\"a\">\n<<<<<<< SEARCH\n", "\n", "")),
        ("tags of others", filled("", "<a ", "")),
        ("ends of others in a thought", filled("<think>", "</a", "")),
        ("ends of others in a tag", filled("<create_file path=\"a\">\n", "</a>", "")),
        ("tags in tags", filled("", "<read_file path=\"", "")),
        ("tags of many attributes", filled("", &format!("<read_file {}/>\n", "a=\"\" ".repeat(3000)), "")),
        ("calls of another dialect", filled("<tool_call>\n", "<function=done></function>", "</tool_call>")),
        ("values that are no calls", filled("", "{\"name\": \"x\n", "")),
        ("Markdown files", filled("", "a.md\n```md\nx\n```\n", "")),
        ("unclear Markdown files", filled("", "a.md\n```\nx\n```\n", "")),
    ]
}

/// Reads a reply in pieces.
fn read(reply: &str, piece: usize) {
    let mut parser = Parser::new(Options { fences: Fences::Any, tools: vec!["outline".to_owned()] });
    for bytes in reply.as_bytes().chunks(piece) {
        black_box(parser.push(bytes));
    }
    black_box(parser.finish(Ending::Whole));
}

/// The least that taking in pieces costs.
fn join(reply: &str, piece: usize) {
    let mut bytes = Vec::new();
    for piece in reply.as_bytes().chunks(piece) {
        bytes.extend_from_slice(black_box(piece));
    }
    black_box(String::from_utf8(bytes).map_or(0, |text| text.lines().count()));
}

/// What one run takes, over as many as the clock of the processor needs to tell.
fn mean(run: impl Fn()) -> Duration {
    let (begun, mut rounds) = (used(), 0);
    loop {
        run();
        rounds += 1;
        let taken = used().saturating_sub(begun);
        if taken > ENOUGH {
            return taken / rounds;
        }
    }
}

/// The processor time of this thread, which others on the machine do not lengthen; the time of day where it is unknown.
fn used() -> Duration {
    static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| BEGUN.elapsed(), Duration::from_nanos)
}
