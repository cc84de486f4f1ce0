//! Stamps: what a file was when it was last read or written, to see whether someone else has written it since.
//!
//! Size, times and inode answer in one call when nothing happened. When they differ the content decides, by its hash:
//! a touch, a chmod or a checkout that brings the same bytes is no change. A file written within the last moments
//! could be written again within the same tick of its clock, so such a stamp is *fresh* and always compared by
//! content (git calls such an entry racy).

use std::fmt;
use std::io::{self, Read};
use std::path::Path;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use super::fs::{FileKind, Fs, Metadata};

/// The coarsest clock of a file system in use: FAT counts two seconds.
const TICK: i128 = 2_000_000_000;

/// What a file was when it was read or written.
///
/// [`Display`](fmt::Display) and [`FromStr`] write and read it, for sessions that are restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    size: u64,
    hash: u64,
    /// Nanoseconds since 1970.
    modified: i128,
    changed: i128,
    identity: (u64, u64),
    fresh: bool,
}

/// What became of a file since its stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SinceStamp {
    /// Its bytes are the same.
    Same,
    /// Its bytes differ.
    Changed,
    /// It is no longer there.
    Gone,
}

impl Stamp {
    /// The stamp of a file with that content hash. `metadata` must be from before the content was read, or from after
    /// it was written: then a change in between is seen as one.
    pub(super) fn new(metadata: &Metadata, size: u64, hash: u64) -> Self {
        let modified = nanoseconds(metadata.modified);
        Self {
            size,
            hash,
            modified,
            changed: metadata.changed,
            identity: metadata.identity,
            fresh: nanoseconds(Some(SystemTime::now())) - modified.max(metadata.changed) < TICK,
        }
    }

    /// The stamp of a file that has these bytes, whenever they were written.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut hash = ContentHash::default();
        hash.push(bytes);
        Self::by_content(hash.len(), hash.finish())
    }

    /// The stamp of a content of which nothing else is known.
    pub(super) fn by_content(size: u64, hash: u64) -> Self {
        Self { size, hash, modified: 0, changed: 0, identity: (0, 0), fresh: true }
    }

    /// Length of the content in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// A hash of the content: equal for equal bytes, in every run of the program.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// What became of the file at `path`, links followed. Reads it only when its metadata leaves a doubt.
    pub fn check(&self, fs: &dyn Fs, path: &Path) -> io::Result<SinceStamp> {
        let metadata = match fs.metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(SinceStamp::Gone),
            result => result?,
        };
        match metadata.kind {
            FileKind::File => {}
            FileKind::Special => return Ok(SinceStamp::Same), // A pipe has no content to compare.
            FileKind::Folder | FileKind::Link => return Ok(SinceStamp::Changed),
        }
        if metadata.size != self.size {
            return Ok(SinceStamp::Changed);
        }
        if !self.fresh && self.agrees(&metadata) {
            return Ok(SinceStamp::Same);
        }
        let mut file = match fs.open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(SinceStamp::Gone),
            result => result?,
        };
        let same = hash_of(&mut file)? == (self.size, self.hash);
        Ok(if same { SinceStamp::Same } else { SinceStamp::Changed })
    }

    fn agrees(&self, metadata: &Metadata) -> bool {
        self.modified == nanoseconds(metadata.modified)
            && self.changed == metadata.changed
            && self.identity == metadata.identity
    }
}

fn nanoseconds(time: Option<SystemTime>) -> i128 {
    time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |since| since.as_nanos() as i128)
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { size, hash, modified, changed, identity: (device, inode), .. } = self;
        write!(f, "{size} {hash:016x} {modified} {changed} {device} {inode}")
    }
}

/// A text is not a stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the stamp of a file")]
pub struct NotAStamp;

impl FromStr for Stamp {
    type Err = NotAStamp;

    /// Reads what `Display` wrote. The result counts as fresh, as nobody knows what happened between.
    fn from_str(text: &str) -> Result<Self, NotAStamp> {
        let mut fields = text.split(' ');
        let mut next = || fields.next().ok_or(NotAStamp);
        let number = |field: &str| field.parse().map_err(|_| NotAStamp);
        let nanoseconds = |field: &str| field.parse().map_err(|_| NotAStamp);
        let stamp = Self {
            size: number(next()?)?,
            hash: u64::from_str_radix(next()?, 16).map_err(|_| NotAStamp)?,
            modified: nanoseconds(next()?)?,
            changed: nanoseconds(next()?)?,
            identity: (number(next()?)?, number(next()?)?),
            fresh: true,
        };
        if fields.next().is_some() { Err(NotAStamp) } else { Ok(stamp) }
    }
}

