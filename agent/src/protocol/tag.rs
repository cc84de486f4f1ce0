//! Tags: which names are ours, and how an opening tag with its attributes is read.

use super::reply::Quirk;

/// What a tag holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Reasoning up to its end.
    Thought,
    /// Nothing: everything stands in its attributes.
    Void,
    /// Content up to its end.
    Body,
    /// A call in JSON or in another dialect's XML.
    Call,
}

const TAGS: [(&str, Shape); 18] = [
    ("thought", Shape::Thought),
    ("think", Shape::Thought),
    ("thinking", Shape::Thought),
    ("read_file", Shape::Void),
    ("search_code", Shape::Void),
    ("list_directory", Shape::Void),
    ("rename_file", Shape::Void),
    ("delete_file", Shape::Void),
    ("run_command", Shape::Void),
    ("done", Shape::Void),
    ("edit_file", Shape::Body),
    ("write_symbol", Shape::Body),
    ("write_file", Shape::Body),
    ("create_file", Shape::Body),
    ("tool", Shape::Body),
    ("tool_call", Shape::Call),
    ("function_call", Shape::Call),
    ("function_calls", Shape::Call),
];

/// Names of other dialects that only ever close something of ours.
const FOREIGN: [&str; 9] =
    ["parameter", "invoke", "function", "tool_use", "tools", "file", "edit", "content", "edit_files"];

/// The shape of the tag of that name.
pub(super) fn shape(name: &str, tools: &[String]) -> Option<Shape> {
    let known = TAGS.iter().find(|(tag, _)| *tag == name).map(|(_, shape)| *shape);
    known.or_else(|| tools.iter().any(|tool| tool == name).then_some(Shape::Void))
}

/// Whether `</name>` may close what it does not name.
pub(super) fn may_close(name: &str) -> bool {
    TAGS.iter().any(|(tag, shape)| *tag == name && *shape != Shape::Thought) || FOREIGN.contains(&name)
}

/// What stands at a `<`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Peek {
    /// No tag of ours.
    No,
    /// More bytes decide.
    Wait,
    /// An opening tag of ours begins.
    Open(String, Shape),
    /// A closing tag; with its length in bytes.
    Close(String, usize),
}

/// Looks at the start of `text`; without a `<` there is no tag.
pub(super) fn peek(text: &str, at_end: bool, tools: &[String]) -> Peek {
    let Some(after) = text.strip_prefix('<') else { return Peek::No };
    let closing = after.starts_with('/');
    let from = if closing { 2 } else { 1 };
    let rest = &text[from..];
    let length = rest.bytes().take(64).take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let name = rest[..length].to_ascii_lowercase();
    let Some(next) = rest.as_bytes().get(length) else {
        return if at_end || (length > 0 && !could_become(&name, tools)) { Peek::No } else { Peek::Wait };
    };
    if closing {
        if !may_close(&name) && shape(&name, tools).is_none() {
            return Peek::No;
        }
        let blanks = rest[length..].bytes().take(64).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        return match rest.as_bytes().get(length + blanks) {
            Some(b'>') => Peek::Close(name, from + length + blanks + 1),
            None if !at_end => Peek::Wait,
            _ => Peek::No,
        };
    }
    match shape(&name, tools) {
        Some(shape) if next.is_ascii_whitespace() || matches!(next, b'>' | b'/') => Peek::Open(name, shape),
        _ => Peek::No,
    }
}

fn could_become(start: &str, tools: &[String]) -> bool {
    let mut names = TAGS.iter().map(|(tag, _)| *tag).chain(FOREIGN).chain(tools.iter().map(String::as_str));
    names.any(|name| name.starts_with(start))
}

/// Attributes in the order they were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Attributes(pub Vec<(String, String)>);

