//! Rules made ready for the prover: relations numbered, clauses as small programs of conditions.
//!
//! Conditions keep the order in which they were written, with one exception: `not` and `distinct` wait until every
//! variable that some positive condition of the same rule can bind has been bound.

use crate::bank::{Bank, Id};
use crate::budget::{Budget, Stop};
use crate::graph::components;
use gdl::{Atom, Clause, Literal, Rules, Span, Symbol, Term, TermKind, Var};
use std::collections::{BTreeSet, HashMap};

/// A relation's number.
pub(crate) type Rel = u32;

/// What a relation's truth can change with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Reach {
    /// Nothing: true once, true always.
    Fixed,
    /// The state.
    State,
    /// The state and the moves being made.
    Moves,
}

/// A term with variables.
#[derive(Clone, Debug)]
pub(crate) enum Pat {
    Ground(Id),
    Var(u16),
    Call(Symbol, Box<[Pat]>),
}

impl Pat {
    /// A term of the rules as a pattern; its ground parts are added to the bank.
    pub fn of(term: &Term, bank: &mut Bank) -> Pat {
        if let Some(id) = bank.add(term) {
            return Pat::Ground(id);
        }
        match &term.kind {
            TermKind::Var(var) => Pat::Var(var.0),
            TermKind::Name(name) => Pat::Call(*name, Box::new([])),
            TermKind::Call(name, args) => Pat::Call(*name, args.iter().map(|arg| Pat::of(arg, bank)).collect()),
        }
    }
}

/// One step of a rule.
#[derive(Debug)]
pub(crate) enum Op {
    /// A sentence of the rules' own holds.
    Call { rel: Rel, args: Box<[Pat]>, next: u32 },
    /// It does not hold.
    NotCall { rel: Rel, args: Box<[Pat]>, next: u32 },
    /// A fact of the state whose form is known: group of facts with that name, and the arguments.
    Fact { group: u32, whole: Pat, args: Box<[Pat]>, negated: bool, next: u32 },
    /// A fact of the state of any form (a variable), or one without arguments.
    AnyFact { pat: Pat, negated: bool, next: u32 },
    /// A move being made.
    Does { role: Pat, mv: Pat, negated: bool, next: u32 },
    /// The terms differ (or, negated, do not).
    Distinct { a: Pat, b: Pat, negated: bool, next: u32 },
    /// Go on at any of these places.
    Choice { branches: Box<[u32]> },
    /// The head holds.
    Yield,
}

/// A fact with variables or a rule.
#[derive(Debug)]
pub(crate) struct Code {
    pub head: Box<[Pat]>,
    pub vars: u16,
    pub ops: Vec<Op>,
    pub entry: u32,
}

#[derive(Debug)]
pub(crate) struct Relation {
    pub name: Symbol,
    pub arity: usize,
    pub reach: Reach,
    /// Calls can lead back to it.
    pub recursive: bool,
    /// Ground facts, row by row, none twice.
    pub facts: Vec<Id>,
    /// Everything else, by number in [`Program::codes`].
    pub codes: Vec<u32>,
}

pub(crate) struct Program {
    pub relations: Vec<Relation>,
    pub codes: Vec<Code>,
    /// The groups of state facts that rules ask for: name and number of arguments.
    pub groups: HashMap<(Symbol, usize), u32>,
    pub numbers: HashMap<(Symbol, usize), Rel>,
}

/// Why rules cannot be made ready, with the place.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub span: Option<Span>,
    pub message: String,
}

impl Refusal {
    fn at(span: Span, message: String) -> Refusal {
        Refusal { span: Some(span), message }
    }
}

impl From<Stop> for Refusal {
    fn from(stop: Stop) -> Refusal {
        Refusal { span: None, message: stop.into() }
    }
}

impl Program {
    pub fn new(rules: &Rules, bank: &mut Bank, budget: &mut Budget) -> Result<Program, Refusal> {
        budget.heard()?;
        let mut builder = Builder {
            bank,
            program: Program {
                relations: Vec::new(),
                codes: Vec::new(),
                groups: HashMap::new(),
                numbers: HashMap::new(),
            },
            edges: Vec::new(),
            rules,
            helpers: 0,
            ops: 0,
            budget,
        };
        // The constants come first, so that their numbers depend on the rules alone.
        for symbol in 0..rules.symbols.len() as u32 {
            builder.budget.spend(1)?;
            builder.bank.intern(Symbol(symbol), &[]);
        }
        for clause in &rules.clauses {
            builder.clause(clause)?;
            builder.budget.spend(1 + clause.body.len() as u64)?;
            builder.budget.hold_now(builder.bytes())?;
        }
        builder.finish()
    }

