//! Teaching sums of which every look ahead meets less than where it stands: play by them never waits, and needs no rule against repetitions.
//!
//! From each position the look ahead forces another one to be met, and there the sum is to be less, by a margin. Every lesson goes through
//! all positions of the world. Where it is less, but by little, it is to stay so; where it is not, play can wait, and the position where it should have gone is
//! found with the levels of the table added to what is predicted, or by levels alone. So pairs of positions are had, the first of which is to be less: a problem of least
//! squares in which only those count that are too near, as in a support vector machine (Keerthi and DeCoste 2005), kept close to the weights that
//! it was found with. Conjugate gradients solve it.

use super::super::metric::Metric;
use super::{Depths, Lessons, Pair, put, rounded, weights, zero};
use crate::stages::cases::{Cases, Rows, Sheet, Weights};
use crate::stages::mixed;
use rayon::prelude::*;

/// The first of a pair is to be less by so much, in moves to the win; and how much too little counts at most.
const MARGIN: (f64, f64) = (0.3, 2.0);
/// What is met is less than this less: it is looked after.
const NEAR: f64 = 0.5;
/// About the most pairs of a lesson that are right by little, and that are wrong: of more, some are drawn.
const PAIRS: usize = 40_000;
/// What it costs to change all predictions by a move, for each pair, where a pair that is too near by one move costs 1.
const STAYS: f64 = 0.1;
/// How much more a position matters after each lesson in which play waits there, how much less after others, and the most.
const MATTERS: (f64, f64, f64) = (1.3, 0.95, 100.0);
/// How often it is found out anew which pairs are too near, and the steps of conjugate gradients each time.
const NEWTON: (usize, usize) = (2, 15);
/// So many lessons in a row that leave no fewer positions in which play waits are the last.
const VAIN: usize = 40;
/// What is left of the slope, as a square, when it is small enough.
const SMALL: f64 = 1e-6;

/// What lessons go on from.
struct Course<'a> {
    /// The look ahead of somebody who knows the table.
    exact: Depths<'a>,
    /// How much each position matters: more and more while play waits there.
    matters: Vec<f64>,
}

impl Lessons<'_> {
    /// Teaches sums until play never waits and never lets the win go; `watch` hears how many lessons were given. What is kept is that which waits in the
    /// fewest positions. The number of positions in which it ever did.
    pub(super) fn descend(&self, cases: &mut Cases, learned: &Rows, watch: &mut dyn FnMut(usize) -> bool) -> u64 {
        let metric = Metric::new(cases, learned);
        let mut weights = rounded(&weights(cases));
        let levels = (0..self.sheet.nodes.len()).map(|at| self.level(at)).collect();
        let mut course = Course { exact: self.ahead(levels), matters: vec![1.0; self.world.len()] };
        let (mut wrong, mut best, mut vain) = (vec![false; self.world.len()], None, 0);
        for lesson in 1..=self.settings.lessons {
            let depths = self.look(&weights);
            let faults = self.faults(&depths);
            faults.iter().for_each(|&node| wrong[node as usize] = true);
            vain += 1;
            if best.as_ref().is_none_or(|(fewest, _)| faults.len() < *fewest) {
                best = Some((faults.len(), weights.clone()));
                vain = 0;
            }
            if faults.is_empty() || vain == VAIN || !watch(lesson) {
                break;
            }
            course.matters.iter_mut().for_each(|matters| *matters = (*matters * MATTERS.1).max(1.0));
            for node in faults {
                let matters = &mut course.matters[node as usize];
                *matters = (*matters * MATTERS.0).min(MATTERS.2);
            }
            let pairs = self.forced(&depths, &course, lesson as u64);
            weights = rounded(&solved(self.sheet, &metric, &weights, &pairs));
        }
        if let Some((_, best)) = best {
            put(cases, &best);
        }
        wrong.iter().filter(|wrong| **wrong).count() as u64
    }

    /// The moves to the win from a place of the sheet; more than from any other where it is not won.
    fn level(&self, at: usize) -> f64 {
        f64::from(self.world.level(self.sheet.nodes[at]).unwrap_or(self.limit))
    }

    /// The look ahead by these predictions.
    fn ahead(&self, predicted: Vec<f64>) -> Depths<'_> {
        Depths::new(self.world, self.sheet, predicted, self.settings.plies, self.settings.reading)
    }

    /// The positions in which play can wait, or lets the win go.
    fn faults(&self, depths: &Depths<'_>) -> Vec<u32> {
        let fault = |node: &u32| depths.gap(*node).is_some_and(|gap| gap >= 0.0 || depths.let_go(*node).is_some());
        self.won.par_iter().copied().filter(fault).collect()
    }

    /// Pairs of places of the sheet, the first of which is to be less.
    fn forced(&self, depths: &Depths<'_>, course: &Course<'_>, lesson: u64) -> Vec<Pair> {
        let hoped = (0..self.sheet.nodes.len()).map(|at| depths.predicted[at] + self.level(at)).collect();
        let hope = self.ahead(hoped);
        let near = |&node: &u32| {
            let gap = depths.gap(node)?;
            let gone = depths.let_go(node);
            let counts = gap > -NEAR || gone.is_some() || course.matters[node as usize] > 1.0;
            counts.then_some((node, gap >= 0.0 || gone.is_some(), gone))
        };
        let near: Vec<(u32, bool, Option<u32>)> = self.won.par_iter().filter_map(near).collect();
        let count = near.iter().filter(|near| near.1).count();
        let part = |count: usize| (PAIRS as f64 / count.max(1) as f64).min(1.0);
        let (wrong, right) = (part(count), part(near.len() - count));
        let pair = |&(node, is_wrong, gone): &(u32, bool, Option<u32>)| {
            let part = if is_wrong { wrong } else { right };
            let drawn = mixed(self.settings.seed ^ lesson, u64::from(node)) as f64 / u64::MAX as f64;
            // Always one that is nearer to the win: so no pair says the opposite of others, since levels would do for all of them.
            let level = self.world.level(node);
            let nearer = |end: &u32| self.world.level(*end).is_some_and(|end| Some(end) < level);
            let met = depths.end(node).filter(|end| !is_wrong && nearer(end));
            let hoped = || hope.end(node).filter(nearer).or_else(|| course.exact.end(node).filter(nearer));
            let less = met.or_else(hoped)?;
            // What is met after a step that lets the win go is thought too good.
            let (less, more) = (self.sheet.place(less)?, self.sheet.place(gone.unwrap_or(node))?);
            (drawn < part && less != more).then_some((less, more, course.matters[node as usize]))
        };
        near.par_iter().filter_map(pair).collect()
    }
}

