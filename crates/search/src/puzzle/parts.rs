//! A game for one player that falls apart: each part is solved alone, with its own moves and by what the goal asks of it, and the lines
//! are put one after the other.
//!
//! Parts are begun where the ones before them ended, so a part may wait for another one. What comes of it is played through by the rules of
//! the whole game before it is believed: a clock may have run out, or one part ended all.

use super::Guides;
use super::explorer::{Explorer, Job, Order, Scope};
use crate::{Budget, Parts, Way};
use game::{Game, Goal, Limit, Move, Role};

/// The part of the time, and of states that are counted, in which parts are tried.
const SHARE: f32 = 0.2;

/// States for a way that is tried for the first time; four times as many each time after that.
const FIRST: u64 = 2000;

/// Rounds over all ways.
const ROUNDS: u32 = 8;

/// One attempt at a game by its parts.
pub(super) struct Attempt<'a, G: Game> {
    pub game: &'a G,
    pub guides: &'a Guides<G>,
    pub parts: &'a Parts<G>,
    pub state: &'a G::State,
    pub role: Role,
    pub budget: &'a Budget<'a>,
}

/// Where a line is to lead.
enum Aim<'a, G: Game> {
    /// To what is asked of a part.
    Part(Scope<'a, G>),
    /// To an end of the game with this goal at least.
    End(Goal),
}

impl<G: Game> Attempt<'_, G> {
    /// The best line that was found and played through; the states looked at are added to `nodes`.
    pub(super) fn run(&self, nodes: &mut u64) -> Option<(Goal, Vec<Move>)> {
        if self.parts.parts.len() < 2 || self.parts.ways.is_empty() {
            return None;
        }
        let begin = (self.budget.spent)();
        let most = self.budget.part(SHARE).nodes.into_iter().chain(self.budget.part(SHARE).playouts).min();
        let spent = |nodes: u64| {
            most.is_some_and(|most| nodes >= most) || self.budget.part_spent(begin, (1.0 - begin) * SHARE) >= 1.0
        };
        let mut patience = FIRST;
        for round in 0..ROUNDS {
            // Short plans first; where a clock lets longer ones pass, those that are found sooner.
            let order = if round % 2 == 0 { Order::Shortest } else { Order::Tight };
            for way in &self.parts.ways {
                let end = |so_far: u64, own: u64| own >= patience || spent(so_far + own);
                let tried = self.way(way, order, nodes, &end);
                if let Some(found) = tried.ok().flatten() {
                    return Some(found);
                }
                if spent(*nodes) {
                    return None;
                }
            }
            patience *= if round % 2 == 0 { 1 } else { 4 };
        }
        None
    }

    /// The parts of one way, one after the other.
    fn way(
        &self,
        way: &Way<G>,
        order: Order,
        nodes: &mut u64,
        end: &dyn Fn(u64, u64) -> bool,
    ) -> Result<Option<(Goal, Vec<Move>)>, Limit> {
        let mut state = self.state.clone();
        let mut line = Vec::new();
        let mut open: Vec<usize> = (0..way.targets.len()).collect();
        while !open.is_empty() {
            let before = open.len();
            let mut left = Vec::new();
            for which in open {
                let (part, target) = &way.targets[which];
                if target(&state) {
                    continue;
                }
                let part = &self.parts.parts[*part];
                let scope = Scope { moves: &part.moves, key: &part.key, target };
                match self.solve(&state, order, Aim::Part(scope), nodes, end) {
                    Some((_, own)) => {
                        state = self.play(&state, &own)?;
                        line.extend(own);
                    }
                    None => left.push(which),
                }
            }
            open = left;
            if open.len() == before {
                return Ok(None);
            }
        }
        let mut view = self.game.view();
        self.game.look(&state, &mut view)?;
        if !self.game.over(&view) {
            // All is as it should be, and the game goes on: with whatever move, as long as it stays so.
            let Some((_, rest)) = self.solve(&state, Order::Depth, Aim::End(way.goal), nodes, end) else {
                return Ok(None);
            };
            state = self.play(&state, &rest)?;
            line.extend(rest);
            self.game.look(&state, &mut view)?;
        }
        let goal = self.game.goal(&mut view, self.role)?.unwrap_or(0);
        Ok((self.game.over(&view) && goal >= way.goal).then_some((goal, line)))
    }

    /// A line to there.
    fn solve(
        &self,
        start: &G::State,
        order: Order,
        aim: Aim<'_, G>,
        nodes: &mut u64,
        end: &dyn Fn(u64, u64) -> bool,
    ) -> Option<(Goal, Vec<Move>)> {
        let Attempt { game, guides, role, budget, .. } = *self;
        let memory = budget.memory / 2;
        let (scope, best) = match aim {
            Aim::Part(scope) => (Some(scope), None),
            Aim::End(goal) => (None, goal.checked_sub(1)),
        };
        let mut explorer = Explorer::new(Job { game, guides, order, start, role, seed: budget.seed, memory, scope });
        explorer.best = best;
        let mut own = 0;
        while explorer.found.is_none() && !explorer.finished && !end(*nodes, own) {
            own += explorer.step();
        }
        *nodes += own;
        explorer.found.take()
    }

    /// The state that a line leads to.
    fn play(&self, from: &G::State, line: &[Move]) -> Result<G::State, Limit> {
        let mut view = self.game.view();
        let mut state = from.clone();
        for &mv in line {
            let mut next = state.clone();
            self.game.look(&state, &mut view)?;
            self.game.play(&mut view, &[mv], &mut next)?;
            state = next;
        }
        Ok(state)
    }
}
