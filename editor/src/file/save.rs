//! Saving: from a text to a path, so that at every moment either the old or the new content is whole on the disk.
//!
//! *Replacing* is the usual way: a temporary file in the same folder is written, synced, given mode, owner and
//! attributes, and renamed over the old one; then the folder is synced. Until the rename the old content is untouched.
//!
//! *In place* is the way for a file that has other names or cannot be replaced with the same owner: the new content is
//! first written whole to a *spare* beside it, then over the file; should that fail, the old content is put back, and
//! should even that fail, the spare stays and the error names it. After a kill in between, the spare is what is whole.
//!
//! Pipes and devices are just written to. Links are followed to the file they lead to and stay links.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher as _};
use std::io::{self, ErrorKind, Read, SeekFrom};
use std::path::{Path, PathBuf};

use super::encoding::{Encoder, Encoding};
use super::fs::{FileKind, Fs, Metadata, WriteFile};
use super::load::Loaded;
use super::stamp::{ContentHash, SinceStamp, Stamp, hash_of};
use crate::text::Text;

/// What the file is expected to be when it is overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// What it was when it was loaded or last saved.
    Stamp(Stamp),
    /// Not there: the text is new, or saved under another name.
    Missing,
    /// Anything: the person has seen the conflict and decided to overwrite.
    Anything,
}

/// How to write a file.
#[derive(Clone, Debug)]
pub struct SaveOptions {
    /// How characters become bytes.
    pub encoding: Encoding,
    /// Whether the mark of the encoding stands before the text.
    pub bom: bool,
    /// What may be overwritten.
    pub expect: Expect,
    /// Where a spare goes when the file's own folder cannot be written; the system's temporary folder when not given.
    pub spare_folder: Option<PathBuf>,
}

impl SaveOptions {
    /// How a new file is written: UTF-8 without a mark, over nothing.
    pub fn new_file() -> Self {
        Self { encoding: Encoding::UTF_8, bom: false, expect: Expect::Missing, spare_folder: None }
    }

    /// How a file is written back as it was loaded.
    pub fn as_loaded(loaded: &Loaded) -> Self {
        Self { encoding: loaded.encoding, bom: loaded.bom, expect: Expect::Stamp(loaded.stamp), ..Self::new_file() }
    }
}

