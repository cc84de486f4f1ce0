//! Actions that change files: permission, checkpoint, writing, record; in that order.

use editor::Cancel;

use super::act::Done;
use super::{Agent, Running, prompt};
use crate::action::Action;
use crate::audit::{self, Deed};
use crate::change::patch;
use crate::context::Shown;
use crate::edit::{self, EditError, Edited, Rung, Target};
use crate::event::{ChangeKind, EventKind, FileChange, Moment};
use crate::host::{Ask, FileText, HostError, ProjectPath, Scope};
use crate::protocol::{Item, teach};
use crate::provider::EditForm;
use crate::session::{Author, FileState};
use crate::tool::{Outcome, fenced};

/// Edits in blocks that fail in a row before another form is taught.
const MISSES: u32 = 2;

/// What would become of a file.
pub(super) struct Draft {
    pub(super) path: ProjectPath,
    pub(super) before: Option<FileText>,
    pub(super) edited: Result<Edited, EditError>,
}

impl Draft {
    /// Whether it cannot be, or is what is there already but for blank lines.
    fn comes_to_nothing(&self) -> bool {
        let said =
            |text: &str| text.lines().map(str::trim_end).filter(|line| !line.is_empty()).map(str::to_owned).collect();
        let before: Option<Vec<String>> = self.before.as_ref().map(|file| said(&file.text));
        match &self.edited {
            Ok(edited) => edited.already || before == Some(said(&edited.text)),
            Err(_) => true,
        }
    }
}

impl Agent {
    /// Does an action that changes a file.
    pub(super) fn write(&mut self, run: &mut Running, number: u32, action: &Action, cancel: &Cancel) -> Done {
        let done = match action {
            Action::RenameFile { from, to } => self.rename(run, number, (from, to), cancel),
            Action::DeleteFile { path } => self.delete(run, number, path, cancel),
            action => self.edit(run, number, action, cancel),
        };
        done.unwrap_or_else(Done::from)
    }

    /// Why an edit was not made, as the model is told it.
    fn refused(&self, error: &EditError, path: &str) -> Outcome {
        Outcome::failed(teach::edit_error(error, path, self.edit_form()))
    }

    /// What an action that writes content would make of its file, with nothing done yet.
    pub(super) fn draft(&self, run: &Running, action: &Action) -> Result<Draft, Outcome> {
        let written = action.path().map(str::to_owned).or_else(|| self.only_file(run));
        let written = written.ok_or_else(|| self.refused(&EditError::NoPath, ""))?;
        let mut path = ProjectPath::parse(&written).map_err(|error| Outcome::failed(error.to_string()))?;
        let mut before = self.before(&path)?;
        if before.is_none()
            && let Some(meant) = self.meant(run, action, &path)
        {
            before = self.before(&meant)?;
            path = meant;
        }
        let text = before.as_ref().map(|file| file.text.as_str());
        // A model knows secrets by their names only.
        let action = action.with_written(|part| self.world.secrets.restore(part, text.unwrap_or_default()));
        let failed = run.failures.get(path.as_str()).copied().unwrap_or(0);
        // Who asks for it by hand sees what the file becomes, however long it is.
        let failed = if run.said_in.is_some() { u32::MAX } else { failed };
        let edited = edit::apply(&action, Target { path: path.as_str(), before: text, failed });
        Ok(Draft { path, before, edited })
    }

    /// Whether a reply is nothing but code that cannot be taken, or that the files have already.
    pub(super) fn comes_to_nothing(&self, run: &Running, items: &[Item]) -> bool {
        let fails = |item: &Item| match item {
            Item::Action(action) if action.writes_content() => match self.draft(run, action) {
                Ok(draft) => draft.comes_to_nothing(),
                Err(_) => true,
            },
            Item::Action(Action::Done) => true,
            Item::Action(_) | Item::Malformed(_) => false,
        };
        let writes = |item: &Item| matches!(item, Item::Action(action) if action.writes_content());
        items.iter().any(writes) && items.iter().all(fails)
    }

    fn edit(&mut self, run: &mut Running, number: u32, action: &Action, cancel: &Cancel) -> Result<Done, Outcome> {
        let Draft { path, before, edited } = self.draft(run, action)?;
        let text = before.as_ref().map(|file| file.text.as_str());
        let edited = edited.map_err(|error| {
            *run.failures.entry(path.as_str().to_owned()).or_default() += 1;
            if matches!(error, EditError::Unchanged | EditError::SameHalves { .. }) {
                // Asked coldly again, it would see nothing again.
                run.same += 1;
                run.stuck = true;
            }
            let mut text = self.refused(&error, path.as_str()).text;
            if let Some(form) = self.missed(run, action) {
                text.push_str(&format!("\n{form}"));
            }
            Outcome::failed(self.world.secrets.file(path.as_str(), &text).text.into_owned())
        })?;
        if edited.already {
            return Ok(Outcome::done(format!("`{path}` has exactly this already; nothing was written")).into());
        }
        self.permit_edit(run, number, &path, text, &edited, cancel)?;
        self.write_text(run, &path, before.as_ref(), &edited.text)?;
        run.failures.remove(path.as_str());
        self.misses = 0;
        let kind = if before.is_some() { ChangeKind::Modified } else { ChangeKind::Created };
        let before = before.map_or(String::new(), |file| file.text);
        let changes = vec![FileChange::between(path.as_str(), kind, &before, &edited.text)];
        Ok(Done { outcome: self.told(&path, &before, &edited), changes })
    }

