//! Which man is the wide one, and which word stands for which squares of the others.

use super::shifts::seen_from;
use super::space::{Slot, Space};
use native::chess::geometry::{BETWEEN, bit};
use native::chess::{Colour, Kind, Man};

/// Marks squares that no word stands for.
pub(super) const NONE: u16 = u16::MAX;

/// How the positions of one pair of kings are divided into words.
pub(super) struct Layout<const N: usize> {
    /// The slot of the wide man.
    pub(super) wide: usize,
    /// The slots of the others, and how many these are.
    pub(super) others: [usize; 2],
    pub(super) count: usize,
    /// Words for each pair of kings.
    pub(super) words: usize,
    /// By word, where the others stand.
    pub(super) at: Vec<[u8; 2]>,
    /// The word of the squares of the others.
    word: Vec<u16>,
}

/// The wide man is the one with the most moves, as these are the cheapest; of two equal men neither, so that the two need half the words.
fn widest<const N: usize>(slots: &[Slot; N]) -> usize {
    let alone = |slot: usize| slots.iter().filter(|other| other.man == slots[slot].man).count() == 1;
    let far = |kind: Kind| match kind {
        Kind::Queen => 5,
        Kind::Rook => 4,
        Kind::Bishop => 3,
        Kind::Knight => 2,
        Kind::King | Kind::Pawn => 1,
    };
    (0..N).max_by_key(|&slot| (alone(slot), far(slots[slot].man.kind))).unwrap_or(0)
}

impl<const N: usize> Layout<N> {
    pub(super) fn new(space: &Space<N>) -> Layout<N> {
        let wide = widest(&space.slots);
        let rest: Vec<usize> = (0..N).filter(|&slot| slot != wide).collect();
        let others = [rest.first().copied().unwrap_or(0), rest.get(1).copied().unwrap_or(0)];
        let may = |place: usize, square: u8| {
            place < rest.len() && (space.slots[others[place]].man.kind != Kind::Pawn || (8..56).contains(&square))
        };
        let mut layout =
            Layout { wide, others, count: rest.len(), words: 0, at: Vec::new(), word: vec![NONE; 64 * 64] };
        match rest.len() {
            0 => layout.put([0, 0], false),
            1 => (0..64).filter(|&a| may(0, a)).for_each(|a| layout.put([a, 0], false)),
            _ => {
                let equal = space.slots[others[0]].man == space.slots[others[1]].man;
                for a in (0..64).filter(|&a| may(0, a)) {
                    for b in (0..64).filter(|&b| b != a && may(1, b) && !(equal && b < a)) {
                        layout.put([a, b], equal);
                    }
                }
            }
        }
        layout
    }

    fn put(&mut self, at: [u8; 2], equal: bool) {
        let [a, b] = at.map(usize::from);
        self.word[a * 64 + b] = self.words as u16;
        if equal {
            self.word[b * 64 + a] = self.words as u16;
        }
        self.words += 1;
        self.at.push(at);
    }

    /// The word of these squares of the others; [`NONE`] if two stand on one square, or a pawn where it cannot.
    #[inline]
    pub(super) fn word(&self, at: [u8; 2]) -> u16 {
        self.word[usize::from(at[0] & 63) * 64 + usize::from(at[1] & 63)]
    }

    /// Where all men stand, by slot.
    #[inline]
    pub(super) fn squares(&self, word: usize, wide: u8) -> [u8; N] {
        let mut squares = [wide; N];
        for place in 0..self.count {
            squares[self.others[place]] = self.at[word][place];
        }
        squares
    }

    /// The squares of the kings and of the men that are not wide.
    #[inline]
    pub(super) fn occupied(&self, kings: [u8; 2], word: usize) -> u64 {
        let all = bit(kings[0]) | bit(kings[1]);
        self.at[word][..self.count].iter().fold(all, |all, &square| all | bit(square))
    }

    /// The squares that such a man can stand on.
    #[inline]
    pub(super) fn zone(&self, man: Man) -> u64 {
        if man.kind == Kind::Pawn { 0x00ff_ffff_ffff_ff00 } else { !0 }
    }

    /// The squares of the wide man at which the position is legal with `turn` to move.
    pub(super) fn legal(&self, space: &Space<N>, class: usize, turn: Colour, word: usize) -> u64 {
        let kings = space.kings.at(class);
        if self.at[word][..self.count].iter().any(|square| kings.contains(square)) {
            return 0;
        }
        let zone = self.zone(space.slots[self.wide].man);
        let broken = self.attacking(space, class, word, turn, kings[turn.other() as usize]);
        !self.occupied(kings, word) & zone & !broken
    }

    /// How many legal positions with one pair of kings there are; positions that are their own number's mirror image count as they are numbered.
    pub(super) fn legal_positions(&self, space: &Space<N>, class: usize, turn: Colour) -> u64 {
        let all: u64 = (0..self.words).map(|word| u64::from(self.legal(space, class, turn, word).count_ones())).sum();
        // A wide man with equals is counted once for each of them.
        let wide = space.slots[self.wide].man;
        all / space.slots.iter().filter(|slot| slot.man == wide).count() as u64
    }

    /// The squares of the wide man at which men of a colour other than the king attack a square.
    pub(super) fn attacking(&self, space: &Space<N>, class: usize, word: usize, colour: Colour, target: u8) -> u64 {
        let occupied = self.occupied(space.kings.at(class), word);
        let mut all = 0;
        let wide = space.slots[self.wide].man;
        if wide.colour == colour {
            all |= seen_from(wide, target, occupied);
        }
        for place in 0..self.count {
            let slot = &space.slots[self.others[place]];
            let at = usize::from(self.at[word][place]);
            if slot.man.colour == colour && slot.empty[at] & bit(target) != 0 {
                let between = if slot.man.kind.slides() { BETWEEN[at][usize::from(target)] } else { 0 };
                if between & occupied == 0 {
                    all |= !between;
                }
            }
        }
        all
    }
}
