//! Teaching sums by cases: they play, and their weights are changed by what went wrong.
//!
//! Two things are taught. *Choices*: the look ahead from a move that brings the win nearer is to end in less than that from the best one that does not
//! (comparison training; Tesauro 2001, Hoki and Kaneko 2014). *Descents*: two plies more are to promise less than two plies fewer did. A sum
//! of which that holds everywhere wins without any rule, since no circle goes down all the way; where it does not hold, play can
//! wait, and a position that seems better than it is draws it in from far away: that one is raised, and the one where it should have gone is lowered.
//!
//! Fitting levels leaves sums that are right on average and wrong in the few positions where play waits or goes in circles. Here positions count
//! in which that happens, above all those of games that were not won. Such play swings from lesson to lesson, so
//! what is kept is the best that was measured, of the weights of a lesson and of their running average. In the end that is played from every
//! position, and where it does not win it is changed in small steps until it does: counterexamples, until there are none.

mod depths;
mod descent;

use super::metric::Metric;
use super::{Cases, Node, Rows, Settings, Sheet, Weights, every};
use crate::learn::Random;
use crate::stages::find::short;
use crate::stages::play::{Defence, Player, Repetition};
use crate::stages::regression::Linear;
use crate::sweep::{Reading, follow};
use crate::world::{Kind, NO_LEVEL, World};
use depths::Depths;
use rayon::prelude::*;

/// The most positions of a lesson in which play may wait; as many count again from games, and some drawn from all.
const WAITING: usize = 150_000;
/// The others are at least and at most so many, and a third of those before them.
const DRAWN: (usize, usize) = (2000, 60_000);
/// What one that was drawn weighs.
const BESIDE: f64 = 0.3;
/// Of a game that was not won so many of its last own moves are learned from, and of each game so many in which a repetition was avoided.
const LAST: (usize, usize) = (20, 12);
/// Weights that seem to be the best, or worse by this at most, are measured again from so many times as many positions.
const NEARLY: f64 = 0.001;
const CLOSER: usize = 5;
/// Counterexamples that are kept, about.
const HARD: usize = 1000;
/// So many small steps in a row that win no more are the last.
const VAIN: usize = 100;
/// How far predictions go in the small steps of the end, in moves to the win, one after the other.
const SMALL: [f64; 4] = [0.1, 0.03, 0.3, 0.01];
/// Lessons between two measurements of the running average.
const EVERY: usize = 5;
/// One is to be less than another by so much, in moves to the win, and how much more and how much less than that is told apart.
const MARGIN: f64 = 0.1;
const GAPS: (f64, f64) = (0.3, 1.0);
/// How far predictions go in the first lesson, in moves to the win; after so many lessons half as far.
const PACE: (f64, f64) = (0.2, 60.0);
/// The steps of a lesson, and what is kept of a step in the next.
const STEPS: usize = 6;
const KEPT: f64 = 0.5;
/// What the running average forgets from lesson to lesson.
const FORGET: f64 = 0.05;

/// The share of games that are won, how many positions were to blame, and the weights.
type Best = (f64, usize, Weights);

/// What became of games.
#[derive(Default)]
struct Played {
    /// How many were played.
    games: usize,
    /// The positions from which they were not won.
    lost: Vec<u32>,
    /// The own positions in which they went wrong.
    blamed: Vec<u32>,
}

impl Played {
    fn share(&self) -> f64 {
        1.0 - self.lost.len() as f64 / self.games.max(1) as f64
    }

    fn and(mut self, other: Played) -> Played {
        self.games += other.games;
        self.lost.extend(other.lost);
        self.blamed.extend(other.blamed);
        self
    }
}

/// What passes from lesson to lesson beside the weights.
struct Course {
    defence: Defence,
    random: Random,
    best: Option<Best>,
}

/// What is taught with.
pub(super) struct Lessons<'a> {
    pub world: &'a World,
    /// The attributes of the positions where the look ahead ends.
    pub sheet: &'a Sheet,
    /// All positions that can be won.
    pub won: &'a [u32],
    pub settings: &'a Settings,
    /// The most moves of a game.
    pub limit: u16,
}

/// Two places of the sheet, of which the first is to be less, and how much it matters.
type Pair = (usize, usize, f64);

