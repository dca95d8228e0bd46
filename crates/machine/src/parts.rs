//! How a game for one player falls apart: the clock that changes by itself, parts that moves change apart from each other, and what
//! the goals ask of each of them.
//!
//! Facts belong together if a move changes both, or if one decides what a move makes of the other; a move belongs to what it changes. Parts whose
//! facts decide about each other's legal moves are one; that one part waits for another one (games one after the other) is allowed, and the end
//! may come from any of them. So what is found for the parts one by one is a proposal: whoever puts it together has to play it through.

use crate::budget::{Budget, Stop};
use crate::effects::{Effects, facts_below, own};
use crate::gates::{GateKind, Gates, Lit};
use crate::ground::Ground;
use crate::net::State;
use game::{Goal, Move};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// More ways to a goal than this are not written out.
const MOST_WAYS: usize = 64;

/// A game of more parts than this is not one that falls apart: things that are put somewhere, each for itself, are what it is made of.
const MOST_PARTS: usize = 16;

/// Goals that nest deeper than this are not taken apart.
const MOST_DEPTH: usize = 64;

/// How a game for one player falls apart. Facts are named by their bits, moves by their numbers.
pub struct Parts {
    /// The facts that change by themselves, whatever is done: with those at the start they follow from the number of moves made.
    pub clock: Vec<u32>,
    /// What moves change independently of each other; one part if the game does not fall apart, none if that is not known.
    pub parts: Vec<Part>,
    /// Ways to goals, the best goals first, for games of several parts.
    pub ways: Vec<Way>,
    /// What the best goal needs and single moves bring for certain.
    pub needs: Vec<Need>,
}

/// Facts and moves that have to do with each other.
pub struct Part {
    /// Its facts, in order.
    pub facts: Vec<u32>,
    /// The moves that change them, in order.
    pub moves: Vec<Move>,
}

/// What is enough for a goal, but for the clock.
pub struct Way {
    /// The goal.
    pub goal: Goal,
    /// What it asks of which part.
    pub targets: Vec<(usize, Test)>,
}

/// A fact that has to be there, or not to be there, for the best goal.
pub struct Need {
    /// The fact, and whether it has to hold.
    pub fact: (u32, bool),
    /// The moves that bring it for certain, in order.
    pub moves: Vec<Move>,
}

impl Need {
    /// Whether it is as it has to be.
    pub fn is_met(&self, state: &State) -> bool {
        let (fact, holds) = self.fact;
        (state.0[fact as usize / 64] >> (fact % 64) & 1 == 1) == holds
    }
}

/// Something that may be true of a state.
pub struct Test {
    /// Gates that can be worked out one after the other, with their inputs by place.
    steps: Vec<(Step, Vec<Lit>)>,
    /// What all has to be true.
    wanted: Vec<Lit>,
}

#[derive(Clone, Copy)]
enum Step {
    True,
    Fact(u32),
    And,
    Or,
}

impl Test {
    pub(crate) fn new(gates: &Gates, wanted: &[Lit]) -> Test {
        let mut below = BTreeSet::new();
        let mut waiting: Vec<u32> = wanted.iter().map(|lit| lit.gate()).collect();
        while let Some(gate) = waiting.pop() {
            if below.insert(gate) {
                waiting.extend(gates.inputs(gate).iter().map(|lit| lit.gate()));
            }
        }
        let places: HashMap<u32, u32> = below.iter().copied().zip(0..).collect();
        let lit = |old: &Lit| Lit::of(places[&old.gate()]).flip(old.negated());
        let step = |&gate: &u32| {
            let step = match gates.kind(gate) {
                GateKind::True => Step::True,
                GateKind::Input(fact) => Step::Fact(fact),
                GateKind::And => Step::And,
                GateKind::Or | GateKind::Open => Step::Or,
            };
            (step, gates.inputs(gate).iter().map(lit).collect())
        };
        Test { steps: below.iter().map(step).collect(), wanted: wanted.iter().map(lit).collect() }
    }

    /// Whether it is true of this state.
    pub fn holds(&self, state: &State) -> bool {
        self.each(state).into_iter().all(|value| value)
    }

