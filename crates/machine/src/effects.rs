//! What each move of a game for one player changes, found by putting the move into the net.
//!
//! One move is made at a time, and it is legal: so all other moves are false, and what its legality is an `and` of is true. What the net
//! becomes then says of each fact whether it stays as it is, goes its own way, or is changed by the move.

use crate::budget::{Budget, Stop};
use crate::gates::{GateKind, Gates, Lit};
use crate::ground::Ground;

/// What moves change.
pub(crate) struct Effects {
    /// For each move, the facts that are not sure to stay as they are.
    pub touched: Vec<Vec<u32>>,
    /// For each move, the facts that become something else than they would by themselves.
    pub moved: Vec<Vec<u32>>,
    /// For each move, the facts that decide what becomes of those.
    pub read: Vec<Vec<u32>>,
    /// Facts that change by themselves while this move is made, beside the facts that decide about that.
    pub passing: Vec<(u32, Vec<u32>)>,
    /// For each move, facts that it makes true (`true`) or false for certain.
    pub sure: Vec<Vec<(u32, bool)>>,
}

/// So many gates are looked at, at most: some tenths of a second.
const WORK: usize = 20_000_000;

/// So many new gates are kept before the net is copied anew.
const NEW_GATES: usize = 200_000;

impl Effects {
    /// Of a game for one player; `None` if that would take long, or if moves stand in a circle of gates.
    pub fn new(found: &Ground, budget: &Budget) -> Result<Option<Effects>, Stop> {
        let gates = &found.gates;
        let moves = found.moves.len();
        if gates.len().saturating_mul(moves) > WORK || moves_in_circles(found) {
            return Ok(None);
        }
        let own = own(found);
        let mut all =
            Effects { touched: vec![], moved: vec![], read: vec![], passing: vec![], sure: vec![Vec::new(); moves] };
        let mut work = gates.clone();
        // Facts that some move leaves alone, and what becomes of facts that a move changes just as time alone would.
        let mut rests = vec![false; found.facts.len()];
        let mut passes: Vec<(usize, u32, Vec<u32>)> = Vec::new();
        let mut passed = vec![false; found.facts.len()];
        for mv in 0..moves {
            budget.heard()?;
            if work.len() > gates.len() + NEW_GATES {
                work = gates.clone();
            }
            let assumed = assumed(gates, found.moves[mv].2);
            let made = put(found, &mut work, &assumed, Moves::Only(found.facts.len() + mv));
            let idle = put(found, &mut work, &assumed, Moves::None);
            let of = |map: &[Lit], lit: Lit| map[lit.gate() as usize].flip(lit.negated());
            let (mut touched, mut moved) = (Vec::new(), Vec::new());
            for fact in 0..found.facts.len() {
                let (after, alone) = (of(&made, found.next[fact]), of(&idle, found.next[fact]));
                if after == of(&made, own[fact]) {
                    rests[fact] = true;
                    continue;
                }
                touched.push(fact as u32);
                if after == Lit::TRUE || after == Lit::FALSE {
                    all.sure[mv].push((fact as u32, after == Lit::TRUE));
                }
                if after != alone {
                    moved.push(fact as u32);
                } else {
                    // Where that is the same in many states, one of them is enough to say what it rests on.
                    let first = !std::mem::replace(&mut passed[fact], true);
                    let read = if first { facts_below(&work, found.facts.len(), &[after]) } else { Vec::new() };
                    passes.push((mv, fact as u32, read));
                }
            }
            let roots: Vec<Lit> = moved.iter().map(|&fact| of(&made, found.next[fact as usize])).collect();
            all.read.push(facts_below(&work, found.facts.len(), &roots));
            all.touched.push(touched);
            all.moved.push(moved);
        }
        for (mv, fact, read) in passes {
            // What stays as it is with other moves does not change by itself.
            if rests[fact as usize] {
                all.moved[mv].push(fact);
                all.read[mv].extend(read);
            } else {
                all.passing.push((fact, read));
            }
        }
        Ok(Some(all))
    }
}

