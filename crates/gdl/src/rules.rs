//! Rules as data: what both written forms are read into, and what everything else works on.
//!
//! Equality looks at the meaning only: places in the text, the names of variables, and whether a name without arguments was written in parentheses do not count.

use crate::problem::Span;
use crate::symbol::{Symbol, Symbols};

/// A variable, numbered within its clause.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Var(pub u16);

/// A term with its place.
#[derive(Clone, Debug)]
pub struct Term {
    /// What it is.
    pub kind: TermKind,
    /// Where it stands.
    pub span: Span,
}

/// What a term can be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TermKind {
    /// A variable.
    Var(Var),
    /// A name without arguments.
    Name(Symbol),
    /// A function of at least one argument.
    Call(Symbol, Vec<Term>),
}

/// A sentence: a relation and its arguments.
#[derive(Clone, Debug)]
pub struct Atom {
    /// The relation.
    pub name: Symbol,
    /// Its arguments.
    pub args: Vec<Term>,
    /// Where it stands.
    pub span: Span,
    /// Written in parentheses; always so with arguments.
    pub parens: bool,
}

/// A condition.
#[derive(Clone, Debug)]
pub enum Literal {
    /// The sentence holds.
    Is(Atom),
    /// The two terms differ.
    Distinct(Term, Term, Span),
    /// The condition does not hold. GDL allows only a sentence inside; published rulesheets have `distinct` too.
    Not(Box<Literal>, Span),
    /// One of the conditions holds.
    Or(Vec<Literal>, Span),
    /// All of the conditions hold. Not GDL proper, but written by some inside `or`, and needed by the infix form.
    And(Vec<Literal>, Span),
}

/// A fact or a rule.
#[derive(Clone, Debug)]
pub struct Clause {
    /// What follows.
    pub head: Atom,
    /// From what: all of these. Empty for facts.
    pub body: Vec<Literal>,
    /// The names of the variables, by number.
    pub vars: Vec<String>,
    /// Written as a rule (with `<=`), even if without conditions.
    pub is_rule: bool,
    /// The whole clause.
    pub span: Span,
}

/// A whole description.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// The names.
    pub symbols: Symbols,
    /// Facts and rules in the order of the text.
    pub clauses: Vec<Clause>,
}

impl PartialEq for Term {
    fn eq(&self, other: &Term) -> bool {
        self.kind == other.kind
    }
}
impl Eq for Term {}

impl PartialEq for Atom {
    fn eq(&self, other: &Atom) -> bool {
        self.name == other.name && self.args == other.args
    }
}
impl Eq for Atom {}

impl PartialEq for Literal {
    fn eq(&self, other: &Literal) -> bool {
        match (self, other) {
            (Literal::Is(a), Literal::Is(b)) => a == b,
            (Literal::Distinct(a, b, _), Literal::Distinct(c, d, _)) => a == c && b == d,
            (Literal::Not(a, _), Literal::Not(b, _)) => a == b,
            (Literal::Or(a, _), Literal::Or(b, _)) | (Literal::And(a, _), Literal::And(b, _)) => a == b,
            _ => false,
        }
    }
}
impl Eq for Literal {}

impl PartialEq for Clause {
    fn eq(&self, other: &Clause) -> bool {
        self.head == other.head && self.body == other.body && self.is_rule == other.is_rule
    }
}
impl Eq for Clause {}

impl Term {
    /// The variables of this term, in order of appearance, with repetitions.
    pub fn for_each_var(&self, f: &mut dyn FnMut(Var, Span)) {
        match &self.kind {
            TermKind::Var(var) => f(*var, self.span),
            TermKind::Name(_) => {}
            TermKind::Call(_, args) => args.iter().for_each(|arg| arg.for_each_var(f)),
        }
    }

    /// Whether there is no variable in it.
    pub fn is_ground(&self) -> bool {
        let mut ground = true;
        self.for_each_var(&mut |_, _| ground = false);
        ground
    }

    /// The term in KIF, variables by number (`?0`); for clauses with names use the printer.
    pub fn text(&self, symbols: &Symbols) -> String {
        match &self.kind {
            TermKind::Var(var) => format!("?{}", var.0),
            TermKind::Name(name) => symbols.name(*name).to_string(),
            TermKind::Call(name, args) => {
                let args: Vec<String> = args.iter().map(|arg| arg.text(symbols)).collect();
                format!("({} {})", symbols.name(*name), args.join(" "))
            }
        }
    }
}

impl Atom {
    /// The variables of this sentence, in order of appearance, with repetitions.
    pub fn for_each_var(&self, f: &mut dyn FnMut(Var, Span)) {
        self.args.iter().for_each(|arg| arg.for_each_var(f));
    }
}

impl Literal {
    /// Where the condition stands.
    pub fn span(&self) -> Span {
        match self {
            Literal::Is(atom) => atom.span,
            Literal::Distinct(_, _, span) | Literal::Not(_, span) | Literal::Or(_, span) | Literal::And(_, span) => {
                *span
            }
        }
    }

    /// The variables of this condition, in order of appearance, with repetitions.
    pub fn for_each_var(&self, f: &mut dyn FnMut(Var, Span)) {
        match self {
            Literal::Is(atom) => atom.for_each_var(f),
            Literal::Distinct(a, b, _) => {
                a.for_each_var(f);
                b.for_each_var(f);
            }
            Literal::Not(inner, _) => inner.for_each_var(f),
            Literal::Or(parts, _) | Literal::And(parts, _) => parts.iter().for_each(|part| part.for_each_var(f)),
        }
    }

    /// The sentences of this condition, each with whether it stands under an odd number of `not`s.
    pub fn for_each_atom<'a>(&'a self, negated: bool, f: &mut dyn FnMut(&'a Atom, bool)) {
        match self {
            Literal::Is(atom) => f(atom, negated),
            Literal::Distinct(..) => {}
            Literal::Not(inner, _) => inner.for_each_atom(!negated, f),
            Literal::Or(parts, _) | Literal::And(parts, _) => {
                parts.iter().for_each(|part| part.for_each_atom(negated, f));
            }
        }
    }
}

impl Rules {
    /// The names of the roles, in order, each once.
    pub fn roles(&self) -> Vec<Symbol> {
        let mut roles = Vec::new();
        for clause in &self.clauses {
            if clause.head.name == Symbol::ROLE
                && clause.body.is_empty()
                && let [Term { kind: TermKind::Name(name), .. }] = clause.head.args[..]
                && !roles.contains(&name)
            {
                roles.push(name);
            }
        }
        roles
    }
}
