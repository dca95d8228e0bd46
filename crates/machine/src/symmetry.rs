//! Proofs that a map of facts and moves changes nothing: what is legal, the end, the goals and what follows are mapped as the facts are.
//!
//! The net is read twice, once as it is and once with its inputs renamed by the map. Gates get a class by what they do and by the classes of
//! their inputs, so gates of one class always have the same value. The map is proved if every output has the class of its image. Gates that
//! depend on themselves begin alike, if as many such circles lie below them, and are told apart as long as their inputs are. Nothing is tried
//! out, so a map may change nothing and not be proved: rules can say the same of two sides in different ways.

use crate::gates::{GateKind, Gates, Lit};
use crate::graph::components;
use crate::ground::Ground;
use std::collections::HashMap;

/// A gate is looked into for a gate of the same kind that reads it, if it has no more inputs than this.
const MOST_INSIDE: usize = 64;

/// What a net computes, as far as proofs need it.
pub(crate) struct Wiring {
    gates: Gates,
    next: Vec<Lit>,
    /// The role of each move, and when it is legal.
    legal: Vec<(u8, Lit)>,
    /// The end, and the goals.
    rest: Vec<Lit>,
    /// For gates that depend on themselves: how many circles lie one above the other up to here.
    circles: HashMap<u32, u32>,
}

/// Classes of gates. The first is what is always true, then come inputs and gates that depend on themselves.
struct Classes {
    known: HashMap<Box<[Lit]>, u32>,
    /// The inputs of each class, as classes; none where they are not to be looked into.
    inside: Vec<Box<[Lit]>>,
}

impl Classes {
    /// The class of an `and` of classes.
    fn and(&mut self, mut inputs: Vec<Lit>) -> Lit {
        let expands = |lit: &Lit| !lit.negated() && (1..=MOST_INSIDE).contains(&self.inside[lit.gate() as usize].len());
        let (inner, mut all): (Vec<Lit>, Vec<Lit>) = inputs.drain(..).partition(expands);
        inner.iter().for_each(|lit| all.extend(&self.inside[lit.gate() as usize]));
        all.retain(|&lit| lit != Lit::TRUE);
        all.sort_unstable();
        all.dedup();
        match all[..] {
            [] => Lit::TRUE,
            [only] => only,
            _ if all.contains(&Lit::FALSE) || all.windows(2).any(|pair| pair[0].gate() == pair[1].gate()) => Lit::FALSE,
            _ => {
                let all: Box<[Lit]> = all.into();
                let class = *self.known.entry(all.clone()).or_insert(self.inside.len() as u32);
                if class as usize == self.inside.len() {
                    self.inside.push(all);
                }
                Lit::of(class)
            }
        }
    }
}

impl Wiring {
    /// Of a game without variables; the gates are copied.
    pub fn new(found: &Ground) -> Wiring {
        let gates = found.gates.clone();
        let numbers = 0..gates.len() as u32;
        let edges: Vec<Vec<u32>> =
            numbers.clone().map(|gate| gates.inputs(gate).iter().map(|lit| lit.gate()).collect()).collect();
        let components = components(&edges);
        let mut order: Vec<u32> = numbers.collect();
        order.sort_by_key(|&gate| components.of[gate as usize]);
        // Components come after all that they lead to.
        let mut depth: Vec<u32> = components.cyclic.iter().map(|&cyclic| u32::from(cyclic)).collect();
        for &gate in &order {
            let own = components.of[gate as usize] as usize;
            for &input in &edges[gate as usize] {
                let below = components.of[input as usize] as usize;
                if below != own {
                    depth[own] = depth[own].max(depth[below] + u32::from(components.cyclic[own]));
                }
            }
        }
        let is_open = |gate: &u32| gates.kind(*gate) == GateKind::Open;
        let circles = order.into_iter().filter(is_open);
        let circles = circles.map(|gate| (gate, depth[components.of[gate as usize] as usize])).collect();
        let legal = found.moves.iter().map(|&(role, _, lit)| (role, lit)).collect();
        let goals = found.goals.iter().map(|goal| goal.2);
        let rest = [found.terminal].into_iter().chain(goals).collect();
        Wiring { gates, next: found.next.clone(), legal, rest, circles }
    }

