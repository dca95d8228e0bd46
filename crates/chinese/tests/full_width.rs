//! The search to a fixed depth is minimax and nothing else.

use abstraction::alone::{Alone, AloneSpec, Goal};
use chinese::full_width::{Evaluation, FullWidth};
use chinese::{Kit, Player};
use game::Role;
use game::random::Rng;
use native::chinese::{Allowed, Arena, ChineseCheckers, Position, Win};
use search::{Budget, Monitor};
use std::sync::Arc;
use table::chinese::{Build, Spec};

fn alone(arena: &Arc<Arena>, spec: AloneSpec) -> Arc<Alone> {
    let find = |wanted: &Spec| {
        let mut build = Build::new(wanted.clone(), 64 << 20).unwrap();
        build.run(&mut |_| true).unwrap();
        Some(Arc::new(build.into_distances()))
    };
    Arc::new(Alone::new(spec, Arc::clone(arena), find).unwrap())
}

/// A sum of lookups that is no distance, with terms that no table has.
fn sum(side: usize) -> AloneSpec {
    let spec = AloneSpec::of_lookups(side, 3, &[((1, 2), Goal::Top), ((2, 3), Goal::TopSide), ((2, 3), Goal::Corner)]);
    AloneSpec { curve: 0.03, behind: 0.4, behind_rows: 1, ..spec }
}

/// As it is written in textbooks; wins count less by each ply.
fn minimax(arena: &Arena, evaluation: &dyn Evaluation, position: &Position, depth: u32, ply: u32) -> f64 {
    if arena.over(position) {
        return match arena.winner(position) {
            Some(winner) if winner == position.turn => 1e6 - f64::from(ply),
            Some(_) => f64::from(ply) - 1e6,
            None => 0.0,
        };
    }
    if depth == 0 {
        return f64::from((evaluation.lead(position) * 256.0).round()) / 256.0;
    }
    let mut moves = Vec::new();
    arena.moves(position, Allowed::All, &mut moves);
    let worth = |&mv: &(u8, u8)| -minimax(arena, evaluation, &position.after(mv), depth - 1, ply + 1);
    moves.iter().map(worth).fold(f64::NEG_INFINITY, f64::max)
}

fn random_position(arena: &Arena, start: Position, plies: usize, rng: &mut Rng) -> Position {
    let (mut position, mut moves) = (start, Vec::new());
    for _ in 0..plies {
        arena.moves(&position, if rng.below(3) == 0 { Allowed::All } else { Allowed::Forward }, &mut moves);
        let next = position.after(moves[rng.below(moves.len())]);
        if arena.over(&next) {
            break;
        }
        position = next;
    }
    position
}

#[test]
fn the_value_at_the_root_is_that_of_minimax() {
    for (win, spec) in
        [(Win::Filled, sum(5)), (Win::Home, sum(5)), (Win::Filled, AloneSpec { row: 1.0, ..AloneSpec::nothing(5, 3) })]
    {
        let game = ChineseCheckers::new(5, 3, win, None).unwrap();
        let arena = Arc::new(Arena::new(&game));
        let evaluation = alone(&arena, spec);
        let mut searchers: Vec<FullWidth> = (1..=3)
            .map(|depth| FullWidth::new(Arc::clone(&arena), Arc::clone(&evaluation) as Arc<dyn Evaluation>, depth))
            .collect();
        // A table that is much too small must do no harm.
        searchers.iter_mut().for_each(|searcher| searcher.remember(1));
        let mut rng = Rng::new(9);
        let start = arena.position(&game::Game::start(&game));
        let mut decided = 0;
        for at in 0..40 {
            let position = random_position(&arena, start, at, &mut rng);
            for (depth, searcher) in (1..).zip(&mut searchers) {
                let best = searcher.best(&position, &|_| false).unwrap();
                let truth = minimax(&arena, &*evaluation, &position, depth, 0);
                let after = -minimax(&arena, &*evaluation, &position.after(best.mv), depth - 1, 1);
                assert_eq!(after, truth, "the move is as good as it can be: {position:?} to depth {depth}");
                if truth.abs() > 1e5 {
                    decided += 1;
                    assert_eq!(best.lead, if truth > 0.0 { f32::INFINITY } else { f32::NEG_INFINITY });
                } else {
                    assert_eq!(f64::from(best.lead), truth, "{position:?} to depth {depth}");
                }
                assert_eq!(best.depth, depth);
            }
        }
        assert!(decided > 0, "some games end within the depth");
    }
}

#[test]
fn it_agrees_with_the_alpha_beta_of_the_project() {
    let game = ChineseCheckers::new(6, 3, Win::Filled, None).unwrap();
    let kit = Kit::new(game.clone());
    let home = alone(kit.arena(), AloneSpec::home(6, 3));
    let kit = kit.with_home(Arc::clone(&home));
    let mut rng = Rng::new(4);
    for _ in 0..6 {
        let mut state = game::Game::start(&game);
        let mut moves = Vec::new();
        for _ in 0..2 + rng.below(6) {
            kit.arena().moves(&kit.arena().position(&state), Allowed::Forward, &mut moves);
            state = game.after(&state, Some(kit.arena().move_cells(moves[rng.below(moves.len())])));
        }
        let asked = |player: &Player| {
            let mut searcher = kit.searcher(player).unwrap();
            let budget = Budget::of_nodes(1_000_000, 1);
            searcher.search(&game, &state, Role(state.turn), &budget, &Monitor::new()).unwrap()
        };
        let theirs = asked(&Player::AlphaBeta { lookup: true, moves: Allowed::All, depth: 3 });
        let mut own = FullWidth::new(Arc::clone(kit.arena()), Arc::clone(&home) as Arc<dyn Evaluation>, 3);
        let best = own.best(&kit.arena().position(&state), &|_| false).unwrap();
        assert!(best.lead.is_finite());
        // There a lead of one move is a point and a half, and what is farther away counts a little less.
        assert!((theirs.value - (50.0 + 1.5 * best.lead)).abs() < 0.2, "{} {}", theirs.value, best.lead);
    }
}

#[test]
fn budgets_end_it_and_it_says_how_deep_it_came() {
    let game = ChineseCheckers::new(5, 3, Win::Filled, None).unwrap();
    let kit = Kit::new(game.clone());
    let home = alone(kit.arena(), AloneSpec::home(5, 3));
    let kit = kit.with_home(home);
    let state = game::Game::start(&game);
    let asked = |nodes: u64, depth: u32| {
        let mut searcher = kit.searcher(&Player::FullWidth { depth }).unwrap();
        searcher.search(&game, &state, Role(0), &Budget::of_nodes(nodes, 1), &Monitor::new()).unwrap()
    };
    let (whole, cut) = (asked(u64::MAX, 4), asked(500, 8));
    assert_eq!(whole.depth, 4);
    assert!((1..8).contains(&cut.depth) && cut.nodes <= 600, "{} {}", cut.depth, cut.nodes);
    assert!(whole.mv.is_some() && cut.mv.is_some());
}
