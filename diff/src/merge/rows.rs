//! Rows of a merge: which lines of ours, of the result and of theirs stand beside each other.
//!
//! A *band* is a run of rows that belong to one chunk, or to lines of the result that belong to none because they were
//! typed between chunks. The result is a text that markers may be in. A conflict whose markers are untouched is *folded*
//! unless it is asked to be seen as text: its lines are not among the rows, and what it is made of stands beside it.
//!
//! A line of the result belongs to the chunk in whose place its line ending is, so a line that was typed at its beginning
//! stays one line.
//!
//! Invariant: every line of ours and of theirs is in one row, and so is every line of the result that is not folded.

use std::ops::Range;

use editor::{Cancel, Text};

use super::markers::MarkedConflicts;
use super::{ChunkKind, Draft, Merge, PieceState, Version};
use crate::affix;
use crate::engine::{self, Options};
use crate::lines::Content;

/// Lines of an edited stretch that are compared to align them; more stand beside each other by number.
const COMPARED: usize = 5_000;

/// What a band is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BandKind {
    /// The same on all sides, or changed where no conflict was.
    Chunk(ChunkKind),
    /// A conflict whose markers are in the result, by its number among those.
    Open(usize),
    /// A conflict that was decided.
    Settled,
    /// Lines of the result that are of no side.
    Typed,
}

/// Rows that belong together. Line numbers count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Band {
    /// What it is.
    pub kind: BandKind,
    /// The chunk it belongs to, if any.
    pub chunk: Option<usize>,
    /// Lines of ours.
    pub ours: Range<u32>,
    /// Lines of the result, folded or not.
    pub result: Range<u32>,
    /// Lines of theirs.
    pub theirs: Range<u32>,
    /// Lines of the base, of a folded conflict that shows them.
    pub base: Range<u32>,
    /// Whether the lines of the result are not shown.
    pub folded: bool,
}

impl Band {
    /// How many rows it has.
    pub fn rows(&self) -> u32 {
        let result = if self.folded { 1 + len(&self.base) } else { len(&self.result) };
        result.max(len(&self.ours)).max(len(&self.theirs))
    }
}

/// A row: at most one line of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The band, by index.
    pub band: usize,
    /// Which row of the band.
    pub offset: u32,
    /// A line of ours.
    pub ours: Option<u32>,
    /// A line of the result.
    pub result: Option<u32>,
    /// A line of theirs.
    pub theirs: Option<u32>,
    /// A line of the base.
    pub base: Option<u32>,
}

/// What of conflicts is shown.
pub struct Shown<'a> {
    /// Conflicts that are open.
    pub marks: &'a MarkedConflicts,
    /// Which of them are left to resolve, by number, ascending.
    pub open: &'a [usize],
    /// Whether the markers of a chunk are seen as text.
    pub unfolded: &'a dyn Fn(usize) -> bool,
    /// Whether folded conflicts show the base.
    pub base: bool,
}

/// All rows.
#[derive(Clone, Debug, Default)]
pub struct MergeRows {
    bands: Vec<Band>,
    /// The first row of each band, and one past the last of all.
    starts: Vec<u32>,
}

impl MergeRows {
    /// Lays out a result. O(chunks), and O(n) in what was typed within chunks.
    pub fn new(merge: &Merge, draft: &Draft, text: &Text, shown: &Shown<'_>) -> Self {
        let mut rows = Builder { merge, draft, text, shown, bands: Vec::new(), line: 0 };
        // A last line without ending is in the place that reaches the end of the text, if that holds anything of it.
        let lines = if text.len() == text.line_start(text.last_line()) { text.last_line() } else { text.line_count() };
        for chunk in 0..merge.chunks().len() {
            let Some(place) = draft.place(chunk) else { continue };
            let first = text.line_of(place.start);
            let mut end = text.line_of(place.end).max(first);
            if place.end == text.len() && !place.is_empty() {
                end = lines;
            }
            rows.push_typed(first.min(lines));
            rows.push_chunk(chunk, rows.line..end.min(lines).max(rows.line));
        }
        rows.push_typed(lines);
        let mut starts = Vec::with_capacity(rows.bands.len() + 1);
        let mut total = 0;
        for band in &rows.bands {
            starts.push(total);
            total += band.rows();
        }
        starts.push(total);
        Self { bands: rows.bands, starts }
    }

    /// How many rows there are.
    pub fn total(&self) -> u32 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// All bands, from top to bottom.
    pub fn bands(&self) -> &[Band] {
        &self.bands
    }

    /// The rows of a band.
    pub fn rows_of(&self, band: usize) -> Range<u32> {
        match (self.starts.get(band), self.starts.get(band + 1)) {
            (Some(&start), Some(&end)) => start..end,
            _ => self.total()..self.total(),
        }
    }

