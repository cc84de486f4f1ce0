//! A git worktree for a run, so that the person's own files stay as they are.

use std::path::{Path, PathBuf};
use std::process::Command;

use agent::event::SessionId;
use anyhow::Context as _;

use crate::state::paths::Paths;

/// Makes a worktree of the repository in a folder, on a new branch, and returns where it is.
pub(super) fn begin(here: &Path, paths: &Paths) -> anyhow::Result<PathBuf> {
    let name = SessionId::new();
    let folder = paths.state.join("agent").join("worktrees").join(name.as_str());
    let output = Command::new("git")
        .arg("-C")
        .arg(here)
        .args(["worktree", "add", "--quiet", "-b", &format!("recto/{name}")])
        .arg(&folder)
        .output()
        .context("git cannot be run, which --worktree needs")?;
    anyhow::ensure!(
        output.status.success(),
        "no worktree could be made: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(folder)
}
