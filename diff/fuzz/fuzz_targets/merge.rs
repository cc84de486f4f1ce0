//! `.ci/fuzz merge`.

#![no_main]

#[path = "../three_texts.rs"]
mod three_texts;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| three_texts::three_texts(bytes));
