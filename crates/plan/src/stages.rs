//! Stages of a game, by the method of Sadikov and Bratko (2006), for any world: which attributes tell one level of a table from the next, where
//! that changes (borders of stages), a tree that tells stages, a regression of the distance for each of them, and play by these.
//!
//! | module | what it is |
//! |---|---|
//! | [`gain`] | information gain ratios of neighbouring levels, their correlation, and its minima |
//! | [`tree`] | a tree by gain ratio, with a least number of examples in a leaf |
//! | [`regression`] | the distance as a linear function of the attributes |
//! | [`evaluator`] | regressions put together: by the tree, by a classifier that is never wrong, or one of them everywhere |
//! | [`play`] | minimax for every position at once, and games against best and against random replies |
//! | [`cases`] | sums by cases: a tree of questions with a sum in each leaf, learned again from what its play does wrong |
//! | [`find`] | all of it for a world, with attributes made from the rules |
//! | [`told`] | what was found in plain sentences |
//!
//! All of it is learned from positions with the other side to move, as in the paper: the level is the number of moves that the own side
//! still makes, 0 being the win. Where nobody plays against the own side, it is to move.

pub mod cases;
pub mod evaluator;
pub mod find;
pub mod gain;
pub mod play;
pub mod regression;
pub mod told;
pub mod tree;

use crate::world::{FAILED, Kind, World};
use serde::{Deserialize, Serialize};

/// A stage: the levels after those of the stage before it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Stage {
    /// What it is called.
    pub name: String,
    /// Its greatest level.
    pub last: u16,
}

impl Stage {
    /// Stages by name and greatest level.
    pub fn list(stages: &[(&str, u16)]) -> Vec<Stage> {
        stages.iter().map(|&(name, last)| Stage { name: name.to_string(), last }).collect()
    }
}

/// The number of the stage that a level belongs to.
pub fn stage(stages: &[Stage], level: u16) -> u8 {
    stages.iter().position(|stage| level <= stage.last).unwrap_or(stages.len() - 1) as u8
}

/// The numbers of the stages that levels belong to.
pub fn classes(stages: &[Stage], levels: &[u16]) -> Vec<u8> {
    levels.iter().map(|&level| stage(stages, level)).collect()
}

/// Positions and what is known of them: what is learned from.
#[derive(Clone, PartialEq, Debug)]
pub struct Examples {
    /// The positions.
    pub nodes: Vec<u32>,
    /// The level of each.
    pub levels: Vec<u16>,
    /// For each attribute its value in each position.
    pub columns: Vec<Vec<u8>>,
}

impl Examples {
    /// All positions of [`starts`], with the values of attributes for every position of the world.
    pub fn new(world: &World, values: &[Vec<u8>]) -> Examples {
        let nodes: Vec<u32> = starts(world);
        let levels = nodes.iter().filter_map(|&node| world.level(node)).collect();
        let columns = values.iter().map(|column| nodes.iter().map(|&node| column[node as usize]).collect()).collect();
        Examples { nodes, levels, columns }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Those that `keep` wants, by number.
    pub fn filter(&self, keep: impl Fn(usize) -> bool) -> Examples {
        let kept: Vec<usize> = (0..self.len()).filter(|&at| keep(at)).collect();
        Examples {
            nodes: kept.iter().map(|&at| self.nodes[at]).collect(),
            levels: kept.iter().map(|&at| self.levels[at]).collect(),
            columns: self.columns.iter().map(|column| kept.iter().map(|&at| column[at]).collect()).collect(),
        }
    }

    /// At most `count` of them that look as if drawn at random, the same for the same seed, in their order.
    pub fn sample(&self, count: usize, seed: u64) -> Examples {
        let chosen = sample(self.len(), count, seed);
        self.filter(|at| chosen[at])
    }

    /// How many positions each level has.
    pub fn counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.levels.iter().max().map_or(0, |level| usize::from(*level) + 1)];
        for &level in &self.levels {
            counts[usize::from(level)] += 1;
        }
        counts
    }
}

/// Positions that will be won, with the other side to move or over, in the order of the world; with the own side to move where nobody
/// plays against it.
pub fn starts(world: &World) -> Vec<u32> {
    let learned = |node: &u32| {
        let kind = world.kinds[*node as usize];
        let turn = matches!(kind, Kind::Theirs | Kind::Won) || world.alone && kind == Kind::Ours;
        // The two numbers that stand for ends outside are no positions.
        *node > FAILED && turn && world.level(*node).is_some()
    };
    (0..world.len() as u32).filter(learned).collect()
}

/// Which `count` of `all` are drawn.
pub fn sample(all: usize, count: usize, seed: u64) -> Vec<bool> {
    let mut order: Vec<(u64, usize)> = (0..all).map(|at| (mixed(seed, at as u64), at)).collect();
    let count = count.min(all);
    if count > 0 && count < all {
        order.select_nth_unstable(count - 1);
    }
    let mut chosen = vec![false; all];
    for (_, at) in &order[..count] {
        chosen[*at] = true;
    }
    chosen
}

/// A number that looks random, from a seed and another number.
pub(crate) fn mixed(seed: u64, number: u64) -> u64 {
    let mut x = number.wrapping_add(seed.wrapping_mul(0xd134_2543_de82_ef95)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}
