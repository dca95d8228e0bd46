//! The meaning of rules, case by case, and against a naive bottom-up evaluation on random rules: the prover and the
//! rule code, which must give the same.

use game::{Game, LimitKind, Names, Role};
use machine::{Limits, Prover, RuleCode};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn prover(text: &str) -> Prover {
    let parsed = gdl::parse(text);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    Prover::new(&parsed.rules).unwrap()
}

/// The legal moves of the first role at the start, sorted.
fn legal<G: Names>(game: &G) -> Vec<String> {
    let mut view = game.view();
    game.look(&game.start(), &mut view).unwrap();
    let mut moves = Vec::new();
    game.legal(&view, Role(0), &mut moves);
    let mut names: Vec<String> = moves.into_iter().map(|mv| game.move_text(mv)).collect();
    names.sort();
    names
}

/// The same, from both engines.
fn moves(text: &str) -> Vec<String> {
    let found = legal(&prover(text));
    let rules = gdl::parse(text).rules;
    assert_eq!(legal(&RuleCode::new(&rules).unwrap()), found, "{text}");
    found
}

const FRAME: &str = "(role me) (init start) (<= terminal (true done)) ";

#[test]
fn left_mutual_and_functional_recursion() {
    let left = "(succ 0 1) (succ 1 2) (succ 2 3) (<= (less ?x ?y) (succ ?x ?y))
        (<= (less ?x ?y) (less ?x ?z) (succ ?z ?y)) (<= (legal me (go ?x ?y)) (less ?x ?y))";
    assert_eq!(
        moves(&format!("{FRAME}{left}")),
        ["(go 0 1)", "(go 0 2)", "(go 0 3)", "(go 1 2)", "(go 1 3)", "(go 2 3)"]
    );
    let mutual = "(r 1 2) (<= (r ?x ?y) (s ?x ?y)) (<= (s ?x ?y) (r ?y ?x)) (<= (legal me (go ?x ?y)) (s ?x ?y))";
    assert_eq!(moves(&format!("{FRAME}{mutual}")), ["(go 1 2)", "(go 2 1)"]);
    let functions = "(r 0 0) (q 0) (<= (r ?v1 (f ?v1)) (r ?v2 ?v1) (q ?v2)) (<= (legal me (go ?x)) (r ?x (f ?x)))";
    assert_eq!(moves(&format!("{FRAME}{functions}")), ["(go (f 0))", "(go 0)"]);
    let circle =
        "(<= (p a) (p b)) (<= (p b) (p c)) (<= (p c) (p a)) (<= (legal me no) (not (p a))) (<= (legal me yes) (p a))";
    assert_eq!(moves(&format!("{FRAME}{circle}")), ["no"]);
}

#[test]
fn conditions_of_every_kind() {
    let facts = "(p a) (p b) (p c) (q b) (pair a b) (pair b b) (pair c a)";
    for (rule, expected) in [
        ("(<= (legal me ?x) (distinct ?x ?y) (p ?x) (q ?y))", vec!["a", "c"]),
        ("(<= (legal me ?x) (not (q ?x)) (p ?x))", vec!["a", "c"]),
        ("(<= (legal me ?x) (or (q ?x) (pair ?x a)))", vec!["b", "c"]),
        ("(<= (legal me ?x) (p ?x) (or (not (q ?x)) (pair ?x ?x)))", vec!["a", "b", "c"]),
        ("(<= (legal me ?x) (or (not (q ?x)) (pair ?x a)) (p ?x))", vec!["a", "c"]),
        ("(<= (legal me ?x) (p ?x) (not (distinct ?x b)))", vec!["b"]),
        ("(<= (legal me ?x) (p ?x) (not (or (q ?x) (pair ?x a))))", vec!["a"]),
        ("(<= (legal me ?x) (p ?x) (not (and (pair ?x ?y) (q ?y))))", vec!["c"]),
        ("(<= (legal me ?x) (p ?x) (not (not (q ?x))))", vec!["b"]),
        ("(<= (legal me ?x) (p ?x) (not (nothing ?x)))", vec!["a", "b", "c"]),
        ("(<= (legal me ?x) (p ?x) nothing)", vec![]),
        ("(<= (legal me ?x) (p ?x) (or))", vec![]),
        ("(<= (legal me ?x) (p ?x) (true start) (not (true (at ?x))))", vec!["a", "b", "c"]),
        ("(<= (legal me ?x) (true ?x))", vec!["start"]),
        ("(<= (legal me (f ?x (g ?y))) (pair ?x ?y) (distinct (g ?x) (g ?y)))", vec!["(f a (g b))", "(f c (g a))"]),
        ("(<= (legal ?r ?x) (role ?r) (q ?x))", vec!["b"]),
        ("(<= (legal ?p ?p) (q b))", vec!["me"]),
        ("(<= (legal me))", vec![]),
    ] {
        assert_eq!(moves(&format!("{FRAME}{facts}{rule} (legal you no)")), expected, "{rule}");
    }
}

