//! Comparing: git access, the diff engine, alignment, rows and patches.
//!
//! Knows no window and has no global state. Applying a script to the old side always gives the new side.

pub mod affix;
pub mod align;
mod beside;
pub mod checkpoint;
pub mod combined;
pub mod comments;
pub mod content;
pub mod engine;
pub mod export;
pub mod generated;
pub mod git;
pub mod incremental;
pub mod inline;
pub mod lines;
pub mod merge;
pub mod moves;
pub mod notebook;
pub mod notes;
pub mod order;
pub mod patch;
pub mod picture;
pub mod plan;
pub mod review;
mod runs;
pub mod source;
pub mod staging;
pub mod store;
pub mod ticks;

pub use editor::Cancel;
