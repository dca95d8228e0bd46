//! What a search tells while it runs: whoever asks is answered, and asking changes nothing.

mod toy;

use game::{Evaluator, Game, Role};
use machine::PropNet;
use search::{
    AlphaBetaSettings, Budget, Found, Knowledge, Method, Monitor, PortfolioSettings, Searcher, Selection, UctSettings,
    first_moves,
};
use std::sync::{Arc, Mutex};
use toy::Toy;

/// Likes states in which the role has many moves.
struct Mobility;

impl<G: Game> Evaluator<G> for Mobility {
    fn value(&self, game: &G, _: &G::State, view: &mut G::View, role: Role) -> f32 {
        let mut moves = Vec::new();
        game.legal(view, role, &mut moves);
        moves.len() as f32
    }
}

fn knowledge<G: Game>() -> Knowledge<G> {
    Knowledge { evaluators: vec![Arc::new(Mobility)], ..Knowledge::default() }
}

fn methods() -> Vec<Method> {
    let uct = |settings: UctSettings, evaluator| Method::Uct { settings, evaluator };
    let usual = UctSettings::default();
    let portfolio = |selection, threads| Method::Portfolio(PortfolioSettings { selection, threads });
    vec![
        Method::uct(),
        uct(UctSettings { threads: 2, ..usual }, None),
        uct(UctSettings::plain(), None),
        uct(UctSettings { playout_bias: 8, ..usual }, None),
        uct(usual, Some(0)),
        uct(UctSettings { cut: Some(4), ..usual }, Some(0)),
        Method::alpha_beta(None),
        Method::alpha_beta(Some(0)),
        Method::AlphaBeta { settings: AlphaBetaSettings::exhaustive(), evaluator: None },
        Method::MonteCarlo(Default::default()),
        Method::Greedy { settings: Default::default(), evaluator: 0 },
        portfolio(Selection::Measured, 1),
        portfolio(Selection::Measured, 2),
        portfolio(Selection::Deepest, 2),
    ]
}

fn net(name: &str) -> PropNet {
    let path = format!("{}/../../games/{name}/rules.kif", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    PropNet::new(&gdl::parse(&text).rules, machine::Budget::default()).unwrap()
}

/// A search that is asked for a report whenever it looks at the clock: the result, and all reports that were new.
fn asked<G: Game + 'static>(method: &Method, game: &G, counted: Budget<'static>) -> (Found, Vec<Found>) {
    let monitor = Monitor::new();
    let reports: Mutex<Vec<Found>> = Mutex::default();
    let spent = || {
        if let Some(found) = monitor.snapshot() {
            let mut reports = reports.lock().unwrap();
            if reports.last() != Some(&found) {
                reports.push(found);
            }
        }
        0.0
    };
    let mut searcher = method.searcher(&knowledge()).unwrap();
    let budget = Budget { spent: &spent, ..counted };
    let found = searcher.search(game, &game.start(), Role(0), &budget, &monitor).unwrap();
    assert_eq!(monitor.report().as_ref(), Some(&found), "{method:?}: the result is the last report");
    assert_eq!(monitor.best().map(|(mv, _)| mv), found.mv, "{method:?}");
    let reports = reports.into_inner().unwrap();
    (found, reports)
}

fn check<G: Game>(method: &Method, game: &G, found: &Found, complete: bool) {
    let mut view = game.view();
    let legal = first_moves(game, &game.start(), Role(0), &mut view, &Monitor::new()).unwrap();
    assert!(found.mv.is_some_and(|mv| legal.contains(&mv)), "{method:?}: {found:?}");
    assert!((0.0..=100.0).contains(&found.value), "{method:?}: {found:?}");
    assert!(found.moves.iter().all(|choice| legal.contains(&choice.mv)), "{method:?}: {found:?}");
    assert!(!complete || found.moves.len() == legal.len(), "{method:?}: {found:?}");
    let shares: f32 = found.moves.iter().map(|choice| choice.share).sum();
    assert!((shares - 1.0).abs() < 1e-3, "{method:?}: {found:?}");
    assert!(found.line.first().is_none_or(|joint| joint.len() == game.roles()), "{method:?}: {found:?}");
}

