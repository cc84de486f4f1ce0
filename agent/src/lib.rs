//! The model's side: what it may do, how it says so, and how what it says becomes a change.
//!
//! Knows no window and has no global state.
//!
//! - [`protocol`]: what a model writes, read as it comes in; [`action`]: what it asks for; [`edit`]: what that makes of a
//!   file
//! - [`run`]: the loop; [`event`]: all that happens in it; [`context`]: what the model is shown; [`tool`]: what it may use
//! - [`host`]: files, editors and people as the loop sees them; [`permissions`]: what was allowed for good; [`memory`]:
//!   rules that people wrote down
//! - [`provider`]: servers of models; [`models`]: how they are set up; [`router`]: several under one name; [`doctor`]:
//!   what one is good for; [`serve`]: the models as an endpoint
//! - [`session`]: conversations that outlive the process; [`checkpoint`]: taking back; [`secrets`]: what leaves nobody's
//!   machine; [`audit`]: what did
//! - [`replay`]: a written reply, applied without a model

pub mod action;
pub mod audit;
mod change;
pub mod checkpoint;
pub mod context;
pub mod doctor;
pub mod edit;
pub mod event;
pub mod host;
pub mod memory;
pub mod models;
pub mod permissions;
pub mod protocol;
pub mod provider;
pub mod replay;
pub mod router;
pub mod run;
pub mod secrets;
pub mod serve;
pub mod session;
pub mod tool;

/// So that what the fuzzer includes can be included by tests in here, too.
#[cfg(test)]
extern crate self as agent;
