//! Links in what programs write: OSC 8, URLs, and places in files as compilers and tests name them.
//!
//! Whether a file is there is not asked here; whoever opens it knows the directory and looks.

use super::engine::Engine;
use super::position::Position;
use super::search::LogicalLine;

/// A link, and which cells it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub target: LinkTarget,
    pub start: Position,
    pub end: Position,
}

/// Where it leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkTarget {
    Url(String),
    /// Line and column count from 1.
    Path {
        path: String,
        line: Option<u32>,
        column: Option<u32>,
    },
}

/// Beyond this no path or URL goes.
const LONGEST: usize = 4096;

/// The link at a cell.
pub(super) fn at(engine: &dyn Engine, at: Position) -> Option<Link> {
    if let Some(link) = hyperlink(engine, at) {
        return Some(link);
    }
    let line = LogicalLine::around(engine, at.line);
    let byte = line.byte_at(at)?;
    let (start, end, target) = in_text(&line.text, byte)?;
    Some(Link { target, start: line.position(start), end: line.end_position(end) })
}

/// OSC 8: all cells next to it with the same target.
fn hyperlink(engine: &dyn Engine, at: Position) -> Option<Link> {
    let (mut cells, mut extras) = (Vec::new(), Vec::new());
    engine.cells(at.line, &mut cells, &mut extras);
    let target = |column: usize| {
        let cell = cells.get(column)?;
        extras.get(usize::from(cell.extra).checked_sub(1)?)?.link.as_deref()
    };
    let column = usize::from(at.column);
    let uri = target(column)?;
    let start = (0..=column).rev().take_while(|column| target(*column) == Some(uri)).last()?;
    let end = (column..cells.len()).take_while(|column| target(*column) == Some(uri)).last()?;
    Some(Link {
        target: of_uri(uri),
        start: Position::new(at.line, start as u16),
        end: Position::new(at.line, end as u16 + 1),
    })
}

/// `file:` links are paths; the fragment may name a line.
fn of_uri(uri: &str) -> LinkTarget {
    let Some(rest) = uri.strip_prefix("file://") else { return LinkTarget::Url(uri.to_owned()) };
    let path = rest.find('/').map_or(rest, |at| &rest[at..]);
    let (path, fragment) = path.split_once('#').unwrap_or((path, ""));
    let path = String::from_utf8_lossy(&super::percent_decoded(path)).into_owned();
    let mut numbers = fragment.trim_start_matches('L').split([':', ',']).map(|number| number.parse().ok());
    LinkTarget::Path { path, line: numbers.next().flatten(), column: numbers.next().flatten() }
}

/// The URL or path around a byte of `text`, as bytes of it.
fn in_text(text: &str, byte: usize) -> Option<(usize, usize, LinkTarget)> {
    url(text, byte).or_else(|| python(text, byte)).or_else(|| path(text, byte))
}

fn url(text: &str, byte: usize) -> Option<(usize, usize, LinkTarget)> {
    let begins = ["https://", "http://", "ftp://", "file://", "mailto:", "ssh://", "git://"];
    let from = byte.saturating_sub(LONGEST);
    let starts = begins.iter().flat_map(|scheme| text.match_indices(scheme)).map(|(at, _)| at);
    let start = starts.filter(|at| (from..=byte).contains(at)).max()?;
    let ends = |ch: char| ch.is_whitespace() || ch.is_control() || "<>\"`{}|\\^│".contains(ch);
    let end = text[start..].find(ends).map_or(text.len(), |length| start + length);
    let url = without_tail(&text[start..end]);
    let end = start + url.len();
    let target = if url.starts_with("file://") { of_uri(url) } else { LinkTarget::Url(url.to_owned()) };
    (byte < end && url.len() > 8 && url.len() <= LONGEST).then_some((start, end, target))
}

/// Punctuation of the sentence around it, and brackets that were not opened within.
fn without_tail(mut url: &str) -> &str {
    while let Some(last) = url.chars().next_back() {
        let opened = |open: char, close: char| url.matches(open).count() >= url.matches(close).count();
        let belongs = match last {
            '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '…' => false,
            ')' => opened('(', ')'),
            ']' => opened('[', ']'),
            _ => true,
        };
        if belongs {
            break;
        }
        url = &url[..url.len() - last.len_utf8()];
    }
    url
}

/// `File "a b.py", line 3`: the path may hold blanks, and the line stands apart.
fn python(text: &str, byte: usize) -> Option<(usize, usize, LinkTarget)> {
    let marker = "File \"";
    let start = text.match_indices(marker).map(|(at, _)| at).filter(|at| *at <= byte).last()?;
    let path_start = start + marker.len();
    let path_end = path_start + text[path_start..].find('"')?;
    let rest = text[path_end..].strip_prefix("\", line ")?;
    let digits = rest.len() - rest.trim_start_matches(|ch: char| ch.is_ascii_digit()).len();
    let line = rest[..digits].parse().ok()?;
    let end = text.len() - rest.len() + digits;
    let path = text[path_start..path_end].to_owned();
    (byte < end && !path.is_empty()).then_some((start, end, LinkTarget::Path { path, line: Some(line), column: None }))
}

/// `src/a.rs:3:5`, `a.ts(3,5)`, `src/a.rs`.
fn path(text: &str, byte: usize) -> Option<(usize, usize, LinkTarget)> {
    let apart = |ch: char| ch.is_whitespace() || ch.is_control() || "\"'`<>|│*?{}=,;".contains(ch);
    // A comma inside brackets belongs to `(3,5)`; it is found behind the path below.
    let start = text[..byte].rfind(apart).map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let end = text[byte..].find(apart).map_or(text.len(), |length| byte + length);
    let mut word = &text[start..end];
    let mut word_start = start;
    // `(src/a.rs:3:5)` and `[src/a.rs]`
    while let Some(rest) = word.strip_prefix(['(', '[']) {
        word = rest;
        word_start += 1;
    }
    let (path, line, column, length) = split_place(word, &text[word_start..])?;
    let end = word_start + length;
    (word_start..end)
        .contains(&byte)
        .then(|| (word_start, end, LinkTarget::Path { path: path.to_owned(), line, column }))
}

