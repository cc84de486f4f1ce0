//! One file in conflict while it is resolved: three versions, and the document that is the result.
//!
//! What is open is what the document says: a conflict is open as long as its markers are in the text, whoever wrote or
//! removed them. Where each chunk of the merge stands in the text follows every change of it; undo brings the places back
//! as they were, since they are remembered by the state of the document they were of.

use std::collections::{BTreeSet, VecDeque};

use diff::merge::markers::{MarkedConflict, MarkedConflicts};
use diff::merge::rows::{BandKind, MergeRows, Shown};
use diff::merge::session::ConflictSession;
use diff::merge::{Draft, Take, Version};
use editor::Cancel;
use editor::change::{ChangeSet, Transaction};
use editor::document::{EditKind, StateId};
use editor::file::Stamp;
use editor::selection::Selections;
use editor::text::Text;

use crate::state::documents::{DocumentId, Documents};

/// Places of chunks that are remembered for undo, all states together.
const REMEMBERED: usize = 200_000;

/// What a background task finds out about a text before it is shown.
pub struct Prepared {
    pub session: ConflictSession,
    pub draft: Draft,
    /// The text that the draft is of.
    pub text: Text,
    /// For each chunk, what both sides' words together are, where that can be said.
    pub words: Vec<Option<Take>>,
}

impl Prepared {
    /// Prepares a session for a text. Reads all of it.
    pub fn new(session: ConflictSession, text: Text, cancel: &Cancel) -> Result<Self, editor::Cancelled> {
        let draft = session.draft(&text, cancel)?;
        let chunks = 0..session.merge().chunks().len();
        let words = chunks.map(|chunk| session.merge().words(chunk, cancel)).collect::<Result<_, _>>()?;
        Ok(Self { session, draft, text, words })
    }
}

/// A merge that is worked on.
pub struct Resolution {
    session: ConflictSession,
    document: DocumentId,
    version: u64,
    text: Text,
    draft: Draft,
    words: Vec<Option<Take>>,
    marks: MarkedConflicts,
    /// The conflicts that are left, by number among the marks.
    open: Vec<usize>,
    total: usize,
    /// Whether a version has markers in its own text.
    quotes_markers: bool,
    drafts: VecDeque<(StateId, Draft)>,
    state: Option<StateId>,
    unfolded: BTreeSet<usize>,
    shows_base: bool,
    rows: MergeRows,
    /// What the file was when the work began.
    stamp: Option<Stamp>,
}

impl Resolution {
    /// Begins with what was prepared for the document.
    pub fn new(prepared: Prepared, document: DocumentId, version: u64, stamp: Option<Stamp>) -> Self {
        let Prepared { session, draft, text, words } = prepared;
        let rules = session.rules();
        let files = session.files();
        let has_marks = |side: &diff::lines::Content| !MarkedConflicts::of_bytes(side.bytes(), rules).list().is_empty();
        let quotes_markers = [&files.base, &files.ours, &files.theirs].into_iter().any(has_marks);
        let marks = MarkedConflicts::of_text(&text, rules);
        let mut new = Self {
            session,
            document,
            version,
            text,
            draft,
            words,
            marks,
            open: Vec::new(),
            total: 0,
            quotes_markers,
            drafts: VecDeque::new(),
            state: None,
            unfolded: BTreeSet::new(),
            shows_base: false,
            rows: MergeRows::default(),
            stamp,
        };
        new.lay_out();
        new.total = new.session.merge().conflicts().max(new.open.len());
        new
    }

    /// The document that is the result.
    pub fn document(&self) -> DocumentId {
        self.document
    }

    /// The three versions.
    pub fn session(&self) -> &ConflictSession {
        &self.session
    }

    /// Whether the file was written since the work began.
    pub fn is_written(&self, now: Option<Stamp>) -> bool {
        now != self.stamp
    }

    /// The text of the result, as the rows are of it.
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// The document's version that the rows are of.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// All rows.
    pub fn rows(&self) -> &MergeRows {
        &self.rows
    }

