//! The file system as loading, saving and file operations see it: a narrow trait, and the real one behind it.
//!
//! Narrow so that a test can stand between: each call is one step that can fail, be cut short or be the last before a
//! kill (see [`super::fault`]). Nothing in [`super::load`](mod@super::load), [`super::save`](mod@super::save) or
//! [`crate::project::ops`] touches files another way.

use std::ffi::OsString;
use std::fmt::Debug;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link; only where links are not followed.
    Link,
    /// A pipe, socket or device.
    Special,
}

/// What the file system knows about a file besides its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// What it is.
    pub kind: FileKind,
    /// Its length in bytes.
    pub size: u64,
    /// When its content was last written.
    pub modified: Option<SystemTime>,
    /// When anything of it last changed, in nanoseconds since 1970; 0 where the system does not say.
    pub changed: i128,
    /// Device and inode: two equal ones are the same file. Zeros where the system does not say.
    pub identity: (u64, u64),
    /// How many names it has.
    pub links: u64,
    /// Permission bits as chmod takes them (`0o644`).
    pub mode: u32,
    /// User and group.
    pub owner: (u32, u32),
}

impl Metadata {
    /// Whether no one may write it by its permission bits. For the superuser, too, this is a wish to respect.
    pub fn is_read_only(&self) -> bool {
        self.mode & 0o222 == 0
    }
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirEntry {
    /// Its name in the folder.
    pub name: OsString,
    /// What it is, links not followed.
    pub kind: FileKind,
}

/// A file open for reading.
pub trait ReadFile: Read + Send {
    /// What the file system knows about the open file.
    fn metadata(&self) -> io::Result<Metadata>;
}

/// A file open for writing.
pub trait WriteFile: Write + Seek + Send {
    /// Waits until content and length are on the disk.
    fn sync(&mut self) -> io::Result<()>;
    /// Cuts or extends it.
    fn set_len(&mut self, len: u64) -> io::Result<()>;
    /// Sets the permission bits.
    fn set_mode(&mut self, mode: u32) -> io::Result<()>;
    /// Sets user and group.
    fn set_owner(&mut self, owner: (u32, u32)) -> io::Result<()>;
    /// Gives it the extended attributes (access lists, security labels, tags) of the file at `path`.
    fn copy_attributes(&mut self, path: &Path) -> io::Result<()>;
    /// What the file system knows about the open file.
    fn metadata(&self) -> io::Result<Metadata>;
}

/// A file system.
pub trait Fs: Send + Sync + Debug {
    /// Metadata of what `path` leads to, links followed.
    fn metadata(&self, path: &Path) -> io::Result<Metadata>;
    /// Metadata of what is at `path`, a link itself.
    fn link_metadata(&self, path: &Path) -> io::Result<Metadata>;
    /// Where the link at `path` points.
    fn read_link(&self, path: &Path) -> io::Result<PathBuf>;
    /// Opens for reading. Never waits for the other end of a pipe.
    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadFile>>;
    /// Creates a file that must not exist, with the permission bits `mode` less the process's mask.
    fn create_new(&self, path: &Path, mode: u32) -> io::Result<Box<dyn WriteFile>>;
    /// Opens an existing file for writing, its content untouched. A pipe without a reader is an error, not a wait.
    fn open_for_writing(&self, path: &Path) -> io::Result<Box<dyn WriteFile>>;
    /// Sets the permission bits of the file at `path`.
    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()>;
    /// Renames within one file system; a file that is at `to` is replaced in the same step.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Renames within one file system; fails with `AlreadyExists` when there is anything at `to`.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file or link.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Waits until the names in a folder are on the disk.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
    /// The entries of a folder, in no order.
    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>>;
    /// Creates one folder whose parent exists.
    fn create_dir(&self, path: &Path) -> io::Result<()>;
    /// Removes an empty folder.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;
    /// Creates a symbolic link at `path` that points to `target`.
    fn create_link(&self, target: &Path, path: &Path) -> io::Result<()>;
}

/// The file system of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealFs;

impl Fs for RealFs {
    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        Ok(convert(&std::fs::metadata(path)?))
    }

