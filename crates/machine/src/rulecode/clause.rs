//! Clauses in the form in which they are planned: conditions by kind, `and` dissolved, alternatives kept together.
//!
//! Three things are put straight here so that what follows need not think of them. Ground facts of a relation that
//! has rules too become a relation of their own. An `or` whose alternatives bind different variables becomes several
//! clauses. And alternatives that lead back to the relation they stand in become a relation of their own, because
//! recursion is taken apart at the conditions of a clause.

use super::vars::{MOST_VARS, Vars};
use crate::bank::{Bank, Id};
use crate::budget::Budget;
use crate::graph::components;
use crate::program::{Pat, Program, Reach, Rel};
use gdl::{Literal, Rules, Symbol, Term};

/// A condition.
#[derive(Clone, Debug)]
pub(super) enum Cond {
    /// A sentence of the rules' own.
    Rel { rel: Rel, args: Vec<Pat>, negated: bool },
    /// A fact of the state.
    Fact { pat: Pat, negated: bool },
    /// A move being made.
    Does { role: Pat, mv: Pat, negated: bool },
    /// The terms differ (negated: are the same).
    Distinct { a: Pat, b: Pat, negated: bool },
    /// All conditions of one of the branches hold (negated: of none).
    Any { branches: Vec<Vec<Cond>>, negated: bool },
}

/// A rule, or a fact with variables.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub head: Vec<Pat>,
    pub body: Vec<Cond>,
    /// Variables have numbers below this.
    pub vars: u16,
}

impl Clause {
    /// About how many bytes it takes.
    fn bytes(&self) -> usize {
        size_of::<Clause>() + self.head.len() * size_of::<Pat>() + self.body.len() * (size_of::<Cond>() + 64)
    }
}

pub(super) struct Relation {
    pub name: Symbol,
    pub arity: usize,
    pub reach: Reach,
    /// Calls can lead back to it.
    pub recursive: bool,
    /// Relations that lead to each other have the same number.
    pub component: u32,
    /// Ground facts, row by row.
    pub facts: Vec<Id>,
    pub clauses: Vec<Clause>,
}

/// The most clauses that the `or`s of one clause may stand for.
const MOST_ALTERNATIVES: usize = 256;

/// All relations, numbered as in the program; relations made up here follow.
pub(super) fn read(
    rules: &Rules,
    program: &Program,
    bank: &mut Bank,
    budget: &mut Budget,
) -> Result<Vec<Relation>, String> {
    let mut bytes = program.relations.len() * size_of::<Relation>();
    let mut relations: Vec<Relation> = program
        .relations
        .iter()
        .map(|from| Relation {
            name: from.name,
            arity: from.arity,
            reach: from.reach,
            recursive: false,
            component: 0,
            facts: from.facts.clone(),
            clauses: Vec::new(),
        })
        .collect();
    for clause in &rules.clauses {
        budget.spend(1 + clause.body.len() as u64)?;
        let head = &clause.head;
        let Some(rel) = program.relation(head.name, head.args.len()) else { continue };
        let ground = head.args.iter().all(Term::is_ground);
        if clause.body.is_empty() && ground && !head.args.is_empty() {
            continue;
        }
        if clause.vars.len() >= MOST_VARS / 2 {
            let name = rules.symbols.name(head.name);
            return Err(format!(
                "a rule for `{name}` has {} variables; at most {} can be handled",
                clause.vars.len(),
                MOST_VARS / 2 - 1
            ));
        }
        let mut reader = Reader { program, bank };
        let pats = head.args.iter().map(|arg| reader.pat(arg)).collect();
        let mut body = Vec::new();
        clause.body.iter().for_each(|literal| reader.literal(literal, false, &mut body));
        let clause = Clause { head: pats, body, vars: clause.vars.len() as u16 };
        let clauses = evened(clause).ok_or_else(|| {
            let name = rules.symbols.name(head.name);
            format!("the `or`s of a rule for `{name}` stand for more than {MOST_ALTERNATIVES} alternatives")
        })?;
        bytes += clauses.iter().map(Clause::bytes).sum::<usize>();
        budget.hold_now(bytes)?;
        relations[rel as usize].clauses.extend(clauses);
    }
    split_facts(&mut relations);
    budget.heard()?;
    set_components(&mut relations);
    budget.heard()?;
    split_recursion(&mut relations);
    budget.heard()?;
    Ok(relations)
}

struct Reader<'a> {
    program: &'a Program,
    bank: &'a mut Bank,
}