    /// The row of a number.
    pub fn row(&self, row: u32) -> Option<Row> {
        if row >= self.total() {
            return None;
        }
        let at = self.starts.partition_point(|&start| start <= row) - 1;
        let band = &self.bands[at];
        let offset = row - self.starts[at];
        let nth = |lines: &Range<u32>, n: u32| (n < len(lines)).then(|| lines.start + n);
        let base = offset.checked_sub(1).filter(|_| band.folded).and_then(|n| nth(&band.base, n));
        let result = if band.folded { None } else { nth(&band.result, offset) };
        Some(Row { band: at, offset, ours: nth(&band.ours, offset), result, theirs: nth(&band.theirs, offset), base })
    }

    /// The row in which a line of the result is; of a folded one, that of its conflict.
    pub fn row_of_line(&self, line: u32) -> u32 {
        // Bands without lines of the result do not end after it either, so they are passed over.
        let at = self.bands.partition_point(|band| band.result.end <= line);
        match self.bands.get(at) {
            Some(band) if band.folded => self.starts[at],
            Some(band) => self.starts[at] + line.saturating_sub(band.result.start),
            None => self.total(),
        }
    }

    /// The band in which a line of the result is.
    pub fn band_of_line(&self, line: u32) -> Option<usize> {
        let at = self.bands.partition_point(|band| band.result.end <= line);
        (at < self.bands.len()).then_some(at)
    }

    /// The line of the result that is in a row, or the next one that is.
    pub fn line_near(&self, row: u32) -> Option<u32> {
        let here = self.row(row.min(self.total().checked_sub(1)?))?;
        let band = &self.bands[here.band];
        Some(here.result.unwrap_or(if band.folded { band.result.start } else { band.result.end }))
    }

    /// The band of an open conflict.
    pub fn band_of(&self, conflict: usize) -> Option<usize> {
        self.bands.iter().position(|band| band.kind == BandKind::Open(conflict))
    }
}

fn len(lines: &Range<u32>) -> u32 {
    lines.end - lines.start
}

struct Builder<'a> {
    merge: &'a Merge,
    draft: &'a Draft,
    text: &'a Text,
    shown: &'a Shown<'a>,
    bands: Vec<Band>,
    /// The first line of the result that is in no band yet.
    line: u32,
}

impl Builder<'_> {
    /// Lines of no chunk, up to `end`.
    fn push_typed(&mut self, end: u32) {
        if self.line < end {
            let (ours, theirs) = self.bands.last().map_or((0, 0), |last| (last.ours.end, last.theirs.end));
            self.bands.push(Band {
                kind: self.open_in(self.line..end).map_or(BandKind::Typed, BandKind::Open),
                chunk: None,
                ours: ours..ours,
                result: self.line..end,
                theirs: theirs..theirs,
                base: 0..0,
                folded: false,
            });
            self.line = end;
        }
    }

    fn push_chunk(&mut self, at: usize, result: Range<u32>) {
        self.line = result.end;
        let chunk = &self.merge.chunks()[at];
        let open = if chunk.is_conflict() { self.open_in(result.clone()) } else { None };
        let kind = match open {
            Some(conflict) => BandKind::Open(conflict),
            None if chunk.is_conflict() => BandKind::Settled,
            None => BandKind::Chunk(chunk.kind),
        };
        let folded = open.is_some_and(|conflict| self.is_whole(conflict, &result)) && !(self.shown.unfolded)(at);
        let base = if folded && self.shown.base { chunk.base.clone() } else { 0..0 };
        let (ours, theirs) = (chunk.ours.clone(), chunk.theirs.clone());
        let band = Band { kind, chunk: Some(at), ours, result, theirs, base, folded };
        let agreed = matches!(chunk.kind, ChunkKind::Unchanged | ChunkKind::Both);
        match self.draft.state(at) {
            Some(PieceState::Edited) if agreed => self.push_edited(&band),
            _ if band.rows() > 0 => self.bands.push(band),
            _ => {}
        }
    }

    /// The first open conflict that begins on some lines.
    fn open_in(&self, lines: Range<u32>) -> Option<usize> {
        let (start, end) = (self.text.line_start(lines.start), self.text.line_start(lines.end));
        let begins = |number: usize| self.shown.marks.list().get(number).map_or(usize::MAX, |mark| mark.all.start);
        let at = self.shown.open.partition_point(|&number| begins(number) < start);
        self.shown.open.get(at).copied().filter(|&number| begins(number) < end)
    }

    /// Whether a conflict is just these lines.
    fn is_whole(&self, conflict: usize, lines: &Range<u32>) -> bool {
        let Some(mark) = self.shown.marks.list().get(conflict) else { return false };
        mark.all == (self.text.line_start(lines.start)..self.text.line_start(lines.end))
    }

    /// A stretch in which both sides are the same and the result was typed into: it is aligned by what is the same still.
    fn push_edited(&mut self, band: &Band) {
        let ours = self.merge.content(Version::Ours).lines(band.ours.clone());
        let result = self.text.slice(self.text.line_start(band.result.start)..self.text.line_start(band.result.end));
        let Ok((before, after)) = Content::pair(ours, result.as_bytes()) else { return self.bands.push(band.clone()) };
        let mut at = (0, 0);
        let piece = |old: Range<u32>, new: Range<u32>| Band {
            ours: band.ours.start + old.start..band.ours.start + old.end,
            result: band.result.start + new.start..band.result.start + new.end,
            theirs: band.theirs.start + old.start..band.theirs.start + old.end,
            ..band.clone()
        };
        for (old, new) in hunks(&before, &after) {
            let bands = [
                piece(at.0..old.start, at.1..new.start),
                Band { kind: BandKind::Typed, ..piece(old.clone(), new.clone()) },
            ];
            self.bands.extend(bands.into_iter().filter(|band| band.rows() > 0));
            at = (old.end, new.end);
        }
        let last = piece(at.0..before.line_count(), at.1..after.line_count());
        if last.rows() > 0 {
            self.bands.push(last);
        }
    }
}