    /// The relation of this name and number of arguments, if the rules mention it.
    pub fn relation(&self, name: Symbol, arity: usize) -> Option<Rel> {
        self.numbers.get(&(name, arity)).copied()
    }
}

struct Edge {
    from: Rel,
    to: Rel,
}

struct Builder<'a> {
    bank: &'a mut Bank,
    program: Program,
    edges: Vec<Edge>,
    rules: &'a Rules,
    /// Relations made up for `not` over something composed.
    helpers: u32,
    /// Steps of all rules.
    ops: usize,
    budget: &'a mut Budget,
}

/// About what a relation takes: with its place in the table of relations, and the extensions that every view has for it.
const RELATION_BYTES: usize = size_of::<Relation>() + 256;
/// About what a step of a rule takes, with its arguments.
const OP_BYTES: usize = size_of::<Op>() + 64;

/// The most arguments a relation or function may have: bound and free arguments are told apart in a 64-bit word.
const MAX_ARITY: usize = 64;

impl Builder<'_> {
    /// About how many bytes the program takes, together with the bank and the two copies of it that a prover has.
    fn bytes(&self) -> usize {
        let Program { relations, codes, .. } = &self.program;
        3 * self.bank.bytes() + relations.len() * RELATION_BYTES + codes.len() * size_of::<Code>() + self.ops * OP_BYTES
    }

    fn relation(&mut self, name: Symbol, arity: usize) -> Rel {
        let next = self.program.relations.len() as Rel;
        let relations = &mut self.program.relations;
        *self.program.numbers.entry((name, arity)).or_insert_with(|| {
            relations.push(Relation {
                name,
                arity,
                reach: Reach::Fixed,
                recursive: false,
                facts: Vec::new(),
                codes: Vec::new(),
            });
            next
        })
    }

    fn clause(&mut self, clause: &Clause) -> Result<(), Refusal> {
        let head = &clause.head;
        if matches!(head.name, Symbol::TRUE | Symbol::DOES) {
            let message = format!("`{}` cannot be the head of a rule", self.rules.symbols.name(head.name));
            return Err(Refusal::at(head.span, message));
        }
        self.check_arity(head.args.len(), head.span)?;
        let rel = self.relation(head.name, head.args.len());
        let ground: Option<Vec<Id>> = head.args.iter().map(|arg| self.bank.add(arg)).collect();
        if let (true, Some(row)) = (clause.body.is_empty(), ground) {
            self.program.relations[rel as usize].facts.extend(row);
            if head.args.is_empty() {
                // A row of no arguments leaves no trace in `facts`: a rule without conditions does.
                self.code(rel, clause, &[])?;
            }
            return Ok(());
        }
        self.code(rel, clause, &clause.body)
    }

    fn check_arity(&self, arity: usize, span: Span) -> Result<(), Refusal> {
        if arity <= MAX_ARITY {
            return Ok(());
        }
        Err(Refusal::at(span, format!("{arity} arguments are more than the {MAX_ARITY} that can be handled")))
    }

    fn code(&mut self, rel: Rel, clause: &Clause, body: &[Literal]) -> Result<(), Refusal> {
        let head = clause.head.args.iter().map(|arg| self.pat(arg)).collect();
        let mut ops = vec![Op::Yield];
        let entry = self.sequence(rel, body, &BTreeSet::new(), 0, &mut ops)?;
        let code = Code { head, vars: clause.vars.len() as u16, ops, entry };
        self.program.relations[rel as usize].codes.push(self.program.codes.len() as u32);
        self.program.codes.push(code);
        Ok(())
    }

    /// Writes conditions that all must hold, then go on at `next`; answers where they begin. `bound` are the variables
    /// that are surely bound before.
    fn sequence(
        &mut self,
        rel: Rel,
        body: &[Literal],
        bound: &BTreeSet<Var>,
        next: u32,
        ops: &mut Vec<Op>,
    ) -> Result<u32, Refusal> {
        let mut next = next;
        let (order, before) = in_order(body, bound, self.budget)?;
        for (&index, bound) in order.iter().zip(&before).rev() {
            next = self.condition(rel, &body[index], bound, next, ops)?;
        }
        Ok(next)
    }

    fn condition(
        &mut self,
        rel: Rel,
        literal: &Literal,
        bound: &BTreeSet<Var>,
        next: u32,
        ops: &mut Vec<Op>,
    ) -> Result<u32, Refusal> {
        let op = match literal {
            Literal::Is(atom) => self.sentence(rel, atom, false, next)?,
            Literal::Distinct(a, b, _) => Op::Distinct { a: self.pat(a), b: self.pat(b), negated: false, next },
            Literal::Not(inner, span) => match &**inner {
                Literal::Is(atom) => self.sentence(rel, atom, true, next)?,
                Literal::Distinct(a, b, _) => Op::Distinct { a: self.pat(a), b: self.pat(b), negated: true, next },
                composed => self.not_composed(rel, composed, *span, next)?,
            },
            Literal::And(parts, _) => return self.sequence(rel, parts, bound, next, ops),
            Literal::Or(parts, _) => {
                let branches: Result<Vec<u32>, Refusal> =
                    parts.iter().map(|part| self.condition(rel, part, bound, next, ops)).collect();
                Op::Choice { branches: branches?.into() }
            }
        };
        ops.push(op);
        self.ops += 1;
        Ok(ops.len() as u32 - 1)
    }

    fn sentence(&mut self, rel: Rel, atom: &Atom, negated: bool, next: u32) -> Result<Op, Refusal> {
        self.check_arity(atom.args.len(), atom.span)?;
        let args: Box<[Pat]> = atom.args.iter().map(|arg| self.pat(arg)).collect();
        match (atom.name, &*args) {
            (Symbol::TRUE, [pat]) => {
                self.reaches(rel, Reach::State);
                Ok(match (pat, &atom.args[0].kind) {
                    (whole, TermKind::Call(name, parts)) => {
                        self.check_arity(parts.len(), atom.span)?;
                        let group = self.program.groups.len() as u32;
                        let group = *self.program.groups.entry((*name, parts.len())).or_insert(group);
                        let args = parts.iter().map(|part| self.pat(part)).collect();
                        Op::Fact { group, whole: whole.clone(), args, negated, next }
                    }
                    (pat, _) => Op::AnyFact { pat: pat.clone(), negated, next },
                })
            }
            (Symbol::DOES, [role, mv]) => {
                self.reaches(rel, Reach::Moves);
                Ok(Op::Does { role: role.clone(), mv: mv.clone(), negated, next })
            }
            _ => {
                let to = self.relation(atom.name, args.len());
                self.edges.push(Edge { from: rel, to });
                Ok(match negated {
                    false => Op::Call { rel: to, args, next },
                    true => Op::NotCall { rel: to, args, next },
                })
            }
        }
    }

    /// `not` over a composed condition: a relation of its own for the inside, and `not` over that.
    fn not_composed(&mut self, rel: Rel, inside: &Literal, span: Span, next: u32) -> Result<Op, Refusal> {
        let mut vars = BTreeSet::new();
        inside.for_each_var(&mut |var, _| {
            vars.insert(var);
        });
        self.check_arity(vars.len(), span)?;
        // No symbol of the rules has this number, so the name cannot clash.
        let name = Symbol(u32::MAX - 1 - self.helpers);
        self.helpers += 1;
        let helper = self.relation(name, vars.len());
        let args: Box<[Pat]> = vars.iter().map(|var| Pat::Var(var.0)).collect();
        let mut ops = vec![Op::Yield];
        let entry = self.sequence(helper, std::slice::from_ref(inside), &BTreeSet::new(), 0, &mut ops)?;
        let count = vars.last().map_or(0, |var| var.0 + 1);
        let code = Code { head: args.clone(), vars: count, ops, entry };
        self.program.relations[helper as usize].codes.push(self.program.codes.len() as u32);
        self.program.codes.push(code);
        self.edges.push(Edge { from: rel, to: helper });
        Ok(Op::NotCall { rel: helper, args, next })
    }

    fn reaches(&mut self, rel: Rel, reach: Reach) {
        let relation = &mut self.program.relations[rel as usize];
        relation.reach = relation.reach.max(reach);
    }

    fn pat(&mut self, term: &Term) -> Pat {
        Pat::of(term, self.bank)
    }

    fn finish(mut self) -> Result<Program, Refusal> {
        let mut graph = vec![Vec::new(); self.program.relations.len()];
        for edge in &self.edges {
            graph[edge.from as usize].push(edge.to);
        }
        self.budget.heard()?;
        let components = components(&graph);
        self.budget.heard()?;
        // Components are numbered so that what a relation leads to comes first; inside one, all are alike.
        let mut by_component: Vec<(u32, usize)> = components.of.iter().copied().zip(0..).collect();
        by_component.sort_unstable();
        let mut reach = vec![Reach::Fixed; components.cyclic.len()];
        for &(component, rel) in &by_component {
            let own = self.program.relations[rel].reach;
            let below = graph[rel].iter().map(|&to| reach[components.of[to as usize] as usize]).max();
            let best = own.max(below.unwrap_or(Reach::Fixed));
            reach[component as usize] = reach[component as usize].max(best);
        }
        for (rel, relation) in self.program.relations.iter_mut().enumerate() {
            self.budget.spend(1 + relation.facts.len() as u64)?;
            let component = components.of[rel] as usize;
            relation.reach = reach[component];
            relation.recursive = components.cyclic[component];
            unique_rows(&mut relation.facts, relation.arity);
        }
        Ok(self.program)
    }
}

