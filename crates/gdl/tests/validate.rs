//! The strict check: one small rulesheet for each kind of problem, what must not be reported, laws on random rules,
//! hostile sizes, and the published rulesheets where they are at hand.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use gdl::validate::validate;
use gdl::{Literal, Problem, Severity, Source};
use proptest::prelude::*;

/// A game in which nothing is wrong. Pieces are added to it.
const GAME: &str = "
    (role me) (role you) (init (at 1)) (succ 1 2) (succ 2 3)
    (<= (legal ?who (go ?y)) (role ?who) (true (at ?x)) (succ ?x ?y))
    (<= (next (at ?y)) (does me (go ?y)))
    (<= terminal (true (at 3)))
    (<= (goal ?who 100) (role ?who))
";

/// Problems that look at what can stand where. Small pieces of rules are full of them, so they are told apart from the
/// others and have tests of their own.
const OF_VALUES: &[&str] =
    &["never-true", "never-done", "never-matches", "unknown-role", "missing-question-mark", "missing-frame"];

fn all_problems(text: &str) -> Vec<Problem> {
    let parsed = gdl::parse(text);
    assert_eq!(parsed.problems, [], "{text}");
    validate(&parsed.rules)
}

fn problems(text: &str) -> Vec<Problem> {
    let mut problems = all_problems(text);
    problems.retain(|problem| !OF_VALUES.contains(&problem.code));
    problems
}

/// Severity, code and the text at the place, as `error code: text`.
fn found(text: &str) -> Vec<String> {
    let show = |problem: &Problem| {
        let place = &text[problem.span.start as usize..problem.span.end as usize];
        assert!(!problem.message.is_empty() && !problem.hint.is_empty(), "{problem:?}");
        format!("{} {}: {}", problem.severity.word(), problem.code, place)
    };
    problems(text).iter().map(show).collect()
}

/// What is found in the game with something added to it.
#[track_caller]
fn expect(added: &str, expected: &[&str]) {
    assert_eq!(found(&format!("{GAME}{added}")), expected, "{added}");
}

/// The message and the hint of the only problem.
fn only(text: &str) -> (String, String) {
    let problems = problems(text);
    assert_eq!(problems.len(), 1, "{problems:?}");
    (problems[0].message.clone(), problems[0].hint.clone())
}

#[test]
fn a_good_game() {
    expect("", &[]);
    // The same in other words: keywords in capitals, a fact for `terminal`, no `init`, no `next`.
    assert_eq!(found("(ROLE a) (Legal A b) terminal (GOAL a 0)"), [""; 0]);
}

#[test]
fn missing() {
    let all = ["error missing-goal: ", "error missing-legal: ", "error missing-role: ", "error missing-terminal: "];
    assert_eq!(found(""), all);
    assert_eq!(found("(role x)"), [all[0], all[1], all[3]]);
    assert_eq!(found("(legal x y) (goal x 1) terminal"), [all[2]]);
    assert_eq!(found("(role x) (goal x 1) terminal"), [all[1]]);
    assert_eq!(found("(role x) (legal x y) terminal"), [all[0]]);
    assert_eq!(found("(role x) (legal x y) (goal x 1)"), [all[3]]);
    // In a condition only, it is still missing.
    assert_eq!(found("(role x) (legal x y) (<= (goal x 1) terminal)"), [all[3]]);
}

#[test]
fn a_role_that_is_written_wrongly_is_not_missing() {
    let rest = "(legal x y) (goal x 1) terminal";
    assert_eq!(found(&format!("(<= (role x)) {rest}")), ["warning empty-rule: (<= (role x))"]);
    assert_eq!(found(&format!("(p x) (<= (role ?x) (p ?x)) {rest}")), ["error role-rule: (role ?x)"]);
    assert_eq!(found(&format!("(p x) (<= (role x) (p x)) {rest}")), ["error role-rule: (role x)"]);
    assert_eq!(found(&format!("(role ?x) {rest}")), ["error fact-variable: ?x"]);
    assert_eq!(found(&format!("(role (f 1)) {rest}")), ["error role-name: (f 1)"]);
    assert_eq!(found(&format!("role {rest}")), ["error arity: role"]);
    assert_eq!(
        found(&format!("(<= (role x) (role x)) {rest}")),
        ["error role-rule: (role x)"],
        "a role that depends on itself only"
    );
}

