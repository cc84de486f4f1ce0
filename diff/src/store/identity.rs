//! What a repository is to the store.
//!
//! It is where it is: the folder that it shares with its worktrees, so that those share ticks and comments, and with
//! links resolved, so that it does not matter how one got there. The store also remembers which folder that was to the
//! file system (device, number, time of birth), and so finds a repository again that was moved or renamed.
//!
//! It is not its first commit: finding that takes a walk over all of history, a shallow clone has another, a new
//! repository has none, and forks and clones share it, whose comments should not turn up in each other. What is
//! ticked goes by content anyway: a repository cloned anew to the same place finds its ticks.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::git::{Repo, os_bytes};
use crate::source::{Comparison, Source};

/// A repository, or two files or folders that are compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Identity {
    pub(super) place: Vec<u8>,
    pub(super) folder: Option<String>,
}

impl Identity {
    /// What is compared. Looks at the disk.
    pub fn of(comparison: &Comparison) -> Self {
        match (comparison.repo(), comparison.source()) {
            (Some(repo), _) => Self::of_folder(&repo.common_dir()),
            (None, Source::Files { old, new } | Source::Folders { old, new }) => {
                let mut place = os_bytes(canonical(old).as_os_str()).into_owned();
                place.push(0); // no path has one
                place.extend_from_slice(&os_bytes(canonical(new).as_os_str()));
                Self { place, folder: None }
            }
            (None, Source::Since { root, .. } | Source::Moments { root, .. }) => Self::of_root(root),
            (None, source) => Self::named(&source.to_string()),
        }
    }

    /// The repository that a folder is the root of, so that all reviews of it share what is said; else the folder.
    fn of_root(root: &Path) -> Self {
        let repo = Repo::discover(root).ok();
        // Paths count from the folder: below the root of a repository they are others.
        let repo = repo.filter(|repo| repo.root().is_some_and(|of| canonical(of) == canonical(root)));
        Self::of_folder(&repo.map_or_else(|| root.to_owned(), |repo| repo.common_dir()))
    }

    /// A repository by the folder its worktrees share. Looks at the disk.
    pub fn of_folder(folder: &Path) -> Self {
        let folder = canonical(folder);
        Self { place: os_bytes(folder.as_os_str()).into_owned(), folder: birth(&folder) }
    }

    /// Something that has no place on disk: a patch that was piped in, say.
    pub fn named(name: &str) -> Self {
        Self { place: [b"name:", name.as_bytes()].concat(), folder: None }
    }
}

fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// What tells a folder from all others that there were, wherever it is; none where the system cannot tell.
#[cfg(unix)]
fn birth(folder: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::metadata(folder).ok()?;
    // Numbers are used again when a folder is gone; together with its birth this one is not.
    let born = metadata.created().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(format!("{}:{}:{}", metadata.dev(), metadata.ino(), born.as_nanos()))
}

#[cfg(not(unix))]
fn birth(_: &Path) -> Option<String> {
    None
}
