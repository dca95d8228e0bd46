//! What every search must do: agree with brute force, repeat itself, keep to its budget, survive odd games.

mod toy;

use game::random::End;
use game::rollouts::{Feed, one_by_one};
use game::{Game, Goal, Limit, LimitKind, Move, Role, Turn};
use proptest::prelude::*;
use search::alphabeta::AlphaBeta;
use search::portfolio::Portfolio;
use search::puzzle::Puzzle;
use search::simple::{Greedy, MonteCarlo};
use search::uct::Uct;
use search::{
    AlphaBetaSettings, Budget, Found, Knowledge, Monitor, PortfolioSettings, Searcher, Selection, SharedEvaluator,
    UctSettings,
};
use std::sync::Arc;
use toy::Toy;

const MUCH: u64 = 1_000_000;

fn find<G: Game>(searcher: &mut dyn Searcher<G>, game: &G, role: u8, budget: &Budget<'_>) -> Found {
    let monitor = Monitor::new();
    let found = searcher.search(game, &game.start(), Role(role), budget, &monitor).unwrap();
    assert_eq!(found.mv.is_some(), monitor.best().is_some());
    found
}

fn portfolio<G: Game + 'static>() -> Portfolio<G> {
    Portfolio::new(PortfolioSettings { threads: 2, ..Default::default() }, Knowledge::default())
}

/// The state after our best move, if we are the one who moves.
fn after(game: &Toy, role: Role, mv: Move) -> Option<usize> {
    let mut view = 0;
    if game.turn(&view) != Turn::One(role) {
        return None;
    }
    let joint: Vec<Move> = (0..game.roles() as u8).map(|r| if r == role.0 { mv } else { Move(0) }).collect();
    let mut next = 0;
    game.play(&mut view, &joint, &mut next).unwrap();
    Some(next)
}

