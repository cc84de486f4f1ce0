//! Putting into a file what an answer shows, as the person asks: a run of its own, without the model.
//!
//! It goes the way of every edit: the applier, a checkpoint, the record of who wrote what, the log. The model is told of
//! it with the next request.

use std::time::Instant;

use super::{Agent, Mode, Running};
use crate::action::Action;
use crate::context::Body;
use crate::event::{ChangeKind, End, EventKind, FileChange};
use crate::protocol::ShownCode;

impl Agent {
    /// Puts a block of code into its file; `said_in` is the run whose answer shows it. Nothing is asked: whoever wants it
    /// has said so.
    ///
    /// # Errors
    /// Why the code cannot be put there. Nothing was written then.
    pub fn apply(&mut self, code: &ShownCode, said_in: u32) -> Result<(), String> {
        let counted = self.store.next_run(&self.session);
        let number = self.note_store(counted, 0).unwrap_or(1);
        let mut run = Running::new(number, Mode::Agent, 1, format!("Apply code to {}", code.path));
        (run.step, run.action, run.said_in) = (1, 1, Some(said_in));
        let drafted = self.draft(&run, &code.action(None)).map_err(|outcome| outcome.text)?;
        // Whether the file begins with the comment that names it is known now.
        let action = with_path(code.action(drafted.before.as_ref().map(|file| file.text.as_str())), &drafted.path);
        let drafted = self.draft(&run, &action).map_err(|outcome| outcome.text)?;
        let edited = drafted.edited.map_err(|error| error.to_string())?;
        if edited.already {
            return Err(format!("`{}` has exactly this already", drafted.path));
        }
        let (begun, path) = (Instant::now(), drafted.path);
        let (name, title) = (action.name().to_owned(), action.title());
        self.emit(number, EventKind::ActionStarted { action: 1, name: name.clone(), title, call: action });
        let written = self.write_text(&mut run, &path, drafted.before.as_ref(), &edited.text);
        let kind = if drafted.before.is_some() { ChangeKind::Modified } else { ChangeKind::Created };
        let before = drafted.before.map_or(String::new(), |file| file.text);
        let (outcome, changes) = match written {
            Ok(()) => {
                let change = FileChange::between(path.as_str(), kind, &before, &edited.text);
                (self.told(&path, &before, &edited), vec![change])
            }
            Err(outcome) => (outcome, Vec::new()),
        };
        let (ok, result) = (outcome.ok, outcome.text);
        let milliseconds = begun.elapsed().as_millis() as u64;
        if ok {
            let text = format!("The user has put code of your answer into {path}: {result}");
            self.say(&mut run, Body::Reminder { text });
        }
        self.emit(number, EventKind::ActionFinished { action: 1, name, ok, result, changes, milliseconds });
        let files = run.changed.into_iter().collect();
        self.emit(number, EventKind::Done { end: End::Done, report: String::new(), steps: 1, files });
        Ok(())
    }
}

/// The same for the file that was meant, where the answer calls it by less than its whole path.
fn with_path(action: Action, meant: &crate::host::ProjectPath) -> Action {
    let meant = meant.as_str().to_owned();
    match action {
        Action::EditFile { blocks, .. } => Action::EditFile { path: meant, blocks },
        Action::WriteCode { content, .. } => Action::WriteCode { path: Some(meant), content },
        other => other,
    }
}
