//! The attributes of all positions in which the look ahead can end, position by position: teaching reads them in no order.

use super::{Cases, Node};
use crate::world::{Kind, World};

/// A position that is not in a [`Sheet`].
const NOWHERE: u32 = u32::MAX;

/// See the [module](self).
pub(super) struct Sheet {
    /// The positions.
    pub nodes: Vec<u32>,
    /// For each position of the world its place here.
    place: Vec<u32>,
    width: usize,
    data: Vec<u8>,
    /// For each position which of the sums counts.
    pub cases: Vec<u16>,
}

impl Sheet {
    /// All positions of a kind, with the values of attributes, and which of the cases each belongs to.
    pub fn new(world: &World, values: &[Vec<u8>], kind: Kind, cases: &Cases) -> Sheet {
        let nodes: Vec<u32> = (0..world.len() as u32).filter(|&node| world.kinds[node as usize] == kind).collect();
        let mut place = vec![NOWHERE; world.len()];
        nodes.iter().zip(0..).for_each(|(&node, at)| place[node as usize] = at);
        let mut data = vec![0; nodes.len() * values.len()];
        let width = values.len();
        for (column, values) in values.iter().enumerate() {
            for (at, &node) in nodes.iter().enumerate() {
                data[at * width + column] = values[node as usize];
            }
        }
        let mut numbers = vec![0; cases.nodes.len()];
        let sums = cases.nodes.iter().enumerate().filter(|(_, node)| matches!(node, Node::Sum { .. }));
        sums.zip(0..).for_each(|((node, _), number)| numbers[node] = number);
        let mut sheet = Sheet { nodes, place, width, data, cases: Vec::new() };
        sheet.cases = (0..sheet.nodes.len()).map(|at| numbers[cases.case(|column| sheet.row(at)[column])]).collect();
        sheet
    }

    /// The place of a position, if it is here.
    pub fn place(&self, node: u32) -> Option<usize> {
        let at = self.place[node as usize];
        (at != NOWHERE).then_some(at as usize)
    }

    /// The attributes of the position at a place.
    pub fn row(&self, at: usize) -> &[u8] {
        &self.data[at * self.width..(at + 1) * self.width]
    }

    /// What is predicted there by the weights of all cases, their constants last.
    pub fn predict(&self, weights: &[Vec<f64>], at: usize) -> f64 {
        let weights = &weights[usize::from(self.cases[at])];
        let parts = weights.iter().zip(self.row(at)).map(|(weight, &value)| weight * f64::from(value));
        weights[self.width] + parts.sum::<f64>()
    }
}
