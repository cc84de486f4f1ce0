//! Comparing in real repositories: what is listed, what both sides hold, what is printed.
//!
//! Repositories are made with the git on the machine, which is also the reference for counts and patches. Without git the
//! tests are skipped with a message; `RECTO_TESTS_STRICT=1` turns that into a failure.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails where something is not as it should be")]
#![allow(clippy::print_stderr, clippy::print_stdout, reason = "it says why it was skipped, and what it measured")]

mod committing;
mod contents;
mod discarding;
mod generated;
mod identity;
mod listing;
mod model;
mod naming;
mod printing;
mod scratch;
mod seen;
mod staging;
mod whitespace;
