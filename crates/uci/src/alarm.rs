//! When a search has to end: by a word, or by the clocks of the game, which begin to count when it is our turn.

use crate::command::Go;
use game::Cancel;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How much time a move may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allowance {
    /// What it should take.
    pub target: Duration,
    /// What it may take at most, where it matters.
    pub most: Duration,
}

/// Moves that are still to be made where nobody says how many.
const MOVES_LEFT: u64 = 28;

impl Allowance {
    /// The time for a move of the player of this number. `overhead` is what is lost on the way, in milliseconds. `None` where
    /// nothing limits it.
    ///
    /// ```
    /// use uci::{alarm::Allowance, command::Go};
    /// let go = Go { time: [Some(60_000), None], increment: [1000, 0], ..Go::default() };
    /// let allowed = Allowance::new(&go, 0, 30).unwrap();
    /// assert!(allowed.target.as_millis() > 1500 && allowed.most.as_millis() < 20_000);
    /// assert_eq!(Allowance::new(&go, 1, 30), None);
    /// ```
    pub fn new(go: &Go, player: usize, overhead: u64) -> Option<Allowance> {
        if go.infinite {
            return None;
        }
        if let Some(all) = go.movetime {
            let most = Duration::from_millis(all.saturating_sub(overhead.min(all / 4)).max(1));
            return Some(Allowance { target: most, most });
        }
        let time = go.time.get(player).copied().flatten()?;
        let increment = go.increment.get(player).copied().unwrap_or(0);
        // Something is left for the way back, however little there is.
        let usable = time.saturating_sub(overhead).max(time / 4).max(1);
        let moves = go.moves_to_go.unwrap_or(MOVES_LEFT).clamp(1, MOVES_LEFT);
        let fair = usable / moves + increment * 3 / 4;
        let target = fair.min(usable * 4 / 5).max(1);
        let most = (target * 3).min(usable * 4 / 5).max(target);
        Some(Allowance { target: Duration::from_millis(target), most: Duration::from_millis(most) })
    }
}

/// Ends a search; shared by whoever searches and whoever listens.
#[derive(Default)]
pub struct Alarm {
    /// Ends it at once.
    pub cancel: Cancel,
    times: Mutex<Times>,
}

#[derive(Default)]
struct Times {
    /// When the clock began to count.
    began: Option<Instant>,
    allowance: Option<Allowance>,
}

impl Alarm {
    fn times(&self) -> MutexGuard<'_, Times> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So much time there is, from the moment on in which the clock begins to count.
    pub fn allow(&self, allowance: Option<Allowance>) {
        self.times().allowance = allowance;
    }

    /// From now on the clock counts.
    pub fn begin(&self) {
        self.times().began = Some(Instant::now());
    }

    fn part(&self, of: impl Fn(&Allowance) -> Duration) -> f32 {
        if self.cancel.is_cancelled() {
            return 2.0;
        }
        let times = self.times();
        times
            .began
            .zip(times.allowance.as_ref())
            .map_or(0.0, |(began, allowed)| began.elapsed().as_secs_f32() / of(allowed).as_secs_f32().max(1e-6))
    }

    /// Which part of the time it should take is gone; more than all of it if somebody said stop.
    pub fn spent(&self) -> f32 {
        self.part(|allowed| allowed.target)
    }

    /// Whether it has to end now.
    pub fn is_over(&self) -> bool {
        self.part(|allowed| allowed.most) >= 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(time: u64, increment: u64, moves_to_go: Option<u64>) -> Allowance {
        let go = Go { time: [Some(time), None], increment: [increment, 0], moves_to_go, ..Go::default() };
        Allowance::new(&go, 0, 30).expect("there is a clock")
    }

    #[test]
    fn the_clock_never_runs_out() {
        for time in [1, 5, 10, 40, 100, 1000, 60_000, 10_000_000] {
            for increment in [0, 10, 1000, 100_000] {
                for moves_to_go in [None, Some(1), Some(2), Some(40), Some(u64::MAX)] {
                    let Allowance { target, most } = allowed(time, increment, moves_to_go);
                    let (target, most) = (target.as_millis() as u64, most.as_millis() as u64);
                    assert!(1 <= target && target <= most, "{time} {increment} {moves_to_go:?}: {target} {most}");
                    assert!(most <= (time * 4 / 5).max(1), "{time} {increment} {moves_to_go:?}: {most}");
                }
            }
        }
    }

    #[test]
    fn a_word_is_enough() {
        let alarm = Alarm::default();
        alarm.begin();
        assert!(alarm.spent() == 0.0 && !alarm.is_over());
        alarm.allow(Some(Allowance { target: Duration::from_nanos(1), most: Duration::from_secs(1000) }));
        std::thread::sleep(Duration::from_millis(1));
        assert!(alarm.spent() >= 1.0 && !alarm.is_over());
        alarm.cancel.cancel();
        assert!(alarm.is_over());
    }
}
