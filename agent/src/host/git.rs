//! The state of version control in a few lines, for the snapshot: the branch, and what is not committed.

use std::fmt::Write as _;
use std::path::Path;

use diff::git::{FileChange, Repo};
use diff::source::Source;
use editor::Cancel;

/// Changed files that are named.
const NAMED: usize = 30;

/// Branch and changed files of the repository that a folder is in; nothing where there is none.
pub(super) fn state(root: &Path) -> String {
    let Ok(repo) = Repo::discover(root) else { return String::new() };
    let Ok(branch) = repo.branch() else { return String::new() };
    let changes = repo.changes(&Source::WorkingTree { against: None }, &[], &Cancel::new()).unwrap_or_default();
    // Of a repository that is larger than the project only the project's part is told.
    let inside = repo.root().and_then(|top| root.strip_prefix(top.canonicalize().ok()?).ok().map(Path::to_owned));
    let Some(inside) = inside else { return String::new() };
    let here = |change: &FileChange| {
        let path = change.path.to_path();
        let path = path.strip_prefix(&inside).ok()?.display().to_string();
        Some(format!("{} {path}", change.status.letter()))
    };
    let told: Vec<_> = changes.iter().filter_map(here).collect();
    let mut out = format!("on {branch}");
    if told.is_empty() {
        out.push_str("; everything is committed");
    } else {
        let _ = write!(out, "; not committed:\n{}", told[..told.len().min(NAMED)].join("\n"));
    }
    if told.len() > NAMED {
        let _ = write!(out, "\n… and {} more", told.len() - NAMED);
    }
    out
}