/// Where two texts differ, by lines.
fn hunks(before: &Content, after: &Content) -> Vec<(Range<u32>, Range<u32>)> {
    if **before.bytes() == **after.bytes() {
        return Vec::new();
    }
    if (before.line_count().max(after.line_count()) as usize) > COMPARED {
        let common = affix::Common::of(before.bytes(), after.bytes());
        let prefix = before.line_of(common.prefix).min(after.line_of(common.prefix));
        let rest = (before.line_count() - prefix).min(after.line_count() - prefix);
        let same = |n: &u32| before.line(before.line_count() - n) == after.line(after.line_count() - n);
        let suffix = (1..=rest).take_while(same).count() as u32;
        return vec![(prefix..before.line_count() - suffix, prefix..after.line_count() - suffix)];
    }
    match engine::compare(before, after, &Options::default(), &Cancel::new()) {
        Ok(script) => script.hunks.into_iter().map(|hunk| (hunk.old, hunk.new)).collect(),
        Err(_) => vec![(0..before.line_count(), 0..after.line_count())],
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::merge::markers::MarkerRules;
    use crate::merge::{MarkerFormat, MergeOptions};

    fn merge(base: &str, ours: &str, theirs: &str) -> Merge {
        let content = |text: &str| Content::new(text.as_bytes()).unwrap();
        let (base, ours, theirs) = (content(base), content(ours), content(theirs));
        Merge::new(&base, &ours, &theirs, &MergeOptions::git_merge(), &Cancel::new()).unwrap()
    }

    struct Desk {
        merge: Merge,
        draft: Draft,
        text: Text,
    }

    impl Desk {
        fn new(base: &str, ours: &str, theirs: &str) -> Self {
            let merge = merge(base, ours, theirs);
            let format = MarkerFormat::default();
            let (draft, bytes) = Draft::start(&merge, &merge.accepted(), Some(&format));
            Self { merge, draft, text: Text::from(String::from_utf8(bytes).unwrap().as_str()) }
        }

        fn edit(&mut self, range: Range<usize>, insert: &str) {
            let changes = editor::ChangeSet::from_edits(self.text.len(), [(range, insert)]);
            self.text = changes.apply(&self.text);
            self.draft.follow(&changes);
        }

        fn rows(&self, unfolded: bool, base: bool) -> MergeRows {
            let marks =
                MarkedConflicts::of_text(&self.text, MarkerRules { unlabelled: true, ..MarkerRules::default() });
            let open: Vec<usize> = (0..marks.list().len()).collect();
            let shown = Shown { marks: &marks, open: &open, unfolded: &|_| unfolded, base };
            MergeRows::new(&self.merge, &self.draft, &self.text, &shown)
        }

        /// Every row, as `ours|result|theirs`.
        fn drawn(&self, unfolded: bool) -> String {
            let rows = self.rows(unfolded, false);
            let mut out = String::new();
            for n in 0..rows.total() {
                let row = rows.row(n).unwrap();
                let side = |version: Version, line: Option<u32>| {
                    line.map_or(String::new(), |line| {
                        String::from_utf8_lossy(self.merge.content(version).line_text(line)).into_owned()
                    })
                };
                let folded = rows.bands()[row.band].folded && row.offset == 0;
                let result = match row.result {
                    Some(line) => self.text.line(line).into_owned(),
                    None if folded => "?".to_owned(),
                    None => String::new(),
                };
                out += &format!("{}|{result}|{}\n", side(Version::Ours, row.ours), side(Version::Theirs, row.theirs));
            }
            out
        }
    }

    #[test]
    fn a_folded_conflict_is_as_high_as_its_longer_side() {
        let desk = Desk::new("a\nb\nc\nd\n", "a\nB\nc\nd\n", "a\nx\ny\nc\nD\n");
        assert_eq!(desk.drawn(false), "a|a|a\nB|?|x\n||y\nc|c|c\nd|D|D\n");
        let rows = desk.rows(false, true);
        let band = rows.bands().iter().find(|band| band.folded).unwrap();
        assert_eq!((band.base.clone(), band.rows()), (1..2, 2), "the base is below what says that it is a conflict");
    }

    #[test]
    fn an_unfolded_conflict_is_its_markers() {
        let desk = Desk::new("a\nb\nc\n", "a\nB\nc\n", "a\nx\nc\n");
        assert_eq!(desk.drawn(true), "a|a|a\nB|<<<<<<<|x\n|B|\n|=======|\n|x|\n|>>>>>>>|\nc|c|c\n");
    }

    #[test]
    fn what_is_typed_into_equal_lines_leaves_the_others_aligned() {
        let mut desk = Desk::new("1\n2\n3\n4\n5\n", "1\n2\n3\n4\n5\n", "1\n2\n3\n4\nV\n");
        desk.edit(4..4, "new\n");
        assert_eq!(desk.drawn(false), "1|1|1\n2|2|2\n|new|\n3|3|3\n4|4|4\n5|V|V\n");
        desk.edit(0..0, "top\n");
        assert_eq!(desk.drawn(false), "|top|\n1|1|1\n2|2|2\n|new|\n3|3|3\n4|4|4\n5|V|V\n");
        desk.edit(4..4, "x");
        assert_eq!(desk.drawn(false), "|top|\n1|x1|1\n2|2|2\n|new|\n3|3|3\n4|4|4\n5|V|V\n");
    }

    #[test]
    fn lines_are_found_by_row_and_rows_by_line() {
        let desk = Desk::new("a\nb\nc\n", "a\nB\nc\n", "a\nx\ny\nz\nc\n");
        let rows = desk.rows(false, false);
        assert_eq!(rows.total(), 5);
        assert_eq!([rows.row_of_line(0), rows.row_of_line(1), rows.row_of_line(5)], [0, 1, 1]);
        let last = desk.text.line_count() - 2;
        assert_eq!((rows.row_of_line(last), rows.line_near(4)), (4, Some(last)));
        assert_eq!(rows.line_near(2), Some(1));
    }

    fn text() -> impl Strategy<Value = String> {
        (proptest::collection::vec("[a-d]\n", 0..12), "[a-d]?").prop_map(|(lines, last)| lines.concat() + &last)
    }

    proptest! {
        #[test]
        fn every_line_is_in_one_row(
            base in text(), ours in text(), theirs in text(), unfolded: bool,
            edits in proptest::collection::vec((any::<prop::sample::Index>(), 0..6usize, "[a-d\n]{0,4}"), 0..6),
        ) {
            let mut desk = Desk::new(&base, &ours, &theirs);
            for (at, remove, insert) in edits {
                let start = at.index(desk.text.len() + 1);
                desk.edit(start..(start + remove).min(desk.text.len()), &insert);
            }
            let rows = desk.rows(unfolded, false);
            let all: Vec<_> = (0..rows.total()).filter_map(|n| rows.row(n)).collect();
            prop_assert_eq!(all.len(), rows.total() as usize);
            let count = |version: Version| desk.merge.content(version).line_count();
            let lines = |of: fn(&Row) -> Option<u32>| all.iter().filter_map(of).collect::<Vec<_>>();
            prop_assert_eq!(lines(|row| row.ours), (0..count(Version::Ours)).collect::<Vec<_>>());
            prop_assert_eq!(lines(|row| row.theirs), (0..count(Version::Theirs)).collect::<Vec<_>>());
            let folded = |line: &u32| rows.bands().iter().any(|band| band.folded && band.result.contains(line));
            let text = &desk.text;
            let last = text.line_count() - u32::from(text.line_start(text.last_line()) == text.len());
            let shown: Vec<_> = (0..last).filter(|line| !folded(line)).collect();
            prop_assert_eq!(lines(|row| row.result), shown);
        }
    }
}
