//! How games for one player fall apart, on rules made for it and, where they are at hand, on public ones.

use game::{Game, Role};
use machine::{Budget, PropNet};

fn net(text: &str) -> PropNet {
    PropNet::new(&gdl::parse(text).rules, Budget::default()).expect("a net")
}

/// The names of what is left of a game without its clock, part by part: moves.
fn moves(net: &PropNet) -> Vec<Vec<String>> {
    use game::Names;
    let parts = net.parts().expect("one player");
    let mut all: Vec<Vec<String>> =
        parts.parts.iter().map(|part| part.moves.iter().map(|&mv| net.move_text(mv)).collect()).collect();
    all.sort();
    all
}

const CLOCK: &str = "(init (time 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
    (<= (next (time ?m)) (true (time ?n)) (succ ?n ?m)) (<= over (true (time 6)))";

/// A counter that goes up, and a ring of lamps, side by side.
fn sum() -> String {
    format!(
        "(role me) {CLOCK} (init (level 0)) (init (lit a)) (ring a b) (ring b c) (ring c a)
        (<= (legal me up) (true (level ?n)) (succ ?n ?m)) (<= (legal me (turn ?x)) (ring ?x ?y))
        (<= (next (level ?m)) (does me up) (true (level ?n)) (succ ?n ?m)) (<= (next (level ?n)) (true (level ?n)) (not (does me up)))
        (<= turned (does me (turn ?x)))
        (<= (next (lit ?y)) (does me (turn ?x)) (true (lit ?x)) (ring ?x ?y)) (<= (next (lit ?x)) (true (lit ?x)) (not (does me (turn ?x))))
        (<= high (true (level 3))) (<= ready (true (lit c)) (not (true (lit a))))
        (<= terminal over) (<= terminal high ready)
        (<= (goal me 100) high ready) (<= (goal me 50) high (not ready)) (<= (goal me 50) ready (not high)) (<= (goal me 0) (not high) (not ready))"
    )
}

#[test]
fn a_sum_falls_apart_and_its_clock_is_nobodys() {
    let net = net(&sum());
    assert_eq!(moves(&net), [vec!["(turn a)", "(turn b)", "(turn c)"], vec!["up"]]);
    let parts = net.parts().unwrap();
    assert_eq!(parts.clock.len(), 7);
    assert_eq!(
        parts.ways.iter().map(|way| (way.goal, way.targets.len())).collect::<Vec<_>>(),
        [(100, 2), (50, 2), (50, 2)]
    );
    // What is asked of the parts is what the goal says.
    let mut state = net.start();
    let mut view = net.view();
    let done = |state: &machine::NetState| parts.ways[0].targets.iter().filter(|(_, test)| test.holds(state)).count();
    let (mut legal, mut seen) = (Vec::new(), Vec::new());
    for text in ["up", "(turn a)", "up", "(turn b)", "up"] {
        seen.push(done(&state));
        net.look(&state, &mut view).unwrap();
        legal.clear();
        net.legal(&view, Role(0), &mut legal);
        let mv = *legal.iter().find(|&&mv| game::Names::move_text(&net, mv) == text).expect(text);
        let mut next = state.clone();
        net.play(&mut view, &[mv], &mut next).unwrap();
        state = next;
    }
    assert_eq!(seen, [0, 0, 0, 0, 1]);
    assert_eq!(done(&state), 2);
    net.look(&state, &mut view).unwrap();
    assert!(net.over(&view) && net.goal(&mut view, Role(0)).unwrap() == Some(100));
}

