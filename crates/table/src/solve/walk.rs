//! Forward: every state that can be reached from the start, layer by layer, with its successors as numbers.
//!
//! Workers expand a part of the layer each; what they found is then taken up in order by one thread, so the numbers do not
//! depend on how many workers there are. Only the states of the layer at hand and of the next one are held.

use super::limited::Idle;
use super::seen::{Blocks, Key, Keys, Looks, MOST, Seen};
use super::stored::STORING;
use super::{Options, Phase, Reach, SolveError, Watch, back};
use game::{Game, Limit, Move, Role, Turn};
use rayon::prelude::*;
use std::collections::VecDeque;

/// What a state is, for the way back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The first role decides.
    First,
    /// The second role decides.
    Second,
    /// The game is over, or cannot go on.
    End,
}

/// All states that can be reached, with their successors.
pub struct Graph {
    /// Their numbers.
    pub seen: Seen,
    /// What each is.
    pub kinds: Blocks<Kind>,
    /// The outcome of each end; nothing yet for the others.
    pub values: Blocks<i8>,
    /// How many successors each has, and the successors of all, one after the other.
    pub degrees: Blocks<u32>,
    /// See `degrees`.
    pub edges: Blocks<u32>,
    /// The caller's names of the states, if there are any.
    pub names: Blocks<u64>,
    /// States in each layer: by the fewest moves from the start.
    pub layers: Vec<u64>,
    /// Ends that are terminal, and ends that are stuck.
    pub ends: (u64, u64),
    /// Ends that give a role no goal, or more than one; they count as 0 for it.
    pub unrated: u64,
    /// The smallest and the greatest sum of both goals.
    pub sums: (u8, u8),
    /// Whether every successor has a higher number than its state. Then nothing can be repeated.
    pub ascending: bool,
    /// What the goals of states that are not ends are worth, if that was asked for.
    pub idle: Idle,
}

struct Worker<G: Game> {
    view: G::View,
    keys: Keys,
    ahead: Ahead<G::State>,
    legal: Vec<Vec<Move>>,
    joint: Vec<Move>,
    rate_all: bool,
    found: Found<G::State>,
}

/// Successors that were made and not looked up yet.
struct Ahead<S> {
    keys: Vec<Key>,
    /// About how many bytes each of them takes.
    bytes: Vec<u32>,
    /// The first of them are the successors; the others are memory to be used again.
    states: Vec<S>,
    /// The bytes of the longest of them so far.
    longest: u32,
    looks: Looks,
}

impl<S> Ahead<S> {
    /// Bytes held, by what the longest of the states takes.
    fn held(&self) -> u64 {
        let each = size_of::<Key>() + size_of::<u32>();
        (self.keys.capacity() * each) as u64 + self.looks.held() + self.states.len() as u64 * u64::from(self.longest)
    }
}

/// So many successors are looked up at once.
const AHEAD: usize = 512;

/// What a worker found, state after state.
struct Found<S> {
    nodes: Vec<Node>,
    children: Vec<Child>,
    states: Vec<S>,
    /// Bytes of the states.
    state_bytes: u64,
}

impl<S> Found<S> {
    /// Bytes held.
    fn bytes(&self) -> u64 {
        let lists = self.nodes.capacity() * size_of::<Node>() + self.children.capacity() * size_of::<Child>();
        let spare = (self.states.capacity() - self.states.len()) * size_of::<S>();
        (lists + spare) as u64 + self.state_bytes
    }
}

/// States that wait to be expanded, in blocks that go when they are done.
struct Waiting<S> {
    blocks: VecDeque<Vec<S>>,
    /// How many states a block takes.
    block: usize,
    len: usize,
    /// Bytes of the states.
    bytes: u64,
}

impl<S> Waiting<S> {
    fn new(block: usize) -> Waiting<S> {
        Waiting { blocks: VecDeque::new(), block, len: 0, bytes: 0 }
    }

    fn push(&mut self, state: S, bytes: u64) {
        match self.blocks.back_mut().filter(|last| last.len() < self.block) {
            Some(last) => last.push(state),
            None => {
                let mut fresh = Vec::with_capacity(self.block);
                fresh.push(state);
                self.blocks.push_back(fresh);
            }
        }
        self.len += 1;
        self.bytes += bytes;
    }

    /// The next block, which is as if gone from here.
    fn pop(&mut self) -> Option<Vec<S>> {
        let block = self.blocks.pop_front()?;
        // All states of a layer are about as long.
        self.bytes -= self.bytes / self.len as u64 * block.len() as u64;
        self.len -= block.len();
        Some(block)
    }
}

struct Node {
    kind: Kind,
    value: i8,
    stuck: bool,
    unrated: bool,
    sum: u8,
    children: usize,
    name: Option<u64>,
}

