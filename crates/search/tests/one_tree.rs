//! One tree that several threads grow: what is proven in it holds, and those who work on it agree.

mod toy;

use game::{Game, Role};
use proptest::prelude::*;
use search::portfolio::Portfolio;
use search::uct::Uct;
use search::{Budget, Found, Knowledge, Monitor, PortfolioSettings, Searcher, UctSettings};
use std::sync::atomic::{AtomicU32, Ordering};
use toy::Toy;

/// Searches until the time was asked for so often, whoever asks.
fn find(searcher: &mut dyn Searcher<Toy>, game: &Toy, state: usize, role: Role, looks: u32, seed: u64) -> Found {
    let asked = AtomicU32::new(0);
    let spent = || asked.fetch_add(1, Ordering::Relaxed) as f32 / looks as f32;
    searcher.search(game, &state, role, &Budget::timed(&spent, seed), &Monitor::new()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn what_threads_prove_together_is_minimax(seed: u64, threads in 2usize..5) {
        let game = Toy::new(seed, 60, 2, 0, true);
        let role = Role((seed % 2) as u8);
        let mut searcher = Uct::new(UctSettings { threads, ..Default::default() });
        // The second search goes on with the tree of the first.
        for _ in 0..2 {
            let found = find(&mut searcher, &game, 0, role, 3000, seed);
            if found.proven {
                prop_assert_eq!(f64::from(found.value), game.value(0, role, &[]));
            }
        }
        // So does one whose games are counted, and who therefore has trees again.
        let budget = Budget::of_playouts(2000, seed);
        let found = searcher.search(&game, &0, role, &budget, &Monitor::new()).unwrap();
        if found.proven {
            prop_assert_eq!(f64::from(found.value), game.value(0, role, &[]));
        }
    }

    #[test]
    fn a_team_proves_what_is_minimax(seed: u64, both in prop::sample::select(vec![0usize, 40])) {
        let game = Toy::new(seed, 24, 2, both, true);
        let mut team = Uct::new(UctSettings::default()).team(3);
        let found: Vec<Found> = std::thread::scope(|scope| {
            let game = &game;
            let each = team.iter_mut();
            let running: Vec<_> = each.map(|uct| scope.spawn(move || find(uct, game, 0, Role(0), 1500, seed))).collect();
            running.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for found in &found {
            prop_assert!(found.mv.is_some() || game.over(&0));
            if found.proven && both == 0 {
                prop_assert_eq!(f64::from(found.value), game.value(0, Role(0), &[]));
            }
        }
    }
}

#[test]
fn proofs_are_found_together() {
    let (mut games, mut proven) = (0, 0);
    for seed in 0..60 {
        let game = Toy::new(seed, 60, 2, 0, true);
        let mut searcher = Uct::new(UctSettings { threads: 3, ..Default::default() });
        let found = find(&mut searcher, &game, 0, Role(0), 5000, seed);
        if found.moves.len() > 1 {
            games += 1;
            proven += usize::from(found.proven);
        }
    }
    assert!(games > 10 && proven * 10 > games * 7, "{proven} of {games}");
}

#[test]
fn members_of_a_team_may_be_elsewhere() {
    // One is asked about another state while the others grow the tree: it must not disturb them, and finds its own answer.
    for seed in 0..20 {
        let game = Toy::new(seed, 40, 2, 0, false);
        let mut team = Uct::new(UctSettings::default()).team(2);
        let (first, second) = team.split_at_mut(1);
        let next = (1..40).find(|&state| !game.over(&state)).unwrap_or(0);
        let (here, there) = std::thread::scope(|scope| {
            let here = scope.spawn(|| find(&mut first[0], &game, 0, Role(0), 3000, seed));
            let there = scope.spawn(|| find(&mut second[0], &game, next, Role(0), 3000, seed));
            (here.join().unwrap(), there.join().unwrap())
        });
        for (found, state) in [(here, 0), (there, next)] {
            if found.proven {
                assert_eq!(
                    f64::from(found.value).round(),
                    game.value(state, Role(0), &[]),
                    "seed {seed}, state {state}"
                );
            }
        }
    }
}

#[test]
fn the_portfolio_tells_of_one_tree() {
    let game = Toy::new(3, 400, 2, 0, false);
    let settings = PortfolioSettings { threads: 2, ..Default::default() };
    let mut portfolio: Portfolio<Toy> = Portfolio::new(settings, Knowledge::default());
    let found = find(&mut portfolio, &game, 0, Role(0), 3000, 1);
    let visits: u64 = found.moves.iter().map(|choice| choice.visits).sum();
    assert!(found.proven || visits <= found.playouts.max(1), "{found:?}");
}
