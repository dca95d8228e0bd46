//! What comes before a list of words, and which words have a move into a plane.

use super::super::super::index::{MAPS, inverse};
use super::super::super::layout::NONE;
use super::super::super::shifts::{image, pawns, pawns_back, reach, seen};
use super::{List, Planes, Reached};
use native::chess::geometry::{BETWEEN, KING, bit, squares};
use native::chess::{Colour, Kind};

impl<const N: usize> Planes<'_, '_, N> {
    /// The squares that the man in a place of a word can go to by quiet moves, or can have come from, as if there were no wide man.
    #[inline]
    fn single(&self, place: usize, from: u8, occupied: u64, back: bool) -> u64 {
        let man = self.builder.space.slots[self.layout.others[place]].man;
        match (man.kind, back) {
            (Kind::Pawn, false) => pawns(man.colour, bit(from), !occupied),
            (Kind::Pawn, true) => pawns_back(man.colour, bit(from), !occupied),
            (kind, _) => seen(kind, from, occupied) & !occupied,
        }
    }

    #[inline]
    fn is_of(&self, slot: usize, turn: Colour) -> bool {
        self.builder.space.slots[slot].man.colour == turn
    }

    /// Reaches what comes before the positions of a list by a move of `turn` with a man other than the king.
    pub(super) fn men_before(&self, class: usize, turn: Colour, list: &List, reached: &mut Reached) {
        let layout = &self.layout;
        let wide = self.builder.space.slots[layout.wide].man;
        for some in list {
            let word = usize::from(some.word);
            let occupied = layout.occupied(self.builder.kings(class), word);
            if wide.colour == turn {
                let before = match wide.kind {
                    Kind::Pawn => pawns_back(turn, some.wide, !occupied),
                    kind => reach(kind, some.wide, !occupied),
                };
                reached.add(some.word, before);
            }
            for place in (0..layout.count).filter(|&place| self.is_of(layout.others[place], turn)) {
                let mut at = layout.at[word];
                let now = at[place];
                for from in squares(self.single(place, now, occupied, true)) {
                    at[place] = from;
                    let wide = some.wide & !(BETWEEN[usize::from(now)][usize::from(from)] | bit(from));
                    reached.add(layout.word(at), wide);
                }
            }
        }
    }

    /// Reaches what comes before the positions of all lists by a move of the king of `turn` that begins with this pair of kings.
    pub(super) fn king_before(&self, class: usize, turn: Colour, lists: &[List], reached: &mut Reached) {
        let layout = &self.layout;
        let here = self.builder.kings(class)[turn as usize];
        for (next, symmetry) in self.king_moves(class, turn) {
            let symmetry = inverse(symmetry);
            let back = &MAPS[symmetry];
            for some in &lists[next] {
                let at = layout.at[usize::from(some.word)].map(|square| back[usize::from(square)]);
                let word = self.turned(at);
                if word != NONE && at[..layout.count].iter().all(|&square| square != here) {
                    reached.add(word, image(symmetry, some.wide));
                }
            }
        }
    }

    /// The word of squares that were turned; where there are fewer men, those beyond are nothing.
    #[inline]
    fn turned(&self, mut at: [u8; 2]) -> u16 {
        at[self.layout.count..].fill(0);
        self.layout.word(at)
    }

    /// The pairs of kings that a move of a king leads to, and the symmetry that makes them such a pair.
    #[inline]
    fn king_moves(&self, class: usize, turn: Colour) -> impl Iterator<Item = (usize, usize)> + '_ {
        let kings = self.builder.kings(class);
        let [here, other] = [kings[turn as usize], kings[turn.other() as usize]];
        squares(KING[usize::from(here)] & !bit(other)).filter_map(move |to| {
            let mut after = kings;
            after[turn as usize] = to;
            self.builder.space.kings.find(after[0], after[1])
        })
    }

    /// Those of the positions from which no quiet move of `turn` leads to a position of a plane of the other side.
    pub(super) fn without_move_to(&self, class: usize, turn: Colour, word: usize, mut of: u64, plane: &[u64]) -> u64 {
        let layout = &self.layout;
        if of == 0 {
            return 0;
        }
        let begin = class * layout.words;
        let block = &plane[begin..begin + layout.words];
        let occupied = layout.occupied(self.builder.kings(class), word);
        let wide = self.builder.space.slots[layout.wide].man;
        if wide.colour == turn {
            of &= !match wide.kind {
                Kind::Pawn => pawns_back(turn, block[word], !occupied),
                kind => reach(kind, block[word], !occupied),
            };
        }
        for place in (0..layout.count).filter(|&place| self.is_of(layout.others[place], turn)) {
            let mut at = layout.at[word];
            let from = at[place];
            for to in squares(self.single(place, from, occupied, false)) {
                if of == 0 {
                    return 0;
                }
                at[place] = to;
                let there = layout.word(at);
                if there != NONE {
                    of &= !(block[usize::from(there)] & !BETWEEN[usize::from(from)][usize::from(to)]);
                }
            }
        }
        for (next, symmetry) in self.king_moves(class, turn) {
            if of == 0 {
                return 0;
            }
            let there = self.turned(layout.at[word].map(|square| MAPS[symmetry][usize::from(square)]));
            if there != NONE {
                let set = plane[next * layout.words + usize::from(there)];
                of &= !image(inverse(symmetry), set);
            }
        }
        of
    }
}
