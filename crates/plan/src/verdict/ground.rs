//! What rules are tried on: the positions of a world in a mixed order, the tests as sets of positions, and what lists of rules say when they
//! are read with looking ahead.

use super::{Subject, Test};
use crate::attribute::{Attribute, Place};
use crate::learn::Random;
use crate::pool::Pool;
use crate::world::{Kind, NO_LEVEL, World};
use rayon::prelude::*;

/// A set of positions.
pub type Bits = Vec<u64>;
/// A bound has one in so many positions on each side at least.
const FEW: usize = 250;

pub struct Ground {
    /// Positions, and which of them are won.
    pub count: usize,
    pub won: Bits,
    /// The tests with the positions in which they hold; those of a subject are in order.
    pub tests: Vec<Test>,
    pub held: Vec<Bits>,
    ours: Vec<bool>,
    first: Vec<u32>,
    /// What follows; after the positions come the number of what is lost and that of what is won.
    edges: Vec<u32>,
}

fn bits(len: usize, holds: impl Fn(usize) -> bool + Sync) -> Bits {
    let word =
        |word: usize| (0..64.min(len - word * 64)).fold(0, |set, bit| set | u64::from(holds(word * 64 + bit)) << bit);
    (0..len.div_ceil(64)).map(word).collect()
}

#[inline]
pub fn holds(set: &[u64], at: usize) -> bool {
    set[at / 64] >> (at % 64) & 1 == 1
}

/// How many positions are in both sets.
pub fn count(set: &[u64], other: &[u64]) -> u64 {
    set.iter().zip(other).map(|(a, b)| u64::from((a & b).count_ones())).sum()
}

impl Ground {
    /// The positions of a world in which somebody decides, and tests of the attributes of a pool.
    pub fn new(world: &World, pool: &Pool) -> Ground {
        let decided = |&node: &u32| matches!(world.kinds[node as usize], Kind::Ours | Kind::Theirs);
        let mut nodes: Vec<u32> = (0..world.len() as u32).filter(decided).collect();
        // Mixed, so that the first of them are a sample.
        let mut random = Random(1);
        for at in (1..nodes.len()).rev() {
            nodes.swap(at, random.below(at + 1));
        }
        let count = nodes.len();
        let mut number: Vec<u32> =
            world.kinds.iter().map(|&kind| count as u32 + u32::from(kind == Kind::Won)).collect();
        nodes.iter().zip(0..).for_each(|(&node, at)| number[node as usize] = at);
        let (mut first, mut edges) = (vec![0], Vec::new());
        for &node in &nodes {
            edges.extend(world.next(node).iter().map(|&to| number[to as usize]));
            first.push(edges.len() as u32);
        }
        let ours: Vec<bool> = nodes.iter().map(|&node| world.kinds[node as usize] == Kind::Ours).collect();
        let won = bits(count, |at| world.plies[nodes[at] as usize] != NO_LEVEL);
        let value =
            |subject: Subject, at: usize| subject.value(|column| pool.columns[column][nodes[at] as usize], ours[at]);
        let made = subjects(pool).into_par_iter().flat_map_iter(|subject| {
            let values: Vec<u8> = (0..count).map(|at| value(subject, at)).collect();
            let mut times = [0usize; 256];
            values.iter().for_each(|&value| times[usize::from(value)] += 1);
            let present: Vec<u8> = (0..=255).filter(|&value| times[usize::from(value)] > 0).collect();
            // Bounds that hardly anything is beyond tell little.
            let few = count / FEW;
            let up_to = |value: u8| times[..=usize::from(value)].iter().sum::<usize>();
            let tells = |pair: &&[u8]| (few..=count - few).contains(&up_to(pair[0]));
            let pairs: Vec<[u8; 2]> = present.windows(2).filter(tells).map(|pair| [pair[0], pair[1]]).collect();
            let most = pairs.iter().map(|pair| Test { subject, bound: pair[0], at_most: true });
            let least = pairs.iter().map(|pair| Test { subject, bound: pair[1], at_most: false });
            let all: Vec<Test> = most.chain(least).collect();
            all.into_iter().map(move |test| {
                let set = bits(count, |at| match test.at_most {
                    true => values[at] <= test.bound,
                    false => values[at] >= test.bound,
                });
                (test, set)
            })
        });
        let (tests, held) = made.unzip();
        Ground { count, won, tests, held, ours, first, edges }
    }

