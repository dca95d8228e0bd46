//! The UCT players of Roschke and Sturtevant (S3): playouts of forward moves, some of them random and the others the
//! farthest there is, to the end of the game, until the players are apart, or for a fixed number of moves.
//!
//! What the paper leaves open is read so, and can be set where it matters:
//! - An *expansion* is a position whose moves are worked out: every move of a playout, and every node that is added to the tree.
//! - `random` is the part of the playout's moves that are random. (Its other reading is one minus that.)
//! - C is not in the paper, which tuned it for each player. Ours come from trials: 0.7 for base and end, 0.25 for heur, whose rewards differ
//!   less from one another.
//! - Rewards lie between 0 and 1. The length of a playout moves a reward by at most `length`; a lead of one move is worth
//!   `weight` on the scale of a logistic function.
//! - Where there is no forward move, sideways moves are looked at, and then all.
//! - The move with the most visits is made.

use abstraction::alone::Alone;
use game::random::Rng;
use game::{Limit, Move, Role};
use native::chinese::{Allowed, Arena, Cells, ChineseCheckers, Position, State, each};
use search::{Budget, Choice, Found, Monitor, Searcher, first_moves, without_choice};
use std::sync::Arc;

/// When a playout ends, and what it is worth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Evaluation {
    /// At the end of the game.
    Outcome,
    /// When the players are apart: who is nearer home wins.
    Endgame {
        /// Whether the moves that are left by the table count for the length of the playout, as if they had been made.
        rest: bool,
    },
    /// After so many moves: the lead counts.
    Depth {
        /// Moves of a playout.
        depth: u32,
        /// What a lead of one move is worth.
        weight: f32,
    },
}

/// What can be set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct UctSettings {
    /// Which moves are in the tree.
    pub moves: Allowed,
    /// A node gets children when it has been visited so often.
    pub threshold: u32,
    /// The part of the playout's moves that are random, from 0 to 1; the others are the farthest.
    pub random: f32,
    /// How much the length of a playout counts, beside the outcome.
    pub length: f32,
    /// The weight of exploration.
    pub c: f32,
    /// What the table says of a move counts like so many visits, from the beginning; 0: unvisited moves come first, as in the paper.
    /// Playouts that end by something else than the table have no such word.
    pub prior: f32,
    /// Whether what was found out about the position that comes next is kept for it.
    pub keep: bool,
    /// When a playout ends.
    pub evaluation: Evaluation,
}

/// A playout that has not ended after so many moves is a draw.
const LONGEST: u32 = 400;
/// The length of a playout that counts as long.
const LONG: f32 = 100.0;
/// Playouts between two looks at the clock.
const AT_A_TIME: u64 = 16;

impl UctSettings {
    /// The paper's base player that is best with these moves (S3.11).
    pub fn base(moves: Allowed) -> UctSettings {
        let (random, threshold) = match moves {
            Allowed::Forward => (0.17, 18),
            Allowed::NonBackward => (0.14, 18),
            Allowed::All => (0.22, 20),
        };
        let evaluation = Evaluation::Outcome;
        UctSettings { moves, threshold, random, length: 0.05, c: 0.7, prior: 0.0, keep: false, evaluation }
    }

    /// The paper's heuristic player (S3.11).
    pub fn heur(moves: Allowed) -> UctSettings {
        let (random, threshold, depth) = match moves {
            Allowed::Forward => (0.43, 32, 13),
            Allowed::NonBackward => (0.55, 20, 13),
            Allowed::All => (0.32, 27, 14),
        };
        let evaluation = Evaluation::Depth { depth, weight: 0.3 };
        UctSettings { random, threshold, c: 0.25, evaluation, ..UctSettings::base(moves) }
    }

    /// Ours: the heuristic player with playouts of four moves, most of them random, and a tree that explores little, believes the table
    /// of new moves and lives on from move to move. It is as deep as the paper's playouts are long.
    pub fn short() -> UctSettings {
        let evaluation = Evaluation::Depth { depth: 4, weight: 0.3 };
        UctSettings {
            random: 0.6,
            threshold: 4,
            c: 0.085,
            prior: 2.0,
            keep: true,
            evaluation,
            ..UctSettings::heur(Allowed::Forward)
        }
    }

    /// The paper's endgame player (S3.11).
    pub fn end(moves: Allowed) -> UctSettings {
        let (random, threshold) = match moves {
            Allowed::Forward => (0.17, 18),
            Allowed::NonBackward => (0.06, 2),
            Allowed::All => (0.21, 23),
        };
        UctSettings { random, threshold, evaluation: Evaluation::Endgame { rest: true }, ..UctSettings::base(moves) }
    }
}

