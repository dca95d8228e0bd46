//! Tuning players that do not exist: their strength is a known function of their settings.

use super::*;
use game::random::Rng;
use std::collections::HashMap;

const ALL: [Method; 3] = [Method::Surface, Method::Racing, Method::Climb];

/// Numbers from 0 to 1 in steps of 0.01, that begin here.
fn unit(starts: &[f64]) -> Space {
    let variable = |(at, &start): (usize, &f64)| Variable {
        name: format!("x{at}"),
        axis: Axis::number(0.0, 1.0, 0.01, start).expect("it fits"),
    };
    Space { variables: starts.iter().enumerate().map(variable).collect() }
}

fn values(space: &Space, point: &Point) -> Vec<f64> {
    space.variables.iter().zip(&point.0).map(|(variable, &at)| variable.axis.value(at)).collect()
}

/// The points of a game: its winner follows from the game and the seed, and is logistic in the difference of strength.
fn points(space: &Space, strength: &dyn Fn(&[f64]) -> f64, duel: &Duel, seed: u64) -> f64 {
    let number = duel.a.0.iter().chain(&duel.b.0).fold(duel.round as u64, |h, &at| h.wrapping_mul(1009) ^ at as u64);
    let mut rng = Rng::new(seed.wrapping_mul(0x9e37_79b9).wrapping_add(number));
    let first = if duel.round.is_multiple_of(2) { 0.2 } else { -0.2 };
    let more = strength(&values(space, &duel.a)) - strength(&values(space, &duel.b));
    f64::from(u8::from((rng.bits() >> 11) as f64 / (1u64 << 53) as f64 <= regression::logistic(more + first)))
}

/// Tunes, and gives the point, the words and the games.
fn found(
    space: &Space,
    tuning: &Tuning,
    strength: &dyn Fn(&[f64]) -> f64,
    seed: u64,
) -> (Point, Vec<String>, Vec<Duel>) {
    let (mut words, mut games) = (Vec::new(), Vec::new());
    let mut play = |duels: &[Duel]| {
        games.extend_from_slice(duels);
        Ok(duels.iter().map(|duel| points(space, strength, duel, seed)).collect())
    };
    let mut tell = |line: &str| {
        words.push(line.to_string());
        Ok(())
    };
    let point = tune(space, tuning, &mut play, &mut tell).expect("nothing goes wrong");
    (point, words, games)
}

fn tuning(method: Method, games: usize) -> Tuning {
    Tuning { method, games, passes: 3, seed: 5 }
}

#[test]
fn the_top_of_a_hill_is_found() {
    let space = unit(&[0.1, 0.2]);
    let strength = |x: &[f64]| -8.0 * (x[0] - 0.6).powi(2) - 8.0 * (x[1] - 0.7).powi(2);
    let start = strength(&[0.1, 0.2]);
    for method in ALL {
        let mut left = 0.0;
        for seed in 0..5 {
            let (point, words, games) = found(&space, &tuning(method, 1000), &strength, seed);
            left -= strength(&values(&space, &point)) / 5.0;
            assert!(games.len() <= 1000 && games.len() > 900, "{method:?}: {}", games.len());
            assert!(!words.is_empty());
            let firsts = games.iter().filter(|duel| duel.round.is_multiple_of(2)).count();
            assert_eq!(2 * firsts, games.len(), "{method:?}: as often first as second");
        }
        let most = if method == Method::Surface { 0.12 } else { 0.6 };
        assert!(left < most, "{method:?}: {left} of {start} is left");
    }
}

#[test]
fn the_same_answers_give_the_same_path() {
    let space = unit(&[0.5, 0.5, 0.5]);
    let strength = |x: &[f64]| -3.0 * x.iter().map(|x| (x - 0.2).powi(2)).sum::<f64>();
    for method in ALL {
        let run = || found(&space, &tuning(method, 400), &strength, 1);
        assert!(run() == run(), "{method:?}");
        let other = found(&space, &tuning(method, 400), &strength, 2);
        assert!(other.1 != run().1, "{method:?}: other games, other words");
    }
}

#[test]
fn the_start_stays_where_nobody_beats_it() {
    let space = unit(&[0.5, 0.5]);
    let strength = |x: &[f64]| if x == [0.5, 0.5] { 9.0 } else { -9.0 };
    for method in [Method::Racing, Method::Climb] {
        let (point, words, _) = found(&space, &tuning(method, 200), &strength, 1);
        assert_eq!(point, space.origin(), "{method:?}");
        assert!(words.iter().any(|line| line.contains("stays")), "{words:?}");
    }
    // A surface cannot see a needle; but a hill whose top is the start.
    let strength = |x: &[f64]| -40.0 * x.iter().map(|x| (x - 0.5).powi(2)).sum::<f64>();
    let (point, ..) = found(&space, &tuning(Method::Surface, 600), &strength, 1);
    assert!(values(&space, &point).iter().all(|x| (x - 0.5).abs() < 0.1), "{point:?}");
}

#[test]
fn choices_are_made() {
    let mut space = unit(&[0.2]);
    let options = ["a", "b", "c"].map(String::from).to_vec();
    space.variables.push(Variable { name: "word".to_string(), axis: Axis::Choice { options } });
    let strength = |x: &[f64]| [0.0, 2.0, -2.0][x[1] as usize] - 4.0 * (x[0] - 0.8).powi(2);
    for method in ALL {
        let (point, ..) = found(&space, &tuning(method, 800), &strength, 3);
        assert_eq!(point.0[1], 1, "{method:?}: {}", space.text(&point));
    }
}

#[test]
fn whoever_is_interrupted_goes_on() {
    let space = unit(&[0.1, 0.9]);
    let strength = |x: &[f64]| -3.0 * x.iter().map(|x| (x - 0.4).powi(2)).sum::<f64>();
    for method in ALL {
        let whole = found(&space, &tuning(method, 300), &strength, 1);
        let mut kept: HashMap<Duel, f64> = HashMap::new();
        let mut runs = 0;
        let point = loop {
            runs += 1;
            let mut new = 0;
            let mut play = |duels: &[Duel]| {
                let mut all = Vec::new();
                for duel in duels {
                    if !kept.contains_key(duel) {
                        new += 1;
                        ensure!(new < 70, "interrupted");
                        kept.insert(duel.clone(), points(&space, &strength, duel, 1));
                    }
                    all.push(kept[duel]);
                }
                Ok(all)
            };
            if let Ok(point) = tune(&space, &tuning(method, 300), &mut play, &mut |_| Ok(())) {
                break point;
            }
        };
        assert_eq!(point, whole.0, "{method:?}");
        assert!(runs > 3 && kept.len() <= 300, "{method:?}: {runs} runs, {} games", kept.len());
    }
}

#[test]
fn too_few_games_are_refused() {
    let space = unit(&[0.1, 0.9]);
    for (method, part) in [(Method::Climb, "--games 72"), (Method::Racing, "--games 48"), (Method::Surface, "--games")]
    {
        let mut play = |_: &[Duel]| -> Result<Vec<f64>> { panic!("nothing is played") };
        let error = tune(&space, &tuning(method, 10), &mut play, &mut |_| Ok(())).expect_err("too few").to_string();
        assert!(error.contains(part), "{error}");
    }
    let nothing = tune(&Space::default(), &tuning(Method::Climb, 10), &mut |_| Ok(Vec::new()), &mut |_| Ok(()));
    assert!(nothing.expect_err("nothing is varied").to_string().contains("--vary"));
}