#[test]
fn arity_of_keywords() {
    expect("(role a b)", &["error arity: (role a b)"]);
    expect("(init)", &["error arity: (init)"]);
    expect("(init a b)", &["error arity: (init a b)"]);
    expect("(legal me)", &["error arity: (legal me)"]);
    expect("(legal me a b)", &["error arity: (legal me a b)"]);
    expect("(goal me)", &["error arity: (goal me)"]);
    expect("(goal me 1 2)", &["error arity: (goal me 1 2)"]);
    expect("(base)", &["error arity: (base)"]);
    expect("(input me)", &["error arity: (input me)"]);
    expect("(<= (terminal a) (true (at 1)))", &["error arity: (terminal a)"]);
    expect("(<= (next a b) (true (at 1)))", &["error arity: (next a b)"]);
    expect("(<= (next (at 1)) true)", &["error arity: true"]);
    expect("(<= (next (at 1)) (not (true a b)))", &["error arity: (true a b)"]);
    expect("(<= (next (at 1)) (or (does me) (does you)))", &["error arity: (does me)", "error arity: (does you)"]);
    let (message, hint) = only(&format!("{GAME}(legal me)"));
    assert_eq!(message, "`legal` takes 2 arguments, not 1");
    assert_eq!(hint, "write (legal player move)");
}

#[test]
fn keywords_in_terms() {
    expect("(init (true (at 1)))", &["error keyword-function: (true (at 1))"]);
    expect("(init (f (f (or 1 2))))", &["error keyword-function: (or 1 2)"]);
    expect("(<= (next (f ?x)) (succ ?x ?y) (distinct (does ?y) 1))", &["error keyword-function: (does ?y)"]);
    // A constant is only a warning, once for each keyword.
    expect(
        "(init goal) (init (f goal)) (init base)",
        &["warning keyword-constant: goal", "warning keyword-constant: base"],
    );
    let (message, _) = only(&format!("{GAME}(init goal) (init (f Goal)) (init (g goal))"));
    assert_eq!(message, "`goal` means something in GDL, but is a constant here and in 2 other places");
}

#[test]
fn heads_that_cannot_be() {
    expect("(true (at 1))", &["error given-head: (true (at 1))"]);
    expect("(<= (true (at 1)) (succ 1 2))", &["error given-head: (true (at 1))"]);
    expect("(does me (go 1))", &["error given-head: (does me (go 1))"]);
    expect("(<= (does me ?x) (succ ?x 2))", &["error given-head: (does me ?x)"]);
    expect("(or (succ 1 2) (succ ?x 3))", &["error connective-head: (or (succ 1 2) (succ ?x 3))"]);
    expect("(<= (and a b) (succ 1 2))", &["error connective-head: (and a b)"]);
    expect("(<= (not a) (succ 1 2))", &["error connective-head: (not a)"]);
    expect("(distinct 1 2)", &["error connective-head: (distinct 1 2)"]);
    expect("(<= (<= a) (succ 1 2))", &["error connective-head: (<= a)"]);
    expect("or", &["error connective-head: or"]);
    expect("(<= (distinct ?x ?y) (succ ?x ?x))", &["error connective-head: (distinct ?x ?y)"]);
    // A head that cannot be does not hide what is wrong below it.
    expect("(<= (or a) (init b))", &["error connective-head: (or a)", "error head-only: (init b)"]);
}

#[test]
fn connectives_alone() {
    expect("(<= (next a) or)", &["error connective-alone: or"]);
    expect("(<= (next a) (not distinct))", &["error connective-alone: distinct"]);
    expect("(<= (next a) (or (succ 1 2) and))", &["error connective-alone: and"]);
}

#[test]
fn heads_used_as_conditions() {
    expect("(<= (next a) (init a))", &["error head-only: (init a)"]);
    expect("(<= (next a) (not (next b)))", &["error negative-cycle: (not (next b))", "error head-only: (next b)"]);
    expect("(<= (legal me a) (or (base a) (succ 1 2)))", &["error head-only: (base a)"]);
    expect("(input me a) (<= (legal me a) (input me a))", &["error head-only: (input me a)"]);
    // These may be used.
    expect("(<= (next a) (role me) (legal me (go 1)) terminal (goal me 100))", &[]);
}

#[test]
fn the_start_must_not_depend_on_the_state() {
    expect("(<= (init a) (true (at 1)))", &["error depends-on-state: (true (at 1))"]);
    expect("(<= (init a) (not (true (at 1))))", &["error depends-on-state: (true (at 1))"]);
    expect("(<= (base a) (or (succ 1 2) (true (at 1))))", &["error depends-on-state: (true (at 1))"]);
    expect("(<= (input me a) (does me a))", &["error depends-on-moves: (does me a)"]);
    expect("(<= (init a) terminal)", &["error depends-on-state: terminal"]);
    expect("(<= (init a) (legal me a))", &["error depends-on-state: (legal me a)"]);
    expect("(<= (init a) p) (<= p (true b) (does me c))", &["error depends-on-moves: p", "error depends-on-state: p"]);
    expect("(<= (init (at ?x)) (succ ?x ?y) (role ?z)) (<= (base (at ?x)) (succ ?x ?y)) (input me a)", &[]);
    // Told where it is caused, not again where what is wrong is used wrongly.
    expect(
        "(<= (init a) (true (at 1))) (<= (base b) (init a))",
        &["error depends-on-state: (true (at 1))", "error head-only: (init a)"],
    );
    let (message, _) =
        only(&format!("{GAME}(<= (init a) p) (<= p q r) (<= q (succ 1 2)) (<= r (not s)) (<= s (true b))"));
    assert_eq!(message, "`init` must not depend on the state, but this condition does: p → r → s → true");
}

