//! Language servers: what they say of the open documents, without anybody waiting for them.
//!
//! A *server* is a program that is started for a language and a *root*, the folder of a project within the workspace, and
//! speaks the Language Server Protocol. [`Launch`] says how to start one; [`known()`] lists those that need no settings.
//! What they say comes as [`Event`]s. Only diagnostics are asked for; nothing else is announced to a server.
//!
//! Terms: a *version* is the document's own, counted by whoever owns it; what the protocol counts stays in here. A *position*
//! is the protocol's line and character, in units that client and server agree on ([`position`]); everywhere else places are
//! byte offsets.
//!
//! The way of things: [`Servers`] puts what happens to documents into a mailbox; on a thread of its own the hub takes it out,
//! decides which servers are to know, and has each kept alive by a supervisor. That starts a transport (a process), lays the
//! wire with its filter of frames between it and the protocol's main loop, and in the loop the client tells, hears and
//! answers. What comes of it waits among the news until it is fetched.
//!
//! Invariants: ranges are on `char` boundaries of the text they are said of, whatever a server sends. Nobody outside waits for a
//! server, and nothing a server does ends more than itself. No type of the protocol's library leaves this module.

mod calls;
mod client;
mod event;
pub mod frame;
mod hub;
mod known;
mod launch;
mod mailbox;
mod news;
mod pace;
mod position;
mod servers;
mod supervisor;
mod tail;
mod transport;
mod wire;

pub use event::{Diagnostic, Event, Related, ServerId, Severity, State};
pub use known::{Known, by_name, known, language_id, launches};
pub use launch::Launch;
pub use servers::Servers;

#[cfg(test)]
mod tests;
