//! Players elsewhere have one match at a time: who is in one, and waiting until they are not.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The addresses whose players are in a match.
#[derive(Default)]
pub(super) struct BusyAddresses {
    places: Mutex<BTreeSet<String>>,
    changed: Condvar,
}

/// Some addresses that nobody else uses until this is dropped.
pub(super) struct Reservation<'a> {
    busy: &'a BusyAddresses,
    places: Vec<String>,
}

impl BusyAddresses {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until none of these is in a match; `None` if there is no use in waiting.
    pub fn take(&self, places: &[&str], stop: &dyn Fn() -> bool) -> Option<Reservation<'_>> {
        let mut taken = self.lock();
        while places.iter().any(|place| taken.contains(*place)) {
            if stop() {
                return None;
            }
            let waited = self.changed.wait_timeout(taken, Duration::from_millis(50));
            taken = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        taken.extend(places.iter().map(|place| place.to_string()));
        Some(Reservation { busy: self, places: places.iter().map(|place| place.to_string()).collect() })
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let mut taken = self.busy.lock();
        for place in &self.places {
            taken.remove(place);
        }
        drop(taken);
        self.busy.changed.notify_all();
    }
}