#[test]
fn goals_and_moves_must_not_depend_on_moves() {
    expect("(<= terminal (does me a))", &["error depends-on-moves: (does me a)"]);
    expect("(<= (legal me b) (not p)) (<= p (does me a))", &["error depends-on-moves: p"]);
    expect(
        "(<= (goal me 0) (or p q)) (<= q p) (<= p q (does me a))",
        &["error depends-on-moves: p", "error depends-on-moves: q"],
    );
    // `legal` is at fault, not `goal`.
    expect("(<= (legal me b) (does you a)) (<= (goal me 0) (legal me b))", &["error depends-on-moves: (does you a)"]);
    expect("(<= (next a) p) (<= p (does me a)) (<= (goal me 0) (not (true a)))", &[]);
    let long: String = (0..20).map(|i| format!("(<= p{i} p{})", i + 1)).collect();
    let (message, _) = only(&format!("{GAME}{long}(<= p20 (does me a)) (<= terminal p0)"));
    assert_eq!(
        message,
        "`terminal` must not depend on the moves, but this condition does: p0 → p1 → p2 → p3 → p4 → p5 → p6 → p7 → …"
    );
}

#[test]
fn facts_with_variables() {
    expect("(init (f ?x ?y ?x))", &["error fact-variable: ?x", "error fact-variable: ?y"]);
    expect("(legal ?p noop)", &["error fact-variable: ?p"]);
    expect("(<= (init (f ?x)))", &["warning empty-rule: (<= (init (f ?x)))", "error unsafe-variable: ?x"]);
}

#[test]
fn not_over_other_things() {
    expect("(<= (next (f ?x)) (succ ?x ?y) (not (distinct ?x ?y)))", &["error not-sentence: (not (distinct ?x ?y))"]);
    expect("(<= (next a) (not (or (true a) (true b))))", &["error not-sentence: (not (or (true a) (true b)))"]);
    expect("(<= (next a) (not (not (true a))))", &["error not-sentence: (not (not (true a)))"]);
    expect(
        "(<= (next a) (not (and (true a))))",
        &["error not-sentence: (not (and (true a)))", "warning and: (and (true a))"],
    );
    expect("(<= (next a) (not (true a)) (not terminal))", &[]);
}

#[test]
fn unsafe_variables() {
    expect("(<= (next (f ?x)) (true a))", &["error unsafe-variable: ?x"]);
    expect("(<= (next (f (g ?x) ?y)) (succ ?y ?z))", &["error unsafe-variable: ?x"]);
    expect("(<= (next a) (not (true ?x)))", &["error unsafe-variable: ?x"]);
    expect("(<= (next a) (distinct ?x (f ?y)) (true ?x))", &["error unsafe-variable: ?y"]);
    expect("(<= (next a) (distinct ?x 1) (distinct ?x 2))", &["error unsafe-variable: ?x"]);
    // Once for each variable, in the head first.
    expect(
        "(<= (next ?x) (distinct ?x ?y) (not (true ?x)))",
        &["error unsafe-variable: ?x", "error unsafe-variable: ?y"],
    );
    // `distinct` may stand before what gives the value, and case does not count.
    expect("(<= (next ?x) (distinct ?x 1) (not (true (f ?X))) (true ?X))", &[]);
    expect("(<= (next ?x) (not (true ?x)) (does ?p (go ?x)))", &[]);
    // Inside `not` nothing gets a value, however deep.
    expect(
        "(<= (next a) (not (not (true ?x))))",
        &["error not-sentence: (not (not (true ?x)))", "error unsafe-variable: ?x"],
    );
    let (message, hint) = only(&format!("{GAME}(<= (next a) (distinct ?Who 1))"));
    assert_eq!(message, "nothing gives ?Who here a value");
    assert_eq!(hint, "add a condition with ?Who that is not inside `not` or `distinct`");
}

