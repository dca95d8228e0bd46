//! The numbers of all placements that are one move away: the inner loop of building and verifying.
//!
//! With the moving piece taken off, what is left has to be ranked with the piece on each cell it can reach. If `t` of the other
//! pieces stand before the new place `q`, the rank is C(q, t+1) plus the other pieces' terms, the first `t` of them as they are
//! and the rest one higher. The sums of these terms from below, as they are, one higher and one lower, are made once for a
//! placement; after that every move costs two additions.

use super::space::Space;
use native::chinese::Cells;

/// One placement, taken apart.
pub(super) struct Placement<const K: usize> {
    /// The places, rising.
    at: [u8; K],
    pub(super) set: Cells,
    /// Sums of C(at[j], j+1) over all j from this one on, and 0 at the end: the rank of what lies above.
    from: [u64; 16],
}

impl<const K: usize> Placement<K> {
    pub(super) fn new(space: &Space, rank: u64) -> Self {
        let mut placement = Placement { at: [0; K], set: 0, from: [0; 16] };
        placement.set = space.unrank(rank);
        let mut rest = placement.set;
        for place in &mut placement.at {
            *place = rest.trailing_zeros() as u8;
            rest &= rest - 1;
        }
        placement.sum(space, K);
        placement
    }

    /// Makes the sums of the pieces below `upto` anew.
    #[inline(always)]
    fn sum(&mut self, space: &Space, upto: usize) {
        for j in (0..upto).rev() {
            self.from[j] = self.from[j + 1] + space.binomial[usize::from(self.at[j] & 127)][j + 1];
        }
    }

    /// Goes on to a placement with a greater rank. Mostly only the lowest pieces change, so this is cheap.
    #[inline(always)]
    pub(super) fn advance(&mut self, space: &Space, rank: u64) {
        // Pieces from `keep` on stay where they are: what is left of the rank fits below piece `keep`.
        let mut keep = 1;
        while keep < K && rank - self.from[keep] >= space.binomial[usize::from(self.at[keep] & 127)][keep] {
            keep += 1;
        }
        let mut rest = rank - self.from[keep];
        for j in (1..keep).rev() {
            // The topmost of the changed pieces can only go up; those below it start anew.
            let mut place = if j + 1 == keep { usize::from(self.at[j]) } else { j };
            while space.binomial[(place + 1) & 127][j + 1] <= rest {
                place += 1;
            }
            rest -= space.binomial[place & 127][j + 1];
            self.at[j] = place as u8;
        }
        self.at[0] = rest as u8;
        self.set = self.at.iter().fold(0, |set, &place| set | 1 << (place & 127));
        self.sum(space, keep);
    }

    /// Calls `seen` with the rank and the set of every placement that one move leads to.
    #[inline(always)]
    pub(super) fn each_move(&self, space: &Space, mut seen: impl FnMut(u64, Cells)) {
        // Sums from below: terms as they are, one higher, one lower.
        let (mut same, mut higher, mut lower) = ([0u64; 16], [0u64; 16], [0u64; 16]);
        for j in 0..K {
            let row = &space.binomial[usize::from(self.at[j] & 127)];
            same[j + 1] = same[j] + row[j + 1];
            higher[j + 1] = higher[j] + row[j + 2];
            lower[j + 1] = lower[j] + row[j];
        }
        let all = same[K];
        for i in 0..K {
            let from = self.at[i];
            let rest = self.set ^ 1 << (from & 127);
            let mut reach = space.graph.reach(from, rest);
            let below = higher[i].wrapping_add(all).wrapping_sub(same[i + 1]);
            let above = same[i].wrapping_add(all).wrapping_sub(lower[i + 1]);
            while reach != 0 {
                let to = reach.trailing_zeros() as usize & 127;
                reach &= reach - 1;
                let t = (rest & space.below[to]).count_ones() as usize;
                let down = below.wrapping_add(same[t & 15]).wrapping_sub(higher[t & 15]);
                let up = above.wrapping_add(lower[(t + 1) & 15]).wrapping_sub(same[(t + 1) & 15]);
                let others = if t <= i { down } else { up };
                let rank = others.wrapping_add(space.binomial[to][(t + 1) & 15]);
                seen(rank, rest | 1 << to);
            }
        }
    }
}

