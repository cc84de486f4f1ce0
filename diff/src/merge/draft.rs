//! The result of a merge while somebody works on it: a text, and where in it each chunk stands.
//!
//! The text itself is a document that belongs to whoever edits it. A [`Draft`] says what to replace in it when something
//! is taken for a chunk, and follows every change of it, typed ones included. What is typed at the edge of a chunk is of
//! no chunk; what is typed within one makes it *edited*.
//!
//! Invariant: places of chunks ascend and do not overlap.

use std::ops::Range;

use editor::{Bias, Cancel, Cancelled, ChangeSet, Text};

use super::{Composed, MarkerFormat, Merge, Take};
use crate::engine::{self, Options};
use crate::lines::Content;

/// What stands at the place of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PieceState {
    /// A conflict nobody decided: its markers, or the base, stand for it.
    Open,
    /// What was taken.
    Taken(Take),
    /// What somebody typed.
    Edited,
}

/// What to replace in the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// In bytes.
    pub range: Range<usize>,
    /// By what.
    pub text: Vec<u8>,
}

#[derive(Clone, Debug)]
struct Piece {
    place: Range<usize>,
    state: PieceState,
}

/// Where the chunks of a merge stand in its result. Cheap to clone, to be put back with an undo.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    pieces: Vec<Piece>,
}

impl Draft {
    /// Starts a result: its text, and the draft that follows it. Open conflicts are written with markers, or as their base.
    pub fn start(merge: &Merge, takes: &[Option<Take>], markers: Option<&MarkerFormat>) -> (Self, Vec<u8>) {
        let composed = match markers {
            Some(format) => merge.compose(takes, format),
            None => {
                let shown: Vec<_> = takes.iter().map(|take| Some(take.clone().unwrap_or(Take::Base))).collect();
                merge.compose(&shown, &MarkerFormat::default())
            }
        };
        let Composed { bytes, places, .. } = composed;
        let state = |take: Option<&Option<Take>>| take.cloned().flatten().map_or(PieceState::Open, PieceState::Taken);
        let pieces =
            places.into_iter().enumerate().map(|(at, place)| Piece { place, state: state(takes.get(at)) }).collect();
        (Self { pieces }, bytes)
    }

    /// Finds the chunks in a text that somebody made of the result with these takes: what is as it was written stands as
    /// it was taken, the rest is edited.
    pub fn over(
        merge: &Merge,
        takes: &[Option<Take>],
        markers: &MarkerFormat,
        text: &Text,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        let (mut draft, written) = Self::start(merge, takes, Some(markers));
        let now = text.to_string();
        if written == now.as_bytes() {
            return Ok(draft);
        }
        let whole = || ChangeSet::replace_all(written.len(), &now);
        let changes = match Content::pair(&*written, now.as_bytes()) {
            Ok((before, after)) => {
                let script = engine::compare(&before, &after, &Options::default(), cancel)?;
                let edits = script.hunks.iter().map(|hunk| {
                    let old = before.line_start(hunk.old.start)..before.line_start(hunk.old.end);
                    (old, &now[after.line_start(hunk.new.start)..after.line_start(hunk.new.end)])
                });
                ChangeSet::from_edits(written.len(), edits)
            }
            Err(_) => whole(),
        };
        draft.follow(&changes);
        Ok(draft)
    }

    /// What stands for a chunk; none for chunks that do not exist.
    pub fn state(&self, chunk: usize) -> Option<&PieceState> {
        Some(&self.pieces.get(chunk)?.state)
    }

    /// Where a chunk stands.
    pub fn place(&self, chunk: usize) -> Option<Range<usize>> {
        Some(self.pieces.get(chunk)?.place.clone())
    }

    /// The chunk that stands at an offset; of empty ones the first.
    pub fn chunk_at(&self, offset: usize) -> Option<usize> {
        let at = self.pieces.partition_point(|piece| piece.place.end < offset);
        let holds =
            |piece: &&Piece| piece.place.contains(&offset) || piece.place.is_empty() && piece.place.start == offset;
        let candidates = self.pieces[at..].iter().take_while(|piece| piece.place.start <= offset).enumerate();
        candidates.filter(|(_, piece)| holds(piece)).map(|(after, _)| at + after).next()
    }

    /// How many conflicts are open.
    pub fn open(&self) -> usize {
        self.pieces.iter().filter(|piece| piece.state == PieceState::Open).count()
    }

    /// The next open conflict after a chunk, or the first one from the top.
    pub fn next_open(&self, after: Option<usize>) -> Option<usize> {
        let from = after.map_or(0, |chunk| chunk + 1);
        (from..self.pieces.len()).find(|&chunk| self.pieces[chunk].state == PieceState::Open)
    }

    /// The last open conflict before a chunk, or the last of all.
    pub fn previous_open(&self, before: Option<usize>) -> Option<usize> {
        let to = before.unwrap_or(self.pieces.len()).min(self.pieces.len());
        (0..to).rev().find(|&chunk| self.pieces[chunk].state == PieceState::Open)
    }