#[test]
fn one_game_after_the_other_falls_apart_but_not_what_waits_for_each_other() {
    // The second lamp can be lit once the first one is: a part that waits for another one.
    let after =
        net("(role me) (<= (legal me one) (not (true (lit one)))) (<= (legal me two) (true (lit one))) (legal me rest)
        (<= (next (lit ?x)) (does me ?x) (distinct ?x rest)) (<= (next (lit ?x)) (true (lit ?x)))
        (<= terminal (true (lit one)) (true (lit two))) (<= (goal me 100) (true (lit one)) (true (lit two)))");
    assert_eq!(moves(&after), [["one"], ["two"]]);
    // Each of these may only be thrown where the other one allows it.
    let both = net("(role me) (<= (legal me one) (not (true (lit two)))) (<= (legal me two) (not (true (lit one)))) (legal me rest)
        (<= (next (lit ?x)) (does me ?x) (distinct ?x rest)) (<= (next (lit ?x)) (true (lit ?x)))
        (<= terminal (true (lit one)) (true (lit two))) (<= (goal me 100) (true (lit one)) (true (lit two)))");
    assert_eq!(moves(&both), [["one", "two"]]);
}

#[test]
fn frames_that_name_the_other_moves_change_nothing() {
    // What stays is written down for every other move, as in many public rulesheets.
    let net = net("(role me) (x a) (x b) (init (off a)) (init (off b)) (<= (legal me (light ?x)) (true (off ?x)))
        (<= (next (on ?x)) (does me (light ?x))) (<= (next (on ?x)) (true (on ?x)))
        (<= (next (off ?x)) (true (off ?x)) (does me (light ?y)) (distinct ?x ?y))
        (<= terminal (true (on a)) (true (on b))) (<= (goal me 100) (not (true (off a))) (not (true (off b))))");
    assert_eq!(moves(&net), [["(light a)"], ["(light b)"]]);
    // Each lamp has to be lit, and one move does it.
    let needs = &net.parts().unwrap().needs;
    assert_eq!(
        needs.iter().map(|need| (need.moves.len(), need.is_met(&net.start()))).collect::<Vec<_>>(),
        [(1, false); 2]
    );
}

#[test]
fn a_cell_that_no_move_can_fill_stays_empty() {
    // Two cells, two colours, no colour twice, and red is gone: after blue nothing fits into the other cell, and nothing but waiting is left,
    // which the rules of the cell do not mention.
    let net = net("(role me) (cell a) (cell b) (colour red) (colour blue) (init (empty a)) (init (empty b))
        (<= (legal me (paint ?x blue)) (true (empty ?x)) (not used)) (<= used (true (has ?x blue))) (legal me wait)
        (<= (next (has ?x ?c)) (does me (paint ?x ?c))) (<= (next (has ?x ?c)) (true (has ?x ?c)))
        (<= (next (empty ?x)) (true (empty ?x)) (does me (paint ?y ?c)) (distinct ?x ?y))
        (<= (next (empty ?x)) (true (empty ?x)) (does me wait)) (<= (next (waited)) (does me wait))
        (<= full (not (true (empty a))) (not (true (empty b))))
        (<= terminal full) (<= terminal (true (waited)))
        (<= (goal me 100) full) (<= (goal me 0) (not full))");
    let mut scratch = machine::Scratch::default();
    let mut view = net.view();
    assert_eq!(net.most(&net.start(), Role(0), &mut scratch), Some(100));
    net.look(&net.start(), &mut view).unwrap();
    let mut legal = Vec::new();
    net.legal(&view, Role(0), &mut legal);
    let paint = *legal.iter().find(|&&mv| game::Names::move_text(&net, mv) == "(paint a blue)").unwrap();
    let mut next = net.start();
    net.play(&mut view, &[paint], &mut next).unwrap();
    assert_eq!(net.most(&next, Role(0), &mut scratch), Some(0));
}

#[test]
fn public_sums_fall_apart() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus/games");
    for (name, count) in [("snakeParallel", 2), ("factoringEasyTurtleBrain", 3)] {
        let Ok(text) = std::fs::read_to_string(format!("{folder}/{name}.kif")) else {
            eprintln!("skipped: there is no {name} in {folder}");
            continue;
        };
        let net = net(&text);
        let parts = net.parts().unwrap();
        assert_eq!((parts.parts.len(), parts.ways.len()), (count, count), "{name}");
    }
}

#[test]
fn conditions_that_are_used_over_and_over_are_taken_apart_once() {
    // Forty relations, each of which names the one before twice: taken apart place by place there would be 2 to the 40th of them.
    let deep: String =
        (0..40).map(|n| format!("(<= (c {}) (c {n}) (a {n})) (<= (a {}) (a {n}) (c {n})) ", n + 1, n + 1)).collect();
    let net = net(&format!(
        "(role me) (legal me one) (legal me two) (<= (next (lit ?x)) (does me ?x)) (<= (next (lit ?x)) (true (lit ?x)))
        (<= (c 0) (true (lit one))) (<= (a 0) (true (lit two))) {deep} (<= terminal (c 40)) (<= (goal me 100) (c 40))"
    ));
    let ways = &net.parts().unwrap().ways;
    assert_eq!(ways.iter().map(|way| way.targets.len()).collect::<Vec<_>>(), [2]);
}
