//! Games known by their rules alone: nothing in them is named to the plan.

use game::Cancel;
use machine::{Budget, PropNet};
use plan::build;
use plan::learn::Settings;
use plan::listed::{ListError, ListedWords, list};
use plan::world::{Kind, NO_LEVEL};
use plan::{Plan, Subject};
use study::Study;
use table::solve::{Options, solve};

fn rules(name: &str) -> gdl::Rules {
    let path = format!("{}/../../games/{name}/rules.kif", env!("CARGO_MANIFEST_DIR"));
    let rules = gdl::parse(&std::fs::read_to_string(path).unwrap()).rules;
    study::ply_limit(&rules).map_or(rules, |limit| limit.rules)
}

fn plan_of(rules: &gdl::Rules, plies: usize) -> (Plan, usize) {
    let net = PropNet::new(rules, Budget::default()).unwrap();
    let findings = Study::run(rules, &net, study::Plan::quick()).findings();
    let mut listed = list("game", &net, &findings, None, &Options::default(), &Cancel::new()).unwrap();
    let words = ListedWords { game: &net, states: &listed.states };
    let subject = Subject::Game { name: "game".into(), identity: String::new(), role: String::new() };
    let settings = Settings { plies, goals: 6, rounds: 2, ..Settings::default() };
    let plan = build::build(&mut listed.world, subject, &settings, &words, &mut |_| true);
    (plan, listed.states.len())
}

#[test]
fn nim_is_found_out() {
    let (plan, _) = plan_of(&rules("nim"), 1);
    assert_eq!(plan.reached[0].won, plan.reached[0].positions);
    assert!(plan.sentences()[1].contains("nim-sum"), "{:?}", plan.sentences());
}

#[test]
fn blocks_are_put_in_order() {
    let (plan, _) = plan_of(&rules("blocks-world"), 1);
    assert_eq!(plan.reached[0].won, plan.reached[0].positions);
}

#[test]
fn what_lies_in_a_maze_is_fetched_in_order() {
    let (plan, _) = plan_of(&rules("maze"), 2);
    assert_eq!((plan.reached[0].won, plan.reached[0].excess), (44, 0.0), "{:?}", plan.sentences());
    assert!(plan.sentences()[1].contains("carrying key"), "{:?}", plan.sentences());
}

#[test]
fn levels_are_those_of_the_solver() {
    let rules = rules("tic-tac-toe");
    let net = PropNet::new(&rules, Budget::default()).unwrap();
    let findings = Study::run(&rules, &net, study::Plan::quick()).findings();
    let listed = list("tic-tac-toe", &net, &findings, None, &Options::default(), &Cancel::new()).unwrap();
    let solved = solve(&net, &Options::default(), None, &mut |_| true).unwrap();
    assert_eq!(listed.states.len() as u64 - 2, solved.statistics().states);
    for (node, state) in listed.states.iter().enumerate().skip(2) {
        let entry = solved.probe(state).unwrap();
        let won = entry.value.unwrap() > 0;
        assert_eq!(listed.world.plies[node] != NO_LEVEL, won);
        if won {
            assert_eq!(Some(listed.world.plies[node]), entry.distance);
        }
        if listed.world.kinds[node] == Kind::Won {
            assert!(won);
        }
    }
    // What stands where is what the facts say: five marks at most, in nine cells.
    let mut scene = plan::scene::Scene::new(&listed.world.board);
    listed.world.scenes.scene(2, &mut scene);
    assert_eq!((scene.occupied(), listed.world.board.cells.len()), (0, 9));
}

#[test]
fn what_cannot_be_planned_says_why() {
    let text = "(role a) (role b) (init (s 0)) (legal a x) (legal b x) (<= (next (s 1)) (true (s 0)))
        (<= terminal (true (s 1))) (goal a 50) (goal b 50)";
    let rules = gdl::parse(text).rules;
    let net = PropNet::new(&rules, Budget::default()).unwrap();
    let findings = Study::run(&rules, &net, study::Plan::quick()).findings();
    let error = list("even", &net, &findings, None, &Options::default(), &Cancel::new()).err().unwrap();
    assert!(matches!(error, ListError::NothingWon(_)), "{error}");
    let cancelled = Cancel::new();
    cancelled.cancel();
    let nim = self::rules("nim");
    let net = PropNet::new(&nim, Budget::default()).unwrap();
    let stopped = list("nim", &net, &findings, None, &Options::default(), &cancelled).err().unwrap();
    assert!(matches!(stopped, ListError::Stopped), "{stopped}");
}
