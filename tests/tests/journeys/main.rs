//! Journeys through the whole application: opened on real folders and repositories, driven by keys and pointer, read
//! as a screen reader reads it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a journey that cannot go on fails the test")]

mod answering;
mod applying;
mod chatting;
mod commenting;
mod committing;
mod conflicts;
mod deciding;
mod editing;
mod files;
mod keyboard;
mod mentioning;
mod model;
mod models;
mod notifying;
mod pictures;
mod places;
mod problems;
mod reviewing;
mod scratch;
mod seeing;
mod showing;
mod terminals;
mod viewing;
mod window;
