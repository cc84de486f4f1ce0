//! Reads patches: git's, those of plain `diff -u`, bare hunks without any header, and merges against several parents.
//!
//! Whatever stands around patches (mails, commit messages) is skipped. Counts of the hunk headers decide what belongs to a
//! hunk, so a patch of a patch reads as one. Lines are ranges of the input, nothing is copied.
//!
//! Never panics; an error names the line it is about.

use std::borrow::Cow;
use std::ops::Range;

use super::combined::{self, CombinedHunk};
use super::quote;

/// What is wrong with a patch, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the patch: {what}")]
pub struct ParseError {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: Problem,
}

/// What can be wrong with a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The text between the `@@` is not understood.
    #[error("a hunk header that is not understood")]
    HunkHeader,
    /// A line within a hunk begins with none of the signs.
    #[error("a line of a hunk must begin with a space, `+`, `-` or `\\`")]
    Sign,
    /// The hunk ends before it has as many lines as its header says.
    #[error("the hunk has fewer lines than its header says")]
    Truncated,
    /// A path in quotes that do not end, or with an unknown escape.
    #[error("a quoted path that is not understood")]
    Path,
    /// A hunk begins at a line that no file has.
    #[error("a hunk at line {line}, which is farther than a file goes")]
    TooFar {
        /// The line, counted from 0.
        line: u32,
    },
    /// There is no patch in the text.
    #[error("no patch was found")]
    Nothing,
}

/// A patch: what it says of each file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch<'a> {
    /// In the order of the text.
    pub files: Vec<PatchFile<'a>>,
}

/// What a patch says of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatchFile<'a> {
    /// Path before, without `a/`; none if the file is added, or if the patch names none.
    pub old_path: Option<Cow<'a, [u8]>>,
    /// Path after, without `b/`; none if the file is deleted, or if the patch names none.
    pub new_path: Option<Cow<'a, [u8]>>,
    /// Mode before, if it is told.
    pub old_mode: Option<u32>,
    /// Mode after, if it is told.
    pub new_mode: Option<u32>,
    /// The file is new.
    pub added: bool,
    /// The file is gone.
    pub deleted: bool,
    /// The file moved.
    pub renamed: bool,
    /// The file is a copy.
    pub copied: bool,
    /// How alike a rename or copy is, in percent.
    pub similarity: Option<u8>,
    /// Contents are not text and not told.
    pub binary: bool,
    /// A merge against several parents (`diff --cc`).
    pub combined: bool,
    /// The changes.
    pub hunks: Vec<PatchHunk<'a>>,
    /// The changes against several parents.
    pub combined_hunks: Vec<CombinedHunk<'a>>,
}

/// A hunk of a patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatchHunk<'a> {
    /// Lines of the old side, counted from 0.
    pub old: Range<u32>,
    /// Lines of the new side, counted from 0.
    pub new: Range<u32>,
    /// What stands behind the second `@@`.
    pub section: &'a [u8],
    /// The lines.
    pub lines: Vec<PatchLine<'a>>,
}

/// What a line of a hunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// On both sides.
    Context,
    /// On the old side only.
    Removed,
    /// On the new side only.
    Added,
}

/// A line of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatchLine<'a> {
    /// Where it is.
    pub kind: LineKind,
    /// The line with its newline, or without if it has none.
    pub text: &'a [u8],
}

