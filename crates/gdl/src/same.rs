//! When two descriptions are the same, whatever their texts looked like.

use std::collections::HashMap;

use crate::rules::{Atom, Clause, Literal, Rules, Term, TermKind, Var};
use crate::symbol::{Symbol, Symbols, fold};

impl Rules {
    /// Whether both have the same clauses in the same order, when names are compared as GDL compares them.
    ///
    /// The numbers of symbols and variables, the names of variables, places, and parentheses around a name without
    /// arguments do not count. (`==` on clauses compares the numbers, so it has a meaning within one `Rules` only.)
    ///
    /// ```
    /// let a = gdl::parse("(role me) (<= (p ?x) (q ?x ?y))").rules;
    /// assert!(a.same(&gdl::parse("(ROLE Me)\n(<= (p ?a) (q ?a ?b))").rules));
    /// assert!(!a.same(&gdl::parse("(role me) (<= (p ?x) (q ?x ?x))").rules));
    /// ```
    pub fn same(&self, other: &Rules) -> bool {
        self.clauses.len() == other.clauses.len()
            && self.clauses.iter().zip(&other.clauses).all(|(a, b)| {
                let mut comparison =
                    Comparison { names: [&self.symbols, &other.symbols], to: HashMap::new(), from: HashMap::new() };
                comparison.clause(a, b)
            })
    }
}

/// Two clauses side by side, with the variables that were found to correspond.
struct Comparison<'a> {
    names: [&'a Symbols; 2],
    to: HashMap<Var, Var>,
    from: HashMap<Var, Var>,
}

impl Comparison<'_> {
    fn clause(&mut self, a: &Clause, b: &Clause) -> bool {
        a.is_rule == b.is_rule && self.atom(&a.head, &b.head) && self.literals(&a.body, &b.body)
    }

    fn symbol(&self, a: Symbol, b: Symbol) -> bool {
        let (a, b) = (self.names[0].name(a), self.names[1].name(b));
        a == b || fold(a) == fold(b)
    }

    fn atom(&mut self, a: &Atom, b: &Atom) -> bool {
        self.symbol(a.name, b.name) && self.terms(&a.args, &b.args)
    }

    fn literals(&mut self, a: &[Literal], b: &[Literal]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.literal(a, b))
    }

    fn literal(&mut self, a: &Literal, b: &Literal) -> bool {
        match (a, b) {
            (Literal::Is(a), Literal::Is(b)) => self.atom(a, b),
            (Literal::Distinct(a, b, _), Literal::Distinct(c, d, _)) => self.term(a, c) && self.term(b, d),
            (Literal::Not(a, _), Literal::Not(b, _)) => self.literal(a, b),
            (Literal::Or(a, _), Literal::Or(b, _)) | (Literal::And(a, _), Literal::And(b, _)) => self.literals(a, b),
            _ => false,
        }
    }

    fn terms(&mut self, a: &[Term], b: &[Term]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.term(a, b))
    }

    fn term(&mut self, a: &Term, b: &Term) -> bool {
        match (&a.kind, &b.kind) {
            (TermKind::Var(a), TermKind::Var(b)) => {
                *self.to.entry(*a).or_insert(*b) == *b && *self.from.entry(*b).or_insert(*a) == *a
            }
            (TermKind::Name(a), TermKind::Name(b)) => self.symbol(*a, *b),
            (TermKind::Call(a, left), TermKind::Call(b, right)) => self.symbol(*a, *b) && self.terms(left, right),
            _ => false,
        }
    }
}
