//! Games one after the other are proved with far fewer states where it is known what no longer matters.

use game::{Game, Role};
use machine::{Budget as NetBudget, NetState, PropNet};
use search::proof_number::ProofNumber;
use search::{Budget, Knowledge, Method, Monitor, Searcher};
use std::sync::Arc;

/// Two rows of six cells, one after the other: whoever has three neighbours of a row has won it. Points are added up.
const SERIAL: &str = "(role x) (role o) (row a) (row b) (beside 1 2) (beside 2 3) (beside 3 4) (beside 4 5) (beside 5 6)
    (<= (place ?n) (beside ?n ?m)) (<= (place ?m) (beside ?n ?m))
    (<= (init (cell ?r ?n blank)) (row ?r) (place ?n)) (init (control x))
    (<= (at-play a) (not (over a))) (<= (at-play b) (over a))
    (<= (legal ?who (mark ?r ?n)) (true (control ?who)) (at-play ?r) (true (cell ?r ?n blank)))
    (<= (legal ?who wait) (role ?who) (not (true (control ?who))))
    (<= (next (control x)) (true (control o))) (<= (next (control o)) (true (control x)))
    (<= (next (cell ?r ?n ?who)) (does ?who (mark ?r ?n))) (<= (marked ?r ?n) (does ?who (mark ?r ?n)))
    (<= (next (cell ?r ?n ?what)) (true (cell ?r ?n ?what)) (not (marked ?r ?n)))
    (<= (won ?r ?who) (true (cell ?r ?n ?who)) (beside ?n ?m) (true (cell ?r ?m ?who)) (beside ?m ?l) (true (cell ?r ?l ?who)) (role ?who))
    (<= (open ?r) (true (cell ?r ?n blank)))
    (<= (ended ?r) (won ?r ?who)) (<= (ended ?r) (row ?r) (not (open ?r)))
    (<= (over ?r) (ended ?r)) (<= (over ?r) (true (done ?r)))
    (<= (next (done ?r)) (ended ?r)) (<= (next (done ?r)) (true (done ?r)))
    (<= terminal (over b)) (<= (some ?who) (won ?r ?who)) (<= (both ?who) (won a ?who) (won b ?who))
    (<= (lost ?who) (won ?r ?other) (role ?who) (distinct ?who ?other))
    (<= (goal ?who 100) (both ?who)) (<= (goal ?who 75) (some ?who) (not (both ?who)) (not (lost ?who)))
    (<= (goal ?who 50) (some ?who) (lost ?who)) (<= (goal ?who 50) (role ?who) (not (some ?who)) (not (lost ?who)))
    (<= (goal ?who 25) (lost ?who) (not (some ?who)) (not (all-lost ?who))) (<= (goal ?who 0) (all-lost ?who))
    (<= (all-lost x) (both o)) (<= (all-lost o) (both x))";

fn net(text: &str) -> Arc<PropNet> {
    Arc::new(PropNet::new(&gdl::parse(text).rules, NetBudget::default()).expect("a net"))
}

/// What a player is told of such a game.
fn known(net: &Arc<PropNet>) -> Knowledge<PropNet> {
    let own = Arc::clone(net);
    assert!(own.settled().is_some());
    let same = move |state: &NetState| match own.settled().and_then(|settled| settled.rest(state)) {
        Some(rest) => search::key::key(&rest),
        None => search::key::key(state),
    };
    Knowledge { same: Some(Arc::new(same)), ..Knowledge::default() }
}

/// The value of the start, if it is proved, and the states that took.
fn run(net: &PropNet, searcher: &mut dyn Searcher<PropNet>, nodes: u64) -> (Option<f32>, u64) {
    let budget = Budget::of_nodes(nodes, 1);
    let found = searcher.search(net, &net.start(), Role(0), &budget, &Monitor::new()).expect("no limit");
    (found.proven.then_some(found.value), found.nodes)
}

#[test]
fn the_value_is_the_same_and_takes_fewer_states() {
    let net = net(SERIAL);
    let (plain, known) = (Knowledge::default(), known(&net));
    let exhaustive = |known: &Knowledge<PropNet>| {
        run(&net, &mut *Method::exhaustive().searcher(known).expect("no evaluator"), 10_000_000)
    };
    let (with, without) = (exhaustive(&known), exhaustive(&plain));
    println!("alpha-beta {with:?} instead of {without:?}");
    assert!(with.0.is_some() && with.0 == without.0 && 2 * with.1 < without.1, "{with:?} instead of {without:?}");
    let proofs = |known: &Knowledge<PropNet>| run(&net, &mut ProofNumber::new(known), 10_000_000);
    let (proof, before) = (proofs(&known), proofs(&plain));
    println!("proof numbers {proof:?} instead of {before:?}");
    assert!(proof.0 == with.0 && before.0 == with.0 && proof.1 < before.1, "{proof:?} instead of {before:?}");
}

#[test]
fn a_public_one_is_proved() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus/games/ticTacToeSerial.kif");
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("skipped: there is no {path}");
        return;
    };
    let net = net(&text);
    let proof = run(&net, &mut ProofNumber::new(&known(&net)), 300_000);
    let before = run(&net, &mut ProofNumber::new(&Knowledge::default()), 10 * proof.1);
    println!("proof numbers {proof:?} instead of {before:?}");
    assert_eq!((proof.0, before.0), (Some(50.0), None), "{proof:?} instead of {before:?}");
}
