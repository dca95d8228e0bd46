//! Counters of plies that do nothing but end the game, told from the form of the rules alone: nothing is played.
//!
//! Whoever solves a game may leave such a counter out, because every play is one of the game without it, cut after so many plies.
//! So nothing is guessed here: where the form does not show it, there is no limit.

use crate::fixed::Fixed;
use crate::form::{self, Counter, Ticks, fact};
use crate::terms::{TermId, Terms};
use crate::types::Types;
use gdl::{Atom, Clause, Literal, Rules, Symbol, Term, TermKind};

/// A game that a counter ends after some plies, taken apart.
///
/// - Every move takes the counter to its next fact.
/// - No legal move, no other fact, no goal and no other relation depends on it.
/// - The game is over at its last fact, whatever else holds, and at no other fact because of it.
#[derive(Clone, Debug)]
pub struct PlyLimit {
    /// The rules without the counter. Its condition of `terminal` is still written there, and can never hold.
    pub rules: Rules,
    /// The facts of the counter in canonical KIF, in order: from that of the start to the one that ends the game.
    pub facts: Vec<String>,
}

/// The limit of a game, where the form of its rules shows that a counter does nothing but end it.
///
/// ```
/// let rules = gdl::parse("(role me) (init (at a)) (init (step 0)) (succ 0 1) (succ 1 2) (legal me stay) (legal me go)
///     (<= (next (at a)) (does me stay) (true (at a))) (<= (next (at b)) (does me go))
///     (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
///     (<= terminal (true (at b))) (<= terminal (true (step 2)))
///     (<= (goal me 100) (true (at b))) (<= (goal me 0) (true (at a)))").rules;
/// let limit = study::ply_limit(&rules).unwrap();
/// assert_eq!(limit.facts, ["(step 0)", "(step 1)", "(step 2)"]);
/// ```
pub fn ply_limit(rules: &Rules) -> Option<PlyLimit> {
    let mut terms = Terms::default();
    let fixed = Fixed::new(rules, &mut terms);
    let orders = fixed.orders();
    let fluents = form::fluents(rules, &Types::new(rules), &orders, &mut terms);
    let counters = form::counters(rules, &fixed, &orders, &fluents);
    counters.iter().filter(|counter| counter.ticks == Ticks::Always).find_map(|counter| {
        let name = fluents[counter.fluent].name;
        let last = terms.add(only_end(rules, name)?)?;
        let first = terms.add(only_start(rules, name)?)?;
        let chain = chain(rules, &fixed, counter, name, (first, last))?;
        let word = rules.symbols.name(name);
        let facts = chain.iter().map(|&value| format!("({word} {})", terms.text(value, &rules.symbols))).collect();
        Some(PlyLimit { rules: without(rules, name), facts })
    })
}

/// The value of the counter in an atom `(true (counter VALUE))` or the head of a clause; `None` if it is about something else.
fn value_in(atom: &Atom, name: Symbol) -> Option<&Term> {
    match fact(atom)? {
        (own, [value]) if own == name => Some(value),
        _ => None,
    }
}

/// Whether an atom may be about the counter, or depends on it as `terminal` does.
fn touches(atom: &Atom, name: Symbol) -> bool {
    match atom.name {
        Symbol::TRUE => fact(atom).is_none_or(|found| found.0 == name),
        Symbol::TERMINAL => true,
        _ => false,
    }
}

/// The value that ends the game, if one clause of `terminal` says so and nothing else in the rules looks at the counter but its own next
/// value.
fn only_end(rules: &Rules, name: Symbol) -> Option<&Term> {
    let mut last = None;
    for clause in &rules.clauses {
        let mut uses = false;
        for literal in &clause.body {
            literal.for_each_atom(false, &mut |atom, _| uses |= touches(atom, name));
        }
        if !uses || (clause.head.name == Symbol::NEXT && value_in(&clause.head, name).is_some()) {
            continue;
        }
        let [Literal::Is(atom)] = &clause.body[..] else { return None };
        let value = value_in(atom, name).filter(|value| atom.name == Symbol::TRUE && value.is_ground())?;
        if clause.head.name != Symbol::TERMINAL || last.replace(value).is_some() {
            return None;
        }
    }
    last
}

/// The value at the start, if there is one and nothing but one.
fn only_start(rules: &Rules, name: Symbol) -> Option<&Term> {
    let starts = |clause: &&Clause| clause.head.name == Symbol::INIT && fact(&clause.head).is_none_or(|f| f.0 == name);
    let mut starts = rules.clauses.iter().filter(starts);
    let (Some(only), None) = (starts.next(), starts.next()) else { return None };
    value_in(&only.head, name).filter(|value| only.body.is_empty() && value.is_ground())
}

/// The values from the first to the last, as the counter goes.
fn chain(
    rules: &Rules,
    fixed: &Fixed,
    counter: &Counter,
    name: Symbol,
    (first, last): (TermId, TermId),
) -> Option<Vec<TermId>> {
    let own = rules.clauses.iter().find(|clause| {
        clause.head.name == Symbol::NEXT && value_in(&clause.head, name).is_some_and(|value| !value.is_ground())
    })?;
    let new = value_in(&own.head, name)?;
    // The relation may be written either way round: `(succ old new)` or `(before new old)`.
    let onwards = own.body.iter().find_map(|literal| match literal {
        Literal::Is(atom) if atom.name == counter.relation => atom.args.get(1).map(|second| same(second, new)),
        Literal::Is(_) | Literal::Not(..) | Literal::Or(..) | Literal::And(..) | Literal::Distinct(..) => None,
    })?;
    let rows = fixed.given.get(&(counter.relation, 2))?;
    let mut chain = vec![first];
    let mut at = first;
    while at != last {
        let mut found = rows.iter().map(|row| if onwards { (row[0], row[1]) } else { (row[1], row[0]) });
        at = found.find(|(from, _)| *from == at)?.1;
        // A circle that the last value is not part of.
        if chain.len() > rows.len() {
            return None;
        }
        chain.push(at);
    }
    Some(chain)
}

