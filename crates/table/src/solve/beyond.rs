//! When solving a game without the counter that ends it is not worth the trouble.
//!
//! Without its limit a game may go where it never comes within it, and be far larger. With the counter it has at least as many states as
//! come up within the limit. So the attempt ends once it has listed several times as many: whatever was done in vain is then a small multiple of
//! what has to be done anyway.

use super::{Phase, Reach, SolveError};

/// This many times the states within the limit are too many.
const TIMES: u64 = 4;
/// So many states take no time, whatever the limit.
const FEW: u64 = 200_000;

/// See the module.
pub struct Beyond {
    plies: u32,
    /// States seen before the limit was passed.
    within: u64,
    is_over: bool,
}

impl Beyond {
    /// For a game of so many plies.
    pub fn new(plies: u32) -> Beyond {
        Beyond { plies, within: 0, is_over: false }
    }

    /// Whether so many states lie beyond the limit that it is to be solved with its counter.
    pub fn is_too_much(&mut self, reach: &Reach) -> bool {
        if reach.phase == Phase::Forward {
            if reach.depth < self.plies as usize {
                self.within = reach.states;
            } else {
                self.is_over = reach.states > FEW.max(TIMES * self.within);
            }
        }
        self.is_over
    }

    /// Why the game is to be solved with its counter after this; `None` if that would fail too.
    pub fn reason(&self, error: &SolveError) -> Option<String> {
        let deep = |reach: &Reach| reach.depth >= self.plies as usize;
        match error {
            SolveError::Stopped(reach) if self.is_over => {
                Some(format!("it has many states that are not reached within the limit ({reach})"))
            }
            SolveError::Counter(why) => Some(why.clone()),
            SolveError::TooLong => Some(error.to_string()),
            // What is met beyond the limit says nothing about the game within it.
            SolveError::Simultaneous(reach) | SolveError::Memory { reach, .. } | SolveError::Limit { reach, .. } => {
                deep(reach).then(|| error.to_string())
            }
            SolveError::Roles(_) | SolveError::Stopped(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(depth: usize, states: u64) -> Reach {
        Reach { phase: Phase::Forward, states, expanded: 0, depth, edges: 0, needed: 0 }
    }

    #[test]
    fn what_lies_far_beyond_the_limit_ends_the_attempt() {
        let mut beyond = Beyond::new(10);
        assert!(!beyond.is_too_much(&reach(9, 1_000_000)));
        assert!(!beyond.is_too_much(&reach(10, 3_000_000)));
        assert!(beyond.reason(&SolveError::Stopped(reach(10, 3_000_000))).is_none(), "somebody else stopped it");
        assert!(beyond.is_too_much(&reach(12, 4_000_001)));
        assert!(beyond.reason(&SolveError::Stopped(reach(12, 4_000_001))).is_some());
        let mut small = Beyond::new(2);
        assert!(!small.is_too_much(&reach(1, 10)) && !small.is_too_much(&reach(50, 100_000)));
    }

    #[test]
    fn what_would_fail_with_the_counter_too_is_not_tried() {
        let beyond = Beyond::new(10);
        assert!(beyond.reason(&SolveError::Roles(3)).is_none());
        assert!(beyond.reason(&SolveError::Simultaneous(reach(3, 10))).is_none());
        assert!(beyond.reason(&SolveError::Simultaneous(reach(10, 10))).is_some());
        let memory = |depth| SolveError::Memory { reach: reach(depth, 10), limit: 1 };
        assert!(beyond.reason(&memory(3)).is_none() && beyond.reason(&memory(20)).is_some());
    }
}
