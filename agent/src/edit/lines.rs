//! A text as lines with their endings.

/// A line: its text, and the ending that follows it (LF, CRLF, or nothing at the end of the text).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub text: &'a str,
    pub ending: &'a str,
}

/// The lines of `text`, cut at LF; a CR before it belongs to the ending.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let line = |whole: &'_ str| {
        let without = whole.strip_suffix('\n').map_or(whole, |line| line.strip_suffix('\r').unwrap_or(line));
        without.len()
    };
    text.split_inclusive('\n')
        .map(|whole| {
            let (text, ending) = whole.split_at(line(whole));
            Line { text, ending }
        })
        .collect()
}

/// The ending that most lines have; LF when there is none.
pub(super) fn usual_ending<'a>(lines: &[Line<'a>]) -> &'a str {
    let crlf = lines.iter().filter(|line| line.ending == "\r\n").count();
    let lf = lines.iter().filter(|line| line.ending == "\n").count();
    if crlf > lf { "\r\n" } else { "\n" }
}

/// White space before the first word.
pub(super) fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

pub(super) fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}
