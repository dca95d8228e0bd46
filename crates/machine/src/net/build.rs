//! From gates to a propnet: constants removed, moves in order, the circuit and the events made.

use super::*;

impl PropNet {
    pub(super) fn build(
        found: Ground,
        prover: &Prover,
        before: (usize, usize, usize),
        always: Vec<Id>,
        budget: &mut Budget,
    ) -> Result<PropNet, Stop> {
        let lexicon = prover.lexicon().clone();
        let legal: Vec<Lit> = found.moves.iter().map(|&(_, _, lit)| lit).collect();
        let goals: Vec<Lit> = found.goals.iter().map(|&(_, _, lit)| lit).collect();
        let state: Vec<Lit> = legal.iter().chain([&found.terminal]).chain(&goals).copied().collect();
        let inputs = (found.facts.len() + found.moves.len()) as u32;
        let circuit = circuit(&found.gates, inputs, &state, &found.next, budget)?;
        let outputs: Vec<Lit> = state.iter().chain(&found.next).copied().collect();
        let mut events = Events::new(&found.gates, inputs as usize, &outputs, budget)?;
        let mut ends = vec![0; lexicon.roles.len()];
        for (role, end) in ends.iter_mut().enumerate() {
            *end = found.moves.partition_point(|&(who, _, _)| who as usize <= role);
        }
        let bank = lexicon.bank();
        let goals = found.goals.iter().map(|&(role, id, _)| (Role(role), lexicon.goal(bank.functor(id)))).collect();
        drop(bank);
        let mut start = State(vec![0; found.facts.len().div_ceil(64)].into());
        for (at, _) in found.start.iter().enumerate().filter(|(_, holds)| **holds) {
            start.0[at / 64] |= 1 << (at % 64);
        }
        if let Some(events) = &mut events {
            events.begin_with((0..found.facts.len()).filter(|at| found.start[*at]));
        }
        let mut looped = 0;
        let mut inside = false;
        for piece in circuit.state.pieces.iter().chain(&circuit.moves.pieces) {
            match piece {
                crate::circuit::Piece::Run(_, count) => looped += if inside { *count as usize } else { 0 },
                crate::circuit::Piece::Loop { .. } => inside = true,
                crate::circuit::Piece::End => inside = false,
            }
        }
        let size = Size {
            instances: found.instances,
            facts: (before.0, found.facts.len()),
            moves: (before.1, found.moves.len()),
            gates: before.2,
            operations: circuit.state.ops.len() + circuit.moves.ops.len(),
            looped,
            slots: circuit.slots as usize,
        };
        budget.heard()?;
        Ok(PropNet {
            circuit,
            lexicon,
            numbers: found.facts.iter().copied().zip(0..).collect(),
            facts: found.facts,
            always,
            start,
            moves: found.moves.iter().map(|&(_, id, _)| id).collect(),
            ends,
            goals,
            events,
            size,
        })
    }
}

/// Removes what is constant: facts that never change, moves that are never legal. Answers the facts that always hold.
pub(super) fn simplify(found: &mut Ground, bank: &Bank, budget: &mut Budget) -> Result<Vec<Id>, Stop> {
    let mut always = Vec::new();
    loop {
        let facts = found.facts.len();
        // Looking at a gate once more is far cheaper than a step of joining.
        budget.spend(1 + found.gates.len() as u64 / 64)?;
        budget.heard()?;
        budget.hold_now(2 * found.gates.bytes())?;
        let own: Vec<Lit> = {
            let mut own = vec![Lit::FALSE; facts + found.moves.len()];
            for gate in 0..found.gates.len() as u32 {
                if let GateKind::Input(number) = found.gates.kind(gate) {
                    own[number as usize] = Lit::of(gate);
                }
            }
            own
        };
        // A fact that becomes what it is keeps its first value; one that becomes its first value whatever happens, too.
        let fixed: Vec<Option<bool>> = (0..facts)
            .map(|fact| {
                let (first, next) = (found.start[fact], found.next[fact]);
                let same = next == own[fact] || next == if first { Lit::TRUE } else { Lit::FALSE };
                same.then_some(first)
            })
            .collect();
        let kept: Vec<usize> = (0..facts).filter(|&fact| fixed[fact].is_none()).collect();
        let possible: Vec<usize> = (0..found.moves.len()).filter(|&mv| found.moves[mv].2 != Lit::FALSE).collect();
        if kept.len() == facts && possible.len() == found.moves.len() && in_order(&found.moves, bank) {
            return Ok(always);
        }
        always.extend((0..facts).filter(|&fact| fixed[fact] == Some(true)).map(|fact| found.facts[fact]));
        rebuild(found, bank, &fixed, &kept, &possible);
    }
}

