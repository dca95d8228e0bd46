//! What one layer does to one block: the positions before it are won, or have one move less.

use super::super::space::{Men, Space};
use super::super::table::{FIFTY, NOTHING};
use super::{Builder, COUNT, Layer, OUTSIDE, Waiting};
use native::chess::geometry::{KING, bit, squares};
use native::chess::{Colour, Kind};

/// What one layer does to one block.
pub(super) struct Update<'a, 'b, const N: usize> {
    pub(super) builder: &'a Builder<'b, N>,
    pub(super) class: usize,
    pub(super) layer: Layer,
    pub(super) values: &'a mut [u8],
    pub(super) counts: &'a mut [u8],
    pub(super) highest: u8,
}

impl<const N: usize> Update<'_, '_, N> {
    /// Who is to move in this block.
    #[inline]
    fn turn(&self) -> Colour {
        self.layer.turn.other()
    }

    /// The position before was reached from one of the layer by one quiet move.
    #[inline]
    fn reach(&mut self, number: usize) {
        if self.layer.lost {
            self.win(number, self.layer.plies + 1);
        } else {
            self.fewer(number);
        }
    }

    #[inline]
    fn win(&mut self, number: usize, value: u8) {
        // A win in 255 plies does not fit; the highest value tells of it.
        if self.values[number] > value || (value == NOTHING && self.values[number] == NOTHING) {
            self.values[number] = value;
            self.highest = self.highest.max(value);
        }
    }

    #[inline]
    fn fewer(&mut self, number: usize) {
        let count = self.counts[number] - 1;
        self.counts[number] = count;
        if count & COUNT == 0 {
            self.lose(number, count);
        }
    }

    #[cold]
    #[inline(never)]
    fn lose(&mut self, number: usize, count: u8) {
        let mut value = self.layer.plies + 1;
        if count & OUTSIDE != 0 && self.builder.zeroing() {
            value = value.max(FIFTY + 1);
        } else if count & OUTSIDE != 0
            && let Some(squares) = self.builder.space.decode(number)
        {
            let men = Men::new(self.builder.kings(self.class), squares);
            value = value.max(self.builder.longest_outside(&men, self.turn()));
        }
        self.values[number] = value;
        self.highest = self.highest.max(value);
    }

    /// Moves of men other than the king.
    pub(super) fn men(&mut self, list: &[u32]) {
        let space = &self.builder.space;
        let kings = self.builder.kings(self.class);
        let (turn, zeroing) = (self.turn(), self.builder.zeroing());
        for &number in list {
            let Some(squares_now) = space.decode(number as usize) else { continue };
            let men = Men::new(kings, squares_now);
            for slot in 0..N {
                let man = space.slots[slot].man;
                // Pawn moves that end the count have been looked at in the beginning.
                if man.colour != turn || zeroing && man.kind == Kind::Pawn {
                    continue;
                }
                let at = squares_now[slot];
                let mut from = space.unmoves(slot, &men);
                let row = space.row(slot, &squares_now);
                let rest = number - row[usize::from(at)];
                if self.builder.passing && man.kind == Kind::Pawn {
                    let double = from & (bit(at) << 16 | bit(at) >> 16);
                    if double != 0 {
                        from &= !double;
                        let before = rest + row[double.trailing_zeros() as usize];
                        self.double_step(before as usize, &men, slot);
                    }
                }
                while from != 0 {
                    let square = from.trailing_zeros() as usize;
                    from &= from - 1;
                    self.reach((rest + row[square]) as usize);
                }
            }
        }
    }

    /// As [`reach`](Update::reach) for a double step of the pawn in `slot`, which may be answered en passant.
    fn double_step(&mut self, before: usize, men: &Men<N>, slot: usize) {
        let Some(answer) = self.builder.passing_score(men, self.layer.turn, slot) else {
            return self.reach(before);
        };
        if !self.layer.lost {
            // Won without en passant; if taking wins faster, it has been counted already.
            if answer.win.is_none_or(|at| at >= self.layer.plies) {
                self.fewer(before);
            }
        } else if let (None, false, Some(loss)) = (answer.win, answer.draw, answer.loss) {
            self.win(before, self.layer.plies.max(loss) + 1);
        }
    }

    /// Double steps that lose now because of en passant.
    pub(super) fn waiting(&mut self, waiting: &[Waiting], after: &[u8]) {
        let layer = self.layer.plies;
        let begin = waiting.partition_point(|entry| entry.at < layer);
        for entry in waiting[begin..].iter().take_while(|entry| entry.at == layer) {
            let value = after[entry.after as usize];
            let won_before = value & 1 == 1 && value <= layer;
            if !won_before {
                self.fewer(entry.before as usize);
            }
        }
    }

    /// Moves of the king, which come from other blocks.
    pub(super) fn king(&mut self, lists: &[Vec<u32>]) {
        let space = &self.builder.space;
        let kings = self.builder.kings(self.class);
        let turn = self.turn();
        let here = kings[turn as usize];
        let other = kings[turn.other() as usize];
        for to in squares(KING[usize::from(here)] & !bit(other)) {
            let mut after = kings;
            after[turn as usize] = to;
            let Some((class, symmetry)) = space.kings.find(after[0], after[1]) else { continue };
            let back = Space::<N>::back(symmetry);
            for &number in &lists[class] {
                let Some(there) = space.decode(number as usize) else { continue };
                let now = there.map(|square| back[usize::from(square)]);
                if now.iter().all(|&square| square != here) {
                    self.reach(space.encode(&now));
                }
            }
        }
    }
}
