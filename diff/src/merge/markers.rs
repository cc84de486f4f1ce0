//! Conflict markers in a text: finding them, following them through edits, and what to replace to resolve a conflict.
//!
//! A *mark* is a line of a sign repeated: `<<<<<<< label`, `||||||| label`, `=======` or `>>>>>>> label`. Marks make a
//! *conflict* only together and in order. An underline of `=======`, a quotation or a mark whose partners are gone is
//! text. A conflict within a part of another one, as merging a file with markers makes it, belongs to the outer one.
//!
//! Marks are found once; an edit looks at the lines it touched and at no others. Putting marks together costs what there
//! are of them.

use std::borrow::Cow;
use std::ops::Range;

use editor::{Bias, ChangeSet, Text};

use super::Take;
use super::compose::MARKER_SIZE;
use crate::lines::Content;

/// What counts as a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkerRules {
    /// How many signs; other numbers are text. Attributes may say so (`conflict-marker-size`).
    pub size: usize,
    /// Whether the first and last mark may stand without label. Git always writes one; other programs may not.
    pub unlabelled: bool,
}

impl Default for MarkerRules {
    fn default() -> Self {
        Self { size: MARKER_SIZE, unlabelled: false }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Ours,
    Base,
    Separator,
    Theirs,
}

/// A line with a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mark {
    sign: Sign,
    /// With its line ending.
    line: Range<usize>,
    /// Whether it has one: the last line need not.
    ended: bool,
    label: Range<usize>,
}

/// A conflict as markers show it. Parts are whole lines, in bytes of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedConflict {
    /// All of it, markers included.
    pub all: Range<usize>,
    /// Ours.
    pub ours: Range<usize>,
    /// The base, if it is told.
    pub base: Option<Range<usize>>,
    /// Theirs.
    pub theirs: Range<usize>,
    /// What stands behind `<<<<<<<`.
    pub ours_label: Range<usize>,
    /// What stands behind `|||||||`.
    pub base_label: Range<usize>,
    /// What stands behind `>>>>>>>`.
    pub theirs_label: Range<usize>,
    /// Other lines than the one taken that may divide ours from theirs: `=======` within the text of a side. See
    /// [`MarkedConflict::settle`].
    pub other_separators: Vec<Range<usize>>,
}

impl MarkedConflict {
    /// What to replace in the text so that `take` stands in the place of the conflict, sorted; none if the base is wanted
    /// and not told. What stays is not touched, so that positions in it stay.
    pub fn replacements(&self, text: &Text, take: &Take) -> Option<Vec<(Range<usize>, String)>> {
        let delete = |range: Range<usize>| (range, String::new());
        let keep = |part: &Range<usize>| vec![delete(self.all.start..part.start), delete(part.end..self.all.end)];
        let edits = match take {
            Take::Ours => keep(&self.ours),
            Take::Theirs => keep(&self.theirs),
            Take::Base => keep(self.base.as_ref()?),
            Take::OursTheirs => vec![
                delete(self.all.start..self.ours.start),
                delete(self.ours.end..self.theirs.start),
                delete(self.theirs.end..self.all.end),
            ],
            Take::TheirsOurs => vec![
                (self.all.start..self.ours.start, text.slice(self.theirs.clone()).into_owned()),
                delete(self.ours.end..self.all.end),
            ],
            Take::Nothing => vec![delete(self.all.clone())],
            Take::Text(bytes) => vec![(self.all.clone(), String::from_utf8_lossy(bytes).into_owned())],
        };
        Some(edits.into_iter().filter(|(range, insert)| !range.is_empty() || !insert.is_empty()).collect())
    }