/// Reads all patches in `text`.
pub fn parse(text: &[u8]) -> Result<Patch<'_>, ParseError> {
    let mut reader = Reader { rest: text, line: 1 };
    let mut patch = Patch::default();
    // Whether header lines belong to the last file: a new one begins behind hunks.
    let mut in_header = false;
    while let Some(line) = reader.peek() {
        if let Some(names) = line.strip_prefix(b"diff --git ") {
            let (old_path, new_path) = reader.git_names(names)?;
            patch.files.push(PatchFile { old_path, new_path, ..PatchFile::default() });
            in_header = true;
        } else if line.starts_with(b"diff --cc ") || line.starts_with(b"diff --combined ") {
            let name = line.splitn(3, |&byte| byte == b' ').nth(2).unwrap_or_default();
            let path = Some(reader.path(name, &[])?);
            patch.files.push(PatchFile {
                old_path: path.clone(),
                new_path: path,
                combined: true,
                ..PatchFile::default()
            });
            in_header = true;
        } else if line.starts_with(b"--- ") && reader.second().is_some_and(|line| line.starts_with(b"+++ ")) {
            if !in_header {
                patch.files.push(PatchFile::default());
            }
            reader.sides(&mut patch)?;
            in_header = false;
            continue;
        } else if line.starts_with(b"@@ ") {
            in_header = false;
            let hunk = reader.hunk()?;
            match patch.files.last_mut() {
                Some(file) if !file.combined => file.hunks.push(hunk),
                _ => patch.files.push(PatchFile { hunks: vec![hunk], ..PatchFile::default() }),
            }
            continue;
        } else if line.starts_with(b"@@@") && combined::header(line).is_some() {
            in_header = false;
            let hunk = reader.combined_hunk()?;
            match patch.files.last_mut() {
                Some(file) if file.combined => file.combined_hunks.push(hunk),
                _ => patch.files.push(PatchFile { combined: true, combined_hunks: vec![hunk], ..PatchFile::default() }),
            }
            continue;
        } else if in_header && let Some(file) = patch.files.last_mut() {
            reader.extended(line, file)?;
        }
        reader.advance();
    }
    if patch.files.is_empty() && !text.trim_ascii().is_empty() {
        return Err(ParseError { line: 1, what: Problem::Nothing });
    }
    Ok(patch)
}

struct Reader<'a> {
    rest: &'a [u8],
    line: usize,
}

type Path<'a> = Option<Cow<'a, [u8]>>;

