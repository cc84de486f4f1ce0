//! Change sets: the only way a text becomes another one.
//!
//! A [`ChangeSet`] says which ranges of a text of a known length are replaced by what. It can be applied, inverted
//! (that is undo), put after another (that is a group), and it maps offsets: whatever holds a position goes through
//! the same change set as the text.
//!
//! Invariant: the replacements are sorted and apart (between two of them at least one byte is kept), and each of them
//! does something. So two change sets that keep and insert the same bytes are equal.

use std::borrow::Cow;
use std::ops::Range;

use crate::selection::Selections;
use crate::text::Text;

/// Which side of inserted or replaced text an offset goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bias {
    /// Stays before what is inserted at it.
    Before,
    /// Moves after what is inserted at it.
    After,
}

/// One replacement of a [`ChangeSet`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit<'a> {
    /// What is replaced, in the text before.
    pub old: Range<usize>,
    /// Where the replacement stands, in the text after.
    pub new: Range<usize>,
    /// The replacement.
    pub insert: &'a str,
}

/// One replacement: `deleted` bytes at `old` become `inserted` bytes at `new`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Replace {
    old: usize,
    deleted: usize,
    new: usize,
    inserted: usize,
    /// Where its text starts in [`ChangeSet::inserted`].
    text: usize,
}

impl Replace {
    fn old_range(&self) -> Range<usize> {
        self.old..self.old + self.deleted
    }

    fn new_range(&self) -> Range<usize> {
        self.new..self.new + self.inserted
    }
}

/// A change of a text of [`len_before`](Self::len_before) bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeSet {
    len_before: usize,
    len_after: usize,
    replaces: Vec<Replace>,
    /// All inserted texts one after the other: a thousand cursors cost one allocation.
    inserted: String,
}

impl ChangeSet {
    /// The change that changes nothing in a text of `len` bytes.
    pub fn identity(len: usize) -> Self {
        Self { len_before: len, len_after: len, ..Self::default() }
    }

    /// Replaces ranges of a text of `len` bytes. The edits are sorted and do not overlap; several insertions at one
    /// place are made in the order given. What reaches past the end or back over an earlier edit is cut off.
    pub fn from_edits<S: AsRef<str>>(len: usize, edits: impl IntoIterator<Item = (Range<usize>, S)>) -> Self {
        let mut builder = Builder::default();
        for (range, insert) in edits {
            debug_assert!(builder.read <= range.start && range.start <= range.end && range.end <= len);
            let start = range.start.clamp(builder.read, len.max(builder.read));
            let end = range.end.clamp(start, len.max(start));
            builder.retain(start - builder.read);
            builder.delete(end - start);
            builder.insert(insert.as_ref());
        }
        builder.finish(len)
    }

    /// The whole of a text of `len` bytes replaced by `insert`.
    pub fn replace_all(len: usize, insert: &str) -> Self {
        Self::from_edits(len, [(0..len, insert)])
    }

    /// Length of the text it applies to.
    pub fn len_before(&self) -> usize {
        self.len_before
    }

    /// Length of the text it makes.
    pub fn len_after(&self) -> usize {
        self.len_after
    }

    /// One replacement that makes `new` of `old`: all but the common beginning and end.
    pub fn between(old: &Text, new: &Text) -> Self {
        let shorter = old.len().min(new.len());
        let prefix = forwards(old).zip(forwards(new)).take_while(|(a, b)| a == b).count();
        // Equal bytes begin equal characters, but the last one may be equal in part only.
        let prefix = old.floor_char(prefix).min(new.floor_char(prefix));
        let suffix = backwards(old).zip(backwards(new)).take(shorter - prefix).take_while(|(a, b)| a == b).count();
        let (mut old_end, mut new_end) = (old.len() - suffix, new.len() - suffix);
        // A character of which only the last bytes agree belongs to the difference.
        while old_end < old.len() && !(old.is_char_boundary(old_end) && new.is_char_boundary(new_end)) {
            (old_end, new_end) = (old_end + 1, new_end + 1);
        }
        Self::from_edits(old.len(), [(prefix..old_end, new.slice(prefix..new_end))])
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.replaces.is_empty()
    }

