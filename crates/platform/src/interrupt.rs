//! Ctrl-C and SIGTERM: the first one asks the work at hand to end with a word about how far it came; the second one ends
//! the program. Where nobody asked for the token yet, there is nothing to lose and the first one ends the program.

use anyhow::{Context, Result};
use game::Cancel;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit status of a program that was interrupted.
pub const INTERRUPTED: u8 = 130;

/// Hears the signals that ask the program to end. Made once, at the beginning.
#[derive(Clone, Default)]
pub struct Interrupt {
    cancel: Cancel,
    /// Whether somebody looks at the token.
    is_heard: Arc<AtomicBool>,
}

impl Interrupt {
    /// Begins to listen.
    ///
    /// # Errors
    /// When the system refuses, or somebody listens already.
    pub fn listen() -> Result<Interrupt> {
        let interrupt = Interrupt::default();
        let heard = interrupt.clone();
        ctrlc::set_handler(move || {
            if !heard.is_heard.load(Ordering::Relaxed) || heard.cancel.is_cancelled() {
                std::process::exit(INTERRUPTED.into());
            }
            heard.cancel.cancel();
        })
        .context("cannot listen for Ctrl-C")?;
        Ok(interrupt)
    }

    /// The token that is cancelled at the first signal. Whoever asks for it has to look at it.
    pub fn cancel(&self) -> Cancel {
        self.is_heard.store(true, Ordering::Relaxed);
        self.cancel.clone()
    }

    /// Whether the program was asked to end.
    pub fn is_interrupted(&self) -> bool {
        self.cancel.is_cancelled()
    }
}
