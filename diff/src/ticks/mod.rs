//! What a reader has viewed, by content: ticks survive restarts and new rounds, and a file opens again only where it
//! changed.
//!
//! A file of a review has *parts*: each of its hunks, and a head if there is more to it than lines (a mode, a rename, a
//! binary content). A part is known by a hash of what is read in it: the path, the lines that went and came, and one line
//! on either side. Not by line numbers, nor by anything further away, so a hunk stays known while the rest of the file
//! changes. The neighbouring lines tell a short hunk (`+    return true;`) in one function from the same in another; they
//! cost nothing, as a change of a neighbour is a change of the hunk. Equal hunks with equal neighbours are told apart by
//! their order and number: if one more appears, all of them open again, as nobody can say which is new.
//!
//! A *pair* is both contents of a file, by the names git has for them. It is known before anything is read, so files that
//! were ticked as a whole are known at once. What a pair says holds for all of the file and goes before its parts.
//!
//! The path is the old one, where there is one: a file that is renamed between two rounds keeps its ticks, and its new
//! name is a part of its own. Hashes are git's, because a tick hides what it stands for: nobody should be able to make
//! another hunk that passes for one that was viewed.
//!
//! Others studied: GitHub and Gitea keep a tick for each path and drop it when the file's change differs at all; GitLab
//! hashes the file's change; Gerrit starts each patch set anew. None keeps the hunks that stayed.

use std::fmt;
use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::engine::{Hunk, Whitespace};
use crate::git::{FileChange, Pieces, Side, Status};
use crate::lines::Content;
use crate::notes::Note;

/// The name of something that is read, made from what it says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentId([u8; 20]);

impl ContentId {
    /// Takes twenty bytes, as they were stored.
    pub fn from_bytes(bytes: [u8; 20]) -> Self {
        Self(bytes)
    }

    /// The twenty bytes.
    pub fn as_bytes(&self) -> &[u8; 20] {
        &self.0
    }
}

impl fmt::Debug for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..6].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// What a reader said about something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// Read, and done with.
    Viewed,
    /// Read, and to be read again.
    ComeBack,
}

/// A mark that is set, or taken back.
pub type MarkChange = (ContentId, Option<Mark>);

/// What a file is known by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileIds {
    /// Both contents together, under the white-space mode of the comparison.
    pub pair: Option<ContentId>,
    /// The same with all white space shown, where that is another mode: whoever viewed this saw everything.
    pub exact: Option<ContentId>,
    /// What there is besides lines.
    pub head: Option<ContentId>,
    /// Each hunk, in order.
    pub hunks: Box<[ContentId]>,
}

impl FileIds {
    /// What is known of a file before it is read: the pair of its contents, if git has names for both.
    pub fn unread(change: &FileChange, whitespace: Whitespace) -> Self {
        let exact = (whitespace != Whitespace::Exact).then(|| pair(change, Whitespace::Exact)).flatten();
        Self { pair: pair(change, whitespace), exact, ..Self::default() }
    }

    /// The head, if there is one, and all hunks.
    pub fn parts(&self) -> impl Iterator<Item = ContentId> + '_ {
        self.head.iter().chain(&self.hunks).copied()
    }
}

fn pair(change: &FileChange, whitespace: Whitespace) -> Option<ContentId> {
    let mut pieces = Pieces::new("pair");
    pieces.add(key_path(change)).add(change.path.as_bytes()).add(&[whitespace as u8]);
    for side in [Side::Old, Side::New] {
        match change.blob(side) {
            Some(blob) => pieces.add(blob.mode.octal().as_bytes()).add(blob.id()?.as_bytes()),
            None => pieces.add(b""),
        };
    }
    pieces.finish().map(ContentId)
}

