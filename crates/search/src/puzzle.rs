//! One player: a search for a line to the best goal, which is then kept and followed.
//!
//! No single order of search suits all puzzles, so several take turns with growing shares: breadth-first finds short
//! solutions, depth-first deep ones, depth-first by fewest moves left the tours and fillings in which every step must
//! leave a way on, and best-first follows an evaluator. None of them visits a state twice. Whichever runs out of states
//! without having passed over any has seen everything: then the best line is proven best.
//!
//! Two more orders live on what the rules say of themselves. Where something changes whatever is done (a counter of moves), one breadth-first
//! search leaves it out of the comparison: it sees every arrangement once, in as few moves as it takes. Where the goal needs things that
//! single moves bring (a number in every cell), one depth-first search tries only the moves for the thing that fewest are left for.
//!
//! A game that falls apart is first searched part by part (`puzzle::parts`).
//!
//! Where it is known what can still be had from a state on, dead ends are left out: what cannot lead to more than the best line found
//! so far does. A line that brings all that can be had from the start ends the search.

mod explorer;
mod parts;

use crate::uct::Uct;
use crate::{
    Budget, Ceiling, Choice, Found, Knowledge, Monitor, Narrow, Parts, Searcher, SharedEvaluator, StateKey, first_moves,
};
use explorer::{Explorer, Job, Order};
use game::{Game, Goal, Limit, Move, Role, roles};
use std::sync::Arc;

/// What can be set. What is known of the game is given apart from it: see [`Puzzle::with_knowledge`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PuzzleSettings {
    /// So many of the evaluators that are known, the first ones, lead a search of their own. (default: 3)
    pub evaluators: usize,
}

impl Default for PuzzleSettings {
    fn default() -> PuzzleSettings {
        PuzzleSettings { evaluators: 3 }
    }
}

/// What the explorers are told of the game.
struct Guides<G: Game> {
    /// How near a state is to the goal, where somebody knows.
    evaluators: Vec<SharedEvaluator<G>>,
    /// A state is passed over if one with the same key was reached in fewer moves; `None` compares whole states. One of the
    /// orders always does: what is proven is about whole states.
    key: Option<StateKey<G>>,
    /// What can still be had.
    ceiling: Option<Ceiling<G>>,
    /// How the game falls apart.
    parts: Option<Arc<Parts<G>>>,
    /// Moves worth trying.
    narrow: Option<Narrow<G>>,
}

/// A searcher for games with one role. With more roles it is UCT.
pub struct Puzzle<G: Game> {
    settings: PuzzleSettings,
    guides: Guides<G>,
    /// The best line found: states and the moves made in them, and where it leads.
    line: Vec<(G::State, Move)>,
    goal: Option<Goal>,
    proven: bool,
    otherwise: Uct<G>,
}

impl<G: Game> Puzzle<G> {
    /// A searcher with these settings.
    pub fn new(settings: PuzzleSettings) -> Puzzle<G> {
        let guides = Guides { evaluators: Vec::new(), key: None, ceiling: None, parts: None, narrow: None };
        Puzzle { settings, guides, line: Vec::new(), goal: None, proven: false, otherwise: Uct::default() }
    }

    /// With the evaluators and the key of states that are known.
    pub fn with_knowledge(self, knowledge: &Knowledge<G>) -> Puzzle<G> {
        let evaluators = knowledge.evaluators.iter().take(self.settings.evaluators).cloned().collect();
        let (key, ceiling) = (knowledge.key.clone(), knowledge.ceiling.clone());
        let (parts, narrow) = (knowledge.parts.clone(), knowledge.narrow.clone());
        Puzzle { guides: Guides { evaluators, key, ceiling, parts, narrow }, ..self }
    }
}

impl<G: Game> Default for Puzzle<G> {
    fn default() -> Puzzle<G> {
        Puzzle::new(PuzzleSettings::default())
    }
}

impl<G: Game> Searcher<G> for Puzzle<G> {
    fn search(
        &mut self,
        game: &G,
        state: &G::State,
        role: Role,
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> Result<Found, Limit> {
        if game.roles() > 1 {
            return self.otherwise.search(game, state, role, budget, monitor);
        }
        let moves = first_moves(game, state, role, &mut game.view(), monitor)?;
        if moves.is_empty() {
            return Ok(Found::default());
        }
        match self.line.iter().position(|step| step.0 == *state) {
            Some(at) => drop(self.line.drain(..at)),
            None => (self.line, self.goal, self.proven) = (Vec::new(), None, false),
        }
        let mut nodes = 0;
        if !self.is_settled() {
            nodes = self.explore(game, state, role, &moves, budget, monitor);
        }
        if self.goal.unwrap_or(0) == 0 && !self.proven {
            // Nothing worth following: what the tree of random games says.
            let left = |most: Option<u64>| most.map(|most| most.saturating_sub(nodes).max(1));
            let rest = Budget { nodes: left(budget.nodes), playouts: left(budget.playouts), ..*budget };
            let mut found = self.otherwise.search(game, state, role, &rest, monitor)?;
            found.nodes += nodes;
            return Ok(found);
        }
        let found = self.answer(&moves, nodes);
        monitor.finish(&found);
        Ok(found)
    }
}

impl<G: Game> Puzzle<G> {
    fn is_settled(&self) -> bool {
        self.proven || self.goal == Some(100)
    }

