//! Unified patches: writing what `git apply` takes, and reading what tools write.
//!
//! Text only: what a patch says about a file is in [`Header`], which lines changed is a [`Script`](crate::engine::Script)
//! when writing, and [`parse::PatchFile`] when reading.

pub mod combined;
pub mod parse;
pub mod quote;
pub mod write;

pub use combined::{CombinedHunk, CombinedLine};
pub use parse::{ParseError, Patch, parse};
pub use write::{Body, Header, Link, WriteOptions, write};
