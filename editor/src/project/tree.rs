//! The tree of a project's folders, read folder by folder as they are opened.
//!
//! [`Tree`] is what the file pane shows: it holds what was read and says what to read next; reading itself
//! ([`list`]) is for a worker. Paths are relative to the root; the root is the empty path.
//!
//! Invariant: the rows are the entries of all open folders whose parents are open, in order, folders first, names in
//! natural order (`a2` before `a10`, upper and lower case together).

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use super::walk::{builder, is_hidden};
use crate::file::Fs;
use crate::file::fs::FileKind;

/// Something in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: OsString,
    /// Whether it opens to further entries. A link to a folder does not, as it may lead back.
    pub is_folder: bool,
    /// Whether it is a link.
    pub is_link: bool,
    /// Whether git ignores it.
    pub ignored: bool,
}

/// Why a folder's entries are not known.
#[derive(Debug, thiserror::Error)]
#[error("{folder} cannot be listed: {source}")]
pub struct ListError {
    /// The folder.
    pub folder: PathBuf,
    /// What the system says.
    pub source: io::Error,
}

/// The entries of `folder`, sorted, `.git` and our temporary files left out. `inside_ignored` says that git ignores the
/// folder itself, and so all in it.
pub fn list(fs: &dyn Fs, folder: &Path, inside_ignored: bool) -> Result<Vec<Entry>, ListError> {
    let entries = fs.read_dir(folder).map_err(|source| ListError { folder: folder.to_owned(), source })?;
    let kept: HashSet<OsString> = if inside_ignored {
        HashSet::new()
    } else {
        builder(folder).max_depth(Some(1)).build().flatten().map(|entry| entry.file_name().to_owned()).collect()
    };
    let mut entries: Vec<Entry> = entries
        .into_iter()
        .filter(|entry| !is_hidden(&entry.name))
        .map(|entry| Entry {
            is_folder: entry.kind == FileKind::Folder,
            is_link: entry.kind == FileKind::Link,
            ignored: !kept.contains(&entry.name),
            name: entry.name,
        })
        .collect();
    entries.sort_by(|a, b| b.is_folder.cmp(&a.is_folder).then_with(|| natural_order(&a.name, &b.name)));
    Ok(entries)
}

/// Compares names as people sort them: numbers by value, letters without regard to case, equal ones by their bytes.
pub fn natural_order(a: &OsStr, b: &OsStr) -> Ordering {
    let (left, right) = (a.to_string_lossy(), b.to_string_lossy());
    let (mut left, mut right) = (&*left, &*right);
    loop {
        let ((left_number, after_left), (right_number, after_right)) = (split_number(left), split_number(right));
        if !left_number.is_empty() && !right_number.is_empty() {
            let by_value = left_number.len().cmp(&right_number.len()).then_with(|| left_number.cmp(right_number));
            if by_value.is_ne() {
                return by_value;
            }
            (left, right) = (after_left, after_right);
            continue;
        }
        let (mut left_chars, mut right_chars) = (left.chars(), right.chars());
        match (left_chars.next(), right_chars.next()) {
            (None, None) => return a.cmp(b),
            (None, _) => return Ordering::Less,
            (_, None) => return Ordering::Greater,
            (Some(one), Some(other)) => {
                let by_letter = one.to_lowercase().cmp(other.to_lowercase());
                if by_letter.is_ne() {
                    return by_letter;
                }
            }
        }
        (left, right) = (left_chars.as_str(), right_chars.as_str());
    }
}

/// The digits that `text` starts with, without leading zeros but at least one digit, and what follows them.
fn split_number(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let trimmed = digits.trim_start_matches('0');
    (if trimmed.is_empty() { &digits[..digits.len().min(1)] } else { trimmed }, rest)
}

/// A folder that shall be read with [`list`] and handed to [`Tree::fill`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListRequest {
    /// The folder, relative to the root.
    pub folder: PathBuf,
    /// The folder, absolute.
    pub path: PathBuf,
    /// Whether git ignores it.
    pub inside_ignored: bool,
}

/// A line of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Relative to the root.
    pub path: PathBuf,
    /// How many folders it is in, the root not counted.
    pub depth: usize,
    /// Whether it opens to further rows.
    pub is_folder: bool,
    /// Whether it is a link.
    pub is_link: bool,
    /// Whether git ignores it.
    pub ignored: bool,
    /// Whether it is open.
    pub is_open: bool,
    /// Why an open folder shows nothing, when it could not be read.
    pub error: Option<String>,
}