/// What a role can be sure of without mixing, and what the other can keep it to without mixing.
fn bounds(game: &Toy, state: &usize, role: Role) -> (f64, f64) {
    let mut view = *state;
    if game.turn(&view) == Turn::Over {
        let goal = f64::from(game.goal(&mut view, role).unwrap().unwrap_or(0));
        return (goal, goal);
    }
    let moves = |role: Role| {
        let mut moves = Vec::new();
        game.legal(&view, role, &mut moves);
        moves
    };
    let other = Role(1 - role.0);
    let (mine, theirs) = (moves(role), moves(other));
    let cell = |a: Move, b: Move| {
        let mut joint = [a, b];
        joint.swap(0, usize::from(role.0));
        let (mut view, mut next) = (*state, 0);
        game.play(&mut view, &joint, &mut next).unwrap();
        bounds(game, &next, role)
    };
    let cells: Vec<Vec<(f64, f64)>> = mine.iter().map(|&a| theirs.iter().map(|&b| cell(a, b)).collect()).collect();
    let low = cells.iter().map(|row| row.iter().map(|cell| cell.0).fold(100.0, f64::min)).fold(0.0, f64::max);
    let column = |at: usize| cells.iter().map(|row| row[at].1).fold(0.0, f64::max);
    (low, (0..theirs.len()).map(column).fold(100.0, f64::min))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn alpha_beta_is_minimax(seed: u64, roles in 1usize..4, both in prop::sample::select(vec![0usize, 20]), deepen: bool) {
        let game = Toy::new(seed, 28, roles, both, false);
        let role = Role((seed % roles as u64) as u8);
        let team: Vec<Role> = if roles == 3 { vec![Role((role.0 + 1) % 3)] } else { Vec::new() };
        let teams = vec![team.clone(); roles];
        let mut searcher = AlphaBeta::new(AlphaBetaSettings { deepen, ..Default::default() })
            .with_knowledge(&Knowledge { teams, ..Knowledge::default() });
        let found = find(&mut searcher, &game, role.0, &Budget::of_nodes(MUCH, 1));
        let value = game.value(0, role, &team);
        // Averages are cut to whole thousandths at every level.
        prop_assert!((f64::from(found.value) - value).abs() < 0.02, "{found:?} instead of {value}");
        if both == 0 {
            prop_assert!(found.proven);
            if let Some(next) = found.mv.and_then(|mv| after(&game, role, mv)) {
                prop_assert_eq!(game.value(next, role, &team), value);
            }
        }
    }

    #[test]
    fn what_uct_proves_is_minimax(seed: u64, threads in 1usize..3) {
        let game = Toy::new(seed, 24, 2, 0, true);
        let role = Role((seed % 2) as u8);
        let mut searcher = Uct::new(UctSettings { threads, ..Default::default() });
        let found = find(&mut searcher, &game, role.0, &Budget::of_playouts(4000, seed));
        let value = game.value(0, role, &[]);
        if found.proven {
            prop_assert_eq!(f64::from(found.value), value);
            if let Some(next) = found.mv.and_then(|mv| after(&game, role, mv)) {
                prop_assert_eq!(game.value(next, role, &[]), value);
            }
        }
        // A won game is won, proven or not.
        if let Some(next) = found.mv.and_then(|mv| after(&game, role, mv)) && value == 100.0 {
            prop_assert_eq!(game.value(next, role, &[]), 100.0);
        }
    }

    #[test]
    fn what_uct_proves_with_choices_at_once_can_be_kept(seed: u64) {
        let game = Toy::new(seed, 20, 2, 60, true);
        let role = Role((seed % 2) as u8);
        let found = find(&mut Uct::default(), &game, role.0, &Budget::of_playouts(6000, seed));
        let (low, high) = bounds(&game, &0, role);
        if found.proven {
            let value = f64::from(found.value);
            prop_assert!((low..=high).contains(&value), "{value} is not between {low} and {high}");
        }
    }

    #[test]
    fn the_portfolio_is_perfect_in_small_games(seed: u64, deepest: bool) {
        let game = Toy::new(seed, 24, 2, 0, true);
        let role = Role((seed % 2) as u8);
        let selection = if deepest { Selection::Deepest } else { Selection::Measured };
        let settings = PortfolioSettings { selection, threads: 2 };
        let found = find(&mut Portfolio::new(settings, Knowledge::default()), &game, role.0, &Budget::of_nodes(20_000, seed));
        let value = game.value(0, role, &[]);
        if let Some(next) = found.mv.and_then(|mv| after(&game, role, mv)) {
            prop_assert_eq!(game.value(next, role, &[]), value);
        }
    }

    #[test]
    fn puzzles_are_solved(seed: u64) {
        let game = Toy::new(seed, 40, 1, 0, false);
        let found = find(&mut Puzzle::default(), &game, 0, &Budget::of_nodes(MUCH, seed));
        prop_assert!(found.proven);
        prop_assert_eq!(f64::from(found.value), game.value(0, Role(0), &[]));
    }

    #[test]
    fn the_seed_decides(seed: u64, both in prop::sample::select(vec![0usize, 40])) {
        let game = Toy::new(seed, 60, 2, both, false);
        let again = |make: &dyn Fn() -> Box<dyn Searcher<Toy>>, budget: Budget<'static>| {
            let first = find(&mut *make(), &game, 0, &budget);
            assert_eq!(first, find(&mut *make(), &game, 0, &budget));
        };
        let wide = || UctSettings { threads: 2, playout_bias: 8, ..Default::default() };
        again(&|| Box::new(Uct::new(wide())), Budget::of_playouts(300, seed));
        again(&|| Box::new(Uct::plain()), Budget::of_playouts(300, seed));
        again(&|| Box::new(MonteCarlo::default()), Budget::of_playouts(300, seed));
        again(&|| Box::new(AlphaBeta::deepening()), Budget::of_nodes(200, seed));
        again(&|| Box::new(portfolio()), Budget::of_playouts(300, seed));
    }
}

#[test]
fn most_wins_with_choices_at_once_are_proven() {
    // Not all: the tree looks where the rewards are, and may never look where the proof is.
    let (mut wins, mut proven) = (0, 0);
    for seed in 0..300 {
        let game = Toy::new(seed, 20, 2, 60, true);
        let role = Role((seed % 2) as u8);
        if bounds(&game, &0, role).0 < 100.0 {
            continue;
        }
        let found = find(&mut Uct::default(), &game, role.0, &Budget::of_playouts(6000, seed));
        if !found.moves.is_empty() {
            wins += 1;
            proven += u32::from(found.proven && found.value == 100.0);
        }
    }
    assert!(wins >= 20 && 10 * proven >= 9 * wins, "{proven} of {wins}");
}