/// A node of the tree. Sums are rewards of the player who moved here.
#[derive(Clone, Copy, Default)]
struct Node {
    mv: (u8, u8),
    visits: u32,
    sum: f32,
    /// What the table said of the move when it was new.
    prior: f32,
    /// Where its children begin, and how many there are; 0 before they are made.
    first: u32,
    count: u32,
}

/// A searcher for the native game.
pub struct Uct {
    settings: UctSettings,
    arena: Arc<Arena>,
    home: Option<Arc<Alone>>,
    tree: Vec<Node>,
    /// The position that the tree grew from.
    root: Option<Position>,
    moves: Vec<(u8, u8)>,
    path: Vec<u32>,
    expansions: u64,
}

impl Uct {
    /// With these settings. The distances are needed by every evaluation but the outcome; without them the rows left count.
    pub fn new(settings: UctSettings, arena: Arc<Arena>, home: Option<Arc<Alone>>) -> Uct {
        Uct { settings, arena, home, tree: Vec::new(), root: None, moves: Vec::new(), path: Vec::new(), expansions: 0 }
    }

    /// The move of a position that is not over, from one place to another; `None` if there is none.
    pub fn best(&mut self, root: &Position, budget: &Budget<'_>) -> Option<(u8, u8)> {
        self.grow(root, budget, &mut |_, _| {});
        self.most_visited(0).map(|at| self.tree[at as usize].mv)
    }

    /// Grows a tree until the budget is spent, and says how many playouts that were; `look` may look at it now and then.
    fn grow(&mut self, root: &Position, budget: &Budget<'_>, look: &mut dyn FnMut(&Uct, u64)) -> u64 {
        let most_nodes = (budget.memory / size_of::<Node>()).saturating_sub(256);
        self.take_root(root, most_nodes / 2);
        self.expansions = 0;
        let mut rng = Rng::new(budget.seed);
        let mut playouts = 0;
        loop {
            self.iterate(root, &mut rng);
            playouts += 1;
            let counted = budget.nodes.is_some_and(|most| self.expansions >= most)
                || budget.playouts.is_some_and(|most| playouts >= most);
            if counted || self.tree.len() >= most_nodes {
                return playouts;
            }
            if playouts % AT_A_TIME == 0 {
                look(self, playouts);
                if (budget.spent)() >= 1.0 {
                    return playouts;
                }
            }
        }
    }

    /// A tree for this position: what is known of it from the last search, unless that are more nodes than this, or a new one.
    fn take_root(&mut self, root: &Position, most_nodes: usize) {
        let known = self.root.replace(*root).filter(|_| self.settings.keep).and_then(|old| self.find(&old, root));
        let mut kept = vec![known.map_or_else(Node::default, |at| self.tree[at as usize])];
        let mut next = 0;
        while next < kept.len() && kept.len() < most_nodes {
            let Node { first, count, .. } = kept[next];
            kept[next].first = kept.len() as u32;
            kept.extend_from_slice(&self.tree[first as usize..(first + count) as usize]);
            next += 1;
        }
        // Those that were not come by have lost their children.
        kept[next..].iter_mut().for_each(|node| node.count = 0);
        self.tree = kept;
    }

    /// The node of a position that is at most two moves away from the old root.
    fn find(&self, old: &Position, wanted: &Position) -> Option<u32> {
        if old == wanted {
            return Some(0);
        }
        let below = |at: u32| (self.tree[at as usize].first..).zip(self.children(at));
        below(0).find_map(|(at, node)| {
            let between = old.after(node.mv);
            if between == *wanted {
                return Some(at);
            }
            below(at).find(|(_, node)| between.after(node.mv) == *wanted).map(|(at, _)| at)
        })
    }

    /// The children of a node.
    fn children(&self, at: u32) -> &[Node] {
        let Node { first, count, .. } = self.tree[at as usize];
        &self.tree[first as usize..(first + count) as usize]
    }

    /// The child whose move is made.
    fn most_visited(&self, at: u32) -> Option<u32> {
        let best = |a: &(u32, &Node), b: &(u32, &Node)| {
            (a.1.visits, a.1.sum).partial_cmp(&(b.1.visits, b.1.sum)).expect("no NaN")
        };
        let (best, _) = (self.tree[at as usize].first..).zip(self.children(at)).max_by(best)?;
        Some(best)
    }

