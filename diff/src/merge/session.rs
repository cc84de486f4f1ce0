//! A conflict that is to be resolved in a window: the three versions, the file with its markers, and when it is done.
//!
//! Both `recto mergetool` and a conflict of the working tree begin here. The file holds git's own attempt, or what
//! somebody made of it already. A base that does not exist, because both sides added the file, is empty.
//!
//! The merge is the one that the file shows: in the style of its markers, which says how far conflicts are made smaller.
//!
//! Exit codes are those that git expects of a tool it trusts (`trustExitCode`): 0 if the file was saved and nothing in it
//! is left to resolve, else 1.

use editor::{Cancel, Cancelled, Text};

use super::markers::{self, MarkedConflict, MarkedConflicts, MarkerRules};
use super::{Draft, Labels, MarkerFormat, MarkerStyle, Merge, MergeOptions, Take};
use crate::engine::Algorithm;
use crate::lines::Content;

/// The contents a conflict is made of: what git's mergetool calls BASE, LOCAL, REMOTE and MERGED.
#[derive(Clone, Debug, Default)]
pub struct ConflictFiles {
    /// What both sides started from; empty if there is none.
    pub base: Content,
    /// The side that is merged into.
    pub ours: Content,
    /// The side that is merged.
    pub theirs: Content,
    /// The file to be resolved, as it lies there.
    pub merged: Content,
}

/// Where the work starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// The file is as git left it. These were its markers.
    Fresh(MarkerFormat),
    /// Somebody worked on it already: the conflicts left are those that its markers show.
    Continued,
}

/// A merge to be finished in a window.
#[derive(Clone, Debug)]
pub struct ConflictSession {
    files: ConflictFiles,
    merge: Merge,
    format: MarkerFormat,
    rules: MarkerRules,
    start: Start,
}

impl ConflictSession {
    /// Merges the versions and finds out what state the file is in.
    pub fn new(files: ConflictFiles, rules: MarkerRules, cancel: &Cancel) -> Result<Self, Cancelled> {
        let (merge, format, start) = match fresh(&files, rules, cancel)? {
            Some((merge, format)) => (merge, format.clone(), Start::Fresh(format)),
            None => {
                let format = guess(&files, rules);
                let options = MergeOptions::git_merge().with_style(format.style);
                let merge = Merge::new(&files.base, &files.ours, &files.theirs, &options, cancel)?;
                (merge, format, Start::Continued)
            }
        };
        Ok(Self { files, merge, format, rules, start })
    }

    /// How the file writes conflicts, or would.
    pub fn format(&self) -> &MarkerFormat {
        &self.format
    }

    /// What counts as a marker.
    pub fn rules(&self) -> MarkerRules {
        self.rules
    }

    /// Where the chunks stand in a text that was made of git's attempt.
    pub fn draft(&self, text: &Text, cancel: &Cancel) -> Result<Draft, Cancelled> {
        Draft::over(&self.merge, &self.takes(), &self.format, text, cancel)
    }

    /// Whether a conflict that markers show is left to resolve: a version may have had it in its text already.
    pub fn is_left(&self, text: &Text, conflict: &MarkedConflict) -> bool {
        let block = text.slice(conflict.all.clone());
        let sides = [&self.files.base, &self.files.ours, &self.files.theirs];
        !sides.iter().any(|side| memchr::memmem::find(side.bytes(), block.as_bytes()).is_some())
    }

    /// The three versions and their chunks.
    pub fn merge(&self) -> &Merge {
        &self.merge
    }

    /// The four contents.
    pub fn files(&self) -> &ConflictFiles {
        &self.files
    }

    /// Where the work starts. A file that somebody worked on is to be shown as it is.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// What stands for the chunks when the work starts.
    pub fn takes(&self) -> Vec<Option<Take>> {
        self.merge.accepted()
    }

    /// How many conflicts a text has left; ones that a version had in its text already are not counted.
    pub fn left(&self, text: &[u8]) -> usize {
        let sides = [&self.files.base, &self.files.ours, &self.files.theirs].map(|side| &**side.bytes());
        markers::left(text, self.rules, &sides)
    }

    /// The exit code, given what was saved last (none if nothing was) and how many conflicts are open without markers.
    pub fn exit_code(&self, saved: Option<&[u8]>, open: usize) -> u8 {
        match saved {
            Some(text) if open == 0 && self.left(text) == 0 => 0,
            _ => 1,
        }
    }
}

