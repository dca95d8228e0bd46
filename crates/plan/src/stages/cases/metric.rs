//! How far weights are from others: by how much predictions differ, as the root of the mean square over positions.
//!
//! Attributes say much the same of a position, so that a step of each weight by itself goes hardly anywhere, or much too far. Steps are made here that
//! change predictions as little as they can for what they mend.

use super::{Cases, Node, Rows, Weights};

/// A part more keeps weights apart that do the same.
const RIDGE: f64 = 1e-3;
/// The least pivot: what varies less does not vary.
const LEAST: f64 = 1e-9;

/// The measure of one case.
struct Triangle {
    lower: Vec<f64>,
    width: usize,
}

/// The measures of all cases.
pub(super) struct Metric {
    cases: Vec<Triangle>,
}

impl Triangle {
    /// Of mean products: the lower half counts.
    fn new(products: &[f64], width: usize) -> Triangle {
        let mut lower = products.to_vec();
        for i in 0..width {
            for j in 0..=i {
                let mut left = lower[i * width + j];
                if i == j {
                    left += RIDGE * left + 1e-6;
                }
                for k in 0..j {
                    left -= lower[i * width + k] * lower[j * width + k];
                }
                lower[i * width + j] = if i == j { left.max(LEAST).sqrt() } else { left / lower[j * width + j] };
            }
        }
        Triangle { lower, width }
    }

    fn product(&self, weights: &[f64]) -> Vec<f64> {
        let width = self.width;
        let mut up = vec![0.0; width];
        for (i, (line, weight)) in self.lower.chunks_exact(width).zip(weights).enumerate() {
            up.iter_mut().zip(&line[..=i]).for_each(|(up, entry)| *up += entry * weight);
        }
        // A row ends at the diagonal.
        let rows = self.lower.chunks_exact(width).enumerate();
        rows.map(|(i, line)| line[..=i].iter().zip(&up).map(|(entry, up)| entry * up).sum()).collect()
    }

    fn solve(&self, slope: &[f64]) -> Vec<f64> {
        let (width, mut x) = (self.width, slope.to_vec());
        for i in 0..width {
            let known: f64 = (0..i).map(|k| self.lower[i * width + k] * x[k]).sum();
            x[i] = (x[i] - known) / self.lower[i * width + i];
        }
        for i in (0..width).rev() {
            let known: f64 = (i + 1..width).map(|k| self.lower[k * width + i] * x[k]).sum();
            x[i] = (x[i] - known) / self.lower[i * width + i];
        }
        x
    }
}

impl Metric {
    /// By the positions that are learned from.
    pub fn new(cases: &Cases, all: &Rows) -> Metric {
        let (own, width) = (all.count(), all.width - 1);
        let sums = cases.nodes.iter().zip(cases.members(all)).filter(|(node, _)| matches!(node, Node::Sum { .. }));
        let triangle = |rows: Vec<u32>| {
            let products = all.products(&rows);
            // Rows begin with 1 and end with the level; weights end with the constant.
            let place = |at: usize| if at + 1 == width { 0 } else { at + 1 };
            let product = |i: usize, j: usize| products.sums[i.max(j) * all.width + i.min(j)] / own.max(1) as f64;
            let cells = (0..width).flat_map(|i| (0..width).map(move |j| (i, j)));
            Triangle::new(&cells.map(|(i, j)| product(place(i), place(j))).collect::<Vec<f64>>(), width)
        };
        Metric { cases: sums.map(|(_, rows)| triangle(rows)).collect() }
    }

    /// How weights pull at each other.
    pub fn product(&self, weights: &Weights) -> Weights {
        self.cases.iter().zip(weights).map(|(case, weights)| case.product(weights)).collect()
    }

    /// The weights whose product this is.
    pub fn solve(&self, product: &Weights) -> Weights {
        self.cases.iter().zip(product).map(|(case, product)| case.solve(product)).collect()
    }

    /// The step down a slope that changes predictions by `far`.
    pub fn step(&self, slope: &Weights, far: f64) -> Weights {
        let mut step = self.solve(slope);
        let square: f64 = step.iter().flatten().zip(slope.iter().flatten()).map(|(a, b)| a * b).sum();
        let scale = if square > 0.0 { -far / square.sqrt() } else { 0.0 };
        step.iter_mut().flatten().for_each(|part| *part *= scale);
        step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_changes_predictions_by_what_is_asked() {
        // Two attributes that say much the same, in positions of one case.
        let mut rows = Rows { width: 4, data: Vec::new() };
        for at in 0..400u32 {
            let (a, b) = (f64::from(at % 20), f64::from(at % 20 + at / 20));
            rows.data.extend([1.0, a, b, 0.0]);
        }
        let sum = Node::Sum {
            linear: super::super::Linear { constant: 0.0, weights: vec![0.0; 2] },
            share: 1.0,
            spreads: vec![1.0; 2],
        };
        let cases = Cases {
            attributes: Vec::new(),
            most: Vec::new(),
            nodes: vec![sum],
            positions: 400,
            mistakes: 0,
            explained: 0.0,
            reading: Default::default(),
            played: Vec::new(),
        };
        let step = Metric::new(&cases, &rows).step(&vec![vec![0.0, 1.0, 0.0]], 0.5);
        let change = |row: u32| step[0][0] * rows.row(row)[1] + step[0][1] * rows.row(row)[2] + step[0][2];
        let mean = (0..400).map(|row| change(row).powi(2)).sum::<f64>() / 400.0;
        assert!((mean.sqrt() - 0.5).abs() < 0.05, "{}", mean.sqrt());
        assert!(step[0][1] < 0.0, "it goes down");
    }
}
