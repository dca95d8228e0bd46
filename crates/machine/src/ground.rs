//! Grounding: rules with variables to gates without.
//!
//! First the atoms that can ever be true are found: from the initial facts through `legal`, `does` and `next`, by
//! semi-naive joins in which a negated condition counts as possible. Only relations that `legal` and `next` lead to
//! without negation matter there. Then every relation is turned into gates, relation after relation in the order of
//! their dependence, so that whatever is constant or equal to something else is known before it is used.
//!
//! Conditions that never change are settled here and leave no trace in the net. Work and memory are bounded: rules
//! that would take too much are [`Unfit`], an ordinary answer.

mod circle;
mod factor;
mod join;
mod plain;
mod possible;
mod rows;
mod rule;

use crate::bank::Id;
use crate::budget::Budget;
use crate::gates::{Gates, Lit};
use crate::graph::components;
use crate::program::{Pat, Rel};
use crate::prover::Prover;
use game::{Game, Limit};
use gdl::{Rules, Symbol};
use join::Join;
use rows::Rows;
use rule::{Reader, Rule, Sentence, has_local_negation};

/// Why rules are not turned into a net.
#[derive(Clone, Debug)]
pub struct Unfit {
    /// In words.
    pub reason: String,
}

impl Unfit {
    pub(crate) fn new(reason: impl Into<String>) -> Unfit {
        Unfit { reason: reason.into() }
    }
}

impl From<Limit> for Unfit {
    fn from(limit: Limit) -> Unfit {
        Unfit::new(limit.to_string())
    }
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Unfit {}

/// A game without variables.
pub(crate) struct Ground {
    pub gates: Gates,
    /// The facts that can be true; input `i` of the net is fact `i`.
    pub facts: Vec<Id>,
    /// The facts true at the start.
    pub start: Vec<bool>,
    /// What each fact becomes.
    pub next: Vec<Lit>,
    /// The moves that can be made, role by role: the role, the move, when it is legal. Input `facts.len() + j` is move `j`.
    pub moves: Vec<(u8, Id, Lit)>,
    pub terminal: Lit,
    /// Goals: role, value as written in the rules, when.
    pub goals: Vec<(u8, Id, Lit)>,
    /// Ground rules that were found.
    pub instances: u64,
}

/// Fixed relations with more steps of work than this to list are asked instead.
const IMPORT_WORK: u64 = 20_000_000;

/// Turns rules into gates.
pub(crate) fn ground(rules: &Rules, prover: &Prover, mut budget: Budget) -> Result<(Ground, Budget), Unfit> {
    budget.heard()?;
    if let Some(clause) = rules.clauses.iter().find(|clause| has_local_negation(clause)) {
        let name = rules.symbols.name(clause.head.name);
        return Err(Unfit::new(format!("a rule for `{name}` denies a composed condition with variables of its own")));
    }
    let program = prover.program();
    let mut view = prover.view();
    let count = program.relations.len() as Rel;
    let (rel_true, rel_does) = (count, count + 1);
    let mut found = {
        let mut bank = prover.shared_bank();
        Reader { program, bank: &mut bank, rel_true, rel_does, budget: &mut budget, bytes: 0 }.read(rules)?
    };
    prover.catch_up(&mut view);
    let count = factor::narrow(&mut found, count + 2, &mut budget)?;
    let (found, count) = factor::factor(found, count, &mut budget)?;
    let relations = Relations {
        legal: program.relation(Symbol::LEGAL, 2),
        next: program.relation(Symbol::NEXT, 1),
        terminal: program.relation(Symbol::TERMINAL, 0),
        goal: program.relation(Symbol::GOAL, 2),
        rel_true,
        rel_does,
    };
    let pivots = pivots(&found, &relations, count as usize);
    check_widths(&found)?;
    let join = Join {
        prover,
        view,
        rows: Rows::new(pivots),
        complete: vec![false; count as usize],
        slots: Vec::new(),
        lits: Vec::new(),
        budget,
        columns: Vec::new(),
        head: Vec::new(),
    };
    let mut by_head = vec![Vec::new(); count as usize];
    found.iter().zip(0..).for_each(|(rule, number)| by_head[rule.head.rel as usize].push(number));
    let mut grounder = Grounder {
        join,
        rules: found,
        relations,
        gates: Gates::new(),
        instances: 0,
        chain: Vec::new(),
        heads: Vec::new(),
        inside: vec![false; count as usize],
        by_head,
    };
    grounder.import_fixed()?;
    grounder.find_possible()?;
    grounder.make_inputs();
    grounder.build()?;
    grounder.outputs()
}

/// The relations with a meaning of their own.
struct Relations {
    legal: Option<Rel>,
    next: Option<Rel>,
    terminal: Option<Rel>,
    goal: Option<Rel>,
    rel_true: Rel,
    rel_does: Rel,
}

/// For each relation the argument that is a function somewhere.
fn pivots(rules: &[Rule], relations: &Relations, count: usize) -> Vec<Option<usize>> {
    let mut pivots = vec![None; count];
    let mut note = |sentence: &Sentence| {
        if let Some(slot) = pivots.get_mut(sentence.rel as usize)
            && slot.is_none()
        {
            *slot = sentence.args.iter().position(|arg| matches!(arg, Pat::Call(..)));
        }
    };
    for rule in rules {
        note(&rule.head);
        rule.holds.iter().chain(&rule.fails).chain(rule.fixed.iter().map(|(s, _)| s)).for_each(&mut note);
    }
    for (rel, pivot) in [(relations.next, 0), (relations.legal, 1), (relations.goal, 1)] {
        if let Some(rel) = rel {
            pivots[rel as usize] = Some(pivot);
        }
    }
    pivots[relations.rel_true as usize] = Some(0);
    pivots[relations.rel_does as usize] = Some(1);
    pivots
}

/// Flattened rows must have less columns than a word has bits.
fn check_widths(rules: &[Rule]) -> Result<(), Unfit> {
    fn widest(pat: &Pat) -> usize {
        match pat {
            Pat::Call(_, args) => args.len().max(args.iter().map(widest).max().unwrap_or(0)),
            _ => 0,
        }
    }
    let sentences = rules.iter().flat_map(|rule| {
        rule.holds.iter().chain(&rule.fails).chain(rule.fixed.iter().map(|(s, _)| s)).chain([&rule.head])
    });
    let (mut arity, mut inner) = (0, 8);
    for sentence in sentences {
        arity = arity.max(sentence.args.len());
        inner = sentence.args.iter().map(widest).fold(inner, usize::max);
    }
    if arity + inner > 62 { Err(Unfit::new("relations or functions have too many arguments")) } else { Ok(()) }
}

struct Grounder<'a> {
    join: Join<'a>,
    rules: Vec<Rule>,
    relations: Relations,
    gates: Gates,
    instances: u64,
    /// The gates found for each row, chained: gate, then the place of the one before (from 1).
    chain: Vec<(Lit, u32)>,
    /// For each group the last entry of the chain of each row; empty between relations.
    heads: Vec<Vec<u32>>,
    /// The relations of the circle at hand.
    inside: Vec<bool>,
    /// The rules of each relation.
    by_head: Vec<Vec<u32>>,
}

