//! What is true of a game now and then: 64 states of random games, and what all gates are there. It decides what is looked at first,
//! never what is found.

use crate::gates::{GateKind, Gates, Lit};
use game::random::Rng;

/// So many steps are made at most, each in fewer games than the one before: 64 games are seen from their start to here.
const STEPS: usize = 40;
/// Gates that may be looked at in all.
const WORK: usize = 20_000_000;

/// What is sampled: inputs are facts, then moves.
pub(super) struct Played<'a> {
    pub gates: &'a Gates,
    pub start: &'a [bool],
    /// Where the moves of each role end.
    pub ends: &'a [usize],
    pub legal: &'a [Lit],
    pub terminal: Lit,
    pub next: &'a [Lit],
}

/// For each gate the samples in which it is true, a bit each.
pub(super) fn truths(played: &Played<'_>) -> Vec<u64> {
    let mut rng = Rng::new(1);
    let facts = played.start.len();
    let first: Vec<u64> = played.start.iter().map(|&holds| if holds { !0 } else { 0 }).collect();
    let mut inputs = first.clone();
    inputs.resize(facts + played.legal.len(), 0);
    let mut values = vec![0; played.gates.len()];
    let size: usize = (0..played.gates.len() as u32).map(|gate| 1 + played.gates.inputs(gate).len()).sum();
    let steps = STEPS.min(WORK / (2 * size).max(1)).max(1);
    for step in 0..steps {
        evaluate(played.gates, &inputs, &mut values);
        let ended = choose(played, &values, &mut inputs[facts..], &mut rng);
        evaluate(played.gates, &inputs, &mut values);
        if step + 1 == steps {
            break;
        }
        // Lane by lane the games stay where they are, so that the samples are of all ages.
        let going = !0u64 >> (step * 64 / steps).min(63);
        let next: Vec<u64> = played.next.iter().map(|&lit| value(&values, lit)).collect();
        for ((fact, next), first) in inputs.iter_mut().zip(next).zip(&first) {
            *fact = *fact & !going | going & (next & !ended | first & ended);
        }
        inputs[facts..].fill(0);
    }
    values
}

fn value(values: &[u64], lit: Lit) -> u64 {
    let value = values[lit.gate() as usize];
    if lit.negated() { !value } else { value }
}

/// Works out all gates, those with circles again and again until nothing changes.
fn evaluate(gates: &Gates, inputs: &[u64], values: &mut [u64]) {
    let open: Vec<u32> = (0..gates.len() as u32).filter(|&gate| gates.kind(gate) == GateKind::Open).collect();
    open.iter().for_each(|&gate| values[gate as usize] = 0);
    loop {
        for gate in 0..gates.len() as u32 {
            let lits = gates.inputs(gate).iter();
            values[gate as usize] = match gates.kind(gate) {
                GateKind::True => !0,
                GateKind::Input(number) => inputs[number as usize],
                GateKind::And => lits.fold(!0, |all, &lit| all & value(values, lit)),
                GateKind::Or => lits.fold(0, |any, &lit| any | value(values, lit)),
                GateKind::Open => continue,
            };
        }
        let mut changed = 0;
        for &gate in &open {
            let new = gates.inputs(gate).iter().fold(0, |any, &lit| any | value(values, lit));
            changed |= new & !values[gate as usize];
            values[gate as usize] |= new;
        }
        if changed == 0 {
            return;
        }
    }
}

/// Sets a random legal move of each role in every lane; answers the lanes whose game is over or stuck.
fn choose(played: &Played<'_>, values: &[u64], moves: &mut [u64], rng: &mut Rng) -> u64 {
    let mut ended = value(values, played.terminal);
    let mut from = 0;
    for &end in played.ends {
        let (mut counts, mut chosen) = ([0usize; 64], [None; 64]);
        for mv in from..end {
            let mut lanes = value(values, played.legal[mv]);
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                counts[lane] += 1;
                if rng.below(counts[lane]) == 0 {
                    chosen[lane] = Some(mv);
                }
            }
        }
        for (lane, chosen) in chosen.into_iter().enumerate() {
            match chosen {
                Some(mv) => moves[mv] |= 1 << lane,
                None => ended |= 1 << lane,
            }
        }
        from = end;
    }
    ended
}
