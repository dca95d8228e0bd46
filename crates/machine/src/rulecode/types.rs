//! What can stand where: for each argument of each relation, fact and move, the names and functions that it can have.
//!
//! Found from the rules alone, from the bottom up: a head's argument can be what its variable can be, and a variable
//! can be only what every positive condition around it allows. The state counts as possible in every combination, so
//! this is more than what really occurs, never less. What nothing bounds is *open*.

use super::clause::{Clause, Cond, Relation};
use crate::bank::{Bank, Id};
use crate::budget::{Budget, Stop};
use crate::program::{Pat, Rel};
use gdl::Symbol;
use std::collections::{BTreeMap, BTreeSet};

/// A place in a sentence, by number.
pub(super) type Place = u32;

/// What can stand in one place.
#[derive(Clone, Default)]
struct Candidates {
    /// Anything.
    open: bool,
    /// Names without arguments, by their terms' numbers.
    names: BTreeSet<Id>,
    /// Functions, with the places of their arguments.
    calls: BTreeMap<(Symbol, usize), Vec<Place>>,
    depth: u8,
}

/// How deeply functions are followed; what is nested deeper is open.
const MOST_DEPTH: u8 = 4;

pub(super) struct Types {
    places: Vec<Candidates>,
    /// The arguments of each relation.
    args: Vec<Vec<Place>>,
    /// The facts of states.
    pub fact: Place,
    /// The moves.
    pub mv: Place,
    role: Place,
    /// Where nothing can stand.
    nothing: Place,
    /// For alternatives: a place for what a variable can be after them.
    joined: BTreeMap<(usize, usize, usize, u16), Place>,
    /// Names and functions looked at so far.
    work: u64,
}

/// The relations that mean something, by number.
pub(super) struct Special {
    pub init: Option<Rel>,
    pub next: Option<Rel>,
    pub legal: Option<Rel>,
}

/// What each variable of a clause must fit: the places it stands in.
type Stands = BTreeMap<u16, Vec<Place>>;

impl Types {
    pub fn new(
        relations: &[Relation],
        special: &Special,
        (roles, start): (&[Id], &[Id]),
        bank: &Bank,
        budget: &mut Budget,
    ) -> Result<Types, Stop> {
        let mut types = Types {
            places: Vec::new(),
            args: Vec::new(),
            fact: 0,
            mv: 0,
            role: 0,
            nothing: 0,
            joined: BTreeMap::new(),
            work: 0,
        };
        types.nothing = types.place(0);
        types.fact = types.place(0);
        types.mv = types.place(0);
        types.role = types.place(0);
        types.places[types.role as usize].names.extend(roles);
        for (rel, relation) in relations.iter().enumerate() {
            budget.spend(1 + relation.facts.len() as u64)?;
            let rel = Some(rel as Rel);
            let mut args: Vec<Place> = (0..relation.arity).map(|_| types.place(0)).collect();
            if rel == special.init || rel == special.next {
                args[0] = types.fact;
            }
            if rel == special.legal {
                args[1] = types.mv;
            }
            for row in relation.facts.chunks(relation.arity.max(1)) {
                for (&place, &id) in args.iter().zip(row) {
                    types.put_term(place, id, bank);
                }
            }
            types.args.push(args);
        }
        for &fact in start {
            types.put_term(types.fact, fact, bank);
        }
        while types.pass(relations, bank, budget)? {}
        Ok(types)
    }

    fn place(&mut self, depth: u8) -> Place {
        self.places.push(Candidates { depth, ..Candidates::default() });
        self.places.len() as Place - 1
    }

    /// Applies every clause once; tells whether anything was new.
    fn pass(&mut self, relations: &[Relation], bank: &Bank, budget: &mut Budget) -> Result<bool, Stop> {
        let mut changed = false;
        for (rel, relation) in relations.iter().enumerate() {
            for (number, clause) in relation.clauses.iter().enumerate() {
                let before = self.work;
                changed |= self.apply(rel, number, clause, bank);
                budget.spend(1 + clause.body.len() as u64 + self.work - before)?;
            }
        }
        budget.heard()?;
        Ok(changed)
    }

