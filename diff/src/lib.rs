//! Comparing: git access, the diff engine, alignment, rows and patches.
//!
//! Knows no window and has no global state. Applying a script to the old side always gives the new side.

pub mod affix;
pub mod engine;
pub mod lines;

pub use editor::Cancel;