/// Knows the value of every state, or believes the opposite.
struct Oracle(bool);

impl game::Evaluator<Toy> for Oracle {
    fn value(&self, game: &Toy, state: &usize, _: &mut usize, role: Role) -> f32 {
        let value = game.value(*state, role, &[]) as f32;
        if self.0 { value } else { 100.0 - value }
    }
}

#[test]
fn measuring_never_chooses_the_liar() {
    for seed in 0..6 {
        let game = Toy::new(seed, 30, 2, 0, true);
        let evaluators: Vec<SharedEvaluator<Toy>> = vec![Arc::new(Oracle(false)), Arc::new(Oracle(true))];
        let knowledge = Knowledge { evaluators, ..Default::default() };
        let settings = PortfolioSettings { threads: 2, ..Default::default() };
        let mut searcher = Portfolio::new(settings, knowledge);
        searcher.prepare(&game, &0, Role(0), &Budget { nodes: Some(5000), ..Budget::of_playouts(5000, seed) }).unwrap();
        assert_ne!(searcher.method().evaluator(), Some(0), "seed {seed}: {:?}", searcher.method());
    }
}

#[test]
fn an_evaluator_leads_the_tree() {
    for seed in 0..20 {
        let game = Toy::new(seed / 2, 60, 2, 0, true);
        let oracle: SharedEvaluator<Toy> = Arc::new(Oracle(true));
        // Alone at every leaf, or after one move of each random game.
        let (trust, cut) = if seed % 2 == 0 { (1.0, None) } else { (0.0, Some(1)) };
        let settings = UctSettings { trust, cut, ..Default::default() };
        let found = find(&mut Uct::new(settings).with_evaluator(oracle), &game, 0, &Budget::of_playouts(400, seed));
        if let Some(next) = found.mv.and_then(|mv| after(&game, Role(0), mv)) {
            assert_eq!(game.value(next, Role(0), &[]), game.value(0, Role(0), &[]), "seed {seed}");
        }
    }
}

/// Every state leads to the next, for ever; even and odd states belong to different roles.
struct Endless;

impl Game for Endless {
    type State = u64;
    type View = u64;
    fn roles(&self) -> usize {
        2
    }
    fn start(&self) -> u64 {
        0
    }
    fn view(&self) -> u64 {
        0
    }
    fn look(&self, state: &u64, view: &mut u64) -> Result<(), Limit> {
        *view = *state;
        Ok(())
    }
    fn turn(&self, view: &u64) -> Turn {
        Turn::One(Role((view % 2) as u8))
    }
    fn legal(&self, view: &u64, role: Role, out: &mut Vec<Move>) {
        out.extend((0..if role.0 as u64 == view % 2 { 3 } else { 1 }).map(Move));
    }
    fn goal(&self, _: &mut u64, _: Role) -> Result<Option<Goal>, Limit> {
        Ok(None)
    }
    fn play(&self, view: &mut u64, joint: &[Move], next: &mut u64) -> Result<(), Limit> {
        *next = *view + 1 + 2 * u64::from(joint[(*view % 2) as usize].0);
        Ok(())
    }
}

/// Wants random games from the start, and stops when asked for the third time.
struct Impatient(u32);

impl Feed<u64> for Impatient {
    fn stop(&mut self) -> bool {
        self.0 += 1;
        self.0 > 2
    }
    fn next(&mut self) -> Option<(u32, &u64)> {
        Some((0, &0))
    }
    fn done(&mut self, _: u32, _: End, _: usize, _: &[Option<Goal>]) {
        panic!("no game can end");
    }
}

#[test]
fn a_long_random_game_does_not_outlive_the_word_to_stop() {
    one_by_one(&Endless, &mut Impatient(0), usize::MAX, 1).unwrap();
}