/// The folders of a project, as far as they were read.
#[derive(Clone, Debug)]
pub struct Tree {
    root: PathBuf,
    show_ignored: bool,
    folders: HashMap<PathBuf, Folder>,
    rows: Vec<Row>,
}

#[derive(Clone, Debug, Default)]
struct Folder {
    open: bool,
    /// Whether it was read as one that git ignores.
    read_ignored: bool,
    entries: Vec<Entry>,
    error: Option<String>,
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Never read, or changed since.
    #[default]
    Stale,
    /// Being read; told to be stale again meanwhile, it is read once more.
    Reading {
        stale: bool,
    },
    Read,
}

impl Tree {
    /// The tree of the folder `root`, absolute, with only the root open, nothing read yet, ignored files hidden.
    pub fn new(root: &Path) -> Self {
        let folders = HashMap::from([(PathBuf::new(), Folder { open: true, ..Folder::default() })]);
        Self { root: root.to_owned(), show_ignored: false, folders, rows: Vec::new() }
    }

    /// The folder it shows, absolute.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What there is to show, in order.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Whether what git ignores is shown.
    pub fn shows_ignored(&self) -> bool {
        self.show_ignored
    }

    /// Shows or hides what git ignores.
    pub fn set_show_ignored(&mut self, show: bool) {
        self.show_ignored = show;
        self.rebuild();
    }

    /// Opens or closes a folder.
    pub fn set_open(&mut self, folder: &Path, open: bool) {
        self.folders.entry(folder.to_owned()).or_default().open = open;
        self.rebuild();
    }

    /// Whether a folder is open.
    pub fn is_open(&self, folder: &Path) -> bool {
        self.folders.get(folder).is_some_and(|folder| folder.open)
    }

    /// Whether a folder was read at least once, or could not be.
    pub fn is_read(&self, folder: &Path) -> bool {
        self.folders
            .get(folder)
            .is_some_and(|it| it.state == State::Read || it.error.is_some() || !it.entries.is_empty())
    }

    /// Why a folder could not be read.
    pub fn error_of(&self, folder: &Path) -> Option<&str> {
        self.folders.get(folder)?.error.as_deref()
    }

    /// Closes every folder but the root.
    pub fn close_all(&mut self) {
        self.folders.iter_mut().for_each(|(path, folder)| folder.open &= path.as_os_str().is_empty());
        self.rebuild();
    }

    /// Something was renamed or moved, both paths relative: folders that were open stay so.
    pub fn moved(&mut self, from: &Path, to: &Path) {
        let place = |path: &Path| {
            let below = path.strip_prefix(from).ok()?;
            Some(if below.as_os_str().is_empty() { to.to_owned() } else { to.join(below) })
        };
        let moved: Vec<_> = self.folders.keys().filter_map(|path| Some((path.clone(), place(path)?))).collect();
        for (old, new) in moved {
            if let Some(mut folder) = self.folders.remove(&old) {
                // What is being read under the old name has nowhere to go.
                folder.state = State::Stale;
                self.folders.insert(new, folder);
            }
        }
        self.refresh();
    }

    /// Opens all folders that lead to `path`. Its row appears once they are read.
    pub fn reveal(&mut self, path: &Path) {
        for folder in path.ancestors().skip(1) {
            self.folders.entry(folder.to_owned()).or_default().open = true;
        }
        self.rebuild();
    }

    /// The folders to read now. Each is asked for once.
    pub fn take_requests(&mut self) -> Vec<ListRequest> {
        let wanted = |(path, folder): (&PathBuf, &Folder)| {
            (folder.state == State::Stale && self.is_reached(path)).then(|| (path.clone(), self.is_ignored(path)))
        };
        let wanted: Vec<_> = self.folders.iter().filter_map(wanted).collect();
        let mut requests = Vec::with_capacity(wanted.len());
        for (folder, inside_ignored) in wanted {
            let Some(state) = self.folders.get_mut(&folder) else { continue };
            state.state = State::Reading { stale: false };
            state.read_ignored = inside_ignored;
            let path = if folder.as_os_str().is_empty() { self.root.clone() } else { self.root.join(&folder) };
            requests.push(ListRequest { folder, path, inside_ignored });
        }
        requests.sort_by(|a, b| a.folder.cmp(&b.folder));
        requests
    }

