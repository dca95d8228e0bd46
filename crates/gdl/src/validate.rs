//! The strict check: everything GDL forbids, and what is allowed but probably not meant. Play is more lenient.
//!
//! The parts are independent of each other: `shape` looks at one clause at a time, `scope` at its variables, `depend`
//! at what depends on what, `names` at how names are used in the whole rulesheet, `values` at what can stand
//! where, `frame` at what is carried from state to state. All of it takes time about linear in
//! the length of the rules; recursion goes only as deep as terms and conditions do, which the readers bound.

mod depend;
mod frame;
mod graph;
mod names;
mod scope;
mod shape;
mod similar;
mod values;

use crate::limits::{Limits, Meter, Unfinished};
use crate::problem::{Problem, Severity, Span};
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
    let limits = Limits { memory: usize::MAX, ..Limits::default() };
    validate_within(rules, &limits).unwrap_or_default()
}

/// After this many errors, and this many warnings, no more of them are told: nobody reads as many, and each is looked up
/// in the text when it is shown.
pub const MOST_TOLD: usize = 1000;

/// As [`validate`], within limits; see [`Limits`].
///
/// ```
/// let rules = gdl::parse("(role me)").rules;
/// let stopped = gdl::Limits { stop: &|| true, ..gdl::Limits::default() };
/// assert_eq!(gdl::validate::validate_within(&rules, &stopped), Err(gdl::Unfinished::Stopped));
/// ```
pub fn validate_within(rules: &Rules, limits: &Limits<'_>) -> Result<Vec<Problem>, Unfinished> {
    let mut meter = Meter::new(limits);
    let mut problems = Vec::new();
    shape::check(rules, &mut problems, &mut meter)?;
    scope::check(rules, &mut problems, &mut meter)?;
    let graph = graph::Graph::new(rules, &mut meter)?;
    depend::check(rules, &graph, &mut problems, &mut meter)?;
    names::check(rules, &graph, &mut problems, &mut meter)?;
    values::check(rules, &mut problems, &mut meter)?;
    frame::check(rules, &mut problems, &mut meter)?;
    problems.sort_by_key(|problem| (problem.span, problem.severity, problem.code));
    Ok(told(problems))
}

/// The first of the problems, with a last one that says so if there are more.
fn told(mut problems: Vec<Problem>) -> Vec<Problem> {
    let (mut errors, mut others) = (MOST_TOLD, MOST_TOLD);
    let before = problems.len();
    problems.retain(|problem| {
        let left = if problem.severity == Severity::Error { &mut errors } else { &mut others };
        let keep = *left > 0;
        *left = left.saturating_sub(1);
        keep
    });
    if problems.len() < before
        && let Some(last) = problems.last()
    {
        let message = format!("there are {} more problems; no more are told", before - problems.len());
        problems.push(Problem::warning("and-more", last.span, message, "correct these first"));
    }
    problems
}

/// About how much memory a problem takes: its words, mostly.
const PROBLEM_BYTES: usize = 300;

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