impl Lessons<'_> {
    /// Teaches sums that were fitted to some positions; `watch` hears how many lessons were given, and `false` ends them. The number of positions in
    /// which games went wrong.
    pub fn teach(&self, cases: &mut Cases, learned: &Rows, watch: &mut dyn FnMut(usize) -> bool) -> u64 {
        if self.settings.reading == Reading::Met {
            return self.descend(cases, learned, watch);
        }
        let (defence, random) = (Defence::best(self.world), Random(self.settings.seed));
        let mut course = Course { defence, random, best: None };
        let metric = Metric::new(cases, learned);
        let mut weights = rounded(&weights(cases));
        let (mut average, mut step) = (weights.clone(), zero(&weights));
        let mut wrong = vec![false; self.world.len()];
        for lesson in 1..=self.settings.lessons {
            let depths = self.look(&weights);
            let blamed = self.measure(&depths, &mut course, &weights);
            blamed.iter().for_each(|&node| wrong[node as usize] = true);
            if !blamed.is_empty() {
                let pairs = self.pairs(&depths, &weights, &blamed, WAITING, &mut course.random);
                let pace = PACE.0 / (1.0 + lesson as f64 / PACE.1) / STEPS as f64;
                for _ in 0..STEPS {
                    let now = metric.step(&self.slope(&weights, &pairs), pace);
                    for (at, (weight, step)) in weights.iter_mut().flatten().zip(step.iter_mut().flatten()).enumerate()
                    {
                        *step = KEPT * *step + now[at / now[0].len()][at % now[0].len()];
                        *weight += *step;
                    }
                }
                weights = rounded(&weights);
            }
            let rate = FORGET.max(1.0 / lesson as f64);
            let both = average.iter_mut().flatten().zip(weights.iter().flatten());
            both.for_each(|(average, weight)| *average += rate * (weight - *average));
            if lesson.is_multiple_of(EVERY) {
                let average = rounded(&average);
                self.measure(&self.look(&average), &mut course, &average);
            }
            // Nothing wins more than what wins everywhere.
            let all = course.best.as_ref().is_some_and(|best| best.0 >= 1.0);
            if !watch(lesson) || all {
                break;
            }
        }
        if let Some((.., mut weights)) = course.best.take() {
            if self.settings.repetition != Repetition::Nothing {
                self.polish(&mut weights, &mut course, &metric, watch);
            }
            put(cases, &weights);
        }
        wrong.iter().filter(|wrong| **wrong).count() as u64
    }

    /// What is predicted, and the scores of each depth.
    fn look(&self, weights: &Weights) -> Depths<'_> {
        let places = 0..self.sheet.nodes.len();
        let one = |at: usize| self.sheet.predict(weights, at);
        let predicted: Vec<f64> = places.into_par_iter().with_min_len(1 << 10).map(one).collect();
        Depths::new(self.world, self.sheet, predicted, self.settings.plies, self.settings.reading)
    }

    /// Measures weights, those that seem good more closely, and keeps the best. The own positions in which games went wrong.
    fn measure(&self, depths: &Depths<'_>, course: &mut Course, weights: &Weights) -> Vec<u32> {
        let (share, failed) = match self.settings.repetition {
            Repetition::Nothing => self.follow(depths),
            _ => self.avoid(depths, course),
        };
        let (known, blame) = course.best.as_ref().map_or((0.0, usize::MAX), |(known, blame, _)| (*known, *blame));
        // Of those that win as much the one that repeats less is better.
        if course.best.is_none() || share > known || share == known && failed.len() < blame {
            course.best = Some((share, failed.len(), weights.clone()));
        }
        failed
    }

    /// What is won from all positions with all that is allowed, where there is no rule against repetitions.
    fn follow(&self, depths: &Depths<'_>) -> (f64, Vec<u32>) {
        let outcomes = follow(self.world, depths.last());
        let lost = |node: &u32| outcomes.plies[*node as usize] == NO_LEVEL;
        let blamed: Vec<u32> = self.won.iter().copied().filter(lost).collect();
        let all = self.won.len();
        ((all - blamed.len()) as f64 / all.max(1) as f64, blamed)
    }

    /// What is won with a rule against repetitions: from some positions, and from more where that seems to be the best.
    fn avoid(&self, depths: &Depths<'_>, course: &mut Course) -> (f64, Vec<u32>) {
        let (all, starts) = (self.won.len(), self.settings.starts);
        let draw = |count: usize, random: &mut Random| -> Vec<u32> {
            match count >= all {
                true => self.won.to_vec(),
                false => (0..count).map(|_| self.won[random.below(all)]).collect(),
            }
        };
        let known = course.best.as_ref().map_or(0.0, |best| best.0);
        let player = Player::new(self.world, depths.order(None));
        let mut played = self.play(&player, &course.defence, &draw(starts, &mut course.random));
        if played.share() >= known - NEARLY {
            // Always from the same positions: what is compared was measured alike.
            let same = draw(CLOSER * starts, &mut Random(self.settings.seed));
            played = self.play(&player, &course.defence, &same);
        }
        (played.share(), played.blamed)
    }

    /// Plays games under two orders of equally good moves.
    fn both(&self, depths: &Depths<'_>, defence: &Defence, starts: &[u32]) -> Played {
        let play = |ties| self.play(&Player::new(self.world, depths.order(ties)), defence, starts);
        play(None).and(play(Some(self.settings.seed)))
    }

    /// Changes weights in small steps as long as less is not won. `hard` are counterexamples, those of steps that were not taken among them: a step
    /// that does not do better on these is not played from everywhere.
    fn polish(
        &self,
        weights: &mut Weights,
        course: &mut Course,
        metric: &Metric,
        watch: &mut dyn FnMut(usize) -> bool,
    ) {
        let defence = &course.defence;
        let mut depths = self.look(weights);
        let mut lost = self.both(&depths, defence, self.won).lost;
        let (mut hard, mut pairs) = (few(lost.clone()), Vec::new());
        let mut now = self.both(&depths, defence, &hard);
        let mut vain = 0;
        for round in 0..self.settings.polish {
            if lost.is_empty() || vain == VAIN || !watch(self.settings.lessons + round) {
                return;
            }
            vain += 1;
            if pairs.is_empty() {
                pairs = self.pairs(&depths, weights, &now.blamed, 0, &mut course.random);
            }
            let half: Vec<Pair> = pairs.iter().copied().filter(|_| course.random.below(2) == 0).collect();
            let step = metric.step(&self.slope(weights, &half), SMALL[round % SMALL.len()]);
            let mut other = weights.clone();
            other.iter_mut().flatten().zip(step.iter().flatten()).for_each(|(weight, step)| *weight += step);
            let other = rounded(&other);
            let there = self.look(&other);
            if self.both(&there, defence, &hard).lost.len() > now.lost.len() {
                continue;
            }
            let everywhere = self.both(&there, defence, self.won).lost;
            hard = few(hard.into_iter().chain(everywhere.iter().copied()).collect());
            if everywhere.len() < lost.len() {
                (*weights, depths, lost) = (other, there, everywhere);
                (pairs, vain) = (Vec::new(), 0);
            }
            now = self.both(&depths, defence, &hard);
        }
    }

    /// Plays games from these positions.
    fn play(&self, player: &Player<'_>, defence: &Defence, starts: &[u32]) -> Played {
        let world = self.world;
        let part = |starts: &[u32]| {
            let (mut played, mut seen) = (Played { games: starts.len(), ..Played::default() }, Vec::new());
            for &start in starts {
                let is_won = player.game(defence, start, self.settings.repetition, self.limit, &mut seen).is_some();
                played.lost.extend((!is_won).then_some(start));
                // Own moves led to what was seen; each was made where the reply to the one before led.
                let made: Vec<(u32, u32)> =
                    seen.windows(2).map(|pair| (replied(world, defence, pair[0]), pair[1])).collect();
                let last = if is_won { 0 } else { LAST.0 };
                played.blamed.extend(made.iter().rev().take(last).map(|made| made.0));
                // The move that came to what was seen before is to blame with the one that led there.
                let avoided = |at: &usize| player.first_choice(made[*at].0) != made[*at].1;
                let avoided = (0..made.len()).filter(avoided).take(LAST.1);
                played.blamed.extend(avoided.flat_map(|at| &made[at.saturating_sub(1)..=at]).map(|made| made.0));
            }
            played.blamed.retain(|&node| world.to_win(node));
            played
        };
        let parts: Vec<Played> = starts.par_chunks(1 << 8).map(part).collect();
        parts.into_iter().fold(Played::default(), Played::and)
    }

    /// What a lesson is about: positions in which games went wrong, at most so many in which play may wait, and some others.
    fn pairs(
        &self,
        depths: &Depths<'_>,
        weights: &Weights,
        blamed: &[u32],
        waiting: usize,
        random: &mut Random,
    ) -> Vec<Pair> {
        let level = |at: usize| self.world.level(self.sheet.nodes[at]).map(f64::from);
        // Where play should go is looked for with what the table says added.
        let hoped = |at: usize| level(at).map_or(f64::INFINITY, |level| depths.predicted[at] + level);
        let hoped = (0..self.sheet.nodes.len()).map(hoped).collect();
        let hope = Depths::new(self.world, self.sheet, hoped, self.settings.plies, self.settings.reading);
        let waits: Vec<u32> = self.won.par_iter().copied().filter(|&node| depths.waits(node)).collect();
        let mut batch: Vec<(u32, f64)> = Vec::new();
        let draw = |from: &[u32], count: usize, weight: f64, batch: &mut Vec<(u32, f64)>, random: &mut Random| {
            let count = if from.is_empty() { 0 } else { count };
            batch.extend((0..count).map(|_| (from[random.below(from.len())], weight)));
        };
        draw(&waits, waiting.min(2 * waits.len()), 1.0, &mut batch, random);
        let blame = batch.len().max(5000) as f64 / blamed.len().max(1) as f64;
        batch.extend(blamed.iter().map(|&node| (node, blame)));
        let beside = (batch.len() / 3).clamp(DRAWN.0, DRAWN.1);
        draw(self.won, beside, BESIDE, &mut batch, random);
        // Each is about one of both things, half of them about either.
        let taught: Vec<(u32, f64, bool)> =
            batch.into_iter().map(|(node, weight)| (node, weight, random.below(2) == 0)).collect();
        let pair = |&(node, weight, choice): &(u32, f64, bool)| {
            let choice = choice || !depths.descends();
            let (less, more, weight) = if choice {
                let (good, bad, matters) = depths.choice(node)?;
                (good, bad, weight * matters)
            } else {
                (hope.end(node)?, depths.nearer_end(node)?, weight)
            };
            let (less, more) = (self.sheet.place(less)?, self.sheet.place(more)?);
            (less != more && level(less).is_some()).then_some((less, more, weight))
        };
        let mut pairs: Vec<Pair> = taught.par_iter().filter_map(pair).collect();
        let gap = |pair: &Pair| self.sheet.predict(weights, pair.0) - self.sheet.predict(weights, pair.1);
        // What is right by far stays right in one lesson.
        pairs.retain(|pair| gap(pair) > -1.0);
        pairs
    }

    /// Which way the weights are wrong.
    fn slope(&self, weights: &Weights, pairs: &[Pair]) -> Weights {
        let part = |pairs: &[Pair]| {
            let mut slope = zero(weights);
            for &(less, more, weight) in pairs {
                let gap = self.sheet.predict(weights, less) - self.sheet.predict(weights, more) + MARGIN;
                if gap <= 0.0 {
                    continue;
                }
                let steep = weight * gap.clamp(GAPS.0, GAPS.1);
                for (at, steep) in [(less, steep), (more, -steep)] {
                    let row = self.sheet.row(at);
                    let sums = &mut slope[usize::from(self.sheet.cases[at])];
                    sums.iter_mut().zip(row).for_each(|(sum, &value)| *sum += steep * f64::from(value));
                    sums[row.len()] += steep;
                }
            }
            slope
        };
        // Parts are added up in their order: the same on any number of processors.
        let parts: Vec<Weights> = pairs.par_chunks(pairs.len().div_ceil(8).max(1)).map(part).collect();
        let mut slope = zero(weights);
        for part in parts {
            slope.iter_mut().flatten().zip(part.iter().flatten()).for_each(|(sum, part)| *sum += part);
        }
        slope
    }
}

