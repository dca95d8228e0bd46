//! A choice made before the game is held against UCT while the game goes on: left where it is worse, and kept where it is not.

use game::random::Rng;
use game::{Evaluator, Game, Move, Role, Turn, roles};
use machine::{NetState, PropNet};
use search::alphabeta::AlphaBetaSettings;
use search::portfolio::Portfolio;
use search::{Budget, Knowledge, Method, Monitor, PortfolioSettings, Searcher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

fn net(name: &str) -> PropNet {
    let path = format!("{}/../../games/{name}/rules.kif", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    PropNet::new(&gdl::parse(&text).rules, machine::Budget::default()).unwrap()
}

/// Finds all states alike, so that whoever looks a step ahead with it makes the first move of all that do not win at once.
struct Blind;

impl Evaluator<PropNet> for Blind {
    fn value(&self, _: &PropNet, _: &NetState, _: &mut <PropNet as Game>::View, _: Role) -> f32 {
        50.0
    }
}

fn a_step_ahead() -> Method {
    Method::AlphaBeta { settings: AlphaBetaSettings { depth: Some(1), ..Default::default() }, evaluator: Some(0) }
}

/// A portfolio that searches in this way, as if it had been chosen before the game.
fn portfolio(method: Method, threads: usize) -> Portfolio<PropNet> {
    let knowledge =
        Knowledge { evaluators: vec![Arc::new(Blind)], names: vec!["nothing".to_string()], ..Knowledge::default() };
    let mut portfolio = Portfolio::new(PortfolioSettings { threads, ..Default::default() }, knowledge);
    portfolio.take(method).expect("the evaluator is known");
    portfolio
}

/// Lets a portfolio play a whole match against chance, and `others` happen whenever somebody else decides. The moves it made, and the first
/// news it had.
fn play(
    net: &PropNet,
    own: &mut Portfolio<PropNet>,
    budget: &Budget<'_>,
    mut others: impl FnMut(&mut Portfolio<PropNet>, &NetState),
) -> (Vec<Move>, Option<String>) {
    let (mut rng, mut state, mut view, role) = (Rng::new(3), net.start(), net.view(), Role(0));
    let (mut made, mut news) = (Vec::new(), None);
    loop {
        net.look(&state, &mut view).unwrap();
        let Turn::One(chooser) = net.turn(&view) else { return (made, news) };
        let mut joint = Vec::new();
        for each in roles(net) {
            let mut legal = Vec::new();
            net.legal(&view, each, &mut legal);
            joint.push(legal[rng.below(legal.len())]);
        }
        if chooser == role {
            let found = own.search(net, &state, role, budget, &Monitor::new()).unwrap();
            joint[0] = found.mv.unwrap();
            made.push(joint[0]);
        } else {
            others(own, &state);
        }
        news = news.or_else(|| own.news());
        let mut next = state.clone();
        net.play(&mut view, &joint, &mut next).unwrap();
        state = next;
    }
}

#[test]
fn a_bad_choice_is_left_and_that_is_told() {
    let net = net("connect-four-small");
    let start = net.start();
    let run = || {
        let mut own = portfolio(a_step_ahead(), 1);
        let mut made = Vec::new();
        // As often as there are moves in a match; a real one would soon be proved, and there would be nothing left to choose.
        for _ in 0..12 {
            assert_eq!(own.method(), &a_step_ahead());
            let found = own.search(&net, &start, Role(0), &Budget::of_playouts(50_000, 1), &Monitor::new()).unwrap();
            made.push(found.mv);
            if let Some(news) = own.news() {
                assert_eq!(own.method(), &Method::uct());
                return (made, news, own.about());
            }
        }
        panic!("not left");
    };
    let (made, news, about) = run();
    let beginning =
        "a tree of random games (UCT): instead of alpha-beta with the evaluation by nothing, behind UCT by ";
    assert!(news.starts_with(beginning), "{news}");
    assert_eq!(about.as_ref(), Some(&news));
    // Where games are counted, every run goes the same way.
    assert_eq!(run(), (made, news, about));
}

#[test]
fn what_is_as_good_is_kept() {
    // Both see to the end of what is left, and draw.
    let net = net("tic-tac-toe");
    let exhaustive = Method::exhaustive();
    let mut own = portfolio(exhaustive.clone(), 1);
    let (_, news) = play(&net, &mut own, &Budget::of_playouts(200_000, 1), |_, _| {});
    assert_eq!((own.method(), news), (&exhaustive, None));
    // UCT itself is not held against anything.
    let mut own = portfolio(Method::uct(), 1);
    assert_eq!(play(&net, &mut own, &Budget::of_playouts(2000, 1), |_, _| {}).1, None);
}

#[test]
fn the_time_of_others_is_used_for_it() {
    let net = net("breakthrough-small");
    let mut own = portfolio(a_step_ahead(), 2);
    let mut left_by = None;
    // A clock of so many looks, so that it goes the same way on slow machines, more or less.
    let looks = AtomicU32::new(0);
    let clock = || looks.fetch_add(1, Ordering::Relaxed) as f32 / 100_000.0;
    let mut others = 0;
    play(&net, &mut own, &Budget::of_playouts(500, 1), |own, state| {
        looks.store(0, Ordering::Relaxed);
        own.ponder(&net, state, Role(0), &Budget::timed(&clock, 1)).unwrap();
        others += 1;
        left_by = left_by.or((own.method() == &Method::uct()).then_some(others));
    });
    assert!(left_by.is_some(), "not left in {others} times");
}
