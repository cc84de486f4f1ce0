//! What language servers say is wrong, by file: moved along with later edits, until they say it anew.
//!
//! Invariant: the problems of a file are sorted by where they begin, the gravest first where several begin; a file
//! without any is not listed. Ranges are bytes of the text as it was last followed.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use editor::change::ChangeSet;
use editor::lsp::{Diagnostic, Severity};
use editor::text::Text;

/// Bytes of a message that stand in a line.
const LINE: usize = 400;

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Who says so.
    pub server: Arc<str>,
    /// Bytes of the text as it is now.
    pub range: Range<usize>,
    /// Where it begins: line and character, from 0.
    pub line: u32,
    pub column: u32,
    /// As it was said.
    pub said: Arc<Diagnostic>,
}

impl Problem {
    /// What a server said of a text.
    pub fn of(server: &Arc<str>, said: Diagnostic, text: &Text) -> Self {
        let (line, column) = place(text, said.range.start);
        Self { server: server.clone(), range: said.range.clone(), line, column, said: Arc::new(said) }
    }

    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.said.severity
    }

    /// Whether it is told only where it is: hints are no problems, they fade what is not used.
    pub fn is_hint(&self) -> bool {
        self.severity() == Severity::Hint
    }

    /// `Error: "x" is not defined`, the first line of it.
    pub fn spoken(&self) -> String {
        format!("{}: {}", name(self.severity()), self.first_line())
    }

    /// The first line of the message, or how it begins.
    pub fn first_line(&self) -> &str {
        let line = self.said.message.trim_start().lines().next().unwrap_or_default();
        &line[..line.floor_char_boundary(LINE)]
    }

    /// `pyright reportUndefinedVariable`: who says it, and what they call it.
    pub fn source(&self) -> String {
        let source = self.said.source.as_deref().unwrap_or(&self.server);
        match &self.said.code {
            Some(code) => format!("{source} {code}"),
            None => source.to_owned(),
        }
    }
}

/// A severity, as it is called.
pub fn name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
        Severity::Information => "Info",
        Severity::Hint => "Hint",
    }
}

/// How many there are of each kind; hints are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub errors: usize,
    pub warnings: usize,
    pub infos: usize,
}

impl Counts {
    fn add(&mut self, problem: &Problem) {
        match problem.severity() {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Information => self.infos += 1,
            Severity::Hint => {}
        }
    }

    fn less(self, other: Self) -> Self {
        Self {
            errors: self.errors - other.errors,
            warnings: self.warnings - other.warnings,
            infos: self.infos - other.infos,
        }
    }

    /// All of them.
    pub fn all(self) -> usize {
        self.errors + self.warnings + self.infos
    }

    /// The counts of some problems.
    pub fn of<'a>(problems: impl IntoIterator<Item = &'a Problem>) -> Self {
        let mut counts = Self::default();
        problems.into_iter().for_each(|problem| counts.add(problem));
        counts
    }
}

/// See the module.
#[derive(Default)]
pub struct Problems {
    files: BTreeMap<PathBuf, Arc<Vec<Problem>>>,
    counts: Counts,
    generation: u64,
}

impl Problems {
    /// The problems of a file, hints included.
    pub fn of(&self, path: &Path) -> &[Problem] {
        self.files.get(path).map_or(&[], |problems| problems.as_slice())
    }

    /// Those of a file that touch some bytes of it.
    pub fn within(&self, path: &Path, bytes: Range<usize>) -> impl Iterator<Item = &Problem> {
        let touches = move |problem: &&Problem| problem.range.start <= bytes.end && problem.range.end >= bytes.start;
        self.of(path).iter().filter(touches)
    }

    /// All files that have any, by path.
    pub fn files(&self) -> impl Iterator<Item = (&Path, &[Problem])> {
        self.shared().map(|(path, problems)| (path, problems.as_slice()))
    }

    /// The same, to be kept.
    pub(super) fn shared(&self) -> impl Iterator<Item = (&Path, &Arc<Vec<Problem>>)> {
        self.files.iter().map(|(path, problems)| (path.as_path(), problems))
    }

    /// How many there are in all files.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Grows with every change.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// What a server says of a file now, in the place of what it said before.
    pub fn set(&mut self, path: &Path, server: &str, said: Vec<Problem>) {
        if said.is_empty() && !self.files.contains_key(path) {
            return;
        }
        self.change(path, |all| {
            all.retain(|problem| &*problem.server != server);
            all.extend(said);
            all.sort_by_key(|problem| (problem.range.start, problem.severity(), problem.range.end));
        });
    }

    /// A text was changed: what is said of it goes along. What was said of text that is gone is gone.
    pub fn follow(&mut self, path: &Path, changes: &ChangeSet, after: &Text) {
        if !self.files.contains_key(path) {
            return;
        }
        self.change(path, |problems| {
            problems.retain_mut(|problem| {
                let was_empty = problem.range.is_empty();
                problem.range = changes.map_range(problem.range.clone());
                (problem.line, problem.column) = place(after, problem.range.start);
                was_empty || !problem.range.is_empty()
            });
        });
    }

    /// A server is gone, and with it what it said.
    pub fn forget_server(&mut self, server: &str) {
        let is_its = |problem: &Problem| &*problem.server == server;
        let said = self.files.iter().filter(|(_, problems)| problems.iter().any(is_its));
        for path in said.map(|(path, _)| path.clone()).collect::<Vec<_>>() {
            self.change(&path, |problems| problems.retain(|problem| !is_its(problem)));
        }
    }

