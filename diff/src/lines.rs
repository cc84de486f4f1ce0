//! Texts as lines, the way git counts them.
//!
//! A *line* ends behind each LF; a CR before it belongs to the line, a lone CR ends nothing. Text behind the last LF is
//! a line of its own that "ends without newline"; there is no empty line behind a final LF. Contents are bytes, whatever
//! their encoding, and cheap to clone.
//!
//! Invariant: `starts` holds the offset of each line's first byte, ascending, the first 0; an empty text has none.

use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::sync::Arc;

use crate::affix::Common;
use crate::beside::{PARALLEL_BYTES, beside};

/// A text has 4 GiB or more; line offsets are 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text has {bytes} bytes; at most {} can be compared", u32::MAX)]
pub struct TooLarge {
    /// Its size.
    pub bytes: u64,
}

/// Bytes that are shared, never copied: owned or mapped from a file.
#[derive(Clone, Debug)]
pub struct Bytes {
    storage: Storage,
    /// What lies outside is not part of it.
    range: Range<usize>,
}

#[derive(Clone, Debug)]
enum Storage {
    Shared(Arc<[u8]>),
    Owned(Arc<Vec<u8>>),
    Mapped(Arc<memmap2::Mmap>),
}

impl Bytes {
    /// Maps `file` into memory, without reading it.
    ///
    /// For large files that are compared as they are. A file that another process shortens while it is mapped ends ours;
    /// what is being edited is read instead.
    pub fn map(file: &File) -> io::Result<Bytes> {
        if file.metadata()?.len() == 0 {
            return Ok(Bytes::default()); // an empty map is refused by some systems
        }
        #[expect(unsafe_code, reason = "a map is only sound while nobody shortens the file, which the caller chose")]
        let map = unsafe { memmap2::MmapOptions::new().map(file)? };
        Ok(Storage::Mapped(Arc::new(map)).into())
    }

    /// The same without the first `bytes`, which stay in memory.
    #[must_use]
    pub fn without_start(self, bytes: usize) -> Self {
        let Range { start, end } = self.range;
        Self { range: (start + bytes).min(end)..end, ..self }
    }

    /// The first `bytes` alone; the rest stays in memory.
    #[must_use]
    pub fn first(self, bytes: usize) -> Self {
        let Range { start, end } = self.range;
        Self { range: start..(start + bytes).min(end), ..self }
    }
}

impl Storage {
    fn all(&self) -> &[u8] {
        match self {
            Self::Shared(bytes) => bytes,
            Self::Owned(bytes) => bytes,
            Self::Mapped(map) => map,
        }
    }
}

impl From<Storage> for Bytes {
    fn from(storage: Storage) -> Self {
        let range = 0..storage.all().len();
        Self { storage, range }
    }
}

impl Default for Bytes {
    fn default() -> Self {
        Storage::Shared(Arc::from([])).into()
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.storage.all()[self.range.clone()]
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Storage::Owned(Arc::new(bytes)).into()
    }
}

impl From<Arc<[u8]>> for Bytes {
    fn from(bytes: Arc<[u8]>) -> Self {
        Storage::Shared(bytes).into()
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        Storage::Shared(Arc::from(bytes)).into()
    }
}

/// One side of a comparison: its bytes and where its lines start.
#[derive(Clone, Debug, Default)]
pub struct Content {
    bytes: Bytes,
    starts: Arc<Vec<u32>>,
}

impl Content {
    /// Finds the lines of `bytes`. O(n), one pass.
    pub fn new(bytes: impl Into<Bytes>) -> Result<Content, TooLarge> {
        let bytes = bytes.into();
        let starts = line_starts(&bytes)?;
        Ok(Content { bytes, starts: Arc::new(starts) })
    }

    /// Both sides of a comparison. Where they begin and end alike, lines are looked for in only one of them, which halves
    /// the work for a large file with a small change.
    pub fn pair(old: impl Into<Bytes>, new: impl Into<Bytes>) -> Result<(Content, Content), TooLarge> {
        let (old, new) = (old.into(), new.into());
        let common = Common::of(&old, &new);
        Self::pair_with(old, new, common)
    }

    /// The same of two sides of which it is known what they have in common.
    pub fn pair_with(old: Bytes, new: Bytes, common: Common) -> Result<(Content, Content), TooLarge> {
        let old = Content::new(old)?;
        check_size(&new)?;
        let Common { prefix, suffix } = common;
        if prefix + suffix < new.len() / 2 || new.len() < 4096 {
            let new = Content::new(new)?;
            return Ok((old, new));
        }
        let middle = prefix..new.len() - suffix;
        let mut starts = Vec::with_capacity(old.starts.len() + 16);
        // A start at `prefix` itself stands behind a newline of the prefix, but need not have a byte behind it.
        starts.extend_from_slice(&old.starts[..old.starts.partition_point(|&start| (start as usize) < prefix)]);
        let boundary = prefix == 0 || new[prefix - 1] == b'\n';
        if boundary && prefix < new.len() {
            starts.push(prefix as u32);
        }
        push_starts(&new, middle.clone(), &mut starts);
        let (old_end, new_end) = (old.bytes.len() - suffix, middle.end);
        let behind = old.starts.partition_point(|&start| start as usize <= old_end);
        starts.extend(old.starts[behind..].iter().map(|&start| (start as usize - old_end + new_end) as u32));
        Ok((old, Content { bytes: new, starts: Arc::new(starts) }))
    }

    /// The first `lines` lines alone.
    #[must_use]
    pub fn first(&self, lines: u32) -> Content {
        let bytes = self.bytes.clone().first(self.line_start(lines));
        let count = self.starts.len().min(lines as usize);
        Content { bytes, starts: Arc::new(self.starts[..count].to_vec()) }
    }

