//! Ctrl-C: the first one asks the work at hand to end with a word about how far it came; the second one ends the program.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// A flag that becomes true at Ctrl-C. From the first call on, Ctrl-C does not end the program at once any more, so only
/// work that looks at the flag may ask for it. Where signals are unknown the flag stays false.
pub fn flag() -> Arc<AtomicBool> {
    let stop = STOP.get_or_init(|| {
        listen();
        Arc::new(AtomicBool::new(false))
    });
    Arc::clone(stop)
}

#[cfg(unix)]
fn listen() {
    const INTERRUPT: i32 = 2;
    const DEFAULT: usize = 0;
    unsafe extern "C" {
        // From the C library, which the standard library is linked with. A handler is an address, or 0 for the default.
        fn signal(number: i32, handler: usize) -> usize;
    }
    extern "C" fn heard(_: i32) {
        if let Some(stop) = STOP.get() {
            stop.store(true, Ordering::Relaxed);
        }
        // SAFETY: `signal` may be called from a handler; 0 asks for the default and needs no handler to live on.
        unsafe { signal(INTERRUPT, DEFAULT) };
    }
    let handler: extern "C" fn(i32) = heard;
    // SAFETY: the handler lives as long as the program, and only stores to an atomic and calls `signal`, both of which
    // are allowed in a handler.
    unsafe { signal(INTERRUPT, handler as usize) };
}

#[cfg(not(unix))]
fn listen() {}
