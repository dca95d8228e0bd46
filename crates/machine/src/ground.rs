//! Grounding: rules with variables to gates without.
//!
//! First the atoms that can ever be true are found: from the initial facts through `legal`, `does` and `next`, by
//! semi-naive joins in which a negated condition counts as possible. Only relations that `legal` and `next` lead to
//! without negation matter there. Then every relation is turned into gates, relation after relation in the order of
//! their dependence, so that whatever is constant or equal to something else is known before it is used.
//!
//! Conditions that never change are settled here and leave no trace in the net. Work and memory are bounded: rules
//! that would take too much are [`Unfit`], an ordinary answer.

mod factor;
mod join;
mod rows;
mod rule;

use crate::bank::Id;
use crate::gates::{Gates, Lit};
use crate::graph::components;
use crate::program::{Pat, Rel};
use crate::prover::Prover;
use game::{Cancel, Game, Limit};
use gdl::{Rules, Symbol};
use join::{Join, Range, Sink};
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

/// What grounding may spend.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Steps of joining.
    pub work: u64,
    /// Bytes.
    pub memory: usize,
    /// When this is cancelled, grounding ends.
    pub cancel: Cancel,
    spent: u64,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::new(100_000_000, 1400 << 20)
    }
}

impl Budget {
    /// So many steps, so many bytes.
    pub fn new(work: u64, memory: usize) -> Budget {
        Budget { work, memory, cancel: Cancel::new(), spent: 0 }
    }

    #[inline]
    fn spend(&mut self, steps: u64) -> Result<(), Unfit> {
        self.spent += steps;
        if self.spent > self.work {
            return Err(Unfit::new("grounding would take more work than allowed"));
        }
        if self.spent & 0xffff < steps && self.cancel.is_cancelled() {
            return Err(Unfit::new("grounding was stopped"));
        }
        Ok(())
    }

    fn left(&self) -> u64 {
        self.work - self.spent.min(self.work)
    }
}

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
pub(crate) fn ground(rules: &Rules, prover: &Prover, budget: Budget) -> Result<Ground, Unfit> {
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
        Reader { program, bank: &mut bank, rel_true, rel_does }.read(rules)?
    };
    prover.catch_up(&mut view);
    let count = factor::narrow(&mut found, count + 2);
    let (found, count) = factor::factor(found, count);
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
    let mut grounder = Grounder { join, rules: found, relations, gates: Gates::new(), instances: 0, chain: Vec::new() };
    grounder.import_fixed();
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
}

/// Adds every head that is new, and nothing else.
struct Possible<'r> {
    relations: &'r Relations,
    added: usize,
}

impl Sink for Possible<'_> {
    const ONLY_NEW: bool = true;
    fn found(&mut self, join: &mut Join<'_>, rule: &Rule) -> Result<(), Unfit> {
        join.head(&rule.head)?;
        let Join { rows, view, columns, head, .. } = join;
        rows.add(rule.head.rel, head, Lit::TRUE, &view.bank, columns);
        let follows = match Some(rule.head.rel) {
            rel if rel == self.relations.next => Some(self.relations.rel_true),
            rel if rel == self.relations.legal => Some(self.relations.rel_does),
            _ => None,
        };
        if let Some(rel) = follows {
            rows.add(rel, head, Lit::TRUE, &view.bank, columns);
        }
        self.added += 1;
        if self.added & 0xfffff == 0 { check_memory(join, &Gates::new(), 0) } else { Ok(()) }
    }
}

/// Collects the gates of each head.
struct Collect<'g> {
    gates: &'g mut Gates,
    chain: &'g mut Vec<(Lit, u32)>,
    /// For each group the last entry of the chain of each row.
    heads: Vec<Vec<u32>>,
    /// The last head: relation, arguments, group and row.
    last: (Rel, Vec<Id>, (u32, u32)),
    instances: &'g mut u64,
    fails: Vec<Lit>,
}