    /// Chooses the separator with which both parts are lines of the texts that were merged, where several may be it.
    /// Returns whether one was found.
    pub fn settle(&mut self, text: &Text, ours: &Content, theirs: &Content) -> bool {
        if self.other_separators.is_empty() {
            return true;
        }
        let first_end = self.base.as_ref().map_or(self.ours.end, |base| base.end);
        let mut candidates = std::mem::take(&mut self.other_separators);
        candidates.push(first_end..self.theirs.start);
        candidates.sort_by_key(|line| line.start);
        let fits = |line: &Range<usize>| {
            let own = if self.base.is_some() { self.ours.clone() } else { self.ours.start..line.start };
            let other = line.end..self.theirs.end;
            has_lines(ours, text.slice(own).as_bytes()) && has_lines(theirs, text.slice(other).as_bytes())
        };
        let found = candidates.iter().position(fits);
        let chosen = candidates.remove(found.unwrap_or(0));
        match &mut self.base {
            Some(base) => base.end = chosen.start,
            None => self.ours.end = chosen.start,
        }
        self.theirs.start = chosen.end;
        if found.is_none() {
            self.other_separators = candidates;
        }
        found.is_some()
    }
}

/// Whether `part` is a run of whole lines of a text; a final newline may be missing there, as markers add one.
fn has_lines(side: &Content, part: &[u8]) -> bool {
    let is_start = |at: usize| at == 0 || side.bytes()[at - 1] == b'\n';
    let bare = part.strip_suffix(b"\n").unwrap_or(part);
    let bare = bare.strip_suffix(b"\r").unwrap_or(bare);
    part.is_empty()
        || memchr::memmem::find_iter(side.bytes(), part).any(is_start)
        || side.ends_without_newline() && side.bytes().ends_with(bare) && is_start(side.len() - bare.len())
}

/// The conflicts of a text that may be edited.
#[derive(Clone, Debug, Default)]
pub struct MarkedConflicts {
    rules: MarkerRules,
    marks: Vec<Mark>,
    conflicts: Vec<MarkedConflict>,
}

impl MarkedConflicts {
    /// Looks through a text. One pass over its lines.
    pub fn of_text(text: &Text, rules: MarkerRules) -> Self {
        let mut found = Self { rules, ..Self::default() };
        found.marks = marks(text, 0..text.len(), &rules);
        found.conflicts = conflicts(&found.marks);
        found
    }

    /// Looks through bytes, whatever their encoding.
    pub fn of_bytes(bytes: &[u8], rules: MarkerRules) -> Self {
        let marks = marks(bytes, 0..bytes.len(), &rules);
        Self { rules, conflicts: conflicts(&marks), marks }
    }

    /// What counts as a mark.
    pub fn rules(&self) -> MarkerRules {
        self.rules
    }

    /// All conflicts, from top to bottom.
    pub fn list(&self) -> &[MarkedConflict] {
        &self.conflicts
    }

    /// The conflict that holds an offset.
    pub fn at(&self, offset: usize) -> Option<usize> {
        let at = self.conflicts.partition_point(|conflict| conflict.all.end <= offset);
        self.conflicts.get(at).is_some_and(|conflict| conflict.all.start <= offset).then_some(at)
    }

    /// The first conflict that begins behind an offset.
    pub fn next(&self, offset: usize) -> Option<usize> {
        let at = self.conflicts.partition_point(|conflict| conflict.all.start <= offset);
        (at < self.conflicts.len()).then_some(at)
    }

    /// The last conflict that begins before an offset.
    pub fn previous(&self, offset: usize) -> Option<usize> {
        self.conflicts.partition_point(|conflict| conflict.all.start < offset).checked_sub(1)
    }