/// Why a file was not saved. But for [`SaveError::Damaged`] and [`SaveError::NotDurable`] the file is as it was, and
/// for all the text is still in the editor, unsaved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The encoding lacks a character of the text.
    #[error("{encoding} has no '{character}' (line {line}, column {column} of {path}); save as UTF-8, or replace it")]
    Unencodable {
        /// The path asked for.
        path: PathBuf,
        /// The first such character.
        character: char,
        /// Its line, from 1.
        line: u32,
        /// Its character's place in the line, from 1.
        column: usize,
        /// The encoding asked for.
        encoding: Encoding,
    },
    /// Someone wrote the file since it was loaded, or it exists where a new one was wanted.
    #[error("{path} was changed by another program; compare the two, keep yours, or reload")]
    ChangedOnDisk {
        /// The path asked for.
        path: PathBuf,
    },
    /// Someone removed the file since it was loaded.
    #[error("{path} was removed by another program; save again to create it anew")]
    RemovedFromDisk {
        /// The path asked for.
        path: PathBuf,
    },
    /// No one may write the file.
    #[error("{path} is read-only; save it under another name, or make it writable")]
    ReadOnly {
        /// The path asked for.
        path: PathBuf,
    },
    /// We may not write it.
    #[error("{path} may not be written ({source}); save it under another name, or change its permissions")]
    NotPermitted {
        /// The path asked for.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is a folder.
    #[error("{path} is a folder; choose another name")]
    Folder {
        /// The path asked for.
        path: PathBuf,
    },
    /// The folder it should be in is not there.
    #[error("the folder {folder} does not exist; create it, or save elsewhere")]
    NoFolder {
        /// The folder.
        folder: PathBuf,
    },
    /// There is no room.
    #[error("no space left for {path}; the file is as it was, free some space and save again")]
    DiskFull {
        /// The path asked for.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Something else failed.
    #[error("{path} was not saved and is as it was; {step} failed: {source}")]
    Failed {
        /// The path asked for.
        path: PathBuf,
        /// What was being done.
        step: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// Writing in place failed half way, and so did putting the old content back.
    #[error("{path} is damaged: writing failed ({source}); your text is whole in {spare}")]
    Damaged {
        /// The path asked for.
        path: PathBuf,
        /// The file that has the whole new content.
        spare: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The new content is in place, but the system does not confirm that it would survive a power cut.
    #[error("{path} is saved, but the disk does not confirm it ({source})")]
    NotDurable {
        /// The path asked for.
        path: PathBuf,
        /// The stamp of the new content.
        stamp: Stamp,
        /// What the system says.
        source: io::Error,
    },
}

/// Writes `text` to the file at `path`, and returns its new stamp. Nothing but that file is changed, and a temporary
/// file is never left behind, unless the process ends in the middle.
pub fn save(fs: &dyn Fs, path: &Path, text: &Text, options: &SaveOptions) -> Result<Stamp, SaveError> {
    save_content(fs, path, Content::Text(text), options)
}

/// Writes bytes as they are, in the way of [`save`]: what is not, or not only, the text of a document.
pub fn save_bytes(fs: &dyn Fs, path: &Path, bytes: &[u8], expect: Expect) -> Result<Stamp, SaveError> {
    save_content(fs, path, Content::Bytes(bytes), &SaveOptions { expect, ..SaveOptions::new_file() })
}

fn save_content(fs: &dyn Fs, path: &Path, content: Content<'_>, options: &SaveOptions) -> Result<Stamp, SaveError> {
    let save = Save { fs, path, content, options };
    save.check_encodable()?;
    let target = resolve(fs, path).map_err(|source| save.failed("following links", source))?;
    let old = match fs.metadata(&target) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return save.create(&target),
        Err(error) => return Err(save.failed("looking at the file", error)),
    };
    match old.kind {
        FileKind::Folder => Err(SaveError::Folder { path: path.to_owned() }),
        FileKind::Link | FileKind::Special => save.write_through(&target),
        FileKind::File => {
            save.check_writable(&target, &old)?;
            save.check_unchanged(&target)?;
            if old.links > 1 { save.in_place(&target, &old) } else { save.replace(&target, &old) }
        }
    }
}

/// Makes a read-only file writable for its owner: what is offered with [`SaveError::ReadOnly`].
pub fn make_writable(fs: &dyn Fs, path: &Path) -> io::Result<()> {
    let mode = fs.metadata(path)?.mode;
    fs.set_mode(path, mode | 0o200)
}

/// Whether `name` is one that saving gives to its temporary files, which are no one else's business.
pub fn is_temporary(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b".") && name.ends_with(TEMPORARY.as_bytes())
}

const TEMPORARY: &str = ".recto-tmp";
/// Bytes gathered before they are written.
const BUFFER: usize = 256 << 10;
/// As many links in a chain as Linux follows.
const LINKS: usize = 40;

/// The path that `path` leads to, links followed one by one; what the last one points to need not exist.
fn resolve(fs: &dyn Fs, path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_owned();
    for _ in 0..LINKS {
        match fs.link_metadata(&at) {
            Ok(metadata) if metadata.kind == FileKind::Link => {
                // A relative target is meant from the folder the link is in, wherever we are.
                at = folder_of(&at).join(fs.read_link(&at)?);
            }
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => return Ok(at),
        }
    }
    Err(io::Error::other("the links lead around in a circle"))
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// A temporary file; removed when dropped, unless it was renamed or is kept.
struct Temporary<'a> {
    fs: &'a dyn Fs,
    path: PathBuf,
    file: Box<dyn WriteFile>,
    keep: bool,
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.keep {
            // Nothing to tell: what failed before is being told, and a leftover is recognised by its name.
            let _ = self.fs.remove_file(&self.path);
        }
    }
}

