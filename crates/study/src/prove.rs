//! Invariants proved by induction over the rules as written, without listing a single state.
//!
//! An invariant says that no state has two different facts of a fluent that agree in some columns (and have given values
//! in others): one thing in a place, a piece in one place, one role in control. It holds if it holds at the start and if
//! no two rules for `next` can break it. For each pair of rules the tableau assumes both bodies for a state in which all
//! invariants hold, and looks for a contradiction: two moves of one role are the same, a move made is a legal one, facts that agree in a key
//! are the same, a fixed relation has certain rows, and what is denied cannot follow from what is assumed. All
//! invariants are assumed together; those that cannot be kept are dropped until the rest keeps itself up.

mod branch;

use crate::fixed::{Fixed, Relation};
use crate::form::{Fluent, fact};
use crate::observe::Row;
use crate::structure::Structure;
use crate::terms::{TermId, Terms};
use branch::{Branch, T};
use gdl::{Clause, Rules, Symbol};
use std::collections::{BTreeMap, HashMap};

/// No two different facts agree in the columns of `key` and have these values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Invariant {
    pub fluent: usize,
    /// Columns as bits.
    pub key: usize,
    pub fixed: Vec<(usize, TermId)>,
}

impl Invariant {
    /// A piece is in one place at a time.
    pub fn of_piece(structure: &Structure, piece: TermId) -> Invariant {
        Invariant { fluent: structure.fluent, key: 0, fixed: vec![(structure.outputs[0], piece)] }
    }
}

/// What one invariant may take of all nodes of tableaux: this part of them.
const SHARE: usize = 8;

/// An invariant of a fluent: the columns of its key as bits, and the values in other columns.
type Assumed = (usize, Vec<(usize, T)>);

/// What the tableau knows of the game.
pub(super) struct World<'a> {
    pub clauses: HashMap<Relation, Vec<&'a Clause>>,
    pub next: Vec<&'a Clause>,
    /// Rows of relations given as facts, and the sets of columns that decide the others.
    pub rows: BTreeMap<Relation, (Vec<Vec<T>>, Vec<usize>)>,
    /// The invariants that are assumed, by name and number of arguments of the fluent.
    pub assumed: HashMap<Relation, Vec<Assumed>>,
    pub nodes: usize,
    pub most: usize,
}

/// Those of the invariants that follow from the rules, given the start, as far as that takes at most so many nodes.
pub(crate) fn prove(
    rules: &Rules,
    fixed: &Fixed,
    fluents: &[Fluent],
    start: &[Row],
    terms: &Terms,
    wanted: &[Invariant],
    most: usize,
) -> Vec<bool> {
    let plain = |f: &Fluent| f.columns.iter().all(|column| column.path.len() == 1) && f.columns.len() == f.arity;
    let mut alive: Vec<bool> =
        wanted.iter().map(|invariant| plain(&fluents[invariant.fluent]) && holds(invariant, start)).collect();
    let mut world = World::new(rules, fixed, terms);
    let mut spent = 0;
    loop {
        world.assumed.clear();
        for invariant in wanted.iter().zip(&alive).filter(|(_, alive)| **alive).map(|(invariant, _)| invariant) {
            let fluent = &fluents[invariant.fluent];
            let values = invariant.fixed.iter().map(|&(at, value)| (at, T::of(value, terms))).collect();
            world.assumed.entry((fluent.name, fluent.arity)).or_default().push((invariant.key, values));
        }
        let mut dropped = false;
        for (at, invariant) in wanted.iter().enumerate() {
            if !alive[at] {
                continue;
            }
            world.nodes = 0;
            world.most = (most / SHARE).min(most - spent);
            let fluent = &fluents[invariant.fluent];
            let values: Vec<(usize, T)> =
                invariant.fixed.iter().map(|&(at, value)| (at, T::of(value, terms))).collect();
            if !world.kept((fluent.name, fluent.arity), invariant.key, &values) {
                alive[at] = false;
                dropped = true;
            }
            spent += world.nodes;
            // Half a round proves nothing.
            if spent >= most {
                return vec![false; wanted.len()];
            }
        }
        if !dropped {
            return alive;
        }
    }
}

/// Whether the invariant holds at the start.
fn holds(invariant: &Invariant, start: &[Row]) -> bool {
    let concerned: Vec<&Row> = start
        .iter()
        .filter(|row| row.fluent == invariant.fluent)
        .filter(|row| invariant.fixed.iter().all(|&(at, value)| row.values[at] == value))
        .collect();
    let agree =
        |a: &Row, b: &Row| (0..a.values.len()).all(|at| invariant.key >> at & 1 == 0 || a.values[at] == b.values[at]);
    concerned.iter().enumerate().all(|(at, a)| concerned[at + 1..].iter().all(|b| !agree(a, b)))
}