/// The order of moves: by role, then the order that all engines list moves in.
pub(super) fn compare(bank: &Bank, a: &(u8, Id, Lit), b: &(u8, Id, Lit)) -> Ordering {
    a.0.cmp(&b.0).then_with(|| bank.compare(a.1, b.1))
}

pub(super) fn in_order(moves: &[(u8, Id, Lit)], bank: &Bank) -> bool {
    moves.is_sorted_by(|a, b| compare(bank, a, b).is_le())
}

/// The same game with the fixed facts as constants and only some moves, in the order of the roles.
pub(super) fn rebuild(found: &mut Ground, bank: &Bank, fixed: &[Option<bool>], kept: &[usize], possible: &[usize]) {
    let facts = found.facts.len();
    let mut order = possible.to_vec();
    order.sort_by(|&a, &b| compare(bank, &found.moves[a], &found.moves[b]));
    let mut gates = Gates::new();
    let mut input = vec![Lit::FALSE; facts + found.moves.len()];
    for (number, &fact) in kept.iter().enumerate() {
        input[fact] = gates.input(number as u32);
    }
    for (number, &mv) in order.iter().enumerate() {
        input[facts + mv] = gates.input((kept.len() + number) as u32);
    }
    for (fact, value) in fixed.iter().enumerate() {
        if let Some(value) = value {
            input[fact] = if *value { Lit::TRUE } else { Lit::FALSE };
        }
    }
    let old = &found.gates;
    let mut value = vec![Lit::TRUE; old.len()];
    let mut lits = Vec::new();
    for gate in 0..old.len() as u32 {
        if old.kind(gate) == GateKind::Open {
            value[gate as usize] = gates.open();
        }
    }
    for gate in 0..old.len() as u32 {
        lits.clear();
        lits.extend(old.inputs(gate).iter().map(|lit| value[lit.gate() as usize].flip(lit.negated())));
        match old.kind(gate) {
            GateKind::True | GateKind::Open => {}
            GateKind::Input(number) => value[gate as usize] = input[number as usize],
            GateKind::And => value[gate as usize] = gates.and(&lits),
            GateKind::Or => value[gate as usize] = gates.or(&lits),
        }
    }
    for gate in 0..old.len() as u32 {
        if old.kind(gate) == GateKind::Open {
            lits.clear();
            lits.extend(old.inputs(gate).iter().map(|lit| value[lit.gate() as usize].flip(lit.negated())));
            gates.close(value[gate as usize].gate(), &lits);
        }
    }
    let map = |lit: Lit| value[lit.gate() as usize].flip(lit.negated());
    found.next = kept.iter().map(|&fact| map(found.next[fact])).collect();
    found.start = kept.iter().map(|&fact| found.start[fact]).collect();
    found.facts = kept.iter().map(|&fact| found.facts[fact]).collect();
    found.moves = order.iter().map(|&mv| (found.moves[mv].0, found.moves[mv].1, map(found.moves[mv].2))).collect();
    found.terminal = map(found.terminal);
    found.goals.iter_mut().for_each(|goal| goal.2 = map(goal.2));
    found.goals.retain(|goal| goal.2 != Lit::FALSE);
    found.gates = gates;
}