impl Reader<'_> {
    fn pat(&mut self, term: &Term) -> Pat {
        Pat::of(term, self.bank)
    }

    /// Adds the conditions that a literal stands for.
    fn literal(&mut self, literal: &Literal, negated: bool, out: &mut Vec<Cond>) {
        match literal {
            Literal::Is(atom) => {
                let mut args: Vec<Pat> = atom.args.iter().map(|arg| self.pat(arg)).collect();
                out.push(match (atom.name, args.len()) {
                    (Symbol::TRUE, 1) => Cond::Fact { pat: args.remove(0), negated },
                    (Symbol::DOES, 2) => Cond::Does { mv: args.remove(1), role: args.remove(0), negated },
                    (name, arity) => match self.program.relation(name, arity) {
                        Some(rel) => Cond::Rel { rel, args, negated },
                        // Every relation of a body has a number; one without could not hold.
                        None => Cond::Any { branches: Vec::new(), negated },
                    },
                });
            }
            Literal::Distinct(a, b, _) => out.push(Cond::Distinct { a: self.pat(a), b: self.pat(b), negated }),
            Literal::Not(inner, _) if matches!(**inner, Literal::Is(_) | Literal::Distinct(..)) && !negated => {
                self.literal(inner, true, out);
            }
            Literal::Not(inner, _) => {
                let mut branch = Vec::new();
                self.literal(inner, false, &mut branch);
                out.push(Cond::Any { branches: vec![branch], negated: true });
            }
            Literal::And(parts, _) => parts.iter().for_each(|part| self.literal(part, negated, out)),
            Literal::Or(parts, _) => {
                let branches = parts.iter().map(|part| {
                    let mut branch = Vec::new();
                    self.literal(part, false, &mut branch);
                    branch
                });
                out.push(Cond::Any { branches: branches.collect(), negated });
            }
        }
    }
}

impl Cond {
    /// Calls `f` with each pattern of the condition.
    pub fn for_each_pat<'a>(&'a self, f: &mut dyn FnMut(&'a Pat)) {
        match self {
            Cond::Rel { args, .. } => args.iter().for_each(f),
            Cond::Fact { pat, .. } => f(pat),
            Cond::Does { role: a, mv: b, .. } | Cond::Distinct { a, b, .. } => {
                f(a);
                f(b);
            }
            Cond::Any { branches, .. } => branches.iter().flatten().for_each(|cond| cond.for_each_pat(f)),
        }
    }

    /// The condition with every pattern replaced.
    pub fn map(&self, f: &dyn Fn(&Pat) -> Pat) -> Cond {
        match self {
            Cond::Rel { rel, args, negated } => {
                Cond::Rel { rel: *rel, args: args.iter().map(f).collect(), negated: *negated }
            }
            Cond::Fact { pat, negated } => Cond::Fact { pat: f(pat), negated: *negated },
            Cond::Does { role, mv, negated } => Cond::Does { role: f(role), mv: f(mv), negated: *negated },
            Cond::Distinct { a, b, negated } => Cond::Distinct { a: f(a), b: f(b), negated: *negated },
            Cond::Any { branches, negated } => Cond::Any {
                branches: branches.iter().map(|branch| branch.iter().map(|cond| cond.map(f)).collect()).collect(),
                negated: *negated,
            },
        }
    }

    pub fn vars(&self) -> Vars {
        let mut vars = Vars::default();
        self.for_each_pat(&mut |pat| vars = vars.or(pat_vars(pat)));
        vars
    }

    /// The variables that are surely bound once the condition holds.
    pub fn binds(&self) -> Vars {
        match self {
            Cond::Rel { negated: false, .. }
            | Cond::Fact { negated: false, .. }
            | Cond::Does { negated: false, .. } => self.vars(),
            Cond::Any { branches, negated: false } => {
                branches.iter().map(|branch| binds_of(branch)).reduce(Vars::and).unwrap_or_default()
            }
            Cond::Rel { negated: true, .. }
            | Cond::Fact { negated: true, .. }
            | Cond::Does { negated: true, .. }
            | Cond::Any { negated: true, .. }
            | Cond::Distinct { .. } => Vars::default(),
        }
    }

    /// The variables that should be bound before the condition is tried, if anything else can bind them.
    pub fn needs(&self) -> Vars {
        match self {
            Cond::Rel { negated: false, .. }
            | Cond::Fact { negated: false, .. }
            | Cond::Does { negated: false, .. } => Vars::default(),
            Cond::Any { branches, negated: false } => {
                let all = self.binds();
                let needs = branches.iter().map(|branch| {
                    let (binds, needs) = (binds_of(branch), branch.iter().map(Cond::needs).collect::<Vars>());
                    needs.without(binds).or(binds.without(all))
                });
                needs.collect()
            }
            Cond::Rel { negated: true, .. }
            | Cond::Fact { negated: true, .. }
            | Cond::Does { negated: true, .. }
            | Cond::Any { negated: true, .. }
            | Cond::Distinct { .. } => self.vars(),
        }
    }

    /// Calls `f` with the relation of each sentence in it.
    pub fn for_each_rel(&self, f: &mut dyn FnMut(Rel)) {
        match self {
            Cond::Rel { rel, .. } => f(*rel),
            Cond::Any { branches, .. } => branches.iter().flatten().for_each(|cond| cond.for_each_rel(f)),
            Cond::Fact { .. } | Cond::Does { .. } | Cond::Distinct { .. } => {}
        }
    }
}

/// The variables that are surely bound once all conditions hold.
pub(super) fn binds_of(conds: &[Cond]) -> Vars {
    conds.iter().map(Cond::binds).collect()
}

