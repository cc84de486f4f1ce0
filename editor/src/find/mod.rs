//! Find and replace in one text.
//!
//! A [`Query`] is what stands in the find bar; compiled, it is a [`Matcher`]. Unless the pattern speaks of line breaks, a
//! match lies within one line, as users of editors expect of `\s+` or `[^"]*`; the text is then read in blocks of whole
//! lines, never copied as a whole. Searching can be cancelled between blocks and matches.
//!
//! A match is a byte range of the text searched; map it through later change sets like any other position.

mod replace;

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use regex::{Regex, RegexBuilder};

pub use replace::Replacement;

use crate::cancel::{Cancel, Cancelled};
use crate::movement::is_word;
use crate::text::Text;

/// About how many bytes are looked at between two looks at the cancel flag.
const BLOCK: usize = 256 * 1024;

/// How large a compiled pattern may become, in bytes.
const PATTERN_LIMIT: usize = 16 << 20;

/// What is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Text, or a regular expression.
    pub pattern: String,
    /// Whether upper and lower case differ.
    pub case: bool,
    /// Whether a match must not begin or end inside a word.
    pub word: bool,
    /// Whether the pattern is a regular expression.
    pub regex: bool,
}

/// Why a query cannot be searched for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// There is nothing to look for.
    #[error("nothing to find")]
    Empty,
    /// The pattern is not a regular expression.
    #[error("not a regular expression: {0}")]
    Syntax(String),
    /// The pattern stands for too large an automaton.
    #[error("the pattern is too large; repeat less, or narrow a character class")]
    TooLarge,
}

/// The matches of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// In the order of the text; none overlap.
    pub matches: Vec<Range<usize>>,
    /// Whether the limit was reached and there may be more.
    pub limited: bool,
}

/// A query ready to search with. Clones are cheap.
#[derive(Clone, Debug)]
pub struct Matcher {
    regex: Regex,
    /// Whether a match may span lines, or the pattern asks for the ends of the text.
    whole: bool,
    /// Whether the query was a regular expression, so that a replacement may name its groups.
    groups: bool,
}

impl Query {
    /// A query for `text` as it is, ignoring case.
    pub fn text(text: impl Into<String>) -> Self {
        Self { pattern: text.into(), ..Self::default() }
    }

    /// Makes it ready to search with.
    pub fn compile(&self) -> Result<Matcher, QueryError> {
        if self.pattern.is_empty() {
            return Err(QueryError::Empty);
        }
        let pattern = if self.regex {
            // Compiled alone first: an error must show what the user wrote, and `a)(b` must not pass.
            builder(&self.pattern, self.case).build().map_err(|error| readable(&error))?;
            format!("(?:{})", self.pattern)
        } else {
            // What is pasted into the find bar has LF; the text may have CR LF.
            format!("(?:{})", regex::escape(&self.pattern.replace("\r\n", "\n")).replace('\n', "\r?\n"))
        };
        let pattern = if self.word { format!("{}{pattern}{}", self.edge(true), self.edge(false)) } else { pattern };
        let regex = builder(&pattern, self.case).build().map_err(|error| readable(&error))?;
        Ok(Matcher { regex, whole: spans_lines(&self.pattern, self.regex), groups: self.regex })
    }

    /// The condition that a match starts or ends at the edge of a word. A text that starts with a sign does so anywhere;
    /// what a regular expression starts with is only known once it matched, so it must not touch a word there.
    fn edge(&self, start: bool) -> &'static str {
        let mut chars = self.pattern.chars();
        let sign = !(if start { chars.next() } else { chars.next_back() }).is_some_and(is_word);
        match (self.regex || !sign, start) {
            (true, true) => r"\b{start-half}",
            (true, false) => r"\b{end-half}",
            (false, _) => "",
        }
    }
}

fn builder(pattern: &str, case: bool) -> RegexBuilder {
    let mut builder = RegexBuilder::new(pattern);
    builder.case_insensitive(!case).multi_line(true).crlf(true).size_limit(PATTERN_LIMIT);
    builder
}

/// Whether the pattern speaks of line breaks or of the ends of the text.
fn spans_lines(pattern: &str, regex: bool) -> bool {
    const SIGNS: [&str; 8] = [r"\n", r"\r", r"\A", r"\z", r"\x", r"\u", "(?s", r"\v"];
    pattern.contains('\n') || (regex && SIGNS.iter().any(|sign| pattern.contains(sign)))
}

fn readable(error: &regex::Error) -> QueryError {
    match error {
        regex::Error::CompiledTooBig(_) => QueryError::TooLarge,
        // The library draws the pattern with a caret below; its last line says what is wrong.
        error => {
            let message = error.to_string();
            let last = message.lines().last().unwrap_or_default();
            QueryError::Syntax(last.trim_start_matches("error: ").to_owned())
        }
    }
}

