//! Retrograde analysis: from the mates and the smaller tables back through all positions of one material.
//!
//! Two bytes an entry while building: the value, and how many quiet moves are not yet known to lose. Layers of one ply are
//! worked through in order. A position lost in `n` makes every position before it won in at most `n + 1`; a position won
//! in `n` takes one move from each position before it, and whoever has none left is lost. Values that come from
//! captures and promotions are put in at the start and wait for their layer.
//!
//! Every block (one pair of kings, one side to move) is written by one thread only: it looks at the finished layer of its
//! own block for the moves of the other men, and at the blocks that a king can go to. So no locks are needed, and each move
//! is seen exactly once, also where both kings stand on the diagonal and a position has two numbers.

use super::index::Index;
use super::material::{Material, MaterialError};
use super::space::{Limits, Men, Space, block_size};
use super::sub::{Score, Subs};
use super::table::{Metric, NOTHING, Table, Tables};
use native::chess::geometry::{KING, PAWN, bit, squares};
use native::chess::{Colour, Kind};
use rayon::prelude::*;
use std::fmt;

/// What the builder is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Looking at every position once: mates, captures, promotions, number of moves.
    First,
    /// Working through the layer of this many plies.
    Layer(u8),
    /// Putting the values into the order of the index.
    Pack,
}

/// How far the builder is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// What it is doing.
    pub phase: Phase,
    /// Positions looked at in the first phase and in the last, positions decided in between.
    pub done: u64,
    /// How many there are at most.
    pub total: u64,
}

/// Why a table was not built.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BuildError {
    /// A smaller table is needed first.
    Missing(Material),
    /// A smaller table cannot be read, in the words of its error.
    File(String),
    /// There is no table for such men.
    Material(MaterialError),
    /// A value does not fit into a byte.
    TooLong(Material),
    /// The caller said stop.
    Stopped,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Missing(material) => write!(f, "the table of {material} is needed first; build it"),
            BuildError::File(error) => f.write_str(error),
            BuildError::Material(error) => error.fmt(f),
            BuildError::TooLong(material) => {
                write!(f, "{material}: a win takes more than 254 plies, which a byte cannot hold")
            }
            BuildError::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for BuildError {}

/// The bytes that building a table takes at most, without the smaller tables.
pub fn memory(material: Material) -> u64 {
    let classes = super::index::Kings::of(&material).pairs.len() as u64;
    let block = block_size(&material) as u64;
    let numbers = classes * block;
    // Values and counts of both sides; one part of a layer as a list; the finished table; the squares of each number.
    let needed = 4 * numbers + 4 * (numbers / PART + classes * 16) + 2 * Index::new(material).len() + 4 * block;
    // Double steps that wait for en passant are less than one in a hundred.
    needed + if material.passing() { numbers / 2 } else { 0 } + (2 << 20)
}

/// A layer is worked through in so many parts that a list holds at most this share of all numbers (unless a whole
/// block is larger).
const PART: u64 = 8;