    /// Whether it is proved that nothing changes if every fact and every move becomes the one that is given for it.
    pub fn keeps(&self, facts: &[u32], moves: &[u32]) -> bool {
        let count = self.next.len();
        let fits = |images: &[u32], count: usize| {
            let mut seen = vec![false; count];
            images.len() == count
                && images.iter().all(|&at| seen.get_mut(at as usize).is_some_and(|seen| !std::mem::replace(seen, true)))
        };
        if !fits(facts, count) || !fits(moves, self.legal.len()) {
            return false;
        }
        let images = facts.iter().copied().chain(moves.iter().map(|&mv| mv + count as u32));
        let mut mapped = vec![0; count + moves.len()];
        images.zip(0..).for_each(|(image, input)| mapped[image as usize] = input);
        let plain: Vec<u32> = (0..mapped.len() as u32).collect();
        let [here, there] = self.classes(&[plain, mapped]);
        let same =
            |a: Lit, b: Lit| here[a.gate() as usize].flip(a.negated()) == there[b.gate() as usize].flip(b.negated());
        let legal = |(mv, image): (usize, &u32)| {
            let (a, b) = (self.legal[mv], self.legal[*image as usize]);
            a.0 == b.0 && same(a.1, b.1)
        };
        facts.iter().enumerate().all(|(fact, &image)| same(self.next[fact], self.next[image as usize]))
            && moves.iter().enumerate().all(legal)
            && self.rest.iter().all(|&lit| same(lit, lit))
    }

    /// The class of every gate, with inputs named in two ways.
    fn classes(&self, names: &[Vec<u32>; 2]) -> [Vec<Lit>; 2] {
        // Gates that depend on themselves: classes so far, numbered without gaps.
        let mut open: [HashMap<u32, u32>; 2] = [self.circles.clone(), self.circles.clone()];
        let mut count = number(&mut open, |_, &class| class);
        loop {
            let first = 1 + names[0].len() as u32;
            let inside = vec![Box::default(); (first + count) as usize];
            let mut classes = Classes { known: HashMap::new(), inside };
            let found = [0, 1].map(|side| self.read(&names[side], &open[side], first, &mut classes));
            let inputs = |(side, gate): (usize, u32), class: &u32| {
                let mut inputs: Vec<Lit> = self.gates.inputs(gate).iter().map(|lit| of(&found[side], *lit)).collect();
                inputs.sort_unstable();
                inputs.dedup();
                (*class, inputs)
            };
            let now = number(&mut open, inputs);
            if now == count {
                return found;
            }
            count = now;
        }
    }

    /// One reading of the net.
    fn read(&self, names: &[u32], open: &HashMap<u32, u32>, first: u32, classes: &mut Classes) -> Vec<Lit> {
        let mut found: Vec<Lit> = Vec::with_capacity(self.gates.len());
        for gate in 0..self.gates.len() as u32 {
            let inputs = |flip: bool| self.gates.inputs(gate).iter().map(|&lit| of(&found, lit).flip(flip)).collect();
            let class = match self.gates.kind(gate) {
                GateKind::True => Lit::TRUE,
                GateKind::Input(input) => Lit::of(1 + names[input as usize]),
                GateKind::And => classes.and(inputs(false)),
                GateKind::Or => classes.and(inputs(true)).not(),
                GateKind::Open => Lit::of(first + open[&gate]),
            };
            found.push(class);
        }
        found
    }
}

/// The class of a literal.
fn of(found: &[Lit], lit: Lit) -> Lit {
    found[lit.gate() as usize].flip(lit.negated())
}

/// Gives new numbers to the gates of both readings, equal ones where the same is told of them; answers how many there are.
fn number<K: std::hash::Hash + Eq>(open: &mut [HashMap<u32, u32>; 2], told: impl Fn((usize, u32), &u32) -> K) -> u32 {
    let mut numbers: HashMap<K, u32> = HashMap::new();
    for (side, classes) in open.iter_mut().enumerate() {
        for (&gate, class) in classes.iter_mut() {
            let next = numbers.len() as u32;
            *class = *numbers.entry(told((side, gate), class)).or_insert(next);
        }
    }
    numbers.len() as u32
}