#[test]
fn whoever_asks_is_answered_with_something_plausible() {
    let net = net("breakthrough-small");
    for method in methods() {
        let (found, reports) = asked(&method, &net, Budget::of_nodes(2000, 1));
        let greedy = matches!(method, Method::Greedy { .. });
        check(&method, &net, &found, true);
        assert!(found.nodes + found.playouts > 0, "{method:?}: {found:?}");
        assert!(reports.len() >= 3, "{method:?}: {} reports", reports.len());
        for report in &reports {
            check(&method, &net, report, !greedy);
        }
        // It goes on between the first and the last.
        let work = |found: &Found| found.nodes + found.playouts;
        let (first, last) = (&reports[0], &reports[reports.len() - 1]);
        assert!(work(first) < work(last), "{method:?}: {first:?} and {last:?}");
    }
}

#[test]
fn a_puzzle_reports_too() {
    let net = net("eight-puzzle");
    for method in [Method::Puzzle(Default::default()), Method::Portfolio(Default::default())] {
        let (found, reports) = asked(&method, &net, Budget::of_nodes(20_000, 1));
        assert!(reports.len() >= 3, "{method:?}: {}", reports.len());
        reports.iter().chain([&found]).for_each(|report| check(&method, &net, report, true));
    }
}

#[test]
fn all_trees_are_in_the_report() {
    let net = net("breakthrough-small");
    let method = Method::Uct { settings: UctSettings { threads: 2, ..Default::default() }, evaluator: None };
    let (found, reports) = asked(&method, &net, Budget::of_playouts(8000, 1));
    // More than half of the games: one tree alone has not played so many.
    let most = reports.iter().map(|report| report.playouts).max().unwrap();
    assert!(most > 5000 && found.playouts >= most, "{most} of {}", found.playouts);
}

#[test]
fn asking_changes_nothing() {
    let find = |method: &Method, game: &Toy, budget: &Budget<'_>| {
        let mut searcher = method.searcher(&knowledge()).unwrap();
        searcher.search(game, &game.start(), Role(0), budget, &Monitor::new()).unwrap()
    };
    for seed in 0..20 {
        let game = Toy::new(seed, 60, 2, if seed % 2 == 0 { 0 } else { 40 }, false);
        if game.turn(&game.start()) == game::Turn::Over {
            continue;
        }
        for method in methods() {
            let budget = Budget::of_nodes(300, seed);
            assert_eq!(asked(&method, &game, budget).0, find(&method, &game, &budget), "{method:?}, seed {seed}");
        }
    }
    let net = net("breakthrough-small");
    for method in [Method::uct(), Method::alpha_beta(None)] {
        let budget = Budget::of_nodes(2000, 3);
        let mut searcher: Box<dyn Searcher<PropNet>> = method.searcher(&knowledge()).unwrap();
        let found = searcher.search(&net, &net.start(), Role(0), &budget, &Monitor::new()).unwrap();
        assert_eq!(asked(&method, &net, budget).0, found, "{method:?}");
    }
}

#[test]
fn a_new_search_forgets_the_report_of_the_last() {
    let game = Toy::new(3, 60, 2, 0, false);
    let monitor = Monitor::new();
    let mut searcher = Method::uct().searcher::<Toy>(&knowledge()).unwrap();
    searcher.search(&game, &0, Role(0), &Budget::of_playouts(100, 1), &monitor).unwrap();
    assert!(monitor.report().is_some());
    // Ended before it has anything to report.
    let mut view = game.view();
    first_moves(&game, &0, Role(0), &mut view, &monitor).unwrap();
    assert!(monitor.report().is_none() && monitor.best().is_some());
}
