//! A file system that fails on purpose, for tests of everything that must not lose a byte.
//!
//! Every call on the file system or on an open file is a *step*, counted from 0. A [`Fault`] says which steps fail and
//! how. A write that fails has written half before, as a real one may. Used by the tests of all crates, so it is not
//! behind `cfg(test)`.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::fs::{DirEntry, Fs, Metadata, ReadFile, RealFs, WriteFile};

/// What goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing; counts the steps.
    None,
    /// Step `at` fails, the later ones work again.
    Once {
        /// The step.
        at: usize,
        /// How it fails.
        kind: ErrorKind,
    },
    /// The process is killed at step `at`: it and all later ones fail, and change nothing any more.
    Kill {
        /// The step.
        at: usize,
    },
    /// Files can grow by `room` bytes together, then the disk is full.
    DiskFull {
        /// The bytes.
        room: u64,
    },
    /// Every step of that name fails.
    Always {
        /// The name of a method of [`Fs`] or [`WriteFile`].
        step: &'static str,
        /// How it fails.
        kind: ErrorKind,
    },
    /// Nothing fails, but right before the first step of that name another program writes a file.
    Meddle {
        /// The name of a method of [`Fs`] or [`WriteFile`].
        before: &'static str,
        /// The file.
        path: PathBuf,
        /// What is in it then.
        content: Vec<u8>,
    },
}

/// The real file system with a [`Fault`] in front.
#[derive(Clone, Debug)]
pub struct FaultFs(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    fault: Fault,
    steps: Vec<&'static str>,
    grown: u64,
}

enum Verdict {
    Works,
    Fails(io::Error),
}

impl FaultFs {
    /// The real file system with `fault` in front.
    pub fn new(fault: Fault) -> Self {
        Self(Arc::new(Mutex::new(State { fault, steps: Vec::new(), grown: 0 })))
    }

    /// The names of the steps taken so far.
    pub fn steps(&self) -> Vec<&'static str> {
        self.state(|state| state.steps.clone())
    }

    fn state<R>(&self, with: impl FnOnce(&mut State) -> R) -> R {
        with(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn verdict(&self, step: &'static str) -> Verdict {
        self.state(|state| {
            let now = state.steps.len();
            let first = !state.steps.contains(&step);
            state.steps.push(step);
            match &state.fault {
                Fault::Once { at, kind } if *at == now => Verdict::Fails((*kind).into()),
                Fault::Kill { at } if *at <= now => Verdict::Fails(io::Error::other("killed")),
                Fault::Always { step: named, kind } if *named == step => Verdict::Fails((*kind).into()),
                Fault::Meddle { before, path, content } if *before == step && first => {
                    std::fs::write(path, content).map_or_else(Verdict::Fails, |()| Verdict::Works)
                }
                _ => Verdict::Works,
            }
        })
    }

    fn step(&self, step: &'static str) -> io::Result<()> {
        match self.verdict(step) {
            Verdict::Works => Ok(()),
            Verdict::Fails(error) => Err(error),
        }
    }

    /// Whether the process is dead, so that not even half a write happens.
    fn is_dead(&self) -> bool {
        self.state(|state| matches!(state.fault, Fault::Kill { at } if at + 1 < state.steps.len()))
    }

    fn open_file<T: ?Sized>(&self, file: Box<T>) -> FaultFile<T> {
        FaultFile { fs: self.clone(), file }
    }
}

impl Fs for FaultFs {
    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.step("metadata")?;
        RealFs.metadata(path)
    }

    fn link_metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.step("link_metadata")?;
        RealFs.link_metadata(path)
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.step("read_link")?;
        RealFs.read_link(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn ReadFile>> {
        self.step("open")?;
        Ok(Box::new(self.open_file(RealFs.open(path)?)))
    }

    fn create_new(&self, path: &Path, mode: u32) -> io::Result<Box<dyn WriteFile>> {
        self.step("create_new")?;
        Ok(Box::new(self.open_file(RealFs.create_new(path, mode)?)))
    }

    fn open_for_writing(&self, path: &Path) -> io::Result<Box<dyn WriteFile>> {
        self.step("open_for_writing")?;
        Ok(Box::new(self.open_file(RealFs.open_for_writing(path)?)))
    }

    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.step("set_mode")?;
        RealFs.set_mode(path, mode)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step("rename")?;
        RealFs.rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step("rename_new")?;
        RealFs.rename_new(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.step("remove_file")?;
        RealFs.remove_file(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.step("sync_folder")?;
        RealFs.sync_folder(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        self.step("read_dir")?;
        RealFs.read_dir(path)
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.step("create_dir")?;
        RealFs.create_dir(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.step("remove_dir")?;
        RealFs.remove_dir(path)
    }

    fn create_link(&self, target: &Path, path: &Path) -> io::Result<()> {
        self.step("create_link")?;
        RealFs.create_link(target, path)
    }
}

struct FaultFile<T: ?Sized> {
    fs: FaultFs,
    file: Box<T>,
}

impl FaultFile<dyn WriteFile> {
    /// How many of `len` bytes still fit on the disk here.
    fn room(&mut self, len: usize) -> io::Result<usize> {
        let Fault::DiskFull { room } = self.fs.state(|state| state.fault.clone()) else { return Ok(len) };
        let at = self.file.stream_position()?;
        let inside = self.file.metadata()?.size.saturating_sub(at).min(len as u64);
        self.fs.state(|state| {
            let growth = (len as u64 - inside).min(room - state.grown);
            state.grown += growth;
            Ok((inside + growth) as usize)
        })
    }
}

impl Read for FaultFile<dyn ReadFile> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.fs.step("read")?;
        self.file.read(buffer)
    }
}

impl ReadFile for FaultFile<dyn ReadFile> {
    fn metadata(&self) -> io::Result<Metadata> {
        self.fs.step("file_metadata")?;
        self.file.metadata()
    }
}

impl Write for FaultFile<dyn WriteFile> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Verdict::Fails(error) = self.fs.verdict("write") {
            if !self.fs.is_dead() {
                self.file.write_all(&bytes[..bytes.len() / 2])?;
            }
            return Err(error);
        }
        match self.room(bytes.len())? {
            0 if !bytes.is_empty() => Err(ErrorKind::StorageFull.into()),
            room => self.file.write(&bytes[..room]),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for FaultFile<dyn WriteFile> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.fs.step("seek")?;
        self.file.seek(to)
    }
}

impl WriteFile for FaultFile<dyn WriteFile> {
    fn sync(&mut self) -> io::Result<()> {
        self.fs.step("sync")?;
        self.file.sync()
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.fs.step("set_len")?;
        self.file.set_len(len)
    }

    fn set_mode(&mut self, mode: u32) -> io::Result<()> {
        self.fs.step("set_mode")?;
        self.file.set_mode(mode)
    }

    fn set_owner(&mut self, owner: (u32, u32)) -> io::Result<()> {
        self.fs.step("set_owner")?;
        self.file.set_owner(owner)
    }

    fn copy_attributes(&mut self, path: &Path) -> io::Result<()> {
        self.fs.step("copy_attributes")?;
        self.file.copy_attributes(path)
    }

    fn metadata(&self) -> io::Result<Metadata> {
        self.fs.step("file_metadata")?;
        self.file.metadata()
    }
}