impl<'a> Temporary<'a> {
    fn create(fs: &'a dyn Fs, folder: &Path, name: &OsStr, mode: u32) -> io::Result<Self> {
        for _ in 0..16 {
            let path = folder.join(temporary_name(name));
            match fs.create_new(&path, mode) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                result => return Ok(Self { file: result?, fs, path, keep: false }),
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }
}

fn temporary_name(name: &OsStr) -> OsString {
    // Each state is another one: the library's way to random numbers.
    let random = RandomState::new().build_hasher().finish() as u32;
    let name = name.to_string_lossy();
    // Names are at most 255 bytes long; the start is enough to see what it belongs to.
    let end = name.floor_char_boundary(200);
    format!(".{}.{random:08x}{TEMPORARY}", &name[..end]).into()
}

/// A path beside `path` for something that will get its name once it is whole.
pub fn temporary_path(path: &Path) -> PathBuf {
    path.with_file_name(temporary_name(path.file_name().unwrap_or_default()))
}

/// What is written.
#[derive(Clone, Copy)]
enum Content<'a> {
    /// Text, in the encoding that the options name.
    Text(&'a Text),
    Bytes(&'a [u8]),
}

struct Save<'a> {
    fs: &'a dyn Fs,
    path: &'a Path,
    content: Content<'a>,
    options: &'a SaveOptions,
}

impl Save<'_> {
    /// Finds a character that cannot be written before anything is touched.
    fn check_encodable(&self) -> Result<(), SaveError> {
        let encoding = self.options.encoding;
        let Content::Text(text) = self.content else { return Ok(()) };
        if encoding.is_unicode() {
            return Ok(());
        }
        let mut encoder = Encoder::new(encoding);
        let mut bytes = Vec::new();
        let mut offset = 0;
        for chunk in text.chunks(0..text.len()) {
            bytes.clear();
            if let Err((within, character)) = encoder.push(chunk, &mut bytes) {
                let at = offset + within;
                let line = text.line_of(at);
                let column = text.slice(text.line_start(line)..at).chars().count() + 1;
                let path = self.path.to_owned();
                return Err(SaveError::Unencodable { path, character, line: line + 1, column, encoding });
            }
            offset += chunk.len();
        }
        Ok(())
    }

    fn check_writable(&self, target: &Path, old: &Metadata) -> Result<(), SaveError> {
        // Renaming would get around the permissions of a file; they are a wish to respect.
        if old.is_read_only() {
            return Err(SaveError::ReadOnly { path: self.path.to_owned() });
        }
        match self.fs.open_for_writing(target) {
            Err(source) if is_refusal(&source) => Err(SaveError::NotPermitted { path: self.path.to_owned(), source }),
            // Whatever else there is (a running program, say) does not keep it from being replaced.
            _ => Ok(()),
        }
    }

    fn check_unchanged(&self, target: &Path) -> Result<(), SaveError> {
        let since = match &self.options.expect {
            Expect::Anything => return Ok(()),
            Expect::Missing => SinceStamp::Changed,
            Expect::Stamp(stamp) => {
                stamp.check(self.fs, target).map_err(|source| self.failed("comparing with the disk", source))?
            }
        };
        match since {
            SinceStamp::Same => Ok(()),
            SinceStamp::Changed => Err(SaveError::ChangedOnDisk { path: self.path.to_owned() }),
            SinceStamp::Gone => Err(SaveError::RemovedFromDisk { path: self.path.to_owned() }),
        }
    }

    /// Creates a file where there is none.
    fn create(&self, target: &Path) -> Result<Stamp, SaveError> {
        if let Expect::Stamp(_) = self.options.expect {
            return Err(SaveError::RemovedFromDisk { path: self.path.to_owned() });
        }
        let folder = folder_of(target);
        let mut temporary =
            self.temporary(&folder, target, 0o666).map_err(|source| self.cannot_create(&folder, source))?;
        let hash = self.write(&mut *temporary.file).map_err(|source| self.failed("writing", source))?;
        temporary.file.sync().map_err(|source| self.failed("writing to the disk", source))?;
        // A file that appeared meanwhile is someone else's.
        self.fs.rename_new(&temporary.path, target).map_err(|source| match source.kind() {
            ErrorKind::AlreadyExists => SaveError::ChangedOnDisk { path: self.path.to_owned() },
            _ => self.failed("giving it its name", source),
        })?;
        temporary.keep = true;
        self.finish(&*temporary.file, &folder, hash)
    }

