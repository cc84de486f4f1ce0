//! `cargo +nightly fuzz run patch`, in `diff/`.

#![no_main]

#[path = "../round_trip.rs"]
mod round_trip;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| round_trip::round_trip(bytes));
