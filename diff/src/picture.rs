//! Pictures among binary files: which bytes are one, told by how they begin.
//!
//! Nothing is decoded here; whoever shows a picture does.

/// A kind of picture that can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureKind {
    Png,
    Jpeg,
    Gif,
    WebP,
}

/// Bytes of a picture's file that are read to show it; a larger one is said to be binary.
pub const MAX_BYTES: u64 = 64 << 20;

impl PictureKind {
    /// The kind of picture that begins like this.
    pub fn of(start: &[u8]) -> Option<Self> {
        match start {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::WebP),
            _ => None,
        }
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Png => "PNG",
            Self::Jpeg => "JPEG",
            Self::Gif => "GIF",
            Self::WebP => "WebP",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_known_by_how_they_begin() {
        assert_eq!(PictureKind::of(b"\x89PNG\r\n\x1a\n\0\0"), Some(PictureKind::Png));
        assert_eq!(PictureKind::of(b"\xff\xd8\xff\xe0"), Some(PictureKind::Jpeg));
        assert_eq!(PictureKind::of(b"GIF89a"), Some(PictureKind::Gif));
        assert_eq!(PictureKind::of(b"RIFF\0\0\0\0WEBPVP8 "), Some(PictureKind::WebP));
        assert_eq!(PictureKind::of(b"RIFF\0\0\0\0WAVE"), None);
        assert_eq!(PictureKind::of(b""), None);
    }
}
