//! The first look: which positions are legal, what captures and promotions are worth, mates and stalemates.

use super::super::super::shifts::reach;
use super::super::{BuildError, Phase, Progress};
use super::{List, Planes, Side, Some64};
use native::chess::geometry::{KING, PAWN, bit, squares};
use native::chess::{Colour, Kind};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The rank from which pawns of a colour promote.
fn seventh(colour: Colour) -> u64 {
    match colour {
        Colour::White => 0x00ff_0000_0000_0000,
        Colour::Black => 0xff00,
    }
}

/// The planes of one pair of kings while they are filled.
struct Fresh<'a> {
    open: &'a mut [u64],
    not_won: &'a mut [u64],
    not_lost: &'a mut [u64],
    losing: &'a mut [u64],
    waiting: &'a mut BTreeMap<u8, List>,
}

/// What becomes of the positions of one word that can take or promote, by the plies.
#[derive(Default)]
struct Sorted {
    by_plies: Vec<(u8, u64)>,
}

impl Sorted {
    fn add(&mut self, plies: u8, wide: u64) {
        match self.by_plies.iter_mut().find(|(own, _)| *own == plies) {
            Some((_, all)) => *all |= wide,
            None => self.by_plies.push((plies, wide)),
        }
    }
}

impl<const N: usize> Planes<'_, '_, N> {
    /// Looks at every position once.
    pub(super) fn first(
        &self,
        sides: &mut [Side; 2],
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<(), BuildError> {
        let words = self.layout.words;
        let total = 2 * sides[0].values.len() as u64;
        let mut done = 0;
        const SOME: usize = 32;
        for (turn, side) in Colour::BOTH.into_iter().zip(&mut *sides) {
            let planes = side.open.chunks_mut(words * SOME).zip(side.not_won.chunks_mut(words * SOME));
            let more = side.not_lost.chunks_mut(words * SOME).zip(side.losing.chunks_mut(words * SOME));
            let parts = planes.zip(more).zip(side.waiting.chunks_mut(SOME));
            for (part, (((open, not_won), (not_lost, losing)), waiting)) in parts.enumerate() {
                if !progress(Progress { pass: (0, 1), phase: Phase::First, done, total }) {
                    return Err(BuildError::Stopped);
                }
                done += open.len() as u64 * 64;
                let planes = open.par_chunks_mut(words).zip(not_won.par_chunks_mut(words));
                let more = not_lost.par_chunks_mut(words).zip(losing.par_chunks_mut(words));
                let blocks = planes.zip(more).zip(waiting.par_iter_mut()).enumerate();
                let whole = blocks
                    .map(|(i, (((open, not_won), (not_lost, losing)), waiting))| {
                        let mut fresh = Fresh { open, not_won, not_lost, losing, waiting };
                        (0..words).all(|word| self.outside(part * SOME + i, turn, word, &mut fresh))
                    })
                    .reduce(|| true, |a, b| a && b);
                if !whole {
                    return Err(BuildError::TooLong(self.material));
                }
            }
        }
        self.builder.subs.fault()?;
        self.ends(sides);
        Ok(())
    }

    /// Legal positions of a word, and what their captures and promotions are worth; false if a win has more plies than a byte can hold.
    fn outside(&self, class: usize, turn: Colour, word: usize, fresh: &mut Fresh<'_>) -> bool {
        let legal = self.layout.legal(&self.builder.space, class, turn, word);
        fresh.open[word] = legal;
        fresh.not_won[word] = legal;
        let mut sorted = Sorted::default();
        for wide in squares(legal & self.may_leave(class, turn, word)) {
            let men = self.men(class, word, wide);
            let (quiet, score) = self.builder.outside(&men, turn);
            if score.too_long() {
                return false;
            }
            let wide = bit(wide);
            match (score.win, score.draw, score.loss) {
                (Some(plies), ..) => sorted.add(plies, wide),
                (None, true, _) => {}
                (None, false, Some(plies)) => {
                    fresh.losing[word] |= wide;
                    if quiet == 0 {
                        sorted.add(plies, wide);
                    }
                    continue;
                }
                (None, false, None) => continue,
            }
            fresh.not_lost[word] |= wide;
        }
        for (plies, wide) in sorted.by_plies {
            fresh.waiting.entry(plies).or_default().push(Some64 { word: word as u16, wide });
        }
        true
    }

    /// The squares of the wide man at which `turn` may have a capture or a promotion, legal or not.
    fn may_leave(&self, class: usize, turn: Colour, word: usize) -> u64 {
        let layout = &self.layout;
        let occupied = layout.occupied(self.builder.kings(class), word);
        let king = self.builder.kings(class)[turn as usize];
        let wide = self.builder.space.slots[layout.wide].man;
        let mut all = 0;
        if wide.colour == turn && wide.kind == Kind::Pawn {
            all |= seventh(turn);
        }
        if wide.colour != turn {
            all |= KING[usize::from(king)];
        }
        for place in 0..layout.count {
            let slot = &self.builder.space.slots[layout.others[place]];
            let at = layout.at[word][place];
            if slot.man.colour != turn {
                // Taken by the king, by the wide man or by another one.
                if KING[usize::from(king)] & bit(at) != 0 {
                    return !0;
                }
                all |= layout.attacking(&self.builder.space, class, word, turn, at);
                continue;
            }
            if slot.man.kind == Kind::Pawn && seventh(turn) & bit(at) != 0 {
                return !0;
            }
            if wide.colour != turn {
                // Takes the wide man.
                all |= match slot.man.kind {
                    Kind::Pawn => PAWN[turn as usize][usize::from(at)],
                    kind => reach(kind, bit(at), !occupied),
                };
            }
        }
        all
    }

    /// Mates and stalemates.
    fn ends(&self, sides: &mut [Side; 2]) {
        let words = self.layout.words;
        let [white, black] = sides;
        let found = Colour::BOTH.map(|turn| {
            let (side, other) = match turn {
                Colour::White => (&*white, &*black),
                Colour::Black => (&*black, &*white),
            };
            let classes = (0..self.classes()).into_par_iter();
            let found: Vec<List> = classes.map(|class| self.without_moves(class, turn, side, other)).collect();
            found
        });
        for ((turn, side), found) in Colour::BOTH.into_iter().zip([white, black]).zip(found) {
            let open = side.open.par_chunks_mut(words).zip(side.values.par_chunks_mut(words * 64));
            let all = open.zip(side.last.par_iter_mut()).zip(found).enumerate();
            all.for_each(|(class, (((open, values), last), found))| {
                let king = self.builder.kings(class)[turn as usize];
                for some in found {
                    let word = usize::from(some.word);
                    open[word] &= !some.wide;
                    let mate = some.wide & self.layout.attacking(&self.builder.space, class, word, turn.other(), king);
                    squares(mate).for_each(|wide| values[word * 64 + usize::from(wide)] = 0);
                    if mate != 0 {
                        last.push(Some64 { word: some.word, wide: mate });
                    }
                }
            });
        }
    }

    /// The positions of a pair of kings in which `turn` has no move at all.
    fn without_moves(&self, class: usize, turn: Colour, side: &Side, other: &Side) -> List {
        let words = self.layout.words;
        let mut list = Vec::new();
        for word in 0..words {
            let at = class * words + word;
            let leaves = side.not_lost[at] | side.losing[at];
            let wide = self.without_move_to(class, turn, word, side.open[at] & !leaves, &other.not_won);
            if wide != 0 {
                list.push(Some64 { word: word as u16, wide });
            }
        }
        list
    }
}
