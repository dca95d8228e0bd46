//! Which atoms can be true at all: semi-naive evaluation from the initial facts through `legal`, `does` and `next`.
//!
//! Negated conditions count as possible here. A round looks only at the rules that use rows which the last round brought.

use super::join::{Join, Range, Sink};
use super::rule::{Rule, Sentence};
use super::{Grounder, Relations, Unfit, check_memory};
use crate::gates::{Gates, Lit};
use crate::program::Rel;
use std::collections::HashMap;

/// Adds every head that is new, and nothing else.
struct Possible<'r> {
    relations: &'r Relations,
    /// None yet.
    gates: Gates,
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
        check_memory(join, &self.gates, 0)
    }
}

impl Grounder<'_> {
    /// The rules that matter for what is possible: those that `legal` and `next` lead to without negation.
    fn positive_rules(&self) -> Vec<u32> {
        let mut wanted = vec![false; self.join.complete.len()];
        let mut todo: Vec<Rel> = self.relations.legal.into_iter().chain(self.relations.next).collect();
        let mut chosen = Vec::new();
        while let Some(rel) = todo.pop() {
            if std::mem::replace(&mut wanted[rel as usize], true) {
                continue;
            }
            for &rule in &self.by_head[rel as usize] {
                chosen.push(rule);
                todo.extend(self.rules[rule as usize].holds.iter().map(|sentence| sentence.rel));
            }
        }
        chosen.sort_unstable();
        chosen
    }

    pub(super) fn find_possible(&mut self) -> Result<(), Unfit> {
        for &fact in self.join.prover.start_ids() {
            let Join { rows, view, columns, .. } = &mut self.join;
            rows.add(self.relations.rel_true, &[fact], Lit::TRUE, &view.bank, columns);
        }
        let chosen = self.positive_rules();
        let rules = &self.rules;
        let mut sink = Possible { relations: &self.relations, gates: Gates::new() };
        let join = &mut self.join;
        for &rule in chosen.iter().filter(|&&rule| rules[rule as usize].holds.is_empty()) {
            let rule = &rules[rule as usize];
            let plan = join.plan(rule, None, &|_| Range::All, true)?;
            join.run(rule, &plan, &mut sink)?;
        }
        let users = Users::new(chosen.iter().map(|&rule| (rule, &rules[rule as usize])));
        while users.round(join, &mut |join, rule| rounds(join, &rules[rule as usize], &|_| true, &mut sink))? {
            check_memory(join, &self.gates, 0)?;
        }
        Ok(())
    }
}

/// For each relation the rules that have it as a condition.
pub(super) struct Users(HashMap<Rel, Vec<u32>>);

impl Users {
    pub fn new<'r>(rules: impl Iterator<Item = (u32, &'r Rule)>) -> Users {
        let mut users: HashMap<Rel, Vec<u32>> = HashMap::new();
        for (number, rule) in rules {
            rule.holds.iter().for_each(|sentence| users.entry(sentence.rel).or_default().push(number));
        }
        Users(users)
    }

    /// Runs one round for the rules that use what is new since the last one, in the order of their numbers; tells whether
    /// anything was new.
    pub fn round(
        &self,
        join: &mut Join<'_>,
        run: &mut dyn FnMut(&mut Join<'_>, u32) -> Result<(), Unfit>,
    ) -> Result<bool, Unfit> {
        let fresh = join.rows.take_fresh();
        if fresh.is_empty() {
            return Ok(false);
        }
        let mut changed: Vec<Rel> = Vec::with_capacity(fresh.len());
        for &group in &fresh {
            let group = &mut join.rows.groups[group as usize];
            group.now = group.len() as u32;
            changed.push(group.rel);
        }
        changed.sort_unstable();
        changed.dedup();
        let mut due: Vec<u32> = changed.iter().filter_map(|rel| self.0.get(rel)).flatten().copied().collect();
        join.budget.spend(due.len() as u64)?;
        due.sort_unstable();
        due.dedup();
        for rule in due {
            run(join, rule)?;
        }
        for &group in &fresh {
            let group = &mut join.rows.groups[group as usize];
            group.old = group.now;
        }
        Ok(true)
    }
}

/// One round of semi-naive evaluation of a rule: every way in which at least one of the conditions chosen by `moving`
/// uses a row that the last round brought, each way once.
pub(super) fn rounds<S: Sink>(
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
