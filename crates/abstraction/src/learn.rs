//! Weights from results: ridge logistic regression, solved by Newton's method.

/// A position that was played from: what its terms say, and how the game ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Example {
    /// The terms.
    pub terms: Vec<f32>,
    /// What came of it: 1 won, 0 lost, ½ drawn; or the chance to win that a deeper search saw.
    pub result: f32,
}

/// Weights that make the results likely: the chance to win is σ(Σ weight · term).
///
/// `ridge` holds weights that hardly matter near 0; it counts like so many examples that say nothing.
///
/// ```
/// use abstraction::learn::{Example, logistic, loss};
/// let examples: Vec<Example> = (-20..=20)
///     .map(|x| Example { terms: vec![x as f32 / 4.0, 1.0], result: if x > 2 { 1.0 } else { 0.0 } })
///     .collect();
/// let weights = logistic(&examples, 0.01);
/// assert!(weights[0] > 0.0 && weights[1] < 0.0);
/// assert!(loss(&examples, &weights) < loss(&examples, &[0.0, 0.0]));
/// ```
pub fn logistic(examples: &[Example], ridge: f64) -> Vec<f64> {
    let count = examples.first().map_or(0, |example| example.terms.len());
    let mut weights = vec![0.0; count];
    for _ in 0..50 {
        // Hessian and gradient side by side: the step solves their equations.
        let mut rows = vec![vec![0.0; count + 1]; count];
        for example in examples {
            let chance = chance(&example.terms, &weights);
            let (slope, error) = ((chance * (1.0 - chance)).max(1e-6), f64::from(example.result) - chance);
            for (i, row) in rows.iter_mut().enumerate() {
                let term = f64::from(example.terms[i]);
                for (value, &other) in row.iter_mut().zip(&example.terms) {
                    *value += slope * term * f64::from(other);
                }
                row[count] += error * term;
            }
        }
        for (i, row) in rows.iter_mut().enumerate() {
            row[i] += ridge;
            row[count] -= ridge * weights[i];
        }
        let step = solve(rows);
        let longest = step.iter().fold(0f64, |most, by| most.max(by.abs()));
        // Far from the optimum a whole step may go too far.
        let part = if longest > 2.0 { 2.0 / longest } else { 1.0 };
        weights.iter_mut().zip(&step).for_each(|(weight, by)| *weight += part * by);
        if longest < 1e-7 {
            break;
        }
    }
    weights
}

/// The same with no weight below zero but those of the terms from `free` on: terms whose weight would be are left out, the worst first.
pub fn logistic_from_zero(examples: &[Example], ridge: f64, free: usize) -> Vec<f64> {
    let mut examples = examples.to_vec();
    loop {
        let weights = logistic(&examples, ridge);
        let bounded = weights.iter().enumerate().take(free);
        let Some((worst, _)) = bounded.filter(|(_, weight)| **weight < 0.0).min_by(|a, b| a.1.total_cmp(b.1)) else {
            return weights;
        };
        // A term that says nothing gets the weight 0 from the ridge.
        examples.iter_mut().for_each(|example| example.terms[worst] = 0.0);
    }
}

/// The mean logarithmic loss of these weights: what a coin says is ln 2 = 0.693.
pub fn loss(examples: &[Example], weights: &[f64]) -> f64 {
    let each = examples.iter().map(|example| {
        let chance = chance(&example.terms, weights).clamp(1e-9, 1.0 - 1e-9);
        let result = f64::from(example.result);
        -(result * chance.ln() + (1.0 - result) * (1.0 - chance).ln())
    });
    each.sum::<f64>() / examples.len().max(1) as f64
}

/// The correlation of the chances that these weights give with the results: 1 where one follows from the other, 0 where nothing does, or where all are
/// the same.
pub fn correlation(examples: &[Example], weights: &[f64]) -> f64 {
    let pairs = || examples.iter().map(|example| (chance(&example.terms, weights), f64::from(example.result)));
    let count = examples.len().max(1) as f64;
    let (sum, results) = pairs().fold((0.0, 0.0), |sums, pair| (sums.0 + pair.0, sums.1 + pair.1));
    let (mean, result) = (sum / count, results / count);
    let (mut both, mut own, mut other) = (0.0, 0.0, 0.0);
    for (chance, seen) in pairs().map(|(chance, seen)| (chance - mean, seen - result)) {
        (both, own, other) = (both + chance * seen, own + chance * chance, other + seen * seen);
    }
    let spread = (own * other).sqrt();
    if spread < 1e-12 { 0.0 } else { both / spread }
}

