//! A guide finds in one position what the sweeps find in all of them.

use game::Cancel;
use plan::build::build;
use plan::chess::{Ending, EndingWords};
use plan::guide::{EndingAt, EndingField, Field, GameField, Guide, Reason};
use plan::learn::{Settings, scores};
use plan::listed::{ListedWords, list};
use plan::movers::Movers;
use plan::pool::{Pool, simple};
use plan::sweep::best;
use plan::world::Kind;
use plan::{Plan, Subject, World};
use std::collections::BTreeSet;
use table::chess::{Material, Metric, Tables, build_all};

/// The moves that the sweeps find best.
fn by_sweeps(plan: &Plan, world: &mut World) -> Vec<u64> {
    let movers = Movers::read(world);
    let pool = Pool::new(world, &movers, simple(world, &movers), &mut |_, _| true);
    let column =
        |at: usize| pool.attributes.iter().position(|known| *known == plan.attributes[at]).expect("it is known");
    let goals: Vec<Vec<(usize, i32)>> =
        plan.goals.iter().map(|goal| goal.parts.iter().map(|&(at, weight)| (column(at), weight)).collect()).collect();
    scores(world, &pool, &goals, plan.plies)
}

fn few() -> (Settings, impl FnMut(&plan::learn::Progress) -> bool) {
    let mut left = 40;
    let settings = Settings { beam: 2, ..Settings::default() };
    (settings, move |_| {
        left -= 1;
        left > 0
    })
}

#[test]
fn in_an_ending() {
    let material = Material::parse("KRK").expect("a material");
    let mut tables = Tables::new();
    build_all(material, Metric::Conversion, &mut tables, &mut |_, _| true).expect("it can be built");
    let mut world = plan::chess::world(material, Metric::Conversion, &tables).expect("all tables are there");
    let subject = Subject::Ending { material: "KRK".into(), metric: Metric::Conversion.name().into() };
    let (settings, mut watch) = few();
    let plan = build(&mut world, subject, &settings, &EndingWords(Ending::new(material)), &mut watch);
    let plan = Plan::parse(&plan.text()).expect("it reads back");
    assert!(!plan.goals.is_empty());
    let scores = by_sweeps(&plan, &mut world);
    let ending = Ending::new(material);
    let field = EndingField::new(material, Metric::Conversion, tables.into()).expect("all tables are there");
    let mut guide = Guide::new(&plan, field).expect("it fits together");
    let won: Vec<u32> = world.won().collect();
    for &node in won.iter().step_by(997) {
        let ways = guide.ways(&EndingAt::new(&ending.position(node))).expect("no limit");
        let least = ways.iter().map(|way| way.worth.clone()).min().expect("there is a move");
        let mine: BTreeSet<u32> = ways
            .iter()
            .filter(|way| way.worth == least)
            .map(|way| match &way.to {
                EndingAt::Inside(position) => ending.node(position).expect("it has a number"),
                EndingAt::Outside(_, won) => u32::from(!won),
            })
            .collect();
        let allowed = best(&world, &scores, node);
        let theirs: BTreeSet<u32> =
            world.next(node).iter().copied().filter(|&to| scores[to as usize] == allowed).collect();
        assert_eq!(mine, theirs, "{}", ending.position(node).fen());
    }
}

/// Own moves until it is won from a position, if it is within 100 of them, against the replies that hold out longest; and how often the rule
/// about repetitions decided.
fn game(guide: &mut Guide<'_, EndingField>, ending: &Ending, world: &World, start: u32) -> (Option<usize>, usize) {
    let mut at = EndingAt::new(&ending.position(start));
    let (mut seen, mut decided) = (vec![at], 0);
    for moves in 1..=100 {
        let ways = guide.ways(&at).expect("no limit");
        let (best, reason) = guide.choice(&ways, &seen).expect("there is a move");
        let EndingAt::Inside(to) = ways[best].to else { return (Some(moves), decided) };
        if reason == Reason::New {
            decided += 1;
            assert!(!seen.iter().any(|seen| guide.field.same(seen, &ways[best].to)), "it is new");
        }
        seen.push(ways[best].to);
        let node = ending.node(&to).expect("it has a number");
        let longest = |to: &&u32| if **to < 2 { u16::MAX } else { world.level(**to).unwrap_or(u16::MAX) };
        match world.next(node).iter().max_by_key(longest) {
            None => return ((world.kinds[node as usize] == Kind::Won).then_some(moves), decided),
            Some(&reply) if world.level(reply).is_none() => return (None, decided),
            Some(&reply) => at = EndingAt::new(&ending.position(reply)),
        }
    }
    (None, decided)
}

