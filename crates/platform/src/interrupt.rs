//! Ctrl-C and SIGTERM: the first one asks the work at hand to end with a word about what is kept; the second one ends the
//! program. Where nobody asked for the token yet, there is nothing to lose and the first one ends the program.

use crate::children::Children;
use anyhow::{Context, Result};
use game::Cancel;
use std::fmt;
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
    children: Children,
}

impl Interrupt {
    /// Begins to listen. `last_words` is called before the program is ended from here.
    ///
    /// # Errors
    /// When the system refuses, or somebody listens already.
    pub fn listen(last_words: impl Fn() + Send + 'static) -> Result<Interrupt> {
        let interrupt = Interrupt::default();
        let heard = interrupt.clone();
        ctrlc::set_handler(move || {
            if !heard.is_heard.load(Ordering::Relaxed) || heard.cancel.is_cancelled() {
                last_words();
                heard.children.end();
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

    /// The programs that end with this one, however it ends.
    pub fn children(&self) -> &Children {
        &self.children
    }

    /// Whether the program was asked to end.
    pub fn is_interrupted(&self) -> bool {
        self.cancel.is_cancelled()
    }
}

/// The error of work that ended early because the program was asked to end. What it has is written already; the text says
/// what is kept: `57 of 100 games are played`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interrupted(pub String);

impl Interrupted {
    /// What is to be said about an error, if it came of an interruption: the words of whoever noticed it, or, where nobody
    /// did, the error itself.
    pub fn words(error: &anyhow::Error, interrupt: &Interrupt) -> Option<String> {
        match error.chain().find_map(|cause| cause.downcast_ref::<Interrupted>()) {
            Some(Interrupted(kept)) => Some(kept.clone()),
            None => interrupt.is_interrupted().then(|| format!("{error:#}")),
        }
    }
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "interrupted; {}", self.0)
    }
}

impl std::error::Error for Interrupted {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_told() {
        let interrupt = Interrupt::default();
        let told = anyhow::Error::new(Interrupted("two games are kept".to_string())).context("playing");
        assert_eq!(Interrupted::words(&told, &interrupt).as_deref(), Some("two games are kept"));
        let other = anyhow::anyhow!("out of time");
        assert_eq!(Interrupted::words(&other, &interrupt), None);
        interrupt.cancel().cancel();
        assert_eq!(Interrupted::words(&other, &interrupt).as_deref(), Some("out of time"));
    }
}
