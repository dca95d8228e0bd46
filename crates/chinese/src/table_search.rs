//! Alpha-beta made for this family of games: a race in which the distance table says nearly everything.
//!
//! The value of a position is the difference of the two distances home, each as if alone on the board. Alone, a move shortens the way
//! by one at most, so the interesting moves are few: those that keep the pace, and those that win more than one move because a piece
//! of the opponent's serves as a step. Whether the opponent can prevent them is what the search finds out.
//!
//! One expansion works out all moves of a position with their distances at once (the ways to memory overlap), and a node at the horizon is
//! nothing but such a list: no position is ever looked up twice on the way down. Moves that lose pace are looked at last and less
//! deeply. Once the players have passed each other the outcome is known, if the distances are exact.

use abstraction::alone::Alone;
use game::random::Rng;
use game::{Limit, Role};
use native::chinese::{Arena, ChineseCheckers, Position, State, each};
use search::{Budget, Choice, Found, Monitor, Searcher, first_moves};
use std::sync::Arc;

/// One move of distance, inside the search.
const PACE: i32 = 100;
/// A won game, less the plies to its end.
const WON: i32 = 1_000_000;
/// A race that is won: the players have passed each other.
const RACE: i32 = 100_000;
/// Deeper than any search.
const MOST_DEPTH: i32 = 64;

/// What can be set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TableSearchSettings {
    /// The deepest horizon.
    pub depth: Option<u32>,
    /// What it is worth to be on move, in hundredths of a move.
    pub tempo: i32,
    /// How many moves less than the best a move may gain and still be looked at. (default: 1)
    pub margin: i32,
}

impl Default for TableSearchSettings {
    fn default() -> TableSearchSettings {
        TableSearchSettings { depth: None, tempo: 50, margin: 1 }
    }
}

/// A move with what it leads to.
#[derive(Clone, Copy)]
struct Child {
    mv: (u8, u8),
    /// The distance of who moved, afterwards.
    distance: i32,
    order: i32,
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
    depth: i8,
    bound: Bound,
}

/// A searcher for the native game; keeps its transposition table from move to move.
pub struct TableSearch {
    settings: TableSearchSettings,
    arena: Arc<Arena>,
    home: Arc<Alone>,
    table: Vec<Entry>,
    keys: [[u64; 128]; 2],
    turn_key: u64,
    history: Vec<i32>,
    /// Positions of this match in which we were on move.
    seen: Vec<u64>,
}

impl TableSearch {
    /// With these settings.
    pub fn new(settings: TableSearchSettings, arena: Arc<Arena>, home: Arc<Alone>) -> TableSearch {
        let mut rng = Rng::new(0x5eed);
        let mut keys = [[0; 128]; 2];
        keys.iter_mut().flatten().for_each(|key| *key = rng.bits());
        let turn_key = rng.bits();
        let history = vec![0; 2 * 128 * 128];
        TableSearch { settings, arena, home, table: Vec::new(), keys, turn_key, history, seen: Vec::new() }
    }

    fn key(&self, position: &Position) -> u64 {
        let pieces = [0, 1]
            .map(|player| each(position.pieces[player]).fold(0, |key, at| key ^ self.keys[player][usize::from(at)]));
        pieces[0] ^ pieces[1] ^ if position.turn == 1 { self.turn_key } else { 0 }
    }
}

/// Why a search was left.
struct Spent;

struct Search<'a> {
    own: &'a mut TableSearch,
    arena: &'a Arena,
    home: &'a Alone,
    /// Whether distances are exact, once the players have passed each other.
    is_exact: bool,
    budget: &'a Budget<'a>,
    monitor: &'a Monitor,
    expansions: u64,
    lists: Vec<Vec<Child>>,
    path: Vec<u64>,
    best: Option<(u8, u8)>,
    root_values: Vec<((u8, u8), i32, u64)>,
}