#[test]
fn a_state_follows_from_moves() {
    let game = prover(
        "(role a) (role b) (init (n 0)) (succ 0 1) (succ 1 2)
         (<= (legal ?r (add ?y)) (role ?r) (true (n ?x)) (succ ?x ?y)) (<= (legal ?r wait) (role ?r))
         (<= (next (n ?y)) (does ?r (add ?y))) (<= (next (n ?x)) (true (n ?x)) (not someone))
         (<= someone (does ?r (add ?y))) (<= terminal (true (n 2)))
         (<= (goal ?r 100) (role ?r) (true (n 2))) (<= (goal ?r 0) (role ?r) (not (true (n 2))))",
    );
    let mut view = game.view();
    let (mut state, mut next) = (game.start(), game.start());
    for fact in ["(n 0)", "(n 1)"] {
        game.look(&state, &mut view).unwrap();
        assert_eq!(game.facts(&state), [fact]);
        assert_eq!(game.goal(&mut view, Role(1)), Ok(Some(0)));
        let mut a = Vec::new();
        game.legal(&view, Role(0), &mut a);
        let wait = *a.iter().find(|mv| game.move_text(**mv) == "wait").unwrap();
        let add = *a.iter().find(|mv| game.move_text(**mv) != "wait").unwrap();
        game.play(&mut view, &[wait, wait], &mut next).unwrap();
        assert_eq!(next, state);
        game.play(&mut view, &[wait, add], &mut next).unwrap();
        std::mem::swap(&mut state, &mut next);
    }
    game.look(&state, &mut view).unwrap();
    assert!(game.over(&view));
    assert_eq!(game.goal(&mut view, Role(0)), Ok(Some(100)));
    assert_eq!(game.state_of(&["(n 2)"]), Some(state));
    assert_eq!(game.state_of(&["(m 2)"]), None);
}

#[test]
fn endless_rules_meet_a_limit() {
    let text = "(role me) (<= (legal me ?x) (grow ?x)) (grow 0) (<= (grow (s ?x)) (grow ?x)) (<= terminal (true x))";
    let error = Prover::new(&gdl::parse(text).rules).err().unwrap();
    assert!(error.message.contains("nested too deeply"), "{error}");
    let text = "(role me) (<= (legal me (m ?a ?b ?c ?d ?e ?f)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f))
        (d 0) (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7) (d 8) (d 9) (<= terminal (true x))";
    let limits = Limits { work: 100_000, ..Limits::default() };
    let error = Prover::with_limits(&gdl::parse(text).rules, limits).err().unwrap();
    assert!(error.message.contains("inference steps") && error.message.contains("`legal`"), "{error}");
    let limits = Limits { memory: 1 << 20, ..Limits::default() };
    let error = Prover::with_limits(&gdl::parse(text).rules, limits).err().unwrap();
    assert!(error.message.contains("memory"), "{error}");
}

#[test]
fn a_limit_leaves_the_view_usable() {
    // At the start everything is small; in the second state the legal moves are too many.
    let text = "(role me) (init (at 1)) (d 0) (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7) (d 8) (d 9)
        (<= (legal me go) (true (at 1))) (<= (next (at 2)) (does me go)) (<= terminal (true (at 3)))
        (<= (legal me (m ?a ?b ?c ?d ?e)) (true (at 2)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e))";
    let limits = Limits { work: 50_000, ..Limits::default() };
    let game = Prover::with_limits(&gdl::parse(text).rules, limits).unwrap();
    let mut view = game.view();
    game.look(&game.start(), &mut view).unwrap();
    let mut legal = Vec::new();
    game.legal(&view, Role(0), &mut legal);
    let mut next = game.start();
    game.play(&mut view, &legal, &mut next).unwrap();
    assert_eq!(game.look(&next, &mut view).unwrap_err().kind, LimitKind::Work);
    game.look(&game.start(), &mut view).unwrap();
    legal.clear();
    game.legal(&view, Role(0), &mut legal);
    assert_eq!(legal.len(), 1);
}

#[test]
fn what_cannot_be_played_is_refused() {
    for (text, message) in [
        ("", "no role"),
        ("(role me) (legal me x)", "`terminal`"),
        ("(role me) terminal", "`legal`"),
        ("(role me) (<= (legal me x) p) (<= p (not q)) (<= q p) (<= terminal (true x))", "deny what they rest on"),
        ("(role me) terminal (<= (legal me ?x) (p a))", "bound by nothing"),
        ("(role me) terminal (legal me x) (<= (does me x) (p a))", "head"),
    ] {
        let error = match Prover::new(&gdl::parse(text).rules) {
            Err(error) => error.message,
            Ok(game) if text.contains("?x") => {
                // Terminal at once, so the legal moves are asked for only here.
                let state = game.state_of(&[]).unwrap();
                assert!(game.look(&state, &mut game.view()).is_ok());
                continue;
            }
            Ok(_) => panic!("accepted: {text}"),
        };
        assert!(error.contains(message), "{text}: {error}");
    }
}

