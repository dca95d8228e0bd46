//! One state at a time, by following changes: only gates whose inputs changed are looked at.
//!
//! Every gate counts the inputs that keep it from being decided: the false ones of an `and`, the true ones of an `or`.
//! A change of an input moves the counts of the gates it leads to, and where a count reaches or leaves zero the gate
//! changes too. Outputs are bits that are kept up to date, so reading the legal moves or the next state copies words.
//!
//! A gate that depends on itself would keep itself true for ever this way: nets with loops are run as a whole.

use crate::budget::{Budget, Stop};
use crate::gates::{GateKind, Gates, Lit};

/// Where a change of a gate leads.
#[derive(Clone, Copy)]
struct Edge {
    /// A gate, or with the top bit set an output.
    to: u32,
    /// What is added to the gate's count when this one becomes true; for outputs 1 if they are the same, -1 if the negation.
    add: i32,
}

const OUTPUT: u32 = 1 << 31;

/// The gates and where they lead.
pub(crate) struct Events {
    edges: Vec<Edge>,
    /// Where the edges of each gate begin; one more than there are gates.
    starts: Vec<u32>,
    /// Whether the gate is true when its count is zero.
    when_zero: Vec<bool>,
    /// The gate of each input; `None` if nothing depends on it.
    inputs: Vec<Option<u32>>,
    /// Counts, values and outputs where views begin: all inputs false, but those of [`Events::begin_with`].
    first: Values,
}

/// A gate for one state: what a change looks at is in one place.
#[derive(Clone, Copy)]
struct Gate {
    count: i32,
    value: bool,
    /// What those that depend on the gate were last told.
    told: bool,
}

/// The values of all gates for one state.
#[derive(Clone)]
pub(crate) struct Values {
    gates: Vec<Gate>,
    /// Outputs, a bit each.
    pub outputs: Vec<u64>,
    queue: Vec<u32>,
}

impl Values {
    /// The bytes that its lists take.
    pub fn bytes(&self) -> usize {
        self.gates.capacity() * size_of::<Gate>() + self.queue.capacity() * 4 + self.outputs.capacity() * 8
    }
}

impl Events {
    /// The events of a net; `None` if it has gates that depend on themselves.
    pub fn new(gates: &Gates, inputs: usize, outputs: &[Lit], budget: &Budget) -> Result<Option<Events>, Stop> {
        budget.hold_now(3 * gates.bytes())?;
        let mut number = vec![u32::MAX; gates.len()];
        let mut needed = vec![false; gates.len()];
        let mut todo: Vec<u32> = outputs.iter().map(|lit| lit.gate()).collect();
        while let Some(gate) = todo.pop() {
            if gates.kind(gate) == GateKind::Open {
                return Ok(None);
            }
            if !std::mem::replace(&mut needed[gate as usize], true) {
                todo.extend(gates.inputs(gate).iter().map(|lit| lit.gate()));
            }
        }
        let kept: Vec<u32> = (0..gates.len() as u32).filter(|&gate| needed[gate as usize]).collect();
        kept.iter().zip(0..).for_each(|(&gate, at)| number[gate as usize] = at);
        let mut events = Events {
            edges: Vec::new(),
            starts: vec![0; kept.len() + 1],
            when_zero: kept.iter().map(|&gate| gates.kind(gate) != GateKind::Or).collect(),
            inputs: vec![None; inputs],
            first: Values {
                gates: vec![Gate { count: 0, value: false, told: false }; kept.len()],
                outputs: vec![0; outputs.len().div_ceil(64)],
                queue: Vec::new(),
            },
        };
        budget.heard()?;
        events.connect(gates, &kept, &number, outputs);
        budget.heard()?;
        for (at, &gate) in kept.iter().enumerate() {
            if let GateKind::Input(input) = gates.kind(gate) {
                events.inputs[input as usize] = Some(at as u32);
            }
        }
        events.settle(gates, &kept, &number, outputs);
        Ok(Some(events))
    }

