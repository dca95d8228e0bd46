//! Learning from random games: which facts speak for a role.
//!
//! First the few features of the structures are fitted to the goals with which the games ended (ridge regression, solved
//! exactly), so that what a kind of marker is worth is known even in places where it was never seen. Then each fact that
//! was seen often gets a correction of its own, shrunk towards none.

use crate::feature::Feature;
use crate::form::Fluent;
use crate::observe::{Row, Rows, Sample};
use crate::terms::{TermId, Terms};
use std::collections::{BTreeMap, HashMap};

/// The fewest positions from which anything is learned.
const FEWEST_SAMPLES: usize = 100;
/// How strongly weights are drawn to zero: features (a part of their own spread) and facts (as so many positions).
const RIDGE: f64 = 1e-3;
const SHRINK: f64 = 60.0;
const PASSES: usize = 4;
/// Of so many games one is left out of learning and used to test it. Positions of one game are much alike, so they are never on both sides.
const TEST: usize = 5;
/// After so many positions it is asked whether there is time for more.
const ASK: usize = 64;

/// What was learned. Goals count from 0 to 1.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Model {
    /// For each role.
    pub bases: Vec<f32>,
    /// For each role the weight of each feature.
    pub features: Vec<Vec<f32>>,
    /// For each fact the correction for each role.
    pub facts: BTreeMap<TermId, Vec<f32>>,
    /// For each role the share of the spread of outcomes in games not learned from that the model explains.
    pub explains: Vec<f32>,
    pub samples: usize,
}

/// What a model is fitted to.
pub(crate) struct Given<'a> {
    pub features: &'a [Feature],
    pub fluents: &'a [Fluent],
    pub terms: &'a Terms,
    /// Fluents whose facts get no weights of their own.
    pub skip: &'a [usize],
}

/// Fits a model; `None` if there is too little to learn from. When `more` says no, the positions read until then count.
pub(crate) fn learn(samples: &[Sample], given: &Given<'_>, more: &mut dyn FnMut() -> bool) -> Option<Model> {
    let roles = samples.first()?.goals.len();
    let mut rows = Rows::default();
    let mut sums = Sums::new(given.features.len(), roles);
    let learns = games(samples);
    let mut adds: HashMap<TermId, Vec<(usize, f64)>> = HashMap::new();
    let mut table: Vec<Vec<(usize, f64)>> = Vec::new();
    let mut dense = vec![0.0; given.features.len()];
    for (at, sample) in samples.iter().enumerate() {
        if at % ASK == ASK - 1 && !more() {
            break;
        }
        dense.fill(0.0);
        for &fact in &sample.facts {
            let add = || rows.get(fact, given.terms, given.fluents).map_or_else(Vec::new, |row| given.adds(row));
            adds.entry(fact).or_insert_with(add).iter().for_each(|&(feature, raw)| dense[feature] += raw);
        }
        let row: Vec<(usize, f64)> = dense.iter().copied().enumerate().filter(|(_, x)| *x != 0.0).collect();
        if learns[at] {
            sums.add(&row, &|role| target(sample, role));
        }
        table.push(row);
    }
    let samples = &samples[..table.len()];
    if samples.len() < FEWEST_SAMPLES || sums.count == 0.0 {
        return None;
    }
    let mut model = Model {
        bases: Vec::new(),
        features: Vec::new(),
        facts: BTreeMap::new(),
        explains: Vec::new(),
        samples: samples.len(),
    };
    let mut left: Vec<Vec<f64>> = Vec::new();
    for (role, (base, weights)) in sums.ridge().into_iter().enumerate() {
        let guess = |row: &[(usize, f64)]| base + row.iter().map(|&(at, x)| x * weights[at]).sum::<f64>();
        left.push(samples.iter().zip(&table).map(|(sample, row)| target(sample, role) - guess(row)).collect());
        model.bases.push(base as f32);
        model.features.push(weights.iter().map(|&w| w as f32).collect());
    }
    correct(samples, &learns, &mut left, given, &mut rows, &mut model, more);
    for (role, left) in left.iter().enumerate() {
        let tests: Vec<usize> = (0..samples.len()).filter(|&at| !learns[at]).collect();
        let mean = tests.iter().map(|&at| target(&samples[at], role)).sum::<f64>() / tests.len().max(1) as f64;
        let spread: f64 = tests.iter().map(|&at| (target(&samples[at], role) - mean).powi(2)).sum();
        let wrong: f64 = tests.iter().map(|&at| left[at].powi(2)).sum();
        model.explains.push(if spread > 0.0 { (1.0 - wrong / spread).max(0.0) as f32 } else { 0.0 });
    }
    Some(model)
}