    /// Follows a change of the text to `after`. Reads the lines that changed; O(marks) beyond that.
    pub fn follow(&mut self, changes: &ChangeSet, after: &Text) {
        if changes.is_empty() {
            return;
        }
        let mut kept = Vec::with_capacity(self.marks.len());
        let mut edits = changes.edits().peekable();
        for mark in self.marks.drain(..) {
            while edits.peek().is_some_and(|edit| edit.old.end < mark.line.start) {
                edits.next();
            }
            // An edit at the end of the line touches it if that is the end of the text without newline.
            let touched = edits
                .peek()
                .is_some_and(|edit| edit.old.start < mark.line.end || edit.old.start == mark.line.end && !mark.ended);
            if !touched {
                let by = changes.map(mark.line.start, Bias::After).wrapping_sub(mark.line.start);
                let moved = |range: Range<usize>| range.start.wrapping_add(by)..range.end.wrapping_add(by);
                kept.push(Mark { line: moved(mark.line), label: moved(mark.label), ..mark });
            }
        }
        let mut read_to = 0;
        for edit in changes.edits() {
            let start = after.line_start(after.line_of(edit.new.start)).max(read_to);
            let end = after.line_end_full(after.line_of(edit.new.end));
            if start < end {
                kept.extend(marks(after, start..end, &self.rules));
                read_to = end;
            }
        }
        kept.sort_by_key(|mark| mark.line.start);
        kept.dedup_by_key(|mark| mark.line.start);
        self.marks = kept;
        self.conflicts = conflicts(&self.marks);
    }
}

/// Conflicts that are in `text` and in none of the texts that were merged: those that are left to resolve. A file that
/// is about conflicts may have some of its own.
pub fn left(text: &[u8], rules: MarkerRules, sides: &[&[u8]]) -> usize {
    let found = MarkedConflicts::of_bytes(text, rules);
    let is_new = |conflict: &&MarkedConflict| {
        let block = &text[conflict.all.clone()];
        !sides.iter().any(|side| memchr::memmem::find(side, block).is_some())
    };
    found.list().iter().filter(is_new).count()
}

/// Where marks are looked for.
trait Bytes {
    fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = &[u8]>;
    fn part(&self, range: Range<usize>) -> Cow<'_, [u8]>;
    fn size(&self) -> usize;
}

impl Bytes for Text {
    fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = &[u8]> {
        self.chunks(range).map(str::as_bytes)
    }

    fn part(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        match self.slice(range) {
            Cow::Borrowed(part) => Cow::Borrowed(part.as_bytes()),
            Cow::Owned(part) => Cow::Owned(part.into_bytes()),
        }
    }

    fn size(&self) -> usize {
        self.len()
    }
}

impl Bytes for [u8] {
    fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = &[u8]> {
        std::iter::once(&self[range])
    }

    fn part(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self[range.start..range.end.min(self.len())])
    }

    fn size(&self) -> usize {
        self.len()
    }
}

/// The marks on the lines of `range`, which begins at the start of a line.
fn marks(text: &(impl Bytes + ?Sized), range: Range<usize>, rules: &MarkerRules) -> Vec<Mark> {
    let mut found = Vec::new();
    // A line that may be a mark, and how it goes on is not seen yet.
    let mut open: Option<(Sign, usize)> = None;
    let mut at = range.start;
    let mut starts_line = true;
    for piece in text.pieces(range.clone()) {
        let mut from = 0;
        while from < piece.len() {
            if starts_line {
                open = sign(piece[from]).map(|sign| (sign, at + from));
            }
            let newline = memchr::memchr(b'\n', &piece[from..]);
            let end = newline.map_or(piece.len(), |newline| from + newline + 1);
            starts_line = newline.is_some();
            if starts_line && let Some((sign, start)) = open.take() {
                found.extend(mark(text, sign, start..at + end, rules));
            }
            from = end;
        }
        at += piece.len();
    }
    if let Some((sign, start)) = open.filter(|_| !starts_line) {
        found.extend(mark(text, sign, start..at, rules));
    }
    found
}

fn sign(byte: u8) -> Option<Sign> {
    Some(match byte {
        b'<' => Sign::Ours,
        b'|' => Sign::Base,
        b'=' => Sign::Separator,
        b'>' => Sign::Theirs,
        _ => return None,
    })
}