pub(super) fn pat_vars(pat: &Pat) -> Vars {
    match pat {
        Pat::Ground(_) => Vars::default(),
        Pat::Var(var) => {
            let mut vars = Vars::default();
            vars.insert(*var);
            vars
        }
        Pat::Call(_, args) => vars_of(args),
    }
}

pub(super) fn vars_of(pats: &[Pat]) -> Vars {
    pats.iter().map(pat_vars).collect()
}

/// The clauses that a clause stands for when an `or` whose alternatives bind different variables is taken apart, as
/// far as these variables matter outside of it; `None` if they are too many.
fn evened(clause: Clause) -> Option<Vec<Clause>> {
    let (mut open, mut done) = (vec![clause], Vec::new());
    while let Some(clause) = open.pop() {
        if open.len() + done.len() > MOST_ALTERNATIVES {
            return None;
        }
        let Some(at) = (0..clause.body.len()).find(|&at| is_uneven(&clause, at)) else {
            done.push(clause);
            continue;
        };
        let Cond::Any { branches, .. } = &clause.body[at] else { continue };
        for branch in branches.iter().rev() {
            let mut body = clause.body.clone();
            body.splice(at..=at, branch.iter().cloned());
            open.push(Clause { head: clause.head.clone(), body, vars: clause.vars });
        }
    }
    Some(done)
}

fn is_uneven(clause: &Clause, at: usize) -> bool {
    let Cond::Any { branches, negated: false } = &clause.body[at] else { return false };
    let others = || clause.body.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, cond)| cond);
    let outside = others().map(Cond::vars).fold(vars_of(&clause.head), Vars::or);
    let outside = others().map(Cond::binds).fold(outside, Vars::without);
    let mut sets = branches.iter().map(|branch| binds_of(branch).and(outside));
    let first = sets.next().unwrap_or_default();
    sets.any(|set| set != first)
}

/// Gives the ground facts of relations that have rules too a relation of their own.
fn split_facts(relations: &mut Vec<Relation>) {
    for rel in 0..relations.len() {
        let relation = &mut relations[rel];
        if relation.facts.is_empty() || relation.clauses.is_empty() || relation.reach == Reach::Fixed {
            continue;
        }
        let facts = std::mem::take(&mut relation.facts);
        let (name, arity) = (relation.name, relation.arity);
        let args: Vec<Pat> = (0..arity as u16).map(Pat::Var).collect();
        let body = vec![Cond::Rel { rel: relations.len() as Rel, args: args.clone(), negated: false }];
        relations[rel].clauses.insert(0, Clause { head: args, body, vars: arity as u16 });
        relations.push(Relation {
            name,
            arity,
            reach: Reach::Fixed,
            recursive: false,
            component: 0,
            facts,
            clauses: Vec::new(),
        });
    }
}

fn set_components(relations: &mut [Relation]) {
    let mut graph = vec![Vec::new(); relations.len()];
    for (edges, relation) in graph.iter_mut().zip(&*relations) {
        for cond in relation.clauses.iter().flat_map(|clause| &clause.body) {
            cond.for_each_rel(&mut |to| edges.push(to));
        }
    }
    let found = components(&graph);
    for (relation, &component) in relations.iter_mut().zip(&found.of) {
        relation.component = component;
        relation.recursive = found.cyclic[component as usize];
    }
}

/// Makes alternatives that lead back to the relation of their clause a relation of their own.
fn split_recursion(relations: &mut Vec<Relation>) {
    let mut rel = 0;
    // The relations made here are looked at too: alternatives can be nested.
    while rel < relations.len() {
        if !relations[rel].recursive {
            rel += 1;
            continue;
        }
        let mut clauses = std::mem::take(&mut relations[rel].clauses);
        for clause in &mut clauses {
            for at in 0..clause.body.len() {
                split_condition(relations, rel, clause, at);
            }
        }
        relations[rel].clauses = clauses;
        rel += 1;
    }
}

fn split_condition(relations: &mut Vec<Relation>, rel: usize, clause: &mut Clause, at: usize) {
    let component = relations[rel].component;
    let mut leads_back = false;
    clause.body[at].for_each_rel(&mut |to| leads_back |= relations[to as usize].component == component);
    let Cond::Any { branches, negated } = &clause.body[at] else { return };
    if !leads_back {
        return;
    }
    let others = clause.body.iter().enumerate().filter(|(other, _)| *other != at);
    let outside = others.map(|(_, cond)| cond.vars()).fold(vars_of(&clause.head), Vars::or);
    let args: Vec<Pat> = clause.body[at].vars().and(outside).iter().map(Pat::Var).collect();
    let clauses = branches.iter().map(|body| Clause { head: args.clone(), body: body.clone(), vars: clause.vars });
    let made = Relation {
        name: relations[rel].name,
        arity: args.len(),
        reach: relations[rel].reach,
        recursive: true,
        component,
        facts: Vec::new(),
        clauses: clauses.collect(),
    };
    let negated = *negated;
    relations.push(made);
    clause.body[at] = Cond::Rel { rel: relations.len() as Rel - 1, args, negated };
}
