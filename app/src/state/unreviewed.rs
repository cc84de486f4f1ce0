//! What agents changed and nobody decided on: one comparison a conversation, whether it is open or not.
//!
//! Editors mark its hunks and decide on them; the review pane shows the same one. So what is accepted here is accepted
//! there. A comparison becomes a review, which takes threads and memory, when an editor shows one of its files or somebody
//! asks for it, and is put away when neither is so any more.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use agent::event::SessionId;
use diff::checkpoint::Checkpoint;
use diff::engine::Hunk;
use diff::git::RepoPath;
use diff::lines::Content;
use diff::source::Comparison;

use super::documents::{DocumentId, Documents};
use super::reviews::{FileIndex, OpenReview, Request, ReviewId, Reviews};
use crate::tasks::Tasks;

/// What is left of a conversation's changes.
struct Left {
    session: SessionId,
    comparison: Comparison,
    review: Option<ReviewId>,
}

/// What is left of all conversations, the last begun first: where two changed the same lines, the later one is asked about.
#[derive(Default)]
pub struct Unreviewed {
    left: Vec<Left>,
    /// Conversations of whose changes some were taken back: what is left is to be looked at again.
    pub decided: BTreeSet<SessionId>,
    /// Conversations of whose changes some were rejected, which an undo may bring back.
    rejected: BTreeSet<SessionId>,
    /// The files that editors show, as of the last time that it was seen to that they are compared.
    shown: Vec<PathBuf>,
    /// What is left was told anew since then.
    is_new: bool,
}

/// How reviews are laid out.
#[derive(Clone, Copy)]
pub struct Rows {
    pub layout: diff::plan::Layout,
    pub context: u32,
}

/// A hunk that nobody decided on.
#[derive(Clone, Debug, PartialEq)]
pub struct Undecided {
    pub review: ReviewId,
    pub file: FileIndex,
    pub hunk: Hunk,
}

impl Unreviewed {
    /// Says what is left of a conversation's changes. Returns a review of which nothing is.
    pub fn set(
        &mut self,
        session: &SessionId,
        comparison: Option<Comparison>,
        reviews: &mut Reviews,
        tasks: &Tasks,
    ) -> Option<ReviewId> {
        self.is_new = true;
        let at = self.left.iter().position(|left| left.session == *session);
        let (Some(comparison), at) = (comparison, at) else { return at.and_then(|at| self.empty(at, reviews, tasks)) };
        match at.and_then(|at| self.left.get_mut(at)) {
            Some(left) => {
                left.comparison = comparison.clone();
                if let Some(review) = left.review.and_then(|review| reviews.get_mut(review)) {
                    review.compare(comparison, tasks);
                }
            }
            None => {
                let at = self.left.partition_point(|left| left.session > *session);
                self.left.insert(at, Left { session: session.clone(), comparison, review: None });
            }
        }
        None
    }

    /// Nothing is left any more. Somebody may look at it: then it shows that.
    fn empty(&mut self, at: usize, reviews: &mut Reviews, tasks: &Tasks) -> Option<ReviewId> {
        let left = &mut self.left[at];
        left.comparison = left.comparison.clone().with_kept(Checkpoint::default());
        match left.review.and_then(|id| Some((id, reviews.get_mut(id)?))) {
            Some((id, review)) => {
                review.compare(left.comparison.clone(), tasks);
                Some(id)
            }
            None => {
                self.left.remove(at);
                None
            }
        }
    }

    /// Conversations of which something is said to be left.
    pub fn sessions(&self) -> impl Iterator<Item = &SessionId> {
        self.left.iter().map(|left| &left.session)
    }

    /// Forgets a review of which nothing is left.
    pub fn forget(&mut self, review: ReviewId) {
        self.left.retain(|left| left.review != Some(review));
    }

    /// The review of what is left of a conversation's changes, if anything is; begun if there is none yet.
    pub fn review(
        &mut self,
        session: &SessionId,
        rows: Rows,
        reviews: &mut Reviews,
        tasks: &Tasks,
    ) -> Option<ReviewId> {
        let left = self.left.iter_mut().find(|left| left.session == *session && !left.comparison.kept().is_empty())?;
        Some(left.begin(rows, reviews, tasks))
    }

    /// The conversation whose changes a review is of.
    pub fn session(&self, review: ReviewId) -> Option<&SessionId> {
        self.left.iter().find(|left| left.review == Some(review)).map(|left| &left.session)
    }

    /// Something of a conversation's changes was rejected.
    pub fn reject(&mut self, session: SessionId) {
        self.rejected.insert(session.clone());
        self.decided.insert(session);
    }

    /// Something was brought back, which may have been rejected: whose it was is not known any more.
    pub fn look_again(&mut self) {
        self.decided.extend(self.rejected.iter().cloned());
    }

