//! Searching the project as ripgrep does: a regular expression, line by line, ignored and binary files left out.

use std::io::Read as _;

use editor::Cancel;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::sinks::Lossy;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};

use super::{HostError, ProjectPath};

/// A search ends after this many hits, and says so.
pub const SEARCH_HITS: usize = 200;
/// Longer lines are cut.
const LINE: usize = 300;

/// What to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// A regular expression; in lower case it matches upper case, too.
    pub query: String,
    /// Only in this folder, or file.
    pub path: ProjectPath,
    /// Ends after this many.
    pub limit: usize,
}

/// A line that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The file.
    pub path: ProjectPath,
    /// The line, from 1.
    pub line: u64,
    /// Its text, without its ending.
    pub text: String,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// By file and line.
    pub hits: Vec<Hit>,
    /// Whether there is more.
    pub more: bool,
    /// Files that were looked at.
    pub files: usize,
    /// Whether the query was taken as plain text, because it is no regular expression.
    pub literal: bool,
}

/// A search under way: files are handed to it one after another.
pub(super) struct Running {
    matcher: RegexMatcher,
    searcher: Searcher,
    limit: usize,
    pub(super) found: Hits,
}

impl Running {
    /// Models write `foo(` and mean just that: what is no expression is looked for as it stands.
    pub(super) fn new(search: &Search) -> Result<Self, HostError> {
        let build = |fixed: bool| {
            let mut builder = RegexMatcherBuilder::new();
            builder.case_smart(true).fixed_strings(fixed).line_terminator(Some(b'\n')).build(&search.query)
        };
        if search.query.is_empty() {
            return Err(HostError::Pattern(String::new(), "it is empty".to_owned()));
        }
        let (matcher, literal) = match build(false) {
            Ok(matcher) => (matcher, false),
            Err(error) => match build(true) {
                Ok(matcher) => (matcher, true),
                Err(_) => return Err(HostError::Pattern(search.query.clone(), error.to_string())),
            },
        };
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .line_number(true)
            .bom_sniffing(true)
            .build();
        Ok(Self { matcher, searcher, limit: search.limit, found: Hits { literal, ..Hits::default() } })
    }

    /// Whether enough was found.
    pub(super) fn is_full(&self) -> bool {
        self.found.more
    }

    /// Looks through a file on the disk. What cannot be read has no hits.
    pub(super) fn file(&mut self, path: &ProjectPath, file: std::fs::File, limit: u64, cancel: &Cancel) {
        if cancel.is_cancelled() {
            return;
        }
        let (matcher, found, most) = (&self.matcher, &mut self.found, self.limit);
        found.files += 1;
        let sink = Lossy(|line, text: &str| Ok(push(found, most, path, line, text)));
        // A file that turns unreadable half way keeps the hits before.
        let _ = self.searcher.search_reader(matcher, file.take(limit), sink);
    }

    /// Looks through a text that an editor holds.
    pub(super) fn text(&mut self, path: &ProjectPath, text: &str) {
        let (matcher, found, most) = (&self.matcher, &mut self.found, self.limit);
        found.files += 1;
        let sink = Lossy(|line, text: &str| Ok(push(found, most, path, line, text)));
        let _ = self.searcher.search_slice(matcher, text.as_bytes(), sink);
    }
}

fn push(found: &mut Hits, most: usize, path: &ProjectPath, line: u64, text: &str) -> bool {
    if found.hits.len() >= most {
        found.more = true;
        return false;
    }
    let text = text.trim_end_matches(['\n', '\r']);
    let end = text.char_indices().nth(LINE).map_or(text.len(), |(at, _)| at);
    let cut = if end < text.len() { "…" } else { "" };
    found.hits.push(Hit { path: path.clone(), line, text: format!("{}{cut}", &text[..end]) });
    true
}
