//! Gates to a straight program: two-input operations on numbered slots, in an order that can be run.
//!
//! Every gate becomes and-nodes of two inputs with negations on the wires, each node once. Inputs of wide gates are
//! divided by the bits of their numbers, so that gates with many inputs in common share whole subtrees. Nodes that
//! depend on themselves are gathered in loops that run until nothing changes.

use crate::budget::{Budget, Stop};
use crate::gates::{GateKind, Gates, Lit};
use crate::graph::components;
use std::collections::HashMap;

/// What an operation does with the slots `a` and `b`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Do {
    And,
    /// `a` and not `b`.
    AndNot,
    Or,
}

/// A slot, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Wire {
    pub slot: u32,
    pub negated: bool,
}

/// One operation. It knows its slots by where they are in planes of 512 lanes, counted in words: that is what the processor adds to an
/// address without working anything out, and a third of an operation's instructions were such shifts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    places: [u32; 3],
}

impl Op {
    fn new(to: u32, a: u32, b: u32) -> Op {
        Op { places: [to, a, b].map(|slot| slot * Op::WORDS) }
    }

    /// Words of a slot, as places are counted.
    pub const WORDS: u32 = 8;

    /// The slots: where it goes to, and its two inputs.
    pub fn slots(self) -> [u32; 3] {
        self.places.map(|place| place / Op::WORDS)
    }

    /// The places of the same three.
    #[inline(always)]
    pub fn places(self) -> [u32; 3] {
        self.places
    }
}

/// A piece of a program.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    /// So many operations of one kind.
    Run(Do, u32),
    /// The pieces and operations up to the matching `End` are run until no slot of `grows` changes.
    Loop {
        /// Slots that begin as false, each with the wire that is or-ed into it after every round.
        grows: Vec<(u32, Wire)>,
    },
    End,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub pieces: Vec<Piece>,
    pub ops: Vec<Op>,
}

/// Two programs over the same slots: what follows from the facts, and what follows from the moves.
#[derive(Clone, Debug)]
pub(crate) struct Circuit {
    /// How many slots there are; slot 0 is always true, then the inputs in order, then what is worked out.
    pub slots: u32,
    pub state: Code,
    pub moves: Code,
    /// Where the outputs of the first program are, in the order given, then those of the second.
    pub outputs: Vec<Wire>,
}

/// An and-node: two literals over nodes.
type Pair = (Lit, Lit);

/// Nodes: constant, inputs, and-nodes, and nodes that depend on themselves.
struct Nodes {
    /// For each node its pair; `None` for inputs and open nodes.
    pairs: Vec<Option<Pair>>,
    known: HashMap<Pair, u32, std::hash::BuildHasherDefault<PairHasher>>,
    /// Open nodes, with what is or-ed into them.
    open: Vec<(u32, Lit)>,
}

/// A quick hash for pairs of literals.
#[derive(Default)]
struct PairHasher(u64);