/// Path, line, column and how many bytes of `text` that is. `word` is where `text` is cut at blanks and commas.
fn split_place<'a>(word: &'a str, text: &str) -> Option<(&'a str, Option<u32>, Option<u32>, usize)> {
    if let Some(open) = word.find('(')
        && let Some(close) = text[open..].find(')')
    {
        let mut numbers = text[open + 1..open + close].split(',').map(|number| number.trim().parse::<u32>());
        if let (Some(Ok(line)), column) = (numbers.next(), numbers.next()) {
            let path = &word[..open];
            return is_path(path).then_some((path, Some(line), column.and_then(Result::ok), open + close + 1));
        }
    }
    let trimmed = word.trim_end_matches(['.', ':', ')', ']', '!']);
    let mut parts = trimmed.split(':');
    let mut path_length = parts.next()?.len();
    let mut rest = &trimmed[path_length..];
    // `C:\a.rs:3`
    if path_length == 1 && rest.starts_with(":\\") {
        path_length = rest[2..].find(':').map_or(trimmed.len(), |at| 3 + at);
        rest = &trimmed[path_length..];
    }
    let path = &trimmed[..path_length];
    let mut length = path_length;
    let mut number = || {
        let after = rest.strip_prefix(':')?;
        let digits = after.len() - after.trim_start_matches(|ch: char| ch.is_ascii_digit()).len();
        let value = after[..digits].parse::<u32>().ok()?;
        rest = &after[digits..];
        length += 1 + digits;
        Some(value)
    };
    let line = number();
    let column = line.and_then(|_| number());
    (is_path(path) && path.len() <= LONGEST).then_some((path, line, column, length))
}

/// Whether a word looks like a file: it has a folder or an extension, and is no number or version.
fn is_path(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    let extension = name.rsplit_once('.');
    let has_extension = extension.is_some_and(|(_, extension)| {
        (1..=12).contains(&extension.len())
            && extension.chars().all(|ch| ch.is_ascii_alphanumeric() || ch == '_')
            && extension.chars().any(|ch| ch.is_ascii_alphabetic())
    });
    let has_folder = word.contains('/') || word.contains(":\\");
    let only_marks = !word.chars().any(char::is_alphanumeric);
    let well_known = matches!(name, "Makefile" | "Dockerfile" | "justfile" | "Justfile" | "LICENSE" | "README");
    !only_marks && !word.contains("//") && (has_extension || has_folder || well_known)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `«…»` encloses what should be the link at the `ˇ`.
    #[track_caller]
    fn check(marked: &str, target: impl Into<Option<LinkTarget>>) {
        let byte = marked.replace(['«', '»'], "").find('ˇ').expect("a caret");
        let text = marked.replace(['«', '»', 'ˇ'], "");
        let found = in_text(&text, byte);
        let cells = marked.replace('ˇ', "");
        let shown = found.as_ref().map_or(text.clone(), |(start, end, _)| {
            format!("{}«{}»{}", &text[..*start], &text[*start..*end], &text[*end..])
        });
        assert_eq!((shown, found.map(|(_, _, target)| target)), (cells, target.into()));
    }

    fn place(path: &str, line: u32, column: impl Into<Option<u32>>) -> LinkTarget {
        LinkTarget::Path { path: path.into(), line: Some(line), column: column.into() }
    }

    fn url_of(url: &str) -> LinkTarget {
        LinkTarget::Url(url.into())
    }

    #[test]
    fn compilers_name_places_in_their_ways() {
        check("  --> «src/mˇain.rs:3:5»", place("src/main.rs", 3, 5));
        check("«maiˇn.c:10:3»: error: x", place("main.c", 10, 3));
        check("«src/aˇ.ts(12,5)»: error TS1", place("src/a.ts", 12, 5));
        check("at f («src/aˇ.js:1:2»)", place("src/a.js", 1, 2));
        check("  «File \"a ˇb.py\", line 7», in f", place("a b.py", 7, None));
        check("«tests/tˇ.py:8»: AssertionError", place("tests/t.py", 8, None));
        check("«C:\\a\\ˇb.rs:3:4»", place("C:\\a\\b.rs", 3, 4));
        check("«/aˇ/b.rs:3:4:» x".replace(":»", "»:").as_str(), place("/a/b.rs", 3, 4));
    }

    #[test]
    fn paths_without_a_line() {
        let file = |path: &str| Some(LinkTarget::Path { path: path.into(), line: None, column: None });
        check("modified: «src/aˇ.rs»", file("src/a.rs"));
        check("+++ «b/diffˇ/x»", file("b/diff/x"));
        check("see «Cargoˇ.toml».", file("Cargo.toml"));
        check("version 1.2ˇ.3", None);
        check("a woˇrd", None);
        check("12:3ˇ4:56", None);
    }

    #[test]
    fn urls_end_before_the_sentence_does() {
        check("see «https://exˇample.org/a_(b)». More", url_of("https://example.org/a_(b)"));
        check("(«http://ˇlocalhost:3000/»)", url_of("http://localhost:3000/"));
        check("«https://x.org/a?b=c,d&eˇ#f»,", url_of("https://x.org/a?b=c,d&e#f"));
        check("https://ˇ", None);
        check("«file:///tmp/aˇ%20b#L4»", place("/tmp/a b", 4, None));
    }
}
