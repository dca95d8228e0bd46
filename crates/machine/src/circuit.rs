//! Gates to a straight program: operations of a few inputs on numbered slots, in an order that can be run.
//!
//! Every gate becomes and-nodes of two inputs with negations on the wires, each node once. Inputs of wide gates are
//! divided by the bits of their numbers, so that gates with many inputs in common share whole subtrees. Nodes that
//! depend on themselves are gathered in loops that run until nothing changes. What only one node of the same kind asks for is worked out
//! with it, so that an operation may have more inputs than two.

use crate::budget::{Budget, Stop};
use crate::gates::{GateKind, Gates, Lit};
use crate::graph::components;
use std::collections::HashMap;
use std::ops::Range;

/// What an operation does with its inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Do {
    And,
    /// The first input, and not the second: there are no more.
    AndNot,
    Or,
}

/// A slot, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Wire {
    pub slot: u32,
    pub negated: bool,
}

/// The most inputs of an operation. Where many things come to the same (all ways in which a cell is left, say), every input more is one
/// value less that has to be put down and picked up again, and lanes wait for memory most of the time.
pub(crate) const MOST_INPUTS: usize = 8;

/// A piece of a program.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    /// So many operations of one kind with so many inputs each.
    Run {
        what: Do,
        inputs: u8,
        count: u32,
    },
    /// The pieces and operations up to the matching `End` are run until no slot of `grows` changes.
    Loop {
        /// Slots that begin as false, each with the wire that is or-ed into it after every round.
        grows: Vec<(u32, Wire)>,
    },
    End,
}

impl Piece {
    /// How many operations of two inputs it has, or would have.
    pub fn pair_count(&self) -> usize {
        match self {
            Piece::Run { inputs, count, .. } => (usize::from(*inputs) - 1) * *count as usize,
            Piece::Loop { .. } | Piece::End => 0,
        }
    }
}

/// A program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub pieces: Vec<Piece>,
    /// Of each operation where it goes to and its inputs. They are places in planes of 512 lanes, counted in words: that is what the
    /// processor adds to an address without working anything out, and a third of an operation's instructions were such shifts.
    places: Vec<u32>,
}

impl Code {
    /// Words of a slot, as places are counted.
    pub const WORDS: u32 = 8;

    /// The places of the operations, in the order of the pieces.
    #[inline(always)]
    pub fn places(&self) -> &[u32] {
        &self.places
    }

    fn push(&mut self, to: u32, inputs: impl Iterator<Item = u32>) {
        self.places.push(to * Code::WORDS);
        self.places.extend(inputs.map(|slot| slot * Code::WORDS));
    }

    /// For whoever goes through the pieces and wants the operations of each.
    pub fn ops(&self) -> Ops<'_> {
        Ops { rest: &self.places }
    }

    /// How many operations of two inputs there are, or would be.
    pub fn pair_count(&self) -> usize {
        self.pieces.iter().map(Piece::pair_count).sum()
    }

    /// The same program with two inputs an operation. What has more becomes several operations, one after the other on the same slot.
    pub fn in_pairs(&self) -> Code {
        let mut code = Code::default();
        let mut ops = self.ops();
        for piece in &self.pieces {
            let &Piece::Run { what, inputs, count } = piece else {
                code.pieces.push(piece.clone());
                continue;
            };
            for (to, from) in ops.run(inputs, count) {
                code.push(to, from[..2].iter().copied());
                from[2..].iter().for_each(|&more| code.push(to, [to, more].into_iter()));
            }
            code.pieces.push(Piece::Run { what, inputs: 2, count: count * (u32::from(inputs) - 1) });
        }
        code
    }
}

/// The operations that are still to come.
pub(crate) struct Ops<'a> {
    rest: &'a [u32],
}

impl<'a> Ops<'a> {
    /// The operations of the next run: where each goes to, and its inputs, as slots.
    pub fn run(&mut self, inputs: u8, count: u32) -> impl Iterator<Item = (u32, Vec<u32>)> + use<'a> {
        let width = usize::from(inputs) + 1;
        let (run, rest) = self.rest.split_at(width * count as usize);
        self.rest = rest;
        run.chunks_exact(width).map(|op| {
            let slots: Vec<u32> = op[1..].iter().map(|place| place / Code::WORDS).collect();
            (op[0] / Code::WORDS, slots)
        })
    }
}