    /// Forgets all: another folder was opened.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Sees to it that files of documents that are shown are compared, and lets go of reviews that nobody needs: returns
    /// those that no editor does.
    pub fn want(
        &mut self,
        shown: &[DocumentId],
        documents: &Documents,
        rows: Rows,
        reviews: &mut Reviews,
        tasks: &Tasks,
    ) -> Vec<ReviewId> {
        if self.left.is_empty() {
            return Vec::new();
        }
        let paths: Vec<&Path> = shown.iter().filter_map(|id| documents.path(*id)).collect();
        let mut idle = Vec::new();
        if self.is_new || paths != self.shown {
            for left in &mut self.left {
                match paths.iter().any(|path| left.has(path)) {
                    true => drop(left.begin(rows, reviews, tasks)),
                    false => idle.extend(left.review),
                }
            }
            (self.shown, self.is_new) = (paths.iter().map(|path| path.to_path_buf()).collect(), false);
        }
        for review in self.left.iter().filter_map(|left| left.review) {
            let Some(review) = reviews.get_mut(review) else { continue };
            let missing: Vec<FileIndex> = paths
                .iter()
                .filter_map(|path| review.file_on_disk(path))
                .filter(|&file| review.page.file(file).is_some_and(diff::review::FileEntry::needs_loading))
                .collect();
            if !missing.is_empty() {
                review.want(&missing);
            }
        }
        idle
    }

    /// Looks with the next frame which reviews are needed.
    pub fn recheck(&mut self) {
        self.is_new = true;
    }

    /// A review was closed; what it compared is still left.
    pub fn closed(&mut self, review: ReviewId) {
        for left in self.left.iter_mut().filter(|left| left.review == Some(review)) {
            left.review = None;
        }
    }

    /// The hunks of a document that touch some lines and that nobody decided on, from top to bottom.
    pub fn near(&self, document: DocumentId, lines: &Range<u32>, reviews: &Reviews) -> Vec<Undecided> {
        let mut found: Vec<Undecided> = Vec::new();
        for id in self.left.iter().filter_map(|left| left.review) {
            let place = reviews.get(id).and_then(|review| Some((review, review.file_of(document)?)));
            let Some((review, file)) = place else { continue };
            let Some((all, _)) = hunks(review, file) else { continue };
            let from = all.partition_point(|hunk| hunk.new.end < lines.start);
            let near = all[from..].iter().take_while(|hunk| hunk.new.start <= lines.end);
            let known = found.len();
            for hunk in near {
                if !overlaps(&found[..known], hunk) {
                    found.push(Undecided { review: id, file, hunk: hunk.clone() });
                }
            }
            if known > 0 {
                found.sort_by_key(|undecided| undecided.hunk.new.start);
            }
        }
        found
    }
}

/// Whether a hunk touches one of some, which are in order.
fn overlaps(known: &[Undecided], hunk: &Hunk) -> bool {
    let behind = known.partition_point(|known| known.hunk.new.end < hunk.new.start);
    let touches = |known: &Undecided| {
        let known = &known.hunk.new;
        known.start < hunk.new.end && hunk.new.start < known.end || known.start == hunk.new.start
    };
    known[behind..].iter().take_while(|known| known.hunk.new.start <= hunk.new.end).any(touches)
}

impl Left {
    fn begin(&mut self, rows: Rows, reviews: &mut Reviews, tasks: &Tasks) -> ReviewId {
        let known = self.review.filter(|review| reviews.get(*review).is_some());
        let review = known.unwrap_or_else(|| {
            reviews.begin(Request::Found(self.comparison.clone()), rows.layout, rows.context, tasks)
        });
        self.review = Some(review);
        review
    }

    /// Whether a file is one of its.
    fn has(&self, path: &Path) -> bool {
        let within = self.comparison.new_root().and_then(|root| path.strip_prefix(root).ok());
        within.is_some_and(|within| self.comparison.kept().get(&RepoPath::from_path(within)).is_some())
    }
}

/// The hunks of a document that nobody decided on, and what stood there before.
pub fn hunks(review: &OpenReview, file: FileIndex) -> Option<(&[Hunk], &Content)> {
    let lines = review.page.file(file).filter(|entry| !entry.is_reading())?.whole_lines()?;
    Some((lines.hunks(), &lines.old))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_of_two_conversations_at_the_same_lines_are_one() {
        let hunk = |new: Range<u32>| Hunk { old: new.clone(), new };
        let known: Vec<Undecided> =
            [2..4, 8..8].map(|new| Undecided { review: ReviewId(1), file: 0, hunk: hunk(new) }).to_vec();
        let overlapping: Vec<u32> = (0..10).filter(|&at| overlaps(&known, &hunk(at..at + 1))).collect();
        assert_eq!(overlapping, [2, 3, 8]);
        assert!(overlaps(&known, &hunk(0..9)) && overlaps(&known, &hunk(8..8)) && !overlaps(&known, &hunk(4..8)));
    }
}