impl<'a> Reader<'a> {
    fn peek_full(&self) -> Option<&'a [u8]> {
        let end = memchr::memchr(b'\n', self.rest).map_or(self.rest.len(), |at| at + 1);
        (end > 0).then(|| &self.rest[..end])
    }

    fn peek(&self) -> Option<&'a [u8]> {
        self.peek_full().map(|line| line.strip_suffix(b"\n").unwrap_or(line))
    }

    fn second(&self) -> Option<&'a [u8]> {
        let rest = &self.rest[self.peek_full()?.len()..];
        Reader { rest, line: 0 }.peek()
    }

    fn advance(&mut self) {
        if let Some(line) = self.peek_full() {
            self.rest = &self.rest[line.len()..];
            self.line += 1;
        }
    }

    fn error(&self, what: Problem) -> ParseError {
        ParseError { line: self.line, what }
    }

    /// A path that fills `text`, quoted or not, without the first of `prefixes` that it has.
    fn path(&self, text: &'a [u8], prefixes: &[&[u8]]) -> Result<Cow<'a, [u8]>, ParseError> {
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if text.starts_with(b"\"") {
            let (path, _) = quote::unquote(text).ok_or_else(|| self.error(Problem::Path))?;
            return Ok(match prefixes.iter().find(|prefix| path.starts_with(prefix)) {
                Some(prefix) => Cow::Owned(path[prefix.len()..].to_vec()),
                None => path,
            });
        }
        // A date, or git's mark that the name has spaces, stands behind a tab.
        let text = memchr::memchr(b'\t', text).map_or(text, |at| &text[..at]);
        let prefix = prefixes.iter().find_map(|prefix| text.strip_prefix(*prefix));
        Ok(Cow::Borrowed(prefix.unwrap_or(text)))
    }

    /// Both names of a `diff --git` line. Unquoted, they are only told apart if they are equal; else lines that follow
    /// tell them again.
    fn git_names(&self, names: &'a [u8]) -> Result<(Path<'a>, Path<'a>), ParseError> {
        let names = names.strip_suffix(b"\r").unwrap_or(names);
        let quoted = |text: &'a [u8]| quote::unquote(text).ok_or_else(|| self.error(Problem::Path));
        if names.starts_with(b"\"") {
            let rest = quoted(names)?.1;
            let first = &names[..names.len() - rest.len()];
            let second = rest.strip_prefix(b" ").unwrap_or(rest);
            return Ok((Some(self.path(first, &[b"a/"])?), Some(self.path(second, &[b"b/"])?)));
        }
        if names.ends_with(b"\"")
            && let Some(at) = names.windows(2).position(|pair| pair == b" \"")
        {
            let (first, second) = (&names[..at], &names[at + 1..]);
            return Ok((Some(self.path(first, &[b"a/"])?), Some(self.path(second, &[b"b/"])?)));
        }
        let middle = names.len() / 2;
        if names.get(middle) == Some(&b' ') {
            let (first, second) = (self.path(&names[..middle], &[b"a/"])?, self.path(&names[middle + 1..], &[b"b/"])?);
            if first == second {
                return Ok((Some(first), Some(second)));
            }
        }
        Ok((None, None))
    }

    /// The `---` and `+++` lines.
    fn sides(&mut self, patch: &mut Patch<'a>) -> Result<(), ParseError> {
        let name = |line: Option<&'a [u8]>| line.unwrap_or_default().get(4..).unwrap_or_default();
        let is_none = |name: &[u8]| name == b"/dev/null" || name.starts_with(b"/dev/null\t") || name == b"/dev/null\r";
        let old_name = name(self.peek());
        let old = if is_none(old_name) { None } else { Some(self.path(old_name, &[b"a/"])?) };
        self.advance();
        let new_name = name(self.peek());
        let new = if is_none(new_name) { None } else { Some(self.path(new_name, &[b"b/"])?) };
        self.advance();
        if let Some(file) = patch.files.last_mut() {
            file.added |= old.is_none();
            file.deleted |= new.is_none();
            (file.old_path, file.new_path) = (old, new);
        }
        Ok(())
    }

    /// A line between `diff --git` and the hunks.
    fn extended(&self, line: &'a [u8], file: &mut PatchFile<'a>) -> Result<(), ParseError> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let after = |what: &str| line.strip_prefix(what.as_bytes());
        let mode =
            |text: &[u8]| std::str::from_utf8(text).ok().and_then(|text| u32::from_str_radix(text.trim(), 8).ok());
        if let Some(text) = after("old mode ") {
            file.old_mode = mode(text);
        } else if let Some(text) = after("new mode ") {
            file.new_mode = mode(text);
        } else if let Some(text) = after("new file mode ") {
            (file.added, file.new_mode, file.old_path) = (true, mode(text), None);
        } else if let Some(text) = after("deleted file mode ") {
            (file.deleted, file.old_mode, file.new_path) = (true, mode(text), None);
        } else if let Some(text) = after("mode ") {
            // Of a merge: the modes of all parents, then that of the result.
            file.new_mode = text.windows(2).position(|pair| pair == b"..").and_then(|at| mode(&text[at + 2..]));
        } else if let Some(text) = after("similarity index ") {
            let number = text.strip_suffix(b"%").unwrap_or(text);
            file.similarity = std::str::from_utf8(number).ok().and_then(|text| text.parse().ok());
        } else if let Some(text) = after("rename from ") {
            (file.renamed, file.old_path) = (true, Some(self.path(text, &[])?));
        } else if let Some(text) = after("rename to ") {
            (file.renamed, file.new_path) = (true, Some(self.path(text, &[])?));
        } else if let Some(text) = after("copy from ") {
            (file.copied, file.old_path) = (true, Some(self.path(text, &[])?));
        } else if let Some(text) = after("copy to ") {
            (file.copied, file.new_path) = (true, Some(self.path(text, &[])?));
        } else if let Some(text) = after("index ") {
            if let Some(at) = memchr::memchr(b' ', text) {
                file.old_mode = file.old_mode.or_else(|| mode(&text[at + 1..]));
                file.new_mode = file.new_mode.or_else(|| mode(&text[at + 1..]));
            }
        } else if line.starts_with(b"Binary files ") || line.starts_with(b"GIT binary patch") {
            file.binary = true;
        }
        Ok(())
    }

    fn hunk(&mut self) -> Result<PatchHunk<'a>, ParseError> {
        let header = self.peek().unwrap_or_default();
        let (old, new, section) = hunk_header(header).ok_or_else(|| self.error(Problem::HunkHeader))?;
        self.advance();
        let (mut old_left, mut new_left) = (old.len(), new.len());
        let mut lines = Vec::with_capacity((old_left + new_left).min(1 << 16));
        while old_left > 0 || new_left > 0 {
            let Some(line) = self.peek_full() else { return Err(self.error(Problem::Truncated)) };
            let (kind, text) = match line[0] {
                b' ' => (LineKind::Context, &line[1..]),
                b'-' => (LineKind::Removed, &line[1..]),
                b'+' => (LineKind::Added, &line[1..]),
                b'\n' => (LineKind::Context, line), // an empty line of context whose space a mail program took
                b'\\' => {
                    cut_newline(&mut lines);
                    self.advance();
                    continue;
                }
                _ => return Err(self.error(Problem::Sign)),
            };
            let (is_old, is_new) = (kind != LineKind::Added, kind != LineKind::Removed);
            if is_old && old_left == 0 || is_new && new_left == 0 {
                return Err(self.error(Problem::Truncated));
            }
            old_left -= usize::from(is_old);
            new_left -= usize::from(is_new);
            lines.push(PatchLine { kind, text });
            self.advance();
        }
        if self.peek().is_some_and(|line| line.starts_with(b"\\")) {
            cut_newline(&mut lines);
            self.advance();
        }
        Ok(PatchHunk { old, new, section, lines })
    }

    /// A hunk against several parents. Git counts removals that it does not show, so parents may be told more lines than
    /// there are.
    fn combined_hunk(&mut self) -> Result<CombinedHunk<'a>, ParseError> {
        let header = self.peek().unwrap_or_default();
        let mut hunk = combined::header(header).ok_or_else(|| self.error(Problem::HunkHeader))?;
        self.advance();
        let mut left: Vec<usize> = hunk.parents.iter().map(ExactSizeIterator::len).collect();
        let mut result_left = hunk.result.len();
        while result_left > 0 || left.iter().any(|&left| left > 0) {
            let next = self.peek_full().and_then(|line| combined::line(line, left.len()));
            let fits = next.filter(|line| {
                let over = |(parent, &left): (usize, &usize)| left == 0 && line.in_parent(parent);
                !(line.in_result && result_left == 0 || left.iter().enumerate().any(over))
            });
            let Some(line) = fits else {
                if self.peek().is_some_and(|line| line.starts_with(b"\\")) {
                    self.advance();
                    continue;
                }
                if result_left > 0 {
                    return Err(self.error(Problem::Truncated));
                }
                break;
            };
            for (parent, left) in left.iter_mut().enumerate() {
                *left -= usize::from(line.in_parent(parent));
            }
            result_left -= usize::from(line.in_result);
            hunk.lines.push(line);
            self.advance();
        }
        Ok(hunk)
    }
}