    /// The most visited line: joint moves.
    fn line(&self, arena: &Arena, turn: usize) -> Vec<Vec<Move>> {
        let (mut line, mut at, mut turn) = (Vec::new(), 0, turn);
        while let Some(next) = self.most_visited(at).filter(|&next| self.tree[next as usize].visits > 0) {
            line.push(ChineseCheckers::joint_move(turn, arena.move_cells(self.tree[next as usize].mv)).to_vec());
            (at, turn) = (next, 1 - turn);
        }
        line
    }

    /// One playout from the root through the tree.
    fn iterate(&mut self, root: &Position, rng: &mut Rng) {
        let before = self.expansions;
        let mut at = 0;
        let mut position = *root;
        self.path.clear();
        self.path.push(0);
        let mut length = 0;
        loop {
            let node = self.tree[at as usize];
            if node.count == 0 {
                if node.visits < self.settings.threshold && at != 0 || self.arena.over(&position) {
                    break;
                }
                self.arena.moves(&position, self.settings.moves, &mut self.moves);
                self.expansions += 1;
                if self.moves.is_empty() {
                    break;
                }
                let first = self.tree.len() as u32;
                self.tree.extend(self.moves.iter().map(|&mv| Node { mv, ..Node::default() }));
                let node = &mut self.tree[at as usize];
                (node.first, node.count) = (first, self.moves.len() as u32);
                self.judge(first as usize, &position);
            }
            at = self.select(at, rng);
            position = position.after(self.tree[at as usize].mv);
            length += 1;
            self.path.push(at);
        }
        // The reward of red, and of blue what is missing to one.
        let reward = self.playout(position, length, rng);
        // A playout that ends where the tree does is work too: without that a decided game would be searched for ever.
        self.expansions = self.expansions.max(before + 1);
        let mut mover = 1 - root.turn;
        for &at in &self.path {
            let node = &mut self.tree[at as usize];
            node.visits += 1;
            node.sum += if mover == 0 { reward } else { 1.0 - reward };
            mover = 1 - mover;
        }
    }

    /// What the table says of the moves of a position, whose nodes are the last of the tree.
    fn judge(&mut self, first: usize, position: &Position) {
        let (Evaluation::Depth { weight, .. }, Some(home)) = (self.settings.evaluation, &self.home) else { return };
        if self.settings.prior > 0.0 {
            let turn = position.turn;
            let other = home.value(1 - turn, position.pieces[1 - turn]);
            home.each(
                turn,
                position.pieces[turn],
                &mut self.tree[first..],
                |node| node.mv,
                |node, own| {
                    node.prior = 1.0 / (1.0 + (-weight * (other - own)).exp());
                },
            );
        }
    }

    /// The child with the greatest upper bound; one never visited before all others, in random order.
    fn select(&self, at: u32, rng: &mut Rng) -> u32 {
        let (node, children) = (&self.tree[at as usize], self.children(at));
        let (c, prior) = (self.settings.c, self.settings.prior);
        let log = (node.visits.max(1) as f32 + prior).ln();
        let (mut best, mut greatest, mut ties) = (0, f32::NEG_INFINITY, 0);
        for (index, child) in children.iter().enumerate() {
            let visits = child.visits as f32 + prior;
            let bound = if visits == 0.0 {
                f32::INFINITY
            } else {
                (child.sum + prior * child.prior) / visits + c * (log / visits).sqrt()
            };
            if bound > greatest {
                (best, greatest, ties) = (index, bound, 1);
            } else if bound == greatest {
                ties += 1;
                if rng.below(ties) == 0 {
                    best = index;
                }
            }
        }
        node.first + best as u32
    }

    /// What a playout from here is worth for red.
    fn playout(&mut self, mut position: Position, mut length: u32, rng: &mut Rng) -> f32 {
        let arena = &*self.arena;
        let random = (self.settings.random * 65536.0) as u64;
        let mut made = 0;
        loop {
            if let Some(winner) = arena.winner(&position) {
                return self.outcome(winner, length);
            }
            match self.settings.evaluation {
                Evaluation::Outcome => {}
                Evaluation::Endgame { rest } => {
                    if arena.apart(&position) {
                        return self.race(&position, length, rest);
                    }
                }
                Evaluation::Depth { depth, weight } => {
                    if made >= depth {
                        return 1.0 / (1.0 + (-weight * self.lead(&position)).exp());
                    }
                }
            }
            if made >= LONGEST {
                return 0.5;
            }
            let is_random = rng.bits() & 0xffff < random;
            let Some(mv) = step(arena, &position, is_random, rng) else { return 0.5 };
            self.expansions += 1;
            position = position.after(mv);
            made += 1;
            length += 1;
        }
    }

