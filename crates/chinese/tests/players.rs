//! The players on small boards, where everything is quick.

use abstraction::alone::Alone;
use chinese::uct::{Evaluation, Uct, UctSettings};
use chinese::{Kit, NoTable, Player};
use game::random::Rng;
use game::{Game, Move, Role};
use native::chinese::{Allowed, Arena, ChineseCheckers, State, Win};
use search::{Budget, Found, Monitor};
use std::sync::Arc;
use table::chinese::{Build, Spec};

fn kit(side: usize, pieces: usize) -> Kit {
    let game = ChineseCheckers::new(side, pieces, Win::Filled, None).unwrap();
    let mut build = Build::new(Spec::new(side, pieces), 64 << 20).unwrap();
    build.run(&mut |_| true).unwrap();
    let kit = Kit::new(game);
    let home = Alone::home(Arc::clone(kit.arena()), Arc::new(build.into_distances())).unwrap();
    kit.with_home(Arc::new(home))
}

fn players() -> Vec<Player> {
    let mut players = Vec::new();
    for moves in [Allowed::All, Allowed::NonBackward, Allowed::Forward] {
        players.push(Player::AlphaBeta { lookup: false, moves, depth: 3 });
        players.push(Player::AlphaBeta { lookup: true, moves, depth: 3 });
        players.extend([UctSettings::base(moves), UctSettings::heur(moves), UctSettings::end(moves)].map(Player::Uct));
    }
    players.push(Player::Uct(UctSettings::short()));
    players.push(Player::FullWidth { depth: 2 });
    players
}

fn asked(kit: &Kit, player: &Player, state: &State, budget: &Budget<'_>) -> Found {
    let mut searcher = kit.searcher(player).unwrap();
    searcher.search(kit.game(), state, Role(state.turn), budget, &Monitor::new()).unwrap()
}

fn legal(game: &ChineseCheckers, state: &State) -> Vec<Move> {
    let mut view = game.view();
    game.look(state, &mut view).unwrap();
    let mut moves = Vec::new();
    game.legal(&view, Role(state.turn), &mut moves);
    moves
}

/// Plays a game of two players; who won, if anybody did within 200 plies.
fn played(kit: &Kit, players: [&Player; 2], nodes: u64, seed: u64) -> Option<usize> {
    let game = kit.game();
    let mut searchers = players.map(|player| kit.searcher(player).unwrap());
    let mut state = game.start();
    for ply in 0..200 {
        if let Some(winner) = [0, 1].into_iter().find(|&player| game.won(&state, player)) {
            return Some(winner);
        }
        let turn = usize::from(state.turn);
        let budget = Budget::of_nodes(nodes, seed + ply);
        let found = searchers[turn].search(game, &state, Role(state.turn), &budget, &Monitor::new()).unwrap();
        let mv = found.mv.unwrap();
        assert!(legal(game, &state).contains(&mv));
        state = game.after(&state, ChineseCheckers::ends(mv));
    }
    None
}

#[test]
fn the_arena_has_the_games_moves_and_ends() {
    let game = ChineseCheckers::new(5, 3, Win::Filled, None).unwrap();
    let arena = Arena::new(&game);
    let mut rng = Rng::new(3);
    let (mut ended, mut moves) = (0, Vec::new());
    for _ in 0..300 {
        let mut state = game.start();
        for _ in 0..60 {
            let position = arena.position(&state);
            assert_eq!([0, 1].map(|player| arena.won(&position, player)), [0, 1].map(|p| game.won(&state, p)));
            if arena.over(&position) {
                ended += 1;
                break;
            }
            arena.moves(&position, Allowed::All, &mut moves);
            let mut numbers: Vec<Move> =
                moves.iter().map(|&mv| ChineseCheckers::move_between(arena.move_cells(mv))).collect();
            numbers.sort();
            let mut expected = legal(&game, &state);
            expected.sort();
            assert_eq!(numbers, expected);
            // Mostly forward, so that games end.
            arena.moves(&position, if rng.below(4) == 0 { Allowed::All } else { Allowed::Forward }, &mut moves);
            let mv = moves[rng.below(moves.len())];
            state = game.after(&state, Some(arena.move_cells(mv)));
            assert_eq!(arena.position(&state), position.after(mv));
        }
    }
    assert!(ended > 100, "{ended}");
}

#[test]
fn allowed_moves_advance() {
    let game = ChineseCheckers::new(9, 6, Win::Filled, None).unwrap();
    let arena = Arena::new(&game);
    let (mut all, mut level, mut forward) = (Vec::new(), Vec::new(), Vec::new());
    let mut rng = Rng::new(8);
    let mut state = game.start();
    for _ in 0..40 {
        let position = arena.position(&state);
        arena.moves(&position, Allowed::All, &mut all);
        arena.moves(&position, Allowed::NonBackward, &mut level);
        arena.moves(&position, Allowed::Forward, &mut forward);
        let gain = |mv: &(u8, u8)| {
            i64::from(arena.rows_left(position.turn, mv.0)) - i64::from(arena.rows_left(position.turn, mv.1))
        };
        let keep = |least: i64| all.iter().filter(|mv| gain(mv) >= least).copied().collect::<Vec<_>>();
        assert_eq!(level, keep(0));
        assert_eq!(forward, keep(1));
        state = game.after(&state, Some(arena.move_cells(all[rng.below(all.len())])));
    }
}