/// The head of a file: what there is to see besides hunks. `contents` are those of a file that is not lines, or whose
/// lines are not shown; `has_hunks` is whether there is anything else.
pub fn head(change: &FileChange, notes: &[Note], contents: &[&[u8]], has_hunks: bool) -> Option<ContentId> {
    let mut pieces = Pieces::new("head");
    pieces.add(key_path(change));
    let mut says_something = !has_hunks;
    let mut add = |fact: &str| {
        pieces.add(fact.as_bytes());
        says_something = true;
    };
    if change.old_path.is_some() {
        add(&format!("{} to {:?}", change.status.name(), change.path));
    }
    match (&change.old, &change.new) {
        (Some(old), Some(new)) if old.mode != new.mode => add(&format!("{} to {}", old.mode.octal(), new.mode.octal())),
        // An ordinary file that is new says no more than its lines.
        (None, Some(new)) if new.mode.octal() != "100644" => add(new.mode.octal()),
        (Some(_), None) => add("deleted"),
        _ => {}
    }
    for note in notes {
        match note {
            Note::Bom(_) | Note::Encoding { .. } | Note::Submodule { .. } | Note::Empty(_) => add(&note.to_string()),
            // Said above, or seen in the lines.
            Note::Mode { .. }
            | Note::LineEndings { .. }
            | Note::FinalNewline(_)
            | Note::WhitespaceOnly
            | Note::Overlooked(_)
            | Note::Hidden(_)
            | Note::Symlink { .. } => {}
        }
    }
    if !says_something {
        return None;
    }
    for content in contents {
        pieces.add(content);
    }
    pieces.finish().map(ContentId)
}

/// That a file was viewed as a whole in a review, whatever it said then. `review` is what people call the review: a file
/// that was viewed in one and is another in the next round is worth a word, one that was viewed elsewhere is not.
pub fn viewed_once(review: &str, change: &FileChange) -> Option<ContentId> {
    let mut pieces = Pieces::new("viewed once");
    pieces.add(review.as_bytes()).add(key_path(change));
    pieces.finish().map(ContentId)
}

/// Each hunk of a script.
pub fn hunks(change: &FileChange, old: &Content, new: &Content, hunks: &[Hunk]) -> Option<Box<[ContentId]>> {
    let mut of_file = Pieces::new("hunk");
    of_file.add(key_path(change));
    let mut ids = Vec::with_capacity(hunks.len());
    let mut text = Vec::new();
    for hunk in hunks {
        let (before, behind) = (hunk.new.start.checked_sub(1), hunk.new.end);
        // Without the white space that may change with a mode.
        let before = before.map(|line| new.line(line).trim_ascii());
        let behind = (behind < new.line_count()).then(|| new.line(behind).trim_ascii());
        text.clear();
        for piece in [before, Some(old.lines(hunk.old.clone())), Some(new.lines(hunk.new.clone())), behind] {
            // A missing line is not a blank one.
            let length = piece.map_or(u32::MAX, |piece| piece.len() as u32);
            text.extend_from_slice(&length.to_le_bytes());
            text.extend_from_slice(piece.unwrap_or_default());
        }
        ids.push(ContentId(of_file.finish_with(&text)?));
    }
    number_equals(&mut ids)?;
    Some(ids.into())
}

/// Tells equal hunks apart: by which of how many they are.
fn number_equals(ids: &mut [ContentId]) -> Option<()> {
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    if sorted.windows(2).all(|pair| pair[0] != pair[1]) {
        return Some(());
    }
    let mut totals: FxHashMap<ContentId, u32> = FxHashMap::default();
    for id in sorted {
        *totals.entry(id).or_default() += 1;
    }
    let mut seen: FxHashMap<ContentId, u32> = FxHashMap::default();
    for id in ids {
        let total = totals.get(id).copied().unwrap_or(1);
        if total > 1 {
            let number = seen.entry(*id).or_default();
            *number += 1;
            let mut pieces = Pieces::new("equal hunk");
            pieces.add(id.as_bytes()).add(&number.to_le_bytes()).add(&total.to_le_bytes());
            *id = ContentId(pieces.finish()?);
        }
    }
    Some(())
}

/// The path a file is known by: the old one, so that ticks survive a rename; of a copy its own.
fn key_path(change: &FileChange) -> &[u8] {
    match change.status {
        Status::Copied => change.path.as_bytes(),
        _ => change.path_of(Side::Old).as_bytes(),
    }
}

/// How much of a file was viewed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Viewed {
    /// Nothing.
    #[default]
    No,
    /// Some parts: so many of so many.
    Part {
        /// Parts that were viewed.
        seen: u32,
        /// All parts.
        of: u32,
    },
    /// All of it.
    Yes,
    /// It, or a part of it, is to be read again.
    ComeBack,
}

/// How many of some hunks are marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarkSum {
    /// Those that were viewed.
    pub viewed: u32,
    /// Those that are to be read again.
    pub come_back: u32,
}

/// What was marked in a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks(FxHashMap<ContentId, Mark>);

impl Marks {
    /// What was said about something.
    pub fn get(&self, id: ContentId) -> Option<Mark> {
        self.0.get(&id).copied()
    }

