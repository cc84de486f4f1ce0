//! Rules that people wrote down for agents: `AGENTS.md` and its relatives.
//!
//! The user's own come first, then the project's: the `AGENTS.md` of the root and, nearer to the files at hand, those of
//! the folders they are in, the nearest last, so that it has the last word. Where a folder has no `AGENTS.md`, its
//! `AGENT.md` or `CLAUDE.md` counts.

use crate::host::{Host, ProjectPath};

/// A file of rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Where it is, as people know it.
    pub name: String,
    /// The rules.
    pub text: String,
}

impl Memory {
    /// About how many tokens it costs in each session.
    pub fn tokens(&self) -> u64 {
        (self.text.len() as u64).div_ceil(4)
    }
}

/// The names, the first that exists in a folder counts.
const NAMES: [&str; 3] = ["AGENTS.md", "AGENT.md", "CLAUDE.md"];

/// The rules for work on files: the user's, then those of the folders from the root down to the files.
pub fn load(host: &dyn Host, user: Option<Memory>, files: &[ProjectPath]) -> Vec<Memory> {
    let mut folders = vec![ProjectPath::root()];
    for file in files {
        let mut above = Vec::new();
        let mut folder = file.folder();
        while !folder.is_root() {
            above.push(folder.clone());
            folder = folder.folder();
        }
        folders.extend(above.into_iter().rev());
    }
    let mut seen = std::collections::HashSet::new();
    folders.retain(|folder| seen.insert(folder.clone()));
    let project = folders.iter().filter_map(|folder| of_folder(host, folder));
    user.into_iter().chain(project).filter(|memory| !memory.text.trim().is_empty()).collect()
}

fn of_folder(host: &dyn Host, folder: &ProjectPath) -> Option<Memory> {
    NAMES.iter().find_map(|name| {
        let path = ProjectPath::parse(&format!("{folder}/{name}")).ok()?;
        let text = host.read(&path).ok()?.text;
        Some(Memory { name: path.as_str().to_owned(), text })
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::host::{DiskHost, Unattended};

    #[test]
    fn the_nearest_rules_come_last_and_others_only_without_agents() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("AGENTS.md", "root");
        write("CLAUDE.md", "not this");
        write("a/CLAUDE.md", "a");
        write("a/b/AGENT.md", "b");
        write("c/AGENTS.md", "c");
        let host = DiskHost::open(folder.path(), Unattended::default()).unwrap();
        let user = Memory { name: "yours".into(), text: "user".into() };
        let file = ProjectPath::parse("a/b/x.rs").unwrap();
        let texts: Vec<_> = load(&host, Some(user), &[file]).into_iter().map(|memory| memory.text).collect();
        assert_eq!(texts, ["user", "root", "a", "b"]);
    }
}
