//! What is known about a game while its rules are planned: relations, kinds of terms, fixed relations as rows, and how
//! many facts of each form a state has.

use super::clause::{Relation, read};
use super::plan::{Guess, Mode};
use super::space::{Domain, Domains, Numbering};
use super::types::{Special, Types};
use crate::bank::Id;
use crate::budget::Budget;
use crate::program::{Reach, Rel};
use crate::prover::{Prover, View};
use game::Game;
use gdl::{Rules, Symbol};
use std::collections::HashMap;
use std::rc::Rc;

/// Fixed relations with more steps of work than this to list are asked one question at a time.
const LIST_WORK: u64 = 3_000_000;
/// Fixed relations with more rows than this are asked one question at a time.
const LIST_ROWS: usize = 1 << 20;
/// The most numbers by position for facts of one form, and of all forms.
const MOST_FACTS: (u32, u32) = (1 << 17, 1 << 19);
/// The most numbers by position for moves; these cost no memory.
const MOST_MOVES: (u32, u32) = (1 << 30, 1 << 30);

/// A fixed relation, listed.
pub(super) struct Listed {
    pub arity: usize,
    pub rows: Vec<Id>,
    /// For each argument the values that occur.
    pub columns: Vec<Domain>,
}

impl Listed {
    pub fn count(&self) -> usize {
        self.rows.len() / self.arity.max(1)
    }
}

/// The facts of some states, by form.
#[derive(Default)]
pub(super) struct Sample {
    states: usize,
    rows: HashMap<(Symbol, usize), Vec<Id>>,
}

pub(super) struct World<'a> {
    pub prover: &'a Prover,
    view: View,
    pub relations: Vec<Relation>,
    pub types: Types,
    pub domains: Domains,
    pub facts: Numbering,
    pub moves: Numbering,
    listed: HashMap<Rel, Option<Rc<Listed>>>,
    pub sample: Sample,
    /// What routines really gave and cost.
    pub measured: HashMap<(Rel, Vec<Mode>), Guess>,
    counts: HashMap<(Symbol, Vec<Option<Id>>), f64>,
    listed_counts: HashMap<(Rel, Vec<Option<Id>>), f64>,
    /// What is left to be spent.
    pub budget: Budget,
}