/// Takes the first place out of a set. Loops here are written with this and not with closures, because only functions
/// can be made to be compiled into their callers, and so with the callers' instructions.
#[inline(always)]
fn pop(set: &mut Cells) -> Option<usize> {
    let first = set.trailing_zeros() as usize;
    *set &= set.wrapping_sub(1);
    (first < 128).then_some(first)
}

/// One of the upper pieces of a row, taken off the board, with the sums that [`Placement::each_move_of_row`] makes.
struct Mover<'a> {
    space: &'a Space,
    rest: Cells,
    j: usize,
    below: u64,
    above: u64,
    same: &'a [u64; 16],
    higher: &'a [u64; 16],
    lower: &'a [u64; 16],
}

impl Mover<'_> {
    /// Puts the piece on `to`, for all these places of the lowest piece.
    #[inline(always)]
    fn spread(&self, to: usize, lowest: Cells, seen: &mut impl FnMut(u64, Cells, usize)) {
        let to = to & 127;
        let t = (self.rest & self.space.below[to]).count_ones() as usize;
        assert!(t < 14, "there are at most ten pieces");
        let down = self.below.wrapping_add(self.same[t]).wrapping_sub(self.higher[t]);
        let up = self.above.wrapping_add(self.lower[t + 1]).wrapping_sub(self.same[t + 1]);
        let others = if t <= self.j { down } else { up };
        let set = self.rest | 1 << to;
        let base = others.wrapping_add(self.space.binomial[to][t + 2]);
        let before = lowest & self.space.below[to];
        // Word by word: there is hardly ever anything in the upper one.
        for (mut word, offset) in [(before as u64, 0), ((before >> 64) as u64, 64)] {
            while word != 0 {
                let low = offset + word.trailing_zeros() as usize;
                word &= word - 1;
                seen(base.wrapping_add(low as u64), set, low);
            }
        }
        // The piece has gone below the lowest one.
        let mut behind = lowest & !self.space.below[to];
        while let Some(low) = pop(&mut behind) {
            seen(others.wrapping_add(self.space.binomial[low][2]).wrapping_add(to as u64), set, low);
        }
    }
}

impl<const K: usize> Placement<K> {
    /// The number of placements that differ from this one in the lowest piece only: they follow each other, with ranks
    /// from [`row_begin`](Self::row_begin) on.
    #[inline(always)]
    pub(super) fn row_length(&self, space: &Space) -> usize {
        if K > 1 { usize::from(self.at[1 % K]) } else { space.graph.cells() }
    }

    /// The rank of the placement with the lowest piece on place 0.
    #[inline(always)]
    pub(super) fn row_begin(&self) -> u64 {
        self.from[1]
    }

    /// All pieces but the lowest.
    #[inline(always)]
    pub(super) fn upper(&self) -> Cells {
        self.set & (self.set - 1)
    }

