//! What is compared with what: the forms of `recto diff` on the command line, and opening them.
//!
//! A [`Source`] says what was asked for; a [`Comparison`] is the same with the repository found and the names checked,
//! ready to list changes and to read contents.

mod accepted;
mod folders;
mod patch;
mod tool;

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    sync::Arc,
};

use editor::Cancel;

pub use tool::{conflict_files, read_bytes};

use crate::checkpoint::Checkpoint;
use crate::git::{Blob, BlobSource, FileChange, GitError, Mode, Reader, Repo, RepoPath};
use crate::patch::ParseError;

/// What is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The files on disk, untracked ones included, against a commit.
    WorkingTree {
        /// A revision; none is HEAD, or nothing at all before the first commit.
        against: Option<String>,
    },
    /// The index against HEAD: what would be committed.
    Staged,
    /// The files on disk, untracked ones included, against the index: what would not.
    Unstaged,
    /// One revision against another.
    Range {
        /// The old side.
        a: String,
        /// The new side.
        b: String,
        /// Whether the old side is where `b` left `a`: `A...B`.
        merge_base: bool,
    },
    /// What a commit did, against its first parent.
    Commit(String),
    /// What was done by hand in a merge of two: the merge done again, against what was committed.
    Remerge(String),
    /// What a stash holds, untracked files included.
    Stash(String),
    /// The files on disk against those of another working tree of the repository, which are the old side.
    Worktree(PathBuf),
    /// Two files; the null file of the system stands for none.
    Files {
        /// The old one.
        old: PathBuf,
        /// The new one.
        new: PathBuf,
    },
    /// Files below a folder against what they were at a checkpoint, which the comparison holds.
    Since {
        /// The folder.
        root: PathBuf,
        /// What the checkpoint is called.
        name: String,
    },
    /// Files below a folder at two moments that the comparison holds, or at one and now. Nothing of it can be accepted.
    Moments {
        /// The folder.
        root: PathBuf,
        /// Whose moments they are; told from others by that.
        of: Arc<str>,
        /// What the earlier one is called.
        old: Arc<str>,
        /// What the later one is called; none is now.
        new: Option<Arc<str>>,
    },
    /// Two folders with all that is in them.
    Folders {
        /// The old one.
        old: PathBuf,
        /// The new one.
        new: PathBuf,
    },
    /// What a patch tells, of a file or from standard input.
    Patch {
        /// What the patch is called.
        name: String,
    },
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::WorkingTree { against: None } => f.write_str("working tree"),
            Self::WorkingTree { against: Some(name) } => write!(f, "working tree against {name}"),
            Self::Staged => f.write_str("staged changes"),
            Self::Unstaged => f.write_str("unstaged changes"),
            Self::Range { a, b, merge_base } => write!(f, "{a}{}{b}", if *merge_base { "..." } else { ".." }),
            Self::Commit(name) => write!(f, "commit {name}"),
            Self::Remerge(name) => write!(f, "merge {name}, by hand"),
            Self::Stash(name) => write!(f, "stash {name}"),
            Self::Worktree(other) => write!(f, "working tree against {}", other.display()),
            Self::Since { name, .. } => write!(f, "since {name}"),
            Self::Moments { old, new: None, .. } => match old.strip_prefix("before ") {
                Some(what) => write!(f, "since {what}"),
                None => write!(f, "now against {old}"),
            },
            Self::Moments { old, new: Some(new), .. } => write!(f, "{new} against {old}"),
            Self::Files { old, new } | Self::Folders { old, new } => write!(f, "{} → {}", old.display(), new.display()),
            Self::Patch { name } => f.write_str(name),
        }
    }
}

/// Why a command line cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// Something about the repository.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A word that is neither a revision nor a path.
    #[error("`{word}` is neither a revision nor a path here")]
    Unknown {
        /// The word.
        word: String,
    },
    /// A version of a file to be merged that has no lines.
    #[error("{} is binary and cannot be merged line by line; take one side of the file as a whole", path.display())]
    Binary {
        /// The file.
        path: PathBuf,
    },
    /// A text that is no patch.
    #[error("{name} cannot be read as a patch")]
    Patch {
        /// What it is called.
        name: String,
        /// What is wrong with it.
        source: ParseError,
    },
    /// Words that make no comparison.
    #[error("{0}")]
    Usage(String),
}

impl SourceError {
    /// Whether the command line itself was wrong, which is exit code 2.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Usage(_))
    }
}