    fn next(&self, at: usize) -> &[u32] {
        &self.edges[self.first[at] as usize..self.first[at + 1] as usize]
    }

    /// What is said of each position with 0, 1, … plies of looking ahead, given what is said of it at once.
    pub fn read(&self, told: &[u64], plies: usize) -> Vec<Vec<bool>> {
        let mut layers: Vec<Vec<bool>> = vec![(0..self.count).map(|at| holds(told, at)).collect()];
        for _ in 0..plies {
            let last = layers.last_mut().expect("there is one at least");
            last.extend([false, true]);
            let last = &*last;
            let layer = (0..self.count).map(|at| {
                let mut next = self.next(at).iter().map(|&to| last[to as usize]);
                if self.ours[at] { next.any(|won| won) } else { next.all(|won| won) }
            });
            let layer = layer.collect();
            layers.push(layer);
        }
        layers
    }

    /// About how many positions of a layer it is wrong.
    pub fn wrong(&self, layer: &[bool]) -> u64 {
        (0..self.count).filter(|&at| layer[at] != holds(&self.won, at)).count() as u64
    }

    /// What it would bring to say the opposite of each position alone: positions that the reading becomes right about, less those that it
    /// becomes wrong about, as far as one change shows.
    pub fn gains(&self, layers: &[Vec<bool>]) -> Vec<i32> {
        let last = &layers[layers.len() - 1];
        let mut gains: Vec<i32> =
            (0..self.count).map(|at| if last[at] == holds(&self.won, at) { -1 } else { 1 }).collect();
        for pair in layers.windows(2).rev() {
            let (before, layer) = (&pair[0], &pair[1]);
            let mut earlier = vec![0; self.count + 2];
            for (at, &gain) in gains.iter().enumerate().take(self.count).filter(|(_, gain)| **gain != 0) {
                // One reply that differs settles it: where there is none, each can; where there is one, that one.
                let settles = self.ours[at];
                if layer[at] != settles {
                    self.next(at).iter().for_each(|&to| earlier[to as usize] += gain);
                } else {
                    let mut those = self.next(at).iter().filter(|&&to| before[to as usize] == settles);
                    if let (Some(&one), None) = (those.next(), those.next()) {
                        earlier[one as usize] += gain;
                    }
                }
            }
            gains = earlier;
        }
        gains.truncate(self.count);
        gains
    }
}

/// Whose turn it is, plain attributes and odd or even, and races of what can be compared: ways with ways, rows with rows, columns with columns.
fn subjects(pool: &Pool) -> Vec<Subject> {
    let parity = |column: &usize| *column < pool.plain || matches!(pool.attributes[*column], Attribute::Modulo(_, 2));
    let columns: Vec<usize> = (0..pool.columns.len()).filter(parity).collect();
    let mut subjects = vec![Subject::OurMove];
    subjects.extend(columns.iter().map(|&column| Subject::Attribute(column)));
    let like = |column: usize| match &pool.attributes[column] {
        Attribute::Distance { to: Place::Edge | Place::Corner | Place::Middle, .. } => None,
        Attribute::Distance { .. } => Some(0),
        Attribute::Up(_) => Some(1),
        Attribute::Across(..) => Some(2),
        Attribute::Counter(_) => Some(3),
        _ => None,
    };
    for &first in &columns {
        let others =
            columns.iter().filter(|&&second| second != first && like(first).is_some() && like(first) == like(second));
        subjects.extend(others.map(|&second| Subject::Race(first, second)));
    }
    subjects
}