/// The length and hash of what is left to read.
pub(super) fn hash_of(file: &mut dyn Read) -> io::Result<(u64, u64)> {
    let mut hash = ContentHash::default();
    let mut buffer = vec![0; 256 << 10];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok((hash.len(), hash.finish())),
            Ok(read) => hash.push(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// A fast hash of a content that comes in pieces, the same however it is cut, and in every build of the program.
///
/// Four lanes of multiply and rotate, eight bytes each: every step is reversible, so two contents of equal length that
/// differ in one word never agree, and others with a chance of about 2⁻⁶⁴. Not meant against an adversary, who could
/// write the file anyway.
#[derive(Clone, Debug, Default)]
pub(super) struct ContentHash {
    lanes: [u64; 4],
    rest: [u8; BLOCK],
    rest_len: usize,
    len: u64,
}

const BLOCK: usize = 32;
/// Odd, half of its bits set: the golden ratio.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl ContentHash {
    pub fn push(&mut self, mut bytes: &[u8]) {
        self.len += bytes.len() as u64;
        if self.rest_len > 0 {
            let take = bytes.len().min(BLOCK - self.rest_len);
            self.rest[self.rest_len..self.rest_len + take].copy_from_slice(&bytes[..take]);
            self.rest_len += take;
            bytes = &bytes[take..];
            if self.rest_len < BLOCK {
                return;
            }
            let block = self.rest;
            Self::mix(&mut self.lanes, &block);
            self.rest_len = 0;
        }
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        let mut lanes = self.lanes;
        for block in blocks {
            Self::mix(&mut lanes, block);
        }
        self.lanes = lanes;
        self.rest[..rest.len()].copy_from_slice(rest);
        self.rest_len = rest.len();
    }

    /// Bytes pushed so far.
    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn finish(mut self) -> u64 {
        self.rest[self.rest_len..].fill(0);
        let last = self.rest;
        Self::mix(&mut self.lanes, &last);
        let mut hash = self.len;
        for lane in self.lanes {
            hash = (hash.rotate_left(29) ^ lane).wrapping_mul(FACTOR);
            hash ^= hash >> 32;
        }
        hash
    }

    #[inline]
    fn mix(lanes: &mut [u64; 4], block: &[u8; BLOCK]) {
        let (words, _) = block.as_chunks::<8>();
        for (lane, word) in lanes.iter_mut().zip(words) {
            *lane = (lane.rotate_left(23) ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_does_not_depend_on_how_the_content_is_cut() {
        let content: Vec<u8> = (0..1000u32).map(|n| (n * 7 % 251) as u8).collect();
        let mut whole = ContentHash::default();
        whole.push(&content);
        let whole = whole.finish();
        for size in [1, 3, 31, 32, 33, 64, 999] {
            let mut cut = ContentHash::default();
            content.chunks(size).for_each(|piece| cut.push(piece));
            assert_eq!(cut.finish(), whole, "in pieces of {size}");
        }
    }

    #[test]
    fn every_changed_byte_changes_the_hash() {
        let content = vec![b'a'; 100];
        let hash = |content: &[u8]| hash_of(&mut &content[..]).unwrap().1;
        for at in 0..content.len() {
            let mut other = content.clone();
            other[at] = b'b';
            assert_ne!(hash(&other), hash(&content), "byte {at}");
        }
        assert_ne!(hash(&content[..99]), hash(&content));
        assert_ne!(hash(&[0; 3]), hash(&[0; 4]));
    }

    #[test]
    fn a_stamp_is_read_back_as_it_was_written() {
        let stamp = Stamp { size: 5, hash: 0xabc, modified: 17, changed: 18, identity: (1, 2), fresh: true };
        assert_eq!(stamp.to_string().parse(), Ok(stamp));
        assert_eq!("5 x 17".parse::<Stamp>(), Err(NotAStamp));
    }
}
