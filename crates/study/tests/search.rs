//! What a search can use of a study: cells and neighbours, symmetries and groups of facts in the numbers of an engine; and what ends a
//! study early.

use game::random::Rng;
use game::{Cancel, Facts, Game, Move, Names, Role, Turn, roles};
use machine::{Budget, PropNet, Prover};
use std::collections::BTreeSet;
use std::path::PathBuf;
use study::{Evidence, Findings, Plan, Stage, Study};

fn rules(game: &str) -> gdl::Rules {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../games").join(game).join("rules.kif");
    gdl::parse(&std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))).rules
}

fn studied(game: &str) -> (PropNet, Study) {
    let rules = rules(game);
    let net = PropNet::new(&rules, Budget::default()).unwrap();
    let study = Study::run(&rules, &net, Plan::states(100));
    (net, study)
}

/// States of random games, with the legal moves of each role.
fn states(net: &PropNet, seed: u64, most: usize) -> Vec<(<PropNet as Game>::State, Vec<Vec<Move>>)> {
    let mut rng = Rng::new(seed);
    let mut view = net.view();
    let mut found = Vec::new();
    while found.len() < most {
        let mut state = net.start();
        loop {
            net.look(&state, &mut view).unwrap();
            if net.turn(&view) == Turn::Over || found.len() == most {
                break;
            }
            let legal: Vec<Vec<Move>> = roles(net)
                .map(|role| {
                    let mut legal = Vec::new();
                    net.legal(&view, role, &mut legal);
                    legal
                })
                .collect();
            let joint: Vec<Move> = legal.iter().map(|legal| legal[rng.below(legal.len())]).collect();
            found.push((state.clone(), legal));
            net.play(&mut view, &joint, &mut state).unwrap();
        }
    }
    found
}

#[test]
fn cells_are_those_that_the_rules_allow() {
    // The dark squares, a star, a cross, three squares one in another, and rectangles that no random game fills.
    for (game, fluent, cells) in [
        ("checkers", "cell", 32),
        ("chinese-checkers-3", "cell", 37),
        ("peg-solitaire", "cell", 33),
        ("nine-mens-morris", "cell", 24),
        ("othello", "cell", 64),
        ("krk", "cell", 64),
        ("amazons", "cell", 100),
    ] {
        let rules = rules(game);
        let prover = Prover::new(&rules).unwrap();
        let found = Study::run(&rules, &prover, Plan::quick()).findings();
        let board = found.boards.iter().find(|board| board.fluent == fluent).unwrap();
        assert_eq!(board.cells.len(), cells, "{game}");
        for (number, cell) in board.cells.iter().enumerate() {
            for &other in &cell.neighbours {
                assert!(board.cells[other].neighbours.contains(&number), "{game}: {number} and {other}");
            }
        }
    }
    let morris = studied("nine-mens-morris").1.findings();
    let counts: Vec<usize> = morris.boards[0].cells.iter().map(|cell| cell.neighbours.len()).collect();
    assert_eq!(counts.iter().sum::<usize>(), 2 * 32);
}

