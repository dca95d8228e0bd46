//! The distance as a linear function of attributes, by least squares. A small ridge keeps columns apart that say the same.

use super::Examples;
use serde::{Deserialize, Serialize};

/// A linear function of attributes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Linear {
    /// What is added.
    pub constant: f64,
    /// The weight of each attribute.
    pub weights: Vec<f64>,
}

/// Added to the sum of squares of each column, for each example.
const RIDGE: f64 = 1e-7;

impl Linear {
    /// Learns levels from attributes.
    pub fn fit(examples: &Examples) -> Linear {
        let count = examples.len().max(1) as f64;
        let width = examples.columns.len();
        let mean = |list: &[u8]| list.iter().map(|value| f64::from(*value)).sum::<f64>() / count;
        let means: Vec<f64> = examples.columns.iter().map(|column| mean(column)).collect();
        let level = examples.levels.iter().map(|level| f64::from(*level)).sum::<f64>() / count;
        // Sums of products of what differs from the mean: whole numbers first, so nothing is lost.
        let products = |a: &[u8], b: &[u8]| a.iter().zip(b).map(|(a, b)| u64::from(*a) * u64::from(*b)).sum::<u64>();
        let mut matrix = vec![vec![0.0; width + 1]; width];
        for i in 0..width {
            for j in 0..=i {
                let sum = products(&examples.columns[i], &examples.columns[j]) as f64 - count * means[i] * means[j];
                matrix[i][j] = sum;
                matrix[j][i] = sum;
            }
            let with = examples.columns[i].iter().zip(&examples.levels);
            let sum = with.map(|(value, level)| u64::from(*value) * u64::from(*level)).sum::<u64>();
            matrix[i][width] = sum as f64 - count * means[i] * level;
            matrix[i][i] += RIDGE * count;
        }
        let weights = solve(matrix);
        let constant = level - weights.iter().zip(&means).map(|(weight, mean)| weight * mean).sum::<f64>();
        Linear { constant, weights }
    }

    /// The value of an example; `value` gives its attributes.
    #[inline]
    pub fn value(&self, value: impl Fn(usize) -> u8) -> f64 {
        let parts = self.weights.iter().enumerate().map(|(at, weight)| weight * f64::from(value(at)));
        self.constant + parts.sum::<f64>()
    }
}

/// Solves linear equations with a symmetric positive matrix; the last column is the right side.
fn solve(mut matrix: Vec<Vec<f64>>) -> Vec<f64> {
    let width = matrix.len();
    for at in 0..width {
        let best = (at..width).max_by(|a, b| matrix[*a][at].abs().total_cmp(&matrix[*b][at].abs())).unwrap_or(at);
        matrix.swap(at, best);
        if matrix[at][at] == 0.0 {
            continue;
        }
        let pivot = matrix[at].clone();
        for (row, line) in matrix.iter_mut().enumerate() {
            let factor = line[at] / pivot[at];
            if row != at && factor != 0.0 {
                line.iter_mut().zip(&pivot).for_each(|(entry, pivot)| *entry -= factor * pivot);
            }
        }
    }
    let answer = |at: usize| if matrix[at][at] == 0.0 { 0.0 } else { matrix[at][width] / matrix[at][at] };
    (0..width).map(answer).collect()
}

/// The root of the mean squared error of predictions.
pub fn rmse(predicted: &[f64], levels: &[u16]) -> f64 {
    let squares = predicted.iter().zip(levels).map(|(value, level)| (value - f64::from(*level)).powi(2));
    (squares.sum::<f64>() / levels.len().max(1) as f64).sqrt()
}

/// The mean of the absolute errors of predictions.
pub fn mean_error(predicted: &[f64], levels: &[u16]) -> f64 {
    let errors = predicted.iter().zip(levels).map(|(value, level)| (value - f64::from(*level)).abs());
    errors.sum::<f64>() / levels.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examples(columns: Vec<Vec<u8>>, levels: Vec<u16>) -> Examples {
        Examples { nodes: (0..levels.len() as u32).collect(), levels, columns }
    }

    #[test]
    fn a_plane_is_found_again_and_equal_columns_share() {
        let first: Vec<u8> = (0..60).map(|at| at % 7).collect();
        let second: Vec<u8> = (0..60).map(|at| at % 5).collect();
        let levels: Vec<u16> = first.iter().zip(&second).map(|(a, b)| 3 + 2 * u16::from(*a) + u16::from(*b)).collect();
        let found = Linear::fit(&examples(vec![first.clone(), second.clone()], levels.clone()));
        assert!((found.constant - 3.0).abs() < 1e-4 && (found.weights[0] - 2.0).abs() < 1e-4, "{found:?}");
        let twice = Linear::fit(&examples(vec![first.clone(), first.clone(), second.clone()], levels.clone()));
        assert!((twice.weights[0] - 1.0).abs() < 1e-3 && (twice.weights[1] - 1.0).abs() < 1e-3, "{twice:?}");
        let predicted: Vec<f64> =
            (0..60).map(|at| twice.value(|column| [first[at], first[at], second[at]][column])).collect();
        assert!(rmse(&predicted, &levels) < 1e-4);
    }

    #[test]
    fn errors_are_measured() {
        assert_eq!(rmse(&[1.0, 5.0], &[1, 2]), (9.0f64 / 2.0).sqrt());
        assert_eq!(mean_error(&[1.0, 5.0], &[1, 2]), 1.5);
        let constant = Linear::fit(&examples(vec![vec![1, 1]], vec![4, 6]));
        assert_eq!((constant.constant, constant.weights[0]), (5.0, 0.0), "a column that does not vary");
    }
}