impl Search<'_> {
    /// The moves of a position with the distances behind them.
    fn expand(&mut self, position: &Position, ply: usize) -> Vec<Child> {
        self.expansions += 1;
        let mut list = std::mem::take(&mut self.lists[ply]);
        list.clear();
        let (arena, turn) = (self.arena, position.turn);
        let own = position.pieces[turn];
        for from in each(own) {
            let reach = arena.reach(position, from);
            list.extend(each(reach).map(|to| Child { mv: (from, to), distance: 0, order: 0 }));
        }
        let home = self.home;
        home.each(
            turn,
            own,
            &mut list,
            |child| child.mv,
            |child, moves| {
                child.distance = (moves * PACE as f32) as i32;
            },
        );
        list
    }

    fn is_spent(&self) -> bool {
        self.budget.nodes.is_some_and(|most| self.expansions >= most)
            || self.expansions.is_multiple_of(128) && (self.budget.spent)() >= 1.0
    }

    /// The value of a race, for whoever is on move, if the players have passed each other. Only exact distances decide one: a sum
    /// of lookups says no more than before.
    #[inline]
    fn race(&self, position: &Position, distance: [i32; 2]) -> Option<i32> {
        if !self.is_exact || !self.arena.passed(position) {
            return None;
        }
        let lead = distance[1 - position.turn] - distance[position.turn];
        Some(if lead >= 0 { RACE + lead } else { -RACE + lead })
    }

    fn node(
        &mut self,
        position: &Position,
        key: u64,
        distance: [i32; 2],
        depth: i32,
        (mut alpha, beta): (i32, i32),
        ply: usize,
    ) -> Result<i32, Spent> {
        let turn = position.turn;
        if ply > 0 && (self.path.contains(&key) || self.own.seen.contains(&key)) {
            return Ok(0);
        }
        if let Some(value) = self.race(position, distance)
            && ply > 0
        {
            return Ok(value);
        }
        if depth <= 0 || ply + 1 >= self.lists.len() {
            return Ok(distance[1 - turn] - distance[turn] + self.own.settings.tempo);
        }
        let slot = (key as usize) & (self.own.table.len() - 1);
        let known = self.own.table[slot];
        let known = (known.bound != Bound::Nothing && known.key == key).then_some(known);
        if let Some(known) = known
            && i32::from(known.depth) >= depth
            && ply > 0
        {
            match known.bound {
                Bound::Exact => return Ok(known.value),
                Bound::AtLeast if known.value >= beta => return Ok(known.value),
                Bound::AtMost if known.value <= alpha => return Ok(known.value),
                _ => {}
            }
        }
        if self.is_spent() {
            return Err(Spent);
        }
        let mut list = self.expand(position, ply);
        let found = self.each(position, key, distance, depth, (&mut alpha, beta), ply, &mut list, known);
        self.lists[ply] = list;
        found
    }

    #[allow(clippy::too_many_arguments)]
    fn each(
        &mut self,
        position: &Position,
        key: u64,
        distance: [i32; 2],
        depth: i32,
        (alpha, beta): (&mut i32, i32),
        ply: usize,
        list: &mut Vec<Child>,
        known: Option<Entry>,
    ) -> Result<i32, Spent> {
        let turn = position.turn;
        if list.is_empty() {
            return Ok(0);
        }
        let (before, others) = (distance[turn], distance[1 - turn]);
        // A win at once is the end of it.
        for child in list.iter() {
            let next = position.after(child.mv);
            if self.arena.over(&next) {
                let value = if self.arena.won(&next, turn) { WON - ply as i32 - 1 } else { -WON + ply as i32 + 1 };
                if value > 0 {
                    if ply == 0 {
                        self.best = Some(child.mv);
                    }
                    return Ok(value);
                }
            }
        }
        let tempo = self.own.settings.tempo;
        if depth == 1 && ply > 0 {
            // The horizon: the list says it all.
            let mut best = i32::MIN;
            for child in list.iter() {
                let next = position.after(child.mv);
                let mut after = distance;
                after[turn] = child.distance;
                let value = match self.race(&next, after) {
                    Some(value) => -value,
                    None => others - child.distance - tempo,
                };
                best = best.max(value);
            }
            return Ok(best);
        }
        let history = &self.own.history[turn << 14..];
        let least = list.iter().map(|child| child.distance).min().unwrap_or(0);
        if ply > 0 {
            let margin = self.own.settings.margin * PACE;
            list.retain(|child| child.distance <= least + margin || known.is_some_and(|known| known.mv == child.mv));
        }
        for child in list.iter_mut() {
            let gain = before - child.distance;
            child.order = gain * 100 + history[usize::from(child.mv.0) << 7 | usize::from(child.mv.1)].min(9_999);
            if known.is_some_and(|known| known.mv == child.mv) {
                child.order = i32::MAX;
            }
        }
        list.sort_by_key(|child| std::cmp::Reverse(child.order));
        let first_alpha = *alpha;
        let mut best = (i32::MIN, list[0].mv);
        self.path.push(key);
        for (at, &child) in list.iter().enumerate() {
            let next = position.after(child.mv);
            let keys = &self.own.keys[turn];
            let next_key = key ^ keys[usize::from(child.mv.0)] ^ keys[usize::from(child.mv.1)] ^ self.own.turn_key;
            let mut after = distance;
            after[turn] = child.distance;
            // Moves behind the pace are looked at less deeply.
            let behind = (child.distance - least) / PACE;
            let reduction = if depth < 3 || at == 0 { 0 } else { behind.clamp(0, 2) + i32::from(at > 8) };
            let started = self.expansions;
            let mut value = i32::MIN;
            let full = (-beta, -*alpha);
            let narrow = (-*alpha - 1, -*alpha);
            let look = |search: &mut Self, depth, window| {
                search.node(&next, next_key, after, depth, window, ply + 1).map(|value| -value)
            };
            let result = (|| -> Result<i32, Spent> {
                if at == 0 {
                    return look(self, depth - 1, full);
                }
                let mut value = look(self, depth - 1 - reduction, narrow)?;
                if value > *alpha && reduction > 0 {
                    value = look(self, depth - 1, narrow)?;
                }
                if value > *alpha && value < beta {
                    value = look(self, depth - 1, full)?;
                }
                Ok(value)
            })();
            match result {
                Ok(found) => value = value.max(found),
                Err(spent) => {
                    self.path.pop();
                    return Err(spent);
                }
            }
            if ply == 0 {
                self.note(child.mv, value, self.expansions - started, value > best.0 && (at == 0 || value > *alpha));
            }
            if value > best.0 {
                best = (value, child.mv);
            }
            *alpha = (*alpha).max(value);
            if *alpha >= beta {
                let worth = &mut self.own.history[turn << 14 | usize::from(child.mv.0) << 7 | usize::from(child.mv.1)];
                *worth = (*worth + depth * depth).min(9_999);
                break;
            }
        }
        self.path.pop();
        let bound = match (best.0 <= first_alpha, best.0 >= beta) {
            (true, _) => Bound::AtMost,
            (_, true) => Bound::AtLeast,
            _ => Bound::Exact,
        };
        let slot = (key as usize) & (self.own.table.len() - 1);
        self.own.table[slot] = Entry { key, value: best.0, mv: best.1, depth: depth.min(127) as i8, bound };
        Ok(best.0)
    }

    fn note(&mut self, mv: (u8, u8), value: i32, expansions: u64, is_best: bool) {
        if let Some(row) = self.root_values.iter_mut().find(|row| row.0 == mv) {
            row.1 = value;
            row.2 += expansions;
        } else {
            self.root_values.push((mv, value, expansions));
        }
        if is_best {
            self.best = Some(mv);
            self.monitor.set_best(ChineseCheckers::move_between(self.arena.move_cells(mv)), points(value));
        }
    }
}

