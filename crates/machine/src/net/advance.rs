//! Steps from many different states at once: [`game::Game::advance`] for a net, 64 of them on the bits of words.

use super::*;
use game::steps::{Seen, Steps};

/// Fewer steps than this are made one by one: a run over all gates costs more then.
const FEW: usize = 4;

impl PropNet {
    pub(super) fn make_steps(&self, view: &mut View, steps: &mut dyn Steps<State>) -> Result<(), Limit> {
        let count = steps.count();
        if count < FEW {
            return game::steps::one_by_one(self, view, steps);
        }
        if view.slots.is_empty() {
            view.slots = slots_for(&self.circuit);
        }
        view.filled = false;
        let mut seen = Seen::default();
        let mut rows = Rows::default();
        for from in (0..count).step_by(BATCH) {
            let lanes = (count - from).min(BATCH);
            self.run_steps(&mut view.slots, steps, from, lanes);
            self.read_states(&view.slots, lanes, &mut rows.states);
            run(&self.circuit, &self.circuit.state, &mut view.slots);
            self.read_legal(&view.slots, lanes, &mut rows.legal);
            let over = read(&view.slots, self.circuit.outputs[self.moves.len()]);
            for lane in 0..lanes {
                self.see(&view.slots, &rows, lane, over >> lane & 1 == 1, &mut seen);
                let state = rows.states[lane * self.words()..(lane + 1) * self.words()].into();
                steps.reached(from + lane, State(state), &seen);
            }
        }
        Ok(())
    }

    /// The words of a state.
    fn words(&self) -> usize {
        self.facts.len().div_ceil(64)
    }

    /// Makes the steps from this one on, a lane each, and leaves the next facts in the slots of the facts.
    fn run_steps(&self, slots: &mut [u64], steps: &dyn Steps<State>, from: usize, lanes: usize) {
        let facts = self.facts.len();
        for word in 0..self.words() {
            let mut square = [0; 64];
            for (lane, bits) in square.iter_mut().enumerate().take(lanes) {
                *bits = steps.step(from + lane).0.0[word];
            }
            transpose(&mut square);
            let width = (facts - 64 * word).min(64);
            slots[1 + 64 * word..1 + 64 * word + width].copy_from_slice(&square[..width]);
        }
        run(&self.circuit, &self.circuit.state, slots);
        let moves = 1 + facts;
        for lane in 0..lanes {
            steps.step(from + lane).1.iter().for_each(|mv| slots[moves + mv.0 as usize] |= 1 << lane);
        }
        run(&self.circuit, &self.circuit.moves, slots);
        let outputs = &self.circuit.outputs[self.moves.len() + 1 + self.goals.len()..];
        // What the facts become may be read off slots of facts, so none is overwritten before all are read.
        let next: Vec<u64> = outputs.iter().map(|&wire| read(slots, wire)).collect();
        slots[1..=facts].copy_from_slice(&next);
        for lane in 0..lanes {
            steps.step(from + lane).1.iter().for_each(|mv| slots[moves + mv.0 as usize] = 0);
        }
    }

    /// The states in the slots of the facts, one after the other.
    fn read_states(&self, slots: &[u64], lanes: usize, out: &mut Vec<u64>) {
        let (facts, words) = (self.facts.len(), self.words());
        rows_of(facts, lanes, words, out, |fact| slots[1 + fact]);
    }

    /// The legal moves of each lane, a bit each.
    fn read_legal(&self, slots: &[u64], lanes: usize, out: &mut Vec<u64>) {
        let moves = self.moves.len();
        rows_of(moves, lanes, moves.div_ceil(64), out, |mv| read(slots, self.circuit.outputs[mv]));
    }

    fn see(&self, slots: &[u64], rows: &Rows, lane: usize, over: bool, seen: &mut Seen) {
        seen.clear();
        seen.over = over;
        let words = self.moves.len().div_ceil(64);
        let legal = &rows.legal[lane * words..(lane + 1) * words];
        let mut from = 0;
        for &end in &self.ends {
            if !over {
                each_one(legal, from..end, |mv| seen.moves.push(Move(mv as u32)));
            }
            seen.ends.push(seen.moves.len());
            from = end;
        }
        if over || seen.is_stuck() {
            let outputs = &self.circuit.outputs[self.moves.len() + 1..];
            let holds = |goal: usize| read(slots, outputs[goal]) >> lane & 1 == 1;
            seen.goals.extend(game::roles(self).map(|role| self.only_goal(role, holds)));
        }
    }
}

/// What was read of the lanes, a row of bits each.
#[derive(Default)]
struct Rows {
    states: Vec<u64>,
    legal: Vec<u64>,
}

/// Rows of so many words for each lane, from columns with a bit for each.
fn rows_of(columns: usize, lanes: usize, words: usize, out: &mut Vec<u64>, column: impl Fn(usize) -> u64) {
    out.clear();
    out.resize(lanes * words, 0);
    for word in 0..words {
        let mut square = [0; 64];
        let width = (columns - 64 * word).min(64);
        for (at, bits) in square.iter_mut().enumerate().take(width) {
            *bits = column(64 * word + at);
        }
        transpose(&mut square);
        for (lane, bits) in square.iter().enumerate().take(lanes) {
            out[lane * words + word] = *bits;
        }
    }
}

/// Turns 64 rows of 64 bits into columns, bit 0 of every row into the first.
fn transpose(square: &mut [u64; 64]) {
    let (mut width, mut mask) = (32, 0x0000_0000_ffff_ffffu64);
    while width != 0 {
        let mut row = 0;
        while row < 64 {
            let swap = ((square[row] >> width) ^ square[row + width]) & mask;
            square[row] ^= swap << width;
            square[row + width] ^= swap;
            row = (row + width + 1) & !width;
        }
        width >>= 1;
        mask ^= mask << width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_turned() {
        let mut rng = game::random::Rng::new(1);
        let square: [u64; 64] = std::array::from_fn(|_| rng.bits());
        let mut turned = square;
        transpose(&mut turned);
        for (row, bits) in square.iter().enumerate() {
            for (column, turned) in turned.iter().enumerate() {
                assert_eq!(turned >> row & 1, bits >> column & 1);
            }
        }
    }
}
