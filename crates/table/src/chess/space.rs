//! The numbering that the builder works with: plain squares, with gaps, one block for each pair of kings.
//!
//! Moves of men other than kings stay inside a block and change its number by a difference found in one small table.
//! A block of five men has at most 64³ bytes for each of its arrays, which fits the second-level cache.

use super::index::{Group, Kings, MAPS, groups, inverse};
use super::material::Material;
use native::chess::geometry::{BEHIND, BETWEEN, BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, bit};
use native::chess::{Colour, Kind, Man};

/// Marks a number at which two men stand on one square.
const GAP: u32 = u32::MAX;

/// One man other than a king.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub(super) man: Man,
    /// What it attacks on an empty board.
    pub(super) empty: &'static [u64; 64],
    group: usize,
    /// The other slots of its group.
    others: [usize; 2],
}

/// The numbering of one material with `N` men other than kings.
pub(super) struct Space<const N: usize> {
    pub(super) kings: &'static Kings,
    pub(super) slots: [Slot; N],
    groups: Vec<Group>,
    /// For each group, the share of a square in the number, by the squares of the others of the group.
    rows: Vec<Vec<[u32; 64]>>,
    /// Numbers in a block.
    pub(super) block: usize,
    /// The squares of each number, six bits a man.
    unpack: Vec<u32>,
}

/// How many numbers the groups of a material have in a block.
pub(super) fn block_size(material: &Material) -> usize {
    groups(&material.men()).iter().map(size).product()
}

fn size(group: &Group) -> usize {
    let n = if group.pawn { 48 } else { 64 };
    [n, n * (n - 1) / 2, n * (n - 1) * (n - 2) / 6][group.count - 1]
}

/// What one square contributes, for all squares of the others of the group.
fn rows(group: &Group, stride: usize) -> Vec<[u32; 64]> {
    let floor = if group.pawn { 8 } else { 0 };
    let share = |mut squares: Vec<usize>| {
        squares.sort_unstable();
        if squares[0] < floor {
            return 0;
        }
        let s: Vec<usize> = squares.iter().map(|square| square - floor).collect();
        let value = match s[..] {
            [a] => a,
            [a, b] => b * b.saturating_sub(1) / 2 + a,
            [a, b, c] => c * c.saturating_sub(1) * c.saturating_sub(2) / 6 + b * b.saturating_sub(1) / 2 + a,
            _ => 0,
        };
        // Two men on one square: never asked for, and must not look like another number.
        if s.windows(2).any(|pair| pair[0] == pair[1]) { 0 } else { value * stride }
    };
    let row = |others: &[usize]| {
        let mut row = [0; 64];
        for (square, entry) in row.iter_mut().enumerate() {
            let mut squares = others.to_vec();
            squares.push(square);
            *entry = share(squares) as u32;
        }
        row
    };
    match group.count {
        1 => vec![row(&[])],
        2 => (0..64).map(|a| row(&[a])).collect(),
        _ => (0..64 * 64).map(|ab| row(&[ab / 64, ab % 64])).collect(),
    }
}

fn empty_board(man: Man) -> &'static [u64; 64] {
    match man.kind {
        Kind::King => &KING,
        Kind::Queen => &QUEEN,
        Kind::Rook => &ROOK,
        Kind::Bishop => &BISHOP,
        Kind::Knight => &KNIGHT,
        Kind::Pawn => &PAWN[man.colour as usize],
    }
}

impl<const N: usize> Space<N> {
    /// The numbering of a material with exactly `N` men other than kings.
    pub(super) fn new(material: &Material) -> Option<Space<N>> {
        let men = material.men();
        if men.len() != N {
            return None;
        }
        let groups = groups(&men);
        let mut table = Vec::new();
        let mut stride = 1;
        for group in &groups {
            table.push(rows(group, stride));
            stride *= size(group);
        }
        let slots = std::array::from_fn(|slot| {
            let group = groups.iter().position(|g| (g.first..g.first + g.count).contains(&slot)).unwrap_or(0);
            let mut others = [slot; 2];
            let rest = (groups[group].first..groups[group].first + groups[group].count).filter(|&other| other != slot);
            for (place, other) in others.iter_mut().zip(rest) {
                *place = other;
            }
            Slot { man: men[slot], empty: empty_board(men[slot]), group, others }
        });
        let kings = Kings::of(material);
        let mut space = Space { kings, slots, groups, rows: table, block: stride, unpack: vec![GAP; stride] };
        space.fill();
        Some(space)
    }

