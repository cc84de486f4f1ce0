//! Syntax: which language a text is in, its parse tree, and what colour each piece of it has.

#[expect(dead_code, reason = "the highlighter that uses it follows")]
mod grammar;
#[expect(dead_code, reason = "the highlighter that uses it follows")]
mod language;
mod table;
mod token;

pub use grammar::GrammarError;
pub use language::Language;
pub use table::IndentHints;
pub use token::Token;