    /// Counts edits in blocks that could not be applied. After two in a row another form is taught: here with the error,
    /// in the prompt of the runs that follow.
    fn missed(&mut self, run: &Running, action: &Action) -> Option<String> {
        if !matches!(action, Action::EditFile { .. }) || self.native || self.edit_form() != EditForm::Blocks {
            return None;
        }
        self.misses += 1;
        if self.misses < MISSES {
            return None;
        }
        let form = EditForm::Symbol;
        let path = action.path().map(str::to_owned).or_else(|| self.only_file(run));
        self.misses = 0;
        self.next_form = Some(form);
        Some(prompt::instead(form, path.as_deref()))
    }

    /// The file that code without a file of its own is for: small models write the folder of an example before the name
    /// of the file that is under discussion.
    fn meant(&self, run: &Running, action: &Action, path: &ProjectPath) -> Option<ProjectPath> {
        if !matches!(action, Action::WriteCode { .. } | Action::WriteSymbol { .. } | Action::EditFile { .. }) {
            return None;
        }
        let known = self.shown_paths().into_iter().chain(run.changed.iter().cloned());
        let mut same: Vec<_> = known.filter(|known| known.rsplit('/').next() == Some(path.name())).collect();
        same.sort();
        same.dedup();
        match &same[..] {
            [only] => ProjectPath::parse(only).ok(),
            _ => None,
        }
    }

    fn before(&self, path: &ProjectPath) -> Result<Option<FileText>, Outcome> {
        match self.setup.host.read(path) {
            Ok(file) => Ok(Some(file)),
            Err(HostError::Missing(_)) => Ok(None),
            Err(error) => Err(Outcome::failed(error.to_string())),
        }
    }

    fn permit_edit(
        &mut self,
        run: &mut Running,
        number: u32,
        path: &ProjectPath,
        before: Option<&str>,
        edited: &Edited,
        cancel: &Cancel,
    ) -> Result<(), Outcome> {
        let ask = Ask {
            title: format!("{} {path}", if before.is_some() { "edit" } else { "create" }),
            reason: "it changes a file".to_owned(),
            patch: patch(before.unwrap_or_default(), &edited.text).0,
            scope: Scope { kind: "edit".to_owned(), folder: path.folder() },
        };
        self.permit(run, number, &ask, cancel)
    }

    pub(super) fn write_text(
        &mut self,
        run: &mut Running,
        path: &ProjectPath,
        before: Option<&FileText>,
        text: &str,
    ) -> Result<(), Outcome> {
        let host = self.setup.host.clone();
        let state = self.keep(run, &[path])?;
        let written = match before {
            Some(before) => host.write(path, text, before),
            None => host.create(path, text),
        };
        written.map_err(|error| Outcome::failed(error.to_string()))?;
        let old = before.map_or("", |file| file.text.as_str());
        let author = Author {
            session: self.session.clone(),
            run: run.said_in.unwrap_or(run.number),
            step: run.step,
            model: self.setup.chat.spec().name.clone(),
            at: Moment::now(),
        };
        let project = self.setup.project.to_string_lossy().into_owned();
        let wrote = self.store.wrote(&project, path.as_str(), (old, text), &author);
        self.note_store(wrote, run.number);
        self.made(run, path, &state[0], if before.is_some() { "edited" } else { "created" });
        Ok(())
    }

    fn rename(
        &mut self,
        run: &mut Running,
        number: u32,
        (from, to): (&str, &str),
        cancel: &Cancel,
    ) -> Result<Done, Outcome> {
        let parse = |path: &str| ProjectPath::parse(path).map_err(|error| Outcome::failed(error.to_string()));
        let (from, to) = (parse(from)?, parse(to)?);
        let scope = Scope { kind: "rename".to_owned(), folder: from.folder() };
        let ask = Ask {
            title: format!("rename {from} to {to}"),
            reason: "it moves a file".to_owned(),
            patch: String::new(),
            scope,
        };
        self.permit(run, number, &ask, cancel)?;
        let state = self.keep(run, &[&from, &to])?;
        self.setup.host.rename(&from, &to).map_err(|error| Outcome::failed(error.to_string()))?;
        let project = self.setup.project.to_string_lossy().into_owned();
        let moved = self.store.moved(&project, from.as_str(), to.as_str());
        self.note_store(moved, run.number);
        self.made(run, &from, &state[0], "moved away");
        self.made(run, &to, &state[1], "moved here");
        let kind = ChangeKind::Renamed { from: from.as_str().to_owned() };
        let changes = vec![FileChange::between(to.as_str(), kind, "", "")];
        Ok(Done { outcome: Outcome::done(format!("`{from}` is now `{to}`")), changes })
    }

