//! Which routines are needed, and in which order the conditions of their clauses are tried.
//!
//! A *routine* answers one relation for one pattern of known arguments. Beginning with the questions asked from outside,
//! the clauses of each routine are fitted to its pattern, their conditions put in order, and the routines that these
//! call added to the list. Which variables are known at each condition is settled here, once and for all.
//!
//! The order is the cheapest by an estimate: how many rows a condition gives for what is known when it is tried, and
//! what it costs to ask. The number of unknowns is what mostly decides, as it should. A condition is never asked
//! with an argument unknown that it cannot find by itself, unless the rules leave no other way; then the order is the
//! written one.

mod fit;
mod modes;

use super::clause::{Clause, Cond, binds_of, pat_vars, vars_of};
use super::vars::{MOST_VARS, Vars};
use super::world::{Listed, World};
use crate::bank::{Bank, Id};
use crate::budget::Stop;
use crate::program::{Pat, Rel};
use fit::fit;
use gdl::Symbol;
use modes::{binds_of_any, count_leaves, ground};
pub(super) use modes::{bound_leaves, for_each_leaf, modes, repeated_vars, same_pats, used_after};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// What is known of an argument when a routine is called.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Mode {
    /// Its value.
    Bound,
    /// Nothing; the value is asked for.
    Free,
    /// Nothing, and it does not matter.
    Any,
    /// Its functor, and so much of the arguments. Without arguments: a name.
    Call(Symbol, Vec<Mode>),
}

/// A clause fitted to a pattern, conditions in order.
#[derive(Clone, Debug)]
pub(super) struct Fitted {
    /// What the given values must be, in order.
    pub inputs: Vec<Pat>,
    /// What the values asked for are, in order.
    pub outputs: Vec<Pat>,
    pub body: Vec<Cond>,
}

/// A routine as planned.
#[derive(Clone, Debug)]
pub(super) struct Routine {
    pub rel: Rel,
    pub modes: Vec<Mode>,
    pub clauses: Vec<Fitted>,
    pub inputs: usize,
    pub outputs: usize,
    /// About how many steps it takes; nothing if it needs what nothing binds.
    pub cost: Option<f64>,
}

/// What a condition is expected to give and to cost, each time it is asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guess {
    pub rows: f64,
    pub cost: f64,
}

/// Conditions in order.
struct Ordered {
    body: Vec<Cond>,
    guess: Guess,
    /// Whether everything was known where it had to be.
    safe: bool,
}

/// Up to so many conditions, all orders are compared.
const FEW: usize = 9;

/// How many routines deep a guess looks.
const MOST_ASKING: usize = 50;

pub(super) struct Planner<'w, 'a> {
    pub world: &'w mut World<'a>,
    pub routines: Vec<Routine>,
    numbers: HashMap<(Rel, Vec<Mode>), u32>,
    guesses: HashMap<(Rel, Vec<Mode>), Option<Guess>>,
    /// The routines whose guesses are being made, with the inputs of the clause at hand.
    asking: Vec<(Rel, Vec<Mode>, Vec<Pat>)>,
    settled: HashMap<Rel, bool>,
    /// Why planning ended early: from then on nothing is looked at any more.
    stopped: Option<Stop>,
}

impl<'w, 'a> Planner<'w, 'a> {
    pub fn new(world: &'w mut World<'a>) -> Planner<'w, 'a> {
        Planner {
            world,
            routines: Vec::new(),
            numbers: HashMap::new(),
            guesses: HashMap::new(),
            asking: Vec::new(),
            settled: HashMap::new(),
            stopped: None,
        }
    }

    /// The routine for this relation and pattern, planned when its turn comes.
    pub fn routine(&mut self, rel: Rel, modes: &[Mode]) -> u32 {
        let key = (rel, modes.to_vec());
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        let number = self.routines.len() as u32;
        let (mut inputs, mut outputs) = (0, 0);
        count_leaves(modes, &mut inputs, &mut outputs);
        self.routines.push(Routine { rel, modes: key.1.clone(), clauses: Vec::new(), inputs, outputs, cost: None });
        self.numbers.insert(key, number);
        number
    }

