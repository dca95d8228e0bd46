//! The one way to end work early.
//!
//! A [`Cancel`] is handed to whatever takes long; somebody else calls [`cancel`](Cancel::cancel), and the work ends soon
//! after. Work inside work gets a [`child`](Cancel::child), which can be ended alone and ends with its parent: the
//! program, a match in it, one move of the match.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// See the module. Clones are the same token.
///
/// ```
/// let program = game::Cancel::new();
/// let (first, second) = (program.child(), program.child());
/// first.cancel();
/// assert!(first.is_cancelled() && !second.is_cancelled() && !program.is_cancelled());
/// program.cancel();
/// assert!(second.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Token>);

#[derive(Debug, Default)]
struct Token {
    cancelled: AtomicBool,
    parent: Option<Cancel>,
}

impl Cancel {
    /// A token that nobody has cancelled yet.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// A token for a part of the work.
    pub fn child(&self) -> Cancel {
        Cancel(Arc::new(Token { cancelled: AtomicBool::new(false), parent: Some(self.clone()) }))
    }

    /// Asks the work to end. May be called from any thread and from a signal handler; there is no way back.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the work is to end.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed) || self.0.parent.as_ref().is_some_and(Cancel::is_cancelled)
    }
}