    fn apply(&mut self, rel: usize, number: usize, clause: &Clause, bank: &Bank) -> bool {
        let mut changed = false;
        let mut stands = Stands::new();
        for (at, cond) in clause.body.iter().enumerate() {
            let Cond::Any { branches, negated: false } = cond else {
                self.stand(cond, &mut stands);
                continue;
            };
            let binds = cond.binds();
            for branch in branches {
                let mut inside = Stands::new();
                branch.iter().for_each(|cond| self.stand(cond, &mut inside));
                for var in binds.iter() {
                    let key = (rel, number, at, var);
                    let place = match self.joined.get(&key) {
                        Some(&place) => place,
                        None => {
                            let place = self.place(0);
                            self.joined.insert(key, place);
                            place
                        }
                    };
                    let from = inside.get(&var).cloned().unwrap_or_default();
                    changed |= self.merge(place, &from);
                }
            }
            for var in binds.iter() {
                if let Some(&place) = self.joined.get(&(rel, number, at, var)) {
                    stands.entry(var).or_default().push(place);
                }
            }
        }
        // A condition that nothing can fulfil: the clause says nothing (yet).
        if stands.values().flatten().any(|&place| self.is_empty(place)) {
            return changed;
        }
        for (at, pat) in clause.head.iter().enumerate() {
            let place = self.args[rel][at];
            changed |= self.put(place, pat, &stands, bank);
        }
        changed
    }

    fn is_empty(&self, place: Place) -> bool {
        let kind = &self.places[place as usize];
        !kind.open && kind.names.is_empty() && kind.calls.is_empty()
    }

    /// Notes the places in which variables stand in a positive condition. (Alternatives inside alternatives are passed
    /// over, which only widens the result.)
    fn stand(&self, cond: &Cond, stands: &mut Stands) {
        match cond {
            Cond::Rel { rel, args, negated: false } => {
                args.iter().zip(&self.args[*rel as usize]).for_each(|(pat, &place)| self.fits(pat, place, stands));
            }
            Cond::Fact { pat, negated: false } => self.fits(pat, self.fact, stands),
            Cond::Does { role, mv, negated: false } => {
                self.fits(role, self.role, stands);
                self.fits(mv, self.mv, stands);
            }
            Cond::Rel { negated: true, .. }
            | Cond::Fact { negated: true, .. }
            | Cond::Does { negated: true, .. }
            | Cond::Any { .. }
            | Cond::Distinct { .. } => {}
        }
    }

    fn fits(&self, pat: &Pat, place: Place, stands: &mut Stands) {
        match pat {
            Pat::Ground(_) => {}
            Pat::Var(var) => stands.entry(*var).or_default().push(place),
            Pat::Call(functor, args) => {
                let kind = &self.places[place as usize];
                let places = kind.calls.get(&(*functor, args.len()));
                for (at, arg) in args.iter().enumerate() {
                    match places {
                        Some(places) => self.fits(arg, places[at], stands),
                        None if kind.open => {}
                        None => self.fits(arg, self.nothing, stands),
                    }
                }
            }
        }
    }

    fn put(&mut self, place: Place, pat: &Pat, stands: &Stands, bank: &Bank) -> bool {
        match pat {
            Pat::Ground(id) => self.put_term(place, *id, bank),
            Pat::Var(var) => {
                let from = stands.get(var).cloned().unwrap_or_default();
                self.merge(place, &from)
            }
            Pat::Call(functor, args) => {
                let (places, mut changed) = self.call(place, (*functor, args.len()));
                for (&place, arg) in places.iter().zip(args) {
                    changed |= self.put(place, arg, stands, bank);
                }
                changed
            }
        }
    }

    fn put_term(&mut self, place: Place, id: Id, bank: &Bank) -> bool {
        let args = bank.args(id);
        if args.is_empty() {
            return self.places[place as usize].names.insert(id);
        }
        let (places, mut changed) = self.call(place, (bank.functor(id), args.len()));
        for (&place, &arg) in places.iter().zip(args) {
            changed |= self.put_term(place, arg, bank);
        }
        changed
    }

