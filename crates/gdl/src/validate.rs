//! The strict check: everything GDL forbids, and what is allowed but probably not meant. Play is more lenient.
//!
//! The parts are independent of each other: `shape` looks at one clause at a time, `scope` at its variables, `depend`
//! at what depends on what, `names` at how names are used in the whole rulesheet. All of it takes time about linear in
//! the length of the rules; recursion goes only as deep as terms and conditions do, which the readers bound.

mod depend;
mod graph;
mod names;
mod scope;
mod shape;
mod similar;

use crate::problem::{Problem, Span};
use crate::rules::{Atom, Literal, Rules};
use crate::symbol::{Symbol, Symbols};

/// All that is wrong with these rules, in the order of the text. They are valid GDL if there is no error among it.
///
/// Meant for rules that were read without problems: what could not be read is missing here.
///
/// ```
/// let text = "(role me) (legal me go) (<= (goal me ?x) (not (true done)))";
/// let problems = gdl::validate::validate(&gdl::parse(text).rules);
/// assert_eq!(problems[0].message, "there is no `terminal`: the game never ends");
/// assert_eq!(problems[1].message, "nothing gives ?x in the head a value");
/// ```
pub fn validate(rules: &Rules) -> Vec<Problem> {
    let mut problems = Vec::new();
    shape::check(rules, &mut problems);
    scope::check(rules, &mut problems);
    let graph = graph::Graph::new(rules);
    depend::check(rules, &graph, &mut problems);
    names::check(rules, &graph, &mut problems);
    problems.sort_by_key(|problem| (problem.span, problem.severity, problem.code));
    problems
}

/// Calls `f` for the sentences of a condition in the order of the text, each with the outermost `not` it stands under.
fn for_each_atom<'a>(literal: &'a Literal, not: Option<Span>, f: &mut dyn FnMut(&'a Atom, Option<Span>)) {
    match literal {
        Literal::Is(atom) => f(atom, not),
        Literal::Distinct(..) => {}
        Literal::Not(inner, span) => for_each_atom(inner, not.or(Some(*span)), f),
        Literal::Or(parts, _) | Literal::And(parts, _) => parts.iter().for_each(|part| for_each_atom(part, not, f)),
    }
}

/// Whether this word joins conditions, and so can be no relation.
fn is_connective(name: Symbol) -> bool {
    matches!(name, Symbol::IF | Symbol::NOT | Symbol::OR | Symbol::AND | Symbol::DISTINCT)
}

/// A name as messages show it. Long names are cut, so that messages stay short whatever the rules are.
fn shown(symbols: &Symbols, name: Symbol) -> String {
    cut(symbols.name(name))
}

fn cut(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// `1 argument`, `2 arguments`.
fn arguments(count: usize) -> String {
    match count {
        0 => "no arguments".to_string(),
        1 => "1 argument".to_string(),
        _ => format!("{count} arguments"),
    }
}
