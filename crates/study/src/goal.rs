//! How much of a goal's condition holds: the rules for goals, written out over the facts of a state and read softly.
//!
//! A condition of several parts holds as far as its parts do, less than in proportion, so that the last part counts most;
//! of several ways the one that has come furthest counts. What is true has the value 1 and what is false beyond repair 0.
//! Where the value of a goal is a variable, each value that the rules can put there is a goal of its own. Rules that call
//! themselves, or that become too large, have no such formula; where only the lesser goals do, the greater ones are kept.

mod writer;

use crate::fixed::Fixed;
use crate::form::Fluent;
use crate::terms::{TermId, Terms};
use crate::types::Types;
use gdl::{Rules, Symbol};
use writer::Writer;

/// A part of a formula; the parts it is made of come before it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Part {
    Const(bool),
    Fact(TermId),
    Not(u32),
    And(Vec<u32>),
    Or(Vec<u32>),
}

/// The formulas of the goals.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Formula {
    pub parts: Vec<Part>,
    /// For each role its goals: value and formula, the least first.
    pub goals: Vec<Vec<(u8, u32)>>,
    /// Whether these are all goals; if not, they are the greatest.
    pub whole: bool,
}

/// Why the condition of a goal has no formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unmeasured {
    NoRule,
    Value,
    CallsItself,
    TooLarge,
    Open,
    Moves,
    Time,
}

impl Unmeasured {
    /// The reason, as the end of a sentence.
    pub fn why(self) -> &'static str {
        match self {
            Unmeasured::NoRule => "no rule says what it is",
            Unmeasured::Value => "a goal can be something else than a number from 0 to 100",
            Unmeasured::CallsItself => "it calls itself",
            Unmeasured::TooLarge => "it is too large",
            Unmeasured::Open => "it has a variable whose values cannot be listed",
            Unmeasured::Moves => "it looks at moves",
            Unmeasured::Time => "there was no time to write it out",
        }
    }
}

type Written<T> = Result<T, Unmeasured>;

/// What the rules are, and what can stand in them.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub rules: &'a Rules,
    pub fixed: &'a Fixed,
    pub fluents: &'a [Fluent],
    pub types: &'a Types,
}

/// The goals that the rules can give, as numbers and as terms; the least first.
fn values(source: Source<'_>, terms: &mut Terms) -> Written<Vec<(u8, TermId)>> {
    let symbols = &source.rules.symbols;
    let mut values = Vec::new();
    for (name, arity) in source.types.at((Symbol::GOAL, 2, 1)) {
        let value = symbols.name(name).parse().ok().filter(|&value: &u8| arity == 0 && value <= 100);
        values.push((value.ok_or(Unmeasured::Value)?, terms.intern(name, Vec::new())));
    }
    values.sort_unstable();
    if values.is_empty() { Err(Unmeasured::NoRule) } else { Ok(values) }
}

/// The formulas of all goals, or of the greatest of them; the reason where the rules do not even allow that.
pub(crate) fn formula(
    source: Source<'_>,
    roles: &[TermId],
    terms: &mut Terms,
    more: &mut dyn FnMut() -> bool,
) -> Written<Formula> {
    let values = values(source, terms)?;
    let mut writer = Writer::new(source, terms, more);
    let mut goals = vec![Vec::new(); roles.len()];
    let mut whole = true;
    for &(value, id) in values.iter().rev() {
        let sofar = writer.parts.len();
        let own: Written<Vec<u32>> = roles.iter().map(|&role| writer.sentence(Symbol::GOAL, vec![role, id])).collect();
        match own {
            Ok(own) => goals.iter_mut().zip(own).for_each(|(goals, part)| goals.push((value, part))),
            // A goal that can be had in no way says nothing.
            Err(why) if !goals.iter().flatten().any(|&(_, part)| part > 1) => return Err(why),
            Err(_) => {
                writer.parts.truncate(sofar);
                whole = false;
                break;
            }
        }
    }
    goals.iter_mut().for_each(|goals| {
        // What the rules can put there is often more than what they do.
        goals.retain(|&(_, part)| part != 0);
        goals.reverse();
    });
    Ok(Formula { parts: writer.parts, goals, whole })
}

