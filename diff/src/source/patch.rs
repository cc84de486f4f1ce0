//! A patch as a comparison: what it tells of each file, as texts with its own line numbers.
//!
//! A patch tells some lines of a file and how many lie between them. The others are stood in for by *fillers*, the same
//! on both sides and unlike any line of a file, so that lines have their numbers and nothing is compared with what is not
//! known. Which lines are told is kept beside the text; no other is ever shown.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::git::{Blob, BlobSource, Excerpt, FileChange, Mode, RepoPath, Status};
use crate::patch::parse::{LineKind, PatchFile, PatchHunk, Problem};
use crate::patch::{CombinedHunk, ParseError, Patch};

/// Lines that may be stood in for, in all files together. Numbers beyond that are a mistake, or meant to harm.
const FILLERS: u32 = 20_000_000;

/// The files of a patch, in order of paths; `name` is what a file is called that the patch does not name.
pub(super) fn changes(patch: &Patch<'_>, name: &str) -> Result<Vec<FileChange>, ParseError> {
    let mut fillers = 0;
    let mut changes = Vec::with_capacity(patch.files.len());
    for file in &patch.files {
        changes.push(change(file, name, &mut fillers)?);
    }
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(changes)
}

fn change(file: &PatchFile<'_>, name: &str, fillers: &mut u32) -> Result<FileChange, ParseError> {
    let own = || RepoPath::new(name.as_bytes());
    let path = |path: &Option<Cow<'_, [u8]>>| path.as_deref().map(RepoPath::new);
    let (old_path, new_path) = (path(&file.old_path), path(&file.new_path));
    let (old, new) = sides(&hunks(file), fillers)?;
    let blob = |side: Sparse, mode: Option<u32>| Blob {
        mode: mode_of(mode.or(file.new_mode).or(file.old_mode)),
        source: BlobSource::Excerpt(Arc::new(Excerpt {
            bytes: side.bytes.into(),
            told: side.told,
            binary: file.binary,
        })),
        size: None,
    };
    let is_added = file.added || old_path.is_none() && new_path.is_some();
    let is_deleted = file.deleted || new_path.is_none() && old_path.is_some();
    let old = (!is_added).then(|| blob(old, file.old_mode));
    let new = (!is_deleted).then(|| blob(new, file.new_mode));
    let shown = new_path.clone().or_else(|| old_path.clone()).unwrap_or_else(own);
    let mut change = FileChange::at(shown, old, new);
    if file.renamed || file.copied {
        change.status = if file.renamed { Status::Renamed } else { Status::Copied };
        change.similarity = file.similarity;
    }
    change.old_path = old_path.filter(|old| *old != change.path && !is_added);
    Ok(change)
}

/// What a mode in a patch is; a submodule's commits are lines of text there.
fn mode_of(mode: Option<u32>) -> Mode {
    match mode {
        Some(0o100_755) => Mode::Executable,
        Some(0o120_000) => Mode::Symlink,
        _ => Mode::File,
    }
}

/// One side of a file, and which of its lines are told.
#[derive(Default)]
struct Sparse {
    bytes: Vec<u8>,
    told: Vec<Range<u32>>,
    lines: u32,
}

impl Sparse {
    fn fill(&mut self, count: u32, first: u32) {
        for number in first..first + count {
            // Control characters alone: no text has such lines, and nobody finds one by searching.
            let digits = number.to_be_bytes().into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
            self.bytes.extend(digits.map(|digit| 0x10 + digit));
            self.bytes.push(b'\n');
        }
        self.lines += count;
    }

    fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.lines += 1;
    }
}

/// A hunk: the first line of the old side, and its lines.
type Told<'a> = (u32, Vec<(LineKind, Cow<'a, [u8]>)>);

/// The hunks of a file; a merge against several parents is told against the first of them.
fn hunks<'a>(file: &'a PatchFile<'_>) -> Vec<Told<'a>> {
    if !file.combined {
        let lines = |hunk: &'a PatchHunk<'_>| hunk.lines.iter().map(|line| (line.kind, Cow::Borrowed(line.text)));
        return file.hunks.iter().map(|hunk| (hunk.old.start, lines(hunk).collect())).collect();
    }
    let lines = |hunk: &'a CombinedHunk<'_>| {
        let lines = hunk.lines.iter().filter_map(|line| {
            let kind = match (line.in_parent(0), line.in_result) {
                (true, true) => LineKind::Context,
                (true, false) => LineKind::Removed,
                (false, true) => LineKind::Added,
                (false, false) => return None,
            };
            Some((kind, Cow::Owned([&*line.text, b"\n"].concat())))
        });
        lines.collect()
    };
    let start = |hunk: &CombinedHunk<'_>| hunk.parents.first().map_or(0, |lines| lines.start);
    file.combined_hunks.iter().map(|hunk| (start(hunk), lines(hunk))).collect()
}

