//! The method of Sadikov and Bratko (2006), step by step: which attributes tell one level of a table from the next, where that
//! changes (borders of stages), a tree that tells stages, a regression of the distance for each of them, and play by these.
//!
//! | module | what it is |
//! |---|---|
//! | [`attributes`] | the attributes of the paper, by name, and their values for every position |
//! | [`gain`] | information gain ratios of neighbouring levels, their correlation, and its minima |
//! | [`tree`] | a tree by gain ratio, with a least number of examples in a leaf |
//! | [`regression`] | the distance as a linear function of the attributes |
//! | [`evaluator`] | regressions put together: by the tree, by a classifier that is never wrong, or one of them everywhere |
//! | [`play`] | minimax for every position at once, and games against best defence |
//!
//! All of it is learned from positions with the other side (black) to move, as in the paper: its level is the number of moves
//! that white still makes, 0 being mate or, in KQKR, the rook won.

pub mod attributes;
pub mod evaluator;
pub mod gain;
pub mod play;
pub mod regression;
pub mod tree;

use crate::world::{FAILED, Kind, World};
use attributes::{KQKR, KRK, Named};
use table::chess::{Material, Metric};

/// The endings of the paper.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Subject {
    /// King and rook against king, to mate.
    Krk,
    /// King and queen against king and rook, to mate or the rook.
    Kqkr,
}

impl Subject {
    /// Both.
    pub const ALL: [Subject; 2] = [Subject::Krk, Subject::Kqkr];

    /// The name in small letters.
    pub fn name(self) -> &'static str {
        match self {
            Subject::Krk => "krk",
            Subject::Kqkr => "kqkr",
        }
    }

    /// The men.
    pub fn material(self) -> Material {
        Material::parse(self.name()).expect("it is a material")
    }

    /// What levels count to.
    pub fn metric(self) -> Metric {
        match self {
            Subject::Krk => Metric::Mate,
            Subject::Kqkr => Metric::Conversion,
        }
    }

    /// The attributes of the paper.
    pub fn attributes(self) -> &'static [Named] {
        match self {
            Subject::Krk => &KRK,
            Subject::Kqkr => &KQKR,
        }
    }

    /// The first level whose gains are looked at: levels of 2 or less have too few positions.
    pub const FIRST: u16 = 3;

    /// The stages of the paper that are played by: names, and the greatest level of each.
    ///
    /// In KQKR the paper draws its borders "at move 6 and at move 14", with 12.5, 9.7 and 77.8% of the positions. Levels up to 5, from 6
    /// to 13 and from 14 have exactly these shares, so that is what is meant.
    pub fn stages(self) -> &'static [(&'static str, u16)] {
        match self {
            Subject::Krk => &[("CLOSE", 7), ("MEDIUM", 11), ("FAR", u16::MAX)],
            Subject::Kqkr => &[("CLOSE", 13), ("FAR", u16::MAX)],
        }
    }

    /// The stages that the minima cut; in KQKR the first two were joined before play.
    pub fn fine_stages(self) -> &'static [(&'static str, u16)] {
        match self {
            Subject::Krk => self.stages(),
            Subject::Kqkr => &[("CLOSE", 5), ("MEDIUM", 13), ("FAR", u16::MAX)],
        }
    }
}

/// The number of the stage that a level belongs to.
pub fn stage(stages: &[(&str, u16)], level: u16) -> u8 {
    stages.iter().position(|(_, last)| level <= *last).unwrap_or(stages.len() - 1) as u8
}

/// Positions with the other side to move and what is known of them: what is learned from.
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
    /// All lost positions of the other side.
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

/// Positions that are lost with the other side to move, in the order of the world.
pub fn starts(world: &World) -> Vec<u32> {
    let lost = |node: &u32| {
        let kind = world.kinds[*node as usize];
        // The two numbers that stand for ends outside are no positions.
        *node > FAILED && matches!(kind, Kind::Theirs | Kind::Won) && world.level(*node).is_some()
    };
    (0..world.len() as u32).filter(lost).collect()
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::chess::{Ending, world};
    use std::sync::OnceLock;
    use table::chess::{Tables, build_all};

    /// KRK with the values of its attributes, built once.
    pub(crate) fn krk() -> &'static (World, Vec<Vec<u8>>, Examples) {
        static MADE: OnceLock<(World, Vec<Vec<u8>>, Examples)> = OnceLock::new();
        MADE.get_or_init(|| {
            let subject = Subject::Krk;
            let mut tables = Tables::new();
            build_all(subject.material(), subject.metric(), &mut tables, &mut |_, _| true).expect("it can be built");
            let world = world(subject.material(), subject.metric(), &tables).expect("all tables are there");
            let values = attributes::values(&world, &Ending::new(subject.material()), subject.attributes());
            let examples = Examples::new(&world, &values);
            (world, values, examples)
        })
    }

    #[test]
    fn levels_of_krk_are_those_of_the_public_data_set() {
        let (world, _, examples) = krk();
        let published = [27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553, 2166, 390];
        assert_eq!(examples.counts(), published);
        let others = (2..world.len() as u32).filter(|&node| {
            let kind = world.kinds[node as usize];
            // A stalemate has no moves and no level, and nobody else is to move there than black.
            matches!(kind, Kind::Theirs | Kind::Won | Kind::Failed) && world.level(node).is_none()
        });
        assert_eq!(others.count(), 2796, "draws");
    }

    #[test]
    fn samples_are_as_large_as_asked_and_stay_the_same() {
        let (.., examples) = krk();
        let some = examples.sample(1000, 1);
        assert_eq!(some.len(), 1000);
        assert_eq!(some, examples.sample(1000, 1));
        assert_ne!(some, examples.sample(1000, 2));
        assert_eq!(examples.sample(1_000_000, 1).len(), examples.len());
    }

    #[test]
    fn stages_of_the_paper() {
        let stages = Subject::Krk.stages();
        assert_eq!([0, 7, 8, 11, 12, 16].map(|level| stage(stages, level)), [0, 0, 1, 1, 2, 2]);
    }
}