impl Sink for Collect<'_> {
    const ONLY_NEW: bool = false;
    fn found(&mut self, join: &mut Join<'_>, rule: &Rule) -> Result<(), Unfit> {
        *self.instances += 1;
        let before = join.lits.len();
        for sentence in &rule.fails {
            self.fails.clear();
            join.matching(sentence, &mut self.fails)?;
            join.lits.extend(self.fails.iter().map(|lit| lit.not()));
        }
        let lit = match join.lits[..] {
            [only] => only,
            _ => self.gates.and(&join.lits),
        };
        join.lits.truncate(before);
        if lit == Lit::FALSE {
            return Ok(());
        }
        join.head(&rule.head)?;
        let Join { rows, view, columns, head, .. } = join;
        // Ways that lead to the same head often follow each other.
        let (group, row) = match &self.last {
            (rel, last, place) if *rel == rule.head.rel && last == head => *place,
            _ => {
                let (group, row, _) = rows.add(rule.head.rel, head, Lit::FALSE, &view.bank, columns);
                self.last.0 = rule.head.rel;
                self.last.1.clone_from(head);
                self.last.2 = (group, row);
                (group, row)
            }
        };
        if self.heads.len() <= group as usize {
            self.heads.resize(group as usize + 1, Vec::new());
        }
        let heads = &mut self.heads[group as usize];
        if heads.len() <= row as usize {
            heads.resize(row as usize + 1, 0);
        }
        let last = &mut heads[row as usize];
        // The same gate twice in a row is common when a variable matters to nothing.
        if *last != 0 && self.chain[*last as usize - 1].0 == lit {
            return Ok(());
        }
        self.chain.push((lit, *last));
        *last = self.chain.len() as u32;
        if self.chain.len() & 0xfffff == 0 {
            check_memory(join, self.gates, self.chain.len() * 8)?;
        }
        Ok(())
    }
}

fn check_memory(join: &Join<'_>, gates: &Gates, more: usize) -> Result<(), Unfit> {
    if join.rows.bytes() + gates.bytes() + more > join.budget.memory {
        return Err(Unfit::new("the ground rules would take more memory than allowed"));
    }
    Ok(())
}

/// Collects ground rules among relations that depend on each other, with an open gate for each head.
struct Circle<'g> {
    gates: &'g mut Gates,
    inside: &'g [bool],
    instances: &'g mut u64,
    /// Ground rules: head gate, end of its conditions in `lits`.
    found: Vec<(u32, u32)>,
    lits: Vec<Lit>,
    fails: Vec<Lit>,
}

impl Sink for Circle<'_> {
    const ONLY_NEW: bool = false;
    fn found(&mut self, join: &mut Join<'_>, rule: &Rule) -> Result<(), Unfit> {
        *self.instances += 1;
        let start = self.lits.len();
        self.lits.extend_from_slice(&join.lits);
        for sentence in &rule.fails {
            self.fails.clear();
            if self.inside.get(sentence.rel as usize) == Some(&true) {
                // What is denied inside the circle must have a gate, though it may turn out to be never true.
                join.head(sentence)?;
                let gate = self.gate_of(join, sentence.rel);
                self.fails.push(gate);
            } else {
                join.matching(sentence, &mut self.fails)?;
            }
            self.lits.extend(self.fails.iter().map(|lit| lit.not()));
        }
        if self.lits[start..].contains(&Lit::FALSE) {
            self.lits.truncate(start);
            return Ok(());
        }
        join.head(&rule.head)?;
        let head = self.gate_of(join, rule.head.rel);
        self.found.push((head.gate(), self.lits.len() as u32));
        if self.found.len() & 0xfffff == 0 {
            check_memory(join, self.gates, self.found.len() * 8 + self.lits.len() * 4)?;
        }
        Ok(())
    }
}

impl Circle<'_> {
    /// The gate of the atom whose arguments `join.head` has; an open one if it is new.
    fn gate_of(&mut self, join: &mut Join<'_>, rel: Rel) -> Lit {
        let Join { rows, view, columns, head, .. } = join;
        let (group, row, new) = rows.add(rel, head, Lit::FALSE, &view.bank, columns);
        let group = &mut rows.groups[group as usize];
        if new {
            group.set_lit(row, self.gates.open());
        }
        group.lit(row)
    }
}

