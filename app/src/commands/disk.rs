//! What follows from changes on disk: documents look at their files, the tree and the reviews at theirs.
//!
//! Nothing is read here, only asked for. Reviews are refreshed once after a burst of changes and keep the reader's place.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use diff::git::Repo;
use diff::source::{Comparison, Source};
use eframe::egui;

use crate::state::State;
use crate::state::reviews::{OpenReview, Request, ReviewId};
use crate::state::watch::Happened;

/// Follows what others did since the last frame. Never waits.
pub fn follow(state: &mut State, ctx: &egui::Context) {
    watch_what_is_open(state);
    let now = Instant::now();
    // While files are being moved by us, half of the story would look like a loss.
    if !state.files.is_working() {
        let happened = state.watching.as_mut().map(crate::state::watch::Watching::take).unwrap_or_default();
        if !happened.is_nothing() {
            take(&happened, state, now);
        }
    }
    refresh_reviews(state, now);
    mark_files(state);
    let waits = state.review_due.values().filter_map(|due| due.wait(now)).chain(state.files.look.wait(now));
    if let Some(wait) = waits.min() {
        ctx.request_repaint_after(wait);
    }
}

/// Looks at everything again: the window was away, and not everything can be watched.
pub fn look_again(state: &mut State) {
    let happened = Happened { everything: true, ..Happened::default() };
    take(&happened, state, Instant::now());
}

fn watch_what_is_open(state: &mut State) {
    let Some(watching) = &mut state.watching else { return };
    let mut files: BTreeSet<PathBuf> = state.documents.paths().map(|(_, path)| path.to_owned()).collect();
    files.extend([state.paths.settings(), state.paths.keymap()]);
    let mut folders: BTreeSet<PathBuf> = state.workspace.root().map(Path::to_owned).into_iter().collect();
    for (_, review) in state.reviews.iter() {
        match review.comparison.as_ref().map(Comparison::source) {
            Some(Source::WorkingTree { .. } | Source::Staged | Source::Unstaged | Source::Worktree(_)) => {
                folders.extend(review.repo().and_then(|repo| repo.root()).map(Path::to_owned));
                if let Some(Source::Worktree(other)) = review.comparison.as_ref().map(Comparison::source) {
                    folders.insert(other.clone());
                }
            }
            Some(Source::Files { old, new }) => files.extend([old.clone(), new.clone()]),
            Some(Source::Since { root, .. } | Source::Moments { root, new: None, .. }) => {
                folders.insert(root.clone());
            }
            Some(Source::Folders { old, new }) => folders.extend([old.clone(), new.clone()]),
            _ => {}
        }
    }
    for (_, open) in state.conflicts.iter() {
        if let Some(repo) = open.repo() {
            folders.extend(repo.root().map(Path::to_owned));
            files.insert(repo.git_dir().join("index"));
        }
    }
    // Where the repository's own folder is elsewhere (a worktree, an open folder inside of it), its state still counts.
    if let Some(repo) = state.workspace.repo() {
        files.extend(["HEAD", "index"].map(|name| repo.git_dir().join(name)));
    }
    watching.follow(files, folders);
}

fn take(happened: &Happened, state: &mut State, now: Instant) {
    for limited in &happened.limited {
        state.notices.warn(format!("Not everything is watched: {limited}."));
    }
    let concerned: Vec<_> =
        state.documents.paths().filter(|(_, path)| happened.concerns(path)).map(|(id, _)| id).collect();
    for id in concerned {
        state.documents.look_at(id);
    }
    if happened.concerns(&state.paths.settings()) || happened.concerns(&state.paths.keymap()) {
        state.config.refresh();
    }
    state.files.happened(happened, now);
    if let Some(root) = state.workspace.root()
        && happened.changed.iter().any(|path| path.starts_with(root) && !is_gits(path))
    {
        state.workspace.files_changed();
    }
    if happened.changed.iter().any(|path| is_gits(path) && path.file_name().is_some_and(|name| name == "HEAD")) {
        state.workspace.look(&state.tasks);
    }
    for (_, open) in state.conflicts.iter_mut() {
        let git = open.repo().map(|repo| repo.git_dir().to_owned());
        if git.is_some_and(|git| happened.concerns(&git.join("index")) || happened.concerns(&git.join("HEAD"))) {
            open.refresh(&state.tasks);
        }
    }
    for (id, review) in state.reviews.iter() {
        if concerns(happened, review) {
            state.review_due.entry(id).or_default().ask(now);
        }
    }
}

/// Whether a path is the repository's own.
fn is_gits(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == ".git")
}

/// Whether what a review shows may be another now.
fn concerns(happened: &Happened, review: &OpenReview) -> bool {
    let Some(comparison) = &review.comparison else { return false };
    // A text against its file: the file is read again when it changed, the text is followed as it is typed.
    if let Request::Unsaved { path, .. } = &review.request {
        return happened.concerns(path);
    }
    match comparison.source() {
        Source::WorkingTree { .. } | Source::Staged | Source::Unstaged => {
            let Some(repo) = comparison.repo() else { return false };
            repo.root().is_some_and(|root| happened.concerns_below(root)) || happened.concerns_below(repo.git_dir())
        }
        // Branches move; a commit does not.
        Source::Range { .. } => comparison.repo().is_some_and(|repo| {
            let git = repo.git_dir();
            !happened.everything && (happened.concerns(&git.join("HEAD")) || happened.concerns_below(&git.join("refs")))
        }),
        Source::Commit(_)
        | Source::Remerge(_)
        | Source::Stash(_)
        | Source::Patch { .. }
        | Source::Moments { new: Some(_), .. } => false,
        Source::Worktree(other) => {
            let here = comparison.repo().and_then(Repo::root).is_some_and(|root| happened.concerns_below(root));
            here || happened.concerns_below(other)
        }
        Source::Since { root, .. } | Source::Moments { root, new: None, .. } => happened.concerns_below(root),
        Source::Files { old, new } => happened.concerns(old) || happened.concerns(new),
        Source::Folders { old, new } => happened.concerns_below(old) || happened.concerns_below(new),
    }
}

fn refresh_reviews(state: &mut State, now: Instant) {
    let due: Vec<ReviewId> = state
        .review_due
        .iter_mut()
        .filter_map(|(id, due)| {
            let busy = state.reviews.get(*id).is_some_and(OpenReview::is_listing);
            due.is_now(now, busy).then_some(*id)
        })
        .collect();
    for id in due {
        state.review_due.remove(&id);
        if let Some(review) = state.reviews.get_mut(id) {
            review.refresh(&state.tasks);
        }
    }
}

/// The tree shows what git says: what a review of the same working tree lists, else what git is asked for.
fn mark_files(state: &mut State) {
    let Some(repo) = state.workspace.repo() else { return };
    let Some(root) = repo.root() else { return };
    if state.files.prefix(root, &state.tasks).is_none() {
        return;
    }
    let same = |review: &OpenReview| {
        let of_it = |found: &Comparison| {
            matches!(found.source(), Source::WorkingTree { against: None })
                && found.repo().and_then(|repo| repo.root()) == Some(root)
        };
        matches!(review.request, Request::WorkingTree(_)) && review.comparison.as_ref().is_none_or(of_it)
    };
    match state.reviews.iter().find(|(_, review)| same(review)) {
        // One look at the working tree is enough.
        Some((_, review)) if review.is_listing() => {}
        Some((id, review)) => {
            let changes = review.page.files().iter().map(|file| &file.change);
            state.files.mark_from((id, review.generation), changes);
        }
        None => state.files.ask_git(repo, &state.tasks),
    }
}
