//! Bytes as a language, a text and edits of it: `.ci/fuzz highlight`.
#![no_main]

#[path = "../highlight.rs"]
mod highlight;

libfuzzer_sys::fuzz_target!(|data: &[u8]| highlight::run(data));
