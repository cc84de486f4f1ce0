//! Fenced blocks of Markdown: where they open and close, and which file one is for.

use std::ops::Range;

/// An opening fence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    sign: char,
    count: usize,
    indent: usize,
    /// What follows the signs, trimmed.
    pub info: String,
    /// The language it names, lower case; empty for none.
    pub language: String,
}

/// Who writes more than this after the signs of a fence does not open one.
const LONGEST_INFO: usize = 1000;

impl Fence {
    /// Reads a line that opens a fence: three backticks or tildes and more.
    pub fn open(line: &str) -> Option<Self> {
        let (sign, count, info) = signs(line)?;
        let indent = line.len() - line.trim_start_matches(' ').len();
        let word = info.split(|c: char| c.is_whitespace() || matches!(c, ':' | ',' | '{')).next();
        let word = word.filter(|word| !looks_like_path(word)).unwrap_or_default();
        Some(Self { sign, count, indent, info: info.to_owned(), language: word.to_ascii_lowercase() })
    }

    /// Whether `line` closes it.
    pub fn closed_by(&self, line: &str) -> bool {
        if line.len() < self.count {
            return false;
        }
        let indent = line.len() - line.trim_start_matches(' ').len();
        let line = line.trim();
        line.len() >= self.count && line.chars().all(|c| c == self.sign) && indent <= self.indent + 3
    }

    /// Whether a line that begins like this may still close it.
    pub fn may_close(&self, begun: &str) -> bool {
        begun.trim().chars().all(|c| c == self.sign)
    }

    /// Whether `line` opens a block that looks like one within this.
    fn may_be_inside(&self, line: &str) -> bool {
        signs(line).is_some_and(|(sign, count, _)| sign == self.sign && count >= self.count)
    }

    /// The file that its info string names: `python src/a.py`, `src/a.py`, `python:src/a.py`, `title="src/a.py"`.
    pub fn path(&self) -> Option<String> {
        let words = self.info.split(|c: char| c.is_whitespace() || matches!(c, '=' | '{' | '}' | ','));
        words
            .flat_map(|word| word.split_once(':').map_or([word, ""], |(first, second)| [first, second]))
            .map(|word| word.trim_matches(['"', '\'', '`']))
            .find(|word| looks_like_path(word))
            .map(str::to_owned)
    }

    /// Whether it holds Markdown, whose own fences stand within it.
    pub fn is_markdown(&self, path: Option<&str>) -> bool {
        matches!(self.language.as_str(), "markdown" | "md") || path.is_some_and(is_markdown_path)
    }

    /// Whether what it holds is shown and never meant as a file's content: output, changes, commands.
    pub fn only_shows(&self, path: Option<&str>) -> bool {
        let language = self.language.as_str();
        let shell = matches!(language, "bash" | "sh" | "shell" | "zsh" | "console" | "powershell");
        let script = path.is_some_and(|path| {
            let name = path.rsplit('/').next().unwrap_or(path);
            !name.contains('.') || [".sh", ".bash", ".zsh", ".ps1"].iter().any(|end| name.ends_with(end))
        });
        matches!(language, "diff" | "patch" | "output" | "log" | "shell-session")
            || (shell && !script)
            || (path.is_none() && matches!(language, "text" | "plaintext" | "txt" | "json" | "xml"))
    }
}

/// The sign of a fence that a line opens, how often it stands there, and what follows it.
fn signs(line: &str) -> Option<(char, usize, &str)> {
    let line = line.trim();
    let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let count = line.len() - line.trim_start_matches(sign).len();
    let info = line[count..].trim();
    (count >= 3 && info.len() <= LONGEST_INFO && !info.contains(sign)).then_some((sign, count, info))
}

pub(super) fn is_markdown_path(path: &str) -> bool {
    let is = |extension: &str| ["md", "markdown"].iter().any(|known| extension.eq_ignore_ascii_case(known));
    path.rsplit_once('.').is_some_and(|(_, extension)| is(extension))
}

/// The file that a line before a fence names, if it names exactly one: alone, in backticks or bold, or at a heading.
pub(super) fn path_in_line(line: &str) -> Option<String> {
    let mut found: Option<&str> = None;
    for word in line.split(|c: char| c.is_whitespace() || matches!(c, '`' | '*' | '"' | '\'' | '(' | ')' | '[' | ']')) {
        let word = word.trim_end_matches([':', ',', '.', ';', '!', '?']).trim_start_matches("./");
        match found {
            _ if !looks_like_path(word) => {}
            None => found = Some(word),
            Some(other) if other == word => {}
            Some(_) => return None,
        }
    }
    found.map(|only| only.replace('\\', "/"))
}

