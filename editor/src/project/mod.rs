//! A project: the folder that is open, its files, and what is done with them.
//!
//! Three views of the same files: [`Tree`] shows folders as they are opened, [`walk`](walk::walk) lists all files in the
//! background, [`PathIndex`] finds one by a few letters. What git ignores is left out, or marked.

mod index;
pub mod ops;
mod tree;
pub mod walk;

pub use index::{Hit, Hits, PathId, PathIndex, PathQuery, Searcher};
pub use tree::{Entry, ListError, ListRequest, Row, Tree, list, natural_order};

#[cfg(test)]
mod tests;