impl Attributes {
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// An opening tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// Its bytes, both brackets included.
    pub length: usize,
    pub attributes: Attributes,
    /// Whether it ends in `/>`.
    pub closed: bool,
    pub quirks: Vec<Quirk>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum HeadPeek {
    /// Not a tag after all, which so many bytes have shown.
    No(usize),
    Wait,
    Head(Head),
}

/// Longest opening tag; commands have at most 4,000 bytes.
pub(super) const LONGEST: usize = 16 << 10;

/// Reads the opening tag at the start of `text`, after whose `<` stands `name`, and which has no more than `longest` bytes.
pub(super) fn head(text: &str, name: &str, shape: Shape, at_end: bool, longest: usize) -> HeadPeek {
    // Cut first, and then judged: how much has come in must not matter.
    let (text, at_end) = match text.len() > longest {
        true => (&text[..text.floor_char_boundary(longest)], true),
        false => (text, at_end),
    };
    let open = if at_end { HeadPeek::No(text.len()) } else { HeadPeek::Wait };
    let mut at = 1 + name.len();
    let mut attributes = Attributes::default();
    let mut quirks = Vec::new();
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        let rest = &text[at..];
        if rest.starts_with("/>") {
            return HeadPeek::Head(Head { length: at + 2, attributes, closed: true, quirks });
        }
        if rest.starts_with('>') {
            return HeadPeek::Head(Head { length: at + 1, attributes, closed: false, quirks });
        }
        if rest.is_empty() || rest == "/" {
            return open;
        }
        let key = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count();
        if key == 0 {
            return HeadPeek::No(at);
        }
        let after = rest[key..].trim_start();
        let Some(value) = after.strip_prefix('=') else {
            if after.is_empty() {
                return open;
            }
            // A word without a value: `<edit_file src/a.rs>` is no attribute of ours, and skipped.
            at += key;
            continue;
        };
        let value = value.trim_start();
        let value_at = text.len() - value.len();
        let quote = match value.chars().next() {
            None => return open,
            Some(quote @ ('"' | '\'')) => Some(quote),
            Some(_) => None,
        };
        let (value, end) = match quote {
            Some(quote) => match quoted(text, value_at, quote, shape, at_end) {
                Found::Wait => return open,
                Found::Value(value, end) => (value, end),
            },
            None => match bare(text, value_at) {
                None => return open,
                Some(found) => {
                    quirks.push(Quirk::Quoting);
                    found
                }
            },
        };
        if quote.is_some_and(|quote| value.contains(quote)) {
            quirks.push(Quirk::Quoting);
        }
        attributes.0.push((rest[..key].to_ascii_lowercase(), value.replace("&quot;", "\"")));
        at = end;
    }
}

enum Found {
    Wait,
    /// The value, and where what follows it begins.
    Value(String, usize),
}

/// The value whose opening quote is at `at`. A quote closes it if the tag ends or another attribute begins after it;
/// others belong to it.
fn quoted(text: &str, at: usize, quote: char, shape: Shape, at_end: bool) -> Found {
    let start = at + 1;
    let mut from = start;
    while let Some(found) = text[from..].find(quote) {
        let end = from + found;
        match closes(&text[end + 1..], shape, at_end) {
            Closes::Wait => return Found::Wait,
            Closes::No => from = end + 1,
            Closes::Weakly | Closes::Yes if even(&text[start..end], quote) => {
                return Found::Value(text[start..end].to_owned(), end + 1);
            }
            // An odd quote is open within the value: the last end of a tag on the line counts.
            strength => {
                let line_end = text[start..].find('\n').map(|end| start + end).or(at_end.then_some(text.len()));
                let Some(line_end) = line_end else { return Found::Wait };
                let later = last_end(text, end + 1, line_end, quote);
                let end = match (later, strength) {
                    (Some(later), _) => later,
                    (None, _) => end,
                };
                return Found::Value(text[start..end].to_owned(), end + 1);
            }
        }
    }
    Found::Wait
}

/// Whether an even number of quotes stands in `value`, those after a backslash left out.
fn even(value: &str, quote: char) -> bool {
    value.matches(quote).count().is_multiple_of(2)
}

/// Where the last quote before `/>` is on the rest of the line, before another tag begins.
fn last_end(text: &str, from: usize, line_end: usize, quote: char) -> Option<usize> {
    if from >= line_end {
        return None;
    }
    let rest = &text[from..line_end];
    let rest = rest.split("/> <").next().unwrap_or(rest);
    let slash = rest.rfind("/>")?;
    let before = rest[..slash].trim_end();
    before.ends_with(quote).then(|| from + before.len() - quote.len_utf8())
}

enum Closes {
    Wait,
    No,
    /// A bare `>` follows, which within a command is a redirection.
    Weakly,
    Yes,
}