    /// How many conflicts are left, and how many there were.
    pub fn left(&self) -> (usize, usize) {
        (self.open.len(), self.total.max(self.open.len()))
    }

    /// The conflicts that are left.
    pub fn open(&self) -> impl ExactSizeIterator<Item = (usize, &MarkedConflict)> {
        self.open.iter().filter_map(|&at| Some((at, self.marks.list().get(at)?))).collect::<Vec<_>>().into_iter()
    }

    /// A conflict by its number among the marks.
    pub fn mark(&self, conflict: usize) -> Option<&MarkedConflict> {
        self.marks.list().get(conflict)
    }

    /// Which of those that are left a conflict is, counted from 1.
    pub fn number(&self, conflict: usize) -> Option<usize> {
        self.open.iter().position(|&at| at == conflict).map(|at| at + 1)
    }

    /// The conflict that is left and holds an offset.
    pub fn open_at(&self, offset: usize) -> Option<usize> {
        self.marks.at(offset).filter(|at| self.open.contains(at))
    }

    /// Whether the base is shown where conflicts are open.
    pub fn shows_base(&self) -> bool {
        self.shows_base
    }

    /// Shows the base, or not.
    pub fn set_shows_base(&mut self, shows: bool) {
        self.shows_base = shows;
        self.lay_out();
    }

    /// Shows the markers of a conflict as text, to be edited.
    pub fn unfold(&mut self, chunk: usize) {
        if self.unfolded.insert(chunk) {
            self.lay_out();
        }
    }

    /// What both sides' words together are, where that can be said.
    pub fn words(&self, chunk: usize) -> Option<&Take> {
        self.words.get(chunk)?.as_ref()
    }

    /// What stands for a chunk, if it was taken as a whole.
    pub fn taken(&self, chunk: usize) -> Option<&Take> {
        match self.draft.state(chunk)? {
            diff::merge::PieceState::Taken(take) => Some(take),
            _ => None,
        }
    }

    /// Takes in what changed in the document since the last time.
    pub fn follow(&mut self, documents: &Documents) {
        let Some(open) = documents.get(self.document) else { return };
        let document = &open.document;
        if document.version() == self.version {
            return;
        }
        match document.changes_since(self.version) {
            Some(changes) => {
                for change in changes {
                    self.text = change.apply(&self.text);
                    self.draft.follow(&change);
                    self.marks.follow(&change, &self.text);
                }
            }
            None => {
                let whole = ChangeSet::replace_all(self.text.len(), &document.text().to_string());
                self.draft.follow(&whole);
                self.text = document.text().clone();
                self.marks = MarkedConflicts::of_text(&self.text, self.session.rules());
            }
        }
        self.version = document.version();
        self.remember(document.history().current());
        self.lay_out();
    }

    /// Going back to a state brings its places back; typing goes on in the state it is in.
    fn remember(&mut self, state: StateId) {
        let known = self.drafts.iter().position(|(of, _)| *of == state);
        match known {
            Some(at) if self.state != Some(state) => self.draft = self.drafts[at].1.clone(),
            Some(at) => self.drafts[at].1 = self.draft.clone(),
            None => self.drafts.push_back((state, self.draft.clone())),
        }
        self.state = Some(state);
        let each = self.session.merge().chunks().len().max(1);
        while self.drafts.len() > 1 && self.drafts.len() * each > REMEMBERED {
            self.drafts.pop_front();
        }
    }

    /// The present places are those of the document's present state: before the first change.
    fn remember_start(&mut self, documents: &Documents) {
        if self.state.is_none()
            && let Some(open) = documents.get(self.document)
        {
            self.remember(open.document.history().current());
        }
    }

    fn lay_out(&mut self) {
        self.open = match self.quotes_markers {
            false => (0..self.marks.list().len()).collect(),
            true => {
                let list = self.marks.list().iter().enumerate();
                list.filter(|(_, mark)| self.session.is_left(&self.text, mark)).map(|(at, _)| at).collect()
            }
        };
        let shown = Shown {
            marks: &self.marks,
            open: &self.open,
            unfolded: &|chunk| self.unfolded.contains(&chunk),
            base: self.shows_base,
        };
        self.rows = MergeRows::new(self.session.merge(), &self.draft, &self.text, &shown);
    }

