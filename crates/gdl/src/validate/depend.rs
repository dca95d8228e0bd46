//! What must not depend on what: the start on states, goals on moves, anything on its own negation; and the recursion
//! restriction, which keeps recursive relations finite.

use std::collections::{HashMap, HashSet};

use super::graph::Graph;
use super::scope::{Flow, flow};
use super::{PROBLEM_BYTES, cut, for_each_atom, shown};
use crate::limits::{Meter, Unfinished};
use crate::problem::Problem;
use crate::rules::{Atom, Clause, Literal, Rules, Term, TermKind, Var};
use crate::symbol::Symbol;

pub(super) fn check(
    rules: &Rules,
    graph: &Graph,
    problems: &mut Vec<Problem>,
    meter: &mut Meter<'_>,
) -> Result<(), Unfinished> {
    given(rules, graph, problems, meter)?;
    negative_cycles(rules, graph, problems, meter)?;
    for clause in &rules.clauses {
        let before = problems.len();
        recursion(rules, graph, clause, problems);
        meter.step((problems.len() - before) * PROBLEM_BYTES)?;
    }
    Ok(())
}

/// How many relations of a chain a message names.
const LONGEST_CHAIN: usize = 8;

/// `init`, `base` and `input` must not depend on the state or the moves; `legal`, `goal` and `terminal` not on moves.
fn given(rules: &Rules, graph: &Graph, problems: &mut Vec<Problem>, meter: &mut Meter<'_>) -> Result<(), Unfinished> {
    // What is wrong with these is told in their own clauses or where they are used, not at everything that uses them.
    const OF_STATE: &[Symbol] = &[Symbol::INIT, Symbol::BASE, Symbol::INPUT, Symbol::NEXT];
    const OF_MOVES: &[Symbol] =
        &[Symbol::INIT, Symbol::BASE, Symbol::INPUT, Symbol::NEXT, Symbol::LEGAL, Symbol::GOAL, Symbol::TERMINAL];
    let ways = |keyword, stop| Some((graph.keyword(keyword)?, graph.ways_to(graph.keyword(keyword)?, stop)));
    let (state, moves) = (ways(Symbol::TRUE, OF_STATE), ways(Symbol::DOES, OF_MOVES));
    for clause in &rules.clauses {
        meter.step(0)?;
        let (state, moves) = match clause.head.name {
            Symbol::INIT | Symbol::BASE | Symbol::INPUT => (&state, &moves),
            Symbol::LEGAL | Symbol::GOAL | Symbol::TERMINAL => (&None, &moves),
            _ => continue,
        };
        let mut check = |atom: &Atom, code, what, hint, ways: &Option<(u32, Vec<Option<u32>>)>, stop: &[Symbol]| {
            let (Some((target, next)), Some(number)) = (ways, graph.number(atom)) else { return };
            let passes = !stop.contains(&atom.name);
            if number == *target || (passes && next[number as usize].is_some()) {
                let head = shown(&rules.symbols, clause.head.name);
                let chain = chain(rules, graph, number, next);
                let message = format!("`{head}` must not depend on {what}, but this condition does: {chain}");
                problems.push(Problem::error(code, atom.span, message, hint));
            }
        };
        for literal in &clause.body {
            for_each_atom(literal, None, &mut |atom, _| {
                let hint = "the state is not known here; use only what never changes";
                check(atom, "depends-on-state", "the state", hint, state, OF_STATE);
                let hint = "moves can only be used for `next`; let `next` put what is needed into the state";
                check(atom, "depends-on-moves", "the moves", hint, moves, OF_MOVES);
            });
        }
    }
    Ok(())
}

/// The names on the way from a relation, as `a → b → true`.
fn chain(rules: &Rules, graph: &Graph, from: u32, next: &[Option<u32>]) -> String {
    let mut way = vec![from];
    while way.len() <= LONGEST_CHAIN
        && let Some(step) = next[way[way.len() - 1] as usize]
    {
        way.push(step);
    }
    names(rules, graph, &way)
}

fn names(rules: &Rules, graph: &Graph, way: &[u32]) -> String {
    let mut names: Vec<String> = way
        .iter()
        .take(LONGEST_CHAIN)
        .map(|&number| shown(&rules.symbols, graph.relations[number as usize].name))
        .collect();
    if way.len() > LONGEST_CHAIN {
        names.push("…".to_string());
    }
    names.join(" → ")
}

fn negative_cycles(
    rules: &Rules,
    graph: &Graph,
    problems: &mut Vec<Problem>,
    meter: &mut Meter<'_>,
) -> Result<(), Unfinished> {
    // Finding a way costs as much as the cycle is long; beyond this many the problem is told without it.
    let mut ways_left = 20;
    for clause in &rules.clauses {
        meter.step(0)?;
        let Some(head) = graph.number(&clause.head) else { continue };
        for literal in &clause.body {
            for_each_atom(literal, None, &mut |atom, not| {
                let (Some(span), Some(denied)) = (not, graph.number(atom)) else { return };
                if !graph.in_cycle(head, denied) || !defines(clause) {
                    return;
                }
                let name = shown(&rules.symbols, clause.head.name);
                let inner = shown(&rules.symbols, atom.name);
                let message = if head == denied {
                    format!("`{name}` depends on its own negation")
                } else if ways_left > 0 {
                    ways_left -= 1;
                    let way = names(rules, graph, &graph.way_within(denied, head));
                    format!("`{name}` depends on the negation of `{inner}`, which depends on `{name}`: {way}")
                } else {
                    format!("`{name}` depends on the negation of `{inner}`, which depends on `{name}`")
                };
                let hint = "what is denied must be known before; let the state say it, or split the relation in two";
                problems.push(Problem::error("negative-cycle", span, message, hint));
            });
        }
    }
    Ok(())
}

