//! Learning from random games: which facts speak for a role.
//!
//! First the few features of the structures are fitted to the goals with which the games ended (ridge regression, solved
//! exactly), so that what a kind of marker is worth is known even in places where it was never seen. Then each fact that
//! was seen often gets a correction of its own, shrunk towards none.

use crate::feature::Feature;
use crate::form::Fluent;
use crate::terms::{TermId, Terms};
use crate::watch::{Row, Rows, Sample};
use std::collections::BTreeMap;

/// The fewest positions from which anything is learned.
const FEWEST_SAMPLES: usize = 100;
/// How strongly weights are drawn to zero: features (a part of their own spread) and facts (as so many positions).
const RIDGE: f64 = 1e-3;
const SHRINK: f64 = 60.0;
const PASSES: usize = 4;
/// Of so many positions one is left out of learning and used to test it.
const TEST: usize = 5;

/// What was learned. Goals count from 0 to 1.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Model {
    /// For each role.
    pub bases: Vec<f32>,
    /// For each role the weight of each feature.
    pub features: Vec<Vec<f32>>,
    /// For each fact the correction for each role.
    pub facts: BTreeMap<TermId, Vec<f32>>,
    /// For each role the share of the spread of outcomes in positions not learned from that the model explains.
    pub explains: Vec<f32>,
    pub samples: usize,
}

/// Fits a model; `None` if there is too little to learn from.
pub(crate) fn learn(
    samples: &[Sample],
    features: &[Feature],
    fluents: &[Fluent],
    skip: &dyn Fn(usize) -> bool,
    terms: &Terms,
    rows: &mut Rows,
) -> Option<Model> {
    let roles = samples.first()?.goals.len();
    if samples.len() < FEWEST_SAMPLES {
        return None;
    }
    let table: Vec<Vec<f64>> = samples
        .iter()
        .map(|sample| {
            let rows: Vec<Row> =
                sample.facts.iter().filter_map(|&fact| rows.get(fact, terms, fluents).cloned()).collect();
            let value = |feature: &Feature| {
                let sum: f32 = rows.iter().filter_map(|row| feature.raw(row, fluents)).sum();
                f64::from(sum / feature.scale)
            };
            features.iter().map(value).collect()
        })
        .collect();
    let target = |role: usize, at: usize| f64::from(samples[at].goals[role]) / 100.0;
    let learn_from: Vec<usize> = (0..samples.len()).filter(|at| at % TEST != 0).collect();
    let mut model = Model {
        bases: Vec::new(),
        features: Vec::new(),
        facts: BTreeMap::new(),
        explains: Vec::new(),
        samples: samples.len(),
    };
    let mut left: Vec<Vec<f64>> = Vec::new();
    for role in 0..roles {
        let (base, weights) = ridge(&table, &learn_from, &|at| target(role, at));
        let guess = |row: &Vec<f64>| base + row.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>();
        left.push(table.iter().enumerate().map(|(at, row)| target(role, at) - guess(row)).collect());
        model.bases.push(base as f32);
        model.features.push(weights.iter().map(|&w| w as f32).collect());
    }
    correct(samples, &learn_from, &mut left, skip, terms, rows, fluents, &mut model);
    for (role, left) in left.iter().enumerate() {
        let tests: Vec<usize> = (0..samples.len()).step_by(TEST).collect();
        let mean = tests.iter().map(|&at| target(role, at)).sum::<f64>() / tests.len() as f64;
        let spread: f64 = tests.iter().map(|&at| (target(role, at) - mean).powi(2)).sum();
        let wrong: f64 = tests.iter().map(|&at| left[at].powi(2)).sum();
        model.explains.push(if spread > 0.0 { (1.0 - wrong / spread).max(0.0) as f32 } else { 0.0 });
    }
    Some(model)
}