#[test]
fn unsafe_variables_by_branches() {
    expect("(<= (next ?x) (or (true ?x) (true (f ?x))))", &[]);
    expect("(<= (next ?x) (or (true ?x) (true a)))", &["error unsafe-variable: ?x"]);
    expect("(<= (next ?x) (or (true ?x) (not (true ?x))))", &["error unsafe-variable: ?x"]);
    // A branch counts for itself; outside it does not.
    expect(
        "(<= (next a) (or (and (true ?x) (distinct ?x 1)) (true b)))",
        &["warning and: (and (true ?x) (distinct ?x 1))"],
    );
    expect("(<= (next a) (or (true ?x) (true b)) (distinct ?x 1))", &["error unsafe-variable: ?x"]);
    expect("(<= (next a) (or (distinct ?x 1) (true ?x)))", &["error unsafe-variable: ?x"]);
    // What stands outside counts in every branch.
    expect("(<= (next a) (or (distinct ?x 1) (not (true ?x))) (true (at ?x)))", &[]);
    expect(
        "(<= (next ?x) (or (true ?x) (or (true (f ?x)) (true (g ?x)))))",
        &["warning nested-or: (or (true (f ?x)) (true (g ?x)))"],
    );
    expect(
        "(<= (next ?x) (or (true ?x) (or (true (f ?x)) (true b))))",
        &["error unsafe-variable: ?x", "warning nested-or: (or (true (f ?x)) (true b))"],
    );
    expect("(<= (next ?x) (or))", &["error unsafe-variable: ?x", "warning empty-or: (or)"]);
    expect("(<= (next ?x) (and (true ?x) (distinct ?x 1)))", &["warning and: (and (true ?x) (distinct ?x 1))"]);
    let (_, hint) = only(&format!("{GAME}(<= (next ?x) (or (true ?x) (true a)))"));
    assert_eq!(hint, "some branch of an `or` gives ?x a value, but every branch must");
}

#[test]
fn negation_in_a_cycle() {
    expect("(<= (next a) p) (<= p (not p))", &["error negative-cycle: (not p)"]);
    expect("(<= (legal me a) (not (legal me b)))", &["error negative-cycle: (not (legal me b))"]);
    expect(
        "(<= (next a) p) (<= p (true b) (or q (not r))) (<= q (succ 1 2)) (<= r p)",
        &["error negative-cycle: (not r)"],
    );
    expect(
        "(<= (next a) p) (<= p (not q)) (<= q (not p))",
        &["error negative-cycle: (not q)", "error negative-cycle: (not p)"],
    );
    // A positive cycle, and negation of what was finished before.
    expect("(<= (next a) p) (<= p q) (<= q p (not r)) (<= r (true b))", &[]);
    // The next state is another state.
    expect("(<= (next a) (not (true a)))", &[]);
    expect("(<= (next a) (not p)) (<= p (true a))", &[]);
    // Other numbers of arguments make another relation.
    expect("(<= (next a) p) (<= p (not (p 1))) (p 1)", &["warning several-arities: (p 1)"]);
    let (message, _) = only(&format!("{GAME}(<= (next a) p) (<= p (not q)) (<= q r) (<= r p)"));
    assert_eq!(message, "`p` depends on the negation of `q`, which depends on `p`: q → r → p");
}

#[test]
fn recursion_restriction() {
    let game = |rule: &str| format!("(<= (next a) (r 1 2) (q 1)) (r 1 2) (q 1) {rule}");
    // An argument of the head, and one of a condition outside.
    expect(&game("(<= (r ?x (f ?x)) (r ?y ?x) (q ?y))"), &[]);
    expect(&game("(<= (r ?x ?y) (r ?y ?x))"), &[]);
    expect(&game("(<= (r ?x ?y) (r 1 (f 2)) (r ?x ?y))"), &[]);
    expect(&game("(<= (r ?x (f ?y)) (r ?x ?y))"), &["error recursion: ?y"]);
    expect(&game("(<= (r ?x ?y) (r ?x ?z) (r ?z ?y))"), &["error recursion: ?z"]);
    // A term counts as it stands: `(f ?x)` is not `?x`.
    expect(&game("(<= (r ?x ?x) (r ?x (f ?x)))"), &["error recursion: (f ?x)"]);
    expect(&game("(<= (r ?x (f ?x)) (r (f ?x) ?x))"), &[]);
    expect(&game("(<= (r ?x ?x) (r ?x (f ?x)) (true (f ?x)))"), &[]);
    expect(&game("(<= (r ?x ?x) (r ?x ?y) (true (f ?y)))"), &["error recursion: ?y"]);
    // Not from a negative condition, and not from the recursion itself.
    expect(&game("(<= (r ?x ?x) (r ?x ?y) (not (q ?y)))"), &["error recursion: ?y"]);
    expect(&game("(<= (r ?x ?x) (r ?x ?y) (s ?y)) (<= (s ?x) (r ?x ?x))"), &["error recursion: ?y"]);
    // By branches.
    expect(&game("(<= (r ?x ?x) (r ?x ?y) (or (q ?y) (succ ?y 2)))"), &[]);
    expect(&game("(<= (r ?x ?x) (r ?x ?y) (or (q ?y) (succ 1 2)))"), &["error recursion: ?y"]);
    expect(&game("(<= (r ?x ?x) (q ?x) (or (r ?x ?y) (q ?y)))"), &["error recursion: ?y"]);
    // Through other relations, and denied.
    expect(&game("(<= (r ?x ?x) (s ?x)) (<= (s ?x) (r ?x ?y) (q ?x))"), &["error recursion: ?y"]);
    expect(
        &game("(<= (r ?x ?x) (q ?x) (q ?y) (not (r (f ?y) ?x)))"),
        &["error negative-cycle: (not (r (f ?y) ?x))", "error recursion: (f ?y)"],
    );
    let (_, hint) = only(&format!("{GAME}{}", game("(<= (r ?x ?x) (r ?x ?y) (true (f ?y)))")));
    assert!(hint.ends_with("inside a term, as in (true (f …)), it does not count"), "{hint}");
}

