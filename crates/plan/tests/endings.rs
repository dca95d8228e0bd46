//! Endings of chess as worlds: what things can do, attributes, sweeps and plans, against chess written by hand and plain search.

use native::chess::geometry::{KING, QUEEN, ROOK, squares};
use native::chess::{Colour, Position};
use plan::attribute::{Attribute, Frame, Look, Place};
use plan::build::{self, Tell};
use plan::chess::{Ending, EndingWords, scene_of, world};
use plan::learn::{self, Settings};
use plan::movers::Movers;
use plan::pool::{self, Pool};
use plan::sweep;
use plan::world::{Kind, NO_LEVEL};
use plan::{Plan, Subject, World};
use table::chess::{Material, Metric, Tables, build_all};

fn ending(name: &str, metric: Metric) -> (World, Movers, Material) {
    let material = Material::parse(name).unwrap();
    let mut tables = Tables::new();
    build_all(material, metric, &mut tables, &mut |_, _| true).unwrap();
    let mut world = world(material, metric, &tables).unwrap();
    let movers = Movers::read(&mut world);
    (world, movers, material)
}

#[test]
fn levels_of_the_rook_ending_are_the_published_ones() {
    let (world, _, _) = ending("KRK", Metric::Mate);
    let mut levels = [0u64; 17];
    let mut draws = 0;
    for node in 2..world.len() as u32 {
        // Black to move, as in the set of 28,056 positions; mates are won already.
        let kind = world.kinds[node as usize];
        let black = match kind {
            Kind::Theirs => true,
            Kind::Won | Kind::Failed => node as usize >= 2 + (world.len() - 2) / 2,
            Kind::Ours | Kind::Unused => false,
        };
        if black {
            match world.level(node) {
                Some(level) => levels[usize::from(level)] += 1,
                None => draws += 1,
            }
        }
    }
    assert_eq!(levels, [27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553, 2166, 390]);
    assert_eq!(draws, 2796);
}

#[test]
fn what_men_can_do_is_read_off_their_moves() {
    let (world, movers, _) = ending("KRK", Metric::Mate);
    let names: Vec<&str> = world.board.things.iter().map(|thing| thing.name.as_str()).collect();
    assert_eq!(names, ["white king", "white rook", "black king"]);
    for square in 0..64u8 {
        let ways = |thing: usize| movers.movers[thing].ways[usize::from(square)].iter();
        let targets = |thing: usize| ways(thing).fold(0u64, |set, way| set | 1 << way.to);
        assert_eq!(targets(0), KING[usize::from(square)]);
        assert_eq!(targets(1), ROOK[usize::from(square)]);
        assert!(ways(0).all(|way| way.empty == 0), "a king jumps nothing");
        for way in ways(1) {
            let between = native::chess::geometry::BETWEEN[usize::from(square)][usize::from(way.to)];
            assert_eq!(way.empty, u128::from(between), "{square} to {}", way.to);
        }
    }
    let (_, movers, _) = ending("KQK", Metric::Mate);
    assert!((0..64).all(|at| {
        let ways = movers.movers[1].ways[at].iter();
        ways.fold(0u64, |set, way| set | 1 << way.to) == QUEEN[at]
    }));
}

#[test]
fn attributes_say_what_chess_says() {
    let (world, movers, material) = ending("KQKR", Metric::Conversion);
    let frame = Frame::new(&world.board);
    let mut look = Look::new(&movers, &frame);
    let ending = Ending::new(material);
    // White king 0, white queen 1, black king 2, black rook 3.
    let mut compared = 0;
    for node in (2..world.len() as u32).step_by(997) {
        if !matches!(world.kinds[node as usize], Kind::Ours | Kind::Theirs) {
            continue;
        }
        let position = ending.position(node);
        look.at(&scene_of(material, &position));
        let check = position.in_check(Colour::Black);
        assert_eq!(look.value(&Attribute::Attacked(2)) == 1, check, "{}", position.fen());
        let (white, black) = (position.king(Colour::White), position.king(Colour::Black));
        let apart = (white & 7).abs_diff(black & 7).max((white >> 3).abs_diff(black >> 3));
        assert_eq!(look.value(&Attribute::Distance { by: None, from: 0, to: Place::Thing(2) }), apart);
        let edge = [black & 7, 7 - (black & 7), black >> 3, 7 - (black >> 3)].into_iter().min().unwrap();
        assert_eq!(look.value(&Attribute::Distance { by: None, from: 2, to: Place::Edge }), edge);
        // The squares that the black king can go to: legal moves of the king when it is black's turn.
        if position.turn == Colour::Black {
            let king = position.legal().iter().filter(|step| step.from == black).count();
            assert_eq!(usize::from(look.value(&Attribute::Escapes(2))), king, "{}", position.fen());
        }
        compared += 1;
    }
    assert!(compared > 1000);
}

