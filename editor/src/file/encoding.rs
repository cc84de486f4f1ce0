//! Encodings: how the bytes of a file stand for text, guessing which, and both directions.
//!
//! *Exact* means that encoding what was decoded gives the very bytes again. An inexact guess is never used: where the
//! guessed encoding cannot give a file back, windows-1252 can, as it has a character for each of the 256 bytes. So
//! whatever is opened and not edited is saved back byte for byte.

use std::fmt;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{CoderResult, EncoderResult};

use crate::text::{Text, TextBuilder};

/// Bytes decoded at a time; each piece goes into the rope at once, so the whole is never held twice.
const PIECE: usize = 1 << 20;

/// How bytes stand for characters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Encoding(Kind);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Utf8,
    Utf16 { little: bool },
    Legacy(&'static encoding_rs::Encoding),
}

impl Encoding {
    /// UTF-8.
    pub const UTF_8: Self = Self(Kind::Utf8);
    /// UTF-16, low byte first.
    pub const UTF_16LE: Self = Self(Kind::Utf16 { little: true });
    /// UTF-16, high byte first.
    pub const UTF_16BE: Self = Self(Kind::Utf16 { little: false });
    /// Western European; what the web calls Latin-1. Every byte is a character, so it fits any file.
    pub const WINDOWS_1252: Self = Self(Kind::Legacy(encoding_rs::WINDOWS_1252));

    /// The encodings a person may choose from, UTF first.
    pub fn all() -> Vec<Self> {
        use encoding_rs as e;
        let legacy = [
            e::WINDOWS_1252,
            e::ISO_8859_2,
            e::WINDOWS_1250,
            e::ISO_8859_3,
            e::ISO_8859_4,
            e::WINDOWS_1257,
            e::ISO_8859_10,
            e::ISO_8859_13,
            e::ISO_8859_14,
            e::ISO_8859_15,
            e::ISO_8859_16,
            e::MACINTOSH,
            e::ISO_8859_5,
            e::WINDOWS_1251,
            e::KOI8_R,
            e::KOI8_U,
            e::IBM866,
            e::X_MAC_CYRILLIC,
            e::ISO_8859_6,
            e::WINDOWS_1256,
            e::ISO_8859_7,
            e::WINDOWS_1253,
            e::ISO_8859_8,
            e::ISO_8859_8_I,
            e::WINDOWS_1255,
            e::WINDOWS_1254,
            e::WINDOWS_1258,
            e::WINDOWS_874,
            e::SHIFT_JIS,
            e::EUC_JP,
            e::ISO_2022_JP,
            e::EUC_KR,
            e::GB18030,
            e::GBK,
            e::BIG5,
        ];
        let utf = [Self::UTF_8, Self::UTF_16LE, Self::UTF_16BE];
        utf.into_iter().chain(legacy.into_iter().map(|encoding| Self(Kind::Legacy(encoding)))).collect()
    }

    /// The encoding of that name (`latin1`, `utf8`, `Shift_JIS`, …); none for an unknown one.
    pub fn from_label(label: &str) -> Option<Self> {
        let encoding = encoding_rs::Encoding::for_label_no_replacement(label.as_bytes())?;
        Some(if encoding == encoding_rs::UTF_8 {
            Self::UTF_8
        } else if encoding == encoding_rs::UTF_16LE {
            Self::UTF_16LE
        } else if encoding == encoding_rs::UTF_16BE {
            Self::UTF_16BE
        } else {
            Self(Kind::Legacy(encoding))
        })
    }

    /// Its usual name.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Utf8 => "UTF-8",
            Kind::Utf16 { little: true } => "UTF-16LE",
            Kind::Utf16 { little: false } => "UTF-16BE",
            Kind::Legacy(encoding) => encoding.name(),
        }
    }

    /// Whether it has every character.
    pub fn is_unicode(self) -> bool {
        !matches!(self.0, Kind::Legacy(_))
    }

    /// The bytes that mark it at the start of a file; empty for an encoding without a mark.
    pub fn bom(self) -> &'static [u8] {
        match self.0 {
            Kind::Utf8 => b"\xef\xbb\xbf",
            Kind::Utf16 { little: true } => b"\xff\xfe",
            Kind::Utf16 { little: false } => b"\xfe\xff",
            Kind::Legacy(_) => b"",
        }
    }

    /// The encoding that the mark at the start of `bytes` names.
    pub(super) fn of_bom(bytes: &[u8]) -> Option<Self> {
        // What looks like the mark of UTF-16 before a NUL character is the mark of UTF-32.
        if bytes.starts_with(b"\xff\xfe\0\0") {
            return None;
        }
        [Self::UTF_8, Self::UTF_16LE, Self::UTF_16BE].into_iter().find(|it| bytes.starts_with(it.bom()))
    }

    /// UTF-16 without a mark, recognised by the zero halves of its ASCII.
    pub(super) fn sniff_utf16(bytes: &[u8]) -> Option<Self> {
        let pairs = bytes.len() / 2;
        let (mut high, mut low) = (0, 0); // Pairs whose first, and whose second byte is zero.
        for pair in bytes.chunks_exact(2) {
            high += usize::from(pair[0] == 0);
            low += usize::from(pair[1] == 0);
        }
        // A text of another script still has spaces, digits and line ends; a binary file has zeros on both sides.
        let (few, many) = (pairs / 100, pairs / 10);
        if low > many && high <= few {
            Some(Self::UTF_16LE)
        } else if high > many && low <= few {
            Some(Self::UTF_16BE)
        } else {
            None
        }
    }

    /// The likeliest encoding of text that is not UTF-8, judged by a `sample` of it.
    pub(super) fn guess(sample: &[u8], whole: bool) -> Self {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
        detector.feed(sample, whole);
        Self::from_label(detector.guess(None, Utf8Detection::Deny).name()).unwrap_or(Self::WINDOWS_1252)
    }
}

