//! `.ci/fuzz patch`.

#![no_main]

#[path = "../round_trip.rs"]
mod round_trip;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| round_trip::round_trip(bytes));