    /// Puts a new file in the place of the old one, or writes in place when that would not be the same file to others.
    fn replace(&self, target: &Path, old: &Metadata) -> Result<Stamp, SaveError> {
        let folder = folder_of(target);
        let mut temporary = match self.temporary(&folder, target, 0o600) {
            Err(source) if is_refusal(&source) => return self.in_place(target, old),
            result => result.map_err(|source| self.failed("creating a temporary file", source))?,
        };
        let hash = self.write(&mut *temporary.file).map_err(|source| self.failed("writing", source))?;
        if dress(&mut *temporary.file, target, old).is_err() {
            drop(temporary);
            return self.in_place(target, old);
        }
        temporary.file.sync().map_err(|source| self.failed("writing to the disk", source))?;
        // Writing may have taken a while: look again, as late as possible.
        self.check_unchanged(target)?;
        match self.fs.rename(&temporary.path, target) {
            Ok(()) => {}
            // The file is mounted on its own, or its folder is not ours to rename in.
            Err(source)
                if is_refusal(&source)
                    || matches!(source.kind(), ErrorKind::CrossesDevices | ErrorKind::ResourceBusy) =>
            {
                drop(temporary);
                return self.in_place(target, old);
            }
            Err(source) => return Err(self.failed("replacing the old file", source)),
        }
        temporary.keep = true;
        self.finish(&*temporary.file, &folder, hash)
    }

    /// Overwrites the file itself.
    fn in_place(&self, target: &Path, old: &Metadata) -> Result<Stamp, SaveError> {
        let mut spare = self.spare(target)?;
        let before = self.read(target, old).map_err(|source| self.failed("reading the old content", source))?;
        if let Expect::Stamp(stamp) = &self.options.expect {
            let now = hash_of(&mut &before[..]).map_err(|source| self.failed("comparing with the disk", source))?;
            if now != (stamp.size(), stamp.hash()) {
                return Err(SaveError::ChangedOnDisk { path: self.path.to_owned() });
            }
        }
        let mut file =
            self.fs.open_for_writing(target).map_err(|source| self.failed("opening it for writing", source))?;
        // From here on a kill leaves the file half written: the spare outlives it.
        spare.keep = true;
        match self.overwrite(&mut *file) {
            Ok(hash) => {
                spare.keep = false;
                Ok(stamp_of(&*file, hash))
            }
            Err(source) => match put_back(&mut *file, &before) {
                Ok(()) => {
                    spare.keep = false;
                    Err(self.failed("writing", source))
                }
                Err(_) => Err(SaveError::Damaged { path: self.path.to_owned(), spare: spare.path.clone(), source }),
            },
        }
    }

