//! From gates to a propnet: constants removed, moves in order, the circuit and its words made.

use super::*;

/// In nets with more gates nobody looks for what can still be had, and nothing is proved: it would take longer than it saves.
const LARGE: usize = 200_000;

impl PropNet {
    pub(super) fn build(
        found: Ground,
        prover: &Prover,
        before: (usize, usize, usize),
        always: Vec<Id>,
        skill: Skill,
        budget: &mut Budget,
    ) -> Result<PropNet, Stop> {
        let lexicon = prover.lexicon().clone();
        let legal: Vec<Lit> = found.moves.iter().map(|&(_, _, lit)| lit).collect();
        let goal_lits: Vec<Lit> = found.goals.iter().map(|&(_, _, lit)| lit).collect();
        let state: Vec<Lit> = legal.iter().chain([&found.terminal]).chain(&goal_lits).copied().collect();
        let inputs = (found.facts.len() + found.moves.len()) as u32;
        let circuit = circuit(&found.gates, inputs, &state, &found.next, budget)?;
        budget.heard()?;
        let mut ends = vec![0; lexicon.roles.len()];
        for (role, end) in ends.iter_mut().enumerate() {
            *end = found.moves.partition_point(|&(who, _, _)| who as usize <= role);
        }
        let bank = lexicon.bank();
        let goals: Vec<(Role, Option<Goal>)> =
            found.goals.iter().map(|&(role, id, _)| (Role(role), lexicon.goal(bank.functor(id)))).collect();
        drop(bank);
        let mut start = State(vec![0; found.facts.len().div_ceil(64)].into());
        for (at, _) in found.start.iter().enumerate().filter(|(_, holds)| **holds) {
            start.0[at / 64] |= 1 << (at % 64);
        }
        budget.hold_now(3 * found.gates.bytes())?;
        let plan = Plan {
            gates: &found.gates,
            start: &found.start,
            ends: &ends,
            legal: &legal,
            terminal: found.terminal,
            goals: &goal_lits,
            next: &found.next,
        };
        let packed = Packed::new(&plan, skill, budget)?;
        let alone = lexicon.roles.len() == 1 && found.gates.len() <= LARGE;
        let effects = if alone { Effects::new(&found, budget)? } else { None };
        let prospect = alone.then(|| Prospect::new(&found, effects.as_ref()));
        let worth: Vec<Option<Goal>> = goals.iter().map(|&(_, goal)| goal).collect();
        let parts = alone.then(|| Parts::new(&found, effects.as_ref(), &worth, budget)).transpose()?;
        let several = lexicon.roles.len() > 1 && found.gates.len() <= LARGE;
        let settled = if several { Settled::new(&found, budget)? } else { None };
        let wiring = (found.gates.len() <= LARGE).then(|| Wiring::new(&found));
        let mut looped = 0;
        let mut inside = false;
        for piece in circuit.state.pieces.iter().chain(&circuit.moves.pieces) {
            match piece {
                crate::circuit::Piece::Run { .. } => looped += if inside { piece.pair_count() } else { 0 },
                crate::circuit::Piece::Loop { .. } => inside = true,
                crate::circuit::Piece::End => inside = false,
            }
        }
        let size = Size {
            instances: found.instances,
            facts: (before.0, found.facts.len()),
            moves: (before.1, found.moves.len()),
            gates: before.2,
            operations: circuit.state.pair_count() + circuit.moves.pair_count(),
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
            packed,
            prospect,
            parts,
            settled,
            wiring,
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

#[cfg(test)]
mod tests {
    use super::*;
    use game::random::Rng;

    /// Steps by one, connection by a circle that only holds where it is joined, two who choose at once, a bit that both set, a goal that
    /// is also asked for by a move.
    const RULES: &str = "(role a) (role b) (index 0) (index 1) (index 2) (index 3) (index 4) (index 5)
        (next-to 0 1) (next-to 1 2) (next-to 2 3) (next-to 3 4) (next-to 4 5) (next-to 5 0)
        (<= (init (free ?x)) (index ?x)) (init (age 0))
        (<= (legal ?r (take ?x)) (role ?r) (true (free ?x)) (not (joined 0 3)))
        (<= (legal ?r wait) (role ?r))
        (<= (next (owned ?r ?x)) (does ?r (take ?x)))
        (<= (next (owned ?r ?x)) (true (owned ?r ?x)) (not (both ?x)))
        (<= (taken ?x) (does ?r (take ?x)))
        (<= (both ?x) (does a (take ?x)) (does b (take ?x)))
        (<= (next (free ?x)) (true (free ?x)) (not (taken ?x)))
        (<= (next (free ?x)) (both ?x) (won a))
        (<= (next (age ?y)) (true (age ?x)) (next-to ?x ?y) (not (true (age 5))))
        (<= (edge ?x ?y) (next-to ?x ?y) (true (owned ?r ?x)) (true (owned ?r ?y)))
        (<= (joined ?x ?y) (edge ?x ?y)) (<= (joined ?x ?z) (joined ?x ?y) (edge ?y ?z)) (<= (joined ?x ?z) (joined ?x ?y) (edge ?z ?y))
        (<= (won a) (joined 0 3)) (<= (won b) (not (joined 0 3)) (true (owned b 5)))
        (<= terminal (true (age 5)))
        (<= (goal ?r 100) (won ?r)) (<= (goal ?r 0) (role ?r) (not (won ?r)))";

    fn net(skill: Skill) -> PropNet {
        let rules = gdl::parse(RULES).rules;
        let prover = Prover::new(&rules).unwrap();
        let (mut found, mut budget) = ground(&rules, &prover, Budget::default()).unwrap();
        let before = (found.facts.len(), found.moves.len(), found.gates.len());
        let constant = simplify(&mut found, &prover.shared_bank(), &mut budget).unwrap();
        PropNet::build(found, &prover, before, constant, skill, &mut budget).unwrap()
    }

    /// Words say the same as the circuit, with and without instructions that sort bits.
    #[test]
    fn words_agree_with_the_circuit() {
        let (plain, other) = (net(Skill::Turns), net(Skill::here()));
        assert!(plain.size().looped > 0);
        let (mut view, mut second) = (plain.view(), other.view());
        let mut rng = Rng::new(1);
        let (mut steps, mut ends) = (0, [0; 2]);
        for _ in 0..200 {
            let mut state = plain.start();
            loop {
                plain.look(&state, &mut view).unwrap();
                other.look(&state, &mut second).unwrap();
                assert_eq!(plain.turn(&view), other.turn(&second));
                for role in game::roles(&plain) {
                    let goal = plain.goal(&mut view, role).unwrap();
                    assert_eq!(goal, other.goal(&mut second, role).unwrap());
                    ends[usize::from(role.0)] += usize::from(goal == Some(100));
                }
                if plain.over(&view) {
                    break;
                }
                let choose = |role, rng: &mut Rng| {
                    let (mut legal, mut same) = (Vec::new(), Vec::new());
                    plain.legal(&view, role, &mut legal);
                    other.legal(&second, role, &mut same);
                    assert_eq!(legal, same);
                    legal[rng.below(legal.len())]
                };
                let joint: Vec<Move> = game::roles(&plain).map(|role| choose(role, &mut rng)).collect();
                let (mut next, mut children) = (plain.start(), Vec::new());
                plain.play(&mut view, &joint, &mut next).unwrap();
                plain.children(&mut view, std::slice::from_ref(&joint), &mut children);
                assert_eq!(children, [next.clone()]);
                other.play(&mut second, &joint, &mut state).unwrap();
                assert_eq!(state, next);
                steps += 1;
            }
        }
        assert!(steps > 500 && ends[0] > 0 && ends[1] > 0, "{steps} steps, {ends:?}");
    }
}