enum Child {
    /// Seen before this block was begun.
    Known(u32),
    /// Not seen then; its state is the next of `states`, and takes so many bytes.
    New(Key, u32),
}

/// Why a worker gave up.
enum Trouble {
    Limit(Limit),
    Many,
}

impl<G: Game> Worker<G> {
    fn new(game: &G, rate_all: bool) -> Worker<G> {
        Worker {
            rate_all,
            view: game.view(),
            keys: Keys::default(),
            ahead: Ahead {
                keys: Vec::new(),
                bytes: Vec::new(),
                states: Vec::new(),
                longest: 0,
                looks: Looks::default(),
            },
            legal: vec![Vec::new(); game.roles()],
            joint: Vec::new(),
            found: Found { nodes: Vec::new(), children: Vec::new(), states: Vec::new(), state_bytes: 0 },
        }
    }

    fn expand(
        &mut self,
        game: &G,
        states: &[G::State],
        seen: &Seen,
        name: Option<&Name<'_, G>>,
    ) -> Result<(), Trouble> {
        self.found.nodes.clear();
        self.found.children.clear();
        self.found.states.clear();
        self.found.state_bytes = 0;
        for state in states {
            game.look(state, &mut self.view).map_err(Trouble::Limit)?;
            let mut node = self.node(game)?;
            node.name = name.map(|name| name(state));
            self.found.nodes.push(node);
            if self.ahead.keys.len() >= AHEAD {
                self.look_up(seen);
            }
        }
        self.look_up(seen);
        Ok(())
    }

    /// Puts down the successors that were made, each as known or new.
    fn look_up(&mut self, seen: &Seen) {
        let Ahead { keys, bytes, states, looks, .. } = &mut self.ahead;
        seen.find_all(keys, looks);
        for (at, number) in looks.iter().enumerate() {
            self.found.children.push(match number {
                Some(number) => Child::Known(number),
                None => {
                    self.found.states.push(states[at].clone());
                    self.found.state_bytes += u64::from(bytes[at]);
                    Child::New(keys[at], bytes[at])
                }
            });
        }
        keys.clear();
        bytes.clear();
    }

    /// The state looked at, with its children made.
    fn node(&mut self, game: &G) -> Result<Node, Trouble> {
        let role = match game.turn(&self.view) {
            Turn::Over => return self.end(game, false),
            Turn::Many => return Err(Trouble::Many),
            Turn::One(role) => role,
        };
        for (at, legal) in self.legal.iter_mut().enumerate() {
            legal.clear();
            game.legal(&self.view, Role(at as u8), legal);
        }
        if self.legal.iter().any(Vec::is_empty) {
            return self.end(game, true);
        }
        self.joint.clear();
        self.joint.extend(self.legal.iter().map(|legal| legal[0]));
        let mover = role.0 as usize;
        let count = self.legal[mover].len();
        for at in 0..count {
            self.joint[mover] = self.legal[mover][at];
            let number = self.ahead.keys.len();
            if number == self.ahead.states.len() {
                self.ahead.states.push(game.start());
            }
            let next = &mut self.ahead.states[number];
            game.play(&mut self.view, &self.joint, next).map_err(Trouble::Limit)?;
            self.ahead.keys.push(self.keys.of(next));
            let bytes = u32::try_from(self.keys.state_bytes::<G::State>()).unwrap_or(u32::MAX);
            self.ahead.bytes.push(bytes);
            self.ahead.longest = self.ahead.longest.max(bytes);
        }
        let kind = if mover == 0 { Kind::First } else { Kind::Second };
        let rated = if self.rate_all { Some(self.end(game, false)?) } else { None };
        let (value, unrated) = rated.map_or((0, false), |node| (node.value, node.unrated));
        Ok(Node { kind, value, stuck: false, unrated, sum: 0, children: count, name: None })
    }

    fn end(&mut self, game: &G, stuck: bool) -> Result<Node, Trouble> {
        let mut goals = [0u8; 2];
        let mut unrated = false;
        for (at, goal) in goals.iter_mut().enumerate().take(game.roles()) {
            match game.goal(&mut self.view, Role(at as u8)).map_err(Trouble::Limit)? {
                Some(value) => *goal = value.min(100),
                None => unrated = true,
            }
        }
        let value = goals[0] as i8 - goals[1] as i8;
        let sum = goals[0] + goals[1];
        Ok(Node { kind: Kind::End, value, stuck, unrated, sum, children: 0, name: None })
    }
}

/// What a state is called where its solution is stored.
pub type Name<'a, G> = dyn Fn(&<G as Game>::State) -> u64 + Sync + 'a;

/// How many states a worker takes at a time: enough to be worth a start, few enough that the caller is heard soon.
const SHARE: usize = 128;

