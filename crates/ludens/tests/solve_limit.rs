//! Games solved without the counter that ends them, compared state by state with the same games solved with it.

use game::{Game, Names};
use machine::{Engine, Loader, State};
use std::collections::BTreeSet;
use table::solve::{Counter, Options, solve, solve_limited};

/// A token between two ends: one pushes it by one or two, the other pushes it back by one or two, or lets it be.
const PUSH: &str = "(role right) (role left) (init (at 4)) (init (control right)) (init (step 0))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
    (<= (by 1 ?x ?y) (succ ?x ?y)) (<= (by 2 ?x ?z) (succ ?x ?y) (succ ?y ?z))
    (<= (legal right (push ?n)) (true (control right)) (true (at ?x)) (by ?n ?x ?y))
    (<= (legal left (push ?n)) (true (control left)) (true (at ?x)) (by ?n ?y ?x))
    (<= (legal ?p stay) (true (control ?p))) (<= (legal right wait) (true (control left)))
    (<= (legal left wait) (true (control right)))
    (<= (next (at ?y)) (does right (push ?n)) (true (at ?x)) (by ?n ?x ?y))
    (<= (next (at ?y)) (does left (push ?n)) (true (at ?x)) (by ?n ?y ?x))
    (<= (next (at ?x)) (does ?p stay) (true (at ?x)))
    (<= (next (control left)) (true (control right))) (<= (next (control right)) (true (control left)))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= terminal (true (at 9))) (<= terminal (true (at 0))) (<= terminal (true (step 7)))
    (<= won (true (at 9))) (<= won (true (at 0)))
    (<= (goal right 100) (true (at 9))) (<= (goal left 0) (true (at 9)))
    (<= (goal left 100) (true (at 0))) (<= (goal right 0) (true (at 0)))
    (<= (goal ?p 50) (role ?p) (not won))";

/// Six steps to the goal, and nine moves for them.
const WALK: &str = "(role me) (init (at 0)) (init (step 0))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
    (legal me stay) (<= (legal me right) (true (at ?x)) (succ ?x ?y)) (<= (legal me left) (true (at ?x)) (succ ?y ?x))
    (<= (next (at ?y)) (does me right) (true (at ?x)) (succ ?x ?y))
    (<= (next (at ?y)) (does me left) (true (at ?x)) (succ ?y ?x))
    (<= (next (at ?x)) (does me stay) (true (at ?x))) (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= terminal (true (at 6))) (<= terminal (true (step 9)))
    (<= (goal me 100) (true (at 6))) (<= (goal me 25) (not (true (at 6))))";

fn engine(rules: &gdl::Rules) -> Engine {
    Loader::new(rules).best().expect("it can be played").engine
}

/// Everything that can be reached.
fn states(game: &Engine) -> Vec<State> {
    let mut all = vec![game.start()];
    let mut seen: BTreeSet<Vec<String>> = BTreeSet::new();
    let mut at = 0;
    while at < all.len() {
        let state = all[at].clone();
        at += 1;
        let mut view = game.view();
        game.look(&state, &mut view).expect("no limit");
        let mut joints = vec![Vec::new()];
        for role in game::roles(game).filter(|_| !game.over(&view)) {
            let mut legal = Vec::new();
            game.legal(&view, role, &mut legal);
            joints =
                joints.iter().flat_map(|joint| legal.iter().map(move |mv| [&joint[..], &[*mv]].concat())).collect();
        }
        for joint in joints.iter().filter(|joint| joint.len() == game.roles()) {
            let mut next = state.clone();
            game.play(&mut view, joint, &mut next).expect("no limit");
            let mut facts = game.facts(&next);
            facts.sort();
            if seen.insert(facts) {
                all.push(next);
            }
        }
    }
    all
}

#[test]
fn every_state_is_answered_as_with_the_counter() {
    for (name, text) in [("walk", WALK), ("push", PUSH)] {
        let rules = gdl::parse(text).rules;
        let limit = study::ply_limit(&rules).unwrap_or_else(|| panic!("{name} has a limit"));
        let (whole, free) = (engine(&rules), engine(&limit.rules));
        let counter = Counter { facts: limit.facts };
        let expected = solve(&whole, &Options::default(), None, &mut |_| true).expect("it can be solved");
        let limited = solve_limited(&free, &counter, &Options::default(), None, &mut |_| true).expect("so can this");
        assert_eq!(limited.start(), expected.start(), "{name}");
        let states = states(&whole);
        assert!(states.len() as u64 >= expected.statistics().states && states.len() > 40, "{name}: {}", states.len());
        let mut values = BTreeSet::new();
        for state in states {
            let facts = whole.facts(&state);
            let left = counter.left(&facts).expect("it counts");
            let rest: Vec<&str> =
                facts.iter().map(String::as_str).filter(|fact| !counter.facts.iter().any(|own| own == fact)).collect();
            let entry = limited.probe(&free.state_of(&rest).expect("a state of the free game"), left);
            assert_eq!(entry, expected.probe(&state), "{name}: {facts:?}");
            values.insert(entry.and_then(|entry| entry.value));
        }
        assert!(values.len() > 1, "{name}: {values:?}");
    }
}

#[test]
fn the_library_has_games_that_a_counter_ends() {
    let limit = |name: &str| {
        let rules = gdl::parse(library::find(name).expect("it is there").rules).rules;
        study::ply_limit(&rules).map(|limit| limit.facts.len() - 1)
    };
    assert_eq!(limit("krk"), Some(100));
    assert_eq!(limit("hanoi"), Some(100));
    assert_eq!((limit("nim"), limit("tic-tac-toe"), limit("chess")), (None, None, None));
}