    /// What each of the things that are wanted is in this state.
    pub(crate) fn each(&self, state: &State) -> Vec<bool> {
        let mut values: Vec<bool> = Vec::with_capacity(self.steps.len());
        for (step, inputs) in &self.steps {
            let mut given = inputs.iter().map(|lit| values[lit.gate() as usize] != lit.negated());
            let value = match step {
                Step::True => true,
                Step::Fact(fact) => state.0[*fact as usize / 64] >> (fact % 64) & 1 == 1,
                Step::And => given.all(|value| value),
                Step::Or => given.any(|value| value),
            };
            values.push(value);
        }
        self.wanted.iter().map(|lit| values[lit.gate() as usize] != lit.negated()).collect()
    }
}

impl Parts {
    /// Of a game for one player; goals are values where they have one.
    pub(crate) fn new(
        found: &Ground,
        effects: Option<&Effects>,
        goals: &[Option<Goal>],
        budget: &Budget,
    ) -> Result<Parts, Stop> {
        let clock = clock(found, budget)?;
        let Some(effects) = effects else { return Ok(Parts { clock, parts: vec![], ways: vec![], needs: vec![] }) };
        let parts = together(found, effects, &clock, budget)?;
        let mut ranked: Vec<(Goal, Lit)> =
            goals.iter().zip(&found.goals).filter_map(|(goal, (_, _, lit))| Some(((*goal)?, *lit))).collect();
        ranked.sort_by_key(|(goal, _)| std::cmp::Reverse(*goal));
        ranked.retain(|&(goal, lit)| goal > 0 && lit != Lit::FALSE);
        let needs = ranked.first().map_or(Vec::new(), |&(_, lit)| needs(found, effects, lit));
        let ways = if (2..=MOST_PARTS).contains(&parts.len()) {
            ways(found, &parts, &ranked).unwrap_or_default()
        } else {
            Vec::new()
        };
        Ok(Parts { clock, parts, ways, needs })
    }
}

/// The facts that depend on no move and on nothing but each other.
fn clock(found: &Ground, budget: &Budget) -> Result<Vec<u32>, Stop> {
    let moved = moved(found, budget)?;
    let mut below: Vec<(u32, Vec<u32>)> = Vec::new();
    for fact in (0..found.facts.len() as u32).filter(|&fact| !moved[found.next[fact as usize].gate() as usize]) {
        budget.heard()?;
        below.push((fact, facts_below(&found.gates, found.facts.len(), &[found.next[fact as usize]])));
    }
    loop {
        let kept: Vec<u32> = below.iter().map(|(fact, _)| *fact).collect();
        below.retain(|(_, below)| below.iter().all(|fact| kept.binary_search(fact).is_ok()));
        if below.len() == kept.len() {
            return Ok(kept);
        }
    }
}

/// For each gate whether it depends on what is done.
fn moved(found: &Ground, budget: &Budget) -> Result<Vec<bool>, Stop> {
    let gates = &found.gates;
    let mut moved = vec![false; gates.len()];
    // Inputs come first, but where gates are in circles.
    loop {
        budget.heard()?;
        let mut changed = false;
        for gate in 0..gates.len() as u32 {
            let is = match gates.kind(gate) {
                GateKind::Input(number) => number as usize >= found.facts.len(),
                _ => gates.inputs(gate).iter().any(|lit| moved[lit.gate() as usize]),
            };
            changed |= is && !std::mem::replace(&mut moved[gate as usize], is);
        }
        if !changed {
            return Ok(moved);
        }
    }
}

/// Facts and moves in groups, moves after the facts; the clock is in none of them.
struct Groups<'a> {
    head: Vec<usize>,
    clock: &'a [u32],
}

