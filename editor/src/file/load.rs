//! Loading: from a path to a text, with all that is needed to write it back as it was.
//!
//! UTF-8 is read in blocks that are checked, hashed and scanned for line ends once and go straight into the rope, so a
//! file is never held twice. Only what turns out not to be UTF-8 is read whole and its encoding guessed.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::encoding::{Encoding, decode};
use super::fs::{FileKind, Fs, Metadata, ReadFile};
use super::stamp::{ContentHash, Stamp};
use crate::cancel::Cancel;
use crate::document::LineEnding;
use crate::limits::Limits;
use crate::text::{Text, TextBuilder};

/// A file as it was opened.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Its text, without the mark of the encoding; carriage returns stay.
    pub text: Text,
    /// How its bytes stand for the text.
    pub encoding: Encoding,
    /// Whether the mark of the encoding stood before the text.
    pub bom: bool,
    /// The ending most lines have; of the first line when equally many have either.
    pub line_ending: LineEnding,
    /// Whether more than one kind of line ending occurs, a CR alone among them.
    pub mixed: bool,
    /// Length of the longest line, with its ending.
    pub longest_line: usize,
    /// Permission bits.
    pub mode: u32,
    /// Whether no one may write the file. Typing is fine; saving needs another name or a chmod.
    pub read_only: bool,
    /// Whether it looked binary and was forced open.
    pub binary: bool,
    /// Whether saving the unedited text gives the same bytes. False only when an encoding was asked for that does not
    /// fit the file; saving would then lose what is shown as U+FFFD.
    pub exact: bool,
    /// What it was, for seeing outside changes.
    pub stamp: Stamp,
}

/// How to open a file, where the usual way is not wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadOptions {
    /// The encoding to read it in, instead of guessing.
    pub encoding: Option<Encoding>,
    /// Open it as text even when it looks binary.
    pub force_text: bool,
}

/// Why a file was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is nothing at the path.
    #[error("{path} does not exist")]
    Missing {
        /// The path asked for.
        path: PathBuf,
    },
    /// It is a folder.
    #[error("{path} is a folder; open it as a project")]
    Folder {
        /// The path asked for.
        path: PathBuf,
    },
    /// It is a pipe, socket or device, whose content may never end.
    #[error("{path} is a pipe, socket or device, not a file")]
    Special {
        /// The path asked for.
        path: PathBuf,
    },
    /// It is larger than [`Limits::open_bytes`].
    #[error("{path} has {size} bytes; files of more than {limit} are not opened as text")]
    TooLarge {
        /// The path asked for.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// It has a NUL byte near its start, or its mark promises an encoding that it is not in.
    #[error("{path} looks binary; open it in the hex view, or force text")]
    Binary {
        /// The path asked for.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
    },
    /// The system does not let us read it.
    #[error("{path} is not readable: {source}")]
    Unreadable {
        /// The path asked for.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Nobody waits for it any more.
    #[error("opening {path} was cancelled")]
    Cancelled {
        /// The path asked for.
        path: PathBuf,
    },
}

/// Opens the file at `path`, links followed: see [`load_with`].
pub fn load(fs: &dyn Fs, path: &Path, limits: &Limits) -> Result<Loaded, OpenError> {
    load_with(fs, path, limits, LoadOptions::default(), &Cancel::new())
}

/// Opens the file at `path`, links followed, guessing what `options` does not say.
pub fn load_with(
    fs: &dyn Fs,
    path: &Path,
    limits: &Limits,
    options: LoadOptions,
    cancel: &Cancel,
) -> Result<Loaded, OpenError> {
    let unreadable = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => OpenError::Missing { path: path.to_owned() },
        _ => OpenError::Unreadable { path: path.to_owned(), source },
    };
    let open = || -> Result<_, OpenError> {
        // Asked before opening: opening a device can already do something.
        refuse_special(path, &fs.metadata(path).map_err(unreadable)?)?;
        let file = fs.open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        refuse_special(path, &metadata)?;
        if metadata.size > limits.open_bytes {
            return Err(OpenError::TooLarge { path: path.to_owned(), size: metadata.size, limit: limits.open_bytes });
        }
        Ok((file, metadata))
    };
    let (mut file, metadata) = open()?;
    let reading = Reading { path, limits, options, cancel };
    if let Some(body) = reading.utf8(&mut *file, &metadata)? {
        return Ok(body.loaded(&metadata));
    }
    drop(file);
    // Not UTF-8: read once more, whole. It may have changed in between, so everything is judged anew.
    let (mut file, metadata) = open()?;
    let bytes = reading.whole(&mut *file, &metadata)?;
    Ok(reading.other(&bytes, metadata.size)?.loaded(&metadata))
}

