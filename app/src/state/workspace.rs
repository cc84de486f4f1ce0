//! The folder a window works in: its repository, its branch, the paths of its files for quick open.
//!
//! Opening a folder shows it at once; repository and files are looked up in the background. The list of files is made
//! when it is first wanted, and anew when it is stale.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use diff::git::Repo;
use editor::limits::Limits;
use editor::project::PathIndex;
use editor::project::walk::{self, Found, Listing};

use crate::tasks::{Poll, Task, Tasks};

/// What is known of the repository around a folder.
struct Around {
    repo: Repo,
    branch: Option<String>,
}

/// The files of a folder.
struct Files {
    index: Arc<PathIndex>,
    listing: Listing,
}

/// The open folder.
#[derive(Default)]
pub struct Workspace {
    root: Option<PathBuf>,
    repo: Option<Repo>,
    branch: Option<String>,
    looking: Option<Task<Option<Around>>>,
    /// The repository was looked for at least once.
    looked: bool,
    files: Option<Files>,
    listing: Option<Task<Result<Files, String>>>,
    stale: bool,
}

/// What came to be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// Whether the folder is in a repository is known now.
    Repository,
    /// The files could not be listed.
    Failed(String),
}

impl Workspace {
    /// The folder, if one is open.
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// The repository it is in, if any is known.
    pub fn repo(&self) -> Option<&Repo> {
        self.repo.as_ref()
    }

    /// The branch, as the top bar shows it.
    pub fn branch(&self) -> Option<&str> {
        self.branch.as_deref()
    }

    /// Last component of the folder, for titles.
    pub fn name(&self) -> Option<String> {
        self.root().map(name_of)
    }

    /// Opens `root`, an absolute path.
    pub fn open(&mut self, root: PathBuf, tasks: &Tasks) {
        *self = Self { root: Some(root), ..Self::default() };
        self.look(tasks);
    }

    /// Looks for the repository and its branch again: another program may have changed them.
    pub fn look(&mut self, tasks: &Tasks) {
        let Some(root) = self.root.clone() else { return };
        self.looking = Some(tasks.spawn("look for a repository", move |_| {
            let repo = Repo::discover(&root).ok()?;
            let branch = repo.branch().ok();
            Some(Around { repo, branch })
        }));
    }

    /// The paths of all files, as far as they are known; asks for them if need be.
    pub fn files(&mut self, tasks: &Tasks) -> Option<Arc<PathIndex>> {
        if self.listing.is_none() && (self.files.is_none() || self.stale) {
            self.stale = false;
            if let Some(root) = self.root.clone() {
                self.listing = Some(tasks.spawn("list files", move |cancel| list(&root, cancel)));
            }
        }
        self.files.as_ref().map(|files| files.index.clone())
    }

    /// Files came, went or were renamed: the list is made again when it is next wanted.
    pub fn files_changed(&mut self) {
        self.stale = true;
    }

    /// Whether files are being listed.
    pub fn is_listing(&self) -> bool {
        self.listing.is_some()
    }

    /// How many files there are, once known; whether the list was cut.
    pub fn listed(&self) -> Option<(usize, bool)> {
        self.files.as_ref().map(|files| (files.listing.files, files.listing.limited))
    }

    /// Whether it is known if the folder is in a repository.
    pub fn is_looked_up(&self) -> bool {
        self.looked
    }

    /// Takes in what the background found.
    pub fn take_results(&mut self) -> Vec<News> {
        let mut news = Vec::new();
        if let Some(task) = &self.looking {
            match task.poll() {
                Poll::Pending => {}
                Poll::Ready(around) => {
                    self.looking = None;
                    (self.repo, self.branch) = around.map_or((None, None), |found| (Some(found.repo), found.branch));
                    if !std::mem::replace(&mut self.looked, true) {
                        news.push(News::Repository);
                    }
                }
                Poll::Lost => self.looking = None,
            }
        }
        if let Some(task) = &self.listing {
            match task.poll() {
                Poll::Pending => {}
                Poll::Ready(listed) => {
                    self.listing = None;
                    match listed {
                        Ok(files) => self.files = Some(files),
                        Err(error) => news.push(News::Failed(error)),
                    }
                }
                Poll::Lost => self.listing = None,
            }
        }
        news
    }

    /// A path as it is shown: relative to the folder if it is inside.
    pub fn display(&self, path: &Path) -> String {
        let shown = self.root().and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path);
        shown.display().to_string()
    }
}

/// Last component of a path, or all of it where there is none.
pub fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// A folder as it is shown in lists: the home folder is `~`.
pub fn shown_folder(path: &Path) -> String {
    let home = etcetera::home_dir().ok();
    match home.and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned)) {
        Some(below) if below.as_os_str().is_empty() => "~".to_owned(),
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    }
}

fn list(root: &Path, cancel: &editor::Cancel) -> Result<Files, String> {
    let told = |error: std::io::Error| format!("the files of {} cannot be listed: {error}", root.display());
    let found = walk::walk(root, &Limits::default(), cancel).map_err(told)?;
    let mut paths = Vec::new();
    let mut listing = Listing::default();
    for found in found {
        match found {
            Found::Files(files) => paths.extend(files),
            Found::Finished(finished) => listing = finished,
        }
    }
    paths.sort_unstable();
    let mut index = PathIndex::new();
    index.extend(paths.iter().map(PathBuf::as_path));
    Ok(Files { index: Arc::new(index), listing })
}
