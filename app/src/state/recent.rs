//! What was opened and run lately: folders, files, commands. Kept in the state folder between starts.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::store;
use crate::commands::Command;
use crate::tasks::{Poll, Task, Tasks};

/// Entries kept of each kind.
const KEPT: usize = 50;

/// The lists, the last one first in each.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Lists {
    folders: Vec<PathBuf>,
    files: Vec<PathBuf>,
    commands: Vec<String>,
}

/// What was opened and run lately.
#[derive(Default)]
pub struct Recent {
    lists: Lists,
    changed: bool,
    writing: Option<Task<Result<(), String>>>,
}

impl Recent {
    /// Reads the lists; only for the start. A file that is no list is not worth a word: it is written anew.
    pub fn load(path: &Path) -> Self {
        let text = store::read(path).ok().flatten().unwrap_or_default();
        Self { lists: serde_json::from_str(&text).unwrap_or_default(), ..Self::default() }
    }

    /// A folder was opened.
    pub fn folder(&mut self, path: &Path) {
        self.changed |= to_front(&mut self.lists.folders, path.to_owned());
    }

    /// A file was opened.
    pub fn file(&mut self, path: &Path) {
        self.changed |= to_front(&mut self.lists.files, path.to_owned());
    }

    /// A command was run from the palette.
    pub fn command(&mut self, command: Command) {
        self.changed |= to_front(&mut self.lists.commands, command.spec().id.to_owned());
    }

    /// A folder is gone or unwanted.
    pub fn forget_folder(&mut self, path: &Path) {
        let before = self.lists.folders.len();
        self.lists.folders.retain(|known| known != path);
        self.changed |= before != self.lists.folders.len();
    }

    /// Folders, the last one first.
    pub fn folders(&self) -> &[PathBuf] {
        &self.lists.folders
    }

    /// Files, the last one first.
    pub fn files(&self) -> &[PathBuf] {
        &self.lists.files
    }

    /// Commands, the last one first.
    pub fn commands(&self) -> impl Iterator<Item = Command> {
        self.lists.commands.iter().filter_map(|id| Command::by_id(id))
    }

    /// Writes the lists in the background when they changed. Once a frame; what went wrong the last time.
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
            let (path, lists) = (path.to_owned(), self.lists.clone());
            self.writing = Some(tasks.spawn("keep recent lists", move |_| write(&path, &lists)));
        }
        failed
    }
}

fn write(path: &Path, lists: &Lists) -> Result<(), String> {
    let text = serde_json::to_string_pretty(lists).map_err(|error| error.to_string())?;
    store::write(path, &text).map_err(|error| format!("recent files are not remembered: {error:#}"))
}

/// Puts `entry` first; whether that changed anything.
fn to_front<T: PartialEq>(list: &mut Vec<T>, entry: T) -> bool {
    if list.first() == Some(&entry) {
        return false;
    }
    list.retain(|known| *known != entry);
    list.insert(0, entry);
    list.truncate(KEPT);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_comes_first_and_only_once() {
        let mut recent = Recent::default();
        for path in ["/a", "/b", "/a"] {
            recent.folder(Path::new(path));
        }
        assert_eq!(recent.folders(), [PathBuf::from("/a"), PathBuf::from("/b")]);
    }

    #[test]
    fn lists_come_back() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("recent.json");
        let mut recent = Recent::default();
        recent.file(Path::new("/x/y.rs"));
        recent.command(Command::Palette);
        write(&path, &recent.lists).unwrap();
        let again = Recent::load(&path);
        assert_eq!(again.lists, recent.lists);
        assert_eq!(again.commands().collect::<Vec<_>>(), [Command::Palette]);
    }

    #[test]
    fn a_broken_file_is_an_empty_list() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("recent.json");
        store::write(&path, "{\"folders\": 3").unwrap();
        assert_eq!(Recent::load(&path).lists, Lists::default());
    }
}
