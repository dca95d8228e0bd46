//! Up to 64 states at the price of one: children of a state, and states looked at together.

use super::*;

/// How many states [`PropNet::children`] and [`PropNet::leaves`] work out at the price of one.
pub const BATCH: usize = 64;

/// Up to [`BATCH`] states looked at together.
pub struct Leaves {
    slots: Vec<u64>,
    count: usize,
}

impl PropNet {
    /// The states that follow from the state looked at when each of these joint moves is made: up to [`BATCH`] of
    /// them cost as much as one. Written to `out`, in the same order.
    pub fn children(&self, view: &mut View, joints: &[Vec<Move>], out: &mut Vec<State>) {
        if !view.filled {
            self.fill(view);
        }
        let moves = 1 + self.facts.len();
        let outputs = &self.circuit.outputs[self.moves.len() + 1 + self.goals.len()..];
        out.clear();
        for part in joints.chunks(BATCH) {
            for (lane, joint) in part.iter().enumerate() {
                joint.iter().for_each(|mv| view.slots[moves + mv.0 as usize] |= 1 << lane);
            }
            run(&self.circuit, &self.circuit.moves, &mut view.slots);
            let first = out.len();
            out.resize(first + part.len(), State(vec![0; self.facts.len().div_ceil(64)].into()));
            for (fact, &wire) in outputs.iter().enumerate() {
                let mut lanes = read(&view.slots, wire);
                if part.len() < BATCH {
                    lanes &= (1 << part.len()) - 1;
                }
                while lanes != 0 {
                    out[first + lanes.trailing_zeros() as usize].0[fact / 64] |= 1 << (fact % 64);
                    lanes &= lanes - 1;
                }
            }
            part.iter().flatten().for_each(|mv| view.slots[moves + mv.0 as usize] = 0);
        }
    }

    /// Scratch for [`PropNet::look_at`].
    pub fn leaves(&self) -> Leaves {
        Leaves { slots: slots_for(&self.circuit), count: 0 }
    }

    /// Looks at up to [`BATCH`] states at the price of one.
    ///
    /// # Panics
    /// If there are more than [`BATCH`].
    pub fn look_at(&self, states: &[&State], leaves: &mut Leaves) {
        assert!(states.len() <= BATCH, "at most {BATCH} states at a time");
        leaves.count = states.len();
        for fact in 0..self.facts.len() {
            let lanes = states.iter().enumerate();
            leaves.slots[1 + fact] =
                lanes.fold(0, |word, (lane, state)| word | (state.0[fact / 64] >> (fact % 64) & 1) << lane);
        }
        run(&self.circuit, &self.circuit.state, &mut leaves.slots);
    }

    /// Whether the state in this lane is terminal.
    pub fn leaf_over(&self, leaves: &Leaves, lane: usize) -> bool {
        read(&leaves.slots, self.circuit.outputs[self.moves.len()]) >> lane & 1 == 1
    }

    /// The goal of a role in the state of this lane.
    pub fn leaf_goal(&self, leaves: &Leaves, lane: usize, role: Role) -> Option<Goal> {
        let outputs = &self.circuit.outputs[self.moves.len() + 1..];
        self.only_goal(role, |goal| read(&leaves.slots, outputs[goal]) >> lane & 1 == 1)
    }

    /// Appends the legal moves of a role in the state of this lane.
    pub fn leaf_legal(&self, leaves: &Leaves, lane: usize, role: Role, out: &mut Vec<Move>) {
        let legal = |mv: &usize| read(&leaves.slots, self.circuit.outputs[*mv]) >> lane & 1 == 1;
        out.extend(legal::range(role, &self.ends).filter(legal).map(|mv| Move(mv as u32)));
    }
}

impl Leaves {
    /// How many states were looked at.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether no state was looked at.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}
