//! Every kind of model server, played by a scriptable one on loopback: each fault of the field has its class, and nothing
//! is silent.

#![allow(clippy::unwrap_used, reason = "a server or client that cannot be set up fails the test")]

mod audited;
mod compatible;
mod endpoint;
mod examination;
mod kinds;
mod refusals;
mod routes;
mod searching;
mod server;
