//! The same analysis, 64 positions at a time.
//!
//! All men but one are put on their squares; the squares of the last one, the *wide* man, are the bits of a word. Moves of the wide man
//! are shifts inside a word, moves of the others lead from word to word, and where the wide man stands in the way is a mask. So
//! a layer is a list of words, and what took a step for each move takes one for each word.
//!
//! Nobody counts moves: whoever has a move into the last layer of wins is a candidate, and is lost if no move leads to a position that
//! is not won. What captures and promotions are worth waits for its layer, as in the other way of building.
//!
//! This is for distances in which pawn moves do not end the count, and for men that cannot take en passant.

mod first;
mod moves;

use super::super::index::Index;
use super::super::layout::Layout;
use super::super::material::Material;
use super::super::space::Men;
use super::super::table::NOTHING;
use super::{BuildError, Builder, Phase, Progress};
use native::chess::Colour;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Positions of one word: all but the wide man stand as the word says, the wide man on one of the squares.
#[derive(Clone, Copy)]
struct Some64 {
    word: u16,
    wide: u64,
}

/// Positions of one pair of kings.
type List = Vec<Some64>;

/// The work on one side to move; each plane has a word for every pair of kings and place of the other men.
struct Side {
    /// Legal, and nothing is known.
    open: Vec<u64>,
    /// Legal, and not known to be won.
    not_won: Vec<u64>,
    /// A capture or a promotion wins or draws, so it is not lost.
    not_lost: Vec<u64>,
    /// There are captures or promotions, and they all lose.
    losing: Vec<u64>,
    /// The plies of what is decided.
    values: Vec<u8>,
    /// By pair of kings, what is decided by captures and promotions, by its plies.
    waiting: Vec<BTreeMap<u8, List>>,
    /// By pair of kings, what the last layer decided.
    last: Vec<List>,
}

impl Side {
    fn new(classes: usize, words: usize) -> Side {
        let plane = || vec![0; classes * words];
        Side {
            open: plane(),
            not_won: plane(),
            not_lost: plane(),
            losing: plane(),
            values: vec![NOTHING; classes * words * 64],
            waiting: vec![BTreeMap::new(); classes],
            last: vec![Vec::new(); classes],
        }
    }

    /// The last layer that something waits for.
    fn highest(&self) -> Option<u8> {
        self.waiting.iter().filter_map(|waiting| waiting.keys().next_back().copied()).max()
    }
}

/// A block of one side that is being written: one pair of kings.
struct Block<'a> {
    class: usize,
    open: &'a mut [u64],
    not_won: &'a mut [u64],
    not_lost: &'a [u64],
    losing: &'a [u64],
    values: &'a mut [u8],
    waiting: &'a mut BTreeMap<u8, List>,
    /// What this layer decides.
    found: &'a mut List,
}

impl Block<'_> {
    /// These positions are decided in so many plies.
    fn decide(&mut self, word: usize, wide: u64, plies: u8) {
        self.open[word] &= !wide;
        if plies & 1 == 1 {
            self.not_won[word] &= !wide;
        }
        let values = &mut self.values[word * 64..word * 64 + 64];
        let mut rest = wide;
        while rest != 0 {
            values[rest.trailing_zeros() as usize] = plies;
            rest &= rest - 1;
        }
        self.found.push(Some64 { word: word as u16, wide });
    }
}

/// What was reached in a block, and which words that touches.
struct Reached {
    wide: Vec<u64>,
    touched: Vec<u16>,
}

impl Reached {
    #[inline]
    fn add(&mut self, word: u16, wide: u64) {
        let entry = &mut self.wide[usize::from(word)];
        if *entry == 0 && wide != 0 {
            self.touched.push(word);
        }
        *entry |= wide;
    }
}

/// Builds the bytes of both sides to move.
pub(super) struct Planes<'a, 'b, const N: usize> {
    builder: &'a Builder<'b, N>,
    layout: Layout<N>,
    material: Material,
}

impl<'a, 'b, const N: usize> Planes<'a, 'b, N> {
    pub(super) fn new(builder: &'a Builder<'b, N>, material: Material) -> Planes<'a, 'b, N> {
        Planes { builder, layout: Layout::new(&builder.space), material }
    }

    fn classes(&self) -> usize {
        self.builder.space.kings.pairs.len()
    }

