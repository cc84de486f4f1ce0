//! Into the index and out of it.
//!
//! Whole files are taken from the disk by git, as `git add` takes them. Parts are composed here, stored, and written as
//! entries by their names. A plan is made for everything before anything is written.

use editor::Cancel;

use super::seen::{
    Base, Written, base_of, check_has_parts, check_whole, content, entry_of, left_path, live_path, old_entry,
    refuse_filter, same, stored_text,
};
use super::{Chosen, Extent, Pick, Shown, Stages, StagingError, What};
use crate::git::{BlobSource, FileChange, IndexEntry, Mode, ObjectId, Reader, Repo, RepoPath, Side};
use crate::lines::{Bytes, Content};
use crate::source::{Comparison, Source};

/// Stages what was picked out of a comparison with the working tree. Returns the entries that the index had, for
/// [`write_back`]; those of a conflict, which staging resolves, are not among them.
pub fn stage(comparison: &Comparison, picks: &[Pick<'_>], cancel: &Cancel) -> Result<Vec<IndexEntry>, StagingError> {
    let mut work = Work::new(comparison, cancel, "staged")?;
    if !matches!(work.source, Source::WorkingTree { .. } | Source::Unstaged) {
        return Err(work.not_here("staged"));
    }
    for pick in picks {
        work.check_cancelled()?;
        match pick.what {
            What::File => work.stage_file(pick.change)?,
            What::Parts { lines, mode } => work.stage_parts(pick, lines, mode)?,
        }
    }
    work.carry_out()
}

/// Takes what was picked out of the index again, back to what HEAD has, out of a comparison with HEAD. Returns the entries
/// that the index had, for [`write_back`].
pub fn unstage(comparison: &Comparison, picks: &[Pick<'_>], cancel: &Cancel) -> Result<Vec<IndexEntry>, StagingError> {
    let mut work = Work::new(comparison, cancel, "unstaged")?;
    if !matches!(work.source, Source::WorkingTree { .. } | Source::Staged) {
        return Err(work.not_here("unstaged"));
    }
    for pick in picks {
        work.check_cancelled()?;
        match pick.what {
            What::File => work.unstage_file(pick.change)?,
            What::Parts { lines, mode } => work.unstage_parts(pick, lines, mode)?,
        }
    }
    work.carry_out()
}

/// Makes entries those of the index again: undoes a [`stage`] or [`unstage`].
pub fn write_back(repo: &Repo, entries: &[IndexEntry]) -> Result<(), StagingError> {
    Ok(repo.write_index(entries)?)
}

/// What is to become of the index.
#[derive(Default)]
struct Plan {
    /// What is there now, of all that is touched.
    before: Vec<IndexEntry>,
    /// Paths to be taken from the disk.
    from_disk: Vec<RepoPath>,
    /// Entries by name.
    entries: Vec<IndexEntry>,
    /// Entries whose content is still to be stored.
    composed: Vec<(RepoPath, Mode, Vec<u8>)>,
}

struct Work<'a> {
    repo: &'a Repo,
    source: &'a Source,
    reader: Reader,
    plan: Plan,
    cancel: &'a Cancel,
}

/// What is left of a file once lines of it were taken.
enum Composed {
    /// What there was.
    Unchanged,
    /// Nothing.
    Gone,
    Text(Vec<u8>),
}

impl<'a> Work<'a> {
    fn new(comparison: &'a Comparison, cancel: &'a Cancel, act: &'static str) -> Result<Self, StagingError> {
        let source = comparison.source();
        let Some(repo) = comparison.repo() else {
            return Err(StagingError::NotHere { shown: source.clone(), act });
        };
        Ok(Self { repo, source, reader: repo.reader(), plan: Plan::default(), cancel })
    }

    fn not_here(&self, act: &'static str) -> StagingError {
        StagingError::NotHere { shown: self.source.clone(), act }
    }

    fn check_cancelled(&self) -> Result<(), StagingError> {
        Ok(self.cancel.check()?)
    }

    fn stage_file(&mut self, change: &FileChange) -> Result<(), StagingError> {
        for path in [&change.path].into_iter().chain(left_path(change)) {
            match entry_of(self.repo, path) {
                Ok(there) => self.plan.before.push(entry(path, there)),
                // It is resolved; its three entries are not brought back by one.
                Err(StagingError::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
            self.plan.from_disk.push(path.clone());
        }
        Ok(())
    }

    fn stage_parts(
        &mut self,
        pick: &Pick<'_>,
        lines: Option<(Shown<'_>, &Chosen)>,
        mode: bool,
    ) -> Result<(), StagingError> {
        let change = pick.change;
        check_has_parts(change)?;
        let base = base_of(self.repo, change)?;
        let new_mode = change.new.as_ref().map(|new| new.mode);
        let base_mode = base.entry.map(|(mode, _)| mode);
        let (wanted, other) = if mode { (new_mode, base_mode) } else { (base_mode, new_mode) };
        let Some(mode) = wanted.or(other) else { return Ok(()) };
        let composed = match lines {
            Some((shown, chosen)) => self.staged_text(pick, &base, shown, chosen)?,
            None => Composed::Unchanged,
        };
        self.put(&change.path, &base, mode, composed);
        if let Some(left) = left_path(change).filter(|_| base.left.is_some()) {
            self.put_entry(left, base.left, None);
        }
        Ok(())
    }

    /// What the index is to have of a file once the chosen lines are staged.
    fn staged_text(
        &mut self,
        pick: &Pick<'_>,
        base: &Base,
        shown: Shown<'_>,
        chosen: &Chosen,
    ) -> Result<Composed, StagingError> {
        let change = pick.change;
        let path = &change.path;
        let (old, new) = self.texts(pick, &shown)?;
        let is_old = base.entry.map(|(_, id)| id) == old_entry(change).map(|(_, id)| id);
        let chosen = chosen.within(shown.hunks);
        let (written, taken) = if is_old {
            (Written::new(path, &shown, (old, new), self.cancel)?, chosen)
        } else {
            let index = stored_text(&mut self.reader, &base.path, base.entry, None)?.stored;
            let three = self.three(path, &shown, [old, index, new])?;
            if let Some(staged) = three.staged_as_shown() {
                let then = staged.with(&chosen);
                return Ok(three.composed(&staged, &then, change));
            }
            let (hunks, taken) = three.stages.to_stage(&chosen);
            (Written::of_stages(&three.index, &three.shown.new, hunks), taken)
        };
        Ok(match taken.extent(written.hunks()) {
            Extent::None => Composed::Unchanged,
            Extent::All if change.new.is_none() => Composed::Gone,
            Extent::All | Extent::Some => Composed::Text(written.compose(&taken, Side::Old)),
        })
    }

    fn unstage_file(&mut self, change: &FileChange) -> Result<(), StagingError> {
        for path in [&change.path].into_iter().chain(left_path(change)) {
            let (now, head) = (entry_of(self.repo, path)?, self.repo.in_head(path)?);
            self.put_entry(path, now, head);
        }
        Ok(())
    }

    fn unstage_parts(
        &mut self,
        pick: &Pick<'_>,
        lines: Option<(Shown<'_>, &Chosen)>,
        mode: bool,
    ) -> Result<(), StagingError> {
        let change = pick.change;
        check_has_parts(change)?;
        let head = self.repo.in_head(change.path_of(Side::Old))?;
        if head != old_entry(change) {
            return Err(StagingError::NotHead { path: change.path.clone() });
        }
        let base = base_of(self.repo, change)?;
        let (head_mode, base_mode) = (head.map(|(mode, _)| mode), base.entry.map(|(mode, _)| mode));
        let (wanted, other) = if mode { (head_mode, base_mode) } else { (base_mode, head_mode) };
        let Some(mode) = wanted.or(other) else { return Ok(()) };
        let composed = match lines {
            Some((shown, chosen)) => self.unstaged_text(pick, &base, shown, chosen)?,
            None => Composed::Unchanged,
        };
        // Under the name that it has in the index: what was moved stays moved.
        self.put(&base.path, &base, mode, composed);
        Ok(())
    }

    /// What the index is to have of a file once the chosen lines are unstaged.
    fn unstaged_text(
        &mut self,
        pick: &Pick<'_>,
        base: &Base,
        shown: Shown<'_>,
        chosen: &Chosen,
    ) -> Result<Composed, StagingError> {
        let change = pick.change;
        let path = &change.path;
        let chosen = chosen.within(shown.hunks);
        let index = stored_text(&mut self.reader, &base.path, base.entry, None)?;
        let (written, undone) = if *self.source == Source::Staged {
            check_whole(path, &shown)?;
            let old = stored_text(&mut self.reader, change.path_of(Side::Old), old_entry(change), None)?;
            same(path, shown.old, &old.shown)?;
            same(path, shown.new, &index.shown)?;
            (Written::new(path, &shown, (old.stored, index.stored), self.cancel)?, chosen)
        } else {
            let (old, new) = self.texts(pick, &shown)?;
            let three = self.three(path, &shown, [old, index.stored, new])?;
            if let Some(staged) = three.staged_as_shown() {
                let then = staged.without(&chosen);
                return Ok(three.composed(&staged, &then, change));
            }
            let (hunks, undone) = three.stages.to_unstage(&chosen);
            (Written::of_stages(&three.shown.old, &three.index, hunks), undone)
        };
        Ok(match undone.extent(written.hunks()) {
            Extent::None => Composed::Unchanged,
            Extent::All if old_entry(change).is_none() => Composed::Gone,
            Extent::All | Extent::Some => Composed::Text(written.compose(&undone.rest(written.hunks()), Side::New)),
        })
    }

    /// Both sides of a comparison with the disk, as git stores them; they must still be what was shown.
    fn texts(&mut self, pick: &Pick<'_>, shown: &Shown<'_>) -> Result<(Bytes, Bytes), StagingError> {
        let change = pick.change;
        let path = &change.path;
        check_whole(path, shown)?;
        let old = stored_text(&mut self.reader, change.path_of(Side::Old), old_entry(change), live_path(change))?;
        same(path, shown.old, &old.shown)?;
        let new = match change.new.as_ref().map(|new| &new.source) {
            None => Bytes::default(),
            Some(BlobSource::WorkTree(_)) => {
                refuse_filter(&mut self.reader, path)?;
                let bytes = pick.unsaved.map_or_else(|| self.reader.on_disk(path), |bytes| Ok(bytes.clone()))?;
                same(path, shown.new, &self.reader.disk_shown(path, &bytes)?.bytes)?;
                self.reader.disk_as_stored(path, &bytes)?
            }
            Some(_) => return Err(StagingError::NotOnDisk { path: path.clone() }),
        };
        Ok((old.stored, new))
    }

    /// How the index stands between the two sides that were shown; all three as git stores them.
    fn three(&self, path: &RepoPath, shown: &Shown<'_>, texts: [Bytes; 3]) -> Result<Three, StagingError> {
        let [old, index, new] = texts;
        let index = content(path, index)?;
        let shown = Written::new(path, shown, (old, new), self.cancel)?;
        let stages = Stages::compare(&shown.old, &index, &shown.new, self.cancel)?;
        Ok(Three { shown, index, stages })
    }

    /// Plans what is at a path, and that what moved there is no longer where it was.
    fn put(&mut self, path: &RepoPath, base: &Base, mode: Mode, composed: Composed) {
        let there = if base.path == *path { base.entry } else { None };
        match composed {
            Composed::Text(text) => {
                self.plan.before.push(entry(path, there));
                self.plan.composed.push((path.clone(), mode, text));
            }
            Composed::Unchanged => self.put_entry(path, there, base.entry.map(|(_, id)| (mode, id))),
            Composed::Gone => self.put_entry(path, there, None),
        }
        if base.path != *path {
            self.put_entry(&base.path, base.entry, None);
        }
    }

    fn put_entry(&mut self, path: &RepoPath, now: Option<(Mode, ObjectId)>, then: Option<(Mode, ObjectId)>) {
        if now != then {
            self.plan.before.push(entry(path, now));
            self.plan.entries.push(entry(path, then));
        }
    }

    fn carry_out(self) -> Result<Vec<IndexEntry>, StagingError> {
        let Self { repo, plan, .. } = self;
        let Plan { before, from_disk, mut entries, composed } = plan;
        let texts: Vec<&[u8]> = composed.iter().map(|(_, _, text)| &text[..]).collect();
        let ids = repo.store_blobs(&texts)?;
        entries.extend(composed.iter().zip(ids).map(|((path, mode, _), id)| entry(path, Some((*mode, id)))));
        // What may be refused comes first: filters fail, files cannot be read.
        repo.add_from_disk(&from_disk.iter().collect::<Vec<_>>())?;
        repo.write_index(&entries)?;
        Ok(before)
    }
}

/// A comparison that does not show the index, and the index.
struct Three {
    shown: Written,
    index: Content,
    stages: Stages,
}

impl Three {
    /// The lines that are staged, if the index is what is shown with these lines taken and no others: then whatever is
    /// chosen next is a matter of what is shown alone, and of no order in which it was staged.
    fn staged_as_shown(&self) -> Option<Chosen> {
        let staged = self.stages.staged_lines(self.shown.hunks());
        (self.shown.compose(&staged, Side::Old) == **self.index.bytes()).then_some(staged)
    }

    /// What the index is to have when other lines are to be staged than are.
    fn composed(&self, now: &Chosen, then: &Chosen, change: &FileChange) -> Composed {
        match then.extent(self.shown.hunks()) {
            _ if then == now => Composed::Unchanged,
            Extent::None if change.old.is_none() => Composed::Gone,
            Extent::All if change.new.is_none() => Composed::Gone,
            Extent::None | Extent::Some | Extent::All => Composed::Text(self.shown.compose(then, Side::Old)),
        }
    }
}

fn entry(path: &RepoPath, content: Option<(Mode, ObjectId)>) -> IndexEntry {
    IndexEntry { path: path.clone(), content }
}