impl Groups<'_> {
    fn find(&mut self, mut at: usize) -> usize {
        while self.head[at] != at {
            self.head[at] = self.head[self.head[at]];
            at = self.head[at];
        }
        at
    }

    fn join(&mut self, at: usize, all: &[u32]) {
        for &fact in all.iter().filter(|fact| self.clock.binary_search(fact).is_err()) {
            let (one, other) = (self.find(at), self.find(fact as usize));
            self.head[one] = other;
        }
    }

    /// Makes one of groups whose facts decide about each other's legal moves, along however many steps.
    fn join_what_waits_for_each_other(
        &mut self,
        found: &Ground,
        effects: &Effects,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let facts = found.facts.len();
        let own = (0..found.moves.len()).filter(|&mv| !effects.moved[mv].is_empty());
        // From each move the groups that decide whether it is legal.
        let mut waits: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for mv in own {
            budget.heard()?;
            let below = facts_below(&found.gates, facts, &[found.moves[mv].2]);
            let group = self.find(facts + mv);
            for fact in below.into_iter().filter(|fact| self.clock.binary_search(fact).is_err()) {
                let other = self.find(fact as usize);
                waits.entry(group).or_default().insert(other);
            }
        }
        let numbers: BTreeMap<usize, u32> = waits.keys().copied().zip(0..).collect();
        let edges: Vec<Vec<u32>> =
            waits.values().map(|on| on.iter().filter_map(|group| numbers.get(group).copied()).collect()).collect();
        let groups: Vec<usize> = waits.keys().copied().collect();
        let of = crate::graph::components(&edges).of;
        let mut firsts: HashMap<u32, usize> = HashMap::new();
        for (&group, component) in groups.iter().zip(of) {
            let first = *firsts.entry(component).or_insert(group);
            let (one, other) = (self.find(first), self.find(group));
            self.head[one] = other;
        }
        Ok(())
    }

    fn parts(&mut self, found: &Ground, effects: &Effects) -> Vec<Part> {
        let facts = found.facts.len();
        let mut parts: Vec<Part> = Vec::new();
        let mut numbers = HashMap::new();
        for mv in (0..found.moves.len()).filter(|&mv| !effects.moved[mv].is_empty()) {
            let number = *numbers.entry(self.find(facts + mv)).or_insert_with(|| {
                parts.push(Part { facts: Vec::new(), moves: Vec::new() });
                parts.len() - 1
            });
            parts[number].moves.push(Move(mv as u32));
        }
        for fact in (0..facts).filter(|&fact| self.clock.binary_search(&(fact as u32)).is_err()) {
            if let Some(&number) = numbers.get(&self.find(fact)) {
                parts[number].facts.push(fact as u32);
            }
        }
        parts
    }
}

/// Facts and moves that belong together, but for the clock.
fn together(found: &Ground, effects: &Effects, clock: &[u32], budget: &Budget) -> Result<Vec<Part>, Stop> {
    let facts = found.facts.len();
    let mut groups = Groups { head: (0..facts + found.moves.len()).collect(), clock };
    for mv in 0..found.moves.len() {
        // A move that only time goes by with belongs nowhere.
        if !effects.moved[mv].is_empty() {
            groups.join(facts + mv, &effects.moved[mv]);
            groups.join(facts + mv, &effects.read[mv]);
        }
    }
    for (fact, read) in effects.passing.iter().filter(|(fact, _)| clock.binary_search(fact).is_err()) {
        groups.join(*fact as usize, read);
    }
    groups.join_what_waits_for_each_other(found, effects, budget)?;
    Ok(groups.parts(found, effects))
}

/// What all has to be true for this to be, as far as that is an `and`.
fn conditions(gates: &Gates, lit: Lit) -> Vec<Lit> {
    let mut all = BTreeSet::new();
    let mut seen = HashSet::new();
    let mut waiting = vec![lit];
    while let Some(lit) = waiting.pop() {
        match (gates.kind(lit.gate()), lit.negated()) {
            _ if !seen.insert(lit) => {}
            (GateKind::And, false) | (GateKind::Or, true) => {
                waiting.extend(gates.inputs(lit.gate()).iter().map(|input| input.flip(lit.negated())));
            }
            _ => drop(all.insert(lit)),
        }
    }
    all.into_iter().collect()
}

