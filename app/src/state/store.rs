//! Reading and writing Recto's own small files: settings, keymap, sessions, recent lists.
//!
//! Writing goes the same durable way as saving a document, so that a power cut leaves the old file or the new one. Both
//! wait for the disk: after the start they run in tasks only.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context as _;
use editor::file::{Expect, RealFs, SaveOptions, save};
use editor::text::Text;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::tasks::{Poll, Task, Tasks};

/// The text of a file; none if there is no such file.
///
/// # Errors
/// When it is there and cannot be read, or is no UTF-8.
pub fn read(path: &Path) -> anyhow::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}

/// Writes a file whole, with the folders it is in.
///
/// # Errors
/// When the folder or the file cannot be written; the old file is as it was.
pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("the folder {} cannot be made", folder.display()))?;
    }
    let options = SaveOptions { expect: Expect::Anything, ..SaveOptions::new_file() };
    save(&RealFs, path, &Text::from(text), &options)?;
    Ok(())
}

/// A value in a JSON file of the state folder: read at the start, and written in the background when it changed.
#[derive(Default)]
pub struct Kept<T> {
    value: T,
    changed: bool,
    writing: Option<Task<Result<(), String>>>,
}

impl<T> Kept<T> {
    /// What it is now.
    pub fn get(&self) -> &T {
        &self.value
    }

    /// Changes it; `change` says whether it did.
    pub fn update(&mut self, change: impl FnOnce(&mut T) -> bool) {
        self.changed |= change(&mut self.value);
    }
}

impl<T: Clone + Default + DeserializeOwned + Send + Serialize + 'static> Kept<T> {
    /// Reads it; only for the start. A file that makes no sense is not worth a word: it is written anew.
    pub fn load(path: &Path) -> Self {
        let text = read(path).ok().flatten().unwrap_or_default();
        Self { value: serde_json::from_str(&text).unwrap_or_default(), changed: false, writing: None }
    }

    /// Writes it in the background if it changed. Once a frame; what went wrong the last time.
    pub fn poll(&mut self, path: &Path, tasks: &Tasks) -> Option<String> {
        let mut failed = None;
        if let Some(task) = &self.writing {
            match task.poll() {
                Poll::Pending => return None,
                Poll::Ready(outcome) => failed = outcome.err(),
                Poll::Lost => {}
            }
            self.writing = None;
        }
        if std::mem::take(&mut self.changed) {
            let (path, value) = (path.to_owned(), self.value.clone());
            self.writing = Some(
                tasks.spawn("keep state", move |_| write_json(&path, &value).map_err(|error| format!("{error:#}"))),
            );
        }
        failed
    }
}

/// Writes a value as JSON.
///
/// # Errors
/// As [`write`].
pub fn write_json(path: &Path, value: &impl Serialize) -> anyhow::Result<()> {
    write(path, &serde_json::to_string_pretty(value)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_with_its_folders_and_over_what_was_there() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a/b/c.toml");
        assert_eq!(read(&path).unwrap(), None);
        write(&path, "one\n").unwrap();
        write(&path, "two\n").unwrap();
        assert_eq!(read(&path).unwrap().as_deref(), Some("two\n"));
    }
}