    /// What to replace so that `take` stands for a chunk. When the document was changed so, tell [`Draft::took`].
    pub fn replacement(&self, merge: &Merge, chunk: usize, take: &Take) -> Option<Replacement> {
        let piece = self.pieces.get(chunk)?;
        Some(Replacement { range: piece.place.clone(), text: merge.taken(merge.chunks().get(chunk)?, take) })
    }

    /// Follows the change that put `take` in the place of a chunk, and notes it.
    pub fn took(&mut self, chunk: usize, take: Take, changes: &ChangeSet) {
        let before = self.place(chunk);
        self.follow(changes);
        let Some(before) = before else { return };
        // An insertion into an empty place belongs to it here, where it would be outside if it was typed; those after it
        // at the same offset move behind, those before stay.
        let start = changes.map(before.start, Bias::Before);
        let end = changes.map(before.end, Bias::After).max(start);
        for (at, piece) in self.pieces.iter_mut().enumerate() {
            match at.cmp(&chunk) {
                std::cmp::Ordering::Less => {
                    piece.place = piece.place.start.min(start)..piece.place.end.min(start);
                }
                std::cmp::Ordering::Equal => {
                    *piece = Piece { place: start..end, state: PieceState::Taken(take.clone()) }
                }
                std::cmp::Ordering::Greater => {
                    piece.place = piece.place.start.max(end)..piece.place.end.max(end);
                }
            }
        }
    }

