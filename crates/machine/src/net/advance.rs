//! Steps from many different states at once: [`game::Game::advance`] for a net, 64 of them on the bits of words, or 512 on wide planes.

use super::*;
use crate::circuit::Code;
use crate::plane::{Plane, words_mut};
use game::steps::{Seen, Steps};

/// Fewer steps than this are made one by one: a run over all gates costs more then.
const FEW: usize = 4;

/// More steps than this are made on wide planes: a run over those takes longer than one over words, but not as many times as it has lanes.
const MANY: usize = 2 * BATCH;

impl PropNet {
    pub(super) fn make_steps(&self, view: &mut View, steps: &mut dyn Steps<State>) -> Result<(), Limit> {
        let count = steps.count();
        if count < FEW {
            return game::steps::one_by_one(self, view, steps);
        }
        if count > MANY {
            if view.wide.is_empty() {
                view.wide = slots_for(&self.circuit);
            }
            self.make_wide(&mut view.wide, steps);
            return Ok(());
        }
        if view.slots.is_empty() {
            view.slots = slots_for(&self.circuit);
        }
        view.filled = false;
        self.make_on(&mut view.slots, steps, run);
        Ok(())
    }

    /// Makes all steps on planes of 512 lanes, with the widest instructions that there are.
    fn make_wide(&self, slots: &mut [Words], steps: &mut dyn Steps<State>) {
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx512f,avx512bw")]
            unsafe fn with_avx512(circuit: &Circuit, code: &Code, slots: &mut [Words]) {
                run(circuit, code, slots);
            }
            #[target_feature(enable = "avx2")]
            unsafe fn with_avx2(circuit: &Circuit, code: &Code, slots: &mut [Words]) {
                run(circuit, code, slots);
            }
            if crate::plane::wide::available() {
                // SAFETY: just checked.
                return self.make_on(slots, steps, |circuit, code, slots| unsafe { with_avx512(circuit, code, slots) });
            }
            if is_x86_feature_detected!("avx2") {
                // SAFETY: just checked.
                return self.make_on(slots, steps, |circuit, code, slots| unsafe { with_avx2(circuit, code, slots) });
            }
        }
        self.make_on(slots, steps, run);
    }

    /// Makes all steps on these planes, as many at once as they have lanes.
    fn make_on<V: Plane>(
        &self,
        slots: &mut [V],
        steps: &mut dyn Steps<State>,
        run: impl Fn(&Circuit, &Code, &mut [V]),
    ) {
        let mut seen = Seen::default();
        let mut rows = Rows::default();
        for from in (0..steps.count()).step_by(V::LANES) {
            let lanes = (steps.count() - from).min(V::LANES);
            self.run_steps(slots, steps, from, lanes, &run);
            self.read_states(slots, lanes, &mut rows.states);
            run(&self.circuit, &self.circuit.state, slots);
            self.read_legal(slots, lanes, &mut rows.legal);
            for lane in 0..lanes {
                self.see(slots, &rows, lane, &mut seen);
                let state = rows.states[lane * self.words()..(lane + 1) * self.words()].into();
                steps.reached(from + lane, State(state), &seen);
            }
        }
    }

    /// The words of a state.
    fn words(&self) -> usize {
        self.facts.len().div_ceil(64)
    }

    /// Makes the steps from this one on, a lane each, and leaves the next facts in the slots of the facts.
    fn run_steps<V: Plane>(
        &self,
        slots: &mut [V],
        steps: &dyn Steps<State>,
        from: usize,
        lanes: usize,
        run: &impl Fn(&Circuit, &Code, &mut [V]),
    ) {
        let facts = self.facts.len();
        let planes = words_mut(slots);
        let width = V::LANES / 64;
        for group in 0..lanes.div_ceil(64) {
            for word in 0..self.words() {
                let mut square = [0; 64];
                for (lane, bits) in square.iter_mut().enumerate().take(lanes - 64 * group) {
                    *bits = steps.step(from + 64 * group + lane).0.0[word];
                }
                transpose(&mut square);
                let first = 1 + 64 * word;
                for (at, &bits) in square.iter().enumerate().take(facts - 64 * word) {
                    planes[(first + at) * width + group] = bits;
                }
            }
        }
        run(&self.circuit, &self.circuit.state, slots);
        let planes = words_mut(slots);
        let place = |mv: &Move, lane: usize| (1 + facts + mv.0 as usize) * width + lane / 64;
        for lane in 0..lanes {
            steps.step(from + lane).1.iter().for_each(|mv| planes[place(mv, lane)] |= 1 << (lane % 64));
        }
        run(&self.circuit, &self.circuit.moves, slots);
        let outputs = &self.circuit.outputs[self.moves.len() + 1 + self.goals.len()..];
        // What the facts become may be read off slots of facts, so none is overwritten before all are read.
        let next: Vec<V> = outputs.iter().map(|&slot| slots[slot as usize]).collect();
        slots[1..=facts].copy_from_slice(&next);
        let planes = words_mut(slots);
        for lane in 0..lanes {
            steps.step(from + lane).1.iter().for_each(|mv| planes[place(mv, lane)] = 0);
        }
    }

    /// The states in the slots of the facts, one after the other.
    fn read_states<V: Plane>(&self, slots: &[V], lanes: usize, out: &mut Vec<u64>) {
        rows_of(self.facts.len(), lanes, out, |fact, group| slots[1 + fact].word(group));
    }

    /// The legal moves and the end of each lane, a bit each.
    fn read_legal<V: Plane>(&self, slots: &[V], lanes: usize, out: &mut Vec<u64>) {
        let outputs = &self.circuit.outputs[..=self.moves.len()];
        rows_of(outputs.len(), lanes, out, |mv, group| slots[outputs[mv] as usize].word(group));
    }

    fn see<V: Plane>(&self, slots: &[V], rows: &Rows, lane: usize, seen: &mut Seen) {
        seen.clear();
        let moves = self.moves.len();
        let words = (moves + 1).div_ceil(64);
        let legal = &rows.legal[lane * words..(lane + 1) * words];
        seen.over = legal[moves / 64] >> (moves % 64) & 1 == 1;
        let mut from = 0;
        for &end in &self.ends {
            if !seen.over {
                each_one(legal, from..end, |mv| seen.moves.push(Move(mv as u32)));
            }
            seen.ends.push(seen.moves.len());
            from = end;
        }
        if seen.over || seen.is_stuck() {
            let outputs = &self.circuit.outputs[moves + 1..];
            let holds = |goal: usize| slots[outputs[goal] as usize].word(lane / 64) >> (lane % 64) & 1 == 1;
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

/// A row of bits for each lane, from columns with a bit for each lane, in groups of 64.
fn rows_of(columns: usize, lanes: usize, out: &mut Vec<u64>, column: impl Fn(usize, usize) -> u64) {
    let words = columns.div_ceil(64);
    out.clear();
    out.resize(lanes * words, 0);
    for group in 0..lanes.div_ceil(64) {
        for word in 0..words {
            let mut square = [0; 64];
            for (at, bits) in square.iter_mut().enumerate().take(columns - 64 * word) {
                *bits = column(64 * word + at, group);
            }
            transpose(&mut square);
            for (lane, bits) in square.iter().enumerate().take(lanes - 64 * group) {
                out[(64 * group + lane) * words + word] = *bits;
            }
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
