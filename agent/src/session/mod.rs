//! Conversations that outlive the process: what was said, what happened, and how to go on.
//!
//! A *session* is a conversation with its runs; a *sub-session* is one that an action of another began. [`Store`] keeps
//! all of them in one SQLite file outside of any working tree, with their checkpoints and with who wrote which line.

mod export;
mod store;
#[cfg(test)]
mod tests;

pub use export::{brief, json, markdown};
pub use store::{
    Author, Between, Blame, Checkpoint, FileState, Found, Info, Kept, NewSession, Opened, Pending, Place, Point,
    Rewound, Said, Store, StoreError,
};
