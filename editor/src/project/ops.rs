//! Creating, renaming, moving and copying files and folders of a project.
//!
//! Nothing is ever overwritten: what is in the way is an error that names it. A copy grows under a temporary name and
//! gets its own when it is whole, so a full disk leaves nothing half copied behind. Deleting is mostly the application's: it
//! goes to the trash.

use std::io::{self, ErrorKind, Read, Write};
use std::path::{Component, Path, PathBuf};

use crate::file::fs::{FileKind, Fs};
use crate::file::temporary_path;

/// Why a file operation was not done.
#[derive(Debug, thiserror::Error)]
pub enum OpError {
    /// The name cannot be a name.
    #[error("\"{name}\" cannot be a name: {reason}")]
    BadName {
        /// The name asked for.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// There is something of that name.
    #[error("{path} exists already; choose another name, or move it away first")]
    Exists {
        /// What is in the way.
        path: PathBuf,
    },
    /// It is not there any more.
    #[error("{path} does not exist any more")]
    Missing {
        /// What is not there.
        path: PathBuf,
    },
    /// A folder cannot be moved or copied into itself.
    #[error("{path} cannot be put into itself")]
    IntoItself {
        /// The folder.
        path: PathBuf,
    },
    /// A pipe, socket or device was to be copied.
    #[error("{path} is a pipe, socket or device, and is not copied")]
    Special {
        /// What it is.
        path: PathBuf,
    },
    /// Moved to another disk, but the original is still, wholly or in part, where it was.
    #[error("{to} is complete, but {from} could not be removed: {source}")]
    NotRemoved {
        /// The original.
        from: PathBuf,
        /// The copy.
        to: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The system refused.
    #[error("{path} could not be {action}: {source}")]
    Failed {
        /// What was to be done: "created", "renamed", …
        action: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Checks that `name` can be the name of a file here and on the systems that others check it out on.
pub fn check_name(name: &str) -> Result<(), OpError> {
    let reason = if name.trim().is_empty() {
        "it is empty"
    } else if name == "." || name == ".." {
        "it means a folder"
    } else if name.len() > 255 {
        "it has more than 255 bytes"
    } else if name.contains(['/', '\\']) {
        "it has a slash in it"
    } else if name.chars().any(char::is_control) {
        "it has a control character in it"
    } else if name != name.trim() {
        "it starts or ends with a space"
    } else if cfg!(windows) && name.contains(['<', '>', ':', '"', '|', '?', '*']) {
        "it has a character in it that is not allowed here"
    } else {
        return Ok(());
    };
    Err(OpError::BadName { name: name.to_owned(), reason })
}

/// Creates an empty file in `folder` and returns its path. `name` may lead through further folders (`a/b.rs`), which are
/// created, too.
pub fn create_file(fs: &dyn Fs, folder: &Path, name: &str) -> Result<PathBuf, OpError> {
    let path = checked(folder, name)?;
    create_parents(fs, &path)?;
    let made = fs.create_new(&path, 0o666);
    made.map_err(|source| failed("created", &path, source))?;
    Ok(path)
}

/// Creates a folder in `folder` and returns its path; `name` as for [`create_file`].
pub fn create_folder(fs: &dyn Fs, folder: &Path, name: &str) -> Result<PathBuf, OpError> {
    let path = checked(folder, name)?;
    create_parents(fs, &path)?;
    fs.create_dir(&path).map_err(|source| failed("created", &path, source))?;
    Ok(path)
}

/// Gives the file or folder at `path` another name in its folder, and returns its new path.
pub fn rename(fs: &dyn Fs, path: &Path, name: &str) -> Result<PathBuf, OpError> {
    check_name(name)?;
    let to = path.with_file_name(name);
    if to != path {
        rename_to(fs, path, &to).map_err(|source| failed_between("renamed", path, &to, source))?;
    }
    Ok(to)
}

/// Moves the file or folder at `path` into `folder`, to another disk, too, and returns its new path.
pub fn move_into(fs: &dyn Fs, path: &Path, folder: &Path) -> Result<PathBuf, OpError> {
    let to = place_in(path, folder)?;
    if to == path {
        return Ok(to);
    }
    match fs.rename_new(path, &to) {
        Ok(()) => Ok(to),
        Err(error) if error.kind() == ErrorKind::CrossesDevices => {
            copy(fs, path, &to)?;
            match remove(fs, path) {
                Ok(()) => Ok(to),
                Err(source) => Err(OpError::NotRemoved { from: path.to_owned(), to, source }),
            }
        }
        Err(source) => Err(failed_between("moved", path, &to, source)),
    }
}

/// Copies the file or folder at `path` into `folder` and returns the copy's path. In its own folder the copy is called
/// `name copy.ext`, `name copy 2.ext` and so on.
pub fn copy_into(fs: &dyn Fs, path: &Path, folder: &Path) -> Result<PathBuf, OpError> {
    let mut to = place_in(path, folder)?;
    if to == path {
        to = free_name(fs, path)?;
    }
    copy(fs, path, &to)?;
    Ok(to)
}

/// Removes the file or folder at `path` for good, links themselves and not what they lead to. For where there is no trash
/// and the user said so.
pub fn delete(fs: &dyn Fs, path: &Path) -> Result<(), OpError> {
    remove(fs, path).map_err(|source| failed("deleted", path, source))
}

fn checked(folder: &Path, name: &str) -> Result<PathBuf, OpError> {
    let mut path = folder.to_owned();
    for part in name.split('/') {
        check_name(part)?;
        path.push(part);
    }
    Ok(path)
}

fn create_parents(fs: &dyn Fs, path: &Path) -> Result<(), OpError> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    match fs.metadata(folder) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            create_parents(fs, folder)?;
            fs.create_dir(folder).map_err(|source| failed("created", folder, source))
        }
        Err(source) => Err(failed("created", folder, source)),
    }
}

/// Renames without replacing, but lets a name change its case where the file system makes no difference.
fn rename_to(fs: &dyn Fs, from: &Path, to: &Path) -> io::Result<()> {
    match fs.rename_new(from, to) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let (old, new) = (fs.link_metadata(from)?, fs.link_metadata(to)?);
            let by_case = from.to_string_lossy().to_lowercase() == to.to_string_lossy().to_lowercase();
            // Two names of one file are the same only if they differ in case alone; else one is a hard link.
            if by_case && old.identity == new.identity && old.links == 1 { fs.rename(from, to) } else { Err(error) }
        }
        result => result,
    }
}