fn same(a: &Term, b: &Term) -> bool {
    matches!((&a.kind, &b.kind), (TermKind::Var(a), TermKind::Var(b)) if a == b)
}

fn without(rules: &Rules, name: Symbol) -> Rules {
    let is_out = |clause: &Clause| {
        matches!(clause.head.name, Symbol::NEXT | Symbol::INIT | Symbol::BASE)
            && fact(&clause.head).is_some_and(|found| found.0 == name)
    };
    let clauses = rules.clauses.iter().filter(|clause| !is_out(clause)).cloned().collect();
    Rules { symbols: rules.symbols.clone(), clauses }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WALK: &str =
        "(role me) (init (at a)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (legal me stay) (legal me go)
        (<= (next (at ?x)) (does me stay) (true (at ?x))) (<= (next (at b)) (does me go))
        (<= terminal (true (at b))) (<= (goal me 100) (true (at b))) (<= (goal me 0) (true (at a)))";
    const STEP: &str = "(init (step 0)) (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))";
    const END: &str = "(<= terminal (true (step 3)))";

    fn limit(parts: &[&str]) -> Option<PlyLimit> {
        let parsed = gdl::parse(&parts.concat());
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        ply_limit(&parsed.rules)
    }

    #[test]
    fn a_counter_that_only_ends_the_game_is_left_out() {
        let found = limit(&[WALK, STEP, END]).expect("a limit");
        assert_eq!(found.facts, ["(step 0)", "(step 1)", "(step 2)", "(step 3)"]);
        let text = gdl::print(&found.rules, gdl::Form::Kif);
        assert!(!text.contains("(init (step") && !text.contains("(next (step"), "{text}");
        assert!(text.contains("(init (at a))") && text.contains("(next (at b))"), "{text}");
        // The game may begin later.
        let later = STEP.replace("(step 0)", "(step 2)");
        assert_eq!(limit(&[WALK, &later, END]).expect("a limit").facts, ["(step 2)", "(step 3)"]);
        // It may count down, along the same relation.
        let down = "(init (left 3)) (<= (next (left ?n)) (true (left ?m)) (succ ?n ?m)) (<= terminal (true (left 1)))";
        assert_eq!(limit(&[WALK, down]).expect("a limit").facts, ["(left 3)", "(left 2)", "(left 1)"]);
        // What it can be may be declared.
        let base = "(<= (base (step ?n)) (succ ?m ?n)) (base (step 0)) (base (at a)) (base (at b))";
        let declared = limit(&[WALK, STEP, END, base]).expect("a limit");
        assert!(!gdl::print(&declared.rules, gdl::Form::Kif).contains("(base (step"));
    }

    #[test]
    fn a_counter_that_does_more_stays() {
        let more = [
            ("a goal depends on it", "(<= (goal me 50) (true (step 3)))"),
            ("a move depends on it", "(<= (legal me jump) (true (step 1)))"),
            ("another fact depends on it", "(<= (next late) (true (step 2)))"),
            ("a second end depends on it", "(<= terminal (true (step 2)) (true (at a)))"),
            ("it ends the game twice", "(<= terminal (true (step 2)))"),
            ("a relation depends on it", "(<= soon (true (step 2)))"),
            ("its absence matters", "(<= (goal me 30) (not (true (step 3))))"),
            ("any fact matters", "(<= (legal me look) (true ?any))"),
            ("a goal depends on the end", "(<= (goal me 10) (not terminal))"),
            ("it can be set back", "(<= (next (step 0)) (does me go))"),
            ("any fact can come next", "(<= (next ?x) (does me stay) (kept ?x)) (kept (step 0))"),
            ("it begins twice", "(init (step 1))"),
            ("it may begin otherwise", "(<= (init (step ?x)) (succ 1 ?x))"),
        ];
        for (why, rule) in more {
            assert!(limit(&[WALK, STEP, END, rule]).is_none(), "{why}");
        }
    }

    #[test]
    fn a_counter_of_another_form_stays() {
        assert!(limit(&[WALK]).is_none(), "there is none");
        assert!(limit(&[WALK, STEP]).is_none(), "it ends nothing");
        assert!(limit(&[WALK, STEP, "(<= terminal (true (step ?x)) (succ 2 ?x))"]).is_none(), "the end is not written");
        assert!(limit(&[WALK, STEP, "(<= terminal (true (step 3)) (true (at a)))"]).is_none(), "it ends it sometimes");
        assert!(limit(&[WALK, STEP, "(<= terminal (true (step 9)))"]).is_none(), "it never gets there");
        let behind = STEP.replace("(step 0)", "(step 4)");
        assert!(limit(&[WALK, &behind, END]).is_none(), "it is past its end");
        let some = "(init (step 0)) (<= (next (step ?n)) (does me go) (true (step ?m)) (succ ?m ?n))";
        assert!(limit(&[WALK, some, END]).is_none(), "it goes on with some moves");
    }
}
