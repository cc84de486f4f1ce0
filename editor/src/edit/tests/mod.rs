//! Every editing command, by marked text.

mod clipboard;
mod lines;
mod typing;
