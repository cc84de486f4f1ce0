//! Files: opening, saving without ever losing text, and seeing what others change.
//!
//! The only place besides [`crate::project`] that touches the file system, and that only through [`Fs`].

pub mod fs;

pub use fs::{Fs, RealFs};
