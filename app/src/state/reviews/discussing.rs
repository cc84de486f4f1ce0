//! Finding the lines that threads are about, in the contents as they are now.
//!
//! It is done off the UI thread, once for each contents of a file, whether it is loaded or not; while a document is typed
//! in, its comments go with the text ([`Pins`]). Until a place is found, its thread is not on the page.

use std::time::Duration;

use diff::comments::{Anchor, Id, Origin, Pins, Placement, place};
use diff::engine::{Cancelled, Engine};
use diff::git::{FileChange, RepoPath, Side};
use diff::lines::Content;
use diff::review::{FileEntry, LoaderOptions, NewSide, Outcome, compare_file};
use diff::source::Comparison;
use diff::ticks::ContentId;
use editor::Cancel;
use editor::text::Text;
use rustc_hash::{FxHashMap, FxHashSet};

use super::discussion::{Placed, Target};
use super::{FileIndex, OpenReview};
use crate::state::desk::ReviewDesk;
use crate::tasks::{Poll, Tasks};

/// One file whose threads' places are looked for; then with them.
pub(super) struct Job {
    file: FileIndex,
    generation: u64,
    contents: u32,
    /// The version of its document, where it has one.
    version: Option<u64>,
    change: FileChange,
    threads: Vec<(Id, Anchor)>,
    sides: Sides,
    found: Vec<(Id, Placement)>,
}

enum Sides {
    Loaded { old: Content, new: NewText },
    Unread,
}

enum NewText {
    Fixed(Content),
    Live(Text),
}

impl OpenReview {
    /// Keeps the places of threads right and what is typed kept. Once a frame; never waits; says when to look again.
    pub fn discuss(&mut self, desk: &mut ReviewDesk, tasks: &Tasks) -> Option<Duration> {
        let sheet = self.sheet?;
        let source = self.source_name();
        let wait = self.discussion.keep(desk, sheet, &source, false);
        let now = (desk.version(), self.generation);
        if self.discussion.seen != Some(now) {
            self.gather(desk);
            self.discussion.seen = Some(now);
        }
        self.take_places();
        self.follow_pins();
        self.ask_for_places(desk, tasks);
        wait
    }

    /// Keeps everything that is being written as it is now.
    pub fn keep_drafts(&mut self, desk: &mut ReviewDesk) {
        let Some(sheet) = self.sheet else { return };
        let source = self.source_name();
        self.discussion.keep(desk, sheet, &source, true);
    }

    /// What people call the review.
    pub fn source_name(&self) -> String {
        self.comparison.as_ref().map(|comparison| comparison.source().to_string()).unwrap_or_default()
    }

    /// Lists the threads of files that are in the review; those that were there keep their places.
    fn gather(&mut self, desk: &ReviewDesk) {
        let Some(comments) = self.sheet.and_then(|sheet| desk.comments(sheet)) else { return };
        let listed_anew = self.discussion.seen.is_some_and(|(_, generation)| generation != self.generation);
        let moved = |file: FileIndex| if listed_anew { self.moved.get(&file).copied() } else { Some(file) };
        let mut known: FxHashMap<Id, Placed> = std::mem::take(&mut self.discussion.placed)
            .into_iter()
            .filter_map(|placed| Some((placed.thread, Placed { file: moved(placed.file)?, ..placed })))
            .collect();
        self.discussion.composers.retain_mut(|composer| match &mut composer.target {
            // One that holds nothing goes with its file; what it holds is in the store by now or in a moment.
            Target::New { file, .. } => match moved(*file) {
                Some(now) => {
                    *file = now;
                    true
                }
                None => !composer.text.is_empty(),
            },
            Target::Reply(thread) => comments.thread(*thread).is_some() || !composer.text.is_empty(),
            Target::Draft { thread, message } | Target::Edit { thread, message } => {
                let thread = comments.thread(*thread);
                let is_there = thread.is_some_and(|thread| thread.messages.iter().any(|known| known.id == *message));
                // Typing on brings back what another window deleted meanwhile.
                is_there || !composer.text.is_empty()
            }
        });
        if comments.threads.is_empty() {
            return;
        }
        let files = self.files_by_path();
        for thread in &comments.threads {
            let (id, side) = (thread.id, thread.anchor.side);
            let Some(&file) = files.get(&thread.anchor.path) else { continue };
            let placed = known.remove(&id).filter(|placed| placed.file == file);
            let fresh = Placed { thread: id, file, side, placement: None, contents: u32::MAX };
            self.discussion.placed.push(placed.unwrap_or(fresh));
        }
        self.sort_threads();
    }

