//! The blocks of an `<edit_file>`, read line by line.
//!
//! A block is a *search* marker, lines, a *divider*, lines and a *replace* marker. Markers have five to nine characters.
//! What stands between blocks is kept apart: an edit without any block may still be code.

use super::reply::{Ending, Malformed, Quirk};
use crate::action::Block;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marker {
    Search,
    Divider,
    Replace,
}

/// A marker line, how many characters it is made of, and whether it is spelled as taught.
fn marker(line: &str) -> Option<(Marker, usize, bool)> {
    let line = line.trim();
    let sign = line.chars().next().filter(|sign| "<=>-+".contains(*sign))?;
    let count = line.len() - line.trim_start_matches(sign).len();
    if !(5..=9).contains(&count) {
        return None;
    }
    let word = line[count..].trim().trim_end_matches(['>', '<', ':']).trim_end();
    let is = |names: [&str; 2]| names.iter().any(|name| word.eq_ignore_ascii_case(name));
    let marker = match sign {
        '=' if line.len() == count => Marker::Divider,
        '<' | '-' if is(["SEARCH", "ORIGINAL"]) => Marker::Search,
        '>' | '+' if is(["REPLACE", "UPDATED"]) => Marker::Replace,
        _ => return None,
    };
    let taught = count == 7 && matches!(line, "<<<<<<< SEARCH" | "=======" | ">>>>>>> REPLACE");
    Some((marker, count, taught))
}

/// A block that is being read.
#[derive(Clone, Debug)]
struct Open {
    /// Characters of its first marker.
    width: usize,
    lines: Vec<String>,
    /// Which of the lines may divide it, with their width.
    dividers: Vec<(usize, usize)>,
    /// Within a conflict of git, whose divider is none of ours.
    conflict: bool,
}

/// Reads the content of an edit.
#[derive(Clone, Debug, Default)]
pub(super) struct EditReader {
    blocks: Vec<Block>,
    open: Option<Open>,
    /// What stands outside of blocks.
    pub loose: String,
    wrong: Option<Malformed>,
    pub quirks: Vec<Quirk>,
}

impl EditReader {
    /// Whether a block is open: what looks like a tag belongs to it.
    pub fn in_block(&self) -> bool {
        self.open.is_some()
    }

    pub fn has_blocks(&self) -> bool {
        !self.blocks.is_empty() || self.wrong.is_some()
    }

    /// Whether `line` closes the open block.
    pub fn closes(&self, line: &str) -> bool {
        self.open.is_some() && matches!(marker(line), Some((Marker::Replace, ..)))
    }

    /// Takes a line, without its ending.
    pub fn line(&mut self, line: &str, path: &str) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let found = marker(line);
        let number = self.blocks.len() + 1;
        let Some(open) = &mut self.open else {
            match found {
                Some((Marker::Search, width, taught)) => {
                    self.note(taught);
                    self.open = Some(Open { width, lines: Vec::new(), dividers: Vec::new(), conflict: false });
                }
                _ => {
                    self.loose.push_str(line);
                    self.loose.push('\n');
                }
            }
            return;
        };
        match found {
            Some((Marker::Search, ..)) => {
                // The end of the block before was forgotten. Reading goes on, so that the rest is not taken for text.
                let wrong = Malformed::BlockNotClosed { path: path.to_owned(), number, ending: Ending::Whole };
                self.wrong.get_or_insert(wrong);
                open.lines.clear();
                open.dividers.clear();
            }
            Some((Marker::Replace, _, taught)) => {
                if let Some(open) = self.open.take() {
                    self.close(open, path, number);
                }
                self.note(taught);
            }
            found => {
                if let Some((Marker::Divider, width, _)) = found
                    && !open.conflict
                {
                    open.dividers.push((open.lines.len(), width));
                } else if line.starts_with("<<<<<<< ") {
                    open.conflict = true;
                } else if line.starts_with(">>>>>>> ") {
                    open.conflict = false;
                }
                open.lines.push(line.to_owned());
            }
        }
    }

    fn close(&mut self, open: Open, path: &str, number: usize) {
        let path = path.to_owned();
        let same: Vec<_> = open.dividers.iter().filter(|(_, width)| *width == open.width).collect();
        let divider = match (&open.dividers[..], &same[..]) {
            ([], _) => Err(Malformed::NoDivider { path, number }),
            ([only], _) => Ok(*only),
            (_, [only]) => Ok(**only),
            _ => Err(Malformed::SeveralDividers { path, number }),
        };
        match divider {
            Ok((at, width)) => {
                if width != 7 {
                    self.quirks.push(Quirk::Marker);
                }
                let (search, replace) = (without_hints(&open.lines[..at]), &open.lines[at + 1..]);
                self.blocks.push(Block { search: joined(search), replace: joined(replace) });
            }
            Err(wrong) => {
                self.wrong.get_or_insert(wrong);
            }
        }
    }

    fn note(&mut self, taught: bool) {
        if !taught {
            self.quirks.push(Quirk::Marker);
        }
    }

    /// The blocks; none when the edit has no block at all.
    pub fn finish(mut self, path: &str, ending: Ending) -> Result<Vec<Block>, Malformed> {
        if self.open.is_some() {
            let number = self.blocks.len() + 1;
            return Err(Malformed::BlockNotClosed { path: path.to_owned(), number, ending });
        }
        if let Some(wrong) = self.wrong {
            return Err(wrong);
        }
        if self.blocks.is_empty() {
            self.blocks = from_elements(&self.loose);
        }
        Ok(self.blocks)
    }
}

