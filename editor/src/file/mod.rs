//! Files: opening, saving without ever losing text, and seeing what others change.
//!
//! The only place besides [`crate::project`] that touches the file system, and that only through [`Fs`].

mod encoding;
pub mod fault;
pub mod fs;
mod load;
mod save;
mod stamp;
pub mod watch;

pub use encoding::{Encoding, encode};
pub use fs::{Fs, RealFs};
pub use load::{LoadOptions, Loaded, OpenError, load, load_with};
pub use save::{Expect, SaveError, SaveOptions, is_temporary, make_writable, save, save_bytes, temporary_path};
pub use stamp::{NotAStamp, SinceStamp, Stamp};

#[cfg(test)]
mod tests;
#[cfg(test)]
mod watch_tests;
