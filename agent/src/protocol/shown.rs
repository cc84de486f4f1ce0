//! A block of code that an answer shows: which file it is for, and what it would make of that file. A run does nothing
//! with it; whoever reads the answer may ask for it to be put there.

use std::path::Path;

use editor::syntax::Language;

use super::blocks::blocks_of;
use super::fence::{Fence, path_in_comment, path_in_line};
use crate::action::{Action, Block};

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownCode {
    /// The file it is for, from the project root.
    pub path: String,
    /// Whether the answer names that file; else it is the one in front.
    pub is_named: bool,
    content: Content,
}

#[derive(Clone, Debug, PartialEq)]
enum Content {
    /// A file or some of its symbols. The comment that named the file stands apart: most files do not have it.
    Code { comment: String, code: String },
    /// Lines that take the place of others.
    Blocks(Vec<Block>),
}

impl ShownCode {
    /// Reads a block. `info` stands behind its fence and `before` is the line of text above it; `front` is the file that
    /// is being looked at. Nothing comes of a block without a file, or one that only shows something.
    pub fn read(info: &str, before: &str, code: &str, front: Option<&str>) -> Option<Self> {
        let fence = Fence::open(&format!("```{info}"))?;
        if matches!(fence.language.as_str(), "diff" | "patch") {
            return Self::patch(code, front);
        }
        let (first, rest) = code.split_once('\n').unwrap_or((code, ""));
        let comment = path_in_comment(first);
        let rest = rest.strip_prefix('\n').unwrap_or(rest);
        let (comment, body) = match &comment {
            Some(_) if !rest.trim().is_empty() => (&code[..code.len() - rest.len()], rest),
            _ => ("", code),
        };
        let named = fence.path().or_else(|| path_in_comment(first)).or_else(|| path_in_line(before));
        let is_named = named.is_some();
        let path = named.or_else(|| front.filter(|front| suits(&fence.language, front)).map(str::to_owned))?;
        if fence.only_shows(Some(&path)) || body.trim().is_empty() {
            return None;
        }
        let blocks = blocks_of(body, &path).unwrap_or_default();
        let content = match blocks.is_empty() {
            false => Content::Blocks(blocks),
            true => Content::Code { comment: comment.to_owned(), code: format!("{}\n", body.trim_end_matches('\n')) },
        };
        Some(Self { path, is_named, content })
    }

    /// A patch of one file. The numbers of its hunks are not looked at: models get them wrong.
    fn patch(code: &str, front: Option<&str>) -> Option<Self> {
        let mut path: Option<&str> = None;
        let mut blocks: Vec<Block> = Vec::new();
        for line in code.lines() {
            if let Some(name) = line.strip_prefix("+++ ") {
                let name = name.split('\t').next().unwrap_or(name).trim();
                let name = name.strip_prefix("b/").unwrap_or(name);
                if path.replace(name).is_some() || name == "/dev/null" {
                    return None; // of several files, or of one that goes
                }
                blocks.clear();
            } else if line.starts_with("@@") || blocks.is_empty() {
                blocks.push(Block { search: String::new(), replace: String::new() });
            }
            let Some(block) = blocks.last_mut().filter(|_| !is_head(line)) else { continue };
            let (sign, text) = (line.as_bytes().first().copied().unwrap_or(b' '), line.get(1..).unwrap_or_default());
            if sign != b'+' {
                block.search.push_str(&format!("{text}\n"));
            }
            if sign != b'-' {
                block.replace.push_str(&format!("{text}\n"));
            }
        }
        blocks.retain(|block| block.search != block.replace);
        let is_named = path.is_some();
        let path = path.or(front)?.to_owned();
        (!blocks.is_empty()).then_some(Self { path, is_named, content: Content::Blocks(blocks) })
    }

    /// What it does to the file, whose text is `before` if there is one.
    pub fn action(&self, before: Option<&str>) -> Action {
        let path = self.path.clone();
        match &self.content {
            Content::Blocks(blocks) => Action::EditFile { path, blocks: blocks.clone() },
            Content::Code { comment, code } => {
                let first = comment.lines().next().unwrap_or_default();
                let has_it = !first.is_empty() && before.is_some_and(|before| before.lines().next() == Some(first));
                let content = if has_it { format!("{comment}{code}") } else { code.clone() };
                Action::WriteCode { path: Some(path), content }
            }
        }
    }
}

