//! A file of the user's in the configuration folder: read at the start and again when it changes, written by the
//! settings view, with what is wrong in it told at its line.
//!
//! The view and the user write the same file: the view's changes are put into the text as it then is on disk, so that
//! comments and order stay. One read or write is under way at a time; changes meanwhile wait for the next.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::store;
use crate::tasks::{Poll, Task, Tasks};

/// Something wrong in a file of the user's, or in what was typed for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong, and what is allowed.
    pub message: String,
}

/// The line, from 1, where `span` starts.
pub fn line_at(text: &str, span: Option<Range<usize>>) -> u32 {
    let offset = span.map_or(0, |span| span.start).min(text.len());
    text.bytes().take(offset).filter(|&byte| byte == b'\n').count() as u32 + 1
}

/// What makes a text no TOML.
pub fn syntax_problem(text: &str, error: &toml_edit::TomlError) -> Problem {
    Problem { line: line_at(text, error.span()), message: error.message().to_owned() }
}

/// Changes a text; none when it cannot be changed, with the reason.
type Edit = Box<dyn FnOnce(&str) -> Result<String, Problem> + Send>;

/// What became of reading or writing.
type Outcome = Result<String, String>;

/// One such file.
pub struct ConfigFile {
    path: PathBuf,
    text: String,
    running: Option<Task<Outcome>>,
    edits: Vec<Edit>,
    read_again: bool,
}

/// What [`ConfigFile::poll`] found.
pub enum News {
    /// The text is another one.
    Changed(String),
    /// Reading or writing failed.
    Failed(String),
}

impl ConfigFile {
    /// Reads the file now; only for the start, before there is a window. A missing file is an empty one.
    ///
    /// # Errors
    /// The file, empty, with why it could not be read.
    pub fn load(path: PathBuf) -> (Self, Option<String>) {
        let (text, error) = match store::read(&path) {
            Ok(text) => (text.unwrap_or_default(), None),
            Err(error) => (String::new(), Some(format!("{error:#}"))),
        };
        (Self { path, text, running: None, edits: Vec::new(), read_again: false }, error)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its name, for messages.
    pub fn name(&self) -> String {
        self.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// Its text, as last read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Reads it again in the background: it may have changed.
    pub fn refresh(&mut self) {
        self.read_again = true;
    }

    /// Changes it in the background: `edit` gets the text as it is on disk.
    pub fn edit(&mut self, edit: impl FnOnce(&str) -> Result<String, Problem> + Send + 'static) {
        self.edits.push(Box::new(edit));
    }

    /// Starts what waits and takes in what finished. Once a frame.
    pub fn poll(&mut self, tasks: &Tasks) -> Option<News> {
        let news = self.take_finished();
        if self.running.is_none() && (self.read_again || !self.edits.is_empty()) {
            self.read_again = false;
            let (path, edits) = (self.path.clone(), std::mem::take(&mut self.edits));
            self.running = Some(tasks.spawn("read settings", move |_| rewrite(&path, edits)));
        }
        news
    }

    fn take_finished(&mut self) -> Option<News> {
        let outcome = match self.running.as_ref()?.poll() {
            Poll::Pending => return None,
            Poll::Ready(outcome) => outcome,
            Poll::Lost => Err(format!("{} was not written: the work ended unexpectedly", self.name())),
        };
        self.running = None;
        match outcome {
            Ok(text) if text == self.text => None,
            Ok(text) => {
                self.text.clone_from(&text);
                Some(News::Changed(text))
            }
            Err(error) => Some(News::Failed(error)),
        }
    }
}

/// Reads the file, makes the edits, writes it if they changed anything; its text then.
fn rewrite(path: &Path, edits: Vec<Edit>) -> Outcome {
    let said = |error: anyhow::Error| format!("{error:#}");
    let before = store::read(path).map_err(said)?.unwrap_or_default();
    let mut text = before.clone();
    for edit in edits {
        text = edit(&text).map_err(|problem| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            format!("{name} was not changed: line {}: {}", problem.line, problem.message)
        })?;
    }
    if text != before {
        store::write(path, &text).map_err(said)?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_count_from_one() {
        assert_eq!(line_at("a\nb\nc", Some(0..1)), 1);
        assert_eq!(line_at("a\nb\nc", Some(2..3)), 2);
        assert_eq!(line_at("a\nb\nc", None), 1);
    }

    #[test]
    fn edits_are_made_on_what_is_on_disk() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("settings.toml");
        store::write(&path, "# by hand\n").unwrap();
        let add: Edit = Box::new(|text| Ok(format!("{text}x = 1\n")));
        assert_eq!(rewrite(&path, vec![add]).unwrap(), "# by hand\nx = 1\n");
        assert_eq!(store::read(&path).unwrap().as_deref(), Some("# by hand\nx = 1\n"));
    }

    #[test]
    fn an_edit_that_cannot_be_made_leaves_the_file() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("settings.toml");
        store::write(&path, "[broken\n").unwrap();
        let fail: Edit = Box::new(|_| Err(Problem { line: 1, message: "a bracket is missing".to_owned() }));
        let error = rewrite(&path, vec![fail]).unwrap_err();
        assert_eq!(error, "settings.toml was not changed: line 1: a bracket is missing");
        assert_eq!(store::read(&path).unwrap().as_deref(), Some("[broken\n"));
    }
}
