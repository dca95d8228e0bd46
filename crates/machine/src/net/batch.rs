//! The children of a state, up to 64 at the price of one.

use super::*;

/// How many states [`PropNet::children`] and `advance` work out at the price of one.
pub(super) const BATCH: usize = 64;

impl PropNet {
    /// The states that follow from the state looked at when each of these joint moves is made: up to 64 of
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
            for (fact, &slot) in outputs.iter().enumerate() {
                let mut lanes = view.slots[slot as usize];
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
}
