//! The content of one side of a changed file: text with its encoding, or what stands in for it.
//!
//! *Binary* means what it means to git: a NUL within the first 8,000 bytes, or an attribute that says so. Text may be in
//! any encoding; for display it is decoded to UTF-8 and its byte order mark taken off, both remembered.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use crate::{
    beside::{PARALLEL_BYTES, beside},
    git::{ObjectId, RepoPath},
    lines::{Bytes, Content, TooLarge},
    picture::PictureKind,
};

/// How far git looks for a NUL.
pub const SNIFF: usize = 8_000;

/// What is at one side of a changed file.
#[derive(Clone, Debug)]
pub enum SideContent {
    /// Lines.
    Text(Text),
    /// No lines to compare.
    Binary {
        /// In bytes.
        size: u64,
        /// Its name, where it is known without reading it all; else [`Reader::hash`](crate::git::Reader::hash) tells.
        id: Option<ObjectId>,
        /// The picture that it is, if it begins like one.
        picture: Option<PictureKind>,
    },
    /// Nothing: the file is new, or gone.
    Missing,
    /// A commit of another repository.
    Submodule {
        /// Which; none if it is not checked out.
        commit: Option<ObjectId>,
        /// Whether its own tracked files are changed.
        dirty: bool,
    },
    /// A symbolic link.
    Symlink {
        /// Where it points to, as stored.
        target: RepoPath,
    },
}

/// Text as bytes that are still to be cut into lines.
#[derive(Clone, Debug)]
pub struct Text {
    /// What is compared: UTF-8 without byte order mark for display, the stored bytes for patches.
    pub bytes: Bytes,
    /// The name of the encoding it was in, as encoding labels go: `UTF-8`, `windows-1252`, `UTF-16LE`.
    pub encoding: &'static str,
    /// Whether it began with a byte order mark.
    pub bom: bool,
}

impl Text {
    /// Cuts the text into lines. To compare two sides, [`Content::pair`] of their bytes is faster.
    pub fn content(&self) -> Result<Content, TooLarge> {
        Content::new(self.bytes.clone())
    }
}

impl SideContent {
    /// The text, if it is one.
    pub fn text(&self) -> Option<&Text> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Whether git would call `bytes` binary when no attribute says anything.
pub fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, &bytes[..bytes.len().min(SNIFF)]).is_some()
}

/// Decodes a content for display. `expected` is the encoding that attributes name; without one it is UTF-8 if it can be,
/// what a byte order mark says, or else Windows-1252, in which every byte means something.
///
/// UTF-8 is not copied, mark or not.
pub fn decode(bytes: impl Into<Bytes>, expected: Option<&'static Encoding>) -> Text {
    let bytes = bytes.into();
    let (encoding, bom) = match Encoding::for_bom(&bytes) {
        Some((encoding, length)) => (encoding, length),
        None => (expected.unwrap_or(UTF_8), 0),
    };
    if encoding == UTF_8 && is_utf8(&bytes) {
        return Text { bytes: bytes.without_start(bom), encoding: UTF_8.name(), bom: bom > 0 };
    }
    let encoding = if encoding == UTF_8 { WINDOWS_1252 } else { encoding };
    let (text, _) = encoding.decode_without_bom_handling(&bytes[bom..]);
    Text { bytes: text.into_owned().into_bytes().into(), encoding: encoding.name(), bom: bom > 0 }
}

/// A content as it is stored, for patches and counts: nothing decoded, nothing taken off.
pub fn stored(bytes: impl Into<Bytes>) -> Text {
    let bytes = bytes.into();
    let bom = bytes.starts_with(b"\xef\xbb\xbf");
    Text { bytes, encoding: UTF_8.name(), bom }
}

/// The name of the encoding that stored text is in, as [`decode`] would find it.
pub fn encoding_of(bytes: &[u8]) -> &'static str {
    match Encoding::for_bom(bytes) {
        Some((encoding, _)) => encoding.name(),
        None if is_utf8(bytes) => UTF_8.name(),
        None => WINDOWS_1252.name(),
    }
}

/// Whether `bytes` are UTF-8. Large texts are looked at from both halves at once.
fn is_utf8(bytes: &[u8]) -> bool {
    let valid = |bytes| std::str::from_utf8(bytes).is_ok();
    if bytes.len() < PARALLEL_BYTES {
        return valid(bytes);
    }
    // At the start of a character; where there is none within three bytes, one half is not valid wherever it is cut.
    let continues = |at: usize| bytes[at] & 0xc0 == 0x80;
    let middle = bytes.len() / 2;
    let (front, back) = bytes.split_at((middle - 3..=middle).rfind(|&at| !continues(at)).unwrap_or(middle));
    let (front, back) = beside("encoding", || valid(front), || valid(back));
    front && back
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], text: &str, encoding: &str, bom: bool) {
        let decoded = decode(bytes.to_vec(), None);
        assert_eq!((&*decoded.bytes, decoded.encoding, decoded.bom), (text.as_bytes(), encoding, bom));
    }

    #[test]
    fn text_is_decoded_as_what_it_is() {
        check(b"a\n", "a\n", "UTF-8", false);
        check(b"\xef\xbb\xbfa\n", "a\n", "UTF-8", true);
        check(b"caf\xe9\n", "café\n", "windows-1252", false);
        check(b"\xff\xfea\0\n\0", "a\n", "UTF-16LE", true);
        check(b"\xfe\xff\0a\0\n", "a\n", "UTF-16BE", true);
        check(b"", "", "UTF-8", false);
    }

    #[test]
    fn an_encoding_that_attributes_name_is_taken() {
        let decoded = decode(b"\xc0\xe9".to_vec(), Some(encoding_rs::WINDOWS_1251));
        assert_eq!((&*decoded.bytes, decoded.encoding), ("Ай".as_bytes(), "windows-1251"));
    }

    #[test]
    fn a_large_text_is_utf_8_or_not_wherever_it_is_cut() {
        for shift in 0..4 {
            let mut text = "x".repeat(shift) + &"🦀".repeat(PARALLEL_BYTES / 4 + 1);
            assert!(is_utf8(text.as_bytes()), "shifted by {shift}");
            text.pop();
            let mut bytes = text.into_bytes();
            bytes.push(0xf0);
            assert!(!is_utf8(&bytes), "an unfinished character at the end, shifted by {shift}");
            let middle = bytes.len() / 2;
            bytes.pop();
            bytes[middle - 8..middle + 8].fill(0x80);
            assert!(!is_utf8(&bytes), "continued without end, shifted by {shift}");
        }
    }

    #[test]
    fn a_nul_counts_within_the_first_8000_bytes() {
        let mut bytes = vec![b'a'; 8_001];
        bytes[8_000] = 0;
        assert!(!is_binary(&bytes));
        bytes[7_999] = 0;
        assert!(is_binary(&bytes));
    }
}