#[test]
fn goal_values() {
    for good in ["0", "7", "100", "050"] {
        expect(&format!("(goal me {good})"), &[]);
    }
    expect("(<= (goal me ?x) (succ ?x 2))", &[]);
    for bad in ["101", "-1", "+1", "12.5", "win", "(f 1)", "99999999999999999999"] {
        expect(&format!("(goal me {bad})"), &[format!("error goal-value: {bad}").as_str()]);
    }
    expect("(<= (next a) (goal me 101))", &[]);
}

#[test]
fn forms_that_are_warned_of() {
    expect("(<= (next a))", &["warning empty-rule: (<= (next a))"]);
    expect("(<= (next a) (or))", &["warning empty-or: (or)"]);
    expect("(<= (next a) (or (true a) (or (true b))))", &["warning nested-or: (or (true b))"]);
    expect(
        "(<= (next a) (or (true a) (and (or (true b) (true c)))))",
        &["warning and: (and (or (true b) (true c)))", "warning nested-or: (or (true b) (true c))"],
    );
    expect("(<= (next a) (or (true a)) (or (true b)))", &[]);
    expect("(<= (next a) (and))", &["warning and: (and)"]);
}

#[test]
fn parentheses_without_arguments() {
    expect("(<= (open) (true b)) (<= (next a) open)", &["warning mixed-parens: (open)"]);
    expect("(<= open (true b)) (<= (next a) (open)) (<= (next c) (open))", &["warning mixed-parens: (open)"]);
    expect("(<= (open) (true b)) (<= (next a) (open))", &[]);
    expect("(<= open (true b)) (<= (next a) open)", &[]);
    expect("(<= (terminal) (true b))", &["warning parens: (terminal)"]);
}

#[test]
fn several_arities() {
    expect("(succ 3)", &["warning several-arities: (succ 3)", "warning unused: (succ 3)"]);
    // The rarer one is named, wherever it stands.
    expect("(<= (next a) (p 1)) (p 1 2) (<= (next b) (p ?x ?y)) (p 1)  (p 2)", &["warning several-arities: (p 1 2)"]);
    expect("(init (f 1)) (init (f 1 2))", &["warning several-arities: (f 1 2)"]);
    expect("(init (f 1 2)) (init (f 1)) (<= (next a) (true (f ?x)))", &["warning several-arities: (f 1 2)"]);
    expect(
        "(init (f 1)) (init (f 2)) (init (f 1 2)) (init (f 1 2 3))",
        &["warning several-arities: (f 1 2)", "warning several-arities: (f 1 2 3)"],
    );
    // A constant and a function of the same name are common and harmless.
    expect("(init f) (init (f 1))", &[]);
    let (message, _) = only(&format!("{GAME}(init (f 1 2)) (init (f 3)) (init (f 4)) (init (f 5)) (init (f 6 7))"));
    assert_eq!(message, "the function `f` has 2 arguments here and in 1 other place, and 1 elsewhere");
}

#[test]
fn relations_and_functions() {
    expect("(init (succ 1 2)) (init (succ 2 3))", &["warning relation-and-function: (succ 1 2)"]);
    expect("(init (f (succ 1))) (init succ)", &["warning relation-and-function: (succ 1)"]);
    expect("(init succ)", &[]);
}

#[test]
fn undefined_relations() {
    expect("(<= (next a) (p 1)) (<= (next b) (not (p 2)))", &["warning undefined: (p 1)"]);
    let hint = |added: &str| {
        let found = problems(&format!("{GAME}{added}"));
        found.into_iter().find(|problem| problem.code == "undefined").expect("undefined").hint
    };
    assert_eq!(hint("(<= (next a) (suc 1 2))"), "define it, or remove the condition; or is `succ` meant?");
    assert_eq!(hint("(<= (next a) (ture b))"), "define it, or remove the condition; or is `true` meant?");
    assert_eq!(hint("(<= (next a) (succ 1))"), "`succ` is defined with 2 arguments");
    assert_eq!(hint("(<= (next a) (at 1))"), "`at` stands in terms elsewhere: is (true (at …)) meant?");
    assert_eq!(hint("(<= (next a) a)"), "`a` stands in terms elsewhere: is (true a) meant?");
    assert_eq!(hint("(<= (next a) something)"), "define it, or remove the condition");
}