    fn connect(&mut self, gates: &Gates, kept: &[u32], number: &[u32], outputs: &[Lit]) {
        let mut all: Vec<(u32, Edge)> = Vec::new();
        for (at, &gate) in kept.iter().enumerate() {
            let or = gates.kind(gate) == GateKind::Or;
            for lit in gates.inputs(gate) {
                let add = if lit.negated() != or { 1 } else { -1 };
                all.push((number[lit.gate() as usize], Edge { to: at as u32, add }));
            }
        }
        for (output, lit) in outputs.iter().enumerate() {
            let add = if lit.negated() { -1 } else { 1 };
            all.push((number[lit.gate() as usize], Edge { to: OUTPUT | output as u32, add }));
        }
        all.iter().for_each(|(from, _)| self.starts[*from as usize + 1] += 1);
        for gate in 1..self.starts.len() {
            self.starts[gate] += self.starts[gate - 1];
        }
        let mut next = self.starts.clone();
        self.edges = vec![Edge { to: 0, add: 0 }; all.len()];
        for (from, edge) in all {
            let place = &mut next[from as usize];
            self.edges[*place as usize] = edge;
            *place += 1;
        }
    }

    /// Works out counts and values for the state in which every input is false.
    fn settle(&mut self, gates: &Gates, kept: &[u32], number: &[u32], outputs: &[Lit]) {
        let value = |all: &[Gate], lit: &Lit| all[number[lit.gate() as usize] as usize].value != lit.negated();
        for (at, &gate) in kept.iter().enumerate() {
            let kind = gates.kind(gate);
            let inputs = gates.inputs(gate).iter();
            let count = match kind {
                GateKind::Or => inputs.filter(|lit| value(&self.first.gates, lit)).count(),
                GateKind::And | GateKind::True | GateKind::Input(_) | GateKind::Open => {
                    inputs.filter(|lit| !value(&self.first.gates, lit)).count()
                }
            };
            let value = match kind {
                GateKind::True => true,
                GateKind::Input(_) => false,
                GateKind::And | GateKind::Or | GateKind::Open => (count == 0) == self.when_zero[at],
            };
            self.first.gates[at] = Gate { count: count as i32, value, told: value };
        }
        for (output, lit) in outputs.iter().enumerate() {
            if value(&self.first.gates, lit) {
                self.first.outputs[output / 64] |= 1 << (output % 64);
            }
        }
    }

    /// Views begin with these inputs true.
    pub fn begin_with(&mut self, inputs: impl Iterator<Item = usize>) {
        let mut first = self.first.clone();
        inputs.for_each(|input| self.set(&mut first, input, true));
        self.follow(&mut first);
        self.first = first;
    }

    /// The values that views begin with.
    pub fn values(&self) -> Values {
        self.first.clone()
    }

    /// Goes back to what views begin with, whatever is set.
    pub fn begin_again(&self, now: &mut Values) {
        let first = &self.first;
        now.gates.copy_from_slice(&first.gates);
        now.outputs.copy_from_slice(&first.outputs);
        now.queue.clear();
    }

    /// Whether it is cheaper to begin again than to follow so many changes: copying 64 gates takes no longer than one change does.
    pub fn is_far(&self, changes: u32) -> bool {
        changes as usize * 64 > self.first.gates.len()
    }

    /// Changes an input; nothing follows before [`Events::follow`].
    pub fn set(&self, now: &mut Values, input: usize, value: bool) {
        if let Some(gate) = self.inputs[input]
            && now.gates[gate as usize].value != value
        {
            now.gates[gate as usize].value = value;
            now.queue.push(gate);
        }
    }

    /// Follows all changes to their ends.
    pub fn follow(&self, now: &mut Values) {
        let Values { gates, outputs, queue } = now;
        let mut at = 0;
        while let Some(&number) = queue.get(at) {
            at += 1;
            let number = number as usize;
            let gate = &mut gates[number];
            let value = gate.value;
            // It may have changed back before its turn came.
            if gate.told == value {
                continue;
            }
            gate.told = value;
            for edge in &self.edges[self.starts[number] as usize..self.starts[number + 1] as usize] {
                let add = if value { edge.add } else { -edge.add };
                if edge.to & OUTPUT != 0 {
                    let output = (edge.to & !OUTPUT) as usize;
                    let word = &mut outputs[output / 64];
                    *word = *word & !(1 << (output % 64)) | u64::from(add > 0) << (output % 64);
                    continue;
                }
                let to = &mut gates[edge.to as usize];
                let before = to.count;
                to.count = before + add;
                if (before == 0) != (before + add == 0) {
                    to.value = !to.value;
                    queue.push(edge.to);
                }
            }
        }
        queue.clear();
    }
}
