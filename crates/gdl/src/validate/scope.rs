//! Which conditions give a value to what. `or` is taken branch by branch: it gives a value only to what every branch
//! gives one to, while inside a branch the branch's own conditions count too.
//!
//! One walk serves two checks, told apart by their keys: variables here, terms for the recursion restriction.

use std::collections::HashSet;

use super::{PROBLEM_BYTES, cut, is_connective};
use crate::limits::{Meter, Unfinished};
use crate::problem::{Problem, Span};
use crate::rules::{Clause, Literal, Rules};

/// What a group of conditions gives a value to, and what it needs from outside.
#[derive(Default)]
pub(super) struct Flow {
    pub given: HashSet<u32>,
    /// In the order of the text.
    pub needed: Vec<(u32, Span)>,
}

/// The flow of conditions that hold together. `leaf` adds a single condition (never `or` or `and`) to a flow.
pub(super) fn flow(conditions: &[Literal], leaf: &mut dyn FnMut(&Literal, &mut Flow)) -> Flow {
    let mut flow = Flow::default();
    join(conditions, &mut flow, leaf);
    let Flow { given, needed } = &mut flow;
    if !given.is_empty() {
        needed.retain(|(key, _)| !given.contains(key));
    }
    flow
}

fn join(conditions: &[Literal], into: &mut Flow, leaf: &mut dyn FnMut(&Literal, &mut Flow)) {
    for condition in conditions {
        match condition {
            Literal::And(parts, _) => join(parts, into, leaf),
            Literal::Or(parts, _) => {
                let mut branches = Vec::with_capacity(parts.len());
                for part in parts {
                    let Flow { given, needed } = flow(std::slice::from_ref(part), leaf);
                    branches.push(given);
                    into.needed.extend(needed);
                }
                let mut common = in_all(branches);
                if common.len() > into.given.len() {
                    std::mem::swap(&mut common, &mut into.given);
                }
                into.given.extend(common);
            }
            Literal::Is(_) | Literal::Distinct(..) | Literal::Not(..) => leaf(condition, into),
        }
    }
}

/// The smallest set leads, so that deep nesting costs no more than the text that causes it.
fn in_all(mut sets: Vec<HashSet<u32>>) -> HashSet<u32> {
    let Some((smallest, _)) = sets.iter().enumerate().min_by_key(|(_, set)| set.len()) else {
        return HashSet::new();
    };
    let mut common = sets.swap_remove(smallest);
    common.retain(|key| sets.iter().all(|set| set.contains(key)));
    common
}

/// Variables of heads, `not` and `distinct` must have a value from a positive condition.
pub(super) fn check(rules: &Rules, problems: &mut Vec<Problem>, meter: &mut Meter<'_>) -> Result<(), Unfinished> {
    for clause in &rules.clauses {
        let before = problems.len();
        // Facts with variables are wrong in another way.
        if clause.is_rule && !clause.vars.is_empty() {
            unsafe_variables(clause, problems);
        }
        meter.step((problems.len() - before) * PROBLEM_BYTES)?;
    }
    Ok(())
}

fn unsafe_variables(clause: &Clause, problems: &mut Vec<Problem>) {
    let flow = flow(&clause.body, &mut |literal, flow| match literal {
        Literal::Is(atom) => atom.for_each_var(&mut |var, _| {
            flow.given.insert(u32::from(var.0));
        }),
        _ => literal.for_each_var(&mut |var, span| flow.needed.push((u32::from(var.0), span))),
    });
    let mut open = Vec::new();
    if !is_connective(clause.head.name) {
        clause.head.for_each_var(&mut |var, span| {
            if !flow.given.contains(&u32::from(var.0)) {
                open.push((u32::from(var.0), span, "in the head"));
            }
        });
    }
    open.extend(flow.needed.iter().map(|&(key, span)| (key, span, "here")));
    if open.is_empty() {
        return;
    }
    let partly = in_some_branch(clause);
    let mut told = HashSet::new();
    for (key, span, place) in open {
        if !told.insert(key) {
            continue;
        }
        let name = clause.vars.get(key as usize).map_or(String::new(), |name| cut(name));
        let message = format!("nothing gives ?{name} {place} a value");
        let hint = if partly.contains(&key) {
            format!("some branch of an `or` gives ?{name} a value, but every branch must")
        } else {
            format!("add a condition with ?{name} that is not inside `not` or `distinct`")
        };
        problems.push(Problem::error("unsafe-variable", span, message, hint));
    }
}

/// The variables of all positive conditions, wherever they stand.
fn in_some_branch(clause: &Clause) -> HashSet<u32> {
    let mut found = HashSet::new();
    for literal in &clause.body {
        super::for_each_atom(literal, None, &mut |atom, not| {
            if not.is_none() {
                atom.for_each_var(&mut |var, _| {
                    found.insert(u32::from(var.0));
                });
            }
        });
    }
    found
}