/// Removes rows that are there already, keeping the order.
fn unique_rows(rows: &mut Vec<Id>, arity: usize) {
    if arity == 0 {
        rows.clear();
        return;
    }
    let mut seen = std::collections::HashSet::new();
    *rows = rows.chunks(arity).filter(|row| seen.insert(row.to_vec())).flatten().copied().collect();
}

/// The order in which conditions are tried, and the variables surely bound before each.
#[allow(clippy::type_complexity, reason = "two lists of the same length")]
fn in_order(
    body: &[Literal],
    bound: &BTreeSet<Var>,
    budget: &mut Budget,
) -> Result<(Vec<usize>, Vec<BTreeSet<Var>>), Stop> {
    let mut bindable = bound.clone();
    body.iter().for_each(|literal| bindable.extend(binds(literal)));
    let needs: Vec<BTreeSet<Var>> =
        body.iter().map(|literal| needs(literal).intersection(&bindable).copied().collect()).collect();
    let mut have = bound.clone();
    // From the last to the first, so that taking the first one moves nothing.
    let mut left: Vec<usize> = (0..body.len()).rev().collect();
    let (mut order, mut before) = (Vec::new(), Vec::new());
    while !left.is_empty() {
        let at = left.iter().rposition(|&i| needs[i].is_subset(&have)).unwrap_or(left.len() - 1);
        budget.spend((left.len() - at) as u64)?;
        let index = left.remove(at);
        order.push(index);
        // Only composed conditions look at this; for the others the copy would be wasted.
        let composed = matches!(body[index], Literal::Or(..) | Literal::And(..));
        before.push(if composed { have.clone() } else { BTreeSet::new() });
        have.extend(binds(&body[index]));
    }
    Ok((order, before))
}

