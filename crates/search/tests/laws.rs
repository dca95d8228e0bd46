//! What every search must do: agree with brute force, repeat itself, keep to its budget, survive odd games.

mod toy;

use game::random::End;
use game::rollouts::{Feed, one_by_one};
use game::{Game, Goal, Limit, LimitKind, Move, Role, Turn};
use proptest::prelude::*;
use search::alphabeta::AlphaBeta;
use search::portfolio::Portfolio;
use search::proof_number::ProofNumber;
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
    fn proof_numbers_prove_minimax(seed: u64, roles in 1usize..4, both in prop::sample::select(vec![0usize, 20])) {
        let game = Toy::new(seed, 40, roles, both, false);
        let role = Role((seed % roles as u64) as u8);
        let team: Vec<Role> = if roles == 3 { vec![Role((role.0 + 1) % 3)] } else { Vec::new() };
        let mut searcher = ProofNumber::new(&Knowledge { teams: vec![team.clone(); roles], ..Knowledge::default() });
        let found = find(&mut searcher, &game, role.0, &Budget::of_nodes(MUCH, 1));
        let value = game.value(0, role, &team);
        prop_assert!(found.proven || both > 0, "{found:?}");
        let mut states = vec![0];
        if found.proven {
            prop_assert_eq!(f64::from(found.value), value);
            states.extend(found.mv.and_then(|mv| after(&game, role, mv)));
            for choice in found.moves.iter().filter(|choice| choice.proven) {
                if let Some(next) = after(&game, role, choice.mv) {
                    prop_assert_eq!(game.value(next, role, &team), f64::from(choice.value));
                }
            }
        }
        // What it kept of the first search holds in the next one.
        if let Some(&next) = states.get(1) {
            prop_assert_eq!(game.value(next, role, &team), value);
            let again = searcher.search(&game, &next, role, &Budget::of_nodes(MUCH, 1), &Monitor::new()).unwrap();
            prop_assert_eq!(f64::from(again.value), value);
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
fn the_laws_about_proofs_are_not_empty() {
    // The laws above hold for what is proven: in most games that must be something.
    let (mut games, mut proven, mut kept) = (0, 0, 0);
    let (mut at_once, mut proven_at_once, mut draws) = (0, 0, 0);
    for seed in 0..200 {
        let role = Role((seed % 2) as u8);
        let game = Toy::new(seed, 24, 2, 0, true);
        let found = find(&mut Uct::default(), &game, role.0, &Budget::of_playouts(4000, seed));
        if found.moves.len() > 1 {
            games += 1;
            proven += u32::from(found.proven);
            kept += u32::from(found.proven && found.mv.and_then(|mv| after(&game, role, mv)).is_some());
        }
        let game = Toy::new(seed, 20, 2, 60, true);
        let found = find(&mut Uct::default(), &game, role.0, &Budget::of_playouts(6000, seed));
        if found.moves.len() > 1 {
            at_once += 1;
            proven_at_once += u32::from(found.proven);
            draws += u32::from(found.proven && found.value > 0.0 && found.value < 100.0);
        }
    }
    let counts = (games, proven, kept, at_once, proven_at_once, draws);
    assert!(games > 50 && 10 * proven > 9 * games && kept > 50, "{counts:?}");
    assert!(at_once > 50 && 3 * proven_at_once > at_once && draws > 5, "{counts:?}");
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

/// Knows the value of every state.
struct Oracle;

impl game::Evaluator<Toy> for Oracle {
    fn value(&self, game: &Toy, state: &usize, _: &mut usize, role: Role) -> f32 {
        game.value(*state, role, &[]) as f32
    }
}

/// Knows it, or believes the opposite; for games that are too large for brute force, by working backwards.
struct Known {
    /// What the first role gets, or the second if it lies.
    values: Vec<f32>,
}

impl Known {
    /// Moves lead to places of a greater number, so the last come first.
    fn new(game: &Toy, size: usize, truthful: bool) -> Known {
        let mut values = vec![0.0f32; size];
        for at in (0..size).rev() {
            let mut view = at;
            let Turn::One(role) = game.turn(&view) else {
                values[at] = f32::from(game.goal(&mut view, Role(0)).unwrap().unwrap_or(0));
                continue;
            };
            let mut moves = Vec::new();
            game.legal(&view, role, &mut moves);
            let below = moves.into_iter().map(|mv| {
                let mut joint = [Move(0); 2];
                joint[usize::from(role.0)] = mv;
                let mut next = 0;
                game.play(&mut view, &joint, &mut next).unwrap();
                values[next]
            });
            values[at] = if role.0 == 0 { below.fold(0.0, f32::max) } else { below.fold(100.0, f32::min) };
        }
        if !truthful {
            values.iter_mut().for_each(|value| *value = 100.0 - *value);
        }
        Known { values }
    }
}

impl game::Evaluator<Toy> for Known {
    fn value(&self, _: &Toy, state: &usize, _: &mut usize, role: Role) -> f32 {
        let value = self.values[*state];
        if role.0 == 0 { value } else { 100.0 - value }
    }
}

/// Two count up in turn by 1 to 3; whoever reaches the end wins. Places are numbers, twice: for each who may move.
fn count_to(end: usize) -> Toy {
    let place = |at: usize| -> (Vec<usize>, Vec<usize>, Vec<Goal>) {
        let (number, mover) = (at / 2, at % 2);
        let goals = if mover == 1 { vec![100, 0] } else { vec![0, 100] };
        if number >= end {
            return (vec![0, 0], Vec::new(), goals);
        }
        let to: Vec<usize> = (1..4).map(|more| 2 * (number + more).min(end) + 1 - mover).collect();
        (if mover == 0 { vec![3, 1] } else { vec![1, 3] }, to, goals)
    };
    let places: Vec<_> = (0..2 * end + 2).map(place).collect();
    Toy::given(&places.iter().map(|(counts, to, goals)| (&counts[..], &to[..], &goals[..])).collect::<Vec<_>>())
}

#[test]
fn measuring_never_chooses_the_liar() {
    let mut believed = 0;
    for seed in 0..16 {
        // A game of chance encounters, in which UCT is good enough, or one that has to be understood.
        let (game, size) = if seed < 6 { (Toy::new(seed, 30, 2, 0, true), 30) } else { (count_to(24), 50) };
        let known = |truthful| -> SharedEvaluator<Toy> { Arc::new(Known::new(&game, size, truthful)) };
        let knowledge = Knowledge { evaluators: vec![known(false), known(true)], ..Default::default() };
        let settings = PortfolioSettings { threads: 2, ..Default::default() };
        let mut searcher = Portfolio::new(settings, knowledge);
        searcher.prepare(&game, &0, Role(0), &Budget { nodes: Some(5000), ..Budget::of_playouts(5000, seed) }).unwrap();
        assert_ne!(searcher.method().evaluator(), Some(0), "seed {seed}: {:?}", searcher.method());
        believed += u32::from(searcher.method().evaluator() == Some(1));
    }
    // Whoever never believes anybody is never lied to.
    assert!(believed >= 3, "the truth was believed {believed} times");
}

#[test]
fn an_evaluator_leads_the_tree() {
    let mut led = 0;
    for seed in 0..60 {
        let game = Toy::new(seed / 2, 60, 2, 0, true);
        let oracle: SharedEvaluator<Toy> = Arc::new(Oracle);
        // Alone at every leaf, or after one move of each random game.
        let (trust, cut) = if seed % 2 == 0 { (1.0, None) } else { (0.0, Some(1)) };
        let settings = UctSettings { trust, cut, ..Default::default() };
        let found = find(&mut Uct::new(settings).with_evaluator(oracle), &game, 0, &Budget::of_playouts(400, seed));
        if let Some(next) = found.mv.and_then(|mv| after(&game, Role(0), mv)) {
            assert_eq!(game.value(next, Role(0), &[]), game.value(0, Role(0), &[]), "seed {seed}");
            led += u32::from(found.moves.len() > 1);
        }
    }
    assert!(led >= 10, "only {led} games had something to choose");
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
