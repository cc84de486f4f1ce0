//! A written reply applied to a project without a model: for bug reports, scripts and tests.
//!
//! What is read and what is looked for concerns only a model, so such actions are told and not done. Commands
//! are refused, and so are deletions unless they are allowed. Everything else is done as in a run, in order; each action
//! sees what those before it did, in a dry run as well.
//!
//! Invariant: a dry run writes nothing.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::action::Action;
use crate::edit::{self, EditError, Edited, Rung, Target};
use crate::event::{ChangeKind, FileChange};
use crate::host::{FileText, Host, HostError, ProjectPath};
use crate::protocol::{self, Ending, Fences, Item, Reply, teach};
use crate::provider::EditForm;
use crate::secrets::Secrets;

/// What may be done, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Only tells what would become of the files.
    pub dry_run: bool,
    /// Whether files may be deleted.
    pub deletions: bool,
    /// The only file under discussion, which code blocks that name no file are for.
    pub file: Option<String>,
}

/// An action, or what should have been one, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// What the reply asks.
    pub item: Item,
    /// What was done, or why nothing was, as a model is told it.
    pub outcome: Result<Effect, String>,
}

/// What an action did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effect {
    /// How exactly its blocks met the file.
    pub rung: Option<Rung>,
    /// The part that changed.
    pub fragment: Option<edit::Fragment>,
    /// What became of files.
    pub changes: Vec<FileChange>,
    /// What else is to be known, a sentence each.
    pub notes: Vec<String>,
}

/// Parses a reply as a run does.
pub fn parse(reply: &[u8], options: &Options) -> Reply {
    let fences = if options.file.is_some() { Fences::Any } else { Fences::Named };
    let tools = crate::tool::Toolbox::standard().names();
    protocol::parse(reply, protocol::Options { fences, tools }, Ending::Whole)
}

/// Applies a reply to the files of a host, asking nobody.
pub fn replay(reply: &Reply, host: &dyn Host, secrets: &Secrets, options: &Options) -> Vec<Replayed> {
    let mut project = Project { host, secrets, options, files: BTreeMap::new(), failures: BTreeMap::new() };
    let replayed = |item: &Item| Replayed { item: item.clone(), outcome: project.act(item) };
    reply.items.iter().map(replayed).collect()
}

/// As `recto agent replay --json` prints it: actions, and a result each.
pub fn to_json(replayed: &[Replayed]) -> Value {
    let action = |one: &Replayed| match &one.item {
        Item::Action(action) => serde_json::to_value(action).unwrap_or_default(),
        Item::Malformed(wrong) => json!({ "type": "malformed", "name": wrong.name() }),
    };
    let result = |(index, one): (usize, &Replayed)| {
        let mut result = json!({ "action": index, "ok": one.outcome.is_ok() });
        match &one.outcome {
            Err(error) => result["error"] = json!(error),
            Ok(effect) => {
                if let Some(rung) = effect.rung {
                    result["rung"] = json!(rung);
                }
                if let Some(fragment) = &effect.fragment {
                    result["fragment"] = json!({ "lines": fragment.lines, "text": fragment.text });
                }
                if !effect.notes.is_empty() {
                    result["notes"] = json!(effect.notes);
                }
            }
        }
        result
    };
    let actions: Vec<_> = replayed.iter().map(action).collect();
    let results: Vec<_> = replayed.iter().enumerate().map(result).collect();
    json!({ "actions": actions, "results": results })
}

/// The files as they are after what was done so far.
struct Project<'a> {
    host: &'a dyn Host,
    secrets: &'a Secrets,
    options: &'a Options,
    /// What a dry run would have written; `None` for a file that would be gone.
    files: BTreeMap<ProjectPath, Option<FileText>>,
    /// Edits that failed, by file.
    failures: BTreeMap<ProjectPath, u32>,
}