/// A value on the scale of goals.
fn points(value: i32) -> f32 {
    if value >= WON / 2 {
        100.0
    } else if value <= -WON / 2 {
        0.0
    } else if value.abs() >= RACE / 2 {
        if value > 0 { 99.0 } else { 1.0 }
    } else {
        2.0 + 96.0 / (1.0 + (-value as f32 / PACE as f32 * 0.6).exp())
    }
}

impl Searcher<ChineseCheckers> for TableSearch {
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
            let found = Found { mv: legal.first().copied(), value: 50.0, ..Found::default() };
            monitor.finish(&found);
            return Ok(found);
        }
        let entries = (budget.memory.min(64 << 20) / size_of::<Entry>()).max(1 << 10);
        let entries = 1 << entries.ilog2();
        if self.table.len() != entries {
            self.table = vec![Entry::default(); entries];
        }
        self.history.iter_mut().for_each(|worth| *worth /= 4);
        let (arena, home) = (Arc::clone(&self.arena), Arc::clone(&self.home));
        let root = arena.position(state);
        let key = self.key(&root);
        if !self.seen.contains(&key) {
            self.seen.push(key);
        }
        let distance = [0, 1].map(|player| (home.value(player, root.pieces[player]) * PACE as f32) as i32);
        let deepest = self.settings.depth.map_or(MOST_DEPTH, |depth| (depth as i32).clamp(1, MOST_DEPTH));
        let mut search = Search {
            own: self,
            arena: &arena,
            home: &home,
            is_exact: home.is_exact(),
            budget,
            monitor,
            expansions: 0,
            lists: vec![Vec::new(); MOST_DEPTH as usize + 2],
            path: Vec::new(),
            best: None,
            root_values: Vec::new(),
        };
        let (mut depth, mut value) = (0, 0);
        while depth < deepest {
            match search.node(&root, key, distance, depth + 1, (-2 * WON, 2 * WON), 0) {
                Ok(found) => value = found,
                Err(Spent) => break,
            }
            depth += 1;
            if value.abs() > WON / 2 || search.is_spent() {
                break;
            }
            // A race that is decided needs no looking ahead: the table knows the way.
            if value.abs() > RACE / 2 && arena.passed(&root) && depth >= 2 {
                break;
            }
        }
        let number = |mv: (u8, u8)| ChineseCheckers::move_between(arena.move_cells(mv));
        let mv = search.best.map(number).or(legal.first().copied());
        let moves = legal.iter().map(|&legal| {
            let known = search.root_values.iter().find(|row| number(row.0) == legal);
            Choice {
                mv: legal,
                value: known.map_or(0.0, |row| points(row.1)),
                visits: known.map_or(0, |row| row.2),
                proven: false,
                share: if mv == Some(legal) { 1.0 } else { 0.0 },
            }
        });
        let found = Found {
            mv,
            value: points(value),
            proven: value.abs() > WON / 2,
            depth: depth as u32,
            nodes: search.expansions,
            playouts: 0,
            moves: moves.collect(),
            line: Vec::new(),
        };
        monitor.finish(&found);
        Ok(found)
    }
}