/// A random rule over the relations `r0 … r4`: head, then conditions (relation, negated, variables).
type RandomRule = (usize, Vec<usize>, Vec<(usize, bool, Vec<usize>)>);

/// Relations 0..3 are of the lower stratum, 3..5 of the upper; negation looks only down. All have two arguments.
fn rule() -> impl Strategy<Value = RandomRule> {
    let vars = || prop::collection::vec(0usize..4, 2);
    (0usize..5, vars(), prop::collection::vec((0usize..5, any::<bool>(), vars()), 1..4)).prop_map(
        |(head, args, body)| {
            let body = body
                .into_iter()
                .map(|(rel, negated, vars)| {
                    let negated = negated && head >= 3 && rel < 3;
                    let rel = if head < 3 { rel % 3 } else { rel };
                    (rel, negated, vars)
                })
                .collect();
            (head, args, body)
        },
    )
}

/// Binds every variable that needs it, so that the rule is safe.
fn text_of(rule: &RandomRule) -> String {
    let (head, args, body) = rule;
    let mut text = format!("(<= (r{head} ?v{} ?v{})", args[0], args[1]);
    let positive: BTreeSet<usize> =
        body.iter().filter(|(_, negated, _)| !negated).flat_map(|(_, _, vars)| vars.clone()).collect();
    for (rel, negated, vars) in body {
        let atom = format!("(r{rel} ?v{} ?v{})", vars[0], vars[1]);
        text += &if *negated { format!(" (not {atom})") } else { format!(" {atom}") };
    }
    let needed: BTreeSet<usize> =
        args.iter().copied().chain(body.iter().flat_map(|(_, _, vars)| vars.clone())).collect();
    for var in needed.difference(&positive) {
        text += &format!(" (dom ?v{var})");
    }
    text + ")"
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// All true `(rel, x, y)`, by applying every rule to every assignment until nothing changes, stratum by stratum.
fn naive(facts: &[(usize, usize, usize)], rules: &[RandomRule]) -> BTreeSet<(usize, usize, usize)> {
    let mut known: BTreeSet<_> = facts.iter().copied().collect();
    for upper in [false, true] {
        loop {
            let before = known.len();
            for (head, args, body) in rules.iter().filter(|(head, ..)| (*head >= 3) == upper) {
                for code in 0..256usize {
                    let value = |var: usize| code >> (2 * var) & 3;
                    if body
                        .iter()
                        .all(|(rel, negated, v)| known.contains(&(*rel, value(v[0]), value(v[1]))) != *negated)
                    {
                        known.insert((*head, value(args[0]), value(args[1])));
                    }
                }
            }
            if known.len() == before {
                break;
            }
        }
    }
    known
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn agrees_with_naive_evaluation(
        facts in prop::collection::vec((0usize..5, 0usize..4, 0usize..4), 0..8),
        rules in prop::collection::vec(rule(), 1..8),
        bound in (0usize..4, 0usize..5),
    ) {
        let mut text = format!("{FRAME} (dom a) (dom b) (dom c) (dom d) ");
        for &(rel, x, y) in &facts {
            text += &format!("(r{rel} {} {}) ", NAMES[x], NAMES[y]);
        }
        for rule in &rules {
            text += &text_of(rule);
        }
        // One relation is asked for with an argument given first, so that questions of several kinds meet.
        text += &format!("(<= (legal me (first ?y)) (r{} {} ?y))", bound.1, NAMES[bound.0]);
        for rel in 0..5 {
            text += &format!("(<= (legal me (m {rel} ?x ?y)) (r{rel} ?x ?y))");
            text += &format!("(<= (legal me (t {rel} ?x ?y)) (dom ?x) (dom ?y) (r{rel} ?x ?y))");
        }
        let known = naive(&facts, &rules);
        let mut expected: Vec<String> = known.iter().flat_map(|&(rel, x, y)| {
            ["m", "t"].map(|kind| format!("({kind} {rel} {} {})", NAMES[x], NAMES[y]))
        }).collect();
        expected.extend(known.iter().filter(|&&(rel, x, _)| (x, rel) == bound).map(|&(_, _, y)| format!("(first {})", NAMES[y])));
        expected.sort();
        prop_assert_eq!(moves(&text), expected, "{}", text);
    }
}
