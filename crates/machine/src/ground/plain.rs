//! Relations that do not depend on themselves, as gates: for each head the `or` of all ways that lead to it.

use super::join::{Join, Range, Sink};
use super::rule::Rule;
use super::{Grounder, Unfit, check_memory};
use crate::bank::Id;
use crate::gates::{Gates, Lit};
use crate::program::Rel;

/// Collects the gates of each head.
struct Collect<'g> {
    gates: &'g mut Gates,
    chain: &'g mut Vec<(Lit, u32)>,
    /// For each group the last entry of the chain of each row.
    heads: &'g mut Vec<Vec<u32>>,
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
        check_memory(join, self.gates, self.chain.len() * 8)
    }
}

impl Grounder<'_> {
    pub(super) fn build_plain(&mut self, rules: &[Rule], rel: Rel) -> Result<(), Unfit> {
        self.chain.clear();
        let mut sink = Collect {
            gates: &mut self.gates,
            chain: &mut self.chain,
            heads: &mut self.heads,
            last: (Rel::MAX, Vec::new(), (0, 0)),
            instances: &mut self.instances,
            fails: Vec::new(),
        };
        for &rule in &self.by_head[rel as usize] {
            let rule = &rules[rule as usize];
            let plan = self.join.plan(rule, None, &|_| Range::All, false)?;
            self.join.run(rule, &plan, &mut sink)?;
        }
        let mut inputs = Vec::new();
        for &group in self.join.rows.list(rel).to_vec().iter() {
            let Some(heads) = self.heads.get_mut(group as usize) else { continue };
            for (row, last) in std::mem::take(heads).into_iter().enumerate() {
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
        check_memory(&mut self.join, &self.gates, 0)
    }
}
