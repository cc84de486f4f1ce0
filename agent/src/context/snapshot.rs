//! What changes while a conversation goes on: the editor, the project's structure and rules, the day.
//!
//! It is a message of its own, added only when it is not what it was, so that the system prompt stays the same to the
//! byte for every run of a mode and model.

use std::fmt::Write as _;

use crate::host::{Entry, Host, ProjectPath};
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

/// The text of the snapshot.
pub fn text(host: &dyn Host, memory: &[Memory], detail: Detail) -> String {
    let mut out = String::from("[project]\n");
    let editor = host.editor();
    if let Some(active) = &editor.active {
        let _ = writeln!(out, "active file: {active}");
    }
    if !editor.open.is_empty() {
        let _ = writeln!(out, "open files: {}", names(&editor.open));
    }
    if let Some((lines, text)) = &editor.selection {
        let _ = writeln!(out, "selected lines {}-{}:\n{}", lines.start(), lines.end(), text.trim_end());
    }
    if !editor.git.is_empty() {
        let _ = writeln!(out, "git: {}", editor.git.trim_end());
    }
    structure(&mut out, host, detail);
    let mut left = detail.rules;
    for memory in memory {
        let text = cut(&memory.text, left);
        left -= text.len();
        let more = if text.len() < memory.text.len() { "\n… (cut; read the file for the rest)" } else { "" };
        if !text.is_empty() {
            let _ = writeln!(out, "\n[rules from {}]\n{}{more}", memory.name, text.trim_end());
        }
    }
    out.trim_end().to_owned()
}

fn structure(out: &mut String, host: &dyn Host, detail: Detail) {
    let Ok((mut entries, mut more)) = host.list(&ProjectPath::root(), detail.depth, detail.entries * 8) else { return };
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
    out.push_str("files:\n");
    for entry in &entries {
        let _ = writeln!(out, "{}{}", entry.path, if entry.folder { "/" } else { "" });
    }
    if more {
        out.push_str("… (more; use list_directory)\n");
    }
    if entries.is_empty() {
        out.push_str("(none)\n");
    }
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
