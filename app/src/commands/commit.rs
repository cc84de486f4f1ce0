//! Committing what is staged out of a review, and what follows from it.

use diff::git::Repo;
use eframe::egui;

use super::{Command, staging};
use crate::panes::Layout;
use crate::panes::review::commit::{What, message_id, repo};
use crate::shell::{Side, review_in_sight};
use crate::state::State;
use crate::state::commit::News;
use crate::state::documents::OpenDocument;
use crate::state::reviews::ReviewId;

/// Runs a command about the commit that is being written; whether it was one of these.
pub fn run_command(command: Command, state: &mut State, layout: &Layout, ctx: &egui::Context) -> bool {
    match command {
        Command::Commit => commit(state, layout),
        Command::AmendCommit => {
            let Some((_, repo)) = in_sight(state, layout) else { return false };
            let head = state.commits.about(repo.git_dir()).and_then(|about| about.head.clone());
            let draft = state.commits.draft(repo.git_dir());
            draft.set_amend(!draft.amend, head.as_deref());
            ctx.memory_mut(|memory| memory.request_focus(message_id()));
        }
        Command::StopCommit => {
            if state.commits.stop() {
                staging::follow_repository(state);
            }
        }
        Command::WriteCommit => {
            if in_sight(state, layout).is_none() {
                state.notices.info("There is no review to commit from: review the working tree first.");
                return true;
            }
            super::run::show_side(Side::Review, state, ctx);
            ctx.memory_mut(|memory| memory.request_focus(message_id()));
        }
        _ => return false,
    }
    true
}

/// Takes in what was found out and committed. Never waits.
pub fn take_results(state: &mut State) {
    match state.commits.take_results() {
        Some(News::Committed(id, subject)) => {
            state.notices.info(format!("Committed {id} \u{201c}{subject}\u{201d}."));
            staging::follow_repository(state);
        }
        Some(News::Failed) => staging::follow_repository(state),
        None => {}
    }
}

/// The review of a working tree that is in sight, and its repository.
fn in_sight(state: &State, layout: &Layout) -> Option<(ReviewId, Repo)> {
    let (id, _) = review_in_sight(layout)?;
    Some((id, repo(state.reviews.get(id)?)?))
}

fn commit(state: &mut State, layout: &Layout) {
    let Some((id, repo)) = in_sight(state, layout) else {
        state.notices.info("There is no review to commit from: review the working tree first.");
        return;
    };
    let draft = state.commits.draft(repo.git_dir());
    let (empty, amend) = (draft.is_empty(), draft.amend);
    let Some(review) = state.reviews.get(id) else { return };
    match What::of(review, amend) {
        _ if empty => state.notices.info("The commit has no message; say what it does."),
        What::Nothing => state.notices.info("Nothing is staged, and nothing differs from the last commit."),
        what => {
            if what == What::All {
                warn_of_unsaved(&repo, state);
            }
            state.commits.start(&repo, what == What::All, &state.tasks);
        }
    }
}

/// Everything on disk is committed: what is only in the editor is not.
fn warn_of_unsaved(repo: &Repo, state: &mut State) {
    let root = repo.root();
    let below = |open: &&OpenDocument| {
        open.is_dirty() && open.path.as_ref().zip(root).is_some_and(|(path, root)| path.starts_with(root))
    };
    let unsaved: Vec<String> =
        state.documents.iter().map(|(_, open)| open).filter(below).map(OpenDocument::title).collect();
    match unsaved.as_slice() {
        [] => {}
        [one] => state.notices.warn(format!("{one} is committed as it is on disk; its unsaved text is not.")),
        many => state.notices.warn(format!("{} files are committed as they are on disk, not as edited.", many.len())),
    }
}