impl fmt::Debug for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Text out of bytes that are not UTF-8.
pub(super) struct Decoded {
    /// The text; what cannot be decoded is U+FFFD.
    pub text: Text,
    /// Whether encoding it gives the bytes again.
    pub exact: bool,
}

/// Decodes `bytes`, which have no mark before them.
pub(super) fn decode(bytes: &[u8], encoding: Encoding) -> Decoded {
    match encoding.0 {
        Kind::Utf8 => decode_legacy(bytes, encoding_rs::UTF_8),
        Kind::Utf16 { little } => decode_utf16(bytes, little),
        Kind::Legacy(encoding) => decode_legacy(bytes, encoding),
    }
}

fn decode_utf16(bytes: &[u8], little: bool) -> Decoded {
    let unit = |pair: &[u8]| {
        let pair = [pair[0], pair[1]];
        if little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
    };
    let mut exact = bytes.len().is_multiple_of(2);
    let mut text = TextBuilder::new();
    let mut piece = String::with_capacity(PIECE + 4);
    for character in char::decode_utf16(bytes.chunks_exact(2).map(unit)) {
        piece.push(character.unwrap_or_else(|_| {
            exact = false;
            char::REPLACEMENT_CHARACTER
        }));
        if piece.len() >= PIECE {
            text.push(&piece);
            piece.clear();
        }
    }
    if !bytes.len().is_multiple_of(2) {
        piece.push(char::REPLACEMENT_CHARACTER);
    }
    text.push(&piece);
    Decoded { text: text.finish(), exact }
}

fn decode_legacy(bytes: &[u8], encoding: &'static encoding_rs::Encoding) -> Decoded {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut encoder =
        Encoder::new(Encoding(if encoding == encoding_rs::UTF_8 { Kind::Utf8 } else { Kind::Legacy(encoding) }));
    let mut exact = true;
    let mut text = TextBuilder::new();
    let mut piece = String::with_capacity(PIECE);
    let mut again = Vec::with_capacity(PIECE);
    let (mut read, mut compared) = (0, 0);
    loop {
        piece.clear();
        let (result, took, malformed) = decoder.decode_to_string(&bytes[read..], &mut piece, true);
        read += took;
        let finished = result == CoderResult::InputEmpty;
        exact &= !malformed;
        if exact {
            again.clear();
            exact = encoder.push(&piece, &mut again).is_ok();
            if finished {
                encoder.finish(&mut again);
            }
            exact &= bytes[compared..].starts_with(&again);
            compared += again.len();
        }
        text.push(&piece);
        if finished {
            break;
        }
    }
    Decoded { text: text.finish(), exact: exact && compared == bytes.len() }
}

/// The bytes that saving a text writes.
///
/// # Errors
/// The first character that the encoding lacks.
pub fn encode(text: &Text, encoding: Encoding, bom: bool) -> Result<Vec<u8>, char> {
    let mut bytes = if bom { encoding.bom().to_vec() } else { Vec::new() };
    let mut encoder = Encoder::new(encoding);
    for piece in text.chunks(0..text.len()) {
        encoder.push(piece, &mut bytes).map_err(|(_, lacking)| lacking)?;
    }
    encoder.finish(&mut bytes);
    Ok(bytes)
}

/// Turns text into bytes, piece by piece.
pub(super) struct Encoder {
    kind: Kind,
    legacy: Option<encoding_rs::Encoder>,
}

impl Encoder {
    pub fn new(encoding: Encoding) -> Self {
        let legacy = match encoding.0 {
            Kind::Legacy(encoding) => Some(encoding.new_encoder()),
            Kind::Utf8 | Kind::Utf16 { .. } => None,
        };
        Self { kind: encoding.0, legacy }
    }

    /// Appends the bytes of `piece` to `out`. A character that the encoding lacks ends it: the error says where in
    /// `piece`, and which.
    pub fn push(&mut self, piece: &str, out: &mut Vec<u8>) -> Result<(), (usize, char)> {
        match (self.kind, &mut self.legacy) {
            (Kind::Utf16 { little }, _) => {
                for unit in piece.encode_utf16() {
                    out.extend_from_slice(&if little { unit.to_le_bytes() } else { unit.to_be_bytes() });
                }
                Ok(())
            }
            (_, Some(encoder)) => push_legacy(encoder, piece, out),
            (_, None) => {
                out.extend_from_slice(piece.as_bytes());
                Ok(())
            }
        }
    }

    /// Appends what ends the text: a return to ASCII in encodings that switch.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        let Some(encoder) = &mut self.legacy else { return };
        out.reserve(16); // An escape sequence takes three bytes.
        let _ = encoder.encode_from_utf8_to_vec_without_replacement("", out, true);
    }
}

fn push_legacy(encoder: &mut encoding_rs::Encoder, piece: &str, out: &mut Vec<u8>) -> Result<(), (usize, char)> {
    let mut read = 0;
    loop {
        let rest = &piece[read..];
        out.reserve(encoder.max_buffer_length_from_utf8_without_replacement(rest.len()).unwrap_or(rest.len()));
        let (result, took) = encoder.encode_from_utf8_to_vec_without_replacement(rest, out, false);
        read += took;
        match result {
            EncoderResult::InputEmpty => return Ok(()),
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(character) => return Err((read - character.len_utf8(), character)),
        }
    }
}
