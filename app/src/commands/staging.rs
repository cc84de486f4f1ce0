//! Staging, unstaging and discarding: from what was pointed at in a review to a job, and what follows from its outcome.

use diff::engine::Hunk;
use diff::git::Status;
use diff::review::{FileEntry, NewSide};
use diff::source::Comparison;
use diff::staging::{Chosen, FileStage};
use eframe::egui;

use super::{Action, Command, run};
use crate::panes::{self, Layout, Pane};
use crate::shell::ask::Question;
use crate::state::State;
use crate::state::chats::rounds;
use crate::state::documents::OpenDocument;
use crate::state::notices::Level;
use crate::state::reviews::{FileIndex, OpenReview, ReviewId};
use crate::state::stages::{Kind, NewText};
use crate::state::staging::{Act, Job, Open, Outcome, Part, Picked};
use crate::state::trash;

/// Bytes of files beyond which a discard is not kept to be undone without asking first.
const LARGE: u64 = 256 << 20;

/// What of a review is meant.
#[derive(Clone, Debug)]
pub enum Target {
    /// Every file that is shown.
    All,
    File(FileIndex),
    Hunk(FileIndex, Hunk),
    Lines(FileIndex, Chosen),
}

/// What is asked for in a review.
#[derive(Clone)]
pub struct StagingAction {
    pub review: ReviewId,
    pub act: Act,
    pub target: Target,
    /// The user was asked, or does not need to be.
    pub asked: bool,
}

/// Carries out what was asked for, after asking back where it could not be undone.
pub fn run_action(action: StagingAction, state: &mut State) {
    let Some(review) = state.reviews.get(action.review) else { return };
    let job = match job(action.review, review, state, action.act, &action.target) {
        Ok(job) => job,
        Err(why) => return state.notices.info(why),
    };
    if matches!(action.act, Act::Discard | Act::Reject)
        && !action.asked
        && let Some(why) = cannot_be_undone(&job)
    {
        let verb = if action.act == Act::Reject { "Reject" } else { "Discard" };
        let title = format!("{verb} {}?", job.said);
        let action = Action::Staging(StagingAction { asked: true, ..action });
        state.shell.question = Some(Question::new(title, why, verb, action));
        return;
    }
    let unsaved: Vec<_> = job.picks.iter().filter(|pick| pick.open.as_ref().is_some_and(|open| open.dirty)).collect();
    if let (Act::Stage, [first, ..]) = (action.act, unsaved.as_slice()) {
        let name = first.change.path.display();
        state.notices.info(format!("{name} is staged as it is in the editor; what is on disk was not saved."));
    }
    state.staging.ask(job);
    state.tasks.waker().wake();
}

/// Runs a command about what the reader is at; whether it was one of these.
pub fn run_command(command: Command, state: &mut State, layout: &mut Layout) -> bool {
    let (act, whole) = match command {
        Command::Stage | Command::StageAnywhere => (Act::Stage, None),
        Command::Unstage | Command::UnstageAnywhere => (Act::Unstage, None),
        Command::Discard | Command::DiscardAnywhere => (Act::Discard, None),
        Command::StageFile => (Act::Stage, Some(false)),
        Command::UnstageFile => (Act::Unstage, Some(false)),
        Command::AcceptChange | Command::RejectChange => {
            let act = if command == Command::AcceptChange { Act::Accept } else { Act::Reject };
            return decide_in_editor(act, state, layout);
        }
        Command::DiscardFile => (Act::Discard, Some(false)),
        Command::StageAll => (Act::Stage, Some(true)),
        Command::UnstageAll => (Act::Unstage, Some(true)),
        Command::DiscardAll => (Act::Discard, Some(true)),
        Command::UndoDiscard => {
            match state.staging.undo_discard(&mut state.documents) {
                Ok(()) => state.tasks.waker().wake(),
                Err(why) => state.notices.info(why),
            }
            return true;
        }
        Command::UndoStaging => {
            match state.staging.undo_staging() {
                true => state.tasks.waker().wake(),
                false => state.notices.info("Nothing was staged or unstaged here."),
            }
            return true;
        }
        _ => return false,
    };
    let Some(Pane::Review(pane)) = layout.active() else { return false };
    let Some(review) = state.reviews.get(pane.review) else { return false };
    // Where nothing can be staged, changes can be decided on.
    let act = match act {
        Act::Stage if review.can_decide() => Act::Accept,
        Act::Discard if review.can_decide() => Act::Reject,
        act => act,
    };
    let target = match whole {
        Some(true) => Some(Target::All),
        Some(false) => Some(Target::File(panes::review::file_here(pane))),
        None => panes::review::target_here(pane, review, &state.documents),
    };
    let Some(target) = target else {
        state.notices.info("There is no change here: go to one with the next-hunk key, or select lines of it.");
        return true;
    };
    run_action(StagingAction { review: pane.review, act, target, asked: false }, state);
    true
}