impl Matcher {
    /// All matches that lie in `range`, at most `limit`.
    pub fn find_all(
        &self,
        text: &Text,
        range: Range<usize>,
        limit: usize,
        cancel: &Cancel,
    ) -> Result<Found, Cancelled> {
        let mut found = Found::default();
        self.each(text, range, cancel, |place| {
            if found.matches.len() == limit {
                found.limited = true;
                return ControlFlow::Break(());
            }
            found.matches.push(place);
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }

    /// The first match that starts at or after `from`, or else the first of the text. An empty match at `from` itself is
    /// left out, so that going on from one match always leads to another.
    pub fn next(&self, text: &Text, from: usize, cancel: &Cancel) -> Result<Option<Range<usize>>, Cancelled> {
        match self.first(text, from..text.len(), |place| *place != (from..from), cancel)? {
            Some(place) => Ok(Some(place)),
            None => self.first(text, 0..text.len(), |_| true, cancel),
        }
    }

    /// The last match that ends at or before `from`, or else the last of the text. An empty match at `from` itself is
    /// left out.
    pub fn prev(&self, text: &Text, from: usize, cancel: &Cancel) -> Result<Option<Range<usize>>, Cancelled> {
        match self.last(text, from, |place| *place != (from..from), cancel)? {
            Some(place) => Ok(Some(place)),
            None => self.last(text, text.len(), |_| true, cancel),
        }
    }

    fn first(
        &self,
        text: &Text,
        range: Range<usize>,
        wanted: impl Fn(&Range<usize>) -> bool,
        cancel: &Cancel,
    ) -> Result<Option<Range<usize>>, Cancelled> {
        let mut first = None;
        self.each(text, range, cancel, |place| {
            if !wanted(&place) {
                return ControlFlow::Continue(());
            }
            first = Some(place);
            ControlFlow::Break(())
        })?;
        Ok(first)
    }

    fn last(
        &self,
        text: &Text,
        upto: usize,
        wanted: impl Fn(&Range<usize>) -> bool,
        cancel: &Cancel,
    ) -> Result<Option<Range<usize>>, Cancelled> {
        let mut end = upto.min(text.len());
        loop {
            // Blocks of whole lines from the end; a match that may span lines needs all the text before it.
            let start = if self.whole { 0 } else { line_start(text, end.saturating_sub(BLOCK)) };
            let mut last = None;
            self.each(text, start..end, cancel, |place| {
                if wanted(&place) {
                    last = Some(place);
                }
                ControlFlow::Continue(())
            })?;
            if last.is_some() || start == 0 {
                return Ok(last);
            }
            // The line break before `start` belongs to the lines before; no match is on it.
            end = start - 1;
        }
    }

    /// Shows every match that lies in `range`, in order, until told to stop.
    fn each(
        &self,
        text: &Text,
        range: Range<usize>,
        cancel: &Cancel,
        mut show: impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> Result<(), Cancelled> {
        let range = range.start..range.end.min(text.len());
        let mut inside = |place: Range<usize>| {
            if place.start < range.start || place.end > range.end {
                return ControlFlow::Continue(());
            }
            show(place)
        };
        if self.whole {
            let all = text.slice(0..text.len());
            let mut at = range.start;
            while let Some(found) = (at <= range.end).then(|| self.regex.find_at(&all, at)).flatten() {
                cancel.check()?;
                if inside(found.range()).is_break() {
                    break;
                }
                at = if found.is_empty() { text.next_grapheme(found.end()).max(found.end() + 1) } else { found.end() };
            }
            return Ok(());
        }
        let mut start = line_start(text, range.start);
        loop {
            cancel.check()?;
            let end = text.line_end_full(text.line_of((start + BLOCK).min(text.len())));
            let block = text.slice(start..end);
            let last = end >= text.len();
            let flow = self.each_in_block(&block, last, cancel, |place| {
                if place.start + start > range.end {
                    return ControlFlow::Break(());
                }
                inside(place.start + start..place.end + start)
            })?;
            if flow.is_break() || last || end > range.end {
                return Ok(());
            }
            start = end;
        }
    }

    /// Shows the matches in a block of whole lines. What follows a final LF is a line only in the `last` block.
    fn each_in_block(
        &self,
        block: &str,
        last: bool,
        cancel: &Cancel,
        mut show: impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Cancelled> {
        let mut at = 0;
        // A match within a line is also one of the block, so the first match of the block is in or before the first line
        // that has one; lines before it need no look of their own.
        while let Some(hint) = self.regex.find_at(block, at) {
            let start = memchr::memrchr(b'\n', &block.as_bytes()[..hint.start()]).map_or(0, |lf| lf + 1);
            let next = memchr::memchr(b'\n', &block.as_bytes()[start..]).map_or(block.len() + 1, |lf| start + lf + 1);
            if start == block.len() && start > 0 && !last {
                break;
            }
            let line = &block[start..(next - 1).min(block.len())];
            let line = line.strip_suffix('\r').unwrap_or(line);
            for (number, found) in self.regex.find_iter(line).enumerate() {
                if number % 4096 == 4095 {
                    cancel.check()?;
                }
                if show(start + found.start()..start + found.end()).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            if next > block.len() {
                break;
            }
            at = next;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// What a match is sought in: its line, or the whole text; and where that starts.
    fn haystack<'t>(&self, text: &'t Text, place: &Range<usize>) -> (Range<usize>, Cow<'t, str>) {
        let range = if self.whole { 0..text.len() } else { text.line_range(text.line_of(place.start)) };
        (range.clone(), text.slice(range))
    }
}

fn line_start(text: &Text, offset: usize) -> usize {
    text.line_start(text.line_of(offset))
}

#[cfg(test)]
mod tests;