impl std::hash::Hasher for PairHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(u32::from(byte));
        }
    }
    fn write_u32(&mut self, x: u32) {
        self.0 = (self.0.rotate_left(21) ^ u64::from(x)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Nodes {
    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        if a == Lit::FALSE || b == Lit::FALSE || a == b.not() {
            return Lit::FALSE;
        }
        if a == Lit::TRUE || a == b {
            return b;
        }
        if b == Lit::TRUE {
            return a;
        }
        let pair = if a < b { (a, b) } else { (b, a) };
        let next = self.pairs.len() as u32;
        let node = *self.known.entry(pair).or_insert(next);
        if node == next {
            self.pairs.push(Some(pair));
        }
        Lit::of(node)
    }

    /// The and of many, divided by the bits of their numbers.
    fn and_all(&mut self, lits: &[Lit]) -> Lit {
        match *lits {
            [] => Lit::TRUE,
            [only] => only,
            [a, b] => self.and(a, b),
            _ => {
                let (first, last) = (lits[0].gate(), lits[lits.len() - 1].gate());
                let middle = match first ^ last {
                    0 => lits.len() / 2,
                    differ => {
                        let top = 1 << (31 - differ.leading_zeros());
                        lits.partition_point(|lit| lit.gate() & top == 0)
                    }
                };
                let (a, b) = (self.and_all(&lits[..middle]), self.and_all(&lits[middle..]));
                self.and(a, b)
            }
        }
    }
}

/// Cancellation is heard, and memory counted, once in so many gates.
const HEARD_EVERY: u32 = 1 << 14;
/// About what a node takes, with its place in the table of nodes; and what the scheduler needs for it.
const NODE_BYTES: usize = 40;
const SCHEDULED_BYTES: usize = 40;

/// Builds the programs. `inputs` is the number of inputs; `state` and `moves` are the outputs of the two programs.
pub(crate) fn circuit(
    gates: &Gates,
    inputs: u32,
    state: &[Lit],
    moves: &[Lit],
    budget: &mut Budget,
) -> Result<Circuit, Stop> {
    let mut nodes = Nodes { pairs: vec![None; inputs as usize + 1], known: HashMap::default(), open: Vec::new() };
    let value = translate(gates, &mut nodes, state.iter().chain(moves), budget)?;
    let map = |lit: &Lit| value[lit.gate() as usize].flip(lit.negated());
    let (state, moves): (Vec<Lit>, Vec<Lit>) = (state.iter().map(map).collect(), moves.iter().map(map).collect());
    budget.hold_now(gates.bytes() + nodes.pairs.len() * (NODE_BYTES + SCHEDULED_BYTES))?;
    let circuit = Scheduler::new(&nodes, inputs).schedule(&state, &moves, budget)?;
    budget.heard()?;
    Ok(circuit)
}

/// Gives every gate that the outputs need its node.
fn translate<'a>(
    gates: &Gates,
    nodes: &mut Nodes,
    outputs: impl Iterator<Item = &'a Lit>,
    budget: &mut Budget,
) -> Result<Vec<Lit>, Stop> {
    let count = gates.len();
    let mut needed = vec![false; count];
    let mut todo: Vec<u32> = outputs.map(|lit| lit.gate()).collect();
    while let Some(gate) = todo.pop() {
        if !std::mem::replace(&mut needed[gate as usize], true) {
            todo.extend(gates.inputs(gate).iter().map(|lit| lit.gate()));
        }
    }
    let mut value = vec![Lit::TRUE; count];
    for gate in (0..count as u32).filter(|&gate| needed[gate as usize]) {
        match gates.kind(gate) {
            GateKind::Open => {
                value[gate as usize] = Lit::of(nodes.pairs.len() as u32);
                nodes.pairs.push(None);
            }
            GateKind::Input(number) => value[gate as usize] = Lit::of(number + 1),
            GateKind::True | GateKind::And | GateKind::Or => {}
        }
    }
    // All inputs of an ordinary gate come before it, but for open gates, which have their nodes already.
    let mut lits = Vec::new();
    for gate in (0..count as u32).filter(|&gate| needed[gate as usize]) {
        let kind = gates.kind(gate);
        if !matches!(kind, GateKind::And | GateKind::Or) {
            continue;
        }
        let flip = kind == GateKind::Or;
        lits.clear();
        lits.extend(gates.inputs(gate).iter().map(|lit| value[lit.gate() as usize].flip(lit.negated() != flip)));
        lits.sort_unstable();
        lits.dedup();
        value[gate as usize] = nodes.and_all(&lits).flip(flip);
        if gate % HEARD_EVERY == 0 {
            budget.heard()?;
            budget.hold_now(gates.bytes() + nodes.pairs.len() * NODE_BYTES)?;
        }
    }
    for gate in (0..count as u32).filter(|&gate| needed[gate as usize] && gates.kind(gate) == GateKind::Open) {
        lits.clear();
        lits.extend(gates.inputs(gate).iter().map(|lit| value[lit.gate() as usize].flip(!lit.negated())));
        lits.sort_unstable();
        lits.dedup();
        let all = nodes.and_all(&lits).not();
        nodes.open.push((value[gate as usize].gate(), all));
    }
    Ok(value)
}

