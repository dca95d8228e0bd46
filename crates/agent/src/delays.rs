//! How late threads wake up on this machine, so that an answer is in time where much else is going on.
//!
//! Whoever waits for a moment measures how long after it the wait came back. The worst of the recent ones is kept back from
//! every clock; without any delays that costs nothing.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Each quiet wait makes what was seen count this much less: a minute of quiet waits forgets it.
const FADE: f64 = 0.998;

/// See the module. Shared by all players of a program.
#[derive(Debug, Default)]
pub struct Delays(Mutex<f64>);

impl Delays {
    /// A wait that was to end at `until` has come back. Whoever was woken early says nothing about delays.
    pub fn woke(&self, until: Instant) {
        let late = Instant::now().saturating_duration_since(until).as_secs_f64();
        let mut worst = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *worst = (*worst * FADE).max(late);
    }

    /// What is to be kept back from a clock of so many seconds: twice the worst delay of late, a third of the clock at most.
    pub fn reserve(&self, seconds: f64) -> Duration {
        let worst = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Duration::from_secs_f64((2.0 * worst).min(seconds.max(0.0) / 3.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_kept_back_and_forgotten() {
        let delays = Delays::default();
        assert_eq!(delays.reserve(10.0), Duration::ZERO);
        delays.woke(Instant::now() - Duration::from_secs(1));
        let reserve = delays.reserve(60.0).as_secs_f64();
        assert!((2.0..2.5).contains(&reserve), "{reserve}");
        assert_eq!(delays.reserve(3.0), Duration::from_secs(1), "never more than a third");
        for _ in 0..3000 {
            delays.woke(Instant::now() + Duration::from_secs(1));
        }
        assert!(delays.reserve(60.0) < Duration::from_millis(10));
    }
}