/// Whether the clause defines its head's relation; what is given from outside is defined by no clause.
fn defines(clause: &Clause) -> bool {
    !matches!(clause.head.name, Symbol::TRUE | Symbol::DOES)
}

/// In a condition that the head's relation depends on and that depends on the head's relation, every argument must be
/// ground, an argument of the head, or an argument of a positive condition outside the recursion.
fn recursion(rules: &Rules, graph: &Graph, clause: &Clause, problems: &mut Vec<Problem>) {
    let Some(head) = graph.number(&clause.head).filter(|_| defines(clause)) else { return };
    let is_recursive = |atom: &Atom| graph.number(atom).is_some_and(|number| graph.in_cycle(head, number));
    let mut any = false;
    for literal in &clause.body {
        for_each_atom(literal, None, &mut |atom, _| any |= is_recursive(atom));
    }
    if !any {
        return;
    }
    let mut terms = Terms::default();
    let heads: HashSet<u32> = clause.head.args.iter().filter_map(|arg| terms.number(arg)).collect();
    let needs = |atom: &Atom, terms: &mut Terms, flow: &mut Flow| {
        for arg in &atom.args {
            if let Some(number) = terms.number(arg)
                && !heads.contains(&number)
            {
                flow.needed.push((number, arg.span));
            }
        }
    };
    let flow = flow(&clause.body, &mut |literal, flow| match literal {
        Literal::Is(atom) if is_recursive(atom) => needs(atom, &mut terms, flow),
        Literal::Is(atom) => flow.given.extend(atom.args.iter().filter_map(|arg| terms.number(arg))),
        _ => for_each_atom(literal, None, &mut |atom, _| {
            if is_recursive(atom) {
                needs(atom, &mut terms, flow);
            }
        }),
    });
    if flow.needed.is_empty() {
        return;
    }
    // Variables that are limited in fact, but not in the way GDL asks for.
    let mut inside = HashSet::new();
    for literal in &clause.body {
        for_each_atom(literal, None, &mut |atom, not| {
            if not.is_none() && !is_recursive(atom) {
                atom.for_each_var(&mut |var, _| {
                    inside.insert(Shape::Var(var));
                });
            }
        });
    }
    let name = shown(&rules.symbols, clause.head.name);
    let mut told = HashSet::new();
    for (number, span) in flow.needed {
        if told.insert(number) {
            let term = terms.text(number, rules, clause);
            let message =
                format!("{term} must also be an argument of the head, or of a condition outside the recursion");
            let mut hint =
                format!("add a condition with the argument {term} whose relation does not depend on `{name}`");
            if inside.contains(&terms.shapes[number as usize]) {
                hint.push_str("; inside a term, as in (true (f …)), it does not count");
            }
            problems.push(Problem::error("recursion", span, message, hint));
        }
    }
}

/// The terms with variables of one clause, numbered so that equal terms have equal numbers.
#[derive(Default)]
struct Terms {
    numbers: HashMap<Shape, u32>,
    shapes: Vec<Shape>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Shape {
    Var(Var),
    Name(Symbol),
    Call(Symbol, Vec<u32>),
}

impl Terms {
    /// The term's number; ground terms have none.
    fn number(&mut self, term: &Term) -> Option<u32> {
        if term.is_ground() { None } else { Some(self.add(term)) }
    }

    fn add(&mut self, term: &Term) -> u32 {
        let shape = match &term.kind {
            TermKind::Var(var) => Shape::Var(*var),
            TermKind::Name(name) => Shape::Name(*name),
            TermKind::Call(name, args) => Shape::Call(*name, args.iter().map(|arg| self.add(arg)).collect()),
        };
        let shapes = &mut self.shapes;
        *self.numbers.entry(shape).or_insert_with_key(|shape| {
            shapes.push(shape.clone());
            shapes.len() as u32 - 1
        })
    }

    /// The term in KIF, cut where it gets long.
    fn text(&self, number: u32, rules: &Rules, clause: &Clause) -> String {
        let mut out = String::new();
        self.write(number, rules, clause, &mut out);
        cut(&out)
    }

    fn write(&self, number: u32, rules: &Rules, clause: &Clause, out: &mut String) {
        const ENOUGH: usize = 400;
        match &self.shapes[number as usize] {
            Shape::Var(var) => {
                let name = clause.vars.get(var.0 as usize).map_or("", |name| name);
                out.push('?');
                out.push_str(&cut(name));
            }
            Shape::Name(name) => out.push_str(&shown(&rules.symbols, *name)),
            Shape::Call(name, args) => {
                out.push('(');
                out.push_str(&shown(&rules.symbols, *name));
                for &arg in args {
                    if out.len() > ENOUGH {
                        break;
                    }
                    out.push(' ');
                    self.write(arg, rules, clause, out);
                }
                out.push(')');
            }
        }
    }
}
