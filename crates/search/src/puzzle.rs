//! One player: a search for a line to the best goal, which is then kept and followed.
//!
//! No single order of search suits all puzzles, so several take turns with growing shares: breadth-first finds short
//! solutions, depth-first deep ones, depth-first by fewest moves left the tours and fillings in which every step must
//! leave a way on, and best-first follows an evaluator. None of them visits a state twice. Whichever runs out of states
//! without having passed over any has seen everything: then the best line is proven best.
//!
//! Where it is known what can still be had from a state on, dead ends are left out: what cannot lead to more than the best line found
//! so far does. A line that brings all that can be had from the start ends the search.

use crate::key::{Mix, key};
use crate::uct::Uct;
use crate::{Budget, Ceiling, Choice, Found, Knowledge, Monitor, Searcher, SharedEvaluator, StateKey, first_moves};
use game::random::Rng;
use game::{Game, Goal, Limit, Move, Role, Turn, roles};
use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashMap};
use std::hash::BuildHasherDefault;

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
}

/// Whether looking for dead ends is worth its price: it takes several times as long as looking at a state.
#[derive(Default)]
struct Checks {
    made: u64,
    /// How many of them found a dead end.
    spared: u64,
}

impl Checks {
    /// So many are made in any case.
    const FIRST: u64 = 1000;

    fn pay(&self) -> bool {
        self.made < Checks::FIRST || self.spared * 8 >= self.made
    }
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
        let guides = Guides { evaluators: Vec::new(), key: None, ceiling: None };
        Puzzle { settings, guides, line: Vec::new(), goal: None, proven: false, otherwise: Uct::default() }
    }

    /// With the evaluators and the key of states that are known.
    pub fn with_knowledge(self, knowledge: &Knowledge<G>) -> Puzzle<G> {
        let evaluators = knowledge.evaluators.iter().take(self.settings.evaluators).cloned().collect();
        let (key, ceiling) = (knowledge.key.clone(), knowledge.ceiling.clone());
        Puzzle { guides: Guides { evaluators, key, ceiling }, ..self }
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
        let mut orders = vec![Order::Tight, Order::Breadth, Order::Goal, Order::Loose, Order::Depth];
        orders.extend((0..self.guides.evaluators.len()).map(Order::Evaluator));
        let memory = budget.memory / orders.len();
        let mut explorers: Vec<Explorer<'_, G>> = orders
            .into_iter()
            .map(|order| Explorer::new(game, &self.guides, order, state, role, budget.seed, memory))
            .collect();
        let mut nodes = 0;
        let mut share = 256;
        // A tenth is kept for the case that nothing is found.
        // Without random games, states are what a budget of these is spent on.
        let most = budget.nodes.into_iter().chain(budget.playouts).min();
        let spent =
            |nodes: u64| most.is_some_and(|most| nodes >= most - most / 10) || budget.part_spent(0.0, 0.9) >= 1.0;
        loop {
            let mut alive = false;
            for explorer in &mut explorers {
                let mut left = share;
                while left > 0 && !explorer.finished && !spent(nodes) {
                    if monitor.is_wanted() {
                        monitor.publish(self.answer(moves, nodes));
                    }
                    left -= 1;
                    explorer.known = self.goal;
                    nodes += explorer.step();
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

/// Which state comes next.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Order {
    Breadth,
    Depth,
    /// Deepest first, and there the state with the fewest moves left.
    Tight,
    /// Deepest first, and there the state with the most moves left.
    Loose,
    /// The greatest goal that the rules give in the state as it is, shallow ones first.
    Goal,
    /// The best value of this evaluator.
    Evaluator(usize),
}

/// A state waiting to be expanded.
struct Waiting<S> {
    rank: (i64, u64),
    node: u32,
    state: S,
}

impl<S> PartialEq for Waiting<S> {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank
    }
}
impl<S> Eq for Waiting<S> {}
impl<S> PartialOrd for Waiting<S> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<S> Ord for Waiting<S> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}

struct Explorer<'a, G: Game> {
    game: &'a G,
    guides: &'a Guides<G>,
    role: Role,
    order: Order,
    start: &'a G::State,
    view: G::View,
    after: G::View,
    next: Vec<G::State>,
    rng: Rng,
    /// Parent, move and depth of every node.
    nodes: Vec<(u32, Move, u32)>,
    /// In how many moves a state of each key was reached.
    seen: HashMap<u64, u32, BuildHasherDefault<Seeded>>,
    waiting: BinaryHeap<Waiting<G::State>>,
    legal: Vec<Move>,
    most: usize,
    /// Expansions since the last new beginning, and after how many to begin anew.
    since: u64,
    patience: u64,
    /// A line better than all before.
    found: Option<(Goal, Vec<Move>)>,
    best: Option<Goal>,
    /// The goal of the best line that anybody found.
    known: Option<Goal>,
    checks: Checks,
    finished: bool,
    /// Whether everything that can be reached was seen.
    complete: bool,
}

