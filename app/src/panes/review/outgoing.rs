//! Comments that leave a review: as Markdown, or as one message that asks an agent about each.

use std::path::Path;
use std::sync::Arc;

use diff::comments::{Exported, MarkdownOptions, Numbers, Placement, Thread, markdown};
use diff::git::{RepoPath, Side};

use super::ReviewPane;
use super::comment_list::threads;
use super::rows::side_lines;
use crate::state::State;
use crate::state::chats::comments::{Commented, message};
use crate::state::chats::{Attachment, Draft};
use crate::state::reviews::discussion::Placed;
use crate::state::reviews::{OpenReview, ReviewId};

/// Files that go along with a message about comments: more would not fit the windows of small models.
const FILES: usize = 3;

/// All comments that are not resolved, as Markdown; says so where there are none.
pub fn export(pane: &ReviewPane, state: &mut State) -> Option<String> {
    let review = state.reviews.get(pane.review)?;
    let found: Vec<_> = threads(review, &state.desk).filter(|(placed, _)| placed.placement.is_some()).collect();
    if found.iter().all(|(_, thread)| thread.resolved || thread.is_draft()) {
        state.notices.info("There is no comment to export: drafts and resolved ones are left out.");
        return None;
    }
    let title = review.source_name();
    let options = MarkdownOptions { title: &title, ..MarkdownOptions::default() };
    Some(written(state, review, &found, None, |exported| markdown(exported, &options)))
}

/// A message that asks about all comments that nobody answered; says so where there are none.
pub fn ask_all(id: ReviewId, state: &mut State) -> Option<Draft> {
    let review = state.reviews.get(id)?;
    let all: Vec<_> = threads(review, &state.desk).collect();
    let wanted = |(placed, thread): &&(&Placed, &Thread)| placed.placement.is_some() && thread.is_waiting();
    let found: Vec<_> = all.iter().filter(wanted).copied().collect();
    if found.is_empty() {
        let said = match all.iter().any(|(_, thread)| thread.is_answered() && !thread.resolved) {
            true => "Every comment was answered: resolve it, or reply to it, and it is sent again.",
            false => "There is no comment to send: drafts and resolved ones stay here.",
        };
        state.notices.info(said);
        return None;
    }
    let of = review.identity.clone()?;
    let root = state.workspace.root();
    let title = review.source_name();
    let options = MarkdownOptions { title: &title, numbers: Numbers::Brackets, ..MarkdownOptions::default() };
    let (text, places) = written(state, review, &found, root, |exported| {
        let places: Vec<String> = exported.iter().map(Exported::place).collect();
        (message(&markdown(exported, &options), places.len()), places)
    });
    let asked = found.iter().map(|(_, thread)| thread.id).zip(places).collect();
    let mut files = Vec::new();
    for (placed, _) in &found {
        let path = path_in(review, placed, root).filter(|_| placed.side == Side::New);
        let attached = path.map(|path| Attachment::File(path.display().into_owned()));
        files.extend(attached.filter(|file| !files.contains(file) && files.len() < FILES));
    }
    let comments = Arc::new(Commented { of, asked, text: text.clone() });
    Some(Draft { text, attached: files, comments: Some(comments), ..Draft::default() })
}

/// The path of a thread's file from `root` on, if it lies below that.
fn path_in(review: &OpenReview, placed: &Placed, root: Option<&Path>) -> Option<RepoPath> {
    let path = review.path_on_disk(placed.file)?;
    let root = root?;
    let within = path.strip_prefix(root).ok().map(Path::to_owned);
    let within = within.or_else(|| Some(path.strip_prefix(root.canonicalize().ok()?).ok()?.to_owned()))?;
    Some(RepoPath::from_path(&within))
}

/// Does something with threads, where they are and what their lines say; paths are from `root` on, where there is one.
fn written<T>(
    state: &State,
    review: &OpenReview,
    found: &[(&Placed, &Thread)],
    root: Option<&Path>,
    write: impl FnOnce(&[Exported<'_>]) -> T,
) -> T {
    let code = |placed: &Placed| {
        let Some(Placement::At { lines, .. }) = &placed.placement else { return None };
        let side = side_lines(review, &state.documents, placed.file, placed.side)?;
        let side = side.as_lines();
        let text = |line| format!("{}\n", side.window(line, 0..side.len(line)));
        Some(lines.clone().map(text).collect::<String>().into_bytes())
    };
    let path = |placed: &Placed| {
        let entry = review.page.file(placed.file)?;
        Some(path_in(review, placed, root).unwrap_or_else(|| entry.change.path_of(placed.side).clone()))
    };
    let parts: Vec<_> = found.iter().map(|(placed, _)| (code(placed), path(placed))).collect();
    let exported: Vec<_> = found
        .iter()
        .zip(&parts)
        .filter_map(|((placed, thread), (code, path))| {
            let (path, placement) = (path.as_ref()?, placed.placement.as_ref()?);
            Some(Exported { thread, path, placement, code: code.as_deref() })
        })
        .collect();
    write(&exported)
}
