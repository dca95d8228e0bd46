//! Telling won positions from others by an ordered list of rules: the first rule whose tests all hold decides.
//!
//! Rules are found one after the other. Each is a conjunction of a few tests of attributes that is right about as many positions as
//! possible and wrong about few; what it covers is taken away, and the next one is looked for in the rest.

use crate::pool::Pool;
use crate::world::{Kind, NO_LEVEL, World};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What is tested.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// The plan's side is to move: 1, else 0.
    OurMove,
    /// An attribute, by number.
    Attribute(usize),
    /// How much greater the first attribute is than the second; 100 is equal.
    Difference(usize, usize),
}

/// A test: something is at most, or at least, so much.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Test {
    /// What.
    pub subject: Subject,
    /// The bound.
    pub bound: u8,
    /// At most; else at least.
    pub at_most: bool,
}

/// A rule: where all tests hold, positions are won, or not.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Rule {
    /// All of these hold.
    pub tests: Vec<Test>,
    /// What it says.
    pub won: bool,
    /// Positions that it decides.
    pub decides: u64,
    /// Those about which it is wrong.
    pub wrong: u64,
}

/// A list of rules.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Verdict {
    /// The rules in order; the last one has no tests.
    pub rules: Vec<Rule>,
    /// Positions of both sides to move.
    pub positions: u64,
    /// Those about which the list is right.
    pub right: u64,
}

impl Verdict {
    /// The share about which the list is right.
    pub fn share(&self) -> f64 {
        self.right as f64 / self.positions.max(1) as f64
    }
}

/// How rules are looked for.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The most rules, the last one included.
    pub rules: usize,
    /// The most tests of a rule.
    pub tests: usize,
    /// How many conjunctions are kept from step to step.
    pub beam: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { rules: 12, tests: 4, beam: 24 }
    }
}

type Bits = Vec<u64>;

fn bits(len: usize, holds: impl Fn(usize) -> bool + Sync) -> Bits {
    let word =
        |word: usize| (0..64.min(len - word * 64)).fold(0, |set, bit| set | u64::from(holds(word * 64 + bit)) << bit);
    (0..len.div_ceil(64)).into_par_iter().map(word).collect()
}

fn count(set: &[u64], other: &[u64]) -> u64 {
    set.iter().zip(other).map(|(a, b)| u64::from((a & b).count_ones())).sum()
}

#[derive(Clone)]
struct Conjunction {
    tests: Vec<usize>,
    set: Bits,
}