/// Gives facts weights of their own, one after the other, each for what the others leave unexplained.
#[allow(clippy::too_many_arguments)]
fn correct(
    samples: &[Sample],
    learn_from: &[usize],
    left: &mut [Vec<f64>],
    skip: &dyn Fn(usize) -> bool,
    terms: &Terms,
    rows: &mut Rows,
    fluents: &[Fluent],
    model: &mut Model,
) {
    // The positions in which each fact holds, in the order of the facts' terms.
    let mut holds: BTreeMap<TermId, Vec<u32>> = BTreeMap::new();
    for (at, sample) in samples.iter().enumerate() {
        sample.facts.iter().for_each(|&fact| holds.entry(fact).or_default().push(at as u32));
    }
    let mut facts: Vec<(TermId, Vec<u32>)> = holds
        .into_iter()
        .filter(|(fact, at)| {
            let counts = rows.get(*fact, terms, fluents).is_some_and(|row| !skip(row.fluent));
            counts && at.len() >= 20 && at.len() < samples.len()
        })
        .collect();
    facts.sort_by(|a, b| terms.compare(a.0, b.0));
    let mut learns = vec![false; samples.len()];
    learn_from.iter().for_each(|&at| learns[at] = true);
    let mut weights = vec![vec![0.0; left.len()]; facts.len()];
    for _ in 0..PASSES {
        for ((_, at), weights) in facts.iter().zip(&mut weights) {
            let count = at.iter().filter(|&&at| learns[at as usize]).count() as f64;
            for (left, weight) in left.iter_mut().zip(weights.iter_mut()) {
                let open: f64 = at.iter().filter(|&&at| learns[at as usize]).map(|&at| left[at as usize]).sum();
                let new = (open + *weight * count) / (count + SHRINK);
                let change = new - *weight;
                *weight = new;
                at.iter().for_each(|&at| left[at as usize] -= change);
            }
        }
    }
    for ((fact, _), weights) in facts.into_iter().zip(weights) {
        model.facts.insert(fact, weights.into_iter().map(|w| w as f32).collect());
    }
}

/// The base and weights with the least squared error, slightly drawn to zero.
fn ridge(table: &[Vec<f64>], learn_from: &[usize], target: &dyn Fn(usize) -> f64) -> (f64, Vec<f64>) {
    let columns = table.first().map_or(0, Vec::len);
    let count = learn_from.len().max(1) as f64;
    let mut means = vec![0.0; columns];
    let mut mean = 0.0;
    for &at in learn_from {
        means.iter_mut().zip(&table[at]).for_each(|(sum, x)| *sum += x / count);
        mean += target(at) / count;
    }
    let mut squares = vec![vec![0.0; columns]; columns];
    let mut right = vec![0.0; columns];
    let mut centred = vec![0.0; columns];
    for &at in learn_from {
        centred.iter_mut().zip(&table[at]).zip(&means).for_each(|((c, x), m)| *c = x - m);
        let y = target(at) - mean;
        for i in (0..columns).filter(|&i| centred[i] != 0.0) {
            right[i] += centred[i] * y;
            for j in 0..=i {
                squares[i][j] += centred[i] * centred[j];
            }
        }
    }
    for (i, row) in squares.iter_mut().enumerate() {
        row[i] += row[i] * RIDGE + count * RIDGE * 0.1 + 1e-9;
    }
    let weights = solve(squares, right);
    let base = mean - weights.iter().zip(&means).map(|(w, m)| w * m).sum::<f64>();
    (base, weights)
}

/// Solves a symmetric positive definite system, of which the lower half is given (Cholesky).
fn solve(mut m: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for i in 0..n {
        for j in 0..=i {
            let dot: f64 = (0..j).map(|k| m[i][k] * m[j][k]).sum();
            let rest = m[i][j] - dot;
            m[i][j] = if i == j { rest.max(1e-12).sqrt() } else { rest / m[j][j] };
        }
    }
    for i in 0..n {
        let dot: f64 = (0..i).map(|k| m[i][k] * right[k]).sum();
        right[i] = (right[i] - dot) / m[i][i];
    }
    for i in (0..n).rev() {
        let dot: f64 = (i + 1..n).map(|k| m[k][i] * right[k]).sum();
        right[i] = (right[i] - dot) / m[i][i];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ridge_finds_the_line() {
        let table: Vec<Vec<f64>> = (0..200).map(|i| vec![f64::from(i % 7), f64::from(i % 5), 3.0]).collect();
        let target = |at: usize| 2.0 + 0.5 * table[at][0] - 0.25 * table[at][1];
        let all: Vec<usize> = (0..200).collect();
        let (base, weights) = ridge(&table, &all, &target);
        for (found, wanted) in weights.iter().chain([&base]).zip([0.5, -0.25, 0.0, 2.0]) {
            assert!((found - wanted).abs() < 0.02, "{weights:?} {base}");
        }
    }
}
