//! One order of search: states that wait, states that were seen, and the way to each of them.

use super::Guides;
use crate::key::{Mix, key};
use crate::{StateKey, Test};
use game::random::Rng;
use game::{Game, Goal, Limit, Move, Role, Turn};
use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashMap};
use std::hash::BuildHasherDefault;

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

/// Which state comes next.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Order {
    Breadth,
    /// The same, and what changes by itself does not count: of states that differ in nothing else the one that was reached in the
    /// fewest moves is looked at.
    Shortest,
    /// Deepest first, and of the moves only those for one thing that the goal needs.
    Narrow,
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

impl Order {
    /// Whether it begins anew with more patience: a search that went wrong near the top would not come back for ages.
    fn begins_anew(self) -> bool {
        matches!(self, Order::Depth | Order::Tight | Order::Loose | Order::Narrow)
    }

    /// How much longer than others its turns are: these two see little twice.
    pub(super) fn turn(self) -> u64 {
        match self {
            Order::Narrow => 4,
            Order::Shortest => 2,
            _ => 1,
        }
    }

    /// How much of the memory it gets, beside others: orders that begin anew can do with little.
    pub(super) fn weight(self) -> usize {
        match self {
            Order::Shortest => 4,
            Order::Breadth | Order::Goal | Order::Evaluator(_) => 2,
            Order::Depth | Order::Tight | Order::Loose | Order::Narrow => 1,
        }
    }
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

/// A part of the game to be solved alone.
pub(super) struct Scope<'a, G: Game> {
    /// Only these moves are made.
    pub moves: &'a [Move],
    /// Nothing else counts.
    pub key: &'a StateKey<G>,
    /// What is looked for, wherever in the game.
    pub target: &'a Test<G>,
}

// Not derived: the game itself need not be `Copy`.
impl<G: Game> Clone for Scope<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<G: Game> Copy for Scope<'_, G> {}

/// What an explorer is to do.
pub(super) struct Job<'a, G: Game> {
    pub game: &'a G,
    pub guides: &'a Guides<G>,
    pub order: Order,
    pub start: &'a G::State,
    pub role: Role,
    pub seed: u64,
    /// Bytes to use.
    pub memory: usize,
    /// `None` for the whole game.
    pub scope: Option<Scope<'a, G>>,
}

