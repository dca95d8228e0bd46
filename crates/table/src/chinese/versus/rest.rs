//! A set of places with one piece taken off, and its rank with the piece put back anywhere: the inner loop of building and verifying.
//!
//! If `t` of the others stand before the new place `q`, the rank is C(q, t+1) plus the others' terms, the first `t` as they are and the
//! rest one higher. Both sums are made once for a piece taken off; after that every move costs two additions.

use super::super::space::MOST_PIECES;

/// The binomials of a board: `[n][k]`.
pub(super) type Binomials = [[u64; 16]];

/// See the module.
#[derive(Clone, Copy)]
pub(super) struct Rest {
    /// The places of the others, rising.
    places: [u8; MOST_PIECES],
    count: usize,
    /// Terms of the first `t` others, with the piece behind them.
    below: [u64; MOST_PIECES],
    /// Terms of the others from `t` on, with the piece before them.
    above: [u64; MOST_PIECES],
}

impl Rest {
    /// The others, rising: at most nine.
    #[inline(always)]
    pub(super) fn new(binomials: &Binomials, others: impl Iterator<Item = u8>) -> Rest {
        let mut rest = Rest { places: [0; MOST_PIECES], count: 0, below: [0; MOST_PIECES], above: [0; MOST_PIECES] };
        for place in others.take(MOST_PIECES - 1) {
            rest.places[rest.count] = place;
            rest.count += 1;
        }
        for t in 0..rest.count {
            rest.below[t + 1] = rest.below[t] + binomials[usize::from(rest.places[t] & 127)][(t + 1) & 15];
        }
        for t in (0..rest.count).rev() {
            rest.above[t] = rest.above[t + 1] + binomials[usize::from(rest.places[t] & 127)][(t + 2) & 15];
        }
        rest
    }

    /// The rank with the piece on a place that is free.
    #[inline(always)]
    pub(super) fn with(&self, binomials: &Binomials, place: u8) -> u64 {
        let t = self.places[..self.count].iter().filter(|other| **other < place).count();
        self.below[t] + binomials[usize::from(place & 127)][(t + 1) & 15] + self.above[t]
    }
}
