//! Files: opening, saving without ever losing text, and seeing what others change.
//!
//! The only place besides [`crate::project`] that touches the file system, and that only through [`Fs`].

mod encoding;
pub mod fs;
mod load;
mod stamp;

pub use encoding::Encoding;
pub use fs::{Fs, RealFs};
pub use load::{LoadOptions, Loaded, OpenError, load, load_with};
pub use stamp::{NotAStamp, SinceStamp, Stamp};