    /// Sets a mark or takes it back.
    pub fn set(&mut self, (id, mark): MarkChange) {
        match mark {
            Some(mark) => self.0.insert(id, mark),
            None => self.0.remove(&id),
        };
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What was said about a part of a file, by itself or with the file.
    pub fn of_part(&self, ids: &FileIds, part: ContentId) -> Option<Mark> {
        self.whole(ids).or_else(|| self.get(part))
    }

    /// What was said of the hunks before each hunk of a file, and of all.
    pub fn sums(&self, ids: &FileIds) -> Box<[MarkSum]> {
        let mut sum = MarkSum::default();
        let mut sums = Vec::with_capacity(ids.hunks.len() + 1);
        sums.push(sum);
        for &hunk in &ids.hunks {
            match self.of_part(ids, hunk) {
                Some(Mark::Viewed) => sum.viewed += 1,
                Some(Mark::ComeBack) => sum.come_back += 1,
                None => {}
            }
            sums.push(sum);
        }
        sums.into()
    }

    /// What was said of a file as a whole.
    pub fn whole(&self, ids: &FileIds) -> Option<Mark> {
        ids.pair.into_iter().chain(ids.exact).find_map(|pair| self.get(pair))
    }

    /// How much of a file was viewed.
    pub fn viewed(&self, ids: &FileIds) -> Viewed {
        if let Some(mark) = self.whole(ids) {
            return if mark == Mark::Viewed { Viewed::Yes } else { Viewed::ComeBack };
        }
        let (mut seen, mut of) = (0, 0);
        for id in ids.parts() {
            of += 1;
            match self.get(id) {
                Some(Mark::ComeBack) => return Viewed::ComeBack,
                Some(Mark::Viewed) => seen += 1,
                None => {}
            }
        }
        match seen {
            0 => Viewed::No,
            _ if seen == of => Viewed::Yes,
            _ => Viewed::Part { seen, of },
        }
    }
}

impl FromIterator<(ContentId, Mark)> for Marks {
    fn from_iter<I: IntoIterator<Item = (ContentId, Mark)>>(marks: I) -> Self {
        Self(marks.into_iter().collect())
    }
}

impl Extend<MarkChange> for Marks {
    fn extend<I: IntoIterator<Item = MarkChange>>(&mut self, changes: I) {
        for change in changes {
            self.set(change);
        }
    }
}

/// What marking all of a file changes.
pub fn mark_file(ids: &FileIds, mark: Option<Mark>) -> Vec<MarkChange> {
    // Whoever viewed a file without its white space has not seen everything, but whoever has not viewed it has neither.
    let exact = ids.exact.filter(|_| mark.is_none());
    ids.pair.into_iter().chain(exact).chain(ids.parts()).map(|id| (id, mark)).collect()
}

/// What marking some hunks of a file changes, given what is marked. What was said of the whole is taken back and said of
/// the other parts instead.
pub fn mark_hunks(ids: &FileIds, hunks: Range<usize>, mark: Option<Mark>, marks: &Marks) -> Vec<MarkChange> {
    let Some(these) = ids.hunks.get(hunks.clone()) else { return Vec::new() };
    let mut changes: Vec<MarkChange> = these.iter().map(|&id| (id, mark)).collect();
    if let Some(whole) = marks.whole(ids) {
        changes.extend(ids.pair.into_iter().chain(ids.exact).map(|pair| (pair, None)));
        let others = ids.head.iter().chain(&ids.hunks[..hunks.start]).chain(&ids.hunks[hunks.end..]).copied();
        changes.extend(others.filter(|&id| marks.get(id) != Some(whole)).map(|id| (id, Some(whole))));
    }
    changes
}

/// How far a review has come: "7 of 12 viewed".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Files that were viewed.
    pub viewed: usize,
    /// Files to come back to.
    pub come_back: usize,
    /// All files.
    pub files: usize,
}

impl Progress {
    /// Follows a file from one state to another.
    pub(crate) fn add(&mut self, before: Viewed, now: Viewed) {
        let count = |state: Viewed, wanted: Viewed| usize::from(state == wanted);
        self.viewed = self.viewed - count(before, Viewed::Yes) + count(now, Viewed::Yes);
        self.come_back = self.come_back - count(before, Viewed::ComeBack) + count(now, Viewed::ComeBack);
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} viewed", self.viewed, self.files)
    }
}

#[cfg(test)]
mod tests;