fn target(sample: &Sample, role: usize) -> f64 {
    f64::from(sample.goals[role]) / 100.0
}

/// Which positions are learned from: those of all games but every fifth.
fn games(samples: &[Sample]) -> Vec<bool> {
    let mut game = 0;
    let mut learns = Vec::with_capacity(samples.len());
    for (at, sample) in samples.iter().enumerate() {
        game += usize::from(at > 0 && samples[at - 1].game != sample.game);
        learns.push(game % TEST != 0);
    }
    learns
}

impl Given<'_> {
    /// What a fact adds to each feature.
    fn adds(&self, row: &Row) -> Vec<(usize, f64)> {
        let raw = |feature: &Feature| Some(f64::from(feature.raw(row, self.fluents)? / feature.scale));
        self.features.iter().enumerate().filter_map(|(at, feature)| Some((at, raw(feature)?))).collect()
    }
}

/// Gives facts weights of their own, one after the other, each for what the others leave unexplained.
fn correct(
    samples: &[Sample],
    learns: &[bool],
    left: &mut [Vec<f64>],
    given: &Given<'_>,
    rows: &mut Rows,
    model: &mut Model,
    more: &mut dyn FnMut() -> bool,
) {
    let Given { fluents, terms, skip, .. } = *given;
    // The positions in which each fact holds, in the order of the facts' terms.
    let mut holds: BTreeMap<TermId, Vec<u32>> = BTreeMap::new();
    for (at, sample) in samples.iter().enumerate() {
        sample.facts.iter().for_each(|&fact| holds.entry(fact).or_default().push(at as u32));
    }
    let mut facts: Vec<(TermId, Vec<u32>)> = holds
        .into_iter()
        .filter(|(fact, at)| {
            let counts = rows.get(*fact, terms, fluents).is_some_and(|row| !skip.contains(&row.fluent));
            counts && at.len() >= 20 && at.len() < samples.len()
        })
        .collect();
    facts.sort_by(|a, b| terms.compare(a.0, b.0));
    let mut weights = vec![vec![0.0; left.len()]; facts.len()];
    // Each weight is a small step that makes the whole better, so it may stop after any of them.
    'passes: for _ in 0..PASSES {
        for (number, ((_, at), weights)) in facts.iter().zip(&mut weights).enumerate() {
            if number % ASK == ASK - 1 && !more() {
                break 'passes;
            }
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

/// The sums over positions from which weights follow.
struct Sums {
    count: f64,
    features: Vec<f64>,
    /// The lower half of the products of all pairs of features.
    squares: Vec<Vec<f64>>,
    /// For each role the sum of goals, and of the products of goals and features.
    goals: Vec<f64>,
    products: Vec<Vec<f64>>,
}

impl Sums {
    fn new(features: usize, roles: usize) -> Sums {
        Sums {
            count: 0.0,
            features: vec![0.0; features],
            squares: (0..features).map(|at| vec![0.0; at + 1]).collect(),
            goals: vec![0.0; roles],
            products: vec![vec![0.0; features]; roles],
        }
    }

    /// Adds a position: the features that are not nought, in order, and the goal of each role.
    fn add(&mut self, row: &[(usize, f64)], goal: &dyn Fn(usize) -> f64) {
        self.count += 1.0;
        for (number, &(i, x)) in row.iter().enumerate() {
            self.features[i] += x;
            row[..=number].iter().for_each(|&(j, y)| self.squares[i][j] += x * y);
        }
        for (role, products) in self.products.iter_mut().enumerate() {
            let goal = goal(role);
            self.goals[role] += goal;
            row.iter().for_each(|&(i, x)| products[i] += x * goal);
        }
    }

    /// For each role the base and weights with the least squared error, slightly drawn to zero.
    fn ridge(&self) -> Vec<(f64, Vec<f64>)> {
        let count = self.count.max(1.0);
        let means: Vec<f64> = self.features.iter().map(|sum| sum / count).collect();
        let mut squares = self.squares.clone();
        for (i, row) in squares.iter_mut().enumerate() {
            row.iter_mut().zip(&means).for_each(|(square, mean)| *square -= count * means[i] * mean);
            row[i] += row[i].max(0.0) * RIDGE + count * RIDGE * 0.1 + 1e-9;
        }
        factor(&mut squares);
        let weigh = |(goals, products): (&f64, &Vec<f64>)| {
            let mean = goals / count;
            let right = products.iter().zip(&means).map(|(product, m)| product - count * m * mean).collect();
            let weights = solve(&squares, right);
            let base = mean - weights.iter().zip(&means).map(|(w, m)| w * m).sum::<f64>();
            (base, weights)
        };
        self.goals.iter().zip(&self.products).map(weigh).collect()
    }
}

/// Takes the root of a symmetric positive definite matrix, of which the lower half is given (Cholesky).
fn factor(m: &mut [Vec<f64>]) {
    for i in 0..m.len() {
        for j in 0..=i {
            let dot: f64 = (0..j).map(|k| m[i][k] * m[j][k]).sum();
            let rest = m[i][j] - dot;
            m[i][j] = if i == j { rest.max(1e-12).sqrt() } else { rest / m[j][j] };
        }
    }
}

/// Solves a system of which the root is given.
fn solve(m: &[Vec<f64>], mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
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
        let mut sums = Sums::new(3, 1);
        for i in 0..200 {
            let row = [(0, f64::from(i % 7)), (1, f64::from(i % 5)), (2, 3.0)];
            sums.add(&row, &|_| 2.0 + 0.5 * row[0].1 - 0.25 * row[1].1);
        }
        let (base, weights) = &sums.ridge()[0];
        // The third feature never changes, so the base may be in either.
        for (found, wanted) in weights.iter().chain([base]).zip([0.5, -0.25, 0.0, 2.0]) {
            assert!((found - wanted).abs() < 0.02, "{weights:?} {base}");
        }
    }

    fn noise(games: u64) -> Vec<Sample> {
        // In each game one fact of its own holds throughout, and the outcome is a toss of a coin.
        let mut rng = game::random::Rng::new(3);
        (0..games)
            .flat_map(|game| {
                let goals = vec![100 * rng.below(2) as u8];
                (0..8).map(move |_| Sample { game, facts: vec![TermId(1 + game as u32 % 25)], goals: goals.clone() })
            })
            .collect()
    }

    #[test]
    fn positions_of_one_game_are_on_one_side() {
        let samples = noise(100);
        let learns = games(&samples);
        for (pair, learns) in samples.windows(2).zip(learns.windows(2)) {
            assert!(pair[0].game != pair[1].game || learns[0] == learns[1]);
        }
        assert_eq!(learns.iter().filter(|learns| !**learns).count() * TEST, samples.len());
    }

    #[test]
    fn what_is_chance_is_not_explained() {
        let rules = gdl::parse(&(0..25).map(|n| format!("(init (f{n} 1))")).collect::<String>()).rules;
        let mut terms = Terms::default();
        let mut facts = Vec::new();
        for n in 0..25 {
            facts.push(terms.read(&format!("(f{n} 1)"), &rules.symbols).unwrap());
        }
        let fluents: Vec<Fluent> =
            facts.iter().map(|&id| Fluent { name: terms.functor(id), arity: 1, columns: Vec::new() }).collect();
        let mut samples = noise(100);
        samples.iter_mut().for_each(|sample| sample.facts[0] = facts[sample.facts[0].0 as usize - 1]);
        let given = Given { features: &[], fluents: &fluents, terms: &terms, skip: &[] };
        let model = learn(&samples, &given, &mut || true).unwrap();
        assert!(model.facts.len() == 25 && model.explains[0] < 0.05, "{:?}", model.explains);
        // Asked at once, there is no time for anything; asked later, what was read until then counts.
        assert_eq!(learn(&samples, &given, &mut || false), None);
        let mut left = 8;
        let some = learn(&samples, &given, &mut || {
            left -= 1;
            left > 0
        });
        assert!(some.is_some_and(|some| (100..samples.len()).contains(&some.samples)));
    }
}