/// Minimax by recursion, as a reader would do it.
fn by_hand(world: &World, order: &[u64], node: u32, plies: usize) -> (u64, u64) {
    match world.kinds[node as usize] {
        Kind::Won => (0, 0),
        Kind::Failed | Kind::Unused => (2, 0),
        Kind::Ours | Kind::Theirs if plies == 0 => (1, order[node as usize]),
        Kind::Ours => world.next(node).iter().map(|&to| by_hand(world, order, to, plies - 1)).min().unwrap(),
        Kind::Theirs => world.next(node).iter().map(|&to| by_hand(world, order, to, plies - 1)).max().unwrap(),
    }
}

#[test]
fn sweeps_are_minimax() {
    let (world, movers, _) = ending("KRK", Metric::Mate);
    let pool = Pool::new(&world, &movers, pool::simple(&world, &movers), &mut |_, _| true);
    let goals = vec![vec![(0, 1)], vec![(3, -1), (5, 2)]];
    let order = learn::order(&world, &pool.columns, &goals);
    for plies in [1, 2, 3, 4] {
        let scores = learn::scores(&world, &pool, &goals, plies);
        for node in world.won().step_by(701) {
            let best = sweep::best(&world, &scores, node);
            let swept: Vec<u32> = world.next(node).iter().copied().filter(|&to| scores[to as usize] == best).collect();
            let value = |to: u32| by_hand(&world, &order, to, plies - 1);
            let least = world.next(node).iter().map(|&to| value(to)).min().unwrap();
            if least.0 == 0 {
                // Of wins in sight the soonest is made: fewer moves are equally good, never others.
                assert!(swept.iter().all(|&to| value(to) == least));
            } else {
                let all: Vec<u32> = world.next(node).iter().copied().filter(|&to| value(to) == least).collect();
                assert_eq!(swept, all);
            }
        }
    }
}