/// The mark that the line before has no newline.
fn cut_newline(lines: &mut [PatchLine<'_>]) {
    if let Some(line) = lines.last_mut() {
        line.text = line.text.strip_suffix(b"\n").unwrap_or(line.text);
    }
}

/// `@@ -1,2 +3 @@ section`
fn hunk_header(line: &[u8]) -> Option<(Range<u32>, Range<u32>, &[u8])> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let (old, rest) = hunk_range(line.strip_prefix(b"@@ -")?)?;
    let (new, rest) = hunk_range(rest.strip_prefix(b" +")?)?;
    let section = rest.strip_prefix(b" @@")?;
    Some((old, new, section.strip_prefix(b" ").unwrap_or(section)))
}

fn hunk_range(text: &[u8]) -> Option<(Range<u32>, &[u8])> {
    let (start, rest) = number(text)?;
    let (len, rest) = match rest.strip_prefix(b",") {
        Some(rest) => number(rest)?,
        None => (1, rest),
    };
    // An empty range names the line before it, any other its first line, counted from 1.
    let start = if len == 0 { start } else { start.checked_sub(1)? };
    Some((start..start.checked_add(len)?, rest))
}

pub(super) fn number(text: &[u8]) -> Option<(u32, &[u8])> {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let number = std::str::from_utf8(&text[..end]).ok()?.parse().ok()?;
    Some((number, &text[end..]))
}