    /// Spends steps; tells whether to go on.
    pub fn spend(&mut self, steps: u64) -> bool {
        if let Err(stop) = self.world.budget.spend(steps) {
            self.stopped = Some(stop);
        }
        self.stopped.is_none()
    }

    /// Whether planning ended early.
    pub fn check(&mut self) -> Result<(), Stop> {
        self.spend(1);
        self.stopped.map_or(Ok(()), Err)
    }

    /// Plans all routines asked for, and those that they call.
    pub fn run(&mut self) -> Result<(), Stop> {
        let mut at = 0;
        while at < self.routines.len() {
            self.check()?;
            let (rel, modes) = (self.routines[at].rel, self.routines[at].modes.clone());
            self.routines[at].cost = self.guess(rel, &modes).map(|guess| guess.cost);
            let clauses = self.fit_all(rel, &modes);
            let mut planned = Vec::new();
            for fitted in clauses {
                self.asking.push((rel, modes.clone(), fitted.inputs.clone()));
                let (known, wanted) = (vars_of(&fitted.inputs), vars_of(&fitted.outputs));
                let ordered = self.order(fitted.body, known, wanted);
                self.asking.pop();
                self.add_calls(&ordered.body, known, wanted);
                planned.push(Fitted { body: ordered.body, ..fitted });
            }
            self.routines[at].clauses = planned;
            at += 1;
        }
        self.check()
    }

    /// Adds the routines that conditions in order call.
    fn add_calls(&mut self, body: &[Cond], known: Vars, wanted: Vars) {
        let mut known = known;
        for (at, cond) in body.iter().enumerate() {
            let used = used_after(body, at, wanted);
            match cond {
                Cond::Rel { rel, args, negated } if self.world.listed(*rel).is_none() => {
                    let used = if *negated { Vars::default() } else { used };
                    self.routine(*rel, &modes(args, known, used));
                }
                Cond::Any { branches, negated } => {
                    let wanted = if *negated { Vars::default() } else { cond.binds().without(known).and(used) };
                    branches.iter().for_each(|branch| self.add_calls(branch, known, wanted));
                }
                Cond::Rel { .. } | Cond::Fact { .. } | Cond::Does { .. } | Cond::Distinct { .. } => {}
            }
            known = known.or(cond.binds());
        }
    }

    /// The clauses of a relation that can fit a pattern, fitted to it.
    fn fit_all(&mut self, rel: Rel, modes: &[Mode]) -> Vec<Fitted> {
        let relation = &self.world.relations[rel as usize];
        if !self.spend((relation.clauses.len() + relation.facts.len()) as u64) {
            return Vec::new();
        }
        let mut bank = self.world.prover.shared_bank();
        let relation = &self.world.relations[rel as usize];
        let mut clauses: Vec<Fitted> =
            relation.clauses.iter().filter_map(|clause| fit(clause, modes, &mut bank)).collect();
        // A relation that is too large to be listed still has its facts.
        for row in relation.facts.chunks(relation.arity.max(1)) {
            let head = row.iter().map(|&id| Pat::Ground(id)).collect();
            clauses.extend(fit(&Clause { head, body: Vec::new(), vars: 0 }, modes, &mut bank));
        }
        drop(bank);
        clauses.retain_mut(|fitted| self.settle(&mut fitted.body));
        clauses
    }

    /// Removes conditions that are true always; tells whether the others can hold.
    fn settle(&mut self, body: &mut Vec<Cond>) -> bool {
        let mut possible = true;
        body.retain_mut(|cond| match cond {
            Cond::Rel { rel, args, negated } if args.is_empty() => match self.settled(*rel) {
                Some(holds) => {
                    possible &= holds != *negated;
                    false
                }
                None => true,
            },
            Cond::Any { branches, negated } => {
                branches.retain_mut(|branch| self.settle(branch));
                let sure = branches.iter().any(Vec::is_empty);
                if sure || branches.is_empty() {
                    possible &= sure != *negated;
                }
                !(sure || branches.is_empty())
            }
            Cond::Distinct { a: Pat::Ground(a), b: Pat::Ground(b), negated } => {
                possible &= (a == b) == *negated;
                false
            }
            Cond::Rel { .. } | Cond::Fact { .. } | Cond::Does { .. } | Cond::Distinct { .. } => true,
        });
        possible
    }