fn refuse_special(path: &Path, metadata: &Metadata) -> Result<(), OpenError> {
    match metadata.kind {
        FileKind::File => Ok(()),
        FileKind::Folder => Err(OpenError::Folder { path: path.to_owned() }),
        FileKind::Link | FileKind::Special => Err(OpenError::Special { path: path.to_owned() }),
    }
}

/// What is known of the content once it is read.
struct Body {
    text: Text,
    encoding: Encoding,
    bom: bool,
    binary: bool,
    exact: bool,
    lines: LineScan,
    hash: ContentHash,
}

impl Body {
    fn loaded(self, metadata: &Metadata) -> Loaded {
        Loaded {
            text: self.text,
            encoding: self.encoding,
            bom: self.bom,
            line_ending: self.lines.dominant(),
            mixed: self.lines.mixed(),
            longest_line: self.lines.longest(),
            mode: metadata.mode,
            read_only: metadata.is_read_only(),
            binary: self.binary,
            exact: self.exact,
            stamp: Stamp::new(metadata, self.hash.len(), self.hash.finish()),
        }
    }
}

struct Reading<'a> {
    path: &'a Path,
    limits: &'a Limits,
    options: LoadOptions,
    cancel: &'a Cancel,
}

/// Bytes read, checked and put into the rope at a time.
const BLOCK: usize = 4 << 20;

impl Reading<'_> {
    /// Reads `file` as UTF-8; none when it is not.
    fn utf8(&self, file: &mut dyn ReadFile, metadata: &Metadata) -> Result<Option<Body>, OpenError> {
        if self.options.encoding.is_some_and(|encoding| encoding != Encoding::UTF_8) {
            return Ok(None);
        }
        let mut hash = ContentHash::default();
        let mut lines = LineScan::default();
        let mut text = TextBuilder::new();
        let mut carry: Vec<u8> = Vec::new();
        let (mut bom, mut binary, mut first) = (false, false, true);
        loop {
            let mut block = Vec::with_capacity(BLOCK.min(metadata.size as usize + 1) + carry.len());
            block.append(&mut carry);
            let carried = block.len();
            let ended = self.fill(file, &mut block)?;
            hash.push(&block[carried..]);
            if first {
                first = false;
                binary = self.sniff_nul(&block);
                match Encoding::of_bom(&block) {
                    Some(Encoding::UTF_8) => {
                        bom = true;
                        block.drain(..Encoding::UTF_8.bom().len());
                    }
                    Some(_) if self.options.encoding.is_none() => return Ok(None),
                    _ if binary && !self.options.force_text => return Ok(None),
                    _ => {}
                }
            }
            if !ended {
                carry = block.split_off(block.len() - unfinished(&block));
            }
            let Ok(piece) = String::from_utf8(block) else { return Ok(None) };
            lines.push(piece.as_bytes());
            text.push(&piece);
            if ended {
                let text = text.finish();
                return Ok(Some(Body { text, encoding: Encoding::UTF_8, bom, binary, exact: true, lines, hash }));
            }
        }
    }

    /// Makes text of the `bytes` of a file that is not UTF-8, or shall not be read as such.
    fn other(&self, bytes: &[u8], size: u64) -> Result<Body, OpenError> {
        let binary = || OpenError::Binary { path: self.path.to_owned(), size };
        let mut hash = ContentHash::default();
        hash.push(bytes);
        let with = |encoding: Encoding, bom: bool| {
            let content = if bom { &bytes[encoding.bom().len()..] } else { bytes };
            let decoded = decode(content, encoding);
            let mut lines = LineScan::default();
            decoded.text.chunks(0..decoded.text.len()).for_each(|chunk| lines.push(chunk.as_bytes()));
            let binary = self.sniff_nul(bytes);
            Body { text: decoded.text, encoding, bom, binary, exact: decoded.exact, lines, hash: hash.clone() }
        };
        if let Some(encoding) = self.options.encoding {
            return Ok(with(encoding, !encoding.bom().is_empty() && bytes.starts_with(encoding.bom())));
        }
        let marked = Encoding::of_bom(bytes).filter(|&encoding| encoding != Encoding::UTF_8);
        if let Some(encoding) = marked {
            let body = with(encoding, true);
            if body.exact && !starts_with_nul_text(&body.text, self.limits) {
                return Ok(Body { binary: false, ..body });
            }
        } else if !self.sniff_nul(bytes) {
            let guess = self.guess(bytes);
            let body = with(guess, false);
            return Ok(if body.exact { body } else { with(Encoding::WINDOWS_1252, false) });
        } else if let Some(encoding) = Encoding::sniff_utf16(&bytes[..bytes.len().min(self.limits.binary_sniff_bytes)])
        {
            let body = with(encoding, false);
            if body.exact && !starts_with_nul_text(&body.text, self.limits) {
                return Ok(Body { binary: false, ..body });
            }
        }
        if self.options.force_text {
            return Ok(Body { binary: true, ..with(Encoding::WINDOWS_1252, false) });
        }
        Err(binary())
    }

    /// The likeliest encoding of bytes that are not UTF-8, from where they stop being ASCII.
    fn guess(&self, bytes: &[u8]) -> Encoding {
        let foreign = bytes.iter().position(|byte| !byte.is_ascii() || *byte == 0x1b).unwrap_or(0);
        // From the start of its line, as words before it tell, too; but not of a very long one.
        let near = foreign.saturating_sub(1024);
        let start = memchr::memrchr(b'\n', &bytes[near..foreign]).map_or(near, |at| near + at + 1);
        let end = bytes.len().min(start + self.limits.encoding_sniff_bytes);
        Encoding::guess(&bytes[start..end], end == bytes.len())
    }

    fn whole(&self, file: &mut dyn ReadFile, metadata: &Metadata) -> Result<Vec<u8>, OpenError> {
        let mut bytes = Vec::with_capacity(metadata.size as usize + 1);
        while !self.fill(file, &mut bytes)? {
            if bytes.len() as u64 > self.limits.open_bytes {
                return Err(self.too_large(bytes.len() as u64));
            }
            bytes.reserve(BLOCK.min(bytes.len()));
        }
        Ok(bytes)
    }

    /// Reads until `block` has no room left; true at the end of the file.
    fn fill(&self, file: &mut dyn ReadFile, block: &mut Vec<u8>) -> Result<bool, OpenError> {
        if self.cancel.is_cancelled() {
            return Err(OpenError::Cancelled { path: self.path.to_owned() });
        }
        let room = (block.capacity() - block.len()).max(1) as u64;
        let before = block.len();
        file.take(room)
            .read_to_end(block)
            .map_err(|source| OpenError::Unreadable { path: self.path.to_owned(), source })?;
        Ok(((block.len() - before) as u64) < room)
    }

    fn sniff_nul(&self, bytes: &[u8]) -> bool {
        memchr::memchr(0, &bytes[..bytes.len().min(self.limits.binary_sniff_bytes)]).is_some()
    }

    fn too_large(&self, size: u64) -> OpenError {
        OpenError::TooLarge { path: self.path.to_owned(), size, limit: self.limits.open_bytes }
    }
}

