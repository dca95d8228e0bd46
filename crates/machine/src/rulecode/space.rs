//! Numbers for combinations of terms: what a few small domains can say together is addressed directly.
//!
//! A *domain* is a list of terms in the order of terms. Facts and moves whose arguments have small domains get numbers
//! by position, first argument first, so that the order of numbers is the order of terms; nothing has to be looked up
//! to know the number of a fact, and the set of facts of a state is a row of bits. Whatever does not fit is known by
//! the number of its term, above all these.

use super::types::{Place, Types};
use crate::bank::{Bank, Id};
use crate::budget::{Budget, Stop};
use gdl::{Symbol, Term, TermKind};
use std::collections::{BTreeSet, HashMap};

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
    /// How many terms all lists have.
    ids: usize,
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
        self.ids += terms.len();
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

    /// The places of the terms of each of these domains, from its first term (by number) to its last; for each domain where
    /// they begin, the first term and how many follow. `None` if all together they are more than `most`.
    pub fn ranks(&self, wanted: &BTreeSet<Domain>, most: usize) -> Option<(Vec<u16>, HashMap<Domain, Ranks>)> {
        let (mut ranks, mut places) = (Vec::new(), HashMap::new());
        for &domain in wanted {
            let list = &self.lists[domain as usize];
            let (low, high) = (list.iter().min().copied().unwrap_or(0), list.iter().max().map_or(0, |&high| high + 1));
            let first = ranks.len();
            if first + (high - low) as usize > most.min(u32::MAX as usize) {
                return None;
            }
            ranks.resize(first + (high - low) as usize, ABSENT);
            list.iter().zip(0..).for_each(|(&id, rank)| ranks[first + (id - low) as usize] = rank);
            places.insert(domain, Ranks { first: first as u32, low, terms: high - low });
        }
        Some((ranks, places))
    }

    /// About how many bytes this takes.
    pub fn bytes(&self) -> usize {
        self.ids * 8 + self.lists.len() * 96
    }
}

/// Where the places of a domain's terms are.
#[derive(Clone, Copy)]
pub(super) struct Ranks {
    pub first: u32,
    pub low: Id,
    pub terms: u32,
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
        budget: &mut Budget,
    ) -> Result<Numbering, Stop> {
        let mut numbering = Numbering::default();
        let Some(functors) = types.functors(place, bank) else {
            numbering.others = true;
            return Ok(numbering);
        };
        for (functor, args) in functors {
            budget.spend(1 + args.iter().map(|&arg| types.width(arg)).sum::<u64>())?;
            budget.hold_now(domains.bytes())?;
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
        Ok(numbering)
    }

    pub fn shape(&self, functor: Symbol, arity: usize) -> Option<u32> {
        self.by_functor.get(&(functor, arity)).copied()
    }

    /// The shape of terms with this functor and so many arguments.
    pub fn shape_of(&self, functor: Symbol, arity: usize) -> Option<&Shape> {
        self.shape(functor, arity).map(|shape| &self.shapes[shape as usize])
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