    /// Whether a relation without arguments that depends on nothing holds.
    fn settled(&mut self, rel: Rel) -> Option<bool> {
        if let Some(&holds) = self.settled.get(&rel) {
            return Some(holds);
        }
        let holds = self.world.holds(rel)?;
        self.settled.insert(rel, holds);
        Some(holds)
    }

    /// What a routine is expected to give and to cost; `None` if it would have to find what nothing binds.
    fn guess(&mut self, rel: Rel, modes: &[Mode]) -> Option<Guess> {
        let key = (rel, modes.to_vec());
        if let Some(&guess) = self.guesses.get(&key) {
            return guess;
        }
        if let Some(&measured) = self.world.measured.get(&key) {
            return Some(measured);
        }
        let (mut inputs, mut outputs) = (0, 0);
        count_leaves(modes, &mut inputs, &mut outputs);
        let open = self.asking.iter().any(|(other, with, _)| *other == rel && *with == key.1);
        if open || self.asking.len() > MOST_ASKING {
            return Some(if outputs == 0 { Guess { rows: 0.4, cost: 40.0 } } else { Guess { rows: 4.0, cost: 60.0 } });
        }
        let recursive = self.world.relations[rel as usize].recursive;
        let (mut total, mut none, mut safe) = (Guess { rows: 0.0, cost: 3.0 }, 1.0, true);
        for fitted in self.fit_all(rel, modes) {
            let grows = fitted.outputs.iter().any(|pat| matches!(pat, Pat::Call(..)));
            let leads_back = fitted.body.iter().any(|cond| self.leads_to(cond, rel));
            safe &= !(recursive && grows && leads_back);
            self.asking.push((rel, key.1.clone(), fitted.inputs.clone()));
            let ordered = self.order(fitted.body, vars_of(&fitted.inputs), vars_of(&fitted.outputs));
            self.asking.pop();
            safe &= ordered.safe;
            total.cost += ordered.guess.cost;
            total.rows += ordered.guess.rows;
            none *= 1.0 - ordered.guess.rows.clamp(0.0, 1.0);
        }
        if outputs == 0 {
            total.rows = 1.0 - none;
        }
        let guess = safe.then_some(total);
        self.guesses.insert(key, guess);
        guess
    }

    fn leads_to(&self, cond: &Cond, rel: Rel) -> bool {
        let component = self.world.relations[rel as usize].component;
        let mut leads = false;
        cond.for_each_rel(&mut |to| leads |= self.world.relations[to as usize].component == component);
        leads
    }

    /// Puts conditions in order. `known` is bound before, `wanted` is needed after.
    fn order(&mut self, conds: Vec<Cond>, known: Vars, wanted: Vars) -> Ordered {
        let bindable = known.or(binds_of(&conds));
        let needs: Vec<Vars> = conds.iter().map(|cond| cond.needs().and(bindable)).collect();
        let problem = Problem { conds: &conds, needs, known, wanted };
        let found = match conds.len() {
            0 => Some((Vec::new(), Guess { rows: 1.0, cost: 0.0 })),
            1..=FEW => self.best(&problem),
            _ => self.greedy(&problem),
        };
        let (order, guess, found) = match found {
            Some((order, guess)) => (order, guess, true),
            None => (problem.as_written(), Guess { rows: 100.0, cost: 10_000.0 }, false),
        };
        let mut body: Vec<Cond> = order.iter().map(|&at| conds[at].clone()).collect();
        let mut have = known;
        let mut safe = found && wanted.is_subset(bindable);
        for at in 0..body.len() {
            let used = used_after(&body, at, wanted);
            if let Cond::Any { branches, negated } = &mut body[at] {
                let inner = if *negated { Vars::default() } else { binds_of_any(branches).without(have).and(used) };
                for branch in branches {
                    *branch = self.order(std::mem::take(branch), have, inner).body;
                }
            }
            if let Cond::Distinct { .. } = &body[at] {
                safe &= body[at].vars().is_subset(have);
            }
            have = have.or(body[at].binds());
        }
        Ordered { body, guess, safe }
    }

