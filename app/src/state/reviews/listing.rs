//! Listing the changed files of a review, finding those that were moved and edited, and bringing them into an order.
//!
//! The first listing is shown as soon as it is known: what was moved and edited is found behind it, and joined when it
//! is. A later listing waits for both, as what was shown stays on screen meanwhile: a pair that fell apart and was joined
//! again at every refresh would move the page under the reader.

use std::sync::Arc;

use diff::git::{FileChange, GitError, Side, Status};
use diff::order::{MAX_READ, ReviewOrder, by_dependency, by_size, names_used};
use diff::review::Since;
use diff::source::{Comparison, Source, SourceError};
use diff::store::Identity;
use editor::Cancel;
use rustc_hash::FxHashMap;

use super::{OpenReview, Request};
use crate::tasks::{Poll, Task, Tasks};

/// What listing found.
pub(super) struct Listing {
    pub comparison: Comparison,
    pub changes: Vec<FileChange>,
    /// What ticks and comments are kept by.
    pub identity: Option<Identity>,
    /// Who comments.
    pub author: Option<String>,
    /// Of a commit, how many parents it has.
    pub parents: usize,
    /// Whether renames were looked for, and then whether not all could be compared.
    pub renames: Option<bool>,
}

/// Files that were moved and edited are being looked for among the files of a listing.
pub(super) type Renames = Task<Result<(Vec<FileChange>, bool), GitError>>;

/// How listed files are brought into an order.
#[derive(Clone, Default)]
pub(super) struct Arrange {
    order: ReviewOrder,
    /// Changed lines, by path, of files that are counted.
    lines: FxHashMap<diff::git::RepoPath, u64>,
}

impl OpenReview {
    /// In which order files are read.
    pub fn order(&self) -> ReviewOrder {
        self.order
    }

    /// Brings the files into another order, as soon as it is known.
    pub fn set_order(&mut self, order: ReviewOrder, tasks: &Tasks) {
        if self.order != order {
            self.order = order;
            self.refresh(tasks);
        }
    }

    /// Whether there were more moved files than could be compared with each other.
    pub fn renames_limited(&self) -> bool {
        self.renames_limited
    }

    pub(super) fn list_again(&self, tasks: &Tasks) -> Task<Result<Listing, String>> {
        // What was found once is not looked up again: a branch may have moved, and its name is what was asked for.
        let request = self.comparison.clone().map_or_else(|| self.request.clone(), Request::Found);
        let is_first = self.page.files().is_empty();
        let arrange = self.arrange();
        tasks.spawn("list changed files", move |cancel| {
            list(request, is_first, &arrange, cancel).map_err(|error| error.to_string())
        })
    }

    fn arrange(&self) -> Arrange {
        let mut lines = FxHashMap::default();
        if self.order == ReviewOrder::Size {
            let counted = self.page.files().iter().filter_map(|entry| Some((&entry.change.path, entry.counts?)));
            lines.extend(counted.map(|(path, counts)| (path.clone(), counts.added + counts.removed)));
        }
        Arrange { order: self.order, lines }
    }

    /// Looks for moved and edited files among those that are shown, if there can be any.
    pub(super) fn look_for_renames(&mut self, files: Arc<Vec<FileChange>>, tasks: &Tasks) {
        self.renames = None;
        let has = |wanted: &[Status]| files.iter().any(|change| wanted.contains(&change.status));
        let Some(comparison) = self.comparison.clone() else { return };
        if has(&[Status::Deleted]) && has(&[Status::Added, Status::Untracked]) {
            self.renames = Some(tasks.spawn("find renames", move |cancel| {
                let mut changes = files.to_vec();
                let limited = comparison.find_renames(&mut changes, cancel)?;
                Ok((changes, limited))
            }));
        }
    }

    /// Joins what was found to be moved. Without it a review is as right: what is gone, and what is new.
    pub(super) fn take_renames(&mut self, tasks: &Tasks) {
        let Some(task) = &self.renames else { return };
        let found = match task.poll() {
            Poll::Pending => return,
            Poll::Ready(Ok(found)) => Some(found),
            Poll::Ready(Err(_)) | Poll::Lost => None,
        };
        self.renames = None;
        let Some((changes, limited)) = found else { return };
        self.renames_limited = limited;
        if changes.len() != self.page.files().len() {
            self.take_all_loaded();
            self.show(changes, Since::Unchanged, tasks);
        }
    }
}

fn list(request: Request, is_first: bool, arrange: &Arrange, cancel: &Cancel) -> Result<Listing, SourceError> {
    // What a text has that its file has not is looked at, not reviewed.
    let is_kept = !matches!(request, Request::Unsaved { .. });
    let comparison = request.find()?;
    let mut changes = comparison.changes(cancel)?;
    let renames = match is_first {
        true => None,
        false => Some(comparison.find_renames(&mut changes, cancel)?),
    };
    let changes = arranged(changes, arrange, &comparison, cancel);
    let identity = is_kept.then(|| Identity::of(&comparison));
    // A name without its address; who has none is still somebody.
    let author = comparison.repo().filter(|_| is_kept).and_then(|repo| repo.author().ok());
    let author = author.and_then(|author| Some(author.split('<').next()?.trim().to_owned()));
    let parents = match (comparison.source(), comparison.repo()) {
        (Source::Commit(name) | Source::Remerge(name), Some(repo)) => repo.parents(name)?.len(),
        _ => 0,
    };
    Ok(Listing { identity, author: author.filter(|name| !name.is_empty()), comparison, changes, parents, renames })
}

fn arranged(changes: Vec<FileChange>, arrange: &Arrange, comparison: &Comparison, cancel: &Cancel) -> Vec<FileChange> {
    let order = match arrange.order {
        ReviewOrder::Path => return changes,
        ReviewOrder::Size => by_size(&changes, |change| arrange.lines.get(&change.path).copied()),
        ReviewOrder::Dependency => {
            let mut reader = comparison.reader();
            let mut used = |change: &FileChange| {
                let side = if change.new.is_some() { Side::New } else { Side::Old };
                if cancel.is_cancelled() {
                    return Vec::new();
                }
                // A file that cannot be read is listed all the same; reading it says why.
                let Ok(content) = reader.read(change, side) else { return Vec::new() };
                let Some(text) = content.text() else { return Vec::new() };
                let start = &text.bytes[..text.bytes.len().min(MAX_READ)];
                names_used(&change.path.display(), &String::from_utf8_lossy(start))
            };
            let imports: Vec<_> = changes.iter().map(&mut used).collect();
            by_dependency(&changes, &imports)
        }
    };
    let mut changes: Vec<Option<FileChange>> = changes.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| changes[at].take()).collect()
}
