//! Pictures of reviews: read and decoded on tasks, kept as textures while they are in view.
//!
//! A picture that is larger than anybody can see is made smaller before it becomes a texture. Limits keep a small file
//! that unpacks to gigabytes from doing so. Of an animation the first frame is shown.

use std::io::Cursor;

use diff::git::{FileChange, Side};
use diff::picture::MAX_BYTES;
use diff::source::Comparison;
use eframe::egui::{ColorImage, Context, TextureHandle, TextureOptions};
use image::{DynamicImage, ImageDecoder as _, ImageReader, Limits, imageops::FilterType};
use rustc_hash::FxHashMap;

use super::reviews::FileIndex;
use crate::tasks::{Poll, Task, Tasks};

/// Pixels of a side of a picture that is decoded at all, and bytes that decoding may take.
const LARGEST: u32 = 20_000;
const MAX_DECODED: u64 = 1 << 30;

/// Pixels of a side of a texture: sharp on any screen, and below what any adapter takes.
const TEXTURE: u32 = 2_048;

/// Frames after which a picture that nobody looked at is forgotten.
const UNSEEN: u64 = 240;

/// A picture as it is shown.
#[derive(Clone)]
pub struct Shown {
    pub texture: TextureHandle,
    /// In pixels of the file.
    pub size: [u32; 2],
    /// Of the file.
    pub bytes: u64,
}

/// What is known of a picture.
pub enum Sight {
    Loading,
    Shown(Shown),
    /// Why it cannot be shown.
    Failed(String),
}

#[derive(Debug)]
struct Decoded {
    image: ColorImage,
    size: [u32; 2],
    bytes: u64,
}

/// One side of a file.
#[derive(Default)]
struct Slot {
    /// Of which contents it is.
    renewals: u32,
    task: Option<Task<Result<Decoded, String>>>,
    /// Until another is there, the picture that was.
    shown: Option<Shown>,
    error: Option<String>,
    /// The frame in which it was last looked at.
    seen: u64,
}

/// The pictures of one review.
#[derive(Default)]
pub struct Pictures {
    slots: FxHashMap<(FileIndex, Side), Slot>,
}

impl Pictures {
    /// Follows the files of a new listing.
    pub fn follow(&mut self, moved: &FxHashMap<FileIndex, FileIndex>) {
        let slots = std::mem::take(&mut self.slots).into_iter();
        self.slots = slots.filter_map(|((file, side), slot)| Some(((*moved.get(&file)?, side), slot))).collect();
    }

    /// Whether any is being decoded.
    pub fn is_busy(&self) -> bool {
        self.slots.values().any(|slot| slot.task.is_some())
    }

    /// The picture of a side. Asks for it if nobody did; `renewals` are those of the file's contents.
    pub fn want(
        &mut self,
        (file, side): (FileIndex, Side),
        (change, renewals): (&FileChange, u32),
        comparison: &Comparison,
        tasks: &Tasks,
        ctx: &Context,
    ) -> Sight {
        let is_new = !self.slots.contains_key(&(file, side));
        let slot = self.slots.entry((file, side)).or_default();
        slot.seen = ctx.cumulative_frame_nr();
        if is_new || slot.renewals != renewals {
            slot.renewals = renewals;
            let (change, comparison) = (change.clone(), comparison.clone());
            slot.task = Some(tasks.spawn("show picture", move |_| {
                let bytes = comparison.reader().bytes(&change, side, MAX_BYTES).map_err(|error| error.to_string())?;
                let bytes = bytes.ok_or_else(|| "there is no content to show".to_owned())?;
                decode(&bytes)
            }));
        }
        if let Some(task) = &slot.task {
            let found = match task.poll() {
                Poll::Pending => None,
                Poll::Ready(found) => Some(found),
                Poll::Lost => Some(Err("it could not be decoded".to_owned())),
            };
            if let Some(found) = found {
                slot.task = None;
                slot.error = None;
                match found {
                    Ok(Decoded { image, size, bytes }) => {
                        let name = format!("picture {file} {side:?}");
                        let texture = ctx.load_texture(name, image, TextureOptions::LINEAR);
                        slot.shown = Some(Shown { texture, size, bytes });
                    }
                    Err(error) => (slot.shown, slot.error) = (None, Some(error)),
                }
            }
        }
        match (&slot.error, &slot.shown) {
            (Some(error), _) => Sight::Failed(error.clone()),
            (None, Some(shown)) => Sight::Shown(shown.clone()),
            (None, None) => Sight::Loading,
        }
    }

    /// Forgets what nobody looked at for a while.
    pub fn forget_unseen(&mut self, frame: u64) {
        self.slots.retain(|_, slot| slot.seen + UNSEEN > frame);
    }
}

/// A picture out of the bytes of its file, within the limits of this module.
pub fn open(bytes: &[u8]) -> Result<DynamicImage, String> {
    let told = |error: image::ImageError| format!("it cannot be decoded: {error}");
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|error| error.to_string())?;
    let mut limits = Limits::default();
    (limits.max_image_width, limits.max_image_height) = (Some(LARGEST), Some(LARGEST));
    limits.max_alloc = Some(MAX_DECODED);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(told)?;
    // A camera that was held upright says so beside the pixels.
    let orientation = decoder.orientation().map_err(told)?;
    let mut image = DynamicImage::from_decoder(decoder).map_err(told)?;
    image.apply_orientation(orientation);
    Ok(image)
}

fn decode(bytes: &[u8]) -> Result<Decoded, String> {
    let mut image = open(bytes)?;
    let size = [image.width(), image.height()];
    if size[0].max(size[1]) > TEXTURE {
        image = image.resize(TEXTURE, TEXTURE, FilterType::Triangle);
    }
    let pixels = image.into_rgba8();
    let of = [pixels.width() as usize, pixels.height() as usize];
    Ok(Decoded { image: ColorImage::from_rgba_unmultiplied(of, &pixels), size, bytes: bytes.len() as u64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(width: u32, height: u32, format: image::ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        DynamicImage::new_rgb8(width, height).write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn every_kind_that_is_told_is_decoded() {
        use image::ImageFormat::{Gif, Jpeg, Png, WebP};
        for format in [Png, Jpeg, Gif, WebP] {
            let bytes = encoded(6, 4, format);
            assert!(diff::picture::PictureKind::of(&bytes).is_some(), "{format:?}");
            assert_eq!(decode(&bytes).map(|decoded| decoded.size), Ok([6, 4]), "{format:?}");
        }
    }

    #[test]
    fn a_large_picture_is_made_smaller_and_keeps_its_shape() {
        let decoded = decode(&encoded(5_000, 1_000, image::ImageFormat::Png)).unwrap();
        assert_eq!((decoded.size, decoded.image.size), ([5_000, 1_000], [2_048, 410]));
    }

    #[test]
    fn what_is_broken_or_too_large_says_so() {
        assert!(decode(b"\x89PNG\r\n\x1a\nnothing").err().unwrap().contains("cannot be decoded"));
        assert!(decode(&encoded(LARGEST + 1, 1, image::ImageFormat::Png)).err().unwrap().contains("cannot be decoded"));
    }
}