/// Mapped states have mapped moves, and whatever follows is mapped too.
#[test]
fn symmetries_map_states_and_moves() {
    for (game, least, moves_known) in [
        ("tic-tac-toe", 7, true),
        ("connect-four", 1, true),
        ("hex", 3, true),
        ("breakthrough-small", 3, true),
        ("hallway", 1, true),
    ] {
        let (net, study) = studied(game);
        let symmetries = study.symmetries(&net, 5).unwrap();
        assert!(symmetries.len() >= least, "{game}: {}", symmetries.len());
        let (mut view, mut other) = (net.view(), net.view());
        let (mut next, mut follows) = (net.start(), net.start());
        for symmetry in &symmetries {
            let images: Vec<u32> = symmetry.facts.iter().flatten().copied().collect();
            assert_eq!(images.iter().collect::<BTreeSet<_>>().len(), images.len(), "{game}: {}", symmetry.what);
            let image = |state: &<PropNet as Game>::State| {
                let mut facts = BTreeSet::new();
                net.each_fact(state, &mut |fact| {
                    facts.insert(symmetry.facts[fact as usize].unwrap());
                });
                facts
            };
            let facts = |state: &<PropNet as Game>::State| {
                let mut facts = BTreeSet::new();
                net.each_fact(state, &mut |fact| {
                    facts.insert(fact);
                });
                facts
            };
            let text = |fact: u32, all: &[(String, u32)]| all.iter().find(|known| known.1 == fact).unwrap().0.clone();
            let mut known = 0;
            let sampled = states(&net, 9, 40);
            let all: BTreeSet<String> = sampled.iter().flat_map(|(state, _)| net.facts(state)).collect();
            let mut all: Vec<(String, u32)> =
                all.into_iter().map(|text| (text.clone(), net.fact(&text).unwrap())).collect();
            // Images of facts may not have come up in these games.
            for board in &study.findings().boards {
                for cell in &board.cells {
                    let place: Vec<&str> =
                        cell.coordinates.iter().zip(&board.axes).map(|(&at, axis)| axis[at].as_str()).collect();
                    for thing in board.markers.iter().map(|m| &m.name).chain(board.pieces.iter().map(|p| &p.name)) {
                        let text = format!("({} {} {thing})", board.fluent, place.join(" "));
                        all.extend(net.fact(&text).map(|fact| (text, fact)));
                    }
                }
            }
            for x in 1..=8 {
                for y in 1..=8 {
                    let text = format!("(wall {x} {y})");
                    all.extend(net.fact(&text).map(|fact| (text, fact)));
                }
            }
            for role in roles(&net) {
                for n in 0..=4 {
                    let text = format!("(walls {} {n})", net.role_name(role));
                    all.extend(net.fact(&text).map(|fact| (text, fact)));
                }
            }
            for (state, legal) in &sampled {
                let texts: Vec<String> = image(state).into_iter().map(|fact| text(fact, &all)).collect();
                let mapped = net.state_of(&texts.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
                net.look(state, &mut view).unwrap();
                net.look(&mapped, &mut other).unwrap();
                let Turn::One(chooser) = net.turn(&view) else { panic!("{game}: one at a time") };
                let becomes = symmetry.roles[chooser.0 as usize];
                let mut theirs: Vec<Vec<Move>> = vec![Vec::new(); net.roles()];
                roles(&net).for_each(|role| net.legal(&other, role, &mut theirs[role.0 as usize]));
                let own = &legal[chooser.0 as usize];
                let images = symmetry.moves(&net, own, &theirs[becomes.0 as usize]);
                for (mv, found) in own.iter().zip(images) {
                    let Some(found) = found else { continue };
                    known += 1;
                    let joint = |legal: &[Vec<Move>], who: Role, mv: Move| -> Vec<Move> {
                        roles(&net).map(|role| if role == who { mv } else { legal[role.0 as usize][0] }).collect()
                    };
                    net.play(&mut view, &joint(legal, chooser, *mv), &mut next).unwrap();
                    net.play(&mut other, &joint(&theirs, becomes, found), &mut follows).unwrap();
                    assert_eq!(image(&next), facts(&follows), "{game}: {} of {}", symmetry.what, net.move_text(*mv));
                }
            }
            assert!(!moves_known || known > 50, "{game}: {} maps {known} moves", symmetry.what);
        }
    }
}

#[test]
fn groups_of_facts_are_never_broken() {
    for (game, groups, full) in [("tic-tac-toe", 10, 10), ("krk", 60, 2), ("nim", 5, 5), ("eight-puzzle", 19, 19)] {
        let (net, study) = studied(game);
        let found = study.fact_groups(&net);
        assert!(found.len() >= groups, "{game}: {}", found.len());
        assert!(found.iter().filter(|group| group.at_least_one.is_some()).count() >= full, "{game}: {found:?}");
        assert!(found.iter().any(|group| group.at_most_one == Evidence::Proved), "{game}");
        for (state, _) in states(&net, 3, 300) {
            let mut holds = BTreeSet::new();
            net.each_fact(&state, &mut |fact| {
                holds.insert(fact);
            });
            for group in &found {
                let count = group.facts.iter().filter(|fact| holds.contains(fact)).count();
                assert!(count <= 1 && (count == 1 || group.at_least_one.is_none()), "{game}: {group:?}");
            }
        }
    }
}

#[test]
fn findings_are_written_and_read_again() {
    for game in ["tic-tac-toe", "connect-four-teams", "nine-mens-morris"] {
        let found = studied(game).1.findings();
        let text = serde_json::to_string(&found).unwrap();
        assert_eq!(serde_json::from_str::<Findings>(&text).unwrap(), found, "{game}");
    }
}

/// A study that is cancelled does nothing more, not even build the engine without counters.
#[test]
fn a_study_can_be_cancelled() {
    let rules = rules("hallway");
    let net = PropNet::new(&rules, Budget::default()).unwrap();
    let cancel = Cancel::new();
    let mut asked = Vec::new();
    let token = cancel.clone();
    let plan = Plan {
        cancel: cancel.clone(),
        uncounted: Some(Box::new(|_, _, _| panic!("nothing is to be built any more"))),
        ..Plan::full(|stage| {
            asked.push(stage);
            if asked.len() == 8 {
                token.cancel();
            }
            true
        })
    };
    let found = Study::run(&rules, &net, plan).findings();
    assert_eq!(asked[0], Stage::Form);
    assert_eq!(asked[1..], [Stage::Observe; 7]);
    assert!(found.games.states < 60 && found.learned.is_none(), "{}", found.games.states);
    // The engine without counters is asked for otherwise, and gets the token.
    let mut built = 0;
    let mut left = 100;
    let plan = Plan {
        uncounted: Some(Box::new(|rules, cancel, waiting| {
            assert!(!cancel.is_cancelled());
            built += 1;
            waiting.observe(&PropNet::new(rules, Budget::default()).unwrap()).unwrap();
        })),
        ..Plan::full(|stage| {
            left -= 1;
            left > 0 || !matches!(stage, Stage::Observe | Stage::ObserveUncounted)
        })
    };
    Study::run(&rules, &net, plan);
    assert_eq!(built, 1);
}

/// Where there is nothing to observe without counters, its share goes to the game as it is, and stages keep their order.
#[test]
fn stages_come_once_and_in_order() {
    let rules = rules("tic-tac-toe");
    let net = PropNet::new(&rules, Budget::default()).unwrap();
    let mut asked: Vec<(Stage, u32)> = Vec::new();
    let plan = Plan {
        uncounted: Some(Box::new(|_, _, _| panic!("there is no counter in this game"))),
        ..Plan::full(|stage| {
            match asked.last_mut() {
                Some((last, times)) if *last == stage => *times += 1,
                _ => asked.push((stage, 1)),
            }
            !matches!(stage, Stage::Observe | Stage::ObserveUncounted) || asked.last().is_some_and(|last| last.1 < 30)
        })
    };
    let study = Study::run(&rules, &net, plan);
    assert!(asked.is_sorted_by(|a, b| a.0 < b.0), "{asked:?}");
    assert!(asked.contains(&(Stage::Observe, 30)) && asked.contains(&(Stage::ObserveUncounted, 30)), "{asked:?}");
    assert_eq!(study.findings().games.states, study::FEWEST_STATES + 2 * 29);
}