/// Finds a list of rules. `watch` is asked before each; `false` ends the list there.
pub fn find(world: &World, pool: &Pool, settings: &Settings, watch: &mut dyn FnMut(&Verdict) -> bool) -> Verdict {
    let nodes: Vec<usize> =
        (0..world.len()).filter(|&node| matches!(world.kinds[node], Kind::Ours | Kind::Theirs)).collect();
    let won = bits(nodes.len(), |at| world.plies[nodes[at]] != NO_LEVEL);
    let value = |subject: Subject, node: usize| -> u8 {
        match subject {
            Subject::OurMove => u8::from(world.kinds[node] == Kind::Ours),
            Subject::Attribute(column) => pool.columns[column][node],
            Subject::Difference(first, second) => {
                let difference = i32::from(pool.columns[first][node]) - i32::from(pool.columns[second][node]);
                (100 + difference).clamp(0, 200) as u8
            }
        }
    };
    let mut subjects = vec![Subject::OurMove];
    subjects.extend((0..pool.columns.len()).map(Subject::Attribute));
    // Differences of what has about the same range: distances with distances.
    let range = |column: usize| nodes.iter().map(|&node| pool.columns[column][node]).max().unwrap_or(0);
    let ranges: Vec<u8> = (0..pool.columns.len()).map(range).collect();
    for first in 0..ranges.len() {
        for second in first + 1..ranges.len() {
            if (4..=12).contains(&ranges[first]) && (4..=12).contains(&ranges[second]) {
                subjects.push(Subject::Difference(first, second));
            }
        }
    }
    let mut tests = Vec::new();
    for subject in subjects {
        let mut seen = [false; 256];
        nodes.iter().for_each(|&node| seen[usize::from(value(subject, node))] = true);
        let present: Vec<u8> = (0..=255).filter(|&value| seen[usize::from(value)]).collect();
        let step = present.len().div_ceil(16).max(1);
        for pair in present.windows(2).step_by(step) {
            tests.push(Test { subject, bound: pair[0], at_most: true });
            tests.push(Test { subject, bound: pair[1], at_most: false });
        }
    }
    let holds = |test: &Test, node: usize| {
        let value = value(test.subject, node);
        if test.at_most { value <= test.bound } else { value >= test.bound }
    };
    let held: Vec<Bits> = tests.iter().map(|test| bits(nodes.len(), |at| holds(test, nodes[at]))).collect();
    let mut left = bits(nodes.len(), |_| true);
    let mut verdict = Verdict { rules: Vec::new(), positions: nodes.len() as u64, right: 0 };
    while verdict.rules.len() + 1 < settings.rules && watch(&verdict) {
        let classes: [Bits; 2] = [
            left.iter().zip(&won).map(|(left, won)| left & !won).collect(),
            left.iter().zip(&won).map(|(left, won)| left & won).collect(),
        ];
        let found = [false, true].into_iter().filter_map(|class| {
            let (right, wrong) = (&classes[usize::from(class)], &classes[usize::from(!class)]);
            best_rule(&held, right, wrong, settings).map(|(score, tests, set)| (score, class, tests, set))
        });
        let Some((_, class, chosen, set)) = found.max_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        let (right, wrong) = (count(&set, &classes[usize::from(class)]), count(&set, &classes[usize::from(!class)]));
        verdict.right += right;
        let tests = chosen.into_iter().map(|test| tests[test]).collect();
        verdict.rules.push(Rule { tests, won: class, decides: right + wrong, wrong });
        left.iter_mut().zip(&set).for_each(|(left, set)| *left &= !set);
    }
    let (right, wrong) =
        (count(&left, &won), left.iter().zip(&won).map(|(l, w)| u64::from((l & !w).count_ones())).sum());
    let rest: (bool, u64, u64) = if right >= wrong { (true, right, wrong) } else { (false, wrong, right) };
    verdict.right += rest.1;
    verdict.rules.push(Rule { tests: Vec::new(), won: rest.0, decides: rest.1 + rest.2, wrong: rest.2 });
    verdict
}

/// The conjunction that is right about most and wrong about few: what is wrong for good counts many times what is gained.
fn best_rule(held: &[Bits], right: &Bits, wrong: &Bits, settings: &Settings) -> Option<(f64, Vec<usize>, Bits)> {
    let everything: Bits = right.iter().zip(wrong).map(|(a, b)| a | b).collect();
    let mut beam = vec![Conjunction { tests: Vec::new(), set: everything }];
    let mut best: Option<(f64, Vec<usize>, Bits)> = None;
    for _ in 0..settings.tests {
        let mut wider: Vec<(f64, f64, usize, usize)> = beam
            .par_iter()
            .enumerate()
            .flat_map_iter(|(from, kept)| {
                (0..held.len()).filter(|test| !kept.tests.contains(test)).map(move |test| {
                    let (mut good, mut bad) = (0u64, 0u64);
                    for (((set, held), right), wrong) in kept.set.iter().zip(&held[test]).zip(right).zip(wrong) {
                        let both = set & held;
                        good += u64::from((both & right).count_ones());
                        bad += u64::from((both & wrong).count_ones());
                    }
                    let (good, bad) = (good as f64, bad as f64);
                    // On the way purity leads; in the end what is gained less what is spoilt.
                    let promise = (good + 1.0).ln() + 4.0 * ((good + 1.0) / (good + bad + 2.0)).ln();
                    (promise, good - 25.0 * bad, from, test)
                })
            })
            .collect();
        if let Some(&(_, score, from, test)) = wider.iter().max_by(|a, b| a.1.total_cmp(&b.1))
            && score > best.as_ref().map_or(0.0, |best| best.0)
        {
            let set = beam[from].set.iter().zip(&held[test]).map(|(a, b)| a & b).collect();
            let mut tests = beam[from].tests.clone();
            tests.push(test);
            best = Some((score, tests, set));
        }
        wider.sort_by(|a, b| b.0.total_cmp(&a.0));
        wider.dedup_by(|a, b| a.0 == b.0 && a.1 == b.1);
        wider.truncate(settings.beam);
        beam = wider
            .into_iter()
            .map(|(_, _, from, test)| {
                let set = beam[from].set.iter().zip(&held[test]).map(|(a, b)| a & b).collect();
                let mut tests = beam[from].tests.clone();
                tests.push(test);
                Conjunction { tests, set }
            })
            .collect();
    }
    best
}
