//! Relations that depend on each other, as gates.
//!
//! Every head gets an open gate first. Most of these turn out not to depend on themselves after all (rays on a board, chains
//! of numbers) and become ordinary gates; only true circles (connection, groups of stones) stay open.

use super::join::{Join, Range, Sink};
use super::possible::{Users, rounds};
use super::rule::{Rule, Sentence};
use super::{Grounder, Unfit, check_memory};
use crate::gates::{Gates, Lit};
use crate::graph::components;
use crate::program::Rel;

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
        check_memory(join, self.gates, self.found.len() * 8 + self.lits.len() * 4)
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
    pub(super) fn build_circle(&mut self, rules: &[Rule], members: &[Rel]) -> Result<(), Unfit> {
        members.iter().for_each(|&rel| self.inside[rel as usize] = true);
        let inside = &self.inside;
        let first_open = self.gates.len() as u32;
        let mut sink = Circle {
            gates: &mut self.gates,
            inside,
            instances: &mut self.instances,
            found: Vec::new(),
            lits: Vec::new(),
            fails: Vec::new(),
        };
        let join = &mut self.join;
        let is_inside = |sentence: &Sentence| inside[sentence.rel as usize];
        let mut own: Vec<u32> = members.iter().flat_map(|&rel| &self.by_head[rel as usize]).copied().collect();
        own.sort_unstable();
        join.rows.take_fresh();
        for rule in own.iter().map(|&rule| &rules[rule as usize]).filter(|rule| !rule.holds.iter().any(is_inside)) {
            let plan = join.plan(rule, None, &|_| Range::All, false)?;
            join.run(rule, &plan, &mut sink)?;
        }
        let users = Users::new(own.iter().map(|&rule| (rule, &rules[rule as usize])));
        while users.round(join, &mut |join, rule| rounds(join, &rules[rule as usize], &is_inside, &mut sink))? {}
        let (found, lits) = (sink.found, sink.lits);
        members.iter().for_each(|&rel| self.inside[rel as usize] = false);
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
        check_memory(&mut self.join, &self.gates, 0)
    }
}
