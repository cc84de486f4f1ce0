//! What was opened and run lately: folders, files, commands. Kept in the state folder between starts.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::store::Kept;
use crate::commands::Command;
use crate::tasks::Tasks;

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
pub struct Recent(Kept<Lists>);

impl Recent {
    /// Reads the lists; only for the start.
    pub fn load(path: &Path) -> Self {
        Self(Kept::load(path))
    }

    /// A folder was opened.
    pub fn folder(&mut self, path: &Path) {
        self.0.update(|lists| to_front(&mut lists.folders, path.to_owned()));
    }

    /// A file was opened.
    pub fn file(&mut self, path: &Path) {
        self.0.update(|lists| to_front(&mut lists.files, path.to_owned()));
    }

    /// A command was run from the palette.
    pub fn command(&mut self, command: Command) {
        self.0.update(|lists| to_front(&mut lists.commands, command.spec().id.to_owned()));
    }

    /// A folder is gone or unwanted.
    pub fn forget_folder(&mut self, path: &Path) {
        self.0.update(|lists| {
            let before = lists.folders.len();
            lists.folders.retain(|known| known != path);
            before != lists.folders.len()
        });
    }

    /// Folders, the last one first.
    pub fn folders(&self) -> &[PathBuf] {
        &self.0.get().folders
    }

    /// Files, the last one first.
    pub fn files(&self) -> &[PathBuf] {
        &self.0.get().files
    }

    /// Commands, the last one first.
    pub fn commands(&self) -> impl Iterator<Item = Command> {
        self.0.get().commands.iter().filter_map(|id| Command::by_id(id))
    }

    /// Writes the lists in the background when they changed. Once a frame; what went wrong the last time.
    pub fn poll(&mut self, path: &Path, tasks: &Tasks) -> Option<String> {
        self.0.poll(path, tasks).map(|why| format!("recent files are not remembered: {why}"))
    }
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
    use crate::state::store;

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
        store::write_json(&path, recent.0.get()).unwrap();
        let again = Recent::load(&path);
        assert_eq!(again.0.get(), recent.0.get());
        assert_eq!(again.commands().collect::<Vec<_>>(), [Command::Palette]);
    }

    #[test]
    fn a_broken_file_is_an_empty_list() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("recent.json");
        store::write(&path, "{\"folders\": 3").unwrap();
        assert_eq!(*Recent::load(&path).0.get(), Lists::default());
    }
}
