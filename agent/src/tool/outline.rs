//! The outline of a file: the lines that begin its functions, types and sections, with their numbers.
//!
//! Found by how such lines begin, in any language: enough to know which lines to ask for.

use std::fmt::Write as _;

/// Longer outlines are cut.
const LINES: usize = 200;
/// Longer lines are cut.
const WIDTH: usize = 160;

/// Words that begin a definition, perhaps behind others that say who may use it.
const BEGINS: [&str; 26] = [
    "fn",
    "def",
    "class",
    "struct",
    "enum",
    "trait",
    "impl",
    "interface",
    "function",
    "func",
    "type",
    "mod",
    "module",
    "namespace",
    "macro_rules!",
    "record",
    "object",
    "protocol",
    "extension",
    "package",
    "sub",
    "proc",
    "union",
    "view",
    "procedure",
    "table",
];
/// Words that may stand before one.
const BEFORE: [&str; 24] = [
    "pub",
    "public",
    "private",
    "protected",
    "internal",
    "static",
    "final",
    "abstract",
    "async",
    "export",
    "default",
    "const",
    "unsafe",
    "extern",
    "inline",
    "virtual",
    "override",
    "sealed",
    "open",
    "data",
    "declare",
    "create",
    "partial",
    "mut",
];

/// The lines of an outline: number from 1, and the line without its body.
pub fn outline<'a>(path: &str, text: &'a str) -> Vec<(u32, &'a str)> {
    let prose = [".md", ".markdown", ".rst", ".txt"].iter().any(|end| path.ends_with(end));
    let begins = |line: &str| if prose { line.starts_with('#') } else { is_definition(line) };
    let mut found: Vec<_> =
        text.lines().enumerate().filter(|(_, line)| begins(line)).map(|(n, line)| (n as u32 + 1, line)).collect();
    found.truncate(LINES);
    found
}

/// The outline as a model is shown it.
pub(crate) fn render(path: &str, text: &str) -> String {
    let mut out = String::new();
    for (number, line) in outline(path, text) {
        let end = line.char_indices().nth(WIDTH).map_or(line.len(), |(at, _)| at);
        // Writing into a string cannot fail.
        let _ = writeln!(out, "{number}: {}", line[..end].trim_end().trim_end_matches(['{', ':']).trim_end());
    }
    out
}

fn is_definition(line: &str) -> bool {
    let indent = line.len() - line.trim_start().len();
    let mut words = line.trim_start().split([' ', '\t', '(', '<']).filter(|word| !word.is_empty());
    for _ in 0..5 {
        let Some(word) = words.next() else { return false };
        if BEGINS.contains(&word.to_ascii_lowercase().as_str()) {
            return words
                .next()
                .is_some_and(|name| name.starts_with(|c: char| c.is_alphanumeric() || "_$&*:'".contains(c)));
        }
        let scope = word.starts_with("pub(") || word.ends_with(')');
        if !BEFORE.contains(&word.to_ascii_lowercase().as_str()) && !scope {
            return indent <= 4 && is_c_like(line.trim());
        }
    }
    false
}

/// `int main(int argc) {`: a name with arguments, behind a type, at the beginning of a body.
fn is_c_like(line: &str) -> bool {
    let Some((head, _)) = line.split_once('(') else { return false };
    let words: Vec<_> = head.split_whitespace().collect();
    let statement =
        ["return", "if", "for", "while", "switch", "else", "case", "new", "throw", "await", "catch", "let", "var"];
    line.ends_with('{')
        && words.len() >= 2
        && !words.iter().any(|word| statement.contains(word))
        && !head.contains(['=', '.', '"', '\'', '!', '+', '|'])
}