    /// The whole text.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Size in bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there is no byte at all.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Number of lines, as git counts them.
    pub fn line_count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Offset of the first byte of `line`; the size for lines that do not exist.
    pub fn line_start(&self, line: u32) -> usize {
        self.starts.get(line as usize).map_or(self.bytes.len(), |&start| start as usize)
    }

    /// Offsets of all line starts.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// The line with its ending; empty for lines that do not exist.
    pub fn line(&self, line: u32) -> &[u8] {
        &self.bytes[self.line_start(line)..self.line_start(line.saturating_add(1))]
    }

    /// The line without LF and without a CR before it.
    pub fn line_text(&self, line: u32) -> &[u8] {
        without_ending(self.line(line))
    }

    /// The bytes of a range of lines.
    pub fn lines(&self, lines: Range<u32>) -> &[u8] {
        &self.bytes[self.line_start(lines.start)..self.line_start(lines.end.max(lines.start))]
    }

    /// The line that holds the byte at `offset`; the last line for offsets behind the end.
    pub fn line_of(&self, offset: usize) -> u32 {
        self.starts.partition_point(|&start| start as usize <= offset).saturating_sub(1) as u32
    }

    /// Whether the last line has no LF. An empty text has no last line.
    pub fn ends_without_newline(&self) -> bool {
        self.bytes.last().is_some_and(|&byte| byte != b'\n')
    }

    /// Bytes of memory this content holds besides a mapped file.
    pub fn memory(&self) -> usize {
        let bytes = match &self.bytes.storage {
            Storage::Mapped(_) => 0,
            Storage::Shared(_) | Storage::Owned(_) => self.bytes.len(),
        };
        bytes + self.starts.len() * size_of::<u32>()
    }
}

/// `line` without LF and without a CR before that.
pub fn without_ending(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").map_or(line, |line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// Offsets of line starts, without one past a final LF. O(n), one pass.
pub fn line_starts(text: &[u8]) -> Result<Vec<u32>, TooLarge> {
    check_size(text)?;
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let mut starts = Vec::with_capacity(text.len() / 40 + 1);
    starts.push(0);
    if text.len() < PARALLEL_BYTES {
        push_starts(text, 0..text.len(), &mut starts);
        return Ok(starts);
    }
    let middle = text.len() / 2;
    let ((), back) = beside(
        "line starts",
        || push_starts(text, 0..middle, &mut starts),
        || {
            let mut back = Vec::with_capacity((text.len() - middle) / 40);
            push_starts(text, middle..text.len(), &mut back);
            back
        },
    );
    starts.extend_from_slice(&back);
    Ok(starts)
}

/// Pushes the starts that the newlines in `range` make.
fn push_starts(text: &[u8], range: Range<usize>, starts: &mut Vec<u32>) {
    let base = range.start + 1;
    starts.extend(memchr::memchr_iter(b'\n', &text[range]).map(|at| (base + at) as u32));
    if starts.last().is_some_and(|&start| start as usize == text.len()) {
        starts.pop();
    }
}

fn check_size(text: &[u8]) -> Result<(), TooLarge> {
    if u32::try_from(text.len()).is_ok_and(|len| len < u32::MAX) {
        Ok(())
    } else {
        Err(TooLarge { bytes: text.len() as u64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn content(text: &[u8]) -> Content {
        Content::new(text).unwrap()
    }

    #[test]
    fn counts_lines_as_git_does() {
        let count = |text: &[u8]| content(text).line_count();
        assert_eq!([count(b""), count(b"\n"), count(b"a"), count(b"a\n"), count(b"a\nb")], [0, 1, 1, 1, 2]);
    }

    #[test]
    fn a_lone_carriage_return_ends_no_line() {
        let text = content(b"a\rb\n");
        assert_eq!((text.line_count(), text.line(0), text.line_text(0)), (1, &b"a\rb\n"[..], &b"a\rb"[..]));
        assert_eq!(content(b"a\r\nb").line_text(0), b"a");
    }

    #[test]
    fn knows_a_missing_final_newline() {
        assert!(content(b"a").ends_without_newline());
        assert!(!content(b"a\n").ends_without_newline());
        assert!(!content(b"").ends_without_newline());
    }

    #[test]
    fn the_first_lines_are_a_text_of_their_own() {
        let text = content(b"a\nbc\nd");
        let of = |lines| (text.first(lines).bytes().to_vec(), text.first(lines).line_count());
        assert_eq!(
            [of(0), of(2), of(3), of(9)],
            [(b"".to_vec(), 0), (b"a\nbc\n".to_vec(), 2), (b"a\nbc\nd".to_vec(), 3), (b"a\nbc\nd".to_vec(), 3)]
        );
    }

    #[test]
    fn a_mapped_file_reads_as_its_bytes() {
        let mut file = tempfile::tempfile().unwrap();
        assert!(Bytes::map(&file).unwrap().is_empty());
        io::Write::write_all(&mut file, b"a\nb\n").unwrap();
        assert_eq!(Content::new(Bytes::map(&file).unwrap()).unwrap().line(1), b"b\n");
    }

    proptest! {
        #[test]
        fn a_pair_has_the_lines_of_each(
            head in "[ab\n]{0,3000}", old in "[ab\n]{0,40}", new in "[ab\n]{0,40}", tail in "[ab\n]{0,6000}",
        ) {
            let (old, new) = (format!("{head}{old}{tail}").into_bytes(), format!("{head}{new}{tail}").into_bytes());
            let pair = Content::pair(old.clone(), new.clone()).unwrap();
            prop_assert_eq!(pair.0.starts().to_vec(), line_starts(&old).unwrap());
            prop_assert_eq!(pair.1.starts().to_vec(), line_starts(&new).unwrap());
        }
    }
}
