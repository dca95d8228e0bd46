//! Teaching sums by cases: they play, and their weights are changed so that the look ahead from a move that brings the win nearer ends in less than
//! that from one that does not (comparison training; Tesauro 2001, Hoki and Kaneko 2014).
//!
//! Fitting levels leaves sums that are right on average and wrong in the few positions where play waits or goes in circles. Here positions count
//! in which moves are chosen, above all the last ones of games that were not won. Such play swings from lesson to lesson, so
//! what is kept is the best that was measured, of the weights of a lesson and of their running average.

use super::{Cases, Depths, Node, Settings};
use crate::learn::Random;
use crate::stages::find::short;
use crate::stages::play::{Defence, Player, Repetition};
use crate::stages::regression::Linear;
use crate::sweep::{Score, back, follow, leaves};
use crate::world::{FAILED, Kind, NO_LEVEL, WON, World};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Lessons between two measurements.
const EVERY: usize = 4;
/// Positions of a lesson: drawn from all that can be won, and from the last ones of games that were not won, twice each at most.
const DRAWN: usize = 30_000;
/// The last own moves that are learned from: of a game that was not won, and of one in which a repetition was avoided. A trial with KBNK without the
/// second kind, and from fewer positions, got nowhere in sixty lessons; which of the two it was is not known.
const LAST: (usize, usize) = (16, 8);
/// Weights that seem to be the best, or worse by this at most, are measured again from so many times as many positions.
const NEARLY: f64 = 0.001;
const CLOSER: usize = 8;
/// Where this share of games is won, weights go on in smaller steps.
const WELL: (f64, f64) = (0.99, 0.3);
/// A move is to be better by so much, in moves to the win.
const MARGIN: f64 = 0.2;
/// How far a weight goes in the first lesson, in moves to the win for the spread of its attribute; after so many lessons half as far.
const PACE: (f64, f64) = (0.001, 150.0);
/// What is forgotten of the slope, of its square, and of the average, from lesson to lesson.
const FORGET: (f64, f64, f64) = (0.1, 0.01, 0.02);
/// Positions that fail again weigh more, by this each time, up to this.
const AGAIN: (f64, f64) = (1.1, 10.0);

/// The share of games that are won, and the last positions of those that went wrong.
type Played = (f64, Vec<u32>);

/// What is taught with.
pub(super) struct Lessons<'a> {
    pub world: &'a World,
    /// The values of the attributes in all positions.
    pub values: &'a [Vec<u8>],
    /// All positions that can be won.
    pub won: &'a [u32],
    pub settings: &'a Settings,
    /// The most moves of a game.
    pub limit: u16,
}

/// A good move and a worse one: where the look ahead from each ends, and how much the difference matters.
type Pair = (u32, u32, f64);

/// The weights of all cases, their constants last.
type Weights = Vec<Vec<f64>>;