/// Keys are hashes already; this only spreads them.
struct Seeded(Mix);

impl Default for Seeded {
    fn default() -> Seeded {
        Seeded(Mix(1))
    }
}

impl std::hash::Hasher for Seeded {
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }
    fn finish(&self) -> u64 {
        self.0.finish()
    }
}

impl<'a, G: Game> Explorer<'a, G> {
    fn new(
        game: &'a G,
        guides: &'a Guides<G>,
        order: Order,
        start: &'a G::State,
        role: Role,
        seed: u64,
        memory: usize,
    ) -> Explorer<'a, G> {
        let mut explorer = Explorer {
            game,
            guides,
            role,
            order,
            start,
            view: game.view(),
            after: game.view(),
            next: Vec::new(),
            rng: Rng::new(seed),
            nodes: Vec::new(),
            seen: HashMap::default(),
            waiting: BinaryHeap::new(),
            legal: Vec::new(),
            most: (memory / 250).max(1000),
            since: 0,
            patience: 2000,
            found: None,
            best: None,
            known: None,
            checks: Checks::default(),
            finished: false,
            complete: true,
        };
        explorer.begin();
        explorer
    }

    fn begin(&mut self) {
        self.nodes.clear();
        self.seen.clear();
        self.waiting.clear();
        self.since = 0;
        self.nodes.push((0, Move(0), 0));
        self.seen.insert(self.key(self.start), 0);
        self.waiting.push(Waiting { rank: (0, 0), node: 0, state: self.start.clone() });
    }

    /// The key that passes over states, where this order does so.
    fn projection(&self) -> Option<&StateKey<G>> {
        self.guides.key.as_ref().filter(|_| self.order != Order::Depth)
    }

    fn key(&self, state: &G::State) -> u64 {
        self.projection().map_or_else(|| key(state), |key| key(state))
    }

    /// Whether a state is worth looking at: it is new, or its key was met later in the game only.
    fn is_news(&mut self, state: &G::State, depth: u32) -> bool {
        let projected = self.projection().is_some();
        match self.seen.entry(self.key(state)) {
            Entry::Vacant(place) => {
                place.insert(depth);
                true
            }
            Entry::Occupied(mut before) if projected && *before.get() != depth => {
                // The same but for the moves made: the earlier one is as good as we know, but that is not proven.
                self.complete = false;
                let earlier = depth < *before.get();
                if earlier {
                    before.insert(depth);
                }
                earlier
            }
            Entry::Occupied(_) => false,
        }
    }

    /// Whether nothing better than what is known can be had from this state on.
    fn is_dead_end(&mut self, state: &G::State) -> bool {
        let (Some(ceiling), Some(known)) = (&self.guides.ceiling, self.known) else { return false };
        if !self.checks.pay() {
            return false;
        }
        let dead = ceiling(state, self.role) <= known;
        self.checks.made += 1;
        self.checks.spared += u64::from(dead);
        dead
    }

    /// Expands one state; answers how many were looked at.
    fn step(&mut self) -> u64 {
        // Depth-first search that went wrong near the top would not come back for ages: it begins anew, with more
        // patience each time, so that it still sees everything in the end.
        if matches!(self.order, Order::Depth | Order::Tight | Order::Loose) && self.since > self.patience {
            self.patience *= 2;
            self.begin();
        }
        if self.nodes.len() > self.most {
            self.complete = false;
            match self.order {
                Order::Depth | Order::Tight | Order::Loose => self.begin(),
                _ => {
                    self.finished = true;
                    return 1;
                }
            }
        }
        self.since += 1;
        let Some(Waiting { node, state, .. }) = self.waiting.pop() else {
            self.finished = true;
            return 1;
        };
        if self.game.look(&state, &mut self.view).is_err() {
            self.complete = false;
            return 1;
        }
        self.legal.clear();
        if !self.game.over(&self.view) {
            self.game.legal(&self.view, self.role, &mut self.legal);
        }
        let mut next = std::mem::take(&mut self.next);
        let joints: Vec<Vec<Move>> = self.legal.iter().map(|&mv| vec![mv]).collect();
        if self.game.children(&mut self.view, &joints, &mut next).is_err() {
            self.complete = false;
            next.clear();
        }
        for (joint, state) in joints.iter().zip(next.drain(..)) {
            if self.child(node, joint[0], state).is_err() {
                self.complete = false;
            }
        }
        self.next = next;
        1 + joints.len() as u64
    }

    /// A state that a move leads to: a new one waits, an end is noted.
    fn child(&mut self, parent: u32, mv: Move, state: G::State) -> Result<(), Limit> {
        let depth = self.nodes[parent as usize].2 + 1;
        if !self.is_news(&state, depth) {
            return Ok(());
        }
        self.game.look(&state, &mut self.after)?;
        let node = self.nodes.len() as u32;
        self.nodes.push((parent, mv, depth));
        let mut moves = 0;
        if self.game.turn(&self.after) != Turn::Over {
            let mut legal = std::mem::take(&mut self.legal);
            legal.clear();
            self.game.legal(&self.after, self.role, &mut legal);
            moves = legal.len();
            self.legal = legal;
        }
        if moves == 0 {
            let goal = self.game.goal(&mut self.after, self.role)?.unwrap_or(0);
            if self.best.is_none_or(|best| goal > best) {
                self.best = Some(goal);
                self.found = Some((goal, self.line(node)));
            }
            return Ok(());
        }
        if self.is_dead_end(&state) {
            self.nodes.pop();
            return Ok(());
        }
        let noise = self.rng.bits() >> 1;
        let rank = match self.order {
            // First come, first served among equals.
            Order::Breadth => (-i64::from(depth), u64::MAX - u64::from(node)),
            Order::Depth => (i64::from(depth), noise),
            Order::Tight => (i64::from(depth), u64::MAX / 2 - (moves as u64) * (1 << 32) + (noise >> 32)),
            Order::Loose => (i64::from(depth), (moves as u64) * (1 << 32) + (noise >> 32)),
            Order::Goal => {
                let goal = self.game.goal(&mut self.after, self.role)?.unwrap_or(0);
                (i64::from(goal) * 1000 - i64::from(depth), noise)
            }
            Order::Evaluator(which) => {
                let evaluator = &self.guides.evaluators[which];
                let value = evaluator.value(self.game, &state, &mut self.after, self.role);
                ((value * 1000.0) as i64 - i64::from(depth), noise)
            }
        };
        self.waiting.push(Waiting { rank, node, state });
        Ok(())
    }

    fn line(&self, mut node: u32) -> Vec<Move> {
        let mut line = Vec::new();
        while node != 0 {
            let (parent, mv, _) = self.nodes[node as usize];
            line.push(mv);
            node = parent;
        }
        line.reverse();
        line
    }
}

/// Whether a game has one role, so that a [`Puzzle`] suits it.
pub fn is_puzzle<G: Game>(game: &G) -> bool {
    roles(game).count() == 1
}