    /// The whole new content in a file of its own, on the disk.
    fn spare(&self, target: &Path) -> Result<Temporary<'_>, SaveError> {
        let elsewhere = || self.options.spare_folder.clone().unwrap_or_else(std::env::temp_dir);
        let mut folder = folder_of(target);
        let mut spare = self.temporary(&folder, target, 0o600);
        if spare.as_ref().is_err_and(is_refusal) {
            folder = elsewhere();
            spare = self.temporary(&folder, target, 0o600);
        }
        let mut spare = spare.map_err(|source| self.failed("creating a temporary file", source))?;
        self.write(&mut *spare.file).map_err(|source| self.failed("writing", source))?;
        spare.file.sync().map_err(|source| self.failed("writing to the disk", source))?;
        self.fs.sync_folder(&folder).map_err(|source| self.failed("writing to the disk", source))?;
        Ok(spare)
    }

    fn read(&self, target: &Path, old: &Metadata) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(old.size as usize + 1);
        self.fs.open(target)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn overwrite(&self, file: &mut dyn WriteFile) -> io::Result<ContentHash> {
        let hash = self.write(file)?;
        file.set_len(hash.len())?;
        file.sync()?;
        Ok(hash)
    }

    /// Writes to a pipe or device.
    fn write_through(&self, target: &Path) -> Result<Stamp, SaveError> {
        let mut file =
            self.fs.open_for_writing(target).map_err(|source| self.failed("opening it for writing", source))?;
        let hash = self.write(&mut *file).map_err(|source| self.failed("writing", source))?;
        Ok(stamp_of(&*file, hash))
    }

    fn finish(&self, file: &dyn WriteFile, folder: &Path, hash: ContentHash) -> Result<Stamp, SaveError> {
        let stamp = stamp_of(file, hash); // After the rename, as that counts as a change.
        match self.fs.sync_folder(folder) {
            Ok(()) => Ok(stamp),
            Err(source) => Err(SaveError::NotDurable { path: self.path.to_owned(), stamp, source }),
        }
    }

    /// Writes mark and text, from where the file stands.
    fn write(&self, file: &mut dyn WriteFile) -> io::Result<ContentHash> {
        let mut hash = ContentHash::default();
        let text = match self.content {
            Content::Text(text) => text,
            Content::Bytes(bytes) => {
                hash.push(bytes);
                file.write_all(bytes)?;
                file.flush()?;
                return Ok(hash);
            }
        };
        let mut encoder = Encoder::new(self.options.encoding);
        let mut buffer = Vec::with_capacity(BUFFER + (16 << 10));
        if self.options.bom {
            buffer.extend_from_slice(self.options.encoding.bom());
        }
        for chunk in text.chunks(0..text.len()) {
            encoder.push(chunk, &mut buffer).map_err(|_| ErrorKind::InvalidData)?;
            if buffer.len() >= BUFFER {
                hash.push(&buffer);
                file.write_all(&buffer)?;
                buffer.clear();
            }
        }
        encoder.finish(&mut buffer);
        hash.push(&buffer);
        file.write_all(&buffer)?;
        file.flush()?;
        Ok(hash)
    }

    fn temporary(&self, folder: &Path, target: &Path, mode: u32) -> io::Result<Temporary<'_>> {
        Temporary::create(self.fs, folder, target.file_name().unwrap_or_default(), mode)
    }

    fn cannot_create(&self, folder: &Path, source: io::Error) -> SaveError {
        match source.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => SaveError::NoFolder { folder: folder.to_owned() },
            _ => self.failed("creating a temporary file", source),
        }
    }

    fn failed(&self, step: &'static str, source: io::Error) -> SaveError {
        let path = self.path.to_owned();
        match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                SaveError::DiskFull { path, source }
            }
            _ if is_refusal(&source) => SaveError::NotPermitted { path, source },
            _ => SaveError::Failed { path, step, source },
        }
    }
}

/// Makes a new file look like the old one to others.
fn dress(file: &mut dyn WriteFile, target: &Path, old: &Metadata) -> io::Result<()> {
    // The owner first: changing it takes special permission bits away.
    if file.metadata()?.owner != old.owner {
        file.set_owner(old.owner)?;
    }
    file.set_mode(old.mode)?;
    file.copy_attributes(target)
}

/// The stamp of what was written, by the open file: what is at its path by now may be another's.
fn stamp_of(file: &dyn WriteFile, hash: ContentHash) -> Stamp {
    match file.metadata() {
        Ok(metadata) => Stamp::new(&metadata, hash.len(), hash.finish()),
        // It is written all the same; the content alone says what it was.
        Err(_) => Stamp::by_content(hash.len(), hash.finish()),
    }
}

/// Overwrites with the old content: no new blocks are needed for that, so it works on a full disk.
fn put_back(file: &mut dyn WriteFile, before: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    file.write_all(before)?;
    file.set_len(before.len() as u64)?;
    file.sync()
}

fn is_refusal(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}