/// Two programs over the same slots: what follows from the facts, and what follows from the moves.
#[derive(Clone, Debug)]
pub(crate) struct Circuit {
    /// How many slots there are; slot 0 is always true, then the inputs in order, then what is worked out.
    pub slots: u32,
    pub state: Code,
    pub moves: Code,
    /// The slots of the outputs of the first program, in the order given, then of those of the second.
    pub outputs: Vec<u32>,
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
const SCHEDULED_BYTES: usize = 72;

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
    /// Where the chain of what waits for a node begins.
    users: Vec<u32>,
    /// The number of each node among those that are worked out at the moment.
    number: Vec<u32>,
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
            number: vec![NONE; count],
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
        let mut state_code = self.program(&first);
        let mut outputs = self.put_out(state, &mut state_code);
        budget.heard()?;
        // What the first program leaves must survive the second, which may be run several times after it.
        first.iter().for_each(|&node| self.uses[node as usize] += 1);
        let mut moves_code = self.program(&second);
        outputs.extend(self.put_out(moves, &mut moves_code));
        Ok(Circuit { slots: self.slots, state: state_code, moves: moves_code, outputs })
    }

    /// The slots of a program's outputs. What only its negation has a slot of gets one more: outputs are read several times each.
    fn put_out(&mut self, outputs: &[Lit], code: &mut Code) -> Vec<u32> {
        let mut turned: HashMap<u32, u32> = HashMap::new();
        let mut slots = Vec::with_capacity(outputs.len());
        for &lit in outputs {
            let wire = self.wire(lit);
            if !wire.negated {
                slots.push(wire.slot);
                continue;
            }
            slots.push(*turned.entry(wire.slot).or_insert_with(|| {
                let to = self.slot();
                code.push(to, [0, wire.slot].into_iter());
                to
            }));
        }
        if !turned.is_empty() {
            code.pieces.push(Piece::Run { what: Do::AndNot, inputs: 2, count: turned.len() as u32 });
        }
        slots
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
    /// Answers what each of them has for its inputs.
    fn straight(&mut self, nodes: &[u32], code: &mut Code, reuse: bool) -> Wide {
        let wide = self.widen(nodes);
        let mut links = vec![NONE; wide.lits.len()];
        let mut missing = vec![0u8; nodes.len()];
        let mut ready: Vec<Vec<u32>> = vec![Vec::new(); 3 * (MOST_INPUTS + 1)];
        let shape = |at: u32| wide.kinds[at as usize] as usize * (MOST_INPUTS + 1) + wide.ranges[at as usize].len();
        let mut owner = vec![0; wide.lits.len()];
        for at in (0..nodes.len() as u32).rev().filter(|&at| !wide.ranges[at as usize].is_empty()) {
            for entry in wide.ranges[at as usize].clone() {
                let input = wide.lits[entry].gate() as usize;
                owner[entry] = at;
                if !self.done[input] {
                    links[entry] = std::mem::replace(&mut self.users[input], entry as u32);
                    missing[at as usize] += 1;
                }
            }
            if missing[at as usize] == 0 {
                ready[shape(at)].push(at);
            }
        }
        let mut next = 0;
        loop {
            if ready[next].is_empty() {
                next = match (0..ready.len()).max_by_key(|&shape| ready[shape].len()) {
                    Some(shape) if !ready[shape].is_empty() => shape,
                    _ => break,
                };
            }
            let mut count = 0;
            let mut run = (Do::And, 0);
            while let Some(at) = ready[next].pop() {
                let range = wide.ranges[at as usize].clone();
                run = (wide.kinds[at as usize], range.len() as u8);
                count += 1;
                let node = nodes[at as usize];
                self.emit(node, run.0, &wide.lits[range], code, reuse);
                let mut link = std::mem::replace(&mut self.users[node as usize], NONE);
                while link != NONE {
                    let waiting = owner[link as usize];
                    missing[waiting as usize] -= 1;
                    if missing[waiting as usize] == 0 {
                        ready[shape(waiting)].push(waiting);
                    }
                    link = links[link as usize];
                }
            }
            code.pieces.push(Piece::Run { what: run.0, inputs: run.1, count });
        }
        wide
    }

    /// One operation: its inputs may give their slots away, one of which it may have.
    fn emit(&mut self, node: u32, what: Do, lits: &[Lit], code: &mut Code, reuse: bool) {
        let mut inputs: [u32; MOST_INPUTS] =
            std::array::from_fn(|at| lits.get(at).map_or(0, |&lit| self.wire(lit).slot));
        let inputs = &mut inputs[..lits.len()];
        if what == Do::AndNot && self.wire(lits[0]).negated {
            inputs.reverse();
        }
        if reuse {
            lits.iter().for_each(|lit| self.release(lit.gate()));
        }
        let to = self.slot();
        // The slot that it takes over is read first: so the same can be done two by two ([`Code::in_pairs`]).
        if let Some(same) = inputs.iter().position(|&input| input == to)
            && what != Do::AndNot
        {
            inputs.swap(0, same);
        }
        self.at[node as usize] = Wire { slot: to, negated: what == Do::Or };
        self.done[node as usize] = true;
        code.push(to, inputs.iter().copied());
    }

    /// The inputs of each of these nodes, which come after what they need, and what is done with them. A node of two negated inputs is worked out as their `or`, and its slot
    /// holds the negation. Nodes that are wanted once, by one of the same kind, give their inputs to it, up to [`MOST_INPUTS`].
    fn widen(&mut self, nodes: &[u32]) -> Wide {
        let mut wide = Wide { lits: Vec::with_capacity(2 * nodes.len()), ranges: Vec::new(), kinds: Vec::new() };
        for (at, &node) in nodes.iter().enumerate() {
            self.number[node as usize] = at as u32;
            let pair = self.pair(node);
            let negated = |lit: Lit| match self.number[lit.gate() as usize] {
                NONE => self.wire(lit).negated,
                number => (wide.kinds[number as usize] == Do::Or) != lit.negated(),
            };
            let kind = match pair.map(|(a, b)| (negated(a), negated(b))) {
                None | Some((false, false)) => Do::And,
                Some((true, true)) => Do::Or,
                Some(_) => Do::AndNot,
            };
            let from = wide.lits.len();
            let mut room = MOST_INPUTS - 2;
            for lit in pair.into_iter().flat_map(|(a, b)| [a, b]) {
                let (gate, number) = (lit.gate() as usize, self.number[lit.gate() as usize] as usize);
                let absorbed = wide.ranges.get(number).cloned().filter(|range: &Range<usize>| {
                    let is_alike = kind == wide.kinds[number] && kind != Do::AndNot && !lit.negated();
                    is_alike && self.uses[gate] == 1 && (1..=room + 1).contains(&range.len())
                });
                match absorbed {
                    Some(range) => {
                        room -= range.len() - 1;
                        wide.lits.extend_from_within(range);
                        wide.ranges[number] = 0..0;
                    }
                    None => wide.lits.push(lit),
                }
            }
            wide.ranges.push(from..wide.lits.len());
            wide.kinds.push(kind);
        }
        nodes.iter().for_each(|&node| self.number[node as usize] = NONE);
        wide
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
        // Now that the open nodes count as done, what is left of the circle has an order.
        let inner = members.iter().filter(|node| !self.grows.contains_key(node)).map(|&node| Lit::of(node));
        let inner = self.wanted(&inner.collect::<Vec<_>>());
        // Inside a loop everything is needed again in the next round, so no slot is given away before the end.
        let wide = self.straight(&inner, code, false);
        let grows = open.iter().map(|node| (self.at[*node as usize].slot, self.wire(self.grows[node]))).collect();
        code.pieces[place] = Piece::Loop { grows };
        code.pieces.push(Piece::End);
        for lit in wide.ranges.into_iter().flat_map(|range| &wide.lits[range]) {
            self.release(lit.gate());
        }
        for node in &open {
            self.release(self.grows[node].gate());
        }
    }
}

/// What [`Scheduler::widen`] finds, by the number of a node.
struct Wide {
    lits: Vec<Lit>,
    /// Where the inputs of each are; none if it is worked out with another one.
    ranges: Vec<Range<usize>>,
    kinds: Vec<Do>,
}

enum Part {
    Plain(Vec<u32>),
    Circle(u32),
}
