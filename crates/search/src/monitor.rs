//! What a search tells while it runs: the best move so far at any moment, and a whole report to those who ask.
//!
//! The best move is one atomic word, so reading it never waits. A report ([`Found`]) costs the search some work, so it is
//! made only after somebody asked: the search looks at one number now and then, and answers at the next such moment.
//! Whether anybody asks has no influence on what the search does.
//!
//! Searches that run side by side get a monitor each ([`Monitor::split`]); whoever reads the whole adds their reports up,
//! so no search waits for another.

use crate::Found;
use game::Move;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Makes one report of those of the parts, in their order; a part that has not reported yet has none.
type Merge = Arc<dyn Fn(Vec<Option<Found>>) -> Option<Found> + Send + Sync>;

/// A look into a running search, shared between the search and those who watch it; see the module.
///
/// ```
/// use game::Move;
/// use search::{Found, Monitor};
///
/// let monitor = Monitor::new();
/// assert!(monitor.snapshot().is_none() && monitor.is_wanted());
/// // The search, at its next check:
/// monitor.set_best(Move(7), 62.5);
/// monitor.publish(Found { mv: Some(Move(7)), value: 62.5, ..Found::default() });
/// assert!(!monitor.is_wanted());
/// assert_eq!(monitor.best(), Some((Move(7), 62.5)));
/// assert_eq!(monitor.snapshot().and_then(|found| found.mv), Some(Move(7)));
/// ```
pub struct Monitor {
    best: Arc<AtomicU64>,
    /// How often somebody asked; one number for the whole and its parts.
    asked: Arc<AtomicU64>,
    /// Up to which question this search has answered.
    answered: AtomicU64,
    shown: Mutex<Shown>,
}

enum Shown {
    Nothing,
    Report(Found),
    Parts(Vec<Arc<Monitor>>, Merge),
}

impl Default for Monitor {
    fn default() -> Monitor {
        Monitor::with(Arc::default(), Arc::default(), 0)
    }
}

impl fmt::Debug for Monitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Monitor").field("best", &self.best()).finish_non_exhaustive()
    }
}

impl Monitor {
    /// No move and no report yet.
    pub fn new() -> Monitor {
        Monitor::default()
    }

    fn with(best: Arc<AtomicU64>, asked: Arc<AtomicU64>, answered: u64) -> Monitor {
        Monitor { best, asked, answered: AtomicU64::new(answered), shown: Mutex::new(Shown::Nothing) }
    }

    /// The best move so far and its value. Never waits.
    pub fn best(&self) -> Option<(Move, f32)> {
        let word = self.best.load(Ordering::Acquire);
        (word != 0).then(|| (Move(word as u32), (word >> 32 & 0xffff) as f32 / 100.0))
    }

    /// The newest report, and a question for the next one: whoever calls this again and again sees the search go on. The
    /// first call asks only. After a search there is its result.
    pub fn snapshot(&self) -> Option<Found> {
        self.ask();
        self.report()
    }

    /// Asks for a report.
    pub fn ask(&self) {
        self.asked.fetch_add(1, Ordering::Relaxed);
    }

    /// The newest report, without asking for another.
    pub fn report(&self) -> Option<Found> {
        let (parts, merge) = match &*self.shown() {
            Shown::Nothing => return None,
            Shown::Report(found) => return Some(found.clone()),
            Shown::Parts(parts, merge) => (parts.clone(), Arc::clone(merge)),
        };
        merge(parts.iter().map(|part| part.report()).collect())
    }

    /// For searchers: replaces the best move; the value is between 0 and 100.
    pub fn set_best(&self, mv: Move, value: f32) {
        let value = (value.clamp(0.0, 100.0) * 100.0) as u64;
        self.best.store(1 << 63 | value << 32 | u64::from(mv.0), Ordering::Release);
    }

    /// For searchers: whether somebody asked for a report since the last one.
    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.asked.load(Ordering::Relaxed) != self.answered.load(Ordering::Relaxed)
    }

    /// For searchers: answers all questions so far.
    pub fn publish(&self, found: Found) {
        self.answered.store(self.asked.load(Ordering::Relaxed), Ordering::Relaxed);
        *self.shown() = Shown::Report(found);
    }

    /// For searchers: a new search begins, and what was reported of the last one holds no more.
    pub fn begin(&self, first: Option<Move>) {
        *self.shown() = Shown::Nothing;
        if let Some(mv) = first {
            self.set_best(mv, 0.0);
        }
    }

    /// For searchers: the search is over, and this is its result.
    pub fn finish(&self, found: &Found) {
        if let Some(mv) = found.mv {
            self.set_best(mv, found.value);
        }
        self.publish(found.clone());
    }

    /// For searchers that consist of several: a monitor for each, whose reports are made into one by `merge`. The best move is
    /// that of the first part.
    pub fn split(
        &self,
        count: usize,
        merge: impl Fn(Vec<Option<Found>>) -> Option<Found> + Send + Sync + 'static,
    ) -> Vec<Arc<Monitor>> {
        let answered = self.answered.load(Ordering::Relaxed);
        let part = |number: usize| {
            let best = if number == 0 { Arc::clone(&self.best) } else { Arc::default() };
            Arc::new(Monitor::with(best, Arc::clone(&self.asked), answered))
        };
        let parts: Vec<Arc<Monitor>> = (0..count).map(part).collect();
        *self.shown() = Shown::Parts(parts.clone(), Arc::new(merge));
        parts
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_move_and_its_value_are_kept() {
        let monitor = Monitor::new();
        assert_eq!(monitor.best(), None);
        for (mv, value) in [(0, 0.0), (u32::MAX, 100.0), (7, 42.5)] {
            monitor.set_best(Move(mv), value);
            assert_eq!(monitor.best(), Some((Move(mv), value)));
        }
    }

    #[test]
    fn parts_are_asked_and_added_up() {
        let whole = Monitor::new();
        let found = |nodes| Found { nodes, ..Found::default() };
        let sum = move |reports: Vec<Option<Found>>| Some(found(reports.iter().flatten().map(|one| one.nodes).sum()));
        let parts = whole.split(2, sum);
        assert!(parts.iter().all(|part| !part.is_wanted()));
        assert_eq!(whole.snapshot().map(|found| found.nodes), Some(0));
        assert!(parts.iter().all(|part| part.is_wanted()));
        parts[0].publish(found(3));
        assert!(!parts[0].is_wanted() && parts[1].is_wanted());
        assert_eq!(whole.report().map(|found| found.nodes), Some(3));
        parts[1].publish(found(4));
        assert_eq!(whole.report().map(|found| found.nodes), Some(7));
        // Only the first part's best move is that of the whole.
        parts[1].set_best(Move(1), 1.0);
        assert_eq!(whole.best(), None);
        parts[0].set_best(Move(2), 1.0);
        assert_eq!(whole.best(), Some((Move(2), 1.0)));
        whole.finish(&found(9));
        assert_eq!(whole.report().map(|found| found.nodes), Some(9));
        whole.begin(None);
        assert_eq!(whole.report(), None);
    }
}
