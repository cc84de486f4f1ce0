//! What agents changed and nobody decided on yet: one review a conversation, whether a tab shows it or not.
//!
//! Editors mark its hunks and decide on them; the review pane shows the same one. So what is accepted here is accepted
//! there.

use std::collections::{BTreeMap, BTreeSet};

use diff::checkpoint::Checkpoint;
use diff::engine::Hunk;
use diff::lines::Content;
use diff::source::Comparison;

use super::chats::ChatId;
use super::documents::{DocumentId, Documents};
use super::reviews::{FileIndex, OpenReview, Request, ReviewId, Reviews};
use crate::tasks::Tasks;

/// The reviews, by the conversation whose changes they are of.
#[derive(Default)]
pub struct Unreviewed {
    reviews: BTreeMap<ChatId, ReviewId>,
    /// Conversations of whose changes some were taken back: what is left is to be looked at again.
    pub decided: BTreeSet<ChatId>,
}

/// How reviews are laid out.
pub struct Rows {
    pub layout: diff::plan::Layout,
    pub context: u32,
}

impl Unreviewed {
    /// Says what is left of a conversation's changes. Returns a review of which nothing is.
    pub fn set(
        &mut self,
        chat: ChatId,
        comparison: Option<Comparison>,
        rows: &Rows,
        reviews: &mut Reviews,
        tasks: &Tasks,
    ) -> Option<ReviewId> {
        let known = self.review(chat).and_then(|id| reviews.get_mut(id));
        match (comparison, known) {
            (Some(comparison), Some(review)) => {
                review.compare(comparison, tasks);
                None
            }
            (Some(comparison), None) => {
                let id = reviews.begin(Request::Found(comparison), rows.layout, rows.context, tasks);
                self.reviews.insert(chat, id);
                None
            }
            (None, Some(review)) => {
                // Somebody may look at it: it shows that nothing is left.
                let nothing = review.comparison.clone().map(|found| found.with_kept(Checkpoint::default()));
                if let Some(nothing) = nothing {
                    review.compare(nothing, tasks);
                }
                self.review(chat)
            }
            (None, None) => None,
        }
    }

    /// Forgets the review of a conversation.
    pub fn forget(&mut self, chat: ChatId) {
        self.reviews.remove(&chat);
    }

    /// The review of a conversation's changes.
    pub fn review(&self, chat: ChatId) -> Option<ReviewId> {
        self.reviews.get(&chat).copied()
    }

    /// The conversation whose changes a review is of.
    pub fn chat(&self, review: ReviewId) -> Option<ChatId> {
        self.reviews.iter().find(|(_, id)| **id == review).map(|(chat, _)| *chat)
    }

    /// Forgets all: another folder was opened.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The file of a review that a document is the new side of, if something of it is left to be decided on.
    pub fn place(&self, document: DocumentId, reviews: &Reviews) -> Option<(ReviewId, FileIndex)> {
        self.reviews.values().find_map(|id| Some((*id, reviews.get(*id)?.file_of(document)?)))
    }

    /// Sees to it that files of documents that are shown are compared.
    pub fn want(&self, shown: &[DocumentId], documents: &Documents, reviews: &mut Reviews) {
        for id in self.reviews.values() {
            let Some(review) = reviews.get_mut(*id) else { continue };
            let paths: Vec<_> = shown.iter().filter_map(|id| documents.path(*id)).collect();
            let is_shown =
                |file: &FileIndex| review.live_path(*file).is_some_and(|path| paths.contains(&path.as_path()));
            let files: Vec<FileIndex> = (0..review.page.files().len()).filter(is_shown).collect();
            if files.iter().any(|&file| review.page.file(file).is_some_and(diff::review::FileEntry::needs_loading)) {
                review.want(&files);
            }
        }
    }
}

/// The hunks of a document that nobody decided on, and what stood there before.
pub fn hunks(review: &OpenReview, file: FileIndex) -> Option<(&[Hunk], &Content)> {
    let lines = review.page.file(file).filter(|entry| !entry.is_reading())?.whole_lines()?;
    Some((lines.hunks(), &lines.old))
}