    fn delete(&mut self, run: &mut Running, number: u32, path: &str, cancel: &Cancel) -> Result<Done, Outcome> {
        let path = ProjectPath::parse(path).map_err(|error| Outcome::failed(error.to_string()))?;
        let text = self.setup.host.read(&path).map(|file| file.text).unwrap_or_default();
        let ask = Ask {
            title: format!("delete {path}"),
            reason: "it removes a file".to_owned(),
            patch: patch(&text, "").0,
            scope: Scope { kind: "delete".to_owned(), folder: path.folder() },
        };
        self.permit(run, number, &ask, cancel)?;
        let state = self.keep(run, &[&path])?;
        self.setup.host.remove(&path).map_err(|error| Outcome::failed(error.to_string()))?;
        self.made(run, &path, &state[0], "removed");
        let changes = vec![FileChange::between(path.as_str(), ChangeKind::Deleted, &text, "")];
        Ok(Done { outcome: Outcome::done(format!("`{path}` is removed")), changes })
    }

    /// Keeps files before they are written: one checkpoint a step. Without one nothing is written, unless there is no
    /// store at all.
    fn keep(&mut self, run: &mut Running, paths: &[&ProjectPath]) -> Result<Vec<FileState>, Outcome> {
        let failed = |error: HostError| Outcome::failed(error.to_string());
        let states: Vec<_> =
            paths.iter().map(|path| self.setup.host.bytes(path)).collect::<Result<_, _>>().map_err(failed)?;
        if run.checkpoint.is_none_or(|(step, _)| step != run.step) {
            let files: Vec<_> = paths.iter().map(|path| path.as_str().to_owned()).zip(states.iter().cloned()).collect();
            // The reply that writes is the last entry: a rewind takes it out of the conversation, too.
            let place = self.conversation.entries().last().map(|entry| entry.place).unwrap_or_default();
            let at = (run.number, run.step, place);
            let checkpoint = self.store.checkpoint(&self.session, at, &run.title, &files);
            if let Some(number) = self.note_store(checkpoint, run.number) {
                run.checkpoint = Some((run.step, number));
                let files = files.into_iter().map(|(path, _)| path).collect();
                self.emit(run.number, EventKind::Checkpoint { checkpoint: number, files });
            }
        }
        Ok(states)
    }

    /// Notes what became of a file: in the checkpoint, in the log, in the run.
    fn made(&mut self, run: &mut Running, path: &ProjectPath, before: &FileState, what: &str) {
        let after = self.setup.host.bytes(path).unwrap_or_default();
        if let Some((step, checkpoint)) = run.checkpoint.filter(|(step, _)| *step == run.step) {
            debug_assert_eq!(step, run.step);
            let made = self.store.made(&self.session, checkpoint, path.as_str(), before, &after);
            self.note_store(made, run.number);
        }
        let hash = |state: &FileState| state.as_ref().map_or(String::new(), |file| audit::hash(&file.bytes));
        let deed = Deed::Changed {
            what: what.to_owned(),
            project: self.setup.project.to_string_lossy().into_owned(),
            path: path.as_str().to_owned(),
            before: hash(before),
            after: hash(&after),
            bytes: after.as_ref().map_or(0, |file| file.bytes.len() as u64),
        };
        self.record(run.number, deed);
        run.changed.insert(path.as_str().to_owned());
        run.writes += 1;
    }

    /// What the model is told of an edit: the fragment that changed, not the file.
    pub(super) fn told(&self, path: &ProjectPath, before: &str, edited: &Edited) -> Outcome {
        let mut out = String::from("done");
        if let Some(rung) = edited.rung.filter(|rung| *rung != Rung::Exact) {
            out.push_str(&format!(" (your SEARCH was met {})", rung.describe()));
        }
        for note in &edited.notes {
            out.push_str(&format!("; {note}"));
        }
        // Who wrote a new file knows what is in it.
        if before.is_empty() {
            return Outcome { shown: Some(whole(path, &edited.text)), ..Outcome::done(out) };
        }
        let masked = self.world.secrets.file(path.as_str(), &edited.text).text;
        if let Some(changed) = &edited.changed {
            let fragment = edit::fragment(&masked, changed);
            out.push_str(&format!(
                "; {path} lines {} are now:\n{}",
                fragment.lines,
                fenced(path.as_str(), &fragment.text)
            ));
        }
        Outcome::done(out)
    }
}

/// A file all of whose lines are known.
fn whole(path: &ProjectPath, text: &str) -> Shown {
    Shown::new(path.as_str(), text, 1, text.lines().count() as u32)
}