/// Whether a line of a patch is about the file or the hunk.
fn is_head(line: &str) -> bool {
    ["+++ ", "--- ", "@@", "diff ", "index ", "new file", "\\ No newline"].iter().any(|head| line.starts_with(head))
}

/// Whether code in a language, as its fence calls it, may be for a file. Code without one may be for any.
fn suits(language: &str, file: &str) -> bool {
    let path = Path::new(file);
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    language.is_empty()
        || language.eq_ignore_ascii_case(extension)
        || matches!((language, extension), ("text" | "plaintext", "txt"))
        || Language::from_name(language).is_some_and(|known| Language::from_path(path, "") == Some(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(info: &str, before: &str, code: &str) -> Option<ShownCode> {
        ShownCode::read(info, before, code, Some("src/front.py"))
    }

    #[test]
    fn a_block_is_for_the_file_that_is_named_or_for_the_one_in_front() {
        for (info, before, code, expected) in [
            ("python src/a.py", "In `b.py`:", "# c.py\nx = 1", Some(("src/a.py", true))),
            ("python", "In `b.py`:", "# c.py\nx = 1", Some(("c.py", true))),
            ("python", "In `b.py`:", "x = 1", Some(("b.py", true))),
            ("python", "Like this:", "x = 1", Some(("src/front.py", false))),
            ("", "Like this:", "x = 1", Some(("src/front.py", false))),
            ("py", "", "x = 1", Some(("src/front.py", false))),
            ("rust", "Like this:", "let x = 1;", None),
            ("rust", "Make `src/new.rs`:", "let x = 1;", Some(("src/new.rs", true))),
            ("sh", "Then run `a.py`:", "python a.py", None),
            ("json", "It answers:", "{}", None),
            ("python", "", "\n", None),
        ] {
            let found = read(info, before, code);
            let found = found.as_ref().map(|code| (code.path.as_str(), code.is_named));
            assert_eq!(found, expected, "{info:?} {before:?} {code:?}");
        }
        assert_eq!(ShownCode::read("", "", "x", None), None, "no file is in front");
    }

    #[test]
    fn the_comment_that_names_the_file_is_none_of_its_lines_unless_it_is() {
        let code = read("python", "", "# src/a.py\n\nx = 1\n").unwrap();
        let content = |before| match code.action(before) {
            Action::WriteCode { content, .. } => content,
            other => panic!("{other:?}"),
        };
        assert_eq!(content(None), "x = 1\n");
        assert_eq!(content(Some("y = 1\n")), "x = 1\n");
        assert_eq!(content(Some("# src/a.py\n\ny = 1\n")), "# src/a.py\n\nx = 1\n");
    }

    #[test]
    fn patches_and_markers_become_blocks() {
        let blocks = |code: Option<ShownCode>| match code.map(|code| (code.path.clone(), code.action(Some("")))) {
            Some((path, Action::EditFile { blocks, .. })) => (path, blocks),
            other => panic!("{other:?}"),
        };
        let block = |search: &str, replace: &str| Block { search: search.into(), replace: replace.into() };
        let patch = "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,9 +1,9 @@ def f():\n one\n-two\n+TWO\n\n@@ -20 +20 @@\n-x\n";
        let expected = vec![block("one\ntwo\n\n", "one\nTWO\n\n"), block("x\n", "")];
        assert_eq!(blocks(read("diff", "", patch)), ("src/a.py".into(), expected));
        let bare = blocks(read("diff", "", " one\n-two\n+TWO\n"));
        assert_eq!(bare, ("src/front.py".into(), vec![block("one\ntwo\n", "one\nTWO\n")]));
        let marked = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
        assert_eq!(blocks(read("python", "", marked)), ("src/front.py".into(), vec![block("a\n", "b\n")]));
        let two = "--- a/a\n+++ b/a\n@@\n-x\n--- a/b\n+++ b/b\n@@\n-y\n";
        assert_eq!(read("diff", "", two), None, "two files are not put into one");
    }
}
