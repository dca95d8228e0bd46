//! Independent parts: a fluent whose facts fall into groups, one for each value of a column, that never touch each other.
//!
//! What becomes of a group, and which moves are legal in it, depends on that group alone (and on fluents that depend on no group, such as
//! whose turn it is). Heaps of nim are the example: such a game is the sum of its parts. Only the end and the goals may look at all
//! groups. This follows from the form of the rules: each condition about the fluent names the same thing in that column.

use crate::form::{Fluent, fact};
use gdl::{Atom, Clause, Literal, Rules, Symbol, Term, TermKind};
use std::collections::{HashMap, HashSet};

type Relation = (Symbol, usize);

struct Form<'a> {
    clauses: HashMap<Relation, Vec<&'a Clause>>,
    /// The relations that depend on the fluent.
    dependent: HashSet<Relation>,
    fluent: Relation,
    column: usize,
    /// For each relation the arguments that name the group; while it is being looked at, none.
    carriers: HashMap<Relation, Vec<usize>>,
}

/// Whether the facts of a fluent fall into parts by this column, in which moves are made.
pub(crate) fn splits(rules: &Rules, fluent: &Fluent, column: usize) -> bool {
    let mut clauses: HashMap<Relation, Vec<&Clause>> = HashMap::new();
    for clause in &rules.clauses {
        clauses.entry((clause.head.name, clause.head.args.len())).or_default().push(clause);
    }
    let name = (fluent.name, fluent.arity);
    let dependent = dependent(rules, name);
    let mut form = Form { clauses, dependent, fluent: name, column, carriers: HashMap::new() };
    let moves = rules.clauses.iter().filter(|clause| matches!(clause.head.name, Symbol::NEXT | Symbol::LEGAL));
    let played = moves.clone().any(|clause| clause.head.name == Symbol::LEGAL && form.looks(clause));
    played && moves.into_iter().all(|clause| form.stays_inside(clause))
}

/// The relations that look at a fluent, directly or not.
fn dependent(rules: &Rules, fluent: Relation) -> HashSet<Relation> {
    let mut found = HashSet::new();
    let mut grown = true;
    while grown {
        grown = false;
        for clause in &rules.clauses {
            let mut uses = false;
            for literal in &clause.body {
                literal.for_each_atom(false, &mut |atom, _| {
                    uses |= found.contains(&(atom.name, atom.args.len())) || is_fluent(atom, fluent);
                });
            }
            if uses && !matches!(clause.head.name, Symbol::NEXT | Symbol::LEGAL) {
                grown |= found.insert((clause.head.name, clause.head.args.len()));
            }
        }
    }
    found
}

fn is_fluent(atom: &Atom, fluent: Relation) -> bool {
    atom.name == Symbol::TRUE && fact(atom).is_none_or(|(name, args)| (name, args.len()) == fluent)
}

impl Form<'_> {
    /// Whether a rule for a next fact or a legal move looks at one group only, and at its own.
    fn stays_inside(&mut self, clause: &Clause) -> bool {
        if clause.head.name == Symbol::NEXT {
            return match fact(&clause.head) {
                Some((name, args)) if (name, args.len()) == self.fluent => {
                    self.looks_only_at(clause, &args[self.column].clone())
                }
                Some(_) => !self.looks(clause),
                None => false,
            };
        }
        if !self.looks(clause) {
            return true;
        }
        let TermKind::Call(_, args) = &clause.head.args[1].kind else { return false };
        args.iter().any(|arg| self.looks_only_at(clause, arg))
    }

    fn looks(&self, clause: &Clause) -> bool {
        let mut looks = false;
        for literal in &clause.body {
            literal.for_each_atom(false, &mut |atom, _| {
                looks |= is_fluent(atom, self.fluent) || self.dependent.contains(&(atom.name, atom.args.len()));
            });
        }
        looks
    }

    /// Whether all that a rule says about the fluent is about this group.
    fn looks_only_at(&mut self, clause: &Clause, group: &Term) -> bool {
        let mut atoms: Vec<&Atom> = Vec::new();
        clause.body.iter().for_each(|literal: &Literal| literal.for_each_atom(false, &mut |atom, _| atoms.push(atom)));
        atoms.into_iter().all(|atom| {
            if is_fluent(atom, self.fluent) {
                return fact(atom).is_some_and(|(_, args)| &args[self.column] == group);
            }
            let relation = (atom.name, atom.args.len());
            !self.dependent.contains(&relation) || self.carriers(relation).iter().any(|&at| &atom.args[at] == group)
        })
    }

    /// The arguments of a relation that name the one group it looks at.
    fn carriers(&mut self, relation: Relation) -> Vec<usize> {
        if let Some(known) = self.carriers.get(&relation) {
            return known.clone();
        }
        self.carriers.insert(relation, Vec::new());
        let clauses = self.clauses.get(&relation).cloned().unwrap_or_default();
        let carriers: Vec<usize> = (0..relation.1)
            .filter(|&at| clauses.iter().all(|clause| self.looks_only_at(clause, &clause.head.args[at])))
            .collect();
        self.carriers.insert(relation, carriers.clone());
        carriers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heaps_are_parts_unless_a_rule_looks_at_two() {
        let text = "(role a) (init (heap 1 3)) (init (heap 2 3)) (less 3 2) (less 2 1) (less 1 0)
            (<= (legal a (take ?h ?m)) (true (heap ?h ?n)) (fewer ?h ?m))
            (<= (fewer ?h ?m) (true (heap ?h ?n)) (less ?n ?m))
            (<= (next (heap ?h ?m)) (does a (take ?h ?m)))
            (<= (next (heap ?h ?n)) (true (heap ?h ?n)) (not (touched ?h)))
            (<= (touched ?h) (does a (take ?h ?n)))
            (<= terminal (true (heap 1 0)) (true (heap 2 0)))";
        let split = |text: &str| {
            let rules = gdl::parse(text).rules;
            let study = crate::Study::new(&rules);
            splits(&rules, &study.fluents[0], 0)
        };
        assert!(split(text));
        assert!(!split(&format!("{text} (<= (legal a (both ?h)) (true (heap ?h 3)) (true (heap ?g 3)) (less ?h ?g))")));
        assert!(!split(&format!("{text} (<= (next (heap ?h 0)) (true (heap ?h 1)) (true (heap 1 1)))")));
    }
}
