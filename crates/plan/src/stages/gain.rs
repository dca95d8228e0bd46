//! Which attributes tell a level from the next one, and where that changes.
//!
//! `G(i)` holds for each attribute the information gain ratio of telling level i from i+1, every value of an attribute being a
//! branch of its own. `Corr(i)` is the correlation of `G(i)` and `G(i+1)`; where it is low, something else becomes
//! important.

use super::Examples;
use serde::{Deserialize, Serialize};

/// Gains and correlations of all levels.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Relevance {
    /// The first level.
    pub first: u16,
    /// From the first level on: for each attribute the gain ratio of telling the level from the next.
    pub gains: Vec<Vec<f64>>,
    /// From the first level on: the correlation of its gains with those of the next level.
    pub correlations: Vec<f64>,
}

impl Relevance {
    /// Works them out, from the level `first` on.
    pub fn new(examples: &Examples, first: u16) -> Relevance {
        let levels = examples.counts().len();
        // For each attribute, level and value: how many.
        let tables: Vec<Vec<[u64; 256]>> = examples
            .columns
            .iter()
            .map(|column| {
                let mut table = vec![[0; 256]; levels];
                for (&level, &value) in examples.levels.iter().zip(column) {
                    table[usize::from(level)][usize::from(value)] += 1;
                }
                table
            })
            .collect();
        let pairs = usize::from(first)..levels.saturating_sub(1);
        let gains: Vec<Vec<f64>> = pairs
            .map(|level| tables.iter().map(|table| gain_ratio(&[&table[level], &table[level + 1]])).collect())
            .collect();
        let correlations = gains.windows(2).map(|pair| correlation(&pair[0], &pair[1])).collect();
        Relevance { first, gains, correlations }
    }

    /// The levels i after which a border can be drawn: `Corr(i)` is lower than on both sides.
    pub fn minima(&self) -> Vec<u16> {
        let below = |at: &usize| {
            let c = &self.correlations;
            c[at - 1] > c[*at] && c[at + 1] > c[*at]
        };
        let inner = 1..self.correlations.len().saturating_sub(1);
        inner.filter(below).map(|at| self.first + at as u16).collect()
    }

    /// `Corr(i)`.
    pub fn correlation(&self, level: u16) -> Option<f64> {
        self.correlations.get(usize::from(level.checked_sub(self.first)?)).copied()
    }
}

/// The entropy of counts, in bits.
pub fn entropy(counts: impl Iterator<Item = u64> + Clone) -> f64 {
    let all: u64 = counts.clone().sum();
    let part = |count: u64| {
        let share = count as f64 / all as f64;
        -share * share.log2()
    };
    counts.filter(|&count| count > 0).map(part).sum()
}

/// The information gain ratio of an attribute, from how often each value comes with each class. 0 if it has one value only.
///
/// ```
/// // One value says everything, and both are as frequent: one bit is gained and one bit is spent.
/// assert_eq!(plan::stages::gain::gain_ratio(&[&[8, 0], &[0, 8]]), 1.0);
/// assert_eq!(plan::stages::gain::gain_ratio(&[&[4, 4], &[4, 4]]), 0.0);
/// ```
pub fn gain_ratio<const N: usize>(classes: &[&[u64; N]]) -> f64 {
    let (gain, split) = gain(classes);
    if split > 0.0 { gain / split } else { 0.0 }
}

/// The information gain of an attribute and its split information.
pub fn gain<const N: usize>(classes: &[&[u64; N]]) -> (f64, f64) {
    let sums = classes.iter().map(|class| class.iter().sum::<u64>());
    let values = (0..N).map(|value| classes.iter().map(move |class| class[value]));
    let all: u64 = sums.clone().sum();
    if all == 0 {
        return (0.0, 0.0);
    }
    let weight = |count: u64| count as f64 / all as f64;
    let after: f64 = values.clone().map(|counts| weight(counts.clone().sum()) * entropy(counts)).sum();
    (entropy(sums) - after, entropy(values.map(|counts| counts.sum())))
}

/// The correlation of two vectors; 0 if one of them does not vary.
pub fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let count = a.len() as f64;
    let mean = |list: &[f64]| list.iter().sum::<f64>() / count;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let (mut both, mut var_a, mut var_b) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(b) {
        both += (x - mean_a) * (y - mean_b);
        var_a += (x - mean_a).powi(2);
        var_b += (y - mean_b).powi(2);
    }
    if var_a > 0.0 && var_b > 0.0 { both / (var_a * var_b).sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::Subject;
    use crate::paper::tests::krk;

    #[test]
    fn borders_of_krk_are_the_published_ones() {
        let (.., examples) = krk();
        let relevance = Relevance::new(examples, Subject::FIRST);
        assert_eq!(relevance.gains.len(), 13, "3 v 4 to 15 v 16");
        assert_eq!(relevance.minima(), [7, 11], "{:?}", relevance.correlations);
        assert!(relevance.correlation(7) < relevance.correlation(6));
    }

    #[test]
    fn gain_ratio_of_a_known_example() {
        // Quinlan's weather: outlook is sunny (2 yes, 3 no), overcast (4, 0), rain (3, 2).
        let (gained, split) = gain(&[&[2, 4, 3], &[3, 0, 2]]);
        assert!((gained - 0.2467).abs() < 1e-3 && (split - 1.5774).abs() < 1e-3, "{gained} {split}");
        assert_eq!(gain_ratio(&[&[5, 0], &[3, 0]]), 0.0, "one value tells nothing");
    }

    #[test]
    fn correlations() {
        assert!((correlation(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]) - 1.0).abs() < 1e-12);
        assert!((correlation(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]) + 1.0).abs() < 1e-12);
        assert_eq!(correlation(&[1.0, 1.0], &[1.0, 2.0]), 0.0);
    }
}
