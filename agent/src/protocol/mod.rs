//! What a model writes, read as it comes in: text, reasoning and actions.
//!
//! [`Parser`] takes the bytes of a reply in any pieces and gives [`Event`]s to show at once and, at the end, the
//! [`Reply`]: the report, the reasoning and what is to be done, in order. Only the reply is acted on, since its last line
//! may still turn all before it into reasoning.
//!
//! Whatever form an action has (a tag, a JSON call, a native call, a fenced block after a file's name), it becomes one
//! [`crate::action::Action`]. What was bent but understood is counted as a [`Quirk`]; what was not understood is a
//! [`Malformed`], which tells the model how to write it right.
//!
//! Invariants: the pieces do not matter, only the bytes. Nothing inside a thought, a file's content or a fence that
//! only shows something is acted on. Pure: no file is touched here.

mod blocks;
mod body;
mod call;
mod fence;
mod json;
mod parser;
mod prose;
mod reply;
mod shown;
mod tag;
pub mod teach;

pub use call::{CallJoiner, NativeCall};
pub(crate) use fence::{Fence, looks_like_path};
pub use parser::{Fences, Options, Parser, parse};
pub use reply::{Ending, Event, Item, Malformed, Quirk, Reply};
pub use shown::ShownCode;

#[cfg(test)]
mod tests;