impl Lessons<'_> {
    /// Teaches sums; `watch` hears how many lessons were given, and `false` ends them. The number of positions that mistakes were made in.
    pub fn teach(&self, cases: &mut Cases, watch: &mut dyn FnMut(usize) -> bool) -> u64 {
        let (defence, mut random) = (Defence::best(self.world), Random(self.settings.seed));
        let spreads = self.spreads(&mut random);
        let mut weights = weights(cases);
        let (mut average, mut slope, mut square) = (weights.clone(), zero(&weights), zero(&weights));
        let (mut blamed, mut heavy): (Vec<u32>, BTreeMap<u32, f64>) = (Vec::new(), BTreeMap::new());
        let (mut best, mut share): (Option<(f64, Weights)>, f64) = (None, 0.0);
        for lesson in 1..=self.settings.lessons {
            put(cases, &weights);
            let depths = self.look(cases);
            if lesson % EVERY == 1 {
                (share, blamed) = self.measure(&depths, &defence, &mut best, &weights, &mut random);
                blamed.iter().for_each(|&node| {
                    let weight = heavy.entry(node).or_insert(1.0);
                    *weight = (*weight * AGAIN.0).min(AGAIN.1);
                });
            }
            let batch = self.batch(&blamed, &heavy, &mut random);
            let found = self.slope(cases, &depths, &batch);
            let slower = if share > WELL.0 { WELL.1 } else { 1.0 };
            let (done, pace) = (lesson as i32, slower * PACE.0 / (1.0 + lesson as f64 / PACE.1));
            let sure = (1.0 - (1.0 - FORGET.0).powi(done), 1.0 - (1.0 - FORGET.1).powi(done));
            for (case, found) in found.iter().enumerate() {
                for (at, (&found, &spread)) in found.iter().zip(&spreads).enumerate() {
                    let found = found / spread;
                    slope[case][at] += FORGET.0 * (found - slope[case][at]);
                    square[case][at] += FORGET.1 * (found * found - square[case][at]);
                    let step = slope[case][at] / sure.0 / ((square[case][at] / sure.1).sqrt() + 1e-6);
                    weights[case][at] -= pace * step / spread;
                }
            }
            let rate = FORGET.2.max(1.0 / lesson as f64);
            let both = average.iter_mut().flatten().zip(weights.iter().flatten());
            both.for_each(|(average, weight)| *average += rate * (weight - *average));
            if lesson.is_multiple_of(2 * EVERY) {
                put(cases, &average);
                self.measure(&self.look(cases), &defence, &mut best, &average, &mut random);
            }
            if !watch(lesson) {
                break;
            }
        }
        if let Some((_, weights)) = best {
            put(cases, &weights);
        }
        heavy.len() as u64
    }

    /// How far the values of each attribute lie from their mean, and 1 for the constant.
    fn spreads(&self, random: &mut Random) -> Vec<f64> {
        let some: Vec<usize> = (0..20_000).map(|_| self.won[random.below(self.won.len())] as usize).collect();
        let spread = |column: &Vec<u8>| {
            let values = || some.iter().map(|&node| f64::from(column[node]));
            let mean = values().sum::<f64>() / some.len() as f64;
            (values().map(|value| (value - mean).powi(2)).sum::<f64>() / some.len() as f64).sqrt().max(0.05)
        };
        self.values.iter().map(spread).chain([1.0]).collect()
    }

    /// The scores of each depth.
    fn look(&self, cases: &Cases) -> Depths<'_> {
        let (world, plies) = (self.world, self.settings.plies);
        // Only positions of the side that is to move where the look ahead ends.
        let kind = super::turn(world, plies);
        let one = |node: usize| {
            if world.kinds[node] == kind { cases.predict(|column| self.values[column][node]) } else { 0.0 }
        };
        let predicted: Vec<f64> = (0..world.len()).into_par_iter().with_min_len(1 << 10).map(one).collect();
        let mut scores = vec![leaves(world, |node| super::rank(predicted[node as usize]))];
        for ply in 1..plies {
            let only = world.by_turns.then(|| if (plies - ply) % 2 == 1 { Kind::Theirs } else { Kind::Ours });
            let mut next = Vec::with_capacity(world.len());
            back(world, &scores[ply - 1], only, &mut next);
            scores.push(next);
        }
        Depths { world, scores, predicted }
    }

    /// Measures weights, those that seem good more closely, and keeps the best.
    fn measure(
        &self,
        depths: &Depths<'_>,
        defence: &Defence,
        best: &mut Option<(f64, Weights)>,
        weights: &Weights,
        random: &mut Random,
    ) -> Played {
        let (mut share, mut failed) = self.play(depths, defence, self.settings.starts, random);
        let known = best.as_ref().map_or(0.0, |(known, _)| *known);
        if share >= known - NEARLY && self.settings.repetition != Repetition::Nothing {
            // Always from the same positions: what is compared was measured alike.
            let (closer, more) =
                self.play(depths, defence, CLOSER * self.settings.starts, &mut Random(self.settings.seed));
            (share, failed) = (closer, more);
        }
        if share > known || best.is_none() {
            *best = Some((share, weights.clone()));
        }
        (share, failed)
    }

    /// Plays games from some positions; where there is no rule against repetitions, all that is allowed from all of them.
    fn play(&self, depths: &Depths<'_>, defence: &Defence, starts: usize, random: &mut Random) -> Played {
        let (world, scores, all) = (self.world, depths.last(), self.won.len());
        if self.settings.repetition == Repetition::Nothing {
            let outcomes = follow(world, scores);
            let lost = |node: &u32| outcomes.plies[*node as usize] == NO_LEVEL;
            let blamed: Vec<u32> = self.won.iter().copied().filter(lost).collect();
            return ((all - blamed.len()) as f64 / all.max(1) as f64, blamed);
        }
        let some: Vec<u32> = match starts >= all {
            true => self.won.to_vec(),
            false => (0..starts).map(|_| self.won[random.below(all)]).collect(),
        };
        let player = Player::new(world, scores, None);
        let part = |starts: &[u32]| {
            let (mut won, mut blamed, mut seen) = (0, Vec::new(), Vec::new());
            for &start in starts {
                let is_won = player.game(defence, start, self.settings.repetition, self.limit, &mut seen).is_some();
                won += usize::from(is_won);
                // Own moves led to what was seen; each was made where the reply to the one before led.
                let made = || seen.windows(2).map(|pair| (replied(world, defence, pair[0]), pair[1]));
                let straight = made().all(|(node, to)| player.first_choice(node) == to);
                if !is_won || !straight {
                    let last = made().rev().take(if is_won { LAST.1 } else { LAST.0 });
                    blamed.extend(last.map(|(node, _)| node).filter(|&node| world.to_win(node)));
                }
            }
            (won, blamed)
        };
        let parts: Vec<(usize, Vec<u32>)> = some.par_chunks(1 << 8).map(part).collect();
        let won: usize = parts.iter().map(|(won, _)| won).sum();
        (won as f64 / some.len().max(1) as f64, parts.into_iter().flat_map(|(_, blamed)| blamed).collect())
    }

    /// The positions of a lesson, and what they weigh.
    fn batch(&self, blamed: &[u32], heavy: &BTreeMap<u32, f64>, random: &mut Random) -> Vec<(u32, f64)> {
        let all = DRAWN.min(4 * self.won.len());
        let mut batch: Vec<(u32, f64)> = (0..all).map(|_| (self.won[random.below(self.won.len())], 1.0)).collect();
        let again = all.min(2 * blamed.len());
        for _ in 0..again {
            let node = blamed[random.below(blamed.len())];
            batch.push((node, heavy.get(&node).copied().unwrap_or(1.0)));
        }
        batch
    }

    /// Which way the weights are wrong.
    fn slope(&self, cases: &Cases, depths: &Depths<'_>, batch: &[(u32, f64)]) -> Weights {
        let numbers = numbers(cases);
        let pairs: Vec<Pair> = batch.par_iter().filter_map(|&(node, weight)| self.pair(depths, node, weight)).collect();
        let width = self.values.len();
        let part = |pairs: &[Pair]| {
            let mut slope = vec![vec![0.0; width + 1]; numbers.iter().flatten().count()];
            for &(good, bad, weight) in pairs {
                for (node, weight) in [(good as usize, weight), (bad as usize, -weight)] {
                    let Some(case) = numbers[cases.case(|at| self.values[at][node])] else { continue };
                    for (sum, column) in slope[case].iter_mut().zip(self.values) {
                        *sum += weight * f64::from(column[node]);
                    }
                    slope[case][width] += weight;
                }
            }
            slope
        };
        // Parts are added up in their order: the same on any number of processors.
        let parts: Vec<Weights> = pairs.par_chunks(1 << 12).map(part).collect();
        let mut slope = vec![vec![0.0; width + 1]; numbers.iter().flatten().count()];
        for part in parts {
            slope.iter_mut().flatten().zip(part.iter().flatten()).for_each(|(sum, part)| *sum += part);
        }
        slope.iter_mut().flatten().for_each(|sum| *sum /= pairs.len().max(1) as f64);
        slope
    }

    /// The best of the moves that bring the win nearer, the best of those that do not, and how much it matters that the first is better.
    fn pair(&self, depths: &Depths<'_>, node: u32, weight: f64) -> Option<Pair> {
        let (world, scores) = (self.world, depths.last());
        let plies = |to: u32| if to == WON { 0 } else { world.plies[to as usize] };
        let level = world.plies[node as usize];
        let best = |near: bool| -> Option<u32> {
            let moves = world.next(node).iter().copied().filter(|&to| (plies(to) < level) == near);
            moves.min_by_key(|&to| (scores[to as usize], to))
        };
        let (good, bad) = (best(true)?, best(false)?);
        let inside = |node: u32| node > FAILED && matches!(world.kinds[node as usize], Kind::Ours | Kind::Theirs);
        let (first, second) = (depths.leaf(good), depths.leaf(bad));
        if !inside(first) || !inside(second) || first == second {
            return None;
        }
        let apart = depths.predicted[first as usize] - depths.predicted[second as usize] + MARGIN;
        if apart < -3.0 {
            return None;
        }
        let chance = 1.0 / (1.0 + (-2.0 * apart).exp());
        let steep = chance * (1.0 - chance);
        let steep = if apart > 0.0 { 0.5 + 2.0 * steep } else { 4.0 * steep };
        let lost = if plies(bad) == NO_LEVEL { 4.0 } else { f64::from(plies(bad) + 1 - level) / 2.0 };
        Some((first, second, steep * weight * lost.min(4.0).sqrt()))
    }
}