    fn files_by_path(&self) -> FxHashMap<RepoPath, FileIndex> {
        let files = || self.page.files().iter().enumerate();
        let old = files().filter_map(|(n, entry)| Some((entry.change.old_path.clone()?, n)));
        // A path that is one file's now is that file's, whatever else was once called so.
        old.chain(files().map(|(n, entry)| (entry.change.path.clone(), n))).collect()
    }

    fn sort_threads(&mut self) {
        let line = |placed: &Placed| placed.placement.as_ref().map(Placement::line);
        self.discussion.placed.sort_by_key(|placed| (placed.file, line(placed)));
    }

    fn take_places(&mut self) {
        let Some(task) = &self.discussion.job else { return };
        let jobs = match task.poll() {
            Poll::Pending => return,
            Poll::Ready(jobs) => jobs,
            Poll::Lost => Vec::new(),
        };
        self.discussion.job = None;
        for job in jobs {
            if job.generation == self.generation {
                self.take_job(job);
            }
        }
        self.sort_threads();
    }

    fn take_job(&mut self, job: Job) {
        let live = self.live.get_mut(&job.file);
        if live.as_ref().map(|live| live.version) != job.version {
            return; // typed in meanwhile: it is looked for again
        }
        let found: FxHashMap<Id, Placement> = job.found.into_iter().collect();
        let mut on_new = Vec::new();
        for placed in self.discussion.placed.iter_mut().filter(|placed| placed.file == job.file) {
            let Some(placement) = found.get(&placed.thread) else { continue };
            placed.placement = Some(placement.clone());
            placed.contents = job.contents;
            if placed.side == Side::New {
                on_new.push((placed.thread, placement));
            }
        }
        if let Some(live) = live {
            live.pins = Some(Pins::new(&live.text, on_new));
        }
    }

    /// Comments go with the text of documents.
    fn follow_pins(&mut self) {
        for placed in self.discussion.placed.iter_mut().filter(|placed| placed.side == Side::New) {
            let Some(live) = self.live.get(&placed.file) else { continue };
            let pin = live.pins.iter().flat_map(Pins::all).find(|pin| pin.thread == placed.thread);
            if let Some(pin) = pin {
                let now = pin.placement(&live.text);
                if placed.placement.as_ref() != Some(&now) {
                    placed.placement = Some(now);
                }
            }
        }
    }

    fn ask_for_places(&mut self, desk: &ReviewDesk, tasks: &Tasks) {
        if self.discussion.job.is_some() || self.is_listing() {
            return;
        }
        let Some(comments) = self.sheet.and_then(|sheet| desk.comments(sheet)) else { return };
        let Some(comparison) = &self.comparison else { return };
        let files: FxHashSet<FileIndex> =
            self.discussion.placed.iter().filter(|placed| self.is_unplaced(placed)).map(|placed| placed.file).collect();
        if files.is_empty() {
            return;
        }
        let jobs: Vec<Job> = files.into_iter().filter_map(|file| self.job(file, desk)).collect();
        let wanted = jobs.iter().flat_map(|job| &job.threads).filter_map(|(_, anchor)| anchor.origin);
        let origins: FxHashMap<ContentId, Origin> = wanted.filter_map(|id| Some((id, comments.origin(id)?))).collect();
        let (comparison, options) = (comparison.clone(), self.page.loader_options());
        self.discussion.job = Some(tasks.spawn("place comments", move |cancel| {
            let mut jobs = jobs;
            for job in &mut jobs {
                if job.look(&origins, &comparison, &options, cancel).is_err() {
                    break;
                }
            }
            jobs
        }));
    }