/// The facts that the best goal needs and moves bring.
fn needs(found: &Ground, effects: &Effects, best: Lit) -> Vec<Need> {
    let own = own(found);
    let facts: HashMap<u32, u32> = own[..found.facts.len()].iter().map(|lit| lit.gate()).zip(0..).collect();
    let need = |lit: Lit| {
        let fact = (*facts.get(&lit.gate())?, !lit.negated());
        let brings = |mv: &usize| effects.sure[*mv].contains(&fact);
        let moves = (0..found.moves.len()).filter(brings).map(|mv| Move(mv as u32)).collect::<Vec<_>>();
        (!moves.is_empty()).then_some(Need { fact, moves })
    };
    conditions(&found.gates, best).into_iter().filter_map(need).collect()
}

/// Ways to the goals, each with what it asks of the parts; `None` where there are too many, or parts in circles.
fn ways(found: &Ground, parts: &[Part], goals: &[(Goal, Lit)]) -> Option<Vec<Way>> {
    let gates = &found.gates;
    let mut owner = vec![0u64; found.facts.len() + found.moves.len()];
    for (number, part) in parts.iter().enumerate() {
        part.facts.iter().for_each(|&fact| owner[fact as usize] = 1 << number);
    }
    // Which parts decide a gate; a gate that depends on itself is nobody's.
    let mut deciders = vec![0u64; gates.len()];
    for gate in 0..gates.len() as u32 {
        deciders[gate as usize] = match gates.kind(gate) {
            GateKind::Input(number) => owner[number as usize],
            GateKind::Open => u64::MAX,
            _ => gates.inputs(gate).iter().fold(0, |all, lit| all | deciders[lit.gate() as usize]),
        };
    }
    let mut ways = Vec::new();
    let mut known = Known::new();
    for &(goal, lit) in goals {
        for wanted in taken_apart(gates, &deciders, lit, 0, &mut known)? {
            let mut targets: HashMap<u32, Vec<Lit>> = HashMap::new();
            for lit in wanted {
                let part = deciders[lit.gate() as usize];
                if part != 0 {
                    targets.entry(part.trailing_zeros()).or_default().push(lit);
                }
            }
            let mut targets: Vec<(usize, Test)> =
                targets.into_iter().map(|(part, wanted)| (part as usize, Test::new(gates, &wanted))).collect();
            targets.sort_by_key(|(part, _)| *part);
            ways.push(Way { goal, targets });
        }
    }
    (ways.len() <= MOST_WAYS).then_some(ways)
}

/// Conditions taken apart, each once: rules may use the same condition in very many places.
type Known = HashMap<Lit, Option<Vec<Vec<Lit>>>>;

/// A condition as lists of conditions of single parts, one of which is enough.
fn taken_apart(gates: &Gates, deciders: &[u64], lit: Lit, depth: usize, known: &mut Known) -> Option<Vec<Vec<Lit>>> {
    if lit == Lit::FALSE {
        return Some(Vec::new());
    }
    if deciders[lit.gate() as usize].count_ones() <= 1 {
        return Some(vec![vec![lit]]);
    }
    if let Some(found) = known.get(&lit) {
        return found.clone();
    }
    let kind = gates.kind(lit.gate());
    if depth > MOST_DEPTH || kind == GateKind::Open {
        return None;
    }
    let all = (kind == GateKind::And) != lit.negated();
    let mut found = Some(if all { vec![Vec::new()] } else { Vec::new() });
    for input in gates.inputs(lit.gate()) {
        let one = taken_apart(gates, deciders, input.flip(lit.negated()), depth + 1, known);
        found = found.zip(one).map(|(found, one)| combined(all, &found, &one)).filter(|all| all.len() <= MOST_WAYS);
    }
    known.insert(lit, found.clone());
    found
}

/// Both lists hold (`all`), or one of them is enough.
fn combined(all: bool, one: &[Vec<Lit>], other: &[Vec<Lit>]) -> Vec<Vec<Lit>> {
    let both = |a: &Vec<Lit>, b: &Vec<Lit>| a.iter().chain(b).copied().collect::<BTreeSet<Lit>>().into_iter().collect();
    let lists: BTreeSet<Vec<Lit>> = match all {
        true => one.iter().flat_map(|a| other.iter().map(move |b| both(a, b))).collect(),
        false => one.iter().chain(other).cloned().collect(),
    };
    lists.into_iter().collect()
}