/// The merge and the markers that git wrote, if the file is just what it wrote: whatever the algorithm and style it was
/// told.
fn fresh(
    files: &ConflictFiles,
    rules: MarkerRules,
    cancel: &Cancel,
) -> Result<Option<(Merge, MarkerFormat)>, Cancelled> {
    let labels = guess(files, rules).labels;
    for algorithm in [Algorithm::Histogram, Algorithm::Myers] {
        for style in [MarkerStyle::Merge, MarkerStyle::Diff3, MarkerStyle::ZealousDiff3] {
            let options = MergeOptions { algorithm, ..MergeOptions::git_merge() }.with_style(style);
            let merge = Merge::new(&files.base, &files.ours, &files.theirs, &options, cancel)?;
            for crlf_without_base in [false, true] {
                let format = MarkerFormat { style, size: rules.size, labels: labels.clone(), crlf_without_base };
                if merge.compose(&merge.accepted(), &format).bytes == **files.merged.bytes() {
                    return Ok(Some((merge, format)));
                }
            }
        }
    }
    Ok(None)
}

/// How the first conflict in the file is written; the rest is taken to be the same.
fn guess(files: &ConflictFiles, rules: MarkerRules) -> MarkerFormat {
    let found = MarkedConflicts::of_bytes(files.merged.bytes(), rules);
    let plain = MarkerFormat { size: rules.size, ..MarkerFormat::default() };
    let Some(first) = found.list().first() else { return plain };
    let label =
        |range: &std::ops::Range<usize>| String::from_utf8_lossy(&files.merged.bytes()[range.clone()]).into_owned();
    let labels =
        Labels { ours: label(&first.ours_label), base: label(&first.base_label), theirs: label(&first.theirs_label) };
    let style = if first.base.is_some() { MarkerStyle::Diff3 } else { MarkerStyle::Merge };
    MarkerFormat { style, labels, ..plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> Content {
        Content::new(text.as_bytes()).unwrap()
    }

    fn session(merged: &str) -> ConflictSession {
        let files = ConflictFiles {
            base: content("a\nb\nc\n"),
            ours: content("a\nB\nc\n"),
            theirs: content("a\nx\nc\n"),
            merged: content(merged),
        };
        ConflictSession::new(files, MarkerRules::default(), &Cancel::new()).unwrap()
    }

    const MARKED: &str = "a\n<<<<<<< HEAD\nB\n||||||| base\nb\n=======\nx\n>>>>>>> topic\nc\n";

    #[test]
    fn a_file_as_git_left_it_starts_afresh_with_its_style_and_labels() {
        let Start::Fresh(format) = session(MARKED).start().clone() else { panic!("it is fresh") };
        assert_eq!(format.style, MarkerStyle::Diff3);
        let labels = Labels { ours: "HEAD".into(), base: "base".into(), theirs: "topic".into() };
        assert_eq!(format.labels, labels);
    }

    #[test]
    fn a_file_somebody_worked_on_is_gone_on_with() {
        assert_eq!(session("a\nhalf done\nc\n").start(), &Start::Continued);
        assert_eq!(session(&MARKED.replace("c\n", "see\n")).start(), &Start::Continued);
    }

    #[test]
    fn the_merge_has_the_conflicts_that_the_file_shows() {
        let files = ConflictFiles {
            base: content("a\nb\nc\n"),
            ours: content("a\nsame\nB\nc\n"),
            theirs: content("a\nsame\nx\nc\n"),
            merged: Content::default(),
        };
        let conflict = |style| {
            let options = MergeOptions::git_merge().with_style(style);
            let merge = Merge::new(&files.base, &files.ours, &files.theirs, &options, &Cancel::new()).unwrap();
            let format = MarkerFormat { style, ..MarkerFormat::default() };
            let format =
                MarkerFormat { labels: Labels { ours: "O".into(), base: "B".into(), theirs: "T".into() }, ..format };
            let merged = Content::new(merge.compose(&merge.accepted(), &format).bytes).unwrap();
            let session =
                ConflictSession::new(ConflictFiles { merged, ..files.clone() }, MarkerRules::default(), &Cancel::new())
                    .unwrap();
            assert_eq!((session.start(), session.format().style), (&Start::Fresh(session.format().clone()), style));
            let chunk = session.merge().chunks().iter().find(|chunk| chunk.is_conflict()).unwrap();
            chunk.ours.clone()
        };
        assert_eq!(conflict(MarkerStyle::Merge), 2..3);
        assert_eq!(conflict(MarkerStyle::Diff3), 1..3, "with the base a conflict stays whole");
    }

    #[test]
    fn exit_is_0_only_when_something_without_conflicts_was_saved() {
        let session = session(MARKED);
        assert_eq!(session.exit_code(None, 0), 1, "nothing was saved");
        assert_eq!(session.exit_code(Some(MARKED.as_bytes()), 0), 1, "markers are left");
        assert_eq!(session.exit_code(Some(b"a\nb\nc\n"), 1), 1, "a conflict without markers is open");
        assert_eq!(session.exit_code(Some(b"a\nboth\nc\n"), 0), 0);
    }
}