    fn fill(&mut self) {
        let mut squares = [0u8; N];
        loop {
            let clash = (0..N).any(|a| (0..a).any(|b| squares[a] == squares[b]));
            let pawn_out =
                self.slots.iter().zip(&squares).any(|(slot, &s)| slot.man.kind == Kind::Pawn && !(8..56).contains(&s));
            if !clash && !pawn_out {
                let packed = (0..N).fold(0, |packed, slot| packed | u32::from(squares[slot]) << (6 * slot));
                let number = self.encode(&squares);
                self.unpack[number] = packed;
            }
            let Some(next) = squares.iter().position(|&square| square < 63) else { return };
            squares[next] += 1;
            squares[..next].fill(0);
        }
    }

    /// The squares of a number; `None` at gaps.
    #[inline]
    pub(super) fn decode(&self, number: usize) -> Option<[u8; N]> {
        let packed = self.unpack[number];
        (packed != GAP).then(|| std::array::from_fn(|slot| (packed >> (6 * slot)) as u8 & 63))
    }

    /// What the square of a slot contributes to the number, by square.
    #[inline]
    pub(super) fn row(&self, slot: usize, squares: &[u8; N]) -> &[u32; 64] {
        let Slot { group, others, .. } = self.slots[slot];
        let key = match self.groups[group].count {
            1 => 0,
            2 => usize::from(squares[others[0]]),
            _ => usize::from(squares[others[0]]) * 64 + usize::from(squares[others[1]]),
        };
        &self.rows[group][key]
    }

    /// The number of squares inside the block of a pair of kings.
    #[inline]
    pub(super) fn encode(&self, squares: &[u8; N]) -> usize {
        let mut number = 0;
        for group in &self.groups {
            number += self.row(group.first, squares)[usize::from(squares[group.first])];
        }
        number as usize
    }

    /// What the man in a slot attacks.
    #[inline]
    pub(super) fn attacks(&self, slot: usize, from: u8, men: &Men<N>) -> u64 {
        let Slot { man, empty, .. } = self.slots[slot];
        let mut seen = empty[usize::from(from)];
        if man.kind.slides() {
            let behind = &BEHIND[usize::from(from)];
            seen &= !(behind[usize::from(men.kings[0])] | behind[usize::from(men.kings[1])]);
            for &square in &men.squares {
                seen &= !behind[usize::from(square)];
            }
        }
        seen
    }

    /// As [`attacks`](Space::attacks), as if the king of `colour` were not there.
    #[inline]
    fn attacks_through(&self, slot: usize, from: u8, men: &Men<N>, colour: Colour) -> u64 {
        let Slot { man, empty, .. } = self.slots[slot];
        let mut seen = empty[usize::from(from)];
        if man.kind.slides() {
            let behind = &BEHIND[usize::from(from)];
            seen &= !behind[usize::from(men.kings[colour.other() as usize])];
            for &square in &men.squares {
                seen &= !behind[usize::from(square)];
            }
        }
        seen
    }

    /// Whether the side to move attacks the other king: such a position cannot occur.
    #[inline]
    pub(super) fn broken(&self, men: &Men<N>, turn: Colour) -> bool {
        let target = bit(men.kings[turn.other() as usize]);
        (0..N).any(|slot| {
            let own = self.slots[slot].man.colour == turn;
            let from = men.squares[slot];
            own && self.slots[slot].empty[usize::from(from)] & target != 0
                && self.attacks(slot, from, men) & target != 0
        })
    }

