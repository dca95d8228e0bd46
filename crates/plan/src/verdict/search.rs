//! The search for rules: one more is grown where saying the opposite would bring most, the one that is missed least is dropped, and
//! tests are changed here and there as long as that helps. What counts is what the list says when it is read with looking ahead.

use super::ground::{Bits, Ground, count, holds};
use super::{Rule, Verdict};
use crate::learn::Random;
use crate::pool::Pool;
use crate::world::World;
use rayon::prelude::*;

/// How rules are looked for.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The most rules, the last one included.
    pub rules: usize,
    /// The most tests of a rule.
    pub tests: usize,
    /// How many conjunctions are kept from step to step.
    pub beam: usize,
    /// How many plies are looked ahead when the rules are read.
    pub plies: usize,
    /// How often a rule is added and another one dropped.
    pub rounds: usize,
    /// The seed of what is drawn.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { rules: 12, tests: 4, beam: 8, plies: 2, rounds: 40, seed: 1 }
    }
}

/// Positions that rules are grown on.
const SAMPLE: usize = 16_000;
/// Bits of the weight of a position, and the most that looking ahead adds to it.
const PLANES: usize = 5;
const MOST_WEIGHT: i32 = 30;
/// Tests that are tried in the place of another.
const EXCHANGED: usize = 4;
/// Conjunctions of each class that are tried as a rule.
const GROWN: usize = 6;
/// Changes at random that are tried at once, and how often.
const CHANGES: usize = 24;
const TRIED: usize = 2;
/// What it costs to be wrong at first sight, and what a test costs, against being wrong after looking ahead.
const AT_SIGHT: f64 = 0.02;
const TEST: f64 = 2.0;
/// Rounds without anything better after which the list goes back to the best and loses some rules.
const PATIENCE: usize = 5;

/// A list: rules of tests by number and what they say, and what is said otherwise.
#[derive(Clone, PartialEq, Debug)]
struct List {
    rules: Vec<(Vec<usize>, bool)>,
    otherwise: bool,
}

/// What it brings to say the opposite of a position, as it is weighed: after looking ahead, and a little at first sight.
fn weight(gain: i32, right: bool) -> i32 {
    (2 * gain).clamp(-MOST_WEIGHT, MOST_WEIGHT) + if right { -1 } else { 1 }
}

/// The weights of a sample of positions, bit by bit: what is brought, and what is spoilt.
struct Planes(Vec<[[u64; PLANES]; 2]>);

impl Planes {
    fn new(ground: &Ground, weight: impl Fn(usize) -> i32) -> Planes {
        let words = (SAMPLE.min(ground.count) / 64).max(1);
        let mut planes = vec![[[0u64; PLANES]; 2]; words];
        for at in 0..(words * 64).min(ground.count) {
            let weight = weight(at);
            for (bit, plane) in planes[at / 64][usize::from(weight < 0)].iter_mut().enumerate() {
                *plane |= u64::from(weight.unsigned_abs() >> bit & 1) << (at % 64);
            }
        }
        Planes(planes)
    }

    /// What the positions in two sets bring, and what they spoil.
    fn weigh(&self, set: &[u64], held: &[u64]) -> [f64; 2] {
        let mut sums = [[0u32; PLANES]; 2];
        for ((planes, set), held) in self.0.iter().zip(set).zip(held) {
            let both = set & held;
            if both == 0 {
                continue;
            }
            for (sums, planes) in sums.iter_mut().zip(planes) {
                sums.iter_mut().zip(planes).for_each(|(sum, plane)| *sum += (plane & both).count_ones());
            }
        }
        sums.map(|sums| sums.iter().enumerate().map(|(bit, sum)| f64::from(sum << bit)).sum())
    }
}

struct Search<'a> {
    ground: Ground,
    settings: &'a Settings,
    random: Random,
}

/// Finds a list of rules. `watch` is asked before each round; `false` ends it with the best so far.
pub fn find(
    world: &World,
    pool: &Pool,
    settings: &Settings,
    watch: &mut dyn FnMut(usize, &Verdict) -> bool,
) -> Verdict {
    let mut search = Search { ground: Ground::new(world, pool), settings, random: Random(settings.seed) };
    let otherwise = 2 * count(&search.ground.won, &search.ground.won) > search.ground.count as u64;
    let mut now = List { rules: Vec::new(), otherwise };
    let mut best = (search.cost(&now), now.clone());
    let mut in_vain = 0;
    for round in 0..settings.rounds {
        if !watch(round, &search.verdict(&best.1)) {
            break;
        }
        if in_vain >= PATIENCE {
            in_vain = 0;
            now = best.1.clone();
            for _ in 0..3.min(now.rules.len()) {
                now.rules.remove(search.random.below(now.rules.len()));
            }
        }
        now = search.grown(&now);
        while now.rules.len() + 1 > settings.rules {
            now = search.shorter(&now);
        }
        now = search.tuned(now);
        let cost = search.cost(&now);
        in_vain += 1;
        if cost < best.0 - 1e-9 {
            best = (cost, now.clone());
            in_vain = 0;
        }
    }
    search.verdict(&best.1)
}