fn chance(terms: &[f32], weights: &[f64]) -> f64 {
    let sum: f64 = terms.iter().zip(weights).map(|(&term, weight)| f64::from(term) * weight).sum();
    1.0 / (1.0 + (-sum).exp())
}

/// So many equations with as many unknowns, each row with its right side at the end; what is not determined is 0.
pub(crate) fn solve(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let count = rows.len();
    for at in 0..count {
        let Some(pivot) = (at..count).max_by(|&a, &b| rows[a][at].abs().total_cmp(&rows[b][at].abs())) else { break };
        rows.swap(at, pivot);
        if rows[at][at].abs() < 1e-9 {
            continue;
        }
        let row = rows[at].clone();
        for (other, values) in rows.iter_mut().enumerate() {
            if other != at {
                let times = values[at] / row[at];
                for (value, pivot) in values.iter_mut().zip(&row) {
                    *value -= times * pivot;
                }
            }
        }
    }
    (0..count).map(|at| if rows[at][at].abs() < 1e-9 { 0.0 } else { rows[at][count] / rows[at][at] }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::random::Rng;

    #[test]
    fn equations_are_solved() {
        let rows = vec![vec![0.0, 2.0, 4.0], vec![3.0, 0.0, 9.0]];
        assert_eq!(solve(rows), [3.0, 2.0]);
        // The second unknown occurs nowhere.
        assert_eq!(solve(vec![vec![2.0, 0.0, 4.0], vec![0.0, 0.0, 0.0]]), [2.0, 0.0]);
    }

    #[test]
    fn the_weights_that_made_the_results_are_found() {
        let truth = [0.8, -0.5, 0.1];
        let mut rng = Rng::new(11);
        let uniform = |rng: &mut Rng| (rng.bits() >> 11) as f64 / (1u64 << 53) as f64;
        let examples: Vec<Example> = (0..60_000)
            .map(|_| {
                let terms: Vec<f32> = (0..3).map(|_| (uniform(&mut rng) * 6.0 - 3.0) as f32).collect();
                let won = uniform(&mut rng) < chance(&terms, &truth);
                Example { terms, result: f32::from(u8::from(won)) }
            })
            .collect();
        let found = logistic(&examples, 1.0);
        for (found, truth) in found.iter().zip(truth) {
            assert!((found - truth).abs() < 0.03, "{found} {truth}");
        }
        assert!(loss(&examples, &found) <= loss(&examples, &truth) + 1e-6);
        let told = correlation(&examples, &found);
        assert!(told > 0.5 && told < 0.95, "{told}");
        assert!((told + correlation(&examples, &truth.map(|weight| -weight))).abs() < 0.001);
        assert_eq!(correlation(&examples, &[0.0; 3]), 0.0);
    }

    #[test]
    fn weights_below_zero_are_left_out_where_they_are_not_wanted() {
        // The second term is the first one with noise, and of two such terms one may get a weight of the wrong sign.
        let mut rng = Rng::new(5);
        let mut uniform = || (rng.bits() >> 11) as f32 / (1u64 << 53) as f32 - 0.5;
        let examples: Vec<Example> = (0..5000)
            .map(|_| {
                let (x, noise) = (uniform(), uniform());
                let result = if x - 0.3 * noise > 0.1 { 1.0 } else { 0.0 };
                Example { terms: vec![x, x + noise, 1.0], result }
            })
            .collect();
        let (any, bounded) = (logistic(&examples, 1.0), logistic_from_zero(&examples, 1.0, 2));
        assert!(any[1] < 0.0 && any[2] < 0.0, "{any:?}");
        assert!(bounded[0] > 0.0 && bounded[1] == 0.0 && bounded[2] < 0.0, "{bounded:?}");
        assert!(loss(&examples, &any) < loss(&examples, &bounded));
    }

    #[test]
    fn nothing_teaches_nothing_and_what_is_separable_stays_finite() {
        assert!(logistic(&[], 1.0).is_empty());
        let example = |x: f32| Example { terms: vec![x], result: f32::from(u8::from(x > 0.0)) };
        let weights = logistic(&[example(1.0), example(-1.0)], 0.1);
        assert!(weights[0] > 0.5 && weights[0].is_finite());
    }
}