/// Reads markers in a text that has come in whole: the `diff` of a native call.
pub(super) fn blocks_of(text: &str, path: &str) -> Result<Vec<Block>, Malformed> {
    let mut reader = EditReader::default();
    text.lines().for_each(|line| reader.line(line, path));
    reader.finish(path, Ending::Whole)
}

fn joined(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}

/// Without `:start_line:12` and the rule below it, which another dialect writes before what is looked for.
fn without_hints(lines: &[String]) -> &[String] {
    let hints = lines.iter().take_while(|line| line.starts_with(":start_line:") || line.starts_with(":end_line:"));
    match hints.count() {
        0 => lines,
        hints if lines.get(hints).is_some_and(|line| line.len() >= 5 && line.bytes().all(|byte| byte == b'-')) => {
            &lines[hints + 1..]
        }
        hints => &lines[hints..],
    }
}

/// Pairs of `<search>` and `<replace>` elements, as some models write blocks.
fn from_elements(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut rest = text;
    while let Some((search, after)) = element(rest, "search") {
        let Some((replace, after)) = element(after, "replace") else { return Vec::new() };
        blocks.push(Block { search, replace });
        rest = after;
    }
    blocks
}

/// The lines within the next element of that name, and what follows it.
fn element<'a>(text: &'a str, name: &str) -> Option<(String, &'a str)> {
    let (_, after) = text.split_once(&format!("<{name}>"))?;
    let (inside, after) = after.split_once(&format!("</{name}>"))?;
    let inside = inside.strip_prefix('\n').unwrap_or(inside);
    let ended = inside.is_empty() || inside.ends_with('\n');
    Some((format!("{inside}{}", if ended { "" } else { "\n" }), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(search: &str, replace: &str) -> Block {
        Block { search: search.into(), replace: replace.into() }
    }

    #[test]
    fn markers_of_five_to_nine_characters_are_known() {
        let text = "<<<<<< SEARCH\na\n======\nb\n>>>>>>>> REPLACE\n\n<<<<<<< SEARCH>\nc\n=======\n>>>>>>> REPLACE\n";
        assert_eq!(blocks_of(text, "f"), Ok(vec![block("a\n", "b\n"), block("c\n", "")]));
    }

    #[test]
    fn a_block_without_divider_or_end_is_an_error() {
        let path = || "f".to_owned();
        assert_eq!(
            blocks_of("<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", "f"),
            Err(Malformed::NoDivider { path: path(), number: 1 })
        );
        let open = Malformed::BlockNotClosed { path: path(), number: 1, ending: Ending::Whole };
        assert_eq!(blocks_of("<<<<<<< SEARCH\na\n=======\nb\n", "f"), Err(open.clone()));
        let forgotten = "<<<<<<< SEARCH\na\n=======\nb\n<<<<<<< SEARCH\nc\n=======\nd\n>>>>>>> REPLACE\n";
        assert_eq!(blocks_of(forgotten, "f"), Err(open));
    }

    #[test]
    fn a_conflict_can_be_looked_for_and_a_rule_of_another_length_divides_nothing() {
        let conflict = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n";
        let text = format!("<<<<<<< SEARCH\n{conflict}=======\nc\n>>>>>>> REPLACE\n");
        assert_eq!(blocks_of(&text, "f"), Ok(vec![block(conflict, "c\n")]));
        let text = "<<<<<<< SEARCH\nTitle\n=====\n=======\nNew\n=====\n>>>>>>> REPLACE\n";
        assert_eq!(blocks_of(text, "f"), Ok(vec![block("Title\n=====\n", "New\n=====\n")]));
        let text = "<<<<<<< SEARCH\nTitle\n=======\n=======\nNew\n>>>>>>> REPLACE\n";
        assert_eq!(blocks_of(text, "f"), Err(Malformed::SeveralDividers { path: "f".into(), number: 1 }));
    }

    #[test]
    fn hints_and_elements_of_other_dialects_are_understood() {
        let text = "<<<<<<< SEARCH\n:start_line:3\n-------\na\n=======\nb\n>>>>>>> REPLACE\n";
        assert_eq!(blocks_of(text, "f"), Ok(vec![block("a\n", "b\n")]));
        assert_eq!(blocks_of("<search>\na\n</search>\n<replace>b</replace>\n", "f"), Ok(vec![block("a\n", "b\n")]));
        assert_eq!(blocks_of("just code\n", "f"), Ok(vec![]));
    }
}
