//! A file system of which nothing outside of one folder can be reached.
//!
//! Every path is looked up from the open folder in one step of the system (openat2, where there is one), so a link that
//! leads out is refused, and so is one that is put in place between looking and opening.

use std::ffi::OsStr;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use editor::file::Fs;
use editor::file::fs::{DirEntry, FileKind, Metadata, ReadFile, RealFile, WriteFile};

/// The files below a folder. Paths are relative to it.
#[derive(Clone, Debug)]
pub(super) struct Beneath(Arc<Dir>);

impl Beneath {
    pub(super) fn open(root: &Path) -> io::Result<Self> {
        Ok(Self(Arc::new(Dir::open_ambient_dir(root, ambient_authority())?)))
    }

    /// Opens a file for reading, as one of the system.
    pub(super) fn file(&self, path: &Path) -> io::Result<std::fs::File> {
        Ok(self.0.open_with(path, &reading())?.into_std())
    }

    /// Makes a folder and those it is in.
    pub(super) fn create_dirs(&self, path: &Path) -> io::Result<()> {
        self.0.create_dir_all(path)
    }

    /// The folder of a path, open, and the path's last part.
    fn parent<'a>(&self, path: &'a Path) -> io::Result<(Dir, &'a OsStr)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok((self.0.open_dir(folder)?, name))
    }
}

/// Whether an error says that a path led out of the folder.
pub(super) fn is_escape(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
        || error.raw_os_error() == Some(18) // EXDEV, as openat2 says it
}

fn reading() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    do_not_wait(&mut options);
    options
}

fn do_not_wait(options: &mut OpenOptions) {
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::custom_flags(options, rustix::fs::OFlags::NONBLOCK.bits() as i32);
    #[cfg(not(unix))]
    let _ = options;
}

impl Fs for Beneath {
    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        Ok(convert(&self.0.metadata(path)?))
    }

    fn link_metadata(&self, path: &Path) -> io::Result<Metadata> {
        Ok(convert(&self.0.symlink_metadata(path)?))
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.0.read_link(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadFile>> {
        Ok(Box::new(RealFile::new(self.file(path)?)))
    }

    fn create_new(&self, path: &Path, mode: u32) -> io::Result<Box<dyn WriteFile>> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        cap_std::fs::OpenOptionsExt::mode(&mut options, mode);
        #[cfg(not(unix))]
        let _ = mode;
        self.writing(path, &options)
    }

    fn open_for_writing(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        let mut options = OpenOptions::new();
        options.write(true);
        do_not_wait(&mut options);
        self.writing(path, &options)
    }

    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        RealFile::new(self.file(path)?).set_mode(mode)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.rename(from, &self.0, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
        {
            use rustix::fs::{RenameFlags, renameat_with};
            let ((from_folder, from_name), (to_folder, to_name)) = (self.parent(from)?, self.parent(to)?);
            match renameat_with(&from_folder, from_name, &to_folder, to_name, RenameFlags::NOREPLACE) {
                Ok(()) => return Ok(()),
                // Some network and user-space file systems do not know the flag.
                Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if self.0.symlink_metadata(to).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.rename(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.0.remove_file(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        if cfg!(not(unix)) {
            return Ok(()); // Folders cannot be opened there; the journal orders names.
        }
        match self.0.open_dir(path)?.into_std_file().sync_all() {
            // A folder opened for its path alone cannot be synced; nor can those of some file systems.
            Err(error) if error.raw_os_error() == Some(9) => Ok(()),
            Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
            result => result,
        }
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        self.0
            .read_dir(path)?
            .map(|entry| {
                let entry = entry?;
                Ok(DirEntry { name: entry.file_name(), kind: kind_of(entry.file_type()?) })
            })
            .collect()
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.0.create_dir(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.0.remove_dir(path)
    }

    fn create_link(&self, target: &Path, path: &Path) -> io::Result<()> {
        #[cfg(unix)]
        return self.0.symlink(target, path);
        #[cfg(windows)]
        return self.0.symlink_file(target, path);
    }
}

impl Beneath {
    fn writing(&self, path: &Path, options: &OpenOptions) -> io::Result<Box<dyn WriteFile>> {
        let file = self.0.open_with(path, options)?.into_std();
        Ok(Box::new(Writing { file: RealFile::new(file), fs: self.clone() }))
    }
}

/// A file open for writing that knows where the paths it is given start.
struct Writing {
    file: RealFile,
    fs: Beneath,
}

impl Write for Writing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Writing {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl WriteFile for Writing {
    fn sync(&mut self) -> io::Result<()> {
        self.file.sync()
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn set_mode(&mut self, mode: u32) -> io::Result<()> {
        self.file.set_mode(mode)
    }

    fn set_owner(&mut self, owner: (u32, u32)) -> io::Result<()> {
        self.file.set_owner(owner)
    }

    fn copy_attributes(&mut self, path: &Path) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            use std::os::fd::AsRawFd as _;
            // By way of the open file: the path alone would be looked up from the process's folder.
            let file = self.fs.file(path)?;
            let open = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
            if open.exists() {
                return self.file.copy_attributes(&open);
            }
        }
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        let _ = (path, &self.fs);
        Ok(())
    }

    fn metadata(&self) -> io::Result<Metadata> {
        WriteFile::metadata(&self.file)
    }
}

fn kind_of(kind: cap_std::fs::FileType) -> FileKind {
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
fn convert(metadata: &cap_std::fs::Metadata) -> Metadata {
    use cap_std::fs::MetadataExt as _;
    Metadata {
        kind: kind_of(metadata.file_type()),
        size: metadata.len(),
        modified: metadata.modified().ok().map(cap_std::time::SystemTime::into_std),
        changed: i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec()),
        identity: (metadata.dev(), metadata.ino()),
        links: metadata.nlink(),
        mode: metadata.mode() & 0o7777,
        owner: (metadata.uid(), metadata.gid()),
    }
}

#[cfg(not(unix))]
fn convert(metadata: &cap_std::fs::Metadata) -> Metadata {
    Metadata {
        kind: kind_of(metadata.file_type()),
        size: metadata.len(),
        modified: metadata.modified().ok().map(cap_std::time::SystemTime::into_std),
        changed: 0,
        identity: (0, 0),
        links: 1,
        mode: if metadata.permissions().readonly() { 0o444 } else { 0o644 },
        owner: (0, 0),
    }
}
