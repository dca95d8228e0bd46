//! What every method of tuning has in hand: games to be spent, whoever plays them, and somebody to tell why what is tried.

use super::space::{Point, Space};
use anyhow::{Result, ensure};

/// One game between two settings. Who has which role follows from the number of the round, as in a tournament: every
/// second round is the one before with the roles changed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Duel {
    /// One of them; has the first role in even rounds.
    pub a: Point,
    /// The other one.
    pub b: Point,
    /// Which game it is; those of a pair of rounds (0 and 1, 2 and 3 …) have the same seed.
    pub round: usize,
}

/// Plays games, several at the same time if it likes. The answers are in the order of the questions: the points of `a`,
/// from 0 to 1.
pub type Play<'a> = &'a mut dyn FnMut(&[Duel]) -> Result<Vec<f64>>;

/// Hears in words what was tried, what came of it and what is tried next.
pub type Tell<'a> = &'a mut dyn FnMut(&str) -> Result<()>;

/// Points out of games.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Score {
    /// The points.
    pub points: f64,
    /// The games.
    pub games: usize,
}

impl Score {
    /// Points as a part of the games; of no games, a half.
    pub fn rate(&self) -> f64 {
        if self.games == 0 { 0.5 } else { self.points / self.games as f64 }
    }

    /// The 95% interval of the rate.
    pub fn interval(&self) -> (f64, f64) {
        play::score::wilson(self.rate(), self.games as u64)
    }

    /// In words: `61.5% of 20`.
    pub fn words(&self) -> String {
        format!("{:.1}% of {}", 100.0 * self.rate(), self.games)
    }
}

/// See the module.
pub struct Contest<'a> {
    /// What is varied.
    pub space: &'a Space,
    /// Games that may be spent.
    pub left: usize,
    /// The first round that nobody has played.
    next_round: usize,
    play: Play<'a>,
    tell: Tell<'a>,
}

impl<'a> Contest<'a> {
    /// With so many games to spend.
    pub fn new(space: &'a Space, games: usize, play: Play<'a>, tell: Tell<'a>) -> Contest<'a> {
        Contest { space, left: games, next_round: 0, play, tell }
    }

    /// Says something.
    pub fn say(&mut self, words: &str) -> Result<()> {
        (self.tell)(words)
    }

    /// Rounds that nobody has played yet, so many of them.
    pub fn new_rounds(&mut self, count: usize) -> std::ops::Range<usize> {
        // Pairs of rounds belong together.
        let first = self.next_round.next_multiple_of(2);
        self.next_round = first + count;
        first..first + count
    }

    /// Plays games.
    ///
    /// # Errors
    /// When more games are asked for than are left, or they cannot be played.
    pub fn duels(&mut self, duels: &[Duel]) -> Result<Vec<f64>> {
        ensure!(duels.len() <= self.left, "{} games are more than the {} that are left", duels.len(), self.left);
        self.left -= duels.len();
        let points = (self.play)(duels)?;
        ensure!(points.len() == duels.len(), "{} games were asked for, {} were played", duels.len(), points.len());
        Ok(points)
    }

    /// Lets each challenger meet the champion in these rounds: what each of them got.
    pub fn against(
        &mut self,
        champion: &Point,
        challengers: &[Point],
        rounds: std::ops::Range<usize>,
    ) -> Result<Vec<Score>> {
        let duel = |a: &Point, round| Duel { a: a.clone(), b: champion.clone(), round };
        let duels: Vec<Duel> =
            challengers.iter().flat_map(|a| rounds.clone().map(move |round| duel(a, round))).collect();
        let points = self.duels(&duels)?;
        let score = |points: &[f64]| Score { points: points.iter().sum(), games: points.len() };
        Ok(match rounds.len() {
            0 => vec![Score::default(); challengers.len()],
            games => points.chunks(games).map(score).collect(),
        })
    }
}