struct Scheduler<'a> {
    nodes: &'a Nodes,
    inputs: u32,
    /// For each node the loop it belongs to, from 1; 0 for none.
    circle: Vec<u32>,
    /// The slot of each node and whether it holds the negation.
    at: Vec<Wire>,
    done: Vec<bool>,
    slots: u32,
    free: Vec<u32>,
    /// How many uses of a node are still to come.
    uses: Vec<u32>,
    /// What is or-ed into each open node.
    grows: HashMap<u32, Lit>,
    /// Chains of nodes that wait for a node, and how many inputs each still waits for.
    users: Vec<u32>,
    links: Vec<u32>,
    missing: Vec<u8>,
}

/// Ends a chain.
const NONE: u32 = u32::MAX;

const NOWHERE: Wire = Wire { slot: u32::MAX, negated: false };

impl<'a> Scheduler<'a> {
    fn new(nodes: &'a Nodes, inputs: u32) -> Scheduler<'a> {
        let count = nodes.pairs.len();
        let mut circle = vec![0; count];
        let grows: HashMap<u32, Lit> = nodes.open.iter().copied().collect();
        if !nodes.open.is_empty() {
            let edges: Vec<Vec<u32>> = (0..count as u32)
                .map(|node| match (&nodes.pairs[node as usize], grows.get(&node)) {
                    (Some((a, b)), _) => vec![a.gate(), b.gate()],
                    (None, Some(lit)) => vec![lit.gate()],
                    (None, None) => Vec::new(),
                })
                .collect();
            let parts = components(&edges);
            for (circle, &part) in circle.iter_mut().zip(&parts.of) {
                if parts.cyclic[part as usize] {
                    *circle = part + 1;
                }
            }
        }
        let mut at = vec![NOWHERE; count];
        for (slot, wire) in at.iter_mut().enumerate().take(inputs as usize + 1) {
            *wire = Wire { slot: slot as u32, negated: false };
        }
        let mut done = vec![false; count];
        done[..=inputs as usize].fill(true);
        Scheduler {
            nodes,
            inputs,
            circle,
            at,
            done,
            slots: inputs + 1,
            free: Vec::new(),
            uses: vec![0; count],
            grows,
            users: vec![NONE; count],
            links: vec![NONE; 2 * count],
            missing: vec![0; count],
        }
    }

    fn schedule(mut self, state: &[Lit], moves: &[Lit], budget: &Budget) -> Result<Circuit, Stop> {
        // Outputs are used once more than their nodes, so that their slots are never given away.
        for lit in state.iter().chain(moves) {
            self.uses[lit.gate() as usize] += 1;
        }
        let first = self.wanted(state);
        self.note_uses(&first);
        first.iter().for_each(|&node| self.done[node as usize] = true);
        budget.heard()?;
        let second = self.wanted(moves);
        self.note_uses(&second);
        first.iter().for_each(|&node| self.done[node as usize] = false);
        let state_code = self.program(&first);
        budget.heard()?;
        // What the first program leaves must survive the second, which may be run several times after it.
        first.iter().for_each(|&node| self.uses[node as usize] += 1);
        let moves_code = self.program(&second);
        let outputs = state.iter().chain(moves).map(|&lit| self.wire(lit)).collect();
        Ok(Circuit { slots: self.slots, state: state_code, moves: moves_code, outputs })
    }

    /// The inputs of a node that is worked out by one operation. An open node that turned out not to depend on itself
    /// is just a copy of what would be or-ed into it.
    fn pair(&self, node: u32) -> Option<Pair> {
        match self.nodes.pairs[node as usize] {
            None if self.circle[node as usize] == 0 => self.grows.get(&node).map(|&lit| (lit, lit)),
            pair => pair,
        }
    }

    /// The nodes that a node looks at.
    fn below(&self, node: u32) -> [Option<u32>; 2] {
        match (self.pair(node), self.grows.get(&node)) {
            (Some((a, b)), _) => [Some(a.gate()), Some(b.gate())],
            (None, Some(lit)) => [Some(lit.gate()), None],
            (None, None) => [None, None],
        }
    }

    fn wire(&self, lit: Lit) -> Wire {
        let Wire { slot, negated } = self.at[lit.gate() as usize];
        Wire { slot, negated: negated != lit.negated() }
    }

    /// The nodes that must be worked out for the outputs, with everything before what uses it, loop by loop.
    fn wanted(&mut self, outputs: &[Lit]) -> Vec<u32> {
        let mut seen = vec![false; self.nodes.pairs.len()];
        let mut order = Vec::new();
        let mut stack: Vec<(u32, u8)> = Vec::new();
        for lit in outputs {
            stack.push((lit.gate(), 0));
            while let Some((node, stage)) = stack.pop() {
                if self.done[node as usize] || (stage == 0 && std::mem::replace(&mut seen[node as usize], true)) {
                    continue;
                }
                let below = self.below(node);
                match below.get(stage as usize).copied().flatten() {
                    Some(next) => {
                        stack.push((node, stage + 1));
                        stack.push((next, 0));
                    }
                    None => order.push(node),
                }
            }
        }
        order
    }

    /// Counts how often each node is used by these.
    fn note_uses(&mut self, order: &[u32]) {
        for &node in order {
            for input in self.below(node).into_iter().flatten() {
                self.uses[input as usize] += 1;
            }
        }
    }

    fn program(&mut self, order: &[u32]) -> Code {
        let mut code = Code::default();
        let mut loops: HashMap<u32, Vec<u32>> = HashMap::new();
        for &node in order {
            if self.circle[node as usize] != 0 {
                loops.entry(self.circle[node as usize]).or_default().push(node);
            }
        }
        // A circle is run when its first node comes up with everything outside it done; the order guarantees that no
        // node after the circle's last one is needed by it.
        let mut plain = Vec::new();
        for part in self.by_parts(order) {
            match part {
                Part::Plain(nodes) => plain.extend(nodes),
                Part::Circle(number) => {
                    self.straight(&plain, &mut code, true);
                    plain.clear();
                    let members = loops.remove(&number).unwrap_or_default();
                    self.round(&members, &mut code);
                }
            }
        }
        self.straight(&plain, &mut code, true);
        code
    }

    /// The order cut where circles must be run: components in the order of dependence.
    fn by_parts(&self, order: &[u32]) -> Vec<Part> {
        if order.iter().all(|&node| self.circle[node as usize] == 0) {
            return vec![Part::Plain(order.to_vec())];
        }
        // Depth of each node in terms of circles below it; everything is then run depth by depth.
        let mut unit: HashMap<u32, u32> = HashMap::new();
        let mut units: Vec<Vec<u32>> = Vec::new();
        let mut members: Vec<(Option<u32>, Vec<u32>)> = Vec::new();
        for &node in order {
            let circle = self.circle[node as usize];
            let next = units.len() as u32;
            let key = if circle == 0 { u32::MAX - node } else { circle };
            let number = *unit.entry(key).or_insert(next);
            if number == next {
                units.push(Vec::new());
                members.push(((circle != 0).then_some(circle), Vec::new()));
            }
            members[number as usize].1.push(node);
        }
        for &node in order {
            let circle = self.circle[node as usize];
            let own = unit[&if circle == 0 { u32::MAX - node } else { circle }];
            let below = self.below(node).into_iter().flatten();
            for to in below.filter(|&to| !self.done[to as usize]) {
                let circle = self.circle[to as usize];
                if let Some(&other) = unit.get(&if circle == 0 { u32::MAX - to } else { circle })
                    && other != own
                {
                    units[own as usize].push(other);
                }
            }
        }
        let parts = components(&units);
        let mut sorted: Vec<(u32, u32)> = parts.of.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        let mut out = Vec::new();
        for (_, number) in sorted {
            let (circle, nodes) = &members[number as usize];
            out.push(match circle {
                Some(circle) => Part::Circle(*circle),
                None => Part::Plain(nodes.clone()),
            });
        }
        out
    }

    fn slot(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        })
    }

    /// One use of a node is over; its slot is given away after the last.
    fn release(&mut self, node: u32) {
        self.uses[node as usize] -= 1;
        if self.uses[node as usize] == 0 && node > self.inputs {
            self.free.push(self.at[node as usize].slot);
        }
    }

    /// Emits and-nodes whose inputs are done or among them, in runs of the same kind.
    fn straight(&mut self, nodes: &[u32], code: &mut Code, reuse: bool) {
        if nodes.is_empty() {
            return;
        }
        let mut ready: [Vec<u32>; 3] = Default::default();
        for &node in nodes.iter().rev() {
            let Some((a, b)) = self.pair(node) else { continue };
            let mut open = 0;
            for (side, input) in [a.gate(), b.gate()].into_iter().enumerate() {
                if !self.done[input as usize] {
                    // The users of a node are chained: two links a user, one for each of its inputs.
                    self.links[2 * node as usize + side] = self.users[input as usize];
                    self.users[input as usize] = 2 * node + side as u32;
                    open += 1;
                }
            }
            self.missing[node as usize] = open;
            if open == 0 {
                ready[self.kind(node).0 as usize].push(node);
            }
        }
        let mut kind = 0;
        loop {
            if ready[kind].is_empty() {
                kind = match (0..3).max_by_key(|&k| ready[k].len()) {
                    Some(k) if !ready[k].is_empty() => k,
                    _ => break,
                };
            }
            let start = code.ops.len();
            let which = [Do::And, Do::AndNot, Do::Or][kind];
            while let Some(node) = ready[kind].pop() {
                let Some((a, b)) = self.pair(node) else { continue };
                let (_, first, second) = self.kind(node);
                let (x, y) = (self.at[first.gate() as usize].slot, self.at[second.gate() as usize].slot);
                if reuse {
                    self.release(a.gate());
                    self.release(b.gate());
                }
                let to = self.slot();
                self.at[node as usize] = Wire { slot: to, negated: which == Do::Or };
                self.done[node as usize] = true;
                code.ops.push(Op::new(to, x, y));
                let mut link = std::mem::replace(&mut self.users[node as usize], NONE);
                while link != NONE {
                    let next = link / 2;
                    self.missing[next as usize] -= 1;
                    if self.missing[next as usize] == 0 {
                        ready[self.kind(next).0 as usize].push(next);
                    }
                    link = self.links[link as usize];
                }
            }
            code.pieces.push(Piece::Run(which, (code.ops.len() - start) as u32));
        }
    }

    /// How a node is worked out from the slots of its inputs: the kind, and which input comes first. A node of two
    /// negated inputs is worked out as their `or`, and its slot holds the negation.
    fn kind(&self, node: u32) -> (Do, Lit, Lit) {
        let Some((a, b)) = self.pair(node) else { return (Do::And, Lit::TRUE, Lit::TRUE) };
        match (self.wire(a).negated, self.wire(b).negated) {
            (false, false) => (Do::And, a, b),
            (false, true) => (Do::AndNot, a, b),
            (true, false) => (Do::AndNot, b, a),
            (true, true) => (Do::Or, a, b),
        }
    }

    /// A circle of nodes: open nodes begin as false and grow until nothing changes.
    fn round(&mut self, members: &[u32], code: &mut Code) {
        let open: Vec<u32> = members.iter().copied().filter(|node| self.grows.contains_key(node)).collect();
        for &node in &open {
            let slot = self.slot();
            self.at[node as usize] = Wire { slot, negated: false };
            self.done[node as usize] = true;
        }
        let place = code.pieces.len();
        code.pieces.push(Piece::End);
        let inner: Vec<u32> = members.iter().copied().filter(|node| !self.grows.contains_key(node)).collect();
        // Inside a loop everything is needed again in the next round, so no slot is given away before the end.
        self.straight(&inner, code, false);
        let grows = open.iter().map(|node| (self.at[*node as usize].slot, self.wire(self.grows[node]))).collect();
        code.pieces[place] = Piece::Loop { grows };
        code.pieces.push(Piece::End);
        for &node in &inner {
            if let Some((a, b)) = self.pair(node) {
                self.release(a.gate());
                self.release(b.gate());
            }
        }
        for node in &open {
            self.release(self.grows[node].gate());
        }
    }
}

enum Part {
    Plain(Vec<u32>),
    Circle(u32),
}
