//! Whom the user lets check which folder. A server may run the project's code (build scripts, plugins, settings that name
//! programs), so none is started unasked; what was answered is kept in the state folder, for each folder and server.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::state::store;
use crate::tasks::Tasks;

/// What the user said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// It is started whenever there is something for it to check.
    Start,
    /// It is not asked about again.
    Never,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Answers {
    folders: BTreeMap<PathBuf, BTreeMap<String, Answer>>,
    /// Servers that were said to be missing.
    told: BTreeSet<String>,
}

/// See the module.
#[derive(Default)]
pub struct Trust {
    path: PathBuf,
    kept: store::Kept<Answers>,
}

impl Trust {
    /// Reads what was answered; only for the start. A file that says nothing sensible allows nothing.
    pub fn load(path: PathBuf) -> Self {
        Self { kept: store::Kept::load(&path), path }
    }

    /// What was said about a server in a folder.
    pub fn of(&self, folder: &Path, server: &str) -> Option<Answer> {
        self.kept.get().folders.get(folder)?.get(server).copied()
    }

    /// Keeps an answer.
    pub fn answer(&mut self, folder: &Path, server: &str, answer: Answer) {
        self.kept.update(|kept| {
            kept.folders.entry(folder.to_owned()).or_default().insert(server.to_owned(), answer) != Some(answer)
        });
    }

    /// Whether it was said that a server is missing.
    pub fn was_told(&self, server: &str) -> bool {
        self.kept.get().told.contains(server)
    }

    /// It was said that a server is missing; it is not said again.
    pub fn tell(&mut self, server: &str) {
        self.kept.update(|kept| kept.told.insert(server.to_owned()));
    }

    /// Writes what changed in the background. Once a frame; what went wrong the last time.
    pub fn poll(&mut self, tasks: &Tasks) -> Option<String> {
        self.kept.poll(&self.path, tasks).map(|why| format!("what was said about language servers is not kept: {why}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_of_a_folder_and_a_server() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("servers.json");
        let mut trust = Trust::load(path.clone());
        trust.answer(Path::new("/a"), "pyright", Answer::Never);
        trust.answer(Path::new("/b"), "pyright", Answer::Start);
        trust.tell("gopls");
        store::write_json(&path, trust.kept.get()).unwrap();
        let again = Trust::load(path);
        assert_eq!(again.of(Path::new("/a"), "pyright"), Some(Answer::Never));
        assert_eq!(again.of(Path::new("/b"), "pyright"), Some(Answer::Start));
        assert_eq!(again.of(Path::new("/b"), "ruff"), None);
        assert!(again.was_told("gopls") && !again.was_told("pyright"));
    }
}
