//! One branch of a tableau: what is assumed, and the search for a contradiction in it.
//!
//! Variables stand for unknown things of one state and its moves, so two of them are made equal only when they must be.

use super::World;
use crate::fixed::Relation;
use crate::terms::{TermId, Terms};
use gdl::{Atom, Clause, Literal, Symbol, Term, TermKind};
use std::rc::Rc;

/// A term with unknowns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum T {
    /// An unknown thing.
    Var(u32),
    /// A name, or a function of terms.
    App(Symbol, Rc<[T]>),
}

impl T {
    pub fn of(id: TermId, terms: &Terms) -> T {
        T::App(terms.functor(id), terms.args(id).iter().map(|&arg| T::of(arg, terms)).collect())
    }

    /// A term of a clause whose variables have these numbers.
    pub fn term(term: &Term, vars: &[u32]) -> T {
        match &term.kind {
            TermKind::Var(var) => T::Var(vars[var.0 as usize]),
            TermKind::Name(name) => T::App(*name, Rc::new([])),
            TermKind::Call(name, args) => T::App(*name, args.iter().map(|arg| T::term(arg, vars)).collect()),
        }
    }
}

/// A sentence that is assumed to hold, or not to.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    name: Symbol,
    args: Vec<T>,
    /// How many rules lie between it and what was assumed first.
    depth: u8,
    /// Nothing more is to be had from looking at its rules.
    done: bool,
}

/// Conditions of which one holds, the unknowns of their clause, and their depth.
type Case<'a> = (&'a [Literal], Rc<[u32]>, u8);

/// What is assumed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Branch<'a> {
    bound: Vec<Option<T>>,
    holds: Vec<Fact>,
    denied: Vec<Fact>,
    pub distinct: Vec<(T, T)>,
    /// Cases still to be told apart.
    cases: Vec<Case<'a>>,
}

/// Rules that may lie between an assumption and what follows from it.
const DEEPEST: u8 = 4;
/// A relation of at most so many rows that fit is told apart row by row.
const FEW_ROWS: usize = 6;

impl<'a> Branch<'a> {
    pub fn fresh(&mut self) -> T {
        self.bound.push(None);
        T::Var(self.bound.len() as u32 - 1)
    }

    /// New unknowns for the variables of a clause.
    pub fn rename(&mut self, clause: &Clause) -> Rc<[u32]> {
        let first = self.bound.len() as u32;
        self.bound.resize(self.bound.len() + clause.vars.len(), None);
        (first..self.bound.len() as u32).collect()
    }

    /// Assumes a condition of a clause.
    pub fn assume(&mut self, literal: &'a Literal, negated: bool, vars: &Rc<[u32]>, depth: u8) {
        match literal {
            Literal::Is(atom) => {
                let fact = self.fact(atom, vars, depth);
                if negated { self.denied.push(fact) } else { self.holds.push(fact) }
            }
            Literal::Distinct(a, b, _) if !negated => {
                self.distinct.push((T::term(a, vars), T::term(b, vars)));
            }
            // Denied differences and denied cases are left out: with fewer assumptions less is proved, never more.
            Literal::Distinct(..) => {}
            Literal::Not(inner, _) => self.assume(inner, !negated, vars, depth),
            Literal::And(parts, _) if !negated => parts.iter().for_each(|part| self.assume(part, false, vars, depth)),
            Literal::Or(parts, _) if negated => parts.iter().for_each(|part| self.assume(part, true, vars, depth)),
            Literal::Or(parts, _) => self.cases.push((parts, vars.clone(), depth)),
            Literal::And(..) => {}
        }
    }

    fn fact(&self, atom: &Atom, vars: &[u32], depth: u8) -> Fact {
        let args = atom.args.iter().map(|arg| T::term(arg, vars)).collect();
        Fact { name: atom.name, args, depth, done: false }
    }

    /// What a term is known to be, at its top.
    fn walk(&self, term: &T) -> T {
        let mut at = term;
        while let T::Var(var) = at {
            match &self.bound[*var as usize] {
                Some(bound) => at = bound,
                None => break,
            }
        }
        at.clone()
    }