#[test]
fn unused_relations() {
    expect("(p 1) (p 2)", &["warning unused: (p 1)"]);
    expect("(<= p q) (<= q (true a))", &["warning unused: p", "warning unused: q"]);
    expect("(<= (base a) p) (<= p q) (<= q (succ 1 2)) (<= (input me a) r) (<= r (role me))", &[]);
    let message = |added: &str| only(&format!("{GAME}{added}"));
    assert_eq!(message("(p 1)").0, "nothing uses `p` with 1 argument");
    assert_eq!(message("(<= (p ?x) (p ?x))").0, "nothing uses `p` with 1 argument but its own rules");
    assert_eq!(message("(<= (legl ?x a) (role ?x))").1, "remove it, or use it; or is `legal` meant?");
    let both = problems(&format!("{GAME}(<= p q) (<= q (true a))"));
    assert_eq!(both[1].message, "`q` with no arguments is used only by what is itself never used");
}

#[test]
fn duplicates() {
    expect("(succ 1 2) (Succ 1 2)", &["warning duplicate: (succ 1 2)", "warning duplicate: (Succ 1 2)"]);
    expect(
        "(<= (next ?x) (true ?x) (distinct ?x 1)) (<= (next ?y) (true ?y) (distinct ?y 1))",
        &["warning duplicate: (<= (next ?y) (true ?y) (distinct ?y 1))"],
    );
    expect("(<= (succ 1 2))", &["warning duplicate: (<= (succ 1 2))", "warning empty-rule: (<= (succ 1 2))"]);
    expect("(<= (next ?x) (true ?x) (does ?x ?y)) (<= (next ?x) (true ?x) (does ?y ?x))", &[]);
}

#[test]
fn everything_is_in_the_order_of_the_text() {
    let text = format!("{GAME}(<= (next ?x) (or)) (p 1) (init (true 1)) (legal me) (<= (init b) p) (<= p (not p))");
    let places: Vec<_> = problems(&text).iter().map(|problem| problem.span.start).collect();
    assert!(places.is_sorted() && places.len() > 6, "{places:?}");
}

/// Alternatives of conditions without `or` and `and`.
fn branches(conditions: &[Literal]) -> Vec<Vec<&Literal>> {
    let mut all = vec![Vec::new()];
    for condition in conditions {
        let of_condition = match condition {
            Literal::And(parts, _) => branches(parts),
            Literal::Or(parts, _) => parts.iter().flat_map(|part| branches(std::slice::from_ref(part))).collect(),
            single => vec![vec![single]],
        };
        all = all.iter().flat_map(|left| of_condition.iter().map(move |right| [&left[..], right].concat())).collect();
    }
    all
}

/// The unsafe variables by their definition: those of some alternative.
fn unsafe_by_definition(clause: &gdl::Clause) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for branch in branches(&clause.body) {
        let (mut given, mut needed) = (BTreeSet::new(), BTreeSet::new());
        clause.head.for_each_var(&mut |var, _| needed.extend([var]));
        for literal in branch {
            let set = if matches!(literal, Literal::Is(_)) { &mut given } else { &mut needed };
            literal.for_each_var(&mut |var, _| set.extend([var]));
        }
        found.extend(needed.difference(&given).map(|var| format!("?{}", clause.vars[var.0 as usize])));
    }
    found
}

/// What breaks the recursion restriction by its definition, where `p0` is the head's relation and the only recursive one.
fn unlimited_by_definition(clause: &gdl::Clause, text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for branch in branches(&clause.body) {
        let mut limited: Vec<&gdl::Term> = clause.head.args.iter().collect();
        let mut recursive = Vec::new();
        for literal in branch {
            literal.for_each_atom(false, &mut |atom, not| {
                if atom.name == clause.head.name {
                    recursive.extend(&atom.args);
                } else if !not {
                    limited.extend(&atom.args);
                }
            });
        }
        recursive.retain(|term| !term.is_ground() && !limited.contains(term));
        found.extend(recursive.iter().map(|term| text[term.span.start as usize..term.span.end as usize].to_string()));
    }
    found
}

fn condition() -> impl Strategy<Value = String> {
    let term = || prop_oneof![8 => (0..4u8).prop_map(|x| format!("?v{x}")), 1 => Just("(f ?v0)".to_string()), 1 => Just("a".to_string())];
    let sentence = (0..3u8, term(), term()).prop_map(|(p, x, y)| format!("(p{p} {x} {y})"));
    let leaf = prop_oneof![
        3 => sentence.clone(),
        1 => sentence.prop_map(|sentence| format!("(not {sentence})")),
        1 => (0..4u8, 0..4u8).prop_map(|(x, y)| format!("(distinct ?v{x} ?v{y})")),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let parts = prop::collection::vec(inner, 1..4).prop_map(|parts| parts.join(" "));
        (any::<bool>(), parts).prop_map(|(or, parts)| format!("({} {parts})", if or { "or" } else { "and" }))
    })
}

