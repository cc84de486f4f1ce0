//! Documents: rope text, transactions, undo, selections, syntax, language servers and files.
//!
//! Knows no window and no other crate of ours, and has no global state.

pub mod cancel;
pub mod change;
pub mod document;
pub mod edit;
pub mod file;
pub mod find;
pub mod history;
pub mod limits;
pub mod lsp;
#[cfg(test)]
mod marked;
pub mod movement;
pub mod project;
pub mod selection;
pub mod syntax;
pub mod text;

pub use cancel::{Cancel, Cancelled};
pub use change::{Bias, ChangeSet, Edit, Transaction};
pub use document::{Document, EditKind, FileMeta, Indent, LineEnding};
pub use selection::{Selection, Selections};
pub use text::{Columns, Text};
