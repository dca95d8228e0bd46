//! Any text as a match record: see `laws/record.rs`.

#![no_main]

#[path = "../laws/record.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|text: &str| laws::check(text));