#[test]
fn following_is_what_play_shows() {
    let (world, movers, _) = ending("KRK", Metric::Mate);
    let pool = Pool::new(&world, &movers, pool::simple(&world, &movers), &mut |_, _| true);
    let goals = vec![vec![(0, 1)], vec![(1, 1)], vec![(7, -1)]];
    let scores = learn::scores(&world, &pool, &goals, 2);
    let outcomes = sweep::follow(&world, &scores);
    // By value iteration: the longest way to the win that the other side and the choice between equal moves can make.
    let mut longest = vec![NO_LEVEL; world.len()];
    for (plies, kind) in longest.iter_mut().zip(&world.kinds) {
        if *kind == Kind::Won {
            *plies = 0;
        }
    }
    loop {
        let mut changed = false;
        for node in 2..world.len() as u32 {
            let allowed = |to: &&u32| match world.kinds[node as usize] {
                Kind::Ours => scores[**to as usize] == sweep::best(&world, &scores, node),
                _ => true,
            };
            if longest[node as usize] == NO_LEVEL && matches!(world.kinds[node as usize], Kind::Ours | Kind::Theirs) {
                let worst = world.next(node).iter().filter(allowed).map(|&to| longest[to as usize]).max();
                if let Some(plies) = worst.filter(|&plies| plies != NO_LEVEL) {
                    longest[node as usize] = plies + 1;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    for node in world.won() {
        let (followed, iterated) = (outcomes.plies[node as usize], longest[node as usize]);
        assert_eq!(followed == NO_LEVEL, iterated == NO_LEVEL, "{node}");
    }
    // The table itself, as an order, is followed without a move lost.
    let plies = |node: u32| u64::from(world.plies[node as usize]);
    let perfect = sweep::ahead(&world, sweep::leaves(&world, plies), 2, sweep::Reading::Ends);
    let outcomes = sweep::follow(&world, &perfect);
    assert_eq!((outcomes.won, outcomes.excess), (outcomes.positions, 0));
}

#[test]
fn a_plan_is_found_written_and_read() {
    let (mut world, _, material) = ending("KQK", Metric::Mate);
    let words = EndingWords(Ending::new(material));
    let subject = Subject::Ending { material: "KQK".into(), metric: "mate".into() };
    let mut asked = 0;
    // Stopped early: the best so far is kept.
    let settings = Settings { goals: 4, beam: 2, firsts: 4, ..Settings::default() };
    let plan = build::build(&mut world, subject, &settings, &words, &mut |step| {
        asked += u32::from(step.phase == learn::Phase::Goals);
        asked < 20
    });
    assert!(!plan.goals.is_empty());
    assert_eq!(plan.reached[0].positions, world.won().count() as u64);
    assert!(plan.reached[0].won > 0);
    assert_eq!(plan.sentences().len(), plan.goals.len() + 1);
    assert!(plan.goals.len() <= 4 && plan.word_count() <= settings.words, "{:?}", plan.sentences());
    let text = plan.text();
    assert_eq!(Plan::parse(&text).unwrap(), plan);
    // What it reaches follows from the file.
    let movers = Movers::from_written(&plan.board, &plan.movers).unwrap();
    let pool = Pool::given(plan.attributes.clone(), pool::columns(&world, &movers, &plan.attributes));
    let goals: Vec<learn::Goal> = plan.goals.iter().map(|goal| goal.parts.clone()).collect();
    let again = learn::reached(&world, &pool, &goals, plan.plies);
    assert_eq!((again.won, again.positions), (plan.reached[0].won, plan.reached[0].positions));
    for example in &plan.examples {
        let position = Position::from_fen(&example.position).unwrap();
        assert!(position.legal().iter().any(|step| position.san(step) == example.line[0]), "{example:?}");
    }
    let damaged = |from: &str, to: &str| Plan::parse(&text.replacen(from, to, 1)).unwrap_err().to_string();
    assert!(damaged("\"form\":1", "\"form\":7").contains("build it again"));
    assert!(damaged("\"plies\":2", "\"plies\":99").contains("plies"));
    assert!(damaged("{", "").contains("not a plan"));
    assert!(damaged("\"parts\":[[", "\"parts\":[[99").contains("attribute"));
}

#[test]
fn moves_have_names() {
    let (world, _, material) = ending("KPK", Metric::Conversion);
    let words = EndingWords(Ending::new(material));
    let ending = Ending::new(material);
    let node = ending.node(&Position::from_fen("8/P7/8/8/8/2K5/8/7k w - - 0 1").unwrap()).unwrap();
    assert!(world.next(node).contains(&plan::world::WON), "a pawn that promotes has won");
    assert!(
        words.step(node, plan::world::WON).starts_with("a8=") || words.step(node, plan::world::WON).starts_with("h8=")
    );
    let squares_of_kings = squares(ending.position(node).men[0][0]).count();
    assert_eq!(squares_of_kings, 1);
}

/// A list of seven goals that wins king and rook against king from everywhere, looking two plies ahead.
#[test]
fn eight_rules_in_101_words_win_with_the_rook() {
    let (world, movers, _) = ending("KRK", Metric::Mate);
    let apart = |from, to| Attribute::Distance { by: None, from, to: Place::Thing(to) };
    let up_to = |inner, most| Attribute::UpTo(Box::new(inner), most);
    let attributes = vec![
        Attribute::Distance { by: None, from: 2, to: Place::Edge },
        Attribute::Room { thing: 2, by: 0 },
        apart(0, 2),
        up_to(Attribute::Kept { thing: 2, from: 1 }, 3),
        up_to(Attribute::Controlled { ours: true }, 15),
        Attribute::Aside(0, 2),
        Attribute::Beyond(Box::new(apart(1, 2)), 2),
        Attribute::Room { thing: 2, by: 1 },
        Attribute::Moves(2),
        Attribute::Escapes(2),
    ];
    let goals: Vec<learn::Goal> = vec![
        vec![(0, 1)],
        vec![(1, 1)],
        vec![(2, 1)],
        vec![(3, -1), (4, -3)],
        vec![(5, 1), (6, -1)],
        vec![(7, 1), (8, 2)],
        vec![(9, -1)],
    ];
    let pool = Pool::given(attributes.clone(), pool::columns(&world, &movers, &attributes));
    let outcomes = learn::reached(&world, &pool, &goals, 2);
    assert_eq!((outcomes.won, outcomes.positions), (21_959, 21_959));
    assert!(outcomes.mean_excess() < 4.13, "{}", outcomes.mean_excess());
    let words = plan::words::Words::new(&world.board);
    let said = goals.into_iter().map(|parts| words.goal(&attributes, &plan::Goal { parts, ..Default::default() }));
    let count = |text: String| text.split_whitespace().count();
    assert_eq!(said.map(count).sum::<usize>() + count(plan::words::FIRST.into()), 101);
}