    /// Makes two terms equal; false if they cannot be.
    pub fn unify(&mut self, a: &T, b: &T) -> bool {
        let (a, b) = (self.walk(a), self.walk(b));
        match (&a, &b) {
            (T::Var(x), T::Var(y)) if x == y => true,
            (T::Var(x), _) => {
                if self.occurs(*x, &b) {
                    return false;
                }
                self.bound[*x as usize] = Some(b);
                true
            }
            (_, T::Var(y)) => {
                if self.occurs(*y, &a) {
                    return false;
                }
                self.bound[*y as usize] = Some(a);
                true
            }
            (T::App(f, x), T::App(g, y)) => {
                f == g && x.len() == y.len() && x.iter().zip(y.iter()).all(|(x, y)| self.unify(x, y))
            }
        }
    }

    fn occurs(&self, var: u32, term: &T) -> bool {
        match self.walk(term) {
            T::Var(other) => other == var,
            T::App(_, args) => args.iter().any(|arg| self.occurs(var, arg)),
        }
    }

    /// Whether two terms are known to be equal.
    fn same(&self, a: &T, b: &T) -> bool {
        match (self.walk(a), self.walk(b)) {
            (T::Var(x), T::Var(y)) => x == y,
            (T::App(f, x), T::App(g, y)) => {
                f == g && x.len() == y.len() && x.iter().zip(y.iter()).all(|(x, y)| self.same(x, y))
            }
            _ => false,
        }
    }

    /// Whether two terms are known to differ.
    fn differ(&self, a: &T, b: &T) -> bool {
        match (self.walk(a), self.walk(b)) {
            (T::App(f, x), T::App(g, y)) => {
                f != g || x.len() != y.len() || x.iter().zip(y.iter()).any(|(x, y)| self.differ(x, y))
            }
            (a, b) => self
                .distinct
                .iter()
                .any(|(x, y)| (self.same(x, &a) && self.same(y, &b)) || (self.same(x, &b) && self.same(y, &a))),
        }
    }

    /// Whether what is assumed contradicts itself. `false` may also mean that this was not found out.
    pub fn closes(mut self, world: &mut World<'a>) -> bool {
        world.nodes += 1;
        if world.nodes > world.most {
            return false;
        }
        if self.saturate(world) {
            return true;
        }
        if let Some((parts, vars, depth)) = self.cases.pop() {
            return parts.iter().all(|part| {
                let mut case = self.clone();
                case.assume(part, false, &vars, depth);
                case.closes(world)
            });
        }
        match self.next_to_open(world) {
            Some(at) => self.open(at, world),
            None => false,
        }
    }

    /// Draws all conclusions that need no cases; true if there is a contradiction.
    fn saturate(&mut self, world: &World<'a>) -> bool {
        loop {
            let before = self.bound.iter().filter(|bound| bound.is_some()).count();
            if self.facts_clash(world) || self.rows_clash(world) {
                return true;
            }
            if self.distinct.iter().any(|(a, b)| self.same(a, b)) {
                return true;
            }
            if self.bound.iter().filter(|bound| bound.is_some()).count() == before {
                break;
            }
        }
        self.denied.iter().any(|fact| self.derives(fact, world))
    }

    /// Facts of one state and the moves of one role, taken in pairs.
    fn facts_clash(&mut self, world: &World<'a>) -> bool {
        for i in 0..self.holds.len() {
            for j in i + 1..self.holds.len() {
                let (a, b) = (&self.holds[i], &self.holds[j]);
                if a.name != b.name || a.args.len() != b.args.len() {
                    continue;
                }
                let (a, b) = (a.args.clone(), b.args.clone());
                let clash = match self.holds[i].name {
                    Symbol::DOES => self.same(&a[0], &b[0]) && !self.unify(&a[1], &b[1]),
                    Symbol::TRUE => self.same_fact(&a[0], &b[0], world),
                    name => self.same_row((name, a.len()), &a, &b, world),
                };
                if clash {
                    return true;
                }
            }
        }
        false
    }

