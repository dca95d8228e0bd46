//! The portable lanes on a tiny game: small enough for miri, which interprets every access to memory and knows no
//! instructions beyond the plain ones. Without miri the same tests run longer.

use game::random::End;
use game::rollouts::Feed;
use game::steps::{Seen, Steps};
use game::{Game, Goal, Move, Role};
use machine::{Budget, Lanes, NetState, PropNet, Tally};

/// Steps and games; under miri everything takes some thousand times as long.
const STEPS: u64 = if cfg!(miri) { 4 } else { 400 };
const GAMES: u32 = if cfg!(miri) { 520 } else { 20_000 };

/// A token goes one or two steps; a way round in a circle makes the circuit loop.
const RULES: &str = "(role x) (role o) (init (at 0)) (init (turn x)) (succ 0 1) (succ 1 2) (succ 2 3) (other x o) (other o x)
    (<= (step ?a ?b) (succ ?a ?b)) (<= (step ?a ?c) (succ ?a ?b) (succ ?b ?c))
    (<= (legal ?r (go ?b)) (true (turn ?r)) (true (at ?a)) (step ?a ?b)) (<= (legal ?r wait) (true (turn ?s)) (other ?s ?r))
    (<= (next (at ?b)) (does ?r (go ?b))) (<= (next (seen ?b)) (does ?r (go ?b))) (<= (next (seen ?b)) (true (seen ?b)))
    (<= (next (turn ?r)) (true (turn ?s)) (other ?s ?r))
    (<= (near ?a) (true (seen ?a))) (<= (near ?a) (near ?b) (true (at ?a)) (step ?b ?a)) (<= (near ?a) (near ?b) (true (at ?b)) (step ?a ?b))
    (<= terminal (true (at 3))) (<= (goal ?r 100) (true (turn ?r)) (near 1)) (<= (goal ?r 40) (true (turn ?s)) (other ?s ?r))";

fn net() -> PropNet {
    PropNet::new(&gdl::parse(RULES).rules, Budget::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn tally(net: &PropNet, seed: u64) -> Tally {
    let mut lanes = Lanes::portable(net, seed);
    lanes.run(STEPS);
    lanes.tally().clone()
}

#[test]
fn lanes_make_the_same_games_from_the_same_seed() {
    let net = net();
    assert!(net.size().looped > 0, "a loop is among what is run");
    let found = tally(&net, 3);
    assert_eq!(found, tally(&net, 3));
    assert_ne!(found, tally(&net, 4));
    assert_eq!((found.stuck, found.cut), (0, 0));
    // A game has two or three moves, and all 512 are at work all the time.
    assert!(found.states >= 512 * (STEPS - STEPS / 3 - 1) && found.playouts >= 512 * (STEPS / 4), "{found:?}");
    assert!(found.goals[0][40] > 0 && found.goals[1][40] > 0, "{found:?}");
}

/// So many games from the start; what they came to.
struct Games {
    start: NetState,
    left: u32,
    ended: u32,
    steps: usize,
}

impl Feed<NetState> for Games {
    fn stop(&mut self) -> bool {
        false
    }
    fn next(&mut self) -> Option<(u32, &NetState)> {
        self.left = self.left.checked_sub(1)?;
        Some((self.left, &self.start))
    }
    fn done(&mut self, _: u32, end: End, steps: usize, _: &[Option<Goal>]) {
        assert_eq!(end, End::Terminal);
        self.ended += 1;
        self.steps += steps;
    }
}

#[test]
fn rollouts_end_as_often_as_they_begin() {
    let net = net();
    let mut games = Games { start: net.start(), left: GAMES, ended: 0, steps: 0 };
    net.rollouts(&mut games, 10, 7).unwrap();
    assert_eq!(games.ended, GAMES);
    assert!((2 * GAMES as usize..=3 * GAMES as usize).contains(&games.steps), "{} steps", games.steps);
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
fn batches_of_steps_agree_with_single_ones() {
    let net = net();
    let mut view = net.view();
    net.look(&net.start(), &mut view).unwrap();
    let moves = |role| {
        let mut legal = Vec::new();
        net.legal(&view, role, &mut legal);
        legal
    };
    let (x, o) = (moves(Role(0)), moves(Role(1)));
    let joints: Vec<Vec<Move>> = x.iter().map(|&mv| vec![mv, o[0]]).collect();
    let mut children = Vec::new();
    net.children(&mut view, &joints, &mut children);
    assert_eq!(children.len(), 2);
    // Enough of them that they are not made one by one.
    let steps: Vec<_> = joints.iter().cycle().take(6).map(|joint| (net.start(), joint.clone())).collect();
    let mut walk = Walk { steps, reached: Vec::new() };
    net.advance(&mut view, &mut walk).unwrap();
    for ((state, seen), child) in walk.reached.iter().zip(children.iter().cycle()) {
        assert_eq!(state, child);
        let mut single = net.view();
        net.look(child, &mut single).unwrap();
        let mut right = Seen::default();
        right.read(&net, &mut single).unwrap();
        assert_eq!(*seen, right);
    }
}