fn check_memory(join: &mut Join<'_>, gates: &Gates, more: usize) -> Result<(), Unfit> {
    let Join { budget, rows, .. } = join;
    Ok(budget.hold(rows.groups.len(), || rows.bytes() + gates.bytes() + more)?)
}

impl Grounder<'_> {
    /// Lists the fixed relations that rules use.
    fn import_fixed(&mut self) -> Result<(), Unfit> {
        let mut wanted: Vec<Rel> = self.rules.iter().flat_map(|rule| rule.fixed.iter().map(|(s, _)| s.rel)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        for rel in wanted {
            self.join.import(rel, IMPORT_WORK)?;
            check_memory(&mut self.join, &self.gates, 0)?;
        }
        Ok(())
    }

    /// Facts and moves that are possible become inputs.
    fn make_inputs(&mut self) {
        let mut number = 0;
        for rel in [self.relations.rel_true, self.relations.rel_does] {
            for group in self.join.rows.list(rel).to_vec() {
                let group = &mut self.join.rows.groups[group as usize];
                for row in 0..group.len() as u32 {
                    group.set_lit(row, self.gates.input(number));
                    number += 1;
                }
            }
        }
    }

    /// Turns relation after relation into gates.
    fn build(&mut self) -> Result<(), Unfit> {
        let count = self.join.complete.len();
        let mut graph: Vec<Vec<u32>> = vec![Vec::new(); count];
        for rule in &self.rules {
            graph[rule.head.rel as usize].extend(rule.holds.iter().chain(&rule.fails).map(|sentence| sentence.rel));
        }
        graph.iter_mut().for_each(|edges| {
            edges.sort_unstable();
            edges.dedup();
        });
        let needed = self.needed(&graph);
        let parts = components(&graph);
        let mut order: Vec<(u32, Rel)> =
            (0..count as Rel).filter(|&rel| needed[rel as usize]).map(|rel| (parts.of[rel as usize], rel)).collect();
        order.sort_unstable();
        let rules = std::mem::take(&mut self.rules);
        for part in order.chunk_by(|a, b| a.0 == b.0) {
            self.join.budget.spend(1)?;
            let members: Vec<Rel> = part.iter().map(|&(_, rel)| rel).collect();
            if members.contains(&self.relations.rel_true) || members.contains(&self.relations.rel_does) {
                continue;
            }
            members.iter().for_each(|&rel| self.join.rows.clear(rel));
            match parts.cyclic[part[0].0 as usize] {
                false => self.build_plain(&rules, members[0])?,
                true => self.build_circle(&rules, &members)?,
            }
        }
        self.rules = rules;
        Ok(())
    }

    /// The relations that the outputs lead to.
    fn needed(&self, graph: &[Vec<u32>]) -> Vec<bool> {
        let mut needed = vec![false; graph.len()];
        let r = &self.relations;
        let mut todo: Vec<Rel> = [r.legal, r.next, r.terminal, r.goal].into_iter().flatten().collect();
        while let Some(rel) = todo.pop() {
            if !std::mem::replace(&mut needed[rel as usize], true) {
                todo.extend(&graph[rel as usize]);
            }
        }
        needed
    }

    fn outputs(mut self) -> Result<(Ground, Budget), Unfit> {
        let r = &self.relations;
        let mut args = Vec::new();
        let facts = atoms(&self.join, r.rel_true, &mut args, |args| args[0]);
        let start_ids = self.join.prover.start_ids();
        let start = facts.iter().map(|fact| start_ids.binary_search(fact).is_ok()).collect();
        let mut next = Vec::with_capacity(facts.len());
        for &fact in &facts {
            let Join { rows, view, columns, .. } = &mut self.join;
            let found = r.next.and_then(|rel| rows.find(rel, &[fact], &view.bank, columns));
            next.push(found.map_or(Lit::FALSE, |(group, row)| rows.groups[group as usize].lit(row)));
        }
        let roles = self.join.prover.role_ids();
        let role = |id: Id| roles.iter().position(|&role| role == id).map(|at| at as u8);
        let mut moves = Vec::new();
        for (who, mv) in atoms(&self.join, r.rel_does, &mut args, |args| (args[0], args[1])) {
            let Join { rows, view, columns, .. } = &mut self.join;
            let found = r.legal.and_then(|rel| rows.find(rel, &[who, mv], &view.bank, columns));
            let lit = found.map_or(Lit::FALSE, |(group, row)| rows.groups[group as usize].lit(row));
            // A move of somebody who is no role keeps its place among the inputs, but is never made.
            moves.push(match role(who) {
                Some(role) => (role, mv, lit),
                None => (0, mv, Lit::FALSE),
            });
        }
        let mut goals = Vec::new();
        let mut terminal = Lit::FALSE;
        if let Some(rel) = r.goal {
            let found = atoms(&self.join, rel, &mut args, |args| (args[0], args[1]));
            let groups = self.join.rows.list(rel).iter().map(|&group| &self.join.rows.groups[group as usize]);
            let lits = groups.flat_map(|group| (0..group.len() as u32).map(|row| group.lit(row)));
            goals =
                found.into_iter().zip(lits).filter_map(|((who, value), lit)| Some((role(who)?, value, lit))).collect();
        }
        if let Some(rel) = r.terminal {
            let Join { rows, view, columns, .. } = &mut self.join;
            if let Some((group, row)) = rows.find(rel, &[], &view.bank, columns) {
                terminal = rows.groups[group as usize].lit(row);
            }
        }
        let instances = self.instances;
        let found = Ground { gates: self.gates, facts, start, next, moves, terminal, goals, instances };
        Ok((found, self.join.budget))
    }
}

/// The atoms of a relation, in the order of its groups and rows.
fn atoms<T>(join: &Join<'_>, rel: Rel, args: &mut Vec<Id>, take: impl Fn(&[Id]) -> T) -> Vec<T> {
    let mut out = Vec::new();
    for &group in join.rows.list(rel) {
        for row in 0..join.rows.groups[group as usize].len() as u32 {
            join.rows.args(rel, group, row, args);
            out.push(take(args));
        }
    }
    out
}