/// A source that was found: its repository is open and its revisions exist.
#[derive(Clone)]
pub struct Comparison {
    source: Source,
    repo: Option<Repo>,
    pathspecs: Vec<String>,
    /// Old sides that are not what the source says, but kept here.
    kept: Checkpoint,
    /// New sides that are kept here, where they are not what is on disk.
    made: Option<Checkpoint>,
    patch: Option<Arc<PatchText>>,
}

/// A patch, and what it tells.
struct PatchText {
    text: Arc<[u8]>,
    changes: Vec<FileChange>,
    /// Whether it tells of a merge against several parents.
    combined: bool,
}

impl Comparison {
    fn of(source: Source) -> Self {
        Self { source, repo: None, pathspecs: Vec::new(), kept: Checkpoint::default(), made: None, patch: None }
    }

    /// Understands the words of `recto diff` as git would, with `folder` as the current one.
    ///
    /// `words` stand before `--`, `paths` behind it. No word is the working tree; `A` is the working tree against A;
    /// `A..B`, `A...B` and `A B` are ranges; `A^!` is what commit A did; two existing files or folders are compared with
    /// each other; other existing paths filter.
    pub fn parse(words: &[OsString], paths: &[OsString], folder: &Path) -> Result<Self, SourceError> {
        if let [old, new] = words
            && paths.is_empty()
            && let Some(source) = two_paths(&folder.join(old), &folder.join(new))
        {
            // Two names that are both revisions and paths are revisions, as for git.
            let repo = Repo::discover(folder).ok();
            let revisions =
                |repo: &Repo| repo.is_revision(&old.to_string_lossy()) && repo.is_revision(&new.to_string_lossy());
            if !repo.is_some_and(|repo| revisions(&repo)) {
                return Ok(Self::of(source));
            }
        }
        let repo = Repo::discover(folder)?;
        let mut revisions = Vec::new();
        let mut filters = Vec::new();
        for word in words {
            let name = word.to_string_lossy().into_owned();
            if filters.is_empty() && is_revision(&repo, &name) {
                revisions.push(name);
            } else if paths.is_empty() && std::fs::symlink_metadata(folder.join(word)).is_ok() {
                filters.push(name);
            } else {
                return Err(unknown(&repo, name));
            }
        }
        let source = of_revisions(&revisions)?;
        filters.extend(paths.iter().map(|path| path.to_string_lossy().into_owned()));
        Self::of_repo(repo, source, filters)
    }

    /// Compares within an open repository; the revisions are checked at once.
    pub fn of_repo(repo: Repo, source: Source, pathspecs: Vec<String>) -> Result<Self, SourceError> {
        if let Source::WorkingTree { .. } | Source::Staged | Source::Unstaged | Source::Worktree(_) = source
            && repo.root().is_none()
        {
            return Err(GitError::Bare { path: repo.git_dir().to_owned() }.into());
        }
        Ok(Self { repo: Some(repo), pathspecs, ..Self::of(source) })
    }

    /// Compares two files or two folders.
    pub fn of_paths(old: &Path, new: &Path) -> Result<Self, SourceError> {
        for path in [old, new] {
            if !is_null(path) && !path.exists() {
                return Err(GitError::NoSuchPath { path: path.to_owned() }.into());
            }
        }
        let source = two_paths(old, new)
            .ok_or_else(|| SourceError::Usage("a file cannot be compared with a folder".to_owned()))?;
        Ok(Self::of(source))
    }

    /// Compares the files below `root` that a checkpoint keeps with what it keeps of them.
    pub fn since(root: PathBuf, name: String, kept: Checkpoint) -> Self {
        Self { kept, ..Self::of(Source::Since { root, name }) }
    }

    /// Compares files below `root` at two moments: `kept` has them all at the earlier one, `made` at the later one, if that
    /// is not now. `of` says whose moments they are.
    pub fn moments(
        root: PathBuf,
        of: String,
        (old, kept): (String, Checkpoint),
        new: Option<(String, Checkpoint)>,
    ) -> Self {
        let (new, made) = new.unzip();
        let (of, old, new) = (Arc::from(of), Arc::from(old), new.map(Arc::from));
        Self { kept, made, ..Self::of(Source::Moments { root, of, old, new }) }
    }

    /// The same with other old sides kept: those that [`Checkpoint::accept`] gives.
    #[must_use]
    pub fn with_kept(self, kept: Checkpoint) -> Self {
        Self { kept, ..self }
    }