impl<'a> World<'a> {
    fn new(rules: &'a Rules, fixed: &Fixed, terms: &Terms) -> World<'a> {
        let mut clauses: HashMap<Relation, Vec<&Clause>> = HashMap::new();
        let mut next = Vec::new();
        for clause in &rules.clauses {
            if clause.head.name == Symbol::NEXT {
                next.push(clause);
            } else {
                clauses.entry((clause.head.name, clause.head.args.len())).or_default().push(clause);
            }
        }
        let mut rows = BTreeMap::new();
        for (&relation, given) in fixed.given.iter().filter(|(_, given)| given.len() <= 600) {
            let table: Vec<Vec<T>> = given.iter().map(|row| row.iter().map(|&id| T::of(id, terms)).collect()).collect();
            let keys = if relation.1 <= 4 { keys(given, relation.1) } else { Vec::new() };
            rows.insert(relation, (table, keys));
        }
        World { clauses, next, rows, assumed: HashMap::new(), nodes: 0, most: 0 }
    }

    /// Whether no pair of rules for `next` can break the invariant, if the state keeps all that are assumed.
    fn kept(&mut self, relation: Relation, key: usize, values: &[(usize, T)]) -> bool {
        let own: Vec<&Clause> = self
            .next
            .iter()
            .copied()
            .filter(|clause| fact(&clause.head).is_none_or(|(name, args)| (name, args.len()) == relation))
            .collect();
        for (at, first) in own.iter().enumerate() {
            for second in &own[at..] {
                if !self.clash(first, second, relation, key, values) {
                    return false;
                }
            }
        }
        true
    }

    /// Whether two rules can never give two different facts that agree where the invariant says.
    fn clash(&mut self, a: &'a Clause, b: &'a Clause, relation: Relation, key: usize, values: &[(usize, T)]) -> bool {
        let mut branch = Branch::default();
        let args = [(); 2].map(|()| (0..relation.1).map(|_| branch.fresh()).collect::<Vec<T>>());
        let mut possible = true;
        for at in (0..relation.1).filter(|at| key >> at & 1 == 1) {
            possible &= branch.unify(&args[0][at], &args[1][at]);
        }
        for (at, value) in values {
            possible &= branch.unify(&args[0][*at], value) && branch.unify(&args[1][*at], value);
        }
        for (clause, args) in [a, b].into_iter().zip(&args) {
            let vars = branch.rename(clause);
            let head = T::term(&clause.head.args[0], &vars);
            possible = possible && branch.unify(&head, &T::App(relation.0, args.clone().into()));
            clause.body.iter().for_each(|literal| branch.assume(literal, false, &vars, 0));
        }
        if !possible {
            return true;
        }
        // The facts differ in one of the other columns; each is a case.
        (0..relation.1).filter(|at| key >> at & 1 == 0).all(|at| {
            let mut case = branch.clone();
            case.distinct.push((args[0][at].clone(), args[1][at].clone()));
            case.closes(self)
        })
    }
}

/// The sets of columns in which no two rows agree; smallest first, and without their supersets.
fn keys(rows: &[Vec<TermId>], arity: usize) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    let mut sets: Vec<usize> = (0..1usize << arity).collect();
    sets.sort_by_key(|set| set.count_ones());
    for set in sets.into_iter().take((1usize << arity) - 1) {
        if found.iter().any(|key| key & set == *key) {
            continue;
        }
        let mut parts: Vec<Vec<TermId>> =
            rows.iter().map(|row| (0..arity).filter(|at| set >> at & 1 == 1).map(|at| row[at]).collect()).collect();
        parts.sort();
        if parts.windows(2).all(|pair| pair[0] != pair[1]) {
            found.push(set);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Study;
    use machine::{Budget, PropNet};
    use std::path::PathBuf;

    fn watched(rules: &Rules, net: &PropNet, seed: u64, states: u64, study: Option<Study>) -> Study {
        let mut study = study.unwrap_or_else(|| Study::new(rules));
        let mut left = states;
        let mut more = || {
            left = left.saturating_sub(1);
            left > 0
        };
        study.watch(net, seed, &mut more).unwrap();
        study
    }

    /// Proofs after few states, tested against many: nothing that was proved may ever be seen to fail.
    #[test]
    fn what_is_proved_is_never_refuted() {
        let mut proofs = 0;
        for game in
            ["tic-tac-toe", "hallway", "eight-puzzle", "breakthrough-small", "nim", "connect-four", "meeting", "krk"]
        {
            let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../games").join(game).join("rules.kif");
            let rules = gdl::parse(&std::fs::read_to_string(path).unwrap()).rules;
            let net = PropNet::new(&rules, Budget::default()).unwrap();
            let mut study = watched(&rules, &net, 1, 50, None);
            study.prove(3_000);
            let proved = study.proved.clone();
            proofs += proved.len();
            let study = watched(&rules, &net, 2, 1_500, Some(study));
            for invariant in proved {
                let seen = &study.seen.fluents[invariant.fluent];
                let fine = match invariant.fixed[..] {
                    [] => seen.keys >> invariant.key & 1 == 1,
                    [at] => seen.together.get(&at).is_none_or(|&most| most <= 1),
                    _ => true,
                };
                assert!(fine, "{game}: {invariant:?}");
            }
        }
        assert!(proofs >= 12, "{proofs}");
    }

    #[test]
    fn a_rule_that_breaks_the_invariant_is_noticed() {
        let text = "(role a) (init (at 1)) (step 1 2) (step 2 3) (step 3 1)
            (<= (legal a (go ?y)) (true (at ?x)) (step ?x ?y)) (legal a stay)
            (<= (next (at ?y)) (does a (go ?y)))
            (<= (next (at ?x)) (true (at ?x)) (not moves)) (<= moves (does a (go ?y)))
            (<= terminal (true (at 9)))";
        let proved = |text: &str| {
            let rules = gdl::parse(text).rules;
            let net = PropNet::new(&rules, Budget::default()).unwrap();
            let study = watched(&rules, &net, 1, 50, None);
            let wanted = [Invariant { fluent: 0, key: 0, fixed: Vec::new() }];
            prove(&rules, &study.fixed, &study.fluents, &study.start, &study.terms, &wanted, 1_000)[0]
        };
        assert!(proved(text));
        assert!(!proved(&format!("{text} (<= (next (at 3)) (true (at 1)))")));
        assert!(!proved(&text.replace("(not moves)", "(true (at 2))")));
        assert!(!proved(&format!("{text} (init (at 2))")));
    }
}