impl Project<'_> {
    fn act(&mut self, item: &Item) -> Result<Effect, String> {
        let action = match item {
            Item::Malformed(wrong) => return Err(teach::malformed(wrong, EditForm::Blocks)),
            Item::Action(action) => action,
        };
        match action {
            Action::RenameFile { from, to } => self.rename(from, to),
            Action::DeleteFile { .. } if !self.options.deletions => {
                Err("nothing is deleted here without --allow delete_file".to_owned())
            }
            Action::DeleteFile { path } => self.delete(path),
            Action::RunCommand { .. } => Err("commands are only shown here, not run".to_owned()),
            action if action.writes_content() => self.edit(action),
            _ => Ok(Effect::default()),
        }
    }

    fn edit(&mut self, action: &Action) -> Result<Effect, String> {
        let told = |error: &EditError, path: &str| teach::edit_error(error, path, EditForm::Blocks);
        let written = action.path().or(self.options.file.as_deref()).ok_or_else(|| told(&EditError::NoPath, ""))?;
        let path = parsed(written)?;
        let before = self.text(&path)?;
        let text = before.as_ref().map(|file| file.text.as_str());
        // The filter learns the names of secrets from what it masks.
        drop(self.secrets.file(path.as_str(), text.unwrap_or_default()));
        let action = action.with_written(|part| self.secrets.restore(part, text.unwrap_or_default()));
        let failed = self.failures.get(&path).copied().unwrap_or(0);
        let edited = edit::apply(&action, Target { path: path.as_str(), before: text, failed }).map_err(|error| {
            *self.failures.entry(path.clone()).or_default() += 1;
            told(&error, path.as_str())
        })?;
        let Edited { text: after, already, rung, mut notes, changed } = edited;
        if already {
            notes.push("the file has exactly this already; nothing was written".to_owned());
            return Ok(Effect { notes, ..Effect::default() });
        }
        let kind = if before.is_some() { ChangeKind::Modified } else { ChangeKind::Created };
        let change = FileChange::between(path.as_str(), kind, text.unwrap_or_default(), &after);
        let fragment = changed.as_ref().map(|changed| edit::fragment(&after, changed));
        self.write(path, before, after)?;
        Ok(Effect { rung, fragment, changes: vec![change], notes })
    }

    fn write(&mut self, path: ProjectPath, before: Option<FileText>, text: String) -> Result<(), String> {
        if self.options.dry_run {
            let new = FileText { text, ..before.unwrap_or_else(new_file) };
            self.files.insert(path, Some(new));
            return Ok(());
        }
        let written = match &before {
            Some(before) => self.host.write(&path, &text, before),
            None => self.host.create(&path, &text),
        };
        written.map_err(|error| error.to_string())
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<Effect, String> {
        let (from, to) = (parsed(from)?, parsed(to)?);
        if self.options.dry_run {
            let file = self.text(&from)?.ok_or_else(|| HostError::Missing(from.clone()).to_string())?;
            if self.text(&to)?.is_some() {
                return Err(HostError::Exists(to).to_string());
            }
            self.files.extend([(from.clone(), None), (to.clone(), Some(file))]);
        } else {
            self.host.rename(&from, &to).map_err(|error| error.to_string())?;
        }
        let kind = ChangeKind::Renamed { from: from.as_str().to_owned() };
        Ok(Effect { changes: vec![FileChange::between(to.as_str(), kind, "", "")], ..Effect::default() })
    }

    fn delete(&mut self, path: &str) -> Result<Effect, String> {
        let path = parsed(path)?;
        let text = match self.text(&path) {
            Ok(Some(file)) => file.text,
            Ok(None) => return Err(HostError::Missing(path).to_string()),
            // What is no text can be deleted, and has no lines to show.
            Err(_) => String::new(),
        };
        if self.options.dry_run {
            self.files.insert(path.clone(), None);
        } else {
            self.host.remove(&path).map_err(|error| error.to_string())?;
        }
        let change = FileChange::between(path.as_str(), ChangeKind::Deleted, &text, "");
        Ok(Effect { changes: vec![change], ..Effect::default() })
    }

    /// The file as it is by now; `None` when there is none.
    fn text(&self, path: &ProjectPath) -> Result<Option<FileText>, String> {
        if let Some(held) = self.files.get(path) {
            return Ok(held.clone());
        }
        match self.host.read(path) {
            Ok(file) => Ok(Some(file)),
            Err(HostError::Missing(_)) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}

fn parsed(path: &str) -> Result<ProjectPath, String> {
    ProjectPath::parse(path).map_err(|error| error.to_string())
}

fn new_file() -> FileText {
    let encoding = editor::file::Encoding::UTF_8;
    FileText { text: String::new(), unsaved: false, encoding, bom: false, stamp: editor::file::Stamp::of_bytes(&[]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{DiskHost, Unattended};

    /// Applies a reply to a project and gives the results with the files after it.
    fn check(files: &[(&str, &str)], reply: &str, options: &Options, expected: &Value, after: &[(&str, Option<&str>)]) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            std::fs::write(folder.path().join(path), text).unwrap();
        }
        let host = DiskHost::open(folder.path(), Unattended::default()).unwrap();
        let reply = parse(reply.as_bytes(), options);
        let results = to_json(&replay(&reply, &host, &Secrets::new().unwrap(), options));
        assert_eq!(results["results"], *expected, "{results:#}");
        for (path, text) in after {
            assert_eq!(std::fs::read_to_string(folder.path().join(path)).ok().as_deref(), *text, "{path}");
        }
    }

    const EDITS: &str = "<edit_file path=\"a.py\">\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n</edit_file>\n\
        <edit_file path=\"a.py\">\n<<<<<<< SEARCH\n  x = 2\n=======\n  x = 3\n>>>>>>> REPLACE\n</edit_file>\n\
        <rename_file from=\"a.py\" to=\"b.py\"/><read_file path=\"b.py\"/>\n<done/>";

    fn edits() -> Value {
        json!([
            { "action": 0, "ok": true, "rung": "exact", "fragment": { "lines": "1-2", "text": "x = 2\ny = 1" } },
            { "action": 1, "ok": true, "rung": "indentation", "fragment": { "lines": "1-2", "text": "x = 3\ny = 1" } },
            { "action": 2, "ok": true }, { "action": 3, "ok": true }, { "action": 4, "ok": true },
        ])
    }

    #[test]
    fn each_action_sees_what_those_before_it_did() {
        let after = [("a.py", None), ("b.py", Some("x = 3\ny = 1\n"))];
        check(&[("a.py", "x = 1\ny = 1\n")], EDITS, &Options::default(), &edits(), &after);
    }

    #[test]
    fn a_dry_run_tells_the_same_and_writes_nothing() {
        let options = Options { dry_run: true, ..Options::default() };
        let after = [("a.py", Some("x = 1\ny = 1\n")), ("b.py", None)];
        check(&[("a.py", "x = 1\ny = 1\n")], EDITS, &options, &edits(), &after);
    }

    #[test]
    fn nothing_is_deleted_or_run_unless_it_is_allowed() {
        let reply = "<delete_file path=\"a\"/>\n<run_command command=\"rm a\"/>";
        let command = json!({ "action": 1, "ok": false, "error": "commands are only shown here, not run" });
        let kept = json!({ "action": 0, "ok": false, "error": "nothing is deleted here without --allow delete_file" });
        check(&[("a", "a\n")], reply, &Options::default(), &json!([kept, command]), &[("a", Some("a\n"))]);
        let options = Options { deletions: true, ..Options::default() };
        let gone = json!({ "action": 0, "ok": true });
        check(&[("a", "a\n")], reply, &options, &json!([gone, command]), &[("a", None)]);
    }

    #[test]
    fn a_block_without_a_name_is_for_the_only_file() {
        let reply = "```python\ndef f():\n    return 2\n```\n";
        let files = [("a.py", "def f():\n    return 1\n\n\ndef g():\n    return 3\n")];
        check(&files, reply, &Options::default(), &json!([]), &[]);
        let options = Options { file: Some("a.py".to_owned()), ..Options::default() };
        let fragment = json!({ "lines": "1-5", "text": "def f():\n    return 2\n\n\ndef g():" });
        let expected = json!([{ "action": 0, "ok": true, "fragment": fragment }]);
        check(&files, reply, &options, &expected, &[("a.py", Some(&files[0].1.replace('1', "2")))]);
    }

    #[test]
    fn what_leaves_the_project_is_refused() {
        let reply = "<create_file path=\"../a\">\nx\n</create_file>";
        let error = "the path `../a` leaves the project with `..`; write it from the project root, like `src/main.rs`";
        check(&[], reply, &Options::default(), &json!([{ "action": 0, "ok": false, "error": error }]), &[]);
    }
}
