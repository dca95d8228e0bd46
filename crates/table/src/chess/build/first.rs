//! The first look at every position: mates, captures, promotions, the number of quiet moves, and what en passant is worth.

use super::super::material::Material;
use super::super::space::{Limits, Men};
use super::super::sub::Score;
use super::super::table::{NOTHING, Outcome};
use super::passes::Pass;
use super::{BuildError, Builder, ENDLESS, OUTSIDE, Phase, Progress, Side, Waiting};
use native::chess::geometry::{PAWN, bit, squares};
use native::chess::{Colour, Kind};
use rayon::prelude::*;

/// What is known of a position at the start.
struct Start {
    value: u8,
    count: u8,
}

/// What is known of a block with the other side to move.
struct Known<'a> {
    values: &'a [u8],
    counts: &'a [u8],
}

/// A block that is looked at.
struct Block<'a> {
    class: usize,
    turn: Colour,
    pass: &'a Pass<'a>,
    known: Known<'a>,
}

impl<const N: usize> Builder<'_, N> {
    /// Looks at every position of a pass once.
    pub(super) fn first(
        &self,
        material: Material,
        pass: &Pass<'_>,
        sides: &mut [Side; 2],
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<(), BuildError> {
        let block = self.space.block;
        let total = 2 * sides[0].values.len() as u64;
        let mut done = 0;
        for turn in Colour::BOTH {
            let [white, black] = &mut *sides;
            let (side, other) = match turn {
                Colour::White => (white, black),
                Colour::Black => (black, white),
            };
            side.waiting.clear();
            const SOME: usize = 32;
            let parts = side.values.chunks_mut(block * SOME).zip(side.counts.chunks_mut(block * SOME));
            for (part, (values, counts)) in parts.enumerate() {
                if !progress(Progress { pass: pass.place(), phase: Phase::First, done, total }) {
                    return Err(BuildError::Stopped);
                }
                done += values.len() as u64;
                let blocks = values.par_chunks_mut(block).zip(counts.par_chunks_mut(block)).enumerate();
                let found: Vec<_> = blocks
                    .map(|(i, (values, counts))| {
                        let class = part * SOME + i;
                        let here = class * block..(class + 1) * block;
                        let known = Known { values: &other.values[here.clone()], counts: &other.counts[here] };
                        self.first_block(Block { class, turn, pass, known }, values, counts)
                    })
                    .collect();
                for waiting in found {
                    side.waiting.push(waiting.ok_or(BuildError::TooLong(material))?);
                }
            }
        }
        Ok(())
    }

    fn first_block(&self, block: Block<'_>, values: &mut [u8], counts: &mut [u8]) -> Option<Vec<Waiting>> {
        let kings = self.kings(block.class);
        let mut waiting = Vec::new();
        for number in (0..self.space.block).filter(|&number| block.pass.has(number)) {
            let Some(squares) = self.space.decode(number) else { continue };
            let men = Men::new(kings, squares);
            if men.clash() || self.space.broken(&men, block.turn) {
                continue;
            }
            let start = self.start(&men, &block, number, &mut waiting)?;
            values[number] = start.value;
            counts[number] = start.count;
        }
        waiting.sort_by_key(|entry| entry.at);
        Some(waiting)
    }

    /// The value as far as it follows from captures, promotions and mate, and the number of quiet moves.
    #[inline]
    fn start(&self, men: &Men<N>, block: &Block<'_>, number: usize, waiting: &mut Vec<Waiting>) -> Option<Start> {
        let turn = block.turn;
        let limits = self.space.limits(men, turn);
        let mut score = Score::default();
        let known = self.zeroing().then_some((&block.known, number));
        let mut quiet = self.moves(men, turn, &limits, known, &mut score);
        if self.passing && !self.zeroing() {
            quiet += self.double_steps(men, turn, &limits, number, &mut score, waiting);
        }
        if score.too_long() {
            return None;
        }
        Some(match (score.win, score.draw, score.loss) {
            (Some(value), ..) => Start { value, count: ENDLESS },
            (None, true, _) => Start { value: NOTHING, count: ENDLESS },
            (None, false, Some(value)) if quiet == 0 => Start { value, count: 0 },
            // Quiet moves take longer than a capture at once, but not than one into a loss that the fifty-move rule saves.
            (None, false, Some(1)) if self.zeroing() => Start { value: NOTHING, count: quiet },
            (None, false, Some(_)) => Start { value: NOTHING, count: quiet | OUTSIDE },
            (None, false, None) if quiet > 0 => Start { value: NOTHING, count: quiet },
            // No move at all: mate, or stalemate, which is a draw.
            _ if self.space.broken(men, turn.other()) => Start { value: 0, count: 0 },
            _ => Start { value: NOTHING, count: ENDLESS },
        })
    }

    /// Counts the quiet moves and scores the captures and promotions, and with what is known behind them all moves of pawns.
    /// Where pawn moves are counted and there are pawns on both sides, double steps are left out.
    #[inline]
    fn moves(
        &self,
        men: &Men<N>,
        turn: Colour,
        limits: &Limits<N>,
        known: Option<(&Known<'_>, usize)>,
        score: &mut Score,
    ) -> u8 {
        let foe_turn = turn.other();
        let mut quiet = (limits.king_to & !men.occupied).count_ones();
        for to in squares(limits.king_to & limits.foe) {
            let mut kings = men.kings;
            kings[turn as usize] = to;
            self.subs.taken(&kings, &men.squares, to, N, foe_turn, score);
        }
        if limits.allowed == 0 {
            return quiet as u8;
        }
        for slot in (0..N).filter(|&slot| self.space.slots[slot].man.colour == turn) {
            let from = men.squares[slot];
            let may = limits.allowed & limits.pins[slot];
            let mut to = self.space.attacks(slot, from, men) & may;
            if self.space.slots[slot].man.kind != Kind::Pawn {
                quiet += (to & !men.occupied).count_ones();
                for to in squares(to & limits.foe) {
                    self.subs.taken(&men.kings, &men.squares, to, slot, foe_turn, score);
                }
                continue;
            }
            to &= limits.foe;
            let pushes = pushes(turn, from, men.occupied, !self.passing || known.is_some()) & may;
            for to in squares((to | pushes) & LAST_RANKS) {
                self.subs.promoted(&men.kings, &men.squares, to, slot, foe_turn, score);
            }
            match known {
                None => quiet += (pushes & !LAST_RANKS).count_ones(),
                Some((known, number)) => {
                    for to in squares(pushes & !LAST_RANKS) {
                        score.add(self.pushed(men, turn, slot, to, known, number), self.metric);
                    }
                }
            }
            for to in squares(to & !LAST_RANKS) {
                self.subs.taken(&men.kings, &men.squares, to, slot, foe_turn, score);
            }
        }
        quiet as u8
    }

    /// What the position is worth to the opponent after the pawn in `slot` has gone to `to` without taking.
    fn pushed(&self, men: &Men<N>, turn: Colour, slot: usize, to: u8, known: &Known<'_>, number: usize) -> Outcome {
        let from = men.squares[slot];
        let row = self.space.row(slot, &men.squares);
        let reached = number - row[usize::from(from)] as usize + row[usize::from(to)] as usize;
        let outcome = Side::outcome(known.values, known.counts, reached);
        if !self.passing || from.abs_diff(to) != 16 {
            return outcome;
        }
        let mut after = men.squares;
        after[slot] = to;
        let next = Men::new(men.kings, after);
        match self.passing_score(&next, turn.other(), slot).and_then(|score| score.best()) {
            None => outcome,
            Some(taking) if taking.order() > outcome.order() || self.only_passing(&next, turn.other()) => taking,
            Some(_) => outcome,
        }
    }

    /// Counts the double steps, which may be answered en passant.
    fn double_steps(
        &self,
        men: &Men<N>,
        turn: Colour,
        limits: &Limits<N>,
        number: usize,
        score: &mut Score,
        waiting: &mut Vec<Waiting>,
    ) -> u8 {
        let mut quiet = 0;
        for slot in 0..N {
            let from = men.squares[slot];
            let man = self.space.slots[slot].man;
            if man.colour != turn || man.kind != Kind::Pawn {
                continue;
            }
            let single = pushes(turn, from, men.occupied, false);
            let double = (pushes(turn, from, men.occupied, true) & !single) & limits.allowed & limits.pins[slot];
            for to in squares(double) {
                quiet += 1;
                let mut after = men.squares;
                after[slot] = to;
                let next = Men::new(men.kings, after);
                let Some(answer) = self.passing_score(&next, turn.other(), slot) else { continue };
                let row = self.space.row(slot, &men.squares);
                let reached = number as u32 - row[usize::from(from)] + row[usize::from(to)];
                if let Some(at) = answer.win {
                    waiting.push(Waiting { at, before: number as u32, after: reached });
                } else if let (false, Some(loss)) = (answer.draw, answer.loss)
                    && self.only_passing(&next, turn.other())
                {
                    // Taking en passant is the only move and loses; the board alone would say stalemate or mate.
                    score.add_win(loss.saturating_add(1));
                }
            }
        }
        quiet
    }

    /// What the side to move gets by taking en passant the pawn in `slot`, which has just made a double step; `None` if that
    /// is not legal.
    pub(super) fn passing_score(&self, men: &Men<N>, turn: Colour, slot: usize) -> Option<Score> {
        let at = men.squares[slot];
        let passed = match turn {
            Colour::White => at + 8,
            Colour::Black => at - 8,
        };
        let from = PAWN[turn.other() as usize][usize::from(passed)];
        let mut score = Score::default();
        let mut legal = false;
        for taker in 0..N {
            let man = self.space.slots[taker].man;
            if man.colour != turn || man.kind != Kind::Pawn || from & bit(men.squares[taker]) == 0 {
                continue;
            }
            let mut after = men.squares;
            after[taker] = passed;
            if self.exposed(men, &after, turn, slot) {
                continue;
            }
            legal = true;
            self.subs.without(&men.kings, &after, slot, turn.other(), &mut score);
        }
        legal.then_some(score)
    }

    /// Whether the king of `turn` is attacked when the man in `gone` is off the board.
    fn exposed(&self, men: &Men<N>, after: &[u8; N], turn: Colour, gone: usize) -> bool {
        let king = men.kings[turn as usize];
        let mut squares = *after;
        // A man hides nothing from the square it shares with the king that is looked at.
        squares[gone] = king;
        let next = Men::new(men.kings, squares);
        (0..N)
            .filter(|&slot| slot != gone && self.space.slots[slot].man.colour != turn)
            .any(|slot| self.space.attacks(slot, squares[slot], &next) & bit(king) != 0)
    }

    /// Whether the side to move has no move other than en passant.
    fn only_passing(&self, men: &Men<N>, turn: Colour) -> bool {
        let limits = self.space.limits(men, turn);
        let mut score = Score::default();
        let quiet = self.moves(men, turn, &limits, None, &mut score);
        let doubles = self.double_steps_possible(men, turn, &limits);
        quiet == 0 && !doubles && score.is_empty()
    }

    fn double_steps_possible(&self, men: &Men<N>, turn: Colour, limits: &Limits<N>) -> bool {
        (0..N).any(|slot| {
            let man = self.space.slots[slot].man;
            let to = pushes(turn, men.squares[slot], men.occupied, true) & limits.allowed & limits.pins[slot];
            man.colour == turn && man.kind == Kind::Pawn && to != 0
        })
    }

    /// The number of quiet moves, and what captures and promotions are worth, where pawn moves are counted.
    #[inline]
    pub(super) fn outside(&self, men: &Men<N>, turn: Colour) -> (u8, Score) {
        let limits = self.space.limits(men, turn);
        let mut score = Score::default();
        let quiet = self.moves(men, turn, &limits, None, &mut score);
        (quiet, score)
    }

    /// The longest of the losing captures and promotions.
    pub(super) fn longest_outside(&self, men: &Men<N>, turn: Colour) -> u8 {
        self.outside(men, turn).1.loss.unwrap_or(0)
    }
}

const LAST_RANKS: u64 = 0xff00_0000_0000_00ff;

/// Where a pawn can go without taking, with or without double steps.
#[inline]
fn pushes(colour: Colour, from: u8, occupied: u64, double: bool) -> u64 {
    let free = !occupied;
    let (one, two) = match colour {
        Colour::White => {
            let one = (bit(from) << 8) & free;
            (one, (one & 0xff_0000) << 8)
        }
        Colour::Black => {
            let one = (bit(from) >> 8) & free;
            (one, (one & 0xff00_0000_0000) >> 8)
        }
    };
    if double { one | two & free } else { one }
}