fn all<G: Game + 'static>() -> Vec<Box<dyn Searcher<G>>> {
    struct Half;
    impl<G: Game> game::Evaluator<G> for Half {
        fn value(&self, _: &G, _: &G::State, _: &mut G::View, _: Role) -> f32 {
            50.0
        }
    }
    vec![
        Box::new(AlphaBeta::exhaustive()),
        Box::new(AlphaBeta::deepening()),
        Box::new(AlphaBeta::deepening().with_evaluator(Arc::new(Half))),
        Box::new(Uct::default()),
        Box::new(Uct::plain()),
        Box::new(Uct::new(UctSettings { playout_bias: 12, ..Default::default() })),
        Box::new(Uct::new(UctSettings { cut: Some(3), ..Default::default() }).with_evaluator(Arc::new(Half))),
        Box::new(MonteCarlo::default()),
        Box::new(Greedy::new(Default::default(), Arc::new(Half))),
        Box::new(Puzzle::default()),
        Box::new(portfolio()),
    ]
}

#[test]
fn budgets_are_kept_in_a_game_without_end() {
    for (number, mut searcher) in all::<Endless>().into_iter().enumerate() {
        let budget = Budget { playouts: Some(50), ..Budget::of_nodes(3000, 1) };
        let found = find(&mut *searcher, &Endless, 0, &budget);
        assert!(found.mv.is_some(), "searcher {number}");
        assert!(found.nodes <= 3100 && found.playouts <= 60, "searcher {number}: {found:?}");
        // No time at all: a legal move all the same.
        let found = find(&mut *searcher, &Endless, 0, &Budget::timed(&|| 2.0, 1));
        assert!(found.mv.is_some(), "searcher {number}");
        searcher.prepare(&Endless, &0, Role(1), &budget).unwrap();
    }
}

/// A game with traps: in some states a role has no move, in others the engine gives up.
struct Trap;

impl Game for Trap {
    type State = u32;
    type View = u32;
    fn roles(&self) -> usize {
        2
    }
    fn start(&self) -> u32 {
        1
    }
    fn view(&self) -> u32 {
        1
    }
    fn look(&self, state: &u32, view: &mut u32) -> Result<(), Limit> {
        if state % 11 == 5 {
            return Err(Limit::new(LimitKind::Work, "looking at a trap"));
        }
        *view = *state;
        Ok(())
    }
    fn turn(&self, view: &u32) -> Turn {
        if *view > 60 { Turn::Over } else { Turn::One(Role((view % 2) as u8)) }
    }
    fn legal(&self, view: &u32, role: Role, out: &mut Vec<Move>) {
        match (view % 7 == 3, u32::from(role.0) == view % 2) {
            (true, _) => {}
            (_, true) => out.extend((1..4).map(Move)),
            _ => out.push(Move(0)),
        }
    }
    fn goal(&self, view: &mut u32, role: Role) -> Result<Option<Goal>, Limit> {
        if *view % 13 == 1 {
            return Err(Limit::new(LimitKind::Memory, "working out a goal"));
        }
        Ok((!view.is_multiple_of(3)).then_some(if u32::from(role.0) == *view % 2 { 100 } else { 0 }))
    }
    fn play(&self, view: &mut u32, joint: &[Move], next: &mut u32) -> Result<(), Limit> {
        if *view % 17 == 4 {
            return Err(Limit::new(LimitKind::Depth, "making a move"));
        }
        *next = *view * 2 % 97 + joint[(*view % 2) as usize].0;
        Ok(())
    }
}

#[test]
fn traps_are_survived() {
    for (number, mut searcher) in all::<Trap>().into_iter().enumerate() {
        for state in 0..60 {
            let budget = Budget { playouts: Some(100), ..Budget::of_nodes(500, state) };
            let state = state as u32;
            let found = searcher.search(&Trap, &state, Role((state % 2) as u8), &budget, &Monitor::new());
            match found {
                Ok(found) => assert_eq!(found.mv.is_none(), state % 7 == 3, "searcher {number}, state {state}"),
                Err(_) => assert_eq!(state % 11, 5, "searcher {number}"),
            }
        }
    }
}