    /// Where the man in a slot can have come from without taking.
    #[inline]
    pub(super) fn unmoves(&self, slot: usize, men: &Men<N>) -> u64 {
        let from = men.squares[slot];
        let man = self.slots[slot].man;
        let free = !men.occupied;
        match (man.kind, man.colour) {
            (Kind::Pawn, Colour::White) => {
                let one = (bit(from) >> 8) & free & !0xff;
                one | ((one & 0xff_0000) >> 8) & free
            }
            (Kind::Pawn, Colour::Black) => {
                let one = (bit(from) << 8) & free & !(0xff << 56);
                one | ((one & 0xff00_0000_0000) << 8) & free
            }
            _ => self.attacks(slot, from, men) & free,
        }
    }

    /// What limits the moves of the side to move.
    #[inline]
    pub(super) fn limits(&self, men: &Men<N>, turn: Colour) -> Limits<N> {
        let king = men.kings[turn as usize];
        let foe_king = men.kings[turn.other() as usize];
        let mut limits = Limits { foe: 0, king_to: 0, allowed: !0, pins: [!0; N] };
        let mut own = bit(king);
        let mut danger = KING[usize::from(foe_king)];
        let mut checkers = 0;
        for slot in 0..N {
            let from = men.squares[slot];
            if self.slots[slot].man.colour == turn {
                own |= bit(from);
                continue;
            }
            limits.foe |= bit(from);
            let seen = self.attacks_through(slot, from, men, turn);
            danger |= seen;
            if seen & bit(king) != 0 {
                checkers |= bit(from);
            } else if self.slots[slot].man.kind.slides() && self.slots[slot].empty[usize::from(from)] & bit(king) != 0 {
                let between = BETWEEN[usize::from(king)][usize::from(from)];
                let shield = between & men.occupied;
                if shield.is_power_of_two() {
                    for own in
                        (0..N).filter(|&own| bit(men.squares[own]) == shield && self.slots[own].man.colour == turn)
                    {
                        limits.pins[own] = between | bit(from);
                    }
                }
            }
        }
        limits.king_to = KING[usize::from(king)] & !own & !danger;
        if checkers != 0 {
            limits.allowed = if checkers.is_power_of_two() {
                checkers | BETWEEN[usize::from(king)][checkers.trailing_zeros() as usize]
            } else {
                0
            };
        }
        limits.allowed &= !own;
        limits
    }

    /// The map from the squares of another block to those of a block from which a king move leads there.
    pub(super) fn back(symmetry: usize) -> &'static [u8; 64] {
        &MAPS[inverse(symmetry)]
    }
}

/// Where everybody stands.
#[derive(Clone, Copy)]
pub(super) struct Men<const N: usize> {
    pub(super) kings: [u8; 2],
    pub(super) squares: [u8; N],
    pub(super) occupied: u64,
}

impl<const N: usize> Men<N> {
    #[inline]
    pub(super) fn new(kings: [u8; 2], squares: [u8; N]) -> Men<N> {
        let occupied = squares.iter().fold(bit(kings[0]) | bit(kings[1]), |all, &square| all | bit(square));
        Men { kings, squares, occupied }
    }

    /// Whether a man stands on a king.
    #[inline]
    pub(super) fn clash(&self) -> bool {
        let kings = bit(self.kings[0]) | bit(self.kings[1]);
        self.squares.iter().any(|&square| kings & bit(square) != 0)
    }
}

/// Checks and pins of one position.
pub(super) struct Limits<const N: usize> {
    pub(super) foe: u64,
    /// Where the king may go.
    pub(super) king_to: u64,
    /// Where the others may go.
    pub(super) allowed: u64,
    /// Where each man may go because of a pin.
    pub(super) pins: [u64; N],
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<const N: usize>(name: &str) {
        let space = Space::<N>::new(&Material::parse(name).unwrap()).unwrap();
        let mut seen = 0;
        for number in 0..space.block {
            if let Some(squares) = space.decode(number) {
                assert_eq!(space.encode(&squares), number, "{name}");
                seen += 1;
            }
        }
        assert!(seen * 10 > space.block * 8, "{name}: {seen} of {}", space.block);
    }

    #[test]
    fn decoding_is_the_inverse_of_encoding() {
        check::<1>("KPK");
        check::<2>("KQKR");
        check::<2>("KPPK");
        check::<3>("KRRKN");
        check::<3>("KNNNK");
        check::<3>("KPPPK");
    }
}
