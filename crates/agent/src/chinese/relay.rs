//! Passes on what a native search tells while it runs: its best move so far, and reports where somebody asked for one.
//!
//! The native search has a monitor with moves of its own. It looks at the clock now and then, and whenever it does, what is
//! new there is translated: no thread is needed for it, and nothing happens between two looks.

use super::words::Place;
use game::Move;
use search::Monitor;
use std::sync::atomic::{AtomicU64, Ordering};

/// A report is asked for at least once in so many looks: some searchers tell their best move in reports only.
const EVERY: u64 = 64;

/// See the module.
pub(super) struct Relay<'a> {
    place: &'a Place<'a>,
    /// The monitor of the native search.
    pub native: Monitor,
    outer: &'a Monitor,
    looks: AtomicU64,
    /// The best move of the native monitor when it was last looked at, plus one; 0 before there was one. What was told in a
    /// report is newer until this changes.
    seen: AtomicU64,
    /// Whether a report was asked for and has not been passed on: 1 if so.
    asked: AtomicU64,
}

impl<'a> Relay<'a> {
    /// From a search in the native game to this monitor.
    pub fn new(place: &'a Place<'a>, outer: &'a Monitor) -> Relay<'a> {
        let [looks, seen, asked] = Default::default();
        Relay { place, native: Monitor::new(), outer, looks, seen, asked }
    }

    /// Passes on what is new.
    pub fn pass(&self) {
        if self.asked.load(Ordering::Relaxed) == 1 && !self.native.is_wanted() {
            self.asked.store(0, Ordering::Relaxed);
            if let Some(found) = self.native.report() {
                if let Some(mv) = found.mv {
                    self.tell(mv, found.value);
                }
                if self.outer.is_wanted() {
                    self.outer.publish(self.place.found(&found));
                }
            }
        }
        if let Some((mv, value)) = self.native.best() {
            let number = u64::from(mv.0) + 1;
            if self.seen.swap(number, Ordering::Relaxed) != number {
                self.tell(mv, value);
            }
        }
        let look = self.looks.fetch_add(1, Ordering::Relaxed);
        if (self.outer.is_wanted() || look % EVERY == EVERY - 1) && self.asked.swap(1, Ordering::Relaxed) == 0 {
            self.native.ask();
        }
    }

    fn tell(&self, mv: Move, value: f32) {
        if let Some(mv) = self.place.engine_move(mv) {
            self.outer.set_best(mv, value);
        }
    }
}