/// Accepts or rejects what an agent changed at the caret of an editor.
fn decide_in_editor(act: Act, state: &mut State, layout: &Layout) -> bool {
    let Some(Pane::Editor(pane)) = layout.active() else { return false };
    match panes::editor::target_here(pane, state) {
        Some((review, target)) => run_action(StagingAction { review, act, target, asked: false }, state),
        None => state.notices.info("The agent changed nothing at the caret that is left to be decided on."),
    }
    true
}

/// Takes in what was done: reviews, documents and notices follow. Never waits.
pub fn take_results(state: &mut State, layout: &mut Layout, ctx: &egui::Context) {
    let Some(outcome) = state.staging.take_results(&mut state.documents, &state.tasks) else { return };
    let Outcome { act, review, trashed, said, error, can_undo, kept } = outcome;
    if let Some((id, kept)) = kept
        && let Some(review) = state.reviews.get_mut(id)
    {
        if let (Some(session), Some(before)) = (state.unreviewed.session(id), &review.comparison) {
            let files = rounds::accepted(before.kept(), &kept);
            state.chats.accept(session.clone(), files, &state.tasks);
        }
        review.keep(kept, &state.tasks);
    }
    match error {
        Some(error) => state.notices.error(error),
        None if can_undo => {
            let done = if act == Some(Act::Reject) { "Rejected" } else { "Discarded" };
            state.notices.offer(Level::Info, format!("{done} {said}."), Command::UndoDiscard, "Undo");
        }
        None => {}
    }
    match (act, review.and_then(|review| state.unreviewed.session(review)).cloned()) {
        // It is looked at once it is kept.
        (Some(Act::Accept), _) => {}
        (Some(_), Some(session)) => state.unreviewed.reject(session),
        (Some(_), None) => {}
        (None, _) => state.unreviewed.look_again(),
    }
    let gone: Vec<_> = state
        .documents
        .iter()
        .filter(|(_, open)| !open.is_dirty() && open.path.as_ref().is_some_and(|path| trashed.contains(path)))
        .map(|(id, _)| id)
        .collect();
    for id in gone {
        run::run(Action::CloseDocument(id), state, layout, ctx);
    }
    follow_repository(state);
}

/// The repository, or what is on disk, is another one now: reviews and documents look again.
pub fn follow_repository(state: &mut State) {
    for (_, review) in state.reviews.iter_mut() {
        if review.comparison.is_some() {
            review.refresh(&state.tasks);
        }
    }
    let ids: Vec<_> = state.documents.iter().map(|(id, _)| id).collect();
    for id in ids {
        state.documents.look_at(id);
    }
}

/// Why a discard could not be taken back, if it could not.
fn cannot_be_undone(job: &Job) -> Option<String> {
    let all_new = |pick: &Picked| pick.change.old.is_none() && matches!(pick.part, Part::File);
    if !trash::CAN_RESTORE && job.picks.iter().any(all_new) {
        return Some("New files move to the trash, from where only the system brings them back.".to_owned());
    }
    let size = |pick: &Picked| pick.change.new.as_ref().and_then(|new| new.size).unwrap_or(0);
    let bytes: u64 = job.picks.iter().filter(|pick| !all_new(pick)).map(size).sum();
    let mib = bytes >> 20;
    (bytes > LARGE).then(|| format!("To undo this, {mib} MiB are kept in memory until the window closes."))
}

/// Why something cannot be done out of a review, for people.
fn refusal(act: Act, review: &OpenReview) -> Option<String> {
    let source = review.comparison.as_ref().map(|found| found.source().to_string()).unwrap_or_default();
    let possible = match (act, review.stages.kind()) {
        (Act::Accept | Act::Reject, _) => review.comparison.as_ref().is_some_and(Comparison::can_accept),
        (_, Kind::None) => false,
        (Act::Stage | Act::Discard, kind) => kind != Kind::Staged,
        (Act::Unstage, kind) => kind != Kind::Unstaged,
    };
    let act = match act {
        Act::Stage => "staged",
        Act::Unstage => "unstaged",
        Act::Discard => "discarded",
        Act::Accept => "accepted",
        Act::Reject => "rejected",
    };
    (!possible).then(|| format!("Nothing can be {act} in a review of {source}: review the working tree for that."))
}

