//! Stages of any world, with attributes made from the rules: what is told of them is so, and what is stored reads back.

use game::Cancel;
use machine::{Budget, PropNet};
use plan::build::Tell;
use plan::casewise::PARTS;
use plan::chess::{Ending, EndingWords, world};
use plan::listed::{ListedWords, list};
use plan::movers::Movers;
use plan::pool::{self, Pool};
use plan::stages::cases;
use plan::stages::evaluator::Evaluator;
use plan::stages::find::{Settings, Staged, find};
use plan::stages::play::Repetition;
use plan::stages::{Examples, starts};
use plan::{Plan, World};
use study::Study;
use table::chess::{Material, Metric, Tables, build_all};
use table::solve::Options;

fn staged(world: &mut World, tell: &dyn Tell, settings: &Settings) -> (Movers, Staged) {
    let movers = Movers::read(world);
    let pool = Pool::new(world, &movers, pool::simple(world, &movers), &mut |_, _| true);
    let staged = find(world, &movers, &pool, settings, tell, &mut |_, _| true).expect("attributes tell of levels");
    (movers, staged)
}

/// What has to hold of the stages of any world.
fn holds(world: &World, movers: &Movers, staged: &Staged) {
    assert!(staged.attributes.len() <= 12 && !staged.attributes.is_empty());
    let board = &world.board;
    assert_eq!(staged.fault(board.things.len(), board.cells.len(), board.counters.len()), None);
    let values = staged.values(world, movers);
    let examples = Examples::new(world, &values);
    assert_eq!(examples.len(), starts(world).len());
    assert_eq!(examples.counts(), staged.levels);
    for one in &staged.examples {
        let predicted = staged.learned.predict(Evaluator::Tree(0), |at| one.values[at], None);
        assert!((predicted - one.predicted).abs() < 1e-5 && (predicted - f64::from(one.level)).abs() < 1.0);
    }
    // Of what is predicted for all positions the mean is right, whatever else is wrong.
    let predicted = staged.learned.predictions(Evaluator::Global, &examples);
    let mean = |list: &mut dyn Iterator<Item = f64>| list.sum::<f64>() / examples.len() as f64;
    let (said, is) =
        (mean(&mut predicted.iter().copied()), mean(&mut examples.levels.iter().map(|level| f64::from(*level))));
    assert!((said - is).abs() < 0.01, "{said} {is}");
    let told = staged.told(board);
    assert_eq!(told.stages.len(), staged.learned.stages.len());
    assert!(told.stages.iter().all(|stage| stage.sum[0].starts_with("Begin with ")));
    assert_eq!(staged.rows(&staged.played).len(), staged.played.iter().filter(|one| !one.games.drawn).count());
    let again: Staged = serde_json::from_str(&serde_json::to_string(staged).unwrap()).unwrap();
    assert_eq!(&again, staged, "what is stored reads back");
}

#[test]
fn the_rook_ending_has_stages() {
    let material = Material::parse("KRK").unwrap();
    let mut tables = Tables::new();
    build_all(material, Metric::Mate, &mut tables, &mut |_, _| true).unwrap();
    let mut world = world(material, Metric::Mate, &tables).unwrap();
    let settings = Settings { plies: vec![2, 4], ..Settings::default() };
    let (movers, staged) = staged(&mut world, &EndingWords(Ending::new(material)), &settings);
    holds(&world, &movers, &staged);
    assert_eq!(staged.levels.len(), 17);
    assert!(staged.learned.stages.len() > 1, "{:?}", staged.relevance.correlations);
    let error = |evaluator| staged.errors.iter().find(|one| one.evaluator == evaluator).unwrap().root;
    assert!(error(Evaluator::Perfect) < error(Evaluator::Global));
    let won = |evaluator, plies, repetition| {
        let same = |one: &&plan::stages::find::Played| {
            !one.games.drawn && (one.evaluator, one.games.plies, one.games.repetition) == (evaluator, plies, repetition)
        };
        staged.played.iter().find(same).unwrap().games.share()
    };
    let [avoid, _, nothing] = Repetition::ALL;
    for evaluator in [Evaluator::Global, Evaluator::Tree(0)] {
        assert!(won(evaluator, 4, avoid) > 0.9, "{}", won(evaluator, 4, avoid));
        assert!(won(evaluator, 4, avoid) >= won(evaluator, 4, nothing));
    }
    assert_eq!(staged.played.iter().filter(|one| one.games.drawn).count(), 12, "two depths, two sums, three readings");
}

fn of_game(name: &str) -> (World, Movers, Staged) {
    let path = format!("{}/../../games/{name}/rules.kif", env!("CARGO_MANIFEST_DIR"));
    let rules = gdl::parse(&std::fs::read_to_string(path).unwrap()).rules;
    let rules = study::ply_limit(&rules).map_or(rules, |limit| limit.rules);
    let net = PropNet::new(&rules, Budget::default()).unwrap();
    let findings = Study::run(&rules, &net, study::Plan::quick()).findings();
    let mut listed = list(name, &net, &findings, None, &Options::default(), &Cancel::new()).unwrap();
    let words = ListedWords { game: &net, states: &listed.states };
    let (movers, staged) = staged(&mut listed.world, &words, &Settings::default());
    (listed.world, movers, staged)
}

