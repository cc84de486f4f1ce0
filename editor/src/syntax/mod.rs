//! Syntax: which language a text is in, its parse tree, and the kind of each piece of it.
//!
//! [`Language`] is a handle to an entry of one table. [`Syntax`] is the tree of a text, kept while the text changes; it
//! is for threads that may work. [`Service`] is what a window talks to: requests for the lines on screen go in, spans
//! come out, and whatever is slow, huge or broken ends in a notice instead of a pause.
//!
//! Grammars are the plain tree-sitter crates; their queries and our additions follow the rule that the inner node wins,
//! and of two patterns for one node the later. No type of tree-sitter leaves this module.

mod budget;
mod grammar;
mod injection;
mod language;
mod outline;
mod paint;
mod scope;
mod service;
mod source;
mod store;
mod table;
mod token;
mod tree;

pub use budget::{Budget, Stop};
pub use grammar::GrammarError;
pub use language::Language;
pub use outline::{Item, Outline, What};
pub use paint::Span;
pub use scope::enclosing_by_indentation;
pub use service::{Highlighted, Limits, LineSpan, Notice, Request, Service};
pub use table::IndentHints;
pub use token::Token;
pub use tree::Syntax;