fn job(id: ReviewId, review: &OpenReview, state: &State, act: Act, target: &Target) -> Result<Job, String> {
    if let Some(why) = refusal(act, review) {
        return Err(why);
    }
    let Some(comparison) = review.comparison.clone() else { return Err("The changes are still listed.".to_owned()) };
    let files: Vec<FileIndex> = match target {
        Target::All => (0..review.page.files().len()).filter(|&file| is_meant(review, file, act)).collect(),
        Target::File(file) | Target::Hunk(file, _) | Target::Lines(file, _) => vec![*file],
    };
    let picks: Vec<_> = files.iter().filter_map(|&file| picked(review, state, act, file, target)).collect();
    let Some(first) = picks.first() else { return Err("There is nothing to choose here.".to_owned()) };
    let name = first.change.path.display().into_owned();
    let said = match target {
        Target::All if picks.len() == 1 => name,
        Target::All => format!("{} files", picks.len()),
        Target::File(_) => name,
        Target::Hunk(..) => format!("a hunk of {name}"),
        Target::Lines(..) => match &first.part {
            Part::Lines { hunks, chosen, .. } => {
                let lines: u32 = hunks.iter().map(|hunk| count(chosen, hunk)).sum();
                if lines == 0 {
                    return Err("No changed line is selected.".to_owned());
                }
                format!("{lines} {} of {name}", if lines == 1 { "line" } else { "lines" })
            }
            Part::File => name,
        },
    };
    Ok(Job { review: id, act, comparison, picks, said })
}

fn count(chosen: &Chosen, hunk: &Hunk) -> u32 {
    use diff::git::Side;
    chosen.count_in(Side::Old, &hunk.old) + chosen.count_in(Side::New, &hunk.new)
}

/// Whether a file is among all that an act is about.
fn is_meant(review: &OpenReview, file: FileIndex, act: Act) -> bool {
    let Some(entry) = review.page.file(file).filter(|entry| !entry.hidden) else { return false };
    match (act, review.stages.of_file(&entry.change)) {
        (_, Some(FileStage::Conflict)) => false,
        (Act::Stage, stage) => stage != Some(FileStage::Staged),
        (Act::Unstage, stage) => matches!(stage, Some(FileStage::Staged | FileStage::Partly)),
        (Act::Discard | Act::Accept | Act::Reject, _) => true,
    }
}

fn picked(review: &OpenReview, state: &State, act: Act, file: FileIndex, target: &Target) -> Option<Picked> {
    let entry = review.page.file(file)?;
    let change = entry.change.clone();
    let path = review.live_path(file).or_else(|| review.path_on_disk(file));
    let open = review.document(file).and_then(|id| {
        let open = state.documents.get(id)?;
        Some(self::open(id, open))
    });
    let dirty = open.as_ref().is_some_and(|open| open.dirty);
    let part = match target {
        // Of unsaved text there is no file to take whole: it is all of its lines.
        Target::All | Target::File(_) if dirty || matches!(act, Act::Accept | Act::Reject) => {
            lines_of(review, entry, file, None, true)?
        }
        Target::All | Target::File(_) => Part::File,
        Target::Hunk(_, hunk) => lines_of(review, entry, file, Some(Chosen::hunks(std::slice::from_ref(hunk))), false)?,
        Target::Lines(_, chosen) => lines_of(review, entry, file, Some(chosen.clone()), false)?,
    };
    let stage = review.stages.of_file(&change);
    let staged = act == Act::Discard
        && review.stages.kind() == Kind::Between
        && matches!(stage, Some(FileStage::Staged | FileStage::Partly))
        && change.status != Status::Unmerged;
    Some(Picked { change, part, open, staged, path })
}

fn open(id: crate::state::documents::DocumentId, open: &OpenDocument) -> Open {
    Open {
        id,
        version: open.document.version(),
        text: open.document.text().clone(),
        encoding: open.on_disk.encoding,
        bom: open.on_disk.bom,
        dirty: open.is_dirty(),
    }
}

/// Lines of a file as they are shown, all of them if none are named.
fn lines_of(
    review: &OpenReview,
    entry: &FileEntry,
    file: FileIndex,
    chosen: Option<Chosen>,
    mode: bool,
) -> Option<Part> {
    let lines = entry.whole_lines()?;
    let new = match (&lines.new, review.live_text(file)) {
        (NewSide::Fixed(content), _) => NewText::Fixed(content.clone()),
        (NewSide::Live(..), Some(text)) => NewText::Live(text.clone()),
        (NewSide::Live(_, text), None) => NewText::Live(text.clone()),
    };
    let hunks = lines.hunks().to_vec();
    let chosen = chosen.unwrap_or_else(|| Chosen::hunks(&hunks));
    Some(Part::Lines { old: lines.old.clone(), new, hunks, chosen, mode })
}