/// The literal of each fact and move.
pub(crate) fn own(found: &Ground) -> Vec<Lit> {
    let mut own = vec![Lit::FALSE; found.facts.len() + found.moves.len()];
    for gate in 0..found.gates.len() as u32 {
        if let GateKind::Input(number) = found.gates.kind(gate) {
            own[number as usize] = Lit::of(gate);
        }
    }
    own
}

/// The facts that these literals depend on, in order.
pub(crate) fn facts_below(gates: &Gates, facts: usize, roots: &[Lit]) -> Vec<u32> {
    let mut seen = std::collections::HashSet::new();
    let mut waiting: Vec<u32> = roots.iter().map(|lit| lit.gate()).collect();
    let mut below = Vec::new();
    while let Some(gate) = waiting.pop() {
        if !seen.insert(gate) {
            continue;
        }
        match gates.kind(gate) {
            GateKind::Input(number) if (number as usize) < facts => below.push(number),
            GateKind::Input(_) | GateKind::True => {}
            GateKind::And | GateKind::Or | GateKind::Open => {
                waiting.extend(gates.inputs(gate).iter().map(|lit| lit.gate()));
            }
        }
    }
    below.sort_unstable();
    below
}

/// Whether what depends on itself depends on moves, too: putting a move in would not simplify that.
fn moves_in_circles(found: &Ground) -> bool {
    let gates = &found.gates;
    let mut waiting: Vec<u32> = (0..gates.len() as u32).filter(|&gate| gates.kind(gate) == GateKind::Open).collect();
    let mut seen = vec![false; gates.len()];
    while let Some(gate) = waiting.pop() {
        if std::mem::replace(&mut seen[gate as usize], true) {
            continue;
        }
        if matches!(gates.kind(gate), GateKind::Input(number) if number as usize >= found.facts.len()) {
            return true;
        }
        waiting.extend(gates.inputs(gate).iter().map(|lit| lit.gate()));
    }
    false
}

/// What has to hold where this does: gates and their values.
fn assumed(gates: &Gates, lit: Lit) -> Vec<(u32, bool)> {
    let mut all = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut waiting = vec![lit];
    while let Some(lit) = waiting.pop() {
        if !seen.insert(lit) {
            continue;
        }
        all.push((lit.gate(), !lit.negated()));
        if matches!((gates.kind(lit.gate()), lit.negated()), (GateKind::And, false) | (GateKind::Or, true)) {
            waiting.extend(gates.inputs(lit.gate()).iter().map(|input| input.flip(lit.negated())));
        }
    }
    all
}

/// Which moves are made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moves {
    /// Nothing is known about it, but for moves that have a value.
    Open,
    /// This input and no other.
    Only(usize),
    /// None.
    None,
}

/// What every gate becomes where these gates have these values and these moves are made.
pub(crate) fn put(found: &Ground, work: &mut Gates, assumed: &[(u32, bool)], made: Moves) -> Vec<Lit> {
    let (gates, facts) = (&found.gates, found.facts.len());
    let mut known: Vec<Option<bool>> = vec![None; gates.len()];
    assumed.iter().for_each(|&(gate, value)| known[gate as usize] = Some(value));
    let mut map: Vec<Lit> = Vec::with_capacity(gates.len());
    let mut inputs = Vec::new();
    for gate in 0..gates.len() as u32 {
        if let Some(value) = known[gate as usize] {
            map.push(if value { Lit::TRUE } else { Lit::FALSE });
            continue;
        }
        match gates.kind(gate) {
            GateKind::True | GateKind::Open => map.push(Lit::of(gate)),
            GateKind::Input(number) if (number as usize) < facts => map.push(Lit::of(gate)),
            GateKind::Input(_) if made == Moves::Open => map.push(Lit::of(gate)),
            GateKind::Input(number) => {
                map.push(if made == Moves::Only(number as usize) { Lit::TRUE } else { Lit::FALSE });
            }
            kind @ (GateKind::And | GateKind::Or) => {
                let own = gates.inputs(gate);
                inputs.clear();
                inputs.extend(own.iter().map(|lit| map[lit.gate() as usize].flip(lit.negated())));
                map.push(match kind {
                    _ if inputs == own => Lit::of(gate),
                    GateKind::And => work.and(&inputs),
                    _ => work.or(&inputs),
                });
            }
        }
    }
    map
}