/// The places of all problems of a kind, each of which must be told once.
fn places(text: &str, rules: &gdl::Rules, code: &str) -> Result<BTreeSet<String>, TestCaseError> {
    let found = validate(rules).into_iter().filter(|problem| problem.code == code);
    let found: Vec<_> = found.map(|p| text[p.span.start as usize..p.span.end as usize].to_string()).collect();
    let places: BTreeSet<String> = found.iter().cloned().collect();
    prop_assert_eq!(found.len(), places.len(), "told once: {}", text);
    Ok(places)
}

proptest! {
    #[test]
    fn variables_and_recursion_are_as_defined_over_the_alternatives(
        conditions in prop::collection::vec(condition(), 1..4),
        head in prop::collection::vec(0..4u8, 2),
    ) {
        let head: String = head.iter().map(|var| format!(" ?v{var}")).collect();
        let text = format!("(<= (p0{head}) {})", conditions.join(" "));
        let rules = gdl::parse(&text).rules;
        let clause = &rules.clauses[0];
        prop_assert_eq!(places(&text, &rules, "unsafe-variable")?, unsafe_by_definition(clause), "{}", text);
        prop_assert_eq!(places(&text, &rules, "recursion")?, unlimited_by_definition(clause, &text), "{}", text);
    }

    #[test]
    fn cycles_are_those_of_the_closure(edges in prop::collection::vec((0..7usize, 0..7usize, any::<bool>()), 0..14)) {
        let rule = |&(from, to, not): &(usize, usize, bool)| {
            if not { format!("(<= r{from} (not r{to}))") } else { format!("(<= r{from} r{to})") }
        };
        let text: String = edges.iter().map(rule).collect();
        let mut reach = [[false; 7]; 7];
        edges.iter().for_each(|&(from, to, _)| reach[from][to] = true);
        for via in 0..7 {
            for from in 0..7 {
                for to in 0..7 {
                    reach[from][to] |= reach[from][via] && reach[via][to];
                }
            }
        }
        let expected = edges.iter().filter(|&&(from, to, not)| not && reach[to][from]).count();
        let found = validate(&gdl::parse(&text).rules).iter().filter(|problem| problem.code == "negative-cycle").count();
        prop_assert_eq!(found, expected, "{}", text);
    }

    #[test]
    fn any_text_is_checked_without_panic(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "(", "(", "(", ")", ")", ")", "<=", "not", "or", "and", "distinct", "role", "init", "true", "does",
                "legal", "next", "terminal", "goal", "base", "input", "?x", "?y", "a", "b", "100",
            ]),
            0..60,
        ),
    ) {
        let text = words.join(" ");
        let problems = validate(&gdl::parse(&text).rules);
        prop_assert!(problems.iter().all(|problem| text.get(problem.span.start as usize..problem.span.end as usize).is_some()));
    }
}

/// Checks that hostile rules are read and checked in bounded time; the bound is far above what it takes.
fn quickly(what: &str, text: &str, codes: &[&str]) {
    let rules = gdl::parse(text).rules;
    assert!(!rules.clauses.is_empty(), "{what}");
    let start = Instant::now();
    let problems = validate(&rules);
    let time = start.elapsed();
    println!("{what}: {} bytes, {} problems, {time:?}", text.len(), problems.len());
    assert!(time < Duration::from_secs(20), "{what}: {time:?}");
    for code in codes {
        assert!(problems.iter().any(|problem| problem.code == *code), "{what}: no {code}");
    }
    assert!(problems.iter().all(|problem| problem.message.len() < 1000 && problem.hint.len() < 1000), "{what}");
}

