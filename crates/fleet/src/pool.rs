//! What the trees of a crew have gained and not been told yet.

use crate::gains::{Gains, together};
use crate::message::MOST_LISTS;
use search::exchange::Gain;
use std::time::{Duration, Instant};

/// See the module.
#[derive(Default)]
pub struct Pool {
    /// Whose list it is, its number, and what it says.
    lists: Vec<(u32, u64, Vec<Gain>)>,
    since: Option<Instant>,
}

impl Pool {
    /// Puts in what a seat has gained. What is more than can be told is left out.
    pub fn add(&mut self, seat: u32, number: u64, gains: &Gains) {
        if self.lists.len() < MOST_LISTS {
            self.lists.push((seat, number, gains.read()));
            self.since.get_or_insert_with(Instant::now);
        }
    }

    /// Whether there is something of a seat.
    pub fn has(&self, seat: u32) -> bool {
        self.lists.iter().any(|list| list.0 == seat)
    }

    /// How long something has been there.
    pub fn waits(&self) -> Option<Duration> {
        self.since.map(|since| since.elapsed())
    }

    /// Takes all of it out: which lists there were, and what they say together. In whatever order they came, it is the same.
    pub fn take(&mut self) -> (Vec<(u32, u64)>, Gains) {
        let Pool { mut lists, .. } = std::mem::take(self);
        lists.sort_by_key(|&(seat, number, _)| (seat, number));
        let gains = Gains::of(&together(lists.iter().map(|list| &list.2[..])));
        (lists.into_iter().map(|(seat, number, _)| (seat, number)).collect(), gains)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::Role;
    use search::exchange::GainArm;

    #[test]
    fn the_order_does_not_matter() {
        let gains = |name: u64| {
            let arms = vec![GainArm { name, visits: 2, sum: 0.3 }, GainArm { name: 1, visits: 2, sum: 0.1 }];
            Gains::of(&[Gain { from: None, role: Role(0), arms, proven: None }])
        };
        let taken = |order: &[u32]| {
            let mut pool = Pool::default();
            assert!(pool.waits().is_none());
            order.iter().for_each(|&seat| pool.add(seat, 5, &gains(u64::from(seat))));
            assert!(pool.has(order[0]) && !pool.has(9) && pool.waits().is_some());
            let taken = pool.take();
            assert!(pool.waits().is_none() && !pool.has(order[0]));
            taken
        };
        let (lists, together) = taken(&[3, 1, 2]);
        assert_eq!((lists, together.clone()), (vec![(1, 5), (2, 5), (3, 5)], taken(&[2, 3, 1]).1));
        assert_eq!(together.read()[0].arms[0], GainArm { name: 1, visits: 8, sum: 0.6 });
    }
}
