//! What results tell of moves, wherever in the tree they were made, and how rewards spread.

use game::{Move, Role};

/// How much better than usual the moves are that random games should make more often; rewards are between 0 and 1.
const CLEARLY: f32 = 0.05;

/// Moves with greater numbers are not told apart.
const MOST_MOVES: usize = 1 << 20;

/// A move: how often it was made in the tree, with what reward, and what that makes of it.
#[derive(Clone, Copy, Debug)]
struct Record {
    times: f32,
    total: f32,
    /// The average, beginning with half a reward: kept, since it is asked for far more often than it changes.
    mean: f32,
}

/// What was learned from results.
#[derive(Default)]
pub(super) struct Learned {
    /// For each role how its rewards spread: count, sum, sum of squares.
    spread: Vec<[f64; 3]>,
    /// For each role its moves.
    moves: Vec<Vec<Record>>,
    /// Moves that did well in the tree, a bit each.
    preferred: Vec<u64>,
}

impl Learned {
    /// Nothing yet, of so many roles.
    pub(super) fn new(roles: usize) -> Learned {
        Learned { spread: vec![[0.0; 3]; roles], moves: vec![Vec::new(); roles], preferred: Vec::new() }
    }

    /// The unit of exploration for a role: 1 where rewards are wins and losses, less where they are close together.
    pub(super) fn unit(&self, who: usize) -> f32 {
        let [count, sum, squares] = self.spread[who];
        if count < 32.0 {
            return 1.0;
        }
        let mean = sum / count;
        (2.0 * (squares / count - mean * mean).max(0.0).sqrt()).clamp(0.05, 1.0) as f32
    }

    /// What a move brought on average; a half where nothing is known.
    #[inline]
    pub(super) fn mean(&self, who: usize, mv: Move) -> f32 {
        self.moves[who].get(mv.0 as usize).map_or(0.5, |record| record.mean)
    }

    /// Another result.
    pub(super) fn result(&mut self, rewards: &[f32]) {
        for (spread, &reward) in self.spread.iter_mut().zip(rewards) {
            let reward = f64::from(reward);
            *spread = [spread[0] + 1.0, spread[1] + reward, spread[2] + reward * reward];
        }
    }

    /// A move was made on the way to a result.
    #[inline]
    pub(super) fn made(&mut self, role: Role, mv: Move, reward: f32) {
        let (moves, mv) = (&mut self.moves[role.0 as usize], mv.0 as usize);
        if mv >= moves.len() && mv < MOST_MOVES {
            moves.resize(mv + 1, Record { times: 0.0, total: 0.0, mean: 0.5 });
        }
        if let Some(Record { times, total, mean }) = moves.get_mut(mv) {
            // Old results fade, before the numbers get too large to grow.
            if *times >= 1e6 {
                (*times, *total) = (*times / 2.0, *total / 2.0);
            }
            (*times, *total) = (*times + 1.0, *total + reward);
            *mean = (*total + 0.5) / (*times + 1.0);
        }
    }

    /// Finds out anew which moves do well: those clearly better than what their role usually gets.
    pub(super) fn refresh(&mut self) {
        self.preferred.clear();
        for (who, moves) in self.moves.iter().enumerate() {
            let (times, total) = moves.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.times, sum.1 + one.total));
            if times < 100.0 {
                continue;
            }
            let bar = total / times + CLEARLY * self.unit(who);
            for (mv, &Record { times, total, .. }) in moves.iter().enumerate() {
                // A few bad results are assumed, so that a lucky start is not enough.
                if (total + bar - CLEARLY) / (times + 1.0) > bar {
                    let word = mv / 64;
                    if word >= self.preferred.len() {
                        self.preferred.resize(word + 1, 0);
                    }
                    self.preferred[word] |= 1 << (mv % 64);
                }
            }
        }
    }

    /// The moves that do well, a bit each.
    pub(super) fn preferred(&self) -> &[u64] {
        &self.preferred
    }
}
