//! Any bytes over a connection: see `laws/http.rs`.

#![no_main]

#[path = "../laws/http.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::check(bytes));
