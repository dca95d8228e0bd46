//! Whose a side of a board is: where somebody has won who joins two sides of it that face each other, as in hex.
//!
//! It is read from the rules that goals and the end depend on. What such a rule says of a place whose one coordinate is the first or the last one and whose
//! other one is any belongs to the role that the rule names; a role that both ends of one axis belong to joins them, if nobody else joins the same ones.

use crate::adjacent::{self, BoardColumns, Branch, FixedRows, branches, sentence, var};
use crate::terms::TermId;
use gdl::{Atom, Clause, Symbol, Term, TermKind};
use std::collections::{BTreeMap, BTreeSet};

/// For each role that joins sides, by number, the axis whose first and last places these are.
pub(crate) fn joined(board: &BoardColumns<'_>, tables: &mut FixedRows<'_>, roles: &[TermId]) -> BTreeMap<usize, usize> {
    let played = |clause: &&Clause| !matches!(clause.head.name, Symbol::BASE | Symbol::INPUT | Symbol::INIT);
    let rules: Vec<Branch<'_>> = tables.rules.clauses.iter().filter(played).flat_map(branches).collect();
    let carriers = adjacent::carriers(board, &rules, tables.fixed);
    let deciding = adjacent::leading(tables.rules, [(Symbol::GOAL, 2), (Symbol::TERMINAL, 0)]);
    // Role, axis, and whether it is the last place.
    let mut ends: BTreeSet<(usize, usize, bool)> = BTreeSet::new();
    for rule in rules.iter().filter(|rule| deciding.contains(&(rule.atoms[0].name, rule.atoms[0].args.len()))) {
        let mut named = BTreeSet::new();
        rule.atoms.iter().for_each(|atom| mentioned(&atom.args, roles, tables, &mut named));
        let Some(role) = named.first().copied().filter(|_| named.len() == 1) else { continue };
        for (key, args) in rule.atoms.iter().filter_map(|atom: &&Atom| sentence(atom)) {
            for carried in carriers.get(&key).into_iter().flatten() {
                let [first, second] = carried[..] else { continue };
                for (axis, fixed, free) in [(0, first, second), (1, second, first)] {
                    let value = tables.terms.add(&args[fixed]).filter(|_| var(&args[free]).is_some());
                    let values = &board.columns[axis].values;
                    if value.is_some() && value.as_ref() == values.first() {
                        ends.insert((role, axis, false));
                    } else if value.is_some() && value.as_ref() == values.last() {
                        ends.insert((role, axis, true));
                    }
                }
            }
        }
    }
    let both = |role: usize| -> Vec<usize> {
        (0..2).filter(|&axis| ends.contains(&(role, axis, false)) && ends.contains(&(role, axis, true))).collect()
    };
    let mut found = BTreeMap::new();
    for role in 0..roles.len() {
        if let [axis] = both(role)[..] {
            found.insert(role, axis);
        }
    }
    let axes: BTreeSet<usize> = found.values().copied().collect();
    if found.len() == 2 && axes.len() == 2 { found } else { BTreeMap::new() }
}

/// The roles that are named among some terms.
fn mentioned(args: &[Term], roles: &[TermId], tables: &mut FixedRows<'_>, named: &mut BTreeSet<usize>) {
    for arg in args {
        match &arg.kind {
            TermKind::Call(_, inner) => mentioned(inner, roles, tables, named),
            TermKind::Var(_) => {}
            _ => {
                let own = tables.terms.add(arg);
                named.extend(roles.iter().position(|role| Some(*role) == own));
            }
        }
    }
}
