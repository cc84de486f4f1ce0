//! The ways to look at a merge commit: against its first parent, what was done by hand, and against all parents.

use diff::git::Repo;
use diff::source::{Comparison, Source};
use eframe::egui::Ui;

use crate::commands::{Action, Sink};
use crate::state::combined::Of;
use crate::state::reviews::Request;
use crate::widgets::Segmented;

/// A way to look at a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeView {
    FirstParent,
    ByHand,
    Combined,
}

impl MergeView {
    const ALL: [(Self, &'static str); 3] =
        [(Self::FirstParent, "First parent"), (Self::ByHand, "By hand"), (Self::Combined, "All parents")];

    /// How a review looks at a merge.
    pub fn of(source: &Source) -> Option<(Self, &str)> {
        match source {
            Source::Commit(name) => Some((Self::FirstParent, name)),
            Source::Remerge(name) => Some((Self::ByHand, name)),
            _ => None,
        }
    }
}

/// Offers the other ways to look at a merge.
pub fn merge_views(ui: &mut Ui, repo: &Repo, name: &str, current: MergeView, sink: &mut Sink) {
    let choices = MergeView::ALL.map(|(_, title)| (None, title));
    let mut chosen = MergeView::ALL.iter().position(|(view, _)| *view == current).unwrap_or(0);
    if !Segmented::new(&choices).show(ui, &mut chosen) {
        return;
    }
    let (repo, name) = (repo.clone(), name.to_owned());
    let source = match MergeView::ALL[chosen].0 {
        MergeView::FirstParent => Source::Commit(name),
        MergeView::ByHand => Source::Remerge(name),
        MergeView::Combined => return sink.push(Action::OpenCombined(Of::Merge { repo, name })),
    };
    if let Ok(found) = Comparison::of_repo(repo, source, Vec::new()) {
        sink.push(Action::OpenReview(Request::Found(found)));
    }
}
