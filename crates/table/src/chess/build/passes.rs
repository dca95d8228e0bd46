//! Which positions are built together: all at once, or, where pawn moves end what is counted, those with the pawns equally
//! far ahead, the foremost first. Other moves leave the pawns where they are, so each pass only needs those before it.

use super::super::space::Space;
use super::super::table::Metric;
use super::{Builder, COUNT, NOTHING, Side};
use native::chess::{Colour, Kind};
use rayon::prelude::*;

/// All passes of a build.
pub(super) struct Passes {
    /// For each number of a block how far its pawns are, together; empty if there is one pass only.
    ahead: Vec<u8>,
    /// The distances that occur, the greatest first.
    order: Vec<u8>,
}

/// One of them.
pub(super) struct Pass<'a> {
    passes: &'a Passes,
    at: u8,
}

impl Passes {
    pub(super) fn new<const N: usize>(space: &Space<N>, metric: Metric) -> Passes {
        let pawns = space.slots.iter().any(|slot| slot.man.kind == Kind::Pawn);
        if metric != Metric::Zeroing || !pawns {
            return Passes { ahead: Vec::new(), order: vec![0] };
        }
        let ahead = |squares: [u8; N]| {
            let pawns = space.slots.iter().zip(squares).filter(|(slot, _)| slot.man.kind == Kind::Pawn);
            let ranks = pawns.map(|(slot, square)| match slot.man.colour {
                Colour::White => square / 8,
                Colour::Black => 7 - square / 8,
            });
            ranks.sum()
        };
        // Numbers at which two men stand on one square belong to no pass: nothing is ever written there.
        let ahead: Vec<u8> = (0..space.block).map(|number| space.decode(number).map_or(0, ahead)).collect();
        let mut order: Vec<u8> = (1..=u8::MAX).filter(|far| ahead.contains(far)).collect();
        order.reverse();
        Passes { ahead, order }
    }

    pub(super) fn count(&self) -> u8 {
        self.order.len() as u8
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Pass<'_>> {
        (0..self.count()).map(|at| Pass { passes: self, at })
    }
}

impl Pass<'_> {
    /// Whether a number of a block belongs to this pass.
    #[inline]
    pub(super) fn has(&self, number: usize) -> bool {
        self.passes.ahead.is_empty() || self.passes.ahead[number] == self.passes.order[usize::from(self.at)]
    }

    /// Which pass it is, and of how many.
    pub(super) fn place(&self) -> (u8, u8) {
        (self.at, self.passes.count())
    }
}

impl<const N: usize> Builder<'_, N> {
    /// The highest value that waits for its layer.
    pub(super) fn highest(&self, side: &Side, pass: &Pass<'_>) -> u8 {
        let blocks = side.values.par_chunks(self.space.block).zip(side.counts.par_chunks(self.space.block));
        let values = blocks.map(|(values, counts)| {
            let some = (0..values.len()).filter(|&number| values[number] != NOTHING && pass.has(number));
            // Values of positions that cannot occur are 0, whatever their count.
            some.filter(|&number| values[number] > 0 || counts[number] & COUNT == 0).map(|number| values[number]).max()
        });
        let waiting = side.waiting.iter().flatten().map(|entry| entry.at).max();
        values.max().flatten().max(waiting).unwrap_or(0)
    }
}
