//! Merging as git does: random texts against its programs, and conflicts in real repositories.
//!
//! Without git the tests are skipped with a message; `RECTO_TESTS_STRICT=1` turns that into a failure.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a test fails where something is not as it should be, and says why it was skipped"
)]

mod changed;
mod combined;
mod random;
mod remerge;
mod repository;
#[allow(dead_code, reason = "the repositories of other tests, which need more of it")]
#[path = "../git/scratch.rs"]
mod scratch;
#[path = "../../fuzz/three_texts.rs"]
mod three_texts;