/// Whether what follows a quote shows that it closed a value.
fn closes(after: &str, shape: Shape, at_end: bool) -> Closes {
    let trimmed = after.trim_start();
    let wait = if at_end { Closes::No } else { Closes::Wait };
    match trimmed.as_bytes().first() {
        None => wait,
        Some(b'/') => match trimmed.as_bytes().get(1) {
            None => wait,
            Some(b'>') => Closes::Yes,
            Some(_) => Closes::No,
        },
        Some(b'>') if shape != Shape::Void => Closes::Yes,
        Some(b'>') if trimmed.len() == after.len() => Closes::Yes,
        Some(b'>') => Closes::Weakly,
        Some(byte) if byte.is_ascii_alphabetic() && trimmed.len() < after.len() => {
            let name = trimmed.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
            match &trimmed.as_bytes()[name..] {
                [] => wait,
                [b'='] => wait,
                [b'=', b'"' | b'\'', ..] => Closes::Yes,
                _ => Closes::No,
            }
        }
        Some(_) => Closes::No,
    }
}

/// A value without quotes: up to white space or the end of the tag.
fn bare(text: &str, at: usize) -> Option<(String, usize)> {
    let length = text[at..].find(|c: char| c.is_whitespace() || c == '>')?;
    let mut value = &text[at..at + length];
    if text[at + length..].starts_with('>') {
        value = value.strip_suffix('/').unwrap_or(value);
    }
    Some((value.to_owned(), at + value.len()))
}

/// A path without what models put around it; whether anything was.
pub(super) fn clean_path(path: &str) -> (String, bool) {
    let trimmed = path.trim();
    let bare = trimmed.trim_matches(['`', '*', '"', '\'']).trim();
    let bare = bare.strip_prefix("./").unwrap_or(bare).replace('\\', "/");
    let decorated = bare.len() != trimmed.len();
    (bare, decorated)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(text: &str, shape: Shape) -> Option<Vec<(String, String)>> {
        let name: String = text[1..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        match head(text, &name, shape, true, LONGEST) {
            HeadPeek::Head(head) => Some(head.attributes.0),
            _ => None,
        }
    }

    #[test]
    fn attributes_are_read_with_quotes_or_without_and_with_quotes_in_them() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let expected: Vec<_> = expected.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
            assert_eq!(attributes(text, Shape::Void), Some(expected), "{text}");
        };
        check(r#"<read_file path="a b.rs" lines="1-2"/>"#, &[("path", "a b.rs"), ("lines", "1-2")]);
        check("<read_file path='a.rs' />", &[("path", "a.rs")]);
        check("<read_file path=a.rs/>", &[("path", "a.rs")]);
        check("<read_file path=src/a.rs lines=1-2>", &[("path", "src/a.rs"), ("lines", "1-2")]);
        check("<read_file\n  path=\"a.rs\"\n/>", &[("path", "a.rs")]);
        check(r#"<run_command command="echo "hi" there"/>"#, &[("command", r#"echo "hi" there"#)]);
        check(r#"<run_command command="echo "hi""/>"#, &[("command", r#"echo "hi""#)]);
        check(r#"<run_command command="echo "hi" > x"/>"#, &[("command", r#"echo "hi" > x"#)]);
        check(r#"<run_command command="echo &quot;hi&quot;"/>"#, &[("command", r#"echo "hi""#)]);
        check(r#"<search_code query="a="b" c" path="d"/>"#, &[("query", r#"a="b" c"#), ("path", "d")]);
        check("<done/>", &[]);
    }

    #[test]
    fn two_tags_on_a_line_are_two() {
        let text = r#"<read_file path="a"/> <read_file path="b"/>"#;
        let HeadPeek::Head(head) = head(text, "read_file", Shape::Void, true, LONGEST) else { panic!("no head") };
        assert_eq!(&text[..head.length], r#"<read_file path="a"/>"#);
    }

    #[test]
    fn a_path_loses_what_surrounds_it() {
        for (written, path) in
            [("`src/a.rs`", "src/a.rs"), (" **a.rs** ", "a.rs"), ("./a.rs", "a.rs"), ("src\\a.rs", "src/a.rs")]
        {
            assert_eq!(clean_path(written).0, path);
        }
    }
}
