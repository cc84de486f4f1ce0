//! Pictures that go along with a message, for models that see: from the clipboard or from a file, made as small as models
//! look at them anyway.
//!
//! Reading and encoding are for workers. Pictures are not kept with a message that is being written: they are large.

use std::io::{Cursor, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent::provider::Image;
use base64::Engine as _;
use diff::picture::{MAX_BYTES, PictureKind};
use editor::file::{Fs as _, RealFs};
use eframe::egui::{Color32, ColorImage};
use image::imageops::FilterType;
use image::{DynamicImage, ImageFormat, RgbaImage};
use serde::{Deserialize, Serialize};

use crate::state::pictures;

/// Pixels of the longer side: servers make larger ones smaller before their models see them.
const SIDE: u32 = 1568;
/// Bytes that go out at most; the strictest server takes 5 MB in base64.
const BYTES: usize = 3_500_000;
/// Pixels of the longer side of what the window shows of it.
const SHOWN: u32 = 320;
const QUALITY: u8 = 85;

/// See the module.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Picture {
    /// The name of its file, or what it is called without one.
    pub label: String,
    media_type: String,
    base64: Arc<str>,
    /// In pixels, as it is sent.
    pub size: [u32; 2],
    /// What the window shows of it.
    #[serde(skip)]
    pub shown: Arc<ColorImage>,
    /// Tells it from others.
    pub hash: u64,
}

impl PartialEq for Picture {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}

impl Eq for Picture {}

/// Where a picture comes from.
pub enum From {
    /// The clipboard.
    Pixels(Arc<ColorImage>),
    File(PathBuf),
}

impl Picture {
    /// Reads a picture and makes it as small as need be.
    ///
    /// # Errors
    /// Why it is none, or cannot be sent.
    pub fn read(from: &From) -> Result<Self, String> {
        match from {
            From::Pixels(pixels) => {
                let [width, height] = pixels.size.map(|side| u32::try_from(side).unwrap_or(u32::MAX));
                let bytes = pixels.pixels.iter().flat_map(Color32::to_srgba_unmultiplied).collect();
                let image = RgbaImage::from_raw(width, height, bytes).ok_or("the clipboard holds no whole picture")?;
                Self::encoded("Pasted picture", DynamicImage::ImageRgba8(image))
            }
            From::File(path) => {
                let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
                let told = |error: std::io::Error| format!("{} cannot be read: {error}", path.display());
                let mut bytes = Vec::new();
                RealFs.open(path).map_err(told)?.take(MAX_BYTES).read_to_end(&mut bytes).map_err(told)?;
                let image = pictures::open(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
                let as_it_is = match PictureKind::of(&bytes) {
                    Some(PictureKind::Png) => Some("image/png"),
                    Some(PictureKind::Jpeg) => Some("image/jpeg"),
                    Some(PictureKind::WebP) => Some("image/webp"),
                    // It may move, and a model looks at one picture.
                    Some(PictureKind::Gif) | None => None,
                };
                let is_small = bytes.len() <= BYTES && image.width().max(image.height()) <= SIDE;
                match as_it_is.filter(|_| is_small) {
                    Some(media_type) => Ok(Self::of(&name, media_type, &bytes, &image)),
                    None => Self::encoded(&name, image),
                }
            }
        }
    }

    fn encoded(label: &str, mut image: DynamicImage) -> Result<Self, String> {
        if image.width().max(image.height()) > SIDE {
            image = image.resize(SIDE, SIDE, FilterType::CatmullRom);
        }
        let told = |error: image::ImageError| format!("{label} cannot be encoded: {error}");
        let mut png = Cursor::new(Vec::new());
        image.write_to(&mut png, ImageFormat::Png).map_err(told)?;
        let png = png.into_inner();
        if png.len() <= BYTES {
            return Ok(Self::of(label, "image/png", &png, &image));
        }
        let mut jpeg = Vec::new();
        let encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut jpeg, QUALITY);
        image.to_rgb8().write_with_encoder(encoder).map_err(told)?;
        Ok(Self::of(label, "image/jpeg", &jpeg, &image))
    }