    fn link_metadata(&self, path: &Path) -> io::Result<Metadata> {
        Ok(convert(&std::fs::symlink_metadata(path)?))
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::read_link(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadFile>> {
        let mut options = std::fs::OpenOptions::new();
        options.read(true);
        do_not_wait(&mut options);
        Ok(Box::new(RealFile(options.open(path)?)))
    }

    fn create_new(&self, path: &Path, mode: u32) -> io::Result<Box<dyn WriteFile>> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
        #[cfg(not(unix))]
        let _ = mode;
        Ok(Box::new(RealFile(options.open(path)?)))
    }

    fn open_for_writing(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true);
        // A pipe is opened twice: the first finds out whether someone reads it, and keeps the second from waiting, which
        // then writes without the flag, so that a slow reader is waited for instead of losing text.
        let mut probe = options.clone();
        do_not_wait(&mut probe);
        let probe = probe.open(path)?;
        if probe.metadata()?.is_file() {
            return Ok(Box::new(RealFile(probe)));
        }
        Ok(Box::new(RealFile(options.open(path)?)))
    }

    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        std::fs::set_permissions(path, permissions(&std::fs::metadata(path)?, mode))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
        {
            use rustix::fs::{CWD, RenameFlags, renameat_with};
            match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
                Ok(()) => return Ok(()),
                // Some network and user-space file systems do not know the flag.
                Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if std::fs::symlink_metadata(to).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        std::fs::rename(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        if cfg!(not(unix)) {
            return Ok(()); // Folders cannot be opened there; the journal orders names.
        }
        match std::fs::File::open(path)?.sync_all() {
            // Not every file system can sync a folder; those that cannot have nothing to wait for.
            Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
            result => result,
        }
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        std::fs::read_dir(path)?
            .map(|entry| {
                let entry = entry?;
                Ok(DirEntry { name: entry.file_name(), kind: kind_of(entry.file_type()?) })
            })
            .collect()
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        std::fs::create_dir(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_dir(path)
    }

    fn create_link(&self, target: &Path, path: &Path) -> io::Result<()> {
        #[cfg(unix)]
        return std::os::unix::fs::symlink(target, path);
        #[cfg(windows)]
        return if path.parent().unwrap_or(Path::new("")).join(target).is_dir() {
            std::os::windows::fs::symlink_dir(target, path)
        } else {
            std::os::windows::fs::symlink_file(target, path)
        };
    }
}

/// An open file of the machine, however it was opened.
pub struct RealFile(std::fs::File);

impl RealFile {
    /// Takes a file that somebody opened in another way than by its path.
    pub fn new(file: std::fs::File) -> Self {
        Self(file)
    }
}

impl Read for RealFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for RealFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for RealFile {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

impl ReadFile for RealFile {
    fn metadata(&self) -> io::Result<Metadata> {
        Ok(convert(&self.0.metadata()?))
    }
}

impl WriteFile for RealFile {
    fn sync(&mut self) -> io::Result<()> {
        self.0.sync_all()
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn set_mode(&mut self, mode: u32) -> io::Result<()> {
        let permissions = permissions(&self.0.metadata()?, mode);
        self.0.set_permissions(permissions)
    }

    fn set_owner(&mut self, owner: (u32, u32)) -> io::Result<()> {
        #[cfg(unix)]
        std::os::unix::fs::fchown(&self.0, Some(owner.0), Some(owner.1))?;
        #[cfg(not(unix))]
        let _ = owner;
        Ok(())
    }

    fn copy_attributes(&mut self, path: &Path) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        copy_attributes(path, &self.0)?;
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        let _ = path;
        Ok(())
    }

    fn metadata(&self) -> io::Result<Metadata> {
        Ok(convert(&self.0.metadata()?))
    }
}

/// Copies extended attributes, access lists among them. A file system without any has nothing to copy.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn copy_attributes(from: &Path, to: &std::fs::File) -> io::Result<()> {
    use rustix::fs::{XattrFlags, fsetxattr, getxattr, listxattr};
    use rustix::io::Errno;

    let mut names = vec![0u8; 64 << 10]; // The kernel's own limits for a list of names and for a value.
    let length = match listxattr(from, &mut names[..]) {
        Ok(length) => length,
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let mut value = vec![0u8; 64 << 10];
    for name in names[..length].split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
        let length = match getxattr(from, name, &mut value[..]) {
            Ok(length) => length,
            Err(Errno::NODATA) => continue, // Removed since it was listed.
            Err(error) => return Err(error.into()),
        };
        match fsetxattr(to, name, &value[..length], XattrFlags::empty()) {
            Ok(()) => {}
            // The system sets labels itself and lets only the superuser copy them; the new file has its folder's.
            Err(Errno::PERM | Errno::NOTSUP) if !name.starts_with(b"user.") && name != b"system.posix_acl_access" => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn do_not_wait(options: &mut std::fs::OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, rustix::fs::OFlags::NONBLOCK.bits() as i32);
    #[cfg(not(unix))]
    let _ = options;
}

fn permissions(metadata: &std::fs::Metadata, mode: u32) -> std::fs::Permissions {
    let mut permissions = metadata.permissions();
    #[cfg(unix)]
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, mode);
    #[cfg(not(unix))]
    permissions.set_readonly(mode & 0o222 == 0);
    permissions
}

fn kind_of(kind: std::fs::FileType) -> FileKind {
    if kind.is_file() {
        FileKind::File
    } else if kind.is_dir() {
        FileKind::Folder
    } else if kind.is_symlink() {
        FileKind::Link
    } else {
        FileKind::Special
    }
}

#[cfg(unix)]
fn convert(metadata: &std::fs::Metadata) -> Metadata {
    use std::os::unix::fs::MetadataExt;
    Metadata {
        kind: kind_of(metadata.file_type()),
        size: metadata.len(),
        modified: metadata.modified().ok(),
        changed: i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec()),
        identity: (metadata.dev(), metadata.ino()),
        links: metadata.nlink(),
        mode: metadata.mode() & 0o7777,
        owner: (metadata.uid(), metadata.gid()),
    }
}

#[cfg(not(unix))]
fn convert(metadata: &std::fs::Metadata) -> Metadata {
    Metadata {
        kind: kind_of(metadata.file_type()),
        size: metadata.len(),
        modified: metadata.modified().ok(),
        changed: 0,
        identity: (0, 0),
        links: 1,
        mode: if metadata.permissions().readonly() { 0o444 } else { 0o644 },
        owner: (0, 0),
    }
}