    /// As [`each_move`](Self::each_move), for many placements of one row at a time, `lowest` being the places of their lowest
    /// pieces. `seen` gets the rank, and the set in two pieces: a set and one place more.
    ///
    /// A move of another piece is, for all of them, a move to another row, where they stand in the same order; so its
    /// rank is worked out once. Jumps that the lowest piece has a part in are looked at one by one.
    #[inline(always)]
    pub(super) fn each_move_of_row(&self, space: &Space, lowest: Cells, mut seen: impl FnMut(u64, Cells, usize)) {
        let upper = self.upper();
        let (mut same, mut higher, mut lower) = ([0u64; 16], [0u64; 16], [0u64; 16]);
        for j in 0..K - 1 {
            let row = &space.binomial[usize::from(self.at[j + 1] & 127)];
            same[j + 1] = same[j] + row[j + 2];
            higher[j + 1] = higher[j] + row[j + 3];
            lower[j + 1] = lower[j] + row[j + 1];
        }
        let all = same[K - 1];
        let mut targets = 0;
        let mut movers = lowest;
        while let Some(from) = pop(&mut movers) {
            targets |= space.graph.reach(from as u8, upper);
        }
        targets &= !lowest;
        while let Some(to) = pop(&mut targets) {
            let t = (upper & space.below[to]).count_ones() as usize;
            assert!(t < 14, "there are at most ten pieces");
            seen(lower[t] + space.binomial[to][t + 1] + all - same[t], upper, to);
        }
        for j in 0..K - 1 {
            let from = self.at[j + 1] & 127;
            let rest = upper ^ 1 << from;
            let below = higher[j].wrapping_add(all).wrapping_sub(same[j + 1]);
            let above = same[j].wrapping_add(all).wrapping_sub(lower[j + 1]);
            let mover = Mover { space, rest, j, below, above, same: &same, higher: &higher, lower: &lower };
            let near = space.graph.near(from);
            let mut steps = near & !rest;
            while let Some(to) = pop(&mut steps) {
                mover.spread(to, lowest & !(1 << to), &mut seen);
            }
            // Where the lowest piece would be in the way of jumps, or be jumped over.
            let mut part = near;
            if near & rest != 0 {
                let jumps = space.graph.jumps(from, rest);
                let mut lands = jumps;
                part |= jumps;
                while let Some(land) = pop(&mut lands) {
                    part |= space.graph.near(land as u8);
                }
                lands = jumps;
                while let Some(land) = pop(&mut lands) {
                    mover.spread(land, lowest & !part, &mut seen);
                }
            }
            part &= lowest;
            while let Some(low) = pop(&mut part) {
                let mut lands = space.graph.jumps(from, rest | 1 << low);
                while let Some(land) = pop(&mut lands) {
                    mover.spread(land, 1 << low, &mut seen);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chinese::Spec;

    #[test]
    fn moves_have_the_ranks_of_their_placements() {
        let space = Space::new(Spec::new(5, 4)).unwrap();
        let mut walking = Placement::<4>::new(&space, 0);
        for rank in (0..space.entries()).step_by(7) {
            walking.advance(&space, rank);
            let fresh = Placement::<4>::new(&space, rank);
            assert_eq!((walking.set, walking.at, walking.from), (fresh.set, fresh.at, fresh.from));
            let mut ways = Vec::new();
            fresh.each_move(&space, |rank, set| {
                assert_eq!(rank, space.rank(set));
                ways.push(space.cells(set));
            });
            let mut expected = Vec::new();
            let board = native::chinese::Graph::diamond(5).unwrap();
            board.successors(space.cells(fresh.set), 0, |_, _, next| expected.push(next));
            ways.sort();
            expected.sort();
            assert_eq!(ways, expected);
        }
    }

    #[test]
    fn rows_have_the_moves_of_their_placements() {
        fn check<const K: usize>(spec: Spec, seed: u64) {
            let space = Space::new(spec).unwrap();
            let mut rng = game::random::Rng::new(seed);
            for _ in 0..600 {
                let row = Placement::<K>::new(&space, rng.below(space.entries() as usize) as u64);
                let lowest =
                    (0..row.row_length(&space)).filter(|_| rng.below(3) == 0).fold(0, |set, low| set | 1u128 << low);
                let mut ways = std::collections::BTreeSet::new();
                row.each_move_of_row(&space, lowest, |rank, set, low| {
                    let set = set | 1 << low;
                    assert_eq!((rank, set.count_ones()), (space.rank(set), K as u32));
                    ways.insert(rank);
                });
                let mut expected = std::collections::BTreeSet::new();
                let ranks = || (0..128).filter(|low| lowest >> low & 1 == 1).map(|low| row.row_begin() + low);
                for rank in ranks() {
                    Placement::<K>::new(&space, rank).each_move(&space, |rank, _| {
                        expected.insert(rank);
                    });
                }
                // Moves from one of the placements to another need not be named.
                for rank in ranks() {
                    expected.remove(&rank);
                    ways.remove(&rank);
                }
                assert_eq!(ways, expected);
            }
        }
        check::<1>(Spec::new(9, 1), 1);
        check::<2>(Spec::new(5, 2), 2);
        check::<4>(Spec::new(4, 4), 3);
        check::<6>(Spec::new(5, 6), 4);
        check::<6>(Spec::new(9, 6), 5);
        check::<10>(Spec::new(6, 10), 6);
    }
}
