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
//! Invariants: ranges are on `char` boundaries of the text they are said of, whatever a server sends. No type of the
//! protocol's library leaves this module.

mod event;
mod known;
mod launch;
pub mod position;

pub use event::{Diagnostic, Event, Related, ServerId, Severity, State};
pub use known::{Known, by_name, known, language_id, launches};
pub use launch::Launch;