    /// Takes what was read for a request.
    pub fn fill(&mut self, folder: &Path, listed: Result<Vec<Entry>, ListError>) {
        let Some(state) = self.folders.get_mut(folder) else { return };
        state.state = match state.state {
            State::Reading { stale: true } => State::Stale,
            _ => State::Read,
        };
        match listed {
            Ok(entries) => {
                state.error = None;
                state.entries = entries;
            }
            Err(error) => {
                state.error = Some(error.to_string());
                state.entries.clear();
            }
        }
        self.check_ignored_below(folder);
        self.rebuild();
    }

    /// Takes note of changes outside, absolute paths: the folders they are in will be read again, shown as they were
    /// until then.
    pub fn changed<'a>(&mut self, paths: impl IntoIterator<Item = &'a Path>) {
        for path in paths {
            let Ok(path) = path.strip_prefix(&self.root) else { continue };
            // Rules of an ignore file reach down to all folders below.
            if path.file_name().is_some_and(|name| name == ".gitignore" || name == ".ignore") {
                let top = path.parent().unwrap_or(Path::new("")).to_owned();
                self.folders.iter_mut().filter(|(path, _)| path.starts_with(&top)).for_each(|(_, it)| it.make_stale());
            }
            if let Some(folder) = path.parent().and_then(|parent| self.folders.get_mut(parent)) {
                folder.make_stale();
            }
        }
    }

    /// Reads everything again that is open.
    pub fn refresh(&mut self) {
        self.folders.values_mut().for_each(Folder::make_stale);
    }

    /// Whether a folder is open and so are those it is in, which were read and have it.
    fn is_reached(&self, folder: &Path) -> bool {
        self.is_open(folder)
            && match (folder.parent(), folder.file_name()) {
                (Some(parent), Some(name)) => {
                    let has_it = |parent: &Folder| parent.entries.iter().any(|it| it.name == name && it.is_folder);
                    self.folders.get(parent).is_some_and(has_it) && self.is_reached(parent)
                }
                _ => true,
            }
    }

    /// Whether git ignores what is at `path`, as far as was read: itself, or a folder it is in.
    fn is_ignored(&self, path: &Path) -> bool {
        path.ancestors().any(|path| {
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return false };
            let ignores = |parent: &Folder| parent.entries.iter().any(|entry| entry.name == name && entry.ignored);
            self.folders.get(parent).is_some_and(ignores)
        })
    }

    /// Once rules have changed, what was read under the old ones is to be read again.
    fn check_ignored_below(&mut self, top: &Path) {
        let outdated: Vec<PathBuf> = self
            .folders
            .iter()
            .filter(|(path, folder)| path.starts_with(top) && folder.read_ignored != self.is_ignored(path))
            .map(|(path, _)| path.clone())
            .collect();
        for path in outdated {
            if let Some(folder) = self.folders.get_mut(&path) {
                folder.make_stale();
            }
        }
    }

    fn rebuild(&mut self) {
        let mut rows = Vec::new();
        self.push_rows(Path::new(""), 0, &mut rows);
        self.rows = rows;
    }

    fn push_rows(&self, parent: &Path, depth: usize, rows: &mut Vec<Row>) {
        let Some(folder) = self.folders.get(parent) else { return };
        for entry in folder.entries.iter().filter(|entry| self.show_ignored || !entry.ignored) {
            let path = parent.join(&entry.name);
            // Most entries are files: looking them up among the folders would be most of the work.
            let below = if entry.is_folder { self.folders.get(&path).filter(|folder| folder.open) } else { None };
            let inside = below.map(|_| path.clone());
            let is_open = inside.is_some();
            rows.push(Row {
                path,
                depth,
                is_folder: entry.is_folder,
                is_link: entry.is_link,
                ignored: entry.ignored,
                is_open,
                error: below.and_then(|folder| folder.error.clone()),
            });
            if let Some(path) = inside {
                self.push_rows(&path, depth + 1, rows);
            }
        }
    }
}

impl Folder {
    fn make_stale(&mut self) {
        self.state = match self.state {
            State::Reading { .. } => State::Reading { stale: true },
            State::Read | State::Stale => State::Stale,
        };
    }
}
