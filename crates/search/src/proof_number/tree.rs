//! The tree of a proof-number search: positions with bounds on their value and with proof and disproof numbers of one question.
//!
//! Positions that are reached in several ways at the same depth are one node, so there are no circles. Numbers of a node are
//! worked out from its children whenever a path through it is settled; another way to it hears of that when it is
//! taken the next time. Where many children count, the greatest of their numbers counts and one for each other, not the sum: in
//! a tree with joined branches sums grow out of all proportion.

use crate::key::key;
use game::steps::Seen;
use game::{Move, Role, Turn};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::Arc;

/// A number that no effort reaches.
const NEVER: u32 = u32::MAX / 4;
/// What is added to the numbers of a position that was chosen and not yet looked at, so that the next choice is another one.
const CHOSEN: u32 = 40;
/// No node.
const NONE: u32 = u32::MAX;
/// What a state may own beside its size: most are a few words of facts.
const STATE: usize = 96;
/// A key and its place in the table of keys.
const KEY: usize = 16;
/// How many moves a match may have gone on since the last search.
const MOVED: u16 = 6;

/// Who decides in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Somebody who wants our reward.
    Ours,
    /// Somebody who does not.
    Theirs,
}

/// A position.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// How many positions must at least be won for a proof of the question, and for a refutation.
    proof: u32,
    refutation: u32,
    /// Where its moves begin, and how many there are; none where the game is over.
    first: u32,
    count: u16,
    depth: u16,
    /// Joint moves to the end of what is proved, once it is.
    end: u16,
    /// What is known of the value.
    pub lo: u8,
    /// The same from above.
    pub hi: u8,
    chooser: Role,
    kind: Kind,
    /// Whether the moves were made.
    grown: bool,
    /// Whether several choose here at once: nothing is asked.
    closed: bool,
    /// Whether it waits for its moves to be made.
    chosen: bool,
}

impl Node {
    /// Whether the question is answered here.
    pub fn is_settled(&self) -> bool {
        self.proof == 0 || self.refutation == 0
    }

    /// Whether nothing can be found out here: moves that are made at once stand in the way.
    pub fn is_hopeless(&self) -> bool {
        self.proof >= NEVER && self.refutation >= NEVER
    }

    /// A guess of the value, between the bounds.
    pub fn estimate(&self) -> f32 {
        let (proof, refutation) = (self.proof as f32 + 1.0, self.refutation as f32 + 1.0);
        f32::from(self.lo) + f32::from(self.hi - self.lo) * refutation / (proof + refutation)
    }
}

/// A move of whoever chooses, and where it leads.
#[derive(Clone, Copy, Debug)]
struct Edge {
    mv: Move,
    child: u32,
}

/// A move to be made.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// From which node.
    pub node: u32,
    /// Where the joint move begins.
    pub joint: usize,
    edge: u32,
}

/// Moves to be made, and the ways to where they are made.
#[derive(Default, Debug)]
pub struct Chosen {
    pub steps: Vec<Step>,
    /// The joint moves, one after the other.
    pub joints: Vec<Move>,
    /// The nodes from the root to each position that was chosen.
    paths: Vec<Vec<u32>>,
}

impl Chosen {
    /// Whether nothing was chosen.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }
}

/// Keys are mixed already.
#[derive(Default)]
struct Plain(u64);

impl Hasher for Plain {
    fn write(&mut self, _: &[u8]) {}
    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

/// A key that states have in common of which the same can be proved.
pub type Same<S> = Arc<dyn Fn(&S) -> u64 + Send + Sync>;

/// See the module.
pub struct Tree<S> {
    role: Role,
    kinds: Vec<Kind>,
    range: (u8, u8),
    root: u32,
    nodes: Vec<Node>,
    /// The state of each node that has not grown yet.
    states: Vec<Option<S>>,
    /// A legal move of every role, node after node: what those do who do not choose.
    joints: Vec<Move>,
    edges: Vec<Edge>,
    known: HashMap<u64, u32, BuildHasherDefault<Plain>>,
    same: Option<Same<S>>,
    /// The question: whether our reward is at least this.
    asked: u8,
    /// Nodes whose value was known at once.
    ends: u64,
}

impl<S: Clone + Eq + Hash> Tree<S> {
    /// A tree of one position, of which this can be seen.
    pub fn new(
        role: Role,
        kinds: Vec<Kind>,
        range: (u8, u8),
        same: Option<Same<S>>,
        (state, seen): (&S, &Seen),
    ) -> Tree<S> {
        let mut tree = Tree {
            role,
            kinds,
            range,
            root: 0,
            nodes: Vec::new(),
            states: Vec::new(),
            joints: Vec::new(),
            edges: Vec::new(),
            known: HashMap::default(),
            same,
            asked: range.1,
            ends: 0,
        };
        tree.root = tree.add(tree.key(0, state), 0, state.clone(), seen);
        tree
    }

