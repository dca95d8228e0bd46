//! What making an engine may spend: steps, bytes, and until when.

use crate::ground::Unfit;
use crate::prover::{Limits, LoadError};
use game::Cancel;

/// What making an engine from rules may spend.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Steps: rows looked at, rules read, gates made.
    pub work: u64,
    /// Bytes.
    pub memory: usize,
    /// When this is cancelled, the work ends.
    pub cancel: Cancel,
    spent: u64,
    /// The steps spent when memory was last counted.
    counted: u64,
}

/// Why work ended before it was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    Work,
    Memory,
    Cancelled,
}

/// Cancellation is heard once in so many steps.
const HEARD_EVERY: u64 = 1 << 12;
/// Memory is counted once in so many steps, and not more often than there are things to be counted.
const COUNTED_EVERY: u64 = 1 << 18;

impl Default for Budget {
    fn default() -> Budget {
        Budget::new(100_000_000, 1400 << 20)
    }
}

impl Budget {
    /// So many steps, so many bytes.
    pub fn new(work: u64, memory: usize) -> Budget {
        Budget { work, memory, cancel: Cancel::new(), spent: 0, counted: 0 }
    }

    /// The same, ended by this token.
    pub fn until(mut self, cancel: &Cancel) -> Budget {
        self.cancel = cancel.clone();
        self
    }

    /// The same limits as an engine has when it plays.
    pub(crate) fn of(limits: &Limits) -> Budget {
        Budget { cancel: limits.cancel.clone(), ..Budget::new(limits.work, limits.memory) }
    }

    /// So many steps, and otherwise the limits of an engine.
    pub(crate) fn planning(work: u64, limits: &Limits) -> Budget {
        Budget { work, ..Budget::of(limits) }
    }

    #[inline]
    pub(crate) fn spend(&mut self, steps: u64) -> Result<(), Stop> {
        let before = self.spent;
        self.spent += steps;
        if self.spent > self.work {
            return Err(Stop::Work);
        }
        if before / HEARD_EVERY != self.spent / HEARD_EVERY { self.heard() } else { Ok(()) }
    }

    /// Whether the work was cancelled.
    #[cold]
    pub(crate) fn heard(&self) -> Result<(), Stop> {
        if self.cancel.is_cancelled() { Err(Stop::Cancelled) } else { Ok(()) }
    }

    /// Counts bytes now and then: not before as many steps were spent as there are `things` to be counted.
    pub(crate) fn hold(&mut self, things: usize, bytes: impl FnOnce() -> usize) -> Result<(), Stop> {
        if self.spent - self.counted < COUNTED_EVERY.max(things as u64) {
            return Ok(());
        }
        self.counted = self.spent;
        self.hold_now(bytes())
    }

    /// Whether so many bytes are allowed.
    pub(crate) fn hold_now(&self, bytes: usize) -> Result<(), Stop> {
        if bytes > self.memory { Err(Stop::Memory) } else { Ok(()) }
    }

    pub(crate) fn left(&self) -> u64 {
        self.work - self.spent.min(self.work)
    }
}

/// What was being done, unless somebody knows better.
const LOADING: &str = "loading the rules";

impl Stop {
    /// In words, for something that was being done.
    pub fn during(self, what: &str) -> String {
        match self {
            Stop::Work => format!("{what} would take more work than allowed"),
            Stop::Memory => format!("{what} would take more memory than allowed"),
            Stop::Cancelled => format!("{what} was stopped"),
        }
    }
}

impl From<Stop> for Unfit {
    fn from(stop: Stop) -> Unfit {
        Unfit::new(stop.during("grounding"))
    }
}

impl From<Stop> for String {
    fn from(stop: Stop) -> String {
        stop.during(LOADING)
    }
}

impl From<Stop> for LoadError {
    fn from(stop: Stop) -> LoadError {
        LoadError { span: None, message: stop.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_memory_and_the_word_to_stop_are_heard() {
        let mut budget = Budget::new(10_000, 100);
        assert_eq!(budget.spend(5_000), Ok(()));
        assert_eq!(budget.hold(0, || 1000), Ok(()), "too early to count");
        assert_eq!(budget.hold_now(1000), Err(Stop::Memory));
        budget.cancel.cancel();
        assert_eq!(budget.spend(1), Ok(()), "not heard at every step");
        assert_eq!(budget.spend(HEARD_EVERY), Err(Stop::Cancelled));
        assert_eq!(budget.spend(10_000), Err(Stop::Work));
    }
}