/// The position after the reply to an own move; the position itself if it is the own side's turn already.
fn replied(world: &World, defence: &Defence, node: u32) -> u32 {
    match defence {
        Defence::Best(replies) if world.kinds[node as usize] == Kind::Theirs => replies[node as usize],
        _ => node,
    }
}

/// For each node of the tree the number of its sum, if it is one.
fn numbers(cases: &Cases) -> Vec<Option<usize>> {
    let mut next = 0..;
    cases.nodes.iter().map(|node| if matches!(node, Node::Sum { .. }) { next.next() } else { None }).collect()
}

fn weights(cases: &Cases) -> Weights {
    let sum = |node: &Node| match node {
        Node::Sum { linear, .. } => Some(linear.weights.iter().copied().chain([linear.constant]).collect()),
        Node::Question { .. } => None,
    };
    cases.nodes.iter().filter_map(sum).collect()
}

/// Makes these the weights of the cases, as they are written to files.
fn put(cases: &mut Cases, weights: &Weights) {
    let sums = cases.nodes.iter_mut().filter_map(|node| match node {
        Node::Sum { linear, .. } => Some(linear),
        Node::Question { .. } => None,
    });
    for (linear, weights) in sums.zip(weights) {
        let (mut constant, mut rest) = (weights[weights.len() - 1], weights[..weights.len() - 1].to_vec());
        rest.iter_mut().chain([&mut constant]).for_each(short);
        *linear = Linear { constant, weights: rest };
    }
}

fn zero(weights: &Weights) -> Weights {
    weights.iter().map(|row| vec![0.0; row.len()]).collect()
}

impl Depths<'_> {
    /// The scores of what a move leads to.
    fn last(&self) -> &[Score] {
        self.scores.last().map_or(&[], Vec::as_slice)
    }
}