    /// The tree with this position as its root, if it is in it. What is no longer needed is given up when all takes more bytes than this.
    pub fn moved_to(mut self, state: &S, bytes: usize) -> Option<Tree<S>> {
        let depth = self.nodes[self.root as usize].depth;
        let root = (depth..=depth + MOVED).find_map(|depth| self.known.get(&self.key(depth, state)).copied())?;
        self.root = root;
        if self.bytes() > bytes {
            self = self.below();
        }
        self.asked = self.root().hi;
        self.count_again();
        Some(self)
    }

    /// What a position is found by: positions at the same depth of which the same can be proved are one.
    fn key(&self, depth: u16, state: &S) -> u64 {
        match &self.same {
            Some(same) => key(&(depth, same(state))),
            None => key(&(depth, state)),
        }
    }

    /// How many roles there are.
    pub fn roles(&self) -> usize {
        self.kinds.len()
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// How many of them were settled when they were first seen.
    pub fn ends(&self) -> u64 {
        self.ends
    }

    /// About how many bytes they take, with the room that lists leave for growing.
    pub fn bytes(&self) -> usize {
        let node = size_of::<Node>() + size_of::<Option<S>>() + STATE + KEY + size_of::<Move>() * self.kinds.len();
        (self.nodes.len() * node + self.edges.len() * size_of::<Edge>()) * 3 / 2
    }

    /// The position at the root.
    pub fn root(&self) -> &Node {
        &self.nodes[self.root as usize]
    }

    /// The state of a node whose moves were not made yet.
    pub fn state(&self, node: u32) -> &S {
        self.states[node as usize].as_ref().expect("its moves were not made yet")
    }

    fn edges(&self, node: &Node) -> &[Edge] {
        &self.edges[node.first as usize..node.first as usize + usize::from(node.count)]
    }

    fn children(&self, node: &Node) -> impl Iterator<Item = &Node> {
        self.edges(node).iter().map(|edge| &self.nodes[edge.child as usize])
    }

    /// Takes the next question, if the last one is answered; whether there is any.
    pub fn ask(&mut self) -> bool {
        let &Node { lo, hi, .. } = self.root();
        if lo == hi {
            return false;
        }
        if hi < self.asked || lo >= self.asked {
            self.asked = hi;
            self.count_again();
        }
        !self.root().is_hopeless()
    }

    /// Chooses positions, about as many as have so many moves together.
    pub fn choose(&mut self, most: usize) -> Chosen {
        let mut chosen = Chosen::default();
        while chosen.steps.len() < most {
            let path = self.descend();
            let at = path[path.len() - 1];
            let node = self.nodes[at as usize];
            if node.chosen {
                break;
            }
            if node.is_settled() || node.is_hopeless() {
                // It became so on another way to it, and those above have not heard of that yet.
                path[..path.len() - 1].iter().rev().for_each(|&above| self.count(above));
                if self.root().is_settled() || self.descend() == path {
                    break;
                }
                continue;
            }
            for edge in node.first..node.first + u32::from(node.count) {
                let joint = chosen.joints.len();
                let from = at as usize * self.roles();
                chosen.joints.extend_from_slice(&self.joints[from..from + self.roles()]);
                chosen.joints[joint + node.chooser.0 as usize] = self.edges[edge as usize].mv;
                chosen.steps.push(Step { node: at, joint, edge });
            }
            let waiting = &mut self.nodes[at as usize];
            waiting.chosen = true;
            waiting.proof += CHOSEN;
            waiting.refutation += CHOSEN;
            path[..path.len() - 1].iter().rev().for_each(|&above| self.count(above));
            chosen.paths.push(path);
        }
        chosen
    }

    /// The nodes from the root to the position that counts most for proof and refutation.
    fn descend(&self) -> Vec<u32> {
        let mut path = vec![self.root];
        loop {
            let node = &self.nodes[path[path.len() - 1] as usize];
            if !node.grown || node.is_settled() || node.is_hopeless() {
                return path;
            }
            let edges = self.edges(node).iter().map(|edge| edge.child);
            let number = |&child: &u32| {
                let child = &self.nodes[child as usize];
                match node.kind {
                    Kind::Ours => (child.proof, child.refutation),
                    Kind::Theirs => (child.refutation, child.proof),
                }
            };
            let Some(next) = edges.min_by_key(number) else { return path };
            path.push(next);
        }
    }

    /// A step was made, and this can be seen where it led.
    pub fn reach(&mut self, step: Step, state: S, seen: &Seen) {
        let depth = self.nodes[step.node as usize].depth + 1;
        let key = self.key(depth, &state);
        let child = match self.known.get(&key) {
            Some(&child) => child,
            None => self.add(key, depth, state, seen),
        };
        self.edges[step.edge as usize].child = child;
    }

    /// All moves of the chosen positions were made: their numbers and those of all above follow.
    pub fn settle(&mut self, chosen: &Chosen) {
        for path in &chosen.paths {
            let at = path[path.len() - 1] as usize;
            let Node { first, count, .. } = self.nodes[at];
            let whole = self.edges[first as usize..(first + u32::from(count)) as usize].iter().all(|e| e.child != NONE);
            self.nodes[at].chosen = false;
            if whole {
                self.nodes[at].grown = true;
                self.states[at] = None;
            } else {
                self.begin(at);
            }
        }
        for path in &chosen.paths {
            path.iter().rev().for_each(|&node| self.count(node));
        }
    }

    /// A new node.
    fn add(&mut self, key: u64, depth: u16, state: S, seen: &Seen) -> u32 {
        let at = self.nodes.len() as u32;
        let (least, greatest) = self.range;
        let over = seen.over || seen.is_stuck();
        let (lo, hi) = match over {
            true => {
                let goal = seen.goals.get(self.role.0 as usize).copied().flatten().unwrap_or(least);
                (goal, goal)
            }
            false => (least, greatest),
        };
        let turn = seen.turn();
        let chooser = match turn {
            Turn::One(role) if !over => role,
            _ => Role(0),
        };
        let first = self.edges.len() as u32;
        if !over && turn != Turn::Many {
            self.edges.extend(seen.legal(chooser).iter().map(|&mv| Edge { mv, child: NONE }));
        }
        let count = (self.edges.len() as u32 - first) as u16;
        for role in 0..self.roles() {
            let legal = if over { &[] } else { seen.legal(Role(role as u8)) };
            self.joints.push(legal.first().copied().unwrap_or(Move(0)));
        }
        self.nodes.push(Node {
            proof: 0,
            refutation: 0,
            first,
            count,
            depth,
            end: 0,
            lo,
            hi,
            chooser,
            kind: self.kinds[chooser.0 as usize],
            grown: false,
            closed: turn == Turn::Many && !over,
            chosen: false,
        });
        self.ends += u64::from(over);
        self.states.push((!over).then_some(state));
        self.known.insert(key, at);
        self.begin(at as usize);
        at
    }

    /// The numbers of a node that has no children yet.
    fn begin(&mut self, at: usize) {
        let asked = self.asked;
        let node = &mut self.nodes[at];
        let moves = u32::from(node.count).max(1);
        (node.proof, node.refutation) = match node.kind {
            _ if node.lo >= asked => (0, NEVER),
            _ if node.hi < asked => (NEVER, 0),
            _ if node.closed => (NEVER, NEVER),
            Kind::Ours => (1, moves),
            Kind::Theirs => (moves, 1),
        };
    }

    /// Works out a node from its children.
    fn count(&mut self, at: u32) {
        let node = self.nodes[at as usize];
        if !node.grown || node.lo == node.hi {
            return;
        }
        let ours = node.kind == Kind::Ours;
        // What one child is enough for, and what all of them are needed for.
        let (mut one, mut greatest, mut open, mut lost) = (NEVER, 0, 0, false);
        let (mut lo, mut hi) = if ours { (0, 0) } else { (u8::MAX, u8::MAX) };
        for child in self.children(&node) {
            let (any, all) = if ours { (child.proof, child.refutation) } else { (child.refutation, child.proof) };
            one = one.min(any);
            greatest = greatest.max(all);
            open += u32::from(all > 0);
            lost |= all >= NEVER;
            (lo, hi) = if ours { (lo.max(child.lo), hi.max(child.hi)) } else { (lo.min(child.lo), hi.min(child.hi)) };
        }
        let all = if lost { NEVER } else { greatest + open.saturating_sub(1) };
        let end = if lo == hi { self.end_of(&node, lo) } else { 0 };
        let asked = self.asked;
        let node = &mut self.nodes[at as usize];
        (node.lo, node.hi, node.end) = (lo, hi, end);
        (node.proof, node.refutation) = match (ours, lo >= asked, hi < asked) {
            (_, true, _) => (0, NEVER),
            (_, _, true) => (NEVER, 0),
            (true, ..) => (one, all),
            (false, ..) => (all, one),
        };
    }

    /// How long it takes until a value is reached: as short as we like where it is our choice, as long as they like where not.
    fn end_of(&self, node: &Node, value: u8) -> u16 {
        let keeping = self.children(node).filter(|child| child.lo == value && child.hi == value);
        let ends = keeping.map(|child| child.end);
        // A loss is put off, everything else is reached soon.
        let wants_soon = (value > self.range.0) == (node.kind == Kind::Ours);
        1 + if wants_soon { ends.min() } else { ends.max() }.unwrap_or(0)
    }

    /// The numbers of all nodes for the question that is asked now, from the deepest ones up.
    fn count_again(&mut self) {
        let mut order: Vec<u32> = (0..self.nodes.len() as u32).collect();
        order.sort_unstable_by_key(|&at| std::cmp::Reverse(self.nodes[at as usize].depth));
        for at in order {
            let node = self.nodes[at as usize];
            if node.grown && node.lo != node.hi {
                self.count(at);
            } else {
                self.begin(at as usize);
            }
        }
    }

    /// The part of the tree below its root, as a tree of its own.
    fn below(mut self) -> Tree<S> {
        let mut places = vec![NONE; self.nodes.len()];
        let mut order = vec![self.root];
        places[self.root as usize] = 0;
        let mut next = 0;
        while let Some(&at) = order.get(next) {
            let node = self.nodes[at as usize];
            next += 1;
            // What is below a value that is known is needed for playing, along one of the best lines.
            for edge in self.edges(&node).iter().filter(|_| node.grown) {
                let child = edge.child as usize;
                if places[child] == NONE {
                    places[child] = order.len() as u32;
                    order.push(edge.child);
                }
            }
        }
        let (mut nodes, mut edges) = (Vec::with_capacity(order.len()), Vec::new());
        let (mut states, mut joints) = (Vec::with_capacity(order.len()), Vec::new());
        for &at in &order {
            let mut node = self.nodes[at as usize];
            let own = self.edges(&node).iter();
            let child = |child: u32| if child == NONE { NONE } else { places[child as usize] };
            let first = edges.len() as u32;
            edges.extend(own.map(|edge| Edge { mv: edge.mv, child: child(edge.child) }));
            node.first = first;
            nodes.push(node);
            states.push(self.states[at as usize].take());
            let from = at as usize * self.roles();
            joints.extend_from_slice(&self.joints[from..from + self.roles()]);
        }
        let known = self.known.iter().filter(|(_, at)| places[**at as usize] != NONE);
        let known = known.map(|(&key, &at)| (key, places[at as usize])).collect();
        Tree { root: 0, nodes, states, joints, edges, known, ..self }
    }

    /// The moves at the root, and what is known of where they lead.
    pub fn below_root(&self) -> impl Iterator<Item = (Move, &Node)> {
        let root = self.root();
        let grown = self.edges(root).iter().filter(|edge| edge.child != NONE);
        grown.map(|edge| (edge.mv, &self.nodes[edge.child as usize]))
    }

    /// The best move of a node whose moves were made, and where it leads.
    fn best(&self, node: &Node) -> Option<(Move, u32)> {
        if !node.grown {
            return None;
        }
        let ours = node.kind == Kind::Ours;
        let worth = |edge: &&Edge| {
            let child = &self.nodes[edge.child as usize];
            let (bound, other) = if ours { (child.lo, child.hi) } else { (u8::MAX - child.hi, u8::MAX - child.lo) };
            let (proof, refutation) =
                if ours { (child.proof, child.refutation) } else { (child.refutation, child.proof) };
            let decided = child.lo == child.hi;
            let soon = (child.lo > self.range.0) == ours;
            let end = if soon { u16::MAX - child.end } else { child.end };
            (bound, other, if decided { end } else { 0 }, NEVER - proof.min(NEVER), refutation)
        };
        self.edges(node).iter().max_by_key(worth).map(|edge| (edge.mv, edge.child))
    }

    /// The best move at the root.
    pub fn best_move(&self) -> Option<Move> {
        self.best(self.root()).map(|(mv, _)| mv)
    }

    /// The joint moves that follow, best for everybody.
    pub fn line(&self) -> Vec<Vec<Move>> {
        let mut line = Vec::new();
        let mut at = self.root;
        while let Some((mv, child)) = self.best(&self.nodes[at as usize]) {
            let from = at as usize * self.roles();
            let mut joint = self.joints[from..from + self.roles()].to_vec();
            joint[self.nodes[at as usize].chooser.0 as usize] = mv;
            line.push(joint);
            at = child;
        }
        line
    }
}
