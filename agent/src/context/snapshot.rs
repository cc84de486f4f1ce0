//! What changes while a conversation goes on: the editor, the project's structure and rules, its version control.
//!
//! It is a message of its own, so that the system prompt stays the same to the byte for every run of a mode and model.
//! The first one of a conversation says everything. Those that follow say only which [`Part`] is otherwise now, and of
//! the list of files only what came and went: a step that makes a file costs a line, not the whole list again.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::host::{EditorState, Entry, Host, ProjectPath};
use crate::memory::Memory;

/// Entries of the structure that are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// How many files and folders are named at most.
    pub entries: usize,
    /// How many folders deep.
    pub depth: usize,
    /// Bytes of rules that are shown at most.
    pub rules: usize,
}

impl Detail {
    /// What a window of so many tokens has room for: a tenth of it for the structure and as much for rules.
    pub fn of_window(window: Option<u64>) -> Self {
        match window.unwrap_or(32_768) {
            0..6_000 => Self { entries: 25, depth: 2, rules: 1_500 },
            6_000..20_000 => Self { entries: 80, depth: 3, rules: 6_000 },
            _ => Self { entries: 250, depth: 4, rules: 24_000 },
        }
    }
}

/// Something that is so at the moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// What it is about; there is one of a name.
    pub name: String,
    /// What is so, empty if there is nothing to say.
    pub text: String,
}

/// The part that lists files; of it only differences are said.
const FILES: &str = "files";

/// All that is so now, without secrets being masked.
pub fn state(host: &dyn Host, memory: &[Memory], detail: Detail) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut add = |name: &str, text: String| parts.push(Part { name: name.to_owned(), text });
    let editor = host.editor();
    add("editor", shown(&editor));
    add("git", editor.git.trim_end().to_owned());
    add(FILES, structure(host, detail));
    let mut left = detail.rules;
    for memory in memory {
        let text = cut(&memory.text, left);
        left -= text.len();
        let more = if text.len() < memory.text.len() { "\n… (cut; read the file for the rest)" } else { "" };
        add(&format!("rules from {}", memory.name), format!("{}{more}", text.trim_end()));
    }
    parts
}

/// What is said of a state to somebody who knows another one, or none. Nothing if there is nothing new in it.
pub fn text(before: Option<&[Part]>, now: &[Part]) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let mut say = |name: &str, text: &str| {
        let _ = write!(out, "[{name}]\n{text}\n\n");
    };
    for part in now {
        let known = before.unwrap_or_default().iter().find(|known| known.name == part.name);
        match known {
            Some(known) if known.text == part.text => {}
            Some(_) if part.text.is_empty() => say(&part.name, "(nothing any more)"),
            Some(known) if part.name == FILES => say("files", &difference(&known.text, &part.text)),
            Some(_) => say(&format!("{}, now", part.name), &part.text),
            None if part.text.is_empty() => {}
            None => say(&part.name, &part.text),
        }
    }
    for gone in before.unwrap_or_default().iter().filter(|known| !now.iter().any(|part| part.name == known.name)) {
        say(&gone.name, "(do not count any more)");
    }
    out.trim_end().to_owned()
}

/// What came to a list and what left it; the whole list if that is shorter.
fn difference(before: &str, now: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (before.lines().collect(), now.lines().collect());
    let has = |list: &[&str], line: &str| list.contains(&line);
    let came = new.iter().filter(|line| !has(&old, line)).map(|line| format!("+ {line}"));
    let left = old.iter().filter(|line| !has(&new, line)).map(|line| format!("- {line}"));
    let told: Vec<_> = came.chain(left).collect();
    if told.len() < new.len() { told.join("\n") } else { now.to_owned() }
}

fn shown(editor: &EditorState) -> String {
    let mut out = String::new();
    if let Some(active) = &editor.active {
        let _ = writeln!(out, "active file: {active}");
    }
    if !editor.open.is_empty() {
        let _ = writeln!(out, "open files: {}", names(&editor.open));
    }
    if let Some((lines, text)) = &editor.selection {
        let _ = writeln!(out, "selected lines {}-{}:\n{}", lines.start(), lines.end(), text.trim_end());
    }
    out.trim_end().to_owned()
}

fn structure(host: &dyn Host, detail: Detail) -> String {
    let Ok((mut entries, mut more)) = host.list(&ProjectPath::root(), detail.depth, detail.entries * 8) else {
        return String::new();
    };
    // Where not all can be named, what is near the root says most.
    if entries.len() > detail.entries {
        let depth = |entry: &Entry| entry.path.as_str().matches('/').count();
        let mut deepest = detail.depth;
        while deepest > 0 && entries.iter().filter(|entry| depth(entry) < deepest).count() > detail.entries {
            deepest -= 1;
        }
        entries.retain(|entry| depth(entry) < deepest.max(1));
        entries.truncate(detail.entries);
        more = true;
    }
    let mut out = String::new();
    for entry in &entries {
        let _ = writeln!(out, "{}{}", entry.path, if entry.folder { "/" } else { "" });
    }
    if more {
        out.push_str("… (more; use list_directory)\n");
    }
    if entries.is_empty() {
        out.push_str("(none)\n");
    }
    out.trim_end().to_owned()
}

fn names(paths: &[ProjectPath]) -> String {
    paths.iter().map(ProjectPath::as_str).collect::<Vec<_>>().join(", ")
}

fn cut(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(all: &[(&str, &str)]) -> Vec<Part> {
        all.iter().map(|(name, text)| Part { name: (*name).to_owned(), text: (*text).to_owned() }).collect()
    }

    #[test]
    fn only_what_is_otherwise_is_said_again() {
        let first = parts(&[("editor", ""), ("git", "on main"), ("files", "a\nb\nc\nd"), ("rules from A", "be kind")]);
        assert_eq!(text(None, &first), "[git]\non main\n\n[files]\na\nb\nc\nd\n\n[rules from A]\nbe kind");
        assert_eq!(text(Some(&first), &first), "");
        let then = parts(&[("editor", "active file: a"), ("git", ""), ("files", "a\nb\nd\ne")]);
        assert_eq!(
            text(Some(&first), &then),
            "[editor, now]\nactive file: a\n\n[git]\n(nothing any more)\n\n[files]\n+ e\n- c\n\n[rules from A]\n(do not count any more)"
        );
    }

    #[test]
    fn a_list_that_is_another_one_is_said_whole() {
        assert_eq!(difference("a\nb", "c\nd"), "c\nd");
    }
}