    /// The cheapest of all orders; `None` if none is possible.
    fn best(&mut self, problem: &Problem<'_>) -> Option<(Vec<usize>, Guess)> {
        let full = (1u32 << problem.conds.len()) - 1;
        // Sets of conditions already placed, smallest number first: a set's parts have smaller numbers.
        let mut open: BTreeMap<u32, (Vec<usize>, Guess)> = BTreeMap::new();
        open.insert(0, (Vec::new(), Guess { rows: 1.0, cost: 0.0 }));
        while let Some((placed, (order, sum))) = open.pop_first() {
            if placed == full {
                return Some((order, sum));
            }
            let left: Vec<usize> = (0..problem.conds.len()).filter(|at| placed >> at & 1 == 0).collect();
            for (at, guess) in self.choices(problem, &left, &order) {
                let next = Guess { rows: sum.rows * guess.rows, cost: sum.cost + sum.rows * guess.cost };
                let entry = open.entry(placed | 1 << at);
                let order = || order.iter().copied().chain([at]).collect::<Vec<usize>>();
                match entry {
                    std::collections::btree_map::Entry::Vacant(entry) => {
                        entry.insert((order(), next));
                    }
                    std::collections::btree_map::Entry::Occupied(mut entry) => {
                        let old = entry.get().1;
                        if next.cost + next.rows * 0.01 < old.cost + old.rows * 0.01 {
                            entry.insert((order(), next));
                        }
                    }
                }
            }
        }
        None
    }

    /// The conditions that can come next, with what they give; only a cheap test if there is one.
    fn choices(&mut self, problem: &Problem<'_>, left: &[usize], order: &[usize]) -> Vec<(usize, Guess)> {
        let have = order.iter().fold(problem.known, |have, &at| have.or(problem.conds[at].binds()));
        let mut choices = Vec::new();
        for &at in left {
            if !problem.needs[at].is_subset(have) {
                continue;
            }
            let others = left.iter().filter(|&&other| other != at).map(|&other| problem.conds[other].vars());
            let used = others.fold(problem.wanted, Vars::or);
            let Some(guess) = self.guess_cond(&problem.conds[at], have, used) else { continue };
            if guess.rows <= 1.0 && guess.cost <= 4.0 && problem.conds[at].binds().is_subset(have) {
                return vec![(at, guess)];
            }
            choices.push((at, guess));
        }
        choices
    }

    /// An order in which each condition is the best to come next.
    fn greedy(&mut self, problem: &Problem<'_>) -> Option<(Vec<usize>, Guess)> {
        let mut left: Vec<usize> = (0..problem.conds.len()).collect();
        let (mut order, mut sum) = (Vec::new(), Guess { rows: 1.0, cost: 0.0 });
        while !left.is_empty() {
            let choices = self.choices(problem, &left, &order);
            let price = |guess: Guess| match guess.rows < 1.0 {
                // Among tests, what rules out most for its cost.
                true => guess.cost / (1.0 - guess.rows),
                false => 1000.0 * guess.rows + guess.cost,
            };
            let (at, guess) = choices.into_iter().min_by(|a, b| price(a.1).total_cmp(&price(b.1)))?;
            sum = Guess { rows: sum.rows * guess.rows, cost: sum.cost + sum.rows * guess.cost };
            left.retain(|&other| other != at);
            order.push(at);
        }
        Some((order, sum))
    }