    /// Whether the place of a thread is not known for the contents that its file has now.
    fn is_unplaced(&self, placed: &Placed) -> bool {
        let Some(entry) = self.page.file(placed.file) else { return false };
        if placed.placement.is_none() {
            return true;
        }
        match self.live.get(&placed.file) {
            Some(live) if placed.side == Side::New => {
                live.pins.as_ref().is_none_or(|pins| pins.all().iter().all(|pin| pin.thread != placed.thread))
            }
            // What comes back as it was, or is not there now, is no other.
            _ => placed.contents != entry.renewals() && entry.whole_lines().is_some(),
        }
    }

    fn job(&self, file: FileIndex, desk: &ReviewDesk) -> Option<Job> {
        let entry = self.page.file(file)?;
        let comments = desk.comments(self.sheet?)?;
        let live = self.live.get(&file);
        let of_file = self.discussion.placed.iter().filter(|placed| placed.file == file);
        let threads = of_file
            .filter_map(|placed| Some((placed.thread, comments.thread(placed.thread)?.anchor.clone())))
            .collect();
        Some(Job {
            file,
            generation: self.generation,
            contents: entry.renewals(),
            version: live.map(|live| live.version),
            change: entry.change.clone(),
            threads,
            sides: sides(entry, live.map(|live| &live.text)),
            found: Vec::new(),
        })
    }
}

fn sides(entry: &FileEntry, live: Option<&Text>) -> Sides {
    let Some(lines) = entry.whole_lines() else { return Sides::Unread };
    let new = match (&lines.new, live) {
        (NewSide::Live(..), Some(text)) => NewText::Live(text.clone()),
        (NewSide::Live(_, text), None) => NewText::Live(text.clone()),
        (NewSide::Fixed(content), _) => NewText::Fixed(content.clone()),
    };
    Sides::Loaded { old: lines.old.clone(), new }
}

impl Job {
    fn look(
        &mut self,
        origins: &FxHashMap<ContentId, Origin>,
        comparison: &Comparison,
        options: &LoaderOptions,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        let contents = match &self.sides {
            Sides::Loaded { old, new: NewText::Fixed(new) } => Some((old.clone(), new.clone())),
            Sides::Loaded { old, new: NewText::Live(text) } => {
                Content::new(text.to_string().into_bytes()).ok().map(|new| (old.clone(), new))
            }
            Sides::Unread => read(comparison, &self.change, options, cancel)?,
        };
        let Some((old, new)) = contents else {
            let nowhere = |(id, _): &(Id, Anchor)| (*id, Placement::Stale { near: 0 });
            self.found = self.threads.iter().map(nowhere).collect();
            return Ok(());
        };
        for (side, content) in [(Side::Old, &old), (Side::New, &new)] {
            let of_side: Vec<_> = self.threads.iter().filter(|(_, anchor)| anchor.side == side).collect();
            let anchors = of_side.iter().map(|(_, anchor)| anchor);
            let placements = place(anchors, |id| origins.get(&id).cloned(), content, cancel)?;
            self.found.extend(of_side.iter().map(|(id, _)| *id).zip(placements));
        }
        Ok(())
    }
}

/// Reads a file whose contents are not at hand; none if it is not lines.
fn read(
    comparison: &Comparison,
    change: &FileChange,
    options: &LoaderOptions,
    cancel: &Cancel,
) -> Result<Option<(Content, Content)>, Cancelled> {
    let (outcome, _) = compare_file(&mut comparison.reader(), &mut Engine::new(), change, options, cancel)?;
    let Outcome::Lines { lines, .. } = outcome else { return Ok(None) };
    match lines.new {
        NewSide::Fixed(new) => Ok(Some((lines.old, new))),
        NewSide::Live(..) => Ok(None),
    }
}