    /// The replacements, from the start of the text to its end.
    pub fn edits(&self) -> impl DoubleEndedIterator<Item = Edit<'_>> + ExactSizeIterator + Clone {
        self.replaces.iter().map(|replace| self.edit(replace))
    }

    fn edit(&self, replace: &Replace) -> Edit<'_> {
        Edit {
            old: replace.old_range(),
            new: replace.new_range(),
            insert: &self.inserted[replace.text..replace.text + replace.inserted],
        }
    }

    /// Whether it can be applied to `text`: the lengths agree, and every offset is on a `char` boundary. For changes
    /// that come from outside.
    pub fn fits(&self, text: &Text) -> bool {
        self.len_before == text.len()
            && self.edits().all(|edit| text.is_char_boundary(edit.old.start) && text.is_char_boundary(edit.old.end))
    }

    /// The text after the change. The change must be one of this text; see [`fits`](Self::fits).
    pub fn apply(&self, text: &Text) -> Text {
        debug_assert!(self.fits(text));
        if self.is_empty() {
            return text.clone();
        }
        // Each edit in place costs about a microsecond and keeps what it does not touch shared; when most leaves are
        // touched anyway, building anew costs less.
        if self.replaces.len() > 64 && self.replaces.len() * 512 > text.len() {
            return self.rebuild(text);
        }
        text.edited(self.edits().map(|edit| (edit.old, edit.insert)))
    }

    fn rebuild(&self, text: &Text) -> Text {
        let mut pieces = Vec::with_capacity(self.replaces.len() * 3);
        let mut kept = 0;
        for edit in self.edits() {
            pieces.extend(text.chunks(kept..edit.old.start));
            pieces.push(edit.insert);
            kept = edit.old.end;
        }
        pieces.extend(text.chunks(kept..text.len()));
        pieces.into_iter().collect()
    }

    /// The change that takes the text after back to `before`.
    #[must_use]
    pub fn invert(&self, before: &Text) -> Self {
        let mut inserted = String::with_capacity(self.replaces.iter().map(|replace| replace.deleted).sum());
        let replaces = self
            .replaces
            .iter()
            .map(|replace| {
                let text = inserted.len();
                inserted.extend(before.chunks(replace.old_range()));
                Replace {
                    old: replace.new,
                    deleted: replace.inserted,
                    new: replace.old,
                    inserted: replace.deleted,
                    text,
                }
            })
            .collect();
        Self { len_before: self.len_after, len_after: self.len_before, replaces, inserted }
    }

    /// This change, then `next`, as one. `next` must be a change of the text that this one makes.
    #[must_use]
    pub fn compose(&self, next: &Self) -> Self {
        debug_assert_eq!(self.len_after, next.len_before);
        let mut builder = Builder::default();
        let mut first = self.steps();
        let mut second = next.steps();
        let (mut a, mut b) = (first.next(), second.next());
        loop {
            match (a, b) {
                // What the first deletes, the second never sees; what the second inserts, the first never saw.
                (Some(Step::Delete(n)), _) => {
                    builder.delete(n);
                    a = first.next();
                }
                (_, Some(Step::Insert(text))) => {
                    builder.insert(text);
                    b = second.next();
                }
                (None, _) | (_, None) => break,
                (Some(ours), Some(theirs)) => {
                    let n = ours.len().min(theirs.len());
                    match (ours, theirs) {
                        (Step::Retain(_), Step::Retain(_)) => builder.retain(n),
                        (Step::Retain(_), _) => builder.delete(n),
                        (Step::Insert(text), Step::Retain(_)) => builder.insert(&text[..n]),
                        _ => {}
                    }
                    a = ours.rest(n).or_else(|| first.next());
                    b = theirs.rest(n).or_else(|| second.next());
                }
            }
        }
        builder.finish(self.len_before)
    }

    /// Where `offset` of the text before is in the text after.
    ///
    /// An offset inside replaced text goes to the start or the end of the replacement, an offset at an edge of it stays
    /// at that edge, and one where text is inserted goes to the side that `bias` names. One past the end, from something
    /// that is out of date, is taken for the end. O(log n) in the edits.
    pub fn map(&self, offset: usize, bias: Bias) -> usize {
        let offset = offset.min(self.len_before);
        let after = self.replaces.partition_point(|replace| replace.old <= offset);
        let Some(replace) = after.checked_sub(1).map(|at| &self.replaces[at]) else { return offset };
        let (old, new) = (replace.old_range(), replace.new_range());
        if offset > old.end {
            return offset - old.end + new.end;
        }
        let to_start = match bias {
            _ if old.is_empty() => bias == Bias::Before,
            _ if offset == old.start => true,
            _ if offset == old.end => false,
            bias => bias == Bias::Before,
        };
        if to_start { new.start } else { new.end }
    }

    /// Maps a range; text inserted at its edges stays outside. A range whose text is gone becomes empty.
    pub fn map_range(&self, range: Range<usize>) -> Range<usize> {
        if range.is_empty() {
            let at = self.map(range.start, Bias::Before);
            return at..at;
        }
        let start = self.map(range.start, Bias::After);
        start..self.map(range.end, Bias::Before).max(start)
    }

    /// The smallest ranges, before and after, outside of which nothing changes; `None` when nothing does.
    pub fn extent(&self) -> Option<(Range<usize>, Range<usize>)> {
        let (first, last) = (self.replaces.first()?, self.replaces.last()?);
        Some((first.old..last.old_range().end, first.new..last.new_range().end))
    }

    /// About how much memory it holds.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.replaces.len() * size_of::<Replace>() + self.inserted.len()
    }

    fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        let mut kept = 0;
        let tail = self.len_before - self.replaces.last().map_or(0, |last| last.old_range().end);
        self.edits()
            .flat_map(move |edit| {
                let retain = edit.old.start - kept;
                kept = edit.old.end;
                [Step::Retain(retain), Step::Delete(edit.old.len()), Step::Insert(edit.insert)]
            })
            .chain([Step::Retain(tail)])
            .filter(|step| step.len() > 0)
    }
}

