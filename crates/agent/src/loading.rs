//! What making engines from rules may take: memory, and how many do it at the same time.
//!
//! A player that plays with whoever comes gets rules that nobody has looked at. Loading hears the word to stop, but a moment may
//! pass until then; whoever begins and gives up match after match is not to fill the machine with what still runs.

use game::Cancel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// See the module. Shared by all players of a program.
#[derive(Debug)]
pub struct Loading {
    /// Bytes for reading rules, and again for an engine of them.
    pub memory: usize,
    /// How many may load at the same time; any number where there is no limit.
    most: Option<usize>,
    at_work: Mutex<usize>,
    changed: Condvar,
}

impl Default for Loading {
    /// For players that we have chosen ourselves, with rules of our own: 2 GiB each.
    fn default() -> Loading {
        Loading { memory: 2 << 30, most: None, at_work: Mutex::default(), changed: Condvar::new() }
    }
}

/// A place among those who load, until it is dropped.
pub struct Turn(Arc<Loading>);

impl Loading {
    /// For rules that anybody can send: so many bytes each, and so many at the same time.
    pub fn within(memory: usize, most: usize) -> Loading {
        Loading { memory, most: Some(most.max(1)), ..Loading::default() }
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.at_work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many load at the moment.
    pub fn at_work(&self) -> usize {
        *self.lock()
    }

    /// Takes a place, if there is one.
    pub fn try_turn(self: &Arc<Loading>) -> Option<Turn> {
        let mut at_work = self.lock();
        if self.is_full(*at_work) {
            return None;
        }
        *at_work += 1;
        Some(Turn(Arc::clone(self)))
    }

    /// Waits for a place; `None` if the match is over before.
    pub fn turn(self: &Arc<Loading>, cancel: &Cancel) -> Option<Turn> {
        let mut at_work = self.lock();
        while self.is_full(*at_work) {
            if cancel.is_cancelled() {
                return None;
            }
            let waited = self.changed.wait_timeout(at_work, Duration::from_millis(50));
            at_work = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *at_work += 1;
        Some(Turn(Arc::clone(self)))
    }

    fn is_full(&self, at_work: usize) -> bool {
        self.most.is_some_and(|most| at_work >= most)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *self.0.lock() -= 1;
        self.0.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_taken_and_given_back() {
        let (loading, cancel) = (Arc::new(Loading::within(1 << 20, 2)), Cancel::new());
        let (one, two) = (loading.try_turn(), loading.turn(&cancel));
        assert!(one.is_some() && two.is_some());
        assert!(loading.try_turn().is_none());
        drop(one);
        assert_eq!(loading.at_work(), 1);
        let again = loading.try_turn();
        assert!(again.is_some());
        // Whoever waits hears that the match is over.
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| loading.turn(&cancel).is_some());
            cancel.cancel();
            assert!(!waiting.join().expect("no crash"));
        });
        drop((two, again));
        assert_eq!(loading.at_work(), 0);
    }
}
