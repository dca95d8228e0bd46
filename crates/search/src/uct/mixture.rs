//! Mixtures of moves, where several roles choose at once: what one always did could be used against it.

use super::tree::Tree;
use game::{Game, Role};

/// How often the other is taken to move at random in a mixture.
const MISTAKES: f32 = 0.1;

impl<G: Game> Tree<G> {
    /// A mixture of a role's moves in a node where several roles choose at once.
    ///
    /// With two of them and enough known about the joint moves: the equilibrium of the matrix of average rewards, by
    /// regret matching. Otherwise in proportion to visits.
    pub(super) fn mixture(&self, at: u32, role: Role) -> Option<Vec<f32>> {
        let node = &self.nodes[at as usize];
        let mine = node.sides.iter().position(|side| side.role == role)?;
        let visits: f32 = node.sides[mine].arms.iter().map(|arm| arm.visits as f32).sum();
        let shares: Vec<f32> = node.sides[mine].arms.iter().map(|arm| arm.visits as f32 / visits.max(1.0)).collect();
        let [a, b] = &*node.sides else { return Some(shares) };
        // What is neither won nor lost is not left to the proof: an opponent who errs gives more.
        if let Some(exact) = node.exact.as_ref().map(|exact| exact[role.0 as usize])
            && (exact <= 0.0 || exact >= 1.0)
        {
            return Some(self.safest(at, mine, exact));
        }
        let (rows, columns) = (a.arms.len(), b.arms.len());
        let seen = self.joints.len();
        if rows * columns > 4096 || seen == 0 {
            return Some(shares);
        }
        let matrix = |role: Role| -> Vec<f32> {
            let mean = (self.sums(at)[role.0 as usize] / f64::from(node.visits).max(1.0)) as f32;
            let cell = |choice: u64| -> f32 {
                let Some(child) = self.child(at, choice) else { return mean };
                let below = &self.nodes[child as usize];
                match &below.exact {
                    Some(values) => values[role.0 as usize],
                    None => (self.sums(child)[role.0 as usize] as f32 + 2.0 * mean) / (below.visits as f32 + 2.0),
                }
            };
            (0..(rows * columns) as u64).map(cell).collect()
        };
        let (mut mine_a, mut mine_b) = (matrix(a.role), matrix(b.role));
        // The other errs now and then: among moves that are equal against the best play, the one that profits from
        // mistakes is better.
        for row in 0..rows {
            let mean = (0..columns).map(|column| mine_a[row + rows * column]).sum::<f32>() / columns as f32;
            (0..columns)
                .for_each(|column| mine_a[row + rows * column] += MISTAKES * (mean - mine_a[row + rows * column]));
        }
        for column in mine_b.chunks_mut(rows) {
            let mean = column.iter().sum::<f32>() / rows as f32;
            column.iter_mut().for_each(|cell| *cell += MISTAKES * (mean - *cell));
        }
        let cells = mine_a.iter_mut().zip(&mut mine_b).enumerate();
        for (cell, (worth_a, worth_b)) in cells.filter(|_| node.exact.is_none()) {
            // What is struck out is never chosen.
            *worth_a -= f32::from(u8::from(a.arms[cell % rows].lost));
            *worth_b -= f32::from(u8::from(b.arms[cell / rows].lost));
        }
        let (first, second) = regret_matching(&mine_a, &mine_b, rows, 10_000);
        let mut mixed = if mine == 0 { first } else { second };
        // What is hardly ever right is noise, unless nothing is right more often.
        let noise = 0.02f32.min(mixed.iter().fold(0.0, |most: f32, share| most.max(*share)) / 2.0);
        mixed.iter_mut().for_each(|share| *share = if *share < noise { 0.0 } else { *share });
        Some(mixed)
    }