/// Both sides of a file's hunks.
fn sides(hunks: &[Told<'_>], fillers: &mut u32) -> Result<(Sparse, Sparse), ParseError> {
    let (mut old, mut new) = (Sparse::default(), Sparse::default());
    for (start, lines) in hunks {
        // As many lines lie before it on both sides; where the numbers disagree, those of the old side count.
        let between = start.saturating_sub(old.lines);
        if between.min(FILLERS) + *fillers >= FILLERS {
            return Err(ParseError { line: 1, what: Problem::TooFar { line: start.saturating_add(1) } });
        }
        old.fill(between, *fillers);
        new.fill(between, *fillers);
        *fillers += between;
        let first = (old.lines, new.lines);
        for (kind, text) in lines {
            match kind {
                LineKind::Context => {
                    old.push(text);
                    new.push(text);
                }
                LineKind::Removed => old.push(text),
                LineKind::Added => new.push(text),
            }
        }
        old.told.push(first.0..old.lines);
        new.told.push(first.1..new.lines);
    }
    Ok((old, new))
}

#[cfg(test)]
mod tests {
    use crate::content::SideContent;
    use crate::engine::{Options, compare};
    use crate::git::{FileChange, Side, Status};
    use crate::source::{Comparison, Source};
    use editor::Cancel;

    fn changes(patch: &str) -> (Comparison, Vec<FileChange>) {
        let comparison = Comparison::of_patch("fix.patch", patch.as_bytes().to_vec()).unwrap();
        let changes = comparison.changes(&Cancel::new()).unwrap();
        (comparison, changes)
    }

    /// The hunks that comparing both sides gives, as `old start,len new start,len`, counted from 0.
    fn hunks(comparison: &Comparison, change: &FileChange) -> Vec<(u32, usize, u32, usize)> {
        let mut reader = comparison.reader();
        let [old, new] = [Side::Old, Side::New].map(|side| match reader.read(change, side).unwrap() {
            SideContent::Text(text) => text.content().unwrap(),
            _ => crate::lines::Content::default(),
        });
        let script = compare(&old, &new, &Options::default(), &Cancel::new()).unwrap();
        script.hunks.iter().map(|h| (h.old.start, h.old.len(), h.new.start, h.new.len())).collect()
    }

    #[test]
    fn lines_have_the_numbers_that_the_patch_tells() {
        let patch = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -10,3 +10,4 @@\n a\n-b\n+B\n+BB\n c\n\
                     @@ -100 +101 @@\n-old\n+new\n";
        let (comparison, changes) = changes(patch);
        assert_eq!(hunks(&comparison, &changes[0]), [(10, 1, 10, 2), (99, 1, 100, 1)]);
        assert_eq!(changes[0].told(Side::New), Some(&[9..13, 100..101][..]));
        assert_eq!(comparison.source(), &Source::Patch { name: "fix.patch".to_owned() });
    }

    #[test]
    fn blank_lines_at_the_edge_of_a_hunk_do_not_slide_into_what_is_not_told() {
        let patch = "--- a/x\n+++ b/x\n@@ -5,2 +5,1 @@\n-\n one\n@@ -20,1 +19,2 @@\n two\n+\n";
        let (comparison, changes) = changes(patch);
        assert_eq!(hunks(&comparison, &changes[0]), [(4, 1, 4, 0), (20, 0, 19, 1)]);
    }

    #[test]
    fn what_happened_to_files_is_told_by_their_headers() {
        let patch = "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
                     diff --git a/new b/new\nnew file mode 100755\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n\
                     diff --git a/old b/other\nsimilarity index 95%\nrename from old\nrename to other\n";
        let (_, changes) = changes(patch);
        let told: Vec<_> = changes.iter().map(|change| (change.path.to_string(), change.status)).collect();
        let expected = [("gone", Status::Deleted), ("new", Status::Added), ("other", Status::Renamed)];
        assert_eq!(told, expected.map(|(path, status)| (path.to_owned(), status)));
        assert_eq!(changes[1].new.as_ref().unwrap().mode.octal(), "100755");
        assert_eq!((changes[2].similarity, changes[2].path_of(Side::Old).to_string()), (Some(95), "old".to_owned()));
    }

    #[test]
    fn bare_hunks_are_called_as_the_patch_is() {
        let (_, changes) = changes("@@ -1 +1 @@\n-a\n+b\n");
        assert_eq!(changes[0].path.to_string(), "fix.patch");
    }

    #[test]
    fn numbers_out_of_reach_are_said_and_not_filled_up_to() {
        let patch = "--- a/x\n+++ b/x\n@@ -4000000000 +4000000000 @@\n-a\n+b\n";
        let error = Comparison::of_patch("x", patch.as_bytes().to_vec()).err().unwrap();
        let why = std::error::Error::source(&error).unwrap().to_string();
        assert!(why.contains("4000000000"), "{why}");
    }
}
