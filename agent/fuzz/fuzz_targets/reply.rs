//! `.ci/fuzz reply`: any bytes as a model's reply and the file it edits.

#![no_main]

#[path = "../reply.rs"]
mod reply;

libfuzzer_sys::fuzz_target!(|data: &[u8]| reply::run(data));
