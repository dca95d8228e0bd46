//! Logistic regression with a normal prior: what games say about the coefficients of a model, and how sure that is.

use game::random::Rng;

/// One observation: features, the points that were made (from 0 to 1), and how much it counts.
pub struct Sample {
    /// The features.
    pub features: Vec<f64>,
    /// The points, from 0 to 1.
    pub points: f64,
    /// How much it counts, from 0 to 1.
    pub weight: f64,
}

/// What is believed about the coefficients: normal around the likeliest ones.
pub struct Belief {
    /// The likeliest coefficients.
    pub mean: Vec<f64>,
    /// The lower triangle of the Cholesky factor of the precision, row by row.
    factor: Vec<Vec<f64>>,
}

/// The chance that goes with a value on the logistic scale.
pub fn logistic(value: f64) -> f64 {
    1.0 / (1.0 + (-value).exp())
}

/// A standard normal number, after Box and Muller.
pub fn normal(rng: &mut Rng) -> f64 {
    let unit = |rng: &mut Rng| ((rng.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    let (u, v) = (unit(rng), unit(rng));
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

impl Belief {
    /// Fits coefficients to samples. `prior` has the standard deviation of each coefficient around 0 before any sample.
    pub fn fit(samples: &[Sample], prior: &[f64]) -> Belief {
        let count = prior.len();
        let mut mean = vec![0.0; count];
        let mut factor = Vec::new();
        // Newton's method on a concave function; the prior keeps the steps short enough in practice, and a step that
        // overshoots all the same is cut.
        for _ in 0..30 {
            let mut gradient: Vec<f64> = mean.iter().zip(prior).map(|(m, sd)| -m / (sd * sd)).collect();
            let mut precision = vec![vec![0.0; count]; count];
            for (at, sd) in prior.iter().enumerate() {
                precision[at][at] = 1.0 / (sd * sd);
            }
            for sample in samples {
                let value: f64 = sample.features.iter().zip(&mean).map(|(x, m)| x * m).sum();
                let chance = logistic(value);
                let (error, spread) = (sample.points - chance, (chance * (1.0 - chance)).max(1e-4));
                for (row, &x) in sample.features.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                    gradient[row] += sample.weight * error * x;
                    for (column, &y) in sample.features[..=row].iter().enumerate() {
                        precision[row][column] += sample.weight * spread * x * y;
                    }
                }
            }
            factor = cholesky(precision);
            let step = backward(&factor, &forward(&factor, &gradient));
            let longest = step.iter().fold(0.0f64, |longest, step| longest.max(step.abs()));
            let scale = if longest > 2.0 { 2.0 / longest } else { 1.0 };
            for (mean, step) in mean.iter_mut().zip(&step) {
                *mean += scale * step;
            }
            if longest < 1e-8 {
                break;
            }
        }
        Belief { mean, factor }
    }

    /// Coefficients as they could be.
    pub fn draw(&self, rng: &mut Rng) -> Vec<f64> {
        let noise: Vec<f64> = self.mean.iter().map(|_| normal(rng)).collect();
        let away = backward(&self.factor, &noise);
        self.mean.iter().zip(away).map(|(mean, away)| mean + away).collect()
    }

    /// The standard deviation of a sum of coefficients.
    pub fn deviation(&self, features: &[f64]) -> f64 {
        forward(&self.factor, features).iter().map(|x| x * x).sum::<f64>().sqrt()
    }
}

/// The lower factor of a positive matrix of which the lower triangle is given.
fn cholesky(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for row in 0..matrix.len() {
        for column in 0..=row {
            let dot: f64 = (0..column).map(|at| matrix[row][at] * matrix[column][at]).sum();
            let rest = matrix[row][column] - dot;
            // The prior makes the matrix positive; rounding may not.
            matrix[row][column] = if row == column { rest.max(1e-12).sqrt() } else { rest / matrix[column][column] };
        }
    }
    matrix
}

/// Solves `factor · x = right`.
fn forward(factor: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let mut x: Vec<f64> = Vec::with_capacity(right.len());
    for (row, right) in right.iter().enumerate() {
        let known: f64 = x.iter().zip(&factor[row]).map(|(x, a)| x * a).sum();
        x.push((right - known) / factor[row][row]);
    }
    x
}

/// Solves `factorᵀ · x = right`.
fn backward(factor: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let mut x = vec![0.0; right.len()];
    for row in (0..right.len()).rev() {
        let known: f64 = (row + 1..right.len()).map(|at| factor[at][row] * x[at]).sum();
        x[row] = (right[row] - known) / factor[row][row];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_are_found_again() {
        let truth = [0.8, -1.2, 0.3];
        let mut rng = Rng::new(7);
        let samples: Vec<Sample> = (0..20_000)
            .map(|_| {
                let features: Vec<f64> = truth.iter().map(|_| normal(&mut rng)).collect();
                let chance = logistic(features.iter().zip(truth).map(|(x, t)| x * t).sum());
                let points = f64::from(u8::from((rng.bits() >> 11) as f64 / (1u64 << 53) as f64 <= chance));
                Sample { features, points, weight: 1.0 }
            })
            .collect();
        let belief = Belief::fit(&samples, &[2.0; 3]);
        for (at, (mean, truth)) in belief.mean.iter().zip(truth).enumerate() {
            let mut unit = vec![0.0; 3];
            unit[at] = 1.0;
            let deviation = belief.deviation(&unit);
            assert!((mean - truth).abs() < 4.0 * deviation && deviation < 0.05, "{mean} ±{deviation}, {truth}");
        }
        let draws: Vec<f64> = (0..2000).map(|_| belief.draw(&mut rng)[1]).collect();
        let mean = draws.iter().sum::<f64>() / 2000.0;
        let deviation = (draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 2000.0).sqrt();
        let wanted = belief.deviation(&[0.0, 1.0, 0.0]);
        assert!((mean - belief.mean[1]).abs() < 0.01 && (deviation / wanted - 1.0).abs() < 0.1, "{mean} {deviation}");
    }

    #[test]
    fn without_games_the_prior_is_all() {
        let belief = Belief::fit(&[], &[0.5, 2.0]);
        assert_eq!(belief.mean, [0.0, 0.0]);
        assert!((belief.deviation(&[1.0, 0.0]) - 0.5).abs() < 1e-9);
        // All games won, and still finite.
        let won = |_| Sample { features: vec![1.0, 1.0], points: 1.0, weight: 1.0 };
        let belief = Belief::fit(&(0..1000).map(won).collect::<Vec<_>>(), &[0.5, 2.0]);
        assert!(belief.mean.iter().all(|mean| mean.is_finite() && *mean > 0.0));
    }
}