    /// Takes something for the conflict of a band, open or decided. Whether that can be done.
    pub fn take(&mut self, band: usize, take: &Take, documents: &mut Documents) -> bool {
        self.follow(documents);
        self.remember_start(documents);
        let Some(band) = self.rows.bands().get(band).cloned() else { return false };
        let by_chunk = band.chunk.filter(|&chunk| self.is_exact(chunk, band.kind));
        let (changes, chunk) = match (by_chunk, band.kind) {
            (Some(chunk), _) => {
                let Some(replacement) = self.draft.replacement(self.session.merge(), chunk, take) else { return false };
                let text = String::from_utf8_lossy(&replacement.text).into_owned();
                (ChangeSet::from_edits(self.text.len(), [(replacement.range, text)]), Some(chunk))
            }
            // Markers that do not stand where git put them: what is between them is taken.
            (None, BandKind::Open(conflict)) => {
                let Some(mark) = self.marks.list().get(conflict) else { return false };
                let Some(edits) = mark.replacements(&self.text, take) else { return false };
                (ChangeSet::from_edits(self.text.len(), edits), None)
            }
            _ => return false,
        };
        self.change(
            changes,
            |draft, changes| match chunk {
                Some(chunk) => draft.took(chunk, take.clone(), changes),
                None => draft.follow(changes),
            },
            documents,
        );
        true
    }

    /// Whether what stands for a chunk is all that there is of its conflict.
    fn is_exact(&self, chunk: usize, kind: BandKind) -> bool {
        match kind {
            BandKind::Open(conflict) => {
                self.marks.list().get(conflict).map(|mark| mark.all.clone()) == self.draft.place(chunk)
            }
            BandKind::Settled => true,
            BandKind::Chunk(_) | BandKind::Typed => false,
        }
    }

    /// Takes one side for every conflict that is left, in one step of undo. How many that were.
    pub fn take_all(&mut self, version: Version, documents: &mut Documents) -> usize {
        self.follow(documents);
        self.remember_start(documents);
        let take = match version {
            Version::Base => Take::Base,
            Version::Ours => Take::Ours,
            Version::Theirs => Take::Theirs,
        };
        let mut text = self.text.clone();
        let mut draft = self.draft.clone();
        let mut all = ChangeSet::identity(text.len());
        let mut taken = 0;
        for band in self.rows.bands() {
            let (Some(chunk), BandKind::Open(_)) = (band.chunk, band.kind) else { continue };
            if !self.is_exact(chunk, band.kind) {
                continue;
            }
            let Some(replacement) = draft.replacement(self.session.merge(), chunk, &take) else { continue };
            let insert = String::from_utf8_lossy(&replacement.text).into_owned();
            let changes = ChangeSet::from_edits(text.len(), [(replacement.range, insert)]);
            text = changes.apply(&text);
            draft.took(chunk, take.clone(), &changes);
            all = all.compose(&changes);
            taken += 1;
        }
        if taken > 0 {
            self.change(all, |old, _| *old = draft, documents);
        }
        taken
    }

    fn change(&mut self, changes: ChangeSet, follow: impl FnOnce(&mut Draft, &ChangeSet), documents: &mut Documents) {
        let Some(open) = documents.get_mut(self.document) else { return };
        let at = changes.edits().next().map_or(0, |edit| edit.old.start);
        open.document.close_run();
        let done = open.document.apply(Transaction::new(changes), EditKind::Command, &Selections::caret(at));
        if done.is_empty() {
            return;
        }
        let state = open.document.history().current();
        self.version = open.document.version();
        self.text = done.apply(&self.text);
        follow(&mut self.draft, &done);
        self.marks.follow(&done, &self.text);
        self.remember(state);
        self.lay_out();
    }
}
