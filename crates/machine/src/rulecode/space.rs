//! Numbers for combinations of terms: what a few small domains can say together is addressed directly.
//!
//! A *domain* is a list of terms in the order of terms. Facts and moves whose arguments have small domains get numbers
//! by position, first argument first, so that the order of numbers is the order of terms; nothing has to be looked up
//! to know the number of a fact, and the set of facts of a state is a row of bits. Whatever does not fit is known by
//! the number of its term, above all these.

use super::types::{Place, Types};
use crate::bank::{Bank, Id};
use gdl::{Symbol, Term, TermKind};
use std::collections::HashMap;

/// A domain, by number.
pub(super) type Domain = u32;

/// No place in a domain.
pub(super) const ABSENT: u16 = u16::MAX;

/// The most terms of a domain.
const MOST_TERMS: usize = 20_000;

#[derive(Clone, Default)]
pub(super) struct Domains {
    lists: Vec<Vec<Id>>,
    numbers: HashMap<Vec<Id>, Domain>,
}

impl Domains {
    /// The domain of these terms, which are sorted and each there once; `None` if they are too many.
    pub fn add(&mut self, terms: Vec<Id>) -> Option<Domain> {
        if terms.len() > MOST_TERMS {
            return None;
        }
        if let Some(&number) = self.numbers.get(&terms) {
            return Some(number);
        }
        let number = self.lists.len() as Domain;
        self.lists.push(terms.clone());
        self.numbers.insert(terms, number);
        Some(number)
    }

    /// The domain of the terms that can stand in a place.
    pub fn of_place(&mut self, place: Place, types: &Types, bank: &mut Bank) -> Option<Domain> {
        let terms = types.terms(place, MOST_TERMS, bank)?;
        self.add(terms)
    }

    pub fn terms(&self, domain: Domain) -> &[Id] {
        &self.lists[domain as usize]
    }

    pub fn size(&self, domain: Domain) -> u32 {
        self.lists[domain as usize].len() as u32
    }

    /// For each domain in turn the place of every term below `limit` in it, and once more "none" for all others: the
    /// place of term `id` in domain `d` is at `d * (limit + 1) + min(id, limit)`.
    pub fn ranks(&self, limit: usize) -> Vec<u16> {
        let mut ranks = vec![ABSENT; self.lists.len() * (limit + 1)];
        for (list, ranks) in self.lists.iter().zip(ranks.chunks_mut(limit + 1)) {
            list.iter().zip(0..).for_each(|(&id, rank)| ranks[id as usize] = rank);
        }
        ranks
    }
}

/// One argument's part of a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digit {
    pub domain: Domain,
    pub size: u32,
    pub stride: u32,
}

/// Digits for these domains, the first the most significant, and how many numbers there are; `None` if more than `most`.
pub(super) fn digits(domains: &[Domain], all: &Domains, most: u32) -> Option<(Vec<Digit>, u32)> {
    let mut stride = 1u32;
    let mut digits = Vec::with_capacity(domains.len());
    for &domain in domains.iter().rev() {
        let size = all.size(domain);
        digits.push(Digit { domain, size, stride });
        stride = stride.checked_mul(size).filter(|&count| count <= most)?;
    }
    digits.reverse();
    Some((digits, stride))
}

/// Terms of one functor that have numbers by position.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub functor: Symbol,
    pub digits: Vec<Digit>,
    /// The first number.
    pub offset: u32,
    /// How many numbers there are.
    pub size: u32,
}

/// Numbers for facts, or for moves.
#[derive(Clone, Default)]
pub(super) struct Numbering {
    pub shapes: Vec<Shape>,
    by_functor: HashMap<(Symbol, usize), u32>,
    /// Numbers by position are below this; from here on it is the number of a term.
    pub total: u32,
    /// Whether there can be terms that have no number by position.
    pub others: bool,
}

impl Numbering {
    /// Numbers what can stand in a place, as far as no shape takes more than `most` numbers and all together not more
    /// than `most_in_all`.
    pub fn new(
        place: Place,
        types: &Types,
        domains: &mut Domains,
        bank: &mut Bank,
        (most, most_in_all): (u32, u32),
    ) -> Numbering {
        let mut numbering = Numbering::default();
        let Some(functors) = types.functors(place, bank) else {
            numbering.others = true;
            return numbering;
        };
        for (functor, args) in functors {
            let found: Option<Vec<Domain>> = args.iter().map(|&arg| domains.of_place(arg, types, bank)).collect();
            let left = most.min(most_in_all - numbering.total);
            let Some((digits, size)) = found.and_then(|found| digits(&found, domains, left)) else {
                numbering.others = true;
                continue;
            };
            numbering.by_functor.insert((functor, args.len()), numbering.shapes.len() as u32);
            numbering.shapes.push(Shape { functor, digits, offset: numbering.total, size });
            numbering.total += size;
        }
        numbering
    }

    pub fn shape(&self, functor: Symbol, arity: usize) -> Option<u32> {
        self.by_functor.get(&(functor, arity)).copied()
    }

    /// The shape to which a number by position belongs.
    pub fn shape_at(&self, number: u32) -> usize {
        self.shapes.partition_point(|shape| shape.offset <= number) - 1
    }

    /// The number of a term, from its functor and arguments if it has one by position.
    pub fn number(&self, id: Id, bank: &Bank, domains: &Domains) -> u32 {
        self.by_position(bank.functor(id), bank.args(id), domains).unwrap_or(self.total + id)
    }

    /// The number of a term that has one by position, or that the bank knows where terms of any form can occur.
    pub fn find(&self, term: &Term, bank: &Bank, domains: &Domains) -> Option<u32> {
        let (functor, args) = match &term.kind {
            TermKind::Var(_) => return None,
            TermKind::Name(name) => (*name, &[][..]),
            TermKind::Call(name, args) => (*name, &args[..]),
        };
        let args = args.iter().map(|arg| bank.find_term(arg)).collect::<Option<Vec<Id>>>()?;
        let by_position = self.by_position(functor, &args, domains);
        by_position.or_else(|| if self.others { Some(self.total + bank.find(functor, &args)?) } else { None })
    }

    fn by_position(&self, functor: Symbol, args: &[Id], domains: &Domains) -> Option<u32> {
        let shape = &self.shapes[self.shape(functor, args.len())? as usize];
        let places = args.iter().zip(&shape.digits).map(|(arg, digit)| {
            let place = domains.terms(digit.domain).iter().position(|term| term == arg)?;
            Some(place as u32 * digit.stride)
        });
        places.sum::<Option<u32>>().map(|place| shape.offset + place)
    }
}

impl Shape {
    /// The argument of a number of this shape.
    #[inline]
    pub fn arg(&self, number: u32, at: usize, domains: &Domains) -> Id {
        let digit = &self.digits[at];
        domains.terms(digit.domain)[((number - self.offset) / digit.stride % digit.size) as usize]
    }
}