    /// The bytes of all numbers of the index, plies by their parity, for both sides to move.
    pub(super) fn build(
        &self,
        index: &Index,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<[Vec<u8>; 2], BuildError> {
        let mut sides = Colour::BOTH.map(|_| Side::new(self.classes(), self.layout.words));
        self.first(&mut sides, progress)?;
        self.layers(&mut sides, progress)?;
        let total = 2 * index.len();
        let mut done = 0;
        let mut packed = [Vec::new(), Vec::new()];
        for (packed, side) in packed.iter_mut().zip(sides) {
            if !progress(Progress { pass: (0, 1), phase: Phase::Pack, done, total }) {
                return Err(BuildError::Stopped);
            }
            *packed = self.pack(index, side);
            done += index.len();
        }
        Ok(packed)
    }

    fn layers(&self, sides: &mut [Side; 2], progress: &mut dyn FnMut(Progress) -> bool) -> Result<(), BuildError> {
        let total = 2 * sides[0].values.len() as u64;
        let count = |sides: &[Side; 2]| -> u64 {
            let all = sides.iter().flat_map(|side| side.last.iter().flatten());
            all.map(|some| u64::from(some.wide.count_ones())).sum()
        };
        let mut decided = count(sides);
        let mut alive = true;
        let mut plies = 0;
        while alive || sides.iter().filter_map(Side::highest).max().is_some_and(|last| last > plies) {
            plies += 1;
            if plies == NOTHING {
                return Err(BuildError::TooLong(self.material));
            }
            if !progress(Progress { pass: (0, 1), phase: Phase::Layer(plies), done: decided, total }) {
                return Err(BuildError::Stopped);
            }
            let found = Colour::BOTH.map(|turn| {
                let [white, black] = &mut *sides;
                match turn {
                    Colour::White => self.layer(turn, plies, white, black),
                    Colour::Black => self.layer(turn, plies, black, white),
                }
            });
            for (side, found) in sides.iter_mut().zip(found) {
                side.last = found;
            }
            let now = count(sides);
            decided += now;
            alive = now > 0;
        }
        Ok(())
    }

    /// What one side to move wins or loses in so many plies, by pair of kings.
    fn layer(&self, turn: Colour, plies: u8, side: &mut Side, other: &Side) -> Vec<List> {
        let words = self.layout.words;
        let mut found = vec![Vec::new(); self.classes()];
        let planes = side.open.par_chunks_mut(words).zip(side.not_won.par_chunks_mut(words));
        let fixed = side.not_lost.par_chunks(words).zip(side.losing.par_chunks(words));
        let rest = side.values.par_chunks_mut(words * 64).zip(side.waiting.par_iter_mut());
        let blocks = planes.zip(fixed).zip(rest).zip(found.par_iter_mut()).enumerate();
        let room = || Reached { wide: vec![0; words], touched: Vec::new() };
        blocks.for_each_init(
            room,
            |reached, (class, ((((open, not_won), (not_lost, losing)), (values, waiting)), found))| {
                let block = Block { class, open, not_won, not_lost, losing, values, waiting, found };
                self.block(turn, plies, block, other, reached);
            },
        );
        found
    }

    fn block(&self, turn: Colour, plies: u8, mut block: Block<'_>, other: &Side, reached: &mut Reached) {
        self.men_before(block.class, turn, &other.last[block.class], reached);
        self.king_before(block.class, turn, &other.last, reached);
        for word in reached.touched.drain(..).map(usize::from) {
            let wide = std::mem::take(&mut reached.wide[word]) & block.open[word];
            if plies & 1 == 1 {
                if wide != 0 {
                    block.decide(word, wide, plies);
                }
                continue;
            }
            let candidates = wide & !block.not_lost[word];
            let lost = self.without_move_to(block.class, turn, word, candidates, &other.not_won);
            if lost != 0 {
                self.lose(turn, plies, &mut block, word, lost);
            }
        }
        if let Some(waiting) = block.waiting.remove(&plies) {
            for some in waiting {
                let word = usize::from(some.word);
                let wide = some.wide & block.open[word];
                if wide != 0 {
                    block.decide(word, wide, plies);
                }
            }
        }
    }

    /// Positions all of whose quiet moves lose; captures and promotions may lose more slowly.
    fn lose(&self, turn: Colour, plies: u8, block: &mut Block<'_>, word: usize, lost: u64) {
        let mut now = lost & !block.losing[word];
        let mut rest = lost & block.losing[word];
        while rest != 0 {
            let wide = rest & rest.wrapping_neg();
            rest &= rest - 1;
            let men = self.men(block.class, word, wide.trailing_zeros() as u8);
            match self.builder.longest_outside(&men, turn) {
                longest if longest > plies => {
                    block.waiting.entry(longest).or_default().push(Some64 { word: word as u16, wide });
                }
                _ => now |= wide,
            }
        }
        if now != 0 {
            block.decide(word, now, plies);
        }
    }

    /// Where everybody stands.
    #[inline]
    fn men(&self, class: usize, word: usize, wide: u8) -> Men<N> {
        Men::new(self.builder.kings(class), self.layout.squares(word, wide))
    }

    /// The values in the order of the index.
    fn pack(&self, index: &Index, side: Side) -> Vec<u8> {
        let mut packed = vec![NOTHING; index.len() as usize];
        let words = self.layout.words;
        let blocks = side.values.par_chunks(words * 64);
        index.by_kings(&mut packed).into_par_iter().zip(blocks).enumerate().for_each(|(class, (part, values))| {
            for (word, values) in values.chunks_exact(64).enumerate() {
                self.pack_word(index, class, word, values, part);
            }
        });
        packed
    }

    /// Puts the values of a word where the index has them. Over a run of free squares the number grows evenly, as long as the wide man
    /// has no equals.
    fn pack_word(&self, index: &Index, class: usize, word: usize, values: &[u8], part: &mut [u8]) {
        let layout = &self.layout;
        let slots = &self.builder.space.slots;
        let kings = self.builder.kings(class);
        if layout.at[word][..layout.count].iter().any(|square| kings.contains(square)) {
            return;
        }
        let wide = slots[layout.wide].man;
        let mut free = !layout.occupied(kings, word) & layout.zone(wide);
        let alone = slots.iter().filter(|slot| slot.man == wide).count() == 1;
        let stride = index.stride(class, layout.wide);
        while free != 0 {
            let begin = free.trailing_zeros();
            let run = if alone { (!(free >> begin)).trailing_zeros().min(64 - begin) } else { 1 };
            let mut men = [0; 3];
            men[..N].copy_from_slice(&layout.squares(word, begin as u8));
            let first = index.rank_in(class, &men) as usize;
            let begin = begin as usize;
            for (step, &value) in values[begin..begin + run as usize].iter().enumerate() {
                part[first + step * stride] = value;
            }
            free &= u64::MAX.checked_shl(begin as u32 + run).unwrap_or(0);
        }
    }
}
