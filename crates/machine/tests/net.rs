//! The net and the rule code against the prover: the same facts, legal moves, goals and counts; and the lanes against
//! them.

mod library;

use game::perft::Joints;
use game::random::{End, Player, Rng};
use game::record::{record, replay};
use game::steps::{Seen, Steps};
use game::{Game, Move, Names, Role};
use gdl::Rules;
use machine::{Budget, Lanes, NetState, NoNet, PropNet, Prover, RuleCode};
use proptest::prelude::*;

fn rules(text: &str) -> Rules {
    let parsed = gdl::parse(text);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    parsed.rules
}

fn net(rules: &Rules) -> PropNet {
    PropNet::new(rules, Budget::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Mean length and mean goal of each role in random games of the prover.
fn sample(rules: &Rules, games: usize) -> (f64, f64, Vec<f64>) {
    let prover = Prover::new(rules).unwrap();
    let (mut player, mut rng) = (Player::new(&prover), Rng::new(5));
    let (mut steps, mut squares, mut goals) = (0.0, 0.0, vec![0.0; prover.roles()]);
    for _ in 0..games {
        let playout = player.playout(&prover, &prover.start(), &mut rng, 1000, &mut |_, _| ()).unwrap();
        assert_eq!(playout.end, End::Terminal);
        steps += playout.steps as f64;
        squares += (playout.steps * playout.steps) as f64;
        for (sum, goal) in goals.iter_mut().zip(playout.goals) {
            *sum += f64::from(goal.unwrap_or(0));
        }
    }
    let n = games as f64;
    let deviation = (squares / n - (steps / n).powi(2)).max(0.0).sqrt() / n.sqrt();
    (steps / n, deviation, goals.iter().map(|sum| sum / n).collect())
}

#[test]
fn lanes_play_the_same_random_games() {
    for (name, games) in [("tic-tac-toe", 20_000), ("connect-four-small", 6_000), ("blocker", 6_000), ("nim", 6_000)] {
        let rules = library::rules(name);
        let net = net(&rules);
        let (length, deviation, goals) = sample(&rules, games);
        for mut lanes in [net.lanes(9), Lanes::portable(&net, 9)] {
            lanes.run(4000);
            let tally = lanes.tally().clone();
            assert_eq!((tally.stuck, tally.cut), (0, 0), "{name}");
            // Five standard deviations of the prover's sample; the lanes' own is far larger.
            let mean = tally.states as f64 / tally.playouts as f64;
            assert!((mean - length).abs() < 5.0 * deviation + 0.02, "{name}: {mean} against {length} ± {deviation}");
            for (role, expected) in goals.iter().enumerate() {
                let counts = tally.goals[role].iter().enumerate();
                let sum: f64 = counts.map(|(goal, count)| goal as f64 * *count as f64).sum();
                let mean = sum / tally.playouts as f64;
                let bound = 5.0 * 50.0 / (games as f64).sqrt();
                assert!((mean - expected).abs() < bound, "{name} role {role}: {mean} against {expected}");
            }
        }
    }
}

/// One move decides, and the goal tells which it was: a direct look at how moves are chosen.
#[test]
fn lanes_choose_uniformly() {
    for count in [1usize, 2, 3, 5, 7, 15, 16, 17, 31, 33, 64, 97] {
        let mut text = String::from("(role a) (init start) (<= terminal (not (true start)))");
        for mv in 0..count {
            text += &format!("(<= (legal a (m {mv})) (true start)) (<= (next (chose {mv})) (does a (m {mv})))");
            text += &format!("(<= (goal a {mv}) (true (chose {mv})))");
        }
        let net = net(&rules(&text));
        let mut lanes = net.lanes(count as u64);
        lanes.run(2000);
        let tally = lanes.tally();
        let expected = tally.playouts as f64 / count as f64;
        let seen = &tally.goals[0][..count];
        let square: f64 = seen.iter().map(|&n| (n as f64 - expected).powi(2) / expected).sum();
        // Chi-square with count-1 degrees of freedom: mean count-1, variance 2(count-1); six deviations.
        let free = (count - 1) as f64;
        assert!(square < free + 6.0 * (2.0 * free).sqrt() + 1.0, "{count} moves: chi-square {square}: {seen:?}");
    }
}

#[test]
fn lanes_are_decided_by_the_seed() {
    let net = net(&library::rules("connect-four-small"));
    let tally = |seed| {
        let mut lanes = net.lanes(seed);
        lanes.run(300);
        lanes.tally().clone()
    };
    assert_eq!(tally(1), tally(1));
    assert_ne!(tally(1), tally(2));
    // Wide and plain planes make the same games.
    let mut plain = Lanes::portable(&net, 1);
    plain.run(300);
    assert_eq!(*plain.tally(), tally(1));
}

#[test]
fn stuck_and_endless_games_are_given_up() {
    let stuck =
        "(role a) (init (n 0)) (<= (legal a go) (true (n 0))) (<= (next (n 1)) (does a go)) (<= terminal (true (n 2)))
        (<= (next (n 2)) (does a never)) (<= (legal a never) (true (n 2)))";
    let endless = "(role a) (init (n 0)) (legal a go) (legal a stay) (<= (next (n 1)) (does a go) (true (n 0))) (<= (next (n 0)) (does a stay))
        (<= (next (n 0)) (does a go) (true (n 1))) (<= (next (n 2)) (true (n 2))) (<= terminal (true (n 2)))";
    let net = net(&rules(stuck));
    let mut lanes = net.lanes(1);
    lanes.run(10);
    assert!(lanes.tally().stuck > 0 && lanes.tally().playouts == 0);
    let net = self::net(&rules(endless));
    let mut lanes = net.lanes(1);
    lanes.most_steps(20);
    lanes.run(100);
    assert!(lanes.tally().cut > 0 && lanes.tally().playouts == 0);
}

/// Steps from some states, and where they lead.
struct Walk {
    steps: Vec<(NetState, Vec<Move>)>,
    reached: Vec<(NetState, Seen)>,
}

impl Steps<NetState> for Walk {
    fn count(&self) -> usize {
        self.steps.len()
    }
    fn step(&self, number: usize) -> (&NetState, &[Move]) {
        (&self.steps[number].0, &self.steps[number].1)
    }
    fn reached(&mut self, number: usize, state: NetState, seen: &Seen) {
        assert_eq!(number, self.reached.len());
        self.reached.push((state, seen.clone()));
    }
}

#[test]
fn batches_equal_single_states() {
    for name in ["connect-four", "hex", "tron", "chess-small"] {
        let net = net(&library::rules(name));
        let (mut view, mut rng) = (net.view(), Rng::new(3));
        let (mut state, mut children) = (net.start(), Vec::new());
        let mut all_steps = Vec::new();
        for _ in 0..42 {
            net.look(&state, &mut view).unwrap();
            if net.over(&view) {
                break;
            }
            let mut joints = Joints::default();
            joints.fill(&net, &view);
            let all: Vec<Vec<Move>> = (0..joints.len()).map(|index| joints.get(index)).collect();
            net.children(&mut view, &all, &mut children);
            let mut next = net.start();
            for (joint, child) in all.iter().zip(&children) {
                net.play(&mut view, joint, &mut next).unwrap();
                assert_eq!(next, *child, "{name}");
            }
            all_steps.extend(all.into_iter().map(|joint| (state.clone(), joint)));
            state = children[rng.below(children.len())].clone();
        }
        // From different states at once: on wide planes, on words, and in batches that are full and not.
        let mut single = Vec::new();
        for step in &all_steps {
            let mut one = Walk { steps: vec![step.clone()], reached: Vec::new() };
            game::steps::one_by_one(&net, &mut view, &mut one).unwrap();
            single.append(&mut one.reached);
        }
        for size in [all_steps.len(), 100, 5] {
            let mut reached = Vec::new();
            for part in all_steps.chunks(size) {
                let mut many = Walk { steps: part.to_vec(), reached: Vec::new() };
                net.advance(&mut view, &mut many).unwrap();
                reached.append(&mut many.reached);
            }
            let ends = reached.iter().filter(|(_, seen)| seen.over && !seen.goals.is_empty()).count();
            let enough = if name == "hex" { 1000 } else { 64 };
            assert!(reached.len() > enough && (ends > 0 || name != "connect-four"), "{name}");
            assert_eq!(reached, single, "{name} {size}");
        }
    }
}

#[test]
fn a_seed_gives_the_same_game_in_every_engine() {
    for name in ["connect-four", "awkward", "chinese-checkers-3", "farmers"] {
        let rules = library::rules(name);
        assert_eq!(record(&net(&rules), 4, 50), record(&Prover::new(&rules).unwrap(), 4, 50), "{name}");
    }
}

#[test]
fn facts_are_read_back() {
    let net = net(&library::rules("minichess"));
    let facts = net.facts(&net.start());
    let facts: Vec<&str> = facts.iter().map(String::as_str).collect();
    assert_eq!(net.state_of(&facts), Some(net.start()));
    assert_eq!(net.state_of(&["(nonsense 1)"]), None);
    assert_eq!(net.role_name(Role(0)), "white");
}

#[test]
fn what_would_be_too_large_is_refused_with_a_reason() {
    let rules = library::rules("chess-small");
    for (budget, reason) in [(Budget::new(1000, 1 << 30), "work"), (Budget::new(u64::MAX / 2, 10_000), "memory")] {
        match PropNet::new(&rules, budget) {
            Err(NoNet::Unfit(unfit)) => assert!(unfit.reason.contains(reason), "{unfit}"),
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("a net in spite of the budget"),
        }
    }
}

/// Random rules: a state of three facts, auxiliary relations that depend on each other in circles, negation below.
fn random_rules() -> impl Strategy<Value = String> {
    let atom = |kind: u8, a: u8, b: u8| {
        let name = |x: u8| ["x", "y", "z"][x as usize % 3];
        match kind % 6 {
            0 => format!("(true (f {}))", name(a)),
            1 => format!("(true (f ?v{}))", a % 2),
            2 => format!("(p ?v{} ?v{})", a % 2, b % 2),
            3 => format!("(q ?v{})", a % 2),
            4 => format!("(e ?v{} ?v{})", a % 2, b % 2),
            _ => format!("(true (g ?v{} ?v{}))", a % 2, b % 2),
        }
    };
    let body = move |lower: bool| {
        prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>(), any::<bool>()), 1..4).prop_map(move |parts| {
            let mut text = String::from(" (d ?v0) (d ?v1)");
            for (kind, a, b, negated) in parts {
                // Below, only facts and `e` may be denied; `p` and `q` are defined by each other.
                let denied = negated && !(lower && matches!(kind % 6, 2 | 3));
                let atom = atom(kind, a, b);
                text += &if denied { format!(" (not {atom})") } else { format!(" {atom}") };
            }
            text
        })
    };
    (
        prop::collection::vec(body(true), 2..4),
        prop::collection::vec(body(true), 1..3),
        prop::collection::vec(body(false), 1..4),
        prop::collection::vec(body(false), 1..4),
        prop::collection::vec((0usize..3, 0usize..3), 0..5),
    )
        .prop_map(|(ps, qs, legals, nexts, edges)| {
            let mut text =
                String::from("(role me) (d x) (d y) (d z) (init (f x)) (init (g x y)) (legal me pass) (e z z)");
            edges.iter().for_each(|&(a, b)| text += &format!("(e {} {})", ["x", "y", "z"][a], ["x", "y", "z"][b]));
            ps.iter().for_each(|body| text += &format!("(<= (p ?v0 ?v1){body})"));
            qs.iter().for_each(|body| text += &format!("(<= (q ?v0){body})"));
            legals.iter().for_each(|body| text += &format!("(<= (legal me (go ?v0 ?v1)){body})"));
            nexts.iter().for_each(|body| text += &format!("(<= (next (g ?v1 ?v0)){body})"));
            text += "(<= (next (f ?x)) (does me (go ?x ?y))) (<= (next (f ?x)) (true (g ?x ?y)) (not (q ?y)))";
            text += "(<= terminal (true (f z)) (true (g z z))) (<= (goal me 100) (q x)) (<= (goal me 0) (not (q x)))";
            text
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn agrees_with_the_prover_on_random_rules(text in random_rules()) {
        let rules = rules(&text);
        let prover = Prover::new(&rules).unwrap();
        let net = net(&rules);
        let code = RuleCode::new(&rules).unwrap();
        for seed in 0..3 {
            let game = record(&prover, seed, 12).unwrap();
            prop_assert!(replay(&net, &game).is_ok(), "{}\n{:?}", text, replay(&net, &game));
            prop_assert!(replay(&code, &game).is_ok(), "{}\n{:?}", text, replay(&code, &game));
        }
    }
}

/// What every state of a random game can still bring, by the net.
fn prospects(net: &PropNet, seed: u64) -> (Vec<u8>, u8) {
    let (mut rng, mut view, mut scratch) = (Rng::new(seed), net.view(), machine::Scratch::default());
    let (mut state, mut legal, mut found) = (net.start(), Vec::new(), Vec::new());
    loop {
        found.push(net.most(&state, Role(0), &mut scratch).expect("a game of one role"));
        net.look(&state, &mut view).unwrap();
        legal.clear();
        net.legal(&view, Role(0), &mut legal);
        if net.over(&view) || legal.is_empty() || found.len() > 300 {
            return (found, net.goal(&mut view, Role(0)).unwrap().unwrap_or(0));
        }
        let mut next = state.clone();
        net.play(&mut view, &[legal[rng.below(legal.len())]], &mut next).unwrap();
        state = next;
    }
}

#[test]
fn nothing_beyond_what_can_still_be_had_is_ever_reached() {
    let mut told = 0;
    for game in ["sudoku", "queens", "peg-solitaire", "hanoi", "maze", "sokoban", "knights-tour", "lights-out"] {
        let net = net(&library::rules(game));
        for seed in 0..30 {
            let (bounds, goal) = prospects(&net, seed);
            assert!(bounds.iter().all(|&bound| bound >= goal), "{game} {seed}: {bounds:?}, and it was {goal}");
            assert!(bounds.is_sorted_by(|a, b| a >= b), "{game} {seed}: a goal came back into reach: {bounds:?}");
            told += bounds.iter().filter(|&&bound| bound < 100).count();
        }
    }
    assert!(told > 0);
}

#[test]
fn a_latch_that_has_closed_is_noticed_at_once() {
    // Whoever opens the wrong box has lost, however many steps are left; the counter never comes to rest.
    let text = "(role me) (init (box a)) (init (box b)) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
        (<= (legal me (open ?b)) (true (box ?b))) (legal me wait)
        (<= (next (box ?b)) (true (box ?b)) (not (does me (open ?b))))
        (<= (next (opened ?b)) (does me (open ?b))) (<= (next (opened ?b)) (true (opened ?b)))
        (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
        (<= terminal (true (step 4)))
        (<= (goal me 100) (true (opened a)) (not (true (opened b))))
        (<= (goal me 40) (true (opened b))) (<= (goal me 0) (true (box a)) (true (box b)))";
    let net = net(&rules(text));
    let (mut view, mut scratch) = (net.view(), machine::Scratch::default());
    let after = |texts: &[&str], view: &mut _| {
        let mut state = net.start();
        for text in texts {
            net.look(&state, view).unwrap();
            let mv = net.legal_move(view, Role(0), text).unwrap();
            let mut next = state.clone();
            net.play(view, &[mv], &mut next).unwrap();
            state = next;
        }
        state
    };
    let mut most = |texts: &[&str]| net.most(&after(texts, &mut view), Role(0), &mut scratch);
    assert_eq!(most(&[]), Some(100));
    assert_eq!(most(&["wait", "(open a)"]), Some(100));
    assert_eq!(most(&["(open b)"]), Some(40));
    assert_eq!(most(&["(open a)", "(open b)"]), Some(40));
}