    /// Two facts of a state: where an invariant makes them the same; true if they cannot be.
    fn same_fact(&mut self, a: &T, b: &T, world: &World<'a>) -> bool {
        let (T::App(f, x), T::App(g, y)) = (self.walk(a), self.walk(b)) else { return false };
        if f != g || x.len() != y.len() {
            return false;
        }
        for (key, values) in world.assumed.get(&(f, x.len())).into_iter().flatten() {
            let agree = (0..x.len()).all(|at| key >> at & 1 == 0 || self.same(&x[at], &y[at]));
            let fits = values.iter().all(|(at, value)| self.same(&x[*at], value) && self.same(&y[*at], value));
            if agree && fits && !x.iter().zip(y.iter()).all(|(x, y)| self.unify(x, y)) {
                return true;
            }
        }
        false
    }

    fn same_row(&mut self, relation: Relation, a: &[T], b: &[T], world: &World<'a>) -> bool {
        let Some((_, keys)) = world.rows.get(&relation) else { return false };
        keys.iter().any(|key| {
            let agree = (0..a.len()).all(|at| key >> at & 1 == 0 || self.same(&a[at], &b[at]));
            agree && !a.iter().zip(b).all(|(a, b)| self.unify(a, b))
        })
    }

    /// Facts of fixed relations: there must be a row that fits, and if there is one only, that is it.
    fn rows_clash(&mut self, world: &World<'a>) -> bool {
        for at in 0..self.holds.len() {
            let fact = self.holds[at].clone();
            let Some((rows, _)) = world.rows.get(&(fact.name, fact.args.len())) else { continue };
            if world.clauses.contains_key(&(fact.name, fact.args.len())) && rows.is_empty() {
                continue;
            }
            let mut fitting =
                rows.iter().filter(|row| row.iter().zip(&fact.args).all(|(row, arg)| !self.differ(row, arg)));
            match (fitting.next(), fitting.next()) {
                (None, _) => return true,
                (Some(row), None) => {
                    let row = row.clone();
                    if !row.iter().zip(&fact.args).all(|(row, arg)| self.unify(row, arg)) {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// Whether a sentence that is denied follows all the same, at once or by one rule.
    fn derives(&self, fact: &Fact, world: &World<'a>) -> bool {
        if self.is_assumed(fact) {
            return true;
        }
        let relation = (fact.name, fact.args.len());
        if let Some((rows, _)) = world.rows.get(&relation) {
            return rows.iter().any(|row| row.iter().zip(&fact.args).all(|(row, arg)| self.same(row, arg)));
        }
        world.clauses.get(&relation).into_iter().flatten().any(|clause| {
            let mut own = vec![None; clause.vars.len()];
            let head = clause.head.args.iter().zip(&fact.args).all(|(term, arg)| self.fit(term, arg, &mut own));
            head && self.body_holds(&clause.body, own, world)
        })
    }

    fn is_assumed(&self, fact: &Fact) -> bool {
        let same = |other: &Fact| {
            other.name == fact.name
                && other.args.len() == fact.args.len()
                && other.args.iter().zip(&fact.args).all(|(a, b)| self.same(a, b))
        };
        self.holds.iter().any(same)
    }

    /// Fits a term of a clause to a known one by binding the clause's own variables.
    fn fit(&self, term: &Term, to: &T, own: &mut [Option<T>]) -> bool {
        match &term.kind {
            TermKind::Var(var) => match &own[var.0 as usize] {
                Some(bound) => self.same(bound, to),
                None => {
                    own[var.0 as usize] = Some(to.clone());
                    true
                }
            },
            TermKind::Name(name) => matches!(self.walk(to), T::App(other, args) if other == *name && args.is_empty()),
            TermKind::Call(name, args) => match self.walk(to) {
                T::App(other, known) => {
                    other == *name
                        && args.len() == known.len()
                        && args.iter().zip(known.iter()).all(|(arg, known)| self.fit(arg, known, own))
                }
                T::Var(_) => false,
            },
        }
    }

    /// Whether the conditions hold among what is assumed, for some values of the clause's own variables.
    fn body_holds(&self, body: &[Literal], own: Vec<Option<T>>, world: &World<'a>) -> bool {
        let Some((first, rest)) = body.split_first() else { return true };
        match first {
            Literal::Is(atom) => {
                let fits = |args: &[T]| {
                    let mut own = own.clone();
                    atom.args.len() == args.len()
                        && atom.args.iter().zip(args).all(|(term, arg)| self.fit(term, arg, &mut own))
                        && self.body_holds(rest, own, world)
                };
                let rows = world.rows.get(&(atom.name, atom.args.len()));
                self.holds.iter().any(|fact| fact.name == atom.name && fits(&fact.args))
                    || rows.is_some_and(|(rows, _)| rows.len() <= 64 && rows.iter().any(|row| fits(row)))
            }
            Literal::Distinct(a, b, _) => {
                let known = |term: &Term| match &term.kind {
                    TermKind::Var(var) => own[var.0 as usize].clone(),
                    TermKind::Name(name) => Some(T::App(*name, Rc::new([]))),
                    TermKind::Call(..) => None,
                };
                matches!((known(a), known(b)), (Some(a), Some(b)) if self.differ(&a, &b))
                    && self.body_holds(rest, own, world)
            }
            Literal::Or(parts, _) => parts
                .iter()
                .any(|part| self.body_holds(std::slice::from_ref(part), own.clone(), world) && rest.is_empty()),
            Literal::Not(..) | Literal::And(..) => false,
        }
    }

    /// The assumption whose rules are to be looked at next: the one with the fewest cases.
    fn next_to_open(&self, world: &World<'a>) -> Option<usize> {
        let mut best: Option<(usize, usize)> = None;
        for (at, fact) in self.holds.iter().enumerate().filter(|(_, fact)| !fact.done) {
            let cases = match fact.name {
                Symbol::TRUE => continue,
                Symbol::DOES => 2 * world.clauses.get(&(Symbol::LEGAL, 2)).map_or(0, Vec::len),
                name => {
                    let relation = (name, fact.args.len());
                    match world.rows.get(&relation) {
                        Some((rows, _)) => {
                            let fits = |row: &&Vec<T>| row.iter().zip(&fact.args).all(|(r, a)| !self.differ(r, a));
                            let count = rows.iter().filter(fits).count();
                            if !(2..=FEW_ROWS).contains(&count) {
                                continue;
                            }
                            // Rows are told apart only when nothing else is left.
                            100 + count
                        }
                        None if fact.depth >= DEEPEST => continue,
                        None => world.clauses.get(&relation).map_or(0, Vec::len),
                    }
                }
            };
            if best.is_none_or(|(least, _)| cases < least) {
                best = Some((cases, at));
            }
        }
        best.map(|(_, at)| at)
    }

    /// One case for each rule, or row, that the assumption can come from; all must close.
    fn open(mut self, at: usize, world: &mut World<'a>) -> bool {
        self.holds[at].done = true;
        let fact = self.holds[at].clone();
        let relation = (fact.name, fact.args.len());
        if let Some((rows, _)) = world.rows.get(&relation) {
            let rows = rows.clone();
            return rows.iter().all(|row| {
                let mut case = self.clone();
                !row.iter().zip(&fact.args).all(|(row, arg)| case.unify(row, arg)) || case.closes(world)
            });
        }
        let defined = if fact.name == Symbol::DOES { (Symbol::LEGAL, 2) } else { relation };
        let clauses = world.clauses.get(&defined).cloned().unwrap_or_default();
        clauses.into_iter().all(|clause| {
            let mut case = self.clone();
            let vars = case.rename(clause);
            let fits = clause.head.args.iter().zip(&fact.args).all(|(term, arg)| {
                let term = T::term(term, &vars);
                case.unify(&term, arg)
            });
            if !fits {
                return true;
            }
            clause.body.iter().for_each(|literal| case.assume(literal, false, &vars, fact.depth + 1));
            case.closes(world)
        })
    }
}
