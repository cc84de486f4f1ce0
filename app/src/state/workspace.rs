//! The folder a window works in, and the repository around it.

use std::path::{Path, PathBuf};

use diff::git::Repo;

/// The open folder.
#[derive(Default)]
pub struct Workspace {
    root: Option<PathBuf>,
    repo: Option<Repo>,
    branch: Option<String>,
}

impl Workspace {
    /// The folder, if one is open.
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// The repository it is in, if any.
    pub fn repo(&self) -> Option<&Repo> {
        self.repo.as_ref()
    }

    /// The branch, as the top bar shows it.
    pub fn branch(&self) -> Option<&str> {
        self.branch.as_deref()
    }

    /// Last component of the folder, for titles.
    pub fn name(&self) -> Option<String> {
        let root = self.root()?;
        Some(root.file_name().map_or_else(|| root.display().to_string(), |n| n.to_string_lossy().into_owned()))
    }

    /// Opens `root`; the repository was looked up by a task.
    pub fn open(&mut self, root: PathBuf, repo: Option<Repo>) {
        self.branch = repo.as_ref().and_then(|r| r.branch().ok());
        self.repo = repo;
        self.root = Some(root);
    }

    /// A path as it is shown: relative to the folder if it is inside.
    pub fn display(&self, path: &Path) -> String {
        let shown = self.root().and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path);
        shown.display().to_string()
    }
}