pub(super) struct Explorer<'a, G: Game> {
    job: Job<'a, G>,
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
    /// Expansions since the last new beginning, and after how many to begin anew.
    since: u64,
    patience: u64,
    /// A line better than all before.
    pub found: Option<(Goal, Vec<Move>)>,
    /// Only a line to more than this is one.
    pub best: Option<Goal>,
    /// The goal of the best line that anybody found.
    pub known: Option<Goal>,
    checks: Checks,
    pub finished: bool,
    /// Whether everything that can be reached was seen.
    pub complete: bool,
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
    pub(super) fn new(job: Job<'a, G>) -> Explorer<'a, G> {
        let mut explorer = Explorer {
            view: job.game.view(),
            after: job.game.view(),
            next: Vec::new(),
            rng: Rng::new(job.seed),
            nodes: Vec::new(),
            seen: HashMap::default(),
            waiting: BinaryHeap::new(),
            legal: Vec::new(),
            since: 0,
            patience: 2000,
            found: None,
            best: None,
            known: None,
            checks: Checks::default(),
            finished: false,
            complete: true,
            job,
        };
        explorer.begin();
        explorer
    }

    /// How many expansions are its turn, where others have one.
    pub(super) fn turn(&self) -> u64 {
        self.job.order.turn()
    }

    fn begin(&mut self) {
        self.nodes.clear();
        self.seen.clear();
        self.waiting.clear();
        self.since = 0;
        self.nodes.push((0, Move(0), 0));
        self.seen.insert(self.key(self.job.start), 0);
        self.waiting.push(Waiting { rank: (0, 0), node: 0, state: self.job.start.clone() });
    }

    /// About how many bytes are in use. What a state holds outside of itself is taken to be 64 bytes.
    fn bytes(&self) -> usize {
        let waiting = size_of::<Waiting<G::State>>() + 64;
        self.nodes.len() * size_of::<(u32, Move, u32)>() + self.seen.len() * 40 + self.waiting.len() * waiting
    }

    /// The key that passes over states, where this order does so.
    fn projection(&self) -> Option<&StateKey<G>> {
        match (self.job.scope, self.job.order) {
            (Some(scope), _) => Some(scope.key),
            (None, Order::Depth) => None,
            (None, Order::Shortest) => self.job.guides.parts.as_ref()?.rest.as_ref(),
            (None, _) => self.job.guides.key.as_ref(),
        }
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
        let (Some(ceiling), Some(known)) = (&self.job.guides.ceiling, self.known) else { return false };
        if !self.checks.pay() {
            return false;
        }
        let dead = ceiling(state, self.job.role) <= known;
        self.checks.made += 1;
        self.checks.spared += u64::from(dead);
        dead
    }

    /// Expands one state; answers how many were looked at.
    pub(super) fn step(&mut self) -> u64 {
        // With more patience each time it still sees everything in the end.
        if self.job.order.begins_anew() && self.since > self.patience {
            self.patience *= 2;
            self.begin();
        }
        if self.bytes() > self.job.memory.max(1 << 16) {
            self.complete = false;
            if !self.job.order.begins_anew() {
                self.finished = true;
                return 1;
            }
            self.begin();
        }
        self.since += 1;
        let Some(Waiting { node, state, .. }) = self.waiting.pop() else {
            self.finished = true;
            return 1;
        };
        if self.job.game.look(&state, &mut self.view).is_err() {
            self.complete = false;
            return 1;
        }
        self.legal.clear();
        if !self.job.game.over(&self.view) {
            self.job.game.legal(&self.view, self.job.role, &mut self.legal);
            self.choose(&state);
        }
        let mut next = std::mem::take(&mut self.next);
        let joints: Vec<Vec<Move>> = self.legal.iter().map(|&mv| vec![mv]).collect();
        if self.job.game.children(&mut self.view, &joints, &mut next).is_err() {
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

    /// Leaves the moves that are to be tried.
    fn choose(&mut self, state: &G::State) {
        let all = self.legal.len();
        if let Some(scope) = self.job.scope {
            self.legal.retain(|mv| scope.moves.binary_search(mv).is_ok());
        }
        if let (Order::Narrow, Some(narrow)) = (self.job.order, &self.job.guides.narrow) {
            self.legal = narrow(state, &self.legal);
        }
        self.complete &= self.legal.len() == all;
    }

    /// A state that a move leads to: a new one waits, an end is noted.
    fn child(&mut self, parent: u32, mv: Move, state: G::State) -> Result<(), Limit> {
        let depth = self.nodes[parent as usize].2 + 1;
        if !self.is_news(&state, depth) {
            return Ok(());
        }
        let Job { game, role, scope, order, .. } = self.job;
        game.look(&state, &mut self.after)?;
        let node = self.nodes.len() as u32;
        self.nodes.push((parent, mv, depth));
        if scope.is_some_and(|scope| (scope.target)(&state)) {
            // Nothing better is asked of a part.
            self.found = Some((100, self.line(node)));
            return Ok(());
        }
        let mut moves = 0;
        if game.turn(&self.after) != Turn::Over {
            let mut legal = std::mem::take(&mut self.legal);
            legal.clear();
            game.legal(&self.after, role, &mut legal);
            moves = legal.len();
            self.legal = legal;
        }
        if moves == 0 && scope.is_some() {
            return Ok(());
        }
        if moves == 0 {
            let goal = game.goal(&mut self.after, role)?.unwrap_or(0);
            if self.best.is_none_or(|best| goal > best) {
                self.best = Some(goal);
                self.found = Some((goal, self.line(node)));
            }
            return Ok(());
        }
        // With the needs at hand it is seen soon enough, and at once; and who sees every arrangement once is through sooner without looking.
        let looks = scope.is_none() && !matches!(order, Order::Narrow | Order::Shortest);
        if looks && self.is_dead_end(&state) {
            self.nodes.pop();
            return Ok(());
        }
        let noise = self.rng.bits() >> 1;
        let rank = match order {
            // First come, first served among equals.
            Order::Breadth | Order::Shortest => (-i64::from(depth), u64::MAX - u64::from(node)),
            Order::Depth | Order::Narrow => (i64::from(depth), noise),
            Order::Tight => (i64::from(depth), u64::MAX / 2 - (moves as u64) * (1 << 32) + (noise >> 32)),
            Order::Loose => (i64::from(depth), (moves as u64) * (1 << 32) + (noise >> 32)),
            Order::Goal => {
                let goal = game.goal(&mut self.after, role)?.unwrap_or(0);
                (i64::from(goal) * 1000 - i64::from(depth), noise)
            }
            Order::Evaluator(which) => {
                let evaluator = &self.job.guides.evaluators[which];
                let value = evaluator.value(game, &state, &mut self.after, role);
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