    /// The choice in a node whose value is proven: of the moves that are sure of it, the one that brought most so far,
    /// because the other may not know what is proven.
    fn safest(&self, at: u32, mine: usize, value: f32) -> Vec<f32> {
        let node = &self.nodes[at as usize];
        let (own, other) = (&node.sides[mine], &node.sides[1 - mine]);
        let rows = node.sides[0].arms.len();
        let sure = |arm: usize| {
            let mut against = (0..other.arms.len()).filter(|&place| !other.arms[place].lost);
            value <= 0.0
                || against.all(|place| {
                    let choice = if mine == 0 { arm + rows * place } else { place + rows * arm };
                    let child = self.child(at, choice as u64);
                    let exact = child.and_then(|child| self.nodes[child as usize].exact.as_deref());
                    exact.is_some_and(|values| values[own.role.0 as usize] >= value)
                })
        };
        let mean = |arm: usize| own.arms[arm].sum / f64::from(own.arms[arm].visits).max(1.0);
        let places = (0..own.arms.len()).filter(|&arm| sure(arm));
        let best = places.max_by(|&x, &y| mean(x).total_cmp(&mean(y)));
        // What was proven by striking out moves one after the other is kept by what is left.
        let best = best.or_else(|| own.arms.iter().position(|arm| !arm.lost)).unwrap_or(0);
        (0..own.arms.len()).map(|arm| f32::from(u8::from(arm == best))).collect()
    }
}

/// The average strategies of two players who follow their regrets in a matrix game; approaches an equilibrium where
/// their interests are opposed. Rewards are indexed by row + rows × column.
fn regret_matching(a: &[f32], b: &[f32], rows: usize, rounds: usize) -> (Vec<f32>, Vec<f32>) {
    let columns = a.len() / rows;
    let (mut regret_a, mut regret_b) = (vec![0.0f32; rows], vec![0.0f32; columns]);
    let (mut total_a, mut total_b) = (vec![0.0f32; rows], vec![0.0f32; columns]);
    let strategy = |regret: &[f32]| -> Vec<f32> {
        let sum: f32 = regret.iter().map(|r| r.max(0.0)).sum();
        let even = 1.0 / regret.len() as f32;
        regret.iter().map(|r| if sum > 0.0 { r.max(0.0) / sum } else { even }).collect()
    };
    // Work is bounded: fewer rounds for large matrices.
    let rounds = rounds.min(20_000_000 / a.len().max(1)).max(100);
    for round in 0..rounds {
        let (x, y) = (strategy(&regret_a), strategy(&regret_b));
        let row: Vec<f32> = (0..rows).map(|i| (0..columns).map(|j| a[i + rows * j] * y[j]).sum()).collect();
        let column: Vec<f32> = (0..columns).map(|j| (0..rows).map(|i| b[i + rows * j] * x[i]).sum()).collect();
        let mean_a: f32 = row.iter().zip(&x).map(|(value, share)| value * share).sum();
        let mean_b: f32 = column.iter().zip(&y).map(|(value, share)| value * share).sum();
        // Regrets never fall below zero and later rounds weigh more: both speed the average up.
        regret_a.iter_mut().zip(&row).for_each(|(regret, value)| *regret = (*regret + value - mean_a).max(0.0));
        regret_b.iter_mut().zip(&column).for_each(|(regret, value)| *regret = (*regret + value - mean_b).max(0.0));
        let weight = round as f32 / rounds as f32;
        total_a.iter_mut().zip(&x).for_each(|(total, share)| *total += weight * share);
        total_b.iter_mut().zip(&y).for_each(|(total, share)| *total += weight * share);
    }
    let even = |total: Vec<f32>| -> Vec<f32> {
        let sum: f32 = total.iter().sum();
        total.iter().map(|share| share / sum).collect()
    };
    (even(total_a), even(total_b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regrets_find_the_equilibrium() {
        // Rock, paper, scissors, where winning with rock counts double: rock 1/4, paper 1/2, scissors 1/4.
        let a = [0.0, 1.0, -2.0, -1.0, 0.0, 1.0, 2.0, -1.0, 0.0];
        let b: Vec<f32> = a.iter().map(|value| -value).collect();
        let (mine, theirs) = regret_matching(&a, &b, 3, 10_000);
        for shares in [mine, theirs] {
            for (share, right) in shares.iter().zip([0.25, 0.5, 0.25]) {
                assert!((share - right).abs() < 0.03, "{shares:?}");
            }
        }
    }
}