/// What is predicted at the first place of a pair less what is predicted at the second.
fn apart(sheet: &Sheet, weights: &Weights, pair: &Pair) -> f64 {
    sheet.predict(weights, pair.0) - sheet.predict(weights, pair.1)
}

/// Adds up rows of pairs, each as often as `times` says: that of the first place, less that of the second. Parts are added in their order: the same
/// on any number of processors.
fn sum(sheet: &Sheet, weights: &Weights, pairs: &[Pair], times: impl Fn(&Pair) -> f64 + Sync) -> Weights {
    let part = |pairs: &[Pair]| {
        let mut sum = zero(weights);
        for pair in pairs {
            let times = times(pair);
            for (at, times) in [(pair.0, times), (pair.1, -times)] {
                let row = sheet.row(at);
                let sums = &mut sum[usize::from(sheet.cases[at])];
                sums.iter_mut().zip(row).for_each(|(sum, &value)| *sum += times * f64::from(value));
                sums[row.len()] += times;
            }
        }
        sum
    };
    let parts: Vec<Weights> = pairs.par_chunks(pairs.len().div_ceil(8).max(1)).map(part).collect();
    let mut all = zero(weights);
    parts.iter().for_each(|part| add(&mut all, part, 1.0));
    all
}

fn add(to: &mut Weights, what: &Weights, times: f64) {
    to.iter_mut().flatten().zip(what.iter().flatten()).for_each(|(to, what)| *to += times * what);
}

fn product(one: &Weights, other: &Weights) -> f64 {
    one.iter().flatten().zip(other.iter().flatten()).map(|(a, b)| a * b).sum()
}

/// Weights close to these of which fewer pairs are too near.
fn solved(sheet: &Sheet, metric: &Metric, start: &Weights, pairs: &[Pair]) -> Weights {
    let stays = STAYS * pairs.len() as f64;
    let mut weights = start.clone();
    for _ in 0..NEWTON.0 {
        // What each pair lacks.
        let lacks = |pair: &Pair| (apart(sheet, &weights, pair) + MARGIN.0).clamp(0.0, MARGIN.1);
        let tight: Vec<Pair> = pairs.par_iter().copied().filter(|pair| lacks(pair) > 0.0).collect();
        let mut left = sum(sheet, start, &tight, |pair| -pair.2 * lacks(pair));
        let mut gone = weights.clone();
        add(&mut gone, start, -1.0);
        add(&mut left, &metric.product(&gone), -stays);
        let step = conjugate(
            left,
            |by| {
                let mut product = sum(sheet, start, &tight, |pair| pair.2 * apart(sheet, by, pair));
                add(&mut product, &metric.product(by), stays);
                product
            },
            |left| metric.solve(left),
        );
        add(&mut weights, &step, 1.0);
    }
    weights
}

/// Solves what `times` makes of the answer, by conjugate gradients; `nearly` solves something like it.
fn conjugate(mut left: Weights, times: impl Fn(&Weights) -> Weights, nearly: impl Fn(&Weights) -> Weights) -> Weights {
    let mut answer = zero(&left);
    let mut direction = nearly(&left);
    let mut size = product(&left, &direction);
    let enough = SMALL * size;
    for _ in 0..NEWTON.1 {
        if size <= enough {
            break;
        }
        let change = times(&direction);
        let far = size / product(&direction, &change);
        add(&mut answer, &direction, far);
        add(&mut left, &change, -far);
        let next = nearly(&left);
        let before = std::mem::replace(&mut size, product(&left, &next));
        let last = std::mem::replace(&mut direction, next);
        add(&mut direction, &last, size / before);
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conjugate_gradients_solve_equations() {
        // Three equations, the matrix of which is the same across its diagonal.
        let rows = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]];
        let times =
            |x: &Weights| vec![rows.iter().map(|row| row.iter().zip(&x[0]).map(|(a, b)| a * b).sum()).collect()];
        let wanted = vec![vec![1.0, -2.0, 3.0]];
        let found = conjugate(times(&wanted), times, Weights::clone);
        assert!(found[0].iter().zip(&wanted[0]).all(|(a, b): (&f64, &f64)| (a - b).abs() < 1e-3), "{found:?}");
    }
}
