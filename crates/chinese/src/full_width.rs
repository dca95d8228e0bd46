//! Minimax to a fixed depth with every legal move: what experiments at depth 3, 4 and 5 mean (S1.11).
//!
//! Nothing is left out, reduced or looked at more deeply. Alpha-beta, a transposition table and the order of moves only save work: the
//! value at the root is the one of plain minimax, and a test says so.
//!
//! - A value from the transposition table counts only if it was found with exactly the depth that is wanted.
//! - Positions that come back are nothing special inside the search. A draw by repetition would depend on the way, and then a value
//!   from the transposition table would be no value of minimax. Whoever runs a match counts repetitions there.
//! - A game that is over has its real value, a quicker win more than a slower one; at the horizon the evaluation speaks.
//!
//! A node whose moves all lead to the horizon is one list, judged many moves at a time ([`Evaluation::each`]).

use abstraction::alone::Alone;
use game::random::Rng;
use game::{Limit, Role};
use native::chinese::{Arena, ChineseCheckers, Position, State, each};
use search::{Budget, Choice, Found, Monitor, Searcher, first_moves, without_choice};
use std::cmp::Reverse;
use std::sync::Arc;

/// One move, inside the search.
const MOVE: f32 = 256.0;
/// A won game, less the plies to its end.
const WON: i32 = 1 << 24;
/// Values beyond this are won games.
const SURE: i32 = WON / 2;
/// Values below this are lost games.
const LOST: i32 = -SURE;
/// Deeper than any search.
const MOST_DEPTH: u32 = 32;
/// Moves of a list at the horizon that are judged before the others: where a good one is among them, the others need not be.
const FIRST: usize = 12;
/// The most entries of the transposition table.
const MOST_ENTRIES: usize = 1 << 21;

/// A move, and what an evaluation says of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reply {
    /// From one place to another.
    pub mv: (u8, u8),
    /// How far ahead who makes it is afterwards, in moves.
    pub lead: f32,
    order: i32,
}

impl Reply {
    /// A move that is not judged yet.
    pub fn new(mv: (u8, u8)) -> Reply {
        Reply { mv, lead: 0.0, order: 0 }
    }
}

/// Says how far ahead a player is.
pub trait Evaluation: Send + Sync {
    /// How far ahead who is on move is, in moves.
    fn lead(&self, position: &Position) -> f32;

    /// The same after each of these moves, for who makes them.
    fn each(&self, position: &Position, replies: &mut [Reply]) {
        for reply in replies {
            reply.lead = -self.lead(&position.after(reply.mv));
        }
    }
}

impl Evaluation for Alone {
    fn lead(&self, position: &Position) -> f32 {
        Alone::lead(self, position.pieces, position.turn)
    }

