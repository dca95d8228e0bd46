//! The signature of each searcher: what it counts and chooses with a fixed seed and budget, on one thread.
//!
//! A change that is meant to change nothing (speed, order of code) leaves every number as it is; one that changes how a search
//! behaves changes some of them, and shows them in its diff. The numbers say nothing about strength.

use game::{Evaluator, Game, Move, Names, Role, Turn, roles};
use machine::PropNet;
use search::{Budget, Knowledge, Method, Monitor, PortfolioSettings, Selection, UctSettings};
use std::fmt::Write;
use std::sync::Arc;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/signature.txt");
const ACCEPT: &str = "LUDENS_ACCEPT_SIGNATURE";

/// Moves of the role against those of the others.
struct Mobility;

impl Evaluator<PropNet> for Mobility {
    fn value(
        &self,
        net: &PropNet,
        _: &<PropNet as Game>::State,
        view: &mut <PropNet as Game>::View,
        role: Role,
    ) -> f32 {
        let count = |role: Role| {
            let mut moves = Vec::new();
            net.legal(view, role, &mut moves);
            moves.len() as f32
        };
        let others: f32 = roles(net).filter(|&other| other != role).map(count).sum();
        50.0 + count(role) - others
    }
}

fn methods() -> Vec<(&'static str, Method)> {
    let usual = UctSettings::default();
    let uct = |settings: UctSettings, evaluator| Method::Uct { settings, evaluator };
    let portfolio = |selection| Method::Portfolio(PortfolioSettings { selection, threads: 1 });
    vec![
        ("uct", Method::uct()),
        ("uct-plain", uct(UctSettings::plain(), None)),
        ("uct-bias", uct(UctSettings { playout_bias: 10, ..usual }, None)),
        ("uct-leaves", uct(usual, Some(0))),
        ("uct-cut", uct(UctSettings { cut: Some(6), ..usual }, Some(0))),
        ("alpha-beta", Method::alpha_beta(Some(0))),
        ("solver", Method::alpha_beta(None)),
        ("exhaustive", Method::exhaustive()),
        ("proof-number", Method::ProofNumber),
        ("monte-carlo", Method::MonteCarlo(Default::default())),
        ("greedy", Method::Greedy { settings: Default::default(), evaluator: 0 }),
        ("puzzle", Method::Puzzle(Default::default())),
        ("measured", portfolio(Selection::Measured)),
        ("deepest", portfolio(Selection::Deepest)),
    ]
}

/// Games of turns, of moves at once, and of one player; small ones, so that all of it takes seconds.
const GAMES: [&str; 6] = [
    "tic-tac-toe",
    "connect-four-small",
    "breakthrough-small",
    "rock-paper-scissors",
    "bidding-tic-tac-toe",
    "eight-puzzle",
];

/// Searches before the game and in three states, with one searcher, and adds up what it says.
fn signature(name: &str, net: &PropNet, label: &str, method: &Method) -> String {
    let knowledge = Knowledge { evaluators: vec![Arc::new(Mobility)], ..Knowledge::default() };
    let mut searcher = method.searcher(&knowledge).unwrap();
    let budget = Budget { memory: 16 << 20, ..Budget::of_nodes(1500, 7) };
    searcher.prepare(net, &net.start(), Role(0), &budget).unwrap();
    let (mut nodes, mut playouts, mut moves) = (0, 0, Vec::new());
    let (mut state, mut view) = (net.start(), net.view());
    for _ in 0..3 {
        net.look(&state, &mut view).unwrap();
        if net.turn(&view) == Turn::Over {
            break;
        }
        let found = searcher.search(net, &state, Role(0), &budget, &Monitor::new()).unwrap();
        let mv = found.mv.unwrap();
        nodes += found.nodes;
        playouts += found.playouts;
        moves.push(net.move_text(mv));
        // The others make their last move, so that it is not always the same corner.
        let joint = |role: Role| -> Move {
            let mut legal = Vec::new();
            net.legal(&view, role, &mut legal);
            if role == Role(0) { mv } else { legal[legal.len() - 1] }
        };
        let joint: Vec<Move> = roles(net).map(joint).collect();
        let mut next = state.clone();
        net.play(&mut view, &joint, &mut next).unwrap();
        state = next;
    }
    format!("{name} {label} nodes {nodes} playouts {playouts} moves {}", moves.join(" "))
}

#[test]
fn searchers_count_and_choose_as_they_did() {
    let mut new = String::new();
    for name in GAMES {
        let path = format!("{}/../../games/{name}/rules.kif", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let net = PropNet::new(&gdl::parse(&text).rules, machine::Budget::default()).unwrap();
        for (label, method) in methods() {
            // For games of more than one player the search for one is UCT.
            if label != "puzzle" || net.roles() == 1 {
                writeln!(new, "{}", signature(name, &net, label, &method)).unwrap();
            }
        }
    }
    if std::env::var_os(ACCEPT).is_some() {
        std::fs::write(FILE, &new).unwrap();
        return;
    }
    let old = std::fs::read_to_string(FILE).unwrap_or_default();
    let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
    let (before, now) = (lines(&old), lines(&new));
    let gone = before.iter().filter(|line| !now.contains(line)).map(|line| format!("- {line}\n"));
    let come = now.iter().filter(|line| !before.contains(line)).map(|line| format!("+ {line}\n"));
    assert!(
        before == now,
        "searchers behave in another way than they did:\n{}{}if that is meant: {ACCEPT}=1 cargo test -p search --test signature",
        gone.collect::<String>(),
        come.collect::<String>(),
    );
}