    fn outcome(&self, winner: usize, length: u32) -> f32 {
        let long = self.settings.length * (length as f32 / LONG).min(1.0);
        if winner == 0 { 1.0 - long } else { long }
    }

    /// Who wins the race, the players being apart: whoever needs fewer moves, and with as many whoever is to move.
    fn race(&self, position: &Position, length: u32, rest: bool) -> f32 {
        let lead = self.lead(position);
        let winner = if lead > 0.0 || lead == 0.0 && position.turn == 0 { 0 } else { 1 };
        let left = match &self.home {
            Some(home) if rest => home.value(winner, position.pieces[winner]) as u32,
            _ => 0,
        };
        self.outcome(winner, length + 2 * left)
    }

    /// How many moves red is ahead.
    fn lead(&self, position: &Position) -> f32 {
        match &self.home {
            Some(home) => home.lead(position.pieces, 0),
            None => {
                let [red, blue] = [0, 1].map(|player| self.arena.total_left(player, position.pieces[player]));
                (blue as f32 - red as f32) / self.arena.pieces() as f32
            }
        }
    }

    /// What is known at the moment.
    fn report(&self, legal: &[Move], arena: &Arena, turn: usize, playouts: u64) -> Found {
        let (children, best) = (self.children(0), self.most_visited(0).map(|at| &self.tree[at as usize]));
        let line = self.line(arena, turn);
        let value = |node: &Node| if node.visits == 0 { 50.0 } else { node.sum / node.visits as f32 * 100.0 };
        let number = |mv: (u8, u8)| ChineseCheckers::move_between(arena.move_cells(mv));
        let choice = |&mv: &Move| {
            let known = children.iter().find(|node| number(node.mv) == mv);
            Choice {
                mv,
                value: known.map_or(0.0, value),
                visits: known.map_or(0, |node| u64::from(node.visits)),
                proven: false,
                share: if best.is_some_and(|best| number(best.mv) == mv) { 1.0 } else { 0.0 },
            }
        };
        Found {
            mv: best.map(|best| number(best.mv)),
            value: best.map_or(50.0, value),
            depth: line.len() as u32,
            nodes: self.expansions,
            playouts,
            line,
            moves: legal.iter().map(choice).collect(),
            ..Found::default()
        }
    }
}

/// A move of a playout: any forward move, or one of those that advance most.
#[inline]
fn step(arena: &Arena, position: &Position, is_random: bool, rng: &mut Rng) -> Option<(u8, u8)> {
    let turn = position.turn;
    let mut reaches: [(u8, Cells); 16] = [(0, 0); 16];
    let (mut count, mut total) = (0, 0);
    for from in each(position.pieces[turn]) {
        let reach = arena.allowed(turn, from, arena.reach(position, from), Allowed::Forward);
        if reach != 0 {
            reaches[count & 15] = (from, reach);
            count += 1;
            total += reach.count_ones() as usize;
        }
    }
    if total == 0 {
        let mut moves = Vec::new();
        arena.moves(position, Allowed::NonBackward, &mut moves);
        return (!moves.is_empty()).then(|| moves[rng.below(moves.len())]);
    }
    if is_random {
        let mut which = rng.below(total);
        for &(from, reach) in &reaches[..count] {
            let here = reach.count_ones() as usize;
            if which < here {
                return Some((from, nth(reach, which)));
            }
            which -= here;
        }
        return None;
    }
    let (mut most, mut ties, mut chosen) = (0, 0, None);
    for &(from, reach) in &reaches[..count] {
        let to = Arena::foremost(turn, reach);
        let gain = arena.rows_left(turn, from) - arena.rows_left(turn, to);
        if gain < most {
            continue;
        }
        if gain > most {
            (most, ties) = (gain, 0);
        }
        let same = reach & arena.row_of(to);
        let here = same.count_ones() as usize;
        ties += here;
        let which = if ties == 1 { 0 } else { rng.below(ties) };
        if which < here {
            chosen = Some((from, nth(same, which)));
        }
    }
    chosen
}

/// The member of a set with this number.
#[inline]
fn nth(mut set: Cells, number: usize) -> u8 {
    for _ in 0..number {
        set &= set - 1;
    }
    set.trailing_zeros() as u8
}

impl Searcher<ChineseCheckers> for Uct {
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
        let arena = Arc::clone(&self.arena);
        let root = arena.position(state);
        let playouts = self.grow(&root, budget, &mut |uct, playouts| {
            if monitor.is_wanted() {
                monitor.publish(uct.report(&legal, &arena, root.turn, playouts));
            }
        });
        let found = self.report(&legal, &arena, root.turn, playouts);
        monitor.finish(&found);
        Ok(found)
    }
}