    fn of(label: &str, media_type: &str, bytes: &[u8], image: &DynamicImage) -> Self {
        let shown = match image.width().max(image.height()) > SHOWN {
            true => image.thumbnail(SHOWN, SHOWN).into_rgba8(),
            false => image.to_rgba8(),
        };
        let size = [shown.width() as usize, shown.height() as usize];
        let mut hash = editor::file::Stamp::of_bytes(bytes).hash();
        // The same picture under two names is two.
        hash ^= editor::file::Stamp::of_bytes(label.as_bytes()).hash();
        Self {
            label: label.to_owned(),
            media_type: media_type.to_owned(),
            base64: base64::engine::general_purpose::STANDARD.encode(bytes).into(),
            size: [image.width(), image.height()],
            shown: Arc::new(ColorImage::from_rgba_unmultiplied(size, &shown)),
            hash,
        }
    }

    /// As a provider sends it.
    pub fn image(&self) -> Image {
        Image { media_type: self.media_type.clone(), base64: self.base64.to_string() }
    }
}

/// Whether a file is a picture that models take, by its name.
pub fn is_picture(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ["png", "jpg", "jpeg", "webp", "gif"].iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// The files of a text that is nothing but paths of pictures, as file managers put them on the clipboard.
pub fn pasted_paths(text: &str) -> Vec<PathBuf> {
    let path = |line: &str| {
        let path = match line.strip_prefix("file://") {
            Some(address) => PathBuf::from(decoded(address.strip_prefix("localhost").unwrap_or(address))?),
            None => PathBuf::from(line.trim_matches(['"', '\''])),
        };
        (path.is_absolute() && is_picture(&path)).then_some(path)
    };
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let found: Option<Vec<PathBuf>> = lines.iter().map(|line| path(line)).collect();
    found.unwrap_or_default()
}

/// An address with its `%20` as they are meant.
fn decoded(address: &str) -> Option<String> {
    let (mut out, mut bytes) = (Vec::new(), address.bytes());
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        out.push((digit(bytes.next())? * 16 + digit(bytes.next())?) as u8);
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_of_the_clipboard_become_a_png_and_large_ones_are_made_smaller() {
        let pixels = |width: usize, height: usize| {
            From::Pixels(Arc::new(ColorImage::from_gray([width, height], &vec![200; width * height])))
        };
        let small = Picture::read(&pixels(6, 4)).unwrap();
        assert_eq!((small.size, small.media_type.as_str()), ([6, 4], "image/png"));
        let bytes = base64::engine::general_purpose::STANDARD.decode(&*small.image().base64).unwrap();
        assert_eq!(image::load_from_memory(&bytes).unwrap().to_rgba8().get_pixel(0, 0).0, [200, 200, 200, 255]);
        let large = Picture::read(&pixels(3136, 100)).unwrap();
        assert_eq!((large.size, large.shown.size), ([1568, 50], [320, 10]));
        assert_ne!(small, large);
        assert_eq!(small, Picture::read(&pixels(6, 4)).unwrap());
    }

    #[test]
    fn a_small_file_is_sent_as_it_is_and_what_is_no_picture_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jpg");
        DynamicImage::new_rgb8(9, 9).save(&path).unwrap();
        let picture = Picture::read(&From::File(path.clone())).unwrap();
        let bytes = base64::engine::general_purpose::STANDARD.decode(&*picture.base64).unwrap();
        assert_eq!((bytes, picture.media_type.as_str()), (std::fs::read(&path).unwrap(), "image/jpeg"));
        std::fs::write(&path, "no picture").unwrap();
        let error = Picture::read(&From::File(path)).unwrap_err();
        assert!(error.contains("a.jpg") && error.contains("cannot be decoded"), "{error}");
    }

    #[test]
    fn paths_of_pictures_are_told_from_other_texts() {
        let found = |text: &str| pasted_paths(text).iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
        assert_eq!(found("/home/a b.png"), ["/home/a b.png"]);
        assert_eq!(found("file:///home/a%20b.PNG\r\nfile:///c.jpg\r\n"), ["/home/a b.PNG", "/c.jpg"]);
        for text in ["", "a.png", "see /a.png", "/a.txt", "/a.png\nand more"] {
            assert_eq!(found(text), [""; 0], "{text:?}");
        }
    }
}