impl Search<'_> {
    fn set(&self, tests: &[usize]) -> Bits {
        let mut set = vec![u64::MAX; self.ground.won.len()];
        for &test in tests {
            set.iter_mut().zip(&self.ground.held[test]).for_each(|(set, held)| *set &= held);
        }
        set
    }

    /// The positions that a list says are won.
    fn told(&self, list: &List) -> Bits {
        let mut told = vec![if list.otherwise { u64::MAX } else { 0 }; self.ground.won.len()];
        for (tests, won) in list.rules.iter().rev() {
            let set = self.set(tests);
            let pairs = told.iter_mut().zip(&set);
            pairs.for_each(|(told, set)| *told = if *won { *told | set } else { *told & !set });
        }
        told
    }

    fn cost(&self, list: &List) -> f64 {
        let layers = self.ground.read(&self.told(list), self.settings.plies);
        let tests: usize = list.rules.iter().map(|(tests, _)| tests.len()).sum();
        let wrong = |layer: &[bool]| self.ground.wrong(layer) as f64;
        wrong(&layers[self.settings.plies]) + AT_SIGHT * wrong(&layers[0]) + TEST * tests as f64
    }

    /// The list of several that costs least.
    fn cheapest(&self, lists: Vec<List>) -> Option<(f64, List)> {
        let costs = lists.into_par_iter().map(|list| (self.cost(&list), list));
        // The first of equals, so that the same seed finds the same rules.
        let all: Vec<(f64, List)> = costs.collect();
        all.into_iter().reduce(|best, next| if next.0 < best.0 { next } else { best })
    }

    /// With one rule more, anywhere; the last rule may be turned round.
    fn grown(&self, now: &List) -> List {
        let told = self.told(now);
        let layers = self.ground.read(&told, self.settings.plies);
        let gains = self.ground.gains(&layers);
        let mut lists = Vec::new();
        for won in [false, true] {
            for tests in self.conjunctions(&told, &gains, won) {
                for at in 0..=now.rules.len() {
                    let mut list = now.clone();
                    list.rules.insert(at, (tests.clone(), won));
                    lists.push(list);
                }
            }
        }
        self.cheapest(lists).map_or_else(|| now.clone(), |(_, list)| list)
    }

    /// With one rule less.
    fn shorter(&self, now: &List) -> List {
        let without = |at: usize| {
            let mut list = now.clone();
            list.rules.remove(at);
            list
        };
        self.cheapest((0..now.rules.len()).map(without).collect()).map_or_else(|| now.clone(), |(_, list)| list)
    }

    /// Changed where that helps: in each rule one test for one of all that promise most; then at random.
    fn tuned(&mut self, mut now: List) -> List {
        let mut cost = self.cost(&now);
        let rules = now.rules.len();
        for step in 0..rules + TRIED {
            let lists = match step < rules {
                true => self.exchanged(&now, step),
                false => (0..CHANGES).map(|_| self.changed(&now)).collect(),
            };
            if let Some(next) = self.cheapest(lists).filter(|next| next.0 < cost - 1e-9) {
                (cost, now) = next;
            }
        }
        now
    }

    /// One rule with another test in the place of each of its tests, or one more.
    fn exchanged(&self, now: &List, at: usize) -> Vec<List> {
        let mut without = now.clone();
        let (tests, won) = without.rules.remove(at);
        let (told, otherwise) = (self.told(now), self.told(&without));
        let gains = self.ground.gains(&self.ground.read(&told, self.settings.plies));
        // Positions that earlier rules decide do not matter.
        let mut left = vec![u64::MAX; self.ground.won.len()];
        for (tests, _) in &now.rules[..at] {
            left.iter_mut().zip(self.set(tests)).for_each(|(left, set)| *left &= !set);
        }
        let planes = Planes::new(&self.ground, |at| {
            if !holds(&left, at) || holds(&otherwise, at) == won {
                return 0;
            }
            let weight = weight(gains[at], holds(&self.ground.won, at) == holds(&told, at));
            // What it brings that this rule decides: the opposite of what is said now, or what is said now instead of the opposite.
            if holds(&told, at) == won { -weight } else { weight }
        });
        let mut lists = Vec::new();
        for place in 0..=tests.len().min(self.settings.tests - 1) {
            let mut others = tests.clone();
            if place < others.len() {
                others.remove(place);
            }
            let set = self.set(&others);
            let weighed = (0..self.ground.tests.len()).into_par_iter().map(|test| {
                let [good, bad] = planes.weigh(&set, &self.ground.held[test]);
                (good - bad, test)
            });
            let mut weighed: Vec<(f64, usize)> = weighed.collect();
            weighed.sort_by(|a, b| b.0.total_cmp(&a.0));
            weighed.dedup_by(|a, b| a.0 == b.0);
            for &(_, test) in weighed.iter().take(EXCHANGED) {
                let mut list = now.clone();
                list.rules[at].0 = [others.as_slice(), &[test]].concat();
                lists.push(list);
            }
        }
        lists
    }

    fn changed(&mut self, now: &List) -> List {
        let mut list = now.clone();
        let tests = &self.ground.tests;
        let random = &mut self.random;
        if list.rules.is_empty() {
            return list;
        }
        let (at, other) = (random.below(list.rules.len()), random.below(list.rules.len()));
        let rule = &mut list.rules[at].0;
        let place = random.below(rule.len());
        match random.below(12) {
            0..=5 => {
                // Another bound of the same subject.
                let by = [1, -1, 2, -2][random.below(4)];
                let test = rule[place].saturating_add_signed(by);
                let same =
                    |a: usize, b: usize| (tests[a].subject, tests[a].at_most) == (tests[b].subject, tests[b].at_most);
                if test < tests.len() && same(test, rule[place]) {
                    rule[place] = test;
                }
            }
            6 | 7 => rule[place] = random.below(tests.len()),
            8 if rule.len() < self.settings.tests => rule.push(random.below(tests.len())),
            9 if rule.len() > 1 => {
                rule.remove(place);
            }
            10 => {
                let moved = list.rules.remove(at);
                list.rules.insert(other, moved);
            }
            _ => list.rules.swap(at, other),
        }
        list
    }

    /// The conjunctions of tests that would bring most if they said so before all other rules.
    fn conjunctions(&self, told: &[u64], gains: &[i32], won: bool) -> Vec<Vec<usize>> {
        let planes = Planes::new(&self.ground, |at| match holds(told, at) == won {
            true => 0,
            false => weight(gains[at], holds(&self.ground.won, at) != won),
        });
        let mut beam: Vec<(Vec<usize>, Bits)> = vec![(Vec::new(), vec![u64::MAX; planes.0.len()])];
        let mut found: Vec<(f64, Vec<usize>)> = Vec::new();
        for _ in 0..self.settings.tests {
            let mut wider: Vec<(f64, f64, usize, usize)> = beam
                .par_iter()
                .enumerate()
                .flat_map(|(from, kept)| {
                    let planes = &planes;
                    (0..self.ground.tests.len()).into_par_iter().map(move |test| {
                        let [good, bad] = planes.weigh(&kept.1, &self.ground.held[test]);
                        // On the way purity leads; in the end what is brought less what is spoilt.
                        let promise = (good + 1.0).ln() + 3.0 * ((good + 1.0) / (good + bad + 2.0)).ln();
                        (promise, good - bad, from, test)
                    })
                })
                .collect();
            wider.sort_by(|a, b| b.1.total_cmp(&a.1));
            wider.dedup_by(|a, b| a.0 == b.0 && a.1 == b.1);
            let longer = |from: usize, test: usize| [beam[from].0.as_slice(), &[test]].concat();
            found.extend(wider.iter().take(GROWN).map(|&(_, score, from, test)| (score, longer(from, test))));
            let by_score: Vec<_> = wider.iter().take(self.settings.beam / 2).copied().collect();
            wider.sort_by(|a, b| b.0.total_cmp(&a.0));
            wider.truncate(self.settings.beam - by_score.len());
            wider.extend(by_score);
            beam = wider
                .into_iter()
                .map(|(_, _, from, test)| {
                    let set = beam[from].1.iter().zip(&self.ground.held[test]).map(|(a, b)| a & b).collect();
                    (longer(from, test), set)
                })
                .collect();
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.dedup_by(|a, b| a.0 == b.0);
        found.into_iter().take(GROWN).map(|(_, tests)| tests).collect()
    }

    /// A list with what it reaches.
    fn verdict(&self, list: &List) -> Verdict {
        let ground = &self.ground;
        let mut left: Bits = vec![u64::MAX; ground.won.len()];
        if !ground.count.is_multiple_of(64) {
            *left.last_mut().expect("there are positions") = (1 << (ground.count % 64)) - 1;
        }
        let mut rules = Vec::new();
        for (tests, won) in list.rules.iter().chain([&(Vec::new(), list.otherwise)]) {
            let decided: Bits = self.set(tests).iter().zip(&left).map(|(set, left)| set & left).collect();
            left.iter_mut().zip(&decided).for_each(|(left, decided)| *left &= !decided);
            let (decides, are_won) = (count(&decided, &decided), count(&decided, &ground.won));
            let wrong = if *won { decides - are_won } else { are_won };
            let tests = tests.iter().map(|&test| ground.tests[test].simplified()).collect();
            rules.push(Rule { tests, won: *won, decides, wrong });
        }
        let plies = self.settings.plies;
        let layers = ground.read(&self.told(list), plies.max(4));
        let right = |plies: usize| ground.count as u64 - ground.wrong(&layers[plies]);
        let mut read: Vec<usize> = vec![0, 2, 4, plies];
        read.sort_unstable();
        read.dedup();
        Verdict {
            rules,
            positions: ground.count as u64,
            right: right(plies),
            plies,
            read: read.into_iter().map(|plies| (plies, right(plies))).collect(),
        }
    }
}