    /// The places of a function's arguments, made if they are new.
    fn call(&mut self, place: Place, key: (Symbol, usize)) -> (Vec<Place>, bool) {
        if let Some(places) = self.places[place as usize].calls.get(&key) {
            return (places.clone(), false);
        }
        let depth = self.places[place as usize].depth + 1;
        let places: Vec<Place> = (0..key.1).map(|_| self.place(depth)).collect();
        if depth >= MOST_DEPTH {
            places.iter().for_each(|&place| self.places[place as usize].open = true);
        }
        self.places[place as usize].calls.insert(key, places.clone());
        (places, true)
    }

    /// Adds what can stand in all of the places `from`; without any, that is anything.
    fn merge(&mut self, to: Place, from: &[Place]) -> bool {
        if self.places[to as usize].open {
            return false;
        }
        let from: Vec<Place> = from.iter().copied().filter(|&place| !self.places[place as usize].open).collect();
        let Some((&first, rest)) = from.split_first() else {
            self.places[to as usize].open = true;
            return true;
        };
        self.work += (self.places[first as usize].names.len() + self.places[first as usize].calls.len()) as u64;
        let all = &self.places;
        let in_all = |id: &Id| rest.iter().all(|&place| all[place as usize].names.contains(id));
        let new = |id: &Id| !all[to as usize].names.contains(id);
        let names: Vec<Id> = all[first as usize].names.iter().filter(|id| new(id) && in_all(id)).copied().collect();
        let keys: Vec<(Symbol, usize)> = all[first as usize].calls.keys().copied().collect();
        let mut changed = !names.is_empty();
        self.places[to as usize].names.extend(names);
        for key in keys {
            let sources: Option<Vec<Vec<Place>>> =
                from.iter().map(|&place| self.places[place as usize].calls.get(&key).cloned()).collect();
            let Some(sources) = sources else { continue };
            let (places, new) = self.call(to, key);
            changed |= new;
            for (at, &place) in places.iter().enumerate() {
                let from: Vec<Place> = sources.iter().map(|source| source[at]).collect();
                if from != [place] {
                    changed |= self.merge(place, &from);
                }
            }
        }
        changed
    }

    /// The functions and names that can stand in a place, each name as a function without arguments, with the places of
    /// their arguments; `None` if it is open.
    pub fn functors(&self, place: Place, bank: &Bank) -> Option<Vec<(Symbol, Vec<Place>)>> {
        let kind = &self.places[place as usize];
        if kind.open {
            return None;
        }
        let names = kind.names.iter().map(|&id| (bank.functor(id), Vec::new()));
        let mut all: Vec<_> = names.chain(kind.calls.iter().map(|(key, args)| (key.0, args.clone()))).collect();
        all.sort_by_key(|(functor, args)| (*functor, args.len()));
        Some(all)
    }

    /// How many names and functions can stand in a place.
    pub fn width(&self, place: Place) -> u64 {
        let kind = &self.places[place as usize];
        (kind.names.len() + kind.calls.len()) as u64
    }

    /// The argument of a relation.
    pub fn arg(&self, rel: Rel, at: usize) -> Place {
        self.args[rel as usize][at]
    }

    /// The arguments of a function in a place.
    pub fn inside(&self, place: Place, functor: Symbol, arity: usize) -> Option<&[Place]> {
        self.places[place as usize].calls.get(&(functor, arity)).map(|places| &places[..])
    }

    /// All terms that can stand in a place, in the order of terms; `None` if it is open or they are more than `most`.
    pub fn terms(&self, place: Place, most: usize, bank: &mut Bank) -> Option<Vec<Id>> {
        let kind = &self.places[place as usize];
        if kind.open || kind.names.len() > most {
            return None;
        }
        let mut all: Vec<Id> = kind.names.iter().copied().collect();
        for ((functor, _), args) in &kind.calls {
            let columns: Option<Vec<Vec<Id>>> = args.iter().map(|&arg| self.terms(arg, most, bank)).collect();
            let columns = columns?;
            let count = columns.iter().try_fold(1usize, |n, column| n.checked_mul(column.len()))?;
            if all.len().checked_add(count)? > most {
                return None;
            }
            for mut number in 0..count {
                let args: Vec<Id> = columns
                    .iter()
                    .map(|column| {
                        let id = column[number % column.len()];
                        number /= column.len();
                        id
                    })
                    .collect();
                all.push(bank.intern(*functor, &args)?);
            }
        }
        all.sort_unstable_by(|&a, &b| bank.compare(a, b));
        Some(all)
    }
}