    /// What is said of a file is not true any more.
    pub fn forget(&mut self, path: &Path) {
        if self.files.contains_key(path) {
            self.change(path, Vec::clear);
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        if !self.files.is_empty() {
            self.files.clear();
            self.counts = Counts::default();
            self.generation += 1;
        }
    }

    /// The problem after a place, or before it: in its file first, then in the next, round the end. Hints are passed over.
    pub fn step(&self, from: Option<(&Path, usize)>, forward: bool) -> Option<(&Path, &Problem)> {
        let all = || self.files().flat_map(|(path, problems)| problems.iter().map(move |problem| (path, problem)));
        let all = || all().filter(|(_, problem)| !problem.is_hint());
        let here = |(path, problem): (&Path, &Problem)| from.cmp(&Some((path, problem.range.start)));
        match forward {
            true => all().find(|at| here(*at).is_lt()).or_else(|| all().next()),
            false => all().filter(|at| here(*at).is_gt()).last().or_else(|| all().last()),
        }
    }

    /// Changes what is said of one file, and nothing else.
    fn change(&mut self, path: &Path, change: impl FnOnce(&mut Vec<Problem>)) {
        let mut problems = self.files.remove(path).unwrap_or_default();
        self.counts = self.counts.less(Counts::of(problems.iter()));
        change(Arc::make_mut(&mut problems));
        problems.iter().for_each(|problem| self.counts.add(problem));
        if !problems.is_empty() {
            self.files.insert(path.to_owned(), problems);
        }
        self.generation += 1;
    }
}

/// Line and character of a byte, from 0. Characters of a long line are not counted one by one.
pub fn place(text: &Text, at: usize) -> (u32, u32) {
    const LONG: usize = 10_000;
    let at = text.floor_char(at.min(text.len()));
    let line = text.line_of(at);
    let start = text.line_start(line);
    let column = if at - start > LONG { at - start } else { text.slice(start..at).chars().count() };
    (line, column as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(severity: Severity, range: Range<usize>, message: &str) -> Diagnostic {
        Diagnostic {
            range,
            severity,
            message: message.to_owned(),
            source: None,
            code: None,
            link: None,
            unnecessary: false,
            deprecated: false,
            related: Vec::new(),
        }
    }

    /// A store in which `check` says that `words` of a text are wrong; those in capitals are errors.
    fn known(text: &str, words: &[&str]) -> Problems {
        let server: Arc<str> = "check".into();
        let problem = |word: &&str| {
            let at = text.find(word).unwrap();
            let severity = if word.chars().all(char::is_uppercase) { Severity::Error } else { Severity::Warning };
            Problem::of(&server, said(severity, at..at + word.len(), word), &Text::from(text))
        };
        let mut problems = Problems::default();
        problems.set(Path::new("/p/a"), "check", words.iter().map(problem).collect());
        problems
    }

    fn shown(problems: &Problems, text: &str) -> Vec<String> {
        let show = |problem: &Problem| format!("{}:{}", problem.line + 1, &text[problem.range.clone()]);
        problems.of(Path::new("/p/a")).iter().map(show).collect()
    }

    #[track_caller]
    fn after(edit: (&str, &str), expected: &[&str]) {
        let text = "one TWO\nthree\nfour\n";
        let mut problems = known(text, &["TWO", "three"]);
        let at = text.find(edit.0).unwrap();
        let changes = ChangeSet::from_edits(text.len(), [(at..at + edit.0.len(), edit.1)]);
        let text = text.replacen(edit.0, edit.1, 1);
        problems.follow(Path::new("/p/a"), &changes, &Text::from(text.as_str()));
        assert_eq!(shown(&problems, &text), expected);
    }

    #[test]
    fn problems_go_with_the_text() {
        after(("one", "\n\nzero one"), &["3:TWO", "4:three"]);
        after(("TWO", ""), &["2:three"]);
        after(("TWO\nthr", ""), &["1:ee"]);
        after(("four", "4"), &["1:TWO", "2:three"]);
    }

    #[test]
    fn what_a_server_says_takes_the_place_of_what_it_said() {
        let text = "one TWO\nthree\n";
        let mut problems = known(text, &["three", "TWO"]);
        assert_eq!(shown(&problems, text), ["1:TWO", "2:three"], "in the order of the text");
        assert_eq!(problems.counts(), Counts { errors: 1, warnings: 1, infos: 0 });
        let other: Arc<str> = "other".into();
        let hint = Problem::of(&other, said(Severity::Hint, 0..3, "unused"), &Text::from(text));
        problems.set(Path::new("/p/a"), "other", vec![hint]);
        problems.set(Path::new("/p/a"), "check", Vec::new());
        assert_eq!(shown(&problems, text), ["1:one"]);
        assert_eq!(problems.counts().all(), 0, "hints are no problems");
        problems.forget_server("other");
        assert_eq!(problems.files().count(), 0);
    }

    #[test]
    fn stepping_goes_from_file_to_file_and_round() {
        let text = "one TWO\nthree\n";
        let mut problems = known(text, &["TWO", "three"]);
        let elsewhere = Problem::of(&"check".into(), said(Severity::Error, 0..3, "first"), &Text::from(text));
        problems.set(Path::new("/p/b"), "check", vec![elsewhere]);
        let step = |from: Option<(&str, usize)>, forward| {
            let from = from.map(|(path, at)| (Path::new(path), at));
            let (path, problem) = problems.step(from, forward).unwrap();
            format!("{} {}", path.display(), problem.range.start)
        };
        assert_eq!(step(None, true), "/p/a 4");
        assert_eq!(step(Some(("/p/a", 4)), true), "/p/a 8");
        assert_eq!(step(Some(("/p/a", 9)), true), "/p/b 0");
        assert_eq!(step(Some(("/p/b", 0)), true), "/p/a 4");
        assert_eq!(step(Some(("/p/b", 0)), false), "/p/a 8");
        assert_eq!(step(Some(("/p/a", 2)), false), "/p/b 0");
    }
}