/// Finds everything that can be reached.
pub fn walk<G: Game>(
    game: &G,
    options: &Options,
    name: Option<&Name<'_, G>>,
    watch: Watch<'_>,
    rate_all: bool,
) -> Result<Graph, SolveError> {
    let mut graph = Graph::new();
    let start = game.start();
    graph.seen.number(Keys::default().of(&start));
    let mut workers: Vec<Worker<G>> = (0..options.threads.max(1)).map(|_| Worker::new(game, rate_all)).collect();
    let size = SHARE * workers.len();
    let mut layer = Waiting::new(size);
    layer.push(start, size_of::<G::State>() as u64);
    while layer.len > 0 {
        graph.layers.push(layer.len as u64);
        let mut next = Waiting::new(size);
        loop {
            let in_work = workers.iter().map(|worker| worker.found.bytes() + worker.ahead.held()).sum::<u64>();
            let held = layer.bytes + next.bytes + in_work;
            let Some(block) = layer.pop() else { break };
            let reach = graph.reach(held);
            if !watch(&reach) {
                return Err(SolveError::Stopped(reach));
            }
            if reach.needed > options.memory || graph.edges.len() + block.len() > MOST {
                return Err(SolveError::Memory { reach, limit: options.memory });
            }
            let share = block.len().div_ceil(workers.len()).max(1);
            let parts = workers.par_iter_mut().zip(block.par_chunks(share));
            let seen = &graph.seen;
            parts.try_for_each(|(worker, part)| worker.expand(game, part, seen, name)).map_err(
                |trouble| match trouble {
                    Trouble::Limit(limit) => SolveError::Limit { limit, reach: reach.clone() },
                    Trouble::Many => SolveError::Simultaneous(reach.clone()),
                },
            )?;
            let busy = block.len().div_ceil(share);
            for worker in &mut workers[..busy] {
                graph.take(&mut worker.found, &mut next, rate_all)?;
            }
        }
        layer = next;
    }
    Ok(graph)
}

impl Graph {
    fn new() -> Graph {
        Graph {
            seen: Seen::new(),
            kinds: Blocks::new(),
            values: Blocks::new(),
            degrees: Blocks::new(),
            edges: Blocks::new(),
            names: Blocks::new(),
            layers: Vec::new(),
            ends: (0, 0),
            unrated: 0,
            sums: (200, 0),
            ascending: true,
            idle: Idle::default(),
        }
    }

    fn take<S>(&mut self, found: &mut Found<S>, next: &mut Waiting<S>, rate_all: bool) -> Result<(), SolveError> {
        let mut children = found.children.drain(..);
        let mut states = found.states.drain(..);
        let mut numbers = Vec::new();
        for node in found.nodes.drain(..) {
            let number = self.kinds.len() as u32;
            numbers.clear();
            for child in children.by_ref().take(node.children) {
                numbers.push(match child {
                    Child::Known(number) => number,
                    Child::New(key, bytes) => {
                        let state = states.next();
                        let (number, new) = self.seen.number(key);
                        if let Some(state) = state.filter(|_| new) {
                            next.push(state, u64::from(bytes));
                        }
                        number
                    }
                });
            }
            numbers.sort_unstable();
            numbers.dedup();
            self.ascending &= numbers.first().is_none_or(|first| *first > number);
            self.kinds.push(node.kind);
            self.values.push(node.value);
            self.degrees.push(numbers.len() as u32);
            numbers.iter().for_each(|number| self.edges.push(*number));
            node.name.into_iter().for_each(|name| self.names.push(name));
            if node.kind != Kind::End && rate_all {
                if node.unrated {
                    return Err(SolveError::Counter("there are states without a goal".into()));
                }
                self.idle.add(node.value);
            }
            if node.kind == Kind::End {
                let ends = if node.stuck { &mut self.ends.1 } else { &mut self.ends.0 };
                *ends += 1;
                self.unrated += u64::from(node.unrated);
                self.sums = (self.sums.0.min(node.sum), self.sums.1.max(node.sum));
            }
        }
        Ok(())
    }

    /// How far it is, with so many bytes held beside the graph.
    fn reach(&self, held: u64) -> Reach {
        let states = self.seen.len() as u64;
        let edges = self.edges.len() as u64;
        let kept = self.seen.bytes() + self.values.bytes() + self.names.bytes();
        let graph = self.kinds.bytes() + self.degrees.bytes() + self.edges.bytes();
        let back = back::bytes(states, edges, self.ascending);
        // What storing takes, when only the answers are left of the graph: a distance each, and the keys in order.
        let storing = if self.names.len() == 0 { 0 } else { (2 + STORING) * states };
        Reach {
            phase: Phase::Forward,
            states,
            expanded: self.kinds.len() as u64,
            depth: self.layers.len().saturating_sub(1),
            edges,
            needed: kept + (graph + back.max(held)).max(storing),
        }
    }
}