    /// What a condition gives and costs; `None` if it cannot be asked now.
    fn guess_cond(&mut self, cond: &Cond, have: Vars, used: Vars) -> Option<Guess> {
        if !self.spend(1) {
            return None;
        }
        match cond {
            Cond::Distinct { negated, .. } => Some(Guess { rows: if *negated { 0.15 } else { 0.85 }, cost: 1.0 }),
            Cond::Fact { pat, negated } => Some(self.guess_fact(pat, *negated, have)),
            Cond::Does { role, mv, negated } => {
                let known = pat_vars(role).is_subset(have);
                let rows = if known { 0.5 } else { 1.0 };
                let rows = if pat_vars(mv).is_subset(have) { rows * 0.3 } else { rows };
                Some(Guess { rows: if *negated { 1.0 - rows * 0.5 } else { rows }, cost: 2.0 })
            }
            Cond::Rel { rel, args, negated } => {
                if let Some(listed) = self.world.listed(*rel) {
                    return Some(self.guess_listed(*rel, &listed, args, *negated, have));
                }
                let modes = modes(args, have, if *negated { Vars::default() } else { used });
                let mut guess = self.guess(*rel, &modes)?;
                guess.cost += 6.0;
                if let Some((top, with, inputs)) = self.asking.last()
                    && *top == *rel
                    && *with == modes
                    && same_pats(inputs, &bound_leaves(args, &modes))
                {
                    // It asks itself the very same question: what was found so far is gone through.
                    guess.cost = 20.0;
                }
                if *negated {
                    guess.rows = (1.0 - guess.rows).max(0.1);
                }
                Some(guess)
            }
            Cond::Any { branches, negated } => {
                let wanted = if *negated { Vars::default() } else { binds_of_any(branches).without(have).and(used) };
                let (mut sum, mut none) = (Guess { rows: 0.0, cost: 1.0 }, 1.0);
                for branch in branches {
                    let ordered = self.order(branch.clone(), have, wanted);
                    if !ordered.safe {
                        return None;
                    }
                    sum.rows += ordered.guess.rows;
                    sum.cost += ordered.guess.cost;
                    none *= 1.0 - ordered.guess.rows.clamp(0.0, 1.0);
                }
                if wanted.is_empty() {
                    sum.rows = if *negated { none } else { 1.0 - none };
                }
                Some(sum)
            }
        }
    }

    fn guess_fact(&mut self, pat: &Pat, negated: bool, have: Vars) -> Guess {
        let Pat::Call(functor, args) = pat else {
            let known = pat_vars(pat).is_subset(have);
            return if known { Guess { rows: 0.5, cost: 2.0 } } else { Guess { rows: 50.0, cost: 100.0 } };
        };
        let values: Vec<Option<Id>> = args.iter().map(ground).collect();
        let mut rows = self.world.count(*functor, &values);
        let shape = self.world.facts.shape(*functor, args.len());
        let mut open = false;
        for (at, arg) in args.iter().enumerate() {
            match arg {
                Pat::Ground(_) => {}
                _ if pat_vars(arg).is_subset(have) => {
                    let size = shape.map_or(20, |shape| self.world.facts.shapes[shape as usize].digits[at].size);
                    rows /= f64::from(size.max(1));
                }
                _ => open = true,
            }
        }
        tested(rows, open, negated)
    }

    fn guess_listed(&mut self, rel: Rel, listed: &Rc<Listed>, args: &[Pat], negated: bool, have: Vars) -> Guess {
        let values: Vec<Option<Id>> = args.iter().map(ground).collect();
        let mut rows = self.world.listed_count(rel, listed, &values);
        let mut open = false;
        for (at, arg) in args.iter().enumerate() {
            match arg {
                Pat::Ground(_) => {}
                _ if pat_vars(arg).is_subset(have) => {
                    rows /= f64::from(self.world.domains.size(listed.columns[at]).max(1));
                }
                _ => open = true,
            }
        }
        tested(rows, open, negated)
    }
}

/// What a look-up gives and costs that finds so many rows on average.
fn tested(rows: f64, open: bool, negated: bool) -> Guess {
    match (open, negated) {
        (true, false) => Guess { rows, cost: 2.0 + 1.5 * rows },
        (_, false) => Guess { rows: rows.min(1.0), cost: 2.0 },
        (_, true) => Guess { rows: (1.0 - rows).max(0.05), cost: 2.0 },
    }
}

/// Conditions to be put in order.
struct Problem<'c> {
    conds: &'c [Cond],
    /// For each what must be bound before.
    needs: Vec<Vars>,
    known: Vars,
    wanted: Vars,
}

impl Problem<'_> {
    /// The written order, except that a condition waits for what it needs.
    fn as_written(&self) -> Vec<usize> {
        let mut have = self.known;
        let mut left: Vec<usize> = (0..self.conds.len()).collect();
        let mut order = Vec::new();
        while !left.is_empty() {
            let at = left.iter().position(|&at| self.needs[at].is_subset(have)).unwrap_or(0);
            let at = left.remove(at);
            have = have.or(self.conds[at].binds());
            order.push(at);
        }
        order
    }
}