/// The mark that a line is, if it is one.
fn mark(text: &(impl Bytes + ?Sized), sign: Sign, line: Range<usize>, rules: &MarkerRules) -> Option<Mark> {
    let size = rules.size.max(1);
    if line.len() < size {
        return None;
    }
    // Long lines are not copied to look at their beginning; a cut within a character is moved before it.
    let head = text.part(line.start..(line.start + size + 4).min(text.size()));
    let (signs, rest) = head.split_at(size.min(head.len()));
    if signs.len() < size || signs.iter().any(|&byte| byte != signs[0]) {
        return None;
    }
    let next = if line.len() > size { rest.first().copied() } else { None };
    let has_label = next == Some(b' ');
    let is_bare = matches!(next, None | Some(b'\n' | b'\r'));
    let fits = match sign {
        Sign::Ours | Sign::Theirs => has_label || rules.unlabelled && is_bare,
        Sign::Base | Sign::Separator => has_label || is_bare,
    };
    if !fits {
        return None;
    }
    let after = line.start + size..line.end;
    let label = text.part(after.clone());
    let label = &label[..label.len().min(after.len())];
    let content = label.trim_ascii();
    // White space alone may have been left behind a separator; text makes it a line like any other.
    if sign == Sign::Separator && !content.is_empty() {
        return None;
    }
    if matches!(sign, Sign::Ours | Sign::Theirs) && content.is_empty() && !rules.unlabelled {
        return None;
    }
    let start = after.start + label.len() - label.trim_ascii_start().len();
    let ended = label.ends_with(b"\n");
    Some(Mark { sign, line, ended, label: start..start + content.len() })
}

/// A conflict that has begun.
struct Begun<'a> {
    first: &'a Mark,
    /// Marks within it that are not of a conflict within it.
    bases: Vec<&'a Mark>,
    separators: Vec<&'a Mark>,
    /// Whole conflicts within it, which count if it turns out to be none.
    inner: Vec<MarkedConflict>,
}

/// Puts marks together.
fn conflicts(marks: &[Mark]) -> Vec<MarkedConflict> {
    let mut found = Vec::new();
    let mut begun: Vec<Begun<'_>> = Vec::new();
    for mark in marks {
        if mark.sign == Sign::Ours {
            begun.push(Begun { first: mark, bases: Vec::new(), separators: Vec::new(), inner: Vec::new() });
            continue;
        }
        let Some(innermost) = begun.last_mut() else { continue };
        match mark.sign {
            Sign::Ours => {}
            Sign::Base => innermost.bases.push(mark),
            Sign::Separator => innermost.separators.push(mark),
            // Without a separator it is a line of a part.
            Sign::Theirs if innermost.separators.is_empty() => {}
            Sign::Theirs => {
                let conflict = close(innermost, mark);
                begun.pop();
                match begun.last_mut() {
                    Some(outer) => outer.inner.push(conflict),
                    None => found.push(conflict),
                }
            }
        }
    }
    // What never ended is text; what is whole within it is not.
    found.extend(begun.into_iter().flat_map(|begun| begun.inner));
    found.sort_by_key(|conflict| conflict.all.start);
    found
}

fn close(begun: &Begun<'_>, last: &Mark) -> MarkedConflict {
    let first = begun.first;
    // The base is only told if a separator follows it; a separator before it is a line of ours.
    let last_separator = begun.separators.last().map_or(0, |separator| separator.line.start);
    let base = begun.bases.first().filter(|base| base.line.start < last_separator);
    let from = base.map_or(0, |base| base.line.end);
    let mut separators = begun.separators.iter().map(|mark| mark.line.clone()).filter(|line| line.start >= from);
    let separator = separators.next().unwrap_or(last.line.start..last.line.start);
    MarkedConflict {
        all: first.line.start..last.line.end,
        ours: first.line.end..base.map_or(separator.start, |base| base.line.start),
        base: base.map(|base| base.line.end..separator.start),
        theirs: separator.end..last.line.start,
        ours_label: first.label.clone(),
        base_label: base.map_or(0..0, |base| base.label.clone()),
        theirs_label: last.label.clone(),
        other_separators: separators.collect(),
    }
}

#[cfg(test)]
mod tests;