impl<'a> World<'a> {
    pub fn new(rules: &Rules, prover: &'a Prover, mut budget: Budget) -> Result<World<'a>, String> {
        budget.heard()?;
        let program = prover.program();
        let special = Special {
            init: program.relation(Symbol::INIT, 1),
            next: program.relation(Symbol::NEXT, 1),
            legal: program.relation(Symbol::LEGAL, 2),
        };
        let mut bank = prover.shared_bank();
        let relations = read(rules, program, &mut bank, &mut budget)?;
        let known = (prover.role_ids(), prover.start_ids());
        let types = Types::new(&relations, &special, known, &bank, &mut budget)?;
        let mut domains = Domains::default();
        let facts = Numbering::new(types.fact, &types, &mut domains, &mut bank, MOST_FACTS, &mut budget)?;
        let moves = Numbering::new(types.mv, &types, &mut domains, &mut bank, MOST_MOVES, &mut budget)?;
        drop(bank);
        let mut world = World {
            prover,
            view: prover.view(),
            relations,
            types,
            domains,
            facts,
            moves,
            listed: HashMap::new(),
            sample: Sample::default(),
            measured: HashMap::new(),
            counts: HashMap::new(),
            listed_counts: HashMap::new(),
            budget,
        };
        world.see(prover.start_ids());
        Ok(world)
    }

    /// Takes a state's facts into the sample.
    pub fn see(&mut self, facts: &[Id]) {
        let bank = self.prover.shared_bank();
        self.sample.states += 1;
        for &fact in facts {
            let args = bank.args(fact);
            self.sample.rows.entry((bank.functor(fact), args.len())).or_default().extend_from_slice(args);
        }
        self.counts.clear();
    }

    /// Takes over what was seen of a game: for each state the functors and arguments of its facts.
    pub fn see_states(&mut self, states: &[Vec<(Symbol, Vec<Id>)>]) {
        self.sample.states += states.len();
        for (functor, args) in states.iter().flatten() {
            self.sample.rows.entry((*functor, args.len())).or_default().extend_from_slice(args);
        }
        self.counts.clear();
    }

    /// How many facts of this form a state has where the arguments that are given have these values, on average.
    pub fn count(&mut self, functor: Symbol, values: &[Option<Id>]) -> f64 {
        let key = (functor, values.to_vec());
        if let Some(&count) = self.counts.get(&key) {
            return count;
        }
        let rows = self.sample.rows.get(&(functor, values.len())).map_or(&[][..], |rows| &rows[..]);
        let fitting = fitting(rows, values) as f64 / self.sample.states.max(1) as f64;
        let count = match self.facts.shape(functor, values.len()) {
            // The start says little about what is not there yet.
            Some(shape) if fitting == 0.0 && self.sample.states == 1 => {
                f64::from(self.facts.shapes[shape as usize].size).powf(0.6)
            }
            // A form that no state of the sample has can still occur.
            _ => fitting.max(0.1),
        };
        self.counts.insert(key, count);
        count
    }

    /// How many rows a listed relation has where the arguments that are given have these values.
    pub fn listed_count(&mut self, rel: Rel, listed: &Listed, values: &[Option<Id>]) -> f64 {
        let key = (rel, values.to_vec());
        if let Some(&count) = self.listed_counts.get(&key) {
            return count;
        }
        let count = fitting(&listed.rows, values) as f64;
        self.listed_counts.insert(key, count);
        count
    }

    /// The rows of a relation that depends on nothing, if there are not too many of them.
    pub fn listed(&mut self, rel: Rel) -> Option<Rc<Listed>> {
        if let Some(found) = self.listed.get(&rel) {
            return found.clone();
        }
        let found = self.list(rel).map(Rc::new);
        self.listed.insert(rel, found.clone());
        found
    }

    fn list(&mut self, rel: Rel) -> Option<Listed> {
        let relation = &self.relations[rel as usize];
        let arity = relation.arity;
        if relation.reach != Reach::Fixed || arity == 0 {
            return None;
        }
        let rows = if relation.clauses.is_empty() {
            relation.facts.clone()
        } else if rel as usize >= self.prover.program().relations.len() {
            return None;
        } else {
            let (rows, _) = self.prover.ask_fixed(&mut self.view, rel, &vec![0; arity], LIST_WORK).ok()?;
            rows.concat()
        };
        self.list_rows(rows, arity)
    }

    /// Whether a relation without arguments that depends on nothing holds; `None` if that is not known.
    pub fn holds(&mut self, rel: Rel) -> Option<bool> {
        let relation = &self.relations[rel as usize];
        let made_up = rel as usize >= self.prover.program().relations.len();
        if relation.reach != Reach::Fixed || relation.arity > 0 || made_up {
            return None;
        }
        let (rows, _) = self.prover.ask_fixed(&mut self.view, rel, &[], LIST_WORK).ok()?;
        Some(!rows.is_empty())
    }

    /// Rows as a listed relation.
    pub fn list_rows(&mut self, rows: Vec<Id>, arity: usize) -> Option<Listed> {
        if rows.len() / arity > LIST_ROWS {
            return None;
        }
        let bank = self.prover.shared_bank();
        let columns = (0..arity).map(|at| {
            let mut values: Vec<Id> = rows.iter().skip(at).step_by(arity).copied().collect();
            values.sort_unstable();
            values.dedup();
            values.sort_unstable_by(|&a, &b| bank.compare(a, b));
            self.domains.add(values)
        });
        let columns: Option<Vec<Domain>> = columns.collect();
        Some(Listed { arity, columns: columns?, rows })
    }
}

fn fitting(rows: &[Id], values: &[Option<Id>]) -> usize {
    if values.is_empty() {
        return rows.len();
    }
    let fits = |row: &&[Id]| row.iter().zip(values).all(|(id, value)| value.is_none_or(|value| value == *id));
    rows.chunks(values.len()).filter(fits).count()
}
