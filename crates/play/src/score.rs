//! What results are worth: win rates with confidence intervals, and Elo ratings.

/// How one player did.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// The sum of the goals, from 0 to 100 a game.
    pub goals: f64,
}

impl Tally {
    /// How many games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Wins and half of the draws, as a part of all games.
    pub fn rate(&self) -> f64 {
        (self.wins as f64 + self.draws as f64 / 2.0) / self.games().max(1) as f64
    }

    /// The mean goal.
    pub fn mean_goal(&self) -> f64 {
        self.goals / self.games().max(1) as f64
    }

    /// Counts a game with this result for the player: whether it did better, worse or the same as the others.
    pub fn add(&mut self, own: f64, others: f64) {
        *(if own > others {
            &mut self.wins
        } else if own < others {
            &mut self.losses
        } else {
            &mut self.draws
        }) += 1;
        self.goals += own;
    }

    /// The confidence interval (95%) of [`rate`](Tally::rate), after Wilson. Draws make the truth narrower, never wider.
    pub fn interval(&self) -> (f64, f64) {
        wilson(self.rate(), self.games())
    }
}

/// The 95% confidence interval of a rate that was seen in so many trials.
///
/// ```
/// let (low, high) = play::score::wilson(0.5, 100);
/// assert!((low - 0.404).abs() < 0.001 && (high - 0.596).abs() < 0.001);
/// ```
pub fn wilson(rate: f64, trials: u64) -> (f64, f64) {
    if trials == 0 {
        return (0.0, 1.0);
    }
    let (n, z) = (trials as f64, 1.959_963_984_540_054);
    let centre = rate + z * z / (2.0 * n);
    let spread = z * (rate * (1.0 - rate) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    (((centre - spread) / scale).max(0.0), ((centre + spread) / scale).min(1.0))
}

/// A rating.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rating {
    /// The Elo number; the mean of all players is 0.
    pub elo: f64,
    /// Half of the 95% confidence interval, if the others' ratings were known exactly.
    pub margin: f64,
}

/// A draw against an equal that everybody gets for a start, so that a player who won everything still has a rating.
const PRIOR: f64 = 1.0;

/// The ratings that make the results most likely, by the model of Bradley and Terry with draws as half a win.
/// `points[a][b]` are the points that `a` made against `b`.
///
/// ```
/// let ratings = play::score::elo(&[vec![0.0, 75.0], vec![25.0, 0.0]]);
/// assert!((ratings[0].elo - ratings[1].elo - 186.0).abs() < 5.0);
/// ```
pub fn elo(points: &[Vec<f64>]) -> Vec<Rating> {
    let count = points.len();
    let met = |a: usize, b: usize| points[a][b] + points[b][a];
    let mut strength = vec![1.0f64; count];
    // Each pass raises the likelihood; a thousand are enough for any table of a size that is played.
    for _ in 0..1000 {
        let before = strength.clone();
        for a in 0..count {
            let won: f64 = points[a].iter().sum::<f64>() + PRIOR / 2.0;
            let weight: f64 = (0..count).filter(|&b| b != a).map(|b| met(a, b) / (strength[a] + strength[b])).sum();
            strength[a] = won / (weight + PRIOR / (strength[a] + 1.0));
        }
        let change = strength.iter().zip(&before).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max);
        if change < 1e-9 {
            break;
        }
    }
    let scale = 400.0 / std::f64::consts::LN_10;
    let mean = strength.iter().map(|s| s.ln()).sum::<f64>() / count.max(1) as f64;
    let rating = |a: usize| {
        let variance = |p: f64| p * (1.0 - p);
        let information: f64 = (0..count)
            .filter(|&b| b != a)
            .map(|b| met(a, b) * variance(strength[a] / (strength[a] + strength[b])))
            .sum::<f64>()
            + PRIOR * variance(strength[a] / (strength[a] + 1.0));
        Rating { elo: scale * (strength[a].ln() - mean), margin: 1.96 * scale / information.sqrt() }
    };
    (0..count).map(rating).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_have_equal_ratings_and_winners_finite_ones() {
        let ratings = elo(&[vec![0.0, 5.0, 10.0], vec![5.0, 0.0, 10.0], vec![0.0, 0.0, 0.0]]);
        assert!((ratings[0].elo - ratings[1].elo).abs() < 1e-3);
        assert!(ratings[0].elo > 50.0 && ratings[0].elo.is_finite() && ratings[2].elo < -100.0);
        assert!(ratings.iter().map(|rating| rating.elo).sum::<f64>().abs() < 1e-6);
        assert!(elo(&[]).is_empty());
        assert_eq!(elo(&[vec![0.0]]).len(), 1);
    }

    #[test]
    fn more_games_make_smaller_margins() {
        let few = elo(&[vec![0.0, 6.0], vec![4.0, 0.0]]);
        let many = elo(&[vec![0.0, 600.0], vec![400.0, 0.0]]);
        assert!(many[0].margin < few[0].margin / 5.0);
        assert!((many[0].elo - many[1].elo - 70.4).abs() < 1.0, "{many:?}");
    }

    #[test]
    fn rates_and_intervals() {
        let mut tally = Tally::default();
        tally.add(100.0, 0.0);
        tally.add(50.0, 50.0);
        tally.add(0.0, 100.0);
        assert_eq!((tally.games(), tally.rate(), tally.mean_goal()), (3, 0.5, 50.0));
        let (low, high) = tally.interval();
        assert!(low > 0.0 && high < 1.0);
        assert_eq!(wilson(0.5, 0), (0.0, 1.0));
        assert!((wilson(1.0, 10).1 - 1.0).abs() < 1e-9);
    }
}