fn starts_with_nul_text(text: &Text, limits: &Limits) -> bool {
    text.chunks(0..text.floor_char(limits.binary_sniff_bytes)).any(|chunk| chunk.contains('\0'))
}

/// How many bytes at the end of `block` begin a character that the next block completes.
fn unfinished(block: &[u8]) -> usize {
    let tail = &block[block.len().saturating_sub(3)..];
    for (back, &byte) in tail.iter().rev().enumerate() {
        let length = match byte {
            0x80..=0xbf => continue,
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xff => 4,
            0..=0x7f => 1,
        };
        return if back + 1 < length { back + 1 } else { 0 };
    }
    0
}

/// Counts line endings of a text that comes in pieces.
#[derive(Clone, Debug, Default)]
struct LineScan {
    lf: usize,
    crlf: usize,
    cr: usize,
    first_is_crlf: bool,
    longest: usize,
    /// Offset of the current line's start and of the end of all pieces so far.
    line_start: usize,
    end: usize,
    ends_with_cr: bool,
}

impl LineScan {
    fn push(&mut self, piece: &[u8]) {
        let Some(&last) = piece.last() else { return };
        for at in memchr::memchr_iter(b'\n', piece) {
            let after_cr = if at == 0 { self.ends_with_cr } else { piece[at - 1] == b'\r' };
            if self.lf + self.crlf == 0 {
                self.first_is_crlf = after_cr;
            }
            *(if after_cr { &mut self.crlf } else { &mut self.lf }) += 1;
            let next = self.end + at + 1;
            self.longest = self.longest.max(next - self.line_start);
            self.line_start = next;
        }
        self.cr += memchr::memchr_iter(b'\r', piece).count();
        self.ends_with_cr = last == b'\r';
        self.end += piece.len();
    }

    fn dominant(&self) -> LineEnding {
        if self.crlf > self.lf || (self.crlf == self.lf && self.first_is_crlf) {
            LineEnding::Crlf
        } else {
            LineEnding::Lf
        }
    }

    fn mixed(&self) -> bool {
        let alone = self.cr - self.crlf;
        [self.lf, self.crlf, alone].into_iter().filter(|&count| count > 0).count() > 1
    }

    fn longest(&self) -> usize {
        self.longest.max(self.end - self.line_start)
    }
}
