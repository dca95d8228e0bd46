//! Learning an order of positions: a list of goals, the first of which counts most.

use crate::sweep::{Score, best};
use crate::world::{Kind, NO_LEVEL, World};

/// One goal: a sum of columns with weights; less is better.
pub type Goal = Vec<(usize, i32)>;

/// The order of positions that goals make: less is better, the first goal counts most.
pub fn order(world: &World, columns: &[Vec<u8>], goals: &[Goal]) -> Vec<u64> {
    let mut keys = vec![0u64; world.len()];
    let mut most = 0u64;
    for goal in goals {
        let lowest: i32 = goal.iter().map(|(_, weight)| (weight * 255).min(0)).sum();
        let range: i32 = goal.iter().map(|(_, weight)| weight.abs() * 255).sum();
        let range = u64::from(range.unsigned_abs()) + 1;
        if most.checked_mul(range).is_none_or(|most| most > 1 << 56) {
            most = dense(&mut keys);
        }
        for (node, key) in keys.iter_mut().enumerate() {
            let sum: i32 = goal.iter().map(|&(column, weight)| weight * i32::from(columns[column][node])).sum();
            *key = *key * range + u64::from((sum - lowest).unsigned_abs());
        }
        most = (most + 1) * range;
    }
    keys
}

/// Numbers keys without gaps, in order; the greatest is returned.
fn dense(keys: &mut [u64]) -> u64 {
    let mut sorted = keys.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    keys.iter_mut().for_each(|key| *key = sorted.binary_search(key).unwrap_or(0) as u64);
    sorted.len() as u64
}

/// The chance to win within so many moves, on average over all won positions, when any of the best moves is drawn and the other side makes
/// it as small as it can.
pub fn chance(world: &World, scores: &[Score], moves: usize) -> f64 {
    let count = world.len();
    let mut p: Vec<f32> = world.kinds.iter().map(|kind| f32::from(u8::from(*kind == Kind::Won))).collect();
    let mut first = Vec::with_capacity(count + 1);
    let mut edges: Vec<u32> = Vec::new();
    let mut nodes = Vec::new();
    for node in world.won() {
        let allowed = best(world, scores, node);
        nodes.push(node);
        first.push(edges.len());
        edges.extend(world.next(node).iter().filter(|&&to| scores[to as usize] == allowed));
    }
    first.push(edges.len());
    let theirs: Vec<u32> = (0..count as u32)
        .filter(|&node| world.kinds[node as usize] == Kind::Theirs && world.plies[node as usize] != NO_LEVEL)
        .collect();
    let mut before = -1.0;
    for _ in 0..moves {
        let mut sum = 0.0;
        for (at, &node) in nodes.iter().enumerate() {
            let next = &edges[first[at]..first[at + 1]];
            let chance = next.iter().map(|&to| p[to as usize]).sum::<f32>() / next.len() as f32;
            p[node as usize] = chance;
            sum += f64::from(chance);
        }
        for &node in &theirs {
            p[node as usize] = world.next(node).iter().map(|&to| p[to as usize]).fold(1.0, f32::min);
        }
        if sum - before < 1e-9 * nodes.len() as f64 {
            break;
        }
        before = sum;
    }
    nodes.iter().map(|&node| f64::from(p[node as usize])).sum::<f64>() / nodes.len().max(1) as f64
}