impl Grounder<'_> {
    /// Lists the fixed relations that rules use.
    fn import_fixed(&mut self) {
        let mut wanted: Vec<Rel> = self.rules.iter().flat_map(|rule| rule.fixed.iter().map(|(s, _)| s.rel)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        for rel in wanted {
            self.join.import(rel, IMPORT_WORK);
        }
    }

    /// The rules that matter for what is possible: those that `legal` and `next` lead to without negation.
    fn positive_rules(&self) -> Vec<usize> {
        let mut wanted = vec![false; self.join.complete.len()];
        let mut todo: Vec<Rel> = self.relations.legal.into_iter().chain(self.relations.next).collect();
        while let Some(rel) = todo.pop() {
            if std::mem::replace(&mut wanted[rel as usize], true) {
                continue;
            }
            for rule in self.rules.iter().filter(|rule| rule.head.rel == rel) {
                todo.extend(rule.holds.iter().map(|sentence| sentence.rel));
            }
        }
        (0..self.rules.len()).filter(|&rule| wanted[self.rules[rule].head.rel as usize]).collect()
    }

    fn find_possible(&mut self) -> Result<(), Unfit> {
        for &fact in self.join.prover.start_ids() {
            let Join { rows, view, columns, .. } = &mut self.join;
            rows.add(self.relations.rel_true, &[fact], Lit::TRUE, &view.bank, columns);
        }
        let chosen = self.positive_rules();
        let rules = &self.rules;
        let mut sink = Possible { relations: &self.relations, added: 0 };
        let join = &mut self.join;
        for &rule in chosen.iter().filter(|&&rule| rules[rule].holds.is_empty()) {
            let plan = join.plan(&rules[rule], None, &|_| Range::All, true)?;
            join.run(&rules[rule], &plan, &mut sink)?;
        }
        loop {
            let mut new = false;
            for group in &mut join.rows.groups {
                group.now = group.len() as u32;
                new |= group.old < group.now;
            }
            if !new {
                return Ok(());
            }
            for &rule in &chosen {
                rounds(join, &rules[rule], &|_| true, &mut sink)?;
            }
            check_memory(join, &self.gates, 0)?;
            join.rows.groups.iter_mut().for_each(|group| group.old = group.now);
        }
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

    fn build_plain(&mut self, rules: &[Rule], rel: Rel) -> Result<(), Unfit> {
        self.chain.clear();
        let mut sink = Collect {
            gates: &mut self.gates,
            chain: &mut self.chain,
            heads: Vec::new(),
            last: (Rel::MAX, Vec::new(), (0, 0)),
            instances: &mut self.instances,
            fails: Vec::new(),
        };
        for rule in rules.iter().filter(|rule| rule.head.rel == rel) {
            let plan = self.join.plan(rule, None, &|_| Range::All, false)?;
            self.join.run(rule, &plan, &mut sink)?;
        }
        let heads = sink.heads;
        let mut inputs = Vec::new();
        for &group in self.join.rows.list(rel).to_vec().iter() {
            let Some(heads) = heads.get(group as usize) else { continue };
            for (row, &last) in heads.iter().enumerate() {
                inputs.clear();
                let mut at = last;
                while at != 0 {
                    let (lit, before) = self.chain[at as usize - 1];
                    inputs.push(lit);
                    at = before;
                }
                self.join.rows.groups[group as usize].set_lit(row as u32, self.gates.or(&inputs));
            }
        }
        check_memory(&self.join, &self.gates, 0)
    }

    fn build_circle(&mut self, rules: &[Rule], members: &[Rel]) -> Result<(), Unfit> {
        let mut inside = vec![false; self.join.complete.len()];
        members.iter().for_each(|&rel| inside[rel as usize] = true);
        let first_open = self.gates.len() as u32;
        let mut sink = Circle {
            gates: &mut self.gates,
            inside: &inside,
            instances: &mut self.instances,
            found: Vec::new(),
            lits: Vec::new(),
            fails: Vec::new(),
        };
        let join = &mut self.join;
        let is_inside = |sentence: &Sentence| inside[sentence.rel as usize];
        let own: Vec<&Rule> = rules.iter().filter(|rule| inside[rule.head.rel as usize]).collect();
        for rule in own.iter().filter(|rule| !rule.holds.iter().any(is_inside)) {
            let plan = join.plan(rule, None, &|_| Range::All, false)?;
            join.run(rule, &plan, &mut sink)?;
        }
        let groups =
            |join: &Join<'_>| -> Vec<u32> { members.iter().flat_map(|&rel| join.rows.list(rel).to_vec()).collect() };
        loop {
            let mut new = false;
            for group in groups(join) {
                let group = &mut join.rows.groups[group as usize];
                group.now = group.len() as u32;
                new |= group.old < group.now;
            }
            if !new {
                break;
            }
            for rule in &own {
                rounds(join, rule, &is_inside, &mut sink)?;
            }
            for group in groups(join) {
                let group = &mut join.rows.groups[group as usize];
                group.old = group.now;
            }
        }
        let (found, lits) = (sink.found, sink.lits);
        self.close_circle(first_open, &found, &lits, members)
    }

    /// Gives the open gates their inputs. Most of them turn out not to depend on themselves: those become ordinary
    /// gates, in the order of their dependence.
    fn close_circle(&mut self, first: u32, found: &[(u32, u32)], lits: &[Lit], members: &[Rel]) -> Result<(), Unfit> {
        let count = self.gates.len() as u32 - first;
        let mut of_head: Vec<Vec<u32>> = vec![Vec::new(); count as usize];
        for (number, &(head, _)) in found.iter().enumerate() {
            of_head[(head - first) as usize].push(number as u32);
        }
        let conditions = |number: u32| {
            let start = if number == 0 { 0 } else { found[number as usize - 1].1 };
            &lits[start as usize..found[number as usize].1 as usize]
        };
        let graph: Vec<Vec<u32>> = of_head
            .iter()
            .map(|rules| {
                let all = rules.iter().flat_map(|&number| conditions(number));
                all.filter(|lit| lit.gate() >= first).map(|lit| lit.gate() - first).collect()
            })
            .collect();
        let parts = components(&graph);
        let mut order: Vec<(u32, u32)> = parts.of.iter().copied().zip(0..).collect();
        order.sort_unstable();
        let mut value: Vec<Lit> = (0..count).map(|open| Lit::of(first + open)).collect();
        let (mut and, mut or) = (Vec::new(), Vec::new());
        for &(part, open) in &order {
            let cyclic = parts.cyclic[part as usize];
            or.clear();
            for &number in &of_head[open as usize] {
                and.clear();
                for &lit in conditions(number) {
                    let inside = lit.gate() >= first;
                    if inside && cyclic && lit.negated() && parts.of[(lit.gate() - first) as usize] == part {
                        return Err(Unfit::new("the rules deny what they rest on"));
                    }
                    and.push(if inside { value[(lit.gate() - first) as usize].flip(lit.negated()) } else { lit });
                }
                or.push(self.gates.and(&and));
            }
            if cyclic {
                self.gates.close(first + open, &or);
            } else {
                value[open as usize] = self.gates.or(&or);
            }
        }
        for &rel in members {
            for group in self.join.rows.list(rel).to_vec() {
                let group = &mut self.join.rows.groups[group as usize];
                for row in 0..group.len() as u32 {
                    let gate = group.lit(row).gate();
                    if gate >= first && gate < first + count {
                        group.set_lit(row, value[(gate - first) as usize]);
                    }
                }
            }
        }
        check_memory(&self.join, &self.gates, 0)
    }

    fn outputs(mut self) -> Result<Ground, Unfit> {
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
        Ok(Ground { gates: self.gates, facts, start, next, moves, terminal, goals, instances })
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

/// One round of semi-naive evaluation of a rule: every way in which at least one of the conditions chosen by `moving`
/// uses a row that the last round brought, each way once.
fn rounds<S: Sink>(
    join: &mut Join<'_>,
    rule: &Rule,
    moving: &dyn Fn(&Sentence) -> bool,
    sink: &mut S,
) -> Result<(), Unfit> {
    for first in 0..rule.holds.len() {
        if !moving(&rule.holds[first]) {
            continue;
        }
        let sentence = &rule.holds[first];
        let groups = join.rows.targets(sentence.rel, &sentence.args, &join.view.bank);
        let fresh = groups.iter().any(|(group, _)| {
            let group = &join.rows.groups[*group as usize];
            group.old < group.now
        });
        if !fresh {
            continue;
        }
        let range = |which: usize| match which {
            _ if !moving(&rule.holds[which]) => Range::All,
            which if which == first => Range::New,
            which if which < first => Range::Old,
            _ => Range::Now,
        };
        let plan = join.plan(rule, Some(first), &range, S::ONLY_NEW)?;
        join.run(rule, &plan, sink)?;
    }
    Ok(())
}