#[test]
fn a_win_at_once_is_taken() {
    let kit = kit(5, 3);
    let game = kit.game();
    // Red needs one jump; blue is far from home.
    let target = game.target(0);
    let (corner, beside) = (1u128 << 24, 1u128 << 14);
    assert_eq!(target & corner, corner);
    let state = State { pieces: [target & !corner | beside, 0b111 << 10], ..game.start() };
    let wins: Vec<Move> = legal(game, &state)
        .into_iter()
        .filter(|&mv| game.won(&game.after(&state, ChineseCheckers::ends(mv)), 0))
        .collect();
    assert!(!wins.is_empty());
    for player in players() {
        let found = asked(&kit, &player, &state, &Budget::of_nodes(3000, 1));
        assert!(wins.contains(&found.mv.unwrap()), "{player:?}");
    }
}

#[test]
fn a_line_is_legal_to_its_end() {
    let kit = kit(5, 3);
    let game = kit.game();
    for settings in [UctSettings::short(), UctSettings::base(Allowed::All)] {
        let mut state = game.start();
        let found = asked(&kit, &Player::Uct(settings), &state, &Budget::of_nodes(5000, 3));
        assert!(found.line.len() > 1 && found.depth as usize == found.line.len(), "{found:?}");
        assert_eq!(found.line[0][0], found.mv.unwrap());
        for joint in &found.line {
            let [own, other] = [state.turn, 1 - state.turn].map(|role| joint[usize::from(role)]);
            assert!(legal(game, &state).contains(&own));
            assert_eq!(ChineseCheckers::ends(other), None);
            state = game.after(&state, ChineseCheckers::ends(own));
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_move_and_budgets_end() {
    let kit = kit(6, 3);
    let state = kit.game().start();
    for player in players() {
        let budget = Budget::of_nodes(2000, 7);
        let (one, two) = (asked(&kit, &player, &state, &budget), asked(&kit, &player, &state, &budget));
        assert_eq!(one, two, "{player:?}");
        // A playout is not left in the middle.
        assert!(one.nodes <= 2000 + 400, "{player:?} {}", one.nodes);
        assert_eq!(one.moves.len(), legal(kit.game(), &state).len());
        if let Player::Uct(_) = player {
            assert_eq!(asked(&kit, &player, &state, &Budget::of_playouts(100, 7)).playouts, 100);
        }
    }
}

#[test]
fn a_position_of_the_arena_gets_the_move_of_its_state() {
    let kit = kit(5, 3);
    let (settings, state, budget) = (UctSettings::short(), kit.game().start(), Budget::of_nodes(2000, 7));
    let found = asked(&kit, &Player::Uct(settings), &state, &budget);
    let arena = Arc::clone(kit.arena());
    let best = Uct::new(settings, Arc::clone(&arena), kit.home().cloned()).best(&arena.position(&state), &budget);
    assert_eq!(best.map(|mv| ChineseCheckers::move_between(arena.move_cells(mv))), found.mv);
}

#[test]
fn a_tree_that_is_kept_knows_what_it_found_out_and_nothing_else() {
    let kit = kit(6, 3);
    let game = kit.game();
    let visits = |found: &Found| found.moves.iter().map(|choice| choice.visits).sum::<u64>();
    for keep in [true, false] {
        let mut searcher = kit.searcher(&Player::Uct(UctSettings { keep, ..UctSettings::short() })).unwrap();
        let mut ask = |state: &_, playouts| {
            let budget = Budget::of_playouts(playouts, 5);
            searcher.search(game, state, Role(state.turn), &budget, &Monitor::new()).unwrap()
        };
        let first = ask(&game.start(), 2000);
        let after = |joint: &[Move], state: &_| {
            let own = joint.iter().find_map(|&mv| ChineseCheckers::ends(mv));
            game.after(state, own)
        };
        let state = after(&first.line[1], &after(&first.line[0], &game.start()));
        let next = ask(&state, 10);
        if keep {
            // The second position of the line was visited often; what is said of it now rests on that too.
            assert!(visits(&next) > 100, "{next:?}");
            assert!(visits(&next) < 2010);
        } else {
            assert_eq!(visits(&next), 10);
        }
        // A position that cannot follow is begun anew.
        assert_eq!(visits(&ask(&game.start(), 10)), 10);
    }
}

#[test]
fn the_table_is_asked_for_where_it_is_needed() {
    let kit = Kit::new(ChineseCheckers::new(5, 3, Win::Filled, None).unwrap());
    for player in players() {
        let made = kit.searcher(&player);
        assert_eq!(made.is_err(), player.needs_table(), "{player:?}");
        if let Err(error) = made {
            assert_eq!(error, NoTable);
        }
    }
    assert!(!Player::Uct(UctSettings::base(Allowed::All)).needs_table());
}

#[test]
fn looking_distances_up_beats_playing_to_the_end() {
    let kit = kit(7, 6);
    let heur = Player::Uct(UctSettings {
        evaluation: Evaluation::Depth { depth: 8, weight: 0.3 },
        ..UctSettings::heur(Allowed::Forward)
    });
    let base = Player::Uct(UctSettings::base(Allowed::Forward));
    let short = Player::Uct(UctSettings::short());
    let wins = |a: &Player, b: &Player| {
        let won = |&seed: &u64| {
            let order = if seed % 2 == 0 { [a, b] } else { [b, a] };
            played(&kit, order, 4000, 100 * seed) == Some(seed as usize % 2)
        };
        (0..6).filter(won).count()
    };
    assert!(wins(&heur, &base) >= 4);
    assert!(wins(&short, &base) >= 4);
}