/// About so many of some positions as counterexamples that are kept, each once.
fn few(mut nodes: Vec<u32>) -> Vec<u32> {
    nodes.sort_unstable();
    nodes.dedup();
    every(&nodes, HARD)
}

/// The position after the reply to an own move; the position itself if it is the own side's turn already.
fn replied(world: &World, defence: &Defence, node: u32) -> u32 {
    match defence {
        Defence::Best(replies) if world.kinds[node as usize] == Kind::Theirs => replies[node as usize],
        _ => node,
    }
}

fn weights(cases: &Cases) -> Weights {
    let sum = |node: &Node| match node {
        Node::Sum { linear, .. } => Some(linear.weights.iter().copied().chain([linear.constant]).collect()),
        Node::Question { .. } => None,
    };
    cases.nodes.iter().filter_map(sum).collect()
}

/// Makes these the weights of the cases.
fn put(cases: &mut Cases, weights: &Weights) {
    let sums = cases.nodes.iter_mut().filter_map(|node| match node {
        Node::Sum { linear, .. } => Some(linear),
        Node::Question { .. } => None,
    });
    for (linear, weights) in sums.zip(weights) {
        let (constant, rest) = (weights[weights.len() - 1], weights[..weights.len() - 1].to_vec());
        *linear = Linear { constant, weights: rest };
    }
}

/// Weights as they are written to files: what is measured is what is kept.
fn rounded(weights: &Weights) -> Weights {
    let mut weights = weights.clone();
    weights.iter_mut().flatten().for_each(short);
    weights
}

fn zero(weights: &Weights) -> Weights {
    weights.iter().map(|row| vec![0.0; row.len()]).collect()
}
