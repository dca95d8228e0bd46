//! What can stand where: for each argument of each relation and function the names and functions that the rules can
//! put there, worked out without looking at values together. Never too little, often a bit too much.

use gdl::{Atom, Clause, Literal, Rules, Symbol, Term, TermKind};
use std::collections::HashMap;

/// A name, or a function with its number of arguments.
pub(crate) type Item = (Symbol, usize);

/// An argument of a relation or of a function. All of `init`, `true` and `next` share one place, as do `legal` and `does`.
pub(crate) type Place = (Symbol, usize, usize);

/// The place of the facts of a state.
pub(crate) const FACT: Place = (Symbol::TRUE, 1, 0);

/// A set of items, a bit each.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
struct Bits(Vec<u64>);

impl Bits {
    fn set(&mut self, at: usize) -> bool {
        if self.0.len() <= at / 64 {
            self.0.resize(at / 64 + 1, 0);
        }
        let old = self.0[at / 64];
        self.0[at / 64] |= 1 << (at % 64);
        old != self.0[at / 64]
    }

    fn join(&mut self, other: &Bits) -> bool {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let mut grown = false;
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            grown |= *b & !*a != 0;
            *a |= *b;
        }
        grown
    }

    fn meet(&mut self, other: &Bits) {
        self.0.truncate(other.0.len());
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= *b);
    }

    fn each(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.0.len() * 64).filter(|&at| self.0[at / 64] >> (at % 64) & 1 == 1)
    }
}

/// What can stand where.
#[derive(Clone, Debug, Default)]
pub(crate) struct Types {
    items: Vec<Item>,
    numbers: HashMap<Item, usize>,
    places: HashMap<Place, Bits>,
}

fn place(name: Symbol, arity: usize, at: usize) -> Place {
    match name {
        Symbol::INIT | Symbol::NEXT | Symbol::TRUE => FACT,
        Symbol::LEGAL | Symbol::DOES => (Symbol::DOES, 2, at),
        _ => (name, arity, at),
    }
}

impl Types {
    pub fn new(rules: &Rules) -> Types {
        let mut types = Types::default();
        let (facts, mut rest): (Vec<&Clause>, Vec<&Clause>) =
            rules.clauses.iter().partition(|clause| clause.body.is_empty());
        facts.iter().for_each(|clause| {
            types.put_head(clause, &[]);
        });
        rest.retain(|clause| !matches!(clause.head.name, Symbol::BASE | Symbol::INPUT));
        // Sets only grow and are finite, so this ends.
        let mut grown = true;
        while grown {
            grown = false;
            for clause in &rest {
                let vars = types.vars(clause);
                if vars.iter().any(|var| var.as_ref().is_some_and(|set| set.each().next().is_none())) {
                    continue;
                }
                grown |= types.put_head(clause, &vars);
            }
        }
        types
    }

    /// What each variable of a clause can be; `None` if nothing positive says so.
    fn vars(&self, clause: &Clause) -> Vec<Option<Bits>> {
        let mut vars = vec![None; clause.vars.len()];
        for literal in &clause.body {
            self.narrow(literal, &mut vars);
        }
        vars
    }

    fn narrow(&self, literal: &Literal, vars: &mut Vec<Option<Bits>>) {
        match literal {
            Literal::Is(atom) => self.narrow_atom(atom, vars),
            Literal::And(parts, _) => parts.iter().for_each(|part| self.narrow(part, vars)),
            Literal::Or(parts, _) => {
                // A variable is what it can be in one of the branches; a branch that leaves it open allows anything.
                let mut joined: Option<Vec<Option<Bits>>> = None;
                for part in parts {
                    let mut branch = vars.clone();
                    self.narrow(part, &mut branch);
                    joined = Some(match joined {
                        None => branch,
                        Some(mut old) => {
                            for (old, new) in old.iter_mut().zip(&branch) {
                                match (old.as_mut(), new) {
                                    (Some(old), Some(new)) => {
                                        old.join(new);
                                    }
                                    (None, Some(new)) => *old = Some(new.clone()),
                                    _ => {}
                                }
                            }
                            old
                        }
                    });
                }
                if let Some(joined) = joined {
                    *vars = joined;
                }
            }
            Literal::Not(..) | Literal::Distinct(..) => {}
        }
    }

    fn narrow_atom(&self, atom: &Atom, vars: &mut [Option<Bits>]) {
        for (at, term) in atom.args.iter().enumerate() {
            self.narrow_term(term, place(atom.name, atom.args.len(), at), vars);
        }
    }

    fn narrow_term(&self, term: &Term, at: Place, vars: &mut [Option<Bits>]) {
        match &term.kind {
            TermKind::Var(var) => {
                let empty = Bits::default();
                let here = self.places.get(&at).unwrap_or(&empty);
                match &mut vars[var.0 as usize] {
                    Some(set) => set.meet(here),
                    open => *open = Some(here.clone()),
                }
            }
            TermKind::Name(_) => {}
            TermKind::Call(name, args) => {
                for (i, arg) in args.iter().enumerate() {
                    self.narrow_term(arg, (*name, args.len(), i), vars);
                }
            }
        }
    }

    fn put_head(&mut self, clause: &Clause, vars: &[Option<Bits>]) -> bool {
        let head = &clause.head;
        let mut grown = false;
        for (at, term) in head.args.iter().enumerate() {
            grown |= self.put(term, place(head.name, head.args.len(), at), vars);
        }
        grown
    }

    fn put(&mut self, term: &Term, at: Place, vars: &[Option<Bits>]) -> bool {
        match &term.kind {
            TermKind::Var(var) => match vars.get(var.0 as usize) {
                Some(Some(set)) => self.places.entry(at).or_default().join(set),
                _ => false,
            },
            TermKind::Name(name) => self.put_item((*name, 0), at),
            TermKind::Call(name, args) => {
                let mut grown = self.put_item((*name, args.len()), at);
                for (i, arg) in args.iter().enumerate() {
                    grown |= self.put(arg, (*name, args.len(), i), vars);
                }
                grown
            }
        }
    }

    fn put_item(&mut self, item: Item, at: Place) -> bool {
        let next = self.items.len();
        let number = *self.numbers.entry(item).or_insert(next);
        if number == next {
            self.items.push(item);
        }
        self.places.entry(at).or_default().set(number)
    }

    /// What can stand in a place, in the order of first naming.
    pub fn at(&self, place: Place) -> Vec<Item> {
        let mut items: Vec<Item> =
            self.places.get(&place).map(|set| set.each().map(|at| self.items[at]).collect()).unwrap_or_default();
        items.sort();
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_flow_from_facts_through_rules() {
        let rules = gdl::parse(
            "(role a) (init (at 1)) (succ 1 2) (succ 2 3) (colour red)
             (<= (legal a (go ?y)) (true (at ?x)) (succ ?x ?y))
             (<= (next (at ?y)) (does a (go ?y)))
             (<= (next (paint ?c)) (or (colour ?c) (role ?c)))",
        )
        .rules;
        let types = Types::new(&rules);
        let names = |name: &str, arity| {
            let items = types.at((rules.symbols.find(name).unwrap(), arity, 0));
            items.iter().map(|item| rules.symbols.name(item.0).to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names("at", 1), ["1", "2", "3"]);
        assert_eq!(names("paint", 1), ["a", "red"]);
        assert_eq!(types.at(FACT).len(), 2);
    }
}
