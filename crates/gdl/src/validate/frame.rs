//! Fluents that nothing carries over: what is not made anew by `next` is gone in the following state, and the rule that
//! keeps it is easily forgotten.
//!
//! Told only where it can hardly be meant: the first state has several such facts, and every `next` for them sets just
//! what a move names, so whatever the move does not name is lost.

use std::collections::{BTreeMap, HashSet};

use super::{PROBLEM_BYTES, for_each_atom, shown};
use crate::limits::{Meter, Unfinished};
use crate::problem::{Problem, Span};
use crate::rules::{Clause, Literal, Rules, Term, TermKind, Var};
use crate::symbol::Symbol;

/// What is known of the fluents of one name and number of arguments.
#[derive(Default)]
struct Fluent {
    /// How many `init` clauses, and the first; one with variables stands for several.
    first: Option<Span>,
    facts: usize,
    /// Whether some `next` may keep what no move names.
    kept: bool,
    /// Whether a condition asks for it.
    used: bool,
}

pub(super) fn check(rules: &Rules, problems: &mut Vec<Problem>, meter: &mut Meter<'_>) -> Result<(), Unfinished> {
    let mut fluents: BTreeMap<(Symbol, usize), Fluent> = BTreeMap::new();
    let mut any_next = false;
    for clause in &rules.clauses {
        meter.step(0)?;
        for literal in &clause.body {
            for_each_atom(literal, None, &mut |atom, _| {
                if atom.name == Symbol::TRUE
                    && let Some(functor) = atom.args.first().and_then(functor)
                {
                    fluents.entry(functor).or_default().used = true;
                }
            });
        }
        let (Symbol::INIT | Symbol::NEXT, [term]) = (clause.head.name, &clause.head.args[..]) else { continue };
        any_next |= clause.head.name == Symbol::NEXT;
        let Some(functor) = functor(term) else {
            // A variable stands for any fluent, so everything may be kept.
            if clause.head.name == Symbol::NEXT {
                return Ok(());
            }
            continue;
        };
        let fluent = fluents.entry(functor).or_default();
        if clause.head.name == Symbol::INIT {
            fluent.first.get_or_insert(clause.head.span);
            fluent.facts += if term.is_ground() { 1 } else { 2 };
        } else {
            fluent.kept |= keeps(clause, term);
        }
    }
    if !any_next {
        return Ok(());
    }
    for ((name, _), fluent) in fluents {
        meter.step(PROBLEM_BYTES)?;
        if let Fluent { first: Some(span), facts: 2.., kept: false, used: true } = fluent {
            let name = shown(&rules.symbols, name);
            let message = format!("nothing carries `{name}` over: what no move names is gone after the first move");
            let hint = format!("add a rule such as (<= (next ({name} …)) (true ({name} …)) …) for what stays as it is");
            problems.push(Problem::warning("missing-frame", span, message, hint));
        }
    }
    Ok(())
}

fn functor(term: &Term) -> Option<(Symbol, usize)> {
    match &term.kind {
        TermKind::Var(_) => None,
        TermKind::Name(name) => Some((*name, 0)),
        TermKind::Call(name, args) => Some((*name, args.len())),
    }
}

/// Whether the rule may make facts that no move names: it looks at no move, or has something in its head that is not
/// in the move, or keeps a fact as it is.
fn keeps(clause: &Clause, head: &Term) -> bool {
    let mut moved: HashSet<Var> = HashSet::new();
    let mut looks = false;
    let mut same = false;
    for literal in &clause.body {
        match literal {
            Literal::Is(atom) if atom.name == Symbol::DOES => {
                looks = true;
                // Every role moves, so what is made for a role is made for each of them.
                atom.args.iter().skip(1).for_each(|step| {
                    step.for_each_var(&mut |var, _| {
                        moved.insert(var);
                    });
                });
            }
            Literal::Is(atom) => same |= atom.name == Symbol::TRUE && atom.args.first() == Some(head),
            // Inside these anything may be hidden.
            Literal::Or(..) | Literal::And(..) => return true,
            Literal::Not(..) | Literal::Distinct(..) => {}
        }
    }
    let mut others = false;
    head.for_each_var(&mut |var, _| others |= !moved.contains(&var));
    !looks || same || others
}
