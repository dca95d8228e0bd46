//! Lookups through projections say what the tables say, and a sum leaves out what is absent.

use abstraction::evaluator::Weighted;
use abstraction::lookup::{DuelLookup, LoneLookup, Lookup, MOVE, MenLookup};
use abstraction::projection::{Duel, Lone, Men, Projection};
use game::random::Rng;
use game::{Evaluator, Game, Role};
use native::chess::{Chess, Position};
use native::chinese::{ChineseCheckers, State, Win};
use std::sync::Arc;
use table::chess::{Material, Metric, Tables, build_all};
use table::chinese::versus::{self, Outcome, Versus};
use table::chinese::{Build, Distances, Spec, turned};

fn versus(side: usize, pieces: usize, against: usize) -> Arc<Versus> {
    let mut build = versus::Build::new(versus::Spec::new(side, pieces, against), 1 << 26).unwrap();
    build.run(&mut |_| true).unwrap();
    Arc::new(build.into_versus())
}

fn distances(spec: Spec) -> Arc<Distances> {
    let mut build = Build::new(spec, 1 << 26).unwrap();
    build.run(&mut |_| true).unwrap();
    Arc::new(build.into_distances())
}

/// Positions of random games.
fn states(game: &ChineseCheckers, count: usize) -> Vec<State> {
    let mut rng = Rng::new(11);
    let mut view = game.view();
    let mut state = game.start();
    let mut states = Vec::new();
    while states.len() < count {
        states.push(state);
        game.look(&state, &mut view).unwrap();
        let mut moves = [Vec::new(), Vec::new()];
        for (role, list) in moves.iter_mut().enumerate() {
            game.legal(&view, Role(role as u8), list);
        }
        let joint = moves.map(|list| list[rng.below(list.len())]);
        game.play(&mut view, &joint, &mut state).unwrap();
        if game.won(&state, 0) || game.won(&state, 1) {
            state = game.start();
        }
    }
    states
}

#[test]
fn duels_are_what_the_table_says() {
    let game = ChineseCheckers::new(5, 3, Win::Filled, None).unwrap();
    let table = versus(5, 2, 1);
    // Both ways round are the same table.
    for (red, blue) in [((1, 2), (3, 3)), ((2, 2), (1, 2))] {
        let projection = Duel::new(5, red, blue).unwrap();
        let lookup = DuelLookup::new(projection.clone(), table.clone()).unwrap();
        for state in states(&game, 400) {
            let image = projection.image(&state).unwrap();
            let sign = if state.turn == 0 { 1.0 } else { -1.0 };
            let expected = match table.outcome(image.pieces, image.turn.into()).unwrap().unwrap() {
                Outcome::Win(plies) => sign * (1.0 - f32::from(plies.div_ceil(2)) / 128.0),
                Outcome::Loss(plies) => -sign * (1.0 - f32::from(plies.div_ceil(2)) / 128.0),
                Outcome::Draw => 0.0,
                Outcome::Both => continue,
            };
            assert_eq!(lookup.worth(&state), Ok(expected));
        }
    }
    assert!(DuelLookup::new(Duel::new(5, (1, 2), (1, 2)).unwrap(), table.clone()).is_err());
    assert!(DuelLookup::new(Duel::new(6, (1, 2), (1, 1)).unwrap(), table).is_err());
}

#[test]
fn the_sum_is_zero_sum_and_leaves_out_what_is_absent() {
    let game = ChineseCheckers::new(5, 3, Win::Filled, None).unwrap();
    let part = Spec { deleted: 1, goal: 0b10 | 1 << 5, ..Spec::new(5, 2) };
    let [whole, entered] = [distances(Spec::new(5, 2)), distances(part.clone())];
    let lone = |player, spec: Spec, table: &Arc<Distances>| {
        LoneLookup::new(Lone::new(player, (1, 2), spec).unwrap(), table.clone()).unwrap()
    };
    let evaluation = Weighted::new()
        .with(2.0, lone(0, Spec::new(5, 2), &whole))
        .with(2.0, lone(1, Spec::new(5, 2), &whole))
        .with(0.5, lone(1, part.clone(), &entered))
        .with(1.0, DuelLookup::new(Duel::new(5, (1, 2), (1, 1)).unwrap(), versus(5, 2, 1)).unwrap());
    let mut view = game.view();
    let mut absent = 0;
    for state in states(&game, 400) {
        let readings = evaluation.readings(&state);
        let sum: f32 = readings.iter().filter_map(|reading| Some(reading.weight * reading.worth.as_ref().ok()?)).sum();
        assert!((evaluation.sum(&state) - sum).abs() < 1e-6);
        absent += readings.iter().filter(|reading| reading.worth.is_err()).count();
        let [red, blue] = [0, 1].map(|role| evaluation.value(&game, &state, &mut view, Role(role)));
        assert!((red + blue - 100.0).abs() < 1e-3 && (1.0..=99.0).contains(&red));
        assert_eq!(red > 50.0, sum > 0.0);
        // Red alone: every move costs a little.
        let moves = whole.distance(turned(5, evaluation_pieces(&state))).unwrap().moves().unwrap();
        assert_eq!(readings[0].worth, Ok(-f32::from(moves) * MOVE));
    }
    assert!(absent > 0, "a piece on the deleted cell has no image");
    assert!(LoneLookup::new(Lone::new(0, (1, 2), part).unwrap(), whole).is_err());
    assert_eq!(Weighted::<State>::new().value(&game, &game.start(), &mut view, Role(0)), 50.0);
}

/// The two foremost red pieces.
fn evaluation_pieces(state: &State) -> u128 {
    let image = Duel::new(5, (1, 2), (1, 1)).unwrap().image(state).unwrap();
    image.pieces[0]
}

#[test]
fn chess_endings_are_looked_up_by_some_of_the_men() {
    let mut tables = Tables::new();
    build_all(Material::parse("KRK").unwrap(), Metric::Mate, &mut tables, &mut |_, _| true).unwrap();
    let tables = Arc::new(tables);
    let rook = || MenLookup::new(Men::parse("KRK").unwrap(), tables.clone());
    let evaluation =
        Weighted::new().with(1.0, rook()).with(1.0, MenLookup::new(Men::parse("KQK").unwrap(), tables.clone()));
    let position = Position::from_fen("8/8/8/3k4/8/5P2/1R6/K5r1 w - - 0 1").unwrap();
    let alone = Position::from_fen("8/8/8/3k4/8/8/1R6/K7 w - - 0 1").unwrap();
    let plies = tables.probe(&alone, Metric::Mate).unwrap().plies().unwrap();
    assert_eq!(rook().worth(&position), Ok(1.0 - f32::from(plies.div_ceil(2)) * MOVE));
    let readings = evaluation.readings(&position);
    assert!(readings[0].worth.is_ok() && readings[1].worth.is_err(), "{readings:?}");
    let game = Chess::kqkr();
    let mut view = game.view();
    let [white, black] = [0, 1].map(|role| evaluation.value(&game, &position, &mut view, Role(role)));
    assert!(white > 80.0 && black < 20.0);
    // Black to move: still white's.
    let turned = Position::from_fen("6r1/8/8/3k4/8/5P2/1R6/K7 b - - 0 1").unwrap();
    assert!(rook().worth(&turned).unwrap() > 0.5);
}
