//! Random games in lanes against random games one by one. Lanes cannot be followed move by move, but over many games they
//! must come to the same lengths and goals on average as the prover does.

use crate::bench::measure::{self, Goals};
use game::Goal;
use machine::Engine;
use serde::{Deserialize, Serialize};

/// Values, summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Sum {
    count: u64,
    sum: f64,
    squares: f64,
}

impl Sum {
    fn add(&mut self, value: f64) {
        self.merge(Sum { count: 1, sum: value, squares: value * value });
    }

    fn merge(&mut self, other: Sum) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    fn mean(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }

    fn deviation(&self) -> f64 {
        (self.squares / self.count.max(1) as f64 - self.mean().powi(2)).max(0.0).sqrt()
    }
}

/// Random games of the prover.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    length: Sum,
    goals: Vec<Sum>,
    /// Games that were left before their end.
    cut: u64,
}

impl Sample {
    /// Adds a game that came to its end; without goals if somebody had no move.
    pub fn add(&mut self, moves: u64, goals: Option<&[Option<Goal>]>) {
        self.length.add(moves as f64);
        for (role, goal) in goals.unwrap_or_default().iter().enumerate() {
            self.goals.resize(self.goals.len().max(role + 1), Sum::default());
            if let Some(goal) = goal {
                self.goals[role].add(f64::from(*goal));
            }
        }
    }

    /// Adds a game that was left.
    pub fn add_cut(&mut self) {
        self.cut += 1;
    }

    /// Adds other games.
    pub fn merge(&mut self, other: &Sample) {
        self.length.merge(other.length);
        self.cut += other.cut;
        self.goals.resize(self.goals.len().max(other.goals.len()), Sum::default());
        self.goals.iter_mut().zip(&other.goals).for_each(|(mine, others)| mine.merge(*others));
    }
}

/// Random games in lanes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InLanes {
    playouts: u64,
    length: f64,
    roles: Vec<Goals>,
}

/// How long lanes are run.
const SECONDS: f64 = 0.03;

impl InLanes {
    /// Plays, if there are lanes, and if the time is enough for whole games in them.
    pub fn play(game: &Engine, seed: u64) -> Option<InLanes> {
        let play = measure::lanes(game, SECONDS, seed).filter(|play| !play.few && play.cut == 0)?;
        Some(InLanes { playouts: play.playouts, length: play.length(), roles: play.roles })
    }

    /// What differs from the games of the prover, by more than chance allows: six standard errors.
    pub fn difference(&self, sample: &Sample) -> Option<String> {
        let games = sample.length.count;
        if games < FEWEST || sample.cut > games / 100 {
            return None;
        }
        let chance = |deviation: f64, count: u64| 6.0 * deviation / (count as f64).sqrt();
        // Games under way when the counting began and ended: at most one a lane.
        let edge = 512.0 / self.playouts.max(1) as f64;
        let mean = sample.length.mean();
        if (self.length - mean).abs() > chance(sample.length.deviation(), games) + (0.02 + edge) * mean {
            return Some(format!("a random game in lanes has {:.2} moves, {mean:.2} under the prover", self.length));
        }
        for (role, sum) in self.roles.iter().zip(&sample.goals).filter(|(_, sum)| sum.count >= FEWEST) {
            let (ours, theirs) = (role.mean(), sum.mean());
            if (ours - theirs).abs() > chance(deviation(role), sum.count) + 100.0 * edge + 0.5 {
                return Some(format!("{} gets {ours:.2} in lanes, {theirs:.2} under the prover", role.role));
            }
        }
        None
    }
}

/// Fewer games say nothing.
const FEWEST: u64 = 50;

fn deviation(role: &Goals) -> f64 {
    let mut sum = Sum::default();
    for (goal, games) in &role.goals {
        let (goal, count) = (f64::from(*goal), *games as f64);
        sum.merge(Sum { count: *games, sum: goal * count, squares: goal * goal * count });
    }
    sum.deviation()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_by_more_than_chance_is_found() {
        let mut sample = Sample::default();
        (0..1000).for_each(|n| sample.add(10 + n % 3, Some(&[Some(if n % 2 == 0 { 100 } else { 0 })])));
        let lanes = |length, won| {
            let role = Goals { role: "x".to_string(), goals: vec![(0, 100_000 - won), (100, won)] };
            InLanes { playouts: 100_000, length, roles: vec![role] }
        };
        assert_eq!(lanes(11.0, 50_000).difference(&sample), None);
        assert_eq!(lanes(11.1, 52_000).difference(&sample), None);
        assert!(lanes(14.0, 50_000).difference(&sample).is_some_and(|what| what.contains("moves")));
        assert!(lanes(11.0, 90_000).difference(&sample).is_some_and(|what| what.contains("x gets 90")));
        let mut twice = sample.clone();
        twice.merge(&sample);
        assert_eq!((twice.length.count, twice.goals[0].count), (2000, 2000));
    }
}