/// Builds one table. The tables that [`Material::next`] names must be there, with the same metric.
pub fn build(
    material: Material,
    metric: Metric,
    tables: &Tables,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<Table, BuildError> {
    match material.men().len() {
        1 => build_sized::<1>(material, metric, tables, progress),
        2 => build_sized::<2>(material, metric, tables, progress),
        _ => build_sized::<3>(material, metric, tables, progress),
    }
}

fn build_sized<const N: usize>(
    material: Material,
    metric: Metric,
    tables: &Tables,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<Table, BuildError> {
    let space = Space::<N>::new(&material).ok_or(BuildError::Missing(material))?;
    let subs = Subs::new(&space.slots, metric, tables)?;
    let builder = Builder { space, subs, passing: material.passing() };
    let mut work = builder.first(material, progress)?;
    builder.layers(material, &mut work, progress)?;
    builder.subs.fault()?;
    let index = Index::new(material);
    if !progress(Progress { phase: Phase::Pack, done: 0, total: 2 * index.len() }) {
        return Err(BuildError::Stopped);
    }
    let data = work.map(|side| builder.pack(&index, side));
    Ok(Table::new(index, metric, data))
}

/// A double step after which a pawn can be taken en passant, to the profit of the taker.
struct Waiting {
    /// The layer in which the double step turns out to lose, if not before.
    at: u8,
    before: u32,
    after: u32,
}

/// The work on one side to move.
#[derive(Default)]
struct Side {
    values: Vec<u8>,
    /// Quiet moves not yet known to lose; [`OUTSIDE`] says that there are also losing captures or promotions.
    counts: Vec<u8>,
    /// By block.
    waiting: Vec<Vec<Waiting>>,
}

const OUTSIDE: u8 = 0x80;
const COUNT: u8 = 0x7f;
/// A count that never reaches 0: nobody has so many moves.
const ENDLESS: u8 = 0x7f;
/// Positions that cannot occur have the value 0, so that nothing ever overwrites it, and this count; mates have count 0.
const BROKEN: u8 = 0xff;

struct Builder<'a, const N: usize> {
    space: Space<N>,
    subs: Subs<'a, N>,
    passing: bool,
}

/// What is known of a position at the start.
struct Start {
    value: u8,
    count: u8,
}

impl<const N: usize> Builder<'_, N> {
    fn kings(&self, class: usize) -> [u8; 2] {
        let (white, black) = self.space.kings.pairs[class];
        [white, black]
    }

    /// Looks at every position once.
    fn first(&self, material: Material, progress: &mut dyn FnMut(Progress) -> bool) -> Result<[Side; 2], BuildError> {
        let block = self.space.block;
        let classes = self.space.kings.pairs.len();
        let total = 2 * (classes * block) as u64;
        let mut done = 0;
        let mut sides = [Side::default(), Side::default()];
        for (turn, side) in Colour::BOTH.into_iter().zip(&mut sides) {
            side.values = vec![0; classes * block];
            side.counts = vec![BROKEN; classes * block];
            const SOME: usize = 32;
            let parts = side.values.chunks_mut(block * SOME).zip(side.counts.chunks_mut(block * SOME));
            for (part, (values, counts)) in parts.enumerate() {
                if !progress(Progress { phase: Phase::First, done, total }) {
                    return Err(BuildError::Stopped);
                }
                done += values.len() as u64;
                let blocks = values.par_chunks_mut(block).zip(counts.par_chunks_mut(block)).enumerate();
                let found: Vec<_> = blocks.map(|(i, (v, c))| self.first_block(part * SOME + i, turn, v, c)).collect();
                for waiting in found {
                    side.waiting.push(waiting.ok_or(BuildError::TooLong(material))?);
                }
            }
        }
        Ok(sides)
    }

    fn first_block(&self, class: usize, turn: Colour, values: &mut [u8], counts: &mut [u8]) -> Option<Vec<Waiting>> {
        let kings = self.kings(class);
        let mut waiting = Vec::new();
        for number in 0..self.space.block {
            let Some(squares) = self.space.decode(number) else { continue };
            let men = Men::new(kings, squares);
            if men.clash() || self.space.broken(&men, turn) {
                continue;
            }
            let start = self.start(&men, turn, number, &mut waiting)?;
            values[number] = start.value;
            counts[number] = start.count;
        }
        waiting.sort_by_key(|entry| entry.at);
        Some(waiting)
    }

    /// The value as far as it follows from captures, promotions and mate, and the number of quiet moves.
    #[inline]
    fn start(&self, men: &Men<N>, turn: Colour, number: usize, waiting: &mut Vec<Waiting>) -> Option<Start> {
        let limits = self.space.limits(men, turn);
        let mut score = Score::default();
        let mut quiet = self.moves(men, turn, &limits, &mut score);
        if self.passing {
            quiet += self.double_steps(men, turn, &limits, number, &mut score, waiting);
        }
        if score.too_long() {
            return None;
        }
        Some(match (score.win, score.draw, score.loss) {
            (Some(value), ..) => Start { value, count: ENDLESS },
            (None, true, _) => Start { value: NOTHING, count: ENDLESS },
            (None, false, Some(value)) if quiet == 0 => Start { value, count: 0 },
            (None, false, Some(_)) => Start { value: NOTHING, count: quiet | OUTSIDE },
            (None, false, None) if quiet > 0 => Start { value: NOTHING, count: quiet },
            // No move at all: mate, or stalemate, which is a draw.
            _ if self.space.broken(men, turn.other()) => Start { value: 0, count: 0 },
            _ => Start { value: NOTHING, count: ENDLESS },
        })
    }

    /// Counts the quiet moves and scores the captures and promotions. With pawns on both sides double steps are left out.
    #[inline]
    fn moves(&self, men: &Men<N>, turn: Colour, limits: &Limits<N>, score: &mut Score) -> u8 {
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
            let pushes = pushes(turn, from, men.occupied, !self.passing) & may;
            for to in squares((to | pushes) & LAST_RANKS) {
                self.subs.promoted(&men.kings, &men.squares, to, slot, foe_turn, score);
            }
            quiet += (pushes & !LAST_RANKS).count_ones();
            for to in squares(to & !LAST_RANKS) {
                self.subs.taken(&men.kings, &men.squares, to, slot, foe_turn, score);
            }
        }
        quiet as u8
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
    fn passing_score(&self, men: &Men<N>, turn: Colour, slot: usize) -> Option<Score> {
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
        let quiet = self.moves(men, turn, &limits, &mut score);
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

    /// The longest of the losing captures and promotions.
    fn longest_outside(&self, men: &Men<N>, turn: Colour) -> u8 {
        let limits = self.space.limits(men, turn);
        let mut score = Score::default();
        self.moves(men, turn, &limits, &mut score);
        score.loss.unwrap_or(0)
    }

    /// Works through all layers.
    fn layers(
        &self,
        material: Material,
        sides: &mut [Side; 2],
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<(), BuildError> {
        let total = 2 * sides[0].values.len() as u64;
        let mut decided = 0;
        let mut last = highest(&sides[0]).max(highest(&sides[1]));
        let mut layer = 0;
        while layer <= last {
            if layer == NOTHING {
                return Err(BuildError::TooLong(material));
            }
            if !progress(Progress { phase: Phase::Layer(layer), done: decided, total }) {
                return Err(BuildError::Stopped);
            }
            for turn in Colour::BOTH {
                let [white, black] = &mut *sides;
                let (decided_side, target) = match turn {
                    Colour::White => (white, black),
                    Colour::Black => (black, white),
                };
                let (found, reached) = self.layer(layer, turn, decided_side, target);
                decided += found;
                last = last.max(reached);
            }
            layer += 1;
        }
        Ok(())
    }

    /// One layer of the positions with `turn` to move; tells how many there are and the highest value set.
    fn layer(&self, layer: u8, turn: Colour, from: &Side, target: &mut Side) -> (u64, u8) {
        let block = self.space.block;
        let count: usize =
            from.values.par_chunks(block).map(|values| values.iter().filter(|&&v| v == layer).count()).sum();
        let parts = (count as u64 * PART).div_ceil(from.values.len() as u64).max(1) as usize;
        let mut reached = 0;
        let mut found = 0;
        for part in 0..parts {
            let range = block * part / parts..block * (part + 1) / parts;
            let lists: Vec<Vec<u32>> = from
                .values
                .par_chunks(block)
                .zip(from.counts.par_chunks(block))
                .map(|(values, counts)| collect(values, counts, range.clone(), layer))
                .collect();
            found += lists.iter().map(|list| list.len() as u64).sum::<u64>();
            let waiting: &[Vec<Waiting>] = if part == 0 { &target.waiting } else { &[] };
            let blocks = target.values.par_chunks_mut(block).zip(target.counts.par_chunks_mut(block)).enumerate();
            let highest = blocks.map(|(class, (values, counts))| {
                let mut update = Update { builder: self, class, layer, turn: turn.other(), values, counts, highest: 0 };
                update.men(&lists[class]);
                update.king(&lists);
                if let Some(waiting) = waiting.get(class) {
                    update.waiting(waiting, &from.values[class * block..(class + 1) * block]);
                }
                update.highest
            });
            reached = reached.max(highest.max().unwrap_or(0));
        }
        (found, reached)
    }

    /// The values in the order of the index.
    fn pack(&self, index: &Index, side: Side) -> Vec<u8> {
        let mut packed = vec![NOTHING; index.len() as usize];
        let mut parts = Vec::new();
        let mut rest = &mut packed[..];
        for pair in index.bases().windows(2) {
            let (part, more) = rest.split_at_mut((pair[1] - pair[0]) as usize);
            parts.push(part);
            rest = more;
        }
        let block = self.space.block;
        parts.into_par_iter().enumerate().for_each(|(class, part)| {
            let values = &side.values[class * block..(class + 1) * block];
            let counts = &side.counts[class * block..(class + 1) * block];
            for (number, entry) in part.iter_mut().enumerate() {
                let placement = index.unrank_in(class, number as u64);
                let at = self.space.encode(&std::array::from_fn(|slot| placement.men[slot]));
                if values[at] != 0 || counts[at] & COUNT == 0 {
                    *entry = values[at];
                }
            }
        });
        packed
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

fn highest(side: &Side) -> u8 {
    let values = side.values.par_iter().map(|&value| if value == NOTHING { 0 } else { value }).max().unwrap_or(0);
    let waiting = side.waiting.iter().flatten().map(|entry| entry.at).max().unwrap_or(0);
    values.max(waiting)
}

/// The numbers of a part of a block that have the value of the layer.
fn collect(values: &[u8], counts: &[u8], range: std::ops::Range<usize>, layer: u8) -> Vec<u32> {
    let mut list = Vec::new();
    const CHUNK: usize = 64;
    let mut at = range.start;
    while at < range.end {
        let end = (at + CHUNK).min(range.end);
        if values[at..end].iter().fold(false, |any, &value| any | (value == layer)) {
            for number in at..end {
                // Positions that cannot occur look like mates, except for their count.
                if values[number] == layer && (layer > 0 || counts[number] & COUNT == 0) {
                    list.push(number as u32);
                }
            }
        }
        at = end;
    }
    list
}

/// What one layer does to one block.
struct Update<'a, 'b, const N: usize> {
    builder: &'a Builder<'b, N>,
    class: usize,
    layer: u8,
    /// Who is to move in this block.
    turn: Colour,
    values: &'a mut [u8],
    counts: &'a mut [u8],
    highest: u8,
}

impl<const N: usize> Update<'_, '_, N> {
    /// The position before was reached from one of the layer by one quiet move.
    #[inline]
    fn reach(&mut self, number: usize) {
        if self.layer & 1 == 0 {
            self.win(number, self.layer + 1);
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
        let mut value = self.layer + 1;
        if count & OUTSIDE != 0
            && let Some(squares) = self.builder.space.decode(number)
        {
            let men = Men::new(self.builder.kings(self.class), squares);
            value = value.max(self.builder.longest_outside(&men, self.turn));
        }
        self.values[number] = value;
        self.highest = self.highest.max(value);
    }

    /// Moves of men other than the king.
    fn men(&mut self, list: &[u32]) {
        let space = &self.builder.space;
        let kings = self.builder.kings(self.class);
        for &number in list {
            let Some(squares_now) = space.decode(number as usize) else { continue };
            let men = Men::new(kings, squares_now);
            for slot in 0..N {
                if space.slots[slot].man.colour != self.turn {
                    continue;
                }
                let at = squares_now[slot];
                let mut from = space.unmoves(slot, &men);
                let row = space.row(slot, &squares_now);
                let rest = number - row[usize::from(at)];
                if self.builder.passing && space.slots[slot].man.kind == Kind::Pawn {
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
        let Some(answer) = self.builder.passing_score(men, self.turn.other(), slot) else {
            return self.reach(before);
        };
        if self.layer & 1 == 1 {
            // Won without en passant; if taking wins faster, it has been counted already.
            if answer.win.is_none_or(|at| at >= self.layer) {
                self.fewer(before);
            }
        } else if let (None, false, Some(loss)) = (answer.win, answer.draw, answer.loss) {
            self.win(before, self.layer.max(loss) + 1);
        }
    }

    /// Double steps that lose now because of en passant.
    fn waiting(&mut self, waiting: &[Waiting], after: &[u8]) {
        let layer = self.layer;
        let begin = waiting.partition_point(|entry| entry.at < layer);
        for entry in waiting[begin..].iter().take_while(|entry| entry.at == layer) {
            let value = after[entry.after as usize];
            let won_before = value & 1 == 1 && value <= self.layer;
            if !won_before {
                self.fewer(entry.before as usize);
            }
        }
    }

    /// Moves of the king, which come from other blocks.
    fn king(&mut self, lists: &[Vec<u32>]) {
        let space = &self.builder.space;
        let kings = self.builder.kings(self.class);
        let here = kings[self.turn as usize];
        let other = kings[self.turn.other() as usize];
        for to in squares(KING[usize::from(here)] & !bit(other)) {
            let mut after = kings;
            after[self.turn as usize] = to;
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

/// Builds a table and everything it needs that is not there yet, in order.
pub fn build_all(
    material: Material,
    metric: Metric,
    tables: &mut Tables,
    progress: &mut dyn FnMut(Material, Progress) -> bool,
) -> Result<(), BuildError> {
    let mut list = material.needs();
    list.push(material);
    for material in list {
        if tables.get(material, metric).is_none() {
            let table = build(material, metric, tables, &mut |step| progress(material, step))?;
            tables.add(table);
        }
    }
    Ok(())
}
