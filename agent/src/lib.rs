//! The model's side: what it may do, how it says so, and how what it says becomes a change.
//!
//! Knows no window and has no global state.

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
