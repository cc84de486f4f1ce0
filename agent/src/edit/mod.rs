//! Applying edits: from what a model wrote about a file, and the file's text, to the new text or a reason why not.
//!
//! Three written forms are understood. *Blocks* look for lines and replace them; the *ladder* says how exactly the lines
//! must be met, and each of its rungs needs exactly one place. A *symbol* is a whole new version of a function, type or
//! section, put in the place of the old by its name. A *whole file* replaces all of a small one. [`apply`] takes any of
//! them.
//!
//! Invariants: pure, texts in and texts out. A text comes out only if everything applied. Lines that an edit does not
//! change keep their bytes, their endings among them; a file that ended without a line ending still does.

mod align;
mod apply;
mod blocks;
mod closest;
mod error;
mod ladder;
mod lazy;
mod lines;
mod punctuation;
mod strip;
mod symbol;
mod whole;

pub use apply::{Edited, Fragment, Target, apply, fragment};
pub use closest::Closest;
pub use error::EditError;
pub use ladder::Rung;

#[cfg(test)]
mod symbol_tests;
#[cfg(test)]
mod tests;