/// The file that the first line within a fence names in a comment: `# src/a.py`, `// src/a.ts`, `<!-- a.html -->`.
pub(super) fn path_in_comment(line: &str) -> Option<String> {
    let line = line.trim();
    let opening = ["//", "#", "--", "/*", "<!--", ";"].iter().find_map(|opening| line.strip_prefix(opening))?;
    let inside = opening.trim_end_matches("*/").trim_end_matches("-->").trim();
    let inside = inside.strip_prefix("File:").or_else(|| inside.strip_prefix("file:")).unwrap_or(inside).trim();
    looks_like_path(inside).then(|| inside.trim_start_matches("./").to_owned())
}

/// Whether a word is the name of a file: letters a name has, and an extension or a name that needs none.
pub(crate) fn looks_like_path(word: &str) -> bool {
    let named = |c: char| c.is_alphanumeric() || "_-./\\+@".contains(c);
    if word.is_empty() || word.len() > 256 || !word.chars().all(named) {
        return false;
    }
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    if matches!(name, "Makefile" | "Dockerfile" | "Justfile" | "Rakefile" | "Gemfile" | ".gitignore" | ".env") {
        return true;
    }
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let letters = extension.bytes().filter(u8::is_ascii_alphabetic).count();
    let short = (1..=6).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    // `e.g`, `1.5`, `self.value` and `foo.bar()` are no files; the last has brackets already.
    short && letters > 0 && !stem.is_empty() && known_extension(extension)
}

fn known_extension(extension: &str) -> bool {
    let others = ["txt", "cfg", "ini", "conf", "lock", "vue", "svelte", "kt", "swift", "scala", "lua", "zig", "dart"];
    let others = others.into_iter().chain(["ex", "exs", "hs", "ml", "pl", "r", "jl", "env", "xml", "csv", "proto"]);
    let is = |known: &&str| known.eq_ignore_ascii_case(extension);
    others.into_iter().any(|known| is(&known))
        || editor::syntax::Language::all().any(|language| language.extensions().iter().any(is))
}

/// Finds out, line by line, where a Markdown file in a fence ends, as far as what has come tells; see [`markdown_end`].
#[derive(Debug, Default)]
pub(super) struct MarkdownReader {
    /// A block is open within.
    inner: bool,
    /// The line that closes the file, if what follows does not show that it opened a block.
    closing: Option<Range<usize>>,
    /// The last line that says something since then.
    last: Range<usize>,
    /// Only the end of the reply tells.
    unclear: bool,
}

impl MarkdownReader {
    /// Takes the last line of `content`, which begins at `from`. The line that closed the file, once that is certain.
    pub fn line(&mut self, fence: &Fence, content: &str, from: usize) -> Option<Range<usize>> {
        if self.unclear {
            return None;
        }
        let line = &content[from..];
        let may = memchr::memchr2(b'`', b'~', line.as_bytes()).is_some();
        let bare = may && fence.closed_by(line);
        let is_fence = bare || may && fence.may_be_inside(line);
        if !is_fence {
            if !line.trim().is_empty() {
                self.last = from..content.len();
            }
            return None;
        }
        match (bare, self.closing.take()) {
            // The next block has a language: it is none of the file's.
            (false, Some(closing)) => return Some(closing),
            (false, None) => self.inner = true,
            (true, Some(_)) if path_in_line(&content[self.last.clone()]).is_some() => self.unclear = true,
            // What seemed to close it opened a block, and this closes that.
            (true, Some(_)) => {}
            (true, None) if self.inner => self.inner = false,
            (true, None) => {
                self.closing = Some(from..content.len());
                self.last = 0..0;
            }
        }
        None
    }

    /// The line that closes the file if nothing more is said about it.
    pub fn closing(&self) -> Option<Range<usize>> {
        self.closing.clone()
    }
}

