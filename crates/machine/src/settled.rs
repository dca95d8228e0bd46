//! Games one after the other: what of a state no longer matters once a part of the game is over.
//!
//! A *latch* is a fact that never changes again once it holds (or once it does not). Put into the net, it may make moves illegal for good and other facts
//! stay as they are for good: in two games played one after the other, the latch is "the first one is over", and what stays is its board. All that is
//! still asked of such facts are the gates that depend on nothing else and are read by what goes on: who won the first game, and not how.
//! Two states in which the same latch holds, which agree in all other facts and in these gates, therefore have the same moves, ends and goals, and so have all states that
//! follow from them by the same moves. That is proved by the form of the net and holds for any number of roles.

use crate::budget::{Budget, Stop};
use crate::effects::{Moves, own, put};
use crate::gates::{GateKind, Gates, Lit};
use crate::ground::Ground;
use crate::net::State;
use crate::parts::Test;
use std::collections::HashSet;

/// So many gates are looked at for the candidates, at most: some hundredths of a second.
const WORK: usize = 1_000_000;
/// So many new gates are kept before the net is copied anew.
const NEW_GATES: usize = 200_000;
/// Facts that have to stay for good for a latch to be worth anything.
const FEWEST: usize = 8;

/// Latches after which much of the state stays as it is, those that settle most first.
pub struct Settled {
    latches: Vec<Latch>,
}

struct Latch {
    /// The fact, and what it has to be.
    fact: (u32, bool),
    /// The bits of the facts that stay for good.
    stays: Box<[u64]>,
    count: usize,
    /// What is still asked of them.
    asked: Test,
}

impl Settled {
    /// Of a game; `None` if no latch settles anything, or if looking for one would take long.
    pub(crate) fn new(found: &Ground, budget: &Budget) -> Result<Option<Settled>, Stop> {
        let own = own(found);
        let candidates: Vec<(u32, bool)> = (0..found.facts.len())
            .filter_map(|fact| latch(found, &own, fact).map(|value| (fact as u32, value)))
            .collect();
        if candidates.len().saturating_mul(found.gates.len()) > WORK {
            return Ok(None);
        }
        let mut work = found.gates.clone();
        let mut latches = Vec::new();
        for fact in candidates {
            budget.heard()?;
            if work.len() > found.gates.len() + NEW_GATES {
                work = found.gates.clone();
            }
            latches.extend(Latch::new(found, &own, fact, &mut work));
        }
        latches.sort_by_key(|latch: &Latch| (std::cmp::Reverse(latch.count), latch.fact));
        Ok((!latches.is_empty()).then_some(Settled { latches }))
    }

    /// How many facts stay for good after each latch.
    pub fn counts(&self) -> impl Iterator<Item = usize> + '_ {
        self.latches.iter().map(|latch| latch.count)
    }

    /// What of a state still matters, the same for any two states that play on alike; `None` while nothing is settled.
    pub fn rest(&self, state: &State) -> Option<Vec<u64>> {
        let holds = |fact: u32| state.0[fact as usize / 64] >> (fact % 64) & 1 == 1;
        let (number, latch) = self.latches.iter().enumerate().find(|(_, latch)| holds(latch.fact.0) == latch.fact.1)?;
        let mut rest: Vec<u64> = state.0.iter().zip(&latch.stays).map(|(word, stays)| word & !stays).collect();
        rest.push(number as u64);
        rest.extend(latch.asked.each(state).chunks(64).map(word));
        Some(rest)
    }
}

fn word(bits: &[bool]) -> u64 {
    bits.iter().enumerate().map(|(at, &bit)| u64::from(bit) << at).sum()
}

/// The value that a fact keeps for good once it has it, if the form of what becomes of it shows that.
fn latch(found: &Ground, own: &[Lit], fact: usize) -> Option<bool> {
    let next = found.next[fact];
    let reads = |lit: Lit| found.gates.inputs(next.gate()).contains(&lit);
    // A negated gate is the other kind, of negated inputs.
    let own = own[fact].flip(next.negated());
    match (found.gates.kind(next.gate()), next.negated()) {
        (GateKind::Or, false) | (GateKind::And, true) if reads(own) => Some(true),
        (GateKind::And, false) | (GateKind::Or, true) if reads(own) => Some(false),
        _ => None,
    }
}

impl Latch {
    /// What a latch settles; `None` if that is little, or if the game is over then.
    fn new(found: &Ground, own: &[Lit], fact: (u32, bool), work: &mut Gates) -> Option<Latch> {
        let facts = found.facts.len();
        let holds = (own[fact.0 as usize].gate(), fact.1);
        // What has become illegal is not made.
        let first = put(found, work, &[holds], Moves::Open);
        let of = |map: &[Lit], lit: Lit| map[lit.gate() as usize].flip(lit.negated());
        let over: Vec<usize> =
            (0..found.moves.len()).filter(|&mv| of(&first, found.moves[mv].2) == Lit::FALSE).collect();
        if over.is_empty() || of(&first, found.terminal) == Lit::TRUE {
            return None;
        }
        let mut known: Vec<(u32, bool)> = over.iter().map(|&mv| (own[facts + mv].gate(), false)).collect();
        known.push(holds);
        let map = put(found, work, &known, Moves::Open);
        let stay: Vec<bool> = (0..facts).map(|fact| of(&map, found.next[fact]) == of(&map, own[fact])).collect();
        let count = stay.iter().filter(|stays| **stays).count();
        if !stay[fact.0 as usize] || count < FEWEST || count == facts {
            return None;
        }
        let goes_on = (0..facts).filter(|&fact| !stay[fact]).map(|fact| found.next[fact]);
        let outputs =
            found.moves.iter().map(|mv| mv.2).chain([found.terminal]).chain(found.goals.iter().map(|goal| goal.2));
        let roots: Vec<Lit> = goes_on.chain(outputs).map(|lit| of(&map, lit)).collect();
        let asked = asked(work, &stay, &roots);
        let mut stays = vec![0u64; facts.div_ceil(64)];
        stay.iter().enumerate().filter(|(_, stays)| **stays).for_each(|(at, _)| stays[at / 64] |= 1 << (at % 64));
        // Where as much is asked as there is, nothing is gained.
        (2 * asked.len() <= count).then(|| Latch { fact, stays: stays.into(), count, asked: Test::new(work, &asked) })
    }
}

/// The gates that depend on facts that stay and on nothing else, and are read by others on the way to these literals.
fn asked(gates: &Gates, stay: &[bool], roots: &[Lit]) -> Vec<Lit> {
    let mut alone = vec![false; gates.len()];
    for gate in 0..gates.len() as u32 {
        alone[gate as usize] = match gates.kind(gate) {
            GateKind::True => true,
            GateKind::Input(number) => stay.get(number as usize).is_some_and(|stays| *stays),
            GateKind::And | GateKind::Or => gates.inputs(gate).iter().all(|lit| alone[lit.gate() as usize]),
            GateKind::Open => false,
        };
    }
    let (mut seen, mut asked) = (HashSet::new(), Vec::new());
    let mut waiting: Vec<u32> = roots.iter().map(|lit| lit.gate()).collect();
    while let Some(gate) = waiting.pop() {
        if gate == Lit::TRUE.gate() || !seen.insert(gate) {
            continue;
        }
        if alone[gate as usize] {
            asked.push(Lit::of(gate));
        } else {
            waiting.extend(gates.inputs(gate).iter().map(|lit| lit.gate()));
        }
    }
    asked.sort_unstable();
    asked
}