/// The value of each part, given which facts hold; the facts are asked for with the place of their part.
pub(crate) fn soft(parts: &[Part], holds: &dyn Fn(usize, TermId) -> f32, out: &mut Vec<f32>) {
    out.clear();
    for (at, part) in parts.iter().enumerate() {
        let value = match part {
            Part::Const(value) => f32::from(u8::from(*value)),
            Part::Fact(fact) => holds(at, *fact),
            Part::Not(inner) => 1.0 - out[*inner as usize],
            Part::And(inner) => {
                let mean = inner.iter().map(|&part| out[part as usize]).sum::<f32>() / inner.len() as f32;
                mean * mean
            }
            Part::Or(inner) => {
                let most = inner.iter().map(|&part| out[part as usize]).fold(0.0, f32::max);
                let mean = inner.iter().map(|&part| out[part as usize]).sum::<f32>() / inner.len() as f32;
                if most >= 1.0 { 1.0 } else { 0.8 * most + 0.2 * mean }
            }
        };
        out.push(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_of_a_line_is_worth_more() {
        let rules = gdl::parse(
            "(role a) (role b) (index 1) (index 2) (index 3)
             (<= (init (cell ?x none)) (index ?x)) (<= (next (cell ?x ?p)) (does ?p (mark ?x)))
             (<= (legal ?p (mark ?x)) (role ?p) (true (cell ?x none)))
             (<= (line ?p) (true (cell 1 ?p)) (true (cell 2 ?p)) (true (cell 3 ?p)) (distinct ?p none))
             (<= terminal (line ?p)) (<= (goal ?p 100) (line ?p)) (<= (goal ?p 0) (role ?p) (not (line ?p)))",
        )
        .rules;
        let study = crate::Study::new(&rules);
        let mut terms = study.terms.clone();
        let formula = formula(study.source(), &study.roles, &mut terms, &mut || true).unwrap();
        assert_eq!(formula.goals.len(), 2);
        let mut value = |facts: &[&str]| {
            let holding: Vec<TermId> = facts.iter().map(|fact| terms.read(fact, &rules.symbols).unwrap()).collect();
            let mut out = Vec::new();
            soft(&formula.parts, &|_, fact| if holding.contains(&fact) { 1.0 } else { 0.0 }, &mut out);
            let (_, win) = formula.goals[0][1];
            out[win as usize]
        };
        let none = value(&["(cell 1 b)"]);
        let one = value(&["(cell 1 a)"]);
        let two = value(&["(cell 1 a)", "(cell 2 a)"]);
        let all = value(&["(cell 1 a)", "(cell 2 a)", "(cell 3 a)"]);
        assert!(none == 0.0 && none < one && one < two && two < all && all == 1.0, "{none} {one} {two} {all}");
    }

    #[test]
    fn each_value_of_a_variable_is_a_goal() {
        let text = "(role a) (succ 0 1) (succ 1 2) (succ 2 3) (worth 0 0) (worth 1 30) (worth 2 60) (worth 3 90)
             (init (lamp 1 off)) (init (lamp 2 off)) (init (lamp 3 off))
             (<= (legal a (light ?x)) (true (lamp ?x off))) (<= (next (lamp ?x on)) (does a (light ?x)))
             (<= (next (lamp ?x ?y)) (true (lamp ?x ?y)) (not (does a (light ?x))))
             (lit 0 0) (<= (lit ?t ?n) (succ ?s ?t) (lit ?s ?m) (true (lamp ?t on)) (succ ?m ?n))
             (<= (lit ?t ?n) (succ ?s ?t) (lit ?s ?n) (true (lamp ?t off)))
             (<= terminal (lit 3 3)) (<= (goal a ?v) (lit 3 ?n) (worth ?n ?v))";
        let rules = gdl::parse(text).rules;
        let study = crate::Study::new(&rules);
        let mut terms = study.terms.clone();
        let formula = formula(study.source(), &study.roles, &mut terms, &mut || true).unwrap();
        assert_eq!(formula.goals[0].iter().map(|goal| goal.0).collect::<Vec<_>>(), [0, 30, 60, 90]);
        for (lit, wanted) in [(0, 0), (1, 30), (2, 60), (3, 90)] {
            let holding: Vec<TermId> = (1..=3)
                .map(|lamp| format!("(lamp {lamp} {})", if lamp <= lit { "on" } else { "off" }))
                .map(|fact| terms.read(&fact, &rules.symbols).unwrap())
                .collect();
            let mut out = Vec::new();
            soft(&formula.parts, &|_, fact| if holding.contains(&fact) { 1.0 } else { 0.0 }, &mut out);
            let holds: Vec<u8> =
                formula.goals[0].iter().filter(|goal| out[goal.1 as usize] == 1.0).map(|goal| goal.0).collect();
            assert_eq!(holds, [wanted]);
        }
    }

    #[test]
    fn why_a_goal_has_no_formula() {
        let why = |goal: &str, more: bool| {
            let text =
                format!("(role a) (init (at 1)) (init (at 2)) (legal a go) (<= (next (at ?x)) (true (at ?x))) {goal}");
            let study = crate::Study::new(&gdl::parse(&text).rules);
            let mut terms = study.terms.clone();
            formula(study.source(), &study.roles, &mut terms, &mut || more).map(|formula| formula.whole)
        };
        assert_eq!(why("(<= (goal a 100) (true (at 1)))", true), Ok(true));
        assert_eq!(why("", true), Err(Unmeasured::NoRule));
        assert_eq!(why("(<= (goal a high) (true (at 1)))", true), Err(Unmeasured::Value));
        let reach = "(<= (far ?x) (true (at ?x)) (far ?y)) (<= (far ?x) (true (at ?x)))";
        assert_eq!(why(&format!("{reach} (<= (goal a 100) (far 1))"), true), Err(Unmeasured::CallsItself));
        // The greatest goal is kept where only a lesser one has no formula.
        let lesser = format!("{reach} (<= (goal a 50) (far 1)) (<= (goal a 100) (true (at 1)))");
        assert_eq!(why(&lesser, true), Ok(false));
        let large = "(<= (goal a 100) (true (at ?a)) (true (at ?b)) (true (at ?c)) (true (at ?d)) (true (at ?e))
            (true (at ?f)) (true (at ?g)) (true (at ?h)) (true (at ?i)) (true (at ?j)) (true (at ?k)))";
        assert_eq!(why(large, false), Err(Unmeasured::Time));
    }
}