fn place_in(path: &Path, folder: &Path) -> Result<PathBuf, OpError> {
    if folder.starts_with(path) {
        return Err(OpError::IntoItself { path: path.to_owned() });
    }
    match path.components().next_back() {
        Some(Component::Normal(name)) => Ok(folder.join(name)),
        _ => Err(OpError::BadName { name: path.display().to_string(), reason: "it means a folder" }),
    }
}

fn free_name(fs: &dyn Fs, path: &Path) -> Result<PathBuf, OpError> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let extension = path.extension().map(|it| format!(".{}", it.to_string_lossy())).unwrap_or_default();
    for number in 1.. {
        let counted = if number == 1 { String::new() } else { format!(" {number}") };
        let candidate = path.with_file_name(format!("{stem} copy{counted}{extension}"));
        match fs.link_metadata(&candidate) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(candidate),
            Err(source) => return Err(failed("copied", path, source)),
        }
    }
    Err(OpError::Exists { path: path.to_owned() })
}

/// Copies to `to`, where nothing may be.
fn copy(fs: &dyn Fs, from: &Path, to: &Path) -> Result<(), OpError> {
    // Before copying much; the rename at the end looks again.
    if fs.link_metadata(to).is_ok() {
        return Err(OpError::Exists { path: to.to_owned() });
    }
    let growing = temporary_path(to);
    let done = copy_tree(fs, from, &growing)
        .and_then(|()| fs.rename_new(&growing, to).map_err(|source| failed_between("copied", from, to, source)));
    if done.is_err() {
        // Nothing to tell: what failed before is being told, and a leftover is recognised by its name.
        let _ = remove(fs, &growing);
    }
    done
}

fn copy_tree(fs: &dyn Fs, from: &Path, to: &Path) -> Result<(), OpError> {
    let cannot = |source| failed("copied", from, source);
    let metadata = fs.link_metadata(from).map_err(cannot)?;
    match metadata.kind {
        FileKind::File => copy_file(fs, from, to, metadata.mode).map_err(cannot),
        FileKind::Link => fs.create_link(&fs.read_link(from).map_err(cannot)?, to).map_err(cannot),
        FileKind::Special => Err(OpError::Special { path: from.to_owned() }),
        FileKind::Folder => {
            fs.create_dir(to).map_err(cannot)?;
            for entry in fs.read_dir(from).map_err(cannot)? {
                copy_tree(fs, &from.join(&entry.name), &to.join(&entry.name))?;
            }
            // Last, as a folder that may not be written could not be filled.
            fs.set_mode(to, metadata.mode).map_err(cannot)
        }
    }
}

fn copy_file(fs: &dyn Fs, from: &Path, to: &Path, mode: u32) -> io::Result<()> {
    let mut source = fs.open(from)?;
    let mut copy = fs.create_new(to, 0o600)?;
    let mut buffer = vec![0; 256 << 10];
    loop {
        match source.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => copy.write_all(&buffer[..read])?,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    copy.set_mode(mode)
}

fn remove(fs: &dyn Fs, path: &Path) -> io::Result<()> {
    if fs.link_metadata(path)?.kind != FileKind::Folder {
        return fs.remove_file(path);
    }
    for entry in fs.read_dir(path)? {
        remove(fs, &path.join(&entry.name))?;
    }
    fs.remove_dir(path)
}

fn failed(action: &'static str, path: &Path, source: io::Error) -> OpError {
    match source.kind() {
        ErrorKind::AlreadyExists => OpError::Exists { path: path.to_owned() },
        ErrorKind::NotFound => OpError::Missing { path: path.to_owned() },
        _ => OpError::Failed { action, path: path.to_owned(), source },
    }
}

/// What failed has to do with the place it should go to, or with the thing itself.
fn failed_between(action: &'static str, from: &Path, to: &Path, source: io::Error) -> OpError {
    match source.kind() {
        ErrorKind::AlreadyExists => OpError::Exists { path: to.to_owned() },
        _ => failed(action, from, source),
    }
}