    /// The old sides that are kept.
    pub fn kept(&self) -> &Checkpoint {
        &self.kept
    }

    /// Whether changes can be accepted: the old side is nothing that git keeps.
    pub fn can_accept(&self) -> bool {
        match &self.source {
            Source::Folders { .. } | Source::Since { .. } => true,
            // A text against its own file: to accept a change is to save it.
            Source::Files { old, new } => old != new,
            _ => false,
        }
    }

    /// The folder that new sides are below, where it is no repository's.
    pub fn new_root(&self) -> Option<&Path> {
        match &self.source {
            Source::Folders { new, .. } => Some(new),
            Source::Since { root, .. } | Source::Moments { root, new: None, .. } => Some(root),
            _ => None,
        }
    }

    /// Reads a patch as a comparison: git's, that of other tools, bare hunks, and merges against several parents. `name`
    /// is what it is called.
    pub fn of_patch(name: &str, text: Vec<u8>) -> Result<Self, SourceError> {
        let failed = |source| SourceError::Patch { name: name.to_owned(), source };
        let parsed = crate::patch::parse(&text).map_err(failed)?;
        let changes = patch::changes(&parsed, name).map_err(failed)?;
        let combined = parsed.files.iter().any(|file| file.combined);
        let patch = Some(Arc::new(PatchText { text: text.into(), changes, combined }));
        Ok(Self { patch, ..Self::of(Source::Patch { name: name.to_owned() }) })
    }

    /// The text of the patch, if one is compared.
    pub fn patch_text(&self) -> Option<&Arc<[u8]>> {
        Some(&self.patch.as_ref()?.text)
    }

    /// Whether a patch is compared that tells of a merge against several parents. Its changes are those against the first.
    pub fn is_combined(&self) -> bool {
        self.patch.as_ref().is_some_and(|patch| patch.combined)
    }

    /// What is compared.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The repository; none when two files or folders are compared.
    pub fn repo(&self) -> Option<&Repo> {
        self.repo.as_ref()
    }

    /// Lists what changed, in order of paths.
    pub fn changes(&self, cancel: &Cancel) -> Result<Vec<FileChange>, GitError> {
        match (&self.source, &self.repo) {
            (Source::Files { old, new }, _) => {
                accepted::with_kept(files(old, new)?.into_iter().collect(), &self.kept, None)
            }
            (Source::Folders { old, new }, _) => {
                accepted::with_kept(folders::changes(old, new, cancel)?, &self.kept, Some(new))
            }
            (Source::Since { root, .. } | Source::Moments { root, .. }, _) => match &self.made {
                Some(made) => Ok(accepted::between(&self.kept, made)),
                None => accepted::since(root, &self.kept, cancel),
            },
            (Source::Patch { .. }, _) => Ok(self.patch.as_ref().map(|patch| patch.changes.clone()).unwrap_or_default()),
            (source, Some(repo)) => repo.changes(source, &self.pathspecs, cancel),
            (_, None) => Ok(Vec::new()),
        }
    }

    /// Joins files that were moved and edited into renamed entries, reading contents: for a worker in the background.
    /// Whether limits kept it from comparing all candidates.
    pub fn find_renames(&self, changes: &mut Vec<FileChange>, cancel: &Cancel) -> Result<bool, GitError> {
        match (&self.source, &self.repo) {
            // A patch tells what was renamed; a merge that is done again found it out.
            (Source::Patch { .. } | Source::Remerge(_), _) | (_, None) => Ok(false),
            (_, Some(repo)) => repo.detect_renames(changes, cancel),
        }
    }

    /// Opens a reader of contents; each thread has its own.
    pub fn reader(&self) -> Reader {
        self.repo.as_ref().map_or_else(Reader::of_files, Repo::reader)
    }
}

fn is_revision(repo: &Repo, word: &str) -> bool {
    match split_range(word) {
        Some((a, b, _)) => repo.is_revision(a) && repo.is_revision(b),
        None => repo.is_revision(word.strip_suffix("^!").unwrap_or(word)),
    }
}

/// The two ends of a range; an end that is left out is HEAD.
fn split_range(word: &str) -> Option<(&str, &str, bool)> {
    let (a, b, merge_base) = match word.split_once("...") {
        Some((a, b)) => (a, b, true),
        None => word.split_once("..").map(|(a, b)| (a, b, false))?,
    };
    let or_head = |end| if str::is_empty(end) { "HEAD" } else { end };
    Some((or_head(a), or_head(b), merge_base))
}