/// The variables that are surely bound once the condition holds.
fn binds(literal: &Literal) -> BTreeSet<Var> {
    let mut vars = BTreeSet::new();
    match literal {
        Literal::Is(atom) => atom.for_each_var(&mut |var, _| {
            vars.insert(var);
        }),
        Literal::Distinct(..) | Literal::Not(..) => {}
        Literal::And(parts, _) => parts.iter().for_each(|part| vars.extend(binds(part))),
        Literal::Or(parts, _) => {
            let mut sets = parts.iter().map(binds);
            vars = sets.next().unwrap_or_default();
            sets.for_each(|set| vars.retain(|var| set.contains(var)));
        }
    }
    vars
}

/// The variables that should be bound before the condition is tried.
fn needs(literal: &Literal) -> BTreeSet<Var> {
    let mut vars = BTreeSet::new();
    match literal {
        Literal::Is(_) => {}
        Literal::Distinct(..) | Literal::Not(..) => literal.for_each_var(&mut |var, _| {
            vars.insert(var);
        }),
        Literal::Or(parts, _) => parts.iter().for_each(|part| vars.extend(needs(part))),
        Literal::And(parts, _) => {
            let bound: BTreeSet<Var> = parts.iter().flat_map(binds).collect();
            parts.iter().for_each(|part| vars.extend(needs(part).difference(&bound)));
        }
    }
    vars
}