/// Where the content of a Markdown file in a fence ends, given every line after the opening fence.
///
/// Returns the index of the line that closes it; `None` when none does, and all lines belong to it. Fences within look
/// like the closing one, so what follows decides: a bare fence closes if nothing is fenced after it, if the next one
/// opens with a language, or if a file's name stands before the next; else it opens an inner block.
pub(super) fn markdown_end(fence: &Fence, lines: &[&str]) -> Option<usize> {
    let fences: Vec<(usize, bool)> = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| {
            // Most lines are none, and this tells the quickest.
            memchr::memchr2(b'`', b'~', line.as_bytes())?;
            let bare = fence.closed_by(line);
            let opens = fence.may_be_inside(line);
            (bare || opens).then_some((at, bare))
        })
        .collect();
    let mut inner = false;
    for (index, (at, bare)) in fences.iter().enumerate() {
        if !bare {
            inner = true;
            continue;
        }
        if inner {
            inner = false;
            continue;
        }
        let after = &fences[index + 1..];
        let closes = match after.first() {
            None => true,
            Some((_, false)) => true,
            Some((next, true)) => {
                let before = lines[at + 1..*next].iter().rev().find(|line| !line.trim().is_empty());
                after.len().is_multiple_of(2) && before.is_some_and(|line| path_in_line(line).is_some())
            }
        };
        if closes {
            return Some(*at);
        }
        inner = true;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_before_a_fence_or_in_it() {
        for (line, expected) in [
            ("src/a.py", Some("src/a.py")),
            ("**`src/a.py`**", Some("src/a.py")),
            ("### File: src/a.py", Some("src/a.py")),
            ("Here is the updated `src/a.py`:", Some("src/a.py")),
            ("Makefile:", Some("Makefile")),
            ("e.g. like this, with 1.5 times", None),
            ("Move a.py to b.py:", None),
            ("Call self.value here:", None),
        ] {
            assert_eq!(path_in_line(line).as_deref(), expected, "{line}");
        }
        for (info, language, path) in [
            ("```python", "python", None),
            ("```python src/a.py", "python", Some("src/a.py")),
            ("```python:src/a.py", "python", Some("src/a.py")),
            ("```src/a.py", "", Some("src/a.py")),
            ("~~~js title=\"a.js\"", "js", Some("a.js")),
        ] {
            let fence = Fence::open(info).unwrap();
            assert_eq!((fence.language.as_str(), fence.path().as_deref()), (language, path), "{info}");
        }
        assert_eq!(path_in_comment("# src/a.py").as_deref(), Some("src/a.py"));
        assert_eq!(path_in_comment("# a comment"), None);
    }

    /// The line that closes the file as it is found while the lines come in.
    fn found_on_the_way(fence: &Fence, text: &str) -> Option<usize> {
        let (mut reader, mut content) = (MarkdownReader::default(), String::new());
        let closing = text.split_inclusive('\n').find_map(|line| {
            content.push_str(line);
            reader.line(fence, &content, content.len() - line.len())
        });
        closing.map(|closing| text[..closing.start].matches('\n').count())
    }

    proptest::proptest! {
        #[test]
        fn what_is_certain_on_the_way_is_so_in_the_end(lines in proptest::collection::vec(0_usize..6, 0..24)) {
            let kinds = ["text\n", "```\n", "```sh\n", "a.py\n", "\n", "````\n"];
            let text: String = lines.iter().map(|kind| kinds[*kind]).collect();
            let fence = Fence::open("```md").unwrap();
            if let Some(found) = found_on_the_way(&fence, &text) {
                let whole = markdown_end(&fence, &text.split_inclusive('\n').collect::<Vec<_>>());
                proptest::prop_assert_eq!(whole, Some(found), "{}", text);
            }
        }
    }

    #[test]
    fn a_file_whose_next_block_has_a_language_has_ended() {
        let fence = Fence::open("```md").unwrap();
        assert_eq!(found_on_the_way(&fence, "# T\n```\n\na.py\n```python\n"), Some(1));
        assert_eq!(found_on_the_way(&fence, "# T\n```\nrun\n```\n```\nmore\n```sh\n"), Some(4));
        assert_eq!(found_on_the_way(&fence, "# T\n```\n\na.py\n```\nx\n```\n"), None, "the rest decides");
    }

    #[test]
    fn the_fences_of_a_readme_do_not_end_it() {
        let fence = Fence::open("```markdown").unwrap();
        let check = |text: &str, end: Option<usize>| {
            assert_eq!(markdown_end(&fence, &text.lines().collect::<Vec<_>>()), end, "{text}");
        };
        check("# T\n```\nx", Some(1));
        check("# T\n```sh\nrun\n```\nmore\n```\nafter", Some(5));
        check("# T\n```sh\nrun\n```\nmore", None);
        check("# T\n```\nrun\n```\nmore", None);
        check("# T\n```\nrun\n```\nmore\n```", Some(5));
        check("# T\n```\n\na.py\n```python\nx\n```", Some(1));
        check("# T\n```\n\na.py\n```\nx\n```", Some(1));
    }
}