#[test]
fn hostile_sizes() {
    const N: usize = 100_000;
    let repeat = |f: &dyn Fn(usize) -> String| (0..N).map(f).collect::<String>();
    quickly("facts", &repeat(&|i| format!("(p {i})")), &["unused"]);
    quickly("the same fact", &repeat(&|_| "(p 1)".to_string()), &["duplicate"]);
    quickly(
        "one name, many arities",
        &(0..2000).map(|i| format!("(p{})", " a".repeat(i))).collect::<String>(),
        &["several-arities"],
    );
    quickly("many conditions", &format!("(<= terminal {})", repeat(&|i| format!("(p{i} ?x)"))), &["undefined"]);
    quickly("many branches", &format!("(<= (next ?x) (or {}))", repeat(&|i| format!("(p ?x {i})"))), &[]);
    quickly(
        "a chain",
        &(repeat(&|i| format!("(<= p{i} p{})", i + 1)) + "(<= terminal p0)(<= p100000 (does a b))"),
        &["depends-on-moves"],
    );
    quickly("a cycle", &repeat(&|i| format!("(<= (p{i} ?x) (p{} ?x))", (i + 1) % N)), &["unused"]);
    quickly("a cycle of denials", &repeat(&|i| format!("(<= p{i} (not p{}))", (i + 1) % N)), &["negative-cycle"]);
    quickly("a recursive rule", &format!("(<= (p ?x) {})", repeat(&|i| format!("(p (f ?x {i}))"))), &["recursion"]);
    quickly("unknown names", &repeat(&|i| format!("(<= (known{i} a) (unknown{i} b))")), &["undefined"]);
    quickly("long names", &format!("(<= ({0}a ?x) (not ({0}b ?y)))", "n".repeat(1_000_000)), &["unsafe-variable"]);
    let vars: String = (0..4000).map(|i| format!(" ?v{i}")).collect();
    let deep = format!("(<= (p{vars}) {}(q{vars}){})", "(or (and ".repeat(98), "))".repeat(98));
    quickly("deep branches", &deep.repeat(10), &["nested-or"]);
    let deep = format!("(<= (p{vars}) {}(not (q{vars})){})", "(or (and (r ?v1) ".repeat(98), "))".repeat(98));
    quickly("deep needs", &deep.repeat(10), &["unsafe-variable"]);
}

/// What the strict check must say of each conformance case: errors, warnings.
const CONFORMANCE: &[(&str, &[&str], &[&str])] = &[
    ("connectFour", &[], &[]),
    ("simpleMutex", &[], &[]),
    ("test_case_1a", &[], &["empty-rule"]),
    ("test_case_1b", &[], &[]),
    ("test_case_2a", &[], &[]),
    ("test_case_2b", &[], &[]),
    ("test_case_2c", &[], &["unused"]),
    ("test_case_3a", &[], &["mixed-parens"]),
    ("test_case_3b", &["unsafe-variable"], &["unused"]),
    ("test_case_3c", &[], &["undefined"]),
    ("test_case_3d", &[], &[]),
    ("test_case_3e", &["unsafe-variable"], &[]),
    ("test_case_3f", &["unsafe-variable"], &[]),
    ("test_case_4a", &[], &[]),
    ("test_case_5a", &[], &[]),
    ("test_case_5b", &[], &[]),
    ("test_case_5c", &[], &[]),
    ("test_case_5d", &[], &["empty-rule"]),
    ("test_case_5e", &[], &[]),
    ("test_clean_not_distinct", &["not-sentence"], &[]),
    ("test_distinct_beginning_rule", &[], &[]),
    ("test_invalid_function_arities_differ", &[], &["several-arities"]),
    ("test_invalid_sentence_arities_differ", &[], &["several-arities", "unused"]),
    ("ticTacToe", &[], &[]),
];

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus");

/// The rulesheets of a folder, by name; `None`, and a word about it, where there is no such folder.
fn corpus(folder: &str) -> Option<BTreeMap<String, String>> {
    let path = format!("{CORPUS}/{folder}");
    let Ok(entries) = std::fs::read_dir(&path) else {
        println!("SKIPPED: {path} is not there");
        return None;
    };
    let mut found = BTreeMap::new();
    for path in entries.map(|entry| entry.expect("a readable folder").path()) {
        if path.extension().is_some_and(|extension| extension == "kif") {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            found.insert(name, std::fs::read_to_string(&path).expect("a readable file"));
        }
    }
    Some(found)
}

#[test]
fn conformance() {
    let Some(cases) = corpus("conformance") else { return };
    assert_eq!(cases.keys().collect::<Vec<_>>(), CONFORMANCE.iter().map(|(name, ..)| name).collect::<Vec<_>>());
    for (name, errors, warnings) in CONFORMANCE {
        let problems = problems(&cases[*name]);
        let codes = |severity| -> BTreeSet<&str> {
            problems.iter().filter(|problem| problem.severity == severity).map(|problem| problem.code).collect()
        };
        assert_eq!(codes(Severity::Error), errors.iter().copied().collect(), "{name}: {problems:#?}");
        assert_eq!(codes(Severity::Warning), warnings.iter().copied().collect(), "{name}: {problems:#?}");
    }
}

/// Published rulesheets have few problems; those with errors were looked at one by one.
#[test]
fn published_rulesheets() {
    let Some(games) = corpus("games") else { return };
    let mut with_errors = Vec::new();
    for (name, text) in &games {
        let problems = problems(text);
        for problem in &problems {
            println!("{}", Source { name, text }.show(problem));
        }
        let errors: BTreeSet<_> =
            problems.iter().filter(|problem| problem.severity == Severity::Error).map(|problem| problem.code).collect();
        with_errors.extend(errors.into_iter().map(|code| (name.as_str(), code)));
    }
    let expected =
        ["futoshiki5", "futoshiki6", "hidato19", "nineBoardTicTacToePie"].map(|name| (name, "negative-cycle"));
    assert_eq!(with_errors, expected);
}
