//! Comments as Markdown: for a message, an issue, or a model that is to answer them.

use std::fmt::Write as _;

use super::place::{How, Placement};
use super::{Message, Thread};
use crate::git::{RepoPath, Side};

/// Lines of code that are quoted of a long range; then it says how many there are.
const MAX_QUOTED: usize = 20;

/// A thread and where its lines are now.
#[derive(Clone, Copy, Debug)]
pub struct Exported<'a> {
    /// The thread.
    pub thread: &'a Thread,
    /// The path now; it may have been renamed.
    pub path: &'a RepoPath,
    /// Where its lines are.
    pub placement: &'a Placement,
    /// What the lines say now, where that is known; what they said when they were commented on, else.
    pub code: Option<&'a [u8]>,
}

/// How comments are numbered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbers {
    /// `1.`, as a list has them.
    #[default]
    Plain,
    /// `[1]`, as answers repeat them; see [`answers`](super::answers()).
    Brackets,
}

/// What is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarkdownOptions<'a> {
    /// What was reviewed; stands in the title.
    pub title: &'a str,
    /// Resolved threads, too.
    pub resolved: bool,
    /// Messages that were not sent yet, too.
    pub drafts: bool,
    /// How they are numbered.
    pub numbers: Numbers,
}

/// Prints threads in the order given, which is that of the review: by file, then from top to bottom.
///
/// Each has a number, so that an answer can name it, its place, the code, and what was said.
pub fn markdown(threads: &[Exported<'_>], options: &MarkdownOptions<'_>) -> String {
    let mut out = format!("# Review of {}\n", options.title);
    let mut path = None;
    let mut number = 0;
    for exported in threads {
        let thread = exported.thread;
        let messages: Vec<_> = thread.messages.iter().filter(|message| options.drafts || !message.draft).collect();
        if messages.is_empty() || thread.resolved && !options.resolved {
            continue;
        }
        if path != Some(exported.path) {
            path = Some(exported.path);
            let _ = write!(out, "\n## {}\n", exported.path); // a String takes it all
        }
        number += 1;
        let number = match options.numbers {
            Numbers::Plain => format!("{number}."),
            Numbers::Brackets => format!("[{number}]"),
        };
        let _ = write!(out, "\n### {number} {}{}\n", exported.place(), state(exported));
        quote(&mut out, exported);
        for message in &messages {
            say(&mut out, message, messages.len() > 1);
        }
    }
    if number == 0 {
        out += "\nNo comments.\n";
    }
    out
}

impl Exported<'_> {
    /// `src/lib.rs:12-14`, lines counted from 1 as everybody does.
    pub fn place(&self) -> String {
        let side = if self.thread.anchor.side == Side::Old { " (old side)" } else { "" };
        let lines = match self.placement {
            Placement::File => return format!("{}{side}", self.path),
            Placement::At { lines, .. } => lines,
            Placement::Stale { .. } => &self.thread.anchor.lines,
        };
        if lines.len() == 1 {
            format!("{}:{}{side}", self.path, lines.end)
        } else {
            format!("{}:{}-{}{side}", self.path, lines.start + 1, lines.end)
        }
    }
}

fn state(exported: &Exported<'_>) -> String {
    let mut state = String::new();
    match exported.placement {
        Placement::Stale { .. } => state += ", stale: the lines are gone",
        Placement::At { how: How::Edited, .. } => state += ", edited since",
        _ => {}
    }
    if exported.thread.resolved {
        state += ", resolved";
    }
    state
}

/// The code in a fence that it does not end by itself.
fn quote(out: &mut String, exported: &Exported<'_>) {
    let code = exported.code.unwrap_or(&exported.thread.anchor.text);
    if code.is_empty() {
        return;
    }
    let code = String::from_utf8_lossy(code);
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let name = String::from_utf8_lossy(exported.path.file_name());
    let language = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let language = if language.chars().all(char::is_alphanumeric) { language } else { "" };
    let _ = write!(out, "\n{fence}{language}\n");
    let lines: Vec<_> = code.lines().collect();
    for line in lines.iter().take(MAX_QUOTED) {
        *out += line;
        out.push('\n');
    }
    *out += &fence;
    out.push('\n');
    if lines.len() > MAX_QUOTED {
        let _ = write!(out, "\n({} more lines)\n", lines.len() - MAX_QUOTED);
    }
}

/// A message; with its author where several speak.
fn say(out: &mut String, message: &Message, with_author: bool) {
    let state = match (message.draft, message.cut) {
        (true, _) => " (draft)",
        (false, true) => " (stopped before the end)",
        (false, false) => "",
    };
    if with_author || !state.is_empty() {
        let _ = write!(out, "\n**{}**{state}:\n", message.author);
    }
    let _ = write!(out, "\n{}\n", message.text.trim_end());
}
