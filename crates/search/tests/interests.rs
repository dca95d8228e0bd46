//! Games in which the roles want neither the same nor the opposite: what is proven must hold for those who do not care.

mod toy;

use game::{Game, Move, Role};
use search::uct::Uct;
use search::{Budget, Found, Monitor, Searcher};
use toy::Toy;

const END: &[usize] = &[0, 0];

fn found(game: &Toy, playouts: u64, seed: u64) -> Found {
    Uct::default().search(game, &game.start(), Role(0), &Budget::of_playouts(playouts, seed), &Monitor::new()).unwrap()
}

#[test]
fn a_win_of_the_other_does_not_settle_what_we_get() {
    // 70 for sure, or let the other choose between 100 for both and 100 for itself alone.
    let game = Toy::given(&[
        (&[2, 1], &[1, 2], &[0, 0]),
        (END, &[], &[70, 0]),
        (&[1, 2], &[3, 4], &[0, 0]),
        (END, &[], &[100, 100]),
        (END, &[], &[0, 100]),
    ]);
    for seed in 0..20 {
        let found = found(&game, 4000, seed);
        assert_eq!(found.mv, Some(Move(0)), "{found:?}");
        assert!(!found.moves[1].proven, "{found:?}");
    }
}

#[test]
fn nobody_is_taken_to_prefer_one_of_two_equals() {
    // The first move is worth 0 or 100 to us, as the other chooses at the same time; the second 70. The other always gets 50.
    let game = Toy::given(&[
        (&[2, 2], &[1, 3, 2, 3], &[0, 0]),
        (END, &[], &[0, 50]),
        (END, &[], &[100, 50]),
        (END, &[], &[70, 50]),
    ]);
    for seed in 0..20 {
        let found = found(&game, 4000, seed);
        assert_eq!(found.mv, Some(Move(1)), "{found:?}");
    }
}

#[test]
fn among_many_equals_every_move_has_its_share() {
    // Hide and seek in sixty places.
    let to: Vec<usize> = (0..3600).map(|joint| if joint % 60 == joint / 60 { 1 } else { 2 }).collect();
    let game = Toy::given(&[(&[60, 60], &to, &[0, 0]), (END, &[], &[0, 100]), (END, &[], &[100, 0])]);
    for seed in 0..3 {
        let found = found(&game, 100_000, seed);
        let shares: Vec<f32> = found.moves.iter().map(|choice| choice.share).collect();
        assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-3, "{shares:?}");
        assert!(shares.iter().all(|share| *share < 0.2), "{shares:?}");
    }
}
