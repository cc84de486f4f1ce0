//! Documents: rope text, transactions, undo, selections, syntax and files.
//!
//! Knows no window and no other crate of ours, and has no global state.

pub mod file;
pub mod limits;