    fn each(&self, position: &Position, replies: &mut [Reply]) {
        let turn = position.turn;
        let others = self.value(1 - turn, position.pieces[1 - turn]);
        Alone::each(
            self,
            turn,
            position.pieces[turn],
            replies,
            |reply| reply.mv,
            |reply, own| reply.lead = others - own,
        );
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Bound {
    #[default]
    Nothing,
    Exact,
    AtLeast,
    AtMost,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    value: i32,
    mv: (u8, u8),
    depth: u8,
    bound: Bound,
}

/// What was found at the root.
#[derive(Clone, PartialEq, Debug)]
pub struct Best {
    /// The move; of equally good ones the first that was looked at.
    pub mv: (u8, u8),
    /// The lead that minimax sees, in moves; infinite where the game is decided within the depth.
    pub lead: f32,
    /// How deep that is: what was asked for, unless the search was stopped.
    pub depth: u32,
    /// Positions whose moves were listed.
    pub expansions: u64,
}

/// The search; keeps its transposition table from move to move.
pub struct FullWidth {
    arena: Arc<Arena>,
    evaluation: Arc<dyn Evaluation>,
    depth: u32,
    table: Vec<Entry>,
    keys: Box<[[u64; 128]; 2]>,
    turn_key: u64,
    history: Vec<i32>,
    killers: [[(u8, u8); 2]; MOST_DEPTH as usize + 1],
    lists: Vec<Vec<Reply>>,
    expansions: u64,
}

/// Says when to stop; hears how many positions were looked at so far.
pub type Stop<'a> = dyn Fn(u64) -> bool + 'a;

/// A value and the move that leads to it.
type Line = (i32, (u8, u8));

/// The search was told to stop.
struct Spent;

impl FullWidth {
    /// To this depth, from 1 to 32, judged by this evaluation.
    pub fn new(arena: Arc<Arena>, evaluation: Arc<dyn Evaluation>, depth: u32) -> FullWidth {
        let mut rng = Rng::new(0x5eed);
        let mut keys = Box::new([[0; 128]; 2]);
        keys.iter_mut().flatten().for_each(|key| *key = rng.bits());
        FullWidth {
            arena,
            evaluation,
            depth: depth.clamp(1, MOST_DEPTH),
            table: Vec::new(),
            keys,
            turn_key: rng.bits(),
            history: vec![0; 2 << 14],
            killers: [[(0, 0); 2]; MOST_DEPTH as usize + 1],
            lists: vec![Vec::new(); MOST_DEPTH as usize + 1],
            expansions: 0,
        }
    }

    /// Uses so many bytes for the transposition table; what is in it is forgotten if that is another size.
    pub fn remember(&mut self, bytes: usize) {
        let entries = (bytes / size_of::<Entry>()).clamp(1 << 8, MOST_ENTRIES);
        let entries = 1 << entries.ilog2();
        if self.table.len() != entries {
            self.table = vec![Entry::default(); entries];
        }
    }

    /// The best move of a position that is not over; `None` if there is no move, or `stop` said so at once. A search that is
    /// stopped later gives what the last whole depth has found.
    pub fn best(&mut self, root: &Position, stop: &Stop<'_>) -> Option<Best> {
        if self.table.is_empty() {
            self.remember(MOST_ENTRIES * size_of::<Entry>());
        }
        self.expansions = 0;
        self.history.iter_mut().for_each(|worth| *worth /= 4);
        let key = self.key(root);
        let mut found = None;
        // The shallower searches put moves in order.
        for depth in 1..=self.depth {
            match self.root(root, key, depth, stop) {
                Ok(best) => found = best.map(|(value, mv)| (mv, value, depth)),
                Err(Spent) => break,
            }
        }
        let (mv, value, depth) = found?;
        let lead = match value {
            SURE.. => f32::INFINITY,
            ..=LOST => f32::NEG_INFINITY,
            _ => value as f32 / MOVE,
        };
        Some(Best { mv, lead, depth, expansions: self.expansions })
    }

    fn key(&self, position: &Position) -> u64 {
        let sides = [0, 1]
            .map(|player| each(position.pieces[player]).fold(0, |key, at| key ^ self.keys[player][usize::from(at)]));
        sides[0] ^ sides[1] ^ if position.turn == 1 { self.turn_key } else { 0 }
    }

    fn key_after(&self, key: u64, turn: usize, (from, to): (u8, u8)) -> u64 {
        key ^ self.keys[turn][usize::from(from)] ^ self.keys[turn][usize::from(to)] ^ self.turn_key
    }

    fn root(&mut self, root: &Position, key: u64, depth: u32, stop: &Stop<'_>) -> Result<Option<Line>, Spent> {
        let mut list = self.moves(root, 0);
        let hint = self.known(key).map(|entry| entry.mv);
        self.put_in_order(root, &mut list, hint, 0);
        let searched = self.try_all(root, key, depth, (-2 * WON, 2 * WON), 0, &list, stop);
        let is_empty = list.is_empty();
        self.lists[0] = list;
        let (value, mv) = searched?;
        if is_empty {
            return Ok(None);
        }
        self.store(key, depth, value, mv, Bound::Exact, 0);
        Ok(Some((value, mv)))
    }

    /// The value of a game that is over, for who has just moved.
    #[inline]
    fn ended(&self, next: &Position, mover: usize, ply: usize) -> Option<i32> {
        if !self.arena.over(next) {
            return None;
        }
        Some(match self.arena.winner(next) {
            Some(winner) if winner == mover => WON - ply as i32 - 1,
            Some(_) => ply as i32 + 1 - WON,
            None => 0,
        })
    }

    fn moves(&mut self, position: &Position, ply: usize) -> Vec<Reply> {
        self.expansions += 1;
        let mut list = std::mem::take(&mut self.lists[ply]);
        list.clear();
        for from in each(position.pieces[position.turn]) {
            list.extend(each(self.arena.reach(position, from)).map(|to| Reply::new((from, to))));
        }
        list
    }

    fn known(&self, key: u64) -> Option<Entry> {
        let entry = self.table[key as usize & (self.table.len() - 1)];
        (entry.bound != Bound::Nothing && entry.key == key).then_some(entry)
    }

    fn store(&mut self, key: u64, depth: u32, value: i32, mv: (u8, u8), bound: Bound, ply: usize) {
        // Wins are stored by their distance from here.
        let value = match value {
            SURE.. => value + ply as i32,
            ..=LOST => value - ply as i32,
            _ => value,
        };
        let slot = key as usize & (self.table.len() - 1);
        self.table[slot] = Entry { key, value, mv, depth: depth as u8, bound };
    }

    /// The value of a position that is not over, for who is on move, as far as it lies between `alpha` and `beta`.
    fn node(
        &mut self,
        position: &Position,
        key: u64,
        depth: u32,
        (alpha, beta): (i32, i32),
        ply: usize,
        stop: &Stop<'_>,
    ) -> Result<i32, Spent> {
        if depth == 0 {
            // Only behind a player who could not move.
            return Ok(value_of(self.evaluation.lead(position)));
        }
        let known = self.known(key);
        if let Some(entry) = known.filter(|entry| u32::from(entry.depth) == depth) {
            let value = match entry.value {
                SURE.. => entry.value - ply as i32,
                ..=LOST => entry.value + ply as i32,
                value => value,
            };
            match entry.bound {
                Bound::Exact => return Ok(value),
                Bound::AtLeast if value >= beta => return Ok(value),
                Bound::AtMost if value <= alpha => return Ok(value),
                _ => {}
            }
        }
        if self.expansions.is_multiple_of(64) && stop(self.expansions) {
            return Err(Spent);
        }
        let mut list = self.moves(position, ply);
        let searched = if depth == 1 && !list.is_empty() {
            Ok(self.horizon(position, beta, ply, &mut list))
        } else {
            self.put_in_order(position, &mut list, known.map(|entry| entry.mv), ply);
            self.try_all(position, key, depth, (alpha, beta), ply, &list, stop)
        };
        self.lists[ply] = list;
        let (value, mv) = searched?;
        let bound = match (value >= beta, value <= alpha && depth > 1) {
            (true, _) => Bound::AtLeast,
            (_, true) => Bound::AtMost,
            _ => Bound::Exact,
        };
        self.store(key, depth, value, mv, bound, ply);
        Ok(value)
    }

    /// The best of moves that all lead to the horizon; at least `beta` where it is not looked for any further.
    fn horizon(&self, position: &Position, beta: i32, ply: usize, list: &mut [Reply]) -> Line {
        let turn = position.turn;
        let mut first = list.len();
        if list.len() > 2 * FIRST && beta < SURE {
            first = FIRST;
            let gain = |reply: &Reply| {
                let left = |place: u8| self.arena.rows_left(turn, place) as i32;
                Reverse(left(reply.mv.0) - left(reply.mv.1))
            };
            list.select_nth_unstable_by_key(FIRST, gain);
        }
        let mut best = (i32::MIN, list[0].mv);
        let (some, rest) = list.split_at_mut(first);
        for part in [some, rest] {
            if part.is_empty() {
                continue;
            }
            self.evaluation.each(position, part);
            for reply in part {
                let value = self.ended(&position.after(reply.mv), turn, ply).unwrap_or_else(|| value_of(reply.lead));
                if value > best.0 {
                    best = (value, reply.mv);
                }
            }
            if best.0 >= beta {
                break;
            }
        }
        best
    }

    /// What was best in a shallower search first, then what refuted other moves of the same ply, then by the evaluation.
    fn put_in_order(&mut self, position: &Position, list: &mut [Reply], hint: Option<(u8, u8)>, ply: usize) {
        self.evaluation.each(position, list);
        let history = &self.history[position.turn << 14..];
        let killers = self.killers[ply];
        for reply in list.iter_mut() {
            let often = history[usize::from(reply.mv.0) << 7 | usize::from(reply.mv.1)];
            reply.order = match reply.mv {
                mv if hint == Some(mv) => i32::MAX,
                mv if killers.contains(&mv) => value_of(reply.lead) + MOVE as i32 + often,
                _ => value_of(reply.lead) + often,
            };
        }
        list.sort_by_key(|reply| Reverse(reply.order));
    }

    #[allow(clippy::too_many_arguments)]
    fn try_all(
        &mut self,
        position: &Position,
        key: u64,
        depth: u32,
        (mut alpha, beta): (i32, i32),
        ply: usize,
        list: &[Reply],
        stop: &Stop<'_>,
    ) -> Result<Line, Spent> {
        let turn = position.turn;
        if list.is_empty() {
            let next = Position { turn: 1 - turn, ..*position };
            let value = self.node(&next, key ^ self.turn_key, depth - 1, (-beta, -alpha), ply + 1, stop)?;
            return Ok((-value, (0, 0)));
        }
        // A win at once cannot be bettered.
        for reply in list {
            if let Some(value) = self.ended(&position.after(reply.mv), turn, ply)
                && value > 0
            {
                return Ok((value, reply.mv));
            }
        }
        let mut best = (i32::MIN, list[0].mv);
        for (at, reply) in list.iter().enumerate() {
            let next = position.after(reply.mv);
            let value = match self.ended(&next, turn, ply) {
                Some(value) => value,
                None if depth == 1 => value_of(reply.lead),
                None => {
                    let next_key = self.key_after(key, turn, reply.mv);
                    let mut look =
                        |window| self.node(&next, next_key, depth - 1, window, ply + 1, stop).map(|value| -value);
                    if at == 0 {
                        look((-beta, -alpha))?
                    } else {
                        match look((-alpha - 1, -alpha))? {
                            value if value > alpha && value < beta => look((-beta, -alpha))?,
                            value => value,
                        }
                    }
                }
            };
            if value > best.0 {
                best = (value, reply.mv);
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                self.refuted(turn, reply.mv, depth, ply);
                break;
            }
        }
        Ok(best)
    }

    fn refuted(&mut self, turn: usize, mv: (u8, u8), depth: u32, ply: usize) {
        let worth = &mut self.history[turn << 14 | usize::from(mv.0) << 7 | usize::from(mv.1)];
        *worth = (*worth + (depth * depth) as i32).min(2 * MOVE as i32);
        let killers = &mut self.killers[ply];
        if killers[0] != mv {
            *killers = [mv, killers[0]];
        }
    }
}

#[inline]
fn value_of(lead: f32) -> i32 {
    (lead * MOVE).round() as i32
}

/// A lead on the scale of goals.
fn points(lead: f32) -> f32 {
    if lead == f32::INFINITY {
        100.0
    } else if lead == f32::NEG_INFINITY {
        0.0
    } else {
        1.0 + 98.0 / (1.0 + (-0.5 * lead).exp())
    }
}

impl Searcher<ChineseCheckers> for FullWidth {
    fn search(
        &mut self,
        game: &ChineseCheckers,
        state: &State,
        role: Role,
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> Result<Found, Limit> {
        let mut view = game::Game::view(game);
        let legal = first_moves(game, state, role, &mut view, monitor)?;
        if legal.len() < 2 {
            return Ok(without_choice(&legal, monitor));
        }
        self.remember(budget.memory);
        let stop = |nodes: u64| budget.nodes.is_some_and(|most| nodes >= most) || (budget.spent)() >= 1.0;
        let root = self.arena.position(state);
        let mut found = Found { mv: legal.first().copied(), value: 50.0, ..Found::default() };
        if let Some(best) = self.best(&root, &stop) {
            found.mv = Some(ChineseCheckers::move_between(self.arena.move_cells(best.mv)));
            found.value = points(best.lead);
            found.proven = best.lead.is_infinite();
            found.depth = best.depth;
        }
        found.nodes = self.expansions;
        let choice = |&mv: &game::Move| {
            let is_best = found.mv == Some(mv);
            let value = if is_best { found.value } else { 0.0 };
            let share = if is_best { 1.0 } else { 0.0 };
            Choice { mv, value, visits: 0, proven: false, share }
        };
        found.moves = legal.iter().map(choice).collect();
        monitor.finish(&found);
        Ok(found)
    }
}