fn of_revisions(revisions: &[String]) -> Result<Source, SourceError> {
    let range = |a: &str, b: &str, merge_base| Source::Range { a: a.to_owned(), b: b.to_owned(), merge_base };
    Ok(match revisions {
        [] => Source::WorkingTree { against: None },
        [one] => match split_range(one) {
            Some((a, b, merge_base)) => range(a, b, merge_base),
            None => match one.strip_suffix("^!") {
                Some(commit) => Source::Commit(commit.to_owned()),
                None => Source::WorkingTree { against: Some(one.clone()) },
            },
        },
        [a, b] if split_range(a).is_none() && split_range(b).is_none() => range(a, b, false),
        more => return Err(SourceError::Usage(format!("{} revisions are too many to compare: name A..B", more.len()))),
    })
}

/// The best thing to say about a word that is neither revision nor path.
fn unknown(repo: &Repo, word: String) -> SourceError {
    if let Some((a, b, _)) = split_range(&word) {
        let bad = if repo.is_revision(a) { b } else { a };
        return GitError::BadRevision { name: bad.to_owned(), hint: None }.into();
    }
    SourceError::Unknown { word }
}

/// Whether a path stands for no file at all.
fn is_null(path: &Path) -> bool {
    names_null(&path.to_string_lossy(), cfg!(windows))
}

/// `/dev/null`, as git says on every system, and on Windows the device `NUL`, which is in every folder.
fn names_null(path: &str, windows: bool) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    path == "/dev/null" || windows && name.strip_suffix(':').unwrap_or(name).eq_ignore_ascii_case("nul")
}

/// Two existing paths as a comparison; a file against a folder is compared with the file of its name in there.
fn two_paths(old: &Path, new: &Path) -> Option<Source> {
    let inside =
        |folder: &Path, file: &Path| file.file_name().map(|name| folder.join(name)).filter(|path| path.is_file());
    let (old, new) = match (old.is_dir(), new.is_dir()) {
        (true, true) => return Some(Source::Folders { old: old.to_owned(), new: new.to_owned() }),
        (true, false) => (inside(old, new)?, new.to_owned()),
        (false, true) => (old.to_owned(), inside(new, old)?),
        (false, false) => (old.to_owned(), new.to_owned()),
    };
    let readable = |path: &Path| is_null(path) || path.exists();
    (readable(&old) && readable(&new)).then_some(Source::Files { old, new })
}

/// The change that two files make; none if both are nothing.
fn files(old: &Path, new: &Path) -> Result<Option<FileChange>, GitError> {
    let (old_blob, new_blob) = (file_blob(old)?, file_blob(new)?);
    if old_blob.is_none() && new_blob.is_none() {
        return Ok(None);
    }
    let (old_name, new_name) = (shown_path(old), shown_path(new));
    let path = if new_blob.is_some() { new_name } else { old_name.clone() };
    let moved = old_blob.is_some() && old_name != path;
    let mut change = FileChange::at(path, old_blob, new_blob);
    change.old_path = moved.then_some(old_name);
    Ok(Some(change))
}

fn file_blob(path: &Path) -> Result<Option<Blob>, GitError> {
    if is_null(path) {
        return Ok(None);
    }
    let metadata = std::fs::metadata(path).map_err(|source| GitError::File { path: path.to_owned(), source })?;
    let mode = if is_executable(&metadata) { Mode::Executable } else { Mode::File };
    Ok(Some(Blob { mode, source: BlobSource::File(Arc::from(path)), size: Some(metadata.len()) }))
}

#[cfg(unix)]
fn is_executable(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &std::fs::Metadata) -> bool {
    false
}

/// A path as it stands in a file header: as it was given, without a root.
fn shown_path(path: &Path) -> RepoPath {
    let relative: PathBuf = path.components().filter(|part| !is_root(part.as_os_str())).collect();
    RepoPath::from_path(&relative)
}

fn is_root(part: &OsStr) -> bool {
    part == "/" || part == "\\" || part == "."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_45_the_null_file_of_each_system_is_none() {
        for (path, unix, windows) in [
            ("/dev/null", true, true),
            ("NUL", false, true),
            ("nul:", false, true),
            ("C:\\work\\NUL", false, true),
            ("\\\\.\\nul", false, true),
            ("src/nul.rs", false, false),
            ("null", false, false),
            ("", false, false),
        ] {
            assert_eq!((names_null(path, false), names_null(path, true)), (unix, windows), "{path}");
        }
    }
}
