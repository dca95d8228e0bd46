//! And/or gates, each stored once: what a ground game is made of.
//!
//! A literal is a gate or its negation. Building a gate simplifies it: constants vanish, repeated inputs are dropped,
//! an input beside its negation decides the gate, a gate of one input is that input, and a gate that exists already is
//! not built again.

use crate::bank::hash;

/// A gate, or with the lowest bit set its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Lit(pub u32);

impl Lit {
    /// Never true: the negation of gate 0.
    pub const FALSE: Lit = Lit(1);
    /// Always true: gate 0.
    pub const TRUE: Lit = Lit(0);

    pub fn of(gate: u32) -> Lit {
        Lit(gate << 1)
    }
    pub fn gate(self) -> u32 {
        self.0 >> 1
    }
    pub fn negated(self) -> bool {
        self.0 & 1 == 1
    }
    pub fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
    /// Negated if `flip`.
    pub fn flip(self, flip: bool) -> Lit {
        Lit(self.0 ^ u32::from(flip))
    }
}

/// What a gate does with its inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GateKind {
    /// Gate 0.
    True,
    /// An input of the net, of this number.
    Input(u32),
    And,
    Or,
    /// An `or` whose inputs come later, because they depend on the gate itself.
    Open,
}

#[derive(Clone, Copy)]
struct Gate {
    kind: GateKind,
    start: u32,
    len: u32,
}

/// All gates. Inputs of `And` and `Or` have smaller numbers than the gate itself; only `Open` gates are an exception.
#[derive(Clone)]
pub(crate) struct Gates {
    gates: Vec<Gate>,
    inputs: Vec<Lit>,
    /// Open addressing over gate numbers; 0 is free.
    slots: Vec<u32>,
    hashed: usize,
    work: Vec<Lit>,
}

impl Gates {
    pub fn new() -> Gates {
        let one = Gate { kind: GateKind::True, start: 0, len: 0 };
        Gates { gates: vec![one], inputs: Vec::new(), slots: vec![0; 1024], hashed: 0, work: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.gates.len()
    }

    pub fn kind(&self, gate: u32) -> GateKind {
        self.gates[gate as usize].kind
    }

    pub fn inputs(&self, gate: u32) -> &[Lit] {
        let gate = &self.gates[gate as usize];
        &self.inputs[gate.start as usize..(gate.start + gate.len) as usize]
    }

    /// About how many bytes this takes.
    pub fn bytes(&self) -> usize {
        self.gates.len() * size_of::<Gate>() + (self.inputs.len() + self.slots.len()) * 4
    }

    fn push(&mut self, kind: GateKind, inputs: &[Lit]) -> u32 {
        let start = self.inputs.len() as u32;
        self.inputs.extend_from_slice(inputs);
        self.gates.push(Gate { kind, start, len: inputs.len() as u32 });
        self.gates.len() as u32 - 1
    }

    /// A new input of the net.
    pub fn input(&mut self, number: u32) -> Lit {
        Lit::of(self.push(GateKind::Input(number), &[]))
    }

    /// A gate whose inputs come later.
    pub fn open(&mut self) -> Lit {
        Lit::of(self.push(GateKind::Open, &[]))
    }

    /// The inputs of an open gate: it is true if one of them is.
    pub fn close(&mut self, gate: u32, inputs: &[Lit]) {
        let start = self.inputs.len() as u32;
        self.inputs.extend_from_slice(inputs);
        self.gates[gate as usize] = Gate { kind: GateKind::Open, start, len: inputs.len() as u32 };
    }

    pub fn and(&mut self, inputs: &[Lit]) -> Lit {
        self.build(GateKind::And, inputs, false)
    }

    pub fn or(&mut self, inputs: &[Lit]) -> Lit {
        self.build(GateKind::Or, inputs, true)
    }

    /// `decisive` is the value of an input that decides the gate.
    fn build(&mut self, kind: GateKind, inputs: &[Lit], decisive: bool) -> Lit {
        let (decided, neutral) = if decisive { (Lit::TRUE, Lit::FALSE) } else { (Lit::FALSE, Lit::TRUE) };
        let mut work = std::mem::take(&mut self.work);
        work.clear();
        work.extend(inputs.iter().filter(|&&lit| lit != neutral));
        work.sort_unstable();
        work.dedup();
        let clash = work.windows(2).any(|pair| pair[0].gate() == pair[1].gate());
        let result = match *work {
            _ if clash || work.contains(&decided) => decided,
            [] => neutral,
            [only] => only,
            _ => Lit::of(self.shared(kind, &work)),
        };
        self.work = work;
        result
    }

    /// The gate with exactly these inputs, made if it is new.
    fn shared(&mut self, kind: GateKind, inputs: &[Lit]) -> u32 {
        let mask = self.slots.len() - 1;
        let mut at = hash_inputs(kind, inputs) as usize & mask;
        loop {
            let gate = self.slots[at];
            if gate == 0 {
                break;
            }
            if self.kind(gate) == kind && self.inputs(gate) == inputs {
                return gate;
            }
            at = (at + 1) & mask;
        }
        let gate = self.push(kind, inputs);
        self.slots[at] = gate;
        self.hashed += 1;
        if self.hashed * 2 > self.slots.len() {
            self.rehash();
        }
        gate
    }

    fn rehash(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        self.slots = vec![0; mask + 1];
        for gate in 0..self.gates.len() as u32 {
            let kind = self.kind(gate);
            if matches!(kind, GateKind::And | GateKind::Or) {
                let mut at = hash_inputs(kind, self.inputs(gate)) as usize & mask;
                while self.slots[at] != 0 {
                    at = (at + 1) & mask;
                }
                self.slots[at] = gate;
            }
        }
    }
}

fn hash_inputs(kind: GateKind, inputs: &[Lit]) -> u64 {
    inputs.iter().fold(u64::from(kind == GateKind::And), |h, lit| hash(lit.0, &[h as u32, (h >> 32) as u32]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_simplified_and_shared() {
        let mut g = Gates::new();
        let (a, b) = (g.input(0), g.input(1));
        assert_eq!(g.and(&[a, Lit::TRUE, a]), a);
        assert_eq!(g.and(&[a, a.not()]), Lit::FALSE);
        assert_eq!(g.or(&[a, b, a.not()]), Lit::TRUE);
        assert_eq!(g.or(&[]), Lit::FALSE);
        assert_eq!(g.and(&[]), Lit::TRUE);
        assert_eq!(g.and(&[a, Lit::FALSE]), Lit::FALSE);
        let ab = g.and(&[a, b]);
        assert_eq!(g.and(&[b, a, b]), ab);
        assert_ne!(g.or(&[a, b]), ab);
        let before = g.len();
        for i in 0..2000 {
            let x = g.input(i);
            g.and(&[x, ab]);
        }
        assert_eq!(g.and(&[b, a]), ab);
        assert_eq!(g.len(), before + 4000);
    }
}