    fn answer(&self, moves: &[Move], nodes: u64) -> Found {
        let mv = self.line.first().map_or(moves[0], |step| step.1);
        let value = f32::from(self.goal.unwrap_or(0));
        let choice = |&other: &Move| Choice {
            mv: other,
            value: if other == mv { value } else { 0.0 },
            visits: u64::from(other == mv),
            proven: other == mv && self.is_settled(),
            share: if other == mv { 1.0 } else { 0.0 },
        };
        Found {
            mv: Some(mv),
            value,
            proven: self.is_settled(),
            depth: self.line.len() as u32,
            nodes,
            playouts: 0,
            line: self.line.iter().map(|step| vec![step.1]).collect(),
            moves: moves.iter().map(choice).collect(),
        }
    }

    /// Lets all explorers take turns until one has the best goal, all is seen, or most of the budget is spent.
    fn explore(
        &mut self,
        game: &G,
        state: &G::State,
        role: Role,
        moves: &[Move],
        budget: &Budget<'_>,
        monitor: &Monitor,
    ) -> u64 {
        let most_of_all = self.guides.ceiling.as_ref().map_or(100, |ceiling| ceiling(state, role));
        let mut explorers = explorers(game, &self.guides, state, role, budget);
        let mut nodes = 0;
        let mut share = 2048;
        // A tenth is kept for the case that nothing is found.
        // Without random games, states are what a budget of these is spent on.
        let most = budget.nodes.into_iter().chain(budget.playouts).min();
        let spent =
            |nodes: u64| most.is_some_and(|most| nodes >= most - most / 10) || budget.part_spent(0.0, 0.9) >= 1.0;
        if let Some(parts) = self.guides.parts.clone() {
            let attempt = parts::Attempt { game, guides: &self.guides, parts: &parts, state, role, budget };
            let found = attempt.run(&mut nodes);
            if let Some((goal, line)) = found {
                (self.goal, self.line) = (Some(goal), replay(game, state, &line));
                if goal >= most_of_all {
                    self.proven = true;
                    return nodes;
                }
            }
        }
        loop {
            let mut alive = false;
            for explorer in &mut explorers {
                let mut left = share * explorer.turn();
                while left > 0 && !explorer.finished && !spent(nodes) {
                    if monitor.is_wanted() {
                        monitor.publish(self.answer(moves, nodes));
                    }
                    explorer.known = self.goal;
                    let looked_at = explorer.step();
                    // States are counted and not expansions: some orders have a hundred children to look at, others three.
                    left = left.saturating_sub(looked_at);
                    nodes += looked_at;
                    if let Some((goal, line)) = explorer.found.take()
                        && self.goal.is_none_or(|known| goal > known)
                    {
                        (self.goal, self.line) = (Some(goal), replay(game, state, &line));
                        if let Some(step) = self.line.first() {
                            monitor.set_best(step.1, f32::from(goal));
                        }
                        if goal >= most_of_all {
                            self.proven = true;
                            return nodes;
                        }
                    }
                }
                if explorer.finished && explorer.complete {
                    self.proven = true;
                    return nodes;
                }
                alive |= !explorer.finished;
            }
            if !alive || spent(nodes) {
                return nodes;
            }
            share *= 2;
        }
    }
}

/// One for each order that there is something to go by for.
fn explorers<'a, G: Game>(
    game: &'a G,
    guides: &'a Guides<G>,
    start: &'a G::State,
    role: Role,
    budget: &Budget<'_>,
) -> Vec<Explorer<'a, G>> {
    let mut orders = vec![Order::Tight, Order::Breadth, Order::Goal, Order::Loose, Order::Depth];
    orders.extend((0..guides.evaluators.len()).map(Order::Evaluator));
    orders.extend(guides.narrow.as_ref().map(|_| Order::Narrow));
    orders.extend(guides.parts.as_ref().and_then(|parts| parts.rest.as_ref()).map(|_| Order::Shortest));
    let weights: usize = orders.iter().map(|order| order.weight()).sum();
    let job = |order: Order| {
        let memory = budget.memory / weights * order.weight();
        Explorer::new(Job { game, guides, order, start, role, seed: budget.seed, memory, scope: None })
    };
    orders.into_iter().map(job).collect()
}

/// The states along a line.
fn replay<G: Game>(game: &G, from: &G::State, line: &[Move]) -> Vec<(G::State, Move)> {
    let mut view = game.view();
    let mut state = from.clone();
    let mut steps = Vec::with_capacity(line.len());
    for &mv in line {
        let mut next = state.clone();
        if game.look(&state, &mut view).and_then(|()| game.play(&mut view, &[mv], &mut next)).is_err() {
            break;
        }
        steps.push((std::mem::replace(&mut state, next), mv));
    }
    steps
}

/// Whether a game has one role, so that a [`Puzzle`] suits it.
pub fn is_puzzle<G: Game>(game: &G) -> bool {
    roles(game).count() == 1
}