    /// Follows any other change of the document. O(chunks).
    pub fn follow(&mut self, changes: &ChangeSet) {
        let mut edits = changes.edits().peekable();
        for piece in &mut self.pieces {
            let place = piece.place.clone();
            while edits.peek().is_some_and(|edit| edit.old.end < place.start) {
                edits.next();
            }
            // Within, not at an edge; what removes something of it is within.
            let touched = edits
                .clone()
                .take_while(|edit| edit.old.start < place.end)
                .any(|edit| edit.old.end > place.start && (edit.old.start > place.start || !edit.old.is_empty()));
            if touched {
                piece.state = PieceState::Edited;
            }
            piece.place = changes.map_range(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::merge::{Chunk, MergeOptions};

    fn merge(base: &str, ours: &str, theirs: &str) -> Merge {
        let content = |text: &str| Content::new(text.as_bytes()).unwrap();
        let (base, ours, theirs) = (content(base), content(ours), content(theirs));
        Merge::new(&base, &ours, &theirs, &MergeOptions::git_merge(), &Cancel::new()).unwrap()
    }

    /// A document with its draft.
    struct Desk {
        merge: Merge,
        draft: Draft,
        text: Text,
    }

    impl Desk {
        fn new(merge: Merge, markers: Option<&MarkerFormat>) -> Self {
            let (draft, bytes) = Draft::start(&merge, &merge.accepted(), markers);
            Self { merge, draft, text: Text::from(String::from_utf8(bytes).unwrap().as_str()) }
        }

        fn take(&mut self, chunk: usize, take: Take) {
            let Replacement { range, text } = self.draft.replacement(&self.merge, chunk, &take).unwrap();
            let text = String::from_utf8(text).unwrap();
            let changes = ChangeSet::from_edits(self.text.len(), [(range, text)]);
            self.text = changes.apply(&self.text);
            self.draft.took(chunk, take, &changes);
        }

        fn edit(&mut self, range: Range<usize>, insert: &str) {
            let changes = ChangeSet::from_edits(self.text.len(), [(range, insert)]);
            self.text = changes.apply(&self.text);
            self.draft.follow(&changes);
        }

        fn piece(&self, chunk: usize) -> String {
            self.text.slice(self.draft.place(chunk).unwrap()).into_owned()
        }

        fn conflicts(&self) -> Vec<usize> {
            let is_conflict = |(at, chunk): (usize, &Chunk)| chunk.is_conflict().then_some(at);
            self.merge.chunks().iter().enumerate().filter_map(is_conflict).collect()
        }
    }

    #[test]
    fn what_is_taken_replaces_the_conflict_wherever_it_went() {
        let mut desk = Desk::new(merge("a\nb\nc\nd\n", "a\nB\nc\nd\n", "a\nx\nc\nD\n"), None);
        assert_eq!(desk.text.to_string(), "a\nb\nc\nD\n");
        let conflict = desk.conflicts()[0];
        assert_eq!((desk.draft.open(), desk.draft.next_open(None)), (1, Some(conflict)));
        desk.edit(0..0, "top\n");
        desk.take(conflict, Take::OursTheirs);
        assert_eq!((desk.text.to_string().as_str(), desk.draft.open()), ("top\na\nB\nx\nc\nD\n", 0));
        desk.take(conflict, Take::Nothing);
        assert_eq!((desk.text.to_string().as_str(), desk.piece(conflict).as_str()), ("top\na\nc\nD\n", ""));
        desk.take(conflict, Take::Theirs);
        assert_eq!(desk.text.to_string(), "top\na\nx\nc\nD\n");
        assert_eq!(desk.draft.state(conflict), Some(&PieceState::Taken(Take::Theirs)));
    }

    #[test]
    fn typing_within_a_conflict_makes_it_edited_and_beside_it_does_not() {
        let mut desk = Desk::new(merge("a\nb\nc\n", "a\nB\nc\n", "a\nx\nc\n"), Some(&MarkerFormat::default()));
        let conflict = desk.conflicts()[0];
        let place = desk.draft.place(conflict).unwrap();
        desk.edit(place.end..place.end, "beside\n");
        desk.edit(place.start..place.start, "above\n");
        assert_eq!(desk.draft.state(conflict), Some(&PieceState::Open));
        assert!(desk.piece(conflict).starts_with("<<<<<<<\nB\n"), "{}", desk.piece(conflict));
        assert_eq!(desk.draft.chunk_at(desk.draft.place(conflict).unwrap().start + 3), Some(conflict));
        let place = desk.draft.place(conflict).unwrap();
        desk.edit(place.start..place.end - 1, "mine");
        assert_eq!((desk.draft.state(conflict), desk.draft.open()), (Some(&PieceState::Edited), 0));
    }

    #[test]
    fn chunks_are_found_in_a_text_that_was_worked_on() {
        let lines = |edit: &str| format!("a\n{edit}1\nb\nc\nd\ne\nf\ng\n{edit}2\nh\n");
        let merge = merge(&lines("x"), &lines("y"), &lines("z"));
        let format = MarkerFormat::default();
        let (_, written) = Draft::start(&merge, &merge.accepted(), Some(&format));
        let written = String::from_utf8(written).unwrap();
        let first = "<<<<<<<\ny1\n=======\nz1\n>>>>>>>\n";
        let text = Text::from(&*written.replace("e\n", "e\nmore\n").replace(first, "mine\n"));
        let draft = Draft::over(&merge, &merge.accepted(), &format, &text, &Cancel::new()).unwrap();
        let conflicts: Vec<_> = (0..merge.chunks().len()).filter(|&at| merge.chunks()[at].is_conflict()).collect();
        let piece = |chunk: usize| text.slice(draft.place(chunk).unwrap()).into_owned();
        assert_eq!((piece(conflicts[0]).as_str(), draft.state(conflicts[0])), ("mine\n", Some(&PieceState::Edited)));
        assert_eq!(piece(conflicts[1]), "<<<<<<<\ny2\n=======\nz2\n>>>>>>>\n");
        assert_eq!(draft.state(conflicts[1]), Some(&PieceState::Open));
        assert_eq!(piece(conflicts[0] + 1), "b\nc\nd\ne\nmore\nf\ng\n");
    }

    #[test]
    fn open_conflicts_are_visited_in_turn() {
        let lines = |edit: &str| format!("a\n{edit}1\nb\nc\nd\ne\nf\ng\n{edit}2\nh\n");
        let desk = Desk::new(merge(&lines("x"), &lines("y"), &lines("z")), None);
        let [first, second] = desk.conflicts()[..] else { panic!("two conflicts") };
        assert_eq!([desk.draft.next_open(None), desk.draft.next_open(Some(first))], [Some(first), Some(second)]);
        assert_eq!(desk.draft.next_open(Some(second)), None);
        assert_eq!(
            [desk.draft.previous_open(None), desk.draft.previous_open(Some(second))],
            [Some(second), Some(first)]
        );
        assert_eq!(desk.draft.previous_open(Some(first)), None);
    }

    fn text() -> impl Strategy<Value = String> {
        proptest::collection::vec("[a-d]\n", 0..12).prop_map(|lines| lines.concat())
    }

    proptest! {
        #[test]
        fn places_hold_what_was_taken(
            base in text(), ours in text(), theirs in text(),
            steps in proptest::collection::vec((any::<prop::sample::Index>(), 0..6usize), 1..12),
        ) {
            let mut desk = Desk::new(merge(&base, &ours, &theirs), None);
            let mut takes = desk.merge.accepted();
            for (chunk, take) in steps {
                if desk.merge.chunks().is_empty() {
                    return Ok(());
                }
                let chunk = chunk.index(desk.merge.chunks().len());
                let take = [Take::Base, Take::Ours, Take::Theirs, Take::OursTheirs, Take::TheirsOurs, Take::Nothing][take].clone();
                desk.take(chunk, take.clone());
                takes[chunk] = Some(take);
                let shown: Vec<_> = takes.iter().map(|take| Some(take.clone().unwrap_or(Take::Base))).collect();
                let composed = desk.merge.compose(&shown, &MarkerFormat::default());
                prop_assert_eq!(desk.text.to_string().into_bytes(), composed.bytes);
                let places: Vec<_> = (0..takes.len()).filter_map(|chunk| desk.draft.place(chunk)).collect();
                prop_assert_eq!(places, composed.places);
            }
        }
    }
}
