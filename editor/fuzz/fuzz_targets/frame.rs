//! Bytes as a server writes them: `.ci/fuzz frame`.
#![no_main]

#[path = "../frame.rs"]
mod frame;

libfuzzer_sys::fuzz_target!(|data: &[u8]| frame::run(data));