/// A change as a walk over the text before; what [`ChangeSet::compose`] interleaves.
#[derive(Clone, Copy)]
enum Step<'a> {
    Retain(usize),
    Delete(usize),
    Insert(&'a str),
}

impl Step<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Retain(n) | Self::Delete(n) => *n,
            Self::Insert(text) => text.len(),
        }
    }

    /// What is left when `n` bytes are done; `None` when nothing is.
    fn rest(self, n: usize) -> Option<Self> {
        let rest = match self {
            Self::Retain(all) => Self::Retain(all - n),
            Self::Delete(all) => Self::Delete(all - n),
            Self::Insert(text) => Self::Insert(&text[n..]),
        };
        (rest.len() > 0).then_some(rest)
    }
}

/// Builds a change set step by step and keeps its invariant.
#[derive(Default)]
struct Builder {
    /// Bytes of the text before that are dealt with, and of the text after that are made.
    read: usize,
    written: usize,
    /// Whether the last replacement may still grow: nothing was kept since.
    open: bool,
    replaces: Vec<Replace>,
    inserted: String,
}

impl Builder {
    fn retain(&mut self, n: usize) {
        self.read += n;
        self.written += n;
        self.open &= n == 0;
    }

    fn delete(&mut self, n: usize) {
        if n > 0
            && let Some(replace) = self.current()
        {
            replace.deleted += n;
            self.read += n;
        }
    }

    fn insert(&mut self, text: &str) {
        if !text.is_empty()
            && let Some(replace) = self.current()
        {
            replace.inserted += text.len();
            self.written += text.len();
            self.inserted.push_str(text);
        }
    }

    fn current(&mut self) -> Option<&mut Replace> {
        if !self.open {
            self.open = true;
            let (old, new, text) = (self.read, self.written, self.inserted.len());
            self.replaces.push(Replace { old, deleted: 0, new, inserted: 0, text });
        }
        self.replaces.last_mut()
    }

    fn finish(self, len_before: usize) -> ChangeSet {
        let len_after = self.written + (len_before - self.read);
        ChangeSet { len_before, len_after, replaces: self.replaces, inserted: self.inserted }
    }
}

/// A change with the selections that stand after it.
#[derive(Clone, Debug)]
pub struct Transaction {
    /// What happens to the text.
    pub changes: ChangeSet,
    /// The selections afterwards; `None` to map those there are.
    pub selections: Option<Selections>,
}

impl Transaction {
    /// A change that says nothing about selections.
    pub fn new(changes: ChangeSet) -> Self {
        Self { changes, selections: None }
    }

    /// The selections after it, given those before.
    pub fn selections_after<'a>(&'a self, before: &'a Selections) -> Cow<'a, Selections> {
        match &self.selections {
            Some(after) => Cow::Borrowed(after),
            None => Cow::Owned(before.map(&self.changes)),
        }
    }
}

impl From<ChangeSet> for Transaction {
    fn from(changes: ChangeSet) -> Self {
        Self::new(changes)
    }
}

fn forwards(text: &Text) -> impl Iterator<Item = u8> {
    text.chunks(0..text.len()).flat_map(str::bytes)
}

fn backwards(text: &Text) -> impl Iterator<Item = u8> {
    text.chunks_rev(0..text.len()).flat_map(|piece| piece.bytes().rev())
}

#[cfg(test)]
mod tests;
