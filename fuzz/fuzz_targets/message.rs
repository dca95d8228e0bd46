//! Any text as a message of the protocol: see `laws/message.rs`.

#![no_main]

#[path = "../laws/message.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|text: &str| laws::check(text));