#[test]
fn the_rule_about_repetitions_wins_what_goes_in_circles() {
    let material = Material::parse("KRK").expect("a material");
    let mut tables = Tables::new();
    build_all(material, Metric::Conversion, &mut tables, &mut |_, _| true).expect("it can be built");
    let mut world = plan::chess::world(material, Metric::Conversion, &tables).expect("all tables are there");
    let tables = std::sync::Arc::new(tables);
    let ending = Ending::new(material);
    let subject = Subject::Ending { material: "KRK".into(), metric: Metric::Conversion.name().into() };
    let (settings, mut watch) = few();
    let without = build(&mut world, subject, &settings, &EndingWords(Ending::new(material)), &mut watch);
    let with = Plan { avoid: Some(6), ..without.clone() };
    let with = Plan::parse(&with.text()).expect("it reads back");
    assert_eq!(with.sentences().len(), without.sentences().len() + 1);
    assert!(with.sentences().last().is_some_and(|last| last.contains("the best of the next 5")));
    let starts: Vec<u32> = world.won().step_by(211).collect();
    let play = |plan: &Plan| {
        let field = EndingField::new(material, Metric::Conversion, std::sync::Arc::clone(&tables)).expect("tables");
        let mut guide = Guide::new(plan, field).expect("it fits together");
        let games: Vec<_> = starts.iter().map(|&start| game(&mut guide, &ending, &world, start)).collect();
        let won = games.iter().filter(|game| game.0.is_some()).count();
        let decided: usize = games.iter().map(|game| game.1).sum();
        let at = EndingAt::new(&ending.position(starts[0]));
        assert_eq!(guide.sentence(Reason::New, &at), Some(plan.goals.len() + 1));
        (won, decided)
    };
    let ((plain, never), (avoiding, decided)) = (play(&without), play(&with));
    assert_eq!(never, 0);
    assert!(decided > 0 && avoiding > plain, "{avoiding} with the rule, {plain} without, of {}", starts.len());
    // A rule that can make no other move is no rule.
    assert!(Plan::parse(&Plan { avoid: Some(1), ..with }.text()).is_err());
}

#[test]
fn in_a_game_that_is_known_by_its_rules() {
    let rules = gdl::parse(library::find("nim").expect("it is in the library").rules).rules;
    let game = machine::Loader::new(&rules).best().expect("it can be played").engine;
    let study = study::Study::run(&rules, &game, study::Plan::states(300));
    let listed = list("nim", &game, &study.findings(), None, &table::solve::Options::default(), &Cancel::new());
    let mut listed = listed.expect("it can be listed");
    let words = ListedWords { game: &game, states: &listed.states };
    let subject = Subject::Game { name: "nim".into(), identity: String::new(), role: "player2".into() };
    let (settings, mut watch) = few();
    let mut plan = build(&mut listed.world, subject, &settings, &words, &mut watch);
    plan.reads = Some(listed.vocabulary.reads(listed.best));
    let plan = Plan::parse(&plan.text()).expect("it reads back");
    let scores = by_sweeps(&plan, &mut listed.world);
    let field = GameField::new(&plan, &game, listed.role, Box::new(|fact| Some(fact.to_string())));
    let mut guide = Guide::new(&plan, field.expect("it can be read")).expect("it fits together");
    for node in listed.world.won() {
        let state = &listed.states[node as usize];
        assert_eq!(guide.field.kind(state).expect("no limit"), Kind::Ours);
        let ways = guide.ways(state).expect("no limit");
        let least = ways.iter().map(|way| way.worth.clone()).min().expect("there is a move");
        let allowed = best(&listed.world, &scores, node);
        for way in &ways {
            let next = listed.world.next(node).iter();
            let to = next.copied().find(|&to| listed.states[to as usize] == way.to).expect("it is listed");
            assert_eq!(way.worth == least, scores[to as usize] == allowed, "{:?}", game::Names::facts(&game, state));
        }
    }
}
