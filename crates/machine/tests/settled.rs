//! What of a state no longer matters: in one game after the other, made for it, and in public ones where they are at hand.

use game::random::Rng;
use game::{Game, Move, Role, roles};
use machine::{Budget, NetState, PropNet};
use std::collections::HashMap;

/// Two rows of cells, one after the other: whoever has two neighbours of a row has won it. Points are added up.
const SERIAL: &str = "(role x) (role o) (row a) (row b) (beside 1 2) (beside 2 3) (beside 3 4) (beside 4 5)
    (<= (place ?n) (beside ?n ?m)) (<= (place ?m) (beside ?n ?m))
    (<= (init (cell ?r ?n blank)) (row ?r) (place ?n)) (init (control x))
    (<= (at-play a) (not (over a))) (<= (at-play b) (over a))
    (<= (legal ?who (mark ?r ?n)) (true (control ?who)) (at-play ?r) (true (cell ?r ?n blank)))
    (<= (legal ?who wait) (role ?who) (not (true (control ?who))))
    (<= (next (control x)) (true (control o))) (<= (next (control o)) (true (control x)))
    (<= (next (cell ?r ?n ?who)) (does ?who (mark ?r ?n)))
    (<= (marked ?r ?n) (does ?who (mark ?r ?n)))
    (<= (next (cell ?r ?n ?what)) (true (cell ?r ?n ?what)) (not (marked ?r ?n)))
    (<= (won ?r ?who) (true (cell ?r ?n ?who)) (beside ?n ?m) (true (cell ?r ?m ?who)) (role ?who))
    (<= (open ?r) (true (cell ?r ?n blank)))
    (<= (ended ?r) (won ?r ?who)) (<= (ended ?r) (row ?r) (not (open ?r)))
    (<= (over ?r) (ended ?r)) (<= (over ?r) (true (done ?r)))
    (<= (next (done ?r)) (ended ?r)) (<= (next (done ?r)) (true (done ?r)))
    (<= terminal (over b))
    (<= (goal ?who 100) (won a ?who) (won b ?who)) (<= (some ?who) (won ?r ?who))
    (<= (goal ?who 50) (some ?who) (not (both ?who))) (<= (both ?who) (won a ?who) (won b ?who))
    (<= (goal ?who 0) (role ?who) (not (some ?who)))";

fn net(text: &str) -> Option<PropNet> {
    PropNet::new(&gdl::parse(text).rules, Budget::default()).ok()
}

/// All that can be seen of a state, and the joint moves.
fn seen(net: &PropNet, state: &NetState) -> (Vec<Vec<Move>>, bool, Vec<Option<u8>>) {
    let mut view = net.view();
    net.look(state, &mut view).unwrap();
    let over = net.over(&view);
    let goals = roles(net).map(|role| net.goal(&mut view, role).unwrap()).collect();
    let legal = |role: Role| {
        let mut legal = Vec::new();
        net.legal(&view, role, &mut legal);
        legal
    };
    (roles(net).map(legal).collect(), over, goals)
}

fn step(net: &PropNet, state: &NetState, joint: &[Move]) -> NetState {
    let (mut view, mut next) = (net.view(), state.clone());
    net.look(state, &mut view).unwrap();
    net.play(&mut view, joint, &mut next).unwrap();
    next
}

/// Plays at random; states that are said to play on alike do, a step at a time. How many pairs of different states were compared.
fn compare(net: &PropNet, games: u64) -> usize {
    let Some(settled) = net.settled() else { return 0 };
    let mut rng = Rng::new(1);
    let mut known: HashMap<Vec<u64>, NetState> = HashMap::new();
    let mut compared = 0;
    for _ in 0..games {
        let mut state = net.start();
        for _ in 0..200 {
            let now = seen(net, &state);
            if now.1 || now.0.iter().any(Vec::is_empty) {
                break;
            }
            let joint: Vec<Move> = now.0.iter().map(|legal| legal[rng.below(legal.len())]).collect();
            let next = step(net, &state, &joint);
            if let Some(rest) = settled.rest(&state) {
                let other = known.entry(rest).or_insert_with(|| state.clone());
                if *other != state {
                    compared += 1;
                    assert_eq!(seen(net, other), now);
                    let after = step(net, other, &joint);
                    assert_eq!(settled.rest(&after), settled.rest(&next));
                    assert!(settled.rest(&next).is_some());
                    assert_eq!(seen(net, &after), seen(net, &next));
                }
            }
            state = next;
        }
    }
    compared
}

#[test]
fn how_the_first_game_was_won_does_not_matter() {
    let net = net(SERIAL).expect("a net");
    // The first row, and that it is done.
    assert_eq!(net.settled().expect("it is over at some time").counts().collect::<Vec<_>>(), [16]);
    assert!(compare(&net, 500) > 500);
    let settled = net.settled().unwrap();
    assert_eq!(settled.rest(&net.start()), None);
    // Who won it does: all states of the second game are told apart by that, and not by more.
    let mut kinds: HashMap<Vec<u64>, std::collections::HashSet<NetState>> = HashMap::new();
    let mut waiting = vec![net.start()];
    let mut all = std::collections::HashSet::new();
    while let Some(state) = waiting.pop() {
        if !all.insert(state.clone()) {
            continue;
        }
        if let Some(rest) = settled.rest(&state) {
            kinds.entry(rest).or_default().insert(state.clone());
        }
        let (legal, over, _) = seen(&net, &state);
        if !over {
            let joints = legal[0].iter().flat_map(|&a| legal[1].iter().map(move |&b| [a, b]));
            waiting.extend(joints.map(|joint| step(&net, &state, &joint)));
        }
    }
    let states: usize = kinds.values().map(|states| states.len()).sum();
    assert!(states > 4 * kinds.len(), "{states} states, {} kinds", kinds.len());
}

#[test]
fn games_side_by_side_settle_nothing() {
    // Without an order both rows can be played at any time.
    let both =
        SERIAL.replace("(at-play ?r)", "(row ?r)").replace("(<= terminal (over b))", "(<= terminal (over a) (over b))");
    assert!(net(&both).expect("a net").settled().is_none());
}

#[test]
fn in_public_games_states_are_not_mixed_up() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus/games");
    // Two that are played one after the other, and two in which both boards are played on at any time, and either may end the game.
    for (name, serial) in
        [("ticTacToeSerial", true), ("blockerSerial", true), ("dualConnect4", false), ("blockerParallel", false)]
    {
        let Ok(text) = std::fs::read_to_string(format!("{folder}/{name}.kif")) else {
            eprintln!("skipped: there is no {name} in {folder}");
            continue;
        };
        let net = net(&text).expect("a net");
        let compared = compare(&net, 300);
        println!(
            "{name}: {:?} facts stay, {compared} pairs",
            net.settled().map(|found| found.counts().collect::<Vec<_>>())
        );
        assert_eq!((net.settled().is_some(), compared > 50), (serial, serial), "{name}");
    }
}
