//! Conversations with a server that the test plays.

mod asking;
mod lives;
mod odd;
mod saying;
mod scripted;