#[test]
fn games_have_stages_from_their_rules_alone() {
    for name in ["minichess", "tic-tac-toe", "nim"] {
        let (world, movers, staged) = of_game(name);
        holds(&world, &movers, &staged);
        assert!(staged.played.iter().any(|one| one.games.drawn), "{name}");
    }
}

#[test]
fn a_puzzle_is_learned_from_its_own_positions() {
    let (world, movers, staged) = of_game("blocks-world");
    assert!(world.alone);
    holds(&world, &movers, &staged);
    assert!(staged.played.iter().all(|one| !one.games.drawn), "nobody replies");
    // What a block is on is said as the rules write it, not as if one block stood on another's place.
    let told = serde_json::to_string(&staged.told(&world.board)).unwrap();
    assert!(told.contains("(on "), "{told}");
}

#[test]
fn stages_that_do_not_fit_together_are_refused() {
    let (world, _, staged) = of_game("nim");
    let size = |board: &plan::scene::Board| (board.things.len(), board.cells.len(), board.counters.len());
    let (things, cells, counters) = size(&world.board);
    let fault = |change: &dyn Fn(&mut Staged)| {
        let mut broken = staged.clone();
        change(&mut broken);
        broken.fault(things, cells, counters)
    };
    assert!(fault(&|_| {}).is_none());
    assert!(fault(&|one| one.most.clear()).is_some());
    assert!(fault(&|one| one.learned.global.weights.push(1.0)).is_some());
    assert!(fault(&|one| one.learned.local.clear()).is_some());
    assert!(fault(&|one| one.learned.trees.clear()).is_some());
    assert!(fault(&|one| one.profiles.clear()).is_some());
    assert!(fault(&|one| one.played[0].evaluator = Evaluator::Stage(9)).is_some());
    assert!(fault(&|one| one.relevance.gains.push(vec![])).is_some());
    assert!(Plan::parse("{\"form\":1}").is_err());
}

#[test]
fn cases_are_learned_played_told_and_stored() {
    let material = Material::parse("KRK").unwrap();
    let mut tables = Tables::new();
    build_all(material, Metric::Mate, &mut tables, &mut |_, _| true).unwrap();
    let mut world = world(material, Metric::Mate, &tables).unwrap();
    let movers = Movers::read(&mut world);
    let pool = Pool::new(&world, &movers, pool::simple(&world, &movers), &mut |_, _| true);
    let settings = cases::Settings {
        cases: 6,
        attributes: 10,
        sample: 5000,
        starts: 2000,
        lessons: 20,
        polish: 20,
        plies: 2,
        ..Default::default()
    };
    let found = cases::find(&world, &movers, &pool, &settings, &mut |_, _| true).expect("attributes tell of levels");
    assert!(found.len() <= 6 && found.len() > 1 && found.explained > 0.8, "{} {}", found.len(), found.explained);
    assert_eq!(found.played.len(), 6, "three readings, two defences");
    assert!(found.played.iter().all(|one| one.games == 21_959 && one.plies == 2), "from every won position");
    assert!(found.played[0].share() > 0.9, "{:?}", found.played[0]);
    let again = cases::find(&world, &movers, &pool, &settings, &mut |_, _| true).unwrap();
    assert_eq!(found, again, "the same seed finds the same");
    let told = found.told(&world.board);
    assert_eq!(told.len(), found.len());
    assert!(told.iter().all(|case| case.when.starts_with("if ") && case.sum[0].starts_with("Begin with ")));
    let read: cases::Cases = serde_json::from_str(&serde_json::to_string(&found).unwrap()).unwrap();
    assert_eq!(read, found, "what is stored reads back");
    let values = read.values(&world, &movers);
    assert_eq!(read.play(&world, &values, &[2], usize::MAX, settings.seed), found.played, "and plays the same");
    assert_eq!(read.fault(3, 64, 0), None);
    let (attributes, goals) = read.goals();
    assert_eq!((attributes.len(), goals.len()), (read.attributes.len(), read.len()), "each sum is a case of one goal");
    assert!(
        goals[goals.len() - 1].when.is_empty() && goals[..goals.len() - 1].iter().all(|goal| !goal.when.is_empty())
    );
    for node in world.won().step_by(97) {
        let own: Vec<u8> = values.iter().map(|column| column[node as usize]).collect();
        let goal = goals.iter().find(|goal| goal.holds(&own)).unwrap();
        let (told, is) = (f64::from(goal.value(&own)) / PARTS, read.predict(|at| own[at]));
        assert!((told - is).abs() < 1.0, "{told} {is}: in whole thousandths, some left out");
    }
    let mut circle = read.clone();
    circle.nodes[0] = cases::Node::Question { attribute: 0, most: 1, low: 0, high: 1 };
    assert!(circle.fault(3, 64, 0).is_some(), "questions never lead back");
    let mut wide = read;
    wide.most.pop();
    assert!(wide.fault(3, 64, 0).is_some());
}
